"""Findings on repositories that could not be read."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import listed


class OfRepository(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """An answer of the Hub about a repository.

    token: a token was sent. bare: the address may have been meant as a path. type: set for datasets and spaces.
    revision: set if it does not exist.
    """

    repository: str
    endpoint: str
    token: bool
    detail: str
    bare: bool
    type: str | None = None
    revision: str | None = None
    similar: tuple[str, ...] = ()
    """Local paths with similar spelling."""


_SETTINGS = ("HF_TOKEN_PATH", "SSL_CERT_FILE", "HTTPS_PROXY", "the proxy")
"""Beginnings of the names of settings that prevent all connections if they are wrong."""


class AddressNotUnderstood(Finding, frozen=True, kw_only=True):
    """The source could not be parsed as a path or address.

    What it means
        It looks like a repository, a Hub page or another address, but contains a mistake: a revision that git
        does not allow, a page that shows no files, or an endpoint in HF_ENDPOINT without `https://`.

    Why it matters
        No request was sent, since the intended source is unknown.

    Example
        error[R020] address-not-understood: huggingface.local in HF_ENDPOINT is not a
          web address such as https://huggingface.co
          help  write a path, org/name, org/name@revision or
                hf://org/name@revision/folder

    What to do
        Write a path, `org/name`, `org/name@revision`, `hf://org/name@revision/folder`, or paste the address of
        the repository's page.
    """

    code = "R020"

    given: str
    problem: str

    headline_text = "{given:or an empty string} {problem}"

    def remedy(self) -> Remedy:
        if self.given.startswith(_SETTINGS):
            return Remedy("correct this setting of the environment, or unset it")
        return Remedy("write a path, org/name, org/name@revision or hf://org/name@revision/folder")


class RepositoryNotFound(OfRepository, frozen=True, kw_only=True):
    """The repository does not exist on the Hub.

    What it means
        The server does not know this repository. With a token, the same answer is given for a private
        repository that the token cannot access.

    Why it matters
        No file was read, so nothing was checked.

    Example
        error[R021] repository-not-found: org/nmae is not on https://huggingface.co
          because  huggingface.co answers 404: Repository not found; it may be private,
                   without access for your token
          path     no local file or folder of this name either
          help     check the spelling of organization and name

    What to do
        Check the spelling of organization and name, and --repo-type for datasets and spaces. For a local path,
        check that the folder exists.
    """

    code = "R021"
    headline_text = "{repository} is not on {endpoint}"
    remedy_text = "check the spelling of organization and name"

    def rows(self) -> Rows:
        private = "; it may be private, without access for your token" if self.token else ""
        rows = [("because", f"{self.detail}{private}")]
        rows += [("path", "no local file or folder of this name either")] if self.bare else []
        return [*rows, ("similar", f"{listed(self.similar)}, a local path")] if self.similar else rows


class RepositoryPrivate(OfRepository, frozen=True, kw_only=True):
    """The repository is private or does not exist.

    What it means
        The server gives the same answer in both cases to a user without access. A token without read permission
        for the repository leads to it too.

    Why it matters
        No file was read, so nothing was checked.

    Example
        error[R022] repository-private: org/secret is private or does not exist
          because  huggingface.co answers 401: Repository not found
          token    none was sent
          help     run `hf auth login` or set HF_TOKEN, or check the name

    What to do
        Log in with `hf auth login` or set HF_TOKEN to a token that can read the repository. If it is not yours,
        check the spelling of its name.
    """

    code = "R022"
    headline_text = "{repository} is private or does not exist"

    def rows(self) -> Rows:
        token = "the token has no access" if self.token else "none was sent"
        rows: Rows = [("because", self.detail), ("token", token)]
        return [*rows, ("similar", f"{listed(self.similar)}, a local path")] if self.similar else rows

    def remedy(self) -> Remedy:
        if self.token:
            return Remedy("set HF_TOKEN to a token that can read this repository")
        return Remedy("run `hf auth login` or set HF_TOKEN, or check the name")


class RepositoryGated(OfRepository, frozen=True, kw_only=True):
    """The repository is gated.

    What it means
        Its owner requires users to accept terms before the files can be read. Only its description is public.

    Why it matters
        No file was read, so nothing was checked.

    Example
        error[R023] repository-gated: org/gated is gated: you must accept its terms
          first
          because  huggingface.co answers 401: Access to model org/gated is restricted.
          help     accept the terms at https://huggingface.co/org/gated, then run `hf
                   auth login` or set HF_TOKEN

    What to do
        Open the page of the repository, log in, accept its terms, and wait for approval if required; then use a
        token of the same account.
    """

    code = "R023"
    headline_text = "{repository} is gated: you must accept its terms first"
    row_texts = (("because", "{detail}"),)

    def remedy(self) -> Remedy:
        after = "" if self.token else ", then run `hf auth login` or set HF_TOKEN"
        return Remedy(f"accept the terms at {self.endpoint}/{self.repository}{after}")


class RepositoryDisabled(OfRepository, frozen=True, kw_only=True):
    """The repository was disabled by the Hub.

    What it means
        The Hub has closed the repository, usually because of its content. It cannot be read, with or without a
        token.

    Why it matters
        No file was read, so nothing was checked.

    Example
        error[R024] repository-disabled: org/closed was disabled by the Hub
          because  huggingface.co answers 403: Access to this resource is disabled.
          help     look for another copy, or ask its owner; a token does not help

    What to do
        Look for another copy, or ask the owner.
    """

    code = "R024"
    headline_text = "{repository} was disabled by the Hub"
    row_texts = (("because", "{detail}"),)
    remedy_text = "look for another copy, or ask its owner; a token does not help"


class RepositoryRenamed(Finding, frozen=True, kw_only=True):
    """The repository was renamed.

    What it means
        The Hub redirects from the old name, which another repository may take over later.

    Why it matters
        The repository of the new name was read.

    Example
        note[R025] repository-renamed: old/name was renamed to org/name
          help  use org/name

    What to do
        Use the new name.
    """

    code = "R025"
    severity = "note"

    repository: str
    new: str

    headline_text = "{repository} was renamed to {new}"
    remedy_text = "use {new}"


class RevisionNotFound(OfRepository, frozen=True, kw_only=True):
    """The repository does not contain this branch, tag or commit.

    What it means
        The repository exists and can be read, but not at the requested revision.

    Why it matters
        Nothing was checked; no other revision is audited instead.

    Example
        error[R026] revision-not-found: org/name has no revision v2
          because  huggingface.co answers 404: Invalid rev id: v2
          help     see https://huggingface.co/org/name/tree/main for branches and tags

    What to do
        Look at the branches and tags on the repository's page, or omit the revision to use `main`.
    """

    code = "R026"
    headline_text = "{repository} has no revision {revision}"
    row_texts = (("because", "{detail}"),)
    remedy_text = "see {endpoint}/{repository}/tree/main for branches and tags"


class TokenRefused(OfRepository, frozen=True, kw_only=True):
    """The Hub rejects the token.

    What it means
        A token from HF_TOKEN or `hf auth login` was sent, and the server rejected it: it is mistyped, expired,
        revoked, or made for another endpoint.

    Why it matters
        Even public repositories cannot be read with an invalid token. No other token is tried.

    Example
        error[R027] token-refused: https://huggingface.co rejects the token
          because  huggingface.co answers 401: Invalid credentials in Authorization
                   header
          help     set HF_TOKEN to a valid token or unset it; `hf auth login` stores a
                   new one

    What to do
        Set HF_TOKEN to a valid token, or unset it; `hf auth whoami` shows the account of a token.
    """

    code = "R027"
    headline_text = "{endpoint} rejects the token"
    row_texts = (("because", "{detail}"),)
    remedy_text = "set HF_TOKEN to a valid token or unset it; `hf auth login` stores a new one"
