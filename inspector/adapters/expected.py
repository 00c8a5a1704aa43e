"""The tensors that an adapter must store according to its own names and config: widths are unknown, so that only halves
and ranks can be checked.

With a base, the modules and their widths come from its definition (`plan.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import Any, Final, cast

from msgspec import Struct
from msgspec.structs import replace

from inspector.adapters.base import Base
from inspector.adapters.method_table import CATEGORIES, LINEAR, SHARED, rows_of
from inspector.adapters.methods import AdapterTensor, Shape, Target, pieces_of
from inspector.adapters.names import BASE_LAYER, OWN_PREFIX, PREFIX, PROMPT, base_name, tuner_name, uncopied
from inspector.adapters.prefixes import PREFIXES, Prefix, stated_prefix
from inspector.adapters.router import MODULE as ROUTER
from inspector.adapters.router import router
from inspector.adapters.subspaces import DIRECTIONS, FIRST, subspaces
from inspector.adapters.targets import Boxes, Targets, Unclear, union
from inspector.algebra.boxes import count, minus, outer, within
from inspector.algebra.names import axes_of, key_of
from inspector.algebra.span import Span
from inspector.matcher.families import Families, Family
from inspector.reconciler import ledger

PROMPTS: Final = frozenset({
    "prompt_tuning", "p_tuning", "multitask_prompt_tuning", "prefix_tuning", "cpt", "cartridge",
})  # fmt: skip


STATISTICS: Final = ("running_mean", "running_var", "num_batches_tracked")
"""Buffers of torch's batch norms."""
UNTRAINED: Final = (".zeros", ".adamss_newB", *(f".ln_tuning_layers.{one}" for one in STATISTICS))
"""Endings of tensors that are saved and not trained: GLoRA's paths, the directions onto which AdaMSS projects, and
buffers.
"""


class Expected(Struct, frozen=True):
    """Tensors that an adapter should store under one key. shape: the dims, None if unknown; others: equally valid
    shapes.

    module: the base's own name of the module, "" for a tensor without a module. vocabulary: the axis of the vocabulary;
    its size differs in a resized base.
    """

    key: str
    boxes: Boxes
    shape: Shape
    kind: str
    module: str
    required: bool = True
    rank_axis: int | None = None
    others: tuple[Shape, ...] = ()
    component: str = ""
    role: str = "adapter"
    vocabulary: int | None = None
    checked: bool = True

    @property
    def elements(self) -> int | None:
        """Elements of one tensor, None if a dim is unknown."""
        return None if None in self.shape else prod(dim for dim in self.shape if dim is not None)

    def fits(self, shape: tuple[int, ...], but: int | None = None) -> bool:
        """True if a stored shape is one of the expected shapes. but: an axis that is ignored."""
        return any(
            len(one) == len(shape)
            and all(at == but or want in (None, have) for at, (want, have) in enumerate(zip(one, shape, strict=True)))
            for one in (self.shape, *self.others)
        )


class ExpectedAdapter(Struct, frozen=True):
    """The expected tensors, the problems that prevented the computation of some, and the targets in the base.

    unchangeable: a target that the method refuses to change, with the reason, or "".
    """

    expected: tuple[Expected, ...]
    unclear: tuple[str, ...]
    targets: tuple[tuple[str, Boxes], ...] = ()
    unchangeable: str = ""


