"""Models with custom code: the definition of the type applies where the names fit, else the verdict is undecided."""

from __future__ import annotations

import json
from math import prod
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from inspector.report.text import audit_text
from tests.findings.cases import of_llava_tower
from tests.judged import Spec, base_record, codes, judged, spec_of
from tests.loads.damage import healthy, write

AUTO = {"AutoConfig": "org/code--configuration.OwnConfig", "AutoModel": "org/code--modeling.OwnModel"}


def stored(model_type: str, suffix: str) -> tuple[dict[str, tuple[str, tuple[int, ...]]], dict[str, Any]]:
    """(tensors, config) of a class."""
    record = base_record(model_type, suffix)
    return spec_of(record), {**record["config"], "model_type": model_type, "architectures": [record["class"]]}


def respelled(spec: Spec, *changes: tuple[str, str]) -> Spec:
    """Tensors under other names."""
    found = dict(spec)
    for old, new in changes:
        found = {name.replace(old, new): entry for name, entry in found.items()}
    return found


def bert_with_gates() -> tuple[Spec, dict[str, Any]]:
    """jina-embeddings-v2."""
    spec, config = stored("bert", "Model")
    return respelled(spec, ("intermediate.dense", "mlp.gated_layers"), ("output.LayerNorm", "mlp.layernorm")), {
        **config, "architectures": ["JinaBertForMaskedLM"], "auto_map": AUTO,
    }  # fmt: skip


def task_adapters() -> tuple[Spec, dict[str, Any]]:
    """jina-embeddings-v3: low-rank matrices for each task, which are never merged."""
    spec, config = stored("xlm-roberta", "Model")
    found = respelled(spec, ("query.weight", "query.parametrizations.weight.original"))
    for name in [name for name in found if name.endswith("query.parametrizations.weight.original")]:
        stem = name.removesuffix("original")
        found = {**found, f"{stem}0.lora_A": ("F32", (5, 4, 48)), f"{stem}0.lora_B": ("F32", (5, 48, 4))}
    return found, {**config, "auto_map": AUTO}


def ranker() -> tuple[Spec, dict[str, Any]]:
    """BERT with a projection, under a class of another library."""
    spec, config = stored("bert", "Model")
    return {**{f"bert.{name}": entry for name, entry in spec.items()}, "projection.weight": ("F32", (16, 48))}, {
        **config, "architectures": ["OwnRanker"],
    }  # fmt: skip


def reward() -> tuple[Spec, dict[str, Any]]:
    """A value head of a training framework."""
    spec, config = stored("llama", "ForCausalLM")
    found = {**spec, "v_head.weight": ("F32", (1, config["hidden_size"]))}
    del found["lm_head.weight"]
    return found, {**config, "architectures": ["LlamaForRewardModelWithValues"], "tie_word_embeddings": False}


def first_llava() -> tuple[Spec, dict[str, Any]]:
    """Llama's names under the type llava, with a projector and without the tower."""
    spec, config = stored("llama", "ForCausalLM")
    return {**spec, "model.mm_projector.weight": ("F32", (48, 40))}, {
        **config, "model_type": "llava", "architectures": ["LlavaLlamaForCausalLM"],
    }  # fmt: skip


def renamed_layers() -> tuple[Spec, dict[str, Any]]:
    """A class of transformers of which the repository has its own version, with other layer names."""
    spec, config = stored("llama", "ForCausalLM")
    return respelled(spec, ("self_attn.q_proj", "attention.wqkv")), {**config, "auto_map": AUTO}


def gates_in_one_matrix() -> tuple[Spec, dict[str, Any]]:
    """Nucleotide Transformer v2: ESM with two halves in one matrix and without its bias, under a class of that name."""
    spec, config = stored("esm", "ForMaskedLM")
    wide = {name: ("F32", (2 * one[1][0], one[1][1])) for name, one in spec.items()
            if name.endswith("intermediate.dense.weight")}  # fmt: skip
    kept = {name: one for name, one in spec.items() if not name.endswith("intermediate.dense.bias")}
    return {**kept, **wide}, {**config, "auto_map": AUTO}


OWN = [bert_with_gates, task_adapters, ranker, reward, first_llava, renamed_layers, gates_in_one_matrix]


