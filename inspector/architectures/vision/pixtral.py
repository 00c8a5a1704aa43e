"""The vision towers of Pixtral and InternVL.

modeling_pixtral.py: RMS norms, a gated MLP, no bias at all, rotary positions. modeling_internvl.py: a norm of queries
and keys has the whole width; the final norm is missing with mean pooling; `attention_bias` reaches q, k and v.
"""

from inspector.architectures.vision.vision_blocks import VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, under, usually
from inspector.notation.kinds import affine, conv, dense, linear, param, scale

PIXTRAL = Architecture("pixtral", ignores="head_dim", dims=VISION, heads=(head("tower Model", ""),),
    parts=rows(
        part("patch_conv", "embed.patch", conv("c -> d, p pw", bias=False)),
        part("ln_pre",     "norm.embed",  scale("d")),
        under("transformer.layers.{L}",
            part("attention_norm",         "norm.attention",   scale("d")),
            part("attention.q_proj",       "attention.query",  linear("d -> d")),
            part("attention.k_proj",       "attention.key",    linear("d -> d")),
            part("attention.v_proj",       "attention.value",  linear("d -> d")),
            part("attention.o_proj",       "attention.output", linear("d -> d")),
            part("ffn_norm",               "norm.mlp",         scale("d")),
            part("feed_forward.gate_proj", "mlp.gate",         linear("d -> ff")),
            part("feed_forward.up_proj",   "mlp.up",           linear("d -> ff")),
            part("feed_forward.down_proj", "mlp.down",         linear("ff -> d")))))
INTERNVL_EMBEDDINGS = rows(
    part("embeddings.cls_token",                   "embed.class",    param("1 1 d")),
    usually(part("embeddings.mask_token",          "embed.mask",     param("1 1 d"), when="use_mask_token")),
    part("embeddings.patch_embeddings.projection", "embed.patch",    conv("c -> d, p pw")),
    part("embeddings.position_embeddings",         "embed.position", param("1 g+1 d"),
         when="use_absolute_position_embeddings"))
INTERNVL_LAYER_ENDS = rows(
    part("layernorm_before",           "norm.attention",   affine("d", bias="layered")),
    part("layernorm_after",            "norm.mlp",         affine("d", bias="layered")),
    part("lambda_1",                   "attention.scale",  param("d")),
    part("lambda_2",                   "mlp.scale",        param("d")),
    part("attention.projection_layer", "attention.output", dense("d -> d")),
    part("attention.q_norm",           "norm.query",       scale("d"), when="use_qk_norm"),
    part("attention.k_norm",           "norm.key",         scale("d"), when="use_qk_norm"),
    part("mlp.fc1",                    "mlp.up",           dense("d -> ff")),
    part("mlp.fc2",                    "mlp.down",         dense("ff -> d")))
INTERNVL_VISION = Architecture("internvl_vision interns1_vision", heads=(head("tower Model", ""),),
    dims=VISION | Dims(b="attention_bias", layered="norm_type == 'layer_norm'"),
    parts=rows(
        INTERNVL_EMBEDDINGS,
        under("encoder.layer.{L}",
            INTERNVL_LAYER_ENDS,
            part("attention.q_proj", "attention.query", linear("d -> d", bias="b")),
            part("attention.k_proj", "attention.key",   linear("d -> d", bias="b")),
            part("attention.v_proj", "attention.value", linear("d -> d", bias="b"))),
        part("layernorm", "norm.final", affine("d"), when="not use_mean_pooling")))
