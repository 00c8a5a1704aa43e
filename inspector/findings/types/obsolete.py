"""The finding on quantized modules in a layout that current loaders do not read."""

from __future__ import annotations

from typing import Final, NamedTuple

from inspector.findings.finding import Remedy, Rows
from inspector.findings.types.modules import PackedModules


class OldLayout(NamedTuple):
    """A layout that current loaders do not read: what is stored, who wrote it, what still reads it."""

    stored: str
    because: str
    read_by: str


FLOAT_ZEROS: Final = "float zeros"
MARLIN: Final = "marlin"
LAYOUTS: Final = {  # AutoGPTQ up to 0.7.1 states is_marlin_format (vLLM, `override_quantization_method`)
    FLOAT_ZEROS: OldLayout(
        "zeros as floats in place of qzeros; zeros and scales with a row for each output",
        "the layout of GPTQ-for-LLaMa until March 2023; transformers, vLLM and GPTQModel do not read it",
        "alpaca_lora_4bit and groupsize=-1",
    ),
    MARLIN: OldLayout(
        "B and s in the tiles of Marlin's kernels in place of qweight, qzeros and scales",
        "the layout of AutoGPTQ's use_marlin; transformers, vLLM 0.33 and GPTQModel 7 look for qweight",
        "AutoGPTQ 0.7",
    ),
}


class PackingObsolete(PackedModules, frozen=True, kw_only=True):
    """Quantized modules are stored in a layout of GPTQ that today's loaders do not read.

    What it means
        GPTQ-for-LLaMa wrote one until March 2023: floating-point `zeros` in place of `qzeros`, and `zeros` and `scales`
        with one row for each output. AutoGPTQ wrote another with `use_marlin` (`is_marlin_format`): `B` and `s`, in the
        order in which Marlin's kernels read them.

    Why it matters
        transformers, vLLM and GPTQModel look for `qweight`, `qzeros` and scales of another shape. Transposing the
        scales does not help: the zero points would still be missing. Current Marlin kernels repack the usual layout.

    Example
        error[T646] packing-obsolete: 21 modules such as
          model.layers.0.self_attn.q_proj.qweight
          where     layers 0-2, 21 modules
          packing   gptq-float-zeros
          families  model.layers.{layer}.self_attn.q_proj.qweight,
                    model.layers.{layer}.self_attn.k_proj.qweight,
                    model.layers.{layer}.self_attn.v_proj.qweight,
                    model.layers.{layer}.self_attn.o_proj.qweight and 3 more
          stored    zeros as floats in place of qzeros; zeros and scales with a row for
                    each output
          because   the layout of GPTQ-for-LLaMa until March 2023; transformers, vLLM
                    and GPTQModel do not read it
          help      download a newer quantized version, or quantize the original model
                    again; to use these files as they are, load them with
                    alpaca_lora_4bit and groupsize=-1

    What to do
        Download a newer quantized version or quantize the original model again. alpaca_lora_4bit reads the files of
        GPTQ-for-LLaMa.
    """

    code = "T646"
    always_one = True

    layout: str = FLOAT_ZEROS

    def rows(self) -> Rows:
        layout = LAYOUTS[self.layout]
        return [*self.packing(), ("stored", layout.stored), ("because", layout.because)]

    def remedy(self) -> Remedy:
        again = "download a newer quantized version, or quantize the original model again"
        return Remedy(f"{again}; to use these files as they are, load them with {LAYOUTS[self.layout].read_by}")
