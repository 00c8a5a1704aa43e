"""Finds names of diffusers that a converter left among the names of latent-diffusion; no reader of such files finds
these tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.dialects.ldm import left_by_converter
from inspector.findings.finding import Finding
from inspector.loader.layout import Layout


def left_names(tensors: Mapping[str, Layout]) -> Iterator[Finding]:
    """The finding on attention matrices of an autoencoder: diffusers raises, and other programs miss the keys."""
    wanted = {name: new for name in tensors if (new := left_by_converter(name)) is not None}
    if not wanted:
        return
    from inspector.findings.names.renamed import TensorRenamed

    stored, expected = next(iter(wanted.items()))
    words = sorted({(new.split(".")[-2], name.split(".attn_1.")[1].rpartition(".")[0]) for name, new in wanted.items()})
    yield TensorRenamed(
        stored=stored,
        expected=expected,
        tensors=len(wanted),
        shape=tensors[stored].shape,
        role="attention.query",
        families=tuple(wanted.values()),
        old="",
        new="",
        begins=False,
        renames=tuple(wanted.items()),
        changes=tuple(f"{left} instead of {right}" for right, left in words),
    )
