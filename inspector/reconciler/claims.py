"""Compares the totals that a user or an index states with the counts, and explains the differences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Any, Final

from msgspec import Struct

from inspector.findings.finding import Finding, Place
from inspector.loader.dtype import BITS
from inspector.notation.roles import label
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Counts, Line
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.stated_total import Stated


class TotalClaim(Struct, frozen=True):
    """A stated total. `true`: the count that it is compared with; `because`: the name of the count it equals, or the
    cause of the difference.

    stated: a rounded total as a person wrote it; matched: the count that it agrees with.
    """

    source: str
    claimed: int | float | str
    true: int
    agrees: bool
    because: str
    explained: bool = True
    stated: str = ""
    matched: int | None = None


_CERTAIN = 100
"""How many times a total must be as large as the unit of its last digit."""


def check_claim(
    stated: Stated, counts: Counts, lines: Sequence[Line], case: Reconciled | None, active: int | None = None
) -> TotalClaim:
    """Compares a claimed total with the counts. active: parameters used per token in a mixture of experts."""
    true = counts.unique_parameters
    names = {
        "unique parameters": counts.unique_parameters,
        "all stored parameters, copies and extra components included": counts.parameters,
        "the formula's count": counts.expected_parameters,
        "the parameters that one token uses": active,
        "stored elements": counts.stored_elements,
        "stored elements without packing helpers": counts.stored_elements - counts.packing_helpers,
    }
    for name, number in (*names.items(), *_of_class(true, case)):
        if number is not None and stated.covers(number):
            return TotalClaim("claim", stated.value, true, True, name, stated=stated.rounded, matched=number)
    difference = stated.value - true
    because = (
        _cut_off(stated, true)
        or _as_a_whole(stated, counts)
        or explain(difference, lines, case)
        or _layers_apart(difference, lines)
    )
    unknown = f"{_more(difference)}; no part of the formula explains it"
    return TotalClaim(
        "claim", stated.value, true, False, because or unknown, because is not None, stated=stated.rounded
    )


def _cut_off(stated: Stated, true: int) -> str | None:
    """That a total leaves out digits of the count instead of rounding it."""
    words = stated.cut_off(true)
    return None if words is None else f"{_more(stated.value - true)}: {words}"


def _of_class(true: int, case: Reconciled | None) -> Iterator[tuple[str, int]]:
    """(words, number) of the parameters that the class has in memory, as `inspector formula` counts them."""
    left_out = sum(part.amount for part in _absent(case))
    if left_out:
        yield f"the parameters of the class, with {left_out:,} that the file leaves out", true + left_out


def _as_a_whole(stated: Stated, counts: Counts) -> str | None:
    """What a total counts if it is a total of all weights in another unit: bytes, or every parameter twice or half.

    With fewer than three digits it is near one of these by chance.
    """
    if stated.unit * _CERTAIN > stated.value:
        return None
    true = counts.unique_parameters
    wholes = (
        (counts.stored_bytes, "these are the bytes of the weights"),
        (2 * true, "it counts each parameter twice"),
        (true // 2 if true % 2 == 0 else 0, "it is half of the parameters"),
    )
    more = _more(stated.value - true)
    return next((f"{more}: {words}" for number, words in wholes if number and stated.covers(number)), None)


def _layers_apart(difference: int, lines: Sequence[Line]) -> str | None:
    """The number of layers, more or fewer, that explains a difference, if all layers of the model are alike."""
    from inspector.findings.words import count

    repeated: dict[str, list[tuple[int, int]]] = {}
    for line in lines:
        prefix, hole, _ = line.family.partition("#")
        if line.kind == ledger.PARAMETER and hole and line.boxes:
            layers = len({index for box in line.boxes for index in islice(box[0], MOST_LAYERS)})
            repeated.setdefault(prefix, []).append((layers, line.parameters))
    for found in repeated.values():
        layers, total = found[0][0], sum(parameters for _, parameters in found)
        if any(number != layers for number, _ in found) or total % layers:
            continue
        number, rest = divmod(abs(difference), total // layers)
        if number and not rest and number <= layers:
            more = "more" if difference > 0 else "less"
            each = " each" if number > 1 else ""
            return f"{_more(difference)}: it counts {count(number, 'layer')} {more} ({total // layers:,}{each})"
    return None


MOST_LAYERS = 10_000
"""Most layers that are counted in this way."""


def _more(difference: int, unit: str = "") -> str:
    """A difference in words: -12345 as "12,345 less"."""
    return f"{abs(difference):,}{unit} {'more' if difference > 0 else 'less'}"


BESIDE = {
    ledger.BUFFER: "the buffers",
    ledger.COPY: "the stored copy of a tied matrix",
    ledger.EXTRA: "the extra components",
    ledger.HELPER: "the packing helpers",
    ledger.UNEXPLAINED: "the unexplained tensors",
}
"""Kinds of lines that are not parameters of the model, in words."""
TWICE = " twice"
"""Ends the description of a part that a total may count again. Two such parts are a coincidence."""


class _Part(Struct, frozen=True):
    text: str
    amount: int


def explain(difference: int, lines: Sequence[Line], case: Reconciled | None) -> str | None:
    """The only part of the formula, left out or added, that explains a difference; None if no part or several do."""
    left_out, counted_in = _parts(lines, case)
    parts, verb = (counted_in, "counts") if difference > 0 else (left_out, "leaves out")
    wanted, more_or_less = abs(difference), _more(difference)
    for part in parts:
        if part.amount == wanted:
            return f"{more_or_less}: it {verb} {part.text} ({wanted:,})"
    for one, other in combinations(parts[:24], 2):
        twice = one.text.endswith(TWICE) and other.text.endswith(TWICE)
        if one.amount + other.amount == wanted and not twice:
            return f"{more_or_less}: it {verb} {one.text} ({one.amount:,}) and {other.text} ({other.amount:,})"
    for more, less in ((p, q) for p in counted_in[:16] for q in left_out[:16]):
        if more.amount - less.amount == difference:
            return (
                f"{more_or_less}: it counts {more.text} ({more.amount:,}) and leaves out {less.text} ({less.amount:,})"
            )
    return None


def _parts(lines: Sequence[Line], case: Reconciled | None) -> tuple[list[_Part], list[_Part]]:
    counted = [line for line in lines if line.kind == ledger.PARAMETER]
    left_out = _named(counted)
    counted_in: list[_Part] = []
    for kind, text in BESIDE.items():
        amount = sum(line.elements for line in lines if line.kind == kind)
        if amount:
            counted_in.append(_Part(text, amount))
    counted_in.extend(_absent(case))
    counted_in.extend(_tied_twice(case))
    counted_in.extend(_square(counted))
    left_out.extend(_families(counted))
    counted_in.extend(_Part(part.text + TWICE, part.amount) for part in _biases_first(left_out))
    return [part for part in left_out if part.amount], [part for part in counted_in if part.amount]


def _biases_first(parts: Sequence[_Part]) -> list[_Part]:
    return sorted(parts, key=lambda part: "bias" not in part.text)


def _named(counted: Sequence[Line]) -> list[_Part]:
    """Groups of parameters that are often forgotten, the likeliest first."""

    def of(*roles: str) -> int:
        return sum(line.parameters for line in counted if line.role in roles)

    def below(*subjects: str) -> int:
        return sum(line.parameters for line in counted if line.role.split(".")[0] in subjects)

    biases = sum(line.parameters for line in counted if _is_bias(line))
    head = below("head")
    embedding = below("embed")
    return [
        _Part("the final norm", of("norm.final")),
        _Part("all norms", below("norm")),
        _Part("the norms of the layers", below("norm") - of("norm.final")),
        _Part("all biases", biases),
        _Part("the output head", head),
        _Part("the embeddings", embedding),
        _Part("embeddings and head", embedding + head if head and embedding else 0),
        _Part("the position embeddings", of("embed.position")),
        _Part("the pooler", below("pooler")),
    ]


def _is_bias(line: Line) -> bool:
    return line.family.endswith("bias")


def _families(counted: Sequence[Line]) -> list[_Part]:
    """Each family as a part of the total, and a single tensor of each family."""
    parts: list[_Part] = []
    seen: set[int] = set()
    for line in sorted(counted, key=lambda line: (not _is_bias(line), line.parameters)):
        kind = "bias" if _is_bias(line) else "weight"
        if line.role == "unknown":
            continue  # the elements of a family without a role are a coincidence
        name = f"the {label(line.role)} {kind}" if kind == "bias" else f"the {label(line.role)}"
        for amount, text in ((line.parameters, name), (line.layout.elements, f"{name} of one layer")):
            if amount and amount not in seen:
                seen.add(amount)
                parts.append(_Part(text, amount))
    return parts


def _absent(case: Reconciled | None) -> list[_Part]:
    """Parameters of the class that files may leave out and this one does: a pooler, or positions that are computed."""
    totals: dict[str, int] = {}
    for block in case.absent if case is not None else ():
        if block.slot.tensor.counted:
            module = label(block.slot.role)
            totals[module] = totals.get(module, 0) + (block.elements or 0) * block.tensors
    return [_Part(f"the {module}, which is not stored", amount) for module, amount in totals.items() if amount]


def _tied_twice(case: Reconciled | None) -> Iterator[_Part]:
    if case is None:
        return
    for block in case.corrected.blocks:
        if block.tie is not None and block.elements and not block.slot.extra:
            yield _Part(f"the tied {label(block.slot.role)} twice", block.elements * block.tensors)


def _square(counted: Sequence[Line]) -> Iterator[_Part]:
    """An output matrix that was assumed to be square, with the hidden size on both axes."""
    for line in counted:
        if line.role.endswith("output") and len(line.layout.shape) == 2:
            out, inner = line.layout.shape
            extra = (out * out - out * inner) * line.tensors
            if extra > 0:
                yield _Part(f"the {label(line.role)} matrix as square ({out} x {out})", extra)


def index_claims(
    metadata: Mapping[str, Any], counts: Counts, lines: Sequence[Line], case: Reconciled | None, files: Sequence[int]
) -> Iterator[TotalClaim]:
    """Checks the totals of an index: bytes against the headers, parameters against the counts.

    files: sizes of the shards on disk in bytes, headers included.
    """
    size = _whole(metadata.get("total_size"))
    if size is not None:
        yield _size_claim(size, counts, lines, case, files)
    total = _whole(metadata.get("total_parameters"))
    if total is not None:
        yield _parameter_claim("index.total_parameters", total, counts, lines, case)


def _whole(value: Any) -> int | None:
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    return int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,20}", value, re.ASCII) else None


def _size_claim(
    claimed: int, counts: Counts, lines: Sequence[Line], case: Reconciled | None, files: Sequence[int]
) -> TotalClaim:
    source, true = "index.total_size", counts.stored_bytes
    if claimed == true:
        return TotalClaim(source, claimed, true, True, "the bytes of all tensors")
    if claimed == sum(files):
        return TotalClaim(source, claimed, true, False, "the sizes of the files, headers included")
    difference = claimed - true
    text = _more(difference, " bytes")
    for amount, reason in (*_required(counts, lines), *_byte_reasons(lines, case, difference > 0)):
        if amount == abs(difference):
            return TotalClaim(source, claimed, true, False, f"{text}: {reason}")
    return TotalClaim(source, claimed, true, False, f"{text}; no known explanation", False)


def _required(counts: Counts, lines: Sequence[Line]) -> Iterator[tuple[int, str]]:
    """(bytes that the config requires and that are not stored, words), if all weights have one dtype."""
    dtypes = {line.layout.dtype for line in lines if line.kind == ledger.PARAMETER}
    expected = counts.expected_parameters
    if expected is not None and expected > counts.unique_parameters and len(dtypes) == 1:
        bits = BITS.get(dtypes.pop(), 0)
        yield (expected - counts.unique_parameters) * bits // 8, REQUIRED


REQUIRED = "it counts what the config requires and is not stored"


def _byte_reasons(lines: Sequence[Line], case: Reconciled | None, more: bool) -> Iterator[tuple[int, str]]:
    # in GGUF's block formats a single element has no size in bytes
    plain = [line for line in lines if line.layout.dtype in BITS]
    usual = max(plain, key=lambda line: line.elements).layout.dtype if plain else "F32"
    width = BITS[usual] // 8
    if more:
        for part in _tied_twice(case):
            yield part.amount * width, f"it counts {part.text}, which is not stored"
        for dtype in dict.fromkeys(("F32", usual, "F16", "BF16", "F64", "I64")):
            converted = sum(line.elements * BITS[dtype] // 8 for line in lines)
            stored = sum(line.bytes for line in lines)
            yield converted - stored, f"it counts every tensor in {dtype}"
    for kind, text in BESIDE.items():
        chosen = [line for line in lines if line.kind == kind]
        if not chosen:
            continue
        if not more:
            yield sum(line.bytes for line in chosen), f"it leaves out {text}"
        yield from _counted_as_others(chosen, text, more)
    if not more:
        for dtype in dict.fromkeys(("BF16", "F16", "F32", "U8")):
            converted = sum(line.elements * BITS[dtype] // 8 for line in lines)
            stored = sum(line.bytes for line in lines)
            yield stored - converted, f"it counts every tensor in {dtype}"


def _counted_as_others(lines: Sequence[Line], text: str, more: bool) -> Iterator[tuple[int, str]]:
    """Tensors outside the weights that are counted with another number of bits, all of them or those of one dtype."""
    dtypes = list(dict.fromkeys(line.layout.dtype for line in lines))
    for stored_as in dtypes:
        chosen = [line for line in lines if line.layout.dtype == stored_as]
        elements, stored = sum(line.elements for line in chosen), sum(line.bytes for line in chosen)
        which = text if len(dtypes) == 1 else f"{text} in {stored_as}"
        for bits, counted_as in COUNTED_AS:
            converted = -(-elements * bits // 8)
            if (converted > stored) is more:
                yield abs(converted - stored), f"it counts {which} as {counted_as} instead of {stored_as}"


COUNTED_AS: Final = ((1, "single bits"), (8, "bytes"), (16, "16 bits"), (32, "32 bits"), (64, "64 bits"))
"""Sizes of an element that writers of an index have assumed, in bits and in words."""


def _parameter_claim(
    source: str, claimed: int, counts: Counts, lines: Sequence[Line], case: Reconciled | None
) -> TotalClaim:
    true = counts.unique_parameters
    for name, number in (
        ("unique parameters", counts.unique_parameters),
        ("all stored parameters", counts.parameters),
        ("stored elements", counts.stored_elements),
    ):
        if claimed == number:
            return TotalClaim(source, claimed, true, True, name)
    if claimed == counts.expected_parameters and claimed > true:
        return TotalClaim(source, claimed, true, False, f"{claimed - true:,} more: {REQUIRED}")
    beside = _of_inner_modules(lines)
    if beside and claimed == true - beside:
        text = f"{beside:,} less: it leaves out parameters of modules that hold modules as well, as mlx-lm counts"
        return TotalClaim(source, claimed, true, False, text)
    because = explain(claimed - true, lines, case)
    unknown = f"{_more(claimed - true)}; no known explanation"
    return TotalClaim(source, claimed, true, False, because or unknown, because is not None)


def _of_inner_modules(lines: Sequence[Line]) -> int:
    """The parameters of modules that have submodules: mlx-lm's `get_total_parameters` sums only over leaf modules."""
    counted = [line for line in lines if line.kind == ledger.PARAMETER]
    holders = {line.family.rpartition(".")[0] for line in counted}
    inner: set[str] = set()
    for holder in holders:
        while holder := holder.rpartition(".")[0]:
            inner.add(holder)
    return sum(line.parameters for line in counted if line.family.rpartition(".")[0] in inner)


def unexplained_totals(claims: Sequence[TotalClaim], index_file: str) -> Iterator[Finding]:
    """A warning for each total of an index that has no known explanation."""
    for claim in claims:
        if claim.source.startswith("index.") and not claim.agrees and not claim.explained:
            from inspector.findings.totals import TotalDisagrees

            yield TotalDisagrees(
                place=Place(file=index_file, key=claim.source),
                source=claim.source,
                claimed=claim.claimed,
                true=claim.true,
            )
