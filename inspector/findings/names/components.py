"""Findings on components of models and pipelines."""

from __future__ import annotations

from typing import Final

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.words import count, listed, number, shape


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

    row_texts = (("first", "{families[0]}"),)

    def headline(self) -> str:
        tensors = count(self.tensors, "tensor")
        return f"{self.component}: {tensors}, {number(self.parameters)} parameters beyond the class's model"


class ComponentMissing(ContentFinding, frozen=True, kw_only=True):
    """A component of the pipeline is missing.

    What it means
        model_index.json lists a component, but its folder is missing or empty, or lacks the file that it is read from:
        a scheduler's or an image processor's config, the vocabulary of a tokenizer or one of its two files. Where one
        other folder has the content of such a component, it was renamed, or moved.

    Why it matters
        diffusers refuses the pipeline. Of a tokenizer without its vocabulary transformers 5 builds an empty one, which
        knows no word.

    Example
        error[N416] component-missing: vae (AutoencoderKL)
          folder  vae/
          help    fetch this folder of the repository

    What to do
        Download the folder, or give it its name back.
    """

    code = "N416"

    component: str | None
    class_name: str | None = msgspec.field(name="class")
    components: tuple[str, ...]
    stored_as: str = ""
    """The folder with the content of this component."""

    def headline(self) -> str:
        if len(self.components) > SHOWN:
            return f"{len(self.components):,} components"
        return listed(self.components) if self.components else f"{self.component} ({self.class_name})"

    def rows(self) -> Rows:
        if self.components:
            return [("folders", listed(self.components))]
        stored = [("stored in", f"{self.stored_as}/")] if self.stored_as else []
        return [("folder", str(self.place.file)), *stored]

    def remedy(self) -> Remedy:
        if self.stored_as == f"{self.component}/{self.component}":
            return Remedy(f"move the files of {self.stored_as} into {self.component}")
        if self.stored_as:
            return Remedy(f"rename the folder {self.stored_as} to {self.component}, or download {self.component}")
        if self.component in LEFT_OUT:
            null = f'"{self.component}": [null, null]'
            return Remedy(f"download this folder of the repository, or set {null} in model_index.json to go without it")
        return Remedy(f"download {'these folders' if self.components else 'this folder'} of the repository")


LEFT_OUT: Final = ("safety_checker",)
"""Components without which the pipelines that accept them work in the same way."""
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
          help     use the config.json and the class of the whole model; for this part
                   alone keep the tensors below language_model. and rename them:
                   key.removeprefix("language_model.")

    What to do
        Use the config that belongs to these weights, or keep the part that the config describes.
    """

    code = "N459"

    model_type: str
    prefix: str
    tensors: int
    without: int
    others: tuple[str, ...]
    heads: tuple[str, ...] = ()
    """The first parts of names outside that the class of the config has."""
    root: str = ""
    """What has to replace the prefix for the class of the config, stated if there are heads."""

    headline_text = "{model_type} is the part below {prefix}"

    def rows(self) -> Rows:
        stored = f"{number(self.tensors)} below it, {number(self.without)} outside"
        return [("tensors", stored), ("outside", listed(self.others, 4))]

    def remedy(self) -> Remedy:
        alone = f'keep the tensors below {self.prefix} and rename them: key.removeprefix("{self.prefix}")'
        if self.heads:
            kept = listed(tuple(f"{head}.*" for head in self.heads))
            removed = f'remove "{self.prefix}" from the names'
            instead = f'begin the names with "{self.root}" in place of "{self.prefix}"' if self.root else removed
            alone = f"{instead} and keep {kept} beside them"
        return Remedy(f"use the config.json and the class of the whole model; for this part alone {alone}")


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
        Nothing, or download the original checkpoint; after a training that left them out, copy the tensors from the
        base model under the same names. For a GGUF file: older builds of llama.cpp look for the tensors of
        these layers and refuse the file; correct the two numbers in its metadata if it has to load there.
    """

    code = "N423"
    severity = "note"

    component: str
    key: str
    value: int
    tensors: int
    parameters: int | None
    refused_until: str = ""
    """The last measured build of llama.cpp that refuses a GGUF file without these layers, if a later one loads it."""
    loaded_from: str = ""
    """The first measured build that loads it."""
    first: str = ""
    """The tensor that the older builds do not find."""
    without: dict[str, int] | None = None
    """The keys of the metadata, with their values for a model without these layers."""

    headline_text = "{component} is declared but not stored"

    def rows(self) -> Rows:
        rows = [("declared", f"{self.key} = {self.value}")]
        if self.parameters is not None:
            rows.append(("absent", f"{count(self.tensors, 'tensor')}, {number(self.parameters)} parameters"))
        if self.without:
            keys = " and ".join(f'"{key}": {value}' for key, value in self.without.items())
            found = f"{self.first} not found; {self.loaded_from} loads it"
            rows.append(("older", f"llama.cpp {self.refused_until} refuses it: tensor {found}"))
            rows.append(
                ("for older", f'set {keys} in the metadata, or "num_nextn_predict_layers": 0 before converting')
            )
        return rows


