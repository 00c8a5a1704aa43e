"""What the Hub's refusals mean: which of the few things that a person can do something about. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.findings.finding import Finding
from inspector.loader.signature import recognise
from inspector.loader.sources.address import Address
from inspector.loader.sources.web import Failure

if TYPE_CHECKING:
    from inspector.findings.reading.hub import OfRepository

_BAD_TOKEN = "invalid credentials in authorization header"
_DISABLED = "access to this resource is disabled"


def findings_of(failure: Failure, address: Address, endpoint: str, with_token: bool) -> Finding:
    """The failure of the first requests about a repository as the one thing that it tells.

    A server that hides private repositories answers 401 for these and for absent ones alike, as long as
    nobody has logged in; with a token it answers 404 for both.
    """
    code = failure.headers.get("x-error-code", "").strip()
    reported = failure.headers.get("x-error-message", "").strip().lower().rstrip(".")
    kind = _kind(failure, code, reported, with_token)
    if kind is None:
        return unreachable(failure, address, endpoint)
    from inspector.findings.reading.hub import RevisionNotFound

    return kind(
        repository=address.repository,
        endpoint=endpoint,
        token=with_token,
        detail=failure.detail,
        bare="://" not in address.given,
        type=None if address.repo_type == "model" else address.repo_type,
        revision=(address.revision or "main") if kind is RevisionNotFound else None,
    )


def _kind(failure: Failure, code: str, reported: str, with_token: bool) -> type[OfRepository] | None:
    """What a refusal is about; None where it says nothing about the repository."""
    from inspector.findings.reading import hub

    if failure.status == 401 and with_token and (reported == _BAD_TOKEN or code not in ("GatedRepo", "RepoNotFound")):
        return hub.TokenRefused
    if reported == _BAD_TOKEN:
        return hub.TokenRefused
    if code == "GatedRepo" and failure.status in (401, 403):
        return hub.RepositoryGated
    if reported == _DISABLED or (code == "" and failure.status == 403 and "disabled" in reported):
        return hub.RepositoryDisabled
    if code == "RevisionNotFound":
        return hub.RevisionNotFound
    if failure.status == 401:
        return hub.TokenRefused if with_token else hub.RepositoryPrivate
    if failure.status == 403:
        return hub.RepositoryPrivate
    if failure.status == 404 and (code == "RepoNotFound" or _is_hub(failure)):
        return hub.RepositoryNotFound
    return None


def unreachable(failure: Failure, address: Address, endpoint: str) -> Finding:
    """A failure that says nothing about the repository: of the network, or of the server."""
    from inspector.findings.reading.network import HubUnreachable

    return HubUnreachable(
        repository=address.repository,
        bare="://" not in address.given,
        kind=failure.kind,
        status=failure.status,
        host=failure.host,
        endpoint=endpoint,
        tries=failure.tries,
        detail=failure.detail,
    )


def not_understood(what: str, endpoint: str, raw: bytes) -> Finding:
    """An answer with the right status and the wrong content: a web page instead of the Hub's JSON."""
    kind = recognise(raw[:512], len(raw))
    from inspector.findings.reading.network import HubAnswerOdd

    return HubAnswerOdd(wanted=what, what=kind, endpoint=endpoint)


def _is_hub(failure: Failure) -> bool:
    return failure.headers.get("content-type", "").startswith("application/json") or not failure.body
