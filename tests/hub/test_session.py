"""Corporate environments: proxies, certificates, sessions and mirrors as huggingface_hub documents them."""

from __future__ import annotations

import contextlib
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest

from inspector.loader.checkpoint import Checkpoint, load
from tests.hub.conftest import SHARDS, equal, reported, rules
from tests.hub.stand_in import StandIn
from tests.hub.test_cli import run

HTTPX: Any = sys.modules[type(huggingface_hub.get_session()).__module__.partition(".")[0]]
"""The package of the session: httpx, or httpx2 from version 2 of huggingface_hub on."""
NAMES = "DNS:hub.example,DNS:store.example,IP:127.0.0.1"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate and its key, as a company's own authority might issue it."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make a certificate")
    path = tmp_path_factory.mktemp("tls") / "company.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=company.example"]
    words += ["-addext", f"subjectAltName={NAMES}", "-keyout", str(path), "-out", f"{path}.crt"]
    subprocess.run(words, check=True, capture_output=True)
    path.write_text(path.read_text() + Path(f"{path}.crt").read_text())
    return path


@pytest.fixture
def secure(folder: Path, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """The stand-in with TLS, as the endpoint."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with StandIn(one_answer=False, tls=context) as server:
        server.add("org/tiny", folder)
        monkeypatch.setenv("HF_ENDPOINT", server.endpoint)
        monkeypatch.setenv("HF_TOKEN", StandIn.token)
        yield server


class Proxy:
    """A proxy that opens tunnels to this machine for any host. lines: the heads of its requests."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def authority(self) -> str:
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def close(self) -> None:
        self._listener.close()

    def _listen(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=self._listener.accept()[:1], daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        head = client.recv(10_000).decode()
        self.lines.append(head)
        port = int(head.split()[1].rpartition(":")[2])
        server = socket.create_connection(("127.0.0.1", port))
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        threading.Thread(target=self._pump, args=(server, client), daemon=True).start()
        self._pump(client, server)

    @staticmethod
    def _pump(one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := one.recv(100_000):
                other.sendall(part)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    made = Proxy()
    yield made
    made.close()


def token_at(server: StandIn) -> set[str]:
    """The servers that the token was sent to."""
    return {one.server for one in server.seen if "authorization" in one.headers}


def test_custom_certificates(
    secure: StandIn, certificate: Path, truth: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = load("org/tiny")
    assert rules(refused) == ["hub-unreachable"]
    assert "certificate" in reported(refused)
    assert "SSL_CERT_FILE" in reported(refused)
    assert not secure.seen
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert equal(load("org/tiny"), truth)
    assert token_at(secure) == {"hub"}


def test_a_proxy_for_https(
    secure: StandIn, certificate: Path, proxy: Proxy, truth: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the proxy resolves the hosts. It does not receive the Hub's token, nor the Hub its password."""
    secure.host, secure.store_host = "hub.example", "store.example"
    monkeypatch.setenv("HF_ENDPOINT", secure.endpoint)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:sesame@{proxy.authority}")
    assert equal(load("org/tiny"), truth)
    assert {line.split()[1].partition(":")[0] for line in proxy.lines} == {"hub.example", "store.example"}
    assert all(line.startswith("CONNECT ") and "Proxy-Authorization: Basic" in line for line in proxy.lines)
    assert not any("hf_" in line for line in proxy.lines)
    assert not any("proxy-authorization" in one.headers for one in secure.seen)
    assert token_at(secure) == {"hub"}
    proxy.close()
    monkeypatch.setenv("HTTPS_PROXY", "http://user:sesame@127.0.0.1:9")
    words = reported(load("org/tiny"))
    assert "the proxy 127.0.0.1:9: the connection was refused" in words
    assert "HTTPS_PROXY" in words
    assert "sesame" not in words


def test_redirects_to_this_machine_are_refused_behind_a_proxy(
    secure: StandIn, certificate: Path, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    secure.host = "hub.example"
    monkeypatch.setenv("HF_ENDPOINT", secure.endpoint)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setenv("HTTPS_PROXY", f"http://{proxy.authority}")
    for _ in range(2):  # with new connections, and with those that are kept
        checkpoint = load("org/tiny")
        assert set(rules(checkpoint)) == {"read-failed"}
        assert "not followed" in reported(checkpoint)
    assert not secure.requests(server="store")


@pytest.fixture
def factory() -> Iterator[None]:
    """Restores the default session after a test that sets another."""
    from huggingface_hub.utils._http import default_client_factory

    yield
    huggingface_hub.set_client_factory(default_client_factory)


def test_a_custom_session(hub: StandIn, truth: Checkpoint, factory: None) -> None:
    requested: list[str] = []
    answered: list[int] = []

    def read_through(response: Any) -> None:
        response.read()
        answered.append(response.status_code)

    def make() -> Any:
        hooks = {"request": [lambda request: requested.append(str(request.url))], "response": [read_through]}
        own = {"X-Department": "7", "Authorization": f"Bearer {StandIn.token}"}
        return HTTPX.Client(headers=own, cookies={"session": "mine"}, event_hooks=hooks)

    huggingface_hub.set_client_factory(make)
    checkpoint = load("org/tiny")
    assert equal(checkpoint, truth)
    assert checkpoint.traffic is not None
    assert len(requested) == len(answered) == len(hub.seen) == checkpoint.traffic.requests
    assert {one.headers["x-department"] for one in hub.seen} == {"7"}
    for one in hub.seen:
        at_home = one.server == "hub"
        assert ("authorization" in one.headers, "cookie" in one.headers) == (at_home, at_home)
    assert not huggingface_hub.get_session().is_closed


def test_a_session_with_few_connections(hub: StandIn, truth: Checkpoint, factory: None) -> None:
    huggingface_hub.set_client_factory(lambda: HTTPX.Client(limits=HTTPX.Limits(max_connections=2)))
    assert equal(load("org/tiny"), truth)
    assert hub.most_open <= 3  # a connection may be closed on one side first


def test_a_session_without_connections(folder: Path, factory: None) -> None:
    """With a custom transport there is no address to check, and errors other than network errors are raised."""

    def answer(request: Any) -> Any:
        return HTTPX.Response(404, headers={"X-Error-Code": "RepoNotFound"})

    huggingface_hub.set_client_factory(lambda: HTTPX.Client(transport=HTTPX.MockTransport(answer)))
    assert rules(load("org/tiny")) == ["repository-not-found"]

    def broken(request: Any) -> Any:
        raise LookupError("a mistake of the user's own")

    huggingface_hub.set_client_factory(lambda: HTTPX.Client(transport=HTTPX.MockTransport(broken)))
    with pytest.raises(LookupError, match="a mistake"):
        load("org/tiny")


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"])
def test_offline_mode_makes_no_connection(hub: StandIn, proxy: Proxy, tmp_path: Path, variable: str) -> None:
    more = {variable: "1", "HTTPS_PROXY": f"http://{proxy.authority}", "HTTP_PROXY": f"http://{proxy.authority}"}
    done = run(hub, tmp_path, "audit", "org/tiny", **more)
    assert "not-cached" in done.stdout
    assert done.returncode == 3
    assert hub.connections == {"hub": 0, "store": 0}
    assert not proxy.lines


def test_an_endpoint_below_a_path(folder: Path, truth: Checkpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    with StandIn(one_answer=False, prefix="/mirror/hub") as server:
        server.add("org/tiny", folder)
        monkeypatch.setenv("HF_ENDPOINT", server.endpoint + "/")
        monkeypatch.setenv("HF_TOKEN", StandIn.token)
        assert equal(load("org/tiny"), truth)
        assert len(server.requests("^/blobs/", "store")) == SHARDS
        assert token_at(server) == {"hub"}


def test_two_readings_share_connections(hub: StandIn, truth: Checkpoint) -> None:
    assert equal(load("org/tiny"), truth)
    made = dict(hub.connections)
    assert equal(load("org/tiny"), truth)
    assert hub.connections["store"] <= made["store"] + SHARDS - 1
    assert not huggingface_hub.get_session().is_closed
