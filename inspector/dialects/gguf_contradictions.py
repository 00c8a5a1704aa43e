"""Checks keys of a GGUF file that must agree with each other by llama.cpp's assertions.

Source: llama.cpp `llama_model_base::load_hparams`, whose assertions on experts hold for every architecture, and that of
Gemma 4; measured with xllamacpp 2026.10. llama.cpp then aborts without naming the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from inspector.findings.finding import Finding, Place
from inspector.loader.config_file import Config

EXPERTS: Final = "expert_count"
USED: Final = "expert_used_count"
GROUPS: Final = "expert_group_count"
GROUPS_USED: Final = "expert_group_used_count"
CONTEXT: Final = "rope.scaling.original_context_length"
TEMPERATURE: Final = "attention.temperature_scale"
EQUAL: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "gemma4": (
        ("attention.value_length", "attention.key_length"),
        ("attention.value_length_swa", "attention.key_length_swa"),
    ),
}
"""Architecture -> pairs of keys that must be equal."""


def contradictions(metadata: Config) -> Iterator[Finding]:
    """The finding on the first key that contradicts another key."""
    name = metadata.values.get("general.architecture")
    start = f"{name}."
    own = {key.removeprefix(start): value for key, value in metadata.values.items() if key.startswith(start)}
    for key, rule, other in (*_of_experts(own), *_unequal(name, own), *_of_rotation(own)):
        from inspector.findings.types.gguf_heads import GgufKeysContradict

        yield GgufKeysContradict(
            place=Place(file=metadata.file, key=start + key), key=start + key, stated=_number(own, key) or 0,
            rule=rule, other=start + other, value=_shown(own.get(other, 0)),
        )  # fmt: skip
        return


def _of_experts(own: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    """(key, the rule for its value, the key that it must agree with) for keys that route tokens to experts."""
    experts, used, groups, chosen = (_number(own, key) for key in (EXPERTS, USED, GROUPS, GROUPS_USED))
    if experts is None or used is None or groups is None or chosen is None:
        return
    if not {EXPERTS, USED} <= own.keys() and (own.keys() & {EXPERTS, USED} or not groups):
        return
    if not experts:
        if used:
            yield USED, "0 without experts", EXPERTS
        elif groups:
            yield GROUPS, "0 without experts", EXPERTS
    elif not 0 < used <= experts:
        yield USED, "from 1 to the number of experts", EXPERTS
    elif groups >= experts:
        yield GROUPS, "below the number of experts", EXPERTS
    elif groups > 1 and experts % groups:
        yield GROUPS, "a divisor of the number of experts", EXPERTS
    elif groups > 1 and not 0 < chosen < groups:
        yield GROUPS_USED, "from 1 to below the number of groups", GROUPS


def _unequal(name: object, own: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    for key, other in EQUAL.get(name, ()) if isinstance(name, str) else ():
        if key in own and other in own and own[key] != own[other]:
            yield key, "as wide as the keys", other


def _of_rotation(own: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    """The context before its extension, from which the temperature follows ("invalid n_ctx_orig_yarn")."""
    if own.get(TEMPERATURE) and own.get(CONTEXT) == 0:
        yield CONTEXT, "above 0 with a temperature of attention", TEMPERATURE


def _number(own: Mapping[str, object], key: str) -> int | None:
    """A number of the file, 0 if absent; None for a list with one number for each layer."""
    stated = own.get(key, 0)
    return stated if type(stated) is int else None


def _shown(stated: object) -> int | float:
    return stated if isinstance(stated, int | float) else 0


def decides_shapes(key: str) -> bool:
    """True if a key, including its architecture, is one of a pair that determines the shape of a matrix."""
    architecture, _, rest = key.partition(".")
    return any(rest in pair for pair in EQUAL.get(architecture, ()))
