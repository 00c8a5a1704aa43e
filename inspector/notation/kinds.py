"""Leaf kinds: which tensors a module stores, and their layouts.

Dims are texts of the expression language. The arrow means input to output, so that "stored transposed" is
a finding and not a guess; the layouts are torch's (`nn.Linear` [out, in], `nn.Conv1d` [out, in/groups, k],
`nn.ConvTranspose` [in, out/groups, k]) unless the kind says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

Switch = str | bool
"""A predicate of the expression language, or a constant."""
MEAN, COUNTER = "running_mean", "num_batches_tracked"
"""Last segments of two buffers of a batch norm; the counter is required of no file."""
BATCH_NORM = "batchnorm"
"""Name of the kind of torch's batch norms."""


class Tensor(Struct, frozen=True):
    """One stored tensor of a module. Its name is the module's path followed by the suffix."""

    suffix: str
    dims: tuple[str, ...]
    counted: bool = True  # a parameter; a buffer is not counted
    when: str = ""
    optional: bool = False


class Kind(Struct, frozen=True):
    """The tensors of a leaf, and the text of its chart line."""

    name: str
    chart: str
    tensors: tuple[Tensor, ...]
    packs: tuple[str, ...] = ()  # the terms of the output sum, in storage order
    flow: tuple[str, str] | None = None  # input and output; `packs` names the terms of the output
    each: str = ""  # the number of modules stacked on a leading axis


def linear(arrow: str, *, bias: Switch = False, each: str = "", bare: bool = False, packs: str = "") -> Kind:
    """`.weight` [out, in], `.bias` [out]; with `each` a leading axis; bare: the path is the weight."""
    source, target = _arrow(arrow)
    return _matrix(
        name="linear", arrow=arrow, dims=(target, source), target=target, bias=bias, each=each, bare=bare, packs=packs
    )


def dense(arrow: str, *, each: str = "", bare: bool = False, packs: str = "") -> Kind:
    """A linear with bias."""
    return linear(arrow, bias=True, each=each, bare=bare, packs=packs)


def linear_io(arrow: str, *, bias: Switch = False, each: str = "", bare: bool = False, packs: str = "") -> Kind:
    """`.weight` [in, out]: the layout of GPT-2's Conv1D."""
    source, target = _arrow(arrow)
    return _matrix(
        name="linear_io",
        arrow=arrow,
        dims=(source, target),
        target=target,
        bias=bias,
        each=each,
        bare=bare,
        packs=packs,
    )


def table(shape: str) -> Kind:
    """An embedding: `.weight` of this shape."""
    return Kind("table", f"[{', '.join(shape.split())}]", (Tensor(".weight", tuple(shape.split())),))


def scale(dim: str) -> Kind:
    """A norm without bias: `.weight` [d]."""
    return Kind("scale", f"[{dim}]", (Tensor(".weight", (dim,)),))


def affine(dim: str, *, bias: Switch = True) -> Kind:
    """A norm with bias: `.weight` [d], `.bias` [d]."""
    return Kind("affine", f"[{dim}]", (Tensor(".weight", (dim,)), *_bias(".bias", (dim,), bias)))


def conv(arrow: str, *, groups: str = "", bias: Switch = True) -> Kind:
    """`.weight` [out, in/groups, kernel…], `.bias` [out]. The arrow is 'in -> out, kernel kernel'."""
    source, target, kernel = _convolution(arrow)
    each = "1" if groups == source else f"({source})/({groups})" if groups else source
    weight = Tensor(".weight", (target, each, *kernel))
    return Kind("conv", arrow, (weight, *_bias(".bias", (target,), bias)))


def conv_t(arrow: str, *, groups: str = "", bias: Switch = True) -> Kind:
    """A transposed convolution: `.weight` [in, out/groups, kernel…], `.bias` [out]."""
    source, target, kernel = _convolution(arrow)
    each = "1" if groups == target else f"({target})/({groups})" if groups else target
    weight = Tensor(".weight", (source, each, *kernel))
    return Kind("conv_t", arrow, (weight, *_bias(".bias", (target,), bias)))


