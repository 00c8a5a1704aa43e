"""XGLM and BioGPT.

modeling_xglm.py: positions are sinusoids and not stored (files of the first years hold `embed_positions.weights`, a
buffer with two rows more than `max_position_embeddings`); `add_cross_attention` adds a second attention.
modeling_biogpt.py: positions have two rows more than `max_position_embeddings`; the head is `output_projection`.
"""

from inspector.architectures.blocks import CLASSIFIER, LM_HEAD, SCORE
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, dense, linear, table

XGLM = Architecture("xglm", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="d_model", L="num_layers", h="attention_heads", ff="ffn_dim",
              T="max_position_embeddings"),
    heads=(head("Model", ""), head("ForCausalLM", "model.", LM_HEAD)),
    parts=rows(
        part("embed_tokens",             "embed.token",    table("V d")),
        maybe("embed_positions.weights", "embed.position", buffer("T+2 d")),
        part("layer_norm",               "norm.final",     affine("d")),
        under("layers.{L}",
            part("self_attn.q_proj",     "attention.query",  dense("d -> d")),
            part("self_attn.k_proj",     "attention.key",    dense("d -> d")),
            part("self_attn.v_proj",     "attention.value",  dense("d -> d")),
            part("self_attn.out_proj",   "attention.output", dense("d -> d")),
            part("self_attn_layer_norm", "norm.attention",   affine("d")),
            part("fc1",                  "mlp.up",           dense("d -> ff")),
            part("fc2",                  "mlp.down",         dense("ff -> d")),
            part("final_layer_norm",     "norm.mlp",         affine("d"))),
        under("layers.{L}",
            part("encoder_attn.q_proj",     "cross.query",  dense("d -> d")),
            part("encoder_attn.k_proj",     "cross.key",    dense("d -> d")),
            part("encoder_attn.v_proj",     "cross.value",  dense("d -> d")),
            part("encoder_attn.out_proj",   "cross.output", dense("d -> d")),
            part("encoder_attn_layer_norm", "norm.cross",   affine("d")), when="add_cross_attention")))
BIOGPT = Architecture("biogpt", ties="tie_word_embeddings | true",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", ff="intermediate_size",
              T="max_position_embeddings",
              C="labels"),
    heads=(
        head("Model",                     ""),
        head("ForCausalLM",               "biogpt.",
             part("output_projection", "head.token", linear("d -> V"), tied="embed.token")),
        head("ForTokenClassification",    "biogpt.", CLASSIFIER),
        head("ForSequenceClassification", "biogpt.", SCORE)),
    parts=rows(
        part("embed_tokens",    "embed.token",    table("V d")),
        part("embed_positions", "embed.position", table("T+2 d")),
        part("layer_norm",      "norm.final",     affine("d")),
        under("layers.{L}",
            part("self_attn.q_proj",     "attention.query",  dense("d -> d")),
            part("self_attn.k_proj",     "attention.key",    dense("d -> d")),
            part("self_attn.v_proj",     "attention.value",  dense("d -> d")),
            part("self_attn.out_proj",   "attention.output", dense("d -> d")),
            part("self_attn_layer_norm", "norm.attention",   affine("d")),
            part("fc1",                  "mlp.up",           dense("d -> ff")),
            part("fc2",                  "mlp.down",         dense("ff -> d")),
            part("final_layer_norm",     "norm.mlp",         affine("d")))))
