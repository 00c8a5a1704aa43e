"""The base of an adapter as its definition describes it: modules and widths under the names that the adapter uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.adapters.methods import Shape
from inspector.adapters.names import OWN_PREFIX, PROMPT_TENSORS, base_name, tuner_name
from inspector.adapters.targets import texts
from inspector.algebra.boxes import Box
from inspector.algebra.names import axes_of, key_of
from inspector.architectures.catalog import definition_of
from inspector.loading.memory import NamesInMemory, memory_namer
from inspector.loading.tables import NEWEST, names_of, other_type_of_class, rules_of
from inspector.loading.templates import template as joined_names
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families
from inspector.matcher.spelling import Match, best_match
from inspector.notation.binding import Block, bind
from inspector.notation.definition import Head
from inspector.notation.parts import head_for
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings
from inspector.notation.slots import HOLE, unroll
from inspector.notation.spelling import Spelling, template
from inspector.reconciler.reconcile import Reconciled

MOST_WIDTHS: Final = 3
"""Most pairs of widths named in a finding on an adapter that does not fit."""
OF_TASK: Final = {
    "SEQ_CLS": "ForSequenceClassification", "TOKEN_CLS": "ForTokenClassification",
    "QUESTION_ANS": "ForQuestionAnswering",
}  # fmt: skip
"""Task of an adapter -> ending of the name of the class with the head that PEFT saves as a whole with the adapter."""
WITHOUT_HEAD: Final = "FEATURE_EXTRACTION"
"""Task for which PEFT's Auto classes build the same class as AutoModel (`MODEL_TYPE_TO_PEFT_MODEL_MAPPING` in
`auto.py`).
"""

OF_BLOCKS: Final = (".adaption_", ".shadow_")
"""Beginnings of the tensors that methods add to container modules, which have no weight themselves."""


def other_widths(
    shapes: Iterable[tuple[tuple[int, ...], tuple[int | None, ...]]],
) -> tuple[tuple[int, int], ...]:
    """(width in an adapter, width of the base at the same place), the most frequent pair first.

    shapes: (stored, expected) of each tensor that does not fit; None for a dim of any size.
    """
    found: Counter[tuple[int, int]] = Counter()
    for stored, expected in shapes:
        if len(stored) == len(expected):
            pairs = zip(stored, expected, strict=True)
            found.update((own, other) for own, other in pairs if other is not None and own != other)
    return tuple(pair for pair, _ in found.most_common(MOST_WIDTHS))


class BaseTensor(Struct, frozen=True):
    """A parameter of the base at some indices. module: its key without the ending.

    required: the class builds it for any stored tensors. foreign: it belongs to a head that the base's own class does
    not have, so that the base's config does not determine its widths. doubtful: it is one of two ways of storing a
    tensor, and the adapter's names do not show which one its base had in memory. tasked: it belongs to the head for the
    adapter's task, which the base had during training. stacked: transformers 5 stacks it with other tensors, and the
    adapter's names do not show otherwise. held: the module's name in memory, "" if it is the same or unknown.
    """

    module: str
    ending: str
    axes: Box
    shape: Shape
    kind: str
    role: str
    required: bool
    foreign: bool
    doubtful: bool = False
    stacked: bool = False
    tasked: bool = False
    held: str = ""

    @property
    def key(self) -> str:
        """The key of the tensor."""
        return self.module + self.ending

    @property
    def widths(self) -> tuple[int | None, int | None] | None:
        """(inputs, outputs) of a matrix; (rows, width) of a table; None for other tensors."""
        if self.kind in ("linear", "linear_io") and len(self.shape) >= 2:
            outputs, inputs = self.shape[-2:]
            return (outputs, inputs) if self.kind == "linear_io" else (inputs, outputs)
        if self.kind == "table" and len(self.shape) == 2:
            return self.shape[0], self.shape[1]
        if self.kind == "conv" and len(self.shape) > 2:
            return self.shape[1], self.shape[0]
        return None


def is_linear(tensor: BaseTensor) -> bool:
    """True if "all-linear" chooses a module: every matrix except that of the head."""
    return tensor.kind in ("linear", "linear_io") and not tensor.role.startswith("head.token")


class Base(Struct, frozen=True):
    """The base of an adapter.

    covered: the number of the adapter's `families` that the definition knows. composite: it has submodels or code of
    its repository, so that names in memory may differ from those in files. apart: the adapter's names belong to a class
    of the base with another prefix than the class that its config declares or the adapter's task requires. root: the
    prefix that the base's own class puts before the names of its modules and that the adapter's names lack. bare: its
    class is that of the model without a head. renamed: its modules have other names in memory, or unknown names.
    settings: its config. claim: the claim of its config. declared: the parameters, under their own names, of the class
    that PEFT builds, if the base is apart or lacks the head of some names. tasks: the tasks with this head.
    """

    name: str
    source: str
    tensors: tuple[BaseTensor, ...]
    covered: int
    families: int
    composite: bool = False
    apart: bool = False
    root: str = ""
    bare: bool = False
    renamed: bool = False
    settings: Settings = Settings({}, known=False)
    claim: Claim | None = None
    declared: tuple[BaseTensor, ...] = ()
    tasks: tuple[str, ...] = ()


def parameters_of(claim: Claim) -> tuple[BaseTensor, ...]:
    """The parameters of a model as its config and its class name determine them."""
    if claim.definition is None or claim.head is None:
        return ()
    scope = Scope(claim.definition, claim.settings, definition_of)
    plan = bind(scope, claim.head, Spelling(claim.head.root), lambda key: [])
    namer = _namer(claim)
    return tuple(
        _tensor(
            block,
            block.key,
            foreign=False,
            doubtful=False,
            stacked=_is_stacked(block, frozenset(), namer),
            tasked=False,
        )
        for block in plan.blocks
        if block.slot.tensor.counted
    )


def modules_of_class(case: Reconciled) -> tuple[BaseTensor, ...]:
    """The parameters of a model under the names of its class, if its files have the names of another writer."""
    definition, read = case.reading.definition, case.corrected.scope
    if definition is read.definition:
        return ()
    head = next((one for one in definition.heads if one.names == case.head.names), definition.default_head)
    scope = Scope(definition, read.settings, definition_of, read.trace.solved or None)
    plan = bind(scope, head, Spelling(head.root), lambda key: [])
    blocks = [block for block in plan.blocks if block.slot.tensor.counted]
    return tuple(_tensor(one, one.key, foreign=False, doubtful=False, stacked=False, tasked=False) for one in blocks)


def base_tensors(
    source: str, claim: Claim, case: Reconciled | None, families: Families, values: Mapping[str, Any]
) -> Base | None:
    """The base's parameters under the adapter's names; None if no definition reads the base.

    case: the reconciliation of the base's own weights, if they were read; otherwise only the config counts. families:
    the adapter's. values: the adapter's config.
    """
    declared, claim = claim, _of_class_built(claim, values)
    if case is not None:
        scope, head, name = case.corrected.scope, case.head, case.reading.name
        head = head if claim is declared or claim.head is None else claim.head
    elif claim.definition is not None:
        scope = Scope(claim.definition, claim.settings, definition_of)
        head, name = claim.head or claim.definition.default_head, claim.model_type or claim.definition.names[0]
    else:
        return None
    keys = frozenset(_base_keys(families, values))
    asked = head_for(scope.definition, OF_TASK.get(str(values.get("task_type")), ""))
    match = best_match(scope, keys, asked or head)
    namer = _namer(claim)
    keys |= frozenset(_named_parameters(scope, match, keys, namer, values))
    plan = bind(scope, match.head, match.spelling, lambda key: [()] if key in keys else [])
    own = _own_rows(scope, head)
    shown = {
        number
        for slot in plan.unrolled.slots
        if slot.choices and template(match.spelling.spelled(slot, scope))[0] in keys
        for number, _ in slot.choices
    }
    in_memory = _in_memory(plan.blocks, keys, namer)
    tensors = tuple(
        _tensor(
            block,
            in_memory.get(block.key, block.key),
            foreign=match.head is not head and (block.slot.body, block.slot.path) not in own,
            doubtful=_doubtful(block, keys, shown) and block.key not in in_memory,
            stacked=_is_stacked(block, keys, namer),
            tasked=match.head is asked and not block.slot.body,
            held=_held(block, namer) if block.key in keys else "",
        )
        for block in plan.blocks
        if block.slot.tensor.counted
    )
    composite = "auto_map" in claim.settings.values or any(slot.scope for slot in plan.unrolled.slots)
    body = keys & {block.key for block in plan.blocks if block.slot.body}
    apart = (
        claim.head not in (None, match.head)
        and bool(keys)
        and _is_apart(scope, claim.head or match.head, body or keys, namer)
    )
    lacking = claim.head not in (None, match.head) and asked is None and bool(keys)
    built = _declared(source, claim, case if claim is declared else None, values) if apart or lacking else ()
    tasks = (task for task, name in OF_TASK.items() if lacking and head_for(scope.definition, name) is match.head)
    root = "" if match.spelling.root else head.root
    bare = (claim.class_name or "").endswith("Model")
    renamed = namer is None or any(_is_renamed(block, namer) for block in plan.blocks if block.key not in in_memory)
    return Base(name, source, tensors, match.covered, len(keys), composite, apart, root, bare, renamed, claim.settings,
                claim=claim, declared=built, tasks=tuple(tasks))  # fmt: skip


def _declared(source: str, claim: Claim, case: Reconciled | None, values: Mapping[str, Any]) -> tuple[BaseTensor, ...]:
    """The parameters of the class that the base declares, independent of the adapter's names."""
    parameters = {key: value for key, value in values.items() if key == "target_parameters"}
    found = base_tensors(source, claim, case, {}, parameters)
    return () if found is None else found.tensors


