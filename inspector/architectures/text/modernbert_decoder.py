"""ModernBERT as a decoder.

modeling_modernbert_decoder.py: layer 0 has no norm before its attention; gate and up are in `Wi`; `attention_bias`,
`mlp_bias`, `norm_bias`, `classifier_bias` and `decoder_bias` (true by default) each switch their own. The head is a
dense layer and a norm before `decoder`, whose weight alone is tied.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, linear, table

PREDICTION = rows(
    part("dense", "head.dense", linear("d -> d", bias="classifier_bias")),
    part("norm",  "norm.head",  affine("d", bias="norm_bias")))
MODERNBERT_DECODER = Architecture("modernbert-decoder", ignores="sliding_window", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", ff="intermediate_size", b="attention_bias",
              later="L[1:]", C="labels"),
    heads=(
        head("Model",                     ""),
        head("ForCausalLM",               "model.", under("lm_head", PREDICTION),
            part("decoder",    "head.token", linear("d -> V", bias="decoder_bias | true"), tied="embed.token")),
        head("ForSequenceClassification", "model.", under("head", PREDICTION),
            part("classifier", "head.class", linear("d -> C", bias="classifier_bias")))),
    parts=rows(
        part("embeddings.tok_embeddings", "embed.token", table("V d")),
        part("embeddings.norm",           "norm.embed",  affine("d", bias="norm_bias")),
        part("final_norm",                "norm.final",  affine("d", bias="norm_bias")),
        part("layers.{later}.attn_norm",  "norm.attention", affine("d", bias="norm_bias")),
        under("layers.{L}",
            part("attn.q_proj", "attention.query",  linear("d -> d", bias="b")),
            part("attn.k_proj", "attention.key",    linear("d -> d", bias="b")),
            part("attn.v_proj", "attention.value",  linear("d -> d", bias="b")),
            part("attn.Wo",     "attention.output", linear("d -> d", bias="b")),
            part("mlp_norm",    "norm.mlp",         affine("d", bias="norm_bias")),
            part("mlp.Wi",      "mlp.gate_up",      linear("d -> ff + ff", bias="mlp_bias", packs="gate up")),
            part("mlp.Wo",      "mlp.down",         linear("ff -> d", bias="mlp_bias")))))
