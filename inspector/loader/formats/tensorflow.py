"""Recognises the files of a checkpoint of TensorFlow: `.index`, `.meta` and `.data-00000-of-00001` of one prefix.

Source: TensorFlow, `tensor_bundle.cc` and `lib/io/format.h`. The index is a table as LevelDB has it, with its magic
number at the end of the file.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from inspector.findings.finding import Place
from inspector.findings.reading.content import NotACheckpoint
from inspector.findings.reading.no_weights import prefix_of_tensorflow
from inspector.loader.header_record import Header, unreadable
from inspector.loader.sources.source import Refusal, Source

FORMAT: Final = "tensorflow"
MAGIC: Final = (0xDB4775248B80FB57).to_bytes(8, "little")
_INDEX: Final = ".index"
_DATA: Final = ".data-"


def prefix_of(name: str, siblings: Collection[str]) -> str:
    """The prefix under which a file belongs to a checkpoint of TensorFlow; "" for other files.

    siblings: names of the files beside it.
    """
    prefix = prefix_of_tensorflow(name)
    if prefix in ("", name):
        return ""
    if name.startswith(f"{prefix}{_DATA}"):
        return prefix if f"{prefix}{_INDEX}" in siblings else ""
    of_prefix = (one for one in siblings if one.startswith(f"{prefix}{_DATA}"))
    return prefix if any(prefix_of_tensorflow(one) == prefix for one in of_prefix) else ""


def of_tensorflow(source: Source, name: str, siblings: Collection[str], size: int | None) -> Header | None:
    """The result for a file of such a checkpoint, by its name and those beside it or by its end; None for others."""
    if not prefix_of(name, siblings) and not _ends_as_table(source, name, size):
        return None
    return unreadable(name, NotACheckpoint(place=Place(file=name), what=FORMAT, bytes=size))


def _ends_as_table(source: Source, name: str, size: int | None) -> bool:
    """True if a file that has not the name of safetensors ends with the magic number of a table."""
    if name.endswith(".safetensors") or size is None or size < len(MAGIC):
        return False
    end = source.read_part(name, size - len(MAGIC), len(MAGIC))
    return not isinstance(end, Refusal) and end == MAGIC
