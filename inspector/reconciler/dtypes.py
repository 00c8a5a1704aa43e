"""Findings on dtypes: mixtures, dtypes that contradict the config, and weights stored in dtypes for
quantized values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from inspector.algebra.names import key_of
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.dtype import BITS, NO_WEIGHTS, TORCH_NAMES
from inspector.reconciler import ledger
from inspector.reconciler.ledger import Line
from inspector.reconciler.place import Placed
from inspector.reconciler.wording import place_name, place_of


def dtype_findings(lines: Sequence[Line], config: Mapping[str, Any]) -> Iterator[Finding]:
    """At most one note on a mixture of dtypes, and one on the dtype that the config states."""
    found: dict[str, list[int]] = {}
    stored: dict[str, list[Line]] = {}
    for line in lines:
        if line.kind in (ledger.PARAMETER, ledger.COPY, ledger.EXTRA) and line.packed is None:
            stored.setdefault(line.layout.dtype, []).append(line)
            entry = found.setdefault(line.layout.dtype, [0, 0, 0])
            entry[0] += line.tensors
            entry[1] += line.elements
            entry[2] += line.bytes
    if not found:
        return
    order = sorted(found.items(), key=lambda item: -item[1][1])
    if len(order) > 1:
        from inspector.findings.types.dtypes import DtypeShare, DtypesMixed

        yield DtypesMixed(
            dtypes=tuple(
                DtypeShare(dtype, tensors, elements, size, _where(stored[dtype]))
                for dtype, (tensors, elements, size) in order
            )
        )
    stated = stated_dtype(config)
    expected = TORCH_NAMES.get(stated.removeprefix("torch.")) if stated else None
    usual, (_, elements, size) = order[0]
    if stated is not None and expected is not None and expected != usual and elements:
        from inspector.findings.types.dtypes import DtypeDiffers

        yield DtypeDiffers(
            place=Place(key="dtype" if "dtype" in config else "torch_dtype"),
            stored=usual,
            config=stated,
            bytes=size,
            would_be=elements * BITS[expected] // 8,
        )


FEW: Final = 10
"""If at most one in this many 8-bit matrices has no scale, it is an exception; all others have scales."""


def unscaled(lines: Sequence[Line], config: Mapping[str, Any]) -> Iterator[Finding]:
    """A finding if a few 8-bit matrices have no scale, all others have one, and no config states the quantization."""
    plain = [line for line in lines if line.packed is None and _is_float8(line) and len(line.layout.shape) > 1]
    scaled = sum(line.tensors for line in lines if line.packed is not None and _is_float8(line))
    few = sum(line.tensors for line in plain)
    if few and scaled >= FEW * few and "quantization_config" not in config:
        from inspector.findings.types.dtypes import Float8Unscaled

        yield Float8Unscaled(
            place=place_of(plain[0].family, plain[0].boxes) if few == 1 else Place(),
            tensors=few,
            of=few + scaled,
            families=tuple(dict.fromkeys(place_name(line.family, line.boxes) for line in plain))[:NAMES_SHOWN],
            confidence="likely",
        )


def _is_float8(line: Line) -> bool:
    return line.kind in (ledger.PARAMETER, ledger.EXTRA) and line.layout.dtype in FLOAT8


FLOAT8: Final = frozenset({"F8_E4M3", "F8_E5M2"})
BYTES: Final = frozenset({"U8", "I8"})
"""Dtypes in which one element holds two 4-bit values."""


def weights_not_float(lines: Sequence[Line], quantized: Collection[str]) -> Iterator[Finding]:
    """One finding for each dtype in which weights are stored although only quantized weights have it.

    Buffers are weights here if they hold floats, such as running means and codebooks. quantized: families whose wrong
    quantization another finding reports.
    """
    weights = (line for line in lines if line.block is not None and _holds_floats(line))
    plain = (line for line in weights if line.packed is None and line.family not in quantized and not is_four_bit(line))
    yield from _not_float(plain, list(filter(_may_be_scale, lines)))


def without_scales(findings: Sequence[Finding], lines: Sequence[Line]) -> Sequence[Finding]:
    """The findings without those on unexpected tensors next to integer weights, which the finding on
    the weights names.
    """
    if not any(map(_is_no_weight, lines)):
        return findings
    from inspector.findings.names.tensors import PartUnexpected, TensorUnexpected
    from inspector.findings.types.dtypes import WeightsNotFloat

    if not any(isinstance(one, WeightsNotFloat) and one.helpers for one in findings):
        return findings
    modules = {module_of(line.family) for line in lines if line.block is not None and _is_no_weight(line)}
    strange = {line.family for line in lines if line.kind == ledger.UNEXPLAINED}
    scales = {line.family for line in lines if module_of(line.family) in modules and _may_be_scale(line)}

    def is_beside(finding: Finding) -> bool:
        if isinstance(finding, TensorUnexpected):
            return all(key_of(name)[0] in scales for name in finding.names)
        if not isinstance(finding, PartUnexpected):
            return False
        return scales.issuperset(key for key in strange if key.startswith(f"{finding.part}."))

    return [one for one in findings if not is_beside(one)]


def without_flat(findings: Sequence[Finding], lines: Sequence[Line]) -> Sequence[Finding]:
    """The findings, without the one on shapes of matrices that are stored as rows of integers."""
    if not any(map(_is_no_weight, lines)):
        return findings
    from inspector.findings.shapes import ShapeDiffers
    from inspector.findings.types.dtypes import WeightsNotFloat

    reported = {one.dtype for one in findings if isinstance(one, WeightsNotFloat)}
    flat = [
        one
        for one in findings
        if isinstance(one, ShapeDiffers) and one.dtype in reported and len(one.stored) == 1 and len(one.expected) == 2
    ]
    dtypes = {one.dtype for one in flat}
    rest = (one for one in findings if one not in flat)
    return [
        replace(one, flat=True) if isinstance(one, WeightsNotFloat) and one.dtype in dtypes else one for one in rest
    ]


def all_float(lines: Sequence[Line]) -> Iterator[Finding]:
    """Findings on the tensors of a file of plain weights that are stored in a dtype for quantized values."""
    yield from _not_float(line for line in lines if line.packed is None)


def adapter_not_float(lines: Sequence[Line]) -> Iterator[Finding]:
    """Findings on tensors of an adapter, trained or frozen, that are stored in a dtype for quantized values.

    PEFT may store copies of the base's weights as well. If they have scales, the base is quantized and they are
    correct.
    """
    kinds, frozen = (ledger.PARAMETER, ledger.COPY), (ledger.PROJECTION, ledger.BUFFER)
    own = (line for line in lines if line.kind in kinds or line.role in frozen or _is_copy(line, lines))
    floats = (line for line in own if line.packed is None)
    scaled = {module_of(line.family) for line in lines if line.family.endswith(".scales")}
    yield from _not_float(line for line in floats if not (_chooses(line.family) or _is_of_mlx(line, scaled)))


def _is_of_mlx(line: Line, scaled: Collection[str]) -> bool:
    """True if a tensor is a quantized weight of MLX with its scales in the same adapter."""
    return line.layout.dtype == "U32" and line.family.endswith(".weight") and module_of(line.family) in scaled


def _is_copy(line: Line, lines: Sequence[Line]) -> bool:
    """True if a tensor is an unquantized weight of the base model, in a module that an adapter wraps."""
    if line.kind != ledger.EXTRA or not line.family.endswith(".base_layer.weight"):
        return False
    module = module_of(line.family)
    return not any(
        one.family.startswith(f"{module}.") and one.family not in (line.family, f"{module}.bias") for one in lines
    )


def _chooses(family: str) -> bool:
    """True if the integers of a tensor are indices (of elements of a matrix, or of vectors of VB-LoRA's bank) or the
    step counter of a batch norm.
    """
    segments = family.split(".")
    return segments[-1] == "num_batches_tracked" or any(
        "_indices" in segment or segment.endswith("_size") for segment in segments
    )


INTEGER_BUFFERS: Final = frozenset({
    "attention_bias_idxs", "bias", "d2t", "layer_multipliers", "masked_bias", "ngram_heads_offsets",
    "ngram_heads_vocab_sizes", "num_batches_tracked", "position_ids", "relative_position_index", "summary_idxs",
    "t2d", "tid2eid", "token_type_ids",
})  # fmt: skip
"""Last segments of the buffers that transformers builds as integers or booleans, by all recorded classes, and those of
EAGLE-3 (`cnets.py`)."""


def _holds_floats(line: Line) -> bool:
    """True for parameters and for buffers of several floats."""
    if line.block is None or line.block.slot.tensor.counted:
        return True
    several = line.layout.elements > 1
    return several and line.family.rpartition(".")[2] not in INTEGER_BUFFERS


def is_four_bit(one: Line | Placed) -> bool:
    """True if a weight is stored as one column with four bits for each of its elements, as bitsandbytes does."""
    block, layout = one.block, one.layout
    if block is None or block.elements is None or len(layout.shape) != 2 or layout.shape[1] != 1:
        return False
    wide = len(block.shape) == 2 and block.shape != layout.shape
    return wide and layout.dtype in BYTES and layout.elements * BITS[layout.dtype] == 4 * block.elements


def module_of(key: str) -> str:
    """The module path of a tensor."""
    return key.rpartition(".")[0]


def _is_no_weight(line: Line) -> bool:
    return line.layout.dtype in NO_WEIGHTS


def _may_be_scale(line: Line) -> bool:
    """True if no block explains a tensor and its name does not end in weight or bias."""
    return line.kind == ledger.UNEXPLAINED and line.family.rpartition(".")[2] not in ("weight", "bias")


def _not_float(weights: Iterable[Line], others: Sequence[Line] = ()) -> Iterator[Finding]:
    """One finding for each dtype. others: lines of unexplained tensors, which are scales if they are next to such
    weights.
    """
    found: dict[str, list[Line]] = {}
    for line in filter(_is_no_weight, weights):
        found.setdefault(line.layout.dtype, []).append(line)
    for dtype, stored in found.items():
        from inspector.findings.types.dtypes import WeightsNotFloat

        modules = {module_of(line.family) for line in stored}
        helpers = [line for line in others if module_of(line.family) in modules]
        yield WeightsNotFloat(
            place=place_of(stored[0].family, stored[0].boxes) if len(stored) == 1 else Place(),
            dtype=dtype,
            tensors=sum(line.tensors for line in stored),
            elements=sum(line.elements for line in stored),
            families=tuple(dict.fromkeys(place_name(line.family, line.boxes) for line in stored))[:NAMES_SHOWN],
            helpers=sum(line.tensors for line in helpers),
            endings=tuple(dict.fromkeys(line.family.rpartition(".")[2] for line in helpers))[:NAMES_SHOWN],
        )


MOST_NAMED = 5
"""Number of families that are named for each dtype of a mixture."""


def _where(lines: Sequence[Line]) -> tuple[str, ...]:
    """The first families of one dtype; a family with a single tensor by the name of the tensor."""
    return tuple(dict.fromkeys(place_name(line.family, line.boxes) for line in lines))[:MOST_NAMED]


def stated_dtype(config: Mapping[str, Any]) -> str | None:
    """The dtype that a config states under the key of transformers 4 or 5, for the whole model or the text model."""
    for values in (config, config.get("text_config")):
        if isinstance(values, Mapping):
            for key in ("dtype", "torch_dtype"):
                if isinstance(values.get(key), str):
                    return str(values[key])
    return None
