"""VibeVoice, its recogniser, and the acoustic tokenizer of both.

modeling_vibevoice_acoustic_tokenizer.py: ConvNeXt blocks in one dimension, twice as wide after each of
`downsampling_ratios`; the first of `depths` belongs to the stem, and the decoder of a whole tokenizer runs through both
lists backwards.
modeling_vibevoice.py: a diffusion head as wide as the text model, with time steps modulated as in DiT; the head is tied
by the text config. modeling_vibevoice_asr.py: two encoders, no decoder, and a head that is never tied.
"""

from inspector.architectures.blocks import SWIGLU
from inspector.architectures.multimodal.joined_blocks import BARE_MODEL, JOINED, SPELLINGS
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import conv, conv_t, dense, linear, param, scale

BLOCK = rows(                                  # w its width
    part("norm",        "norm.conv",  scale("w")),
    part("mixer.conv",  "conv.depth", conv("w -> w, k", groups="w")),
    part("gamma",       "conv.scale", param("w")),
    part("ffn_norm",    "norm.mlp",   scale("w")),
    part("ffn.linear1", "mlp.up",     dense("w -> x*w")),
    part("ffn.linear2", "mlp.down",   dense("x*w -> w")),
    part("ffn_gamma",   "mlp.scale",  param("w")))
ENCODER = rows(
    part("stem.conv.conv",             "conv.in",   conv("channels -> F, k")),
    part("conv_layers.{S}.conv.conv",  "conv.down", conv("F*2**{S} -> F*2**({S}+1), 2*r[{S}]")),
    part("head.conv",                  "conv.out",  conv("F*2**S -> d, k")),
    under("stem.stage.{B0}", BLOCK, w="F", tower="stem"),
    under("conv_layers.{S}.stage.{B}", BLOCK, w="F*2**({S}+1)"))
DECODER = rows(
    part("stem.conv.conv",                "conv.in",  conv("d -> F*2**(n-1), k")),
    part("conv_layers.{S}.convtr.convtr", "conv.up",  conv_t("F*2**(n-1-{S}) -> F*2**(n-2-{S}), 2*r[S-1-{S}]")),
    part("head.conv",                     "conv.out", conv("F -> channels, k")),
    under("stem.stage.{B0}", BLOCK, w="F*2**(n-1)", tower="stem"),
    under("conv_layers.{S}.stage.{B}", BLOCK, w="F*2**(n-2-{S})"))
DIMS = Dims(d="hidden_size", F="num_filters", k="kernel_size", r="downsampling_ratios", S="len(r)", n="len(depths)",
            x="ffn_expansion",
            B0="depths[0]", B="depths[{S}+1]")
TOKENIZER_ENCODER = Architecture("vibevoice_acoustic_tokenizer_encoder", dims=DIMS,
                                 heads=(head("tower EncoderModel", ""),), parts=ENCODER)
TOKENIZER_DECODER = Architecture("vibevoice_acoustic_tokenizer_decoder", dims=DIMS,
                                 heads=(head("tower DecoderModel", ""),), parts=DECODER)
TOKENIZER = Architecture("vibevoice_acoustic_tokenizer", heads=(head("tower TokenizerModel", ""),),
    dims=DIMS | Dims(R0="depths[n-1]", R="depths[n-2-{S}]"),
    parts=rows(
        under("encoder", ENCODER, tower="encoder"),
        under("decoder", DECODER, B0="R0", B="R", tower="decoder")))
CONNECTOR = rows(                              # a the width it reads
    part("linear_1", "bridge.in",   dense("a -> d")),
    part("act",      "norm.bridge", scale("d")),
    part("linear_2", "bridge.out",  dense("d -> d")))
VIBEVOICE = Architecture("vibevoice", ties="text_config.tie_word_embeddings | false", heads=BARE_MODEL,
    dims=Dims(d="text.d", V="text.V", z="audio.d", s="semantic.d", L="diffusion_head_config.num_hidden_layers",
              ff="diffusion_head_config.intermediate_size", f="diffusion_head_config.frequency_embedding_size",
              b="diffusion_head_config.mlp_bias"),
    parts=rows(
        submodel("text",     "language_model.", head="Model"),
        submodel("audio",    "audio_tower.", TOKENIZER),
        submodel("semantic", "semantic_tokenizer_encoder.", TOKENIZER_ENCODER, config="semantic_model_config"),
        under("multi_modal_projector", CONNECTOR, a="z", tower="acoustic"),
        under("semantic_connector", CONNECTOR, a="s", tower="semantic"),
        part("latent_scaling_factor", "scale.latent",       param("")),
        part("latent_bias_factor",    "scale.latent.shift", param("")),
        under("diffusion_head",
            part("noisy_images_proj",    "embed.latent",    linear("z -> d")),
            part("cond_proj",            "embed.condition", linear("d -> d")),
            part("timestep_proj.fc1",    "embed.time.1",    linear("f -> d")),
            part("timestep_proj.fc2",    "embed.time.2",    linear("d -> d")),
            part("final_layer.linear_1", "head.modulation", linear("d -> d + d", packs="shift scale")),
            part("final_layer.linear_2", "head.latent",     linear("d -> z")),
            under("layers.{L}",
                part("norm",   "norm.mlp",        scale("d")),
                part("linear", "norm.modulation", linear("d -> d + d + d", packs="shift scale gate")),
                under("ffn", SWIGLU)), tower="diffusion")))
VIBEVOICE_ASR = Architecture("vibevoice_asr", heads=JOINED, ties="false", dialects=SPELLINGS,
    dims=Dims(d="text.d", V="text.V", a="acoustic.d", s="semantic.d"),
    parts=rows(
        submodel("text",     "language_model.", head="Model"),
        submodel("acoustic", "acoustic_tokenizer_encoder.", TOKENIZER_ENCODER,
                 config="acoustic_tokenizer_encoder_config"),
        submodel("semantic", "semantic_tokenizer_encoder.", TOKENIZER_ENCODER,
                 config="semantic_tokenizer_encoder_config"),
        under("multi_modal_projector",
            part("acoustic_linear_1", "bridge.acoustic.in",   dense("a -> d")),
            part("acoustic_norm",     "norm.bridge.acoustic", scale("d")),
            part("acoustic_linear_2", "bridge.acoustic.out",  dense("d -> d")),
            part("semantic_linear_1", "bridge.semantic.in",   dense("s -> d")),
            part("semantic_norm",     "norm.bridge.semantic", scale("d")),
            part("semantic_linear_2", "bridge.semantic.out",  dense("d -> d")))))
