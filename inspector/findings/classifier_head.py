"""The finding on a classifier of SetFit without its head."""

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
