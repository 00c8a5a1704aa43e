"""The finding on weights that are complete for the class of one part of the config's model."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Finding, Rows
from inspector.findings.words import count, number


class ClassOfPart(ContentFinding, frozen=True, kw_only=True):
    """The weights are one part of the config's model, for which a separate class exists.

    What it means
        Only one part of a multi-part model was saved, such as the image encoder of CLIP, with the config of
        the whole model. transformers has a class that builds this part from the same config, and all of its
        tensors are stored.

    Why it matters
        The class of the whole model, which AutoModel builds too, leaves the other parts randomly initialized.

    Example
        error[N530] class-of-part: the weights are CLIPVisionModelWithProjection's, a
          part of CLIPModel
          missing  54 of 94 tensors of CLIPModel, 65,941 parameters
          help     load it with CLIPVisionModelWithProjection, for which it is complete;
                   for CLIPModel download the whole checkpoint

    What to do
        Load it with the class of the part, or download the whole checkpoint.
    """

    code = "N530"
    incomplete = True

    declared: str
    stored_class: str
    tensors: int
    of: int
    parameters: int

    headline_text = "the weights are {stored_class}'s, a part of {declared}"
    remedy_text = "load it with {stored_class}, for which it is complete; for {declared} download the whole checkpoint"

    def rows(self) -> Rows:
        missing = f"{number(self.tensors)} of {count(self.of, 'tensor')} of {self.declared}"
        return [("missing", f"{missing}, {number(self.parameters)} parameters")]

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        return self
