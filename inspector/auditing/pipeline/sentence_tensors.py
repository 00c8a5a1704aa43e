"""Judges a module of a sentence encoder on its own: its config, its tensors and the files beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from inspector.auditing.sentence_listing import json_of
from inspector.loader.checkpoint import SIBLINGS_KEPT, Checkpoint
from inspector.loader.loaders import TRANSFORMERS
from inspector.loading.integers import INTEGERS
from inspector.loading.sentence_modules import (
    CONFIGS,
    COUNTERS,
    DIMS_OF,
    LOOKUPS,
    MAPPING,
    OF_TOKENS,
    OTHER_NAMES,
    REQUIRED,
    is_known,
    tensors_of,
)
from inspector.loading.tokenizer_files import WHOLE
from inspector.loading.tokenizers import number_of_tokens

WEIGHTS: Final = TRANSFORMERS.single("safetensors")
READ_TOKENIZER: Final = frozenset({"StaticEmbedding"})
"""Modules that do not load without a tokenizer.json in their own folder."""


class Problem(Struct, frozen=True):
    """The problem of a module on its own, the file that has it, and (stored name, expected name) of its tensors if only
    their names are wrong.
    """

    words: str
    file: str = WEIGHTS
    renames: tuple[tuple[str, str], ...] = ()


def problem_of(kind: str, part: Checkpoint | None, values: Mapping[str, Any]) -> Problem | None:
    """The problem of a module on its own; None if it loads."""
    config = CONFIGS.get(kind, "config.json")
    if kind in REQUIRED and REQUIRED[kind] not in values:
        return Problem(f'its {config} has no "{REQUIRED[kind]}"' if values else f"it has no {config}", config)
    if kind in LOOKUPS:
        return _without_table(kind, part)
    if kind != "Pooling" and not is_known(kind):
        return None
    if part is None:
        return Problem("the folder is absent" if kind != "Pooling" else "it has no config.json")
    if not values:
        return Problem(f"it has no {config}", config)
    words = _tensors_differ(kind, part, values) if is_known(kind) else ""
    return Problem(words, renames=_renamed(part, tensors_of(kind, values) or {})) if words else None


def _renamed(part: Checkpoint, expected: Mapping[str, tuple[int, ...]]) -> tuple[tuple[str, str], ...]:
    """(stored name, expected name) of the tensors under other names, if each has the last word and the shape of exactly
    one of the missing.
    """
    pairs: list[tuple[str, str]] = []
    for stored in (name for name in part.tensors if name not in expected):
        last, shape = stored.rpartition(".")[2], part.tensors[stored].shape
        fitting = [one for one in expected if one not in part.tensors and one.rpartition(".")[2] == last]
        if len(fitting) != 1 or expected[fitting[0]] != shape:
            return ()
        pairs.append((stored, fitting[0]))
    whole = {new for _, new in pairs} == {name for name in expected if name not in part.tensors}
    return tuple(pairs) if whole and len({new for _, new in pairs}) == len(pairs) else ()


def _without_table(kind: str, part: Checkpoint | None) -> Problem | None:
    """The problem of a module that is a table; None if it loads."""
    if part is None or not part.readable:
        return Problem("it has no weights that can be read")
    tables = [name for name in LOOKUPS[kind] if name in part.tensors]
    if not tables:
        return Problem(f"{LOOKUPS[kind][0]} is missing", renames=_renamed_table(kind, part))
    if kind in READ_TOKENIZER and WHOLE not in part.siblings and len(part.siblings) < SIBLINGS_KEPT:
        return Problem(f"it has no {WHOLE}", WHOLE)
    stored, dims = part.tensors[tables[0]], DIMS_OF.get(kind, 2)
    if len(stored.shape) != dims:
        return Problem(f"its table is {list(stored.shape)}, not of {('one dim', 'two dims')[dims - 1]}")
    if stored.dtype in INTEGERS and tables[0] == LOOKUPS[kind][0]:
        return Problem(f"{tables[0]} is stored as {stored.dtype}")
    return _not_of_tokens(part, tables[0], OF_TOKENS[kind]) if kind in OF_TOKENS else None


def _renamed_table(kind: str, part: Checkpoint) -> tuple[tuple[str, str], ...]:
    """(stored name, name of the table), if the file has nothing but one table of its dims."""
    (name, stored), *others = part.tensors.items()
    fits = not others and len(stored.shape) == DIMS_OF.get(kind, 2) and stored.dtype not in INTEGERS
    return ((name, LOOKUPS[kind][0]),) if fits else ()


def _not_of_tokens(part: Checkpoint, table: str, strict: bool) -> Problem | None:
    """The problem of a table with a row for each token. strict: it has exactly these rows, and the module no other
    tensors.
    """
    other = next((name for name in part.tensors if name != table), None) if strict else None
    if other is not None:
        return Problem(f"{other} is unexpected")
    rows, tokens = part.tensors[table].shape[0], number_of_tokens(json_of(part, WHOLE))
    fits = tokens is None or MAPPING in part.tensors or (rows == tokens if strict else rows >= tokens)
    return None if fits else Problem(f"{table} has {rows} rows, its {WHOLE} {tokens} tokens")


def width_of_table(kind: str, part: Checkpoint | None) -> int | None:
    """The last dim of a table; None if it was not read."""
    stored = next((part.tensors[name] for name in LOOKUPS[kind] if name in part.tensors), None) if part else None
    return None if stored is None or not stored.shape else stored.shape[-1]


def _tensors_differ(kind: str, part: Checkpoint, values: Mapping[str, Any]) -> str:
    if not part.readable:
        return "it has no weights that can be read"
    expected = tensors_of(kind, values)
    if expected is None:
        return f"its {CONFIGS.get(kind, 'config.json')} does not state its sizes"
    tensors = {name if name in expected else OTHER_NAMES.get(name, name): one for name, one in part.tensors.items()}
    for name, shape in expected.items():
        stored = tensors.get(name)
        if stored is None:
            return f"{name} is missing"
        if stored.shape != shape:
            return f"{name} is {list(stored.shape)}, its config states {list(shape)}"
        if stored.dtype in INTEGERS and name not in COUNTERS:
            return f"{name} is stored as {stored.dtype}"
    other = next((name for name in tensors if name not in expected), None)
    return "" if other is None else f"{other} is unexpected"
