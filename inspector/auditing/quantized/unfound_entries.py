"""Compares the entries of a list of unquantized modules with the names that transformers 5 gives to these modules.

transformers 5 compares an entry with the beginning and the end of a module's name in the model
(`should_convert_module`), which may be `model.visual` if the file has `visual`. transformers 4 and vLLM search for the
entry anywhere in the name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.auditing.quantized.plain_modules import LISTS, Namer, among_packed, finds, path_of
from inspector.auditing.result import Audit
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import named_class
from inspector.loading.given import Recorded
from inspector.loading.outcome import RANDOM
from inspector.quantization.loaders import BY_ENDS


def names_in_model(checkpoint: Checkpoint) -> Namer | None:
    """The name that transformers 5 gives to a family; None if its class was not recorded."""
    from inspector.loading.memory import memory_namer
    from inspector.loading.tables import NEWEST, rules_of

    config = checkpoint.config
    name = None if config is None or config.kind != "config" else named_class(config.values)
    rules = None if name is None else rules_of(name, NEWEST)
    if rules is None or not rules.exact:
        return None
    namer = memory_namer(rules)
    return lambda family: _name(namer.name(family).names, family)


def _name(names: Sequence[str], family: str) -> str:
    return names[0] if len(names) == 1 else family


def plain_for_newest(audited: Audit) -> Recorded | None:
    """The behaviour of transformers 5 if it does not find modules by entries that other loaders find: it builds
    quantized layers.

    The setting with which it loads contains the entries in their original form and under the names in the model.
    """
    if audited.unpacked is None:
        return None
    settings = audited.unpacked.settings
    method = settings.base.method or ""
    namer = names_in_model(audited.checkpoint) if method in BY_ENDS and settings.whole else None
    if namer is None:
        return None
    stated = tuple(entry.text for entry in settings.ignored)
    unfound = list(_unfound(audited, stated, namer))
    if not unfound:
        return None
    added = tuple(dict.fromkeys(entry for _, _, entry in unfound))
    entry, _, path = unfound[0]
    because = f'its list of unquantized modules has "{entry}", and the model {path}'
    return Recorded(RANDOM, because, (str(LISTS[method]), [*stated, *added]))


def _unfound(audited: Audit, stated: Sequence[str], namer: Namer) -> Iterator[tuple[str, str, str]]:
    """(entry, module in the model, the path that would find it) for each plain module that no entry finds."""
    assert audited.unpacked is not None
    settings = audited.unpacked.settings
    for line, _ in among_packed(audited.lines, everywhere=True):
        family = line.family.removesuffix(".weight")
        module = namer(line.family).removesuffix(".weight")
        if finds(stated, module):
            continue
        for setting, _ in settings.for_family(family, line.boxes):
            path = "" if setting.skipped is None else path_of(setting.skipped, module)
            if path:
                yield str(setting.skipped), module, path
