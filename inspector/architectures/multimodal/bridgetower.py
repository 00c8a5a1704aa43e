"""BridgeTower.

modeling_bridgetower.py: a BERT and a CLIP tower, and layers that let each read the other; the links between the towers
and them are shared or one for each layer but the first, and so are the projections. The layers across are as wide as
the text's config says.
"""

from inspector.architectures.text.bert import BERT, BERT_LAYER
from inspector.architectures.vision.maskformer import PACKED
from inspector.architectures.vision.vision_blocks import VISION
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

BRIDGETOWER_TEXT = Architecture("bridgetower_text_model", dims=BERT.dims, parts=BERT.parts,
    heads=(head("TextModel", "", part("pooler.dense", "pooler", dense("d -> d"))),))
BRIDGETOWER_VISION = Architecture("bridgetower_vision_model",
    dims=VISION | Dims(w="d", R="L - 1 when remove_last_layer | num_hidden_layers", n="g + 1"),
    parts=under("visual",
        part("embeddings.class_embedding",    "embed.class",    param("d")),
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p pw", bias=False)),
        part("embeddings.position_embedding", "embed.position", table("n d")),
        maybe("embeddings.position_ids",      "embed.position.index", buffer("1 n")),
        part("ln_pre",  "norm.embed", affine("d")),
        part("ln_post", "norm.final", affine("d")),
        part("ln_separate.{L}", "norm.separate", affine("d"), when="not share_layernorm"),
        under("transformer.resblocks.{R}",
            part("ln_1", "norm.attention", affine("d")),
            under("attn", PACKED),
            part("ln_2",       "norm.mlp", affine("d")),
            part("mlp.c_fc",   "mlp.up",   dense("d -> 4*d")),
            part("mlp.c_proj", "mlp.down", dense("4*d -> d")))),
    heads=(head("VisionModel", ""),))
LINK = rows(
    part("scaled_factor", "fusion.link.scale", param(""), when="link_tower_type == 'scaled_add'"),
    part("beta",          "fusion.link.share", param(""), when="link_tower_type == 'interpolate'"),
    part("LayerNorm",     "norm.link",  affine("d")))
CROSS_LAYER = rows(BERT_LAYER, add_cross_attention="true", d="t")
ALIKE = "share_cross_modal_transformer_layers"
BRIDGETOWER = Architecture("bridgetower",
    ties="tie_word_embeddings when transformers_version[0] != '4' | (text_config.tie_word_embeddings | true)",
    dims=Dims(d="hidden_size", L="num_hidden_layers", K="L[:L-1]", t="text.d", a="t",
              h="text_config.num_attention_heads",
              ff="text_config.intermediate_size", T="text_config.max_position_embeddings", V="text_config.vocab_size",
              q="contrastive_hidden_size", position_embedding_type="'absolute'"),
    parts=rows(
        submodel("vision", "vision_model.", BRIDGETOWER_VISION),
        submodel("text", "text_model.", BRIDGETOWER_TEXT),
        part("token_type_embeddings", "embed.modality", table("2 d")),
        part("cross_modal_text_transform",      "project.text",  dense("t -> d"), when=ALIKE),
        part("cross_modal_image_transform",     "project.image", dense("vision.d -> d"), when=ALIKE),
        part("cross_modal_text_transform.{L}",  "project.text",  dense("t -> d"),
             when="not share_cross_modal_transformer_layers"),
        part("cross_modal_image_transform.{L}", "project.image", dense("vision.d -> d"),
             when="not share_cross_modal_transformer_layers"),
        under("cross_modal_text_layers.{L}",  CROSS_LAYER, tower="across.text"),
        under("cross_modal_image_layers.{L}", CROSS_LAYER, tower="across.image"),
        part("cross_modal_text_pooler.dense",  "pooler.text",      dense("d -> d")),
        part("cross_modal_image_pooler.dense", "pooler.image",     dense("d -> d")),
        part("cross_modal_text_layernorm",     "norm.final.text",  affine("d")),
        part("cross_modal_image_layernorm",    "norm.final.image", affine("d")),
        under("cross_modal_text_link_tower",      LINK, tower="link.text",  when="share_link_tower_layers"),
        under("cross_modal_image_link_tower",     LINK, tower="link.image", when="share_link_tower_layers"),
        under("cross_modal_text_link_tower.{K}",  LINK, tower="link.text",  when="not share_link_tower_layers"),
        under("cross_modal_image_link_tower.{K}", LINK, tower="link.image", when="not share_link_tower_layers")),
    heads=(
        head("Model", ""),
        head("ForMaskedLM", "bridgetower.", under("mlm_score",
            part("transform.dense",     "head.dense",      dense("d -> d")),
            part("transform.LayerNorm", "norm.head",       affine("d")),
            part("decoder",             "head.token",      linear("d -> V"), tied="embed.token"),
            part("bias",                "head.token.bias", param("V")))),
        head("ForImageAndTextRetrieval", "bridgetower.", part("itm_score.fc", "head.match", dense("2*d -> 2"))),
        head("ForContrastiveLearning", "bridgetower.",
            part("itc_text_head.fc",        "head.project.text",  dense("d -> q")),
            part("itc_image_head.fc",       "head.project.image", dense("d -> q")),
            part("itc_cross_modal_head.fc", "head.project",       dense("2*d -> q")),
            part("logit_scale",             "head.scale",         param("")))))
