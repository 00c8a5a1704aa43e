"""Finds a textual inversion with vectors for one of the two CLIP encoders of its base."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.adapters.changed_modules import ChangedModule
from inspector.adapters.tool_base import BaseModules
from inspector.adapters.tools import VECTORS
from inspector.findings.finding import Finding

ENCODERS = ("text_encoder", "text_encoder_2")
TABLE = "token_embedding"
"""Ending of the name of CLIP's table of tokens; T5 next to it is given no vectors."""
SECOND = "_2."
"""Part of the file names for the second encoder's vectors (diffusers' `textual_inversion_sdxl.py`)."""


def of_one_encoder(modules: Sequence[ChangedModule], base: BaseModules, files: Sequence[str]) -> Iterator[Finding]:
    """The finding on vectors that fit exactly one of two encoders. files: the other files in the folder."""
    vectors = [one for one in modules if one.method == VECTORS]
    wanted = [_width(base, name) for name in ENCODERS]
    if not vectors or len(vectors) < len(modules) or None in wanted or len(set(wanted)) < len(ENCODERS):
        return
    stored = {part.layout.shape[-1:] for one in vectors for part in one.parts["vectors"][1].stored}
    fitting = [name for name, width in zip(ENCODERS, wanted, strict=True) if stored == {(width,)}]
    if not fitting or any(SECOND in name or "embed" in name for name in files):
        return
    from inspector.findings.adapters.one_encoder import EmbeddingOfOneEncoder

    own = ENCODERS.index(fitting[0])
    yield EmbeddingOfOneEncoder(
        encoder=ENCODERS[own], width=wanted[own] or 0, other=ENCODERS[1 - own], of_other=wanted[1 - own] or 0
    )


def _width(base: BaseModules, component: str) -> int | None:
    """The width of the CLIP encoder in this component; None without one."""
    tables = [
        shape for name, shape in base.modules.get(component, {}).items() if name in base.tables and name.endswith(TABLE)
    ]
    return tables[0][-1] if len(tables) == 1 else None
