"""The findings on damaged files with the settings of a processor or of generation."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.reading.content import CONFIG_FORMATS


class ProcessorDamaged(Finding, frozen=True, kw_only=True):
    """The settings of a processor cannot be read.

    What it means
        The file is a git-lfs pointer or a web page that was saved in its place, is empty or is not valid JSON.

    Why it matters
        The weights load. `AutoProcessor`, `AutoImageProcessor` and `AutoFeatureExtractor` raise an OSError: "It looks
        like the config file is not a valid JSON file".

    Example
        error[R075] processor-damaged: preprocessor_config.json is a git-lfs pointer
          loader  AutoProcessor of transformers 5.23 and 4.57 refuses it
          help    download this file again

    What to do
        Download the file again.
    """

    code = "R075"

    what: str
    problem: str

    def headline(self) -> str:
        what = CONFIG_FORMATS.get(self.what, self.what)
        return f"{self.place.file} {f'is {what}' if what else self.problem}"

    def rows(self) -> Rows:
        return [("loader", "AutoProcessor of transformers 5.23 and 4.57 refuses it")]

    def remedy(self) -> Remedy:
        return Remedy("download this file again", (Step(action="fetch", file=str(self.place.file)),))


class GenerationUnread(ProcessorDamaged, frozen=True, kw_only=True):
    """generation_config.json cannot be read, and is passed over.

    What it means
        The file is a git-lfs pointer or a web page that was saved in its place, is empty or is not valid JSON.

    Why it matters
        transformers 5.23 and 4.57 load the model without a word of it, and generate with default settings: the ids that
        end a text, and those of languages and tasks, are lost.

    Example
        warning[R076] generation-unread: generation_config.json is a git-lfs pointer
          loader  transformers 5.23 and 4.57 generate with default settings
          help    download this file again

    What to do
        Download the file again.
    """

    code = "R076"
    severity = "warning"

    def rows(self) -> Rows:
        return [("loader", "transformers 5.23 and 4.57 generate with default settings")]
