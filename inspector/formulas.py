"""The definition for a name, a config or a checkpoint as a chart with numbers, as `inspector formula` shows it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Unpack

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.expression import show
from inspector.algebra.polynomial import Polynomial, constant
from inspector.algebra.span import Span
from inspector.architectures.catalog import definition_of, modules
from inspector.architectures.defaults import defaults_of
from inspector.auditing.start import audit_loaded
from inspector.budget import Exceeded, one_budget
from inspector.dialects.reading import with_stated_config
from inspector.findings.finding import Finding, ordered
from inspector.findings.reading.no_weights import NoWeights
from inspector.findings.words import either
from inspector.loader.checkpoint import Checkpoint, load
from inspector.loader.config_file import Config
from inspector.loader.configs import config_at
from inspector.loader.sources.address import Where
from inspector.matcher.claim import Claim, claim_of
from inspector.matcher.named import similar_types, type_named
from inspector.notation import formula as charts
from inspector.notation.binding import Block, Plan, bind
from inspector.notation.definition import Architecture, Head
from inspector.notation.parts import head_for
from inspector.notation.roles import GROUPS, group
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings
from inspector.notation.slots import Slot, scope_of
from inspector.notation.spelling import Spelling
from inspector.reconciler.products import unknown_product


class FormulaError(ValueError):
    """Raised if there is no definition, head or config of this name; the message names what exists.

    findings: why nothing could be read, if that is the reason.
    """

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__("; ".join((message, *(f"{one.code}: {one.message}" for one in findings))))
        self.findings = tuple(findings)


class Row(Struct, frozen=True):
    """One tensor of the chart. shape, tensors and total are None if no config determines them.

    varies: its tensors have several shapes; `shape` is then the first. optional: a buffer that files may leave out.
    usual: a counted part of the class that files may leave out, such as a pooler or computed positions.
    extra: the component of the tensor, if it is stored in addition to the model.
    """

    path: str
    module: str
    role: str
    chart: str
    dims: tuple[str, ...]
    counted: bool
    remark: str
    shape: tuple[int | None, ...] | None
    tensors: int | None
    total: int | None
    open_total: str = ""
    varies: bool = False
    optional: bool = False
    extra: str = ""
    usual: bool = False

    @property
    def suffix(self) -> str:
        """The part of the tensor's name after that of its module."""
        return self.path[len(self.module) :]


class Formula(Struct, frozen=True):
    """An architecture's formula.

    formulas: submodel -> expression, "" for modules outside submodels. parts: the value of each with the config's
    numbers. per_layer: None if layers differ. total: None if a symbol has no value; then `open_total` has the
    expression.
    """

    name: str
    head: str
    rows: tuple[Row, ...]
    formulas: dict[str, str]
    parts: dict[str, Polynomial]
    symbols: tuple[charts.Symbol, ...]
    groups: dict[str, Polynomial]
    matrices: int | None
    layers: int | None
    per_layer: int | None
    total: int | None
    open_total: str
    known: bool


def formula(
    what: str | Config,
    *,
    head: str | None = None,
    config: str | None = None,
    **where: Unpack[Where],
) -> Formula:
    """The chart of an architecture's name, a config file, or a checkpoint. Raises FormulaError if there is none."""
    with one_budget():
        try:
            if isinstance(what, Config):
                return _of_claim(claim_of(what), what.file, head)
            return _of(what, head, config, where)
        except Exceeded as exceeded:
            raise FormulaError(f"the input is too large: {exceeded}") from None


def _of(what: str, head: str | None, config: str | None, where: Where) -> Formula:
    """The chart of a name or a place. where: the location options."""
    name = None if config is not None or os.path.exists(what) or "/" in what else type_named(what)
    if name is not None:
        definition = definition_of(name)
        assert definition is not None
        defaults = defaults_of(name)
        settings = Settings({}, defaults.values if defaults else {}, defaults.aliases if defaults else {})
        of_class = head_for(definition, what) if what != name else None
        return _chart(name, definition, settings, _head(definition, head, of_class), known=False)
    if not os.path.exists(what) and "/" not in what and os.sep not in what:
        raise FormulaError(_nothing(what))
    alone, problems = _config_alone(what)
    claim = claim_of(alone)
    if claim.definition is None and not problems:
        checkpoint = with_stated_config(load(what, config=config, **where))
        if checkpoint.readable:
            return _of_checkpoint(checkpoint, what, head)
        claim = claim_of(checkpoint.config) if checkpoint.config is not None else claim
        problems = _decisive(checkpoint.findings) if claim.model_type is None else ()
        if checkpoint.pipeline is not None:
            raise FormulaError(_pipeline(checkpoint.pipeline, what))
    if claim.definition is None and problems:
        raise FormulaError(f"{what}: nothing to show a formula of", ordered(problems))
    return _of_claim(claim, what, head)


