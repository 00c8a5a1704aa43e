"""What a loader sees in a PyTorch file that has its weights below one key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inspector.auditing.files.names import PICKLED
from inspector.auditing.result import Audit
from inspector.matcher.families import families_of

if TYPE_CHECKING:
    from inspector.findings.header.torch import WeightsBelowKey
    from inspector.matcher.families import Families


def _below_key(audited: Audit) -> WeightsBelowKey | None:
    """The finding on weights below a key of a PyTorch file."""
    if not audited.checkpoint.set_name.endswith(PICKLED) or not audited.checkpoint.tensors:
        return None
    from inspector.findings.header.torch import WeightsBelowKey

    return next((one for one in audited.findings if isinstance(one, WeightsBelowKey)), None)


def at_top(audited: Audit) -> Families | None:
    """The keys that a loader sees in a PyTorch file with the weights below one key; None for any other file."""
    below = _below_key(audited)
    if below is None:
        return None
    layout = next(iter(audited.checkpoint.tensors.values()))
    return families_of({f"{below.inside}<{number}>": layout for number in range(below.keys)})


def is_untyped(audited: Audit, values: Mapping[str, Any]) -> bool:
    """True if the dtype is neither in the config nor at the beginning of a PyTorch file's top level."""
    below = _below_key(audited)
    stated = any(values.get(key) is not None for key in ("dtype", "torch_dtype"))
    return below is not None and not (stated or below.floats_first)
