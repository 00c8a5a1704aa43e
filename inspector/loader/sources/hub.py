"""A repository of the Hub at one commit, read by its tree and by ranges.

The revision is resolved to a commit by the first request; all later ones name that commit. The tree says
what files there are and how long each is. Configs, the index and, where the Hub has it, the one answer
with all headers are asked for at once while the tree is on its way.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote, urljoin

from msgspec import Struct
from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.loader import strict_json
from inspector.loader.sources import hub_answers
from inspector.loader.sources.address import MAIN, Address, is_commit
from inspector.loader.sources.download import Download, download_of
from inspector.loader.sources.hub_settings import Settings
from inspector.loader.sources.many_headers import ManyHeaders
from inspector.loader.sources.one_answer import headers_of
from inspector.loader.sources.ranges import (
    Head,
    expected_by_config,
    expected_headers,
    refusal_of,
)
from inspector.loader.sources.repository_file import RepositoryFile
from inspector.loader.sources.routes import Routes
from inspector.loader.sources.source import Listing, Opening, Refusal, is_plain_name
from inspector.loader.sources.traffic import Meter, Progress, Traffic
from inspector.loader.sources.web import Answer, Failure, Limits, Stopped, Wanted, Web, origin_of
from inspector.loader.weight_sets import SAFETENSORS, group

AT_ONCE: Final = 64
"""Files whose headers are asked for at the same time."""
ROUTES_LIMIT: Final = 1_000
"""Files whose redirects are taken before the tree is there."""
DESCRIPTION_LIMIT: Final = 32_000_000
TREE_LIMIT: Final = 64_000_000
PAGES_LIMIT: Final = 200
ENTRIES_LIMIT: Final = 200_000
HEADERS_LIMIT: Final = 400_000_000
"""Bytes of the one answer that holds all headers."""
_CONFIGS: Final = ("config.json", "params.json", "adapter_config.json", "model_index.json")
_READ_AHEAD: Final = 64_000_000
_T = TypeVar("_T")


class Entry(Struct, frozen=True):
    """A file of the tree. hash: SHA-256 of its content, known of large files only; oid: git's name of small ones."""

    path: str
    size: int
    hash: str | None = None
    oid: str | None = None


class Later(Generic[_T]):
    """The result of a function that runs in a thread of its own; nobody has to wait for its end."""

    def __init__(self, run: Callable[[], _T]) -> None:
        self._done = threading.Event()
        self._value: list[_T] = []
        self._problem: BaseException | None = None
        threading.Thread(target=self._run, args=(run,), daemon=True).start()

    def _run(self, run: Callable[[], _T]) -> None:
        try:
            self._value.append(run())
        except BaseException as problem:
            self._problem = problem
        self._done.set()

    def value(self) -> _T:
        """Waits for the result; what the function raised is raised here."""
        while not self._done.wait(1.0):
            pass
        if self._problem is not None:
            raise self._problem
        return self._value[0]


class _Description(Struct, frozen=True):
    repository: str
    commit: str
    names: tuple[str, ...]
    gated: bool


