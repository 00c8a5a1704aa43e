"""The note on a base model of a type that generates text."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding


class BaseAlone(ContentFinding, frozen=True, kw_only=True):
    """The class in the config has no output head, and none is stored.

    What it means
        The model was saved through AutoModel: the weights are those of the base model, and complete for its class. The
        class that generates text has one more matrix, which is not tied to the embedding.

    Why it matters
        Nothing is wrong with a model for embeddings. AutoModelForCausalLM fills the head with random values, and vLLM
        runs the class as a pooling model.

    Example
        note[N743] base-alone: LlamaModel has no output head
          lacks  lm_head.weight of LlamaForCausalLM, 525,336,576 parameters
          help   nothing to do for embeddings; to generate text, load the model with
                 AutoModelForCausalLM before it is saved, or take the head from the
                 original

    What to do
        Nothing for embeddings. To generate text, save the model again with its head.
    """

    code = "N743"
    severity = "note"

    class_name: str
    head: str
    of: str
    parameters: int

    headline_text = "{class_name} has no output head"
    row_texts = (("lacks", "{head} of {of}, {parameters:count parameter}"),)
    remedy_text = (
        "nothing to do for embeddings; to generate text, load the model with AutoModelForCausalLM before it is saved, "
        "or take the head from the original"
    )
