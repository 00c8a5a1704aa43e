"""What each method of PEFT stores for one module of the base: endings and shapes.

Sources: `update_layer` and `create_adapter_parameters` of PEFT's tuners (lora, adalora, ia3, vera, loha, lokr,
oft; `method_table` has the others), checked against what PEFT 0.21 saves (fixtures/adapters). Shapes are in elements;
None is a dim that is unknown without a base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import Any, Final

from msgspec import Struct

from inspector.adapters.method_table import CONVOLUTIONS, LINEAR, RANKS, rows_of

Shape = tuple[int | None, ...]
Writer = Callable[["Target", Mapping[str, Any]], Iterator["AdapterTensor"]]


class Target(Struct, frozen=True):
    """A module that is changed. kind: "linear", "table", "conv" or "experts" (stacked matrices).

    inputs, outputs: of the matrix, of a table its rows and its width. kernel: of a convolution, 0 where unknown.
    rank: by the config, None where it is not known. experts: matrices that are stacked. feedforward: IA3 scales its
    input. biased: whether the module has a bias.
    """

    kind: str
    inputs: int | None = None
    outputs: int | None = None
    kernel: tuple[int, ...] = ()
    rank: int | None = None
    experts: int = 1
    feedforward: bool = False
    biased: bool = False


class AdapterTensor(Struct, frozen=True):
    """A tensor that a method adds to a module.

    rank_axis: the axis of the rank. others: shapes of other versions. frozen: saved, and not trained.
    """

    ending: str
    shape: Shape
    rank_axis: int | None = None
    others: tuple[Shape, ...] = ()
    frozen: bool = False


LARGEST_FACTORED: Final = 4_000_000
"""Widths beyond this are not taken apart as LoKr does it: no model has one."""

PEFT_TYPES: Final = frozenset({
    "PROMPT_TUNING", "MULTITASK_PROMPT_TUNING", "P_TUNING", "PREFIX_TUNING", "LORA", "ADALORA", "ADAMSS", "BOFT",
    "ADAPTION_PROMPT", "IA3", "BEFT", "LILY", "LOHA", "LOKR", "OFT", "POLY", "LN_TUNING", "VERA", "FROD", "PVERA",
    "FOURIERFT", "GLORA", "XLORA", "HRA", "VBLORA", "UNILORA", "CPT", "MISS", "BONE", "RANDLORA", "ROAD",
    "TRAINABLE_TOKENS", "HIRA", "SHIRA", "C3A", "WAVEFT", "OSF", "DELORA", "GRALORA", "CARTRIDGE", "TINYLORA", "PSOFT",
    "PEANUT", "SHADOW", "SUPERTUNING", "DEFT",
})  # fmt: skip
"""Values of `peft_type` that some version of PEFT has: `PeftType` of 0.21, and BONE of earlier ones."""


def pieces_of(method: str, target: Target, values: Mapping[str, Any]) -> tuple[AdapterTensor, ...] | None:
    """The tensors that a module gets; None where the method or the kind of module is not known here."""
    writers = {
        "lora": _lora, "adalora": _adalora, "ia3": _ia3, "vera": _vera, "loha": _loha, "lokr": _lokr, "oft": _oft,
    }  # fmt: skip
    writer = writers.get(method, _by_table(method) if method in LINEAR else None)
    if writer is None:
        return None
    found = tuple(writer(target, values))
    return found if found or LINEAR.get(method) == () else None


DIVISORS: Final[Mapping[str, tuple[str, str]]] = {
    "vblora": ("vector_length", "inputs outputs"), "c3a": ("block_size", "inputs outputs"),
    "gralora": ("gralora_k", "inputs outputs"), "boft": ("boft_block_size", "inputs"),
    "road": ("group_size", "outputs"),
}  # fmt: skip
"""Method -> (key, the widths of a module that its value divides): PEFT raises where it does not."""


def not_dividing(method: str, target: Target, values: Mapping[str, Any]) -> str:
    """The key whose value does not divide the widths of a matrix, "" where none has to."""
    key, widths = DIVISORS.get(method, ("", ""))
    value = values.get(key)
    if type(value) is not int or value < 1 or target.kind != "linear" or values.get(f"{key}_pattern"):
        return ""
    sizes = [getattr(target, width) for width in widths.split()]
    return key if any(size is not None and size % value for size in sizes) else ""


def _by_table(method: str) -> Writer:
    def pieces(target: Target, values: Mapping[str, Any]) -> Iterator[AdapterTensor]:
        if target.kind != "linear" and not (target.kind == "conv" and method in CONVOLUTIONS):
            return
        inputs = _times(target.inputs, prod(target.kernel))
        own = {"inputs": inputs, "outputs": target.outputs, "rank": target.rank, "biased": int(target.biased)}
        for row in rows_of(LINEAR[method], values, own):
            axis = None if method in RANKS else row.rank_axis
            yield AdapterTensor(f".{row.ending}", row.shape, axis, frozen=row.frozen)

    return pieces


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
        yield AdapterTensor(".lora_A.weight", (rank, inputs), 0)
        yield AdapterTensor(".lora_B.weight", (outputs, rank), 1)
    if values.get("use_dora") is True and target.kind != "experts":
        vector: Shape = (1, outputs, *(1,) * len(target.kernel)) if target.kind == "conv" else (outputs,)
        yield AdapterTensor(".lora_magnitude_vector", vector)
    if values.get("lora_bias") is True and target.kind in ("linear", "conv"):
        yield AdapterTensor(".lora_B.bias", (outputs,))


def _adalora(target: Target, values: Mapping[str, Any]) -> Iterator[AdapterTensor]:
    """Ranks are pruned while it trains: each module has its own then (None), the same in all three."""
    if target.kind == "linear":
        yield AdapterTensor(".lora_A", (target.rank, target.inputs), 0)
        yield AdapterTensor(".lora_B", (target.outputs, target.rank), 1)
        yield AdapterTensor(".lora_E", (target.rank, 1), 0)


def _ia3(target: Target, values: Mapping[str, Any]) -> Iterator[AdapterTensor]:
    if target.kind == "linear":
        scaled: tuple[Shape, Shape] = ((target.outputs, 1), (1, target.inputs))
        others = scaled[1:] if target.outputs is None else ()
        yield AdapterTensor(".ia3_l", scaled[target.feedforward], others=others)


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
    """A width as a product of two, the smaller first: near the factor, or near the square root where it is -1."""
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
    """The generators of block rotations; sizes that do not divide the width are adjusted by PEFT, and not known."""
    size, blocks = values.get("oft_block_size", 0), values.get("r", 0)
    inputs = _times(target.inputs, prod(target.kernel))
    if target.kind not in ("linear", "conv") or inputs is None or type(size) is not int or type(blocks) is not int:
        return
    if size > 0 and blocks == 0 and inputs % size == 0:
        blocks = inputs // size
    elif blocks > 0 and size == 0 and inputs % blocks == 0:
        size = inputs // blocks
    else:
        return
    yield AdapterTensor(".oft_R.weight", (1 if values.get("block_share") else blocks, size * (size - 1) // 2))
