"""Packed families replaced by the logical ones they stand for; scales, zero points and the like set apart.

Works on families and boxes: the tensors of a module lie side by side (`P.qweight`, `P.qzeros`, `P.scales`), and
where their layouts differ by layer or expert the boxes are cut until each piece has one layout a tensor. Whether
a module is packed, and how, is decided for each piece; nothing is decided for the checkpoint as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.boxes import Box, boxes_of, common, count, joined, less, tuples
from inspector.algebra.names import Index, name_of
from inspector.loader.layout import Layout
from inspector.loader.packed import Packed
from inspector.matcher.families import Families, Family, Stored, families_of
from inspector.quantization.catalog import (
    BY_VALUES,
    FOREIGN,
    HELPERS,
    KV_CACHE,
    PACKED_DTYPES,
    PLAIN,
    STRANGE,
    scheme_of,
)
from inspector.quantization.module import FLOAT8, FLOATS, Opened, Scheme
from inspector.quantization.settings import NO_SETTINGS, Settings
from inspector.quantization.stated import Said

if TYPE_CHECKING:
    from inspector.findings.types.modules import PackedModules


class Helper(Struct, frozen=True):
    """Stored tensors that hold no parameters: scales, zero points, indices, quantisation state.

    key: family of the tensors. of: family of the logical tensor they belong to, "" where there is none.
    """

    key: str
    layout: Layout
    boxes: tuple[Box, ...]
    tensors: int
    scheme: str
    of: str = ""


class Case(Struct, frozen=True):
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
    cases: tuple[Case, ...] = ()
    agreed: Mapping[tuple[str, str], int] = {}
    schemes: Mapping[str, int] = {}
    gone: Mapping[str, tuple[Box, ...]] = {}
    biased: frozenset[str] = frozenset()
    settings: Settings = NO_SETTINGS

    def biases(self, prefix: str) -> frozenset[str]:
        """Such biases under the names of a reading that takes a prefix off."""
        return frozenset(key.removeprefix(prefix) for key in self.biased)

    def gone_names(self) -> list[str]:
        """Names of logical tensors without values, which are reported as that and not as missing."""
        return [
            name_of(key, index)
            for key, boxes in self.gone.items()
            for box in boxes
            if count([box]) <= _MOST_GONE
            for index in tuples(box)
        ]


COMMON: Final = KV_CACHE | {"input_scale", "output_scale", "input_zero_point", "output_zero_point", "act_scale",
                            "smooth_scale", "pre_quant_scale", "input_global_scale", "weight_zero_point"}  # fmt: skip
"""Helpers that may be beside values of any scheme."""
TELLING: Final = frozenset({"weight_scale", "weight_scale_inv", "qzeros", "g_idx", "weight.absmax", "weight.quant_map",
                            "weight.nested_absmax", "weight.nested_quant_map", "SCB", "weight_format", "weight_shape",
                            "weight_global_scale", "weight_scale_2", "weight_g_idx", "pre_quant_scale", "codebooks",
                            "weight.quant_state.bitsandbytes__nf4", "weight.quant_state.bitsandbytes__fp4",
                            "weight._scale", "weight._shift", "_weight_scale", "_weight_zero_point", "q_scale_max",
                            "q_invperm", "block_scales", "input_global_scale"})  # fmt: skip
"""Helpers whose name says so, also where the values they belong to are not there."""
BY_METHOD: Final[Mapping[str, frozenset[str]]] = {
    "gptq": frozenset({"scales"}), "awq": frozenset({"scales"}), "auto-round": frozenset({"scales"}),
    "mlx": frozenset({"scales", "biases"}), "hqq": frozenset({"scale", "zero"}), "eetq": frozenset({"weight_scales"}),
    "aqlm": frozenset({"scales"}), "higgs": frozenset({"scales", "tables", "tables2"}),
}  # fmt: skip
"""Helpers with names that mean other things elsewhere: believed where the config names the method."""
GLUED: Final[tuple[tuple[str, str], ...]] = (
    ("_weight_scale_inv", "weight_scale_inv"), ("_weight_scale_2", "weight_scale_2"),
    ("_weight_scale", "weight_scale"), ("_input_scale", "input_scale"), ("_scale_inv", "weight_scale_inv"),
    ("_scale_2", "weight_scale_2"), ("_scales", "block_scales"), ("_scale", "weight_scale"), ("_blocks", "blocks"),
)  # fmt: skip
"""Endings of a parameter's own name, where a module (stacked experts) has parameters and no modules below it."""
BARE_DOTTED: Final = ("absmax", "quant_map", "nested_absmax", "nested_quant_map",
                      "quant_state.bitsandbytes__nf4", "quant_state.bitsandbytes__fp4")  # fmt: skip
