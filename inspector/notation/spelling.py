"""Names of rows as a framework spells them: templates with a `#` for each index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from inspector.notation.scope import Scope
from inspector.notation.slots import HOLE, OpaqueSlot, Slot


class Spelling(Struct, frozen=True):
    """How a framework spells canonical names: the prefix before the body, and the replacements of its dialect."""

    root: str
    dialect: int = 0
    submodels: Mapping[tuple[str, ...], int] = {}

    def spelled(self, slot: Slot | OpaqueSlot, scope: Scope) -> str:
        """The template of a slot's name in this spelling."""
        path = slot.path
        number = self.submodels.get(slot.scope, 0) if isinstance(slot, Slot) and slot.scope else 0
        if number and isinstance(slot, Slot):
            inner = slot.inner_path
            path = path[: len(path) - len(inner)] + respelled(inner, slot.definition.dialects[number])
        if slot.body:
            path = self.root + path
        return respelled(path, scope.definition.dialects[self.dialect]) if self.dialect else path


def respelled(path: str, dialect: Mapping[str, str]) -> str:
    """A canonical name in a dialect: the longest matching prefix is replaced, then the replacements apply anywhere."""
    fitting = [prefix for prefix in dialect if not prefix.startswith("*") and path.startswith(prefix)]
    if fitting:
        longest = max(fitting, key=len)
        path = dialect[longest] + path[len(longest) :]
    for anywhere, replacement in dialect.items():
        if anywhere.startswith("*"):
            path = path.replace(anywhere[1:], replacement)
    return path


def rivals_of(slots: Iterable[Slot], scope: Scope, spelling: Spelling) -> list[list[Slot]]:
    """Groups of conditional rows that have the same name, among which a config chooses."""
    found: dict[tuple[str, tuple[str, ...]], list[Slot]] = {}
    for slot in slots:
        if slot.whens:
            found.setdefault((spelling.spelled(slot, scope), slot.scope), []).append(slot)
    return [rivals for rivals in found.values() if len(rivals) > 1]


_NUMERIC = re.compile(r"0|[1-9][0-9]{0,5}", re.ASCII)


Axis = str | int


_TEMPLATES: dict[str, tuple[str, tuple[Axis, ...]]] = {}


def template(path: str) -> tuple[str, tuple[Axis, ...]]:
    """A spelled path as (key, axes): '#' for every segment that is a hole or a number."""
    if path not in _TEMPLATES:
        axes: list[Axis] = []
        segments = []
        for segment in path.split("."):
            match = HOLE.fullmatch(segment)
            if match or _NUMERIC.fullmatch(segment):
                axes.append(match.group(1) if match else int(segment))
                segment = "#"
            segments.append(segment)
        _TEMPLATES[path] = (".".join(segments), tuple(axes))
    return _TEMPLATES[path]
