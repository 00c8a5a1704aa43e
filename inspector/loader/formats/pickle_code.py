"""A pickle read as what it is, a program, without doing what it says.

An own machine goes through the opcodes and builds a tree of plain values. What the program would import is
written down as a `Name`, what it would call as a `Made` with its arguments: nothing is imported, called,
opened or set. Loops, memo and nesting are bounded. Source: CPython's Lib/pickletools.py, protocols 0 to 5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from struct import Struct
from typing import Any, Final

from inspector.loader.formats.incremental import Ended

OPCODE_LIMIT: Final = 3_000_000
"""Opcodes of one pickle; a tensor of a state dict takes about thirty."""
CONTAINER_LIMIT: Final = 700_000
MEMO_LIMIT: Final = 800_000
STACK_LIMIT: Final = 200_000
NAME_LIMIT: Final = 1_024
"""Bytes of the name of a module or class."""
NAMES_LIMIT: Final = 10_000
NUMBER_LIMIT: Final = 255
"""Bytes of one integer."""
TEXT_KEPT: Final = 4_096
"""Characters of a text that is kept as one."""


@dataclass(frozen=True, slots=True)
class Name:
    """Something that the program would import."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(frozen=True, slots=True)
class Persistent:
    """What the writer keeps outside of the pickle, by the id it gave."""

    key: object


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes or a long text that were not kept."""

    length: int


@dataclass(slots=True, eq=False)
class Made:
    """What a call would return: of what, with which arguments, and what was put into it afterwards."""

    of: object
    arguments: object
    state: object = None
    entries: dict[Any, object] | None = None
    members: list[object] | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a pickle cannot be read, and where in it."""

    problem: str
    position: int


@dataclass(frozen=True, slots=True)
class Pickle:
    """A whole pickle. names: what it would import -> where it first says so. end: position behind it."""

    value: object
    names: Mapping[Name, int]
    end: int


class _Wrong(Exception):
    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


_DICTS: Final = frozenset({("collections", "OrderedDict"), ("collections", "defaultdict"), ("builtins", "dict"),
                           ("__builtin__", "dict"), ("collections", "Counter")})  # fmt: skip


def read_pickle(data: bytes, start: int = 0) -> Pickle | Fault:
    """Reads the pickle that begins at `start`. Raises Ended where the data stop before the pickle does."""
    machine = _Machine(data, start)
    try:
        return machine.run()
    except _Wrong as wrong:
        return Fault(wrong.problem, machine.began)
    except (IndexError, KeyError):
        return Fault("takes what is not there", machine.began)


