"""Finds quantized safetensors that ollama's converter does not read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.auditing.loads.given_facts import given_of
from inspector.auditing.loads.quantized import has_packed
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding
from inspector.loader.config_file import Config
from inspector.loading.ollama import LOADER, READS, dtype_not_read, no_number


def not_read_by_ollama(audited: Audit) -> Finding | None:
    """The finding on a class that the converter does not list, or on weights quantized in a way that it stops at; None
    for all other checkpoints.
    """
    checkpoint, config, unpacked = audited.checkpoint, audited.checkpoint.config, audited.unpacked
    if config is None or config.kind != "config" or "_class_name" in config.values:
        return None
    if checkpoint.is_gguf or checkpoint.adapter is not None or audited.components:
        return None
    early = _not_parsed(audited, config) or _unlisted_class(audited, config.values)
    if early is not None:
        return early
    if unpacked is None or not has_packed(audited):
        return None
    class_name = given_of(audited, config.values).class_name
    dtype = dtype_not_read(class_name, config.values, (one.dtype for one in checkpoint.tensors.values()))
    if not dtype:
        return None
    from inspector.findings.other_format import FormatNotRead
    from inspector.loading.registries import converter_of

    converter, converts = converter_of(LOADER, class_name) or (None, None)
    scheme = max(unpacked.schemes, key=lambda one: unpacked.schemes[one])
    return FormatNotRead(
        loader=LOADER,
        reads=READS,
        own=next((one.loader for one in audited.loads if one.intended), None),
        class_name=class_name,
        converter=converter if converts else None,
        converts=converts or None,
        quantization=f"{scheme}, with tensors in {dtype}",
    )


def _not_parsed(audited: Audit, config: Config) -> Finding | None:
    """The finding on a config.json with a number that is not JSON."""
    key, text = no_number(config.values)
    if not key:
        return None
    from inspector.findings.other_format import FormatNotRead

    return FormatNotRead(
        loader=LOADER,
        reads=READS,
        own=next((one.loader for one in audited.loads if one.intended), None),
        stopped_at=f"{config.file}: {key} is {text}, which is not JSON",
        by_llama_cpp=_by_llama_cpp(given_of(audited, config.values).class_name),
    )


def _by_llama_cpp(class_name: str | None) -> bool:
    """True if the converter of llama.cpp lists a class; Python reads what is not JSON."""
    from inspector.loading.registries import converter_of

    listed = converter_of("llama.cpp", class_name) if class_name else None
    return listed is not None and listed[1]


def _unlisted_class(audited: Audit, values: Mapping[str, Any]) -> Finding | None:
    """The finding on the first class of the config if the converter does not list it: it reads no other name, and
    stops with "unsupported architecture" (`LoadModelMetadata`).
    """
    stated = values.get("architectures")
    name = stated[0] if isinstance(stated, list) and stated and isinstance(stated[0], str) else ""
    from inspector.loading.registries import converter_of

    listed = converter_of(LOADER, name) if name and audited.checkpoint.folder else None
    if listed is None or listed[1]:
        return None
    from inspector.findings.other_format import FormatNotRead

    return FormatNotRead(
        loader=LOADER,
        reads=READS,
        own=next((one.loader for one in audited.loads if one.intended), None),
        class_name=name,
        converter=listed[0],
        converts=False,
        by_llama_cpp=_by_llama_cpp(name),
    )
