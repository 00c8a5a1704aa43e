"""LLaDA, which fills masked text in (code of its own in its repositories), and its mixture of experts.

modeling_llada.py: OLMo 1's names around Llama's halves; the head is inside the body as `ff_out` unless `weight_tying`;
`include_qkv_bias` reaches q, k and v. modeling_lladamoe.py: OLMoE's names, with norms of queries and keys that all
heads share and experts as wide as `expert_intermediate_size`.
"""

from inspector.architectures.blocks import DECODER, ENDS, GQA, LM_HEAD, PRE_NORMS, QK_NORM, ROUTER, SWIGLU
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import linear, scale, table

DENSE = rows(
    part("wte",    "embed.token", table("V d")),
    part("ln_f",   "norm.final",  scale("d")),
    part("ff_out", "head.token",  linear("d -> V"), when="not (weight_tying | true)"),
    under("blocks.{L}",
        part("attn_norm", "norm.attention",   scale("d")),
        part("q_proj",    "attention.query",  linear("d -> h*dh",  bias="include_qkv_bias")),
        part("k_proj",    "attention.key",    linear("d -> kv*dh", bias="include_qkv_bias")),
        part("v_proj",    "attention.value",  linear("d -> kv*dh", bias="include_qkv_bias")),
        part("attn_out",  "attention.output", linear("h*dh -> d")),
        part("ff_norm",   "norm.mlp",         scale("d")),
        part("ff_proj",   "mlp.gate",         linear("d -> ff")),
        part("up_proj",   "mlp.up",           linear("d -> ff")),
        part("ff_out",    "mlp.down",         linear("ff -> d"))))
# no record exercises these definitions
LLADA = Architecture("llada",
    dims=Dims(V="embedding_size | vocab_size", d="d_model", L="n_layers", h="n_heads", kv="n_kv_heads | h", dh="d/h",
              ff="mlp_hidden_size | mlp_ratio*d"),
    heads=(head("Model", ""), head("ModelLM", "model.transformer.", default=True)),
    parts=DENSE)
LLADA_MOE = Architecture("llada_moe",
    heads=(head("MoEModel", ""), head("MoEModelLM", "model.", LM_HEAD, default=True)),
    dims=DECODER | Dims(E="num_experts", ff="expert_intermediate_size | intermediate_size"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, QK_NORM)),
        under("layers.{L}.mlp", ROUTER, under("experts.{E}", SWIGLU))))
