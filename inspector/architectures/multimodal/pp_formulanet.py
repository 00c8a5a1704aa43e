"""PP-FormulaNet, PaddleOCR's reader of formulas: SAM's vision tower, two convolutions, and MBart's decoder.

modeling_pp_formulanet.py: the projector is in the encoder; the head is never tied.
"""

from inspector.architectures.text.bart import BART_DIMS, DECODER_LAYERS, EMBED_NORM, FINAL_NORM, OWN_TABLE, POSITIONS
from inspector.architectures.vision.sam import SAM_VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import conv, dense, linear

FORMULA_VISION = Architecture("pp_formulanet_vision",
    dims={**SAM_VISION.dims, **Dims(i="post_conv_in_channels", m="post_conv_mid_channels", u="post_conv_out_channels",
                                    t="decoder_hidden_size")},
    heads=(head("Model", ""),),
    parts=rows(SAM_VISION.parts, under("multi_modal_projector",
        part("conv1",    "bridge.conv",  conv("i -> m, 3 3", bias=False)),
        part("conv2",    "bridge.merge", conv("m -> u, 3 3", bias=False)),
        part("linear_1", "bridge.in",    dense("u -> u")),
        part("linear_2", "bridge.out",   dense("u -> t")))))
FORMULA_TEXT = Architecture("pp_formulanet_text", dims=BART_DIMS, heads=(head("Model", ""),),
    parts=rows(OWN_TABLE, POSITIONS, EMBED_NORM, DECODER_LAYERS, FINAL_NORM, P="T+2"))
PP_FORMULANET = Architecture("pp_formulanet", ties="false", dims=Dims(d="text.d", V="text.V"),
    parts=rows(
        submodel("text", "decoder.", FORMULA_TEXT),
        submodel("vision", "encoder.", FORMULA_VISION)),
    heads=(
        head("Model", ""),
        head("ForConditionalGeneration", "model.", part("lm_head", "head.token", linear("d -> V")), default=True)))
