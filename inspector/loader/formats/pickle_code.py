"""Reads a pickle as a program without executing it.

`pickletools` decodes the opcodes; the stack here builds a tree of plain values. What the program would import becomes a
`GlobalName`, what it would call a `PickledObject` with its arguments. Nothing is imported, called, opened or set.
Loops, memo and nesting are bounded.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from pickletools import genops
from typing import Any, Final

from inspector.budget import spend
from inspector.loader.formats.incremental import EndOfFile
from inspector.loader.formats.pickle_values import (
    COMPUTED,
    DICTS,
    EXTENSIONS,
    BadPickle,
    Blob,
    GlobalName,
    Persistent,
    Pickle,
    PickledObject,
    dict_of,
    put,
)

OPCODE_LIMIT: Final = 3_000_000
"""Most opcodes of one pickle; a tensor of a state dict takes about thirty."""
OPCODES_TOGETHER, OPCODES_A_STEP = 256, 4
CONTAINER_LIMIT: Final = 700_000
MEMO_LIMIT: Final = 800_000
STACK_LIMIT: Final = 200_000
NAME_LIMIT: Final = 1_024
"""Most bytes of the name of a module or class."""
NAMES_LIMIT: Final = 10_000
NUMBER_LIMIT: Final = 512
"""Most bytes of one integer with its opcode."""
TEXT_KEPT: Final = 4_096
"""Most characters of a text that is kept as a text."""
BYTES_KEPT: Final = 64


def read_pickle(data: bytes, start: int = 0, names: dict[GlobalName, int] | None = None) -> Pickle:
    """Reads the pickle that begins at `start`. Raises BadPickle, and EndOfFile if the data end before the pickle.

    names: filled with what the program would import -> position of the first import, even if reading fails later.
    """
    machine = _Machine({} if names is None else names)
    try:
        return machine.run(data, start)
    except BadPickle as bad:
        raise BadPickle(bad.problem, machine.position) from None
    except (IndexError, KeyError):
        raise BadPickle("pops from an empty stack", machine.position) from None


_CUT_OFF: Final = ("not enough data", "remain", "exhausted", "no newline")
"""Words in the decoder's messages for data that end inside an opcode."""


def _opcodes(data: bytes, start: int) -> Iterator[tuple[str, Any, int]]:
    """(name, argument, position) of each opcode. Raises EndOfFile at the end, BadPickle for an invalid pickle."""
    stream = io.BytesIO(data)
    stream.seek(start)
    try:
        for opcode, argument, position in genops(stream):
            yield opcode.name, argument, start if position is None else position
    except UnicodeDecodeError:
        raise BadPickle("has a string that is not UTF-8") from None
    except ValueError as problem:
        words = str(problem)
        if any(sign in words for sign in _CUT_OFF):
            raise EndOfFile(len(data)) from None
        raise BadPickle(f"contains an unknown opcode: {words[:200]}") from None


