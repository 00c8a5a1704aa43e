"""Mistral Large 4 (text): latent attention with an indexer that reads the hidden state, dense and sparse layers.

modeling_mistral_large4.py: the query has no latent; scores are scaled by a weight and a bias for each head, in the
indexer too. Layers without rotary positions (`no_rope_layers` 0, without the list every fourth) have no rotary key: its
width goes to the other part. Layers that `kv_source_layers` sends to an earlier one have no latent of their own.
`rotary_emb.alpha` is a buffer. `attention_bias` reaches kv_a and o. `mtp_dspark.` tensors are ignored on load.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, PRE_NORMS, ROUTER, SHARED, STACKED, SWIGLU, W123
from inspector.architectures.text.deepseek import MLA_DIMS, MOE_DIMS
from inspector.architectures.text.deepseek_v32 import INDEXED, INDEXER
from inspector.notation.definition import Architecture, Dims, either, part, rows, under
from inspector.notation.kinds import affine, buffer, linear, param, scale

ROTARY = "no_rope_layers[{L}] or no_rope_layers == null and ({L} + 1) % (no_rope_layer_interval | 4) != 0"
MISTRAL_LARGE4_SAVED = {  # transformers saves the names of the release
    "*.self_attn.": ".attention.", "*.q_proj.": ".wq.", "*.kv_a_proj_with_mqa.": ".wkv_a_with_mqa.",
    "*.kv_a_layernorm.": ".kv_a_norm.", "*.kv_b_proj.": ".wkv_b.",
    "*.softmax_scaling.scale": ".ssmax_scaling.s", "*.softmax_scaling.bias": ".ssmax_scaling.b",
    "*.input_layernorm.": ".attention_norm.", "*.post_attention_layernorm.": ".ffn_norm.",
    "*.mlp.experts.": ".experts.", "*.mlp.shared_experts.": ".shared_experts.", "*.mlp.gate.": ".gate.",
    "*.mlp.": ".feed_forward."}
MISTRAL_LARGE4_TEXT = Architecture("mistral_large4_text", heads=CAUSAL,
    ignores="qk_head_dim head_dim num_key_value_heads layer_types",
    dialects=({}, MISTRAL_LARGE4_SAVED), writers=("transformers in memory", "transformers"),
    dims=DECODER | MLA_DIMS | MOE_DIMS | Dims(
        E="num_experts | n_routed_experts", hi="index_n_heads", di="index_head_dim",
        rotary=f"dr when {ROTARY} | 0", nope=f"dn when {ROTARY} | dn + dr",
        own="L[kv_source_layers == {L}] when kv_source_layers != null | L", F=INDEXED,
        M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[k:]", D="L - M"),
    parts=rows(
        ENDS,
        part("rotary_emb.alpha", "rotary.scale", buffer("(dr+1)//2")),
        under("layers.{L}", PRE_NORMS,
            under("self_attn",
                part("q_proj",                "attention.query",       linear("d -> h*(dn+dr)")),
                part("kv_b_proj",             "attention.kv.up",
                     linear("r -> h*(nope + dv)", packs="key value")),
                part("o_proj",                "attention.output",      linear("h*dv -> d", bias="attention_bias")),
                part("softmax_scaling.scale", "attention.logits",      param("h")),
                part("softmax_scaling.bias",  "attention.logits.bias", param("h")))),
        under("layers.{own}.self_attn",
            part("kv_a_proj_with_mqa", "attention.kv.down",
                 linear("d -> r + rotary", bias="attention_bias", packs="latent rotary")),
            part("kv_a_layernorm",     "norm.kv",           scale("r"))),
        under("layers.{F}.self_attn", rows(INDEXER, q="d"),
            part("indexer.q_input_norm",          "norm.indexer.query",            affine("d")),
            part("indexer.softmax_scaling.scale", "attention.indexer.logits",      param("hi")),
            part("indexer.softmax_scaling.bias",  "attention.indexer.logits.bias", param("hi"))),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            ROUTER,
            under("shared_experts", SHARED, ff="fe*S"),
            either(under("experts.{E}", W123), under("experts", STACKED)), ff="fe")))
