"""Qwen2-Audio, Qwen3-ASR, and the thinkers of Qwen 2.5 Omni and Qwen 3 Omni.

modeling_qwen2_audio.py: Whisper's encoder, so keys have no bias and the sinusoids are stored; the projector reads its
width; the head is tied as the text config says, in transformers 4 and 5.
modeling_qwen2_5_omni.py: the audio's output goes through `ln_post` and `proj` to the text's width; positions are not
stored, and one embedding marks beginning and end.
modeling_qwen3_omni_moe.py: sound is an image that three convolutions halve (rounding up) before it becomes a sequence;
every linear has a bias; `proj1` and `proj2` follow. modeling_qwen3_asr.py: the same encoder, whose two linears are a
projector outside. The authors' files have it all below `thinker.`, with the linears in the encoder; their aligner has a
head for `classify_num` classes.
"""

from inspector.architectures.audio.whisper import WHISPER_LAYER
from inspector.architectures.blocks import LM_HEAD
from inspector.architectures.multimodal.joined_blocks import SPELLINGS, TIES
from inspector.architectures.multimodal.qwen_vl import QWEN2_5_OMNI_VISION, QWEN3_OMNI_VISION
from inspector.architectures.text.qwen import QWEN3
from inspector.notation.definition import Architecture, Dims, either, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, table

AUDIO_DIMS = Dims(d="d_model", L="encoder_layers", ff="encoder_ffn_dim", n="num_mel_bins", S="max_source_positions")
AUDIO_PARTS = rows(
    part("conv1", "embed.audio.1", conv("n -> d, 3")),
    part("conv2", "embed.audio.2", conv("d -> d, 3")),
    under("layers.{L}", WHISPER_LAYER))
QWEN2_AUDIO_ENCODER = Architecture("qwen2_audio_encoder", dims=AUDIO_DIMS, heads=(head("tower Encoder", ""),),
    parts=rows(
        AUDIO_PARTS,
        part("embed_positions", "embed.position", table("S d")),
        part("layer_norm",      "norm.final",     affine("d"))))
QWEN2_5_OMNI_AUDIO_ENCODER = Architecture("qwen2_5_omni_audio_encoder", dims=AUDIO_DIMS | Dims(o="output_dim"),
                                          heads=(head("tower Encoder", ""),),
    parts=rows(
        AUDIO_PARTS,
        part("audio_bos_eos_token", "embed.mark",  table("2 o")),
        part("ln_post",             "norm.final",  affine("d")),
        part("proj",                "bridge.out",  dense("d -> o"))))
QWEN2_AUDIO = Architecture("qwen2_audio",
                           ties="text_config.tie_word_embeddings when transformers_version[0] == '4' | false",
                           dims=Dims(d="text.d", V="text.V"), dialects=SPELLINGS,
    heads=(head("ForConditionalGeneration", "model.", LM_HEAD, default=True), head("Model", "model."),
           head("Model", "")),
    parts=rows(
        submodel("text",  "language_model.", head="Model"),
        submodel("audio", "audio_tower.", QWEN2_AUDIO_ENCODER),
        part("multi_modal_projector.linear", "bridge.out", dense("audio.d -> d"))))
QWEN2_5_OMNI_THINKER_STATE_DICT = {  # names in memory under transformers 5
    "model.": "model.language_model.",
    "audio_tower.": "model.audio_tower.",
    "visual.": "model.visual.",
}
QWEN2_5_OMNI_THINKER = Architecture("qwen2_5_omni_thinker", ties=TIES, dims=Dims(d="text.d", V="text.V"),
    heads=(head("ForConditionalGeneration", "", LM_HEAD), head("Model", "")),
    parts=rows(
        submodel("text",   "model.", head="Model"),
        submodel("audio",  "audio_tower.", QWEN2_5_OMNI_AUDIO_ENCODER),
        submodel("vision", "visual.", QWEN2_5_OMNI_VISION)),
    dialects=({}, {"": "thinker."}, {"model.": "language_model."}, QWEN2_5_OMNI_THINKER_STATE_DICT))
