"""Modules whose quantized tensors do not fit together or contradict the config."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import Remedy, Rows
from inspector.findings.types.modules import PackedModules
from inspector.findings.words import count, listed, shape, value


class Setting(msgspec.Struct, frozen=True):
    """A quantization setting: its config key, the stated value, and what the weights show."""

    key: str
    config: Any
    weights: Any


class PackingHelperMissing(PackedModules, frozen=True, kw_only=True):
    """A packed module has lost its scales, zero points or another helper.

    What it means
        The packed values are stored; a tensor without which they cannot be read is not.

    Why it matters
        Loaders stop, or run the module with random scales.

    Example
        error[T610] packing-helper-missing: model.layers.1.mlp.down_proj.scales
          packing   gptq
          expected  [6, 256]
          help      quantise again, or take the file that holds it from the original
                    upload

    What to do
        Fetch the file again or quantise again; a packed tensor without its scales cannot be repaired.
    """

    code = "T610"
    name = "packing-helper-missing"

    helper: str
    expected: tuple[tuple[int, ...], ...]

    def alike(self) -> tuple[object, ...]:
        return (self.helper,)

    def rows(self) -> Rows:
        expected = self.expected[0] if self.expected else ()
        return [*self.packing(), ("expected", shape(expected))] if expected else self.packing()

    def remedy(self) -> Remedy:
        return Remedy("quantise again, or take the file that holds it from the original upload")


class PackingHelperDiffers(PackedModules, frozen=True, kw_only=True):
    """A scale, zero point or another helper has another shape or dtype than its packed values need.

    What it means
        Shape and bits of the values tell what the helper must look like; it does not.

    Why it matters
        Loaders stop, or dequantise to nonsense.

    Example
        error[T611] packing-helper-differs: model.layers.1.mlp.down_proj.scales
          packing   gptq
          stored    [5, 256] F16
          expected  [6, 256], one for each group and output
          help      this module comes from another run of the quantiser: take its file
                    from the same run as the others

    What to do
        Quantise the module again, or take values and helpers from the same run.
    """

    code = "T611"
    name = "packing-helper-differs"

    helper: str
    stored: tuple[int, ...]
    dtype: str
    expected: tuple[tuple[int, ...], ...]
    dtypes: tuple[str, ...]
    because: str

    def alike(self) -> tuple[object, ...]:
        return (self.helper,)

    def rows(self) -> Rows:
        expected = " or ".join(shape(one) for one in self.expected)
        if self.dtypes:
            expected += f" {' or '.join(self.dtypes[:4])}"
        if self.because:
            expected += f", {self.because}"
        return [*self.packing(), ("stored", f"{shape(self.stored)} {self.dtype}"), ("expected", expected)]

    def remedy(self) -> Remedy:
        return Remedy(
            "this module comes from another run of the quantiser: take its file from the same run as the others"
        )


class PackedValuesMissing(PackedModules, frozen=True, kw_only=True):
    """The scales of a module are stored, its packed values are not.

    What it means
        Other modules of the same family are packed in the same way and whole.

    Why it matters
        The module cannot be loaded.

    Example
        error[T612] packed-values-missing: model.layers.1.mlp.down_proj.qweight
          packing  gptq
          stored   g_idx, qzeros, scales
          help     fetch the file that holds it again

    What to do
        Fetch the file again or quantise again.
    """

    code = "T612"
    name = "packed-values-missing"

    helpers: tuple[str, ...]
    values: str

    def alike(self) -> tuple[object, ...]:
        return (self.values,)

    def rows(self) -> Rows:
        return [*self.packing(), ("stored", listed(self.helpers))]

    def remedy(self) -> Remedy:
        return Remedy("fetch the file that holds it again")


class PackedWidthsDisagree(PackedModules, frozen=True, kw_only=True):
    """Two tensors of a packed module tell two different sizes.

    What it means
        The width of the packed values and the number of groups (or the length of an index) are two formulas
        for the same number of inputs, and no bits and group size make them equal.

    Why it matters
        One of the tensors belongs to another model or another run.

    Example
        error[T613] packed-widths-disagree: model.layers.1.mlp.down_proj.weight
          packing  mlx
          one      weight is 96 words wide
          other    scales has 11 groups
          help     take all tensors of the module from one run of the quantiser

    What to do
        Quantise the module again, or take all its tensors from one run.
    """

    code = "T613"
    name = "packed-widths-disagree"

    formulas: tuple[str, str]

    def rows(self) -> Rows:
        one, other = self.formulas
        return [*self.packing(), ("one", one), ("other", other)]

    def remedy(self) -> Remedy:
        return Remedy("take all tensors of the module from one run of the quantiser")


class PackingConfigDisagrees(PackedModules, frozen=True, kw_only=True):
    """A quantisation setting of the config is not what the shapes say.

    What it means
        Bits, group size, block, method or another setting can be computed from the shapes of packed values
        and helpers; the config states something else.

    Why it matters
        Loaders believe the config: they allocate other shapes and stop, or read nonsense.

    Example
        error[T614] packing-config-disagrees: quantization_config.group_size
          config   64
          weights  128, 14 modules
          packing  gptq
          help     set quantization_config.group_size to 128

    What to do
        Put the setting right; nothing is wrong with the weights.
    """

    code = "T614"
    name = "packing-config-disagrees"

    key: str
    what: str
    config: Any
    plain: bool
    weights: Any
    agreeing: int = 0

    def headline(self) -> str:
        return self.key

    def rows(self) -> Rows:
        rows = [
            ("config", value(self.config)),
            ("weights", f"{self._what()}{value(self.weights)}, {count(self.modules, 'module')}"),
            ("packing", self.scheme),
        ]
        if self.modules == 1 or self.agreeing:
            rows.append(("where", self.first_names()))
        return rows

    def _what(self) -> str:
        return "" if self.plain else f"{self._setting()} "

    def _setting(self) -> str:
        return self.what.replace("_", " ")

    def remedy(self) -> Remedy:
        if self.plain:
            return Remedy(f"set {self.key} to {value(self.weights)}")
        return Remedy(f"correct {self.key}: the weights have {self._setting()} {value(self.weights)}")


class PackedOtherwise(PackedModules, frozen=True, kw_only=True):
    """A module is packed with other bits, groups or method than the config states, the others are not.

    What it means
        The shapes of most modules confirm the setting; those of this one do not, and the config makes no
        exception for it.

    Why it matters
        Loaders believe the config and fail on this module.

    Example
        error[T620] packed-otherwise: model.layers.1.mlp.down_proj.qweight
          setting  quantization_config.bits = 4
          weights  8
          others   13 modules are as the config says
          help     the module comes from another run: take it from the same run as the
                   others, or state the exception

    What to do
        Take the module from the same run as the others, or state the exception in the config.
    """

    code = "T620"
    name = "packed-otherwise"

    settings: tuple[Setting, ...]
    agreeing: int

    def rows(self) -> Rows:
        verb = "is" if self.agreeing == 1 else "are"
        rows = []
        for setting in self.settings[:4]:
            rows.append(("setting", f"{setting.key} = {value(setting.config)}"))
            rows.append(("weights", value(setting.weights)))
        rows.append(("others", f"{count(self.agreeing, 'module')} {verb} as the config says"))
        if self.modules > 1:
            rows.insert(0, ("where", self.where))
        return [row for row in rows if row[1]]

    def remedy(self) -> Remedy:
        return Remedy(
            "the module comes from another run: take it from the same run as the others, or state the exception"
        )
