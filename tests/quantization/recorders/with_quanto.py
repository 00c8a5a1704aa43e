"""Records of optimum-quanto, as its `save_pretrained` writes them: with each module's type in quanto_qmap.json.

pip install torch==2.13.0 transformers==5.23.0 accelerate optimum-quanto==0.2.7
python -m tests.quantization.recorders.with_quanto
"""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path

from tests.quantization.recorders.models import LLAMA, save_model, write

RUNS = {"quanto_float8": "qfloat8", "quanto_int8": "qint8", "quanto_int4": "qint4", "quanto_int2": "qint2"}
"""Record -> the type of the weights."""


def main() -> None:
    """Apply each type to every linear except the head."""
    quanto = import_module("optimum.quanto")
    AutoModelForCausalLM = import_module("transformers").AutoModelForCausalLM

    for name, weights in RUNS.items():
        with tempfile.TemporaryDirectory() as folder:
            before, after = save_model(Path(folder) / "before", LLAMA), Path(folder) / "after"
            model = AutoModelForCausalLM.from_pretrained(before)
            kind = getattr(quanto, weights)
            quanto.QuantizedModelForCausalLM.quantize(model, weights=kind, exclude="lm_head").save_pretrained(after)
            write(name, before, after, f"optimum-quanto QuantizedModelForCausalLM {weights}",
                  ("optimum-quanto", "transformers", "torch"))  # fmt: skip


if __name__ == "__main__":
    main()
