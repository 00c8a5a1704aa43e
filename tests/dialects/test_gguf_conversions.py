"""Conversions by llama.cpp's converter: clean comparisons, exact audits of the file alone, errors for each damage."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.cli.verbs import mend
from inspector.comparing.checkpoints import compare
from inspector.comparing.result import Comparison
from inspector.comparing.values import compared_with_values
from inspector.dialects.gguf_config import own_key
from inspector.dialects.gguf_required import PER_LAYER
from inspector.findings.conversion.relation import LeftOut
from inspector.loader.formats import ggml_types
from tests.dialects.recorded_gguf import NO_VOCABULARY, Written, records, source_of, target_of
from tests.findings.cases import gguf_with_a_pre_tokenizer
from tests.sampling import sampled
from tests.values.value_files import write

pytestmark = pytest.mark.thinned

MINIMUM = 50
"""Minimum number of transformers architectures with a recorded conversion."""
INTEGER = 26
"""ggml's type of 32-bit integers."""
NOT_READ = frozenset({"deepseek_v2", "deepseek_v3", "deepseek_v32", "glm4_moe_lite", "glm_moe_dsa", "kimi_linear",
                      "minicpm3", "mistral3_of_4", "plm", "youtu", "mamba", "mamba2", "falcon_mamba"})  # fmt: skip
"""Types for which the number of key-value heads determines no shape."""
REFUSED = "falcon_new"
"""A record whose file llama.cpp refuses: its converter writes four times the hidden size for any `ffn_hidden_size`."""
TYPES = sorted(records().keys() - {REFUSED})
CASES = sampled(TYPES, 9)


def written(name: str) -> Written:
    """The converted file of a type."""
    return target_of(records()[name], source_of(records()[name]))


def keys_of(file: Written, ending: str) -> int:
    """The number of the file's metadata whose key has this ending."""
    return next(int(value) for key, _, value in file.keys if key.endswith(f".{ending}"))


def errors(reported: Audit | Comparison) -> list[str]:
    """The errors of a report."""
    return [f"{one.code} {one.message}" for one in reported.findings if one.severity == "error"]


def compared(name: str, file: Written, folder: Path, **keys: int) -> Comparison:
    """The comparison of the source with a file, with values. keys: changed keys of the source's config."""
    record = records()[name]
    source = write(folder / "source", source_of(record), {**record["config"], **keys})
    return compared_with_values(compare(str(source), str(file.save(folder / "target.gguf"))))


def matrix(file: Written, name: str) -> str:
    """The name of a matrix of a layer, a different one for each type."""
    found = [one for one, array in file.arrays.items() if array.ndim > 1 and min(array.shape) > 3 and "blk." in one]
    return found[7 * TYPES.index(name) % len(found)]


def dropped(file: Written, name: str) -> None:
    """Remove a matrix."""
    del file.arrays[matrix(file, name)]


def misshaped(file: Written, name: str) -> None:
    """Give a matrix another shape."""
    at = matrix(file, name)
    file.arrays[at] = np.concatenate([file.arrays[at], file.arrays[at][..., :1]], axis=-1)


def of_integers(file: Written, name: str) -> None:
    """Store a matrix as integers."""
    at = matrix(file, name)
    file.arrays[at] = file.arrays[at].astype("<i4")
    file.kinds[at] = INTEGER


def with_key(word: str, change: Callable[[int], int]) -> Callable[[Written, str], None]:
    """Change a key of the metadata."""

    def changed(file: Written, name: str) -> None:
        at = next((at for at, (key, _, _) in enumerate(file.keys) if key.partition(".")[2] == word), None)
        if at is None or (word == "attention.head_count_kv" and name in NOT_READ):
            pytest.skip("the file does not state it")
        key, kind, value = file.keys[at]
        one: Any = [change(one) for one in value] if isinstance(value, list) else change(value)
        if one == value:
            pytest.skip("no layer has any")
        file.keys[at] = (key, kind, one)

    return changed


DAMAGES: dict[str, Callable[[Written, str], None]] = {
    "dropped": dropped,
    "misshaped": misshaped,
    "of integers": of_integers,
    "block_count": with_key("block_count", lambda value: value + 1),
    "embedding_length": with_key("embedding_length", lambda value: 2 * value),
    "head_count_kv": with_key("attention.head_count_kv", lambda value: 2 * value),
}


def test_many_architectures_are_recorded() -> None:
    assert len(TYPES) >= MINIMUM


@pytest.mark.parametrize("name", CASES)
def test_a_conversion_is_complete_and_the_file_alone_is_exact(name: str, tmp_path: Path) -> None:
    file = written(name)
    reported = compared(name, file, tmp_path)
    assert (reported.relation, reported.verdict) == ("conversion", "clean"), [*reported.findings]
    assert (reported.dropped, reported.invented) == (0, 0)
    alone = audit(str(tmp_path / "target.gguf"))
    assert alone.verdict == "clean", [*alone.findings]
    assert alone.counts.unique_parameters == alone.counts.expected_parameters


@pytest.mark.parametrize("name", CASES)
def test_llama_cpp_loads_complete_files(name: str, tmp_path: Path) -> None:
    record, file = records()[name], written(name)
    loads = {one.loader: one.outcome for one in audit(str(file.save(tmp_path / "whole" / "model.gguf").parent)).loads}
    assert loads == {"llama.cpp": "complete", "ollama": "complete"}
    file.arrays.clear()
    file.arrays.update(source_of(record))
    audited = audit(str(file.save(tmp_path / "renamed" / "model.gguf").parent))
    assert "complete" not in {one.outcome for one in audited.loads}
    assert audited.verdict != "clean"


UNEXPECTED = ("blk.99.attn_norm.weight", "v.blk.0.attn_q.weight", "blk.0.attn_q.lora_b", "blk.0.attn.masked_bias",
           "blk.0.attn_rotary_emb.inv_freq", "model.embed_tokens.weight", "blk.0.attn_q_norm.bias",
           "blk.0.post_ffw_norm.weight", "rope_freqs.weight")  # fmt: skip
READ = {("llama", "rope_freqs.weight"), ("gemma4_text", "rope_freqs.weight")}
"""Unexpected tensors that llama.cpp reads for that architecture."""


@pytest.mark.parametrize("extra", UNEXPECTED)
@pytest.mark.parametrize("name", ["llama", "qwen2", "olmoe"])
def test_llama_cpp_refuses_tensors_that_it_does_not_read(name: str, extra: str, tmp_path: Path) -> None:
    file = written(name)
    shape = (10,) if extra == "rope_freqs.weight" else file.arrays["output_norm.weight"].shape
    file.arrays[extra] = np.ones(shape, np.float32)
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    refused = {one.loader: one.outcome for one in audited.loads}["llama.cpp"] == "refuses"
    assert refused is ((name, extra) not in READ)
    found = [one.name for one in audited.findings if one.severity == "error"]
    assert found == (["tensors-of-no-architecture"] if refused else [])


def test_a_model_marked_as_another_architecture_is_refused(tmp_path: Path) -> None:
    """Qwen 3's tensors in a file marked as Llama, which has no norms of queries and keys."""
    file = written("qwen3")
    file.keys = [(key.replace("qwen3.", "llama."), kind, "llama" if value == "qwen3" else value)
                 for key, kind, value in file.keys]  # fmt: skip
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    (found,) = (one for one in audited.findings if one.severity == "error")
    assert (found.code, found.facts["tensors"]) == ("N466", 6) and "qwen3" in found.facts["read_by"]
    assert {one.outcome for one in audited.loads} == {"refuses"}


