"""Models that join an audio encoder, a projector and a text model as Qwen2-Audio does.

Voxtral, Audio Flamingo 3, Music Flamingo, GLM-ASR. modeling_voxtral.py: Whisper's encoder; four of its frames make one, so the
projector reads `intermediate_size`. modeling_audioflamingo3.py: the projector has the switch `projector_bias`; the head is never
tied, and neither is Voxtral's in transformers 5. modeling_glmasr.py: rotary positions, so none are stored; keys without bias and
in groups; the projector is twice as wide as the text model inside.
"""

from inspector.architectures.joined_blocks import JOINED, SPELLINGS, TIES
from inspector.architectures.qwen2_audio import AUDIO_PARTS, QWEN2_AUDIO
from inspector.notation.card import Architecture, Dims, graft, head, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, table

TEXT = Dims(d="text.d", V="text.V", a="audio.d")
ENCODER = Dims(d="hidden_size", L="num_hidden_layers", h="num_attention_heads", ff="intermediate_size", n="num_mel_bins")
TEXT_AND_AUDIO = rows(
    graft("text",  "language_model.", head="Model"),
    graft("audio", "audio_tower.", head="tower"))
WHISPER_ENCODER = Architecture("voxtral_encoder audioflamingo3_encoder", ignores="vocab_size", heads=(head("tower Encoder", ""),),
    dims=ENCODER | Dims(S="max_source_positions"),
    parts=rows(
        AUDIO_PARTS,
        part("embed_positions", "embed.position", table("S d")),
        part("layer_norm",      "norm.final",     affine("d"))))
VOXTRAL = Architecture("voxtral", ties=QWEN2_AUDIO.ties, heads=JOINED, dialects=SPELLINGS, dims=TEXT,
    parts=rows(
        TEXT_AND_AUDIO,
        part("multi_modal_projector.linear_1", "bridge.in",  linear("audio.ff -> d")),
        part("multi_modal_projector.linear_2", "bridge.out", linear("d -> d"))))
AUDIO_FLAMINGO3 = Architecture("audioflamingo3 musicflamingo", heads=JOINED, dialects=SPELLINGS, dims=TEXT | Dims(b="projector_bias"),
    parts=rows(
        TEXT_AND_AUDIO,
        part("multi_modal_projector.linear_1", "bridge.in",  linear("a -> d", bias="b")),
        part("multi_modal_projector.linear_2", "bridge.out", linear("d -> d", bias="b"))))
GLM_ASR_ENCODER = Architecture("glmasr_encoder", heads=(head("tower Encoder", ""),),
    dims=ENCODER | Dims(kv="num_key_value_heads | h", dh="head_dim | d//h"),
    parts=rows(
        part("conv1", "embed.audio.1", conv("n -> d, 3")),
        part("conv2", "embed.audio.2", conv("d -> d, 3")),
        part("norm",  "norm.final",    affine("d")),
        under("layers.{L}",
            part("input_layernorm",          "norm.attention",   affine("d")),
            part("post_attention_layernorm", "norm.mlp",         affine("d")),
            part("self_attn.q_proj",         "attention.query",  dense("d -> h*dh")),
            part("self_attn.k_proj",         "attention.key",    linear("d -> kv*dh")),
            part("self_attn.v_proj",         "attention.value",  dense("d -> kv*dh")),
            part("self_attn.o_proj",         "attention.output", dense("h*dh -> d")),
            part("mlp.fc1",                  "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",                  "mlp.down",         dense("ff -> d")))))
GLM_ASR = Architecture("glmasr", ties=TIES, heads=JOINED, dialects=SPELLINGS, dims=TEXT,
    parts=rows(
        TEXT_AND_AUDIO,
        part("multi_modal_projector.linear_1", "bridge.in",  dense("audio.ff -> d + d")),
        part("multi_modal_projector.linear_2", "bridge.out", dense("d + d -> d"))))
