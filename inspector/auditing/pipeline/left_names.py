"""Finds names of diffusers that a converter left among the names of latent-diffusion; no reader of such files finds
these tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from inspector.dialects.ldm import left_by_converter
from inspector.dialects.unread_prefixes import NETWORK
from inspector.findings.finding import Finding
from inspector.loader.layout import Layout

OTHER_BLOCKS: Final = (f"{NETWORK}down_blocks.", f"{NETWORK}mid_block.", f"{NETWORK}up_blocks.")
"""Beginnings of the names of a UNet of which no name was converted."""


def left_names(tensors: Mapping[str, Layout]) -> Iterator[Finding]:
    """The finding on attention matrices of an autoencoder, or modules of a UNet outside its blocks (the script for
    Stable Diffusion 1 leaves those of SDXL): diffusers raises, and other programs miss the keys.
    """
    wanted = {name: new for name in tensors if (new := left_by_converter(name)) is not None}
    if not wanted or any(name.startswith(OTHER_BLOCKS) for name in tensors):
        return
    from inspector.findings.names.renamed import TensorRenamed

    stored, expected = next(iter(wanted.items()))
    words = sorted({(_module(new), _module(name)) for name, new in wanted.items()})
    yield TensorRenamed(
        stored=stored,
        expected=expected,
        tensors=len(wanted),
        shape=tensors[stored].shape,
        role="attention.query" if ".attn_1." in stored else "embed.added",
        families=tuple(wanted.values()),
        old="",
        new="",
        begins=False,
        renames=tuple(wanted.items()),
        changes=tuple(f"{left} instead of {right}" for right, left in words),
    )


def _module(name: str) -> str:
    """The module of a name, without what is around it."""
    return name.rpartition(".attn_1.")[2].removeprefix(NETWORK).rpartition(".")[0]
