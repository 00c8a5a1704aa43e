"""The tensors that each method of PEFT stores for one module of the base: endings and shapes.

Sources: `update_layer` and `create_adapter_parameters` of PEFT's tuners (lora, adalora, ia3, vera, loha, lokr, oft; the
others are in `method_table`), checked against the files that PEFT 0.21 saves (fixtures/adapters). Shapes are in
elements; None is a dim that is unknown without a base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any, Final

from msgspec import Struct

from inspector.adapters.lora_variants import blocks_in, variant_tensors
from inspector.adapters.method_table import CONVOLUTIONS, LINEAR, RANKS, TABLES, rows_of

Shape = tuple[int | None, ...]
Writer = Callable[["Target", Mapping[str, Any]], Iterator["AdapterTensor"]]


class Whole(Struct, frozen=True):
    """Totals over all targets of a method in a base. weights: elements of their matrices."""

    widest_inputs: int
    widest_outputs: int
    weights: int
    modules: int


class Target(Struct, frozen=True):
    """A module that is changed. kind: "linear", "table", "conv" or "experts" (stacked matrices).

    inputs, outputs: of the matrix; for a table, its rows and its width. kernel: of a convolution, 0 if unknown. rank:
    from the config, None if unknown. experts: number of stacked matrices. feedforward: IA3 scales its input. biased:
    the module has a bias. preserved: the config's setting for the directions that OSF keeps. whole: None if the other
    targets are unknown. in_blocks: the low-rank matrix that BD-LoRA stores as diagonal blocks, "A" or "B".
    """

    kind: str
    inputs: int | None = None
    outputs: int | None = None
    kernel: tuple[int, ...] = ()
    rank: int | None = None
    experts: int = 1
    feedforward: bool = False
    biased: bool = False
    preserved: object = None
    whole: Whole | None = None
    in_blocks: str = ""


class AdapterTensor(Struct, frozen=True):
    """A tensor that a method adds to a module. Numbers in its ending are indices, as in `.peanut_encoders.0.weight`.

    rank_axis: the axis of the rank. others: shapes in other versions. frozen: saved, and not trained.
    """

    ending: str
    shape: Shape
    rank_axis: int | None = None
    others: tuple[Shape, ...] = ()
    frozen: bool = False


LARGEST_FACTORED: Final = 4_000_000
"""Largest width that is factored as in LoKr: no model has a larger one."""
MOST_LAYERS: Final = 1_000
"""Most layers of a small network for one module."""

TOGETHER: Final = frozenset({"unilora"})
"""Methods that may store nothing for a single module."""

PEFT_TYPES: Final = frozenset({
    "PROMPT_TUNING", "MULTITASK_PROMPT_TUNING", "P_TUNING", "PREFIX_TUNING", "LORA", "ADALORA", "ADAMSS", "BOFT",
    "ADAPTION_PROMPT", "IA3", "BEFT", "LILY", "LOHA", "LOKR", "OFT", "POLY", "LN_TUNING", "VERA", "FROD", "PVERA",
    "FOURIERFT", "GLORA", "XLORA", "HRA", "VBLORA", "UNILORA", "CPT", "MISS", "BONE", "RANDLORA", "ROAD",
    "TRAINABLE_TOKENS", "HIRA", "SHIRA", "C3A", "WAVEFT", "OSF", "DELORA", "GRALORA", "CARTRIDGE", "TINYLORA", "PSOFT",
    "PEANUT", "SHADOW", "SUPERTUNING", "DEFT",
})  # fmt: skip
"""Values of `peft_type` in any version of PEFT: `PeftType` of 0.21, and BONE of earlier versions."""


def pieces_of(method: str, target: Target, values: Mapping[str, Any]) -> tuple[AdapterTensor, ...] | None:
    """The tensors that a method adds to a module; None if the method or the kind of module is not known here."""
    writers = {
        "lora": _lora, "adalora": _adalora, "ia3": _ia3, "vera": _vera, "loha": _loha, "lokr": _lokr, "oft": _oft,
    }  # fmt: skip
    writer = writers.get(method, _by_table(method) if method in LINEAR else None)
    if writer is None:
        return None
    found = tuple(writer(target, values))
    return found if found or method in TOGETHER else None


DIVISORS: Final[Mapping[str, tuple[str, str]]] = {
    "vblora": ("vector_length", "inputs outputs"), "c3a": ("block_size", "inputs outputs"),
    "gralora": ("gralora_k", "inputs outputs"), "boft": ("boft_block_size", "inputs"),
    "road": ("group_size", "outputs"),
}  # fmt: skip
"""Method -> (key, the widths of a module that its value must divide): PEFT raises if it does not."""


def not_dividing(method: str, target: Target, values: Mapping[str, Any]) -> str:
    """The key with a value that does not divide the widths of a matrix, "" without such a key."""
    key, widths = DIVISORS.get(method, ("", ""))
    value = values.get(key)
    if type(value) is not int or value < 1 or target.kind != "linear" or values.get(f"{key}_pattern"):
        return ""
    sizes = [getattr(target, width) for width in widths.split()]
    return key if any(size is not None and size % value for size in sizes) else ""


def _by_table(method: str) -> Writer:
    rows_of_kind = {"linear": LINEAR, "conv": CONVOLUTIONS, "table": TABLES}

    def pieces(target: Target, values: Mapping[str, Any]) -> Iterator[AdapterTensor]:
        rows = rows_of_kind.get(target.kind, {}).get(method, ())
        kernel = tuple(dim or None for dim in target.kernel)
        for row in rows_of(rows, values, _numbers(target, values), kernel):
            axis = None if method in RANKS else row.rank_axis
            yield AdapterTensor(f".{row.ending}", row.shape, axis, row.others, row.frozen)
        if method == "peanut":
            yield from _peanut_layers(target, values)

    return pieces


def _numbers(target: Target, values: Mapping[str, Any]) -> dict[str, int | None]:
    """The values of the table's words for a module."""
    inputs, outputs, whole = _times(target.inputs, prod(target.kernel)), target.outputs, target.whole
    return {
        "inputs": inputs, "outputs": outputs, "channels": target.inputs, "rank": target.rank,
        "biased": int(target.biased), "preserved": _preserved(target),
        "widest_inputs": None if whole is None else whole.widest_inputs,
        "widest_outputs": None if whole is None else whole.widest_outputs, "share": _share(target, values),
    }  # fmt: skip


