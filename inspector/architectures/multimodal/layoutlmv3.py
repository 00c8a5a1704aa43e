"""LayoutLMv3. modeling_layoutlmv3.py: text and patches in one sequence; from ten labels on the token classifier is a
dense and an `out_proj`, below it is one linear; the relative tables are linears [heads, bins].
"""

from inspector.architectures.text.bert import LONE_LAYER
from inspector.architectures.text.roberta import DENSE_AND_OUT, ENCODER, TABLES
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, param, table

LAYOUTLMV3 = Architecture("layoutlmv3",
    dims=ENCODER | Dims(X="max_2d_position_embeddings", x="coordinate_size", s="shape_size", c="num_channels",
                        p="patch_size", g="input_size//p"),
    parts=rows(
        under("embeddings", TABLES,
            part("LayerNorm",             "norm.embed",            affine("d")),
            part("x_position_embeddings", "embed.position.x",      table("X x")),
            part("y_position_embeddings", "embed.position.y",      table("X x")),
            part("h_position_embeddings", "embed.position.height", table("X s")),
            part("w_position_embeddings", "embed.position.width",  table("X s")), when="text_embed"),
        rows(
            part("patch_embed.proj",      "embed.patch",           conv("c -> d, p p")),
            part("cls_token",             "embed.class",           param("1 1 d")),
            part("pos_embed",             "embed.position.patch",  param("1 g*g+1 d")),
            part("LayerNorm",             "norm.final",            affine("d")),
            part("norm",                  "norm.patch",            affine("d")), when="visual_embed"),
        part("encoder.rel_pos_bias",      "attention.bias",        linear("rel_pos_bins -> h"),
             when="has_relative_attention_bias"),
        part("encoder.rel_pos_x_bias",    "attention.bias.x",      linear("rel_2d_pos_bins -> h"),
             when="has_spatial_attention_bias"),
        part("encoder.rel_pos_y_bias",    "attention.bias.y",      linear("rel_2d_pos_bins -> h"),
             when="has_spatial_attention_bias"),
        under("encoder.layer.{L}", LONE_LAYER)),
    heads=(
        head("Model",                     ""),
        head("ForSequenceClassification", "layoutlmv3.", DENSE_AND_OUT),
        head("ForTokenClassification",    "layoutlmv3.",
            part("classifier",            "head.class", dense("d -> C"), when="C < 10"),
            rows(DENSE_AND_OUT, when="C >= 10")),
        head("ForQuestionAnswering",      "layoutlmv3.", under("qa_outputs",
            part("dense",                 "head.dense", dense("d -> d")),
            part("out_proj",              "head.span",  dense("d -> C"))))))
