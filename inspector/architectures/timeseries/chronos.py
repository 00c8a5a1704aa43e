"""Chronos-Bolt and Chronos-2: T5's layers over patches of a series. Their configs state the type t5; the class decides.

chronos_bolt.py: patches of values and of masks pass a block with a hidden, an output and a residual layer, and such a
block gives all quantiles of the whole prediction; the tokens are padding and, with `use_reg_token`, one register.
chronos2/: no decoder, rotary positions, and in each layer a second attention between series, before the MLP.
"""

from inspector.architectures.text.t5 import T5, T5_ATTENTION, T5_DECODER, T5_ENCODER
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import dense, linear, scale, table

SERIES = Dims(V="2 when chronos_config.use_reg_token | 1", p="chronos_config.input_patch_size",
              n="len(chronos_config.quantiles)")
BLOCK = rows(                                  # i in, o out
    part("hidden_layer",   "mlp.up",       dense("i -> ff")),
    part("output_layer",   "mlp.down",     dense("ff -> o")),
    part("residual_layer", "mlp.residual", dense("i -> o")))
CHRONOS_BOLT = Architecture("ChronosBoltModelForForecasting", ties=T5.ties,
    heads=(head("ChronosBoltModelForForecasting", ""),),
    dims=Dims(**T5.dims) | SERIES | Dims(m="chronos_config.prediction_length"),
    ignores="dense_act_fn chronos_pipeline_class reg_token_id vocab_size",
    parts=rows(
        part("shared", "embed.shared", table("V d")),
        T5_ENCODER, T5_DECODER,
        under("input_patch_embedding",  BLOCK, i="2*p", o="d", tower="input"),
        under("output_patch_embedding", BLOCK, i="d", o="n*m", tower="output")))
CHRONOS2 = Architecture("Chronos2Model", heads=(head("Chronos2Model", ""),),
    dims=Dims(d="d_model", L="num_layers", h="num_heads", dh="d_kv", ff="d_ff") | SERIES
    | Dims(m="chronos_config.output_patch_size"),
    ignores="dense_act_fn chronos_pipeline_class reg_token_id vocab_size is_gated_act feed_forward_proj",
    parts=rows(
        part("shared", "embed.shared", table("V d")),
        part("encoder.final_layer_norm", "norm.final", scale("d")),
        under("encoder.block.{L}",
            under("layer.0", part("layer_norm", "norm.attention", scale("d")), under("self_attention", T5_ATTENTION)),
            under("layer.1", part("layer_norm", "norm.attention", scale("d")), under("self_attention", T5_ATTENTION),
                  tower="series"),
            under("layer.2",
                part("layer_norm", "norm.mlp", scale("d")),
                part("mlp.wi",     "mlp.up",   linear("d -> ff")),
                part("mlp.wo",     "mlp.down", linear("ff -> d")))),
        under("input_patch_embedding",  BLOCK, i="3*p", o="d", tower="input"),
        under("output_patch_embedding", BLOCK, i="d", o="n*m", tower="output")))
