"""The YAML beside a single file of Stable Diffusion, compared with the weights.

AUTOMATIC1111's web UI and sd-webui-controlnet build the model by `NAME.yaml` beside `NAME.safetensors` (`.ckpt`,
`.pth`), and refuse weights of other sizes. Only the width of the text (`context_dim`) is compared: it is what differs
between Stable Diffusion 1, 2 and XL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import CONFIG_LIMIT
from inspector.loader.sources.source import Refusal

YAML: Final = ".yaml"
TO_TEXT: Final = ".attn2.to_k.weight"
"""Ending of the names of the matrices that read the text."""
_MODEL: Final = re.compile(r"^\s*target:\s*[\"']?(?:cldm|ldm|sgm)\.", re.MULTILINE)
"""A class of the models' first authors."""
_WIDTH: Final = re.compile(r"^\s*context_dim:(.*)$", re.MULTILINE)
_NUMBER: Final = re.compile(r"\s*(\d{1,6})\s*(?:#.*)?")


def other_settings(root: Checkpoint) -> Iterator[Finding]:
    """The finding on a YAML of a model that reads text of another width than the weights."""
    name = root.files[0].name if len(root.files) == 1 else ""
    beside = f"{name.rpartition('.')[0]}{YAML}"
    if not name or beside not in root.siblings or root.reach is None:
        return
    layouts = [layout for key, layout in root.tensors.items() if key.endswith(TO_TEXT)]
    stored = {layout.shape[-1] for layout in layouts if len(layout.shape) == 2}
    stated = _widths(root, beside)
    if len(stored) != 1 or len(stated) != 1 or stored == stated:
        return
    from inspector.findings.names.single_file import SingleFileSettingsDiffer

    yield SingleFileSettingsDiffer(
        place=Place(file=beside), stated=stated.pop(), stored=stored.pop(), tensors=len(layouts)
    )


def _widths(root: Checkpoint, name: str) -> set[int]:
    """All values of `context_dim` in a file; none if any is no number or it does not describe such a model."""
    source = root.reach() if root.reach is not None else None
    raw = source.read_whole(name, CONFIG_LIMIT) if source is not None else b""
    text = "" if isinstance(raw, Refusal) else raw.decode("utf-8", "replace")
    found = [_NUMBER.fullmatch(one) for one in _WIDTH.findall(text)] if _MODEL.search(text) else []
    return {int(one[1]) for one in found if one is not None} if all(found) else set()
