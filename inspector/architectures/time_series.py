"""Transformers for time series: Time Series Transformer, Informer, Autoformer.

modeling_time_series_transformer.py: the values of all lags and the features of the time are one vector, projected without bias; positions are
sinusoids and stored. The head has a projection for each argument of its distribution. modeling_informer.py: a convolution and a batch
norm between the layers of the encoder with `distil`. modeling_autoformer.py: every decoder layer projects its trend back to the
vector, the head reads that and not the width.
"""

from inspector.architectures.detr import ATTENTION, CROSS, MLP, NORM_OF_CROSS
from inspector.notation.card import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, batchnorm, conv, dense, linear, table

SERIES = Dims(
    d="d_model", Le="encoder_layers", Ld="decoder_layers", fe="encoder_ffn_dim", fd="decoder_ffn_dim",
    x="input_size*len(lags_sequence) + num_dynamic_real_features + num_time_features + num_static_real_features + 2*input_size"
      " when num_static_categorical_features == 0 | feature_size",
    T="(context_length | prediction_length) + prediction_length", E="len(cardinality) when num_static_categorical_features > 0 | 0",
    i="input_size", A="3 when distribution_output == 'student_t' | 2", N="encoder_layers - 1")
EMBEDDER = part("embedder.embedders.{E}", "embed.category", table("cardinality[{E}] embedding_dimension[{E}]"))
INPUT = rows(
    part("value_embedding.value_projection", "embed.value",    linear("x -> d")),
    part("embed_positions",                  "embed.position", table("T d")),
    part("layernorm_embedding",              "norm.embed",     affine("d")))
ENCODER = under("encoder", INPUT, under("layers.{Le}", under("self_attn", ATTENTION), rows(MLP, ff="fe")), tower="encoder")
DECODER = under("decoder", INPUT,
    under("layers.{Ld}", under("self_attn", ATTENTION), under("encoder_attn", CROSS), NORM_OF_CROSS, rows(MLP, ff="fd")), tower="decoder")
HEADS = (
    head("ForPrediction", "model.", part("parameter_projection.proj.{A}", "head.distribution", dense("d -> i")), default=True),
    head("Model", ""))
TIME_SERIES_TRANSFORMER = Architecture("time_series_transformer", ignores="feature_size", dims=SERIES,
    parts=rows(EMBEDDER, ENCODER, DECODER), heads=HEADS)
INFORMER = Architecture("informer", ignores="feature_size", dims=SERIES, heads=HEADS,
    parts=rows(EMBEDDER, ENCODER, DECODER,
        under("encoder.conv_layers.{N}",
            part("downConv", "resnet.conv", conv("d -> d, 3")),
            part("norm",     "norm.resnet", batchnorm("d")), when="distil")))
AUTO_MLP = rows(
    part("self_attn_layer_norm",       "norm.attention", affine("d")),
    part("fc1",                        "mlp.up",         dense("d -> ff")),
    part("fc2",                        "mlp.down",       dense("ff -> d")),
    part("final_layer_norm.layernorm", "norm.mlp",       affine("d")))
AUTOFORMER = Architecture("autoformer", ignores="feature_size", dims=SERIES,
    parts=rows(
        EMBEDDER,
        under("encoder", INPUT, under("layers.{Le}", under("self_attn", ATTENTION), rows(AUTO_MLP, ff="fe")), tower="encoder"),
        under("decoder", INPUT,
            under("layers.{Ld}", under("self_attn", ATTENTION), under("encoder_attn", CROSS), NORM_OF_CROSS, rows(AUTO_MLP, ff="fd"),
                part("trend_projection", "trend.project", conv("d -> x, 3", bias=False))),
            part("seasonality_projection", "season.project", dense("d -> x")), tower="decoder")),
    heads=(
        head("ForPrediction", "model.", part("parameter_projection.proj.{A}", "head.distribution", dense("x -> i")), default=True),
        head("Model", "")))
