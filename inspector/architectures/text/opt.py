"""OPT.

modeling_opt.py: positions have two rows more than `max_position_embeddings`; `project_in` and `project_out` exist
where `word_embed_proj_dim` differs from `hidden_size`, and then embedding and heads have that width. The decoder's
final norm is missing without `do_layer_norm_before` (350m) or with `_remove_final_layer_norm`; the layers' own
`final_layer_norm` (before the MLP) stays. `enable_bias` and `layer_norm_elementwise_affine` switch all of theirs.
"""

from inspector.architectures.blocks import LM_HEAD, QA_OUTPUTS, SCORE
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, linear, table

OPT = Architecture("opt", ties="tie_word_embeddings | true", dialects=({}, {"model.": ""}, {"decoder.": ""}),
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="ffn_dim",
              T="max_position_embeddings", w="word_embed_proj_dim | d", b="enable_bias | true",
              n="layer_norm_elementwise_affine | true", C="labels"),
    heads=(
        head("Model Decoder",             ""),
        head("ForCausalLM",               "model.", rows(LM_HEAD,    d="w")),
        head("ForSequenceClassification", "model.", rows(SCORE,      d="w")),
        head("ForQuestionAnswering",      "model.", rows(QA_OUTPUTS, d="w"))),
    parts=under("decoder",
        part("embed_tokens",     "embed.token",    table("V w")),
        part("embed_positions",  "embed.position", table("T+2 d")),
        part("project_in",       "embed.project",  linear("w -> d"), when="w != d"),
        part("project_out",      "head.project",   linear("d -> w"), when="w != d"),
        part("final_layer_norm", "norm.final",     affine("d"),
             when="(do_layer_norm_before | true) and not _remove_final_layer_norm and n"),
        under("layers.{L}",
            part("self_attn.q_proj",     "attention.query",  linear("d -> d", bias="b")),
            part("self_attn.k_proj",     "attention.key",    linear("d -> d", bias="b")),
            part("self_attn.v_proj",     "attention.value",  linear("d -> d", bias="b")),
            part("self_attn.out_proj",   "attention.output", linear("d -> d", bias="b")),
            part("self_attn_layer_norm", "norm.attention",   affine("d"), when="n"),
            part("fc1",                  "mlp.up",           linear("d -> ff", bias="b")),
            part("fc2",                  "mlp.down",         linear("ff -> d", bias="b")),
            part("final_layer_norm",     "norm.mlp",         affine("d"), when="n"))))
