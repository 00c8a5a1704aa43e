"""LongCat-Flash: two attentions and two dense MLPs a layer next to one mixture.

modeling_longcat_flash.py: a layer's modules come in pairs (`self_attn.0`, `self_attn.1`, ...); the router also chooses
among `zero_expert_num` experts that have no weights (transformers 5 writes gate and up for them); layers are counted by
`num_layers`. The published files hold a dense layer for a further token below `mtp.` (vLLM's `longcat_flash_mtp.py`).
LongCat-Flash-Lite (vLLM's `longcat_flash_ngram.py`) adds tables of n-grams to the embedding, `emb_split_num` for each
length from two to `emb_neighbor_num`, each two rows longer than the one before it.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, MLX_EXPERTS, PRE_NORMS, SWIGLU, SWITCH
from inspector.architectures.text.deepseek import MLA, MLA_DIMS
from inspector.notation.definition import Architecture, Dims, either, part, rows, under
from inspector.notation.kinds import buffer, linear, scale, table

DIMS = DECODER | MLA_DIMS | Dims(
    L="num_layers", J="2", E="n_routed_experts", Z="E + zero_expert_num", Y="E : Z", fe="expert_ffn_hidden_size",
    ff="ffn_hidden_size")
NEXT_TOKEN = under("mtp",
    part("embed_tokens", "embed.token", table("V d")),
    part("norm",         "norm.final",  scale("d")),
    under("layers.0",
        PRE_NORMS,
        part("enorm.m", "norm.mtp.embed",  scale("d")),
        part("hnorm.m", "norm.mtp.hidden", scale("d")),
        part("eh_proj", "mtp.join",        linear("d + d -> d")),
        under("self_attn", MLA),
        under("transformer_layer.mlp", SWIGLU)), optional=True, extra="mtp", tower="mtp")
LONGCAT_FLASH = Architecture("longcat_flash", heads=CAUSAL,
    dims=DIMS,
    parts=rows(
        ENDS, NEXT_TOKEN,
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
LONGCAT_FLASH_NGRAM = Architecture("longcat_flash_ngram", heads=CAUSAL,
    dims=DIMS | Dims(                          # no record exercises this definition
        N="emb_split_num*(emb_neighbor_num - 1)"),
    parts=rows(
        LONGCAT_FLASH.parts,
        part("ngram_embeddings.embedders.{N}",  "embed.ngram",   table("ngram_vocab_size_ratio*V+2*{N}+1 d//N")),
        part("ngram_embeddings.post_projs.{N}", "embed.project", linear("d//N -> d"))))
