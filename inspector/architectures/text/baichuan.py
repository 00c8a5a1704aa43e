"""Baichuan 1 and 2 (code of its own in each repository): Llama's layers with q, k, v in one matrix, `W_pack`.

modeling_baichuan.py there: no bias anywhere; the 7B holds rotary frequencies in files of the first year, the 13B
(alibi) holds none.
mlx-lm's `baichuan_m1.py`: layers in `sliding_window_layers` have heads of their own number; the last tokens' keys and
values are weighed, one number a head.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, PRE_NORMS, SWIGLU
from inspector.notation.definition import Architecture, Dims, maybe, part, rows, under
from inspector.notation.kinds import buffer, linear, param

BAICHUAN = Architecture("baichuan", dims=DECODER, heads=CAUSAL,
    parts=rows(                                # no record exercises this definition
        ENDS,
        under("layers.{L}", PRE_NORMS,
            part("self_attn.W_pack", "attention.qkv",    linear("d -> d + d + d", packs="q k v")),
            part("self_attn.o_proj", "attention.output", linear("d -> d")),
            maybe("self_attn.rotary_emb.inv_freq", "rotary.frequency", buffer("(dh+1)//2")),
            under("mlp", SWIGLU))))
BAICHUAN_M1 = Architecture("baichuan_m1", heads=CAUSAL, ignores="sliding_window",
    dims=DECODER | Dims(                       # no record exercises this definition
        slides="sliding_window_layers", w="conv_window",
        h="(num_swa_attention_heads | num_attention_heads) when {L} in slides | num_attention_heads",
        kv="(num_swa_key_value_heads | num_key_value_heads) when {L} in slides | num_key_value_heads", dh="d//h"),
    parts=rows(
        ENDS,
        under("layers.{L}", PRE_NORMS,
            part("self_attn.W_pack", "attention.qkv",        linear("d -> d + kv*dh + kv*dh", packs="q k v")),
            part("self_attn.o_proj", "attention.output",     linear("h*dh -> d")),
            part("self_attn.conv_k", "attention.conv.key",   param("1 1 kv 1 w")),
            part("self_attn.conv_v", "attention.conv.value", param("1 1 kv 1 w")),
            under("mlp", SWIGLU))))
