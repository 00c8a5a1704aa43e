"""The finding on rows that a merger of the ranks of a save left in the tensors."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding, Remedy, Rows
from inspector.findings.words import count, listed, shape


class RowsOfRanks(ContentFinding, frozen=True, kw_only=True):
    """Tensors were joined from the ranks of a sharded save with the ranks' padding, or with one copy of each rank.

    What it means
        FSDP gives each rank the same number of rows and pads the last ones. Joined without cutting the padding, each
        tensor has the next multiple of the number of ranks as its rows. Buffers are not split: joined like parameters,
        they have one copy from each rank.

    Why it matters
        Loaders fail on the first shape. A config with the padded sizes would load other numbers into the model.

    Example
        error[D517] rows-of-ranks: padded to multiples of 24: 289 of 291 tensors
          such as   model.layers.{layer}.self_attn.q_proj.weight and 9 more
          stored    [4104, 4096]
          expected  [4096, 4096]
          because   each number of rows is rounded up to a multiple of 24, as FSDP pads
                    the parts of its ranks
          help      merge the ranks again with a merger that cuts the padding, or keep
                    the first rows of each tensor, here 4,096; change no size in the
                    config

    What to do
        Merge the save of the ranks again with a newer merger, or cut the rows that are too many, which are the last.
    """

    code = "D517"

    ranks: int
    copied: bool
    families: tuple[str, ...]
    tensors: int
    of: int
    stored: tuple[int, ...]
    expected: tuple[int | None, ...]

    def headline(self) -> str:
        tensors = f"{self.tensors:,} of {count(self.of, 'tensor')}"
        return f"{self.ranks} copies in {tensors}" if self.copied else f"padded to multiples of {self.ranks}: {tensors}"

    def rows(self) -> Rows:
        because = (
            f"{self.ranks} whole copies follow each other: FSDP does not split buffers, and each rank saved its own"
            if self.copied
            else f"each number of rows is rounded up to a multiple of {self.ranks}, as FSDP pads the parts of its ranks"
        )
        return [
            ("such as", listed(self.families, 1)),
            ("stored", shape(self.stored)),
            ("expected", shape(self.expected)),
            ("because", because),
        ]

    def remedy(self) -> Remedy:
        cuts = "stores buffers once" if self.copied else "cuts the padding"
        part = "elements" if self.copied else "rows"
        return Remedy(
            f"merge the ranks again with a merger that {cuts}, or keep the first {part} of each tensor, here "
            f"{self.expected[0]:,}; change no size in the config"
        )
