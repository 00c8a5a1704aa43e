"""Checks whether faster-whisper finds the number of mel bins of a model of CTranslate2.

Source: `FeatureExtractor` and `WhisperModel.__init__` of faster-whisper 1: 80 bins without preprocessor_config.json.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.processors import OF_PART

ASSUMED: Final = 80
MODEL: Final = "model.bin"
"""The name under which CTranslate2 looks for a model."""


def speech_features(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The finding on the missing file; only a local model is opened for it."""
    if checkpoint.set_name != MODEL or checkpoint.alone or OF_PART in checkpoint.siblings or not checkpoint.folder:
        return
    from inspector.loader.formats.ctranslate2 import mel_bins

    bins = mel_bins(os.path.join(checkpoint.folder, MODEL))
    if bins is not None and bins != ASSUMED:
        from inspector.findings.reading.speech_features import SpeechFeaturesAbsent

        yield SpeechFeaturesAbsent(place=Place(file=MODEL), bins=bins, wanted=OF_PART)
