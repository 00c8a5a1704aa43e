"""DistilBERT. modeling_distilbert.py: no types, no pooler; the sequence classifier has a `pre_classifier`."""

from inspector.architectures.blocks import CLASSIFIER
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, dense, linear, param, table

PRE_CLASSIFIER = part("pre_classifier", "head.dense", dense("d -> d"))
DISTILBERT = Architecture("distilbert", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="dim", L="n_layers", h="n_heads", ff="hidden_dim", T="max_position_embeddings",
              a="(h - len(pruned_heads[{L}]))*(d/h) | d", C="labels"),
    parts=rows(
        under("embeddings",
            part("word_embeddings",     "embed.token",    table("V d")),
            part("position_embeddings", "embed.position", table("T d")),
            part("LayerNorm",           "norm.embed",     affine("d")),
            maybe("position_ids",       "embed.index",    buffer("1 T"))),
        under("transformer.layer.{L}",
            part("attention.q_lin",     "attention.query",  dense("d -> a")),
            part("attention.k_lin",     "attention.key",    dense("d -> a")),
            part("attention.v_lin",     "attention.value",  dense("d -> a")),
            part("attention.out_lin",   "attention.output", dense("a -> d")),
            part("sa_layer_norm",       "norm.attention",   affine("d")),
            part("ffn.lin1",            "mlp.up",           dense("d -> ff")),
            part("ffn.lin2",            "mlp.down",         dense("ff -> d")),
            part("output_layer_norm",   "norm.mlp",         affine("d")))),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM",               "distilbert.",
            part("vocab_transform",       "head.dense",      dense("d -> d")),
            part("vocab_layer_norm",      "norm.head",       affine("d")),
            part("vocab_projector",       "head.token",      linear("d -> V"), tied="embed.token"),
            part("vocab_projector.bias",  "head.token.bias", param("V"))),
        head("ForSequenceClassification", "distilbert.", PRE_CLASSIFIER, CLASSIFIER),
        head("ForMultipleChoice",         "distilbert.", PRE_CLASSIFIER, rows(CLASSIFIER, C="1")),
        head("ForTokenClassification",    "distilbert.", CLASSIFIER),
        head("ForQuestionAnswering",      "distilbert.", part("qa_outputs", "head.span", dense("d -> C")))),
    dialects=({}, {"*LayerNorm.weight": "LayerNorm.gamma", "*LayerNorm.bias": "LayerNorm.beta"}))
