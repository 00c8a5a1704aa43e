"""The finding on markers of the noise schedule in a single file."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows


class NoiseMarked(Finding, frozen=True, kw_only=True):
    """A tensor of a single file marks that the model predicts v.

    What it means
        A tensor with the name `v_pred` says that the UNet was trained to predict v instead of the noise; `ztsnr` says
        that its last step has no signal. They have no values that count.

    Why it matters
        ComfyUI reads these names for models of SDXL. diffusers' `from_single_file` does not (read in 0.42): it builds a
        scheduler for a model that predicts the noise, and the images are noise.

    Example
        note[N706] noise-marked: the UNet predicts v
          marked by  v_pred, ztsnr
          help       in diffusers, build the scheduler with
                     prediction_type="v_prediction", rescale_betas_zero_snr=True

    What to do
        In diffusers, replace the scheduler of the loaded pipeline: `from_config(pipe.scheduler.config, ...)` of its
        class with these values.
    """

    code = "N706"
    severity = "note"

    marks: tuple[str, ...]
    rescaled: bool
    """True if the last step has no signal."""

    headline_text = "the UNet predicts v"

    def rows(self) -> Rows:
        return [("marked by", ", ".join(self.marks))]

    def remedy(self) -> Remedy:
        more = ", rescale_betas_zero_snr=True" if self.rescaled else ""
        return Remedy(f'in diffusers, build the scheduler with prediction_type="v_prediction"{more}')
