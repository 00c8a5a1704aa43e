"""Findings on a local copy compared with its Hub repository."""

from __future__ import annotations

import msgspec

from inspector.findings.finding import Finding, Rows
from inspector.findings.words import amount, count, first, listed, number


class FileSize(msgspec.Struct, frozen=True):
    """A file with its bytes here and in the repository."""

    name: str
    stored: int
    expected: int

    def sizes(self, same: str) -> str:
        """Both sizes; the text `same` if they are equal."""
        if self.stored == self.expected:
            return same
        return f"{number(self.stored)} of {number(self.expected)} bytes"


class DownloadedFiles(Finding, frozen=True, kw_only=True):
    """Files of a local copy. files: their number. names: the first of them."""

    repository: str
    commit: str | None
    files: int
    names: tuple[str, ...]


class DownloadIncomplete(DownloadedFiles, frozen=True, kw_only=True):
    """Files of the repository are missing in the folder.

    What it means
        Weights, an index, a config or a tokenizer that the repository has at this commit is missing in the
        folder.

    Why it matters
        The model does not load, or only partly.

    Example
        error[V830] download-incomplete: model-00002-of-00004.safetensors
          missing  5.00 MB: model-00002-of-00004.safetensors
          commit   8cde5ca8380496c9a6cc7ef3a8b46a0372a1d920
          help     run `hf download meta-llama/Meta-Llama-3-8B
                   model-00002-of-00004.safetensors --revision
                   8cde5ca8380496c9a6cc7ef3a8b46a0372a1d920 --local-dir Meta-Llama-3-8B`

    What to do
        Run the given command: it downloads only the missing files.
    """

    code = "V830"

    bytes: int
    command: str

    remedy_text = "run `{command}`"

    def headline(self) -> str:
        return self.place.file or f"{count(self.files, 'file')} of {self.repository}"

    def rows(self) -> Rows:
        names = first(self.names, self.files, 4)
        return [("missing", f"{amount(self.bytes)}: {names}"), ("commit", str(self.commit))]


class DownloadDiffers(DownloadedFiles, frozen=True, kw_only=True):
    """Weight files differ from the repository.

    What it means
        The file has another size, or the same size but another hash.

    Why it matters
        The file is truncated, damaged or replaced: it is not the published model.

    Example
        error[V831] download-differs: model-00002-of-00004.safetensors
          stored  3,000,000 of 4,999,998 bytes
          commit  8cde5ca8380496c9a6cc7ef3a8b46a0372a1d920
          help    download it again from meta-llama/Meta-Llama-3-8B, unless it was
                  changed intentionally

    What to do
        Download the file again; if it was changed intentionally, it is a different model.
    """

    code = "V831"

    cases: tuple[FileSize, ...]

    remedy_text = "download it again from {repository}, unless it was changed intentionally"

    def headline(self) -> str:
        return self.place.file or f"{self.files:,} files"

    def rows(self) -> Rows:
        if self.files == 1:
            words = [case.sizes("same size, different content") for case in self.cases]
        else:
            words = [f"{case.name} {case.sizes('same size, different content')}" for case in self.cases]
        return [("stored" if self.files == 1 else "differ", listed(words, 4)), ("commit", str(self.commit))]


class DownloadConfigDiffers(DownloadedFiles, frozen=True, kw_only=True):
    """Small files differ from the repository.

    What it means
        A config, tokenizer or code file was changed in the folder, or is from another commit.

    Why it matters
        The model is loaded with other settings than the published one.

    Example
        warning[V832] download-config-differs: config.json
          differ  config.json (content)
          commit  8cde5ca8380496c9a6cc7ef3a8b46a0372a1d920
          help    compare them; download them again if the changes are not intended

    What to do
        Compare the files; download them again if the changes are not intended.
    """

    code = "V832"
    severity = "warning"

    cases: tuple[FileSize, ...]

    remedy_text = "compare them; download them again if the changes are not intended"

    def headline(self) -> str:
        return self.place.file or f"{self.files:,} files"

    def rows(self) -> Rows:
        return [
            ("differ", listed([f"{case.name} ({case.sizes('content')})" for case in self.cases], 6)),
            ("commit", str(self.commit)),
        ]


class DownloadWeightsExtra(DownloadedFiles, frozen=True, kw_only=True):
    """The folder contains weights that the repository does not have.

    What it means
        The folder contains weight files that are not in the repository at this commit.

    Why it matters
        Loaders may use them instead of the published ones, or in addition.

    Example
        warning[V833] download-weights-extra: model-00002-of-00003.safetensors
          extra   1 bytes: model-00002-of-00003.safetensors
          commit  8cde5ca8380496c9a6cc7ef3a8b46a0372a1d920
          help    remove them if they are from another download or commit

    What to do
        Remove them if they are from another download or another commit.
    """

    code = "V833"
    severity = "warning"

    bytes: int

    row_texts = (("extra", "{bytes:amount}: {names:first files 4}"), ("commit", "{commit}"))
    remedy_text = "remove them if they are from another download or commit"

    def headline(self) -> str:
        return self.place.file or count(self.files, "file")


class DownloadLeavesOut(DownloadedFiles, frozen=True, kw_only=True):
    """Optional files of the repository are missing in the folder.

    What it means
        Copies of the weights in other formats, documents and images are not in the folder.

    Why it matters
        Loading does not need them.

    Example
        note[V834] download-leaves-out: 1 file not needed to load these weights
          left out  3 bytes: README.md

    What to do
        Nothing.
    """

    code = "V834"
    severity = "note"

    bytes: int

    headline_text = "{files:count file} not needed to load these weights"
    row_texts = (("left out", "{bytes:amount}: {names:first files 4}"),)


class RepositoriesDiffer(Finding, frozen=True, kw_only=True):
    """The files of two repositories or commits differ.

    What it means
        According to sizes and hashes from the Hub, files differ or exist on one side only.

    Why it matters
        It shows what a new revision changed, or what a copy omits.

    Example
        note[V835] repositories-differ: 3 files
          differ       config.json
          only before  tokenizer.json
          only after   LICENSE

    What to do
        Nothing; look at the files that differ.
    """

    code = "V835"
    severity = "note"

    differing: tuple[str, ...]
    differing_count: int
    gone: tuple[str, ...]
    gone_count: int
    new: tuple[str, ...]
    new_count: int

    def headline(self) -> str:
        total = self.differing_count + self.gone_count + self.new_count
        return f"{number(total)} {'file' if total == 1 else 'files'}"

    def rows(self) -> Rows:
        kinds = (
            ("differ", self.differing, self.differing_count),
            ("only before", self.gone, self.gone_count),
            ("only after", self.new, self.new_count),
        )
        return [(label, first(names, total, 6)) for label, names, total in kinds if total]
