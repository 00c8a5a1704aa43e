"""InternLM 1 and 2 (code of its own in each repository), and InternLM 3, which has Llama's layers.

InternLM: Llama's names, and a bias on q, k, v and o with `bias` (true by default). InternLM 2 (modeling_internlm2.py
there): q, k, v are in `wqkv`, interleaved per group of queries; the head is `output`; `bias` reaches wqkv and wo.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, PRE_NORMS, QA_OUTPUTS, SCORE, SWIGLU, W123
from inspector.notation.definition import Architecture, head, maybe, part, rows, under
from inspector.notation.kinds import buffer, linear, scale, table

INTERNLM = Architecture("internlm", dims=DECODER, heads=CAUSAL,
    parts=rows(                                # no record exercises this definition
        ENDS,
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA, b="bias | true", bo="bias | true"),
            under("mlp", SWIGLU))))
INTERNLM2 = Architecture("internlm2", dims=DECODER,
    heads=(                                    # no record exercises this definition
        head("Model",                     ""),
        head("ForCausalLM",               "model.", part("output", "head.token", linear("d -> V"), tied="embed.token")),
        head("ForRewardModel",            "model.", part("v_head", "head.value", linear("d -> 1"))),
        head("ForSequenceClassification", "model.", SCORE),
        head("ForTokenClassification",    "model.", part("score", "head.class", linear("d -> C", bias=True))),
        head("ForQuestionAnswering",      "transformer.", QA_OUTPUTS)),
    parts=rows(
        part("tok_embeddings", "embed.token", table("V d")),
        part("norm",           "norm.final",  scale("d")),
        under("layers.{L}",
            part("attention_norm", "norm.attention",   scale("d")),
            part("attention.wqkv", "attention.qkv",
                 linear("d -> kv*(h/kv*dh + dh + dh)", bias="bias | true", packs="q k v")),
            part("attention.wo",   "attention.output", linear("h*dh -> d", bias="bias | true")),
            maybe("attention.rotary_emb.inv_freq", "rotary.frequency", buffer("(dh+1)//2")),
            part("ffn_norm",       "norm.mlp",         scale("d")),
            under("feed_forward", W123))))
INTERNLM3 = Architecture("internlm3", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS,
        under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
        under("mlp", SWIGLU, b="mlp_bias"))))
