"""Findings on loaders that fail on a checkpoint."""

from __future__ import annotations

import json
from typing import Any, Final

from msgspec import UNSET

from inspector.findings.config import LayerList
from inspector.findings.finding import (
    ARGS_REQUIRE,
    DEQUANTIZED,
    NO_FILE,
    NO_METHOD,
    NO_OWN_HEAD,
    NO_PROMPTS,
    NO_QUANTIZER,
    NO_SETTINGS,
    NOT_INITIALISED,
    NOT_READ,
    NOT_UNTIED,
    ContentFinding,
    Remedy,
    Rows,
    Step,
)
from inspector.findings.peft_remedies import peft_remedy
from inspector.findings.words import count, listed

WORDS = {
    "random": "leaves tensors at random",
    "altered": "ends up with other numbers than stored",
    "refuses": "refuses it",
    "unsupported": "does not support it",
}
"""Outcome -> what the loader does."""
SCALE_IN: Final = "multiply each lora_B by alpha / rank, and leave alpha out"
"""What to do with the scales of an adapter that a loader refuses."""
WITH_VLLM: Final = (
    "load it with vLLM, which reads experts one by one, or store those of a layer together, as transformers saves them"
)


class LoaderFails(ContentFinding, frozen=True, kw_only=True):
    """The loader that the checkpoint is made for does not load it completely.

    What it means
        By the recorded behaviour of this loader it refuses the checkpoint, leaves tensors randomly initialized, or ends
        up with other numbers than stored. `keys`: the keys of the config whose values it refuses.

    Why it matters
        A model with random weights runs without an error, and answers nonsense.

    Example
        error[N429] loader-fails: transformers 5.23 leaves tensors at random
          missing  2 tensors
          because  2 of its tensors are not in the file, such as
                   model.encoder.embed_tokens.weight
          help     restore or train these tensors, or choose a class that has none of
                   them

    What to do
        Restore what is missing; or choose the class that the weights belong to. mlx-lm stores models as its own classes
        have them: where it changed more than the packing, its converter cannot take this back, and the help says so.
    """

    code = "N429"
    of_loader = True

    loader: str
    version: str | None
    outcome: str
    missing: int | None
    because: str
    loads: str
    class_name: str | None = None
    keys: tuple[str, ...] = ()
    file: str = "config.json"
    """The file of these keys."""
    meant: Any = UNSET
    """The value that the only key means."""
    default: Any = UNSET
    """The value that it has if it is not stated."""
    code_of: str | None = None
    """A class of other code that builds a model with the stored names."""
    surplus: str = ""
    """A config key without which the loader loads the checkpoint, dotted within a config of a part."""
    quantized: bool = False
    """True if the loader does not read the quantization of the weights."""
    built_plain: str = ""
    """Modules that the loader builds without quantization although they are stored quantized."""
    single_experts: bool = False
    """True if experts are stored one by one that the loader looks for in one tensor, and vLLM reads as they are."""
    setting: tuple[str, Any] | None = None
    """A key of the quantization block, and the value with which the loader loads the checkpoint."""
    added: tuple[Any, ...] = ()
    """The entries of this value that the block does not have yet, if it is a list."""
    undivided: tuple[str, ...] = ()
    """Names without a module in the list of torchao in the metadata, without which the loader reads the weights."""
    adapter: bool = False
    """True for an adapter that PEFT loads and this program does not."""
    layer_list: tuple[LayerList, int] | None = None
    """A list of the config that has another length than the number of layers, and this number."""
    prefixes: tuple[str, str] | None = None
    """The beginning of the stored names, and that of the names for which the loader looks."""
    renames: tuple[tuple[str, str], ...] = ()
    """Stored names, and the names for which the loader looks, as patterns."""
    scaled: bool = False
    """True if the loader also refuses the scales of an adapter, which have to be multiplied in."""
    exporter: str = ""
    """The converter of the program in whose format the folder is, if it has no config for this loader."""
    by_mlx: bool = False
    """True if MLX stores the tensors under other names or with other dims, also without its quantization."""
    packed: bool = False
    """True if MLX packed them."""
    other: str = ""
    """The program that reads them."""
    apart: tuple[tuple[str, str], ...] = ()
    """MLX's stacks of experts, and the names of the experts, into which it is enough to divide them."""

    def headline(self) -> str:
        return f"{self.loader} {self.version or ''} {WORDS[self.outcome]}".replace("  ", " ")

    def rows(self) -> Rows:
        rows: Rows = [("missing", count(self.missing, "tensor"))] if self.missing else []
        rows.append(("because", self.because))
        return [*rows, ("loads", f"{self.loads} loads it")] if self.loads else rows

    def _of_block(self, key: str, new: Any) -> Remedy:
        """The remedy that sets a key of the quantization block."""
        step = Step(action="set", file="config.json", key=("quantization_config", key), new=new)
        where = "quantization_config of config.json"
        if self.added:
            return Remedy(f'add {listed([json.dumps(one) for one in self.added])} to "{key}" in {where}', (step,))
        return Remedy(f'set "{key}": {json.dumps(new)} in {where}', (step,))

    def _of_names(self) -> Remedy:
        """The remedy that renames the tensors; a scale has to be multiplied in, which no step does."""
        old, new = self.renames[0]
        words = f"rename the tensors as the class has them, such as {old} to {new}"
        if self.scaled:
            return Remedy(SCALE_IN if old == new else f"{words}, {SCALE_IN}")
        steps = tuple(Step(action="rename", old=stored, new=expected) for stored, expected in self.renames)
        return Remedy(words, steps)

    def _from_mlx(self) -> str:
        """What to do with a folder of MLX: nothing takes its changes back but the division of stacks."""
        words = "take the weights for transformers from which MLX made these"
        words = f"{words}, or load it with {self.other}" if self.other else words
        if self.packed:
            return f"{words}; {DEQUANTIZED} keeps what MLX changed"
        if not self.apart:
            return words
        pairs = listed([f"{stack} into {one}" for stack, one in self.apart])
        return f"{words}, or divide the stacks of experts along their first dim: {pairs}"

    def remedy(self) -> Remedy:
        if self.by_mlx or self.setting is not None:
            return Remedy(self._from_mlx()) if self.setting is None else self._of_block(*self.setting)
        if self.undivided:
            listing = "tensor_names in the metadata of each file that lists it"
            return Remedy(f"remove {listed(self.undivided)} from {listing}")
        if self.surplus:
            step = Step(action="remove", file="config.json", key=tuple(self.surplus.split(".")))
            return Remedy(f"remove {self.surplus} from config.json", (step,))
        if self.loads or self.single_experts:
            return Remedy(f"use {self.loads}" if self.loads else WITH_VLLM)
        if self.because == NO_PROMPTS:
            return Remedy("run it with PEFT: a prompt cannot be merged into its base")
        if self.adapter:
            return Remedy(f"merge the adapter into its base (merge_and_unload of PEFT) for {self.loader}")
        if self.class_name is not None:
            step = Step(action="set", file="config.json", key=("architectures",), new=[self.class_name])
            return Remedy(f'set "architectures": ["{self.class_name}"] in config.json', (step,))
        if self.code_of is not None:
            return Remedy(f"load it with the code of {self.code_of}: the class of this type has other tensors")
        if self.outcome in ("random", "refuses") and self.because.startswith(NO_QUANTIZER):
            return Remedy("load it with the program that quantized it, or take the weights in another format")
        if self.prefixes is not None:
            own, wanted = self.prefixes
            step = Step(action="rename", old=f"{own}*", new=f"{wanted}*")
            return Remedy(f'begin the names with "{wanted}" in place of "{own}"', (step,))
        if self.renames:
            return self._of_names()
        if self.outcome == "random" and not self.quantized:
            return Remedy("restore or train these tensors, or choose a class that has none of them")
        if self.outcome == "refuses" and NOT_INITIALISED in self.because:
            return Remedy(f"restore these tensors, or store them under the names for which {self.loader} looks")
        if self.quantized:
            return Remedy(f"load it with another program, or {self._quantized_otherwise()}")
        return self._of_refusal() if self.outcome == "refuses" else Remedy("")

    def _quantized_otherwise(self) -> str:
        if not self.built_plain:
            return f"quantize the original model again for {self.loader}"
        stored = f"store {self.built_plain} unquantized, with the weight of the original model"
        return f"{stored}, and list it among the unquantized modules"

    def _of_refusal(self) -> Remedy:
        """The remedy for a config, or a folder, that the loader refuses."""
        found = peft_remedy(self.because) if self.loader == "peft" else None
        if found is not None:
            return found
        return self._of_keys() if self.keys else Remedy(self._as_stated())

    def _as_stated(self) -> str:
        if (self.place.file or "").endswith(".npz") and self.because.startswith(NO_FILE):
            saved = f'mx.save_safetensors("model.safetensors", mx.load("{self.place.file}"), {{"format": "pt"}})'
            return f"store its arrays in model.safetensors: {saved} of MLX, or save_file of safetensors.numpy"
        if self.loader == "mlx" and self.because.startswith(NO_FILE):
            return "save it in safetensors for mlx: save_pretrained of transformers writes model.safetensors"
        if self.exporter:
            return f"convert it with {self.exporter}, or load it with the program of this format"
        if self.loader == "vllm" and self.because.startswith(NO_SETTINGS):
            file = self.because.removeprefix(NO_SETTINGS).strip().partition(",")[0]
            return f"copy {file} from the model that was fine-tuned, or fetch it from the repository of the model"
        if self.because.endswith(NO_METHOD):
            return 'state "quant_method" in quantization_config of config.json, or remove the block from plain weights'
        if self.because == NO_OWN_HEAD or self.because.endswith(NOT_UNTIED):
            place = "text_config." if f"text_config {NOT_UNTIED}" in self.because else ""
            untied = f'or set "{place}tie_word_embeddings": false if it is a head of its own'
            return f"remove lm_head.weight for {self.loader}, as the config says that it is the embedding, {untied}"
        if self.because.startswith(ARGS_REQUIRE):
            keys, _, place = self.because.removeprefix(ARGS_REQUIRE).strip().rpartition(", which ")
            stated = f"state {keys} in {place.removesuffix(' does not state')}"
            return (
                f"{stated}, with the values in config.json of the model for transformers, or the defaults of its class"
            )
        if self.because.startswith(NOT_READ):
            return "add the keys that it needs to config.json; transformers passes over them"
        elsewhere = ", or load it with another program" if self.loader == "mlx" else ""
        return f"correct what it refuses, as stated above{elsewhere}"

    def _of_keys(self) -> Remedy:
        """The remedy for values that the loader refuses."""
        if self.layer_list is None:
            return self._corrected()
        one, layers = self.layer_list
        words = f'give "{one.key}" one entry for each of the {count(layers, "layer")} in config.json'
        new = [one.entry] * layers
        known = one.entry is not UNSET
        return Remedy(words, (Step(action="set", file="config.json", key=(one.key,), new=new),) if known else ())

    def _corrected(self) -> Remedy:
        """The correction of the keys that are refused."""
        if self.meant is not UNSET:
            step = Step(action="set", file=self.file, key=(self.keys[0],), new=self.meant)
            return Remedy(f'set "{self.keys[0]}": {json.dumps(self.meant)} in {self.file}', (step,))
        if self.default is not UNSET:
            shown = json.dumps(self.default)
            return Remedy(f'set "{self.keys[0]}" in {self.file} as it was in training; by default it is {shown}')
        return Remedy(f"correct {listed(self.keys)} in {self.file}")


