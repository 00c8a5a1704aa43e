"""Findings on llama.cpp's mmproj file: the towers and the projector of a model."""

from __future__ import annotations

from inspector.findings.finding import Finding


class ProjectorIncomplete(Finding, frozen=True, kw_only=True):
    """The mmproj file lacks tensors of the source's towers or projector.

    What it means
        llama.cpp keeps the towers for images and sound and the projector in a file of their own. Tensors that the
        source has for them are not in it.

    Why it matters
        llama.cpp refuses the file, or the model does not see or hear.

    Example
        error[V846] projector-incomplete: 2 of 55 tensors
          missing     v.blk.3.ffn_up.bias, v.blk.3.ffn_up.weight
          source      visual.blocks.3.mlp.fc1.bias, visual.blocks.3.mlp.fc1.weight
          parameters  21,024
          help        convert again with llama.cpp's converter and --mmproj

    What to do
        Convert again with llama.cpp's converter and --mmproj.
    """

    code = "V846"
    severity = "error"

    tensors: int
    of: int
    names: tuple[str, ...]
    source_names: tuple[str, ...]
    parameters: int
    file: str

    headline_text = "{tensors} of {of:count tensor}"
    row_texts = (
        ("missing", "{names:first tensors}"),
        ("source", "{source_names:first tensors}"),
        ("parameters", "{parameters}"),
    )
    remedy_text = "convert again with llama.cpp's converter and --mmproj"


class ProjectorMismatched(Finding, frozen=True, kw_only=True):
    """Tensors of the mmproj file have other shapes than the source's.

    What it means
        The mmproj file has tensors for the source's towers or projector, but in shapes to which the source's cannot be
        converted: the file is of another size of the model, or damaged.

    Why it matters
        llama.cpp refuses the file, or it does not belong to the text model.

    Example
        error[V847] projector-mismatched: 1 tensor
          such as   v.blk.3.ffn_up.weight
          stored    [288, 73]
          expected  [288, 72]: visual.blocks.3.mlp.fc1.weight
          help      use the mmproj file of this model, or convert again with --mmproj

    What to do
        Use the mmproj file that was made from this model, or convert again with llama.cpp's converter and --mmproj.
    """

    code = "V847"
    severity = "error"

    tensors: int
    names: tuple[str, ...]
    source_names: tuple[str, ...]
    stored: tuple[int, ...]
    expected: tuple[int, ...]
    file: str

    headline_text = "{tensors:count tensor}"
    row_texts = (
        ("such as", "{names:first tensors}"),
        ("stored", "{stored:shape}"),
        ("expected", "{expected:shape}: {source_names[0]}"),
    )
    remedy_text = "use the mmproj file of this model, or convert again with --mmproj"


class NotAProjector(Finding, frozen=True, kw_only=True):
    """The third file of a comparison is not an mmproj file.

    What it means
        Of two targets one holds the text model and one the towers and the projector, as llama.cpp's converter writes
        them. Neither of these is such a file.

    Why it matters
        It was not compared.

    Example
        error[V848] not-a-projector: mmproj.gguf
          architecture  llama
          help          give llama.cpp's mmproj file as the other target

    What to do
        Give the file that the converter wrote with --mmproj.
    """

    code = "V848"
    severity = "error"

    file: str
    architecture: str | None

    headline_text = "{file}"
    row_texts = (("architecture", "{architecture:or unknown}"),)
    remedy_text = "give llama.cpp's mmproj file as the other target"
