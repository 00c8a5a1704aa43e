"""The findings on quantized modules: one for each cause, for any number of affected modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod

import msgspec

from inspector.algebra.boxes import Box, count, minus
from inspector.auditing.identity.own_program import block_size_unstated, for_one_program, stated_inside
from inspector.auditing.quantized.compressed import not_expanded
from inspector.auditing.quantized.entry_keys import of_entries
from inspector.auditing.quantized.float_weights import nothing_packed
from inspector.auditing.quantized.gptq_exceptions import with_exceptions
from inspector.auditing.quantized.group_index import index_absent
from inspector.auditing.quantized.grouped_modules import completed, grouped, place_of_modules, with_modules
from inspector.auditing.quantized.input_scales import with_switches
from inspector.auditing.quantized.joined_modules import joined_apart
from inspector.auditing.quantized.lost_block import block_of_weights, plain_listed
from inspector.auditing.quantized.mlx_entries import with_entries
from inspector.auditing.quantized.model_entries import not_listed_in_model, unread_by_newest
from inspector.auditing.quantized.model_names import names_in_model
from inspector.auditing.quantized.own_linear import own_linear
from inspector.auditing.quantized.parallel_groups import groups_cut
from inspector.auditing.quantized.plain_modules import (
    LISTS,
    PlainExpected,
    built_plain,
    has_towers,
    layers_not_packed,
    with_list,
)
from inspector.auditing.quantized.stated_parts import parts_missing
from inspector.auditing.quantized.stated_places import with_place
from inspector.auditing.quantized.tied_head import tied_head_packed
from inspector.auditing.quantized.torchao_names import entries_missing
from inspector.auditing.quantized.torchao_objects import holds_torchao_objects
from inspector.auditing.result import Skipped
from inspector.findings.finding import Finding, Place
from inspector.findings.types.packed import (
    PackedOtherwise,
    PackedWidthsDisagree,
    PackingHelperDiffers,
    PackingHelperMissing,
    Setting,
)
from inspector.findings.types.packing_config import PackingConfigDisagrees, PackingConfigUnread
from inspector.findings.types.packing_helpers import BiasFromPacking
from inspector.findings.types.undecided import (
    PackingEntryUnclear,
    PackingUndecided,
    PackingUnknown,
)
from inspector.findings.types.unpacked import ModuleNotPacked, QuantizedWherePlainExpected, SkippedButPacked
from inspector.loader.checkpoint import Checkpoint
from inspector.quantization.unpacked import ModuleProblem, Unpacked
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import family_name

ROLE = "packing helper"
BIAS_ROLE = "packing bias"
ROW = -1
"""The group size of a whole row."""


def helper_lines(unpacked: Unpacked) -> Iterator[Line]:
    """The ledger lines of scales, zero points, indices and quantization state."""
    for one in unpacked.helpers:
        elements = one.layout.elements * one.tensors
        yield Line(one.key, ROLE, ledger.HELPER, one.layout, one.boxes, one.tensors, elements, parameters=0)


def packing_findings(
    checkpoint: Checkpoint,
    unpacked: Unpacked,
    lines: Sequence[Line],
    mismatched: Mapping[str, tuple[Box, ...]],
    *,
    solved: bool = False,
    tied: str | None = None,
) -> Iterator[Finding]:
    """All findings on quantized modules.

    lines: the whole ledger. mismatched: stored families of weights that do not match the definition, with index boxes.
    solved: the sizes of the model were taken from the weights, because there is no config. tied: the family of a head
    that is tied to the embedding and not stored.
    """
    settings = unpacked.settings
    if absent := tuple(parts_missing(checkpoint, unpacked)):
        unpacked = msgspec.structs.replace(unpacked, cases=(*unpacked.cases, *absent))
    namer = names_in_model(checkpoint) if unpacked.schemes else None
    alike = built_plain(unpacked, lines, namer)
    never = {line.family for group in alike.values() for line in group}  # no list decides on these
    cases = tuple(one for one in unpacked.cases if one.of not in never or not isinstance(one.finding, SkippedButPacked))
    cases = not_listed_in_model(cases, settings, namer)
    unpacked = msgspec.structs.replace(unpacked, cases=cases)
    if cases:
        found = with_entries(list(_with_blocks(_of_modules(unpacked, mismatched), unpacked, lines)), lines, settings)
        for one in with_exceptions(found, unpacked):
            yield with_switches(with_place(one, checkpoint), checkpoint, unpacked)
    yield from _expected_plain(alike)
    unlisted = layers_not_packed(unpacked, lines, namer) or unread_by_newest(unpacked, lines, namer)
    if unlisted:
        yield completed(unlisted)
    elif tied is not None and (head := tied_head_packed(unpacked, tied)):
        yield completed(head)
    yield from _undecided(lines, settings.base.dims if solved else None)
    yield from _biases(lines)
    if not holds_torchao_objects(checkpoint):
        yield from nothing_packed(unpacked, lines, left_plain=bool(own_linear(checkpoint, settings.base.method)))
    if unpacked.schemes:
        yield from index_absent(unpacked)
        yield from not_expanded(checkpoint, unpacked, lines)
        yield from entries_missing(checkpoint, unpacked)
        yield from for_one_program(checkpoint, unpacked)
        yield from block_size_unstated(checkpoint, unpacked, lines)
        yield from stated_inside(unpacked, *_list_of_whole(unpacked, lines))
        yield from groups_cut(checkpoint, unpacked)
        yield from joined_apart(unpacked, lines)
    if settings.unclear:
        yield PackingEntryUnclear(place=Place(key=settings.source), entries=tuple(settings.unclear[:20]))


def _list_of_whole(unpacked: Unpacked, lines: Sequence[Line]) -> tuple[str, list[str]]:
    """The key and the entries of the list of plain modules, for the block of a part that is moved to the whole."""
    method = unpacked.settings.base.method or ""
    key = LISTS.get(method)
    return (key, plain_listed(lines, method)) if key is not None and has_towers(lines) else ("", [])


def _with_blocks(findings: Iterable[Finding], unpacked: Unpacked, lines: Sequence[Line]) -> Iterator[Finding]:
    """Adds the quantization block of the weights to a finding on the method, as far as the weights determine it."""
    for one in findings:
        if (
            isinstance(one, PackingConfigDisagrees)
            and one.what == "method"
            and not one.key.endswith(".json.quant_method")
        ):
            blocks = block_of_weights(one.scheme, unpacked, lines).blocks
            one = msgspec.structs.replace(one, block=blocks[0] if blocks else None)
        yield one


def _expected_plain(found: PlainExpected) -> Iterator[Finding]:
    for (scheme, role), alike in found.items():
        finding = QuantizedWherePlainExpected(role=role)
        cases = [ModuleProblem(finding, line.family, line.boxes, scheme) for line in alike]
        yield with_modules(finding, place_of_modules(cases), cases)


def open_questions(findings: Iterable[Finding]) -> Iterator[Skipped]:
    """The questions that findings on quantized modules leave open."""
    for one in findings:
        if isinstance(one, PackingUnknown):
            yield Skipped("quantized weights", f"unknown scheme: {one.headline()}", decisive=True)
        elif isinstance(one, PackingUndecided):
            yield Skipped("the number of parameters", f"the headers leave open that of {one.headline()}", decisive=True)
        elif isinstance(one, PackingEntryUnclear):
            yield Skipped("which modules are quantized", f"an entry of {one.headline()} is unclear", decisive=True)


def _of_modules(unpacked: Unpacked, mismatched: Mapping[str, tuple[Box, ...]]) -> Iterator[Finding]:
    config: list[tuple[ModuleProblem, PackingConfigDisagrees]] = []
    others: list[ModuleProblem] = []
    for case in _without_mismatched(unpacked, mismatched):
        if isinstance(case.finding, PackingConfigDisagrees):
            config.append((case, case.finding))
        else:
            others.append(case)
    if any(finding.what == "method" for _, finding in config):  # the other settings then belong to another method
        config = [(case, finding) for case, finding in config if finding.what == "method"]
        others = [case for case in others if not isinstance(case.finding, ModuleNotPacked | SkippedButPacked)]
    reported = {(case.of, case.boxes) for case, _ in config}
    yield from _disagreements(unpacked, config)
    others = [
        case
        for case in others
        if not isinstance(case.finding, PackingHelperMissing) or (case.of, case.boxes) not in reported
    ]
    for members in grouped(others, sum(unpacked.schemes.values())):
        found = completed(members)
        yield with_list(found, members, unpacked) if isinstance(found, ModuleNotPacked) else found


def _without_mismatched(unpacked: Unpacked, mismatched: Mapping[str, tuple[Box, ...]]) -> Iterator[ModuleProblem]:
    """Removes cases that follow from packed values with a shape that does not fit the definition.

    Neither helpers nor settings can match such values. If most modules mismatch, the values are not the cause.
    """
    few = 2 * sum(map(count, mismatched.values())) < sum(unpacked.schemes.values())
    for case in unpacked.cases:
        boxes = case.boxes
        if few and isinstance(case.finding, PackingHelperDiffers | PackedWidthsDisagree | PackingConfigDisagrees):
            boxes = minus(boxes, mismatched.get(case.of, ()))
        if boxes:
            yield msgspec.structs.replace(case, boxes=boxes)


def _disagreements(
    unpacked: Unpacked, cases: Sequence[tuple[ModuleProblem, PackingConfigDisagrees]]
) -> Iterator[Finding]:
    """Findings on settings that contradict modules: an error of the config if most modules contradict it, otherwise
    errors of the modules.
    """
    found, cases = of_entries(cases, unpacked.settings) if unpacked.settings.special else ([], cases)
    yield from found
    alike: dict[str, list[tuple[ModuleProblem, PackingConfigDisagrees]]] = {}
    for case, finding in cases:
        alike.setdefault(repr((finding.key, finding.what, finding.weights)), []).append((case, finding))
    odd: dict[str, list[tuple[list[ModuleProblem], PackingConfigDisagrees, int]]] = {}
    for pairs in _whole_rows(list(alike.values())):
        members, first = [case for case, _ in pairs], pairs[0][1]
        tensors = sum(case.tensors for case in members)
        agreeing = unpacked.agreed.get((first.key, first.what), 0)
        if agreeing >= tensors and not isinstance(first, PackingConfigUnread):
            places = repr([(case.key, case.boxes) for case in members])
            odd.setdefault(places, []).append((members, first, agreeing))
        else:
            disagrees = msgspec.structs.replace(first, agreeing=agreeing)
            yield with_modules(disagrees, Place(key=first.key), members)
    for reported in odd.values():
        members = reported[0][0]
        settings = tuple(Setting(first.key, first.config, first.weights) for _, first, _ in reported)
        otherwise = PackedOtherwise(settings=settings, agreeing=min(agreeing for _, _, agreeing in reported))
        yield with_modules(otherwise, place_of_modules(members), members)


def _whole_rows(
    alike: Sequence[list[tuple[ModuleProblem, PackingConfigDisagrees]]],
) -> Iterator[list[tuple[ModuleProblem, PackingConfigDisagrees]]]:
    """Joins the cases of rows that are a single group to the cases of rows with several groups of one size."""
    sized: dict[str, list[tuple[ModuleProblem, PackingConfigDisagrees]]] = {}
    for pairs in alike:
        first = pairs[0][1]
        if first.what == "group_size" and first.weights != ROW:
            sized.setdefault(first.key, pairs)
    for pairs in alike:
        first = pairs[0][1]
        joins = first.what == "group_size" and first.weights == ROW and first.key in sized
        if sized.get(first.key) is pairs:
            rows = [pair for other in alike for pair in other if pair[1].key == first.key and pair[1].weights == ROW]
            yield [*pairs, *rows]
        elif not joins:
            yield pairs


def _undecided(lines: Sequence[Line], plain: frozenset[int] | None = None) -> Iterator[Finding]:
    """The finding on quantized tensors of a logical size that neither headers nor definition determine.

    plain: widths of unquantized tensors, if the definition has its sizes from the weights themselves.
    """
    open_lines = [line for line in lines if _is_open(line, plain)]
    least = sum(_least(line) * line.tensors for line in open_lines)
    most = sum(_most(line) * line.tensors for line in open_lines)
    if least == most:
        return
    yield PackingUndecided(
        place=Place(family=family_name(open_lines[0].family)) if len(open_lines) == 1 else Place(),
        schemes=tuple(dict.fromkeys(line.packed.scheme for line in open_lines if line.packed is not None)),
        least=least,
        most=most,
        counted=sum(line.parameters for line in open_lines),
        families=tuple(family_name(line.family) for line in open_lines[:20]),
        tensors=sum(line.tensors for line in open_lines),
        confidence="likely",
    )


def _is_open(line: Line, plain: frozenset[int] | None) -> bool:
    """True if the size of a line's tensors depends on a dim that the headers do not determine."""
    packed = line.packed
    if packed is None or not line.parameters or not packed.known:
        return False
    if not line.formula:
        return bool(packed.bounds) or packed.padding > 1
    dims = zip(line.layout.shape, packed.bounds, strict=False)
    return plain is not None and any(least < most and dim not in plain for dim, (least, most) in dims)


def _least(line: Line) -> int:
    assert line.packed is not None
    bounds = line.packed.bounds
    return prod(least for least, _ in bounds) if bounds else line.layout.elements - line.packed.padding


def _most(line: Line) -> int:
    assert line.packed is not None
    bounds = line.packed.bounds
    return prod(most for _, most in bounds) if bounds else line.layout.elements


def _biases(lines: Sequence[Line]) -> Iterator[Finding]:
    """The finding on biases that a quantization tool added to modules without a bias."""
    added = [line for line in lines if line.kind == ledger.HELPER and line.role == BIAS_ROLE]
    if added:
        yield BiasFromPacking(
            place=Place(family=family_name(added[0].family)) if len(added) == 1 else Place(),
            families=tuple(family_name(line.family) for line in added[:20]),
            tensors=sum(line.tensors for line in added),
            elements=sum(line.elements for line in added),
            bytes=sum(line.bytes for line in added),
            confidence="likely",
        )
