"""Files beside the modules of a sentence encoder, their names, and the class that a stated task needs.

What sentence-transformers 6.2 does with each of these folders was measured.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.checkpoints import genuine, write
from tests.judged import base_record, codes, spec_of
from tests.test_sentence_modules import ENCODER, POOLING, Module, audited, dense, folder

TABLE: Module = ("StaticEmbedding", {}, {"embedding.weight": (3, 24)})
TOKENS = {"model": {"vocab": {"a": 0, "b": 1, "c": 2}}}


def listed(place: Path, number: int, **changed: str) -> Path:
    """The folder with other values in an entry of its modules.json."""
    entries = json.loads((place / "modules.json").read_text(encoding="utf-8"))
    entries[number] |= changed
    (place / "modules.json").write_text(json.dumps(entries), encoding="utf-8")
    return place


@pytest.mark.parametrize(("name", "text", "wanted"), [
    ("config_sentence_transformers.json", "{}", set()), ("config_sentence_transformers.json", '{"a": 1,}', {"R006"}),
    ("sentence_bert_config.json", '{"max_seq_length": 64}', set()), ("sentence_bert_config.json", "{", {"R006"}),
])  # fmt: skip
def test_configs_of_the_encoder_are_json(name: str, text: str, wanted: set[str], tmp_path: Path) -> None:
    place = folder(tmp_path, [POOLING])
    (place / name).write_text(text, encoding="utf-8")
    assert codes(audited(place)) == wanted


@pytest.mark.parametrize(("type_name", "files", "wanted"), [
    ("custom_st.Transformer", (), {"C319"}), ("custom_st.Transformer", ("custom_st.py",), set()),
    ("package.modules.Transformer", (), set()), ("owner/repo--custom_st.Transformer", (), set()),
    ("__main__.Transformer", (), {"N434"}), ("sentence_transformers.Transformer", (), set()),
])  # fmt: skip
def test_the_code_of_a_module_is_in_the_folder(
    type_name: str, files: tuple[str, ...], wanted: set[str], tmp_path: Path
) -> None:
    place = listed(folder(tmp_path, [POOLING]), 0, type=type_name)
    for name in files:
        (place / name).write_text("", encoding="utf-8")
    assert codes(audited(place)) == wanted


@pytest.mark.parametrize(("stored", "renames"), [
    ({"weight": (12, 24), "bias": (12,)}, [["weight", "linear.weight"], ["bias", "linear.bias"]]),
    ({"dense.weight": (12, 24), "dense.bias": (12,)},
     [["dense.weight", "linear.weight"], ["dense.bias", "linear.bias"]]),
    ({"weight": (12, 24)}, []), ({"weight": (24, 12), "bias": (12,)}, []),
    ({"weight": (12, 24), "bias": (12,), "scale": (12,)}, []),
])  # fmt: skip
def test_tensors_of_a_module_under_other_names(
    stored: dict[str, tuple[int, ...]], renames: list[list[str]], tmp_path: Path
) -> None:
    kind, config, _ = dense(24, 12)
    (finding,) = audited(folder(tmp_path, [POOLING, (kind, config, stored)])).findings
    assert (finding.code, finding.facts["renames"]) == ("N434", renames)
    assert finding.help.startswith("rename " if renames else "fetch ")


@pytest.mark.parametrize(("name", "tokenizer", "said"), [
    ("embedding.weight", True, ""), ("embedding.weight", False, "it has no tokenizer.json"),
    ("weight", True, "embedding.weight is missing"),
])  # fmt: skip
def test_a_table_of_embeddings_with_its_tokenizer(name: str, tokenizer: bool, said: str, tmp_path: Path) -> None:
    kind, config, _ = TABLE
    place = folder(tmp_path, [(kind, config, {name: (3, 24)})])
    if tokenizer:
        (place / "1_StaticEmbedding" / "tokenizer.json").write_text(json.dumps(TOKENS), encoding="utf-8")
    found = [one for one in audited(place).findings if one.severity != "note"]
    assert [one.facts["problem"] for one in found] == ([said] if said else [])
    assert not found or found[0].help == ("fetch 1_StaticEmbedding again" if name != "weight" else
                                          "rename weight to embedding.weight in 1_StaticEmbedding")  # fmt: skip


def test_a_model_beside_the_folder_that_is_listed(tmp_path: Path) -> None:
    place = listed(folder(tmp_path, [POOLING]), 0, path="0_Transformer")
    (finding,) = audited(place).findings
    assert (finding.code, finding.help) == ("N434", 'set "path": "" in place of "0_Transformer" in modules.json')
    assert codes(audited(listed(place, 0, path=""))) == set()


def test_a_model_in_the_folder_of_earlier_versions_that_is_not_listed(tmp_path: Path) -> None:
    place = folder(tmp_path, [POOLING])
    (place / "0_Transformer").mkdir()
    for name in ("config.json", "model.safetensors"):
        (place / name).rename(place / "0_Transformer" / name)
    (finding,) = audited(place).findings
    assert (finding.code, finding.help) == ("N434", 'set "path": "0_Transformer" in place of "" in modules.json')
    assert {one.outcome for one in audited(place).loads} == {"refuses"}
    assert codes(audited(listed(place, 0, path="0_Transformer"))) == set()


BASES = {
    "bert": ("BertModel", "MaskedLM", 6), "distilbert": ("BertModel", "MaskedLM", 5),
    "roberta": ("RobertaModel", "SequenceClassification", 4),
}  # fmt: skip
"""Model type -> (end of the name of its base class, class of the task, tensors that the base class lacks)."""


@pytest.mark.parametrize("model_type", BASES)
@pytest.mark.parametrize("below", ["", "0_Transformer"])
def test_a_model_without_the_head_of_its_task(below: str, model_type: str, tmp_path: Path) -> None:
    base, ending, missing = BASES[model_type]
    task = {"MaskedLM": "fill-mask", "SequenceClassification": "sequence-classification"}[ending]
    for suffix, wanted in ((base, {"N665"}), (f"For{ending}", set())):
        record = base_record(model_type, suffix)
        config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
        place = of_task(tmp_path / suffix, below, spec_of(record), config, task)
        found = audited(place)
        assert codes(found) == wanted
        load = next(one for one in found.loads if one.loader == "sentence-transformers")
        assert (load.outcome, load.missing) == (("random", missing) if wanted else ("complete", 0))


def of_task(place: Path, below: str, spec: Any, config: dict[str, Any], task: str) -> Path:
    """A model of sentence-transformers for a task. below: the folder of its model."""
    write(place / below, spec, config)
    (place / below / "tokenizer.json").write_text("{}", encoding="utf-8")
    stated = json.dumps({"transformer_task": task})
    (place / below / "sentence_bert_config.json").write_text(stated, encoding="utf-8")
    entry = {"idx": 0, "name": "0", "path": below, "type": "sentence_transformers.models.Transformer"}
    (place / "modules.json").write_text(json.dumps([entry]), encoding="utf-8")
    return place


def test_an_encoder_below_with_a_broken_module_is_refused(tmp_path: Path) -> None:
    place = folder(tmp_path, [POOLING, dense(24, 12)], "0_Transformer")
    write(place / "0_Transformer", genuine(ENCODER), ENCODER)
    (place / "2_Dense" / "model.safetensors").unlink()
    found = audited(place)
    outcomes = {one.loader: one.outcome for one in found.loads}
    assert (codes(found), outcomes["sentence-transformers"]) == ({"N434"}, "refuses")


@pytest.mark.parametrize(("lost", "kind", "wanted"), [
    (True, "Transformer", {"R060"}), (False, "Transformer", set()), (True, "CLIPModel", set()),
])  # fmt: skip
@pytest.mark.parametrize("model_type", ["bert", "mpnet", "qwen2"])
def test_a_model_of_texts_has_its_tokenizer(
    model_type: str, lost: bool, kind: str, wanted: set[str], tmp_path: Path
) -> None:
    record = base_record(model_type, {"bert": "BertModel", "mpnet": "MPNetModel", "qwen2": "Qwen2Model"}[model_type])
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    place = listed(of_task(tmp_path, "", spec_of(record), config, "feature-extraction"), 0,
                   type=f"sentence_transformers.models.{kind}")  # fmt: skip
    if lost:
        (place / "tokenizer.json").unlink()
    found = audited(place)
    assert codes(found) == wanted
    assert not wanted or found.findings[0].message.startswith("no tokenizer beside modules.json")


@pytest.mark.parametrize(("number", "keys", "found"), [
    (0, {"max_seq_length": 128, "do_lower_case": True, "model_args": {}, "backend": "torch"}, {}),
    (0, {"module_input_name": "x"}, {"N434": 'remove "module_input_name" from sentence_bert_config.json'}),
    (1, {"include_prompt": True, "pooling_mode_cls_token": False}, {}),
    (1, {"normalize": True}, {"N434": 'remove "normalize" from 1_Pooling/config.json'}),
    (1, {"pooling_mode": "average"}, {"N434": "correct 1_Pooling/config.json"}),
    (1, {"pooling_mode": ["cls", "max"]}, {"N434": "train it with 48"}),
    (2, {"activation_function": "torch.nn.modules.activation.GELU", "of_another": 1}, {}),
    (2, {"activation_function": "torch.nn.modules.linear.Identity"}, {}),
    (2, {"activation_function": "torch.nn.modules.activation.Gelu"}, {"N434": "correct 2_Dense/config.json"}),
    (2, {"activation_function": "torch.nn.functional.gelu"}, {"N434": "correct 2_Dense/config.json"}),
    (2, {"activation_function": None}, {"N434": "correct 2_Dense/config.json"}),
    (2, {"activation_function": "transformers.activations.GELUActivation"}, {"N667": "trust_remote_code=True"}),
])  # fmt: skip
def test_the_settings_that_a_module_takes(
    number: int, keys: dict[str, Any], found: dict[str, str], tmp_path: Path
) -> None:
    """Each measured with sentence-transformers 6.2."""
    place = folder(tmp_path / "encoder", [POOLING, dense(24, 12)])
    file = place / ("sentence_bert_config.json", "1_Pooling/config.json", "2_Dense/config.json")[number]
    old = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    file.write_text(json.dumps({**old, **keys}), encoding="utf-8")
    told = {one.code: one.help for one in audited(place).findings if one.severity != "note"}
    assert told.keys() == found.keys()
    assert all(words in told[code] for code, words in found.items())
