"""Checks the files beside a model that prepare its inputs: tokenizer and processor; and the settings of generation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.auditing.files.absent_chat_template import chat_template_absent
from inspector.auditing.files.absent_preprocessing import preprocessing_absent
from inspector.auditing.files.absent_processor import processor_absent
from inspector.auditing.files.absent_tokenizer import tokenizer_absent
from inspector.auditing.files.ending_token import generation_not_ended
from inspector.auditing.files.generation_settings import generation_settings
from inspector.auditing.files.processor_settings import processor_settings
from inspector.auditing.files.speech_generation import generation_keys_absent
from inspector.auditing.files.tokenizer_content import refused_tokenizer_content
from inspector.auditing.files.tokenizer_settings import refused_tokenizer_settings
from inspector.auditing.files.unread_tokenizer import settings_unread, tokenizer_unread
from inspector.auditing.files.unread_vocabulary import vocabulary_unread
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding


def of_preparation(audited: Audit) -> Iterator[Finding]:
    """The findings on these files of a local folder, absent, damaged or unlike the model."""
    checkpoint = audited.checkpoint
    yield from tokenizer_absent(audited)
    processor = list(processor_absent(audited))
    yield from processor
    yield from preprocessing_absent(audited)
    yield from vocabulary_unread(checkpoint)
    damaged = list(tokenizer_unread(checkpoint))
    yield from damaged or refused_tokenizer_settings(checkpoint)
    yield from () if damaged else refused_tokenizer_content(checkpoint)
    yield from settings_unread(checkpoint)
    yield from processor_settings(audited)
    yield from generation_settings(audited)
    yield from generation_not_ended(audited)
    if not (processor and _name_template(processor)):
        yield from chat_template_absent(audited)
    yield from generation_keys_absent(audited)


def _name_template(found: Sequence[Finding]) -> bool:
    """True if the finding on an absent processor also names the absent chat template."""
    from inspector.findings.reading.processor_absent import ProcessorAbsent

    return any(isinstance(one, ProcessorAbsent) and one.template for one in found)
