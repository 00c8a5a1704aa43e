"""NEZHA, and ERNIE-M: encoders like BERT.

modeling_nezha.py of transformers 4: BERT without a table of positions, which are sinusoids of relative distances and
not stored. modeling_ernie_m.py: positions for each token and no types; the layers' modules are numbered; the class for
information extraction has one output for the start and one for the end.
"""

from inspector.architectures.text.bert import CLASSIFIER, LONE_LAYER, MASKED, NEXT, POOLER
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, dense, table

WIDTHS = Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", ff="intermediate_size", h="num_attention_heads",
              a="(h - len(pruned_heads[{L}]))*(d/h) | d", T="max_position_embeddings", y="type_vocab_size", C="labels")
QA = part("qa_outputs", "head.span", dense("d -> C"))
NEZHA = Architecture("nezha", dims=WIDTHS, ties="tie_word_embeddings | true",
    parts=rows(
        under("embeddings",
            part("word_embeddings",       "embed.token", table("V d")),
            part("token_type_embeddings", "embed.type",  table("y d")),
            part("LayerNorm",             "norm.embed",  affine("d"))),
        under("encoder.layer.{L}", LONE_LAYER)),
    heads=(
        head("Model",                     "",       usually(POOLER)),
        head("ForMaskedLM",               "nezha.", MASKED),
        head("ForPreTraining",            "nezha.", MASKED, NEXT, under("nezha", POOLER)),
        head("ForNextSentencePrediction", "nezha.", NEXT, under("nezha", POOLER)),
        head("ForSequenceClassification", "nezha.", CLASSIFIER, under("nezha", POOLER)),
        head("ForMultipleChoice",         "nezha.", rows(CLASSIFIER, C="1"), under("nezha", POOLER)),
        head("ForTokenClassification",    "nezha.", CLASSIFIER),
        head("ForQuestionAnswering",      "nezha.", QA)))
ERNIE_M = Architecture("ernie_m", dims=WIDTHS,
    parts=rows(
        under("embeddings",
            part("word_embeddings",     "embed.token",    table("V d")),
            part("position_embeddings", "embed.position", table("T d")),
            part("layer_norm",          "norm.embed",     affine("d"))),
        under("encoder.layers.{L}",
            under("self_attn",
                part("self_attn.q_proj", "attention.query",  dense("d -> a")),
                part("self_attn.k_proj", "attention.key",    dense("d -> a")),
                part("self_attn.v_proj", "attention.value",  dense("d -> a")),
                maybe("self_attn.distance_embedding", "attention.position", table("2*T-1 d/h"),
                      when="position_embedding_type in 'relative_key relative_key_query'"),
                part("out_proj",         "attention.output", dense("a -> d"))),
            part("linear1", "mlp.up",         dense("d -> ff")),
            part("linear2", "mlp.down",       dense("ff -> d")),
            part("norm1",   "norm.attention", affine("d")),
            part("norm2",   "norm.mlp",       affine("d")))),
    heads=(
        head("Model",                     "",         usually(POOLER)),
        head("ForSequenceClassification", "ernie_m.", CLASSIFIER, under("ernie_m", POOLER)),
        head("ForMultipleChoice",         "ernie_m.", rows(CLASSIFIER, C="1"), under("ernie_m", POOLER)),
        head("ForTokenClassification",    "ernie_m.", CLASSIFIER),
        head("ForQuestionAnswering",      "ernie_m.", QA),
        head("ForInformationExtraction",  "ernie_m.", under("ernie_m", POOLER),
            part("linear_start", "head.start", dense("d -> 1")),
            part("linear_end",   "head.end",   dense("d -> 1")))))
