"""Mistral's own checkpoints with a tower for images or sound, under the keys of params.json and Mistral's names.

Sources: vLLM's `pixtral.py` (`VisionEncoderArgs`, `VisionTransformer`, `VisionLanguageAdapter`, `PatchMerger`) and
`voxtral.py` (`load_weights` and `mistral_remapping`), `transformers_utils/configs/mistral.py`; transformers'
`convert_pixtral_weights_to_hf.py`, `convert_mistral3_weights_to_hf.py` and `convert_voxtral_weights_to_hf.py`. The text
model is Mistral's; Voxtral has its table of tokens below `mm_whisper_embeddings`. Pixtral's tower has no biases and RMS
norms, Voxtral's is Whisper's encoder with computed positions; its keys have no bias.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.notation.definition import Architecture, Dims, Group, head, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, scale, table

TEXT_DIMS: Final = Dims(
    V="vocab_size", d="dim", L="n_layers", h="n_heads", kv="n_kv_heads | h", dh="head_dim | d/h", ff="hidden_dim"
)
TIES: Final = "tied_embeddings | false"
WHOLE: Final = (head("ForConditionalGeneration", ""),)


def _text(table_of_tokens: str) -> Group:
    """The text model, under Mistral's names."""
    return rows(
        part(table_of_tokens, "embed.token", table("V d")),
        part("norm",   "norm.final", scale("d")),
        part("output", "head.token", linear("d -> V"), tied="embed.token"),
        under("layers.{L}",
            part("attention_norm",  "norm.attention",   scale("d")),
            part("ffn_norm",        "norm.mlp",         scale("d")),
            part("attention.wq",    "attention.query",  linear("d -> h*dh")),
            part("attention.wk",    "attention.key",    linear("d -> kv*dh")),
            part("attention.wv",    "attention.value",  linear("d -> kv*dh")),
            part("attention.wo",    "attention.output", linear("h*dh -> d")),
            part("feed_forward.w1", "mlp.gate",         linear("d -> ff")),
            part("feed_forward.w3", "mlp.up",           linear("d -> ff")),
            part("feed_forward.w2", "mlp.down",         linear("ff -> d"))),
        tower="text",
    )  # fmt: skip


PIXTRAL: Final = Architecture("pixtral", ties=TIES, heads=WHOLE,
    dims=TEXT_DIMS | Dims(w="vision_encoder.hidden_size", N="vision_encoder.num_hidden_layers",
                          vf="vision_encoder.intermediate_size", c="vision_encoder.num_channels | 3",
                          p="vision_encoder.patch_size", m="vision_encoder.spatial_merge_size | 1",
                          b="vision_encoder.adapter_bias | true"),
    parts=rows(
        _text("tok_embeddings"),
        under("vision_encoder",
            part("patch_conv", "embed.patch", conv("c -> w, p p", bias="false")),
            part("ln_pre",     "norm.embed",  scale("w")),
            under("transformer.layers.{N}",
                part("attention_norm",  "norm.attention",   scale("w")),
                part("ffn_norm",        "norm.mlp",         scale("w")),
                part("attention.wq",    "attention.query",  linear("w -> w")),
                part("attention.wk",    "attention.key",    linear("w -> w")),
                part("attention.wv",    "attention.value",  linear("w -> w")),
                part("attention.wo",    "attention.output", linear("w -> w")),
                part("feed_forward.w1", "mlp.gate",         linear("w -> vf")),
                part("feed_forward.w3", "mlp.up",           linear("w -> vf")),
                part("feed_forward.w2", "mlp.down",         linear("vf -> w"))),
            tower="vision"),
        part("pre_mm_projector_norm", "norm.bridge", scale("w"),
             when="vision_encoder.add_pre_mm_projector_layer_norm"),
        part("patch_merger.merging_layer", "merger", linear("w*m*m -> w"),
             when="vision_encoder.mm_projector_id == 'patch_merge'"),
        part("vision_language_adapter.w_in",  "bridge.in",  linear("w -> d", bias="b")),
        part("vision_language_adapter.w_out", "bridge.out", linear("d -> d", bias="b"))))  # fmt: skip
_ENCODER: Final = "multimodal.whisper_model_args.encoder_args."
VOXTRAL: Final = Architecture("voxtral", ties=TIES, heads=WHOLE,
    dims=TEXT_DIMS | Dims(a=_ENCODER + "dim", N=_ENCODER + "n_layers", af=_ENCODER + "hidden_dim",
                          n=_ENCODER + "audio_encoding_args.num_mel_bins",
                          s="multimodal.whisper_model_args.downsample_args.downsample_factor"),
    parts=rows(
        _text("mm_whisper_embeddings.tok_embeddings"),
        under("mm_whisper_embeddings.whisper_encoder",
            part("conv_layers.0",    "embed.audio.1", conv("n -> a, 3")),
            part("conv_layers.1",    "embed.audio.2", conv("a -> a, 3")),
            part("transformer.norm", "norm.final",    affine("a")),
            under("transformer.layers.{N}",
                part("attention_norm",  "norm.attention",   affine("a")),
                part("ffn_norm",        "norm.mlp",         affine("a")),
                part("attention.wq",    "attention.query",  dense("a -> a")),
                part("attention.wk",    "attention.key",    linear("a -> a")),
                part("attention.wv",    "attention.value",  dense("a -> a")),
                part("attention.wo",    "attention.output", dense("a -> a")),
                part("feed_forward.w1", "mlp.up",           dense("a -> af")),
                part("feed_forward.w2", "mlp.down",         dense("af -> a"))),
            tower="audio"),
        part("mm_whisper_embeddings.audio_language_projection.0", "bridge.in",  linear("a*s -> d")),
        part("mm_whisper_embeddings.audio_language_projection.2", "bridge.out", linear("d -> d"))))  # fmt: skip


def with_tower(values: Mapping[str, Any]) -> Architecture | None:
    """The definition for a params.json that describes a tower; None for another one, or for a text model of experts."""
    if values.get("moe") or values.get("kv_lora_rank"):
        return None
    if isinstance(values.get("vision_encoder"), dict):
        return PIXTRAL
    sound = values.get("multimodal")
    arguments = sound.get("whisper_model_args") if isinstance(sound, dict) else None
    encoder = arguments.get("encoder_args") if isinstance(arguments, dict) else None
    return VOXTRAL if isinstance(encoder, dict) and not encoder.get("causal") else None
