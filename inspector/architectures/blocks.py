"""Blocks used by several definitions."""

from inspector.notation.definition import Dims, either, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, linear_io, param, scale, table

DECODER = Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads",
               kv="num_key_value_heads | h", dh="head_dim | d/h", ff="intermediate_size",
               C="labels")

GQA = rows(                                    # b, bo: bias switches, off unless a definition says otherwise
    part("q_proj",       "attention.query",  linear("d -> h*dh",  bias="b")),
    part("k_proj",       "attention.key",    linear("d -> kv*dh", bias="b")),
    part("v_proj",       "attention.value",  linear("d -> kv*dh", bias="b")),
    part("o_proj",       "attention.output", linear("h*dh -> d",  bias="bo")),
    maybe("rotary_emb.inv_freq", "rotary.frequency", buffer("(dh+1)//2")))
QK_NORM = rows(
    part("q_norm",       "norm.query",       scale("dh")),
    part("k_norm",       "norm.key",         scale("dh")))
SWIGLU = rows(
    part("gate_proj",    "mlp.gate",         linear("d -> ff", bias="b")),
    part("up_proj",      "mlp.up",           linear("d -> ff", bias="b")),
    part("down_proj",    "mlp.down",         linear("ff -> d", bias="b")))
STACKED = rows(                                # the same experts in one tensor each, as transformers 5 holds them
    part("gate_up_proj", "mlp.gate_up",      linear("d -> ff + ff", each="E", bare=True, packs="gate up")),
    part("down_proj",    "mlp.down",         linear("ff -> d",      each="E", bare=True)))
STACKED_IO = rows(                             # stacked and stored [in, out]
    part("gate_up_proj", "mlp.gate_up",      linear_io("d -> ff + ff", each="E", bare=True, packs="gate up", bias="b")),
    part("down_proj",    "mlp.down",         linear_io("ff -> d",      each="E", bare=True, bias="b")))
MLX_EXPERTS = "switch_mlp"                    # the module of mlx-lm (SwitchGLU), which no other program writes
SWITCH = rows(                                 # the same as MLX stacks them
    part("gate_proj",    "mlp.gate",         linear("d -> ff", each="E")),
    part("up_proj",      "mlp.up",           linear("d -> ff", each="E")),
    part("down_proj",    "mlp.down",         linear("ff -> d", each="E")))
EXPERTS = either(
    under("experts.{E}", SWIGLU),
    either(under("experts", STACKED), under(MLX_EXPERTS, SWITCH)))
EXPERTS_BOTH_WAYS = either(
    under("experts.{E}", SWIGLU),
    either(under("experts", either(STACKED, STACKED_IO)), under(MLX_EXPERTS, SWITCH)))
PRE_NORMS = rows(
    part("input_layernorm",          "norm.attention", scale("d")),
    part("post_attention_layernorm", "norm.mlp",       scale("d")))
ENDS = rows(
    part("embed_tokens", "embed.token",      table("V d")),
    part("norm",         "norm.final",       scale("d")))

LM_HEAD = part("lm_head", "head.token", linear("d -> V"), tied="embed.token")
CAUSAL = (
    head("Model",                     ""),
    head("ForCausalLM",               "model.", LM_HEAD),
    head("ForSequenceClassification", "model.", part("score", "head.class", linear("d -> C"))),
    head("ForTokenClassification",    "model.",
        part("score", "head.class", linear("d -> C", bias="token_classification_bias | true"))),
    head("ForQuestionAnswering",      "transformer.", part("qa_outputs", "head.span", dense("d -> 2"))))

W123 = rows(                                   # the same as SWIGLU in Meta's words
    part("w1", "mlp.gate", linear("d -> ff", bias="b")),
    part("w3", "mlp.up",   linear("d -> ff", bias="b")),
    part("w2", "mlp.down", linear("ff -> d", bias="b")))

SHARED = rows(                                 # experts that every token passes: one MLP
    part("gate_proj", "mlp.shared.gate", linear("d -> ff", bias="b")),
    part("up_proj",   "mlp.shared.up",   linear("d -> ff", bias="b")),
    part("down_proj", "mlp.shared.down", linear("ff -> d", bias="b")))
ROUTER = part("gate", "router", linear("d -> E"))
SANDWICH = rows(                               # a norm before and after each half of a layer
    part("input_layernorm",            "norm.attention",      scale("d")),
    part("post_attention_layernorm",   "norm.attention.post", scale("d")),
    part("pre_feedforward_layernorm",  "norm.mlp",            scale("d")),
    part("post_feedforward_layernorm", "norm.mlp.post",       scale("d")))

