"""Checks the values in generation_config.json with which transformers generates.

Measured with transformers 5.23 and 4.57: each value alone, loaded with a model, used in `generate` and saved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.auditing.json_beside import object_beside
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding, Place
from inspector.loading.processors import GENERATION

TOKENS: Final = ("bos_token_id", "eos_token_id", "pad_token_id")
SAMPLING: Final = {"temperature": 1.0, "top_p": 1.0, "top_k": 50, "typical_p": 1.0, "min_p": None,
                   "epsilon_cutoff": 0.0, "eta_cutoff": 0.0}  # fmt: skip
"""Settings that have no effect without sampling -> the values that are accepted without it."""
BEAMS: Final = {"early_stopping": False, "length_penalty": 1.0}
"""Settings that have no effect with one beam -> the values that are accepted with it."""


def generation_settings(audited: Audit) -> Iterator[Finding]:
    """The findings on values with which `generate` fails, or that `save_pretrained` refuses."""
    checkpoint = audited.checkpoint
    if checkpoint.config is None or not checkpoint.folder or checkpoint.adapter is not None:
        return
    settings = object_beside(checkpoint, GENERATION)
    if not settings:
        return
    refused = dict(_refused(settings))
    if refused:
        from inspector.findings.reading.generation import GenerationRefused

        yield GenerationRefused(place=Place(file=GENERATION), keys=tuple(refused), because=tuple(refused.values()))
    sampling, beams = _without_effect(settings)
    if sampling or beams:
        from inspector.findings.reading.generation import GenerationNotSaved

        yield GenerationNotSaved(place=Place(file=GENERATION), sampling=sampling, beams=beams)


def _refused(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(key, why) for each value with which `generate` raises an error."""
    for key in TOKENS:
        value = settings.get(key)
        if any(isinstance(one, str) for one in (value if isinstance(value, list) else [value])):
            yield key, f"{key} is no number"
    temperature = settings.get("temperature")
    if settings.get("do_sample") is True and _is_positive(temperature) is False:
        yield "temperature", f"temperature is {temperature} with do_sample"
    penalty = settings.get("repetition_penalty")
    if _is_positive(penalty) is False:
        yield "repetition_penalty", f"repetition_penalty is {penalty}"
    if settings.get("num_beams") == 0:
        yield "num_beams", "num_beams is 0"


def _without_effect(settings: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The settings of sampling that are stated without it, and those of beams that are stated with one."""
    of_sampling = SAMPLING if settings.get("do_sample", False) is False else {}
    of_beams = BEAMS if settings.get("num_beams", 1) == 1 else {}
    return _set(settings, of_sampling), _set(settings, of_beams)


def _set(settings: Mapping[str, Any], accepted: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(key for key, value in accepted.items() if settings.get(key) not in (None, value))


def _is_positive(value: Any) -> bool | None:
    """None for anything but a number."""
    return value > 0 if isinstance(value, int | float) and not isinstance(value, bool) else None
