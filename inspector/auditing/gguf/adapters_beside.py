"""Compares adapters in the folder of a GGUF model with the models there.

Source: `llama_adapter_lora_init_impl` in llama.cpp's `llama-adapter.cpp`, which refuses an adapter of another
architecture, one for a tensor that the model does not have, and matrices with other dims than the model's tensor. The
pair of an embedding is stored transposed and is not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from inspector.dialects.gguf_kinds import KIND, PAIR, refused_by_base
from inspector.findings.finding import Place
from inspector.findings.names.gguf_kinds import GgufAdapterRefused
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.layout import Layout

ADAPTER: Final = "adapter"
EMBEDDING: Final = "token_embd.weight"


def is_adapter(checkpoint: Checkpoint) -> bool:
    """True if the file says that it is an adapter."""
    return checkpoint.metadata is not None and checkpoint.metadata.values.get(KIND) == ADAPTER


def adapters_of_other_models(adapters: list[Checkpoint], models: list[Checkpoint]) -> Iterator[GgufAdapterRefused]:
    """A finding for each adapter that llama.cpp refuses with every model in the folder."""
    for one in adapters:
        reasons = [refused for model in models if (refused := _refused(one, model)) is not None]
        if reasons and len(reasons) == len(models):
            yield reasons[0]


def _refused(adapter: Checkpoint, model: Checkpoint) -> GgufAdapterRefused | None:
    """The reason for which llama.cpp refuses an adapter with a model; None if it accepts it."""
    if adapter.metadata is None:
        return None
    other = refused_by_base(adapter.metadata, model.metadata, ())
    found = other if other is not None else _misshaped(adapter, model.tensors)
    return None if found is None else replace(found, problem=f"{adapter.set_name}: {found.problem}")


def _misshaped(adapter: Checkpoint, tensors: Mapping[str, Layout]) -> GgufAdapterRefused | None:
    """The finding on the first pair for which the model has no tensor, or one with other dims."""
    for name, down in adapter.tensors.items():
        base = name.removesuffix(PAIR[0])
        up = adapter.tensors.get(base + PAIR[1])
        if base in (name, EMBEDDING) or up is None or min(len(down.shape), len(up.shape)) < 2:
            continue
        stored, wanted = (up.shape[-2], down.shape[-1]), tensors[base].shape[-2:] if base in tensors else None
        if stored != wanted:
            because = "does not exist in base model" if wanted is None else "has incorrect shape"
            return GgufAdapterRefused(
                place=Place(file=adapter.set_name, tensor=base),
                problem=base,
                stated=f"for {stored[0]:,} x {stored[1]:,}",
                wanted="no such tensor" if wanted is None else " x ".join(f"{dim:,}" for dim in wanted),
                because=f"{'LoRA tensor' if wanted is None else 'tensor'} '{base}' {because}",
                of_base=True,
            )
    return None
