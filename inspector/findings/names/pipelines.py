"""Findings on components of a pipeline: exchanged, with other widths, of another model, or of another class."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import listed

INDEX: Final = "model_index.json"


class ComponentWidthDiffers(ContentFinding, frozen=True, kw_only=True, omit_defaults=True):
    """Two components of a pipeline do not match.

    What it means
        The denoiser takes text of one width, and the text encoders of the pipeline give another; or its latents have
        other channels than those of the VAE, or its input than the class of the pipeline gives it (with a mask, an
        image, or neither); or a motion adapter has other blocks than the UNet that it is put into. Each component is
        whole by itself: one of them is of another model. A ControlNet, a VAE or a denoiser alone is compared so with
        the pipeline that --base names.

    Why it matters
        diffusers loads the pipeline, and each call fails with shapes that cannot be multiplied. It refuses a motion
        adapter that does not fit.

    Example
        error[N453] component-width-differs: unet
          cross_attention_dim       768
          text_encoder.hidden_size  1024
          help                      download these folders from one repository: one of them
                                    is of another model

    What to do
        Download the components from one repository and revision. A denoiser for filling, or for an additional image,
        needs the class of pipeline that gives it these channels: name it in model_index.json.
    """

    code = "N453"

    component: str
    key: str
    width: int
    encoders: tuple[str, ...]
    widths: tuple[int, ...]
    beside: tuple[int, int] | None = None
    """Number of embedded numbers next to the text, and the width of each."""

    class_name: str = ""
    class_of_input: str = ""
    """A class of pipelines that gives the denoiser the channels it reads; `class_name`: the one in the index."""
    used_as: str = ""
    """The component as which the audited network was compared with a pipeline; "" for the audit of a pipeline."""

    headline_text = "{component}"

    def remedy(self) -> Remedy:
        if self.used_as:
            return Remedy(f"use it in a pipeline of its own model, or a {self.used_as} made for this one")
        if self.class_of_input:
            step = Step(action="set", file=INDEX, key=("_class_name",), old=self.class_name, new=self.class_of_input)
            return Remedy(f'set "_class_name": "{self.class_of_input}" in {INDEX}: it gives this input', (step,))
        return Remedy("download these folders from one repository: one of them is of another model")

    def rows(self) -> Rows:
        given = " + ".join(map(str, self.widths)) + (f" = {sum(self.widths)}" if len(self.widths) > 1 else "")
        taken = str(self.width)
        if self.beside is not None:
            times, each = self.beside
            taken += f" = {times} * {each} + {self.width - times * each}"
        return [(self.key, taken), (" + ".join(self.encoders), given)]


class ComponentClassUnfit(ContentFinding, frozen=True, kw_only=True):
    """The pipeline needs another class for a component than its index names.

    What it means
        model_index.json names CLIPTextModel for a text encoder whose pooled and projected output the pipeline needs:
        it was loaded, and often saved, with the class of the other text encoder.

    Why it matters
        diffusers loads the pipeline, and each call fails: this class gives no projected output.

    Example
        error[N541] component-class-unfit: text_encoder_2
          model_index.json           CLIPTextModel
          StableDiffusionXLPipeline  needs CLIPTextModelWithProjection
          help                       name CLIPTextModelWithProjection for text_encoder_2
                                     in model_index.json

    What to do
        Name the class in model_index.json. Where the weights have no text_projection, take the folder from the pipeline
        that was trained: there the projection is stored.
    """

    code = "N541"

    component: str
    pipeline: str
    index: str
    needed: str
    stored: bool

    headline_text = "{component}"

    def rows(self) -> Rows:
        lacking = [] if self.stored else [("weights", "without text_projection.weight")]
        return [("model_index.json", self.index), (self.pipeline, f"needs {self.needed}"), *lacking]

    def remedy(self) -> Remedy:
        if not self.stored:
            return Remedy(
                f"take {self.component} and model_index.json from the pipeline that this one was made from: the "
                "projection is not stored here"
            )
        entry = ["transformers", self.needed]
        step = Step(action="set", file="model_index.json", key=(self.component,), new=entry)
        return Remedy(f"name {self.needed} for {self.component} in model_index.json", (step,))


class ComponentOfAnotherModel(ContentFinding, frozen=True, kw_only=True):
    """The weights of a component belong to another pipeline.

    What it means
        The component's config agrees with the other components, and its weights have another width. A VAE of FLUX or
        SD3 has 16 latent channels, one of Stable Diffusion 4.

    Why it matters
        diffusers refuses the weights; with a config changed to fit them, the pipeline fails where the components meet.

    Example
        error[N458] component-of-another-model: vae
          latent_channels  4 in the config, which fits unet.in_channels, 16 in the
                           weights
          help             download the weights of vae again: they are of another model

    What to do
        Download the weights from the repository of the pipeline.
    """

    code = "N458"

    component: str
    key: str
    config: int
    weights: int
    agreeing: str

    headline_text = "{component}"
    remedy_text = "download the weights of {component} again: they are of another model"

    def rows(self) -> Rows:
        return [(self.key, f"{self.config} in the config, which fits {self.agreeing}, {self.weights} in the weights")]


class ComponentsExchanged(ContentFinding, frozen=True, kw_only=True):
    """The weight files of two components are exchanged.

    What it means
        Each of the two files fits the config of the other component completely, and neither or only one fits its own:
        the files were put into the wrong folders.

    Why it matters
        diffusers refuses the shapes, or builds a component with the weights of the other one.

    Example
        error[N480] components-exchanged: text_encoder, text_encoder_2
          files  text_encoder/model.safetensors, text_encoder_2/model.safetensors: each
                 fits the other config
          help   exchange the two files

    What to do
        Exchange the files.
    """

    code = "N480"

    components: tuple[str, ...]
    files: tuple[str, ...]

    headline_text = "{components:listed}"

    def rows(self) -> Rows:
        return [("files", f"{listed(self._paths())}: each fits the other config")]

    def _paths(self) -> list[str]:
        return [f"{folder}/{file}" for folder, file in zip(self.components, self.files, strict=True)]

    def remedy(self) -> Remedy:
        first, second = self._paths()
        between = f"{self.components[1]}/{self.files[0]}.exchanged"
        moves = ((first, between), (second, first), (between, second))
        return Remedy("exchange the two files", tuple(Step(action="move", file=old, new=new) for old, new in moves))


class PipelineFlattened(ContentFinding, frozen=True, kw_only=True):
    """The folders of the pipeline are missing.

    What it means
        model_index.json lists components in folders, none of which exists, and there are weights in the root
        folder: files of several components were put into one folder.

    Why it matters
        It is unknown which component the weights and the config belong to; they may not belong together.

    Example
        warning[N417] pipeline-flattened: StableDiffusion3Pipeline
          folders  transformer, text_encoder, text_encoder_2, text_encoder_3, vae: none is there
          help     download the repository with its folders

    What to do
        Download the repository with its folders.
    """

    code = "N417"
    severity = "warning"

    class_name: Any = msgspec.field(name="class")
    components: tuple[str, ...]

    row_texts = (("folders", "{components:listed}: all missing"),)
    remedy_text = "download the repository with its folders"

    def headline(self) -> str:
        return str(self.class_name)


class PipelineIncomplete(ContentFinding, frozen=True, kw_only=True):
    """model_index.json does not name what its pipeline needs, or names no pipeline.

    What it means
        The class of the pipeline cannot be built without these components, and model_index.json has no library and
        class for them. Or it does not name the class of the pipeline, or misspells it. `optional`: the class can be
        built without the component, but its folder is there, and its width is what the denoiser lacks.

    Why it matters
        diffusers refuses the pipeline; without an optional encoder it loads it, and every call fails.

    Example
        error[N435] pipeline-incomplete: scheduler, tokenizer, unet, vae
          pipeline  StableDiffusionPipeline
          because   model_index.json names no library and class for it
          help      use the model_index.json that belongs to this pipeline

    What to do
        Use the model_index.json of the original repository, or name the component that is in its folder.
    """

    code = "N435"

    class_name: str | None = msgspec.field(name="class")
    components: tuple[str, ...]
    meant: str = ""
    """The pipeline of diffusers with a similar name, if it has none of this class."""
    entries: tuple[tuple[str, str], ...] = ()
    """The library and class of each of the components, if the folders of all name one."""
    optional: bool = False
    """True if the class can be built without it, and the denoiser reads what it gives."""

    def headline(self) -> str:
        return listed(self.components, 4) if self.class_name and not self.meant else "_class_name"

    def rows(self) -> Rows:
        if not self.class_name:
            return [("because", "model_index.json does not name the class of the pipeline")]
        if self.meant:
            return [("pipeline", self.class_name), ("because", "diffusers has no such class")]
        because = "model_index.json names no library and class for it"
        if self.optional:
            because += ", and the width of the others lacks its own"
        null = [("because", because)] if self.components else []
        return [("pipeline", self.class_name), *null]

    def remedy(self) -> Remedy:
        if self.meant:
            step = Step(action="set", file=INDEX, key=("_class_name",), old=self.class_name, new=self.meant)
            return Remedy(f'set "_class_name": "{self.meant}" in {INDEX}', (step,))
        if self.entries:
            named = dict(zip(self.components, self.entries, strict=True))
            steps = tuple(Step(action="set", file=INDEX, key=(name,), new=[*one]) for name, one in named.items())
            return Remedy(f"set {', '.join(map(_entry, named.items()))} in {INDEX}", steps)
        return Remedy("use the model_index.json that belongs to this pipeline")


def _entry(named: tuple[str, tuple[str, str]]) -> str:
    name, (library, class_name) = named
    return f'"{name}": ["{library}", "{class_name}"]'


class ComponentClassDiffers(ContentFinding, frozen=True, kw_only=True, omit_defaults=True):
    """The pipeline and a component's config name different classes.

    What it means
        model_index.json names another class than `_class_name` in the component's config.json. Two folders may have
        each other's content.

    Why it matters
        diffusers builds the class in model_index.json with a config written for another class. One of the two
        files belongs to another pipeline.

    Example
        error[N424] component-class-differs: transformer
          model_index.json  FluxTransformer2DModel
          its config.json   SD3Transformer2DModel
          help              download model_index.json and this folder from one repository

    What to do
        If the pipeline takes only one of the two classes, name it in model_index.json, or take the folder that has it.
        Otherwise download both from the same repository and revision.
    """

    code = "N424"

    component: str
    index: str
    config: str
    exchanged: str | None = None
    library: str = ""
    """The library of the config's class, if the pipeline takes this class and not the one in its index."""
    taken: bool = False
    """Whether the pipeline takes the class in its index and not that of the config."""

    row_texts = (("model_index.json", "{index}"), ("its config.json", "{config}"))

    def headline(self) -> str:
        return f"{self.component} and {self.exchanged}, exchanged" if self.exchanged else str(self.component)

    def remedy(self) -> Remedy:
        if self.exchanged:
            return Remedy(f"exchange the folders {self.component} and {self.exchanged}: each has what the other needs")
        if self.library:
            entry = [self.library, self.config]
            step = Step(action="set", file="model_index.json", key=(self.component,), new=entry)
            return Remedy(f"name {self.config} for {self.component} in model_index.json", (step,))
        if self.taken:
            return Remedy(f"download this folder again: the pipeline needs {self.index} there")
        return Remedy("download model_index.json and this folder from one repository")
