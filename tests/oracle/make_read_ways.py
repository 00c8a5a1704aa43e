"""Make `inspector/adapters/read_ways.json`: the names under which diffusers reads a LoRA for each of its classes.

Needs torch, diffusers and peft:

    python -m venv five
    five/bin/pip install torch==2.13.0 transformers==5.23.0 accelerate diffusers==0.42.1 peft==0.21.2
    five/bin/python -m tests.oracle.make_read_ways [CLASS ...]

For each class and for its modules in its own names ("own") and in those of its original authors ("authors"): prefix, a
space and the ends of the matrices ("peft", "kohya", "old", with "+alpha" where a scale is stored) -> "read" where
`load_lora_weights` changes all modules of a choice (all, those of the blocks, those of the attention); "partly" where
it changes fewer than under other names; "refused" where each choice raises; "open" where it joins or splits matrices of
the published model's width alone. Nothing is loaded under names that are not listed.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import json
import logging
import struct
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from inspector.adapters.author_names import in_authors_names
from tests.loads.damage import Folder, WeightFile, write
from tests.oracle.diffusers_bases import BASES
from tests.oracle.diffusers_classes import class_of
from tests.oracle.make_loads import fill

TABLE = Path(__file__).parents[2] / "inspector" / "adapters" / "read_ways.json"
PIPELINES: Mapping[str, str] = {
    "AuraFlowTransformer2DModel": "AuraFlow", "ChromaTransformer2DModel": "Flux",
    "CogVideoXTransformer3DModel": "CogVideoX", "CogView4Transformer2DModel": "CogView4",
    "Flux2Transformer2DModel": "Flux2", "FluxTransformer2DModel": "Flux",
    "HiDreamImageTransformer2DModel": "HiDreamImage", "HunyuanVideoTransformer3DModel": "HunyuanVideo",
    "LTXVideoTransformer3DModel": "LTXVideo", "Lumina2Transformer2DModel": "Lumina2",
    "QwenImageTransformer2DModel": "QwenImage", "SD3Transformer2DModel": "SD3", "SanaTransformer2DModel": "Sana",
    "WanTransformer3DModel": "Wan", "ZImageTransformer2DModel": "ZImage",
}  # fmt: skip
"""Class -> prefix of the name of its pipelines' loader."""
ENDS: Mapping[str, tuple[str, str]] = {
    "peft": ("lora_A.weight", "lora_B.weight"), "kohya": ("lora_down.weight", "lora_up.weight"),
    "old": ("lora.down.weight", "lora.up.weight"),
}  # fmt: skip
PREFIXES = ("transformer.", "diffusion_model.", "model.diffusion_model.", "base_model.model.", "lora_unet_", "")
OF_WIDTHS: Mapping[str, str] = {
    "ChromaTransformer2DModel": "base_model.model.", "FluxTransformer2DModel": "base_model.model.",
    "HunyuanVideoTransformer3DModel": "diffusion_model.", "Lumina2Transformer2DModel": "diffusion_model.",
}  # fmt: skip
"""Class -> prefix before the names of its authors after which diffusers splits matrices of the published width."""
RANK = 4


def data(name: str, dtype: str, shape: tuple[int, ...]) -> bytes:
    """Random matrices and a scale of 2: diffusers 0.42 does not terminate with a negative one."""
    return struct.pack("<f", 2.0) if name.endswith("alpha") else fill(name, dtype, shape)


def chosen(modules: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The modules of the attention, those of the blocks, all."""
    yield {name: shape for name, shape in modules.items() if "att" in name}
    yield {name: shape for name, shape in modules.items() if "block" in name or "layers" in name or "refiner" in name}
    yield modules


def lora(modules: Mapping[str, Any], prefix: str, ends: str) -> dict[str, tuple[str, tuple[int, ...]]]:
    """A LoRA of some modules."""
    down, up = ENDS[ends.partition("+")[0]]
    found: dict[str, tuple[str, tuple[int, ...]]] = {}
    for name, (outputs, inputs) in modules.items():
        stem = prefix + (name.replace(".", "_") if prefix.endswith("_") else name)
        found[f"{stem}.{down}"] = ("F32", (RANK, inputs))
        found[f"{stem}.{up}"] = ("F32", (outputs, RANK))
        if ends.endswith("+alpha"):
            found[f"{stem}.alpha"] = ("F32", ())
    return found


def loaded(kind: str, model: Any, spec: Mapping[str, Any]) -> int | None:
    """How many modules are changed; None where the file is refused."""
    mixin = getattr(importlib.import_module("diffusers.loaders.lora_pipeline"), f"{PIPELINES[kind]}LoraLoaderMixin")
    pipeline = type("Pipeline", (mixin,), {"components": {"transformer": model}, "hf_device_map": None})()
    for part in ("text_encoder", "text_encoder_2", "transformer_2"):
        setattr(pipeline, part, None)
    pipeline.transformer = model
    with tempfile.TemporaryDirectory() as place, contextlib.redirect_stderr(io.StringIO()):
        write(Folder({"lora.safetensors": WeightFile(dict(spec))}, {}), Path(place), data)
        try:
            pipeline.load_lora_weights(place, weight_name="lora.safetensors", adapter_name="x")
        except Exception:
            return None
    return sum(hasattr(one, "lora_A") for one in model.modules())


def ways(kind: str, model: Any, modules: Mapping[str, Any], left: str | None) -> dict[str, str]:
    """Prefix and ends -> "read", "partly", "refused" or "open". left: the prefix that is left open."""
    listed = [f"{one}{more}" for one in ENDS for more in (("", "+alpha") if one != "old" else ("",))]
    numbers = {
        (prefix, ends): [
            0 if prefix == left else loaded(kind, copy.deepcopy(model), lora(some, prefix, ends))
            for some in chosen(modules)
            if some
        ]
        for prefix in PREFIXES
        for ends in listed
    }
    most = [max(one or 0 for one in each) for each in zip(*numbers.values(), strict=True)]
    words = {way: "open" if way[0] == left else _word(each, most) for way, each in numbers.items()}
    return {f"{prefix} {ends}": word for (prefix, ends), word in words.items() if word}


def _word(each: Sequence[int | None], most: Sequence[int]) -> str:
    """The result for a way. each: the number of changed modules of each choice; most: maximum over all ways."""
    if any(one and one == number for one, number in zip(each, most, strict=True)):
        return "read"
    return "partly" if any(each) else "refused" if None in each and 0 not in each else ""


def main() -> None:
    """Write the table."""
    linear = importlib.import_module("torch.nn").Linear
    importlib.import_module("torch").set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    named = sys.argv[1:]
    table: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8")) if named and TABLE.exists() else {}
    for kind in named or PIPELINES:
        model = class_of(kind)(**BASES[kind])
        own = {name: tuple(one.weight.shape) for name, one in model.named_modules() if isinstance(one, linear)}
        entry = {"own": ways(kind, model, own, None)}
        theirs = dict(in_authors_names(kind, own))
        if theirs:
            entry["authors"] = ways(kind, model, theirs, OF_WIDTHS.get(kind))
        table[kind] = entry
        print(kind, {naming: [*found.values()].count("read") for naming, found in entry.items()}, flush=True)
        lines = [f"{json.dumps(one)}: {json.dumps(found)}" for one, found in sorted(table.items())]
        TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
