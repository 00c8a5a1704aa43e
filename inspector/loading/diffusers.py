"""Predicts what diffusers does with a component of a pipeline. Recorded with 0.42 on damaged components of 63 classes.

Source: diffusers 0.42, `ModelMixin.from_pretrained` and `_load_pretrained_model`. The names in the file are those of
the model: no prefix is added or removed. For shards, the keys of the index are compared instead of those of the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from inspector.algebra.expression import Word
from inspector.algebra.values import shown
from inspector.architectures.defaults import class_defaults
from inspector.architectures.diffusers_values import is_measured, refused_by_class
from inspector.findings.words import listed
from inspector.loader.loaders import DIFFUSERS, INDEX, TRANSFORMERS
from inspector.loading.files import decided_by_files, taken_file
from inspector.loading.outcome import COMPLETE, RANDOM, REFUSES, UNKNOWN, UNMEASURED, Load, not_in_file
from inspector.loading.quantizers import refused_by_diffusers
from inspector.loading.tables import NEWEST, ClassRules
from inspector.matcher.families import families_of
from inspector.notation.beyond import CLASS
from inspector.notation.kinds import COUNTER
from inspector.notation.scope import SHORT
from inspector.notation.slots import scope_of

if TYPE_CHECKING:
    from inspector.loader.checkpoint import Checkpoint
    from inspector.notation.binding import Plan
    from inspector.reconciler.reconcile import Reconciled

VERSION: Final = "0.42"
REMAPPED: Final[Mapping[str, Mapping[str, str]]] = {
    "Transformer2DModel": {"ada_norm_zero": "DiTTransformer2DModel", "ada_norm_single": "PixArtTransformer2DModel"}
}
"""Class -> norm_type -> the class that `from_pretrained` builds instead (`_CLASS_REMAPPING_DICT`)."""
MOST_CLASSES: Final = 4
"""Most classes that a reason lists."""


def of_component(checkpoint: Checkpoint, values: Mapping[str, Any], problem: str, case: Reconciled | None) -> Load:
    """What diffusers does with a component.

    values: of its config. problem: why a file cannot be opened, or "". case: the comparison with the definition of the
    class that the names show, if there is one.
    """
    remapped = REMAPPED.get(str(values.get(CLASS)), {}).get(str(values.get("norm_type")))
    if remapped is not None:
        values, case = {**values, CLASS: remapped}, None
    return _by_files(checkpoint, problem) or _by_names(checkpoint, values, case)


def of_class_in_pipelines(checkpoint: Checkpoint, problem: str, case: Reconciled) -> Load:
    """What diffusers does with a model of transformers' kind whose class is in a pipeline of diffusers, such as
    StableDiffusionSafetyChecker, in a folder of its own.
    """
    decided = decided_by_files(TRANSFORMERS, checkpoint, problem)
    if decided is not None:
        return _load(*decided)
    return _compared(checkpoint, case.plan, tuple(file.name for file in checkpoint.files))


def without_config() -> Load:
    """What diffusers does with a folder without config.json."""
    return _load(REFUSES, f"there is no {DIFFUSERS.config}")


def _load(outcome: str, because: str = "", files: tuple[str, ...] = (), **more: Any) -> Load:
    return Load(loader=DIFFUSERS.name, version=VERSION, outcome=outcome, because=because, files=files, **more)


def _by_files(checkpoint: Checkpoint, problem: str) -> Load | None:
    index, taken = checkpoint.index, taken_file(DIFFUSERS, checkpoint)
    if taken is not None and taken.endswith(INDEX) and (index is None or index.file != taken):
        if any(one.name == taken and one.files for one in checkpoint.other_sets):
            return _load(UNKNOWN, f"it reads {taken}, which was not audited")
        return _load(REFUSES, f"it reads {taken}, whose shards are absent")
    decided = decided_by_files(DIFFUSERS, checkpoint, problem)
    if decided is None and taken == DIFFUSERS.single("bin") + INDEX:
        decided = REFUSES, f"it looks for {taken} only with use_safetensors=False"
    return None if decided is None else _load(*decided)


def is_for_diffusers(checkpoint: Checkpoint, values: Mapping[str, Any]) -> bool:
    """False for a file with a name of its own under the config of a class of its own, which its authors' code loads."""
    name = values.get(CLASS)
    if not isinstance(name, str) or checkpoint.index is not None or DIFFUSERS.finds(checkpoint.set_name):
        return True
    return is_class(name)


