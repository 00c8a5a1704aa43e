"""Compares predictions for diffusers and PEFT with recorded loads (`tests/oracle/make_library_loads.py`)."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.loading.config_rules import refused_config
from inspector.loading.outcome import COMPLETE, UNKNOWN, Load
from tests.adapters.records import spec_of as adapter_spec
from tests.judged import FIXTURES, base_record, diffusers_records, spec_of
from tests.loads import adapter_cases, component_cases
from tests.loads.damage import healthy, write
from tests.loads.test_loads import agrees

EACH = [37, pytest.param(1, marks=pytest.mark.slow)]
"""Every so many records are loaded."""
ACCEPTED = {"unknown-class", "no-entry"}
"""An unknown class may be one of a later version; a component that is not named may be given by the caller."""


@cache
def recorded(library: str) -> list[Any]:
    """The records of a library."""
    raw = gzip.decompress((FIXTURES / "loads" / f"{library}.json.gz").read_bytes())
    found: list[Any] = json.loads(raw)
    return found


@pytest.mark.parametrize("every", EACH)
def test_components_load_as_recorded(every: int, tmp_path: Path) -> None:
    records = [one for one in recorded("diffusers") if one["class"] not in component_cases.PIPELINES]
    assert len(records) > 700
    for number, record in enumerate(records[::every]):
        found = audit(str(write(component_cases.folder_of(record), tmp_path / str(number))))
        load = next((one for one in found.loads if one.loader == "diffusers"), None)
        assert agrees(load, record), (record["class"], record["name"], record["outcome"], load)
        assert found.verdict != "clean" or record["outcome"] == COMPLETE, (record["class"], record["name"])


def test_configs_are_refused_as_recorded() -> None:
    """Except for rules that depend on more than keys, such as d_fine's head_dim.

    refused: by the config class; failed: by it or by the model that is built.
    """
    records = recorded("configs")
    assert sum(refused for *_, refused, _ in records) >= 100
    assert sum(failed for *_, failed in records) >= 400
    for model_type, key, value, refused, failed in records:
        found = refused_config({**base_record(model_type)["config"], "model_type": model_type, key: value})
        right = failed if found else not refused
        assert right or (model_type, found) == ("d_fine", None), (model_type, key, value, found)


REFUSED = [
    ("mamba2", "head_dim"),
    ("granitemoehybrid", "mamba_d_head"),
    ("bamba", "mamba_n_heads"),
    ("llama", "num_attention_heads"),
]


@pytest.mark.parametrize(("model_type", "key"), REFUSED)
def test_a_config_that_is_refused_is_an_error(model_type: str, key: str, tmp_path: Path) -> None:
    record = base_record(model_type)
    config = {**record["config"], "model_type": model_type}
    config[key] += 1
    found = audit(str(write(healthy(spec_of(record), config), tmp_path)))
    assert found.verdict == "findings"
    newest = next(one for one in found.loads if one.version == "5.23")
    assert newest.outcome == "refuses"
    assert key in newest.because


@pytest.mark.parametrize(("name", "key"), [
    ("ControlNetXSAdapter", "num_attention_heads"), ("ControlNetUnionModel", "transformer_layers_per_block"),
    ("UNetMotionModel", "layers_per_block"), ("AudioLDM2UNet2DConditionModel", "transformer_layers_per_block"),
])  # fmt: skip
def test_null_in_a_list_in_place_of_a_number_leaves_the_verdict_open(name: str, key: str, tmp_path: Path) -> None:
    record = next(one for one in diffusers_records(name) if isinstance(one["config"].get(key), list))
    whole = healthy(spec_of(record), record["config"], component_cases.WEIGHTS)
    assert audit(str(write(whole, tmp_path / "whole"))).verdict == "clean"
    config = {**record["config"], key: [None, *record["config"][key][1:]]}
    found = audit(str(write(healthy(spec_of(record), config, component_cases.WEIGHTS), tmp_path / "damaged")))
    assert found.verdict != "clean"
    assert next(one for one in found.loads if one.loader == "diffusers").outcome in ("unknown", "refuses")


def of_peft(record: dict[str, Any], place: Path) -> tuple[Audit, Load | None]:
    """The audit of a damaged adapter with its base, and the load that it predicts for PEFT."""
    folder = write(adapter_cases.folder_of(record), place)
    found = audit(str(folder), base=str(folder / adapter_cases.BASE))
    return found, next((one for one in found.loads if one.loader == "peft"), None)


@pytest.mark.parametrize("every", EACH)
def test_adapters_load_as_recorded(every: int, tmp_path: Path) -> None:
    records = recorded("peft")
    assert len(records) >= 600
    wrong: list[tuple[str, str]] = []
    known = 0
    for number, record in enumerate(records[::every]):
        found, load = of_peft(record, tmp_path / str(number))
        if load is not None and load.outcome == UNKNOWN:
            continue
        known += 1
        if not agrees(load, record):
            wrong.append((record["adapter"], record["name"]))
        assert found.verdict != "clean" or record["outcome"] == COMPLETE, (record["adapter"], record["name"])
    assert len(wrong) <= 0.016 * known + int(every > 1), wrong
    assert known >= (0.9 if every == 1 else 0.8) * len(records[::every])


OF_CONFIGS: list[tuple[str, list[Any], str, str]] = [
    ("mixtral.attention", [["strip", "base_model.model."]], COMPLETE, ""),  # renamed as the base's own tensors are
    ("llama.default", [["strip", "base_model.model."]], "random", "not in the file"),
    ("mixtral.attention", [["config", ["target_modules"], ["q_proj", "w1"], adapter_cases.CONFIG]], "refuses", "w3"),
    (
        "llama.default",
        [["config", ["target_modules"], ["q_proj", "mlp"], adapter_cases.CONFIG]],
        "refuses",
        "layers.0.mlp",
    ),
    ("llama.default", [["config", ["target_modules"], [], adapter_cases.CONFIG]], "refuses", "names no module"),
    ("llama.default", [["config", ["modules_to_save"], 1, adapter_cases.CONFIG]], "refuses", "modules_to_save 1"),
    ("llama.ia3", [["config", ["exclude_modules"], 1, adapter_cases.CONFIG]], "refuses", "exclude_modules 1"),
    ("llama.labels", [["config", ["task_type"], "CAUSAL_LM", adapter_cases.CONFIG]], "refuses", "does not generate"),
    ("llama.prompt", [["unset", ["num_virtual_tokens"], adapter_cases.CONFIG]], "refuses", "num_virtual_tokens"),
    (
        "llama.default",
        [["config", ["init_lora_weights"], "pissa_niter_4", adapter_cases.CONFIG]],
        "random",
        "approximation",
    ),
    ("llama.default", [["config", ["r"], 0, adapter_cases.CONFIG]], "refuses", "LORA does not load with r 0"),
    ("llama.default", [["config", ["lora_alpha"], None, adapter_cases.CONFIG]], "refuses", "lora_alpha null"),
    ("llama.default", [["config", ["lora_dropout"], None, adapter_cases.CONFIG]], "refuses", "lora_dropout null"),
    ("llama.prompt", [["config", ["num_transformer_submodules"], -1, adapter_cases.CONFIG]], "refuses", "-1"),
    ("llama.frod", [["lose", "frod_V", "frod_s_indices", "frod_s_size"]], "refuses", "no projection"),
    ("llama.default", [["config", ["bias"], "all", adapter_cases.CONFIG]], COMPLETE, ""),
    ("llama.default", [["config", ["ensure_weight_tying"], True, adapter_cases.CONFIG]], COMPLETE, ""),
    ("llama.oft", [["config", ["peft_version"], "0.21.2x", adapter_cases.CONFIG]], "refuses", "peft_version"),
    ("llama.default", [["config", ["peft_version"], "0.21.2x", adapter_cases.CONFIG]], COMPLETE, ""),
    ("llama.default", [["config", ["lora_dropout"], 0, adapter_cases.CONFIG]], COMPLETE, ""),
    ("llama.default", [["config", ["megatron_config"], "", adapter_cases.CONFIG]], COMPLETE, ""),  # as null
    ("llama.default", [["config", ["layer_replication"], "", adapter_cases.CONFIG]], COMPLETE, ""),
    (
        "llama.default",
        [["config", ["layers_to_transform"], "", adapter_cases.CONFIG]],
        "refuses",
        "layers_to_transform",
    ),
    ("llama.default", [["config", ["rank_pattern"], {"mlp": 1.5}, adapter_cases.CONFIG]], COMPLETE, ""),
    ("llama.default", [["config", ["rank_pattern"], {"q_proj": 1.5}, adapter_cases.CONFIG]], "refuses", "q_proj"),
    ("llama.default", [["config", ["alpha_pattern"], 0, adapter_cases.CONFIG]], "refuses", "alpha_pattern 0"),
    ("mixtral.all-linear", [["config", ["alpha_pattern"], 0, adapter_cases.CONFIG]], "refuses", "alpha_pattern 0"),
    ("mixtral.all-linear", [["config", ["alpha_pattern"], None, adapter_cases.CONFIG]], COMPLETE, ""),
    ("bert.labels", [["config", ["modules_to_save"], [["classifier"]], adapter_cases.CONFIG]], "refuses", "modules_to"),
    ("mixtral.one-parameter", [["config", ["layers_pattern"], {}, adapter_cases.CONFIG]], COMPLETE, ""),
    ("llama.default", [["config", ["layers_pattern"], "", adapter_cases.CONFIG]], COMPLETE, ""),
    ("llama.default", [["config", ["layers_pattern"], "h", adapter_cases.CONFIG]], "refuses", "without layers"),
    ("llama.hira", [["config", ["rank_pattern"], {"q_proj": -1}, adapter_cases.CONFIG]], COMPLETE, ""),  # unread
    ("llama.delora", [["config", ["rank_pattern"], {"q_proj": None}, adapter_cases.CONFIG]], "refuses", "r null"),
    ("llama.loha", [["config", ["rank_pattern"], {"q_proj": 0}, adapter_cases.CONFIG]], "refuses", "r 0"),
    ("llama.lokr", [["config", ["rank_pattern"], {"q_proj": "4"}, adapter_cases.CONFIG]], "refuses", 'r "4"'),
    ("llama.default", [["config", ["layers_pattern"], None, adapter_cases.CONFIG]], COMPLETE, ""),
    ("llama.default", [["config", ["lora_alpha"], "16", adapter_cases.CONFIG]], "refuses", 'lora_alpha "16"'),
    ("llama.default", [["config", ["lora_alpha"], [16], adapter_cases.CONFIG]], "refuses", "lora_alpha [16]"),
    ("llama.dora", [["config", ["modules_to_save"], [1], adapter_cases.CONFIG]], "refuses", "1 in modules_to_save"),
    ("llama.ia3", [["config", ["target_modules"], ["q_proj", None], adapter_cases.CONFIG]], "refuses", "null in"),
    ("llama.default", [["config", ["exclude_modules"], ["x", 1], adapter_cases.CONFIG]], COMPLETE, ""),
    ("llama.default", [["config", ["rank_pattern"], True, adapter_cases.CONFIG]], "refuses", "rank_pattern true"),
    ("llama.default", [["config", ["use_bdlora"], [1], adapter_cases.CONFIG]], "refuses", "use_bdlora [1]"),
    ("llama.loha", [["config", ["r"], 3.5, adapter_cases.CONFIG]], "refuses", "r 3.5"),
    ("llama.ia3", [["config", ["exclude_modules"], True, adapter_cases.CONFIG]], "refuses", "exclude_modules true"),
    ("llama.default", [["config", ["vocab_size"], False, adapter_cases.BASE]], "refuses", "vocab_size is not"),
    ("t5.prompt", [["config", ["dropout_rate"], [], adapter_cases.BASE]], "refuses", "dropout_rate is not"),
    ("llama.default", [["config", ["lora_dropout"], 2, adapter_cases.CONFIG]], "refuses", "lora_dropout 2"),
    ("llama.default", [["config", ["lora_dropout"], 1.0, adapter_cases.CONFIG]], COMPLETE, ""),
    ("llama.default", [["config", ["init_lora_weights"], "loftq", adapter_cases.CONFIG]], "refuses", "loftq_config"),
    ("llama.embedding", [["config", ["lora_bias"], True, adapter_cases.CONFIG]], "refuses", "embeddings"),
    ("llama.oft", [["unset", ["oft_block_size"], adapter_cases.CONFIG]], "refuses", "oft_block_size"),
    ("llama.ia3", [["config", ["feedforward_modules"], None, adapter_cases.CONFIG]], COMPLETE, ""),
    (
        "llama.default",
        [["config", ["target_modules"], ["q_proj", "act_fn"], adapter_cases.CONFIG]],
        "refuses",
        "mlp.act_fn",
    ),
    (
        "mixtral.parameters",
        [["config", ["lora_dropout"], 0.1, adapter_cases.CONFIG]],
        "refuses",
        "lora_dropout is refused for single parameters",
    ),
    ("mixtral.parameters", [["lose", ""]], "random", "experts"),
    (
        "mixtral.attention",
        [["config", ["target_modules"], ["q_proj", "mlp.experts"], adapter_cases.CONFIG]],
        "refuses",
        "experts",
    ),
    (
        "t5.lily",
        [
            ["config", ["architectures"], ["T5EncoderModel"], adapter_cases.BASE],
            ["config", ["task_type"], "FEATURE_EXTRACTION", adapter_cases.CONFIG],
            ["lose", "decoder."],
        ],
        COMPLETE,
        "",
    ),
    (
        "llama.default",
        [["config", ["trainable_token_indices"], {"wte": [1]}, adapter_cases.CONFIG]],
        "refuses",
        "no such module",
    ),
    (
        "llama.saved",
        [["config", ["trainable_token_indices"], {"embed_tokens": [1]}, adapter_cases.CONFIG]],
        "refuses",
        "in modules_to_save",
    ),
    (
        "bert.bias-all",
        [["config", ["modules_to_save"], ["embeddings"], adapter_cases.CONFIG]],
        "refuses",
        "a module inside of it",
    ),
    ("bert.labels", [["unset", ["modules_to_save"], adapter_cases.CONFIG]], COMPLETE, ""),
    ("llama.supertuning", [], COMPLETE, ""),
    ("llama.tinylora", [["drop", "base_model.tinylora_v.6"]], "random", "tinylora_v.6 is not in the file"),
    *(
        (name, [["lose", part]], COMPLETE, "")  # made again from the base and the seed
        for name, part in (
            ("llama.frod", "frod_s_indices"),
            ("llama.tinylora", "tinylora_P"),
            ("llama.glora", "glora_C.zeros"),
            ("llama.unilora-indices", "unilora_indices_A"),
        )
    ),
    ("llama.supertuning", [["config", ["r"], None, adapter_cases.CONFIG]], "refuses", "lora_alpha without r"),
    ("llama.labels", [["replace", "base_model.model.", "base_model."]], "refuses", "score.weight is missing"),
    ("whisper.convolution", [["config", ["lora_dropout"], 0.1, adapter_cases.CONFIG]], COMPLETE, ""),
    ("qwen3_moe.parameters", [["config", ["alpha_pattern"], None, adapter_cases.CONFIG]], COMPLETE, ""),
    ("llama.default", [["config", ["alpha_pattern"], None, adapter_cases.CONFIG]], "refuses", "alpha_pattern null"),
    ("llama.glora-constant", [["config", ["r"], None, adapter_cases.CONFIG]], COMPLETE, ""),
    ("llama.glora", [["config", ["r"], None, adapter_cases.CONFIG]], "refuses", "r null"),
    *(
        (name, [["replace", "lora_magnitude_vector", "lora_magnitude_vector.weight"]], COMPLETE, "")
        for name in ("llama.dora", "gpt2.dora", "llama.embedding-dora")
    ),
    *(
        (name, [["config", ["modules_to_save"], True, adapter_cases.CONFIG]], "refuses", "modules_to_save true")
        for name in ("vit.boft", "llama.default", "t5.prompt")
    ),
    *(
        (name, [["config", ["init_lora_weights"], "", adapter_cases.CONFIG]], COMPLETE, "")
        for name in ("llama.seven", "gpt2.default", "mixtral.all-linear")
    ),
    *(
        (name, [[*damage, adapter_cases.BASE]], "refuses", "it has no model_type")
        for name in ("llama.ia3", "t5.default", "vit.patches")
        for damage in (["config", ["model_type"], None], ["unset", ["model_type"]])
    ),
    *(
        (name, [["config", [key], value, adapter_cases.CONFIG]], outcome, because)
        for name, key, value, outcome, because in (
            ("llama.dora", "alora_invocation_tokens", [1], "refuses", "use_dora with alora_invocation_tokens"),
            ("vit.patches", "velora_config", {}, "refuses", "use_dora with velora_config"),
            ("llama.embedding", "monteclora_config", {}, "refuses", "no layer of this kind with monteclora_config"),
            ("gpt2.default", "kasa_config", {}, "refuses", "no layer of this kind with kasa_config"),
            ("mixtral.parameters", "kasa_config", {}, "refuses", "kasa_config is refused for single parameters"),
            ("llama.default", "arrow_config", {}, "refuses", "arrow_config"),
            ("llama.default", "use_bdlora", {"nblocks": 2}, "refuses", "use_bdlora names it for neither matrix"),
            ("llama.default", "kasa_config", {}, "random", "6 of its tensors"),
            ("llama.default", "lora_bias", {"a": 1}, "random", "6 of its tensors"),
            ("llama.default", "use_dora", "x", "random", "6 of its tensors"),
            ("llama.default", "use_dora", 0.5, "random", "6 of its tensors"),
            ("llama.default", "lora_bias", "", COMPLETE, ""),
            ("llama.default", "use_dora", {}, COMPLETE, ""),
            ("llama.one-layer", "bias", False, "refuses", "bias false"),
            ("llama.unilora", "init_theta_d_bound", 0.0, "refuses", "init_theta_d_bound 0"),
            ("llama.default", "use_bdlora", False, "refuses", "use_bdlora false"),
            ("llama.embedding", "lora_bias", 1, "refuses", "lora_bias is refused for embeddings"),
            ("llama.default", "monteclora_config", {}, "random", "24 of its tensors"),
            ("llama.default", "alora_invocation_tokens", [1], COMPLETE, ""),
            ("llama.default", "lora_dropout", -1, COMPLETE, ""),  # which is read as none
            ("mixtral.all-linear", "layer_replication", [1], "refuses", "layer_replication: 1 is not"),
            ("llama.default", "layer_replication", [[0, 9]], "refuses", "layers that the base does not have"),
            ("llama.seven", "layer_replication", [[0, 1.0]], "refuses", "layer_replication: [0, 1.0] is not"),
            ("llama.default", "layers_to_transform", [-1], "refuses", "names no module"),
            ("llama.default", "layers_to_transform", [], COMPLETE, ""),
            ("llama.default", "lora_dropout", 1.5, "refuses", "lora_dropout"),
        )
    ),
]


def test_adamss_takes_parameters_of_any_shape(tmp_path: Path) -> None:
    damage = [["config", ["hidden_size"], 96, adapter_cases.BASE]]
    found, load = of_peft({"adapter": "qwen2.adamss", "damage": damage}, tmp_path)
    assert load is not None
    assert (load.outcome, [one.code for one in found.findings if one.severity == "error"]) == (COMPLETE, ["A907"])


OF_BASES: list[tuple[str, list[Any], str, str]] = [
    *(
        (name, [["config", ["model_type"], kind, adapter_cases.BASE]], "refuses", because)
        for name in ("llama.default", "bert.bias-all", "llama.ln-tuning")
        for kind, because in (("", "it has no model_type"), ("no_such_type", "has no model type no_such_type"))
    ),
    *(
        (
            f"{name}.bias-all",
            [["prefix", "module."]],
            "random",
            "of its tensors",
        )  # which are trained biases for the most
        for name in ("bert", "gpt2", "qwen2")
    ),
]


@pytest.mark.thinned
@pytest.mark.parametrize(("name", "damage", "outcome", "because"), [*OF_CONFIGS, *OF_BASES])
def test_what_peft_does_with_a_config(name: str, damage: list[Any], outcome: str, because: str, tmp_path: Path) -> None:
    found, load = of_peft({"adapter": name, "damage": damage}, tmp_path)
    assert load is not None
    assert (load.outcome, because in load.because) == (outcome, True), load
    assert (found.verdict == "clean") is (outcome == COMPLETE), [one.code for one in found.findings]


C, PREFIX = adapter_cases.CONFIG, adapter_cases.PREFIX
FIRST = f"{PREFIX}model.layers.0.self_attn.q_proj.lora_A.weight"
FAILURES: list[tuple[str, list[Any], list[str]]] = [
    ("llama.default", [["config", ["r"], 8, C]], ["A903"]),
    ("llama.saved", [["config", ["vocab_size"], 111, adapter_cases.BASE]], ["A913"]),
    ("llama.saved", [["lose", "lm_head"]], ["A905"]),
    ("llama.default", [["lose", "lora_B"]], ["A902"]),
    ("llama.adaption", [["lose", "layers.1.self_attn.adaption_gate"]], ["A943"]),
    ("gpt2.adaption", [["lose", "adaption_gate"]], ["A943"]),
    ("llama.default", [["lose", ""]], ["A915"]),
    ("llama.default", [["replace", PREFIX, PREFIX + PREFIX]], ["A919"]),
    ("llama.default", [["replace", PREFIX, f"{PREFIX}_orig_mod."]], ["A919"]),
    ("llama.default", [["lose", "layers.2."]], ["A905"]),
    ("bert.labels", [["config", ["num_labels"], 3, adapter_cases.BASE]], ["A904"]),
    ("llama.prompt", [["config", ["num_virtual_tokens"], 9, C]], ["A942"]),
    ("llama.lokr", [["config", ["decompose_factor"], 4, C]], ["A942"]),
    ("llama.lokr-factor", [["config", ["decompose_factor"], -1, C]], ["A942"]),
    ("llama.oft", [["config", ["oft_block_size"], 8, C]], ["A942"]),
    ("llama.lokr", [["config", ["hidden_size"], 80, adapter_cases.BASE]], ["A907"]),
    ("llama.default", [["config", ["peft_type"], "IA3", C]], ["A942"]),
    ("llama.all-linear", [["config", ["target_modules"], ["q_proj"], C]], ["A906"]),
    ("llama.dora", [["config", ["use_dora"], False, C]], ["A906"]),
    ("llama.tinylora-tied", [["config", ["layers_to_transform"], True, C]], ["A906"]),
    ("llama.default", [["config", ["layers_to_transform"], [0, 1.0], C]], ["A906"]),
    ("llama.default", [["config", ["enable_lora"], [True, False], C]], []),
    ("llama.default", [["replace", ".lora_A.", ".lora_As."]], ["A919"]),
    ("llama.default", [["rename", FIRST, f"{FIRST}_"]], ["A919"]),
    ("llama.default", [["rename", FIRST, f"x{FIRST}"]], ["A919"]),
    ("llama.default", [["number", "layers.", 1]], ["A919"]),
    ("llama.hra", [["replace", ".q_proj.", ".Q_proj."]], ["A919"]),
    ("llama.labels", [["replace", "score.", "score.modules_to_save.default."]], ["A919"]),
    ("bert.labels", [["replace", "classifier.", "classifier.modules_to_save.default."]], ["A919"]),
    ("llama.saved", [["replace", "lm_head.", "lm_head.modules_to_save."]], ["A919"]),
    ("gpt2.default", [["strip", "base_"]], ["A919"]),
    ("llama.default", [["add", f"{PREFIX}model.norm.weight", "F32", [48]]], []),
    ("qwen2.bias-all", [["lose", ".bias"]], ["A932"]),
    ("qwen2.bias-all", [["lose", "layers.1.self_attn.q_proj.base_layer.bias"]], ["A935"]),
    ("t5.prefix", [["config", ["d_kv"], 8, adapter_cases.BASE]], []),
    ("t5.prefix", [["config", ["d_kv"], 8, adapter_cases.BASE], ["config", ["num_attention_heads"], 5, C]], ["A933"]),
    ("llama.prefix", [["config", ["num_attention_heads"], 4, C]], ["A934"]),
]
"""Adapter, damage, and the codes of errors and warnings."""
LOADED = {"A906", "A943", "A932", "A933", "A934", "A935"}
"""Findings on adapters that PEFT loads completely."""


@pytest.mark.thinned
@pytest.mark.parametrize(("name", "damage", "codes"), FAILURES)
def test_a_failure_of_an_adapter_is_reported(name: str, damage: list[Any], codes: list[str], tmp_path: Path) -> None:
    found, load = of_peft({"adapter": name, "damage": damage}, tmp_path)
    assert [one.code for one in found.findings if one.severity != "note"] == codes
    assert load is not None
    assert (load.outcome == COMPLETE) is LOADED.issuperset(codes)
    dora = next((step for one in found.findings for step in one.steps if step.key == ("use_dora",)), None)
    assert (dora is not None and dora.new is True) is (name == "llama.dora")


@pytest.mark.parametrize(("name", "key", "value", "said"), [
    ("llama.default", "r", "8", 'set "r": 8 in adapter_config.json'),
    ("llama.default", "r", -4, 'set "r": 4 in adapter_config.json'),
    ("llama.default", "bias", "lora", 'set "bias" in adapter_config.json as it was in training; by default it is "n'),
    ("llama.rank-pattern", "rank_pattern", [1], 'set "rank_pattern" in adapter_config.json as it was in training;'),
    ("llama.default", "task_type", "X", 'set "task_type" in adapter_config.json as it was in training;'),
    ("llama.default", "layers_pattern", "h", 'set "layers_pattern" in adapter_config.json as it was in training;'),
    ("llama.default", "trainable_token_indices", "", 'set "trainable_token_indices" in adapter_config.json'),
    ("llama.default", "trainable_token_indices", "abc", 'set "trainable_token_indices" in adapter_config.json'),
    ("gpt2.default", "lora_dropout", 1.5, 'set "lora_dropout" in adapter_config.json as it was in training;'),
    ("llama.lokr", "r", None, 'set "r" in adapter_config.json as it was in training; by default it is 8'),
])  # fmt: skip
def test_the_key_that_peft_refuses_is_named(name: str, key: str, value: Any, said: str, tmp_path: Path) -> None:
    found, load = of_peft({"adapter": name, "damage": [["config", [key], value, C]]}, tmp_path)
    assert load is not None and (load.outcome, load.keys) == ("refuses", (key,)), load
    (finding,) = (one for one in found.findings if one.severity != "note")
    assert finding.code == "N429" and finding.help.startswith(said), finding.help


@pytest.mark.parametrize(("value", "outcome"), [({}, COMPLETE), (None, COMPLETE), (0, "refuses"), (True, "refuses")])
def test_rows_of_a_table_that_are_not_stored(value: Any, outcome: str, tmp_path: Path) -> None:
    damage = [["config", ["trainable_token_indices"], value, C]]
    found, load = of_peft({"adapter": "llama.rank-pattern", "damage": damage}, tmp_path)
    assert load is not None and load.outcome == outcome
    assert {one.code for one in found.findings if one.severity == "error"} == (
        set() if outcome == COMPLETE else {"A905"}
    )


def test_transposed_matrices_of_an_adapter_are_one_finding(tmp_path: Path) -> None:
    spec = adapter_spec("llama.default")
    turned = [["shape", name, list(shape[::-1])] for name, (_, shape) in spec.items()]
    found, load = of_peft({"adapter": "llama.default", "damage": turned}, tmp_path)
    assert [one.code for one in found.findings if one.severity != "note"] == ["A930"]
    assert load is not None and load.outcome == "refuses"


def test_an_adapter_alone_leaves_open_what_peft_does(tmp_path: Path) -> None:
    record = next(one for one in recorded("peft") if one["name"] == "healthy")
    folder = write(adapter_cases.folder_of(record), tmp_path)
    (load,) = audit(str(folder)).loads
    assert (load.loader, load.outcome, load.intended) == ("peft", UNKNOWN, True)


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_pipelines_that_do_not_load_are_reported(every: int, tmp_path: Path) -> None:
    records = [one for one in recorded("diffusers") if one["class"] in component_cases.PIPELINES]
    assert {one["class"] for one in records} == component_cases.PIPELINES.keys()
    for number, record in enumerate(records[::every]):
        found = audit(str(write(component_cases.folder_of(record), tmp_path / str(number))))
        if record["outcome"] == COMPLETE:
            assert found.verdict == "clean" or record["name"] == "added", (record["class"], record["name"])
        elif record["name"] not in ACCEPTED:
            assert found.verdict in ("findings", "unreadable"), (record["class"], record["name"])


@pytest.mark.parametrize("model_type", ["granitemoehybrid", "qwen3_next"])
def test_older_names_of_layer_types_are_renamed(model_type: str) -> None:
    """As in the published configs of Granite 4."""
    config = {**base_record(model_type, "ForCausalLM")["config"], "model_type": model_type}
    number = config["num_hidden_layers"]
    config["layer_types"] = (["mamba", "attention"] * number)[:number]
    refused = refused_config(config)
    assert refused is None or "layer type" not in refused.because
    config["layer_types"] = ["mamba", *["recurrent"] * (number - 1)]
    refused = refused_config(config)
    assert refused is not None and "layer type" in refused.because
