"""Findings on a config that is not there, or that names no model type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import count, listed, value


class ConfigMissing(ContentFinding, frozen=True, kw_only=True):
    """The folder has no config.json.

    What it means
        The weights have the name under which transformers or diffusers stores them, but no config.json is with them.

    Why it matters
        Loaders build the model from config.json: without it they refuse the folder. The audit takes the sizes from the
        weights.

    Example
        error[C313] config-missing: config.json
          loader   transformers builds the model from it
          similar  Config.json
          help     rename Config.json to config.json

    What to do
        Download config.json, or rename the file: case matters, and the first releases of BERT and the programs of that
        time have another name, without the type and the number of labels. Trainers that save only the weights leave it
        out: copy that of the model that was trained, with the class and the labels of the training. For the audit alone
        pass it with `--config FILE`. The state of a textual inversion training (`learned`: the tokens that it added to
        CLIP's) is there to resume it: the embedding is another file of the run.
    """

    code = "C313"

    loader: str
    similar: str | None
    shown: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """Settings of an adapter that its tensors show."""
    lacking: Mapping[str, Any] = msgspec.field(default_factory=dict)
    """Keys that the similar file lacks as a config of transformers."""
    unshown: str = "lora_alpha"
    """The setting of an adapter that no tensor shows."""
    learned: int = 0
    """Tokens that the state of a training has behind those of CLIP's text encoder."""

    @property
    def is_of_model(self) -> bool:
        """True unless it is the config of an adapter."""
        return not str(self.place.file).startswith("adapter")

    def rows(self) -> Rows:
        built = "model" if self.is_of_model else "adapter"
        rows: Rows = [("loader", f"{self.loader} builds the {built} from it")]
        if self.learned:
            trained = f"the whole text encoder, with {count(self.learned, 'token')} behind CLIP's, and random states"
            rows.append(("state", f"of a textual inversion training: {trained}"))
        return [*rows, ("similar", self.similar)] if self.similar else rows

    def remedy(self) -> Remedy:
        if self.learned:
            own = "load learned_embeds.safetensors of the run with load_textual_inversion of diffusers"
            row = "row" if self.learned == 1 else f"{self.learned} rows"
            return Remedy(f"{own}; if it was never saved, save the last {row} of the token embedding under the token")
        if self.similar is None:
            own = f"download {self.place.file}, which belongs to the weights"
            stated = ", ".join(f'"{key}": {json.dumps(one)}' for key, one in self.shown.items())
            written = f"; if it was never saved, write it with {stated} and the {self.unshown} of the training"
            copied = "; if it was never saved, copy that of the model that was trained" if self.is_of_model else ""
            return Remedy(own + (written if stated else copied))
        steps = [Step(action="set", file=self.similar, key=(key,), new=new) for key, new in self.lacking.items()]
        also = ", ".join(f'"{key}": {json.dumps(new)}' for key, new in self.lacking.items())
        words = f"rename {self.similar} to {self.place.file}{f', and set {also} in it' if also else ''}"
        return Remedy(words, (*steps, Step(action="move", file=self.similar, new=self.place.file)))


class ModelTypeMissing(ContentFinding, frozen=True, kw_only=True):
    """The config does not name a model type.

    What it means
        config.json has neither `model_type` nor `auto_map`.

    Why it matters
        transformers' AutoConfig cannot choose a class and refuses the folder, unless the folder's name happens to
        contain a model type. The class itself, where it is known, can still load it. diffusers refuses a component
        whose `_class_name` is null or a number, and one whose config states no sizes: its class takes those of its own
        defaults.

    Example
        error[C314] model-type-missing: model_type
          class  LlamaForCausalLM
          help   set "model_type": "llama" in config.json

    What to do
        Add the model type: the original repository's config.json has it. Where no key of the file describes a model, it
        is another file under this name, such as a tokenizer's config: download config.json again. Where the config is
        that of another program (`program`), the remedy states it in the keys of transformers, if those fit the weights.
    """

    code = "C314"

    class_name: str | None = msgspec.field(name="class")
    model_type: str | None = None
    foreign: tuple[str, ...] = ()
    program: str | None = None
    values: Mapping[str, Any] = msgspec.field(default_factory=dict)
    renames: tuple[tuple[str, str], ...] = ()
    """(stored name, name of the class) where the program of the config has other names."""
    by_names: str | None = None
    """The type with these tensor names, if the config has no class."""
    alike: int = 0
    """Number of other types with the same names."""

    def headline(self) -> str:
        return self.place.key or "model_type"

    def rows(self) -> Rows:
        if self.foreign:
            return [("keys", f"{listed(self.foreign, 4)}: none of them describes a model")]
        if self.program is not None:
            return [("config", f"in the words of {self.program}")]
        return [("class", self.class_name)] if self.class_name else []

    def remedy(self) -> Remedy:
        if self.foreign:
            return Remedy(
                "download config.json, which belongs to the weights, again: this one is another file's content"
            )
        if self.values:
            steps = [Step(action="set", file="config.json", key=(key,), new=new) for key, new in self.values.items()]
            words = ", ".join(f'"{key}": {value(new)}' for key, new in self.values.items())
            steps.extend(Step(action="rename", old=old, new=new) for old, new in self.renames)
            renamed = "".join(f", and rename {old} to {new}" for old, new in self.renames)
            return Remedy(f"set {words} in config.json{renamed}", tuple(steps))
        if self.program is not None:
            return Remedy(
                f"load it with {self.program}, which needs no model type; transformers has no class with these tensors "
                "for what the config states"
            )
        if self.model_type is not None:
            step = Step(action="set", file="config.json", key=("model_type",), new=self.model_type)
            return Remedy(f'set "model_type": "{self.model_type}" in config.json', (step,))
        if self.place.key == "_class_name":
            return Remedy("download config.json, which belongs to the weights, again: this one describes no model")
        if self.by_names and not self.class_name:
            if not self.alike:
                step = Step(action="set", file="config.json", key=("model_type",), new=self.by_names)
                return Remedy(f'set "model_type": "{self.by_names}" in config.json', (step,))
            others = f"{self.alike} other {'type has' if self.alike == 1 else 'types have'} the same names"
            return Remedy(f'set "model_type": "{self.by_names}" in config.json, if it is one: {others}')
        of = f"the type of {self.class_name}" if self.class_name else "the model's type"
        return Remedy(f'set "model_type" in config.json to {of}')
