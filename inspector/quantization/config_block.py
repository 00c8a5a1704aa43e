"""A block of quantization settings in a config. Values of any type are converted to the expected type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.quantization.stated import ModuleSettings
from inspector.quantization.targets import Entry, listed

MOST_ENTRIES: Final = 20_000
"""Most entries of one list or map that are read."""

Values = Mapping[str, Any]
IGNORE_LISTS: Final = ("modules_to_not_convert", "ignored_layers", "ignore", "exclude_modules",
                       "linear_weights_not_to_quantize", "skip_modules")  # fmt: skip
"""Keys for the list of unquantized modules, in all tools."""


class ConfigBlock(Struct, frozen=True):
    """Settings below one config key. method: the quantization method, None if unknown."""

    key: str
    values: Values
    method: str | None = None

    def integer(self, name: str) -> int | None:
        """An integer, which some tools write as text."""
        found = self.values.get(name)
        if isinstance(found, str) and found.lstrip("-").isdecimal() and len(found) < 9:
            return int(found)
        return found if isinstance(found, int) and not isinstance(found, bool) else None

    def text(self, name: str) -> str | None:
        """A string value."""
        found = self.values.get(name)
        return found if isinstance(found, str) else None

    def truth(self, name: str) -> bool | None:
        """A boolean value."""
        found = self.values.get(name)
        return found if isinstance(found, bool) else None

    def pair(self, *names: str) -> tuple[int, int] | None:
        """Two sizes: a list of two under one name, or one size under each of two names."""
        found = self.values.get(names[0]) if len(names) == 1 else [self.values.get(name) for name in names]
        if not isinstance(found, (list, tuple)) or len(found) != 2:
            return None
        first, second = (ConfigBlock("", {"size": size}).integer("size") for size in found)
        return (first, second) if first and second and first > 0 and second > 0 else None

    def inner(self, name: str) -> ConfigBlock:
        """The block below a name; empty if there is none."""
        found = self.values.get(name)
        return ConfigBlock(f"{self.key}.{name}", found if isinstance(found, Mapping) else {}, self.method)

    def blocks(self) -> Iterator[tuple[str, ConfigBlock]]:
        """Each name with the block below it; the block is empty if the value is not an object."""
        for name in list(self.values)[:MOST_ENTRIES]:
            yield str(name), self.inner(name)

    def module_settings(self, keys: Mapping[str, str] | None = None, **fields: Any) -> ModuleSettings:
        """Settings for modules. keys: field -> its key in this block."""
        below = {what: f"{self.key}.{name}" for what, name in (keys or {}).items()}
        return ModuleSettings(method=self.method, prefix=self.key, keys=below, **fields)

    def changing(self, base: ModuleSettings) -> ModuleSettings:
        """The base settings, changed by the bits and group size that this block states."""
        bits, size = self.integer("bits"), self.integer("group_size")
        own = {what: f"{self.key}.{what}" for what in ("bits", "group_size") if what in self.values}
        return replace(
            base,
            bits=base.bits if bits is None else bits,
            group_size=base.group_size if size is None else size,
            keys={**base.keys, **own},
        )

    def ignored(self, *names: str) -> tuple[Entry, ...]:
        """The entries of the lists of unquantized modules: under the given keys, else under any known key."""
        found: dict[str, None] = {}
        for name in names or IGNORE_LISTS:
            entries = self.values.get(name)
            if isinstance(entries, str):
                found[entries] = None
            elif isinstance(entries, (list, tuple)):
                found.update(dict.fromkeys(text for text in entries[:MOST_ENTRIES] if isinstance(text, str)))
        return tuple(listed(text) for text in found if text)
