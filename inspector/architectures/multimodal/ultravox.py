"""Ultravox: Whisper's encoder, a projector of stacked frames and a text model.

ultravox_model.py of the authors' repository: `stack_factor` frames are one input of the projector, whose gated
activation halves the width; one norm is before it, the other between its matrices (`projector_ln_mid`) or after them. A
part that has the name of a repository in the config (`text_model_id`, `audio_model_id`) is loaded from there, and the
file has only what was trained.
"""

from inspector.architectures.multimodal.qwen2_audio import QWEN2_AUDIO_ENCODER
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import linear, scale

ULTRAVOX = Architecture("ultravox",
    dims=Dims(d="text.d", a="audio.d", k="stack_factor", o="hidden_size",
              w="o when projector_act != null and projector_act != 'swiglu' | o//2"),
    ignores="ignore_index norm_init audio_latency_block_size audio_token_index text_model_lora_config vocab_size"
    " text_model_id audio_model_id audio_model_lora_config",
    heads=(head("Model", ""),),
    parts=rows(
        submodel("text",  "language_model.", head="ForCausalLM", when="text_model_id == null"),
        submodel("audio", "audio_tower.", QWEN2_AUDIO_ENCODER,
                 when="audio_model_id == null and not llm_only_training"),
        under("multi_modal_projector",
            part("ln_pre",   "norm.bridge.in",     scale("a*k")),
            part("linear_1", "bridge.in",          linear("a*k -> o")),
            part("ln_mid",   "norm.bridge.middle", scale("w"), when="projector_ln_mid"),
            part("linear_2", "bridge.out",         linear("w -> d")),
            part("ln_post",  "norm.bridge.out",    scale("d"), when="not projector_ln_mid"),
            when="not llm_only_training")))
