"""Checks the entries of model_index.json: the components that the pipeline's class needs and accepts, and the classes
of the entries.

Source: diffusers 0.42, `DiffusionPipeline.from_pretrained` and `get_class_obj_and_candidates`. An entry that begins
with null is not a component; every other entry must be a library and one of its classes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from msgspec import Struct

from inspector.auditing.pipeline.files import Open
from inspector.auditing.result import Skipped
from inspector.findings.finding import Finding, Place
from inspector.findings.names.entries import (
    EncodersNull,
    EntriesUnused,
    EntryUnknown,
    EntryUnreadable,
    ExtractorMissing,
    MotionMissing,
)
from inspector.findings.names.pipelines import PipelineIncomplete
from inspector.findings.shards.names import FileNameUnknown
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import MODULAR_INDEX, Config, named_class, read_config
from inspector.loading.pipelines import (
    animates,
    checks_images,
    classes_in,
    is_connected,
    is_pipeline,
    module_classes,
    needed_by,
    optional_in,
    pipelines,
    settings_of,
    version,
)
from inspector.loading.tokenizer_files import SETTINGS

LIBRARIES: Final = ("diffusers", "transformers")
WRAPPERS: Final = ("torch", "accelerate")
"""Programs that wrap a component in a layer of their own, which a pipeline saved then names. diffusers 0.42 finds the
class and refuses it, as it cannot be loaded (measured: compiled, for several devices, with F32 outputs).
"""
FLASHPACK: Final = "FlashPack"
"""Beginning of a class name that diffusers removes: the component is stored in another format."""
README: Final = "README.md"
CHECKER, EXTRACTOR, MOTION = "safety_checker", "feature_extractor", "motion_adapter"
OF_IMAGES: Final = "UNet2DConditionModel"
ENCODERS: Final = {"text_encoder": "tokenizer", "text_encoder_2": "tokenizer_2"}
"""Text encoder -> its tokenizer. Without the third one Stable Diffusion 3 works."""
OWN_CLASS: Final = "it is of a library or code that is not known"
OF_CLASS: Final = ("scheduler_config.json", SETTINGS)
"""The files that name the class of a component without weights."""
LONGEST: Final = 100
"""Most characters of a name for which a similar name is searched."""


class IndexEntries(Struct, frozen=True):
    """The findings on the entries. unknown: components of unknown classes. unused: components that the
    class ignores.
    """

    findings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    unknown: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()


def judge_entries(index: Config, opened: Open, beside: Collection[str]) -> IndexEntries:
    """Checks the entries as diffusers does before it reads a component. beside: the files in the folder
    of the index.
    """
    stated = _class_of(index.values)
    if stated is None:
        return IndexEntries((PipelineIncomplete(place=_key(index, "_class_name"), class_name=None, components=()),))
    if not is_pipeline(stated):
        return _of_unknown_pipeline(index, stated, beside)
    elsewhere = _elsewhere(index.values, stated, beside)
    unread = tuple(_unread(index, stated, elsewhere, opened))
    unknown: dict[str, EntryUnknown | None] = {}
    for name in (*needed_by(stated), *optional_in(stated)):
        entry = index.values.get(name)
        if isinstance(entry, list) and _is_entry(entry):
            unknown.update(_of_class(index, name, entry[0], entry[1], opened))
    findings = (*unread, *(one for one in unknown.values() if one is not None), *_without_others(index, stated))
    own = [name for name, one in unknown.items() if one is None]
    findings = (*findings, *(() if _is_newer(index.values) else _without_code(index, own, opened)))
    skipped = [Skipped(f"{name}: its class", OWN_CLASS, decisive=True) for name in own]
    if elsewhere:
        skipped.append(Skipped(f"{', '.join(elsewhere)}: names and shapes", f"{README} names where they are"))
    if findings and _is_newer(index.values):
        saved = index.values["_diffusers_version"]
        first, second = version()
        because = f"it was saved by diffusers {saved}, and the classes of {first}.{second} are known"
        return IndexEntries(skipped=(*skipped, Skipped("what the pipeline needs", because, decisive=True)))
    if null := tuple(_null_encoders(index.values)):
        findings = (*findings, EncodersNull(place=_key(index, null[0]), class_name=stated, components=null))
    unused = tuple(_unused(index, stated))
    if unused:
        note = EntriesUnused(place=_key(index, unused[0]), class_name=stated, components=unused)
        findings = (*findings, note)
    return IndexEntries(
        findings, tuple(skipped), tuple(name for name, one in unknown.items() if one is not None), unused
    )


def judge_classes(
    index: Config, opened: Open, skipped: tuple[Skipped, ...], unreadable: tuple[str, ...]
) -> IndexEntries:
    """Checks the classes that a modular pipeline names; the needs of its blocks are not known.

    unreadable: the components that have an entry without a class.
    """
    if index.file != MODULAR_INDEX:
        misnamed = FileNameUnknown(
            place=Place(file=index.file), loader="diffusers", wanted=MODULAR_INDEX, single=True, variant=""
        )
        return IndexEntries((misnamed,), skipped)
    unread = (EntryUnreadable(place=_key(index, name), component=name, entry=[]) for name in unreadable)
    unknown: dict[str, EntryUnknown | None] = {}
    for name, entry in index.values.items():
        if isinstance(entry, list) and _is_entry(entry):
            unknown.update(_of_class(index, name, entry[0], entry[1], opened))
    found = {name: one for name, one in unknown.items() if one is not None}
    own = (Skipped(f"{name}: its class", OWN_CLASS, decisive=True) for name in unknown.keys() - found)
    needed = Skipped("what the pipeline needs", "its blocks decide which components they use")
    return IndexEntries((*unread, *found.values()), (*skipped, *own, needed), tuple(found))


def _class_of(values: Mapping[str, object]) -> str | None:
    """The class of the pipeline; for code in the repository, the last item of a list that begins with the module."""
    named = values.get("_class_name")
    last = named[1] if isinstance(named, list) and len(named) == 2 else named
    return last if isinstance(last, str) else None


def _key(index: Config, key: str) -> Place:
    return Place(file=index.file, key=key)


def _is_entry(value: object) -> bool:
    """True if an entry names a library and a class: diffusers treats null, a text or a number as no component."""
    return isinstance(value, list) and len(value) == 2 and all(isinstance(one, str) for one in value)


def _elsewhere(values: Mapping[str, object], class_name: str, beside: Collection[str]) -> tuple[str, ...]:
    """The components without an entry that diffusers takes from the repositories named in a README."""
    if not is_connected(class_name) or README not in beside:
        return ()
    return tuple(name for name in needed_by(class_name) if name not in values)


def _of_unknown_pipeline(index: Config, stated: str, beside: Collection[str]) -> IndexEntries:
    """The finding on a pipeline with a name similar to one of diffusers, unless its code may be in the repository or
    it may be of a newer version; any other name may be of another library.
    """
    own = isinstance(index.values.get("_class_name"), list) or any(file.endswith(".py") for file in beside)
    meant = "" if own or _is_newer(index.values) else _similar(stated)
    if not meant:
        skipped = Skipped("what the pipeline needs", f"diffusers has no class {stated}", decisive=True)
        return IndexEntries(skipped=(skipped,))
    place = _key(index, "_class_name")
    return IndexEntries((PipelineIncomplete(place=place, class_name=stated, components=(), meant=meant),))


def _similar(stated: str) -> str:
    """The pipeline with a similar name; "" if there is none."""
    if len(stated) > LONGEST:
        return ""
    from difflib import get_close_matches

    return next(iter(get_close_matches(stated, pipelines(), 1, 0.9)), "")


def _unread(index: Config, class_name: str, elsewhere: Collection[str], opened: Open) -> Iterator[Finding]:
    """The findings on needed components that are not named, and on optional components without a valid entry."""
    values = index.values
    absent = tuple(name for name in needed_by(class_name) if name not in elsewhere and not _is_entry(values.get(name)))
    if absent:
        saved = [saved_class(name, opened) for name in absent]
        yield PipelineIncomplete(
            place=_key(index, "_class_name"), class_name=class_name, components=absent,
            entries=tuple(one for one in saved if one is not None) if None not in saved else (),
        )  # fmt: skip
    for name in optional_in(class_name):
        entry = values.get(name, [None])
        null = isinstance(entry, list) and bool(entry) and entry[0] is None
        if not null and not _is_entry(entry):
            yield EntryUnreadable(place=_key(index, name), component=name, entry=entry)


def _without_others(index: Config, class_name: str) -> Iterator[Finding]:
    """The findings on components that need another component."""
    values = index.values
    checked = checks_images(class_name) and _is_entry(values.get(CHECKER))
    if checked and not _is_entry(values.get(EXTRACTOR)):
        yield ExtractorMissing(place=_key(index, EXTRACTOR), class_name=class_name, entry=values.get(CHECKER))
    unet = values.get("unet")
    of_images = animates(class_name) and _is_entry(unet) and isinstance(unet, list) and unet[1] == OF_IMAGES
    if of_images and not _is_entry(values.get(MOTION)):
        yield MotionMissing(place=_key(index, MOTION), class_name=class_name)


def _null_encoders(values: Mapping[str, object]) -> Iterator[str]:
    """The text encoders that are null although their tokenizers are not."""
    for encoder, tokenizer in ENCODERS.items():
        entry = values.get(encoder)
        if isinstance(entry, list) and entry and entry[0] is None and _is_entry(values.get(tokenizer)):
            yield encoder


def _of_class(
    index: Config, name: str, library: str, stated: str, opened: Open
) -> Iterator[tuple[str, EntryUnknown | None]]:
    """(component, finding) if no library has its class; the finding is None if nothing is known about the library."""
    class_name = stated.removeprefix(FLASHPACK)
    modules = module_classes()
    known = modules[library] if library in modules else classes_in(library) if library in LIBRARIES else frozenset()
    if class_name in known:
        return
    if library not in modules and _has_code(name, library, opened):
        yield name, None
        return
    wrapped = library.partition(".")[0] in WRAPPERS
    meant = (saved_class(name, opened) if wrapped else None) or _meant(library, class_name)
    meant = meant or (saved_class(name, opened) if library in (*modules, *LIBRARIES) else None)
    if meant is None and not wrapped and library not in (*modules, *LIBRARIES):
        yield name, None
        return
    yield name, EntryUnknown(
        place=_key(index, name), component=name, library=library, class_name=stated, meant=meant
    )  # fmt: skip


def _without_code(index: Config, names: Collection[str], opened: Open) -> Iterator[Finding]:
    """The findings on entries with a class of the authors' whose code is not in the folder. names: their components."""
    for name in names:
        entry = index.values[name]
        if isinstance(entry, list) and not _has_code(name, entry[0], opened):
            from inspector.findings.names.entry_code import EntryCodeAbsent

            yield EntryCodeAbsent(place=_key(index, name), component=name, module=entry[0], class_name=entry[1])


