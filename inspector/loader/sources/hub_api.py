"""The Hub's API for a repository: its commit, its files, and the reason if it cannot be read."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, TypeGuard
from urllib.parse import quote

from msgspec import Struct

from inspector.budget import has_room
from inspector.findings.finding import Finding
from inspector.loader.signature import recognise
from inspector.loader.sources.address import MAIN, Address, is_commit
from inspector.loader.sources.hub_settings import HubSettings
from inspector.loader.sources.redirects import origin_of, target_of
from inspector.loader.sources.source import RepositoryFile, is_plain_name
from inspector.loader.sources.web import Answer, Request, RequestFailure, Web
from inspector.loader.strict_json import estimated_bytes

if TYPE_CHECKING:
    from inspector.findings.reading.hub import OfRepository

DESCRIPTION_LIMIT: Final = 32_000_000
TREE_LIMIT: Final = 16_000_000
BYTES_A_FILE: Final = 350
"""Bytes that one file of the list takes in memory."""
PAGES_LIMIT: Final = 200
ENTRIES_LIMIT: Final = 200_000
_NEXT_PAGE: Final = re.compile(r'<([^<>]*)>[^<>]*;\s*rel="?next\b')
_BAD_TOKEN: Final = "invalid credentials in authorization header"


class Description(Struct, frozen=True):
    """A repository at one commit. names: its files, as far as known before the tree is read."""

    repository: str
    commit: str
    names: tuple[str, ...]
    gated: bool


class Api(Struct, frozen=True, eq=False):
    """The API of an endpoint for one repository."""

    web: Web
    settings: HubSettings
    address: Address
    with_token: bool

    def url(self, rest: str = "") -> str:
        """An address of the API for the repository."""
        base = f"{self.settings.endpoint}/api/{self.address.repo_type}s/{self.address.repository}"
        return f"{base}/{rest}" if rest else base

    def describe(self) -> Description | Finding:
        """The commit of the revision and the current name of the repository."""
        revision = self.address.revision
        url = self.url("" if revision is None else f"revision/{quote(revision, safe='')}")
        answer = self.web.ask(Request(url, DESCRIPTION_LIMIT, compressed=True)).result()
        if isinstance(answer, RequestFailure):
            return self.finding_of(answer)
        described = _json(answer.body)
        commit = described.get("sha") if isinstance(described, dict) else None
        if not isinstance(described, dict) or not isinstance(commit, str) or not is_commit(commit):
            return self._not_understood("the description of the repository", answer.body)
        name = described.get("id") or described.get("modelId")
        known = isinstance(name, str) and name.count("/") <= 1 and all(map(is_plain_name, name.split("/")))
        siblings = described.get("siblings")
        names = (
            [one.get("rfilename") for one in siblings if isinstance(one, dict)] if isinstance(siblings, list) else []
        )
        return Description(
            str(name) if known else self.address.repository,
            commit,
            tuple(one for one in names[:ENTRIES_LIMIT] if isinstance(one, str)),
            described.get("gated") not in (False, None),
        )

    def is_at(self, commit: str) -> bool:
        """True if the main branch is currently at this commit."""
        answer = self.web.get(Request(self.url(f"revision/{MAIN}"), DESCRIPTION_LIMIT, compressed=True))
        described = None if isinstance(answer, RequestFailure) else _json(answer.body)
        return isinstance(described, dict) and described.get("sha") == commit

    def tree(self, commit: str) -> tuple[dict[str, RepositoryFile], bool] | Finding:
        """(path -> file at a commit, True if the list is complete); or the finding that the files cannot be listed."""
        files: dict[str, RepositoryFile] = {}
        url: str | None = self.url(f"tree/{commit}?recursive=true&expand=false")
        seen: set[str] = set()
        while url is not None:
            if url in seen or len(seen) >= PAGES_LIMIT or len(files) > ENTRIES_LIMIT:
                return files, False
            seen.add(url)
            answer = self.web.get(Request(url, TREE_LIMIT, compressed=True))
            if isinstance(answer, RequestFailure):
                return self.finding_of(answer)
            page = _json(answer.body)
            if not isinstance(page, list):
                return self._not_understood("the list of files", answer.body)
            if not has_room(BYTES_A_FILE * (len(files) + len(page))):
                return files, False
            files.update(found for one in page if (found := _file(one)) is not None)
            url = _next(answer, url)
            if url is not None and origin_of(url) != self.settings.origin:
                return files, False
        return files, True

    def finding_of(self, failure: RequestFailure) -> Finding:
        """The finding for a failure of the first requests about a repository.

        A server that hides private repositories answers 401 for private and for absent ones, as long as
        the user is not logged in; with a token it answers 404 for both.
        """
        kind = _kind(failure, self.with_token)
        bare = "://" not in self.address.given
        if kind is None:
            from inspector.findings.reading.network import HubUnreachable

            return HubUnreachable(
                repository=self.address.repository,
                bare=bare,
                kind=failure.kind,
                status=failure.status,
                host=failure.host,
                endpoint=self.settings.endpoint,
                tries=failure.tries,
                detail=failure.detail,
            )
        from inspector.findings.reading.hub import RevisionNotFound

        return kind(
            repository=self.address.repository,
            endpoint=self.settings.endpoint,
            token=self.with_token,
            detail=failure.detail,
            bare=bare,
            type=None if self.address.repo_type == "model" else self.address.repo_type,
            revision=(self.address.revision or MAIN) if kind is RevisionNotFound else None,
        )

    def _not_understood(self, wanted: str, raw: bytes) -> Finding:
        """The finding on an answer with invalid content, such as a web page instead of the Hub's JSON."""
        from inspector.findings.reading.network import HubAnswerOdd

        return HubAnswerOdd(wanted=wanted, what=recognise(raw[:512], len(raw)), endpoint=self.settings.endpoint)


