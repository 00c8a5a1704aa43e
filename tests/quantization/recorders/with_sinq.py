"""Records of SINQ, which transformers quantizes with while it loads; it runs on a CPU.

pip install torch==2.13.0 transformers==5.23.0 accelerate sinq==0.2.0
python -m tests.quantization.recorders.with_sinq
"""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path

from tests.quantization.recorders.models import LLAMA, save_model, write

NOTES = "without the frequencies of the rotary embedding, which are saved too"


def main() -> None:
    """Quantize every linear except the head in three widths."""
    transformers = import_module("transformers")
    for bits in (3, 4, 8):
        with tempfile.TemporaryDirectory() as folder:
            before, after = save_model(Path(folder) / "before", LLAMA), Path(folder) / "after"
            model = transformers.AutoModelForCausalLM.from_pretrained(
                before, quantization_config=transformers.SinqConfig(nbits=bits, group_size=64), device_map="cpu"
            )
            model.save_pretrained(after)
            packages = ("transformers", "sinq", "torch")
            write(f"sinq_{bits}bit_g64", before, after, "transformers+sinq CPU", packages, NOTES, without="inv_freq")


if __name__ == "__main__":
    main()
