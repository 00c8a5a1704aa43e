"""Names of a library with models and configs of its own."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import ContentFinding, Finding


class NamesOfLibrary(ContentFinding, frozen=True, kw_only=True):
    """The tensor names are those of another library.

    What it means
        The config is one of transformers, and the weights have the names under which a library with models of its own,
        such as timm, torchvision or OpenCLIP, saves them.

    Why it matters
        A loader that follows the config finds none of its weights and uses random values. There is no config.json
        under which it would read these names.

    Example
        error[N462] names-of-library: config says vit, tensor names are of timm
          class  ViTForImageClassification
          help   load them with timm, or convert the names to those of vit

    What to do
        Load the weights with that library, or convert their names.
    """

    code = "N462"
    of_another_type = True

    claimed: str
    class_name: str | None = msgspec.field(name="class")
    library: str

    headline_text = "config says {claimed}, tensor names are of {library}"
    row_texts = (("class", "{class_name}"),)
    remedy_text = "load them with {library}, or convert the names to those of {claimed}"

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """Nothing where the loader takes every tensor that the class has under these names."""
        return None if outcome == "complete" else self
