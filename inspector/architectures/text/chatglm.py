"""ChatGLM 1, 2, 3 and GLM-4-9B (code of its own in each repository; all say model_type chatglm).

modeling_chatglm.py of the second generation: q, k, v of all heads follow each other with
`multi_query_attention` (`multi_query_group_num` key heads of width `kv_channels`), else interleaved per head;
`add_qkv_bias` reaches them, `add_bias_linear` every linear of a layer; gate and up are fused; the head is inside the
body, `output_layer`. Rotary frequencies cover a quarter of a head. Some files hold the head a second time as
`lm_head`. `pre_seq_len` adds a prefix encoder.
The first generation (ChatGLM-6B): every linear and norm has a bias, the head is `lm_head`; before the projection its
prefix has the width of the model.
"""

from inspector.architectures.blocks import AFFINE_PRE_NORMS, FOUR_H, FUSED_QKV
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, dense, linear, table

SECOND = rows(
    part("embedding.word_embeddings",   "embed.token",      table("V d")),
    maybe("rotary_pos_emb.inv_freq",    "rotary.frequency", buffer("dh/4")),
    part("encoder.final_layernorm",     "norm.final",       affine("d", bias="not (rmsnorm | true)"),
         when="post_layer_norm | true"),
    part("output_layer",                "head.token",       linear("d -> V")),
    under("encoder.layers.{L}",
        part("input_layernorm",                "norm.attention",   affine("d", bias="not (rmsnorm | true)")),
        part("self_attention.query_key_value", "attention.qkv",
             linear("d -> h*dh + kv*dh + kv*dh", bias="add_bias_linear or add_qkv_bias", packs="q k v")),
        part("self_attention.dense",           "attention.output", linear("h*dh -> d", bias="add_bias_linear")),
        part("post_attention_layernorm",       "norm.mlp",         affine("d", bias="not (rmsnorm | true)")),
        part("mlp.dense_h_to_4h",              "mlp.gate_up",
             linear("d -> ff + ff", bias="add_bias_linear", packs="gate up")),
        part("mlp.dense_4h_to_h",              "mlp.down",         linear("ff -> d", bias="add_bias_linear"))),
    rows(
        part("prefix_encoder.embedding", "embed.prefix", table("P L*kv*dh*2")),
        part("prefix_encoder.trans.0",   "embed.prefix.in",    dense("L*kv*dh*2 -> d"), when="prefix_projection"),
        part("prefix_encoder.trans.2",   "embed.prefix.out",   dense("d -> L*kv*dh*2"), when="prefix_projection"),
        when="pre_seq_len != null"))
FIRST = rows(
    part("word_embeddings", "embed.token", table("V d")),
    part("final_layernorm", "norm.final",  affine("d")),
    under("layers.{L}", AFFINE_PRE_NORMS,
        under("attention", FUSED_QKV, b="true"),
        maybe("attention.rotary_emb.inv_freq", "rotary.frequency", buffer("dh/4")),
        under("mlp", FOUR_H, b="true")),
    rows(
        part("prefix_encoder.embedding", "embed.prefix", table("P pw")),
        part("prefix_encoder.trans.0",   "embed.prefix.in",    dense("d -> d"), when="prefix_projection"),
        part("prefix_encoder.trans.2",   "embed.prefix.out",   dense("d -> L*d*2"), when="prefix_projection"),
        when="pre_seq_len != null"))
# no record exercises this definition
CHATGLM = Architecture("chatglm",
                       ignores="apply_residual_connection_post_layernorm gmask_token_id max_sequence_length "
                               "position_encoding_2d quantization_bit quantization_embeddings seq_length "
                               "tie_word_embeddings",
    dims=Dims(V="padded_vocab_size | vocab_size", d="hidden_size", L="num_layers", h="num_attention_heads",
              dh="kv_channels | d/h", kv="multi_query_group_num when multi_query_attention | h",
              ff="ffn_hidden_size | inner_hidden_size", first="inner_hidden_size != null", P="pre_seq_len", C="labels",
              pw="d when prefix_projection | L*d*2"),
    heads=(
        head("Model",                     ""),
        head("ForConditionalGeneration",  "transformer.",
            maybe("lm_head", "head.token.copy", linear("d -> V"), tied="head.token", ties=True)),
        head("ForSequenceClassification", "transformer.", part("classifier_head", "head.class", dense("d -> C")))),
    parts=rows(rows(SECOND, when="not first"), rows(FIRST, when="first")))