QWEN3_AUDIO_DIMS = Dims(d="d_model", L="encoder_layers", ff="encoder_ffn_dim", c="downsample_hidden_size",
                        n="num_mel_bins",
                        f="(((n + 1)//2 + 1)//2 + 1)//2", o="output_dim")
QWEN3_AUDIO_PARTS = rows(
    part("conv2d1",  "embed.audio.1",   conv("1 -> c, 3 3")),
    part("conv2d2",  "embed.audio.2",   conv("c -> c, 3 3")),
    part("conv2d3",  "embed.audio",     conv("c -> c, 3 3")),
    part("conv_out", "embed.audio.out", linear("c*f -> d")),
    part("ln_post",  "norm.final",      affine("d")),
    under("layers.{L}",
        part("self_attn.q_proj",     "attention.query",  dense("d -> d")),
        part("self_attn.k_proj",     "attention.key",    dense("d -> d")),
        part("self_attn.v_proj",     "attention.value",  dense("d -> d")),
        part("self_attn.out_proj",   "attention.output", dense("d -> d")),
        part("self_attn_layer_norm", "norm.attention",   affine("d")),
        part("fc1",                  "mlp.up",           dense("d -> ff")),
        part("fc2",                  "mlp.down",         dense("ff -> d")),
        part("final_layer_norm",     "norm.mlp",         affine("d"))))
QWEN3_OMNI_AUDIO_ENCODER = Architecture("qwen3_omni_moe_audio_encoder", dims=QWEN3_AUDIO_DIMS,
                                        heads=(head("tower Encoder", ""),),
    parts=rows(
        QWEN3_AUDIO_PARTS,
        part("proj1", "bridge.in",  dense("d -> d")),
        part("proj2", "bridge.out", dense("d -> o"))))
QWEN3_OMNI_THINKER = Architecture("qwen3_omni_moe_thinker", ties=TIES, dims=Dims(d="text.d", V="text.V"),
    heads=QWEN2_5_OMNI_THINKER.heads, dialects=QWEN2_5_OMNI_THINKER.dialects,
    parts=rows(
        submodel("text",   "model.", head="Model"),
        submodel("audio",  "audio_tower.", QWEN3_OMNI_AUDIO_ENCODER),
        submodel("vision", "visual.", QWEN3_OMNI_VISION)))
QWEN3_ASR_ENCODER = Architecture("qwen3_asr_encoder", dims=QWEN3_AUDIO_DIMS, parts=QWEN3_AUDIO_PARTS,
                                 heads=(head("tower Encoder", ""),))
# no record exercises this definition
QWEN3_ASR_THINKER = Architecture("qwen3_asr_thinker", ties="text_config.tie_word_embeddings | false",
    dims=Dims(d="text.d", V="text.V", C="classify_num"),
    heads=(head("ForConditionalGeneration", ""),),
    parts=rows(
        submodel("text",  "model.", QWEN3, head="Model"),
        submodel("audio", "audio_tower.", QWEN3_OMNI_AUDIO_ENCODER),
        rows(LM_HEAD, when="C == null"),
        part("lm_head", "head.class", linear("d -> C"), when="C != null")))
QWEN3_ASR_PARTS = rows(
    submodel("text",  "language_model.", head="Model"),
    submodel("audio", "audio_tower.", QWEN3_ASR_ENCODER),
    part("multi_modal_projector.linear_1", "bridge.in",  dense("a -> a")),
    part("multi_modal_projector.linear_2", "bridge.out", dense("a -> o")))
QWEN3_ASR = Architecture("qwen3_asr", ties=TIES, ignores="support_languages",
    dims=Dims(d="text.d", V="text.V", a="audio.d", o="audio.o", C="labels"),
    heads=(
        head("ForConditionalGeneration", "",
            either(rows(under("model", QWEN3_ASR_PARTS), LM_HEAD), submodel("thinker", "thinker.", QWEN3_ASR_THINKER)),
            default=True),
        head("Model",                    "", QWEN3_ASR_PARTS),
        head("ForTokenClassification",   "", under("model", QWEN3_ASR_PARTS),
            part("score", "head.class", linear("d -> C", bias="token_classification_bias")))))