"""bitsandbytes' tensors below such a parameter."""


def _endings() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for suffix in (*HELPERS, *BY_VALUES, *STRANGE, *FOREIGN, *COMMON):
        found.setdefault(suffix.rsplit(".", 1)[-1], []).append(suffix)
    return {last: tuple(sorted(set(suffixes), key=len, reverse=True)) for last, suffixes in found.items()}


_ENDINGS: Final = _endings()
SPARSE: Final = frozenset({"compressed", "bitmask", "row_offsets", "shape"})
"""Suffixes that a sparse form adds to the whole name of a parameter, and another to that of its module."""
_SCALES: Final = ("scale", "scales", "biases", "scale_inv", "zeros", "absmax", "zero", "scale_2", "_shift")
_MOST_GONE: Final = 10_000
_MOST_PARTS: Final = 16
"""Layouts of one family up to which boxes are cut one by one."""

Module = tuple[str, bool]
"""(key of the module or bare parameter, whether it is a bare parameter)."""
Parts = dict[str, Family]
"""Suffix -> family, for one module."""
Piece = tuple[tuple[Box, ...], dict[str, Layout]]


def unpack(
    families: Families, settings: Settings = NO_SETTINGS, lost: Collection[str] = (), *, whole: bool = True
) -> Unpacked:
    """The logical families of a checkpoint.

    lost: names in files that could not be read, which nobody misses. whole: what is absent is missing; where one
    shard was named by itself it is not.
    """
    modules = _modules(families, settings)
    if not modules and not lost:
        return Unpacked(families, settings=settings)
    settings = settings.among(_dims(families) | settings.base.dims)
    found = _opened(families, modules, settings, lost, whole)
    shown = _bits_shown(found.cases)
    if not shown:
        return found
    other = _opened(families, modules, settings.doubting(shown), lost, whole)
    return found if any((key, "bits") in other.agreed for key in shown) else other


def _opened(
    families: Families, modules: Mapping[Module, Parts], settings: Settings, lost: Collection[str], whole: bool
) -> Unpacked:
    work = _Work(families, settings, lost, whole)
    for (key, bare), parts in modules.items():
        work.take(key, bare, parts)
    return work.done()


def _serving(case: Case, weights: int) -> Case:
    """A case of helpers that stand alone with the number of unfused weights they were made for."""
    from inspector.findings.types.unpacked import PackingHelperOrphaned

    if not weights or not isinstance(case.finding, PackingHelperOrphaned):
        return case
    return replace(case, finding=msgspec.structs.replace(case.finding, serves=weights))


def _bits_shown(cases: Sequence[Case]) -> dict[str, int]:
    """Setting -> the bits that modules show whose widths rule out the stated ones.

    Then the widths of the others, which allow both by chance, are read so too, unless one needs what is stated.
    """
    found: dict[str, int] = {}
    if cases:
        from inspector.findings.types.packed import PackingConfigDisagrees

        for case in cases:
            finding = case.finding
            if (
                isinstance(finding, PackingConfigDisagrees)
                and finding.what == "bits"
                and isinstance(finding.weights, int)
            ):
                found[finding.key] = finding.weights
    return found


def _modules(families: Families, settings: Settings) -> dict[Module, Parts]:
    """The modules that have anything of a packing, with their families by suffix."""
    found: dict[Module, Parts] = {}
    for key, family in families.items():
        module, suffix, bare = _split(key, families)
        if suffix == PLAIN and not any(part.layout.dtype in PACKED_DTYPES for part in family.stored):
            continue
        if suffix in KV_CACHE and suffix != "q_scale" and not _is_cache_scale(family, settings):
            continue
        if suffix:
            found.setdefault((module, bare), {})[suffix] = family
        elif settings.known and any(_is_float8(part.layout) for part in family.stored):
            found.setdefault((key, True), {})  # values of a bare parameter whose scales may all be lost
    for (module, bare), parts in found.items():
        plain = families.get(module if bare else f"{module}.{PLAIN}" if module else PLAIN)
        if plain is not None and "blocks" not in parts:
            parts.setdefault(PLAIN, plain)
    return found


