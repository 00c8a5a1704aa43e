"""The state of unpacking: results of the modules so far, and the methods that record them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from inspector.algebra.boxes import Box, count, minus
from inspector.findings.types.modules import PackedModules
from inspector.loader.layout import Layout
from inspector.loader.packed import Packed
from inspector.matcher.families import Families, Stored
from inspector.quantization.module import Scheme
from inspector.quantization.modules import Module
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.unpacked import Helper, ModuleProblem

ROTATED: Final = ("_input", "_output", "_q_attn", "_k_cache")
"""Ends of the names of compressed-tensors' rotations: the place where each applies, after the name of its group."""
SCALE: Final = "weight_scale"


class ModuleGroup(Struct, frozen=True):
    """Modules of one family with the same layouts and settings.

    scheme: None if no scheme recognises them. turned: corrected layouts of helpers that are stored transposed. recast:
    corrected layouts of values that are stored in another dtype.
    """

    boxes: tuple[Box, ...]
    layouts: dict[str, Layout]
    setting: ModuleSettings
    scheme: Scheme | None
    turned: dict[str, Layout] = {}
    recast: dict[str, Layout] = {}

    @property
    def read(self) -> dict[str, Layout]:
        """The layouts as the scheme reads them, with corrections."""
        return {**self.layouts, **self.turned, **self.recast} if self.turned or self.recast else self.layouts

    @property
    def modules(self) -> int:
        """Number of modules."""
        return count(self.boxes)


Known = Sequence[tuple[ModuleGroup, Scheme]]
"""Groups with the schemes that recognise them."""


class Work(Struct):
    """Collects the logical tensors of modules.

    lost: families in unreadable files. whole: absent tensors count as missing. stored: the logical families so far.
    touched: families that were rebuilt. used: the schemes of the checkpoint, the most frequent first. The other fields
    are as in `Unpacked`.
    """

    settings: QuantizationSettings
    lost: Families
    whole: bool
    stored: dict[str, list[Stored]]
    touched: set[str] = set()
    helpers: list[Helper] = []
    cases: list[ModuleProblem] = []
    agreed: dict[tuple[str, str], int] = {}
    schemes: dict[str, int] = {}
    without_values: dict[str, tuple[Box, ...]] = {}
    biased: set[str] = set()
    used: tuple[Scheme, ...] = ()

    def take_transforms(self) -> None:
        """Separates the rotations named in the settings: `MODULE.NAME_LOCATION.weight` and its permutation `.perm`.

        Without settings, a square matrix with such a name below a quantized module counts as a rotation.
        """
        named, stated = self.settings.transforms, self.settings.known
        keys = list(self.stored) if named or not stated else ()
        for key in [key for key in keys if key.endswith((".weight", ".perm"))]:
            module, _, name = key.rpartition(".")[0].rpartition(".")
            if name in named or (not stated and self._is_rotation(key, module, name)):
                for part in self.stored[key]:
                    self.add_stored_helper(key, part, "transform", f"{module}.weight")

    def _is_rotation(self, key: str, module: str, name: str) -> bool:
        """True if a matrix seems to rotate the inputs or outputs of a quantized module."""
        if not name.endswith(ROTATED) or f"{module}.{SCALE}" not in self.stored:
            return False
        shapes = [part.layout.shape for part in self.stored[key]]
        return all(len(shape) == 1 or (len(shape) == 2 and shape[0] == shape[1]) for shape in shapes)

    def clear(self, module: Module) -> None:
        """Empties the families of a module, which are then added again piece by piece in the same order."""
        for family in module.parts.values():
            if family.key not in self.touched:
                self.touched.add(family.key)
                self.stored[family.key] = []

    def keep(self, module: Module, suffix: str, piece: ModuleGroup) -> None:
        """Keeps a tensor in its family."""
        stored = Stored(piece.layouts[suffix], piece.boxes, piece.modules)
        self.stored.setdefault(module.name(suffix), []).append(stored)

    def add_logical(self, module: Module, layout: Layout, piece: ModuleGroup, packed: Packed | None) -> None:
        """Adds the logical tensor of a module."""
        self.touched.add(module.logical)
        self.stored.setdefault(module.logical, []).append(Stored(layout, piece.boxes, piece.modules, packed))

    def add_helper(self, module: Module, suffix: str, piece: ModuleGroup, scheme: str, of: str | None = None) -> None:
        """Adds a helper. of: its logical family, by default that of the module."""
        logical = module.logical if of is None else of
        helper = Helper(module.name(suffix), piece.layouts[suffix], piece.boxes, piece.modules, scheme, logical)
        self.helpers.append(helper)

    def add_stored_helper(self, key: str, part: Stored, scheme: str, of: str) -> None:
        """Turns a stored part of a family into a helper. of: the logical family that it serves."""
        self.stored.pop(key, None)
        self.helpers.append(Helper(key, part.layout, part.boxes, part.tensors, scheme, of))

    def report(self, finding: PackedModules, module: Module, suffix: str, boxes: tuple[Box, ...], scheme: str) -> None:
        """Records a problem of the tensor with a suffix."""
        if boxes:
            self.cases.append(ModuleProblem(finding, module.name(suffix), boxes, scheme, module.logical))

    def lose_values(self, module: Module, boxes: tuple[Box, ...]) -> None:
        """Records the indices at which the values of a module are missing."""
        if boxes:
            self.without_values[module.logical] = self.without_values.get(module.logical, ()) + boxes

    def not_lost(self, name: str, boxes: tuple[Box, ...]) -> tuple[Box, ...]:
        """The boxes at which an absent tensor is missing and not merely in an unreadable file."""
        if not self.whole:
            return ()
        family = self.lost.get(name)
        return minus(boxes, family.boxes) if family is not None else boxes
