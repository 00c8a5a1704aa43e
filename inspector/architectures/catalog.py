"""Which file holds the definition of a model type: one small table, so that one definition is imported and not all.

`outlines.json` is the way from names to definitions: the ends of the keys of each, and how many keys it has at the
least. Both tables have one line for each name. `python -m inspector.matcher.outlines` writes them from the files;
a test compares.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from inspector.notation.definition import Architecture

_HERE = os.path.dirname(__file__)
FOLDERS = ("text", "vision", "audio", "multimodal", "diffusion", "timeseries")
"""Where the definitions are, by what the models read or make."""


def data_file(name: str) -> bytes:
    """A table that is among the definitions."""
    with open(os.path.join(_HERE, name), "rb") as file:
        return file.read()


@cache
def modules() -> Mapping[str, tuple[str, str]]:
    """model type (or diffusers class) -> (module, constant)."""
    table: dict[str, list[str]] = json.loads(data_file("catalog.json"))
    return {name: (place[0], place[1]) for name, place in table.items()}


@lru_cache(maxsize=1 << 14)
def letters(name: str) -> str:
    """A model type without what its spellings differ in: "lfm2-vl" and "lfm2_vl" are one."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


@cache
def _by_letters() -> Mapping[str, str]:
    return {letters(name): name for name in modules()}


def type_with_letters(name: str) -> str | None:
    """The model type of the catalog that has the letters and digits of a name; None where none has."""
    return _by_letters().get(letters(name))


@cache
def definition_of(model_type: str) -> Architecture | None:
    """The definition that reads a model type, None where there is none."""
    place = modules().get(model_type) or modules().get(type_with_letters(model_type) or "")
    if place is None:
        return None
    definition = getattr(import_module(f"inspector.architectures.{place[0]}"), place[1])
    return definition if isinstance(definition, Architecture) else None


def definition_file(model_type: str) -> str:
    """The file that defines a model type of the catalog, relative to the package, and the constant in it."""
    module, constant = modules()[model_type]
    return f"inspector/architectures/{module.replace('.', '/')}.py ({constant})"


class KeyOutline(NamedTuple):
    """What shows by names alone whether a definition is near: the fewest keys its checkpoints have, and their ends.

    parts: key of a sub-config that chooses the definition of a part -> the model type that the class has there by
    default. The keys of these parts are not among the others.
    """

    least: int
    endings: frozenset[str]
    parts: Mapping[str, str] = {}


@cache
def outlines() -> Mapping[str, KeyOutline]:
    """First model type of a definition -> its outline."""
    table: dict[str, tuple[int, str] | tuple[int, str, dict[str, str]]] = json.loads(data_file("outlines.json"))
    return {name: KeyOutline(entry[0], frozenset(entry[1].split()), *entry[2:]) for name, entry in table.items()}


@cache
def _first_name(model_type: str) -> str:
    """The first model type of the definition that reads a type; outlines have this name."""
    place = modules()[model_type]
    return next(name for name in first_names() if modules()[name] == place)


@cache
def _whole_outlines() -> Mapping[str, KeyOutline]:
    """The outlines, those of models whose parts a config chooses with the parts that their classes have by default."""
    found = {}
    for name, outline in outlines().items():
        inner = [outlines()[_first_name(part)] for part in outline.parts.values()]
        found[name] = KeyOutline(
            outline.least + sum(one.least for one in inner), outline.endings.union(*(one.endings for one in inner))
        )
    return found


def usual_parts(name: str) -> dict[str, dict[str, str]]:
    """A config of a definition that only has the model types of the parts that its class has by default."""
    return {key: {"model_type": model_type} for key, model_type in outlines()[name].parts.items()}


def ending(key: str) -> str:
    """The last two segments of a key: what no prefix before the names can change."""
    return ".".join(key.rsplit(".", 2)[-2:])


def first_names() -> list[str]:
    """The first model type of every definition, in the order of the table."""
    seen: dict[tuple[str, str], str] = {}
    for name, place in modules().items():
        seen.setdefault(place, name)
    return list(seen.values())


SPARE_KEYS = 2
"""What a checkpoint of very few families may lack and still be taken for a definition's."""


