"""Models whose code was changed while their config was not: other attention, other norms, longer tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.findings.totals import BuffersStored
from tests.judged import base_record, spec_of
from tests.loads.damage import CONFIG
from tests.loads.test_other_causes import Damages, of_record

LED = {"attention_window": [4, 4, 4], "max_encoder_position_embeddings": 71, "max_decoder_position_embeddings": 73}


def of_bart(positions: int = 2) -> Damages:
    one = spec_of(base_record("led", "ConditionalGeneration"))
    tables = [name for name in one if "embed_positions" in name]
    longer = [["shape", name, [one[name][1][0] + positions, one[name][1][1]]] for name in tables]
    return [*longer, ["replace", "led.", "model."]]


def found_in(audited: Audit) -> list[Any]:
    return [one for one in audited.findings if one.severity != "note"]


@pytest.mark.parametrize(("like", "suffix", "model_type", "class_name", "damages", "changed", "severity", "words"), [
    ("led", "ConditionalGeneration", "bart", "BartForConditionalGeneration", of_bart(), LED, "error",
     'set "model_type": "led", "architectures": ["LEDForConditionalGeneration"] in config.json and rename model. to '
     "led. in all names; cut the first 2 rows off"),
    ("longformer", "MaskedLM", "roberta", "RobertaForMaskedLM", [["replace", "longformer.", "roberta."]],
     {"attention_window": [4, 4, 4]}, "warning", "rename roberta. to longformer. in all names"),
    ("longformer", "SequenceClassification", "roberta", "RobertaForSequenceClassification",
     [["replace", "longformer.", "roberta."]], {}, "warning", 'and "attention_window" as it was trained in'),
])  # fmt: skip
def test_the_attention_of_longformer(
    like: str, suffix: str, model_type: str, class_name: str, damages: Damages, changed: dict[str, Any],
    severity: str, words: str, tmp_path: Path,
) -> None:  # fmt: skip
    stated = {**changed, "model_type": model_type, "architectures": [class_name]}
    unset = [["unset", [key]] for key in LED if key not in changed]
    config = [["config", [key], value] for key, value in stated.items()]
    (found,) = found_in(of_record(like, suffix, tmp_path / "wrong", [*damages, *unset, *config]))
    assert (found.code, found.severity) == ("N710", severity)
    assert words in found.help
    assert of_record(like, suffix, tmp_path / "right", []).verdict == "clean"


def test_the_attention_of_longformer_in_another_model(tmp_path: Path) -> None:
    extra = ["add", "bert.encoder.layer.0.attention.self.query_global.weight", "F32", [48, 48]]
    (found,) = found_in(of_record("bert", "MaskedLM", tmp_path, [extra]))
    assert found.code == "N710"
    assert "load it with the code that replaced the attention" in found.help


FINAL_NORMS = [
    ["add", f"model.{side}.layer_norm.{part}", "F32", [48]]
    for side in ("encoder", "decoder")
    for part in ("weight", "bias")
]


@pytest.mark.parametrize(("suffix", "damages", "changed", "words"), [
    ("ConditionalGeneration", FINAL_NORMS, {}, "led has no model.decoder.layer_norm.bias"),
    ("ConditionalGeneration", [], {"scale_embedding": True}, 'led does not implement "scale_embedding": true'),
    ("ConditionalGeneration", [], {"normalize_before": True}, 'led does not implement "normalize_before": true'),
    ("ConditionalGeneration", [], {"normalize_embedding": False}, '"normalize_embedding": false'),
    ("CausalLM", [], {}, "no class of led for BartForCausalLM"),
])  # fmt: skip
def test_layers_that_led_does_not_have(
    suffix: str, damages: Damages, changed: dict[str, Any], words: str, tmp_path: Path
) -> None:
    """As in a model made from mBART, whose norms are ahead of the attention: as LED it would load and be wrong."""
    stated = {**LED, **changed, "model_type": "bart", "architectures": [f"BartFor{suffix}"]}
    config = [["config", [key], value] for key, value in stated.items()]
    audited = of_record("led", "ConditionalGeneration", tmp_path, [*of_bart(), *damages, *config])
    found = next(one for one in audited.findings if one.code == "N710")
    assert words in " ".join(text for _, text in found.rows())
    assert "load it with the code that replaced the attention" in found.help
    assert not any("layer_norm" in one.headline() for one in audited.findings)


@pytest.mark.parametrize(("suffix", "changed", "words"), [
    ("MaskedLM", {"is_decoder": True}, 'longformer does not implement "is_decoder": true'),
    ("MaskedLM", {"position_embedding_type": "relative_key"}, '"position_embedding_type": "relative_key"'),
    ("CausalLM", {}, "no class of longformer for RobertaForCausalLM"),
])  # fmt: skip
def test_layers_that_longformer_does_not_have(suffix: str, changed: dict[str, Any], words: str, tmp_path: Path) -> None:
    stated = {
        "attention_window": [4, 4, 4],
        **changed,
        "model_type": "roberta",
        "architectures": [f"RobertaFor{suffix}"],
    }
    config = [["config", [key], value] for key, value in stated.items()]
    audited = of_record("longformer", "MaskedLM", tmp_path, [["replace", "longformer.", "roberta."], *config])
    found = next(one for one in audited.findings if one.code == "N710")
    assert words in " ".join(text for _, text in found.rows())
    assert "load it with the code that replaced the attention" in found.help


def test_the_attention_of_longformer_in_mbart(tmp_path: Path) -> None:
    stated = {**LED, "model_type": "mbart", "architectures": ["MBartForConditionalGeneration"]}
    config = [["config", [key], value] for key, value in stated.items()]
    audited = of_record("led", "ConditionalGeneration", tmp_path, [*of_bart(), *FINAL_NORMS, *config])
    found = next(one for one in audited.findings if one.code == "N710")
    assert "2 rows more than the config states" in found.message
    assert "load it with the code that replaced the attention" in found.help


def mamba(**changed: Any) -> dict[str, Any]:
    """The config of the record in the words of mamba_ssm."""
    return {"d_model": 48, "n_layer": 3, "vocab_size": 107, "ssm_cfg": {"d_state": 14, "dt_rank": 7}, "rms_norm": True,
            "pad_vocab_size_multiple": 107, "tie_embeddings": False, **changed}  # fmt: skip


BIASES = [["add", f"backbone.layers.{layer}.norm.bias", "F32", [48]] for layer in range(3)]
FINAL = ["add", "backbone.norm_f.bias", "F32", [48]]
PROJECTIONS = [["add", f"backbone.layers.{layer}.mixer.x_proj.bias", "F32", [40]] for layer in range(3)]


@pytest.mark.parametrize(("config", "damages", "words"), [
    (mamba(), [*BIASES, FINAL], 'set "rms_norm": false in config.json'),
    (mamba(rms_norm=False), [*BIASES, FINAL], "has no place for these biases"),
    (mamba(), [*BIASES, *PROJECTIONS], "has no place for these biases"),
])  # fmt: skip
def test_norms_with_biases(config: dict[str, Any], damages: Damages, words: str, tmp_path: Path) -> None:
    audited = of_record("mamba", "CausalLM", tmp_path, [["text", CONFIG, config], *damages])
    found = {one.code: one.help for one in audited.findings}
    assert words in found["N540"]
    assert ("load it with mamba_ssm, which needs no model type" in found["C314"]) is (PROJECTIONS[0] not in damages)


@pytest.mark.parametrize(("model_type", "name"), [
    ("bert", "bert.embeddings.position_ids"), ("clip_text_model", "embeddings.position_ids"),
])  # fmt: skip
@pytest.mark.parametrize("numbers", [70, 64])
def test_position_ids_of_the_table_before(model_type: str, name: str, numbers: int, tmp_path: Path) -> None:
    suffix = "MaskedLM" if model_type == "bert" else "Model"
    audited = of_record(model_type, suffix, tmp_path, [["add", name, "I64", [1, numbers]]])
    (found,) = (one for one in audited.findings if one.code == "P704")
    assert isinstance(found, BuffersStored)
    assert (found.stale is not None) is (numbers == 64)
