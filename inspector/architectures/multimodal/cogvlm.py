"""CogVLM, CogVLM 2 and CogAgent as their authors publish them: code of their repositories, whose classes decide.

modeling_cogvlm.py, visual.py there: Llama's layers with a second set of matrices for the tokens of an image, and EVA's
tower with norms behind attention and MLP. CogVLM 2 has `num_multi_query_heads`, a bias on query, key and value of the
image's tokens, and a convolution that joins four patches. modeling_cogagent.py, cross_visual.py: each layer also
attends to a second tower, EVA-02 L, whose sizes are constants.
"""

from inspector.architectures.blocks import DECODER, ENDS, LM_HEAD, PRE_NORMS, SWIGLU
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, scale, table

ATTENTION = rows(                              # b: bias of query, key and value of the image's tokens
    rows(
        part("vision_expert_query_key_value", "attention.qkv",
             linear("d -> d + kv*dh + kv*dh", bias="b", packs="q k v")),
        part("vision_expert_dense", "attention.output", linear("d -> d")), tower="image"),
    part("language_expert_query_key_value", "attention.qkv", linear("d -> d + kv*dh + kv*dh", packs="q k v")),
    part("language_expert_dense", "attention.output", linear("d -> d")),
    maybe("rotary_emb.inv_freq", "rotary.frequency", buffer("(dh+1)//2")))
TOWER = under("vision",
    part("boi", "embed.image.begin", param("1 1 d")),
    part("eoi", "embed.image.end",   param("1 1 d")),
    under("patch_embedding",
        part("proj",               "embed.patch",    conv("c -> v, p p")),
        part("cls_embedding",      "embed.class",    param("1 v")),
        part("position_embedding", "embed.position", table("n v"))),
    under("transformer.layers.{Lv}",
        part("attention.query_key_value", "attention.qkv",       dense("v -> v + v + v", packs="q k v")),
        part("attention.dense",           "attention.output",    dense("v -> v")),
        part("input_layernorm",           "norm.attention.post", affine("v")),
        part("mlp.fc1",                   "mlp.up",              dense("v -> fv")),
        part("mlp.fc2",                   "mlp.down",            dense("fv -> v")),
        part("post_attention_layernorm",  "norm.mlp.post",       affine("v"))),
    under("linear_proj",
        part("linear_proj",   "bridge.in",   linear("v -> d")),
        part("norm1",         "norm.bridge", affine("d")),
        part("gate_proj",     "bridge.gate", linear("d -> ff")),
        part("dense_h_to_4h", "bridge.up",   linear("d -> ff")),
        part("dense_4h_to_h", "bridge.down", linear("ff -> d"))), tower="vision")
BODY = rows(
    ENDS, TOWER,
    under("layers.{L}", PRE_NORMS,
        under("self_attn", ATTENTION),
        under("mlp.language_mlp", SWIGLU),
        under("mlp.vision_mlp", SWIGLU, tower="image")))
SIZES = DECODER | Dims(
    kv="num_multi_query_heads | h", dh="d/h", v="vision_config.hidden_size", Lv="vision_config.num_hidden_layers",
    fv="vision_config.intermediate_size", p="vision_config.patch_size", c="vision_config.in_channels",
    n="vision_config.num_positions", g="(vision_config.image_size//p)**2")
IGNORED = ("template_version vision_config.num_heads vision_config.dropout_prob vision_config.layer_norm_eps"
           " vision_config.hidden_act")
HEADS = (head("ForCausalLM", "model.", LM_HEAD, default=True),)
COGVLM = Architecture("CogVLMForCausalLM", heads=HEADS, ignores=f"vision_config.image_size {IGNORED}",
    dims=SIZES | Dims(two="num_multi_query_heads != null", b="two"),
    parts=rows(
        BODY,                                  # no record exercises this definition
        part("vision.conv", "bridge.conv", conv("v -> v, 2 2"), when="two")))
# the second tower: e wide, Le layers, fe inside, k patches
EVA02 = under("cross_vision",
    part("pos_embed", "embed.image.position", param("k e")),
    under("vit.model",
        part("cls_token",        "embed.class",    param("1 1 e")),
        part("pos_embed",        "embed.position", param("1 k+1 e")),
        part("patch_embed.proj", "embed.patch",    conv("3 -> e, 14 14")),
        maybe("rope.freqs_cos",  "rotary.frequency", buffer("k 64")),
        maybe("rope.freqs_sin",  "rotary.frequency", buffer("k 64")),
        under("blocks.{Le}",
            part("norm1",              "norm.attention",       affine("e")),
            part("attn.q_bias",        "attention.query.bias", param("e")),
            part("attn.v_bias",        "attention.value.bias", param("e")),
            part("attn.q_proj",        "attention.query",      linear("e -> e")),
            part("attn.k_proj",        "attention.key",        linear("e -> e")),
            part("attn.v_proj",        "attention.value",      linear("e -> e")),
            part("attn.inner_attn_ln", "norm.attention.sub",   affine("e")),
            part("attn.proj",          "attention.output",     dense("e -> e")),
            maybe("attn.rope.freqs_cos", "rotary.frequency",   buffer("k 64")),
            maybe("attn.rope.freqs_sin", "rotary.frequency",   buffer("k 64")),
            part("norm2",              "norm.mlp",             affine("e")),
            part("mlp.w1",             "mlp.gate",             dense("e -> fe")),
            part("mlp.w2",             "mlp.up",               dense("e -> fe")),
            part("mlp.ffn_ln",         "norm.mlp.sub",         affine("fe")),
            part("mlp.w3",             "mlp.down",             dense("fe -> e"))),
        part("norm", "norm.final",   affine("e")),
        part("head", "head.project", dense("e -> 768"))), tower="cross")
COGAGENT = Architecture("CogAgentForCausalLM", heads=HEADS, ignores=IGNORED,
    dims=SIZES | Dims(w="cross_hidden_size", x="cross_compute_hidden_size", k="(cross_image_size//14)**2",
                      e="1024", Le="24", fe="2730"),
    parts=rows(
        BODY,
        part("vision.pos_embed", "embed.image.position", param("g v")),
        under("layers.{L}",
            part("post_cross_attention_layernorm", "norm.cross",   scale("d")),
            part("cross_attn.query",               "cross.query",  linear("d -> x")),
            part("cross_attn.key_value",           "cross.kv",     linear("w -> x + x", packs="k v")),
            part("cross_attn.dense",               "cross.output", linear("x -> d"))),
        EVA02))
