"""Shards whose names do not state how many there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from inspector.loader.unnumbered import left_out
from tests.checkpoints import genuine, split, write_file

LLAMA: dict[str, Any] = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 320, "hidden_size": 64,
    "intermediate_size": 128, "num_hidden_layers": 8, "num_attention_heads": 4, "num_key_value_heads": 2,
}  # fmt: skip
GPT2: dict[str, Any] = {
    "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "vocab_size": 320, "n_embd": 64, "n_layer": 8,
    "n_head": 4, "n_positions": 40,
}  # fmt: skip
QWEN2 = LLAMA | {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]}
NAMES: dict[str, tuple[list[str], bool, tuple[str, ...]]] = {
    # names, whether 0 may be left out, the names left out
    "in the middle": (["out-00.bin", "out-01.bin", "out-03.bin"], False, ("out-02.bin",)),
    "without leading zeros": (["a8_9.bin", "a8_10.bin", "a8_12.bin"], False, ("a8_11.bin",)),
    "nothing": (["out-0.bin", "out-1.bin", "out-2.bin"], True, ()),
    "zero": (["out-1.bin", "out-2.bin", "out-3.bin"], True, ("out-0.bin",)),
    "not zero": (["out-1.bin", "out-2.bin", "out-3.bin"], False, ()),
    "most": (["out-1.bin", "out-2.bin", "out-900000.bin"], False, ()),
    "two numbers": (["out-1-2.bin", "out-2-3.bin", "out-4-5.bin"], False, ()),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_names_that_numbers_leave_out(name: str) -> None:
    names, zero, wanted = NAMES[name]
    assert left_out(names, zero=zero) == wanted


@pytest.mark.parametrize(("config", "first", "lost", "absent"), [
    (LLAMA, 0, [3], ["out-00003.safetensors"]),
    (LLAMA, 0, [2, 4], ["out-00002.safetensors", "out-00004.safetensors"]),
    (QWEN2, 0, [0], ["out-00000.safetensors"]),
    (GPT2, 0, [5], ["out-00005.safetensors"]),
    (QWEN2, 0, [7], []),
    (LLAMA, 1, [0], []),
])  # fmt: skip
def test_a_shard_that_the_numbers_leave_out_is_asked_for(
    config: dict[str, Any], first: int, lost: list[int], absent: list[str], tmp_path: Path
) -> None:
    """first: the number of the first shard. The last one leaves no gap."""
    (tmp_path / "config.json").write_text(json.dumps(config))
    for place, shard in enumerate(split(genuine(config), 8)):
        if place not in lost:
            write_file(tmp_path / f"out-{place + first:05}.safetensors", shard)
    missing = [one for one in audit(str(tmp_path)).findings if one.code in ("N403", "N404", "N426")]
    assert missing
    assert all([*one.facts["left_out"]] == absent for one in missing)
    assert all(("the numbers of the other files leave" in one.help) == bool(absent) for one in missing)


@pytest.mark.parametrize("lost", [True, False])
def test_an_index_is_only_written_for_all_shards(lost: bool, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(QWEN2))
    for place, shard in enumerate(split(genuine(QWEN2), 8)):
        if not lost or place != 4:
            write_file(tmp_path / f"out-{place}.safetensors", shard)
    found = next(one for one in audit(str(tmp_path)).findings if one.code == "S221")
    assert bool(found.remedy().steps) is not lost
    assert ("when all shards are there" in found.help) is lost
