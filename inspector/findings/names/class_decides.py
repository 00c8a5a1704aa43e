"""The finding on a model type and a class in `architectures` of different models, if the weights fit the class."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Step


class ClassDecides(ContentFinding, frozen=True, kw_only=True):
    """The weights are those of the class, not of the model type.

    What it means
        config.json states one model type, or an unknown one, and names a class of another. The definition of
        the class has every stored tensor, that of the type does not; the class was used.

    Why it matters
        vLLM and whoever loads the named class build the right model. AutoModel follows `model_type`: it builds the
        other one and leaves its weights random, or refuses a type that it does not know.

    Example
        error[N444] class-decides: the weights are those of its class, llama's
          config  model_type mixtral
          class   LlamaForCausalLM
          help    set "model_type": "llama" in config.json

    What to do
        State the model type of the class.
    """

    code = "N444"
    of_another_type = True

    file: str
    class_name: str = msgspec.field(name="class")
    of: str
    model_type: str

    headline_text = "the weights are those of its class, {of}'s"
    row_texts = (("config", "model_type {model_type}"), ("class", "{class_name}"))

    def remedy(self) -> Remedy:
        step = Step(action="set", file=self.file, key=("model_type",), old=self.model_type, new=self.of)
        return Remedy(f'set "model_type": "{self.of}" in {self.file}', (step,))


class ClassOfOtherCode(ClassDecides, frozen=True, kw_only=True):
    """The weights are those of the class, which transformers does not have under this name.

    What it means
        config.json names a class that is not in transformers, and a model type whose definition does not fit. The
        definition that the class is named after has every stored tensor in its shape; it was used.

    Why it matters
        Programs that have the class load it. transformers follows `model_type` and does not fit these weights.

    Example
        note[N445] class-of-other-code: the weights are those of its class, llama's
          config  model_type mixtral
          class   LLaMAForCausalLM
          help    load it with a program that has this class, or set "model_type":
                  "llama" in config.json

    What to do
        Load it with the program that it was saved for.
    """

    code = "N445"
    severity = "note"

    def remedy(self) -> Remedy:
        return Remedy(
            f'load it with a program that has this class, or set "model_type": "{self.of}" in {self.file}',
        )