@pytest.mark.parametrize(("name", "lost", "outcome"), [
    ("qwen2", "blk.1.attn_q.bias", "altered"), ("qwen2", "blk.1.attn_q.weight", "refuses"),
    ("starcoder2", "blk.1.attn_q.bias", "altered"), ("starcoder2", "blk.1.ffn_up.bias", "refuses"),
])  # fmt: skip
def test_llama_cpp_does_without_some_tensors(name: str, lost: str, outcome: str, tmp_path: Path) -> None:
    file = written(name)
    del file.arrays[lost]
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    assert len(errors(audited)) == 1
    assert {one.outcome for one in audited.loads} == {outcome}


@pytest.mark.parametrize("name", CASES)
def test_a_file_that_was_quantized_has_no_leading_dims_of_one(name: str, tmp_path: Path) -> None:
    """ggml counts dims up to the last one above 1, and llama-quantize writes only those."""
    file = written(name)
    for at, array in file.arrays.items():
        while array.ndim > 1 and array.shape[0] == 1:
            array = array[0]
        file.arrays[at] = array
    alone = audit(str(file.save(tmp_path / "target.gguf")))
    assert alone.verdict == "clean", [*alone.findings]


@pytest.mark.parametrize(("name", "single"), [
    ("roberta_classifier", ("cls.output.weight", "cls.output.bias")),
    ("bert", ("token_types.weight",)),
])  # fmt: skip
def test_a_matrix_of_one_row_is_a_vector_after_quantizing(name: str, single: tuple[str, ...], tmp_path: Path) -> None:
    file = written(name)
    for at in single:
        file.arrays[at] = file.arrays[at][0] if file.arrays[at].ndim > 1 else file.arrays[at][:1]
    alone = audit(str(file.save(tmp_path / "target.gguf")))
    assert alone.verdict == "clean", [*alone.findings]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", CASES)
def test_a_damaged_file_is_an_error(name: str, damage: str, tmp_path: Path) -> None:
    file = written(name)
    DAMAGES[damage](file, name)
    found = errors(audit(str(file.save(tmp_path / "target.gguf"))))
    assert len(found) == 1, found


@pytest.mark.parametrize("name", CASES)
def test_rows_in_another_order_are_an_error(name: str, tmp_path: Path) -> None:
    file = written(name)
    at = matrix(file, name)
    file.arrays[at] = file.arrays[at][::-1]
    found = errors(compared(name, file, tmp_path))
    assert len(found) == 1, found


@pytest.mark.parametrize("lost", ["output.weight", "token_embd.weight", "output_norm.weight"])
def test_tensors_outside_the_layers_of_a_submodel_are_not_part_of_a_tower(lost: str, tmp_path: Path) -> None:
    file = written("qwen3_omni_moe")
    del file.arrays[lost]
    assert len(errors(compared("qwen3_omni_moe", file, tmp_path))) == 1


@pytest.mark.parametrize("lost", ["cls.", "cls.weight"])
def test_a_lost_classifier_is_an_error(lost: str, tmp_path: Path) -> None:
    file = written("roberta_classifier")
    file.arrays = {key: array for key, array in file.arrays.items() if not key.startswith(lost)}
    reported = compared("roberta_classifier", file, tmp_path)
    assert [one.code for one in reported.findings if one.severity == "error"] == ["V803"]


def split(file: Written, folder: Path) -> Path:
    """Write the file in two parts."""
    names = list(file.arrays)
    half = len(names) // 2
    for number, chosen in enumerate((names[:half], names[half:])):
        count = [("split.count", "u16", 2), ("split.no", "u16", number), ("split.tensors.count", "i32", len(names))]
        keys = [*(file.keys if number == 0 else []), *count]
        part = Written(keys, {one: file.arrays[one] for one in chosen}, {})
        part.save(folder / f"model-0000{number + 1}-of-00002.gguf")
    return folder


@pytest.mark.parametrize("name", ["deepseek_v3", "t5"])
def test_a_split_file_is_one_model(name: str, tmp_path: Path) -> None:
    record = records()[name]
    source = write(tmp_path / "source", source_of(record), record["config"])
    folder = split(written(name), tmp_path / "target")
    assert audit(str(folder)).verdict == "clean"
    reported = compared_with_values(compare(str(source), str(folder)))
    assert (reported.verdict, reported.dropped, reported.invented) == ("clean", 0, 0)
    (folder / "model-00002-of-00002.gguf").unlink()
    assert errors(audit(str(folder)))


@pytest.mark.parametrize("content", [b"", bytes(4096)])
def test_llama_cpp_refuses_a_split_file_with_a_part_that_is_none(content: bytes, tmp_path: Path) -> None:
    folder = split(written("llama"), tmp_path)
    (folder / "model-00002-of-00002.gguf").write_bytes(content)
    found = audit(str(folder))
    assert [one[:4] for one in errors(found)] == ["R005"]
    assert {(one.loader, one.outcome) for one in found.loads} == {("llama.cpp", "refuses"), ("ollama", "refuses")}


@pytest.mark.parametrize(("name", "refused", "older"), [
    ("exaone_moe", True, ""), ("glm4", True, ""), ("bailing_moe_v2", True, ""), ("hy_v3", False, ""),
    ("bailing_moe", False, ""), ("glm_moe_dsa", False, ""), ("deepseek_v3", False, "b10229"),
    ("step3p7", False, "b9294"),
])  # fmt: skip
def test_a_layer_for_further_tokens_that_is_announced_and_not_stored(
    name: str, refused: bool, older: str, tmp_path: Path
) -> None:
    """Measured with llama.cpp of October 2026, which does without the layer in most architectures, and older builds."""
    file = written(name)
    architecture = next(value for key, _, value in file.keys if key == "general.architecture")
    blocks = keys_of(file, "block_count")
    keys = [(key, kind, value + key.endswith(".block_count") if kind == "u32" else one_more(value, blocks))
            for key, kind, value in file.keys if "nextn" not in key]  # fmt: skip
    found = audit(str(Written([*keys, (f"{architecture}.nextn_predict_layers", "u32", 1)], file.arrays, {}).save(
        tmp_path / "model.gguf")))  # fmt: skip
    assert [one[:4] for one in errors(found)] == (["N515"] if refused else [])
    assert found.loads[0].outcome == ("refuses" if refused else "complete")
    noted = next((one.facts for one in found.findings if one.code == "N423"), {})
    assert noted.get("refused_until", "") == older
    without: object = next((one.facts["without"] for one in found.findings if one.code == "N515"), noted.get("without"))
    if refused or older:
        assert without == {f"{architecture}.block_count": blocks, f"{architecture}.nextn_predict_layers": 0}
        assert errors(audit(str(file.save(tmp_path / "repaired.gguf")))) == []


def one_more(value: Any, blocks: int) -> Any:
    """A list of one number for each layer with another one at its end; other values as they are."""
    return [*value, value[-1]] if isinstance(value, list) and len(value) == blocks else value


@pytest.mark.parametrize("name", ["deepseek_v3", "t5", "llama"])
def test_a_part_under_another_name_is_renamed(name: str, tmp_path: Path) -> None:
    folder = split(written(name), tmp_path)
    (folder / "model-00001-of-00002.gguf").rename(folder / "mine-Q4.gguf")
    (finding,) = (one for one in audit(str(folder)).findings if one.severity != "note")
    assert (finding.code, finding.facts["wanted"]) == ("N482", "model-00001-of-00002.gguf")
    assert mend(str(folder), write=True, format="json").code == 0 and audit(str(folder)).verdict == "clean"


