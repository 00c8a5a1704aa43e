"""Transformers for time series: Time Series Transformer, Informer, Autoformer, PatchTST, TimesFM.

modeling_time_series_transformer.py: the values of all lags and the features of the time are one vector, projected
without bias; positions are sinusoids and stored. The head has a projection for each argument of its distribution.
modeling_informer.py: a convolution and a batch norm between the layers of the encoder with `distil`.
modeling_autoformer.py: every decoder layer projects its trend back to the vector, the head reads that and not the
width.
modeling_patchtst.py: patches of one channel, projected by one matrix or by each channel's; positions are stored,
learned or not. With the loss "mse" a head is one matrix, else one for each argument of the distribution.
modeling_timesfm.py: a patch and its mask are read together; every head's dim has a scale. modeling_timesfm2_5.py: heads
share keys, a second output for quantiles.
"""

from inspector.architectures.vision.detr import ATTENTION, CROSS, MLP, NORM_OF_CROSS
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, batchnorm, buffer, conv, dense, linear, param, scale, table

SERIES = Dims(
    d="d_model", Le="encoder_layers", Ld="decoder_layers", fe="encoder_ffn_dim", fd="decoder_ffn_dim",
    x="same(feature_size, inputs) when stated.feature_size | inputs",
    inputs="input_size*len(lags_sequence) + num_dynamic_real_features + num_time_features + num_static_real_features + "
      "2*input_size"
      " when num_static_categorical_features == 0 | feature_size",
    T="(context_length | prediction_length) + prediction_length",
    E="len(cardinality) when num_static_categorical_features > 0 | 0",
    i="input_size", A="3 when distribution_output == 'student_t' | 2", N="encoder_layers - 1")
EMBEDDER = part("embedder.embedders.{E}", "embed.category", table("cardinality[{E}] embedding_dimension[{E}]"))
INPUT = rows(
    part("value_embedding.value_projection", "embed.value",    linear("x -> d")),
    part("embed_positions",                  "embed.position", table("T d")),
    part("layernorm_embedding",              "norm.embed",     affine("d")))
ENCODER = under("encoder", INPUT, under("layers.{Le}", under("self_attn", ATTENTION), rows(MLP, ff="fe")),
                tower="encoder")
DECODER = under("decoder", INPUT,
    under("layers.{Ld}", under("self_attn", ATTENTION), under("encoder_attn", CROSS), NORM_OF_CROSS,
          rows(MLP, ff="fd")), tower="decoder")
HEADS = (
    head("ForPrediction", "model.", part("parameter_projection.proj.{A}", "head.distribution", dense("d -> i")),
         default=True),
    head("Model", ""))
TIME_SERIES_TRANSFORMER = Architecture("time_series_transformer", dims=SERIES,
    parts=rows(EMBEDDER, ENCODER, DECODER), heads=HEADS)
INFORMER = Architecture("informer", dims=SERIES, heads=HEADS,
    parts=rows(EMBEDDER, ENCODER, DECODER,
        under("encoder.conv_layers.{N}",
            part("downConv", "resnet.conv", conv("d -> d, 3")),
            part("norm",     "norm.resnet", batchnorm("d")), when="distil")))
AUTO_MLP = rows(
    part("self_attn_layer_norm",       "norm.attention", affine("d")),
    part("fc1",                        "mlp.up",         dense("d -> ff")),
    part("fc2",                        "mlp.down",       dense("ff -> d")),
    part("final_layer_norm.layernorm", "norm.mlp",       affine("d")))
AUTOFORMER = Architecture("autoformer", dims=SERIES,
    parts=rows(
        EMBEDDER,
        under("encoder", INPUT, under("layers.{Le}", under("self_attn", ATTENTION), rows(AUTO_MLP, ff="fe")),
              tower="encoder"),
        under("decoder", INPUT,
            under("layers.{Ld}", under("self_attn", ATTENTION), under("encoder_attn", CROSS), NORM_OF_CROSS,
                  rows(AUTO_MLP, ff="fd"),
                part("trend_projection", "head.trend", conv("d -> x, 3", bias=False))),
            part("seasonality_projection", "head.season", dense("d -> x")), tower="decoder")),
    heads=(
        head("ForPrediction", "model.", part("parameter_projection.proj.{A}", "head.distribution", dense("x -> i")),
             default=True),
        head("Model", "")))

NORM_1 = rows(
    part("norm_sublayer1.batchnorm", "norm.attention", batchnorm("d"), when="norm_type == 'batchnorm'"),
    part("norm_sublayer1",           "norm.attention", affine("d"),    when="norm_type == 'layernorm'"))
NORM_2 = rows(
    part("norm_sublayer2.batchnorm", "norm.channel", batchnorm("d"), when="norm_type == 'batchnorm'"),
    part("norm_sublayer2",           "norm.channel", affine("d"),    when="norm_type == 'layernorm'"))
NORM_3 = rows(
    part("norm_sublayer3.batchnorm", "norm.mlp", batchnorm("d"), when="norm_type == 'batchnorm'"),
    part("norm_sublayer3",           "norm.mlp", affine("d"),    when="norm_type == 'layernorm'"))
