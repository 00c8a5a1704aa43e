"""The findings on the settings with which images and sound are prepared for a model."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import listed


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

    headline_text = "{place.key}"

    def rows(self) -> Rows:
        return [("file", str(self.place.file)), ("stated", f'"{self.stated}"')]

    def remedy(self) -> Remedy:
        file, key = str(self.place.file), str(self.place.key)
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


class GenerationRefused(ContentFinding, frozen=True, kw_only=True):
    """generation_config.json has values with which a text is not generated.

    What it means
        An id of a token is a text, or a number is outside its range, such as a temperature of 0 while sampling.

    Why it matters
        The weights load, and `generate` raises an error in its first step.

    Example
        warning[R073] generation-refused: eos_token_id
          file     generation_config.json
          because  eos_token_id is no number
          help     correct eos_token_id in generation_config.json

    What to do
        Correct the value: the ids of tokens stand in the tokenizer's files, and greedy decoding is `do_sample` false
        without a temperature.
    """

    code = "R073"
    severity = "warning"

    keys: tuple[str, ...]
    because: tuple[str, ...]

    def headline(self) -> str:
        return listed(self.keys, 4)

    def rows(self) -> Rows:
        return [("file", str(self.place.file)), ("because", "; ".join(self.because))]

    def remedy(self) -> Remedy:
        return Remedy(f"correct {listed(self.keys, 4)} in {self.place.file}")


class GenerationNotSaved(ContentFinding, frozen=True, kw_only=True):
    """generation_config.json has settings of sampling or beams, which are off.

    What it means
        `temperature`, `top_p` and the like have no effect unless `do_sample` is true; `length_penalty` and
        `early_stopping` have none with one beam.

    Why it matters
        The model loads and generates. `save_pretrained` of transformers 4.57, at the end of a training too, raises
        "GenerationConfig is invalid"; that of 5.23 saves it.

    Example
        note[R074] generation-not-saved: temperature, top_p
          file     generation_config.json
          because  do_sample is not true
          refused  by save_pretrained of transformers 4.57
          help     set "do_sample": true, or remove temperature, top_p from
                   generation_config.json

    What to do
        State that the model samples, or remove the settings.
    """

    code = "R074"
    severity = "note"
    advises = True

    sampling: tuple[str, ...]
    beams: tuple[str, ...]

    def headline(self) -> str:
        return ", ".join((*self.sampling, *self.beams))

    def rows(self) -> Rows:
        why = [*(["do_sample is not true"] if self.sampling else []), *(["num_beams is 1"] if self.beams else [])]
        refused = "by save_pretrained of transformers 4.57"
        return [("file", str(self.place.file)), ("because", " and ".join(why)), ("refused", refused)]

    def remedy(self) -> Remedy:
        switch = 'set "do_sample": true' if self.sampling else 'set "num_beams" as it was meant'
        switch = f'{switch} and "num_beams" as it was meant' if self.sampling and self.beams else switch
        return Remedy(f"{switch}, or remove {', '.join((*self.sampling, *self.beams))} from {self.place.file}")
