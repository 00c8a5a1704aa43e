"""Files beside the weights of a library, and names of files that it reads."""

from __future__ import annotations

import pytest

from tests.findings.library_cases import f5_tts, mlx_whisper

WORDS = " \na\nb\nc\n"


@pytest.mark.parametrize(("lines", "rows", "tokens"), [
    (WORDS, 5, None), (WORDS, 9, 4), (WORDS + "d\n", 5, 5), (WORDS.replace("\n", "\r\n"), 5, None),
    (WORDS + "a\n", 5, None), (WORDS + "xy", 6, None), ("", 5, None),
])  # fmt: skip
@pytest.mark.parametrize("prefix", ["ema_model.", ""])
def test_the_vocabulary_of_f5_tts_has_one_line_less_than_its_weights_have_rows(
    lines: str, rows: int, tokens: int | None, prefix: str
) -> None:
    found = [one.facts["tokens"] for one in f5_tts(lines, rows, prefix).findings if one.code == "N663"]
    assert found == ([] if tokens is None else [tokens])


@pytest.mark.parametrize(("file", "names", "found"), [
    ("model.safetensors", (), True), ("weights.safetensors", (), False),
    ("model.safetensors", ("weights.npz",), False),
])  # fmt: skip
def test_mlx_whisper_reads_files_of_two_names(file: str, names: tuple[str, ...], found: bool) -> None:
    assert any(one.code == "N761" for one in mlx_whisper(file, *names).findings) is found
