"""Weight files under names that no loader looks for, and configs that it does not find."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.findings.finding import Finding
from tests.checkpoints import Spec, genuine, write, write_file
from tests.dialects import converters
from tests.dialects.converters import litgpt
from tests.dialects.test_writers import FLUX, SD3, config_of
from tests.judged import FIXTURES, base_record, codes, spec_of
from tests.loads.damage import damaged, healthy
from tests.loads.damage import write as write_folder
from tests.make_checkpoints import SMALL_LLAMA
from tests.test_pipelines import PARTS, TEXT, UNET, pipeline

pytestmark = pytest.mark.thinned

MODELS: dict[str, tuple[Any, Any]] = {
    "llama": (genuine(SMALL_LLAMA), SMALL_LLAMA),
    "clip_text_model": (genuine(TEXT, "F16"), TEXT),
    "UNet2DConditionModel": (genuine(UNET, "F16"), UNET),
    **{
        name: (spec_of(base_record(name)), {**base_record(name)["config"], "model_type": name})
        for name in ("bert", "t5", "vit")
    },
}
WANTED = {name: "diffusion_pytorch_model" if name.startswith("UNet") else "model" for name in MODELS}


def stored_as(folder: Path, model: str, name: str) -> Audit:
    """The audit of a model's folder with the weights under a name."""
    spec, config = MODELS[model]
    write(folder, {}, config)
    (folder / "model.safetensors").unlink()
    write_file(folder / name, spec)
    return audit(str(folder))


def reported(audited: Audit, code: str) -> Finding:
    """The one error or warning."""
    assert codes(audited) == {code}
    (finding,) = (one for one in audited.findings if one.code == code)
    return finding


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", ["llama-finetuned.safetensors", "model (1).safetensors", "tmp-model.safetensors"])
def test_a_name_that_no_loader_looks_for(model: str, name: str, tmp_path: Path) -> None:
    finding = reported(stored_as(tmp_path, model, name), "S221")
    wanted = f"{WANTED[model]}.safetensors"
    assert (finding.place.file, finding.facts["wanted"], finding.facts["variant"]) == (name, wanted, "")
    (step,) = finding.remedy().steps
    (tmp_path / name).rename(tmp_path / step.new)
    assert audit(str(tmp_path)).verdict == "clean"


@pytest.mark.parametrize(("config", "weights", "renamed"), [
    ("clip_text_model", "UNet2DConditionModel", False), ("UNet2DConditionModel", "llama", False),
    ("bert", "llama", True),
])  # fmt: skip
def test_the_name_under_the_config_of_another_library(config: str, weights: str, renamed: bool, tmp_path: Path) -> None:
    """The file has the name for its own library: with the config that belongs to it, the loader finds it."""
    write(tmp_path, {}, MODELS[config][1])
    (tmp_path / "model.safetensors").unlink()
    name = "llama-finetuned" if renamed else WANTED[weights]
    write_file(tmp_path / f"{name}.safetensors", MODELS[weights][0])
    assert ("S221" in codes(audit(str(tmp_path)))) == renamed


@pytest.mark.parametrize("model", MODELS)
def test_a_variant_is_found_by_name_only(model: str, tmp_path: Path) -> None:
    finding = reported(stored_as(tmp_path, model, f"{WANTED[model]}.fp16.safetensors"), "S221")
    assert 'variant="fp16"' in finding.help
    write_file(tmp_path / f"{WANTED[model]}.safetensors", MODELS[model][0])
    assert codes(audit(str(tmp_path))) == set()


@pytest.mark.parametrize("model", MODELS)
def test_the_right_name_gets_no_finding(model: str, tmp_path: Path) -> None:
    assert stored_as(tmp_path, model, f"{WANTED[model]}.safetensors").verdict == "clean"


@pytest.mark.parametrize("model", MODELS)
def test_a_file_by_itself_may_have_any_name(model: str, tmp_path: Path) -> None:
    stored_as(tmp_path, model, "my own.safetensors")
    assert audit(str(tmp_path / "my own.safetensors")).verdict == "clean"
    assert audit(str(tmp_path), weights="my own.safetensors").verdict == "clean"


