"""The quantization of ChatGLM's own code: integers of 8 bits, or of 4 bits, two in a byte along the inputs.

`weight` I8 [out, in * bits / 8] with a `weight_scale` for each output; the config has `quantization_bit` at the top and
no block. Source: `QuantizedLinear` and `QuantizedEmbedding` in quantization.py of the repositories of ChatGLM-6B,
ChatGLM2-6B and ChatGLM3-6B.
"""

from __future__ import annotations

from typing import Final

from inspector.quantization.config_block import ConfigBlock
from inspector.quantization.loaders import CHATGLM_METHOD
from inspector.quantization.module import FLOATS, ModuleReading, Scheme, Tensors, UnpackedTensor
from inspector.quantization.settings import QuantizationSettings
from inspector.quantization.signs import BITS_OF_CHATGLM
from inspector.quantization.stated import ModuleSettings

WIDTHS: Final = (4, 8)
BYTE: Final = 8


def settings(block: ConfigBlock) -> QuantizationSettings:
    """The one setting, as a variant: the widths of the model decide on the bits, whatever is stated."""
    stated = block.integer(BITS_OF_CHATGLM)
    keys = dict.fromkeys(("method", "bits"), BITS_OF_CHATGLM)
    return QuantizationSettings(ModuleSettings(CHATGLM_METHOD, variant=str(stated or ""), keys=keys))


def _is_chatglm(tensors: Tensors, setting: ModuleSettings) -> bool:
    """True if the config states the method, or if half of a width of the model is stored with a scale for each row."""
    values, scale = tensors["weight"], tensors.get("weight_scale")
    if len(values.shape) != 2 or setting.method == CHATGLM_METHOD:
        return len(values.shape) == 2
    width = values.shape[1]
    by_row = scale is not None and scale.shape == values.shape[:1]
    return by_row and width not in setting.dims and 2 * width in setting.dims


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    outputs, width = tensors["weight"].shape
    fitting = [bits for bits in WIDTHS if width * BYTE // bits in setting.dims]
    stated = int(setting.variant) if setting.variant else None
    bits = fitting[0] if len(fitting) == 1 else setting.other_bits or stated or WIDTHS[0]
    if stated is not None and bits != stated:
        reading.contradicts("bits", stated, bits)
    reading.helper("weight_scale", [(outputs,)], "one for each output", FLOATS)
    return reading.result("weight", CHATGLM_METHOD, (outputs, width * BYTE // bits), bits)


CHATGLM = Scheme(CHATGLM_METHOD, "weight", ("weight_scale",), (), _is_chatglm, _open)
