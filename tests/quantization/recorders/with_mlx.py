"""Records of MLX, which also runs on a CPU.

    pip install torch==2.13.0 transformers==5.23.0 "mlx[cpu]==0.32.4" mlx-lm==0.32.2
    python -m tests.quantization.recorders.with_mlx TOKENIZER

TOKENIZER is a folder with the files of any tokenizer of transformers, which `convert` loads and copies. Written from
the source of `mlx_lm.convert`; it has not been run in this form.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.quantization.recorders.models import LLAMA, MIXTRAL, save_model, write

RUNS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "mlx_bf16": (LLAMA, {}),
    "mlx_3bit_g64": (LLAMA, {"quantize": True, "q_bits": 3, "q_group_size": 64}),
    "mlx_4bit_g64": (LLAMA, {"quantize": True, "q_bits": 4, "q_group_size": 64}),
    "mlx_4bit_mixtral": (MIXTRAL, {"quantize": True, "q_bits": 4}),
    "mlx_mixed_3_6": (LLAMA, {"quantize": True, "quant_predicate": "mixed_3_6"}),
    "mlx_mxfp4": (LLAMA, {"quantize": True, "q_mode": "mxfp4"}),
    "mlx_nvfp4": (LLAMA, {"quantize": True, "q_mode": "nvfp4"}),
}
"""Record -> (model, arguments)."""


def main(tokenizer: Path) -> None:
    """Each run of `mlx_lm.convert`."""
    convert = import_module("mlx_lm").convert

    for name, (config, arguments) in RUNS.items():
        with tempfile.TemporaryDirectory() as folder:
            before, after = save_model(Path(folder) / "before", config), Path(folder) / "after"
            for file in tokenizer.iterdir():
                shutil.copy(file, before)
            convert(hf_path=str(before), mlx_path=str(after), **arguments)
            write(name, before, after, f"mlx_lm.convert {arguments}", ("mlx", "mlx-lm"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
