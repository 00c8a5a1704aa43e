"""Any place that fsspec knows: buckets, archives, servers. The same audit by ranges, many at a time.

fsspec and the package behind a scheme are imported only when such an address is given. Its own errors
never leave this module: each is a refusal or evidence, in one line and without credentials.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol

from msgspec import Struct

from inspector.findings.finding import Finding
from inspector.loader import strict_json
from inspector.loader.header import wanted_length
from inspector.loader.signature import SNIFF_BYTES
from inspector.loader.sources.address import shown
from inspector.loader.sources.ranges import SMALLEST_FIRST, UNKNOWN_FIRST, expected_by_config, expected_headers
from inspector.loader.sources.repository_file import RepositoryFile
from inspector.loader.sources.source import Listing, Opening, Refusal
from inspector.loader.sources.traffic import Meter, Progress, Traffic

AT_ONCE: Final = 32
"""Files that are read at the same time, by threads or by the file system's own loop."""
ENTRIES_LIMIT: Final = 200_000
_EXTRAS: Final = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs", "http": "http", "https": "http"}
"""Scheme -> the extra of this package that brings what it needs."""
_NETWORK: Final = ("http", "https", "s3", "s3a", "gs", "gcs", "abfs", "az", "adl", "r2", "oss", "ftp", "sftp", "zip")
_LOCAL: Final = frozenset({"file", "local"})


class FileSystem(Protocol):
    """What is used of an fsspec file system."""

    async_impl: bool

    def info(self, path: str) -> Mapping[str, Any]:
        """Size and type of one path."""

    def ls(self, path: str, detail: bool = True) -> list[Any]:
        """What is in a folder."""

    def cat_file(self, path: str, start: int | None = None, end: int | None = None) -> bytes:
        """Bytes of a file, start included, end not."""

    def cat_ranges(
        self, paths: list[str], starts: list[int], ends: list[int], on_error: str = "return"
    ) -> list[bytes | Exception]:
        """Bytes of many files at once."""


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
        """What was read so far."""
        return self.meter.traffic()

    @property
    def tree(self) -> Mapping[str, RepositoryFile]:
        """Nothing is stated of the content of files."""
        return {}

    def close(self) -> None:
        """Nothing is kept open."""

    def download(self, audited: Iterable[str]) -> None:
        """Nothing is known of what else the place has."""

    def listing(self) -> Listing:
        """The files of the folder with their sizes."""
        return Listing(dict(sorted(self.sizes.items())), self.others, self.complete)

    def expect(self, weight_map: Mapping[str, str]) -> None:
        """Sizes the first ranges by what an index promises in each file."""
        self._expected = expected_headers(weight_map, self.sizes)

    def read_whole(self, name: str, limit: int) -> bytes | Refusal:
        """A small file, whole."""
        size = self.sizes.get(name)
        if size is None:
            return Refusal("absent", "there is no such file")
        if size > limit:
            return Refusal("too-large", f"{size:,} bytes, the limit is {limit:,}", size)
        read = self._one(name, 0, size)
        if isinstance(read, bytes) and len(read) < size:
            return Refusal("incomplete", f"{len(read):,} of {size:,} bytes came", size)
        if name == "config.json" and isinstance(read, bytes):
            self._config = read
        return read

    def read_part(self, name: str, offset: int, length: int) -> bytes | Refusal:
        """Bytes from within a file."""
        size = self.sizes.get(name)
        if size is None:
            return Refusal("absent", "there is no such file")
        return self._one(name, offset, min(size, offset + length)) if offset < size else b""

    def read_headers(self, names: Iterable[str]) -> Iterator[tuple[str, Opening | Refusal]]:
        """The headers in the order asked for: a first range of each, and a second where that was too short."""
        wanted = list(names)
        expected = self._likely(wanted)
        for begin in range(0, len(wanted), 4 * AT_ONCE):
            part = wanted[begin : begin + 4 * AT_ONCE]
            ends = [
                min(self.sizes.get(name, 0), max(SMALLEST_FIRST, expected.get(name, UNKNOWN_FIRST))) for name in part
            ]
            firsts = self._many(part, [0] * len(part), ends)
            openings = {
                name: self._opened(name, first, end) for name, first, end in zip(part, firsts, ends, strict=True)
            }
            short = [(name, one) for name, one in openings.items() if isinstance(one, _Short)]
            rests = self._many(
                [name for name, _ in short], [len(one.first) for _, one in short], [8 + one.length for _, one in short]
            )
            for (name, one), rest in zip(short, rests, strict=True):
                openings[name] = one.completed(rest)
            for name in part:
                found = openings[name]
                assert not isinstance(found, _Short)
                yield name, found
            if self.progress is not None:
                self.progress(begin + len(part), len(wanted), self.meter.bytes)

    def _opened(self, name: str, first: bytes | Refusal, end: int) -> Opening | Refusal | _Short:
        if isinstance(first, Refusal):
            return first
        size = self.sizes[name]
        if len(first) < end:
            return Refusal("incomplete", f"{len(first):,} of {end:,} bytes came", size)
        first = first[:end]
        length = wanted_length(first[:8], size)
        if length is None:
            return Opening(size, first[:SNIFF_BYTES], None)
        if 8 + length > len(first):
            return _Short(first, length, size)
        return Opening(size, first[:SNIFF_BYTES], first[8 : 8 + length])

    def _likely(self, names: list[str]) -> Mapping[str, int]:
        if self._expected or not self._config:
            return self._expected
        config = strict_json.decode_config(self._config)
        if not isinstance(config, dict):
            return {}
        return expected_by_config(config, {name: self.sizes[name] for name in names if name in self.sizes})

    def _one(self, name: str, start: int, end: int) -> bytes | Refusal:
        return self._many([name], [start], [end])[0]

    def _many(self, names: list[str], starts: list[int], ends: list[int]) -> list[bytes | Refusal]:
        """Ranges of many files, by the file system's own loop where it has one, else by threads."""
        if not names:
            return []
        known = [name in self.sizes for name in names]
        paths = [self._path(name) for name in names]
        asked = [at for at, there in enumerate(known) if there and ends[at] > starts[at]]
        results: list[bytes | Refusal] = [b"" if there else Refusal("absent", "no such file") for there in known]
        for _ in asked:
            self.meter.request()

        def read(at: int) -> bytes | Exception:
            try:
                return self.files.cat_file(paths[at], start=starts[at], end=ends[at])
            except Exception as problem:
                return problem

        if getattr(self.files, "async_impl", False) and len(asked) > 1:
            try:
                got: list[bytes | Exception] = self.files.cat_ranges(
                    [paths[at] for at in asked],
                    [starts[at] for at in asked],
                    [ends[at] for at in asked],
                    on_error="return",
                )
            except Exception as problem:
                got = [problem for _ in asked]
        else:
            got = _by_threads(read, asked)
        for at, one in zip(asked, got, strict=True):
            if isinstance(one, bytes | bytearray | memoryview):
                results[at] = bytes(one)
                self.meter.received(len(one))
            else:
                results[at] = _refusal(one)
        return results

    def _path(self, name: str) -> str:
        return f"{self.folder}/{name}" if self.folder else name