def _has_code(name: str, library: str, opened: Open) -> bool:
    """True if the folder of a component contains the code that its entry names instead of a library."""
    folder = opened(name)
    return folder is not None and f"{library}.py" in folder.siblings


def saved_class(name: str, opened: Open) -> tuple[str, str] | None:
    """The library and the class named in the config of a component."""
    folder = opened(name)
    values = None if folder is None else _stated_in(folder)
    if values is None:
        return None
    stated = (("diffusers", values.get("_class_name")), ("transformers", values.get("tokenizer_class")),
              ("transformers", named_class(values)))  # fmt: skip
    return next(((one, found) for one, found in stated if isinstance(found, str) and found in classes_in(one)), None)


def _stated_in(folder: Checkpoint) -> Mapping[str, object] | None:
    """The config of a component, or the file that names the class of one without weights."""
    if folder.config is not None:
        return folder.config.values
    source = folder.reach() if folder.reach is not None else None
    file = next((one for one in OF_CLASS if one in folder.siblings), None)
    read = None if source is None or file is None else read_config(source, file, "config")[0]
    return None if read is None else read.values


def _meant(library: str, class_name: str) -> tuple[str, str] | None:
    """The library that has a class, or the class of the same library with a similar name."""
    places = {**{one: classes_in(one) for one in LIBRARIES}, **module_classes()}
    has = next((one for one, classes in places.items() if class_name in classes), None)
    if has is not None:
        return has, class_name
    if library not in places or len(class_name) > LONGEST:
        return None
    from difflib import get_close_matches

    near = get_close_matches(class_name, places[library], 1, 0.9)
    return (library, near[0]) if near else None


def _unused(index: Config, class_name: str) -> Iterator[str]:
    """The components that the class of the pipeline does not accept."""
    takes = {*needed_by(class_name), *optional_in(class_name), *settings_of(class_name)}
    for name, entry in index.values.items():
        if not name.startswith("_") and name not in takes and _is_entry(entry):
            yield name


def _is_newer(values: Mapping[str, object]) -> bool:
    """True if the pipeline was saved by a newer version of diffusers than the one with known classes."""
    found = re.match(r"(\d{1,6})\.(\d{1,6})", str(values.get("_diffusers_version")), re.ASCII)
    return found is not None and (int(found[1]), int(found[2])) > version()
