"""BERT with its heads.

modeling_bert.py: the base model has the pooler; masked LM, token classification and question answering have
not. `cls.predictions.bias` is the parameter and `decoder.bias` its copy. Question answering has as many
outputs as there are labels. ColBERT (`HF_ColBERT` of its library) projects every token to a width that no config
states. `pruned_heads` narrows the attention of the layers it names; `distance_embedding`
exists up to transformers 4 with a relative `position_embedding_type`. The oldest files say gamma and beta.
"""

from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, buffer, dense, linear, param, table

ATTENTION = rows(                              # a: width of all heads that were not pruned
    part("self.query",       "attention.query",    dense("d -> a")),
    part("self.key",         "attention.key",      dense("d -> a")),
    part("self.value",       "attention.value",    dense("d -> a")),
    maybe("self.distance_embedding", "attention.position", table("2*T-1 d/h"),
          when="position_embedding_type in 'relative_key relative_key_query'"),
    part("output.dense",     "attention.output",   dense("a -> d")),
    part("output.LayerNorm", "norm.attention",     affine("d")))
CROSS = rows(                                  # a decoder's attention to an encoder of the same width
    part("self.query",       "cross.query",        dense("d -> d")),
    part("self.key",         "cross.key",          dense("d -> d")),
    part("self.value",       "cross.value",        dense("d -> d")),
    maybe("self.distance_embedding", "cross.position", table("2*T-1 d/h"),
          when="position_embedding_type in 'relative_key relative_key_query'"),
    part("output.dense",     "cross.output",       dense("d -> d")),
    part("output.LayerNorm", "norm.cross",         affine("d")))
BERT_LAYER = rows(
    under("attention",                             ATTENTION),
    under("crossattention",                        CROSS, when="add_cross_attention"),
    part("intermediate.dense", "mlp.up",           dense("d -> ff")),
    part("output.dense",       "mlp.down",         dense("ff -> d")),
    part("output.LayerNorm",   "norm.mlp",         affine("d")))
# of classes that read no second sequence, whatever the config says
LONE_LAYER = rows(BERT_LAYER, add_cross_attention="false")
POOLER     = part("pooler.dense",         "pooler",     dense("d -> d"))
NEXT       = part("cls.seq_relationship", "head.next",  dense("d -> 2"))
CLASSIFIER = part("classifier",           "head.class", dense("d -> C"))
COLBERT = part("linear", "project.out", linear("d -> colbert_dim"))
MASKED = under("cls.predictions",
    part("transform.dense",     "head.dense",      dense("d -> d")),
    part("transform.LayerNorm", "norm.head",       affine("d")),
    part("bias",                "head.token.bias", param("V")),
    part("decoder",             "head.token",      linear("d -> V"), tied="embed.token"),
    maybe("decoder.bias",       "head.token.bias", param("V"), tied="head.token.bias"))
BERT = Architecture("bert", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", ff="intermediate_size",
              h="num_attention_heads", a="(h - len(pruned_heads[{L}]))*(d/h) | d", T="max_position_embeddings",
              y="type_vocab_size", C="labels"),
    parts=rows(
        under("embeddings",
            part("word_embeddings",       "embed.token",    table("V d")),
            part("position_embeddings",   "embed.position", table("T d")),
            part("token_type_embeddings", "embed.type",     table("y d")),
            part("LayerNorm",             "norm.embed",     affine("d")),
            maybe("position_ids",         "embed.position", buffer("1 T"))),
        under("encoder.layer.{L}", BERT_LAYER)),
    heads=(
        head("Model",                     "",      usually(POOLER)),
        head("ForMaskedLM LMHeadModel ForCausalLM", "bert.", MASKED),
        head("ForPreTraining",            "bert.", MASKED, NEXT, under("bert", POOLER)),
        head("ForNextSentencePrediction", "bert.", NEXT, under("bert", POOLER)),
        head("ForSequenceClassification", "bert.", CLASSIFIER, under("bert", POOLER)),
        head("ForMultipleChoice",         "bert.", rows(CLASSIFIER, C="1"), under("bert", POOLER)),
        head("ForTokenClassification",    "bert.", CLASSIFIER),
        head("ForQuestionAnswering",      "bert.", part("qa_outputs", "head.span", dense("d -> C"))),
        head("HF_ColBERT",                "bert.", COLBERT, usually(under("bert", POOLER)))),
    dialects=({}, {"*LayerNorm.weight": "LayerNorm.gamma", "*LayerNorm.bias": "LayerNorm.beta"}, {"bert.": ""}))
