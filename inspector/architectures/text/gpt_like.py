"""Code models by code of their own with GPT-2's names: CodeShell and Refact.

modeling_codeshell.py: rotary positions, `num_query_groups` key heads, all matrices with a bias. modeling_gpt_refact.py:
one key head, gate and up in one matrix whose width is a multiple of 256, no bias, norms without one.
"""

from inspector.architectures.blocks import TRANSFORMER
from inspector.notation.definition import Architecture, Dims, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, dense, linear, scale, table

GPT = Dims(V="vocab_size", d="n_embd", L="n_layer", h="n_head", dh="d/h", C="labels")
# no record exercises these definitions
CODESHELL = Architecture("codeshell", heads=TRANSFORMER,
    dims=GPT | Dims(kv="num_query_groups | 1", ff="n_inner | 4*d"),
    parts=rows(
        part("wte",  "embed.token", table("V d")),
        part("ln_f", "norm.final",  affine("d")),
        under("h.{L}",
            part("ln_1",        "norm.attention",   affine("d")),
            part("attn.c_attn", "attention.qkv",    dense("d -> h*dh + kv*dh + kv*dh", packs="q k v")),
            part("attn.c_proj", "attention.output", dense("d -> d")),
            maybe("attn.rotary_emb.inv_freq", "rotary.frequency", buffer("(dh+1)//2")),
            part("ln_2",        "norm.mlp",         affine("d")),
            part("mlp.c_fc",    "mlp.up",           dense("d -> ff")),
            part("mlp.c_proj",  "mlp.down",         dense("ff -> d")))))
REFACT = Architecture("gpt_refact", heads=TRANSFORMER,
    dims=GPT | Dims(ff="ceil(8*d//3, 256)"),
    parts=rows(
        part("wte",  "embed.token", table("V d")),
        part("ln_f", "norm.final",  scale("d")),
        under("h.{L}",
            part("ln_1",             "norm.attention",   scale("d")),
            part("attn.q",           "attention.query",  linear("d -> d")),
            part("attn.kv",          "attention.kv",     linear("d -> dh + dh", packs="k v")),
            part("attn.c_proj",      "attention.output", linear("d -> d")),
            part("ln_2",             "norm.mlp",         scale("d")),
            part("mlp.gate_up_proj", "mlp.gate_up",      linear("d -> ff + ff", packs="gate up")),
            part("mlp.c_proj",       "mlp.down",         linear("ff -> d")))))
