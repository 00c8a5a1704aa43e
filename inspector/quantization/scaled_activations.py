"""Handles the scales of activation functions that AWQ stores next to quantized matrices: `mlp.act.scales` [width].

AutoAWQ divides the outputs of a GELU, which cannot be merged into the matrix before it. transformers builds the
function with a parameter `scales` and reads it (`replace_quantization_scales` of `integrations/awq.py`, 4.57 and 5.23),
for BLOOM, Falcon, GPT-BigCode, GPT-J, GPT-NeoX, MPT and StarCoder2; so does vLLM (`ScaledActivation`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from inspector.algebra.boxes import Box, minus
from inspector.findings.types.packed import PackingHelperMissing
from inspector.quantization.modules import Module
from inspector.quantization.work import Work

METHOD: Final = "awq"
SCALES: Final = "scales"
LAYERS: Final = {"act": ("c_fc", "dense_h_to_4h", "up_proj", "fc_in"), "gelu_impl": ("dense_h_to_4h",)}
"""Name of the function -> names of the matrix before it."""


def take_scaled_activations(work: Work, modules: Sequence[Module]) -> list[Module]:
    """The modules without scaled activation functions. Their scales become helpers of the preceding matrix."""
    if work.settings.base.method not in (None, METHOD):
        return list(modules)
    by_key = {module.key: module for module in modules}
    left = []
    for module in modules:
        matrix = _matrix_before(module, by_key)
        if matrix is None:
            left.append(module)
        else:
            _take(work, module, matrix)
    return left


def _matrix_before(module: Module, modules: dict[str, Module]) -> Module | None:
    """The quantized matrix with outputs that a module scales, with one number for each output."""
    path, _, name = module.key.rpartition(".")
    if name not in LAYERS or set(module.parts) != {SCALES}:
        return None
    shapes = {part.layout.shape for part in module.parts[SCALES].stored}
    for layer in LAYERS[name]:
        matrix = modules.get(f"{path}.{layer}")
        if matrix is not None and "qweight" in matrix.parts and SCALES in matrix.parts:
            widths = {(dim,) for part in matrix.parts[SCALES].stored for dim in part.layout.shape}
            return matrix if shapes <= widths else None
    return None


def _take(work: Work, module: Module, matrix: Module) -> None:
    name = module.name(SCALES)
    boxes: tuple[Box, ...] = ()
    for part in module.parts[SCALES].stored:
        work.add_stored_helper(name, part, METHOD, matrix.logical)
        boxes += part.boxes
    everywhere = tuple(box for part in matrix.parts["qweight"].stored for box in part.boxes)
    if lost := work.not_lost(name, minus(everywhere, boxes)):
        shape = module.parts[SCALES].stored[0].layout.shape
        work.report(PackingHelperMissing(helper=SCALES, expected=(shape,)), module, SCALES, lost, METHOD)
