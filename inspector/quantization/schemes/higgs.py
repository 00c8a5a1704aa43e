"""HIGGS: `weight` I16 [out*b/16, in], `scales` [out, in/g], `tables` [2^b], `tables2` [2^b, 2^b, 2]."""

from __future__ import annotations

from inspector.quantization.module import (
    ModuleReading,
    Scheme,
    Tensors,
    UnpackedTensor,
    ceil_div,
    group_of,
    groups_reported,
)
from inspector.quantization.stated import ModuleSettings

SIZES = (256, 128, 64, 512, 1024)
"""Usual group sizes, beginning with the default of transformers' HiggsConfig; the last group may be partly filled."""


def _is_higgs(tensors: Tensors, setting: ModuleSettings) -> bool:
    values, scales = tensors["weight"], tensors.get("scales")
    if values.dtype != "I16" or len(values.shape) != 2:
        return False
    return setting.method == "higgs" or (scales is not None and ("tables" in tensors or "tables2" in tensors))


def _open(tensors: Tensors, setting: ModuleSettings) -> UnpackedTensor:
    reading = ModuleReading(tensors, setting)
    values, scales = tensors["weight"], tensors.get("scales")
    rows, inputs = values.shape
    tables = tensors.get("tables")
    bits = (tables.elements - 1).bit_length() if tables is not None and tables.elements > 1 else setting.bits or 4
    outputs = rows * 16 // bits
    if rows * 16 % bits and scales is not None and scales.shape:
        outputs = scales.shape[0]
    if ceil_div(outputs * bits, 16) != rows:
        bits = next((b for b in (2, 3, 4) if ceil_div(outputs * b, 16) == rows), bits)
    if ceil_div(outputs * bits, 16) != rows:
        reading.widths(f"weight has {rows} rows of 16 bits", f"scales has {outputs} outputs of {bits} bits")
    reading.compare("bits", bits)
    groups = groups_reported(tensors, ("scales",), 1, inputs, setting.group_size or 256)
    usual = (size for size in SIZES if ceil_div(inputs, size) == groups)
    fits = setting.group_size is not None and ceil_div(inputs, max(setting.group_size, 1)) == groups
    reading.compare("group_size", setting.group_size if fits else next(usual, inputs))
    reading.helper("scales", [(outputs, groups)], "one for each output and group")
    reading.helper("tables", [(2**bits,)], "one for each code")
    reading.helper("tables2", [(2**bits, 2**bits, 2)], "one for each pair of codes")
    return reading.result("weight", "higgs", (outputs, inputs), bits, group_of(inputs, groups, setting.group_size))


HIGGS = Scheme("higgs", "weight", ("scales", "tables"), ("tables2",), _is_higgs, _open)
