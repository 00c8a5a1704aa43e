"""Modules that a base lacks only because PEFT's prefix is before the name of the component.

PEFT puts it there where a whole pipeline was wrapped; diffusers looks for the names of the component at their beginning
(`load_lora_weights`; measured with 0.42: it finds none, and only warns).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspector.adapters.names import PREFIX


def prefix_around(names: Sequence[str], modules: Mapping[str, Any], plain: Callable[[str], str]) -> str:
    """PEFT's prefix, if each name is that of a component of the base and of a module in it; "" otherwise.

    modules: component -> its modules, in the spelling of `plain`.
    """
    parts = [name.partition(".") for name in names]
    inside = all(part and plain(rest) in modules.get(part, ()) for part, _, rest in parts)
    return PREFIX if names and inside else ""