def _is_float8(layout: Layout) -> bool:
    return layout.dtype in FLOAT8 and len(layout.shape) > 1


def _is_cache_scale(family: Family, settings: Settings) -> bool:
    """Whether tensors are scales of a cache: small, in an attention, or of a checkpoint that says it is quantised."""
    if not all(part.layout.elements == 1 or len(part.layout.shape) == 1 for part in family.stored):
        return False
    return settings.known or any(word in family.key for word in ("attn", "attention", "k_proj", "v_proj"))


def _dims(families: Families) -> frozenset[int]:
    """The dims of tensors that show them plainly: they settle which of several sizes a packed width means."""
    found: set[int] = set()
    for key, family in families.items():
        for part in family.stored:
            dtype, shape = part.layout.dtype, part.layout.shape
            if dtype in FLOATS and not key.endswith(_SCALES):
                found.update(shape)
            elif key.endswith((".weight", ".weight_packed")) and len(shape) > 1:
                found.update(shape[-2:] if dtype in ("U8", "I8") or dtype in FLOAT8 else shape[-2:-1])
    return frozenset(dim for dim in found if dim >= 16)


def _split(key: str, families: Families) -> tuple[str, str, bool]:
    """(module, suffix, whether bare) of a key; suffix "" where it ends in nothing of a packing."""
    last = key.rsplit(".", 1)[-1]
    for suffix in _ENDINGS.get(last, ()):
        if key.endswith(suffix) and (key == suffix or key[-len(suffix) - 1] == "."):
            module = key[: -len(suffix) - 1]
            return module, suffix, suffix in SPARSE and module.endswith(".weight")
    for ending in BARE_DOTTED:
        if key.endswith(f".{ending}"):
            module = key[: -len(ending) - 1]
            if module.endswith(".weight"):
                return module[: -len(".weight")], f"weight.{ending}", False
            if module in families:
                return module, f"weight.{ending}", True
    for ending, suffix in GLUED:
        if last.endswith(ending) and len(last) > len(ending):
            module = key[: -len(ending)]
            if suffix in ("blocks", "block_scales"):
                other = "_scales" if suffix == "blocks" else "_blocks"
                if module + other in families or suffix == "blocks":
                    return module, suffix, True
            elif module in families or (ending == "_scale_inv" and "." in module):
                return module, suffix, True
    return key, "", False


def _lost_values(lost: Families) -> dict[str, tuple[Box, ...]]:
    """The logical families of packed values that are in files which could not be read."""
    found: dict[str, tuple[Box, ...]] = {}
    for key, family in lost.items():
        module, suffix, bare = _split(key, lost)
        if suffix in BY_VALUES and suffix != PLAIN:
            logical = module if bare else f"{module}.{PLAIN}" if module else PLAIN
            found[logical] = found.get(logical, ()) + tuple(box for part in family.stored for box in part.boxes)
    return found


