"""Findings on llama.cpp's files of towers and projectors, and on architectures that it does not know."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows
from inspector.findings.severity import SeverityIf
from inspector.findings.words import count, number


class ProjectorOfOtherWidth(Finding, frozen=True, kw_only=True):
    """The mmproj file next to a GGUF model gives vectors of another width than the model has.

    What it means
        llama.cpp keeps the towers for images and sound and the projector of a model in a file of their own, whose last
        matrix has as many outputs as the embeddings of the text model have numbers. Here they differ: the two files are
        of models of different sizes.

    Why it matters
        llama.cpp refuses the pair, and programs that load both files by themselves fail.

    Example
        error[N565] projector-of-other-width: mmproj.gguf
          projector  mm.2.weight gives 32 numbers
          model      llama.embedding_length is 48
          reference  llama.cpp refuses the pair: mismatch between text model and mmproj
          help       download the mmproj file of this model; remove this one

    What to do
        Take both files from one repository of the model in its size.
    """

    code = "N565"
    severity = "error"

    tensor: str
    width: int
    key: str
    wanted: int

    headline_text = "{place.file}"
    row_texts = (
        ("projector", "{tensor} gives {width} numbers"),
        ("model", "{key} is {wanted}"),
        ("reference", "llama.cpp refuses the pair: mismatch between text model and mmproj"),
    )
    remedy_text = "download the mmproj file of this model; remove this one"


class ProjectorOfMoreLayers(Finding, frozen=True, kw_only=True):
    """The mmproj file next to a GGUF model gives vectors for several layers, and the model takes those of one.

    What it means
        Qwen 3 VL adds vectors of an image to several layers of the text model. Its mmproj file has a merger for each,
        and its text model states their number (`n_deepstack_layers`). The model in this folder states none, or another
        number: it was converted as a text model of another architecture.

    Why it matters
        llama.cpp compares the numbers of all layers together and refuses the pair.

    Example
        error[N570] projector-of-more-layers: mmproj.gguf
          projector  mm.2.weight and 2 deepstack layers give 3 times 48 numbers
          model      qwen3vl.n_deepstack_layers is not stated
          reference  llama.cpp refuses the pair: mismatch between text model and mmproj
          help       convert the text model as the whole model that the projector is of,
                     or remove the mmproj file

    What to do
        Take both files from one conversion of the model for images.
    """

    code = "N570"
    severity = "error"

    tensor: str
    width: int
    layers: int
    key: str
    wanted: int

    headline_text = "{place.file}"
    remedy_text = "convert the text model as the whole model that the projector is of, or remove the mmproj file"

    def rows(self) -> Rows:
        merged = f"{self.tensor} and {count(self.layers, 'deepstack layer')}" if self.layers else self.tensor
        stated = f"is {self.wanted}" if self.wanted else "is not stated"
        return [
            (
                "projector",
                f"{merged} give{'' if self.layers else 's'} {self.layers + 1} times {number(self.width)} numbers",
            ),
            ("model", f"{self.key} {stated}"),
            ("reference", "llama.cpp refuses the pair: mismatch between text model and mmproj"),
        ]


class NoProjector(Finding, frozen=True, kw_only=True):
    """A GGUF file is named like a projector but contains a text model.

    What it means
        llama.cpp and programs based on it treat a file with `mmproj` in its name as the vision or audio
        towers and the projector of the model in the same folder. This file states the architecture of a text
        model.

    Why it matters
        llama.cpp refuses it as a projector, so the model cannot read images.

    Example
        error[N597] no-projector: mmproj-model-f16.gguf
          states     the architecture llama
          reference  llama.cpp refuses it as a projector
          help       download the mmproj file of the model; rename
                     mmproj-model-f16.gguf, or remove it

    What to do
        Download the right mmproj file; it states the architecture `clip`.
    """

    code = "N597"
    severity = "error"

    stated: str

    headline_text = "{place.file}"
    row_texts = (("states", "the architecture {stated}"), ("reference", "llama.cpp refuses it as a projector"))

    def remedy(self) -> Remedy:
        return Remedy(f"download the mmproj file of the model; rename {self.place.file}, or remove it")


class ProjectorKindMissing(ContentFinding, frozen=True, kw_only=True):
    """An mmproj file does not say what kind of projector it has.

    What it means
        `clip.projector_type` is not in the metadata. Converters of 2023 and 2024 wrote files without it.

    Why it matters
        llama.cpp refuses the file: "unknown projector type".

    Example
        error[N566] projector-kind-missing: clip.projector_type
          reference  llama.cpp refuses it: unknown projector type
          help       set clip.projector_type to mlp, or convert the towers again with a
                     current llama.cpp and --mmproj

    What to do
        The two matrices `mm.0` and `mm.2` of LLaVA are the kind `mlp`. Convert any other again.
    """

    code = "N566"

    kind: str

    headline_text = "clip.projector_type"
    row_texts = (("reference", "llama.cpp refuses it: unknown projector type"),)

    def remedy(self) -> Remedy:
        again = "convert the towers again with a current llama.cpp and --mmproj"
        return Remedy(f"set clip.projector_type to {self.kind}, or {again}" if self.kind else again)


class ProjectorOfOtherKind(ContentFinding, frozen=True, kw_only=True):
    """The blocks of an mmproj file are not those of the kind that it states.

    What it means
        `clip.projector_type` names a kind whose vision blocks have layer norms, and the file has blocks with RMS norms
        and a gate, or the reverse: the file was made from Qwen2.5-VL with a script for Qwen2-VL, for instance.

    Why it matters
        llama.cpp chooses the norms by the kind. An older one refuses the file ("unable to find tensor
        v.blk.0.ln1.bias"), a current one loads it and computes wrong vectors, so that the model describes other images.

    Example
        error[N720] projector-of-other-kind: mmproj.gguf
          states  clip.projector_type qwen2vl_merger
          stored  v.blk.{layer}.ffn_gate.weight, and no v.blk.{layer}.ln1.bias: blocks
                  of qwen2.5vl_merger
          help    convert the towers again with a current llama.cpp and --mmproj

    What to do
        Convert the towers again, or download an mmproj file that a current converter made. The kind alone is not
        enough: each kind has further keys.
    """

    code = "N720"
    severity = "error"

    kind: str
    shown: str
    stored: str
    absent: str

    headline_text = "{place.file}"
    remedy_text = "convert the towers again with a current llama.cpp and --mmproj"

    def rows(self) -> Rows:
        blocks = f": blocks of {self.shown}" if self.shown else ""
        return [
            ("states", f"clip.projector_type {self.kind}"),
            ("stored", f"{self.stored}, and no {self.absent}{blocks}"),
        ]


class ProjectorAlone(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file with the towers and the projector of a model, without its text model.

    What it means
        The file states the architecture `clip`: it has what turns images or sound into vectors for a text model, which
        is in another file.

    Why it matters
        llama.cpp refuses it as a model of its own.

    Example
        note[N567] projector-alone: mmproj.gguf
          kind   mlp
          width  32 numbers for each token of an image
          help   pass it with --mmproj, and the GGUF file of the text model with --model

    What to do
        Nothing, if the text model is elsewhere.
    """

    code = "N567"
    severity = "note"

    kind: str
    width: int
    unknown_to: str = ""
    """The build of llama.cpp that does not know the kind."""

    headline_text = "{place.file}"
    row_texts = (
        ("kind", "{kind}", "kind"),
        ("width", "{width} numbers for each token of an image", "width"),
        ("unknown", "{unknown_to} does not know this kind, and refuses the file", "unknown_to"),
    )
    remedy_text = "pass it with --mmproj, and the GGUF file of the text model with --model"


class GgufArchitectureUnknown(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file states an architecture that llama.cpp does not know, or none.

    What it means
        `general.architecture` names no architecture of the measured build of llama.cpp. The file is for another
        program, or for a newer llama.cpp.

    Why it matters
        llama.cpp and what is built on it refuse the file: "unknown model architecture". ComfyUI-GGUF refuses that of an
        image model: "Unexpected architecture type in GGUF file". A warning if it has another name for it.

    Example
        note[N568] gguf-architecture-unknown: mllama
          read by  Ollama
          source   llama.cpp of October 2026, in xllamacpp 2026.10.11549
          help     load it with Ollama; llama.cpp refuses it

    What to do
        Load it with the program that it was made for. The weights of an image model are those of ComfyUI-GGUF's file:
        with its architecture in the metadata, ComfyUI-GGUF loads it too.
    """

    code = "N568"
    severity = SeverityIf(lambda finding: finding.meant, "warning", "note", usual="note")
    """A warning if ComfyUI-GGUF has another name for this architecture, else a note."""

    stated: str
    source: str
    read_by: str = ""
    meant: str = ""
    """The architecture under which ComfyUI-GGUF loads these tensors."""

    row_texts = (("read by", "{read_by}", "read_by"), ("source", "{source}"))

    def headline(self) -> str:
        return self.stated or "general.architecture is empty"

    def remedy(self) -> Remedy:
        program = self.read_by or "the program that it was made for"
        if self.meant:
            key = f"general.architecture to {self.meant}"
            return Remedy(f"load it with {program}; for ComfyUI-GGUF set {key} with a GGUF editor")
        return Remedy(f"load it with {program}; llama.cpp refuses it")