def plan_alone(method: str, values: Mapping[str, Any], families: Families) -> ExpectedAdapter:
    """The tensors required by the adapter's own names and config; widths are unknown."""
    targets = Targets(values)
    expected: list[Expected] = []
    unclear: list[str] = []
    modules: dict[tuple[str, str], dict[str, Family]] = {}
    nested: set[str] = set()
    for key, family in families.items():
        found = tuner_name(key)
        if found is not None and found.module:
            path = f"{PREFIX}{key.removeprefix(PREFIX).removeprefix(OWN_PREFIX)}".removesuffix(found.ending)
            modules.setdefault((found.module, path), {})[found.ending] = family
            if found.depth:
                nested.add(found.module)
    for (module, key), endings in modules.items():
        boxes = outer((box for family in endings.values() for box in family.boxes), axes_of(module))
        experts = module in nested or targets.of_parameters(module)
        kind = _kind_alone(endings, experts)
        try:
            free = experts or method == "adalora"
            ranked = [(boxes, None)] if free else targets.ranks(module, boxes)
        except Unclear as reason:
            unclear.append(str(reason))
            ranked = [(boxes, None)]
        for part, rank in ranked:
            if method == "adamss":
                expected.extend(_of_subspaces(module, key, part, endings, values, families))
                continue
            pieces = pieces_of(method, replace(kind, rank=rank), values)
            if pieces is None:
                whole = {ending: family for ending, family in endings.items() if "#" not in ending}
                expected.extend(_together(method, module, key, whole, part))
            elif not endings.keys().isdisjoint(key_of(piece.ending)[0] for piece in pieces):
                expected.extend(of_piece(key, part, piece, module) for piece in pieces)
    expected.extend(_saved_alone(targets, values, families))
    expected.extend(prompts(method, values, None))
    expected.extend(shared(method, values, families, {}))
    return ExpectedAdapter(tuple(expected), tuple(dict.fromkeys(unclear)))


def of_piece(key: str, boxes: Boxes, piece: AdapterTensor, module: str, role: str = "adapter") -> Expected:
    """The expectation for a tensor of a module; its ending may contain further indices."""
    ending, numbers = key_of(piece.ending)
    places = tuple((*box, *(Span.of((one,)) for one in numbers)) for box in boxes) if numbers else boxes
    return Expected(key + ending, places, piece.shape, kind_of(piece.frozen), module, rank_axis=piece.rank_axis,
                    others=piece.others, role=role_of(piece.frozen, role))  # fmt: skip


def _of_subspaces(
    module: str, key: str, boxes: Boxes, endings: Mapping[str, Family], values: Mapping[str, Any], families: Families
) -> Iterator[Expected]:
    """The tensors that AdaMSS stores for a module, without a base; the number of directions is taken from the stored
    tensors.
    """
    stored = endings.get(DIRECTIONS)
    rows = {shape[0] for shape in stored.shapes if shape} if stored is not None else set()
    directions = rows.pop() if len(rows) == 1 else None
    pieces = subspaces(Target("linear", rank=values.get("r")), key, boxes, values, families)
    for ending, shape, places in pieces or ():
        wide = tuple(directions if at == 1 and ending == FIRST else dim for at, dim in enumerate(shape))
        yield Expected(key + ending, places, wide, ledger.PARAMETER, module)
    yield Expected(key + DIRECTIONS, boxes, (directions, None), ledger.BUFFER, module, role=ledger.PROJECTION)


def _saved_alone(targets: Targets, values: Mapping[str, Any], families: Families) -> Iterator[Expected]:
    """Tensors that are saved in addition: the weight for each bias, and trained rows of tables."""
    for key, family in families.items():
        module = base_name(key).removesuffix(".bias")
        if uncopied(key) != key and uncopied(key) in families:
            continue  # `bias="all"` stores a bias under all its names in memory, and the weight under one
        if key.endswith(".bias") and f"{BASE_LAYER}." not in key and tuner_name(key) is None:
            boxes = _boxes((family,))
            saved = tuple(one for box in boxes for one in targets.saved(module, box))
            if saved:
                yield Expected(f"{key.removesuffix('bias')}weight", saved, (), ledger.PARAMETER, module, checked=False)
    if values.get("trainable_token_indices") and not any("trainable_tokens_delta" in key for key in families):
        key = f"{PREFIX}embed_tokens.token_adapter.trainable_tokens_delta"
        yield Expected(key, ((),), (), ledger.PARAMETER, "embed_tokens", checked=False)


