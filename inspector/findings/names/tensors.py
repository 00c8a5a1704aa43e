"""Tensors that are missing, unexpected or renamed."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.role_words import label
from inspector.findings.words import count, listed, number, shape


class TensorMissing(Finding, frozen=True, kw_only=True):
    """A required tensor is not stored.

    What it means
        The architecture, under this config, has a tensor that no file of the checkpoint holds, while the
        rest of its layer is there.

    Why it matters
        Loaders fill it with random numbers, most of them with no more than a line in a log.

    Example
        error[N403] tensor-missing: model.layers.17.self_attn.k_proj.weight
          role      attention key
          expected  [1024, 4096]
          missing   1 tensor of 32, 4,194,304 parameters
          help      fetch or convert the checkpoint again; nothing here can stand for
                    these tensors

    What to do
        Fetch the file again, or repeat the conversion that dropped the tensor.
    """

    code = "N403"
    name = "tensor-missing"

    names: tuple[str, ...]
    families: tuple[str, ...]
    tensors: int
    parameters: int
    shape: tuple[int | None, ...]
    role: str
    expected_tensors: int
    counted: bool

    def headline(self) -> str:
        return self.place.tensor or str(self.place.family)

    def rows(self) -> Rows:
        kind = "parameters" if self.counted else "parameters: a buffer"
        rows = [
            ("role", label(self.role)),
            ("expected", shape(self.shape)),
            (
                "missing",
                f"{count(self.tensors, 'tensor')} of {number(self.expected_tensors * len(self.families))}, "
                f"{number(self.parameters if self.counted else 0)} {kind}",
            ),
        ]
        if self.place.indices and not self.place.tensor:
            rows.insert(0, ("where", self.place.indices))
        if len(self.families) > 1:
            rows.append(("also", listed(self.families[1:])))
        return rows

    def remedy(self) -> Remedy:
        return Remedy("fetch or convert the checkpoint again; nothing here can stand for these tensors")


class LayersMissing(Finding, frozen=True, kw_only=True):
    """A whole layer or expert is not stored.

    What it means
        Every required tensor below a numbered part is absent, while its siblings are there.

    Why it matters
        The model cannot run, or runs with random numbers in this place.

    Example
        error[N404] layers-missing: layer 17
          below    model.layers.{layer}
          missing  9 tensors, 218,112,000 parameters
          present  layers 0-16, 18-31
          help     fetch or convert the checkpoint again: these tensors are in no file
                   of it

    What to do
        Fetch the files that hold it, or repeat the conversion that dropped it.
    """

    code = "N404"
    name = "layers-missing"

    what: str
    tensors: int
    parameters: int
    families: int
    present: str
    groups: int
    part: str | None

    @property
    def repeated_parts(self) -> int:
        """Families missing in several places or as a part of each layer: what a switch or a list leaves out."""
        if self.place.indices and self.part is not None:
            return self.families
        return self.families * (self.groups - 1)

    def headline(self) -> str:
        return self.what

    def rows(self) -> Rows:
        rows = [
            ("below", str(self.place.family)),
            ("missing", f"{count(self.tensors, 'tensor')}, {number(self.parameters)} parameters"),
        ]
        return [*rows, ("present", self.present)] if self.present else rows

    def remedy(self) -> Remedy:
        return Remedy("fetch or convert the checkpoint again: these tensors are in no file of it")


class TensorUnexpected(Finding, frozen=True, kw_only=True):
    """A stored tensor that the architecture does not have.

    What it means
        The name, or the index in it, belongs to nothing that the architecture has under this config.

    Why it matters
        Loaders ignore it: it costs space, and it may be the trace of a renamed part, a training state or
        another model.

    Example
        warning[N405] tensor-unexpected: model.layers.3.self_attn.k_norm.weight
          stored  [128] BF16, 1 tensor, 128 elements, 256 bytes
          help    not counted as a parameter; remove it if nothing reads it

    What to do
        Find out what wrote it. Where nothing reads it, remove it.
    """

    code = "N405"
    name = "tensor-unexpected"
    severity = "warning"

    tensors: int
    elements: int
    bytes: int
    shape: tuple[int, ...]
    dtype: str
    names: tuple[str, ...]

    def headline(self) -> str:
        return self.place.tensor or str(self.place.family)

    def rows(self) -> Rows:
        rows = [
            (
                "stored",
                f"{shape(self.shape)} {self.dtype}, {count(self.tensors, 'tensor')}, "
                f"{count(self.elements, 'element')}, {number(self.bytes)} bytes",
            ),
        ]
        return [("where", self.place.indices), *rows] if self.place.indices and not self.place.tensor else rows

    def remedy(self) -> Remedy:
        return Remedy("not counted as a parameter; remove it if nothing reads it")


class PartUnexpected(Finding, frozen=True, kw_only=True):
    """A whole part is stored that the architecture does not have.

    What it means
        Several families share a prefix below which the architecture has nothing: a vision tower beside a
        text-only config, an optimizer's state, another model; or layers or experts beyond those it has.

    Why it matters
        Loaders ignore it, and it is downloaded all the same.

    Example
        warning[N406] part-unexpected: vpm.*
          stored  55 tensors in 3 families, 268,420,608 elements, 536,841,216 bytes
          first   vpm.encoder.layers.0.mlp.fc1.weight
          help    not counted as parameters; use the config that describes this part, or
                  leave the part out

    What to do
        Use the config that describes the part, or remove it.
    """

    code = "N406"
    name = "part-unexpected"
    severity = "warning"

    tensors: int
    families: tuple[str, ...]
    elements: int
    bytes: int
    shape: tuple[int, ...]
    names: tuple[str, ...]
    part: str

    def headline(self) -> str:
        return str(self.place.family)

    def rows(self) -> Rows:
        rows = [("where", self.place.indices)] if self.place.indices else []
        return [
            *rows,
            (
                "stored",
                f"{count(self.tensors, 'tensor')} in {len(self.families):,} families, "
                f"{number(self.elements)} elements, {number(self.bytes)} bytes",
            ),
            ("first", self.names[0]),
        ]

    def remedy(self) -> Remedy:
        return Remedy("not counted as parameters; use the config that describes this part, or leave the part out")


class TensorRenamed(Finding, frozen=True, kw_only=True):
    """A required tensor is stored under another name.

    What it means
        A tensor is missing and another, which the architecture does not have, is in the same place with
        the same shape. Names that one change explains (a word for another, a prefix on some of them) are one
        finding.

    Why it matters
        Loaders look the name up and do not find it.

    Example
        error[N407] tensor-renamed: model.layers.{layer}.self_attn.q_proj.weight
          (likely)
          stored as  model.layers.{layer}.self_attn.query.weight
          shape      [4096, 4096], 32 tensors
          help       rename it to what the architecture calls it

    What to do
        Rename the tensors.
    """

    code = "N407"
    name = "tensor-renamed"

    stored: str
    expected: str
    tensors: int
    shape: tuple[int | None, ...]
    role: str
    families: tuple[str, ...]
    old: str = msgspec.field(name="from")
    new: str = msgspec.field(name="to")
    begins: bool

    def headline(self) -> str:
        return self.expected if len(self.families) == 1 else f"{len(self.families):,} families"

    def rows(self) -> Rows:
        families = self.families
        if len(families) == 1:
            return [
                ("stored as", self.stored),
                ("shape", f"{shape(self.shape)}, {count(self.tensors, 'tensor')}"),
            ]
        return [
            ("change", self._change()),
            ("tensors", number(self.tensors)),
            ("first", f"{self.expected}, stored as {self.stored}"),
            ("families", listed(families, 3)),
        ]

    def _change(self) -> str:
        where = "before the names" if self.begins else "inside the names"
        if self.old and self.new:
            return f"{self.new} for {self.old}"
        return f"{self.new}. {where}" if self.new else f"{self.old}. is left out {where}"

    def remedy(self) -> Remedy:
        them = "it" if len(self.families) == 1 else "them"
        return Remedy(f"rename {them} to what the architecture calls {them}")


class LayersMisnumbered(Finding, frozen=True, kw_only=True):
    """Layers or experts are stored under other numbers.

    What it means
        Whole numbered parts are missing, and as many with the same number of parameters are stored at numbers
        that the architecture does not have.

    Why it matters
        Loaders look the numbers up: the missing parts run with random numbers, the stored ones are ignored.

    Example
        error[N425] layers-misnumbered: layer 17 is stored as layer 40 (likely)
          below    model.layers.{layer}
          tensors  9, 218,112,000 parameters
          first    model.layers.40.input_layernorm.weight
          help     renumber layer 40 to layer 17 if they are the same

    What to do
        Compare the parts with their source, and renumber the tensors.
    """

    code = "N425"
    name = "layers-misnumbered"

    missing: str
    stored: str
    shift: int | None
    tensors: int
    parameters: int
    families: tuple[str, ...]
    names: tuple[str, ...]

    def headline(self) -> str:
        if self.shift is None:
            return f"{self.missing} is stored as {self.stored}"
        return f"all numbers are {abs(self.shift):,} too {'high' if self.shift > 0 else 'low'}"

    def rows(self) -> Rows:
        return [
            ("below", str(self.place.family)),
            ("tensors", f"{number(self.tensors)}, {number(self.parameters)} parameters"),
            ("first", self.names[0]),
        ]

    def remedy(self) -> Remedy:
        if self.shift is None:
            return Remedy(f"renumber {self.stored} to {self.missing} if they are the same")
        change = f"subtract {self.shift:,} from" if self.shift > 0 else f"add {-self.shift:,} to"
        return Remedy(f"{change} each number in the names")


class SiblingOdd(Finding, frozen=True, kw_only=True):
    """One layer is not like its siblings.

    What it means
        In an unknown architecture, one of many like-numbered parts lacks a tensor that the others have,
        or has it in another shape.

    Why it matters
        It may be meant so; where it is not, a tensor was lost or came from elsewhere.

    Example
        warning[N413] sibling-odd: h.{layer}.mix.weight, layer 17 (likely)
          here    absent
          others  [64, 64] in 31 of 32
          help    check whether this layer is meant to be different

    What to do
        Check whether the difference is meant.
    """

    code = "N413"
    name = "sibling-odd"
    severity = "warning"

    here: tuple[int, ...] | None
    usual: tuple[int, ...]
    agreeing: int
    siblings: int
    families: tuple[str, ...]

    def headline(self) -> str:
        return f"{self.place.family}, {self.place.indices}"

    def rows(self) -> Rows:
        rows = [
            ("here", shape(self.here) if self.here is not None else "absent"),
            ("others", f"{shape(self.usual)} in {number(self.agreeing)} of {number(self.siblings)}"),
        ]
        return [*rows, ("families", listed(self.families, 3))] if len(self.families) > 1 else rows

    def remedy(self) -> Remedy:
        return Remedy("check whether this layer is meant to be different")
