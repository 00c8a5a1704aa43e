"""The weights of a text model alone in their folder, under a name that no loader of text models looks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from inspector.auditing.files.usable_config import CONFIG, OF_TRANSFORMERS, OTHER_CONFIGS
from inspector.auditing.result import CLEAN, UNDECIDED, Audit, Skipped
from inspector.findings.finding import Finding, Place
from inspector.loader.loaders import TRANSFORMERS

ENDINGS: Final = {"safetensors": "safetensors", "bin": "bin", "pt": "bin", "pth": "bin", "ckpt": "bin"}
"""Ending of a weight file -> the ending that loaders look for in its format."""
OF_TEXT: Final = ("ForCausalLM", "LMHeadModel")
"""Endings of the classes that generate text, which loaders build from whole folders."""


def with_lone_weights(audited: Audit, findings: Sequence[Finding]) -> Audit:
    """The audit with what is missing next to the weights: an error if the other files of transformers are there."""
    checkpoint = audited.checkpoint
    file, names = checkpoint.set_name, checkpoint.siblings
    ending = ENDINGS.get(file.rpartition(".")[2], "")
    if not ending or not _is_plain_text_model(audited):
        return audited if list(findings) == list(audited.findings) else audited.with_findings(findings)
    wanted = TRANSFORMERS.single(ending)
    place = Place(file=file)
    if not names.keys().isdisjoint(OF_TRANSFORMERS):
        from inspector.findings.absent_config import ConfigMissing
        from inspector.findings.shards.names import FileNameUnknown

        missing = ConfigMissing(place=Place(file=CONFIG), loader=TRANSFORMERS.name, similar=None)
        unknown = FileNameUnknown(place=place, loader=TRANSFORMERS.name, wanted=wanted, single=True, variant="")
        return audited.with_findings([*findings, missing, unknown])
    from inspector.findings.shards.names import WeightsWithoutFolder

    because = f"there is no config.json, and no loader of text models looks for {file}"
    skipped = (*audited.skipped, Skipped("which program reads the weights", because, decisive=True))
    verdict = UNDECIDED if audited.verdict == CLEAN else audited.verdict
    noted = replace(audited, skipped=skipped, verdict=verdict)
    return noted.with_findings([*findings, WeightsWithoutFolder(place=place, wanted=wanted)])


def _is_plain_text_model(audited: Audit) -> bool:
    """True if transformers' own names of a model for text are stored in one file without any config."""
    checkpoint, case = audited.checkpoint, audited.case
    names = checkpoint.siblings
    if checkpoint.config is not None or case is None or "/" in checkpoint.set_name or len(checkpoint.files) != 1:
        return False
    if CONFIG in names or not names.keys().isdisjoint(OTHER_CONFIGS):
        return False
    reading = case.reading
    if reading.writer or reading.prefix or TRANSFORMERS.finds(checkpoint.set_name):
        return False
    return case.head.names[0].endswith(OF_TEXT)
