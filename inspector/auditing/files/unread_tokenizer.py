"""Finds files of a tokenizer, a processor or of generation that transformers reads and that are not what their names
say.

Measured with transformers 5.23 and 4.57: these files as git-lfs pointers, empty, cut off, as web pages and as lists. A
folder with tokenizer.json needs no other vocabulary, and both versions then ignore whatever the others contain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from inspector.budget import Exceeded
from inspector.findings.finding import Finding, Place
from inspector.loader import strict_json
from inspector.loader.signature import SNIFF_BYTES, recognise
from inspector.loader.sources.source import Source
from inspector.loading.processors import GENERATION, PROCESSORS
from inspector.loading.tokenizer_files import MERGES, PLAIN, READ_ALWAYS, SENTENCEPIECE, WHOLE, WORDS

if TYPE_CHECKING:
    from inspector.loader.checkpoint import Checkpoint

VOCABULARIES: Final = (*SENTENCEPIECE, PLAIN, MERGES)
"""Files of other formats that are read if there is no tokenizer.json."""
OTHERS: Final = frozenset({
    "git-lfs-pointer", "xet-pointer", "html", "refusal", "json-error", "xml-error", "zeros", "link-text",
})  # fmt: skip
"""Formats that no file of a tokenizer has."""
EMPTY: Final = "empty"
LARGEST_PARSED: Final = 1_000_000
"""Largest JSON file, in bytes, that is read as a whole; of a larger one the first and the last bytes."""
END: Final = 64


def tokenizer_unread(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The finding on files of a tokenizer in a local folder that transformers refuses to read."""
    if not checkpoint.folder or checkpoint.alone:
        return
    whole = WHOLE in checkpoint.siblings
    read = [*READ_ALWAYS, WHOLE] if whole else [*READ_ALWAYS, WORDS, *VOCABULARIES]
    faults = _faults(checkpoint, read)
    if not faults:
        return
    from inspector.findings.reading.tokenizer_absent import TokenizerDamaged

    first, (what, problem) = next(iter(faults.items()))
    alike = tuple(name for name, fault in faults.items() if fault[0] == what)
    yield TokenizerDamaged(place=Place(file=first), what=what, problem=problem, files=alike if what else (first,))


def settings_unread(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The findings on settings of a processor, or of generation, that transformers does not read."""
    if not checkpoint.folder or checkpoint.alone:
        return
    for name, (what, problem) in _faults(checkpoint, (*PROCESSORS, GENERATION)).items():
        from inspector.findings.reading.settings_damaged import GenerationUnread, ProcessorDamaged

        damaged = GenerationUnread if name == GENERATION else ProcessorDamaged
        yield damaged(place=Place(file=name), what=what, problem=problem)


def _faults(checkpoint: Checkpoint, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """File -> what `_problem` says of it, for those of these files that are here and damaged."""
    stated = [name for name in names if name in checkpoint.siblings]
    source = checkpoint.reach() if stated and checkpoint.reach is not None else None
    found = {} if source is None else {name: _problem(source, name, checkpoint.siblings[name]) for name in stated}
    return {name: problem for name, problem in found.items() if problem != ("", "")}


def _problem(source: Source, name: str, size: int) -> tuple[str, str]:
    """(the format that a file has instead of its own, the fault of its text); both "" if none was found."""
    if not size:
        return (EMPTY, "") if name.endswith((".json", "tokenizer.model", "spiece.model")) else ("", "")
    first = source.read_part(name, 0, min(size, SNIFF_BYTES))
    if not isinstance(first, bytes):
        return "", ""
    what = recognise(first, size)
    if what in OTHERS:
        return what, ""
    return ("", _fault(source, name, size)) if name.endswith(".json") else ("", "")


def _fault(source: Source, name: str, size: int) -> str:
    """What is wrong with the text of a JSON file; "" if nothing is, or if it cannot be known without reading it all."""
    if size > LARGEST_PARSED:
        last = source.read_part(name, size - END, END)
        return "" if not isinstance(last, bytes) or last.rstrip().endswith(b"}") else "is truncated"
    raw = source.read_whole(name, LARGEST_PARSED)
    try:
        content = strict_json.decode_config(raw) if isinstance(raw, bytes) else None
    except Exceeded:
        return ""
    if isinstance(content, strict_json.JsonFault):
        return content.reason
    return "" if isinstance(content, dict) or not isinstance(raw, bytes) else "is no JSON object"
