"""What llama.cpp and ollama do with the GGUF files of an audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.algebra.names import key_of
from inspector.findings.finding import NAMES_SHOWN, ContentFinding, Finding, Place
from inspector.findings.types.gguf_heads import GgufKeysMissing
from inspector.loading.memory import first_name
from inspector.loading.outcome import REFUSES
from inspector.loading.registries import documented, knows, names_tensor, of_gguf
from inspector.reconciler.ledger import BUFFER, UNEXPLAINED

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.findings.types.gguf_heads import GgufArchitectureDisagrees
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
    surplus = next(iter(_surplus(audited)), "")
    other = _of_another_architecture(audited)
    absent = next((one for one in audited.findings if isinstance(one, GgufKeysMissing)), None)
    if other is not None:
        because = f"no key of its metadata is of {other.stated or 'its architecture'}"
        found = tuple(documented(loader, REFUSES, because, files) for loader in ("llama.cpp", "ollama"))
    elif absent is not None:
        because = f"key not found in model: {absent.keys[0]}"
        found = tuple(documented(loader, REFUSES, because, files) for loader in ("llama.cpp", "ollama"))
    elif not (missing or wrong) and (size := _wrong_size(audited)):
        found = tuple(documented(loader, REFUSES, size, files) for loader in ("llama.cpp", "ollama"))
    else:
        found = of_gguf(named if isinstance(named, str) else None, files, missing, wrong, surplus)
    return tuple(replace(one, intended=one.loader == "llama.cpp") for one in found)


def _wrong_size(audited: Audit) -> str:
    """The key of a size that the tensors contradict, whose shapes llama.cpp compares; "" where there is none."""
    if all(one.severity != "error" for one in audited.findings):
        return ""
    from inspector.findings.config import ConfigDisagrees

    wrong = (one for one in audited.findings if isinstance(one, ConfigDisagrees) and one.severity == "error")
    return next((f"{one.file_key or one.place.key} does not fit the tensors" for one in wrong), "")


def _of_another_architecture(audited: Audit) -> GgufArchitectureDisagrees | None:
    """The finding on metadata whose sizes belong to one other architecture than the stated one."""
    values: Mapping[str, object] = {} if audited.checkpoint.metadata is None else audited.checkpoint.metadata.values
    keys = Counter(key.partition(".")[0] for key in values)
    stated = values.get("general.architecture")
    if stated is not None and (not isinstance(stated, str) or stated in keys):
        return None
    named = [name for name in keys if f"{name}.block_count" in values and knows("llama.cpp", name)]
    if len(named) != 1:
        return None
    from inspector.findings.types.gguf_heads import GgufArchitectureDisagrees

    place = Place(file=audited.checkpoint.set_name)
    return GgufArchitectureDisagrees(place=place, stated=stated, named=named[0], keys=keys[named[0]])


def with_names(audited: Audit, findings: Sequence[Finding], load: Load) -> list[Finding]:
    """The findings; where the names are another program's, that instead of all that follows from it."""
    other = _of_another_architecture(audited)
    if other is not None:
        return [*(one for one in findings if not isinstance(one, ContentFinding)), other]
    if not _has_other_names(audited):
        return _with_surplus(audited, findings, load)
    from inspector.findings.names.architecture import NamesOfAnotherProgram

    named = NamesOfAnotherProgram(
        place=Place(file=audited.checkpoint.set_name),
        writer=audited.case.reading.writer or "transformers" if audited.case is not None else "",
        example=next(iter(audited.checkpoint.tensors)),
        exporter="llama.cpp's convert_hf_to_gguf.py, from the model of transformers",
        because=f"{load.loader}: {load.because}",
    )
    return [*(one for one in findings if not isinstance(one, ContentFinding)), named]


def _surplus(audited: Audit) -> list[str]:
    """The tensors that the architecture does not have for certain: of a layer beyond its last, or of no architecture.

    What llama.cpp reads in other architectures it may read in this one. It counts buffers of other libraries as well.
    """
    keys = {line.family for line in audited.lines if line.kind in (BUFFER, UNEXPLAINED)}
    metadata = audited.checkpoint.metadata
    if not keys or metadata is None or audited.case is None:
        return []
    architecture = metadata.values.get("general.architecture")
    layers = metadata.values.get(f"{architecture}.block_count")
    names = (name for name in audited.checkpoint.tensors if key_of(name)[0] in keys)
    return [name for name in names if not names_tensor(name, architecture) or _is_beyond(name, layers)]


def _is_beyond(name: str, layers: object) -> bool:
    """Whether a tensor is of a layer that the metadata does not count."""
    before, _, rest = name.partition(".")
    number = rest.partition(".")[0]
    return before == "blk" and number.isdecimal() and isinstance(layers, int) and int(number) >= layers


def _with_surplus(audited: Audit, findings: Sequence[Finding], load: Load) -> list[Finding]:
    """The findings; where llama.cpp refuses tensors, that instead of those that call them unexpected."""
    surplus = _surplus(audited) if load.outcome == REFUSES else []
    if not surplus:
        return list(findings)
    from inspector.findings.names.architecture import TensorsOfNoArchitecture
    from inspector.findings.names.tensors import PartUnexpected, TensorUnexpected

    names = set(surplus)
    refused = TensorsOfNoArchitecture(
        place=Place(tensor=surplus[0]) if len(surplus) == 1 else Place(),
        names=tuple(surplus[:NAMES_SHOWN]),
        tensors=len(surplus),
    )
    rest = (
        one
        for one in findings
        if not (isinstance(one, TensorUnexpected | PartUnexpected) and names.issuperset(one.names))
    )
    return [*rest, refused]


def _has_other_names(audited: Audit) -> bool:
    """Whether the tensors of a model have names that llama.cpp does not look up."""
    names = audited.checkpoint.tensors
    if audited.checkpoint.config is None or not names:
        return False
    return FIRST not in names and not any(name.startswith(LAYERS) for name in names)
