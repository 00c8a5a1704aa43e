"""Kimi-Audio as its authors publish it: Qwen2's layers, and layers for tokens of sound behind one of them.

modeling_moonshot_kimia.py of the repository; vLLM's `kimi_audio.py`: features of Whisper's encoder pass a linear, a
second one and a norm. Whisper itself is a model of its own in a subfolder.
"""

from inspector.architectures.blocks import DECODER, GQA, LM_HEAD, PRE_NORMS, SWIGLU
from inspector.architectures.text.qwen import QWEN2
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, dense, linear, scale

KIMI_AUDIO = Architecture("kimi_audio",
    dims=DECODER | Dims(N="kimia_mimo_layers", a="kimia_adaptor_input_dim"),
    ignores="kimia_audio_output_vocab kimia_media_begin kimia_media_end kimia_mimo_audiodelaytokens"
            " kimia_mimo_transformer_from_layer_index kimia_text_output_vocab kimia_token_offset "
            "num_audio_special_tokens num_base_tokens use_whisper_feature",
    heads=(head("ForCausalLM", "model.", LM_HEAD, part("mimo_output", "head.audio", linear("d -> V")), default=True),),
    parts=rows(                                # no record exercises this definition
        QWEN2.parts,
        under("mimo_layers.{N}", PRE_NORMS, under("self_attn", GQA, b="true"), under("mlp", SWIGLU), tower="audio"),
        part("mimo_norm", "norm.final", scale("d")),
        under("vq_adaptor.layers",
            part("0", "bridge.in",   dense("a -> d")),
            part("3", "bridge.out",  dense("d -> d")),
            part("4", "norm.bridge", affine("d")), when="use_whisper_feature | true")))
