"""A repository of the Hub could not be read."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows


class OfRepository(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """An answer of the Hub about a repository.

    token: whether one was sent. bare: whether the address could have been a path. type: where it is no model.
    revision: where it does not exist.
    """

    repository: str
    endpoint: str
    token: bool
    detail: str
    bare: bool
    type: str | None = None
    revision: str | None = None


class AddressNotUnderstood(Finding, frozen=True, kw_only=True):
    """The text that names the source is none that could be read.

    What it means
        It looks like a repository, a page of the Hub or another address, and has a mistake in it: a
        revision that git cannot have, a page that shows no files, an endpoint in HF_ENDPOINT without
        `https://`.

    Why it matters
        Nothing was asked of anybody, since it is not clear what is meant.

    Example
        error[R020] address-not-understood: huggingface.local is the endpoint by HF_ENDPOINT, and no web address such as https://huggingface.co
          help  write a path, org/name, org/name@revision or hf://org/name@revision/folder

    What to do
        Write a path, `org/name`, `org/name@revision`, `hf://org/name@revision/folder`, or copy the address
        of the repository's page.
    """  # noqa: E501

    code = "R020"
    name = "address-not-understood"

    given: str
    problem: str

    def headline(self) -> str:
        return f"{self.given or 'an empty text'} {self.problem}"

    def remedy(self) -> Remedy:
        return Remedy("write a path, org/name, org/name@revision or hf://org/name@revision/folder")


class RepositoryNotFound(OfRepository, frozen=True, kw_only=True):
    """The Hub has no repository of this name.

    What it means
        The server knows no such repository. With a token this is also its answer about a private one that
        the token's owner may not see.

    Why it matters
        Nothing could be read, so nothing is said about the checkpoint.

    Example
        error[R021] repository-not-found: org/nmae is not on https://huggingface.co
          because  huggingface.co answers 404: Repository not found; it could be private and not open to your token
          path     nor is there a file or folder of this name here
          help     check the spelling of organisation and name

    What to do
        Check the spelling of organisation and name, and --repo-type for data sets and spaces. For a path of
        this machine, check that the folder exists.
    """

    code = "R021"
    name = "repository-not-found"

    def headline(self) -> str:
        return f"{self.repository} is not on {self.endpoint}"

    def rows(self) -> Rows:
        private = "; it could be private and not open to your token" if self.token else ""
        rows = [("because", f"{self.detail}{private}")]
        return [*rows, ("path", "nor is there a file or folder of this name here")] if self.bare else rows

    def remedy(self) -> Remedy:
        return Remedy("check the spelling of organisation and name")


class RepositoryPrivate(OfRepository, frozen=True, kw_only=True):
    """The repository is private, or does not exist.

    What it means
        The server does not say which of the two: to somebody who has not logged in, it gives the same
        answer for both. A token without the right to read the repository leads here too.

    Why it matters
        Nothing could be read, so nothing is said about the checkpoint.

    Example
        error[R022] repository-private: org/secret is private, or does not exist
          because  huggingface.co answers 401: Repository not found
          token    none was sent
          help     run `hf auth login` or set HF_TOKEN; or check the spelling of the name

    What to do
        Log in with `hf auth login` or set HF_TOKEN to a token that may read the repository; if it is not
        yours, check the spelling of its name.
    """

    code = "R022"
    name = "repository-private"

    def headline(self) -> str:
        return f"{self.repository} is private, or does not exist"

    def rows(self) -> Rows:
        token = "a token was sent, and may not read it" if self.token else "none was sent"
        return [("because", self.detail), ("token", token)]

    def remedy(self) -> Remedy:
        if self.token:
            return Remedy("set HF_TOKEN to a token that may read this repository")
        return Remedy("run `hf auth login` or set HF_TOKEN; or check the spelling of the name")


class RepositoryGated(OfRepository, frozen=True, kw_only=True):
    """The repository is open only to those who accepted its terms.

    What it means
        Its owner asks for a name and for agreement before the files may be read. Its description is public,
        so that it was found.

    Why it matters
        The files could not be read, so nothing is said about the checkpoint.

    Example
        error[R023] repository-gated: org/gated is gated: its terms have to be accepted first
          because  huggingface.co answers 401: Access to model org/gated is restricted.
          help     accept the terms at https://huggingface.co/org/gated, then run `hf auth login` or set HF_TOKEN

    What to do
        Open the page of the repository, log in, accept its terms, and wait for the owner's approval where
        that is asked for; then use a token of the same account.
    """

    code = "R023"
    name = "repository-gated"

    def headline(self) -> str:
        return f"{self.repository} is gated: its terms have to be accepted first"

    def rows(self) -> Rows:
        return [("because", self.detail)]

    def remedy(self) -> Remedy:
        after = "" if self.token else ", then run `hf auth login` or set HF_TOKEN"
        return Remedy(f"accept the terms at {self.endpoint}/{self.repository}{after}")


class RepositoryDisabled(OfRepository, frozen=True, kw_only=True):
    """The repository was closed by the Hub.

    What it means
        Those who run the Hub have shut the repository, mostly for its content. Nobody can read it, with or
        without a token.

    Why it matters
        Nothing could be read, so nothing is said about the checkpoint.

    Example
        error[R024] repository-disabled: org/closed was disabled by the Hub
          because  huggingface.co answers 403: Access to this resource is disabled.
          help     no token helps: look for another copy, or ask its owner

    What to do
        Nothing that you can do changes it; look for another copy, or ask the owner.
    """

    code = "R024"
    name = "repository-disabled"

    def headline(self) -> str:
        return f"{self.repository} was disabled by the Hub"

    def rows(self) -> Rows:
        return [("because", self.detail)]

    def remedy(self) -> Remedy:
        return Remedy("no token helps: look for another copy, or ask its owner")


class RepositoryRenamed(Finding, frozen=True, kw_only=True):
    """The repository has another name now.

    What it means
        The Hub redirects from the old name, which a new repository may take over one day.

    Why it matters
        What was read is the repository of the new name.

    Example
        note[R025] repository-renamed: old/name is called org/name now
          help  write org/name

    What to do
        Use the new name.
    """

    code = "R025"
    name = "repository-renamed"
    severity = "note"

    repository: str
    new: str

    def headline(self) -> str:
        return f"{self.repository} is called {self.new} now"

    def remedy(self) -> Remedy:
        return Remedy(f"write {self.new}")


class RevisionNotFound(OfRepository, frozen=True, kw_only=True):
    """The repository has no such branch, tag or commit.

    What it means
        The repository is there and may be read; the revision that was asked for is not in it.

    Why it matters
        Another revision is not audited in its place, since that would answer another question.

    Example
        error[R026] revision-not-found: org/name has no revision v2
          because  huggingface.co answers 404: Invalid rev id: v2
          help     see https://huggingface.co/org/name/tree/main for its branches and tags

    What to do
        Look at the branches and tags on the page of the repository, or leave the revision out for `main`.
    """

    code = "R026"
    name = "revision-not-found"

    def headline(self) -> str:
        return f"{self.repository} has no revision {self.revision}"

    def rows(self) -> Rows:
        return [("because", self.detail)]

    def remedy(self) -> Remedy:
        return Remedy(f"see {self.endpoint}/{self.repository}/tree/main for its branches and tags")


class TokenRefused(OfRepository, frozen=True, kw_only=True):
    """The Hub does not accept the token.

    What it means
        A token was sent, from HF_TOKEN or from the file that `hf auth login` writes, and the server says
        that it is none of its own: mistyped, expired, revoked, or made for another endpoint.

    Why it matters
        Even public repositories cannot be read with a token that is refused. No other token is tried in its
        place.

    Example
        error[R027] token-refused: the token is refused by https://huggingface.co
          because  huggingface.co answers 401: Invalid credentials in Authorization header
          help     set HF_TOKEN to a valid token or unset it; `hf auth login` stores a new one

    What to do
        Set HF_TOKEN to a valid token, or remove it; `hf auth whoami` tells whose a token is.
    """

    code = "R027"
    name = "token-refused"

    def headline(self) -> str:
        return f"the token is refused by {self.endpoint}"

    def rows(self) -> Rows:
        return [("because", self.detail)]

    def remedy(self) -> Remedy:
        return Remedy("set HF_TOKEN to a valid token or unset it; `hf auth login` stores a new one")
