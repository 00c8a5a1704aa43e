"""Recognises the files of a checkpoint of TensorFlow: `.index`, `.meta` and `.data-00000-of-00001` of one prefix.

Source: TensorFlow, `tensor_bundle.cc` and `lib/io/format.h`. The index is a table as LevelDB has it, with its magic
number at the end of the file.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from inspector.findings.finding import Place
from inspector.findings.reading.content import NotACheckpoint
from inspector.loader.header_record import Header, unreadable
from inspector.loader.sources.source import Refusal, Source

FORMAT: Final = "tensorflow"
MAGIC: Final = (0xDB4775248B80FB57).to_bytes(8, "little")
_DATA: Final = re.compile(r"(?P<prefix>.+)\.data-[0-9]{5}-of-[0-9]{5}", re.ASCII | re.DOTALL)
_GRAPH: Final = ".meta"
_INDEX: Final = ".index"


def prefix_of(name: str, siblings: Collection[str]) -> str:
    """The prefix under which a file belongs to a checkpoint of TensorFlow; "" for other files.

    siblings: names of the files beside it.
    """
    data = _DATA.fullmatch(name)
    if data is not None:
        return data["prefix"] if f"{data['prefix']}{_INDEX}" in siblings else ""
    ending = next((one for one in (_INDEX, _GRAPH) if name.endswith(one)), "")
    prefix = name.removesuffix(ending)
    if not ending or not prefix:
        return ""
    of_prefix = (one for one in siblings if one.startswith(f"{prefix}.data-"))
    return prefix if any(_DATA.fullmatch(one) for one in of_prefix) else ""


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
