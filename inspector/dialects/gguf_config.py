"""llama.cpp: the config that follows from the metadata of a GGUF file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from inspector.algebra.span import Span
from inspector.algebra.values import Value
from inspector.dialects.gguf_architectures import ARCHITECTURES, VARIANTS
from inspector.dialects.gguf_key_groups import GROUPED
from inspector.dialects.gguf_keys import KEYS
from inspector.dialects.gguf_layers import (
    PARTS,
    heads_of_whole,
    heads_of_windows,
    queries_of_whole,
    queries_of_windows,
)
from inspector.dialects.keys import Read, Rule, Table, Words, config_from
from inspector.dialects.llama_cpp import needed
from inspector.loader.formats.gguf_values import ArrayOf
from inspector.loader.layout import Layout

HEAD: Final = "output.weight"
WITHIN: Final = {f"attn_{part}.bias": ("attn_qkv.bias",) for part in "qkv"}
"""A tensor of each layer -> tensors that may contain it: llama.cpp also reads queries, keys and values
from one matrix.
"""


EXPERTS: Final = "expert_count"
"""A key that states as much if it is 0 as if it is absent."""


def config_of(values: Mapping[str, object], tensors: Mapping[str, Layout]) -> dict[str, Any] | None:
    """The config that a file's metadata state; None if the architecture is unknown.

    values: the key-values of a GGUF file. tensors: of all parts, if the model is split.
    """
    name = values.get("general.architecture")
    if not isinstance(name, str):
        return None
    words = Words(_reader(name, values, tensors))
    name = next((variant for holds, variant in VARIANTS.get(name, ()) if words.value(holds)), name)
    if name not in ARCHITECTURES:
        return None
    model_type, class_name = ARCHITECTURES[name]
    stated = config_from(KEYS.get(model_type, GROUPED), words)
    if HEAD in needed(values["general.architecture"]) and "tie_word_embeddings" in stated:
        stated["tie_word_embeddings"] = False
    return {"architectures": [class_name], "model_type": model_type, **stated}


def own_key(
    model_type: str, key: str, stated: str | None = None, values: Mapping[str, object] | None = None
) -> str | None:
    """The key of a GGUF file that states a config key: `llama.block_count` for num_hidden_layers.

    None if the value follows from several keys or from the tensors. stated: the architecture that the file names, since
    a model type can have several. values: the key-values of the file, if there is one: they can show that only one key
    of an expression counts.
    """
    rule = _rule(model_type, key)
    named = (name for name, (other, _) in ARCHITECTURES.items() if other == model_type)
    variants = (
        name for name, more in VARIANTS.items() for _, other in more if model_type in ARCHITECTURES.get(other, ())
    )
    architecture = stated or next(chain(variants, named), None)
    if architecture is None or rule is None or isinstance(rule, Mapping):
        return None
    values, start = values or {}, f"{architecture}."
    one = {key.removeprefix(start): value for key, value in values.items() if type(value) is int}
    if not isinstance(rule, str):
        number = NUMBER_OF.get(rule)
        return start + number if number in one and number is not None else None
    first = rule.partition(" | ")[0].removeprefix("each.")
    whole, _, less = first.partition(" - ")
    if less and values and not one.get(less):
        first = whole
    if re.fullmatch(rf"(?!true$|false$|stored\.|rows\.|layers\.|count\.){_KEY}", first):
        return start + first
    stating = next((held for text in rule.split(" | ") if (held := _stated_by(text, one)) is not None), None)
    return start + stating if stating in one and stating is not None else None


_KEY: Final = "[a-z_.]+"
NUMBER_OF: Final[Mapping[Rule, str]] = {
    heads_of_windows: "attention.head_count_kv", heads_of_whole: "attention.head_count_kv",
    queries_of_windows: "attention.head_count", queries_of_whole: "attention.head_count",
}  # fmt: skip
"""Rules that read one number, or a list with one number for each layer -> the key of both."""


def _stated_by(text: str, one: Mapping[str, object]) -> str | None:
    """The key of an alternative of a rule, if it applies; None if it does not, or depends on several keys or on
    tensors.

    one: the numbers of a file, but not its lists.
    """
    if listed := re.fullmatch(rf"(?:max|min)\(each\.({_KEY})\)", text):
        return listed[1]
    held = re.fullmatch(rf"({_KEY}) when ({_KEY}) (!=|==) null", text)
    return held[1] if held is not None and (held[2] in one) == (held[3] == "!=") else None


def reads(model_type: str, key: str) -> bool:
    """True if a config key of a model type follows from a key of GGUF files."""
    return any(key in rule for rule in _expressions(KEYS.get(model_type, GROUPED)))


def is_stated(model_type: str, key: str) -> bool:
    """True if key-values or tensors of GGUF files decide on a config key of a model type."""
    return _rule(model_type, key) is not None


def names_key(model_type: str, key: str) -> bool:
    """Like `reads`, but not for a key that is only the divisor's dividend: a finding on the quotient does not name the
    key.
    """
    expressions = _expressions(KEYS.get(model_type, GROUPED))
    return any(key in rule and not rule.startswith(f"{key} / ") for rule in expressions)


def depends_on(model_type: str | None, key: str, file_key: str) -> bool:
    """True if a config key of a model type may follow from a key of GGUF files. file_key: without the architecture."""
    rule = _rule(model_type or "", key)
    return rule is not None and (file_key in rule if isinstance(rule, str) else True)


def follows_from(model_type: str | None, key: str, file_key: str) -> bool:
    """True if a config key of a model type is computed from a key of GGUF files. file_key: as in `depends_on`."""
    rule = _rule(model_type or "", key)
    text = rule if isinstance(rule, str) else NUMBER_OF.get(rule) if callable(rule) else None
    return text is not None and file_key in text


def counts_layers(model_type: str | None, key: str) -> bool:
    """True if a config key of a model type is the number of layers that GGUF files state."""
    rule = _rule(model_type or "", key)
    return isinstance(rule, str) and rule.startswith("block_count")


def tensors_behind(model_type: str, key: str) -> tuple[str, ...]:
    """Endings of the names of tensors whose presence or rows determine a config key."""
    rule = _rule(model_type, key)
    if not isinstance(rule, str):
        return ()
    found = re.findall(r"\b(stored|rows)\.([a-z_0-9.]+)", rule)
    return tuple(name if kind == "stored" else f"{name}.weight" for kind, name in found)


def _rule(model_type: str, key: str) -> Rule | None:
    """The rule for a config key, or for a key of a sub-config; None if the file does not determine it."""
    table = KEYS.get(model_type, GROUPED)
    outer, _, inner = key.partition(".")
    rule = table.get(key, table.get(outer))
    return rule.get(inner) if isinstance(rule, Mapping) else rule


def _expressions(table: Table) -> Iterator[str]:
    """The expressions of a table."""
    for rule in table.values():
        yield from (rule,) if isinstance(rule, str) else _expressions(rule) if isinstance(rule, Mapping) else ()


def _reader(architecture: str, values: Mapping[str, object], tensors: Mapping[str, Layout]) -> Read:
    def read(path: tuple[str, ...]) -> Value:
        what, name = path[0], ".".join(path[1:])
        if what == "stored":
            return name in tensors or any(_in_most_layers(one, tensors) for one in (name, *WITHIN.get(name, ())))
        if what == "rows":
            layout = tensors.get(f"{name}.weight", _in_a_layer(f"{name}.weight", tensors))
            if layout is None or len(layout.shape) > 2:
                return None
            return layout.shape[0] if len(layout.shape) == 2 else len(layout.shape) or None
        if what == "layers":
            return _layers_with(name, tensors)
        if what == "whole":
            found = values.get(name)
            return found if type(found) is int else None
        if what == "stated":
            return f"{architecture}.{name}" in values
        if what == "count":
            found = values.get(name)
            return found.count if isinstance(found, ArrayOf) else None
        name = name if what == "each" else ".".join(path)
        found = values.get(f"{architecture}.{name}")
        if what == "each":
            return found if isinstance(found, list) else None
        if isinstance(found, list) and found and all(one == found[0] for one in found):
            found = found[0]
        if name == EXPERTS and found == 0:
            return None
        return found if type(found) is int else None

    return read


def _layers_of(name: str, tensors: Mapping[str, Layout]) -> dict[int, Layout]:
    """Layer -> the tensor of a name: `attn_q.bias` is `blk.0.attn_q.bias` in layer 0; the encoder's in `enc.blk.0.`."""
    before = "enc.blk." if name.startswith("enc.") else "blk."
    end = f".{name.removeprefix('enc.')}"
    numbers = ((one[len(before) : -len(end)], one) for one in tensors if one.startswith(before) and one.endswith(end))
    return {int(number): tensors[one] for number, one in numbers if number.isdecimal()}


