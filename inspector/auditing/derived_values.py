"""States a wrong switch as the key from which its class derives it: T5 computes `is_gated_act` and the activation from
`feed_forward_proj`, and a config that transformers saved has all three.

Source: `T5Config` in transformers 4.57 and 5.23 (a stated `is_gated_act` or `dense_act_fn` replaces what the class
computes, so that it must be removed where `feed_forward_proj` changes).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from inspector.architectures.defaults import defaults_of
from inspector.architectures.value_rules import configs_within
from inspector.findings.config import ConfigDisagrees, Rival
from inspector.findings.finding import Finding, Place

SWITCH: Final = "is_gated_act"
SOURCE: Final = "feed_forward_proj"
ACTIVATION: Final = "dense_act_fn"
GATED: Final = "gated-"
USUAL: Final = {True: ("gated-gelu", "gated-silu"), False: ("relu", "gelu")}
"""Whether there is a gate -> the values of published models, the most frequent one first."""


def with_source_keys(findings: Sequence[Finding], values: Mapping[str, Any]) -> Sequence[Finding]:
    """The findings, with that on the switch as one on the key that decides it. values: the config."""
    wrong = [one for one in findings if isinstance(one, ConfigDisagrees)]
    if not any(one.key.rpartition(".")[2] in (SWITCH, SOURCE) for one in wrong):
        return findings
    configs = {path: (inner, kind) for path, inner, kind in configs_within(values, values.get("model_type"))}
    restated = {id(one): _restated(one, configs) for one in wrong}
    return [restated.get(id(one)) or one for one in findings]


def _restated(
    finding: ConfigDisagrees, configs: Mapping[tuple[str, ...], tuple[Mapping[str, Any], Any]]
) -> ConfigDisagrees | None:
    *outer, key = finding.key.split(".")
    stated, kind = configs.get(tuple(outer), ({}, None))
    defaults = defaults_of(kind) if isinstance(kind, str) else None
    if key not in (SWITCH, SOURCE) or defaults is None or defaults.derived.get(SWITCH) != (SOURCE,):
        return None
    gated = finding.solved is True or str(finding.solved).startswith(GATED)
    if key == SWITCH and str(stated.get(SOURCE, "")).startswith(GATED) and gated:
        return None  # only the switch contradicts it
    shown = _of(stated.get(ACTIVATION), gated)
    first, *others = dict.fromkeys((*filter(None, [shown]), *USUAL[gated]))
    name = ".".join((*outer, SOURCE))
    return replace(
        finding, place=Place(key=name), key=name, stated=stated.get(SOURCE, defaults.values.get(SOURCE)), solved=first,
        default=SOURCE not in stated,
        rivals=() if shown else tuple(Rival(name, one) for one in others), together=(),
        derived=tuple(one for one, sources in defaults.derived.items() if sources == (SOURCE,) and one in stated),
    )  # fmt: skip


def _of(activation: Any, gated: bool) -> str | None:
    """The value for a stated activation; None if it is not one of a model with this kind of layer."""
    if gated:
        return {"gelu_new": "gated-gelu", "silu": "gated-silu"}.get(str(activation))
    return str(activation) if activation in ("relu", "gelu") else None
