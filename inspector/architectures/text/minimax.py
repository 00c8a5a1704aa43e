"""MiniMax-01, MiniMax-M2 and MiniMax-M3 with its tower.

modeling_minimax.py: linear layers (`layer_types`, without it every second one) store four decay buffers, megabytes that
count as bytes but not as parameters; their q, k, v are interleaved per head and their norm is as wide as all heads.
Experts have Mixtral's names.
modeling_minimax_m1.py and modeling_minimax_text_01.py of the authors' repositories: the same in memory without the
buffers; `attn_type_list` has 0 for a linear layer. An MLP that all tokens pass is as wide as an expert.
modeling_minimax_m2.py: softmax attention only, queries and keys normed over all heads at once; a correction bias.
modeling_minimax_m3_vl.py: queries and keys normed per head; layers called `minimax_m3_sparse` have an indexer, dense
layers a width of their own; `intermediate_size` is that of the experts. Its tower is CLIP's with a convolution over
time and rotary positions; a patch is projected to the text's width first, then so many of them are merged.
"""

from inspector.architectures.blocks import (
    BLOCK_SPARSE,
    CAUSAL,
    DECODER,
    ENDS,
    GATE_UP,
    GQA,
    MLX_EXPERTS,
    PRE_NORMS,
    QK_NORM,
    ROUTER,
    SHARED,
    STACKED,
    SWIGLU,
    SWITCH,
    W123,
)
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, TIED_IF_ONE_SAYS
from inspector.architectures.vision.vision_blocks import CLIP_LAYER
from inspector.notation.definition import Architecture, Dims, either, head, part, rooted, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, scale

LIGHTNING = rows(
    part("qkv_proj",    "ssm.qkv",  linear("d -> h*(dh + dh + dh)", packs="q k v")),
    part("output_gate", "ssm.gate", linear("d -> h*dh")),
    part("out_proj",    "ssm.out",  linear("h*dh -> d")),
    part("norm",        "norm.ssm", scale("h*dh")))
MINIMAX = Architecture("minimax", heads=rooted(CAUSAL, "model."),
    dims=DECODER | Dims(E="num_local_experts", n="block_size",
              B="L[layer_types == 'linear_attention'] when layer_types != null | L[1::2]", A="L - B"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, BLOCK_SPARSE),
        under("layers.{A}.self_attn", GQA),
        under("layers.{B}.self_attn",
            LIGHTNING,
            part("slope_rate",     "ssm.slope",  buffer("h 1 1")),
            part("query_decay",    "ssm.decay.query",    buffer("h n 1")),
            part("key_decay",      "ssm.decay.key",      buffer("h n 1")),
            part("diagonal_decay", "ssm.decay.diagonal", buffer("1 h n n")))))
MINIMAX_TEXT = Architecture("minimax_text_01 minimax_m1", heads=rooted(CAUSAL, "model."),
    ignores="postnorm shared_moe_mode layernorm_full_attention_alpha layernorm_full_attention_beta layernorm_mlp_alpha "
            "layernorm_linear_attention_alpha layernorm_linear_attention_beta layernorm_mlp_beta rotary_dim",
    dims=DECODER | Dims(E="num_local_experts", B="L[attn_type_list == 0]", A="L - B",
                        fs="shared_intermediate_size | 0"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, BLOCK_SPARSE),
        under("layers.{L}",
            under("shared_mlp", SHARED),
            part("coefficient", "router.shared", linear("d -> 1")), when="fs > 0"),
        under("layers.{A}.self_attn", GQA),
        under("layers.{B}.self_attn", LIGHTNING)))
MINIMAX_M2_STATE_DICT = {  # names in memory under transformers 5
    "*.block_sparse_moe.": ".mlp.",
}
MINIMAX_M2 = Architecture("minimax_m2", dialects=({}, MINIMAX_M2_STATE_DICT),
    dims=DECODER | Dims(E="num_local_experts"), heads=rooted(CAUSAL, "model."),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA),
            part("self_attn.q_norm", "norm.query", scale("h*dh")),
            part("self_attn.k_norm", "norm.key",   scale("kv*dh")),
            part("block_sparse_moe.e_score_correction_bias", "router.correction", buffer("E")),
            BLOCK_SPARSE)))
