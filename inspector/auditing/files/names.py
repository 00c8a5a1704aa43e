"""Checks whether the intended loader of a folder finds the config and the weights under their file names."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec.structs import replace

from inspector.architectures.catalog import definition_of
from inspector.architectures.defaults import defaults_of
from inspector.auditing.files.kept_names import without_rename
from inspector.auditing.files.numbered_shards import without_index
from inspector.auditing.result import Audit
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import LITGPT_FILES, Config
from inspector.loader.loaders import DIFFUSERS, INDEX, PEFT, TRANSFORMERS, Loader
from inspector.loading.files import taken_file
from inspector.loading.tables import is_supported, type_of_class
from inspector.matcher.claim import claim_of
from inspector.matcher.reading import read_claimed
from inspector.reconciler.reconcile import Reconciled, reconcile

CONFIG: Final = TRANSFORMERS.config
OTHER_CONFIGS: Final = (
    "params.json", "open_clip_config.json", "modules.json", "config_sentence_transformers.json", *LITGPT_FILES
)  # fmt: skip
"""Files that describe how weights without a config.json are loaded."""
ENDINGS: Final = {"safetensors": "safetensors", "bin": "bin", "pt": "bin", "pth": "bin", "ckpt": "bin"}
"""Ending of a weight file -> the ending that loaders look for in its format."""


PICKLED: Final = tuple(f".{ending}" for ending, kind in ENDINGS.items() if kind == "bin")
"""Endings of PyTorch files."""


def with_file_names(audited: Audit) -> Audit:
    """Adds findings on files that the loader does not find. A single file named by the user is not judged."""
    checkpoint = audited.checkpoint
    if not checkpoint.set_name or checkpoint.alone or not checkpoint.readable or checkpoint.adapter is not None:
        return audited
    if PEFT.finds(checkpoint.set_name) and _lacks_config(audited, PEFT):
        return audited
    loader = intended(checkpoint)
    if loader is not None:
        writer = audited.case.reading.writer if audited.case is not None else ""
        findings = list(audited.findings)
        if not _is_one_rank(findings):
            findings = list(_judged(checkpoint, loader, audited.findings, writer))
        findings.extend(_without_metadata(audited, loader))
        findings.extend(_class_unnamed(audited))
        findings = without_rename(_of_no_model(audited, findings))
    else:
        unusable = list(_config_unusable(audited))
        findings = [*_without_set_keys(audited.findings, unusable), *unusable]
    return audited if findings == list(audited.findings) else audited.with_findings(findings)


def _lacks_config(audited: Audit, loader: Loader) -> bool:
    """True if the weights are judged to be for a loader with a missing config."""
    if all(one.severity == "note" for one in audited.findings):
        return False
    from inspector.findings.config import ConfigMissing

    return any(isinstance(one, ConfigMissing) and one.loader == loader.name for one in audited.findings)


def _without_set_keys(findings: Sequence[Finding], added: Sequence[Finding]) -> list[Finding]:
    """Removes findings on config keys, and on the type of the class, that the finding on the model type covers."""
    if not added:
        return list(findings)
    from inspector.findings.config import ConfigDisagrees, ModelTypeMissing
    from inspector.findings.names.class_decides import ClassDecides

    missing = [one for one in added if isinstance(one, ModelTypeMissing)]
    set_too = {key for one in missing for key in one.values}
    kept = (one for one in findings if not (isinstance(one, ConfigDisagrees) and one.place.key in set_too))
    types = {one.model_type for one in missing}
    return [one for one in kept if not (isinstance(one, ClassDecides) and one.of in types)]


def _is_one_rank(findings: Sequence[Finding]) -> bool:
    """True if the weights are one rank of several, which must be merged first under any file name."""
    if all(one.severity == "note" for one in findings):
        return False
    from inspector.findings.single_causes import OneRankOfSeveral

    return any(isinstance(one, OneRankOfSeveral) for one in findings)


def _without_metadata(audited: Audit, loader: Loader) -> Iterator[Finding]:
    index = audited.checkpoint.index
    if index is not None and index.without_metadata and index.file == audited.checkpoint.set_name:
        from inspector.findings.shards.index import IndexWithoutMetadata

        stored = audited.counts.stored_bytes
        yield IndexWithoutMetadata(place=Place(file=index.file), loader=loader.name, bytes=stored)


def intended(checkpoint: Checkpoint) -> Loader | None:
    """The loader that a folder is made for, by its config; None if no file name is prescribed.

    MLX reads every file `model*.safetensors`; for a type that transformers does not have, and for a config of another
    program, the loader is unknown.
    """
    config = checkpoint.config
    if config is None or config.kind != "config" or config.writer:
        return None
    values = config.values
    if "_class_name" in values:
        return DIFFUSERS
    if "quantization" in values and "quantization_config" not in values:
        return None
    model_type = values.get("model_type")
    known = isinstance(model_type, str) and is_supported(model_type)
    return TRANSFORMERS if known or "auto_map" in values else None


def _below_key(one: Finding, loader: Loader) -> Finding:
    """A finding from the view of the folder's loader, which does not look for weights below a key of a PyTorch file."""
    from inspector.findings.header.torch import WeightsBelowKey, WeightsInside

    if not (isinstance(one, WeightsInside) and one.inside):
        return one
    wanted = loader.single("bin")
    return WeightsBelowKey(
        place=one.place, inside=one.inside, beside=one.beside, loader=loader.name, wanted=wanted, keys=one.keys,
        floats_first=one.floats_first,
    )  # fmt: skip


