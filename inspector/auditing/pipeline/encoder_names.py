"""Text encoders of OpenCLIP in a single file under the names of transformers.

ComfyUI (`supported_models.py`, `process_clip_state_dict` of SD20 and SDXLRefiner) keeps only the names below OpenCLIP's
prefix; the web UI builds OpenCLIP's class. diffusers (`loaders/single_file_utils.py`, `is_clip_model`) reads both names
of Stable Diffusion 2's encoder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.auditing.pipeline.beside_yaml import TO_TEXT
from inspector.dialects.single_file import ComponentTensors
from inspector.findings.finding import Finding, Place

TABLE: Final = "text_model.embeddings.token_embedding.weight"
READ: Final = (
    ("cond_stage_model.transformer.", 1024, "cond_stage_model.model.", "Stable Diffusion 2", True),
    ("conditioner.embedders.0.transformer.", 1280, "conditioner.embedders.0.model.", "SDXL's refiner", False),
)
"""(prefix of transformers' names, width of OpenCLIP's encoder, its prefix, the model, whether diffusers reads both)."""


def unread_encoders(components: Sequence[ComponentTensors]) -> Iterator[Finding]:
    """The finding on a text encoder that only diffusers finds. The UNet must read text of the same width."""
    unet = next((one for one in components if one.name == "unet"), None)
    reads = {} if unet is None else {layout.shape[1:] for key, layout in unet.tensors.items() if key.endswith(TO_TEXT)}
    by_prefix = {one.prefix: one for one in components}
    for prefix, width, wanted, model, by_diffusers in READ:
        encoder = by_prefix.get(prefix)
        table = None if encoder is None else encoder.tensors.get(TABLE)
        if encoder is None or table is None or wanted in by_prefix or table.shape[1:] != (width,):
            continue
        if (width,) in reads:
            from inspector.findings.names.single_file_prefixes import TextEncoderNamesUnread

            yield TextEncoderNamesUnread(
                place=Place(tensor=encoder.stored(TABLE)), tensors=len(encoder.tensors), wanted=wanted, model=model,
                by_diffusers=by_diffusers,
            )  # fmt: skip
