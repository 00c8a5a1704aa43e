"""Records of methods that transformers quantizes with while it loads: bitsandbytes and torchao on a CPU.

pip install torch==2.13.0 transformers==5.23.0 accelerate bitsandbytes==0.50.2 torchao==0.18.0
python -m tests.quantization.recorders.with_transformers [NAME ...]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.quantization.recorders.models import LLAMA, MIXTRAL, ODD, save_model, write


def bitsandbytes(**settings: Any) -> Any:
    """Settings of bitsandbytes."""
    return import_module("transformers").BitsAndBytesConfig(**settings)


def nf4(double: bool, compute: str = "bfloat16") -> Any:
    """4 bits of bitsandbytes. double: whether the scales are quantized too; compute: the dtype of products."""
    return bitsandbytes(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=double,
                        bnb_4bit_compute_dtype=compute)  # fmt: skip


def torchao(name: str, **settings: Any) -> Any:
    """Settings of torchao by the name of its class."""
    kind = getattr(import_module("torchao.quantization"), name)
    return import_module("transformers").TorchAoConfig(kind(**settings))


RUNS: dict[str, tuple[dict[str, Any], str, Callable[[], Any]]] = {
    "bnb_int8": (LLAMA, "bitsandbytes", lambda: bitsandbytes(load_in_8bit=True)),
    "bnb_nf4": (LLAMA, "bitsandbytes", lambda: nf4(double=False)),
    "bnb_nf4_double": (LLAMA, "bitsandbytes", lambda: nf4(double=True)),
    "bnb_nf4_odd": (ODD, "bitsandbytes", lambda: nf4(double=True, compute="float32")),
    "bnb_nf4_mixtral": (MIXTRAL, "bitsandbytes", lambda: nf4(double=False, compute="float32")),
    "torchao_f8wo": (LLAMA, "torchao", lambda: torchao("Float8WeightOnlyConfig")),
    "torchao_int8wo": (LLAMA, "torchao", lambda: torchao("Int8WeightOnlyConfig")),
}
"""Record -> (model, package, settings)."""


def main(names: list[str]) -> None:
    """Save the model, load it with the settings of each run, and save it again."""
    torch = import_module("torch")
    AutoModelForCausalLM = import_module("transformers").AutoModelForCausalLM

    for name in names or RUNS:
        config, package, settings = RUNS[name]
        with tempfile.TemporaryDirectory() as folder:
            before, after = save_model(Path(folder) / "before", config), Path(folder) / "after"
            model = AutoModelForCausalLM.from_pretrained(
                before, quantization_config=settings(), device_map="cpu", dtype=torch.bfloat16
            )
            model.save_pretrained(after)
            packages = ("transformers", package, "torch")
            write(name, before, after, f"transformers+{package} CPU", packages)


if __name__ == "__main__":
    main(sys.argv[1:])
