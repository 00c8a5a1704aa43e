"""The command with the stand-in for the Hub: no token in any output, Ctrl-C at any time, and the loaded modules."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from huggingface_hub import snapshot_download

from tests.hub.conftest import VARIABLES
from tests.hub.stand_in import Reply, Seen, StandIn

ROOT = Path(__file__).parent.parent.parent
SECRET = StandIn.token


def environment(hub: StandIn, tmp_path: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    return {**kept, "HF_ENDPOINT": hub.endpoint, "HF_HOME": str(tmp_path / "home"), **more}


def run(hub: StandIn, tmp_path: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inspector", *words],
        cwd=ROOT,
        env=environment(hub, tmp_path, **more),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def echo(seen: Seen, right: Reply) -> Reply:
    """A reply that repeats all request headers in its headers and body."""
    repeated = " ".join(f"{key}={value}" for key, value in seen.headers.items())
    return Reply(403, (("X-Error-Message", repeated), ("X-Echo", repeated)), repeated.encode())


@pytest.mark.parametrize("where", ["^$", "/api/", "config.json", "index.json", "00002-of", "/blobs/"])
@pytest.mark.parametrize(
    ("source", "shape"), [("environment", "text"), pytest.param("file", "json", marks=pytest.mark.slow)]
)
def test_the_token_is_in_no_output(hub: StandIn, tmp_path: Path, where: str, source: str, shape: str) -> None:
    hub.fail(where, echo)
    more = {"HF_TOKEN": SECRET} if source == "environment" else {}
    if source == "file":
        (tmp_path / "home").mkdir()
        (tmp_path / "home" / "token").write_text(SECRET + "\n")
    done = run(hub, tmp_path, "audit", "org/tiny", "-v", "--format", shape, **more)
    assert SECRET not in done.stdout + done.stderr
    assert "secretOfTheStore" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode in ({0} if where == "^$" else {1, 3})
    assert any(one.headers.get("authorization") == f"Bearer {SECRET}" for one in hub.seen)


@pytest.mark.parametrize("where", ["/api/models/org/tiny$", "/tree/", "/blobs/"])
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_ends_the_command_at_once(hub: StandIn, tmp_path: Path, where: str) -> None:
    """The server is silent for longer than the test waits, so that only the signal can end the process."""
    requested = threading.Event()

    def hang(seen: Seen, right: Reply) -> Reply:
        requested.set()
        return replace(right, hangs=True)

    hub.fail(where, hang)
    process = subprocess.Popen(
        [sys.executable, "-m", "inspector", "audit", "org/tiny"],
        cwd=ROOT,
        env=environment(hub, tmp_path, HF_HUB_DOWNLOAD_TIMEOUT="60"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert requested.wait(60)
    process.send_signal(signal.SIGINT)
    output = process.communicate(timeout=40)
    assert process.returncode == 130
    assert "Traceback" not in output[1]


def test_only_the_constants_of_huggingface_hub_are_imported_for_the_cache(hub: StandIn, tmp_path: Path) -> None:
    snapshot_download("org/tiny", cache_dir=tmp_path / "home" / "hub", endpoint=hub.endpoint, token=False)
    code = (
        "import sys; from inspector.loader.checkpoint import load; c = load('org/tiny', cached=True); "
        "assert c.readable; print(sorted(m for m in sys.modules if m.startswith(('huggingface_hub', 'httpx', 'ssl'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment(hub, tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "['huggingface_hub', 'huggingface_hub.constants']"


def test_huggingface_hub_is_not_imported_for_a_folder(folder: Path) -> None:
    code = (
        f"import sys; from inspector.loader.checkpoint import load; load({str(folder)!r}); "
        "here = {'folder', 'local_reading', 'source'}; "
        "print([m for m in sys.modules if m.startswith('inspector.loader.sources.') and m.split('.')[-1] not in here], "
        "[m for m in ('socket', 'ssl', 'http', 'urllib', 'httpx', 'httpx2', 'huggingface_hub') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] []"


UNUSABLE = {
    "proxy-port": (
        {"HTTPS_PROXY": "http://user:hunter2@proxy.invalid:99999", "HF_ENDPOINT": "https://hub.invalid"},
        (),
    ),
    "proxy-scheme": ({"HTTPS_PROXY": "gopher://user:hunter2@proxy", "HF_ENDPOINT": "https://hub.invalid"}, ()),
    "proxy-brackets": ({"HTTPS_PROXY": "http://user:hunter2@[::1", "HF_ENDPOINT": "https://hub.invalid"}, ()),
    "proxy-words": ({"ALL_PROXY": "user:hunter2 at proxy", "HF_ENDPOINT": "https://hub.invalid"}, ()),
    "bundle-absent": ({"REQUESTS_CA_BUNDLE": "hunter2/absent.pem", "HF_ENDPOINT": "https://hub.invalid"}, ()),
    "endpoint": ({"HF_ENDPOINT": "https://user:hunter2@[hub"}, ()),
    "token-pipe": ({"HF_TOKEN_PATH": "pipe"}, ("pipe",)),
    "token-large": ({"HF_TOKEN_PATH": "large"}, ("large",)),
    "token-folder": ({"HF_TOKEN_PATH": "."}, ()),
    "token-controls": ({"HF_TOKEN": "hf_hunter2\x1b[2J\r\nX-More: 1"}, ()),
    "token-letters": ({"HF_TOKEN": "hf_hunter2\u3164\u00e9"}, ()),
}
"""Settings that allow no connection, or contain something other than a token: the environment, and its files."""


@pytest.mark.thinned
@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize(
    "case",
    [pytest.param(one, marks=() if one.endswith(("port", "pipe")) else pytest.mark.complete) for one in UNUSABLE],
)
def test_unusable_settings_end_in_one_finding_without_the_secret(hub: StandIn, tmp_path: Path, case: str) -> None:
    more, files = UNUSABLE[case]
    if "pipe" in files:
        os.mkfifo(tmp_path / "pipe")
    if "large" in files:
        (tmp_path / "large").write_bytes(b"hf_hunter2" * 8_000_000)
    more = {key: str(tmp_path / value) if key == "HF_TOKEN_PATH" else value for key, value in more.items()}
    done = run(hub, tmp_path, "audit", "org/tiny", "-v", **more)
    assert "hunter2" not in (done.stdout + done.stderr).replace("hunter2/absent.pem", "")
    assert "Traceback" not in done.stderr and "internal error" not in done.stderr
    assert done.returncode in (0, 3)
    assert "\x1b" not in done.stdout + done.stderr
