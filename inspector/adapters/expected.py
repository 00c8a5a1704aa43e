"""What an adapter must store: for every module that its config chooses, the tensors of its method.

With a base the modules and their widths come from its definition. Without one they are those that the adapter's own
names show, and widths stay open: then only halves and ranks can be reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from math import prod
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.adapters.base import Base, BaseTensor
from inspector.adapters.methods import Piece, Shape, Target, pieces_of
from inspector.adapters.names import BASE_LAYER, PREFIX, PROMPT, tuner_name
from inspector.adapters.targets import Boxes, Targets, Unclear, texts
from inspector.algebra.boxes import Box, common, count, joined, less, within
from inspector.matcher.families import Families, Family
from inspector.reconciler import ledger

MOST_STACKED: Final = 4
"""Parameters of one module that are wrapped one around the other."""
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

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether a stored shape is one of those expected."""
        return any(
            len(one) == len(shape) and all(want in (None, have) for want, have in zip(one, shape, strict=True))
            for one in (self.shape, *self.others)
        )


class Plan(Struct, frozen=True):
    """All that is expected, what could not be worked out, and whether a base stands behind it."""

    expected: tuple[Expected, ...]
    unclear: tuple[str, ...]
    targets: tuple[tuple[str, Boxes], ...] = ()


def plan_with(base: Base, method: str, values: Mapping[str, Any], families: Families) -> Plan:
    """What the config makes of this base."""
    planner = _Planner(base, method, values, families)
    planner.run()
    return Plan(tuple(planner.expected), tuple(dict.fromkeys(planner.unclear)), tuple(planner.targets))


def plan_alone(method: str, values: Mapping[str, Any], families: Families) -> Plan:
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
        boxes = _union(endings.values())
        experts = depth > 0 or any(f".{module}".endswith(f".{one}") for one in stacked)
        kind = _kind_alone(endings, experts)
        try:
            free = experts or method == "adalora"
            ranked = [(boxes, None)] if free else targets.ranks(module, boxes)
        except Unclear as reason:
            unclear.append(str(reason))
            ranked = [(boxes, None)]
        for part, rank in ranked:
            pieces = pieces_of(method, replace(kind, rank=rank), values) or ()
            if endings.keys().isdisjoint(piece.ending for piece in pieces):
                continue  # another method's: rows of an embedding that LoRA trains beside its own
            expected.extend(
                Expected(
                    PREFIX + module + BASE_LAYER * depth + piece.ending, part, piece.shape, ledger.PARAMETER, module,
                    rank_axis=piece.rank_axis,
                )
                for piece in pieces
            )  # fmt: skip
    expected.extend(_prompts(method, values, None))
    return Plan(tuple(expected), tuple(dict.fromkeys(unclear)))


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


def _union(families: Iterator[Family] | Sequence[Family] | Any) -> Boxes:
    """The indices that any of some families has."""
    found: list[Box] = []
    for family in families:
        for part in family.stored:
            for box in part.boxes:
                fresh: Boxes = (box,)
                for one in found:
                    fresh = less(fresh, one)
                found.extend(fresh)
    return joined(found)