def test_components_of_pipelines(tmp_path: Path) -> None:
    folder = pipeline(tmp_path, PARTS)
    unet = folder / "unet"
    (unet / "diffusion_pytorch_model.safetensors").rename(unet / "model.safetensors")
    finding = reported(audit(str(folder)), "S221")
    assert finding.title == "unet: model.safetensors"
    assert finding.facts["wanted"] == "diffusion_pytorch_model.safetensors"


@pytest.mark.parametrize("model", MODELS)
def test_shards_need_an_index(model: str, tmp_path: Path) -> None:
    spec, config = MODELS[model]
    write(tmp_path, spec, config, shards=2)
    for path in list(tmp_path.iterdir()):
        if path.name.startswith("model"):
            path.rename(path.with_name(path.name.replace("model", WANTED[model], 1)))
    index = tmp_path / f"{WANTED[model]}.safetensors.index.json"
    text = index.read_text(encoding="utf-8").replace("model-0", f"{WANTED[model]}-0")
    index.write_text(text, encoding="utf-8")
    assert audit(str(tmp_path)).verdict == "clean"
    index.unlink()
    assert reported(audit(str(tmp_path)), "S222").facts["wanted"] == index.name


COPIES: dict[str, tuple[str, dict[str, Any]]] = {
    "config (1).json": ("config (1).json", {}),
    "config.json.1": ("config.json.1", {}),
    "Copy of config.json": ("Copy of config.json", {}),
    "config - Copy (2).json": ("config - Copy (2).json", {}),
    "another name": ("my-config (1).json", {"similar": None}),
    "another size": ("config (1).json", {"similar": None, "hidden_size": 80}),
    "another type": ("config (1).json", {"similar": None, "model_type": "gpt2"}),
}


@pytest.mark.parametrize("case", COPIES)
def test_a_config_under_the_name_of_a_copy(case: str, tmp_path: Path) -> None:
    """Only the content shows that it belongs to these weights: a browser numbers the configs of other models too."""
    name, changed = COPIES[case]
    write(tmp_path, genuine(SMALL_LLAMA), {**SMALL_LLAMA, **changed})
    (tmp_path / "config.json").rename(tmp_path / name)
    finding = reported(audit(str(tmp_path)), "C313")
    assert finding.facts["similar"] == (None if changed else name)
    assert [step.new for step in finding.remedy().steps] == ["config.json"] * (not changed)


def test_one_of_two_copies_is_not_chosen(tmp_path: Path) -> None:
    write(tmp_path, genuine(SMALL_LLAMA), SMALL_LLAMA)
    (tmp_path / "config (2).json").write_bytes((tmp_path / "config.json").read_bytes())
    (tmp_path / "config.json").rename(tmp_path / "config (1).json")
    assert reported(audit(str(tmp_path)), "C313").facts["similar"] is None


@pytest.mark.parametrize(("values", "named"), [({}, True), ({"peft_type": "ABC"}, False)])
def test_an_adapters_config_under_the_name_of_a_copy(values: dict[str, Any], named: bool, tmp_path: Path) -> None:
    for file in (FIXTURES / "checkpoints" / "my-adapter").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    config = tmp_path / "adapter_config.json"
    config.write_text(json.dumps(json.loads(config.read_text(encoding="utf-8")) | values), encoding="utf-8")
    config.rename(tmp_path / "adapter_config (1).json")
    (finding,) = (one for one in audit(str(tmp_path)).findings if one.code == "C313")
    assert finding.facts["similar"] == ("adapter_config (1).json" if named else None)


