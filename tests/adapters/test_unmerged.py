"""Models saved with an unmerged adapter, and adapter files or configs next to the weights of a model."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit, audit_loaded
from tests.adapters.records import Spec, checkpoint, records, spec_of
from tests.checkpoints import elements, genuine, write, write_file
from tests.comparing.pair_audits import torch_file
from tests.judged import base_record, codes, diffusers_records, judged
from tests.judged import spec_of as spec_of_type
from tests.make_checkpoints import SMALL_LLAMA

ADAPTED = ("q_proj", "down_proj")


def wrapped(*, prefix: str = "", saved: bool = False) -> Spec:
    """The small Llama as PEFT holds it in memory: some modules are wrapped, and names contain the adapter's name."""
    spec: Spec = {}
    for name, (dtype, shape) in genuine(SMALL_LLAMA).items():
        module, _, last = name.rpartition(".")
        if module.endswith(ADAPTED):
            spec[f"{prefix}{module}.base_layer.{last}"] = (dtype, shape)
            spec[f"{prefix}{module}.lora_A.default.weight"] = ("F32", (4, shape[1]))
            spec[f"{prefix}{module}.lora_B.default.weight"] = ("F32", (shape[0], 4))
        elif saved and module == "lm_head":
            spec[f"{prefix}{module}.original_module.{last}"] = (dtype, shape)
            spec[f"{prefix}{module}.modules_to_save.default.{last}"] = (dtype, shape)
        else:
            spec[prefix + name] = (dtype, shape)
    return spec


def audit_listing(spec: Spec, config: dict[str, object] | None = SMALL_LLAMA) -> Audit:
    return audit_loaded(checkpoint(spec, config=config))


@pytest.mark.thinned
@pytest.mark.parametrize("prefix", ["", "base_model.model."])
@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize("config", [SMALL_LLAMA, None])
def test_an_unmerged_adapter_is_one_finding(prefix: str, saved: bool, config: dict[str, object]) -> None:
    spec = wrapped(prefix=prefix, saved=saved)
    audited = audit_listing(spec, config)
    assert codes(audited) == {"A910"}, audited.findings
    finding = next(one for one in audited.findings if one.code == "A910")
    assert finding.facts["modules"] == 8
    assert "merge_and_unload" in finding.help
    marks = "lora_ or modules_to_save" if saved else "lora_"
    loaded = f"model{'' if prefix else '.base_model.model'}.load_state_dict(the tensors with {marks} in their names"
    assert "r=4, target_modules=[" in finding.help and loaded in finding.help
    assert ('modules_to_save=["lm_head"]' in finding.help) is saved
    assert "of which unexpected_keys must be empty" in finding.help
    counts = audited.counts
    assert counts.unique_parameters == counts.expected_parameters == 213_568
    assert counts.stored_elements == elements(spec)
    assert counts.extra_components == elements(spec) - 213_568


@pytest.mark.parametrize(("model_type", "suffix", "parts"), [
    ("llava", "Generation", ("language_model",)), ("clip", "Model", ("text_model", "vision_model")),
    ("siglip", "Model", ("text_model",)),
])  # fmt: skip
def test_an_adapter_around_parts_of_a_model(model_type: str, suffix: str, parts: tuple[str, ...]) -> None:
    """PEFT's model around a part has its prefix inside the names; measured with LLaVA and PEFT 0.21."""
    record = base_record(model_type, suffix)
    spec: Spec = {}
    for name, (dtype, shape) in spec_of_type(record).items():
        part = next((one for one in parts if name.startswith(f"{one}.")), "")
        module, _, last = (f"{part}.base_model.model{name.removeprefix(part)}" if part else name).rpartition(".")
        if part and last == "weight" and module.endswith((".q_proj", ".v_proj")):
            spec[f"{module}.base_layer.{last}"] = (dtype, shape)
            spec[f"{module}.lora_A.default.weight"] = (dtype, (4, shape[1]))
            spec[f"{module}.lora_B.default.weight"] = (dtype, (shape[0], 4))
        else:
            spec[f"{module}.{last}".removeprefix(".")] = (dtype, shape)
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    audited = judged(spec, config)
    (finding,) = (one for one in audited.findings if one.severity != "note")
    assert (finding.code, finding.facts["parts"]) == ("A910", list(parts))
    name = parts[0] if len(parts) == 1 else "PART"
    assert f"part = get_peft_model(model.{name}, LoraConfig(r=4" in finding.help
    assert f'name.removeprefix("{name}."), strict=False), of which unexpected_keys must be empty' in finding.help
    assert (f"for each PART of {', '.join(parts)}" in finding.help) is (len(parts) > 1)
    assert audited.counts.unique_parameters == audited.counts.expected_parameters


def test_the_remedy_for_a_diffusers_model_names_diffusers_calls() -> None:
    one = next(record for record in diffusers_records("UNet2DConditionModel") if not record["variant"])
    spec = {
        re.sub(r"(to_[qv])\.weight$", r"\1.base_layer.weight", name): entry for name, entry in spec_of_type(one).items()
    }
    for name in [name for name in spec if ".base_layer." in name]:
        module, (dtype, (rows, columns)) = name.removesuffix(".base_layer.weight"), spec[name]
        spec |= {
            f"{module}.lora_A.default.weight": (dtype, (4, columns)),
            f"{module}.lora_B.default.weight": (dtype, (rows, 4)),
        }
    audited = audit_listing(spec, {**one["config"], "_class_name": "UNet2DConditionModel"})
    (finding,) = (one for one in audited.findings if one.code == "A910")
    assert "fuse_lora" in finding.help and "unload_lora" in finding.help and "merge_and_unload" not in finding.help


