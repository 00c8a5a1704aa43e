"""Names of parameters at the top of a model in the metadata that torchao writes.

Source: `unflatten_tensor_state_dict` of torchao 0.18, which splits each name of `tensor_names` at its last dot.
Measured with transformers 5.24 for BART (`final_logits_bias`) and SigLIP (`logit_scale`): it refuses the file ("not
enough values to unpack"), and loads it completely once these names are removed from the list. 4.57 calls the same
function (`quantizer_torchao.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from inspector.auditing.result import Audit
from inspector.findings.finding import Finding, Place
from inspector.loading.given import Recorded
from inspector.loading.outcome import REFUSES

if TYPE_CHECKING:
    from inspector.loader.checkpoint import Checkpoint
    from inspector.loader.set_reading import WeightFile
    from inspector.quantization.unpacked import Unpacked

METHOD: Final = "torchao"
NAMES: Final = "tensor_names"


def undivided(audited: Audit) -> Recorded | None:
    """The behaviour of both versions of transformers on weights of torchao with such a name; None without one."""
    name = next(iter(undivided_names(audited)), None)
    because = f"it splits each name of {NAMES} in the metadata into module and parameter, and {name} has no module"
    return None if name is None else Recorded(REFUSES, because)


def undivided_names(audited: Audit) -> tuple[str, ...]:
    """The names without a module in the metadata of files with weights of torchao."""
    if audited.unpacked is None or audited.unpacked.settings.base.method != METHOD:
        return ()
    return tuple(dict.fromkeys(name for name in _names(audited) if "." not in name))


def _names(audited: Audit) -> Iterator[str]:
    for file in audited.checkpoint.files:
        yield from _listed(file.metadata or {})


SCHEME: Final = "torchao"
FILE: Final = ".safetensors"
TYPE: Final = "_type"


def entries_missing(checkpoint: Checkpoint, unpacked: Unpacked) -> Iterator[Finding]:
    """The finding on files whose metadata does not say which tensors make up a weight.

    transformers reads the metadata of all files as one (`set_metadata`), and asks `is_metadata_torchao` of torchao 0.18
    (measured with 5.23).
    """
    files = [one for one in checkpoint.files if one.name.endswith(FILE)]
    if not unpacked.schemes.get(SCHEME) or not files or checkpoint.partial or checkpoint.lost:
        return
    if any(_is_entry(text) for one in files for text in (one.metadata or {}).values()) or any(map(_named, files)):
        return
    from inspector.findings.types.torchao import TensorEntriesMissing

    yield TensorEntriesMissing(place=Place(file=files[0].name), modules=unpacked.schemes[SCHEME], file=files[0].name)


def _named(file: WeightFile) -> bool:
    return NAMES in (file.metadata or {})


def _listed(metadata: Mapping[str, str]) -> list[str]:
    try:
        names = json.loads(metadata.get(NAMES, "[]"))
    except (ValueError, RecursionError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _is_entry(text: str) -> bool:
    """True for what torchao writes about one tensor."""
    try:
        return text.startswith("{") and TYPE in json.loads(text)
    except (ValueError, RecursionError):
        return False
