"""What users see when a checkpoint does not load, and its cause: verdict, findings and words of the first remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.loads.damage import MODEL
from tests.loads.test_verdicts import Row, judged

FLAT: list[Any] = [
    damage
    for name in (f"model.layers.{n}.mlp.{part}_proj.weight" for n in range(3) for part in ("gate", "up", "down"))
    for damage in (["shape", name, [4500]], ["retype", "I8", name])
]
BESIDE = ["keep", "self_attn.q_proj"]
LORA: list[Any] = [
    ["replace", "q_proj.weight", "q_proj.lora_A.default.weight"],
    *(["add", f"model.layers.{n}.self_attn.q_proj.lora_B.default.weight", "F32", [120, 120]] for n in range(3)),
]
SCATTERED = [["lose", "k_proj", "layers.0.mlp.up", "layers.1.mlp.down"]]
CASES: list[Row] = [
    # class of the damage, model type, class, damages, verdict, findings, words of the first remedy
    ("biases of norms", "t5", "Generation", [["add", f"{side}.block.0.layer.0.layer_norm.bias", "F32", [48]]
     for side in ("encoder", "decoder")], "findings", ["N540"], "load it with the code that wrote it"),
    ("bias of one module", "t5", "Generation", [["add", "encoder.final_layer_norm.bias", "F32", [48]]], "findings",
     ["N405"], "not counted as a parameter"),
    ("biases of no key", "qwen2", "CausalLM", [["add", "model.layers.0.self_attn.o_proj.bias", "F32", [48]]],
     "findings", ["N405"], "not counted as a parameter"),
    ("rows of packed numbers", "llama", "CausalLM", FLAT, "findings", ["T603"],
     "load it with the program that quantized it"),
    ("adapter under no name", "llama", "CausalLM", [BESIDE, *LORA, ["file", MODEL, "additional.safetensors"]],
     "findings", ["S240"], "download the weights of the model"),
    ("all shards are there", "llama", "CausalLM", [*SCATTERED, ["shards", 3]], "findings", ["N426"],
     "download or convert the checkpoint again"),
]  # fmt: skip


@pytest.mark.parametrize("row", CASES, ids=[f"{number}-{row[0]}-{row[1]}" for number, row in enumerate(CASES)])
def test_the_cause_of_a_symptom(row: Row, tmp_path: Path) -> None:
    *_, verdict, codes, words = row
    audited = judged(row, tmp_path)
    found = [one for one in audited.findings if one.severity != "note"]
    assert (audited.verdict, [one.code for one in found]) == (verdict, codes)
    assert not found or words in found[0].help
