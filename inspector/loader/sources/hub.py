"""Reads a repository of the Hub at one commit by its tree and by ranges.

The first request resolves the revision to a commit; all later ones name that commit. The tree states the files and
their sizes. Configs, the index and, if the Hub offers it, a single answer with all headers are requested in parallel
with the tree; without such an answer, so are the redirects of the weight files to their storage. If the revision is a
commit, the tree, config.json and the index are requested in parallel with the first request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from inspector.findings.finding import Finding
from inspector.loader.config_file import CONFIG_FILES
from inspector.loader.sources.address import MAIN, Address, is_commit
from inspector.loader.sources.download import Download, download_of
from inspector.loader.sources.hub_api import Api, Description
from inspector.loader.sources.hub_settings import HubSettings, request_headers
from inspector.loader.sources.one_answer import headers_of
from inspector.loader.sources.ranges import (
    HeaderRequest,
    expected_headers,
    likely_headers,
    read_header,
    refusal_of,
    whole_of,
)
from inspector.loader.sources.source import Listing, Opening, Refusal, RepositoryFile, is_plain_name
from inspector.loader.sources.tasks import Task
from inspector.loader.sources.traffic import Meter, Progress, Traffic
from inspector.loader.sources.web import Answer, Limits, Request, RequestFailure, Stopped, Web
from inspector.loader.weight_sets import SAFETENSORS, group

ROUTES_LIMIT: Final = 1_000
"""Most files with redirects that are requested before the required ranges are known."""
BEGINNING: Final = 16_384
"""Bytes that are requested with a redirect: a server that sends the file directly then sends its beginning."""
HEADERS_LIMIT: Final = 64_000_000
"""Largest answer with all headers, in bytes."""
_READ_AHEAD: Final = 64_000_000
_USUAL: Final = ("config.json", "model.safetensors.index.json")
"""Files that are requested before it is known whether the repository has them."""
Tree = tuple[dict[str, RepositoryFile], bool]


class Ahead(Struct, frozen=True, eq=False):
    """Requests made in addition to the description of a repository. files: address -> answer."""

    tree: Task[Tree | Finding] | None = None
    files: Mapping[str, Task[Answer | RequestFailure]] = {}


class HubSource:
    """The files of one folder of a repository at one commit. Created by `open_repository`."""

    def __init__(
        self,
        api: Api,
        description: Description,
        progress: Progress | None,
        chosen: bool = False,
        ahead: Ahead | None = None,
    ) -> None:
        self.address = replace(api.address, repository=description.repository)
        self.commit = description.commit
        self.notes: list[Finding] = []
        """Findings on the repository itself: that it was renamed."""
        self.only: str | None = None
        """The single file that the address names, "" for a folder."""
        self._web, self._progress, self._description = api.web, progress, description
        self._api = replace(api, address=self.address)
        self._files: dict[str, RepositoryFile] = {}
        self._complete = True
        self._folder = self.address.inside
        self._early: dict[str, Task[Answer | RequestFailure]] = {}
        self._expected: dict[str, int] = {}
        self._config: bytes = b""
        self._all_headers: Task[bytes] | None = None
        self._routes: dict[str, Task[Answer | RequestFailure]] = {}
        self._chosen = chosen
        same = api.address.revision == self.commit and api.address.repository == self.address.repository
        self._ahead = ahead if ahead is not None and same else Ahead()

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
        """The traffic so far."""
        return self._web.meter.traffic()

    @property
    def tree(self) -> Mapping[str, RepositoryFile]:
        """Every file in and below the folder, by relative path; {} if the list is incomplete."""
        return dict(self._below()) if self._complete else {}

    def close(self) -> None:
        """Ends the reading. Pending requests are abandoned."""
        self._web.close()

    def again(self) -> HubSource:
        """The same folder at the same commit, also after closing. No request is made until a file is read."""
        return self._at(self._folder)

    def inside(self, folder: str) -> HubSource | Refusal:
        """The folder of this name at the same commit, by the list of files already received."""
        if self.only is not None or not is_plain_name(folder) or self.listing().others.get(folder) != "directory":
            return _ABSENT
        source = self._at(self._path(folder))
        source._read_ahead()
        return source

    def _at(self, folder: str) -> HubSource:
        address = replace(self.address, revision=self.commit, inside=folder)
        web = Web(self._api.settings.origin, request_headers(), self._web.limits, Meter())
        api = replace(self._api, web=web, address=address)
        source = HubSource(api, self._description, self._progress)
        source._files, source._complete = self._files, self._complete
        return source

    def download(self, audited: Iterable[str]) -> Download:
        """The size of a download of the repository, if these files of the folder are its weights."""
        sizes = {path: file.size for path, file in self._files.items()}
        return download_of(sizes, map(self._path, audited), self.address, self.commit)

    def listing(self) -> Listing:
        """The files directly in the folder, and the folders within it."""
        files: dict[str, int] = {}
        others: dict[str, str] = {}
        for path, file in self._below():
            name, _, below = path.partition("/")
            if below:
                others[name] = "directory"
            else:
                files[name] = file.size
        return Listing(dict(sorted(files.items())), others, self._complete)

    def read_whole(self, name: str, limit: int) -> bytes | Refusal:
        """Reads a small file."""
        file = self._file(name)
        if file is None:
            return _ABSENT
        if file.size > limit:
            return Refusal("too-large", f"{file.size:,} bytes, the limit is {limit:,}", file.size)
        early = self._early.pop(name, None)
        if early is None:
            self._web.extend(file.size)
        answer = (early or self._whole(name, limit)).result()
        if isinstance(answer, Answer) and early is not None and len(answer.body) < file.size:
            answer = self._whole(name, limit).result()
        body = whole_of(answer, file.size)
        if name == "config.json" and isinstance(body, bytes):
            self._config = body
        self._report(0, 0)
        return body

    def expect(self, weight_map: Mapping[str, str]) -> None:
        """Sizes the first ranges by the tensors that an index lists for each file."""
        self._expected = expected_headers(weight_map, self.listing().files)

    def read_headers(self, names: Iterable[str]) -> Iterator[tuple[str, Opening | Refusal]]:
        """The headers in the order of the names: from the single answer with all headers, else by ranges."""
        wanted = list(names)
        given = self._given_headers(wanted)
        rest = [name for name in wanted if name not in given]
        tasks = dict(zip(rest, self._by_ranges(rest), strict=True))
        try:
            for number, name in enumerate(wanted, 1):
                if name in given:
                    yield name, given[name]
                    continue
                outcome = tasks.pop(name).result()
                self._report(number, len(wanted))
                yield name, _numbered(outcome, number, len(wanted))
        except BaseException:
            if tasks:
                self.close()
            raise

    def read_part(self, name: str, offset: int, length: int) -> bytes | Refusal:
        """Reads a range of a file."""
        file = self._file(name)
        if file is None:
            return _ABSENT
        length = min(length, file.size - offset)
        if length <= 0:
            return b""
        answer = self._web.ask(Request(self._url(name), length, offset, offset + length - 1, exact=False)).result()
        if isinstance(answer, RequestFailure):
            return refusal_of(answer)
        if answer.status != 206 and offset:
            return Refusal("malformed", "the server does not support ranges")
        return answer.body

    def _by_ranges(self, names: Sequence[str]) -> list[Task[Opening | Refusal]]:
        """The headers of files, as they arrive."""
        sizes = {name: file.size for name in names if (file := self._file(name)) is not None}
        expected = likely_headers(self._expected, self._config, sizes)
        self._web.extend(sum(expected.get(name, 0) for name in names))
        heads = [HeaderRequest(name, self._url(name), sizes.get(name), expected.get(name)) for name in names]
        return self._web.begin([partial(self._header, head) for head in heads], refusal_of)

    def _header(self, head: HeaderRequest) -> Opening | Refusal:
        route = self._routes.get(head.url)
        begun = None if route is None else route.result()
        if isinstance(begun, RequestFailure):
            if begun.status != 416:
                return refusal_of(begun)
            begun = None
        return read_header(self._web.get, replace(head, begun=begun))

    def _report(self, done: int, total: int) -> None:
        if self._progress is not None:
            self._progress(done, total, self._web.meter.bytes)

    def _below(self) -> Iterator[tuple[str, RepositoryFile]]:
        """(relative path, file) of everything in and below the folder."""
        prefix = self._path("")
        for path, file in self._files.items():
            if path.startswith(prefix):
                yield path[len(prefix) :], file

    def _file(self, name: str) -> RepositoryFile | None:
        return self._files.get(self._path(name)) if is_plain_name(name) else None

    def _path(self, name: str) -> str:
        """The path in the repository of a name in the folder."""
        return f"{self._folder}/{name}" if self._folder else name

    def _url(self, name: str) -> str:
        """The address of a file at the commit."""
        return self._url_of(self._path(name))

    def _url_of(self, path: str) -> str:
        return _resolved(self._api, self.commit, path)

    def _whole(self, name: str, limit: int) -> Task[Answer | RequestFailure]:
        url = self._url(name)
        return self._ahead.files.get(url) or self._web.ask(Request(url, limit))

    # --- opening ---

    def open(self) -> Finding | None:
        """Requests the tree and, in parallel, everything that will certainly be read. Returns a finding on failure."""
        tree = self._ahead.tree or _tree_of(self._api, self.commit)
        self._read_ahead()
        found = tree.result()
        if isinstance(found, Finding):
            return found
        self._files, self._complete = found
        if self._folder and next(self._below(), None) is None:
            if self._folder not in self._files:
                from inspector.findings.reading.cache import InsideNotFound

                return InsideNotFound(repository=self.address.repository, inside=self._folder, commit=self.commit)
            self._folder, _, self.only = self._folder.rpartition("/")
            self._early.clear()
            self._all_headers = None
        return self._closed()

    def _closed(self) -> Finding | None:
        """Why no file may be read although the tree may be: the repository is gated. Reported once for all files."""
        early = next(iter(self._early.values()), None)
        if early is None and self._description.gated and (name := next(iter(self.listing().files), None)):
            early = self._web.ask(Request(self._url(name), 1, 0, 0, exact=False))
        answer = None if early is None else early.result()
        if isinstance(answer, RequestFailure) and answer.status in (401, 403):
            return self._api.finding_of(answer)
        return None

    def _read_ahead(self) -> None:
        """Requests files that the description names, before the tree has arrived."""
        named = self._description.names
        if self._folder in named:
            self._route([self._url_of(self._folder)])
            return
        prefix = self._path("")
        here = {name[len(prefix) :] for name in named if name.startswith(prefix)}
        sets = group(dict.fromkeys((name for name in here if "/" not in name), 0))
        first = next((one for one in sets if one.kind == SAFETENSORS), None)
        index = None if first is None else first.index
        for name in (*CONFIG_FILES, index):
            if name in here and not (name == "params.json" and "config.json" in here):
                self._early[name] = self._whole(name, _READ_AHEAD)
        if first is None:
            return
        urls = [self._url(name) for name in first.files]
        if index is not None and self.address.repo_type == "model" and self.address.revision in (None, MAIN):
            url = self._api.url(f"safetensors-metadata/{quote(prefix + index, safe='/')}")
            self._all_headers = self._web.begin([lambda: self._all(url, urls)], lambda _: b"")[0]
        else:
            self._route(urls)

    def _all(self, url: str, urls: Sequence[str]) -> bytes:
        """The single answer with all headers at the commit; b"" if there is none, after requesting each file."""
        answer = self._web.get(Request(url, HEADERS_LIMIT, tries=1, compressed=True))
        if isinstance(answer, Answer):
            stated = answer.headers.get("x-repo-commit", "")
            if stated == self.commit or (not is_commit(stated) and self._api.is_at(self.commit)):
                return answer.body
        self._route(urls)
        return b""

    def _route(self, urls: Sequence[str]) -> None:
        """Requests the redirects of files that will almost certainly be read."""
        if not self._description.gated and not self._chosen:
            ways = [Request(url, BEGINNING, 0, BEGINNING - 1, exact=False, route=True) for url in urls[:ROUTES_LIMIT]]
            tasks = self._web.begin([partial(self._web.get, way) for way in ways], lambda failure: failure)
            self._routes = {way.url: task for way, task in zip(ways, tasks, strict=True)}

    def _given_headers(self, names: Sequence[str]) -> Mapping[str, Opening]:
        """Headers from the single answer, if tree and answer agree exactly; {} on any failure."""
        task, self._all_headers = self._all_headers, None
        if task is None or not (answer := task.result()):
            return {}
        sizes = {name: file.size for name in names if (file := self._file(name)) is not None}
        given = headers_of(answer, sizes, self._folder)
        self._report(len(given), len(names))
        return given


def open_repository(
    address: Address,
    settings: HubSettings,
    progress: Progress | None = None,
    limits: Limits | None = None,
    *,
    chosen: bool = False,
) -> HubSource | Finding:
    """Opens the repository at the current commit of its revision, or returns the finding that it cannot be read.

    chosen: the user selected weights, so that the default weights are not requested in advance.
    """
    headers = request_headers()
    limits = limits or Limits(silence=settings.patience, head=settings.patience + 2)
    web = Web(settings.origin, headers, limits, Meter())
    opened = False
    try:
        api = Api(web, settings, address, "authorization" in headers)
        ahead = _requested_ahead(api)
        description = api.describe()
        if isinstance(description, Finding):
            return description
        source = HubSource(api, description, progress, chosen, ahead)
        if description.repository != address.repository:
            from inspector.findings.reading.hub import RepositoryRenamed

            source.notes.append(RepositoryRenamed(repository=address.repository, new=description.repository))
        failed = source.open()
        opened = failed is None
        return source if failed is None else failed
    except Stopped:
        raise KeyboardInterrupt from None
    finally:
        if not opened:
            web.close()


def _requested_ahead(api: Api) -> Ahead | None:
    """Requests the files that nearly every repository has, if the revision is a commit."""
    revision = api.address.revision
    if revision is None or not is_commit(revision):
        return None
    prefix = f"{api.address.inside}/" if api.address.inside else ""
    urls = [_resolved(api, revision, prefix + name) for name in _USUAL]
    return Ahead(_tree_of(api, revision), {url: api.web.ask(Request(url, _READ_AHEAD)) for url in urls})


def _tree_of(api: Api, commit: str) -> Task[Tree | Finding]:
    return api.web.begin([lambda: api.tree(commit)], api.finding_of)[0]


def _resolved(api: Api, commit: str, path: str) -> str:
    """The address of a file at a commit."""
    kind = "" if api.address.repo_type == "model" else f"{api.address.repo_type}s/"
    repository = f"{api.settings.endpoint}/{kind}{api.address.repository}"
    return f"{repository}/resolve/{commit}/{quote(path, safe='/')}"


_ABSENT: Final = Refusal("absent", "no such file at this commit")


def _numbered(outcome: Opening | Refusal, number: int, total: int) -> Opening | Refusal:
    """A refusal that states which of how many files was not read."""
    if isinstance(outcome, Opening) or outcome.reason == "absent" or total == 1:
        return outcome
    return replace(outcome, detail=f"not read: shard {number} of {total}: {outcome.detail}")
