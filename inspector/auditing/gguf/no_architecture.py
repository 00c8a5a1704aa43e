"""Recognises a GGUF file with a language model whose metadata states no architecture.

candle (`tensor-tools quantize`, and its `gguf_file::write`) writes the tensors of transformers without metadata;
llama.cpp refuses such a file: "unknown model architecture: ''". Files of image models without metadata are those of
stable-diffusion.cpp, which ComfyUI reads as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from inspector.auditing.gguf.tensors import FIRST, LAYERS
from inspector.dialects.gguf_kinds import KIND, PAIR
from inspector.findings.finding import Place

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.findings.names.gguf_architecture import GgufArchitectureAbsent

ARCHITECTURE: Final = "general.architecture"
CANDLE: Final = "candle"
SIZES: Final = ".block_count"
"""The ending of a key that belongs to an architecture."""
SPLIT: Final = "split.no"


def architecture_absent(audited: Audit) -> GgufArchitectureAbsent | None:
    """The finding on a file of a language model without `general.architecture`; None for any other file."""
    checkpoint = audited.checkpoint
    values: Mapping[str, object] = {} if checkpoint.metadata is None else checkpoint.metadata.values
    if ARCHITECTURE in values or KIND in values or SPLIT in values or not checkpoint.is_gguf or checkpoint.partial:
        return None
    if checkpoint.config is not None:  # of a config.json beside the file, whose own metadata is not kept
        return None
    names = checkpoint.tensors
    if any(key.endswith(SIZES) for key in values) or any(name.endswith(PAIR) for name in names):
        return None
    own = next((name for name in names if name == FIRST or name.startswith(LAYERS)), "")
    if not own and not _is_language_model(audited):
        return None
    from inspector.findings.names.gguf_architecture import GgufArchitectureAbsent

    example = own or next(iter(names))
    place = Place(file=checkpoint.set_name, key=ARCHITECTURE)
    return GgufArchitectureAbsent(place=place, example=example, read_by="" if own else CANDLE)


def _is_language_model(audited: Audit) -> bool:
    """True if the names are those of a language model of transformers.

    Classes of diffusers begin with a capital. stable-diffusion.cpp writes text encoders without metadata, too: CLIP,
    and T5 without its decoder.
    """
    architecture = audited.architecture
    if architecture is None or not architecture.name[:1].islower() or architecture.name.startswith("clip"):
        return False
    starts = {name.partition(".")[0] for name in audited.checkpoint.tensors}
    return "encoder" not in starts or "decoder" in starts
