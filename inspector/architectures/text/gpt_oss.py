"""GPT-OSS.

modeling_gpt_oss.py: everything has a bias (router and experts always, q, k, v, o with `attention_bias`); every
head has a sink; experts are stacked, stored [in, out], with gate and up interleaved. Published files hold the experts
in MXFP4.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, GQA, PRE_NORMS
from inspector.notation.definition import Architecture, Dims, either, part, rows, under
from inspector.notation.kinds import dense, linear_io, param

GPT_OSS = Architecture("gpt_oss openai_privacy_filter", dims=DECODER | Dims(E="num_local_experts"), heads=CAUSAL,
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"),
            part("self_attn.sinks", "attention.sink", param("h")),
            part("mlp.router",      "router",         dense("d -> E")),
            under("mlp.experts", either(
                rows(
                    part("gate_up_proj", "mlp.gate_up",
                         linear_io("d -> ff*(1 + 1)", each="E", bare=True, bias=True, packs="gate up")),
                    part("down_proj",    "mlp.down", linear_io("ff -> d", each="E", bare=True, bias=True))),
                rows(                          # MLX's, stored [out, in]
                    part("gate_proj",    "mlp.gate", dense("d -> ff", each="E")),
                    part("up_proj",      "mlp.up",   dense("d -> ff", each="E")),
                    part("down_proj",    "mlp.down", dense("ff -> d", each="E"))))))))
