"""Keys that must change together with another key: lists with one entry for each layer, and switches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from inspector.findings.config import ConfigDisagrees, LayerList, Rival
from inspector.findings.names.layers import FewerLayers, LayersMissing
from inspector.loading.config_rules import refused_config

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
    if not refused_config(changed) or refused_config(inner):
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


def _of_length(entries: Sequence[Any], length: int) -> list[Any]:
    return [*entries, *[entries[-1]] * length][:length]


def _only(entries: Sequence[Any]) -> Any:
    """The value of all entries; unset if they differ."""
    return entries[0] if all(one == entries[0] for one in entries) else UNSET
