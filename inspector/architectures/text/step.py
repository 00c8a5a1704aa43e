"""StepFun's Step-1 and the text model of Step-3 (code of their own).

Step-1 (vLLM's `step1.py`): Llama's layers; `num_attention_groups` counts the heads of key and value.
Step-3 (vLLM's `step3_text.py`): one head of key and value; the query is narrowed to `share_q_dim`, normed and widened
again by `wq`; the layers that `moe_layers_enum` lists, all but the first without it, are mixtures whose experts are
stacked, with a shared expert beside them.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, PRE_NORMS, SHARED, SWIGLU
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import linear, scale

STEP1 = Architecture("step1", heads=CAUSAL, ties="tie_word_embeddings | true",
    dims=DECODER | Dims(kv="num_attention_groups | num_key_value_heads | 1"),
    parts=rows(                                # no record exercises these definitions
        ENDS,
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            under("mlp", SWIGLU, b="mlp_bias"))))
STEP3_TEXT = Architecture("step3_text", heads=CAUSAL,
    ignores="moe_dynamic_exp_p norm_expert_weight num_attention_groups max_position_embedding max_seq_len"
            " share_expert_dims",
    dims=DECODER | Dims(q="share_q_dim | dh", E="moe_num_experts", fe="moe_intermediate_size", fs="share_expert_dim",
                        M="L[{L} in moe_layers_enum] when moe_layers_enum != null | L[1:]", D="L - M"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS),
        under("layers.{L}.self_attn",
            part("q_proj",     "attention.query.down", linear("d -> q")),
            part("k_proj",     "attention.key",        linear("d -> dh")),
            part("v_proj",     "attention.value",      linear("d -> dh")),
            part("inter_norm", "norm.query",           scale("q")),
            part("wq",         "attention.query.up",   linear("q -> h*dh")),
            part("o_proj",     "attention.output",     linear("h*dh -> d"))),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.moe",
            part("gate",      "router",   linear("d -> E")),
            part("gate_proj", "mlp.gate", linear("d -> fe", each="E")),
            part("up_proj",   "mlp.up",   linear("d -> fe", each="E")),
            part("down_proj", "mlp.down", linear("fe -> d", each="E"))),
        under("layers.{M}.share_expert", SHARED, ff="fs")))
