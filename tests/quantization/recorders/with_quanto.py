"""Records of optimum-quanto: a state dict after `quantize` and `freeze`, without a config.

pip install torch==2.13.0 transformers==5.23.0 optimum-quanto==0.2.7
python -m tests.quantization.recorders.with_quanto
"""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path

from tests.quantization.recorders.models import LLAMA, save_model, write

NOTES = "the state dict was written with safetensors; quanto's own save_pretrained did not run"


def main() -> None:
    """8 bits in floats, and 4 bits in integers; the head stays as it is."""
    quanto = import_module("optimum.quanto")
    save_file = import_module("safetensors.torch").save_file
    AutoModelForCausalLM = import_module("transformers").AutoModelForCausalLM

    for name, weights in (("quanto_float8", quanto.qfloat8), ("quanto_int4", quanto.qint4)):
        with tempfile.TemporaryDirectory() as folder:
            before, after = save_model(Path(folder) / "before", LLAMA), Path(folder) / "after"
            model = AutoModelForCausalLM.from_pretrained(before)
            quanto.quantize(model, weights=weights, exclude="lm_head")
            quanto.freeze(model)
            after.mkdir()
            save_file({key: value.contiguous() for key, value in model.state_dict().items()}, after / "a.safetensors")
            write(name, before, after, "optimum-quanto quantize+freeze+state_dict", ("optimum-quanto", "torch"), NOTES)


if __name__ == "__main__":
    main()