def class_built(claim: Claim, values: Mapping[str, Any]) -> str | None:
    """The class of the base that PEFT's Auto classes build for an adapter; None if its config requires none.

    values: the adapter's config; PEFT writes its `auto_mapping` if the adapter has no task.
    """
    asked: object = None
    bare = str(claim.class_name).endswith("Model") and not str(claim.class_name).endswith("LMHeadModel")
    if values.get("task_type") == WITHOUT_HEAD and not bare:
        asked = names_of(NEWEST).bases.get(claim.model_type or "")
    elif values.get("task_type") is None and isinstance(values.get("auto_mapping"), Mapping):
        asked = values["auto_mapping"].get("base_model_class")
    if not isinstance(asked, str) or claim.model_type is None or asked == claim.class_name:
        return None
    of_type = asked in names_of(NEWEST).classes and other_type_of_class(asked, claim.model_type) is None
    return asked if of_type else None


def _of_class_built(claim: Claim, values: Mapping[str, Any]) -> Claim:
    """The claim with the class that the adapter's config requires, if it differs from the class that
    the base declares.
    """
    asked = class_built(claim, values) if claim.definition is not None and claim.head is not None else None
    head = None if asked is None or claim.definition is None else head_for(claim.definition, asked)
    return claim if head is None else replace(claim, class_name=asked, head=head)


