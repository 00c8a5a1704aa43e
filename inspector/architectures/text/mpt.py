"""MPT.

modeling_mpt.py: no bias anywhere, norms neither; the MLP is four times as wide whatever `expansion_ratio` says; no
positions in the file (alibi) in spite of `learned_pos_emb`. Tied unless the config says otherwise.
"""

from inspector.architectures.blocks import TRANSFORMER
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import linear, scale, table

MPT = Architecture("mpt", heads=TRANSFORMER, ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="d_model", L="n_layers", h="n_heads", C="labels"),
    parts=rows(
        part("wte",    "embed.token", table("V d")),
        part("norm_f", "norm.final",  scale("d")),
        under("blocks.{L}",
            part("norm_1",        "norm.attention",   scale("d")),
            part("attn.Wqkv",     "attention.qkv",    linear("d -> d + d + d", packs="q k v")),
            part("attn.out_proj", "attention.output", linear("d -> d")),
            part("norm_2",        "norm.mlp",         scale("d")),
            part("ffn.up_proj",   "mlp.up",           linear("d -> 4*d")),
            part("ffn.down_proj", "mlp.down",         linear("4*d -> d")))))
