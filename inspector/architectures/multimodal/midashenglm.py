"""MiDashengLM as its authors publish it: Dasheng's encoder of sound, a projector and Qwen2.5-Omni's text model.

vLLM's `midashenglm.py`: patches of a spectrogram with positions for time and for frequency; `subsample_factor` frames
are one input of the projector. The window and the filters of the spectrogram are not stored.
"""

from inspector.architectures.text.qwen import QWEN2
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, batchnorm, conv, dense, linear, param

DASHENG = Architecture("midashenglm_dasheng_encoder", heads=(head("tower Model", ""),),
    ignores="outputdim drop_rate attn_drop_rate f_min f_max center win_length hop_length sample_rate n_fft num_heads",
    dims=Dims(d="embed_dim | 768", L="depth | 12", c="input_channels | 1", m="n_mels | 64", ff="floor(d*r)",
              r="mlp_ratio | 4", p="patch_size[0] | 16", q="patch_size[1] | 16", s="patch_stride[0] | 16",
              t="patch_stride[1] | 16", g="m//s", k="(target_length | 1012)//t", b="qkv_bias | true",
              scaled="init_values | 0"),
    parts=rows(
        part("init_bn",          "norm.input",      batchnorm("m")),
        part("patch_embed.proj", "embed.patch",     conv("c -> d, p q")),
        part("time_pos_embed",   "embed.position.x", param("1 d 1 k")),
        part("freq_pos_embed",   "embed.position.y", param("1 d g 1")),
        under("blocks.{L}",
            part("norm1",     "norm.attention",   affine("d")),
            part("attn.qkv",  "attention.qkv",    linear("d -> d + d + d", bias="b", packs="q k v")),
            part("attn.proj", "attention.output", dense("d -> d")),
            part("ls1.gamma", "attention.scale",  param("d"), when="scaled"),
            part("norm2",     "norm.mlp",         affine("d")),
            part("mlp.fc1",   "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",   "mlp.down",         dense("ff -> d")),
            part("ls2.gamma", "mlp.scale",        param("d"), when="scaled")),
        part("norm", "norm.final", affine("d"))))
MIDASHENGLM = Architecture("midashenglm", ties="text_config.tie_word_embeddings | false",
    dims=Dims(d="text.d", V="text.V", i="audio.d*(subsample_factor | 5)"),
    heads=(head("Model ForConditionalGeneration", "", default=True),),
    parts=rows(                                # no record exercises this definition
        submodel("audio", "audio_encoder.", DASHENG, config="audio_encoder_config"),
        submodel("text",  "decoder.", QWEN2, head="ForCausalLM"),
        part("audio_projector.net.0", "bridge.in",  dense("i -> d")),
        part("audio_projector.net.2", "bridge.out", dense("d -> d"))))
