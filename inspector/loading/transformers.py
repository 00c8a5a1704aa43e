"""What transformers 5 and 4.57 do with a checkpoint.

Sources: transformers 5.23 and 4.57, `modeling_utils.py` (`_get_resolved_checkpoint_files`, `load_state_dict`,
`_load_pretrained_model`), `configuration_auto.py`; recorded in `fixtures/loads`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.architectures.catalog import definition_of
from inspector.architectures.value_rules import PRUNED, QUANTIZATION
from inspector.findings.finding import NO_QUANTIZER
from inspector.loader.checkpoint import SIBLINGS_KEPT, Checkpoint
from inspector.loader.loaders import TRANSFORMERS
from inspector.loading.as_written import is_as_written, plan_as_audited
from inspector.loading.config_rules import refused_config
from inspector.loading.files import decided_by_files, taken_file
from inspector.loading.older_config import as_older_reads
from inspector.loading.outcome import (
    ALTERED,
    BY_CLASS,
    BY_NAME,
    CHANGES,
    COMPLETE,
    FAILURES,
    MAY_BE_ABSENT,
    RANDOM,
    REFUSES,
    TWICE,
    UNFILLED,
    UNKNOWN,
    UNSUPPORTED,
    Load,
    not_in_file,
)
from inspector.loading.quantizers import of_text_model, unread_method
from inspector.loading.tables import (
    NEWEST,
    OLDER,
    ClassRules,
    has_type,
    names_of,
    other_type_of_class,
    rules_of,
    type_of_class,
    version_of,
)
from inspector.matcher.families import Families, families_of
from inspector.matcher.spelling import keys_of_definition
from inspector.reconciler.config_keys import lacks_method, mistyped

if TYPE_CHECKING:
    from inspector.loading.memory import Counted, NamesInMemory
    from inspector.notation.binding import Plan
    from inspector.reconciler.reconcile import Reconciled

FORMATS: Final = ("pt", "mlx")
"""Values of `format` in the metadata with which transformers 4.57 loads; "tf" and "flax" need these libraries."""


UNREAD_BY_OLDER: Final = frozenset({"C64", "F4", "F6_E2M3", "F6_E3M2", "F8_E8M0"})
"""Dtypes of safetensors that transformers 4.57 does not read (`str_to_torch_dtype`)."""
SHAPES: Final = "Error(s) in loading state_dict"
"""Beginning of the message on tensors of another shape than the config gives."""
PRUNES: Final = f"it removes the heads that {PRUNED} lists, and the definition does not"
OPEN: Final = "the config leaves a shape open"
NO_DEFINITION: Final = "a part of the model has no definition"
_BOTH: Final = re.compile(r"both `(\w+)` and `(\w+)`")
LABELS: Final = "num_labels"
STACKED: Final = "it reads scales of experts that are stacked while the weights are stored one by one"
BY_NEWEST: Final = "a config written by transformers 5: "


class Given(Struct, frozen=True):
    """What is known of a checkpoint.

    values: of its config.json, with the class and the type that it names. problem: why no loader can open its files,
    "" where they are whole. quantized: whether the config has a quantization that the weights agree with, None without
    one. unread: why it is open what a loader does with one that they do not agree with. case: the comparison with the
    definition; None where it is not of the whole set, as its loader reads it. stored: the families of all tensors,
    where they are known. untyped: whether no dtype is stated where version 5 reads it: in the config, or by the first
    floats at the top of a PyTorch file. unscaled: whether weights are quantized although the config has no
    quantization. stacked: scales of experts that are stored together while the weights are stored one by one.
    recorded: what version 5 does with this quantization, and why, where that was measured.
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
    recorded: tuple[str, str] | None = None


def loads(given: Given, major: str) -> Load:
    """What a major version of transformers does."""
    answer = _by_config(given, major) or _by_files(given, major)
    if answer is None:
        answer = _by_names(_as_read(given, major), major)
    if answer.excuse == MAY_BE_ABSENT and not _is_known(given.class_name, major):
        return replace(answer, excuse=BY_NAME, because=f"{answer.because}; only {given.class_name} may not need them")
    method = unread_method(given.values or {}, major)
    if method is not None and answer.outcome in FAILURES:
        return replace(answer, because=f"{NO_QUANTIZER} {method}: {answer.because}")
    return answer


