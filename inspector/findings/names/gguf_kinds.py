"""Findings on GGUF files that are not models: importance matrices, and adapters that llama.cpp refuses."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.words import listed


class ImportanceMatrix(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file with an importance matrix, not a model.

    What it means
        The file states `general.type = imatrix`: for each matrix of a model it has sums of squares of its inputs and
        how many there were. llama.cpp's llama-imatrix writes it.

    Why it matters
        llama-quantize reads it with --imatrix. It has no weights, so there is no model to check.

    Example
        note[N512] importance-matrix: imatrix.gguf
          matrices  9
          help      pass it to llama-quantize with --imatrix; audit the model instead

    What to do
        Nothing, if an importance matrix was wanted; otherwise audit the file with the weights.
    """

    code = "N512"
    severity = "note"

    matrices: int

    headline_text = "{place.file}"
    row_texts = (("matrices", "{matrices}"),)
    remedy_text = "pass it to llama-quantize with --imatrix; audit the model instead"


class ImportanceMatrixIncomplete(ContentFinding, frozen=True, kw_only=True):
    """An importance matrix lacks the sums or the counts of a matrix.

    What it means
        Each matrix has two tensors, `.in_sum2` and `.counts`. Of some only one is there.

    Why it matters
        llama-quantize refuses the file: "mismatched sums and counts".

    Example
        error[N513] importance-matrix-incomplete: 1 of 9 matrices
          missing  blk.1.attn_k.weight.counts
          help     download this file again, or compute it again with llama-imatrix

    What to do
        Download the file again; if it is the same, compute it again.
    """

    code = "N513"

    missing: tuple[str, ...]
    lacking: int
    matrices: int

    headline_text = "{lacking} of {matrices} matrices"
    row_texts = (("missing", "{missing:listed 3}"),)
    remedy_text = "download this file again, or compute it again with llama-imatrix"


class ControlVector(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file with a control vector, not a model.

    What it means
        The file has one direction for each of some layers, `direction.1` and so on. llama.cpp adds them to the outputs
        of these layers.

    Why it matters
        llama.cpp reads it with --control-vector, for a model whose hidden size is the width of the directions.

    Example
        note[N519] control-vector: vector.gguf
          layers  3, from 1 to 3
          width   32
          help    pass it with --control-vector, with a model of hidden size 32

    What to do
        Nothing, if a control vector was wanted; otherwise audit the file with the weights.
    """

    code = "N519"
    severity = "note"

    layers: int
    first: int
    last: int
    width: int

    headline_text = "{place.file}"
    row_texts = (("layers", "{layers}, from {first} to {last}"), ("width", "{width}"))
    remedy_text = "pass it with --control-vector, with a model of hidden size {width}"


class ControlVectorRefused(ContentFinding, frozen=True, kw_only=True):
    """llama.cpp refuses a control vector.

    What it means
        Each tensor of a control vector is named `direction.N` with a layer N above 0, has one dim and the dtype F32,
        and all have one width. One is not so.

    Why it matters
        llama.cpp leaves the whole file out; the message is in `reference`.

    Example
        error[N522] control-vector-refused: direction.0
          stored     [32] F32
          reference  llama.cpp refuses it: invalid (zero) direction tensor layer index
          help       make the control vector again

    What to do
        Make the control vector again with a current tool.
    """

    code = "N522"

    stored: tuple[int, ...]
    dtype: str
    because: str

    headline_text = "{place.tensor}"
    row_texts = (("stored", "{stored:shape} {dtype}"), ("reference", "llama.cpp refuses it: {because}"))
    remedy_text = "make the control vector again"


class GgufAdapterRefused(ContentFinding, frozen=True, kw_only=True):
    """llama.cpp refuses the adapter.

    What it means
        A GGUF adapter must state its type and architecture (`general.type = adapter`, `adapter.type = lora`)
        and contain pairs of matrices for modules of its base. This file violates one of these requirements.
        Norms are skipped without a message.

    Why it matters
        llama.cpp does not apply the adapter; `reference` has its message.

    Example
        error[N514] gguf-adapter-refused: adapter.type
          adapter    loha
          needed     lora
          reference  llama.cpp refuses it: expect adapter.type to be 'lora', but got:
                     loha
          help       convert the adapter again with convert_lora_to_gguf.py

    What to do
        Convert the adapter again with llama.cpp's convert_lora_to_gguf.py, with the base that it was trained on.
    """

    code = "N514"

    problem: str
    stated: str
    wanted: str
    because: str
    names: tuple[str, ...] = ()
    of_base: bool = False

    headline_text = "{problem}"

    def rows(self) -> Rows:
        rows = [("adapter", self.stated)] if self.stated else []
        if self.wanted:
            rows.append(("base" if self.of_base else "needed", self.wanted))
        if self.names:
            rows.append(("tensors", listed(self.names, 3)))
        return [*rows, ("reference", f"llama.cpp refuses it: {self.because}")]

    def remedy(self) -> Remedy:
        if self.of_base:
            return Remedy("use the base that the adapter was trained on, or convert the adapter again")
        return Remedy("convert the adapter again with convert_lora_to_gguf.py")
