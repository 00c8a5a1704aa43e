"""The findings on a classifier of SetFit, and on a model of sentence-transformers, without the head."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Step


class ClassifierHeadMissing(Finding, frozen=True, kw_only=True):
    """A SetFit classifier without its head.

    What it means
        SetFit writes config_setfit.json and model_head.pkl beside the sentence encoder. The folder has only the first.

    Why it matters
        SetFit logs a message and goes on with a head that was never trained: its predictions are random, or it fails on
        the first one. The encoder itself is not affected.

    Example
        warning[N642] classifier-head-missing: model_head.pkl
          named by  config_setfit.json
          loader    SetFit makes an untrained head in its place
          help      fetch model_head.pkl, or train the head again

    What to do
        Fetch the file, or train the head again on the labelled sentences.
    """

    code = "N642"
    severity = "warning"

    headline_text = "model_head.pkl"
    row_texts = (("named by", "{place.file}"), ("loader", "SetFit makes an untrained head in its place"))

    def remedy(self) -> Remedy:
        return Remedy("fetch model_head.pkl, or train the head again", (Step(action="fetch", file="model_head.pkl"),))


class ClassifierHeadWidth(Finding, frozen=True, kw_only=True):
    """The head of a SetFit classifier takes embeddings of another width than its encoder gives.

    What it means
        model_head.pkl was trained behind another sentence encoder, or a dense layer after the model was lost or added.

    Why it matters
        The folder loads, and the first prediction fails: "X has 48 features, but LogisticRegression is expecting 64".

    Example
        error[N652] classifier-head-width: model_head.pkl
          takes    embeddings of width 384
          encoder  768
          help     use the sentence encoder that the head was trained behind, or train
                   the head again

    What to do
        Put the encoder and the head of one training together, or train the head again.
    """

    code = "N652"

    taken: int
    given: int

    headline_text = "{place.file}"
    row_texts = (("takes", "embeddings of width {taken}"), ("encoder", "{given}"))
    remedy_text = "use the sentence encoder that the head was trained behind, or train the head again"


class TaskHeadMissing(Finding, frozen=True, kw_only=True):
    """A model of sentence-transformers without the head that its task needs.

    What it means
        sentence_bert_config.json states a task with a head (a cross-encoder classifies, SPLADE predicts masked words),
        and the weights were saved from a class without that head.

    Why it matters
        sentence-transformers builds the class of the task whatever config.json names, and its head is random: scores
        and word weights mean nothing.

    Example
        error[N665] task-head-missing: BertForMaskedLM
          named by  sentence_bert_config.json
          task      fill-mask
          weights   those of BertModel
          missing   6 tensors, random after loading
          help      fetch the weights again, or save the trained BertForMaskedLM again
                    with its head

    What to do
        Fetch the weights of the whole class, or save it again: `model.save_pretrained` of sentence-transformers keeps
        the head, the base model inside it does not.
    """

    code = "N665"

    task: str
    built: str
    stored_class: str
    tensors: int

    headline_text = "{built}"
    row_texts = (
        ("named by", "{place.file}"),
        ("task", "{task}"),
        ("weights", "those of {stored_class}"),
        ("missing", "{tensors:count tensor}, random after loading"),
    )

    def remedy(self) -> Remedy:
        return Remedy(f"fetch the weights again, or save the trained {self.built} again with its head")
