"""The types of the steps of remedies, and of the document of `inspector mend`. Keys are added, never changed."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

ACTIONS = ("set", "remove", "rename", "write", "move", "truncate", "fetch")
Action = Annotated[str, Meta(extra_json_schema={"enum": list(ACTIONS)})]
StepDocument = TypedDict(
    "StepDocument",
    {
        "action": Action,
        "file": NotRequired[str],
        "key": NotRequired[list[str]],
        "from": NotRequired[Any],
        "to": NotRequired[Any],
    },
)


MendStepDocument = TypedDict(
    "MendStepDocument",
    {
        "action": Action,
        "file": str,
        "key": list[str],
        "from": NotRequired[Any],
        "to": NotRequired[Any],
        "finding": str,
        "backup": str | None,
        "done": bool,
        "error": str | None,
    },
)


class LeftDocument(TypedDict):
    """A finding that mend cannot repair, with the reason or what to do."""

    finding: str
    because: str
    title: str


class DigestDocument(TypedDict):
    """A file that was written with another header: bytes and SHA-256 of its tensors, which did not change."""

    file: str
    bytes: int
    sha256: str


class MendDocument(TypedDict):
    """`inspector mend`. before, after: verdicts, null if nothing was read or written. target: the written folder."""

    schema: Literal["inspector.mend/1"]
    source: str
    target: str | None
    steps: list[MendStepDocument]
    left: list[LeftDocument]
    digests: list[DigestDocument]
    failure: str | None
    before: str | None
    after: str | None
