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
