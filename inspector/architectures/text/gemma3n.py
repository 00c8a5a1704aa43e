"""Gemma3n (text): a width per layer, shared keys and values."""

from inspector.architectures.blocks import CAUSAL, DECODER, ENDS, SANDWICH, SWIGLU
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import linear, param, scale, table

GEMMA3N_TEXT = Architecture("gemma3n_text", heads=CAUSAL, ties="tie_word_embeddings | true",
    dims=DECODER | Dims(ff="intermediate_size[{L}]",                    # a list, one width a layer
              p="hidden_size_per_layer_input", W="vocab_size_per_layer_input", n="altup_num_inputs", A="n - 1",
              r="laurel_rank", own="L[:L - num_kv_shared_layers]", shared="L - own"),
    dialects=({}, {"model.": "model.language_model.", "*.per_layer_model_": ".per_layer_model.language_model_"}),
    parts=rows(
        ENDS,
        part("embed_tokens_per_layer",      "embed.layer",  table("W L*p")),
        part("per_layer_model_projection",  "embed.layer.project", linear("d -> L*p")),
        part("per_layer_projection_norm",   "norm.embed.layer",   scale("p")),
        part("altup_projections.{A}",       "altup.in",     linear("d -> d")),
        part("altup_unembed_projections.{A}", "altup.out",  linear("d -> d")),
        under("layers.{L}", SANDWICH, under("mlp", SWIGLU),
            part("per_layer_input_gate",       "embed.layer.gate", linear("d -> p")),
            part("per_layer_projection",       "embed.layer.up",  linear("p -> d")),
            part("post_per_layer_input_norm",  "norm.embed.layer.post", scale("d")),
            part("self_attn.q_proj", "attention.query",  linear("d -> h*dh", bias="attention_bias")),
            part("self_attn.q_norm", "norm.query",       scale("dh")),
            part("self_attn.o_proj", "attention.output", linear("h*dh -> d", bias="attention_bias")),
            part("laurel.linear_left",  "laurel.down",   linear("d -> r")),
            part("laurel.linear_right", "laurel.up",     linear("r -> d")),
            part("laurel.post_laurel_norm", "norm.laurel", scale("d")),
            part("altup.correct_output_scale", "altup.scale",   param("d")),
            part("altup.correction_coefs",     "altup.correct", linear("n -> n")),
            part("altup.prediction_coefs",     "altup.predict", linear("n -> n*n")),
            part("altup.modality_router",      "altup.router",  linear("d -> n")),
            part("altup.router_norm",          "norm.altup",    scale("d"))),
        under("layers.{own}.self_attn",
            part("k_proj", "attention.key",   linear("d -> kv*dh", bias="attention_bias")),
            part("v_proj", "attention.value", linear("d -> kv*dh", bias="attention_bias")),
            part("k_norm", "norm.key",        scale("dh"))),
        under("layers.{shared}.self_attn",                              # kept by transformers 4, dropped by 5
            part("k_proj", "attention.key",   linear("d -> kv*dh", bias="attention_bias")),
            part("v_proj", "attention.value", linear("d -> kv*dh", bias="attention_bias")),
            part("k_norm", "norm.key",        scale("dh")), optional=True)))
