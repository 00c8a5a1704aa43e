"""Tables of a base of which an adapter trains single rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from inspector.adapters.base import Base, BaseTensor
from inspector.adapters.prefixes import TABLES
from inspector.adapters.targets import Targets

WORDS: Final = (*TABLES, "head.token", "head.token.bias")
"""Roles of tensors with one row per token."""


class TokenTables(Struct, frozen=True):
    """What trainable tokens mean for a base.

    wanted: the setting, the indices of tokens or those of each named table. chosen: each table with its indices. named:
    whether `target_modules` names the tables. clear: whether the setting says which tables it means.
    """

    wanted: list[Any] | dict[str, Any]
    chosen: list[tuple[BaseTensor, object]]
    named: bool
    clear: bool


def token_tables(base: Base, method: str, values: Mapping[str, Any], settings: Targets) -> TokenTables | None:
    """The tables whose rows a config trains; None where it trains none."""
    wanted = values.get("trainable_token_indices")
    if wanted is None and method == "trainable_tokens":
        wanted = values.get("token_indices")
    if not isinstance(wanted, list | dict):
        return None
    named = method == "trainable_tokens" and bool(values.get("target_modules"))
    chosen: list[tuple[BaseTensor, object]]
    if isinstance(wanted, dict):
        tables = [one for one in base.tensors if one.role in WORDS and one.ending == ".weight"]
        chosen = [(one, wanted[name]) for name in wanted for one in tables if f".{one.module}".endswith(f".{name}")]
    else:
        kinds = ("table", "linear", "linear_io") if method == "trainable_tokens" else ("table",)
        tables = [one for one in base.tensors if one.kind in kinds and one.ending == ".weight"]
        chosen = [
            (one, wanted)
            for one in tables
            if (settings.chosen(one.module, one.axes) if named else one.role in TABLES and one.required)
        ]
    clear = len(chosen) == (len(wanted) if isinstance(wanted, dict) else 1)
    return TokenTables(wanted, chosen, named, clear)
