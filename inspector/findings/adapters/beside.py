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


class TowerUnloaded(Finding, frozen=True, kw_only=True):
    """An adapter changes a vision tower that LLaVA's own code loads only after the adapter.

    What it means
        LLaVA's `load_pretrained_model` builds the model without the modules of the vision tower, reads the adapter, and
        then loads the tower from the repository that `mm_vision_tower` names. PEFT finds no module for these tensors.

    Why it matters
        PEFT leaves the tensors out without an error: the tower is the one before the training.

    Example
        note[A984] tower-unloaded: 4 of 6 tensors are in the vision tower
          loader  LLaVA's load_pretrained_model loads the tower after the adapter, which
                  leaves them out
          help    load the tower first: model.get_vision_tower().load_model() before
                  PeftModel.from_pretrained

    What to do
        Load the tower before the adapter, as the training did. With `unfreeze_mm_vision_tower` in config.json LLaVA's
        code loads it when it builds the model.
    """

    code = "A984"
    severity = "note"

    tensors: int
    of: int

    headline_text = "{tensors} of {of:count tensor} are in the vision tower"
    row_texts = (("loader", "LLaVA's load_pretrained_model loads the tower after the adapter, which leaves them out"),)
    remedy_text = "load the tower first: model.get_vision_tower().load_model() before PeftModel.from_pretrained"
