"""The finding on an adapter's classifier with another number of labels than the config of the base."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy


class AdapterLabels(Finding, frozen=True, kw_only=True):
    """The adapter's classifier has another number of labels than the config of the base.

    What it means
        The base has no classifier of its own. The adapter was trained with one and stores it, and the class for its
        task builds one for the labels of the base's config, which are 2 where it names none.

    Why it matters
        PEFT refuses the adapter (a size mismatch) unless the base is built for as many labels; so does
        `AutoPeftModelForSequenceClassification` without an argument.

    Example
        note[A936] adapter-labels: 5 labels, the config of the base has 2
          help  build the base with num_labels=5 before loading the adapter

    What to do
        Pass `num_labels` to `from_pretrained` of the base, or of the `AutoPeftModel` class.
    """

    code = "A936"
    severity = "note"

    labels: int
    of_base: int

    headline_text = "{labels} labels, the config of the base has {of_base}"

    def remedy(self) -> Remedy:
        return Remedy(f"build the base with num_labels={self.labels} before loading the adapter")
