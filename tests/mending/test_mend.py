"""Damaged checkpoints are clean after `inspector mend --write`, and no byte of a tensor has changed."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from math import prod
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from inspector.auditing.start import audit
from inspector.cli.verbs import audit as audit_command
from inspector.cli.verbs import mend
from inspector.dialects.gguf_config import own_key
from inspector.mending.json_text import with_value, without_key
from inspector.mending.patterns import renamed
from inspector.mending.places import Folder
from tests.checkpoints import genuine
from tests.judged import diffusers_records, spec_of
from tests.mending.damages import DAMAGES, LLAMA, damaged, digests, store, whole
from tests.readers.file_builders import Code, archive

ROOT = Path(__file__).parent.parent.parent


def run(folder: Path, **options: Any) -> tuple[int, dict[str, Any]]:
    """The exit code and the document."""
    outcome = mend(str(folder), format="json", **options)
    return outcome.code, json.loads(outcome.text)


def contents(folder: Path) -> dict[str, bytes]:
    """All files but mend's journal."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".inspector-mend.json"}


@pytest.mark.thinned
@pytest.mark.parametrize("name", DAMAGES)
def test_the_result_is_clean_and_the_tensors_are_unchanged(name: str, tmp_path: Path) -> None:
    before = damaged(name, tmp_path)
    stored = contents(tmp_path)
    code, plan = run(tmp_path)
    assert (code, plan["left"], contents(tmp_path)) == (0, [], stored)
    assert plan["steps"] and not any(step["done"] for step in plan["steps"])
    code, done = run(tmp_path, write=True)
    assert (code, done["after"], done["failure"]) == (0, "clean", None), done
    assert all(step["done"] for step in done["steps"])
    assert Counter(digests(tmp_path).values()) <= Counter(before.values())
    assert audit(str(tmp_path)).verdict == "clean"
    kept = {step["backup"] for step in done["steps"] if step["backup"]}
    assert all((tmp_path / backup).exists() for backup in kept)
    assert run(tmp_path, write=True)[1]["steps"] == []
    assert run(tmp_path, undo=True)[0] == 0
    assert contents(tmp_path) == stored


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("renamed parts of words", ["N407"]), ("renamed parts of words, qwen3", ["N407"]),
        ("index lacks a shard", ["S234"]), ("index lacks a shard and entries", ["S205"]),
    ],
)  # fmt: skip
def test_one_cause_is_one_finding(name: str, codes: list[str], tmp_path: Path) -> None:
    damaged(name, tmp_path)
    assert [one.code for one in audit(str(tmp_path)).findings if one.severity != "note"] == codes


def test_a_shard_that_nothing_needs_is_not_added_to_the_index(tmp_path: Path) -> None:
    whole(tmp_path, genuine(LLAMA), LLAMA, 3)
    larger = genuine({**LLAMA, "num_hidden_layers": 8})
    store(tmp_path / "model-00004-of-00004.safetensors", {key: larger[key] for key in larger if ".layers.7." in key})
    (finding,) = audit(str(tmp_path)).findings
    assert (finding.code, finding.severity, finding.steps) == ("S204", "warning", ())
    assert finding.help.startswith("move model-00004-of-00004.safetensors aside")


@pytest.mark.parametrize("name", ["DataParallel, shards", "kv heads", "older shards", "name"])
def test_writing_to_a_new_folder_leaves_the_old_one_unchanged(name: str, tmp_path: Path) -> None:
    damaged(name, tmp_path / "old")
    stored = contents(tmp_path / "old")
    code, done = run(tmp_path / "old", into=str(tmp_path / "new"))
    assert (code, done["after"], done["target"]) == (0, "clean", str(tmp_path / "new"))
    assert contents(tmp_path / "old") == stored
    assert not [path for path in (tmp_path / "new").iterdir() if ".orig" in path.name or path.name.startswith(".")]
    assert run(tmp_path / "old", into=str(tmp_path / "new"))[0] == 3


