"""Finds quantized safetensors that ollama's converter does not read."""

from __future__ import annotations

from inspector.auditing.loads.given_facts import given_of
from inspector.auditing.loads.quantized import has_packed
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding
from inspector.loading.ollama import LOADER, READS, dtype_not_read


def not_read_by_ollama(audited: Audit) -> Finding | None:
    """The finding on weights quantized in a way that the converter stops at; None for all other checkpoints."""
    checkpoint, config, unpacked = audited.checkpoint, audited.checkpoint.config, audited.unpacked
    if config is None or config.kind != "config" or unpacked is None or not has_packed(audited):
        return None
    if checkpoint.is_gguf or checkpoint.adapter is not None or audited.components:
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
