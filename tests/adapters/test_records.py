"""Recorded adapters of PEFT: exact counts with their base, no claims without it, and a finding for each damage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from math import prod
from re import sub
from typing import Any

import pytest

from inspector.adapters.names import tuner_name
from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from tests.adapters.records import Spec, alone, records, spec_of, with_base
from tests.checkpoints import genuine
from tests.judged import base_record, codes
from tests.judged import spec_of as spec_of_record
from tests.sampling import sampled

SAVED = {"llama.p-tuning": 336, "llama.vblora-topk": 2717, "llama.cartridge": 6 * 240}
"""Saved parameters that differ from the trained ones: only the prompt, best choices of VB-LoRA, with frozen rows."""
LORA = [name for name, record in records().items() if record["adapter"]["peft_type"] == "LORA"]


def reported(name: str, spec: Spec, **changed: Any) -> Audit:
    """The audit of a changed adapter with its own base."""
    record = records()[name]
    return with_base(spec, {**record["adapter"], **changed}, record["base"])


@pytest.mark.thinned
@pytest.mark.parametrize("name", records())
def test_the_count_is_that_of_the_trainer(name: str) -> None:
    record = records()[name]
    audited = with_base(spec_of(name), record["adapter"], record["base"])
    assert [finding.code for finding in audited.findings] == ["A901"], audited.findings
    trained = SAVED.get(name, record["trainable"])
    assert audited.counts.unique_parameters == trained
    assert audited.counts.expected_parameters == trained
    assert audited.counts.unexplained == 0
    stored = sum(prod(shape) for _, shape in spec_of(name).values())
    counts = audited.counts
    copies = counts.extra_components + counts.tied_copies
    assert counts.stored_elements == stored == counts.unique_parameters + copies + counts.buffers


@pytest.mark.parametrize("name", records())
def test_without_its_base_no_count_is_expected(name: str) -> None:
    values = {**records()[name]["adapter"], "base_model_name_or_path": "org/base"}  # built in memory for the record
    audited = alone(spec_of(name), values)
    assert [finding.code for finding in audited.findings] == ["A901"]
    assert audited.counts.expected_parameters is None
    assert audited.counts.unique_parameters == SAVED.get(name, records()[name]["trainable"])


def modules(spec: Spec) -> dict[tuple[str, int], list[str]]:
    """The tensors of each adapted module."""
    found: dict[tuple[str, int], list[str]] = {}
    for key in spec:
        parts = tuner_name(key)
        if parts is not None and "trainable_tokens" not in parts.ending:
            found.setdefault((parts.module, parts.depth), []).append(key)
    return found


Damage = Callable[[Spec], Iterator[tuple[Spec, set[str]]]]


def matrix_lost(spec: Spec) -> Iterator[tuple[Spec, set[str]]]:
    for keys in modules(spec).values():
        for key in keys:
            yield {name: entry for name, entry in spec.items() if name != key}, {"A902"}


def pair_lost(spec: Spec) -> Iterator[tuple[Spec, set[str]]]:
    for keys in modules(spec).values():
        left = {name: entry for name, entry in spec.items() if name not in keys}
        if left and modules(left):
            yield left, {"A905"}


def rank_of_one_changed(spec: Spec) -> Iterator[tuple[Spec, set[str]]]:
    for keys in modules(spec).values():
        changed = dict(spec)
        for key in keys:
            dtype, shape = spec[key]
            if key.endswith(("lora_A.weight", "lora_embedding_A")):
                changed[key] = (dtype, (shape[0] + 2, *shape[1:]))
            elif key.endswith(("lora_B.weight", "lora_embedding_B")):
                changed[key] = (dtype, (shape[0], shape[1] + 2, *shape[2:]))
        if len(modules(spec)) > 1:
            yield changed, {"A903"}


def width_changed(spec: Spec) -> Iterator[tuple[Spec, set[str]]]:
    for keys in modules(spec).values():
        for key in keys:
            dtype, shape = spec[key]
            if key.endswith("lora_A.weight") and len(spec) > 4:
                yield {**spec, key: (dtype, (shape[0], shape[1] + 2, *shape[2:]))}, {"A904"}


@pytest.mark.thinned
@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("damage", [matrix_lost, pair_lost, rank_of_one_changed, width_changed])
@pytest.mark.parametrize("name", sampled(LORA, 2))
def test_a_damage_is_reported_with_its_module(name: str, damage: Damage, every: int) -> None:
    for spec, expected in islice(damage(spec_of(name)), 0, None, every):
        audited = reported(name, spec)
        assert codes(audited) == expected, (audited.findings, set(spec_of(name)) - set(spec))
        finding = next(one for one in audited.findings if one.severity == "error")
        assert finding.help
        assert finding.place.family or finding.place.tensor or finding.place.key


@pytest.mark.thinned
@pytest.mark.parametrize("name", sampled(reversed(LORA), 2))
def test_a_module_of_another_rank_is_one_finding(name: str) -> None:
    for spec, expected in rank_of_one_changed(spec_of(name)):
        errors = [one.code for one in reported(name, spec).findings if one.severity == "error"]
        assert errors == list(expected)


@pytest.mark.thinned
@pytest.mark.parametrize("name", LORA)
def test_half_a_pair_is_reported_without_a_base(name: str) -> None:
    for spec, expected in matrix_lost(spec_of(name)):
        if len(modules(spec)) == len(modules(spec_of(name))):
            assert codes(alone(spec, records()[name]["adapter"])) == expected


@pytest.mark.thinned
@pytest.mark.parametrize("name", [name for name in LORA if not records()[name]["adapter"]["rank_pattern"]])
def test_a_wrong_rank_in_the_config_is_one_finding(name: str) -> None:
    stacked = records()[name]["adapter"]["target_parameters"]
    for audited in (reported(name, spec_of(name), r=11), alone(spec_of(name), {**records()[name]["adapter"], "r": 11})):
        if stacked and audited.base is None:
            continue
        found = [one for one in audited.findings if one.severity == "error"]
        assert [one.code for one in found] == ["A903"] * len(found)
        assert len(found) == 1 or stacked
        if not stacked:
            assert found[0].place.key == "r"
            assert found[0].help.startswith('set "r": ')


@pytest.mark.parametrize(
    "name", ["llama.default", "llama.seven", "llama.dora", "llama.loha", "llama.ia3", "llama.vera"]
)
def test_another_base_is_one_finding(name: str) -> None:
    record = records()[name]
    other = {**record["base"], "hidden_size": 96, "head_dim": 40, "intermediate_size": 200}
    audited = with_base(spec_of(name), record["adapter"], other)
    assert codes(audited) == {"A907"}
    assert len(audited.findings) == 2


@pytest.mark.parametrize("processes", [2, 3, 4])
@pytest.mark.parametrize("base_given", [True, False])
def test_the_rows_that_one_process_holds_are_one_finding(processes: int, base_given: bool) -> None:
    """As the first process of FSDP2 saves an adapter that was not gathered; PEFT refuses it."""
    record = records()["llama.seven"]
    spec = {name: (dtype, (-(-shape[0] // processes), *shape[1:]))
            for name, (dtype, shape) in spec_of("llama.seven").items()}  # fmt: skip
    audited = with_base(spec, record["adapter"], record["base"]) if base_given else alone(spec, record["adapter"])
    (finding,) = (one for one in audited.findings if one.severity == "error")
    assert (finding.code, finding.facts["processes"]) == ("A977", processes if base_given or processes == 4 else None)
    wider = {name: (dtype, (2 * shape[0], *shape[1:]) if "lora_A" in name else shape)
             for name, (dtype, shape) in spec_of("llama.seven").items()}  # fmt: skip
    assert "A977" not in codes(alone(wider, record["adapter"]))


@pytest.mark.parametrize("changed", [{"intermediate_size": 200}, {"num_key_value_heads": 1, "intermediate_size": 200}])
def test_a_base_of_some_other_widths_is_one_finding(changed: dict[str, int]) -> None:
    """The MLP of another release of a model, where the residual width and the queries fit."""
    record = records()["llama.seven"]
    audited = with_base(spec_of("llama.seven"), record["adapter"], {**record["base"], **changed})
    (finding,) = (one for one in audited.findings if one.severity == "error")
    assert (finding.code, len(finding.facts["widths"])) == ("A907", len(changed))


def test_names_that_the_base_does_not_have() -> None:
    """PEFT finds none of the targets, or ignores the tensors; this base has the same names in memory and in files."""
    audited = with_base(
        spec_of("llama.default"), records()["llama.default"]["adapter"], records()["gpt2.default"]["base"]
    )
    assert [one.code for one in audited.findings] == ["A928", "A901"]
    assert audited.counts.expected_parameters is None
    renamed = {key.replace("q_proj", "query"): entry for key, entry in spec_of("llama.default").items()}
    assert codes(reported("llama.default", renamed)) == {"A928", "A905"}
    both = reported("llama.default", renamed, target_modules=["query", "v_proj"])
    assert codes(both) == {"A928"}


def test_a_base_without_any_of_the_modules_is_one_finding() -> None:
    """What the adapter stores besides, and what the base has besides, follows from it."""
    spec = spec_of("llama.default") | {"base_model.model.score.weight": ("F32", (3, 64))}
    values = {**records()["llama.default"]["adapter"], "task_type": "SEQ_CLS", "modules_to_save": ["score"]}
    audited = with_base(spec, values, records()["gpt2.default"]["base"])
    assert [one.code for one in audited.findings] == ["A928", "A901"]


@pytest.mark.parametrize(("path", "noted"), [
    ("/data/models/llama", True), ("./out/checkpoint-500", True), ("C:\\models\\llama", True), ("org/base", False),
    ("gpt2", False), ("/", False), ("saved/llama/base", True),
])  # fmt: skip
def test_a_config_that_names_a_folder_as_its_base(path: str, noted: bool) -> None:
    """AutoPeftModel takes a folder that does not exist for a repository, and fails."""
    values = {**records()["llama.default"]["adapter"], "base_model_name_or_path": path}
    assert ("A991" in {one.code for one in alone(spec_of("llama.default"), values).findings}) is noted


@pytest.mark.parametrize("named", [None, "", "org/base"])
@pytest.mark.parametrize("name", ["llama.default", "bert.prompt"])
def test_a_config_that_names_no_base(name: str, named: str | None) -> None:
    """AutoPeftModel of PEFT 0.21 and transformers 5.23 look for the base by this name; a given base suffices."""
    values = {**records()[name]["adapter"], "base_model_name_or_path": named, "task_type": "CAUSAL_LM"}
    assert ("N731" in {one.code for one in alone(spec_of(name), values).findings}) == (not named)
    for_transformers = judged_for(alone(spec_of(name), values), "transformers")
    assert (for_transformers.loads[0].outcome if for_transformers.loads else "") == ("" if named else "refuses")
    assert "N731" not in {one.code for one in alone(spec_of(name), {**values, "task_type": None}).findings}
    assert "N731" not in {one.code for one in with_base(spec_of(name), values, records()[name]["base"]).findings}


@pytest.mark.parametrize(("listed", "wanted"), [
    ([r".*\.[02]\..*(q|v)_proj"], r".*\.[02]\..*(q|v)_proj"),
    ([r"[02]\.self_attn\.(q|v)_proj"], r".*\.(?:[02]\.self_attn\.(q|v)_proj)"),
    ([r"0\..*q_proj", r"0\..*v_proj", r"2\..*(q|v)_proj"], None), (["q_proj", "v_proj"], ""),
])  # fmt: skip
def test_an_expression_in_a_list(listed: list[str], wanted: str | None) -> None:
    """PEFT 0.21 finds no target module, since the entries of a list are ends of names."""
    name = "llama.default"
    spec = {key: one for key, one in spec_of(name).items() if wanted == "" or "layers.1." not in key}
    for audited in (reported(name, spec, target_modules=listed),
                    alone(spec, {**records()[name]["adapter"], "target_modules": listed})):  # fmt: skip
        found = [one for one in audited.findings if one.severity != "note"]
        if wanted == "":
            assert not found
            continue
        (step,) = found[0].remedy().steps
        assert [one.code for one in found] == ["A906"] and wanted in (None, step.new)
        assert codes(reported(name, spec, target_modules=step.new)) == set()


def test_names_of_custom_code_are_not_reported() -> None:
    own = {**records()["llama.default"]["base"], "auto_map": {"AutoModel": "modeling.Own"}}
    query = {key.replace("q_proj", "query"): entry for key, entry in spec_of("llama.default").items()}
    audited = with_base(query, {**records()["llama.default"]["adapter"], "target_modules": ["query", "v_proj"]}, own)
    assert [one.code for one in audited.findings] == ["A901", "A914"]


def test_experts_are_missing_only_where_the_names_show_their_layout() -> None:
    name = "qwen3_moe.parameters"
    spec = {key: entry for key, entry in spec_of(name).items() if ".v_proj." in key}
    audited = reported(name, spec, target_modules=["v_proj", "down_proj"], target_parameters=None, rank_pattern={})
    missing = [one for one in audited.findings if one.severity == "error"]
    assert [(one.code, one.place.family, one.place.indices) for one in missing] == [
        ("A905", "model.layers.{layer}.mlp.down_proj", "layers 0, 2")
    ]
    assert audited.counts.expected_parameters is None


def test_a_layer_that_the_base_does_not_have() -> None:
    spec = {key.replace("layers.2.", "layers.7."): entry for key, entry in spec_of("llama.seven").items()}
    audited = reported("llama.seven", spec)
    assert codes(audited) == {"A905", "A928"}
    missing = [one for one in audited.findings if one.code == "A905"]
    assert [one.place.tensor for one in missing] == ["model.layers.2"]
    assert len(missing[0].facts["modules"]) == 7
    assert missing[0].facts["tensors"] == 14
    assert [one.facts["modules"] for one in audited.findings if one.code == "A928"] == [7]


def test_a_module_that_is_not_a_target() -> None:
    audited = reported("llama.seven", spec_of("llama.seven"), target_modules=["q_proj", "k_proj", "v_proj", "o_proj"])
    assert codes(audited) == {"A906"}


@pytest.mark.parametrize(("changed", "key"), [
    ({"target_modules": ["query_key_value"]}, "target_modules"), ({"target_modules": ["q_proj"]}, "target_modules"),
    ({"layers_to_transform": [0]}, "layers_to_transform"),
])  # fmt: skip
def test_the_setting_that_leaves_modules_out_is_named(changed: dict[str, Any], key: str) -> None:
    audited = reported("llama.default", spec_of("llama.default"), **changed)
    (finding,) = (one for one in audited.findings if one.severity == "error")
    (step,) = finding.remedy().steps
    assert (finding.code, step.action, step.key) == ("A906", "set", (key,))
    assert codes(reported("llama.default", spec_of("llama.default"), **{**changed, key: step.new})) == set()


@pytest.mark.parametrize(("name", "changed"), [
    ("llama.default", {"target_modules": ["q_proj"]}), ("llama.default", {"target_modules": ["query_key_value"]}),
    ("t5.default", {"target_modules": ["v"]}), ("llama.ia3", {"target_modules": ["k_proj", "v_proj"]}),
    ("llama.dora", {"use_dora": False}), ("gpt2.dora", {"use_dora": False}),
    ("llama.default", {"layers_to_transform": [0]}), ("t5.default", {"layers_to_transform": 1}),
    ("llama.ia3", {"layers_to_transform": [1, 9]}),
], ids=str)  # fmt: skip
def test_an_adapter_that_contradicts_its_config_needs_no_base(name: str, changed: dict[str, Any]) -> None:
    config = {**records()[name]["adapter"], **changed}
    audited = alone(spec_of(name), config)
    (finding,) = (one for one in audited.findings if one.severity == "error")
    (step,) = finding.remedy().steps
    assert (finding.code, step.action, step.key) == ("A906", "set", tuple(changed))
    assert codes(alone(spec_of(name), {**config, step.key[0]: step.new})) == set()


def test_the_weights_of_the_base_under_their_own_names_are_copies() -> None:
    """The state dict of a whole model under the names of PEFT before 0.5 loads completely."""
    record = records()["llama.default"]
    base = {f"base_model.model.{name}": entry for name, entry in genuine(record["base"]).items()}
    audited = with_base(spec_of("llama.default") | base, record["adapter"], record["base"])
    assert (audited.verdict, codes(audited)) == ("clean", set())


@pytest.mark.parametrize("model_type", ["gemma3", "mllama"])
def test_an_adapter_of_the_language_model_alone_is_one_finding(model_type: str) -> None:
    """After the remedy PEFT 0.21 loads it completely; the class of the language model loads it unchanged."""
    base = base_record(model_type)["config"]
    text = base["text_config"]
    width, outputs = text["hidden_size"], text["num_attention_heads"] * (text.get("head_dim") or 0)
    outputs = outputs or width
    spec: Spec = {
        f"base_model.model.model.layers.{layer}.{name}.q_proj.lora_{side}.weight": ("F32", shape)
        for layer in range(text["num_hidden_layers"])
        for side, shape in {"A": (4, width), "B": (outputs, 4)}.items()
        for name in ("cross_attn" if layer in text.get("cross_attention_layers", ()) else "self_attn",)
    }
    config = {"peft_type": "LORA", "r": 4, "target_modules": ["q_proj"], "task_type": "CAUSAL_LM"}
    (finding,) = (one for one in with_base(spec, config, base).findings if one.severity == "error")
    *renames, excluded = finding.remedy().steps
    assert (finding.code, [step.action for step in renames], excluded.key) == ("A919", ["rename"], ("exclude_modules",))
    old, new = str(renames[0].old).rstrip("*"), str(renames[0].new).rstrip("*")
    named = {new + name.removeprefix(old): entry for name, entry in spec.items()}
    audited = with_base(named, config | {"exclude_modules": excluded.new}, base)
    assert (audited.verdict, codes(audited)) == ("clean", set())


@pytest.mark.parametrize(("model_type", "pattern", "action"), [
    ("qwen2_5_vl", r"model\.layers\..*\.(q_proj|o_proj)", "set"),
    ("qwen2_vl", r"^(model\.layers(?=\.).*\.(q_proj|o_proj))$", "set"),
    ("qwen2_vl", r"model\..*layers.*\.(q_proj|o_proj)", "rename"),
])  # fmt: skip
def test_an_expression_of_targets_fits_the_new_names(model_type: str, pattern: str, action: str) -> None:
    """PEFT 0.21 refuses an expression that fits no module, even if the tensors are renamed."""
    base = base_record(model_type)["config"]
    text = base.get("text_config", base)
    width = text["hidden_size"]
    outputs = text["num_attention_heads"] * (text.get("head_dim") or width // text["num_attention_heads"])
    spec: Spec = {}
    for layer in range(text["num_hidden_layers"]):
        for name, ends in {"q_proj": (outputs, width), "o_proj": (width, outputs)}.items():
            for side, shape in {"A": (4, ends[1]), "B": (ends[0], 4)}.items():
                spec[f"base_model.model.model.layers.{layer}.self_attn.{name}.lora_{side}.weight"] = ("F32", shape)
    config = {"peft_type": "LORA", "r": 4, "target_modules": pattern, "task_type": "CAUSAL_LM"}
    (finding,) = (one for one in with_base(spec, config, base).findings if one.severity == "error")
    first, last = finding.remedy().steps[0], finding.remedy().steps[-1]
    assert (finding.code, last.action) == ("A919", action)
    old, new = str(first.old).rstrip("*"), str(first.new).rstrip("*")
    named = {new + name.removeprefix(old): entry for name, entry in spec.items()}
    audited = with_base(named, config | ({"target_modules": last.new} if action == "set" else {}), base)
    assert (audited.verdict, codes(audited)) == ("clean", set())


def test_emptied_tensors_are_not_mismatched() -> None:
    spec: Spec = {key: (dtype, (0,)) for key, (dtype, _) in spec_of("llama.default").items()}
    assert not codes(reported("llama.default", spec)) & {"A904", "A907"}


@pytest.mark.parametrize("prefix", ["base_model.model.", ""])
def test_a_model_under_the_name_of_an_adapter(prefix: str) -> None:
    record = records()["llama.default"]
    weights = genuine({"architectures": [record["class"]], **record["base"]}, "F32")
    audited = reported("llama.default", {prefix + name: entry for name, entry in weights.items()})
    assert codes(audited) == {"N457"}
    assert codes(alone({prefix + name: entry for name, entry in weights.items()}, record["adapter"])) == (
        {"N457"} if prefix else set()
    )


@pytest.mark.parametrize(("task", "codes_"), [("CAUSAL_LM", {"A919"}), ("FEATURE_EXTRACTION", set())])
def test_names_of_the_base_model_under_its_head(task: str, codes_: set[str]) -> None:
    spec = {key.replace("base_model.model.model.", "base_model.model."): entry
            for key, entry in spec_of("llama.default").items()}  # fmt: skip
    record = records()["llama.default"]
    base = {"architectures": [record["class"]], **record["base"]}
    assert codes(with_base(spec, {**record["adapter"], "task_type": task}, base)) == codes_


@pytest.mark.parametrize("model_type", ["qwen2_vl", "qwen2_5_vl"])
@pytest.mark.parametrize("path", ["model.layers", "model.language_model.layers"])
def test_names_from_before_the_language_model_moved(model_type: str, path: str) -> None:
    record = base_record(model_type, "ForConditionalGeneration")
    spec: Spec = {}
    for name, (_, shape) in spec_of_record(record).items():
        if ".self_attn.q_proj.weight" in name:
            module = name.removesuffix(".weight").replace("model.layers", path)
            spec[f"base_model.model.{module}.lora_A.weight"] = ("F32", (4, shape[1]))
            spec[f"base_model.model.{module}.lora_B.weight"] = ("F32", (shape[0], 4))
    adapter = {"peft_type": "LORA", "r": 4, "target_modules": ["q_proj"], "task_type": "CAUSAL_LM"}
    audited = with_base(spec, adapter, {"architectures": [record["class"]], **record["config"]})
    assert spec and codes(audited) == (set() if "language" in path else {"A919"})
    unknown = with_base(spec, adapter, {**record["config"], "architectures": ["ColQwen"]})  # code of its repository
    assert (unknown.verdict, codes(unknown)) == ("clean" if "language" in path else "undecided", set())
    assert any("had before transformers 4.52" in f"{one}" for one in unknown.skipped) == ("language" not in path)


@pytest.mark.parametrize("model_type", ["qwen2_vl", "qwen2_5_vl"])
@pytest.mark.parametrize(("path", "wanted"), [("model.layers", {"A919"}), ("language_model.layers", set())])
def test_names_from_before_the_language_model_moved_in_a_model_without_its_head(
    model_type: str, path: str, wanted: set[str]
) -> None:
    record = base_record(model_type, "ForConditionalGeneration")
    spec: Spec = {}
    for name, (_, shape) in spec_of_record(record).items():
        if ".self_attn.q_proj.weight" in name:
            module = name.removesuffix(".weight").replace("model.layers", path)
            spec[f"base_model.model.{module}.lora_A.weight"] = ("F32", (4, shape[1]))
            spec[f"base_model.model.{module}.lora_B.weight"] = ("F32", (shape[0], 4))
    adapter = {"peft_type": "LORA", "r": 4, "target_modules": "(.*model.*q_proj.*)", "task_type": "FEATURE_EXTRACTION"}
    audited = with_base(spec, adapter, {"architectures": [record["class"]], **record["config"]})
    assert codes(audited) == wanted
    to = [one.facts["wanted"] for one in audited.findings if one.code == "A919"]
    assert all(one.startswith("base_model.model.language_model.layers.0.") for one in to)


@pytest.mark.parametrize(("path", "class_name", "wanted"), [
    ("model.layers", "ColQwen2", {"A998"}), ("model.layers", "ColQwen2_5", {"A998"}),
    ("model.layers", "BiQwen2", {"A919"}), ("language_model.layers", "ColQwen2", set()),
    ("language_model.layers", "BiQwen2_5", set()),
])  # fmt: skip
def test_classes_of_colpali_that_extend_the_model(path: str, class_name: str, wanted: set[str]) -> None:
    """Measured with colpali-engine 0.3.18 and PEFT 0.21, which renames with the tables of ColQwen2 and ColQwen2_5."""
    record = base_record("qwen2_5_vl" if class_name.endswith("_5") else "qwen2_vl", "ForConditionalGeneration")
    spec: Spec = {}
    for name, (_, shape) in spec_of_record(record).items():
        if ".self_attn.q_proj.weight" in name:
            module = name.removesuffix(".weight").replace("model.layers", path)
            spec[f"base_model.model.{module}.lora_A.weight"] = ("F32", (4, shape[1]))
            spec[f"base_model.model.{module}.lora_B.weight"] = ("F32", (shape[0], 4))
    adapter = {"peft_type": "LORA", "r": 4, "target_modules": "(.*model.*q_proj.*)", "task_type": "FEATURE_EXTRACTION"}
    audited = with_base(spec, adapter, {**record["config"], "architectures": [class_name]})
    assert codes(audited) == wanted
    steps = [(step.old, step.new) for one in audited.findings for step in one.remedy().steps]
    assert steps == [("base_model.model.model.*", "base_model.model.language_model.*")] * len(wanted)


def test_a_target_without_tensors_is_an_error_with_the_base_and_a_note_without() -> None:
    spec = {key: entry for key, entry in spec_of("llama.seven").items() if ".down_proj." not in key}
    with_base, without = reported("llama.seven", spec), alone(spec, records()["llama.seven"]["adapter"])
    assert codes(with_base) == {"A905"}
    assert [one.place.indices for one in with_base.findings if one.code == "A905"] == ["layers 0-2"]
    assert codes(without) == set()
    assert [one.facts["targets"] for one in without.findings if one.code == "A908"] == [["down_proj"]]


def test_a_target_that_no_base_has_is_not_an_error() -> None:
    wide = [*records()["llama.default"]["adapter"]["target_modules"], "query_key_value"]
    assert codes(reported("llama.default", spec_of("llama.default"), target_modules=wide)) == set()


@pytest.mark.parametrize(("rows", "remedy"), [
    (115, "call resize_token_embeddings(115) on the base before loading the adapter"),
    (100, "use the base of the training, or call resize_token_embeddings(100) on this one, which drops its last 7"
          " rows"),
])  # fmt: skip
def test_a_base_that_was_not_resized_is_refused(rows: int, remedy: str) -> None:
    """PEFT 0.21 loads it once the base is resized, also to fewer rows."""
    spec = {
        key: (dtype, tuple(rows if dim == 107 else dim for dim in shape))
        for key, (dtype, shape) in spec_of("llama.embedding").items()
    }
    audited = reported("llama.embedding", spec)
    assert codes(audited) == {"A913"}
    assert [(one.facts["stored"], one.help) for one in audited.findings if one.code == "A913"] == [([rows], remedy)]


def test_an_inner_layer_without_a_module_is_reported() -> None:
    spec: Spec = {}
    for layer in range(12):
        for module in ("q_proj", "v_proj"):
            for half, shape in (("A", (4, 48)), ("B", (48, 4))):
                spec[f"base_model.model.model.layers.{layer}.self_attn.{module}.lora_{half}.weight"] = ("F32", shape)
    config = {"peft_type": "LORA", "r": 4, "target_modules": ["q_proj", "v_proj"]}
    assert codes(alone(spec, config)) == set()
    damaged = {key: entry for key, entry in spec.items() if "layers.7.self_attn.v_proj" not in key}
    assert codes(alone(damaged, config)) == {"A905"}
    assert codes(alone(damaged, {**config, "layers_to_transform": list(range(12))})) == set()
    assert codes(alone(damaged, {**config, "layers_to_transform": [0, 1, 2]})) == {"A906"}
    pattern = {key: entry for key, entry in damaged.items() if "layers.3.self_attn.v_proj" not in key}
    audited = alone(pattern, config)
    assert codes(audited) == {"A909"}
    assert [one.facts["layers"] for one in audited.findings if one.code == "A909"] == ["layers 3, 7"]


OTHER = [name for name in records() if name not in LORA]
"""Records of other methods than LoRA."""


IN_BASE = (".base_layer.",)
"""Parts of names that the base has too."""
RESTORED = ("num_batches_tracked", ".frod_s_indices.", ".frod_s_size.", ".lm_head.trainable_tokens_delta")
"""Tensors that PEFT recomputes if lost (measured: equal logits), or reads under the name of a tied tensor."""


def kinds_of(spec: Spec) -> list[str]:
    """One tensor of each kind, from any layer."""
    kinds: dict[str, str] = {}
    for key in spec:
        kinds.setdefault(sub(r"[0-9]+", "#", key.rpartition("layers.")[2]), key)
    return list(kinds.values())


MADE_AGAIN = (
    ".randlora_A", ".randlora_B", ".tinylora_A", ".tinylora_B", ".tinylora_P", ".unilora_indices_", ".unilora_scales_",
    ".zeros", ".supertuning_indices", ".frod_V.",
)  # fmt: skip
"""Parts of the names of frozen tensors; measured: PEFT 0.21 makes them again with the values that were saved."""


@pytest.mark.thinned
@pytest.mark.parametrize("name", sampled(reversed(OTHER), 2))
def test_each_lost_tensor_of_other_methods_is_an_error(name: str) -> None:
    spec = spec_of(name)
    for key in kinds_of(spec):
        rest = {other: entry for other, entry in spec.items() if other != key}
        restored = any(one in key for one in (*RESTORED, *IN_BASE))
        silent = restored or any(one in key for one in MADE_AGAIN)
        assert any(one.severity == "error" for one in reported(name, rest).findings) is not silent, key
        if "_indices" not in key and not restored:
            audited = reported(name, {**spec, key: ("I32", spec[key][1])})
            assert "T603" in codes(audited) or "token" in key, key


@pytest.mark.thinned
@pytest.mark.parametrize("name", sampled(OTHER, 2))
def test_each_changed_dim_of_other_methods_is_one_error(name: str) -> None:
    """With the base each dim is known; without it only those that the config states."""
    spec = spec_of(name)
    for key in kinds_of(spec):
        dtype, shape = spec[key]
        for at in range(len(shape)):
            longer = tuple(size + (place == at) * 3 for place, size in enumerate(shape))
            found = [
                one.code for one in reported(name, {**spec, key: (dtype, longer)}).findings if one.severity == "error"
            ]
            stated = (key, at) in (("prompt_embeddings", 0), ("base_model.vblora_vector_bank", 1))
            rows = {"A942"} if stated else set[str]()  # the config counts them
            assert len(found) == 1 and set(found) <= {"A903", "A904", "A907", "A913"} | rows, (key, at, found)


@pytest.mark.parametrize(
    "hostile", ["(a+)+$", "((.*)*)*x", "(?:(?:.*)*.*)*z", "(.*a){30}", "(", "(?P<n>a)(?P=n)", "a" * 9000]
)
def test_an_expression_never_hangs(hostile: str) -> None:
    for setting in ("target_modules", "exclude_modules"):
        audited = reported("llama.default", spec_of("llama.default"), **{setting: hostile})
        assert "A904" not in codes(audited)
    audited = reported("llama.default", spec_of("llama.default"), rank_pattern={hostile: 3})
    assert codes(audited) <= {"A903"}


def test_an_adapter_without_its_config_is_counted_by_its_names() -> None:
    audited = alone(spec_of("llama.default"), None)
    assert audited.architecture is not None
    assert (audited.architecture.name, audited.architecture.confidence) == ("lora", "likely")
    assert audited.counts.unique_parameters == records()["llama.default"]["trainable"]


def test_layers_that_x_lora_does_not_save() -> None:
    """Measured: PEFT 0.21.2 drops those with the number of a LoRA when saving; they are random after loading."""
    spec = {key: entry for key, entry in spec_of("llama.xlora").items() if ".layers.0." not in key}
    (finding,) = (one for one in reported("llama.xlora", spec).findings if one.severity == "error")
    assert (finding.code, finding.place.tensor) == ("A905", "internal_xlora_classifier.layers.0")
    assert "state dict of the trained model" in finding.help


def test_subspaces_with_fewer_rows_than_the_module() -> None:
    """The config does not state the rows of each subspace of AdaMSS; their sum is the rows of the module."""
    spec = spec_of("llama.adamss")
    key = next(key for key in spec if key.endswith("q_proj.adamss_B.1"))
    audited = reported("llama.adamss", {**spec, key: ("F32", (spec[key][1][0] + 1, spec[key][1][1]))})
    (finding,) = (one for one in audited.findings if one.severity == "error")
    assert (finding.code, finding.facts["tensors"]) == ("A904", 3)


@pytest.mark.parametrize(
    ("peft_type", "module", "found"),
    [
        ("LORA", "language_model.model.layers", set()),  # PEFT renames it as transformers 5 renames the base
        ("LORA", "vision_tower.vision_model.encoder.layers", set()),
        ("LORA", "vision_tower.encoder.layers", {"A919"}),  # PEFT reverses the renaming
        ("LORA", "model.language_model.layers", set()),
        ("IA3", "language_model.model.layers", {"A919"}),
        ("IA3", "model.language_model.layers", set()),
    ],
)
def test_names_of_files_that_peft_does_not_rename(peft_type: str, module: str, found: set[str]) -> None:
    record = base_record("llava", "ForConditionalGeneration")
    language = "language_model" in module
    spec: Spec = {}
    for name, (_, shape) in spec_of_record(record).items():
        if name.endswith(".self_attn.q_proj.weight") and ("language_model" in name) == language:
            rest = name.removesuffix(".weight").partition(".layers.")[2]
            key = f"base_model.model.{module}.{rest}"
            if peft_type == "IA3":
                spec[f"{key}.ia3_l"] = ("F32", (shape[0], 1))
            else:
                spec[f"{key}.lora_A.weight"] = ("F32", (4, shape[1]))
                spec[f"{key}.lora_B.weight"] = ("F32", (shape[0], 4))
    own: dict[str, Any] = {"r": 4} if peft_type == "LORA" else {"feedforward_modules": []}
    targets = rf".*{'language_model' if language else 'vision_tower'}.*q_proj"
    adapter = {"peft_type": peft_type, "target_modules": targets, **own}
    audited = with_base(spec, adapter, {"architectures": [record["class"]], **record["config"]})
    assert spec and codes(audited) == found
