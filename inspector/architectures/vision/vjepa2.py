"""V-JEPA 2.

modeling_vjepa2.py: an encoder of tubelets with rotary positions and a narrower predictor, which every checkpoint has;
the classifier pools with learned queries after layers of attention, whose MLPs are four times as wide whatever
`mlp_ratio` says.
"""

from inspector.architectures.vision.vision_blocks import CLASSIFIER
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, param

LAYER = rows(
    part("norm1",           "norm.attention",   affine("d")),
    part("attention.query", "attention.query",  linear("d -> d", bias="qkv_bias")),
    part("attention.key",   "attention.key",    linear("d -> d", bias="qkv_bias")),
    part("attention.value", "attention.value",  linear("d -> d", bias="qkv_bias")),
    part("attention.proj",  "attention.output", dense("d -> d")),
    part("norm2",           "norm.mlp",         affine("d")),
    part("mlp.fc1",         "mlp.up",           dense("d -> ff")),
    part("mlp.fc2",         "mlp.down",         dense("ff -> d")))
POOLER_LAYER = rows(
    part("layer_norm1", "norm.attention", affine("d")),
    part("layer_norm2", "norm.mlp",       affine("d")),
    part("mlp.fc1",     "mlp.up",         dense("d -> fp")),
    part("mlp.fc2",     "mlp.down",       dense("fp -> d")))
VJEPA2 = Architecture("vjepa2",
    dims=Dims(d="hidden_size", c="in_chans", p="patch_size", t="tubelet_size", L="num_hidden_layers",
              ff="floor(d*mlp_ratio)", e="pred_hidden_size",
              Lp="pred_num_hidden_layers", fe="floor(e*pred_mlp_ratio)", K="pred_num_mask_tokens",
              A="num_pooler_layers", fp="4*d",
              C="labels"),
    parts=rows(
        part("encoder.embeddings.patch_embeddings.proj", "embed.patch", conv("c -> d, t p p")),
        under("encoder.layer.{L}", LAYER),
        part("encoder.layernorm", "norm.final", affine("d")),
        under("predictor",
            part("embeddings.predictor_embeddings", "embed.project", dense("d -> e")),
            part("embeddings.mask_tokens",          "embed.mask",    param("K 1 1 e")),
            under("layer.{Lp}", LAYER, d="e", ff="fe"),
            part("layernorm", "norm.final",   affine("e")),
            part("proj",      "head.project", dense("e -> d")), tower="predictor")),
    heads=(
        head("Model", ""),
        head("ForVideoClassification", "vjepa2.",
            under("pooler",
                part("query_tokens", "pooler.query.token", param("1 1 d")),
                under("cross_attention_layer", POOLER_LAYER,
                    part("cross_attn.q_proj", "cross.query", dense("d -> d")),
                    part("cross_attn.k_proj", "cross.key",   dense("d -> d")),
                    part("cross_attn.v_proj", "cross.value", dense("d -> d")), tower="pooler.cross"),
                under("self_attention_layers.{A}", POOLER_LAYER,
                    part("self_attn.q_proj",   "attention.query",  dense("d -> d")),
                    part("self_attn.k_proj",   "attention.key",    dense("d -> d")),
                    part("self_attn.v_proj",   "attention.value",  dense("d -> d")),
                    part("self_attn.out_proj", "attention.output", dense("d -> d"))), tower="pooler"),
            CLASSIFIER, default=True)))
