"""An architecture definition: one value made of dims, rows, heads, ties and dialects.

A definition consists of rows and of texts in the expression language (`inspector.algebra.expression`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.notation.kinds import Kind

PADDED = "rows_stored"
"""The symbol for the number of rows of an embedding that a writer rounds up. It is solved from the shapes."""


TIES = "tie_word_embeddings | false"
"""Default predicate for tied rows to share their tensor: as in transformers' PretrainedConfig."""
PREDEFINED = {"labels": "num_labels | len(id2label) | 2"}
"""Symbols of every definition. labels: number of classes of a head, 2 by default in transformers' PretrainedConfig."""


class Dims(dict[str, str]):
    """Symbol -> definition. In `A | B` the definitions of B replace those of A."""

    def __init__(self, **definitions: str) -> None:
        super().__init__(definitions)

    def __or__(self, other: Mapping[str, str]) -> Dims:  # type: ignore[override]
        return Dims(**{**self, **other})


class Part(Struct, frozen=True):
    """One module or bare tensor. `tied` names the role or path of the weight that it may share."""

    path: str
    role: str
    kind: Kind
    when: str = ""
    optional: bool = False
    tied: str = ""
    ties: str | bool | None = None  # None: the definition's own predicate


class Group(Struct, frozen=True):
    """Rows under a prefix. `optional`: at each index either all or none are stored; `extra`: not part of the class's
    model.

    usual: True for an optional group that the class builds. The formula counts it unless none of its tensors is stored.
    """

    prefix: str
    rows: tuple[Row, ...]
    when: str = ""
    optional: bool = False
    tied: str = ""
    tower: str = ""
    extra: str = ""
    renames: Mapping[str, str] = {}
    usual: bool = False


class Either(Struct, frozen=True):
    """Alternative ways to store the same parameters, decided by the stored names."""

    first: Row
    second: Row


class Submodel(Struct, frozen=True):
    """Another definition under a prefix that reads a sub-config; without a definition, the model_type there chooses it.

    head: suffixes of its class; the first suffix that the definition has decides. by_type: the model_type of the
    sub-config, if it has one, chooses the definition. sets: keys of the sub-config that the outer class overrides, with
    their expressions in the outer definition.
    """

    name: str
    at: str
    definition: Architecture | None = None
    config: str = ""
    head: str = ""
    when: str = ""
    by_type: bool = False
    sets: Mapping[str, str] = {}


class Opaque(Struct, frozen=True):
    """Tensors that are counted but not checked if `when` holds. Without a config a condition never holds."""

    prefix: str
    because: str
    when: str = ""


Row = Part | Group | Either | Submodel | Opaque


class Head(Struct, frozen=True):
    """The rows that a task class adds, and its prefix before the body. names: suffixes of class names."""

    names: tuple[str, ...]
    root: str
    rows: tuple[Row, ...] = ()
    default: bool = False


