"""SigLIP and SigLIP 2 with their towers.

modeling_siglip.py: the patch convolution has a bias, there is no class token; a pooling head with torch's own attention
unless `vision_use_head` is false; the text head has a bias; `logit_scale` and `logit_bias` have one element.
modeling_siglip2.py: patches come flat, so their embedding is a linear, and positions are a grid of `num_patches`.
"""

from inspector.architectures.multimodal.clip import CLIP_TEXT_DIMS
from inspector.architectures.vision.vision_blocks import CLIP_LAYER, VISION
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, param, table

HEAD = under("head",
    part("probe",                    "pooler.probe",            param("1 1 d")),
    part("attention.in_proj_weight", "pooler.attention.qkv",    param("3*d d")),
    part("attention.in_proj_bias",   "pooler.attention.qkv.bias", param("3*d")),
    part("attention.out_proj",       "pooler.attention.output", dense("d -> d")),
    part("layernorm",                "norm.pooler",             affine("d")),
    part("mlp.fc1",                  "pooler.up",               dense("d -> ff")),
    part("mlp.fc2",                  "pooler.down",             dense("ff -> d")),
    when="pools")
POOLS = Dims(pools="vision_use_head | true")
SIGLIP_VISION = Architecture("siglip_vision_model", dims=VISION | POOLS,
    heads=(head("tower", ""), head("VisionModel", "vision_model.")),
    dialects=({}, {"": "vision_model."}, {"vision_model.": ""}),
    parts=rows(
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p pw")),
        part("embeddings.position_embedding", "embed.position", table("g d")),
        maybe("embeddings.position_ids",      "embed.position.index", buffer("1 g")),
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",                "norm.final",     affine("d")),
        HEAD))
SIGLIP2_VISION = Architecture("siglip2_vision_model", dims=VISION | POOLS | Dims(n="num_patches"),
    heads=(head("tower", ""), head("VisionModel", "vision_model.")),
    dialects=({}, {"": "vision_model."}, {"vision_model.": ""}),
    parts=rows(
        part("embeddings.patch_embedding",    "embed.patch",    dense("c*p*p -> d")),
        part("embeddings.position_embedding", "embed.position", table("n d")),
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",                "norm.final",     affine("d")),
        HEAD))
SIGLIP_TEXT = Architecture("siglip_text_model siglip2_text_model", dims=CLIP_TEXT_DIMS | Dims(q="projection_size | d"),
    heads=(head("tower", ""), head("TextModel", "text_model.")),
    dialects=({}, {"": "text_model."}, {"text_model.": ""}),
    parts=rows(
        part("embeddings.token_embedding",    "embed.token",    table("V d")),
        part("embeddings.position_embedding", "embed.position", table("T d")),
        maybe("embeddings.position_ids",      "embed.position.index", buffer("1 T")),
        under("encoder.layers.{L}", CLIP_LAYER),
        part("final_layer_norm",              "norm.final",     affine("d")),
        part("head",                          "head.project",   dense("d -> q"))))
SCALES = rows(
    part("logit_scale", "head.scale", param("1")),
    part("logit_bias",  "head.bias",  param("1")))
SIGLIP = Architecture("siglip", dims=Dims(C="labels"),
    parts=submodel("vision", "vision_model.", SIGLIP_VISION),
    heads=(
        head("Model", "", submodel("text", "text_model.", SIGLIP_TEXT), SCALES),
        head("ForImageClassification", "", part("classifier", "head.class", dense("vision.d -> C")))))
SIGLIP2 = Architecture("siglip2", dims=Dims(C="labels"),
    parts=submodel("vision", "vision_model.", SIGLIP2_VISION),
    heads=(
        head("Model", "", submodel("text", "text_model.", SIGLIP_TEXT), SCALES),
        head("ForImageClassification", "", part("classifier", "head.class", dense("vision.d -> C")))))
