"""What a diffusion model in a single file consists of."""

from __future__ import annotations

from inspector.findings.finding import Finding
from inspector.findings.words import listed


class SingleFileParts(Finding, frozen=True, kw_only=True):
    """A single file of a diffusion model lacks other components of its pipeline.

    What it means
        The file holds the network that removes noise, without an autoencoder or without any text encoder. Many such
        files are published: what is the same in all fine-tunes of a model is left out.

    Why it matters
        diffusers' `from_single_file` of a pipeline refuses a file without a component that it is not given; ComfyUI
        loads it as a diffusion model alone.

    Example
        note[N495] single-file-parts: unet; no vae, no text encoder
          help  load the others from the base model, and pass them to from_single_file

    What to do
        Load the other components from the model that this one was made of.
    """

    code = "N495"
    severity = "note"

    present: tuple[str, ...]
    absent: tuple[str, ...]

    remedy_text = "load the others from the base model, and pass them to from_single_file"

    def headline(self) -> str:
        return f"{listed(self.present)}; {', '.join(f'no {one}' for one in self.absent)}"
