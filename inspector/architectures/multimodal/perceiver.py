"""Perceiver IO with its classes for text, images and optical flow.

modeling_perceiver.py: latents attend to the input once (x wide, the input y wide), then to themselves. Without
`qk_channels` a cross attention is as wide as its keys, or its queries if `cross_attention_shape_for_attention` says so.
What a class feeds in has a width of its own: pixels or channels beside 64 bands of Fourier positions (258), or as many
channels as learned positions. The output is queried by learned positions, or by the input itself for optical flow.
The autoencoder of several modalities pads them to one width: patches of sound (385 positions), of pixels (48
beside 195) and labels.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, batchnorm, conv, dense, param, table

MLP = rows(
    part("layernorm",  "norm.mlp", affine("x")),
    part("mlp.dense1", "mlp.up",   dense("x -> f*x")),
    part("mlp.dense2", "mlp.down", dense("f*x -> x")))
CROSS = rows(                                  # q and v the widths inside
    under("attention",
        part("self.layernorm1", "norm.cross.query", affine("x")),
        part("self.layernorm2", "norm.cross.key",   affine("y")),
        part("self.query",      "cross.query",      dense("x -> q")),
        part("self.key",        "cross.key",        dense("y -> q")),
        part("self.value",      "cross.value",      dense("y -> v")),
        part("output.dense",    "cross.output",     dense("v -> x"))),
    MLP)
SELF = rows(
    under("attention",
        part("self.layernorm1", "norm.attention",   affine("x")),
        part("self.query",      "attention.query",  dense("x -> q")),
        part("self.key",        "attention.key",    dense("x -> q")),
        part("self.value",      "attention.value",  dense("x -> v")),
        part("output.dense",    "attention.output", dense("v -> v"))),
    MLP)
BODY = rows(                                   # w the width of the input, qw and vw those of the attention to it
    part("embeddings.latents", "embed.latent", param("N d")),
    under("encoder.cross_attention", CROSS, x="d", y="w", q="qw", v="vw", f="cross_attention_widening_factor",
          tower="cross"),
    under("encoder.self_attends.{L}", SELF, x="d", q="qs", v="vs", f="self_attention_widening_factor"))
TEXT = under("input_preprocessor",
    part("embeddings",          "embed.token",    table("V m")),
    part("position_embeddings", "embed.position", table("T m")))
CLASSES = under("decoder.decoder",
    part("output_position_encodings.position_embeddings", "embed.position.query", param("1 d")),
    under("decoding_cross_attention", CROSS, x="d", y="d", q="d", v="d", f="1"),
    part("final_layer", "head.class", dense("d -> C")), tower="decoder")
LEARNED = under("input_preprocessor",
    part("convnet_1x1",                             "embed.patch",            conv("3 -> 256, 1 1")),
    part("position_embeddings.position_embeddings", "embed.position",         param("image_size**2 256")),
    part("positions_projection",                    "embed.position.project", dense("256 -> 256")))
CONVOLVED = under("input_preprocessor.convnet",
    part("conv",      "embed.patch", conv("3 -> 64, 7 7", bias=False)),
    part("batchnorm", "norm.embed",  batchnorm("64")))
FLOW = rows(
    part("input_preprocessor.conv_after_patches", "embed.patch", dense("54 -> 64")),
    under("decoder.decoder",
        under("decoding_cross_attention", CROSS, x="322", y="d", q="qf", v="qf", f="1"),
        part("final_layer", "head.flow", dense("322 -> 2")), tower="decoder"))
MODALITIES = rows(                             # i and x the widths of input and queries, l the label's query
    under("input_preprocessor",
        part("mask.audio",    "embed.mask.audio",    param("1 i")),
        part("mask.image",    "embed.mask.image",    param("1 i")),
        part("mask.label",    "embed.mask.label",    param("1 i")),
        part("padding.audio", "embed.padding.audio", param("1 i-385-s")),
        part("padding.image", "embed.padding.image", param("1 i-243")),
        part("padding.label", "embed.padding.label", param("1 i-C"))),
    under("decoder",
        part("padding.audio", "embed.padding.audio", param("1 x-385")),
        part("padding.image", "embed.padding.image", param("1 x-195")),
        part("padding.label", "embed.padding.label", param("1 x-l")),
        part("modalities.label.decoder.output_position_encodings.position_embeddings", "embed.position.query",
             param("1 l")),
        under("decoder.decoding_cross_attention", CROSS, y="d", q="qx", v="qx", f="1"),
        part("decoder.final_layer", "head.project", dense("x -> o")), tower="decoder"),
    under("output_postprocessor.modalities",
        part("audio.classifier", "head.audio", dense("o -> s")),
        part("image.classifier", "head.image", dense("o -> 3")),
        part("label.classifier", "head.class", dense("o -> C"))))
LEARNED_INPUT = rows(BODY, w="512", qw="q512", vw="v512")
PIXELS = rows(BODY, w="261", qw="q261", vw="v261")
FEATURES = rows(BODY, w="322", qw="q322", vw="v322")
PERCEIVER = Architecture("perceiver", ties="false",
    ignores="num_blocks output_shape audio_samples_per_frame num_frames train_size use_query_residual "
            "num_cross_attention_heads num_self_attention_heads",
    dims=Dims(V="vocab_size", T="max_position_embeddings", N="num_latents", d="d_latents", m="d_model",
              L="num_self_attends_per_block", C="labels", by_query="cross_attention_shape_for_attention == 'q'",
              s="samples_per_patch", l="_label_trainable_num_channels", o="output_num_channels",
              i="max(385 + s, 243, C) + 4",
              x="max(385, 195, l) + 2", qs="qk_channels | d", vs="v_channels | qs",
              qm="qk_channels | d when by_query | m", vm="v_channels | qm",
              q261="qk_channels | d when by_query | 261", v261="v_channels | q261",
              q322="qk_channels | d when by_query | 322", v322="v_channels | q322",
              q512="qk_channels | d when by_query | 512", v512="v_channels | q512",
              qi="qk_channels | d when by_query | i", vi="v_channels | qi",
              qf="322 when by_query | d", qx="x when by_query | d"),
    heads=(
        head("Model", "", rows(BODY, w="m", qw="qm", vw="vm")),
        head("ForMaskedLM", "",
            under("perceiver",
                rows(BODY, w="m", qw="qm", vw="vm"), TEXT,
                under("decoder",
                    part("output_position_encodings.position_embeddings", "embed.position.query", param("T m")),
                    under("decoding_cross_attention", CROSS, x="m", y="d", q="256", v="m", f="1"), tower="decoder")),
            part("embedding_decoder.bias", "head.token.bias", param("V"))),
        head("ForSequenceClassification", "", under("perceiver", rows(BODY, w="m", qw="qm", vw="vm"), TEXT, CLASSES)),
        head("ForImageClassificationLearned", "", under("perceiver", LEARNED_INPUT, LEARNED, CLASSES)),
        head("ForImageClassificationFourier", "", under("perceiver", PIXELS, CLASSES)),
        head("ForImageClassificationConvProcessing", "", under("perceiver", FEATURES, CONVOLVED, CLASSES)),
        head("ForOpticalFlow", "", under("perceiver", FEATURES, FLOW)),
        head("ForMultimodalAutoencoding", "", under("perceiver", rows(BODY, w="i", qw="qi", vw="vi"), MODALITIES))))