class Architecture(Struct, frozen=True, eq=False):
    """One architecture definition, which may serve several model types.

    names: its model types; the first is its name. dialects: prefix replacements for canonical names; writers: the
    frameworks that use them. ignores: keys of real configs of this type that affect no shape. keeps: keys for parts
    that every forward pass of the class reads: a missing part is then lost, and never a reason to change the key.
    needs: predicate of rows -> the predicate of rows that a writer's model has only together with them: without a
    config, the first are expected if the second are stored. Set for a checkpoint with the names of that writer.
    sign: part of a name without which the names alone do not choose the definition: that of a part whose absence would
    leave the names of another model.
    respell: gives the slots the names and layouts of another framework; set for a checkpoint with those names, never by
    a definition.
    """

    name: str
    dims: Mapping[str, str]
    parts: Row = Group("", ())
    heads: tuple[Head, ...] = (Head(("",), ""),)
    ties: str = TIES
    dialects: tuple[Mapping[str, str], ...] = ({},)
    writers: tuple[str, ...] = ()
    ignores: str = ""
    keeps: str = ""
    needs: Mapping[str, str] = {}
    sign: str = ""
    respell: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All model types of this definition."""
        return tuple(self.name.split())

    @property
    def default_head(self) -> Head:
        """The head that a chart shows without a config."""
        return next((entry for entry in self.heads if entry.default), self.heads[0])


def part(path: str, role: str, kind: Kind, *, when: str = "", tied: str = "", ties: str | bool | None = None) -> Part:
    """One module or bare tensor that is stored if `when` holds."""
    return Part(path, role, kind, when, tied=tied, ties=ties)


def maybe(path: str, role: str, kind: Kind, *, when: str = "", tied: str = "", ties: str | bool | None = None) -> Part:
    """A module that may be stored or left out; both are valid."""
    return Part(path, role, kind, when, optional=True, tied=tied, ties=ties)


def rows(
    *parts: Row,
    when: str = "",
    optional: bool = False,
    tied: str = "",
    tower: str = "",
    extra: str = "",
    **renames: str,
) -> Group:
    """A group without a prefix."""
    return Group(
        prefix="", rows=parts, when=when, optional=optional, tied=tied, tower=tower, extra=extra, renames=renames
    )


def under(
    prefix: str,
    *parts: Row,
    when: str = "",
    optional: bool = False,
    tied: str = "",
    tower: str = "",
    extra: str = "",
    **renames: str,
) -> Group:
    """A group below a prefix; keyword arguments rename the symbols of the block in dims, predicates and holes."""
    return Group(
        prefix=prefix, rows=parts, when=when, optional=optional, tied=tied, tower=tower, extra=extra, renames=renames
    )


def usually(*parts: Row) -> Group:
    """Rows that the class builds and that files may leave out together, such as the pooler of a base model."""
    return Group("", parts, optional=True, usual=True)


def either(first: Row, second: Row) -> Either:
    """Two ways to store the same parameters."""
    return Either(first, second)


def submodel(
    name: str,
    at: str,
    definition: Architecture | None = None,
    *,
    config: str = "",
    head: str = "",
    when: str = "",
    by_type: bool = False,
    **sets: str,
) -> Submodel:
    """Another definition; its symbols are `name.symbol` here, its sub-config is `config`, by default `<name>_config`.

    by_type: the model_type of the sub-config chooses where it has one, as `AutoModel.from_config` does.
    Keyword arguments are keys of the sub-config that the class sets: `encoder_hidden_size="vision.d"`.
    """
    return Submodel(name, at, definition, config or f"{name}_config", head, when, by_type, sets)


def opaque(prefix: str, because: str, *, when: str = "") -> Opaque:
    """Tensors below a prefix that no definition describes. They are present if `when` holds."""
    return Opaque(prefix, because, when)


def head(names: str, root: str, *parts: Row, default: bool = False) -> Head:
    """A task class: suffixes of class names, the prefix before the body, and the rows that it adds."""
    return Head(tuple(names.split()) or ("",), root, parts, default)


def rooted(heads: tuple[Head, ...], root: str) -> tuple[Head, ...]:
    """The heads with every non-empty prefix replaced."""
    return tuple(replace(entry, root=root) if entry.root else entry for entry in heads)


def recast(definition: Architecture, name: str, kind: Callable[[str], Kind]) -> Architecture:
    """The definition with every row of one kind changed to another kind, such as in a class that replaces its norms."""
    heads = tuple(replace(one, rows=tuple(_recast(row, name, kind) for row in one.rows)) for one in definition.heads)
    return replace(definition, parts=_recast(definition.parts, name, kind), heads=heads)


def _recast(row: Row, name: str, kind: Callable[[str], Kind]) -> Row:
    if isinstance(row, Part):
        return replace(row, kind=kind(row.kind.tensors[0].dims[0])) if row.kind.name == name else row
    if isinstance(row, Group):
        return replace(row, rows=tuple(_recast(inner, name, kind) for inner in row.rows))
    if isinstance(row, Either):
        return Either(_recast(row.first, name, kind), _recast(row.second, name, kind))
    return row