class HubSource:
    """The files of one folder of a repository at one commit. Made by `open_repository`."""

    def __init__(
        self,
        address: Address,
        settings: Settings,
        web: Web,
        description: _Description,
        progress: Progress | None,
        chosen: bool = False,
    ) -> None:
        self.address = replace(address, repository=description.repository)
        self.commit = description.commit
        self.notes: list[Finding] = []
        """What is to be reported of the repository as such: that it was renamed."""
        self.only: str | None = None
        """The one file that the address names, where it is none of a folder."""
        self._settings, self._web, self._progress = settings, web, progress
        self._named, self._gated = description.names, description.gated
        self._entries: dict[str, Entry] = {}
        self._complete = True
        self._folder = address.inside
        self._early: dict[str, Later[Answer | Failure]] = {}
        self._expected: dict[str, int] = {}
        self._config: bytes = b""
        self._all_headers: Later[Answer | Failure] | None = None
        self._routes: Routes | None = None
        self._chosen = chosen

    @property
    def title(self) -> str:
        """Repository and folder."""
        return f"{self.address.repository}/{self._folder}" if self._folder else self.address.repository

    @property
    def origin(self) -> tuple[str, str] | None:
        """The repository and the commit that is read."""
        return self.address.repository, self.commit

    @property
    def traffic(self) -> Traffic:
        """What was read so far."""
        return self._web.meter.traffic()

    @property
    def hashes(self) -> Mapping[str, str]:
        """SHA-256 of the large files of the folder, as the Hub states them."""
        return {name: one.hash for name, one in self._here() if one.hash is not None}

    @property
    def tree(self) -> Mapping[str, RepositoryFile]:
        """Every file at and below the folder, by its path from there; {} where the list is not complete."""
        if not self._complete:
            return {}
        prefix = f"{self._folder}/" if self._folder else ""
        return {
            path[len(prefix) :]: RepositoryFile(one.size, one.hash, one.oid)
            for path, one in self._entries.items()
            if path.startswith(prefix)
        }

    def close(self) -> None:
        """Ends the reading; nothing waits for what is still on its way."""
        self._web.close()

    def within(self, folder: str) -> HubSource:
        """Another folder of the same repository at the same commit, with nothing asked for ahead."""
        other = copy(self)
        other._folder = "/".join(part for part in (self._folder, folder) if part)
        other._early, other._expected, other._config = {}, {}, b""
        other._all_headers = other._routes = other.only = None
        return other

    def download(self, audited: Iterable[str]) -> Download:
        """What fetching the repository brings, if these files of the folder are its weights."""
        sizes = {one.path: one.size for one in self._entries.values()}
        prefix = f"{self._folder}/" if self._folder else ""
        wanted = frozenset(prefix + name for name in audited)
        return download_of(sizes, wanted, self.address, self.commit)

    def listing(self) -> Listing:
        """The files directly in the folder, and the folders within it."""
        prefix = len(self._folder) + 1 if self._folder else 0
        files: dict[str, int] = {}
        others: dict[str, str] = {}
        for path, entry in self._entries.items():
            if prefix and not path.startswith(f"{self._folder}/"):
                continue
            name, _, below = path[prefix:].partition("/")
            if below:
                others[name] = "directory"
            else:
                files[name] = entry.size
        return Listing(dict(sorted(files.items())), others, self._complete)

    def read_whole(self, name: str, limit: int) -> bytes | Refusal:
        """A small file, whole."""
        entry = self._entry(name)
        if entry is None:
            return Refusal("absent", "there is no such file at this commit")
        if entry.size > limit:
            return Refusal("too-large", f"{entry.size:,} bytes, the limit is {limit:,}", entry.size)
        early = self._early.pop(name, None)
        if early is None:
            self._web.extend(entry.size)
            answer = self._web.get(Wanted(self._url(name), limit))
        else:
            answer = early.value()
        if isinstance(answer, Failure):
            return refusal_of(answer)
        if len(answer.body) < entry.size:
            answer = self._web.get(Wanted(self._url(name), limit))
            if isinstance(answer, Failure):
                return refusal_of(answer)
            if len(answer.body) < entry.size and answer.headers.get("content-type", "").find("html") < 0:
                detail = f"{len(answer.body):,} of {entry.size:,} bytes came"
                return Refusal("incomplete", detail, entry.size)
        if name == "config.json":
            self._config = answer.body
        self._report(0, 0)
        return answer.body

    def expect(self, weight_map: Mapping[str, str]) -> None:
        """Sizes the first ranges by what an index promises in each file."""
        sizes = {name: entry.size for name, entry in self._here()}
        self._expected = expected_headers(weight_map, sizes)

    def read_headers(self, names: Iterable[str]) -> Iterator[tuple[str, Opening | Refusal]]:
        """The headers in the order asked for: by the one answer that has them all, else by ranges."""
        wanted = list(names)
        if not wanted:
            return
        given = self._given_headers(wanted)
        rest = [name for name in wanted if name not in given]
        by_ranges = self._by_ranges(rest, len(wanted))
        for name in wanted:
            if name in given:
                yield name, given[name]
            else:
                yield name, next(by_ranges)
        next(by_ranges, None)  # ends of itself: one that is thrown away ends all reading

    def read_part(self, name: str, offset: int, length: int) -> bytes | Refusal:
        """Bytes from within a file."""
        entry = self._entry(name)
        if entry is None:
            return Refusal("absent", "there is no such file at this commit")
        length = min(length, entry.size - offset)
        if length <= 0:
            return b""
        answer = self._web.get(Wanted(self._url(name), length, offset, offset + length - 1, exact=False))
        if isinstance(answer, Failure):
            return refusal_of(answer)
        if answer.status != 206 and offset:
            return Refusal("malformed", "the server knows no ranges")
        return answer.body

    def _by_ranges(self, names: list[str], total: int) -> Iterator[Opening | Refusal]:
        """Openings in the order of the names."""
        if not names:
            return
        before = total - len(names)
        heads = self._heads(names, self._likely(names))
        reading = ManyHeaders(self._web, heads, AT_ONCE, self._routes, lambda done: self._report(before + done, total))
        try:
            for position, name in enumerate(names, before + 1):
                yield _numbered(reading.take(name), position, total)
        except BaseException:
            self.close()
            raise

    def _likely(self, names: list[str]) -> dict[str, int]:
        """File -> bytes of its header, by the index or else by the config."""
        if self._expected or not self._config:
            return self._expected
        config = strict_json.decode_config(self._config)
        sizes = {name: entry.size for name in names if (entry := self._entry(name)) is not None}
        return expected_by_config(config, sizes) if isinstance(config, dict) else {}

    def _heads(self, names: Iterable[str], expected: Mapping[str, int]) -> list[Head]:
        heads = []
        for name in names:
            entry = self._entry(name)
            heads.append(Head(name, self._url(name), None if entry is None else entry.size, expected.get(name)))
        return heads

    def _report(self, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress(done, total, self._web.meter.bytes)

    def _here(self) -> Iterator[tuple[str, Entry]]:
        prefix = f"{self._folder}/" if self._folder else ""
        for path, entry in self._entries.items():
            if path.startswith(prefix) and "/" not in path[len(prefix) :]:
                yield path[len(prefix) :], entry

    def _entry(self, name: str) -> Entry | None:
        if not is_plain_name(name):
            return None
        return self._entries.get(f"{self._folder}/{name}" if self._folder else name)

    def _url(self, name: str) -> str:
        """The address of a file at the commit."""
        kind = "" if self.address.repo_type == "model" else f"{self.address.repo_type}s/"
        path = quote(f"{self._folder}/{name}" if self._folder else name, safe="/")
        return f"{self._settings.endpoint}/{kind}{self.address.repository}/resolve/{self.commit}/{path}"

    # --- opening ---

    def begin(self) -> Finding | None:
        """Asks for the tree and, at the same time, for all that is sure to be read. What fails is returned."""
        tree = Later(self._tree)
        self._read_ahead()
        failed = tree.value()
        if failed is not None:
            return failed
        if self._folder and not any(path.startswith(f"{self._folder}/") for path in self._entries):
            if self._folder not in self._entries:
                from inspector.findings.reading.cache import InsideNotFound

                return InsideNotFound(repository=self.address.repository, inside=self._folder, commit=self.commit)
            self._folder, _, self.only = self._folder.rpartition("/")
            self._early.clear()
            self._all_headers = None
        return self._closed()

    def _closed(self) -> Finding | None:
        """Why no file may be read though the tree may: the terms of the repository, told once for all files."""
        early = next(iter(self._early.values()), None)
        if early is not None:
            answer = early.value()
        elif self._gated and (name := next((name for name, _ in self._here()), None)) is not None:
            answer = self._web.get(Wanted(self._url(name), 1, 0, 0, exact=False))
        else:
            return None
        if isinstance(answer, Failure) and answer.status in (401, 403):
            endpoint, token = self._settings.endpoint, self._settings.token is not None
            return hub_answers.findings_of(answer, self.address, endpoint, token)
        return None

    def _read_ahead(self) -> None:
        """Files that the description names already, before the tree is there."""
        prefix = f"{self._folder}/" if self._folder else ""
        there = {name[len(prefix) :] for name in self._named if name.startswith(prefix)}
        if self._folder in self._named:
            self._route([self._url("")[:-1]])
            return
        sets = group(dict.fromkeys((name for name in there if "/" not in name), 0))
        first = next((one for one in sets if one.kind == SAFETENSORS), None)
        index = None if first is None else first.index
        for name in _CONFIGS:
            if name in there and not (name == "params.json" and "config.json" in there):
                self._ahead(name)
        if index is not None:
            self._ahead(index)
        if first is not None and (index is None or not self._has_one_answer()):
            self._route([self._url(name) for name in first.files])
        elif index is not None:
            url = self._api(f"safetensors-metadata/{quote(prefix + index, safe='/')}")
            self._all_headers = Later(lambda: self._web.get(Wanted(url, HEADERS_LIMIT, tries=1)))

    def _has_one_answer(self) -> bool:
        return self.address.repo_type == "model" and self.address.revision in (None, MAIN)

    def _route(self, urls: list[str]) -> None:
        """Takes the redirects of files that are almost sure to be read."""
        if not self._gated and not self._chosen:
            self._routes = Routes(self._web, urls[:ROUTES_LIMIT], AT_ONCE)

    def _ahead(self, name: str) -> None:
        url = self._url(name)
        self._early[name] = Later(lambda: self._web.get(Wanted(url, _READ_AHEAD)))

    def _api(self, rest: str) -> str:
        return f"{self._settings.endpoint}/api/{self.address.repo_type}s/{self.address.repository}/{rest}"

    def _tree(self) -> Finding | None:
        url: str | None = self._api(f"tree/{self.commit}?recursive=true&expand=false")
        seen: set[str] = set()
        while url is not None:
            if url in seen or len(seen) >= PAGES_LIMIT or len(self._entries) > ENTRIES_LIMIT:
                self._complete = False
                return None
            seen.add(url)
            answer = self._web.get(Wanted(url, TREE_LIMIT))
            if isinstance(answer, Failure):
                return hub_answers.findings_of(
                    answer, self.address, self._settings.endpoint, self._settings.token is not None
                )
            page = _json(answer.body)
            if not isinstance(page, list):
                return hub_answers.not_understood("the list of its files", self._settings.endpoint, answer.body)
            for one in page:
                entry = _entry(one)
                if entry is not None:
                    self._entries[entry.path] = entry
            url = self._next(answer, url)
        return None

    def _next(self, answer: Answer, url: str) -> str | None:
        """The next page; a link to another origin is not followed, and the listing then is not complete."""
        link = answer.headers.get("link", "")
        for part in link.split(","):
            target, _, parameters = part.strip().partition(">")
            if target.startswith("<") and 'rel="next"' in parameters.replace("rel=next", 'rel="next"'):
                found = urljoin(url, target[1:])
                if origin_of(found) == self._settings.origin:
                    return found
                self._complete = False
        return None

    # --- the one answer with all headers ---

    def _given_headers(self, names: list[str]) -> dict[str, Opening]:
        """Headers out of the one answer, as far as tree and answer agree to the byte; {} on any trouble."""
        later, self._all_headers = self._all_headers, None
        if later is None:
            return {}
        answer = later.value()
        if isinstance(answer, Failure):
            return {}
        reported = answer.headers.get("x-repo-commit", "")
        if is_commit(reported) and reported != self.commit:
            return {}
        sizes = {name: entry.size for name in names if (entry := self._entry(name)) is not None}
        given = headers_of(answer.body, sizes, self._folder)
        if given and not is_commit(reported) and not self._still():
            return {}
        self._report(len(given), len(names))
        return given

    def _still(self) -> bool:
        """Whether the main branch is at this commit even now: the one answer names none."""
        answer = self._web.get(Wanted(self._api(f"revision/{MAIN}"), DESCRIPTION_LIMIT))
        described = None if isinstance(answer, Failure) else _json(answer.body)
        return isinstance(described, dict) and described.get("sha") == self.commit


def open_repository(
    address: Address,
    settings: Settings,
    progress: Progress | None = None,
    limits: Limits | None = None,
    *,
    chosen: bool = False,
) -> HubSource | Finding:
    """The repository at the commit that its revision stands for now, or why it cannot be read.

    chosen: the weights are not those that come first, so that nothing is asked of these ahead.
    """
    limits = limits or Limits(silence=settings.patience, head=settings.patience + 2)
    web = Web(settings.origin, settings.token, settings.agent, limits, Meter())
    try:
        description = _described(address, settings, web)
        if isinstance(description, Finding):
            web.close()
            return description
        source = HubSource(address, settings, web, description, progress, chosen)
        if description.repository != address.repository:
            from inspector.findings.reading.hub import RepositoryRenamed

            source.notes.append(RepositoryRenamed(repository=address.repository, new=description.repository))
        failed = source.begin()
    except Stopped:
        web.close()
        raise KeyboardInterrupt from None
    except BaseException:
        web.close()
        raise
    if failed is not None:
        web.close()
        return failed
    return source


def _described(address: Address, settings: Settings, web: Web) -> _Description | Finding:
    """The first request: which commit, and what the repository is called."""
    web.prepare(settings.origin, 8)
    base = f"{settings.endpoint}/api/{address.repo_type}s/{address.repository}"
    url = base if address.revision is None else f"{base}/revision/{quote(address.revision, safe='')}"
    answer = web.get(Wanted(url, DESCRIPTION_LIMIT))
    if isinstance(answer, Failure):
        return hub_answers.findings_of(answer, address, settings.endpoint, settings.token is not None)
    described = _json(answer.body)
    commit = described.get("sha") if isinstance(described, dict) else None
    if not isinstance(described, dict) or not isinstance(commit, str) or not is_commit(commit):
        return hub_answers.not_understood("the description of the repository", settings.endpoint, answer.body)
    name = described.get("id") or described.get("modelId")
    known = isinstance(name, str) and all(is_plain_name(part) for part in name.split("/")) and name.count("/") <= 1
    siblings = described.get("siblings")
    names = [one.get("rfilename") for one in siblings if isinstance(one, dict)] if isinstance(siblings, list) else []
    kept = tuple(one for one in names[:ENTRIES_LIMIT] if isinstance(one, str))
    return _Description(
        str(name) if known else address.repository, commit, kept, described.get("gated") not in (False, None)
    )


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError, MemoryError):
        return None


def _entry(one: object) -> Entry | None:
    """A file of the tree whose path is one that may be asked for; None for anything else."""
    if not isinstance(one, dict) or one.get("type") != "file":
        return None
    path, size = one.get("path"), one.get("size")
    if not isinstance(path, str) or type(size) is not int or not 0 <= size < 2**63 or len(path) > 1_000:
        return None
    if not path.isprintable() or any(part in ("", ".", "..") or "\\" in part for part in path.split("/")):
        return None
    large = one.get("lfs")
    if isinstance(large, dict):
        real, oid = large.get("size"), large.get("oid")
        size = real if type(real) is int and 0 <= real < 2**63 else size
        return Entry(path, size, oid if isinstance(oid, str) and len(oid) == 64 else None)
    oid = one.get("oid")
    return Entry(path, size, None, oid if isinstance(oid, str) and is_commit(oid) else None)


def _numbered(outcome: Opening | Refusal, number: int, total: int) -> Opening | Refusal:
    """A refusal that says which of how many files was not read."""
    if isinstance(outcome, Opening) or outcome.reason == "absent" or total == 1:
        return outcome
    return replace(outcome, detail=f"not read: shard {number} of {total}: {outcome.detail}")
