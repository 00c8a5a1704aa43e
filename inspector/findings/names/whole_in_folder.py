"""Notes on a single file with a whole pipeline: in a folder that is no pipeline, and with a matrix stored twice."""

from __future__ import annotations

from inspector.findings.finding import Finding
from inspector.findings.unread_by_diffusers import UnreadByDiffusers


class SingleFileInFolder(UnreadByDiffusers, frozen=True, kw_only=True):
    """The folder has a diffusion model in a single file, and no model_index.json.

    What it means
        The file has the names of its first authors, as web UIs and ComfyUI read them. `from_pretrained` of diffusers
        reads folders with a model_index.json and a folder for each component.

    Why it matters
        `DiffusionPipeline.from_pretrained` refuses the folder (OSError: no file named model_index.json).
        `from_single_file` loads the file.

    Example
        note[N754] single-file-in-folder: model.safetensors; no model_index.json
          help  load model.safetensors with from_single_file, or put it in
                models/checkpoints of ComfyUI; from_pretrained refuses the folder

    What to do
        Give the file, not the folder, to `from_single_file`, or to a program for single files.
    """

    code = "N754"
    severity = "note"
    advises = True
    refuses = True
    is_all = True

    file: str

    headline_text = "{file}; no model_index.json"
    remedy_text = (
        "load {file} with from_single_file, or put it in models/checkpoints of ComfyUI; from_pretrained refuses the "
        "folder"
    )

    def behaviour(self) -> str:
        return "finds no model_index.json in the folder"

    def reader(self) -> str:
        return f"from_single_file with {self.file}"


class ProjectionStoredTwice(Finding, frozen=True, kw_only=True):
    """A single file of SDXL stores the text projection of its second text encoder twice.

    What it means
        OpenCLIP's `text_projection` is a matrix without `.weight`; transformers' class has its transpose with it. Some
        versions of ComfyUI saved both. The values were not compared.

    Why it matters
        It is harmless: diffusers' `from_single_file`, ComfyUI and sd-scripts read one of both, and build the encoder
        completely. A program that accepts no other name than OpenCLIP's refuses the second one.

    Example
        note[N753] projection-stored-twice:
          conditioner.embedders.1.model.text_projection
          also  conditioner.embedders.1.model.text_projection.weight
          help  nothing to do for diffusers and ComfyUI; for a program that refuses it,
                save the file without it

    What to do
        Nothing, or save the file without the second one.
    """

    code = "N753"
    severity = "note"

    first: str
    others: tuple[str, ...]

    headline_text = "{first}"
    row_texts = (("also", "{others:listed 4}"),)
    remedy_text = "nothing to do for diffusers and ComfyUI; for a program that refuses it, save the file without it"
