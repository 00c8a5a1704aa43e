"""A finding on bits and group size of MLX that both differ from the weights."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import listed


class MlxPairDisagrees(ContentFinding, frozen=True, kw_only=True):
    """Bits and group size of MLX fit the packed shapes together, but not the widths of the model.

    What it means
        The packed words and the scales show only bits times group size: 8 bits in groups of 32 have the shapes of 2
        bits in groups of 128 for four times as many inputs. Here the widths of the model fit another pair than the
        config states, which a tool wrote that reads its own file of settings, such as jang_config.json.

    Why it matters
        mlx-lm takes the pair of a module's entry and refuses the weights: "Expected shape". For modules without an
        entry mlx-lm 0.32 takes it from the tensors; older versions and other programs take it from the config.

    Example
        error[T671] mlx-pair-disagrees: 6 entries of quantization
          config   8 bits in groups of 32
          weights  2 bits in groups of 128
          such as  model.layers.0.mlp.gate_proj
          help     set "bits": 2 and "group_size": 128 in these entries in config.json

    What to do
        Correct both numbers; the weights are consistent.
    """

    code = "T671"

    sections: tuple[str, ...]
    """The keys of config.json with the settings."""
    entries: tuple[str, ...]
    """The modules with an entry of their own to correct; none for the settings of all modules."""
    bits: int
    group_size: int
    stored_bits: int
    stored_group_size: int

    def headline(self) -> str:
        if not self.entries:
            return self.sections[0]
        number = "1 entry" if len(self.entries) == 1 else f"{len(self.entries):,} entries"
        return f"{number} of {self.sections[0]}"

    def rows(self) -> Rows:
        rows: Rows = [
            ("config", f"{self.bits} bits in groups of {self.group_size}"),
            ("weights", f"{self.stored_bits} bits in groups of {self.stored_group_size}"),
        ]
        return [*rows, ("such as", listed(self.entries[:1]))] if self.entries else rows

    def remedy(self) -> Remedy:
        new = {"bits": self.stored_bits, "group_size": self.stored_group_size}
        where = "these entries" if len(self.entries) > 1 else "this entry" if self.entries else self.sections[0]
        modules: list[tuple[str, ...]] = [(name,) for name in self.entries] or [()]
        steps = tuple(
            Step(action="set", file="config.json", key=(section, *module, key), new=value)
            for section in self.sections
            for module in modules
            for key, value in new.items()
        )
        words = f'set "bits": {self.stored_bits} and "group_size": {self.stored_group_size} in {where}'
        return Remedy(f"{words} in config.json", steps)
