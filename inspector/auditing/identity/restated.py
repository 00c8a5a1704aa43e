"""Checks if a config in the keys of transformers gives every stored tensor its name and shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.loader.config_file import Config


def restated(audited: Audit, config: Config, meant: Mapping[str, Any] | None) -> dict[str, Any]:
    """The values to set in a config so that it does: the given ones, and those that the weights correct; empty if this
    fails.
    """
    if meant is None or audited.stored is None:
        return {}
    from inspector.matcher.claim import claim_of
    from inspector.matcher.reading import read_claimed
    from inspector.reconciler.reconcile import reconcile

    claim = claim_of(replace(config, values={**config.values, **meant}))
    reading = read_claimed(claim, audited.stored)
    if reading is None or reading.coverage < 1:
        return {}
    case = reconcile(claim, reading, ())
    if case.placement.differences or any(one.rivals or one.together or "." in one.key for one in case.causes):
        return {}
    return {**meant, **{one.key: one.weights for one in case.causes if one.element is None}}
