"""Meaning of the verdicts: `clean` implies that the counts agree, `undecided` names what is not checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import inspector
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.cli import verbs
from inspector.report.json_v1 import audit_json
from inspector.report.text import audit_text
from tests.adapters import records as adapters
from tests.checkpoints import genuine, write, write_file
from tests.dialects import test_single_file as single_file
from tests.judged import (
    FIXTURES,
    base_record,
    diffusers_classes,
    diffusers_records,
    judged,
    oracle_types,
    records,
    spec_of,
)
from tests.make_checkpoints import SMALL_LLAMA
from tests.quantization import recorded
from tests.sampling import sampled
from tests.test_pipelines import PARTS, pipeline

CHECKPOINTS = FIXTURES / "checkpoints"


def check_verdict(audited: Audit) -> None:
    """Check what each verdict implies, for the audit and each of its parts."""
    for part in audited.components.values():
        check_verdict(part)
    bad = any(one.severity != "note" for one in audited.findings)
    open_checks = [skip for skip in audited.skipped if skip.decisive]
    counts = audited.counts
    if audited.verdict == "clean":
        assert not bad and not open_checks and not counts.unexplained and counts.tensors
        is_adapter = any(one.code == "A901" for one in audited.findings)
        if counts.expected_parameters is not None or not is_adapter:
            assert counts.unique_parameters == counts.expected_parameters
        assert {part.verdict for part in audited.components.values()} <= {"clean"}
    elif audited.verdict == "undecided":
        assert not bad and open_checks
    elif audited.verdict == "findings":
        assert bad


def audits_of(model_type: str) -> Iterator[Audit]:
    """Audits of a type's model with and without its config, undamaged and with one tensor removed."""
    entry = records(model_type)[0]
    spec = spec_of(entry)
    yield judged(spec, entry["config"])
    yield judged(spec, None)
    for name in (next(iter(spec)), max(spec, key=lambda one: len(spec[one][1]))):
        yield judged({one: stored for one, stored in spec.items() if one != name}, entry["config"])


@pytest.mark.thinned
@pytest.mark.parametrize("model_type", sampled(oracle_types(), 48))
def test_clean_implies_that_the_counts_agree(model_type: str) -> None:
    for audited in audits_of(model_type):
        check_verdict(audited)


@pytest.mark.parametrize("name", sampled(recorded.RECORDED, 24))
def test_quantized_models(name: str) -> None:
    found = recorded.record(name)
    spec = {one: (dtype, tuple(shape)) for one, (dtype, shape) in found["tensors"].items()}
    check_verdict(judged(spec, found["config"], side=found["side"]))
    check_verdict(judged(spec, None))


def test_adapters() -> None:
    for name, found in adapters.records().items():
        audited = adapters.alone(adapters.spec_of(name), found["adapter"])
        check_verdict(audited)
        assert audited.verdict == "clean", name
        check_verdict(adapters.alone(adapters.spec_of(name), None))


def test_models_of_diffusers() -> None:
    for at, name in enumerate(diffusers_classes()):
        for found in diffusers_records(name)[: 2 if at % 20 == 0 else 0]:
            check_verdict(judged(spec_of(found), found["config"]))
            check_verdict(judged(spec_of(found), None))


@pytest.mark.parametrize("name", sorted(path.name for path in CHECKPOINTS.iterdir()))
def test_checkpoints_on_disk(name: str) -> None:
    check_verdict(audit(str(CHECKPOINTS / name)))


