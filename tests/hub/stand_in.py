"""A stand-in for the Hub on this machine: enough of its API for the real client, with latency and faults.

It serves folders as repositories from two ports: one is the endpoint, the other the store to which it
redirects for large files. Every request is recorded with its headers, and sent bytes are counted. A
fault is a function that takes the request and the correct reply and returns another one.

    python -m tests.hub.stand_in FOLDER...        (serves them until interrupted; prints the endpoint)
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import ssl
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

PAGE = 1_000
"""Entries of one page of a tree."""
LARGE = 10_000_000
"""Size in bytes from which a file is in the store."""
_STORED = (".safetensors", ".bin", ".gguf", ".pth", ".msgpack", ".h5")


@dataclass(frozen=True)
class Piece:
    """Bytes start to stop of a file on disk."""

    path: Path
    start: int
    stop: int


@dataclass(frozen=True)
class Seen:
    """A received request. server: "hub" or "store"."""

    server: str
    method: str
    target: str
    headers: Mapping[str, str]

    @property
    def path(self) -> str:
        """The target without its query, unescaped."""
        return unquote(urlsplit(self.target).path)


@dataclass(frozen=True)
class Reply:
    """A response. Content-Length is added where neither it nor a transfer encoding is in headers.

    cut: body bytes after which the connection is dropped. raw: sent instead of status and headers. silence:
    seconds before the first byte. drip: seconds between single bytes of the body. dribble_head: of the head.
    endless: the body is repeated forever. hangs: nothing follows the head, and the connection stays open.
    """

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | Piece = b""
    cut: int | None = None
    raw: bytes | None = None
    silence: float = 0.0
    drip: float = 0.0
    dribble_head: float = 0.0
    endless: bool = False
    hangs: bool = False
    close: bool = False
    version: str = "HTTP/1.1"
    unframed: bool = False
    """No length and no chunks: the body ends with the connection."""

    def header(self, name: str) -> str:
        """The value of a header, "" where it is absent."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    def having(self, **headers: str | None) -> Reply:
        """The reply with changed headers; underscores stand for hyphens, None removes a header."""
        changed = {key.replace("_", "-").lower(): value for key, value in headers.items()}
        kept = [pair for pair in self.headers if pair[0].lower() not in changed]
        kept += [(key.title(), value) for key, value in changed.items() if value is not None]
        return replace(self, headers=tuple(kept))

    def content(self) -> bytes:
        """The whole body."""
        return self.body if isinstance(self.body, bytes) else _bytes(self.body)


Fault = Callable[[Seen, Reply], Reply | None]
"""Returns a reply instead of the correct one, or None where it does not apply."""


@dataclass
class Repository:
    """commits: commit -> folder. branches: name -> commit."""

    name: str
    commits: dict[str, Path]
    branches: dict[str, str]
    private: bool = False
    gated: bool = False
    disabled: bool = False
    kind: str = "model"
    reference_now: Callable[[str], None] | None = None


