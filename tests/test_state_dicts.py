"""Checkpoints with the names in memory (`save_file(model.state_dict())`, FSDP, accelerate) instead of the saved."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from inspector import audit
from tests.checkpoints import genuine, write
from tests.judged import FIXTURES, codes, judged

RECORDS: dict[str, dict[str, Any]] = {
    record["model_type"]: record
    for record in json.loads(gzip.decompress((FIXTURES / "state_dicts.json.gz").read_bytes()))
}


def spec(record: dict[str, Any]) -> dict[str, tuple[str, tuple[int, ...]]]:
    """The tensors of a record."""
    return {name: (dtype, tuple(shape)) for name, (dtype, shape) in record["tensors"].items()}


@pytest.mark.thinned
@pytest.mark.parametrize("name", RECORDS)
def test_a_state_dict_is_clean(name: str) -> None:
    record = RECORDS[name]
    audited = judged(spec(record), record["config"])
    assert (audited.verdict, codes(audited)) == ("clean", set())
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == record["num_parameters"]


@pytest.mark.parametrize("name", ["gte", "ernie4_5_moe", "olmo_hybrid", "radio", "mixtral"])
def test_combined_tensors_under_names_in_memory_are_loaded(name: str, tmp_path: Path) -> None:
    """Measured: transformers 5.23 combines no tensors where the combined tensor is stored."""
    record = RECORDS[name]
    audited = audit(str(write(tmp_path, spec(record), record["config"])))
    assert (audited.verdict, codes(audited), audited.loads[0].outcome) == ("clean", set(), "complete")


@pytest.mark.parametrize("name", ["vit", "swin", "dinov2", "rt_detr", "mimi", "hy_v3", "beit"])
def test_a_lost_tensor_is_missing_under_the_name_in_memory(name: str) -> None:
    record = RECORDS[name]
    stored = spec(record)
    lost = next(key for key in stored if key.endswith(("q_proj.weight", "conv.weight")))
    audited = judged({key: entry for key, entry in stored.items() if key != lost}, record["config"])
    missing = [one for one in audited.findings if one.severity == "error"]
    assert [one.place.tensor for one in missing] == [lost]


def test_a_renaming_keeps_query_key_and_value_apart() -> None:
    record = RECORDS["vit"]
    words = {"q_proj": "first.to_q", "k_proj": "first.to_k", "v_proj": "first.to_v"}
    renamed = {".".join(words.get(word, word) for word in key.split(".")): entry for key, entry in spec(record).items()}
    found = [one.facts for one in judged(renamed, record["config"]).findings if one.code == "N407"]
    pairs = {(new.split(".")[-2], old.split(".")[-2]) for facts in found for old, new in facts["renames"]}
    assert pairs == {("q_proj", "to_q"), ("k_proj", "to_k"), ("v_proj", "to_v")}


def test_a_decoder_has_names_in_memory_too() -> None:
    config = {"model_type": "segformer", "architectures": ["SegformerDecodeHead"], "decoder_hidden_size": 20,
              "hidden_sizes": [8, 12, 16, 24], "num_labels": 5}  # fmt: skip
    saved = genuine(config)
    renamed = {name.replace("linear_c.", "linear_projections."): entry for name, entry in saved.items()}
    assert saved.keys() != renamed.keys()
    audited = judged(renamed, config)
    assert (audited.verdict, codes(audited)) == ("clean", set())


def test_biases_of_relative_positions_have_names_in_memory_too() -> None:
    record = RECORDS["beit"]
    config = {**record["config"], "use_relative_position_bias": True}
    side = config["image_size"] // config["patch_size"]
    table = ("F32", ((2 * side - 1) ** 2 + 3, config["num_attention_heads"]))
    first = next(name for name in record["tensors"] if name.endswith("layers.0.layernorm_before.weight"))
    stem = first.removesuffix("0.layernorm_before.weight")
    tables = {
        f"{stem}{layer}.relative_position_bias.relative_position_bias_table": table
        for layer in range(config["num_hidden_layers"])
    }
    audited = judged({**spec(record), **tables}, config)
    assert (audited.verdict, codes(audited)) == ("clean", set())
