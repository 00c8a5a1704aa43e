"""The note on an autoencoder in a single file under the names of diffusers."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding


class VaeNamesOfDiffusers(ContentFinding, frozen=True, kw_only=True):
    """A VAE in a single file has diffusers' names, which some web UIs do not read.

    What it means
        The file of a `vae` folder of diffusers was given another name, or saved alone. Its tensors are those of Stable
        Diffusion's VAE under diffusers' names (`decoder.up_blocks.0`), not under those of latent-diffusion
        (`decoder.up.3`).

    Why it matters
        diffusers, with its config, and ComfyUI read these names. AUTOMATIC1111's web UI loads the file strictly into
        its own class, and refuses it (Missing key(s) in state_dict).

    Example
        note[N756] vae-names-of-diffusers: AutoencoderKL
          loaders  diffusers (with its config.json) and ComfyUI read these names;
                   AUTOMATIC1111's web UI does not
          help     nothing for diffusers and ComfyUI; for that web UI take the file of
                   this VAE under latent-diffusion's names, or convert a pipeline with
                   it by convert_diffusers_to_original_stable_diffusion.py of diffusers

    What to do
        Nothing for diffusers and ComfyUI. For the web UI take the other file of the same VAE, or convert it.
    """

    code = "N756"
    severity = "note"

    headline_text = "AutoencoderKL"
    row_texts = (
        (
            "loaders",
            "diffusers (with its config.json) and ComfyUI read these names; AUTOMATIC1111's web UI does not",
        ),
    )
    remedy_text = (
        "nothing for diffusers and ComfyUI; for that web UI take the file of this VAE under latent-diffusion's names, "
        "or convert a pipeline with it by convert_diffusers_to_original_stable_diffusion.py of diffusers"
    )
