"""Encoders stored as BERT is, with other tables or other heads: ERNIE, Nystromformer, MRA, YOSO, LayoutLM, BigBird,
Longformer, RoCBert, LUKE, Splinter, Megatron-BERT, BERT generation, RemBERT, DPR, VisualBERT, X-Former kin.

modeling_nystromformer.py, modeling_mra.py, modeling_yoso.py: two rows more than `max_position_embeddings`; multiple
choice has a `pre_classifier`, sequence classification `dense` and `out_proj`. modeling_layoutlm.py: the pooler is in
every class. modeling_big_bird.py: the pooler is a bare linear, in every class but question answering; `use_bias`
reaches q, k and v only. modeling_longformer.py: three more projections a layer for global attention.
modeling_megatron_bert.py: `ln` before each half of a layer and one after all. modeling_rembert.py: tables of the
input's width, the masked head of the output's, never tied. modeling_dpr.py: the reader's classifiers have one and
two outputs, `encode_proj` exists with a positive `projection_dim`.
"""

from inspector.architectures.blocks import CLASSIFIER
from inspector.architectures.text.bert import BERT_LAYER, LONE_LAYER, MASKED, NEXT
from inspector.architectures.text.roberta import (
    CHOICE,
    DENSE_AND_OUT,
    EMBEDDINGS,
    ENCODER,
    LM_HEAD,
    OLD_NAMES,
    POOLER,
    SELF,
    SELF_CROSS,
    SPAN,
    TABLES,
    UP_DOWN,
)
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

NORM = part("LayerNorm", "norm.embed", affine("d"))
LAYERS = under("encoder.layer.{L}", BERT_LAYER)
LONE_LAYERS = under("encoder.layer.{L}", LONE_LAYER)
PRE_CHOICE = rows(part("pre_classifier", "head.dense", dense("d -> d")), CHOICE)

ERNIE = Architecture("ernie", ties="tie_word_embeddings | true", dims=ENCODER | Dims(tasks="task_type_vocab_size"),
    dialects=({}, OLD_NAMES, {"ernie.": ""}),
    parts=rows(
        EMBEDDINGS, LAYERS,
        part("embeddings.task_type_embeddings", "embed.task", table("tasks d"), when="use_task_id")),
    heads=(
        head("Model",                     "",       usually(POOLER)),
        head("ForMaskedLM ForCausalLM",   "ernie.", MASKED),
        head("ForPreTraining",            "ernie.", MASKED, NEXT, under("ernie", POOLER)),
        head("ForNextSentencePrediction", "ernie.", NEXT, under("ernie", POOLER)),
        head("ForSequenceClassification", "ernie.", CLASSIFIER, under("ernie", POOLER)),
        head("ForMultipleChoice",         "ernie.", CHOICE, under("ernie", POOLER)),
        head("ForTokenClassification",    "ernie.", CLASSIFIER),
        head("ForQuestionAnswering",      "ernie.", SPAN)))
MEGATRON_BERT = Architecture("megatron-bert", ties="tie_word_embeddings | true", dims=ENCODER,
    parts=rows(
        under("embeddings", TABLES),
        under("encoder.layer.{L}", UP_DOWN,
            under("attention", SELF, part("ln", "norm.attention", affine("d"))),
            under("crossattention", SELF_CROSS, part("ln", "norm.cross", affine("d")), when="add_cross_attention"),
            part("ln", "norm.mlp", affine("d"))),
        part("encoder.ln", "norm.final", affine("d"))),
    heads=(
        head("Model",                     "",      usually(POOLER)),
        head("ForMaskedLM ForCausalLM",   "bert.", MASKED),
        head("ForPreTraining",            "bert.", MASKED, NEXT, under("bert", POOLER)),
        head("ForNextSentencePrediction", "bert.", NEXT, under("bert", POOLER)),
        head("ForSequenceClassification", "bert.", CLASSIFIER, under("bert", POOLER)),
        head("ForMultipleChoice",         "bert.", CHOICE, under("bert", POOLER)),
        head("ForTokenClassification",    "bert.", CLASSIFIER),
        head("ForQuestionAnswering",      "bert.", SPAN)))
TWO_ROWS_MORE = under("embeddings", NORM,
    part("word_embeddings",       "embed.token",    table("V d")),
    part("position_embeddings",   "embed.position", table("T+2 d")),
    part("token_type_embeddings", "embed.type",     table("y d")),
    maybe("position_ids",         "embed.index",    buffer("1 T")),
    maybe("token_type_ids",       "embed.types",    buffer("1 T")))
