"""HY V4: latent attention with an output gate, sinks and an indexer, and hyper-connections.

modeling_hy_v4.py: a layer's residual is `hc_mult` streams; each half has `2 * hc_mult` rows, one for what it reads and
one for what it writes of each stream. `num_key_value_heads` and `head_dim` change no shape. Without `mlp_layer_types`
only the first layer is dense; without `indexer_types` the first layer has an indexer and from the second on every
fourth. `mtp_layers.` tensors are ignored on load.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, PRE_NORMS, ROUTER, SHARED, STACKED, SWIGLU
from inspector.architectures.text.deepseek import MLA, MLA_DIMS, MOE_DIMS
from inspector.architectures.text.deepseek_v4 import HYPER, HYPER_DIMS, HYPER_HEAD
from inspector.architectures.text.deepseek_v32 import INDEXER
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import buffer, linear, param

HY_V4_SAVED = {  # transformers saves the names of the release, those of its body alone in another order
    "model.hc_head.hc_": "model.hc_pre.hc_head.hc_head_", "hc_head.hc_": "hc_head.hc_pre.hc_head_",
    "*.attn_hc.": ".hc_pre.hc_attn_layer.hc_", "*.ffn_hc.": ".hc_pre.hc_mlp_layer.hc_",
    "*.gate_proj.": ".linear_gate.", "*.sinks": ".learnable_sink_param"}
HY_V4 = Architecture("hy_v4", ignores="qk_head_dim head_dim num_key_value_heads layer_types", heads=CAUSAL,
    dialects=({}, HY_V4_SAVED), writers=("transformers in memory", "transformers"),
    dims=DECODER | MLA_DIMS | MOE_DIMS | HYPER_DIMS | Dims(
        hi="index_n_heads", di="index_head_dim",
        F="L[indexer_types == 'full'] when indexer_types != null | L[{L} == 0 or ({L} - 1) % 4 == 0]",
        M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[1:]", D="L - M"),
    parts=rows(
        ENDS,
        HYPER_HEAD,
        under("layers.{L}", PRE_NORMS, rows(HYPER, n="2*m", parts="2"),
            under("self_attn", MLA,
                part("gate_proj", "attention.gate", linear("d -> h*dv")),
                part("sinks",     "attention.sink", param("h")))),
        under("layers.{F}.self_attn", INDEXER),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            ROUTER,
            part("gate.e_score_correction_bias", "router.correction", buffer("E")),
            under("shared_experts", SHARED, ff="fe*S"),
            under("experts", STACKED, ff="fe"))))
