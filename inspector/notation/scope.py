"""The symbols of a definition with a config: their values, where the values come from, and faults in computing them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.evaluation import evaluator
from inspector.algebra.expression import Alternatives, Guarded, Node, Word, children, parse, show
from inspector.algebra.values import LISTS, Unknown, Value, brief
from inspector.budget import spend
from inspector.notation.definition import PREDEFINED, Architecture, Submodel
from inspector.notation.holes import bases, free_holes
from inspector.notation.parts import submodels_of
from inspector.notation.settings import Settings
from inspector.notation.trace import SYMBOL, Leaf, Trace, TracedList, TracedTable, UnknownLeaf, with_leaf

Lookup = Callable[[str], "Architecture | None"]
"""A definition by model type."""


class Fault(Struct, frozen=True):
    """An expression that cannot be computed with the values of the config. kind: remainder, zero, type, size,
    length or differs.
    """

    kind: str
    expression: str
    detail: str
    keys: tuple[str, ...]


ARITHMETIC = ("remainder", "zero")
"""Faults in which all numbers are known."""
SHORT = "length"
"""Kind of the fault of a list that is too short."""
STATED = "stated"
"""`stated.KEY`: True if the config itself has the key, whatever default the class has."""
MOST_FAULTS = 20
"""Faults that one scope keeps: the first ones show the cause."""


Known = tuple[Value, frozenset[Leaf]]
"""A symbol's value and the leaves of the config that it was computed from."""
ABSENT: Known = (None, frozenset())


class Entered:
    """Context manager that sets the indices of a scope and restores them."""

    __slots__ = ("_before", "_place", "_scope")

    def __init__(self, scope: Scope, place: Iterable[tuple[str, int]]) -> None:
        self._scope, self._place = scope, place

    def __enter__(self) -> None:
        self._before = [(hole, self._scope.enter(hole, index)) for hole, index in self._place]

    def __exit__(self, *_: object) -> None:
        for hole, index in reversed(self._before):
            self._scope.enter(hole, index)


