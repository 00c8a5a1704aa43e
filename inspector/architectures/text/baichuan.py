"""Baichuan 1 and 2 (code of its own in each repository): Llama's layers with q, k, v in one matrix, `W_pack`.

modeling_baichuan.py there: no bias anywhere; the 7B holds rotary frequencies in files of the first year, the 13B
(alibi) holds none.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, PRE_NORMS, SWIGLU
from inspector.notation.definition import Architecture, maybe, part, rows, under
from inspector.notation.kinds import buffer, linear

BAICHUAN = Architecture("baichuan", dims=DECODER, heads=CAUSAL,
    parts=rows(                                # no record exercises this definition
        ENDS,
        under("layers.{L}", PRE_NORMS,
            part("self_attn.W_pack", "attention.qkv",    linear("d -> d + d + d", packs="q k v")),
            part("self_attn.o_proj", "attention.output", linear("d -> d")),
            maybe("self_attn.rotary_emb.inv_freq", "rotary.frequency", buffer("(dh+1)//2")),
            under("mlp", SWIGLU))))