@pytest.mark.parametrize(
    ("name", "damage"), [("deepseek_v3", ""), ("llama", ""), ("llama", "dims"), ("llama", "total")]
)
def test_a_part_with_the_name_of_another_model_is_renamed_if_it_completes_this_one(
    name: str, damage: str, tmp_path: Path
) -> None:
    file = written(name)
    folder = split(file, tmp_path)
    second = folder / "model-00002-of-00002.gguf"
    second.rename(folder / "model-q4-00002-of-00002.gguf")
    if damage:
        names = list(file.arrays)[len(file.arrays) // 2 :]
        count = [("split.count", "u16", 2), ("split.no", "u16", 1)]
        total = ("split.tensors.count", "i32", len(file.arrays) + (damage == "total"))
        half = {one: file.arrays[one][..., ::2] for one in names if damage == "dims"}
        part = Written([*count, total], {one: half.get(one, file.arrays[one]) for one in names}, {})
        part.save(folder / "model-q4-00002-of-00002.gguf")
    found = [one for one in audit(str(folder)).findings if one.severity != "note"]
    if damage:
        assert found[0].code == "S201"
        return
    assert [(one.code, one.facts["wanted"]) for one in found] == [("N482", second.name)]
    assert mend(str(folder), write=True, format="json").code == 0 and audit(str(folder)).verdict == "clean"


def test_a_row_with_another_dim_of_one_is_read(tmp_path: Path) -> None:
    file = written("qwen2_moe")
    for name in [name for name in file.arrays if "ffn_gate_inp_shexp" in name]:
        file.arrays[name] = file.arrays[name].reshape(1, 1, -1)
    assert audit(str(file.save(tmp_path / "model.gguf"))).verdict == "clean"


@pytest.mark.parametrize("names", [("my model part1", "my model part2"), ("first", "second"), ("a_1", "a_2")])
def test_parts_of_which_none_has_its_name_are_renamed_together(names: tuple[str, str], tmp_path: Path) -> None:
    folder = split(written("llama"), tmp_path)
    for number, name in enumerate(names, 1):
        (folder / f"model-0000{number}-of-00002.gguf").rename(folder / f"{name}.gguf")
    assert [one.code for one in audit(str(folder)).findings if one.severity == "error"] == ["N482"]
    assert mend(str(folder), write=True, format="json").code == 0 and audit(str(folder)).verdict == "clean"


@pytest.mark.parametrize("name", ["llama", "qwen2_moe", "gemma2"])
def test_a_part_that_is_given_alone_has_no_wrong_sizes(name: str, tmp_path: Path) -> None:
    """Only the first part states them, and the head may be in another one."""
    first, second = sorted(split(written(name), tmp_path).iterdir())
    later = audit(str(second))
    (finding,) = (one for one in later.findings if one.code == "N668")
    assert later.verdict == "undecided" and first.name in finding.help
    assert all(one.severity == "note" for one in later.findings)
    assert {one.code for one in audit(str(first)).findings}.isdisjoint({"N668", "P703"})
    assert {one.code for one in audit(str(first.parent)).findings}.isdisjoint({"N668"})


def test_parts_joined_as_plain_files_are_one_finding(tmp_path: Path) -> None:
    parts = sorted(split(written("llama"), tmp_path).iterdir())
    whole = tmp_path / "joined" / "model.gguf"
    whole.parent.mkdir()
    whole.write_bytes(b"".join(one.read_bytes() for one in parts))
    assert [one.code for one in audit(str(whole)).findings if one.severity == "error"] == ["N550"]
    whole.write_bytes(parts[0].read_bytes() + b"other bytes")
    assert {one.code for one in audit(str(whole)).findings if one.severity != "note"} == {"S262", "N482"}


@pytest.mark.parametrize("name", ["llama", "mixtral", "qwen3"])
def test_an_unexpected_bias_implies_no_others(name: str, tmp_path: Path) -> None:
    file = written(name)
    file.arrays["blk.0.attn_q.bias"] = np.zeros(file.arrays["blk.0.attn_q.weight"].shape[0], np.float32)
    audited = audit(str(file.save(tmp_path / "model.gguf")))
    assert [one.code for one in audited.findings if one.severity != "note"] == ["N405"]


@pytest.mark.parametrize(("biases", "expected"), [
    (("attn_q", "attn_k", "attn_v"), []), (("attn_q", "attn_k", "attn_v", "attn_output"), []),
    (("attn_q", "attn_v"), ["N403", "N403"]),
])  # fmt: skip
def test_llama_with_the_biases_of_qwen(biases: tuple[str, ...], expected: list[str], tmp_path: Path) -> None:
    file = written("llama")
    for key in [key for key in file.arrays if key.removesuffix(".weight").endswith(biases)]:
        bias = np.zeros(file.arrays[key].shape[0], np.float32)
        file.arrays[f"{key.removesuffix('.weight')}.bias"] = bias
    audited = audit(str(file.save(tmp_path / "model.gguf")))
    assert [one.code for one in audited.findings if one.severity != "note"] == expected


OF_THE_FIRST_LAYER = [("mamba", "blk.0.ssm_conv1d.bias"), ("gpt_neox", "blk.0.attn_qkv.bias"),
                      ("granitemoeshared", "blk.0.ffn_gate_shexp.weight"), ("bamba", "blk.0.ssm_out.weight"),
                      ("bailing_moe_v2", "blk.0.attn_q_norm.weight"), ("mt5", "enc.blk.0.ffn_gate.weight")]  # fmt: skip


@pytest.mark.parametrize(("name", "lost"), OF_THE_FIRST_LAYER)
def test_tensors_lost_from_the_first_layer_are_missing(name: str, lost: str, tmp_path: Path) -> None:
    """llama.cpp derives settings of the whole model from the presence of these tensors."""
    file = written(name)
    del file.arrays[lost]
    audited = audit(str(file.save(tmp_path / "model.gguf")))
    found = [one for one in audited.findings if one.severity != "note"]
    assert [(one.code, one.place.tensor) for one in found] == [("N403", lost)]


@pytest.mark.parametrize(("lost", "expected"), [(0, []), (100, ["S203"])])
def test_a_file_of_the_store_of_ollama_is_read_by_its_name(lost: int, expected: list[str], tmp_path: Path) -> None:
    path = written("llama").save(tmp_path / f"sha256-{'0a' * 32}")
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) - lost])
    audited = audit(str(path))
    assert [one.code for one in audited.findings if one.severity == "error"] == expected
    assert audited.architecture is not None and audited.architecture.model_type == "llama"


@pytest.mark.parametrize("key", ["post_layer_norm", "multi_query_attention", "max_position_embeddings"])
def test_values_that_a_type_determines_are_not_keys_of_the_file(key: str) -> None:
    expected = "chatglm.context_length" if key == "max_position_embeddings" else None
    assert own_key("chatglm", key) == expected


@pytest.mark.parametrize(("kind", "key", "values", "expected"), [
    ("gemma4_text", "num_key_value_heads", {"a.attention.head_count_kv": 2}, "a.attention.head_count_kv"),
    ("gemma4_text", "num_key_value_heads", {"a.attention.head_count_kv": [2, 1]}, None),
    ("gemma4_text", "intermediate_size", {"a.feed_forward_length": 9}, "a.feed_forward_length"),
    ("deepseek_v3", "v_head_dim", {"a.attention.key_length_mla": 8, "a.attention.value_length_mla": 9},
     "a.attention.value_length_mla"),
    ("deepseek_v3", "v_head_dim", {"a.attention.value_length": 9, "a.attention.value_length_mla": 9},
     "a.attention.value_length"),
])  # fmt: skip
def test_a_key_that_some_files_have_as_a_list_is_named_where_it_is_one_number(
    kind: str, key: str, values: dict[str, object], expected: str | None
) -> None:
    assert own_key(kind, key, "a", values) == expected


