"""Describes in words the layers that a list of tensor names belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from inspector.algebra.span import Span

_LAYER: Final = r"(?:^|\.)(?:layers|layer|blocks|block|h)\.([0-9]{1,6})\."
_LONGEST: Final = 4096
"""Most characters of a name that are searched; real names have a tenth of it."""


def layers_of(names: Iterable[str]) -> str:
    """The layers as "24-31" or "0, 2, 4-28"; "" if the names contain no layer."""
    numbers = {int(found[1]) for name in names if (found := re.search(_LAYER, name[:_LONGEST]))}
    return Span.of(numbers).words()
