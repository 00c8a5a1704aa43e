"""The base of schemes, which map the stored tensors of one module to its logical tensor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Final

from msgspec import Struct

from inspector.findings.types.formats import PackingFormatUnstated
from inspector.findings.types.modules import PackedModules
from inspector.findings.types.packed import (
    OTHER_DIMS,
    PackedValuesRetyped,
    PackedWidthsDisagree,
    PackingHelperDiffers,
    PackingHelperMissing,
)
from inspector.findings.types.packing_config import PackingConfigDisagrees, PackingConfigUnread
from inspector.loader.dtype import BITS
from inspector.loader.layout import Layout
from inspector.loader.packed import Packed
from inspector.quantization.stated import ModuleSettings

Tensors = Mapping[str, Layout]
"""The tensors of one module: suffix -> layout."""
Shape = tuple[int, ...]

FLOATS: Final = frozenset({"F16", "BF16", "F32", "F64"})
FLOAT8: Final = frozenset({"F8_E4M3", "F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ"})
BYTES: Final = frozenset({"U8", "F8_E8M0"})
SCALE_DTYPES: Final = FLOATS | FLOAT8 | BYTES
SCALE_ENDS: Final = ("scale", "scales", "scale_inv", "scale_2", "biases", "codebooks", "centroids.weight")
"""Suffixes of helpers that are factors or offsets, never plain integers."""
EXACT_SHAPES: Final = "compressed-tensors"
"""The method with a library that requires the exact shape of a scale, not only the same number of values."""
INTEGERS: Final = frozenset({"I8", "U8", "I16", "U16", "I32", "U32", "I64", "U64"})


class UnpackedTensor(Struct, frozen=True):
    """The logical tensor of one module.

    layout: the logical tensor, with dtype and bytes of its storage. packed: None if the values are not packed and only
    have helpers. helpers: suffixes of tensors without values. agreed: settings that the shapes confirm. faults:
    findings without a module; equal findings of many modules are joined.
    """

    layout: Layout
    packed: Packed | None
    helpers: tuple[str, ...]
    faults: tuple[PackedModules, ...] = ()
    agreed: tuple[str, ...] = ()


class Scheme(Struct, frozen=True):
    """A way to store a quantized module.

    values: suffix of the tensor with the values. needs: helpers that are required for reading. may: optional helpers.
    recognises: True for tensors of this scheme, even if some of `needs` are missing. logical: suffix of the logical
    tensor ("" for a parameter of the module itself, which has no suffix).
    """

    name: str
    values: str
    needs: tuple[str, ...]
    may: tuple[str, ...]
    recognises: Callable[[Tensors, ModuleSettings], bool]
    open: Callable[[Tensors, ModuleSettings], UnpackedTensor]
    logical: str = "weight"


class ModuleReading(Struct):
    """Collects the facts about one module while a scheme reads it."""

    tensors: Tensors
    setting: ModuleSettings
    faults: list[PackedModules] = []
    agreed: list[str] = []

    def compare(self, what: str, weights: object, *, read: bool = True) -> None:
        """Compares a setting with the shapes, if both are known. read: whether loaders read the setting at all."""
        stated = getattr(self.setting, what)
        if stated is None and weights is not None:
            self._compare_default(what, weights)
        if stated is None or weights is None:
            return
        if stated == weights:
            self.agreed.append(what)
            return
        disagrees = (PackingConfigDisagrees if read else PackingConfigUnread)(
            key=self.setting.key(what),
            what=what,
            config=self.setting.shown.get(what, stated),
            plain=what not in self.setting.shown,
            weights=weights,
        )
        self.faults.append(disagrees)

    def _compare_default(self, what: str, weights: object) -> None:
        """Compares the loader's default of a setting that is not stated with the shapes."""
        default = self.setting.absent.get(what, weights)
        if default != weights:
            self.faults.append(
                PackingConfigDisagrees(
                    key=self.setting.key(what), what=what, config=default, plain=True, weights=weights, absent=True
                )
            )

    def contradicts(self, what: str, config: object, weights: object) -> None:
        """Reports a setting that contradicts its meaning for this scheme. Both values are as in the config."""
        self.faults.append(
            PackingConfigDisagrees(key=self.setting.key(what), what=what, config=config, plain=True, weights=weights)
        )

    def format_inferred(self, shown: str) -> None:
        """Compares the format that the loader infers if none is stated with the format of the tensors."""
        inferred = self.setting.inferred_format
        if inferred is not None and inferred != shown:
            self.faults.append(PackingFormatUnstated(key=self.setting.key("format"), inferred=inferred, weights=shown))

    def helper(
        self,
        suffix: str,
        shapes: Sequence[Shape],
        because: str = "",
        dtypes: frozenset[str] | None = None,
        required: bool = True,
    ) -> bool:
        """True if a helper is stored with one of these shapes; otherwise a fault is recorded."""
        layout = self.tensors.get(suffix)
        if dtypes is None and suffix.endswith(SCALE_ENDS):
            dtypes = SCALE_DTYPES
        expected = tuple(dict.fromkeys(shapes))
        if layout is None:
            if required:
                self.faults.append(PackingHelperMissing(helper=suffix, expected=expected[:1]))
            return False
        if layout.shape in shapes and (dtypes is None or layout.dtype in dtypes):
            return True
        differs = PackingHelperDiffers(
            helper=suffix,
            stored=layout.shape,
            dtype=layout.dtype,
            expected=expected[:3],
            dtypes=tuple(sorted(dtypes)) if dtypes is not None and layout.dtype not in dtypes else (),
            because="" if because == OTHER_DIMS and layout.elements != prod(expected[0]) else because,
        )
        self.faults.append(differs)
        return False

    def grouped(self, helpers: Sequence[str], axis: int, width: int) -> tuple[int, int | None]:
        """(groups, group size) that the helpers imply along an axis of `inputs` inputs, compared with the settings."""
        stated = self.setting.group_size
        groups = groups_reported(self.tensors, helpers, axis, width, stated)
        size = group_of(width, groups, stated)
        read = self.setting.absent.get("group_size") if stated is None else stated
        if isinstance(read, int) and any(name in self.tensors for name in helpers):
            wanted = 1 if read <= 0 else ceil_div(width, read)
            self.compare("group_size", read if wanted == groups else size or width)
        return groups, size

    def as_stated(self) -> None:
        """Compares the tensors with the shapes that the settings state."""
        found = {
            fault.helper for fault in self.faults if isinstance(fault, PackingHelperDiffers | PackingHelperMissing)
        }
        for suffix, shape in self.setting.shapes:
            if suffix not in found:
                self.helper(suffix, [shape], "as the config states")

    def activations(self) -> None:
        """Checks the scale of the inputs if the settings state it. Its name depends on the tool."""
        wanted = self.setting.activations
        if wanted is None:
            return
        for name in [name for name in ACTIVATION_SCALES if name in self.tensors] or [wanted]:
            exact = self.setting.method == EXACT_SHAPES
            self.helper(name, [(1,)] if exact else [(1,), (), (1, 1)], OTHER_DIMS if exact else "")

    def number_type(self, values: Layout) -> None:
        """Compares whether the stored 8-bit values are floats or integers."""
        if self.setting.bits in (None, 8):  # other bits are reported as such
            self.compare("number_type", "float" if values.dtype in FLOAT8 else "integer")

    def stored_as(self, suffix: str, dtypes: frozenset[str]) -> None:
        """Checks the dtype of the values, if the scheme allows only these dtypes."""
        values = self.tensors[suffix]
        if values.dtype not in dtypes:
            expected = " or ".join(sorted(dtypes))
            self.faults.append(PackedValuesRetyped(dtype=values.dtype, shape=values.shape, expected=expected))

    def widths(self, one: str, other: str) -> None:
        """Records two contradicting formulas for the same number, each in words."""
        self.faults.append(PackedWidthsDisagree(formulas=(one, other)))

    def result(
        self,
        values: str,
        scheme: str,
        shape: Shape,
        bits: float,
        group_size: int | None = None,
        *,
        bounds: tuple[tuple[int, int], ...] = (),
        shaped: bool = True,
        padding: int = 0,
    ) -> UnpackedTensor:
        """The logical tensor: everything but the values and a bias is a helper."""
        storage = self.tensors[values]
        elements = product(shape)
        packed = Packed(scheme, bits, group_size, storage, bounds, shaped, padding, values=values)
        layout = Layout(storage.dtype, shape, elements, storage.bytes)
        return UnpackedTensor(layout, packed, self.others(values), tuple(self.faults), tuple(self.agreed))

    def others(self, values: str) -> tuple[str, ...]:
        """Suffixes of the stored helpers."""
        return tuple(suffix for suffix in self.tensors if suffix not in (values, "bias"))


