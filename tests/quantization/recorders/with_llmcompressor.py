"""Records of compressed-tensors as llmcompressor saves them, with schemes that need no calibration data.

    pip install torch==2.13.0 llmcompressor==0.14.0.1
    python -m tests.quantization.recorders.with_llmcompressor

llmcompressor requires another version of transformers: use a separate environment. Based on its guides to `oneshot` and
to saving a model; it has not been run in this form.
"""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path

from tests.quantization.recorders.models import LLAMA, save_model, write

PACKAGES = ("transformers", "torch", "llmcompressor", "compressed-tensors")
RUNS = {
    "ct_fp8_block": "FP8_BLOCK", "ct_fp8_dynamic": "FP8_DYNAMIC", "ct_mxfp4a16": "MXFP4A16", "ct_nvfp4a16": "NVFP4A16",
    "ct_w3a16": "W3A16", "ct_w4a16": "W4A16", "ct_w8a8": "W8A8",
}  # fmt: skip
"""Record -> scheme."""


def main() -> None:
    """Apply each scheme to every linear except the head."""
    oneshot = import_module("llmcompressor").oneshot
    QuantizationModifier = import_module("llmcompressor.modifiers.quantization").QuantizationModifier
    AutoModelForCausalLM = import_module("transformers").AutoModelForCausalLM

    for name, scheme in RUNS.items():
        with tempfile.TemporaryDirectory() as folder:
            before, after = save_model(Path(folder) / "before", LLAMA), Path(folder) / "after"
            model = AutoModelForCausalLM.from_pretrained(before, dtype="auto")
            oneshot(model=model, recipe=QuantizationModifier(targets="Linear", scheme=scheme, ignore=["lm_head"]))
            model.save_pretrained(after, save_compressed=True)
            write(name, before, after, f"llmcompressor oneshot QuantizationModifier {scheme}", PACKAGES)


if __name__ == "__main__":
    main()