class _Planner:
    """Walks the base once for each of the ways in which a config names modules."""

    def __init__(self, base: Base, method: str, values: Mapping[str, Any], families: Families) -> None:
        self.base, self.method, self.values, self.families = base, method, values, families
        self.settings = Targets(values)
        self.expected: list[Expected] = []
        self.unclear: list[str] = []
        self.targets: list[tuple[str, Boxes]] = []

    def run(self) -> None:
        """Fills what is expected."""
        if self.method in PROMPTS:
            self.expected.extend(_prompts(self.method, self.values, self._width()))
            return
        for tensor in self.base.tensors:
            try:
                if self.method == "ln_tuning":
                    self._norm(tensor)
                else:
                    self._matrix(tensor)
            except Unclear as reason:
                self.unclear.append(str(reason))
        self._stacked()
        self._whole()
        self._biases()
        self._tokens()
        self._copies()
        self._shared()

    def _width(self) -> int | None:
        found = {
            one.shape[1] for one in self.base.tensors if one.role in ("embed.token", "embed.shared") and one.required
        }
        return found.pop() if len(found) == 1 else None

    # --- modules with a method of their own ---

    def _matrix(self, tensor: BaseTensor) -> None:
        if tensor.ending != ".weight":
            return
        if self.settings.every_linear and (
            tensor.kind not in ("linear", "linear_io") or tensor.role.startswith("head.token")
        ):
            return
        chosen = self.settings.chosen(tensor.module, tensor.axes)
        widths = tensor.widths
        if not chosen or tensor.kind in ("scale", "affine", "batchnorm", "param", "buffer"):
            return
        if tensor.role.startswith("head.") and self.settings.every_linear and tensor.foreign:
            self.unclear.append("all-linear leaves out a head that the base does not have")
            return
        self.targets.append((tensor.module, chosen))
        if tensor.doubtful:
            self.unclear.append("whether the base's experts were stacked when it was trained")
        if widths is None or (len(tensor.shape) > 2 and tensor.kind != "conv"):
            self.unclear.append(f"how {tensor.kind} modules are changed")
            self._open(tensor, chosen)
            return
        kind = {"linear_io": "linear"}.get(tensor.kind, tensor.kind)
        kernel = tuple(dim or 0 for dim in tensor.shape[2:]) if tensor.kind == "conv" else ()
        target = Target(kind, *widths, kernel)
        ranks = [(chosen, None)] if self.method == "adalora" else self.settings.ranks(tensor.module, chosen)
        for boxes, rank in ranks:
            for part, forward in self._scaled(tensor.module, boxes):
                self._pieces(tensor, part, replace(target, rank=rank, feedforward=forward))

    def _norm(self, tensor: BaseTensor) -> None:
        """LN tuning trains a copy of every tensor of its targets."""
        chosen = self.settings.chosen(tensor.module, tensor.axes)
        if chosen:
            key = f"{PREFIX}{tensor.module}.ln_tuning_layers{tensor.ending}"
            self.expected.append(
                Expected(key, chosen, tensor.shape, ledger.PARAMETER, tensor.module, tensor.required, role=tensor.role)
            )

    def _scaled(self, module: str, boxes: Boxes) -> Iterator[tuple[Boxes, bool]]:
        if self.method != "ia3":
            yield boxes, False
            return
        ahead = [one for box in boxes for one in self.settings.forward(module, box)]
        behind = boxes
        for one in ahead:
            behind = less(behind, one)
        if ahead:
            yield tuple(ahead), True
        if behind:
            yield behind, False

    def _pieces(self, tensor: BaseTensor, boxes: Boxes, target: Target) -> None:
        pieces = pieces_of(self.method, target, self.values)
        if pieces is None:
            self.unclear.append(f"what {self.method} stores for {target.kind} modules")
            self._open(tensor, boxes)
            return
        words = tensor.shape[0] if tensor.role in ("embed.token", "embed.shared", "head.token") else None
        for piece in pieces:
            self.expected.append(
                Expected(
                    PREFIX + tensor.module + piece.ending, boxes, piece.shape, ledger.PARAMETER, tensor.module,
                    tensor.required and not tensor.foreign and not tensor.doubtful, piece.rank_axis, piece.others,
                    role=tensor.role, vocabulary=_axis(piece, words), checked=not tensor.foreign,
                )
            )  # fmt: skip

    def _open(self, tensor: BaseTensor, boxes: Boxes) -> None:
        """Whatever a tuner stored for a module of a kind that is not known here: explained, and not checked."""
        for key in self.families:
            found = tuner_name(key)
            if found is not None and found.module == tensor.module:
                self.expected.append(
                    Expected(key, boxes, (), ledger.PARAMETER, tensor.module, False, role=tensor.role, checked=False)
                )

    # --- stacked matrices of experts, and single parameters ---

    def _stacked(self) -> None:
        wanted = self.settings.parameters
        if not wanted:
            return
        modules: dict[tuple[str, Box], list[BaseTensor]] = {}
        for tensor in self.base.tensors:
            if any(tensor.key == one or tensor.key.endswith(f".{one}") for one in wanted):
                modules.setdefault((tensor.module, tensor.axes), []).append(tensor)
        for (module, axes), tensors in modules.items():
            if len(tensors) > MOST_STACKED:
                self.unclear.append("how many parameters of one module are wrapped")
                continue
            self.targets.append((module, (axes,)))
            self._wrapped(module, axes, tensors)

    def _wrapped(self, module: str, axes: Box, tensors: Sequence[BaseTensor]) -> None:
        """Each parameter of a module wraps the one before; which is innermost, the shapes decide."""
        ranked: list[tuple[BaseTensor, tuple[Piece, ...]]] = []
        for tensor in tensors:
            widths, rank = _stack_widths(tensor), None
            try:
                ranks = self.settings.ranks(tensor.key, (axes,))
                rank = ranks[0][1] if len(ranks) == 1 else None
            except Unclear as reason:
                self.unclear.append(str(reason))
            if rank is None or widths is None:
                self.unclear.append(f"the rank of {tensor.key}")
            inputs, outputs, experts = widths or (None, None, 1)
            ranked.append((tensor, pieces_of("lora", Target("experts", inputs, outputs, (), rank, experts), {}) or ()))
        orders = [list(order) for order in permutations(ranked)]
        best = max(orders, key=lambda order: self._fitting(module, order))
        for depth, (tensor, pieces) in enumerate(best):
            for piece in pieces:
                self.expected.append(
                    Expected(
                        PREFIX + module + BASE_LAYER * depth + piece.ending, (axes,), piece.shape, ledger.PARAMETER,
                        tensor.module, tensor.required, piece.rank_axis, piece.others, role=tensor.role,
                    )
                )  # fmt: skip

    def _fitting(self, module: str, order: Sequence[tuple[BaseTensor, tuple[Piece, ...]]]) -> int:
        fitting = 0
        for depth, (_, pieces) in enumerate(order):
            for piece in pieces:
                family = self.families.get(PREFIX + module + BASE_LAYER * depth + piece.ending)
                one = Expected("", (), _any_rank(piece, piece.shape), "", "")
                turned = [_any_rank(piece, shape) for shape in piece.others]
                one = replace(one, others=tuple(turned))
                fitting += family is not None and all(one.fits(shape) for shape in family.shapes)
        return fitting

    # --- what is saved beside the method's own ---

    def _whole(self) -> None:
        if not texts(self.values.get("modules_to_save")):
            return
        for tensor in self.base.tensors:
            boxes = self.settings.saved(tensor.module, tensor.axes)
            if boxes:
                self._plain(tensor, tensor.key, boxes, tensor.required and not tensor.foreign, "saved")

    def _plain(
        self, tensor: BaseTensor, key: str, boxes: Boxes, required: bool, role: str, kind: str = ledger.PARAMETER
    ) -> None:
        words = 0 if tensor.role in ("embed.token", "embed.shared", "head.token", "head.token.bias") else None
        self.expected.append(
            Expected(
                PREFIX + key, boxes, tensor.shape, kind, tensor.module, required, role=tensor.role or role,
                component="base" if kind == ledger.EXTRA else "", vocabulary=words, checked=not tensor.foreign,
            )
        )  # fmt: skip

    def _biases(self) -> None:
        which = self.values.get("bias", "none")
        if which == "none" or not isinstance(which, str):
            return
        chosen: dict[str, list[Box]] = {}
        for module, boxes in self.targets:
            chosen.setdefault(module, []).extend(boxes)
        for tensor in self.base.tensors:
            if tensor.ending != ".bias":
                continue
            inside = [
                matched for one in chosen.get(tensor.module, ()) if (matched := common(tensor.axes, one)) is not None
            ]
            outside: Boxes = (tensor.axes,)
            for one in inside:
                outside = less(outside, one)
            if inside:
                self._plain(tensor, f"{tensor.module}{BASE_LAYER}.bias", tuple(inside), which == "all", "bias")
            if outside and which == "all":
                self._plain(tensor, tensor.key, outside, tensor.required and not tensor.foreign, "bias")

    def _tokens(self) -> None:
        wanted = self.values.get("trainable_token_indices")
        if wanted is None and self.method == "trainable_tokens":
            wanted = self.values.get("token_indices")
        if not isinstance(wanted, list | dict):
            return
        tables = [one for one in self.base.tensors if one.kind == "table" and one.ending == ".weight"]
        if isinstance(wanted, dict):
            chosen = [(one, wanted[name]) for name in wanted for one in tables if f".{one.module}".endswith(f".{name}")]
        else:
            chosen = [(one, wanted) for one in tables if one.role in ("embed.token", "embed.shared") and one.required]
        if len(chosen) != (len(wanted) if isinstance(wanted, dict) else 1):
            self.unclear.append("which tables trainable_token_indices means")
        for tensor, indices in chosen:
            size = len(indices) if isinstance(indices, list) else None
            self.expected.append(
                Expected(
                    f"{PREFIX}{tensor.module}.token_adapter.trainable_tokens_delta", (tensor.axes,),
                    (size, tensor.shape[1]), ledger.PARAMETER, tensor.module, len(chosen) == 1, role=tensor.role,
                )
            )  # fmt: skip

    def _copies(self) -> None:
        """Copies of the base: of tables that are targets, and of tables whose vocabulary was resized."""
        reported = {one.key for one in self.expected}
        for tensor in self.base.tensors:
            wrapped = f"{tensor.module}{BASE_LAYER}{tensor.ending}"
            if PREFIX + wrapped in self.families and PREFIX + wrapped not in reported:
                self._plain(tensor, wrapped, (tensor.axes,), False, "base", ledger.EXTRA)
            table = tensor.role in ("embed.token", "embed.shared", "head.token", "head.token.bias")
            if table and PREFIX + tensor.key in self.families and PREFIX + tensor.key not in reported:
                self._plain(tensor, tensor.key, (tensor.axes,), False, "base", ledger.EXTRA)

    def _shared(self) -> None:
        """VeRA's two projections, the same for all modules, frozen: buffers."""
        if self.method != "vera":
            return
        rank = self.values.get("r")
        sides = [one.shape for one in self.expected if one.key.endswith(".vera_lambda_b")]
        widest = max((shape[0] or 0 for shape in sides), default=None)
        saved = self.values.get("save_projection") is not False
        size = rank if type(rank) is int else None
        for key, shape in (("base_model.vera_A", (size, None)), ("base_model.vera_B", (widest, size))):
            self.expected.append(Expected(key, ((),), shape, ledger.BUFFER, "", saved, role="adapter projection"))