@pytest.mark.parametrize("inner", ["a", "a/b/c"])
def test_the_folders_above_a_new_folder_are_created(inner: str, tmp_path: Path) -> None:
    damaged("name", tmp_path / "old")
    code, done = run(tmp_path / "old", into=str(tmp_path / inner / "new"))
    assert (code, done["after"], done["target"]) == (0, "clean", str(tmp_path / inner / "new"))


@pytest.mark.parametrize("inner", ["new", "a/new"])
def test_a_new_folder_that_cannot_be_made_is_named(inner: str, tmp_path: Path) -> None:
    damaged("name", tmp_path / "old")
    (tmp_path / "file").write_text("", encoding="utf-8")
    text = mend(str(tmp_path / "old"), into=str(tmp_path / "file" / inner)).text
    assert "Errno" not in text and f"/file/{inner}: " in " ".join(text.split())


MENTIONS_MEND = {
    "kv heads": "set num_key_value_heads to 2 in config.json (now 8)",
    "renamed family": "rename 6 tensors model.layers.{n}.self_attn.query_proj.weight to",
    "DataParallel, shards": "rename tensors module.* to * in 3 files",
    "older shards": "move aside 5 files: model-00001-of-00005.safetensors,",
    "no format": "1 step, which a note suggests and nothing requires",
}


@pytest.mark.parametrize("name", MENTIONS_MEND)
def test_an_audit_names_mend_where_it_has_steps(name: str, tmp_path: Path) -> None:
    damaged(name, tmp_path)
    assert MENTIONS_MEND[name] in " ".join(mend(str(tmp_path)).text.split())
    has_faults = name != "no format"
    reported = " ".join(audit_command(str(tmp_path)).text.split())
    assert (f"inspector mend {tmp_path} prints the steps" in reported) == has_faults
    assert "inspector mend" not in audit_command(str(tmp_path), config=str(tmp_path / "config.json")).text
    done = " ".join(mend(str(tmp_path), write=True).text.split())
    assert "(now " not in done and ("(was 8)" in done) == (name == "kv heads")


def test_without_repairs_no_folder_is_written(tmp_path: Path) -> None:
    whole(tmp_path / "old", genuine(LLAMA), LLAMA)
    outcome = mend(str(tmp_path / "old"), into=str(tmp_path / "new"))
    assert (outcome.code, (tmp_path / "new").exists()) == (0, False)
    assert " ".join(outcome.text.split()).startswith(f"{tmp_path}/old: nothing to mend; {tmp_path}/new was not written")
    absent = mend(str(tmp_path / "absent"))
    assert (absent.code, absent.text) == (3, "")
    assert absent.errors.startswith("error[R001]")


def test_remaining_errors_prevent_writing(tmp_path: Path) -> None:
    damaged("kv heads", tmp_path)
    spec = genuine(LLAMA)
    del spec["model.layers.3.mlp.up_proj.weight"]
    store(tmp_path / "model.safetensors", spec)
    stored = contents(tmp_path)
    code, plan = run(tmp_path, write=True)
    assert (code, [one["finding"] for one in plan["left"]]) == (1, ["N403"])
    assert contents(tmp_path) == stored
    code, done = run(tmp_path, write=True, partial=True)
    assert (code, done["after"]) == (1, "findings")
    assert json.loads((tmp_path / "config.json").read_text())["num_key_value_heads"] == 2


def test_a_changed_file_keeps_its_permissions(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "fixtures/checkpoints/meta-numbers", tmp_path, dirs_exist_ok=True)
    params = tmp_path / "params.json"
    params.chmod(0o600)
    folder = Folder(str(tmp_path), keep=True)
    Path(folder.temporary(params.name)).write_text("{}")
    folder.put(params.name)
    assert params.read_text() == "{}"
    assert params.stat().st_mode & 0o777 == 0o600


