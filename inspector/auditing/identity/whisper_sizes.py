"""Finds files of PyTorch with weights of OpenAI's Whisper that lack the sizes of the model.

Source: `load_model` in `whisper/__init__.py` of openai-whisper, which reads `dims` and `model_state_dict`. In all of
OpenAI's models a head has 64 dims.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from inspector.auditing.result import Audit
from inspector.dialects.whisper import WRITER
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint

STATE: Final = "model_state_dict"
OF_HEAD: Final = 64
SIDES: Final = (("audio", "encoder"), ("text", "decoder"))


def with_sizes_missing(audited: Audit) -> Audit:
    """The audit with the finding on a state dict alone, under OpenAI's names."""
    found = list(_without_sizes(audited))
    return audited.with_findings([*found, *audited.findings]) if found else audited


def _without_sizes(audited: Audit) -> Iterator[Finding]:
    from inspector.findings.header.torch import WeightsInside
    from inspector.findings.names.architecture import NamesInDialect
    from inspector.findings.whisper_sizes import WhisperSizesMissing

    checkpoint = audited.checkpoint
    named = any(isinstance(one, NamesInDialect) and one.writer == WRITER for one in audited.findings)
    if not named or len(checkpoint.files) != 1 or checkpoint.files[0].name.endswith(".safetensors"):
        return
    inside = next((one.inside for one in audited.findings if isinstance(one, WeightsInside)), "")
    sizes = sizes_of(checkpoint)
    if inside != STATE and sizes:
        yield WhisperSizesMissing(place=Place(file=checkpoint.files[0].name), sizes=sizes, inside=inside)


def sizes_of(checkpoint: Checkpoint) -> tuple[tuple[str, int], ...]:
    """(name in `ModelDimensions`, size) in its order; empty if a tensor that shows a size is absent."""
    shapes = {name: one.shape for name, one in checkpoint.tensors.items()}
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
