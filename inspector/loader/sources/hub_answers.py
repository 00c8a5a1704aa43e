"""What the Hub's refusals mean: which of the few things that a person can do something about. Pure."""

from __future__ import annotations

from inspector.evidence import Evidence, Fact, Place
from inspector.loader.signature import recognise
from inspector.loader.sources.address import Address
from inspector.loader.sources.web import Failure

_BAD_TOKEN = "invalid credentials in authorization header"
_DISABLED = "access to this resource is disabled"


def evidence_of(failure: Failure, address: Address, endpoint: str, with_token: bool) -> Evidence:
    """The failure of the first requests about a repository as the one thing that it tells.

    A server that hides private repositories answers 401 for these and for absent ones alike, as long as
    nobody has logged in; with a token it answers 404 for both.
    """
    code = failure.headers.get("x-error-code", "").strip()
    told = failure.headers.get("x-error-message", "").strip().lower().rstrip(".")
    facts: dict[str, Fact] = {
        "repository": address.repository,
        "endpoint": endpoint,
        "token": with_token,
        "detail": failure.detail,
        "bare": "://" not in address.given,
    }
    if address.repo_type != "model":
        facts["type"] = address.repo_type
    if failure.status == 401 and with_token and (told == _BAD_TOKEN or code not in ("GatedRepo", "RepoNotFound")):
        return Evidence("token-refused", Place(), facts)
    if told == _BAD_TOKEN:
        return Evidence("token-refused", Place(), facts)
    if code == "GatedRepo" and failure.status in (401, 403):
        return Evidence("repository-gated", Place(), facts)
    if told == _DISABLED or (code == "" and failure.status == 403 and "disabled" in told):
        return Evidence("repository-disabled", Place(), facts)
    if code == "RevisionNotFound":
        return Evidence("revision-not-found", Place(), {**facts, "revision": address.revision or "main"})
    if failure.status == 401:
        return Evidence("repository-private" if not with_token else "token-refused", Place(), facts)
    if failure.status == 403:
        return Evidence("repository-private", Place(), facts)
    if failure.status == 404 and (code == "RepoNotFound" or _is_hub(failure)):
        return Evidence("repository-not-found", Place(), facts)
    return unreachable(failure, address, endpoint)


def unreachable(failure: Failure, address: Address, endpoint: str) -> Evidence:
    """A failure that says nothing about the repository: of the network, or of the server."""
    facts: dict[str, Fact] = {
        "repository": address.repository,
        "bare": "://" not in address.given,
        "kind": failure.kind,
        "status": failure.status,
        "host": failure.host,
        "endpoint": endpoint,
        "tries": failure.tries,
        "detail": failure.detail,
    }
    return Evidence("hub-unreachable", Place(), facts)


def not_understood(what: str, endpoint: str, raw: bytes) -> Evidence:
    """An answer with the right status and the wrong content: a web page instead of the Hub's JSON."""
    kind = recognise(raw[:512], len(raw))
    facts: dict[str, Fact] = {"wanted": what, "what": kind, "endpoint": endpoint}
    return Evidence("hub-answer-odd", Place(), facts)


def _is_hub(failure: Failure) -> bool:
    return failure.headers.get("content-type", "").startswith("application/json") or not failure.body