def likely_definitions(keys: Collection[str], share: float, most: int) -> list[tuple[str, Architecture]]:
    """The definitions that know at least this share of the keys by their endings, else the three nearest.

    A definition that needs far more keys than there are is none of them. Of equals the smaller one comes first.
    Only they are imported.
    """
    return list(_likely(frozenset(keys), share, most))


@lru_cache(maxsize=32)  # one audit asks several times for the same names
def _likely(keys: frozenset[str], share: float, most: int) -> tuple[tuple[str, Architecture], ...]:
    ends, last = Counter(map(ending, keys)), Counter(key.rsplit(".", 1)[-1] for key in keys)
    all_ends, all_last = frozenset(ends), frozenset(last)
    order = {name: position for position, name in enumerate(first_names())}
    counts: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for name, outline in _whole_outlines().items():
        if outline.least <= 2 * len(keys) + SPARE_KEYS:
            own = outline.endings
            counts[name] = sum(last[end] for end in own & all_last) + sum(
                ends[end] for end in own & all_ends if end.rsplit(".", 1)[-1] not in own
            )
            sizes[name] = len(own)
    best = sorted((name for name in counts if counts[name]), key=lambda name: (-counts[name], sizes[name], order[name]))
    enough = [name for name in best if counts[name] >= share * len(keys)][:most] or best[:3]
    found = [(name, definition_of(name)) for name in sorted(enough, key=order.__getitem__)]
    return tuple((name, definition) for name, definition in found if definition is not None)


@cache
def proofs() -> Mapping[str, Mapping[str, int]]:
    """Model type -> "records", saved models, and "published", sizes, that its definition is checked against."""
    table: dict[str, dict[str, int]] = json.loads(data_file("proofs.json"))
    return table


def all_definitions() -> Iterator[tuple[str, Architecture]]:
    """Every definition once, under its first model type. Imports all definition files."""
    seen: set[int] = set()
    for name in modules():
        definition = definition_of(name)
        if definition is not None and id(definition) not in seen:
            seen.add(id(definition))
            yield name, definition


@cache
def lines_of(name: str) -> bytes:
    """A table of one JSON object per line: the first line is for all, each other one for a model type."""
    return data_file(name)


@cache
def first_line_of(name: str) -> Mapping[str, Any]:
    """The object for all model types of such a table."""
    table = lines_of(name)
    line: dict[str, Any] = json.loads(table[: table.index(b"\n")])
    return line


def line_of(name: str, model_type: str) -> dict[str, Any] | None:
    """The object of a model type in such a table, found without decoding the others; None where it has none."""
    table = lines_of(name)
    start = table.find(f'\n{{"type":{json.dumps(model_type)},'.encode())
    if start < 0:
        return None
    line: dict[str, Any] = json.loads(table[start : table.index(b"\n", start + 1)])
    return line


FIRST = ("llama", "qwen3", "qwen2", "mixtral", "qwen3_moe", "gemma2", "gpt2", "bert", "roberta", "t5", "deepseek_v3",
         "WanTransformer3DModel", "AutoencoderKLWan", "PixArtTransformer2DModel", "CogView4Transformer2DModel",
         "LongCatImageTransformer2DModel", "UNet2DModel", "UNet2DConditionModel",
         "idefics2_vision", "siglip_vision_model", "qwen2_5_vl_vision", "qwen2_audio_encoder",
         "clip_vision_model", "vit", "wav2vec2", "bart", "swin", "resnet")  # fmt: skip
"""Among definitions that fit the same names equally well the well-known one is tried first."""


def preference(name: str) -> int:
    """The rank of a model type among definitions that fit equally well."""
    return FIRST.index(name) if name in FIRST else len(FIRST)


def scan() -> dict[str, list[str]]:
    """The table as the files have it: a definition belongs to the file that defines it."""
    import pkgutil

    found: dict[str, list[str]] = {}
    for folder in FOLDERS:
        for module in pkgutil.iter_modules([os.path.join(_HERE, folder)]):
            text = data_file(os.path.join(folder, f"{module.name}.py")).decode()
            for constant in re.findall(r"^([A-Z_0-9]+)\s*=\s*Architecture\(", text, re.MULTILINE):
                definition = getattr(import_module(f"inspector.architectures.{folder}.{module.name}"), constant)
                for name in definition.names:
                    found.setdefault(name, [f"{folder}.{module.name}", constant])
    return dict(sorted(found.items(), key=lambda item: (preference(item[0]), item[0])))
