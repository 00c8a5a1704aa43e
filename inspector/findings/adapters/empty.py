"""The finding on an adapter that changes nothing."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count


class AdapterEmpty(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """The adapter changes nothing: it has no complete module.

    What it means
        The file is an adapter's by its config or its names, but holds no tensors, or no pair of matrices. Saving a
        model under ZeRO-3 without gathering its weights first leaves such a file, and so does a training script that
        replaces the model's `state_dict` by `get_peft_model_state_dict`, which `save_pretrained` calls again. The
        folders `checkpoint-N` of the run may still have the tensors.

    Why it matters
        Loaders report no error: the base runs as if the adapter did not exist.

    Example
        error[A915] adapter-empty: no tensors
          help  save the adapter again, with the model's own state_dict; under ZeRO-3
                gather the weights first, or set
                stage3_gather_16bit_weights_on_model_save

    What to do
        Copy the file of the training run that has the tensors, save the adapter again from the run's last state, or
        download it again.
    """

    code = "A915"

    tensors: int
    copy: str = ""
    """A file in the folder of a training run with the tensors."""
    of_copy: int = 0
    empty: str = ""
    """The file without tensors."""
    wanted: str = ""
    """The name under which PEFT finds the copy."""

    def rows(self) -> Rows:
        return [("instead", f"{self.copy}: {count(self.of_copy, 'tensor')}")] if self.copy else []

    def headline(self) -> str:
        return f"none of {count(self.tensors, 'tensor')} makes a complete module" if self.tensors else "no tensors"

    def remedy(self) -> Remedy:
        if self.tensors:
            return Remedy("download the adapter again, or save it again from the training run")
        if self.copy:
            instead = f", and remove {self.empty}" if self.empty not in ("", self.wanted) else ""
            return Remedy(f"copy {self.copy} to {self.wanted}{instead}")
        gathered = "under ZeRO-3 gather the weights first, or set stage3_gather_16bit_weights_on_model_save"
        return Remedy(f"save the adapter again, with the model's own state_dict; {gathered}")