def _preserved(target: Target) -> int | None:
    """The number of a matrix's directions that OSF keeps: half of them, a stated number, or a stated share."""
    if target.inputs is None or target.outputs is None:
        return None
    most, stated = min(target.inputs, target.outputs), target.preserved
    if stated is None:
        return most // 2
    if isinstance(stated, float) and 0 < stated <= 1:
        return int(most * stated)
    if not isinstance(stated, int | float) or abs(stated) > LARGEST_FACTORED:
        return None
    return max(min(most, int(stated)), 0)


def _share(target: Target, values: Mapping[str, Any]) -> int | None:
    """A module's share of WaveFT's budget for all modules, proportional to the size of its matrix."""
    whole, number = target.whole, values.get("n_frequency")
    if whole is None or type(number) is not int or target.inputs is None or target.outputs is None or not whole.weights:
        return None
    return max(1, round(target.inputs * target.outputs / whole.weights * (number * whole.modules)))


def _peanut_layers(target: Target, values: Mapping[str, Any]) -> Iterator[AdapterTensor]:
    """The square matrices between the first and the last matrix of PEANuT."""
    depth = values.get("depth", 0)
    for network in ("encoders", "decoders"):
        for number in range(min(depth, MOST_LAYERS) if type(depth) is int else 0):
            yield AdapterTensor(f".peanut_{network}.{number}.weight", (target.rank, target.rank), 0)


def _times(one: int | None, other: int) -> int | None:
    return None if one is None else one * other


def _lora(target: Target, values: Mapping[str, Any]) -> Iterator[AdapterTensor]:
    rank, inputs, outputs = _times(target.rank, target.experts), target.inputs, target.outputs
    if target.kind == "table":
        yield AdapterTensor(".lora_embedding_A", (rank, inputs), 0)
        yield AdapterTensor(".lora_embedding_B", (outputs, rank), 1)
    elif target.kind == "conv":
        ones = (1,) * len(target.kernel)
        yield AdapterTensor(".lora_A.weight", (rank, inputs, *(dim or None for dim in target.kernel)), 0)
        yield AdapterTensor(".lora_B.weight", (outputs, rank, *ones), 1)
    elif target.kind == "experts":  # before 0.18 the stacked matrices were always taken for [experts, in, out]
        yield AdapterTensor(".lora_A.weight", (rank, inputs), 0, ((rank, outputs),))
        yield AdapterTensor(".lora_B.weight", (outputs, rank), 1, ((inputs, rank),))
    else:
        blocks = blocks_in(values) or 1
        across = inputs // blocks if inputs is not None and target.in_blocks == "A" else inputs
        down = rank // blocks if rank is not None and target.in_blocks == "B" else rank
        yield AdapterTensor(".lora_A.weight", (rank, across), 0)
        yield AdapterTensor(".lora_B.weight", (outputs, down), None if target.in_blocks == "B" else 1)
        for ending, shape, frozen in variant_tensors(rank, inputs, values) if target.kind == "linear" else ():
            yield AdapterTensor(ending, shape, None, (), frozen)
    if values.get("use_dora") and target.kind != "experts":
        vector: Shape = (1, outputs, *(1,) * len(target.kernel)) if target.kind == "conv" else (outputs,)
        yield AdapterTensor(".lora_magnitude_vector", vector)
    if values.get("lora_bias") and target.kind in ("linear", "conv"):
        yield AdapterTensor(".lora_B.bias", (outputs,))


