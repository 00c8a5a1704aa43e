"""Findings on the config of a text model with the weights of a multimodal model."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows, Step
from inspector.findings.words import count, listed, number


class Submodels(msgspec.Struct, frozen=True):
    """The tensors below a module of a multimodal model."""

    prefix: str
    tensors: int


class TextModelAlone(ContentFinding, frozen=True, kw_only=True):
    """The weights are those of a multimodal model, the config is that of its text model.

    What it means
        Every name is one of a multimodal model whose text model is the one that config.json describes: `text_config` of
        the original config was saved as the whole config.

    Why it matters
        Loaders build the text model alone. Its tensors have longer names here, so that it keeps random values, and the
        vision or audio models are left out.

    Example
        error[N448] text-model-alone: config.json describes only the text model of llava
          config  llama (LlamaForCausalLM)
          names   those of llava
          also    vision_tower (39 tensors), multi_modal_projector (4 tensors)
          help    use the config.json of the llava model that these weights are from

    What to do
        Use the config of the multimodal model. For the text model alone, load the multimodal model and save its
        language model.
    """

    code = "N448"
    of_another_type = True

    file: str
    claimed: str
    class_name: str | None = msgspec.field(name="class")
    of: tuple[str, ...]
    submodels: tuple[Submodels, ...]
    stored: int

    headline_text = "{file} describes only the text model of {of[0]}"
    remedy_text = "use the config.json of the {of[0]} model that these weights are from"

    @classmethod
    def milder(cls) -> type[Finding] | None:
        return TextModelOfMore

    def rows(self) -> Rows:
        claimed = f"{self.claimed} ({self.class_name})" if self.class_name else self.claimed
        also = ", ".join(f"{one.prefix} ({count(one.tensors, 'tensor')})" for one in self.submodels)
        return [("config", claimed), ("names", f"those of {listed(self.of, 4)}"), ("also", also)]


class TextModelOfMore(TextModelAlone, frozen=True, kw_only=True):
    """The config is that of a text model, and a vision or audio model is stored too.

    What it means
        Every name is one of a multimodal model whose text model is the one that config.json describes. The text model
        has the same names alone, and the loader reads it completely.

    Why it matters
        The vision or audio model that is stored as well is not loaded.

    Example
        warning[N449] text-model-of-more: config.json describes only the text model of
          mllama
          config  mllama_text_model (MllamaForCausalLM)
          names   those of mllama
          also    vision_model (149 tensors), multi_modal_projector (2 tensors)
          help    use the config.json of the mllama model that these weights are from

    What to do
        Nothing, if only the text model is wanted; the rest can be removed. Otherwise use the config of the multimodal
        model.
    """

    code = "N449"
    severity = "warning"


FURTHER_TOKENS = "mtp"
"""The part that predicts further tokens, which mlx-vlm does not need either."""


class LeftOutByMlx(ContentFinding, frozen=True, kw_only=True):
    """A conversion for mlx-lm lacks the parts that mlx-lm does not have.

    What it means
        The config is that of the whole model. Of some of its parts no tensor is stored: towers, projectors, or layers
        that predict further tokens. mlx-lm's class for this model type does not have them, and leaves them out of its
        conversions.

    Why it matters
        mlx-lm loads it completely. Programs that need these parts, such as mlx-vlm for images, cannot load it. The
        formula counts what mlx-lm has.

    Example
        note[N630] left-out-by-mlx: multi_modal_projector, vision_tower are not stored:
          mlx-lm's mistral3 does not have them
          without  24 tensors, 108,144 parameters
          loaders  mlx-lm loads the text model; mlx-vlm, which has these parts, refuses
                   it

    What to do
        Nothing, for text. For images or audio convert the original checkpoint with mlx-vlm.
    """

    code = "N630"
    severity = "note"

    modules: tuple[str, ...]
    tensors: int
    parameters: int | None
    model_type: str

    def headline(self) -> str:
        verb, them = ("is", "it") if len(self.modules) == 1 else ("are", "them")
        return f"{listed(self.modules, 4)} {verb} not stored: mlx-lm's {self.model_type} does not have {them}"

    def rows(self) -> Rows:
        counted = "" if self.parameters is None else f", {number(self.parameters)} parameters"
        rows: Rows = [("without", f"{count(self.tensors, 'tensor')}{counted}")]
        if set(self.modules) != {FURTHER_TOKENS}:
            rows.append(("loaders", "mlx-lm loads the text model; mlx-vlm, which has these parts, refuses it"))
        return rows


class ConfigOfLargerModel(ContentFinding, frozen=True, kw_only=True):
    """The weights are those of a text model, the config is that of the multimodal model it is from.

    What it means
        Every name is one of the text model that `text_config` describes: the language model was saved alone, and
        config.json is still that of the whole model.

    Why it matters
        Loaders build the whole model and leave it randomly initialized, or take the defaults of the text model's
        class for its sizes.

    Example
        error[N481] config-of-larger-model: the weights are those of the text model in
          text_config
          config  gemma3
          names   those of gemma3_text
          class   Gemma3TextModel
          help    make text_config the config.json, with "architectures":
                  ["Gemma3TextModel"]

    What to do
        Use the object under `text_config` as the config.json, with the class of the text model.
    """

    code = "N481"
    of_another_type = True

    file: str
    claimed: str
    of: str
    class_name: str = msgspec.field(name="class")
    key: str
    changed: dict[str, Any]
    removed: tuple[str, ...]
    renames: tuple[tuple[str, str], ...] = ()
    """(stored name, name of the class) as patterns, if the class has other names."""

    headline_text = "the weights are those of the text model in {key}"
    row_texts = (("config", "{claimed}"), ("names", "those of {of}"), ("class", "{class_name}"))

    def remedy(self) -> Remedy:
        steps = [Step(action="set", file=self.file, key=(key,), new=new) for key, new in self.changed.items()]
        steps.extend(Step(action="remove", file=self.file, key=(key,)) for key in self.removed)
        words = f'make {self.key} the {self.file}, with "architectures": ["{self.class_name}"]'
        if self.renames:
            old, new = self.renames[0]
            words = f"{words}, and rename the tensors as the class has them, such as {old} to {new}"
        steps.extend(Step(action="rename", old=stored, new=expected) for stored, expected in self.renames)
        return Remedy(words, tuple(steps))
