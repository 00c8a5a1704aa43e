"""Intact weights of methods that a version of transformers does not load, or loads only with another list.

Measured with transformers 5.24: modules of HQQ stay plain and random; replacing layers for VPTQ and SpQR raises
KeyError with the path of the first layer (`model._modules[module_name]` in `integrations/vptq.py` and `spqr.py`). AQLM:
5.24 compares the list with the names of modules, 4.57 with those of their weights (`integrations/aqlm.py`), and a head
that the list does not name is built quantized and random.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.auditing.quantized.plain_modules import AQLM, HQQ, LISTS_OF_BLOCKS, among_packed, finds
from inspector.auditing.result import Audit
from inspector.loading.given import Recorded
from inspector.loading.outcome import RANDOM, UNSUPPORTED
from inspector.loading.tables import NEWEST, OLDER
from inspector.quantization.missing_block import MOST_LISTED
from inspector.reconciler.wording import names_in

_REPLACED: Final = "it fails with KeyError where it replaces layers, for all files of this method"
UNLOADED: Final[Mapping[str, str]] = {
    "hqq": "it does not read the tensors of HQQ, and leaves the modules random", "vptq": _REPLACED, "spqr": _REPLACED,
}  # fmt: skip
"""Method that version 5 has a quantizer for, but loads no files of -> what it does."""


def unread_method(audited: Audit) -> Mapping[str, Recorded]:
    """Major version -> what it does, for versions that fail on the method of intact weights."""
    unpacked = audited.unpacked
    method = None if unpacked is None else unpacked.settings.base.method
    if unpacked is None or not any(unpacked.schemes.values()):
        return {}
    if method is not None and method in UNLOADED:
        return {NEWEST: Recorded(UNSUPPORTED, UNLOADED[method]), **(_older_hqq(audited) if method == HQQ else {})}
    return dict(_of_aqlm(audited)) if method == AQLM else {}


def _older_hqq(audited: Audit) -> Mapping[str, Recorded]:
    """What version 4 does with the list of HQQ."""
    from inspector.auditing.quantized.hqq_list import refused_list

    refused = refused_list(audited)
    return {} if refused is None else {OLDER: refused}


def _of_aqlm(audited: Audit) -> Iterator[tuple[str, Recorded]]:
    """What the versions do with plain layers that their reading of the list does not find."""
    unpacked = audited.unpacked
    stated = () if unpacked is None else tuple(entry.text for entry in unpacked.settings.ignored)
    lines = [line for line, _ in among_packed(audited.lines, everywhere=True, heads=True)]
    plain = [name for line in lines for name in names_in(line.family, line.boxes, MOST_LISTED)]
    for_newest = [name for name in plain if not finds(stated, name.removesuffix(".weight"))]
    for_older = [name for name in plain if name not in stated]
    more = (form for name in plain for form in (name.removesuffix(".weight"), name))
    setting: tuple[str, Any] = (str(LISTS_OF_BLOCKS[AQLM]), list(dict.fromkeys([*stated, *more])))
    for version, left in ((NEWEST, for_newest), (OLDER, for_older)):
        if left:
            module = left[0].removesuffix(".weight")
            yield version, Recorded(RANDOM, f"it builds {module} quantized, which its list does not name", setting)
