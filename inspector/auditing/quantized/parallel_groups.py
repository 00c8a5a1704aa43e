"""Groups of AWQ that tensor parallelism would cut: vLLM refuses these numbers of devices.

Source: vLLM's `AWQLinearMethod.create_weights` and `check_marlin_supports_layer`, which falls back to it: the inputs of
a part must be a multiple of the group size. The down projection is split along its inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.quantization.read_settings import TEXT_PARTS
from inspector.quantization.unpacked import Unpacked

METHOD: Final = "awq"
"""The method, and the scheme of its usual layout."""
LEAST_BYTES: Final = 8_000_000_000
"""The note is left out for weights of fewer bytes, for which one device usually has room."""
DEVICES: Final = (2, 4, 8)
ROWS: Final = ("down_proj.qweight", ".w2.qweight", "mlp.c_proj.qweight", "dense_4h_to_h.qweight", "fc2.qweight")
"""Ends of the names of matrices that are split along their inputs, of which AWQ has the rows."""
TEXT: Final = ("", *TEXT_PARTS)
"""Places of the text model's config; "": the top."""


def groups_cut(checkpoint: Checkpoint, unpacked: Unpacked) -> Iterator[Finding]:
    """The note on the numbers of devices that would cut a group; none where the heads exclude them as well."""
    config, size = checkpoint.config, unpacked.settings.base.group_size
    if unpacked.settings.base.method != METHOD or not unpacked.schemes.get(METHOD) or not size or config is None:
        return
    heads = _heads(config.values)
    if heads is None or sum(layout.bytes for layout in checkpoint.tensors.values()) < LEAST_BYTES:
        return
    widths: dict[int, str] = {}
    for name, layout in checkpoint.tensors.items():
        if name.endswith(ROWS) and len(layout.shape) == 2 and "expert" not in name:
            widths.setdefault(layout.shape[0], name)
    for width, name in widths.items():
        cut = tuple(number for number in DEVICES if not heads % number and width % (number * size))
        if cut and not width % size:
            from inspector.findings.types.parallel_groups import GroupsCut

            yield GroupsCut(place=Place(tensor=name), inputs=width, group_size=size, devices=cut)


def _heads(values: Mapping[str, Any]) -> int | None:
    for path in TEXT:
        part: Any = values
        for key in path.split(".") if path else ():
            part = part.get(key) if isinstance(part, Mapping) else None
        heads = part.get("num_attention_heads") if isinstance(part, Mapping) else None
        if type(heads) is int and heads > 0:
            return heads
    return None
