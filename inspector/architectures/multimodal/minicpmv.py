"""MiniCPM-V 4.6 and 4.7: SigLIP's tower with one merger inside it, mergers behind it, Qwen 3.5's text.

modeling_minicpmv4_6.py, modeling_minicpmv4_7.py: `vit_merger` joins windows of `window_kernel_size` patches after the
layer `insert_layer_id`, which moves no shape; each of the `merger_times` mergers joins four patches, whatever
`merge_kernel_size` says, and only the last one's output has the text's width.
"""

from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, LANGUAGE_FIRST, TIES
from inspector.architectures.vision.vision_blocks import CLIP_LAYER, VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, table

MINICPMV_VISION = Architecture("minicpmv4_6_vision minicpmv4_7_vision", ignores="insert_layer_id",
                               heads=(head("tower VisionModel", ""),),
    dims=VISION | Dims(w="window_kernel_size[0]*window_kernel_size[1]"),
    parts=rows(
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p pw")),
        part("embeddings.position_embedding", "embed.position", table("g d")),
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",                "norm.final",     affine("d")),
        under("vit_merger",
            part("self_attn.q_proj",   "attention.query",  dense("d -> d")),
            part("self_attn.k_proj",   "attention.key",    dense("d -> d")),
            part("self_attn.v_proj",   "attention.value",  dense("d -> d")),
            part("self_attn.out_proj", "attention.output", dense("d -> d")),
            part("layer_norm1",        "norm.attention",   affine("d")),
            part("pre_norm",           "norm.merger",      affine("d*w")),
            part("linear_1",           "merger.up",        dense("d*w -> ff*w")),
            part("linear_2",           "merger.down",      dense("ff*w -> d")), tower="merger")))
MERGER = rows(                                 # o the width behind it
    part("pre_norm", "norm.merger", affine("4*v")),
    part("linear_1", "merger.up",   dense("4*v -> 4*v")),
    part("linear_2", "merger.down", dense("4*v -> o")))
MINICPMV = Architecture("minicpmv4_6 minicpmv4_7", ties=TIES, heads=BARE_MODEL,
    ignores="insert_layer_id downsample_mode merge_kernel_size drop_vision_last_layer",
    dialects=({}, {"model.vision_tower.vit_merger.": "vit_merger.", **LANGUAGE_FIRST}),  # mlx-vlm's
    dims=Dims(d="text.d", V="text.V", v="vision.d", N="merger_times", M="N[:N-1]", E="N - M"),
    parts=rows(
        submodel("text",   "language_model.", head="Model"),
        submodel("vision", "vision_tower.", MINICPMV_VISION),
        under("merger.mlp.{M}", MERGER, o="v"),
        under("merger.mlp.{E}", MERGER, o="d")))
