"""Parameters that a conversion dropped, invented or moved."""

from __future__ import annotations

from typing import ClassVar

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, listed


class OneSided(Finding, frozen=True, kw_only=True):
    """Parameters that one side alone has.

    whole: all of the family. side: "source" or "target". tied: what the other side may have in their place.
    names: of the tensors; expected: names they would have on the other side.
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

    def headline(self) -> str:
        where = f" of {self.where}" if self.where else ""
        return f"{listed(self.roles, 4)}{where}"

    def absent(self) -> str:
        """What the other side lacks."""
        return f"no {listed(self.expected, 2)}" if self.expected else "nothing of this role"


class WholeLayers(Finding, frozen=True, kw_only=True):
    """Whole layers or experts that one side alone has. stays: those on both sides. stack: stored as one tensor."""

    what: str
    tensors: int
    roles: tuple[str, ...]
    parameters: int
    names: tuple[str, ...]
    stays: str
    stack: bool
    verb: ClassVar[str]

    def headline(self) -> str:
        return f"{self.what}{', which ones a stack does not tell' if self.stack else ''}"

    def rows(self) -> Rows:
        rows = [
            ("such as", listed(self.names, 1)),
            ("roles", listed(self.roles, 4)),
            (self.verb, f"{count(self.tensors, 'tensor')}, {count(self.parameters, 'parameter')}"),
            ("on both", self.stays),
        ]
        return [row for row in rows if row[1]]


class ParametersDropped(OneSided, frozen=True, kw_only=True):
    """The conversion lost tensors.

    What it means
        The source has tensors of a role, in some layers or in all, and no file of the target holds
        them.

    Why it matters
        The converted model is not the one that went in; loaders fill the place with random numbers.

    Example
        error[V803] parameters-dropped: attention key of layer 17
          source   model.layers.17.self_attn.k_proj.weight
          target   no model.layers.17.self_attn.k_proj.weight
          dropped  1 tensor, 4,194,304 parameters
          help     repeat the conversion; these parameters are in no file of the target

    What to do
        Repeat the conversion with a converter that knows the part.
    """

    code = "V803"
    name = "parameters-dropped"

    def rows(self) -> Rows:
        rows = [
            ("source", listed(self.names, 2)),
            ("target", self.absent()),
            ("dropped", f"{count(self.tensors, 'tensor')}, {count(self.parameters, 'parameter')}"),
        ]
        return [*rows, ("because", f"the target has the {self.tied} in its place")] if self.tied else rows

    def remedy(self) -> Remedy:
        return Remedy("repeat the conversion; these parameters are in no file of the target")


class ParametersInvented(OneSided, frozen=True, kw_only=True):
    """The conversion added tensors.

    What it means
        The target has tensors of a role, in some layers or in all, that the source does not have.

    Why it matters
        They come from nowhere: random numbers, a copy under another name, or another model.

    Example
        error[V804] parameters-invented: head
          source    no lm_head.weight
          target    lm_head.weight
          invented  1 tensor, 262,668,288 parameters
          because   the source has the embedding in its place
          help      find out what the converter filled them with

    What to do
        Find out what the converter filled them with. A head that is a copy of the embedding belongs
        tied in the target's config.
    """

    code = "V804"
    name = "parameters-invented"

    def rows(self) -> Rows:
        rows = [
            ("source", self.absent()),
            ("target", listed(self.names, 2)),
            ("invented", f"{count(self.tensors, 'tensor')}, {count(self.parameters, 'parameter')}"),
        ]
        return [*rows, ("because", f"the source has the {self.tied} in its place")] if self.tied else rows

    def remedy(self) -> Remedy:
        return Remedy("find out what the converter filled them with")


class LayersDropped(WholeLayers, frozen=True, kw_only=True):
    """Whole layers, experts or parts did not arrive.

    What it means
        Everything of these layers, experts or parts is in the source and nothing of it in the target.
        Where experts are stacked in one tensor the header tells how many are gone, not which.

    Why it matters
        The converted model is a smaller one than the one that went in.

    Example
        error[V805] layers-dropped: layer 31
          such as  model.layers.31.input_layernorm.weight
          roles    norm attention, norm mlp, attention query, attention key and 5 more
          dropped  9 tensors, 218,112,000 parameters
          on both  layers 0-30
          help     repeat the conversion; check that it read every file of the source

    What to do
        Repeat the conversion; check that all shards of the source were there.
    """

    code = "V805"
    name = "layers-dropped"
    verb = "dropped"

    def remedy(self) -> Remedy:
        return Remedy("repeat the conversion; check that it read every file of the source")


class LayersInvented(WholeLayers, frozen=True, kw_only=True):
    """Whole layers, experts or parts came out of nowhere.

    What it means
        Everything of these layers, experts or parts is in the target and nothing of it in the source.

    Why it matters
        They hold random numbers, copies, or what belongs to another model.

    Example
        error[V806] layers-invented: layer 32
          such as   model.layers.32.input_layernorm.weight
          roles     norm attention, norm mlp, attention query, attention key and 5 more
          invented  9 tensors, 218,112,000 parameters
          on both   layers 0-31
          help      find out what the converter filled them with

    What to do
        Find out what the converter filled them with, or compare with the checkpoint that was converted.
    """

    code = "V806"
    name = "layers-invented"
    verb = "invented"

    def remedy(self) -> Remedy:
        return Remedy("find out what the converter filled them with")


class LayersRenumbered(Finding, frozen=True, kw_only=True):
    """Layers or experts have other numbers.

    What it means
        Some layers or experts of the source are not in the target, and as many with the same tensors
        are there under other numbers.

    Why it matters
        Loaders look for them under their own numbers: what they do not find is filled with random
        numbers.

    Example
        error[V810] layers-renumbered: layer 17 is layer 40 in the target
          source  model.layers.17.input_layernorm.weight
          target  model.layers.40.input_layernorm.weight
          holds   9 tensors, 218,112,000 parameters
          help    give them the numbers of the source; nothing here proves that they
                  hold the same values

    What to do
        Repeat the conversion, or rename the tensors.
    """

    code = "V810"
    name = "layers-renumbered"

    source: str
    target: str
    tensors: int
    parameters: int
    counted: bool
    names: tuple[str, str]

    def headline(self) -> str:
        return f"{self.source} is {self.target} in the target"

    def rows(self) -> Rows:
        return [
            ("source", self.names[0]),
            ("target", self.names[1]),
            ("holds", f"{count(self.tensors, 'tensor')}, {count(self.parameters, 'parameter')}"),
        ]

    def remedy(self) -> Remedy:
        return Remedy("give them the numbers of the source; nothing here proves that they hold the same values")


class NamesChanged(Finding, frozen=True, kw_only=True):
    """A tensor has a name in the target that nobody looks for.

    What it means
        The source has a tensor that the target lacks, and the target has one of the same shape under a name
        much like it that the architecture does not know.

    Why it matters
        Loaders fill the place of the one with random numbers and leave the other unread.

    Example
        error[V815] names-changed: h.17.mixer.weight
          source  h.17.mix.weight
          holds   1 tensor, 4,096 parameters
          help    give it the name of the source; nothing here proves that it holds the
                  same values

    What to do
        Rename the tensor, or repeat the conversion.
    """

    code = "V815"
    name = "names-changed"

    source: str
    target: str
    tensors: int
    parameters: int

    def headline(self) -> str:
        return self.target

    def rows(self) -> Rows:
        return [
            ("source", self.source),
            ("holds", f"{count(self.tensors, 'tensor')}, {count(self.parameters, 'parameter')}"),
        ]

    def remedy(self) -> Remedy:
        return Remedy("give it the name of the source; nothing here proves that it holds the same values")


class TieUnknown(OneSided, frozen=True, kw_only=True):
    """A head, or another tensor that may be tied, is on one side alone, and nothing says what it is.

    What it means
        One side stores a tensor that may be a copy, a head of the embedding; the other does not. Neither
        has a config, and the class has a tensor of its own where its config is silent.

    Why it matters
        If it is no copy, the conversion lost it, or added it. Until that is known it counts as a
        parameter of its own.

    Example
        warning[V816] tie-unknown: head, in the source alone (likely)
          stored   lm_head.weight
          dropped  525,336,576 parameters, unless it is a copy of the embedding
          help     put the config beside the weights: tie_word_embeddings says which it
                   is

    What to do
        Compare with the config of the original: tie_word_embeddings says which it is.
    """

    code = "V816"
    name = "tie-unknown"
    severity = "warning"

    def headline(self) -> str:
        return f"{listed(self.roles, 4)}, in the {self.side} alone"

    def rows(self) -> Rows:
        word = "dropped" if self.side == "source" else "invented"
        of = f"a copy of the {self.tied}" if self.tied else "a copy"
        return [
            ("stored", listed(self.names, 2)),
            (word, f"{count(self.parameters, 'parameter')}, unless it is {of}"),
        ]

    def remedy(self) -> Remedy:
        return Remedy("put the config beside the weights: tie_word_embeddings says which it is")
