"""Finds a config.json in the folder of an adapter without weights of a model.

Source: `from_pretrained` in transformers 5.23, `models/auto/auto_factory.py`: it takes the base that the adapter names
only if the local folder has no config.json; 4.57 always does. Loaded with both, and with PEFT 0.21, which reads
adapter_config.json alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.auditing.adapter.base_read import BaseRead
from inspector.auditing.adapter.recognized import of_peft
from inspector.findings.finding import Finding
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.loaders import PEFT, TRANSFORMERS
from inspector.loader.other_files import TRAINED_BESIDE
from inspector.loading.tables import type_of_class

TYPED: Final = ("model_type", "architectures")
"""Keys by which a config names its model."""
METHOD: Final = "peft_type"
OF_LLAVA: Final = "mm_vision_tower"
BITS: Final = {"load_in_4bit": 4, "load_in_8bit": 8}
FLOATS: Final = frozenset({"F16", "BF16", "F32"})
"""Dtypes of a base that is not quantized: bitsandbytes stores integers."""


def config_beside(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The finding on a config.json next to an adapter of PEFT that is alone in its folder."""
    config, adapter = checkpoint.config, checkpoint.adapter
    if config is None or adapter is None or not of_peft(checkpoint) or not PEFT.finds(checkpoint.set_name):
        return
    if config.file != TRANSFORMERS.config or adapter.file != PEFT.config:
        return
    if any(map(TRANSFORMERS.finds, checkpoint.siblings)):
        return
    stated = next((name for key in TYPED if (name := _text(config.values.get(key)))), "")
    if METHOD in config.values and not stated:
        from inspector.findings.adapters.config_beside import AdapterConfigAsModels

        yield AdapterConfigAsModels(same=config.values == adapter.values)
    elif stated and checkpoint.folder and METHOD in adapter.values and _of_transformers(config):
        from inspector.findings.adapters.config_beside import ModelConfigBesideAdapter

        yield ModelConfigBesideAdapter(of=stated)


def quantization_beside(checkpoint: Checkpoint, base: BaseRead | None) -> Iterator[Finding]:
    """The finding on the quantization of the training in the config.json of a LoRA that LLaVA's code loads.

    Source: LLaVA, `load_pretrained_model` in `llava/model/builder.py`: the base is built with this config.
    """
    config = checkpoint.config
    if config is None or config.file != TRANSFORMERS.config or not of_peft(checkpoint):
        return
    block = config.values.get("quantization_config")
    if OF_LLAVA not in config.values or TRAINED_BESIDE not in checkpoint.siblings or not isinstance(block, dict):
        return
    bits = next((BITS[key] for key in BITS if block.get(key) is True), None)
    if bits is None or block.get("quant_method", "bitsandbytes") != "bitsandbytes":
        return
    stored = set() if base is None or base.audited is None else _dtypes(base.audited.checkpoint)
    from inspector.findings.adapters.config_beside import QuantizationBesideLora, QuantizationOfTraining

    if not stored:
        yield QuantizationBesideLora(bits=bits, base="")
    elif stored <= FLOATS:
        yield QuantizationOfTraining(bits=bits, base=", ".join(sorted(stored)))


def _dtypes(checkpoint: Checkpoint) -> set[str]:
    return {layout.dtype for layout in checkpoint.tensors.values()}


def _of_transformers(config: Config) -> bool:
    """True if transformers has the class; code of others, such as LLaVA's, may read this config."""
    name = _text(config.values.get("architectures"))
    return "auto_map" not in config.values and (not name or type_of_class(name) is not None)


def _text(stated: object) -> str:
    """A name, or the first of a list of names; "" for anything else."""
    first = stated[0] if isinstance(stated, list) and stated else stated
    return first if isinstance(first, str) else ""
