"""Finds modules of a pipeline component under the names of a wrapper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from inspector.adapters.tools import PREFIXES, ToolTensor
from inspector.findings.finding import Finding
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

WRAPPERS: Final = (
    "base_model.model.", "module.", "_fsdp_wrapped_module.", "_checkpoint_wrapped_module.", "_forward_module."
)  # fmt: skip
"""Prefixes that wrappers add to the names of modules. diffusers removes `_orig_mod.` (0.42: StableDiffusionPipeline),
and refuses the others (NoMatchingPeftModuleError).
"""
DOTTED: Final = tuple(prefix for prefix, _, _ in PREFIXES if prefix.endswith("."))
"""Beginnings of names that keep the dots in module names."""


def wrapped_modules(families: Families, found: Mapping[str, ToolTensor]) -> Iterator[Finding]:
    """The finding on each component with all modules below the name of one wrapper."""
    for prefix in DOTTED:
        keys = [key for key in found if key.startswith(prefix)]
        wrapper = next((one for one in WRAPPERS if keys and all(key.startswith(prefix + one) for key in keys)), None)
        if wrapper is None:
            continue
        from inspector.findings.adapters.wrapped import AdapterModulesWrapped

        first = next(iter(names_in(keys[0], families[keys[0]].boxes, 1)))
        yield AdapterModulesWrapped(
            component=prefix,
            wrapper=wrapper,
            tensors=sum(families[key].tensors for key in keys),
            stored=first,
            wanted=prefix + first.removeprefix(prefix + wrapper),
        )
