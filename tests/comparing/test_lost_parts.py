"""Comparisons in which a file of one side is absent, and no index states which tensors are in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.auditing.start import audit
from inspector.comparing.checkpoints import compare_audits
from tests.checkpoints import split as in_shards
from tests.dialects.recorded_gguf import Written, records, source_of, target_of
from tests.judged import base_record, judged, spec_of


def split(written: Written, parts: int, lost: int | None, place: Path) -> Path:
    """A folder with a model in several parts. lost: the part, from 0, that is absent."""
    names = list(written.arrays)
    size = -(-len(names) // parts)
    place.mkdir()
    for part in range(parts):
        of_part = {name: written.arrays[name] for name in names[part * size : (part + 1) * size]}
        keys = [*(written.keys if part == 0 else []), ("split.no", "u16", part), ("split.count", "u16", parts),
                ("split.tensors.count", "i32", len(names))]  # fmt: skip
        if part != lost:
            Written(keys, of_part, {}).save(place / f"m-{part + 1:05d}-of-{parts:05d}.gguf")
    return place


def model(name: str) -> Written:
    record = records()[name]
    return target_of(record, source_of(record))


@pytest.mark.parametrize(("name", "parts", "lost"), [("llama", 3, 1), ("qwen2", 4, 3), ("gemma2", 3, 2)])
def test_tensors_that_may_be_in_an_absent_part_are_not_dropped(
    name: str, parts: int, lost: int, tmp_path: Path
) -> None:
    whole = tmp_path / "whole.gguf"
    model(name).save(whole)
    one = audit(str(whole))
    other = audit(str(split(model(name), parts, lost, tmp_path / "parts")))
    for pair, side in (((one, other), "target"), ((other, one), "source")):
        (only,) = [found for found in compare_audits(*pair).findings if found.severity == "error"]
        assert only.code == "S201" and only.of_side == side


def test_tensors_that_are_absent_from_a_complete_set_are_dropped(tmp_path: Path) -> None:
    model("llama").save(tmp_path / "whole.gguf")
    less = model("llama")
    less.arrays.pop("blk.1.ffn_up.weight")
    other = audit(str(split(less, 3, None, tmp_path / "parts")))
    found = compare_audits(audit(str(tmp_path / "whole.gguf")), other).findings
    assert [one.code for one in found if one.severity == "error"] == ["V803"]


@pytest.mark.parametrize(("part", "outcome", "because"), [
    (0, "unknown", "it also reads the other parts of the model, which were not audited"),
    (1, "refuses", "illegal split file idx: 1, model must be loaded with the first split"),
    (2, "refuses", "illegal split file idx: 2, model must be loaded with the first split"),
])  # fmt: skip
def test_a_part_alone_is_no_model_for_llama_cpp(part: int, outcome: str, because: str, tmp_path: Path) -> None:
    folder = split(model("qwen3"), 3, None, tmp_path / "parts")
    result = audit(str(folder / f"m-{part + 1:05d}-of-00003.gguf"))
    assert result.verdict == "undecided" and not [one for one in result.findings if one.code == "N568"]
    (load, _) = result.loads
    assert (load.outcome, load.because) == (outcome, because)


@pytest.mark.thinned
@pytest.mark.parametrize("bare", [True, False])
@pytest.mark.parametrize(
    ("model_type", "suffix"),
    [("gemma2", "CausalLM"), ("bert", "MaskedLM"), ("whisper", "Generation"), ("qwen2", "CausalLM")],
)
def test_one_shard_against_the_model_is_one_finding(model_type: str, suffix: str, bare: bool) -> None:
    record = base_record(model_type, suffix)
    stored = spec_of(record)
    config = {"architectures": [record["class"]], **record["config"]}
    shard = in_shards(stored, 3)[1]
    whole, part = judged(stored, config), judged(shard, None if bare else config)
    for sides, name, remedy in (((part, whole), "source", "filled the rest"), ((whole, part), "target", "repeat")):
        found = compare_audits(*sides)
        (finding,) = (one for one in found.findings if one.severity != "note")
        assert (finding.code, finding.facts["side"], finding.facts["stored"]) == ("V866", name, len(shard))
        assert finding.facts["tensors"] == len(stored) - len(shard)
        assert finding.facts["parameters"] == (found.dropped or 0) + (found.invented or 0)
        assert remedy in finding.help


@pytest.mark.parametrize(
    ("model_type", "suffix"), [("gemma2", "CausalLM"), ("bert", "MaskedLM"), ("qwen2", "CausalLM")]
)
def test_a_few_lost_tensors_are_named(model_type: str, suffix: str) -> None:
    record = base_record(model_type, suffix)
    stored = spec_of(record)
    lost = next(name for name in stored if ".1." in name)
    less = judged({name: entry for name, entry in stored.items() if name != lost}, record["config"])
    found = compare_audits(judged(stored, record["config"]), less)
    assert [one.code for one in found.findings if one.severity != "note"] == ["V803"]


@pytest.mark.parametrize(("model_type", "suffix", "head"), [
    ("bert", "ForMaskedLM", "cls."), ("roberta", "ForCausalLM", "lm_head."), ("distilbert", "ForMaskedLM", "vocab_"),
    ("deit", "ForImageClassificationWithTeacher", ("cls_classifier.", "distillation_classifier.")),
])  # fmt: skip
def test_a_lost_head_is_one_finding(model_type: str, suffix: str, head: str | tuple[str, ...]) -> None:
    record = base_record(model_type, suffix)
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    spec = spec_of(record)
    less = {name: one for name, one in spec.items() if not name.startswith(head)}
    found = [one for one in compare_audits(judged(spec, config), judged(less, config)).findings if one.code == "V803"]
    assert len(found) == 1 and found[0].facts["tensors"] == len(spec) - len(less)
