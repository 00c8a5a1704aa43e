"""Wav2vec2 and what is built like it: UniSpeech, UniSpeech-SAT, HuBERT, WavLM, SEW, data2vec audio, the conformer.

modeling_wav2vec2.py: convolution i reads `conv_dim[i-1]`, the first one 1; with group norm only convolution 0 has a
`layer_norm`; the position convolution is grouped and weight-normed on axis 2; `masked_spec_embed` exists where a mask
probability is positive. An `adapter_layer` in every layer (MMS) with `adapter_attn_dim` and the stable layer norm.
modeling_hubert.py: a batch norm instead of the weight norm, the projection's norm is a switch. modeling_wavlm.py: the
relative table is in layer 0, a gate in each. modeling_unispeech_sat.py: always masked, the quantizer reads the hidden
width. modeling_data2vec_audio.py: every convolution is normed, positions by several plain convolutions. Files of
transformers before 4.38 say `weight_g` and `weight_v`.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under, usually
from inspector.notation.kinds import affine, batchnorm, conv, dense, linear, param, table, weight_norm

WEIGHTED = part("layer_weights", "pool.layers", param("L+1"), when="use_weighted_layer_sum")
# N: convolutions; w, v, k: channels out, in, kernel; f: channels of the last; Z: those with a norm; K, G: kernel and
# groups of the position convolution; A, a: adapter layers and their kernel; X, xw, xv: TDNN layers, channels out and
# in
SPEECH = Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="intermediate_size",
              C="labels", N="len(conv_dim)", w="conv_dim[{N}]", v="conv_dim[{N}-1] | 1",
              k="conv_kernel[{N}]", f="conv_dim[N-1]",
              Z="N when feat_extract_norm == 'layer' | N[:1]", b="conv_bias", K="num_conv_pos_embeddings",
              G="num_conv_pos_embedding_groups", A="num_adapter_layers", a="adapter_kernel_size",
              o="output_hidden_size | d",
              r="num_codevector_groups", m="num_codevectors_per_group", X="len(tdnn_dim)", xw="tdnn_dim[{X}]",
              xv="tdnn_dim[{X}-1] | tdnn_dim[0]",
              masked="(mask_time_prob | 0) > 0 or (mask_feature_prob | 0) > 0")
MASK = usually(part("masked_spec_embed", "embed.mask", param("d"), when="masked"))
CONVOLUTIONS = rows(
    part("feature_extractor.conv_layers.{N}.conv",       "embed.audio", conv("v -> w, k", bias="b")),
    part("feature_extractor.conv_layers.{Z}.layer_norm", "norm.audio",  affine("w")))
PROJECTION = rows(
    part("feature_projection.layer_norm", "norm.embed",     affine("f")),
    part("feature_projection.projection", "embed.project",  dense("f -> d")))
POSITION = part("encoder.pos_conv_embed.conv", "embed.position", weight_norm(conv("d -> d, K", groups="G"), axis=2))
FINAL = part("encoder.layer_norm", "norm.final", affine("d"))
SPEECH_LAYER = rows(
    part("attention.q_proj",                "attention.query",  dense("d -> d")),
    part("attention.k_proj",                "attention.key",    dense("d -> d")),
    part("attention.v_proj",                "attention.value",  dense("d -> d")),
    part("attention.out_proj",              "attention.output", dense("d -> d")),
    part("layer_norm",                      "norm.attention",   affine("d")),
    part("feed_forward.intermediate_dense", "mlp.up",           dense("d -> ff")),
    part("feed_forward.output_dense",       "mlp.down",         dense("ff -> d")),
    part("final_layer_norm",                "norm.mlp",         affine("d")))
LAYER_ADAPTER = under("adapter_layer",
    part("norm",     "norm.adapter.layer", affine("d")),
    part("linear_1", "adapter.down",       dense("d -> adapter_attn_dim")),
    part("linear_2", "adapter.up",         dense("adapter_attn_dim -> d")),
    when="adapter_attn_dim != null and do_stable_layer_norm")
ADAPTER = under("adapter",
    part("layers.{A}.conv",  "adapter.conv",    conv("o -> o + o, a")),
    part("proj",             "adapter.project", dense("d -> o"), when="o != d"),
    part("proj_layer_norm",  "norm.adapter",    affine("o"),     when="o != d"), when="add_adapter")
CTC = part("lm_head", "head.token", dense("(o when add_adapter | d) -> V"))
SEQUENCE = rows(WEIGHTED,
    part("projector",  "head.dense", dense("d -> classifier_proj_size")),
    part("classifier", "head.class", dense("classifier_proj_size -> C")))
FRAMES = rows(WEIGHTED, part("classifier", "head.class", dense("d -> C")))
QUANTIZER = rows(
    part("project_hid", "head.dense",     dense("d -> proj_codevector_dim")),
    part("project_q",   "head.dense.q",   dense("codevector_dim -> proj_codevector_dim")),
    part("quantizer.codevectors", "quantizer.codes",   param("1 r*m codevector_dim//r")),
    part("quantizer.weight_proj", "quantizer.project", dense("f -> r*m")))
XVECTOR = rows(WEIGHTED,
    part("projector",         "head.dense",     dense("d -> tdnn_dim[0]")),
    part("tdnn.{X}.kernel",   "head.tdnn",      dense("xv*tdnn_kernel[{X}] -> xw")),
    part("feature_extractor", "head.features",  dense("2*tdnn_dim[X-1] -> xvector_output_dim")),
    part("classifier",        "head.class",     dense("xvector_output_dim -> xvector_output_dim")),
    part("objective.weight",  "head.objective", param("xvector_output_dim C")))
OLD_WEIGHT_NORM = {"*.parametrizations.weight.original0": ".weight_g",
                   "*.parametrizations.weight.original1": ".weight_v"}
WAV2VEC2 = Architecture("wav2vec2", dims=SPEECH, dialects=({}, OLD_WEIGHT_NORM),
    parts=rows(MASK, CONVOLUTIONS, PROJECTION, POSITION, FINAL,
               under("encoder.layers.{L}", SPEECH_LAYER, LAYER_ADAPTER), ADAPTER),
    heads=(
        head("Model",                       ""),
        head("ForCTC ForMaskedLM",          "wav2vec2.", CTC),
        head("ForSequenceClassification",   "wav2vec2.", SEQUENCE),
        head("ForAudioFrameClassification", "wav2vec2.", FRAMES),
        head("ForPreTraining",              "wav2vec2.", QUANTIZER),
        head("ForXVector",                  "wav2vec2.", XVECTOR)))
UNISPEECH = Architecture("unispeech", dims=SPEECH, dialects=({}, OLD_WEIGHT_NORM),
    parts=rows(MASK, CONVOLUTIONS, PROJECTION, POSITION, FINAL,
               under("encoder.layers.{L}", SPEECH_LAYER, LAYER_ADAPTER)),
    heads=(
        head("Model",                       ""),
        head("ForCTC",                      "unispeech.", CTC),
        head("ForSequenceClassification",   "unispeech.", SEQUENCE),
        head("ForPreTraining",              "unispeech.",
            part("project_q",             "head.dense.q",      dense("codevector_dim -> proj_codevector_dim")),
            part("project_hid",           "head.dense",        dense("proj_codevector_dim -> d")),
            part("ctc_proj",              "head.token",        dense("d -> num_ctc_classes")),
            part("quantizer.codevectors", "quantizer.codes",   param("1 r*m codevector_dim//r")),
            part("quantizer.weight_proj", "quantizer.project", dense("f -> r*m")))))
UNISPEECH_SAT = Architecture("unispeech-sat", dims=SPEECH | Dims(masked="true"), dialects=({}, OLD_WEIGHT_NORM),
    parts=rows(MASK, CONVOLUTIONS, PROJECTION, POSITION, FINAL,
               under("encoder.layers.{L}", SPEECH_LAYER, LAYER_ADAPTER)),
    heads=(
        head("Model",                       ""),
        head("ForCTC",                      "unispeech_sat.", CTC),
        head("ForSequenceClassification",   "unispeech_sat.", SEQUENCE),
        head("ForAudioFrameClassification", "unispeech_sat.", FRAMES),
        head("ForXVector",                  "unispeech_sat.", XVECTOR),
        head("ForPreTraining",              "unispeech_sat.", rows(QUANTIZER, f="d"),
            part("speaker_proj",            "head.speaker",   dense("d -> codevector_dim")),
            part("label_embeddings_concat", "head.labels",    param("num_clusters codevector_dim")),
            part("layer_norm_for_extract",  "norm.extract",   affine("d")))))
HUBERT = Architecture("hubert", dims=SPEECH, dialects=({}, OLD_WEIGHT_NORM),
    parts=rows(
        MASK, CONVOLUTIONS, FINAL,
        part("feature_projection.layer_norm", "norm.embed",    affine("f"), when="(feat_proj_layer_norm | true)"),
        part("feature_projection.projection", "embed.project", dense("f -> d")),
        part("encoder.pos_conv_embed.conv.bias",  "embed.position.bias", param("d")),
        part("encoder.pos_conv_embed.conv",       "embed.position",
             weight_norm(conv("d -> d, K", groups="G", bias=False), axis=2), when="not conv_pos_batch_norm"),
        rows(
            part("encoder.pos_conv_embed.conv",       "embed.position.normed",
                 conv("d -> d, K", groups="G", bias=False)),
            part("encoder.pos_conv_embed.batch_norm", "norm.position",         batchnorm("d")),
            when="conv_pos_batch_norm"),
        under("encoder.layers.{L}", SPEECH_LAYER, LAYER_ADAPTER)),
    heads=(
        head("Model",                       ""),
        head("ForCTC",                      "hubert.", CTC),
        head("ForSequenceClassification",   "hubert.", SEQUENCE)))
WAVLM = Architecture("wavlm", dims=SPEECH, dialects=({}, OLD_WEIGHT_NORM),
    parts=rows(
        MASK, CONVOLUTIONS, PROJECTION, POSITION, FINAL, ADAPTER,
        under("encoder.layers.{L}", SPEECH_LAYER),
        part("encoder.layers.0.attention.rel_attn_embed",        "attention.bias",          table("num_buckets h")),
        part("encoder.layers.{L}.attention.gru_rel_pos_const",   "attention.gate.constant", param("1 h 1 1")),
        part("encoder.layers.{L}.attention.gru_rel_pos_linear",  "attention.gate",          dense("d/h -> 8"))),
    heads=(
        head("Model",                       ""),
        head("ForCTC",                      "wavlm.", CTC),
        head("ForSequenceClassification",   "wavlm.", SEQUENCE),
        head("ForAudioFrameClassification", "wavlm.", FRAMES),
        head("ForXVector",                  "wavlm.", XVECTOR)))
SEW = Architecture("sew", dims=SPEECH, dialects=({}, OLD_WEIGHT_NORM),
    parts=rows(
        MASK, CONVOLUTIONS, POSITION, FINAL,
        part("layer_norm",                  "norm.embed",      affine("f")),
        part("feature_projection",          "embed.project",   dense("f -> d"), when="f != d"),
        under("encoder.layers.{L}", SPEECH_LAYER),
        part("encoder.upsample.projection", "embed.upsample",  dense("d -> d*squeeze_factor"))),
    heads=(
        head("Model",                       ""),
        head("ForCTC",                      "sew.", CTC),
        head("ForSequenceClassification",   "sew.", SEQUENCE)))
DATA2VEC_AUDIO = Architecture("data2vec-audio", dims=SPEECH | Dims(P="num_conv_pos_embeddings"),
    parts=rows(
        MASK, PROJECTION, FINAL, ADAPTER, rows(CONVOLUTIONS, Z="N"),
        part("encoder.pos_conv_embed.layers.{P}.conv", "embed.position",
             conv("d -> d, conv_pos_kernel_size", groups="G")),
        under("encoder.layers.{L}", SPEECH_LAYER)),
    heads=(
        head("Model",                       ""),
        head("ForCTC",                      "data2vec_audio.", CTC),
        head("ForSequenceClassification",   "data2vec_audio.", SEQUENCE),
        head("ForAudioFrameClassification", "data2vec_audio.", FRAMES),
        head("ForXVector",                  "data2vec_audio.", XVECTOR)))

RELATIVE = rows(
    part("self_attn.linear_pos",        "attention.position",      linear("d -> d")),
    part("self_attn.pos_bias_u",        "attention.content.bias",  param("h d//h")),
    part("self_attn.pos_bias_v",        "attention.position.bias", param("h d//h")),
    when="position_embeddings_type == 'relative'")
CONFORMER_LAYER = rows(
    part("ffn1_layer_norm",             "norm.mlp.first",    affine("d")),
    part("ffn1.intermediate_dense",     "mlp.first.up",      dense("d -> ff")),
    part("ffn1.output_dense",           "mlp.first.down",    dense("ff -> d")),
    part("self_attn_layer_norm",        "norm.attention",    affine("d")),
    part("self_attn.linear_q",          "attention.query",   dense("d -> d")),
    part("self_attn.linear_k",          "attention.key",     dense("d -> d")),
    part("self_attn.linear_v",          "attention.value",   dense("d -> d")),
    part("self_attn.linear_out",        "attention.output",  dense("d -> d")),
    part("conv_module.layer_norm",      "norm.conv",         affine("d")),
    part("conv_module.pointwise_conv1", "conv.in",           conv("d -> d + d, 1", bias=False)),
    part("conv_module.depthwise_conv",  "conv.depth",
         conv("d -> d, conv_depthwise_kernel_size", groups="d", bias=False)),
    part("conv_module.pointwise_conv2", "conv.out",          conv("d -> d, 1", bias=False)),
    part("ffn2_layer_norm",             "norm.mlp.second",   affine("d")),
    part("ffn2.intermediate_dense",     "mlp.second.up",     dense("d -> ff")),
    part("ffn2.output_dense",           "mlp.second.down",   dense("ff -> d")),
    part("final_layer_norm",            "norm.layer",        affine("d")))
WAV2VEC2_CONFORMER = Architecture("wav2vec2-conformer", dims=SPEECH, dialects=({}, OLD_WEIGHT_NORM),
    parts=rows(
        MASK, CONVOLUTIONS, PROJECTION, POSITION, FINAL, ADAPTER,
        under("encoder.layers.{L}", CONFORMER_LAYER, RELATIVE,
              part("conv_module.batch_norm", "norm.conv.batch", batchnorm("d")))),
    heads=(
        head("Model",                       ""),
        head("ForCTC",                      "wav2vec2_conformer.", CTC),
        head("ForSequenceClassification",   "wav2vec2_conformer.", SEQUENCE),
        head("ForAudioFrameClassification", "wav2vec2_conformer.", FRAMES),
        head("ForPreTraining",              "wav2vec2_conformer.", QUANTIZER),
        head("ForXVector",                  "wav2vec2_conformer.", XVECTOR)))
WAV2VEC2_BERT = Architecture("wav2vec2-bert", dims=SPEECH | Dims(f="feature_projection_input_dim"),
    parts=rows(
        MASK, PROJECTION,
        under("encoder.layers.{L}", CONFORMER_LAYER, RELATIVE,
            part("conv_module.depthwise_layer_norm", "norm.conv.depth", affine("d")),
            part("self_attn.distance_embedding", "attention.distance",
                 table("left_max_position_embeddings+right_max_position_embeddings+1 d/h"),
                 when="position_embeddings_type == 'relative_key'")),
        part("intermediate_ffn.intermediate_dense", "adapter.up",   dense("d -> ff"),
             when="use_intermediate_ffn_before_adapter"),
        part("intermediate_ffn.output_dense",       "adapter.down", dense("ff -> d"),
             when="use_intermediate_ffn_before_adapter"),
        rows(
            part("adapter.proj",            "adapter.project", dense("d -> o"), when="o != d"),
            part("adapter.proj_layer_norm", "norm.adapter",    affine("o"),     when="o != d"),
            under("adapter.layers.{A}",
                part("residual_layer_norm",    "norm.adapter.residual",  affine("o")),
                part("residual_conv",          "adapter.residual",       conv("o -> o + o, a")),
                part("self_attn_layer_norm",   "norm.adapter.attention", affine("o")),
                part("self_attn_conv",         "adapter.conv",           conv("o -> o + o, a")),
                part("self_attn.linear_q",     "adapter.query",          dense("o -> o")),
                part("self_attn.linear_k",     "adapter.key",            dense("o -> o")),
                part("self_attn.linear_v",     "adapter.value",          dense("o -> o")),
                part("self_attn.linear_out",   "adapter.output",         dense("o -> o")),
                part("ffn_layer_norm",         "norm.adapter.mlp",       affine("o")),
                part("ffn.intermediate_dense", "adapter.mlp.up",         dense("o -> ff")),
                part("ffn.output_dense",       "adapter.mlp.down",       dense("ff -> o"))), when="add_adapter")),
    heads=(
        head("Model",                       ""),
        head("ForCTC",                      "wav2vec2_bert.", CTC),
        head("ForSequenceClassification",   "wav2vec2_bert.", SEQUENCE),
        head("ForAudioFrameClassification", "wav2vec2_bert.", FRAMES),
        head("ForXVector",                  "wav2vec2_bert.", XVECTOR)))
