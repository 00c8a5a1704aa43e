"""A config as the notation reads it: with the aliases of its keys and the defaults of its class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from inspector.algebra.values import Value

ClassDefaults = Callable[[str], "tuple[Mapping[str, Any], Mapping[str, str]]"]
"""Model type -> (defaults of its class, aliases of its keys); empty if the type is unknown."""


class Settings(Struct, frozen=True):
    """A config as the notation reads it: its keys, their aliases, and the defaults of the class.

    of_type: the defaults and aliases of a model type, for sub-configs that name theirs.
    known: False if there is no config; the stored names then decide the predicates.
    """

    values: Mapping[str, Any]
    defaults: Mapping[str, Any] = {}
    aliases: Mapping[str, str] = {}
    known: bool = True
    of_type: ClassDefaults | None = None

    def below(self, key: str, of: str = "") -> Settings:
        """The settings of a sub-config; empty if it is absent.

        A sub-config that is present has the defaults of the class of its own type, not those that the outer class has
        for it. A sub-config that states the outer type (older Qwen-VL towers) is an exception. of: the type to assume
        if the sub-config states no type, or one without a class, and the outer class has no default type.
        """
        own, default = self.values.get(key), self.defaults.get(key)
        values = own if isinstance(own, dict) else {}
        defaults: Mapping[str, Any] = default if isinstance(default, dict) else {}
        aliases: Mapping[str, str] = {}
        usual = (defaults.get("model_type") or of or None) if isinstance(own, dict) else None
        named = values.get("model_type", usual)
        if self.of_type is not None and isinstance(named, str) and named != self.values.get("model_type"):
            own_defaults, aliases = self.of_type(named)
            if not own_defaults and of:
                own_defaults, aliases = self.of_type(of)
            defaults = {**own_defaults, "model_type": named} if own_defaults else defaults
        return Settings(values, defaults, aliases, self.known, self.of_type)

    def at(self, path: str) -> Settings:
        """The settings of the sub-config at a path with dots; these for an empty one."""
        found = self
        for key in path.split(".") if path else ():
            found = found.below(key)
        return found

    def read(self, path: tuple[str, ...]) -> tuple[Value, bool]:
        """(value, True if it is the default of the class). Null in the config means absent, and no default replaces it.
        Only a null sub-config still has its defaults.

        If the key is null, the value under an alias of the key counts, as transformers sets both. A key may itself
        contain dots, such as those of detectron2's settings.
        """
        values: Any = self.values
        if len(path) > 1 and self.of_type is not None and isinstance(values.get(path[0]), dict):
            return self.below(path[0]).read(path[1:])
        for position, key in enumerate(path):
            if values is None:
                return self._default(path), True
            if not isinstance(values, dict | Mapping):
                return None, False
            other = self._alias(key, values) if position == 0 and values.get(key) is None else None
            if key not in values and other is None:
                dotted = ".".join(path[position:])
                if dotted in values:
                    return values[dotted], False
                return self._default(path), True
            values = values[key if other is None else other]
        return values, False

    def spelled(self, key: str) -> str:
        """The alias under which the config states a key; the key itself if it states neither."""
        return (self._alias(key, self.values) if self.values.get(key) is None else None) or key

    def _alias(self, key: str, values: Mapping[str, Any]) -> str | None:
        for spelling, target in self.aliases.items():
            if target == key and spelling in values:
                return spelling
        return None

    def _default(self, path: tuple[str, ...]) -> Value:
        values: Any = self.defaults
        for key in path:
            if not isinstance(values, Mapping) or key not in values:
                return None
            values = values[key]
        return values