def _namer(claim: Claim) -> NamesInMemory | None:
    """The names in memory that transformers 5 gives to the tensors of the base; None for a class that
    is not recorded.
    """
    rules = None if claim.class_name is None else rules_of(claim.class_name, NEWEST)
    return None if rules is None else memory_namer(rules)


def _is_apart(scope: Scope, declared: Head, keys: frozenset[str], namer: NamesInMemory | None) -> bool:
    """True if the declared class has none of the names, neither in its files nor in memory."""
    own = bind(scope, declared, Spelling(declared.root), lambda key: [()] if key in keys else [])
    if not keys.isdisjoint(block.key for block in own.blocks):
        return False
    return namer is None or all(
        joined_names(text)[0] not in keys
        for block in own.blocks
        for _, _, text, _ in namer.of_family(block.key, (block.axes,))
    )


def _is_renamed(block: Block, namer: NamesInMemory) -> bool:
    return any(
        found.converter is None and joined_names(text)[0] != block.key
        for found, _, text, _ in namer.of_family(block.key, (block.axes,))
    )


def _in_memory(blocks: Sequence[Block], keys: frozenset[str], namer: NamesInMemory | None) -> dict[str, str]:
    """Name in files -> the only name in memory, unless the adapter uses a name that only files have."""
    found: dict[str, str] = {}
    for block in blocks if namer is not None else ():
        assert namer is not None
        named = list(namer.of_family(block.key, (block.axes,)))
        if len(named) != 1 or named[0][0].converter is not None:
            continue
        key, *_ = joined_names(named[0][2])
        if key != block.key and axes_of(key) == axes_of(block.key):
            if block.key in keys:
                return {}
            found[block.key] = key
    return found