@pytest.mark.parametrize("model", MODELS)
def test_a_folder_without_config(model: str, tmp_path: Path) -> None:
    stored_as(tmp_path, model, f"{WANTED[model]}.safetensors")
    config = tmp_path / "config.json"
    other = config.rename(tmp_path / "Config.json")
    audited = audit(str(tmp_path))
    if audited.architecture is None:
        assert audited.verdict == "undecided"
        return
    assert reported(audited, "C313").facts["similar"] == "Config.json"
    assert audit(str(tmp_path), config=str(other)).verdict == "clean"
    other.unlink()
    assert reported(audit(str(tmp_path)), "C313").facts["similar"] is None
    (tmp_path / "params.json").write_text("{", encoding="utf-8")
    assert "C313" not in codes(audit(str(tmp_path)))
    (tmp_path / "params.json").unlink()
    assert audit(str(tmp_path / f"{WANTED[model]}.safetensors")).verdict == "clean"


@pytest.mark.parametrize("beside", ["generation_config.json", "tokenizer_config.json", "preprocessor_config.json", ""])
@pytest.mark.parametrize("name", ["model.safetensors", "my-model.safetensors"])
def test_weights_of_an_unknown_model_that_transformers_saved_need_a_config(
    beside: str, name: str, tmp_path: Path
) -> None:
    """Without the other files nobody knows for which program an unknown model is."""
    write_file(tmp_path / name, {f"block.{number}.mix": ("F16", (8, 8 + number)) for number in range(9)})
    if beside:
        (tmp_path / beside).write_text("{}", encoding="utf-8")
    assert ("C313" in codes(audit(str(tmp_path)))) is bool(beside and name == "model.safetensors")


@pytest.mark.parametrize("model", [model for model in MODELS if WANTED[model].startswith("diffusion")])
def test_a_diffusers_model_in_a_file_named_by_accelerate(model: str, tmp_path: Path) -> None:
    stored_as(tmp_path, model, "model.safetensors")
    (tmp_path / "config.json").unlink()
    audited = audit(str(tmp_path))
    assert audited.architecture is None or reported(audited, "C313").facts["loader"] == "diffusers"


@pytest.mark.parametrize(("name", "rename", "expected"), [
    ("flux1-dev.safetensors", True, set()), ("model.safetensors", True, {"C313"}),
    ("diffusion_pytorch_model.safetensors", True, {"C313"}), ("flux1-dev.safetensors", False, {"C313"}),
])  # fmt: skip
@pytest.mark.parametrize("kind", [FLUX, SD3], ids=["FLUX", "Stable Diffusion 3"])
def test_a_single_file_of_its_authors_needs_no_config(
    name: str, rename: bool, expected: set[str], kind: dict[str, Any], tmp_path: Path
) -> None:
    """ComfyUI and `from_single_file` of diffusers read such a file under any name."""
    spec = genuine(kind, "F16")
    written = converters.flux if kind is FLUX else converters.sd3
    write_file(tmp_path / name, written(spec) if rename else spec)
    assert codes(audit(str(tmp_path))) == expected


@pytest.mark.parametrize("model_type", ["phi4_multimodal", "qwen2_audio", "ovis2"])
def test_a_config_of_another_spelling_is_reported_for_any_model(model_type: str, tmp_path: Path) -> None:
    """Also for models whose type the tensor names alone do not show."""
    record = base_record(model_type)
    write_folder(
        damaged(healthy(spec_of(record), record["config"]), [["file", "config.json", "Config.json"]]), tmp_path
    )
    found = audit(str(tmp_path))
    (finding,) = (one for one in found.findings if one.severity == "error")
    assert (finding.code, found.loads[0].outcome) == ("C313", "refuses")


@pytest.mark.parametrize("model_type", ["llama", "bert"])
def test_renamed_shards_are_one_error_whose_remedy_writes_their_index(model_type: str, tmp_path: Path) -> None:
    record = base_record(model_type)
    folder = damaged(healthy(spec_of(record), record["config"]), [["shards", 3]])
    folder.weights = {name.replace("model-", "pytorch_model-"): one for name, one in folder.weights.items()}
    found = audit(str(write_folder(folder, tmp_path)))
    (finding,) = (one for one in found.findings if one.severity != "note")
    assert (finding.code, [one.action for one in finding.remedy().steps]) == ("S221", ["write"])


