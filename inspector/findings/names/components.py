"""Components of models and pipelines."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, listed, number


class ComponentExtra(Finding, frozen=True, kw_only=True):
    """More is stored than the model that the class builds.

    What it means
        A part of the checkpoint is recognised and does not belong to the model of the config's class:
        layers for multi-token prediction, the head of another class, a tower.

    Why it matters
        It is counted apart: the class's model has fewer parameters than the file.

    Example
        note[N410] component-extra: mtp: 785 tensors, 11,610,067,968 parameters beyond
          the class's model
          first  model.layers.{layer}.input_layernorm.weight

    What to do
        Nothing; loaders of this class leave it out.
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


class ComponentMissing(Finding, frozen=True, kw_only=True):
    """A component of the pipeline is not there.

    What it means
        model_index.json names a component with weights, and its folder is absent or empty.

    Why it matters
        The pipeline cannot be loaded as it is.

    Example
        error[N416] component-missing: vae (AutoencoderKL)
          folder  vae/
          help    fetch this folder of the repository

    What to do
        Fetch the folder.
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
        return Remedy(f"fetch {'these folders' if self.components else 'this folder'} of the repository")


class PipelineFlattened(Finding, frozen=True, kw_only=True):
    """A pipeline without its folders.

    What it means
        model_index.json names components in folders, none of which is there, and weights are at the root:
        files of several components were put into one folder.

    Why it matters
        Which component the weights and the config are of is not known; one may describe the other
        falsely.

    Example
        warning[N417] pipeline-flattened: StableDiffusion3Pipeline
          folders  transformer, text_encoder, text_encoder_2, text_encoder_3, vae: none is there
          help     fetch the repository with its folders

    What to do
        Fetch the repository with its folders.
    """

    code = "N417"
    name = "pipeline-flattened"
    severity = "warning"

    class_name: Any = msgspec.field(name="class")
    components: tuple[str, ...]

    def headline(self) -> str:
        return str(self.class_name)

    def rows(self) -> Rows:
        return [("folders", f"{listed(self.components)}: none is there")]

    def remedy(self) -> Remedy:
        return Remedy("fetch the repository with its folders")


class ComponentAbsent(Finding, frozen=True, kw_only=True):
    """The config declares a part beside the model, and nothing of it is stored.

    What it means
        A key of the config gives the number of layers for multi-token prediction, and the checkpoint has none
        of their tensors. Many writers leave them out and leave the key as it was.

    Why it matters
        The model is whole without it. Whoever wants to decode with it needs the checkpoint that has it.

    Example
        note[N423] component-absent: mtp is declared and not stored
          declared  num_nextn_predict_layers = 1
          absent    785 tensors, 11,610,067,968 parameters

    What to do
        Nothing, or fetch the original checkpoint.
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
        return f"{self.component} is declared and not stored"

    def rows(self) -> Rows:
        rows = [("declared", f"{self.key} = {self.value}")]
        if self.parameters is not None:
            rows.append(("absent", f"{count(self.tensors, 'tensor')}, {number(self.parameters)} parameters"))
        return rows


class ComponentClassDiffers(Finding, frozen=True, kw_only=True):
    """The pipeline names another class for a component than the component's own config does.

    What it means
        model_index.json says one class, `_class_name` in the component's config.json another.

    Why it matters
        diffusers builds the class that model_index.json names, with the numbers of a config that is another's. One
        of the two files belongs to another pipeline.

    Example
        error[N424] component-class-differs: transformer
          model_index.json  FluxTransformer2DModel
          its config.json   SD3Transformer2DModel
          help              fetch model_index.json and this folder from one repository

    What to do
        Fetch both from the same repository and revision.
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
        return Remedy("fetch model_index.json and this folder from one repository")
