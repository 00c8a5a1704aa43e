"""Parses the name of a source: a local path, a Hub repository, or another address. Pure.

An existing path always takes precedence. Other forms of a repository: `org/name`, `org/name@revision`,
`hf://org/name@revision/sub/folder` (which never means a path), and the address of a page, folder or file that was
copied from a browser.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypedDict
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from inspector.loader.sources.source import WEIGHT_ENDINGS

RepoType = Literal["model", "dataset", "space"]
REPO_TYPES: Final[tuple[RepoType, ...]] = ("model", "dataset", "space")
MAIN: Final = "main"
"""The default revision."""


class Where(TypedDict, total=False):
    """Options that the name of a source leaves open: revision, folder and kind of a repository, or to use only the
    cache.
    """

    revision: str | None
    subfolder: str | None
    repo_type: str | None
    cached: bool


_PREFIXES: Final[dict[str, RepoType]] = {"models": "model", "datasets": "dataset", "spaces": "space"}
_NOT_READ: Final = frozenset({"buckets", "kernels"})
_PART: Final = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,94}[A-Za-z0-9_-])?"
_NAME: Final = re.compile(_PART)
_REPOSITORY: Final = re.compile(rf"({_PART}/{_PART})(?:@(.+))?", re.DOTALL)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:::[A-Za-z][A-Za-z0-9+.-]*)*://", re.ASCII)
"""The scheme of an address; a single letter is a drive of Windows."""
_ARCHIVE: Final = re.compile(r"zip://((?:(?!::).)+?\.zip)(?:/((?:(?!::).)*))?", re.DOTALL)
"""A local archive and the folder inside, which fsspec writes as `zip://FOLDER::PATH`."""
_WHOLE_REFERENCE: Final = re.compile(r"refs/(?:convert/[\w.-]+|pr/\d+)", re.ASCII)
_VIEWS: Final = frozenset({"tree", "blob", "resolve", "raw", "blame"})
_PUBLIC_HOSTS: Final = frozenset({"huggingface.co", "www.huggingface.co", "hf.co"})
_FILE_ENDINGS: Final = (*WEIGHT_ENDINGS, ".json")
_REVISION_LIMIT: Final = 250


class Address(Struct, frozen=True):
    """A parsed source.

    kind: "path" (local), "hub" (a repository) or "url" (anything fsspec supports). repository and
    revision are those of the Hub; revision None is the main branch. inside: folder or file within
    the repository, "" for its root; only the tree of the repository shows which of the two it is.
    """

    kind: Literal["path", "hub", "url"]
    given: str
    repository: str = ""
    revision: str | None = None
    inside: str = ""
    repo_type: RepoType = "model"

    @property
    def text(self) -> str:
        """The address in its shortest form: `org/name@revision/sub/folder` for a repository."""
        if self.kind != "hub":
            return self.given
        kind = "" if self.repo_type == "model" else f"{self.repo_type}s/"
        revision = "" if self.revision is None else f"@{self.revision}"
        return f"{kind}{self.repository}{revision}" + (f"/{self.inside}" if self.inside else "")


class InvalidAddress(Struct, frozen=True):
    """The argument could not be parsed. problem: completes the sentence that `given` begins."""

    given: str
    problem: str


def address_of(given: str, *, exists: bool, hosts: frozenset[str] = _PUBLIC_HOSTS) -> Address | InvalidAddress:
    """The source that `given` names. exists: whether it is a local path; hosts: those of Hub pages."""
    if given.startswith("hf://"):
        return _hub(given, given[5:])
    if exists or not given or "\0" in given:
        return Address("path", given)
    if archive := _ARCHIVE.fullmatch(given):
        return Address("url", f"zip://{archive[2] or ''}::{archive[1]}")
    if _SCHEME.match(given):
        return _url(given, hosts)
    if given.startswith(("/", "./", "../", "~")) or given.endswith(_FILE_ENDINGS) or given.count("\\"):
        return Address("path", given)
    found = _REPOSITORY.fullmatch(given)
    if found is None:
        return Address("path", given)
    if found[2] is not None and (problem := _bad_revision(found[2])):
        return InvalidAddress(given, problem)
    return Address("hub", given, found[1], found[2])


def with_options(
    address: Address, revision: str | None, subfolder: str | None, repo_type: str | None
) -> Address | InvalidAddress:
    """The address with options applied; InvalidAddress if an option contradicts the address."""
    if address.kind != "hub":
        if revision is not None:
            return InvalidAddress(address.given, "has no revisions: it is not a Hub repository")
        return address
    if revision is not None:
        if address.revision not in (None, revision):
            return InvalidAddress(address.given, f"already has a revision, --revision gives another: {revision}")
        if problem := _bad_revision(revision):
            return InvalidAddress(revision, problem)
        address = replace(address, revision=revision)
    if repo_type is not None:
        known = [one for one in REPO_TYPES if one == repo_type]
        if not known:
            return InvalidAddress(repo_type, f"is not a repository type: use {', '.join(REPO_TYPES)}")
        address = replace(address, repo_type=known[0])
    if subfolder is not None and subfolder.strip("/"):
        inside = "/".join(part for part in (address.inside, subfolder.strip("/")) if part)
        if problem := _bad_path(inside):
            return InvalidAddress(subfolder, problem)
        address = replace(address, inside=inside)
    return address


def repository_named(name: str, revision: str | None) -> Address | InvalidAddress:
    """The model repository that a file names: `org/name`, or a lone `name`, and nothing else.

    A name from a file is never used as a local path, an address elsewhere or a folder of a repository.
    """
    return _checked(name, name, revision, "", "model")


def below(text: str, commit: str, folder: str) -> str:
    """The `hf://` address of a folder at a commit, below an address in its shortest form."""
    found = _hub(text, text)
    assert isinstance(found, Address), text
    inside = "/".join(part for part in (found.inside, folder) if part)
    return f"hf://{replace(found, revision=commit, inside=inside).text}"


def shown(given: str) -> str:
    """A printable form of a source: a web address without possible secrets (user and query)."""
    if "://" not in given or given.startswith("hf://"):
        return given
    try:
        split = urlsplit(given)
    except ValueError:
        return given.partition("://")[0] + "://…"
    host = split.netloc.rpartition("@")[2]
    return f"{split.scheme}://{host}{split.path}"


def is_commit(revision: str) -> bool:
    """True if a revision is the full name of a commit."""
    return re.fullmatch(r"[0-9a-f]{40}", revision) is not None


def _hub(given: str, rest: str) -> Address | InvalidAddress:
    """`[type/]org/name[@revision][/inside]`, or a single `name` for the oldest repositories."""
    parts = rest.strip("/").split("/")
    repo_type: RepoType = "model"
    if len(parts) > 1 and parts[0] in _PREFIXES:
        repo_type = _PREFIXES[parts.pop(0)]
    if len(parts) > 1 and parts[0] in _NOT_READ:
        return InvalidAddress(given, f"is one of the Hub's {parts[0]}, which are not supported")
    name, _, revision = "/".join(parts).partition("@")
    if "/" in name and name.count("/") > 1:  # no revision: the third part begins the folder
        pieces = name.split("/")
        name, inside = "/".join(pieces[:2]), "/".join(pieces[2:])
        if revision:
            inside, revision = f"{inside}@{revision}", ""
        return _checked(given, name, None, inside, repo_type)
    whole = _WHOLE_REFERENCE.match(revision)
    if whole is not None:
        revision, inside = whole[0], revision[whole.end() :].strip("/")
    else:
        revision, _, inside = revision.partition("/")
        revision = unquote(revision)
    if "@" in rest and not revision:
        return InvalidAddress(given, "has an empty revision")
    return _checked(given, name, revision or None, inside, repo_type)


def _url(given: str, hosts: frozenset[str]) -> Address | InvalidAddress:
    try:
        split = urlsplit(given)
        host = split.netloc.rpartition("@")[2].lower()
    except ValueError:
        return InvalidAddress(given, "is not an address")
    if split.scheme in ("http", "https") and "@" in split.netloc:
        return InvalidAddress(
            f"{split.scheme}://…@{host}", "contains a user name: credentials in addresses are not supported"
        )
    if split.scheme not in ("http", "https") or (host not in hosts and host not in _PUBLIC_HOSTS):
        return Address("url", given)
    parts = [unquote(part) for part in split.path.strip("/").split("/")]
    repo_type: RepoType = "model"
    if parts[0] in _PREFIXES:
        repo_type = _PREFIXES[parts.pop(0)]
    if len(parts) < 2 and not (len(parts) == 1 and parts[0]):
        return InvalidAddress(given, "is a Hub page, but not a repository's")
    view = next((at for at in (2, 1) if len(parts) > at and parts[at] in _VIEWS), None)
    if view is None:
        if len(parts) > 2:
            return InvalidAddress(given, "is a Hub page without a folder or file")
        return _checked(given, "/".join(parts), None, "", repo_type)
    behind = parts[view + 1 :]
    whole = _WHOLE_REFERENCE.match("/".join(behind))
    length = whole[0].count("/") + 1 if whole is not None else 1
    revision = "/".join(behind[:length])
    if not revision:
        return InvalidAddress(given, "names no revision")
    return _checked(given, "/".join(parts[:view]), revision, "/".join(behind[length:]), repo_type)


def _checked(given: str, name: str, revision: str | None, inside: str, repo_type: RepoType) -> Address | InvalidAddress:
    if not all(_NAME.fullmatch(part) for part in name.split("/")) or ".." in name or "--" in name:
        return InvalidAddress(given, "is not a repository name: use org/name")
    if revision is not None and (problem := _bad_revision(revision)):
        return InvalidAddress(given, problem)
    inside = inside.strip("/")
    if problem := _bad_path(inside):
        return InvalidAddress(given, problem)
    return Address("hub", given, name, revision, inside, repo_type)


def _bad_revision(revision: str) -> str:
    odd = not revision.isprintable() or any(mark in revision for mark in " ~^:?*[\\") or ".." in revision
    if odd or not revision or len(revision) > _REVISION_LIMIT or revision.startswith(("-", "/")):
        return "has a revision that git does not allow"
    return ""


def _bad_path(inside: str) -> str:
    parts = inside.split("/") if inside else []
    odd = any(part in ("", ".", "..") or not part.isprintable() or "\\" in part for part in parts)
    return "has a folder name that is not allowed" if odd or len(inside) > 1000 else ""
