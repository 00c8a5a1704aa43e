"""The sizes of OpenAI's Whisper, as its file states them in `dims` and as its tensors show them.

Source: openai-whisper, `load_model` in `whisper/__init__.py`, which builds the model from `dims` and loads
`model_state_dict` strictly. In all of OpenAI's models a head has 64 dims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from inspector.findings.finding import Finding, Place
from inspector.loader.layout import Layout

OF_HEAD: Final = 64
SIDES: Final = (("audio", "encoder"), ("text", "decoder"))


def sizes_of(tensors: Mapping[str, Layout]) -> tuple[tuple[str, int], ...]:
    """(name in `ModelDimensions`, size) in its order; empty if a tensor that shows a size is absent."""
    shapes = {name: one.shape for name, one in tensors.items()}
    mels, words = shapes.get("encoder.conv1.weight", ()), shapes.get("decoder.token_embedding.weight", ())
    if len(mels) != 3 or len(words) != 2:
        return ()
    found: dict[str, int] = {"n_mels": mels[1], "n_vocab": words[0]}
    for kind, side in SIDES:
        positions = shapes.get(f"{side}.positional_embedding", ())
        blocks = {name.split(".")[2] for name in shapes if name.startswith(f"{side}.blocks.")}
        if len(positions) != 2 or positions[1] % OF_HEAD or not blocks:
            return ()
        found |= {
            f"n_{kind}_ctx": positions[0], f"n_{kind}_state": positions[1], f"n_{kind}_head": positions[1] // OF_HEAD,
            f"n_{kind}_layer": len(blocks),
        }  # fmt: skip
    return tuple(found.items())


def other_sizes(content: object, tensors: Mapping[str, Layout], file: str) -> Iterator[Finding]:
    """The finding on stated sizes that the tensors contradict. No tensor shows the number of heads."""
    stated = content.get("dims") if isinstance(content, Mapping) else None
    if not isinstance(stated, Mapping) or not stated:
        return
    shown = [(key, stated.get(key), size) for key, size in sizes_of(tensors) if not key.endswith("_head")]
    wrong = tuple((key, old, size) for key, old, size in shown if type(old) is int and old != size)
    if wrong:
        from inspector.findings.whisper_sizes import WhisperSizesDiffer

        yield WhisperSizesDiffer(place=Place(file=file), sizes=wrong)
