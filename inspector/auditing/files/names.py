"""Checks whether the intended loader of a folder finds the config and the weights under their file names."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Sequence
from typing import Final

from inspector.auditing.files.kept_names import without_rename
from inspector.auditing.files.lone_weights import ENDINGS, with_lone_weights
from inspector.auditing.files.models_below import models_below
from inspector.auditing.files.numbered_shards import without_index
from inspector.auditing.files.usable_config import class_unnamed, config_unusable
from inspector.auditing.own_layout import is_laid_out_for
from inspector.auditing.result import Audit
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.loaders import (
    DIFFUSERS,
    INDEX,
    NAMED_ENDINGS,
    PEFT,
    TRANSFORMERS,
    WEIGHTS_KEY,
    Loader,
    named_weights,
)
from inspector.loading.files import refused_name, taken_file
from inspector.loading.tables import is_supported

OF_VARIANT: Final = re.compile(r"(?P<plain>\w+\.safetensors)\.index\.(?P<variant>\w+)\.json")
"""The index of the shards of one variant, as diffusers and transformers write it."""
PICKLED: Final = tuple(f".{ending}" for ending, kind in ENDINGS.items() if kind == "bin")
"""Endings of PyTorch files."""


def with_file_names(audited: Audit) -> Audit:
    """Adds findings on files that the loader does not find. A single file named by the user is not judged."""
    checkpoint = audited.checkpoint
    if not checkpoint.set_name or checkpoint.alone or not checkpoint.readable or checkpoint.adapter is not None:
        return audited
    if PEFT.finds(checkpoint.set_name) and _lacks_config(audited, PEFT):
        return audited
    writer = audited.case.reading.writer if audited.case is not None else ""
    loader = None if is_laid_out_for(writer, checkpoint) else intended(checkpoint)
    if loader is not None:
        findings = list(audited.findings)
        if not _is_one_rank(findings):
            findings = list(_judged(checkpoint, loader, audited.findings, writer))
        findings.extend(_without_metadata(audited, loader))
        findings.extend(class_unnamed(audited))
        findings.extend(_of_key(checkpoint, loader))
        findings = without_rename(_of_no_model(audited, findings))
    else:
        unusable = list(config_unusable(audited))
        findings = [*_without_set_keys(audited.findings, unusable), *unusable]
        if not unusable:
            return with_lone_weights(audited, [*findings, *models_below(audited)])
    return audited if findings == list(audited.findings) else audited.with_findings(findings)


def _lacks_config(audited: Audit, loader: Loader) -> bool:
    """True if the weights are judged to be for a loader with a missing config."""
    if all(one.severity == "note" for one in audited.findings):
        return False
    from inspector.findings.absent_config import ConfigMissing

    return any(isinstance(one, ConfigMissing) and one.loader == loader.name for one in audited.findings)


def _without_set_keys(findings: Sequence[Finding], added: Sequence[Finding]) -> list[Finding]:
    """Removes findings on config keys, and on the type of the class, that the finding on the model type covers."""
    if not added:
        return list(findings)
    from inspector.findings.absent_config import ModelTypeMissing
    from inspector.findings.config import ConfigDisagrees
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


def _of_key(checkpoint: Checkpoint, loader: Loader) -> Iterator[Finding]:
    """The finding on a file of weights that the config names and transformers refuses."""
    problem = refused_name(checkpoint) if loader is TRANSFORMERS else ""
    if problem and checkpoint.config is not None:
        from inspector.findings.shards.names import NamedWeightsRefused

        yield NamedWeightsRefused(
            place=Place(file=checkpoint.config.file, key=WEIGHTS_KEY), problem=problem, audited=checkpoint.set_name,
            named=named_weights(checkpoint.config.values),
            usual=loader.finds(checkpoint.set_name) or not checkpoint.set_name.endswith(NAMED_ENDINGS),
        )  # fmt: skip


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
        from inspector.loading.diffusers import is_for_diffusers

        return DIFFUSERS if is_for_diffusers(checkpoint, values) else None
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


def _of_variant(checkpoint: Checkpoint, loader: Loader, name: re.Match[str]) -> Iterator[Finding]:
    """The finding on the index of a variant if there is no index of the plain weights."""
    wanted = name["plain"] + INDEX
    if wanted not in checkpoint.siblings:
        from inspector.findings.shards.names import FileNameUnknown

        place = Place(file=checkpoint.set_name)
        yield FileNameUnknown(place=place, loader=loader.name, wanted=wanted, single=False, variant=name["variant"])


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
    if (of_variant := OF_VARIANT.fullmatch(name)) is not None and of_variant["plain"] == loader.single("safetensors"):
        yield from findings
        yield from _of_variant(checkpoint, loader, of_variant)
        return
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
    named = loader is TRANSFORMERS and bool(named_weights(config))
    if not ending or any(loader.finds(one) for one in there) or (named and name.endswith(NAMED_ENDINGS)):
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
        lacking=any(map(_lacks_files, findings)),
    )


def _lacks_files(finding: Finding) -> bool:
    """True if files are lost, or may be by their numbers."""
    from inspector.findings.names.layers import LayersMissing
    from inspector.findings.names.tensors import TensorMissing

    return finding.incomplete or (isinstance(finding, LayersMissing | TensorMissing) and bool(finding.left_out))


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