BLOCK_SPARSE = either(
    under("block_sparse_moe", ROUTER, either(
        under("experts.{E}", W123),            # Mixtral's names on disk
        either(
            under("experts.{E}", SWIGLU),      # llmcompressor's
            under(MLX_EXPERTS, SWITCH)))),    # MLX's
    under("mlp", ROUTER, either(               # in transformers 5's memory
        under("experts", STACKED),
        under("experts.{E}", W123))))          # unstacked under the names in memory: it loads these as well
GATE_UP = rows(                                # gate and up in one matrix
    part("gate_up_proj", "mlp.gate_up", linear("d -> ff + ff", packs="gate up", bias="b")),
    part("down_proj",    "mlp.down",    linear("ff -> d", bias="b")))

FUSED_QKV = rows(                              # q, k, v interleaved per head
    part("query_key_value", "attention.qkv",    linear("d -> h*(dh + dh + dh)", bias="b", packs="q k v")),
    part("dense",           "attention.output", linear("d -> d", bias="b")))
FOUR_H = rows(
    part("dense_h_to_4h",   "mlp.up",           linear("d -> ff", bias="b")),
    part("dense_4h_to_h",   "mlp.down",         linear("ff -> d", bias="b")))
AFFINE_PRE_NORMS = rows(
    part("input_layernorm",          "norm.attention", affine("d")),
    part("post_attention_layernorm", "norm.mlp",       affine("d")))
AFFINE_ENDS = rows(
    part("embed_tokens", "embed.token", table("V d")),
    part("norm",         "norm.final",  affine("d")))
SCORE = part("score", "head.class", linear("d -> C"))
CLASSIFIER = part("classifier", "head.class", dense("d -> C"))
QA_OUTPUTS = part("qa_outputs", "head.span", dense("d -> 2"))
TRANSFORMER = (                                # the heads of the families that call the body `transformer`
    head("Model",                     ""),
    head("ForCausalLM",               "transformer.", LM_HEAD),
    head("ForSequenceClassification", "transformer.", SCORE),
    head("ForTokenClassification",    "transformer.", CLASSIFIER),
    head("ForQuestionAnswering",      "transformer.", QA_OUTPUTS))
OLD_MASKS = rows(                              # causal masks in files of the first years
    maybe("bias",        "attention.mask",   buffer("1 1 T T")),
    maybe("masked_bias", "attention.masked", buffer("")))

MAMBA1 = rows(                                 # i inner width, s state, t rank of the step, w kernel; b, bc biases
    part("in_proj",  "ssm.in",     linear("d -> i + i", bias="b", packs="input gate")),
    part("conv1d",   "ssm.conv",   conv("i -> i, w", groups="i", bias="bc")),
    part("x_proj",   "ssm.select", linear("i -> t + s + s", packs="dt B C")),
    part("dt_proj",  "ssm.step",   dense("t -> i")),
    part("A_log",    "ssm.decay",  param("i s")),
    part("D",        "ssm.skip",   param("i")),
    part("out_proj", "ssm.out",    linear("i -> d", bias="b")))
MAMBA2 = rows(                                 # g groups, s state, m heads, x = i + 2*g*s; b, bo, bc biases
    part("in_proj",  "ssm.in",     linear("d -> i + (i + 2*g*s) + m", bias="b", packs="gate conv step")),
    part("conv1d",   "ssm.conv",   conv("x -> x, w", groups="x", bias="bc")),
    part("A_log",    "ssm.decay",  param("m")),
    part("D",        "ssm.skip",   param("m")),
    part("dt_bias",  "ssm.step",   param("m")),
    part("out_proj", "ssm.out",    linear("i -> d", bias="bo")))

UP_DOWN = rows(                                # an MLP without gate
    part("up_proj",   "mlp.up",   linear("d -> ff", bias="b")),
    part("down_proj", "mlp.down", linear("ff -> d", bias="b")))

# transformers 4 gives each expert the biases b, 5's stacked ones have none
EXPERT_WITH_OLD_BIAS = rows(
    part("gate_proj",       "mlp.gate",      linear("d -> ff")),
    part("up_proj",         "mlp.up",        linear("d -> ff")),
    part("down_proj",       "mlp.down",      linear("ff -> d")),
    maybe("gate_proj.bias", "mlp.gate.bias", param("ff"), when="b"),
    maybe("up_proj.bias",   "mlp.up.bias",   param("ff"), when="b"),
    maybe("down_proj.bias", "mlp.down.bias", param("d"),  when="b"))
EXPERTS_WITH_OLD_BIAS = either(under("experts.{E}", EXPERT_WITH_OLD_BIAS), under("experts", STACKED))
