"""Findings on zeros in place of values, on tied copies in samples, and on names that select no tensor."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.refetch import fetch_file
from inspector.findings.words import count, first, number


class TensorNotFound(Finding, frozen=True, kw_only=True):
    """A name given to --tensor matches no tensor.

    What it means
        No tensor of the checkpoint has this name, and none matches it as a pattern.

    Why it matters
        The values that were asked for have not been read.

    Example
        error[V836] tensor-not-found: "*.k_pro.weight"
          help  list the names with: inspector tensors SOURCE --all

    What to do
        Use a name as the files have it, or a pattern with * such as "*.k_proj.weight".
    """

    code = "V836"

    pattern: str
    similar: tuple[str, ...]

    headline_text = "{pattern:value}"
    row_texts = (("similar", "{similar:joined}", "similar"),)
    remedy_text = "list the names with: inspector tensors SOURCE --all"


class DataUnwritten(Finding, frozen=True, kw_only=True):
    """A range of a file contains only zeros, across the bounds of tensors.

    What it means
        From one byte to another no bit is set, over several tensors, and the range begins or ends within a tensor.
        Downloads and copies that reserve the whole file first leave such ranges where they were interrupted.

    Why it matters
        The file has the right size and a valid header, and loads; these weights are zeros.

    Example
        error[V837] data-unwritten: model.safetensors
          zeros  from byte 214,704 to byte 429,404, the end of the file
          lost   12 tensors, of which 1 in part: model.layers.0.self_attn.v_proj.weight
                 and 11 more
          help   download this file again

    What to do
        Download or copy the file again, and compare its SHA-256 with the source's.
    """

    code = "V837"

    begin: int
    end: int
    of: int
    tensors: int
    partly: int
    names: tuple[str, ...]

    def rows(self) -> Rows:
        end = ", the end of the file" if self.end >= self.of else ""
        parts = f", of which {number(self.partly)} in part" if self.partly else ""
        return [
            ("zeros", f"from byte {number(self.begin)} to byte {number(self.end)}{end}"),
            ("lost", f"{count(self.tensors, 'tensor')}{parts}: {first(self.names, self.tensors, 1)}"),
        ]

    def remedy(self) -> Remedy:
        return fetch_file(self.place)


class SomeTensors(Finding, frozen=True, kw_only=True):
    """Tensors with zeros. where: their layers and experts, if all are of one family."""

    tensors: int
    names: tuple[str, ...]
    where: str

    def headline(self) -> str:
        where = f", {self.where}" if self.where else ""
        return f"{count(self.tensors, 'tensor')}{where}"


class RowsZero(SomeTensors, frozen=True, kw_only=True):
    """A block of rows of a matrix is zero.

    What it means
        Rows that follow each other, or most rows, contain only zeros. In an embedding, more rows than a vocabulary
        padded to a multiple of a power of two has.

    Why it matters
        These outputs of the layer are always zero. Data that was never written looks like this; so does a matrix
        that was padded on purpose.

    Example
        warning[V838] rows-zero: 1 tensor, layer 0
          tensor  model.layers.0.mlp.down_proj.weight
          zero    30 of 64 rows: 0 to 29
          help    compare with the source; download the file again if its rows have
                  values

    What to do
        Compare with the source. Rows that were added as padding do no harm.
    """

    code = "V838"
    severity = "warning"

    zero: int
    of: int
    first_row: int
    last_row: int

    remedy_text = "compare with the source; download the file again if its rows have values"

    def rows(self) -> Rows:
        return [("tensor", first(self.names, self.tensors)), ("zero", _rows(self))]


class RowsUnused(SomeTensors, frozen=True, kw_only=True):
    """Some rows of a matrix are zero.

    What it means
        Rows of an embedding without a token (padding of the vocabulary, tokens that were never trained), or single
        outputs of a layer that training or pruning set to zero.

    Why it matters
        Nothing is damaged. Training an embedding row that is zero needs another initialization first.

    Example
        note[V839] rows-unused: 1 tensor
          tensor  model.embed_tokens.weight
          zero    3 of 256 rows: 253 to 255

    What to do
        Nothing.
    """

    code = "V839"
    severity = "note"

    zero: int
    of: int
    first_row: int
    last_row: int

    def rows(self) -> Rows:
        return [("tensor", first(self.names, self.tensors)), ("zero", _rows(self))]


class ColumnsZero(SomeTensors, frozen=True, kw_only=True):
    """A block of columns of a matrix is zero.

    What it means
        Columns that follow each other, or most columns, contain only zeros in every row. The columns of several stacked
        matrices are counted one matrix after the other.

    Why it matters
        These inputs of the layer, or these places of every vector of an embedding, have no effect. A matrix that was
        split, or filled in part, looks like this; so does a matrix that was padded on purpose.

    Example
        warning[V860] columns-zero: 1 tensor, layer 0
          tensor  model.layers.0.mlp.down_proj.weight
          zero    24 of 128 columns: 8 to 31
          help    compare with the source; download the file again if its columns have
                  values

    What to do
        Compare with the source. Columns that were added as padding do no harm.
    """

    code = "V860"
    severity = "warning"

    zero: int
    of: int
    first_column: int
    last_column: int

    remedy_text = "compare with the source; download the file again if its columns have values"

    def rows(self) -> Rows:
        return [("tensor", first(self.names, self.tensors)), ("zero", _columns(self))]


class ColumnsUnused(SomeTensors, frozen=True, kw_only=True):
    """Some columns of a matrix are zero.

    What it means
        Single inputs of a layer, apart from each other, contain only zeros: training or pruning made them zero.

    Why it matters
        Nothing is damaged. These inputs have no effect.

    Example
        note[V861] columns-unused: 1 tensor, layer 0
          tensor  model.layers.0.mlp.down_proj.weight
          zero    2 of 128 columns: between 3 and 17

    What to do
        Nothing.
    """

    code = "V861"
    severity = "note"

    zero: int
    of: int
    first_column: int
    last_column: int

    def rows(self) -> Rows:
        return [("tensor", first(self.names, self.tensors)), ("zero", _columns(self))]


class NormZero(SomeTensors, frozen=True, kw_only=True):
    """The weight of a norm is zero.

    What it means
        All scales of a norm are zero, and the architecture multiplies by them as they are stored. (Gemma, Qwen3-Next
        and others add 1 first: zeros are normal there and are not reported.)

    Why it matters
        The norm's output is zero, or its bias, whatever its input: the layers after it get no information.

    Example
        error[V840] norm-zero: 1 tensor, layer 0
          tensor  model.layers.0.input_layernorm.weight
          help    download the file again; if the source has the zeros too, use an
                  earlier checkpoint

    What to do
        Download the file again; if the source has the zeros too, use an earlier checkpoint.
    """

    code = "V840"
    row_texts = (("tensor", "{names:first tensors}"),)
    remedy_text = "download the file again; if the source has the zeros too, use an earlier checkpoint"


class CopySampled(Finding, frozen=True, kw_only=True):
    """A tied copy in samples. samples: number read from each side. bytes: of one sample."""

    tensor: str
    original: str
    samples: int
    bytes: int

    headline_text = "{tensor}"


class CopyEqualInSamples(CopySampled, frozen=True, kw_only=True):
    """Samples of a tied copy are equal to the original's.

    What it means
        Samples from the beginning, the middle and the end of a stored tensor and of the one it is tied to are equal.

    Why it matters
        A head that was trained separately differs nearly everywhere, so these two are very likely equal. Only
        --values proves it.

    Example
        note[V841] copy-equal-in-samples: lm_head.weight
          original  model.embed_tokens.weight
          read      3 samples of up to 4,096 bytes each

    What to do
        Nothing.
    """

    code = "V841"
    severity = "note"

    def rows(self) -> Rows:
        return [("original", self.original), ("read", _samples(self))]


class CopyDiffersInSamples(CopySampled, frozen=True, kw_only=True):
    """A stored tensor differs from the one that the config ties it to, as samples show.

    What it means
        The config ties two tensors, but the file stores both, and samples of them have different values.

    Why it matters
        transformers 5 keeps the stored tensor; transformers 4, vLLM and llama.cpp use the other one in its place.

    Example
        error[V842] copy-differs-in-samples: lm_head.weight
          original  model.embed_tokens.weight
          differ    1 of 3,072 values in 3 samples of up to 4,096 bytes each
          help      set tie_word_embeddings to false if the head was trained separately,
                    else remove the copy

    What to do
        Untie the two in the config if they were trained separately; otherwise remove the copy.
    """

    code = "V842"

    differing: int
    elements: int

    remedy_text = "set tie_word_embeddings to false if the head was trained separately, else remove the copy"

    def rows(self) -> Rows:
        differ = f"{number(self.differing)} of {count(self.elements, 'value')} in {_samples(self)}"
        return [("original", self.original), ("differ", differ)]


def _samples(sampled: CopySampled) -> str:
    return f"{count(sampled.samples, 'sample')} of up to {number(sampled.bytes)} bytes each"


def _rows(found: RowsZero | RowsUnused) -> str:
    return _span(found.zero, found.of, "row", found.first_row, found.last_row)


def _columns(found: ColumnsZero | ColumnsUnused) -> str:
    return _span(found.zero, found.of, "column", found.first_column, found.last_column)


def _span(zero: int, of: int, what: str, begin: int, end: int) -> str:
    if end == begin:
        return f"{number(zero)} of {count(of, what)}: {number(begin)}"
    span = (
        f"{number(begin)} to {number(end)}" if end - begin + 1 == zero else f"between {number(begin)} and {number(end)}"
    )
    return f"{number(zero)} of {count(of, what)}: {span}"
