"""CLVP, which speaks in the voice of a sample (Tortoise): a decoder of speech codes and two encoders.

modeling_clvp.py: the encoders have RMS norms, a gated MLP and stored rotary frequencies, at least 16 of them; the
decoder's MLP is GPT-2's, [in, out]. `use_attention_bias` reaches q, k and v; the output has a bias always. The
conditioning encoder has the decoder's width and attends `num_mel_attn_blocks` times.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, linear_io, param, scale, table

ATTENTION = rows(
    part("q_proj",   "attention.query",  linear("d -> d", bias="b")),
    part("k_proj",   "attention.key",    linear("d -> d", bias="b")),
    part("v_proj",   "attention.value",  linear("d -> d", bias="b")),
    part("out_proj", "attention.output", dense("d -> d")))
CLVP_ENCODER = Architecture("clvp_encoder", heads=(head("tower Encoder", ""),),
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="intermediate_size",
              q="projection_dim", b="use_attention_bias"),
    parts=rows(
        part("token_embedding",          "embed.token",      table("V d")),
        part("rotary_pos_emb.inv_freq",  "rotary.frequency", buffer("(max(q//(2*h),32)+1)//2"),
             when="use_rotary_embedding"),
        part("final_layer_norm",         "norm.final",       affine("d")),
        part("projection",               "head.project",     linear("d -> q")),
        under("layers.{L}",
            under("self_attn", ATTENTION),
            part("mlp.fc1.proj",           "mlp.gate_up",    dense("d -> ff + ff", packs="up gate")),
            part("mlp.fc2",                "mlp.down",       dense("ff -> d")),
            part("input_rmsnorm",          "norm.attention", scale("d")),
            part("post_attention_rmsnorm", "norm.mlp",       scale("d")))))
CLVP_DECODER = Architecture("clvp_decoder",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", T="max_position_embeddings", ff="n_inner | 4*d",
              b="use_attention_bias"),
    parts=rows(
        part("input_embeds_layer",    "embed.token",    table("V d")),
        part("position_embeds_layer", "embed.position", table("T d")),
        part("layer_norm",            "norm.final",     affine("d")),
        under("layers.{L}",
            under("attn", ATTENTION),
            part("input_layernorm",          "norm.attention", affine("d")),
            part("post_attention_layernorm", "norm.mlp",       affine("d")),
            part("mlp.c_fc",                 "mlp.up",         linear_io("d -> ff", bias=True)),
            part("mlp.c_proj",               "mlp.down",       linear_io("ff -> d", bias=True)))),
    heads=(
        head("Decoder", ""),
        head("Model", "decoder."),
        head("ForCausalLM", "model.decoder.",
            part("final_norm", "norm.head",  affine("d")),
            part("lm_head",    "head.token", dense("d -> V")), default=True)))
CLVP = Architecture("clvp", heads=(head("ModelForConditionalGeneration", ""),),
    dims=Dims(d="decoder.d", V="text.V", T="decoder_config.max_text_tokens", m="decoder_config.feature_size",
              N="decoder_config.num_mel_attn_blocks", b="decoder_config.use_attention_bias"),
    parts=rows(
        part("logit_scale", "head.scale", param("")),
        under("conditioning_encoder",
            part("text_token_embedding",    "embed.text",       table("V d")),
            part("text_position_embedding", "embed.position.text", table("T d")),
            part("mel_conv",                "embed.audio.conv", conv("m -> d, 1")),
            part("group_norms.{N}",         "norm.attention",   affine("d")),
            under("mel_attn_blocks.{N}", ATTENTION), tower="conditioning"),
        submodel("decoder", "speech_decoder_model.", CLVP_DECODER, head="ForCausalLM"),
        submodel("text",    "text_encoder_model.", CLVP_ENCODER),
        submodel("speech",  "speech_encoder_model.", CLVP_ENCODER)))
