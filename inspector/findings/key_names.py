"""The finding on a config that states a key under two names with different values."""

from __future__ import annotations

from typing import Any

import msgspec

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import value


class KeyStatedTwice(ContentFinding, frozen=True, kw_only=True):
    """The config states one key under two names with different values, and the name that decides fits the weights.

    What it means
        A config class of transformers accepts a second name of the key (`attribute_map`). transformers 5 reads the
        value under the second name, which is that of the weights.

    Why it matters
        Loaders differ in the name that they read: transformers 4 reads the value under the first name, and builds
        another model.

    Example
        warning[C328] key-stated-twice: encoder_layers
          config   5, and num_hidden_layers 3
          weights  3
          loads    transformers 5.23 reads num_hidden_layers and loads it
          help     set "encoder_layers": 3 in config.json

    What to do
        Give both names the value of the weights.
    """

    code = "C328"
    severity = "warning"

    key: str
    stated: Any = msgspec.field(name="config")
    other: str
    solved: Any = msgspec.field(name="weights")
    loads: str
    """The loader that reads the other name."""

    def headline(self) -> str:
        return self.key

    def rows(self) -> Rows:
        return [
            ("config", f"{value(self.stated)}, and {self.other} {value(self.solved)}"),
            ("weights", value(self.solved)),
            ("loads", f"{self.loads} reads {self.other} and loads it"),
        ]

    def remedy(self) -> Remedy:
        step = Step(action="set", file="config.json", key=tuple(self.key.split(".")), old=self.stated, new=self.solved)
        return Remedy(f'set "{self.key}": {value(self.solved)} in config.json', (step,))
