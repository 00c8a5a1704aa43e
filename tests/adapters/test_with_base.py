"""Adapters with the config of their base or a given base: counts, incomplete pairs, and contradicting settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.adapters.records import alone, with_base
from tests.checkpoints import Spec, genuine, write, write_file
from tests.judged import base_record, codes, spec_of
from tests.make_checkpoints import SMALL_LLAMA

RANK = 4
CONFIG: dict[str, Any] = {
    "peft_type": "LORA", "r": RANK, "lora_alpha": 8, "base_model_name_or_path": "org/base",
    "target_modules": ["q_proj", "v_proj"],
}  # fmt: skip


def adapter() -> Spec:
    """LoRA on the queries and values of the small Llama."""
    spec: Spec = {}
    for layer in range(4):
        for module, out in (("q_proj", 64), ("v_proj", 16)):
            path = f"base_model.model.model.layers.{layer}.self_attn.{module}"
            spec[f"{path}.lora_A.weight"] = ("F32", (RANK, 64))
            spec[f"{path}.lora_B.weight"] = ("F32", (out, RANK))
    return spec


def saved(folder: Path, spec: Spec) -> Path:
    """The adapter in a folder with the config of its base, as training scripts save it."""
    write(folder, spec, SMALL_LLAMA)
    (folder / "model.safetensors").rename(folder / "adapter_model.safetensors")
    (folder / "adapter_config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    return folder


def test_an_adapter_with_the_config_of_its_base_is_clean(tmp_path: Path) -> None:
    audited = audit(str(saved(tmp_path, adapter())))
    assert audited.verdict == "clean", audited.findings
    assert audited.architecture is not None
    assert audited.architecture.name == "lora"
    assert audited.counts.unique_parameters == 4 * (RANK * 64 * 2 + RANK * (64 + 16))
    assert audited.counts.expected_parameters == audited.counts.unique_parameters
    assert audited.base is not None
    assert not any(skipped.check == "shapes" for skipped in audited.skipped)
    assert [finding.facts["base"] for finding in audited.findings if finding.code == "A901"] == ["org/base"]


def test_a_matrix_that_contradicts_the_config_of_the_base_is_reported(tmp_path: Path) -> None:
    spec = adapter()
    spec["base_model.model.model.layers.2.self_attn.v_proj.lora_B.weight"] = ("F32", (24, RANK))
    assert codes(audit(str(saved(tmp_path, spec)))) == {"A904"}


def test_a_base_without_a_definition_leaves_the_shapes_unchecked(tmp_path: Path) -> None:
    folder = saved(tmp_path, adapter())
    (folder / "config.json").write_text('{"model_type": "of_its_own"}', encoding="utf-8")
    audited = audit(str(folder))
    assert (audited.verdict, audited.counts.expected_parameters, audited.base) == ("clean", None, None)


def test_an_incomplete_pair_is_an_error(tmp_path: Path) -> None:
    spec = adapter()
    del spec["base_model.model.model.layers.2.self_attn.v_proj.lora_B.weight"]
    assert codes(audit(str(saved(tmp_path, spec)))) == {"A902"}


def test_a_copy_of_the_base_is_not_part_of_the_adapter(tmp_path: Path) -> None:
    spec = adapter()
    before = audit(str(saved(tmp_path / "one", spec))).counts.unique_parameters
    spec["base_model.model.model.embed_tokens.base_layer.weight"] = ("F32", (384, 64))
    audited = audit(str(saved(tmp_path / "two", spec)))
    assert audited.counts.unique_parameters == before
    assert audited.counts.extra_components == 384 * 64


def test_an_adapter_config_next_to_model_weights_is_read_first(tmp_path: Path) -> None:
    write(tmp_path, genuine(SMALL_LLAMA), SMALL_LLAMA)
    (tmp_path / "adapter_config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    audited = audit(str(tmp_path))
    assert codes(audited) == {"A940"}
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == 213_568


ADALORA = {"peft_type": "ADALORA", "r": 8, "init_r": 8, "target_r": 4, "target_modules": ["q_proj"], "lora_alpha": 8}


@pytest.mark.parametrize("part", ["", "lora_A", "lora_B", "lora_E"])
def test_adalora_modules_have_one_rank_each(part: str) -> None:
    spec: Spec = {}
    for layer, rank in enumerate((6, 4, 7)):
        module = f"base_model.model.model.layers.{layer}.self_attn.q_proj"
        ranks = {name: rank + (name == part and layer == 1) for name in ("lora_A", "lora_B", "lora_E")}
        spec[f"{module}.lora_A"] = ("F32", (ranks["lora_A"], 64))
        spec[f"{module}.lora_B"] = ("F32", (64, ranks["lora_B"]))
        spec[f"{module}.lora_E"] = ("F32", (ranks["lora_E"], 1))
    assert codes(alone(spec, ADALORA)) == ({"A917"} if part else set())


def test_of_several_bases_the_one_that_fits_is_named(tmp_path: Path) -> None:
    folder = saved(tmp_path / "adapter", adapter())
    (folder / "config.json").unlink()
    places = []
    for name, config in {"wider": {**SMALL_LLAMA, "hidden_size": 128}, "own": SMALL_LLAMA}.items():
        places.append(str(tmp_path / f"{name}.json"))
        Path(places[-1]).write_text(json.dumps(config), encoding="utf-8")
    both = audit(str(folder), base=places)
    (note,) = [one for one in both.findings if one.code == "A929"]
    assert (codes(both), note.facts["fits"]) == (set(), [places[1]])
    (wrong,) = [one for one in audit(str(folder), base=places[:1]).findings if one.code == "A907"]
    assert [64, 128] in wrong.facts["widths"]
    assert [one.facts["fits"] for one in audit(str(folder), base=[places[0]] * 2).findings if one.code == "A929"] == [
        []
    ]


def exchanged(spec: Spec) -> Spec:
    """The adapter with the names of both factors of each module exchanged."""
    turned = {name.replace("lora_A", "lora_").replace("lora_B", "lora_A"): entry for name, entry in spec.items()}
    return {name.replace("lora_.", "lora_B."): entry for name, entry in turned.items()}


@pytest.mark.parametrize(("module", "change", "found", "words"), [
    ("", exchanged, {"A944"}, "rename lora_A to lora_B"),
    ("q_proj", exchanged, {"A930"}, "names lora_A and lora_B are exchanged"),
    ("q_proj", lambda spec: {name: (dtype, shape[::-1]) for name, (dtype, shape) in spec.items()}, {"A930"},
     "names lora_A and lora_B are exchanged"),
    ("v_proj", lambda spec: {name: (dtype, shape[::-1]) for name, (dtype, shape) in spec.items()}, {"A930"},
     "transpose each"),
    ("", lambda spec: spec, set(), ""),
])  # fmt: skip
def test_transposed_or_under_exchanged_names(
    module: str, change: Callable[[Spec], Spec], found: set[str], words: str
) -> None:
    """Where inputs and outputs are equal the shapes allow both, and a remedy for the wrong one loads."""
    spec = change({name: entry for name, entry in adapter().items() if module in name})
    result = with_base(spec, {**CONFIG, "target_modules": [module] if module else CONFIG["target_modules"]},
                       SMALL_LLAMA)  # fmt: skip
    assert codes(result) == found
    assert [words in (one.help or "") for one in result.findings if one.severity == "error"] == [True] * len(found)


@pytest.mark.parametrize(("settings", "found"), [
    ({"lora_alpha": 0}, {"A923"}), ({"lora_alpha": 0.5}, set()), ({"lora_alpha": False}, set()),
    ({"lora_alpha": 0, "alpha_pattern": {"q_proj": 8}}, set()),
])  # fmt: skip
def test_an_alpha_of_zero_leaves_the_base_unchanged(settings: dict[str, Any], found: set[str]) -> None:
    for result in (with_base(adapter(), {**CONFIG, **settings}, SMALL_LLAMA), alone(adapter(), CONFIG | settings)):
        assert codes(result) == found


@pytest.mark.parametrize(("method", "shapes", "settings", "found", "key"), [
    ("LOKR", {"lokr_w1": (4, 4), "lokr_w2": (16, 16)}, {"r": 32, "decompose_factor": -1}, {"A942"}, 4),
    ("LOKR", {"lokr_w1": (8, 8), "lokr_w2": (8, 8)}, {"r": 32, "decompose_factor": -1}, set(), None),
    ("LOKR", {"lokr_w1": (4, 4), "lokr_w2": (16, 8)}, {"r": 32, "decompose_factor": -1}, {"A907"}, None),
    ("OFT", {"oft_R.weight": (4, 120)}, {"r": 0, "oft_block_size": 32}, {"A942"}, 16),
    ("OFT", {"oft_R.weight": (4, 120)}, {"r": 8, "oft_block_size": 0}, {"A942"}, 4),
    ("OFT", {"oft_R.weight": (4, 120)}, {"r": 0, "oft_block_size": 16}, set(), None),
    ("OFT", {"oft_R.weight": (5, 120)}, {"r": 0, "oft_block_size": 32}, {"A904"}, None),
])  # fmt: skip
def test_a_size_in_the_config_that_the_tensors_do_not_have(
    method: str, shapes: dict[str, tuple[int, ...]], settings: dict[str, Any], found: set[str], key: int | None
) -> None:
    """PEFT 0.21 refuses the adapter, and loads it with the value of the remedy."""
    spec: Spec = {
        f"base_model.model.model.layers.{layer}.self_attn.q_proj.{ending}": ("F32", shape)
        for layer in range(4)
        for ending, shape in shapes.items()
    }
    result = with_base(spec, {"peft_type": method, "target_modules": ["q_proj"], **settings}, SMALL_LLAMA)
    assert codes(result) == found
    named = [one.facts["settings"][0]["new"] for one in result.findings if one.code == "A942"]
    assert named == ([] if key is None else [key])


@pytest.mark.parametrize(("method", "rows", "parts", "stated", "named"), [
    ("PREFIX_TUNING", (20, 128), 1, 30, [20]), ("PROMPT_TUNING", (20, 64), 1, 30, [20]),
    ("PROMPT_TUNING", (20, 64), 2, 30, [10]), ("PROMPT_TUNING", (20, 64), 2, 10, []),
    ("PROMPT_TUNING", (20, 48), 1, 30, []),
])  # fmt: skip
def test_the_number_of_virtual_tokens_must_match_the_stored_rows(
    method: str, rows: tuple[int, ...], parts: int, stated: int, named: list[int]
) -> None:
    """PEFT 0.21 refuses the adapter, and loads it with the value of the remedy."""
    config = {"peft_type": method, "task_type": "CAUSAL_LM", "num_virtual_tokens": stated, "token_dim": 64,
              "num_layers": 4, "num_attention_heads": 4, "num_transformer_submodules": parts}  # fmt: skip
    result = with_base({"prompt_embeddings": ("F32", rows)}, config, SMALL_LLAMA)
    assert [one.facts["settings"][0]["new"] for one in result.findings if one.code == "A942"] == named


def test_an_alpha_of_zero_does_not_affect_other_trained_tensors() -> None:
    trained = {**adapter(), "base_model.model.lm_head.weight": ("F32", (384, 64))}
    assert "A923" not in codes(alone(trained, {**CONFIG, "lora_alpha": 0, "modules_to_save": ["lm_head"]}))


@pytest.mark.parametrize("base", ["absent", "empty", "damaged.json", "adapter", "bare"])
def test_an_unreadable_base_leaves_the_verdict_undecided(base: str, tmp_path: Path) -> None:
    folder = saved(tmp_path / "adapter", adapter())
    (folder / "config.json").unlink()
    (tmp_path / "empty").mkdir()
    (tmp_path / "damaged.json").write_text("{")
    write(tmp_path / "bare", {}, SMALL_LLAMA)
    (tmp_path / "bare" / "model.safetensors").write_bytes(b"")
    result = audit(str(folder), base=str(tmp_path / base))
    if base == "bare":  # its config has the shapes
        assert (result.verdict, codes(result)) == ("clean", set())
        return
    assert (result.verdict, [one.code for one in result.findings]) == ("undecided", ["A901", "A912"])
    (left,) = [one for one in result.skipped if one.decisive]
    assert left.check == "the base"
    assert str(tmp_path / base) in left.because


CLASSES: dict[str, Any] = {
    "architectures": ["BertForSequenceClassification"], "model_type": "bert", "hidden_size": 32, "num_hidden_layers": 2,
    "num_attention_heads": 4, "intermediate_size": 48, "vocab_size": 40, "num_labels": 3,
}  # fmt: skip
BERT = "base_model.model."


@pytest.mark.parametrize(("saved_modules", "copies"), [
    (["classifier", "score"], ["classifier.modules_to_save.", "classifier.original_module."]),
    (["classifier", "pooler"], ["classifier.modules_to_save.", "classifier.original_module.",
                                "bert.pooler.modules_to_save.default.dense.", "bert.pooler.original_module.dense."]),
])  # fmt: skip
def test_all_biases_of_modules_that_are_saved_whole(saved_modules: list[str], copies: list[str]) -> None:
    """PEFT 0.21 stores every tensor with `bias` in its name, in the original and in the copy too."""
    stored = genuine(CLASSES)
    spec: Spec = {f"{BERT}{name}": entry for name, entry in stored.items() if name.endswith(".bias")}
    for layer in range(2):
        query = f"{BERT}bert.encoder.layer.{layer}.attention.self.query."
        spec[f"{query}base_layer.bias"] = spec.pop(f"{query}bias")
        spec[f"{query}lora_A.weight"] = spec[f"{query}lora_B.weight"] = ("F32", (8, 32))
        spec[f"{query}lora_B.weight"] = ("F32", (32, 8))
    for module in copies:
        plain = module.replace("modules_to_save.", "").replace("original_module.", "").replace("default.", "")
        spec[f"{BERT}{module}bias"] = stored[f"{plain}bias"]
        spec[f"{BERT}{plain}weight"] = stored[f"{plain}weight"]
    config = {"peft_type": "LORA", "r": 8, "target_modules": ["query"], "bias": "all", "task_type": "SEQ_CLS",
              "modules_to_save": saved_modules}  # fmt: skip
    audited = with_base(spec, config, CLASSES)
    assert (audited.verdict, codes(audited)) == ("clean", set())
    assert audited.counts.unique_parameters == audited.counts.expected_parameters
    bare = alone(spec, config)
    assert (bare.verdict, codes(bare)) == ("clean", set())
    lost = {name: entry for name, entry in spec.items() if name != f"{BERT}classifier.weight"}
    assert codes(alone(lost, config)) == {"A905"}


@pytest.mark.parametrize(("lost", "outcome"), [
    ("", "complete"), ("classifier.dense.bias", "refuses"), ("classifier.out_proj.weight", "refuses"),
    ("roberta.encoder.layer.0.output.dense.bias", "complete"),
])  # fmt: skip
def test_a_lost_bias_within_a_module_that_is_saved_whole(lost: str, outcome: str, tmp_path: Path) -> None:
    """PEFT 0.21.2 raises KeyError for any tensor of the module, and keeps another bias of the base."""
    record = base_record("roberta", "ForSequenceClassification")
    stored = spec_of(record)
    names = [name for name in stored if name.endswith(".bias") or name.startswith("classifier.")]
    spec: Spec = {f"{BERT}{name}": stored[name] for name in names if name != lost}
    for name in [name for name in stored if name.endswith("attention.self.query.weight")]:
        module, (outputs, inputs) = f"{BERT}{name.removesuffix('.weight')}", stored[name][1]
        spec[f"{module}.base_layer.bias"] = spec.pop(f"{module}.bias")
        spec |= {f"{module}.lora_A.weight": ("F32", (8, inputs)), f"{module}.lora_B.weight": ("F32", (outputs, 8))}
    folder = saved(tmp_path, spec)
    config = {"peft_type": "LORA", "r": 8, "target_modules": ["query"], "bias": "all", "task_type": "SEQ_CLS",
              "modules_to_save": ["classifier", "score"]}  # fmt: skip
    (folder / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps(record["config"]), encoding="utf-8")
    assert next(one for one in audit(str(folder)).loads if one.loader == "peft").outcome == outcome


PREFIX_CONFIG: dict[str, Any] = {
    "peft_type": "PREFIX_TUNING", "task_type": "CAUSAL_LM", "num_virtual_tokens": 8, "token_dim": 16, "num_layers": 4,
    "num_attention_heads": 2, "num_transformer_submodules": 1,
}  # fmt: skip


@pytest.mark.parametrize(("base", "expected", "outcome"), [
    ({}, None, "complete"),
    ({"num_key_value_heads": 4}, [8, 2 * 4 * 32], "refuses"),
    ({"hidden_size": 128}, [8, 2 * 4 * 32], "refuses"),
    ({"hidden_size": 128, "num_key_value_heads": 1}, None, "complete"),
    ({"num_hidden_layers": 5}, [8, 2 * 5 * 16], "complete"),
])  # fmt: skip
def test_a_prefix_has_the_width_of_the_keys_of_its_base(
    base: dict[str, Any], expected: list[int] | None, outcome: str, tmp_path: Path
) -> None:
    """As PEFT 0.21.2 builds them for such bases; with more layers it loads, and the first call raises IndexError."""
    folder = saved(tmp_path, {"prompt_embeddings": ("F32", (8, 2 * 4 * 16))})
    (folder / "adapter_config.json").write_text(json.dumps(PREFIX_CONFIG), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({**SMALL_LLAMA, **base}), encoding="utf-8")
    audited = audit(str(folder))
    found = [one.facts["expected"] for one in audited.findings if one.code == "A904"]
    assert found == ([] if expected is None else [expected])
    assert [one.outcome for one in audited.loads if one.loader == "peft"] == [outcome]


@pytest.mark.parametrize(("trained", "found"), [(["embed_tokens", "lm_head"], set()), (["embed_tokens"], {"A906"})])
def test_copies_of_fully_trained_embeddings(trained: list[str], found: set[str], tmp_path: Path) -> None:
    """As PEFT 0.21.2 saves a resized base: the module, its original, and a copy under the plain name."""
    spec = adapter()
    for module in ("model.embed_tokens", "lm_head"):
        for ending in ("weight", "modules_to_save.weight", "original_module.weight"):
            spec[f"base_model.model.{module}.{ending}"] = ("F32", (384, 64))
    folder = saved(tmp_path, spec)
    (folder / "adapter_config.json").write_text(json.dumps({**CONFIG, "modules_to_save": trained}), encoding="utf-8")
    audited = audit(str(folder))
    assert codes(audited) == found
    if not found:
        assert audited.counts.unique_parameters == audited.counts.expected_parameters
        assert audited.counts.extra_components == 4 * 384 * 64


@pytest.mark.parametrize(("layers", "found"), [(4, set()), (3, {"A928"})])
def test_layers_that_the_base_does_not_have(layers: int, found: set[str], tmp_path: Path) -> None:
    folder = saved(tmp_path, adapter())
    (folder / "config.json").write_text(json.dumps({**SMALL_LLAMA, "num_hidden_layers": layers}), encoding="utf-8")
    audited = audit(str(folder))
    assert codes(audited) == found
    for one in audited.findings:
        if one.code == "A928":
            assert (one.facts["modules"], one.facts["of"]) == (2, 8)
            assert one.facts["names"] == ["model.layers.3.self_attn.q_proj", "model.layers.3.self_attn.v_proj"]


@pytest.mark.parametrize(("task", "saved_modules", "head", "found"), [
    ("SEQ_CLS", ["classifier", "score"], "score", {}), ("SEQ_CLS", ["classifier", "score"], "", {"A905": "refuses"}),
    ("TOKEN_CLS", ["classifier", "score"], "", {"A905": "refuses"}), ("CAUSAL_LM", ["classifier", "score"], "", {}),
    ("SEQ_CLS", None, "", {"N730": "complete"}), ("SEQ_CLS", None, "score", {}), ("TOKEN_CLS", None, "score", {}),
    ("CAUSAL_LM", None, "", {}),
])  # fmt: skip
def test_the_head_of_the_task_is_saved_with_the_adapter(
    task: str, saved_modules: list[str] | None, head: str, found: dict[str, str], tmp_path: Path
) -> None:
    """PEFT 0.21.2 raises KeyError if a head is missing that its config lists as saved and that the class has."""
    spec = adapter() | ({f"base_model.model.{head}.weight": ("F32", (3, 64))} if head else {})
    folder = saved(tmp_path, spec)
    config = {**CONFIG, "task_type": task, "modules_to_save": saved_modules}
    (folder / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    audited = audit(str(folder))
    assert codes(audited) == set(found)
    outcomes = {one.loader: one.outcome for one in audited.loads}
    assert outcomes["peft"] == next(iter(found.values()), "complete")
    unsaid = {one for one in audited.loads if one.loader == "peft" and one.because.startswith("with a base without")}
    assert bool(unsaid) == ("N730" in found)  # with a base that has the head of the task
    assert "vllm" not in outcomes  # it reads heads for classification


@pytest.mark.parametrize("kept", [(), ("out_proj",), ("dense", "out_proj")])
def test_a_head_of_several_layers_is_one_cause(kept: tuple[str, ...], tmp_path: Path) -> None:
    record = base_record("roberta", "ForSequenceClassification")
    shapes = {name: (dtype, tuple(shape)) for name, (dtype, shape) in spec_of(record).items()}
    name = "roberta.encoder.layer.{}.attention.self.query"
    spec: Spec = {}
    for layer in range(record["config"]["num_hidden_layers"]):
        outputs, inputs = shapes[f"{name.format(layer)}.weight"][1]
        spec[f"base_model.model.{name.format(layer)}.lora_A.weight"] = ("F32", (RANK, inputs))
        spec[f"base_model.model.{name.format(layer)}.lora_B.weight"] = ("F32", (outputs, RANK))
    for part in kept:
        for end in ("weight", "bias"):
            spec[f"base_model.model.classifier.{part}.{end}"] = shapes[f"classifier.{part}.{end}"]
    write(tmp_path, spec, {"model_type": "roberta", **record["config"], "architectures": ["RobertaForMaskedLM"]})
    (tmp_path / "model.safetensors").rename(tmp_path / "adapter_model.safetensors")
    config = {**CONFIG, "task_type": "SEQ_CLS", "target_modules": ["query"], "modules_to_save": ["classifier"]}
    (tmp_path / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    lost = [(one.place.name, one.facts["tensors"]) for one in audit(str(tmp_path)).findings if one.severity == "error"]
    assert lost == {0: [("classifier", 4)], 1: [("classifier.dense", 2)], 2: []}[len(kept)]


PHI: dict[str, Any] = {
    "model_type": "phi3", "architectures": ["Phi3ForCausalLM"], "hidden_size": 64, "intermediate_size": 96,
    "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 320, "pad_token_id": 0,
}  # fmt: skip


@pytest.mark.parametrize(("module", "base", "facts"), [
    ("transformer.h.{}.attn.c_attn", SMALL_LLAMA, {"types": "gpt2"}),
    ("gpt_neox.layers.{}.attention.query_key_value", SMALL_LLAMA, {"types": "gpt_neox"}),
    ("model.layers.{}.self_attn.q_proj", PHI, {"joined": "qkv_proj"}),
    ("model.layers.{}.mlp.up_proj", PHI, {"joined": "gate_up_proj"}),
    ("model.layers.{}.self_attn.q_lora", PHI, {}), ("bert.encoder.layer.{}.attention.self.query", SMALL_LLAMA, {}),
])  # fmt: skip
def test_modules_of_another_architecture_show_whose_they_are(
    module: str, base: dict[str, Any], facts: dict[str, str]
) -> None:
    """Where dozens of types have these modules, none is named."""
    spec = {f"base_model.model.{module.format(layer)}.lora_{side}.weight": ("F32", shape)
            for layer in range(2) for side, shape in (("A", (4, 64)), ("B", (64, 4)))}  # fmt: skip
    config = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": [module.rpartition(".")[2]]}
    (found,) = (one for one in with_base(spec, config, base).findings if one.code == "A928")
    assert {key: found.facts[key][0] for key in ("types", "joined") if found.facts.get(key)} == facts


@pytest.mark.parametrize(("last", "outcome"), [(383, "complete"), (384, "refuses")])
def test_trained_tokens_are_in_the_table_of_the_base(last: int, outcome: str, tmp_path: Path) -> None:
    """PEFT 0.21.2 raises IndexError for a token beyond the table."""
    key = "base_model.model.model.embed_tokens.token_adapter.trainable_tokens_delta"
    folder = saved(tmp_path, adapter() | {key: ("F32", (2, 64))})
    config = {**CONFIG, "trainable_token_indices": [1, last]}
    (folder / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    audited = audit(str(folder))
    others = {"vllm": "refuses", "llama.cpp": "refuses"}  # whatever the base has
    assert {one.loader: one.outcome for one in audited.loads} == {"peft": outcome, **others}
    assert codes(audited) == (set() if outcome == "complete" else {"N429"})
    for one in others:
        (finding,) = (found for found in judged_for(audited, one).findings if found.code == "N429")
        assert "merge" in finding.remedy().words


@pytest.mark.parametrize(("targets", "outcome"), [(None, "complete"), (["embed_tokens"], "complete"), ([], "refuses")])
def test_an_empty_list_of_targets_is_refused_where_none_is_inferred(
    targets: list[str] | None, outcome: str, tmp_path: Path
) -> None:
    """PEFT 0.21.2 finds the table of tokens itself if the list is absent."""
    spec: Spec = {"base_model.model.model.embed_tokens.trainable_tokens_delta": ("F32", (2, 64))}
    folder = saved(tmp_path, spec)
    config = {"peft_type": "TRAINABLE_TOKENS", "token_indices": [1, 5], "target_modules": targets, "task_type": None}
    (folder / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    (load,) = (one for one in audit(str(folder)).loads if one.loader == "peft")
    assert load.outcome == outcome, load


@pytest.mark.parametrize(("rows", "found"), [(384, set()), (386, {"A913"})])
def test_whole_tables_are_refused_by_other_programs_whatever_the_base_has(
    rows: int, found: set[str], tmp_path: Path
) -> None:
    table: Spec = {"base_model.model.model.embed_tokens.weight": ("F32", (rows, 64))}
    audited = audit(str(saved(tmp_path, adapter() | table)))
    assert codes(audited) == found
    for one in ("vllm", "llama.cpp"):
        assert codes(judged_for(audited, one)) == found | {"N429"}


@pytest.mark.parametrize("lost", [False, True])
def test_ln_tuning_of_nested_modules(lost: bool) -> None:
    """PEFT removes the adapter's name only from the names of single modules."""
    spec: Spec = {}
    for name, (dtype, shape) in genuine(SMALL_LLAMA).items():
        if ".self_attn." not in name and ".input_layernorm." not in name:
            continue
        new = name.replace(".self_attn.", ".self_attn.ln_tuning_layers.default.")
        new = new.replace(".input_layernorm.", ".input_layernorm.ln_tuning_layers.")
        spec[f"base_model.model.{new}"] = (dtype, shape)
    if lost:
        del spec["base_model.model.model.layers.1.self_attn.ln_tuning_layers.default.q_proj.weight"]
    config = {"peft_type": "LN_TUNING", "target_modules": ["self_attn", "input_layernorm"], "task_type": "CAUSAL_LM"}
    assert codes(with_base(spec, config, SMALL_LLAMA)) == ({"A905"} if lost else set())


