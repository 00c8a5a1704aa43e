"""Two things that are wrong at once: each has a finding, and neither hides the other."""

from __future__ import annotations

import re
from typing import Any

import pytest

from inspector.findings.config import ConfigDisagrees
from inspector.findings.finding import Finding
from inspector.findings.single_causes import ConfigOfAnotherSize
from tests.checkpoints import genuine
from tests.judged import base_record, judged, spec_of


def found(model_type: str, changed: dict[str, Any], lost: str = "", class_suffix: str = "") -> list[Finding]:
    """The errors for a config with other values, and weights without the tensors whose names match a pattern."""
    record = base_record(model_type, class_suffix)
    spec = {name: entry for name, entry in spec_of(record).items() if not (lost and re.search(lost, name))}
    config = {"architectures": [record["class"]], **record["config"]}
    config = {key: value for key, value in {**config, **changed}.items() if value is not ...}
    return [one for one in judged(spec, config).findings if one.severity == "error"]


def keys(findings: list[Finding]) -> dict[str, Any]:
    return {one.key: one.solved for one in findings if isinstance(one, ConfigDisagrees)}


@pytest.mark.parametrize(("model_type", "key"), [("mixtral", "num_local_experts"), ("qwen3_moe", "num_experts"),
                                                 ("olmoe", "num_experts")])  # fmt: skip
def test_a_lost_layer_does_not_hide_the_number_of_experts(model_type: str, key: str) -> None:
    right = base_record(model_type, "ForCausalLM")["config"][key]
    findings = found(model_type, {key: right + 2}, r"layers\.1\.", "ForCausalLM")
    assert [one.code for one in findings] == ["C310", "N404"] and keys(findings) == {key: right}


@pytest.mark.parametrize(("model_type", "expand"), [("mamba2", "expand"), ("jamba", "mamba_expand"),
                                                    ("zamba", "mamba_expand")])  # fmt: skip
def test_two_keys_that_are_wrong_together_are_both_named(model_type: str, expand: str) -> None:
    config = base_record(model_type, "ForCausalLM")["config"]
    wrong = {"hidden_size": 2 * config["hidden_size"], expand: config[expand] // 2}
    findings = found(model_type, wrong, class_suffix="ForCausalLM")
    assert keys(findings) == {key: config[key] for key in wrong} and len(findings) == 2


@pytest.mark.parametrize(("model_type", "absent", "code"), [
    ("starcoder2", ["num_key_value_heads"], "C310"), ("mistral", ["num_key_value_heads"], "C310"),
    ("mistral", ["num_key_value_heads", "head_dim"], "C316"), ("mixtral", ["num_key_value_heads", "head_dim"], "C316"),
])  # fmt: skip
def test_absent_numbers_of_heads_where_keys_have_as_many_as_queries(
    model_type: str, absent: list[str], code: str
) -> None:
    """The default of the class is another number than that of an older config, which leaves the key out."""
    record = base_record(model_type, "ForCausalLM")
    config, spec = {"architectures": [record["class"]], **record["config"]}, dict(spec_of(record))
    rows = next(shape[0] for name, (_, shape) in spec.items() if "q_proj.weight" in name)
    for name, (dtype, shape) in spec.items():
        if re.search(r"[kv]_proj\.", name):
            spec[name] = (dtype, (rows, *shape[1:]))
    kept = {key: value for key, value in config.items() if key not in absent}
    (finding,) = (one for one in judged(spec, kept).findings if one.severity == "error")
    right = {"num_key_value_heads": config["num_attention_heads"], "head_dim": rows // config["num_attention_heads"]}
    assert finding.code == code
    assert all(f'"{key}": {right[key]}' in finding.help.partition(", or instead")[0] for key in absent), finding.help


def test_depths_of_stages_with_rows_of_their_own() -> None:
    depths = base_record("swiftformer", "Model")["config"]["depths"]
    for wrong in (..., [3, 3, 6, 4], [depths[0] + 1, *depths[1:]]):
        assert keys(found("swiftformer", {"depths": wrong}, class_suffix="Model")) == {"depths": depths}


TOWERS = {
    size: {"hidden_size": width, "intermediate_size": 4 * width, "num_hidden_layers": layers,
           "num_attention_heads": heads, "patch_size": 14, "image_size": 56}
    for size, width, layers, heads in (("base", 96, 2, 12), ("large", 128, 4, 16))
}  # fmt: skip
TEXT = {"hidden_size": 64, "intermediate_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4,
        "vocab_size": 99, "max_position_embeddings": 77}  # fmt: skip


@pytest.mark.parametrize("model_type", ["clip", "siglip"])
def test_a_number_of_heads_that_no_shape_shows_is_named(model_type: str) -> None:
    config = {"model_type": model_type, "architectures": [base_record(model_type, "Model")["class"]],
              "projection_dim": 64, "text_config": TEXT}  # fmt: skip
    spec = genuine({**config, "vision_config": TOWERS["large"]}, "F32")
    (one,) = [one for one in judged(spec, {**config, "vision_config": TOWERS["base"]}).findings if one.code == "C315"]
    assert isinstance(one, ConfigOfAnotherSize)
    assert one.unseen == ("vision_config.num_attention_heads",) and not one.remedy().steps


@pytest.mark.parametrize("model_type", ["llama", "qwen2", "mistral"])
@pytest.mark.parametrize(("rows", "found"), [(64, {"num_attention_heads": 4}), (56, {})])
def test_a_number_of_heads_with_the_width_that_was_computed_from_it(
    model_type: str, rows: int, found: dict[str, int]
) -> None:
    """Pruned models: the heads have the width that the wrong number of heads gives, and the right one does not."""
    config = {
        "model_type": model_type, "architectures": [base_record(model_type, "ForCausalLM")["class"]],
        "hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 3,
        "num_key_value_heads": 2, "vocab_size": 160, "max_position_embeddings": 64, "tie_word_embeddings": False,
    }  # fmt: skip
    spec = genuine({**config, "num_attention_heads": 4, "head_dim": 16}, "F32")
    for name, (dtype, shape) in spec.items():
        if re.search(r"[qo]_proj\.", name):
            spec[name] = (dtype, tuple(rows if size == 64 else size for size in shape))
    errors = [one for one in judged(spec, config).findings if one.severity == "error"]
    assert keys(errors) == found
    assert [
        one.beside and (one.beside.key, one.beside.weights) for one in errors if isinstance(one, ConfigDisagrees)
    ] == [("head_dim", 16) for _ in found]
