"""Reasons that reports give for what a loader does, or for why it is open."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.start import audit
from inspector.loading.transformers import refusal
from tests.judged import FIXTURES


@pytest.mark.parametrize(("loader", "words"), [
    ("transformers", 'from_pretrained needs gguf_file="model.gguf"; what it does with it was not recorded'),
    ("vllm", "how it reads GGUF files was not recorded"),
    ("mlx", "it does not read this format, which is that of llama.cpp"),
])  # fmt: skip
def test_what_other_loaders_do_with_a_gguf_file(loader: str, words: str) -> None:
    judged = judged_for(audit(str(FIXTURES / "checkpoints" / "llama-q8")), loader)
    assert [one.because for one in judged.skipped if one.check == f"what {loader} does"] == [words]


@pytest.mark.parametrize(("message", "words"), [
    ("is not an object", "is not an object"),
    ("Error(s) in loading state_dict for Linear: size mismatch for weight: copying a p",
     "Error(s) in loading state_dict for Linear: size mismatch for weight: copying a ..."),
    ("a " * 40, f"{'a ' * 39}a ..."),
])  # fmt: skip
def test_a_message_that_the_tables_cut_ends_in_dots(message: str, words: str) -> None:
    assert refusal(SimpleNamespace(refuses=message)) == words  # type: ignore[arg-type]
