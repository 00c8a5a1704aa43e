"""Finds an encoder in its folder that the index of a pipeline does not name, although the denoiser reads its output.

Such an encoder is optional: diffusers 0.42 loads Stable Diffusion XL without its second text encoder, and each call
fails unless it is given the embeddings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from inspector.auditing.pipeline.entries import saved_class
from inspector.auditing.pipeline.files import Open
from inspector.auditing.pipeline.widths import RULES
from inspector.auditing.result import Audit
from inspector.findings.finding import Place
from inspector.findings.names.pipelines import ComponentWidthDiffers, PipelineIncomplete
from inspector.loader.config_file import Config


def unlisted_encoders(
    index: Config, differing: Iterable[ComponentWidthDiffers], parts: Mapping[str, Audit], opened: Open
) -> Iterator[PipelineIncomplete]:
    """The findings on encoders whose widths fill the gaps of others. differing: widths that do not fit."""
    class_name = str(index.values.get("_class_name"))
    for one in differing:
        for pattern, terms, taker in RULES:
            absent = [term for term in terms if term[0] not in parts]
            if taker != (one.component, one.key) or len(absent) != 1 or not re.fullmatch(pattern, class_name):
                continue
            ((name, key),) = absent
            folder, entry = opened(name), saved_class(name, opened)
            width = None if folder is None or folder.config is None else folder.config.values.get(key)
            if entry is not None and type(width) is int and sum(one.widths) + width == one.width:
                place = Place(file=index.file, key=name)
                yield PipelineIncomplete(
                    place=place, class_name=class_name, components=(name,), entries=(entry,), optional=True
                )