@pytest.mark.parametrize(
    ("settings", "below", "outcome"),
    [
        ({"task_type": "FEATURE_EXTRACTION"}, True, "complete"),
        ({"task_type": "FEATURE_EXTRACTION"}, False, "random"),
        ({"task_type": None, "auto_mapping": {"base_model_class": "LlamaModel"}}, True, "complete"),
        ({"task_type": None, "auto_mapping": {"base_model_class": "LlamaForCausalLM"}}, False, "complete"),
        ({"task_type": None, "auto_mapping": {"base_model_class": "ClassOfItsOwn"}}, False, "complete"),
        ({"task_type": "CAUSAL_LM"}, False, "complete"),
    ],
)
def test_the_task_of_an_adapter_determines_the_class_of_the_base(
    settings: dict[str, Any], below: bool, outcome: str, tmp_path: Path
) -> None:
    spec = {key.replace("base_model.model.model.", "base_model.model.") if below else key: entry
            for key, entry in adapter().items()}  # fmt: skip
    folder = saved(tmp_path, spec)
    (folder / "adapter_config.json").write_text(json.dumps({**CONFIG, **settings}), encoding="utf-8")
    audited = audit(str(folder))
    assert audited.verdict == ("clean" if outcome == "complete" else "undecided")
    assert [one.outcome for one in audited.loads if one.loader == "peft"] == [outcome]


