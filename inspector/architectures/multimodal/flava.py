"""FLAVA: a picture, a text and a joining encoder of the same layers, and a codebook of convolutions.

modeling_flava.py: the bias of each masked head is one parameter under two names: transformers 4 stores `bias`, 5
`decoder.bias`. The codebook's four groups are 1, 2, 4 and 8 times as wide as its `hidden_size`.
"""

from inspector.architectures.vision.vision_blocks import VISION, VIT_LAYER
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

ENDS = rows(
    part("layernorm",    "norm.final", affine("d")),
    part("pooler.dense", "pooler",     dense("d -> d")))
LAYERS = under("encoder.layer.{L}", VIT_LAYER, a="d", b="qkv_bias")
FLAVA_IMAGE = Architecture("flava_image_model", dims=VISION, heads=(head("tower", ""), head("ImageModel", "")),
    parts=rows(
        part("embeddings.cls_token",                   "embed.class",    param("1 1 d")),
        part("embeddings.mask_token",                  "embed.mask",     param("1 1 d"), when="mask_token"),
        part("embeddings.patch_embeddings.projection", "embed.patch",    conv("c -> d, p pw")),
        part("embeddings.position_embeddings",         "embed.position", param("1 g+1 d")),
        LAYERS, ENDS))
SEQUENCE = Dims(d="hidden_size", L="num_hidden_layers", ff="intermediate_size", V="vocab_size",
                T="max_position_embeddings", y="type_vocab_size")
FLAVA_TEXT = Architecture("flava_text_model", dims=SEQUENCE, heads=(head("tower", ""), head("TextModel", "")),
    parts=rows(
        part("embeddings.word_embeddings",       "embed.token",    table("V d")),
        part("embeddings.position_embeddings",   "embed.position", table("T d")),
        part("embeddings.token_type_embeddings", "embed.type",     table("y d")),
        part("embeddings.LayerNorm",             "norm.embed",     affine("d")),
        maybe("embeddings.position_ids",         "embed.position.index", buffer("1 T")),
        LAYERS, ENDS))
FLAVA_MULTIMODAL = Architecture("flava_multimodal_model", dims=SEQUENCE,
                                heads=(head("tower", ""), head("MultimodalModel", "")),
    parts=rows(part("cls_token", "embed.class", param("1 1 d"), when="use_cls_token"), LAYERS, ENDS))
PATH = rows(                                   # i channels in, o out
    part("id_path",              "resnet.skip",   conv("i -> o, 1 1"), when="i != o"),
    part("res_path.path.conv_1", "resnet.conv.1", conv("i -> o//4, 3 3")),
    part("res_path.path.conv_2", "resnet.conv.2", conv("o//4 -> o//4, 3 3")),
    part("res_path.path.conv_3", "resnet.conv.3", conv("o//4 -> o//4, 3 3")),
    part("res_path.path.conv_4", "resnet.conv", conv("o//4 -> o, 1 1")))
FLAVA_CODEBOOK = Architecture("flava_image_codebook", heads=(head("tower", ""), head("ImageCodebook", "")),
    dims=Dims(d="hidden_size", c="input_channels", V="vocab_size", K="2 : num_blocks_per_group + 1"),
    parts=under("blocks",
        part("input",       "embed.image", conv("c -> d, 7 7")),
        part("output.conv", "head.code",   conv("8*d -> V, 1 1")),
        under("group_1.group.block_1",   PATH, i="d",   o="d",   tower="group.1.first"),
        under("group_1.group.block_{K}", PATH, i="d",   o="d",   tower="group.1"),
        under("group_2.group.block_1",   PATH, i="d",   o="2*d", tower="group.2.first"),
        under("group_2.group.block_{K}", PATH, i="2*d", o="2*d", tower="group.2"),
        under("group_3.group.block_1",   PATH, i="2*d", o="4*d", tower="group.3.first"),
        under("group_3.group.block_{K}", PATH, i="4*d", o="4*d", tower="group.3"),
        under("group_4.group.block_1",   PATH, i="4*d", o="8*d", tower="group.4.first"),
        under("group_4.group.block_{K}", PATH, i="8*d", o="8*d", tower="group.4")))
MASKED = rows(                                 # w the width, W the vocabulary
    part("transform.dense",     "head.dense", dense("w -> w")),
    part("transform.LayerNorm", "norm.head",  affine("w")),
    part("decoder",             "head.token", linear("w -> W")))
FLAVA = Architecture("flava",
    dims=Dims(d="hidden_size", q="projection_dim", i="image.d", t="text.d", m="multimodal.d",
              W="image_config.vocab_size", V="text_config.vocab_size"),
    parts=rows(
        submodel("image",      "image_model.", FLAVA_IMAGE),
        submodel("text",       "text_model.", FLAVA_TEXT),
        submodel("multimodal", "multimodal_model.", FLAVA_MULTIMODAL),
        part("logit_scale",         "head.scale",         param("")),
        part("image_projection",    "head.project.image", dense("i -> q")),
        part("text_projection",     "head.project.text",  dense("t -> q")),
        part("image_to_mm_projection", "bridge.vision",   dense("i -> m")),
        part("text_to_mm_projection",  "bridge.text",     dense("t -> m"))),
    heads=(
        head("Model", ""),
        head("ForPreTraining", "flava.",
            submodel("codebook", "image_codebook.", FLAVA_CODEBOOK, config="image_codebook_config",
                  when="init_codebook | true"),
            under("mim_head",       MASKED, w="i", W="W", tower="mim"),
            under("mlm_head",       MASKED, w="t", W="V", tower="mlm"),
            under("mmm_image_head", MASKED, w="i", W="W", tower="mmm.image"),
            under("mmm_text_head",  MASKED, w="t", W="V", tower="mmm.text"),
            part("mim_head.bias",               "head.mim.bias",            param("W")),
            part("mim_head.decoder.bias",       "head.mim.bias.copy",       param("W"), tied="head.mim.bias",
                 ties=True),
            part("mlm_head.bias",               "head.mlm.bias",            param("V")),
            part("mlm_head.decoder.bias",       "head.mlm.bias.copy",       param("V"), tied="head.mlm.bias",
                 ties=True),
            part("mmm_image_head.bias",         "head.mmm.image.bias",      param("W")),
            part("mmm_image_head.decoder.bias", "head.mmm.image.bias.copy", param("W"), tied="head.mmm.image.bias",
                 ties=True),
            part("mmm_text_head.bias",          "head.mmm.text.bias",       param("V")),
            part("mmm_text_head.decoder.bias",  "head.mmm.text.bias.copy",  param("V"), tied="head.mmm.text.bias",
                 ties=True),
            part("itm_head.pooler.dense",     "head.match.pooler", dense("d -> d")),
            part("itm_head.seq_relationship", "head.match",        dense("d -> 2")), default=True)))
