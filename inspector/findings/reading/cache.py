"""A repository in the cache of this machine, and paths inside a repository."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, listed


class NotCached(Finding, frozen=True, kw_only=True):
    """The repository is not in the cache of this machine.

    What it means
        Only the local cache may be read, by --cached or because HF_HUB_OFFLINE is set, and it has no such
        repository or not this revision of it.

    Why it matters
        No connection was made, so nothing is said about the checkpoint.

    Example
        error[R030] not-cached: org/name is not in the local cache
          cache    ~/.cache/huggingface/hub
          offline  HF_HUB_OFFLINE is set: no connection was made
          help     unset HF_HUB_OFFLINE, or fetch the repository before

    What to do
        Fetch the repository with `hf download`, name a revision that is there, or unset HF_HUB_OFFLINE.
    """

    code = "R030"
    name = "not-cached"

    repository: str
    revision: str | None
    cache: str
    there: tuple[str, ...]
    offline: bool
    known: bool
    promised: str | None

    def headline(self) -> str:
        revision = f" at revision {self.revision}" if self.revision else ""
        return f"{self.repository}{revision} is not in the local cache"

    def rows(self) -> Rows:
        rows = [("cache", self.cache)]
        if self.promised:
            rows.append(("missing", f"the folder of commit {self.promised}, which a reference of the cache names"))
        if self.known:
            rows.append(("there", listed(self.there) or "no revision at all"))
        if self.offline:
            rows.append(("offline", "HF_HUB_OFFLINE is set: no connection was made"))
        return rows

    def remedy(self) -> Remedy:
        if self.offline:
            return Remedy("unset HF_HUB_OFFLINE, or fetch the repository before")
        return Remedy("leave --cached out to read it from the Hub, or fetch it first")


class ReadFromCache(Finding, frozen=True, kw_only=True):
    """What was read is the copy in the cache of this machine.

    What it means
        The files are those that were fetched some time ago. The repository may have changed since then.

    Why it matters
        The verdict is about this commit, and about the files that were fetched of it.

    Example
        note[R031] read-from-cache: org/name as it is in the local cache, commit 0e9e39f249a16976918f6564b8830bc894c89659
          revision  what main was when it was last fetched
          help      leave --cached out to read the Hub

    What to do
        Nothing, if the local copy is what you wanted to know about.
    """  # noqa: E501

    code = "R031"
    name = "read-from-cache"
    severity = "note"

    repository: str
    revision: str
    commit: str
    offline: bool
    unfinished: int

    def headline(self) -> str:
        offline = " (HF_HUB_OFFLINE is set)" if self.offline else ""
        return f"{self.repository} as it is in the local cache, commit {self.commit}{offline}"

    def rows(self) -> Rows:
        named = self.revision != self.commit
        rows = [("revision", f"what {self.revision} was when it was last fetched")] if named else []
        if self.unfinished:
            rows.append(("unfinished", f"{count(self.unfinished, 'download')} into this repository did not end"))
        if self.offline:
            rows.append(("offline", "no connection was made"))
        return rows

    def remedy(self) -> Remedy:
        return Remedy("unset HF_HUB_OFFLINE to read the Hub" if self.offline else "leave --cached out to read the Hub")


class InsideNotFound(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """The repository has no such folder or file.

    What it means
        The repository was read at this commit, and nothing in it is at the path that was asked for.

    Why it matters
        Nothing could be read, so nothing is said about the checkpoint.

    Example
        error[R032] inside-not-found: org/name has no unet
          commit  0e9e39f249a16976918f6564b8830bc894c89659
          help    check the spelling of the folder; capitals count

    What to do
        Look at the files on the page of the repository.
    """

    code = "R032"
    name = "inside-not-found"

    repository: str
    inside: str
    commit: str
    cache: str | None = None

    def headline(self) -> str:
        return f"{self.repository} has no {self.inside}"

    def rows(self) -> Rows:
        return [("commit", self.commit)]

    def remedy(self) -> Remedy:
        return Remedy("check the spelling of the folder; capitals count")
