"""The findings on weights of OpenAI's Whisper whose file lacks the sizes of their model, or states others."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows


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


class WhisperSizesDiffer(Finding, frozen=True, kw_only=True):
    """A checkpoint of OpenAI's Whisper states other sizes than its tensors have.

    What it means
        The file holds {"dims": ..., "model_state_dict": ...}, and `dims` are those of another model: a large-v3 has 128
        mel bands, a vocabulary that was extended has more rows.

    Why it matters
        `whisper.load_model` builds the model from `dims` and loads the weights strictly: it fails on the first shape.

    Example
        error[N669] whisper-sizes-differ: tuned.pt
          n_mels  80 in dims, 128 in the weights
          loader  whisper.load_model fails on the shapes
          help    save it with its sizes: content = torch.load("tuned.pt",
                  map_location="cpu"); content["dims"].update({"n_mels": 128});
                  torch.save(content, "tuned.pt")

    What to do
        Save the file again with the sizes of its weights.
    """

    code = "N669"

    sizes: tuple[tuple[str, int, int], ...]
    """(name in `ModelDimensions`, stated size, size of the weights)."""

    headline_text = "{place.file}"

    def rows(self) -> Rows:
        rows = [(key, f"{old} in dims, {size} in the weights") for key, old, size in self.sizes]
        return [*rows, ("loader", "whisper.load_model fails on the shapes")]

    def remedy(self) -> Remedy:
        file = str(self.place.file)
        sizes = ", ".join(f'"{key}": {size}' for key, _, size in self.sizes)
        return Remedy(
            f'save it with its sizes: content = torch.load("{file}", map_location="cpu"); '
            f'content["dims"].update({{{sizes}}}); torch.save(content, "{file}")'
        )
