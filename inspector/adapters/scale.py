"""A scale of 0 in the config of an adapter: the adapter has no effect, for any matrices.

Source: `update_layer` of PEFT 0.21, `scaling = alpha / r` (AdaLoRA uses the rank if alpha is 0).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.adapters.matched import Matched, module_of
from inspector.adapters.names import tuner_name
from inspector.algebra.boxes import count
from inspector.findings.adapters.effect import AdapterWithoutEffect
from inspector.findings.finding import NAMES_SHOWN
from inspector.reconciler.wording import names_in

SCALED: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "lora": ("lora_alpha", (
        ".lora_A.weight", ".lora_B.weight", ".lora_B.bias", ".lora_embedding_A", ".lora_embedding_B",
    )),
    "loha": ("alpha", (".hada_w1_a", ".hada_w1_b", ".hada_w2_a", ".hada_w2_b", ".hada_t1", ".hada_t2")),
    "lokr": ("alpha", (
        ".lokr_w1", ".lokr_w1_a", ".lokr_w1_b", ".lokr_w2", ".lokr_w2_a", ".lokr_w2_b", ".lokr_t2",
    )),
}  # fmt: skip
"""Method -> (key of the config, endings of the tensors that have an effect only through the scale)."""


def scaled_by_zero(
    method: str, values: Mapping[str, Any], matched: Sequence[Matched]
) -> Iterator[AdapterWithoutEffect]:
    """The finding on a config that multiplies all stored tensors by 0."""
    key, endings = SCALED.get(method, ("", ()))
    alpha = values.get(key)
    if isinstance(alpha, bool) or alpha != 0 or values.get("alpha_pattern") or not matched:
        return
    modules: dict[str, dict[Any, None]] = {}
    for one in matched:
        name = tuner_name(one.key)
        if name is None or not one.key.endswith(endings):
            return
        modules.setdefault(module_of(one.key), {}).update(dict.fromkeys(one.boxes))
    names = [name for module, boxes in modules.items() for name in names_in(module, tuple(boxes), NAMES_SHOWN)]
    total = sum(count(tuple(boxes)) for boxes in modules.values())
    yield AdapterWithoutEffect(modules=total, of=total, names=tuple(names[:NAMES_SHOWN]), key=key)
