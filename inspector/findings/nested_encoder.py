"""The finding on a sentence encoder that is a module of another one."""

from __future__ import annotations

from inspector.findings.finding import Finding


class EncoderAsModule(Finding, frozen=True, kw_only=True):
    """A whole sentence encoder is listed as a module of another one.

    What it means
        `SentenceTransformer(modules=[encoder, dense])` was called with an encoder where its modules belong:
        `SentenceTransformer(modules=[*encoder, dense])`. The encoder is saved in a folder of its own, and modules.json
        lists it as one module of the class SentenceTransformer.

    Why it matters
        sentence-transformers saves this and does not load it: it passes the settings of the inner model to the class
        of the encoder, which raises an error.

    Example
        error[N646] encoder-as-module: 0_SentenceTransformer
          named by  modules.json
          loader    sentence-transformers raises an error on loading
          help      list the modules of 0_SentenceTransformer/modules.json in
                    modules.json instead, each with 0_SentenceTransformer before its
                    path

    What to do
        Replace the entry by the entries of the inner modules.json, with the folder before their paths and new numbers
        in `idx` and `name`; or save `SentenceTransformer(modules=[*encoder, dense])`.
    """

    code = "N646"

    folder: str

    headline_text = "{folder}"
    row_texts = (("named by", "{place.file}"), ("loader", "sentence-transformers raises an error on loading"))
    remedy_text = (
        "list the modules of {folder}/modules.json in {place.file} instead, each with {folder} before its path"
    )
