"""Findings on the dtypes of stored tensors."""

from __future__ import annotations

from typing import Self

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.words import count, listed, number


class DtypeShare(msgspec.Struct, frozen=True):
    """The tensors of one dtype. where: the first families."""

    dtype: str
    tensors: int
    elements: int
    bytes: int
    where: tuple[str, ...]

    def amount(self) -> str:
        """Tensors and elements."""
        return f"{count(self.tensors, 'tensor')}, {count(self.elements, 'element')}"

    def first(self) -> str:
        """The first family, after a colon."""
        return f": {self.where[0]}" + (" and others" if len(self.where) > 1 else "") if self.where else ""


class ShardOfAnotherDtype(ContentFinding, frozen=True, kw_only=True):
    """All tensors of a shard have another dtype than the same modules have in the other shards.

    What it means
        Each shard has one dtype, and one has another than the rest: layers that are alike differ by the file that they
        are in. Models that are designed with several dtypes have them by module; such a file is usually one of another
        save or of another conversion.

    Why it matters
        It loads without a warning. Headers do not show whether the values are of the same model.

    Example
        warning[T640] shard-of-another-dtype: model-00002-of-00003.safetensors is BF16
          tensors  10 are BF16, the 20 of the other files F32
          such as  model.layers.{layer}.mlp.down_proj.weight, in both
          help     download this file again, or convert all of them alike; inspector
                   compare --hashes with the repository shows whether it belongs to
                   it

    What to do
        Compare the hash of the file with that of its repository.
    """

    code = "T640"
    severity = "warning"

    files: tuple[str, ...]
    dtype: str
    others: str
    tensors: int
    tensors_of_others: int
    family: str

    def headline(self) -> str:
        return f"{listed(self.files, 2)} {'is' if len(self.files) == 1 else 'are'} {self.dtype}"

    def rows(self) -> Rows:
        both = f"{number(self.tensors)} are {self.dtype}, the {number(self.tensors_of_others)} of the other files"
        return [("tensors", f"{both} {self.others}"), ("such as", f"{self.family}, in both")]

    def remedy(self) -> Remedy:
        which = "this file" if len(self.files) == 1 else "these files"
        return Remedy(
            f"download {which} again, or convert all of them alike; inspector compare --hashes with the repository "
            f"shows whether {'it belongs' if len(self.files) == 1 else 'they belong'} to it"
        )


class DtypesMixed(ContentFinding, frozen=True, kw_only=True):
    """The parameters are stored in several dtypes.

    What it means
        Not all parameters have the same dtype.

    Why it matters
        Some models are designed this way (norms in F32); otherwise it may indicate a merge or an incomplete
        conversion.

    Example
        note[T601] dtypes-mixed: BF16 and F32
          BF16  226 tensors, 8,029,995,008 elements
          F32   65 tensors, 266,240 elements: model.norm.weight and others

    What to do
        Nothing, if it is intended.
    """

    code = "T601"
    severity = "note"

    dtypes: tuple[DtypeShare, ...]

    def headline(self) -> str:
        return " and ".join(entry.dtype for entry in self.dtypes[:4])

    def rows(self) -> Rows:
        usual, *others = self.dtypes[:6]
        rarer = [(entry.dtype, f"{entry.amount()}{entry.first()}") for entry in others]
        return [(usual.dtype, usual.amount()), *rarer]


class DtypeDiffers(ContentFinding, frozen=True, kw_only=True):
    """The stored dtype differs from the config's.

    What it means
        The config's dtype (`dtype` or `torch_dtype`) is not the dtype of most parameters.

    Why it matters
        The download is larger or smaller than the config suggests; loaders convert on loading.

    Example
        note[T602] dtype-differs: stored F32, config bfloat16
          bytes  32,121,044,992, 16,060,522,496 in the config's dtype

    What to do
        Nothing; pass the desired dtype to the loader.
    """

    code = "T602"
    severity = "note"

    stored: str
    config: str
    bytes: int
    would_be: int

    headline_text = "stored {stored}, config {config}"

    def rows(self) -> Rows:
        if self.bytes == self.would_be:
            return []
        return [("bytes", f"{number(self.bytes)}, {number(self.would_be)} in the config's dtype")]


