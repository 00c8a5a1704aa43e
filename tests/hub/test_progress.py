"""The progress bar: only on a terminal, only after half a second, removed at the end; and the counts that it shows."""

from __future__ import annotations

import io

import pytest

from inspector.findings.words import amount
from inspector.loader.sources.traffic import Traffic
from inspector.report.progress import PATIENCE, Bar, bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar() -> None:
    stream, now = Terminal(), [0.0]
    shown = Bar(stream, lambda: now[0])
    shown(1, 163, 5_000)
    assert stream.getvalue() == ""
    shown.end()
    assert stream.getvalue() == ""
    now[0] = PATIENCE
    shown(41, 163, 3_100_000)
    shown(42, 163, 3_200_000)
    assert stream.getvalue() == "\rreading headers  [######------------------]  41 of 163, 3.10 MB\x1b[K"
    shown.end()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_no_bar_in_a_file_or_on_a_dumb_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    for stream, term in ((io.StringIO(), "xterm"), (Terminal(), "dumb")):
        monkeypatch.setenv("TERM", term)
        shown = Bar(stream, lambda: now[0])
        now[0] += 10
        shown(1, 2, 3)
        shown.end()
        assert stream.getvalue() == ""


def test_words() -> None:
    assert bar(0, 0, 12_345) == "reading  12.3 KB"
    assert str(Traffic(214_000, 9, 0.61)) == "read 214 KB in 9 requests, 0.6 s"
    assert str(Traffic(999, 1, 0.0)) == "read 999 bytes in 1 request, 0.0 s"
    assert [amount(n) for n in (0, 1_000, 99_950, 999_499, 999_500, 21_400_000, 10**12)] == [
        "0 bytes", "1.00 KB", "100 KB", "999 KB", "1.00 MB", "21.4 MB", "1.00 TB",
    ]  # fmt: skip
