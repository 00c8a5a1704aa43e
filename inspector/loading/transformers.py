"""Predicts what transformers 5 and 4.57 do with a checkpoint.

Sources: transformers 5.23 and 4.57, `modeling_utils.py` (`_get_resolved_checkpoint_files`, `load_state_dict`,
`_load_pretrained_model`), `configuration_auto.py`; recorded in `fixtures/loads`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.architectures.undecided_kinds import true_sizes
from inspector.architectures.value_rules import PRUNED
from inspector.findings.finding import NO_QUANTIZER
from inspector.loader.checkpoint import SIBLINGS_KEPT
from inspector.loader.loaders import TRANSFORMERS
from inspector.loading.as_written import is_as_written, plan_as_audited
from inspector.loading.files import decided_by_files, taken_file
from inspector.loading.given import Given, answer_of, as_version_reads, families_read, is_known_class
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
    UNMEASURED,
    Load,
    not_in_file,
)
from inspector.loading.pruned import with_all_heads
from inspector.loading.quantizers import meant_method, unread_method
from inspector.loading.tables import (
    NEWEST,
    OLDER,
    ClassRules,
    names_of,
    other_type_of_class,
    rules_of,
)
from inspector.loading.transformers_config import by_config
from inspector.matcher.spelling import keys_of_definition

if TYPE_CHECKING:
    from inspector.loading.memory import Counted, NamesInMemory
    from inspector.notation.binding import Plan

FORMATS: Final = ("pt", "mlx")
"""Values of `format` in the metadata with which transformers 4.57 loads; "tf" and "flax" need these libraries."""


UNREAD_BY_OLDER: Final = frozenset({"C64", "F4", "F6_E2M3", "F6_E3M2", "F8_E8M0"})
"""Dtypes of safetensors that transformers 4.57 does not read (`str_to_torch_dtype`)."""
SHAPES: Final = "Error(s) in loading state_dict"
"""Beginning of the message on tensors with another shape than the config states."""
PRUNES: Final = f"it removes the heads that {PRUNED} lists, and the definition does not"
OPEN: Final = "the config leaves a shape open"
NO_DEFINITION: Final = "a part of the model has no definition"
_BOTH: Final = re.compile(r"both `(\w+)` and `(\w+)`")
_ON: Final = re.compile(r"`(\w+)=True` is not supported")
STACKED: Final = "it reads scales of experts that are stacked while the weights are stored one by one"
BY_NEWEST: Final = "a config written by transformers 5: "
MESSAGE_LIMIT: Final = 80
"""The characters that the loading tables keep of a message (`tests/oracle/make_loading_tables.py`)."""


def loads(given: Given, major: str) -> Load:
    """What a major version of transformers does."""
    answer = by_config(given, major) or _by_files(given, major)
    if answer is None:
        answer = _by_names(as_version_reads(given, major), major)
    if answer.excuse == MAY_BE_ABSENT and not is_known_class(given.class_name, major):
        return replace(answer, excuse=BY_NAME, because=f"{answer.because}; only {given.class_name} may not need them")
    size = next(true_sizes(given.values or {}, major), None) if major == OLDER and answer.outcome == COMPLETE else None
    if size is not None:
        because = f"torch may make no tensor with such a value of {'.'.join(size)}"
        return answer_of(major, UNKNOWN, because, given, keys=(".".join(size),), excuse=UNMEASURED)
    method = unread_method(given.values or {}, major)
    if method is not None and answer.outcome in FAILURES:
        meant = meant_method(method, major)
        setting = answer.setting if meant is None else ("quant_method", meant)
        return replace(answer, because=f"{NO_QUANTIZER} {method}: {answer.because}", setting=setting)
    return answer


def _by_files(given: Given, major: str) -> Load | None:
    """The result if the files already decide it."""
    decided = decided_by_files(TRANSFORMERS, given.checkpoint, given.problem)
    if decided is not None:
        return answer_of(major, *decided)
    if major == OLDER:
        return _by_format(given)
    index = given.checkpoint.index
    if index is not None and not index.weight_map and taken_file(TRANSFORMERS, given.checkpoint) == index.file:
        return answer_of(major, REFUSES, f"{index.file} lists no file (IndexError)")
    if given.untyped:
        first = f"the first entry of {given.checkpoint.set_name} is not a tensor (AttributeError)"
        return answer_of(major, REFUSES, f"the config states no dtype, and {first}")
    return None


def _by_format(given: Given) -> Load | None:
    """The result of transformers 4.57, if the `format` in the metadata of a safetensors file or its
    dtypes decide it.
    """
    if any(file.name.endswith(".safetensors") for file in given.checkpoint.files):
        for family in (given.stored or {}).values():
            odd = next((one.layout.dtype for one in family.stored if one.layout.dtype in UNREAD_BY_OLDER), None)
            if odd is not None:
                return answer_of(OLDER, REFUSES, f"it knows no dtype {odd}, of {family.key}")
    for file in given.checkpoint.files:
        if file.name.endswith(".safetensors") and file.has_metadata and file.metadata.get("format") not in FORMATS:
            return answer_of(OLDER, REFUSES, f"the metadata of {file.name} has no format that it knows")
    return None


def _by_names(given: Given, major: str) -> Load:
    name = given.class_name
    if given.model_type is None or given.values is None:
        return answer_of(major, UNKNOWN, "config.json names no class", given)
    rules = None if name is None else rules_of(name, major)
    unknown = rules is None and not is_known_class(name, major)
    if name is None or unknown or other_type_of_class(name, given.model_type) is not None:
        base = names_of(major).bases.get(given.model_type)  # the class that AutoModel builds
        if base is None:
            return answer_of(
                major, REFUSES, f"AutoModel has no class for {given.model_type}", given, excuse=_named(name)
            )
        if base not in names_of(major).classes:
            return answer_of(major, REFUSES, f"AutoModel does not find {base}", given, excuse=BY_CLASS)
        name, rules = base, rules_of(base, major)
    if rules is not None and rules.refuses and not rules.refuses.startswith(SHAPES) and _is_refused(given, rules):
        return answer_of(major, REFUSES, f"{BY_NEWEST}{refusal(rules)}", given)
    there = given.checkpoint.siblings
    if rules is not None and rules.needs and rules.needs not in there and len(there) < SIBLINGS_KEPT:
        return answer_of(major, REFUSES, f"{rules.needs} is absent", given)
    if rules is None or not rules.exact:
        return answer_of(major, UNKNOWN, f"what {name} needs was not recorded", given)
    from inspector.loading.expected import plan_of, with_parts

    pruned = major == OLDER and bool(given.values.get(PRUNED))
    case = given.case if name == given.class_name and not pruned else None
    own = None if case is None else with_parts(rules, case.plan, major)
    own = own if major not in given.recorded else None
    if case is not None and own is not None and is_as_written(case, own, given.values, given.model_type, major):
        return answer_of(major, COMPLETE, "", given, missing=0, unexpected=0, mismatched=0)
    plan = None if case is None else plan_as_audited(case, rules, given.values, given.model_type, major)
    if plan is None:
        plan = plan_of(given.values, name, given.model_type, major, rules.dialect, rules.sides)
    if plan is None:
        return answer_of(major, UNKNOWN, NO_DEFINITION, given)
    named = name, given.model_type
    if pruned and not plan.opaque:
        whole = with_all_heads(families_read(given, major), plan, given.values[PRUNED])
        if whole is None and not _reads(plan, PRUNED):
            return answer_of(major, UNKNOWN, PRUNES, given)
        given = given if whole is None else replace(given, stored=whole)
    return _by_shapes(plan, rules, given, named, major)


def _by_shapes(plan: Plan, rules: ClassRules, given: Given, named: tuple[str, str], major: str) -> Load:
    """The result of comparing the tensors of a plan with those of a file. named: the class and the model type."""
    from inspector.loading.expected import plan_of, with_parts

    name, model_type = named
    undecided = _by_plan(plan, name, given, major)
    if undecided is not None and not undecided.because.startswith(OPEN):
        return undecided
    # no model is built, or one with sizes rounded down, in which mismatched tensors are refused as well
    if undecided is not None:
        plan = plan_of(given.values or {}, name, model_type, major, rules.dialect, rules.sides, rounds=True) or plan
    rules = with_parts(rules, plan, major)
    if given.quantized is not None:
        return undecided or _quantized(given, major)
    newest_rules = rules if major == NEWEST else rules_of(name, NEWEST)
    return _by_match(plan, (rules, newest_rules), given, major, undecided)


def _by_match(
    plan: Plan, by_version: tuple[ClassRules, ClassRules | None], given: Given, major: str, undecided: Load | None
) -> Load:
    """The result of matching the tensors of a file. by_version: the rules of the version, and those of the newest
    version.

    undecided: the result if no known shape differs.
    """
    from inspector.loading.memory import match, memory_namer, memory_of, newest_namer, older_namer, written_namer

    (rules, newest), families = by_version, families_read(given, major)
    if major == NEWEST:
        memory = memory_of(plan, rules, memory_namer(rules))
        namer: NamesInMemory | str = newest_namer(rules, memory, families)
    else:
        memory = memory_of(plan, rules, written_namer(rules, newest))
        namer = older_namer(rules, memory, families)
    if isinstance(namer, str):
        return answer_of(major, REFUSES, namer, given)
    found = match(memory, families, rules, namer)
    return undecided if undecided is not None and not found.mismatched else _concluded(given, major, found, rules)


def _by_plan(plan: Plan, name: str, given: Given, major: str) -> Load | None:
    """The result if the tensors that a class builds are not all known, or cannot be built."""
    from inspector.loading.expected import fault_of, null_key, sizeless_key

    fault = fault_of(plan)
    if plan.opaque:
        return answer_of(major, UNKNOWN, NO_DEFINITION, given)
    if fault is not None and fault.kind == "type" and major == OLDER:  # no model is built with such a size
        return answer_of(major, REFUSES, f"{', '.join(fault.keys)}: {fault.detail}", given, keys=fault.keys)
    if fault is not None:
        return answer_of(major, UNKNOWN, f"{OPEN}: {', '.join(fault.keys)}: {fault.detail}", given)
    null = null_key(plan, given.values or {})
    if null:
        return answer_of(major, REFUSES, f"{null} is null, and {name} computes with it", given, keys=(null,))
    key = sizeless_key(plan, given.values or {}, major, given.stored or {})
    return answer_of(major, REFUSES, f"{key} gives {name} no size of a tensor", given, keys=(key,)) if key else None


def _reads(plan: Plan, key: str) -> bool:
    """True if a definition, or that of a submodel, reads a key."""
    paths = {row.slot.scope for row in plan.rows}
    return any(key in keys_of_definition(plan.scope.below(path)) for path in {(), *paths})


def _named(class_name: str | None) -> str:
    """The excuse for a file that AutoModel cannot load: the class in its config can, if there is one."""
    if class_name is None:
        return ""
    return BY_CLASS if class_name in names_of(NEWEST).inner else BY_NAME


def refusal(rules: ClassRules) -> str:
    """The recorded message of a refusal; three dots where the table cuts it."""
    text = rules.refuses
    return text if len(text) < MESSAGE_LIMIT else f"{text.rpartition(' ')[0]} ..."


def _by_newest(given: Given) -> bool:
    """True if transformers 5 wrote the config."""
    return str((given.values or {}).get("transformers_version", "")).startswith(NEWEST)


def _is_refused(given: Given, rules: ClassRules) -> bool:
    """True if transformers 4 refuses this config of transformers 5.

    A message on "both `a` and `b`" does not apply if the config switches one of the two keys off, and one on "`a=True`"
    only if the config switches it on.
    """
    values, both, on = given.values or {}, _BOTH.search(rules.refuses), _ON.search(rules.refuses)
    off = both is not None and any(key in values and not values[key] for key in both.groups())
    return _by_newest(given) and not off and (on is None or bool(values.get(on[1])))


def _quantized(given: Given, major: str) -> Load:
    known = given.recorded.get(major)
    if known is not None:
        return answer_of(major, known.outcome, known.because, given, setting=known.setting)
    if given.quantized and given.stacked:  # measured with a Mixtral in fp8
        if major == OLDER:
            words = "it takes the weights of single experts without their scales, which are stacked"
            return answer_of(major, ALTERED, words, given, missing=0, unexpected=given.stacked, mismatched=0)
        return answer_of(major, COMPLETE, STACKED, given, missing=0, unexpected=0, mismatched=0)
    if given.quantized:
        return answer_of(major, COMPLETE, "", given, missing=0, unexpected=0, mismatched=0)
    return answer_of(major, UNKNOWN, given.unread, given)


def _is_altered(given: Given, rules: ClassRules) -> bool:
    """True if the tensor with numbers that a class changes is stored in a dtype in which the class cannot keep them."""
    within = f".{rules.altered}"
    stored = given.checkpoint.tensors.items()
    found = (one for name, one in stored if within.endswith(f".{name}") or name.endswith(within))
    return any(one.dtype != rules.rounds for one in found)


def _unread_dtype(found: Counted, major: str) -> str:
    """The reason for which a version does not read the dtype of a weight; "" if it reads all of them."""
    if major == OLDER:
        return f"{found.integer} is stored as integers" if found.integer else ""
    return f"it reads no {found.below_byte[1]}, of {found.below_byte[0]}" if found.below_byte else ""


def _concluded(given: Given, major: str, found: Counted, rules: ClassRules) -> Load:
    if rules.refuses and _is_refused(given, rules) and found.loaded:
        return answer_of(major, REFUSES, f"{BY_NEWEST}{refusal(rules)}", given)
    accepted = found.single if major == OLDER else 0  # torch takes the one element; transformers 5 compares
    if found.mismatched > accepted:
        words = f"{found.mismatched} of another shape, such as {found.first_mismatched}"
        return answer_of(major, REFUSES, words, given)
    if unread := _unread_dtype(found, major):
        return answer_of(major, REFUSES, unread, given)
    if found.partial and major == NEWEST:
        return answer_of(
            major, REFUSES, f"{found.partial[0]} cannot be computed: not all its tensors are stored", given
        )
    if found.undrawn and major == OLDER:
        words = f"{found.undrawn[0]} is missing, and it cannot initialise it: {found.undrawn[1]} is not loaded yet"
        return answer_of(major, REFUSES, words, given)
    counts = {"missing": found.missing, "unexpected": found.unexpected, "mismatched": 0}
    if found.missing:
        words = not_in_file(found.missing, found.first_missing)
        excuse = "" if found.required else MAY_BE_ABSENT
        words += "; files may leave them out" if excuse else ""
        return answer_of(major, RANDOM, words, given, excuse=excuse, **counts)
    if found.unfilled:
        return answer_of(major, RANDOM, f"{found.unfilled} is in the index and in no file", given, **counts)
    if found.emptied and major == OLDER:
        words = f"{found.emptied[0]} is tied to {found.emptied[1]}, which is not stored: neither has values"
        return replace(answer_of(major, RANDOM, words, given, **counts), emptied=found.emptied)
    if rules.unfilled:
        return answer_of(major, RANDOM, UNFILLED, given, excuse=BY_CLASS, **counts)
    if found.overwritten is not None and major == OLDER:
        words = f"a tie overwrites {found.overwritten[0]}, which headers cannot prove to be a copy"
        return replace(answer_of(major, UNKNOWN, words, given, **counts), copies=found.overwritten)
    if found.counter:
        words = f"it keeps whole numbers of {found.counter}, which is stored as floats"
        return answer_of(major, UNKNOWN, words, given, **counts)
    if rules.altered and _is_altered(given, rules):
        return answer_of(major, ALTERED, f"{CHANGES}, such as {rules.altered}", given, excuse=BY_CLASS, **counts)
    if found.twice:
        words = f"{found.twice} is stored twice, under two names or in parts"
        return answer_of(major, UNKNOWN, words, given, excuse=TWICE, **counts)
    if given.unscaled:
        return answer_of(major, ALTERED, "it takes quantized values for weights, without their scales", given, **counts)
    return answer_of(major, COMPLETE, "", given, **counts)
