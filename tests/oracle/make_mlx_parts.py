"""Write what mlx-lm loads to `inspector/loading/registries.json`: its types, and the modules that it leaves out.

Needs an environment with `mlx-lm[cpu]` and msgspec:

    mlx/bin/python -m tests.oracle.make_mlx_parts

mlx-lm runs the text model of many multimodal types: their `sanitize` drops the towers and the projector, and a
conversion does not store them. A module of a definition counts as left out if the class has no parameter in it and
`sanitize` removes a tensor in it.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.checkpoints import plan_of
from tests.judged import base_record, oracle_types, records, spec_of

REGISTRIES = Path(__file__).parents[2] / "inspector" / "loading" / "registries.json"
TEXT_ONLY = {"gemma3n_text": ("gemma3n", "Gemma3nForConditionalGeneration")}
"""Text model with records -> the whole model, which has none because its tower is of another library."""
PROBE = "probe.weight"
WHOLE = re.compile(r"ForConditionalGeneration$|ForCausalLM$")


def accepted(config: Mapping[str, Any]) -> dict[str, Any]:
    """A config with keys that mlx-lm needs in the text model, and the only number of experts that Llama 4 has there."""
    text = config.get("text_config")
    if not isinstance(text, dict):
        return dict(config)
    return {**config, "text_config": {"tie_word_embeddings": False, **text, "num_experts_per_tok": 1}}


def module_of(name: str) -> str:
    """The module at the top of a model that has a tensor, below the base class: "vision_tower"."""
    return name.removeprefix("model.").split(".")[0]


def types() -> set[str]:
    """The model types that mlx-lm has a class for."""
    folder = Path(importlib.import_module("mlx_lm.models").__path__[0])
    files = {file.stem for file in folder.glob("*.py") if re.search(r"^class Model\(", file.read_text(), re.MULTILINE)}
    return files | set(importlib.import_module("mlx_lm.utils").MODEL_REMAPPING)


def cases(model_type: str) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """The records of a type: class, config and tensors."""
    for record in records(model_type):
        yield record["class"], {"model_type": model_type, **record["config"]}, spec_of(record)
    if model_type in TEXT_ONLY:
        name, class_name = TEXT_ONLY[model_type]
        yield class_name, {"model_type": name, "text_config": base_record(model_type)["config"]}, {}


def modules_of(config: Mapping[str, Any]) -> set[str]:
    """The modules at the top of the definition of a config."""
    return {module_of(slot.path) for slot in plan_of(config).unrolled.slots}


def left_out(config: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> list[str]:
    """The modules that mlx-lm's class for a config leaves out; empty if it does not accept the config.

    shapes: name -> shape, as transformers saves them.
    """
    core = importlib.import_module("mlx.core")
    flat = importlib.import_module("mlx.utils").tree_flatten
    try:
        kind, arguments = importlib.import_module("mlx_lm.utils")._get_classes(dict(config))
        model = kind(arguments.from_dict(json.loads(json.dumps(config))))
    except (Exception, SystemExit):  # mlx-lm does not have the type, or needs other keys or packages
        return []

    def drops(name: str) -> bool:
        """True if `sanitize` removes a tensor."""
        weights = {**{kept: core.zeros(shape) for kept, shape in shapes.items()}, name: core.zeros(1)}
        try:
            return not any(PROBE in kept for kept in model.sanitize(weights))
        except Exception:  # it computes with the tensor
            return False

    own = {part for name, _ in flat(model.parameters()) for part in name.split(".")}
    others = modules_of(config) - own
    return sorted(one for one in others if drops(f"{one}.{PROBE}") or drops(f"model.{one}.{PROBE}"))


def main() -> None:
    """Measure every type, and write those with modules that are left out."""
    found: dict[str, list[str]] = {}
    for model_type in oracle_types():
        modules: set[str] = set()
        for class_name, stated, tensors in cases(model_type):
            config = {**accepted(stated), "architectures": [class_name]}
            if WHOLE.search(class_name):
                modules.update(left_out(config, {name: shape for name, (_, shape) in tensors.items()}))
                name = config["model_type"]
        if modules:
            found[name] = sorted(modules)
            print(name, *found[name], flush=True)
    version = importlib.metadata.version("mlx-lm")
    listed = json.loads(REGISTRIES.read_text(encoding="utf-8"))
    listed["mlx"] = {
        "source": f"mlx-lm {version}, mlx_lm/models and MODEL_REMAPPING in mlx_lm/utils.py",
        "version": ".".join(version.split(".")[:2]),
        "names": " ".join(sorted(types())),
        "left_out": {name: " ".join(modules) for name, modules in found.items()},
    }
    entries = ",\n".join(f" {json.dumps(name)}: {json.dumps(entry)}" for name, entry in listed.items())
    REGISTRIES.write_text(f"{{\n{entries}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
