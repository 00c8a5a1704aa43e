"""Settings that a conversion changed, and that no tensor shows."""

from __future__ import annotations

from typing import Any

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.words import value


class KeyChanged(ContentFinding, frozen=True, kw_only=True):
    """A number of the GGUF file is not that of the model's config.

    What it means
        The converter copies this number, and both sides state it, with different values. The shapes of the tensors do
        not depend on it.

    Why it matters
        The file may load and compute something else, as with another number of heads, or of experts that each token
        uses.

    Example
        error[V863] key-changed: bert.attention.head_count
          file    12
          config  num_attention_heads: 6
          help    set bert.attention.head_count to 6, or convert the model again

    What to do
        Correct the number with gguf_set_metadata, or convert the model again. Of a model that was made from a GGUF
        file, correct its config.
    """

    code = "V863"
    name = "key-changed"

    key: str
    stated: float
    config_key: str
    expected: float
    from_file: bool = False

    headline_text = "{key}"

    def rows(self) -> Rows:
        return [("file", f"{self.stated:g}"), ("config", f"{self.config_key}: {self.expected:g}")]

    def remedy(self) -> Remedy:
        if self.from_file:
            return Remedy(f"set {self.config_key} of the config to {self.stated:g}")
        return Remedy(f"set {self.key} to {self.expected:g}, or convert the model again")


class SettingsDiffer(ContentFinding, frozen=True, kw_only=True):
    """The configs of both sides state settings with which the same tensors compute something else.

    What it means
        The tensors of both sides have the same shapes. Keys of the configs differ that no shape shows: the base or the
        scaling of rotary embeddings, numbers of heads, epsilons, activations, experts for each token, factors. A key
        that one config leaves out has the default of its class.

    Why it matters
        The target loads without an error and computes other results, as after a conversion that lost `rope_theta`.

    Example
        warning[V865] settings-differ: config.json
          rope_theta  500000.0 became 10000.0
          help        set these keys of the target's config to the values of the source,
                      unless it was trained with its own

    What to do
        Set the keys of the target's config to the values of the source. If the target is another model, which was
        trained with these settings, nothing is wrong.
    """

    code = "V865"
    severity = "warning"

    keys: tuple[str, ...]
    source: tuple[Any, ...]
    target: tuple[Any, ...]

    remedy_text = (
        "set these keys of the target's config to the values of the source, unless it was trained with its own"
    )

    def rows(self) -> Rows:
        changed = [
            (key, f"{value(one)} became {value(other)}")
            for key, one, other in zip(self.keys, self.source, self.target, strict=True)
        ]
        more = len(changed) - 8
        return [*changed[:8], *([("more", f"{more} keys")] if more > 0 else [])]
