"""The result type: what one loader does with a checkpoint."""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import Meta, Struct

COMPLETE, RANDOM, ALTERED, REFUSES, UNSUPPORTED, UNKNOWN = (
    "complete",
    "random",
    "altered",
    "refuses",
    "unsupported",
    "unknown",
)
"""Outcomes. Random: tensors stay at their initialisation. Altered: other numbers than stored. Unknown: not proven."""
CHANGES: Final = "the class changes weights while it is built"
"""Reason for a class that alters intact files: no fault of the files."""
UNFILLED: Final = "the class leaves tensors of every file without values"
"""Reason for a class that leaves tensors of intact files on the meta device: no fault of the files."""
BY_CLASS, BY_NAME, MAY_BE_ABSENT, TWICE, UNMEASURED = (
    "by-class",
    "by-name",
    "may-be-absent",
    "stored-twice",
    "unmeasured",
)
"""Excuses. by-class: every file of the class loads like this. by-name: only a class that transformers does not know
could load it. may-be-absent: only tensors are missing that its files may leave out. stored-twice: two stored tensors
are one tensor of the class, and may be equal. unmeasured: a value of the config was not measured.
"""
FAILURES = (RANDOM, ALTERED, REFUSES, UNSUPPORTED)


Outcome = Annotated[str, Meta(extra_json_schema={"enum": [COMPLETE, RANDOM, ALTERED, REFUSES, UNSUPPORTED, UNKNOWN]})]


class Load(Struct, frozen=True, kw_only=True):
    """What a loader does.

    missing, unexpected, mismatched: numbers of tensors in its loading info, None if it has none. intended: the
    checkpoint is made for this loader. files: the files that it reads. because: the reason, "" if it loads completely.
    source: "recorded" or "documented". excuse: why a failure is not a fault of the files: one of the excuses or "".
    keys: config keys that it refuses. setting: a key of the quantization block, and the value with which it loads.
    copies: two stored tensors that it ties, of which it keeps one; the outcome is known once their values are.
    emptied: a stored tensor and the absent one that it is tied to, which leaves both without values.
    """

    loader: str
    version: str | None
    outcome: Outcome
    missing: int | None = None
    unexpected: int | None = None
    mismatched: int | None = None
    intended: bool = False
    files: tuple[str, ...] = ()
    because: str = ""
    source: str = "recorded"
    excuse: str = ""
    keys: tuple[str, ...] = ()
    setting: tuple[str, Any] | None = None
    copies: tuple[str, str] | None = None
    emptied: tuple[str, str] | None = None


NOT_IN_FILE: Final = "not in the file, such as"
"""A part of the reason of a loader that does not find tensors."""


def not_in_file(missing: int, such_as: str | None) -> str:
    """The reason of a loader that does not find tensors."""
    return f"{missing} of its tensors {'is' if missing == 1 else 'are'} {NOT_IN_FILE} {such_as}"