@pytest.mark.parametrize("make", OWN)
def test_custom_code_is_undecided(make: Any) -> None:
    spec, config = make()
    audited = judged(spec, config)
    assert (audited.verdict, codes(audited)) == ("undecided", set())
    (note,) = (one for one in audited.findings if one.code == "N447")
    assert f"the code of {config['architectures'][0]}" in note.help
    advice = f"help  load it with the code of {config['architectures'][0]}"
    assert [advice in audit_text(audited), advice in audit_text(audited, verbose=True)] == [True, True]
    assert audited.counts.unique_parameters == sum(prod(shape) for _, shape in spec.values())


def test_other_matrices_without_code_are_errors() -> None:
    spec, config = gates_in_one_matrix()
    del config["auto_map"]
    assert codes(judged(spec, config)) == {"D501", "N403"}


@pytest.mark.parametrize("part", ["weight", "bias"])
def test_custom_code_does_not_explain_one_of_the_two(part: str) -> None:
    """A lost bias alone, or a matrix of another shape with its bias, is damage."""
    spec, config = stored("esm", "ForMaskedLM")
    for name in [name for name in spec if name.endswith(f"intermediate.dense.{part}")]:
        spec = {**spec, name: ("F32", (184, 48))} if part == "weight" else {k: v for k, v in spec.items() if k != name}
    audited = judged(spec, {**config, "auto_map": AUTO})
    assert codes(audited) == {"D501" if part == "weight" else "N403"}


@pytest.mark.parametrize(("model_type", "suffix", "module", "table"), [
    ("pegasus", "Generation", "self_attn.q_proj", "model.encoder.embed_positions.weight"),
    ("bert", "BertModel", "attention.self.query", "embeddings.position_embeddings.weight"),
    ("llama", "CausalLM", "self_attn.q_proj", "model.embed_tokens.weight"),
])  # fmt: skip
def test_a_refused_class_of_other_code_is_not_repaired(
    model_type: str, suffix: str, module: str, table: str, tmp_path: Path
) -> None:
    """transformers builds the class of the type in place of the unknown class, and stops at another shape."""
    spec, config = stored(model_type, suffix)
    longer = {**spec, table: ("F32", (2 * spec[table][1][0], *spec[table][1][1:]))}
    folder = healthy(dict(respelled(longer, (module, f"own_{module}"))), {**config, "architectures": ["OwnModel"]})
    (failure,) = (one for one in audit(str(write(folder, tmp_path))).findings if one.code == "N429")
    assert failure.help == "load it with the code of OwnModel: the class of this type has other tensors"


@pytest.mark.parametrize(("model_type", "suffix", "added"), [
    ("llama", "CausalLM", "value_head.weight"), ("vits", "Model", "discriminator.conv.weight"),
    ("bert", "Model", "projection.weight"), ("mpnet", "Model", "ranker.weight"),
])  # fmt: skip
def test_an_unknown_class_with_modules_added_to_a_complete_base_model(model_type: str, suffix: str, added: str) -> None:
    spec, config = stored(model_type, suffix)
    spec = {name: entry for name, entry in spec.items() if not name.startswith("lm_head.")}
    for lost, base in ((None, True), (next(name for name in spec if ".0." in name), False)):
        kept = {name: entry for name, entry in spec.items() if name != lost}
        own = {**config, "architectures": ["OwnRanker"], "tie_word_embeddings": False}
        (note,) = (one for one in judged({**kept, added: ("F32", (1, 3))}, own).findings if one.code == "N447")
        assert (note.facts["base"], note.facts["beside"]) == (base, [added] if base else [])
        assert ("AutoModel loads the base model alone" in note.help) == base


@pytest.mark.parametrize("model_type", ["llama", "bert", "gpt2", "phi3", "qwen2"])
@pytest.mark.parametrize("own", [{"auto_map": AUTO}, {"architectures": ["OwnModel"]}])
def test_names_that_fit_are_compared_with_the_definition(model_type: str, own: dict[str, Any]) -> None:
    spec, config = stored(model_type, "")
    whole = judged(spec, {**config, **({"auto_map": AUTO} if "auto_map" in own else {})})
    assert whole.verdict == "clean"
    lost = next(name for name, (_, shape) in spec.items() if ".1." in name and len(shape) > 1)
    audited = judged({name: entry for name, entry in spec.items() if name != lost}, {**config, **own})
    assert (audited.verdict, codes(audited)) == ("findings", {"N403"})


