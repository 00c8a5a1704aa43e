"""XLNet, XLM, FlauBERT and Funnel.

modeling_xlnet.py: q, k, v, o and r are bare [d, heads, width] without bias. modeling_xlm.py: the MLP is always four
times as wide; language embeddings with more than one language; multiple choice reads the labels' projection.
modeling_funnel.py: blocks of layers by `block_sizes`; the classes that classify a sequence have no decoder.
"""

from inspector.architectures.blocks import CLASSIFIER
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, dense, linear, param, table

SUMMARY = part("sequence_summary.summary", "head.dense", dense("d -> n"), when="summary_use_proj")
QA_OUTPUTS = part("qa_outputs", "head.span", dense("d -> C"))
SQUAD = rows(
    part("start_logits.dense",   "head.span.start",       dense("d -> 1")),
    part("end_logits.dense_0",   "head.span.end.dense",   dense("2*d -> d")),
    part("end_logits.LayerNorm", "norm.head",             affine("d")),
    part("end_logits.dense_1",   "head.span.end",         dense("d -> 1")),
    part("answer_class.dense_0", "head.answer.dense",     dense("2*d -> d")),
    part("answer_class.dense_1", "head.answer",           linear("d -> 1")))
XLNET = Architecture("xlnet", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="d_model", L="n_layer", h="n_head", dh="d/h", ff="d_inner",
              n="C when summary_proj_to_labels and C > 0 | d", C="labels"),
    parts=rows(
        part("word_embedding", "embed.token", table("V d")),
        part("mask_emb",       "embed.mask",  param("1 1 d")),
        under("layer.{L}.rel_attn",
            part("q",          "attention.query",            param("d h dh")),
            part("k",          "attention.key",              param("d h dh")),
            part("v",          "attention.value",            param("d h dh")),
            part("o",          "attention.output",           param("d h dh")),
            part("r",          "attention.position",         param("d h dh")),
            part("r_r_bias",   "attention.position.bias",    param("h dh")),
            part("r_s_bias",   "attention.segment.bias",     param("h dh")),
            part("r_w_bias",   "attention.content.bias",     param("h dh")),
            part("seg_embed",  "attention.segment",          param("2 h dh")),
            part("layer_norm", "norm.attention",             affine("d"))),
        under("layer.{L}.ff",
            part("layer_norm", "norm.mlp",                   affine("d")),
            part("layer_1",    "mlp.up",                     dense("d -> ff")),
            part("layer_2",    "mlp.down",                   dense("ff -> d")))),
    heads=(
        head("Model",                      ""),
        head("LMHeadModel ForCausalLM",    "transformer.",
            part("lm_loss",                "head.token",      linear("d -> V"), tied="embed.token"),
            part("lm_loss.bias",           "head.token.bias", param("V"))),
        head("ForSequenceClassification",  "transformer.", SUMMARY, part("logits_proj", "head.class", dense("d -> C"))),
        head("ForMultipleChoice",          "transformer.", SUMMARY, part("logits_proj", "head.class", dense("d -> 1"))),
        head("ForTokenClassification",     "transformer.", CLASSIFIER),
        head("ForQuestionAnsweringSimple", "transformer.", QA_OUTPUTS),
        head("ForQuestionAnswering",       "transformer.", SQUAD)))