def _is_known(class_name: str | None, major: str) -> bool:
    """Whether a version has the class of a config; without one it builds that of AutoModel."""
    return class_name is None or class_name in names_of(major).classes


def _as_read(given: Given, major: str) -> Given:
    """What is known without the keys that a version does not read."""
    if given.values is not None and unread_method(given.values, major) is not None:
        values = {key: value for key, value in given.values.items() if key != QUANTIZATION}
        given = replace(given, values=values, case=None, quantized=None)
    elif major == OLDER and of_text_model(given.values or {}):
        given = replace(given, quantized=None)
    if major == OLDER and _labels_differ(given.values or {}):
        values = {key: value for key, value in (given.values or {}).items() if key != LABELS}
        given = replace(given, values=values, case=None)
    read = as_older_reads(given.values or {}) if major == OLDER else None
    if read is not None:
        return replace(given, values=read, case=None)
    if major == OLDER or given.values is None or not given.values.get(PRUNED):
        return given
    values = {key: value for key, value in given.values.items() if key != PRUNED}
    return replace(given, values=values, case=None)


def _labels_differ(values: Mapping[str, Any]) -> bool:
    """Whether `num_labels` is another number than that of the names, which transformers 4 counts instead."""
    names = values.get("id2label")
    return isinstance(names, dict) and LABELS in values and values[LABELS] != len(names)


def _load(major: str, outcome: str, because: str = "", given: Given | None = None, **counts: Any) -> Load:
    files = () if given is None else tuple(file.name for file in given.checkpoint.files)
    return Load(
        loader=TRANSFORMERS.name, version=version_of(major), outcome=outcome, because=because, files=files, **counts
    )


def _by_config(given: Given, major: str) -> Load | None:
    values = given.values
    if values is None:
        return _load(major, REFUSES, "there is no config.json")
    if "auto_map" in values and not _is_left_over(given):
        return _load(major, UNKNOWN, "the code of the repository decides")
    if not isinstance(values.get("model_type"), str):
        return _load(major, REFUSES, "config.json has no model_type")
    if not has_type(values["model_type"], major) and not _has_class_alone(values, given.class_name, major):
        return _load(major, UNSUPPORTED, f"it has no model type {values['model_type']}")
    if lacks_method(values):
        return _load(major, REFUSES, f"{QUANTIZATION} names no quant_method", keys=(QUANTIZATION,))
    odd = next(mistyped(values), None) if major == NEWEST else None  # transformers 4 checks no types
    if odd is not None:
        key = ".".join(odd.path)
        return _load(major, REFUSES, f"{key} is not {odd.wanted}", keys=(key,))
    refused = refused_config(values, major, lambda key: _builds(given, key, major))
    return _load(major, REFUSES, refused.because, keys=refused.keys) if refused is not None else None


def _has_class_alone(values: Mapping[str, Any], class_name: str | None, major: str) -> bool:
    """Whether a version has the class of a type that has no name, or another one, in it: the class itself loads it."""
    if class_name not in names_of(major).classes:
        return False
    own, stated = type_of_class(str(class_name)), values["model_type"]
    if own is None or own == stated:
        return own is not None
    definition = definition_of(stated)
    return definition is not None and definition_of(own) is definition


def _builds(given: Given, key: str, major: str) -> bool:
    """Whether the class has a tensor of the part that a key of the config describes; True where that is not known."""
    rules = None if given.class_name is None else rules_of(given.class_name, major)
    if rules is None or not rules.exact or given.class_name is None or given.model_type is None:
        return True
    from inspector.loading.expected import plan_of

    plan = plan_of(given.values or {}, given.class_name, given.model_type, major, rules.dialect, rules.sides)
    if plan is None or plan.opaque:
        return True
    paths = {block.slot.scope for block in plan.blocks if block.slot.built and not block.slot.extra}
    inside = (path[:depth] for path in paths for depth in range(1, len(path) + 1))
    return any(plan.scope.below(one).prefix[:1] == (key,) for one in inside)


