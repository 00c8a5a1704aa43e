"""MiniCPM-o 2.6 and 4.5: MiniCPM-V with Whisper's encoder and a voice; code of its own in each repository.

modeling_minicpmo.py there: `init_audio` builds `apm` and the two matrices behind it, `init_tts` the voice. SGLang's
minicpmo.py has the same encoder. The encoder has its sinusoids as a parameter.
"""

from inspector.architectures.audio.whisper import WHISPER_LAYER
from inspector.architectures.blocks import LM_HEAD
from inspector.architectures.multimodal.minicpmv2 import DIMS, IGNORES, RESAMPLER, SIGLIP, TEXT
from inspector.notation.definition import Architecture, Dims, head, opaque, part, rows, under
from inspector.notation.kinds import affine, conv, dense, table

AUDIO = rows(
    under("apm",
        part("conv1",           "embed.audio",    conv("audio_config.num_mel_bins -> d, 3")),
        part("conv2",           "embed.audio",    conv("d -> d, 3")),
        part("embed_positions", "embed.position", table("S d")),
        part("layer_norm",      "norm.final",     affine("d")),
        under("layers.{La}", WHISPER_LAYER), d="da", ff="audio_config.encoder_ffn_dim", tower="audio", when="hears"),
    under("audio_projection_layer",
        part("linear1", "merger.up",   dense("da -> d")),
        part("linear2", "merger.down", dense("d -> d")), tower="audio", when="hears"))
MINICPMO = Architecture("minicpmo", ties="tie_word_embeddings | false",
    heads=(head("MiniCPMO", "", under("llm", LM_HEAD), default=True),),
    ignores=f"{IGNORES} audio_chunk_length audio_pool_step chunk_input init_vision stream_input tts_config"
            " listen_speak_type",
    dims=DIMS | Dims(hears="init_audio | true", da="audio_config.d_model", La="audio_config.encoder_layers",
                     S="audio_config.max_source_positions | 1500"),
    parts=rows(TEXT, SIGLIP, RESAMPLER, AUDIO, opaque("tts.", "the voice", when="init_tts | true")))
