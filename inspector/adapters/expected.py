"""What an adapter must store by its own names and config: widths stay open, only halves and ranks can be checked.

With a base the modules and their widths come from its definition (`plan.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.adapters.methods import Shape, Target, pieces_of
from inspector.adapters.names import BASE_LAYER, PREFIX, PROMPT, tuner_name
from inspector.adapters.targets import Boxes, Targets, Unclear, union
from inspector.algebra.boxes import count, within
from inspector.matcher.families import Families, Family
from inspector.reconciler import ledger

PROMPTS: Final = frozenset({"prompt_tuning", "p_tuning", "multitask_prompt_tuning", "prefix_tuning"})


class Expected(Struct, frozen=True):
    """Tensors that an adapter is to store on one key. shape: the dims, None where open; others: as good.

    module: the base's own name of the module, "" for what belongs to none. vocabulary: the axis that counts
    words, which a resized base moves.
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
        """Elements of one tensor, None where a dim is open."""
        return None if None in self.shape else prod(dim for dim in self.shape if dim is not None)

    def fits(self, shape: tuple[int, ...], but: int | None = None) -> bool:
        """Whether a stored shape is one of those expected. but: an axis that does not count."""
        return any(
            len(one) == len(shape)
            and all(at == but or want in (None, have) for at, (want, have) in enumerate(zip(one, shape, strict=True)))
            for one in (self.shape, *self.others)
        )


class ExpectedAdapter(Struct, frozen=True):
    """The expected tensors, the problems that kept some from being computed, and the targets in the base."""

    expected: tuple[Expected, ...]
    unclear: tuple[str, ...]
    targets: tuple[tuple[str, Boxes], ...] = ()


def plan_alone(method: str, values: Mapping[str, Any], families: Families) -> ExpectedAdapter:
    """What the adapter's own names and config ask for; widths stay open."""
    targets = Targets(values)
    expected: list[Expected] = []
    unclear: list[str] = []
    modules: dict[tuple[str, int], dict[str, Family]] = {}
    for key, family in families.items():
        found = tuner_name(key)
        if found is not None and found.module:
            modules.setdefault((found.module, found.depth), {})[found.ending] = family
    stacked = {one.rpartition(".")[0] for one in targets.parameters}
    for (module, depth), endings in modules.items():
        boxes = union(box for family in endings.values() for part in family.stored for box in part.boxes)
        experts = depth > 0 or any(f".{module}".endswith(f".{one}") for one in stacked)
        kind = _kind_alone(endings, experts)
        try:
            free = experts or method == "adalora"
            ranked = [(boxes, None)] if free else targets.ranks(module, boxes)
        except Unclear as reason:
            unclear.append(str(reason))
            ranked = [(boxes, None)]
        key = PREFIX + module + BASE_LAYER * depth
        for part, rank in ranked:
            pieces = pieces_of(method, replace(kind, rank=rank), values) or ()
            if endings.keys().isdisjoint(piece.ending for piece in pieces):
                continue  # another method's: rows of an embedding that LoRA trains beside its own
            expected.extend(
                Expected(key + piece.ending, part, piece.shape, ledger.PARAMETER, module, rank_axis=piece.rank_axis)
                for piece in pieces
            )
    expected.extend(prompts(method, values, None))
    return ExpectedAdapter(tuple(expected), tuple(dict.fromkeys(unclear)))


def _kind_alone(endings: Mapping[str, Family], experts: bool) -> Target:
    if ".lora_embedding_A" in endings or ".lora_embedding_B" in endings:
        return Target("table")
    if experts:
        return Target("experts")
    deep = max((len(shape) for family in endings.values() for shape in family.shapes), default=2)
    if ".lora_A.weight" in endings and deep > 2:
        usual = endings[".lora_A.weight"].usual.shape
        return Target("conv", kernel=usual[2:])
    return Target("linear")


def prompts(method: str, values: Mapping[str, Any], width: int | None) -> Iterator[Expected]:
    """The virtual tokens of prompt methods: their number and width are in the adapter's own config."""
    if method not in PROMPTS:
        return

    def number(name: str) -> int | None:
        found = values.get(name)
        return found if type(found) is int else None

    tokens, parts, own, layers = (
        number(name) for name in ("num_virtual_tokens", "num_transformer_submodules", "token_dim", "num_layers")
    )
    if method == "prefix_tuning":
        wide = None if own is None or layers is None else own * layers * 2
        yield Expected(PROMPT, ((),), (tokens, wide), ledger.PARAMETER, "", role="adapter prompt")
        return
    rows = None if tokens is None or parts is None else tokens * parts
    shape = (rows, own if width is None else width)
    yield Expected(PROMPT, ((),), shape, ledger.PARAMETER, "", role="adapter prompt")


def expected_parameters(plan: ExpectedAdapter, families: Families) -> int | None:
    """How many parameters the config trains and saves; None where a part of it is not known."""
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
