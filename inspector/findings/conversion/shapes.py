"""Findings on shapes that a conversion changed."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, listed, number, shape


class VocabularyRows(Finding, frozen=True, kw_only=True):
    """Rows of the vocabulary on both sides. stated: the size in the target's config."""

    roles: tuple[str, ...]
    source: int
    target: int
    stated: int | None
    dropped: int
    invented: int

    def headline(self) -> str:
        return f"{count(abs(self.target - self.source), 'row')} of {listed(self.roles, 4)}"

    def both_sides(self, after_source: str, after_target: str) -> Rows:
        """The rows of both sides, each with a remark."""
        return [
            ("source", f"{number(self.source)} rows{after_source}"),
            ("target", f"{number(self.target)} rows{after_target}"),
        ]

    def other_size(self) -> str:
        """The size in the target's config, if it differs."""
        return "" if self.stated in (None, self.target) else f", its config says {number(self.stated)}"


class RowsCut(VocabularyRows, frozen=True, kw_only=True):
    """The vocabulary lost rows.

    What it means
        Embedding, head or both have fewer rows in the target than in the source.

    Why it matters
        The tokens of the missing rows can no longer be used; larger ids fail or read other memory.

    Example
        error[V807] rows-cut: 256 rows of embedding, head
          source   128,256 rows
          target   128,000 rows
          dropped  2,097,152 parameters
          help     convert again with the source's tokenizer, unless these rows are
                   padding

    What to do
        Convert again with the tokenizer of the source. If the rows are padding, set the new size in the config.
    """

    code = "V807"
    remedy_text = "convert again with the source's tokenizer, unless these rows are padding"

    def rows(self) -> Rows:
        return [*self.both_sides("", self.other_size()), ("dropped", count(self.dropped, "parameter"))]


class RowsPadded(VocabularyRows, frozen=True, kw_only=True):
    """The vocabulary was padded.

    What it means
        Embedding, head or both have more rows in the target than in the source.

    Why it matters
        Converters round the vocabulary up for speed. The rows are harmless if no token uses them, but they are
        untrained parameters.

    Example
        warning[V808] rows-padded: 256 rows of embedding, head
          source  128,256 rows
          target  128,512 rows
          added   2,097,152 parameters
          help    check that the target's config states this size and that no token uses
                  the new ids

    What to do
        Nothing, if the target's config states the padded size.
    """

    code = "V808"
    severity = "warning"
    remedy_text = "check that the target's config states this size and that no token uses the new ids"

    def rows(self) -> Rows:
        return [*self.both_sides("", self.other_size()), ("added", count(self.invented, "parameter"))]


class PaddingUnstated(RowsPadded, frozen=True, kw_only=True):
    """The vocabulary was padded, and the target's config states another size.

    What it means
        Embedding, head or both have more rows in the target than in the source, and the target's config does not
        state that number.

    Why it matters
        Loaders create the embedding in the size that the config states, and refuse the stored one.

    Example
        error[V859] padding-unstated: 256 rows of embedding, head
          source  128,256 rows
          target  128,512 rows, its config says 128,256
          added   2,097,152 parameters
          help    set "vocab_size": 128512 in the target's config.json

    What to do
        Set the size in the target's config, or convert again without the additional rows.
    """

    code = "V859"
    severity = "error"

    key: str
    file: str

    def remedy(self) -> Remedy:
        return Remedy(f'set "{self.key}": {self.target} in the target\'s {self.file}')


