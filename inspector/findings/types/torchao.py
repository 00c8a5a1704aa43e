"""The finding on weights of torchao that lost what their file says about them."""

from __future__ import annotations

from typing import Final

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.words import count

REFUSAL: Final = "Invalid torchao safetensors metadata"
"""What transformers 5.23 says."""


class TensorEntriesMissing(ContentFinding, frozen=True, kw_only=True):
    """Weights of torchao are stored without the metadata from which they are put together.

    What it means
        torchao divides each quantized weight into plain tensors (`_weight_qdata`, `_weight_scale`), and writes into
        `__metadata__` of the file which of them make up which weight (`tensor_names` and an entry for each). The file
        was saved again by a program that keeps the tensors and not the metadata, such as a script with `save_file`.

    Why it matters
        transformers 5.23 refuses the file: "Invalid torchao safetensors metadata". vLLM reads the same entries.

    Example
        error[T670] tensor-entries-missing: 14 modules of torchao
          lacks      tensor_names in the metadata of model.safetensors
          reference  transformers 5.23 refuses it: Invalid torchao safetensors metadata
          help       download the file again, or save the model again with
                     save_pretrained; a copy must pass the metadata of its source to
                     save_file

    What to do
        Use the original file. If only its tensors were changed, copy them with the metadata:
        `save_file(tensors, path, metadata=safe_open(source, "pt").metadata())`.
    """

    code = "T670"

    modules: int
    file: str

    def headline(self) -> str:
        return f"{count(self.modules, 'module')} of torchao"

    def rows(self) -> Rows:
        return [
            ("lacks", f"tensor_names in the metadata of {self.file}"),
            ("reference", f"transformers 5.23 refuses it: {REFUSAL}"),
        ]

    def remedy(self) -> Remedy:
        again = "download the file again, or save the model again with save_pretrained"
        return Remedy(f"{again}; a copy must pass the metadata of its source to save_file")
