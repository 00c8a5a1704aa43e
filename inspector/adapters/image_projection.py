"""Checks the network with which an IP-Adapter reads the embedding of an image, in its published forms.

Sources: `_convert_ip_adapter_image_proj_to_diffusers` in diffusers 0.42, `ip_adapter/resampler.py` of its authors.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from inspector.algebra.boxes import tuples
from inspector.algebra.names import NAMES, name_of
from inspector.budget import spend
from inspector.findings.adapters.tools import AdapterPartMissing
from inspector.findings.adapters.whole import AdapterBaseDiffers, ShapeExample
from inspector.findings.finding import Finding
from inspector.matcher.families import Families, Family

COMPONENT: Final = "image_proj"
PREFIXES: Final = ("image_proj.", "ip_adapter_proj_model.")
"""Prefixes of its tensors: of most writers, and of XLabs for FLUX."""
METHOD: Final = "image projection"
IMAGES: Final = "ip-adapter"
"""The method of the whole adapter."""


def _both(*modules: str) -> tuple[str, ...]:
    return tuple(f"{module}.{part}" for module in modules for part in ("weight", "bias"))


def _resampler(before: str) -> tuple[str, ...]:
    """The tensors of attention over latents, layer after layer."""
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


FIRST: Final = {
    "perceiver_resampler.proj_in.weight": "hidden_size", "proj_in.weight": "hidden_size",
    "proj.weight": "projection_dim",
}  # fmt: skip
"""Matrix that reads the vectors of an image encoder -> the config key of their width: in the forms FaceID plus, plus,
and plain.
"""


def absent_names(names: Collection[str]) -> Iterator[str]:
    """The tensors that the best fitting form has and the file lacks, layer by layer.

    names: those below `image_proj.`.
    """
    layers = sorted({int(found[1]) for name in names if (found := _LAYER.search(name)) is not None})
    wholes = [frozenset(_numbered(form, layers)) for form in FORMS]
    whole = max(wholes, key=lambda form: 2 * len(form.intersection(names)) - len(form))
    if 2 * len(whole.intersection(names)) > len(whole):
        yield from sorted(whole.difference(names))


_LAYER: Final = re.compile(r"(?:^|\.)layers\.(\d{1,4})\.")


def _numbered(form: Collection[str], layers: Collection[int]) -> Iterator[str]:
    for name in form:
        yield from (name.replace("#", str(layer)) for layer in layers) if "#" in name else (name,)


def lost_of_projection(families: Families) -> Iterator[Finding]:
    """Findings on missing tensors of the network with which an IP-Adapter reads images."""
    own = [family for key, family in families.items() if key.startswith(PREFIXES)]
    names = [name for family in own for name in _all_names(family)]
    for part in absent_names([name.partition(".")[2] for name in names]) if names else ():
        yield AdapterPartMissing(method=METHOD, part=part, modules=1, of=1, names=(COMPONENT,), present=names[0])


def _all_names(family: Family) -> list[str]:
    spend(family.tensors, NAMES)
    return [name_of(family.key, index) for part in family.stored for box in part.boxes for index in tuples(box)]


def width_of_images(families: Families) -> int:
    """The number of inputs of a projection's first matrix; 0 without such a matrix, or for another form."""
    found = _reader_of_images(families)
    return found[1][1] if found else 0


def other_images(families: Families, encoder: Mapping[str, object], base: str, source: str) -> Finding | None:
    """The finding on a projection that reads vectors of another width than the pipeline's image encoder produces.

    encoder: its config. base, source: of the pipeline.
    """
    found = _reader_of_images(families)
    key, stored, named = found or ("", (0, 0), "")
    width = encoder.get(named)
    if found is None or type(width) is not int or stored[1] == width:
        return None
    example = ShapeExample(key, stored, (stored[0], width))
    return AdapterBaseDiffers(base=f"{base}, its image_encoder", source=source, tensors=1, of=1, example=example,
                              named=False, widths=((stored[1], width),), encoder=named)  # fmt: skip


def images_beside(families: Families, encoder: Mapping[str, object], folder: str) -> Iterator[Finding]:
    """The finding on a projection that reads vectors of another width than the image encoder in its folder produces.

    encoder: its config. folder: its name.
    """
    _, stored, named = _reader_of_images(families) or ("", (0, 0), "")
    width = encoder.get(named)
    if named and type(width) is int and stored[1] != width:
        from inspector.findings.adapters.image_prompt import AdapterImagesDiffer

        yield AdapterImagesDiffer(folder=folder, given=width, reads=stored[1], of=named)


def _reader_of_images(families: Families) -> tuple[str, tuple[int, ...], str] | None:
    """(name, shape, config key of its input width) of the first matrix of a projection."""
    keys = ((f"{prefix}{name}", named) for name, named in FIRST.items() for prefix in PREFIXES)
    found = ((key, families[key].stored[0].layout.shape, named) for key, named in keys if key in families)
    return next((one for one in found if len(one[1]) == 2), None)
