"""TeleChat and TeleChat2 of China Telecom (code of its own): Llama's layers in BLOOM's names.

modeling_telechat.py of Tele-AI/TeleChat2: key and value of each head in turn in one matrix; `dense` and `down_proj`
have a bias, the others none; `embed_layernorm` adds a norm behind the embedding. TeleChat3 has Llama's names.
"""

from inspector.architectures.blocks import LM_HEAD, PRE_NORMS
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import dense, linear, scale, table

TELECHAT = Architecture("telechat telechat2",
    dims=Dims(V="vocab_size", d="n_embed | hidden_size", L="n_layer | num_hidden_layers",
              h="n_head | num_attention_heads", kv="num_key_value_heads | h", dh="d/h",
              ff="ffn_hidden_size | intermediate_size"),
    ties="tie_word_embeddings | true",
    ignores="apply_residual_connection_post_layernorm attention_softmax_in_fp32 bias_dropout_fusion flash_attn"
            " hidden_act logn masked_softmax_fusion n_inner seq_length base_seqlen skip_bias_add skip_bias_add_qkv"
            " slow_but_exact training_seqlen unk_token_id",
    heads=(head("Model", ""), head("ForCausalLM", "transformer.", LM_HEAD, default=True)),
    parts=rows(
        part("word_embeddings",           "embed.token", table("V d")),
        part("word_embeddings_layernorm", "norm.embed",  scale("d"), when="embed_layernorm"),
        part("ln_f",                      "norm.final",  scale("d")),
        under("h.{L}", PRE_NORMS,
            part("self_attention.query",     "attention.query",  linear("d -> h*dh")),
            part("self_attention.key_value", "attention.kv",     linear("d -> kv*(dh + dh)", packs="key value")),
            part("self_attention.dense",     "attention.output", dense("h*dh -> d")),
            part("mlp.gate_proj",            "mlp.gate",         linear("d -> ff")),
            part("mlp.up_proj",              "mlp.up",           linear("d -> ff")),
            part("mlp.down_proj",            "mlp.down",         dense("ff -> d")))))
