"""Sources that fsspec supports: buckets, archives, servers. Headers are read by ranges, in parallel.

fsspec and the package of a scheme are imported only for such an address. Their errors never leave this module: each
becomes a refusal or a finding of one line without credentials.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, Protocol
from urllib.parse import unquote

from msgspec import Struct

from inspector.findings.finding import Finding
from inspector.loader.header import stated_length
from inspector.loader.signature import SNIFF_BYTES
from inspector.loader.sources.address import shown
from inspector.loader.sources.local_reading import WINDOWS
from inspector.loader.sources.ranges import SMALLEST_FIRST, UNKNOWN_FIRST, expected_headers, likely_headers
from inspector.loader.sources.source import Listing, Opening, Refusal, RepositoryFile, is_plain_name
from inspector.loader.sources.tasks import begin
from inspector.loader.sources.traffic import Meter, Progress, Traffic

AT_ONCE: Final = 32
"""Number of files that are read in parallel."""
ENTRIES_LIMIT: Final = 200_000
_EXTRAS: Final = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs", "http": "http", "https": "http"}
"""Scheme -> the extra of this package that installs its requirements."""
_LOCAL: Final = frozenset({"file", "local"})


class FileSystem(Protocol):
    """The methods of an fsspec file system that are used here."""

    def info(self, path: str) -> Mapping[str, Any]:
        """Size and type of one path."""

    def ls(self, path: str, detail: bool = True) -> list[Any]:
        """The entries of a folder."""

    def cat_file(self, path: str, start: int | None = None, end: int | None = None) -> bytes:
        """Bytes of a file from start (included) to end (excluded)."""


class RemoteFiles(Struct):
    """A folder of a file system. title: its last component."""

    files: FileSystem
    folder: str
    title: str
    sizes: dict[str, int]
    others: dict[str, str]
    meter: Meter
    complete: bool = True
    progress: Progress | None = None
    only: str | None = None
    origin: tuple[str, str] | None = None
    _expected: dict[str, int] = {}
    _config: bytes = b""

    @property
    def traffic(self) -> Traffic:
        """The traffic so far."""
        return self.meter.traffic()

    @property
    def tree(self) -> Mapping[str, RepositoryFile]:
        """Empty, since the content of the other files is unknown."""
        return {}

    def close(self) -> None:
        """Does nothing: no connection is kept open."""

    def again(self) -> RemoteFiles:
        """The same place: nothing was closed."""
        return self

    def inside(self, folder: str) -> RemoteFiles | Refusal:
        """The folder of this name in the same file system."""
        if not is_plain_name(folder) or self.others.get(folder) != "directory":
            return _ABSENT
        path = f"{self.folder}/{folder}" if self.folder else folder
        try:
            return _opened(self.files, path, folder, Meter(), self.progress)
        except Exception as problem:
            return _refusal(problem)

    def download(self, audited: Iterable[str]) -> None:
        """None: the other files of the place are unknown."""

    def listing(self) -> Listing:
        """The files of the folder with their sizes."""
        return Listing(dict(sorted(self.sizes.items())), self.others, self.complete)

    def expect(self, weight_map: Mapping[str, str]) -> None:
        """Sizes the first ranges by the tensors that an index lists in each file."""
        self._expected = expected_headers(weight_map, self.sizes)

    def read_whole(self, name: str, limit: int) -> bytes | Refusal:
        """Reads a small file."""
        size = self.sizes.get(name)
        if size is None:
            return _ABSENT
        if size > limit:
            return Refusal("too-large", f"{size:,} bytes, the limit is {limit:,}", size)
        read = self._range(name, 0, size)
        if name == "config.json" and isinstance(read, bytes):
            self._config = read
        return read

    def read_part(self, name: str, offset: int, length: int) -> bytes | Refusal:
        """Reads a range of a file."""
        size = self.sizes.get(name)
        if size is None:
            return _ABSENT
        return self._range(name, offset, min(size, offset + length))

    def read_headers(self, names: Iterable[str]) -> Iterator[tuple[str, Opening | Refusal]]:
        """The headers in the requested order, read in parallel."""
        wanted = list(names)
        sizes = {name: self.sizes[name] for name in wanted if name in self.sizes}
        expected = likely_headers(self._expected, self._config, sizes)
        tasks = begin([partial(self._header, name, expected.get(name, UNKNOWN_FIRST)) for name in wanted], AT_ONCE)
        for done, (name, task) in enumerate(zip(wanted, tasks, strict=True), 1):
            outcome = task.result()
            if self.progress is not None:
                self.progress(done, len(wanted), self.meter.bytes)
            yield name, outcome

    def _header(self, name: str, expected: int) -> Opening | Refusal:
        """Reads a header by a first range, and a second one if that was too short."""
        size = self.sizes.get(name)
        if size is None:
            return _ABSENT
        first = self._range(name, 0, min(size, max(SMALLEST_FIRST, expected)))
        if isinstance(first, Refusal):
            return first
        length = stated_length(first[:8], size)
        if length is None:
            return Opening(size, first[:SNIFF_BYTES], None)
        rest = self._range(name, len(first), 8 + length) if len(first) < 8 + length else b""
        if isinstance(rest, Refusal):
            return rest
        return Opening(size, first[:SNIFF_BYTES], (first + rest)[8 : 8 + length])

    def _range(self, name: str, start: int, end: int) -> bytes | Refusal:
        """Bytes of a file from start (included) to end (excluded); a refusal if fewer arrive."""
        if end <= start:
            return b""
        self.meter.request()
        try:
            read = bytes(self.files.cat_file(f"{self.folder}/{name}" if self.folder else name, start=start, end=end))
        except Exception as problem:
            return _refusal(problem)
        self.meter.received(len(read))
        if len(read) < end - start:
            return Refusal("incomplete", f"{start + len(read):,} of {end:,} bytes received", self.sizes[name])
        return read[: end - start]


_ABSENT: Final = Refusal("absent", "no such file")


def open_remote(url: str, progress: Progress | None = None) -> RemoteFiles | Finding | str:
    """Opens the folder or file of an address; or returns the finding that it cannot be read, or the path if it is
    local.
    """
    scheme = url.partition("://")[0].lower()
    if scheme in _LOCAL:
        path = unquote(url.partition("://")[2])
        return path[1:] if WINDOWS and path.startswith("/") else path  # file:///C:/models
    try:
        from fsspec.core import url_to_fs  # type: ignore[import-untyped]

        found, path = url_to_fs(url)
    except FileNotFoundError as problem:  # the archive that contains the folder
        return _unreadable(url, problem)
    except Exception as problem:
        return _unsupported(url, scheme, problem)
    meter = Meter()
    try:
        return _opened(found, str(path), shown(url), meter, progress)
    except Exception as problem:
        return _unreadable(url, problem)


def _opened(files: FileSystem, path: str, url: str, meter: Meter, progress: Progress | None) -> RemoteFiles:
    """Lists the folder; for a file, its folder with only the file."""
    path = path.rstrip("/") or path
    ending = path.rpartition("/")[2]
    single = re.search(r"\.(?:safetensors|json|bin|gguf|pt|pth|ckpt|h5|onnx)\Z", ending) is not None
    title = ending or url
    if single:
        meter.request()
        facts = files.info(path)
        if facts.get("type") == "file" and type(facts.get("size")) is int:
            folder, _, name = path.rpartition("/")
            return RemoteFiles(files, folder, name, {name: facts["size"]}, {}, meter, True, progress, name)
    meter.request()
    sizes: dict[str, int] = {}
    others: dict[str, str] = {}
    listed = files.ls(path, detail=True)
    for one in listed[:ENTRIES_LIMIT]:
        name = str(one.get("name", "")).rstrip("/").rpartition("/")[2]
        if not name:
            continue
        if one.get("type") == "directory":
            others[name] = "directory"
        elif type(one.get("size")) is int and one["size"] >= 0:
            sizes[name] = one["size"]
        else:
            others[name] = "file of unknown size"
    if not sizes and not others:
        raise FileNotFoundError(path)
    return RemoteFiles(files, path, title, sizes, others, meter, len(listed) <= ENTRIES_LIMIT, progress)


def _unreadable(url: str, problem: Exception) -> Finding:
    from inspector.findings.reading.network import PlaceUnreadable

    refusal = _refusal(problem)
    return PlaceUnreadable(source=shown(url), reason=refusal.reason, detail=refusal.detail)


def _unsupported(url: str, scheme: str, problem: Exception) -> Finding:
    from inspector.findings.reading.network import SchemeUnsupported

    return SchemeUnsupported(
        source=shown(url),
        scheme=scheme.partition("::")[0],
        extra=_EXTRAS.get(scheme, ""),
        missing=isinstance(problem, ImportError),
        detail=_words(problem),
    )


def _refusal(problem: BaseException) -> Refusal:
    if isinstance(problem, FileNotFoundError | NotADirectoryError):
        return Refusal("absent", "nothing found at this address")
    if isinstance(problem, PermissionError) or "Credentials" in type(problem).__name__:
        return Refusal("permission", _words(problem))
    return Refusal("network", _words(problem))


def _words(problem: BaseException) -> str:
    """An error of another package in one line, without possible keys or signed addresses."""
    text = " ".join(str(problem).split()) or type(problem).__name__
    text = re.sub(r"(https?://[^\s?'\"]+)\?[^\s'\"]*", r"\1", text)
    text = re.sub(r"(?i)((?:secret|token|key|password|signature|credential)[\w-]*['\"]?\s*[=:]\s*)\S+", r"\1***", text)
    return text[:300]
