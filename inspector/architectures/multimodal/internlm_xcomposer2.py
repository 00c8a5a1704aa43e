"""InternLM-XComposer 2, 2-4KHD and 2.5 as their authors publish them: code of their repositories.

modeling_internlm2.py, build_mlp.py there: each matrix of InternLM 2 has a low-rank adapter beside it that only the
tokens of an image pass (`PLoRA`); the tower is CLIP's L. 4KHD and 2.5 join four patches and have a vector between the
parts of an image. The number of positions of the tower differs by release, and no config states it.
"""

from inspector.architectures.text.internlm import INTERNLM2
from inspector.architectures.vision.vision_blocks import CLIP_LAYER
from inspector.notation.definition import Architecture, Dims, Group, either, head, opaque, part, rows, under, usually
from inspector.notation.kinds import affine, conv, dense, linear, param


def adapted(path: str, source: str, target: str) -> Group:
    """The low-rank matrices beside a linear; r their rank."""
    return under(path,
        part("Plora_A", "adapter.down", linear(f"{source} -> r")),
        part("Plora_B", "adapter.up",   linear(f"r -> {target}")))


TOWER = under("vit.vision_tower.vision_model",
    part("embeddings.class_embedding", "embed.class", param("v")),
    part("embeddings.patch_embedding", "embed.patch", conv("3 -> v, 14 14", bias=False)),
    part("pre_layrnorm",               "norm.embed",  affine("v")),                    # sic
    under("encoder.layers.{Lv}", CLIP_LAYER, d="v", ff="fv"),
    part("post_layernorm",             "norm.final",  affine("v")), tower="vision")
PROJECTOR = rows(                              # i in
    part("vision_proj.0", "bridge.in",  dense("i -> d")),
    part("vision_proj.2", "bridge.out", dense("d -> d")))
XCOMPOSER2 = Architecture("InternLMXComposer2ForCausalLM",
    ignores="max_length attn_implementation rope_scaling img_size",
    dims=Dims(**INTERNLM2.dims) | Dims(r="256", v="1024", fv="4096", Lv="24"),
    heads=(head("ForCausalLM", "model.",
        part("output", "head.token", linear("d -> V"), tied="embed.token"),
        TOWER,
        opaque("vit.vision_tower.vision_model.embeddings.position_", "no config states how many"),
        either(
            rows(
                part("plora_glb_GN", "embed.separator.global", param("1 1 4*v")),
                part("plora_sub_GN", "embed.separator.part",   param("1 1 1 4*v")),
                rows(PROJECTOR, i="4*v")),
            rows(PROJECTOR, i="v")),
        usually(
            part("video_mem_proj.0", "bridge.vision.in",  dense("1536 -> d")),
            part("video_mem_proj.2", "bridge.vision.out", dense("d -> d"))), default=True),),
    parts=rows(
        INTERNLM2.parts,
        under("layers.{L}",
            adapted("attention.wqkv", "d", "h*dh + kv*dh + kv*dh"),
            adapted("attention.wo", "h*dh", "d"),
            adapted("feed_forward.w1", "d", "ff"),
            adapted("feed_forward.w3", "d", "ff"),
            adapted("feed_forward.w2", "ff", "d"))))