def below_wrapper(targets: list[str], wrapper: str = ".base_layer") -> Audit:
    """An adapter that was trained on a model with an adapter, whose targets were collected by the kind of layer."""
    spec = {name.replace(".lora_", f"{wrapper}.lora_"): entry for name, entry in adapter().items()}
    return with_base(spec, CONFIG | {"target_modules": targets}, SMALL_LLAMA)


@pytest.mark.parametrize("targets", [["base_layer"], ["base_layer", "q_proj"]])
def test_targets_that_are_the_wrapper_of_peft_are_repaired(targets: list[str]) -> None:
    """Measured with PEFT 0.21: Target modules {'base_layer'} not found; renamed and with both targets it loads."""
    found = [one for one in below_wrapper(targets).findings if one.severity == "error"]
    assert [one.code for one in found] == ["A919", "A906"]
    assert ".base_layer" not in found[0].facts["wanted"]
    assert [(step.key, step.new) for step in found[1].remedy().steps] == [(("target_modules",), ["q_proj", "v_proj"])]


def test_names_below_the_wrapper_with_the_right_targets_are_renamed() -> None:
    assert codes(below_wrapper(["q_proj", "v_proj"])) == {"A919"}
    assert codes(below_wrapper(["q_proj", "v_proj"], "")) == set()