@pytest.mark.thinned
@pytest.mark.parametrize(("of", "suffix", "stated", "named"), [
    ("lighton_ocr", "ForConditionalGeneration", "mistral3", "LightOnOCRForConditionalGeneration"),
    ("mixtral", "ForCausalLM", "mistral", "MixtralForCausalLM"),
    ("qwen2", "ForCausalLM", "llama", "Qwen2ForCausalLM"),
    ("distilbert", "ForMaskedLM", "bert", "DistilBertForMaskedLM"),
    ("qwen2_5_vl", "ForConditionalGeneration", "qwen2_vl", "Qwen2_5_VLForConditionalGeneration"),
    ("llama", "ForCausalLM", "lama", "LlamaForCausalLM"),
    ("vit", "ForImageClassification", "vit-base", "ViTForImageClassification"),
])  # fmt: skip
def test_the_class_decides_where_the_type_does_not_fit(of: str, suffix: str, stated: str, named: str) -> None:
    spec, config = stored(of, suffix)
    config = {**config, "model_type": stated, "architectures": [named]}
    audited = judged(spec, config)
    assert audited.architecture is not None and audited.architecture.name == of
    assert audited.counts.unique_parameters == audited.counts.expected_parameters
    assert codes(audited) <= {"N444"}, audited.findings
    lost = next(name for name in spec if ".1." in name and name.endswith(".weight"))
    damaged = judged({name: entry for name, entry in spec.items() if name != lost}, config)
    assert codes(damaged) - {"N444"} == {"N403"}, damaged.findings


@pytest.mark.parametrize(("files", "expected"), [((), {"C319"}), (("modeling.py", "configuration.py"), set[str]())])
def test_weights_of_custom_code_that_is_absent(files: tuple[str, ...], expected: set[str], tmp_path: Path) -> None:
    spec, config = bert_with_gates()
    code = {key: place.partition("--")[2] for key, place in AUTO.items()}
    place = write(healthy(dict(spec), {**config, "auto_map": code}), tmp_path)
    for name in files:
        (place / name).write_text("")
    audited = audit(str(place))
    assert codes(audited) == expected
    outcomes = {one.outcome for one in audited.loads if one.loader == "transformers"}
    assert outcomes == ({"refuses"} if expected else {"unknown"})


@pytest.mark.parametrize(("model_type", "suffix"), [("bert", "Model"), ("vit", "Model"), ("distilbert", "Model")])
def test_an_unknown_class_around_a_complete_model(model_type: str, suffix: str) -> None:
    spec, config = stored(model_type, suffix)
    inside = {f"encoder_model.{name}": entry for name, entry in spec.items()}
    head = {"fc.weight": ("F32", (3, 48)), "fc.bias": ("F32", (3,))}
    audited = judged({**inside, **head}, {**config, "architectures": ["MyClassifier"]})
    assert codes(audited) == {"N459"}
    assert 'keep the tensors below encoder_model. and rename them: key.removeprefix("encoder_model.")' in (
        audited.findings[0].help
    )


@pytest.mark.parametrize(("model_type", "suffix", "prefix", "root", "head"), [
    ("bert", "ForSequenceClassification", "bert.encoder.", "bert.", "classifier"),
    ("vit", "ForImageClassification", "vit.backbone.", "vit.", "classifier"),
    ("llama", "ForCausalLM", "language_model.", "", "lm_head"),
])  # fmt: skip
def test_the_head_beside_a_larger_model_is_kept(
    model_type: str, suffix: str, prefix: str, root: str, head: str
) -> None:
    """A trained head of the class outside the prefix would be lost with the tensors of other parts."""
    spec, config = stored(model_type, suffix)
    inside = {name if name.startswith(head) else prefix + name.removeprefix(root): spec[name] for name in spec}
    other = {f"{prefix.partition('.')[0]}_segments.{row}.weight": ("F32", (48, 48)) for row in range(2)}
    (found,) = (one for one in judged({**inside, **other}, config).findings if one.severity == "error")
    assert found.code == "N459"
    change = f'begin the names with "{root}" in place of "{prefix}"' if root else f'remove "{prefix}" from the names'
    assert f"{change} and keep {head}.* beside them" in found.help


