"""The finding on a folder without the tokenizer of its processor."""

from __future__ import annotations

from inspector.findings.finding import Finding


class TokenizerAbsent(Finding, frozen=True, kw_only=True):
    """The folder of a model that reads tokens has no file of a tokenizer.

    What it means
        The folder has the part of a processor that reads images or sound, and no tokenizer.json, vocab.json or the
        like. A training saves both only if it was given the whole processor, and not the feature extractor alone.

    Why it matters
        The weights load. transformers 4.57 raises a TypeError for the tokenizer; 5.23 builds one with a single token
        without a warning. Converters, such as that of faster-whisper, and servers refuse the folder.

    Example
        warning[R060] tokenizer-absent: no tokenizer beside preprocessor_config.json
          loader  transformers 5.23 builds a tokenizer with 1 token; 4.57 refuses
          help    copy the files of the tokenizer from the model that was fine-tuned, or
                  save it here:
                  AutoTokenizer.from_pretrained(BASE).save_pretrained(FOLDER)

    What to do
        Copy the tokenizer of the base model, or save it into the folder.
    """

    code = "R060"
    severity = "warning"

    headline_text = "no tokenizer beside {place.file:or}"
    row_texts = (("loader", "transformers 5.23 builds a tokenizer with 1 token; 4.57 refuses"),)
    remedy_text = (
        "copy the files of the tokenizer from the model that was fine-tuned, or save it here: "
        "AutoTokenizer.from_pretrained(BASE).save_pretrained(FOLDER)"
    )
