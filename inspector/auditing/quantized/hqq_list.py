"""The list of unquantized modules of HQQ, of which each entry holds for all modules whose names contain it.

Measured with transformers 4.57 and hqq 0.2.8 for Phi, OPT and Qwen2-MoE: it needs the list (KeyError, TypeError on
null), each plain linear layer must contain an entry and no quantized module may, or it fails ("weight is on the meta
device", KeyError with the name of a head). The head counts although it is tied and not stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from inspector.architectures.value_rules import QUANTIZATION
from inspector.auditing.quantized.lost_block import plain_listed
from inspector.auditing.quantized.plain_modules import HQQ, LISTS_OF_BLOCKS, names_packed
from inspector.auditing.result import Audit
from inspector.findings.totals import TiedHead
from inspector.loading.given import Recorded
from inspector.loading.outcome import REFUSES
from inspector.quantization.missing_block import MOST_LISTED
from inspector.reconciler.ledger import Line
from inspector.reconciler.wording import names_in

KEY: Final = str(LISTS_OF_BLOCKS[HQQ])


def refused_list(audited: Audit) -> Recorded | None:
    """What version 4 does with a list that does not separate the plain modules from the quantized ones; None if it
    does.
    """
    config = audited.checkpoint.config
    block = None if config is None else config.values.get(QUANTIZATION)
    if not isinstance(block, Mapping):
        return None
    wanted = plain_listed(audited.lines, HQQ)
    setting = None if names_packed(wanted, audited.lines) or len(wanted) > MOST_LISTED else (KEY, wanted)
    stated = block.get(KEY)
    if not isinstance(stated, list):
        return Recorded(REFUSES, f"the block has no list {KEY}", setting)
    entries = [one for one in stated if isinstance(one, str)]
    because = next(_unlike(audited, entries, wanted), "")
    return Recorded(REFUSES, because, setting) if because else None


def _unlike(audited: Audit, entries: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    """The modules that the list has and should not, or should have."""
    for line in audited.lines:
        if line.packed is not None:
            for name in _modules(line):
                yield from (f'{KEY} has "{one}", and {name} is quantized' for one in entries if one in name)
    heads = {_stem(str(one.place.name)) for one in audited.findings if isinstance(one, TiedHead)}
    stored = {name for line in audited.lines if line.packed is None for name in _modules(line)}
    for name in wanted:
        needed = name in heads or any(name in module for module in stored)
        if needed and not any(one in name for one in entries):
            yield f"{KEY} does not have {name}, which is not quantized"


def _stem(name: str) -> str:
    return name.removesuffix(".weight")


def _modules(line: Line) -> list[str]:
    return [_stem(name) for name in names_in(line.family, line.boxes, MOST_LISTED)]