class StandIn:
    """Runs the two servers in a thread. Use as a context manager.

    latency: seconds of a round trip, added once per connection and once per request. speed: bytes per second, of
    both servers together. one_answer: whether the endpoint for all headers exists. api_redirects: small
    files are redirected on the same host, as the real Hub does.
    """

    token = "hf_" + "goodTokenOfTheTests"

    def __init__(
        self,
        *,
        latency: float = 0.0,
        speed: float | None = None,
        one_answer: bool = True,
        api_redirects: bool = False,
        page: int = PAGE,
        store_host: str = "127.0.0.1",
        host: str = "127.0.0.1",
        tls: ssl.SSLContext | None = None,
        prefix: str = "",
    ) -> None:
        self.latency, self.speed = latency, speed
        self.one_answer, self.api_redirects, self.page = one_answer, api_redirects, page
        self.host, self.store_host, self.prefix = host, store_host, prefix
        self._tls = tls
        self.repositories: dict[str, Repository] = {}
        self.renamed: dict[str, str] = {}
        self.faults: list[Fault] = []
        self.seen: list[Seen] = []
        self.sent: dict[str, int] = {"hub": 0, "store": 0}
        """Server -> bytes of bodies sent."""
        self.connections: dict[str, int] = {"hub": 0, "store": 0}
        self.open = self.most_open = 0
        self._free = 0.0
        self._stored: dict[str, Path] = {}
        self._merged: dict[Path, bytes] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()
        self._servers: list[asyncio.Server] = []
        self.ports: dict[str, int] = {}

    # --- use ---

    def __enter__(self) -> StandIn:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        async def end() -> None:
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            self._loop.stop()

        asyncio.run_coroutine_threadsafe(end(), self._loop)
        self._thread.join(5)

    @property
    def endpoint(self) -> str:
        """The value for HF_ENDPOINT."""
        return f"{self._scheme}://{self.host}:{self.ports['hub']}{self.prefix}"

    @property
    def store(self) -> str:
        """The second host."""
        return f"{self._scheme}://{self.store_host}:{self.ports['store']}"

    @property
    def _scheme(self) -> str:
        return "http" if self._tls is None else "https"

    def add(self, name: str, folder: Path, **options: Any) -> Repository:
        """Serve a folder as a repository with one commit on `main`."""
        commit = commit_of(name, "main")
        made = Repository(name, {commit: folder}, {"main": commit}, **options)
        self.repositories[name] = made
        return made

    def fail(
        self, path: str, reply: Reply | Callable[[Seen, Reply], Reply], *, times: int | None = None, server: str = ""
    ) -> None:
        """Answer requests whose path matches with another reply, or with a function of the correct one."""
        left = [times]

        def fault(seen: Seen, right: Reply) -> Reply | None:
            if re.search(path, seen.path) is None or (server and seen.server != server):
                return None
            if left[0] is not None:
                if left[0] <= 0:
                    return None
                left[0] -= 1
            return reply if isinstance(reply, Reply) else reply(seen, right)

        self.faults.append(fault)

    def forget(self) -> None:
        """Reset the records and counts."""
        self.seen.clear()
        self.sent.update(hub=0, store=0)
        self.connections.update(hub=0, store=0)
        self.most_open = 0

    def requests(self, path: str = "", server: str = "") -> list[Seen]:
        """The recorded requests whose path matches a pattern."""
        return [one for one in self.seen if re.search(path, one.path) and server in ("", one.server)]

    # --- serving ---

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)

        async def begin() -> None:
            for server in ("hub", "store"):
                serve = partial(self._serve, server)
                started = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024, ssl=self._tls)
                self._servers.append(started)
                self.ports[server] = started.sockets[0].getsockname()[1]
            self._ready.set()

        self._loop.run_until_complete(begin())
        self._loop.run_forever()
        for server in self._servers:
            server.close()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _serve(self, server: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections[server] += 1
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        shaken = self._loop.time() + self.latency  # the handshake, which connections opened in advance have completed
        try:
            while True:
                try:
                    head = await reader.readuntil(b"\r\n\r\n")
                except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                    return
                await asyncio.sleep(self.latency + max(0.0, shaken - self._loop.time()))
                if not await self._reply(server, head, writer):
                    return
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            with suppress(RuntimeError):  # the loop may be closed before the last reply
                writer.close()

    async def _reply(self, server: str, head: bytes, writer: asyncio.StreamWriter) -> bool:
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ", 2)
        headers = {key.strip().lower(): value.strip() for key, _, value in (one.partition(":") for one in lines[1:-2])}
        seen = Seen(server, method, target.removeprefix(self.prefix) if server == "hub" else target, headers)
        self.seen.append(seen)
        reply = self._right(seen)
        for fault in self.faults:
            changed = fault(seen, reply)
            if changed is not None:
                reply = changed
                break
        return await self._send(seen, reply, writer)

    async def _send(self, seen: Seen, reply: Reply, writer: asyncio.StreamWriter) -> bool:
        if reply.silence:
            await asyncio.sleep(reply.silence)
        if reply.raw is not None:
            writer.write(reply.raw)
            await writer.drain()
            return False
        size = _size(reply.body)
        names = {key.lower() for key, _ in reply.headers}
        lines = [f"{reply.version} {reply.status} Whatever"]
        lines += [f"{key}: {value}" for key, value in reply.headers]
        if not names & {"content-length", "transfer-encoding"} and not reply.unframed and reply.status != 204:
            lines.append(f"Content-Length: {size}")
        if reply.close or reply.unframed:
            lines.append("Connection: close")
        head = "\r\n".join([*lines, "", ""]).encode("latin-1")
        if reply.dribble_head:
            for byte in head:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(reply.dribble_head)
        else:
            writer.write(head)
        if reply.hangs:
            await writer.drain()
            await asyncio.sleep(3600)
        if seen.method == "HEAD" and not reply.endless:
            await writer.drain()
            return not reply.close
        if "chunked" in reply.header("transfer-encoding").lower():
            await self._chunks(seen.server, reply, writer)
        else:
            await self._body(seen.server, reply, writer, size)
        await writer.drain()
        return reply.cut is None and not reply.close and not reply.unframed

    async def _body(self, server: str, reply: Reply, writer: asyncio.StreamWriter, size: int) -> None:
        if reply.endless:
            block = reply.content() or b"\0" * 65_536
            while True:
                writer.write(block)
                await writer.drain()
                self.sent[server] += len(block)
        most = size if reply.cut is None else min(size, reply.cut)
        step = 1 if reply.drip else 262_144 if self.speed is None else 32_768
        for at in range(0, most, step):
            part = _slice(reply.body, at, min(most, at + step))
            await self._share(len(part))
            writer.write(part)
            self.sent[server] += len(part)
            if most > step:
                await writer.drain()
            if reply.drip:
                await asyncio.sleep(reply.drip)

    async def _chunks(self, server: str, reply: Reply, writer: asyncio.StreamWriter) -> None:
        body = reply.content()
        for at in range(0, len(body), 1_000):
            part = body[at : at + 1_000]
            writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
            self.sent[server] += len(part)
        writer.write(b"0\r\n\r\n")

    async def _share(self, count: int) -> None:
        """Wait for the transfer time of these bytes at the speed that all connections share."""
        if self.speed is None:
            return
        now = self._loop.time()
        self._free = max(self._free, now) + count / self.speed
        await asyncio.sleep(max(0.0, self._free - now))

    # --- correct replies ---

    def _right(self, seen: Seen) -> Reply:
        if seen.server == "store" or seen.path.startswith("/blobs/"):  # the latter through a proxy
            path = self._stored.get(seen.path.rpartition("/")[2])
            return Reply(404) if path is None else _ranged(seen, path, path.stat().st_size)
        if refused := self._refused(seen):
            return refused
        for pattern, serve in (
            (r"/api/(models|datasets|spaces)/(.+?)(?:/(revision|tree|safetensors-metadata)/(.+))?", self._api),
            (r"/(?:(models|datasets|spaces)/)?([^/]+(?:/[^/]+)?)/resolve/([^/]+|refs/[^/]+/[^/]+)/(.+)", self._file),
        ):
            found = re.fullmatch(pattern, seen.path)
            if found is not None:
                return serve(seen, *found.groups())
        return _error(404, "EntryNotFound", "there is nothing here")

    def _refused(self, seen: Seen) -> Reply | None:
        stated = seen.headers.get("authorization", "")
        if stated and stated != f"Bearer {self.token}":
            return _error(401, "", "Invalid credentials in Authorization header")
        return None

    def _repository(self, seen: Seen, kind: str | None, name: str) -> Repository | Reply:
        known = "authorization" in seen.headers
        if name in self.renamed:
            target = seen.target.replace(name, self.renamed[name], 1)
            return Reply(307, (("Location", target),))
        found = self.repositories.get(name)
        if found is None or found.kind != (kind or "models").removesuffix("s") or (found.private and not known):
            return _error(404 if known else 401, "RepoNotFound", "Repository not found")
        if found.disabled:
            return _error(403, "", "Access to this resource is disabled.")
        return found

    def _api(self, seen: Seen, kind: str, name: str, what: str | None, rest: str | None) -> Reply:
        found = self._repository(seen, kind, name)
        if isinstance(found, Reply):
            return found
        if what == "safetensors-metadata":
            return self._one_answer(found, str(rest))
        if what == "tree":
            return self._tree(seen, found, str(rest))
        commit = self._commit(found, rest or "main")
        if commit is None:
            return _error(404, "RevisionNotFound", f"Invalid rev id: {rest}")
        folder = found.commits[commit]
        described = {
            "_id": commit[:24],
            "id": found.name,
            "modelId": found.name,
            "sha": commit,
            "private": found.private,
            "gated": "manual" if found.gated else False,
            "disabled": found.disabled,
            "downloads": 0,
            "likes": 0,
            "tags": [],
            "lastModified": "2026-01-02T03:04:05.000Z",
            "siblings": [{"rfilename": path} for path, _ in _files(folder)],
        }
        return _json(described)

    def _tree(self, seen: Seen, found: Repository, rest: str) -> Reply:
        revision, _, inside = rest.partition("/")
        commit = self._commit(found, revision)
        if commit is None:
            return _error(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        query = parse_qs(urlsplit(seen.target).query)
        deep = query.get("recursive", ["false"])[0].lower() in ("true", "1")
        entries = _entries(found.commits[commit], inside, deep)
        begin = int(query.get("cursor", ["0"])[0])
        reply = _json(entries[begin : begin + self.page])
        if begin + self.page < len(entries):
            base = urlsplit(seen.target)
            following = f"{self.endpoint}{base.path}?recursive={deep}&expand=False&cursor={begin + self.page}"
            reply = reply.having(link=f'<{following}>; rel="next"')
        return reply

    def _one_answer(self, found: Repository, file: str) -> Reply:
        folder = found.commits[found.branches["main"]]
        if not self.one_answer or not (folder / file).is_file():
            return _error(404, "EntryNotFound", "Entry not found")
        if folder not in self._merged:
            try:
                self._merged[folder] = _merged(folder, file)
            except (ValueError, OSError, KeyError):
                return _error(400, "", "the index or a shard of it cannot be read")
        return Reply(200, (("Content-Type", "application/json; charset=utf-8"),), self._merged[folder])

    def _file(self, seen: Seen, kind: str | None, name: str, revision: str, file: str) -> Reply:
        found = self._repository(seen, kind, name)
        if isinstance(found, Reply):
            return found
        if found.gated and "authorization" not in seen.headers:
            return _error(401, "GatedRepo", f"Access to model {name} is restricted. You must be authenticated.")
        if found.gated and seen.headers["authorization"] == f"Bearer {self.token}":
            return _error(403, "GatedRepo", f"Access to model {name} is restricted and you are not in the list.")
        commit = self._commit(found, revision)
        if commit is None:
            return _error(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        path = found.commits[commit] / file
        if not path.is_file():
            return _error(404, "EntryNotFound", "Entry not found").having(x_repo_commit=commit)
        if not _in_store(path):
            if self.api_redirects and "/resolve/" in seen.path:
                cached = f"/api/resolve-cache/models/{name}/{commit}/{file}"
                return Reply(307, (("Location", cached), ("X-Repo-Commit", commit)))
            reply = _ranged(seen, path, path.stat().st_size)
            return reply.having(x_repo_commit=commit)
        oid = _oid(path)
        self._stored[oid] = path
        return Reply(
            302,
            (
                ("Location", f"{self.store}/blobs/{oid}?Signature=secretOfTheStore"),
                ("X-Repo-Commit", commit),
                ("X-Linked-Size", str(path.stat().st_size)),
                ("X-Linked-Etag", f'"{oid}"'),
            ),
        )

    def _commit(self, found: Repository, revision: str) -> str | None:
        if found.reference_now is not None:
            found.reference_now(revision)
        commit = found.branches.get(revision, revision)
        return commit if commit in found.commits else None


def commit_of(*words: str) -> str:
    """A commit hash derived from these words."""
    return hashlib.sha1("\0".join(words).encode()).hexdigest()


def _files(folder: Path) -> list[tuple[str, Path]]:
    found = [(path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file()]
    return sorted(found)


def _entries(folder: Path, inside: str, deep: bool) -> list[dict[str, Any]]:
    """The tree below a folder as the API lists it."""
    entries: dict[str, dict[str, Any]] = {}
    begin = f"{inside}/" if inside else ""
    for name, path in _files(folder):
        if not name.startswith(begin):
            continue
        parts = name[len(begin) :].split("/")
        for depth in range(1, len(parts)) if deep else range(1, min(2, len(parts))):
            above = begin + "/".join(parts[:depth])
            entries[above] = {"type": "directory", "oid": commit_of(above), "size": 0, "path": above}
        if deep or len(parts) == 1:
            entries[name] = _entry(name, path)
    return list(entries.values())


def _entry(name: str, path: Path) -> dict[str, Any]:
    size = path.stat().st_size
    entry: dict[str, Any] = {"type": "file", "oid": _blob(path), "size": size, "path": name}
    if _in_store(path):
        entry["lfs"] = {"oid": _oid(path), "size": size, "pointerSize": 135}
    return entry


def _in_store(path: Path) -> bool:
    return path.name.endswith(_STORED) or path.stat().st_size > LARGE


def _blob(path: Path) -> str:
    """git's blob hash of a small file; for a large one that of its pointer, which no client requests."""
    size = path.stat().st_size
    return (
        commit_of(str(path))
        if size > LARGE
        else hashlib.sha1(f"blob {size}\0".encode() + path.read_bytes()).hexdigest()
    )


def _oid(path: Path) -> str:
    """The SHA-256 of a file; for huge sparse files a hash of path, size and time instead."""
    facts = path.stat()
    if facts.st_size <= LARGE:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return hashlib.sha256(f"{path}\0{facts.st_size}\0{facts.st_mtime_ns}".encode()).hexdigest()


def _ranged(seen: Seen, path: Path, size: int) -> Reply:
    """The file, or the requested range of it."""
    etag = ("ETag", f'"{_oid(path)}"')
    stated = seen.headers.get("range", "")
    kept = seen.headers.get("if-range", etag[1]) == etag[1]
    found = re.fullmatch(r"bytes=(\d+)-(\d*)", stated) if kept else None
    if found is None:
        return Reply(200, (etag, ("Accept-Ranges", "bytes")), Piece(path, 0, size))
    first = int(found[1])
    last = min(size - 1, int(found[2]) if found[2] else size - 1)
    if first > last:
        return Reply(416, (("Content-Range", f"bytes */{size}"),))
    return Reply(206, (etag, ("Content-Range", f"bytes {first}-{last}/{size}")), Piece(path, first, last + 1))


def _merged(folder: Path, file: str) -> bytes:
    """The headers of all shards of an index in one JSON, as the Hub's endpoint returns them."""
    index = json.loads((folder / file).read_bytes())
    headers = {}
    for shard in dict.fromkeys(index["weight_map"].values()):
        with (folder / Path(file).parent / shard).open("rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            if length > LARGE:
                raise ValueError(shard)
            headers[shard] = json.loads(opened.read(length))
    answer = {"sharded": True, "index": {"metadata": index.get("metadata", {})}, "headers": headers}
    return json.dumps(answer, separators=(",", ":"), ensure_ascii=False).encode()


def _json(value: object) -> Reply:
    return Reply(200, (("Content-Type", "application/json; charset=utf-8"),), json.dumps(value).encode())


def _error(status: int, code: str, message: str) -> Reply:
    headers = [("Content-Type", "application/json; charset=utf-8"), ("X-Error-Message", message)]
    if code:
        headers.append(("X-Error-Code", code))
    return Reply(status, tuple(headers), json.dumps({"error": message}).encode())


def _size(body: bytes | Piece) -> int:
    return len(body) if isinstance(body, bytes) else body.stop - body.start


def _bytes(piece: Piece) -> bytes:
    with piece.path.open("rb") as opened:
        opened.seek(piece.start)
        return opened.read(piece.stop - piece.start)


def _slice(body: bytes | Piece, start: int, stop: int) -> bytes:
    if isinstance(body, bytes):
        return body[start:stop]
    return _bytes(Piece(body.path, body.start + start, body.start + stop))


def main(folders: list[str]) -> None:
    """Serve folders as repositories of the organisation `org`."""
    with StandIn() as server:
        for folder in map(Path, folders):
            server.add(f"org/{folder.name}", folder.resolve())
            print(f"org/{folder.name}")
        print(f"HF_ENDPOINT={server.endpoint}", flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1:])
