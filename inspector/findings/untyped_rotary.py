"""The finding on settings of rotary embeddings that scale and do not say how."""

from __future__ import annotations

from typing import Any

from inspector.findings.finding import ContentFinding, Finding, Remedy, Rows, Step
from inspector.findings.words import listed, value


class RotaryTypeMissing(ContentFinding, frozen=True, kw_only=True):
    """The settings of rotary embeddings state a factor, and no type.

    What it means
        `rope_type` (earlier `type`) says how the other settings change the angles. transformers 5 takes the default,
        which does not scale, and ignores the rest; most models of 4.57 refuse the config ("Missing required keys in
        `rope_scaling`").

    Why it matters
        The weights load completely and compute other positions than in training, above all in long inputs.

    Example
        warning[C338] rotary-type-missing: rope_scaling has no rope_type
          stated   factor 2.0
          loaders  transformers 5.23 does not scale; 4.57 refuses it
          help     add "rope_type" to rope_scaling in config.json: the type of the
                   training, such as "linear" or "dynamic"; remove rope_scaling if there
                   was none

    What to do
        Add the type with which the model was trained. Remove the settings if it was trained without them.
    """

    code = "C338"
    severity = "warning"

    file: str
    path: tuple[str, ...]
    """The object with the settings."""
    stated: tuple[tuple[str, Any], ...]
    """The settings that scale, with their values."""
    kinds: tuple[str, ...]
    """The types that read them."""
    newest: str
    older: str
    """The older version, if it refuses the settings."""

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """Nothing where the loader refuses the config: the finding on that names the key."""
        return None if outcome == "refuses" else self

    def headline(self) -> str:
        return f"{'.'.join(self.path)} has no rope_type"

    def rows(self) -> Rows:
        older = f"; {self.older} refuses it" if self.older else ""
        stated = listed([name if isinstance(one, list) else f"{name} {value(one)}" for name, one in self.stated], 4)
        return [("stated", stated), ("loaders", f"transformers {self.newest} does not scale{older}")]

    def remedy(self) -> Remedy:
        holder = ".".join(self.path)
        if len(self.kinds) == 1 and len(self.stated) > 1:
            (kind,) = self.kinds
            step = Step(action="set", file=self.file, key=(*self.path, "rope_type"), new=kind)
            return Remedy(f'add "rope_type": "{kind}" to {holder} in {self.file}', (step,))
        types = " or ".join(f'"{one}"' for one in self.kinds)
        words = f'add "rope_type" to {holder} in {self.file}: the type of the training, such as {types}'
        return Remedy(f"{words}; remove {holder} if there was none")
