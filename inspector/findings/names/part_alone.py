"""The finding on a single part of a model under the class of this part."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows, Step
from inspector.findings.words import count, listed


class PartAlone(ContentFinding, frozen=True, kw_only=True):
    """The weights are one part of the config's model, saved under the class of the part.

    What it means
        The class is one that the library has inside the model's code, such as its encoder or its decoder. Saved by
        itself, a part keeps the config of the whole model. Everything that the definition of the whole has below that
        module is stored, in the shapes that the config gives.

    Why it matters
        The class of the part loads it; a loader that builds the whole model from the config leaves it randomly
        initialized. What the class has beyond the part of the whole model was not compared.

    Example
        note[N437] part-alone: the encoder of whisper
          class  WhisperEncoder
          help   load it with WhisperEncoder

    What to do
        Load it with the class that the config names.
    """

    code = "N437"
    severity = "note"

    model_type: str
    class_name: str = msgspec.field(name="class")
    below: str

    headline_text = "the {below} of {model_type}"
    remedy_text = "load it with {class_name}"

    def rows(self) -> Rows:
        return [("class", self.class_name)]


class PartDiffers(ContentFinding, frozen=True, kw_only=True):
    """The weights are one part of the config's model, and differ from it.

    What it means
        The library has a separate class for this part of the model, and most of the stored tensors belong to
        it. Some tensors of the part are missing, have another shape, or have unknown names.

    Why it matters
        The class of the part leaves missing tensors randomly initialized, refuses other shapes and ignores
        unknown names.

    Example
        error[N454] part-differs: the encoder of whisper: 1 tensor not as WhisperEncoder
          has it
          missing  layers.0.fc1.weight
          help     download this part again, or save it again with WhisperEncoder

    What to do
        Download or save the part again.
    """

    code = "N454"

    model_type: str
    class_name: str = msgspec.field(name="class")
    below: str
    missing: tuple[str, ...]
    shapes: tuple[str, ...]
    unexpected: tuple[str, ...]
    tensors: int

    headline_text = "the {below} of {model_type}: {tensors:count tensor} not as {class_name} has it"
    remedy_text = "download this part again, or save it again with {class_name}"

    def rows(self) -> Rows:
        stated = (("missing", self.missing), ("other shape", self.shapes), ("unexpected", self.unexpected))
        return [(label, listed(names)) for label, names in stated if names]


class PartOfModel(ContentFinding, frozen=True, kw_only=True):
    """The weights are one part of the model whose class the config names, without the names of the other parts.

    What it means
        One module of a model, such as its encoder, was saved by itself, with the config of the whole model. Its
        tensors have the names that they have inside the module, and all of them are stored.

    Why it matters
        The class of the whole model, which AutoModel builds too, finds none of its tensors: the whole model is
        randomly initialized.

    Example
        error[N607] part-of-model: the encoder of WhisperForConditionalGeneration alone
          stored   52 tensors, which the whole model has below model.encoder
          missing  100 other tensors, 117,408 parameters
          help     load it with WhisperEncoder, and set "architectures":
                   ["WhisperEncoder"] in config.json; for
                   WhisperForConditionalGeneration download the whole checkpoint

    What to do
        Load it with the class of the part, or download the whole checkpoint.
    """

    code = "N607"
    incomplete = True

    declared: str
    below: str
    stored_class: str | None
    exported: bool
    tensors: int
    missing: int
    parameters: int

    def headline(self) -> str:
        return f"the {self.below.rpartition('.')[2]} of {self.declared} alone"

    def rows(self) -> Rows:
        stored = f"{count(self.tensors, 'tensor')}, which the whole model has below {self.below}"
        return [
            ("stored", stored),
            ("missing", f"{count(self.missing, 'other tensor')}, {count(self.parameters, 'parameter')}"),
        ]

    def remedy(self) -> Remedy:
        whole = f"for {self.declared} download the whole checkpoint"
        if self.stored_class is None:
            return Remedy(f'{whole}; the tensors here are those of it that begin with "{self.below}."')
        if self.exported:
            return Remedy(f"load it with {self.stored_class}, for which it is complete; {whole}")
        named = [self.stored_class]
        step = Step(action="set", file="config.json", key=("architectures",), old=[self.declared], new=named)
        words = f'load it with {self.stored_class}, and set "architectures": ["{self.stored_class}"] in config.json'
        return Remedy(f"{words}; {whole}", (step,))

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        return self
