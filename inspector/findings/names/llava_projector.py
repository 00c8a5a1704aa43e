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


class LlavaTowerDiffers(ContentFinding, frozen=True, kw_only=True):
    """The vision tower that LLaVA's config names has another width than the stored projector takes.

    What it means
        `mm_vision_tower` names the repository from which LLaVA's code builds the vision tower, also where the weights
        contain a trained one. The projector was trained behind a tower of another width.

    Why it matters
        The code builds the named tower: the stored one does not fit into it, or the first image fails in the projector.

    Example
        error[N648] llava-tower-differs: mm_vision_tower is
          openai/clip-vit-large-patch14-336
          width      1024
          projector  takes 1152
          config     mm_hidden_size = 1152
          fitting    google/siglip-so400m-patch14-384, google/siglip-so400m-patch14-224,
                     google/siglip2-so400m-patch14-384
          help       set "mm_vision_tower" in config.json to the tower that the
                     projector was trained with

    What to do
        Name the tower of the training, or a folder with a copy of it. The name of a local folder must contain the name
        of the repository: the code decides by it which class it builds.
    """

    code = "N648"

    named: str
    width: int
    taken: int
    stated: int | None
    fitting: tuple[str, ...] = ()
    """Known towers of the width that the projector takes."""

    headline_text = "mm_vision_tower is {named}"

    def remedy(self) -> Remedy:
        words = 'set "mm_vision_tower" in config.json to the tower that the projector was trained with'
        own = "" if self.stated in (None, self.taken) else f', and "mm_hidden_size" to {self.taken}'
        return Remedy(f"{words}{own}")

    def rows(self) -> Rows:
        rows = [("width", str(self.width)), ("projector", f"takes {self.taken}")]
        if self.stated is not None:
            rows.append(("config", f"mm_hidden_size = {self.stated}"))
        return [*rows, ("fitting", listed(self.fitting, 3))] if self.fitting else rows


class LlavaTowerUnstored(ContentFinding, frozen=True, kw_only=True):
    """The vision tower was trained with a model of LLaVA's code, and it is not in the file.

    What it means
        `mm_tunable_parts` says which parts were trained, and `mm_vision_tower` is among them. LLaVA-NeXT's code saves
        such a tower with the model, below `model.vision_tower.`; the file has no tensor of it.

    Why it matters
        The code builds the tower from the repository that `mm_vision_tower` names, with the weights from before the
        training: the projector was trained behind others. Without a network it does not load at all.

    Example
        warning[N685] llava-tower-unstored: model.vision_tower
          trained  mm_tunable_parts = mm_vision_tower,mm_mlp_adapter,mm_language_model
          loaded   google/siglip-so400m-patch14-384, untrained
          help     save the model again with the weights of model.vision_tower, or take
                   them from the checkpoint that the training wrote

    What to do
        Take the tensors below `model.vision_tower.` from the checkpoint of the training; with ZeRO-3, gather them
        before saving. If the tower was not changed by the training, take the part out of `mm_tunable_parts`.
    """

    code = "N685"
    severity = "warning"

    parts: str
    named: str

    headline_text = "model.vision_tower"
    row_texts = (("trained", "mm_tunable_parts = {parts}"), ("loaded", "{named}, untrained"))
    remedy_text = (
        "save the model again with the weights of model.vision_tower, or take them from the checkpoint that the "
        "training wrote"
    )


class LlavaTowerUnread(ContentFinding, frozen=True, kw_only=True):
    """A model of LLaVA's code stores the vision tower, which this code loads from another repository.

    What it means
        The config does not say that the tower was trained (`unfreeze_mm_vision_tower`, `mm_tunable_parts`), and the
        headers do not show it: DeepSpeed saves frozen towers too, and a full fine-tune changes them.

    Why it matters
        LLaVA's code builds the tower of `mm_vision_tower` after it has read this file (LLaVA-NeXT's, where it sets
        `delay_load`): the stored one is not used. If it was frozen, nothing changes; if it was trained, the model runs
        with the tower from before the training.

    Example
        note[N757] llava-tower-unread: 2 tensors below model.vision_tower
          loaded  google/siglip-so400m-patch14-384, by its name
          help    if the tower was trained, set "unfreeze_mm_vision_tower": true in
                  config.json: LLaVA reads it from this file; if not, nothing to do

    What to do
        With `"unfreeze_mm_vision_tower": true` LLaVA's code builds the tower first and then reads the stored one. In
        code without this key (LLaVA-Med) save the tower in a folder and name it in `mm_vision_tower`. The
        converters in the repository of transformers take the stored tower.
        Before you remove these tensors, compare them with those of the repository.
    """

    code = "N757"
    severity = "note"

    tensors: int
    named: str

    headline_text = "{tensors:count tensor} below model.vision_tower"
    row_texts = (("loaded", "{named}, by its name"),)
    remedy_text = (
        'if the tower was trained, set "unfreeze_mm_vision_tower": true in config.json: LLaVA reads it from this file; '
        "if not, nothing to do"
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