@pytest.mark.parametrize("lost", [True, False])
def test_an_absent_number_of_heads_is_the_cause(lost: bool, tmp_path: Path) -> None:
    file = written("llama")
    key = "llama.attention.head_count"
    heads = next(value for one, _, value in file.keys if one == key)
    file.keys = [one for one in file.keys if not lost or one[0] != key]
    found = [one for one in audit(str(file.save(tmp_path / "model.gguf"))).findings if one.severity == "error"]
    assert [(one.code, one.headline(), one.facts["weights"]) for one in found] == ([("C310", key, heads)] * lost)


@pytest.mark.parametrize("name", ["llama4", "qwen2_vl", "audioflamingo3"])
def test_a_projector_without_tensors_is_no_vocabulary(name: str, tmp_path: Path) -> None:
    record = records()[name]
    file = target_of(record, source_of(record), "projector")
    file.arrays = {}
    found = audit(str(file.save(tmp_path / "mmproj.gguf"))).findings
    assert [one.code for one in found if one.severity == "error"] == ["N485"]
    assert "N440" not in {one.code for one in found}


@pytest.mark.parametrize("name", ["llama", "bert", "qwen2_vl"])
def test_a_vocabulary_file_is_not_a_model(name: str, tmp_path: Path) -> None:
    file = written(name)
    file.arrays = {}
    audited = audit(str(file.save(tmp_path / "vocabulary.gguf")))
    assert (audited.verdict, [one.code for one in audited.findings]) == ("undecided", ["N440"])
    assert {(one.outcome, one.because) for one in audited.loads} == {("refuses", "missing tensor token_embd.weight")}
    asked = judged_for(audited, "llama.cpp")
    assert (asked.verdict, [(one.severity, one.code) for one in asked.findings]) == ("findings", [("error", "N440")])


@pytest.mark.parametrize("length", [16, 900])
@pytest.mark.parametrize("name", ["llama", "t5", "qwen2_vl"])
def test_a_file_with_a_part_of_its_header_is_refused(name: str, length: int, tmp_path: Path) -> None:
    """Measured: llama.cpp fails to load it."""
    path = written(name).save(tmp_path / "model.gguf")
    path.write_bytes(path.read_bytes()[:length])
    audited = audit(str(path))
    assert audited.verdict == "unreadable" and {one.outcome for one in audited.loads} == {"refuses"}


WITH_TOWERS = [name for name in TYPES if "projector" in records()[name]]


def with_towers(name: str, folder: Path, change: Callable[[Written], object] = lambda file: None) -> tuple[str, ...]:
    """A source, its text model and its mmproj file with a change."""
    record = records()[name]
    source = source_of(record)
    projector = target_of(record, source, "projector")
    change(projector)
    places = (
        write(folder / "source", source, record["config"]),
        target_of(record, source).save(folder / "text.gguf"),
        projector.save(folder / "mmproj.gguf"),
    )
    return tuple(map(str, places))


def in_a_tower(file: Written) -> str:
    """The name of a matrix of a tower."""
    return next(name for name, array in file.arrays.items() if ".blk.2." in name and array.ndim > 1)


@pytest.mark.parametrize("name", sampled(WITH_TOWERS, 4))
def test_a_model_in_two_files_is_complete(name: str, tmp_path: Path) -> None:
    source, text, projector = with_towers(name, tmp_path)
    reported = compared_with_values(compare(source, text, projector))
    left = sum(one.parameters for one in reported.findings if isinstance(one, LeftOut))
    assert reported.verdict == "clean", [*reported.findings]
    assert (reported.dropped, reported.invented) == (0, 0)
    assert reported.parameters[0] + left == reported.source.counts.unique_parameters
    assert not [one for one in reported.skipped if "mmproj" in f"{one.check} {one.because}"]
    swapped = compare(source, projector, text)
    assert (swapped.verdict, [one.path for one in swapped.targets]) == ("clean", [text, projector])
    assert sum(one.carried for one in swapped.targets) == swapped.carried


@pytest.mark.parametrize("name", sampled(WITH_TOWERS, 4))
def test_a_damaged_projector_is_an_error(name: str, tmp_path: Path) -> None:
    def drop(file: Written) -> None:
        del file.arrays[in_a_tower(file)]

    def reshape(file: Written) -> None:
        at = in_a_tower(file)
        file.arrays[at] = np.concatenate([file.arrays[at], file.arrays[at][:, :1]], axis=1)

    def permute(file: Written) -> None:
        at = in_a_tower(file)
        file.arrays[at] = file.arrays[at][::-1]

    for change, expected in ((drop, {"V846"}), (reshape, {"V847"}), (permute, {"V820"})):
        reported = compared_with_values(compare(*with_towers(name, tmp_path / expected.copy().pop(), change)))
        assert {one.code for one in reported.findings if one.severity == "error"} == expected
        assert reported.verdict == "findings"


def test_a_third_file_must_be_a_projector(tmp_path: Path) -> None:
    source, text, _ = with_towers(WITH_TOWERS[0], tmp_path)
    reported = compare(source, text, text)
    assert [one.code for one in reported.findings if one.severity == "error"] == ["V848"]


@pytest.mark.parametrize("name", ["granite", "olmo"])
def test_rows_that_are_paired_the_wrong_way_are_an_error(name: str, tmp_path: Path) -> None:
    """Rows permuted by the inverse of the converter's permutation."""
    file, source = written(name), source_of(records()[name])
    heads = records()[name]["config"]["num_attention_heads"]
    for at in [key for key in file.arrays if key.endswith("attn_q.weight")]:
        layer = at.split(".")[1]
        rows = source[f"model.layers.{layer}.self_attn.q_proj.weight"]
        file.arrays[at] = rows.reshape(heads, -1, 2, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)
    found = errors(compared(name, file, tmp_path))
    assert len(found) == 1 and "attention query" in found[0], found


CHANGED = [("bert", "bert.attention.head_count", "V863"), ("modernbert", "modern-bert.attention.head_count", "V863"),
           ("llama", "llama.attention.layer_norm_rms_epsilon", "V863"), ("qwen2", "qwen2.rope.freq_base", "V863"),
           ("olmoe", "olmoe.expert_used_count", "V863"), ("llama", "llama.attention.head_count", "C310"),
           ("olmo2", "olmo2.attention.head_count", "C310"), ("granite", "granite.attention.scale", "V863"),
           ("granite", "granite.embedding_scale", "V863"), ("granite", "granite.residual_scale", "V863"),
           ("cohere", "command-r.logit_scale", "V863"), ("gemma2", "gemma2.attn_logit_softcapping", "V863"),
           ("gemma2", "gemma2.final_logit_softcapping", "V863"), ("afmoe", "afmoe.expert_weights_scale", "V863"),
           ("afmoe", "afmoe.attention.sliding_window", "V863"), ("gpt_oss", "gpt-oss.rope.scaling.factor", "V863"),
           ("phi3", "phi3.rope.scaling.original_context_length", "V863"),
           ("cohere2", "cohere2.attention.key_length", "C310")]  # fmt: skip


@pytest.mark.parametrize(("name", "key", "code"), CHANGED)
def test_a_number_that_contradicts_the_config_is_one_error(name: str, key: str, code: str, tmp_path: Path) -> None:
    reported = compared(name, doubled(name, key), tmp_path)
    assert [one.code for one in reported.findings if one.severity == "error"] == [code]


def test_a_matrix_that_bitnet_does_not_round_is_an_error(tmp_path: Path) -> None:
    file, source = written("bitnet"), source_of(records()["bitnet"])
    file.arrays["blk.1.ffn_up.weight"] = source["model.layers.1.mlp.up_proj.weight"]
    found = errors(compared("bitnet", file, tmp_path))
    assert [one.split(" ")[0] for one in found] == ["V845"], found


WRONG_KEYS = {"linear_num_key_heads": 1, "linear_num_value_heads": 2, "linear_value_head_dim": 7}


