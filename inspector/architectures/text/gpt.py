"""GPT-Neo, GPT-NeoX, GPT-J, GPT-BigCode, CodeGen and CTRL.

modeling_gpt_neo.py: q, k, v have no bias, the output has. modeling_gptj.py: no bias in the attention, one norm a
layer, a bias on the head; question answering gives `num_labels` outputs. modeling_codegen.py: as GPT-J, but q, v, k
(in this order) are in four groups of one matrix. modeling_gpt_neox.py: q, k, v interleaved per head; the head
is `embed_out` on disk and in transformers 4, `lm_head` in 5's memory. modeling_gpt_bigcode.py: linears, not GPT-2's
Conv1D; `multi_query` gives all heads one key and value. Files of the first years hold causal masks and NeoX's
rotary frequencies. modeling_gpt_neox_japanese.py: no bias but one on the last layer's attention. modeling_ctrl.py:
the head's weight is tied, its bias is not.
"""

from inspector.architectures.blocks import (
    AFFINE_PRE_NORMS,
    CLASSIFIER,
    FOUR_H,
    FUSED_QKV,
    OLD_MASKS,
    QA_OUTPUTS,
    SCORE,
    TRANSFORMER,
)
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, dense, linear, param, table

GPT = Dims(V="vocab_size", d="n_embd", L="n_layer", h="n_head", T="n_positions", ff="n_inner | 4*d",
           C="labels")
TABLES = rows(
    part("wte",  "embed.token",    table("V d")),
    part("wpe",  "embed.position", table("T d")),
    part("ln_f", "norm.final",     affine("d")))
GPT_NEO = Architecture("gpt_neo", heads=TRANSFORMER, ties="tie_word_embeddings | true",
                       dialects=({}, {"transformer.": ""}),
    dims=Dims(V="vocab_size", d="hidden_size", L="num_layers", T="max_position_embeddings",
              ff="intermediate_size | 4*d",
              C="labels"),
    parts=rows(
        TABLES,
        under("h.{L}",
            part("ln_1",                    "norm.attention",   affine("d")),
            part("attn.attention.q_proj",   "attention.query",  linear("d -> d")),
            part("attn.attention.k_proj",   "attention.key",    linear("d -> d")),
            part("attn.attention.v_proj",   "attention.value",  linear("d -> d")),
            part("attn.attention.out_proj", "attention.output", dense("d -> d")),
            under("attn.attention", OLD_MASKS),
            part("ln_2",                    "norm.mlp",         affine("d")),
            part("mlp.c_fc",                "mlp.up",           dense("d -> ff")),
            part("mlp.c_proj",              "mlp.down",         dense("ff -> d")))))
BIASED_HEAD = part("lm_head", "head.token", dense("d -> V"), tied="embed.token")
FC_IN_OUT = rows(
    part("mlp.fc_in",  "mlp.up",   dense("d -> ff")),
    part("mlp.fc_out", "mlp.down", dense("ff -> d")))
ENDS = rows(
    part("wte",  "embed.token", table("V d")),
    part("ln_f", "norm.final",  affine("d")))
GPTJ = Architecture("gptj", dims=GPT,
    heads=(
        head("Model",                     ""),
        head("ForCausalLM",               "transformer.", BIASED_HEAD),
        head("ForSequenceClassification", "transformer.", SCORE),
        head("ForQuestionAnswering",      "transformer.", part("qa_outputs", "head.span", dense("d -> C")))),
    parts=rows(
        ENDS,
        under("h.{L}", FC_IN_OUT,
            part("ln_1",          "norm.attention",   affine("d")),
            part("attn.q_proj",   "attention.query",  linear("d -> d")),
            part("attn.k_proj",   "attention.key",    linear("d -> d")),
            part("attn.v_proj",   "attention.value",  linear("d -> d")),
            part("attn.out_proj", "attention.output", linear("d -> d")),
            under("attn", OLD_MASKS))))
CODEGEN = Architecture("codegen", dims=GPT,
    heads=(head("Model", ""), head("ForCausalLM", "transformer.", BIASED_HEAD)),
    parts=rows(
        ENDS,
        under("h.{L}", FC_IN_OUT,
            part("ln_1",              "norm.attention",   affine("d")),
            part("attn.qkv_proj",     "attention.qkv",    linear("d -> 4*(d/4 + d/4 + d/4)", packs="q v k")),
            part("attn.out_proj",     "attention.output", linear("d -> d")),
            maybe("attn.causal_mask", "attention.mask",   buffer("1 1 T T")))))
