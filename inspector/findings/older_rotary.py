"""The note on settings of rotary embeddings that an older version of transformers does not read."""

from __future__ import annotations

import json
from typing import Any

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import listed


class OlderRotaryDiffers(ContentFinding, frozen=True, kw_only=True):
    """An older version of transformers computes other positions, since it does not read rope_parameters.

    What it means
        transformers 5 stores the settings of rotary embeddings in `rope_parameters`. Version 4.57 ignores this key and
        takes the default of its config class unless the config has the older keys too.

    Why it matters
        4.57 loads all weights without a warning, and the model gives worse answers, above all to long inputs.

    Example
        note[N670] older-rotary-differs: transformers 4.57 does not read rope_parameters
          rope_theta  500000.0 stated; 4.57 takes 10000.0
          help        nothing to do for transformers 5.23; for 4.57 add "rope_theta":
                      500000.0 to config.json

    What to do
        Nothing for transformers 5. For programs with 4.57 add the older keys beside `rope_parameters`; transformers 5
        then reads what it read before.
    """

    code = "N670"
    severity = "note"

    file: str
    path: tuple[str, ...]
    """The sub-config that has `rope_parameters`; empty for the config itself."""
    settings: tuple[tuple[str, Any, Any], ...]
    """(key that the older version reads, value stated for the newest one, value that the older one takes)."""
    older: str
    newest: str

    def headline(self) -> str:
        return f"transformers {self.older} does not read {'.'.join((*self.path, 'rope_parameters'))}"

    def rows(self) -> Rows:
        return [
            (key, f"{_short(stated)} stated; {self.older} takes {_short(used)}") for key, stated, used in self.settings
        ]

    def remedy(self) -> Remedy:
        added = listed([f'"{key}": {json.dumps(stated)}' for key, stated, _ in self.settings], len(self.settings))
        place = f"{'.'.join(self.path)} in {self.file}" if self.path else self.file
        steps = (Step(action="set", file=self.file, key=(*self.path, key), new=new) for key, new, _ in self.settings)
        words = f"nothing to do for transformers {self.newest}; for {self.older} add {added} to {place}"
        return Remedy(words, tuple(steps))


def _short(value: Any) -> str:
    """A value in a few words: of a scaling, its kind."""
    if isinstance(value, dict):
        return str(value.get("rope_type", value.get("type", "default")))
    return "none" if value is None else json.dumps(value)
