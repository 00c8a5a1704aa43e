"""The widths of the text encoders in a single file and of the text that its UNet reads.

Stable Diffusion reads the output of one CLIP encoder (768 or 1,024), SDXL that of two side by side (768 + 1,280), its
refiner that of the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.dialects.single_file import ComponentTensors
from inspector.findings.finding import Finding, Place

TABLES: Final = ("text_model.embeddings.token_embedding.weight", "token_embedding.weight")
"""The table of a text encoder in the names of transformers and of OpenCLIP: [tokens, width]."""
CROSS: Final = ".attn2.to_k.weight"
"""The key matrices of the attention to the text: [inner width, width of the text]."""
PROJECTS: Final = "encoder_hid_proj.weight"
"""A projection of the text before the UNet, whose width then says nothing about the encoders."""


def other_widths(components: Sequence[ComponentTensors]) -> Iterator[Finding]:
    """The finding on a UNet that reads wider text than the encoders give, alone or together."""
    network = next((one for one in components if one.name == "unet"), None)
    encoders = [one for one in components if one.name.startswith("text_encoder")]
    if network is None or not encoders or PROJECTS in network.tensors:
        return
    key = next((name for name in network.tensors if name.endswith(CROSS)), None)
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
