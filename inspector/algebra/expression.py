"""The expression language of architecture definitions: one grammar for dims, predicates, guards and extents.

    alternatives = guarded { "|" guarded }            guarded = range [ "when" or ]
    range   = [or] [ ":" [or] [ ":" or ] ]            or = and { "or" and }      and = not { "and" not }
    not     = "not" not | sum [ ("=="|"!="|"<"|"<="|">"|">="|"in"|"not in") sum ]
    sum     = product { ("+"|"-"|"&") product }       product = power { ("*"|"/"|"//"|"%") power }
    power   = postfix [ "**" power ]                  postfix = atom { "[" range "]" { "." word } }
    atom    = number | 'text' | word{.word} | word "(" alternatives {"," alternatives} ")"
            | "{" word "}" | "(" alternatives ")"
    words with a meaning: when and or not in true false null, and the names of FUNCTIONS

Parsing gives a tree of plain records; `inspector.algebra.evaluation` evaluates it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from msgspec import Struct

FUNCTIONS = frozenset(
    {"len", "max", "min", "prod", "ceil", "floor", "folds", "log2", "number", "numbers", "primes", "same", "within"}
)
RESERVED = frozenset({"when", "and", "or", "not", "in", "true", "false", "null"}) | FUNCTIONS
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "in", "not in"})


class ExpressionError(ValueError):
    """An expression with a syntax error; the message points at the position."""


class Literal(Struct, frozen=True, eq=False):
    """A number, a text, true, false or null. Compared by identity: 1, 1.0 and true are different literals."""

    value: int | float | str | bool | None


class Word(Struct, frozen=True, cache_hash=True):
    """A symbol, a config key, or a dotted path into a sub-config or a submodel definition."""

    path: tuple[str, ...]


class Hole(Struct, frozen=True, cache_hash=True):
    """`{L}`: the current index in the extent of a hole."""

    name: str


class Call(Struct, frozen=True, cache_hash=True):
    """One of the functions."""

    name: str
    arguments: tuple[Node, ...]


class Binary(Struct, frozen=True, cache_hash=True):
    """Arithmetic, comparison, `and`, `or`."""

    operator: str
    left: Node
    right: Node


class Not(Struct, frozen=True, cache_hash=True):
    """`not p`."""

    operand: Node


class Alternatives(Struct, frozen=True, cache_hash=True):
    """`a | b | c`: the first that is present."""

    options: tuple[Node, ...]


class Guarded(Struct, frozen=True, cache_hash=True):
    """`x when p`: x if p holds, else absent."""

    value: Node
    condition: Node


class Slice(Struct, frozen=True, cache_hash=True):
    """`a : b : s`; inside a bracket by position, outside a range of indices."""

    start: Node | None
    stop: Node | None
    step: Node | None


class Bracket(Struct, frozen=True, cache_hash=True):
    """`x[...]` followed by `.field` words: a slice, filter or index, depending on the inner part."""

    base: Node
    inner: Node
    fields: tuple[str, ...] = ()


Node = Literal | Word | Hole | Call | Binary | Not | Alternatives | Guarded | Slice | Bracket

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+\.\d+|\d+)|(?P<text>'[^']*')|(?P<word>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<sign>\*\*|//|==|!=|<=|>=|[-+*/%&|:()\[\]{}.,<>]))"
)
_PRECEDENCE: tuple[tuple[str, ...], ...] = (("+", "-", "&"), ("*", "/", "//", "%"))


class _Parser(Struct):
    """The parser's position in a text."""

    text: str
    tokens: list[tuple[str, int]]
    position: int = 0

    def fail(self, expected: str) -> ExpressionError:
        token, column = self.tokens[self.position]
        found = repr(token) if token else "the end"
        return ExpressionError(f"expected {expected}, found {found}\n  {self.text}\n  {' ' * column}^")

    def peek(self) -> str:
        return self.tokens[self.position][0]

    def take(self) -> str:
        token = self.peek()
        self.position += 1
        return token

    def accept(self, *tokens: str) -> str | None:
        return self.take() if self.peek() in tokens else None

    def expect(self, token: str) -> None:
        if self.accept(token) is None:
            raise self.fail(repr(token))

    def alternatives(self) -> Node:
        options = [self.guarded()]
        while self.accept("|"):
            options.append(self.guarded())
        return options[0] if len(options) == 1 else Alternatives(tuple(options))

    def guarded(self) -> Node:
        value = self.range()
        return Guarded(value, self.either()) if self.accept("when") else value

    def range(self) -> Node:
        start = None if self.peek() == ":" else self.either()
        if not self.accept(":"):
            if start is None:
                raise self.fail("an expression")
            return start
        stop = None if self.peek() in (":", "]", ")", "") else self.either()
        step = self.either() if self.accept(":") else None
        return Slice(start, stop, step)

    def either(self) -> Node:
        left = self.both()
        while self.accept("or"):
            left = Binary("or", left, self.both())
        return left

    def both(self) -> Node:
        left = self.negation()
        while self.accept("and"):
            left = Binary("and", left, self.negation())
        return left

    def negation(self) -> Node:
        if self.accept("not"):
            return Not(self.negation())
        left = self.chain(0)
        operator = self.accept("==", "!=", "<", "<=", ">", ">=", "in")
        if operator is None and self.peek() == "not" and self.tokens[self.position + 1][0] == "in":
            self.position += 2
            operator = "not in"
        return Binary(operator, left, self.chain(0)) if operator else left

    def chain(self, level: int) -> Node:
        if level == len(_PRECEDENCE):
            return self.power()
        left = self.chain(level + 1)
        while operator := self.accept(*_PRECEDENCE[level]):
            left = Binary(operator, left, self.chain(level + 1))
        return left

    def power(self) -> Node:
        base = self.postfix()
        return Binary("**", base, self.power()) if self.accept("**") else base

    def postfix(self) -> Node:
        node = self.atom()
        while self.accept("["):
            inner = self.range()
            self.expect("]")
            node = Bracket(node, inner, tuple(self.fields()))
        return node

    def fields(self) -> Iterator[str]:
        while self.accept("."):
            yield self.name()

    def name(self) -> str:
        if not self.peek().isidentifier() or self.peek() in RESERVED:
            raise self.fail("a name")
        return self.take()

    def atom(self) -> Node:
        token = self.peek()
        if token[:1].isdigit():
            self.take()
            return Literal(float(token) if "." in token else int(token))
        if token.startswith("'"):
            return Literal(self.take()[1:-1])
        if self.accept("("):
            inner = self.alternatives()
            self.expect(")")
            return inner
        if self.accept("{"):
            hole = Hole(self.name())
            self.expect("}")
            return hole
        if token in ("true", "false", "null"):
            self.take()
            return Literal({"true": True, "false": False, "null": None}[token])
        if token in FUNCTIONS:
            return self.call()
        return Word((self.name(), *self.fields()))

    def call(self) -> Node:
        name = self.take()
        self.expect("(")
        arguments = [self.alternatives()]
        while self.accept(","):
            arguments.append(self.alternatives())
        self.expect(")")
        return Call(name, tuple(arguments))


