"""Encoders with one thing of their own: FNet, VisualBERT, TAPAS, MarkupLM, LiLT, BROS, CANINE.

modeling_fnet.py: a Fourier transform has no weights, only its norm remains. modeling_tapas.py: seven tables of types.
modeling_markuplm.py: a table for each depth of a path. modeling_lilt.py: a second stream, narrower by
`channel_shrink_ratio`. modeling_bros.py: boxes by sinusoids and one projection. modeling_canine.py: characters by
hashes, one layer before and one after the deep stack.
"""

from inspector.architectures.blocks import CLASSIFIER
from inspector.architectures.text.bert import BERT_LAYER, LONE_LAYER, MASKED, NEXT
from inspector.architectures.text.roberta import (
    CHOICE,
    DENSE_AND_OUT,
    EMBEDDINGS,
    ENCODER,
    POOLER,
    SPAN,
    UP_DOWN,
)
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

LAYERS = under("encoder.layer.{L}", BERT_LAYER)
LONE_LAYERS = under("encoder.layer.{L}", LONE_LAYER)
FNET = Architecture("fnet", ties="tie_word_embeddings | true", dims=ENCODER,
    parts=rows(
        EMBEDDINGS, POOLER,
        part("embeddings.projection", "embed.project", dense("d -> d")),
        under("encoder.layer.{L}", UP_DOWN,
            part("fourier.output.LayerNorm", "norm.attention", affine("d")),
            part("output.LayerNorm",         "norm.mlp",       affine("d")))),
    heads=(
        head("Model",                     ""),
        head("ForMaskedLM",               "fnet.", MASKED),
        head("ForPreTraining",            "fnet.", MASKED, NEXT),
        head("ForNextSentencePrediction", "fnet.", NEXT),
        head("ForSequenceClassification", "fnet.", CLASSIFIER),
        head("ForMultipleChoice",         "fnet.", CHOICE),
        head("ForTokenClassification",    "fnet.", CLASSIFIER),
        head("ForQuestionAnswering",      "fnet.", SPAN)))
ALIGNED = under("cls.predictions",                # transformers 4 does not tie this head
    part("transform.dense",     "head.dense",      dense("d -> d")),
    part("transform.LayerNorm", "norm.head",       affine("d")),
    part("bias",                "head.token.bias", param("V")),
    part("decoder",             "head.token",      linear("d -> V"), tied="embed.token",
         ties="false when transformers_version[0] == '4' | tie_word_embeddings | true"),
    maybe("decoder.bias",       "head.token.bias", param("V"), tied="head.token.bias"))
VISUAL_BERT = Architecture("visual_bert", ties="tie_word_embeddings | true", dims=ENCODER,
    parts=rows(
        EMBEDDINGS, LONE_LAYERS, POOLER,
        under("embeddings",
            part("visual_token_type_embeddings", "embed.image.type",      table("y d")),
            part("visual_position_embeddings",   "embed.image.position", table("T d")),
            part("visual_projection",            "embed.image.project",   dense("visual_embedding_dim -> d"))),
        under("additional_layer", LONE_LAYER, when="bypass_transformer", tower="additional", a="d")),
    heads=(
        head("Model",                       ""),
        head("ForPreTraining",              "visual_bert.", MASKED, NEXT),
        head("ForMultipleChoice",           "visual_bert.", part("cls", "head.class", dense("d -> 1"))),
        head("ForQuestionAnswering ForVisualReasoning", "visual_bert.", part("cls", "head.class", dense("d -> C"))),
        head("ForRegionToPhraseAlignment",  "visual_bert.", ALIGNED, NEXT,
            part("attention.query", "head.query", dense("d -> d//h")),
            part("attention.key",   "head.key",   dense("d -> d//h")),
            part("attention.value", "head.value", dense("d -> d//h")))))
TAPAS = Architecture("tapas", ties="tie_word_embeddings | true",
    dims=ENCODER | Dims(Y="len(type_vocab_sizes)", y="type_vocab_sizes[{Y}]"),
    parts=rows(
        under("embeddings",
            part("word_embeddings",           "embed.token",    table("V d")),
            part("position_embeddings",       "embed.position", table("T d")),
            part("token_type_embeddings_{Y}", "embed.type",     table("y d")),
            part("LayerNorm",                 "norm.embed",     affine("d")),
            maybe("position_ids",             "embed.index",    buffer("1 T"))),
        LAYERS),
    heads=(
        head("Model",                     "",       usually(POOLER)),
        head("ForMaskedLM",               "tapas.", MASKED),
        head("ForSequenceClassification", "tapas.", CLASSIFIER, under("tapas", POOLER)),
        head("ForQuestionAnswering",      "tapas.", under("tapas", POOLER),
            part("output_weights",         "head.cell",        param("d")),
            part("output_bias",            "head.cell.bias",   param("")),
            part("column_output_weights",  "head.column",      param("d")),
            part("column_output_bias",     "head.column.bias", param("")),
            part("aggregation_classifier", "head.class",       dense("d -> num_aggregation_labels"),
                 when="num_aggregation_labels > 0"))))
