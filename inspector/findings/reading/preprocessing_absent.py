"""The finding on a model that was saved without what prepares its inputs."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy

PARTS = {"tokenizer": "tokenizer", "image_processor": "image processor", "feature_extractor": "feature extractor"}
AUTO = {
    "tokenizer": "AutoTokenizer",
    "image_processor": "AutoImageProcessor",
    "feature_extractor": "AutoFeatureExtractor",
}
WHOLE = "AutoProcessor"
"""The class that loads and saves several parts."""


class PreprocessingAbsent(Finding, frozen=True, kw_only=True):
    """The folder has a model and nothing that prepares its inputs.

    What it means
        `model.save_pretrained` writes config.json, generation_config.json and the weights. The tokenizer, the image
        processor or the feature extractor is saved by a call of its own, and none of their files are here.

    Why it matters
        The weights load completely. The Auto class of the part, pipelines, servers and converters raise an error;
        `AutoTokenizer` of transformers 5.23 builds a tokenizer without words for many types, without a warning.

    Example
        note[R065] preprocessing-absent: no tokenizer in this folder
          loader  AutoTokenizer of transformers 5.23 and 4.57 refuses, or finds no words
          help    where the tokenizer is loaded from this folder, copy its files from
                  the base model, or save it here:
                  AutoTokenizer.from_pretrained(BASE).save_pretrained(FOLDER)

    What to do
        Nothing if the program loads the tokenizer from another folder. Otherwise, save it here.
    """

    code = "R065"
    severity = "note"
    advises = True

    parts: tuple[str, ...]

    def headline(self) -> str:
        return f"no {' and no '.join(PARTS[one] for one in self.parts)} in this folder"

    row_texts = (("loader", "{auto} of transformers 5.23 and 4.57 refuses{instead}"),)

    @property
    def auto(self) -> str:
        """The class that loads all absent parts."""
        return AUTO[self.parts[0]] if len(self.parts) == 1 else WHOLE

    @property
    def instead(self) -> str:
        """What else happens: only tokenizers are built without a file."""
        return ", or finds no words" if self.parts == ("tokenizer",) else ""

    def remedy(self) -> Remedy:
        what = PARTS[self.parts[0]] if len(self.parts) == 1 else "processor"
        return Remedy(
            f"where the {what} is loaded from this folder, copy its files from the base model, or save it here: "
            f"{self.auto}.from_pretrained(BASE).save_pretrained(FOLDER)"
        )
