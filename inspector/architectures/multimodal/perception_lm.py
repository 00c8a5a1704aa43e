"""PerceptionLM: a Perception Encoder of timm below Llama.

modeling_perception_lm.py: the projector reads the width that `model_args` states.
"""

from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, TIED_BY_TEXT_TOO
from inspector.architectures.vision.perception import perception
from inspector.notation.definition import Architecture, Dims, part, rows, submodel
from inspector.notation.kinds import dense

PERCEPTION_LM = Architecture("perception_lm", ties=TIED_BY_TEXT_TOO, heads=BARE_MODEL,
    dims=Dims(d="text.d", V="text.V", v="vision_config.model_args.embed_dim"),
    parts=rows(
        submodel("text", "language_model.", head="Model"),
        perception("vision_tower.", "vision_config", "Model"),
        part("multi_modal_projector.linear_1", "bridge.in",  dense("v -> d")),
        part("multi_modal_projector.linear_2", "bridge.out", dense("d -> d"))))
