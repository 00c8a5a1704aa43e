"""Make records, as `make_records.py` does, of models whose classes are code of their authors' repositories.

Needs torch, a version of transformers that the code runs with (4.46 or 5), safetensors, timm and einops, and in the
folder CODE the code of each model type, a checkout of the repository or the Python files of one on the Hub, under the
module names of the cases: these begin with a folder in CODE/MODEL_TYPE, or with MODEL_TYPE itself.

    git clone https://github.com/OpenGVLab/InternVL && mv InternVL/internvl_chat CODE/internvl_chat
    hf download microsoft/Phi-3-vision-128k-instruct --include "*.py" --local-dir CODE/phi3_v
    python -m tests.oracle.make_author_records CODE [MODEL_TYPE ...]

Each model has small sizes, all different, and is saved by `save_pretrained`. A model whose sizes are constants of its
code is built on torch's meta device, and its state dict is recorded.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.oracle import author_cases
from tests.oracle.make_records import (
    header_of,
    parameters_of,
    read,
    spelled,
    tied_names,
    unwritten,
    write,
    writer,
)
from tests.oracle.multimodal_author_cases import MULTIMODAL_CASES
from tests.oracle.newer_author_cases import NEWER_CASES
from tests.oracle.text_author_cases import TEXT_CASES
from tests.oracle.tiny import merged

CASES = {**author_cases.CASES, **NEWER_CASES, **TEXT_CASES, **MULTIMODAL_CASES}


class Case(NamedTuple):
    """A model of a repository. configuration, model: module and class. changed: changes, each for a further record.

    constant: the sizes are numbers in the code, or the class cannot save itself. uninitialized: the code cannot
    initialize its modules, only load them. declared: the class that published configs state, if it is another.
    towers: a class of transformers that the code loads from a repository -> the values of its config, for it is built.
    """

    repository: str
    configuration: tuple[str, str]
    model: tuple[str, str]
    values: Mapping[str, Any]
    changed: tuple[Mapping[str, Any], ...] = ()
    constant: bool = False
    uninitialized: bool = False
    declared: str = ""
    towers: Mapping[str, Mapping[str, Any]] = {}


def class_in(place: tuple[str, str]) -> Any:
    module, name = place
    return getattr(importlib.import_module(module), name)


@contextlib.contextmanager
def parameters_on_meta() -> Iterator[None]:
    """Modules built within have their parameters on the meta device; what is computed with other tensors works."""
    import torch  # type: ignore[import-not-found]

    register = torch.nn.Module.register_parameter

    def registered(module: Any, name: str, parameter: Any) -> None:
        register(module, name, None if parameter is None else torch.nn.Parameter(parameter.to("meta")))

    torch.nn.Module.register_parameter = registered
    try:
        yield
    finally:
        torch.nn.Module.register_parameter = register


@contextlib.contextmanager
def without_values(uninitialized: bool) -> Iterator[None]:
    """Modules built within are not initialized (transformers 4)."""
    if not uninitialized:
        yield
        return
    from transformers.modeling_utils import no_init_weights  # type: ignore[import-not-found]

    with no_init_weights():
        yield


@contextlib.contextmanager
def built_towers(towers: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    """Classes of transformers that are loaded within are built from these values."""
    import transformers  # type: ignore[import-not-found]

    classes = {name: getattr(transformers, name) for name in towers}
    for name, values in towers.items():
        configuration = getattr(classes[name], "config_class", None)
        built = classes[name](**values) if configuration is None else classes[name](configuration(**values))
        classes[name].from_pretrained = classmethod(lambda cls, *place, built=built, **options: built)
    try:
        yield
    finally:
        for tower in classes.values():
            del tower.from_pretrained


DTYPES = {"torch.float32": "F32", "torch.bfloat16": "BF16", "torch.int64": "I64", "torch.bool": "BOOL"}
"""The names of dtypes in safetensors."""


def record(case: Case, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Build and save one model and read the file."""
    given = merged(case.values, changes)
    config = class_in(case.configuration)(**copy.deepcopy(given))
    on_meta = parameters_on_meta() if case.constant else contextlib.nullcontext()
    with on_meta, without_values(case.uninitialized), built_towers(case.towers):
        model = class_in(case.model)(config)
    if case.uninitialized:
        model.tie_weights()
    tied = tied_names(model)
    copies = [name for names in tied for name in names[1:]]
    if copies and not isinstance(model._tied_weights_keys, Mapping):  # transformers 5 says which tensor each one copies
        type(model)._tied_weights_keys = [*(model._tied_weights_keys or ()), *copies]
    with tempfile.TemporaryDirectory() as folder:
        if case.constant:
            config.architectures = [case.declared or type(model).__name__]
            config.save_pretrained(folder)
            tensors = {name: [DTYPES[str(held.dtype)], list(held.shape)] for name, held in model.state_dict().items()}
        else:
            model.save_pretrained(folder)
            tensors = header_of(Path(folder) / "model.safetensors")
        written = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
    held = {name for name, _ in model.named_buffers()}
    buffers = [name for name in tensors if name in held]
    left = unwritten(parameters_of(model), tensors, buffers)
    return {
        "class": case.declared or type(model).__name__,
        "variant": spelled(changes),
        "writer": f"{writer()}, {case.repository}",
        "given": given,
        "config": written,
        "num_parameters": parameters_of(model),
        **({"unwritten": left} if left else {}),
        "tied": tied,
        "buffers": buffers,
        "tensors": tensors,
    }


def records_of(model_type: str) -> Iterator[dict[str, Any]]:
    for values in CASES[model_type]:
        case = Case(**values)
        for changes in ({}, *case.changed):
            yield record(case, changes)


def main(folder: str, model_types: list[str]) -> None:
    sys.path.insert(0, folder)
    for model_type in model_types or CASES:
        sys.path.insert(0, str(Path(folder) / model_type))
        made = list(records_of(model_type))
        writers = {one["writer"] for one in made}
        content = read(model_type)
        kept = [one for one in content["records"] if one["writer"] not in writers]
        write({**content, "records": kept + made})
        print(f"{model_type}: {len(made)} records", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