class NewestLoaderFails(LoaderFails, frozen=True, kw_only=True):
    """The newest version of the loader fails, but the version that wrote the checkpoint loads it.

    What it means
        The checkpoint was written by an older major version, which loads it completely. The newest version does not.

    Why it matters
        Whoever installs the library today gets the newest version.

    Example
        warning[N430] newest-loader-fails: transformers 5.23 leaves tensors at random
          missing  1 tensor
          because  1 of its tensors is not in the file, such as mlm_score.decoder.bias
          loads    transformers 4.57 loads it
          help     use transformers 4.57

    What to do
        Use the older version, or save the model again with the newest one.
    """

    code = "N430"
    severity = "warning"


class OlderLoaderFails(LoaderFails, frozen=True, kw_only=True):
    """The newest version of the loader loads the checkpoint completely, an older major version does not.

    What it means
        Both versions are in use. They differ in which names they look for and which configs they accept; this
        checkpoint is as the newest one wants it.

    Why it matters
        Programs that need the older version refuse the checkpoint, or run it with random weights.

    Example
        note[N590] older-loader-fails: transformers 4.57 refuses it
          because  the state dictionary is corrupted
          loads    transformers 5.23 loads it
          help     nothing to do for transformers 5.23; programs that need transformers
                   4.57 need a checkpoint that it saved

    What to do
        Use the newest version, or save the model with the older one where that one has to load it. Where both load the
        same tensors under longer names, as those of CLIP's text encoders after `text_model.`, rename them. Where
        `id2label` has another number of labels than `num_labels`, which the head agrees with, correct it: the newest
        version takes `num_labels`, the older one counts the names.
    """

    code = "N590"
    severity = "note"

    labels: tuple[int, int] | None = None
    """`num_labels`, which the weights agree with, and the number of names in `id2label`, which the version takes."""

    def rows(self) -> Rows:
        rows = super().rows()
        if self.labels is not None:
            stated, names = self.labels
            agree = f"num_labels is {stated}, as the head has"
            rows.append(("labels", f"id2label has {names}, which {self._older()} takes; {agree}"))
            rows.append(("both", f"load it with {stated} labels in id2label and label2id, or without the two keys"))
        if self.prefixes is not None and not self.prefixes[0]:
            rows.append(("both", f'load it with "{self.prefixes[1]}" before every name'))
        return rows

    def remedy(self) -> Remedy:
        words = f"nothing to do for {self.loads}"
        if self.prefixes is not None and not self.prefixes[0]:
            step = Step(action="rename", old="*", new=f"{self.prefixes[1]}*")
            return Remedy(f'{words}; to load it in both, begin every name with "{self.prefixes[1]}"', (step,))
        if self.labels is not None:
            keys = ("id2label", "label2id")
            steps = tuple(Step(action="remove", file="config.json", key=(key,)) for key in keys)
            given = f'give "id2label" and "label2id" {self.labels[0]} labels in config.json, or remove both'
            return Remedy(f"{words}; for {self._older()}, {given}", steps)
        return Remedy(f"{words}; programs that need {self._older()} need a checkpoint that it saved")

    def _older(self) -> str:
        return f"{self.loader} {self.version or ''}".rstrip()


class WriterRefuses(ContentFinding, frozen=True, kw_only=True):
    """The config has a value that the version that wrote it refuses, and the newest version reads.

    What it means
        The config names an older major version of transformers as its writer. That version cannot build a model from
        this value; the newest one does not read the key, or reads it in another way.

    Why it matters
        Programs that need the version that the config names fail on it.

    Example
        warning[N560] writer-refuses: transformers 4.57 refuses label2id
          because  label2id is not an object
          loads    transformers 5.23 loads it
          help     correct label2id in config.json

    What to do
        Correct the value, or save the model again with the newest version.
    """

    code = "N560"
    severity = "warning"

    loader: str
    version: str | None
    because: str
    loads: str
    keys: tuple[str, ...]

    def headline(self) -> str:
        return f"{self.loader} {self.version} refuses {listed(self.keys)}"

    def rows(self) -> Rows:
        return [("because", self.because), ("loads", f"{self.loads} loads it")]

    def remedy(self) -> Remedy:
        return Remedy(f"correct {listed(self.keys)} in config.json")
