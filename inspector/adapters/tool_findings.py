"""The findings on modules of an image adapter that do not fit the base, from the comparison with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from inspector.adapters.base import other_widths
from inspector.adapters.image_prompt_base import of_layers
from inspector.adapters.joined_attention import modules_unmatched
from inspector.adapters.tool_base import BaseModules, Compared, plain
from inspector.findings.adapters.tensors import AdapterShapeDiffers
from inspector.findings.adapters.tools import AdapterPairDiffers, AdapterPartMissing
from inspector.findings.adapters.whole import AdapterBaseDiffers, ShapeExample
from inspector.findings.adapters.widened import AdapterOfWiderBase, AdapterWidensBase
from inspector.findings.finding import NAMES_SHOWN, Finding, Place

WITH_CONTROL: Final = 2
"""Times the input channels that FLUX.1 Canny and Depth have for their control image."""
OF_INPUTS: Final = {384: "FLUX.1 Fill"}
"""Number of input channels -> the published model that has them."""


def tool_findings(compared: Compared, base: BaseModules, known: Sequence[Finding]) -> Iterator[Finding]:
    """Findings on modules that do not fit: one if the base is another one, else one for each kind of difference.

    known: the findings on the adapter alone; these include modules with a pair that does not fit together.
    """
    widths = other_widths((one.stored, one.expected) for one in compared.differences)
    several = len({one.module for one in compared.differences}) > 1
    alike = bool(widths) and several and (_are_in_proportion(widths) or bool(compared.model))
    of_all = alike or (
        several and all(len(one.stored) != len(one.expected) for one in compared.differences)
    )  # a convolution of one point for a matrix, or the other way round, as releases of a UNet have them
    another = of_all or 2 * len(compared.differences) > compared.tensors
    wrong = len(compared.unmatched) + len({one.module for one in compared.differences})
    most = bool(compared.unmatched) and 2 * wrong > compared.modules
    if compared.unmatched and (most or not another):
        names, of, name = compared.unmatched, compared.modules, base.name or base.source
        yield modules_unmatched(names, of, name, base.modules, plain, pairs=compared.pairs, model=compared.model)
    for module, (inputs, of_base) in compared.widened.items():
        yield _widened(module, inputs, of_base, base.name or base.source)
    if most:
        return  # another base: that what the two share differs too follows from it
    if compared.layers:
        yield of_layers(compared.layers, compared.modules)
    if compared.absent:
        names, others = compared.absent[:NAMES_SHOWN], "the same module of other blocks"
        yield AdapterPartMissing(method="full", part="diff", modules=len(compared.absent), of=compared.modules,
                                 names=names, present=others)  # fmt: skip
    if another:
        first, differ, of = compared.differences[0], len(compared.differences), compared.tensors
        example = ShapeExample(first.name, first.stored, first.expected)
        yield AdapterBaseDiffers(base=base.name, source=base.source, tensors=differ, of=of, example=example,
                                 named=False, widths=widths, model=compared.model)  # fmt: skip
        return
    incomplete = [one for one in known if isinstance(one, AdapterPartMissing)]
    pairs = [pair for one in known if isinstance(one, AdapterPairDiffers) for pair in one.pairs]
    stems = [*(pair.first for pair in pairs), *(f"{name}." for one in incomplete for name in one.names)]
    apart = (one for one in compared.differences if not any(f"{one.module}." in stem for stem in stems))
    for one in islice(apart, 3):
        yield AdapterShapeDiffers(place=Place(tensor=one.name), stored=one.stored, expected=one.expected,
                                  tensors=1, module=one.module, base=base.name or base.source)  # fmt: skip


def _widened(module: str, inputs: int, of_base: int, base: str) -> Finding:
    """The finding on a module with more inputs than the base has."""
    if inputs == WITH_CONTROL * of_base:
        return AdapterWidensBase(module=module, inputs=inputs, of_base=of_base, base=base)
    model = OF_INPUTS.get(inputs, "")
    return AdapterOfWiderBase(module=module, inputs=inputs, of_base=of_base, base=base, model=model)


def _are_in_proportion(widths: Sequence[tuple[int, int]]) -> bool:
    """True if all widths differ by one factor, as those of another size of a text encoder do."""
    own, other = widths[0]
    return all(one * other == own * wanted for one, wanted in widths)
