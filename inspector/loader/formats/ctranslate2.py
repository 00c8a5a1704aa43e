"""Finds the mel bins of a speech model of CTranslate2; nothing else of the format is read.

Source: `ModelSpec._serialize` of ctranslate2 4: version, name of the specification, revision, the number of variables;
each variable has a name, its rank and dims, a dtype, the number of its bytes, and the bytes.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, Final

SPECIFICATION: Final = "WhisperSpec"
FIRST_CONVOLUTION: Final = "encoder/conv1/weight"
"""[width, mel bins, 3]."""
MOST: Final = 20_000
"""More variables than any published model has."""


def mel_bins(path: str) -> int | None:
    """The mel bins of a Whisper model; None for other models and for damaged files."""
    try:
        with open(path, "rb") as file:
            _numbers(file, "<I")
            if _text(file) != SPECIFICATION:
                return None
            _, variables = _numbers(file, "<II")
            for _ in range(min(variables, MOST)):
                name, (rank,) = _text(file), _numbers(file, "<B")
                dims = _numbers(file, f"<{rank}I")
                _, size = _numbers(file, "<BI")
                if name == FIRST_CONVOLUTION:
                    return dims[1] if len(dims) == 3 else None
                file.seek(size, 1)
    except (OSError, ValueError, struct.error):
        return None
    return None


def _numbers(file: BinaryIO, form: str) -> tuple[int, ...]:
    return struct.unpack(form, file.read(struct.calcsize(form)))


def _text(file: BinaryIO) -> str:
    (length,) = _numbers(file, "<H")
    return file.read(length)[:-1].decode()