class Float8Unscaled(ContentFinding, frozen=True, kw_only=True):
    """A few 8-bit matrices have no scale, and all others of the file have one.

    What it means
        Most 8-bit matrices are stored with the scale that they were divided by, these without: the scale was lost, or
        they were only cast.

    Why it matters
        Programs read a matrix without a scale as it is. If it was divided by one, its output is too large or too small
        by that factor.

    Example
        warning[D515] float8-unscaled: 1 of 225 matrices of 8 bits has no scale (likely)
          such as  lm_head.weight
          help     download the file again, or convert it again with the scales

    What to do
        Compare with the file of the publisher. If these matrices were only cast, nothing.
    """

    code = "D515"
    severity = "warning"

    tensors: int
    of: int
    families: tuple[str, ...]

    row_texts = (("such as", "{families:listed}"),)
    remedy_text = "download the file again, or convert it again with the scales"

    def headline(self) -> str:
        verb = "has" if self.tensors == 1 else "have"
        return f"{number(self.tensors)} of {number(self.of)} matrices of 8 bits {verb} no scale"


class FourBitValuesAlone(ContentFinding, frozen=True, kw_only=True):
    """4-bit values without their scales.

    What it means
        The tensors have the form in which bitsandbytes stores 4-bit weights: one column, with as many values as the
        matrix has elements. The scales (`absmax`) and the description (`quant_state`) that belong to them are missing.

    Why it matters
        Each value is a number of 0 to 15 in a table that a scale multiplies: without the scales the weights cannot be
        computed. Loaders refuse the shapes.

    Example
        error[T645] four-bit-values-alone: 224 tensors without absmax and quant_state
          tensors  model.layers.{layer}.self_attn.q_proj.weight,
                   model.layers.{layer}.self_attn.k_proj.weight,
                   model.layers.{layer}.self_attn.v_proj.weight and 4 more
          stored   U8, 3,489,660,928 elements
          help     quantize the original weights again, and save them with a version
                   that stores the scales

    What to do
        Quantize the original weights again with a version that saves the scales.
    """

    code = "T645"

    dtype: str
    tensors: int
    elements: int
    families: tuple[str, ...]

    headline_text = "{tensors:count tensor} without absmax and quant_state"
    row_texts = (("tensors", "{families:listed 3}"), ("stored", "{dtype}, {elements:count element}"))
    remedy_text = "quantize the original weights again, and save them with a version that stores the scales"


class WeightsNotFloat(ContentFinding, frozen=True, kw_only=True, omit_defaults=True):
    """Weights are stored in a dtype that no weight has.

    What it means
        Tensors that the architecture defines as floating-point weights are stored as integers, booleans, complex
        numbers or packed floats, and no quantization explains it.

    Why it matters
        Some loaders refuse them. Others cast the stored numbers to floats: truncated weights, or quantized values
        without their scales.

    Example
        error[T603] weights-not-float: 32 tensors stored as I8
          tensors  model.layers.{layer}.mlp.up_proj.weight
          stored   I8, 1,879,048,192 elements
          help     save these weights as floats again; if they are quantized, restore
                   their scales and the quantization settings

    What to do
        Save or download the weights again. If they are quantized values, they need their scales and the quantization
        settings of the config. Tensors next to them that the architecture does not have are such scales: never remove
        them.
    """

    code = "T603"

    dtype: str
    tensors: int
    elements: int
    families: tuple[str, ...]
    helpers: int = 0
    """Number of tensors in the same modules that the architecture does not have."""
    endings: tuple[str, ...] = ()
    flat: bool = False
    """True if matrices are stored as one row of numbers, which only the kernels of a program interpret."""
    taken_by: str = ""
    """The intended loader, if it loads the integers as weights without an error."""

    headline_text = "{tensors:count tensor} stored as {dtype}"

    def after_loading(self, loader: str, outcome: str, because: str) -> Self:
        """The finding, with the loader that does not notice."""
        return msgspec.structs.replace(self, taken_by=loader) if outcome == "complete" else self

    def rows(self) -> Rows:
        rows = [("tensors", listed(self.families, 3)), ("stored", f"{self.dtype}, {count(self.elements, 'element')}")]
        if self.helpers:
            rows.append(("also", f"{count(self.helpers, 'tensor')} that loaders ignore: {listed(self.endings, 4)}"))
        if self.taken_by:
            rows.append(("loads", f"{self.taken_by} takes these numbers for weights, without an error"))
        return rows

    def remedy(self) -> Remedy:
        if self.helpers:
            return Remedy(
                "restore the quantization settings of the program that wrote these tensors, and load them with it; "
                "keep these tensors with the weights, which cannot be read without them"
            )
        if self.flat:
            return Remedy(
                "load it with the program that quantized it, such as intel-extension-for-transformers: its kernels "
                "alone read rows of packed numbers in place of matrices; or take the original weights"
            )
        return Remedy(
            "save these weights as floats again; if they are quantized, restore their scales and the quantization "
            "settings"
        )
