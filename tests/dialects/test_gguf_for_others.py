"""GGUF files for programs other than llama.cpp, and projectors with their models: cases without a finding."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from inspector.auditing.start import audit
from inspector.dialects.gguf_shapes import ORIGINAL
from tests.dialects.recorded_gguf import Keys, Written, records, source_of, target_of
from tests.findings.cases import gguf_of, gguf_projector, gguf_with, gguf_with_deepstack

pytestmark = pytest.mark.thinned

SINGLE_FILES = Path(__file__).parents[2] / "fixtures" / "diffusers_single_files.json.gz"
WIDE = {"mm.0.weight": np.ones((48, 32), np.float32), "mm.2.weight": np.ones((48, 48), np.float32)}


def codes(*files: Written) -> list[str]:
    return [one.code for one in gguf_with(*files).findings]


def test_a_projector_of_the_width_of_the_model_fits() -> None:
    fitting = gguf_projector()
    fitting.arrays.update(WIDE)
    assert "N565" in codes(gguf_of("llama"), gguf_projector())
    assert "N565" not in codes(gguf_of("llama"), fitting)


def test_a_projector_of_an_unknown_kind_is_not_compared() -> None:
    assert "N565" not in codes(gguf_of("llama"), gguf_projector("clip.projector_type"))


@pytest.mark.parametrize(("layers", "found"), [(2, set()), (0, {"N570"}), (3, {"N570"})])
def test_a_projector_for_several_layers_needs_a_model_that_takes_them(layers: int, found: set[str]) -> None:
    audited = gguf_with_deepstack(layers)
    assert {one.code for one in audited.findings if one.code in ("N565", "N570")} == found


def lora(architecture: str = "llama", name: str = "blk.0.attn_q.weight", extra: int = 0) -> Written:
    """An adapter for one matrix of the recorded Llama. extra: inputs more than the matrix has."""
    outputs, inputs = gguf_of("llama").arrays["blk.0.attn_q.weight"].shape
    keys: Keys = [
        ("general.type", "text", "adapter"), ("general.architecture", "text", architecture),
        ("adapter.type", "text", "lora"), ("adapter.lora.alpha", "f32", 8.0),
    ]  # fmt: skip
    pair = {f"{name}.lora_a": (2, inputs + extra), f"{name}.lora_b": (outputs, 2)}
    return Written(keys, {one: np.ones(shape, np.float32) for one, shape in pair.items()}, {})


@pytest.mark.parametrize(
    ("adapter", "because"),
    [
        (lora(), ""),
        (lora("qwen3"), "model arch and LoRA arch mismatch"),
        (lora(name="blk.9.attn_q.weight"), "LoRA tensor 'blk.9.attn_q.weight' does not exist in base model"),
        (lora(extra=2), "tensor 'blk.0.attn_q.weight' has incorrect shape"),
    ],
)
def test_an_adapter_in_the_folder_of_another_model_is_found(adapter: Written, because: str) -> None:
    audited = gguf_with(gguf_of("llama"), adapter, names=("model.gguf", "lora.gguf"))
    assert [one.facts["because"] for one in audited.findings if one.code == "N514"] == [because] * bool(because)


@pytest.mark.parametrize(("architecture", "found"), [("mllama", True), ("llama", False), ("flux", False), ("", True)])
def test_architectures_of_other_programs(architecture: str, found: bool) -> None:
    assert ("N568" in codes(gguf_of("llama", architecture=architecture))) is found


def wan() -> Written:
    """A transformer of an image model as ComfyUI-GGUF stores it, with a convolution as a matrix."""
    keys: Keys = [
        ("general.architecture", "text", "wan"),
        (f"{ORIGINAL}patch_embedding.weight", "[i32]", [8, 4, 1, 2, 2]),
    ]
    return Written(keys, {"patch_embedding.weight": np.ones((8, 16), np.float32)}, {})


def test_original_shapes_stated_in_the_file_are_used(tmp_path: Path) -> None:
    audited = audit(str(wan().save(tmp_path / "wan.gguf").parent))
    assert audited.checkpoint.tensors["patch_embedding.weight"].shape == (8, 4, 1, 2, 2)
    assert all(one.code != "C313" for one in audited.findings)  # a GGUF file needs no config


def test_towers_in_the_file_of_the_text_model_are_for_ollama() -> None:
    whole = gguf_of("gemma3_text", "gemma3")
    whole.keys.append(("gemma3.vision.block_count", "u32", 1))
    whole.arrays["v.patch_embedding.weight"] = np.ones((8, 3, 4, 4), np.float32)
    audited = gguf_with(whole)
    assert [one.help.partition(";")[0] for one in audited.findings if one.code == "N466"] == ["load it with Ollama"]
    assert {one.loader: one.outcome for one in audited.loads} == {"llama.cpp": "refuses", "ollama": "unknown"}


def test_experts_of_a_dense_architecture_are_one_finding() -> None:
    mixture = gguf_of("phi", "phi2")
    for name in [one for one in mixture.arrays if ".ffn_up." in one or ".ffn_down." in one]:
        whole = mixture.arrays.pop(name)
        mixture.arrays |= {name.replace(".weight", f".{expert}.weight").replace(".bias", f".{expert}.bias"): whole
                           for expert in range(2)}  # fmt: skip
    for layer in range(3):
        mixture.arrays[f"blk.{layer}.ffn_gate_inp.weight"] = np.ones((2, 48), np.float32)
    found = [one for one in gguf_with(mixture).findings if one.severity == "error"]
    assert [one.code for one in found] == ["N466"]
    assert found[0].help.startswith("llama.cpp has no experts")


def without_architecture(*, own: bool = True, keys: Keys | None = None) -> Written:
    """Llama in a GGUF file without metadata. own: under llama.cpp's names, not under those of transformers."""
    record = records()["llama"]
    source = source_of(record)
    made = target_of(record, source)
    return Written(keys or [], made.arrays if own else source, made.kinds if own else {})