class _Work:
    """Takes one module after another and builds the families anew."""

    def __init__(self, families: Families, settings: Settings, lost: Collection[str], whole: bool) -> None:
        self.families, self.settings, self.whole = families, settings, whole
        self.lost: Families = families_of(dict.fromkeys(lost, Layout("U8", (), 1, 1))) if lost else {}
        self.stored: dict[str, list[Stored]] = {key: list(family.stored) for key, family in families.items()}
        self.touched: set[str] = set()
        self.helpers: list[Helper] = []
        self.cases: list[Case] = []
        self.agreed: dict[tuple[str, str], int] = {}
        self.schemes: dict[str, int] = {}
        self.gone: dict[str, tuple[Box, ...]] = _lost_values(self.lost)
        self.biased: set[str] = set()

    def take(self, key: str, bare: bool, parts: Parts) -> None:
        opened = _Module(self, key, bare, parts)
        opened.run()

    def clear(self, family: Family) -> None:
        """Forgets a family's parts, which its module hands back piece by piece; its place in the order stays."""
        if family.key not in self.touched:
            self.touched.add(family.key)
            self.stored[family.key] = []

    def _reported(self) -> tuple[Case, ...]:
        """The cases; where scales of experts stand fused beside unfused weights, none is missing by itself."""
        if not self.cases:
            return ()
        from inspector.findings.types.packed import PackingHelperMissing
        from inspector.findings.types.unpacked import PackingHelperOrphaned

        fused: dict[str, int] = {
            case.key.rsplit(".", 1)[0]: 0
            for case in self.cases
            if isinstance(case.finding, PackingHelperOrphaned)
            and not case.finding.beside
            and case.key.endswith("_scale_inv")
        }
        if not fused:
            return tuple(self.cases)
        kept: list[Case] = []
        for case in self.cases:
            above = next((prefix for prefix in fused if case.key.startswith(f"{prefix}.#.")), None)
            if above is not None and isinstance(case.finding, PackingHelperMissing):
                fused[above] += case.tensors
            else:
                kept.append(case)
        return tuple(_serving(case, fused.get(case.key.rsplit(".", 1)[0], 0)) for case in kept)

    def done(self) -> Unpacked:
        families = {}
        for key, stored in self.stored.items():
            if key not in self.touched:
                known = self.families.get(key)
                families[key] = known if known is not None else Family(key, tuple(stored))
            elif stored:
                families[key] = Family(key, _joined(stored))
        return Unpacked(
            families,
            tuple(self.helpers),
            self._reported(),
            self.agreed,
            self.schemes,
            self.gone,
            frozenset(key for key in self.biased if key in families),
            self.settings,
        )


def _joined(stored: Sequence[Stored]) -> tuple[Stored, ...]:
    """Pieces of equal layout and storage as one."""
    found: dict[tuple[Layout, Packed | None], Stored] = {}
    for part in stored:
        known = found.get((part.layout, part.packed))
        if known is not None:
            boxes = joined(known.boxes + part.boxes)
            part = Stored(part.layout, boxes, known.tensors + part.tensors, part.packed)
        found[part.layout, part.packed] = part
    return tuple(found.values())


class _Found(Struct):
    boxes: tuple[Box, ...]
    layouts: dict[str, Layout]
    said: Said
    scheme: Scheme | None