M3_SPARSE = either(                            # on disk; in memory
    under("block_sparse_moe",
        ROUTER,
        part("e_score_correction_bias", "router.correction", buffer("E")),
        under("shared_experts", SHARED, ff="fs"),
        either(under("experts.{E}", W123), under(MLX_EXPERTS, SWITCH))),
    under("mlp",
        ROUTER,
        part("gate.e_score_correction_bias", "router.correction", buffer("E")),
        part("shared_experts.gate_up_proj",  "mlp.shared.gate_up", linear("d -> fs + fs", packs="gate up")),
        part("shared_experts.down_proj",     "mlp.shared.down",    linear("fs -> d")),
        under("experts", STACKED)))
M3_INDEXER = either(
    rows(
        part("index_q_proj",   "attention.indexer.query", linear("d -> hi*di")),
        part("index_k_proj",   "attention.indexer.key",   linear("d -> di")),
        part("index_q_norm",   "norm.indexer.query",      scale("di")),
        part("index_k_norm",   "norm.indexer.key",        scale("di"))),
    under("indexer",
        part("q_proj",         "attention.indexer.query", linear("d -> hi*di")),
        part("k_proj",         "attention.indexer.key",   linear("d -> di")),
        part("q_norm",         "norm.indexer.query",      scale("di")),
        part("k_norm",         "norm.indexer.key",        scale("di"))))
MINIMAX_M3_VL_TEXT = Architecture("minimax_m3_vl_text", heads=rooted(CAUSAL, "model."),
    dims=DECODER | Dims(E="num_local_experts", fs="shared_intermediate_size", fd="dense_intermediate_size",
              hi="index_n_heads", di="index_head_dim",
              M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null"
                " | L[moe_layer_freq == 1] when moe_layer_freq != null | L", D="L - M",
              X="L[layer_types == 'minimax_m3_sparse'] when layer_types != null"
                " | L[sparse_attention_config.sparse_attention_freq == 1]"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, QK_NORM)),
        under("layers.{M}", M3_SPARSE),
        under("layers.{D}.mlp", either(SWIGLU, GATE_UP), ff="fd"),
        under("layers.{X}.self_attn", M3_INDEXER)))
MINIMAX_M3_VISION = Architecture("minimax_m3_vl_vision", heads=(head("tower VisionModel", ""),),
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="intermediate_size", c="num_channels",
              p="patch_size", t="temporal_patch_size", m="spatial_merge_size**2"),
    parts=rows(
        part("embeddings.proj", "embed.patch", conv("c -> d, t p p", bias=False)),
        part("pre_layrnorm",    "norm.embed",  affine("d")),
        under("layers.{L}", CLIP_LAYER)))
MINIMAX_M3 = Architecture("minimax_m3_vl", ties=TIED_IF_ONE_SAYS, heads=BARE_MODEL, ignores="merged_hidden_size",
    dims=Dims(d="text.d", V="text.V", v="vision.d", q="projector_hidden_size", m="d*vision.m"),
    parts=rows(
        submodel("text",   "language_model.", MINIMAX_M3_VL_TEXT, head="Model"),
        submodel("vision", "vision_tower.", MINIMAX_M3_VISION),
        under("multi_modal_projector",
            part("linear_1",       "bridge.in",  dense("v -> q")),
            part("linear_2",       "bridge.out", dense("q -> d")),
            part("merge_linear_1", "merger.up",   dense("m -> q")),
            part("merge_linear_2", "merger.down", dense("q -> d")))),
    dialects=({}, {
        "model.language_model.": "language_model.model.", "lm_head": "language_model.lm_head",
        "model.vision_tower.embeddings.proj": "vision_tower.vision_model.embeddings.patch_embedding",
        "model.vision_tower.layers.": "vision_tower.vision_model.encoder.layers.",
        "model.vision_tower.pre_layrnorm": "vision_tower.vision_model.pre_layrnorm",
        "model.multi_modal_projector.": "multi_modal_projector.",
        "model.multi_modal_projector.merge_": "patch_merge_mlp."}))
