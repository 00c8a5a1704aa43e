"""The finding on quantized modules in the state of ModelOpt before its export."""

from __future__ import annotations

from inspector.findings.finding import Remedy, Rows
from inspector.findings.types.modules import PackedModules
from inspector.findings.words import listed


class StateOfModelopt(PackedModules, frozen=True, kw_only=True):
    """Quantized modules are stored in ModelOpt's own state, which loaders do not read.

    What it means
        ModelOpt keeps scales and ranges in quantizers of each module: `weight_quantizer._scale`, `_double_scale` and
        `_amax`, `input_quantizer._amax`. Its export computes `weight_scale`, `weight_scale_2` and `input_scale` from
        them. Here modules were saved without it, all of them or, as with experts that the export did not know, some.

    Why it matters
        vLLM, SGLang, TensorRT-LLM and transformers look for the exported names: the scales are missing there. Renaming
        is not enough: the scale of inputs is computed from the range.

    Example
        error[T673] state-of-modelopt: 21 modules such as
          model.layers.0.self_attn.q_proj.weight
          where     layers 0-2, 21 modules
          packing   modelopt-state
          families  model.layers.{layer}.self_attn.q_proj.weight,
                    model.layers.{layer}.self_attn.k_proj.weight,
                    model.layers.{layer}.self_attn.v_proj.weight,
                    model.layers.{layer}.self_attn.o_proj.weight and 3 more
          stored    weight_quantizer._scale, weight_quantizer._double_scale,
                    input_quantizer._amax
          because   the state of ModelOpt's quantizers, of which its export makes
                    weight_scale and input_scale
          help      export the quantized model again with export_hf_checkpoint of
                    ModelOpt, in a version that exports these modules, or download
                    weights that were exported

    What to do
        Export the quantized model with `export_hf_checkpoint`, in a version of ModelOpt that knows all of its modules.
    """

    code = "T673"
    always_one = True

    stored: tuple[str, ...] = ()
    """The suffixes of the tensors of this state."""

    def alike(self) -> tuple[object, ...]:
        return ()

    def rows(self) -> Rows:
        return [
            *self.packing(),
            ("stored", listed(self.stored)),
            ("because", "the state of ModelOpt's quantizers, of which its export makes weight_scale and input_scale"),
        ]

    def remedy(self) -> Remedy:
        export = "export the quantized model again with export_hf_checkpoint of ModelOpt"
        return Remedy(f"{export}, in a version that exports these modules, or download weights that were exported")


class CalibrationOfModelopt(StateOfModelopt, frozen=True, kw_only=True):
    """Plain weights are stored next to the ranges that ModelOpt found in its calibration.

    What it means
        ModelOpt was applied to the model (`mtq.quantize`), which adds quantizers with a range (`_amax`) to its modules,
        and the model was saved without its export: the weights are still in their original dtype.

    Why it matters
        Nothing is quantized. vLLM refuses the names; transformers passes over them and loads the plain weights.

    Example
        warning[T674] calibration-of-modelopt: 21 modules such as
          model.layers.0.self_attn.q_proj.weight
          where     layers 0-2, 21 modules
          families  model.layers.{layer}.self_attn.q_proj.weight,
                    model.layers.{layer}.self_attn.k_proj.weight,
                    model.layers.{layer}.self_attn.v_proj.weight,
                    model.layers.{layer}.self_attn.o_proj.weight and 3 more
          stored    weight_quantizer._amax, input_quantizer._amax
          because   ModelOpt's quantizers keep it; its export quantizes the weights,
                    which are plain here
          help      export the model with export_hf_checkpoint of ModelOpt, or remove
                    these tensors and use the plain weights

    What to do
        Export the model with `export_hf_checkpoint`; or remove the quantizers' tensors to use the plain weights.
    """

    code = "T674"
    severity = "warning"

    def rows(self) -> Rows:
        because = "ModelOpt's quantizers keep it; its export quantizes the weights, which are plain here"
        return [row for row in super().rows() if row[0] not in ("packing", "because")] + [("because", because)]

    def remedy(self) -> Remedy:
        export = "export the model with export_hf_checkpoint of ModelOpt"
        return Remedy(f"{export}, or remove these tensors and use the plain weights")
