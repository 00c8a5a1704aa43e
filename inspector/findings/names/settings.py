"""Findings on the components of pipelines that have no weights."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import value


class SettingRefused(ContentFinding, frozen=True, kw_only=True):
    """A scheduler, a tokenizer or an image processor has a setting that its class refuses.

    What it means
        The class that model_index.json names knows no such value of this key, cannot compute with it, or does not
        take it together with another setting. An image processor takes a size as a number, a list or an object.

    Why it matters
        diffusers refuses the pipeline, or loads it and the first call of the pipeline fails.

    Example
        error[C326] setting-refused: scheduler: beta_schedule
          class    PNDMScheduler: it cannot be built
          because  'linearr' is none of linear, scaled_linear, squaredcos_cap_v2
          help     set "beta_schedule": "linear" in scheduler/scheduler_config.json

    What to do
        Use the file of the original repository, or a value that the class knows.
    """

    code = "C326"

    component: str
    class_name: str = msgspec.field(name="class")
    key: str
    stated: Any = msgspec.field(name="config")
    because: str
    built: bool
    """Whether its constructor refuses the value; its first call otherwise."""
    meant: Any = msgspec.UNSET

    headline_text = "{component}: {key}"

    def rows(self) -> Rows:
        fails = "it cannot be built" if self.built else "it is built, and its first call fails"
        return [("class", f"{self.class_name}: {fails}"), ("because", self.because)]

    def remedy(self) -> Remedy:
        file = str(self.place.file)
        if self.meant is msgspec.UNSET:
            return Remedy(f'correct "{self.key}" in {file}, or download the file again')
        step = Step(action="set", file=file, key=(self.key,), old=self.stated, new=self.meant)
        return Remedy(f'set "{self.key}": {value(self.meant)} in {file}', (step,))