def test_a_byte_order_mark_is_removed(tmp_path: Path) -> None:
    whole(tmp_path, genuine(LLAMA), LLAMA)
    config = tmp_path / "config.json"
    text = config.read_bytes()
    config.write_bytes(b"\xef\xbb\xbf" + text)
    code, done = run(tmp_path, write=True)
    assert (code, done["after"], [step["action"] for step in done["steps"]]) == (0, "clean", ["write"])
    assert config.read_bytes() == text
    assert run(tmp_path, undo=True)[0] == 0
    assert config.read_bytes() == b"\xef\xbb\xbf" + text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_config_in_utf_16_is_written_in_utf_8(encoding: str, tmp_path: Path) -> None:
    whole(tmp_path, genuine(LLAMA), LLAMA)
    config = tmp_path / "config.json"
    text = config.read_text(encoding="utf-8")
    config.write_bytes(text.encode(encoding))
    code, done = run(tmp_path, write=True)
    assert (code, done["after"], [step["action"] for step in done["steps"]]) == (0, "clean", ["write"])
    assert config.read_text(encoding="utf-8") == text


def test_shards_in_a_folder_below_are_moved_to_their_index(tmp_path: Path) -> None:
    whole(tmp_path, genuine(LLAMA), LLAMA, 3)
    (tmp_path / "weights").mkdir()
    for path in tmp_path.glob("model-*.safetensors"):
        path.rename(tmp_path / "weights" / path.name)
    code, done = run(tmp_path, write=True)
    assert (code, done["after"], len(done["steps"])) == (0, "clean", 3)


def test_the_shards_of_a_complete_save_get_the_index_of_another(tmp_path: Path) -> None:
    whole(tmp_path, genuine(LLAMA), LLAMA, 2)
    index = (tmp_path / "model.safetensors.index.json").read_text(encoding="utf-8")
    whole(tmp_path, genuine(LLAMA), LLAMA, 3)
    (tmp_path / "model-00002-of-00002.safetensors").unlink()
    (tmp_path / "model.safetensors.index.json").write_text(index, encoding="utf-8")
    (finding,) = (one for one in audit(str(tmp_path)).findings if one.severity != "note")
    assert finding.code == "N486"
    code, done = run(tmp_path, write=True)
    assert (code, done["after"]) == (0, "clean")


def test_a_healthy_checkpoint_needs_no_repair(tmp_path: Path) -> None:
    whole(tmp_path, genuine(LLAMA), LLAMA, 3)
    code, plan = run(tmp_path, write=True)
    assert (code, plan["steps"], plan["left"], plan["after"]) == (0, [], [], None)


def test_a_download_in_progress_is_not_changed(tmp_path: Path) -> None:
    damaged("kv heads", tmp_path)
    (tmp_path / ".cache/huggingface/download").mkdir(parents=True)
    (tmp_path / ".cache/huggingface/download/model.safetensors.a.incomplete").write_bytes(b"")
    code, done = run(tmp_path, write=True)
    assert code == 3
    assert "a download is in progress" in done["failure"]


def test_without_space_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged("torch.compile", tmp_path)
    stored = contents(tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=9))
    code, done = run(tmp_path, write=True)
    assert code == 3
    assert done["failure"].endswith("are needed and 9 are free")
    assert contents(tmp_path) == stored


