"""Phi, Phi-3, Phi-3-small, Phi-3.5-MoE, and Phi's first names (phi-msft).

modeling_phi.py: every linear has a bias, the head too (its bias is never tied); the attention's output is `dense`; one
norm a layer; the norms of `qk_layernorm` have the width of a head, and a bias. modeling_phi3.py: q, k, v in one
matrix and gate, up in another, no bias. modeling_phimoe.py: layer norms with bias, Mixtral's experts, a bias on the
head with `lm_head_bias`. modeling_phi3_small.py of the repositories: layer norms, a bias on every linear but the head,
q, k, v in groups of one key head, `up_proj` with gate and up in turn; the config has no key for the tie, which is on.
phi-msft (modeling_phi.py of the first repositories): q, k, v fused, the final norm belongs to the head.
"""

from inspector.architectures.blocks import (
    BLOCK_SPARSE,
    CAUSAL,
    DECODER,
    ENDS,
    GATE_UP,
    GQA,
    PRE_NORMS,
)
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, dense, linear, table

PHI = Architecture("phi", dims=DECODER,
    heads=(CAUSAL[0], head("ForCausalLM", "model.", part("lm_head", "head.token", dense("d -> V"), tied="embed.token")),
           *CAUSAL[2:]),
    parts=rows(
        part("embed_tokens",    "embed.token", table("V d")),
        part("final_layernorm", "norm.final",  affine("d")),
        under("layers.{L}",
            part("input_layernorm",       "norm.attention",   affine("d")),
            part("self_attn.q_proj",      "attention.query",  dense("d -> h*dh")),
            part("self_attn.k_proj",      "attention.key",    dense("d -> kv*dh")),
            part("self_attn.v_proj",      "attention.value",  dense("d -> kv*dh")),
            part("self_attn.dense",       "attention.output", dense("h*dh -> d")),
            part("self_attn.q_layernorm", "norm.query",       affine("d//h"), when="qk_layernorm"),
            part("self_attn.k_layernorm", "norm.key",         affine("d//h"), when="qk_layernorm"),
            part("mlp.fc1",               "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",               "mlp.down",         dense("ff -> d")))))
PHI3 = Architecture("phi3", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS,
        part("self_attn.qkv_proj", "attention.qkv",    linear("d -> h*dh + kv*dh + kv*dh", packs="q k v")),
        part("self_attn.o_proj",   "attention.output", linear("h*dh -> d"))),
    under("layers.{L}.mlp", GATE_UP)))
PHIMOE = Architecture("phimoe", dims=DECODER | Dims(E="num_local_experts"),
    dialects=({}, {"*.block_sparse_moe.gate": ".mlp.router", "*.mlp.gate": ".mlp.router"}),
    heads=(CAUSAL[0],
           head("ForCausalLM", "model.",
               part("lm_head", "head.token", linear("d -> V", bias="lm_head_bias"), tied="embed.token")),
           *CAUSAL[2:]),
    parts=rows(
        part("embed_tokens", "embed.token", table("V d")),
        part("norm",         "norm.final",  affine("d")),
        under("layers.{L}",
            part("input_layernorm",          "norm.attention", affine("d")),
            part("post_attention_layernorm", "norm.mlp",       affine("d")),
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            BLOCK_SPARSE)))
PHI3_SMALL = Architecture("phi3small",
    dims=DECODER | Dims(dh="d/h", ff="ff_intermediate_size | ceil(ff_dim_multiplier*(d//3)*2, 256) "
                                     "when (gegelu_pad_to_256 | true) | ff_dim_multiplier*(d//3)*2"),
    heads=CAUSAL[:3],
    ties="tie_word_embeddings | true",
    parts=rows(
        part("embed_tokens",    "embed.token", table("V d")),
        part("final_layernorm", "norm.final",  affine("d")),
        under("layers.{L}",
            part("input_layernorm",           "norm.attention",   affine("d")),
            part("post_attention_layernorm",  "norm.mlp",         affine("d")),
            part("self_attn.query_key_value", "attention.qkv",
                dense("d -> kv*(h/kv*dh + dh + dh)", packs="q k v")),
            part("self_attn.dense",           "attention.output", dense("d -> d")),
            part("mlp.up_proj",               "mlp.gate_up",      dense("d -> 2*ff")),
            part("mlp.down_proj",             "mlp.down",         dense("ff -> d")))))
PHI_MSFT = Architecture("phi-msft",            # no record exercises this definition
    dims=Dims(V="vocab_size", d="n_embd", L="n_layer", h="n_head", kv="n_head_kv | h", dh="d/h", ff="n_inner | 4*d"),
    heads=(
        head("ForCausalLM", "",
            part("lm_head.ln",     "norm.final", affine("d")),
            part("lm_head.linear", "head.token", dense("d -> V"))),),
    parts=under("transformer",
        part("embd.wte", "embed.token", table("V d")),
        under("h.{L}",
            part("ln",             "norm.attention",   affine("d")),
            part("mixer.Wqkv",     "attention.qkv",    dense("d -> h*dh + kv*dh + kv*dh", packs="q k v")),
            part("mixer.out_proj", "attention.output", dense("d -> d")),
            part("mlp.fc1",        "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",        "mlp.down",         dense("ff -> d")))))
