"""What training leaves behind is recognised by its names."""

from __future__ import annotations

import pytest

from inspector.loader.layout import Layout
from inspector.loader.leftovers import emptied, leftover_evidence, leftovers
from inspector.loader.source import Listing

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


def test_state_is_one_case_and_partitions_one_a_kind() -> None:
    listing = Listing({"optimizer.pt": 7, "scheduler.pt": 3, "zero_to_fp32.py": 1}, {"global_step1": "directory"})
    found = leftover_evidence(listing)
    assert [one.rule for one in found] == ["training-state", "partitioned-save"]
    assert found[0].facts["bytes"] == 10
    assert found[1].facts["script"] is True
    assert leftover_evidence(listing, ["zero_to_fp32.py", "optimizer.pt"])[0].facts["files"] == 1


def test_a_million_names_are_looked_at_once() -> None:
    listing = Listing({f"zero_pp_rank_{n}_mp_rank_00_optim_states.pt": 1 for n in range(20_000)})
    (found,) = leftover_evidence(listing)
    assert found.facts["entries"] == 20_000
    assert len(found.facts["names"]) == 20  # type: ignore[arg-type]


def test_weights_that_were_not_gathered() -> None:
    empty, whole = Layout("BF16", (0,), 0, 0), Layout("BF16", (8,), 8, 16)
    names = ("a.weight", "b.weight", "c.weight")
    found = emptied({**dict.fromkeys(names, empty), "d.weight": whole})
    assert found is not None and found.facts["tensors"] == 3
    assert emptied({**dict.fromkeys(names, empty), **dict.fromkeys("defg", whole)}) is None
    assert emptied(dict.fromkeys(names[:2], empty)) is None
    assert emptied({"a": Layout("BF16", (0, 8), 0, 0)}) is None
    assert emptied({}) is None
