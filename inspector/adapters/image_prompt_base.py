"""An IP-Adapter compared with its base: the matrices that it adds to each attention to the text.

diffusers 0.42 numbers them by the attention processors of the UNet (`_convert_ip_adapter_attn_to_diffusers`): those of
the blocks down, up and in the middle, of which only the second of each pair has matrices for images.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from inspector.adapters.changed_modules import ChangedModule
from inspector.algebra.boxes import tuples
from inspector.algebra.names import name_of
from inspector.findings.adapters.tools import AdapterPartMissing
from inspector.findings.finding import NAMES_SHOWN, Finding

Shape = tuple[int, ...]
KEYS: Final = "to_k_ip"
_TO_TEXT: Final = re.compile(r"(down_blocks|up_blocks|mid_block)_.*_attn2_to_k")
_ORDER: Final = ("down_blocks", "up_blocks", "mid_block")


def of_image_prompt(
    modules: Sequence[ChangedModule], attention: Sequence[Shape]
) -> tuple[int, list[tuple[str, str, Shape, Shape]], list[str]]:
    """(number of matrices for images that were compared with the base's attention, the differing ones, the superfluous
    ones).

    For each differing matrix: name, module, stored shape and expected shape.
    """
    differing: list[tuple[str, str, Shape, Shape]] = []
    beyond: list[str] = []
    found = list(_matrices(modules))
    for number, name, stored in found:
        at, module = number // 2, name.rpartition(".to_")[0]
        if at >= len(attention):
            beyond.append(module)
        elif stored != attention[at]:
            differing.append((name, module, stored, attention[at]))
    return len(found) - len(beyond), differing, list(dict.fromkeys(beyond))


def absent_layers(modules: Sequence[ChangedModule], attention: int) -> Iterator[str]:
    """The layers that the adapter lacks, by their numbers in the file. attention: how many the base has.

    diffusers raises a KeyError for the first of them. An adapter with a single layer is an excerpt.
    """
    stored = {number // 2 for number, *_ in _matrices(modules)}
    if len(stored) > 1:
        yield from (f"ip_adapter.{2 * at + 1}" for at in range(attention) if at not in stored)


def of_layers(layers: Sequence[str], stored: int) -> Finding:
    """The finding on absent layers. stored: the number of stored matrices."""
    return AdapterPartMissing(
        method="ip-adapter", part="to_k_ip and to_v_ip", modules=len(layers), of=len(layers) + stored // 2,
        names=tuple(layers[:NAMES_SHOWN]), present=f"{stored // 2:,} layers for images",
    )  # fmt: skip


def _matrices(modules: Sequence[ChangedModule]) -> Iterator[tuple[int, str, Shape]]:
    """(number of an attention layer, name of a tensor for images in it, its shape)."""
    for module in modules:
        if module.method != "ip-adapter":
            continue
        for part, (key, family) in module.parts.items():
            for stored in family.stored:
                for index in (index for box in stored.boxes for index in tuples(box)):
                    name = name_of(key, index) if "#" in key else key
                    found = re.match(r"ip_adapter\.(\d{1,6})\.", name)
                    if found is not None and part in (KEYS, "to_v_ip"):
                        yield int(found[1]), name, stored.layout.shape


def attention_to_text(shapes: Mapping[str, Shape]) -> list[Shape]:
    """The shapes of the key matrices in the UNet's attention to the text, in the order of its processors."""
    found = [name for name in shapes if _TO_TEXT.fullmatch(name)]
    return [shapes[name] for name in sorted(found, key=_place)]


def _place(name: str) -> tuple[int, list[int]]:
    start = next(at for at, one in enumerate(_ORDER) if name.startswith(one))
    return start, [int(number) for number in re.findall(r"(?<=_)\d+(?=_)", name)]
