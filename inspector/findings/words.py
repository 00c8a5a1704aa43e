"""Words for numbers, shapes, lists and config values in findings."""

from __future__ import annotations

import json
from collections.abc import Sequence


def value(thing: object) -> str:
    """A config value as JSON writes it, shortened."""
    if isinstance(thing, str | list) and len(thing) > 100:
        thing = thing[:100]
    text = json.dumps(thing, ensure_ascii=True) if not isinstance(thing, float) else repr(thing)
    return text if len(text) <= 80 else f"{text[:77]}..."


def count(amount: int, word: str) -> str:
    """1 as "1 tensor", 1200 as "1,200 tensors"."""
    return f"{number(amount)} {word}" if amount == 1 else f"{number(amount)} {word}s"


def number(thing: object) -> str:
    """12345 as "12,345"; any other value unchanged."""
    return f"{thing:,}" if isinstance(thing, int) and not isinstance(thing, bool) else str(thing)


def shape(dims: Sequence[object]) -> str:
    """(4096, 1024) as "[4096, 1024]": the dims of a tensor, without thousands separators; `?` for an unknown one."""
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in dims) + "]"


def listed(items: Sequence[object], most: int = 8) -> str:
    """The first items of a list, and how many more there are."""
    shown = ", ".join(map(str, items[:most]))
    return shown if len(items) <= most else f"{shown} and {len(items) - most:,} more"


def either(words: Sequence[str]) -> str:
    """The words as alternatives: a; a or b; a, b or c."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def complete_as(types: Sequence[str]) -> str:
    """That the config with one of some model types gives every stored tensor."""
    return f"with the model type {either(types)} the config gives every stored tensor and no other"


def of_other_type(types: Sequence[str]) -> str:
    """The remedy where tensors are missing that one of these model types does not have."""
    return f"or, if these are weights of {either(types)}, use the config.json of that type"


def first(names: Sequence[str], total: int, most: int = 2) -> str:
    """The first of `total` names, and how many are not shown."""
    shown = names[:most]
    rest = total - len(shown)
    return ", ".join(shown) + (f" and {number(rest)} more" if rest > 0 else "")


def position_in_text(position: int, line: int | None) -> str:
    """The place of a fault in a text file. line: counted from 1; left out for files of one line."""
    return (
        f"line {number(line)}, character {number(position)}" if line and line > 1 else f"character {number(position)}"
    )


def amount(size: int) -> str:
    """12,345 bytes as "12.3 KB": three digits, powers of a thousand."""
    scaled = float(size)
    for unit in ("bytes", "KB", "MB", "GB"):
        if scaled < 999.5:
            digits = 0 if unit == "bytes" or scaled >= 99.95 else 1 if scaled >= 9.995 else 2
            return f"{scaled:.{digits}f} {unit}"
        scaled /= 1000
    return f"{scaled:.2f} TB"


def restored(tensors: int, left_out: Sequence[str] = ()) -> str:
    """The remedy for tensors that no file of a complete set contains: the same download has them no more than this one.

    tensors: how many. left_out: files that the numbers in the names of the others leave out.
    """
    those, them = ("this tensor", "it") if tensors == 1 else ("these tensors", "them")
    if left_out:
        has = "it" if len(left_out) == 1 else "them"
        return (
            f"download {listed(left_out, 3)}, if the checkpoint has {has}: the numbers of the other files leave {has} "
            f"out, and no file here contains {those}"
        )
    return (
        f"no file contains {those}: take {them} from the original checkpoint, or repair the conversion or the save "
        f"that left {them} out"
    )
