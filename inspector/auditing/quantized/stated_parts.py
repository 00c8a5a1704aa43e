"""Finds parts of quantized weights that the metadata of a file lists and that no weight has.

For each weight, torchao writes the tensors into which it was divided (`_tensor_data_names` in `__metadata__`), and
looks for all of them (`unflatten_tensor_state_dict` in `torchao.prototype.safetensors`; measured with transformers 5.24
and torchao 0.18: it raises). A part that only some weights lack is found by comparison with the other weights; the
names in the metadata are those of the model in memory, which may differ from the names in the file (LLaVA's, saved by
transformers 5).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from inspector.findings.types.packed import PackingHelperMissing
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.layout import Layout
from inspector.matcher.families import families_of
from inspector.quantization.unpacked import ModuleProblem, Unpacked

LISTED: Final = "_tensor_data_names"
SCHEME: Final = "torchao"


def parts_missing(checkpoint: Checkpoint, unpacked: Unpacked) -> Iterator[ModuleProblem]:
    """A problem for each family of missing parts."""
    if SCHEME not in unpacked.schemes or checkpoint.lost or checkpoint.partial:
        return
    missed = {case.finding.helper for case in unpacked.cases if isinstance(case.finding, PackingHelperMissing)}
    wanted: dict[str, list[str]] = {}
    for file in checkpoint.files:
        for part, name in _stated(file.metadata or {}):
            wanted.setdefault(part, []).append(name)
    for part, names in wanted.items():
        if part in missed or any(name.endswith(f".{part}") for name in checkpoint.tensors):
            continue
        finding = PackingHelperMissing(helper=part, expected=())
        for family in families_of(dict.fromkeys(names, Layout("U8", (), 1, 1))).values():
            yield ModuleProblem(finding, family.key, family.boxes, SCHEME)


def _stated(metadata: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(ending, full name) of each part: `_weight_scale` of the module of `q_proj.weight`."""
    for weight, text in metadata.items():
        module, _, leaf = weight.rpartition(".")
        for part in _parts(text) if module and LISTED in text else ():
            yield f"_{leaf}_{part}", f"{module}._{leaf}_{part}"


def _parts(text: str) -> tuple[str, ...]:
    """The parts listed in an entry; () if torchao did not write it."""
    try:
        listed = json.loads(text)[LISTED]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()
    return tuple(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else ()
