"""Names without the same number of first characters: one finding whose renames give the names back."""

from __future__ import annotations

import pytest

from inspector.auditing.identity.cut_names import cut_names
from inspector.loader.layout import Layout
from inspector.matcher.families import families_of
from inspector.mending.patterns import renamed
from tests.judged import base_record, codes, judged, spec_of

MODELS = [
    ("gpt_neox", "ForCausalLM"), ("llama", "ForCausalLM"), ("bert", "ForMaskedLM"), ("roberta", "ForMaskedLM"),
    ("vit", "ForImageClassification"), ("wav2vec2", "ForCTC"),
]  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize(("around", "length", "configured"), [
    ("", 3, False), ("", 3, True), ("", 1, True), ("model.", 16, False), ("model.", 16, True), ("", 11, False),
    ("", 11, True),
])  # fmt: skip
@pytest.mark.parametrize(("model_type", "suffix"), MODELS)
def test_cut_names_are_given_back(model_type: str, suffix: str, around: str, length: int, configured: bool) -> None:
    """Measured: a slice by the length of "_forward_module." makes `der.layers.0.fc1.weight` of OPT's names."""
    record = base_record(model_type, suffix)
    spec = spec_of(record)
    cut = {(around + name)[length:]: entry for name, entry in spec.items()}
    assert len(cut) == len(spec)
    config = {**record["config"], "model_type": model_type, "architectures": [record["class"]]} if configured else None
    audited = judged(cut, config)
    (found,) = [one for one in audited.findings if one.severity == "error"]
    assert found.code == "N683"
    assert found.facts["characters"] == length - len(around)
    changes = [(step.old, step.new) for step in found.remedy().steps]
    assert {renamed(name, changes) for name in cut} == spec.keys()


def test_names_that_became_equal_are_lost() -> None:
    """The encoder and the decoder of T5 have the same names without their first ten characters."""
    spec = spec_of(base_record("t5", "ForConditionalGeneration"))
    audited = judged({name[10:]: entry for name, entry in spec.items()}, None)
    (found,) = [one for one in audited.findings if one.code == "N683"]
    assert found.facts["equal"] > 0
    assert not found.remedy().steps


@pytest.mark.parametrize("prefix", ["model.", "model.decoder.", "model.decoder.layers."])
def test_the_end_of_a_prefix_is_no_cut(prefix: str) -> None:
    """A part of a model is not one whose names were cut; nor is a model that nothing here knows."""
    spec = spec_of(base_record("opt", "ForCausalLM"))
    part = {name.removeprefix(prefix): entry for name, entry in spec.items() if name.startswith(prefix)}
    assert "N683" not in codes(judged(part, None))
    assert "N683" not in codes(judged({f"x{name}": entry for name, entry in part.items()}, None))


@pytest.mark.parametrize("model_type", ["gemma3_text", "gemma2", "qwen3"])
def test_whole_names_of_a_model_are_no_cut(model_type: str) -> None:
    """`model.layers` is no rest of `language_model.layers` where shapes fit no model, as those of packed weights."""
    spec = spec_of(base_record(model_type, "ForCausalLM"))
    assert cut_names(families_of({name: Layout(dtype, dims, 1, 1) for name, (dtype, dims) in spec.items()})) is None