class Scope:
    """The values of a definition's words. It is cheap to build, since every value is computed when it is first read.

    trace: the config values that were read, shared with the submodels. prefix: the position of this submodel's config.
    path: the names of the enclosing submodels and this one. solved: values that follow from the weights, if used.
    sets: expressions of the outer model (`outer`) that replace keys of this submodel's config.
    """

    __slots__ = (
        "_at",
        "_cache",
        "_depends",
        "_faults",
        "_keys",
        "_leaves",
        "_outer",
        "_sets",
        "_traced",
        "_tried",
        "defaulted",
        "definition",
        "lookup",
        "path",
        "prefix",
        "settings",
        "submodels",
        "symbols",
        "trace",
    )

    def __init__(
        self,
        definition: Architecture,
        settings: Settings,
        lookup: Lookup,
        solved: Mapping[Leaf, Value] | None = None,
    ) -> None:
        self.definition = definition
        self.settings = settings
        self.lookup = lookup
        self.symbols = {**PREDEFINED, **definition.dims}
        self._faults: dict[tuple[str, Node, str], None] = {}
        self.defaulted: set[str] = set()
        self._at: dict[str, int] = {}
        self._leaves: dict[Leaf, Leaf] = {}
        self._cache: dict[Leaf, Known] = {}
        self._depends: dict[str, tuple[str, ...]] = {}
        self._keys: dict[Node, tuple[str, ...]] = {}
        self._tried: tuple[int, dict[Leaf, Known]] = (0, {})
        self._traced: dict[tuple[str, ...], TracedList | TracedTable] = {}
        self.trace = Trace(solved)
        self.prefix: Leaf = ()
        self.path: tuple[str, ...] = ()
        self._outer: Scope | None = None
        self._sets: dict[str, Node] = {}
        self.submodels: dict[str, Scope] = {}
        self._open_submodels(lookup)

    def _open_submodels(self, lookup: Lookup) -> None:
        for entry in sorted(
            submodels_of(self.definition), key=lambda one: len(one.sets)
        ):  # scopes of other submodels that `sets` reads come first
            below = self.settings.below(entry.config, entry.definition.names[0] if entry.definition else "")
            for key, text in entry.sets.items():
                value = self.evaluate(parse(text))
                if value is not None:
                    below = replace(below, values={**below.values, key: value})
            definition = entry.definition
            if definition is None or entry.by_type:
                named = below.read(("model_type",))[0]
                definition = lookup(named) if isinstance(named, str) else definition
            if definition is not None:
                submodel = Scope(definition, below, lookup)
                submodel._nest_below(self, entry)
                self.submodels[entry.name] = submodel

    def _nest_below(self, outer: Scope, entry: Submodel) -> None:
        """Makes this the scope of a submodel: it reads below a config key and shares the trace of the outer scope."""
        self._outer, self._sets = outer, {key: parse(text) for key, text in entry.sets.items()}
        self._move((entry.config,), entry.name, outer.trace)

    def _move(self, prefix: Leaf, name: str, trace: Trace) -> None:
        self.prefix, self.path, self.trace = (*prefix, *self.prefix), (name, *self.path), trace
        self._cache.clear()
        self._leaves.clear()
        self._traced.clear()
        for submodel in self.submodels.values():
            submodel._move(prefix, name, trace)

    def with_solved(self, solved: Mapping[Leaf, Value]) -> Scope:
        """The same definition and config with values of leaves and symbols that follow from the weights. The config
        still has the lists that are too short for the class.
        """
        scope = Scope(self.definition, self.settings, self.lookup, {**self.trace.solved, **solved})
        scope._keep_short_lists(self)
        return scope

    def _keep_short_lists(self, before: Scope) -> None:
        self._faults.update({fault: None for fault in before._faults if fault[0] == SHORT})
        for name, submodel in self.submodels.items():
            if name in before.submodels:
                submodel._keep_short_lists(before.submodels[name])

    def with_value(self, leaf: Leaf, value: Any) -> Scope:
        """A scope with the same definition and one leaf of the config set, in its sub-config or list.

        Values that were solved without a config are solved again.
        """
        settings = replace(self.settings, values=with_leaf(self.settings.values, self.settings.defaults, leaf, value))
        solved = self.trace.solved if self.trace.open and settings.known else None
        return Scope(self.definition, settings, self.lookup, solved)

    def leaf(self, leaf: Leaf) -> tuple[Value, bool]:
        """(value of a leaf, True if it is the default of the class). An element beyond the end of its
        list is absent.
        """
        depth = next((at for at, step in enumerate(leaf) if isinstance(step, int)), len(leaf))
        value, defaulted = self.settings.read(tuple(str(step) for step in leaf[:depth]))
        for step in leaf[depth:]:
            if isinstance(value, list):
                value = value[step] if isinstance(step, int) and step < len(value) else None
            else:
                value = value.get(step) if isinstance(value, dict) else None
        return value, defaulted

    def word(self, path: tuple[str, ...]) -> Value:
        """The value of a symbol, else of a submodel's symbol, else of a config key; None if it is absent."""
        name = path[0]
        if len(path) > 1:
            if name == STATED:
                return self._states(path[1:])
            submodel = self.submodels.get(name)
            return submodel.word(path[1:]) if submodel is not None else self._config(path)
        if name not in self.symbols:
            return self._config(path)
        key, trace = self._indexed(name), self.trace
        if trace.open:
            symbol = self._leaves.get(key)
            if symbol is None:
                symbol = self._leaves[key] = (SYMBOL, *self.path, *key)
            if symbol == trace.leaf or symbol in trace.solved:
                return trace.read(symbol, None)
        known = self._cache.get(key)
        if known is None or (trace.leaf is not None and trace.leaf in known[1]):
            known = self._worked_out(name, key)
        trace.reads |= known[1]
        return known[0]

    def _states(self, path: tuple[str, ...]) -> bool:
        held: Any = self.settings.values
        for key in path:
            held = held.get(key) if isinstance(held, dict) else None
        return held is not None

    def symbol(self, name: str) -> Leaf:
        """The leaf of a symbol, or of a config key, at the current indices of the scope."""
        if name not in self.symbols:
            return (*self.prefix, name)
        return (SYMBOL, *self.path, *self._indexed(name))

    def _indexed(self, name: str) -> Leaf:
        """The leaf of a symbol: its name with the indices of the holes that it depends on, -1 outside a hole."""
        depends = self._depends.get(name)
        if depends is None:
            depends = self._depends[name] = free_holes(self.definition, name)
        return (name, *[self._at.get(hole, -1) for hole in depends]) if depends else (name,)

    def _worked_out(self, name: str, key: Leaf) -> Known:
        """The value of a symbol, or its value under the trial. Values that the trial does not change stay cached."""
        trace, store = self.trace, self._cache
        if trace.leaf is not None:
            if self._tried[0] != trace.number:
                self._tried = (trace.number, {})
            store = self._tried[1]
            if key in store:
                return store[key]
        spend(3, LISTS)
        store[key] = ABSENT  # a definition that refers to itself is absent
        node = parse(self.symbols[name])
        strict = not self.settings.known
        if strict and not trace.open and isinstance(node, Alternatives):
            return ABSENT  # without a config a fallback would be a guess
        around, trace.reads = trace.reads, set()
        value = evaluator(node)(self)
        if strict and trace.open and not isinstance(value, Unknown) and trace.unknown():
            value = None  # what is computed from an unknown value is unknown
        known = store[key] = (value, trace.noted())
        trace.reads = around
        return known

    def _config(self, path: tuple[str, ...]) -> Value:
        if len(path) == 1 and (given := self.given(path[0])) is not None:
            outer, node = given
            value = outer.evaluate(node)
            if value is not None:
                return value
        trace, leaf = self.trace, (*self.prefix, *path)
        if path in self._traced and trace.leaf != leaf:
            trace.reads.add(leaf)
            return self._traced[path]
        found, defaulted = self.settings.read(path)
        if defaulted and found is not None:
            self.defaulted.add(".".join(path))
        value = trace.read(leaf, found)
        if value is None and trace.open and leaf not in trace.solved and not self.settings.known:
            return UnknownLeaf(trace, leaf)
        if isinstance(value, TracedList | TracedTable) and trace.leaf != leaf:
            self._traced[path] = value
        return value

    def given(self, key: str) -> tuple[Scope, Node] | None:
        """The scope and expression of the outer model that replace a key of this submodel; None if none replace it."""
        return (self._outer, self._sets[key]) if self._outer is not None and key in self._sets else None

    def index(self, hole: str) -> int | None:
        """The current index of a hole."""
        return self._at.get(hole)

    def below(self, path: Iterable[str]) -> Scope:
        """The scope of the submodel at a path of names."""
        scope = self
        for name in path:
            scope = scope.submodels[name]
        return scope

    def at(self, place: Iterable[tuple[str, int]]) -> Entered:
        """Context manager in which holes have these indices."""
        return Entered(self, place)

    def enter(self, hole: str, index: int | None) -> int | None:
        """Sets a hole, and every extent it was cut from, to an index; None resets it."""
        spend(2, LISTS)
        before = self._at.get(hole)
        for name in (hole, *bases(self.definition, hole)):
            if index is None:
                self._at.pop(name, None)
            else:
                self._at[name] = index
        return before

    def fault(self, kind: str, node: Node, detail: str, rounded: int | None = None) -> int | None:
        """Records a fault once. Faults under a value on trial are ignored."""
        if self.trace.leaf is None and not self.trace.silent and len(self._faults) < MOST_FAULTS:
            self._faults[kind, node, detail] = None
        return rounded if self.trace.rounds else None

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults so far, with the config keys that each expression reads."""
        return tuple(Fault(kind, show(node), detail, self.keys_below(node)) for kind, node, detail in self._faults)

    def is_faulty(self, name: str) -> bool:
        """True if a symbol has no value because its expression cannot be computed with the numbers of the config, as
        48/5.
        """
        if not self._faults or name not in self.symbols:
            return False
        parts = [parse(self.symbols[name])]
        for node in parts:
            parts += children(node)
        return any(kind in ARITHMETIC and node in parts for kind, node, _ in self._faults)

    def evaluate(self, node: Node) -> Value:
        """The value of an expression tree in this scope."""
        spend(1, LISTS)
        return evaluator(node)(self)

    def keys_below(self, node: Node) -> tuple[str, ...]:
        """The config keys that an expression reads, through symbols, each once."""
        known = self._keys.get(node)
        if known is None:
            known = self._keys[node] = tuple(self._read_below(node))
        return known

    def _read_below(self, node: Node) -> Iterator[str]:
        seen: set[str] = set()
        waiting = [node]
        while waiting:
            current = waiting.pop()
            if isinstance(current, Word):
                name = ".".join(current.path)
                if name in seen:
                    continue
                seen.add(name)
                if len(current.path) == 1 and name in self.symbols:
                    waiting.append(parse(self.symbols[name]))
                else:
                    yield name
            waiting.extend(reversed(children(current)))

    def because(self, symbol: str) -> str:
        """Where the value of a symbol comes from: 'num_key_value_heads = 8', 'd/h = 128 (head_dim absent)'."""
        text = self.symbols.get(symbol)
        if text is None:
            value, defaulted = self.settings.read(tuple(symbol.split(".")))
            return f"{symbol} = {brief(value)}{' (class default)' if defaulted else ''}"
        return self.reason(text)

    def reason(self, text: str) -> str:
        """The first present alternative of a definition, without its condition, and the absent ones before it."""
        return self._reason(parse(text), [])

    def _reason(self, node: Node, passed: list[str]) -> str:
        """passed: alternatives that are absent."""
        for option in node.options if isinstance(node, Alternatives) else (node,):
            shown_of = option.value if isinstance(option, Guarded) else option
            value = self.evaluate(option)
            if value is not None and isinstance(shown_of, Alternatives):
                return self._reason(shown_of, passed)
            if value is not None:
                absent = f" ({', '.join(passed)} absent)" if passed else ""
                default = " (class default)" if isinstance(shown_of, Word) and self._is_default(shown_of) else ""
                return f"{show(shown_of)} = {brief(value)}{default}{absent}"
            if not isinstance(option, Guarded) or self.evaluate(option.condition) is True:
                passed.append(show(shown_of))
        return f"{' and '.join(passed)} absent"

    def by_default(self, text: str) -> bool:
        """True if the alternative that applies here depends on a default of the class."""
        node = parse(text)
        options = node.options if isinstance(node, Alternatives) else (node,)
        chosen = next((option for option in options if self.evaluate(option) is not None), None)
        if chosen is None:
            return False
        value = chosen.value if isinstance(chosen, Guarded) else chosen
        read = [self.settings.read(tuple(key.split("."))) for key in self.keys_below(value)]
        return any(default and found is not None for found, default in read)

    def _is_default(self, word: Word) -> bool:
        if word.path[0] in self.symbols or word.path[0] in self.submodels:
            return False
        return self.settings.read(word.path)[1]
