"""Compares the number of key and value heads that a GGUF file states with the rows of its attention matrices.

Source: llama.cpp `llama_model::load_tensors`, which creates `attn_k` with `key_length * head_count_kv` rows and
`attn_qkv` with the rows of all three, and refuses tensors of another shape. Many architectures have no such number in
transformers, so their definitions do not check it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from inspector.dialects.gguf_config import reads
from inspector.findings.finding import Finding, Place
from inspector.loader.config_file import Config
from inspector.loader.layout import Layout

STATED: Final = "attention.head_count_kv"
HEADS: Final = "attention.head_count"
OTHER_WIDTHS: Final = (
    "attention.kv_lora_rank",
    "attention.key_length_swa",
    "ssm.inner_size",
    "ssm.state_size",
    "ssm.conv_kernel",
)
"""Keys of architectures in which keys and values have different widths, or only some layers have them."""
PARTLY: Final = "falcon"
"""The architecture whose definition reads the number only if it is 1 or the number of query heads."""


def head_findings(metadata: Config, model_type: object, tensors: Mapping[str, Layout]) -> Iterator[Finding]:
    """The finding on a number of key and value heads that no attention matrix has."""
    values = metadata.values
    name = values.get("general.architecture")
    own = {key.removeprefix(f"{name}."): value for key, value in values.items() if key.startswith(f"{name}.")}
    stated, heads = own.get(STATED), own.get(HEADS)
    read = isinstance(model_type, str) and reads(model_type, STATED)
    if type(stated) is not int or stated < 0 or (read and (name != PARTLY or stated in (1, heads))):
        return
    shown = set() if any(key in own for key in OTHER_WIDTHS) else set(_heads(own, tensors))
    if len(shown) == 1 and shown != {stated}:
        from inspector.findings.types.gguf_heads import GgufHeadsDisagree

        key, found = f"{name}.{STATED}", shown.pop()
        yield GgufHeadsDisagree(
            place=Place(file=metadata.file, key=key), key=key, stated=stated, shown=found,
            either=f"{name}.{HEADS}" if found == heads and _divides(own, stated) else "",
        )  # fmt: skip


def _divides(own: Mapping[str, object], heads: int) -> bool:
    """True if the width of a head follows from the number of heads, and this number of heads divides it."""
    width = own.get("embedding_length")
    return "attention.key_length" not in own and type(width) is int and heads > 0 and width % heads == 0


def _heads(own: Mapping[str, object], tensors: Mapping[str, Layout]) -> Iterator[int]:
    """The number of key heads by the rows of each attention matrix; 0 if it is not a whole number."""
    heads, width = own.get(HEADS), own.get("embedding_length")
    if type(heads) is not int or type(width) is not int or heads < 1:
        return
    length = own.get("attention.key_length", width // heads)
    if type(length) is not int or length < 1 or own.get("attention.value_length", length) != length:
        return
    for name, layout in tensors.items():
        joined = name.endswith(".attn_qkv.weight")
        if layout.shape and (joined or name.endswith(".attn_k.weight")):
            rows = layout.shape[0] - (heads * length if joined else 0)
            found, rest = divmod(rows, (2 if joined else 1) * length)
            yield 0 if rest else found