@pytest.mark.parametrize(("key", "value"), WRONG_KEYS.items())
def test_a_wrong_key_is_not_reported_as_a_difference_of_values_too(key: str, value: int, tmp_path: Path) -> None:
    reported = compared("qwen3_5_text", written("qwen3_5_text"), tmp_path, **{key: value})
    assert [one.code for one in reported.findings if one.severity == "error"] == ["C310"]


NEEDED = [("llama", "llama.context_length"), ("llama", "tokenizer.ggml.model"),
          ("gpt2", "tokenizer.ggml.model"), ("bert", "bert.attention.layer_norm_epsilon"),
          ("mamba2", "mamba2.ssm.conv_kernel"),
          ("apertus", "xielu.beta"), ("bert", "tokenizer.ggml.token_type_count"),
          ("distilbert", "tokenizer.ggml.token_type_count"),
          ("mistral3_of_4", "mistral4.expert_feed_forward_length")]  # fmt: skip
UNFIT = [("gemma3_text", "gemma3.attention.value_length"), ("bert_classifier", "bert.classifier.output_labels"),
         ("cohere2_moe", "cohere2moe.expert_shared_count"), ("step3p7", "step35.attention.value_length"),
         ("exaone_moe", "exaone-moe.expert_shared_feed_forward_length"), ("falcon", "falcon.attention.head_count"),
         ("olmoe", "olmoe.expert_used_count"), ("cohere2_moe", "cohere2moe.attention.layer_norm_epsilon"),
         ("gemma4_experts", "gemma4.expert_feed_forward_length"),
         ("kimi_linear", "kimi-linear.attention.head_count_kv"), ("plm", "plm.rope.dimension_count"),
         ("nemotron-nas", "deci.attention.head_count_kv"), ("nemotron_h", "nemotron_h_moe.feed_forward_length"),
         ("openelm", "openelm.attention.key_length"), ("plamo2", "plamo2.attention.value_length"),
         ("plm", "plm.attention.value_length"), ("refact", "refact.attention.head_count_kv")]  # fmt: skip
"""Keys that have a default in llama.cpp, with which these files do not load."""


@pytest.mark.parametrize(("lost", "expected"), [
    (["expert_count"], ["C310"]), (["expert_count", "expert_used_count"], ["N510"]),
])  # fmt: skip
def test_a_lost_number_of_experts_is_one_finding(lost: list[str], expected: list[str], tmp_path: Path) -> None:
    file = written("mixtral")
    file.keys = [pair for pair in file.keys if pair[0].rpartition(".")[2] not in lost]
    found = audit(str(file.save(tmp_path / "target.gguf"))).findings
    assert [one.code for one in found if one.severity != "note"] == expected


@pytest.mark.parametrize(("name", "key"), [*NEEDED, *UNFIT])
def test_a_key_without_which_llama_cpp_refuses_the_file_is_an_error(name: str, key: str, tmp_path: Path) -> None:
    file = written(name)
    assert not errors(audit(str(file.save(tmp_path / "whole.gguf"))))
    file.keys = [pair for pair in file.keys if pair[0] != key]
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    why = "its default does not fit the tensors" if (name, key) in UNFIT else "key not found in model"
    assert errors(audited) == [f"N510 {key}; reference llama.cpp refuses it: {why}"]
    assert {one.outcome for one in audited.loads} == {"refuses"}


@pytest.mark.parametrize(
    ("name", "key", "code"),
    [("llama", "llama.attention.key_length", "C310"), ("granitemoehybrid", "granitehybrid.embedding_scale", None)],
)
def test_an_absent_key_that_the_tensors_determine_is_at_most_one_error(
    name: str, key: str, code: str | None, tmp_path: Path
) -> None:
    file = written(name)
    file.keys = [pair for pair in file.keys if pair[0] != key]
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    assert [one.code for one in audited.findings if one.severity == "error"] == [code] * (code is not None)


def test_a_width_that_the_tensors_show_is_named_where_it_is_absent(tmp_path: Path) -> None:
    file = written("gemma4_experts")
    file.keys = [pair for pair in file.keys if pair[0] != "gemma4.attention.key_length"]
    (finding,) = errors(audit(str(file.save(tmp_path / "target.gguf"))))
    assert finding.startswith("C310 gemma4.attention.key_length; config absent") and "weights 32" in finding


WRONG_SIZES = [
    ("llama", "llama.rope.dimension_count", "N517"), ("mistral", "llama.attention.value_length", "N516"),
    ("gemma4_text", "gemma4.feed_forward_length", "C310"), ("gemma4_text", "gemma4.attention.head_count_kv", "C310"),
    ("nomic_bert", "nomic-bert.attention.value_length", "N516"), ("t5", "t5.attention.value_length", "N516"),
    ("refact", "refact.feed_forward_length", "N516"), ("plamo2", "plamo2.ssm.inner_size", "N516"),
    ("hunyuan_v1_moe", "hunyuan-moe.expert_shared_feed_forward_length", "N516"),
    ("deepseek_v3", "deepseek2.rope.dimension_count", "N516"),
    ("kimi_linear", "kimi-linear.rope.dimension_count", "N516"),
    ("qwen3_next", "qwen3next.full_attention_interval", "N516"),
    ("kimi_linear", "kimi-linear.leading_dense_block_count", "N516"),
    ("refact", "refact.attention.head_count_kv", "N446"), ("dbrx", "dbrx.attention.head_count_kv", "C310"),
    ("ernie4_5_moe", "ernie4_5-moe.expert_shared_feed_forward_length", "N516"),
    ("minimax_m2", "minimax-m2.feed_forward_length", "C310"),
    ("hunyuan_v1_moe", "hunyuan-moe.feed_forward_length", "C310"), ("qwen2_audio", "qwen2.embedding_length", "C310"),
    ("olmo", "olmo.embedding_length", "C310"), ("dream", "dream.embedding_length", "C310"),
    ("dbrx", "dbrx.embedding_length", "C310"), ("step3p7", "step35.attention.key_length", "C310"),
    ("minicpm3", "minicpm3.attention.head_count", "C310"), ("kimi_linear", "kimi-linear.attention.head_count", "C310"),
    ("laguna", "laguna.leading_dense_block_count", "N516"),
    ("laguna", "laguna.attention.head_count", "C310"), ("hy_v3", "hy_v3.attention.head_count", "C310"),
    ("deepseek_v3", "deepseek2.expert_group_count", "N585"), ("dots1", "dots1.expert_group_used_count", "N585"),
    ("gemma4", "gemma4.attention.value_length_swa", "N585"), ("gemma4", "gemma4.attention.value_length", "N585"),
    ("solar_open", "glm4moe.expert_group_count", "N585"),
]  # fmt: skip
"""Record, a key, and the finding where its value is doubled: llama.cpp refuses each of these files."""


def doubled(name: str, key: str) -> Written:
    """The file with twice the value of a key."""
    file = written(name)
    values = {one: value for one, _, value in file.keys}
    twice = [2 * one for one in values[key]] if isinstance(values[key], list) else 2 * values[key]
    file.keys = [(one, kind, twice if one == key else value) for one, kind, value in file.keys]
    return file


def test_a_key_that_changes_only_what_is_computed_alters_the_model(tmp_path: Path) -> None:
    file = doubled("ernie4_5_moe", "ernie4_5-moe.interleave_moe_layer_step")
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    assert [one.code for one in audited.findings if one.severity == "error"] == ["C310"]
    assert {one.outcome for one in audited.loads} == {"altered"}


@pytest.mark.parametrize(("name", "key", "code"), WRONG_SIZES)
def test_a_wrong_size_is_one_error(name: str, key: str, code: str, tmp_path: Path) -> None:
    audited = audit(str(doubled(name, key).save(tmp_path / "target.gguf")))
    found = [(one.code, one.headline()) for one in audited.findings if one.severity == "error"]
    assert [(first, shown.replace(".each", "")) for first, shown in found] == [(code, key)]
    assert {one.outcome for one in audited.loads} == {"refuses"}


