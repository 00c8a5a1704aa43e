"""Checks whether a folder with a tokenizer also has the part of the processor that reads images or sound, and whether
`AutoProcessor` finds a tokenizer beside the feature extractor of a speech model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.auditing.files.absent_tokenizer import OF_TOKENIZER
from inspector.auditing.json_beside import is_listed, object_beside
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import named_class
from inspector.loading.processors import (
    BY_TEMPLATE,
    OF_ALL,
    OF_PART,
    OF_SPEECH,
    PROCESSORS,
    TEMPLATE,
    TEMPLATES,
    without_settings,
)
from inspector.loading.tokenizer_files import SENTENCEPIECE, SETTINGS, WHOLE, WORDS
from inspector.loading.vocabularies import vocabulary_of

READS: Final = re.compile(r"embed\.(?:patch|image|audio)\b")
"""Roles of the modules that images or sound enter first."""
OF_TEXT: Final = "ForCTC"
"""End of the names of speech classes that write text."""
OF_MISTRAL: Final = "tekken.json"
"""The tokenizer of mistral-common, which reads images and sound itself."""
OTHERWISE: Final = (WORDS, *SENTENCEPIECE)
"""Vocabularies of tokenizers whose class is not known."""


def processor_absent(audited: Audit) -> Iterator[Finding]:
    """The finding on a local folder whose processor is incomplete."""
    checkpoint, config = audited.checkpoint, audited.checkpoint.config
    if not checkpoint.folder or config is None or not is_listed(checkpoint) or checkpoint.adapter is not None:
        return
    model_type = config.values.get("model_type")
    if "auto_map" in config.values:
        from inspector.auditing.files.processor_of_code import processor_of_code

        yield from processor_of_code(checkpoint, config.values["auto_map"])
        return
    if not isinstance(model_type, str):
        return
    stated = [name for name in PROCESSORS if name in checkpoint.siblings]
    if model_type in OF_SPEECH and stated and not any(map(OF_TOKENIZER.search, map(str.casefold, checkpoint.siblings))):
        yield from _of_speech(stated[0], named_class(config.values) or "", model_type)
    elif OF_PART not in stated and _has_vocabulary(checkpoint, config.values):
        of_all = object_beside(checkpoint, OF_ALL) if stated else None
        parts = () if of_all == {} else without_settings(model_type, of_all)
        if parts and _reads(audited):
            from inspector.findings.reading.processor_absent import ProcessorAbsent

            older = bool(stated)
            template = lacks_template(checkpoint, model_type)
            place = Place(file=OF_ALL if older else OF_PART)
            yield ProcessorAbsent(place=place, parts=parts, older=older, template=template)


def lacks_template(checkpoint: Checkpoint, model_type: str | None) -> bool:
    """True if the processor of a type prepares its inputs with a chat template, and none is here."""
    if model_type not in BY_TEMPLATE or any(name.startswith(TEMPLATES) for name in checkpoint.siblings):
        return False
    return not any(object_beside(checkpoint, file).get(TEMPLATE) for file in (OF_ALL, SETTINGS))


def _has_vocabulary(checkpoint: Checkpoint, config: Mapping[str, Any]) -> bool:
    """True if the words of the type's tokenizer are here; in a cache they show nothing: it has what was asked for."""
    if checkpoint.origin is not None or OF_MISTRAL in checkpoint.siblings:
        return False
    named = vocabulary_of(object_beside(checkpoint, SETTINGS), config)
    return not checkpoint.siblings.keys().isdisjoint((WHOLE, *(named or OTHERWISE)))


def _of_speech(file: str, class_name: str, model_type: str) -> Iterator[Finding]:
    """The finding on a speech model without a tokenizer: an error of the folder only if its class writes text."""
    if class_name.endswith(OF_TEXT):
        from inspector.findings.reading.tokenizer_absent import TokenizerAbsent

        yield TokenizerAbsent(place=Place(file=file), refused=True)
        return
    from inspector.findings.reading.processor_absent import ProcessorWithoutTokenizer

    yield ProcessorWithoutTokenizer(place=Place(file=file), model_type=model_type)


def _reads(audited: Audit) -> bool:
    """True if the weights have modules that read images or sound: a text model of the same type needs no processor."""
    placed = () if audited.case is None else audited.case.placement.placed
    return any(READS.match(one.block.slot.role) for one in placed)
