"""ViT and the models with its layers: DeiT, I-JEPA, ViT-MSN, ViT-MAE, ViViT, VideoMAE, YOLOS, ViLT.

The pooler belongs to the bare model, the mask token to masked modelling. modeling_deit.py: a distillation token
next to the class token. modeling_ijepa.py: no class token. modeling_vit_mae.py: a decoder of a width of its own;
transformers 5.23 writes its layers as `decoder.decoder_encoder.layer`. modeling_vit_msn.py: 5.23 writes
`encoder.layer` without `vit.`. modeling_videomae.py: the biases of query and value are bare tensors, keys have none;
positions are sinusoids and not stored. modeling_vivit.py: patches are tubelets. modeling_yolos.py: positions reach over
the detection tokens too, and with `use_mid_position_embeddings` every layer but the last has such a table.
modeling_vilt.py: words and patches in one sequence; the head of a pair reads the poolers of `num_images` pictures.
"""

from inspector.architectures.vision.vision_blocks import (
    CLASSIFIER,
    HEAD_DIM,
    LAYERNORM,
    VISION,
    VIT_LAYER,
    VIT_MLP,
    VIT_STATE_DICT,
)
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under, usually
from inspector.notation.kinds import affine, conv, dense, linear, param, table

VIT_DIMS = VISION | Dims(po="pooler_output_size | d", s="encoder_stride", b="qkv_bias")
PATCH = part("patch_embeddings.projection", "embed.patch", conv("c -> d, p pw"))
CLASS_TOKEN = part("cls_token", "embed.class", param("1 1 d"))
MASK_TOKEN = part("mask_token", "embed.mask", param("1 1 d"))
POSITIONS = part("position_embeddings", "embed.position", param("1 n d"))
POOLER = part("pooler.dense", "pooler", dense("d -> po"))
DECODER = part("decoder.0", "head.image", conv("d -> s*s*c, 1 1"))

IN_MEMORY = {                                  # as transformers 5 holds it, which only adapters show
    "*encoder.layer.": "layers.",
    "*.attention.attention.query": ".attention.q_proj", "*.attention.attention.key": ".attention.k_proj",
    "*.attention.attention.value": ".attention.v_proj", "*.attention.output.dense": ".attention.o_proj",
    "*.intermediate.dense": ".mlp.fc1", "*.output.dense": ".mlp.fc2"}

VIT = Architecture("vit", dims=VIT_DIMS | HEAD_DIM | Dims(n="g + 1"),
    parts=rows(
        under("embeddings", CLASS_TOKEN, PATCH, POSITIONS),
        under("encoder.layer.{L}", VIT_LAYER),
        LAYERNORM),
    heads=(
        head("Model",                  "",     usually(POOLER)),
        head("ForImageClassification", "vit.", CLASSIFIER, default=True),
        head("ForMaskedImageModeling", "vit.", under("vit.embeddings", MASK_TOKEN), DECODER)),
    dialects=({}, IN_MEMORY))
DEIT = Architecture("deit", dims=VIT_DIMS | HEAD_DIM | Dims(n="g + 2"),
    parts=rows(
        under("embeddings", CLASS_TOKEN, part("distillation_token", "embed.distillation", param("1 1 d")), PATCH,
              POSITIONS),
        under("encoder.layer.{L}", VIT_LAYER),
        LAYERNORM),
    heads=(
        head("Model",                  "",      usually(POOLER)),
        head("ForImageClassification", "deit.", CLASSIFIER, default=True),
        head("ForMaskedImageModeling", "deit.", under("deit.embeddings", MASK_TOKEN), DECODER),
        head("ForImageClassificationWithTeacher", "deit.",
            part("cls_classifier",          "head.class",        dense("d -> C")),
            part("distillation_classifier", "head.distillation", dense("d -> C")))),
    dialects=({}, IN_MEMORY))
IJEPA = Architecture("ijepa", dialects=({}, VIT_STATE_DICT), dims=VIT_DIMS | HEAD_DIM | Dims(n="g"),
    parts=rows(
        under("embeddings", PATCH, POSITIONS),
        under("encoder.layer.{L}", VIT_LAYER),
        LAYERNORM),
    heads=(
        head("Model",                  "",       maybe("pooler.dense", "pooler", dense("d -> po"))),
        head("ForImageClassification", "ijepa.", CLASSIFIER, default=True)))
