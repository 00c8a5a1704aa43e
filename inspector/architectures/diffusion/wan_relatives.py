"""Wan with another schedule of time or other names: AnyFlow, AnyFlow with frames of the past, Wan-Animate 2.

transformer_anyflow.py: a second embedding, of the step to go. transformer_anyflow_far.py:
larger patches of what came before. transformer_wan_animate_2.py: the names of Wan's authors around the attention, whose
image keys and values are made from the width of the model.
"""

from inspector.architectures.diffusion.diffusion_blocks import EMBEDDING
from inspector.architectures.diffusion.diffusion_transformer import WAN, WAN_DIMS
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, conv, dense, param, scale

ANYFLOW = rows(WAN, rows(under("condition_embedder.delta_embedder", EMBEDDING, i="freq_dim"), tower="delta"))
ANYFLOWTRANSFORMER3DMODEL = Architecture("AnyFlowTransformer3DModel", dims=WAN_DIMS, parts=ANYFLOW)
ANYFLOWFARTRANSFORMER3DMODEL = Architecture("AnyFlowFARTransformer3DModel",
    ignores="full_chunk_limit chunk_partition",
    dims=WAN_DIMS | Dims(F="compressed_patch_size[0]", f="compressed_patch_size[1]", g="compressed_patch_size[2]"),
    parts=rows(ANYFLOW, part("far_patch_embedding", "embed.patch.past", conv("c -> d, F f g"))))

WANANIMATE2TRANSFORMER3DMODEL = Architecture("WanAnimate2Transformer3DModel",
    ignores="num_heads refer_offset_t refer_offset_h refer_offset_w refer_stride text_len",
    dims=Dims(d="dim", L="num_layers", ff="ffn_dim", c="in_dim", o="out_dim", P="patch_size[0]", p="patch_size[1]",
              q="patch_size[2]", imaged="use_img_emb"),
    parts=rows(
        part("patch_embedding",   "embed.patch",            conv("c -> d, P p q")),
        part("text_embedding.0",  "embed.text.1",           dense("text_dim -> d")),
        part("text_embedding.2",  "embed.text.2",           dense("d -> d")),
        part("time_embedding.0",  "embed.time.1",           dense("freq_dim -> d")),
        part("time_embedding.2",  "embed.time.2",           dense("d -> d")),
        part("time_projection.1", "norm.modulation.shared", dense("d -> 6*d")),
        under("img_emb.proj",                  # of CLIP's image states
            part("0", "norm.image",    affine("1280")),
            part("1", "embed.image.1", dense("1280 -> 1280")),
            part("3", "embed.image.2", dense("1280 -> d")),
            part("4", "norm.image",    affine("d")), when="imaged"),
        under("blocks.{L}",
            part("modulation",          "norm.modulation",  param("1 6 d")),
            part("self_attn.to_q",      "attention.query",  dense("d -> d")),
            part("self_attn.to_k",      "attention.key",    dense("d -> d")),
            part("self_attn.to_v",      "attention.value",  dense("d -> d")),
            part("self_attn.to_out.0",  "attention.output", dense("d -> d")),
            part("self_attn.norm_q",    "norm.query",       scale("d")),
            part("self_attn.norm_k",    "norm.key",         scale("d")),
            part("norm3",               "norm.cross",       affine("d"), when="cross_attn_norm"),
            part("cross_attn.to_q",     "cross.query",      dense("d -> d")),
            part("cross_attn.to_k",     "cross.key",        dense("d -> d")),
            part("cross_attn.to_v",     "cross.value",      dense("d -> d")),
            part("cross_attn.to_out.0", "cross.output",     dense("d -> d")),
            part("cross_attn.norm_q",   "norm.cross.query", scale("d")),
            part("cross_attn.norm_k",   "norm.cross.key",   scale("d")),
            rows(
                part("cross_attn.add_k_proj",   "cross.image.key",   dense("d -> d")),
                part("cross_attn.add_v_proj",   "cross.image.value", dense("d -> d")),
                part("cross_attn.norm_added_k", "norm.cross.image",  scale("d")), when="imaged"),
            part("ffn.0", "mlp.up",   dense("d -> ff")),
            part("ffn.2", "mlp.down", dense("ff -> d"))),
        part("head.modulation", "norm.modulation.out", param("1 2 d")),
        part("head.head",       "head.image",          dense("d -> o*P*p*q"))))