def _adalora(target: Target, values: Mapping[str, Any]) -> Iterator[AdapterTensor]:
    """The matrices of AdaLoRA. Training prunes the rank of each module separately (None); it is the same in all three
    matrices.
    """
    if target.kind == "linear":
        yield AdapterTensor(".lora_A", (target.rank, target.inputs), 0)
        yield AdapterTensor(".lora_B", (target.outputs, target.rank), 1)
        yield AdapterTensor(".lora_E", (target.rank, 1), 0)


def _ia3(target: Target, values: Mapping[str, Any]) -> Iterator[AdapterTensor]:
    if target.kind == "linear":
        scaled: tuple[Shape, Shape] = ((target.outputs, 1), (1, target.inputs))
        others = scaled[1:] if target.outputs is None else ()
        yield AdapterTensor(".ia3_l", scaled[target.feedforward], others=others)
    elif target.kind == "conv":
        width = target.inputs if target.feedforward else target.outputs
        yield AdapterTensor(".ia3_l", (1, width, *(1,) * len(target.kernel)))


def _vera(target: Target, values: Mapping[str, Any]) -> Iterator[AdapterTensor]:
    if target.kind == "linear":
        yield AdapterTensor(".vera_lambda_b", (target.outputs,))
        yield AdapterTensor(".vera_lambda_d", (target.rank,), 0)


def _loha(target: Target, values: Mapping[str, Any]) -> Iterator[AdapterTensor]:
    if target.kind == "conv" and values.get("use_effective_conv2d"):
        return
    if target.kind in ("linear", "conv"):
        inputs = _times(target.inputs, prod(target.kernel))
        for number in "12":
            yield AdapterTensor(f".hada_w{number}_a", (target.outputs, target.rank), 1)
            yield AdapterTensor(f".hada_w{number}_b", (target.rank, inputs), 0)


def _lokr(target: Target, values: Mapping[str, Any]) -> Iterator[AdapterTensor]:
    factor = values.get("decompose_factor", -1)
    rank, inputs, outputs, kernel = target.rank, target.inputs, target.outputs, target.kernel
    if rank is None or inputs is None or outputs is None or type(factor) is not int:
        return
    if target.kind not in ("linear", "conv") or (kernel and values.get("use_effective_conv2d")):
        return
    if max(inputs, outputs) > LARGEST_FACTORED or min(inputs, outputs) < 1:
        return
    (small_in, large_in), (small_out, large_out) = factored(inputs, factor), factored(outputs, factor)
    if values.get("decompose_both") and 2 * rank < max(small_out, small_in):
        yield AdapterTensor(".lokr_w1_a", (small_out, rank), 1)
        yield AdapterTensor(".lokr_w1_b", (rank, small_in), 0)
    else:
        yield AdapterTensor(".lokr_w1", (small_out, small_in))
    if 2 * rank < max(large_out, large_in):
        yield AdapterTensor(".lokr_w2_a", (large_out, rank), 1)
        yield AdapterTensor(".lokr_w2_b", (rank, large_in * prod(kernel)), 0)
    else:
        yield AdapterTensor(".lokr_w2", (large_out, large_in, *kernel))


def factored(number: int, factor: int) -> tuple[int, int]:
    """A width as a product of two numbers, the smaller first: near the factor, or near the square root if the factor is
    -1.
    """
    if factor > 0 and number % factor == 0:
        return factor, number // factor
    most = number if factor == -1 else factor
    small, large = 1, number
    best = small + large
    while small < large:
        following = next(one for one in range(small + 1, number + 1) if number % one == 0) if number > 1 else 1
        if following + number // following > best or following > most:
            break
        small, large = following, number // following
    return (small, large) if small <= large else (large, small)


def _oft(target: Target, values: Mapping[str, Any]) -> Iterator[AdapterTensor]:
    """The parameters of OFT's block rotations."""
    size, blocks = values.get("oft_block_size", 0), values.get("r", 0)
    inputs = target.outputs if target.kind == "table" else _times(target.inputs, prod(target.kernel))
    if target.kind not in ("linear", "conv", "table") or not inputs or inputs > LARGEST_FACTORED:
        return
    if type(size) is not int or type(blocks) is not int or size < 0 or blocks < 0 or (size > 0) is (blocks > 0):
        return
    if size > 0:
        size = _dividing(inputs, size)
        blocks = inputs // size
    else:
        blocks = _dividing(inputs, blocks)
        size = inputs // blocks
    name = "oft_embedding_R" if target.kind == "table" else "oft_R"
    yield AdapterTensor(f".{name}.weight", (1 if values.get("block_share") else blocks, size * (size - 1) // 2))


def _dividing(width: int, number: int) -> int:
    """The divisor of a width that is nearest to a number, the smaller of two, as PEFT chooses it."""
    if number >= width:
        return width
    lower = next(one for one in range(number, 0, -1) if width % one == 0)
    higher = next(one for one in range(number, width + 1) if width % one == 0)
    return lower if number - lower <= higher - number else higher