NYSTROMFORMER = Architecture("nystromformer", ties="tie_word_embeddings | true",
    dims=ENCODER | Dims(k="conv_kernel_size"),
    parts=rows(
        TWO_ROWS_MORE, LONE_LAYERS,
        part("encoder.layer.{L}.attention.self.conv", "attention.conv", conv("h -> h, k 1", groups="h", bias=False),
             when="conv_kernel_size")),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM",               "nystromformer.", MASKED),
        head("ForSequenceClassification", "nystromformer.", DENSE_AND_OUT),
        head("ForMultipleChoice",         "nystromformer.", PRE_CHOICE),
        head("ForTokenClassification",    "nystromformer.", CLASSIFIER),
        head("ForQuestionAnswering",      "nystromformer.", SPAN)))
MRA = Architecture("mra", ties="tie_word_embeddings | true", dims=ENCODER,
    parts=rows(TWO_ROWS_MORE, LONE_LAYERS),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM",               "mra.", MASKED),
        head("ForSequenceClassification", "mra.", DENSE_AND_OUT),
        head("ForMultipleChoice",         "mra.", PRE_CHOICE),
        head("ForTokenClassification",    "mra.", CLASSIFIER),
        head("ForQuestionAnswering",      "mra.", SPAN)))
YOSO = Architecture("yoso", ties="tie_word_embeddings | true",
    dims=ENCODER | Dims(k="conv_window"),
    parts=rows(
        TWO_ROWS_MORE, LONE_LAYERS,
        part("encoder.layer.{L}.attention.self.conv", "attention.conv", conv("h -> h, k 1", groups="h", bias=False),
             when="conv_window")),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM",               "yoso.", MASKED),
        head("ForSequenceClassification", "yoso.", DENSE_AND_OUT),
        head("ForMultipleChoice",         "yoso.", PRE_CHOICE),
        head("ForTokenClassification",    "yoso.", CLASSIFIER),
        head("ForQuestionAnswering",      "yoso.", SPAN)))
LAYOUTLM = Architecture("layoutlm", ties="tie_word_embeddings | true",
    dims=ENCODER | Dims(X="max_2d_position_embeddings"), dialects=({}, OLD_NAMES),
    parts=rows(
        EMBEDDINGS, LONE_LAYERS, POOLER,
        under("embeddings",
            part("x_position_embeddings", "embed.position.x",      table("X d")),
            part("y_position_embeddings", "embed.position.y",      table("X d")),
            part("h_position_embeddings", "embed.position.height", table("X d")),
            part("w_position_embeddings", "embed.position.width",  table("X d")))),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM",               "layoutlm.", MASKED),
        head("ForSequenceClassification", "layoutlm.", CLASSIFIER),
        head("ForTokenClassification",    "layoutlm.", CLASSIFIER),
        head("ForQuestionAnswering",      "layoutlm.", SPAN)))
ROC_BERT = Architecture("roc_bert", ties="tie_word_embeddings | true",
    dims=ENCODER | Dims(e="pronunciation_embed_dim", s="shape_embed_dim",
                        m="(d + (e when enable_pronunciation | 0) + (s when enable_shape | 0))"),
    parts=rows(
        EMBEDDINGS, LAYERS,
        under("embeddings",
            part("pronunciation_embed", "embed.pronunciation", table("pronunciation_vocab_size e")),
            part("shape_embed",         "embed.shape",         table("shape_vocab_size s")),
            part("map_inputs_layer",    "embed.project",       dense("m -> d"), when="concat_input"))),
    heads=(
        head("Model",                     "",          usually(POOLER)),
        head("ForMaskedLM ForCausalLM",   "roc_bert.", MASKED),
        head("ForPreTraining",            "roc_bert.", MASKED, under("roc_bert", POOLER)),
        head("ForSequenceClassification", "roc_bert.", CLASSIFIER, under("roc_bert", POOLER)),
        head("ForMultipleChoice",         "roc_bert.", CHOICE, under("roc_bert", POOLER)),
        head("ForTokenClassification",    "roc_bert.", CLASSIFIER),
        head("ForQuestionAnswering",      "roc_bert.", SPAN)))
BIG_ATTENTION = rows(
    part("self.query",       "attention.query",    linear("d -> d", bias="use_bias")),
    part("self.key",         "attention.key",      linear("d -> d", bias="use_bias")),
    part("self.value",       "attention.value",    linear("d -> d", bias="use_bias")),
    part("output.dense",     "attention.output",   dense("d -> d")),
    part("output.LayerNorm", "norm.attention",     affine("d")))
BIG_CROSS = rows(
    part("self.query",       "cross.query",        linear("d -> d", bias="use_bias")),
    part("self.key",         "cross.key",          linear("d -> d", bias="use_bias")),
    part("self.value",       "cross.value",        linear("d -> d", bias="use_bias")),
    part("output.dense",     "cross.output",       dense("d -> d")),
    part("output.LayerNorm", "norm.cross",         affine("d")))
