"""Keys that transformers requires to be equal: the remedy for one of them sets the other too."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from inspector.loading.config_rules import refused_config
from tests.judged import base_record, codes, judged, spec_of

WORDS = 107
"""The vocabulary of the records."""


def set_in(config: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for key in path[:-1]:
        config = config[key]
    config[path[-1]] = value


@pytest.mark.parametrize(("model_type", "class_suffix", "keys"), [
    ("t5gemma2", "Generation", {("encoder", "text_config", "vocab_size"), ("decoder", "vocab_size")}),
    ("granite_speech5_ctc", "ForCTC", {("encoder_config", "vocab_size"), ("vocab_size",)}),
    ("canary", "Generation", {("decoder_config", "vocab_size"), ("vocab_size",)}),
    ("llama", "CausalLM", {("vocab_size",)}),
])  # fmt: skip
def test_a_resized_vocabulary(model_type: str, class_suffix: str, keys: set[tuple[str, ...]]) -> None:
    record = base_record(model_type, class_suffix)
    resized = {name: (dtype, tuple(111 if one == WORDS else one for one in shape))
               for name, (dtype, shape) in spec_of(record).items()}  # fmt: skip
    config = {"model_type": model_type, **copy.deepcopy(record["config"])}
    (finding,) = (one for one in judged(resized, config).findings if one.severity == "error")
    steps = finding.remedy().steps
    assert {step.key for step in steps} == keys
    for step in steps:
        set_in(config, step.key, step.new)
    assert refused_config(config) is None
    assert not codes(judged(resized, config))


def test_a_key_that_another_finding_sets_is_set_once() -> None:
    record = base_record("t5gemma2", "Generation")
    config = {"model_type": "t5gemma2", **copy.deepcopy(record["config"])}
    for path in (("encoder", "text_config", "vocab_size"), ("decoder", "vocab_size")):
        set_in(config, path, 111)
    audited = judged(spec_of(record), config)
    keys = [step.key for one in audited.findings if one.code == "C310" for step in one.remedy().steps]
    assert len(keys) == len(set(keys)) and keys
