"""Make `inspector/auditing/quantized/initialised_weights.json`: linear layers whose `weight` transformers 5 reads where
it initializes modules.

Needs torch and transformers; builds the models of `fixtures/oracle` without weights:

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0
    five/bin/python -m tests.oracle.make_initialised_weights [MODEL_TYPE ...]

Each linear layer loses its `weight`, as layers that compressed-tensors packs have none, and `_init_weights` runs for
every module, by the model that `initialize_weights` takes for it: the innermost one around the module. A layer is
listed where its `weight` is asked for without a default.

`layers`: model type of the innermost model -> the shortest ends of names that none of its other linear layers has, with
`#` for a number. `others`: the same where the layer is of another class than `nn.Linear`, as GPTQ builds it: only a
module around it reads its `weight`. `parts`: model type -> [key of a config inside its config, last word of the name of
the model that is built from it, model type of that config in the records].
"""

from __future__ import annotations

import importlib
import json
import logging
import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.judged import oracle_types
from tests.oracle.make_module_kinds import models

TABLE = Path(__file__).parents[2] / "inspector" / "auditing" / "quantized" / "initialised_weights.json"

Names = dict[str, set[str]]
"""Model type -> names of layers in the innermost model of this type."""


class Unset(AttributeError):
    """Raised where the weight of a packed layer is read. layer: its name."""

    def __init__(self, layer: str) -> None:
        super().__init__(layer)
        self.layer = layer


def without_weights(model: Any, *, linear: bool) -> dict[str, Any]:
    """Takes the weights of all linear layers away: name -> layer. linear: they stay instances of `nn.Linear`."""
    nn = importlib.import_module("torch.nn")
    layers = {name: one for name, one in model.named_modules() if isinstance(one, nn.Linear)}
    for name, layer in layers.items():
        base = type(layer) if linear else nn.Module

        def get(self: Any, key: str, base: Any = base, name: str = name) -> Any:
            if key == "weight" and key not in self._parameters:
                raise Unset(name)
            return base.__getattr__(self, key)

        layer._parameters.pop("weight", None)
        layer.__class__ = type(base.__name__ if linear else "Packed", (base,), {"__getattr__": get})
    return layers


def read_layers(model: Any, *, linear: bool) -> Iterator[str]:
    """The names of the layers whose weights are read."""
    torch = importlib.import_module("torch")
    layers = without_weights(model, linear=linear)
    with torch.device("meta"), torch.no_grad():
        for module, owner in with_owners(model, model):
            while (layer := unset_by(owner, module)) is not None:
                yield layer
                layers[layer]._parameters["weight"] = torch.nn.Parameter(torch.empty(4, 4))


def with_owners(module: Any, owner: Any) -> Iterator[tuple[Any, Any]]:
    """Each module, and the model whose `_init_weights` initializes it."""
    kind = importlib.import_module("transformers").PreTrainedModel
    for child in module.children():
        yield from with_owners(child, child if isinstance(child, kind) else owner)
    yield module, owner


def unset_by(owner: Any, module: Any) -> str | None:
    """The first layer without a weight that the initialization of a module reads; None if it reads none."""
    try:
        owner._init_weights(module)
    except Unset as unset:
        return unset.layer
    except Exception as problem:  # what fails for another reason on the meta device is reported
        print(type(owner).__name__, type(module).__name__, type(problem).__name__, problem, file=sys.stderr)
    return None


def inner_models(model: Any) -> dict[str, Any]:
    """Name -> model, for each model in a model and for itself."""
    kind = importlib.import_module("transformers").PreTrainedModel
    return {name: one for name, one in model.named_modules() if isinstance(one, kind)}


def collect(model: Any, read: Names, every: Names, *, linear: bool) -> None:
    """Adds the layers of a model to those that are read and to all. The model is changed."""
    kind = importlib.import_module("torch.nn").Linear
    owners = inner_models(model)
    names = [name for name, one in model.named_modules() if isinstance(one, kind)]
    found = set(read_layers(model, linear=linear))
    for name in names:
        outer = max((one for one in owners if f"{name}.".startswith(f"{one}." if one else "")), key=len)
        key = owners[outer].config.model_type
        own = re.sub(r"(?<=\.)\d+(?=\.|$)", "#", name.removeprefix(f"{outer}.") if outer else name)
        every[key].add(own)
        if name in found:
            read[key].add(own)


def parts_of(model: Any) -> Iterator[tuple[str, str, str]]:
    """(key in the config, last word of the name, model type) of each outermost model with a config of its own."""
    keys = {one.model_type: key for key in model.config.sub_configs
            if (one := getattr(model.config, key, None)) is not None}  # fmt: skip
    outer = list[str]()
    for name, one in inner_models(model).items():
        kind = one.config.model_type
        if kind in keys and kind != model.config.model_type and not any(name.startswith(f"{up}.") for up in outer):
            outer.append(name)
            yield keys[kind], name.rpartition(".")[2], kind


def ends(read: set[str], every: set[str]) -> list[str]:
    """The shortest ends of the names of `read` that no other name has."""
    others = every - read
    found = set[str]()
    for name in read:
        words = name.split(".")
        tails = (".".join(words[-count:]) for count in range(1, len(words) + 1))
        found.add(next((end for end in tails if not any(has_end(one, end) for one in others)), name))
    return sorted(end for end in found if not any(one != end and has_end(end, one) for one in found))


def has_end(name: str, end: str) -> bool:
    """True if a name ends in these words."""
    return f".{name}".endswith(f".{end}")


def main(wanted: Sequence[str]) -> None:
    """Write the table; with types, from these alone."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    parts, layers = Names(), dict[str, dict[str, str]]()
    for name in ("layers", "others"):
        read, every = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        for model_type in wanted or oracle_types():
            for model in models(model_type):
                parts.setdefault(model.config.model_type, set()).update(map(" ".join, parts_of(model)))
                collect(model, read, every, linear=name == "layers")
        layers[name] = {key: " ".join(ends(read[key], every[key])) for key in sorted(read)}
    listed = {key: [one.split(" ") for one in sorted(parts[key])] for key in sorted(parts) if parts[key]}
    tables: dict[str, dict[str, Any]] = {**layers, "parts": listed}
    texts = [f'"{name}": {{\n{_lines(entries)}\n}}' for name, entries in tables.items()]
    TABLE.write_text("{\n" + ",\n".join(texts) + "\n}\n", encoding="utf-8")


def _lines(entries: dict[str, Any]) -> str:
    return ",\n".join(f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in entries.items())


if __name__ == "__main__":
    main(sys.argv[1:])