BIG_POOLER = part("pooler", "pooler", dense("d -> d"))
BIG_BIRD = Architecture("big_bird", ties="tie_word_embeddings | true", dims=ENCODER,
    parts=rows(
        EMBEDDINGS,
        under("encoder.layer.{L}", UP_DOWN, part("output.LayerNorm", "norm.mlp", affine("d")),
            under("attention", BIG_ATTENTION),
            under("crossattention", BIG_CROSS, when="add_cross_attention"))),
    heads=(
        head("Model",                     "",      usually(BIG_POOLER)),
        head("ForMaskedLM ForCausalLM",   "bert.", MASKED, under("bert", BIG_POOLER)),
        head("ForPreTraining",            "bert.", MASKED, NEXT, under("bert", BIG_POOLER)),
        head("ForSequenceClassification", "bert.", DENSE_AND_OUT, under("bert", BIG_POOLER)),
        head("ForMultipleChoice",         "bert.", CHOICE, under("bert", BIG_POOLER)),
        head("ForTokenClassification",    "bert.", CLASSIFIER, under("bert", BIG_POOLER)),
        head("ForQuestionAnswering",      "bert.", under("qa_classifier",
            part("intermediate.dense",    "head.up",   dense("d -> ff")),
            part("output.dense",          "head.down", dense("ff -> d")),
            part("output.LayerNorm",      "norm.head", affine("d")),
            SPAN))))
LONGFORMER = Architecture("longformer", ties="tie_word_embeddings | true", dims=ENCODER,
    dialects=({}, OLD_NAMES, {"longformer.": ""}),
    parts=rows(
        EMBEDDINGS,
        under("encoder.layer.{L}", LONE_LAYER,
            part("attention.self.query_global", "attention.global.query", dense("d -> d")),
            part("attention.self.key_global",   "attention.global.key",   dense("d -> d")),
            part("attention.self.value_global", "attention.global.value", dense("d -> d")))),
    heads=(
        head("Model",                     "",            usually(POOLER)),
        head("ForMaskedLM",               "longformer.", LM_HEAD),
        head("ForSequenceClassification", "longformer.", DENSE_AND_OUT),
        head("ForMultipleChoice",         "longformer.", CHOICE, under("longformer", POOLER)),
        head("ForTokenClassification",    "longformer.", CLASSIFIER),
        head("ForQuestionAnswering",      "longformer.", SPAN)))
BERT_GENERATION = Architecture("bert-generation", ties="tie_word_embeddings | true", dims=ENCODER,
    parts=rows(
        under("embeddings", part("word_embeddings", "embed.token", table("V d")),
              part("position_embeddings", "embed.position", table("T d")), NORM),
        LAYERS),
    heads=(
        head("Encoder", ""),
        head("Decoder ForCausalLM", "bert.", under("lm_head",
            part("bias",          "head.token.bias", param("V")),
            part("decoder",       "head.token",      linear("d -> V"), tied="embed.token"),
            maybe("decoder.bias", "head.token.copy", param("V"), tied="head.token.bias")))))
REMBERT = Architecture("rembert",
    dims=ENCODER | Dims(e="input_embedding_size", o="output_embedding_size"),
    parts=rows(
        rows(EMBEDDINGS, d="e"), LAYERS,
        part("encoder.embedding_hidden_mapping_in", "embed.project", dense("e -> d"))),
    heads=(
        head("Model",                     "",         usually(POOLER)),
        head("ForMaskedLM ForCausalLM",   "rembert.", under("cls.predictions",
            part("dense",                 "head.dense", dense("d -> o")),
            part("LayerNorm",             "norm.head",  affine("o")),
            part("decoder",               "head.token", dense("o -> V")))),
        head("ForSequenceClassification", "rembert.", CLASSIFIER, under("rembert", POOLER)),
        head("ForMultipleChoice",         "rembert.", CHOICE, under("rembert", POOLER)),
        head("ForTokenClassification",    "rembert.", CLASSIFIER),
        head("ForQuestionAnswering",      "rembert.", SPAN)))
