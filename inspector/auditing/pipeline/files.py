"""Components of a pipeline that have no weights: schedulers, tokenizers, processors, and the files that they need.

Measured with diffusers 0.42 and transformers 5.23: without its config a scheduler and an image processor are refused;
of a tokenizer without files transformers builds one with an empty vocabulary, without a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.algebra.values import shown
from inspector.auditing.result import Skipped
from inspector.budget import spend
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.findings.names.components import FolderUnnamed
from inspector.findings.names.settings import SettingRefused, TokenizerUnread
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config, read_config
from inspector.loader.sources.source import Forewarned, Refusal
from inspector.loader.weight_sets import SAFETENSORS, group
from inspector.loading.pipelines import model_classes, refused_sizes
from inspector.loading.processors import GENERATION, OF_PART
from inspector.loading.schedulers import RefusedSetting, refused_settings
from inspector.loading.tokenizer_files import BESIDE, MERGES, SETTINGS, WHOLE
from inspector.loading.tokenizers import refused_by_tokenizer, unread_files, unread_vocabulary, without_its_pair

Open = Callable[[str], Checkpoint | None]
"""Loads the checkpoint in a subfolder of the source; None if the source has no folder of this name."""

KINDS: Final = ("Scheduler", "Tokenizer", "FeatureExtractor", "ImageProcessor", "Processor")
"""Parts of the names of classes without weights; a suffix names a variant of the class (`Fast`, `Pil`)."""
_KIND = re.compile(f"({'|'.join(KINDS)})(Fast|Pil|PilFast)?$")
INDEX: Final = "model_index.json"
NEEDED: Final = {
    "Scheduler": "scheduler_config.json",
    "FeatureExtractor": OF_PART,
    "ImageProcessor": OF_PART,
}
"""Kind -> the file from which a component of this kind is read."""
READ: Final = {
    "Scheduler": ("scheduler_config.json",),
    "FeatureExtractor": (OF_PART,),
    "ImageProcessor": (OF_PART,),
    "Tokenizer": (SETTINGS, WHOLE),
}
"""Kind -> the files that must be JSON: diffusers 0.42 and transformers 5.23 refuse any other text."""
LARGEST_ASKED: Final = 1_000_000
"""Largest of these files, in bytes, that is read over a network."""
WITHOUT_WORDS: Final = BESIDE | {"config.json", GENERATION, MERGES}
"""Files in the folder of a tokenizer that contain no vocabulary."""
OF_BYTES: Final = ("ByT5", "Perceiver", "Canine")
"""Beginnings of the names of tokenizers without a vocabulary."""
STEPS_A_COMPONENT: Final = 1_000
LOADED: Final = (SAFETENSORS, "pytorch")
"""Kinds of weights that diffusers loads."""


def kind_of(class_name: str) -> str | None:
    """The kind of a class without weights."""
    found = _KIND.search(class_name)
    return None if found is None or class_name in model_classes() else found[1]


class WithoutWeights(Struct, frozen=True):
    """The components without weights. lost: (folder, class) of those without their files. unreadable: wrong files.

    skipped: the files that were not read.
    """

    lost: tuple[tuple[str, str], ...] = ()
    unreadable: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def without_weights(values: Mapping[str, object], opened: Open) -> WithoutWeights:
    """Checks the files of the components without weights that the pipeline names."""
    lost: list[tuple[str, str]] = []
    unreadable: list[Finding] = []
    unread: list[str] = []
    for name, class_name, folder in _without_weights(values, opened):
        kind = kind_of(class_name) or ""
        if folder is None or not is_there(kind, class_name, folder.siblings):
            lost.append((name, class_name))
        else:
            unreadable.extend(_unreadable(name, class_name, kind, folder, unread))
    because = f"a text over {LARGEST_ASKED:,} bytes is not fetched for this"
    skipped = [Skipped(f"{file}: its text", because) for file in unread]
    return WithoutWeights(tuple(lost), tuple(unreadable), tuple(skipped))


def _unreadable(name: str, class_name: str, kind: str, folder: Checkpoint, unread: list[str]) -> Iterator[Finding]:
    """The findings on the texts of a component, and on settings in them that its class refuses.

    unread: gets the files that are too large to be fetched for this.
    """
    source = folder.reach() if folder.reach is not None else None
    texts: dict[str, Mapping[str, object]] = {}
    for file in READ.get(kind, ()):
        if source is None or file not in folder.siblings:
            continue
        if isinstance(source, Forewarned) and source.listing().files.get(file, 0) > LARGEST_ASKED:
            unread.append(f"{name}/{file}")
            continue
        config, found = read_config(source, file, "config")
        if config is not None:
            texts[file] = config.values
            yield from _refused(name, class_name, f"{name}/{file}", config, folder.siblings)
            continue
        for one in found:
            yield one.within(name, replace(one.place, file=f"{name}/{file}"))
    if kind == "Tokenizer" and SETTINGS not in set(folder.siblings) - set(texts):
        yield from _unread(name, class_name, folder.siblings, texts.get(SETTINGS, {}), texts.get(WHOLE, {}))


def _unread(
    name: str, class_name: str, files: Collection[str], settings: Mapping[str, object], whole: Mapping[str, object]
) -> Iterator[TokenizerUnread]:
    """The finding on a class that does not read the tokenizer in its folder. whole: the content of tokenizer.json."""
    model = whole.get("model")
    words = model.get("vocab") if isinstance(model, dict) else None
    because = unread_vocabulary(class_name, words) or unread_files(class_name, settings, files)
    if because:
        saved = settings.get("tokenizer_class")
        fits = isinstance(saved, str) and saved != class_name and not unread_vocabulary(saved, words)
        yield TokenizerUnread(
            place=Place(file=INDEX, key=name), component=name, class_name=class_name, because=because,
            saved_class=saved if isinstance(saved, str) and fits else None,
        )  # fmt: skip


def _refused(name: str, class_name: str, file: str, config: Config, files: Collection[str]) -> Iterator[SettingRefused]:
    tokens = refused_by_tokenizer(class_name, config.values, files) if file.endswith(SETTINGS) else ()
    sizes = (
        RefusedSetting(key, config.values[key], f"{shown(config.values[key])} is not a size", built=True)
        for key in refused_sizes(class_name, config.values)
    )
    for one in (*refused_settings(class_name, config.values), *sizes, *tokens):
        yield SettingRefused(
            place=Place(file=file, key=one.key), component=name, class_name=class_name, key=one.key, stated=one.value,
            because=one.because, built=one.built, meant=one.meant,
        )  # fmt: skip


def _without_weights(values: Mapping[str, object], opened: Open) -> Iterator[tuple[str, str, Checkpoint | None]]:
    """(folder, class, content of the folder) of each component without weights."""
    for name, entry in values.items():
        if name.startswith("_") or not isinstance(entry, list) or len(entry) != 2:
            continue
        library, class_name = entry
        if library not in ("diffusers", "transformers") or not isinstance(class_name, str):
            continue
        if kind_of(class_name) is not None:
            spend(STEPS_A_COMPONENT, "the components of the pipeline")
            yield name, class_name, opened(name)


def unnamed_folders(root: Checkpoint, values: Mapping[str, object]) -> list[str]:
    """The first folders that no entry of the pipeline names."""
    source = root.reach() if root.reach is not None else None
    if source is None:
        return []
    named = {name for name, entry in values.items() if isinstance(entry, list) and entry != [None, None]}
    folders = [name for name, kind in source.listing().others.items() if kind == "directory" and name not in named]
    return sorted(folders)[:NAMES_SHOWN]


def unnamed(root: Checkpoint, values: Mapping[str, object], known: Collection[str]) -> Iterator[FolderUnnamed]:
    """The finding on folders with weights that the pipeline does not name; only their listings are read.

    known: folders with a finding of their own.
    """
    source = root.reach() if root.reach is not None else None
    if source is None:
        return
    found: dict[str, tuple[int, int]] = {}
    for name in (one for one in unnamed_folders(root, values) if one not in known):
        spend(STEPS_A_COMPONENT, "the components of the pipeline")
        inner = source.inside(name)
        if not isinstance(inner, Refusal):
            sizes = inner.listing().files
            stored = [file for one in group(sizes) if one.kind in LOADED for file in one.files]
            if stored:
                found[name] = len(stored), sum(sizes.get(file, 0) for file in stored)
    if found:
        yield FolderUnnamed(
            place=Place(file="model_index.json"),
            folders=tuple(found),
            files=sum(files for files, _ in found.values()),
            bytes=sum(size for _, size in found.values()),
        )


def is_there(kind: str, class_name: str, files: Collection[str]) -> bool:
    """True if the files that a class without weights needs are there."""
    if kind in NEEDED:
        return NEEDED[kind] in files
    if kind != "Tokenizer" or class_name.startswith(OF_BYTES):
        return bool(files)
    return not without_its_pair(class_name, files) and any(name not in WITHOUT_WORDS for name in files)