class _Module:
    """One family of modules."""

    def __init__(self, work: _Work, key: str, bare: bool, parts: Parts) -> None:
        self.work, self.key, self.bare, self.parts = work, key, bare, parts

    def run(self) -> None:
        found = [
            _Found(boxes, layouts, said, scheme_of(layouts, said))
            for whole, layouts in pieces_of(self.parts)
            for said, boxes in self.work.settings.of(self.key, whole)
        ]
        known = [one for one in found if one.scheme is not None]
        if not known and not any(self._strange(one) or self._orphans(one, None) for one in found):
            return
        for family in self.parts.values():
            self.work.clear(family)
        for one in found:
            scheme = one.scheme or self._like_siblings(one, known)
            if scheme is not None:
                self._open(one, scheme)
            elif self._strange(one):
                self._unknown(one)
            else:
                self._plain(one, known)
        if len(known) > 1:
            self._uneven(known)

    def _uneven(self, known: Sequence[_Found]) -> None:
        """Helpers that a scheme can do without, stored for most modules of a family and not for a few."""
        for scheme in {one.scheme.name: one.scheme for one in known if one.scheme is not None}.values():
            same = [one for one in known if one.scheme is scheme]
            whole = sum(count(one.boxes) for one in same)
            for suffix in scheme.may:
                having = [one for one in same if suffix in one.layouts]
                if suffix in COMMON or not having or 2 * sum(count(one.boxes) for one in having) <= whole:
                    continue
                shape = having[0].layouts[suffix].shape
                for one in same:
                    if suffix not in one.layouts:
                        self._missing(suffix, shape, one.boxes, scheme.name)

    def _missing(self, suffix: str, shape: tuple[int, ...], boxes: tuple[Box, ...], scheme: str) -> None:
        boxes = self._not_lost(suffix, boxes)
        from inspector.findings.types.packed import PackingHelperMissing

        finding = PackingHelperMissing(helper=suffix, expected=(shape,))
        case = Case(finding, self.name(suffix), boxes, scheme, self.logical())
        if boxes and not any(known.key == case.key and known.boxes == boxes for known in self.work.cases):
            self.work.cases.append(case)

    def name(self, suffix: str) -> str:
        """The family of a suffix, as it is stored."""
        family = self.parts.get(suffix)
        if family is not None:
            return family.key
        if self.bare:
            glue = next((ending for ending, whole in GLUED if whole == suffix), f".{suffix.removeprefix('weight.')}")
            return f"{self.key}{glue}"
        return f"{self.key}.{suffix}" if self.key else suffix

    def logical(self) -> str:
        """The family of the logical tensor."""
        return self.key if self.bare else f"{self.key}.{PLAIN}" if self.key else PLAIN

    def _like_siblings(self, one: _Found, known: Sequence[_Found]) -> Scheme | None:
        """The scheme of modules of the same family, where the values are alike and a helper is not there."""
        best: _Found | None = None
        for other in known:
            assert other.scheme is not None
            values = one.layouts.get(other.scheme.values)
            like = other.layouts[other.scheme.values]
            if values is None or values.dtype != like.dtype or len(values.shape) != len(like.shape):
                continue
            if values.dtype in FLOATS and values.shape[-1] != like.shape[-1]:
                continue  # values in a storage dtype of floats are in a column
            if best is None or count(other.boxes) > count(best.boxes):
                best = other
        return best.scheme if best is not None else None

    def _open(self, one: _Found, scheme: Scheme) -> None:
        work, logical = self.work, self.logical()
        if scheme.values != PLAIN and PLAIN in one.layouts and one.layouts[PLAIN].dtype in FLOATS:
            self._twice(one, scheme)
            return
        opened = scheme.open(one.layouts, one.said)
        tensors = count(one.boxes)
        name = opened.packed.scheme if opened.packed is not None else scheme.name
        helpers = {suffix for suffix in opened.helpers if suffix in (*scheme.needs, *scheme.may) or suffix in COMMON}
        for suffix, layout in one.layouts.items():
            if suffix == scheme.values:
                if self.name(suffix) != logical:
                    work.touched.add(logical)
                work.stored.setdefault(logical, []).append(Stored(opened.layout, one.boxes, tensors, opened.packed))
            elif suffix in helpers:
                work.helpers.append(Helper(self.name(suffix), layout, one.boxes, tensors, name, logical))
            else:
                self._back(suffix, layout, one.boxes)
        if opened.packed is None:
            return
        work.schemes[name] = work.schemes.get(name, 0) + tensors
        if scheme.values == "qweight":
            work.biased.add(f"{self.key}.bias")
        self._judge(one, scheme, opened, name)

    def _judge(self, one: _Found, scheme: Scheme, opened: Opened, name: str) -> None:
        work = self.work
        for what in opened.agreed:
            setting = (one.said.key(what), what)
            work.agreed[setting] = work.agreed.get(setting, 0) + count(one.boxes)
        for fault in opened.faults:
            from inspector.findings.types.packed import PackingHelperDiffers, PackingHelperMissing

            missing = isinstance(fault, PackingHelperMissing)
            suffix = fault.helper if isinstance(fault, PackingHelperMissing | PackingHelperDiffers) else scheme.values
            boxes = self._not_lost(suffix, one.boxes) if missing else one.boxes
            if boxes:
                work.cases.append(Case(fault, self.name(suffix), boxes, name, self.logical()))
        if one.said.skipped is not None:
            from inspector.findings.types.unpacked import SkippedButPacked

            skipped = SkippedButPacked(entry=one.said.skipped, source=work.settings.source)
            work.cases.append(Case(skipped, self.name(scheme.values), one.boxes, name, self.logical()))

    def _not_lost(self, suffix: str, boxes: tuple[Box, ...]) -> tuple[Box, ...]:
        if not self.work.whole:
            return ()
        family = self.work.lost.get(self.name(suffix))
        for part in family.stored if family is not None else ():
            for box in part.boxes:
                boxes = less(boxes, box)
        return boxes

    def _twice(self, one: _Found, scheme: Scheme) -> None:
        """Packed tensors beside the dense weight: the dense one counts, as loaders take it."""
        tensors = count(one.boxes)
        beside = [suffix for suffix in one.layouts if suffix != PLAIN]
        self._back(PLAIN, one.layouts[PLAIN], one.boxes)
        for suffix in beside:
            self.work.helpers.append(
                Helper(self.name(suffix), one.layouts[suffix], one.boxes, tensors, scheme.name, self.logical())
            )
        from inspector.findings.types.unpacked import PackingHelperOrphaned

        orphaned = PackingHelperOrphaned(helpers=tuple(beside), beside=one.layouts[PLAIN].dtype)
        self.work.cases.append(Case(orphaned, self.name(beside[0]), one.boxes, scheme.name, self.logical()))

    def _strange(self, one: _Found) -> str | None:
        """The suffix of values in a packing that has no scheme here."""
        return next(
            (suffix for suffix, layout in one.layouts.items() if suffix in STRANGE and layout.dtype not in FLOATS), None
        )

    def _unknown(self, one: _Found) -> None:
        values = self._strange(one)
        assert values is not None
        logical, tensors = self.logical(), count(one.boxes)
        layout = one.layouts[values]
        packed = Packed("unknown", 0, None, layout, known=False)
        self.work.touched.add(logical)
        self.work.stored.setdefault(logical, []).append(Stored(layout, one.boxes, tensors, packed))
        for suffix, other in one.layouts.items():
            if suffix == values:
                continue
            if suffix in HELPERS or suffix in FOREIGN or suffix in STRANGE:
                helper = Helper(self.name(suffix), other, one.boxes, tensors, "unknown", logical)
                self.work.helpers.append(helper)
            else:
                self._back(suffix, other, one.boxes)
        self.work.schemes["unknown"] = self.work.schemes.get("unknown", 0) + tensors
        from inspector.findings.types.undecided import PackingUnknown

        unknown = PackingUnknown(
            signature=tuple(f"{suffix} {one.layouts[suffix].dtype}" for suffix in sorted(one.layouts)),
            method=one.said.method,
            bytes=sum(each.bytes for each in one.layouts.values()) * tensors,
            elements=layout.elements * tensors,
        )
        self.work.cases.append(Case(unknown, self.name(values), one.boxes, "unknown", logical))

    def _orphans(self, one: _Found, packed: Scheme | None) -> list[str]:
        """Helpers of a piece that has no packed values. packed: how its siblings are packed."""
        believed = BY_METHOD.get(self.work.settings.base.method or "", frozenset())
        if packed is not None and packed.values not in one.layouts:
            believed = believed | COMMON.union(packed.needs, packed.may)
        kv = [suffix for suffix in one.layouts
              if suffix in KV_CACHE and _is_cache_scale(self.parts[suffix], self.work.settings)]  # fmt: skip
        return [suffix for suffix in one.layouts if suffix in TELLING or suffix in believed] + kv

    def _plain(self, one: _Found, known: Sequence[_Found]) -> None:
        """A piece that is not packed: dense beside packed siblings, helpers without values, or neither."""
        packed = next((other.scheme for other in known if other.scheme is not None), None)
        orphans = self._orphans(one, packed)
        tensors = count(one.boxes)
        cache = [suffix for suffix in orphans if suffix in KV_CACHE]
        alone = [suffix for suffix in orphans if suffix not in KV_CACHE]
        for suffix, layout in one.layouts.items():
            if suffix in orphans:
                of = "" if suffix in KV_CACHE else self.logical()
                scheme = "kv-cache" if suffix in KV_CACHE else ""
                self.work.helpers.append(Helper(self.name(suffix), layout, one.boxes, tensors, scheme, of))
            else:
                self._back(suffix, layout, one.boxes)
        if cache:
            from inspector.findings.types.unpacked import CacheScalesStored

            scales = CacheScalesStored(helpers=tuple(cache), stated=self.work.settings.kv_cache)
            self.work.cases.append(Case(scales, self.name(cache[0]), one.boxes))
        dense = one.layouts.get(PLAIN)
        if alone:
            self._without_values(one, alone, packed, dense)
        elif packed is not None and dense is not None and dense.dtype in FLOATS and self._undeclared(one):
            from inspector.findings.types.unpacked import ModuleNotPacked

            plain = ModuleNotPacked(
                dtype=dense.dtype,
                shape=dense.shape,
                others=sum(count(other.boxes) for other in known),
                method=one.said.method,
            )
            self.work.cases.append(Case(plain, self.name(PLAIN), one.boxes, packed.name))

    def _undeclared(self, one: _Found) -> bool:
        """Whether the config was understood and says nothing that leaves these modules out."""
        settings = self.work.settings
        return settings.known and one.said.skipped is None and settings.whole

    def _without_values(self, one: _Found, alone: Sequence[str], packed: Scheme | None, dense: Layout | None) -> None:
        logical = self.logical()
        if packed is not None and dense is None:
            boxes = self._not_lost(packed.values, one.boxes)
            if boxes:
                from inspector.findings.types.packed import PackedValuesMissing

                missing = PackedValuesMissing(helpers=tuple(alone), values=packed.values)
                self.work.cases.append(Case(missing, self.name(packed.values), boxes, packed.name, logical))
                self.work.gone[logical] = self.work.gone.get(logical, ()) + boxes
            return
        values = {PLAIN, *BY_VALUES}
        if not self.work.whole or any(self.name(suffix) in self.work.lost for suffix in values):
            return
        from inspector.findings.types.unpacked import PackingHelperOrphaned

        orphaned = PackingHelperOrphaned(helpers=tuple(alone), beside=dense.dtype if dense is not None else None)
        scheme = packed.name if packed is not None else ""
        self.work.cases.append(Case(orphaned, self.name(alone[0]), one.boxes, scheme, logical))

    def _back(self, suffix: str, layout: Layout, boxes: tuple[Box, ...]) -> None:
        """A tensor that is what it is: back to its family."""
        self.work.stored.setdefault(self.name(suffix), []).append(Stored(layout, boxes, count(boxes)))


