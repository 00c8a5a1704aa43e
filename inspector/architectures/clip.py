"""Clip: towers."""

from inspector.notation.card import Architecture, Dims, graft, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

CLIP_LAYER = rows(
    part("self_attn.q_proj",   "attention.query",  dense("d -> d")),
    part("self_attn.k_proj",   "attention.key",    dense("d -> d")),
    part("self_attn.v_proj",   "attention.value",  dense("d -> d")),
    part("self_attn.out_proj", "attention.output", dense("d -> d")),
    part("layer_norm1",        "norm.attention",   affine("d")),
    part("mlp.fc1",            "mlp.up",           dense("d -> ff")),
    part("mlp.fc2",            "mlp.down",         dense("ff -> d")),
    part("layer_norm2",        "norm.mlp",         affine("d")))
CLIP_VISION = Architecture("clip_vision_model",
    dims=Dims(d="hidden_size", L="num_hidden_layers", ff="intermediate_size", c="num_channels | 3", p="patch_size",
              g="image_size//p", n="g*g + 1"),
    heads=(head("tower", ""), head("VisionModel", "vision_model.")), dialects=({}, {"vision_model.": ""}),
    parts=rows(
        part("embeddings.class_embedding",     "embed.class",    param("d")),
        part("embeddings.patch_embedding",     "embed.patch",    conv("c -> d, p p", bias=False)),
        part("embeddings.position_embedding",  "embed.position", table("n d")),
        maybe("embeddings.position_ids",       "embed.position", buffer("1 n")),
        part("pre_layrnorm",                   "norm.embed",     affine("d")),      # sic
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",                 "norm.final",     affine("d"))))
CLIP_TEXT = Architecture("clip_text_model",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", ff="intermediate_size", T="max_position_embeddings"),
    heads=(head("tower", ""), head("TextModel", "text_model.")), dialects=({}, {"text_model.": ""}),
    parts=rows(
        part("embeddings.token_embedding",     "embed.token",    table("V d")),
        part("embeddings.position_embedding",  "embed.position", table("T d")),
        maybe("embeddings.position_ids",       "embed.position", buffer("1 T")),
        under("encoder.layers.{L}", CLIP_LAYER),
        part("final_layer_norm",               "norm.final",     affine("d"))))
CLIP = Architecture("clip", dims=Dims(q="projection_dim", C="num_labels | len(id2label) | 2"),
    parts=graft("vision", "vision_model.", CLIP_VISION),
    heads=(
        head("Model", "", graft("text", "text_model.", CLIP_TEXT),
            part("logit_scale",       "scale",      param("")),
            part("text_projection",   "project",    linear("text.d -> q")),
            part("visual_projection", "project",    linear("vision.d -> q"))),
        head("ForImageClassification", "", part("classifier", "head.class", dense("vision.d -> C")))))
