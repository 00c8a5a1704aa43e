"""The finding on quantized values."""

from __future__ import annotations

from inspector.findings.finding import Finding, Rows


class ValuesQuantized(Finding, frozen=True, kw_only=True):
    """The values are those of the source, quantized.

    What it means
        The numbers that these blocks stand for are those of the source but for what the format loses. The error is the
        root of the squares of all differences over that of the squares of the source's values. Q8_0 has the nearest of
        its 255 steps for every value of the source, or of the source rounded to BF16 or F16 before. How other formats
        divide the error among the values is a choice of the program that quantized them, so that a single wrong value
        cannot be told from it.

    Why it matters
        Nothing is damaged; the precision is that of the format.

    Example
        note[V862] values-quantized: 16 tensors
          Q8_0  error up to 0.56 %, in blk.1.attn_v.weight

    What to do
        Nothing. For a smaller error, choose a format with more bits.
    """

    code = "V862"
    severity = "note"

    tensors: int
    names: tuple[str, ...]
    formats: tuple[str, ...]
    errors: tuple[float, ...]
    worst: tuple[str, ...]
    """For each format, the largest error of a tensor relative to its source, and the tensor."""

    headline_text = "{tensors:count tensor}"

    def rows(self) -> Rows:
        return [
            (name, f"error up to {100 * error:.2g} %, in {tensor}")
            for name, error, tensor in zip(self.formats, self.errors, self.worst, strict=True)
        ]
