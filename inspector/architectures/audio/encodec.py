"""EnCodec and MusicGen.

modeling_encodec.py: the numbers of `layers` leap over activations: with R residual layers a stage is R blocks, an
activation and a convolution that halves or doubles. The encoder runs through `upsampling_ratios` backwards; kernels are
twice the ratio; the weight norm's magnitude is on the first axis, which is the input's for transposed convolutions.
All codebooks are buffers; how many there are follows from the largest bandwidth (`bits`: the codes' logarithm, rounded
up).
modeling_musicgen.py: a table and a head for each codebook, nothing tied, projections without bias, sinusoids not
stored.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, conv_t, dense, linear, param, table, weight_norm

LSTM = rows(                                   # D is its width, Q its layers
    part("lstm.weight_ih_l{Q}", "lstm.input",       param("4*D D")),
    part("lstm.weight_hh_l{Q}", "lstm.hidden",      param("4*D D")),
    part("lstm.bias_ih_l{Q}",   "lstm.input.bias",  param("4*D")),
    part("lstm.bias_hh_l{Q}",   "lstm.hidden.bias", param("4*D")))
NORMED_BLOCK = rows(                           # w its width, m between
    part("block.1.conv",  "resnet.conv.1",   weight_norm(conv("w -> m, residual_kernel_size"))),
    part("block.3.conv",  "resnet.conv.2",   weight_norm(conv("m -> w, 1"))),
    part("shortcut.conv", "resnet.skip", weight_norm(conv("w -> w, 1")), when="use_conv_shortcut"))
GROUPED_BLOCK = rows(
    part("block.1.conv",  "resnet.conv.1",   conv("w -> m, residual_kernel_size")),
    part("block.1.norm",  "norm.1",          affine("m")),
    part("block.3.conv",  "resnet.conv.2",   conv("m -> w, 1")),
    part("block.3.norm",  "norm.2",          affine("w")),
    part("shortcut.conv", "resnet.skip", conv("w -> w, 1"), when="use_conv_shortcut"),
    part("shortcut.norm", "norm.resnet.skip", affine("w"),       when="use_conv_shortcut"))
NORMED = rows(
    under("encoder.layers",
        part("0.conv",    "conv.in",   weight_norm(conv("audio_channels -> F, kernel_size"))),
        under("{EB}", NORMED_BLOCK, w="we", m="we//compress"),
        part("{ED}.conv", "conv.down", weight_norm(conv("wd//2 -> wd, 2*rd"))),
        part("{EO}.conv", "conv.out",  weight_norm(conv("D -> d, last_kernel_size"))), tower="encoder"),
    under("decoder.layers",
        part("0.conv",    "conv.in",   weight_norm(conv("d -> D, kernel_size"))),
        part("{DU}.conv", "conv.up",   weight_norm(conv_t("2*wu -> wu, 2*ru"))),
        under("{DB}", NORMED_BLOCK, w="wb", m="wb//compress"),
        part("{DO}.conv", "conv.out",  weight_norm(conv("F -> audio_channels, last_kernel_size"))), tower="decoder"),
    when="norm_type == 'weight_norm'")
GROUPED = rows(
    under("encoder.layers",
        part("0.conv",    "conv.in",   conv("audio_channels -> F, kernel_size")),
        part("0.norm",    "norm.in",   affine("F")),
        under("{EB}", GROUPED_BLOCK, w="we", m="we//compress"),
        part("{ED}.conv", "conv.down", conv("wd//2 -> wd, 2*rd")),
        part("{ED}.norm", "norm.down", affine("wd")),
        part("{EO}.conv", "conv.out",  conv("D -> d, last_kernel_size")),
        part("{EO}.norm", "norm.out",  affine("d")), tower="encoder"),
    under("decoder.layers",
        part("0.conv",    "conv.in",   conv("d -> D, kernel_size")),
        part("0.norm",    "norm.in",   affine("D")),
        part("{DU}.conv", "conv.up",   conv_t("2*wu -> wu, 2*ru")),
        part("{DU}.norm", "norm.up",   affine("wu")),
        under("{DB}", GROUPED_BLOCK, w="wb", m="wb//compress"),
        part("{DO}.conv", "conv.out",  conv("F -> audio_channels, last_kernel_size")),
        part("{DO}.norm", "norm.out",  affine("audio_channels")), tower="decoder"),
    when="norm_type == 'time_group_norm'")
# F, D: channels of the first and last convolution; ME, MD: numbered modules of encoder and decoder; EB, DB: blocks;
# ED, DU: down- and upsampling; EL, DL: LSTM; EO, DO: the last; we, wd, wu, wb: channels; rd, ru: strides; hop: samples
# per frame; bits: of one code; q: quantizers; K, e: number and width of codes
ENCODEC = Architecture("encodec",
    dims=Dims(d="hidden_size", F="num_filters", S="len(upsampling_ratios)", R="num_residual_layers", D="F * 2**S",
              Q="num_lstm_layers", K="codebook_size", e="codebook_dim | d",
              ME="S*(R+2) + 1", EB="ME[{ME} > 0 and ({ME} - 1) % (R+2) < R]", ED="ME[{ME} > 0 and {ME} % (R+2) == 0]",
              EL="S*(R+2) + 1 : S*(R+2) + 2", EO="S*(R+2) + 3 : S*(R+2) + 4",
              we="F * 2**(({EB}-1)//(R+2))", wd="F * 2**({ED}//(R+2))",
              rd="upsampling_ratios[S - {ED}//(R+2)] | 1",
              MD="S*(R+2) + 2", DU="MD[{MD} > 2 and ({MD} - 2) % (R+2) == 1]",
              DB="MD[{MD} > 2 and ({MD} - 2) % (R+2) > 1]",
              DL="1 : 2", DO="S*(R+2) + 3 : S*(R+2) + 4",
              wu="F * 2**(S - 1 - ({DU}-2)//(R+2))", wb="F * 2**(S - 1 - ({DB}-2)//(R+2))",
              ru="upsampling_ratios[({DU}-2)//(R+2)] | 1",
              hop="prod(upsampling_ratios)", rate="(sampling_rate + hop - 1)//hop",
              bandwidth="target_bandwidths[len(target_bandwidths) - 1]", P="24", bits="P[2**{P} < K]",
              q="floor(1000*bandwidth // (rate*bits))"),
    heads=(head("Model", ""),),
    dialects=({}, {"*.parametrizations.weight.original0": ".weight_g",
                   "*.parametrizations.weight.original1": ".weight_v"}),
    parts=rows(
        NORMED, GROUPED,
        under("encoder.layers.{EL}", LSTM, tower="encoder"),
        under("decoder.layers.{DL}", LSTM, tower="decoder"),
        under("quantizer.layers.{q}.codebook",
            part("inited",       "quantizer.ready",   buffer("1")),
            part("cluster_size", "quantizer.size",    buffer("K")),
            part("embed",        "quantizer.codes",   buffer("K e")),
            part("embed_avg",    "quantizer.average", buffer("K e")))))
MUSIC_BODY = rows(
    part("embed_tokens.{Q}",            "embed.token",      table("V+1 d")),
    part("layer_norm",                  "norm.final",       affine("d")),
    under("layers.{L}",
        part("self_attn.q_proj",        "attention.query",  linear("d -> d")),
        part("self_attn.k_proj",        "attention.key",    linear("d -> d")),
        part("self_attn.v_proj",        "attention.value",  linear("d -> d")),
        part("self_attn.out_proj",      "attention.output", linear("d -> d")),
        part("self_attn_layer_norm",    "norm.attention",   affine("d")),
        part("fc1",                     "mlp.up",           linear("d -> ff")),
        part("fc2",                     "mlp.down",         linear("ff -> d")),
        part("final_layer_norm",        "norm.mlp",         affine("d"))))
MUSIC_CROSS = under("layers.{L}",
    part("encoder_attn.q_proj",         "cross.query",      linear("d -> d")),
    part("encoder_attn.k_proj",         "cross.key",        linear("d -> d")),
    part("encoder_attn.v_proj",         "cross.value",      linear("d -> d")),
    part("encoder_attn.out_proj",       "cross.output",     linear("d -> d")),
    part("encoder_attn_layer_norm",     "norm.cross",       affine("d")))
MUSIC_DIMS = Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", ff="ffn_dim", Q="num_codebooks")
MUSIC_HEADS = part("lm_heads.{Q}",      "head.token",       linear("d -> V"))
MUSICGEN_DECODER = Architecture("musicgen_decoder", dims=MUSIC_DIMS, parts=rows(MUSIC_BODY, MUSIC_CROSS),
    heads=(head("ForCausalLM", "model.decoder.", MUSIC_HEADS), head("Model", "decoder.")))
MUSICGEN = Architecture("musicgen", dims=Dims(),
    heads=(
        head("ForConditionalGeneration", "",
            submodel("text", "text_encoder.", config="text_encoder"),
            submodel("audio", "audio_encoder.", config="audio_encoder"),
            submodel("decoder", "decoder.", MUSICGEN_DECODER, config="decoder"),
            part("enc_to_dec_proj", "project", dense("text.d -> decoder.d"), when="text.d != decoder.d")),
        head("ForCausalLM", "", submodel("decoder", "", MUSICGEN_DECODER, config="decoder")),
        head("Model", "", submodel("decoder", "", MUSICGEN_DECODER, config="decoder", head="Model"))))
MELODY_DECODER = Architecture("musicgen_melody_decoder", dims=MUSIC_DIMS, parts=MUSIC_BODY,
    heads=(head("ForCausalLM", "model.decoder.", MUSIC_HEADS), head("Model", "decoder.")))
MUSICGEN_MELODY = Architecture("musicgen_melody", dims=Dims(),
    heads=(
        head("ForConditionalGeneration", "",
            submodel("text", "text_encoder.", config="text_encoder"),
            submodel("audio", "audio_encoder.", config="audio_encoder"),
            submodel("decoder", "decoder.", MELODY_DECODER, config="decoder"),
            part("enc_to_dec_proj", "project", dense("text.d -> decoder.d"), when="text.d != decoder.d"),
            part("audio_enc_to_dec_proj", "project.audio", dense("num_chroma -> decoder.d"),
                 when="num_chroma != decoder.d")),
        head("ForCausalLM", "", submodel("decoder", "", MELODY_DECODER, config="decoder")),
        head("Model", "", submodel("decoder", "", MELODY_DECODER, config="decoder", head="Model"))))
