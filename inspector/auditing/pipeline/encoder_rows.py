"""The tables of a CLIP text encoder in a single file: how many tokens and positions it has.

diffusers' `from_single_file` takes the config of the published pipeline, and refuses other numbers (ValueError about
the shape); with `config=FOLDER` it takes the config in that folder (measured with 0.42).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.dialects.single_file import ComponentTensors
from inspector.findings.finding import Finding, Place

WIDTHS: Final = (768, 1024, 1280)
"""Widths of the published CLIP text encoders of Stable Diffusion, SD 2 and SDXL."""
TABLES: Final = (
    ("text_model.embeddings.position_embedding.weight", "max_position_embeddings", 77),
    ("text_model.embeddings.token_embedding.weight", "vocab_size", 49408),
    ("positional_embedding", "max_position_embeddings", 77),
    ("token_embedding.weight", "vocab_size", 49408),
)
"""(table, key of its number of rows in the encoder's config, rows of every published one)."""


def other_rows(components: Sequence[ComponentTensors]) -> Iterator[Finding]:
    """The finding on each table of a text encoder beside a UNet with another number of rows than the published ones."""
    encoders = [one for one in components if one.name.startswith("text_encoder")]
    for component in encoders if len(encoders) < len(components) else ():
        for name, key, published in TABLES:
            table = component.tensors.get(name)
            if table is None or len(table.shape) != 2 or table.shape[1] not in WIDTHS or table.shape[0] == published:
                continue
            from inspector.findings.names.single_file import SingleFileEncoderRows

            place = Place(tensor=component.stored(name))
            yield SingleFileEncoderRows(
                place=place, component=component.name, key=key, stored=table.shape[0], published=published
            )
