"""Recorded adapters that PEFT saved, and audits of them with the config of a base or alone."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec.structs import replace

from inspector.auditing.adapter.audit import audit_adapter
from inspector.auditing.adapter.base_read import BaseRead
from inspector.auditing.result import Audit
from inspector.auditing.start import audit_loaded
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.layout import Layout, lay_out
from tests.checkpoints import genuine
from tests.judged import FIXTURES, judged

CLIP = {"model_type": "clip_text_model", "architectures": ["CLIPTextModel"], "vocab_size": 320,
        "intermediate_size": 192, "num_hidden_layers": 2, "num_attention_heads": 4,
        "max_position_embeddings": 77}  # fmt: skip
Spec = dict[str, tuple[str, tuple[int, ...]]]
Listing = Mapping[str, tuple[str, tuple[int, ...]]]


@cache
def records() -> Mapping[str, dict[str, Any]]:
    """Name -> record of what PEFT saved."""
    listed = json.loads(gzip.decompress((FIXTURES / "adapters" / "adapters.json.gz").read_bytes()))
    return {record["name"]: record for record in listed}


def spec_of(name: str) -> Spec:
    """The tensors of a record."""
    return {key: (dtype, tuple(shape)) for key, (dtype, shape) in records()[name]["tensors"].items()}


def checkpoint(
    spec: Listing, adapter: Mapping[str, Any] | None = None, config: Mapping[str, Any] | None = None
) -> Checkpoint:
    """A checkpoint with this listing, as if it had been read from files."""
    known: dict[tuple[str, tuple[int, ...]], Layout] = {}
    for dtype, shape in spec.values():
        made = lay_out(dtype, shape)
        assert isinstance(made, Layout)
        known.setdefault((dtype, shape), made)
    return Checkpoint(
        "test",
        "test",
        None if config is None else Config("config.json", dict(config), "config"),
        None if adapter is None else Config("adapter_config.json", dict(adapter), "adapter"),
        tensors={name: known[entry] for name, entry in spec.items()},
        readable=bool(spec),
    )


def with_base(spec: Listing, adapter: Mapping[str, Any], base: Mapping[str, Any]) -> Audit:
    """The audit of an adapter with the config of a base."""
    read = audit_loaded(checkpoint({}, config=base))
    return audit_adapter(checkpoint(spec, adapter), base=BaseRead("base", read))


def alone(spec: Listing, adapter: Mapping[str, Any] | None) -> Audit:
    """The audit of an adapter without a base."""
    return audit_loaded(checkpoint(spec, adapter))


def two_text_encoders() -> Audit:
    """The audit of a pipeline with two CLIP encoders of different widths."""
    parts = {name: judged(genuine({**CLIP, "hidden_size": width}), {**CLIP, "hidden_size": width})
             for name, width in (("text_encoder", 96), ("text_encoder_2", 128))}  # fmt: skip
    return replace(parts["text_encoder"], components=parts)