def _is_left_over(given: Given) -> bool:
    """Whether `auto_map` names code for a type of transformers, and none of it is in the folder or elsewhere."""
    named, there = (given.values or {}).get("auto_map"), given.checkpoint.siblings
    if not isinstance(named, dict) or not has_type(str(given.model_type), NEWEST) or len(there) >= SIBLINGS_KEPT:
        return False
    texts = [one for places in named.values() for one in (places if isinstance(places, list) else [places])]
    absent = (isinstance(one, str) and "--" not in one and f"{one.partition('.')[0]}.py" not in there for one in texts)
    return given.class_name in names_of(NEWEST).classes and all(absent)


def _by_files(given: Given, major: str) -> Load | None:
    """The answer where the files already decide."""
    decided = decided_by_files(TRANSFORMERS, given.checkpoint, given.problem)
    if decided is not None:
        return _load(major, *decided)
    if major == OLDER:
        return _by_format(given)
    index = given.checkpoint.index
    if index is not None and not index.weight_map and taken_file(TRANSFORMERS, given.checkpoint) == index.file:
        return _load(major, REFUSES, f"{index.file} lists no file (IndexError)")
    if given.untyped:
        first = f"the first entry of {given.checkpoint.set_name} is not a tensor (AttributeError)"
        return _load(major, REFUSES, f"the config states no dtype, and {first}")
    return None


def _by_format(given: Given) -> Load | None:
    """transformers 4.57 reads the `format` of each safetensors file that has metadata at all, and knows few dtypes."""
    if any(file.name.endswith(".safetensors") for file in given.checkpoint.files):
        for family in (given.stored or {}).values():
            odd = next((one.layout.dtype for one in family.stored if one.layout.dtype in UNREAD_BY_OLDER), None)
            if odd is not None:
                return _load(OLDER, REFUSES, f"it knows no dtype {odd}, of {family.key}")
    for file in given.checkpoint.files:
        if file.name.endswith(".safetensors") and file.has_metadata and file.metadata.get("format") not in FORMATS:
            return _load(OLDER, REFUSES, f"the metadata of {file.name} has no format that it knows")
    return None


def _by_names(given: Given, major: str) -> Load:
    name = given.class_name
    if given.model_type is None or given.values is None:
        return _load(major, UNKNOWN, "config.json names no class", given)
    rules = None if name is None else rules_of(name, major)
    unknown = rules is None and not _is_known(name, major)
    if name is None or unknown or other_type_of_class(name, given.model_type) is not None:
        base = names_of(major).bases.get(given.model_type)  # what AutoModel builds
        if base is None:
            return _load(major, REFUSES, f"AutoModel has no class for {given.model_type}", given, excuse=_named(name))
        if base not in names_of(major).classes:
            return _load(major, REFUSES, f"AutoModel does not find {base}", given, excuse=BY_CLASS)
        name, rules = base, rules_of(base, major)
    if rules is not None and rules.refuses and not rules.refuses.startswith(SHAPES) and _is_refused(given, rules):
        return _load(major, REFUSES, f"{BY_NEWEST}{rules.refuses}", given)
    there = given.checkpoint.siblings
    if rules is not None and rules.needs and rules.needs not in there and len(there) < SIBLINGS_KEPT:
        return _load(major, REFUSES, f"{rules.needs} is absent", given)
    if rules is None or not rules.exact:
        return _load(major, UNKNOWN, f"what {name} needs was not recorded", given)
    from inspector.loading.expected import plan_of, with_parts

    pruned = major == OLDER and bool(given.values.get(PRUNED))
    case = given.case if name == given.class_name and not pruned else None
    own = None if case is None else with_parts(rules, case.plan, major)
    if case is not None and own is not None and is_as_written(case, own, given.values, given.model_type, major):
        return _load(major, COMPLETE, "", given, missing=0, unexpected=0, mismatched=0)
    plan = None if case is None else plan_as_audited(case, rules, given.values, given.model_type, major)
    if plan is None:
        plan = plan_of(given.values, name, given.model_type, major, rules.dialect, rules.sides)
    if plan is None:
        return _load(major, UNKNOWN, NO_DEFINITION, given)
    undecided = _by_plan(plan, name, given, major)
    if undecided is not None and not undecided.because.startswith(OPEN):
        return undecided
    if undecided is not None:  # no model is built, or one of sizes rounded down: what differs then is refused as well
        plan = plan_of(given.values, name, given.model_type, major, rules.dialect, rules.sides, rounds=True) or plan
    rules = with_parts(rules, plan, major)
    if given.quantized is not None:
        return undecided or _quantized(given, major)
    newest_rules = rules if major == NEWEST else rules_of(name, NEWEST)
    return _by_match(plan, (rules, newest_rules), given, major, undecided)


