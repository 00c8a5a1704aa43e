"""GLM-5.3 (glm5_next_text): Deepseek's latent attention with an indexer in every fourth layer, Kimi's delta attention
in the others, and hyper-connections.

modeling_glm5_next.py: a layer's residual is `hc_mult` streams, as Deepseek V4's, but no weight joins them at the end.
The indexer of the layers that `indexer_types` calls `full` pools `index_kpool` keys; the forget gate's `A_log` has one
axis. `head_dim` and `num_key_value_heads` change no shape. Without `layer_types` every fourth layer has latent
attention, without `mlp_layer_types` the first three are dense; `linear_attn_config` wins over the keys of the linear
layers. MTP layers are numbered on after the last one: latent attention with an indexer and no hyper-connections
(vLLM, models/glm5next). On disk the convolutions of q, k and v are apart and the forget gate's tensors are those of
`self_attn`.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, PRE_NORMS, SWIGLU
from inspector.architectures.text.deepseek import MLA, MLA_DIMS, MOE, MOE_DIMS, MTP_EXTRAS
from inspector.architectures.text.deepseek_v4 import HYPER, HYPER_DIMS
from inspector.architectures.text.deepseek_v32 import INDEXED, INDEXER
from inspector.architectures.text.kimi_linear import DELTA_ATTENTION, FORGET
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import linear, param

GLM5_NEXT_SAVED = {"*.attn_hc.": ".hc_attn_", "*.ffn_hc.": ".hc_ffn_", "*.forget_gate.": "."}
POOLED_INDEXER = rows(
    INDEXER,
    part("indexer.index_kpool_compress_ape",  "attention.indexer.position", param("c di")),
    part("indexer.index_kpool_compress_gate", "attention.indexer.gate", linear("d -> di", each="", bare=True)))
GLM5_NEXT_TEXT = Architecture("glm5_next_text", ignores="qk_head_dim head_dim num_key_value_heads", heads=CAUSAL,
    dialects=({}, GLM5_NEXT_SAVED), writers=("transformers in memory", "transformers"),
    dims=DECODER | MLA_DIMS | MOE_DIMS | HYPER_DIMS | Dims(
        nh="linear_attn_config.num_heads | linear_num_heads", n="linear_attn_config.head_dim | linear_head_dim",
        w="linear_attn_config.short_conv_kernel_size | linear_conv_kernel_dim", c="index_kpool",
        hi="index_n_heads", di="index_head_dim",
        A="L[layer_types in 'indexed_attention full_attention'] when layer_types != null | L[{L} % 4 == 3]", B="L - A",
        indexed=INDEXED, F="indexed & A",
        M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[3:]", D="L - M",
        N="L : L + num_nextn_predict_layers"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, rows(HYPER, n="(2 + m)*m", parts="3")),
        under("layers.{A}.self_attn", MLA),
        under("layers.{F}.self_attn", POOLED_INDEXER),
        under("layers.{B}.self_attn", DELTA_ATTENTION,
            under("forget_gate", FORGET, part("A_log", "ssm.decay", param("m"))), m="nh"),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp", MOE),
        under("layers.{N}", PRE_NORMS, under("self_attn", MLA, POOLED_INDEXER), under("mlp", MOE), MTP_EXTRAS,
              optional=True, extra="mtp")))
