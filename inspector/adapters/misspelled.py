"""Names of an adapter's tensors that no program reads, and those that programs read in their place.

Measured with diffusers 0.42 (`FluxPipeline.lora_state_dict`); ComfyUI's `comfy/lora.py` and sd-scripts'
`networks/lora.py` compare whole names as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from inspector.adapters.names import renames_of
from inspector.findings.finding import Finding
from inspector.reconciler.wording import names_in

if TYPE_CHECKING:
    from inspector.matcher.families import Families

_FLAT: Final = re.compile(r"(lora_(?:unet|te[1-3]?|transformer|prior_unet|prior_te)_[^.]+?)_+(\..+)")
"""A module's name as Kohya's tools write it, with underscores for dots, and one too many behind it."""
_DOTTED: Final = re.compile(
    r"(lora_(?:unet|te[1-3]?))\.(.+?)(\.alpha|\.dora_scale|\.lora_(?:[AB]|down|up|mid)\.weight)"
)
"""The same with dots between the words."""
_MATRIX: Final = re.compile(r"\.(lora_(?:[ab]|down|up|mid))\.weight$", re.IGNORECASE)
_SPELLED: Final = {"lora_a": "lora_A", "lora_b": "lora_B"}


def read_name(key: str) -> str:
    """The name that programs read: capital letters of the matrices, and modules with underscores inside, not behind."""
    matrix = _MATRIX.search(key)
    if matrix is not None:
        small = matrix[1].lower()
        key = f"{key[: matrix.start()]}.{_SPELLED.get(small, small)}.weight"
    flat = _FLAT.fullmatch(key)
    if flat is not None:
        return flat[1] + flat[2]
    dotted = _DOTTED.fullmatch(key)
    return key if dotted is None else f"{dotted[1]}_{dotted[2].replace('.', '_')}{dotted[3]}"


def misspelled(families: Families, keys: Iterable[str]) -> Iterator[Finding]:
    """The finding on tensors of an adapter under names that no program reads. keys: those of the adapter."""
    listed = list(keys)
    wrong = [key for key in listed if read_name(key) != key]
    if not wrong:
        return
    from inspector.findings.adapters.misspelled import AdapterNamesMisspelled

    stored = names_in(wrong[0], families[wrong[0]].stored[0].boxes, 1)[0]
    yield AdapterNamesMisspelled(
        tensors=sum(families[key].tensors for key in wrong),
        of=sum(families[key].tensors for key in listed),
        stored=stored,
        wanted=read_name(stored),
        renames=renames_of(wrong, read_name, families),
    )