@pytest.mark.parametrize("model_type", ["gpt2", "vit"])
@pytest.mark.parametrize("names", [
    {2: "model-00002-of-00003 (1).safetensors"}, {1: "Model-00001-of-00003.safetensors"},
    {1: "copy of 1.safetensors", 3: "model-00003-of-00003-b.safetensors"},
], ids=str)  # fmt: skip
def test_a_shard_under_another_name_is_renamed(model_type: str, names: dict[int, str], tmp_path: Path) -> None:
    record = base_record(model_type)
    write(tmp_path, spec_of(record), {**record["config"], "architectures": [record["class"]]}, shards=3)
    for number, name in names.items():
        (tmp_path / f"model-{number:05d}-of-00003.safetensors").rename(tmp_path / name)
    found = audit(str(tmp_path))
    assert codes(found) == {"S231"}
    assert not [one for one in found.findings if one.code == "S216"]
    (finding,) = (one for one in found.findings if one.code == "S231")
    for step in finding.remedy().steps:
        (tmp_path / str(step.file)).rename(tmp_path / step.new)
    assert audit(str(tmp_path)).verdict == "clean"


def test_only_a_file_that_fits_replaces_a_missing_shard(tmp_path: Path) -> None:
    record = base_record("gpt2")
    spec, config = spec_of(record), {**record["config"], "architectures": [record["class"]]}
    write(tmp_path, spec, config, shards=3)
    (tmp_path / "model-00002-of-00003.safetensors").unlink()
    write_file(tmp_path / "other.safetensors", dict(list(spec.items())[:4]))
    assert codes(audit(str(tmp_path))) == {"S201"}
    for number in (1, 3):
        (tmp_path / f"model-{number:05d}-of-00003.safetensors").rename(tmp_path / f"{number}.safetensors")
    (tmp_path / "1.safetensors").rename(tmp_path / "model-00001-of-00003.safetensors")
    found = audit(str(tmp_path))
    assert codes(found) == {"S201", "S231"}
    assert [one.facts["tensors"] for one in found.findings if one.code in ("S201", "S231")]


@pytest.mark.parametrize("model", ["llama", "bert", "t5", "vit"])
def test_a_config_without_model_type(model: str, tmp_path: Path) -> None:
    stored_as(tmp_path, model, "model.safetensors")
    path = tmp_path / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({key: value for key, value in config.items() if key != "model_type"}), encoding="utf-8")
    audited = audit(str(tmp_path))
    assert audited.architecture is None or "C314" in codes(audited)
    path.write_text(json.dumps(config), encoding="utf-8")
    assert audit(str(tmp_path)).verdict == "clean"


def test_a_name_that_the_config_states(tmp_path: Path) -> None:
    assert codes(stored_as(tmp_path, "llama", "own.safetensors")) == {"S221"}
    config = {**SMALL_LLAMA, "transformers_weights": "own.safetensors"}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert "S221" not in codes(audit(str(tmp_path)))


@pytest.mark.parametrize(("named", "files", "found"), [
    ("own.safetensors", ["own.safetensors"], {}),
    ("own.safetensors", ["model.safetensors", "own.safetensors"], {}),
    ("own.safetensors.index.json", ["own.safetensors.index.json", "a.safetensors"], {}),
    (None, ["model.safetensors"], {}),
    ("own.safetensors", ["model.safetensors"], {"S236": 'remove "transformers_weights"'}),
    ("../own.safetensors", ["model.safetensors"], {"S236": 'remove "transformers_weights"'}),
    ("own.bin", ["model.safetensors"], {"S236": 'remove "transformers_weights"'}),
    ("own.safetensors", ["other.safetensors"], {"S236": 'set "transformers_weights": "other.safetensors"'}),
])  # fmt: skip
def test_weights_that_the_config_names(
    named: str | None, files: list[str], found: dict[str, str], tmp_path: Path
) -> None:
    spec, config = MODELS["llama"]
    write(tmp_path, spec, {**config, "transformers_weights": named})
    whole = (tmp_path / "model.safetensors").rename(tmp_path / "whole")
    for name in files:
        if name.endswith(".json"):
            index = {"metadata": {}, "weight_map": dict.fromkeys(spec, files[-1])}
            (tmp_path / name).write_text(json.dumps(index), encoding="utf-8")
        else:
            (tmp_path / name).write_bytes(whole.read_bytes())
    whole.unlink()
    audited = audit(str(tmp_path))
    errors = {one.code: one.help for one in audited.findings if one.severity == "error"}
    assert errors.keys() == found.keys()
    assert all(errors[code].startswith(words) for code, words in found.items())
    outcomes = {one.outcome for one in audited.loads if one.loader == "transformers"}
    assert outcomes <= ({"refuses"} if found else {"complete"})


