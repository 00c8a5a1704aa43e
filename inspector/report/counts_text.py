"""The counts of the text report, and how they compare with the formula."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from inspector.findings.words import count, listed
from inspector.report.clean import clean, figure
from inspector.report.screen import Screen

if TYPE_CHECKING:
    from inspector.auditing.result import Audit

Row = tuple[str, str, str]
"""A count: its name, the number, and a remark."""


def rounded(number: int) -> str:
    """8030261248 as '8.03B'."""
    for power, unit in ((12, "T"), (9, "B"), (6, "M"), (3, "K")):
        if number >= 10**power:
            return f"{number / 10**power:.2f}{unit}"
    return str(number)


def counts_text(audited: Audit, screen: Screen) -> str:
    """The counts, one a line."""
    counts, incomplete = audited.counts, audited.incomplete
    rows: list[Row] = [("parameters", f"{counts.unique_parameters:,}", _parameters_remark(audited)), _formula(audited)]
    used = audited.experts
    if used is not None:
        remark = f"{rounded(used.parameters)}, {used.active} of {used.total} experts per token"
        rows.append(("active", f"{used.parameters:,}", remark))
    if incomplete.tensors:
        rows.append(("declared elements", f"{counts.stored_elements:,}", "in the headers"))
        remark = f"in {count(incomplete.tensors, 'tensor')} cut off by the end of the file"
        rows.append(("  lost", f"{incomplete.elements:,}", remark))
    else:
        rows.append(("stored elements", f"{counts.stored_elements:,}", ""))
    if counts.packed_elements:
        rows.append(("  quantized", f"{counts.packed_elements:,}", quantized_remark(audited)))
    for name, number, meaning in (
        ("extra components", counts.extra_components, "parameters outside the class's model"),
        ("tied copies", counts.tied_copies, "stored twice, counted once"),
        ("buffers", counts.buffers, "stored, not parameters"),
        ("packing helpers", counts.packing_helpers, "scales, zero points ..., not parameters"),
        ("unexplained", counts.unexplained, "not in the architecture, not counted"),
    ):
        if number:
            rows.append((f"  {name}", f"{number:,}", meaning))
    if any(skipped.check == "totals of the index" for skipped in audited.skipped):
        rows.append(("index total", "not compared", ""))
    width = max(16, *(len(number) for _, number, _ in rows))
    return "\n".join(line for row in rows for line in _count(*row, width, screen)) + "\n"


def _count(name: str, number: str, remark: str, width: int, screen: Screen) -> Iterator[str]:
    """A count followed by its remark, or with the remark below it on a narrow screen."""
    line = f"  {name:<17}{number:>{width}}"
    if len(line) + 4 + len(remark) <= screen.width:
        yield f"{line}    {remark}".rstrip()
    else:
        yield line
        yield from screen.wrapped(remark, first="    ", rest="    ")


def _formula(audited: Audit) -> Row:
    expected = audited.counts.expected_parameters
    if expected is not None:
        return "formula", figure(expected), _agreement(audited)
    why = without_formula(audited) if audited.architecture is None else "not all dims are known"
    if _is_adapter(audited):
        why = "needs the base (--base)" if audited.base is None else why
        why = why if audited.base is None or audited.checkpoint.adapter is not None else "no adapter_config.json"
    return "formula", "-", why


def without_formula(audited: Audit) -> str:
    """Why a checkpoint of no known architecture has no formula: of a pipeline, which of its components have none."""
    unknown = [clean(name) for name, one in audited.components.items() if one.counts.expected_parameters is None]
    return f"none for {listed(unknown, 2)}" if unknown else "no formula for this architecture"


def _agreement(audited: Audit) -> str:
    counts = audited.counts
    assert counts.expected_parameters is not None
    difference = counts.unique_parameters - counts.expected_parameters
    held = "declared" if audited.incomplete.tensors else "stored"
    if difference:
        return f"{figure(abs(difference))} {'fewer' if difference > 0 else 'more'} than {held}"
    if audited.case is not None and audited.case.solved:
        return "agrees; sizes solved from the shapes"
    replaced = _replaced_keys(audited)
    if replaced:
        names = clean(replaced[0]) if len(replaced) == 1 else count(len(replaced), "key")
        return f"agrees; {names} taken from the weights"
    if audited.incomplete.tensors:
        return "agrees with what the headers declare"
    absent = () if audited.case is None else audited.case.absent
    left_out = sum((block.elements or 0) * block.tensors for block in absent if block.slot.tensor.counted)
    return f"agrees; the file leaves out {figure(left_out)}" if left_out else "agrees, to the last parameter"


def _replaced_keys(audited: Audit) -> tuple[str, ...]:
    """Config keys with values from which no model can be built, so that the weights gave the values instead."""
    if not any(finding.severity == "error" for finding in audited.findings):
        return ()
    from inspector.findings.config import ConfigImpossible

    errors = (one for one in audited.findings if isinstance(one, ConfigImpossible) and one.severity == "error")
    impossible = (one for one in errors if one.kind != "type")
    return tuple(dict.fromkeys(key for one in impossible for key in one.keys))


def _parameters_remark(audited: Audit) -> str:
    counts = audited.counts
    tied = counts.tied_copies or head_is_tied(audited)
    short = rounded(counts.unique_parameters) if counts.unique_parameters >= 1000 else ""
    return ", ".join(filter(None, (short, "ties counted once" if tied else "")))


def quantized_remark(audited: Audit) -> str:
    """How many parameters the stored numbers of quantized weights represent. GGUF blocks include their scales."""
    packed = [line for line in audited.lines if line.packed is not None and line.parameters]
    blocks = bool(packed) and all(line.packed is not None and line.packed.scheme.startswith("gguf") for line in packed)
    of = f"{sum(line.parameters for line in packed):,} parameters"
    return f"{of} and their scales" if blocks else f"packed values of {of}"


def _is_adapter(audited: Audit) -> bool:
    if not audited.findings:
        return False
    from inspector.findings.adapters.whole import Adapter

    return any(isinstance(finding, Adapter) for finding in audited.findings)


def head_is_tied(audited: Audit) -> bool:
    """True if the head is not stored because the config ties it to the embedding."""
    if not audited.findings:
        return False
    from inspector.findings.totals import HeadTied

    return any(isinstance(finding, HeadTied) for finding in audited.findings)
