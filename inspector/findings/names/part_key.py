"""The finding on a sub-config under a key that the class does not read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspector.findings.finding import ContentFinding, Remedy, Step


class PartKeyUnread(ContentFinding, frozen=True, kw_only=True):
    """The config of a part is stated under another key than the one that is read.

    What it means
        The sizes of this part are in the config, under a key of another program or release. The class looks for
        another one and finds nothing.

    Why it matters
        The class takes its defaults for the part: loaders refuse the weights, or leave most of it random.

    Example
        error[C335] part-key-unread: language_config is not read; text_config is
          help  rename language_config to text_config in config.json: its sizes are
                those of the weights

    What to do
        Rename the key.
    """

    code = "C335"

    key: str
    wanted: str
    stated: Mapping[str, Any]

    headline_text = "{key} is not read; {wanted} is"

    def remedy(self) -> Remedy:
        steps = (
            Step(action="set", file="config.json", key=(self.wanted,), new=dict(self.stated)),
            Step(action="remove", file="config.json", key=(self.key,), old=dict(self.stated)),
        )
        words = f"rename {self.key} to {self.wanted} in config.json: its sizes are those of the weights"
        return Remedy(words, steps)