def test_the_weights_that_the_config_names_are_audited(tmp_path: Path) -> None:
    spec, config = MODELS["llama"]
    write(tmp_path, spec, {**config, "transformers_weights": "own.safetensors"})
    write_file(tmp_path / "own.safetensors", {name: spec[name] for name in list(spec)[:-1]})
    audited = audit(str(tmp_path))
    assert audited.checkpoint.set_name == "own.safetensors"
    assert audited.verdict == "findings"


def test_files_that_a_loader_finds_next_to_others_get_no_finding(tmp_path: Path) -> None:
    spec, config = MODELS["llama"]
    write(tmp_path, spec, config, shards=2)
    write_file(tmp_path / "consolidated.safetensors", spec)
    write_file(tmp_path / "model.fp16.safetensors", spec)
    assert codes(audit(str(tmp_path))) == set()


GPT_FAST = {"tok_embeddings.weight": ("BF16", (320, 256)), "output.weight": ("BF16", (320, 256)),
            **{f"layers.{layer}.{name}": ("BF16", shape) for layer in range(2) for name, shape in {
                "attention.wqkv.weight": (768, 256), "attention.wo.weight": (256, 256),
                "feed_forward.w1.weight": (640, 256), "feed_forward.w3.weight": (640, 256),
                "feed_forward.w2.weight": (256, 640), "ffn_norm.weight": (256,), "attention_norm.weight": (256,),
            }.items()}, "norm.weight": ("BF16", (256,))}  # fmt: skip


