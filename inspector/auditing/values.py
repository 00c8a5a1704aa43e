"""Checks requested values of one checkpoint: not finite, constant, zero, never written, copies that differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from inspector.algebra.names import key_of
from inspector.auditing.copies import both_of, copies_store, tied_copies
from inspector.auditing.kept_copies import with_kept_copies
from inspector.auditing.result import Audit, Skipped
from inspector.auditing.untrained import begins_as_zeros, is_multiplied
from inspector.findings.adapters.effect import AdapterWithoutEffect
from inspector.findings.adapters.whole import Adapter
from inspector.findings.conversion.values import CopiesDiffer
from inspector.findings.finding import Finding, Place, merged
from inspector.loader.sources.traffic import Progress
from inspector.quantization.module import FLOAT8, FLOATS
from inspector.reconciler import ledger
from inspector.values.abnormal import MATRIX, NORM, OTHER, STATE, VOCABULARY, Scanned, abnormal
from inspector.values.adapters import adapter_findings
from inspector.values.block_scan import scan_blocks
from inspector.values.difference import Difference, difference
from inspector.values.quantized import is_quantized
from inspector.values.reading import Store
from inspector.values.result import NotNamed, Values
from inspector.values.scan import axes, by_rows, is_mask, scan
from inspector.values.stored import ReadStopped, StoredArray


def with_values(audited: Audit, wanted: Sequence[str] = (), progress: Progress | None = None) -> Audit:
    """The audit with the results of reading values. Raises NotNamed like `check_values`."""
    found = check_values(audited, wanted, progress)
    skipped = skipped_values(audited.skipped, found)
    read = audited.with_findings((*audited.findings, *merged(found.findings)), skipped=skipped, values=found)
    return with_kept_copies(read, found.is_requested)


def check_values(audited: Audit, wanted: Sequence[str] = (), progress: Progress | None = None) -> Values:
    """Reads the values of one checkpoint: not finite, constant, zero in part, never written, copies that differ."""
    found = Values(requested=tuple(wanted))
    adapter = any(isinstance(finding, Adapter) for finding in audited.findings)
    still = any(isinstance(finding, AdapterWithoutEffect) for finding in audited.findings)
    for component in (audited.components or {"": audited}).values():
        store = open_store(audited, component, wanted)
        names = requested_names(component, store, found)
        if store is None:
            for _, name in names:
                found.skip("its files cannot be reached", name)
            continue
        scanned: list[Scanned] = []
        lines = {line.family: line for line in component.lines if line.packed is None}
        quantized = {line.family: line for line in component.lines if line.packed is not None}
        bytewise = {line.family for line in component.lines if line.packed is not None and line.packed.bits == 8}
        for done, (bare, name) in enumerate(names, 1):
            if progress is not None:
                progress(done, len(names), found.elements)
            line = lines.get(key_of(bare)[0])
            packed = not adapter and (line is None or line.kind == ledger.HELPER) and component.unpacked is not None
            coded = packed and is_coded(store, bare, helper=line is not None, bytewise=key_of(bare)[0] in bytewise)
            try:
                in_blocks = list(_in_blocks(store, bare, name, quantized.get(key_of(bare)[0]), found))
                scanned.extend(in_blocks or _scanned(store, bare, name, line, found, packed=packed, coded=coded))
            except ReadStopped as problem:
                found.stop(problem, name)
        check_copies(audited, component, found, {one.name: one.scan.nan + one.scan.infinite for one in scanned})
        files = dict.fromkeys(one.file for one in scanned if one.file)
        sizes = {file.name: file.bytes for file in store.checkpoint.files}
        orders = {file: store.order(file) for file in files}
        found.findings.extend(adapter_findings(scanned) if adapter and not still else ())
        reported: set[str] = set()
        found.findings.extend(abnormal(scanned, orders, sizes, zeros=not adapter, reported=reported))
        found.unskip(reported)
    found.findings.extend(found.not_found())
    return found


def requested_names(component: Audit, store: Store | None, found: Values) -> list[tuple[str, str]]:
    """The requested tensors of a component: their names in the audit and in the file."""
    reading = None if component.case is None else component.case.reading
    names = []
    for stored in component.checkpoint.tensors:
        bare = stored if reading is None else reading.bare(stored)
        shown = stored if store is None else store.spelled(bare)
        if found.is_requested(*{shown, stored}):
            names.append((bare, shown))
    return names


def is_coded(store: Store, bare: str, *, helper: bool, bytewise: bool) -> bool:
    """True if a tensor of a quantized weight is stored as floats: scales, and values of 8 bits.

    Other values are codes for any dtype: bitsandbytes can store two of them in each byte of a bfloat16.
    """
    tensors = store.checkpoint.tensors
    layout = tensors.get(bare, tensors.get(store.spelled(bare)))
    return layout is not None and layout.dtype in (FLOATS | FLOAT8 if helper else FLOAT8 if bytewise else ())


def _scanned(
    store: Store, bare: str, name: str, line: ledger.Line | None, found: Values, *, packed: bool, coded: bool
) -> Iterator[Scanned]:
    """Reads a tensor; for a quantized one, checks that its bytes were written and that its floats are finite."""
    numbers = store.stored_bytes(bare) if packed and not coded else store.numbers(bare)
    if isinstance(numbers, str):
        found.skip(numbers, name)
        return
    raw, result = numbers.raw, scan(numbers)
    if packed and not coded:
        found.skip("it is quantized: only unwritten bytes were looked for", name)
    elif coded and line is None:
        found.skip("it is quantized: only NaN, infinities, zeros and unwritten bytes were looked for", name)
    else:
        found.tensors += 1
        found.elements += raw.size
    position = (store.file_of(bare), raw.begin) if isinstance(raw, StoredArray) and raw.is_contiguous else ("", 0)
    row = by_rows(raw).shape[-1] if raw.ndim > 1 else 0
    use = use_of(line, bare, in_gguf=store.file_of(bare).endswith(".gguf"))
    mask = result.infinite > 0 and use in (STATE, OTHER) and is_mask(numbers)
    yield Scanned(name, result, use, axes(raw), raw.dtype.itemsize, row, *position,
                  packed=packed and not coded, coded=coded, codes=coded and line is None, mask=mask)  # fmt: skip


def _in_blocks(store: Store, bare: str, name: str, line: ledger.Line | None, found: Values) -> Iterator[Scanned]:
    """Reads the bytes, scales and zero rows of a tensor in a block format of GGUF; yields nothing for
    another tensor.
    """
    numbers, stored = store.numbers(bare), store.stored_bytes(bare)
    if isinstance(numbers, str) or isinstance(stored, str) or not is_quantized(numbers):
        return
    scanned = scan_blocks(numbers)
    found.tensors += 1
    found.elements += scanned.elements
    raw = numbers.raw
    dims = axes(raw) + (raw.ndim > 1 and raw.shape[-1] == 1)  # a row of one block has many numbers
    yield Scanned(name, scanned, use_of(line, bare), dims)
    if isinstance(stored.raw, StoredArray):
        row = raw.shape[-1] * raw.dtype.itemsize if raw.ndim > 1 else 0
        place = store.file_of(bare), stored.raw.begin
        yield Scanned(name, scan(stored), OTHER, dims, 1, row, *place, packed=True)


ADDS_ONE: Final = frozenset({
    "gemma", "gemma2", "gemma3_text", "minimax_m3_vl", "minimax_m3_vl_text", "muse_glimmer", "muse_spark", "nemotron",
    "qwen3_5_text", "qwen3_5_moe_text", "qwen3_next", "qwen4_exp", "recurrent_gemma", "step3p7", "t5gemma", "t5gemma2",
    "vaultgemma", "videoprism", "xlstm",
})  # fmt: skip
"""Types with norms that multiply by 1 + weight, so that zeros change nothing (`1.0 + self.weight` in modeling_*.py of
transformers 5.23)."""
_NORMS: Final = frozenset({"scale", "affine"})
_LINEAR: Final = frozenset({"linear", "linear_io"})
_STATE: Final = frozenset({"buffer", "batchnorm", "frozen_batchnorm"})


def use_of(line: ledger.Line | None, name: str, *, in_gguf: bool = False) -> str:
    """The use of a tensor, by its definition, or by its name without one.

    in_gguf: it is in a GGUF file, in which norms have the 1 added.
    """
    if line is None or line.block is None:
        family = key_of(name)[0]
        return OTHER if is_multiplied(family) and not begins_as_zeros(family, ()) else STATE
    slot = line.block.slot
    if slot.kind.name == "param" and not slot.tensor.suffix and not is_multiplied(line.family, line.role):
        return STATE
    if slot.kind.name in _STATE or slot.tensor.suffix.endswith("bias"):
        return STATE
    if begins_as_zeros(line.family, slot.definition.names):
        return STATE
    if slot.kind.name == "table" or line.role.startswith("head."):
        return VOCABULARY
    if slot.kind.name in _NORMS and slot.tensor.suffix == ".weight" and line.role.startswith("norm"):
        return OTHER if ADDS_ONE & set(slot.definition.names) and not in_gguf else NORM
    return MATRIX if slot.kind.name in _LINEAR else OTHER


def open_store(audited: Audit, component: Audit, wanted: Sequence[str]) -> Store | None:
    """Access to the values of a component. Raises NotNamed if it is remote and no tensor was selected."""
    store = copies_store(audited, component)
    if store is not None and not store.is_near and not wanted:
        raise NotNamed(component.checkpoint.source)
    return store


def check_copies(
    audited: Audit, component: Audit, found: Values, odd: Mapping[str, int] = MappingProxyType({})
) -> None:
    """Compares stored copies of tied tensors with the originals.

    odd: the number of values of a tensor that are not finite, which have their own finding.
    """
    store = copies_store(audited, component)
    if store is None:
        return
    for name, original in tied_copies(component):
        if not found.is_requested(name, original):
            continue
        try:
            both = both_of(store, name, original)
            if isinstance(both, str):
                found.skip(both, name)
                continue
            reported = difference(*both)
        except ReadStopped as problem:
            found.stop(problem, name)
            continue
        known = odd.get(name, 0) + odd.get(original, 0)
        if not reported.equal and not reported.rounding and reported.differing > known:
            found.findings.append(_copy_differs(name, original, reported))


def _copy_differs(name: str, original: str, reported: Difference) -> Finding:
    return CopiesDiffer(
        place=Place(tensor=name),
        tensor=name,
        original=original,
        differing=reported.differing,
        elements=reported.elements,
        beyond=reported.beyond,
        largest=reported.largest,
        at=reported.place,
        values=(reported.source, reported.target),
    )


def skipped_values(before: Sequence[Skipped], found: Values) -> tuple[Skipped, ...]:
    """The skipped checks for values that were not read; replaces the entry that no values were read."""
    whole = bool(found.verdicts) and not found.unread and not found.requested
    kept = [one for one in before if one.check != "values" and not (one.check == "order of rows" and whole)]
    unread = [Skipped(f"values of {_counted(names)}", why) for why, names in found.unread.items()]
    named = [Skipped("values of other tensors", "not selected")] if found.requested else []
    return (*unread, *named, *kept)


def _counted(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names):,} tensors"
