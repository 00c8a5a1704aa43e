"""Programs that look for a checkpoint's files by fixed names.

Sources: transformers 5, `modeling_utils.py` (`_get_resolved_checkpoint_files`) and `AutoConfig.from_pretrained`;
diffusers 0.42, `models/modeling_utils.py` and `utils/constants.py`; PEFT 0.21, `utils/constants.py` and
`utils/save_and_load.py` (`load_peft_weights`); mlx-lm, `tuner/utils.py` (`load_adapters`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

INDEX: Final = ".index.json"
WEIGHTS_KEY: Final = "transformers_weights"
"""The key of config.json with the file of weights, or the index, that transformers reads instead of its usual names."""
NAMED_ENDINGS: Final = (".safetensors", f".safetensors{INDEX}")
"""Endings of the files that this key may name (transformers 4.57 and 5.23 refuse others)."""


class Loader(Struct, frozen=True):
    """A program, the config and the weight files that it looks for.

    stems: file ending -> stem, in the order of preference. shards: it reads an index of shards. single_first: it
    prefers a single file to an index.
    """

    name: str
    config: str
    stems: Mapping[str, str]
    shards: bool = True
    single_first: bool = False

    def single(self, ending: str) -> str:
        """The name of a single file: "model.safetensors"."""
        return f"{self.stems[ending]}.{ending}"

    @property
    def files(self) -> tuple[str, ...]:
        """All names that the program looks for, in its order."""
        found: list[str] = []
        for ending in self.stems:
            single = self.single(ending)
            both = [single, single + INDEX] if self.shards else [single]
            found.extend(both if self.single_first else reversed(both))
        return tuple(found)

    def finds(self, name: str) -> bool:
        """True if the program looks for this single file or index."""
        return name in self.files


def named_weights(values: Mapping[str, object]) -> str:
    """The file or index that a config of transformers names for its weights; "" without such a name."""
    named = values.get(WEIGHTS_KEY)
    return named if isinstance(named, str) else ""


TRANSFORMERS: Final = Loader(
    "transformers", "config.json", {"safetensors": "model", "bin": "pytorch_model"}, single_first=True
)
DIFFUSERS: Final = Loader(
    "diffusers", "config.json", {"safetensors": "diffusion_pytorch_model", "bin": "diffusion_pytorch_model"}
)
PEFT: Final = Loader(
    "PEFT", "adapter_config.json", {"safetensors": "adapter_model", "bin": "adapter_model"}, shards=False
)
MLX_ADAPTERS: Final = Loader("mlx", "adapter_config.json", {"safetensors": "adapters"}, shards=False)
OF_MLX: Final = "mlx-lm"
"""The program that reads these files, as findings name it."""
LOADS_LORA: Final = "load_lora_weights"
"""The call of diffusers that adds a LoRA to a pipeline."""
LORA_STEM: Final = "pytorch_lora_weights"
"""Stem of the LoRA file that diffusers looks for; it has no config (`loaders/lora_base.py`)."""