class _Machine:
    """The state of one run. position: that of the current opcode."""

    def __init__(self, names: dict[GlobalName, int]) -> None:
        self.position = 0
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, object] = {}
        self.names = names
        self.known: dict[tuple[str, str], GlobalName] = {}
        self.outside: list[Persistent] = []
        self.containers = self.protocol = 0

    def run(self, data: bytes, start: int) -> Pickle:
        self.position = start
        stack, opcodes = self.stack, set[str]()
        longest = len(data)
        for number, (name, argument, position) in enumerate(_opcodes(data, start)):
            if position - self.position > longest:
                raise BadPickle(f"has an integer of {position - self.position:,} bytes")
            self.position = position
            opcodes.add(name)
            longest = NUMBER_LIMIT if name in _INTEGERS else len(data)
            if not number % OPCODES_TOGETHER:
                spend(OPCODES_TOGETHER // OPCODES_A_STEP, "the pickle")
            if number > OPCODE_LIMIT:
                raise BadPickle(f"has more than {OPCODE_LIMIT:,} opcodes")
            if name == "STOP":
                if not stack:
                    raise BadPickle("ends with an empty stack")
                return Pickle(stack[-1], self.names, position + 1, opcodes, self.protocol, self.outside)
            if name in _CONSTANTS:
                stack.append(_CONSTANTS[name])
            else:
                _EFFECTS[name](self, argument)
            if len(stack) > STACK_LIMIT:
                raise BadPickle(f"has more than {STACK_LIMIT:,} values on its stack")
        raise EndOfFile(len(data))

    def _new(self) -> None:
        self.containers += 1
        if self.containers > CONTAINER_LIMIT:
            raise BadPickle(f"builds more than {CONTAINER_LIMIT:,} containers")

    def _push(self, container: object) -> None:
        self._new()
        self.stack.append(container)

    def _cut(self) -> list[Any]:
        """Removes the values above the last mark from the stack and returns them."""
        if not self.marks or self.marks[-1] > len(self.stack):
            raise BadPickle("has no mark to pop to")
        mark = self.marks.pop()
        taken = self.stack[mark:]
        del self.stack[mark:]
        return taken

    def _pop(self) -> Any:
        if self.marks and len(self.stack) <= self.marks[-1]:
            raise BadPickle("pops below a mark")
        return self.stack.pop()

    def _top(self) -> Any:
        if not self.stack:
            raise BadPickle("pops from an empty stack")
        return self.stack[-1]

    # plain values

    def proto(self, version: int) -> None:
        if version > 5:
            raise BadPickle("states a protocol above 5")
        self.protocol = version

    def nothing(self, _: object) -> None:
        """Ignores an opcode: FRAME states the length of a frame, which no value depends on."""

    def mark(self, _: object) -> None:
        self.marks.append(len(self.stack))
        if len(self.marks) > STACK_LIMIT:
            raise BadPickle(f"has more than {STACK_LIMIT:,} marks")

    def pop(self, _: object) -> None:
        if self.marks and len(self.stack) == self.marks[-1]:
            self.marks.pop()
        else:
            self.stack.pop()

    def pop_mark(self, _: object) -> None:
        self._cut()

    def duplicate(self, _: object) -> None:
        self.stack.append(self._top())

    def number(self, value: float) -> None:
        self.stack.append(value)

    def text(self, value: str) -> None:
        self.stack.append(Blob(len(value)) if len(value) > TEXT_KEPT else value)

    def binary(self, value: bytes) -> None:
        self.stack.append(Blob(len(value)) if len(value) > BYTES_KEPT else bytes(value))

    def buffer(self, _: object) -> None:
        self.stack.append(Blob(0))

    def read_only(self, _: object) -> None:
        self._top()

    # containers

    def empty_dict(self, _: object) -> None:
        self._push({})

    def empty_list(self, _: object) -> None:
        self._push([])

    def list_of(self, _: object) -> None:
        self._push(self._cut())

    def tuple_of(self, _: object) -> None:
        self._push(tuple(self._cut()))

    def tuple1(self, _: object) -> None:
        self._push((self._pop(),))

    def tuple2(self, _: object) -> None:
        second, first = self._pop(), self._pop()
        self._push((first, second))

    def tuple3(self, _: object) -> None:
        third, second, first = self._pop(), self._pop(), self._pop()
        self._push((first, second, third))

    def dict_of(self, _: object) -> None:
        made: dict[Any, object] = {}
        put(made, self._cut())
        self._push(made)

    def append(self, _: object) -> None:
        self._extend([self._pop()])

    def appends(self, _: object) -> None:
        self._extend(self._cut())

    def _extend(self, values: list[Any]) -> None:
        target = self._top()
        if isinstance(target, list):
            target.extend(values)
        elif isinstance(target, PickledObject):
            if target.members is None:
                self._new()
                target.members = []
            target.members.extend(values)

    def set_item(self, _: object) -> None:
        value, key = self._pop(), self._pop()
        self._put([key, value])

    def set_items(self, _: object) -> None:
        self._put(self._cut())

    def _put(self, pairs: list[Any]) -> None:
        target = self._top()
        if isinstance(target, PickledObject):
            if target.entries is None:
                self._new()
                target.entries = {}
            target = target.entries
        if isinstance(target, dict):
            put(target, pairs)

    # memo

    def put(self, key: int) -> None:
        self.memo[key] = self._top()
        if len(self.memo) > MEMO_LIMIT:
            raise BadPickle(f"memoizes more than {MEMO_LIMIT:,} values")

    def memoize(self, _: object) -> None:
        self.put(len(self.memo))

    def get(self, key: int) -> None:
        self.stack.append(self.memo[key])

    # opcodes that would run code

    def _named(self, module: str, name: str) -> GlobalName:
        if len(name) + len(module) > NAME_LIMIT:
            raise BadPickle(f"has a name of more than {NAME_LIMIT:,} characters")
        found = self.known.get((module, name))
        if found is None:
            if len(self.known) >= NAMES_LIMIT:
                raise BadPickle(f"has more than {NAMES_LIMIT:,} imports")
            found = self.known[module, name] = GlobalName(module, name)
            self.names.setdefault(found, self.position)
        return found

    def imported(self, argument: str) -> None:
        module, _, name = argument.partition(" ")  # as pickletools joins the two lines
        self.stack.append(self._named(module, name))

    def stack_imported(self, _: object) -> None:
        name, module = self._pop(), self._pop()
        if not (isinstance(name, str) and isinstance(module, str)):
            texts = [part if isinstance(part, str) else "?" for part in (module, name)]
            module, name = COMPUTED, ".".join(texts)
        self.stack.append(self._named(module, name))

    def extension(self, code: int) -> None:
        self.stack.append(self._named(EXTENSIONS, str(code)))

    def _made(self, of: object, arguments: object) -> object:
        self._new()
        if isinstance(of, GlobalName) and (of.module, of.name) in DICTS:
            return dict_of(of, arguments)
        return PickledObject(of, arguments)

    def reduce(self, _: object) -> None:
        arguments, of = self._pop(), self._pop()
        self.stack.append(self._made(of, arguments))

    def new_object_with_keywords(self, _: object) -> None:
        keywords, arguments, of = self._pop(), self._pop(), self._pop()
        self.stack.append(self._made(of, (arguments, keywords)))

    def instance(self, argument: str) -> None:
        module, _, name = argument.partition(" ")
        of = self._named(module, name)
        self.stack.append(self._made(of, tuple(self._cut())))

    def object_of(self, _: object) -> None:
        parts = self._cut()
        self.stack.append(self._made(parts[0], tuple(parts[1:])))

    def build(self, _: object) -> None:
        state = self._pop()
        target = self._top()
        if isinstance(target, PickledObject):
            target.state = state
        elif isinstance(target, GlobalName):  # this would change the imported object for the whole process
            self._named(target.module, f"{target.name}.__setstate__")

    def persistent(self, key: object) -> None:
        self.outside.append(Persistent(key))
        self._push(self.outside[-1])

    def persistent_of_stack(self, _: object) -> None:
        self.persistent(self._pop())


_INTEGERS: Final = frozenset({"INT", "LONG", "LONG1", "LONG4"})
_CONSTANTS: Final[Mapping[str, object]] = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
_EFFECTS: Final[Mapping[str, Callable[[_Machine, Any], None]]] = {
    name: effect
    for names, effect in (
        ("PROTO", _Machine.proto),
        ("FRAME", _Machine.nothing),
        ("MARK", _Machine.mark),
        ("POP", _Machine.pop),
        ("POP_MARK", _Machine.pop_mark),
        ("DUP", _Machine.duplicate),
        ("INT LONG BININT BININT1 BININT2 LONG1 LONG4 FLOAT BINFLOAT", _Machine.number),
        ("STRING UNICODE BINSTRING SHORT_BINSTRING BINUNICODE SHORT_BINUNICODE BINUNICODE8", _Machine.text),
        ("SHORT_BINBYTES BINBYTES BINBYTES8 BYTEARRAY8", _Machine.binary),
        ("NEXT_BUFFER", _Machine.buffer),
        ("READONLY_BUFFER", _Machine.read_only),
        ("EMPTY_DICT", _Machine.empty_dict),
        ("EMPTY_LIST EMPTY_SET", _Machine.empty_list),
        ("LIST FROZENSET", _Machine.list_of),
        ("TUPLE", _Machine.tuple_of),
        ("TUPLE1", _Machine.tuple1),
        ("TUPLE2", _Machine.tuple2),
        ("TUPLE3", _Machine.tuple3),
        ("DICT", _Machine.dict_of),
        ("APPEND", _Machine.append),
        ("APPENDS ADDITEMS", _Machine.appends),
        ("SETITEM", _Machine.set_item),
        ("SETITEMS", _Machine.set_items),
        ("PUT BINPUT LONG_BINPUT", _Machine.put),
        ("MEMOIZE", _Machine.memoize),
        ("GET BINGET LONG_BINGET", _Machine.get),
        ("GLOBAL", _Machine.imported),
        ("STACK_GLOBAL", _Machine.stack_imported),
        ("EXT1 EXT2 EXT4", _Machine.extension),
        ("REDUCE NEWOBJ", _Machine.reduce),
        ("NEWOBJ_EX", _Machine.new_object_with_keywords),
        ("INST", _Machine.instance),
        ("OBJ", _Machine.object_of),
        ("BUILD", _Machine.build),
        ("PERSID", _Machine.persistent),
        ("BINPERSID", _Machine.persistent_of_stack),
    )
    for name in names.split()
}
"""Opcodes by the names that pickletools gives them."""
