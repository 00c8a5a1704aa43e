"""Hostile configs of adapters and bases: no exception, no hang, and no wrong finding."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.report.text import audit_text
from tests.adapters.records import alone, records, spec_of, with_base
from tests.sampling import sampled
from tests.steps import at_most

VALUES: list[Any] = [
    None, True, -1, 0, 2**70, 1.5, "x", "", [], {}, [None, 1, {}], {"q_proj": "x"}, {"q_proj": -3}, [[["q_proj"]]],
    "(a+)+$", "q_proj\0", "#", ["#", "\\#", "layers.#"], "all-linear",
]  # fmt: skip
LONG: list[Any] = [
    ["q_proj"] * 2_000, {f"(.*)*{n}": 3 for n in range(50)},
    [f"model.layers.{n}.self_attn.q_proj" for n in range(2_000)], list(range(2_000)),
]  # fmt: skip
SETTINGS = (
    "r", "target_modules", "exclude_modules", "rank_pattern", "modules_to_save", "layers_to_transform",
    "layers_pattern", "target_parameters", "trainable_token_indices", "bias", "peft_type", "feedforward_modules",
    "use_dora", "base_model_name_or_path", "num_virtual_tokens",
)  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", ["llama.seven", "llama.ia3", "mixtral.parameters"])
def test_any_value_of_any_setting(setting: str, name: str, every: int) -> None:
    record = records()[name]
    for value in VALUES[SETTINGS.index(setting) % every :: every]:
        values = {**record["adapter"], setting: value}
        with at_most(8_000_000):
            both = with_base(spec_of(name), values, record["base"]), alone(spec_of(name), values)
        for audited in both:
            counts = audited.counts
            assert counts.stored_elements == (
                counts.unique_parameters + counts.extra_components + counts.buffers + counts.unexplained
            )
            assert audit_text(audited)


@pytest.mark.thinned
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", sampled(["mixtral.parameters", "llama.seven", "llama.ia3"], 3))
def test_long_values_cost_work_in_proportion(setting: str, name: str) -> None:
    record = records()[name]
    for value in LONG:
        values = {**record["adapter"], setting: value}
        with at_most(3_500_000):
            for audited in (with_base(spec_of(name), values, record["base"]), alone(spec_of(name), values)):
                assert audited.counts.stored_elements
                assert audit_text(audited)


KINDS = ["LORA", "LOKR", "LOHA", "OFT", "VERA", "IA3", "ADALORA", "PREFIX_TUNING", "BOFT"]
CHANGES: list[dict[str, Any]] = [
    {"num_hidden_layers": 10**12}, {"hidden_size": 10**15}, {"hidden_size": 999_983}, {"num_attention_heads": 0},
    {"vocab_size": -1}, {"model_type": "nobody"}, {"model_type": 3}, {"hidden_size": "wide"},
]  # fmt: skip
ANY_BASE = [
    pytest.param(kind, change, marks=[pytest.mark.slow] if (row + column) % 6 and kind != "LORA" else [])
    for row, kind in enumerate(KINDS)
    for column, change in enumerate(CHANGES)
]
"""All changes for LoRA, and every sixth one for other methods; the rest is marked slow."""


@pytest.mark.thinned
@pytest.mark.parametrize(("kind", "change"), ANY_BASE)
def test_any_base(kind: str, change: dict[str, Any]) -> None:
    record = records()["llama.seven"]
    with at_most(500_000):
        audited = with_base(
            spec_of("llama.seven"), {**record["adapter"], "peft_type": kind}, {**record["base"], **change}
        )
        assert audit_text(audited)


@pytest.mark.parametrize(
    "names",
    [
        ["base_model.model.lora_A.weight"], ["lora_A.weight", "lora_B.weight"], ["base_model.model..lora_A.weight"],
        ["base_model."], ["prompt_embeddings", "prompt_embeddings.x"], ["base_model.model.x.lora_A.lora_B.weight"],
        ["base_model.model.layers.7.lora_A.weight", "base_model.model.layers.007.lora_B.weight"],
        ["base_model.model.a#b.lora_A.weight"], ["base_model.model.x.base_layer.base_layer.base_layer.lora_A.weight"],
        ["base_model.vera_A", "base_model.vera_B.default"], ["x.lora_magnitude_vector.default.weight"],
    ],
)  # fmt: skip
def test_any_names(names: list[str]) -> None:
    record = records()["llama.seven"]
    for shape in ((4, 48), (), (0,), (1, 2, 3, 4)):
        spec = dict.fromkeys(names, ("F32", shape))
        for audited in (
            with_base(spec, record["adapter"], record["base"]),
            alone(spec, record["adapter"]),
            alone(spec, None),
        ):
            assert audit_text(audited)