@pytest.mark.parametrize(
    ("name", "changed", "choice"),
    [
        ("bloom", "attention.head_count", True), ("bloom", "attention.head_count_kv", True),
        ("falcon", "attention.head_count_kv", True), ("refact", "attention.head_count_kv", False),
    ],
)  # fmt: skip
def test_which_number_of_heads_is_wrong_may_be_open(name: str, changed: str, choice: bool, tmp_path: Path) -> None:
    """Of equal numbers of heads the shapes show only that both are the same."""
    file = doubled(name, f"{name}.{changed}")
    (finding,) = (one for one in audit(str(file.save(tmp_path / "target.gguf"))).findings if one.severity == "error")
    remedy = finding.remedy()
    both = f"set {name}.attention.head_count and {name}.attention.head_count_kv" in remedy.words
    assert (finding.code, remedy.choice, both) == ("N446", choice, choice)


CONTEXT = "mistral3.rope.scaling.original_context_length"
ZEROS = [
    ("apertus", "apertus.rope.dimension_count", "N516"), ("cohere2_moe", "cohere2moe.expert_shared_count", "N516"),
    ("gemma4_text", "gemma4.embedding_length_per_layer_input", "N516"),
    ("gemma4", "gemma4.embedding_length_per_layer_input", "N516"),
    ("llama4_text", "llama4.interleave_moe_layer_step", "N516"),
    ("granitemoeshared", "granitemoe.expert_shared_feed_forward_length", "N516"),
    ("bloom", "bloom.attention.head_count_kv", "N446"), ("falcon", "falcon.attention.head_count_kv", "N446"),
    ("refact", "refact.attention.head_count_kv", "N446"),
]  # fmt: skip
"""Record, a key stated as 0, and the finding: llama.cpp then expects other tensors."""

CHANGED_KEYS = [
    ("bailing_moe", "bailingmoe.block_count", 2, ("C310", "bailingmoe.block_count")),
    ("kimi_linear", "kimi-linear.leading_dense_block_count", 0, ("N516", "kimi-linear.leading_dense_block_count")),
    ("bloom", "bloom.attention.head_count", 5, ("C311", "bloom.embedding_length")),
    ("falcon", "falcon.attention.head_count", 7, ("C311", "falcon.embedding_length")),
    ("falcon", "falcon.attention.head_count_kv", 5, ("N446", "falcon.attention.head_count_kv")),
    ("dbrx", "dbrx.attention.head_count", 5, ("C311", "dbrx.embedding_length")),
    ("bert", "tokenizer.ggml.token_type_count", 2, ("N516", "tokenizer.ggml.token_type_count")),
    ("deepseek", "deepseek.expert_shared_count", None, ("N510", "deepseek.expert_shared_count")),
    ("bailing_moe", "bailingmoe.expert_shared_count", None, ("N510", "bailingmoe.expert_shared_count")),
    ("apertus", "apertus.rope.dimension_count", 4, ("N516", "apertus.rope.dimension_count")),
    ("ministral3", CONTEXT, 0, ("N585", CONTEXT)),
    ("mixtral", "llama.expert_count", 0, ("C310", "llama.expert_count")),
    ("qwen3_moe", "qwen3moe.expert_count", 0, ("C310", "qwen3moe.expert_count")),
    *((name, key, 0, (code, key)) for name, key, code in ZEROS),
]
"""Record, a key, another number or none, and the finding: llama.cpp refuses each of these files."""


@pytest.mark.parametrize(("name", "key", "value", "expected"), CHANGED_KEYS)
def test_a_changed_key_is_one_error(
    name: str, key: str, value: int | None, expected: tuple[str, str], tmp_path: Path
) -> None:
    file = written(name)
    file.keys = [
        (one, kind, value if one == key else old) for one, kind, old in file.keys if one != key or value is not None
    ]
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    assert [(one.code, one.headline()) for one in audited.findings if one.severity != "note"] == [expected]
    assert not any("num_" in one.remedy().words for one in audited.findings)  # a key of transformers
    assert {one.outcome for one in audited.loads} == {"refuses"}


@pytest.mark.parametrize(("key", "kind", "more"), [
    ("token_type", "[i32]", -2), ("scores", "[f32]", -1), ("scores", "[f32]", 3), ("token_type", "[i32]", 0),
])  # fmt: skip
def test_a_list_shorter_than_that_of_tokens_is_one_error(key: str, kind: str, more: int, tmp_path: Path) -> None:
    """Measured with llama.cpp, which ignores further entries."""
    file = written("llama")
    tokens = len(file.arrays["token_embd.weight"])
    file.keys = [pair for pair in file.keys if pair != NO_VOCABULARY]
    file.keys += [
        ("tokenizer.ggml.model", "text", "gpt2"), ("tokenizer.ggml.merges", "texts", ["a b"]),
        ("tokenizer.ggml.pre", "text", "llama-bpe"),
        ("tokenizer.ggml.tokens", "texts", [str(number) for number in range(tokens)]),
        (f"tokenizer.ggml.{key}", kind, [1] * (tokens + more)),
    ]  # fmt: skip
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    assert [one.code for one in audited.findings if one.severity != "note"] == ["N605"] * (more < 0)
    assert {one.outcome for one in audited.loads} == {"refuses" if more < 0 else "complete"}


@pytest.mark.parametrize(("name", "pairs", "refused"), [
    ("llama", 20, True), ("llama", 10, False), ("granite", 3, True), ("granite", 4, False), ("minicpm", 7, True),
])  # fmt: skip
def test_rotary_factors_for_other_heads_are_one_error(name: str, pairs: int, refused: bool, tmp_path: Path) -> None:
    file = written(name)
    file.arrays["rope_freqs.weight"] = np.ones(pairs, np.float32)
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    assert [one.code for one in audited.findings if one.severity != "note"] == ["N606"] * refused
    assert {one.outcome for one in audited.loads} == {"refuses" if refused else "complete"}


def test_llama_cpp_refuses_cut_files_and_parts_that_disagree(tmp_path: Path) -> None:
    whole = written("qwen2").save(tmp_path / "cut" / "target.gguf")
    whole.write_bytes(whole.read_bytes()[:-4096])
    folder = split(written("llama"), tmp_path / "parts")
    (folder / "model-00002-of-00002.gguf").write_bytes(
        (split(written("qwen2"), tmp_path / "other") / "model-00002-of-00002.gguf").read_bytes()
    )
    for place in (whole, folder):
        assert {one.outcome for one in audit(str(place)).loads} == {"refuses"}


HEADS = ("nemotron_h_dense", "nemotron_h.attention.head_count_kv")
OTHER_KINDS = [
    (*HEADS, [0, 2, 0, 0]), (*HEADS, [2, 2, 2, 2]),
    ("nemotron_h_dense", "nemotron_h.feed_forward_length", [0, 92, 0, 0]),
    ("nemotron_h", "nemotron_h_moe.feed_forward_length", [28, 0, 0, 0]),
]  # fmt: skip
"""Record, a list of the kinds of layers, and other numbers: llama.cpp refuses each of these files."""


@pytest.mark.parametrize(("name", "key", "numbers"), OTHER_KINDS)
def test_a_list_with_other_kinds_of_layers_is_one_error(
    name: str, key: str, numbers: list[int], tmp_path: Path
) -> None:
    file = written(name)
    file.keys = [(one, kind, numbers if one == key else old) for one, kind, old in file.keys]
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    assert [(one.code, one.headline()) for one in audited.findings if one.severity != "note"] == [("N599", key)]
    assert {one.outcome for one in audited.loads} == {"refuses"}