def _judged(checkpoint: Checkpoint, loader: Loader, findings: tuple[Finding, ...], writer: str) -> Iterator[Finding]:
    """The findings of an audit, with the finding on the name of the weights if the loader does not find them.

    writer: the program that wrote the tensor names, if it is not the loader.
    """
    if checkpoint.set_name.endswith(PICKLED):
        from inspector.findings.header.torch import WeightsBelowKey

        seen = tuple(_below_key(one, loader) for one in findings)
        if any(map(operator.is_not, seen, findings)):
            yield from sorted(seen, key=lambda one: not isinstance(one, WeightsBelowKey))
            return
    name = checkpoint.set_name
    stem, _, ending = name.removesuffix(INDEX).rpartition(".")
    ending = ENDINGS.get(ending, "")
    config = checkpoint.config.values if checkpoint.config is not None else {}
    index = () if checkpoint.index is None else (checkpoint.index.file,)
    if loader is DIFFUSERS and index and index[0] == loader.single("bin") + INDEX == taken_file(loader, checkpoint):
        from inspector.findings.shards.pickled import PickledShardsUnread

        yield from findings
        place, wanted = Place(file=index[0]), loader.single("safetensors") + INDEX
        yield PickledShardsUnread(place=place, files=len(checkpoint.files), loader=loader.name, wanted=wanted)
        return
    there = (name, *index, *(other.name for other in checkpoint.other_sets))
    if not ending or any(loader.finds(one) for one in there) or config.get("transformers_weights") == name:
        yield from findings
        return
    single = loader.single(ending)
    if stem == f"{loader.stems[ending]}-*":
        yield from without_index(checkpoint, loader, findings, single + INDEX)
        return
    from inspector.findings.shards.index import IndexMissing, IndexStale
    from inspector.findings.shards.names import FileNameUnknown

    numbered = "*" in stem or name.endswith(INDEX) or checkpoint.index is not None
    before, _, variant = stem.partition(".")
    wanted = single + (INDEX if numbered else "")
    of_set = name if name.endswith(INDEX) else ""
    for one in findings:
        written = isinstance(one, IndexStale) and one.place.file == wanted
        if not written and not isinstance(one, IndexMissing):
            yield one
    yield FileNameUnknown(
        place=Place(file=name),
        loader=loader.name,
        wanted=wanted,
        single=not numbered,
        variant=variant if before == loader.stems[ending] and "*" not in variant else "",
        files=tuple(file.name for file in checkpoint.files[:NAMES_SHOWN]) if numbered and not of_set else (),
        sliced=stem == "consolidated-*",
        writer=writer,
    )


