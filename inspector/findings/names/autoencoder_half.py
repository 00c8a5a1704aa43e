"""The finding on the encoder or the decoder of an autoencoder alone."""

from __future__ import annotations

from inspector.findings.finding import Remedy, Rows
from inspector.findings.severity import SeverityIf
from inspector.findings.unread_by_diffusers import UnreadByDiffusers
from inspector.findings.words import count


class AutoencoderHalf(UnreadByDiffusers, frozen=True, kw_only=True):
    """The file holds the encoder or the decoder of an autoencoder, in the names of latent-diffusion.

    What it means
        Everything that an AutoencoderKL has in this half is stored, and nothing of the other half: a decoder that was
        trained anew, for a watermark or for sharper images, is published like this. Its shapes give the config. A
        VQModel has the same modules in its halves, and a codebook between them. With a base, its autoencoder is
        compared with this half.

    Why it matters
        diffusers' `from_single_file` builds both halves, and refuses the file (NotImplementedError: Cannot copy out of
        meta tensor). `load_state_dict` with strict=False into a whole autoencoder under latent-diffusion's names takes
        it; into one of diffusers it takes nothing, as these names are other ones.

    Example
        note[N752] autoencoder-half: the decoder of AutoencoderKL alone
          absent  encoder (86 tensors, 534,120 parameters)
          help    for diffusers add the other tensors of the VAE of the base model, in
                  latent-diffusion's names, to this file, and load it with
                  from_single_file

    What to do
        Load it over the whole autoencoder of its base model, with the code that the authors give.
    """

    code = "N752"
    severity = SeverityIf(lambda finding: finding.other_shapes, "error", "note", usual="note")
    refuses = True
    is_all = True

    half: str
    absent: str
    tensors: int
    parameters: int
    base: str = ""
    other_shapes: tuple[str, ...] = ()

    headline_text = "the {half} of AutoencoderKL alone"

    def rows(self) -> Rows:
        rows = [("absent", f"{self.absent} ({count(self.tensors, 'tensor')}, {count(self.parameters, 'parameter')})")]
        if self.base and self.other_shapes:
            differing = f"{count(len(self.other_shapes), 'tensor')} of other shapes, first {self.other_shapes[0]}"
            rows.append(("base", f"{self.base} has {differing}"))
        elif self.base:
            rows.append(("base", f"the {self.half} of {self.base} has the same shapes"))
        return rows

    def behaviour(self) -> str:
        return f"finds no tensor of the {self.absent}, which from_single_file builds, too"

    def reader(self) -> str:
        return "code that loads it over a whole autoencoder under these names (load_state_dict, strict=False)"

    def remedy(self) -> Remedy:
        if self.other_shapes:
            return Remedy(f"use the autoencoder that this {self.half} was trained from as the base")
        whole = self.base or "the VAE of the base model"
        words = f"for diffusers add the other tensors of {whole}, in latent-diffusion's names, to this file"
        return Remedy(f"{words}, and load it with from_single_file")
