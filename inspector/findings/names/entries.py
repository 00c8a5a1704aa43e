"""Findings on the entries of model_index.json: which library and class each component of a pipeline has."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import listed, value

INDEX: Final = "model_index.json"


class EntryUnknown(ContentFinding, frozen=True, kw_only=True):
    """An entry of model_index.json names a class that its library does not have.

    What it means
        diffusers reads each component with the class that model_index.json names, from the library next to it:
        diffusers, transformers, or a module of diffusers' pipelines. The library does not have this class, under
        no supported version, or it is none of those that a component may have, such as AutoModel. A pipeline that was
        saved while a component was compiled or prepared for training names the class of torch or accelerate around it.

    Why it matters
        diffusers refuses the pipeline.

    Example
        error[N475] entry-unknown: unet
          library  diffusers
          class    UNet2DConditionModell: the library has no such component
          help     set "unet": ["diffusers", "UNet2DConditionModel"] in model_index.json

    What to do
        Correct the entry, or use the model_index.json of the original repository.
    """

    code = "N475"

    component: str
    library: str
    class_name: str = msgspec.field(name="class")
    meant: tuple[str, str] | None

    headline_text = "{component}"
    row_texts = (("library", "{library}"), ("class", "{class_name}: the library has no such component"))

    def remedy(self) -> Remedy:
        if self.meant is None or self.place.file != INDEX:
            return Remedy(f"use the {self.place.file} that belongs to this pipeline")
        return _entry_set(self.component, [self.library, self.class_name], list(self.meant))


class EntryUnreadable(ContentFinding, frozen=True, kw_only=True):
    """An entry of model_index.json is not a pair of a library and a class.

    What it means
        The pipeline can be built without this component, but its entry must then be [null, null] or absent. In the
        index of a modular pipeline each entry has a type_hint.

    Why it matters
        diffusers refuses the pipeline.

    Example
        error[N476] entry-unreadable: image_encoder
          entry  3, not a library and a class
          help   set "image_encoder": [null, null] in model_index.json, or the library
                 and the class of the component

    What to do
        Correct the entry.
    """

    code = "N476"

    component: str
    entry: Any

    headline_text = "{component}"

    def rows(self) -> Rows:
        if self.place.file != INDEX:
            return [("entry", "states no type_hint, the library and the class of the component")]
        return [("entry", f"{value(self.entry)}, not a library and a class")]

    def remedy(self) -> Remedy:
        if self.place.file != INDEX:
            return Remedy(f"use the {self.place.file} that belongs to this pipeline")
        null = _entry_set(self.component, self.entry, [None, None])
        return Remedy(f"{null.words}, or the library and the class of the component", null.steps)


class EntriesUnused(ContentFinding, frozen=True, kw_only=True):
    """model_index.json names components that the class of the pipeline does not take.

    What it means
        The class has no parameter of this name: the index is of another pipeline, or was made for another version.

    Why it matters
        diffusers loads the pipeline without them. They were not audited.

    Example
        note[N478] entries-unused: image_encoder_2
          pipeline  StableDiffusionPipeline takes none of this name

    What to do
        Nothing, if the pipeline is meant to work without them.
    """

    code = "N478"
    severity = "note"

    class_name: str = msgspec.field(name="class")
    components: tuple[str, ...]

    headline_text = "{components:listed 4}"

    def rows(self) -> Rows:
        names = "this name" if len(self.components) == 1 else "these names"
        return [("pipeline", f"{self.class_name} takes none of {names}")]


class EncodersNull(ContentFinding, frozen=True, kw_only=True):
    """A pipeline was saved without a text encoder and with its tokenizer.

    What it means
        model_index.json states null for the text encoder, and names its tokenizer: the script of a training saved the
        pipeline with `text_encoder=None`.

    Why it matters
        diffusers loads the pipeline without it, and each call with a prompt fails, unless the program gives it a text
        encoder or `prompt_embeds`. Converters to a single file stop.

    Example
        note[N768] encoders-null: text_encoder_2
          pipeline  FluxPipeline, whose tokenizer is named
          help      copy the folder text_encoder_2 of the base and name it in
                    model_index.json; or pass it to from_pretrained

    What to do
        Copy the text encoders of the base, if the training left them as they were, or pass them when loading.
    """

    code = "N768"
    severity = "note"
    advises = True

    class_name: str = msgspec.field(name="class")
    components: tuple[str, ...]

    headline_text = "{components:listed 4}"

    def rows(self) -> Rows:
        named = "tokenizer is" if len(self.components) == 1 else "tokenizers are"
        return [("pipeline", f"{self.class_name}, whose {named} named")]

    def remedy(self) -> Remedy:
        folder, them, both = ("folder", "it", "it") if len(self.components) == 1 else ("folders", "them", "both")
        return Remedy(
            f"copy the {folder} {listed(self.components)} of the base and name {them} in model_index.json; "
            f"or pass {both} to from_pretrained"
        )


class ExtractorMissing(ContentFinding, frozen=True, kw_only=True):
    """A pipeline has a safety checker and no feature extractor.

    What it means
        model_index.json names a safety checker, which reads images that a feature extractor prepares, and names no
        feature extractor.

    Why it matters
        diffusers refuses the pipeline.

    Example
        error[N500] extractor-missing: feature_extractor
          pipeline  StableDiffusionPipeline
          because   its safety_checker needs one
          help      set "safety_checker": [null, null] in model_index.json, or the
                    library and the class of feature_extractor

    What to do
        Use the model_index.json of the original repository, or remove the safety checker from it.
    """

    code = "N500"

    class_name: str = msgspec.field(name="class")
    entry: Any

    headline_text = "feature_extractor"
    row_texts = (("pipeline", "{class_name}"), ("because", "its safety_checker needs one"))

    def remedy(self) -> Remedy:
        null = _entry_set("safety_checker", self.entry, [None, None])
        return Remedy(f"{null.words}, or the library and the class of feature_extractor", null.steps)


class MotionMissing(ContentFinding, frozen=True, kw_only=True):
    """A video pipeline has an image UNet and no motion adapter.

    What it means
        The pipeline puts motion modules into a UNet2DConditionModel and takes their weights from a motion adapter,
        which model_index.json does not name.

    Why it matters
        diffusers loads the pipeline, and all motion modules have random weights.

    Example
        error[N501] motion-missing: motion_adapter
          pipeline  AnimateDiffPipeline
          because   it builds the motion modules of its UNet2DConditionModel at random
          help      use the model_index.json that belongs to this pipeline

    What to do
        Use the model_index.json of the original repository, or add a motion adapter that was trained for this UNet.
    """

    code = "N501"

    class_name: str = msgspec.field(name="class")

    headline_text = "motion_adapter"
    row_texts = (
        ("pipeline", "{class_name}"),
        ("because", "it builds the motion modules of its UNet2DConditionModel at random"),
    )
    remedy_text = "use the model_index.json that belongs to this pipeline"


def _entry_set(component: str, old: Any, new: list[str] | list[None]) -> Remedy:
    """The remedy that corrects an entry of model_index.json."""
    step = Step(action="set", file=INDEX, key=(component,), old=old, new=new)
    return Remedy(f"set {value(component)}: {value(new)} in model_index.json", (step,))
