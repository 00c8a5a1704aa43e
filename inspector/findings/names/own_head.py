"""The finding on a head that only code outside the library has."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding


class HeadOfOwnCode(ContentFinding, frozen=True, kw_only=True):
    """The stored head is that of code outside the library, and the head of the class in the config is absent.

    What it means
        The body is whole. In place of the head that the class in `architectures` has, there are tensors that no class
        of this model type has: the model was trained with a class of one's own.

    Why it matters
        Loaders build the class that the config names, leave its head random and ignore the stored one: the results are
        those of chance.

    Example
        error[N520] head-of-own-code: the head is not that of
          Wav2Vec2ForSequenceClassification
          missing  projector.weight, projector.bias, classifier.weight and 1 more
          stored   classifier.dense.weight, classifier.dense.bias,
                   classifier.output.weight and 1 more
          help     load it with the code that trained this head: no class of wav2vec2
                   has it

    What to do
        Load the weights with the class that they were trained with, which the model card usually gives.
    """

    code = "N520"

    declared: str
    model_type: str
    missing: tuple[str, ...]
    stored: tuple[str, ...]

    headline_text = "the head is not that of {declared}"
    row_texts = (("missing", "{missing:listed 3}"), ("stored", "{stored:listed 3}"))
    remedy_text = "load it with the code that trained this head: no class of {model_type} has it"
