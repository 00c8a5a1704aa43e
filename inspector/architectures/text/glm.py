"""GLM, GLM-4 and GLM-4.5 (glm4_moe), as transformers holds them; dots.llm1 and Solar Open, which have GLM-4.5's layers.

modeling_glm.py, modeling_glm4.py, modeling_glm4_moe.py: `attention_bias` reaches q, k and v only; o never has a bias.
GLM and GLM-4 fuse gate and up; GLM-4 has four norms a layer, where `post_attention_layernorm` precedes the MLP.
GLM-OCR's text model is GLM-4 with such MTP layers.
GLM-4.5 norms queries and keys with `use_qk_norm` only; its router's correction bias is a buffer and its MTP layers are
numbered on after the last one and ignored on load. modeling_glm4v.py: the text model of GLM-4V always has a bias on q,
k and v. modeling_solar_open.py: every layer is sparse whatever `first_k_dense_replace` is, without norms of queries
and keys. modeling_dots1.py: `attention_bias` reaches o too, and queries and keys are always normed.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    ENDS,
    EXPERTS,
    GATE_UP,
    GQA,
    PRE_NORMS,
    QK_NORM,
    ROUTER,
    SHARED,
    SWIGLU,
    SWITCH,
)
from inspector.architectures.text.deepseek import MOE_DIMS, MTP_EXTRAS, SPARSE_DIMS
from inspector.notation.definition import Architecture, Dims, either, part, rows, under
from inspector.notation.kinds import buffer, scale

GLM = Architecture("glm", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS),
    under("layers.{L}.self_attn", GQA, b="attention_bias"),
    under("layers.{L}.mlp", GATE_UP)))
GLM4 = Architecture("glm4 glm_image_text", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS,
        part("post_self_attn_layernorm", "norm.attention.post", scale("d")),
        part("post_mlp_layernorm",       "norm.mlp.post",       scale("d"))),
    under("layers.{L}.self_attn", GQA, b="attention_bias"),
    under("layers.{L}.mlp", GATE_UP)))
GLM_OCR_TEXT = Architecture("glm_ocr_text", heads=CAUSAL,
    dims=DECODER | Dims(N="L : L + num_nextn_predict_layers"),
    parts=rows(
        GLM4.parts,
        under("layers.{N}", PRE_NORMS, MTP_EXTRAS,                      # no record exercises these rows
            part("post_self_attn_layernorm", "norm.attention.post", scale("d")),
            part("post_mlp_layernorm",       "norm.mlp.post",       scale("d")),
            under("self_attn", GQA, b="attention_bias"),
            under("mlp", GATE_UP), optional=True, extra="mtp")))
GLM4_MOE_ATTENTION = rows(under("self_attn", GQA, rows(QK_NORM, when="use_qk_norm"), b="attention_bias"))
GLM4_MOE_ROUTED = rows(
    ROUTER,
    part("gate.e_score_correction_bias", "router.correction", buffer("E")),
    under("shared_experts", SHARED, ff="fe*S"))
GLM4_MOE_MLP = under("mlp", GLM4_MOE_ROUTED, rows(EXPERTS, ff="fe"))
GLM4_MOE = Architecture("glm4_moe glm4v_moe_text Glm4vMoe_text", heads=CAUSAL,
    dims=DECODER | MOE_DIMS | Dims(N="L : L + num_nextn_predict_layers"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, GLM4_MOE_ATTENTION),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}", GLM4_MOE_MLP),
        under("layers.{N}", PRE_NORMS, GLM4_MOE_ATTENTION, GLM4_MOE_MLP, MTP_EXTRAS, optional=True, extra="mtp")))
SOLAR_OPEN = Architecture("solar_open", heads=CAUSAL, dims=DECODER | SPARSE_DIMS, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS, under("self_attn", GQA, b="attention_bias"), GLM4_MOE_MLP)))
DOTS1 = Architecture("dots1", heads=CAUSAL, dims=DECODER | MOE_DIMS,
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias")),
        under("layers.{D}.mlp", SWIGLU),
        under("layers.{M}.mlp",
            GLM4_MOE_ROUTED,
            either(rows(EXPERTS, ff="fe"), under("experts", SWITCH, ff="fe")))))       # MLX's stacks
GLM4V_TEXT = Architecture("glm4v_text", dims=DECODER, heads=CAUSAL, parts=rows(
    ENDS,
    under("layers.{L}", PRE_NORMS,
        part("post_self_attn_layernorm", "norm.attention.post", scale("d")),
        part("post_mlp_layernorm",       "norm.mlp.post",       scale("d"))),
    under("layers.{L}.self_attn", GQA, b="true"),
    under("layers.{L}.mlp", GATE_UP)))
