"""Recognises libraries with their own models and configs by the names of their weights.

Sources: `timm/models/vision_transformer.py`, `convnext.py`, `swin_transformer.py`, `resnet.py`; torchvision's
`models/resnet.py`, with the same names as timm's; Meta's `dinov2/models/vision_transformer.py`,
`dinov3/models/vision_transformer.py` and `mae/models_mae.py`; OpenAI's `clip/model.py` and `open_clip/model.py`;
gpt-fast's `model.py`, whose weights are packed by `quantize.py`; fairseq's `models/roberta`, `wav2vec`; Chinese-CLIP's
`cn_clip/clip/model.py`; `segment_anything/modeling/image_encoder.py`; audiocraft's `models/lm.py`; TensorRT-LLM's
`models/modeling_utils.py`; mmdetection's `models/detectors` and mmsegmentation's `models/segmentors`; detectron2's
`modeling/meta_arch` and Mask2Former and OneFormer, which are built on it; Meta's `detr/models/detr.py`;
`deformable_detr.py` and `groundingdino.py` of their repositories, RT-DETR's `rtdetr_decoder.py`, SegFormer's
`mix_transformer.py`, Depth Anything's `dpt.py`, MiDaS' `dpt_depth.py`; `sam2/modeling/backbones/hieradet.py`; Meta's
`convnext.py` and `encodec/quantization`; VITS' `models.py` and Coqui's `models/vits.py` and `models/xtts.py`; NeMo's
`conformer_encoder.py`, ESPnet's, WeNet's and FunASR's `encoder.py`; Meta's fairseq2; `laion_clap/clap_module/model.py`;
`lavis/models`; LeRobot's `policies`; `sam3/model_builder.py`; SpeechBrain's `lobes/models`; CosyVoice's `flow` and
`llm`; GPT-SoVITS' and RVC's `models.py`; fish-speech's `text2semantic/llama.py`; `wan/modules/t5.py` and `clip.py`;
OpenAI's `improved_diffusion/unet.py`; Google's `vit_jax/models_vit.py` and `models_mixer.py`; x-flux'
`src/flux/controlnet.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from inspector.dialects.image_libraries import IMAGE_LIBRARIES

LIBRARIES: Final = (
    *IMAGE_LIBRARIES,
    ("mmdetection", ("bbox_head.*", "backbone.*")),
    ("mmdetection", ("roi_head.bbox_head.fc_cls.weight", "backbone.*")),
    ("mmsegmentation", ("decode_head.cls_embed.weight", "backbone.*")),
    ("mmaction2", ("cls_head.fc_cls.weight", "backbone.*")),
    ("mmpretrain", ("backbone.stages.#.blocks.#.attn.w_msa.qkv.weight", "head.fc.weight")),
    ("mmpretrain", ("backbone.layers.#.ffn.layers.#.#.weight", "head.layers.head.weight")),
    ("mmrazor", ("architecture.backbone.*", "teacher.backbone.*")),
    ("mmsegmentation", ("decode_head.conv_seg.weight", "backbone.*")),
    ("OneFormer's own code (detectron2)", ("sem_seg_head.predictor.*", "backbone.*", "task_mlp.*")),
    ("detectron2", ("sem_seg_head.*", "backbone.*")),
    ("detectron2", ("roi_heads.box_predictor.cls_score.weight", "backbone.bottom_up.*")),
    (
        "OpenAI's improved-diffusion or guided-diffusion",
        ("input_blocks.#.#.qkv.weight", "input_blocks.#.#.in_layers.#.weight", "time_embed.#.weight"),
    ),
    (
        "XLabs' x-flux or ComfyUI",
        ("input_hint_block.#.weight", "controlnet_blocks.#.weight", "double_blocks.#.img_mod.lin.weight"),
    ),
    ("GroundingDINO's own code", ("transformer.encoder.fusion_layers.#.attn.values_l_proj.weight",)),
    (
        "Deformable DETR's own code",
        ("class_embed.#.weight", "transformer.encoder.layers.#.self_attn.sampling_offsets.weight"),
    ),
    ("Meta's detr", ("query_embed.weight", "transformer.encoder.layers.#.self_attn.in_proj_weight")),
    ("the code of RT-DETR or D-FINE", ("decoder.dec_score_head.#.weight",)),
    ("the code of SegFormer or PVT", ("patch_embed1.proj.weight", "block1.#.attn.q.weight")),
    ("RF-DETR", ("transformer.enc_out_class_embed.#.weight", "refpoint_embed.weight")),
    ("Depth Anything's own code", ("depth_head.projects.#.weight", "pretrained.*")),
    ("MiDaS", ("scratch.refinenet1.out_conv.weight",)),
    ("Meta's sam3", ("backbone.vision_backbone.trunk.blocks.#.attn.qkv.weight",)),
    ("Meta's sam3", ("detector.backbone.vision_backbone.trunk.blocks.#.attn.qkv.weight",)),
    ("Meta's sam2", ("image_encoder.trunk.blocks.#.attn.qkv.weight",)),
    ("Meta's ConvNeXt", ("downsample_layers.#.#.weight", "stages.#.#.dwconv.weight")),
    ("LAVIS, or the code of BLIP or ALBEF", ("visual_encoder.blocks.#.attn.qkv.weight",)),
    ("OpenFlamingo", ("lang_encoder.*", "perceiver.layers.#.#.norm_media.weight")),
    ("unilm's beit3", ("beit3.encoder.layers.#.self_attn.k_proj.A.weight",)),
    ("donut or nougat", ("encoder.model.layers.#.blocks.#.attn.qkv.weight", "decoder.model.model.decoder.*")),
    ("Prismatic VLMs", ("llm_backbone.llm.*", "vision_backbone.*")),
    ("ClipCap", ("clip_project.*", "gpt.transformer.*")),
    ("Meta's DPR", ("question_model.*", "ctx_model.*")),
    ("GLiNER", ("token_rep_layer.bert_layer.model.*", "span_rep_layer.*")),
    ("LAVIS", ("query_tokens", "Qformer.bert.*")),
    ("LeRobot", ("model.vlm_with_expert.*", "model.action_in_proj.weight")),
    ("LeRobot", ("model.paligemma_with_expert.*", "model.action_in_proj.weight")),
    ("laion_clap", ("audio_branch.patch_embed.proj.weight", "text_branch.*")),
    ("Meta's encodec", ("quantizer.vq.layers.#._codebook.embed", "encoder.model.#.conv.conv.*")),
    ("GPT-SoVITS", ("enc_p.ssl_proj.weight", "enc_p.mrte.*")),
    ("GPT-SoVITS", ("model.ar_audio_embedding.*", "model.ar_predict_layer.weight")),
    ("RVC", ("enc_p.emb_phone.weight", "dec.conv_pre.weight")),
    ("VITS' own code", ("enc_p.*", "dec.conv_pre.weight", "flow.flows.#.pre.weight")),
    ("Coqui TTS", ("waveform_decoder.conv_pre.weight", "text_encoder.*")),
    ("Coqui TTS", ("hifigan_decoder.waveform_decoder.*", "gpt.*")),
    ("FastSpeech 2's own code", ("encoder.layer_stack.#.slf_attn.w_qs.weight", "variance_adaptor.*")),
    ("Wav2Lip", ("face_encoder_blocks.#.#.conv_block.#.weight",)),
    ("MDX23C's own code", ("encoder_blocks.#.tfc_tdf.blocks.#.tfc1.#.weight",)),
    ("lucidrains' audiolm-pytorch", ("rq.rvqs.#.layers.#._codebook.embed", "encoder.#.#.fn.#.conv.weight")),
    ("Coqui TTS or NVIDIA's tacotron2", ("decoder.attention_rnn.weight_ih", "postnet.convolutions.*")),
    ("IndexTTS or Tortoise", ("mel_embedding.weight", "mel_head.weight", "gpt.h.#.attn.c_attn.weight")),
    ("ChatTTS", ("head_code.#.parametrizations.weight.original0", "emb_code.#.weight")),
    ("lifeiteng's vall-e", ("ar_decoder.layers.#.self_attn.in_proj_weight", "nar_decoder.*")),
    ("F5-TTS", ("transformer.text_embed.text_embed.weight", "transformer.input_embed.proj.weight")),
    ("F5-TTS", ("ema_model.transformer.text_embed.text_embed.weight",)),
    ("F5-TTS", ("ema_model.transformer.transformer_blocks.#.attn_norm.linear.weight",)),
    ("NeMo", ("encoder.pre_encode.out.weight", "encoder.layers.#.self_attn.linear_q.weight")),
    ("icefall", ("joiner.output_linear.weight", "encoder_embed.*")),
    ("ESPnet", ("tts.generator.*", "tts.discriminator.*")),
    ("SpeechBrain", ("#.convblock_0.convs.*",)),
    ("SpeechBrain", ("#.encoder.layers.#.convolution_module.after_conv.#.weight",)),
    ("SpeechBrain", ("#.encoder.layers.#.self_att.att.in_proj_weight",)),
    ("SpeechBrain", ("blocks.#.conv.conv.weight", "asp.tdnn.conv.conv.weight")),
    ("CosyVoice", ("decoder.estimator.*", "spk_embed_affine_layer.weight")),
    ("CosyVoice", ("llm_decoder.weight", "speech_embedding.weight")),
    ("Matcha-TTS", ("decoder.estimator.down_blocks.*", "encoder.emb.weight")),
    ("FunASR", ("encoder.encoders.#.self_attn.linear_q_k_v.weight",)),
    ("ESPnet or WeNet", ("encoder.encoders.#.self_attn.linear_q.weight",)),
    ("fairseq2", ("speech_encoder.inner.layers.#.self_attn.q_proj.weight",)),
    ("fairseq's data2vec 2, or emotion2vec", ("modality_encoders.*", "blocks.#.attn.qkv.weight")),
    ("AST's own code", ("v.patch_embed.proj.weight", "v.blocks.#.attn.qkv.weight", "mlp_head.#.weight")),
    ("VideoMAE's own code", ("encoder.patch_embed.proj.weight", "encoder.blocks.#.attn.q_bias")),
    ("Point-MAE or Point-M2AE", ("MAE_encoder.*", "mask_token")),
    ("pytorchvideo", ("patch_embed.patch_model.weight", "blocks.#.attn.proj.weight")),
    ("Meta's mae_st", ("pos_embed_spatial", "pos_embed_temporal", "patch_embed.proj.weight")),
    ("EfficientNet-PyTorch", ("_conv_stem.weight", "_blocks.#._depthwise_conv.weight")),
    ("Apple's CVNets", ("conv_1.block.conv.weight", "layer_1.#.block.exp_1x1.block.conv.weight")),
    ("CoOp, or code built on it", ("prompt_learner.ctx", "prompt_learner.token_prefix")),
    ("TimeSformer's own code", ("model.time_embed", "model.blocks.#.temporal_attn.qkv.weight")),
    ("VMamba", ("layers.#.blocks.#.op.A_logs",)),
    ("timm, or VOLO's own code", ("network.#.#.attn.attn.weight", "patch_embed.proj.weight")),
    ("lucidrains' vit-pytorch", ("to_patch_embedding.#.weight", "transformer.layers.#.#.fn.to_qkv.weight")),
    ("lucidrains' vit-pytorch", ("to_patch_embedding.#.weight", "transformer.layers.#.#.to_qkv.weight")),
    ("Meta's dinov3", ("storage_tokens", "blocks.#.attn.qkv.bias_mask")),
    ("Meta's dinov2", ("mask_token", "patch_embed.proj.weight", "blocks.#.attn.qkv.weight", "blocks.#.ls1.gamma")),
    ("Meta's dinov2", ("mask_token", "patch_embed.proj.weight", "blocks.#.#.attn.qkv.weight")),
    ("Meta's mae", ("mask_token", "patch_embed.proj.weight", "decoder_blocks.#.attn.qkv.weight")),
    ("timm", ("patch_embed.proj.weight", "blocks.#.attn.qkv.weight", "blocks.#.mlp.fc1.weight")),
    ("timm", ("patch_embed.proj.weight", "layers.#.blocks.#.attn.relative_position_bias_table")),
    ("timm", ("stem.#.weight", "stages.#.blocks.#.conv_dw.weight")),
    ("timm or torchvision", ("conv1.weight", "bn1.running_mean", "layer1.#.conv1.weight")),
    ("Phi's first code (MixFormer)", ("layers.#.wte.weight", "layers.#.mixer.Wqkv.weight")),
    (
        "Google's vision_transformer (JAX), or timm",
        ("Transformer/encoderblock_0/MultiHeadDotProductAttention_1/query/kernel", "embedding/kernel"),
    ),
    ("Google's vision_transformer (JAX), or timm", ("MixerBlock_0/token_mixing/Dense_0/kernel", "stem/kernel")),
    ("Google's timesfm", ("stacked_xf.#.attn.qkv_proj.weight",)),
    ("Google's timesfm", ("stacked_transformer.layers.#.self_attn.qkv_proj.weight",)),
    ("suno's bark", ("transformer.wtes.#.weight", "lm_heads.#.weight")),
    ("EvolutionaryScale's esm", ("transformer.blocks.#.attn.layernorm_qkv.#.weight",)),
    ("Meta's esm", ("layers.#.self_attn.rot_emb.inv_freq", "lm_head.layer_norm.weight")),
    ("fish-speech", ("fast_layers.#.attention.wqkv.weight",)),
    ("Wan's own code", ("blocks.#.pos_embedding.embedding.weight", "token_embedding.weight")),
    ("Wan's own code", ("visual.transformer.#.attn.to_qkv.weight", "textual.*")),
    ("gpt-fast", ("layers.#.attention.wqkv.weight", "layers.#.feed_forward.w1.weight", "tok_embeddings.weight")),
    (
        "the code of MosaicBERT",
        ("encoder.layer.#.attention.self.Wqkv.weight", "encoder.layer.#.mlp.gated_layers.weight"),
    ),
    (
        "the code of MosaicBERT",
        ("bert.encoder.layer.#.attention.self.Wqkv.weight", "bert.encoder.layer.#.mlp.gated_layers.weight"),
    ),
    ("Chinese-CLIP", ("visual.conv1.weight", "bert.encoder.layer.#.attention.self.query.weight")),
    ("Chinese-CLIP", ("visual.conv1.weight", "bert.embeddings.word_embeddings.weight")),
    ("HQ-SAM", ("mask_decoder.hf_token.weight", "image_encoder.patch_embed.proj.weight")),
    ("Medical SAM Adapter", ("image_encoder.blocks.#.MLP_Adapter.D_fc1.weight",)),
    ("SAM-Adapter", ("image_encoder.prompt_generator.*", "image_encoder.patch_embed.proj.weight")),
    ("SAMed", ("image_encoder.blocks.#.attn.qkv.linear_a_q.weight",)),
    ("MobileSAM", ("image_encoder.patch_embed.seq.*", "mask_decoder.mask_tokens.weight")),
    ("segment-anything", ("image_encoder.blocks.#.attn.qkv.weight", "image_encoder.patch_embed.proj.weight")),
    (
        "Megatron-LM before 2021",
        (
            "word_embeddings.weight",
            "position_embeddings.weight",
            "transformer.layers.#.attention.query_key_value.weight",
        ),
    ),
    (
        "Megatron-LM before 2021",
        (
            "language_model.embedding.word_embeddings.weight",
            "language_model.transformer.layers.#.attention.query_key_value.weight",
        ),
    ),
    (
        "Megatron-LM",  # BERT and T5: the dialect has the decoders alone
        (
            "language_model.embedding.word_embeddings.weight",
            "language_model.encoder.layers.#.self_attention.query_key_value.weight",
        ),
    ),
    ("Unsloth's GPT-OSS", ("layers.#.mlp.router.linear.weight", "layers.#.mlp.experts.gate_up_projs.#.weight")),
    ("TensorRT-LLM", ("transformer.vocab_embedding.weight", "transformer.layers.#.attention.dense.weight")),
    ("fairseq", ("decoder.sentence_encoder.layers.#.self_attn.q_proj.weight",)),
    ("fairseq", ("encoder.sentence_encoder.layers.#.self_attn.q_proj.weight",)),
    ("fairseq", ("encoder.version", "encoder.layers.#.self_attn.q_proj.weight")),
    ("fairseq", ("encoder.version", "decoder.output_projection.weight")),
    ("fairseq", ("decoder.output_projection.weight", "encoder.layers.#.self_attn.q_proj.weight")),
    ("fairseq", ("encoder.layers.#.self_attn.in_proj_weight", "decoder.layers.#.encoder_attn.in_proj_weight")),
    ("fairseq", ("speech_encoder_prenet.feature_extractor.conv_layers.#.#.weight",)),
    ("fairseq", ("feature_extractor.conv_layers.#.#.weight", "post_extract_proj.weight")),
    ("fairseq", ("encoder.w2v_model.encoder.layers.#.self_attn.q_proj.weight",)),
    ("fairseq", ("w2v_encoder.w2v_model.post_extract_proj.weight",)),
    ("audiocraft", ("emb.#.weight", "linears.#.weight", "transformer.layers.#.self_attn.in_proj_weight")),
    ("OpenCLIP", ("resblocks.#.attn.in_proj_weight", "resblocks.#.mlp.c_fc.weight")),
    ("CLIP-fine-tune (GmP)", ("visual.transformer.resblocks.#.mlp.c_fc.theta",)),
    ("OpenCLIP", ("visual.conv1.weight", "transformer.resblocks.#.attn.in_proj_weight")),
    ("OpenCLIP", ("visual.trunk.patch_embed.proj.weight", "text.transformer.embeddings.word_embeddings.weight")),
    ("OpenCLIP", ("visual.transformer.resblocks.#.attn.in_proj_weight", "text.transformer.*")),
    ("OpenCLIP", ("visual.transformer.resblocks.#.attn.in_proj_weight", "text_decoder.resblocks.*")),
    ("OpenCLIP", ("visual.trunk.patch_embed.proj.weight", "text.transformer.resblocks.#.attn.in_proj_weight")),
)
"""(library, keys that occur together only in its files; with * all that begin like this, of which one suffices).

More special ones come first: those of a model that contains another library's encoder.
"""
WRAPPERS: Final = (
    "", "module.", "model.", "backbone.", "module.backbone.", "teacher.backbone.", "student.backbone.",
)  # fmt: skip
"""Prefixes of the wrappers in which these libraries train; teacher and student are from DINO's training."""


def library_of(keys: Collection[str]) -> str | None:
    """The library that writes these names, possibly below the prefix of a wrapper; None if unknown."""
    return next(_named(keys), ("", None))[1]


def wrapper_of(keys: Collection[str]) -> str:
    """The prefix of a wrapper below which the names are those of a library; "" without one or if none is known."""
    return next(_named(keys), ("", None))[0]


def _named(keys: Collection[str]) -> Iterator[tuple[str, str]]:
    """(the prefix of a wrapper, the library), for each library whose names occur."""
    for library, signs in LIBRARIES:
        yield from ((one, library) for one in WRAPPERS if all(_occurs(one + sign, keys) for sign in signs))


def _occurs(sign: str, keys: Collection[str]) -> bool:
    """True if a key of the table is among the keys, or one that begins with it."""
    return sign in keys or (sign.endswith("*") and any(key.startswith(sign[:-1]) for key in keys))
