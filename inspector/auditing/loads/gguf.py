"""Predicts what llama.cpp and Ollama do with the GGUF files of an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.auditing.gguf.causes import without_followed_heads, without_followed_keys
from inspector.auditing.gguf.findings import of_another_architecture, part_of_split
from inspector.auditing.gguf.no_architecture import architecture_absent
from inspector.auditing.gguf.tensors import (
    FIRST,
    absent_tensors,
    has_other_names,
    has_towers,
    is_vocabulary,
    joined_experts,
    surplus_tensors,
)
from inspector.dialects.llama_cpp import spares
from inspector.findings.header.gguf import not_the_first
from inspector.findings.types.gguf_heads import GgufRotaryWidth
from inspector.findings.types.gguf_pre_tokenizer import GgufPreTokenizerUnknown
from inspector.loading.outcome import ALTERED, REFUSES, UNKNOWN
from inspector.loading.registries import documented, of_gguf
from inspector.loading.ties import first_name

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.loading.outcome import Load, Outcome

NOT_COMPARED: Final = ".interleave_moe_layer_step"
"""Ending of a key that determines no shape: layers without experts according to this number are computed without an
MLP.
"""
REST_UNREAD: Final = "it also reads the other parts of the model, which were not audited"
ADAPTER: Final = "adapter"
"""Value of `general.type` for a LoRA. Measured: llama.cpp loads no file with a finding of `_refused_adapter`."""


def loads_of_gguf(audited: Audit) -> tuple[Load, ...]:
    """Predicts what both programs do; llama.cpp is the intended loader."""
    causes = without_followed_keys(audited, without_followed_heads(audited.findings))
    audited = audited if len(causes) == len(audited.findings) else audited.with_findings(tuple(causes))
    metadata = audited.checkpoint.metadata
    named = None if metadata is None else metadata.values.get("general.architecture")
    files = tuple(file.name for file in audited.checkpoint.files)
    missing, wrong, spared = _unfit_tensors(audited, named)
    beyond = surplus_tensors(audited)
    stated = _by_metadata(audited, has_sizes=not (missing or wrong))
    if stated is not None:
        found = tuple(documented(loader, *stated, files) for loader in ("llama.cpp", "ollama"))
    else:
        architecture = named if isinstance(named, str) else None
        found = of_gguf(architecture, files, missing, wrong, next(iter(beyond), ""), spared)
    if has_towers(audited, beyond):
        own = documented("ollama", UNKNOWN, "its own engine reads towers in the file of the text model", files)
        found = tuple(own if one.loader == "ollama" else one for one in found)
    return tuple(replace(one, intended=one.loader == "llama.cpp") for one in found)


def _unfit_tensors(audited: Audit, architecture: object) -> tuple[str, str, str]:
    """(first tensor that llama.cpp misses, first tensor of another shape, first tensor that is absent whether or not it
    is read).
    """
    if has_other_names(audited) or is_vocabulary(audited):
        return FIRST, "", ""
    missing = wrong = spared = ""
    if audited.case is not None and any(one.severity == "error" for one in audited.findings):
        placement = audited.case.placement
        absent = [first_name(one.block.key, one.boxes) for one in placement.missing]
        missing = next((one for one in absent if not spares(architecture, one)), "")
        spared = next(iter(absent), "")
        wrong = next((first_name(one.block.key, one.boxes) for one in placement.mismatched), "")
    return missing or next(iter(absent_tensors(audited)), "") or joined_experts(audited), wrong, spared


def _by_metadata(audited: Audit, *, has_sizes: bool) -> tuple[Outcome, str] | None:
    """(outcome, reason) if files or metadata decide; None if the tensors decide.

    has_sizes: the tensors have the stated sizes, so that llama.cpp reports a wrong one.
    """
    other = of_another_architecture(audited)
    if other is not None:
        return REFUSES, f"no key of its metadata is of {other.stated or 'its architecture'}"
    if architecture_absent(audited) is not None:
        return REFUSES, "unknown model architecture: ''"
    if unread := _unread_key(audited) or _refused_adapter(audited):
        return REFUSES, unread
    if audited.checkpoint.partial and (part := part_of_split(audited.checkpoint)) is not None:
        return (UNKNOWN, REST_UNREAD) if part == 1 else (REFUSES, not_the_first(part))
    if has_sizes and (size := _wrong_size(audited)):
        altered = size.partition(" ")[0].endswith(NOT_COMPARED) and not _states_none(audited)
        return ALTERED if altered else REFUSES, size
    return _by_vocabulary(audited) or _by_byte_order(audited)


def _by_vocabulary(audited: Audit) -> tuple[Outcome, str] | None:
    """The outcome for a way to split texts, or a kind of vocabulary, that the measured build does not know."""
    from inspector.findings.types.gguf_vocabulary import GgufTokenizerUnknown

    for one in audited.findings:
        if isinstance(one, GgufPreTokenizerUnknown | GgufTokenizerUnknown):
            what = "pre-tokenizer" if isinstance(one, GgufPreTokenizerUnknown) else "tokenizer"
            return UNKNOWN, f"{one.source}, does not know the {what} {one.stated}"
    return None


def _by_byte_order(audited: Audit) -> tuple[Outcome, str] | None:
    """The outcome for a file of the other byte order: it depends on the machine."""
    from inspector.findings.header.gguf import GgufBigEndian

    big = any(isinstance(one, GgufBigEndian) for one in audited.findings)
    return (UNKNOWN, "the file is big-endian: x86 and ARM refuse it, and s390x reads it") if big else None


def _states_none(audited: Audit) -> bool:
    """Whether a size is stated as 0, so that llama.cpp looks for other tensors."""
    from inspector.findings.types.gguf_heads import GgufSizeDisagrees

    return any(isinstance(one, GgufSizeDisagrees) and not one.stated for one in audited.findings)


def _refused_adapter(audited: Audit) -> str:
    """The reason for which llama.cpp refuses an adapter: half of a pair, other names or ranks, or no architecture; ""
    if it accepts the adapter.
    """
    metadata = audited.checkpoint.metadata
    if metadata is None or metadata.values.get("general.type") != ADAPTER:
        return ""
    wrong = next((one for one in audited.findings if one.severity == "error"), None)
    if wrong is not None:
        return f"failed to apply lora adapter: {wrong.headline()}"
    return "" if "general.architecture" in metadata.values else "model arch and LoRA arch mismatch"


def _unread_key(audited: Audit) -> str:
    """The message of llama.cpp on a file or a key that it needs and cannot read; "" if it reads all."""
    files = audited.checkpoint.files
    first = files[0].name if files else ""
    words = next((words for one in audited.findings if (words := one.refusal_of_llama_cpp(first))), "")
    return words or next((one.unread for one in audited.findings if one.closes_file and not one.content_unknown), "")


def _wrong_size(audited: Audit) -> str:
    """The key of a size that contradicts the shapes of the tensors, which llama.cpp compares; "" without such a key."""
    if all(one.severity != "error" for one in audited.findings):
        return ""
    from inspector.findings.config import ConfigDisagrees, ConfigImpossible
    from inspector.findings.single_causes import ConfigKeysAbsent
    from inspector.findings.types.gguf_heads import GgufHeadsDisagree, GgufKeysContradict, GgufSizeDisagrees

    kinds = ConfigDisagrees | ConfigImpossible | ConfigKeysAbsent | GgufHeadsDisagree | GgufSizeDisagrees
    rotary = next((one for one in audited.findings if isinstance(one, GgufRotaryWidth)), None)
    if rotary is not None:
        return f"invalid n_rot: {rotary.stated}, expected {rotary.length}"
    contradicted = next((one for one in audited.findings if isinstance(one, GgufKeysContradict)), None)
    if contradicted is not None:
        return f"assertion failed: {contradicted.key} is {contradicted.stated} and must be {contradicted.rule}"
    wrong = next((one for one in audited.findings if isinstance(one, kinds) and one.severity == "error"), None)
    return "" if wrong is None else f"{wrong.headline()} does not fit the tensors"
