"""Components of models and pipelines."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.words import count, listed, number


class ComponentExtra(ContentFinding, frozen=True, kw_only=True):
    """The checkpoint contains more than the model of this class.

    What it means
        A component is recognized but not part of the model that the config's class builds: layers for
        multi-token prediction, the head of another class, a tower.

    Why it matters
        It is counted separately: the model of this class has fewer parameters than the file.

    Example
        note[N410] component-extra: mtp: 785 tensors, 11,610,067,968 parameters beyond
          the class's model
          first  model.layers.{layer}.input_layernorm.weight

    What to do
        Nothing; loaders of this class skip it.
    """

    code = "N410"
    name = "component-extra"
    severity = "note"

    component: str
    parameters: int
    bytes: int
    tensors: int
    families: tuple[str, ...]
    class_name: str | None = msgspec.field(name="class")

    def headline(self) -> str:
        tensors = count(self.tensors, "tensor")
        return f"{self.component}: {tensors}, {number(self.parameters)} parameters beyond the class's model"

    def rows(self) -> Rows:
        return [("first", self.families[0])]


class ComponentMissing(ContentFinding, frozen=True, kw_only=True):
    """A component of the pipeline is missing.

    What it means
        model_index.json lists a component, but its folder is missing or empty, or a scheduler's config is not in it.

    Why it matters
        The pipeline cannot be loaded.

    Example
        error[N416] component-missing: vae (AutoencoderKL)
          folder  vae/
          help    fetch this folder of the repository

    What to do
        Download the folder.
    """

    code = "N416"
    name = "component-missing"

    component: str | None
    class_name: str | None = msgspec.field(name="class")
    components: tuple[str, ...]

    def headline(self) -> str:
        if self.components:
            return f"{len(self.components):,} components"
        return f"{self.component} ({self.class_name})"

    def rows(self) -> Rows:
        return [("folders", listed(self.components))] if self.components else [("folder", str(self.place.file))]

    def remedy(self) -> Remedy:
        return Remedy(f"download {'these folders' if self.components else 'this folder'} of the repository")


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
    name = "component-of-another-model"

    component: str
    key: str
    config: int
    weights: int
    agreeing: str

    def headline(self) -> str:
        return self.component

    def rows(self) -> Rows:
        return [(self.key, f"{self.config} in the config, which fits {self.agreeing}, {self.weights} in the weights")]

    def remedy(self) -> Remedy:
        return Remedy(f"download the weights of {self.component} again: they are of another model")


class PartOfLargerModel(ContentFinding, frozen=True, kw_only=True):
    """The config describes one part of a larger model.

    What it means
        All names of the config's type are below one prefix, and other parts are stored too: the config is that of
        the language model alone, and the weights are those of a model with images, or a teacher was saved with its
        student.

    Why it matters
        A loader that follows the config finds none of its names and uses random values.

    Example
        error[N459] part-of-larger-model: llama is the part below language_model.
          tensors  291 below it, 1 outside
          outside  vision_tower
          help     use the config.json of the whole model; for this part alone save the
                   inner model, or rename: key.removeprefix("language_model.")

    What to do
        Use the config that belongs to these weights, or keep the part that the config describes.
    """

    code = "N459"
    name = "part-of-larger-model"

    model_type: str
    prefix: str
    tensors: int
    without: int
    others: tuple[str, ...]

    def headline(self) -> str:
        return f"{self.model_type} is the part below {self.prefix}"

    def rows(self) -> Rows:
        stored = f"{number(self.tensors)} below it, {number(self.without)} outside"
        return [("tensors", stored), ("outside", listed(self.others, 4))]

    def remedy(self) -> Remedy:
        alone = f'save the inner model, or rename: key.removeprefix("{self.prefix}")'
        return Remedy(f"use the config.json of the whole model; for this part alone {alone}")


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
    name = "pipeline-flattened"
    severity = "warning"

    class_name: Any = msgspec.field(name="class")
    components: tuple[str, ...]

    def headline(self) -> str:
        return str(self.class_name)

    def rows(self) -> Rows:
        return [("folders", f"{listed(self.components)}: all missing")]

    def remedy(self) -> Remedy:
        return Remedy("download the repository with its folders")


class ComponentAbsent(ContentFinding, frozen=True, kw_only=True):
    """The config declares an extra component that is not stored.

    What it means
        A config key gives the number of layers for multi-token prediction, but the checkpoint contains none of
        their tensors. Many programs drop them but keep the key.

    Why it matters
        The model is complete without it. Decoding with it requires a checkpoint that contains it.

    Example
        note[N423] component-absent: mtp is declared but not stored
          declared  num_nextn_predict_layers = 1
          absent    785 tensors, 11,610,067,968 parameters

    What to do
        Nothing, or download the original checkpoint.
    """

    code = "N423"
    name = "component-absent"
    severity = "note"

    component: str
    key: str
    value: int
    tensors: int
    parameters: int | None

    def headline(self) -> str:
        return f"{self.component} is declared but not stored"

    def rows(self) -> Rows:
        rows = [("declared", f"{self.key} = {self.value}")]
        if self.parameters is not None:
            rows.append(("absent", f"{count(self.tensors, 'tensor')}, {number(self.parameters)} parameters"))
        return rows


class UsualPartAbsent(ContentFinding, frozen=True, kw_only=True):
    """A part that the class builds is not stored, as files of this class may.

    What it means
        The class has a module that many uses do not need, such as the pooler of an encoder: sentence encoders are
        often saved without it. The expected count leaves it out.

    Why it matters
        Loaders initialise the module at random. It matters only to code that reads its output (`pooler_output`).

    Example
        note[N433] usual-part-absent: pooler.dense.weight, pooler.dense.bias
          absent  2 tensors, 590,592 parameters
          use     the hidden states are complete; only what reads this module is random

    What to do
        Nothing, unless the output of this module is used.
    """

    code = "N433"
    name = "usual-part-absent"
    severity = "note"

    names: tuple[str, ...]
    tensors: int
    parameters: int | None

    def headline(self) -> str:
        return listed(self.names, 3)

    def rows(self) -> Rows:
        size = "" if self.parameters is None else f", {number(self.parameters)} parameters"
        return [
            ("absent", count(self.tensors, "tensor") + size),
            ("use", "the hidden states are complete; only what reads this module is random"),
        ]


class PipelineIncomplete(ContentFinding, frozen=True, kw_only=True):
    """model_index.json has null for what its pipeline needs, or names no pipeline.

    What it means
        The class of the pipeline cannot be built without these components, and model_index.json has no library and
        class for them. Or it does not name the class of the pipeline.

    Why it matters
        diffusers refuses the pipeline.

    Example
        error[N435] pipeline-incomplete: unet
          pipeline  StableDiffusionPipeline
          help      use the model_index.json that belongs to this pipeline

    What to do
        Use the model_index.json of the original repository.
    """

    code = "N435"
    name = "pipeline-incomplete"

    class_name: str | None = msgspec.field(name="class")
    components: tuple[str, ...]

    def headline(self) -> str:
        return listed(self.components, 4) if self.class_name else "_class_name"

    def rows(self) -> Rows:
        return [("pipeline", self.class_name)] if self.class_name else []

    def remedy(self) -> Remedy:
        return Remedy("use the model_index.json that belongs to this pipeline")


class ComponentClassDiffers(ContentFinding, frozen=True, kw_only=True):
    """The pipeline and a component's config name different classes.

    What it means
        model_index.json names another class than `_class_name` in the component's config.json.

    Why it matters
        diffusers builds the class in model_index.json with a config written for another class. One of the two
        files belongs to another pipeline.

    Example
        error[N424] component-class-differs: transformer
          model_index.json  FluxTransformer2DModel
          its config.json   SD3Transformer2DModel
          help              download model_index.json and this folder from one repository

    What to do
        Download both from the same repository and revision.
    """

    code = "N424"
    name = "component-class-differs"

    component: str
    index: str
    config: str

    def headline(self) -> str:
        return str(self.component)

    def rows(self) -> Rows:
        return [("model_index.json", self.index), ("its config.json", self.config)]

    def remedy(self) -> Remedy:
        return Remedy("download model_index.json and this folder from one repository")