@pytest.mark.parametrize("keys", [[], [("general.name", "text", "mine")], [("tokenizer.ggml.bos_token_id", "u32", 1)]])
@pytest.mark.parametrize("own", [True, False])
def test_a_language_model_without_an_architecture_is_refused(own: bool, keys: Keys) -> None:
    """llama.cpp and Ollama: unknown model architecture ''. candle writes and reads the names of transformers."""
    audited = gguf_with(without_architecture(own=own, keys=keys))
    found = [(one.severity, one.facts["read_by"]) for one in audited.findings if one.code == "N643"]
    assert found == [("error", "") if own else ("warning", "candle")]
    assert {one.outcome for one in audited.loads} == {"refuses"} and audited.verdict == "findings"


def test_text_encoders_image_models_and_adapters_need_no_architecture() -> None:
    encoder = {name: np.ones(shape, np.float32) for name, shape in (
        ("shared.weight", (70, 48)), ("encoder.block.0.layer.0.SelfAttention.q.weight", (48, 48)))}  # fmt: skip
    image = {"double_blocks.0.img_attn.proj.weight": np.ones((48, 48), np.float32)}
    for arrays in (encoder, image, lora().arrays):
        assert "N643" not in codes(Written([("general.name", "text", "mine")], arrays, {}))


@pytest.mark.parametrize(("name", "architecture", "meant"), [
    ("WanTransformer3DModel", "pig", "wan"), ("LTXVideoTransformer3DModel", "pig", "ltxv"),
    ("AuraFlowTransformer2DModel", "other", "aura"), ("WanTransformer3DModel", "wan", None),
    ("StableCascadeUNet", "pig", ""),
])  # fmt: skip
def test_the_architecture_of_comfyui_is_named(name: str, architecture: str, meant: str | None, tmp_path: Path) -> None:
    record = next(one for one in json.loads(gzip.decompress(SINGLE_FILES.read_bytes())) if one["class"] == name)
    arrays = {one: np.ones(shape, np.float16) for one, shape in record["tensors"].items()}
    written = Written([("general.architecture", "text", architecture)], arrays, {})
    found = [one for one in audit(str(written.save(tmp_path / "model.gguf"))).findings if one.code == "N568"]
    assert [one.facts.get("meant", "") for one in found] == ([] if meant is None else [meant])
    assert all((f"set general.architecture to {meant}" in one.help) is bool(meant) for one in found)
    assert all(one.severity == ("warning" if meant else "note") for one in found)


@pytest.mark.parametrize(("names", "training"), [
    (("optimizer.adam.first_moments", "optimizer.adam.second_moments"), True),
    (("optimizer.adam.first_moments", "blk.0.attn_rot_embd.weight"), False),
    (tuple(f"blk.0.other_{at}.weight" for at in range(29)), False),
])  # fmt: skip
def test_tensors_that_are_not_of_the_model(names: tuple[str, ...], training: bool) -> None:
    file = gguf_of("llama")
    file.arrays |= dict.fromkeys(names, np.ones(8, np.float32))
    (found,) = [one for one in gguf_with(file).findings if one.code == "N466"]
    assert found.help.startswith("this is a checkpoint of a training run") is training
    rest = len(names) - 3
    assert dict(found.rows())["tensors"].endswith(f" and {rest} more" if rest > 0 else names[-1])
