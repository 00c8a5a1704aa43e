"""Tables of a base in which an adapter trains single rows.

Source: PEFT 0.21.2, `set_additional_trainable_modules` of `utils/other.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from msgspec import Struct

from inspector.adapters.base import Base, BaseTensor
from inspector.adapters.prefixes import TABLES
from inspector.adapters.targets import Targets, texts

WORDS: Final = (*TABLES, "head.token", "head.token.bias")
"""Roles of tensors with one row per token."""
HEAD: Final = "head.token"
SHARED: Final = "embed.shared"
"""Role of the table that an encoder and a decoder read."""
SAVED: Final = "it is in modules_to_save and in trainable_token_indices"


class TokenTables(Struct, frozen=True):
    """The tables to which a setting for trainable tokens applies.

    wanted: the setting, the indices of tokens or those of each named table. chosen: each table with its indices. named:
    `target_modules` names the tables. clear: the setting determines the tables. refused: (name, reason for which PEFT
    refuses it); ("", "") if it accepts all.
    """

    wanted: list[Any] | dict[str, Any]
    chosen: list[tuple[BaseTensor, object]]
    named: bool
    clear: bool
    refused: tuple[str, str] = ("", "")


def token_tables(base: Base, method: str, values: Mapping[str, Any], settings: Targets) -> TokenTables | None:
    """The tables with rows that a config trains; None if it trains none."""
    wanted = values.get("trainable_token_indices")
    wanted = [wanted] if isinstance(wanted, int) else wanted  # true and false too, as a row
    if method == "trainable_tokens":
        return _of_method(base, wanted or values.get("token_indices"), values, settings)
    if isinstance(wanted, dict):
        return _named(base, wanted, texts(values.get("modules_to_save")))
    if not isinstance(wanted, list):
        return None
    read = [one for one in base.tensors if one.kind == "table" and one.ending == ".weight" and one.required]
    shared = [one for one in read if one.role == SHARED]
    chosen: list[tuple[BaseTensor, object]] = [(one, wanted) for one in shared or read if one.role in TABLES]
    refused = ("trainable_token_indices", "the base has no table of tokens") if not chosen else ("", "")
    if len(chosen) == 1 and chosen[0][0].module in texts(values.get("modules_to_save")):
        refused = chosen[0][0].module, SAVED
    return TokenTables(wanted, chosen, False, len(chosen) < 2, refused)


def _of_method(base: Base, wanted: object, values: Mapping[str, Any], settings: Targets) -> TokenTables | None:
    """The tables of an adapter that trains only token rows."""
    if isinstance(wanted, dict):
        return _named(base, wanted, ())
    if not isinstance(wanted, list):
        return None
    named = bool(values.get("target_modules"))
    kinds = ("linear", "linear_io")  # a head that is tied is not required
    tables = [
        one
        for one in base.tensors
        if one.ending == ".weight" and (one.kind in kinds or (one.kind == "table" and one.required))
    ]
    chosen: list[tuple[BaseTensor, object]] = [
        (one, wanted)
        for one in tables
        if (settings.chosen(one.module, one.axes) if named else one.role in TABLES and one.required)
    ]
    of_words = any(one.role in WORDS for one, _ in chosen)  # which may be tied to one another
    return TokenTables(wanted, chosen, named, len(chosen) == 1 or (named and bool(chosen) and not of_words))


def _named(base: Base, wanted: dict[str, Any], saved: Collection[str]) -> TokenTables:
    """The tables by their names: each table that ends with a name, except a head that uses the rows of its table."""
    tables = [one for one in base.tensors if (one.role in WORDS or one.kind == "table") and one.ending == ".weight"]
    tied = base.settings.read(("tie_word_embeddings",))[0] is True
    chosen: list[tuple[BaseTensor, object]] = []
    clear, refused = True, ("", "")
    for name, indices in wanted.items():
        found = [one for one in tables if f".{one.module}".endswith(f".{name}")]
        if not found and any(f".{one.module}.".find(f".{name}.") >= 0 for one in base.tensors):
            clear = False
        elif not found:
            refused = name, "trainable_token_indices names it, and the base has no such module"
        elif name in saved:
            refused = name, SAVED
        for one in found:
            of_table = tied and one.role == HEAD and any(it.role in TABLES and other == indices for it, other in chosen)
            if not of_table:
                chosen.append((one, indices))
    return TokenTables(wanted, chosen, False, clear, refused)


def beyond(tensor: BaseTensor, indices: object) -> str:
    """The reason for which PEFT refuses the token indices of a table with fewer rows (IndexError); "" if it accepts
    them.
    """
    rows = tensor.shape[0]
    listed = indices if isinstance(indices, list) else []
    found = [one for one in listed if type(one) is int and rows is not None and one >= rows]
    return f"token {max(found)} of {rows} is beyond the table" if found else ""