DPR = Architecture("dpr", dims=ENCODER | Dims(p="projection_dim", o="p when p > 0 | d"),
    dialects=({}, OLD_NAMES),
    parts=rows(EMBEDDINGS, LAYERS),
    heads=(
        head("QuestionEncoder", "question_encoder.bert_model.",
            part("question_encoder.encode_proj",    "pooler",     dense("d -> p"), when="p > 0"),
            maybe("question_encoder.bert_model.pooler.dense", "pooler.dense", dense("d -> d"))),
        head("ContextEncoder", "ctx_encoder.bert_model.",
            part("ctx_encoder.encode_proj",         "pooler",     dense("d -> p"), when="p > 0"),
            maybe("ctx_encoder.bert_model.pooler.dense", "pooler.dense", dense("d -> d"))),
        head("Reader", "span_predictor.encoder.bert_model.",
            part("span_predictor.encoder.encode_proj", "pooler",  dense("d -> p"), when="p > 0"),
            maybe("span_predictor.encoder.bert_model.pooler.dense", "pooler.dense", dense("d -> d")),
            part("span_predictor.qa_outputs",       "head.span",  dense("o -> 2")),
            part("span_predictor.qa_classifier",    "head.class", dense("o -> 1")))))
SPLINTER_SPAN = under("splinter_qass",
    part("query_start_transform.dense",     "head.query.start",      dense("d -> d")),
    part("query_start_transform.LayerNorm", "norm.head.query.start", affine("d")),
    part("query_end_transform.dense",       "head.query.end",        dense("d -> d")),
    part("query_end_transform.LayerNorm",   "norm.head.query.end",   affine("d")),
    part("start_transform.dense",           "head.start",            dense("d -> d")),
    part("start_transform.LayerNorm",       "norm.head.start",       affine("d")),
    part("end_transform.dense",             "head.end",              dense("d -> d")),
    part("end_transform.LayerNorm",         "norm.head.end",         affine("d")),
    part("start_classifier",                "head.span.start",       linear("d -> d")),
    part("end_classifier",                  "head.span.end",         linear("d -> d")))
SPLINTER = Architecture("splinter", dims=ENCODER, parts=rows(EMBEDDINGS, LONE_LAYERS),
    heads=(
        head("Model",                               ""),
        head("ForPreTraining ForQuestionAnswering", "splinter.", SPLINTER_SPAN)))
LUKE_POOLER = under("luke", POOLER)
LUKE_HEAD = under("lm_head",                   # 4 ties the decoder, 5 stores one of its own and the bias under its name
    part("dense",               "head.dense",      dense("d -> d")),
    part("layer_norm",          "norm.head",       affine("d")),
    part("bias",                "head.token.bias", param("V")),
    maybe("decoder",            "head.token",      linear("d -> V")),
    maybe("decoder.bias",       "head.token.copy", param("V"), tied="head.token.bias"))
LUKE_ENTITY = under("entity_predictions",
    part("transform.dense",     "head.entity.dense", dense("d -> e")),
    part("transform.LayerNorm", "norm.head.entity",  affine("e")),
    part("decoder",             "head.entity",       linear("e -> E"), tied="embed.entity"),
    part("bias",                "head.entity.bias",  param("E")))
LUKE = Architecture("luke", ties="tie_word_embeddings | true",
    dims=ENCODER | Dims(e="entity_emb_size", E="entity_vocab_size", aware="use_entity_aware_attention"),
    parts=rows(
        EMBEDDINGS, LONE_LAYERS,
        under("encoder.layer.{L}.attention.self",
            part("w2e_query", "attention.query.word.entity",   dense("d -> d")),
            part("e2w_query", "attention.query.entity.word",   dense("d -> d")),
            part("e2e_query", "attention.query.entity.entity", dense("d -> d")), when="aware"),
        under("entity_embeddings",
            part("entity_embeddings",      "embed.entity",          table("E e")),
            part("entity_embedding_dense", "embed.entity.project",  linear("e -> d"), when="e != d"),
            part("position_embeddings",    "embed.entity.position", table("T d")),
            part("token_type_embeddings",  "embed.entity.type",     table("y d")),
            part("LayerNorm",              "norm.embed.entity",     affine("d")))),
    heads=(
        head("Model",                         "",      usually(POOLER)),
        head("ForMaskedLM",                   "luke.", LUKE_HEAD, LUKE_ENTITY, LUKE_POOLER),
        head("ForEntityClassification",       "luke.", CLASSIFIER, LUKE_POOLER),
        head("ForEntityPairClassification",   "luke.", part("classifier", "head.class", linear("2*d -> C")),
             LUKE_POOLER),
        head("ForEntitySpanClassification",   "luke.", rows(CLASSIFIER, d="3*d"), LUKE_POOLER),
        head("ForSequenceClassification",     "luke.", CLASSIFIER, LUKE_POOLER),
        head("ForTokenClassification",        "luke.", CLASSIFIER),
        head("ForQuestionAnswering",          "luke.", SPAN),
        head("ForMultipleChoice",             "luke.", CHOICE, LUKE_POOLER)))
