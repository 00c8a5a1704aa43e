"""Determines the `quant_algo` of ModelOpt that the tensors of a module have.

vLLM builds a module by `quant_algo` alone (`layers/quantization/modelopt.py`): its tensors must be those of that
algorithm. The names are those that ModelOpt writes (`torch/export/quant_utils.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from inspector.findings.types.packed import PackingHelperMissing
from inspector.findings.types.packing_config import PackingConfigDisagrees, PackingConfigUnread
from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.module import Scheme, Tensors, UnpackedTensor
from inspector.quantization.schemes.fp8 import BLOCKS_OF_MODELOPT, four_dims, shared_by
from inspector.quantization.stated import ModuleSettings

ALGORITHMS: Final[Mapping[str, tuple[int, int | None]]] = {
    "fp8": (8, None), "nvfp4": (4, 16), "w4a16_nvfp4": (4, 16), "nvfp4_awq": (4, 16), "nvfp4_svd": (4, 16),
    "w4a8_nvfp4_fp8": (4, 32), "mxfp4": (4, 32), "w4a8_mxfp4_fp8": (4, 32), "mxfp8": (8, 32), "w4a16_awq": (4, None),
    "w4a8_awq": (4, 128), "int8_sq": (8, None), "w8a16": (8, None), "w8a8_sq_per_channel": (8, None),
    BLOCKS_OF_MODELOPT: (8, None), "fp8_per_channel_per_token": (8, None),
}  # fmt: skip
"""quant_algo in lower case -> bits, default group size."""
INTEGER: Final = ("int8_sq", "w8a8_sq_per_channel", "w8a16")
INTEGER_4: Final = ("w4a16_awq", "w4a8_awq")
STATIC: Final = ("fp8", "nvfp4", "nvfp4_awq", "w4a8_awq", "w4a8_nvfp4_fp8")
"""Algorithms with a static scale of the inputs."""
WITHOUT_GROUPS: Final = ("fp8", "int8_sq", BLOCKS_OF_MODELOPT, "w8a8_sq_per_channel")
MIXED: Final = "mixed_precision"
"""The algorithm of a block that states one for each module in `quantized_layers`, which other algorithms ignore."""
BY_SCALE: Final[Mapping[str | None, tuple[str, ...]]] = {
    "tensor": ("fp8",), "channel": ("fp8_per_channel_per_token",), "block": (BLOCKS_OF_MODELOPT,), "mx": ("mxfp8",),
}  # fmt: skip
"""What shares a scale of unpacked floats -> the algorithm."""
INPUT: Final = "input_scale"
EXPERTS: Final = ".experts."
_NVFP4: Final = ("nvfp4", "nvfp4_awq", "nvfp4_svd", "w4a16_nvfp4")


def shown(scheme: str, tensors: Tensors) -> tuple[str, ...]:
    """The algorithms that the tensors of a module may have, the one to state first; () if a missing scale leaves it
    open.
    """
    values, scale = tensors["weight"], tensors.get("weight_scale")
    if scale is None:
        return ()
    if scheme in ("fp8", "mxfp8"):
        return BY_SCALE.get(shared_by(values.shape, scale.shape, scale.dtype, None), ())
    if scheme == "int8":
        usual = ("w8a8_sq_per_channel", "int8_sq", "w8a16")
        return usual if INPUT in tensors or "pre_quant_scale" in tensors else ("w8a16", *usual[:2])
    upright = values.shape[:-1] == scale.shape[:-1]
    if scheme == "nvfp4" and upright and scale.shape[-1:] == (2 * values.shape[-1] / 32,):
        return ("w4a8_nvfp4_fp8",)
    if scheme == "nvfp4":
        return _NVFP4 if INPUT in tensors else ("w4a16_nvfp4", *_NVFP4[:-1])
    if scheme == "int4-awq":
        return ("w4a8_awq",) if "weight_scale_2" in tensors else ("w4a16_awq", "w4a8_awq")
    return ("mxfp4", "w4a8_mxfp4_fp8") if scheme == "mxfp4" else ()


def unread(algorithm: str, weights: ConfigBlock) -> tuple[tuple[str, object, object], ...]:
    """Settings of a group's weights that contradict the algorithm: (key, value, the value that the algorithm means)."""
    if algorithm not in ALGORITHMS:
        return ()
    bits, _ = ALGORITHMS[algorithm]
    kind = "int" if algorithm in (*INTEGER, *INTEGER_4) else "float"
    means = {"num_bits": bits, "type": kind}
    return tuple(
        (f"{weights.key}.{key}", weights.values[key], right)
        for key, right in means.items()
        if key in weights.values and weights.values[key] != right
    )


def _with_scales_of_linear(opened: UnpackedTensor, tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    """A linear layer; scales of blocks under the name and in the shape that only experts have are a fault.

    vLLM's linear layers have a `weight_scale` of four dims (`KFp8Block128`), and mixed experts those of fp8
    (`Fp8MoEMethod`).
    """
    inverse, values = tensors.get("weight_scale_inv"), tensors["weight"]
    if inverse is None or setting.variant != BLOCKS_OF_MODELOPT or len(values.shape) != 2:
        return opened
    expected = (four_dims(values.shape),)
    missing = PackingHelperMissing(
        helper="weight_scale", expected=expected, stored_as="weight_scale_inv", reshaped=inverse.shape not in expected
    )
    return replace(opened, faults=(*opened.faults, missing))


def by_algorithm(
    opened: UnpackedTensor, scheme: Scheme, tensors: Tensors, setting: ModuleSettings, module: str
) -> UnpackedTensor:
    """The module; if the stated algorithm is not that of its tensors, this is the only fault of its settings.

    module: its family.
    """
    if EXPERTS not in module:
        opened = _with_scales_of_linear(opened, tensors, setting)
    stated = setting.variant
    if opened.packed is None or stated is None or (stated and stated not in ALGORITHMS):
        return opened
    found = shown(opened.packed.scheme, tensors)
    if not found or stated in found:
        beside = (
            PackingConfigUnread(key=key, what=key.rpartition(".")[2], config=config, plain=True, weights=right)
            for key, config, right in setting.unread
        )
        return replace(opened, faults=(*opened.faults, *beside))
    bits, _ = ALGORITHMS[found[0]]
    other = replace(
        setting, variant=found[0], bits=bits, group_size=None, block=None, number_type=None,
        activations=INPUT if found[0] in STATIC else None,
    )  # fmt: skip
    right = scheme.open(tensors, other)
    disagrees = PackingConfigDisagrees(
        key=setting.key("variant"), what="variant", config=setting.shown.get("variant"), plain=True,
        weights=(MIXED if MIXED in setting.shown else found[0]).upper(),
    )  # fmt: skip
    return replace(right, faults=(disagrees, *right.faults), agreed=())
