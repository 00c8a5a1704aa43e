"""Findings on files next to an adapter."""

from __future__ import annotations

from inspector.findings.finding import Finding


class AdaptersBelow(Finding, frozen=True, kw_only=True):
    """Folders below this one hold other adapters.

    What it means
        PEFT saves the adapter `default` in the folder itself and each other one in a folder of its name; trainers save
        one for each checkpoint. Only the adapter in the folder itself was audited.

    Why it matters
        `PeftModel.from_pretrained` loads the one in the folder; the others are loaded by their own path, and are not
        part of these counts.

    Example
        note[A960] adapters-below: 1 other adapter in folders below: other
          help  pass such a folder to audit its adapter

    What to do
        Audit each folder by itself. The adapters of X-LoRA belong to the network in the folder above.
    """

    code = "A960"
    severity = "note"

    folders: tuple[str, ...]
    count: int

    headline_text = "{count:count other adapter} in folders below: {folders:listed 3}"
    remedy_text = "pass such a folder to audit its adapter"


class TrainedModuleAbsent(Finding, frozen=True, kw_only=True):
    """An adapter of LLaVA's own code lacks the projector that was trained with it.

    What it means
        The training of LLaVA with LoRA saves two files: the adapter of the language model, and non_lora_trainables.bin
        with the projector from the vision tower into it. The second is not here.

    Why it matters
        The base, a language model, has no projector. LLaVA's code asks the Hub for the file and fails; PEFT loads the
        adapter, and the model then sees no image.

    Example
        warning[A994] trained-module-absent: non_lora_trainables.bin
          loader  LLaVA's load_pretrained_model reads it with the adapter
          help    download non_lora_trainables.bin, or copy it from the training's
                  output folder

    What to do
        Put the file into the folder of the adapter.
    """

    code = "A994"
    severity = "warning"

    headline_text = "{place.file:or}"
    row_texts = (("loader", "LLaVA's load_pretrained_model reads it with the adapter"),)
    remedy_text = "download {place.file:or}, or copy it from the training's output folder"
