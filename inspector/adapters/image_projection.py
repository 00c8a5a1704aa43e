"""The network with which an IP-Adapter reads the embedding of an image, in the four forms that are published.

Sources: `_convert_ip_adapter_image_proj_to_diffusers` in diffusers 0.42, `ip_adapter/resampler.py` of its authors.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

COMPONENT: Final = "image_proj"
METHOD: Final = "image projection"
IMAGES: Final = "ip-adapter"
"""The method of the whole adapter."""


def _both(*modules: str) -> tuple[str, ...]:
    return tuple(f"{module}.{part}" for module in modules for part in ("weight", "bias"))


def _resampler(before: str) -> tuple[str, ...]:
    """Attention over latents, layer after layer."""
    layer = (*_both("0.norm1", "0.norm2", "1.0"), "0.to_q.weight", "0.to_kv.weight", "0.to_out.weight", "1.1.weight",
             "1.3.weight")  # fmt: skip
    return (*_both(f"{before}proj_in", f"{before}proj_out", f"{before}norm_out"),
            *(f"{before}layers.#.{name}" for name in layer))  # fmt: skip


FORMS: Final = (
    _both("proj", "norm"),
    _both("proj.0", "proj.2", "proj.3"),
    _both("proj.0", "proj.2", "norm"),
    ("latents", *_resampler("")),
    (*_both("proj.0", "proj.2", "norm"), *_resampler("perceiver_resampler.")),
)
"""The tensors of each form: SD 1.5 and SDXL, full face, FaceID, plus, FaceID plus."""


def absent_names(names: Collection[str]) -> Iterator[str]:
    """What the form that most names belong to has and the file lacks, layer by layer.

    names: those below `image_proj.`.
    """
    layers = sorted({int(found[1]) for name in names if (found := _LAYER.search(name)) is not None})
    wholes = [frozenset(_numbered(form, layers)) for form in FORMS]
    whole = max(wholes, key=lambda form: 2 * len(form.intersection(names)) - len(form))
    if whole.issuperset(names):
        yield from sorted(whole.difference(names))


_LAYER: Final = re.compile(r"(?:^|\.)layers\.(\d{1,4})\.")


def _numbered(form: Collection[str], layers: Collection[int]) -> Iterator[str]:
    for name in form:
        yield from (name.replace("#", str(layer)) for layer in layers) if "#" in name else (name,)
