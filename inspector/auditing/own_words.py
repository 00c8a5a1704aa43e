"""Rewords findings in the terms of the file that they are about: its name, its keys, and the files of its tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from inspector.auditing.gguf.derived_keys import underived
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import LITGPT_FILES
from inspector.loader.unnumbered import left_out
from inspector.loader.weight_sets import shard_number
from inspector.notation.settings import Settings

if TYPE_CHECKING:
    from inspector.findings.config import ConfigDisagrees, Rival

FEW: Final = 2
"""Files whose numbers are not a sequence."""


def in_own_words(
    findings: Sequence[Finding], checkpoint: Checkpoint, prefix: str, settings: Settings
) -> Sequence[Finding]:
    """Adds the files of the tensors to findings on wrong shapes, and the file and key to findings on the config.

    prefix: of the stored names, if the findings name tensors without it. settings: of the config.
    """
    if not findings:
        return findings
    worded = _once_by_key(list(_in_own_words(findings, checkpoint, prefix, settings)))
    return list(_with_left_out(underived(worded, checkpoint), checkpoint))


def _once_by_key(findings: list[Finding]) -> list[Finding]:
    """Keeps one finding for each wrong key of the file, from which several config keys may follow."""
    from inspector.findings.config import ConfigDisagrees

    kept: dict[object, ConfigDisagrees] = {}
    for one in findings:
        if isinstance(one, ConfigDisagrees) and one.file_key:
            before = kept.setdefault((one.file_key, str(one.solved)), one)
            if before.explains < one.explains:
                kept[one.file_key, str(one.solved)] = one
    return [one for one in findings
            if not (isinstance(one, ConfigDisagrees) and one.file_key) or one in kept.values()]  # fmt: skip


def _in_own_words(
    findings: Sequence[Finding], checkpoint: Checkpoint, prefix: str, settings: Settings
) -> Iterator[Finding]:
    from inspector.findings.class_names import ClassDiffers
    from inspector.findings.config import ConfigDisagrees, ConfigImpossible
    from inspector.findings.names.layers import LayersMissing
    from inspector.findings.shapes import ShapeDiffers
    from inspector.findings.single_causes import ConfigKeysAbsent, ConfigOfAnotherSize, WeightsIncomplete

    config = checkpoint.config
    file = "config.json" if config is None else config.file
    corrected = {one.key: one.solved for one in findings if isinstance(one, ConfigDisagrees)}
    for finding in findings:
        if isinstance(finding, ConfigDisagrees) and config is not None and config.kind == "config":
            from inspector.auditing.head_counts import with_possible_heads
            from inspector.auditing.layer_lists import with_equal_key, with_layer_lists, with_switch

            finding = with_possible_heads(finding, config.values, corrected)
            finding = with_switch(with_layer_lists(finding, config.values), config.values)
            finding = with_equal_key(finding, config.values, corrected)
        if isinstance(finding, LayersMissing) and finding.fewer:
            from inspector.auditing.layer_lists import with_fewer_layers

            values = config.values if config is not None and config.kind == "config" and file == "config.json" else {}
            yield with_fewer_layers(finding, values, lambda key: _stated_key(settings, key))
        elif isinstance(finding, ConfigOfAnotherSize) and config is not None and file == "config.json":
            from inspector.auditing.layer_lists import with_unseen_keys

            yield with_unseen_keys(finding, config.values)
        elif isinstance(finding, ShapeDiffers):
            yield _with_files(finding, checkpoint, prefix)
        elif isinstance(finding, WeightsIncomplete) and _is_whole_gguf(checkpoint):
            yield replace(finding, alone_in=checkpoint.set_name)
        elif isinstance(finding, WeightsIncomplete) and _lacks_shards(checkpoint):
            yield replace(finding, of_shards=True)
        elif isinstance(finding, ConfigDisagrees) and (stated := _stated_key(settings, finding.key)) is not None:
            yield replace(finding, key=stated, place=Place(key=stated), file=file)
        elif file == "config.json" and not (config is not None and config.writer):
            yield finding
        elif isinstance(finding, ConfigDisagrees):
            finding = _on_absent_key(checkpoint, finding)
            rivals = tuple(_rivals(checkpoint, finding))
            yield replace(finding, file=file, file_key=_own_key(checkpoint, finding.key), rivals=rivals)
        elif isinstance(finding, ConfigImpossible):
            keys = tuple(key for one in finding.keys if (key := _own_key(checkpoint, one)) is not None)
            finding = replace(finding, place=Place(key=keys[0]), keys=keys) if keys else finding
            yield replace(finding, file=file)
        elif isinstance(finding, ConfigKeysAbsent | ConfigOfAnotherSize):
            named = tuple(replace(one, key=_own_key(checkpoint, one.key) or one.key) for one in finding.keys)
            yield replace(finding, file=file, keys=named)
        elif isinstance(finding, ClassDiffers):
            yield replace(finding, file=file)
        else:
            yield finding


def _is_whole_gguf(checkpoint: Checkpoint) -> bool:
    """True if the weights are one GGUF file that is not part of a split model."""
    return checkpoint.is_gguf and shard_number(checkpoint.set_name) is None


def _lacks_shards(checkpoint: Checkpoint) -> bool:
    """True if, by the names of the audited files, there are more shards than files."""
    numbered = [number for one in checkpoint.files if (number := shard_number(one.name)) is not None]
    return any(of > len(numbered) for _, of in numbered)


def _with_left_out(findings: Sequence[Finding], checkpoint: Checkpoint) -> Iterator[Finding]:
    """Adds the files that the numbers of shards leave out, if their names do not state how many there are."""
    names = [one.name for one in checkpoint.files]
    numbered = checkpoint.index is None and "*" in checkpoint.set_name and not any(map(shard_number, names))
    if not numbered or len(names) <= FEW:
        yield from findings
        return
    from inspector.findings.names.layers import LayersMissing
    from inspector.findings.names.tensors import TensorMissing
    from inspector.findings.single_causes import WeightsIncomplete

    for one in findings:
        if isinstance(one, WeightsIncomplete | LayersMissing | TensorMissing):
            zero = isinstance(one, WeightsIncomplete) and one.from_first
            yield replace(one, left_out=left_out(names, zero=zero)[:NAMES_SHOWN])
        else:
            yield one


def _stated_key(settings: Settings, key: str) -> str | None:
    """The alias under which a config states a key; None if it has the key itself, or neither."""
    *outer, last = key.split(".")
    for segment in outer:
        settings = settings.below(segment)
    aliases = [alias for alias, target in settings.aliases.items() if target == last and alias in settings.values]
    return ".".join((*outer, aliases[0])) if aliases and last not in settings.values else None


def _with_files(finding: Finding, checkpoint: Checkpoint, prefix: str) -> Finding:
    file_of = checkpoint.file_of
    names = (name if name in file_of else prefix + name for name in getattr(finding, "names", ()))
    files = tuple(dict.fromkeys(file_of[name] for name in names if name in file_of))
    return replace(finding, files=files, in_shards=len(checkpoint.files) > 1)


def _on_absent_key(checkpoint: Checkpoint, finding: ConfigDisagrees) -> ConfigDisagrees:
    """The finding on a key missing in a GGUF file, if its absence explains as much as another value of a stated key.

    A default of transformers is not a statement of the file: llama.cpp reads an absent number of heads as 0.
    """
    values = {} if checkpoint.config is None else checkpoint.config.values
    if finding.key not in values:
        return finding
    absent = [one for one in finding.rivals if one.key not in values and _own_key(checkpoint, one.key) is not None]
    if len(absent) != 1:
        return finding
    (rival,) = absent
    return replace(
        finding, place=Place(key=rival.key), key=rival.key, stated=None, solved=rival.weights, default=False,
        interval=None, element=None, rivals=(), together=(), misshaped=None, lost=None,
    )  # fmt: skip


def _rivals(checkpoint: Checkpoint, finding: ConfigDisagrees) -> Iterator[Rival]:
    """The keys that explain as much, under their names in the file; without those that no file of the model states."""
    config = checkpoint.config
    if config is None or not config.of_gguf:
        yield from (replace(one, key=_own_key(checkpoint, one.key) or one.key) for one in finding.rivals)
        return
    from inspector.dialects.gguf_config import is_stated

    kind = str(config.values.get("model_type"))
    for one in finding.rivals:
        if (own := _own_key(checkpoint, one.key)) is not None or is_stated(kind, one.key):
            yield replace(one, key=own or one.key)


def _own_key(checkpoint: Checkpoint, key: str) -> str | None:
    """The key in the file for a config key; None if the file has the config key itself or no single equivalent."""
    config = checkpoint.config
    if config is not None and config.file in LITGPT_FILES:
        from inspector.dialects.litgpt import own_key as key_of_litgpt

        return key_of_litgpt(str(config.values.get("model_type")), key)
    if config is not None and config.writer and not config.of_gguf:
        from inspector.dialects.whisper import own_key as key_of_whisper

        return key_of_whisper(key)
    if config is None or not config.of_gguf:
        return None
    from inspector.dialects.gguf_config import own_key

    values: Mapping[str, object] = {} if checkpoint.metadata is None else checkpoint.metadata.values
    stated = values.get("general.architecture")
    return own_key(str(config.values.get("model_type")), key, stated if isinstance(stated, str) else None, values)
