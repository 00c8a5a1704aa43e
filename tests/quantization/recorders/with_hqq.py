"""Records of HQQ through transformers 4.57: later versions of transformers do not save what HQQ quantized.

    pip install torch==2.13.0 transformers==4.57.3 accelerate hqq==0.2.8.post1
    python -m tests.quantization.recorders.with_hqq

Written from the documentation of `HqqConfig`; it has not been run in this form.
"""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path

from tests.quantization.recorders.models import LLAMA, save_model, write

RUNS = {"hqq_4bit_g64": (4, 64, 1), "hqq_4bit_g64_axis0": (4, 64, 0), "hqq_3bit_g64": (3, 64, 1)}
"""Record -> (bits, group size, axis)."""


def main() -> None:
    """Save the model, load it with the settings of each run, and save it again."""
    torch = import_module("torch")
    transformers = import_module("transformers")

    for name, (bits, group_size, axis) in RUNS.items():
        with tempfile.TemporaryDirectory() as folder:
            before, after = save_model(Path(folder) / "before", LLAMA), Path(folder) / "after"
            settings = transformers.HqqConfig(nbits=bits, group_size=group_size, axis=axis)
            model = transformers.AutoModelForCausalLM.from_pretrained(
                before, quantization_config=settings, device_map="cpu", dtype=torch.float32
            )
            model.save_pretrained(after)
            write(name, before, after, "transformers HqqConfig + hqq CPU", ("transformers", "torch", "hqq"))


if __name__ == "__main__":
    main()
