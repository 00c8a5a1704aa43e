"""Finds files of code that the configs of a folder name, or that its code imports, and that the folder does not have.

Measured with transformers 5.23 and 4.57, by `AutoConfig`, `AutoModel` and `AutoTokenizer` with and without
trust_remote_code: relative imports are found in the text, so that a file is needed inside a `try`, too. A tokenizer
of a class that transformers has loads without trust_remote_code; one of another class does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from inspector.auditing.identity.own_code import is_foreign
from inspector.auditing.json_beside import is_listed, object_beside
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loading.processors import PROCESSORS
from inspector.loading.tables import NEWEST, has_type, is_supported
from inspector.loading.tokenizer_files import SETTINGS
from inspector.loading.tokenizer_settings import CLASS, CODE, FAST, classes_of_older

if TYPE_CHECKING:
    from inspector.findings.declared import CodeFileMissing

LARGEST: Final = 4_000_000
"""Bytes beyond which a file of settings or of code is not read."""
FILES_READ: Final = 100
"""Most files of code that are read."""
OF_PROCESSORS: Final = (*PROCESSORS, "video_preprocessor_config.json")
IMPORTS: Final = re.compile(rb"^\s*(?:from\s+\.(\w+)\s+import|import\s+\.(\w+)\s*$)", re.MULTILINE)
"""The relative imports that transformers follows."""

Absent = Mapping[str, tuple[str, ...]]
"""File -> the classes of transformers for which it is named, and the files that import it."""


def code_files(audited: Audit) -> Iterator[Finding]:
    """The findings on the absent files of the model's code, and on those of its tokenizer and its processor.

    They are one finding where the folder is loaded with trust_remote_code, which needs them all.
    """
    checkpoint, config = audited.checkpoint, audited.checkpoint.config
    if config is None or not is_listed(checkpoint):
        return
    settings = _settings_beside(checkpoint) if checkpoint.folder else {}
    yield from _elsewhere(checkpoint, config.file, config.values)
    of_model = _absent(checkpoint, {config.file: config.values})
    beside = _absent(checkpoint, settings)
    if not of_model and not beside:
        return
    from inspector.findings.declared import CodeFileAbsent, CodeFileMissing
    from inspector.findings.names.added_part import AddedPartAlone

    if any(isinstance(one, AddedPartAlone) for one in audited.findings):
        return  # the code of the model belongs to the folder of the model

    if _needs_code(audited) or not _needs_own_tokenizer(settings.get(SETTINGS, {}), beside):
        place = Place(file=config.file if of_model else next(iter(settings)), key=CODE)
        yield _finding(CodeFileMissing if _needs_code(audited) else CodeFileAbsent, place, of_model, beside)
        return
    yield _finding(CodeFileMissing, Place(file=SETTINGS, key=CODE), beside)
    if of_model:
        yield _finding(CodeFileAbsent, Place(file=config.file, key=CODE), of_model)


def _finding(kind: type[CodeFileMissing], place: Place, *groups: Absent) -> Finding:
    named = [(file, by) for group in groups for file, by in group.items()]
    named_by = dict.fromkeys(one for _, by in named for one in by)
    return kind(place=place, files=tuple(dict.fromkeys(file for file, _ in named)), named_by=tuple(named_by))


def _elsewhere(checkpoint: Checkpoint, file: str, values: Mapping[str, Any]) -> Iterator[Finding]:
    """The note on a type of unknown code that another repository has, of which the folder has no copy."""
    model_type = values.get("model_type")
    if isinstance(model_type, str) and has_type(model_type, NEWEST):
        return
    repositories: dict[str, None] = {}
    named: dict[str, list[str]] = {}
    for auto, place in _stated(values.get(CODE)):
        repository, _, local = place.partition("--")
        if local and "." in local:
            repositories[repository] = None
            named.setdefault(local.rpartition(".")[0].replace(".", "/") + ".py", []).append(auto)
    absent = {name: by for name, by in named.items() if name not in checkpoint.siblings}
    if absent and len(absent) == len(named):
        from inspector.findings.declared import CodeElsewhere

        yield CodeElsewhere(
            place=Place(file=file, key=CODE),
            repositories=tuple(repositories),
            files=tuple(absent),
            named_by=tuple(dict.fromkeys(auto for by in absent.values() for auto in by)),
        )


def _settings_beside(checkpoint: Checkpoint) -> dict[str, Mapping[str, Any]]:
    """The settings of the tokenizer and the processor that name code."""
    read = {name: object_beside(checkpoint, name, LARGEST) for name in (SETTINGS, *OF_PROCESSORS)}
    return {name: values for name, values in read.items() if CODE in values}


def _absent(checkpoint: Checkpoint, settings: Mapping[str, Mapping[str, Any]]) -> Absent:
    """The absent files that settings name, and those that the present ones import."""
    named: dict[str, list[str]] = {}
    for values in settings.values():
        for auto, place in _places(values.get(CODE)):
            named.setdefault(place.rpartition(".")[0].replace(".", "/") + ".py", []).append(auto)
    to_read = [name for name in named if name in checkpoint.siblings]
    for name in to_read:  # grows while it is read
        for imported in _imports(checkpoint, name) if len(to_read) <= FILES_READ else ():
            if imported in checkpoint.siblings and imported not in named:
                to_read.append(imported)
            named.setdefault(imported, []).append(name)
    return {name: tuple(by) for name, by in named.items() if name not in checkpoint.siblings}


def _places(named: object) -> Iterator[tuple[str, str]]:
    """(class of transformers, module and class of this repository) of an `auto_map`."""
    return ((auto, place) for auto, place in _stated(named) if "--" not in place)


def _stated(named: object) -> Iterator[tuple[str, str]]:
    """(class of transformers, module and class) of an `auto_map`; early tokenizers have a list."""
    entries = named.items() if isinstance(named, dict) else [("AutoTokenizer", named)]
    for auto, places in entries:
        for place in places if isinstance(places, list) else [places]:
            if isinstance(place, str) and "." in place:
                yield auto, place


def _imports(checkpoint: Checkpoint, name: str) -> Iterator[str]:
    """The files that a file of a local folder imports from its own folder."""
    size = checkpoint.siblings[name]
    if not checkpoint.folder or checkpoint.reach is None or not 0 < size <= LARGEST:
        return
    raw = checkpoint.reach().read_part(name, 0, size)
    below = name.rpartition("/")[0]
    for found in IMPORTS.finditer(raw) if isinstance(raw, bytes) else ():
        module = (found[1] or found[2]).decode()
        yield f"{below}/{module}.py" if below else f"{module}.py"


def _needs_code(audited: Audit) -> bool:
    """True if only the code of the repository can build the model."""
    from inspector.findings.names.architecture import CodeOfRepository

    if any(isinstance(one, CodeOfRepository) and is_foreign(one.class_name) for one in audited.findings):
        return True
    config, siblings = audited.checkpoint.config, audited.checkpoint.siblings
    model_type = None if config is None else config.values.get("model_type")
    if isinstance(model_type, str) and has_type(model_type, NEWEST):
        return False
    copied = any(name.endswith(".py") or name.startswith("tokenizer") for name in siblings)
    return copied or (isinstance(model_type, str) and not is_supported(model_type))


def _needs_own_tokenizer(settings: Mapping[str, Any], absent: Absent) -> bool:
    """True if the tokenizer is of a class that only an absent file has."""
    name = settings.get(CLASS)
    if not isinstance(name, str) or not classes_of_older().isdisjoint((name, name + FAST)):
        return False
    own = [place.rpartition(".") for auto, place in _places(settings.get(CODE)) if auto == "AutoTokenizer"]
    return any(own_class == name and f"{module.replace('.', '/')}.py" in absent for module, _, own_class in own)
