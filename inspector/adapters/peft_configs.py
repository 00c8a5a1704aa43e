"""Reads an adapter's config as PEFT does: keys that its classes do not have are dropped, absent keys have defaults.

`peft_configs.json` contains the keys, the defaults, the values that the classes refuse and the kinds of modules that
the methods change (`tests/oracle/make_peft_configs.py`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from inspector.adapters.lora_variants import refused_variants
from inspector.adapters.method_table import RANKS
from inspector.adapters.methods import PEFT_TYPES
from inspector.algebra.values import shown
from inspector.findings.peft_remedies import OLD_OFT
from inspector.loader.config_file import named_class
from inspector.loading.tables import NEWEST, generating, names_of

EXPRESSION: Final = "an expression in target_modules"
INFERRED: Final = frozenset({"trainable_tokens", "osf", "adaption_prompt"})
"""Methods that find their modules themselves if the config names none."""
REFUSE_NONE: Final = frozenset({"trainable_tokens", "osf"})
"""Those of them that refuse an empty list (measured with PEFT 0.21)."""
TEXTS: Final = (
    ("bias", "has no bias", {"UNILORA": "none|all|unilora_only", "": "none|all|.*_only"}),
    (
        "init_lora_weights",
        "does not load with init_lora_weights",
        {"LORA": r"(?i:|gaussian|eva|olora|pissa|pissa_niter_\d+|loftq|orthogonal|lora_ga|mica)"},
    ),
    (
        "peft_version",
        "does not read peft_version",
        {"OFT": r"(?i:v?\d+(\.\d+)*((a|b|rc|\.post|\.dev)\d+)*(\+[\w.]+)?)", "": ".*"},
    ),
    ("init_weights", "does not load with init_weights", {"HIRA": "(?i:gaussian)", "BOFT": "(?!)", "OFT": "(?!)"}),
)
"""(key, reason for refusing a text as its value, method -> accepted texts); the method "" means all others.