class ShapeNotCarried(Finding, frozen=True, kw_only=True):
    """A tensor has incompatible shapes in source and target.

    What it means
        Both sides have the tensor, unquantized and in the same orientation, but its shapes differ. No
        transposition, concatenation, stacking or padding of the vocabulary explains it.

    Why it matters
        The difference was cut off or filled with other values. Where every split matrix of one side has the same
        fraction of its size, that side is one rank of a parallel save (`rank_of`), and the rest is in the other ranks.

    Example
        error[V809] shape-not-carried: attention key of layer 17
          change      attention key [1024, 4096] → [4096, 4096]
          source      model.layers.17.self_attn.k_proj.weight
          target      model.layers.17.self_attn.k_proj.weight
          parameters  12,582,912 added
          help        repeat the conversion; the converter used wrong sizes here

    What to do
        Repeat the conversion; compare head counts and dims that the converter read from the config.
    """

    code = "V809"

    changes: tuple[str, ...]
    roles: tuple[str, ...]
    where: str
    tensors: int
    dropped: int
    invented: int
    carries: bool
    names: tuple[str, str]
    rank_of: tuple[str, int] | None = None

    def headline(self) -> str:
        where = f" of {self.where}" if self.where else ""
        return f"{listed(self.roles, 4)}{where}"

    def rows(self) -> Rows:
        changed = {"dropped": self.dropped, "added": self.invented}
        lost = [f"{number(parameters)} {verb}" for verb, parameters in changed.items() if parameters]
        return [
            *(("change", change) for change in self.changes[:6]),
            ("source", self.names[0]),
            ("target", self.names[1]),
            ("parameters", ", ".join(lost)),
            *([("because", f"the {self.rank_of[0]} is one of {self.rank_of[1]:,} ranks")] if self.rank_of else []),
        ]

    def remedy(self) -> Remedy:
        if self.rank_of is not None:
            return Remedy(f"merge the ranks of the {self.rank_of[0]}, with the tool that saved them, and compare those")
        return Remedy("repeat the conversion; the converter used wrong sizes here")


class UnexplainedDiffers(Finding, frozen=True, kw_only=True):
    """Tensors that no definition explains have other shapes in the target.

    What it means
        Both sides store the tensors under the same names, and the architecture has no such tensors. Their shapes
        differ.

    Why it matters
        What they are for is unknown, and so is whether the conversion changed them correctly.

    Example
        warning[V864] unexplained-differs: model.adapter.proj.weight
          change  [64, 4096] → [128, 4096]
          help    convert again with a program that knows these tensors, or leave them
                  out of both sides

    What to do
        Find out which program writes and reads these tensors, and convert them with it; remove them from both sides if
        none does.
    """

    code = "V864"
    severity = "warning"

    families: tuple[str, ...]
    families_differing: int
    tensors: int
    shapes: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]

    remedy_text = "convert again with a program that knows these tensors, or leave them out of both sides"

    def headline(self) -> str:
        return self.families[0] if self.families_differing == 1 else count(self.tensors, "tensor")

    def rows(self) -> Rows:
        changes = [f"{shape(source)} → {shape(target)}" for source, target in self.shapes]
        if self.families_differing == 1:
            return [("change", changes[0])]
        shown = [f"{name} {change}" for name, change in zip(self.families, changes, strict=True)][:6]
        more = self.families_differing - len(shown)
        return [*(("change", text) for text in shown), *([("more", count(more, "family"))] if more > 0 else [])]


class PaddingDiffers(VocabularyRows, frozen=True, kw_only=True):
    """The vocabulary is padded on one side only.

    What it means
        One side rounds the rows of embedding and head up to a multiple, and a config states the number of
        tokens: the additional rows belong to no token.

    Why it matters
        Nothing is lost. The rows count as dropped or added, since only one side stores them.

    Example
        note[V817] padding-differs: 256 rows of embedding, head
          source  32,000 rows
          target  32,256 rows, as Megatron-Core rounds them up
          added   2,097,152 parameters

    What to do
        Nothing.
    """

    code = "V817"
    severity = "note"

    writer: str

    def rows(self) -> Rows:
        padded = f", as {self.writer} rounds them up"
        if self.target > self.source:
            return [*self.both_sides("", padded), ("added", count(self.invented, "parameter"))]
        return [*self.both_sides(padded, ""), ("dropped", count(self.dropped, "parameter"))]
