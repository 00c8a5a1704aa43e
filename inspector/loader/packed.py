"""How a quantized tensor is stored, and which part of its logical shape the header determines."""

from __future__ import annotations

from msgspec import Struct

from inspector.loader.layout import Layout


class Packed(Struct, frozen=True):
    """The storage of a logical tensor.

    scheme: name of the quantization scheme. bits: of one logical value, without helpers. group_size: number of values
    that share a scale; None if the scheme has no groups or the header does not show it. storage: dtype and shape as the
    header states them. bounds: (least, most) for each logical dim, if the header does not determine it; else empty.
    shaped: False if the header determines the number of elements but not the shape. padding: number of elements at the
    end that may be padding. known: False if the scheme is unknown; the logical tensor is then counted as stored and
    fits any shape. values: the suffix under which the values are stored.
    """

    scheme: str
    bits: float
    group_size: int | None
    storage: Layout
    bounds: tuple[tuple[int, int], ...] = ()
    shaped: bool = True
    padding: int = 0
    known: bool = True
    values: str = "weight"

    @property
    def exact(self) -> bool:
        """True if the header determines the logical shape."""
        return self.shaped and self.known and not self.bounds

    @property
    def counted(self) -> bool:
        """True if the header determines the number of logical elements."""
        return self.known and not self.bounds and not self.padding

    def admits(self, shape: tuple[int | None, ...], layout: Layout) -> bool:
        """True if the logical tensor can have this shape. layout: the logical layout, as reported."""
        if not self.known:
            return True
        if self.bounds:
            return len(shape) == len(self.bounds) and all(
                dim is None or least <= dim <= most for dim, (least, most) in zip(shape, self.bounds, strict=True)
            )
        elements = 1
        for dim in shape:
            if dim is None:
                return True
            elements *= dim
        return layout.elements - self.padding <= elements <= layout.elements
