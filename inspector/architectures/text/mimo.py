"""MiMo-V2-Flash.

modeling_mimo_v2_flash.py: sliding layers have twice the key heads and a sink a head; values have a width of their own;
`attention_bias` reaches q, k and v; without `layer_types` the first and every sixth layer are full attention, and
without `mlp_layer_types` only the first layer is dense. The authors' config says `hybrid_layer_pattern` (1: sliding),
`moe_layer_freq` (1: sparse) and `swa_num_key_value_heads`. `model.mtp.` (vLLM's `mimo_v2_mtp.py`) has dense
layers with sliding attention for further tokens, which are ignored on load; no key of the config counts them, and the
published files hold up to three.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, EXPERTS, PRE_NORMS, ROUTER, SWIGLU
from inspector.notation.definition import Architecture, Dims, maybe, part, rows, under
from inspector.notation.kinds import buffer, linear, param, scale

NEXT_TOKENS = under("mtp.layers.{N}",
    part("enorm",             "norm.mtp.embed",   scale("d")),
    part("hnorm",             "norm.mtp.hidden",  scale("d")),
    part("eh_proj",           "mtp.join",         linear("d + d -> d")),
    part("input_layernorm",   "norm.attention",   scale("d")),
    part("self_attn.q_proj",  "attention.query",  linear("d -> hn*dn",  bias="attention_bias")),
    part("self_attn.k_proj",  "attention.key",    linear("d -> kn*dn",  bias="attention_bias")),
    part("self_attn.v_proj",  "attention.value",  linear("d -> kn*dvn", bias="attention_bias")),
    part("self_attn.o_proj",  "attention.output", linear("hn*dvn -> d")),
    maybe("self_attn.attention_sink_bias", "attention.sink", param("hn")),
    part("pre_mlp_layernorm", "norm.mlp",         scale("d")),
    under("mlp", SWIGLU),
    part("final_layernorm",   "norm.final",       scale("d")), optional=True, extra="mtp", tower="mtp")
MIMO_V2_FLASH = Architecture("mimo_v2_flash", dialects=({}, {"*.attention_sink_bias": ".sinks"}), heads=CAUSAL,
    dims=DECODER | Dims(N="num_nextn_predict_layers | 3", hn="swa_num_attention_heads | h", dn="swa_head_dim | dh",
              kn="swa_num_key_value_heads | 2*num_key_value_heads", dvn="swa_v_head_dim | dv",
              dv="v_head_dim", E="n_routed_experts", fe="moe_intermediate_size",
              A="L[hybrid_layer_pattern == 1] when hybrid_layer_pattern != null"
                " | L[layer_types == 'sliding_attention'] when layer_types != null | L[{L} > 0 and ({L} + 1) % 6 != 0]",
              kv="(swa_num_key_value_heads | 2*num_key_value_heads) when {L} in A | num_key_value_heads",
              M="L[moe_layer_freq == 1] when moe_layer_freq != null"
                " | L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[1:]", D="L - M"),
    parts=rows(
        ENDS, NEXT_TOKENS,
        under("layers.{L}", PRE_NORMS,
            part("self_attn.q_proj", "attention.query",  linear("d -> h*dh",  bias="attention_bias")),
            part("self_attn.k_proj", "attention.key",    linear("d -> kv*dh", bias="attention_bias")),
            part("self_attn.v_proj", "attention.value",  linear("d -> kv*dv", bias="attention_bias")),
            part("self_attn.o_proj", "attention.output", linear("h*dv -> d"))),
        part("layers.{A}.self_attn.attention_sink_bias", "attention.sink", param("h")),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            ROUTER,
            part("gate.e_score_correction_bias", "router.correction", buffer("E")),
            rows(EXPERTS, ff="fe"))))
