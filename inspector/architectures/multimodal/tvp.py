"""TVP: grounding of texts in videos with prompts that are added to the frames.

modeling_tvp.py: frames pass a backbone and one convolution; positions by row, column and frame. The prompt of
"framepad" is a frame around every frame, stored in four parts.
"""

from inspector.architectures.vision.backbones import MAPS
from inspector.notation.definition import Architecture, Dims, head, opaque, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, param, table

TVP = Architecture("tvp",
    dims=MAPS | Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", ff="intermediate_size",
                     T="max_position_embeddings",
                     F="num_frames", s="visual_prompt_size", m="max_img_size", q="m - 2*s",
                     f="backbone_config.hidden_sizes[len(backbone_config.hidden_sizes) - 1]"),
    parts=rows(
        submodel("vision", "vision_model.backbone.", config="backbone_config", head="Backbone"),
        part("vision_model.grid_encoder_conv", "embed.image", conv("f -> d, 3 3", bias=False)),
        under("embeddings",
            part("word_embeddings",       "embed.token",    table("V d")),
            part("position_embeddings",   "embed.position", table("T d")),
            part("token_type_embeddings", "embed.type",     table("type_vocab_size d")),
            part("layer_norm",            "norm.embed",     affine("d"))),
        under("visual_embeddings",
            part("position_embeddings",     "embed.position",      table("T d")),
            part("row_position_embeddings", "embed.position.row",    table("max_grid_row_position_embeddings d")),
            part("col_position_embeddings", "embed.position.column", table("max_grid_col_position_embeddings d")),
            part("token_type_embeddings",   "embed.type",            table("1 d")),
            part("layer_norm",              "norm.embed",            affine("d")), tower="vision"),
        under("encoder.layer.{L}",
            part("attention.query",      "attention.query",  dense("d -> d")),
            part("attention.key",        "attention.key",    dense("d -> d")),
            part("attention.value",      "attention.value",  dense("d -> d")),
            part("attention.dense",      "attention.output", dense("d -> d")),
            part("attention.layer_norm", "norm.attention",   affine("d")),
            part("intermediate.dense",   "mlp.up",           dense("d -> ff")),
            part("output.dense",         "mlp.down",         dense("ff -> d")),
            part("output.layer_norm",    "norm.mlp",         affine("d"))),
        part("pooler.dense", "pooler",       dense("d -> d")),
        part("text_prompt",  "embed.prompt", param("1 10 d")),
        under("visual_prompter",
            part("pad_up",    "embed.prompt.up",    param("1 F 3 s m")),
            part("pad_down",  "embed.prompt.down",  param("1 F 3 s m")),
            part("pad_left",  "embed.prompt.left",  param("1 F 3 q s")),
            part("pad_right", "embed.prompt.right", param("1 F 3 q s")), when="visual_prompter_type == 'framepad'"),
        opaque("visual_prompter.", "a prompt of another kind", when="visual_prompter_type != 'framepad'")),
    heads=(
        head("Model", ""),
        head("ForVideoGrounding", "model.",
            part("video_grounding_head.layer_0", "head.time.1", dense("d -> 2*d")),
            part("video_grounding_head.layer_1", "head.time",   dense("2*d -> 2")), default=True)))
