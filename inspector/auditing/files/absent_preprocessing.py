"""Checks whether a model that was saved by transformers has anything that prepares its inputs.

Measured with `AutoTokenizer`, `AutoImageProcessor`, `AutoFeatureExtractor` and `AutoProcessor` of transformers 5.23 and
4.57 on folders of twelve types with config.json and weights alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from inspector.auditing.files.absent_processor import OF_TEXT, lacks_template
from inspector.auditing.files.absent_tokenizer import TEXT, WITHOUT, has_tokenizer, is_whole, tokenizer_absent
from inspector.auditing.files.named_table import named_table
from inspector.auditing.json_beside import is_listed
from inspector.auditing.result import Audit
from inspector.auditing.sentence_listing import MODULES
from inspector.findings.finding import Finding
from inspector.loader.config_file import named_class
from inspector.loading.processors import AUTO, GENERATION, PROCESSORS, TOKENIZER, parts_of

READS: Final = {
    "image_processor": re.compile(r"embed\.(?:patch|image)\b"), "feature_extractor": re.compile(r"embed\.audio\b"),
}  # fmt: skip
"""Part -> roles of the modules that its inputs enter first."""


def preprocessing_absent(audited: Audit) -> Iterator[Finding]:
    """The note on a local folder with a model and neither a tokenizer nor another part of a processor."""
    checkpoint, case = audited.checkpoint, audited.case
    if not checkpoint.folder or checkpoint.origin is not None or not is_listed(checkpoint):
        return
    if checkpoint.adapter is not None or MODULES in checkpoint.siblings:
        return
    if case is None or audited.architecture is None:
        yield from _of_undefined(audited)
        return
    # config.json and weights alone may be a part of something: the tokenizer of a pipeline's text encoder is elsewhere
    saved = is_whole(checkpoint) or not checkpoint.siblings.keys().isdisjoint((GENERATION, *PROCESSORS))
    if not saved or has_tokenizer(checkpoint):
        return
    class_name = "" if checkpoint.config is None else named_class(checkpoint.config.values) or ""
    roles = {one.slot.role for one in case.plan.blocks}
    parts = _parts(audited.architecture.model_type, roles, of_text=TEXT in roles or class_name.endswith(OF_TEXT))
    if not checkpoint.siblings.keys().isdisjoint(PROCESSORS):  # in a whole folder this is a finding of its own
        parts = (TOKENIZER,) if TEXT in roles and not is_whole(checkpoint) else ()
    if parts and not _is_said(audited):
        from inspector.findings.reading.processor_absent import PreprocessingAbsent

        template = len(parts) > 1 and lacks_template(checkpoint, audited.architecture.model_type)
        yield PreprocessingAbsent(parts=parts, template=template)


def _of_undefined(audited: Audit) -> Iterator[Finding]:
    """The note on the tokenizer of a whole folder with a model without a definition, by its table of tokens."""
    checkpoint = audited.checkpoint
    if is_whole(checkpoint) and not has_tokenizer(checkpoint) and named_table(audited) is not None:
        from inspector.findings.reading.processor_absent import PreprocessingAbsent

        yield PreprocessingAbsent(parts=(TOKENIZER,))


def _is_said(audited: Audit) -> bool:
    """True if the absent tokenizer is a finding of its own."""
    return next(tokenizer_absent(audited), None) is not None


def _parts(model_type: str | None, roles: set[str], *, of_text: bool) -> tuple[str, ...]:
    """The parts that prepare the inputs of a type whose modules have these roles. of_text: it reads or writes text."""
    if model_type is None or model_type in WITHOUT:
        return ()
    read = {part for part, role in READS.items() if any(map(role.match, roles))}
    stated = {one for one in parts_of(model_type) if one in AUTO} if read else set()
    return tuple(sorted([*(stated or read), *([TOKENIZER] if of_text else [])]))
