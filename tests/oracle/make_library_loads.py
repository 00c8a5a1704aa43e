"""Make `fixtures/loads/diffusers.json.gz` and `peft.json.gz`: how these libraries load damaged files.

Needs torch, transformers, accelerate, diffusers and peft:

    python -m venv five
    five/bin/pip install torch==2.13.0 transformers==5.23.0 accelerate diffusers==0.42.1 peft==0.21.2
    five/bin/python -m tests.oracle.make_library_loads diffusers
    five/bin/python -m tests.oracle.make_library_loads peft

A component is loaded by the class that its config names, a pipeline by `DiffusionPipeline`, an adapter by
`PeftModel.from_pretrained` into a base of random numbers. A file is gzip (mtime 0) of one JSON list of the cases of
`tests/loads/component_cases.py` or `adapter_cases.py`, each with the result as in `make_loads.py`; a pipeline and PEFT
have no counts of mismatched tensors.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib
import io
import json
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.loads import adapter_cases, component_cases
from tests.loads.damage import write
from tests.oracle.make_loads import LOADS, fill, limited


def of_component(case: Mapping[str, Any]) -> dict[str, Any]:
    """Load the component or pipeline in the folder "0"."""
    diffusers = importlib.import_module("diffusers")
    diffusers.logging.set_verbosity_error()
    if case["class"] in component_cases.PIPELINES:
        pipeline = diffusers.DiffusionPipeline.from_pretrained("0")
        parts = [part for part in pipeline.components.values() if hasattr(part, "state_dict")]
        empty = [name for part in parts for name, tensor in part.state_dict().items() if tensor.is_meta]
        return {"outcome": "random" if empty else "complete", "counts": [len(empty), 0, 0]}
    model, info = getattr(diffusers, case["class"]).from_pretrained("0", output_loading_info=True)
    counts = [len(info[f"{key}_keys"]) for key in ("missing", "unexpected", "mismatched")]
    empty = [name for name, tensor in model.state_dict().items() if tensor.is_meta]
    return {
        "outcome": "random" if counts[0] or counts[2] or empty else "complete",
        "counts": counts,
        **({"meta": len(empty)} if empty else {}),
    }


def of_adapter(case: Mapping[str, Any]) -> dict[str, Any]:
    """Load the adapter in the folder "0" into a base built from its config.

    A tensor that is missing under one of its names and loaded under another is not random. Tensors that differ between
    two loads are random, whatever the loading info reports.
    """
    first, second = (_adapter_loaded(seed) for seed in (1, 2))
    differing = [name for name, one in first[1].items() if not one.nan_to_num().equal(second[1][name].nan_to_num())]
    return {"outcome": "random" if first[2] or differing else "complete", "counts": first[0]}


def _adapter_loaded(seed: int) -> tuple[list[int], dict[str, Any], int]:
    """The counts, the tensors in memory, and how many trained tensors are not those of the file under any name: what
    PEFT reports as missing, and what it would save and finds in no tensor of the file.
    """
    peft, transformers, torch = (importlib.import_module(name) for name in ("peft", "transformers", "torch"))
    torch.manual_seed(0)
    config = transformers.AutoConfig.from_pretrained("0/base")
    base = getattr(transformers, config.architectures[0])(config)
    own = {one.data_ptr() for one in base.parameters()}
    results: list[Any] = []
    load = peft.PeftModel.load_adapter

    def noted(*arguments: Any, **named: Any) -> Any:
        results.append(load(*arguments, **named))
        return results[-1]

    peft.PeftModel.load_adapter = noted
    torch.manual_seed(seed)
    try:
        model = peft.PeftModel.from_pretrained(base, "0")
    finally:
        peft.PeftModel.load_adapter = load
    missing, unexpected = (list(getattr(results[0], f"{key}_keys")) for key in ("missing", "unexpected"))
    inside = model.state_dict()
    loaded = {tensor.data_ptr() for name, tensor in inside.items() if name not in missing}
    made = {name for name, _ in model.named_buffers()}  # with the values that were saved, from the base and a seed
    alone = {name for name in missing if name not in inside or inside[name].data_ptr() not in loaded} - made
    return [len(missing), len(unexpected), 0], inside, len(alone) + _untrained(model, own)


def _untrained(model: Any, own: set[int]) -> int:
    """How many of the parameters of an adapter, which are not the base's own, have values of no tensor in the file."""
    read = importlib.import_module("safetensors.torch").load_file
    stored = [one.float() for file in Path("0").glob("*.safetensors") for one in read(file).values()]
    known = {(one.numel(), one.sum().item()) for one in stored}
    trained = {one.data_ptr() for one in model.parameters()} - own
    saved = importlib.import_module("peft").get_peft_model_state_dict(model, save_embedding_layers=False)
    return sum(
        one.data_ptr() in trained and (one.numel(), one.float().sum().item()) not in known for one in saved.values()
    )


LIBRARIES = {
    "diffusers": (component_cases.cases, component_cases.folder_of, of_component),
    "peft": (adapter_cases.cases, adapter_cases.folder_of, of_adapter),
}


def main() -> None:
    """Record every case of a library."""
    importlib.import_module("torch").set_num_threads(1)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    os.environ["HF_HUB_OFFLINE"] = "1"
    name = sys.argv[1]
    cases, folder_of, load = LIBRARIES[name]
    found: list[dict[str, Any]] = []
    for case in cases():
        folder = folder_of(case)
        with tempfile.TemporaryDirectory() as place, limited(), contextlib.redirect_stderr(io.StringIO()):
            os.chdir(place)
            write(folder, Path("0"), fill)
            try:
                result = load(case)
            except Exception as error:
                text = " ".join(str(error).split()).replace(place, "")
                result = {"outcome": "refuses", "error": f"{type(error).__name__}: {text[:120]}"}
        found.append({**case, **result})
        print(*list(found[-1].values())[:2], result, flush=True)
    raw = json.dumps(found, separators=(",", ":")).encode()
    (LOADS / f"{name}.json.gz").write_bytes(gzip.compress(raw, 9, mtime=0))


if __name__ == "__main__":
    main()
