"""NeoBERT: a BERT of pre-normed layers with rotary positions.

model.py of the authors' repository: the MLP has two thirds of `intermediate_size`, in steps of 8, with gate and up in
one matrix, as xformers packs them; query, key and value of each head are one below the other. The head on the tokens
has a bias and a matrix of its own; the classifier has a dense layer as wide as the model before it.
"""

from inspector.architectures.blocks import CLASSIFIER
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, dense, linear, table

GATED, PLAIN = "hidden_act not in 'GELU gelu'", "hidden_act in 'GELU gelu'"
NEOBERT = Architecture("neobert",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads", dh="d/h",
              m="intermediate_size", ff="ceil(2*m//3, 8)", T="max_length + 1",
              C="labels"),
    ignores="dim_head norm_eps embedding_init_range decoder_init_range "
    " flash_attention base_scale ngpt dropout kwargs",
    parts=rows(
        part("encoder", "embed.token", table("V d")),
        under("transformer_encoder.{L}",
            part("attention_norm", "norm.attention",   affine("d", bias="not (rms_norm | true)")),
            part("qkv",            "attention.qkv",    linear("d -> h*(dh + dh + dh)", packs="q k v")),
            part("wo",             "attention.output", linear("d -> d")),
            part("ffn_norm",       "norm.mlp",         affine("d", bias="not (rms_norm | true)")),
            part("ffn.w12",        "mlp.gate_up",      linear("d -> ff + ff", packs="gate up"), when=GATED),
            part("ffn.w3",         "mlp.down",         linear("ff -> d"), when=GATED),
            part("ffn.0",          "mlp.up",           linear("d -> m"), when=PLAIN),
            part("ffn.2",          "mlp.down",         linear("m -> d"), when=PLAIN)),
        part("positional_embedding", "embed.position", table("T d"), when="not (rope | true)"),
        part("layer_norm", "norm.final", affine("d", bias="not (rms_norm | true)"))),
    heads=(
        head("NeoBERT", ""),
        head("LMHead",  "model.", part("decoder", "head.token", dense("d -> V"))),
        head("ForSequenceClassification", "model.", part("dense", "head.dense", dense("d -> d")), CLASSIFIER)))
