"""GPTQ without `g_idx`, the group of each input, as its first tools stored it.

Source: vLLM's `auto_gptq` and MLX read no `g_idx`; GPTQModel registers it with the groups in order; the GPTQ loader of
text-generation-inference reads the tensor of every module (`get_tensor`) unless the Marlin kernels are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.findings.finding import Finding, Place
from inspector.quantization.unpacked import Unpacked

METHOD: Final = "gptq"
INDEX: Final = ".g_idx"


def index_absent(unpacked: Unpacked) -> Iterator[Finding]:
    """The note that no module has `g_idx`. With `desc_act` the index is required, and its absence an error."""
    modules = unpacked.schemes.get(METHOD, 0)
    base = unpacked.settings.base
    if not modules or base.method != METHOD or base.variant == "desc_act":
        return
    if any(one.key.endswith(INDEX) for one in unpacked.helpers):
        return
    from inspector.findings.types.packing_helpers import GroupIndexAbsent

    yield GroupIndexAbsent(place=Place(key=unpacked.settings.source), modules=modules)