def kind_of(frozen: bool) -> str:
    """The kind in which a method's tensor is counted: a tensor that is not trained does not count as a parameter."""
    return ledger.BUFFER if frozen else ledger.PARAMETER


def role_of(frozen: bool, role: str = "adapter") -> str:
    """The role of a method's tensor. role: of trained tensors."""
    return ledger.PROJECTION if frozen else role


def _boxes(families: Iterable[Family]) -> Boxes:
    return union(box for family in families for box in family.boxes)


def _together(method: str, module: str, key: str, endings: Mapping[str, Family], boxes: Boxes) -> Iterator[Expected]:
    """The tensors of a method with unknown shapes: the same for every module; LoKr's factors whole or in two parts."""
    left = dict(endings)
    for factor in (".lokr_w1", ".lokr_w2") if method == "lokr" else ():
        parts = [left.pop(f"{factor}{end}", None) for end in ("_a", "_b")]
        split = _boxes(one for one in parts if one is not None)
        left.pop(factor, None)
        for ending, where in ((f"{factor}_a", split), (f"{factor}_b", split), (factor, minus(boxes, split))):
            if where:
                yield Expected(key + ending, tuple(where), (), ledger.PARAMETER, module, checked=False)
    for ending in left:
        if method != "lokr":
            frozen = ending.endswith(UNTRAINED)
            yield Expected(key + ending, boxes, (), kind_of(frozen), module, checked=False, role=role_of(frozen))


def shared(
    method: str, values: Mapping[str, Any], families: Families, together: Mapping[str, int | None]
) -> Iterator[Expected]:
    """The tensors that a method saves once for all modules. together: numbers over all targets, such as
    `widest_inputs`.
    """
    rank = values.get("r")
    unknown = {"widest_inputs": None, "widest_outputs": None}
    own = {**unknown, **together, "rank": rank if type(rank) is int else None}
    for row in rows_of(SHARED.get(method, ()), values, own):
        key, boxes = OWN_PREFIX + row.ending, cast(Boxes, ((),))
        if "#" in key:  # without a base as many as the highest number shows
            stored = families[key].stored if key in families else ()
            last = max((box[0].last for part in stored for box in part.boxes), default=0)
            boxes = ((Span.range(0, together.get("groups") or last + 1),),)
        yield Expected(key, boxes, row.shape, kind_of(row.frozen), "", role=role_of(row.frozen))
    for number, ending, shape in router(values) if method == "xlora" else ():
        key = OWN_PREFIX + ROUTER + ending
        yield Expected(key, ((Span.of((number,)),),), shape, ledger.PARAMETER, ROUTER, role="adapter")


def references(method: str, module: str, boxes: Boxes, families: Families) -> Iterator[Expected]:
    """Tensors that all modules of a method share and that are saved under the name of one of them, as in the state dict
    of the whole model.

    RandLora always saves its tensors there, as its table says.
    """
    own = {row[0] for row in LINEAR.get(method, ())}
    for ending, *_ in SHARED.get(method, ()):
        key = f"{PREFIX}{module}.{ending.lstrip('=')}"
        if ending not in own and key in families:
            yield Expected(key, boxes, (), kind_of(True), module, required=False, checked=False, role=role_of(True))


def of_categories(
    method: str, values: Mapping[str, Any], base: Base, targets: Iterable[tuple[str, Boxes]]
) -> Iterator[Expected]:
    """The tensors that a method saves once for the modules of one name in all layers.

    Measured with PEFT 0.21: without FRoD's projection it uses another one; it computes the positions of values again.
    """
    widths = {one.module: one.widths for one in base.tensors if one.ending == ".weight"}
    found = {category(module): widths.get(module) for module, _ in targets if method in CATEGORIES}
    for name, own in found.items():
        for row in rows_of(CATEGORIES[method], values, {"inputs": None if own is None else own[0], "rank": None}):
            key, needed = f"{OWN_PREFIX}{row.ending}.{name}", row.ending == "frod_V"
            yield Expected(key, ((),), row.shape, kind_of(True), "", required=needed, role=role_of(True))


