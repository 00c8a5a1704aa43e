"""Decoders by code of their own with Llama's halves: Dream, Maincoder, KORMo, openPangu, SmallThinker, Arctic, Nemotron
of neural architecture search (DeciLM), Open-Llama.

modeling_dream.py: Qwen 2's biases; the class `DreamModel` has the head. modeling_maincoder.py: queries and keys are
normed per head. modeling_kormo.py: other names of the norms. modeling_openpangu_dense.py: `bias` reaches q, k, v and o.
modeling_smallthinker.py: every MLP is a mixture of `moe_num_primary_experts`. modeling_arctic.py: a dense MLP as wide
as the model next to the mixture, each behind a norm of its own. modeling_decilm.py: `block_configs` states for each
layer how many queries share a key, or that attention is one matrix or absent, and the factor of the MLP's width, which
is a multiple of 256. modeling_open_llama.py of transformers 4: a norm behind the embedding with `use_stable_embedding`;
the head is the embedding, and no module of its own, with `shared_input_output_embedding`.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, LM_HEAD, PRE_NORMS, QK_NORM, ROUTER, SWIGLU, W123
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, linear, scale

# no record exercises these definitions
DREAM = Architecture("Dream", dims=DECODER,
    heads=(head("BaseModel", ""), head("Model", "model.", LM_HEAD, default=True)),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, b="true"), under("mlp", SWIGLU))))
MAINCODER = Architecture("maincoder", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS,
        under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
        under("mlp", SWIGLU, b="mlp_bias"))))
KORMO = Architecture("kormo", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}",
        part("pre_attention_layernorm", "norm.attention", scale("d")),
        part("pre_mlp_layernorm",       "norm.mlp",       scale("d")),
        under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
        under("mlp", SWIGLU, b="mlp_bias"))))
PANGU = Architecture("PanguEmbedded", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS, under("self_attn", GQA, b="bias", bo="bias"), under("mlp", SWIGLU))))
SMALLTHINKER = Architecture("smallthinker", heads=CAUSAL,
    dims=DECODER | Dims(E="moe_num_primary_experts", fe="moe_ffn_hidden_size"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA)),
        under("layers.{L}.block_sparse_moe",
            part("primary_router", "router", linear("d -> E")),
            under("experts.{E}",
                part("gate", "mlp.gate", linear("d -> fe")),
                part("up",   "mlp.up",   linear("d -> fe")),
                part("down", "mlp.down", linear("fe -> d"))))))
ARCTIC = Architecture("arctic", heads=CAUSAL, dims=DECODER | Dims(E="num_local_experts"), parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS, under("self_attn", GQA),
        part("residual_layernorm", "norm.mlp.dense", scale("d")),
        under("residual_mlp",
            part("w1", "mlp.dense.gate", linear("d -> d")),
            part("w3", "mlp.dense.up",   linear("d -> d")),
            part("w2", "mlp.dense.down", linear("d -> d"))),
        under("block_sparse_moe", ROUTER, under("experts.{E}", W123)))))
NEMOTRON_NAS = Architecture("nemotron-nas", heads=CAUSAL,
    dims=DECODER | Dims(
        q="block_configs[{L}].attention.n_heads_in_group", l="block_configs[{L}].attention.replace_with_linear",
        f="block_configs[{L}].ffn.ffn_mult", kv="h/q", ff="ceil(floor(2*f*d/3), 256)",
        A="L[q != null]", X="L[l and q == null]", M="L[f != null]"),
    parts=rows(
        ENDS,
        under("layers.{A}", part("input_layernorm", "norm.attention", scale("d")), under("self_attn", GQA)),
        under("layers.{X}",
            part("input_layernorm",       "norm.attention",   scale("d")),
            part("self_attn.linear_attn", "attention.output", linear("d -> d"))),
        under("layers.{M}",
            part("post_attention_layernorm", "norm.mlp", scale("d")),
            under("mlp", SWIGLU))))
OPEN_LLAMA = Architecture("open-llama", dims=DECODER | Dims(kv="h", dh="d/h"),
    heads=(
        CAUSAL[0],
        head("ForCausalLM", "model.", part("lm_head", "head.token", linear("d -> V"), tied="embed.token",
             when="not (shared_input_output_embedding | true)"), default=True),
        CAUSAL[2]),
    parts=rows(
        ENDS,
        part("embed_layer_norm", "norm.embed", affine("d"), when="use_stable_embedding"),
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA), under("mlp", SWIGLU))))