@pytest.mark.parametrize(
    "times", [pytest.param(4, marks=pytest.mark.complete), pytest.param(20, marks=pytest.mark.slow)]
)
def test_a_killed_run_loses_nothing_and_the_next_one_completes(times: int, tmp_path: Path) -> None:
    draw = Random(7)
    begun = time.monotonic()
    damaged("DataParallel, shards", tmp_path / "timed")
    subprocess.run(_command(tmp_path / "timed"), check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    lasts = time.monotonic() - begun
    for number in range(times):
        folder = tmp_path / str(number)
        name = ("DataParallel, shards", "older shards", "no index", "name", "kv heads")[number % 5]
        before = damaged(name, folder)
        stored = Counter(contents(folder).values())
        process = subprocess.Popen(_command(folder), cwd=ROOT, stdout=subprocess.DEVNULL)
        time.sleep(draw.uniform(0.3, 1.0) * lasts)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not stored - Counter(contents(folder).values()), (number, name)
        code, done = run(folder, write=True)
        assert (code, audit(str(folder)).verdict) == (0, "clean"), (number, name, done)
        assert Counter(digests(folder).values()) <= Counter(before.values())
        run(folder, undo=True)
        assert Counter(contents(folder).values()) >= stored, (number, name)


def _command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "inspector", "mend", str(folder), "--write"]


def test_only_the_value_changes_in_a_json_file() -> None:
    text = '{\n  "a": [1,\n    2],  "b" : {"c":1, "d": null},\n\t"e": 1.50, "e": 2\n}\n'
    assert with_value(text, ["b", "c"], 7) == text.replace('"c":1', '"c":7')
    assert with_value(text, ["e"], 3) == text.replace('"e": 2', '"e": 3')
    assert without_key(text, ["b", "d"]) == text.replace(', "d": null', "")
    assert without_key(text, ["a"]) == text.replace('"a": [1,\n    2],  ', "")
    assert without_key(text, ["x"]) == text
    added = with_value('{\n  "a": 1,\n  "b": 2\n}', ["c"], ["X"])
    assert added == '{\n  "a": 1,\n  "b": 2,\n  "c": [\n    "X"\n  ]\n}'
    assert json.loads(with_value("{}", ["a", "b"], 1)) == {"a": {"b": 1}}
    assert json.loads(with_value('{"a": null, "b": 2}', ["a", "b", "c"], 1)) == {"a": {"b": {"c": 1}}, "b": 2}


def test_patterns_of_names() -> None:
    assert renamed("module.a.b", [("module.*", "*")]) == "a.b"
    assert renamed("model.model.a", [("model.*", "*")]) == "model.a"
    assert renamed("a.w.b.w.c", [("*.w.*", "*.*"), ("w.*", "*")]) == "a.b.c"
    shifted = [(f"layers.{number + 1}.*", f"layers.{number}.*") for number in range(3)]
    assert [renamed(f"layers.{number}.x", shifted) for number in (1, 2, 3)] == [f"layers.{n}.x" for n in range(3)]


def test_messages_name_params_json(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "fixtures/checkpoints/meta-numbers", tmp_path, dirs_exist_ok=True)
    params = tmp_path / "params.json"
    params.write_text(params.read_text().replace('"n_kv_heads": 2', '"n_kv_heads": 4'))
    (finding,) = [one for one in audit(str(tmp_path)).findings if one.severity == "error"]
    assert finding.help == 'set "n_kv_heads": 2 in params.json, or instead "n_heads": 8; the shapes allow both'


def test_a_config_key_of_a_gguf_file() -> None:
    assert own_key("llama", "num_hidden_layers") == "llama.block_count"
    assert own_key("mixtral", "num_local_experts") == "llama.expert_count"
    assert own_key("llama", "tie_word_embeddings") is None