MARKUPLM = Architecture("markuplm", dims=ENCODER | Dims(D="max_depth", u="xpath_unit_hidden_size"),
    parts=rows(
        EMBEDDINGS, LONE_LAYERS,
        under("embeddings.xpath_embeddings",
            part("xpath_tag_sub_embeddings.{D}",  "embed.path.tag",     table("max_xpath_tag_unit_embeddings u")),
            part("xpath_subs_sub_embeddings.{D}", "embed.path.sub",     table("max_xpath_subs_unit_embeddings u")),
            part("xpath_unitseq2_embeddings",     "embed.path.project", dense("D*u -> d")),
            part("xpath_unitseq2_inner",          "embed.path.up",      dense("D*u -> 4*d")),
            part("inner2emb",                     "embed.path.down",    dense("4*d -> d")))),
    heads=(
        head("Model",                     "",          usually(POOLER)),
        head("ForSequenceClassification", "markuplm.", CLASSIFIER, under("markuplm", POOLER)),
        head("ForTokenClassification",    "markuplm.", CLASSIFIER),
        head("ForQuestionAnswering",      "markuplm.", SPAN)))
LILT = Architecture("lilt",
    dims=ENCODER | Dims(s="d//channel_shrink_ratio", X="max_2d_position_embeddings", fs="ff//channel_shrink_ratio"),
    parts=rows(
        EMBEDDINGS, LONE_LAYERS,
        under("layout_embeddings",
            part("x_position_embeddings",   "embed.position.x",      table("X d//6")),
            part("y_position_embeddings",   "embed.position.y",      table("X d//6")),
            part("h_position_embeddings",   "embed.position.height", table("X d//6")),
            part("w_position_embeddings",   "embed.position.width",  table("X d//6")),
            part("box_position_embeddings", "embed.position.box",    table("T s")),
            part("box_linear_embeddings",   "embed.project",         dense("d//6*6 -> s")),
            part("LayerNorm",               "norm.embed.layout",     affine("s"))),
        under("encoder.layer.{L}",
            part("attention.self.layout_query",       "attention.layout.query",  dense("s -> s")),
            part("attention.self.layout_key",         "attention.layout.key",    dense("s -> s")),
            part("attention.self.layout_value",       "attention.layout.value",  dense("s -> s")),
            part("attention.layout_output.dense",     "attention.layout.output", dense("s -> s")),
            part("attention.layout_output.LayerNorm", "norm.attention.layout",   affine("s")),
            part("layout_intermediate.dense",         "mlp.layout.up",           dense("s -> fs")),
            part("layout_output.dense",               "mlp.layout.down",         dense("fs -> s")),
            part("layout_output.LayerNorm",           "norm.mlp.layout",         affine("s")))),
    heads=(
        head("Model",                     "",      usually(POOLER)),
        head("ForSequenceClassification", "lilt.", rows(DENSE_AND_OUT)),
        head("ForTokenClassification",    "lilt.", CLASSIFIER),
        head("ForQuestionAnswering",      "lilt.", SPAN)))
CANINE = Architecture("canine",
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="intermediate_size", a="d",
              T="max_position_embeddings", y="type_vocab_size", B="num_hash_buckets", N="num_hash_functions",
              C="labels"),
    parts=rows(
        under("char_embeddings",
            part("HashBucketCodepointEmbedder_{N}", "embed.hash",     table("B d//N")),
            part("char_position_embeddings",        "embed.position", table("B d")),
            part("token_type_embeddings",           "embed.type",     table("y d")),
            part("LayerNorm",                       "norm.embed",     affine("d")),
            maybe("position_ids",                   "embed.index",    buffer("1 T"))),
        under("initial_char_encoder.layer.0", LONE_LAYER, tower="initial", a="d"),
        part("chars_to_molecules.conv",      "conv.down",   conv("d -> d, downsampling_rate")),
        part("chars_to_molecules.LayerNorm", "norm.down",   affine("d")),
        LONE_LAYERS,
        part("projection.conv",              "conv.up",     conv("2*d -> d, upsampling_kernel_size")),
        part("projection.LayerNorm",         "norm.up",     affine("d")),
        under("final_char_encoder.layer.0", LONE_LAYER, tower="final", a="d"),
        POOLER),
    heads=(
        head("Model",                     ""),
        head("ForSequenceClassification", "canine.", CLASSIFIER),
        head("ForMultipleChoice",         "canine.", CHOICE),
        head("ForTokenClassification",    "canine.", CLASSIFIER),
        head("ForQuestionAnswering",      "canine.", SPAN)))
RELATIONS = rows(
    part("query",      "head.query", dense("d -> n_relations*d")),
    part("key",        "head.key",   dense("d -> n_relations*d")),
    part("dummy_node", "head.dummy", param("1 d")))
BROS = Architecture("bros", dims=ENCODER | Dims(s="dim_bbox_sinusoid_emb_1d", n="(s + 1)//2"),
    parts=rows(
        EMBEDDINGS, LAYERS,
        part("bbox_embeddings.bbox_projection", "embed.box", linear("dim_bbox_sinusoid_emb_2d -> dim_bbox_projection")),
        maybe("bbox_embeddings.bbox_sinusoid_emb.x_pos_emb.inv_freq", "embed.box.x", buffer("n")),
        maybe("bbox_embeddings.bbox_sinusoid_emb.y_pos_emb.inv_freq", "embed.box.y", buffer("n")),
        POOLER),
    heads=(
        head("Model",                  ""),
        head("SpadeEEForTokenClassification", "bros.",
            part("initial_token_classifier.1", "head.dense", dense("d -> d")),
            part("initial_token_classifier.3", "head.class", dense("d -> C")),
            under("subsequent_token_classifier", RELATIONS)),
        head("SpadeELForTokenClassification", "bros.", under("entity_linker", RELATIONS)),
        head("ForTokenClassification", "bros.", CLASSIFIER)))
