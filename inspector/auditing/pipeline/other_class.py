"""Compares the class of a pipeline of Stable Diffusion with the generation of its components: diffusers loads them with
either class, but each call fails.

Measured with diffusers 0.42: pipelines of Stable Diffusion 1 and XL were saved, loaded and called under the
names of the pipelines for text, images and masks of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from inspector.auditing.pipeline.widths import UNET, values_of
from inspector.auditing.result import Audit
from inspector.findings.finding import Place
from inspector.findings.names.pipeline_class import PipelineClassUnfit
from inspector.loader.config_file import Config
from inspector.loading.pipelines import is_pipeline, needed_by

THIRD, XL, ONE = GENERATIONS = ("StableDiffusion3", "StableDiffusionXL", "StableDiffusion")
"""Beginnings of the classes of pipelines; the last one is that of Stable Diffusion 1 and 2."""
ADDED: Final = "addition_embed_type"
ADDED_IN_XL: Final = "text_time"
"""What a UNet adds to the embedded step, and the value in SDXL."""
SECOND: Final = "text_encoder_2"


def unfit_class(index: Config, parts: Mapping[str, Audit]) -> PipelineClassUnfit | None:
    """The finding on a class for another generation than the UNet and the text encoders are of."""
    listed = [name for name, entry in index.values.items() if entry not in (None, [None, None])]
    named, values = str(index.values.get("_class_name")), values_of(parts.get(UNET))
    family = next((one for one in GENERATIONS if named.startswith(one)), THIRD)
    added = values.get(ADDED)
    if family == THIRD or values.get("_class_name") != "UNet2DConditionModel" or not is_pipeline(named):
        return None
    if added not in (None, ADDED_IN_XL) or (added is None) != (SECOND not in listed):
        return None
    if (family == XL) == (added == ADDED_IN_XL):
        return None
    other = (ONE if family == XL else XL) + named.removeprefix(family)
    fits = is_pipeline(other) and all(name in listed for name in needed_by(other))
    return PipelineClassUnfit(
        place=Place(file=index.file, key="_class_name"),
        class_name=named,
        added=added,
        encoders=tuple(name for name in listed if name.startswith("text_encoder")),
        needed=other if fits else "",
    )
