"""Make `inspector/loading/pipelines.json`: the components of diffusers' pipelines and the classes that they may have.

Needs torch, transformers and diffusers; makes no requests. The second run, with an older transformers and no diffusers,
adds the tokenizers and processors that only that version has:

    five/bin/python -m tests.oracle.make_pipelines
    four/bin/python -m tests.oracle.make_pipelines

Of a pipeline are recorded the components without which it cannot be built (`pipelines`), those that may be null or
absent (`optional`), and the other parameters of its class (`settings`); for those in `connected` a README names absent
components. `types` has the classes of models that a pipeline's signature gives for each component. Those that refuse a
safety checker without a feature extractor are `checking`, and those that put motion modules into a UNet for images
`animating`. `sizes` has, for each key of an image processor, the classes that refuse a text in it.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[2] / "inspector" / "loading" / "pipelines.json"
WITHOUT_WEIGHTS = re.compile(
    r"(Tokenizer|FeatureExtractor|Processor)(Fast|Pil|PilFast|Legacy)?$"
    r"|^(PreTrainedTokenizer.*|TokenizersBackend|PythonBackend|SentencePieceBackend)$"
)
"""Names of classes of transformers without weights that a pipeline may name."""


WRITTEN = {"checking": "Make sure to define a feature extractor", "animating": "UNetMotionModel.from_unet2d("}
"""Key of the table -> text in the constructors of its pipelines."""


PROJECTED = "CLIPTextModelWithProjection"
"""A class of which other pipelines use the variant without a projection."""


def of_pipelines(diffusers: Any) -> dict[str, Any]:
    """The parameters of each pipeline."""
    needs, optional, settings, connected, projecting, accepted = {}, {}, {}, [], {}, {}
    written: dict[str, list[str]] = {key: [] for key in WRITTEN}
    for name in dir(diffusers):
        with contextlib.suppress(Exception):
            kind = getattr(diffusers, name)
            if not issubclass(kind, diffusers.DiffusionPipeline):
                continue
            needed, given = ({*names} - {"self"} for names in kind._get_signature_keys(kind))
            null = {*kind._optional_components} & (needed | given)
            needs[name] = " ".join(sorted(needed - null))
            optional[name] = " ".join(sorted(null))
            settings[name] = " ".join(sorted(given - null))
            types = {part: {one.__name__ for one in given} for part, given in kind._get_signature_types().items()}
            if projected := sorted(part for part, given in types.items() if given - {"NoneType"} == {PROJECTED}):
                projecting[name] = " ".join(projected)
            models = {part: "|".join(sorted(filter(_is_model, given))) for part, given in sorted(types.items())}
            accepted[name] = " ".join(f"{part}={given}" for part, given in models.items() if given)
            if kind._load_connected_pipes:
                connected.append(name)
            for key, text in WRITTEN.items():
                if text in inspect.getsource(kind.__init__):
                    written[key].append(name)
    found = {key: " ".join(names) for key, names in written.items()}
    texts = {"connected": " ".join(connected), **found}
    stated = {"pipelines": needs, "optional": optional, "settings": settings, "projecting": projecting}
    return {**stated, "types": accepted, **texts}


def _is_model(name: str) -> bool:
    """Whether a class of a signature has weights."""
    return name[:1].isupper() and not WITHOUT_WEIGHTS.search(name) and "Scheduler" not in name and name != "NoneType"


def of_classes(diffusers: Any) -> dict[str, Any]:
    """The classes that a pipeline may name: of models, others of diffusers, and those of the modules of pipelines."""
    models: list[str] = []
    others: list[str] = []
    modules: dict[str, str] = {}
    pipelines = importlib.import_module("diffusers.pipelines")
    for name in dir(diffusers):
        with contextlib.suppress(Exception):
            kind = getattr(diffusers, name)
            if issubclass(kind, diffusers.ModelMixin):
                models.append(name)
            elif _is_component(diffusers, kind):
                others.append(name)
    for name in dir(pipelines):
        with contextlib.suppress(Exception):
            module = getattr(pipelines, name)
            if inspect.ismodule(module):
                modules[name] = " ".join(_loadable(diffusers, module))
    return {"models": " ".join(models), "others": " ".join(others), "modules": modules}


def _is_component(diffusers: Any, kind: Any) -> bool:
    """Whether a pipeline loads a class; placeholders of classes whose packages are not installed count too."""
    if not hasattr(kind, "from_pretrained") or issubclass(kind, diffusers.DiffusionPipeline):
        return False
    loading = importlib.import_module("diffusers.pipelines.pipeline_loading_utils")
    named = (getattr(diffusers, name, None) for name in loading.LOADABLE_CLASSES["diffusers"])
    bases = tuple(one for one in named if one is not None)
    return type(kind).__name__ == "DummyObject" or issubclass(kind, bases)


def _loadable(diffusers: Any, module: Any) -> list[str]:
    found: list[str] = []
    for name in dir(module):
        with contextlib.suppress(Exception):
            kind = getattr(module, name)
            if hasattr(kind, "from_pretrained") and not issubclass(kind, diffusers.DiffusionPipeline):
                found.append(name)
    return found


SIZES = ("size", "crop_size", "pad_size")


def of_images(transformers: Any, renamed: Mapping[str, str]) -> dict[str, str]:
    """The classes that refuse a text for a size. renamed: older names, under which a pipeline may have them."""
    found: dict[str, list[str]] = {key: [] for key in SIZES}
    for name in (*dir(transformers), *renamed):
        if not WITHOUT_WEIGHTS.search(name):
            continue
        with contextlib.suppress(Exception):
            kind = getattr(transformers, renamed.get(name, name))
            kind.from_dict({})
            for key in SIZES:
                try:
                    kind.from_dict({key: "x"})
                except ValueError:
                    found[key].append(name)
    return {key: " ".join(sorted({*names})) for key, names in found.items()}


def main() -> None:
    """Write the table, or add to it."""
    transformers: Any = importlib.import_module("transformers")
    processors = {name for name in dir(transformers) if WITHOUT_WEIGHTS.search(name)}
    if importlib.util.find_spec("diffusers") is None:
        table = json.loads(TABLE.read_text(encoding="utf-8"))
        processors |= {*table["processors"].split()}
    else:
        diffusers: Any = importlib.import_module("diffusers")
        renamed = importlib.import_module("diffusers.utils.deprecation_utils")._TRANSFORMERS_CLASS_REMAPPING
        processors |= {*renamed}
        table = {"version": diffusers.__version__, **of_classes(diffusers), **of_pipelines(diffusers)}
        table["sizes"] = of_images(transformers, {name: entry["new_class"] for name, entry in renamed.items()})
    table["processors"] = " ".join(sorted(processors))
    TABLE.write_text(json.dumps(table, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
