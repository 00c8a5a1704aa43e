"""Nemotron 3 Nano Omni: Nemotron-H with its head, RADIO's tower for images and Parakeet's encoder for sound.

modeling_nemotron_h_omni.py: the tower has no conditioner of its own, and a last norm where the text model has layers
that predict further tokens; pixels are shuffled by `downsample_ratio`; the sound exists where its config is given.
configuration_nemotron_h_omni.py: the release says `llm_config`, `sound_config` and `vit_hidden_size`.
"""

from msgspec.structs import replace

from inspector.architectures.audio.sew_d import PARAKEET_ENCODER
from inspector.architectures.text.nemotron_h import NEMOTRON_H
from inspector.architectures.vision.lw_detr import RADIO, RADIO_NETWORK, RADIO_STATE_DICT
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, linear, scale

NEMOTRON_H_OMNI_SAVED = {                      # transformers saves the names of the release
    "multi_modal_projector.layer_norm.": "mlp1.0.", "multi_modal_projector.linear_1.": "mlp1.1.",
    "multi_modal_projector.linear_2.": "mlp1.3.", "audio_tower.": "sound_encoder.encoder.",
    "embed_audio.layer_norm.": "sound_projection.norm.", "embed_audio.linear_1.": "sound_projection.linear1.",
    "embed_audio.linear_2.": "sound_projection.linear2."}
NEMOTRON_H_OMNI_STATE_DICT = {                 # names in memory
    "language_model.backbone.": "language_model.model.",
    **{(key if key[0] == "*" else f"vision_model.{key}"): (name if key[0] == "*" else f"vision_model.{name}")
       for key, name in RADIO_STATE_DICT.items()}}
TEXT = replace(NEMOTRON_H, dialects=({},))
TOWER = replace(RADIO, parts=under("radio_model", RADIO_NETWORK), dialects=({},))
SOUND = rows(
    part("layer_norm", "norm.bridge", scale("a")),
    part("linear_1",   "bridge.in",   linear("a -> w", bias="b")),
    part("linear_2",   "bridge.out",  linear("w -> d", bias="b")))
NEMOTRON_H_OMNI = Architecture("nemotron_h_omni", ties="false", ignores="force_image_size",
    dialects=({}, NEMOTRON_H_OMNI_SAVED, NEMOTRON_H_OMNI_STATE_DICT),
    writers=("transformers", "transformers", "transformers in memory"),
    dims=Dims(
        new="llm_config == null", d="text.d when new | llm.d", V="text.V when new | llm.V",
        v="vision_hidden_size when new | vit_hidden_size | vision_hidden_size", p="projector_hidden_size",
        i="v*floor(1/downsample_ratio)**2", released="sound_config != null", sounds="released or audio_config",
        a="sound_config.hidden_size when released | audio_config.hidden_size",
        w="sound_config.projection_hidden_size when released | audio_config.projection_hidden_size",
        b="sound_config.projection_bias when released | audio_config.projection_bias",
        further="(text_config.num_nextn_predict_layers | 0) > 0 when new"
                " | (llm_config.num_nextn_predict_layers | 0) > 0"),
    heads=(head("NemotronH_Omni_Reasoning_V3", ""),),
    parts=rows(
        submodel("text", "language_model.", TEXT, head="ForCausalLM", when="new"),
        submodel("llm", "language_model.", TEXT, head="ForCausalLM", config="llm_config", when="not new"),
        submodel("vision", "vision_model.", TOWER),
        part("vision_final_layernorm", "norm.final.image", affine("v"), when="further"),
        under("multi_modal_projector",
            part("layer_norm", "norm.bridge", scale("i")),
            part("linear_1",   "bridge.in",   linear("i -> p")),
            part("linear_2",   "bridge.out",  linear("p -> d"))),
        submodel("audio", "audio_tower.", PARAKEET_ENCODER, when="sounds and not released",
                 attention_bias="audio_config.attention_bias when stated.audio_config.attention_bias | false"),
        submodel("sound", "audio_tower.", PARAKEET_ENCODER, config="sound_config", when="released",
                 attention_bias="sound_config.attention_bias when stated.sound_config.attention_bias | false"),
        under("embed_audio", SOUND, tower="audio", when="sounds")))
