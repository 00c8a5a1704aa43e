"""Deepseek V3.2 and GLM-5 (glm_moe_dsa): latent attention with an indexer that picks keys; GLM-4.7-Flash
(glm4_moe_lite).

modeling_deepseek_v32.py, modeling_glm_moe_dsa.py: sparse layers are those of `mlp_layer_types`, without the list all
from `first_k_dense_replace` on. The indexer reads the query's latent; GLM-5's layers that `indexer_types` calls
`shared` (or `index_topk_pattern`, `index_topk_freq`) have none. MTP layers are numbered on after the last one.
modeling_glm4_moe_lite.py: no indexer; without `mlp_layer_types` only the first layer is dense.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, PRE_NORMS, SWIGLU
from inspector.architectures.text.deepseek import MLA, MLA_DIMS, MOE, MOE_DIMS, MTP_EXTRAS
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, linear

INDEXER = under("indexer",
    part("wq_b",         "attention.indexer.query",  linear("q -> hi*di")),
    part("wk",           "attention.indexer.key",    linear("d -> di")),
    part("k_norm",       "norm.indexer",   affine("di")),
    part("weights_proj", "attention.indexer.weight", linear("d -> hi")))
DSA_DIMS = DECODER | MLA_DIMS | MOE_DIMS | Dims(
    hi="index_n_heads", di="index_head_dim", M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[k:]",
    D="L - M", N="L : L + num_nextn_predict_layers")
DEEPSEEK_V32 = Architecture("deepseek_v32", ignores="qk_head_dim", heads=CAUSAL,
                            dims=DSA_DIMS,
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", MLA, INDEXER)),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp", MOE),
        under("layers.{N}", PRE_NORMS, under("self_attn", MLA, INDEXER), under("mlp", MOE), MTP_EXTRAS,
              optional=True, extra="mtp")))
INDEXED = ("L[indexer_types == 'full'] when indexer_types != null"
           " | L[index_topk_pattern in 'F full'] when index_topk_pattern != null"
           " | L[max({L} - (index_skip_topk_offset | 2) + 1, 0) % max(index_topk_freq | 1, 1) == 0]")
GLM_MOE_DSA = Architecture("glm_moe_dsa", ignores="qk_head_dim", heads=CAUSAL, dims=DSA_DIMS | Dims(F=INDEXED),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", MLA)),
        under("layers.{F}.self_attn", INDEXER),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp", MOE),
        under("layers.{N}", PRE_NORMS, under("self_attn", MLA, INDEXER), under("mlp", MOE), MTP_EXTRAS,
              optional=True, extra="mtp")))
GLM4_MOE_LITE = Architecture("glm4_moe_lite", ignores="qk_head_dim", heads=CAUSAL,
    dims=DSA_DIMS | Dims(M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null | L[1:]"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", MLA)),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp", MOE),
        under("layers.{N}", PRE_NORMS, under("self_attn", MLA), under("mlp", MOE), MTP_EXTRAS,
              optional=True, extra="mtp")))
