"""Folders with two sets of weights that the same loader could read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.findings.shards.sets import SetsDiffer
from tests.checkpoints import Spec, genuine, write_file
from tests.comparing.pair_audits import torch_file
from tests.judged import base_record, spec_of
from tests.loads.damage import INDEX, MODEL, Damage, damaged, healthy, write
from tests.oracle.make_loads import fill
from tests.quantization.stored import checkpoint
from tests.test_pipelines import UNET

TYPES = ("llama", "bert", "vit")
SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
DIFFUSION = "diffusion_pytorch_model.safetensors"


def audited(place: Path, model_type: str, *damages: Damage) -> Audit:
    """The audit of a damaged folder, with random data."""
    record = base_record(model_type)
    return audit(str(write(damaged(healthy(spec_of(record), record["config"]), damages), place, fill)))


def differing(found: Audit) -> SetsDiffer:
    """The only error of an audit."""
    (finding,) = (one for one in found.findings if one.severity != "note")
    assert isinstance(finding, SetsDiffer)
    return finding


@pytest.mark.parametrize(
    ("model_type", "part", "put", "codes"),
    [
        ("llama", "lm_head", {}, ["S234"]),
        ("llama", "model.layers.1.", {}, ["S234"]),
        ("qwen3", "model.layers.", {}, ["S234"]),
        ("bert", "bert.encoder.layer.1.", {}, ["S234"]),
        ("llama", "lm_head", {"step": ("F32", (1,))}, ["P701"]),  # a file with something else, too
        ("llama", "", {"step": ("F32", (1,))}, []),  # nothing is missing
    ],
)
def test_a_file_beside_the_shards_with_what_they_lack(
    model_type: str, part: str, put: Spec, codes: list[str], tmp_path: Path
) -> None:
    record = base_record(model_type)
    spec = spec_of(record)
    inside = {name: entry for name, entry in spec.items() if part and name.startswith(part)}
    names = [name for name in spec if name not in inside]
    halves = [{name: spec[name] for name in some} for some in (names[::2], names[1::2])]
    for shard, half in zip(SHARDS, halves, strict=True):
        write_file(tmp_path / shard, half)
    write_file(tmp_path / "rest.safetensors", {**inside, **put})
    entries = {name: shard for shard, half in zip(SHARDS, halves, strict=True) for name in half}
    (tmp_path / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": entries}))
    (tmp_path / "config.json").write_text(json.dumps(record["config"]))
    found = [one for one in audit(str(tmp_path)).findings if one.severity != "note"]
    assert [one.code for one in found] == codes
    if codes == ["S234"]:
        assert (found[0].place.file, found[0].help) == ("rest.safetensors", "regenerate the index from the headers")


@pytest.mark.parametrize(("kind", "again"), [("mlx", "convert"), ("pt", "save")])
@pytest.mark.parametrize("model_type", ["llama", "bert"])
def test_a_save_without_tensors_is_one_finding(model_type: str, kind: str, again: str, tmp_path: Path) -> None:
    """Its index lists no file for the same reason, and its header is whole: another download is no remedy."""
    write_file(tmp_path / MODEL, {}, {"format": kind})
    (tmp_path / "config.json").write_text(json.dumps(base_record(model_type)["config"]))
    (tmp_path / INDEX).write_text(json.dumps({"metadata": {"total_size": 0}, "weight_map": {}}))
    (finding,) = (one for one in audit(str(tmp_path)).findings if one.severity != "note")
    assert (finding.code, finding.help.partition(" ")[0]) == ("N485", again)
    assert finding.help.endswith("only if its repository has one with tensors")


@pytest.mark.parametrize("model_type", TYPES)
def test_a_single_file_without_tensors_is_moved_aside(model_type: str, tmp_path: Path) -> None:
    """Several processes that save at once leave it next to the shards; transformers takes it and draws all tensors."""
    record = base_record(model_type)
    found = audited(tmp_path, model_type, ["shards", 2], ["beside", MODEL, 1, *spec_of(record)])
    finding = differing(found)
    assert (finding.help, finding.problems) == (f"move {MODEL} aside", ("N485",))
    assert all(one.outcome == "random" for one in found.loads if one.loader == "transformers")
    (tmp_path / MODEL).unlink()
    assert audit(str(tmp_path)).verdict == "clean"


@pytest.mark.parametrize("model_type", TYPES)
def test_the_single_file_is_audited(model_type: str, tmp_path: Path) -> None:
    found = audited(tmp_path, model_type, ["shards", 2], ["beside", MODEL, 1])
    assert [file.name for file in found.checkpoint.files] == [MODEL]
    (skipped,) = (skip for skip in found.skipped if skip.decisive)
    assert (found.verdict, skipped.check) == ("undecided", "which of two sets is meant")
    (tmp_path / INDEX).unlink()
    for name in SHARDS:
        (tmp_path / name).unlink()
    assert audit(str(tmp_path)).verdict == "clean"


@pytest.mark.parametrize("model_type", TYPES)
def test_a_single_file_that_does_not_fit_is_the_one_to_move(model_type: str, tmp_path: Path) -> None:
    lost = list(base_record(model_type)["tensors"])[2:]
    finding = differing(audited(tmp_path, model_type, ["shards", 2], ["beside", MODEL, 1, *lost]))
    assert (finding.fits, finding.aside) == (INDEX, (MODEL,))
    for step in finding.remedy().steps:
        (tmp_path / str(step.file)).unlink()
    assert audit(str(tmp_path)).verdict == "clean"


@pytest.mark.parametrize("model_type", TYPES)
@pytest.mark.parametrize("whole", [True, False])
def test_the_placeholders_of_zero_3_beside_the_gathered_shards(model_type: str, whole: bool, tmp_path: Path) -> None:
    record = base_record(model_type)
    spec = spec_of(record)
    write(damaged(healthy(spec, record["config"]), [["shards", 2]]), tmp_path, fill)
    if not whole:
        (tmp_path / SHARDS[0]).unlink()
    write_file(tmp_path / MODEL, {name: (dtype, (0,)) for name, (dtype, _) in spec.items()})
    found = audit(str(tmp_path))
    if whole:
        assert (differing(found).fits, differing(found).aside, differing(found).problems) == (
            INDEX,
            (MODEL,),
            ("R042",),
        )
        (tmp_path / MODEL).unlink()
        assert audit(str(tmp_path)).verdict == "clean"
    else:
        assert "R042" in {one.code for one in found.findings}


@pytest.mark.parametrize(
    ("model_type", "suffix", "head"),
    [("roberta", "MaskedLM", "lm_head"), ("bert", "MaskedLM", "cls"), ("distilbert", "MaskedLM", "vocab_")],
)
@pytest.mark.parametrize("complete", [True, False])
def test_a_head_that_the_files_of_pytorch_have(
    model_type: str, suffix: str, head: str, complete: bool, tmp_path: Path
) -> None:
    """A conversion of the base model leaves out the head."""
    record = base_record(model_type, suffix)
    config = {"model_type": model_type, "architectures": [record["class"]], **record["config"]}
    spec = spec_of(record)
    base = {name: entry for name, entry in spec.items() if not name.startswith(head)}
    write(healthy(base, config), tmp_path, fill)
    (tmp_path / "pytorch_model.bin").write_bytes(torch_file(spec if complete else base, []))
    found = [one for one in audit(str(tmp_path)).findings if one.severity != "note"]
    assert [one.code for one in found] == (["S223"] if complete else ["N431"])
    if complete:
        assert (found[0].help, found[0].facts["problems"]) == (f"move {MODEL} aside", ["N431"])
        (tmp_path / MODEL).unlink()
        assert audit(str(tmp_path)).verdict == "clean"


def test_diffusers_takes_the_index(tmp_path: Path) -> None:
    folder = healthy(genuine(UNET, "F16"), UNET)
    write(damaged(folder, [["shards", 2, DIFFUSION], ["beside", DIFFUSION, 1, "conv_in.weight"]]), tmp_path, fill)
    finding = differing(audit(str(tmp_path)))
    assert (finding.loader, finding.loaded.name) == ("diffusers", f"{DIFFUSION}.index.json")


def test_the_file_that_diffusers_reads_is_audited(tmp_path: Path) -> None:
    folder = healthy(genuine(UNET, "F16"), UNET, DIFFUSION)
    found = audit(str(write(damaged(folder, [["beside", MODEL, 1]]), tmp_path, fill)))
    assert (found.verdict, [file.name for file in found.checkpoint.files]) == ("clean", [DIFFUSION])


def test_diffusers_refuses_paths_in_an_index(tmp_path: Path) -> None:
    """As recorded of 0.42 for `./`, which transformers takes."""
    index = f"{DIFFUSION}.index.json"
    folder = healthy(genuine(UNET, "F16"), UNET, DIFFUSION)
    found = audit(str(write(damaged(folder, [["shards", 2, DIFFUSION], ["paths", index, "./"]]), tmp_path, fill)))
    finding = next(one for one in found.findings if one.severity == "error")
    assert (finding.code, [one.outcome for one in found.loads]) == ("S209", ["refuses"])
    assert [step.action for step in finding.remedy().steps] == ["write"]


def test_an_index_without_shards(tmp_path: Path) -> None:
    index = {"metadata": {}, "weight_map": {"conv_in.weight": "gone.safetensors"}}
    folder = healthy(genuine(UNET, "F16"), UNET, DIFFUSION)
    write(damaged(folder, [["text", f"{DIFFUSION}.index.json", index]]), tmp_path)
    (finding,) = (one for one in audit(str(tmp_path)).findings if one.severity != "note")
    assert (finding.code, finding.severity) == ("S224", "error")
    (step,) = finding.remedy().steps
    (tmp_path / str(step.file)).unlink()
    assert audit(str(tmp_path)).verdict == "clean"
    found = audited(tmp_path / "other", "llama", ["text", INDEX, index])
    assert [one.code for one in found.findings if one.severity != "note"] == ["S211"]


def test_an_index_whose_shards_are_missing_next_to_pytorch_files(tmp_path: Path) -> None:
    record = base_record("llama")
    index = {"metadata": {}, "weight_map": dict.fromkeys(record["tensors"], SHARDS[0])}
    write(
        damaged(healthy(spec_of(record), record["config"]), [["file", MODEL, None], ["text", INDEX, index]]), tmp_path
    )
    (tmp_path / "pytorch_model.bin").write_bytes(torch_file(spec_of(record), []))
    finding = differing(audit(str(tmp_path)))
    assert (finding.fits, finding.aside, finding.problems) == ("pytorch_model.bin", (INDEX,), ("S201",))
    (tmp_path / INDEX).unlink()
    assert audit(str(tmp_path)).verdict == "clean"


@pytest.mark.parametrize("listed", [INDEX, "config.json", "notes.txt"])
def test_an_index_of_files_that_are_not_weights(listed: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("text")
    names = dict.fromkeys(base_record("llama")["tensors"], listed)
    found = audited(tmp_path, "llama", ["text", INDEX, {"metadata": {"total_size": 1}, "weight_map": names}])
    (finding,) = (one for one in found.findings if one.severity != "note")
    assert (finding.code, finding.place.file, finding.facts["problems"]) == ("S230", INDEX, ["R005"])
    for step in finding.remedy().steps:
        (tmp_path / str(step.file)).unlink()
    assert audit(str(tmp_path)).verdict == "clean"


@pytest.mark.parametrize("model_type", TYPES)
def test_an_index_of_the_other_format_that_names_the_shards(model_type: str, tmp_path: Path) -> None:
    """transformers opens what `pytorch_model.bin.index.json` lists, in the format of each file."""
    audited(tmp_path, model_type, ["shards", 2])
    index = (tmp_path / INDEX).rename(tmp_path / "pytorch_model.bin.index.json")
    found = audit(str(tmp_path))
    assert (found.verdict, [one.outcome for one in found.loads][:2]) == ("clean", ["complete", "complete"])
    index.write_text(index.read_text("utf-8").replace(SHARDS[1], "pytorch_model-00002-of-00002.bin"), encoding="utf-8")
    assert "S222" in {one.code for one in audit(str(tmp_path)).findings}


@pytest.mark.parametrize("index", ["diffusion_pytorch_model.bin.index.json", f"{DIFFUSION}.index.json"])
def test_diffusers_finds_only_the_index_of_safetensors(index: str, tmp_path: Path) -> None:
    """Measured with 0.42: OSError for a model and for a pipeline, unless `use_safetensors=False` is passed."""
    spec = genuine(UNET, "F32")
    names = sorted(spec)
    parts = {f"diffusion_pytorch_model-0000{at + 1}-of-00002.safetensors": names[at::2] for at in range(2)}
    for file, held in parts.items():
        write_file(tmp_path / file, {name: spec[name] for name in held})
    listed = {name: file for file, held in parts.items() for name in held}
    (tmp_path / index).write_text(json.dumps({"metadata": {}, "weight_map": listed}), encoding="utf-8")
    (tmp_path / "config.json").write_text(json.dumps(UNET), encoding="utf-8")
    found, pickled = audit(str(tmp_path)), ".bin." in index
    assert {one.code for one in found.findings if one.severity == "error"} == ({"S242"} if pickled else set())
    assert [one.outcome for one in found.loads] == ["refuses" if pickled else "complete"]


@pytest.mark.parametrize("model_type", TYPES)
def test_an_index_that_names_files_of_torch(model_type: str, tmp_path: Path) -> None:
    """transformers opens what `model.safetensors.index.json` lists, each file by its own ending."""
    spec = spec_of(base_record(model_type))
    names = sorted(spec)
    parts = {"hf_model_0001_15.pt": names[::2], "hf_model_0002_15.pt": names[1::2]}
    audited(tmp_path, model_type)
    (tmp_path / MODEL).unlink()
    for file, inside in parts.items():
        (tmp_path / file).write_bytes(torch_file({name: spec[name] for name in inside}, []))
    index = {"metadata": {}, "weight_map": {name: file for file, inside in parts.items() for name in inside}}
    (tmp_path / INDEX).write_text(json.dumps(index), encoding="utf-8")
    found = audit(str(tmp_path))
    assert (found.verdict, [one.outcome for one in found.loads][:2]) == ("clean", ["complete", "complete"])
    (tmp_path / "hf_model_0002_15.pt").unlink()
    assert [one.code for one in audit(str(tmp_path)).findings if one.severity == "error"] == ["S201"]


OLD = "model-old.safetensors"
PAIR: Spec = {f"base_model.model.model.layers.0.self_attn.q_proj.lora_{side}.weight": ("F32", (8, 8)) for side in "AB"}
ADAPTER = {
    "adapter_config.json": json.dumps({"peft_type": "LORA", "r": 8, "target_modules": ["q_proj"]}).encode(),
    "adapter_model.bin": torch_file(PAIR, []),
}


@pytest.mark.parametrize(
    ("model_type", "suffix"), [("llama", "CausalLM"), ("qwen3", "CausalLM"), ("gemma2", "CausalLM")]
)
@pytest.mark.parametrize(("other", "shards", "opened"), [
    (OLD, 1, {"vllm", "mlx"}), (OLD, 2, {"mlx"}), ("consolidated.safetensors", 1, {"vllm"}),
    ("consolidated.safetensors", 2, {"vllm"}), ("consolidated-00001-of-00001.safetensors", 2, {"vllm"}),
    ("value_head.safetensors", 1, {"vllm"}), ("value_head.safetensors", 2, set()),
])  # fmt: skip
def test_programs_that_merge_all_files_read_a_stray_one(
    model_type: str, suffix: str, other: str, shards: int, opened: set[str], tmp_path: Path
) -> None:
    """transformers reads one set; mlx-lm merges `model*.safetensors`; vLLM reads the files in Mistral's format alone,
    and without these every file that no index leaves out.
    """
    record = base_record(model_type, suffix)
    stray: list[Damage] = [["shards", 2]] if shards == 2 else []
    for damages, wanted in (([*stray, ["beside", other, 1]], opened), (stray, set())):
        place = tmp_path / str(len(damages))
        found = audit(str(write(damaged(healthy(spec_of(record), record["config"]), damages), place)))
        assert found.verdict == "clean"
        assert {one.loader for one in found.loads if one.outcome == "unknown" and other in one.because} == wanted
        assert {one.loader for one in found.loads if one.outcome == "complete"} >= {"vllm", "mlx"} - wanted
        notes = {one.code: one for one in found.findings}
        beside = len(damages) > len(stray)
        assert ("R085" in notes) is (beside and other.startswith("value_head"))
        assert ("S216" in notes) is (beside and not other.startswith("value_head"))
        named = notes["S216"].facts.get("consolidated") if "S216" in notes else None
        assert named == (other if beside and other.startswith("consolidated") else None)


@pytest.mark.parametrize("stray", [True, False])
@pytest.mark.parametrize("name", ["mlx_4bit_g64", "mlx_mxfp4", "mlx_4bit_mixtral"])
def test_a_stray_file_that_its_own_loader_merges_is_left_open(name: str, stray: bool, tmp_path: Path) -> None:
    config, spec, _ = checkpoint(name)
    folder = damaged(healthy(spec, config), [["beside", OLD, 1]] if stray else [])
    assert audit(str(write(folder, tmp_path))).verdict == ("undecided" if stray else "clean")


def test_a_value_head_beside_an_adapter_and_other_weights(tmp_path: Path) -> None:
    names = ("value_head.bin", "non_lora_trainables.bin")
    folder = {**ADAPTER, **dict.fromkeys(names, torch_file({"v_head.summary.weight": ("F32", (1, 8))}, []))}
    for name, content in folder.items():
        (tmp_path / name).write_bytes(content)
    assert {one.code for one in audit(str(tmp_path)).findings} >= {"R085", "S241"}


def test_a_file_in_mistrals_format_that_is_audited_itself(tmp_path: Path) -> None:
    record = base_record("mistral", "CausalLM")
    folder = damaged(healthy(spec_of(record), record["config"]), [["beside", "consolidated.safetensors", 1]])
    found = audit(str(write(folder, tmp_path)), weights="consolidated.safetensors")
    assert not any("in place of this set" in one.because or "it also reads" in one.because for one in found.loads)
    assert "consolidated" not in next(one for one in found.findings if one.code == "S216").facts
