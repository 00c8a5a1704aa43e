"""Quantized weights in numbers: bits per weight by role, saved bytes, and modules in full precision with the reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import count, joined, within
from inspector.notation.roles import GROUPS, group, label
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import family_name, indices_in_words
from inspector.report.clean import clean
from inspector.report.screen import PLAIN, Screen

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.quantization.settings import Piece
    from inspector.quantization.unpacked import Helper, Unpacked

BF16_BITS = 16
COUNTED = (ledger.PARAMETER, ledger.UNCHECKED, ledger.EXTRA, ledger.COPY)
MOST_LEFT = 6


class PackedRole(Struct, frozen=True):
    """Weights of one role with one storage. bytes: values and helpers. scheme: "" if they are not quantized."""

    role: str
    storage: str
    scheme: str
    parameters: int
    bytes: int

    @property
    def bits(self) -> float:
        """Bits per weight, including helpers."""
        return self.bytes * 8 / self.parameters if self.parameters else 0.0


class LeftModule(Struct, frozen=True):
    """A family of linear layers that is not quantized. because: "" if the reason is unknown."""

    family: str
    where: str
    parameters: int
    because: str


class PackingTable(Struct, frozen=True):
    """The effect of quantization on a checkpoint. saved: bytes saved compared with BF16, helpers included."""

    rows: tuple[PackedRole, ...]
    left: tuple[LeftModule, ...]
    parameters: int
    bytes: int

    @property
    def bits(self) -> float:
        """Bits per parameter over the whole checkpoint."""
        return self.bytes * 8 / self.parameters if self.parameters else 0.0

    @property
    def saved(self) -> int:
        """Bytes of all parameters in BF16 minus the bytes that they take."""
        return self.parameters * BF16_BITS // 8 - self.bytes


def packing_table(audited: Audit) -> PackingTable | None:
    """The numbers of a quantized checkpoint; None if nothing is quantized."""
    unpacked = audited.unpacked
    lines = [line for line in audited.lines if line.kind in COUNTED and line.parameters]
    if unpacked is None or not any(line.packed is not None for line in lines):
        return None
    prefix = audited.case.reading.prefix if audited.case is not None else ""
    helpers: dict[str, list[Helper]] = {}
    for helper in unpacked.helpers:
        helpers.setdefault(helper.of.removeprefix(prefix), []).append(helper)
    found: dict[tuple[str, str, str], list[int]] = {}
    for line in lines:
        entry = found.setdefault((_role(line), _storage(line), line.packed.scheme if line.packed else ""), [0, 0])
        entry[0] += line.parameters
        entry[1] += line.bytes
        if line.packed is not None:
            entry[1] += sum(_bytes_at(helper, line) for helper in helpers.get(line.family, ()))
    order = {line.role: group(line.role) for line in lines}
    groups = {_role(line): GROUPS.index(order[line.role]) for line in lines}
    rows = [PackedRole(role, storage, scheme, *entry) for (role, storage, scheme), entry in found.items()]
    rows.sort(key=lambda row: (groups[row.role], row.role, not row.scheme))
    size = sum(line.bytes for line in audited.lines if line.kind in (*COUNTED, ledger.HELPER))
    left = tuple(_left(audited, unpacked, lines, prefix))
    return PackingTable(tuple(rows), left, sum(line.parameters for line in lines), size)


def _bytes_at(helper: Helper, line: Line) -> int:
    """Bytes of a helper's tensors at the layers and experts of a line."""
    return helper.layout.bytes * sum(count(within(helper.boxes, box)) for box in line.boxes)


def _role(line: Line) -> str:
    return "norms" if group(line.role) == "norms" else label(line.role)


def _storage(line: Line) -> str:
    packed = line.packed
    if packed is None:
        return line.layout.dtype
    if not packed.known:
        return "unknown packing"
    size = f" in {packed.group_size}s" if packed.group_size and packed.group_size > 0 else ""
    return f"{packed.scheme} {packed.bits:g} bit{size}"


def _left(audited: Audit, unpacked: Unpacked, lines: Sequence[Line], prefix: str) -> Iterator[LeftModule]:
    """Linear layers that are not quantized, with the reason by the config, the widths or the role."""
    sizes = {line.packed.group_size for line in lines if line.packed is not None}  # a stated group size may be wrong
    for line in lines:
        shape = line.layout.shape
        if line.packed is not None or "->" not in line.formula or len(shape) < 2 or line.family.endswith("bias"):
            continue
        module = prefix + line.family.removesuffix(".weight")
        pieces = unpacked.settings.for_family(module, line.boxes)
        entries = list(dict.fromkeys(said.skipped for said, _ in pieces if said.skipped is not None))
        if len(entries) > 1:  # the config has one entry for each layer: name the list only once
            pieces = _listed_together(pieces, f"{entries[0]} and {len(entries) - 1} more")
        for said, boxes in pieces:
            because = ""
            size = said.group_size
            if said.skipped is not None:
                because = f"{said.skipped or 'not listed'} in {unpacked.settings.source}"
            elif size in sizes and size is not None and size > 0 and shape[-1] % size:
                because = f"{shape[-1]} inputs are not a multiple of {size}"
            elif line.role.startswith("head"):
                because = "the head"
            elif line.role == "router":
                because = "a router"
            where = indices_in_words(line.family, boxes)
            yield LeftModule(family_name(line.family), where, line.layout.elements * count(boxes), because)


def _listed_together(pieces: Sequence[Piece], words: str) -> list[Piece]:
    skipped = [piece for piece in pieces if piece[0].skipped is not None]
    rest = [piece for piece in pieces if piece[0].skipped is None]
    boxes = joined(box for _, inside in skipped for box in inside)
    return [*rest, (replace(skipped[0][0], skipped=words), boxes)]


def packing_text(audited: Audit, screen: Screen = PLAIN) -> str:
    """The table, ending in a line break; "" if nothing is quantized."""
    table = packing_table(audited)
    if table is None:
        return ""
    width = max(len("weights"), *(len(row.role) for row in table.rows))
    storage = max(len("stored as"), *(len(row.storage) for row in table.rows))
    lines = [f"  {'weights':<{width}}  {'stored as':<{storage}}  {'bits':>6}  {'bytes':>19}"]
    lines += [
        f"  {row.role:<{width}}  {row.storage:<{storage}}  {row.bits:>6.3f}  {row.bytes:>19,}" for row in table.rows
    ]
    lines.append(f"  {'all':<{width}}  {'':<{storage}}  {table.bits:>6.3f}  {table.bytes:>19,}")
    whole = table.parameters * BF16_BITS // 8
    share = 100 * table.saved / whole if whole else 0.0
    lines.append("")
    lines.append(f"  {table.saved:,} bytes fewer than in BF16 ({share:.1f}%)")
    lines.extend(_left_lines(table.left, screen))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _left_lines(left: Sequence[LeftModule], screen: Screen) -> Iterator[str]:
    if not left:
        return
    yield "  not quantized:"
    for module in left[:MOST_LEFT]:
        where = f", {module.where}" if module.where else ""
        because = f": {module.because}" if module.because else ""
        text = clean(f"{module.family}{where}{because}", 300)
        yield from screen.wrapped(text, first="    ", rest="      ")
    if len(left) > MOST_LEFT:
        yield f"    and {len(left) - MOST_LEFT:,} more"
