"""CLIP, its towers, and the models with the same towers: MetaCLIP 2, CLIPSeg, MLCD.

modeling_clip.py: `pre_layrnorm` is spelled so; the patch convolution has no bias; `logit_scale` is 0-dimensional.
A lone tower loses its prefix in transformers 5 and keeps it in 4; below joined models it is the same.
modeling_clipseg.py: the decoder has a layer for each entry of `extract_layers`, of the width `reduce_dim`.
modeling_mlcd.py: no position table, a learned angle for the class token instead. Old files hold `position_ids`.
"""

from inspector.architectures.vision.vision_blocks import CLIP_LAYER, VISION
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, conv_t, dense, linear, param, table

CLIP_TEXT_DIMS = Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads",
                      ff="intermediate_size", T="max_position_embeddings")
CLIP_VISION = Architecture("clip_vision_model metaclip_2_vision_model chinese_clip_vision_model clipseg_vision_model",
    dims=VISION | Dims(n="g + 1"),
    heads=(
        head("tower", ""),
        head("VisionModel", "vision_model."),
        head("VisionModelWithProjection", "vision_model.",
            part("visual_projection", "head.project.image", linear("d -> projection_dim")))),
    dialects=({}, {"": "vision_model."}, {"vision_model.": ""}),
    parts=rows(
        part("embeddings.class_embedding",     "embed.class",    param("d")),
        part("embeddings.patch_embedding",     "embed.patch",    conv("c -> d, p pw", bias=False)),
        part("embeddings.position_embedding",  "embed.position", table("n d")),
        maybe("embeddings.position_ids",       "embed.position.index", buffer("1 n")),
        part("pre_layrnorm",                   "norm.embed",     affine("d")),      # sic
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",                 "norm.final",     affine("d"))))
CLIP_TEXT = Architecture("clip_text_model metaclip_2_text_model clipseg_text_model owlvit_text_model owlv2_text_model "
                         "groupvit_text_model xclip_text_model",
    dims=CLIP_TEXT_DIMS,
    heads=(
        head("tower", ""),
        head("TextModel", "text_model."),
        head("TextModelWithProjection", "text_model.",
            part("text_projection", "head.project.text", linear("d -> projection_dim")))),
    dialects=({}, {"": "text_model."}, {"text_model.": ""}),
    parts=rows(
        part("embeddings.token_embedding",     "embed.token",    table("V d")),
        part("embeddings.position_embedding",  "embed.position", table("T d")),
        maybe("embeddings.position_ids",       "embed.position.index", buffer("1 T")),
        under("encoder.layers.{L}", CLIP_LAYER),
        part("final_layer_norm",               "norm.final",     affine("d"))))
PROJECTIONS = rows(
    part("logit_scale",       "head.scale",          param("")),
    part("text_projection",   "head.project.text",   linear("text.d -> q")),
    part("visual_projection", "head.project.image", linear("vision.d -> q")))
CLIP = Architecture("clip metaclip_2", dims=Dims(q="projection_dim", C="labels"),
    parts=submodel("vision", "vision_model.", CLIP_VISION),
    heads=(
        head("Model", "", submodel("text", "text_model.", CLIP_TEXT), PROJECTIONS),
        head("ForImageClassification", "", part("classifier", "head.class", dense("vision.d -> C"))),
        head("StableDiffusionSafetyChecker", "",
            part("visual_projection",            "head.project.image",        linear("vision.d -> q")),
            part("concept_embeds",               "embed.concept",             param("17 q")),
            part("special_care_embeds",          "embed.concept.special",     param("3 q")),
            part("concept_embeds_weights",       "embed.concept.scale",       param("17")),
            part("special_care_embeds_weights",  "embed.concept.special.scale", param("3")))))
CLIPSEG = Architecture("clipseg",
    dims=Dims(q="projection_dim", r="reduce_dim", N="len(extract_layers)", fd="decoder_intermediate_size", x="vision.p",
              k="vision.p//4"),
    parts=rows(
        submodel("vision", "vision_model.", CLIP_VISION),
        submodel("text", "text_model.", CLIP_TEXT),
        PROJECTIONS),
    heads=(
        head("Model", ""),
        head("ForImageSegmentation", "clip.", under("decoder",
            part("film_mul", "head.film.scale", dense("q -> r")),
            part("film_add", "head.film.shift", dense("q -> r")),
            part("transposed_convolution", "head.image", conv_t("r -> 1, x x"),
                 when="not use_complex_transposed_convolution"),
            rows(
                part("transposed_convolution.0", "head.image.1", conv("r -> r, 3 3")),
                part("transposed_convolution.2", "head.image.2", conv_t("r -> r//2, k k")),
                part("transposed_convolution.4", "head.image.3", conv_t("r//2 -> 1, k k")),
                when="use_complex_transposed_convolution"),
            part("reduces.{N}", "head.reduce", dense("vision.d -> r")),
            under("layers.{N}", CLIP_LAYER, d="r", ff="fd"), tower="decoder"))))
MLCD = Architecture("mlcd mlcd_vision_model", dims=VISION | Dims(dh="d//h"),
    heads=(head("tower", ""), head("VisionModel", "vision_model.")),
    dialects=({}, {"": "vision_model."}, {"vision_model.": ""}),
    parts=rows(
        part("class_pos_emb",              "embed.class.angle", param("1 dh//2")),
        part("embeddings.class_embedding", "embed.class", param("d")),
        part("embeddings.patch_embedding", "embed.patch", conv("c -> d, p pw", bias=False)),
        part("pre_layrnorm",               "norm.embed",  affine("d")),      # sic
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",             "norm.final",  affine("d"))))
