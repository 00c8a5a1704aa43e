"""Blocks used by several vision definitions."""

from inspector.notation.definition import Dims, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, param

# the stages that a backbone gives, by index or by name, the last unless said
BACKBONE = Dims(
    O="within(out_indices, len(depths) + 1) | Z - Z1 - Z2 - Z3 - Z4 when out_features != null"
      " | len(depths) : len(depths) + 1",
    Z="1 : len(depths) + 1",
    Z1="0 : 0 when 'stage1' in out_features | 1 : 2", Z2="0 : 0 when 'stage2' in out_features | 2 : 3",
    Z3="0 : 0 when 'stage3' in out_features | 3 : 4", Z4="0 : 0 when 'stage4' in out_features | 4 : 5")
VISION = Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="intermediate_size", c="num_channels",
              p="patch_size[0]", pw="patch_size[1]", gh="image_size[0]//p", gw="image_size[1]//pw", g="gh*gw",
              a="h*(d//h) when d % h > 0 | d",  # transformers 5 rounds the width of a head down, 4 refuses
              C="labels")  # g patches of p by pw; sizes may be one number or two
HEAD_DIM = Dims(a="h*head_dim | h*(d//h) when d % h > 0 | d")  # transformers 5 reads head_dim, 4 does not

CLIP_QKV = rows(
    part("self_attn.q_proj",   "attention.query",  dense("d -> d")),
    part("self_attn.k_proj",   "attention.key",    dense("d -> d")),
    part("self_attn.v_proj",   "attention.value",  dense("d -> d")))
CLIP_LAYER_ENDS = rows(
    part("self_attn.out_proj", "attention.output", dense("d -> d")),
    part("layer_norm1",        "norm.attention",   affine("d")),
    part("mlp.fc1",            "mlp.up",           dense("d -> ff")),
    part("mlp.fc2",            "mlp.down",         dense("ff -> d")),
    part("layer_norm2",        "norm.mlp",         affine("d")))
CLIP_LAYER = rows(CLIP_QKV, CLIP_LAYER_ENDS)
VIT_ATTENTION = rows(                          # b: bias of q, k and v; a: width inside
    part("attention.attention.query", "attention.query",  linear("d -> a", bias="b")),
    part("attention.attention.key",   "attention.key",    linear("d -> a", bias="b")),
    part("attention.attention.value", "attention.value",  linear("d -> a", bias="b")),
    part("attention.output.dense",    "attention.output", dense("a -> d")))
VIT_MLP = rows(
    part("layernorm_before",   "norm.attention", affine("d")),
    part("layernorm_after",    "norm.mlp",       affine("d")),
    part("intermediate.dense", "mlp.up",         dense("d -> ff")),
    part("output.dense",       "mlp.down",       dense("ff -> d")))
VIT_LAYER = rows(VIT_ATTENTION, VIT_MLP)
VIT_ATTENTION_STATE_DICT = {
    "*.attention.attention.query": ".attention.q_proj",
    "*.attention.attention.key": ".attention.k_proj",
    "*.attention.attention.value": ".attention.v_proj",
    "*.attention.output.dense": ".attention.o_proj",
}
VIT_STATE_DICT = {
    "*encoder.layer.": "layers.",
    **VIT_ATTENTION_STATE_DICT,
    "*.intermediate.dense": ".mlp.fc1",
    "*.output.dense": ".mlp.fc2",
}
"""Names in memory under transformers 5, which saves the older ones."""
TIMM_TOWER = rows(                             # timm's VisionTransformer without a class token
    part("pos_embed",        "embed.position", param("1 g d")),
    part("patch_embed.proj", "embed.patch",    conv("3 -> d, p p")),
    part("norm",             "norm.final",     affine("d")),
    under("blocks.{L}",
        part("norm1",     "norm.attention",   affine("d")),
        part("norm2",     "norm.mlp",         affine("d")),
        part("attn.qkv",  "attention.qkv",    dense("d -> d + d + d", packs="q k v")),
        part("attn.proj", "attention.output", dense("d -> d")),
        part("mlp.fc1",   "mlp.up",           dense("d -> ff")),
        part("mlp.fc2",   "mlp.down",         dense("ff -> d"))))
TIMM_POOL = under("attn_pool",                 # AttentionPoolLatent
    part("latent",  "pooler.probe",  param("1 1 d")),
    part("q",       "pooler.query",  dense("d -> d")),
    part("kv",      "pooler.kv",     dense("d -> d + d", packs="k v")),
    part("proj",    "pooler.output", dense("d -> d")),
    part("norm",    "norm.pooler",   affine("d")),
    part("mlp.fc1", "pooler.up",     dense("d -> ff")),
    part("mlp.fc2", "pooler.down",   dense("ff -> d")))
RESAMPLER_ATTENTION = rows(                    # queries of width d look at patches of width v
    part("query",               "embed.query",              param("n d")),
    part("kv_proj",             "bridge.in",                linear("v -> d"), when="v != d"),
    part("ln_q",                "norm.query",               affine("d")),
    part("ln_kv",               "norm.cross", affine("d")),
    part("attn.in_proj_weight", "cross.qkv",      param("3*d d")),
    part("attn.in_proj_bias",   "cross.qkv.bias", param("3*d")),
    part("attn.out_proj",       "cross.output",   dense("d -> d")))
LAYERNORM = part("layernorm", "norm.final", affine("d"))
CLASSIFIER = part("classifier", "head.class", dense("d -> C"))
