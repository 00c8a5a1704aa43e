"""Keys that must change together with another key: lists with one entry for each layer, switches, and equal sizes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from inspector.findings.config import ConfigDisagrees, LayerList, Rival
from inspector.findings.names.layers import FewerLayers, LayersMissing
from inspector.findings.single_causes import ConfigOfAnotherSize
from inspector.loading.config_rules import refused_config

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.loading.outcome import Load

LAYERS: Final = "num_hidden_layers"
MOST_LAYERS: Final = 10_000
"""Most layers for which lists are tried."""


def with_layer_lists(finding: ConfigDisagrees, values: Mapping[str, Any]) -> ConfigDisagrees:
    """The finding on a number of layers, with the lists that transformers refuses together with the right number."""
    *outer, last = finding.key.split(".")
    stated = _below(values, outer)
    solved = finding.solved
    if not stated or type(solved) is not int or not 0 < solved <= MOST_LAYERS:
        return finding
    inner = {"model_type": values.get("model_type"), **stated}
    changed = {**inner, last: solved}
    if not refused_config(changed):
        return finding
    lists = {key: one for key, one in stated.items() if isinstance(one, list) and one and len(one) == stated.get(last)}
    resized = {key: _of_length(one, solved) for key, one in lists.items()}
    if refused_config({**changed, **resized}):
        return finding
    for key in lists:
        rest = {name: one for name, one in resized.items() if name != key}
        if not refused_config({**changed, **rest}):
            resized = rest
    return replace(finding, layer_lists=tuple(LayerList(key, _only(lists[key])) for key in resized))


def list_of_layers(audited: Audit, load: Load) -> tuple[LayerList, int] | None:
    """The list of another length than the number of layers for which a loader refuses a config, and this number.

    None if the weights contradict the number.
    """
    values: Mapping[str, Any] = {} if audited.checkpoint.config is None else audited.checkpoint.config.values
    lists = [key for key in load.keys if isinstance(values.get(key), list) and values[key]]
    number = values.get(LAYERS)
    if (
        len(lists) != 1
        or {*load.keys} != {lists[0], LAYERS}
        or type(number) is not int
        or not 0 < number <= MOST_LAYERS
    ):
        return None
    if len(values[lists[0]]) == number or any(isinstance(one, ConfigDisagrees) for one in audited.findings):
        return None
    return LayerList(lists[0], _only(values[lists[0]])), number


def with_fewer_layers(
    finding: LayersMissing, values: Mapping[str, Any], stated_key: Callable[[str], str | None]
) -> LayersMissing:
    """The finding with the keys as the config states them, and with the lists that transformers needs shorter too.

    values: the config; empty if the weights have none that transformers reads, and no key of it is then named.
    """
    fewer = (_with_shorter_lists(replace(one, key=stated_key(one.key) or one.key), values) for one in finding.fewer)
    return replace(finding, fewer=tuple(one for one in fewer if one is not None))


def _with_shorter_lists(reading: FewerLayers, values: Mapping[str, Any]) -> FewerLayers | None:
    """A smaller number of layers with the lists that it needs shorter; None if transformers refuses it even so."""
    *outer, last = reading.key.split(".")
    stated = _below(values, outer)
    if not stated:
        return None
    changed = {"model_type": values.get("model_type"), **stated, last: reading.layers}
    lists = {key: one for key, one in stated.items()
             if isinstance(one, list) and key != last and len(one) == stated.get(last)}  # fmt: skip
    shorter = {key: [entry for number, entry in enumerate(one) if number not in reading.numbers]
               for key, one in lists.items()}  # fmt: skip
    changed |= {key: shorter[key] for key in reading.lists if key in shorter}
    for key, entries in shorter.items() if refused_config(changed) else ():
        if refused_config(changed) and key not in reading.lists:
            reading = replace(reading, lists=(*reading.lists, key))
            changed[key] = entries
    return None if refused_config(changed) else reading


def with_unseen_keys(finding: ConfigOfAnotherSize, values: Mapping[str, Any]) -> ConfigOfAnotherSize:
    """The finding with the keys whose values transformers refuses together with the sizes of the weights."""
    changed = dict(values)
    if refused_config(changed) is not None:
        return finding
    for one in finding.keys:
        changed = _with_value(changed, one.key.split("."), one.solved)
    refused = refused_config(changed)
    known = {one.key for one in finding.keys}
    beside = refused.keys if refused is not None else ()
    outer = {key.rpartition(".")[0] for key in known if key.rpartition(".")[2] in beside}
    unseen = [f"{path}.{key}".lstrip(".") for path in sorted(outer) for key in beside]
    return replace(finding, unseen=(*finding.unseen, *(key for key in unseen if key not in known)))


def _with_value(values: Mapping[str, Any], keys: Sequence[str], new: Any) -> dict[str, Any]:
    """A config with another value of one key."""
    inner = values.get(keys[0])
    below = inner if isinstance(inner, Mapping) else {}
    return {**values, keys[0]: new if len(keys) == 1 else _with_value(below, keys[1:], new)}


def _below(values: Mapping[str, Any], keys: Sequence[str]) -> Mapping[str, Any]:
    """A sub-config; empty if it is absent."""
    for key in keys:
        inner = values.get(key)
        values = inner if isinstance(inner, Mapping) else {}
    return values


def with_switch(finding: ConfigDisagrees, values: Mapping[str, Any]) -> ConfigDisagrees:
    """The finding on a switch, with the other switch without which transformers refuses the right value."""
    *outer, last = finding.key.split(".")
    stated = _below(values, outer)
    if not stated or type(finding.solved) is not bool:
        return finding
    changed = {**stated, last: finding.solved}
    refused = refused_config(changed)
    if refused is None or refused_config(dict(stated)):
        return finding
    for key in refused.keys:
        switch = changed.get(key, False)
        if key != last and type(switch) is bool and not refused_config({**changed, key: not switch}):
            return replace(finding, beside=Rival(key, not switch))
    return finding


def with_equal_key(finding: ConfigDisagrees, values: Mapping[str, Any], corrected: Collection[str]) -> ConfigDisagrees:
    """The finding on a number, with the key that transformers refuses if it has not the same number.

    corrected: the keys that other findings correct.
    """
    if type(finding.solved) is not int or finding.layer_lists or refused_config(values) is not None:
        return finding
    changed = _with_value(values, finding.key.split("."), finding.solved)
    refused = refused_config(changed)
    for key in refused.keys if refused is not None else ():
        stated = _below(values, key.split(".")[:-1]).get(key.rpartition(".")[2])
        if key == finding.key or key in corrected or type(stated) is not int:
            continue
        if refused_config(_with_value(changed, key.split("."), finding.solved)) is not None:
            continue
        others_fit = any(
            refused_config(_with_value(changed, key.split("."), one)) is None
            for one in (1, 2 * finding.solved)
            if one != finding.solved
        )
        if others_fit:  # the one has to divide the other
            return replace(finding, undivided=Rival(key, stated))
        return replace(finding, equal=Rival(key, finding.solved))
    return finding


def _of_length(entries: Sequence[Any], length: int) -> list[Any]:
    return [*entries, *[entries[-1]] * length][:length]


def _only(entries: Sequence[Any]) -> Any:
    """The value of all entries; unset if they differ."""
    return entries[0] if all(one == entries[0] for one in entries) else UNSET