@pytest.mark.parametrize(
    ("model_type", "suffix", "head"),
    [
        ("bert", "ForSequenceClassification", "classifier."),
        ("llama", "ForSequenceClassification", "score."),
        ("vit", "ForImageClassification", "classifier."),
    ],
)
def test_the_trained_copy_of_a_module_gets_its_name(model_type: str, suffix: str, head: str) -> None:
    one = base_record(model_type, suffix)
    spec = spec_of_type(one)
    stored = {name: entry for name, entry in spec.items() if not name.startswith(head)}
    for name in spec.keys() - stored.keys():
        last = name.removeprefix(head)
        stored |= {f"{head}{kept}.{last}": spec[name] for kept in ("original_module", "modules_to_save.default")}
    (finding,) = (one for one in judged(stored, one["config"]).findings if one.severity != "note")
    assert (finding.code, finding.facts["modules"]) == ("A910", 1)
    assert finding.help.startswith('rename: key.replace(".modules_to_save.default.", "."), and remove the tensors')
    assert codes(judged(spec, one["config"])) == set()


def test_a_lost_base_layer_is_reported_with_the_unmerged_adapter() -> None:
    spec = wrapped()
    del spec["model.layers.2.self_attn.q_proj.base_layer.weight"]
    assert codes(audit_listing(spec)) == {"A910", "N403"}


def test_low_rank_layers_that_belong_to_a_type_are_not_reported() -> None:
    spec = {name.replace(".default.", ".vision."): entry for name, entry in wrapped().items()}
    assert (
        codes(
            audit_listing(
                spec, {"model_type": "somebodys_mm", "auto_map": {"AutoConfig": "configuration_somebodys.Config"}}
            )
        )
        == set()
    )


def test_an_adapter_config_next_to_model_weights(tmp_path: Path) -> None:
    write(tmp_path, genuine(SMALL_LLAMA), SMALL_LLAMA)
    (tmp_path / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 4}), encoding="utf-8")
    audited = audit(str(tmp_path))
    assert codes(audited) == {"A940"}
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == 213_568
    assert [one.facts["adapter_file"] for one in audited.findings if one.code == "A940"] == [None]
    outcomes = {one.loader: one.outcome for one in audited.loads}
    assert (outcomes["transformers"], outcomes["vllm"]) == ("refuses", "complete")


def test_an_adapter_next_to_model_weights(tmp_path: Path) -> None:
    record = records()["llama.default"]
    write(tmp_path, genuine(SMALL_LLAMA), SMALL_LLAMA)
    write_file(tmp_path / "adapter_model.safetensors", spec_of("llama.default"))
    (tmp_path / "adapter_config.json").write_text(json.dumps(record["adapter"]), encoding="utf-8")
    audited = audit(str(tmp_path), weights="model.safetensors")
    assert [one.facts["adapter_file"] for one in audited.findings if one.code == "A911"] == [
        "adapter_model.safetensors"
    ]
    whole = audit(str(tmp_path))
    assert [one.code for one in whole.findings if one.severity == "warning"] == ["A941"]
    assert {one.outcome for one in whole.loads if one.loader == "transformers"} == {"altered", "refuses"}
    assert audited.counts.unique_parameters == 213_568
    assert audit(str(tmp_path), weights="adapter_model.safetensors").counts.unique_parameters == record["trainable"]


@pytest.mark.parametrize("model", ["model.safetensors", "pytorch_model.bin"])
def test_an_adapter_in_a_pickle_next_to_model_weights(model: str, tmp_path: Path) -> None:
    """transformers 5.23 looks in a local folder for adapter_model.safetensors alone (measured), vLLM reads every .bin
    if there are no safetensors.
    """
    config = records()["llama.default"]["adapter"]
    write(tmp_path, genuine(SMALL_LLAMA), SMALL_LLAMA)
    if model != "model.safetensors":
        (tmp_path / "model.safetensors").unlink()
        (tmp_path / model).write_bytes(torch_file(genuine(SMALL_LLAMA), []))
    (tmp_path / "adapter_model.bin").write_bytes(torch_file(spec_of("llama.default"), []))
    (tmp_path / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    audited = audit(str(tmp_path))
    found = next(one for one in audited.findings if one.severity == "error")
    assert (found.code, found.help) == (
        "A940",
        "move adapter_config.json out of this folder, and adapter_model.bin with it",
    )
    outcomes = {(one.loader, str(one.version)[0]): one.outcome for one in audited.loads}
    assert outcomes["transformers", "5"] == "refuses"
    assert outcomes["vllm", "0"] == ("complete" if model == "model.safetensors" else "unknown")


def test_a_plain_model_gets_no_finding() -> None:
    assert codes(audit_listing(dict(genuine(SMALL_LLAMA)))) == set()
    assert not audit_listing(dict(genuine(SMALL_LLAMA))).findings


def of_mlx(*, inside: bool) -> Spec:
    """The small Llama with the matrices of an adapter of MLX. inside: as MLX holds the wrapped weights in memory."""
    spec: Spec = {}
    for name, (dtype, shape) in genuine(SMALL_LLAMA).items():
        module, _, last = name.rpartition(".")
        adapted = module.endswith(ADAPTED)
        spec[f"{module}.linear.{last}" if adapted and inside else name] = (dtype, shape)
        if adapted:
            spec |= {f"{module}.lora_a": ("F32", (shape[1], 4)), f"{module}.lora_b": ("F32", (4, shape[0]))}
    return spec


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("config", [SMALL_LLAMA, None])
def test_matrices_of_another_tool_among_the_weights_are_one_finding(inside: bool, config: dict[str, object]) -> None:
    audited = audit_listing(of_mlx(inside=inside), config)
    assert codes(audited) == {"A910"}, audited.findings
    assert next(one for one in audited.findings if one.code == "A910").facts["modules"] == 8
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == 213_568
