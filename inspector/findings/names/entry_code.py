"""The finding on a component of a pipeline whose class is in code that is not there."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import ContentFinding
from inspector.findings.unread_by_diffusers import UnreadByDiffusers


class EntryCodeAbsent(UnreadByDiffusers, ContentFinding, frozen=True, kw_only=True):
    """An entry of model_index.json names a module that is in no library of diffusers' pipelines, nor in the folder.

    What it means
        The pipeline was saved by a program with a class of its own, and the entry has the name of its module, such as
        `mvdiffusion.models_unclip.unet_mv2d_condition`. diffusers imports this module, or reads it from a file of that
        name in the component's folder.

    Why it matters
        Without the authors' code `from_pretrained` fails (ModuleNotFoundError). A class of diffusers may take the same
        tensors, and then leaves out what the authors' class does besides, such as attention between several views.

    Example
        warning[N755] entry-code-absent: unet
          module  mvdiffusion.models_unclip.unet_mv2d_condition, in no library of
                  diffusers, and not in unet/
          class   UNetMV2DConditionModel
          help    run it with the code of its authors (Python has to find mvdiffusion);
                  another _class_name does not cure this

    What to do
        Get the authors' code, and load the pipeline with it.
    """

    code = "N755"
    severity = "warning"
    refuses = True
    is_all = True

    component: str
    module: str
    class_name: str = msgspec.field(name="class")

    headline_text = "{component}"
    row_texts = (
        ("module", "{module}, in no library of diffusers, and not in {component}/"),
        ("class", "{class_name}"),
    )
    remedy_text = (
        "run it with the code of its authors (Python has to find {package}); another _class_name does not cure this"
    )

    @property
    def package(self) -> str:
        """The outermost package of the module."""
        return self.module.partition(".")[0]

    def behaviour(self) -> str:
        return f"finds no module {self.module}, which model_index.json names for {self.component}"

    def reader(self) -> str:
        return f"the code of its authors (Python has to find {self.package})"
