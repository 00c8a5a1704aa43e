"""The finding on weights of OpenAI's Whisper without the sizes of their model."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy


class WhisperSizesMissing(Finding, frozen=True, kw_only=True):
    """A checkpoint of OpenAI's Whisper without the sizes of its model.

    What it means
        OpenAI's files hold {"dims": ..., "model_state_dict": ...}. This one holds the state dict alone, as
        `torch.save(model.state_dict(), ...)` writes it after a training.

    Why it matters
        `whisper.load_model` builds the model from `dims` and fails: KeyError: 'dims'. So do the converters that read
        OpenAI's files.

    Example
        warning[N666] whisper-sizes-missing: tiny-tuned.pt
          loader  whisper.load_model fails: KeyError 'dims'
          help    save it with them: torch.save({"dims": {"n_mels": 80, "n_vocab": 60,
                  "n_audio_ctx": 30, "n_audio_state": 64, "n_audio_head": 1,
                  "n_audio_layer": 2, "n_text_ctx": 20, "n_text_state": 64,
                  "n_text_head": 1, "n_text_layer": 2}, "model_state_dict":
                  torch.load("tiny-tuned.pt", map_location="cpu")}, "tiny-tuned.pt")

    What to do
        Save the state dict below `model_state_dict`, with the sizes beside it.
    """

    code = "N666"
    severity = "warning"

    sizes: tuple[tuple[str, int], ...]
    inside: str = ""

    headline_text = "{place.file}"
    row_texts = (("loader", "whisper.load_model fails: KeyError 'dims'"),)

    def remedy(self) -> Remedy:
        file = str(self.place.file)
        dims = ", ".join(f'"{key}": {size}' for key, size in self.sizes)
        below = f'["{self.inside}"]' if self.inside else ""
        state = f'torch.load("{file}", map_location="cpu"){below}'
        return Remedy(f'save it with them: torch.save({{"dims": {{{dims}}}, "model_state_dict": {state}}}, "{file}")')
