"""Findings on weights under names that no program looks for, and on names that lead nowhere."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.refetch import Refetch
from inspector.findings.words import count, first, listed

_KINDS = {"safetensors": "a safetensors file", "gguf": "a GGUF file", "zip": "a PyTorch file", "pickle": "a pickle"}


class WeightsMisnamed(Finding, frozen=True, kw_only=True):
    """Weights are stored under an ending that no program looks for.

    What it means
        The first bytes are those of a checkpoint, but the name does not end as its format does: a letter was lost, a
        browser added an ending, or there is none.

    Why it matters
        Loaders choose files by their names and report that there are no weights.

    Example
        error[R014] weights-misnamed: diffusion_pytorch_model.safetensor is a
          safetensors file
          help  rename diffusion_pytorch_model.safetensor to
                diffusion_pytorch_model.safetensors

    What to do
        Rename the file.
    """

    code = "R014"

    stored: tuple[str, ...]
    wanted: tuple[str, ...]
    what: str
    files: int

    def headline(self) -> str:
        if self.files > 1:
            return f"{count(self.files, 'file')} of weights"
        return f"{self.stored[0]} is {_KINDS[self.what]}"

    def rows(self) -> Rows:
        return [("files", first(self.stored, self.files))] if self.files > 1 else []

    def remedy(self) -> Remedy:
        pairs = list(zip(self.stored, self.wanted, strict=True))
        steps = tuple(Step(action="move", file=stored, new=wanted) for stored, wanted in pairs)
        each = "each by its format: " if self.files > 1 else ""
        return Remedy(f"rename {each}{pairs[0][0]} to {pairs[0][1]}", steps if len(pairs) == self.files else ())


class LinksBroken(Refetch, frozen=True, kw_only=True, omit_defaults=True):
    """The files of this folder are links to files that do not exist.

    What it means
        A snapshot in the cache of the Hub consists of links to `blobs`. It was copied without them, or they were
        deleted.

    Why it matters
        Nothing behind these names can be read.

    Example
        error[R015] links-broken: 5 files are links to files that do not exist
          files  config.json, model-00001-of-00002.safetensors and 3 more
          help   download these files again, or copy the folder with the files that the
                 links point to (cp -rL)

    What to do
        Copy the folder again with `cp -rL`, which copies what links point to, or download the files again.
    """

    code = "R015"
    unreadable = True

    files: int
    names: tuple[str, ...]

    headline_text = "{files:count file} are links to files that do not exist"

    def rows(self) -> Rows:
        return [("files", listed(self.names, 4) if self.files <= 4 else first(self.names, self.files))]

    def lost_files(self) -> tuple[int, tuple[str, ...]]:
        """(number of links, the first of them)."""
        return self.files, self.names

    def remedy(self) -> Remedy:
        again = self.fetch_again()
        return Remedy(f"{again.words}, or copy the folder with the files that the links point to (cp -rL)", again.steps)