@pytest.mark.parametrize("stated", [{}, {"model_type": "SegformerForSemanticSegmentation"}])
def test_code_that_auto_map_names_needs_no_model_type(stated: dict[str, Any]) -> None:
    """BiRefNet's config as published has none; the class decides, and another encoder is other code."""
    spec = spec_of(base_record("BiRefNet"))
    config = {"architectures": ["BiRefNet"], "bb_pretrained": False, "auto_map": AUTO, **stated}
    audited = judged(spec, config)
    assert (audited.verdict, codes(audited)) == ("clean", set())
    lost = {name: entry for name, entry in spec.items() if name != "decoder.conv_out1.0.weight"}
    assert codes(judged(lost, config)) == {"N403"}
    other = respelled(spec, ("bb.layers.", "bb.stages."), ("attn.qkv", "attn.kv"), ("mlp.fc1", "mlp.dwconv"))
    assert judged(other, config).verdict == "undecided"


def task_matrices(**stated: Any) -> tuple[Spec, dict[str, Any]]:
    """jina-embeddings-v3's class and config as published: no model type, and XLM-RoBERTa's class."""
    record = base_record("xlm-roberta-flash", "LoRA")
    config = {key: value for key, value in record["config"].items() if key != "model_type"}
    return spec_of(record), {**config, "architectures": ["XLMRobertaModel"], **stated}


@pytest.mark.parametrize("stated", [{}, {"model_type": "xlm-roberta"}, {"architectures": ["XLMRobertaLoRA"]}])
def test_the_config_class_of_the_code_decides(stated: dict[str, Any]) -> None:
    spec, config = task_matrices(**stated)
    audited = judged(spec, config)
    assert (audited.verdict, codes(audited)) == ("clean", set())
    assert (
        audited.counts.unique_parameters
        == audited.counts.expected_parameters
        == base_record("xlm-roberta-flash", "LoRA")["num_parameters"]
    )
    lost = next(name for name in spec if name.endswith("layers.1.mlp.fc1.parametrizations.weight.0.lora_B"))
    assert codes(judged({name: entry for name, entry in spec.items() if name != lost}, config)) == {"N403"}


def test_the_config_class_of_a_type_of_transformers_does_not_decide() -> None:
    spec, config = stored("llama", "ForCausalLM")
    named = {"AutoConfig": "configuration.Qwen2Config", "AutoModelForCausalLM": "modeling.LlamaForCausalLM"}
    audited = judged(spec, {**config, "auto_map": named})
    assert audited.verdict == "clean"
    assert audited.architecture is not None and audited.architecture.name == "llama"


@pytest.mark.parametrize(("class_name", "added", "headless"), [
    ("LLMForSequenceRegression", {"mean": (1,), "std": (1,)}, True), ("OwnRewardModel", {}, True),
    ("CriticModel", {"mean": (1,)}, True), ("LLMForSequenceRegression", {"value_head.weight": (1, 48)}, False),
    ("OwnEncoder", {"mean": (1,)}, False),
])  # fmt: skip
@pytest.mark.parametrize("model_type", ["llama", "qwen2", "mistral"])
def test_a_reward_model_that_was_saved_without_its_head(
    model_type: str, class_name: str, added: dict[str, tuple[int, ...]], headless: bool
) -> None:
    spec, config = stored(model_type, "ForCausalLM")
    kept = {name: one for name, one in spec.items() if name != "lm_head.weight"}
    kept |= {name: ("F32", shape) for name, shape in added.items()}
    audited = judged(kept, {**config, "architectures": [class_name], "tie_word_embeddings": False})
    (note,) = (one for one in audited.findings if one.code == "N447")
    assert (audited.verdict, note.facts["headless"]) == ("undecided", headless)
    assert note.help.startswith("save the weights again with the head of") == headless


PHI3_SMALL = {
    "model_type": "phi3small", "architectures": ["Phi3SmallForCausalLM"], "auto_map": AUTO, "vocab_size": 100352,
    "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "ff_intermediate_size": 14336, "ff_dim_multiplier": None, "gegelu_pad_to_256": True,
}  # fmt: skip


