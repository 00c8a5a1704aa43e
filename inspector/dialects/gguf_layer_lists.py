"""Compares lists of a GGUF file that state the kind of each layer with the tensors of the layers.

Source: llama.cpp `llama_model::load_hparams` of Nemotron-H (a layer without key-value heads and without an MLP is
Mamba's); measured with xllamacpp 2026.10. For other architectures the definition checks the lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from inspector.algebra.span import Span
from inspector.dialects.gguf_sizes import layers_of
from inspector.findings.finding import Finding, Place
from inspector.loader.config_file import Config
from inspector.loader.layout import Layout

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "attention.head_count_kv": (
        "attn_k.weight", "attn_qkv.weight", "attn_q.weight", "attn_v.weight", "attn_output.weight",
    ),
    "feed_forward_length": (
        "ffn_down.weight", "ffn_down_exps.weight", "ffn_up.weight", "ffn_up_exps.weight", "ffn_gate_inp.weight",
    ),
}  # fmt: skip
"""Key -> the matrices of which a layer has some where the number is above 0: one may be lost."""
BY_LISTS: Final[Mapping[str, tuple[str, ...]]] = {
    "nemotron_h": tuple(KINDS), "nemotron_h_moe": tuple(KINDS),
}  # fmt: skip
"""Architecture -> the lists by which llama.cpp chooses the tensors of a layer."""


def layer_kinds(metadata: Config, tensors: Mapping[str, Layout]) -> Iterator[Finding]:
    """The finding on each list that contradicts the tensors of the layers."""
    name = metadata.values.get("general.architecture")
    layers = {number: shapes for (start, number), shapes in layers_of(tensors).items() if start == "blk"}
    for key in BY_LISTS.get(name, ()) if isinstance(name, str) else ():
        stated = metadata.values.get(f"{name}.{key}")
        numbers = stated if isinstance(stated, list) and all(type(one) is int for one in stated) else []
        if not any(numbers) or set(layers) != set(range(len(numbers))):  # of none at all the definition speaks
            continue
        having = [number for number, shapes in layers.items() if not shapes.keys().isdisjoint(KINDS[key])]
        differing = [number for number, one in enumerate(numbers) if (one > 0) is not (number in having)]
        if differing:
            from inspector.findings.types.gguf_heads import GgufLayerKindsDisagree

            found = (one for one in KINDS[key] if any(one in shapes for shapes in layers.values()))
            yield GgufLayerKindsDisagree(
                place=Place(file=metadata.file, key=f"{name}.{key}"), key=f"{name}.{key}", stated=tuple(numbers),
                tensor=next(found, KINDS[key][0]), having=Span.of(having).words(),
                layers=Span.of(differing).words(), differing=len(differing),
            )  # fmt: skip
