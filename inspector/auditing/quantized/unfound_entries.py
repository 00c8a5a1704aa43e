"""Compares the entries of a list of unquantized modules with the names that transformers 5 gives to these modules.

transformers 5 compares an entry with the beginning and the end of a module's name in the model
(`should_convert_module`), which may be `model.visual` if the file has `visual`. transformers 4 and vLLM search for the
entry anywhere in the name. compressed-tensors compares whole names; llm-compressor 0.14 writes those of the file, which
vLLM reads (measured with transformers 5.24 and compressed-tensors 0.19: the layers are built quantized).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inspector.algebra.boxes import minus
from inspector.architectures.value_rules import QUANTIZATION
from inspector.auditing.quantized.initialised_weights import PACKED_VALUES, is_read
from inspector.auditing.quantized.model_entries import unfound
from inspector.auditing.quantized.model_names import names_in_model
from inspector.auditing.quantized.plain_modules import (
    BY_PATTERN,
    HEAD,
    LISTS,
    Namer,
    among_packed,
    covered,
    entries_left_out,
)
from inspector.auditing.quantized.tied_head import head_entry
from inspector.auditing.result import Audit
from inspector.loading.given import Recorded
from inspector.loading.outcome import RANDOM, REFUSES
from inspector.quantization.loaders import BY_ENDS
from inspector.reconciler.wording import names_in


def plain_for_newest(audited: Audit) -> Recorded | None:
    """The behaviour of transformers 5 if it does not find modules by entries that other loaders find: it builds
    quantized layers.

    The setting with which it loads contains the entries in their original form and under the names in the model.
    """
    if audited.unpacked is None:
        return None
    settings = audited.unpacked.settings
    method = settings.base.method or ""
    read = settings.whole and (method in BY_ENDS or method == BY_PATTERN)
    namer = names_in_model(audited.checkpoint) if read else None
    if namer is None:
        return None
    stated = tuple(entry.text for entry in settings.ignored)
    unfound = list((_unnamed if method == BY_PATTERN else _unfound)(audited, stated, namer))
    if not unfound:
        return None
    entry, _, path = unfound[0]
    added = tuple(dict.fromkeys(entry for _, _, entry in unfound))
    if method == BY_PATTERN:
        heads = [
            line.family.removesuffix(".weight")
            for line in audited.lines
            if line.role.startswith(HEAD)
            and line.packed is None
            and not covered(stated, namer(line.family).removesuffix(".weight"), line.boxes)
        ]
        left = [*(head_entry(one, method) for one in heads), *entries_left_out(audited.lines, method)[1]]
        added = tuple(one for one in left if one not in stated)
    because = f'its list of unquantized modules has "{entry}", and the model {path}'
    outcome = REFUSES if _without_weight(audited, [module for _, module, _ in unfound]) else RANDOM
    return Recorded(outcome, because, (str(LISTS[method]), [*stated, *added]))


def _without_weight(audited: Audit, modules: Sequence[str]) -> bool:
    """True if packed layers are built for modules whose weight the model reads to initialize it.

    modules: their names in the model, with `#` for a number.
    """
    config = audited.checkpoint.config
    packed = any(line.packed is not None and line.packed.values == PACKED_VALUES for line in audited.lines)
    return packed and config is not None and any(is_read(module, config.values) for module in modules)


def found_by_newest_only(audited: Audit) -> bool:
    """True if an entry of compressed-tensors names a plain module as the model of transformers 5 does, and no entry
    names it as the file does, whose names models of transformers 4 have.
    """
    if audited.unpacked is None or audited.unpacked.settings.base.method != BY_PATTERN:
        return False
    settings, namer = audited.unpacked.settings, names_in_model(audited.checkpoint)
    if namer is None or not settings.whole:
        return False
    stated = tuple(entry.text for entry in settings.ignored)
    for line, _ in among_packed(audited.lines, everywhere=True, heads=True):
        family, module = (name.removesuffix(".weight") for name in (line.family, namer(line.family)))
        if family != module and covered(stated, module, line.boxes) and not covered(stated, family, line.boxes):
            return True
    return False


def _unfound(audited: Audit, _: Sequence[str], namer: Namer) -> Iterator[tuple[str, str, str]]:
    """(entry, module in the model, the path that would find it) for each plain module that no entry finds."""
    assert audited.unpacked is not None
    for one in unfound(audited.unpacked.settings, audited.lines, namer):
        yield from ((one.entry, one.module, path) for path in one.paths)


def _unnamed(audited: Audit, stated: Sequence[str], namer: Namer) -> Iterator[tuple[str, str, str]]:
    """(entry, family in the model, a module in the model) for plain modules with entries that are not their names in
    the model.
    """
    assert audited.unpacked is not None
    for line, _ in among_packed(audited.lines, everywhere=True):
        family, module = (name.removesuffix(".weight") for name in (line.family, namer(line.family)))
        if family == module:
            continue
        for setting, boxes in audited.unpacked.settings.for_family(family, line.boxes):
            if setting.skipped is not None and (left := minus(boxes, covered(stated, module, boxes))):
                yield setting.skipped, module, names_in(module, left, 1)[0]


def added_entries(audited: Audit, setting: tuple[str, Any]) -> tuple[Any, ...]:
    """The entries of a list with which the loader loads the checkpoint that the quantization block does not have yet;
    empty unless the list only grows.
    """
    config = audited.checkpoint.config
    block = None if config is None else config.values.get(QUANTIZATION)
    key, value = setting
    stated = block.get(key) if isinstance(block, Mapping) else None
    if not stated or not isinstance(stated, list) or not isinstance(value, list):
        return ()
    return tuple(value[len(stated) :]) if value[: len(stated)] == stated else ()