def _any_rank(piece: Piece, shape: Shape) -> Shape:
    return tuple(None if at == piece.rank_axis else dim for at, dim in enumerate(shape))


def _axis(piece: Piece, words: int | None) -> int | None:
    return piece.shape.index(words) if words is not None and words in piece.shape else None


def _stack_widths(tensor: BaseTensor) -> tuple[int, int, int] | None:
    """(inputs, outputs, matrices) of a parameter of two or three dims."""
    if None in tensor.shape or len(tensor.shape) not in (2, 3):
        return None
    sizes = [dim for dim in tensor.shape if dim is not None]
    experts = sizes[0] if len(sizes) == 3 else 1
    inputs, outputs = sizes[-1], sizes[-2]
    return (outputs, inputs, experts) if tensor.kind == "linear_io" else (inputs, outputs, experts)


def _prompts(method: str, values: Mapping[str, Any], width: int | None) -> Iterator[Expected]:
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


def expected_parameters(plan: Plan, families: Families) -> int | None:
    """How many parameters the config trains and saves; None where a part of it is not known."""
    if plan.unclear:
        return None
    total = 0
    for one in plan.expected:
        if one.kind != ledger.PARAMETER:
            continue
        tensors = count(one.boxes)
        if not one.required:
            stored = families.get(one.key)
            tensors = (
                0
                if stored is None
                else sum(
                    count(within((box,), cut)) for part in stored.stored for box in part.boxes for cut in one.boxes
                )
            )
        if tensors and (one.elements is None or not one.checked):
            return None
        total += tensors * (one.elements or 0)
    return total
