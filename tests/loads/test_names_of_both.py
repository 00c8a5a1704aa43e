"""Names that only transformers 5 reads, and those that 4.57 reads as well.

Measured with 5.23 and 4.57: the class that 5.23 saves has no inner module, so that its names lack the prefix by which
4.57 finds them; 5.23 reads both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.findings.finding import Finding
from inspector.mending.patterns import renamed
from tests.checkpoints import write
from tests.judged import records, spec_of


def saved(folder: Path, record: dict[str, Any], spec: dict[str, tuple[str, tuple[int, ...]]]) -> Audit:
    """The audit of a folder with the class of a record."""
    folder.mkdir()
    return audit(str(write(folder, spec, {**record["config"], "architectures": [record["class"]]})))


def of_older(audited: Audit) -> list[Finding]:
    """The notes on the older version."""
    return [one for one in audited.findings if one.code == "N590"]


@pytest.mark.parametrize(
    ("model_type", "prefix"),
    [
        ("clip_text_model", "text_model."),
        ("clip_vision_model", "vision_model."),
        ("siglip_vision_model", "vision_model."),
    ],
)
def test_the_prefix_with_which_both_versions_load(model_type: str, prefix: str, tmp_path: Path) -> None:
    record = next(one for one in records(model_type) if next(iter(one["tensors"])).startswith("embeddings."))
    spec = spec_of(record)
    audited = saved(tmp_path / "newest", record, spec)
    (note,) = of_older(audited)
    assert audited.verdict == "clean" and f'"{prefix}"' in note.remedy().words
    patterns = [(step.old, step.new) for step in note.remedy().steps]
    longer = {renamed(name, patterns): entry for name, entry in spec.items()}
    assert not of_older(saved(tmp_path / "both", record, longer)) and next(iter(longer)).startswith(prefix)


HEADS = [
    ("xlm-roberta", "ForTokenClassification"), ("vit", "ForImageClassification"), ("gpt2", "ForSequenceClassification"),
    ("wav2vec2", "ForSequenceClassification"),
]  # fmt: skip


@pytest.mark.parametrize(("model_type", "suffix"), HEADS)
@pytest.mark.parametrize(("stated", "names", "labels"), [(9, 2, (9, 2)), (9, 9, None), (9, None, None)])
def test_labels_of_which_the_versions_take_different_ones(
    model_type: str, suffix: str, stated: int, names: int | None, labels: tuple[int, int] | None, tmp_path: Path
) -> None:
    """Version 5 takes num_labels, 4.57 counts the names: measured on XLM-RoBERTa."""
    record = next(one for one in records(model_type) if one["class"].endswith(suffix))
    before = {
        key: value for key, value in record["config"].items() if key not in ("id2label", "label2id", "num_labels")
    }
    heads = ("classifier", "score")
    spec = {
        name: (dtype, (stated, *shape[1:]) if name.split(".")[-2] in heads else shape)
        for name, (dtype, shape) in spec_of(record).items()
    }
    named = {str(number): f"LABEL_{number}" for number in range(names or 0)}
    config = {
        **before,
        "num_labels": stated,
        **({"id2label": named} if names else {}),
        "architectures": [record["class"]],
    }
    audited = audit(str(write(tmp_path, spec, config)))
    assert audited.verdict == "clean"
    notes = of_older(audited)
    assert [tuple(one.facts["labels"]) for one in notes] == ([labels] if labels else [])
    for one in notes:
        assert "id2label has 2" in one.message and [step.key for step in one.remedy().steps] == [
            ("id2label",),
            ("label2id",),
        ]