class _Machine:
    """The state of one run. Opcodes are methods; `at` stands behind the opcode."""

    def __init__(self, data: bytes, start: int) -> None:
        self.data, self.at, self.began = data, start, start
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, object] = {}
        self.names: dict[Name, int] = {}
        self.known: dict[tuple[str, str], Name] = {}
        self.containers = 0

    def run(self) -> Pickle:
        data, stack = self.data, self.stack
        length = len(data)
        methods = [_METHODS.get(code) for code in range(256)]
        for _ in range(OPCODE_LIMIT):
            at = self.at
            if at >= length:
                raise Ended(at)
            code = data[at]
            self.began, self.at = at, at + 1
            if code == 0x2E:  # STOP
                if not stack:
                    raise _Wrong("ends with nothing on its stack")
                return Pickle(stack[-1], self.names, self.at)
            method = methods[code]
            if method is None:
                raise _Wrong(f"holds no opcode of pickle at all: byte {code:#04x}")
            method(self)
            if len(stack) > STACK_LIMIT:
                raise _Wrong(f"has more than {STACK_LIMIT:,} values on its stack")
        raise _Wrong(f"has more than {OPCODE_LIMIT:,} opcodes")

    # arguments

    def _bytes(self, length: int) -> bytes:
        at = self.at
        end = at + length
        if end > len(self.data):
            raise Ended(len(self.data))
        self.at = end
        return self.data[at:end]

    def _number(self, length: int) -> int:
        return int.from_bytes(self._bytes(length), "little")

    def _line(self, most: int) -> bytes:
        stop = self.data.find(b"\n", self.at, self.at + most + 1)
        if stop < 0:
            if len(self.data) - self.at <= most:
                raise Ended(len(self.data))
            raise _Wrong(f"has a line of more than {most:,} bytes")
        line = self.data[self.at : stop]
        self.at = stop + 1
        return line

    def _decimal(self) -> int:
        line = self._line(NUMBER_LIMIT * 2).rstrip(b"L")
        try:
            return int(line)
        except ValueError:
            raise _Wrong("has a number that is none") from None

    def _new(self) -> None:
        self.containers += 1
        if self.containers > CONTAINER_LIMIT:
            raise _Wrong(f"makes more than {CONTAINER_LIMIT:,} containers")

    def _cut(self) -> list[Any]:
        """What stands above the last mark, taken off the stack."""
        if not self.marks:
            raise _Wrong("looks for a mark that is not there")
        mark = self.marks.pop()
        if mark > len(self.stack):
            raise _Wrong("looks for a mark that is not there")
        taken = self.stack[mark:]
        del self.stack[mark:]
        return taken

    def _pop(self) -> Any:
        if self.marks and len(self.stack) <= self.marks[-1]:
            raise _Wrong("takes what lies below a mark")
        return self.stack.pop()

    def _top(self) -> Any:
        if not self.stack:
            raise _Wrong("takes what is not there")
        return self.stack[-1]

    # plain values

    def proto(self) -> None:
        if self._number(1) > 5:
            raise _Wrong("says a protocol above 5")

    def frame(self) -> None:
        self._bytes(8)

    def mark(self) -> None:
        self.marks.append(len(self.stack))
        if len(self.marks) > STACK_LIMIT:
            raise _Wrong(f"has more than {STACK_LIMIT:,} marks")

    def pop(self) -> None:
        if self.marks and len(self.stack) == self.marks[-1]:
            self.marks.pop()
        else:
            self.stack.pop()

    def pop_mark(self) -> None:
        self._cut()

    def duplicate(self) -> None:
        self.stack.append(self._top())

    def none(self) -> None:
        self.stack.append(None)

    def true(self) -> None:
        self.stack.append(True)

    def false(self) -> None:
        self.stack.append(False)

    def integer_line(self) -> None:
        if self.data[self.at : self.at + 3] in (b"00\n", b"01\n"):
            self.stack.append(self._line(3) == b"01")
        else:
            self.stack.append(self._decimal())

    def long_line(self) -> None:
        self.stack.append(self._decimal())

    def integer4(self) -> None:
        self.stack.append(int.from_bytes(self._bytes(4), "little", signed=True))

    def integer1(self) -> None:
        self.stack.append(self._number(1))

    def integer2(self) -> None:
        self.stack.append(self._number(2))

    def long1(self) -> None:
        self.stack.append(int.from_bytes(self._bytes(self._number(1)), "little", signed=True))

    def long4(self) -> None:
        length = self._number(4)
        if length > NUMBER_LIMIT:
            raise _Wrong(f"has an integer of {length:,} bytes")
        self.stack.append(int.from_bytes(self._bytes(length), "little", signed=True))

    def float_line(self) -> None:
        try:
            self.stack.append(float(self._line(64)))
        except ValueError:
            raise _Wrong("has a number that is none") from None

    def float8(self) -> None:
        self.stack.append(_DOUBLE.unpack(self._bytes(8))[0])

    def _text(self, length: int) -> None:
        raw = self._bytes(length)
        self.stack.append(Blob(length) if length > TEXT_KEPT else raw.decode("utf-8", "backslashreplace"))

    def _blob(self, length: int) -> None:
        raw = self._bytes(length)
        self.stack.append(Blob(length) if length > 64 else raw)

    def string_line(self) -> None:
        line = self._line(TEXT_KEPT)
        if len(line) < 2 or line[:1] != line[-1:] or line[:1] not in (b"'", b'"'):
            raise _Wrong("has a text without quotes")
        self.stack.append(line[1:-1].decode("utf-8", "backslashreplace"))

    def unicode_line(self) -> None:
        self.stack.append(self._line(TEXT_KEPT).decode("utf-8", "backslashreplace"))

    def string4(self) -> None:
        self._text(self._number(4))

    def string1(self) -> None:
        self._text(self._number(1))

    def string8(self) -> None:
        self._text(self._number(8))

    def bytes1(self) -> None:
        self._blob(self._number(1))

    def bytes4(self) -> None:
        self._blob(self._number(4))

    def bytes8(self) -> None:
        self._blob(self._number(8))

    def buffer(self) -> None:
        self.stack.append(Blob(0))

    def read_only(self) -> None:
        self._top()

    # containers

    def empty_dict(self) -> None:
        self._new()
        self.stack.append({})

    def empty_list(self) -> None:
        self._new()
        self.stack.append([])

    def empty_tuple(self) -> None:
        self.stack.append(())

    def list_of(self) -> None:
        self._new()
        self.stack.append(self._cut())

    def tuple_of(self) -> None:
        self._new()
        self.stack.append(tuple(self._cut()))

    def frozen_set(self) -> None:
        self.list_of()

    def tuple1(self) -> None:
        self._new()
        self.stack.append((self._pop(),))

    def tuple2(self) -> None:
        self._new()
        second, first = self._pop(), self._pop()
        self.stack.append((first, second))

    def tuple3(self) -> None:
        self._new()
        third, second, first = self._pop(), self._pop(), self._pop()
        self.stack.append((first, second, third))

    def dict_of(self) -> None:
        self._new()
        pairs = self._cut()
        made: dict[Any, object] = {}
        _put(made, pairs)
        self.stack.append(made)

    def append(self) -> None:
        value = self._pop()
        self._extend([value])

    def appends(self) -> None:
        self._extend(self._cut())

    def _extend(self, values: list[Any]) -> None:
        target = self._top()
        if isinstance(target, list):
            target.extend(values)
        elif isinstance(target, Made):
            if target.members is None:
                self._new()
                target.members = []
            target.members.extend(values)

    def set_item(self) -> None:
        value, key = self._pop(), self._pop()
        self._put([key, value])

    def set_items(self) -> None:
        self._put(self._cut())

    def _put(self, pairs: list[Any]) -> None:
        target = self._top()
        if isinstance(target, Made):
            if target.entries is None:
                self._new()
                target.entries = {}
            target = target.entries
        if isinstance(target, dict):
            _put(target, pairs)

    # memo

    def _remember(self, key: int) -> None:
        self.memo[key] = self._top()
        if len(self.memo) > MEMO_LIMIT:
            raise _Wrong(f"remembers more than {MEMO_LIMIT:,} values")

    def put_line(self) -> None:
        self._remember(self._decimal() & 0xFFFFFFFF)

    def put1(self) -> None:
        self._remember(self._number(1))

    def put4(self) -> None:
        self._remember(self._number(4))

    def memoize(self) -> None:
        self._remember(len(self.memo))

    def get_line(self) -> None:
        self.stack.append(self.memo[self._decimal() & 0xFFFFFFFF])

    def get1(self) -> None:
        self.stack.append(self.memo[self._number(1)])

    def get4(self) -> None:
        self.stack.append(self.memo[self._number(4)])

    # what would run

    def _named(self, module: str, name: str) -> Name:
        found = self.known.get((module, name))
        if found is None:
            if len(self.known) >= NAMES_LIMIT:
                raise _Wrong(f"names more than {NAMES_LIMIT:,} things to import")
            found = self.known[module, name] = Name(module, name)
            self.names[found] = self.began
        return found

    def imported(self) -> None:
        module = self._line(NAME_LIMIT).decode("utf-8", "backslashreplace")
        name = self._line(NAME_LIMIT).decode("utf-8", "backslashreplace")
        self.stack.append(self._named(module, name))

    def stack_imported(self) -> None:
        name, module = self._pop(), self._pop()
        if not (isinstance(name, str) and isinstance(module, str)) or len(name) + len(module) > NAME_LIMIT:
            raise _Wrong("imports something whose name is no text")
        self.stack.append(self._named(module, name))

    def _extension(self, length: int) -> None:
        self.stack.append(self._named("copyreg", f"extension {self._number(length)}"))

    def extension1(self) -> None:
        self._extension(1)

    def extension2(self) -> None:
        self._extension(2)

    def extension4(self) -> None:
        self._extension(4)

    def _made(self, of: object, arguments: object) -> object:
        self._new()
        if isinstance(of, Name) and (of.module, of.name) in _DICTS:
            made: dict[Any, object] = {}
            if of.name != "defaultdict" and isinstance(arguments, tuple) and arguments:
                first = arguments[0]
                pairs = first if isinstance(first, list) else []
                for pair in pairs:
                    if isinstance(pair, list | tuple) and len(pair) == 2:
                        _put(made, [*pair])
            return made
        return Made(of, arguments)

    def reduce(self) -> None:
        arguments, of = self._pop(), self._pop()
        self.stack.append(self._made(of, arguments))

    def new_object_with_keywords(self) -> None:
        keywords, arguments, of = self._pop(), self._pop(), self._pop()
        self.stack.append(self._made(of, (arguments, keywords)))

    def instance(self) -> None:
        module = self._line(NAME_LIMIT).decode("utf-8", "backslashreplace")
        name = self._line(NAME_LIMIT).decode("utf-8", "backslashreplace")
        of = self._named(module, name)
        self.stack.append(self._made(of, tuple(self._cut())))

    def object_of(self) -> None:
        parts = self._cut()
        self.stack.append(self._made(parts[0], tuple(parts[1:])))

    def build(self) -> None:
        state = self._pop()
        target = self._top()
        if isinstance(target, Made):
            target.state = state

    def persistent_line(self) -> None:
        self._new()
        self.stack.append(Persistent(self._line(NAME_LIMIT).decode("utf-8", "backslashreplace")))

    def persistent(self) -> None:
        self._new()
        self.stack.append(Persistent(self._pop()))


