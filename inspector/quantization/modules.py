"""The modules of a checkpoint with any quantized tensor or helper, and their families by suffix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from inspector.algebra.boxes import Box, boxes_of, tuples
from inspector.algebra.names import Index
from inspector.loader.layout import Layout
from inspector.matcher.families import Families, Family
from inspector.quantization.catalog import BY_VALUES, FOREIGN, HELPERS, KV_CACHE, PACKED_DTYPES, PLAIN, STRANGE
from inspector.quantization.loaders import is_foreign
from inspector.quantization.module import FLOAT8, FLOATS
from inspector.quantization.settings import QuantizationSettings

COMMON: Final = KV_CACHE | {"input_scale", "output_scale", "input_zero_point", "output_zero_point", "act_scale",
                            "smooth_scale", "pre_quant_scale", "input_global_scale", "weight_zero_point"}  # fmt: skip
"""Helpers of any scheme."""
GLUED: Final[Mapping[str, str]] = {
    "_weight_scale_inv": "weight_scale_inv", "_weight_scale_2": "weight_scale_2", "_weight_scale": "weight_scale",
    "_input_scale": "input_scale", "_scale_inv": "weight_scale_inv", "_scale_2": "weight_scale_2",
    "_scales": "block_scales", "_scale": "weight_scale", "_blocks": "blocks",
}  # fmt: skip
"""Suffixes after the name of a parameter, in modules (stacked experts) that have parameters instead of submodules."""
BARE_DOTTED: Final = ("absmax", "quant_map", "nested_absmax", "nested_quant_map",
                      "quant_state.bitsandbytes__nf4", "quant_state.bitsandbytes__fp4")  # fmt: skip
"""bitsandbytes' tensors below such a parameter."""
SPARSE: Final = frozenset({"compressed", "bitmask", "row_offsets", "shape"})
"""Suffixes of sparse formats: one kind follows the whole name of a parameter, the other the name of its module."""
_SCALES: Final = ("scale", "scales", "biases", "scale_inv", "zeros", "absmax", "zero", "scale_2", "_shift")


def _endings() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for suffix in {*HELPERS, *BY_VALUES, *STRANGE, *FOREIGN, *COMMON}:
        found.setdefault(suffix.rsplit(".", 1)[-1], []).append(suffix)
    return {last: tuple(sorted(suffixes, key=len, reverse=True)) for last, suffixes in found.items()}


_ENDINGS: Final = _endings()


class Module(Struct, frozen=True):
    """A family of modules. bare: the key is that of a parameter. parts: suffix -> family."""

    key: str
    bare: bool
    parts: dict[str, Family]

    def name(self, suffix: str) -> str:
        """The family for a suffix, stored or not."""
        if suffix in self.parts:
            return self.parts[suffix].key
        if self.bare:
            glue = next((ending for ending, whole in GLUED.items() if whole == suffix), None)
            return f"{self.key}{glue or '.' + suffix.removeprefix('weight.')}"
        return f"{self.key}.{suffix}" if self.key else suffix

    @property
    def logical(self) -> str:
        """The family of the logical tensor."""
        return logical_name(self.key, self.bare)


def logical_name(key: str, bare: bool) -> str:
    """The family of the weight of a module, or of a bare parameter."""
    return key if bare else f"{key}.{PLAIN}" if key else PLAIN


def modules_of(families: Families, settings: QuantizationSettings) -> list[Module]:
    """The modules with any quantized tensor or helper."""
    found: dict[tuple[str, bool], dict[str, Family]] = {}
    foreign = is_foreign(settings)
    packed = {key.rpartition(".")[0] for key, family in families.items() if foreign and _is_packed(family)}
    for key, family in families.items():
        module, suffix, bare = split(key, families)
        if suffix == PLAIN and not any(part.layout.dtype in PACKED_DTYPES for part in family.stored):
            continue
        if suffix in KV_CACHE and suffix != "q_scale" and not is_cache_scale(family, settings):
            continue
        if suffix:
            found.setdefault((module, bare), {})[suffix] = family
        elif foreign and key.rpartition(".")[0] in packed:
            found.setdefault((key.rpartition(".")[0], False), {})[key.rpartition(".")[2]] = family
        elif settings.known and any(_is_float8(part.layout) for part in family.stored):
            found.setdefault((key, True), {})  # values of a bare parameter; all of its scales may be missing
    for key in [key for key, bare in found if bare and foreign]:
        module, _, last = key.rpartition(".")
        found.get((module, False), {}).pop(last, None)
    for (key, bare), parts in found.items():
        plain = families.get(logical_name(key, bare))
        if plain is not None and "blocks" not in parts:
            parts.setdefault(PLAIN, plain)
    return [Module(key, bare, parts) for (key, bare), parts in found.items() if parts]