def category(module: str) -> str:
    """The name under which FRoD joins modules: the last two words, after `_category_from_key` of its `model.py`."""
    *before, parent, last = ("", "", *module.split("."))
    if not parent or parent == "#" or parent.isdecimal():
        return last
    return "attention_output" if (before[-1], parent, last) == ("attention", "output", "dense") else f"{parent}_{last}"


OF_BIASED: Final = (".glora_C.X", ".glora_D.X", ".glora_E.X")
"""Beginnings of tensors that only modules with a bias get."""
CONVOLVED: Final = frozenset({".lora_A.weight", ".hira_A", ".ia3_l"})
"""Endings of tensors that have the dims of the kernel if a convolution is changed."""


def _kind_alone(endings: Mapping[str, Family], experts: bool) -> Target:
    if ".lora_embedding_A" in endings or ".lora_embedding_B" in endings:
        return Target("table")
    if experts:
        return Target("experts")
    deep = max((len(shape) for family in endings.values() for shape in family.shapes), default=2)
    if deep > 2 and not CONVOLVED.isdisjoint(endings):
        return Target("conv", kernel=(0,) * (deep - 2))
    if ".boft_s" in endings and any(shape[:1] == (1,) for shape in endings[".boft_s"].shapes):
        return Target("conv", kernel=(0, 0))
    if ".hira_embedding_A" in endings or ".oft_embedding_R.weight" in endings:
        return Target("table")
    return Target("linear", biased=any(one.startswith(OF_BIASED) for one in endings))


def prompts(
    method: str, values: Mapping[str, Any], width: int | None, prefix: Prefix | None = None
) -> Iterator[Expected]:
    """The virtual tokens of prompt methods: their number and width are in the adapter's own config.

    width: of the base's table of tokens, if known. prefix: the prefix for the base.
    """
    if method not in PROMPTS:
        return

    def number(name: str) -> int | None:
        found = values.get(name)
        return found if type(found) is int else None

    tokens, parts, own = (number(name) for name in ("num_virtual_tokens", "num_transformer_submodules", "token_dim"))
    listed = values.get("cpt_token_ids")
    if method == "cpt" and isinstance(listed, list):  # its config class counts them
        tokens = len(listed)
    if method in PREFIXES:
        wide = (stated_prefix(values) if prefix is None else prefix).elements
        yield Expected(PROMPT, ((),), (tokens, wide), ledger.PARAMETER, "", role="adapter prompt")
        return
    rows = None if tokens is None or parts is None else tokens * parts
    wide = own if width is None else width
    yield Expected(PROMPT, ((),), (rows, wide), ledger.PARAMETER, "", role="adapter prompt")
    if method == "multitask_prompt_tuning":
        tasks, ranks = number("num_tasks"), number("num_ranks")
        for name, shape in (("cols", (tasks, rows, ranks)), ("rows", (tasks, ranks, wide))):
            yield Expected(f"prefix_task_{name}", ((),), shape, ledger.PARAMETER, "", role="adapter prompt")


def expected_parameters(plan: ExpectedAdapter, families: Families) -> int | None:
    """The number of parameters that the config trains and saves; None if a part of it is unknown."""
    if plan.unclear:
        return None
    total = 0
    for one in plan.expected:
        if one.kind != ledger.PARAMETER:
            continue
        tensors = count(one.boxes)
        if not one.required:
            stored = families[one.key].stored if one.key in families else ()
            tensors = sum(count(within(part.boxes, cut)) for part in stored for cut in one.boxes)
        if tensors and (one.elements is None or not one.checked):
            return None
        total += tensors * (one.elements or 0)
    return total