def test_each_component_of_a_pipeline_is_repaired(tmp_path: Path) -> None:
    unet, vae = (next(one for one in diffusers_records(name) if not one["variant"]) for name in COMPONENTS.values())
    for folder, record, prefix in (("unet", unet, "_orig_mod."), ("vqvae", vae, "")):
        (tmp_path / folder).mkdir()
        config = {**record["config"], "_class_name": COMPONENTS[folder]}
        (tmp_path / folder / "config.json").write_text(json.dumps(config))
        name = "diffusion_pytorch_model.safetensors" if prefix else "model.safetensors"
        store(tmp_path / folder / name, {prefix + key: entry for key, entry in spec_of(record).items()})
    index = {folder: ["diffusers", name] for folder, name in COMPONENTS.items()}
    index["scheduler"] = ["diffusers", "DDIMScheduler"]
    (tmp_path / "scheduler").mkdir()
    (tmp_path / "scheduler" / "scheduler_config.json").write_text("{}")
    (tmp_path / "model_index.json").write_text(json.dumps({"_class_name": "LDMPipeline", **index}))
    files = {step.file for finding in audit(str(tmp_path)).findings for step in finding.steps}
    assert files == {None, "vqvae/model.safetensors"}
    code, done = run(tmp_path, write=True)
    assert (code, done["after"]) == (0, "clean")
    assert sorted(step["file"] for step in done["steps"]) == [
        "unet/diffusion_pytorch_model.safetensors",
        "vqvae/model.safetensors",
    ]


COMPONENTS = {"unet": "UNet2DConditionModel", "vqvae": "AutoencoderKL"}


@pytest.mark.parametrize(
    "names", [("pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin"), ("part_1.pt", "part_2.pt")]
)
def test_the_index_of_pytorch_shards_is_written(names: tuple[str, str], tmp_path: Path) -> None:
    listed = list(genuine(LLAMA).items())
    for name, part in zip(names, (listed[: len(listed) // 2], listed[len(listed) // 2 :]), strict=True):
        code = Code().add(b"}(")
        for number, (key, (_, shape)) in enumerate(part):
            code.text(key).tensor(shape, str(number))
        sizes = {str(number): bytes(4 * prod(shape)) for number, (_, (_, shape)) in enumerate(part)}
        (tmp_path / name).write_bytes(archive(code.add(b"u").stop(), sizes))
    (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    assert audit(str(tmp_path)).verdict == "findings"
    assert run(tmp_path, write=True)[0] == 0
    index = json.loads((tmp_path / "pytorch_model.bin.index.json").read_text(encoding="utf-8"))
    assert set(index["weight_map"].values()) == set(names)
    assert audit(str(tmp_path)).verdict == "clean"


@pytest.mark.parametrize(("write", "wrong"), [(True, False), (False, True)])
def test_repaired_faults_are_not_reported_as_errors(write: bool, wrong: bool, tmp_path: Path) -> None:
    """A safetensors file under the name of a pickle: nothing can be read until it is renamed."""
    whole(tmp_path, genuine(LLAMA), LLAMA)
    (tmp_path / "model.safetensors").rename(tmp_path / "pytorch_model.bin")
    outcome = mend(str(tmp_path), write=write)
    assert (bool(outcome.errors), outcome.code) == (wrong, 0)


def test_an_adapter_is_repaired_with_its_base(tmp_path: Path) -> None:
    """Its names are only wrong with its base: given that, audit names the command, and mend has the steps."""
    base, folder = tmp_path / "base", tmp_path / "adapter"
    base.mkdir()
    (base / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    modules = [f"base_model.model.layers.{layer}.self_attn.q_proj" for layer in range(LLAMA["num_hidden_layers"])]
    width = LLAMA["hidden_size"]
    spec = {f"{module}.lora_{part}.weight": ("F32", shape)
            for module in modules for part, shape in (("A", (4, width)), ("B", (width, 4)))}  # fmt: skip
    folder.mkdir()
    store(folder / "adapter_model.safetensors", spec)
    (folder / "adapter_config.json").write_text(json.dumps(
        {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj"], "task_type": "CAUSAL_LM"}
    ), encoding="utf-8")  # fmt: skip
    shown = audit_command(str(folder), base=[str(base)]).text
    assert f"mend{folder}--base{base}prints" in "".join(shown.split())
    before = digests(folder)
    code, document = run(folder, base=[str(base)], write=True)
    assert (code, document["after"]) == (0, "clean"), document
    assert sorted(digests(folder).values()) == sorted(before.values())