class _Short(Struct, frozen=True):
    """A first range that holds only the beginning of a header."""

    first: bytes
    length: int
    size: int

    def completed(self, rest: bytes | Refusal) -> Opening | Refusal:
        """The opening with what the second range brought."""
        if isinstance(rest, Refusal):
            return rest
        whole = self.first + rest
        if len(whole) < 8 + self.length:
            return Refusal("incomplete", f"{len(whole):,} of {8 + self.length:,} bytes came", self.size)
        return Opening(self.size, self.first[:SNIFF_BYTES], whole[8 : 8 + self.length])


def open_remote(url: str, progress: Progress | None = None) -> RemoteFiles | Finding | str:
    """The folder or file of an address, why it cannot be read, or the path where it is one of this machine."""
    scheme = url.partition("://")[0].lower()
    if scheme in _LOCAL:
        from urllib.request import url2pathname

        path = url.partition("://")[2]
        return url2pathname(path) if "%" in path else path
    try:
        from fsspec.core import url_to_fs  # type: ignore[import-untyped]

        found, path = url_to_fs(url)
    except ImportError as problem:
        return _unsupported(url, scheme, problem)
    except Exception as problem:
        return _unsupported(url, scheme, problem)
    meter = Meter()
    try:
        return _opened(found, str(path), shown(url), meter, progress)
    except Exception as problem:
        refusal = _refusal(problem)
        from inspector.findings.reading.network import PlaceUnreadable

        return PlaceUnreadable(source=shown(url), reason=refusal.reason, detail=refusal.detail)


def _opened(files: FileSystem, path: str, url: str, meter: Meter, progress: Progress | None) -> RemoteFiles:
    """Lists the folder, or the file's own folder with nothing but the file."""
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


def _by_threads(read: Callable[[int], bytes | Exception], asked: list[int]) -> list[bytes | Exception]:
    """The results in the order asked for, from as many threads as may read at once."""
    if len(asked) == 1:
        return [read(asked[0])]
    waiting: SimpleQueue[tuple[int, int]] = SimpleQueue()
    arrived: SimpleQueue[tuple[int, bytes | Exception]] = SimpleQueue()
    for order, at in enumerate(asked):
        waiting.put((order, at))

    def work() -> None:
        while True:
            try:
                order, at = waiting.get_nowait()
            except Empty:
                return
            arrived.put((order, read(at)))

    for _ in range(min(AT_ONCE, len(asked))):
        threading.Thread(target=work, daemon=True).start()
    results = dict(arrived.get() for _ in asked)
    return [results[order] for order in range(len(asked))]


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
        return Refusal("absent", "there is nothing at this address")
    if isinstance(problem, PermissionError) or "Credentials" in type(problem).__name__:
        return Refusal("permission", _words(problem))
    return Refusal("network", _words(problem))


def _words(problem: BaseException) -> str:
    """An error of a foreign package in one line, without what may be a key or a signed address."""
    text = " ".join(str(problem).split()) or type(problem).__name__
    text = re.sub(r"(https?://[^\s?'\"]+)\?[^\s'\"]*", r"\1", text)
    text = re.sub(r"(?i)((?:secret|token|key|password|signature|credential)[\w-]*['\"]?\s*[=:]\s*)\S+", r"\1***", text)
    return text[:300]
