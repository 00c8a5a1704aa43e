"""Damaged components and pipelines for diffusers to load: for each class, damages to what it saves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

from tests.judged import diffusers_classes, diffusers_records, spec_of
from tests.loads.damage import CONFIG, Damage, Folder, WeightFile, damaged, healthy

WEIGHTS = "diffusion_pytorch_model.safetensors"
INDEX = f"{WEIGHTS}.index.json"
FIRST, SECOND = (f"diffusion_pytorch_model-0000{number}-of-00002.safetensors" for number in (1, 2))
EACH = 12
"""Number of damages for each class, chosen by its name among those that apply."""
ALWAYS = ("healthy", "lost", "misshaped")
PIPELINES: Mapping[str, Mapping[str, str]] = {
    "DDPMPipeline": {"unet": "UNet2DModel"},
    "LDMPipeline": {"vqvae": "VQModel", "unet": "UNet2DModel"},
    "DiTPipeline": {"transformer": "DiTTransformer2DModel", "vae": "AutoencoderKL"},
}
"""Pipeline -> folder -> class of its components with weights; each has a scheduler as well."""


def record_of(name: str) -> dict[str, Any]:
    """The tiny record of a class."""
    return next(one for one in diffusers_records(name) if not one["variant"])


def damages_of(name: str) -> dict[str, Sequence[Damage]]:
    """The damages of a component, by name."""
    record = record_of(name)
    spec = spec_of(record)
    names = list(spec)
    seed = crc32(name.encode())
    matrices = [key for key in names if len(spec[key][1]) > 1]
    inner = matrices[seed % len(matrices)]
    vectors = [key for key in names if len(spec[key][1]) == 1] or names
    wanted = spec[inner][1]
    found: dict[str, Sequence[Damage]] = {
        "healthy": [],
        "lost": [["drop", inner]],
        "misshaped": [["shape", inner, [wanted[0] + 2, *wanted[1:]]]],
        "lost-vector": [["drop", vectors[seed % len(vectors)]]],
        "lost-several": [["drop", *names[seed % 5 :: 5]]],
        "renamed": [["rename", inner, f"{inner}_"]],
        "added": [["add", "extra.weight", "F32", [3, 5]]],
        "module": [["prefix", "module."]],
        "name": [["file", WEIGHTS, "model.safetensors"]],
        "copy": [["file", WEIGHTS, "diffusion_pytorch_model (1).safetensors"]],
        "fp16": [["file", WEIGHTS, "diffusion_pytorch_model.fp16.safetensors"]],
        "no-config": [["file", CONFIG, None]],
        "config-name": [["file", CONFIG, "Config.json"]],
        "no-format": [["metadata", {}]],
        "no-metadata": [["metadata", None]],
        "other-format": [["metadata", {"format": "tf"}]],
        "i32": [["dtype", "I32"]],
        "bf16": [["dtype", "BF16"]],
        "shards": [["shards", 2, WEIGHTS]],
        "no-index": [["shards", 2, WEIGHTS, False]],
        "shard-lost": [["shards", 2, WEIGHTS], ["file", SECOND, None]],
        "index-lacks": [["shards", 2, WEIGHTS], ["unset", ["weight_map", inner], INDEX]],
        "index-more": [["shards", 2, WEIGHTS], ["config", ["weight_map", "extra.weight"], FIRST, INDEX]],
        "index-moved": [["shards", 2, WEIGHTS], ["config", ["weight_map", names[0]], SECOND, INDEX]],
        "index-lost": [["shards", 2, WEIGHTS], ["drop", inner]],
        "index-no-metadata": [["shards", 2, WEIGHTS], ["unset", ["metadata"], INDEX]],
        "stale-single": [["shards", 2, WEIGHTS], ["beside", WEIGHTS, 1, inner]],
        "stale-index": [["text", INDEX, {"metadata": {}, "weight_map": dict.fromkeys(names, "gone.safetensors")}]],
        "layers": _more(record["config"], r"num_.*layers"),
        "wider": _more(record["config"], r"(attention_head_dim|cross_attention_dim|latent_channels|z_dim)"),
    }  # fmt: skip
    return {key: steps for key, steps in found.items() if steps or key == "healthy"}


def _more(config: Mapping[str, Any], pattern: str) -> Sequence[Damage]:
    key = next((key for key, value in config.items() if re.fullmatch(pattern, key) and type(value) is int), None)
    return [["config", [key], config[key] + 1]] if key is not None else []


def pipeline_damages(name: str) -> dict[str, Sequence[Damage]]:
    """The damages of a pipeline, by name."""
    folder, class_name = next(iter(PIPELINES[name].items()))
    spec = spec_of(record_of(class_name))
    inner = next(key for key in spec if len(spec[key][1]) > 1)
    weights, config = f"{folder}/{WEIGHTS}", f"{folder}/{CONFIG}"
    return {
        "healthy": [],
        "lost": [["drop", inner]],
        "misshaped": [["shape", inner, [spec[inner][1][0] + 2, *spec[inner][1][1:]]]],
        "name": [["file", weights, f"{folder}/model.safetensors"]],
        "fp16": [["file", weights, f"{folder}/diffusion_pytorch_model.fp16.safetensors"]],
        "no-weights": [["file", weights, None]],
        "no-config": [["file", config, None]],
        "no-folder": [["file", weights, None], ["file", config, None]],
        "no-index": [["file", "model_index.json", None]],
        "no-entry": [["unset", [folder], "model_index.json"]],
        "none": [["config", [folder], [None, None], "model_index.json"]],
        "other-class": [["config", [folder, 1], "UNet1DModel", "model_index.json"]],
        "unknown-class": [["config", [folder, 1], "NoSuchModel", "model_index.json"]],
        "no-class": [["unset", ["_class_name"], "model_index.json"]],
        "added": [["config", ["extra"], ["diffusers", "VQModel"], "model_index.json"]],
    }


def folder_of(case: Mapping[str, Any]) -> Folder:
    """The damaged folder of a case."""
    if case["class"] in PIPELINES:
        return damaged(_pipeline(case["class"]), case["damage"])
    record = record_of(case["class"])
    return damaged(healthy(spec_of(record), record["config"], WEIGHTS), case["damage"])


def _pipeline(name: str) -> Folder:
    index: dict[str, Any] = {"_class_name": name, "_diffusers_version": "0.42.1"}
    folder = Folder(texts={"model_index.json": index})
    for part, class_name in PIPELINES[name].items():
        record = record_of(class_name)
        index[part] = ["diffusers", class_name]
        folder.weights[f"{part}/{WEIGHTS}"] = WeightFile(dict(spec_of(record)))
        folder.texts[f"{part}/{CONFIG}"] = dict(record["config"])
    index["scheduler"] = ["diffusers", "DDIMScheduler"]
    folder.texts["scheduler/scheduler_config.json"] = {"_class_name": "DDIMScheduler", "_diffusers_version": "0.42.1"}
    return folder


def cases() -> Iterator[dict[str, Any]]:
    """Every case: class, name of the damage, damage."""
    for name in diffusers_classes():
        found = damages_of(name)
        order = sorted(found, key=lambda damage: crc32(f"{name} {damage}".encode()))
        for key in [key for key in (*ALWAYS, *(one for one in order if one not in ALWAYS)) if key in found][:EACH]:
            yield {"class": name, "name": key, "damage": found[key]}
    for name in PIPELINES:
        for key, steps in pipeline_damages(name).items():
            yield {"class": name, "name": key, "damage": steps}