def _kind(failure: RequestFailure, with_token: bool) -> type[OfRepository] | None:
    """The kind of a refusal; None if it does not concern the repository."""
    from inspector.findings.reading import hub

    said = failure.headers.get("x-error-message", "").strip().lower().rstrip(".")
    if said == _BAD_TOKEN:
        return hub.TokenRefused
    named = {
        "GatedRepoError": hub.RepositoryGated,
        "DisabledRepoError": hub.RepositoryDisabled,
        "RevisionNotFoundError": hub.RevisionNotFound,
    }
    if failure.error in named:
        return named[failure.error]
    if failure.status == 401:
        return hub.TokenRefused if with_token else hub.RepositoryPrivate
    if failure.status == 403:
        return hub.RepositoryDisabled if "disabled" in said else hub.RepositoryPrivate
    json = failure.headers.get("content-type", "").startswith("application/json") or not failure.body
    if failure.status == 404 and (json or failure.error == "RepositoryNotFoundError"):
        return hub.RepositoryNotFound
    return None


def _next(answer: Answer, url: str) -> str | None:
    """The address of the next page."""
    found = _NEXT_PAGE.search(answer.headers.get("link", ""))
    return None if found is None else target_of(url, found[1])


def _json(raw: bytes) -> Any:
    if not has_room(estimated_bytes(raw)):
        return None
    try:
        return json.loads(raw)
    except (ValueError, RecursionError, MemoryError):
        return None


def _file(one: object) -> tuple[str, RepositoryFile] | None:
    """Path and record of a file of the tree, if the path is safe; None for anything else."""
    if not isinstance(one, dict) or one.get("type") != "file":
        return None
    path, size = one.get("path"), one.get("size")
    if not isinstance(path, str) or not _is_size(size) or len(path) > 1_000 or not path.isprintable():
        return None
    if any(part in ("", ".", "..") or "\\" in part for part in path.split("/")):
        return None
    large, oid = one.get("lfs"), one.get("oid")
    if not isinstance(large, dict):
        return path, RepositoryFile(size, None, oid if isinstance(oid, str) and is_commit(oid) else None)
    sha256 = large.get("oid")
    real = large.get("size")
    return path, RepositoryFile(
        real if _is_size(real) else size, sha256 if isinstance(sha256, str) and len(sha256) == 64 else None
    )


def _is_size(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < 2**63
