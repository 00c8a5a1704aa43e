"""Models whose config loads parts from other repositories, so that their own files do not have them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.judged import base_record, codes, judged, spec_of

RECORD = base_record("ultravox")
TEXT, AUDIO = ("language_model.", {"text_model_id": "org/text"}), ("audio_tower.", {"audio_model_id": "org/audio"})
PARTS = pytest.mark.parametrize("parts", [(TEXT,), (AUDIO,), (TEXT, AUDIO)], ids=["text", "audio", "both"])


def without(parts: tuple[tuple[str, dict[str, str]], ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(tensors, config) without these parts. The config class saves no config of a part that is named."""
    prefixes = tuple(prefix for prefix, _ in parts)
    config = {**RECORD["config"], "model_type": "ultravox"}
    for _, named in parts:
        config |= named
        config.pop(next(iter(named)).replace("model_id", "config"))
    return {name: entry for name, entry in spec_of(RECORD).items() if not name.startswith(prefixes)}, config


@PARTS
def test_parts_that_the_config_names(parts: tuple[tuple[str, dict[str, str]], ...]) -> None:
    spec, config = without(parts)
    audited = judged(spec, config)
    assert (audited.verdict, codes(audited)) == ("clean", set())
    assert audited.counts.unique_parameters == audited.counts.expected_parameters
    lost = {name: entry for name, entry in spec.items() if name != "multi_modal_projector.ln_pre.weight"}
    assert codes(judged(lost, config)) == {"N403"}


@PARTS
def test_parts_that_are_lost_are_missing_tensors(parts: tuple[tuple[str, dict[str, str]], ...]) -> None:
    """No remedy sets a key that has the name of a repository: the weights do not tell the name."""
    spec, _ = without(parts)
    findings = judged(spec, {**RECORD["config"], "model_type": "ultravox"}).findings
    assert {one.code for one in findings} <= {"N404", "N426"}, findings
    assert findings
    assert not any("model_id" in (one.help or "") for one in findings)
