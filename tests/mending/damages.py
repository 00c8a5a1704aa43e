"""Damaged checkpoints that mend repairs: functions that damage a folder with real data, by name."""

from __future__ import annotations

import hashlib
import json
import random
import re
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.checkpoints import Spec, data_bytes, genuine, header, split

LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 96,
    "num_attention_heads": 8, "num_key_value_heads": 2, "num_hidden_layers": 6, "vocab_size": 128, "head_dim": 8,
    "tie_word_embeddings": False, "transformers_version": "5.23.0",
}  # fmt: skip
GPT2: dict[str, Any] = {
    "architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_embd": 48, "n_head": 4, "n_layer": 3,
    "n_positions": 40, "vocab_size": 224, "transformers_version": "5.23.0",
}  # fmt: skip
QWEN3: dict[str, Any] = {**LLAMA, "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3"}
MIXTRAL: dict[str, Any] = {
    **LLAMA, "architectures": ["MixtralForCausalLM"], "model_type": "mixtral", "num_local_experts": 4,
    "num_experts_per_tok": 2,
}  # fmt: skip
BERT: dict[str, Any] = {
    "architectures": ["BertForMaskedLM"], "model_type": "bert", "hidden_size": 48, "num_hidden_layers": 3,
    "num_attention_heads": 4, "intermediate_size": 80, "vocab_size": 100, "max_position_embeddings": 32,
    "type_vocab_size": 2, "transformers_version": "5.23.0",
}  # fmt: skip
CLASSES: dict[str, Any] = {**BERT, "architectures": ["BertForSequenceClassification"], "num_labels": 7}
MODELS = {"llama": LLAMA, "classes": CLASSES, "gpt2": GPT2, "qwen3": QWEN3, "mixtral": MIXTRAL, "bert": BERT}
Damage = Callable[[Path, Spec, dict[str, Any]], None]


def store(path: Path, spec: Mapping[str, tuple[str, tuple[int, ...]]], metadata: dict[str, str] | None = None) -> None:
    """Write a file with random data that depend only on names and shapes."""
    head, _ = header(spec, metadata)
    data = b"".join(
        random.Random(f"{name.rpartition('.')[2]}{at}").randbytes(data_bytes(*entry))
        for at, (name, entry) in enumerate(spec.items())
    )
    path.write_bytes(head + data)


