"""OLMo, OLMo 2, OLMo 3, OLMoE, FlexOLMo and OLMo-Hybrid.

modeling_olmo.py: the norms have no weights at all. modeling_olmo2.py, modeling_olmo3.py: no norm before a half of a
layer but one after each; queries and keys are normed over all heads at once. modeling_olmoe.py: the same width of
norms, but norms in front; the key norm is as wide as the keys.
modeling_olmo_hybrid.py: linear layers have their norms in front, attention layers behind; without `layer_types` every
fourth layer is attention.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, EXPERTS, GQA, PRE_NORMS, ROUTER, SWIGLU
from inspector.notation.definition import Architecture, Dims, either, part, rooted, rows, under
from inspector.notation.kinds import linear, param, scale, table

POST_NORMS = rows(
    part("post_attention_layernorm",   "norm.attention.post", scale("d")),
    part("post_feedforward_layernorm", "norm.mlp.post",       scale("d")))
WIDE_NORMS = rows(                             # over all heads at once
    part("self_attn.q_norm", "norm.query", scale("h*dh")),
    part("self_attn.k_norm", "norm.key",   scale("kv*dh")))
HEADS = rooted(CAUSAL, "model.")
OLMO_DIMS = DECODER | Dims(                    # the keys of OLMo's training code first: it counts gate and up together
    V="embedding_size | vocab_size", d="d_model | hidden_size", L="n_layers | num_hidden_layers",
    h="n_heads | num_attention_heads",
    kv="n_kv_heads | 1 when multi_query_attention | num_key_value_heads when n_heads == null | h",
    ff="mlp_hidden_size/2 | mlp_ratio*d/2 | intermediate_size")
OLMO = Architecture("olmo hf_olmo",
                    ignores="activation_type alibi alibi_bias_max attention_layer_norm "
                            "attention_layer_norm_with_affine bias_for_layer_norm block_group_size block_type clip_qkv "
                            "embedding_dropout flash_attention include_bias init_cutoff_factor init_device init_fn "
                            "init_std layer_norm_type layer_norm_with_affine max_sequence_length precision "
                            "residual_dropout rope",
                    heads=HEADS, ties="weight_tying | tie_word_embeddings | false",
                    dims=OLMO_DIMS, parts=rows(
    part("embed_tokens", "embed.token", table("V d")),
    under("layers.{L}.self_attn", GQA, b="attention_bias", bo="attention_bias"),
    under("layers.{L}.mlp", SWIGLU)))
OLMO2 = Architecture("olmo2 olmo3", dims=DECODER, heads=HEADS, parts=rows(
    ENDS,
    under("layers.{L}", POST_NORMS, WIDE_NORMS,
        under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
        under("mlp", SWIGLU))))
OLMOE = Architecture("olmoe", dims=DECODER | Dims(E="num_experts"), heads=HEADS,
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            part("self_attn.q_norm", "norm.query", scale("d")),
            part("self_attn.k_norm", "norm.key",   scale("d//h*kv")),
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            under("mlp", ROUTER, EXPERTS))))
FLEX_OLMO = Architecture("flex_olmo", dims=DECODER | Dims(E="num_experts"), heads=HEADS,
    parts=rows(
        ENDS,
        under("layers.{L}", POST_NORMS, WIDE_NORMS,
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            under("mlp", ROUTER, EXPERTS))))
AS_IN_MEMORY = rows(                           # names in memory under transformers 5
    part("input_layernorm",          "norm.attention", scale("d")),
    part("post_attention_layernorm", "norm.mlp",       scale("d")))
OLMO_HYBRID = Architecture("olmo_hybrid", heads=HEADS,
    dims=DECODER | Dims(
        A="L[layer_types == 'full_attention'] when layer_types != null | L[3::4] when L > 3 | L[L-1:]", B="L - A",
        hk="linear_num_key_heads | h", hv="linear_num_value_heads | h", dk="linear_key_head_dim | 3*d//(4*hk)",
        dv="linear_value_head_dim | 2*dk",
        w="linear_conv_kernel_dim", x="2*hk*dk + hv*dv", third="ceil(x, 3)/3"),
    parts=rows(
        ENDS,
        under("layers.{L}.mlp", SWIGLU),
        under("layers.{A}", WIDE_NORMS,
            either(
                part("post_attention_layernorm", "norm.attention.post", scale("d")),
                part("feedforward_layer_norm",   "norm.attention.post", scale("d"))),
            part("post_feedforward_layernorm",   "norm.mlp.post",       scale("d")),
            under("self_attn", GQA, b="attention_bias", bo="attention_bias")),
        under("layers.{B}",
            either(
                rows(
                    part("attention_layer_norm",   "norm.attention", scale("d")),
                    part("feedforward_layer_norm", "norm.mlp",       scale("d"))),
                AS_IN_MEMORY)),
        under("layers.{B}.linear_attn",
            part("q_proj",  "ssm.query", linear("d -> hk*dk")),
            part("k_proj",  "ssm.key",   linear("d -> hk*dk")),
            part("v_proj",  "ssm.value", linear("d -> hv*dv")),
            part("a_proj",  "ssm.alpha", linear("d -> hv")),
            part("b_proj",  "ssm.beta",  linear("d -> hv")),
            part("g_proj",  "ssm.gate",  linear("d -> hv*dv")),
            part("o_proj",  "ssm.out",   linear("hv*dv -> d")),
            part("A_log",   "ssm.decay", param("hv")),
            part("dt_bias", "ssm.step",  param("hv")),
            part("o_norm",  "norm.ssm",  scale("dv")),
            either(
                either(
                    rows(
                        part("q_conv1d.weight", "ssm.conv.query", param("hk*dk 1 w")),
                        part("k_conv1d.weight", "ssm.conv.key",   param("hk*dk 1 w")),
                        part("v_conv1d.weight", "ssm.conv.value", param("hv*dv 1 w"))),
                    rows(                      # transformers 5 cuts them in three equal parts
                        part("q_conv1d.weight", "ssm.conv.query", param("third 1 w")),
                        part("k_conv1d.weight", "ssm.conv.key",   param("third 1 w")),
                        part("v_conv1d.weight", "ssm.conv.value", param("x-2*third 1 w")))),
                part("conv1d.weight", "ssm.conv", param("x 1 w"))))))  # in its memory
