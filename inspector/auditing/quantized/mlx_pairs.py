"""Tries other pairs of bits and group size for MLX, if shapes contradict the model.

The packed words and the scales of a module show only the product of both. Measured with mlx-lm 0.32: it refuses 2 bits
in groups of 128 whose entries say 8 bits in groups of 32 ("Expected shape"), and loads them with the right entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from msgspec.structs import replace

from inspector.findings.config import ConfigDisagrees
from inspector.findings.finding import Finding
from inspector.findings.shapes import ShapeDiffers
from inspector.findings.types.mlx_pairs import MlxPairDisagrees
from inspector.loader.config_file import Config
from inspector.quantization.schemes.mlx import SIZES, WIDTHS

SECTIONS: Final = ("quantization", "quantization_config")
MOST_TRIED: Final = 4

Pair = tuple[int, int]


def with_other_pairs(config: Config | None, findings: Sequence[Finding]) -> Iterator[tuple[MlxPairDisagrees, Config]]:
    """Yields a finding and the config with its correction, for each pair with the product of a stated one."""
    if config is None or not any(isinstance(one, ConfigDisagrees | ShapeDiffers) for one in findings):
        return
    sections = tuple(key for key in SECTIONS if _pair(config.values.get(key)) is not None)
    block = config.values.get(sections[0]) if sections else None
    if isinstance(block, Mapping) and "quant_method" not in block:
        yield from islice(_corrected(config, block, sections), MOST_TRIED)


def _corrected(
    config: Config, block: Mapping[str, object], sections: tuple[str, ...]
) -> Iterator[tuple[MlxPairDisagrees, Config]]:
    by_pair: dict[Pair, list[str]] = {}
    for name, entry in block.items():
        if (pair := _pair(entry)) is not None:
            by_pair.setdefault(pair, []).append(name)
    base = _pair(block)
    tried: list[tuple[Pair, list[str]]] = [*by_pair.items(), *([] if base is None else [(base, [])])]
    for (bits, size), names in tried:
        others = ((width, each) for each in SIZES for width in WIDTHS if width * each == bits * size)
        for stored_bits, stored_size in others:
            if stored_bits != bits:
                finding = MlxPairDisagrees(
                    sections=sections, entries=tuple(names), bits=bits, group_size=size, stored_bits=stored_bits,
                    stored_group_size=stored_size,
                )  # fmt: skip
                yield finding, _with_steps(config, finding)


def _pair(entry: object) -> Pair | None:
    """Bits and group size of a block or an entry in affine mode."""
    if not isinstance(entry, Mapping) or entry.get("mode") not in (None, "affine"):
        return None
    bits, size = entry.get("bits"), entry.get("group_size")
    return (bits, size) if isinstance(bits, int) and isinstance(size, int) else None


def _with_steps(config: Config, finding: MlxPairDisagrees) -> Config:
    new = {"bits": finding.stored_bits, "group_size": finding.stored_group_size}
    values: dict[str, Any] = dict(config.values)
    for section in finding.sections:
        block = dict(values[section])
        if not finding.entries:
            block |= new
        for name in finding.entries:
            if isinstance(block.get(name), Mapping):
                block[name] = {**block[name], **new}
        values[section] = block
    return replace(config, values=values)