XLM = Architecture("xlm flaubert", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="emb_dim", L="n_layers", ff="4*d", T="max_position_embeddings",
              n="C when summary_proj_to_labels and C > 0 | d", C="labels"),
    parts=rows(
        part("embeddings",              "embed.token",      table("V d")),
        part("position_embeddings",     "embed.position",   table("T d")),
        part("lang_embeddings",         "embed.language",   table("n_langs d"), when="use_lang_emb and n_langs > 1"),
        part("layer_norm_emb",          "norm.embed",       affine("d")),
        maybe("position_ids",           "embed.index",      buffer("1 T")),
        part("attentions.{L}.q_lin",    "attention.query",  dense("d -> d")),
        part("attentions.{L}.k_lin",    "attention.key",    dense("d -> d")),
        part("attentions.{L}.v_lin",    "attention.value",  dense("d -> d")),
        part("attentions.{L}.out_lin",  "attention.output", dense("d -> d")),
        part("layer_norm1.{L}",         "norm.attention",   affine("d")),
        part("ffns.{L}.lin1",           "mlp.up",           dense("d -> ff")),
        part("ffns.{L}.lin2",           "mlp.down",         dense("ff -> d")),
        part("layer_norm2.{L}",         "norm.mlp",         affine("d"))),
    heads=(
        head("Model",                      ""),
        head("WithLMHeadModel ForCausalLM", "transformer.",
            part("pred_layer.proj",        "head.token",      linear("d -> V"), tied="embed.token"),
            part("pred_layer.proj.bias",   "head.token.bias", param("V"))),
        head("ForSequenceClassification",  "transformer.", SUMMARY),
        head("ForMultipleChoice",          "transformer.", SUMMARY, part("logits_proj", "head.class", dense("C -> 1"))),
        head("ForTokenClassification",     "transformer.", CLASSIFIER),
        head("ForQuestionAnsweringSimple", "transformer.", QA_OUTPUTS),
        head("ForQuestionAnswering",       "transformer.", under("qa_outputs", SQUAD))))

FUNNEL_LAYER = rows(
    under("attention",
        part("q_head",     "attention.query",         linear("d -> h*dh")),
        part("k_head",     "attention.key",           dense("d -> h*dh")),
        part("v_head",     "attention.value",         dense("d -> h*dh")),
        part("post_proj",  "attention.output",        dense("h*dh -> d")),
        part("r_kernel",   "attention.position",      param("d h dh")),
        part("r_w_bias",   "attention.content.bias",  param("h dh")),
        part("r_r_bias",   "attention.position.bias", param("h dh")),
        part("r_s_bias",   "attention.segment.bias",  param("h dh")),
        part("seg_embed",  "attention.segment",       param("2 h dh")),
        part("layer_norm", "norm.attention",          affine("d"))),
    part("ffn.linear_1",   "mlp.up",                  dense("d -> ff")),
    part("ffn.linear_2",   "mlp.down",                dense("ff -> d")),
    part("ffn.layer_norm", "norm.mlp",                affine("d")))
FUNNEL_DECODER = under("decoder.layers.{D}", FUNNEL_LAYER, tower="decoder")
FUNNEL_CLASSES = under("classifier",
    part("linear_hidden",  "head.dense",              dense("d -> d")),
    part("linear_out",     "head.class",              dense("d -> C")))
FUNNEL = Architecture("funnel", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="d_model", h="n_head", dh="d_head", ff="d_inner", D="num_decoder_layers",
              S="len(block_sizes)", B="block_sizes[{S}]", C="labels"),
    parts=rows(
        part("embeddings.word_embeddings", "embed.token", table("V d")),
        part("embeddings.layer_norm",      "norm.embed",  affine("d")),
        under("encoder.blocks.{S}.{B}", FUNNEL_LAYER, tower="encoder")),
    heads=(
        head("BaseModel",                 ""),
        head("Model",                     "", FUNNEL_DECODER),
        head("ForMaskedLM",               "funnel.", under("funnel", FUNNEL_DECODER),
            part("lm_head",               "head.token",      linear("d -> V"), tied="embed.token"),
            part("lm_head.bias",          "head.token.bias", param("V"))),
        head("ForPreTraining",            "funnel.", under("funnel", FUNNEL_DECODER),
            part("discriminator_predictions.dense",            "head.dense", dense("d -> d")),
            part("discriminator_predictions.dense_prediction", "head.class", dense("d -> 1"))),
        head("ForSequenceClassification", "funnel.", FUNNEL_CLASSES),
        head("ForMultipleChoice",         "funnel.", rows(FUNNEL_CLASSES, C="1")),
        head("ForTokenClassification",    "funnel.", under("funnel", FUNNEL_DECODER), CLASSIFIER),
        head("ForQuestionAnswering",      "funnel.", under("funnel", FUNNEL_DECODER), QA_OUTPUTS)))
