"""Modules of sentence encoders as sentence-transformers 6 saves them: complete ones are clean, damage is reported."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.checkpoints import genuine, write
from tests.comparing.pair_audits import torch_file
from tests.judged import base_record, codes, judged, spec_of

ENCODER = {
    "model_type": "bert", "architectures": ["BertModel"], "vocab_size": 100, "hidden_size": 24, "num_hidden_layers": 2,
    "num_attention_heads": 4, "intermediate_size": 40, "max_position_embeddings": 30,
}  # fmt: skip
CLIP = {"model_type": "clip", "architectures": ["CLIPModel"]}
Module = tuple[str, dict[str, Any], dict[str, tuple[int, ...]]]
POOLING: Module = ("Pooling", {"embedding_dimension": 24, "pooling_mode": "mean", "include_prompt": True}, {})
NORMALIZE: Module = ("Normalize", {}, {})
WIDE: Module = ("Pooling", {"embedding_dimension": 32, "pooling_mode": "mean"}, {})
LSTM: Module = (
    "LSTM", {"embedding_dimension": 24, "hidden_dim": 16, "num_layers": 2, "dropout": 0, "bidirectional": True},
    {f"encoder.{part}_l{layer}{side}": shape
     for layer in (0, 1) for side in ("", "_reverse")
     for part, shape in (("weight_ih", (64, 32 if layer else 24)), ("weight_hh", (64, 16)), ("bias_ih", (64,)),
                         ("bias_hh", (64,)))},
)  # fmt: skip
CNN: Module = (
    "CNN", {"in_embedding_dimension": 24, "out_channels": 16, "kernel_sizes": [1, 3], "stride_sizes": [1, 1]},
    {"convs.0.weight": (16, 24, 1), "convs.0.bias": (16,), "convs.1.weight": (16, 24, 3), "convs.1.bias": (16,)},
)  # fmt: skip


def dense(inputs: int, outputs: int, **more: Any) -> Module:
    """A dense layer."""
    stored = {"linear.weight": (outputs, inputs)} | ({"linear.bias": (outputs,)} if more.get("bias", True) else {})
    residual = {"residual.weight": (outputs, inputs)} if more.get("use_residual") else {}
    return "Dense", {"in_features": inputs, "out_features": outputs, "bias": True, **more}, {**stored, **residual}


FOLDERS: dict[str, list[Module]] = {
    "pooling": [POOLING],
    "normalized": [POOLING, NORMALIZE],
    "dense": [POOLING, dense(24, 12)],
    "dense without bias": [POOLING, dense(24, 12, bias=False), NORMALIZE],
    "dense with residual": [POOLING, dense(24, 12, use_residual=True)],
    "two dense": [POOLING, dense(24, 48, bias=False), dense(48, 24, bias=False), NORMALIZE],
    "dense of tokens": [dense(24, 8, module_input_name="token_embeddings", bias=False)],
    "two modes": [("Pooling", {"word_embedding_dimension": 24, "pooling_mode_cls_token": True,
                               "pooling_mode_max_tokens": True}, {}), dense(48, 12)],
    "norm": [POOLING, ("LayerNorm", {"dimension": 24}, {"norm.weight": (24,), "norm.bias": (24,)})],
    "dropout": [POOLING, ("Dropout", {"dropout": 0.1}, {})],
    "lstm": [LSTM, ("Pooling", {"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True}, {})],
    "cnn": [CNN, ("Pooling", {"embedding_dimension": 32, "pooling_mode": "max"}, {}), dense(32, 8)],
    "layers": [("WeightedLayerPooling", {"embedding_dimension": 24, "layer_start": 1, "num_hidden_layers": 2},
                {"layer_weights": (2,)}), POOLING],
    "sparse": [POOLING, ("SparseAutoEncoder", {"input_dim": 24, "hidden_dim": 48, "k": 4},
                         {"pre_bias": (24,), "decoder.linear.weight": (48, 24), "latent_bias": (48,),
                          "stats_last_nonzero": (48,)})],
}  # fmt: skip
"""Modules after the model: kind, config, tensors."""
CONFIGS = {"LSTM": "lstm_config.json", "CNN": "cnn_config.json", "WordEmbeddings": "wordembedding_config.json"}
TABLE_CONFIG = {"tokenizer_class": "sentence_transformers.models.tokenizer.WhitespaceTokenizer"}


def folder(place: Path, modules: list[Module], below: str = "", model: Mapping[str, Any] = ENCODER) -> Path:
    """Write a sentence encoder. below: the folder of its model."""
    write(place / below, genuine(dict(model)), dict(model))
    (place / below / "tokenizer.json").write_text("{}", encoding="utf-8")
    kind = "CLIPModel" if model is CLIP else "Transformer"
    if model is CLIP:
        (place / below / "preprocessor_config.json").write_text(
            '{"image_processor_type": "CLIPImageProcessor"}', encoding="utf-8"
        )
    listed = [{"idx": 0, "name": "0", "path": below, "type": f"sentence_transformers.models.{kind}"}]
    for number, (kind, config, stored) in enumerate(modules, 1):
        path = place / f"{number}_{kind}"
        path.mkdir()
        listed.append({"idx": number, "name": str(number), "path": path.name, "type": f"sentence_transformers.{kind}"})
        if stored:
            write(path, {name: ("F32", shape) for name, shape in stored.items()}, None)
        (path / CONFIGS.get(kind, "config.json")).write_text(json.dumps(config), encoding="utf-8")
    (place / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
    return place


def audited(place: Path) -> Audit:
    """The audit of a folder."""
    return audit(str(place))


@pytest.mark.thinned
@pytest.mark.parametrize("below", ["", "0_Transformer"])
@pytest.mark.parametrize("name", FOLDERS)
def test_a_complete_encoder_is_clean(name: str, below: str, tmp_path: Path) -> None:
    found = audited(folder(tmp_path / "encoder", FOLDERS[name], below))
    assert (found.verdict, codes(found)) == ("clean", set()), found.findings


@pytest.mark.parametrize(("files", "wanted"), [
    ({}, set()), ({"config_sentence_transformers.json": {}}, {"N641"}), ({"sentence_bert_config.json": {}}, set()),
    ({"sentence_bert_config.json": {}, "1_Pooling/config.json": {}}, {"N641"}), ({"1_Pooling/config.json": {}}, set()),
    ({"config_sentence_transformers.json": {}, "modules.json": []}, set()),
])  # fmt: skip
def test_a_lost_list_of_modules_is_reported(files: dict[str, Any], wanted: set[str], tmp_path: Path) -> None:
    write(tmp_path, genuine(ENCODER), ENCODER)
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    found = audited(tmp_path)
    assert codes(found) == wanted
    (load,) = judged_for(found, "sentence-transformers").loads
    assert load.outcome == "complete"


@pytest.mark.parametrize(("files", "wanted"), [
    ((), set()), (("config_setfit.json",), {"N642"}), (("config_setfit.json", "model_head.pkl"), set()),
    (("model_head.pkl",), set()),
])  # fmt: skip
def test_a_lost_head_of_setfit_is_reported(files: tuple[str, ...], wanted: set[str], tmp_path: Path) -> None:
    place = folder(tmp_path / "encoder", [POOLING, NORMALIZE])
    for name in files:
        (place / name).write_text("{}", encoding="utf-8")
    assert codes(audited(place)) == wanted


@pytest.mark.parametrize(("kept", "modules", "found"), [
    (b"\x8c\x0en_features_in_\x94K\x18", [POOLING], False), (b"\x8c\x0en_features_in_\x94K\x20", [POOLING], True),
    (b"\x8c\x0en_features_in_\x94K\x0c", [POOLING, dense(24, 12)], False),
    (b"\x8c\x0en_features_in_\x94M\x80\x01", [POOLING, NORMALIZE], True),
    (b"\x8c\x0bin_features\x94K\x20", [POOLING], True),
    (b"\x8c\x0en_features_in_\x94K\x20...\x8c\x0en_features_in_\x94K\x18", [POOLING], False),  # a pipeline of two
    (b"", [POOLING], False),
])  # fmt: skip
def test_a_head_of_setfit_of_another_width(kept: bytes, modules: list[Module], found: bool, tmp_path: Path) -> None:
    """The words and numbers as joblib writes them for a LogisticRegression and for a module of torch."""
    place = folder(tmp_path / "encoder", modules)
    (place / "model_head.pkl").write_bytes(b"\x80\x04\x95" + kept + b".")
    assert codes(audited(place)) == ({"N652"} if found else set())
    (place / "config_sentence_transformers.json").write_text('{"truncate_dim": 4}', encoding="utf-8")
    one_width = bool(kept) and b"..." not in kept
    assert ("N652" in codes(audited(place))) is one_width


SCORERS = {
    "roberta": ("RobertaForSequenceClassification", 4),
    "bert": ("BertForSequenceClassification", 4),
    "t5": ("T5ForSequenceClassification", 58),  # without a decoder
}
"""Type -> the class that CrossEncoder builds and the number of tensors of its head."""


@pytest.mark.parametrize(("model_type", "suffix", "lost"), [
    ("roberta", "ForCausalLM", ""), ("roberta", "ForCausalLM", "lm_head."), ("bert", "ForMaskedLM", "cls."),
    ("t5", "ForConditionalGeneration", "decoder."),
])  # fmt: skip
def test_a_folder_of_transformers_gets_a_pooling(model_type: str, suffix: str, lost: str, tmp_path: Path) -> None:
    """sentence-transformers 6.2 builds the base class and a pooling by default; a missing head is none of its parts."""
    record = base_record(model_type, suffix)
    kept = {name: one for name, one in spec_of(record).items() if not (lost and name.startswith(lost))}
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    found = judged_for(audited(write(tmp_path, kept, config)), "sentence-transformers")
    (unlisted,) = (one for one in found.findings if one.severity != "note")
    assert unlisted.code == "N641"
    scorer, at_random = SCORERS[model_type]
    assert (unlisted.facts["scorer"], unlisted.facts["at_random"]) == (scorer, at_random)
    assert f"CrossEncoder builds {scorer} and draws {at_random} tensors of it at random" in str(unlisted)
    assert [(one.loader, one.outcome) for one in found.loads] == [("sentence-transformers", "complete")]


@pytest.mark.parametrize("heads", [("colbert_linear.pt", "sparse_linear.pt"), ("sparse_linear.pt",), ("other.pt",)])
def test_the_heads_of_bge_m3_are_named(heads: tuple[str, ...], tmp_path: Path) -> None:
    write(tmp_path, genuine(ENCODER), ENCODER)
    for name in heads:
        (tmp_path / name).write_bytes(torch_file({"weight": ("F32", (1, 48)), "bias": ("F32", (1,))}, []))
    (found,) = (one for one in audited(tmp_path).findings if one.code == "S216")
    assert ("FlagEmbedding reads them" in str(found)) == ("other.pt" not in heads)


def damaged(modules: list[Module]) -> Iterator[tuple[str, list[Module]]]:
    """The modules with each tensor lost, with another shape, and with a tensor added."""
    for place, (kind, config, stored) in enumerate(modules):
        for name, shape in stored.items():
            rest = {other: size for other, size in stored.items() if other != name}
            for what, tensors in (("lost", rest), ("wider", {**stored, name: (shape[0] + 1, *shape[1:])}),
                                  ("twice", {**stored, f"{name}2": shape})):  # fmt: skip
                yield f"{name} {what}", [*modules[:place], (kind, config, tensors), *modules[place + 1 :]]


@pytest.mark.thinned
@pytest.mark.parametrize("name", [name for name, modules in FOLDERS.items() if any(stored for _, _, stored in modules)])
def test_each_damaged_module_is_reported(name: str, tmp_path: Path) -> None:
    for number, (what, modules) in enumerate(damaged(FOLDERS[name])):
        assert codes(audited(folder(tmp_path / str(number), modules))) == {"N434"}, what


@pytest.mark.parametrize(("module", "wrong", "steps"), [
    (dense(24, 12), {"out_features": 48}, [["out_features", 48, 12]]),
    (dense(24, 12), {"in_features": 96, "out_features": 48}, [["in_features", 96, 24], ["out_features", 48, 12]]),
    (FOLDERS["norm"][1], {"dimension": 36}, [["dimension", 36, 24]]),
    (FOLDERS["sparse"][1], {"hidden_dim": 96}, [["hidden_dim", 96, 48]]),
    (dense(32, 12), {"out_features": 48}, []),
])  # fmt: skip
def test_a_size_of_a_module_is_that_of_its_weights(
    module: Module, wrong: dict[str, int], steps: list[list[Any]], tmp_path: Path
) -> None:
    """Unless the weights belong to a model of another width, whose module does not follow this one."""
    kind, config, stored = module
    found = audited(folder(tmp_path, [POOLING, (kind, {**config, **wrong}, stored)]))
    (finding,) = (one for one in found.findings if one.severity != "note")
    assert (finding.code, finding.facts["sizes"]) == ("N434", steps)
    place = tmp_path / f"2_{kind}" / "config.json"
    values = json.loads(place.read_text(encoding="utf-8"))
    for step in finding.remedy().steps:
        if step.action == "set":
            values[step.key[0]] = step.new
    place.write_text(json.dumps(values), encoding="utf-8")
    assert (audited(tmp_path).verdict == "clean") == bool(steps)


def test_modules_that_do_not_follow_each_other(tmp_path: Path) -> None:
    for number, modules in enumerate(([POOLING, dense(32, 12)], [POOLING, dense(24, 12), dense(24, 12)])):
        assert codes(audited(folder(tmp_path / str(number), list(modules)))) == {"N434"}, modules


@pytest.mark.parametrize("modules", [[LSTM, POOLING], [WIDE], [WIDE, NORMALIZE]], ids=range(3))
def test_a_pooling_takes_any_width(modules: list[Module], tmp_path: Path) -> None:
    """sentence-transformers 6 does not read the width when it encodes."""
    found = audited(folder(tmp_path, modules))
    assert codes(found) == {"N611"}
    assert all(one.outcome == "complete" for one in found.loads if one.loader == "sentence-transformers")


@pytest.mark.parametrize("type_name", ["__main__", "Transformer"])
@pytest.mark.parametrize("number", [0, 1])
def test_a_type_without_its_package_cannot_be_imported(number: int, type_name: str, tmp_path: Path) -> None:
    place = folder(tmp_path, [POOLING, NORMALIZE])
    listed = json.loads((place / "modules.json").read_text(encoding="utf-8"))
    listed[number]["type"] = type_name
    (place / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
    (finding,) = (one for one in audited(place).findings if one.severity != "note")
    assert finding.code == "N434"
    assert type_name in finding.message
    assert "sentence_transformers.models.Transformer" in finding.help


@pytest.mark.parametrize("package", ["", "sentence_transformer.model."])
def test_a_whole_encoder_is_no_module(package: str, tmp_path: Path) -> None:
    """Measured with sentence-transformers 6.2: it saves this and raises on loading; the flat list loads."""
    inner = folder(tmp_path / "0_SentenceTransformer", [POOLING])
    entry = {"idx": 0, "name": "0", "path": inner.name, "type": f"sentence_transformers.{package}SentenceTransformer"}
    (tmp_path / "modules.json").write_text(json.dumps([entry]), encoding="utf-8")
    (finding,) = audited(tmp_path).findings
    assert (finding.code, inner.name in finding.help) == ("N646", True)
    listed = json.loads((inner / "modules.json").read_text(encoding="utf-8"))
    flat = [{**one, "path": f"{inner.name}/{one['path']}".rstrip("/")} for one in listed]
    (tmp_path / "modules.json").write_text(json.dumps(flat), encoding="utf-8")
    assert audited(tmp_path).verdict == "clean"


def test_a_model_in_the_folder_of_its_module_is_for_one_loader(tmp_path: Path) -> None:
    audited = audit(str(folder(tmp_path, [POOLING], "0_Transformer")))
    found = {one.loader: one.outcome for one in audited.loads}
    assert found == {"transformers": "refuses", "sentence-transformers": "complete"}
    assert [one.loader for one in audited.loads if one.intended] == ["sentence-transformers"]


def test_a_model_that_is_lost_from_the_folder_of_its_module(tmp_path: Path) -> None:
    place = folder(tmp_path, [POOLING], "0_Transformer")
    (place / "0_Transformer" / "model.safetensors").unlink()
    (finding,) = audit(str(place)).findings
    assert (finding.code, finding.help.partition(",")[0]) == ("R003", "download model.safetensors")


def test_clip_in_the_folder_of_its_module(tmp_path: Path) -> None:
    found = audited(folder(tmp_path / "clip", [], "0_CLIPModel", CLIP))
    assert found.architecture is not None
    assert (found.verdict, found.architecture.name) == ("clean", "clip")


def test_the_routes_of_a_router(tmp_path: Path) -> None:
    place = folder(tmp_path / "routed", [POOLING, dense(24, 12)], "0_Transformer")
    types = {
        "0_Transformer": "sentence_transformers.models.Transformer",
        "1_Pooling": "sentence_transformers.models.Pooling",
        "2_Dense": "sentence_transformers.models.Dense",
    }
    (place / "router_config.json").write_text(
        json.dumps({"types": types, "structure": {"query": list(types), "document": ["0_Transformer", "1_Pooling"]}}),
        encoding="utf-8",
    )
    (place / "modules.json").write_text(
        json.dumps([{"path": "", "type": "sentence_transformers.models.Router"}]), encoding="utf-8"
    )
    assert audited(place).verdict == "clean"
    (place / "2_Dense" / "config.json").write_text(json.dumps({"in_features": 24, "out_features": 13}))
    assert codes(audited(place)) == {"N434"}
    (place / "router_config.json").write_text(
        json.dumps({"types": {**types, "2_Dense": "models.StaticEmbedding"}, "structure": {"query": list(types)}}),
        encoding="utf-8",
    )
    found = audited(place)
    assert (found.verdict, [one.check for one in found.skipped if one.decisive]) == (
        "undecided", ["the weights of 2_Dense"],
    )  # fmt: skip


TABLES = {"StaticEmbedding": "embedding.weight", "WordEmbeddings": "emb_layer.weight"}


def of_tables(place: Path, kind: str, name: str, shape: tuple[int, ...]) -> Path:
    """A router of two tables, as sentence-transformers 6 saves it: without a model."""
    types = {f"{route}_0_{kind}": f"sentence_transformers.sentence_transformer.modules.{kind}"
             for route in ("query", "document")}  # fmt: skip
    for number, folder_name in enumerate(types):
        write(place / folder_name, {name if number else TABLES[kind]: ("F32", shape if number else (9, 12))}, None)
        if kind in CONFIGS:
            (place / folder_name / CONFIGS[kind]).write_text(json.dumps(TABLE_CONFIG), encoding="utf-8")
        (place / folder_name / "tokenizer.json").write_text("{}", encoding="utf-8")
    routes = {one.partition("_")[0]: [one] for one in types}
    (place / "router_config.json").write_text(json.dumps({"types": types, "structure": routes}), encoding="utf-8")
    listed = [{"path": "", "type": "sentence_transformers.base.modules.router.Router"}]
    (place / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
    return place


@pytest.mark.parametrize("kind", TABLES)
def test_encoders_of_tables_have_no_model(kind: str, tmp_path: Path) -> None:
    found = audited(of_tables(tmp_path / "whole", kind, TABLES[kind], (7, 12)))
    assert (found.verdict, codes(found)) == ("clean", set())
    for number, (name, shape) in enumerate((("weight", (7, 12)), (TABLES[kind], (84,)))):
        assert codes(audited(of_tables(tmp_path / str(number), kind, name, shape))) == {"N434"}


@pytest.mark.parametrize(("at", "name"), [(".", "embeddings"), ("", "embedding.weight"), ("./", "embeddings")])
def test_a_table_beside_modules_json(at: str, name: str, tmp_path: Path) -> None:
    """model2vec writes the path "."; measured with sentence-transformers 6.2, which reads both names."""
    write(tmp_path, {name: ("F32", (3, 8))}, {"model_type": "model2vec", "architectures": ["StaticModel"]})
    listed = [{"path": at, "type": "sentence_transformers.models.StaticEmbedding"},
              {"path": "1_Normalize", "type": "sentence_transformers.models.Normalize"}]  # fmt: skip
    (tmp_path / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
    (tmp_path / "tokenizer.json").write_text(json.dumps(TOKENS), encoding="utf-8")
    found = audited(tmp_path)
    assert (found.verdict, codes(found)) == ("clean", set())
    assert [one.outcome for one in found.loads if one.intended] == ["complete"]
    write(tmp_path, {"table": ("F32", (3, 8))}, {"model_type": "model2vec"})
    assert codes(audited(tmp_path)) == {"N434"}


TOKENS = {"model": {"vocab": {"a": 0, "b": 1}}, "added_tokens": [{"content": "[PAD]"}, {"content": "a"}]}
SPARSE = {"weight": (3,)}


@pytest.mark.parametrize(
    ("stored", "tokenizer", "wanted"),
    [
        (SPARSE, TOKENS, set()),
        (SPARSE, {"model": {"vocab": [["a", -1.0], ["b", -2.0], ["c", -3.0]]}}, set()),
        (SPARSE, None, set()),
        ({"weight": (4,)}, TOKENS, {"N434"}),
        ({"weight": (4,)}, None, set()),
        ({"weight": (3, 1)}, TOKENS, {"N434"}),
        ({**SPARSE, "weight2": (3,)}, TOKENS, {"N434"}),
    ],
)
def test_a_weight_for_each_token_of_the_tokenizer(
    stored: dict[str, tuple[int, ...]], tokenizer: Any, wanted: set[str], tmp_path: Path
) -> None:
    place = folder(tmp_path, [("SparseStaticEmbedding", {"frozen": False}, stored)])
    if tokenizer is not None:
        (place / "1_SparseStaticEmbedding" / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    found = audited(place)
    assert codes(found) == wanted
    assert any(one.check.startswith("the rows of") for one in found.skipped) == (tokenizer is None)


@pytest.mark.parametrize(("rows", "more", "wanted"), [(3, {}, set()), (4, {}, set()), (2, {}, {"N434"}),
                                                     (2, {"mapping": (3,)}, set())])  # fmt: skip
def test_a_table_has_a_row_for_each_token(
    rows: int, more: dict[str, tuple[int, ...]], wanted: set[str], tmp_path: Path
) -> None:
    place = folder(tmp_path, [("StaticEmbedding", {}, {"embedding.weight": (rows, 24), **more})])
    (place / "1_StaticEmbedding" / "tokenizer.json").write_text(json.dumps(TOKENS), encoding="utf-8")
    assert codes(audited(place)) == wanted


def test_a_bag_of_words_before_a_dense_layer(tmp_path: Path) -> None:
    place = folder(tmp_path, [dense(3, 6)], "0_Transformer")
    listed = json.loads((place / "modules.json").read_text())
    listed[0] = {"path": "0_BoW", "type": "sentence_transformers.sentence_transformer.modules.bow.BoW"}
    (place / "modules.json").write_text(json.dumps(listed), encoding="utf-8")
    (place / "0_BoW").mkdir()
    for words, verdict, found in ((3, "clean", set()), (4, "findings", {"N434"}), (0, "findings", {"N434"})):
        config = {"vocab": list("abcd")[:words]} if words else {}
        (place / "0_BoW" / "config.json").write_text(json.dumps(config), encoding="utf-8")
        assert (audited(place).verdict, codes(audited(place))) == (verdict, found), words


@pytest.mark.parametrize("lost", [True, False])
def test_a_model_below_that_lost_its_weights_is_the_one_to_complete(lost: bool, tmp_path: Path) -> None:
    place = folder(tmp_path, [POOLING], "0_Transformer")
    if lost:
        (place / "0_Transformer" / "model.safetensors").unlink()
    audited = audit(str(place))
    assert audited.verdict == ("unreadable" if lost else "clean")
    assert not lost or audited.findings[0].help.startswith("download model.safetensors, or its shards and their index")


def test_integers_in_a_module(tmp_path: Path) -> None:
    place = folder(tmp_path, [POOLING, dense(24, 12)])
    write(place / "2_Dense", {"linear.weight": ("I32", (12, 24)), "linear.bias": ("F32", (12,))}, None)
    (place / "2_Dense" / "config.json").write_text(json.dumps({"in_features": 24, "out_features": 12}))
    (finding,) = (one for one in audited(place).findings if one.severity != "note")
    assert (finding.code, "stored as I32" in finding.message) == ("N434", True)


def test_a_damaged_module_is_no_evidence_against_the_next(tmp_path: Path) -> None:
    wider = ("LSTM", {**LSTM[1], "hidden_dim": 17}, LSTM[2])
    place = folder(tmp_path, [wider, ("Pooling", {"embedding_dimension": 32, "pooling_mode": "mean"}, {})])
    assert [one.code for one in audited(place).findings if one.severity != "note"] == ["N434"]


def test_a_model_of_a_wrong_width_is_no_evidence_against_the_next_module(tmp_path: Path) -> None:
    place = folder(tmp_path, [POOLING])
    (place / "config.json").write_text(json.dumps({**ENCODER, "hidden_size": 28}), encoding="utf-8")
    assert codes(audited(place)) == {"C310"}


def test_a_model_without_weights_next_to_modules_with_weights(tmp_path: Path) -> None:
    place = folder(tmp_path, [POOLING, dense(24, 12)])
    (place / "model.safetensors").unlink()
    found = audited(place)
    assert (found.verdict, codes(found)) == ("unreadable", {"R003"})
    assert found.findings[0].help.startswith("download model.safetensors, or")


@pytest.mark.parametrize("modules", [[POOLING, dense(24, 12)], [POOLING, *FOLDERS["norm"][1:]], [LSTM, WIDE]])
def test_weights_of_a_module_in_place_of_those_of_the_model(modules: list[Module], tmp_path: Path) -> None:
    place = folder(tmp_path, modules)
    (below,) = (one for one in place.glob("*/model.safetensors"))
    below.replace(place / "model.safetensors")
    found = audited(place)
    (finding,) = (one for one in found.findings if one.severity != "note" and one.code != "N611")
    assert (finding.code, finding.facts["at_root"]) == ("N434", "model.safetensors")
    assert finding.help.startswith(f"move model.safetensors into {below.parent.name}, and fetch")


def of_two_models(place: Path, router: str) -> Path:
    """A router of two models, each with a dense layer. router: its folder."""
    types: dict[str, str] = {}
    for route in ("query", "document"):
        for number, kind in enumerate(("Transformer", "Pooling", "Dense")):
            name = f"{route}_{number}_{kind}"
            types[name] = f"sentence_transformers.models.{kind}"
            _, config, stored = dense(24, 12) if kind == "Dense" else POOLING
            tensors = {name: ("F32", shape) for name, shape in stored.items()}
            model = kind == "Transformer"
            write(place / router / name, genuine(ENCODER) if model else tensors or {}, ENCODER if model else config)
            if kind == "Pooling":
                (place / router / name / "model.safetensors").unlink()
    routes = {route: [one for one in types if one.startswith(route)] for route in ("query", "document")}
    (place / router / "router_config.json").write_text(json.dumps({"types": types, "structure": routes}))
    (place / "modules.json").write_text(json.dumps([{"path": router, "type": "sentence_transformers.models.Router"}]))
    return place


@pytest.mark.parametrize("router", ["", "0_Router"])
def test_each_model_of_a_router_is_audited(router: str, tmp_path: Path) -> None:
    place = of_two_models(tmp_path, router)
    assert (audited(place).verdict, codes(audited(place))) == ("clean", set())
    second = place / router / "document_0_Transformer"
    write(second, {name: one for name, one in genuine(ENCODER).items() if "1.output.dense.w" not in name}, ENCODER)
    (finding,) = (one for one in audited(place).findings if one.severity != "note")
    assert (finding.code, (finding.place.file or "").startswith(str(second.relative_to(place)))) == ("N403", True)
    (place / router / "router_config.json").unlink()
    assert codes(audited(place)) == {"R003"}


@pytest.mark.parametrize(("others", "listed", "found"), [
    (["1_Pooling"], False, True), (["1_Pooling", "2_Dense"], False, True),
    (["1_Pooling"], True, False), ([], False, False), (["tokenizer"], False, False),
])  # fmt: skip
def test_folders_of_modules_without_the_list(others: list[str], listed: bool, found: bool, tmp_path: Path) -> None:
    model = tmp_path / "0_Transformer"
    write(model, genuine(ENCODER), ENCODER)
    (tmp_path / "config.json").write_text('{"__version__": "0.2.6"}', encoding="utf-8")
    for name in others:
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(POOLING[1]), encoding="utf-8")
    if listed:
        (tmp_path / "modules.json").write_text("[]", encoding="utf-8")
    helps = [one.help for one in audited(tmp_path).findings if one.code == "R003"]
    assert any(one.startswith("download modules.json") for one in helps) is found


def test_a_head_that_sentence_transformers_uses(tmp_path: Path) -> None:
    config = {**ENCODER, "architectures": ["BertForMaskedLM"], "tie_word_embeddings": False}
    for task, severity in (("fill-mask", "error"), ("feature-extraction", "note")):
        place = folder(tmp_path / task, [POOLING])
        (place / "sentence_bert_config.json").write_text(json.dumps({"transformer_task": task}), encoding="utf-8")
        write(place, genuine(ENCODER), config)
        finding = audited(place).findings[0]
        assert finding.severity == severity, finding
        # no class in config.json changes which class is built
        used = finding.help.startswith("download or save the checkpoint again with its head, or train the head of")
        assert used == (severity == "error") and not finding.remedy().steps, finding.help


@pytest.mark.parametrize("prefix", ["0.auto_model.", "0.model."])
@pytest.mark.parametrize("module", [{"2.linear.weight": (12, 24)},
                                    {"2.linear.weight": (12, 24), "2.linear.bias": (12,)}])  # fmt: skip
def test_a_trained_module_in_the_file_of_a_whole_encoder_is_kept(prefix: str, module: dict[str, Any]) -> None:
    """`SentenceTransformer.state_dict()` as sentence-transformers 2 to 5 and 6 name it."""
    own = genuine(ENCODER)
    spec = {prefix + name: one for name, one in own.items()} | {name: ("F32", one) for name, one in module.items()}
    kept = [one for one in judged(spec, ENCODER).findings if one.code in ("N405", "N406")]
    assert ["2.linear.weight as linear.weight" in one.help for one in kept] == [True]
    alone = judged(own | {name: ("F32", one) for name, one in module.items()}, ENCODER).findings
    assert ["remove it" in one.help for one in alone] == [True]


@pytest.mark.parametrize(("name", "shape", "kept"), [
    ("2.linear.weight", (12, 24), True), ("2.linear.weight", (12, 20), False), ("1.linear.weight", (12, 24), False),
    ("7.linear.weight", (12, 24), False),
])  # fmt: skip
def test_a_tensor_of_a_listed_module_among_those_of_the_model(
    name: str, shape: tuple[int, ...], kept: bool, tmp_path: Path
) -> None:
    """The trained module would be lost with it."""
    place = folder(tmp_path, [POOLING, dense(24, 12)])
    write(place, genuine(ENCODER) | {name: ("F32", shape)}, ENCODER)
    (found,) = (one for one in audited(place).findings if one.code in ("N405", "N406"))
    assert found.help.startswith("keep it") is kept
