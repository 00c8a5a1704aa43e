"""What unpacking shows: the logical families, the helpers set apart, and what is wrong with modules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from inspector.algebra.boxes import Box, count, tuples
from inspector.algebra.names import name_of
from inspector.findings.types.modules import PackedModules
from inspector.loader.layout import Layout
from inspector.matcher.families import Families
from inspector.quantization.settings import NO_SETTINGS, QuantizationSettings

_MOST_GONE: Final = 10_000


class Helper(Struct, frozen=True):
    """Stored tensors that hold no parameters: scales, zero points, indices, quantization state.

    key: family of the tensors. of: family of the logical tensor they belong to, "" where there is none.
    """

    key: str
    layout: Layout
    boxes: tuple[Box, ...]
    tensors: int
    scheme: str
    of: str = ""


class ModuleProblem(Struct, frozen=True):
    """Something wrong with modules of one family: a finding that does not name the modules yet.

    key: family of the tensor in question, of: of the logical tensor.
    """

    finding: PackedModules
    key: str
    boxes: tuple[Box, ...]
    scheme: str = ""
    of: str = ""

    @property
    def tensors(self) -> int:
        """How many modules."""
        return count(self.boxes)


class Unpacked(Struct, frozen=True):
    """The families under their logical names, and what was taken from them.

    agreed: (key of a setting, field) -> modules whose shapes confirm it. schemes: scheme -> modules. gone: logical
    families of which the helpers are stored and the values are not, with the boxes. biased: families of biases that
    GPTQ tools add to any module.
    """

    families: Families
    helpers: tuple[Helper, ...] = ()
    cases: tuple[ModuleProblem, ...] = ()
    agreed: Mapping[tuple[str, str], int] = {}
    schemes: Mapping[str, int] = {}
    gone: Mapping[str, tuple[Box, ...]] = {}
    biased: frozenset[str] = frozenset()
    settings: QuantizationSettings = NO_SETTINGS

    def biases(self, prefix: str) -> frozenset[str]:
        """Such biases under the names of a reading that takes a prefix off."""
        return frozenset(key.removeprefix(prefix) for key in self.biased)

    def gone_names(self) -> list[str]:
        """Names of logical tensors without values, which are reported as that and not as missing."""
        boxes = [(key, box) for key, boxes in self.gone.items() for box in boxes if count([box]) <= _MOST_GONE]
        return [name_of(key, index) for key, box in boxes for index in tuples(box)]