def _tokens(text: str) -> list[tuple[str, int]]:
    tokens, position = [], 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None:
            raise ExpressionError(f"unreadable character\n  {text}\n  {' ' * position}^")
        tokens.append((match.group().strip(), match.end() - len(match.group().lstrip())))
        position = match.end()
    return [*tokens, ("", len(text)), ("", len(text))]


@cache
def parse(text: str) -> Node:
    """The tree of an expression. ExpressionError, with a caret at the position, for a syntax error."""
    parser = _Parser(text, _tokens(text))
    node = parser.alternatives()
    if parser.peek():
        raise parser.fail("the end")
    return node


def children(node: Node) -> tuple[Node, ...]:
    """The direct child nodes."""
    match node:
        case Call(_, arguments):
            return arguments
        case Binary(_, left, right):
            return (left, right)
        case Not(operand):
            return (operand,)
        case Alternatives(options):
            return options
        case Guarded(value, condition):
            return (value, condition)
        case Slice(start, stop, step):
            return tuple(part for part in (start, stop, step) if part is not None)
        case Bracket(base, inner, _):
            return (base, inner)
    return ()


def words(node: Node) -> Iterator[tuple[str, ...]]:
    """Every word path in a tree."""
    if isinstance(node, Word):
        yield node.path
    for child in children(node):
        yield from words(child)