Of PEFT 0.21, whose "corda" needs statistics of training.
"""
WANTED: Final = {
    "ADALORA": "total_step",
    **dict.fromkeys(("PROMPT_TUNING", "MULTITASK_PROMPT_TUNING", "P_TUNING", "PREFIX_TUNING"), "num_virtual_tokens"),
}
"""Method -> the key that its config must contain."""
OF_TASK: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("SEQ_CLS", "TOKEN_CLS"), ("classifier", "score")), "QUESTION_ANS": ("qa_outputs",),
}  # fmt: skip
"""Task -> the modules that PEFT always trains as a whole for it (`peft_model.py`)."""
BY_TASK: Final = "modules_of_task"
"""Key of a config as read, for the modules that are trained as a whole only because of the task."""
OF_MAMBA: Final = frozenset({"falcon_h1", "mamba", "mamba2", "falcon_mamba", "nemotron_h"})
"""Model types of the base for which PEFT refuses some targets (`_check_lora_target_modules_mamba` of
`tuners_utils.py`).
"""
NOT_OF_MAMBA: Final = frozenset({"out_proj", "conv1d"})
"""The names of these targets."""
CHECKED_FOR_MAMBA: Final = frozenset({"LORA", "ADALORA", "XLORA", "RANDLORA"})
"""The types of adapters for which these targets are checked."""
PROBABILITIES: Final[Mapping[str, bool]] = {"LORA": True, "ADALORA": True, "SUPERTUNING": False}
"""Type of adapter -> True if its `lora_dropout` may be 1, and below 0, which is read as no dropout."""
MEASURED: Final[Mapping[str, Callable[[Any], bool]]] = {
    "null": lambda value: value is None,
    "zero": lambda value: type(value) in (int, float) and value == 0,
    "negative": lambda value: type(value) in (int, float) and value < 0,
    "text": lambda value: isinstance(value, str),
    "number": lambda value: type(value) in (int, float) and value != 0,
    "fraction": lambda value: type(value) is float and not value.is_integer(),
    "true": lambda value: value is True,
    "false": lambda value: value is False,
    "list": lambda value: isinstance(value, list) and bool(value),
    "object": lambda value: isinstance(value, dict),
}
"""Conditions on a value, by their names in the table."""
EMPTY_AS_NULL: Final = frozenset({"layer_replication", "megatron_config", "monteclora_config", "tokenizer_kwargs"})
"""Keys of which PEFT only tests whether they are stated: an empty text is read as null."""
NAMED_MODULES: Final = ("target_modules", "modules_to_save")
"""Keys with a list of names, of which PEFT takes each apart."""
ROWS: Final = "trainable_token_indices"
"""Key of the rows of a table that are trained, or of the rows of each of several tables."""
PATTERNS: Final = ("rank_pattern", "alpha_pattern")
"""Keys with ranks and scales of single modules."""
GENERATING_TASKS: Final = ("CAUSAL_LM", "SEQ_2_SEQ_LM")
"""Tasks for which PEFT reads `prepare_inputs_for_generation` of the base."""


@cache
def _table() -> Mapping[str, Any]:
    with open(os.path.join(os.path.dirname(__file__), "peft_configs.json"), "rb") as file:
        table: dict[str, Any] = json.loads(file.read())
    return table


def as_read(values: Mapping[str, Any], base_type: str) -> Mapping[str, Any]:
    """A config with the defaults of its class, and with the modules that it changes by default in a
    base of this type.
    """
    entry = _table().get(str(values.get("peft_type")))
    if not isinstance(entry, dict):
        return values
    known: dict[str, Any] = entry["keys"]
    found = {**known, **{key: value for key, value in values.items() if key in known or key == "peft_type"}}
    if found.get("target_modules") is None and base_type in entry["targets"]:
        named = _table()["targets"][entry["targets"][base_type]]
        found["target_modules"] = named.split() if " " in named or not named.startswith("all-") else named
    if found.get("feedforward_modules") is None and base_type in entry.get("forward", {}):
        found["feedforward_modules"] = entry["forward"][base_type].split()
    if values.get("peft_type") == "ADALORA" and not found.get("rank_pattern"):
        found["r"] = found.get("init_r")
    return with_modules_of_task(found) if "modules_to_save" in known else found


def with_modules_of_task(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """A config with the modules that PEFT trains as a whole because of its task."""
    of_task, saved = OF_TASK.get(str(values.get("task_type")), ()), values.get("modules_to_save")
    if not of_task or not (saved is None or (isinstance(saved, list) and all(isinstance(one, str) for one in saved))):
        return values
    listed = list(dict.fromkeys((*(saved or ()), *of_task)))
    return {**values, "modules_to_save": listed, BY_TASK: [one for one in of_task if one not in (saved or ())]}


def defaults_of(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The keys of the class of a config, with their defaults; empty for an unknown class."""
    entry = _table().get(str(values.get("peft_type")))
    found: Mapping[str, Any] = entry["keys"] if isinstance(entry, dict) else {}
    return found


def renames(values: Mapping[str, Any], base_type: object) -> bool:
    """True if PEFT renames the tensors of an adapter, as transformers 5 renames the tensors of its base."""
    return values.get("peft_type") == "LORA" and isinstance(base_type, str) and base_type in _table()["renaming"]


def made_parameters(values: Mapping[str, Any], base_type: object) -> bool:
    """True if PEFT treats routers and experts of a base as parameters if an adapter's config names them as modules."""
    return values.get("peft_type") == "LORA" and isinstance(base_type, str) and base_type in _table()["fused"]


