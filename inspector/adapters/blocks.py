"""Methods that change container modules: prompts in the attention of the last layers, and SHADOW around blocks.

Sources: `AdaptionPromptModel.add_adapter` of PEFT's `tuners/adaption_prompt`, `ShadowModel` of its `tuners/shadow`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.adapters.base import Base
from inspector.adapters.targets import Boxes, Targets, Unclear, around, union
from inspector.algebra.boxes import Box, boxes_of, count, tuples

BLOCKS: Final = frozenset({"adaption_prompt", "shadow"})
PROMPTED: Final = {"llama": "self_attn", "mistral": "self_attn", "gpt2": "attn"}
"""Model type of the base -> name of its attention module, in which PEFT puts prompts."""
WIDTHS: Final = (("hidden_size",), ("n_embd",), ("d_model",))
"""Keys in the base's config for the width of the model, in the order in which PEFT tries them."""
MOST_LAYERS: Final = 10_000
Blocks = list[tuple[str, Boxes]]


class TooFew(Exception):
    """Raised if the base has fewer modules than the config requires; the reason in words."""


def blocks_of(method: str, base: Base, values: Mapping[str, Any], settings: Targets) -> Blocks:
    """The modules that the method changes."""
    return _prompted(base, values) if method == "adaption_prompt" else _wrapped(base, values, settings)


def width_of(base: Base) -> int | None:
    """The width of the model stated in its config."""
    found = (base.settings.read(path)[0] for path in WIDTHS)
    return next((one for one in found if type(one) is int), None)


def _paths(base: Base) -> dict[str, Boxes]:
    """Path of each container module of the base -> its indices."""
    found: dict[str, list[Box]] = {}
    for tensor in base.tensors:
        for path, axes in around(tensor.module, tensor.axes):
            found.setdefault(path, []).append(axes)
    return {path: union(boxes) for path, boxes in found.items()}


def _prompted(base: Base, values: Mapping[str, Any]) -> Blocks:
    """The attention of the last layers."""
    name, layers = values.get("target_modules") or PROMPTED.get(base.name), values.get("adapter_layers")
    if not isinstance(name, str) or type(layers) is not int or not 0 < layers < MOST_LAYERS:
        raise Unclear("in which modules adaption_prompt puts its prompts")
    found = {path: boxes for path, boxes in _paths(base).items() if path.endswith(f".{name}")}
    total = sum(map(count, found.values()))
    if total < layers:
        raise TooFew(f"adapter_layers is {layers:,}, and it has {total:,} modules named {name}")
    if len(found) != 1:
        raise Unclear("the order of the modules that adaption_prompt changes")
    ((path, boxes),) = found.items()
    indices = sorted(index for box in boxes for index in tuples(box))
    return [(path, boxes_of(indices[-layers:]))]


def _wrapped(base: Base, values: Mapping[str, Any], settings: Targets) -> Blocks:
    """The blocks that SHADOW wraps: those named in the config, or else all blocks of the longest stack."""
    paths = _paths(base)
    if values.get("target_modules") is None:
        stacks = [path for path in paths if path.endswith(".#") and path.count("#") == 1]
        return [(path, paths[path]) for path in stacks if path in ("model.layers.#", "transformer.h.#")]
    return list(_chosen(paths, settings))


def _chosen(paths: Mapping[str, Boxes], settings: Targets) -> Iterator[tuple[str, Boxes]]:
    for path, boxes in paths.items():
        chosen = union(hit for box in boxes for hit in settings.chosen(path, box))
        if chosen:
            yield path, chosen
