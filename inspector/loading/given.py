"""The facts about a checkpoint that transformers is to load, and the part of them that each major version reads."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from inspector.architectures.catalog import definition_of
from inspector.architectures.config_types import types_of
from inspector.architectures.defaults import class_defaults
from inspector.architectures.refused_value import looking_up
from inspector.architectures.value_rules import PRUNED, QUANTIZATION
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.loaders import TRANSFORMERS
from inspector.loading.newest_config import as_newest_reads
from inspector.loading.older_config import as_older_reads
from inspector.loading.outcome import Load
from inspector.loading.quantizers import of_text_model, unread_method
from inspector.loading.tables import OLDER, names_of, version_of
from inspector.matcher.families import Families, families_of

if TYPE_CHECKING:
    from inspector.reconciler.reconcile import Reconciled

LABELS: Final = "num_labels"
NAMES_OF_LABELS: Final = "id2label"
OF_MLX: Final = "quantization"
"""The key of MLX's settings."""


class Recorded(NamedTuple):
    """What a version does with a quantization, and the reason. setting: as in `Load`."""

    outcome: str
    because: str
    setting: tuple[str, Any] | None = None


class Given(Struct, frozen=True):
    """The facts about a checkpoint.

    values: of its config.json, with the class and the type that it names. problem: why no loader can open its files, ""
    if they are intact. quantized: True if the weights agree with the config's quantization, False if they do not, None
    if the config has none. unread: why it is unknown what a loader does if they do not agree. case: the comparison with
    the definition; None if it does not cover the whole set, as the loader reads it. stored: the families of all
    tensors, if known. untyped: no dtype is stated where version 5 reads it: in the config, or by the first floats at
    the top of a PyTorch file. unscaled: weights are quantized although the config has no quantization. stacked: scales
    of experts that are stored together while the weights are stored separately. recorded: what a major version does
    with this quantization, if measured.
    """

    checkpoint: Checkpoint
    values: Mapping[str, Any] | None
    class_name: str | None
    model_type: str | None
    problem: str = ""
    quantized: bool | None = None
    unread: str = ""
    case: Reconciled | None = None
    stored: Families | None = None
    untyped: bool = False
    unscaled: bool = False
    stacked: int = 0
    recorded: Mapping[str, Recorded] = MappingProxyType({})


def answer_of(major: str, outcome: str, because: str = "", given: Given | None = None, **counts: Any) -> Load:
    """The result for a major version of transformers. counts: of missing, unexpected and mismatched tensors."""
    files = () if given is None else tuple(file.name for file in given.checkpoint.files)
    return Load(
        loader=TRANSFORMERS.name, version=version_of(major), outcome=outcome, because=because, files=files, **counts
    )


def is_known_class(class_name: str | None, major: str) -> bool:
    """True if a version has the class of a config. Without a class it builds that of AutoModel."""
    return class_name is None or class_name in names_of(major).classes


def without_settings_of_mlx(given: Given) -> Given:
    """The facts without the settings under `quantization`, which only MLX reads: transformers compares the shapes of
    the packed weights with those of its own layers.
    """
    values = given.values or {}
    alone = OF_MLX in values and QUANTIZATION not in values and not of_text_model(values)
    return replace(given, quantized=None) if alone and given.quantized is not None else given


def as_version_reads(given: Given, major: str) -> Given:
    """The facts without the keys that a version does not read."""
    typed = with_types_of_parts(given.values or {}, major)
    if typed is not None:
        given = replace(given, values=typed, case=None)
    if given.values is not None and unread_method(given.values, major) is not None:
        values = {key: value for key, value in given.values.items() if key != QUANTIZATION}
        given = replace(given, values=values, case=None, quantized=None)
    elif major == OLDER and of_text_model(given.values or {}):
        given = replace(given, quantized=None)
    if major == OLDER and _labels_differ(given.values or {}):
        values = {key: value for key, value in (given.values or {}).items() if key != LABELS}
        given = replace(given, values=values, case=None)
    if major == OLDER:
        read = as_older_reads(given.values or {})
        return given if read is None else replace(given, values=read, case=None)
    if given.values is None:
        return given
    newest = as_newest_reads(given.values)
    if newest.get(PRUNED):
        newest = {key: value for key, value in newest.items() if key != PRUNED}
    return given if newest is given.values else replace(given, values=newest, case=None)


def with_types_of_parts(values: Mapping[str, Any], major: str) -> Mapping[str, Any] | None:
    """A config in which parts that state no model type of transformers have that of their class; None without any.

    Such a class is always the same: a version refuses any other type where it takes the class from the type.
    """
    model_type = str(values.get("model_type"))
    types = types_of(model_type)
    found: dict[str, Any] = {}
    for key, declared in types.inner.items() if types is not None else ():
        inner = values.get(key)
        if isinstance(inner, dict) and inner.get("model_type", "") != "" and not _is_type(inner["model_type"]):
            default = class_defaults(model_type, major)[0].get(key)
            usual = declared or (default.get("model_type") if isinstance(default, Mapping) else None)
            if _is_type(usual) and model_type not in looking_up("parts", key, major):
                found[key] = {**inner, "model_type": usual}
    return {**values, **found} if found else None


def _is_type(model_type: Any) -> bool:
    return isinstance(model_type, str) and definition_of(model_type) is not None


def _labels_differ(values: Mapping[str, Any]) -> bool:
    """True if `num_labels` differs from the number of label names, which transformers 4 uses instead."""
    names = values.get(NAMES_OF_LABELS)
    return isinstance(names, dict) and LABELS in values and values[LABELS] != len(names)


def families_read(given: Given, major: str) -> Families:
    """The tensors that are read: those of the files that the index lists; in transformers 4 only
    tensors that it names.
    """
    index, tensors = given.checkpoint.index, given.checkpoint.tensors
    if index is not None and major == OLDER:
        if index.weight_map.keys() != tensors.keys():
            from inspector.loading.memory import ABSENT

            return families_of({name: tensors.get(name, ABSENT) for name in index.weight_map})
    elif index is not None and not all(file.name in index.files for file in given.checkpoint.files):
        file_of = given.checkpoint.file_of
        return families_of({name: layout for name, layout in tensors.items() if file_of.get(name) in index.files})
    return families_of(tensors) if given.stored is None else given.stored
