"""The small network with which X-LoRA mixes LoRAs: only the network is in the file, the LoRAs are in their own folders.

Source: `XLoraClassifier` of PEFT's `tuners/xlora/classifier.py`. Its layers and activations are numbered together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

MODULE: Final = "internal_xlora_classifier.layers.#"
MOST_LAYERS: Final = 1_000
Layer = tuple[int, str, tuple[int | None, ...]]
"""(number, ending, shape)."""


def router(values: Mapping[str, Any]) -> Iterator[Layer]:
    """The tensors of the network: its widths are in the adapter's own config."""
    depth, wide = values.get("xlora_depth", 1), _number(values.get("xlora_size", 2048))
    if type(depth) is not int or not 0 < depth < MOST_LAYERS:
        return
    dropout, adapters = values.get("xlora_dropout_p", 0.2), values.get("adapters")
    step = 3 if isinstance(dropout, int | float) and dropout > 0 else 2
    last = len(adapters) if isinstance(adapters, dict) and not values.get("layerwise_scalings") else None
    for number in range(depth):
        inputs = _number(values.get("hidden_size")) if number == 0 else wide
        outputs = last if number == depth - 1 else wide
        yield number * step, ".weight", (outputs, inputs)
        yield number * step, ".bias", (outputs,)


def _number(value: object) -> int | None:
    return value if type(value) is int else None
