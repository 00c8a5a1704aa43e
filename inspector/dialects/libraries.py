"""Recognises libraries with their own models and configs by the names of their weights.

Sources: `timm/models/vision_transformer.py`, `convnext.py`, `swin_transformer.py`, `resnet.py`; torchvision's
`models/resnet.py`, with the same names as timm's; Meta's `dinov2/models/vision_transformer.py`,
`dinov3/models/vision_transformer.py` and `mae/models_mae.py`; OpenAI's `clip/model.py` and `open_clip/model.py`;
gpt-fast's `model.py`, whose weights are packed by `quantize.py`; fairseq's `models/roberta`, `wav2vec`; Chinese-CLIP's
`cn_clip/clip/model.py`; `segment_anything/modeling/image_encoder.py`; audiocraft's `models/lm.py`; TensorRT-LLM's
`models/modeling_utils.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

LIBRARIES: Final = (
    ("Meta's dinov3", ("storage_tokens", "blocks.#.attn.qkv.bias_mask")),
    ("Meta's dinov2", ("mask_token", "patch_embed.proj.weight", "blocks.#.attn.qkv.weight", "blocks.#.ls1.gamma")),
    ("Meta's dinov2", ("mask_token", "patch_embed.proj.weight", "blocks.#.#.attn.qkv.weight")),
    ("Meta's mae", ("mask_token", "patch_embed.proj.weight", "decoder_blocks.#.attn.qkv.weight")),
    ("timm", ("patch_embed.proj.weight", "blocks.#.attn.qkv.weight", "blocks.#.mlp.fc1.weight")),
    ("timm", ("patch_embed.proj.weight", "layers.#.blocks.#.attn.relative_position_bias_table")),
    ("timm", ("stem.#.weight", "stages.#.blocks.#.conv_dw.weight")),
    ("timm or torchvision", ("conv1.weight", "bn1.running_mean", "layer1.#.conv1.weight")),
    ("Phi's first code (MixFormer)", ("layers.#.wte.weight", "layers.#.mixer.Wqkv.weight")),
    ("gpt-fast", ("layers.#.attention.wqkv.weight", "layers.#.feed_forward.w1.weight", "tok_embeddings.weight")),
    ("Chinese-CLIP", ("visual.conv1.weight", "bert.encoder.layer.#.attention.self.query.weight")),
    ("Chinese-CLIP", ("visual.conv1.weight", "bert.embeddings.word_embeddings.weight")),
    ("segment-anything", ("image_encoder.blocks.#.attn.qkv.weight", "image_encoder.patch_embed.proj.weight")),
    ("TensorRT-LLM", ("transformer.vocab_embedding.weight", "transformer.layers.#.attention.dense.weight")),
    ("fairseq", ("decoder.sentence_encoder.layers.#.self_attn.q_proj.weight",)),
    ("fairseq", ("encoder.sentence_encoder.layers.#.self_attn.q_proj.weight",)),
    ("fairseq", ("encoder.version", "encoder.layers.#.self_attn.q_proj.weight")),
    ("fairseq", ("feature_extractor.conv_layers.#.#.weight", "post_extract_proj.weight")),
    ("fairseq", ("w2v_encoder.w2v_model.post_extract_proj.weight",)),
    ("audiocraft", ("emb.#.weight", "linears.#.weight", "transformer.layers.#.self_attn.in_proj_weight")),
    ("OpenCLIP", ("visual.conv1.weight", "transformer.resblocks.#.attn.in_proj_weight")),
    ("OpenCLIP", ("visual.trunk.patch_embed.proj.weight", "text.transformer.resblocks.#.attn.in_proj_weight")),
)
"""(library, keys that occur together only in its files)."""
WRAPPERS: Final = (
    "", "module.", "model.", "backbone.", "module.backbone.", "teacher.backbone.", "student.backbone.",
)  # fmt: skip
"""Prefixes of the wrappers in which these libraries train; teacher and student are from DINO's training."""


def library_of(keys: Collection[str]) -> str | None:
    """The library that writes these names, possibly below the prefix of a wrapper; None if unknown."""
    named = (library for library, signs in LIBRARIES for one in WRAPPERS if all(one + sign in keys for sign in signs))
    return next(named, None)
