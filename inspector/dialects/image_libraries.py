"""Names of image, video and sound models in files of ComfyUI and of their authors, which no definition has.

Sources: ComfyUI's `comfy/model_detection.py`, `comfy/sd.py` (`VAE`), `comfy/controlnet.py`, `comfy/gligen.py` and the
networks in `comfy/ldm`; Stability's generative-models (`sgm/modules/diffusionmodules/video_model.py`); PuLID's
`pulid/encoders_transformer.py`; BasicSR's and ESRGAN's `rrdbnet_arch.py`; LeReS'
`lib/multi_depth_model_woauxi.py`.
"""

from __future__ import annotations

from typing import Final

_STREAMS: Final = "double_blocks.#.img_attn.qkv.weight"
_OF_WAN: Final = "blocks.#.self_attn.norm_q.weight"
BASICSR: Final = "BasicSR (ESRGAN, Real-ESRGAN)"
READS_BELOW: Final = {BASICSR: "params"}
"""Library -> the key of a file of torch below which it looks for the weights (BasicSR's `load_network` in
`models/base_model.py`, and `RealESRGANer` of Real-ESRGAN).
"""
IMAGE_LIBRARIES: Final = (
    ("ACE-Step 1, in its own code or ComfyUI", ("genre_embedder.weight", "lyric_embs.weight")),
    ("ACE-Step 1, in its own code or ComfyUI", ("vocoder.backbone.channel_layers.#.#.bias", "dcae.*")),
    ("NVIDIA's Cosmos 1", ("blocks.block0.blocks.#.block.attn.to_q.#.weight",)),
    ("NVIDIA's Cosmos tokenizer", ("decoder.unpatcher3d.wavelets",)),
    ("NVIDIA's Cosmos tokenizer", ("encoder.patcher3d.wavelets",)),
    ("Tencent's Hunyuan3D 2", ("latent_in.weight", "cond_in.weight", _STREAMS)),
    (
        "Tencent's Hunyuan3D 2.1",
        ("t_embedder.mlp.#.weight", "blocks.#.attn1.to_k.weight", "blocks.#.attn2.to_k.weight"),
    ),
    ("Tencent's Hunyuan3D", ("geo_decoder.cross_attn_decoder.attn.c_kv.weight",)),
    ("Tencent's HunyuanDiT, with a ControlNet", ("mlp_t5.#.weight", "before_proj.weight")),
    ("Tencent's HunyuanDiT", ("mlp_t5.#.weight", "pooler.c_proj.weight", "extra_embedder.#.weight")),
    ("Tencent's HunyuanImage or HunyuanVideo 1.5", ("byt5_in.fc1.weight", _STREAMS)),
    (
        "Tencent's HunyuanImage or HunyuanVideo, in ComfyUI's names",
        (_STREAMS, "txt_in.individual_token_refiner.blocks.#.self_attn.qkv.weight"),
    ),
    ("Chroma1-Radiance", ("nerf_blocks.#.param_generator.weight", _STREAMS)),
    ("MistoLine for FLUX.1", ("controlnet_blocks.#.linear.weight", _STREAMS)),
    ("ComfyUI (a ControlNet for FLUX.1)", ("controlnet_blocks.#.weight", "pos_embed_input.weight", _STREAMS)),
    ("ComfyUI (a ControlNet union for SDXL)", ("task_embedding", "input_hint_block.#.weight")),
    ("Wan's own code (Animate)", ("face_adapter.fuser_blocks.#.k_norm.weight", _OF_WAN)),
    ("Wan's own code (speech to video)", ("casual_audio_encoder.encoder.final_linear.weight", _OF_WAN)),
    ("HuMo's own code", ("audio_proj.audio_proj_glob_1.layer.weight", _OF_WAN)),
    ("VideoX-Fun's Wan for camera control", ("control_adapter.conv.weight", _OF_WAN)),
    ("VideoX-Fun's Wan with a reference image", ("ref_conv.weight", _OF_WAN)),
    ("Stable Cascade in ComfyUI's names", ("clf.#.weight", "down_blocks.#.#.attention.attn.to_q.weight")),
    ("Stable Cascade's autoencoder", ("vquantizer.codebook.weight", "up_blocks.#.#.weight")),
    ("Stability's StableCascade (train_c_lora.py, a LoRA by number)", ("weights.#.lora_down", "weights.#.lora_up")),
    ("Stable Cascade's stage C in ComfyUI", ("previewer.blocks.#.running_mean", "encoder.mapper.#.weight")),
    (
        "Stability's generative-models (Stable Video Diffusion)",
        ("input_blocks.#.#.time_stack.in_layers.#.weight", "input_blocks.#.#.in_layers.#.weight"),
    ),
    (
        "Stability's generative-models (Stable Video Diffusion)",
        ("decoder.mid.block_1.mix_factor", "decoder.mid.block_1.time_stack.in_layers.#.weight"),
    ),
    (
        "Tencent's HunyuanImage (refiner) or HunyuanVideo 1.5",
        ("encoder.mid.block_1.norm1.gamma", "encoder.mid.block_1.conv1.conv.weight"),
    ),
    ("TAESD", ("taesd_decoder.#.weight", "taesd_encoder.#.weight")),
    ("Stability's stable-audio-tools", ("decoder.layers.#.layers.#.beta", "encoder.layers.#.layers.#.layers.#.beta")),
    ("Genmo's Mochi", ("decoder.blocks.#.blocks.#.stack.#.weight",)),
    ("Genmo's Mochi", ("encoder.layers.#.layers.#.attn_block.attn.qkv.weight",)),
    ("MMAudio", ("vocoder.activation_post.downsample.lowpass.filter",)),
    ("OmniGen2's own code", ("ref_image_patch_embedder.weight", "ref_image_refiner.#.attn.to_q.weight")),
    ("TencentARC's style adapter", ("style_embedding", "transformer_layes.#.attn.in_proj_weight")),
    (
        "GLIGEN's own code, or ComfyUI's GLIGEN files",
        ("position_net.null_positive_feature", "position_net.linears.#.weight"),
    ),
    ("PuLID", ("pulid_encoder.latents", "pulid_ca.#.to_kv.weight")),
    ("PuLID", ("id_adapter.latents", "id_adapter_attn_layers.*")),
    (
        "LeReS, a program that estimates depth",
        ("depth_model.module.encoder_modules.encoder.conv1.weight", "depth_model.module.decoder_modules.*"),
    ),
    ("ESRGAN's first code", ("model.#.sub.#.RDB1.conv1.#.weight", "model.#.sub.#.RDB3.conv5.#.weight")),
    (BASICSR, ("body.#.rdb1.conv1.weight", "body.#.rdb3.conv5.weight")),
)
"""(program or model, keys that occur together only in its files), as in `inspector.dialects.libraries`."""
