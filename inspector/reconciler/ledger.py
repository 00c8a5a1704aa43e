"""The ledger: one line for each family and layout, and their totals."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field

from inspector.algebra.boxes import Box
from inspector.loader.layout import Layout
from inspector.loader.packed import Packed
from inspector.notation.binding import Block

PARAMETER = "parameter"
COPY = "tied copy"
EXTRA = "extra component"
PROJECTION = "adapter projection"
"""Role of the tensors that an adapter saves but does not train."""
BUFFER = "buffer"
HELPER = "packing helper"
UNEXPLAINED = "unexplained"
UNCHECKED = "not checked"
"""Kinds of a line. UNCHECKED: counted as parameters, but without a formula to compare with."""


class Line(Struct, frozen=True):
    """Stored tensors of one family, role and layout.

    elements: as the header states them. parameters: logical parameters stored in them, 0 for buffers, helpers and
    unexplained tensors. component: the name of an extra component. block: what the definition expects there. families:
    1; or the number of unlisted families that the line sums up, and then it has no name and no layout.
    """

    family: str
    role: str
    kind: str
    layout: Layout
    boxes: tuple[Box, ...]
    tensors: int
    elements: int
    parameters: int
    component: str = ""
    formula: str = ""
    packed: Packed | None = None
    block: Block | None = None
    families: int = 1
    bytes_summed: int = 0

    @property
    def bytes(self) -> int:
        """Stored bytes."""
        return self.layout.bytes * self.tensors + self.bytes_summed

    @property
    def index_sets(self) -> list[list[str]]:
        """The index sets of each box in words, one for each `#` of the family."""
        return [[span.words() for span in box] for box in self.boxes]


def summary(families: int, tensors: int, elements: int, parameters: int, stored: int, kind: str = UNCHECKED) -> Line:
    """A line that sums up unlisted families. stored: bytes."""
    nothing = Layout("", (), 0, 0)
    return Line("", "unknown", kind, nothing, (), tensors, elements, parameters, families=families, bytes_summed=stored)


class Counts(Struct, frozen=True):
    """Counts over everything that was read; they add up as the JSON schema documents."""

    stored_elements: int = 0
    parameters: int = 0
    unique_parameters: int = 0
    expected_parameters: int | None = None
    buffers: int = 0
    packing_helpers: int = 0
    packed_elements: int = 0
    tied_copies: int = 0
    extra_components: int = 0
    unexplained: int = 0
    stored_bytes: int = 0
    tensors: int = 0


class Ledger(Struct, frozen=True):
    """All lines and their totals."""

    lines: tuple[Line, ...] = ()
    counts: Counts = field(default_factory=Counts)

    @property
    def is_whole(self) -> bool:
        """True if every family has its own lines."""
        return all(line.families == 1 for line in self.lines)


def add_up(lines: Iterable[Line], expected: int | None) -> Ledger:
    """The ledger of some lines."""
    listed = tuple(lines)
    elements: dict[str, int] = {}
    parameters: dict[str, int] = {}
    packed = 0
    for line in listed:
        elements[line.kind] = elements.get(line.kind, 0) + line.elements
        parameters[line.kind] = parameters.get(line.kind, 0) + line.parameters
        if line.packed is not None and line.kind in (PARAMETER, COPY, EXTRA, UNCHECKED):
            packed += line.elements
    unique = parameters.get(PARAMETER, 0) + parameters.get(UNCHECKED, 0)
    copies, extra = parameters.get(COPY, 0), parameters.get(EXTRA, 0)
    return Ledger(
        listed,
        Counts(
            stored_elements=sum(elements.values()),
            parameters=unique + copies + extra,
            unique_parameters=unique,
            expected_parameters=expected,
            buffers=elements.get(BUFFER, 0),
            packing_helpers=elements.get(HELPER, 0),
            packed_elements=packed,
            tied_copies=copies,
            extra_components=extra,
            unexplained=elements.get(UNEXPLAINED, 0),
            stored_bytes=sum(line.bytes for line in listed),
            tensors=sum(line.tensors for line in listed),
        ),
    )
