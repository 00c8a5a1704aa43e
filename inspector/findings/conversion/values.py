"""Findings on tensor values."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.role_words import label
from inspector.findings.words import count, first, listed, number, shape

_WAYS = {
    "rounded": "rounded to the target's dtype",
    "cut": "truncated to the target's dtype",
    "finer": "the source is rounded",
}


ADAPTER_OUTPUTS = (".lora_B.", ".lora_up.", ".lora_embedding_B.")
"""Parts of the names of adapter matrices that are initialised to zero."""


RELATIONS = {
    "through F16": ("each value is that of the source rounded to F16", "convert again without F16 in between"),
    "through BF16": ("each value is that of the source rounded to BF16", "convert again without BF16 in between"),
    "one added": (
        "each value is that of the source + 1", "subtract 1 again, unless the target's class multiplies by the weight"),
    "one subtracted": (
        "each value is that of the source - 1", "add 1 again, unless the target's class multiplies by 1 + weight"),
    "transposed": ("stored is the transpose of the source", "transpose each again: tensor.t().contiguous()"),
    "scaled": ("the values are those of the source times one number", "convert again from the source"),
    "rows exchanged": ("the same rows in another order", "convert again from the source, or put the rows back"),
}  # fmt: skip
"""The change of all values of a tensor -> its words, and the remedy."""


class ChangedHarmlessly(Finding, frozen=True, kw_only=True):
    """Tensors with equivalent values. ways: how they were rounded. largest: the largest difference."""

    tensors: int
    names: tuple[str, ...]
    ways: tuple[str, ...]
    largest: float

    headline_text = "{tensors:count tensor}"


class ValuesDiffer(Finding, frozen=True, kw_only=True):
    """Tensor values differ between the two checkpoints.

    What it means
        Both sides contain the tensors with matching shapes, but the values differ by more than rounding to the
        target's dtype, quantization to its format or reordering of rotary rows. Quantized values are judged in groups
        of 256, or by rows: `differing` counts all values of a group that no quantizer makes of the source's.

    Why it matters
        A conversion only rounds values. Damage, another model of the same shape and further training all look
        like this. `roles`: all of them, where most matrices have other values, as after training. `holds`: tensors of
        the source whose exact values these have instead of their own. `relation`: what was done to every value, where
        one simple change makes all of them: transposed, rounded through F16 or BF16, one added or subtracted,
        multiplied by one number, rows exchanged.

    Example
        error[V820] values-differ: attention key, 1 of 2 tensors, layer 1
          tensor   model.layers.1.self_attn.k_proj.weight
          differ   1 of 2,048 values
          largest  0.25 at [3, 5]: 1.72817 became 1.97817
          help     expected after training; for a conversion, convert again from the
                   source

    What to do
        Repeat the conversion, or download the target again.
    """

    code = "V820"

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
    roles: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    relation: str = ""
    rows_exchanged: tuple[int, ...] = ()
    factor: float | None = None
    rows_of_roles: int = 0
    """Number of rows in the table of roles for `roles`: all norms share one row."""

    def headline(self) -> str:
        where = f", {self.where}" if self.where else ""
        if self.holds:
            return f"{count(self.tensors, 'tensor')} with the values of other tensors of the source{where}"
        if self.roles:
            roles = count(self.rows_of_roles or len(self.roles), "role")
            return f"{number(self.tensors)} of {count(self.of, 'tensor')}, in {roles}"
        return f"{label(self.role)}, {number(self.tensors)} of {count(self.of, 'tensor')}{where}"

    def rows(self) -> Rows:
        if self.holds:
            pairs = [f"{one} has those of {other}" for one, other in zip(self.names, self.holds, strict=False)]
            return [("exchanged", listed(pairs, 2))]
        before, after = self.values
        beyond = "; the others are only rounded" if self.beyond else ""
        how = [("how", RELATIONS[self.relation][0])] if self.relation else []
        if self.relation == "scaled" and self.factor is not None:
            how = [("how", f"each value is that of the source times {self.factor:g}")]
        if self.rows_exchanged:
            how = [("how", f"the same rows in another order: {listed([str(row) for row in self.rows_exchanged], 8)}")]
        return [
            ("tensor", self.tensor),
            *how,
            ("differ", f"{number(self.differing)} of {count(self.elements, 'value')}{beyond}"),
            ("largest", f"{self.largest:g} at {shape(self.at)}: {before:g} became {after:g}"),
        ]

    def remedy(self) -> Remedy:
        if self.holds:
            return Remedy("convert again from the source: the conversion gave them the wrong names")
        if self.relation:
            return Remedy(RELATIONS[self.relation][1])
        return Remedy("expected after training; for a conversion, convert again from the source")


class ValuesRounded(ChangedHarmlessly, frozen=True, kw_only=True):
    """The values are rounded to a narrower dtype.

    What it means
        Every value of these tensors is the source's value rounded (to nearest, ties to even) or truncated to
        the target's dtype; or the source's is the target's rounded.

    Why it matters
        Nothing is damaged; the precision is that of the narrower dtype.

    Example
        note[V821] values-rounded: 21 tensors
          how      rounded to the target's dtype
          largest  0.00781202

    What to do
        Nothing. To keep every bit, convert without changing the dtype.
    """

    code = "V821"
    severity = "note"

    def rows(self) -> Rows:
        return [("how", listed([_WAYS[way] for way in self.ways])), ("largest", f"{self.largest:g}")]


class RowsReordered(ChangedHarmlessly, frozen=True, kw_only=True):
    """Query and key rows use the other rotary layout.

    What it means
        One side stores the rows of each head in pairs, as Meta's code and llama.cpp do, the other in two halves, as
        transformers does; apart from that the values are equal, or quantized.

    Why it matters
        A converter between the two must do this. Headers cannot show it.

    Example
        note[V822] rows-reordered: 4 tensors
          such as  blk.0.attn_q.weight

    What to do
        Nothing.
    """

    code = "V822"
    severity = "note"

    def rows(self) -> Rows:
        return [("such as", listed(self.names, 1).split(" and ")[0])]


class SomeOfTensors(Finding, frozen=True, kw_only=True):
    """Base of findings on some of the compared tensors. of: number compared. where: their layers, or ""."""

    tensors: int
    of: int
    names: tuple[str, ...]
    where: str

    def headline(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{number(self.tensors)} of {count(self.of, 'tensor')}{where}"


class ValuesUnchanged(SomeOfTensors, frozen=True, kw_only=True):
    """Some matrices are identical to the source's.

    What it means
        Most tensors of the two checkpoints differ; these do not.

    Why it matters
        In a fine-tune these parts were frozen, or never trained, such as experts that received no token.

    Example
        note[V823] values-unchanged: 1 of 16 matrices, layer 1
          such as  model.layers.1.self_attn.k_proj.weight

    What to do
        Nothing if they were frozen intentionally; otherwise check the training.
    """

    code = "V823"
    severity = "note"

    def headline(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{number(self.tensors)} of {number(self.of)} {'matrix' if self.of == 1 else 'matrices'}{where}"

    def rows(self) -> Rows:
        return [("such as", ", ".join(self.names[:2]))]


class CopiesDiffer(Finding, frozen=True, kw_only=True):
    """A stored copy of a tied tensor has other values than the original.

    What it means
        The config ties two tensors, but the file stores both with different values.

    Why it matters
        Loaders keep one of them: the model's behavior depends on which.

    Example
        error[V824] copies-differ: lm_head.weight
          original  model.embed_tokens.weight
          differ    1 of 16,384 values
          largest   1 at [2, 0]: -0.840722 became 0.159278
          help      set tie_word_embeddings to false if the head was trained separately,
                    else remove the copy

    What to do
        Untie the two in the config if they were trained separately; otherwise remove the copy.
    """

    code = "V824"

    tensor: str
    original: str
    differing: int
    elements: int
    beyond: bool
    largest: float
    at: tuple[int, ...]
    values: tuple[float, float]

    headline_text = "{tensor}"
    remedy_text = "set tie_word_embeddings to false if the head was trained separately, else remove the copy"

    def rows(self) -> Rows:
        before, after = self.values
        return [
            ("original", self.original),
            ("differ", f"{number(self.differing)} of {count(self.elements, 'value')}"),
            ("largest", f"{self.largest:g} at {shape(self.at)}: {before:g} became {after:g}"),
        ]


class ValuesConstant(Finding, frozen=True, kw_only=True):
    """A weight matrix is constant.

    What it means
        All elements of a weight matrix are equal, usually zero: never initialized, never written, or a gap in a
        preallocated file.

    Why it matters
        The layer has no effect.

    Example
        warning[V826] values-constant: 1 tensor, layer 0
          tensor  model.layers.0.mlp.down_proj.weight
          value   0
          help    download the file again; an unfinished download leaves zeros

    What to do
        Download the file again, or compare with the source. In an adapter, B matrices of zeros were never
        trained.
    """

    code = "V826"
    severity = "warning"

    tensors: int
    names: tuple[str, ...]
    where: str
    values: tuple[float, ...]

    def headline(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{count(self.tensors, 'tensor')}{where}"

    def rows(self) -> Rows:
        return [
            ("tensor", first(self.names, self.tensors)),
            ("value", ", ".join(f"{value:g}" for value in self.values)),
        ]

    def remedy(self) -> Remedy:
        if any(part in name for name in self.names for part in ADAPTER_OUTPUTS):
            return Remedy("train the adapter: B matrices of zeros change nothing")
        return Remedy("download the file again; an unfinished download leaves zeros")