def _by_names(checkpoint: Checkpoint, values: Mapping[str, Any], case: Reconciled | None) -> Load:
    from inspector.loading.expected import fault_of, null_key, plan_of

    files = tuple(file.name for file in checkpoint.files)
    stated = values.get(CLASS, "")  # a class reads its config without one
    if not isinstance(stated, str | list):
        return _load(REFUSES, f"_class_name is {shown(stated)}, not the name of a class", files)
    name = str(stated)
    shown_by_names = _classes_by_names(name, case)
    if shown_by_names:  # `from_pretrained` of a class does not read a name that is no class of diffusers
        tried = [_by_names(checkpoint, {**values, CLASS: one}, _as_configured(case, one)) for one in shown_by_names]
        first, *others = [one for one in tried if one.outcome != REFUSES] or tried  # its config is of a class it builds
        different = any(replace(one, because="") != replace(first, because="") for one in others)
        words = f"it loads with one of {listed(shown_by_names, MOST_CLASSES)}, and its config names none of them"
        return _load(UNKNOWN, words, files) if different else first
    if unread := refused_by_diffusers(values):
        return _load(REFUSES, unread, files)
    refused = next(refused_by_class(values), None)
    if refused is not None:
        return _load(REFUSES, f"{name} cannot be built with its {refused.key}: {refused.detail}", files)
    if None in values.values():
        unrounded = plan_of(values, name, name, NEWEST)
        uneven = unrounded is not None and any(one.kind == "remainder" for one in unrounded.scope.faults)
        null = "" if uneven else null_key(unrounded, values)  # a class may round a quotient next to the null
        if null:
            return _load(REFUSES, f"{null} is null, and {name} computes with it", files)
    counted = _with_numbers(values, name)
    if counted is not None:
        plan = plan_of(values, name, name, NEWEST)
        bare = next(_bare_switches(plan), None) if plan is not None else None
        if bare is not None:
            return _load(REFUSES, f"{name} cannot be built with its {bare}: a switch is no size", files)
        return _by_names(checkpoint, counted, None)
    if case is not None and name in case.reading.definition.names:
        plan = case.plan
    else:
        plan = plan_of(values, name, name, NEWEST)
    listed_size = None if plan is None else next(_listed_sizes(plan), None)
    if listed_size is not None:
        return _load(REFUSES, f"{name} cannot be built with its {listed_size}: a list is no size", files)
    fault = None if plan is None else fault_of(plan)
    if fault is not None and fault.kind == SHORT:
        return _load(REFUSES, f"{name} cannot be built with its {fault.expression}: {fault.detail}", files)
    if plan is None or plan.opaque or plan.scope.faults or fault is not None:
        return _load(UNKNOWN, f"{name} has no definition", files)
    if "quantization_config" in values:
        return _load(UNKNOWN, "the quantization decides", files)
    gaps = next(_unmeasured_gaps(values, name), None)
    if gaps is not None:
        return _load(
            UNKNOWN,
            f"no measurement shows whether {name} is built with null in {gaps}",
            files,
            keys=(gaps,),
            excuse=UNMEASURED,
        )
    return _compared(checkpoint, plan, files)


def _classes_by_names(stated: str, case: Reconciled | None) -> tuple[str, ...]:
    """The classes with these names of tensors where the stated one is none of diffusers; empty if it is."""
    if case is None or not case.reading.by_names or is_class(stated):
        return ()
    return tuple(filter(is_class, (case.reading.name, *case.reading.same_names)))


