"""One attention module on its own: torch's nn.MultiheadAttention, and the layout with four projections.

torch/nn/modules/activation.py: queries, keys and values of equal width are in one bare `in_proj_weight`;
when `kdim` or `vdim` differs there are three bare `*_proj_weight`, while the bias stays one `in_proj_bias`.
`bias_k` and `bias_v` exist with add_bias_kv. The other layout has a module for each projection; there
`key_dim` and `value_dim` are widths of one head and need not be equal.
"""

from inspector.notation.definition import Architecture, Dims, either, head, maybe, part, rows
from inspector.notation.kinds import linear, param

FUSED = part("in_proj_weight", "attention.qkv",   linear("d -> d + d + d", bare=True, packs="q k v"))
APART = rows(
    part("q_proj_weight", "attention.query",      linear("d -> d",  bare=True)),
    part("k_proj_weight", "attention.key",        linear("kd -> d", bare=True)),
    part("v_proj_weight", "attention.value",      linear("vd -> d", bare=True)))
MULTIHEAD_ATTENTION = Architecture("multihead_attention",
    dims=Dims(d="embed_dim", h="num_heads", kd="kdim | d", vd="vdim | d", dk="key_dim | d/h", dv="value_dim | dk",
              b="bias | true"),
    heads=(
        head("MultiheadAttention", "",
            either(FUSED, APART),
            part("in_proj_bias",  "attention.qkv.bias",   param("3*d"), when="b"),
            maybe("bias_k",       "attention.key.bias",   param("1 1 d")),
            maybe("bias_v",       "attention.value.bias", param("1 1 d")),
            part("out_proj",      "attention.output",     linear("d -> d", bias="b")), default=True),
        head("Attention", "",
            part("q_proj",        "attention.query",      linear("d -> h*dk", bias="b")),
            part("k_proj",        "attention.key",        linear("d -> h*dk", bias="b")),
            part("v_proj",        "attention.value",      linear("d -> h*dv", bias="b")),
            part("out_proj",      "attention.output",     linear("h*dv -> d", bias="b")))))
