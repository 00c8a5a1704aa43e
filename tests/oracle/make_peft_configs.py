"""Make `inspector/adapters/peft_configs.json`: keys of PEFT's config classes, defaults, and refused values.

Needs torch, transformers and peft, as `make_library_loads.py`:

    five/bin/python -m tests.oracle.make_peft_configs

For each type: `keys`, the defaults of all keys (null for those that are no plain values); `refused`, the conditions of
`CONDITIONS` that its class refuses; `targets`, the number of an entry of the shared list for each model type whose
modules it changes where a config names none, and `forward`, those whose input IA3 scales; `kinds`, the kinds of modules
that it changes (null where it changes them in other ways: it raises for a target of any other kind); `null`, `zero`,
`negative`, `text`, `number`, `fraction`, `true`, `false`, `list` and `object`, the keys that may not be these (a number
in place of anything else, a list with entries) when an adapter is loaded, and `words`, what the keys may be that are
one of a few words. `tasks`: the values of `task_type`; `renaming`: the model types of transformers 5 for which PEFT
renames the tensors of a LoRA as transformers does those of a model; `fused`: of some of them, the modules that it
joins with others, by what they are called together.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import re
import tempfile
import typing
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[2] / "inspector" / "adapters" / "peft_configs.json"
CONDITIONS: dict[str, dict[str, Any]] = {
    "layers_to_transform with an expression in target_modules": {"target_modules": "x", "layers_to_transform": [0]},
    "layers_pattern with an expression in target_modules": {"target_modules": "x", "layers_pattern": "h"},
    "layers_pattern without layers_to_transform": {"target_modules": ["x"], "layers_pattern": "h"},
    "lora_bias with use_dora": {"target_modules": ["x"], "lora_bias": True, "use_dora": True},
    "lora_alpha without r": {"target_modules": ["x"], "lora_alpha": 8, "r": None},
}

SMALL: dict[str, dict[str, Any]] = {
    "OFT": {"oft_block_size": 4, "r": 0}, "BOFT": {"boft_block_size": 4}, "VBLORA": {"vector_length": 4},
    "ADALORA": {"total_step": 10}, "C3A": {"block_size": 4}, "ROAD": {"group_size": 4}, "WAVEFT": {"n_frequency": 20},
    "FOURIERFT": {"n_frequency": 20}, "GRALORA": {"r": 4, "gralora_k": 2}, "IA3": {"feedforward_modules": []},
    "MISS": {"r": 4}, "SHIRA": {"r": 2}, "FROD": {"progressbar": False}, "SUPERTUNING": {"r": 4, "lora_alpha": 8},
}  # fmt: skip
"""Arguments with which a method changes modules of this width."""
WIDTH = 48
PROMPT: Mapping[str, Any] = {"task_type": "CAUSAL_LM", "num_virtual_tokens": 4}
NOT_TRIED = (
    "target_modules", "target_parameters", "modules_to_save", "task_type", "peft_type", "layers_pattern",
    "trainable_token_indices",
)  # fmt: skip
"""Keys whose values depend on the base, on other keys or on the tensors."""
OTHERS: Mapping[str, Sequence[Any]] = {
    "null": (None,), "zero": (0, 0.0), "negative": (-1, -1.0), "text": ("4", "no_such_word"), "number": (1, 8, 0.5),
    "fraction": (1.5, 0.5), "true": (True,), "false": (False,),
    "list": ([1], ["no_such_word"], [[8]]), "object": ({}, {"no_such_key": 1}),
    "words": ("no_such_word",),
}  # fmt: skip
"""Values that represent a condition: it holds where each of them is refused."""
KINDS: Mapping[str, str] = {
    "fraction": r"float", "true": r"bool", "false": r"bool",
    "list": r"(?i)list|tuple|set|sequence", "object": r"(?i)dict|mapping|config",
}  # fmt: skip
"""Condition -> types of keys that accept such values: whether one is accepted depends on other keys."""
OF_SHAPES = re.compile(r"size mismatch|shape|expand|must match")
"""Parts of messages about tensors, not about the value."""


def plain(value: Any) -> Any:
    """A default as in JSON; None where it is not a plain value."""
    return value if isinstance(value, bool | int | float | str | list | dict) else None


def defaults_of(kind: Any) -> dict[str, Any]:
    """The keys of a config class with their defaults."""
    found: dict[str, Any] = {}
    parameters = inspect.signature(kind.__init__).parameters
    for field in dataclasses.fields(kind):
        if field.name in parameters and field.name != "peft_type":
            made = field.default_factory() if callable(field.default_factory) else field.default
            found[field.name] = plain(made)
    return found


def refused_by(kind: Any, name: str, keys: dict[str, Any]) -> list[str]:
    """The conditions that a class refuses, all keys of which it has."""
    found: list[str] = []
    for condition, values in CONDITIONS.items():
        if values.keys() <= keys.keys():
            try:
                kind(**{**SMALL.get(name, {}), **values})
            except ValueError:
                found.append(condition)
            except ImportError:
                continue
    return found


def kinds_of(peft: Any, kind: Any, name: str) -> list[str] | None:
    """The kinds of modules that a method changes, None where not even a matrix is one."""
    nn, conv1d = importlib.import_module("torch.nn"), importlib.import_module("transformers.pytorch_utils").Conv1D
    modules: dict[str, Any] = {
        "linear": lambda: nn.Linear(WIDTH, WIDTH), "linear_io": lambda: conv1d(WIDTH, WIDTH),
        "table": lambda: nn.Embedding(2 * WIDTH, WIDTH), "conv1": lambda: nn.Conv1d(WIDTH, WIDTH, 3),
        "conv2": lambda: nn.Conv2d(WIDTH, WIDTH, 3), "conv3": lambda: nn.Conv3d(8, 8, 3),
        "affine": lambda: nn.LayerNorm(WIDTH), "container": lambda: nn.ModuleDict({"inner": nn.Linear(WIDTH, WIDTH)}),
    }  # fmt: skip
    found: list[str] = []
    for key, build in modules.items():
        try:
            config = kind(target_modules=["target"], **SMALL.get(name, {}))
            peft.get_peft_model(nn.ModuleDict({"target": build()}), config)
        except (AttributeError, ImportError, KeyError, NotImplementedError, TypeError, ValueError):
            continue
        found.append(key)
    return found or None


def base_model() -> Any:
    """A model for which every method has an adapter."""
    transformers = importlib.import_module("transformers")
    config = transformers.LlamaConfig(
        hidden_size=WIDTH, intermediate_size=2 * WIDTH, num_hidden_layers=2, num_attention_heads=4, vocab_size=60
    )
    return transformers.LlamaForCausalLM(config)


def values_of(peft: Any, kind: Any, name: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The values of keys with which an adapter does not load; empty where no adapter could be made."""
    given = {key: value for key, value in {**PROMPT, "target_modules": ["q_proj"]}.items() if key in keys}
    with tempfile.TemporaryDirectory() as place:
        try:
            peft.get_peft_model(base_model(), kind(**{**given, **SMALL.get(name, {})})).save_pretrained(place)
        except (AttributeError, ImportError, KeyError, NotImplementedError, RuntimeError, TypeError, ValueError):
            return {}
        config = json.loads((Path(place) / peft.utils.CONFIG_NAME).read_text(encoding="utf-8"))
        if _refusal(peft, place, config):
            return {}
        found: dict[str, Any] = {}
        known = {key: _words(kind, key) for key, value in config.items() if isinstance(value, str) and key != "bias"}
        for condition, values in OTHERS.items():
            tried = [
                key
                for key, value in config.items()
                if key in keys
                and (key not in NOT_TRIED or condition == "number")
                and _applies(condition, value, known.get(key, ""))
                and not takes(kind, key, condition)
            ]
            instead = {key: WIDTH // 12 for key, value in config.items() if type(value) is int and not value}
            others = ({}, instead) if condition == "zero" else ({},)  # one of two keys may have to be 0
            refused = [
                key
                for key in tried
                if all(_refusal(peft, place, {**config, **one, key: new}) for one in others for new in values)
            ]
            found[condition] = {key: known[key] for key in refused} if condition == "words" else " ".join(refused)
    return {key: value for key, value in found.items() if value}


def _applies(condition: str, value: Any, words: str) -> bool:
    """Whether a key with this value is tried."""
    if condition == "null":
        return value is not None
    if condition == "number":
        return type(value) not in (int, float, bool)
    if condition == "text":
        return not (isinstance(value, str | bool) or words)
    if condition == "fraction":
        return type(value) is int
    if condition in ("true", "false", "list", "object"):
        return not isinstance(value, {"list": list, "object": dict}.get(condition, bool))
    return bool(words) if condition == "words" else type(value) in (int, float)


def takes(kind: Any, key: str, condition: str) -> bool:
    """Whether the type of a key accepts some values of a condition."""
    text = "str" if condition == "text" and not _is_number(kind, key) else None
    pattern = KINDS.get(condition, text)
    return pattern is not None and re.search(pattern, str(typing.get_type_hints(kind).get(key))) is not None


def _is_number(kind: Any, key: str) -> bool:
    """Whether the default of a key is a number."""
    return type(defaults_of(kind).get(key)) in (int, float)


def _refusal(peft: Any, place: str, config: Mapping[str, Any]) -> bool:
    """Whether PEFT refuses an adapter with this config for another reason than the shapes of its tensors."""
    (Path(place) / peft.utils.CONFIG_NAME).write_text(json.dumps(config), encoding="utf-8")
    try:
        peft.PeftModel.from_pretrained(base_model(), place)
    except Exception as error:
        return OF_SHAPES.search(str(error)) is None
    return False


def _words(kind: Any, key: str) -> str:
    """The words that the type of a key lists; "" where it lists none, or some that are made from others."""
    hint = typing.get_type_hints(kind).get(key)
    options = [hint, *typing.get_args(hint)]
    found = [
        one for option in options if typing.get_origin(option) is typing.Literal for one in typing.get_args(option)
    ]
    found += [
        one.value for option in options if isinstance(option, type) and issubclass(option, Enum) for one in option
    ]
    return "" if any("[" in str(one) for one in found) else " ".join(map(str, found))


def conversions() -> dict[str, Any]:
    """`renaming` and `fused`."""
    types = importlib.import_module("transformers.models.auto.configuration_auto").CONFIG_MAPPING_NAMES
    mapping = importlib.import_module("transformers.conversion_mapping").get_checkpoint_conversion_mapping
    peft = importlib.import_module("peft.utils.transformers_weight_conversion")
    patterns, fused = peft._MODEL_TO_CONVERSION_PATTERN, peft._MOE_FUSED_TARGETS
    renaming = sorted(name for name in types if mapping(name) is not None)
    joined = {name: list(fused[patterns[name]].values()) for name in renaming if patterns.get(name) in fused}
    return {"renaming": renaming, "fused": joined}


def main() -> None:
    """Write the table."""
    mapping = importlib.import_module("peft.mapping")
    targets: list[str] = []
    found: dict[str, Any] = {}
    for name, kind in sorted(mapping.PEFT_TYPE_TO_CONFIG_MAPPING.items(), key=lambda item: item[0].value):
        keys = defaults_of(kind)
        tuner = mapping.PEFT_TYPE_TO_TUNER_MAPPING.get(name)
        of_types = getattr(tuner, "target_module_mapping", None) or {}
        if name.value == "IA3":
            of_types = importlib.import_module("peft.utils.constants").TRANSFORMERS_MODELS_TO_IA3_TARGET_MODULES_MAPPING
        entry: dict[str, Any] = {"keys": keys, "refused": refused_by(kind, name.value, keys), "targets": {}}
        for model_type, modules in sorted(of_types.items()):
            text = modules if isinstance(modules, str) else " ".join(sorted(modules))
            if text not in targets:
                targets.append(text)
            entry["targets"][model_type] = targets.index(text)
        if name.value == "IA3":
            ahead = importlib.import_module(
                "peft.utils.constants"
            ).TRANSFORMERS_MODELS_TO_IA3_FEEDFORWARD_MODULES_MAPPING
            entry["forward"] = {model_type: " ".join(sorted(modules)) for model_type, modules in sorted(ahead.items())}
        if "target_modules" in keys:
            entry["kinds"] = kinds_of(importlib.import_module("peft"), kind, name.value)
        entry |= values_of(importlib.import_module("peft"), kind, name.value, keys)
        found[name.value] = entry
    tasks = sorted(task.value for task in importlib.import_module("peft").TaskType)
    lines = [f'"targets": {json.dumps(targets)}', f'"tasks": {json.dumps(tasks)}']
    lines += [f'"{key}": {json.dumps(value)}' for key, value in conversions().items()]
    lines += [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in found.items()]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
