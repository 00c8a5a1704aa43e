"""The classes of torchao in pickled weights, and which of them torch loads once torchao is imported.

Source: `torch.serialization.get_safe_globals()` after importing torchao 0.18 under torch 2.13. The quantizers of
transformers and diffusers import torchao if config.json names its method; older classes have no module any more.
"""

from __future__ import annotations

from typing import Final

PACKAGE: Final = "torchao."
METHOD: Final = "torchao"
_PACKED: Final = (
    "Float8Tensor Int4PlainInt32Tensor Int4PreshuffledTensor Int4Tensor Int4TilePackedTo4dTensor Int8Tensor "
    "IntxOpaqueTensor IntxUnpackedToInt8Tensor"
)
_OF_WORKFLOWS: Final = (
    "float8.float8_packing_format.Float8PackingFormat "
    "float8.float8_sparse_2x4_1d_data_1d_metadata_tensor.Float8Sparse2x4_1DData1DMetadataTensor "
    "float8.float8_sparse_2x4_2d_data_2d_metadata_tensor.Float8Sparse2x4_2DData2DMetadataTensor "
    "float8.float8_tensor.QuantizeTensorToFloat8Kwargs int8.int8_tensor.QuantizeTensorToInt8Kwargs "
    "intx.intx_packing_format.IntxPackingFormat "
    "intx.intx_unpacked_to_int8_tensor.IntxUnpackedToInt8TensorActivationQuantization nf4.nf4_tensor.NF4Tensor"
)
_SETTINGS: Final = (
    "float8.inference.Float8MMConfig quantization.granularity.PerBlock quantization.granularity.PerRow "
    "quantization.granularity.PerTensor quantization.quant_primitives.MappingType "
    "quantization.quant_primitives.ZeroPointDomain quantization.quantize_.common.kernel_preference.KernelPreference"
)
LOADED: Final = frozenset({
    *(f"{PACKAGE}quantization.{name}" for name in _PACKED.split()),
    *(f"{PACKAGE}quantization.quantize_.workflows.{name}" for name in _OF_WORKFLOWS.split()),
    *(f"{PACKAGE}{name}" for name in _SETTINGS.split()),
})  # fmt: skip
"""Quantized tensors and their settings that torch loads with weights_only once torchao is imported."""