VIT_MSN = Architecture("vit_msn", dims=VIT_DIMS | HEAD_DIM | Dims(n="g + 1"),
    parts=rows(
        under("embeddings", CLASS_TOKEN, PATCH, POSITIONS),
        under("encoder.layer.{L}", VIT_LAYER),
        LAYERNORM),
    heads=(
        head("Model",                  ""),
        head("ForImageClassification", "vit.", CLASSIFIER, default=True)),
    dialects=({}, {"vit.encoder.": "encoder."}, VIT_STATE_DICT))
VIT_MAE = Architecture("vit_mae",
    dims=VIT_DIMS | HEAD_DIM | Dims(n="g + 1", e="decoder_hidden_size", K="decoder_num_hidden_layers",
                                    A="decoder_num_attention_heads*head_dim | e", fd="decoder_intermediate_size"),
    parts=rows(
        under("embeddings", CLASS_TOKEN, PATCH, POSITIONS),
        under("encoder.layer.{L}", VIT_LAYER),
        LAYERNORM),
    heads=(
        head("Model", ""),
        head("ForPreTraining", "vit.",
            under("decoder",
                part("mask_token",        "embed.mask",     param("1 1 e")),
                part("decoder_pos_embed", "embed.position", param("1 n e")),
                part("decoder_embed",     "embed.project",  dense("d -> e")),
                under("decoder_layers.{K}", VIT_LAYER, d="e", a="A", ff="fd"),
                part("decoder_norm",      "norm.final",     affine("e")),
                part("decoder_pred",      "head.image",     dense("e -> p*p*c")), tower="decoder"), default=True)),
    dialects=({}, {"decoder.decoder_layers.": "decoder.decoder_encoder.layer."}, VIT_STATE_DICT))
VIVIT = Architecture("vivit", dialects=({}, VIT_STATE_DICT),
    dims=VIT_DIMS | HEAD_DIM | Dims(
        t="tubelet_size[0]", p="tubelet_size[1]", pw="tubelet_size[2]",
        n="num_frames//t * (image_size[0]//p) * (image_size[1]//pw) + 1"),
    parts=rows(
        under("embeddings", CLASS_TOKEN,
            part("patch_embeddings.projection", "embed.patch", conv("c -> d, t p pw")), POSITIONS),
        under("encoder.layer.{L}", VIT_LAYER),
        LAYERNORM),
    heads=(
        head("Model",                  "",       usually(POOLER)),
        head("ForVideoClassification", "vivit.", CLASSIFIER, default=True)))

QV_LAYER = rows(
    VIT_MLP,
    part("attention.attention.query",  "attention.query",      linear("d -> d")),
    part("attention.attention.key",    "attention.key",        linear("d -> d")),
    part("attention.attention.value",  "attention.value",      linear("d -> d")),
    part("attention.attention.q_bias", "attention.query.bias", param("d"), when="qkv_bias"),
    part("attention.attention.v_bias", "attention.value.bias", param("d"), when="qkv_bias"),
    part("attention.output.dense",     "attention.output",     dense("d -> d")))
VIDEOMAE = Architecture("videomae", dialects=({}, {"*.q_bias": ".query.bias", "*.v_bias": ".value.bias"}),
    dims=VIT_DIMS | Dims(t="tubelet_size", e="decoder_hidden_size", K="decoder_num_hidden_layers",
                         fd="decoder_intermediate_size"),
    parts=rows(
        part("embeddings.patch_embeddings.projection", "embed.patch", conv("c -> d, t p pw")),
        under("encoder.layer.{L}", QV_LAYER),
        part("layernorm", "norm.final", affine("d"), when="not use_mean_pooling")),
    heads=(
        head("Model", ""),
        head("ForVideoClassification", "videomae.",
            part("fc_norm", "norm.head", affine("d"), when="use_mean_pooling"), CLASSIFIER, default=True),
        head("ForPreTraining", "videomae.",
            part("mask_token",         "embed.mask",    param("1 1 e")),
            part("encoder_to_decoder", "embed.project", linear("d -> e")),
            under("decoder",
                under("decoder_layers.{K}", QV_LAYER, d="e", ff="fd"),
                part("norm", "norm.final", affine("e")),
                part("head", "head.image", dense("e -> t*p*p*c")), tower="decoder"))))