def pieces_of(parts: Mapping[str, Family]) -> list[Piece]:
    """The index space of a module cut so that within a piece every suffix has one layout or is not there."""
    families = list(parts.items())
    first = families[0][1].stored[0].boxes
    if all(len(family.stored) == 1 and family.stored[0].boxes == first for _, family in families):
        return [(first, {suffix: family.stored[0].layout for suffix, family in families})]
    if sum(len(part.boxes) for _, family in families for part in family.stored) > _MOST_PARTS * len(families):
        return list(_by_index(families))
    pieces: list[tuple[tuple[Box, ...], dict[str, Layout]]] = []
    for suffix, family in families:
        for part in family.stored:
            pieces = list(_cut(pieces, suffix, part))
    merged: dict[tuple[tuple[str, Layout], ...], tuple[Box, ...]] = {}
    for boxes, layouts in pieces:
        signature = tuple(layouts.items())
        merged[signature] = merged.get(signature, ()) + boxes
    return [(boxes, dict(signature)) for signature, boxes in merged.items()]


def _cut(pieces: Sequence[Piece], suffix: str, part: Stored) -> Iterator[Piece]:
    left = part.boxes
    for boxes, layouts in pieces:
        matched = tuple(inner for one in boxes for two in part.boxes if (inner := common(one, two)) is not None)
        if not matched:
            yield boxes, layouts
            continue
        rest = boxes
        for box in matched:
            rest, left = less(rest, box), less(left, box)
        if rest:
            yield rest, layouts
        yield matched, {**layouts, suffix: part.layout}
    if left:
        yield left, {suffix: part.layout}


def _by_index(families: Sequence[tuple[str, Family]]) -> Iterator[Piece]:
    """The same one tensor at a time, for layouts that change from index to index."""
    at: dict[Index, dict[str, Layout]] = {}
    for suffix, family in families:
        for part in family.stored:
            for box in part.boxes:
                for index in tuples(box):
                    at.setdefault(index, {})[suffix] = part.layout
    groups: dict[tuple[tuple[str, int], ...], tuple[dict[str, Layout], list[Index]]] = {}
    for index, layouts in at.items():
        signature = tuple((suffix, id(layout)) for suffix, layout in layouts.items())
        groups.setdefault(signature, (layouts, []))[1].append(index)
    for layouts, indices in groups.values():
        yield boxes_of(indices), layouts
