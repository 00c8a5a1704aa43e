"""Components of models and pipelines."""

from __future__ import annotations

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
        model_index.json lists a component, but its folder is missing or empty, or lacks the file that it is read from:
        a scheduler's or an image processor's config, the vocabulary of a tokenizer.

    Why it matters
        diffusers refuses the pipeline. Of a tokenizer without its vocabulary transformers 5 builds an empty one, which
        knows no word.

    Example
        error[N416] component-missing: vae (AutoencoderKL)
          folder  vae/
          help    fetch this folder of the repository

    What to do
        Download the folder.
    """

    code = "N416"

    component: str | None
    class_name: str | None = msgspec.field(name="class")
    components: tuple[str, ...]

    def headline(self) -> str:
        if len(self.components) > SHOWN:
            return f"{len(self.components):,} components"
        return listed(self.components) if self.components else f"{self.component} ({self.class_name})"

    def rows(self) -> Rows:
        return [("folders", listed(self.components))] if self.components else [("folder", str(self.place.file))]

    def remedy(self) -> Remedy:
        return Remedy(f"download {'these folders' if self.components else 'this folder'} of the repository")


SHOWN = 4
"""Most components that a headline names."""


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