YOLOS = Architecture("yolos",
    dialects=({}, {"*encoder.mid_position": "encoder.interpolation.mid_position"}),  # in memory
    dims=VIT_DIMS | Dims(y="num_detection_tokens", n="g + y + 1", M="L - 1",
                         m="1 + image_size[0]*image_size[1]//patch_size**2 + y"),
    parts=rows(
        under("embeddings", CLASS_TOKEN, part("detection_tokens", "embed.detection", param("1 y d")), PATCH, POSITIONS),
        part("encoder.mid_position_embeddings", "embed.position.mid", param("M 1 m d"),
             when="use_mid_position_embeddings"),
        under("encoder.layer.{L}", VIT_LAYER),
        LAYERNORM),
    heads=(
        head("Model", "", usually(part("pooler.dense", "pooler", dense("d -> d")))),
        head("ForObjectDetection", "vit.",
            part("class_labels_classifier.layers.0", "head.class.1", dense("d -> d")),
            part("class_labels_classifier.layers.1", "head.class.2", dense("d -> d")),
            part("class_labels_classifier.layers.2", "head.class",   dense("d -> C + 1")),
            part("bbox_predictor.layers.0",          "head.box.1",   dense("d -> d")),
            part("bbox_predictor.layers.1",          "head.box.2",   dense("d -> d")),
            part("bbox_predictor.layers.2",          "head.box",     dense("d -> 4")), default=True)))
VILT_POOLER = part("vilt.pooler.dense", "pooler", dense("d -> d"))
VILT = Architecture("vilt", ties="tie_word_embeddings",
    dims=VIT_DIMS | Dims(n="g + 1", V="vocab_size", T="max_position_embeddings", Y="type_vocab_size",
                         M="modality_type_vocab_size",
                         i="d*num_images"),
    parts=rows(
        under("embeddings", CLASS_TOKEN, PATCH, POSITIONS,
            part("text_embeddings.word_embeddings",       "embed.token",         table("V d")),
            part("text_embeddings.position_embeddings",   "embed.position.text", table("T d")),
            part("text_embeddings.token_type_embeddings", "embed.type",          table("Y d")),
            part("text_embeddings.LayerNorm",             "norm.embed",          affine("d")),
            part("token_type_embeddings",                 "embed.modality",      table("M d"))),
        under("encoder.layer.{L}", VIT_LAYER),
        LAYERNORM),
    heads=(
        head("Model", "", usually(part("pooler.dense", "pooler", dense("d -> d")))),
        head("ForMaskedLM", "vilt.", VILT_POOLER, under("mlm_score",
            part("transform.dense",     "head.transform",       dense("d -> d")),
            part("transform.LayerNorm", "norm.head",            affine("d")),
            part("decoder",             "head.token",           linear("d -> V"), tied="embed.token"),
            maybe("bias",               "head.token.bias.copy", param("V"), tied="head.token.bias", ties=True),
            part("decoder.bias",        "head.token.bias",      param("V")))),
        head("ForQuestionAnswering", "vilt.", VILT_POOLER,
            part("classifier.0", "head.up",    dense("d -> 2*d")),
            part("classifier.1", "norm.head",  affine("2*d")),
            part("classifier.3", "head.class", dense("2*d -> C")), default=True),
        head("ForImageAndTextRetrieval", "vilt.", VILT_POOLER, part("rank_output", "head.rank", dense("d -> 1"))),
        head("ForImagesAndTextClassification", "vilt.", VILT_POOLER,
            part("classifier.0", "head.up",    dense("i -> i")),
            part("classifier.1", "norm.head",  affine("i")),
            part("classifier.3", "head.class", dense("i -> C"))),
        head("ForTokenClassification", "vilt.", CLASSIFIER)))