@pytest.mark.parametrize(("task", "verdict", "found"), [
    (None, "undecided", {"A988"}), ("CAUSAL_LM", "findings", {"A919"}), ("FEATURE_EXTRACTION", "clean", {"A988"}),
])  # fmt: skip
@pytest.mark.parametrize("model_type", ["mistral", "qwen2", "gemma"])
def test_names_of_the_base_without_its_head(
    model_type: str, task: str | None, verdict: str, found: set[str], tmp_path: Path
) -> None:
    """Measured with PEFT 0.21: nothing is loaded around the class with the head, everything around AutoModel."""
    sizes = {"hidden_size": 48, "intermediate_size": 80, "num_attention_heads": 6, "num_key_value_heads": 2,
             "num_hidden_layers": 3, "vocab_size": 70, "head_dim": 8}  # fmt: skip
    base = {"model_type": model_type, "architectures": [f"{model_type.capitalize()}ForCausalLM"], **sizes}
    spec: Spec = {}
    for layer in range(3):
        path = f"base_model.model.layers.{layer}.self_attn.q_proj"
        spec |= {f"{path}.lora_A.weight": ("F32", (RANK, 48)), f"{path}.lora_B.weight": ("F32", (48, RANK))}
    values = {**CONFIG, "target_modules": ["q_proj"], "task_type": task}
    (tmp_path / "adapter_config.json").write_text(json.dumps(values), encoding="utf-8")
    write_file(tmp_path / "adapter_model.safetensors", spec)
    (tmp_path / "base.json").write_text(json.dumps(base), encoding="utf-8")
    audited = audit(str(tmp_path), base=str(tmp_path / "base.json"))
    assert (audited.verdict, {one.code for one in audited.findings} - {"A901"}) == (verdict, found)
