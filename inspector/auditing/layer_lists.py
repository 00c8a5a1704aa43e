"""Keys that must change together with another key: lists with one entry for each layer, and switches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from inspector.findings.config import ConfigDisagrees, LayerList, Rival
from inspector.loading.config_rules import refused_config

MOST_LAYERS: Final = 10_000
"""Most layers for which lists are tried."""


def with_layer_lists(finding: ConfigDisagrees, values: Mapping[str, Any]) -> ConfigDisagrees:
    """The finding on a number of layers, with the lists that transformers refuses together with the right number."""
    *outer, last = finding.key.split(".")
    stated: Any = values
    for key in outer:
        stated = stated.get(key) if isinstance(stated, Mapping) else None
    solved = finding.solved
    if not isinstance(stated, Mapping) or type(solved) is not int or not 0 < solved <= MOST_LAYERS:
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


def with_switch(finding: ConfigDisagrees, values: Mapping[str, Any]) -> ConfigDisagrees:
    """The finding on a switch, with the other switch without which transformers refuses the right value."""
    *outer, last = finding.key.split(".")
    stated: Any = values
    for key in outer:
        stated = stated.get(key) if isinstance(stated, Mapping) else None
    if not isinstance(stated, Mapping) or type(finding.solved) is not bool:
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
