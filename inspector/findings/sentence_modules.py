"""Findings on the modules of a sentence encoder, which modules.json lists."""

from __future__ import annotations

from typing import Any

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import count, listed

LIBRARY_KEY = "library_name"
"""The key of a model card that names its library."""


class ModuleMissing(Finding, frozen=True, kw_only=True):
    """A module of a sentence encoder is not stored, or does not fit the one before.

    What it means
        modules.json lists a module (a pooling, a dense layer, a norm, an LSTM) whose folder is absent or lacks its
        files, whose tensors are not those that its config states, whose width is not that of the module before,
        whose type is not the name of a class with its package, or whose class does not take its config.

    Why it matters
        sentence-transformers fails on loading or on the first sentence.

    Example
        error[N434] module-missing: 2_Dense
          named by  modules.json
          problem   the folder is absent
          help      fetch 2_Dense again

    What to do
        Fetch the folder again, or save the model again with sentence-transformers. Where two widths differ, use the
        model that the modules were trained for, or train them anew.
    """

    code = "N434"

    folder: str
    problem: str
    stated: int | None = None
    given: int | None = None
    type_name: str = ""
    at_root: str = ""
    """The file of the model's folder that holds the tensors of the module; "" if none does."""
    config: str = ""
    sizes: tuple[tuple[str, Any, int], ...] = ()
    """The keys of the module's config that contradict its weights: (key, stated value, value of the weights)."""
    renames: tuple[tuple[str, str], ...] = ()
    """(stored name, expected name) of its tensors, if only their names are wrong."""
    above: bool = False
    """True if the model's files are in the folder of modules.json and not in the folder that it names."""
    below: bool = False
    """True if the model is in this folder, and modules.json states the folder around it."""
    refused: bool = False
    """True if its class does not take its config."""
    surplus: tuple[str, ...] = ()
    """Keys of its config that its class does not take."""

    @property
    def when(self) -> str:
        """The step at which sentence-transformers fails."""
        return "on loading" if self.given is None else "on the first sentence"

    headline_text = "{folder}"
    row_texts = (("named by", "{place.file}"), ("problem", "{problem}"))

    def remedy(self) -> Remedy:
        if self.at_root:
            return Remedy(f"move {self.at_root} into {self.folder}, and fetch the weights of the model again")
        if self.type_name:
            return Remedy(
                f'set its "type" in {self.place.file} to the full name of its class, such as '
                '"sentence_transformers.models.Transformer" for the model'
            )
        if self.sizes:
            stated = listed([f'"{key}": {size}' for key, _, size in self.sizes])
            steps = (
                Step(action="set", file=self.config, key=(key,), old=old, new=size) for key, old, size in self.sizes
            )
            return Remedy(f"set {stated} in {self.config}: its weights have this size", tuple(steps))
        if self.surplus:
            steps = (Step(action="remove", file=self.config, key=(key,)) for key in self.surplus)
            keys = listed([f'"{key}"' for key in self.surplus])
            return Remedy(f"remove {keys} from {self.config}", tuple(steps))
        if self.refused:
            return Remedy(f"correct {self.config}, as the model was trained, or fetch it again")
        if self.above:
            return Remedy(f'set "path": "" in place of "{self.folder}" in {self.place.file}')
        if self.below:
            return Remedy(f'set "path": "{self.folder}" in place of "" in {self.place.file}')
        if self.renames:
            named = listed([f"{old} to {new}" for old, new in self.renames], 3)
            return Remedy(f"rename {named} in {self.folder}")
        if self.given is None:
            return Remedy(f"fetch {self.folder} again", (Step(action="fetch", file=self.folder),))
        return Remedy(f"use the model of width {self.stated} that it belongs to, or train it with {self.given}")


class ModulesUnlisted(Finding, frozen=True, kw_only=True):
    """A sentence encoder without its list of modules.

    What it means
        sentence-transformers writes modules.json with every model: the list of the modules after the model (pooling,
        dense layers, normalization). It is lost. The folder has other files that only sentence-transformers writes,
        the model card states this library and a task of encoders, or the checkpoint is judged for this library.

    Why it matters
        sentence-transformers logs no warning. It takes the mean of all tokens, or the last token of a class that
        generates text, without a dense layer, a normalization or the stored prompts. The embeddings differ if the
        model had another pooling or further modules.

    Example
        warning[N641] modules-unlisted: modules.json
          named by  config_sentence_transformers.json
          loader    sentence-transformers takes the mean of all tokens, and adds no
                    other module
          help      fetch modules.json, the folders that it lists, such as 1_Pooling,
                    and config_sentence_transformers.json from the repository of the
                    model; or save it with sentence-transformers and the pooling that it
                    was trained with

    What to do
        Fetch the file, the folders of the modules and config_sentence_transformers.json from the repository of the
        model. If it never had them, build the model with the pooling that it was trained with, and save it with
        sentence-transformers.
    """

    code = "N641"
    severity = "warning"

    pooling: str = ""
    """What sentence-transformers takes as the embedding of a text; "" if this is open."""
    key: str = ""
    """The key of the model card that names the library."""
    scorer: str = ""
    """The class that CrossEncoder builds for a model without a classifier; "" if this is open."""
    at_random: int = 0

    headline_text = "modules.json"
    remedy_text = (
        "fetch modules.json, the folders that it lists, such as 1_Pooling, and config_sentence_transformers.json from "
        "the repository of the model; or save it with sentence-transformers and the pooling that it was trained with"
    )

    def rows(self) -> Rows:
        rows = _without_list(self.place.file, self.key, self.pooling)
        drawn = f"CrossEncoder builds {self.scorer} and draws {count(self.at_random, 'tensor')} of it at random"
        return [*rows, ("scores", f"{drawn}: this is no classifier")] if self.scorer else rows


