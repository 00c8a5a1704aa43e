"""The base of findings on weights that diffusers does not read as they are."""

from __future__ import annotations

from typing import ClassVar

from inspector.findings.finding import Finding


class UnreadByDiffusers(Finding, frozen=True, kw_only=True):
    """Base of findings that state what diffusers does with weights made for another program.

    refuses: it raises; otherwise it leaves tensors out. is_all: nothing else follows from the finding, so that it is
    not reported beside the finding that the loader fails. of_all_names: it is on every name, so that a finding on some
    of the tensors is the better reason.
    """

    refuses: ClassVar[bool] = False
    is_all: ClassVar[bool] = False
    of_all_names: ClassVar[bool] = False

    def behaviour(self) -> str:
        """What diffusers does, as in "it finds no tensor of the encoder"."""
        raise NotImplementedError

    def because(self) -> str:
        """Why diffusers does not load the weights."""
        return f"it {self.behaviour()}"

    def is_refused(self) -> bool:
        """True if diffusers was measured to refuse the weights; otherwise it may leave tensors out."""
        return self.refuses

    def reader(self) -> str:
        """What reads the weights instead."""
        return "ComfyUI"

    def is_read_elsewhere(self) -> bool:
        """False if only the program that wrote the weights is known to read them."""
        return True

    def applies(self) -> bool:
        """False if diffusers reads other tensors of the file."""
        return True

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        return None if self.is_all and because == self.because() else self