def whole(folder: Path, spec: Spec, config: Mapping[str, Any], shards: int = 1) -> None:
    """Write an undamaged folder; its config is formatted as transformers does."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    if shards == 1:
        store(folder / "model.safetensors", spec)
        return
    weight_map: dict[str, str] = {}
    for number, part in enumerate(split(spec, shards), 1):
        name = f"model-{number:05d}-of-{shards:05d}.safetensors"
        store(folder / name, part)
        weight_map.update(dict.fromkeys(part, name))
    size = sum(data_bytes(*entry) for entry in spec.values())
    index = {"metadata": {"total_size": size}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2), encoding="utf-8")


def key(name: str, wrong: Any, model: str = "llama") -> tuple[str, Damage]:
    """Damage: one wrong key in the config; None removes it."""

    def damage(folder: Path, spec: Spec, config: dict[str, Any]) -> None:
        changed = {other: value for other, value in {**config, name: wrong}.items() if value is not None}
        whole(folder, spec, changed)

    return model, damage


def names(change: Callable[[str], str], model: str = "llama", shards: int = 1) -> tuple[str, Damage]:
    """Damage: other names of all tensors."""

    def damage(folder: Path, spec: Spec, config: dict[str, Any]) -> None:
        whole(folder, {change(name): entry for name, entry in spec.items()}, config, shards)

    return model, damage


def index(change: Callable[[dict[str, Any]], None], shards: int = 3, model: str = "llama") -> tuple[str, Damage]:
    """Damage: a wrong index."""

    def damage(folder: Path, spec: Spec, config: dict[str, Any]) -> None:
        whole(folder, spec, config, shards)
        path = folder / "model.safetensors.index.json"
        stored = json.loads(path.read_text(encoding="utf-8"))
        change(stored)
        path.write_text(json.dumps(stored), encoding="utf-8")

    return model, damage


def files(change: Callable[[Path, Spec], None], shards: int = 1, model: str = "llama") -> tuple[str, Damage]:
    """Damage: changed files."""

    def damage(folder: Path, spec: Spec, config: dict[str, Any]) -> None:
        whole(folder, spec, config, shards)
        change(folder, spec)

    return model, damage


def _without_entries(stored: dict[str, Any]) -> None:
    for name in list(stored["weight_map"])[::7]:
        del stored["weight_map"][name]


def _without_a_shard(stored: dict[str, Any]) -> None:
    stored["weight_map"] = {name: file for name, file in stored["weight_map"].items() if "00002-of" not in file}


def _without_a_shard_and_entries(stored: dict[str, Any]) -> None:
    _without_a_shard(stored)
    _without_entries(stored)


def _wrong_file_in_index(stored: dict[str, Any]) -> None:
    for name in list(stored["weight_map"])[::7]:
        stored["weight_map"][name] = "model-00001-of-00003.safetensors"


def _other_sharding(stored: dict[str, Any]) -> None:
    for number, name in enumerate(stored["weight_map"]):
        stored["weight_map"][name] = f"model-0000{number % 4 + 1}-of-00004.safetensors"


def _no_index(folder: Path, spec: Spec) -> None:
    (folder / "model.safetensors.index.json").unlink()


def _older_shards(folder: Path, spec: Spec) -> None:
    for number, part in enumerate(split(spec, 5), 1):
        store(folder / f"model-0000{number}-of-00005.safetensors", part)


def _stale_index(folder: Path, spec: Spec) -> None:
    weight_map = dict.fromkeys(spec, "model-00001-of-00002.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))


def _misnamed(name: str) -> Callable[[Path, Spec], None]:
    def rename(folder: Path, spec: Spec) -> None:
        (folder / "model.safetensors").rename(folder / name)

    return rename


def _parts(name: str) -> Callable[[Path, Spec], None]:
    def rename(folder: Path, spec: Spec) -> None:
        for number, path in enumerate(sorted(folder.glob("*.safetensors")), 1):
            path.rename(folder / name.format(number))

    return rename


def _more_labels(folder: Path, spec: Spec) -> None:
    path = folder / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    del config["num_labels"]
    config["id2label"] = {str(number): f"LABEL_{number}" for number in range(21)}
    config["label2id"] = {name: int(number) for number, name in config["id2label"].items()}
    path.write_text(json.dumps(config, indent=2), encoding="utf-8")


def _truncated_index(folder: Path, spec: Spec) -> None:
    path = folder / "model.safetensors.index.json"
    path.write_text(path.read_text(encoding="utf-8")[:200], encoding="utf-8")


def _appended(folder: Path, spec: Spec) -> None:
    with (folder / "model.safetensors").open("ab") as file:
        file.write(b"\1" * 40)


def _unlabelled(folder: Path, spec: Spec) -> None:
    store(folder / "model.safetensors", spec, {"epoch": "3"})


def _capital_letter(folder: Path, spec: Spec) -> None:
    (folder / "config.json").rename(folder / "Config.json")


def _inside(name: str) -> str:
    return re.sub(r"(layers\.\d+\.)", r"\1_checkpoint_wrapped_module.", name)


def _layer_removed(name: str) -> str:
    return re.sub(r"layers\.(\d+)\.", lambda found: f"layers.{int(found[1]) + 2 * (int(found[1]) > 2)}.", name)


def _with_config(change: Callable[[dict[str, Any]], dict[str, Any]], model: str) -> tuple[str, Damage]:
    """Damage: undamaged weights with another config."""

    def damage(folder: Path, spec: Spec, config: dict[str, Any]) -> None:
        whole(folder, spec, change(config))

    return model, damage


def _of_type(model_type: str, class_name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda config: {**config, "model_type": model_type, "architectures": [class_name]}


def _of_llava(config: dict[str, Any]) -> dict[str, Any]:
    """The config of the multimodal model that a text model is from."""
    vision = {"model_type": "clip_vision_model", "hidden_size": 32, "num_hidden_layers": 2}
    return {"model_type": "llava", "architectures": ["LlavaForConditionalGeneration"], "text_config": config,
            "vision_config": vision, "image_token_index": 500, "transformers_version": "5.23.0"}  # fmt: skip


def _part_of_older_save(folder: Path, spec: Spec) -> None:
    """Damage: the last shard of another save in addition to all shards, and no index."""
    store(folder / "model-00002-of-00002.safetensors", dict(list(spec.items())[len(spec) // 2 :]))
    _no_index(folder, spec)


def _expert_pruned(folder: Path, spec: Spec, config: dict[str, Any]) -> None:
    """Damage: shards without the last expert, with the unchanged index and config."""
    whole(folder, spec, config, 3)
    kept = {name: entry for name, entry in spec.items() if ".experts.3." not in name}
    kept |= {name: (dtype, (3, shape[1])) for name, (dtype, shape) in kept.items() if name.endswith("moe.gate.weight")}
    listed = json.loads((folder / "model.safetensors.index.json").read_text(encoding="utf-8"))["weight_map"]
    for file in set(listed.values()):
        store(folder / file, {name: entry for name, entry in kept.items() if listed[name] == file})


DAMAGES: dict[str, tuple[str, Damage]] = {
    "type and class": _with_config(_of_type("qwen2", "Qwen2ForCausalLM"), "qwen3"),
    "type and class, without norms": _with_config(_of_type("llama", "LlamaForCausalLM"), "qwen3"),
    "config of the whole model": _with_config(_of_llava, "llama"),
    "config of the whole model, qwen3": _with_config(_of_llava, "qwen3"),
    "a part of an older save": files(_part_of_older_save, 3),
    "expert pruned": ("mixtral", _expert_pruned),
    "hidden size": key("hidden_size", 128),
    "layers": key("num_hidden_layers", 4),
    "kv heads": key("num_key_value_heads", 8),
    "vocabulary": key("vocab_size", 256),
    "intermediate size absent": key("intermediate_size", None),
    "head dim": key("head_dim", 16),
    "attention bias": key("attention_bias", True),
    "n_layer": key("n_layer", 2, "gpt2"),
    "n_embd": key("n_embd", 96, "gpt2"),
    "bert positions": key("max_position_embeddings", 64, "bert"),
    "bert types": key("type_vocab_size", 4, "bert"),
    "experts": key("num_local_experts", 2, "mixtral"),
    "qwen3 head dim": key("head_dim", 16, "qwen3"),
    "model type in other letters": key("model_type", "Qwen_3", "qwen3"),
    "labels": files(_more_labels, model="classes"),
    "class": key("architectures", ["LlamaForSequenceClassification"]),
    "torch.compile": names(lambda name: f"_orig_mod.{name}"),
    "DataParallel, shards": names(lambda name: f"module.{name}", shards=3),
    "DataParallel, gpt2": names(lambda name: f"module.{name}", "gpt2"),
    "a wrapper of one's own": names(lambda name: f"student.net.{name}", "bert"),
    "activation checkpointing": names(_inside),
    "renamed family": names(lambda name: name.replace("q_proj", "query_proj")),
    "renamed family, bert": names(lambda name: name.replace("intermediate.dense", "intermediate.linear"), "bert"),
    "renamed parts of words": names(lambda name: name.replace("_proj", "_projection")),
    "renamed parts of words, qwen3": names(lambda name: name.replace("layernorm", "layer_norm"), "qwen3"),
    "renamed tensor": names(lambda name: name.replace("layers.3.mlp.up_proj", "layers.3.mlp.upp_proj")),
    "layers cut out": names(_layer_removed),
    "index lacks entries": index(_without_entries),
    "index lacks a shard": index(_without_a_shard),
    "index lacks a shard and entries": index(_without_a_shard_and_entries),
    "index has wrong shards": index(_wrong_file_in_index),
    "index of another sharding": index(_other_sharding),
    "index of nothing": index(lambda stored: stored["weight_map"].clear()),
    "no index": files(_no_index, 3),
    "no index, bert": files(_no_index, 2, "bert"),
    "older shards": files(_older_shards, 3),
    "stale index": files(_stale_index),
    "name": files(_misnamed("model-finetuned.safetensors")),
    "name of a copy": files(_misnamed("model (1).safetensors")),
    "name, gpt2": files(_misnamed("gpt2_final.safetensors"), model="gpt2"),
    "name without its last letter": files(_misnamed("model.safetensor")),
    "name of a text": files(_misnamed("model.safetensors.txt"), model="gpt2"),
    "no ending": files(_misnamed("weights"), model="bert"),
    "shards of other names": files(_parts("llama-{}.safetensors"), 3),
    "shards without a total": files(_parts("model-{:03d}.safetensors"), 3, "bert"),
    "cut index": files(_truncated_index, 3),
    "a value head's wrapper": names(lambda name: f"pretrained_model.{name}", "gpt2"),
    "extra bytes": files(_appended),
    "no format": files(_unlabelled),
    "Config.json": files(_capital_letter),
}  # fmt: skip


def damaged(name: str, folder: Path) -> dict[str, str]:
    """Write a damaged folder and return the SHA-256 of the data of each tensor."""
    model, damage = DAMAGES[name]
    config = dict(MODELS[model])
    damage(folder, genuine(config), config)
    return digests(folder)


WEIGHTS = ("", ".safetensors", ".safetensor", ".txt")
"""File suffixes of weights."""


def digests(folder: Path) -> dict[str, str]:
    """File and name -> SHA-256 of the data of each tensor, without backups."""
    found: dict[str, str] = {}
    for path in sorted(one for one in folder.iterdir() if one.suffix in WEIGHTS):
        raw = path.read_bytes()
        start = 8 + struct.unpack("<Q", raw[:8])[0]
        entries = json.loads(raw[8:start])
        for name, entry in entries.items():
            if name != "__metadata__":
                first, end = entry["data_offsets"]
                found[f"{path.name} {name}"] = hashlib.sha256(raw[start + first : start + end]).hexdigest()
    return found
