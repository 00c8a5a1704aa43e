"""The result of unpacking: logical families, helpers, and problems of modules."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import Box, count, tuples
from inspector.algebra.names import name_of
from inspector.findings.types.modules import PackedModules
from inspector.loader.layout import Layout
from inspector.matcher.families import Families
from inspector.quantization.settings import NO_SETTINGS, QuantizationSettings

_MOST_GONE: Final = 10_000


class Helper(Struct, frozen=True):
    """Stored tensors that are not parameters: scales, zero points, indices, quantization state.

    key: family of the tensors. of: family of their logical tensor; "" if there is none.
    """

    key: str
    layout: Layout
    boxes: tuple[Box, ...]
    tensors: int
    scheme: str
    of: str = ""


class ModuleProblem(Struct, frozen=True):
    """A problem of modules of one family: a finding without the names of the modules.

    key: family of the affected tensor. of: family of the logical tensor. missing: (finding, family) that replaces this
    problem if the definition has the weight.
    """

    finding: PackedModules
    key: str
    boxes: tuple[Box, ...]
    scheme: str = ""
    of: str = ""
    missing: tuple[PackedModules, str] | None = None

    @property
    def tensors(self) -> int:
        """Number of modules."""
        return count(self.boxes)


class Unpacked(Struct, frozen=True):
    """The families under their logical names, and the helpers and problems that were separated from them.

    agreed: (key of a setting, field) -> modules with shapes that confirm it. schemes: scheme -> modules.
    without_values: logical families with stored helpers and missing values, with the boxes. biased: families of
    biases that GPTQ tools add to any module.
    """

    families: Families
    helpers: tuple[Helper, ...] = ()
    cases: tuple[ModuleProblem, ...] = ()
    agreed: Mapping[tuple[str, str], int] = {}
    schemes: Mapping[str, int] = {}
    without_values: Mapping[str, tuple[Box, ...]] = {}
    biased: frozenset[str] = frozenset()
    settings: QuantizationSettings = NO_SETTINGS

    def judged_by(self, expected: Container[str]) -> Unpacked:
        """The result with undecided problems decided. expected: logical families of the definition."""
        return replace(self, cases=tuple(_decided(case, expected) for case in self.cases))

    def biases(self, prefix: str) -> frozenset[str]:
        """The biases under the names of a reading, which may remove a prefix."""
        return frozenset(key.removeprefix(prefix) for key in self.biased)

    def names_without_values(self) -> list[str]:
        """Names of logical tensors without values, which are reported as such and not as missing."""
        boxes = [
            (key, box) for key, boxes in self.without_values.items() for box in boxes if count([box]) <= _MOST_GONE
        ]
        return [name_of(key, index) for key, box in boxes for index in tuples(box)]


def _decided(case: ModuleProblem, expected: Container[str]) -> ModuleProblem:
    if case.missing is None or case.of not in expected:
        return case
    finding, key = case.missing
    return replace(case, finding=finding, key=key, missing=None)
