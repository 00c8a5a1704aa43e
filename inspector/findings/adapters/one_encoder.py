"""The finding on a textual inversion for one of two text encoders."""

from __future__ import annotations

from inspector.findings.finding import Finding


class EmbeddingOfOneEncoder(Finding, frozen=True, kw_only=True):
    """A textual inversion has vectors for one of the two CLIP encoders of its base.

    What it means
        SDXL reads each prompt with two CLIP encoders. The vectors in the file have the width of one of them:
        only that one was trained, or the vectors of the other are in a second file.

    Why it matters
        ComfyUI ignores the token in the other encoder ("shape mismatch when trying to apply embedding"), and the web UI
        loads no such file for SDXL. diffusers adds the token to one encoder, and the other reads its letters.

    Example
        warning[A996] embedding-of-one-encoder: for text_encoder, whose width is 96
          lacks  vectors of width 128 for text_encoder_2
          help   store both in one file, as clip_l and clip_g, if the second were saved
                 as well; or train both encoders, or use it with a base of this encoder
                 alone

    What to do
        Put the vectors of both encoders into one file, under the names `clip_l` (768) and `clip_g` (1280). If only one
        was trained, train again with both, or use the file with a model that has this encoder alone.
    """

    code = "A996"
    severity = "warning"

    encoder: str
    width: int
    other: str
    of_other: int

    headline_text = "for {encoder}, whose width is {width}"
    row_texts = (("lacks", "vectors of width {of_other} for {other}"),)
    remedy_text = (
        "store both in one file, as clip_l and clip_g, if the second were saved as well; or train both encoders, or use"
        " it with a base of this encoder alone"
    )
