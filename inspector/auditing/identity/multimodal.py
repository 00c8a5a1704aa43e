"""Recognises the weights of a multimodal model under the config of its text model, as if `text_config` had been saved
separately.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from inspector.architectures.catalog import ending, modules, outlines
from inspector.auditing.identity.named_class import class_reads_all
from inspector.budget import spend
from inspector.findings.finding import Finding, Place
from inspector.findings.names.text_model import Submodels, TextModelAlone
from inspector.loader.config_file import Config
from inspector.matcher.claim import Claim, claim_of
from inspector.matcher.families import Families
from inspector.matcher.reading import NAMES, NAMES_A_STEP, Reading, read_by_names, read_claimed
from inspector.notation.binding import bind

FOLDER, TEXT = "multimodal", "text"
NESTED = "text_config"
FEWEST = 8
"""Fewest families outside the text model that indicate another model; with fewer families in all, nothing does."""
HEADS = frozenset({"lm_head.weight", "score.weight"})
"""Endings of names that are also in text models."""


def text_model_alone(config: Claim, file: Config | None, families: Families, reading: Reading | None) -> Finding | None:
    """The finding on names that all belong to multimodal models with the config's model as their text model.

    reading: how the names were identified.
    """
    if config.definition is None or file is None or file.kind != "config" or NESTED in file.values:
        return None
    if len(families) < FEWEST:
        return None
    if reading is not None and not (reading.by_names or reading.part) and _beyond(reading) < FEWEST:
        return None
    if not _is_text(config.definition.names[0]) or class_reads_all(config, file, families):
        return None
    claimed = config.model_type or config.definition.names[0]
    found = sorted(_readings(file, families), key=lambda one: not one.name.startswith(claimed))  # its own family first
    if not found:
        return None
    best = found[0]
    parts = tuple(_submodels(best, _keys(reading) if reading is not None else frozenset()))
    if not parts:
        return None
    return TextModelAlone(
        place=Place(file=file.file, key="model_type"),
        file=file.file,
        claimed=claimed,
        class_name=config.class_name,
        of=tuple(dict.fromkeys(one.name for one in found)),
        submodels=parts,
        stored=sum(family.tensors for family in families.values()),
    )


def _beyond(reading: Reading) -> int:
    """The number of families that the definition of the config does not have."""
    return len(reading.families) - reading.match.covered


def _is_text(name: str) -> bool:
    return modules()[name][0].startswith(TEXT) if name in modules() else False


def _readings(file: Config, families: Families) -> Iterator[Reading]:
    """Readings as multimodal models with this text model that know every name, the readings with the fewest missing
    tensors first.

    The definition of the vision model comes from the defaults of the class.
    """
    tried: list[Reading] = []
    for name in _near(families):
        claim = claim_of(replace(file, values={"model_type": name, NESTED: dict(file.values)}))
        reading = None if claim.definition is None else read_claimed(claim, families)
        if reading is not None and reading.coverage == 1 and not reading.prefix:
            tried.append(reading)
    if not tried:  # of the first versions, whose configs had no sub-config for the text
        tried = [one for one in read_by_names(families, {}, share=1.0, prefixes=False)[0] if one.coverage == 1]
        tried = [one for one in tried if modules()[one.name][0].startswith(FOLDER) and not _is_text(one.name)]
    least = min((one.match.missing for one in tried), default=0)
    return (one for one in tried if one.match.missing == least)


def _near(families: Families) -> Iterator[str]:
    """The multimodal types of which some stored names are not a text model's: names of a projector or
    of another tower.
    """
    spend(len(families) * len(outlines()) // NAMES_A_STEP, NAMES)
    ends = {ending(key) for key in families}
    ends |= {one.rpartition(".")[2] for one in ends}
    for name, outline in outlines().items():
        if modules()[name][0].startswith(FOLDER) and not ends.isdisjoint(outline.endings - HEADS):
            yield name


def _keys(reading: Reading) -> frozenset[str]:
    """The keys of a definition."""
    return frozenset(block.key for block in bind(reading.scope, reading.match.head, reading.match.spelling).blocks)


def _submodels(reading: Reading, known: frozenset[str]) -> Iterator[Submodels]:
    """The modules of a multimodal model, without its text model, that have stored tensors. known: keys of the text
    model.
    """
    blocks = bind(reading.scope, reading.match.head, reading.match.spelling).blocks
    others = dict.fromkeys(_top(block.key) for block in blocks if _is_submodel(block.slot.scope, block.slot.role))
    own = {_top(block.key) for block in blocks if not _is_submodel(block.slot.scope, block.slot.role)}
    for top in others:
        inside = {key: family.tensors for key, family in reading.families.items() if _top(key) == top}
        if top not in own and inside.keys() - known:
            yield Submodels(top, sum(inside.values()))


def _top(key: str) -> str:
    """The module of a multimodal model that a tensor is in."""
    segments = key.split(".")
    return ".".join(segments[: 2 if segments[0] == "model" else 1])


def _is_submodel(scope: tuple[str, ...], role: str) -> bool:
    return scope[:1] != ("text",) and not role.startswith(("head.", "embed.token"))
