"""The findings on generation_config.json: ids that a speech model needs, and values that are refused."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows
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


class GenerationRefused(ContentFinding, frozen=True, kw_only=True):
    """generation_config.json has values with which a text is not generated.

    What it means
        An id of a token is a text, or a number is outside its range, such as a temperature of 0 while sampling.

    Why it matters
        The weights load, and `generate` raises an error in its first step.

    Example
        warning[R073] generation-refused: eos_token_id
          file     generation_config.json
          because  eos_token_id is no number
          help     correct eos_token_id in generation_config.json

    What to do
        Correct the value: the ids of tokens stand in the tokenizer's files, and greedy decoding is `do_sample` false
        without a temperature.
    """

    code = "R073"
    severity = "warning"

    keys: tuple[str, ...]
    because: tuple[str, ...]

    def headline(self) -> str:
        return listed(self.keys, 4)

    def rows(self) -> Rows:
        return [("file", str(self.place.file)), ("because", "; ".join(self.because))]

    def remedy(self) -> Remedy:
        return Remedy(f"correct {listed(self.keys, 4)} in {self.place.file}")


class GenerationNotSaved(ContentFinding, frozen=True, kw_only=True):
    """generation_config.json has settings of sampling or beams, which are off.

    What it means
        `temperature`, `top_p` and the like have no effect unless `do_sample` is true; `length_penalty` and
        `early_stopping` have none with one beam.

    Why it matters
        The model loads and generates. `save_pretrained` of transformers 4.57, at the end of a training too, raises
        "GenerationConfig is invalid"; that of 5.23 saves it.

    Example
        note[R074] generation-not-saved: temperature, top_p
          file     generation_config.json
          because  do_sample is not true
          refused  by save_pretrained of transformers 4.57
          help     set "do_sample": true, or remove temperature, top_p from
                   generation_config.json

    What to do
        State that the model samples, or remove the settings.
    """

    code = "R074"
    severity = "note"
    advises = True

    sampling: tuple[str, ...]
    beams: tuple[str, ...]

    def headline(self) -> str:
        return ", ".join((*self.sampling, *self.beams))

    def rows(self) -> Rows:
        why = [*(["do_sample is not true"] if self.sampling else []), *(["num_beams is 1"] if self.beams else [])]
        refused = "by save_pretrained of transformers 4.57"
        return [("file", str(self.place.file)), ("because", " and ".join(why)), ("refused", refused)]

    def remedy(self) -> Remedy:
        switch = 'set "do_sample": true' if self.sampling else 'set "num_beams" as it was meant'
        switch = f'{switch} and "num_beams" as it was meant' if self.sampling and self.beams else switch
        return Remedy(f"{switch}, or remove {', '.join((*self.sampling, *self.beams))} from {self.place.file}")
