"""Parameters that a conversion dropped, added or moved."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, first, listed


class OneSidedFinding(Finding, frozen=True, kw_only=True):
    """Parameters that exist on one side only.

    whole: all of the family. side: "source" or "target". tied: what they may be tied to on the other side. names: of
    the tensors. expected: the names they would have on the other side. copy_stored: the other side stores them, but its
    config makes them copies of `tied`. held: the other side stores the expected tensors, which hold fewer parts.
    """

    roles: tuple[str, ...]
    where: str
    whole: bool
    tensors: int
    parameters: int
    side: str
    shape: tuple[int, ...]
    tied: str
    names: tuple[str, ...]
    expected: tuple[str, ...]
    families: tuple[str, ...]
    copy_stored: bool = False
    held: bool = False

    def headline(self) -> str:
        where = f" of {self.where}" if self.where else ""
        return f"{listed(self.roles, 4)}{where}"

    def absent(self) -> str:
        """The parameters that the other side lacks, in words."""
        if self.copy_stored:
            return f"{listed(self.expected, 2)} is stored, and its config ties it"
        if self.held:
            return f"{listed(self.expected, 2)} {'lacks' if len(self.expected) == 1 else 'lack'} them"
        return f"no {listed(self.expected, 2)}" if self.expected else "no tensor of this role"


class WholeLayers(Finding, frozen=True, kw_only=True):
    """Layers or experts on one side only. stays: those on both sides. stack: they are stored as one tensor."""

    what: str
    tensors: int
    roles: tuple[str, ...]
    parameters: int
    names: tuple[str, ...]
    stays: str
    stack: bool
    verb: ClassVar[str]

    def headline(self) -> str:
        return f"{self.what}{' (a stacked tensor does not show which)' if self.stack else ''}"

    def rows(self) -> Rows:
        rows = [
            ("such as", listed(self.names, 1)),
            ("roles", listed(self.roles, 4)),
            (self.verb, f"{count(self.tensors, 'tensor')}, {count(self.parameters, 'parameter')}"),
            ("on both", self.stays),
        ]
        return [row for row in rows if row[1]]


class ParametersDropped(OneSidedFinding, frozen=True, kw_only=True):
    """The conversion dropped tensors.

    What it means
        The source has tensors of a role, in some or all layers, that no file of the target contains.

    Why it matters
        The converted model is incomplete; loaders fill the missing tensors with random values.

    Example
        error[V803] parameters-dropped: attention key of layer 17
          source   model.layers.17.self_attn.k_proj.weight
          target   no model.layers.17.self_attn.k_proj.weight
          dropped  1 tensor, 4,194,304 parameters
          help     repeat the conversion: no file of the target has these parameters

    What to do
        Repeat the conversion with a converter that supports this part.
    """

    code = "V803"

    def rows(self) -> Rows:
        rows = [
            ("source", first(self.names, self.tensors)),
            ("target", self.absent()),
            ("dropped", f"{count(self.tensors, 'tensor')}, {count(self.parameters, 'parameter')}"),
        ]
        return [*rows, ("because", f"the target uses the {self.tied} instead")] if self.tied else rows

    def remedy(self) -> Remedy:
        if self.copy_stored:
            return Remedy("untie it in the target's config (tie_word_embeddings): many loaders use the embedding")
        return Remedy("repeat the conversion: no file of the target has these parameters")


class ParametersInvented(OneSidedFinding, frozen=True, kw_only=True):
    """The conversion added tensors.

    What it means
        The target has tensors of a role, in some or all layers, that the source does not have.

    Why it matters
        They may be random values, a copy under another name, or from another model.

    Example
        error[V804] parameters-invented: head
          source   no lm_head.weight
          target   lm_head.weight
          added    1 tensor, 262,668,288 parameters
          because  the source uses the embedding instead
          help     find out what the converter filled them with

    What to do
        Find out what the converter filled them with. If a head is a copy of the embedding, tie it in the
        target's config.
    """

    code = "V804"
    remedy_text = "find out what the converter filled them with"

    def rows(self) -> Rows:
        rows = [
            ("source", self.absent()),
            ("target", first(self.names, self.tensors)),
            ("added", f"{count(self.tensors, 'tensor')}, {count(self.parameters, 'parameter')}"),
        ]
        return [*rows, ("because", f"the source uses the {self.tied} instead")] if self.tied else rows


class LayersDropped(WholeLayers, frozen=True, kw_only=True):
    """Layers, experts or submodels were dropped.

    What it means
        The source has these layers, experts or submodels, the target has nothing of them. If experts are
        stacked in one tensor, the header shows how many are missing but not which.

    Why it matters
        The converted model is smaller than the source.

    Example
        error[V805] layers-dropped: layer 31
          such as  model.layers.31.input_layernorm.weight
          roles    norm attention, norm mlp, attention query, attention key and 5 more
          dropped  9 tensors, 218,112,000 parameters
          on both  layers 0-30
          help     repeat the conversion; check that it read every file of the source

    What to do
        Repeat the conversion; check that all shards of the source were present.
    """

    code = "V805"
    verb = "dropped"
    remedy_text = "repeat the conversion; check that it read every file of the source"


class LayersInvented(WholeLayers, frozen=True, kw_only=True):
    """Layers, experts or submodels were added.

    What it means
        The target has these layers, experts or submodels, the source has nothing of them.

    Why it matters
        They may contain random values, copies, or parts of another model.

    Example
        error[V806] layers-invented: layer 32
          such as  model.layers.32.input_layernorm.weight
          roles    norm attention, norm mlp, attention query, attention key and 5 more
          added    9 tensors, 218,112,000 parameters
          on both  layers 0-31
          help     find out what the converter filled them with

    What to do
        Find out what the converter filled them with, or compare with the checkpoint that was converted.
    """

    code = "V806"
    verb = "added"
    remedy_text = "find out what the converter filled them with"


class LayersRenumbered(Finding, frozen=True, kw_only=True):
    """Layers or experts were renumbered.

    What it means
        Some layers or experts of the source are missing in the target, and as many with the same tensors are
        stored under other numbers.

    Why it matters
        Loaders look for the original numbers and fill missing layers with random values.

    Example
        error[V810] layers-renumbered: layer 17 is layer 40 in the target
          source  model.layers.17.input_layernorm.weight
          target  model.layers.40.input_layernorm.weight
          holds   9 tensors, 218,112,000 parameters
          help    restore the source's numbers; headers cannot show whether the values
                  match

    What to do
        Repeat the conversion, or rename the tensors.
    """

    code = "V810"

    source: str
    target: str
    tensors: int
    parameters: int
    counted: bool
    names: tuple[str, str]

    headline_text = "{source} is {target} in the target"
    remedy_text = "restore the source's numbers; headers cannot show whether the values match"

    def rows(self) -> Rows:
        return [
            ("source", self.names[0]),
            ("target", self.names[1]),
            ("holds", f"{count(self.tensors, 'tensor')}, {count(self.parameters, 'parameter')}"),
        ]


class NamesChanged(Finding, frozen=True, kw_only=True):
    """Tensors were renamed to unknown names.

    What it means
        The source has tensors that the target lacks, and the target has as many of the same shapes under
        similar names that the architecture does not define. All tensors whose names changed in the same way
        are one finding.

    Why it matters
        Loaders fill the missing tensors with random values and ignore the renamed ones.

    Example
        error[V815] names-changed: h.17.mixer.weight
          source  h.17.mix.weight
          holds   1 tensor, 4,096 parameters
          help    rename it to h.17.mix.weight; --values then shows whether the values
                  match

    What to do
        Rename the tensors, or repeat the conversion.
    """

    code = "V815"

    source: str
    target: str
    tensors: int
    parameters: int
    families: tuple[str, ...] = ()
    old: str = msgspec.field(name="from", default="")
    new: str = msgspec.field(name="to", default="")
    roles: dict[str, int] = msgspec.field(default_factory=dict)
    """Row of the table of roles -> parameters that are stored under other names."""

    def headline(self) -> str:
        return self.target if len(self.families) < 2 else f"{len(self.families):,} families"

    def rows(self) -> Rows:
        holds = ("holds", f"{count(self.tensors, 'tensor')}, {count(self.parameters, 'parameter')}")
        if len(self.families) < 2:
            return [("source", self.source), holds]
        return [("change", self._change()), ("source", self.source), ("target", self.target), holds]

    def _change(self) -> str:
        if self.old and self.new:
            return f"{self.new} instead of {self.old}"
        return f"{self.new}. is added" if self.new else f"{self.old}. is missing"

    def remedy(self) -> Remedy:
        if self.tensors == 1:
            what = f"rename it to {self.source}"
        elif self.old and self.new:
            what = f'rename them: "{self.old}" in place of "{self.new}"'
        else:
            what = f'rename them without "{self.new}."' if self.new else f'rename them with "{self.old}."'
        return Remedy(f"{what}; --values then shows whether the values match")


class TieUnknown(OneSidedFinding, frozen=True, kw_only=True):
    """A tensor that may be tied is stored on one side only.

    What it means
        One side stores a tensor that may be a copy of another one, such as a head tied to the embedding.
        Neither side has a config that decides it, and the class does not tie it by default.

    Why it matters
        If it is not a copy, the conversion dropped or added it. Until that is known it counts as a separate
        parameter.

    Example
        warning[V816] tie-unknown: head, only in the source (likely)
          stored   lm_head.weight
          dropped  525,336,576 parameters, unless it is a copy of the embedding
          help     add config.json to the folder: tie_word_embeddings decides

    What to do
        Compare with the config of the original: tie_word_embeddings decides.
    """

    code = "V816"
    severity = "warning"
    remedy_text = "add config.json to the folder: tie_word_embeddings decides"

    def headline(self) -> str:
        return f"{listed(self.roles, 4)}, only in the {self.side}"

    def rows(self) -> Rows:
        word = "dropped" if self.side == "source" else "added"
        of = f"a copy of the {self.tied}" if self.tied else "a copy"
        return [
            ("stored", listed(self.names, 2)),
            (word, f"{count(self.parameters, 'parameter')}, unless it is {of}"),
        ]
