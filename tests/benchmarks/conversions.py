"""Writes sparse full-size checkpoints before and after conversion: Llama-3-70B to GGUF, Mixtral 8x7B stacked.

python -m tests.benchmarks.conversions FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.checkpoints import Spec, genuine, write
from tests.comparing.listings import Side, gguf, in_memory, side
from tests.comparing.pair_audits import write_gguf
from tests.sparse_models import LLAMA8B

LLAMA70B: dict[str, Any] = {
    **LLAMA8B, "hidden_size": 8192, "intermediate_size": 28672, "num_hidden_layers": 80, "num_attention_heads": 64,
}  # fmt: skip
MIXTRAL: dict[str, Any] = {
    **LLAMA8B, "architectures": ["MixtralForCausalLM"], "model_type": "mixtral", "vocab_size": 32000,
    "num_local_experts": 8, "num_experts_per_tok": 2,
}  # fmt: skip
PAIRS = {"llama70b": ("llama70b", "llama70b-gguf"), "mixtral": ("mixtral", "mixtral-stacked")}
"""Name of a conversion -> folders of source and target."""


def spec_of(made: Side) -> Spec:
    """The listing of a side."""
    return {name: (dtype, tuple(shape)) for name, (dtype, shape) in made["tensors"].items()}


def make(folder: Path) -> None:
    """Write all four checkpoints."""
    llama, mixtral = side(LLAMA70B, genuine(LLAMA70B)), side(MIXTRAL, genuine(MIXTRAL))
    write(folder / "llama70b", spec_of(llama), LLAMA70B, shards=30)
    converted = gguf(llama, "Q8_0")
    (folder / "llama70b-gguf").mkdir()
    write_gguf(folder / "llama70b-gguf" / "model.gguf", spec_of(converted), converted["values"])
    write(folder / "mixtral", spec_of(mixtral), MIXTRAL, shards=19)
    write(folder / "mixtral-stacked", spec_of(in_memory(mixtral)), MIXTRAL, shards=19)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
