"""What the training scripts of IP-Adapter save: the adapter and the whole UNet under the names of the training class.

`adapter_modules.` numbers the attention processors as `ip_adapter.` does (`tutorial_train.py` of its authors).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from inspector.findings.finding import Finding
from inspector.loader.layout import Layout

ADAPTER: Final = "adapter_modules."
PROJECTION: Final = "image_proj_model."
UNET: Final = "unet."
ENDS: Final = (".to_k_ip.weight", ".to_v_ip.weight")


def image_prompt_training(tensors: Mapping[str, Layout]) -> Iterator[Finding]:
    """The finding on an IP-Adapter under the names of its training class."""
    adapter = [name for name in tensors if name.startswith(ADAPTER)]
    projection = [name for name in tensors if name.startswith(PROJECTION)]
    if not projection or not any(name.endswith(ENDS) for name in adapter):
        return
    from inspector.findings.adapters.image_prompt import AdapterInTraining

    yield AdapterInTraining(
        tensors=len(adapter) + len(projection),
        such_as=adapter[0],
        beside=sum(name.startswith(UNET) for name in tensors),
    )
