"""BLOOM.

modeling_bloom.py: q, k, v interleaved per head; a norm behind the embedding; the MLP is always four times as wide; no
positions in the file (alibi). `n_embed` is an old name of `hidden_size` and wins over it. The Hub's BLOOM has no
`transformer.` prefix. Tied unless the config says otherwise.
"""

from inspector.architectures.blocks import AFFINE_PRE_NORMS, FOUR_H, FUSED_QKV, TRANSFORMER
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, table

BLOOM = Architecture("bloom", heads=TRANSFORMER, ties="tie_word_embeddings | true", dialects=({}, {"transformer.": ""}),
    dims=Dims(V="vocab_size", d="n_embed | hidden_size", L="n_layer", h="n_head", dh="d/h", ff="4*d",
              C="labels"),
    parts=rows(
        part("word_embeddings",           "embed.token", table("V d")),
        part("word_embeddings_layernorm", "norm.embed",  affine("d")),
        part("ln_f",                      "norm.final",  affine("d")),
        under("h.{L}", AFFINE_PRE_NORMS,
            under("self_attention", FUSED_QKV, b="true"),
            under("mlp",            FOUR_H,    b="true"))))
