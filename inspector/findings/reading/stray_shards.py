"""The finding on a few safetensors of an unfinished conversion beside whole PyTorch files."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.severity import SeverityIf
from inspector.findings.words import count, first

BY_ENDING = "vllm"
"""The program that takes the safetensors of a folder wherever there are any, and then reads nothing else."""


class ShardsOfUnfinishedConversion(Finding, frozen=True, kw_only=True, omit_defaults=True):
    """Some shards of an unfinished conversion lie beside the whole PyTorch files.

    What it means
        Numbered safetensors have no index and are fewer than their own names say (`-of-00009`), while the PyTorch files
        of the model are all there: a conversion was interrupted, or a download of one. transformers and diffusers
        look for the file or the index of fixed names, find none of safetensors, and read the PyTorch files.

    Why it matters
        Programs that take every `*.safetensors` of a folder, as vLLM does, read these few only, and lack the rest.

    Example
        warning[R089] shards-of-unfinished-conversion: 2 of 9 safetensors
          files    model-00003-of-00009.safetensors, model-00007-of-00009.safetensors
          audited  pytorch_model.bin.index.json, which transformers reads
          help     remove these 2 files, or finish the conversion

    What to do
        Remove the stray files, or convert the model completely, with an index. The PyTorch files are not affected.
    """

    code = "R089"
    severity = SeverityIf(lambda finding: finding.refused_by, "error", "warning", usual="warning")

    names: tuple[str, ...]
    files: int
    of: int
    audited: str
    loader: str
    refused_by: str = ""

    headline_text = "{files} of {of} safetensors"

    def rows(self) -> Rows:
        rows: Rows = [
            ("files", first(self.names, self.files)),
            ("audited", f"{self.audited}, which {self.loader} reads"),
        ]
        return [*rows, *([("read by", f"{self.refused_by}, which reads only these files")] if self.refused_by else [])]

    def remedy(self) -> Remedy:
        these = f"these {count(self.files, 'file')}" if self.files > 1 else "this file"
        steps = tuple(Step(action="move", file=name, new=f"unfinished/{name}") for name in self.names)
        return Remedy(f"remove {these}, or finish the conversion", steps if len(steps) == self.files else ())

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding:
        return msgspec.structs.replace(self, refused_by=loader) if loader.startswith(BY_ENDING) else self
