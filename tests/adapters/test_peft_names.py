"""Tensors of an adapter that PEFT finds by their names, measured with PEFT 0.21 (`PeftModel.from_pretrained`)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.adapters.names import saved_name
from inspector.auditing.start import audit
from tests.adapters.records import Spec, records, spec_of
from tests.checkpoints import genuine, write, write_file
from tests.comparing.pair_audits import torch_file
from tests.judged import base_record, codes
from tests.make_checkpoints import SMALL_LLAMA

PREFIX = "base_model.model."
FOUND: dict[str, Callable[[str], str]] = {
    "as saved": lambda name: name,
    "adapter named default": lambda name: name.replace(".weight", ".default.weight"),
}
NOT_FOUND: dict[str, Callable[[str], str]] = {
    "no prefix": lambda name: name.removeprefix(PREFIX),
    "half a prefix": lambda name: name.removeprefix("base_model."),
    "twice the prefix": lambda name: PREFIX + name,
    "torch.compile": lambda name: f"_orig_mod.{name}",
    "data parallel": lambda name: f"module.{name}",
    "activation checkpointing": lambda name: name.replace(".mlp.", "._checkpoint_wrapped_module.mlp.").replace(
        ".self_attn.", "._checkpoint_wrapped_module.self_attn."),
    "another adapter's name": lambda name: name.replace(".weight", ".first.weight"),
}  # fmt: skip


def saved(folder: Path, spec: Spec, adapter: dict[str, Any] | None, name: str = "adapter_model.safetensors") -> str:
    """A folder as PEFT saves it."""
    folder.mkdir(exist_ok=True)
    write_file(folder / name, spec)
    if adapter is not None:
        (folder / "adapter_config.json").write_text(json.dumps(adapter))
    return str(folder)


@pytest.mark.parametrize("record", ["llama.seven", "llama.dora", "llama.rank-pattern"])
@pytest.mark.parametrize("how", [*FOUND, *NOT_FOUND])
def test_names_that_peft_finds(how: str, record: str, tmp_path: Path) -> None:
    spec = {({**FOUND, **NOT_FOUND}[how])(name): entry for name, entry in spec_of(record).items()}
    audited = audit(saved(tmp_path, spec, records()[record]["adapter"]))
    if how in FOUND:
        assert audited.verdict == "clean", audited.findings
    else:
        (finding,) = (one for one in audited.findings if one.severity == "error")
        assert (finding.code, finding.facts["wanted"] in spec_of(record)) == ("A919", True)


def test_names_of_norms_with_the_name_of_the_adapter(tmp_path: Path) -> None:
    """PEFT 0.21 loads them all, as it does those that it saved."""
    spec = {name.replace(".weight", ".default.weight"): entry for name, entry in spec_of("llama.ln-tuning").items()}
    audited = audit(saved(tmp_path, spec, records()["llama.ln-tuning"]["adapter"]))
    assert audited.verdict == "clean", audited.findings


@pytest.mark.parametrize("prefix", [PREFIX, ""])
def test_endings_of_another_program_are_renamed(prefix: str, tmp_path: Path) -> None:
    """PEFT 0.21 finds no tensor under `lora_down` and `lora_up` (measured)."""
    ends = {"lora_A": "lora_down", "lora_B": "lora_up"}
    spec = {prefix + re.sub("lora_[AB]", lambda found: ends[found[0]], name.removeprefix(PREFIX)): entry
            for name, entry in PAIR.items()}  # fmt: skip
    values = {"peft_type": "LORA", "r": 4, "target_modules": ["q_proj", "v_proj"], "lora_alpha": 8}
    (finding,) = (one for one in audit(saved(tmp_path, spec, values)).findings if one.severity == "error")
    assert (finding.code, finding.facts["wanted"] in PAIR) == ("A937", True)


def test_a_whole_state_dict_is_an_adapter_too(tmp_path: Path) -> None:
    record = records()["llama.seven"]
    spec = {name.replace(".weight", ".default.weight"): entry for name, entry in spec_of("llama.seven").items()}
    spec |= {f"{PREFIX}model.norm.weight": ("F32", (48,)), f"{PREFIX}lm_head.weight": ("F32", (107, 48))}
    audited = audit(saved(tmp_path, spec, record["adapter"]))
    assert (audited.verdict, audited.counts.unique_parameters) == ("clean", record["trainable"])
    assert audited.counts.extra_components == 48 + 107 * 48


@pytest.mark.parametrize(("outer", "inner"), [
    ("module.", PREFIX), ("module.", ""), ("_orig_mod.", PREFIX), ("_orig_mod.module.", PREFIX),
])  # fmt: skip
def test_whole_tensors_of_the_base_are_in_the_same_wrapper(outer: str, inner: str, tmp_path: Path) -> None:
    """PEFT 0.21 finds none of them; the names without the wrapper are those that it saves."""
    record, own = records()["llama.seven"], spec_of("llama.seven")
    own |= {
        f"{PREFIX}model.norm.weight": ("F32", (48,)),
        f"{PREFIX}model.layers.0.input_layernorm.weight": ("F32", (48,)),
    }
    spec = {outer + inner + name.removeprefix(PREFIX): entry for name, entry in own.items()}
    folder = saved(tmp_path, spec, record["adapter"])
    (tmp_path / "config.json").write_text(json.dumps(record["base"]), encoding="utf-8")
    audited = audit(folder)
    (finding,) = (one for one in audited.findings if one.severity != "note")
    assert (finding.code, finding.facts["tensors"], finding.facts["wanted"] in own) == ("A919", len(own), True)
    assert audited.counts.unexplained == 0


def test_a_file_without_tensors_is_an_error(tmp_path: Path) -> None:
    assert codes(audit(saved(tmp_path, {}, records()["llama.seven"]["adapter"]))) == {"A915"}


@pytest.mark.parametrize("config", [True, False])
@pytest.mark.parametrize("other", ["pytorch_model.bin", "model.safetensors"])
def test_the_file_that_peft_finds_is_not_taken_for_misnamed(config: bool, other: str, tmp_path: Path) -> None:
    """PEFT 0.21 loads the adapter and reads no other file (measured)."""
    spec, ending = spec_of("llama.seven"), other.rpartition(".")[2]
    name = f"adapter_model.{ending}"
    for each in (name, other):
        if ending == "bin":
            (tmp_path / each).write_bytes(torch_file(spec, []))
        else:
            write_file(tmp_path / each, spec)
    if config:
        (tmp_path / "adapter_config.json").write_text(json.dumps(records()["llama.seven"]["adapter"]))
    audited = audit(str(tmp_path))
    assert codes(audited) == (set() if config else {"C313"})
    assert not config or (audited.checkpoint.set_name == name and audited.loads[0].outcome != "refuses")


@pytest.mark.parametrize(("start", "empty"), [
    ('{},"__metadata__":{"format":"pt"}}', True), ('{"__metadata__":{"format":"pt"}}}', False),
])  # fmt: skip
def test_the_header_of_an_empty_state_is_not_one_of_a_damaged_file(start: str, empty: bool, tmp_path: Path) -> None:
    """Early versions of safetensors wrote such a header of no tensors with metadata."""
    header = start.encode().ljust(40)
    (tmp_path / "adapter_model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    (tmp_path / "adapter_config.json").write_text(json.dumps(records()["llama.seven"]["adapter"]))
    (found,) = (one for one in audit(str(tmp_path)).findings if one.code == "H103")
    assert ("an empty state dict was saved" in found.help) is empty


COPIES: dict[str, tuple[str, dict[str, str], str]] = {
    # a file of the training, its names, the remedy
    "the trainer's file": (
        "checkpoint-20/model.safetensors", {}, "copy checkpoint-20/model.safetensors to adapter_model.safetensors"),
    "an adapter": (
        "checkpoint-20/adapter_model.bin", {},
        "copy checkpoint-20/adapter_model.bin to adapter_model.bin, and remove adapter_model.safetensors"),
    "names in memory": (
        "checkpoint-20/model.safetensors", {".weight": ".default.weight"},
        "copy checkpoint-20/model.safetensors to adapter_model.safetensors"),
    "names of another adapter in memory": ("checkpoint-20/model.safetensors", {".weight": ".mine.weight"}, ""),
    "a model": ("checkpoint-20/model.safetensors", {".lora_": ".other_"}, ""),
    "another folder": ("old/adapter_model.safetensors", {}, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", COPIES)
def test_an_empty_adapter_beside_the_folders_of_its_training(name: str, tmp_path: Path) -> None:
    other, renames, remedy = COPIES[name]
    spec = spec_of("llama.seven")
    for old, new in renames.items():
        spec = {key.replace(old, new): entry for key, entry in spec.items()}
    saved(tmp_path, {}, records()["llama.seven"]["adapter"])
    for folder in {"checkpoint-3", other.partition("/")[0]}:
        (tmp_path / folder).mkdir()
    write_file(tmp_path / "checkpoint-3" / "training.safetensors", {})
    if other.endswith(".bin"):
        (tmp_path / other).write_bytes(torch_file(spec, []))
    else:
        write_file(tmp_path / other, spec)
    (finding,) = (one for one in audit(str(tmp_path)).findings if one.code == "A915")
    words = finding.remedy().words
    assert words == remedy if remedy else words.startswith("save the adapter again")


@pytest.mark.parametrize("stated", [None, "lora", "FOO", 3])
def test_a_type_that_peft_does_not_have(stated: object, tmp_path: Path) -> None:
    adapter = {**records()["llama.seven"]["adapter"], "peft_type": stated}
    if stated is None:
        del adapter["peft_type"]
    audited = audit(saved(tmp_path, spec_of("llama.seven"), adapter))
    (finding,) = (one for one in audited.findings if one.severity == "error")
    (step,) = finding.remedy().steps
    assert (finding.code, step.key, step.new) == ("A920", ("peft_type",), "LORA")


PAIR: Spec = {f"base_model.model.model.layers.{layer}.self_attn.{module}.lora_{half}.weight": ("F32", shape)
              for layer in range(2) for module in ("q_proj", "v_proj")
              for half, shape in (("A", (4, 64)), ("B", (64, 4)))}  # fmt: skip
ODD = {name.replace("lora_A.weight", "lora_magnitude_vector"): ("F32", (64,)) for name in PAIR if "lora_A" in name}
MORE = "base_model.model.model.layers.0.mlp.up_proj.lora_{}.weight"


@pytest.mark.parametrize(("beside", "shown"), [
    ({}, {"peft_type": "LORA", "r": 4, "target_modules": ["q_proj", "v_proj"]}),
    (ODD, {}), ({MORE.format("A"): ("F32", (8, 64)), MORE.format("B"): ("F32", (96, 8))}, {}),
])  # fmt: skip
def test_what_the_tensors_show_of_a_config_that_was_never_saved(
    beside: Spec, shown: dict[str, Any], tmp_path: Path
) -> None:
    """PEFT 0.21 loads the pairs with these settings and a scale."""
    (found,) = (one for one in audit(saved(tmp_path, {**PAIR, **beside}, None)).findings if one.code == "C313")
    assert (found.facts["shown"], '"r": 4' in found.remedy().words) == (shown, bool(shown))
    assert audit(saved(tmp_path, PAIR, {**shown, "lora_alpha": 8})).verdict == "clean" or not shown


def test_the_names_of_its_files(tmp_path: Path) -> None:
    record = records()["llama.seven"]
    assert codes(audit(saved(tmp_path / "a", spec_of("llama.seven"), record["adapter"], "lora.safetensors"))) == {
        "S221"
    }
    assert codes(audit(saved(tmp_path / "b", spec_of("llama.seven"), None))) == {"C313"}
    write(tmp_path / "c", {}, {})  # a file that is given by itself is audited without its folder
    alone = saved(tmp_path / "d", spec_of("llama.seven"), None)
    assert audit(f"{alone}/adapter_model.safetensors").verdict == "clean"


@pytest.mark.parametrize(("other_file", "audited_file"), [
    ("Copy of adapter_model.safetensors", "adapter_model.safetensors"),
    ("0000100_adapters.safetensors", "adapter_model.safetensors"),
])  # fmt: skip
def test_the_file_that_peft_reads_is_audited(other_file: str, audited_file: str, tmp_path: Path) -> None:
    folder = saved(tmp_path, spec_of("llama.seven"), records()["llama.seven"]["adapter"])
    write_file(tmp_path / other_file, spec_of("llama.seven"))
    audited = audit(folder)
    assert (audited.verdict, audited.checkpoint.set_name) == ("clean", audited_file)


def test_a_file_of_another_format_that_peft_reads_is_audited(tmp_path: Path) -> None:
    """PEFT 0.21.2 reads adapter_model.bin and no file of safetensors under another name."""
    folder = saved(tmp_path, spec_of("llama.seven"), records()["llama.seven"]["adapter"], "lora.safetensors")
    (tmp_path / "adapter_model.bin").write_bytes(torch_file(spec_of("llama.seven"), []))
    audited = audit(folder)
    assert (audited.verdict, audited.checkpoint.set_name) == ("clean", "adapter_model.bin")


def test_a_lora_of_diffusers_is_audited_before_files_of_other_names(tmp_path: Path) -> None:
    for name in ("a.safetensors", "pytorch_lora_weights.safetensors"):
        write_file(tmp_path / name, {"unet.mid_block.proj.lora_A.weight": ("F32", (4, 8))})
    assert audit(str(tmp_path)).checkpoint.set_name == "pytorch_lora_weights.safetensors"


@pytest.mark.parametrize("model_type", ["llama", "bert"])
def test_an_adapter_without_its_config_is_not_taken_for_a_misnamed_model(model_type: str, tmp_path: Path) -> None:
    """A config.json of any model in the same folder does not make it a model."""
    folder = saved(tmp_path, spec_of("llama.seven"), None)
    (tmp_path / "config.json").write_text(json.dumps(base_record(model_type)["config"]), encoding="utf-8")
    found = codes(audit(folder))
    assert "C313" in found
    assert "S221" not in found


def test_a_model_in_the_file_that_peft_reads_is_not_an_adapter(tmp_path: Path) -> None:
    """PEFT 0.21.2 loads it with a warning, and none of its tensors."""
    spec = genuine(SMALL_LLAMA)
    assert codes(audit(saved(tmp_path, spec, records()["llama.seven"]["adapter"]))) == {"N457"}


@pytest.mark.parametrize(("held", "module"), [
    ("model.transformer.h.0.attn.c_attn", "transformer.h.0.attn.c_attn"),
    ("model.gpt_neox.layers.1.attention.dense", "gpt_neox.layers.1.attention.dense"),
    ("model.model.layers.0.self_attn.q_proj", "model.layers.0.self_attn.q_proj"),
    ("model.transformer.blocks.0.q_proj", "model.transformer.blocks.0.q_proj"),  # LLaDA, Molmo
    ("model.layers.0.self_attn.q_proj", "model.layers.0.self_attn.q_proj"),
    ("thinker.base_model.model.model.layers.0.q_proj", "thinker.model.layers.0.q_proj"),  # a part wrapped alone
])  # fmt: skip
def test_names_of_a_wrapper_that_holds_the_model(held: str, module: str) -> None:
    assert saved_name(f"{held}.lora_A.default.weight") == f"{PREFIX}{module}.lora_A.weight"


@pytest.mark.parametrize("how", NOT_FOUND)
def test_names_of_which_only_some_are_not_found_are_mended(how: str, tmp_path: Path) -> None:
    """The wrong and the right names are of the same modules, in different layers."""
    spec, config = spec_of("llama.default"), records()["llama.default"]["adapter"]
    renamed = {NOT_FOUND[how](name) if ".layers.1." in name else name: entry for name, entry in spec.items()}
    audited = audit(saved(tmp_path / "some", renamed, config))
    (finding,) = (one for one in audited.findings if one.severity == "error")
    steps = finding.remedy().steps
    assert finding.code == "A919" and steps and all(step.action == "rename" for step in steps)
    patterns = [(str(step.old), str(step.new)) for step in steps]
    moved = {renamed_by(patterns, name): entry for name, entry in renamed.items()}
    assert moved.keys() == spec.keys()


def renamed_by(patterns: list[tuple[str, str]], name: str) -> str:
    """A name after the steps of a remedy, of which one at most has its pattern."""
    for old, new in patterns:
        found = re.fullmatch(re.escape(old).replace(r"\*", "(.*)"), name)
        if found is not None:
            parts = iter(found.groups())
            return "".join(next(parts) if one == "*" else one for one in new)
    return name
