"""Audits adapters of mlx-lm: compares their config with their tensors, and handles adapters that contain the last
layers as a whole.

Source: mlx-lm 0.32 (`lora.py`, `tuner/utils.py`). With `fine_tune_type` "full" it trains and saves all weights of the
last layers under the names of its own model, and refuses a file with other names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from inspector.adapters.changed_modules import ChangedModule
from inspector.adapters.mlx_settings import TYPE, mlx_settings, settings_shown
from inspector.adapters.tool_base import BaseModules, Compared, ModuleDifference, plain
from inspector.adapters.tool_modules import writer_of
from inspector.adapters.tools import ToolTensor
from inspector.algebra.boxes import tuples
from inspector.algebra.names import name_of
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.loaders import MLX_ADAPTERS, OF_MLX
from inspector.matcher.families import Families

MLX_KEYS: Final = {"lora_parameters", TYPE, "lora_layers"}
"""Keys of mlx-lm's adapter_config.json."""
WRITER: Final = "MLX"
ARCHIVE: Final = "adapters.npz"
"""The file of the first versions of mlx-lm."""
WHOLE: Final = "full"
FORMAT: Final = "mlx"
"""Format that mlx-lm states in the header of a model that it saved under the names of its own model."""
BLOCKS: Final = ".#."
LAYER: Final = re.compile(r".*?\.\d{1,6}\.")
"""The beginning of a name up to and including the number of its layer."""


def of_whole_layers(checkpoint: Checkpoint) -> bool:
    """True if the file contains whole layers, by its config, or without a config by a name that only mlx-lm uses."""
    if checkpoint.alone or not MLX_ADAPTERS.finds(checkpoint.set_name):
        return False
    if checkpoint.adapter is None:
        return checkpoint.config is None and not any(".lora_" in name for name in checkpoint.tensors)
    return checkpoint.adapter.values.get(TYPE) == WHOLE


def whole_weights(families: Families) -> dict[str, ToolTensor]:
    """Each tensor as a replacement of the base's tensor."""
    return {key: ToolTensor("", key, WHOLE, "set_weight", WRITER) for key in families}


def findings_of_mlx(
    checkpoint: Checkpoint, found: Mapping[str, ToolTensor], modules: Sequence[ChangedModule], base: BaseModules | None
) -> Iterator[Finding]:
    """Yields the finding that the config of an adapter of mlx-lm is absent, lacks settings, or does not fit its
    tensors.
    """
    if checkpoint.alone or not checkpoint.readable or writer_of(found) != WRITER:
        return
    if checkpoint.set_name == ARCHIVE:
        from inspector.findings.adapters.mlx import AdapterInArchive

        yield AdapterInArchive(place=Place(file=ARCHIVE), shown=settings_shown(modules))
    elif not MLX_ADAPTERS.finds(checkpoint.set_name):
        return
    elif checkpoint.adapter is None:
        from inspector.findings.absent_config import ConfigMissing
        from inspector.findings.adapters.mlx import SCALE

        shown = {} if of_whole_layers(checkpoint) else settings_shown(modules)
        place = Place(file=MLX_ADAPTERS.config)
        yield ConfigMissing(place=place, loader=OF_MLX, similar=None, shown=shown, unshown=SCALE)
    elif not of_whole_layers(checkpoint):
        yield from mlx_settings(checkpoint.adapter.values, modules, base)


def compare_whole(families: Families, base: Audit, laid: BaseModules) -> Compared:
    """Compares each tensor with the tensor of the same name in the base; a base that mlx-lm did not save may use other
    names and layouts for some.
    """
    stored = base.checkpoint.tensors
    own = any((file.metadata or {}).get("format") == FORMAT for file in base.checkpoint.files)
    weights = next(iter(laid.modules.values())) if len(laid.modules) == 1 else {}
    differences: list[ModuleDifference] = []
    lost: list[str] = []
    tensors = 0
    for key, family in families.items():
        for part in family.stored:
            for name in (name_of(key, index) for box in part.boxes for index in tuples(box)):
                tensors += 1
                shape = stored[name].shape if name in stored else weights.get(plain(name.removesuffix(".weight")))
                if shape is None:
                    lost.append(name)
                elif shape != part.layout.shape and (own or len(shape) == len(part.layout.shape) != 3):
                    differences.append(ModuleDifference(name, name, part.layout.shape, shape))
    absent = tuple(_absent(families, base)) if own and not lost else ()
    unmatched, unchecked = (tuple(lost), ()) if own else ((), tuple(lost))
    return Compared(tensors, tensors, unmatched, unchecked, tuple(differences), absent)


def _absent(families: Families, base: Audit) -> Iterator[str]:
    """Tensors of the base that are absent in layers with other stored tensors."""
    stored = {
        name_of(key, index)
        for key, one in families.items()
        if BLOCKS in key
        for box in one.boxes
        for index in tuples(box)
    }
    layers = {found[0] for name in stored if (found := LAYER.match(name)) is not None}
    for name in base.checkpoint.tensors:
        found = LAYER.match(name)
        if found is not None and found[0] in layers and name not in stored:
            yield name