def _of_no_model(audited: Audit, findings: list[Finding]) -> list[Finding]:
    """Replaces the findings on a file that no loader looks for and that is not the model by one finding.

    The file has no tensor of the model, or the smaller part of them: under the loader's name it would leave most
    tensors random.
    """
    if all(one.severity == "note" for one in findings) or audited.checkpoint.config is None:
        return findings
    from inspector.findings.shards.names import FileNameUnknown, ModelWeightsAbsent

    named = next((one for one in findings if isinstance(one, FileNameUnknown)), None)
    if named is None or not named.single:
        return findings
    from inspector.findings.adapters.tools import AdapterModulesUnmatched
    from inspector.findings.adapters.whole import Adapter
    from inspector.findings.loading import LoaderFails
    from inspector.findings.names.architecture import NamesOfAnotherArchitecture
    from inspector.findings.names.layers import LayersMissing
    from inspector.findings.names.tensors import TensorMissing
    from inspector.findings.single_causes import WeightsIncomplete

    said: tuple[type[Finding], ...] = (TensorMissing, LayersMissing, WeightsIncomplete)
    missing = None
    adapter = next((one.type for one in findings if isinstance(one, Adapter)), "")
    if adapter:
        said = (LoaderFails, AdapterModulesUnmatched)
    elif audited.case is None:
        said = (NamesOfAnotherArchitecture,)
        if not any(isinstance(one, NamesOfAnotherArchitecture) and one.names is None for one in findings):
            return findings
    else:
        placement = audited.case.placement
        missing = sum(one.tensors for one in placement.missing)
        if missing <= sum(one.tensors for one in placement.placed) or audited.case.causes:
            return findings
    absent = ModelWeightsAbsent(
        place=named.place,
        loader=named.loader,
        wanted=named.wanted,
        model_type=str(audited.checkpoint.config.values.get("model_type")),
        tensors=len(audited.checkpoint.tensors),
        example=next(iter(audited.checkpoint.tensors)),
        missing=missing,
        adapter=adapter,
    )
    return [*(one for one in findings if one is not named and not isinstance(one, said)), absent]


TYPED: Final = ("model_type", "auto_map", "_class_name", "quantization")
"""Keys of a config.json that tell a loader the class: its type, code of the repository, diffusers' class, MLX."""


def _types(audited: Audit) -> tuple[str, ...]:
    """The model type of an audit, the types of its definition, and the types with the same names."""
    if audited.architecture is None:
        return ()
    reading = None if audited.case is None else audited.case.reading
    others = () if reading is None else (*reading.definition.names, *reading.same_names)
    return (audited.architecture.name, *others)


def _type_to_state(audited: Audit) -> str | None:
    """The model type of the definition, by the class if several types share the definition."""
    if audited.architecture is None or audited.case is None:
        return None
    of_class = None if audited.class_name is None else type_of_class(audited.class_name)
    same = of_class is not None and definition_of(of_class) is audited.case.reading.definition
    return of_class if same else audited.architecture.model_type


def _keys_of_no_model(audited: Audit, config: Config) -> tuple[str, ...]:
    """The first keys of a config if none of its keys is read to build the model with these names."""
    if audited.case is None or "architectures" in config.values:
        return ()
    from inspector.matcher.spelling import keys_of_definition

    known = keys_of_definition(audited.case.plan.scope)
    return () if known & config.values.keys() else tuple(config.values)[:NAMES_SHOWN]


def _is_of_diffusers(audited: Audit) -> bool:
    """True if only diffusers has the model, under any file name: accelerate gives all files the same name."""
    if audited.architecture is None or audited.architecture.model_type is not None:
        return False
    from inspector.loading.pipelines import model_classes

    return audited.architecture.name in model_classes()


def _by_names(audited: Audit, config: Config) -> dict[str, Any]:
    """For a config without type and class: the type that has these tensor names, and the number of other types with the
    same names.

    Empty if the config does not give the shapes of that type: it was written in the terms of another program.
    """
    from inspector.findings.names.architecture import ArchitectureFromNames

    found = next((one for one in audited.findings if isinstance(one, ArchitectureFromNames)), None)
    if found is None or not _fits(audited, config, {"model_type": found.architecture}):
        return {}
    return {"by_names": found.architecture, "alike": len(found.twins)}


def _fits(audited: Audit, config: Config, stated: dict[str, Any]) -> bool:
    """True if the config together with some more keys would give the name and the shape of every tensor."""
    if audited.case is None:
        return False
    claim = claim_of(replace(config, values={**config.values, **stated}))
    reading = read_claimed(claim, audited.case.reading.families)
    return reading is not None and not reconcile(claim, reading, (), solve=False).as_configured.differences


