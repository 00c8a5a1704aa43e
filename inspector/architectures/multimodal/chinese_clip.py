"""Chinese-CLIP and AltCLIP: CLIP's vision tower next to a BERT.

modeling_chinese_clip.py: BERT without a pooler. modeling_altclip.py: XLM-RoBERTa with a norm and a linear behind it
(`project_dim`), which the projection reads; transformers 5.23 calls the vision's layers `encoder.layer`.
"""

from inspector.architectures.multimodal.clip import CLIP_VISION
from inspector.architectures.vision.vision_blocks import CLIP_LAYER, VISION
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

BERT_BODY = rows(
    under("embeddings",
        part("word_embeddings",       "embed.token",    table("V d")),
        part("position_embeddings",   "embed.position", table("T d")),
        part("token_type_embeddings", "embed.type",     table("y d")),
        part("LayerNorm",             "norm.embed",     affine("d")),
        maybe("position_ids",         "embed.position.index", buffer("1 T"))),
    under("encoder.layer.{L}",
        part("attention.self.query",       "attention.query",  dense("d -> d")),
        part("attention.self.key",         "attention.key",    dense("d -> d")),
        part("attention.self.value",       "attention.value",  dense("d -> d")),
        maybe("attention.self.distance_embedding", "attention.position", table("2*T-1 d/h"),
             when="position_embedding_type in 'relative_key relative_key_query'"),
        part("attention.output.dense",     "attention.output", dense("d -> d")),
        part("attention.output.LayerNorm", "norm.attention",   affine("d")),
        part("intermediate.dense",         "mlp.up",           dense("d -> ff")),
        part("output.dense",               "mlp.down",         dense("ff -> d")),
        part("output.LayerNorm",           "norm.mlp",         affine("d"))))
TEXT_DIMS = Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", ff="intermediate_size",
                 T="max_position_embeddings",
                 y="type_vocab_size", h="num_attention_heads")
POOLER = part("pooler.dense", "pooler", dense("d -> d"))
CHINESE_CLIP_TEXT = Architecture("chinese_clip_text_model", dims=TEXT_DIMS, parts=BERT_BODY,
    heads=(head("tower", ""), head("TextModel", "", POOLER)))
PROJECTIONS = rows(                            # t the width that the text's projection reads
    part("logit_scale",       "head.scale",          param("")),
    part("text_projection",   "head.project.text",   linear("t -> q")),
    part("visual_projection", "head.project.image", linear("vision.d -> q")))
CHINESE_CLIP = Architecture("chinese_clip", dims=Dims(q="projection_dim", t="text.d", d="vision.d"),
                            heads=(head("Model", ""),),
    parts=rows(
        submodel("vision", "vision_model.", CLIP_VISION),
        submodel("text", "text_model.", CHINESE_CLIP_TEXT),
        PROJECTIONS))
ALTCLIP_TEXT_STATE_DICT = {  # names in memory under transformers 5
    "*encoder.layer.": "encoder.layers.",
}
ALTCLIP_TEXT = Architecture("altclip_text_model", dialects=({}, ALTCLIP_TEXT_STATE_DICT),
    dims=TEXT_DIMS | Dims(o="project_dim"),
                            heads=(head("tower TextModel", ""),),
    parts=rows(
        under("roberta", BERT_BODY),
        part("pre_LN",         "norm.final",   affine("d")),
        part("transformation", "head.project", dense("d -> o"))))
ALTCLIP_VISION = Architecture("altclip_vision_model", dims=VISION | Dims(n="g + 1"),
    heads=(head("tower", ""), head("VisionModel", "vision_model.")),
    dialects=({}, {"": "vision_model."}, {"vision_model.": ""}, {"encoder.layers.": "encoder.layer."}),
    parts=rows(
        part("embeddings.class_embedding",    "embed.class",    param("d")),
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p pw", bias=False)),
        part("embeddings.position_embedding", "embed.position", table("n d")),
        maybe("embeddings.position_ids",      "embed.position.index", buffer("1 n")),
        part("pre_layrnorm",                  "norm.embed",     affine("d")),      # sic
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",                "norm.final",     affine("d"))))
ALTCLIP = Architecture("altclip", dims=Dims(q="projection_dim", t="text.o", d="vision.d"), heads=(head("Model", ""),),
    parts=rows(
        submodel("vision", "vision_model.", ALTCLIP_VISION),
        submodel("text", "text_model.", ALTCLIP_TEXT),
        PROJECTIONS))
