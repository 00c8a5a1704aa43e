"""The finding on quantized modules in a layout that current loaders do not read."""

from __future__ import annotations

from inspector.findings.finding import Rows
from inspector.findings.types.modules import PackedModules


class PackingObsolete(PackedModules, frozen=True, kw_only=True):
    """Quantized modules are stored in the first layout of GPTQ, which today's loaders do not read.

    What it means
        GPTQ-for-LLaMa wrote it until March 2023: floating-point `zeros` in place of `qzeros`, and `zeros` and `scales`
        with one row for each output.

    Why it matters
        transformers, vLLM, GPTQModel and AutoGPTQ look for `qzeros` and scales of another shape. Transposing the
        scales does not help: the zero points would still be missing.

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
        Download a newer quantized version or quantize the original model again. alpaca_lora_4bit reads the files.
    """

    code = "T646"
    always_one = True

    remedy_text = (
        "download a newer quantized version, or quantize the original model again; to use these files as they "
        "are, load them with alpaca_lora_4bit and groupsize=-1"
    )

    def rows(self) -> Rows:
        return [
            *self.packing(),
            ("stored", "zeros as floats in place of qzeros; zeros and scales with a row for each output"),
            (
                "because",
                "the layout of GPTQ-for-LLaMa until March 2023; transformers, vLLM and GPTQModel do not read it",
            ),
        ]
