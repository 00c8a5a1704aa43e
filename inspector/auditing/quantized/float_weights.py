"""Float weights under a quantization block: determines whether its loaders need packed weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.findings.finding import Place
from inspector.findings.types.undecided import NothingPacked, NotPacked
from inspector.quantization.schemes.bitnet import AUTO_BIT_LINEAR
from inspector.quantization.stated import ModuleSettings
from inspector.quantization.unpacked import Unpacked
from inspector.reconciler.ledger import Line

PACKED_ONLY: Final = frozenset({
    "gptq", "awq", "aqlm", "vptq", "spqr", "auto-round", "bitsandbytes", "bitnet", "chatglm", "fp8"
})  # fmt: skip
"""Methods with loaders that only read packed weights; the other methods quantize plain weights while loading.

fp8: on a GPU that calculates in fp8, FP8Linear of transformers 5.23 casts the weights and leaves every weight_scale_inv
random; on any other machine it reads the weights as floats, which 4.57 refuses without a GPU. chatglm: its code builds
packed layers before it loads (`self.quantize` in `__init__`).
"""


def nothing_packed(unpacked: Unpacked, lines: Sequence[Line], *, left_plain: bool) -> Iterator[NothingPacked]:
    """The finding on a block without any packed weight: an error if its loaders read only packed weights.

    left_plain: the loader of the method replaces no layer of this model.
    """
    settings = unpacked.settings
    if not settings.known or any(unpacked.schemes.values()) or _is_float_form(settings.base):
        return
    needed = settings.base.method in PACKED_ONLY or _needs_scales(unpacked, lines)
    yield (NotPacked if needed and not left_plain else NothingPacked)(
        place=Place(key=settings.source),
        method=settings.base.method,
        bits=settings.base.bits,
        group_size=settings.base.group_size,
    )


def _is_float_form(setting: ModuleSettings) -> bool:
    """True if a block declares no packed weights: a block of AutoBitLinear, or of bitsandbytes with
    neither switch on.
    """
    by_method = {"bitnet": setting.variant == AUTO_BIT_LINEAR, "bitsandbytes": setting.bits is None}
    return by_method.get(setting.method or "", setting.method is None)


def _needs_scales(unpacked: Unpacked, lines: Sequence[Line]) -> bool:
    """True if a method creates scales for every linear module that its block selects, and no stored weight has scales.

    compressed-tensors does so for any `quantization_status` (transformers 5.23 with compressed-tensors 0.20).
    """
    settings = unpacked.settings
    if settings.base.method != "compressed-tensors" or not settings.whole:
        return False
    linear = (line for line in lines if line.block is not None and line.block.slot.kind.name == "linear")
    return any(
        setting.bits is not None and setting.skipped is None
        for line in linear
        for setting, _ in settings.for_family(line.family.removesuffix(".weight"), line.boxes)
    )
