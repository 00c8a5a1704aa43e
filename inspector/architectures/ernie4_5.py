"""ERNIE 4.5 (text): dense, and a mixture of experts.

modeling_ernie4_5.py: `use_bias` reaches every linear of a layer. modeling_ernie4_5_moe.py: layer i is sparse where (i+1)
is a multiple of `moe_layer_interval` and i lies between `moe_layer_start_index` and `moe_layer_end_index` (-1: the
last); the correction bias is a parameter [1, experts]; `use_bias` reaches the routed experts in transformers 4 only,
and the head of the mixture.
The Hub's files hold an MTP block with a dense MLP, ignored on load. Tied by class default.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    ENDS,
    EXPERTS_WITH_OLD_BIAS,
    GQA,
    PRE_NORMS,
    ROUTER,
    SHARED,
    SWIGLU,
)
from inspector.notation.card import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import linear, param, scale

ATTENTION = under("self_attn", GQA, b="use_bias", bo="use_bias")
ERNIE4_5 = Architecture("ernie4_5 paddleocr_vl_text", dims=DECODER, heads=CAUSAL, ties="tie_word_embeddings | true", parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS, ATTENTION, under("mlp", SWIGLU, b="use_bias"))))
BIASED_HEAD = part("lm_head", "head.token", linear("d -> V", bias="use_bias"), tied="embed.token")
ERNIE4_5_MOE = Architecture("ernie4_5_moe", heads=(CAUSAL[0], head("ForCausalLM", "model.", BIASED_HEAD), *CAUSAL[2:]), ties="tie_word_embeddings | true",
    dims=DECODER | Dims(E="moe_num_experts", fe="moe_intermediate_size", S="moe_num_shared_experts",
              first="moe_layer_start_index", last="moe_layer_end_index", step="moe_layer_interval",
              M="L[({L}+1) % step == 0 and {L} >= first and ({L} <= last or last + 1 == 0)]", D="L - M",
              X="num_nextn_predict_layers | 1"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, ATTENTION),
        under("layers.{D}.mlp", SWIGLU, b="use_bias"),
        under("layers.{M}.mlp",
            ROUTER,
            part("moe_statics.e_score_correction_bias", "router.correction", param("1 E")),
            under("shared_experts", SHARED, ff="fe*S", b="use_bias", when="S > 0"),
            rows(EXPERTS_WITH_OLD_BIAS, ff="fe", b="use_bias")),
        rows(                                                            # no record exercises these rows
            under("mtp_block.{X}", PRE_NORMS, ATTENTION, under("mlp", SWIGLU, b="use_bias")),
            part("mtp_emb_norm.{X}",    "norm.mtp.embed",  scale("d")),
            part("mtp_hidden_norm.{X}", "norm.mtp.hidden", scale("d")),
            part("mtp_linear_proj.{X}", "mtp.join",        linear("d + d -> d", bias="use_bias")),
            optional=True, extra="mtp", tower="mtp")))
