"""Base of findings on quantized modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from inspector.findings.finding import ContentFinding, Rows
from inspector.findings.words import count, first, listed


class PackedModules(ContentFinding, frozen=True, kw_only=True):
    """Quantized modules with the same problem.

    scheme, modules (their number), families, names (the first) and where (the index set in words) are filled in after
    the modules with the same problem have been collected.
    """

    always_one: ClassVar[bool] = False
    """True if all modules of a checkpoint share one finding, however few they are."""

    scheme: str = ""
    modules: int = 0
    families: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    where: str = ""

    def alike(self) -> tuple[object, ...]:
        """Values that are equal in findings on the same problem."""
        return ()

    def summed(self, findings: Sequence[PackedModules]) -> Self:
        """The finding on several modules, given the findings on each."""
        return self

    def headline(self) -> str:
        if self.place.tensor or len(self.families) == 1:
            return str(self.place.tensor or self.families[0])
        return f"{count(self.modules, 'module')} such as {self.names[0]}"

    def packing(self) -> Rows:
        """Rows on the location and quantization of the modules."""
        rows = [("packing", self.scheme)]
        if self.modules > 1:
            words = f"{self.where}, " if self.where else ""
            rows.insert(0, ("where", f"{words}{count(self.modules, 'module')}"))
        if len(self.families) > 1:
            rows.append(("families", listed(self.families, 4)))
        return rows

    def first_names(self) -> str:
        """The first names of the modules, and how many more."""
        return first(self.names, self.modules, 3)


def matching(modules: int) -> str:
    """How many modules are as the config states."""
    return f"{count(modules, 'module')} {'matches' if modules == 1 else 'match'} the config"