def holes(node: Node) -> Iterator[str]:
    """Every hole named in a tree."""
    if isinstance(node, Hole):
        yield node.name
    for child in children(node):
        yield from holes(child)


def substitute(node: Node, renames: Mapping[str, Node]) -> Node:
    """The tree with words and holes replaced, all at once; a hole can only become another hole."""
    match node:
        case Word(path):
            replacement = renames.get(path[0])
            if replacement is None:
                return node
            if len(path) == 1:
                return replacement
            if isinstance(replacement, Word):
                return Word(replacement.path + path[1:])
            raise ExpressionError(f"'{'.'.join(path)}' cannot be renamed to an expression")
        case Hole(name):
            replacement = renames.get(name)
            if replacement is None:
                return node
            if isinstance(replacement, Word) and len(replacement.path) == 1:
                return Hole(replacement.path[0])
            raise ExpressionError(f"hole '{{{name}}}' can only be renamed to another hole")
        case Call(name, arguments):
            return Call(name, tuple(substitute(argument, renames) for argument in arguments))
        case Binary(operator, left, right):
            return Binary(operator, substitute(left, renames), substitute(right, renames))
        case Not(operand):
            return Not(substitute(operand, renames))
        case Alternatives(options):
            return Alternatives(tuple(substitute(option, renames) for option in options))
        case Guarded(value, condition):
            return Guarded(substitute(value, renames), substitute(condition, renames))
        case Slice(start, stop, step):
            return Slice(*(None if part is None else substitute(part, renames) for part in (start, stop, step)))
        case Bracket(base, inner, fields):
            return Bracket(substitute(base, renames), substitute(inner, renames), fields)
    return node


_STRENGTH = {"or": 1, "and": 2, **dict.fromkeys(COMPARISONS, 4)}
_STRENGTH |= {"+": 5, "-": 5, "&": 5, "*": 6, "/": 6, "//": 6, "%": 6, "**": 7}


def show(node: Node, strength: int = 0) -> str:
    """The tree as text: canonical spacing, only necessary brackets."""
    match node:
        case Literal(value):
            return (
                {True: "true", False: "false", None: "null"}.get(value, "")
                if value is None or isinstance(value, bool)
                else repr(value)
            )
        case Word(path):
            return ".".join(path)
        case Hole(name):
            return f"{{{name}}}"
        case Call(name, arguments):
            return f"{name}({', '.join(show(argument) for argument in arguments)})"
        case Binary(operator, left, right):
            own = _STRENGTH[operator]
            blank = "" if operator in ("*", "/", "//", "**") else " "
            text = f"{show(left, own)}{blank}{operator}{blank}{show(right, own + 1)}"
            return f"({text})" if own < strength else text
        case Not(operand):
            return f"not {show(operand, 3)}"
        case Alternatives(options):
            text = " | ".join(show(option) for option in options)
            return f"({text})" if strength else text
        case Guarded(value, condition):
            text = f"{show(value)} when {show(condition)}"
            return f"({text})" if strength else text
        case Slice(start, stop, step):
            parts = [show(part) if part is not None else "" for part in (start, stop)]
            return ":".join([*parts, show(step)] if step is not None else parts)
        case Bracket(base, inner, fields):
            return "".join([show(base, 8), "[", show(inner), "]", *(f".{field}" for field in fields)])
    raise AssertionError(node)