def _as_configured(case: Reconciled | None, name: str) -> Reconciled | None:
    """The comparison with the definition of a class, if the sizes in it are those of the config."""
    return case if case is not None and case.reading.name == name and not case.solved else None


def is_class(name: str) -> bool:
    """True if diffusers has a class of models with a name."""
    from inspector.loading.pipelines import model_classes

    return name in model_classes() or is_measured(name)


def _with_numbers(values: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """A config with 1 and 0 for switches in the place of numbers, as Python computes with them; None without any."""
    usual = class_defaults(name)[0]
    odd: dict[str, Any] = {
        key: int(one) for key, one in values.items() if isinstance(one, bool) and type(usual.get(key)) is int
    }
    for key, value in values.items():
        if isinstance(value, list) and {bool, int} <= set(map(type, value)):
            odd[key] = [int(one) if isinstance(one, bool) else one for one in value]
    return {**values, **odd} if odd else None


def _unmeasured_gaps(values: Mapping[str, Any], name: str) -> Iterator[str]:
    """Keys with a list that has null in it, where the class has a single number by default: what it does was not tried,
    and it depends on the entry.
    """
    usual = class_defaults(name)[0]
    for key, value in values.items():
        if isinstance(value, list) and None in value and type(usual.get(key)) in (int, float):
            yield key


def _bare_switches(plan: Plan) -> Iterator[str]:
    """Keys with a switch that is the first size of a tensor as it is: torch refuses it there, and elsewhere reads 1."""
    for row in plan.rows:
        scope = scope_of(plan.scope, row.slot)
        for node in row.slot.dims[:1] if row.slot.built and row.blocks else ():
            if isinstance(node, Word) and isinstance(scope.evaluate(node), bool):
                yield from scope.keys_below(node)[:1]


def _listed_sizes(plan: Plan) -> Iterator[str]:
    """Keys with a list that is the size of a tensor as it is, which torch refuses."""
    for row in plan.rows:
        if not row.slot.built or not row.blocks or not any(None in shape for shape in row.shapes):
            continue
        scope = scope_of(plan.scope, row.slot)
        for node in row.slot.dims:
            if isinstance(node, Word) and isinstance(scope.evaluate(node), list | tuple):
                yield from scope.keys_below(node)[:1]


def _compared(checkpoint: Checkpoint, plan: Plan, files: tuple[str, ...]) -> Load:
    from inspector.loading.memory import match, memory_namer, memory_of, newest_namer

    index = checkpoint.index
    listed = checkpoint.tensors.keys() if index is None else index.weight_map.keys()
    stored = {name: layout for name, layout in checkpoint.tensors.items() if name in listed}
    families = families_of(stored)
    # tensors that files may leave out; torch writes the counters of its batch norms, and counts them as missing
    has = [
        block.key
        for block in plan.blocks
        if (block.key in families and not block.slot.tied) or block.key.endswith(COUNTER)
    ]
    rules = ClassRules(stored=tuple(has), untied=True)  # each name of a shared tensor is set by itself
    memory = memory_of(plan, rules, memory_namer(rules))
    found = match(memory, families, rules, newest_namer(rules, memory, families))
    if found.mismatched:
        return _load(REFUSES, f"{found.mismatched} of another shape, such as {found.first_mismatched}", files)
    absent = sorted(listed - stored.keys())
    expected = [name for name in absent if memory.holds(name)]
    missing, unexpected = found.missing - len(expected), found.unexpected + len(absent) - len(expected)
    counts = {"missing": missing, "unexpected": unexpected, "mismatched": 0}
    if missing:
        words = not_in_file(missing, found.first_missing)
        return _load(RANDOM, words, files, **counts)
    if expected:
        words = f"{len(expected)} tensors that the index names are in no file, such as {expected[0]}"
        return _load(RANDOM, words, files, **counts)
    return _load(COMPLETE, "", files, **counts)