ACTIVATION_SCALES: Final = ("input_scale", "input_global_scale", "activation_scale", "act_scale", "input_scale_inv",
                            "activation_scale_inv")  # fmt: skip
"""Suffixes of the scale of a module's inputs, in all tools."""


def product(shape: Sequence[int]) -> int:
    """Number of elements of a shape."""
    elements = 1
    for dim in shape:
        elements *= dim
    return elements


DEFAULT_BLOCK: Final = (128, 128)
"""Rows and columns that share an fp8 scale if the config states no block (`FineGrainedFP8Config` of transformers)."""


def ceil_div(one: int, other: int) -> int:
    """The quotient, rounded up; 0 if the divisor is 0."""
    return -(-one // other) if other else 0


def word(layout: Layout) -> int:
    """Number of bits of one stored element."""
    return BITS[layout.dtype]


def is_scalar(layout: Layout) -> bool:
    """True if a tensor is a single number."""
    return layout.elements == 1 and len(layout.shape) <= 2


def groups_reported(tensors: Tensors, helpers: Sequence[str], axis: int, width: int, stated: int | None) -> int:
    """Number of groups along an axis by the helpers; if they differ, the number by the stated group size."""
    reported = [tensors[name].shape[axis] for name in helpers if name in tensors and len(tensors[name].shape) >= 2]
    if stated is not None:
        wanted = 1 if stated <= 0 else ceil_div(width, stated)
        if wanted in reported or not reported:
            return wanted
    return next(
        (groups for groups in reported if group_of(width, groups, stated) is not None), reported[0] if reported else 1
    )


GROUPS: Final = (16, 32, 64, 128, 256, 512, 1024)
"""Usual group sizes, and usual numbers of rows or columns that share a scale: kernels take powers of two only."""
NVFP4_GROUP: Final = 16
"""Inputs that share a scale in NVFP4."""


def group_of(width: int, groups: int, stated: int | None) -> int | None:
    """Group size if `groups` groups contain `width` values; the stated size if rounding allows it.

    -1 for a single group (the whole row). None if no size gives this number of groups.
    """
    if groups <= 0 or width <= 0:
        return None
    if groups == 1:
        return stated if stated is not None and stated >= width else -1
    if stated is not None and stated > 0 and ceil_div(width, stated) == groups:
        return stated
    if width % groups == 0:
        return width // groups
    return next((size for size in GROUPS if ceil_div(width, size) == groups), None)