def refused_for(values: Mapping[str, Any], base: Mapping[str, Any]) -> str:
    """The reason for which PEFT refuses a config for a base with this config; "" if it accepts it."""
    name, base_type, task = named_class(base), base.get("model_type"), values.get("task_type")
    if task in GENERATING_TASKS and name in names_of(NEWEST).classes and name not in generating():
        return f"{name} does not generate, which the task_type {task} needs"
    targets = values.get("target_modules")
    if values.get("peft_type") != "LORA" or not isinstance(targets, list) or not isinstance(base_type, str):
        return ""
    ends = {str(one).rpartition(".")[2] for one in targets}
    for joined in _table()["fused"].get(base_type, ()):
        chosen = [one for one in joined if one in ends]
        if 0 < len(chosen) < len(joined):
            others = " and ".join(one for one in joined if one not in ends)
            return f"{chosen[0]} is one tensor with {others} in transformers 5, which target_modules lacks"
    return ""


def refuses_target(values: Mapping[str, Any], base_type: object, module: str) -> bool:
    """True if PEFT refuses a module in a base of this type as a target, because it has the name of a part of a Mamba
    mixer.
    """
    checked = str(values.get("peft_type")) in CHECKED_FOR_MAMBA and str(base_type) in OF_MAMBA
    return checked and module.rpartition(".")[2] in NOT_OF_MAMBA


def refusal(values: Mapping[str, Any], base_type: object = None) -> str:
    """The reason for which the class of a config, or the method, refuses its values; "" if it accepts them. base_type:
    of the base.
    """
    kind = str(values.get("peft_type"))
    entry = _table().get(kind)
    if not isinstance(entry, dict):
        return f"PEFT no longer has the peft_type {kind}" if kind in PEFT_TYPES else ""
    task = values.get("task_type")
    if task is not None and task not in _table()["tasks"]:
        return f"PEFT has no task_type {shown(task)}"
    known = {key: value for key, value in values.items() if key in entry["keys"]}
    known = known if kind != "GLORA" or _of_low_rank(known) else {**known, "r": 0}
    return (
        _pattern_refused(kind, known, entry)
        or _value_refused(kind, known)
        or _rows_refused(kind, known)
        or _condition_refused(kind, known, entry["refused"])
        or next(_measured(kind, _filled_in(known) if made_parameters(values, base_type) else known, entry), "")
    )


def refused_rank(values: Mapping[str, Any], rank: object) -> str:
    """The reason for which a method refuses a rank that a pattern states for a module; "" if it accepts it."""
    kind = str(values.get("peft_type"))
    number = RANKS.get(kind.lower(), ("r",))[0]
    return next(_measured(kind, {number: rank}, _table().get(kind, {})), "")