def batchnorm(dim: str) -> Kind:
    """A batch norm: weight and bias are counted; the running statistics are buffers; the step counter
    may be left out.
    """
    return Kind(BATCH_NORM, f"[{dim}]", (Tensor(".weight", (dim,)), Tensor(".bias", (dim,)), *_running(dim)))


def frozen_batchnorm(dim: str) -> Kind:
    """A batch norm with four tensors that are all buffers."""
    fixed = (Tensor(".weight", (dim,), counted=False), Tensor(".bias", (dim,), counted=False))
    return Kind("frozen_batchnorm", f"[{dim}]", (*fixed, *_running(dim)))


def weight_norm(kind: Kind, *, axis: int = 0) -> Kind:
    """torch's parametrized weight norm: a magnitude of size 1 except on the axis, and the direction."""
    weight, *rest = kind.tensors
    ones = tuple(dim if position == axis else "1" for position, dim in enumerate(weight.dims))
    name = ".parametrizations.weight.original"
    return replace(
        kind,
        name="weight_norm",
        tensors=(Tensor(f"{name}0", ones), replace(weight, suffix=f"{name}1"), *rest),
    )


def adapted(kind: Kind, *, tasks: str, rank: str) -> Kind:
    """A linear or an embedding with low-rank matrices for several tasks, as a parametrization of torch.

    The matrices are [tasks, rank, in] and [tasks, out, rank]; those of an embedding are transposed.
    """
    weight, *rest = kind.tensors
    rows, columns = weight.dims
    down, up = ((rank, columns), (rows, rank)) if kind.flow else ((rows, rank), (rank, columns))
    name = ".parametrizations.weight"
    low = (Tensor(f"{name}.0.lora_A", (tasks, *down)), Tensor(f"{name}.0.lora_B", (tasks, *up)))
    return replace(kind, name="adapted", tensors=(replace(weight, suffix=f"{name}.original"), *low, *rest))


def param(shape: str) -> Kind:
    """One parameter, which has the path itself as its name."""
    return Kind("param", f"[{', '.join(shape.split())}]", (Tensor("", tuple(shape.split())),))


def buffer(shape: str) -> Kind:
    """One buffer, which has the path itself as its name; it is not a parameter."""
    return Kind("buffer", f"[{', '.join(shape.split())}]", (Tensor("", tuple(shape.split()), counted=False),))


def _running(dim: str) -> tuple[Tensor, ...]:
    return (
        Tensor(f".{MEAN}", (dim,), counted=False),
        Tensor(".running_var", (dim,), counted=False),
        Tensor(f".{COUNTER}", (), counted=False, optional=True),
    )


def _matrix(
    name: str,
    arrow: str,
    dims: tuple[str, str],
    target: str,
    bias: Switch,
    each: str,
    bare: bool,
    packs: str,
) -> Kind:
    lead = (each,) if each else ()
    weight = Tensor("" if bare else ".weight", (*lead, *dims))
    biases = _bias("_bias" if bare else ".bias", (*lead, target), bias)
    chart = f"{each} x ({arrow})" if each else arrow
    source = dims[0] if dims[1] == target else dims[1]
    return Kind(name, chart, (weight, *biases), tuple(packs.split()), (source, target), each)


def _bias(suffix: str, dims: Sequence[str], switch: Switch) -> tuple[Tensor, ...]:
    if switch is False:
        return ()
    return (Tensor(suffix, tuple(dims), when="" if switch is True else switch),)


def _arrow(arrow: str) -> tuple[str, str]:
    source, mark, target = arrow.partition("->")
    if not mark:
        raise ValueError(f"'{arrow}' has no arrow")
    return source.strip(), target.strip()


def _convolution(arrow: str) -> tuple[str, str, tuple[str, ...]]:
    source, rest = _arrow(arrow)
    target, mark, kernel = rest.rpartition(",")
    if not mark:
        raise ValueError(f"'{arrow}' has no kernel")
    return source, target.strip(), tuple(kernel.split())