def _decisive(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The errors on reading a source. Absent weights count only if nothing else is wrong, since a config is enough."""
    errors = [one for one in findings if one.severity == "error"]
    return tuple([one for one in errors if not isinstance(one, NoWeights)] or errors)


def _pipeline(index: Config, what: str) -> str:
    """Which components of a pipeline have a formula."""
    classes = {name: entry[-1] for name, entry in index.values.items() if isinstance(entry, list) and entry}
    parts = [name for name, of_class in classes.items() if isinstance(of_class, str) and of_class in modules()]
    example = f", such as {what.rstrip('/')}/{parts[0]}" if parts else ""
    return f"{what} is a pipeline: pass one of its components{example}"


def _of_claim(claim: Claim, what: str, head: str | None) -> Formula:
    if claim.definition is None:
        raise FormulaError(f"{what}: {_unclaimed(claim)}")
    name = claim.model_type or claim.definition.names[0]
    return _chart(name, claim.definition, claim.settings, _head(claim.definition, head, claim.head), known=True)


def _nothing(what: str) -> str:
    if what.endswith((".json", ".safetensors", ".gguf", ".bin", ".pt", ".pth", ".torch", ".th")):
        return f"'{what}' does not exist"
    close = similar_types(what)
    hint = f"; did you mean {either(close)}?" if close else " (inspector architectures lists them)"
    return f"'{what}' is neither an architecture nor a path{hint}"


def _unclaimed(claim: Claim) -> str:
    if claim.model_type is None:
        return "its config names no architecture (model_type)"
    return f"unsupported model_type '{claim.model_type}'"


def _config_alone(what: str) -> tuple[Config | None, tuple[Finding, ...]]:
    """The config at a path that is itself a config file, and the findings if it cannot be read."""
    if not what.endswith(".json") or what.endswith(".index.json") or os.path.isdir(what) or "://" in what:
        return None, ()
    config, findings = config_at(what)
    return config, () if config is not None else findings


def _head(definition: Architecture, wanted: str | None, claimed: Head | None) -> Head:
    if wanted is None:
        return claimed or _usual(definition)
    found = next((entry for entry in definition.heads if wanted in entry.names), None) or head_for(definition, wanted)
    if found is None:
        names = [name for entry in definition.heads for name in entry.names if name]
        raise FormulaError(f"{definition.names[0]} has no head '{wanted}'; it has {', '.join(names)}")
    return found


def _usual(definition: Architecture) -> Head:
    for names in (("ForConditionalGeneration",), ("ForCausalLM",)):
        for entry in definition.heads:
            if set(names) & set(entry.names):
                return entry
    return definition.default_head


def _of_checkpoint(checkpoint: Checkpoint, what: str, head: str | None) -> Formula:
    audited = audit_loaded(checkpoint)
    case = audited.case
    if case is None:
        raise FormulaError(f"{what}: unsupported architecture")
    definition = case.reading.definition
    if head is not None:
        return _chart(
            case.reading.name, definition, case.plan.scope.settings, _head(definition, head, None), known=True
        )
    shown = _shown(case.reading.name, case.plan, case.head, known=True)
    products = [charts.Symbol(".".join((*path, product)), "from the shapes", value)
                for (path, product), value in case.products.items()]  # fmt: skip
    return replace(shown, symbols=(*shown.symbols, *products))


def _chart(name: str, definition: Architecture, settings: Settings, head: Head, *, known: bool) -> Formula:
    scope = Scope(definition, settings, definition_of)
    return _shown(name, bind(scope, head, Spelling(head.root)), head, known=known)


def _shown(name: str, plan: Plan, head: Head, *, known: bool) -> Formula:
    blocks: dict[int, list[Block]] = {}
    for block in plan.blocks:
        blocks.setdefault(id(block.slot), []).append(block)
    counted = {id(slot) for slot in charts.counted(plan)}
    rows, groups, matrices = [], dict.fromkeys(GROUPS, constant(0)), 0
    expressions = charts.formulas(plan, stored=blocks if known else None)
    parts = dict.fromkeys(expressions, constant(0))
    in_layers = constant(0)
    layers: int | None = None
    stacks: set[tuple[str, Span]] = set()
    for slot in charts.shown_slots(plan):
        own = blocks.get(id(slot), [])
        is_counted = id(slot) in counted
        total = _total(plan, own) if known else None
        number = total.number if total is not None else None
        if is_counted and total is not None:
            groups[group(slot.role)] = groups[group(slot.role)] + total
            parts[".".join(slot.scope)] = parts[".".join(slot.scope)] + total
            if slot.holes and number is not None:
                in_layers = in_layers + total
                if len(slot.dims) > 1:
                    matrices += number
                layers = _layers(layers, own)
                stacks.update((slot.path.partition("{")[0], block.axes[0]) for block in own if block.axes)
        rows.append(_row(plan, slot, own, is_counted, total))
    whole = constant(0)
    for amount in groups.values():
        whole = whole + amount
    inside = in_layers.number
    return Formula(
        name=name,
        head=next((one for one in head.names if one), ""),
        rows=tuple(rows),
        formulas=expressions,
        parts=parts,
        symbols=tuple(charts.symbols(plan, stored=blocks if known else None)),
        groups={key: amount for key, amount in groups.items() if amount},
        matrices=matrices if known else None,
        layers=layers,
        per_layer=inside // layers if inside is not None and layers and len(stacks) == 1 else None,
        total=whole.number if known else None,
        open_total=str(whole) if known else "",
        known=known,
    )


def _row(plan: Plan, slot: Slot, blocks: Sequence[Block], is_counted: bool, total: Polynomial | None) -> Row:
    """A tensor of the chart. total: its elements with a config, None without one."""
    root = plan.spelling.root if slot.body else ""
    number = total.number if total is not None else None
    return Row(
        path=root + slot.path,
        module=root + slot.row,
        role=slot.role,
        chart=_chart_of(slot),
        dims=tuple(show(node) for node in slot.dims),
        counted=is_counted,
        remark=_remark(slot, tied=None if total is None or not slot.tied else not is_counted),
        shape=blocks[0].shape if total is not None and blocks else None,
        tensors=sum(block.tensors for block in blocks) if total is not None else None,
        total=number,
        open_total=str(total) if total is not None and number is None else "",
        varies=total is not None and len({block.shape for block in blocks}) > 1,
        optional=slot.optional and not slot.tensor.counted,
        extra=slot.extra,
        usual=slot.usual and is_counted,
    )


def _chart_of(slot: Slot) -> str:
    """'d -> h*dh'; the dims for a tensor without a direction."""
    if slot.flow is not None:
        arrow = " -> ".join(show(node) for node in slot.flow)
        return (
            arrow
            if len(slot.dims) < 3 or slot.kind.tensors[0] is not slot.tensor
            else f"{show(slot.dims[0])} x ({arrow})"
        )
    if "->" in slot.kind.chart:
        return slot.kind.chart
    return f"[{', '.join(show(node) for node in slot.dims)}]"


def _total(plan: Plan, blocks: Sequence[Block]) -> Polynomial:
    total = constant(0)
    for block in blocks:
        scope = scope_of(plan.scope, block.slot)
        product = constant(block.tensors)
        for dim, node in zip(block.shape, block.slot.dims, strict=True):
            product = product * (constant(dim) if dim is not None else unknown_product(scope, node))
        total = total + product
    return total


def _layers(known: int | None, blocks: Sequence[Block]) -> int | None:
    size = max((block.axes[0].size for block in blocks if block.axes), default=0)
    return max(known or 0, size) or None


def _remark(slot: Slot, *, tied: bool | None) -> str:
    """The remark on a row. tied: True if it is a copy of another tensor, None if no config decides it."""
    if not slot.tensor.counted:
        return "buffer"
    if slot.extra:
        return f"extra component: {slot.extra}"
    if slot.optional or slot.group is not None:
        return "may be left out"
    if tied is not None:
        return "tied" if tied else ""
    return "may be tied" if slot.tied else ""
