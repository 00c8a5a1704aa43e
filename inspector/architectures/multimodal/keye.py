"""Keye-VL and Keye-VL 1.5 as their authors publish them: code of their repositories.

modeling_keye.py there: Qwen 3's layers, and SigLIP's tower with its pooling head and a second table of positions for
packed patches. The projector joins four patches, and norms them before (Keye-VL) or after that (1.5: vLLM's
`keye_vl1_5.py`).
"""

from inspector.architectures.blocks import DECODER, LM_HEAD
from inspector.architectures.multimodal.siglip import SIGLIP_VISION
from inspector.architectures.text.qwen import QWEN3
from inspector.notation.definition import Architecture, Dims, head, part, submodel
from inspector.notation.kinds import affine, dense, table

IGNORED = "vision_config.spatial_merge_size vision_config.temporal_patch_size vision_config.tokens_per_second"
SIZES = DECODER | Dims(v="vision.d", i="4*v")
HEADS = (head("ForConditionalGeneration", "model.",
    LM_HEAD,
    submodel("vision", "visual.", SIGLIP_VISION, head="VisionModel"),
    part("visual.vision_model.embeddings.packing_position_embedding", "embed.position.packed", table("32768 v")),
    part("mlp_AR.pre_norm", "norm.bridge", affine("n")),
    part("mlp_AR.linear_1", "bridge.in",   dense("i -> i")),
    part("mlp_AR.linear_2", "bridge.out",  dense("i -> d")), default=True),)
KEYE = Architecture("Keye", parts=QWEN3.parts, heads=HEADS, dims=SIZES | Dims(n="v"), ignores=IGNORED)
KEYE_VL_1_5 = Architecture("KeyeVL1_5", parts=QWEN3.parts, heads=HEADS, dims=SIZES | Dims(n="i"), ignores=IGNORED)
