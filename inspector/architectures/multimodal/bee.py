"""Bee and R, relatives of LLaVA-OneVision: the projector norms its input.

vLLM's `bee.py` and `rvl.py`: Bee's projector is four times as wide as the text model, R's as wide.
"""

from inspector.architectures.multimodal.joined_blocks import JOINED, SPELLINGS, TIED_BY_TEXT_TOO
from inspector.architectures.multimodal.llava import LLAVA_DIMS, NEWLINE, TEXT_AND_VISION
from inspector.notation.definition import Architecture, Dims, part, rows
from inspector.notation.kinds import affine, dense

PARTS = rows(                                  # no record exercises these definitions
    TEXT_AND_VISION, NEWLINE,
    part("multi_modal_projector.pre_norm", "norm.bridge", affine("v")),
    part("multi_modal_projector.linear_1", "bridge.in",   dense("v -> m")),
    part("multi_modal_projector.linear_2", "bridge.out",  dense("m -> d")))
BEE = Architecture("bee BeeForConditionalGeneration", ties=TIED_BY_TEXT_TOO, heads=JOINED, dialects=SPELLINGS,
                   dims=LLAVA_DIMS | Dims(m="4*d"), parts=PARTS)
R_VL = Architecture("RForConditionalGeneration", ties=TIED_BY_TEXT_TOO, heads=JOINED, dialects=SPELLINGS,
                    dims=LLAVA_DIMS | Dims(m="d"), parts=PARTS)
