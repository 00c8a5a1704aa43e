"""What llama.cpp and ollama do with the GGUF files of an audit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.findings.finding import ContentFinding, Finding, Place
from inspector.loading.memory import first_name
from inspector.loading.registries import of_gguf

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.loading.outcome import Load

FIRST: Final = "token_embd.weight"
"""The tensor that llama.cpp asks for first, whatever the architecture."""
LAYERS: Final = ("blk.", "enc.blk.", "dec.blk.")
"""Beginnings of the names of tensors in layers."""


def loads_of_gguf(audited: Audit) -> tuple[Load, ...]:
    """What both programs do, of which files are made for llama.cpp."""
    metadata = audited.checkpoint.metadata
    named = None if metadata is None else metadata.values.get("general.architecture")
    files = tuple(file.name for file in audited.checkpoint.files)
    case = audited.case
    missing = FIRST if _has_other_names(audited) else ""
    wrong = ""
    if case is not None and not missing and any(one.severity == "error" for one in audited.findings):
        missing = next((first_name(one.block.key, one.boxes) for one in case.placement.missing), "")
        wrong = next((first_name(one.block.key, one.boxes) for one in case.placement.mismatched), "")
    found = of_gguf(named if isinstance(named, str) else None, files, missing, wrong)
    return tuple(replace(one, intended=one.loader == "llama.cpp") for one in found)


def with_names(audited: Audit, findings: Sequence[Finding], load: Load) -> list[Finding]:
    """The findings; where the names are another program's, that instead of all that follows from it."""
    if not _has_other_names(audited):
        return list(findings)
    from inspector.findings.names.architecture import NamesOfAnotherProgram

    named = NamesOfAnotherProgram(
        place=Place(file=audited.checkpoint.set_name),
        writer=audited.case.reading.writer or "transformers" if audited.case is not None else "",
        example=next(iter(audited.checkpoint.tensors)),
        exporter="llama.cpp's convert_hf_to_gguf.py, from the model of transformers",
        because=f"{load.loader}: {load.because}",
    )
    return [*(one for one in findings if not isinstance(one, ContentFinding)), named]


def _has_other_names(audited: Audit) -> bool:
    """Whether the tensors of a model have names that llama.cpp does not look up."""
    names = audited.checkpoint.tensors
    if audited.checkpoint.config is None or not names:
        return False
    return FIRST not in names and not any(name.startswith(LAYERS) for name in names)