def _component_without_sizes(audited: Audit, config: Config) -> Iterator[Finding]:
    """The finding on a component with a config that does not state its sizes: its class uses its own defaults, which
    differ.

    If the config states the sizes, the classes of diffusers load a component even if the config does not name the
    class.
    """
    case = audited.case
    if case is None or case.reading.writer:
        return  # where its names are another program's, the whole file is
    if not case.solved or _fits(audited, config, {"_class_name": case.reading.name}):
        yield from _refused_unnamed(audited, case, config)
        return
    from inspector.findings.config import ModelTypeMissing

    stated = tuple(config.values)[:NAMES_SHOWN]
    yield ModelTypeMissing(place=Place(file=CONFIG, key="_class_name"), class_name=case.reading.name, foreign=stated)


def _refused_unnamed(audited: Audit, case: Reconciled, config: Config) -> Iterator[Finding]:
    """The findings on values that every class with these names refuses, for a config that names none."""
    from inspector.architectures.diffusers_values import refused_by_class
    from inspector.reconciler.diffusers_values import refused_values

    named = [{**config.values, "_class_name": one} for one in (case.reading.name, *case.reading.same_names)]
    if all(any(refused_by_class(values)) for values in named):
        yield from refused_values(named[0], case.plan.scope, audited.findings)


def _class_unnamed(audited: Audit) -> Iterator[Finding]:
    """The finding on a component whose `_class_name` is null or a number, which every class of diffusers refuses."""
    config, known = audited.checkpoint.config, audited.architecture
    stated = "" if config is None else config.values.get("_class_name", "")
    if known is None or not _is_of_diffusers(audited) or isinstance(stated, str | list):
        return
    from inspector.findings.config import ModelTypeMissing

    meant = {"_class_name": known.name}
    yield ModelTypeMissing(place=Place(file=CONFIG, key="_class_name"), class_name=known.name, values=meant)


def _states_type(config: Config) -> bool:
    """True if a config names the type of its model, a class or its own code; a `model_type` that is no text names
    none.
    """
    stated = {key for key in TYPED if key in config.values}
    return isinstance(config.values.get("model_type"), str) or bool(stated - {"model_type"})


def _config_unusable(audited: Audit) -> Iterator[Finding]:
    """The error of a loader on the folder of a known model that has no config.json, or one that names no type."""
    checkpoint = audited.checkpoint
    if checkpoint.is_gguf:
        return  # the sizes follow from the file itself
    loader = DIFFUSERS if _is_of_diffusers(audited) else None
    loader = loader or next((one for one in (TRANSFORMERS, DIFFUSERS) if one.finds(checkpoint.set_name)), None)
    config, names = checkpoint.config, checkpoint.siblings
    similar = next((name for name in sorted(names) if name.casefold() == CONFIG and name != CONFIG), None)
    known = any(defaults_of(name) is not None for name in _types(audited))
    if loader is None or not (known or similar):
        return  # of a type that neither library has nobody knows which loader it is for
    if config is not None and config.file == CONFIG:
        if _states_type(config):
            return
        if loader is DIFFUSERS:
            yield from _component_without_sizes(audited, config)
            return
        from inspector.auditing.identity.restated import restated
        from inspector.dialects.mamba_ssm import config_of
        from inspector.findings.config import ModelTypeMissing

        meant = restated(audited, config, config_of(config.values))
        yield ModelTypeMissing(
            place=Place(file=CONFIG, key="model_type"),
            program="mamba_ssm" if meant else None,
            values=meant,
            class_name=audited.class_name,
            model_type=_type_to_state(audited),
            foreign=_keys_of_no_model(audited, config),
            **_by_names(audited, config),
        )
    elif config is None and CONFIG not in names and names.keys().isdisjoint(OTHER_CONFIGS):
        from inspector.findings.config import ConfigMissing

        similar = similar or _copy_of_config(audited)
        yield ConfigMissing(place=Place(file=CONFIG), loader=loader.name, similar=similar)


def _copy_of_config(audited: Audit) -> str | None:
    """The only file with the name of a copy of config.json that gives the name and the shape of every tensor."""
    from inspector.auditing.files.copied_config import copied_configs

    fitting = [one.file for one in copied_configs(audited.checkpoint, CONFIG) if _fits(audited, one, {})]
    return fitting[0] if len(fitting) == 1 else None
