"""Audits of listings without a file: from names, dtypes, shapes and a config; and the records of the fixtures."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from inspector.auditing.result import Audit
from inspector.auditing.start import audit_loaded
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.layout import Layout, lay_out

FIXTURES = Path(__file__).parent.parent / "fixtures"
Spec = Mapping[str, tuple[str, tuple[int, ...]]]


def judged(
    spec: Spec,
    config: Mapping[str, Any] | None,
    *,
    params: bool = False,
    side: Mapping[str, Mapping[str, Any]] | None = None,
) -> Audit:
    """Audit a listing as if it had been read from a complete, valid file."""
    known: dict[tuple[str, tuple[int, ...]], Layout] = {}
    tensors: dict[str, Layout] = {}
    for name, (dtype, shape) in spec.items():
        layout = known.get((dtype, shape))
        if layout is None:
            made = lay_out(dtype, shape)
            assert isinstance(made, Layout)
            layout = known[dtype, shape] = made
        tensors[name] = layout
    read = None
    if config is not None:
        kind = "params" if params else "config"
        read = Config(f"{kind}.json", dict(config), kind)  # type: ignore[arg-type]
    return audit_loaded(Checkpoint("test", "test", read, tensors=tensors, readable=True, side=dict(side or {})))


def codes(audited: Audit) -> set[str]:
    """The codes of errors and warnings."""
    return {finding.code for finding in audited.findings if finding.severity != "note"}


@cache
def records(model_type: str) -> tuple[dict[str, Any], ...]:
    """The checked-in records of a model type."""
    raw = gzip.decompress((FIXTURES / "oracle" / f"{model_type}.json.gz").read_bytes())
    found: list[dict[str, Any]] = json.loads(raw)["records"]
    return tuple(found)


def spec_of(record: Mapping[str, Any]) -> dict[str, tuple[str, tuple[int, ...]]]:
    """The listing of a record."""
    return {
        name: (entry[0], tuple(entry[1])) if entry and isinstance(entry[0], str) else ("F32", tuple(entry))
        for name, entry in record["tensors"].items()
    }


def base_record(model_type: str, class_suffix: str = "") -> dict[str, Any]:
    """The record without a switch, of the class with this suffix."""
    return next(
        record for record in records(model_type) if not record["variant"] and record["class"].endswith(class_suffix)
    )


def oracle_types() -> Iterator[str]:
    """Every model type with records."""
    for path in sorted((FIXTURES / "oracle").glob("*.json.gz")):
        yield path.name.removesuffix(".json.gz")


@cache
def diffusers_records(name: str) -> tuple[dict[str, Any], ...]:
    """The checked-in records of a class of diffusers."""
    raw = gzip.decompress((FIXTURES / "diffusers" / f"{name}.json.gz").read_bytes())
    found: list[dict[str, Any]] = json.loads(raw)["records"]
    return tuple(found)


def diffusers_classes() -> list[str]:
    """Every class of diffusers with records."""
    return sorted(path.name.removesuffix(".json.gz") for path in (FIXTURES / "diffusers").glob("*.json.gz"))
