"""Findings on the pre-tokenizer that a GGUF file names."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding


class GgufPreTokenizerUnknown(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file names a pre-tokenizer that llama.cpp does not know.

    What it means
        `tokenizer.ggml.pre` names the regular expressions by which texts are split before tokens are looked up. The
        build of llama.cpp that was measured has none of this name.

    Why it matters
        llama.cpp refuses the file: "unknown pre-tokenizer type". A newer one may know the name.

    Example
        warning[N518] gguf-pre-tokenizer-unknown: tokenizer.ggml.pre
          stated     deepseek-v3.1
          reference  not known to llama.cpp of October 2026, in xllamacpp 2026.10.11549
          help       convert the model again with llama.cpp's converter, which knows the
                     name by the tokenizer, or update llama.cpp

    What to do
        Convert the model again, or set the key to the name of the same tokenizer.
    """

    code = "N518"
    severity = "warning"

    stated: str
    source: str

    headline_text = "tokenizer.ggml.pre"
    row_texts = (("stated", "{stated}"), ("reference", "not known to {source}"))
    remedy_text = (
        "convert the model again with llama.cpp's converter, which knows the name by the tokenizer, or update llama.cpp"
    )


class GgufPreTokenizerAbsent(ContentFinding, frozen=True, kw_only=True):
    """A GGUF file with a byte-pair vocabulary does not name its pre-tokenizer.

    What it means
        Converters have written `tokenizer.ggml.pre` since May 2024. It names the regular expressions by which texts
        are split before tokens are looked up; this file was converted by an older one, or the key was lost.

    Why it matters
        llama.cpp loads the file and splits texts by its default ("missing pre-tokenizer type"), which most models were
        not trained with: the same text gives other tokens, and the answers are worse.

    Example
        warning[N523] gguf-pre-tokenizer-absent: tokenizer.ggml.pre
          reference  llama.cpp splits texts by its default, with which most models were
                     not trained
          help       convert the model again with llama.cpp's converter, or download a
                     newer conversion

    What to do
        Convert the model again, or set the key to the name that a newer conversion of the same model has.
    """

    code = "N523"
    severity = "warning"

    headline_text = "tokenizer.ggml.pre"
    row_texts = (("reference", "llama.cpp splits texts by its default, with which most models were not trained"),)
    remedy_text = "convert the model again with llama.cpp's converter, or download a newer conversion"
