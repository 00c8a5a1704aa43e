"""Reformer: reversible layers of local attention and of attention by hashes.

modeling_reformer.py: `attn_layers` says the kind of each layer and their number; layers of `lsh` have one matrix for
query and key. Attention has no bias. Positions are two tables, of rows and of columns, or with `axial_pos_embds` false
one. The two residuals are joined at the end, so that the last norm and the heads read twice the width.
"""

from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, dense, linear, param, table

LM_HEAD = under("lm_head",
    part("decoder",       "head.token",      linear("2*d -> V")),
    part("bias",          "head.token.bias", param("V")),
    maybe("decoder.bias", "head.token.copy", param("V"), tied="head.token.bias", ties="true"))
REFORMER = Architecture("reformer", ignores="num_hidden_layers tie_word_embeddings", ties="false",
    heads=(
        head("ModelWithLMHead ForMaskedLM", "reformer.", LM_HEAD, default=True),
        head("Model",                       ""),
        head("ForSequenceClassification",   "reformer.",
            part("classifier.dense",    "head.dense", dense("2*d -> d")),
            part("classifier.out_proj", "head.class", dense("d -> C"))),
        head("ForQuestionAnswering",        "reformer.", part("qa_outputs", "head.span", dense("2*d -> C")))),
    dims=Dims(V="vocab_size", d="hidden_size", L="len(attn_layers)", h="num_attention_heads",
              dh="attention_head_size", ff="feed_forward_size", T="max_position_embeddings", C="labels",
              A="L[attn_layers == 'local']", B="L[attn_layers == 'lsh']"),
    parts=rows(
        part("embeddings.word_embeddings", "embed.token", table("V d")),
        under("embeddings.position_embeddings",
            part("weights.0", "embed.position.row",    param("axial_pos_shape[0] 1 axial_pos_embds_dim[0]")),
            part("weights.1", "embed.position.column", param("1 axial_pos_shape[1] axial_pos_embds_dim[1]")),
            when="axial_pos_embds"),
        part("embeddings.position_embeddings.embedding", "embed.position", table("T d"), when="not axial_pos_embds"),
        part("encoder.layer_norm", "norm.final", affine("2*d")),
        under("encoder.layers.{L}",
            part("attention.layer_norm",           "norm.attention",   affine("d")),
            part("attention.self_attention.value", "attention.value",  linear("d -> h*dh")),
            part("attention.output.dense",         "attention.output", linear("h*dh -> d")),
            part("feed_forward.layer_norm",        "norm.mlp",         affine("d")),
            part("feed_forward.dense.dense",       "mlp.up",           dense("d -> ff")),
            part("feed_forward.output.dense",      "mlp.down",         dense("ff -> d"))),
        under("encoder.layers.{A}.attention.self_attention",
            part("query", "attention.query", linear("d -> h*dh")),
            part("key",   "attention.key",   linear("d -> h*dh"))),
        part("encoder.layers.{B}.attention.self_attention.query_key", "attention.shared", linear("d -> h*dh"))))
