"""Findings on the entries of model_index.json: which library and class each component of a pipeline has."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import value


class EntryUnknown(ContentFinding, frozen=True, kw_only=True):
    """An entry of model_index.json names a class that its library does not have.

    What it means
        diffusers reads each component with the class that model_index.json names, from the library beside it:
        diffusers, transformers, or a module of diffusers' pipelines. The library does not have this class, under
        no supported version.

    Why it matters
        diffusers refuses the pipeline.

    Example
        error[N475] entry-unknown: unet
          library  diffusers
          class    UNet2DConditionModell: the library does not have it
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
    row_texts = (("library", "{library}"), ("class", "{class_name}: the library does not have it"))

    def remedy(self) -> Remedy:
        if self.meant is None:
            return Remedy("use the model_index.json that belongs to this pipeline")
        return _entry_set(self.component, [self.library, self.class_name], list(self.meant))


class EntryUnreadable(ContentFinding, frozen=True, kw_only=True):
    """An entry of model_index.json is no pair of a library and a class.

    What it means
        The pipeline can be built without this component, but its entry must then be [null, null] or absent.

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
        return [("entry", f"{value(self.entry)}, not a library and a class")]

    def remedy(self) -> Remedy:
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


def _entry_set(component: str, old: Any, new: list[str] | list[None]) -> Remedy:
    """How an entry of model_index.json is corrected."""
    step = Step(action="set", file="model_index.json", key=(component,), old=old, new=new)
    return Remedy(f"set {value(component)}: {value(new)} in model_index.json", (step,))
