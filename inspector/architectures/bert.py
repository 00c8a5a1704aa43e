"""Bert with heads."""

from inspector.notation.card import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, dense, linear, param, table

BERT_LAYER = rows(
    part("attention.self.query",       "attention.query",  dense("d -> d")),
    part("attention.self.key",         "attention.key",    dense("d -> d")),
    part("attention.self.value",       "attention.value",  dense("d -> d")),
    part("attention.output.dense",     "attention.output", dense("d -> d")),
    part("attention.output.LayerNorm", "norm.attention",   affine("d")),
    part("intermediate.dense",         "mlp.up",           dense("d -> ff")),
    part("output.dense",               "mlp.down",         dense("ff -> d")),
    part("output.LayerNorm",           "norm.mlp",         affine("d")))
POOLER     = part("pooler.dense",         "pooler",     dense("d -> d"))
NEXT       = part("cls.seq_relationship", "head.next",  dense("d -> 2"))
CLASSIFIER = part("classifier",           "head.class", dense("d -> C"))
MASKED = under("cls.predictions",
    part("transform.dense",     "head.dense",      dense("d -> d")),
    part("transform.LayerNorm", "norm.head",       affine("d")),
    part("bias",                "head.token.bias", param("V")),
    part("decoder",             "head.token",      linear("d -> V"), tied="embed.token"),
    maybe("decoder.bias",       "head.token.bias", param("V"), tied="head.token.bias"))
BERT = Architecture("bert", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", ff="intermediate_size",
              T="max_position_embeddings", y="type_vocab_size", C="num_labels | len(id2label) | 2"),
    parts=rows(
        under("embeddings",
            part("word_embeddings",       "embed.token",    table("V d")),
            part("position_embeddings",   "embed.position", table("T d")),
            part("token_type_embeddings", "embed.type",     table("y d")),
            part("LayerNorm",             "norm.embed",     affine("d")),
            maybe("position_ids",         "embed.position", buffer("1 T"))),
        under("encoder.layer.{L}", BERT_LAYER)),
    heads=(
        head("Model",                     "",      POOLER),
        head("ForMaskedLM LMHeadModel",   "bert.", MASKED),
        head("ForPreTraining",            "bert.", MASKED, NEXT, under("bert", POOLER)),
        head("ForNextSentencePrediction", "bert.", NEXT, under("bert", POOLER)),
        head("ForSequenceClassification", "bert.", CLASSIFIER, under("bert", POOLER)),
        head("ForMultipleChoice",         "bert.", rows(CLASSIFIER, C="1"), under("bert", POOLER)),
        head("ForTokenClassification",    "bert.", CLASSIFIER),
        head("ForQuestionAnswering",      "bert.", part("qa_outputs", "head.span", dense("d -> 2")))),
    dialects=({}, {"*LayerNorm.weight": "LayerNorm.gamma", "*LayerNorm.bias": "LayerNorm.beta"}, {"bert.": ""}))
