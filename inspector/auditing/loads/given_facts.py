"""The facts of an audit that decide what a loader does with its checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.auditing.layouts_of_mlx import as_stored
from inspector.auditing.loads.below_key import at_top, is_untyped
from inspector.auditing.loads.quantized import (
    has_unread_scales,
    is_understood,
    recorded,
    stacked_scales,
    takes_packed,
    why_unread,
)
from inspector.auditing.result import Audit
from inspector.loader.config_file import named_class
from inspector.loading.given import Given
from inspector.loading.tables import without_wrapper


def given_of(audited: Audit, values: Mapping[str, Any]) -> Given:
    """The facts of an audit that decide how a checkpoint is loaded."""
    model_type, turned = values.get("model_type"), as_stored(audited.checkpoint)
    return Given(
        audited.checkpoint,
        values,
        without_wrapper(named_class(values)),
        model_type if isinstance(model_type, str) else None,
        problem=unreadable(audited),
        quantized=is_understood(audited, values),
        unread=why_unread(audited),
        recorded=recorded(audited),
        stacked=stacked_scales(audited),
        case=audited.case if turned is None and _is_whole(audited) else None,
        stored=at_top(audited) or turned or audited.stored,
        untyped=is_untyped(audited, values),
        unscaled=takes_packed(audited) or has_unread_scales(audited),
    )


def given(audited: Audit) -> Given:
    """The facts of an audit, with the config of the checkpoint."""
    config = audited.checkpoint.config
    return given_of(audited, {} if config is None else config.values)


def _is_whole(audited: Audit) -> bool:
    """True if every tensor was compared in its stored form and no problem was found."""
    unpacked = audited.unpacked
    plain = unpacked is None or not (unpacked.cases or unpacked.helpers)
    plain = plain and all(one.severity == "note" for one in audited.findings)
    float_only = all(line.layout.dtype.startswith(("F", "BF")) for line in audited.lines)
    compared = audited.ledger.counts.tensors == len(audited.checkpoint.tensors)
    own_class = base_class(audited) is None
    return plain and float_only and compared and own_class and not audited.checkpoint.lost


def base_class(audited: Audit) -> str | None:
    """The base class that sentence-transformers builds, if the config names another class."""
    if not audited.findings:
        return None
    from inspector.findings.class_names import BaseModelUsed

    return next((one.stored_class for one in audited.findings if isinstance(one, BaseModelUsed)), None)


def unreadable(audited: Audit) -> str:
    """The reason for which a file of the audited set cannot be opened."""
    return next((one.unread for one in audited.findings if one.closes_file), "")
