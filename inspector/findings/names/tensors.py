"""Tensors that are missing, unexpected or renamed."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.role_words import label
from inspector.findings.words import count, listed, number, shape


class TensorMissing(ContentFinding, frozen=True, kw_only=True):
    """A required tensor is missing.

    What it means
        The architecture, with this config, requires a tensor that no file contains, although the rest of its
        layer is stored.

    Why it matters
        Loaders fill it with random values, most of them with only a warning in the log.

    Example
        error[N403] tensor-missing: model.layers.17.self_attn.k_proj.weight
          role      attention key
          expected  [1024, 4096]
          missing   1 tensor of 32, 4,194,304 parameters
          help      download or convert the checkpoint again; these tensors are not
                    stored

    What to do
        Download the file again, or repeat the conversion that dropped the tensor.
    """

    code = "N403"

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
        return Remedy("download or convert the checkpoint again; these tensors are not stored")


class LayersMissing(ContentFinding, frozen=True, kw_only=True):
    """A whole layer or expert is missing.

    What it means
        All required tensors of a layer or expert are missing, while others of its kind are stored.

    Why it matters
        The model cannot run, or runs with random values in this layer.

    Example
        error[N404] layers-missing: layer 17
          below    model.layers.{layer}
          missing  9 tensors, 218,112,000 parameters
          present  layers 0-16, 18-31
          help     download or convert the checkpoint again: no file contains these
                   tensors

    What to do
        Download the files that contain it, or repeat the conversion that dropped it.
    """

    code = "N404"

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
        return Remedy("download or convert the checkpoint again: no file contains these tensors")


class TensorUnexpected(ContentFinding, frozen=True, kw_only=True):
    """Unexpected tensor: the architecture does not define it.

    What it means
        The architecture, with this config, has no tensor of this name or number.

    Why it matters
        Loaders ignore it: it takes space, and may indicate a renamed module, training state or another model.

    Example
        warning[N405] tensor-unexpected: model.layers.3.self_attn.k_norm.weight
          stored  [128] BF16, 1 tensor, 128 elements, 256 bytes
          help    not counted as a parameter; remove it if nothing reads it

    What to do
        Find out which program wrote it. If nothing reads it, remove it.
    """

    code = "N405"
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


OWN_READERS = {
    "v_head": "trl's AutoModelForCausalLMWithValueHead",
    "medusa_head": "Medusa's MedusaModel",
}
"""Beginning of the names of a part -> the class that saves and reads it beside a model.

Sources: trl, `models/modeling_value_head.py`; Medusa, `medusa/model/medusa_model.py`.
"""


class PartUnexpected(ContentFinding, frozen=True, kw_only=True):
    """Unexpected submodel or layers.

    What it means
        Several families share a prefix that the architecture does not define: a vision tower with a text-only
        config, optimizer state, another model; or layers or experts beyond the configured number.

    Why it matters
        Loaders ignore it, but it is downloaded.

    Example
        warning[N406] part-unexpected: vpm.*
          stored  55 tensors in 3 families, 268,420,608 elements, 536,841,216 bytes
          first   vpm.encoder.layers.0.mlp.fc1.weight
          help    not counted as parameters; use a config that describes it, or remove
                  it

    What to do
        Use a config that describes it, or remove it.
    """

    code = "N406"
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
        rows += [("read by", self._reader())] if self._reader() else []
        return [
            *rows,
            (
                "stored",
                f"{count(self.tensors, 'tensor')} in {len(self.families):,} families, "
                f"{number(self.elements)} elements, {number(self.bytes)} bytes",
            ),
            ("first", self.names[0]),
        ]

    def _reader(self) -> str:
        return OWN_READERS.get(str(self.place.family).partition(".")[0], "")

    def remedy(self) -> Remedy:
        if self._reader():
            return Remedy(f"not counted as parameters; load it with {self._reader()}: others leave this part out")
        return Remedy("not counted as parameters; use a config that describes it, or remove it")


class LayersMisnumbered(ContentFinding, frozen=True, kw_only=True):
    """Layers or experts are stored under wrong numbers.

    What it means
        Layers or experts are missing, and as many with the same number of parameters are stored under numbers
        that the architecture does not have.

    Why it matters
        Loaders use random values for the missing numbers and ignore the stored ones.

    Example
        error[N425] layers-misnumbered: layer 17 is stored as layer 40 (likely)
          below    model.layers.{layer}
          tensors  9, 218,112,000 parameters
          first    model.layers.40.input_layernorm.weight
          help     renumber layer 40 to layer 17 if the two match

    What to do
        Compare them with the source, and renumber the tensors.
    """

    code = "N425"

    missing: str
    stored: str
    shift: int | None
    tensors: int
    parameters: int
    families: tuple[str, ...]
    names: tuple[str, ...]
    renumbered: tuple[tuple[int, int], ...] = ()

    def headline(self) -> str:
        if self.shift is None:
            gaps = f"{self.missing} missing, {self.stored} stored: the numbers have gaps"
            return gaps if self.renumbered else f"{self.missing} is stored as {self.stored}"
        return f"all numbers are {abs(self.shift):,} too {'high' if self.shift > 0 else 'low'}"

    def rows(self) -> Rows:
        return [
            ("below", str(self.place.family)),
            ("tensors", f"{number(self.tensors)}, {number(self.parameters)} parameters"),
            ("first", self.names[0]),
        ]

    def remedy(self) -> Remedy:
        below = str(self.place.family).rpartition(".")[0]
        steps = tuple(
            Step(action="rename", old=f"{below}.{old}.*", new=f"{below}.{new}.*") for old, new in self.renumbered
        )
        if self.renumbered and self.shift is None:
            changes = listed([f"{old} to {new}" for old, new in self.renumbered], 4)
            return Remedy(f"number the layers in their order: {changes}", steps)
        if self.shift is None:
            return Remedy(f"renumber {self.stored} to {self.missing} if the two match")
        change = f"subtract {self.shift:,} from" if self.shift > 0 else f"add {-self.shift:,} to"
        where = f"after {below.rpartition('.')[2]} " if "{" in below else ""
        return Remedy(f"{change} each number {where}in the names", steps)


class SiblingOdd(ContentFinding, frozen=True, kw_only=True):
    """One layer differs from the others.

    What it means
        In an unsupported architecture, one layer or expert lacks a tensor that the others have, or stores it in
        another shape.

    Why it matters
        It may be intended; otherwise a tensor is missing or from another checkpoint.

    Example
        warning[N413] sibling-odd: h.{layer}.mix.weight, layer 17 (likely)
          here    absent
          others  [64, 64] in 31 of 32
          help    check whether this difference is intended

    What to do
        Check whether the difference is intended.
    """

    code = "N413"
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
        return Remedy("check whether this difference is intended")