class DraftHead(ContentFinding, frozen=True, kw_only=True):
    """The weights are a draft head of EAGLE or DFlash, not a model.

    What it means
        `fc.weight` joins the embedding of a token with the last hidden state of a larger model, the first layer has no
        norm before its attention, and the final norm and the head are those of the larger model. In EAGLE-3 it joins
        three hidden states, and the one layer is named `midlayer`. A draft of DFlash joins several, too, and fills
        in a block of tokens.

    Why it matters
        It proposes tokens to the model that it was trained for. By itself it does not load: transformers builds the
        class of the config with random norms and a random head.

    Example
        note[N460] draft-head: an EAGLE draft head of the type llama
          joins    fc.weight [4096, 8192]
          missing  model.norm.weight, model.layers.{layer}.input_layernorm.weight,
                   lm_head.weight: not its own
          help     load it together with the model that it was trained for, for example
                   as the draft model of vLLM

    What to do
        Give it to a program that decodes speculatively with it, together with its target. It is complete.
    """

    code = "N460"
    severity = "note"

    model_type: str
    shape: tuple[int, ...]
    missing: tuple[str, ...]
    tensors: int
    class_of_sglang: str = ""
    """The class that SGLang has for it, if the config states that of a whole model."""
    class_name: str = ""

    def headline(self) -> str:
        if self.model_type == "DFlash":
            return "a draft of DFlash"
        return f"an EAGLE draft head of the type {self.model_type}"

    def rows(self) -> Rows:
        rows = [("joins", f"{self.place.family} {shape(self.shape)}")]
        rows += [("missing", f"{listed(self.missing, 4)}: not its own")] if self.missing else []
        named = f"builds {self.class_name} by architectures; its class is {self.class_of_sglang}"
        return [*rows, ("SGLang", named)] if self.class_of_sglang else rows

    def remedy(self) -> Remedy:
        if self.class_of_sglang:
            return Remedy(
                "load it together with the model that it was trained for: as the draft model of vLLM, or, with "
                f'"architectures": ["{self.class_of_sglang}"] in config.json, of SGLang'
            )
        return Remedy("load it together with the model that it was trained for, for example as the draft model of vLLM")


READ: Final = "the hidden states are complete; only what reads this module is random"
MASKED: Final = "it stands for masked inputs, as in training; without a mask it is not read"


class UsualPartAbsent(ContentFinding, frozen=True, kw_only=True):
    """A part that the class builds is not stored, as files of this class may.

    What it means
        The class has a module that many uses do not need, such as the pooler of an encoder: sentence encoders are
        often saved without it. Or it has a vector that replaces masked inputs, in training or where a caller gives a
        mask: models that were tuned without masking have none. The expected count leaves it out.

    Why it matters
        Loaders initialize the module randomly. It matters only to code that reads its output
        (`pooler_output`), and to inputs that are masked.

    Example
        note[N433] usual-part-absent: pooler.dense.weight, pooler.dense.bias
          absent  2 tensors, 590,592 parameters
          use     the hidden states are complete; only what reads this module is random

    What to do
        Nothing, unless the output of this module is used, or inputs are masked.
    """

    code = "N433"
    severity = "note"

    names: tuple[str, ...]
    tensors: int
    parameters: int | None
    masks: bool = False

    headline_text = "{names:listed 3}"

    def rows(self) -> Rows:
        size = "" if self.parameters is None else f", {number(self.parameters)} parameters"
        return [
            ("absent", count(self.tensors, "tensor") + size),
            ("use", MASKED if self.masks else READ),
        ]


class FolderUnnamed(ContentFinding, frozen=True, kw_only=True):
    """Folders with weights that the pipeline does not name.

    What it means
        model_index.json names the folder of each component. It names none in these, or null: a copy with averaged
        weights, another VAE, a component that was disabled.

    Why it matters
        diffusers neither downloads nor loads them. They were not audited.

    Example
        note[N490] folder-unnamed: unet_ema
          stored  1 file, 3,940,152 bytes
          help    pass the folder to audit it; to use it, load it by itself and give it to
                  the pipeline

    What to do
        Nothing if it is not needed. To use it, load it by itself and give it to the pipeline.
    """

    code = "N490"
    severity = "note"

    folders: tuple[str, ...]
    files: int
    bytes: int

    def headline(self) -> str:
        return listed(self.folders, 4)

    def rows(self) -> Rows:
        return [("stored", f"{count(self.files, 'file')}, {count(self.bytes, 'byte')}")]

    def remedy(self) -> Remedy:
        return Remedy("pass the folder to audit it; to use it, load it by itself and give it to the pipeline")
