"""One wrong key in the config of every type: the finding names this key and its right value first, and no right key.

The reference are the configs of records before one value is changed. The sample is drawn by position; all cases run
with `-m slow`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.checkpoints import genuine
from tests.judged import FIXTURES, base_record, judged, records, spec_of
from tests.reconciler.wrong_keys import config_of, keys_stated, outcome, records_of, wrong_keys

SAMPLE = 48
"""Every so many types are in the quick sample."""
LEAVES = 8
"""Maximum number of keys and items of lists that are changed in each config in the quick sample."""

MOST_TENSORS = 500
"""Records with more tensors, whose audits take tenths of a second, are only in the complete test."""


def counted(records: Iterable[Mapping[str, Any]], most: int | None = None) -> Counter[str]:
    """How well each wrong key of some records is identified; checks that keys that the config lacks are never named."""
    counts: Counter[str] = Counter()
    for record in records:
        stated = keys_stated(config_of(record))
        for case, audited in wrong_keys(record, most):
            for one in audited.findings:
                assert one.code != "C310" or one.facts["key"] in stated, (case.name, one.facts["key"])
            counts[outcome(case, audited)] += 1
    return counts


@pytest.mark.complete
def test_wrong_keys_of_a_sample_are_named_first() -> None:
    records = (one for one in records_of(FIXTURES / "oracle", SAMPLE) if len(one["tensors"]) <= MOST_TENSORS)
    counts = counted(records, LEAVES)
    assert counts.total() > 150
    assert counts["exact"] >= 0.97 * counts.total(), counts
    assert counts["exact"] + counts["among"] >= 0.985 * counts.total(), counts


@pytest.mark.parametrize(
    ("model_type", "part", "key", "value"),
    [
        ("solar_open", "", "first_k_dense_replace", 1),
        ("solar_open", "", "use_qk_norm", True),
        ("solar_open", "", "num_nextn_predict_layers", 1),
        *[("blt", part, "head_dim", 24) for part in ("decoder_config", "global_config", "patcher_config")],
    ],
)
def test_keys_that_the_class_does_not_read_are_not_judged(model_type: str, part: str, key: str, value: Any) -> None:
    """Measured: the model of transformers 5.23 has the same shapes with any value of these keys."""
    record = base_record(model_type)
    config: dict[str, Any] = dict(record["config"])
    changed = {**config, key: value} if not part else {**config, part: {**config[part], key: value}}
    assert judged(spec_of(record), changed).verdict == "clean"


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["oracle", "diffusers"])
def test_every_wrong_key_is_named_first(folder: str) -> None:
    counts = counted(records_of(FIXTURES / folder))
    assert counts["exact"] >= 0.97 * counts.total(), counts
    assert counts["exact"] + counts["among"] >= 0.985 * counts.total(), counts


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["lost", "misshaped"])
def test_one_damaged_tensor_is_rarely_attributed_to_a_key(damage: str) -> None:
    """Where only one tensor depends on a key, the two causes cannot be distinguished and both are stated."""
    cases = blamed = 0
    for record in records_of(FIXTURES / "oracle"):
        config, spec = config_of(record), spec_of(record)
        if judged(spec, config).verdict != "clean":
            continue
        names = sorted(spec)
        name = names[len(names) // 2]
        damaged = dict(spec)
        dtype, shape = damaged.pop(name)
        if damage == "misshaped":
            if not shape:
                continue
            damaged[name] = (dtype, (shape[0] + 1, *shape[1:]))
        cases += 1
        for one in judged(damaged, config).findings:
            if one.code == "C310":
                blamed += 1
                assert one.facts["lost"] or one.facts["misshaped"], (record["model_type"], name)
    assert cases > 400
    assert blamed <= 0.01 * cases


def test_there_are_records_to_alter(tmp_path: Path) -> None:
    assert len(list((FIXTURES / "oracle").glob("*.gz"))) > 500
    assert next(records_of(FIXTURES / "oracle"))["tensors"]
    assert not list(records_of(tmp_path))


KEYS: tuple[tuple[str, str, dict[str, Any], str, Any], ...] = (
    ("falcon", "new_decoder_architecture-true", {"new_decoder_architecture": None}, "new_decoder_architecture", True),
    ("falcon", "new_decoder_architecture-true,parallel_attn-false", {"new_decoder_architecture": None},
     "new_decoder_architecture", True),
    ("olmo_hybrid", "", {"linear_conv_kernel_dim": 5}, "linear_conv_kernel_dim", 4),
    ("internvl_chat", "", {"downsample_ratio": 0.25}, "downsample_ratio", 0.5),
    ("internvl", "", {"downsample_ratio": 1.0}, "downsample_ratio", 0.5),
)  # fmt: skip
"""(model type, variant, changes of the config; None removes a key, the wrong key, its right value)."""


@pytest.mark.parametrize(("model_type", "variant", "changes", "key", "right"), KEYS)
def test_wrong_keys_that_other_keys_could_explain(
    model_type: str, variant: str, changes: dict[str, Any], key: str, right: Any
) -> None:
    """A key on which the meaning of others depends; a key of a tensor with two forms; a fraction."""
    record = next(one for one in records(model_type) if one["variant"] == variant)
    config = {name: value for name, value in {**record["config"], **changes}.items() if value is not None}
    (found,) = (one for one in judged(spec_of(record), config).findings if one.severity != "note")
    assert (found.code, found.facts["key"], found.facts["weights"]) == ("C310", key, right)


UNSHAPED: tuple[tuple[str, dict[str, int]], ...] = (
    ("mamba2", {"num_heads": 16, "head_dim": 6}),
    ("mamba2", {"expand": 4, "head_dim": 24}),
    ("bamba", {"mamba_n_heads": 16, "mamba_d_head": 6}),
    ("bamba", {"hidden_size": 96, "mamba_d_head": 24}),
    ("bamba", {"mamba_n_heads": 16, "mamba_d_head": 24}),
    ("granitemoehybrid", {"mamba_n_heads": 16, "mamba_d_head": 24}),
    ("falcon_h1", {"mamba_n_heads": 16, "mamba_d_head": 24}),
    ("falcon_h1", {"mamba_d_ssm": 192, "mamba_d_head": 24}),
)
"""(model type, wrong values of which no shape shows the second)."""


@pytest.mark.parametrize(("model_type", "changes"), UNSHAPED)
def test_a_key_that_no_shape_shows_is_set_with_the_wrong_one(model_type: str, changes: dict[str, int]) -> None:
    """Without it the config class refuses the right value of the other."""
    record = base_record(model_type)
    config = {**record["config"], **changes}
    (found,) = (one for one in judged(spec_of(record), config).findings if one.severity != "note")
    assert {step.key[-1]: step.new for step in found.steps} == {key: record["config"][key] for key in changes}


@pytest.mark.parametrize("model_type", ["deepseek_v2", "deepseek_v3"])
@pytest.mark.parametrize("stated", [True, False])
def test_a_null_that_the_class_does_not_have_by_default_is_set(model_type: str, stated: bool) -> None:
    """Without the key the class builds the part."""
    record = base_record(model_type, "CausalLM")
    config = {**record["config"], "q_lora_rank": record["config"].get("q_lora_rank") or 16}
    spec = genuine({**config, "q_lora_rank": None})
    given = config if stated else {key: value for key, value in config.items() if key != "q_lora_rank"}
    (found,) = (one for one in judged(spec, given).findings if one.code == "C310")
    assert [(step.action, step.key, step.new) for step in found.remedy().steps] == [("set", ("q_lora_rank",), None)]


PIXART = {"_class_name": "PixArtTransformer2DModel", "num_attention_heads": 3, "attention_head_dim": 8, "num_layers": 2,
          "cross_attention_dim": 24, "caption_channels": 20, "in_channels": 4, "out_channels": 8}  # fmt: skip


@pytest.mark.parametrize(("stated", "found"), [
    ({"sample_size": 128}, [("use_additional_conditions", False)]), ({"sample_size": 64}, []),
    ({"sample_size": 128, "use_additional_conditions": False}, []),
])  # fmt: skip
def test_a_number_that_alone_asks_for_a_part_is_not_replaced_by_any_other(
    stated: dict[str, Any], found: list[tuple[str, object]]
) -> None:
    """PixArt Sigma without the switch: its class builds embeddings of sizes for `sample_size` 128. Any other number
    would explain that they are absent, and be a wrong size.
    """
    spec = genuine({**PIXART, "sample_size": 64, "use_additional_conditions": False}, "F16")
    findings = [one for one in judged(spec, {**PIXART, **stated}).findings if one.severity == "error"]
    assert [(one.facts["key"], one.facts["weights"]) for one in findings] == found
    assert all(rival[0] != "sample_size" for one in findings for rival in one.facts.get("rivals", ()))
