"""The findings on the settings with which images and sound are prepared for a model."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step


class ProcessorClassUnknown(ContentFinding, frozen=True, kw_only=True):
    """preprocessor_config.json names a class that transformers does not have.

    What it means
        The name is misspelled, or is that of a class in a program or a version of its own. `auto_map` names no code.

    Why it matters
        The weights load. `AutoImageProcessor` or `AutoFeatureExtractor` raises "Unrecognized image processor" or
        "Unrecognized feature extractor", also for a type that it knows.

    Example
        warning[R070] processor-class-unknown: image_processor_type
          file    preprocessor_config.json
          stated  "ViTImageProcesor"
          help    set "image_processor_type": "ViTImageProcessor" in
                  preprocessor_config.json

    What to do
        Name the class of the type, if the other settings are for it, or copy the file of the base model.
    """

    code = "R070"
    severity = "warning"

    stated: str
    wanted: str
    """The class of the type; "" beside an adapter, which does not state the type of its base."""
    base: str = ""
    """The base of an adapter."""

    headline_text = "{place.key}"

    def rows(self) -> Rows:
        return [("file", str(self.place.file)), ("stated", f'"{self.stated}"')]

    def remedy(self) -> Remedy:
        file, key = str(self.place.file), str(self.place.key)
        if not self.wanted:
            return Remedy(f"copy {file} from the base{f' {self.base}' if self.base else ''}")
        step = Step(action="set", file=file, key=(key,), old=self.stated, new=self.wanted)
        return Remedy(f'set "{key}": "{self.wanted}" in {file}', (step,))


class ImageSizeDiffers(ContentFinding, frozen=True, kw_only=True):
    """The images that the processor makes have another size than those of the model.

    What it means
        preprocessor_config.json resizes or crops images to one size, and config.json, whose positions fit the weights,
        states another: a model of another resolution was trained, and the file is that of its base.

    Why it matters
        The weights load, and the first image raises "Input image size doesn't match model", or an error on two sizes.
        Where the forward has `interpolate_pos_encoding=True`, it computes with other positions than those trained.

    Example
        warning[R071] image-size-differs: images of 224 x 224 for a model of 384 x 384
          file  preprocessor_config.json
          help  set "size": {"height": 384, "width": 384} in preprocessor_config.json

    What to do
        Set the size of the model, or copy the file of the base model.
    """

    code = "R071"
    severity = "warning"

    made: tuple[int, int]
    wanted: int
    nested: bool
    """True if the key contains both sides."""

    def headline(self) -> str:
        return f"images of {self.made[0]} x {self.made[1]} for a model of {self.wanted} x {self.wanted}"

    def rows(self) -> Rows:
        return [("file", str(self.place.file))]

    def remedy(self) -> Remedy:
        file, key = str(self.place.file), str(self.place.key)
        new = {"height": self.wanted, "width": self.wanted} if self.nested else self.wanted
        shown = f'{{"height": {self.wanted}, "width": {self.wanted}}}' if self.nested else str(self.wanted)
        return Remedy(f'set "{key}": {shown} in {file}', (Step(action="set", file=file, key=(key,), new=new),))


class MelBinsDiffer(ContentFinding, frozen=True, kw_only=True):
    """The feature extractor makes another number of mel bins than the model reads.

    What it means
        `feature_size` in preprocessor_config.json differs from `num_mel_bins` in config.json, to which the first
        convolution fits: large-v3 has 128, all earlier models of Whisper have 80.

    Why it matters
        The weights load, and the first sound raises an error on the channels of the convolution.

    Example
        warning[R072] mel-bins-differ: 80 for a model of 128
          file  preprocessor_config.json
          help  copy preprocessor_config.json from the model that was fine-tuned

    What to do
        Copy the file of the base model: other settings belong to the number of bins.
    """

    code = "R072"
    severity = "warning"

    made: int
    wanted: int

    headline_text = "{made} for a model of {wanted}"

    def rows(self) -> Rows:
        return [("file", str(self.place.file))]

    def remedy(self) -> Remedy:
        file = str(self.place.file)
        return Remedy(f"copy {file} from the model that was fine-tuned", (Step(action="fetch", file=file),))