def _is_packed(family: Family) -> bool:
    """True if tensors may contain quantized values: matrices of bytes or integers, except tables for any batch."""
    layouts = [part.layout for part in family.stored]
    return any(one.dtype in PACKED_DTYPES and len(one.shape) > 1 and one.shape[0] > 1 for one in layouts)


def _is_float8(layout: Layout) -> bool:
    return layout.dtype in FLOAT8 and len(layout.shape) > 1


def is_cache_scale(family: Family, settings: QuantizationSettings) -> bool:
    """True if tensors are scales of the key-value cache: small, and in an attention or stated by the config.

    They have one number, or one for each head: [heads], or [heads, 1, 1] in compressed-tensors.
    """
    if not all(part.layout.elements == 1 or part.layout.shape[1:] in ((), (1, 1)) for part in family.stored):
        return False
    return settings.known or any(word in family.key for word in ("attn", "attention", "k_proj", "v_proj"))


def plain_dims(families: Families) -> frozenset[int]:
    """The dims of unquantized tensors, which decide between possible sizes of a packed width."""
    found: set[int] = set()
    for key, family in families.items():
        for part in family.stored:
            dtype, shape = part.layout.dtype, part.layout.shape
            if dtype in FLOATS and not key.endswith(_SCALES):
                found.update(shape)
            elif key.endswith((".weight", ".weight_packed")) and len(shape) > 1:
                found.update(shape[-2:] if dtype in ("U8", "I8") or dtype in FLOAT8 else shape[-2:-1])
            elif key.endswith(".bitmask"):
                found.update(shape[:-1])
    return frozenset(dim for dim in found if dim >= 16)


def split(key: str, families: Families) -> tuple[str, str, bool]:
    """(module, suffix, True if bare) of a key; the suffix is "" if it is not that of a quantized module."""
    last = key.rsplit(".", 1)[-1]
    for suffix in _ENDINGS.get(last, ()):
        if key == suffix or key.endswith(f".{suffix}"):
            module = key[: -len(suffix) - 1]
            return module, suffix, suffix in SPARSE and module.endswith(".weight")
    for ending in BARE_DOTTED:
        module = key.removesuffix(f".{ending}")
        if module != key and module.endswith(".weight"):
            return module.removesuffix(".weight"), f"weight.{ending}", False
        if module != key and module in families:
            return module, f"weight.{ending}", True
    for ending, suffix in GLUED.items():
        module = key.removesuffix(ending)
        if module == key or last == ending:
            continue
        beside = f"{module}_blocks" if suffix == "block_scales" else module
        if suffix == "blocks" or beside in families or (ending == "_scale_inv" and "." in module):
            return module, suffix, True
    return key, "", False


Cut = tuple[tuple[Box, ...], dict[str, Layout]]
"""A part of the index space of a module, and the layout of each suffix there."""


def pieces_of(parts: Mapping[str, Family]) -> Iterator[Cut]:
    """Divides the index space of a module into pieces in which every suffix has one layout or is absent."""
    first = next(iter(parts.values())).stored[0].boxes
    if all(len(family.stored) == 1 and family.stored[0].boxes == first for family in parts.values()):
        yield first, {suffix: family.stored[0].layout for suffix, family in parts.items()}
        return
    stored = [(suffix, part) for suffix, family in parts.items() for part in family.stored]
    at: dict[Index, list[int]] = {}
    for number, (_, part) in enumerate(stored):
        for box in part.boxes:
            for index in tuples(box):
                at.setdefault(index, []).append(number)
    alike: dict[tuple[int, ...], list[Index]] = {}
    for index, numbers in at.items():
        alike.setdefault(tuple(numbers), []).append(index)
    for signature, indices in alike.items():
        yield boxes_of(indices), {stored[number][0]: stored[number][1].layout for number in signature}