def _by_match(
    plan: Plan, by_version: tuple[ClassRules, ClassRules | None], given: Given, major: str, undecided: Load | None
) -> Load:
    """What becomes of the tensors of a file. by_version: the rules of the version, and those of the newest one.

    undecided: the answer where no shape that is known differs.
    """
    from inspector.loading.memory import match, memory_namer, memory_of, newest_namer, older_namer, written_namer

    (rules, newest), families = by_version, _families(given, major)
    if major == NEWEST:
        memory = memory_of(plan, rules, memory_namer(rules))
        namer: NamesInMemory | str = newest_namer(rules, memory, families)
    else:
        memory = memory_of(plan, rules, written_namer(rules, newest))
        namer = older_namer(rules, memory, families)
    if isinstance(namer, str):
        return _load(major, REFUSES, namer, given)
    found = match(memory, families, rules, namer)
    return undecided if undecided is not None and not found.mismatched else _concluded(given, major, found, rules)


def _by_plan(plan: Plan, name: str, given: Given, major: str) -> Load | None:
    """The answer where the tensors that a class builds are not all known, or cannot be built."""
    from inspector.loading.expected import fault_of, null_key, sizeless_key

    fault = fault_of(plan)
    if plan.opaque:
        return _load(major, UNKNOWN, NO_DEFINITION, given)
    if major == OLDER and (given.values or {}).get(PRUNED) and not _reads(plan, PRUNED):
        return _load(major, UNKNOWN, PRUNES, given)
    if fault is not None and fault.kind == "type" and major == OLDER:  # no model is built with such a size
        return _load(major, REFUSES, f"{', '.join(fault.keys)}: {fault.detail}", given, keys=fault.keys)
    if fault is not None:
        return _load(major, UNKNOWN, f"{OPEN}: {', '.join(fault.keys)}: {fault.detail}", given)
    null = null_key(plan, given.values or {})
    if null:
        return _load(major, REFUSES, f"{null} is null, and {name} computes with it", given, keys=(null,))
    key = sizeless_key(plan, given.values or {}, major, given.stored or {})
    return _load(major, REFUSES, f"{key} gives {name} no size of a tensor", given, keys=(key,)) if key else None


def _reads(plan: Plan, key: str) -> bool:
    """Whether a definition, or that of a submodel, reads a key."""
    paths = {row.slot.scope for row in plan.rows}
    return any(key in keys_of_definition(plan.scope.below(path)) for path in {(), *paths})


def _named(class_name: str | None) -> str:
    """The excuse of a file that AutoModel cannot load: the class that its config names can, if there is one."""
    if class_name is None:
        return ""
    return BY_CLASS if class_name in names_of(NEWEST).inner else BY_NAME


def _by_newest(given: Given) -> bool:
    """Whether transformers 5 wrote the config."""
    return str((given.values or {}).get("transformers_version", "")).startswith(NEWEST)


def _is_refused(given: Given, rules: ClassRules) -> bool:
    """Whether what transformers 4 refuses in configs of transformers 5 holds for this one.

    "both `a` and `b`" is about two keys: it does not hold where the config has one of them off.
    """
    values, both = given.values or {}, _BOTH.search(rules.refuses)
    off = both is not None and any(key in values and not values[key] for key in both.groups())
    return _by_newest(given) and not off


