"""GGUF files that an older converter wrote under the architecture of Llama."""

from __future__ import annotations

import pytest

from tests.findings.cases import gguf_of_gemma_as_llama

OF_GEMMA, OF_LLAMA = ("llama", 2, 1), ("llama", 1, 2)


@pytest.mark.parametrize(("record", "tokens", "heads", "codes"), [
    ("gemma", OF_GEMMA, None, ["N769"]),
    ("gemma", OF_GEMMA, 2, []),
    ("gemma", OF_LLAMA, None, ["C310"]),
    ("gemma", ("gpt2", 2, 1), None, ["C310"]),
    ("llama", OF_GEMMA, None, ["C310"]),
    ("llama", OF_LLAMA, None, ["C310"]),
])  # fmt: skip
def test_vocabulary_and_head_tell_gemma(
    record: str, tokens: tuple[str, int, int], heads: int | None, codes: list[str]
) -> None:
    audited = gguf_of_gemma_as_llama(record, tokens, heads)
    assert [one.code for one in audited.findings if one.code in ("N769", "C310")] == codes
    assert all("set" not in one.remedy().words for one in audited.findings if one.code == "N769")
