"""Finds files of PyTorch with weights of OpenAI's Whisper that lack the sizes of the model.

Source: `load_model` in `whisper/__init__.py` of openai-whisper, which reads `dims` and `model_state_dict`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.auditing.result import Audit
from inspector.dialects.whisper import WRITER
from inspector.findings.finding import Finding, Place
from inspector.loader.formats.whisper_dims import sizes_of

STATE: Final = "model_state_dict"


def with_sizes_missing(audited: Audit) -> Audit:
    """The audit with the finding on a state dict alone, under OpenAI's names."""
    found = list(_without_sizes(audited))
    return audited.with_findings([*found, *audited.findings]) if found else audited


def _without_sizes(audited: Audit) -> Iterator[Finding]:
    from inspector.findings.header.torch import WeightsInside
    from inspector.findings.names.architecture import NamesInDialect
    from inspector.findings.whisper_sizes import WhisperSizesMissing

    checkpoint = audited.checkpoint
    named = any(isinstance(one, NamesInDialect) and one.writer == WRITER for one in audited.findings)
    if not named or len(checkpoint.files) != 1 or checkpoint.files[0].name.endswith(".safetensors"):
        return
    inside = next((one.inside for one in audited.findings if isinstance(one, WeightsInside)), "")
    sizes = sizes_of(checkpoint.tensors)
    if inside != STATE and sizes:
        yield WhisperSizesMissing(place=Place(file=checkpoint.files[0].name), sizes=sizes, inside=inside)
