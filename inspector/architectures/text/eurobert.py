"""Encoders made like Llama: EuroBERT, Ultrabert, ESM C, and Jina embeddings v3.

modeling_eurobert.py: `mlp_bias` reaches the masked head too. modeling_esmc.py: layer norms, q and k normed over all
heads at once. modeling_jina_embeddings_v3.py: RoBERTa's head over fused q, k, v.
"""

from inspector.architectures.blocks import CLASSIFIER, DECODER, ENDS, GQA, PRE_NORMS, SWIGLU
from inspector.architectures.text.roberta import DENSE_AND_OUT, ENCODER, LM_HEAD, SPAN
from inspector.notation.definition import Architecture, Dims, either, head, maybe, part, rows, under
from inspector.notation.kinds import affine, dense, linear, param, scale, table

EUROBERT = Architecture("eurobert", dims=DECODER,
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            under("mlp", SWIGLU, b="mlp_bias"))),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM",               "model.",
            part("lm_head",               "head.token",      linear("d -> V"), tied="embed.token"),
            part("lm_head.bias",          "head.token.bias", param("V"), when="mlp_bias")),
        head("ForSequenceClassification", "model.", part("dense", "head.dense", dense("d -> d")), CLASSIFIER),
        head("ForTokenClassification",    "model.", CLASSIFIER)))
ESMC = Architecture("esmc", dims=DECODER,
    parts=rows(
        ENDS,
        under("layers.{L}",
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            part("self_attn.q_norm",         "norm.query",     scale("d")),
            part("self_attn.k_norm",         "norm.key",       scale("d")),
            under("mlp", SWIGLU, b="mlp_bias"),
            part("input_layernorm",          "norm.attention", affine("d")),
            part("post_attention_layernorm", "norm.mlp",       affine("d")))),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM",               "esmc.",
            part("lm_head.dense",         "head.dense", dense("d -> d")),
            part("lm_head.layer_norm",    "norm.head",  affine("d")),
            part("lm_head.decoder",       "head.token", dense("d -> V"))),
        head("ForSequenceClassification", "esmc.", DENSE_AND_OUT),
        head("ForTokenClassification",    "esmc.", part("score", "head.class", dense("d -> C")))))
ULTRABERT = Architecture("ultrabert", dialects=({}, {"ultrabert.": "model.", "cls": "head.decoder"}), dims=DECODER,
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            under("mlp", SWIGLU, b="mlp_bias"))),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM",               "ultrabert.",
            part("head.linear1",          "head.up",    linear("d -> prediction_head_size")),
            part("head.linear2",          "head.down",  linear("prediction_head_size -> d")),
            part("cls",                   "head.token", linear("d -> V"), tied="embed.token")),
        head("ForSequenceClassification ForTokenClassification", "ultrabert.", CLASSIFIER),
        head("ForQuestionAnswering",      "ultrabert.", part("qa_outputs", "head.span", dense("d -> 2")))))
JINA_EMBEDDINGS_V3 = Architecture("jina_embeddings_v3", ties="tie_word_embeddings | true",
    dims=ENCODER | Dims(a="h*(head_dim | d//h)"),
    parts=rows(
        part("embeddings.word_embeddings",       "embed.token", table("V d")),
        part("embeddings.token_type_embeddings", "embed.type",  table("y d")),
        part("emb_ln",                           "norm.embed",  affine("d")),
        under("encoder.layers.{L}",
            either(
                part("mixer.Wqkv", "attention.qkv", dense("d -> a + a + a", packs="q k v")),
                rows(                          # in transformers 5's memory
                    part("mixer.q_proj", "attention.query", dense("d -> a")),
                    part("mixer.k_proj", "attention.key",   dense("d -> a")),
                    part("mixer.v_proj", "attention.value", dense("d -> a")))),
            part("mixer.out_proj", "attention.output", dense("a -> d")),
            part("norm1",          "norm.attention",   affine("d")),
            part("mlp.fc1",        "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",        "mlp.down",         dense("ff -> d")),
            part("norm2",          "norm.mlp",         affine("d")))),
    heads=(
        head("Model",                     "",         maybe("pooler.dense", "pooler", dense("d -> d"))),
        head("ForMaskedLM",               "roberta.", LM_HEAD),
        head("ForSequenceClassification", "roberta.", DENSE_AND_OUT),
        head("ForTokenClassification",    "roberta.", CLASSIFIER),
        head("ForQuestionAnswering",      "roberta.", SPAN)),
    dialects=({}, {"roberta.": ""}, {          # the last are names in memory under transformers 5
        "*emb_ln.": "embeddings.LayerNorm.", "*encoder.layers.": "layers.", "*.mixer.out_proj.": ".self_attn.o_proj.",
        "*.mixer.": ".self_attn.", "*.norm1.": ".post_attention_layernorm.", "*.norm2.": ".post_mlp_layernorm."}))