def _quantized(given: Given, major: str) -> Load:
    if major == NEWEST and given.recorded is not None:
        return _load(major, *given.recorded, given)
    if given.quantized and given.stacked:  # measured with a Mixtral in fp8
        if major == OLDER:
            words = "it takes the weights of single experts without their scales, which are stacked"
            return _load(major, ALTERED, words, given, missing=0, unexpected=given.stacked, mismatched=0)
        return _load(major, COMPLETE, STACKED, given, missing=0, unexpected=0, mismatched=0)
    if given.quantized:
        return _load(major, COMPLETE, "", given, missing=0, unexpected=0, mismatched=0)
    return _load(major, UNKNOWN, given.unread, given)


def _families(given: Given, major: str) -> Families:
    """The tensors that are read: of the files that the index lists; in transformers 4 only those that it names."""
    index, tensors = given.checkpoint.index, given.checkpoint.tensors
    if index is not None and major == OLDER:
        if index.weight_map.keys() != tensors.keys():
            from inspector.loading.memory import ABSENT

            return families_of({name: tensors.get(name, ABSENT) for name in index.weight_map})
    elif index is not None and not all(file.name in index.files for file in given.checkpoint.files):
        file_of = given.checkpoint.file_of
        return families_of({name: layout for name, layout in tensors.items() if file_of.get(name) in index.files})
    return families_of(tensors) if given.stored is None else given.stored


def _is_altered(given: Given, rules: ClassRules) -> bool:
    """Whether the tensor of which a class changes the numbers is stored, in a dtype of which it cannot keep them."""
    within = f".{rules.altered}"
    stored = given.checkpoint.tensors.items()
    found = (one for name, one in stored if within.endswith(f".{name}") or name.endswith(within))
    return any(one.dtype != rules.rounds for one in found)


def _concluded(given: Given, major: str, found: Counted, rules: ClassRules) -> Load:
    if rules.refuses and _is_refused(given, rules) and found.loaded:
        return _load(major, REFUSES, f"{BY_NEWEST}{rules.refuses}", given)
    if found.mismatched:
        words = f"{found.mismatched} of another shape, such as {found.first_mismatched}"
        return _load(major, REFUSES, words, given)
    if found.integer and major == OLDER:
        return _load(major, REFUSES, f"{found.integer} is stored as integers", given)
    if found.partial and major == NEWEST:
        return _load(major, REFUSES, f"{found.partial[0]} cannot be computed: not all its tensors are stored", given)
    counts = {"missing": found.missing, "unexpected": found.unexpected, "mismatched": 0}
    if found.missing:
        words = not_in_file(found.missing, found.first_missing)
        excuse = "" if found.required else MAY_BE_ABSENT
        words += "; files may leave them out" if excuse else ""
        return _load(major, RANDOM, words, given, excuse=excuse, **counts)
    if found.unfilled:
        return _load(major, RANDOM, f"{found.unfilled} is in the index and in no file", given, **counts)
    if found.emptied and major == OLDER:
        words = f"{found.emptied[0]} is tied to {found.emptied[1]}, which is not stored: neither has values"
        return _load(major, RANDOM, words, given, **counts)
    if rules.unfilled:
        return _load(major, RANDOM, UNFILLED, given, excuse=BY_CLASS, **counts)
    if found.overwritten is not None and major == OLDER:
        words = f"a tie overwrites {found.overwritten[0]}, which headers cannot prove to be a copy"
        return _load(major, UNKNOWN, words, given, **counts)
    if rules.altered and _is_altered(given, rules):
        return _load(major, ALTERED, f"{CHANGES}, such as {rules.altered}", given, excuse=BY_CLASS, **counts)
    if found.twice:
        words = f"{found.twice} is stored twice, under two names or in parts"
        return _load(major, UNKNOWN, words, given, excuse=TWICE, **counts)
    if given.unscaled:
        return _load(major, ALTERED, "it takes quantized values for weights, without their scales", given, **counts)
    return _load(major, COMPLETE, "", given, **counts)