GPT_BIGCODE = Architecture("gpt_bigcode", ignores="num_key_value_heads", heads=TRANSFORMER,
                           ties="tie_word_embeddings | true",
    dims=GPT | Dims(dh="d/h", kv="1 when multi_query | h"),
    parts=rows(
        TABLES,
        under("h.{L}",
            part("ln_1",        "norm.attention",   affine("d")),
            part("attn.c_attn", "attention.qkv",    dense("d -> kv*(h/kv*dh + dh + dh)", packs="q k v")),
            part("attn.c_proj", "attention.output", dense("d -> d")),
            part("ln_2",        "norm.mlp",         affine("d")),
            part("mlp.c_fc",    "mlp.up",           dense("d -> ff")),
            part("mlp.c_proj",  "mlp.down",         dense("ff -> d"))),
        under("h.{L}",
            part("ln_cross_attn",         "norm.cross",   affine("d")),
            part("crossattention.q_attn", "cross.query",  dense("d -> d")),
            part("crossattention.c_attn", "cross.kv",     dense("d -> h*(dh + dh)", packs="k v")),
            part("crossattention.c_proj", "cross.output", dense("d -> d")),
            when="add_cross_attention")))
EMBED_OUT = part("embed_out", "head.token", linear("d -> V"), tied="embed.token")
GPT_NEOX_MLX = {"gpt_neox.layers.": "model.h.", "gpt_neox.": "model.", "embed_out": "model.embed_out"}
GPT_NEOX = Architecture("gpt_neox", ignores="partial_rotary_factor rotary_pct",
                        dialects=({}, {"embed_out": "lm_head"}, GPT_NEOX_MLX),
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads", dh="d/h",
              ff="intermediate_size", T="max_position_embeddings", rotary="floor(dh*(rotary_pct | 1))",
              C="labels"),
    heads=(
        head("Model",                     ""),
        head("ForCausalLM",               "gpt_neox.", EMBED_OUT),
        head("ForSequenceClassification", "gpt_neox.", SCORE),
        head("ForTokenClassification",    "gpt_neox.", CLASSIFIER),
        head("ForQuestionAnswering",      "gpt_neox.", QA_OUTPUTS)),
    parts=rows(
        part("embed_in",         "embed.token", table("V d")),
        part("final_layer_norm", "norm.final",  affine("d")),
        under("layers.{L}",
            part("input_layernorm",          "norm.attention", affine("d")),
            part("post_attention_layernorm", "norm.mlp",       affine("d")),
            under("attention", FUSED_QKV, OLD_MASKS, b="attention_bias | true"),
            maybe("attention.rotary_emb.inv_freq", "rotary.frequency", buffer("rotary//2")),
            under("mlp", FOUR_H, b="true"))))
GPT_NEOX_JAPANESE = Architecture("gpt_neox_japanese", ignores="partial_rotary_factor",
                                 ties="tie_word_embeddings | true",
    dialects=({}, {"embed_out": "lm_head"}),
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads", dh="d/h",
              ff="floor(d*intermediate_multiple_size)", last="L[L-1:]"),
    heads=(head("Model", ""), head("ForCausalLM", "gpt_neox_japanese.", EMBED_OUT)),
    parts=rows(
        part("embed_in",         "embed.token", table("V d")),
        part("final_layer_norm", "norm.final",  affine("d")),
        under("layers.{L}", AFFINE_PRE_NORMS, under("attention", FUSED_QKV), under("mlp", FOUR_H)),
        part("layers.{last}.attention.dense_bias", "attention.output.bias", param("d"))))
CTRL = Architecture("ctrl", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="n_embd", L="n_layer", h="n_head", ff="dff", C="labels"),
    heads=(
        head("Model",                     ""),
        head("LMHeadModel ForCausalLM",   "transformer.", BIASED_HEAD),
        head("ForSequenceClassification", "transformer.", part("classifier", "head.class", linear("d -> C")))),
    parts=rows(
        part("w",         "embed.token", table("V d")),
        part("layernorm", "norm.final",  affine("d")),
        under("h.{L}",
            part("layernorm1",                 "norm.attention",   affine("d")),
            part("multi_head_attention.Wq",    "attention.query",  dense("d -> d")),
            part("multi_head_attention.Wk",    "attention.key",    dense("d -> d")),
            part("multi_head_attention.Wv",    "attention.value",  dense("d -> d")),
            part("multi_head_attention.dense", "attention.output", dense("d -> d")),
            part("layernorm2",                 "norm.mlp",         affine("d")),
            part("ffn.0",                      "mlp.up",           dense("d -> ff")),
            part("ffn.2",                      "mlp.down",         dense("ff -> d")))))