class PoolingByDefault(Finding, frozen=True, kw_only=True):
    """A model without modules.json, of which sentence-transformers makes an encoder with a pooling by default.

    What it means
        The model card names sentence-transformers as its library and no task of encoders with a pooling.

    Why it matters
        SentenceTransformer adds a pooling by default, mean or the last token, and no dense layer or normalization.
        The embeddings differ if the model was trained with others.

    Example
        note[N740] pooling-by-default: modules.json is absent
          named by  README.md: library_name
          loader    sentence-transformers takes the mean of all tokens, and adds no
                    other module
          fetch     it and the folders that it lists, if the model was trained with them
          help      if it was trained with other modules, fetch modules.json and the
                    folders that it lists

    What to do
        Look up how the model was trained; fetch modules.json if the original repository has it.
    """

    code = "N740"
    severity = "note"

    pooling: str = ""
    """What sentence-transformers takes as the embedding of a text; "" if this is open."""

    headline_text = "modules.json is absent"
    remedy_text = "if it was trained with other modules, fetch modules.json and the folders that it lists"

    def rows(self) -> Rows:
        rows = _without_list(self.place.file, LIBRARY_KEY if self.place.file else "", self.pooling)
        return [*rows, ("fetch", "it and the folders that it lists, if the model was trained with them")]


def _without_list(file: str | None, key: str, pooling: str) -> Rows:
    """Where the library is named, and what it does without modules.json."""
    named = f"{file}: {key}" if key else file
    does = f"takes {pooling}, and adds no other module" if pooling else "builds a pooling by default in its place"
    return [*([("named by", named)] if named else []), ("loader", f"sentence-transformers {does}")]


class ForCrossEncoder(Finding, frozen=True, kw_only=True):
    """The model is a classifier, which sentence-transformers loads with CrossEncoder.

    What it means
        config.json names a class with a classifier: a reranker, which reads two texts at once and gives a score.

    Why it matters
        CrossEncoder loads all of it. SentenceTransformer leaves the classifier out, without an error, and makes
        embeddings of the model behind it, which was not trained for them.

    Example
        note[N745] for-cross-encoder: BertForSequenceClassification
          loader  SentenceTransformer leaves the classifier out and takes the mean of
                  all tokens; CrossEncoder loads all of it
          help    load it with sentence_transformers.CrossEncoder

    What to do
        Load it with CrossEncoder.
    """

    code = "N745"
    severity = "note"
    advises = True

    class_name: str
    pooling: str = ""
    """What SentenceTransformer takes as the embedding of a text; "" if this is open."""

    headline_text = "{class_name}"
    remedy_text = "load it with sentence_transformers.CrossEncoder"

    def rows(self) -> Rows:
        takes = f" and takes {self.pooling}" if self.pooling else ""
        return [("loader", f"SentenceTransformer leaves the classifier out{takes}; CrossEncoder loads all of it")]


class ActivationReplaced(Finding, frozen=True, kw_only=True):
    """A dense layer has an activation function that sentence-transformers does not create.

    What it means
        Without `trust_remote_code=True` sentence-transformers creates only classes of torch. For any other it logs a
        warning and takes Tanh.

    Why it matters
        The embeddings are other numbers than those of the trained model.

    Example
        warning[N667] activation-replaced: 2_Dense
          stated  transformers.activations.GELUActivation
          loader  sentence-transformers takes torch.nn.Tanh in its place
          help    load it with trust_remote_code=True, or set "activation_function" in
                  2_Dense/config.json to a class of torch with the same function

    What to do
        Load the model with `trust_remote_code=True` if you trust the package, or name the class of torch.
    """

    code = "N667"
    severity = "warning"

    folder: str
    stated: str

    headline_text = "{folder}"
    row_texts = (("stated", "{stated}"), ("loader", "sentence-transformers takes torch.nn.Tanh in its place"))
    remedy_text = (
        'load it with trust_remote_code=True, or set "activation_function" in {place.file} to a class of torch with '
        "the same function"
    )


class PoolingWidthDiffers(Finding, frozen=True, kw_only=True):
    """A pooling states another width than it gets.

    What it means
        The config of a pooling states another width of embeddings than the module before it gives. A pooling has no
        weights and takes any width: sentence-transformers loads the model, and its sentences are encoded as they were.

    Why it matters
        `get_embedding_dimension()` gives the wrong width, to a database of vectors for example.

    Example
        warning[N611] pooling-width-differs: 1_Pooling
          states  word_embedding_dimension = 384
          gets    768
          help    set "word_embedding_dimension": 768 in 1_Pooling/config.json

    What to do
        Correct the width in its config.
    """

    code = "N611"
    severity = "warning"

    folder: str
    key: str
    stated: int
    given: int

    headline_text = "{folder}"
    row_texts = (("states", "{key} = {stated}"), ("gets", "{given}"))

    def remedy(self) -> Remedy:
        file = f"{self.folder}/config.json"
        step = Step(action="set", file=file, key=(self.key,), old=self.stated, new=self.given)
        return Remedy(f'set "{self.key}": {self.given} in {file}', (step,))
