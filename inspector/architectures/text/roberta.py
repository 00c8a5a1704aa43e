"""RoBERTa and what is stored like it: XLM-RoBERTa (also XL), CamemBERT, data2vec text, pre-norm RoBERTa, X-MOD.

modeling_roberta.py: the base model has the pooler, of the heads only multiple choice; the head of the masked
model has its own names, `lm_head.bias` is the parameter and `lm_head.decoder.bias` its copy; the sequence
classifier is `dense` and `out_proj`. `max_position_embeddings` counts the two rows before the first position,
so that published tables have 514 rows. Old files hold `position_ids`.
modeling_xlm_roberta_xl.py and modeling_roberta_prelayernorm.py: norms come before the halves of a layer, and
the encoder ends with one. modeling_xmod.py: an adapter for each language in each layer.
"""

from inspector.architectures.blocks import CLASSIFIER
from inspector.architectures.text.bert import BERT_LAYER, COLBERT
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, buffer, dense, linear, param, table

ENCODER = Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", ff="intermediate_size",
               h="num_attention_heads", a="(h - len(pruned_heads[{L}]))*(d/h) | d", T="max_position_embeddings",
               y="type_vocab_size", C="labels")
TABLES = rows(
    part("word_embeddings",       "embed.token",    table("V d")),
    part("position_embeddings",   "embed.position", table("T d")),
    part("token_type_embeddings", "embed.type",     table("y d")),
    maybe("position_ids",         "embed.index",    buffer("1 T")),
    maybe("token_type_ids",       "embed.types",    buffer("1 T")))
EMBEDDINGS = under("embeddings", TABLES, part("LayerNorm", "norm.embed", affine("d")))
BODY = rows(EMBEDDINGS, under("encoder.layer.{L}", BERT_LAYER))
POOLER = part("pooler.dense", "pooler", dense("d -> d"))
LM_HEAD = under("lm_head",
    part("dense",               "head.dense",      dense("d -> d")),
    part("layer_norm",          "norm.head",       affine("d")),
    part("bias",                "head.token.bias", param("V")),
    part("decoder",             "head.token",      linear("d -> V"), tied="embed.token"),
    maybe("decoder.bias",       "head.token.copy", param("V"), tied="head.token.bias"))
DENSE_AND_OUT = under("classifier",
    part("dense",               "head.dense",      dense("d -> d")),
    part("out_proj",            "head.class",      dense("d -> C")))
SPAN = part("qa_outputs", "head.span", dense("d -> C"))
CHOICE = rows(CLASSIFIER, C="1")
ROBERTA_HEADS = (
    head("Model",                            "",         usually(POOLER)),
    head("ForMaskedLM ForCausalLM LMHeadModel", "roberta.", LM_HEAD),
    head("ForSequenceClassification",        "roberta.", DENSE_AND_OUT),
    head("ForMultipleChoice",                "roberta.", CHOICE, under("roberta", POOLER)),
    head("ForTokenClassification",           "roberta.", CLASSIFIER),
    head("ForQuestionAnswering",             "roberta.", SPAN),
    head("HF_ColBERT",                       "roberta.", COLBERT, usually(under("roberta", POOLER))))
OLD_NAMES = {"*LayerNorm.weight": "LayerNorm.gamma", "*LayerNorm.bias": "LayerNorm.beta"}
ROBERTA = Architecture("roberta xlm-roberta camembert", dims=ENCODER, parts=BODY, heads=ROBERTA_HEADS,
    ties="tie_word_embeddings | true", dialects=({}, OLD_NAMES, {"roberta.": ""}))
DATA2VEC_TEXT = Architecture("data2vec-text", dims=ENCODER, parts=BODY, ties="tie_word_embeddings | true",
    heads=(
        head("Model",                        "",               usually(POOLER)),
        head("ForMaskedLM ForCausalLM",      "data2vec_text.", LM_HEAD),
        head("ForSequenceClassification",    "data2vec_text.", DENSE_AND_OUT),
        head("ForMultipleChoice",            "data2vec_text.", CHOICE, under("data2vec_text", POOLER)),
        head("ForTokenClassification",       "data2vec_text.", CLASSIFIER),
        head("ForQuestionAnswering",         "data2vec_text.", SPAN)))

SELF = rows(                                   # the projections of BERT's attention without its norm
    part("self.query",          "attention.query",    dense("d -> a")),
    part("self.key",            "attention.key",      dense("d -> a")),
    part("self.value",          "attention.value",    dense("d -> a")),
    maybe("self.distance_embedding", "attention.position", table("2*T-1 d/h"),
          when="position_embedding_type in 'relative_key relative_key_query'"),
    part("output.dense",        "attention.output",   dense("a -> d")))
SELF_CROSS = rows(
    part("self.query",          "cross.query",        dense("d -> d")),
    part("self.key",            "cross.key",          dense("d -> d")),
    part("self.value",          "cross.value",        dense("d -> d")),
    maybe("self.distance_embedding", "cross.position", table("2*T-1 d/h"),
          when="position_embedding_type in 'relative_key relative_key_query'"),
    part("output.dense",        "cross.output",       dense("d -> d")))
UP_DOWN = rows(
    part("intermediate.dense",  "mlp.up",             dense("d -> ff")),
    part("output.dense",        "mlp.down",           dense("ff -> d")))
XL = Architecture("xlm-roberta-xl", dims=ENCODER, ties="tie_word_embeddings | true", heads=ROBERTA_HEADS,
    parts=rows(
        under("embeddings", TABLES),
        under("encoder.layer.{L}", UP_DOWN,
            under("attention", SELF, part("self_attn_layer_norm", "norm.attention", affine("d"))),
            under("crossattention", SELF_CROSS, part("self_attn_layer_norm", "norm.cross", affine("d")),
                  when="add_cross_attention"),
            part("LayerNorm",             "norm.mlp",   affine("d"))),
        part("encoder.LayerNorm",         "norm.final", affine("d"))))
PRE_NORM = Architecture("roberta-prelayernorm", dims=ENCODER, ties="tie_word_embeddings | true",
    parts=rows(
        EMBEDDINGS,
        under("encoder.layer.{L}", UP_DOWN,
            under("attention", SELF, part("LayerNorm", "norm.attention", affine("d"))),
            under("crossattention", SELF_CROSS, part("LayerNorm", "norm.cross", affine("d")),
                  when="add_cross_attention"),
            part("intermediate.LayerNorm", "norm.mlp",   affine("d"))),
        part("LayerNorm",                  "norm.final", affine("d"))),
    heads=(
        head("Model",                     "",                      usually(POOLER)),
        head("ForMaskedLM ForCausalLM",   "roberta_prelayernorm.", LM_HEAD),
        head("ForSequenceClassification", "roberta_prelayernorm.", DENSE_AND_OUT),
        head("ForMultipleChoice",         "roberta_prelayernorm.", CHOICE, under("roberta_prelayernorm", POOLER)),
        head("ForTokenClassification",    "roberta_prelayernorm.", CLASSIFIER),
        head("ForQuestionAnswering",      "roberta_prelayernorm.", SPAN)))
