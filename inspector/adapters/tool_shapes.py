"""The allowed shapes of an adapter's matrices for the weight that they change, for tools other than PEFT."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from math import isqrt, prod

from inspector.adapters.tools import METHODS, NOTHING, OLDER_GLORA

Shape = tuple[int, ...]


def misfit(
    method: str, part: str, stored: Shape, weight: Shape, parts: Mapping[str, Shape]
) -> tuple[int | None, ...] | None:
    """The shape that a part should have for a weight [out, in, kernel ...]; None if it fits or is arbitrary."""
    if method == "lokr" and (part in ("w1", "w1_a") or (part == "t2" and "w1" not in parts)):
        return _of_lokr(parts, weight)
    if method == "oft" and part in ("blocks", "diag", "R"):
        return _of_rotation(stored, weight)
    allowed = _allowed(method, part, weight, not METHODS.get(method, NOTHING).cores.isdisjoint(parts))
    return None if not allowed or any(_fits(stored, one) for one in allowed) else allowed[0]


def is_wider(stored: Shape, weight: Shape) -> bool:
    """True if a first matrix has several times as many inputs as its module."""
    return len(stored) == len(weight) == 2 and stored[1] > weight[1] and stored[1] % weight[1] == 0


def _fits(stored: Shape, expected: tuple[int | None, ...]) -> bool:
    """True if a shape is as expected; dims of 1 at its end may be omitted."""
    pairs = zip_longest(stored, expected, fillvalue=1)
    return all(wanted is None or wanted == own for own, wanted in pairs)


def _allowed(method: str, part: str, weight: Shape, tucker: bool) -> tuple[tuple[int | None, ...], ...]:
    """The allowed shapes of a part; empty if any shape is allowed. tucker: a convolution's kernel is
    stored separately.
    """
    outputs, kernel = weight[0], weight[2:]
    wide = weight[1] if len(weight) > 1 else outputs
    down, flat = (None, wide, *(() if tucker else kernel)), (None, prod(weight[1:]))
    up, core = (outputs, None), (None, None, *kernel)
    methods: dict[str, dict[str, tuple[int | None, ...]]] = {
        "lora": {"down": down, "up": up, "mid": core},
        "lora, of tokens": {"down": (outputs, None), "up": (wide, None)},
        "lora, transposed": {"down": (wide, None), "up": (None, outputs)},
        "loha": dict.fromkeys(("w1_a", "w2_a"), (None, outputs) if tucker else up)
        | dict.fromkeys(("w1_b", "w2_b"), down if tucker else flat)
        | dict.fromkeys(("t1", "t2"), core),
        "glora": {"a1": (wide, None), "a2": (None, wide), "b1": up, "b2": (None, wide, *kernel)},
        "controlnet-lllite": {"down": (None, wide), "up": (outputs, None)},
        OLDER_GLORA: {"a1": (None, wide), "a2": (wide, None), "b1": (None, wide, *kernel), "b2": up},
        "t-lora": {"q": (None, wide), "p": (outputs, None)},
        "full": {"diff": weight, "set_weight": weight},
        "norm": {"w_norm": (outputs,)},
    }
    if part == "diff_m":
        return (weight,)
    if method == "lora, stacked" and part in ("down", "up"):
        *experts, rows, columns = weight if len(weight) > 1 else (outputs, outputs)
        one = (*experts, None, columns) if part == "down" else (*experts, rows, None)
        return one, *([(None, columns)] if experts and part == "down" else [])
    if part in methods.get(method, {}):
        return (methods[method][part],)
    if part in ("diff_b", "b_norm", "bias", "rescale"):
        return ((outputs,),)
    if part == "magnitude":  # of each output or each input; PEFT has the outputs of a convolution second
        return (outputs,), (1, wide), *([(1, outputs)] if kernel else [])
    return ((outputs,), (wide,), (1, wide), (1, outputs)) if (method, part) == ("ia3", "weight") else ()


def _of_rotation(stored: Shape, weight: Shape) -> tuple[int | None, ...] | None:
    """The expected shape of OFT's block matrices, over the outputs; with two dims, the entries above the diagonal, over
    the inputs.
    """
    if len(stored) in (3, 4):
        blocks, size = stored[-3:-1]
        return None if blocks * size == weight[0] or not size else (*stored[:-3], weight[0] // size, size, size)
    if len(stored) != 2:
        return None
    inputs, (blocks, above) = prod(weight[1:]), stored
    size = (1 + isqrt(1 + 8 * above)) // 2
    if size * (size - 1) != 2 * above or inputs % size:
        return None, None
    return None if blocks in (1, inputs // size) else (inputs // size, above)  # one block may be shared by all


def _of_lokr(parts: Mapping[str, Shape], weight: Shape) -> tuple[int | None, ...] | None:
    """The expected shape of the first factor, if the product of both is not the weight; convolutions may have any
    layout.
    """
    first = parts.get("w1") or (*parts.get("w1_a", (0,))[:1], *parts.get("w1_b", (0, 0))[1:])
    if "t2" in parts:
        second: Shape = (parts.get("w2_a", (0, 0))[-1], parts.get("w2_b", (0, 0))[-1], *parts["t2"][2:])
    else:
        second = parts.get("w2") or (*parts.get("w2_a", (0,))[:1], *parts.get("w2_b", (0, 0))[1:])
    if not all(first) or not all(second) or len(first) < 2 or len(second) < 2:
        return None
    fits = first[0] * second[0] == weight[0] and prod(first[1:]) * prod(second[1:]) == prod(weight[1:])
    return None if fits else (weight[0] // second[0], None)
