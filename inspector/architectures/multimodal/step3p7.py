"""Step 3.7 Flash, its text model (step3p5) and its vision tower (step3p5_vision).

modeling_step3p7.py: layers of `sliding_attention` may have a number of heads of their own; a gate for each head. The
shared expert has the width `share_expert_dim`. The tower's MLP has the width `int(hidden_size * mlp_ratio)`, whatever
its `intermediate_size` says; two convolutions behind its layers double the width. The older keys of the release win:
`moe_layers_enum`, `attention_other_setting`, `width`, `layers`. On disk the experts are stacked, gate and up apart, and
the tower's q, k and v are one matrix. MTP layers are numbered on after the last one and ignored on load; their types
are `mtp_layer_types`, or stand behind the others in `layer_types` (SGLang, step3p5_mtp.py). Step3-VL-10B (vLLM's
`step_vl.py`): the same tower before Qwen 3.
"""

from inspector.architectures.blocks import (
    CAUSAL,
    DECODER,
    ENDS,
    GQA,
    LM_HEAD,
    PRE_NORMS,
    QK_NORM,
    ROUTER,
    SHARED,
    STACKED,
    SWIGLU,
    SWITCH,
)
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, TIED_AT_THE_TOP
from inspector.architectures.text.qwen import QWEN3
from inspector.notation.definition import Architecture, Dims, either, head, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, scale, table

STEP3P5_SAVED = {  # transformers saves the names of the release where the text is below the whole
    "*.mlp.gate.weight": ".moe.gate.weight", "*.mlp.gate.e_score_correction_bias": ".moe.router_bias",
    "*.mlp.shared_experts.": ".share_expert."}
ATTENTION = rows(
    under("self_attn", GQA, QK_NORM, b="attention_bias", bo="attention_bias"),
    part("self_attn.g_proj", "attention.gate", linear("d -> h")))
STEP3P5 = Architecture("step3p5", heads=CAUSAL, ignores="mtp_mlp_layer_types",
    dialects=({}, STEP3P5_SAVED), writers=("transformers in memory", "transformers"),
    dims=DECODER | Dims(
        sliding="L[layer_types == 'sliding_attention']",
        h="per_layer_config[{L}].num_attention_heads"
          " | (num_sliding_attention_heads | attention_other_setting.num_attention_heads)"
          " when per_layer_config == null and {L} in sliding | num_attention_heads",
        kv="num_key_value_heads", dh="head_dim",
        N="L : L + num_nextn_predict_layers",
        hn="(num_sliding_attention_heads | attention_other_setting.num_attention_heads | num_attention_heads)"
           " when (mtp_layer_types[{N} - L] | layer_types[{N}]) == 'sliding_attention' | num_attention_heads",
        E="n_routed_experts", fe="moe_intermediate_size", fs="share_expert_dim",
        M="L[mlp_layer_types == 'sparse'] when mlp_layer_types != null"
          " | L[{L} in moe_layers_enum] when moe_layers_enum != null | L[3:]", D="L - M"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS, ATTENTION),
        under("layers.{D}.mlp", SWIGLU, b="mlp_bias"),
        under("layers.{M}",
            under("mlp",
                ROUTER,
                part("gate.e_score_correction_bias", "router.correction", buffer("E")),
                under("shared_experts", SHARED, ff="fs", b="mlp_bias")),
            either(under("mlp.experts", STACKED), under("moe", SWITCH)), ff="fe"),
        under("layers.{N}", PRE_NORMS, rows(ATTENTION, h="hn"), under("mlp", SWIGLU, b="mlp_bias"),
            part("enorm",                          "norm.mtp.embed",  scale("d")),
            part("hnorm",                          "norm.mtp.hidden", scale("d")),
            part("eh_proj",                        "mtp.join",        linear("d + d -> d")),
            part("transformer.shared_head.norm",   "norm.final",      scale("d")),
            part("transformer.shared_head.output", "head.token",      linear("d -> V")),
            optional=True, extra="mtp")))
VISION_SAVED = {
    "embeddings.patch_embedding.": "conv1.", "embeddings.position_embedding.weight": "positional_embedding",
    "layers.": "transformer.resblocks.", "pre_layernorm.": "ln_pre.",
    "downsampler1.": "vit_downsampler1.", "downsampler2.": "vit_downsampler2.",
    "*.lambda_1": ".ls_1.gamma", "*.lambda_2": ".ls_2.gamma", "*.mlp.fc1.": ".mlp.c_fc.", "*.mlp.fc2.": ".mlp.c_proj.",
    "*.self_attn.": ".attn.", "*.layernorm_before.": ".ln_1.", "*.layernorm_after.": ".ln_2."}
STEP3P5_VISION = Architecture("step3p5_vision", heads=(head("tower Model", ""),), ignores="intermediate_size",
    dialects=({}, VISION_SAVED), writers=("transformers in memory", "transformers"),
    dims=Dims(d="width | hidden_size", L="layers | num_hidden_layers", ff="floor(d*mlp_ratio)", c="num_channels",
              p="patch_size", g="(image_size//p)**2"),
    parts=rows(
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p p", bias=False)),
        part("embeddings.position_embedding", "embed.position", table("g d")),
        part("pre_layernorm",                 "norm.embed",     affine("d")),
        under("layers.{L}",
            part("layernorm_before",   "norm.attention",   affine("d")),
            part("layernorm_after",    "norm.mlp",         affine("d")),
            part("lambda_1",           "attention.scale",  param("d")),
            part("lambda_2",           "mlp.scale",        param("d")),
            either(
                rows(
                    part("self_attn.q_proj", "attention.query", dense("d -> d")),
                    part("self_attn.k_proj", "attention.key",   dense("d -> d")),
                    part("self_attn.v_proj", "attention.value", dense("d -> d"))),
                rows(
                    part("self_attn.in_proj_weight", "attention.qkv",
                         linear("d -> d + d + d", bare=True, packs="q k v")),
                    part("self_attn.in_proj_bias",   "attention.qkv.bias", param("3*d")))),
            part("self_attn.out_proj", "attention.output", dense("d -> d")),
            part("mlp.fc1",            "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",            "mlp.down",         dense("ff -> d"))),
        part("downsampler1", "conv.down.1", conv("d -> 2*d, 3 3")),
        part("downsampler2", "conv.down.2", conv("2*d -> 4*d, 3 3"))))
STEP3P7 = Architecture("step3p7", heads=BARE_MODEL, ties=TIED_AT_THE_TOP, dims=Dims(d="text.d", V="text.V"),
    dialects=({}, {"model.language_model.": "model.", "model.vision_model.": "vision_model.",
                   "model.multi_modal_projector.": "vit_large_projector."}),
    writers=("transformers in memory", "transformers"),
    parts=rows(
        submodel("text",   "language_model.", STEP3P5, head="Model"),
        submodel("vision", "vision_model.", STEP3P5_VISION),
        part("multi_modal_projector", "bridge.out", linear("4*vision.d -> d", bias="projector_bias"))))
STEP_VL = Architecture("StepVLForConditionalGeneration", ties=TIED_AT_THE_TOP, dims=Dims(d="text.d", V="text.V"),
    heads=(head("ForConditionalGeneration", "", LM_HEAD, default=True),),
    parts=rows(                                # no record exercises this definition
        submodel("text",   "model.", QWEN3, head="Model"),
        submodel("vision", "vision_model.", STEP3P5_VISION),
        part("vit_large_projector", "bridge.out", linear("4*vision.d -> d", bias="projector_bias"))))
