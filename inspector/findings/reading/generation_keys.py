"""The finding on settings of generation without ids that a speech model needs."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import listed

LANGUAGE = "lang_to_id"
TASK = "task_to_id"
TIMES = "no_timestamps_token_id"
NEEDS = {TIMES: "return_timestamps=True", LANGUAGE: "language=", TASK: "task="}
"""Key -> the argument of `generate` that needs it."""


class GenerationKeysAbsent(Finding, frozen=True, kw_only=True):
    """generation_config.json lacks ids that Whisper's own arguments need.

    What it means
        The ids of the tokens for languages, tasks and timestamps are in generation_config.json of the published models
        alone. A training that began before transformers had this file, or from a config alone, writes one with the
        values of config.json, or none.

    Why it matters
        The weights load and short speech is written in the language that the model chooses. `generate` and pipelines
        raise a ValueError for `return_timestamps=True`, which speech of more than 30 seconds needs, and for `language`
        and `task`.

    Example
        warning[C353] generation-keys-absent: no_timestamps_token_id, lang_to_id and
          task_to_id are not in generation_config.json
          refused  return_timestamps=True, language= and task= of generate, by
                   transformers 5.23 and 4.57
          help     copy generation_config.json from the model that was fine-tuned

    What to do
        Copy the file of the published model of the same size and vocabulary.
    """

    code = "C353"
    severity = "warning"

    here: bool
    """True if the file is here without the keys."""
    keys: tuple[str, ...]
    base: str = ""

    def headline(self) -> str:
        if not self.here:
            return f"no {self.place.file}"
        return f"{_all(self.keys)} {'is' if len(self.keys) == 1 else 'are'} not in {self.place.file}"

    def rows(self) -> Rows:
        refused = _all([NEEDS[key] for key in self.keys])
        absent = [] if self.here else [("without", listed(self.keys, 3))]
        return [*absent, ("refused", f"{refused} of generate, by transformers 5.23 and 4.57")]

    def remedy(self) -> Remedy:
        such_as = f", such as {self.base}" if self.base else ""
        return Remedy(f"copy {self.place.file} from the model that was fine-tuned{such_as}")


def _all(words: tuple[str, ...] | list[str]) -> str:
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)
