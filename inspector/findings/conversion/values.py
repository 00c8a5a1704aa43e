"""The numbers in the tensors."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.role_words import label
from inspector.findings.words import count, listed, number, shape

_WAYS = {
    "rounded": "rounded to the target's dtype",
    "cut": "cut to the target's dtype",
    "finer": "the source is the rounded one",
}


class ChangedHarmlessly(Finding, frozen=True, kw_only=True):
    """Tensors with other values that mean the same. ways: how they were rounded. largest: difference."""

    tensors: int
    names: tuple[str, ...]
    ways: tuple[str, ...]
    largest: float

    def headline(self) -> str:
        return count(self.tensors, "tensor")


class ValuesDiffer(Finding, frozen=True, kw_only=True):
    """The numbers of a role differ between the two checkpoints.

    What it means
        Both sides hold the tensors, in shapes that become each other, and the numbers in them are not
        the same, nor the source's rounded to the target's dtype, nor in another order of rotary rows.

    Why it matters
        A conversion changes no number but by rounding. Damage, another model of the same shape and
        further training all look like this.

    Example
        error[V820] values-differ: attention key, 1 of 2 tensors, layer 1
          tensor   model.layers.1.self_attn.k_proj.weight
          differ   1 of 2,048 numbers
          largest  0.25 at [3, 5]: 1.72817 became 1.97817
          help     convert again from the source; of two models that were meant to
                   differ this is the difference

    What to do
        Repeat the conversion, or fetch the target again.
    """

    code = "V820"
    name = "values-differ"

    role: str
    tensors: int
    of: int
    names: tuple[str, ...]
    where: str
    tensor: str
    differing: int
    elements: int
    beyond: bool
    largest: float
    at: tuple[int, ...]
    values: tuple[float, float]

    def headline(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{label(self.role)}, {number(self.tensors)} of {count(self.of, 'tensor')}{where}"

    def rows(self) -> Rows:
        before, after = self.values
        beyond = "; the others are only rounded" if self.beyond else ""
        return [
            ("tensor", self.tensor),
            ("differ", f"{number(self.differing)} of {count(self.elements, 'number')}{beyond}"),
            ("largest", f"{self.largest:g} at {shape(self.at)}: {before:g} became {after:g}"),
        ]

    def remedy(self) -> Remedy:
        return Remedy("convert again from the source; of two models that were meant to differ this is the difference")


class ValuesRounded(ChangedHarmlessly, frozen=True, kw_only=True):
    """The numbers of one side are the other's in a narrower dtype.

    What it means
        Every number of these tensors is the source's rounded to the target's dtype, to nearest and ties
        to even, or cut to it; or the source's are the target's rounded, so that both come of finer ones.

    Why it matters
        Nothing is damaged; the precision is that of the narrower dtype.

    Example
        note[V821] values-rounded: 21 tensors
          how      rounded to the target's dtype
          largest  0.00781202

    What to do
        Nothing. Where every bit matters, convert without changing the dtype.
    """

    code = "V821"
    name = "values-rounded"
    severity = "note"

    def rows(self) -> Rows:
        return [("how", listed([_WAYS[way] for way in self.ways])), ("largest", f"{self.largest:g}")]


class RowsReordered(ChangedHarmlessly, frozen=True, kw_only=True):
    """Query and key rows are in the other order of rotary embeddings.

    What it means
        Within each head the one side has rows in pairs, as Meta's code wants them, and the other in two
        halves, as transformers does; apart from that the numbers are the same.

    Why it matters
        It is what a converter between the two must do. Headers cannot show it.

    Example
        note[V822] rows-reordered: 4 tensors
          such as  model.layers.0.self_attn.q_proj.weight

    What to do
        Nothing.
    """

    code = "V822"
    name = "rows-reordered"
    severity = "note"

    def rows(self) -> Rows:
        return [("such as", listed(self.names, 1).split(" and ")[0])]


class ValuesUnchanged(Finding, frozen=True, kw_only=True):
    """Some matrices are the source's to the last bit, while most are not.

    What it means
        Most tensors of the two checkpoints differ; these do not.

    Why it matters
        In a fine-tune these parts were frozen, or never trained: experts that no token reached, for one.

    Example
        note[V823] values-unchanged: 1 of 21 tensors, layer 1
          such as  model.layers.1.self_attn.k_proj.weight

    What to do
        Nothing where they were frozen on purpose; else look at the training.
    """

    code = "V823"
    name = "values-unchanged"
    severity = "note"

    tensors: int
    of: int
    names: tuple[str, ...]
    where: str

    def headline(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{number(self.tensors)} of {count(self.of, 'tensor')}{where}"

    def rows(self) -> Rows:
        return [("such as", ", ".join(self.names[:2]))]


class CopiesDiffer(Finding, frozen=True, kw_only=True):
    """A stored copy of a tied tensor holds other numbers than the tensor.

    What it means
        The config ties two tensors, so that one set of numbers serves both; the file stores both, and
        they differ.

    Why it matters
        Loaders keep one of them and drop the other: the model behaves one way or the other.

    Example
        error[V824] copies-differ: lm_head.weight
          original  model.embed_tokens.weight
          differ    1 of 16,384 numbers
          largest   1 at [2, 0]: -0.840722 became 0.159278
          help      set tie_word_embeddings to false if the head was trained apart, else
                    drop the copy

    What to do
        Untie the two in the config if they were trained apart, or drop the copy.
    """

    code = "V824"
    name = "copies-differ"

    tensor: str
    original: str
    differing: int
    elements: int
    beyond: bool
    largest: float
    at: tuple[int, ...]
    values: tuple[float, float]

    def headline(self) -> str:
        return self.tensor

    def rows(self) -> Rows:
        before, after = self.values
        return [
            ("original", self.original),
            ("differ", f"{number(self.differing)} of {count(self.elements, 'number')}"),
            ("largest", f"{self.largest:g} at {shape(self.at)}: {before:g} became {after:g}"),
        ]

    def remedy(self) -> Remedy:
        return Remedy("set tie_word_embeddings to false if the head was trained apart, else drop the copy")


class ValuesNotFinite(Finding, frozen=True, kw_only=True):
    """Parameters that are NaN or infinite.

    What it means
        Numbers that are none: a training that diverged, an overflow of float16, or damaged bytes.

    Why it matters
        One of them makes every output NaN.

    Example
        error[V825] values-not-finite: 1 tensor, layer 1
          tensor    model.layers.1.self_attn.k_proj.weight
          NaN       1
          infinite  0
          help      fetch the file again; where the source has the same, take an earlier
                    checkpoint

    What to do
        Compare with the source; take an earlier checkpoint of the training.
    """

    code = "V825"
    name = "values-not-finite"

    tensors: int
    names: tuple[str, ...]
    where: str
    nan: int
    infinite: int

    def headline(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{count(self.tensors, 'tensor')}{where}"

    def rows(self) -> Rows:
        return [
            ("tensor", listed(self.names, 2)),
            ("NaN", number(self.nan)),
            ("infinite", number(self.infinite)),
        ]

    def remedy(self) -> Remedy:
        return Remedy("fetch the file again; where the source has the same, take an earlier checkpoint")


class ValuesConstant(Finding, frozen=True, kw_only=True):
    """A matrix of one number only.

    What it means
        Every element of a weight matrix is the same, mostly zero: never initialised, never written, or a
        hole in a file that was preallocated.

    Why it matters
        The layer does nothing.

    Example
        warning[V826] values-constant: 1 tensor, layer 0
          tensor  model.layers.0.mlp.down_proj.weight
          value   0
          help    fetch the file again; an unfinished download leaves zeros

    What to do
        Fetch the file again, or compare with the source. In an adapter, B matrices of zeros were never trained.
    """

    code = "V826"
    name = "values-constant"
    severity = "warning"

    tensors: int
    names: tuple[str, ...]
    where: str
    values: tuple[float, ...]

    def headline(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{count(self.tensors, 'tensor')}{where}"

    def rows(self) -> Rows:
        return [("tensor", listed(self.names, 2)), ("value", ", ".join(f"{value:g}" for value in self.values))]

    def remedy(self) -> Remedy:
        return Remedy("fetch the file again; an unfinished download leaves zeros")
