"""Findings on the config compared with the weights."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows, Step
from inspector.findings.words import count, listed, number, value

IMAGE_SIZES = ("image_size", "img_size", "input_size")
"""Keys of the side of an image, of which only the whole patches reach a shape."""


class Rival(msgspec.Struct, frozen=True):
    """Another key that explains the same differences, and the value it would have."""

    key: str
    weights: Any


class LayerList(msgspec.Struct, frozen=True):
    """A list of the config with one entry for each layer; the loader refuses any other length.

    entry: the value of all its entries; unset if they differ.
    """

    key: str
    entry: Any = msgspec.UNSET


class ConfigDisagrees(ContentFinding, frozen=True, kw_only=True):
    """A config key contradicts the weights.

    What it means
        Shapes or indices of tensors differ from the config, and one other value of this key removes all these
        differences without causing new ones. The value is computed from the stored shapes.

    Why it matters
        Loaders build the model from the config: they fail on the shapes, or skip the tensors and use random
        values.

    Example
        error[C310] config-disagrees: num_key_value_heads
          config    32
          weights   8, from 64 tensors
          explains  64 differences: model.layers.{layer}.self_attn.k_proj.weight and 1
                    more
          or        num_attention_heads = 128
          help      set "num_key_value_heads": 8 in config.json, or instead
                    "num_attention_heads": 128; the shapes allow both

    What to do
        Set the key to the value of the weights. If the weights are wrong (another size of the same model),
        download the weights that belong to the config. Where the words of the tokenizer agree with the config, the
        config and the tokenizer belong together: fetch both from the model of the weights. `vocabulary` is their file.
    """

    code = "C310"

    key: str
    stated: Any = msgspec.field(name="config")
    solved: Any = msgspec.field(name="weights")
    default: bool
    explains: int
    agreeing: int
    dissenting: int
    interval: tuple[Any, Any] | None
    element: int | None
    families: tuple[str, ...]
    rivals: tuple[Rival, ...]
    lost: str | None
    misshaped: str | None
    file: str = "config.json"
    file_key: str | None = None
    together: tuple[Rival, ...] = ()
    labels: int | None = None
    layer_lists: tuple[LayerList, ...] = ()
    beside: Rival | None = None
    equal: Rival | None = None
    """The key, dotted from the top of the config, for which the loader requires the same value."""
    undivided: Rival | None = None
    """The key of which the loader requires that one of the two numbers divides the other, which they do not."""
    null: bool = False
    """True if the file has the key and its value is null."""
    derived: tuple[str, ...] = ()
    """Stated keys beside it that the class derives from it, and that would replace what it derives."""
    tokens: str = ""
    """Tokens of the tokenizer for which the config has a row and the weights have none."""
    vocabulary: str = ""
    """The file of the tokenizer with these tokens, if its own words are among them and not only added ones."""
    labels_apart: bool = False
    """True if the config and the vocabulary have as many labels, and the head for CTC another number."""
    apart: bool = False
    """True if names of labels and a size show that the config and the weights are those of two models."""

    def headline(self) -> str:
        return self.file_key or self.key

    def rows(self) -> Rows:
        config = "absent" if self.stated is None and not self.null else value(self.stated)
        named = self.labels is not None and self.labels != self.solved
        rows = [
            ("config", f"id2label has {self.labels}" if named else f"{config}{', the class default' * self.default}"),
            ("weights", f"{self._weights()}{self._evidence()}{self._against()}"),
            ("explains", f"{count(self.explains, 'difference')}{self._where()}"),
        ]
        rows.extend([("tokens", self.tokens)] if self.tokens else [])
        lost = [("or", f"the config is right and the weights lack {self.lost}")] if self.lost else []
        rows.extend(("or", f"{rival.key} = {value(rival.weights)}") for rival in self.rivals)
        if self.together:
            rows.append(("or", self._together()))
        rows.extend(lost)
        if self.misshaped:
            rows.append(("or", f"the config is right and {self.misshaped} has the wrong shape"))
        return rows

    def _weights(self) -> str:
        """The value that the weights show; the first and the last of several that fit equally well."""
        if self.interval is None:
            return value(self.solved)
        element = "" if self.element is None else f"element {self.element} of the list "
        return f"{element}{self.interval[0]} to {self.interval[1]}"

    def _evidence(self) -> str:
        """The tensors that show the value; for a part that is switched on but not stored, the missing tensors."""
        if self.agreeing:
            return f", from {count(self.agreeing, 'tensor')}"
        return f": none of its {count(self.explains, 'tensor')} is stored" if self.solved is False else ""

    def _against(self) -> str:
        return f"; {count(self.dissenting, 'tensor')} would still differ" if self.dissenting else ""

    def remedy(self) -> Remedy:
        if self.apart:
            return Remedy(
                f"{self.file} and the weights are of two models: download the weights that belong to it, or the "
                f"{self.file} of these weights"
            )
        if self.undivided is not None:
            return Remedy(
                f"no edit of these keys loads it: {self.key} {value(self.solved)} does not go with "
                f"{self.undivided.key} {value(self.undivided.weights)}; use the {self.file} that belongs to these "
                "weights, or, if the model was pruned, the program that pruned it"
            )
        return self._with_other_labels() if self.labels_apart else self._of_key()

    def _of_key(self) -> Remedy:
        """The remedy for a config whose other keys are those of the weights."""
        name = self.file_key or self.key
        if self.key == "vocab_size" and self.file.endswith(".gguf"):  # llama.cpp uses the length of the token list
            words = "convert the model again with the tokenizer that belongs to these weights; without a token list"
            return Remedy(f'{words} set "{name}": {value(self.solved)} in {self.file}')
        if self.file_key is None and self.file.endswith(".gguf"):
            return Remedy(f"convert the model again: no single key of {self.file} states {self.key}")
        if self.solved is None:  # without the key the class may have a default that is no null
            words = f'set "{name}": null in {self.file}'
            old = msgspec.UNSET if self.default or self.stated is None else self.stated
            step = Step(action="set", file=self.file, key=self._path(), old=old, new=None)
        elif self.interval is not None and self.element is None and self.key.rpartition(".")[2] in IMAGE_SIZES:
            first, last = self.interval
            step = Step(action="set", file=self.file, key=self._path(), old=self.stated, new=first)
            return Remedy(f'set "{name}": {first} in {self.file}; up to {last} the shapes are the same', (step,))
        elif self.interval is not None:
            return Remedy(f'set "{name}" in {self.file} to the value within this range that the model was built with')
        else:
            words = f'set "{name}": {value(self.solved)} in {self.file}'
            absent = not self.null and (self.default or self.stated is None)
            old = msgspec.UNSET if absent else self.stated
            step = Step(action="set", file=self.file, key=self._path(), old=old, new=self.solved)
        if self.derived:
            return self._with_derived(words, step)
        if self.tokens:
            return self._with_tokens(words)
        if self.layer_lists:
            return self._with_lists(words, step)
        if self.beside is not None:
            path = (*self._path()[:-1], self.beside.key)
            also = Step(action="set", file=self.file, key=path, new=self.beside.weights)
            return Remedy(
                f'{words}, and "{".".join(path)}": {value(self.beside.weights)}, which it needs', (step, also)
            )
        if self.equal is not None:
            also = Step(action="set", file=self.file, key=tuple(self.equal.key.split(".")), new=self.equal.weights)
            same = f'"{self.equal.key}": {value(self.equal.weights)}'
            return Remedy(f"{words}, and {same}, which the loader requires to be equal", (step, also))
        if self.labels is not None and self.labels != self.solved:
            names = [Step(action="remove", file=self.file, key=(key,)) for key in ("id2label", "label2id")]
            dropped = f'{words}, and remove "id2label" and "label2id", or give both as many labels'
            return Remedy(
                f"{dropped}; or, if its labels are right, use the weights that belong to them", (step, *names)
            )
        if self.rivals:
            return Remedy(f"{words}, or instead {self._other_keys()}; the shapes allow {self._both()}", choice=True)
        if self.together:
            return Remedy(f"{words}; or, where {self.key} is right, {self._together()}", (step,))
        if self.lost:
            return Remedy(f"{words}; or, where the weights lack {self.lost}, download or convert them again")
        return Remedy(words, (step,))

    def _with_tokens(self, words: str) -> Remedy:
        """The remedy for tokens without a row: to set the key alone would leave them."""
        again = "download, save or merge the model again, with a row for each token of its tokenizer"
        if self.vocabulary:
            return Remedy(
                f"{self.file} and {self.vocabulary} belong to another model: take both from the model that these "
                f"weights are of, with at most {number(self.solved)} tokens; or, where the weights lack rows, {again}"
            )
        return Remedy(f"{again}; or {words}, and use a tokenizer without these tokens")

    def _with_other_labels(self) -> Remedy:
        """The remedy for a head for CTC of other labels: the key alone would leave its rows the wrong ones."""
        return Remedy(
            f"{self.file} and {self.vocabulary} are of other labels than this head: to use it take both from the model "
            f"of these weights, with {number(self.solved)} labels; to train a new head for the labels of "
            f"{self.vocabulary} load the model with ignore_mismatched_sizes=True"
        )

    def _with_derived(self, words: str, step: Step) -> Remedy:
        """The remedy with the removal of the keys that the class derives."""
        words = f"{words}{f', or {self._other_keys()},' if self.rivals else ''} and remove {listed(self.derived)}"
        if self.rivals:
            return Remedy(f"{words}; the shapes allow {self._both()}", choice=True)
        gone = (Step(action="remove", file=self.file, key=(*self._path()[:-1], one)) for one in self.derived)
        return Remedy(words, (step, *gone))

    def _with_lists(self, words: str, step: Step) -> Remedy:
        """The remedy for a number of layers, including the lists that need one entry per layer."""
        lists = " and ".join(f'"{one.key}"' for one in self.layer_lists)
        words = f"{words}, and give {lists} one entry for each layer"
        if self.lost:
            return Remedy(f"{words}; or, where the weights lack {self.lost}, download or convert them again")
        if any(one.entry is msgspec.UNSET for one in self.layer_lists):
            return Remedy(words)
        resized = (
            Step(action="set", file=self.file, key=(*self._path()[:-1], one.key), new=[one.entry] * self.solved)
            for one in self.layer_lists
        )
        return Remedy(words, (step, *resized))

    def _other_keys(self) -> str:
        shown = [f'"{rival.key}": {value(rival.weights)}' for rival in self.rivals]
        return shown[0] if len(shown) == 1 else f"one of {listed(shown, 3)}"

    def _together(self) -> str:
        return " and ".join(f"{one.key} = {value(one.weights)}" for one in self.together)

    def _both(self) -> str:
        return "both" if len(self.rivals) == 1 else "each"

    def _path(self) -> tuple[str, ...]:
        return (self.file_key,) if self.file_key else tuple(self.key.split("."))

    def _where(self) -> str:
        if not self.families:
            return ""
        more = f" and {len(self.families) - 1:,} more" if len(self.families) > 1 else ""
        return f": {self.families[0]}{more}"


class ConfigImpossible(ContentFinding, frozen=True, kw_only=True):
    """The config values are inconsistent.

    What it means
        An expression of the architecture has no integer value with this config: a division leaves a remainder,
        a divisor is zero, a value has the wrong type or is out of range.

    Why it matters
        No model can be built from this config; what depends on the expression is taken from the weights and not
        checked.

    Example
        error[C311] config-impossible: hidden_size
          expression  d/h
          because     4096 is not a multiple of 33
          keys        hidden_size, num_attention_heads
          help        correct these keys in config.json

    What to do
        Correct the named keys; take their values from other copies of the checkpoint or from its README.
    """

    code = "C311"

    expression: str
    detail: str
    keys: tuple[str, ...]
    kind: str
    stated: Any = msgspec.field(default=msgspec.UNSET, name="config")
    meant: Any = msgspec.UNSET
    file: str = "config.json"
    added: tuple[str, int] | None = None
    """A key that is not stated, and the value with which all tensors have the expected shapes."""

    def headline(self) -> str:
        return self.place.key or self.expression

    def rows(self) -> Rows:
        named = self.headline()
        rows: Rows = [("because", self.detail)]
        if self.expression != named:
            rows.insert(0, ("expression", self.expression))
        return rows if self.keys == (named,) else [*rows, ("keys", listed(self.keys))]

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """The finding for a value that only transformers 5 refuses, if the checkpoint's loader is another and loads
        completely.
        """
        refused_by_newest = self.kind == "type" and outcome == "complete"
        return ConfigRefused(**self.stated_fields()) if refused_by_newest else self

    def remedy(self) -> Remedy:
        if self.added is not None:
            key, new = self.added
            step = Step(action="set", file=self.file, key=tuple(key.split(".")), new=new)
            return Remedy(f'set "{key}": {new} in {self.file}, as all shapes have it', (step,))
        if self.meant is None:
            step = Step(action="remove", file=self.file, key=tuple(self.keys[0].split(".")), old=self.stated)
            return Remedy(f'remove "{self.keys[0]}" from {self.file}', (step,))
        if self.meant is not msgspec.UNSET:
            path = tuple(self.keys[0].split("."))
            step = Step(action="set", file=self.file, key=path, old=self.stated, new=self.meant)
            return Remedy(f'set "{self.keys[0]}": {value(self.meant)} in {self.file}', (step,))
        if self.kind == "type" and self.stated is msgspec.UNSET:
            names = " and ".join(f'"{key}"' for key in self.keys)
            return Remedy(f"restore {names} in {self.file}, as the model was trained with {self._it()}")
        return Remedy(f"correct {'these keys' if len(self.keys) > 1 else 'this key'} in {self.file}")

    def _it(self) -> str:
        return "them" if len(self.keys) > 1 else "it"


class ConfigRefused(ConfigImpossible, frozen=True, kw_only=True):
    """The config has a value that transformers 5 refuses, and transformers 4 reads.

    What it means
        The config classes of transformers 5 check the type of each value; the version that wrote this config did not.
        No size of the model depends on the value.

    Why it matters
        `from_pretrained` of transformers 5 fails while it reads the config.

    Example
        warning[C323] config-refused: use_cache
          because  null is not true or false
          help     remove "use_cache" from config.json

    What to do
        Write a value of the named type, or remove the key: the class has a default.
    """

    code = "C323"
    severity = "warning"