def _filled_in(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """A config without the nulls that PEFT replaces if it treats modules of the base as parameters."""
    return {key: value for key, value in values.items() if key not in PATTERNS or value is not None}


def _of_low_rank(values: Mapping[str, Any]) -> bool:
    """True if GLoRA has low-rank matrices for a module without a bias: its other parts do not use the rank."""
    return bool(values.get("config_A_B", "lora") == "lora")


def _measured(kind: str, values: Mapping[str, Any], entry: Mapping[str, Any]) -> Iterator[str]:
    """Values that the classes do not check and for which building the adapter fails."""
    for condition, applies in MEASURED.items():
        stated = (key for key in entry.get(condition, "").split() if key in values)
        refused = (key for key in stated if applies(values[key]) and not (values[key] == "" and key in EMPTY_AS_NULL))
        yield from (f"{kind} does not load with {key} {shown(values[key])}" for key in refused)
    for key, known in entry.get("words", {}).items():
        value = values.get(key)
        if isinstance(value, str) and value not in known.split():
            yield f"{kind} has no {key} {shown(value)}, only {', '.join(known.split())}"


def _pattern_refused(kind: str, values: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    """The reason for refusing ranks or scales of single modules: PEFT asks for their keys, even of an empty value."""
    for key in PATTERNS:
        if key in entry.get("null", "").split() and values.get(key) is not None and not isinstance(values[key], dict):
            return f"{kind} does not load with {key} {shown(values[key])}"
    return ""


def _value_refused(kind: str, values: Mapping[str, Any]) -> str:
    for key, reason, accepted in TEXTS:
        text, pattern = values.get(key), accepted.get(kind, accepted.get(""))
        if isinstance(text, str) and pattern is not None and not re.fullmatch(pattern, text, re.DOTALL):
            return f"{kind} {reason} {shown(text)}"
    needed = WANTED.get(kind)
    if needed is not None and (values.get(needed) is None or (kind == "ADALORA" and not values[needed])):
        return f"{kind} needs {needed}"
    dropout = values.get("lora_dropout")
    number = dropout if kind in PROBABILITIES and isinstance(dropout, int | float) else 0
    if number > 1 or (not 0 <= number < 1 and not PROBABILITIES[kind]):
        return f"{kind} does not load with lora_dropout {shown(dropout)}"
    if kind == "OFT" and "oft_block_size" not in values:
        return OLD_OFT
    start, rank = values.get("init_lora_weights"), values.get("r")
    if kind == "LORA" and start == "loftq" and not values.get("loftq_config"):
        return 'LORA needs loftq_config with init_lora_weights "loftq"'
    if kind == "LORA" and start == "orthogonal" and type(rank) is int and rank % 2:
        return f"{kind} refuses init_lora_weights {shown(start)} with an odd rank"
    if kind == "LORA" and (because := refused_variants(values)):
        return because
    if kind == "LORA" and isinstance(start, str) and values.get("lora_bias"):
        return f"{kind} refuses lora_bias with init_lora_weights {shown(start)}"
    for key in NAMED_MODULES:
        if values.get(key) is True:
            return f"{kind} does not load with {key} true"
        odd = [one for one in _listed(values.get(key)) if not isinstance(one, str)]
        if odd:
            return f"{kind} does not load with {shown(odd[0])} in {key}"
    chosen, ahead = values.get("target_modules"), values.get("feedforward_modules")
    both = isinstance(chosen, list) and isinstance(ahead, list)
    if kind == "IA3" and both and not set(map(str, ahead or ())).issubset(map(str, chosen or ())):
        return f"{kind} refuses feedforward_modules that are not among target_modules"
    return ""


def _rows_refused(kind: str, values: Mapping[str, Any]) -> str:
    """The reason for refusing the rows of tables that are trained: a text is no row."""
    rows = values.get(ROWS)
    for one in rows.values() if isinstance(rows, dict) else [rows]:
        if any(isinstance(number, str) for number in (one, *_listed(one))):
            return f"{kind} does not load with {ROWS} {shown(rows)}"
    return ""


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _condition_refused(kind: str, values: Mapping[str, Any], conditions: Sequence[str]) -> str:
    stated = {key for key, value in values.items() if value not in (None, False, [])}
    if isinstance(values.get("target_modules"), str):
        stated.add(EXPRESSION)
    for condition in conditions:
        first, without, other = condition.partition(" without ")
        if not without:
            first, _, other = condition.partition(" with ")
        if without and not values.get(first):
            continue  # PEFT tests whether both are true there
        if first in stated and (other in stated) is not bool(without):
            return f"{kind} refuses {condition}"
    return ""


def names_modules(values: Mapping[str, Any]) -> bool:
    """True if a config, with its defaults, names modules or parameters: most methods refuse one that names none."""
    keys = _table().get(str(values.get("peft_type")), {}).get("keys", {})
    method, stated = str(values.get("peft_type")).lower(), values.get("target_modules")
    if "target_modules" not in keys or (method in INFERRED and (stated is None or method not in REFUSE_NONE)):
        return True
    return bool(values.get("target_modules")) or bool(values.get("target_parameters"))


def changes(values: Mapping[str, Any], kind: str) -> bool:
    """True if a method changes modules of a kind, or if this is unknown; the method raises for targets
    of other kinds.
    """
    entry = _table().get(str(values.get("peft_type")))
    kinds = entry.get("kinds") if isinstance(entry, dict) else None
    return kinds is None or kind in kinds