OF_A_KIND = [
    ("jais2", ".ffn_up.bias", "N515", "refuses"), ("mamba2", ".ssm_conv1d.bias", "N515", "refuses"),
    ("lfm2_moe", ".exp_probs_b.bias", "N515", "refuses"), ("gpt_neox", ".attn_qkv.bias", "N515", "refuses"),
    ("mamba2", ".ssm_out.weight", "N403", "refuses"), ("gpt_oss", ".attn_q.bias", "N403", "altered"),
]  # fmt: skip
"""Record, the end of names, the finding where all these tensors are lost, and what llama.cpp does."""


@pytest.mark.parametrize(("name", "end", "code", "outcome"), OF_A_KIND)
def test_all_tensors_of_a_kind_that_are_lost_are_one_error(
    name: str, end: str, code: str, outcome: str, tmp_path: Path
) -> None:
    file = written(name)
    for one in [one for one in file.arrays if one.endswith(end)]:
        del file.arrays[one]
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    assert [one.code for one in audited.findings if one.severity != "note"] == [code]
    assert {one.outcome for one in audited.loads} == {outcome}


@pytest.mark.parametrize(("name", "end"), [
    ("afmoe", "blk.1.attn_k.weight"), ("qwen2", "output_norm.weight"), ("t5", "enc.blk.0.ffn_up.weight"),
])  # fmt: skip
def test_a_tensor_under_another_name_is_one_error(name: str, end: str, tmp_path: Path) -> None:
    file = written(name)
    renamed = {one.replace("weight", "wieght") if one == end else one: array for one, array in file.arrays.items()}
    file.arrays.clear()
    file.arrays.update(renamed)
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    assert [one.code for one in audited.findings if one.severity != "note"] == ["N407"]
    assert {one.outcome for one in audited.loads} == {"refuses"}


def test_additional_tensors_that_are_read_are_not_unexpected(tmp_path: Path) -> None:
    """Scales of NVFP4, and the modules that sentence-transformers applies after EmbeddingGemma."""
    file = written("gemma3_embedding")
    width = file.arrays["token_embd.weight"].shape[1]
    file.arrays |= {
        "dense_2.weight": np.ones((96, width), np.float32),
        "dense_3.weight": np.ones((width, 96), np.float32),
    }
    file.arrays |= {f"{name.removesuffix('.weight')}{end}": np.ones(1, np.float32)
                    for name in [*file.arrays] if "ffn_" in name and "norm" not in name
                    for end in (".scale", ".input_scale")}  # fmt: skip
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    assert (audited.verdict, {one.code for one in audited.findings}) == ("clean", {"N410"})
    assert audited.counts.extra_components == 2 * 96 * width
    assert {one.outcome for one in audited.loads} == {"complete"}


def with_a_head(file: Written) -> None:
    file.arrays["output.weight"] = file.arrays["token_embd.weight"].copy()


def with_a_pooler(file: Written) -> None:
    file.arrays["pooler.dense.weight"] = np.ones((48, 48), np.float32)


def with_other_ends(file: Written) -> None:
    for name in [one for one in file.arrays if "exp_probs_b" in one]:
        other = name.removesuffix(".bias") if name.endswith(".bias") else f"{name}.bias"
        file.arrays[other] = file.arrays.pop(name)


@pytest.mark.parametrize(("name", "change", "meant"), [
    ("gemma2", with_a_head, ""), ("bert", with_a_pooler, ""),
    ("hy_v3", with_other_ends, "blk.1.exp_probs_b"), ("deepseek_v3", with_other_ends, "blk.1.exp_probs_b.bias"),
])  # fmt: skip
def test_names_that_llama_cpp_does_not_read_are_one_error(
    name: str, change: Callable[[Written], None], meant: str, tmp_path: Path
) -> None:
    file = written(name)
    change(file)
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    (found,) = (one for one in audited.findings if one.severity != "note")
    assert (found.code, found.facts["meant"]) == ("N466", meant)
    assert {one.outcome for one in audited.loads} == {"refuses"}


@pytest.mark.parametrize(("name", "tensor"), [
    ("bert_classifier", "cls.output.weight"), ("nemotron_h_dense", "blk.0.ssm_out.weight"),
])  # fmt: skip
def test_a_transposed_matrix_is_not_reported_as_a_wrong_key_too(name: str, tensor: str, tmp_path: Path) -> None:
    file = written(name)
    file.arrays[tensor] = np.ascontiguousarray(file.arrays[tensor].T)
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    assert [one.code for one in audited.findings if one.severity == "error"] == ["D502"]


@pytest.mark.parametrize(("name", "wanted", "outcome"), [
    ("deepseek-v3", [], "complete"), ("deepseek-v3.1", ["N518"], "unknown"), ("default", [], "complete"),
    ("llama-bpe", [], "complete"), ("", ["N523"], "complete"),
])  # fmt: skip
def test_a_pre_tokenizer_that_llama_cpp_does_not_know_is_a_warning(name: str, wanted: list[str], outcome: str) -> None:
    audited = gguf_with_a_pre_tokenizer(name)
    assert [one.code for one in audited.findings if one.severity != "note"] == wanted
    assert {one.outcome for one in audited.loads} == {outcome}


IGNORED = [("bailing_moe", "bailingmoe.attention.value_length"), ("gpt_oss", "gpt-oss.attention.value_length"),
           ("minimax_m2", "minimax-m2.expert_feed_forward_length"),
           ("exaone_moe", "exaone-moe.expert_shared_count"), ("phi3", "phi3.rope.dimension_count"),
           ("smallthinker", "smallthinker.feed_forward_length")]  # fmt: skip


@pytest.mark.parametrize(("name", "key"), IGNORED)
def test_a_size_that_affects_no_shape_is_not_an_error(name: str, key: str, tmp_path: Path) -> None:
    assert not errors(audit(str(doubled(name, key).save(tmp_path / "target.gguf"))))


LISTED = [(name, key) for name in TYPES for key, _, value in records()[name]["keys"]
          if isinstance(value, list) and key.partition(".")[2] in PER_LAYER]  # fmt: skip


@pytest.mark.parametrize("longer", [True, False])
@pytest.mark.parametrize(("name", "key"), LISTED)
def test_a_list_without_one_number_for_each_layer_is_one_error(
    name: str, key: str, longer: bool, tmp_path: Path
) -> None:
    file = written(name)
    file.keys = [
        (one, kind, ([*value, value[-1]] if longer else value[:-1]) if one == key else value)
        for one, kind, value in file.keys
    ]
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    assert [(one.code, one.headline()) for one in audited.findings if one.severity == "error"] == [("N511", key)]
    assert {one.because for one in audited.loads} == {f"key {key} has wrong array length"}


@pytest.mark.parametrize("more", [1, -1])
@pytest.mark.parametrize("name", sorted({name for name, _ in LISTED} - {"mimo_v2_flash"}))
def test_a_number_of_layers_that_the_lists_contradict_is_one_error(name: str, more: int, tmp_path: Path) -> None:
    file = written(name)
    with_key("block_count", lambda value: value + more)(file, name)
    found = [one for one in audit(str(file.save(tmp_path / "target.gguf"))).findings if one.severity == "error"]
    assert [one.code for one in found] == ["N511"] and found[0].headline().endswith(".block_count")


@pytest.mark.parametrize("name", ["orion", "olmoe", "phi", "internlm2", "mellum", "dbrx"])
def test_a_lost_head_that_llama_cpp_does_not_tie_is_missing(name: str, tmp_path: Path) -> None:
    file = written(name)
    del file.arrays["output.weight"]
    audited = audit(str(file.save(tmp_path / "target.gguf")))
    assert [one[:4] for one in errors(audited)] == ["P701"]
    words = next(one for one in audited.findings if one.code == "P701").help
    assert "second time as output.weight" in words and "tie_word_embeddings" not in words
    file.arrays["output.weight"] = file.arrays["token_embd.weight"]
    assert not errors(audit(str(file.save(tmp_path / "target.gguf"))))


