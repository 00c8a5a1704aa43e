"""Stated totals: parsing of numbers, and explanations of differences."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit_loaded
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.index import Index
from inspector.loader.set_reading import WeightFile
from inspector.reconciler.stated_total import read_claim
from tests.checkpoints import Spec, data_bytes, genuine
from tests.judged import base_record, judged, spec_of
from tests.sparse_models import LLAMA8B

READ = [
    ("8030257152", 8030257152, [8030257152], [8030257153]),
    ("8,030,257,152", 8030257152, [8030257152], []),
    ("8.03B", 8030000000, [8030261248, 8025000000, 8035000000], [8035000001, 8024999999]),
    ("8B", 8000000000, [8030261248], [8600000000]),
    ("6607.34M", 6607340000, [6607343616], [6607346000]),
    ("350k", 350000, [350499], [350501]),
    ("1.5T", 1500000000000, [1480000000000], [1400000000000]),
]


@pytest.mark.parametrize(("text", "value", "covered", "other"), READ)
def test_numbers_are_read(text: str, value: int, covered: list[int], other: list[int]) -> None:
    stated = read_claim(text)
    assert stated is not None
    assert stated.value == value
    assert all(stated.covers(number) for number in covered)
    assert not any(stated.covers(number) for number in other)


@pytest.mark.parametrize(
    ("text", "number", "rounded"),
    [
        ("405B", 405853388800, "406B"), ("70b", 70553706496, "71b"), ("6.7 B", 6798415616, "6.8B"),
        ("1,235M", 1235814400, "1,236M"), ("0.9B", 999999999, "1.0B"), ("8.0B", 8030261248, None), ("8B", 6999, None),
        ("405853388800", 405853388800, None),
    ],
)  # fmt: skip
def test_a_total_may_cut_off_digits(text: str, number: int, rounded: str | None) -> None:
    stated = read_claim(text)
    assert stated is not None
    words = stated.cut_off(number)
    assert words == (None if rounded is None else f"its digits are cut off; rounded it is {rounded}")


@pytest.mark.parametrize(
    "text", ["", "many", "-5", "1.5", "8.0300B5", "1e9", "٣", "0x10", "9" * 60, "1.2345678901234B"]
)
def test_other_texts_are_not_numbers(text: str) -> None:
    assert read_claim(text) is None


@pytest.mark.parametrize("model_type", ["mixtral", "qwen3_moe", "gpt_oss"])
def test_the_parameters_of_one_token_are_a_claim(model_type: str) -> None:
    record = base_record(model_type, "CausalLM")
    audited = judged(spec_of(record), record["config"])
    assert audited.experts is not None
    stated = read_claim(str(audited.experts.parameters))
    (claim,) = audit_loaded(audited.checkpoint, stated).claims
    assert (claim.agrees, claim.because) == (True, "the parameters that one token uses")


NOT_STORED = [
    ("marian", "MarianMTModel", "embed_positions"),
    ("bert", "BertModel", "pooler"),
    ("dinov2", "Dinov2Model", "mask_token"),
]


@pytest.mark.parametrize(("model_type", "ending", "part"), NOT_STORED)
def test_the_parameters_of_the_class_are_a_claim_where_the_file_leaves_out_some(
    model_type: str, ending: str, part: str
) -> None:
    """Transformers counts positions that it computes and does not save in the total of an index."""
    record = base_record(model_type, ending)
    stored = {name: entry for name, entry in spec_of(record).items() if part not in name}
    left_out = record["num_parameters"] - judged(stored, record["config"]).counts.unique_parameters
    (claim,) = audit_loaded(
        judged(stored, record["config"]).checkpoint, read_claim(str(record["num_parameters"]))
    ).claims
    words = f"the parameters of the class, with {left_out:,} that the file leaves out"
    assert (claim.agrees, claim.because) == (True, words)
    (total,) = with_index(stored, record["config"], total_parameters=record["num_parameters"]).claims
    assert (total.agrees, total.explained) == (False, True)
    assert "which is not stored" in total.because


TIED = {**LLAMA8B, "tie_word_embeddings": True}
FREQUENCIES: Spec = {f"model.layers.{n}.self_attn.rotary_emb.inv_freq": ("F32", (64,)) for n in range(32)}


def with_index(spec: Spec, config: dict[str, Any], file_bytes: int = 0, **totals: Any) -> Audit:
    """The audit of a listing whose index states these totals."""
    read = judged(spec, config).checkpoint
    index = Index("model.safetensors.index.json", dict.fromkeys(spec, "model.safetensors"), {}, dict(totals), ())
    files = (WeightFile("model.safetensors", file_bytes, 0, len(spec), 0, {}),)
    given = Config("config.json", dict(config), "config")
    return audit_loaded(
        Checkpoint("test", "test", given, tensors=read.tensors, files=files, index=index, readable=True)
    )


DATA = 16_060_522_496
EMBEDDING = 128_256 * 4096
TOTALS: list[tuple[Spec, dict[str, Any], dict[str, int], bool, str]] = [
    ({}, LLAMA8B, {"total_size": DATA}, True, "the bytes of all tensors"),
    ({}, LLAMA8B, {"total_size": DATA * 2}, False, "every tensor in F32"),
    ({}, LLAMA8B, {"total_size": DATA + 777, "file_bytes": DATA + 777}, False, "headers included"),
    (FREQUENCIES, LLAMA8B, {"total_size": DATA}, False, "leaves out the buffers"),
    (FREQUENCIES, LLAMA8B, {"total_size": DATA + 4096}, False, "the buffers as 16 bits instead of F32"),
    ({}, TIED, {"total_size": DATA}, False, "the tied head twice, which is not stored"),
    ({}, TIED, {"total_parameters": 8_030_261_248 - EMBEDDING}, True, "unique parameters"),
    ({}, TIED, {"total_parameters": 8_030_261_248}, False, "the tied head twice"),
    (FREQUENCIES, LLAMA8B, {"total_parameters": 8_030_261_248 + 2048}, True, "stored elements"),
]


@pytest.mark.parametrize(("more", "config", "totals", "agrees", "because"), TOTALS)
def test_known_conventions_are_explained_without_a_warning(
    more: Spec, config: dict[str, Any], totals: dict[str, int], agrees: bool, because: str
) -> None:
    audited = with_index({**genuine(config), **more}, config, **totals)
    (claim,) = audited.claims
    assert claim.agrees is agrees
    assert because in claim.because
    assert not any(finding.code == "P705" for finding in audited.findings)


@pytest.mark.parametrize("totals", [{"total_size": 0}, {"total_size": DATA - 8}, {"total_parameters": 333_312}])
def test_an_unexplained_difference_is_a_warning(totals: dict[str, int]) -> None:
    audited = with_index(genuine(LLAMA8B), LLAMA8B, DATA + 9_000, **totals)
    assert [finding.code for finding in audited.findings if finding.severity == "warning"] == ["P705"]


@pytest.mark.parametrize(("each", "because"), [
    (-4, "the buffers in I64 as 32 bits instead of I64"), (-7, "the buffers in I64 as bytes instead of I64"),
    (4, None), (-3, None),
])  # fmt: skip
def test_counters_counted_with_other_bits(each: int, because: str | None) -> None:
    """each: bytes by which the total differs for each counter of a batch norm; more bytes have no known cause."""
    record = base_record("resnet")
    spec = spec_of(record)
    counters = sum(dtype == "I64" for dtype, _ in spec.values())
    stored = sum(data_bytes(*entry) for entry in spec.values())
    audited = with_index(spec, record["config"], total_size=stored + each * counters)
    found = [finding.code for finding in audited.findings if finding.severity == "warning"]
    assert found == ([] if because else ["P705"])
    assert because is None or because in audited.claims[0].because


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("16.1B", "these are the bytes of the weights"),
        ("4.02B", "it is half of the parameters"),
        ("16B", ""),
        ("4B", ""),
    ],
)
def test_a_total_of_few_digits_is_not_explained_by_chance(text: str, because: str) -> None:
    stated = read_claim(text)
    (claim,) = audit_loaded(judged(genuine(LLAMA8B), LLAMA8B).checkpoint, stated).claims
    assert (claim.agrees, claim.explained) == (False, bool(because))
    assert claim.because.endswith(because or "no part of the formula explains it")