def _in_a_layer(name: str, tensors: Mapping[str, Layout]) -> Layout | None:
    """The tensor of the first layer that has one."""
    found = _layers_of(name, tensors)
    return found[min(found)] if found else None


def _in_most_layers(name: str, tensors: Mapping[str, Layout]) -> bool:
    """True if the first layer or most layers have the weight; for a bias, if half of the layers with the weight have
    it.

    A single missing tensor does not mean that the model has none, and a single bias not that it has biases.
    """
    found = _layers_of(name, tensors)
    module, _, kind = name.rpartition(".")
    if kind != "bias":
        return 0 in found or (bool(found) and 2 * len(found) > max(found))
    return bool(found) and 2 * len(found) >= len(_layers_of(f"{module}.weight", tensors))


def _layers_with(part: str, tensors: Mapping[str, Layout]) -> Span:
    beginnings, least = PARTS[part]
    found: dict[int, set[str]] = {}
    for name in tensors:
        inner = name.removeprefix("enc.")
        block, _, rest = inner.removeprefix("blk.").partition(".")
        if inner.startswith("blk.") and block.isdecimal():
            found.setdefault(int(block), set()).update(one for one in beginnings if rest.startswith(one))
    return Span.of(layer for layer, there in found.items() if len(there) >= least)