def _is_stacked(block: Block, keys: frozenset[str], namer: NamesInMemory | None) -> bool:
    """True if tensors that are separate in files are one tensor in memory, and no name of the adapter
    shows otherwise.
    """
    if namer is None or len(block.slot.holes) < 2 or block.key in keys:
        return False
    return all(found.converter is not None for found, *_ in namer.of_family(block.key, (block.axes,)))


def _own_rows(scope: Scope, head: Head) -> frozenset[tuple[bool, str]]:
    return frozenset((slot.body, slot.path) for slot in unroll(scope, head).slots)


def _doubtful(block: Block, keys: frozenset[str], shown: set[int]) -> bool:
    """True if the base may hold a tensor in another form: experts that are separate in its files are
    stacked in memory.
    """
    if block.key in keys:
        return False
    return len(block.slot.holes) > 1 or any(number not in shown for number, _ in block.slot.choices)


def _held(block: Block, namer: NamesInMemory | None) -> str:
    """The name in memory of a module with a tensor that is also separate there."""
    found = [] if namer is None else list(namer.of_family(block.key, (block.axes,)))
    names = {joined_names(text)[0] for one, _, text, _ in found if one.converter is None}
    ending = block.slot.tensor.suffix
    if len(found) != 1 or len(names) != 1 or not ending or block.key in names:
        return ""
    return names.pop().removesuffix(ending)


def _tensor(
    block: Block, key: str, *, foreign: bool, doubtful: bool, stacked: bool, tasked: bool, held: str = ""
) -> BaseTensor:
    slot = block.slot
    ending = slot.tensor.suffix
    module = key.removesuffix(ending) if ending and key.endswith(ending) else key.rpartition(".")[0]
    kind = slot.kind.name
    if (
        kind == "conv"
        and slot.tensor.suffix == ".weight"
        and slot.tensor.dims[1] != slot.kind.chart.partition("->")[0].strip()
    ):
        kind = "grouped conv"
    needed = block.required and slot.built and not slot.extra
    ending = key.removeprefix(module)
    return BaseTensor(module, ending, block.axes, block.shape, kind=kind, role=slot.role, required=needed,
                      foreign=foreign, doubtful=doubtful, stacked=stacked, tasked=tasked, held=held)  # fmt: skip


def _named_parameters(
    scope: Scope, match: Match, keys: frozenset[str], namer: NamesInMemory | None, values: Mapping[str, Any]
) -> Iterable[str]:
    """The keys of single parameters that the config names, that the adapter lacks, and that the base has in memory."""
    named = [key_of(one)[0] for one in texts(values.get("target_parameters"))]
    ends = tuple(f".{one}" for one in named if not any(f".{key}".endswith(f".{one}") for key in keys))
    for slot in unroll(scope, match.head).slots if ends else ():
        spelled = match.spelling.spelled(slot, scope)
        key = template(spelled)[0]
        if slot.choices and f".{key}".endswith(ends) and (namer is None or _is_kept(spelled, key, namer)):
            yield key


def _is_kept(spelled: str, key: str, namer: NamesInMemory) -> bool:
    """True if a tensor has the same name in memory as in files."""
    found = namer.name(HOLE.sub("0", spelled))
    return found.converter is None and [joined_names(text)[0] for text in found.names] == [key]


def _base_keys(families: Families, values: Mapping[str, Any]) -> Iterable[str]:
    """The names in the base of the adapter's modules."""
    named = [one.rpartition(".") for one in texts(values.get("target_parameters"))]
    prompt = not PROMPT_TENSORS.isdisjoint(families)
    for key in families:
        found = tuner_name(key)
        if found is None:
            if key not in PROMPT_TENSORS:
                yield key.removeprefix(OWN_PREFIX) if prompt else base_name(key)
            continue
        parameters = [last for parent, _, last in named if not parent or f".{found.module}".endswith(f".{parent}")]
        yield from (f"{found.module}.{one}" for one in parameters)
        if found.module and not found.ending.startswith(OF_BLOCKS):
            yield f"{found.module}.weight"
