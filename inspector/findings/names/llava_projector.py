"""Findings on the projector of models that LLaVA's code saves."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import listed


class LlavaProjectorDiffers(ContentFinding, frozen=True, kw_only=True):
    """The projector that LLaVA's config describes is not the one that is stored.

    What it means
        `mm_projector_type` decides which modules LLaVA's code builds between the vision tower and the text model:
        `linear`, also where the key is absent, or `mlp2x_gelu` and the like. The weights have others, or none.

    Why it matters
        The code builds the projector of the config and leaves it randomly initialized: the answers have nothing to
        do with the image.

    Example
        error[N543] llava-projector-differs: mm_projector_type is linear
          expected  model.mm_projector.bias, model.mm_projector.weight
          stored    model.mm_projector.0.bias, model.mm_projector.0.weight,
                    model.mm_projector.2.bias, model.mm_projector.2.weight
          help      set "mm_projector_type": "mlp2x_gelu" in config.json

    What to do
        Set the type that is stored. Where no projector is stored, take it from the checkpoint that was trained:
        `mm_projector.bin`, or `non_lora_trainables.bin` next to an adapter.
    """

    code = "N543"

    stated: str
    expected: tuple[str, ...]
    stored: tuple[str, ...]
    means: str | None = None
    """The type of the stored modules."""

    headline_text = "mm_projector_type is {stated}"

    def rows(self) -> Rows:
        rows = [("expected", listed(self.expected, 4)), ("stored", listed(self.stored, 4))]
        return [row for row in rows if row[1]]

    def remedy(self) -> Remedy:
        if self.means is not None:
            step = Step(action="set", file="config.json", key=("mm_projector_type",), new=self.means)
            return Remedy(f'set "mm_projector_type": "{self.means}" in config.json', (step,))
        if self.stored:
            return Remedy("use the config that the projector was saved with")
        return Remedy(
            "take the projector from the checkpoint that was trained (mm_projector.bin, or non_lora_trainables.bin "
            "next to an adapter) and save it with the model"
        )


class LlavaProjectorAlone(ContentFinding, frozen=True, kw_only=True):
    """The file holds only the projector of a model of LLaVA.

    What it means
        The first stage of LLaVA's training saves the projector alone, next to the config of the whole model.

    Why it matters
        Nothing is wrong: LLaVA's code loads it together with the text model that it was trained for. Nothing else does.

    Example
        note[N544] llava-projector-alone: 4 tensors
          help  load it with LLaVA's code, with the text model as --model-base

    What to do
        Name the text model: `--model-base` in LLaVA's programs.
    """

    code = "N544"
    severity = "note"

    tensors: int

    headline_text = "{tensors:count tensor}"
    remedy_text = "load it with LLaVA's code, with the text model as --model-base"
