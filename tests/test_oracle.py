"""Compares every definition with what transformers and torch save: exact counts, with and without a config."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import pytest

from inspector.architectures.catalog import modules
from inspector.architectures.defaults import class_defaults
from tests.judged import base_record, codes, judged, oracle_types, records, spec_of
from tests.sampling import sampled

TORCH = "torch_multihead_attention"
TYPES = [name for name in oracle_types() if name in modules()]

UNSUPPORTED = {
    ("t5", "is_decoder-true"): "an encoder that is a decoder",
    ("sam_hq", "tie_word_embeddings-false"): "its two position embeddings are one in every published model",
    ("luke", "tie_word_embeddings-false"): "transformers 4 leaves out one of the two projections",
    ("zamba", "tie_word_embeddings-false"): "transformers 4 shares its layers all the same, and under other names",
    ("switch_transformers", "tie_word_embeddings-false"): "its three token embeddings are one in every published model",
}
"""Switches that contradict the model, or that its writer cannot save."""

PRUNED = "pruned_heads-{1:[0,2]}"
READ_PRUNED = ("bert", "roberta", "distilbert", "gpt2")
"""Types whose definitions read `pruned_heads`; no published checkpoint of another type has any."""


def switches_of(variant: str) -> list[str]:
    """The switches of a variant; values that are lists contain commas too."""
    return re.split(r",(?=[a-z])", variant)


def more_than_one(variant: str) -> bool:
    """Whether the variant changes more than one switch."""
    return len(switches_of(variant)) > 1


def contradicts_itself(model_type: str, variant: str, writer: str = "") -> bool:
    """Whether the config of a record is inconsistent."""
    if (model_type, writer) in UNSTATED:
        return True
    switches = switches_of(variant)
    pruned = PRUNED in switches and model_type not in READ_PRUNED
    return pruned or any((model_type, switch) in UNSUPPORTED for switch in switches)


UNSTATED = {
    (
        "moonshine",
        "transformers 4.57.6",
    ): "its decoder layers write their numbers of heads over the encoder's into the config",
    ("pvt", "transformers 4.57.6"): "no version counts the names of labels, of which this one writes no number",
}
"""Records whose config does not state what was built; published models have the same number on both sides."""


def changed_keys(record: Mapping[str, Any]) -> set[str]:
    """The config keys that a record changes: every fifth one of each class."""
    keys = {switch.partition("-")[0] for switch in switches_of(record["variant"])} - {""}
    return {key for key in keys if crc32(f"{record['class']}.{key}".encode()) % 5 == 0}


def sample(found: Sequence[dict[str, Any]], which: str = "") -> list[dict[str, Any]]:
    """The records of a type with a class, a writer or (for whole configs) a changed key that no earlier record has.

    For configs with only the given keys, two: `test_omitted_keys_have_the_defaults_of_their_writer` covers each class.
    """
    if which == "given":
        return list(found[:: max(1, -(-len(found) // 2))])
    kept: list[dict[str, Any]] = []
    seen: set[str] = set()
    for record in found:
        new = {record["class"], record["writer"], *(changed_keys(record) if which else ())}
        if new - seen:
            kept.append(record)
            seen |= new
    return kept


BOTH = ("config", "given")
OPEN: dict[str, tuple[tuple[str, ...], str]] = {
    "xcodec": (("given",), "its class completes a part of a sub-config by values of its own, and writes all of them"),
}
"""Types with a record that is not exact yet, and the reason: the mark is strict, so that a fix is noticed."""


def cases() -> list[object]:
    """Every type with either config; types with an undecided record are marked. CI has the whole configs of all."""
    marked: list[object] = []
    for which in BOTH:
        for model_type in TYPES:
            open_in, reason = OPEN.get(model_type, ((), ""))
            marks = [pytest.mark.xfail(strict=True, reason=reason)] if which in open_in else []
            marks += [pytest.mark.thinned] if which == "given" else []
            marked.append(pytest.param(which, model_type, marks=marks, id=f"{which}-{model_type}"))
    return marked


@pytest.mark.parametrize("which_records", ["some", pytest.param("all", marks=pytest.mark.slow)])
@pytest.mark.parametrize(("which", "model_type"), cases())
def test_every_record_is_exact_and_clean(model_type: str, which: str, which_records: str) -> None:
    newest = max(record["writer"] for record in records(model_type))
    fitting = [
        record
        for record in records(model_type)
        if record.get(which) is not None
        and not contradicts_itself(model_type, record["variant"], record["writer"])
        and (which == "config" or (record["writer"] == newest and not more_than_one(record["variant"])))
    ]  # the class defaults are those of the newest version
    for record in fitting if which_records == "all" else sample(fitting, which):
        config = {"model_type": model_type, "architectures": [record["class"]], **record[which]}
        audited = judged(spec_of(record), config)
        where = (record["class"], record["variant"], record["writer"])
        assert codes(audited) == set(), (where, [finding.message for finding in audited.findings])
        counts = audited.counts
        written = record["num_parameters"] - record.get("unwritten", 0)
        assert counts.unique_parameters == written, where
        assert counts.expected_parameters == written, where
        assert counts.unexplained == 0, where


def sparse(values: Mapping[str, Any], model_type: str, major: str) -> dict[str, Any]:
    """The config without the values that equal the class defaults, as configs on the Hub are."""
    defaults, aliases = class_defaults(model_type, major)
    found: dict[str, Any] = {}
    for key, value in values.items():
        default = defaults.get(aliases.get(key, key), value if value is None else ...)
        if isinstance(value, dict) and isinstance(value.get("model_type"), str) and value["model_type"] != model_type:
            found[key] = {**sparse(value, value["model_type"], major), "model_type": value["model_type"]}
        elif key in KEPT or default != value or type(default) is not type(value):
            found[key] = value
    return found


KEPT = ("architectures", "model_type", "transformers_version", "id2label")


@pytest.mark.thinned
@pytest.mark.parametrize("which_records", ["some", pytest.param("all", marks=pytest.mark.slow)])
@pytest.mark.parametrize("model_type", sampled(TYPES, 4))
def test_omitted_keys_have_the_defaults_of_their_writer(model_type: str, which_records: str) -> None:
    plain = [
        record
        for record in records(model_type)
        if not record["variant"] and not contradicts_itself(model_type, "", record["writer"])
    ]
    for record in plain if which_records == "all" else sample(plain):
        config = sparse({**record["config"], "model_type": model_type}, model_type, record["writer"].split()[1][0])
        audited = judged(spec_of(record), config)
        where = (record["class"], record["writer"], config)
        assert codes(audited) == set(), (where, [finding.message for finding in audited.findings])
        written = record["num_parameters"] - record.get("unwritten", 0)
        assert audited.counts.unique_parameters == audited.counts.expected_parameters == written, where


@pytest.mark.parametrize("record", records(TORCH), ids=lambda record: record["variant"] or "base")
def test_multihead_attention_needs_no_config(record: dict[str, object]) -> None:
    audited = judged(spec_of(record), None)
    assert audited.architecture is not None
    assert audited.architecture.name == "multihead_attention"
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == record["num_parameters"]
    assert audited.verdict == "clean"


SOLVED = ["llama", "gpt2", "bert", "mixtral", "qwen3", "t5", "deepseek_v3", "radio"]


@pytest.mark.parametrize("model_type", sampled(SOLVED, 3))
def test_without_a_config_the_count_is_the_same(model_type: str) -> None:
    for record in records(model_type):
        if record["variant"]:
            continue
        audited = judged(spec_of(record), None)
        assert audited.architecture is not None, record["class"]
        assert audited.architecture.confidence == "likely"
        assert codes(audited) == set(), (record["class"], audited.findings)
        assert audited.counts.unique_parameters == record["num_parameters"], record["class"]
        assert audited.counts.expected_parameters == record["num_parameters"], record["class"]


def test_equal_convolutions_are_read_without_a_config() -> None:
    record = base_record("speecht5", "ForSpeechToText")
    spec = dict(spec_of(record))
    width = record["config"]["conv_dim"][-1]
    for name, (dtype, shape) in spec.items():
        if "conv_layers" in name and len(shape) == 3:
            spec[name] = (dtype, (width, min(shape[1], width), shape[2]))
    audited = judged(spec, None)
    assert (codes(audited), audited.verdict) == (set(), "clean")


@pytest.mark.parametrize("model_type", ["llama", "bert", "gpt2"])
def test_the_ledger_adds_up(model_type: str) -> None:
    record = base_record(model_type)
    audited = judged(spec_of(record), record["config"])
    counts = audited.counts
    plain = sum(line.elements for line in audited.lines if line.parameters and line.packed is None)
    assert counts.stored_elements == (
        plain + counts.packed_elements + counts.packing_helpers + counts.buffers + counts.unexplained
    )
    assert counts.parameters == counts.unique_parameters + counts.extra_components + counts.tied_copies
    assert counts.stored_bytes == sum(line.bytes for line in audited.lines)
