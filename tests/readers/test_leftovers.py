"""Files and tensors that training leaves behind are recognized by their names."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import prod
from pathlib import Path

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.loader.layout import Layout
from inspector.loader.leftovers import emptied, leftover_findings, leftovers
from inspector.loader.sources.source import Listing
from tests.checkpoints import Spec, elements, genuine, write
from tests.judged import codes, judged
from tests.make_checkpoints import SMALL_LLAMA
from tests.readers.file_builders import archive, state

CASES: list[tuple[list[str], list[str], set[str]]] = [
    (["model.safetensors", "config.json", "tokenizer.json"], [], set()),
    (["optimizer.pt", "scheduler.pt", "rng_state.pth", "trainer_state.json", "training_args.bin"], [],
     {"optimizer", "scheduler", "random state", "trainer state", "training arguments"}),
    (["rng_state_0.pth", "rng_state_1.pth"], [], {"random state"}),
    (["random_states_0.pkl", "optimizer.bin", "scaler.pt"], [], {"random state", "optimizer", "scaler"}),
    (["zero_to_fp32.py", "latest"], ["global_step500"], {"zero"}),
    (["zero_pp_rank_0_mp_rank_00_optim_states.pt", "mp_rank_00_model_states.pt"], [], {"zero"}),
    (["bf16_zero_pp_rank_3_mp_rank_00_optim_states.pt"], [], {"zero"}),
    ([], ["pytorch_model_fsdp_0", "optimizer_0"], {"fsdp"}),
    (["pytorch_model_fsdp_rank0.bin"], [], {"fsdp"}),
    (["__0_0.distcp", "__1_0.distcp", ".metadata"], [], {"dcp"}),
    (["__0_0.distcp", "common.pt", "metadata.json"], [], {"megatron"}),
    (["model_world_size_8_rank_0.pt", "optim_world_size_8_rank_0.pt", "extra_state_world_size_8_rank_0.pt"],
     ["huggingface"], {"verl"}),
    (["model_world_size_8.pt"], [], set()), (["_METADATA", "manifest.ocdbt"], ["ocdbt.process_0"], {"orbax"}),
    (["METADATA", "manifest.json"], ["ocdbt"], set()),
    (["latest_checkpointed_iteration.txt"], ["iter_0001000"], {"megatron"}),
    ([], ["mp_rank_00", "mp_rank_01"], {"megatron"}),
    (["iter_0001000"], [], set()),
    (["global_step500.txt"], [], set()),
    (["optimizer.pt" * 100], [], set()),
]  # fmt: skip


@pytest.mark.parametrize(("files", "folders", "kinds"), CASES)
def test_kinds(files: list[str], folders: list[str], kinds: set[str]) -> None:
    listing = Listing(dict.fromkeys(files, 10), dict.fromkeys(folders, "directory"))
    assert {one.kind for one in leftovers(listing)} == kinds
    assert len({one.kind for one in leftovers(listing)}) == len(leftovers(listing))


def test_state_is_one_kind_and_partitions_are_one_kind_per_tool() -> None:
    listing = Listing({"optimizer.pt": 7, "scheduler.pt": 3, "zero_to_fp32.py": 1}, {"global_step1": "directory"})
    found = leftover_findings(listing)
    assert [one.name for one in found] == ["training-state", "partitioned-save"]
    assert found[0].facts["bytes"] == 10
    assert found[1].facts["script"] is True
    assert leftover_findings(listing, ["zero_to_fp32.py", "optimizer.pt"])[0].facts["files"] == 1


def test_a_million_names_are_scanned_once() -> None:
    listing = Listing({f"zero_pp_rank_{n}_mp_rank_00_optim_states.pt": 1 for n in range(20_000)})
    (found,) = leftover_findings(listing)
    assert found.facts["entries"] == 20_000
    assert len(found.facts["names"]) == 20


ONE, MATRIX = Layout("F16", (1,), 1, 2), Layout("F16", (8, 8), 64, 128)
NAMES = tuple(f"{n}.weight" for n in range(30))


@pytest.mark.parametrize(("tensors", "found"), [
    (dict.fromkeys(NAMES, ONE), 30),
    ({**dict.fromkeys(NAMES, ONE), "a.bias": ONE, "norm.bias": Layout("F16", (8,), 8, 16)}, 31),
    ({**dict.fromkeys(NAMES, ONE), "small.weight": MATRIX}, 30),
    ({**dict.fromkeys(NAMES, ONE), **dict.fromkeys(("a.weight", "b.weight", "c.weight", "d.weight"), MATRIX)}, None),
    ({**dict.fromkeys(("prelu1.weight", "prelu2.weight", "prelu3.weight"), ONE), "conv.weight": MATRIX}, None),
    ({**dict.fromkeys(("scale1", "scale2", "scale3"), ONE)}, None),
    (dict.fromkeys(NAMES, MATRIX), None),
])  # fmt: skip
def test_placeholders_of_the_first_versions_of_deepspeed(tensors: dict[str, Layout], found: int | None) -> None:
    said = emptied(tensors, (1,))
    assert (None if said is None else said.facts["tensors"]) == found
    assert said is None or said.headline() == f"{found} of {len(tensors)} tensors have the shape [1]"


def test_placeholders_are_found_in_a_file_of_deepspeed(tmp_path: Path) -> None:
    names: list[tuple[str, tuple[int, ...]]] = [(f"model.decoder.layers.{n}.fc1.weight", (1,)) for n in range(4)]
    whole: list[tuple[str, tuple[int, ...]]] = [(name, (8, 8)) for name, _ in names]
    for tensors, errors in ((names, ["R042"]), (whole, [])):
        values = {str(n): bytes(4 * prod(shape)) for n, (_, shape) in enumerate(tensors)}
        (tmp_path / "mp_rank_00_model_states.pt").write_bytes(archive(state(*tensors), values))
        audited = audit(str(tmp_path / "mp_rank_00_model_states.pt"))
        assert [one.code for one in audited.findings if one.severity == "error"] == errors
        assert not errors or not any("removeprefix" in one.help for one in audited.findings)
        (folder,) = audit(str(tmp_path)).findings
        assert folder.code == "R003"
        assert folder.help.startswith("copy the zero_pp_rank_* files" if errors else "save `module` of mp_rank_00")


def test_weights_that_were_not_gathered() -> None:
    empty, whole = Layout("BF16", (0,), 0, 0), Layout("BF16", (8,), 8, 16)
    names = ("a.weight", "b.weight", "c.weight")
    found = emptied({**dict.fromkeys(names, empty), "d.weight": whole})
    assert found is not None and found.facts["tensors"] == 3
    assert emptied({**dict.fromkeys(names, empty), **dict.fromkeys("defg", whole)}) is None
    assert emptied(dict.fromkeys(names[:2], empty)) is None
    assert emptied({"a": Layout("BF16", (0, 8), 0, 0)}) is None
    assert emptied({}) is None


PARAMETERS = 213_568
PREFIXES = (
    "module.", "_orig_mod.", "_fsdp_wrapped_module.", "_forward_module.", "model.", "model.model.", "base_model.model.",
    "module._orig_mod.", "_forward_module._orig_mod.", "module.module.",
)  # fmt: skip


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_wrappers_prefix_is_one_finding(prefix: str) -> None:
    audited = judged({prefix + name: entry for name, entry in genuine(SMALL_LLAMA).items()}, SMALL_LLAMA)
    assert [one.code for one in audited.findings] == ["N402"]
    assert prefix in audited.findings[0].help
    assert audited.counts.unique_parameters == PARAMETERS


@pytest.mark.parametrize("wrapper", ["_fsdp_wrapped_module.", "_checkpoint_wrapped_module.", "_orig_mod."])
@pytest.mark.parametrize("outside", ["", "_fsdp_wrapped_module."])
def test_a_wrapper_around_every_layer_is_one_finding(wrapper: str, outside: str) -> None:
    if outside and outside != wrapper:
        return
    spec = {}
    for name, entry in genuine(SMALL_LLAMA).items():
        parts = name.split(".")
        inner = [*parts[:3], wrapper.rstrip("."), *parts[3:]] if parts[1] == "layers" else parts
        spec[outside + ".".join(inner)] = entry
    audited = judged(spec, SMALL_LLAMA)
    assert [one.code for one in audited.findings] == ["N402"]
    assert audited.counts.unique_parameters == PARAMETERS


def averaged(prefix: str, *, dots: bool = True) -> Callable[[Spec], Spec]:
    return lambda spec: {
        **spec,
        **{prefix + (name if dots else name.replace(".", "")): entry for name, entry in spec.items()},
    }


def counted(prefix: str, counter: str) -> Callable[[Spec], Spec]:
    return lambda spec: {**averaged(prefix)(spec), counter: ("BF16", ())}


AMONG_WEIGHTS: dict[str, tuple[Callable[[Spec], Spec], str, str]] = {
    **{prefix: (averaged(prefix), "N422", "extra_components") for prefix in (
        "ema.", "model_ema.", "ema_model.", "module.ema.", "ema.module.", "model_ema.module.")},
    "n_averaged": (counted("ema_model.module.", "ema_model.n_averaged"), "N422", "extra_components"),
    "n_averaged of torch": (counted("averaged_model.module.", "averaged_model.n_averaged"), "N422",
                            "extra_components"),
    "step": (counted("ema.", "ema.step"), "N422", "extra_components"),
    "model_ema without dots": (averaged("model_ema.", dots=False), "N422", "extra_components"),
    "weight_ema": (lambda spec: {**spec, **{f"{n}_ema": e for n, e in spec.items()}}, "N422", "extra_components"),
    "_extra_state": (
        lambda spec: {**spec, **{f"{n.rpartition('.')[0]}._extra_state": ("U8", (376,)) for n in spec if "proj" in n}},
        "N419", "buffers"),
    "empty _extra_state": (
        lambda spec: {**spec, **{f"{n.rpartition('.')[0]}._extra_state": ("U8", (0,)) for n in spec if "proj" in n}},
        "N419", "buffers"),
    "moments": (
        lambda spec: {**spec, **{f"{n}.{m}": e for n, e in spec.items() for m in ("exp_avg", "exp_avg_sq")}},
        "N421", "buffers"),
    "moments under optimizer": (
        lambda spec: {**spec, **{f"optimizer.state.{n}.momentum_buffer": e for n, e in spec.items()}},
        "N421", "buffers"),
}  # fmt: skip


@pytest.mark.parametrize("name", AMONG_WEIGHTS)
@pytest.mark.parametrize("damaged", [False, True])
def test_training_state_among_the_weights(name: str, damaged: bool) -> None:
    change, code, kind = AMONG_WEIGHTS[name]
    healthy = dict(genuine(SMALL_LLAMA))
    spec = change(healthy)
    if damaged:
        del spec["model.layers.2.mlp.up_proj.weight"]
        spec.pop("ema.model.layers.2.mlp.up_proj.weight", None)
    audited = judged(spec, SMALL_LLAMA)
    reported = [one for one in audited.findings if one.code != "N403"]
    if not damaged:
        assert [one.code for one in reported] == [code]
        assert reported[0].help
        counts = audited.counts
        assert counts.unique_parameters == counts.expected_parameters == PARAMETERS
        assert getattr(counts, kind) == counts.stored_elements - PARAMETERS == elements(spec) - PARAMETERS
        assert counts.unexplained == 0
    else:
        assert "N403" in codes(audited)


FLAT = (
    {"_flat_param": 213_568},
    {"_fsdp_wrapped_module._flat_param": 49_216,
     **{f"_fsdp_wrapped_module.model.layers.{n}._fsdp_wrapped_module._flat_param": 41_088 for n in range(4)}},
    {"flat_param": 49_216, **{f"model.layers.{n}._fsdp_wrapped_module.flat_param": 41_088 for n in range(4)}},
)  # fmt: skip


@pytest.mark.parametrize("sizes", FLAT)
@pytest.mark.parametrize("config", [SMALL_LLAMA, None])
def test_flat_parameters_are_one_cause(sizes: dict[str, int], config: dict[str, object] | None) -> None:
    audited = judged({name: ("BF16", (size,)) for name, size in sizes.items()}, config)
    assert [one.code for one in audited.findings] == ["N420"]
    assert "FULL_STATE_DICT" in audited.findings[0].help
    assert audited.counts.expected_parameters is None
    assert audited.counts.stored_elements == PARAMETERS


def test_a_save_under_zero3_is_one_cause(tmp_path: Path) -> None:
    spec = {name: (dtype, (0,)) for name, (dtype, _) in genuine(SMALL_LLAMA).items()}
    audited = audit(str(write(tmp_path / "all", spec, SMALL_LLAMA)))
    assert codes(audited) == {"R042"}
    assert audited.counts.tensors == len(spec)
    some = {name: entry if "norm" in name else (entry[0], (0,)) for name, entry in genuine(SMALL_LLAMA).items()}
    assert codes(audit(str(write(tmp_path / "some", some, SMALL_LLAMA)))) == {"R042"}


@pytest.mark.parametrize("flat", [{"model.norm.weight": 32}, {"lm_head.weight": 12000, "model.norm.weight": 3}])
@pytest.mark.parametrize("model_type", ["llama", "qwen3", "gemma2"])
def test_the_part_of_one_process_of_fsdp_is_one_cause(model_type: str, flat: dict[str, int], tmp_path: Path) -> None:
    """Complete tensors between a flat piece at each end of the range, and no other tensors."""
    names = {"llama": "LlamaForCausalLM", "qwen3": "Qwen3ForCausalLM", "gemma2": "Gemma2ForCausalLM"}
    config = {**SMALL_LLAMA, "model_type": model_type, "architectures": [names[model_type]], "head_dim": 8}
    spec = {**genuine(config), "model.embed_tokens.weight": ("BF16", (0,))}
    spec |= {name: ("BF16", (size,)) for name, size in flat.items()}
    (finding,) = (one for one in audit(str(write(tmp_path, spec, config))).findings if one.severity != "note")
    assert (finding.code, finding.facts["pieces"]) == ("R042", len(flat))
    assert "full state dict of FSDP" in finding.help


@pytest.mark.parametrize("model_type", ["llama", "qwen3", "gemma2"])
def test_one_rank_of_every_wrapped_layer_is_one_cause(model_type: str, tmp_path: Path) -> None:
    """FSDP divides each wrapped layer: the first tensors are flat, one is cut, and the others are in other ranks."""
    names = {"llama": "LlamaForCausalLM", "qwen3": "Qwen3ForCausalLM", "gemma2": "Gemma2ForCausalLM"}
    config = {**SMALL_LLAMA, "model_type": model_type, "architectures": [names[model_type]], "head_dim": 8}
    spec = {}
    for name, (dtype, shape) in genuine(config).items():
        whole = any(part in name for part in ("q_proj", "k_proj", "v_proj", "o_proj"))
        cut = "gate_proj" in name or "embed" in name
        spec[name] = (dtype, (prod(shape) if whole else prod(shape) // 3 if cut else 0,))
    (finding,) = (one for one in audit(str(write(tmp_path, spec, config))).findings if one.severity != "note")
    empty = sum(shape == (0,) for _, shape in spec.values())
    assert (finding.code, finding.facts["tensors"], finding.facts["pieces"]) == ("R042", empty, len(spec) - empty)
    assert "full state dict of FSDP" in finding.help


def test_flat_but_whole_matrices_are_no_pieces(tmp_path: Path) -> None:
    flat = {name: (dtype, (prod(shape),)) for name, (dtype, shape) in genuine(SMALL_LLAMA).items() if "_proj" in name}
    found = audit(str(write(tmp_path, {**genuine(SMALL_LLAMA), **flat}, SMALL_LLAMA))).findings
    assert {one.code for one in found if one.severity != "note"} == {"D505"}


@pytest.mark.parametrize(("flat", "code"), [
    ({"model.embed_tokens.weight": 6000, "lm_head.weight": 6000}, "R042"),
    ({"model.embed_tokens.weight": 6000}, "D501"),
    ({"model.embed_tokens.weight": 6000, "model.norm.weight": 32}, "D501"),
])  # fmt: skip
def test_flat_pieces_of_several_matrices_are_one_cause(flat: dict[str, int], code: str, tmp_path: Path) -> None:
    spec = {**genuine(SMALL_LLAMA), **{name: ("BF16", (size,)) for name, size in flat.items()}}
    found = [one for one in audit(str(write(tmp_path, spec, SMALL_LLAMA))).findings if one.severity != "note"]
    assert {one.code for one in found} == {code}
    assert code != "R042" or found[0].title.endswith("2 of 39 tensors are flat pieces of matrices")


@pytest.mark.parametrize(("dtype", "code"), [("I8", "T603"), ("U8", "T603"), ("F16", "R042")])
def test_flat_integers_are_no_pieces_of_fsdp(dtype: str, code: str, tmp_path: Path) -> None:
    flat = dict.fromkeys(("model.embed_tokens.weight", "lm_head.weight"), (dtype, (6000,)))
    found = audit(str(write(tmp_path, {**genuine(SMALL_LLAMA), **flat}, SMALL_LLAMA))).findings
    assert {one.code for one in found if one.severity != "note"} == {code}


def test_a_single_empty_tensor_next_to_a_wrong_one_is_not_an_fsdp_save(tmp_path: Path) -> None:
    spec = {**genuine(SMALL_LLAMA), "model.embed_tokens.weight": ("BF16", (0,))}
    spec |= {"model.norm.weight": ("BF16", (65,))}
    assert codes(audit(str(write(tmp_path, spec, SMALL_LLAMA)))) == {"D501"}


STATE = ("optimizer.pt", "optimizer.bin", "scheduler.pt", "rng_state.pth", "rng_state_0.pth", "trainer_state.json")
PARTS: dict[str, tuple[tuple[str, ...], str]] = {
    "DeepSpeed": (
        ("global_step500/mp_rank_00_model_states.pt", "global_step500/zero_pp_rank_0_mp_rank_00_optim_states.pt",
         "latest", "zero_to_fp32.py"), "run `python zero_to_fp32.py"),
    "DeepSpeed, the script alone": (("latest", "zero_to_fp32.py"), "copy the folder that `latest` names"),
    "DeepSpeed, beside another folder": (("latest", "zero_to_fp32.py", "epoch3/a.txt"), "run `python zero_to_fp32.py"),
    "DeepSpeed without ZeRO": (("global_step500/mp_rank_00_model_states.pt", "latest", "zero_to_fp32.py"),
        "save `module` of global_step500/mp_rank_00"),
    "DeepSpeed without ZeRO, by accelerate": (("pytorch_model/mp_rank_00_model_states.pt", "latest"),
        "save `module` of pytorch_model/mp_rank_00"),
    "DeepSpeed without ZeRO, two saves": (
        ("global_step1/mp_rank_00_model_states.pt", "global_step2/mp_rank_00_model_states.pt", "zero_to_fp32.py"),
        "run `python zero_to_fp32.py"),
    "DeepSpeed, layers of a pipeline": (
        ("global_step1/mp_rank_00_model_states.pt", "global_step1/layer_00-model_00-model_states.pt",
         "zero_to_fp32.py"), "convert the layer_* files"),
    "DeepSpeed, inside": (
        ("mp_rank_00_model_states.pt", "zero_pp_rank_0_mp_rank_00_optim_states.pt",
         "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt"), "zero_to_fp32.py"),
    "slices of GLM-130B": (("49300/mp_rank_00_model_states.pt", "49300/mp_rank_01_model_states.pt", "latest"),
        "in as many processes as there are files"),
    "DeepSpeed, its file of the model alone": (("mp_rank_00_model_states.pt",), "save `module` of mp_rank_00"),
    "FSDP": (("pytorch_model_fsdp_0/__0_0.distcp", "pytorch_model_fsdp_0/.metadata"),
             "merge-weights pytorch_model_fsdp_0 merged"),
    "FSDP, below": (("checkpoint-9/pytorch_model_fsdp_0/__0_0.distcp", "checkpoint-9/optimizer_0/__0_0.distcp"),
                    "merge-weights checkpoint-9/pytorch_model_fsdp_0 merged"),
    "FSDP, without .metadata": (("pytorch_model_fsdp_0/__8_0.distcp",), "copy .metadata, which the node of rank 0"),
    "DCP, without .metadata": (("__8_0.distcp", "__9_0.distcp"), "copy .metadata, which the node of rank 0"),
    "FSDP, a file per rank": (("pytorch_model_fsdp_rank0.bin", "pytorch_model_fsdp_rank1.bin"), "FULL_STATE_DICT"),
    "FSDP, the optimizer alone": (("optimizer_fsdp_0/__0_0.distcp",), "here is the optimizer's"),
    "DCP, below the names of a run and a model": (
        ("fine-tuned/llama/7B/__0_0.distcp", "fine-tuned/llama/7B/.metadata"), "dcp_to_torch fine-tuned/llama/7B "),
    "DCP, the model and its optimizer": (
        ("optimizer_0/__0_0.distcp", "optimizer_0/.metadata", "pytorch_model_0/__0_0.distcp",
         "pytorch_model_0/.metadata"), "dcp_to_torch pytorch_model_0 merged.pt"),
    "DCP, the optimizer alone": (("optimizer_0/__0_0.distcp", "optimizer_0/.metadata"), "the folder of the model"),
    "DCP": (("__0_0.distcp", "__1_0.distcp", ".metadata"), "dcp_to_torch . merged.pt"),
    "Megatron": (("latest_checkpointed_iteration.txt", "iter_0000100/mp_rank_00/model_optim_rng.pt"), "Megatron"),
    "Megatron, inside": (("mp_rank_00/model_optim_rng.pt", "mp_rank_01/model_optim_rng.pt"), "Megatron"),
    "Megatron, deeper": (("model_optim_rng.pt",), "Megatron"),
    "Megatron, distributed": (("__0_0.distcp", "common.pt", ".metadata", "metadata.json"), "Megatron"),
    "NeMo": (("weights/__0_0.distcp", "weights/common.pt", "weights/metadata.json", "context/model.yaml"), "NeMo"),
    "Orbax": (("default/_METADATA", "default/manifest.ocdbt", "default/d/0a"), "restore it with Orbax"),
    "verl": (("model_world_size_2_rank_0.pt", "model_world_size_2_rank_1.pt", "optim_world_size_2_rank_0.pt"),
             "verl.model_merger"),
}  # fmt: skip


def folder_with(folder: Path, names: tuple[str, ...]) -> Audit:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"{}" if name.endswith(".json") else b"x" * 64)
    return audit(str(folder))


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("weights", [False, True])
def test_partitions_are_reported_with_their_tool(tmp_path: Path, name: str, weights: bool) -> None:
    names, tool = PARTS[name]
    if weights:
        write(tmp_path, genuine(SMALL_LLAMA), SMALL_LLAMA)
    audited = folder_with(tmp_path, names)
    reported = [one for one in audited.findings if one.code in ("R003", "R041", "R044")]
    if weights and not reported:
        assert all("/" in one or one == "latest" for one in names) and audited.verdict == "clean"
        return
    (found,) = reported
    assert found.code == ("R044" if weights else "R003")
    assert (tool in found.help) is not weights
    assert audited.verdict == ("clean" if weights else "unreadable")
    assert audited.counts.unique_parameters == (PARAMETERS if weights else 0)


def test_partitions_beside_weights_that_code_of_a_repository_loads_are_a_note(tmp_path: Path) -> None:
    config = {**SMALL_LLAMA, "model_type": "solar", "architectures": ["SolarForCausalLM"]}
    write(tmp_path, genuine(SMALL_LLAMA), config)
    names, _ = PARTS["DeepSpeed"]
    audited = folder_with(tmp_path, names)
    assert "R044" in {one.code for one in audited.findings} and "R041" not in {one.code for one in audited.findings}


@pytest.mark.parametrize(
    "names", [("optimizer.pt", "scheduler.pt"), ("rng_state.pth",), ("training_args.bin", "scaler.pt")]
)
def test_state_without_weights_is_not_taken_for_weights(names: tuple[str, ...], tmp_path: Path) -> None:
    write(tmp_path, genuine(SMALL_LLAMA), SMALL_LLAMA)
    (tmp_path / "model.safetensors").unlink()
    for name in names:
        (tmp_path / name).write_bytes(archive(b"\x80\x02}.", {}))
    audited = audit(str(tmp_path))
    assert codes(audited) == {"R003"} and "download model.safetensors" in audited.findings[0].help


def test_state_next_to_the_weights_is_a_note(tmp_path: Path) -> None:
    write(tmp_path, genuine(SMALL_LLAMA), SMALL_LLAMA)
    audited = folder_with(tmp_path, STATE)
    assert audited.verdict == "clean"
    notes = [one for one in audited.findings if one.code == "R040"]
    assert [one.facts["files"] for one in notes] == [len(STATE)]
    assert json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))["model_type"] == "llama"


SHARDS = "pytorch_model_fsdp_0"
NAMED = b"\x80\x04\x8c\x0d__0_0.distcp\x94h\x02\x8c\x0d__8_0.distcp\x94."
"""As in the pickle `.metadata` of torch 2.13, with the names of two files."""


@pytest.mark.parametrize(("files", "absent"), [
    (("__8_0.distcp", "__9_0.distcp"), (".metadata",)),
    (("__0_0.distcp", "__8_0.distcp", ".metadata"), ()),
    (("__0_0.distcp", ".metadata"), ("__8_0.distcp",)),
    (("__8_0.distcp", "__8.metadata"), ()),
])  # fmt: skip
@pytest.mark.parametrize("folder", ["", SHARDS, f"checkpoint-7/{SHARDS}", "weights/run"])
def test_distributed_saves_that_nothing_can_merge(
    files: tuple[str, ...], absent: tuple[str, ...], folder: str, tmp_path: Path
) -> None:
    """Measured with torch 2.13 and accelerate 1.15: both stop at the file that is absent."""
    place = tmp_path / folder
    place.mkdir(parents=True, exist_ok=True)
    for name in files:
        (place / name).write_bytes(NAMED if name.endswith(".metadata") else b"x" * 64)
    found = next(one for one in audit(str(tmp_path)).findings if one.code == "R003")
    assert found.facts["absent"] == list(absent)
    assert ("from the node" in found.help or "of rank 0" in found.help) is bool(absent)


@pytest.mark.parametrize(("names", "lacks"), [
    (("optimizer.pt", "scheduler.pt", "rng_state.pth"), "trainer_state.json"),
    (("optimizer.bin", "scheduler.pt", "rng_state_0.pth", "rng_state_1.pth"), "trainer_state.json"),
    (("optimizer.pt", "scheduler.pt", "rng_state.pth", "trainer_state.json"), ""),
    (("optimizer.bin", "scheduler.bin", "random_states_0.pkl"), ""),
    (("scheduler.pt", "rng_state.pth"), ""),
])  # fmt: skip
def test_files_of_the_trainer_without_its_state(names: tuple[str, ...], lacks: str) -> None:
    """transformers 4.57 and 5.23 open trainer_state.json whatever else is there; accelerate has no such file."""
    (found,) = leftover_findings(Listing(dict.fromkeys(names, 1)))
    assert (found.facts["lacks"], lacks in found.remedy().words) == (lacks, True)
