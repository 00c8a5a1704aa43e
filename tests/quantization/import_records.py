"""Copies listings that quantization tools wrote into `fixtures/quantization`.

    python -m tests.quantization.import_records FOLDER

FOLDER has one folder per run. A checkpoint: `headers.json` (`tool`, `versions`, `notes`, and `tensors`: name ->
`dtype`, `shape`), `logical.json` (`n_params`, and `tensors`: the names and shapes before), `config.json` and other JSON
files as the tool wrote them. A single layer: `layer.json` (`note`: the class, `logical`: its weight, `tensors`:
name -> torch's `dtype`, `shape`). Records that are not in FOLDER are kept.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from tests.quantization.recorded import DTYPES, LAYERS, write_record

SIDE_FILES = ("hf_quant_config.json", "quantization_config.json", "quantize_config.json", "quant_config.json",
              "quanto_qmap.json")  # fmt: skip
NOT_WEIGHTS = {"mxfp4_gptoss_experts"}
"""Layers whose class stores its tensors in another form than checkpoints."""


def content(path: Path) -> Any:
    """The JSON of a file."""
    return json.loads(path.read_text(encoding="utf-8"))


def checkpoint(folder: Path) -> dict[str, Any]:
    """A record of a checkpoint, as `recorded.py` describes it."""
    stored, original = content(folder / "headers.json"), content(folder / "logical.json")
    return {
        "tool": stored["tool"],
        "versions": stored["versions"],
        "notes": stored["notes"],
        "config": content(folder / "config.json"),
        "side": {name: content(folder / name) for name in SIDE_FILES if (folder / name).exists()},
        "parameters": original["n_params"],
        "original": original["tensors"],
        "tensors": {name: [entry["dtype"], entry["shape"]] for name, entry in stored["tensors"].items()},
    }


def layer(found: dict[str, Any]) -> dict[str, Any]:
    """A single layer in the format of `layers.json`."""
    weight = re.search(r"weight ?\[([\d, ]+)\]", found["logical"])
    assert weight is not None, found["logical"]
    tensors = {name: [DTYPES[entry["dtype"]], entry["shape"]] for name, entry in found["tensors"].items()}
    return {"class": found["note"], "weight": [int(dim) for dim in weight[1].split(",")], "tensors": tensors}


def functions(found: dict[str, Any]) -> dict[str, Any]:
    """Results of functions of compressed-tensors, each as a layer of which only these tensors are known."""
    made: dict[str, Any] = {}
    version, weight = re.findall(r"compressed-tensors ([\d.]+) on weight ?\[([\d, ]+)\]", found["verified"])[0]
    for call, result in found["r"].items():
        if isinstance(result, list):
            tensors = {"weight_packed": ["I32", result]}
        else:
            tensors = {name.removeprefix("m."): [DTYPES[dtype.removeprefix("torch.")], shape]
                       for name, (dtype, shape) in result.items()}  # fmt: skip
        name = re.sub(r"\W+", "_", call.removeprefix(version).partition("[")[0].strip())
        made[f"ct_{version}_{name}"] = {
            "class": f"functions of compressed-tensors {version}",
            "weight": [int(dim) for dim in weight.split(",")],
            "tensors": tensors,
        }
    return made


def main(source: Path) -> None:
    """Import every run of a folder."""
    layers: dict[str, Any] = json.loads(LAYERS.read_text(encoding="utf-8")) if LAYERS.exists() else {}
    for folder in sorted(path for path in source.iterdir() if path.is_dir()):
        if (folder / "headers.json").exists():
            write_record(folder.name, checkpoint(folder))
        elif folder.name not in NOT_WEIGHTS:
            found = content(folder / "layer.json")
            layers |= {folder.name: layer(found)} if "tensors" in found else functions(found)
    lines = (f"  {json.dumps(name)}: {json.dumps(layers[name])}" for name in sorted(layers))
    LAYERS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
