"""Applies the remedies to damaged checkpoints and loads the results with transformers: nothing is missing or changed.

    python -m pytest -m slow tests/mending/test_with_transformers.py

Needs torch and transformers 5, and takes minutes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.cli.verbs import mend
from inspector.mending.headers import write_with_header
from tests.judged import base_record

TYPES = {
    "llama": "CausalLM", "qwen2": "CausalLM", "qwen3": "CausalLM", "mistral": "CausalLM", "gemma2": "CausalLM",
    "olmo2": "CausalLM", "gpt2": "LMHeadModel", "gpt_neox": "CausalLM", "opt": "CausalLM", "bloom": "CausalLM",
    "falcon": "CausalLM", "starcoder2": "CausalLM", "bert": "MaskedLM", "roberta": "MaskedLM", "t5": "Generation",
    "bart": "Generation", "vit": "ImageClassification", "whisper": "Generation",
}  # fmt: skip
SIZES = (
    "hidden_size", "intermediate_size", "num_key_value_heads", "vocab_size", "head_dim", "n_embd", "d_model", "d_ff",
    "max_position_embeddings", "ffn_dim", "encoder_ffn_dim", "type_vocab_size", "patch_size",
)  # fmt: skip
LAYERS = ("num_hidden_layers", "n_layer", "num_layers", "encoder_layers", "decoder_layers")
SWITCHES = ("attention_bias", "mlp_bias", "use_bias", "qkv_bias")
MINIMUM_REPAIRED = 100
Change = Callable[[Path], None]


def edited(name: str, change: Callable[[Any], Any]) -> Change:
    """Damage: a JSON file with changed content."""

    def damage(folder: Path) -> None:
        path = folder / name
        stored = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps(change(stored) or stored, indent=2), encoding="utf-8")

    return damage


def renamed(change: Callable[[str], str]) -> Change:
    """Damage: other names in all weight files and in the index."""

    def names(header: dict[str, Any]) -> dict[str, Any]:
        return {name if name == "__metadata__" else change(name): entry for name, entry in header.items()}

    def damage(folder: Path) -> None:
        for path in sorted(folder.glob("*.safetensors")):
            write_with_header(str(path), f"{path}.new", names)
            os.replace(f"{path}.new", path)
        index = folder / "model.safetensors.index.json"
        if index.exists():
            stored = json.loads(index.read_text(encoding="utf-8"))
            stored["weight_map"] = {change(name): file for name, file in stored["weight_map"].items()}
            index.write_text(json.dumps(stored), encoding="utf-8")

    return damage


def valued(key: str, value: Any) -> Change:
    """Damage: another value of a config key."""
    return edited("config.json", lambda stored: {**stored, key: value})


def prefixed(prefix: str) -> Change:
    """Damage: a prefix on all names."""
    return renamed(lambda name: f"{prefix}{name}")


def keys(config: dict[str, Any]) -> Iterator[tuple[str, Change]]:
    """Wrong values of the keys of a config."""
    for key in SIZES:
        if type(config.get(key)) is int:
            yield f"{key} doubled", valued(key, config[key] * 2)
    for key in LAYERS:
        if type(config.get(key)) is int and config[key] > 1:
            yield f"{key} less", valued(key, config[key] - 1)
    for key in SWITCHES:
        if type(config.get(key)) is bool:
            yield f"{key} switched", valued(key, not config[key])


def names(spec: list[str]) -> Iterator[tuple[str, Change]]:
    """Prefixes and renamed modules."""
    for prefix in ("module.", "_orig_mod.", "pretrained_model.", "_forward_module.", "base_model.model."):
        yield f"prefix {prefix}", prefixed(prefix)
    word = next((part for name in spec for part in name.split(".") if re.search("(q|query|key).*|c_attn", part)), "")
    if word:
        yield f"{word} renamed", renamed(lambda name: name.replace(f".{word}.", f".{word}x."))


def _lacking(stored: Any) -> Any:
    for name in list(stored["weight_map"])[::5]:
        del stored["weight_map"][name]
    return stored


def _other_sharding(stored: Any) -> Any:
    return {**stored, "weight_map": dict.fromkeys(stored["weight_map"], "model-00001-of-00009.safetensors")}


def shards() -> Iterator[tuple[str, Change]]:
    """Faults of the index."""
    index = "model.safetensors.index.json"
    yield "index lacks entries", edited(index, _lacking)
    yield "index of another sharding", edited(index, _other_sharding)
    yield "no index", lambda folder: (folder / index).unlink()
    yield "cut index", _cut(index)
    for pattern in ("part_{}.safetensors", "hf_model_{:04d}_0.safetensors", "model-{:03d}.safetensors"):
        yield f"shards named {pattern}", _named(pattern)


def _cut(name: str) -> Change:
    def damage(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(text[:100], encoding="utf-8")

    return damage


def _named(pattern: str) -> Change:
    def damage(folder: Path) -> None:
        for number, path in enumerate(sorted(folder.glob("*.safetensors")), 1):
            path.rename(folder / pattern.format(number))

    return damage


def files() -> Iterator[tuple[str, Change]]:
    """Faults of names and files."""

    def extra(folder: Path) -> None:
        with (folder / "model.safetensors").open("ab") as file:
            file.write(b"\0" * 16)

    yield "file name", lambda folder: _moved_file(folder, "model.safetensors", "model-final.safetensors")
    yield "ending", lambda folder: _moved_file(folder, "model.safetensors", "model.safetensor")
    yield "no ending", lambda folder: _moved_file(folder, "model.safetensors", "weights")
    yield "Config.json", lambda folder: _moved_file(folder, "config.json", "Config.json")
    yield "extra bytes", extra


def _moved_file(folder: Path, old: str, new: str) -> None:
    os.rename(folder / old, folder / new)


def another_class(cls: str) -> Iterator[tuple[str, Change]]:
    """Damage: another class in the config."""
    if cls.endswith("ForCausalLM"):
        other = cls.replace("ForCausalLM", "ForSequenceClassification")
        yield "class", edited("config.json", lambda stored: {**stored, "architectures": [other]})


OTHER_TYPES = {
    "qwen3": ("qwen2", "Qwen2ForCausalLM"), "olmo2": ("llama", "LlamaForCausalLM"),
    "gemma2": ("gemma", "GemmaForCausalLM"),
}  # fmt: skip


def another_type(model_type: str) -> Iterator[tuple[str, Change]]:
    """Damage: the type and the class of another model in the config."""
    if model_type in OTHER_TYPES:
        other, cls = OTHER_TYPES[model_type]
        changed = {"model_type": other, "architectures": [cls]}
        yield "type and class", edited("config.json", lambda stored: {**stored, **changed})


@pytest.mark.slow
def test_the_remedies_load(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    mended = 0
    left: list[str] = []
    wrong: list[str] = []
    for model_type, suffix in TYPES.items():
        record = base_record(model_type, suffix)
        cls = getattr(transformers, record["class"])
        torch.manual_seed(0)
        model = cls(cls.config_class.from_dict(dict(record["config"])))
        model.save_pretrained(tmp_path / model_type)
        size = (tmp_path / model_type / "model.safetensors").stat().st_size
        model.save_pretrained(tmp_path / f"{model_type}-shards", max_shard_size=size // 3)
        config = json.loads((tmp_path / model_type / "config.json").read_text(encoding="utf-8"))
        spec = list(model.state_dict())
        whole = [*keys(config), *names(spec), *files(), *another_class(record["class"]), *another_type(model_type)]
        cases = [(model_type, *case) for case in whole] + [(f"{model_type}-shards", *case) for case in shards()]
        for source, name, damage in cases:
            folder = tmp_path / "damaged"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(tmp_path / source, folder)
            damage(folder)
            outcome = mend(str(folder), write=True, format="json")
            rest = json.loads(outcome.text)
            if outcome.code:
                left.append(f"{model_type}: {name}: {[one['finding'] for one in rest['left']] or rest['failure']}")
                continue
            mended += bool(rest["steps"])
            problem = _problem(cls, folder, model, torch)
            if problem:
                wrong.append(f"{model_type}: {name}: {problem}")
    print(f"\n{mended} mended and loaded, {len(wrong)} of them wrong, {len(left)} left to the person")
    print("\n".join(left))
    assert not wrong, "\n".join(wrong)
    assert mended >= MINIMUM_REPAIRED


def _problem(cls: Any, folder: Path, model: Any, torch: Any) -> str:
    """The difference between the loaded and the saved model; empty if there is none."""
    try:
        loaded, info = cls.from_pretrained(folder, output_loading_info=True)
    except Exception as error:  # any exception of the library is the result
        return f"{type(error).__name__}: {str(error)[:200]}"
    if info["missing_keys"] or info["mismatched_keys"]:
        return f"missing {sorted(info['missing_keys'])[:3]}, mismatched {list(info['mismatched_keys'])[:3]}"
    saved, now = model.state_dict(), loaded.state_dict()
    other = [name for name in saved if name not in now or not torch.equal(saved[name], now[name])]
    return f"other values: {other[:3]}" if other else ""
