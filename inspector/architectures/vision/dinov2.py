"""DINOv2, without and with register tokens, and DINOv3's ViT.

modeling_dinov2.py: the MLP's width is `int(hidden_size * mlp_ratio)`; the gated one takes two thirds of that, rounded
up to a multiple of 8, and holds gate and up in one matrix; the classifier reads class token and mean of the patches.
With registers the mask token is always there. modeling_dinov3_vit.py: rotary positions, a switch for each bias, and a
register tensor even when it is empty.
"""

from inspector.architectures.vision.vision_blocks import (
    HEAD_DIM,
    LAYERNORM,
    VISION,
    VIT_ATTENTION,
    VIT_ATTENTION_STATE_DICT,
)
from inspector.notation.definition import Architecture, Dims, head, part, rows, under, usually
from inspector.notation.kinds import affine, conv, dense, linear, param

DINO_DIMS = VISION | HEAD_DIM | Dims(b="qkv_bias", ff="floor(d*mlp_ratio)", fs="ceil(2*ff//3, 8)", n="g + 1",
                                     r="num_register_tokens")
DINO_EMBEDDINGS = rows(
    part("cls_token",                   "embed.class",    param("1 1 d")),
    part("patch_embeddings.projection", "embed.patch",    conv("c -> d, p pw")),
    part("position_embeddings",         "embed.position", param("1 n d")))
MASK_TOKEN = usually(part("mask_token", "embed.mask", param("1 d")))
NORMS = rows(
    part("norm1",                "norm.attention",  affine("d")),
    part("norm2",                "norm.mlp",        affine("d")),
    part("layer_scale1.lambda1", "attention.scale", param("d")),
    part("layer_scale2.lambda1", "mlp.scale",       param("d")))
DINO_LAYER = rows(
    NORMS, VIT_ATTENTION,
    rows(
        part("mlp.fc1",         "mlp.up",      dense("d -> ff")),
        part("mlp.fc2",         "mlp.down",    dense("ff -> d")), when="not use_swiglu_ffn"),
    rows(
        part("mlp.weights_in",  "mlp.gate_up", dense("d -> fs + fs", packs="gate up")),
        part("mlp.weights_out", "mlp.gated.down", dense("fs -> d")), when="use_swiglu_ffn"))
CLASSIFIER = part("classifier", "head.class", dense("2*d -> C"))
DINOV2 = Architecture("dinov2", ignores="out_features out_indices", dims=DINO_DIMS,
    dialects=({}, VIT_ATTENTION_STATE_DICT),
    parts=rows(
        under("embeddings", DINO_EMBEDDINGS, rows(MASK_TOKEN, when="use_mask_token | true")),
        under("encoder.layer.{L}", DINO_LAYER),
        LAYERNORM),
    heads=(
        head("Model Backbone",         ""),
        head("ForImageClassification", "dinov2.", CLASSIFIER, default=True)))
DINOV2_WITH_REGISTERS = Architecture("dinov2_with_registers", ignores="out_features out_indices", dims=DINO_DIMS,
    dialects=({}, VIT_ATTENTION_STATE_DICT),
    parts=rows(
        under("embeddings", DINO_EMBEDDINGS, MASK_TOKEN, part("register_tokens", "embed.register", param("1 r d"))),
        under("encoder.layer.{L}", DINO_LAYER),
        LAYERNORM),
    heads=(
        head("Model Backbone",         ""),
        head("ForImageClassification", "dinov2_with_registers.", CLASSIFIER, default=True)))
DINOV3_LAYER = rows(
    NORMS,
    part("attention.q_proj", "attention.query",  linear("d -> d", bias="query_bias")),
    part("attention.k_proj", "attention.key",    linear("d -> d", bias="key_bias")),
    part("attention.v_proj", "attention.value",  linear("d -> d", bias="value_bias")),
    part("attention.o_proj", "attention.output", linear("d -> d", bias="proj_bias")),
    part("mlp.gate_proj",    "mlp.gate", linear("d -> ff", bias="mlp_bias"), when="use_gated_mlp"),
    part("mlp.up_proj",      "mlp.up",   linear("d -> ff", bias="mlp_bias")),
    part("mlp.down_proj",    "mlp.down", linear("ff -> d", bias="mlp_bias")))
DINOV3_VIT = Architecture("dinov3_vit", ignores="out_features out_indices", dims=VISION | Dims(r="num_register_tokens"),
    parts=rows(
        part("embeddings.cls_token",        "embed.class",    param("1 1 d")),
        usually(part("embeddings.mask_token", "embed.mask",   param("1 1 d"))),
        part("embeddings.register_tokens",  "embed.register", param("1 r d")),
        part("embeddings.patch_embeddings", "embed.patch",    conv("c -> d, p pw")),
        under("layer.{L}", DINOV3_LAYER),
        part("norm", "norm.final", affine("d"))),
    heads=(head("Model Backbone", ""),), dialects=({}, {"layer.": "model.layer."}))
