"""Plans the tensors that a config requires for a base: for every chosen module, the tensors of its method."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from inspector.adapters.base import Base, BaseTensor, is_linear
from inspector.adapters.blocks import BLOCKS, TooFew, blocks_of, width_of
from inspector.adapters.expected import (
    PROMPTS,
    UNTRAINED,
    Expected,
    ExpectedAdapter,
    kind_of,
    of_categories,
    of_piece,
    prompts,
    references,
    role_of,
    shared,
)
from inspector.adapters.lora_variants import sides_in_blocks
from inspector.adapters.methods import AdapterTensor, Shape, Target, not_dividing, pieces_of
from inspector.adapters.names import BASE_LAYER, OWN_PREFIX, PREFIX, tuner_name, wrapped_copies
from inspector.adapters.of_all import numbers_of_all, sizes_of_all
from inspector.adapters.parameters import changed_parameters, moved_inside
from inspector.adapters.peft_configs import BY_TASK
from inspector.adapters.prefixes import PREFIXES, TABLES, needed_prefix
from inspector.adapters.refused_targets import (
    AFFINE,
    KIND,
    changes_kind,
    is_no_matrix,
    most_rank,
    refused_container,
    refused_for_parameters,
    refused_module,
)
from inspector.adapters.replication import refused_replication, replicated
from inspector.adapters.saved_buffers import saved_buffers
from inspector.adapters.shadow import shadow_model
from inspector.adapters.sharing import with_copies
from inspector.adapters.subspaces import DIRECTIONS, subspaces
from inspector.adapters.targets import Boxes, Ends, Targets, Unclear, around, texts
from inspector.adapters.token_tables import WORDS, beyond, token_tables
from inspector.algebra.boxes import Box, common, minus
from inspector.matcher.families import Families
from inspector.reconciler import ledger
from inspector.reconciler.wording import names_in

HEAD: Final = "head.token"
TYING: Final = frozenset({"embed_tokens", "lm_head"})
"""Names of tables and heads for which PEFT obeys `ensure_weight_tying` (`EMBEDDING_LAYER_NAMES`)."""
UNTOUCHED: Final = (*AFFINE, "param", "buffer")
"""Kinds of tensors for which no method adds tensors."""


def plan_with(base: Base, method: str, values: Mapping[str, Any], families: Families) -> ExpectedAdapter:
    """The plan for a config and a base."""
    planner = _Planner(replicated(base, values), method, values, families)
    planner.unchangeable = refused_replication(base, values)
    planner.run()
    unclear = tuple(dict.fromkeys(planner.unclear))
    buffers = saved_buffers(planner.expected, families)
    plan = ExpectedAdapter((*planner.expected, *buffers), unclear, tuple(planner.targets), planner.unchangeable)
    return with_copies(plan, method, values, families)


class _Planner:
    """Visits the base once for each of the ways in which a config names modules."""

    def __init__(self, base: Base, method: str, values: Mapping[str, Any], families: Families) -> None:
        self.base, self.method, self.values, self.families = base, method, values, families
        self.settings = Targets(values)
        self.expected: list[Expected] = []
        self.unclear: list[str] = []
        self.targets: list[tuple[str, Boxes]] = []
        self.unchangeable = ""
        self.prefix = OWN_PREFIX if method in PROMPTS else PREFIX
        self.changed: list[tuple[BaseTensor, Boxes, Target]] = []
        self.biased = {one.module for one in base.tensors if one.ending == ".bias"}
        self.tuned = {PREFIX + found.module for key in families if (found := tuner_name(key)) is not None}

    def run(self) -> None:
        """Computes the expected tensors."""
        if self.method in PROMPTS:
            prefix = needed_prefix(self.values, self.base) if self.method in PREFIXES else None
            self.expected.extend(prompts(self.method, self.values, self._width(), prefix))
            self._whole()
            self._copies()
            return
        for tensor in self.base.tensors:
            try:
                if self.method == "ln_tuning":
                    self._norm(tensor)
                elif self.method not in BLOCKS and self.method != "trainable_tokens":
                    self._matrix(tensor)
            except Unclear as reason:
                self.unclear.append(str(reason))
        self._tied()
        if self.method in BLOCKS:
            self._blocks()
        else:
            self._containers()
        whole = sizes_of_all(self.changed)
        for tensor, boxes, target in self.changed:
            self._pieces(tensor, boxes, replace(target, whole=whole))
        self._parameters()
        self._whole()
        self._biases()
        self._tokens()
        self._copies()
        numbers = numbers_of_all(whole, self.values, known=not self.unclear)
        for_all = shared(self.method, self.values, self.families, numbers)
        self.expected.extend((*for_all, *of_categories(self.method, self.values, self.base, self.targets)))

    def _blocks(self) -> None:
        """Adds the tensors of methods that change container modules."""
        try:
            for module, boxes in blocks_of(self.method, self.base, self.values, self.settings):
                self.targets.append((module, boxes))
                width, rank = width_of(self.base), self.values.get("r")
                target = Target("linear", width, rank=rank if type(rank) is int else None)
                for piece in pieces_of(self.method, target, self.values) or ():
                    self.expected.append(of_piece(PREFIX + module, boxes, piece, module))
            if self.method == "shadow":
                self.expected.extend(shadow_model(self.base, self.values))
        except TooFew as reason:
            self.unchangeable = str(reason)
        except Unclear as reason:
            self.unclear.append(str(reason))

    def _width(self) -> int | None:
        """The width of the base; if its layers have the stated width and its tables another, the stated one."""
        stated = self.values.get("token_dim")
        if any(one.kind in AFFINE and one.shape == (stated,) for one in self.base.tensors):
            return None
        found = {one.shape[1] for one in self.base.tensors if one.role in TABLES and one.required}
        return found.pop() if len(found) == 1 else None

    # --- modules with a method of their own ---

    def _matrix(self, tensor: BaseTensor) -> None:
        every = self.settings.every_linear
        if tensor.ending != ".weight" or (every and not is_linear(tensor)):
            return
        if every and is_no_matrix(tensor, self.base, self.values):
            return
        chosen = self.settings.chosen(tensor.module, tensor.axes)
        if not chosen:
            return
        refused = refused_module(tensor, self.base, self.method, self.values)
        self._refuse(tensor.module, chosen, refused or self.settings.refused_rank(tensor.module, chosen))
        if tensor.kind in UNTOUCHED:
            if PREFIX + tensor.module in self.tuned:
                self._open(tensor, chosen)
            return
        if tensor.role.startswith("head.") and every and tensor.foreign:
            self.unclear.append("all-linear excludes a head that the base does not have")
            return
        self.targets.append((tensor.module, chosen))
        if tensor.doubtful:
            self.unclear.append("whether the base's experts were stacked when it was trained")
        widths = tensor.widths
        if widths is None or (len(tensor.shape) > 2 and tensor.kind != "conv"):
            self.unclear.append(f"how {tensor.kind} modules are changed")
            self._open(tensor, chosen)
            return
        kind = "linear" if tensor.kind == "linear_io" else tensor.kind
        kernel = tuple(dim or 0 for dim in tensor.shape[2:]) if tensor.kind == "conv" else ()
        blocks = sides_in_blocks(tensor.module, self.values)
        target = Target(kind, *widths, kernel, biased=tensor.module in self.biased, in_blocks=blocks)
        most = most_rank(tensor, self.method, self.values)
        if self.method == "osf":
            if tensor.kind != "linear":
                return  # left as it is, without a word
            parts = self.settings.preserved(tensor.module, chosen)
            self.changed.extend((tensor, boxes, replace(target, preserved=kept)) for boxes, kept in parts)
            return
        pruned = self.method == "adalora" and self.values.get("rank_pattern")
        ranks = [(chosen, None)] if pruned else self.settings.ranks(tensor.module, chosen)
        for boxes, rank in ranks:
            for part, forward in self._scaled(tensor.module, boxes):
                limited = rank if rank is None or most is None else min(rank, most)
                self.changed.append((tensor, part, replace(target, rank=limited, feedforward=forward)))

    def _tied(self) -> None:
        """With `ensure_weight_tying`, a head that is tied to a targeted table is changed together with it."""
        names = {module.rpartition(".")[2] for module, _ in self.targets}
        asked = self.method == "lora" and self.values.get("ensure_weight_tying") is True and not names.isdisjoint(TYING)
        if not asked or self.base.settings.read(("tie_word_embeddings",))[0] is not True:
            return
        for tensor in self.base.tensors:
            if tensor.role != HEAD or self.settings.chosen(tensor.module, tensor.axes):
                continue
            inputs, outputs = tensor.widths or (None, None)
            for boxes, rank in self.settings.ranks(tensor.module, (tensor.axes,)):
                for piece in pieces_of(self.method, Target("linear", inputs, outputs, rank=rank), self.values) or ():
                    key = PREFIX + tensor.module + piece.ending
                    self._expect(tensor, key, boxes, piece.shape, required=False, rank_axis=piece.rank_axis,
                                 vocabulary=_axis(piece, tensor.shape[0]), kind=ledger.COPY)  # fmt: skip

    def _refuse(self, module: str, boxes: Boxes, because: str = KIND) -> None:
        if because and not self.unchangeable:
            self.unchangeable = f"{names_in(module, boxes, 1)[0]}: {because}"

    def _containers(self) -> None:
        """Handles a container module named in the config, for which nearly every method raises."""
        try:
            found = None if self.unchangeable else refused_container(self.base, self.settings, self.values)
            if found is not None:
                self._refuse(*found)
        except Unclear as reason:
            self.unclear.append(str(reason))

    def _norm(self, tensor: BaseTensor) -> None:
        """Adds the copies of LN tuning for every tensor of its targets, which may be container modules."""
        if self.settings.every_linear and not is_linear(tensor):
            return
        paths = ((path, axes, self.settings.chosen(path, axes)) for path, axes in around(tensor.module, tensor.axes))
        for path, axes, chosen in [one for one in paths if one[2]][-1:]:
            inner = tensor.module.removeprefix(path)  # PEFT takes the adapter's name out of short endings alone
            key = f"{PREFIX}{path}.ln_tuning_layers{f'.default{inner}' if inner else ''}{tensor.ending}"
            whole = tuple((*one, *tensor.axes[len(axes) :]) for one in chosen)
            self._expect(tensor, key, whole, tensor.shape, required=tensor.required)

    def _scaled(self, module: str, boxes: Boxes) -> Iterator[tuple[Boxes, bool]]:
        if self.method != "ia3":
            yield boxes, False
            return
        ahead = tuple(one for box in boxes for one in self.settings.forward(module, box))
        behind = minus(boxes, ahead)
        if ahead:
            yield ahead, True
        if behind:
            yield behind, False

    def _pieces(self, tensor: BaseTensor, boxes: Boxes, target: Target) -> None:
        if self.method == "adamss":
            self._subspaces(tensor, boxes, target)
            return
        pieces = pieces_of(self.method, target, self.values)
        key = not_dividing(self.method, target, self.values)
        if key:
            self._refuse(tensor.module, boxes, f"its widths are not multiples of {key}")
        if pieces is None:
            if changes_kind(tensor, self.values) and not self.unchangeable:  # else PEFT refuses the config
                self.unclear.append(f"what {self.method} stores for {target.kind} modules")
                self._open(tensor, boxes)
            return
        self.expected.extend(references(self.method, tensor.module, boxes, self.families))
        words = tensor.shape[0] if tensor.role in WORDS else None
        required = tensor.required and not tensor.foreign and not tensor.doubtful
        for piece in pieces:
            one = of_piece(PREFIX + tensor.module, boxes, piece, tensor.module, tensor.role)
            axis, checked = _axis(piece, words), not tensor.foreign
            self.expected.append(replace(one, required=required, vocabulary=axis, checked=checked))

    def _subspaces(self, tensor: BaseTensor, boxes: Boxes, target: Target) -> None:
        """Adds the matrices of AdaMSS for groups of rows, which the adapter's own shapes determine."""
        found = subspaces(target, PREFIX + tensor.module, boxes, self.values, self.families)
        if found is None:
            self.unclear.append("into how many subspaces AdaMSS divides each module")
            self._open(tensor, boxes)
            return
        for ending, shape, places in found:
            frozen = ending == DIRECTIONS
            self._expect(tensor, PREFIX + tensor.module + ending, places, shape, kind=kind_of(frozen),
                         required=tensor.required and not tensor.foreign, checked=not tensor.foreign,
                         role=role_of(frozen, tensor.role))  # fmt: skip

    def _open(self, tensor: BaseTensor, boxes: Boxes) -> None:
        """Adds a tuner's stored tensors for an unknown kind of module: each module needs all of them, in any shape.

        LoKr stores the factors of a matrix whole or in two parts, depending on its width.
        """
        for key, family in self.families.items():
            found = tuner_name(key)
            if found is not None and found.module == tensor.module:
                numbered = "#" in found.ending
                where = family.boxes if numbered else boxes
                kind, role = kind_of(key.endswith(UNTRAINED)), role_of(key.endswith(UNTRAINED), tensor.role)
                self._expect(tensor, key, where, (), required=not numbered and self.method != "lokr", checked=False,
                             kind=kind, role=role)  # fmt: skip

    def _expect(self, tensor: BaseTensor, key: str, boxes: Boxes, shape: Shape, **more: Any) -> None:
        """Adds the expectation of tensors for a tensor of the base. more: fields of `Expected`."""
        fields = {"kind": ledger.PARAMETER, "module": tensor.module, "role": tensor.role, **more}
        self.expected.append(Expected(key, boxes, shape, **fields))

    def _parameters(self) -> None:
        found = changed_parameters(self.base, self.settings, self.families)
        self.expected = [*moved_inside(self.expected, found), *found.expected]
        self.targets.extend(found.targets)
        self.unclear.extend(found.unclear)
        switch = refused_for_parameters(self.values) if found.targets else ""
        # a matrix of torch among the targets sets the switch back
        if switch and not (switch == "fan_in_fan_out" and any(one.kind == "linear" for one, *_ in self.changed)):
            self._refuse(*found.targets[0], f"{switch} is refused for single parameters")

    def _whole(self) -> None:
        if not texts(self.values.get("modules_to_save")):
            return
        modules = [] if self.method in PROMPTS else [(one.module, one.axes) for one in self.base.tensors]
        if nested := self.settings.nested(modules):
            self.unchangeable = self.unchangeable or f"{nested}: modules_to_save names it and a module inside of it"
        by_task = Ends(texts(self.values.get(BY_TASK)))
        for tensor in self.base.tensors:
            boxes = self.settings.saved(tensor.module, tensor.axes)
            if boxes:
                listed = tensor.tasked and not by_task.within(tensor.module, tensor.axes)
                required = tensor.required and not tensor.stacked and (listed or not tensor.foreign)
                self._plain(tensor, tensor.key, boxes, "saved", required=required)

    def _plain(self, tensor: BaseTensor, key: str, boxes: Boxes, role: str, *, required: bool) -> None:
        """Adds a tensor of the base itself, trained in place, or a copy of it. role: for a tensor that has none."""
        copied = {"kind": ledger.EXTRA, "component": "base"} if role == "base" else {}
        self._expect(tensor, self.prefix + key, boxes, tensor.shape, required=required, role=tensor.role or role,
                     vocabulary=0 if tensor.role in WORDS else None, checked=not tensor.foreign, **copied)  # fmt: skip

    def _biases(self) -> None:
        which = self.values.get("bias", "none")
        if which == "none" or not isinstance(which, str):
            return
        own = which == "all" or any(key.endswith(f"{BASE_LAYER}.bias") for key in self.families)  # PEFT saved none once
        chosen: dict[str, list[Box]] = {}
        for module, boxes in self.targets:
            chosen.setdefault(module, []).extend(boxes)
        for tensor in self.base.tensors:
            if tensor.ending != ".bias":
                continue
            inside = [
                matched for one in chosen.get(tensor.module, ()) if (matched := common(tensor.axes, one)) is not None
            ]
            saved = self.settings.saved(tensor.module, tensor.axes)
            outside = minus((tensor.axes,), [*inside, *saved])
            if inside:
                key = f"{tensor.module}{BASE_LAYER}.bias"
                self._plain(tensor, key, tuple(inside), "bias", required=own)
            if outside and which == "all":
                self._plain(tensor, tensor.key, outside, "bias", required=tensor.required and not tensor.foreign)
            for key in wrapped_copies(self.families, self.prefix + tensor.key) if saved and which == "all" else ():
                self._plain(tensor, key.removeprefix(self.prefix), tuple(saved), "base", required=False)

    def _tokens(self) -> None:
        found = token_tables(self.base, self.method, self.values, self.settings)
        if found is None:
            return
        wanted, chosen, named = found.wanted, found.chosen, found.named
        if not found.clear:
            self.unclear.append("which tables trainable_token_indices means")
        name, because = found.refused
        if because:
            self.unchangeable = self.unchangeable or f"{name}: {because}"
        whole = self.method == "trainable_tokens"
        rows = len(wanted) if isinstance(wanted, list) else None
        if whole:  # saved once more under the name of each head or table that is tied to it
            own = {one.key for one, _ in chosen}
            tied = [one for one in self.base.tensors if one.role in WORDS and one.key not in own]
            for one in tied if chosen else ():
                if one.ending == ".weight":
                    key = f"{PREFIX}{one.module}.trainable_tokens_delta"
                    self._expect(one, key, (one.axes,), (rows, one.shape[1]), required=False, kind=ledger.COPY)
        for tensor, indices in chosen:
            if because := beyond(tensor, indices):
                self._refuse(tensor.module, (tensor.axes,), because)
            size = len(indices) if isinstance(indices, list) else None
            wrapper = "" if whole else ".token_adapter"
            key = f"{PREFIX}{tensor.module}{wrapper}.trainable_tokens_delta"
            alone = found.clear or isinstance(wanted, dict) or (named and tensor.kind != "table")
            self._expect(tensor, key, (tensor.axes,), (size, tensor.shape[1]), required=alone)

    def _copies(self) -> None:
        """Adds copies of base tensors: embeddings and heads that are targets, resized or trained as a whole."""
        reported = {one.key for one in self.expected}
        wrapped: dict[str, list[Box]] = {}
        for module, boxes in self.targets:
            wrapped.setdefault(module, []).extend(boxes)
        for one in self.expected:
            if one.module and tuner_name(one.key) is not None:
                wrapped.setdefault(one.module, []).extend(box for box in one.boxes)
        for tensor in self.base.tensors:
            saved = self.settings.saved(tensor.module, tensor.axes)
            around_it = [one for one in wrapped.get(tensor.module, ()) if len(one) == len(tensor.axes)]
            plain = (tensor.axes,) if tensor.role in WORDS else minus((tensor.axes,), [*around_it, *saved])
            keys = {f"{tensor.module}{BASE_LAYER}{tensor.ending}": (tensor.axes,), tensor.key: tuple(plain)}
            if tensor.role in WORDS and saved:
                copies = wrapped_copies(self.families, PREFIX + tensor.key)
                keys.update(dict.fromkeys((key.removeprefix(PREFIX) for key in copies), (tensor.axes,)))
            for key, boxes in keys.items():
                if boxes and self.prefix + key in self.families and self.prefix + key not in reported:
                    self._plain(tensor, key, boxes, "base", required=False)


def _axis(piece: AdapterTensor, words: int | None) -> int | None:
    return piece.shape.index(words) if words is not None and words in piece.shape else None
