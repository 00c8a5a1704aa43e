"""Compares sizes in a library's own config with its weights.

Sources: VITS' `utils.py` and `models.py`: the list `symbols` of the config, where it is stated, gives the rows of the
embedding. Coqui's `tts/models/xtts.py`: `gpt_num_audio_tokens` gives those of the audio codes. Both refuse other sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from inspector.findings.finding import Finding, Place
from inspector.loader.loaders import TRANSFORMERS
from inspector.matcher.families import Families

SIZES: Final[Mapping[str, Sequence[tuple[str, str]]]] = {
    "VITS' own code": (("symbols", "enc_p.emb.weight"),),
    "Coqui TTS": (("model_args.gpt_num_audio_tokens", "gpt.mel_embedding.weight"),),
}
"""Library -> (key of its config, the family with so many rows)."""


def library_config(library: str, values: Mapping[str, Any], families: Families) -> Iterator[Finding]:
    """The findings on stated sizes that the weights do not have; a key that is not stated is not compared."""
    for key, name in SIZES.get(library, ()):
        family, stated = families.get(name), _size(values, key)
        shapes = family.shapes if family is not None else set()
        if stated is None or len(shapes) != 1 or family is None or family.tensors != 1:
            continue
        (shape,) = shapes
        if shape and shape[0] != stated:
            from inspector.findings.names.of_library import LibraryConfigDiffers

            yield LibraryConfigDiffers(
                place=Place(file=TRANSFORMERS.config, key=key),
                key=key,
                library=library,
                stated=stated,
                stored=shape[0],
                family=name,
            )


def _size(values: Mapping[str, Any], key: str) -> int | None:
    """The number at a key, or the length of the list there."""
    found: object = values
    for part in key.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    if isinstance(found, list):
        return len(found)
    return found if type(found) is int else None
