"""Checks whether the folder of a model with code of its own has the settings of the processor that the code defines.

Measured with transformers 5.23 on a tiny repository with `processing_x.py` and `image_processing_x.py`, a tokenizer and
no preprocessor_config.json: `AutoImageProcessor` refuses. `AutoProcessor` refuses if the `auto_map` of config.json
names the processor, and otherwise returns the tokenizer alone, as with 4.57.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from inspector.auditing.files.absent_tokenizer import has_tokenizer, is_whole
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.processors import OF_PART, PROCESSORS

MOST_READ: Final = 300_000
"""Bytes beyond which a file of code is not read."""
MOST_FILES: Final = 8
"""Files of code that are read."""
OF_CODE: Final = re.compile(r"(?:image_processing|feature_extraction|processing)_\w+\.py|\w*processor\w*\.py")
"""Names of the files in which repositories define their processors."""
IMAGES: Final = "image_processor"
SOUND: Final = "feature_extractor"
CLASS: Final = rb"^class \w{1,99}\([^)]{0,400}\b(?:%s)\b"
"""How a class begins that has one of these bases: bounded, as the file is a stranger's."""
CLASSES: Final = (
    (IMAGES, re.compile(CLASS % rb"BaseImageProcessor(?:Fast)?|ImageProcessingMixin", re.MULTILINE)),
    (SOUND, re.compile(CLASS % rb"SequenceFeatureExtractor|FeatureExtractionMixin", re.MULTILINE)),
)
"""The part of a processor, and how its class begins: both read preprocessor_config.json."""
AUTO: Final = {"AutoImageProcessor": IMAGES, "AutoFeatureExtractor": SOUND}
SETTINGS: Final = (*PROCESSORS, "video_preprocessor_config.json")


def processor_of_code(checkpoint: Checkpoint, named: object) -> Iterator[Finding]:
    """The finding on a whole folder with a tokenizer and without any settings of the processor that it needs.

    named: the `auto_map` of config.json.
    """
    if checkpoint.origin is not None or not is_whole(checkpoint) or not has_tokenizer(checkpoint):
        return
    if not checkpoint.siblings.keys().isdisjoint(SETTINGS):
        return
    autos = set(named) if isinstance(named, dict) else set()
    parts = {part for auto, part in AUTO.items() if auto in autos} | set(_defined(checkpoint))
    if parts:
        from inspector.findings.reading.processor_absent import ProcessorAbsent

        whole = "AutoProcessor" in autos
        outcome = "refuses" if whole else "returns the tokenizer alone"
        yield ProcessorAbsent(place=Place(file=OF_PART), parts=tuple(sorted(parts, reverse=True)), with_code=outcome)


def _defined(checkpoint: Checkpoint) -> Iterator[str]:
    """The parts of a processor of which the code of the folder has a class."""
    reach = checkpoint.reach
    if reach is None:
        return
    code = (each for each in checkpoint.siblings.items() if OF_CODE.fullmatch(each[0]) and 0 < each[1] <= MOST_READ)
    for name, size in islice(code, MOST_FILES):
        text = reach().read_part(name, 0, size)
        if isinstance(text, bytes):
            yield from (part for part, begins in CLASSES if begins.search(text))
