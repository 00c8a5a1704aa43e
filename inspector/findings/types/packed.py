"""Findings on quantized modules that are inconsistent or contradict the config."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from inspector.findings.finding import Remedy, Rows, Step
from inspector.findings.types.modules import PackedModules, matching
from inspector.findings.words import count, listed, shape, value

TRANSPOSED = "the same numbers transposed"
"""How a helper differs: only in the order of its dims."""
OTHER_DIMS = "as its loader registers it"
"""How a helper differs: the same number of values in other dims, which a loader refuses."""


class Setting(msgspec.Struct, frozen=True):
    """A quantization setting: its config key, the stated value, and what the weights show."""

    key: str
    config: Any
    weights: Any


class Switch(msgspec.Struct, frozen=True):
    """A value of a key that lets loaders do without a helper. stated: its value in the config, if any."""

    path: tuple[str, ...]
    value: Any
    stated: Any = msgspec.UNSET

    def step(self, file: str) -> Step:
        """The step that sets it."""
        return Step(action="set", file=file, key=self.path, old=self.stated, new=self.value)


class PackingHelperMissing(PackedModules, frozen=True, kw_only=True):
    """A quantized module lacks its scales, zero points or another packing helper.

    What it means
        The quantized values are stored, but a tensor needed to dequantize them is missing.

    Why it matters
        Loaders fail, or use random scales.

    Example
        error[T610] packing-helper-missing: model.layers.1.mlp.down_proj.scales
          packing   gptq
          expected  [6, 256]
          help      quantize again, or download the file again from the original
                    repository

    What to do
        Where the scales are stored under another name, rename them. Where scales of inputs are in no module, loaders
        can compute them while the model runs: the remedy sets this in the config. Otherwise download the file again or
        quantize again; quantized values cannot be used without their scales.
    """

    code = "T610"

    helper: str
    expected: tuple[tuple[int, ...], ...]
    stored_as: str | msgspec.UnsetType = msgspec.UNSET
    reshaped: bool = False
    file: str | None = None
    switches: tuple[Switch, ...] = ()

    def alike(self) -> tuple[object, ...]:
        return (self.helper, self.stored_as)

    def rows(self) -> Rows:
        expected = self.expected[0] if self.expected else ()
        rows = [*self.packing(), ("expected", shape(expected))] if expected else self.packing()
        return rows if self.stored_as is msgspec.UNSET else [*rows, ("stored as", self.stored_as)]

    def remedy(self) -> Remedy:
        if self.switches and self.file is not None:
            named = " and ".join(f"{'.'.join(one.path)} to {json.dumps(one.value)}" for one in self.switches)
            words = f"set {named} in {self.file}: the scales of the inputs are then computed while the model runs"
            return Remedy(words, tuple(one.step(self.file) for one in self.switches))
        if self.stored_as is msgspec.UNSET:
            return Remedy("quantize again, or download the file again from the original repository")
        if self.reshaped:
            same = f"store each {self.stored_as} as {self.helper} with the same numbers"
            return Remedy(f"{same} in the shape that its loader registers, such as {shape(self.expected[0])}")
        step = Step(action="rename", old=f"*.{self.stored_as}", new=f"*.{self.helper}")
        return Remedy(f"rename each {self.stored_as} to {self.helper}", (step,))


class PackingHelperDiffers(PackedModules, frozen=True, kw_only=True):
    """A scale, zero point or other packing helper has the wrong shape or dtype.

    What it means
        Shape and bit width of the quantized values determine the helper's shape; the stored one is different.

    Why it matters
        Loaders fail, or dequantize to wrong values.

    Example
        error[T611] packing-helper-differs: model.layers.1.mlp.down_proj.scales
          packing   gptq
          stored    [5, 256] F16
          expected  [6, 256], one for each group and output
          help      use files of one quantization run: this module comes from another
                    one

    What to do
        Quantize the module again, or use values and helpers of one run.
    """

    code = "T611"

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
        if self.because == TRANSPOSED:
            return Remedy(f"transpose {self.helper} back, or download the files again from the original repository")
        if self.dtypes:
            return Remedy("download the files again from the original repository, or quantize again")
        if self.because == OTHER_DIMS:
            words = f"store {self.helper} with the same numbers in the shape that its loader registers"
            return Remedy(f"{words}, such as {shape(self.expected[0])}")
        return Remedy("use files of one quantization run: this module comes from another one")


class PackedValuesMissing(PackedModules, frozen=True, kw_only=True):
    """A module has scales but no quantized values.

    What it means
        Other modules of the same family are quantized in the same way and complete.

    Why it matters
        The module cannot be loaded.

    Example
        error[T612] packed-values-missing: model.layers.1.mlp.down_proj.qweight
          packing  gptq
          stored   g_idx, qzeros, scales
          help     download the file that contains it again

    What to do
        Download the file again or quantize again.
    """

    code = "T612"

    helpers: tuple[str, ...]
    values: str

    remedy_text = "download the file that contains it again"

    def alike(self) -> tuple[object, ...]:
        return (self.values,)

    def rows(self) -> Rows:
        return [*self.packing(), ("stored", listed(self.helpers))]


class PackedValuesRetyped(PackedModules, frozen=True, kw_only=True):
    """Quantized values are stored in a dtype that their scheme does not use.

    What it means
        The scales and the shape are those of a quantized module, but its values are stored as other numbers: they were
        cast, or the file was damaged.

    Why it matters
        Loaders refuse such values, or read other bits as if they were the quantized ones.

    Example
        error[T632] packed-values-retyped: model.layers.1.mlp.down_proj.qweight
          packing   gptq
          stored    [96, 256] I8
          expected  I32
          help      download the file that contains it again, or quantize again

    What to do
        Download the file again or quantize again; a cast of packed values cannot be undone in general.
    """

    code = "T632"

    dtype: str
    shape: tuple[int, ...]
    expected: str

    remedy_text = "download the file that contains it again, or quantize again"

    def alike(self) -> tuple[object, ...]:
        return (self.dtype, self.expected)

    def rows(self) -> Rows:
        return [*self.packing(), ("stored", f"{shape(self.shape)} {self.dtype}"), ("expected", self.expected)]


class PackedWidthsDisagree(PackedModules, frozen=True, kw_only=True):
    """Quantized tensors of one module imply different sizes.

    What it means
        The width of the quantized values and the number of groups (or the length of an index) imply different
        numbers of inputs for every bit width and group size.

    Why it matters
        One of the tensors belongs to another model or another run.

    Example
        error[T613] packed-widths-disagree: model.layers.1.mlp.down_proj.weight
          packing  mlx
          one      weight is 96 words wide
          other    scales has 11 groups
          help     use all tensors of the module from one quantization run

    What to do
        Quantize the module again, or use all its tensors from one run.
    """

    code = "T613"

    always_one = True

    formulas: tuple[str, str]

    remedy_text = "use all tensors of the module from one quantization run"

    def rows(self) -> Rows:
        one, other = self.formulas
        return [*self.packing(), ("one", one), ("other", other)]


class PackedOtherwise(PackedModules, frozen=True, kw_only=True):
    """A module is quantized with other settings than the config states.

    What it means
        The shapes of most modules match the setting; those of this module do not, and the config has no
        exception for it.

    Why it matters
        Loaders follow the config and fail on this module.

    Example
        error[T620] packed-otherwise: model.layers.1.mlp.down_proj.qweight
          setting  quantization_config.bits = 4
          weights  8
          others   13 modules match the config
          help     add "dynamic": {"+:model\\\\.layers\\\\.1\\\\.mlp\\\\.down_proj$": {"bits":
                   8}} to quantization_config, which GPTQModel and vLLM read

    What to do
        Use the module from the same run as the others, or add the exception to the config.
    """

    code = "T620"

    settings: tuple[Setting, ...]
    agreeing: int
    source: str = ""
    exceptions: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)

    def remedy(self) -> Remedy:
        if self.exceptions and self.scheme.startswith("mlx"):
            return entries_of_modules(self.source, self.exceptions)
        if self.exceptions:
            return dynamic_exceptions(self.source, self.exceptions)
        return Remedy("use the module from the same run as the others, or add an exception to the config")

    def rows(self) -> Rows:
        rows = []
        for setting in self.settings[:4]:
            rows.append(("setting", f"{setting.key} = {value(setting.config)}"))
            rows.append(("weights", value(setting.weights)))
        rows.append(("others", matching(self.agreeing)))
        if self.modules > 1:
            rows.insert(0, ("where", self.where))
        return [row for row in rows if row[1]]


def dynamic_exceptions(source: str, entries: dict[str, dict[str, Any]]) -> Remedy:
    """The remedy to state settings of single modules in the form of GPTQModel."""
    which = json.dumps(entries) if len(entries) == 1 else "with an exception for each"
    words = f'add "dynamic"{":" * (len(entries) == 1)} {which} to {source}, which GPTQModel and vLLM read'
    if not source.endswith("quantization_config"):
        return Remedy(words)
    step = Step(action="set", file="config.json", key=(*source.split("."), "dynamic"), new=entries)
    return Remedy(words, (step,))


def entries_of_modules(source: str, entries: dict[str, dict[str, Any]]) -> Remedy:
    """The remedy to state settings of single modules in MLX's block, under the names of the modules."""
    name, entry = next(iter(entries.items()))
    of = "for this module" if len(entries) == 1 else f"for each of the {count(len(entries), 'module')} that differ"
    shown = f'"{name}": {json.dumps(entry)}{" ..." if len(entries) > 1 else ""}'
    steps = tuple(Step(action="set", file="config.json", key=(source, one), new=new) for one, new in entries.items())
    return Remedy(f"add an entry to {source} in config.json {of}: {shown}", steps)