def _put(target: dict[Any, object], pairs: list[Any]) -> None:
    """Enters pairs under the keys of a state dict: texts and small integers. Others could be made to collide."""
    if len(pairs) % 2:
        raise _Wrong("enters a key without a value")
    for at in range(0, len(pairs), 2):
        key = pairs[at]
        if type(key) is str or (type(key) is int and -(1 << 60) < key < 1 << 60):
            target[key] = pairs[at + 1]
        elif isinstance(key, Blob):
            raise _Wrong(f"has a key of {key.length:,} bytes")


_DOUBLE: Final = Struct(">d")
_METHODS: Final[dict[int, Callable[[_Machine], None]]] = {
    0x80: _Machine.proto,
    0x95: _Machine.frame,
    ord("("): _Machine.mark,
    ord("0"): _Machine.pop,
    ord("1"): _Machine.pop_mark,
    ord("2"): _Machine.duplicate,
    ord("N"): _Machine.none,
    0x88: _Machine.true,
    0x89: _Machine.false,
    ord("I"): _Machine.integer_line,
    ord("L"): _Machine.long_line,
    ord("J"): _Machine.integer4,
    ord("K"): _Machine.integer1,
    ord("M"): _Machine.integer2,
    0x8A: _Machine.long1,
    0x8B: _Machine.long4,
    ord("F"): _Machine.float_line,
    ord("G"): _Machine.float8,
    ord("S"): _Machine.string_line,
    ord("V"): _Machine.unicode_line,
    ord("T"): _Machine.string4,
    ord("U"): _Machine.string1,
    ord("X"): _Machine.string4,
    0x8C: _Machine.string1,
    0x8D: _Machine.string8,
    ord("C"): _Machine.bytes1,
    ord("B"): _Machine.bytes4,
    0x8E: _Machine.bytes8,
    0x96: _Machine.bytes8,
    0x97: _Machine.buffer,
    0x98: _Machine.read_only,
    ord("}"): _Machine.empty_dict,
    ord("]"): _Machine.empty_list,
    ord(")"): _Machine.empty_tuple,
    0x8F: _Machine.empty_list,
    ord("l"): _Machine.list_of,
    ord("t"): _Machine.tuple_of,
    0x91: _Machine.frozen_set,
    ord("d"): _Machine.dict_of,
    0x85: _Machine.tuple1,
    0x86: _Machine.tuple2,
    0x87: _Machine.tuple3,
    ord("a"): _Machine.append,
    ord("e"): _Machine.appends,
    0x90: _Machine.appends,
    ord("s"): _Machine.set_item,
    ord("u"): _Machine.set_items,
    ord("p"): _Machine.put_line,
    ord("q"): _Machine.put1,
    ord("r"): _Machine.put4,
    0x94: _Machine.memoize,
    ord("g"): _Machine.get_line,
    ord("h"): _Machine.get1,
    ord("j"): _Machine.get4,
    ord("c"): _Machine.imported,
    0x93: _Machine.stack_imported,
    0x82: _Machine.extension1,
    0x83: _Machine.extension2,
    0x84: _Machine.extension4,
    ord("R"): _Machine.reduce,
    0x81: _Machine.reduce,
    0x92: _Machine.new_object_with_keywords,
    ord("i"): _Machine.instance,
    ord("o"): _Machine.object_of,
    ord("b"): _Machine.build,
    ord("P"): _Machine.persistent_line,
    ord("Q"): _Machine.persistent,
}
