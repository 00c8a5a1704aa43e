"""Damaged adapters for PEFT to load: for each adapter of `fixtures/adapters`, damages to it or to its base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

from tests.adapters.records import records, spec_of
from tests.loads.damage import Damage, Folder, damaged, healthy

WEIGHTS = "adapter_model.safetensors"
CONFIG = "adapter_config.json"
BASE = "base/config.json"
"""The config of the base, of which the model is built at random."""
PREFIX = "base_model.model."
EACH = 13
"""Number of damages for each adapter, chosen by its name among those that apply."""
ALWAYS = ("healthy", "lost", "misshaped")


def damages_of(name: str) -> dict[str, Sequence[Damage]]:
    """The damages of an adapter, by name."""
    record = records()[name]
    spec, adapter = spec_of(name), record["adapter"]
    names = list(spec)
    inner = names[crc32(name.encode()) % len(names)]
    module = inner.rpartition(".lora_")[0]
    kind, shape = spec[inner]
    targets = adapter.get("target_modules")
    tuner = next((part for part in inner.split(".") if part.startswith("lora_")), None)
    found: dict[str, Sequence[Damage]] = {
        "healthy": [],
        "lost": [["drop", inner]],
        "misshaped": [["shape", inner, [shape[0] + 2, *shape[1:]]]],
        "module-lost": [["drop", *(one for one in names if module and one.startswith(f"{module}.lora_"))]],
        "renamed": [["rename", inner, f"{inner}_"]],
        "added": [["add", "extra.weight", "F32", [3, 5]]],
        "elsewhere": [["add", f"{PREFIX}model.layers.9.self_attn.q_proj.lora_A.weight", kind, [4, 48]]],
        "stripped": [["strip", PREFIX]],
        "twice": [["prefix", PREFIX]],
        "module": [["prefix", "module."]],
        "wrapped": [["replace", ".self_attn.", "._checkpoint_wrapped_module.self_attn."]],
        "named": [["replace", f".{tuner}.", f".{tuner}.default."]] if tuner else [],
        "named-otherwise": [["replace", f".{tuner}.", f".{tuner}.mine."]] if tuner else [],
        "name": [["file", WEIGHTS, "model.safetensors"]],
        "copy": [["file", WEIGHTS, "adapter_model (1).safetensors"]],
        "no-config": [["file", CONFIG, None]],
        "config-name": [["file", CONFIG, "config.json"]],
        "no-type": [["unset", ["peft_type"], CONFIG]],
        "other-type": [["config", ["peft_type"], "NO_SUCH", CONFIG]],
        "lower-type": [["config", ["peft_type"], str(adapter["peft_type"]).lower(), CONFIG]],
        "extra-key": [["config", ["no_such_key"], 3, CONFIG]],
        "rank": [["config", ["r"], adapter["r"] + 1, CONFIG]] if isinstance(adapter.get("r"), int) else [],
        "target-lost": [["config", ["target_modules"], targets[1:], CONFIG]]
        if isinstance(targets, list) and len(targets) > 1
        else [],
        "target-more": [["config", ["target_modules"], [*targets, "no_such_module"], CONFIG]]
        if isinstance(targets, list)
        else [],
        "target-none": [["config", ["target_modules"], ["no_such_module"], CONFIG]] if targets else [],
        "target-unset": [["unset", ["target_modules"], CONFIG]] if targets else [],
        "empty": [["drop", *names]],
        "i32": [["dtype", "I32"]],
        "no-metadata": [["metadata", None]],
        "task": [["config", ["task_type"], "causal_lm", CONFIG]],
        "task-generating": [["config", ["task_type"], "CAUSAL_LM", CONFIG]],
        "bias": [["config", ["bias"], "lora", CONFIG]],
        "start": [["config", ["init_lora_weights"], "corda", CONFIG]] if "init_lora_weights" in adapter else [],
        "target-norm": _more_targets(targets, names, "input_layernorm"),
        "target-block": _more_targets(targets, names, "self_attn"),
        "removed-type": [["config", ["peft_type"], "BONE", CONFIG]],
        "base-rows": [["config", ["vocab_size"], 115, BASE]] if "vocab_size" in record["base"] else [],
        "base-fewer": _layers(record["base"], -1),
        "base-more": _layers(record["base"], 1),
        "base-wider": [["config", ["intermediate_size"], record["base"]["intermediate_size"] + 4, BASE]]
        if "intermediate_size" in record["base"]
        else [],
    }  # fmt: skip
    return {key: steps for key, steps in found.items() if steps or key == "healthy"}


def _more_targets(targets: Any, names: Sequence[str], wanted: str) -> Sequence[Damage]:
    """The targets with one more, a module that the layers of the adapter have."""
    known = isinstance(targets, list) and any(".self_attn." in name for name in names)
    return [["config", ["target_modules"], [*targets, wanted], CONFIG]] if known else []


def _layers(base: Mapping[str, Any], more: int) -> Sequence[Damage]:
    key = next((key for key in ("num_hidden_layers", "n_layer", "num_layers", "encoder_layers") if key in base), None)
    return [["config", [key], base[key] + more, BASE]] if key is not None else []


def folder_of(case: Mapping[str, Any]) -> Folder:
    """The damaged folder of a case, and a separate folder with the config of its base."""
    record = records()[case["adapter"]]
    folder = healthy(spec_of(case["adapter"]), {}, WEIGHTS)
    base = {**record["base"], "architectures": [record["class"]]}
    base.pop("layer_types", None)
    folder.texts = {CONFIG: dict(record["adapter"]), BASE: base}
    return damaged(folder, case["damage"])


def cases() -> Iterator[dict[str, Any]]:
    """Every case: adapter, name of the damage, damage."""
    for name in records():
        found = damages_of(name)
        order = sorted(found, key=lambda damage: crc32(f"{name} {damage}".encode()))
        for key in [key for key in (*ALWAYS, *(one for one in order if one not in ALWAYS)) if key in found][:EACH]:
            yield {"adapter": name, "name": key, "damage": found[key]}
