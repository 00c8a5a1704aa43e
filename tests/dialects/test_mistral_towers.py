"""Mistral's own checkpoints with towers: exact under their params.json, and each damage named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.checkpoints import Spec, elements, write_file
from tests.judged import codes

TEXT: dict[str, Any] = {"dim": 96, "n_layers": 3, "head_dim": 16, "hidden_dim": 160, "n_heads": 4, "n_kv_heads": 2,
                        "rope_theta": 1e6, "norm_eps": 1e-5, "vocab_size": 211}  # fmt: skip
TOWER = {"hidden_size": 48, "num_channels": 3, "image_size": 64, "patch_size": 8, "intermediate_size": 80,
         "num_hidden_layers": 2, "num_attention_heads": 3, "rope_theta": 1e4, "image_token_id": 10}  # fmt: skip
MERGED = TOWER | {"adapter_bias": False, "spatial_merge_size": 2, "add_pre_mm_projector_layer_norm": True,
                  "mm_projector_id": "patch_merge"}  # fmt: skip
ENCODER = {"audio_encoding_args": {"num_mel_bins": 20}, "dim": 56, "n_layers": 2, "hidden_dim": 88, "n_heads": 7,
           "causal": False}  # fmt: skip
SOUND = {"whisper_model_args": {"encoder_args": ENCODER, "downsample_args": {"downsample_factor": 4}}}


def _text(table: str = "tok_embeddings") -> Spec:
    spec: Spec = {f"{table}.weight": ("BF16", (211, 96)), "norm.weight": ("BF16", (96,)),
                  "output.weight": ("BF16", (211, 96))}  # fmt: skip
    for layer in range(3):
        shapes = {"attention.wq": (64, 96), "attention.wk": (32, 96), "attention.wv": (32, 96),
                  "attention.wo": (96, 64), "feed_forward.w1": (160, 96), "feed_forward.w2": (96, 160),
                  "feed_forward.w3": (160, 96), "attention_norm": (96,), "ffn_norm": (96,)}  # fmt: skip
        spec |= {f"layers.{layer}.{name}.weight": ("BF16", shape) for name, shape in shapes.items()}
    return spec


def _images(*, merged: bool) -> Spec:
    spec: Spec = {"vision_encoder.patch_conv.weight": ("BF16", (48, 3, 8, 8)),
                  "vision_encoder.ln_pre.weight": ("BF16", (48,)),
                  "vision_language_adapter.w_in.weight": ("BF16", (96, 48)),
                  "vision_language_adapter.w_out.weight": ("BF16", (96, 96))}  # fmt: skip
    if merged:
        spec["patch_merger.merging_layer.weight"] = ("BF16", (48, 192))
        spec["pre_mm_projector_norm.weight"] = ("BF16", (48,))
    else:
        spec |= {f"vision_language_adapter.{name}.bias": ("BF16", (96,)) for name in ("w_in", "w_out")}
    for layer in range(2):
        shapes = {**{f"attention.w{one}": (48, 48) for one in "qkvo"}, "feed_forward.w1": (80, 48),
                  "feed_forward.w2": (48, 80), "feed_forward.w3": (80, 48), "attention_norm": (48,),
                  "ffn_norm": (48,)}  # fmt: skip
        before = f"vision_encoder.transformer.layers.{layer}"
        spec |= {f"{before}.{name}.weight": ("BF16", shape) for name, shape in shapes.items()}
    return spec


def _sounds() -> Spec:
    outer, tower = "mm_whisper_embeddings.", "mm_whisper_embeddings.whisper_encoder."
    spec: Spec = {f"{outer}audio_language_projection.0.weight": ("BF16", (96, 224)),
                  f"{outer}audio_language_projection.2.weight": ("BF16", (96, 96)),
                  f"{tower}conv_layers.0.weight": ("BF16", (56, 20, 3)), f"{tower}conv_layers.0.bias": ("BF16", (56,)),
                  f"{tower}conv_layers.1.weight": ("BF16", (56, 56, 3)), f"{tower}conv_layers.1.bias": ("BF16", (56,)),
                  f"{tower}transformer.norm.weight": ("BF16", (56,)),
                  f"{tower}transformer.norm.bias": ("BF16", (56,))}  # fmt: skip
    for layer in range(2):
        shapes = {**{f"attention.w{one}": (56, 56) for one in "qkvo"}, "feed_forward.w1": (88, 56),
                  "feed_forward.w2": (56, 88), "attention_norm": (56,), "ffn_norm": (56,)}  # fmt: skip
        for name, shape in shapes.items():
            before = f"{tower}transformer.layers.{layer}.{name}"
            spec[f"{before}.weight"] = ("BF16", shape)
            if name != "attention.wk":
                spec[f"{before}.bias"] = ("BF16", shape[:1])
    return spec


MODELS: dict[str, tuple[dict[str, Any], Spec]] = {
    "pixtral": (TEXT | {"vision_encoder": TOWER}, _text() | _images(merged=False)),
    "mistral-small-3.1": (TEXT | {"vision_encoder": MERGED}, _text() | _images(merged=True)),
    "voxtral": (TEXT | {"multimodal": SOUND}, _text("mm_whisper_embeddings.tok_embeddings") | _sounds()),
}


def audited(where: Path, values: dict[str, Any], spec: Spec) -> Audit:
    (where / "params.json").write_text(json.dumps(values))
    write_file(where / "consolidated.safetensors", spec)
    return audit(str(where))


@pytest.mark.parametrize("name", MODELS)
def test_every_tensor_is_explained(name: str, tmp_path: Path) -> None:
    values, spec = MODELS[name]
    found = audited(tmp_path, values, spec)
    assert found.verdict == "clean", codes(found)
    assert found.counts.unique_parameters == found.counts.expected_parameters == elements(spec)


@pytest.mark.parametrize("name", MODELS)
def test_a_lost_tensor_of_the_tower_is_named_as_in_the_file(name: str, tmp_path: Path) -> None:
    values, spec = MODELS[name]
    lost = next(key for key in spec if key.endswith("transformer.layers.1.attention.wv.weight"))
    found = audited(tmp_path, values, {key: entry for key, entry in spec.items() if key != lost})
    named = [one for one in found.findings if one.severity == "error"]
    assert [one.code for one in named] == ["N403"]
    assert lost.removesuffix("1.attention.wv.weight") in str(named[0])


@pytest.mark.parametrize("name", MODELS)
def test_a_wrong_width_of_the_tower_is_named_by_its_key_of_params(name: str, tmp_path: Path) -> None:
    values, spec = MODELS[name]
    if name == "voxtral":
        wrong = json.loads(json.dumps(values))
        wrong["multimodal"]["whisper_model_args"]["encoder_args"]["hidden_dim"] = 96
        key = "multimodal.whisper_model_args.encoder_args.hidden_dim"
    else:
        wrong = values | {"vision_encoder": values["vision_encoder"] | {"intermediate_size": 96}}
        key = "vision_encoder.intermediate_size"
    found = audited(tmp_path, wrong, spec)
    assert [one.facts["key"] for one in found.findings if one.code == "C310"] == [key]


@pytest.mark.parametrize("name", MODELS)
def test_other_programs_open_config_json_and_vllm_reads_the_format(name: str, tmp_path: Path) -> None:
    values, spec = MODELS[name]
    found = audited(tmp_path, values, spec)
    for loader in ("transformers", "mlx"):
        (error,) = (one for one in judged_for(found, loader).findings if one.severity == "error")
        assert error.code == "N598" and "or load it with vLLM" in (error.help or "")
    open_ = judged_for(found, "vllm")
    assert open_.verdict == "undecided" and "it reads params.json" in str(open_.skipped)


def test_vllm_reads_no_format_of_another_program(tmp_path: Path) -> None:
    """Neither the files of Meta, nor safetensors of another name; with config.json the folder is for transformers."""
    values, spec = MODELS["pixtral"]
    (tmp_path / "params.json").write_text(json.dumps(values))
    write_file(tmp_path / "weights.safetensors", spec)
    judged = judged_for(audit(str(tmp_path)), "vllm")
    assert [one.code for one in judged.findings if one.severity == "error"] == ["N598"]
    (tmp_path / "config.json").write_text("{}")
    assert "N598" not in codes(judged_for(audit(str(tmp_path)), "vllm"))
