"""The widths of the text encoders in a single file and of the text that its UNet reads.

Stable Diffusion reads the output of one CLIP encoder (768 or 1,024), SDXL that of two side by side (768 + 1,280), its
refiner that of the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.auditing.pipeline.beside_yaml import TO_TEXT
from inspector.auditing.pipeline.encoder_rows import TABLES as OF_ENCODERS
from inspector.dialects.single_file import ComponentTensors
from inspector.findings.finding import Finding, Place

TABLES: Final = tuple(table for table, key, _ in OF_ENCODERS if key == "vocab_size")
"""The table of a text encoder in the names of transformers and of OpenCLIP: [tokens, width]."""
PROJECTS: Final = "encoder_hid_proj.weight"
"""A projection of the text before the UNet, whose width then says nothing about the encoders."""


def other_widths(components: Sequence[ComponentTensors]) -> Iterator[Finding]:
    """The finding on a UNet that reads wider text than the encoders give, alone or together."""
    network = next((one for one in components if one.name == "unet"), None)
    encoders = [one for one in components if one.name.startswith("text_encoder")]
    if network is None or not encoders or PROJECTS in network.tensors:
        return
    key = next((name for name in network.tensors if name.endswith(TO_TEXT)), None)
    tables = [next((one.tensors[name].shape for name in TABLES if name in one.tensors), ()) for one in encoders]
    widths = [shape[1] for shape in tables if len(shape) == 2]
    if key is None or len(widths) < len(encoders) or len(network.tensors[key].shape) != 2:
        return
    wanted = network.tensors[key].shape[1]
    if wanted in (*widths, sum(widths)):
        return
    from inspector.findings.names.single_file import SingleFileTextWidth

    yield SingleFileTextWidth(
        place=Place(tensor=network.stored(key)), wanted=wanted, encoders=tuple(one.name for one in encoders),
        widths=tuple(widths),
    )  # fmt: skip