def test_pipelines(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    check_verdict(audit(str(folder)))
    (folder / "text_encoder" / "config.json").write_text('{"model_type": "my_own"}', encoding="utf-8")
    unknown = {f"block.{number}.mix": ("F16", (8, 8)) for number in range(4)}
    write_file(folder / "text_encoder" / "model.safetensors", unknown)
    audited = audit(str(folder))
    check_verdict(audited)
    assert (audited.verdict, audited.components["unet"].verdict) == ("undecided", "clean")
    assert [skip.check for skip in audited.skipped if skip.decisive] == ["text_encoder: names and shapes"]


@pytest.mark.parametrize("name", sampled(single_file.MODELS, 3))
def test_single_files(name: str, tmp_path: Path) -> None:
    check_verdict(single_file.audited(tmp_path, single_file.whole(single_file.model(name)[0])))


UNKNOWN = {f"towers.{number}.mixing": ("F32", (6, 10)) for number in range(3)}
OPEN: dict[str, tuple[Any, dict[str, Any] | None]] = {
    "unknown architecture": (UNKNOWN, {"model_type": "my_own"}),
    "unknown architecture without its largest matrix": (dict(list(UNKNOWN.items())[1:]), {"model_type": "my_own"}),
    "arbitrary tensors": ({"a": ("F32", (3, 4)), "b": ("I64", (7,))}, None),
    "a lone embedding": ({"model.embed_tokens.weight": ("F32", (100, 64))}, None),
    "a lone embedding of GPT-2": ({"wte.weight": ("F32", (100, 64))}, None),
    "an embedding and a head": (
        dict.fromkeys(("model.embed_tokens.weight", "lm_head.weight"), ("F32", (100, 64))),
        None,
    ),
    "a lone embedding of BERT": ({"embeddings.word_embeddings.weight": ("F32", (100, 64))}, None),
    "no tensor": ({}, None),
    "no tensor, and an unknown architecture": ({}, {"model_type": "my_own"}),
}


@pytest.mark.parametrize("case", OPEN)
def test_open_checks_are_undecided(case: str) -> None:
    audited = judged(*OPEN[case])
    check_verdict(audited)
    assert audited.verdict == "undecided"
    document: Any = audit_json(audited)
    assert [skip["check"] for skip in document["skipped"] if skip["decisive"]]
    assert [line for line in audit_text(audited).splitlines() if line.startswith("Open: ")]


@pytest.mark.parametrize(
    ("model_type", "suffix"), [("mllama", "ForConditionalGeneration"), ("llava", "ForConditionalGeneration"),
                               ("qwen3_vl", "ForConditionalGeneration")]
)  # fmt: skip
def test_a_submodel_without_a_definition_is_undecided(model_type: str, suffix: str) -> None:
    record = base_record(model_type, suffix)
    config = {"model_type": model_type, **record["config"]}
    audited = judged(spec_of(record), {**config, "text_config": {**config["text_config"], "model_type": "of-my-own"}})
    assert audited.verdict == "undecided"
    assert "names and shapes below" in audit_text(audited)


def test_a_shard_by_itself_is_undecided(tmp_path: Path) -> None:
    folder = write(tmp_path, genuine(SMALL_LLAMA), SMALL_LLAMA, shards=2)
    audited = audit(str(folder / "model-00001-of-00002.safetensors"))
    assert audited.verdict == "undecided"
    assert audit(str(folder)).verdict == "clean"


def test_reports_list_open_checks_in_one_line(tmp_path: Path) -> None:
    folder = write(tmp_path, UNKNOWN, {"model_type": "my_own"})
    outcome = verbs.audit(str(folder))
    assert outcome.code == 0
    open_line = "Open: names and shapes (unsupported architecture: layers were only compared"
    assert open_line in outcome.text
    assert "Not checked: values (headers only: no tensor data was read)\n" in outcome.text
    assert verbs.audit(str(folder), quiet=True).text.startswith("undecided: 3 tensors counted, no formula for them")


def test_a_script_may_require_clean(tmp_path: Path) -> None:
    folder = write(tmp_path, UNKNOWN, {"model_type": "my_own"})
    assert verbs.audit(str(folder), require="clean").code == 1
    assert verbs.audit(str(folder), require="clean", fail_on="never").code == 1
    assert verbs.audit(str(CHECKPOINTS / "small-llama"), require="clean").code == 0
    assert verbs.audit(str(CHECKPOINTS / "my-finetune"), fail_on="never", require="clean").code == 1
    assert verbs.audit(str(tmp_path / "absent"), require="clean").code == 3
    result = inspector.audit(folder)
    assert result.raise_for_findings("warning") is result
    with pytest.raises(inspector.FindingsError, match="undecided: names and shapes"):
        result.raise_for_findings(require="clean")
    assert inspector.audit(CHECKPOINTS / "small-llama").raise_for_findings(require="clean").verdict == "clean"
    with pytest.raises(ValueError, match="require"):
        result.raise_for_findings(require="perfect")
