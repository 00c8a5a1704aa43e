"""What the quantization settings state about one module, independent of the tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

ONE_KIND: Final = frozenset({"bitnet", "eetq"})
"""Methods with a single kind of values; their settings state nothing further."""


class ModuleSettings(Struct, frozen=True, eq=False):
    """Settings for one module; None for settings that are not stated.

    method: "gptq", "awq", "fp8", … group_size: -1 for one group per row. block: rows and columns that share an fp8
    scale. variant: the term of the scheme for its format (awq's version, MLX's mode, the format of a group of
    compressed-tensors, nf4 or fp4, ModelOpt's algorithm). strategy: what shares a scale (tensor, channel, group,
    block). zeros: zero points are stored. nested: statistics are themselves quantized. shape: (outputs, inputs).
    prefix: the key of the block with these settings. keys: field -> its key, if it is not the name of the field below
    the prefix. shown: field -> the value as written in the config, if it differs. skipped: the entry of an ignore list
    that matches this module; "" if the module is missing in a list of quantized modules. dims: widths of unquantized
    tensors of the model, which decide between possible sizes. other_bits: the bits that other modules with the same
    settings have instead of `bits`. activations: the helper with the scale of the inputs, if the settings state that it
    is stored. head: the settings state whether the head is quantized. number_type: "float" or "integer" values. shapes:
    suffix of a tensor -> its shape. format: the format that a group of compressed-tensors states. inferred_format: the
    format that the loader assumes for a group that states none. unread: (key, value, the value that it contradicts) of
    settings that no loader reads. absent: field that the block does not state -> the loader's default, None if it needs
    the key.
    """

    method: str | None = None
    bits: int | None = None
    group_size: int | None = None
    block: tuple[int, int] | None = None
    variant: str | None = None
    strategy: str | None = None
    zeros: bool | None = None
    nested: bool | None = None
    shape: tuple[int, int] | None = None
    prefix: str = "quantization_config"
    keys: Mapping[str, str] = {}
    shown: Mapping[str, object] = {}
    skipped: str | None = None
    dims: frozenset[int] = frozenset()
    activations: str | None = None
    head: bool | None = None
    other_bits: int | None = None
    number_type: str | None = None
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    format: str | None = None
    inferred_format: str | None = None
    unread: tuple[tuple[str, object, object], ...] = ()
    absent: Mapping[str, object] = {}

    def _meaning(self) -> tuple[object, ...]:
        sizes = (self.bits, self.group_size, self.block, self.shape)
        kinds = (self.method, self.variant, self.strategy, self.zeros, self.nested, self.activations, self.number_type)
        return (*sizes, *kinds, self.skipped, self.head, self.shapes, self.format, self.inferred_format,
                self.unread)  # fmt: skip

    def __eq__(self, other: object) -> bool:
        """True if both mean the same, whatever keys state it."""
        return isinstance(other, ModuleSettings) and self._meaning() == other._meaning()

    def __hash__(self) -> int:
        return hash(self._meaning())

    @property
    def sized(self) -> bool:
        """True if the settings determine the values, so that modules with equal settings have equal kinds of values."""
        return self.bits is not None or self.number_type is not None or self.method in ONE_KIND

    def key(self, what: str) -> str:
        """The config key that states a field."""
        return self.keys.get(what) or f"{self.prefix}.{'quant_method' if what == 'method' else what}"


NOTHING_STATED = ModuleSettings()
