"""The finding on a speech model whose features are not stated."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding


class SpeechFeaturesAbsent(ContentFinding, frozen=True, kw_only=True):
    """A Whisper model of CTranslate2 lacks the file that states its features.

    What it means
        The model reads another number of mel bins than 80, as large-v3 does. faster-whisper takes the number from
        preprocessor_config.json, and computes 80 without it.

    Why it matters
        The first transcription fails: "Invalid input features shape: expected an input with shape (1, 128, 3000), but
        got an input with shape (1, 80, 3000) instead".

    Example
        error[R052] speech-features-absent: model.bin reads 128 mel bins, and there is
          no preprocessor_config.json
          help  copy preprocessor_config.json from the model that it was converted from
                (ct2-transformers-converter --copy_files preprocessor_config.json
                tokenizer.json)

    What to do
        Copy the file, or convert the model again with it.
    """

    code = "R052"

    bins: int
    wanted: str

    headline_text = "{place.file:or} reads {bins} mel bins, and there is no {wanted:or}"
    remedy_text = (
        "copy {wanted:or} from the model that it was converted from (ct2-transformers-converter --copy_files "
        "{wanted:or} tokenizer.json)"
    )
