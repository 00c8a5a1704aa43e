"""LongCat-Flash: two attentions and two dense MLPs a layer next to one mixture.

modeling_longcat_flash.py: a layer's modules come in pairs (`self_attn.0`, `self_attn.1`, ...); the router also chooses
among `zero_expert_num` experts that have no weights (transformers 5 writes gate and up for them); layers are counted by
`num_layers`.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, MLX_EXPERTS, SWIGLU, SWITCH
from inspector.architectures.text.deepseek import MLA, MLA_DIMS
from inspector.notation.definition import Architecture, Dims, either, part, rows, under
from inspector.notation.kinds import buffer, linear, scale

LONGCAT_FLASH = Architecture("longcat_flash", heads=CAUSAL,
    dims=DECODER | MLA_DIMS | Dims(L="num_layers", J="2", E="n_routed_experts", Z="E + zero_expert_num", Y="E : Z",
              fe="expert_ffn_hidden_size", ff="ffn_hidden_size"),
    parts=rows(
        ENDS,
        under("layers.{L}",
            part("input_layernorm.{J}",          "norm.attention", scale("d")),
            part("post_attention_layernorm.{J}", "norm.mlp",       scale("d")),
            under("self_attn.{J}", MLA),
            part("mlps.{J}.gate_proj", "mlp.dense.gate", linear("d -> ff")),
            part("mlps.{J}.up_proj",   "mlp.dense.up",   linear("d -> ff")),
            part("mlps.{J}.down_proj", "mlp.dense.down", linear("ff -> d")),
            part("mlp.router.classifier",              "router",            linear("d -> Z", bias="router_bias")),
            part("mlp.router.e_score_correction_bias", "router.correction", buffer("Z")),
            under("mlp", either(
                under("experts.{E}", SWIGLU),
                either(
                    under(MLX_EXPERTS, SWITCH),
                    under("experts",           # in transformers 5's memory
                        part("gate_up_proj", "mlp.gate_up", linear("d -> ff + ff", each="Z", bare=True,
                                                                   packs="gate up")),
                        part("down_proj",    "mlp.down",    linear("ff -> d",      each="E", bare=True))))), ff="fe"),
            under("mlp.experts.{Y}",
                part("gate_proj", "mlp.gate", linear("d -> fe")),
                part("up_proj",   "mlp.up",   linear("d -> fe")), optional=True))))
