"""The findings on a processor of images, sound and text that lacks a part, or all of them."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows

PARTS = {"tokenizer": "tokenizer", "image_processor": "image processor", "feature_extractor": "feature extractor"}
AUTO = {
    "tokenizer": "AutoTokenizer", "image_processor": "AutoImageProcessor", "feature_extractor": "AutoFeatureExtractor",
}  # fmt: skip
"""Part of a processor -> the class that loads and saves it alone."""
NO_TEMPLATE = "no chat template, without which apply_chat_template of its processor refuses"
WHOLE = "AutoProcessor"
"""The class that loads and saves several parts."""


class ProcessorAbsent(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """The folder of a model that reads images or sound has a tokenizer, and no settings of the other inputs.

    What it means
        The type's processor consists of a tokenizer and an image processor or a feature extractor. The files of the
        tokenizer are here, and neither preprocessor_config.json nor processor_config.json states the other part: a
        training or a conversion saved the tokenizer alone. With code of the repository, its files define the part.

    Why it matters
        The weights and the tokenizer load. `AutoProcessor`, with which images and sound are prepared, refuses the
        folder, and so do pipelines, servers and converters that use it. Some types prepare every request with a chat
        template: where it is absent, too, `template` is true, and it has to be copied as well.

    Example
        warning[R062] processor-absent: no preprocessor_config.json, the image processor
          loader  AutoProcessor of transformers 5.23 and 4.57 refuses
          help    copy preprocessor_config.json from the model that was fine-tuned
                  (processor_config.json if it has that alone), or save it here:
                  AutoImageProcessor.from_pretrained(BASE).save_pretrained(FOLDER)

    What to do
        Copy the file of the base model, or save this part of its processor into the folder. Saving the whole processor
        of the base model would replace the tokenizer.
    """

    code = "R062"
    severity = "warning"

    parts: tuple[str, ...]
    older: bool = False
    """True if processor_config.json is here without the part: transformers 4.57 then takes its defaults."""
    with_code: str = ""
    """What AutoProcessor does with the code of the folder, which has the class of the part; "" without such code."""
    template: bool = False
    """True if the processor needs a chat template, and none is in the folder."""

    def headline(self) -> str:
        parts = " and the ".join(PARTS[one] for one in self.parts)
        return f"{self.place.file} without the {parts}" if self.older else f"no {self.place.file}, the {parts}"

    def rows(self) -> Rows:
        if self.with_code:
            return [
                ("code", "the folder has the class of it"),
                ("loader", f"AutoProcessor of transformers {self.with_code}"),
            ]
        of_older = "; that of 4.57 takes default settings" if self.older else " and 4.57 refuses"
        rows = [("loader", f"AutoProcessor of transformers 5.23{' refuses' if self.older else ''}{of_older}")]
        return [*rows, ("also", NO_TEMPLATE)] if self.template else rows

    def remedy(self) -> Remedy:
        copied = (
            "copy preprocessor_config.json from the model that was fine-tuned (processor_config.json if it has that "
        )
        if len(self.parts) > 1 or self.with_code:  # one name for both, or a class of the folder
            return Remedy(f"{copied}alone)")
        if self.template:
            return Remedy(f"{copied}alone), and chat_template.json or chat_template.jinja with it")
        saved = f"{AUTO[self.parts[0]]}.from_pretrained(BASE).save_pretrained(FOLDER)"
        return Remedy(f"{copied}alone), or save it here: {saved}")


class ProcessorWithoutTokenizer(Finding, frozen=True, kw_only=True):
    """The processor of a speech model has no tokenizer here, and its class needs none.

    What it means
        The folder has the feature extractor and no file of a tokenizer. The class classifies or encodes sound; only a
        class with a CTC head writes text.

    Why it matters
        `AutoProcessor` and the processor class of the type load a tokenizer too, and refuse the folder.

    Example
        note[R063] processor-without-tokenizer: no tokenizer beside
          preprocessor_config.json
          loader  AutoProcessor of transformers 5.23 and 4.57 refuses: that of wav2vec2
                  has a tokenizer, too
          help    load AutoFeatureExtractor in place of AutoProcessor

    What to do
        Prepare sound with the feature extractor alone.
    """

    code = "R063"
    severity = "note"
    advises = True

    model_type: str

    headline_text = "no tokenizer beside {place.file:or}"
    row_texts = (
        ("loader", "AutoProcessor of transformers 5.23 and 4.57 refuses: that of {model_type} has a tokenizer, too"),
    )
    remedy_text = "load AutoFeatureExtractor in place of AutoProcessor"


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
    template: bool = False
    """True if the processor needs a chat template, and none is in the folder."""

    def headline(self) -> str:
        return f"no {' and no '.join(PARTS[one] for one in self.parts)} in this folder"

    row_texts = (
        ("loader", "{auto} of transformers 5.23 and 4.57 refuses{instead}"),
        ("also", NO_TEMPLATE, "template"),
    )

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
