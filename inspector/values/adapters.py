"""Finds adapter modules without effect, such as those with a factor of zeros."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from inspector.findings.adapters.effect import AdapterWithoutEffect, ModulesWithoutEffect
from inspector.findings.finding import NAMES_SHOWN, Finding
from inspector.values.abnormal import Scanned

_FACTOR: Final = re.compile(
    r"[._](?:lora_[ABEab]|lora_embedding_[AB]|lora_(?:down|up|mid)|lora(?:_linear_layer)?\.(?:down|up)|alpha"
    r"|hada_(?:w[12]_[ab]|t[12])|lokr_(?:w[12](?:_[ab])?|t2)|vera_lambda_[bd])(?=\.|$)"
)
"""Endings of names of factors: zeros in one factor make the product that a module adds zero (PEFT, LyCORIS, sd-scripts,
mlx-lm, llama.cpp; alpha is the scale).
"""
_ADDED: Final = re.compile(r"\.(?:diff|diff_b|oft_[Rr]|oft_blocks|oft_diag|b_norm|w_norm|boft_R)(?=\.|$)")
"""Endings of tensors that are added to a weight, or that give a rotation, without a second factor."""
_ONES: Final = re.compile(r"\.ia3_l(?=\.|$)")
"""Endings of tensors that a weight or an activation is multiplied with."""


class _Module(Struct):
    """The factors of a module that are zero, and the tensors that change it without a factor."""

    zero: int = 0
    acting: int = 0


def adapter_findings(scanned: Sequence[Scanned]) -> Iterator[Finding]:
    """The finding on modules that the adapter does not change."""
    modules: dict[str, _Module] = {}
    for one in scanned:
        name, zero, acting = _effect(one)
        module = modules.setdefault(name, _Module())
        module.zero += zero
        module.acting += acting
    still = [name for name, module in modules.items() if module.zero and not module.acting]
    if still:
        kind = AdapterWithoutEffect if len(still) == len(modules) else ModulesWithoutEffect
        yield kind(modules=len(still), of=len(modules), names=tuple(still[:NAMES_SHOWN]))


def _effect(one: Scanned) -> tuple[str, bool, bool]:
    """(module of a tensor, True if the tensor leaves it unchanged, True if the tensor changes it without any other)."""
    constant = one.scan.constant
    factor = _FACTOR.search(one.name)
    if factor is not None:
        return one.name[: factor.start()], constant == 0, False
    for pattern, neutral in ((_ADDED, 0.0), (_ONES, 1.0)):
        added = pattern.search(one.name)
        if added is not None:
            return one.name[: added.start()], constant == neutral, constant != neutral
    return one.name.rpartition(".")[0], False, True
