"""Findings on repositories in the local cache, and on paths inside a repository."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, listed


class NotCached(Finding, frozen=True, kw_only=True):
    """The repository is not in the local cache.

    What it means
        Only the local cache may be read, because of --cached or HF_HUB_OFFLINE, and it does not contain this
        repository or this revision.

    Why it matters
        No connection was made, so nothing was checked.

    Example
        error[R030] not-cached: org/name is not in the local cache
          cache    ~/.cache/huggingface/hub
          offline  HF_HUB_OFFLINE is set: no connection was made
          help     unset HF_HUB_OFFLINE, or download the repository first

    What to do
        Download the repository with `hf download`, choose a cached revision, or unset HF_HUB_OFFLINE.
    """

    code = "R030"

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
            rows.append(("missing", f"snapshot {self.promised}, which refs/ points to"))
        if self.known:
            rows.append(("cached", listed(self.there) or "no revision"))
        if self.offline:
            rows.append(("offline", "HF_HUB_OFFLINE is set: no connection was made"))
        return rows

    def remedy(self) -> Remedy:
        if self.offline:
            return Remedy("unset HF_HUB_OFFLINE, or download the repository first")
        return Remedy("omit --local-files-only (--cached) to read it from the Hub, or download it first")


class ReadFromCache(Finding, frozen=True, kw_only=True):
    """The checkpoint was read from the local cache.

    What it means
        The files were downloaded some time ago. The repository may have changed since then.

    Why it matters
        The verdict applies to this commit, and to the files of it that were downloaded.

    Example
        note[R031] read-from-cache: org/name read from the local cache, commit
          0e9e39f249a16976918f6564b8830bc894c89659
          revision  what main was at the last download
          help      omit --cached to read the Hub

    What to do
        Nothing, if you meant to audit the local copy.
    """

    code = "R031"
    severity = "note"

    repository: str
    revision: str
    commit: str
    offline: bool
    unfinished: int

    def headline(self) -> str:
        offline = " (HF_HUB_OFFLINE is set)" if self.offline else ""
        return f"{self.repository} read from the local cache, commit {self.commit}{offline}"

    def rows(self) -> Rows:
        named = self.revision != self.commit
        rows = [("revision", f"what {self.revision} was at the last download")] if named else []
        if self.unfinished:
            rows.append(("unfinished", f"{count(self.unfinished, 'download')} of this repository not finished"))
        if self.offline:
            rows.append(("offline", "no connection was made"))
        return rows

    def remedy(self) -> Remedy:
        return Remedy("unset HF_HUB_OFFLINE to read the Hub" if self.offline else "omit --cached to read the Hub")


class InsideNotFound(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """The repository does not contain this folder or file.

    What it means
        The repository was read at this commit, and the requested path does not exist in it.

    Why it matters
        No file was read, so nothing was checked.

    Example
        error[R032] inside-not-found: org/name has no unet
          commit  0e9e39f249a16976918f6564b8830bc894c89659
          help    check the folder name (case-sensitive)

    What to do
        Look at the list of files on the repository's page.
    """

    code = "R032"

    repository: str
    inside: str
    commit: str
    cache: str | None = None

    headline_text = "{repository} has no {inside}"
    row_texts = (("commit", "{commit}"),)
    remedy_text = "check the folder name (case-sensitive)"
