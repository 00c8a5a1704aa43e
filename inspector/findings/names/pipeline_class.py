"""The finding on a pipeline under a class for another generation of Stable Diffusion."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.names.pipelines import INDEX


class PipelineClassUnfit(ContentFinding, frozen=True, kw_only=True):
    """The index names a class of pipelines for another generation of Stable Diffusion than the components are of.

    What it means
        The UNet and the text encoders agree with each other: either both are of Stable Diffusion XL (a second text
        encoder, and a UNet with `"addition_embed_type": "text_time"`), or neither is. The class in model_index.json is
        one for the other generation, as after a script for SDXL was used for a model of Stable Diffusion 1.

    Why it matters
        diffusers loads the pipeline, and each call fails with TypeError (measured with 0.42): a pipeline of SDXL embeds
        sizes that the UNet does not read, and one of Stable Diffusion 1 does not give those that it needs.

    Example
        error[N705] pipeline-class-unfit: StableDiffusionXLPipeline
          unet           without addition_embed_type
          text encoders  text_encoder
          help           set "_class_name": "StableDiffusionPipeline" in model_index.json

    What to do
        Name the class for these components in model_index.json. Where no class of the other generation takes them, take
        the folder from the pipeline that was meant.
    """

    code = "N705"

    class_name: str
    added: str | None
    """`addition_embed_type` of the UNet."""
    encoders: tuple[str, ...]
    needed: str
    """The class of the other generation; "" if diffusers has none that takes these components."""

    headline_text = "{class_name}"

    def rows(self) -> Rows:
        stated = "without addition_embed_type" if self.added is None else f"addition_embed_type {self.added}"
        return [("unet", stated), ("text encoders", ", ".join(self.encoders) or "none")]

    def remedy(self) -> Remedy:
        if not self.needed:
            return Remedy(f"download the components of a {self.class_name}: these are of another model")
        step = Step(action="set", file=INDEX, key=("_class_name",), old=self.class_name, new=self.needed)
        return Remedy(f'set "_class_name": "{self.needed}" in {INDEX}', (step,))