def first_gptq() -> Spec:
    """Matrices as GPTQ-for-LLaMa wrote them first."""
    found: Spec = {}
    for name, (dtype, shape) in genuine(SMALL_LLAMA).items():
        if not name.endswith("_proj.weight"):
            found[name] = (dtype, shape)
            continue
        rows, inputs = shape
        module = name.removesuffix("weight")
        found |= {f"{module}qweight": ("I32", (inputs // 8, rows)), f"{module}scales": ("F32", (rows, 1)),
                  f"{module}zeros": ("F32", (rows, 1))}  # fmt: skip
    return found


def first_converter() -> Spec:
    """The names of a conversion from before Llama was in transformers."""
    changes = (("model.", "model.decoder."), ("mlp.gate_proj", "feed_forward.w1"), ("mlp.up_proj", "feed_forward.w3"),
               ("mlp.down_proj", "feed_forward.w2"), ("post_attention_layernorm", "ffn_norm"),
               ("input_layernorm", "attention_norm"))  # fmt: skip
    found: Spec = {}
    for name, entry in genuine(SMALL_LLAMA).items():
        for old, new in changes:
            name = name.replace(old, new)
        found[name] = entry
    return found


@pytest.mark.parametrize(("spec", "expected"), [
    (GPT_FAST, {"N462"}), (first_gptq(), {"T646"}), (first_converter(), {"N470"}),
])  # fmt: skip
def test_weights_that_no_loader_reads_under_any_name(spec: Spec, expected: set[str], tmp_path: Path) -> None:
    """Renamed, they would load and leave most of the model random."""
    (tmp_path / "config.json").write_text(json.dumps(SMALL_LLAMA), encoding="utf-8")
    write_file(tmp_path / "own-4bit.safetensors", spec)
    assert codes(audit(str(tmp_path))) == expected


LITGPT = ("lit_model.safetensors", "model_config.yaml")


@pytest.mark.parametrize(("kind", "own_config", "found"), [
    ("llama", True, set()), ("qwen2", True, set()), ("gemma", True, set()), ("llama", False, {"N470"}),
])  # fmt: skip
def test_a_folder_of_litgpt_is_for_litgpt(kind: str, own_config: bool, found: set[str], tmp_path: Path) -> None:
    """`litgpt download` copies config.json next to its own weights and config."""
    config = config_of(kind)
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    write_file(tmp_path / LITGPT[0], litgpt(genuine(config)))
    if own_config:
        (tmp_path / LITGPT[1]).write_text("name: own\n", encoding="utf-8")
    assert codes(audit(str(tmp_path))) == found


@pytest.mark.parametrize("kind", ["llama", "qwen2", "mixtral"])
def test_weights_of_a_text_model_alone(kind: str, tmp_path: Path) -> None:
    """Nobody knows for which program they are, unless the other files of transformers are there."""
    write_file(tmp_path / "own.safetensors", genuine(config_of(kind)))
    lone = audit(str(tmp_path))
    assert (lone.verdict, codes(lone)) == ("undecided", set())
    (note,) = (one for one in lone.findings if one.code == "S263")
    assert note.facts["wanted"] == "model.safetensors"
    assert audit(str(tmp_path / "own.safetensors")).verdict == "clean"
    (tmp_path / "tokenizer_config.json").write_text("{}", encoding="utf-8")
    assert codes(audit(str(tmp_path))) == {"C313", "S221"}


@pytest.mark.parametrize("model", ["bert", "t5", "vit", "clip_text_model"])
def test_other_weights_alone_are_for_programs_that_read_the_file(model: str, tmp_path: Path) -> None:
    write_file(tmp_path / "own.safetensors", MODELS[model][0])
    assert not {"S263", "C313", "S221"} & {one.code for one in audit(str(tmp_path)).findings}


@pytest.mark.parametrize(("width", "rows", "state", "learned"), [
    (32, 49409, True, 1), (48, 49412, True, 4), (32, 49408, True, 0), (32, 49409, False, 0), (32, 107, True, 0),
])  # fmt: skip
def test_the_state_of_a_textual_inversion_training(
    width: int, rows: int, state: bool, learned: int, tmp_path: Path
) -> None:
    """accelerate saves the whole text encoder as model.safetensors."""
    config = {"model_type": "clip_text_model", "hidden_size": width, "intermediate_size": 64, "num_hidden_layers": 2,
              "num_attention_heads": 4, "vocab_size": rows}  # fmt: skip
    write_file(tmp_path / "model.safetensors", genuine(config))
    for name in ("optimizer.bin", "random_states_0.pkl", "scheduler.bin") if state else ():
        (tmp_path / name).write_bytes(b"{}")
    finding = reported(audit(str(tmp_path)), "C313")
    assert finding.facts.get("learned", 0) == learned
    assert ("load_textual_inversion" in finding.remedy().words) is bool(learned)


@pytest.mark.parametrize(("model_type", "suffix"), [
    ("openai-gpt", "LMHeadModel"), ("gpt2", "LMHeadModel"), ("bert", "ForMaskedLM"),
])  # fmt: skip
def test_names_give_the_type_beside_a_wrong_value(model_type: str, suffix: str, tmp_path: Path) -> None:
    record = base_record(model_type, suffix)
    config = {key: one for key, one in record["config"].items() if key not in ("model_type", "architectures")}
    write(tmp_path, spec_of(record), {**config, "vocab_size": 3})
    errors = {one.code: one for one in audit(str(tmp_path)).findings if one.severity == "error"}
    assert errors.keys() == {"C310", "C314"}
    assert f'"model_type": "{model_type}"' in errors["C314"].remedy().words
    write(tmp_path, spec_of(record), {"vocab_size": 3, "layers": 2, "width": 16})
    errors = {one.code: one for one in audit(str(tmp_path)).findings if one.severity == "error"}
    assert f'"model_type": "{model_type}"' not in errors["C314"].remedy().words
