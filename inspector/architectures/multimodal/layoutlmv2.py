"""LayoutLMv2 and LayoutXLM: text with its places on the page, and a map of the page from Mask R-CNN's backbone.

modeling_layoutlmv2.py: with `fast_qkv` query, key and value are one matrix without bias, and the biases of query and
value are apart. The backbone is detectron2's (resnet.py, fpn.py): a ResNeXt whose stages halve the map and double the
channels, under a feature pyramid; its batch norms are frozen. `detectron2_config_args` has keys that contain dots.
"""

from inspector.architectures.text.bert import CLASSIFIER
from inspector.notation.definition import Architecture, Dims, Row, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, buffer, conv, dense, frozen_batchnorm, linear, param, table


def size(key: str, default: int, unstated: int) -> str:
    """A setting of detectron2's ResNet, its default there, and its default where the config states none of them."""
    stated = f"detectron2_config_args.MODEL.RESNETS.{key}"
    return f"{stated} | {default} when detectron2_config_args != null | {unstated}"


def normed(name: str, role: str, norm: str, arrow: str, groups: str = "1") -> Row:
    """A convolution without bias and the frozen norm behind it."""
    outputs = arrow.partition(" -> ")[2].partition(",")[0]
    return rows(
        part(name, role, conv(arrow, groups=groups, bias=False)),
        part(f"{name}.norm", norm, frozen_batchnorm(outputs)))


def stage(number: int) -> Row:
    """One stage of the network and its two convolutions in the pyramid. m: channels between, o: channels out."""
    inputs, double = "stem" if number == 2 else "o//2", 2 ** (number - 2)
    rest = (
        normed("conv2", "resnet.conv.2", "norm.resnet.2", "m -> m, 3 3", "groups"),
        normed("conv3", "resnet.conv.3", "norm.resnet.3", "m -> o, 1 1"))
    return rows(
        under(f"bottom_up.res{number}.0",
            normed("shortcut", "resnet.skip", "norm.resnet.skip", f"{inputs} -> o, 1 1"),
            normed("conv1", "resnet.conv.1", "norm.resnet.1", f"{inputs} -> m, 1 1"), *rest),
        under(f"bottom_up.res{number}.{{R{number}}}",
            normed("conv1", "resnet.conv.1", "norm.resnet.1", "o -> m, 1 1"), *rest),
        part(f"fpn_lateral{number}", "neck.lateral", conv("o -> f, 1 1")),
        part(f"fpn_output{number}",  "neck.conv",    conv("f -> f, 3 3")),
        m=f"{double}*groups*width", o=f"{double}*first", tower=f"stage.{number}")


ATTENTION = under("self",
    rows(
        part("qkv_linear", "attention.qkv",        linear("d -> d + d + d", packs="q k v")),
        part("q_bias",     "attention.query.bias", param("1 1 d")),
        part("v_bias",     "attention.value.bias", param("1 1 d")), when="fast_qkv"),
    rows(
        part("query", "attention.query", dense("d -> d")),
        part("key",   "attention.key",   dense("d -> d")),
        part("value", "attention.value", dense("d -> d")), when="not fast_qkv"))
BODY = rows(
    under("embeddings",
        part("word_embeddings",       "embed.token",           table("V d")),
        part("position_embeddings",   "embed.position",        table("T d")),
        part("x_position_embeddings", "embed.position.x",      table("X x")),
        part("y_position_embeddings", "embed.position.y",      table("X x")),
        part("h_position_embeddings", "embed.position.height", table("X s")),
        part("w_position_embeddings", "embed.position.width",  table("X s")),
        part("token_type_embeddings", "embed.type",            table("y d")),
        part("LayerNorm",             "norm.embed",            affine("d")),
        maybe("position_ids",         "embed.position.index",  buffer("1 T"))),
    under("visual",
        maybe("pixel_mean", "norm.input.mean",      buffer("3 1 1")),
        maybe("pixel_std",  "norm.input.deviation", buffer("3 1 1")),
        under("backbone",
            normed("bottom_up.stem.conv1", "embed.image", "norm.stem", "3 -> stem, 7 7"),
            *(stage(number) for number in (2, 3, 4, 5)))),
    part("visual_proj",      "embed.project", dense("f -> d")),
    part("visual_LayerNorm", "norm.image",    affine("d")),
    part("encoder.rel_pos_bias",   "attention.bias",   linear("rel_pos_bins -> h"),
         when="has_relative_attention_bias"),
    part("encoder.rel_pos_x_bias", "attention.bias.x", linear("rel_2d_pos_bins -> h"),
         when="has_spatial_attention_bias"),
    part("encoder.rel_pos_y_bias", "attention.bias.y", linear("rel_2d_pos_bins -> h"),
         when="has_spatial_attention_bias"),
    under("encoder.layer.{L}",
        under("attention", ATTENTION,
            part("output.dense",     "attention.output", dense("d -> d")),
            part("output.LayerNorm", "norm.attention",   affine("d"))),
        part("intermediate.dense", "mlp.up",   dense("d -> ff")),
        part("output.dense",       "mlp.down", dense("ff -> d")),
        part("output.LayerNorm",   "norm.mlp", affine("d"))))
POOLER = usually(part("pooler.dense", "pooler", dense("d -> d")))
SEGMENT = part("visual_segment_embedding", "embed.type.image", param("d"))
BELOW = rows(SEGMENT, when="has_visual_segment_embedding")
LAYOUTLMV2 = Architecture("layoutlmv2 layoutxlm", ignores="max_rel_pos max_rel_2d_pos convert_sync_batchnorm",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="intermediate_size",
              T="max_position_embeddings", X="max_2d_position_embeddings", x="coordinate_size", s="shape_size",
              y="type_vocab_size", C="labels", f="image_feature_pool_shape[2] | 256", depth=size("DEPTH", 50, 101),
              groups=size("NUM_GROUPS", 1, 32), width=size("WIDTH_PER_GROUP", 64, 8),
              stem=size("STEM_OUT_CHANNELS", 64, 64),
              first=size("RES2_OUT_CHANNELS", 256, 256), R2="1 : 3", R5="1 : 3",
              R3="1 : 8 when depth == 152 | 1 : 4",
              R4="1 : 6 when depth == 50 | 1 : 23 when depth == 101 | 1 : 36 when depth == 152"),
    parts=BODY,
    heads=(
        head("Model", "", BELOW, POOLER),
        head("ForSequenceClassification", "layoutlmv2.", under("layoutlmv2", BELOW, POOLER),
             part("classifier", "head.class", dense("3*d -> C"))),
        head("ForTokenClassification", "layoutlmv2.", under("layoutlmv2", BELOW, POOLER), CLASSIFIER),
        head("ForQuestionAnswering", "layoutlmv2.", under("layoutlmv2", SEGMENT, POOLER),
             part("qa_outputs", "head.span", dense("d -> C")))))