@pytest.mark.parametrize("name", ["gemma", "mamba2"])
def test_values_computed_in_half_precision_are_rounded(name: str, tmp_path: Path) -> None:
    """The converter adds to norms and computes exponentials in the float16 of its source."""
    record = records()[name]
    source = {key: array.astype(np.float16) for key, array in source_of(record).items()}
    file = target_of(record, {key: array.astype(np.float32) for key, array in source.items()})
    for at, made in record["target"].items():
        if made["how"] != "copy":
            file.arrays[at] = file.arrays[at].astype(np.float16).astype(np.float32)
    source_folder = write(tmp_path / "source", source, record["config"])
    reported = compared_with_values(compare(str(source_folder), str(file.save(tmp_path / "target.gguf"))))
    assert reported.verdict == "clean", [*reported.findings]


def test_lost_embeddings_of_the_only_token_type_are_missing(tmp_path: Path) -> None:
    file = written("xlm-roberta")
    del file.arrays["token_types.weight"]
    assert [one[:4] for one in errors(compared("xlm-roberta", file, tmp_path))] == ["V803"]


@pytest.mark.parametrize(("rows", "verdict"), [(0, "clean"), (-3, "findings")])
def test_embeddings_for_each_layer_are_padded_to_the_vocabulary(rows: int, verdict: str, tmp_path: Path) -> None:
    """Gemma 3n has fewer of them than tokens; the converter adds rows of zeros."""
    record, source, name = (
        records()["gemma3n_text"],
        source_of(records()["gemma3n_text"]),
        "per_layer_token_embd.weight",
    )
    file = target_of(record, source)
    tokens = file.arrays["token_embd.weight"].shape[0]
    stored = next(key for key in source if "embed_tokens_per_layer" in key)
    fewer = min(tokens, source[stored].shape[0]) - 10
    source[stored] = source[stored][:fewer]
    padding = np.zeros((tokens + rows - fewer, source[stored].shape[1]), np.float32)
    file.arrays[name] = np.concatenate([source[stored], padding])
    config = {**record["config"], "vocab_size_per_layer_input": fewer}
    folder = write(tmp_path / "source", source, config)
    reported = compared_with_values(compare(str(folder), str(file.save(tmp_path / "target.gguf"))))
    assert reported.verdict == verdict, [*reported.findings]


@pytest.mark.parametrize("name", ["llama", "gpt2", "bert"])
def test_a_file_without_its_architecture_is_refused(name: str, tmp_path: Path) -> None:
    file = written(name)
    (named,) = (value for key, _, value in file.keys if key == "general.architecture")
    file.keys[:] = [one for one in file.keys if one[0] != "general.architecture"]
    found = audit(str(file.save(tmp_path / "model.gguf")))
    (error,) = (one for one in found.findings if one.severity == "error")
    assert (error.code, error.facts["named"]) == ("N473", named)
    assert [one.outcome for one in found.loads] == ["refuses", "refuses"]


Q8_0 = 8
"""The type number."""


def quantize_matrices(file: Written) -> list[str]:
    """Store all matrices with whole blocks in Q8_0; return their names."""
    names = [name for name, array in file.arrays.items() if array.ndim == 2 and array.shape[1] % 32 == 0]
    names = [name for name in names if name.endswith(".weight") and "norm" not in name and "position" not in name]
    file.kinds.update(dict.fromkeys(names, Q8_0))
    return names


@pytest.mark.parametrize("name", sampled(WITH_TOWERS, 4))
def test_quantized_matrices_of_towers_are_compared(name: str, tmp_path: Path) -> None:
    made: list[str] = []

    def change(file: Written) -> None:
        made.extend(quantize_matrices(file))
        if damaged and made:
            file.arrays[made[0]] = file.arrays[made[0]][::-1]

    for damaged in (False, True):
        made.clear()
        reported = compared_with_values(compare(*with_towers(name, tmp_path / str(damaged), change)))
        assert reported.verdict == ("findings" if made and damaged else "clean"), [*reported.findings]
        assert reported.values is not None
        outcomes = {one.target: one.what for one in reported.values.verdicts}
        read = set(made) & outcomes.keys()
        assert {outcomes[one] for one in read} <= {"quantized", "equal", *(["different"] if damaged else [])}


def in_pairs(file: Written) -> list[str]:
    """Store all matrices with rows of even length in a format with blocks of two values; return their names."""
    names = [name for name, array in file.arrays.items() if array.ndim > 1 and array.shape[-1] % 2 == 0]
    names = [name for name in names if name.endswith(".weight") and not re.search("norm|conv|gate_inp|position", name)]
    for name in names:
        pairs = file.arrays[name].reshape(*file.arrays[name].shape[:-1], -1, 2)
        scales = np.abs(pairs).max(axis=-1, keepdims=True) / 127
        steps = np.rint(pairs / np.where(scales > 0, scales, 1)).astype(np.int8)
        stored = np.concatenate([scales.astype("<f2").view(np.uint8), steps.view(np.uint8)], axis=-1)
        file.arrays[name] = stored.view(PAIRS)[..., 0]
        file.kinds[name] = Q8_0
    return names


PAIRS = np.dtype((np.void, 4))
"""A block of two values: a scale in float16, and two bytes."""


@pytest.mark.parametrize("name", sampled(TYPES, 12))
def test_quantized_values_are_compared_for_every_type(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The small models of the records have no rows of 32 values, so Q8_0 has blocks of two here."""
    monkeypatch.setitem(ggml_types.TYPES, Q8_0, ggml_types.Blocks("Q8_0", 2, 4))
    monkeypatch.setitem(ggml_types.BY_NAME, "Q8_0", ggml_types.TYPES[Q8_0])
    source = str(write(tmp_path / "source", source_of(records()[name]), records()[name]["config"]))
    for damaged in ("", "rows"):
        file = written(name)
        rows = [one for one, array in file.arrays.items() if array.ndim == 2 and ".blk" not in one and ".1." in one]
        rows = [one for one in rows if one.endswith(".weight") and not re.search("norm|conv|gate_inp|position", one)]
        if damaged and not rows:
            continue
        if damaged:
            file.arrays[rows[-1]] = file.arrays[rows[-1]][::-1]
        in_pairs(file)
        target = file.save(tmp_path / f"model{damaged}.gguf")
        reported = compared_with_values(compare(source, str(target)))
        assert reported.values is not None and not reported.values.unread
        reported_tensors = {one.facts["tensor"] for one in reported.findings if one.code == "V820"}
        assert reported_tensors == ({rows[-1]} if damaged else set()), [*reported.findings]


def test_absent_keys_have_the_names_of_the_file(tmp_path: Path) -> None:
    file = written("qwen2_moe")
    widths = [f"qwen2moe.expert_{one}feed_forward_length" for one in ("", "shared_")]
    file.keys[:] = [one for one in file.keys if one[0] not in widths]
    found = next(one for one in audit(str(file.save(tmp_path / "target.gguf"))).findings if one.code == "C316")
    assert [step.key for step in found.remedy().steps] == [(key,) for key in widths]


def test_a_size_that_the_converter_does_not_read_is_refused(tmp_path: Path) -> None:
    alone = audit(str(written(REFUSED).save(tmp_path / "target.gguf")))
    (found,) = (one for one in alone.findings if one.severity == "error")
    assert (found.code, found.facts["file_key"]) == ("C310", "falcon.feed_forward_length")
    assert {one.loader: one.outcome for one in alone.loads} == {"llama.cpp": "refuses", "ollama": "refuses"}
