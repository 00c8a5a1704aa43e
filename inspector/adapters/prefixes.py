"""The width of a prefix for the keys and values of a base: the width that the base needs, and the width that PEFT
builds.

Source: `_prepare_prompt_learning_config` of PEFT 0.21.2 (`utils/other.py`). If the class of the base's config has
`num_key_value_heads`, PEFT computes the width from the base, otherwise it uses the adapter's own `token_dim`.
`num_layers` is always the adapter's, if it states one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from inspector.adapters.base import Base, BaseTensor
from inspector.algebra.boxes import count
from inspector.notation.settings import Settings

PREFIXES: Final = frozenset({"prefix_tuning", "cartridge"})
"""Methods with a prompt that is a prefix of the keys and values of each layer."""
TABLES: Final = ("embed.token", "embed.shared")
"""Roles of token tables."""
KEYS: Final = ("attention.key", "attention.qkv")
"""Roles of key projections, separate or joined with queries and values."""


class Prefix(Struct, frozen=True):
    """Elements of a prefix for one token: of the keys (or values) of a layer, times two for each layer.

    None if the definition of the base leaves the number open.
    """

    width: int | None = None
    layers: int | None = None

    @property
    def elements(self) -> int | None:
        """Elements for one token."""
        return None if self.width is None or self.layers is None else 2 * self.width * self.layers


def stated_prefix(values: Mapping[str, Any]) -> Prefix:
    """The prefix described by the adapter's own config."""
    return Prefix(_number(values, "token_dim"), _number(values, "num_layers"))


def needed_prefix(values: Mapping[str, Any], base: Base) -> Prefix:
    """The prefix that the base needs; parts that the base leaves open are taken from the adapter's config.

    Without `num_key_value_heads` its width is the width of the model, even if keys have another width, as in T5.
    """
    own, width = stated_prefix(values), _key_width(base)
    if width is not None and not _has(_language(base.settings), "num_key_value_heads"):
        width = _width_read(base)
    return own if width is None else Prefix(width, _layers(base) or own.layers)


def built_prefix(values: Mapping[str, Any], base: Base) -> Prefix:
    """The prefix that PEFT builds for the base, even if the base's attention does not accept it."""
    own, settings = stated_prefix(values), _language(base.settings)
    layers = own.layers or _layers(base)
    if not _has(settings, "num_key_value_heads"):
        return Prefix(own.width, layers)
    width, groups = _key_width(base), _heads(settings)[1]
    heads = _number(values, "num_attention_heads")
    stated = own.width is not None and bool(heads)
    by_class = _has(settings, "head_dim") and (stated or settings.read(("head_dim",))[0] is not None)
    if width is None or groups is None or by_class:
        return Prefix(width, layers)
    whole, parts = own.width or _width_read(base), heads or _heads(settings)[0]
    scaled = None if whole is None or not parts else whole // parts * groups
    return Prefix(width if scaled == width else None, layers)


def other_heads(values: Mapping[str, Any], base: Base) -> tuple[int, int, bool] | None:
    """(heads in the adapter's config, heads of the base, True if the base then fails), for a prefix of the right width.

    None if they agree or are unknown. Measured with PEFT 0.21.2 and transformers 5.23: if the class of the base has
    `num_key_value_heads`, the prefix is divided anew; otherwise it has the heads in the adapter's config, which the
    base's attention cannot join with its own. A config saved by PEFT states the number of key and value heads.
    """
    settings, stated = _language(base.settings), _number(values, "num_attention_heads")
    grouped = _has(settings, "num_key_value_heads")
    keys = ("decoder_attention_heads", "num_attention_heads", "n_head", "num_heads", "encoder_attention_heads")
    read = (settings.read((key,))[0] for key in keys if _has(settings, key))
    own = _heads(settings)[1] if grouped else next((one for one in read if type(one) is int), None)
    width = _number(values, "token_dim")
    if stated is None or own is None or stated == own or width is None or width != _key_width(base):
        return None
    return stated, own, not grouped


def _key_width(base: Base) -> int | None:
    """The number of outputs of the language model's key projections; None if they differ."""
    found = {_width_of(one, base) for one in _keys(base)}
    return found.pop() if len(found) == 1 else None


def _width_read(base: Base) -> int | None:
    """The number of inputs of the key projections: the width of the model."""
    found = {one.widths[0] for one in _keys(base) if one.widths is not None}
    return found.pop() if len(found) == 1 else None


def _keys(base: Base) -> list[BaseTensor]:
    """The key projections of the language model: those that read the width of its token table.

    Projections of layers that only predict further tokens are not in memory.
    """
    hidden = {one.shape[1] for one in base.tensors if one.role in TABLES and one.required}
    return [
        one
        for one in base.tensors
        if one.role in KEYS and one.required and one.ending == ".weight" and one.widths and one.widths[0] in hidden
    ]


def _width_of(one: BaseTensor, base: Base) -> int | None:
    inputs, outputs = one.widths or (None, None)
    if inputs is None or outputs is None or one.role == "attention.key":
        return outputs
    if outputs == 3 * inputs and not _has(_language(base.settings), "num_key_value_heads"):
        return inputs
    heads, groups = _heads(_language(base.settings))
    if heads is None or groups is None or outputs % (heads + 2 * groups):
        return None
    return outputs // (heads + 2 * groups) * groups


def _layers(base: Base) -> int | None:
    """The number of layers of the language model, if each has one key projection in one stack of layers; else None."""
    keys = _keys(base)
    if len({one.module for one in keys}) != 1 or len(keys[0].axes) != 1:
        return None
    before = keys[0].module.partition("#")[0]
    inside = [one.axes[0].last + 1 for one in base.tensors if one.axes and one.module.startswith(f"{before}#")]
    with_keys = sum(count((one.axes,)) for one in keys)
    return with_keys if with_keys == max(inside) else None


def _language(settings: Settings) -> Settings:
    """The part of a config that PEFT reads: for a model with an inner language model, the config of that one."""
    inner = settings.values.get("text_config", settings.defaults.get("text_config"))
    return settings.below("text_config") if isinstance(inner, Mapping) else settings


def _has(settings: Settings, key: str) -> bool:
    return key in settings.values or key in settings.defaults


def _heads(settings: Settings) -> tuple[int | None, int | None]:
    """(attention heads, heads of keys and values); the second equals the first if the config states none or null."""
    heads, groups = (settings.read((key,))[0] for key in ("num_attention_heads", "num_key_value_heads"))
    known = heads if type(heads) is int and heads > 0 else None
    return known, known if groups is None else groups if type(groups) is int and groups > 0 else None


def _number(values: Mapping[str, Any], key: str) -> int | None:
    found = values.get(key)
    return found if type(found) is int else None
