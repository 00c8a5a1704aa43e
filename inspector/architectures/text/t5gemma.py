"""T5Gemma and T5Gemma 2. modeling_t5gemma.py: two Gemma 2 stacks; the decoder's cross attention reads the encoder's
width; the head is `lm_head.out_proj`, tied to the decoder's table; classifiers are `score.out_proj` and may have an
encoder only.
modeling_t5gemma2.py: two Gemma 3 stacks, the encoder's with a tower; the decoder's one attention reads both sequences,
so it has no matrices of its own for the other; one vector more than the table stands for the end of an image; the
decoder's table and the head are the encoder's table.
"""

from inspector.architectures.blocks import GQA, QK_NORM, SWIGLU
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import dense, linear, param, scale, table

DIMS = Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads",
            kv="num_key_value_heads | h", dh="head_dim | d/h", ff="intermediate_size", b="attention_bias",
            x="cross_attention_hidden_size | d")
STACK = rows(
    part("embed_tokens", "embed.token", table("V d")),
    part("norm",         "norm.final",  scale("d")),
    under("layers.{L}",
        under("self_attn", GQA, bo="b"),
        under("mlp", SWIGLU, b="false"),
        part("pre_self_attn_layernorm",    "norm.attention",      scale("d")),
        part("post_self_attn_layernorm",   "norm.attention.post", scale("d")),
        part("pre_feedforward_layernorm",  "norm.mlp",            scale("d")),
        part("post_feedforward_layernorm", "norm.mlp.post",       scale("d"))))
ENCODER = Architecture("t5_gemma_module", dims=DIMS, parts=STACK)
DECODER = Architecture("t5_gemma_module_decoder", dims=DIMS,
    parts=rows(
        STACK,
        under("layers.{L}",
            part("cross_attn.q_proj",           "cross.query",     linear("d -> h*dh",  bias="b")),
            part("cross_attn.k_proj",           "cross.key",       linear("x -> kv*dh", bias="b")),
            part("cross_attn.v_proj",           "cross.value",     linear("x -> kv*dh", bias="b")),
            part("cross_attn.o_proj",           "cross.output",    linear("h*dh -> d",  bias="b")),
            part("pre_cross_attn_layernorm",    "norm.cross",      scale("d")),
            part("post_cross_attn_layernorm",   "norm.cross.post", scale("d")))))
BOTH = rows(
    submodel("encoder", "encoder.", ENCODER, config="encoder"),
    submodel("decoder", "decoder.", DECODER, config="decoder", cross_attention_hidden_size="encoder.d"))
ONE_OR_BOTH = rows(
    submodel("encoder", "model.encoder.", ENCODER, config="encoder"),
    submodel("decoder", "model.decoder.", DECODER, config="decoder", when="is_encoder_decoder",
        cross_attention_hidden_size="encoder.d"))
SCORE = part("score.out_proj", "head.class", dense("w -> C"))
T5GEMMA = Architecture("t5gemma", ties="tie_word_embeddings | true",
    dims=Dims(C="labels",
              w="decoder.hidden_size when is_encoder_decoder | encoder.hidden_size"),
    heads=(
        head("EncoderModel",              "", submodel("encoder", "encoder.", ENCODER, config="encoder")),
        head("Model",                     "", BOTH),
        head("ForConditionalGeneration",  "",
            # the head is tied to the first
            submodel("decoder", "model.decoder.", DECODER, config="decoder", cross_attention_hidden_size="encoder.d"),
            submodel("encoder", "model.encoder.", ENCODER, config="encoder"),
            part("lm_head.out_proj", "head.token", linear("decoder.d -> decoder.V"), tied="embed.token"), default=True),
        head("ForSequenceClassification", "", ONE_OR_BOTH, SCORE),
        head("ForTokenClassification",    "", ONE_OR_BOTH, SCORE)))
LAYERS = rows(
    part("norm", "norm.final", scale("d")),
    under("layers.{L}",
        under("self_attn", GQA, QK_NORM, bo="b"),
        under("mlp", SWIGLU, b="false"),
        part("pre_self_attn_layernorm",    "norm.attention",      scale("d")),
        part("post_self_attn_layernorm",   "norm.attention.post", scale("d")),
        part("pre_feedforward_layernorm",  "norm.mlp",            scale("d")),
        part("post_feedforward_layernorm", "norm.mlp.post",       scale("d"))))
T5GEMMA2_TEXT = Architecture("t5gemma2_text t5gemma2_decoder", heads=(head("tower TextEncoder Decoder", ""),),
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads",
              kv="num_key_value_heads | h",
              dh="head_dim | d/h", ff="intermediate_size", b="attention_bias"),
    parts=rows(
        part("embed_tokens",               "embed.token",     table("V d")),
        part("embed_tokens.eoi_embedding", "embed.image.end", param("d")),
        LAYERS))
T5GEMMA2_ENCODER = Architecture("t5gemma2_encoder", dims=Dims(d="text.d", V="text.V", v="vision.d"),
                                heads=(head("tower Encoder", ""),),
    parts=rows(
        submodel("text",   "text_model.", T5GEMMA2_TEXT),
        submodel("vision", "vision_tower.", head="tower"),
        part("multi_modal_projector.mm_input_projection_weight", "bridge.out",  param("v d")),
        part("multi_modal_projector.mm_soft_emb_norm",           "norm.bridge", scale("v"))),
    dialects=({}, {"text_model.": ""}))
T5GEMMA2_SCORE = part("score.out_proj", "head.class", dense("d -> C"))
T5GEMMA2 = Architecture("t5gemma2", ties="tie_word_embeddings | true",
    dims=Dims(V="decoder.vocab_size", d="decoder.hidden_size", L="decoder.num_hidden_layers",
              h="decoder.num_attention_heads",
              kv="decoder.num_key_value_heads | h", dh="decoder.head_dim | d/h", ff="decoder.intermediate_size",
              b="decoder.attention_bias", C="labels"),
    parts=rows(
        submodel("encoder", "encoder.", T5GEMMA2_ENCODER, config="encoder"),
        under("decoder", LAYERS,
            part("embed_tokens",               "embed.token.decoder",     table("V d"), tied="embed.token"),
            part("embed_tokens.eoi_embedding", "embed.image.end.decoder", param("d"),   tied="embed.image.end"),
            tower="decoder")),
    heads=(
        head("ForConditionalGeneration",  "model.",
             part("lm_head.out_proj", "head.token", linear("d -> V"), tied="embed.token"),
             default=True),
        head("Model",                     ""),
        head("ForSequenceClassification", "model.", T5GEMMA2_SCORE),
        head("ForTokenClassification",    "model.", T5GEMMA2_SCORE)),
    dialects=({}, {"model.encoder.text_model.": "model.encoder.", "encoder.text_model.": "encoder."}))
