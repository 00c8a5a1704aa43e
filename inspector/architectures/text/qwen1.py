"""The first Qwen (code of its own in each repository).

modeling_qwen.py there: `intermediate_size` is twice the width of the MLP, whose two halves are w1 (up) and w2 (gate);
c_attn always has a bias, the other matrices unless `no_bias` (true by default); the heads' width is `kv_channels`.
"""

from inspector.architectures.blocks import LM_HEAD
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import buffer, dense, linear, scale, table

# no record exercises this definition
QWEN = Architecture("qwen", ignores="attn_dropout_prob emb_dropout_prob max_position_embeddings rotary_pct seq_length",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads", dh="kv_channels | d/h",
              ff="intermediate_size//2", b="not (no_bias | true)"),
    heads=(head("Model", ""), head("LMHeadModel", "transformer.", LM_HEAD, default=True)),
    parts=rows(
        part("wte",  "embed.token", table("V d")),
        part("ln_f", "norm.final",  scale("d")),
        maybe("rotary_emb.inv_freq", "rotary.frequency", buffer("(dh+1)//2")),
        under("h.{L}",
            part("ln_1",        "norm.attention",   scale("d")),
            part("attn.c_attn", "attention.qkv",    dense("d -> h*dh + h*dh + h*dh", packs="q k v")),
            part("attn.c_proj", "attention.output", linear("h*dh -> d", bias="b")),
            maybe("attn.rotary_emb.inv_freq", "rotary.frequency", buffer("(dh+1)//2")),
            part("ln_2",        "norm.mlp",         scale("d")),
            part("mlp.w1",      "mlp.up",           linear("d -> ff", bias="b")),
            part("mlp.w2",      "mlp.gate",         linear("d -> ff", bias="b")),
            part("mlp.c_proj",  "mlp.down",         linear("ff -> d", bias="b")))))