def phi3_small(heads: int = 48) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Phi-3-small, whose linears all have biases. heads: those of query, key and value together."""
    linears = {"self_attn.query_key_value": (128 * heads, 4096), "self_attn.dense": (4096, 4096),
               "mlp.up_proj": (28672, 4096), "mlp.down_proj": (4096, 14336)}  # fmt: skip
    norms = [f"model.layers.{layer}.{at}_layernorm" for layer in range(32) for at in ("input", "post_attention")]
    spec: dict[str, tuple[str, tuple[int, ...]]] = {"model.embed_tokens.weight": ("BF16", (100352, 4096))}
    for norm in [*norms, "model.final_layernorm"]:
        spec |= {f"{norm}.weight": ("BF16", (4096,)), f"{norm}.bias": ("BF16", (4096,))}
    for layer in range(32):
        for at, shape in linears.items():
            name = f"model.layers.{layer}.{at}"
            spec |= {f"{name}.weight": ("BF16", shape), f"{name}.bias": ("BF16", shape[:1])}
    return spec


def test_phi3_small_is_exact_and_ties_its_head() -> None:
    spec = phi3_small()
    audited = judged(spec, PHI3_SMALL)
    assert (audited.verdict, audited.counts.unique_parameters) == ("clean", 7_392_272_384)  # published as 7.39B
    with_head = judged({**spec, "lm_head.weight": spec["model.embed_tokens.weight"]}, PHI3_SMALL)
    assert (with_head.verdict, with_head.counts.unique_parameters) == ("clean", 7_392_272_384)
    assert "P702" in {one.code for one in with_head.findings}
    assert codes(judged(phi3_small(40), PHI3_SMALL)) == {"C310"}
    del spec["model.layers.7.mlp.up_proj.bias"]
    assert codes(judged(spec, PHI3_SMALL)) == {"N403"}


CODE = {"AutoModelForCausalLM": "modeling.Model", "AutoConfig": "configuration.Config"}


@pytest.mark.parametrize(("model_type", "auto_map", "noted"), [
    ("GOT", {}, True), ("openvla", {}, True), ("GOT", CODE, False), ("llama", {}, False),
])  # fmt: skip
def test_a_type_of_own_code_that_the_config_does_not_name(
    model_type: str, auto_map: dict[str, str], noted: bool, tmp_path: Path
) -> None:
    found = base_record(model_type)
    config = {**found["config"], "model_type": model_type, "architectures": [found["class"]]}
    config.pop("auto_map", None)
    write(healthy(spec_of(found), config | ({"auto_map": auto_map} if auto_map else {})), tmp_path)
    settings = {"tokenizer_class": "OwnTokenizer"}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    noticed = [one.code for one in audit(str(tmp_path)).findings]
    assert noticed.count("N744") == noted
    assert ("C350" in noticed) is (model_type == "llama")  # the authors' program registers the tokenizer too


@pytest.mark.parametrize(("files", "changed", "named"), [
    (["vocab.json", "merges.txt"], {}, True), (["tokenizer.model"], {}, True), ([], {}, False),
    (["vocab.json", "merges.txt", "tokenizer_config.json"], {}, False), (["vocab.json", "tokenizer.json"], {}, False),
    (["vocab.json", "merges.txt"], {"tokenizer_class": "GPT2Tokenizer"}, False),
    (["vocab.json", "merges.txt"], {"auto_map": {**CODE, "AutoTokenizer": ["own.Tokenizer", None]}}, False),
])  # fmt: skip
@pytest.mark.parametrize("model_type", ["GOT", "llama"])
def test_a_vocabulary_for_which_nothing_names_a_class(
    files: list[str], changed: dict[str, Any], named: bool, model_type: str, tmp_path: Path
) -> None:
    """Measured with transformers 5.23 and 4.57 and a config of own code."""
    found = base_record(model_type)
    config = {**found["config"], "model_type": model_type, "architectures": [found["class"]], "auto_map": CODE}
    write(healthy(spec_of(found), {**config, **changed}), tmp_path)
    for name in files:
        (tmp_path / name).write_text("{}", encoding="utf-8")
    codes = [one.code for one in audit(str(tmp_path)).findings]
    assert codes.count("R064") == (named and model_type == "GOT")


@pytest.mark.parametrize(
    "more, noted",
    [
        ({}, True),
        ({"architectures": ["LlavaMistralForCausalLM"]}, True),
        ({"architectures": ["LlavaLlamaForCausalLM"], "unfreeze_mm_vision_tower": False}, True),
        ({"unfreeze_mm_vision_tower": True}, False),
        ({"mm_tunable_parts": "mm_vision_tower,mm_mlp_adapter"}, False),
        ({"architectures": ["LlamaForCausalLM"]}, False),
    ],
)
def test_a_stored_tower_that_the_config_does_not_call_trained_is_not_read(more: dict[str, Any], noted: bool) -> None:
    audited = of_llava_tower("google/siglip-so400m-patch14-384", stored=True, **more)
    helps = [str(one.remedy()) for one in audited.findings if one.code == "N757"]
    assert bool(helps) is noted
    assert all("if the tower was trained" in text and "smaller" not in text for text in helps)
