"""PatchTSMixer: MLPs over patches, over features and, in the mode `mix_channel`, over channels.

modeling_patchtsmixer.py: each mixer has a norm, an MLP of `expansion_factor` times its width and, with `gated_attn`, a
gate; with `self_attn` the one over patches attends too. With the loss "mse" a head is one matrix, else one for each
argument of the distribution. Positions that are used are stored, learned or not.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, batchnorm, dense, param

NORM = rows(
    part("norm",           "norm.mlp", affine("d"),    when="layered"),
    part("norm.batchnorm", "norm.mlp", batchnorm("d"), when="not layered"))
MIXER = rows(                                  # z its width
    under("norm", NORM),
    part("mlp.fc1",                 "mlp.up",     dense("z -> z*x")),
    part("mlp.fc2",                 "mlp.down",   dense("z*x -> z")),
    part("gating_block.attn_layer", "mlp.gating", dense("z -> z"), when="gated"))
ATTENTION = rows(
    part("self_attn_layer.q_proj",   "attention.query",  dense("d -> d")),
    part("self_attn_layer.k_proj",   "attention.key",    dense("d -> d")),
    part("self_attn_layer.v_proj",   "attention.value",  dense("d -> d")),
    part("self_attn_layer.out_proj", "attention.output", dense("d -> d")),
    part("norm_attn.norm",           "norm.attention", affine("d"),    when="layered"),
    part("norm_attn.norm.batchnorm", "norm.attention", batchnorm("d"), when="not layered"), when="self_attn")
SCALES = under("inject_scale",
    part("inverse_trans_expansion",   "head.up",    dense("d + 2 -> 2*d")),
    part("inverse_trans_compression", "head.down",  dense("2*d -> d")),
    part("map_scale_expansion",       "head.scale", dense("2 -> 4")),
    part("map_scale_compression",     "head.scale", dense("4 -> 2")), when="scaling in 'std mean' or scaling == true")
PATCHTSMIXER = Architecture("patchtsmixer", ignores="patch_last",
    dims=Dims(d="d_model", L="num_layers", c="num_input_channels", p="patch_length", x="expansion_factor",
              n="num_patches | (max(context_length, p) - p)//patch_stride + 1",
              layered="norm_mlp != 'BatchNorm'", gated="gated_attn",
              one="loss == 'mse'", A="3 when distribution_output == 'student_t' | 2",
              w="d*c when head_aggregation != null | d*c*n", o="prediction_length", t="num_targets"),
    parts=rows(
        part("encoder.patcher",                         "embed.patch",    dense("p -> d")),
        part("encoder.positional_encoder.position_enc", "embed.position", param("n d"), when="use_positional_encoding"),
        under("encoder.mlp_mixer_encoder.mixers.{L}",
            under("patch_mixer",   MIXER, ATTENTION, z="n", tower="patches"),
            under("feature_mixer", MIXER, z="d", tower="features"),
            under("channel_feature_mixer", MIXER, z="c", tower="channels", when="mode == 'mix_channel'"))),
    heads=(
        head("Model", ""),
        head("ForPretraining", "model.", part("head.base_pt_block", "head.patch", dense("d -> p"))),
        head("ForPrediction",  "model.",
            part("head.base_forecast_block",          "head.series", dense("n*d -> o"), when="one"),
            part("head.base_forecast_block.proj.{A}", "head.series", dense("n*d -> o"), when="not one"), default=True),
        head("ForTimeSeriesClassification", "model.", SCALES, part("head.projection", "head.class", dense("w -> t"))),
        head("ForRegression", "model.", SCALES,
            part("head.projection",          "head.target", dense("w -> t"), when="one"),
            part("head.projection.proj.{A}", "head.target", dense("w -> t"), when="not one"))))