PATCHTST = Architecture("patchtst",
    dims=Dims(d="d_model", L="num_hidden_layers", ff="ffn_dim", c="num_input_channels", k="c", p="patch_length",
              b="bias",
              n="(max(context_length, p) - p)//patch_stride + 1", m="n + 1 when use_cls_token | n", one="loss == 'mse'",
              A="3 when distribution_output == 'student_t' | 2",
              w="d when use_cls_token | d when pooling_type != null | d*n",
              o="prediction_length", t="num_targets"),
    parts=rows(
        part("encoder.embedder.input_embedding",      "embed.patch",    dense("p -> d"), when="share_embedding"),
        part("encoder.embedder.input_embedding.{k}",  "embed.patch",    dense("p -> d"), when="not share_embedding"),
        part("encoder.positional_encoder.cls_token",  "embed.class",    param("1 1 1 d"), when="use_cls_token"),
        part("encoder.positional_encoder.position_enc", "embed.position", param("m d")),
        under("encoder.layers.{L}",
            under("self_attn", ATTENTION),
            NORM_1, rows(NORM_2, when="channel_attention"), NORM_3,
            part("ff.0", "mlp.up",   linear("d -> ff", bias="b")),
            part("ff.3", "mlp.down", linear("ff -> d", bias="b")))),
    heads=(
        head("Model", ""),
        head("ForPretraining",    "model.", part("head.linear", "head.patch", dense("d -> p"))),
        head("ForClassification", "model.", part("head.linear", "head.class", dense("c*d -> t"))),
        head("ForPrediction",     "model.",
            part("head.projection",               "head.series", dense("w -> o"), when="share_projection and one"),
            part("head.projection.proj.{A}",      "head.series", dense("w -> o"), when="share_projection and not one"),
            part("head.projections.{k}",          "head.series", dense("w -> o"), when="not share_projection and one"),
            part("head.projections.{k}.proj.{A}", "head.series", dense("w -> o"),
                 when="not share_projection and not one"), default=True),
        head("ForRegression",     "model.",
            part("head.projection",          "head.target", dense("c*d -> t"), when="one"),
            part("head.projection.proj.{A}", "head.target", dense("c*d -> t"), when="not one"))))

RESIDUAL = rows(                               # i numbers in, m inside, o out
    part("input_layer",    "mlp.block.up",   dense("i -> m")),
    part("output_layer",   "mlp.block.down", dense("m -> o")),
    part("residual_layer", "mlp.block.skip", dense("i -> o")))
TIMESFM = Architecture("timesfm",
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", dh="head_dim", ff="intermediate_size",
              p="patch_length",
              y="horizon_length*(len(quantiles) + 1)"),
    parts=rows(
        under("input_ff_layer", RESIDUAL, i="2*p", m="ff", o="d", tower="in"),
        part("freq_emb", "embed.frequency", table("freq_size d")),
        part("position_emb.inv_timescales", "embed.position", buffer("d//2"), when="use_positional_embedding"),
        under("layers.{L}",
            part("input_layernorm",   "norm.attention",   scale("d")),
            part("self_attn.q_proj",  "attention.query",  dense("d -> h*dh")),
            part("self_attn.k_proj",  "attention.key",    dense("d -> h*dh")),
            part("self_attn.v_proj",  "attention.value",  dense("d -> h*dh")),
            part("self_attn.o_proj",  "attention.output", dense("h*dh -> d")),
            part("self_attn.scaling", "attention.scale",  param("dh")),
            part("mlp.layer_norm",    "norm.mlp",         affine("d")),
            part("mlp.gate_proj",     "mlp.up",           dense("d -> ff")),
            part("mlp.down_proj",     "mlp.down",         dense("ff -> d")))),
    heads=(
        head("ForPrediction", "decoder.", under("horizon_ff_layer", RESIDUAL, i="d", m="ff", o="y", tower="out"),
             default=True),
        head("Model", "")))
FREE_RESIDUAL = rows(                          # o numbers out
    part("input_layer",    "mlp.block.up",   linear("d -> d", bias="use_bias")),
    part("output_layer",   "mlp.block.down", linear("d -> o", bias="use_bias")),
    part("residual_layer", "mlp.block.skip", linear("d -> o", bias="use_bias")))
TIMESFM2_5 = Architecture("timesfm2_5", dialects=({}, {"*.ff0": ".fc1", "*.ff1": ".fc2"}),
    dims=Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", kv="num_key_value_heads",
              dh="head_dim | d//h",
              ff="intermediate_size", p="patch_length", b="attention_bias", y="horizon_length*(len(quantiles) + 1)",
              z="output_quantile_len*(len(quantiles) + 1)"),
    parts=rows(
        under("input_ff_layer", RESIDUAL, i="2*p", m="d", o="d", tower="in"),
        under("layers.{L}",
            part("input_layernorm",            "norm.attention",     scale("d")),
            part("post_attention_layernorm",   "norm.attention.out", scale("d")),
            part("pre_feedforward_layernorm",  "norm.mlp",           scale("d")),
            part("post_feedforward_layernorm", "norm.mlp.out",       scale("d")),
            part("self_attn.q_proj",  "attention.query",  linear("d -> h*dh", bias="b")),
            part("self_attn.k_proj",  "attention.key",    linear("d -> kv*dh", bias="b")),
            part("self_attn.v_proj",  "attention.value",  linear("d -> kv*dh", bias="b")),
            part("self_attn.o_proj",  "attention.output", linear("h*dh -> d", bias="b")),
            part("self_attn.q_norm",  "norm.query",       scale("dh")),
            part("self_attn.k_norm",  "norm.key",         scale("dh")),
            part("self_attn.scaling", "attention.scale",  param("dh")),
            part("mlp.ff0",           "mlp.up",           linear("d -> ff", bias="use_bias")),
            part("mlp.ff1",           "mlp.down",         linear("ff -> d", bias="use_bias")))),
    heads=(
        head("ForPrediction", "model.",
            under("output_projection_point",     FREE_RESIDUAL, o="y", tower="point"),
            under("output_projection_quantiles", FREE_RESIDUAL, o="z", tower="quantiles"), default=True),
        head("Model", "")))
