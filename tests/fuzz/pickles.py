"""Compares verdicts on random PyTorch files with `torch.load(weights_only=True)`."""

from __future__ import annotations

import io
import pickle
import random
import warnings
import zipfile
from collections import Counter, OrderedDict
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from inspector.budget import one_budget
from inspector.findings.finding import Finding
from inspector.findings.header.entries import DtypeUnknown, KeyDoubled
from inspector.findings.header.pickle import PickleMalformed
from inspector.findings.header.torch import KeysNotStrings, NoTensors
from inspector.findings.header.torch_archive import ArchiveMalformed
from inspector.loader.formats.torch_file import read_torch
from tests.readers.file_builders import reading

torch: Any = import_module("torch")
warnings.simplefilter("ignore")
DTYPES = (
    "float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool", "complex64",
    "complex128", "float8_e4m3fn", "float8_e5m2", "uint16", "uint32", "uint64", "float8_e8m0fnu",
)  # fmt: skip
KEYS: tuple[Any, ...] = ("w", "layers.0.weight", "", "\u202e", 5, True, None, 1.5, ("a", 1), b"k")
VALUES: tuple[Any, ...] = (
    None, True, 3, -1, 1 << 70, 2.5, "text", b"bytes", bytearray(b"x"), (1, "a"), {1, 2}, 1 + 2j, torch.float16,
    torch.Size([2]), torch.device("cpu"), Counter("aab"), slice(1, 2), range(3), Ellipsis, print, object, io.BytesIO,
)  # fmt: skip
STRICTER = (NoTensors, KeysNotStrings, KeyDoubled, DtypeUnknown, ArchiveMalformed, PickleMalformed)
"""Errors for files that torch opens: not a state dict, one that no model loads, or bytes that other readers refuse."""
NUMBERS = (b"3\n", b"3", b"1", b"10", b"11", b"0", b"-1", b"x", b"", b"little", b"big", b"BIG", b" 3 4")


def _tensor(chance: random.Random) -> Any:
    shape = [chance.choice((0, 1, 2, 3)) for _ in range(chance.randrange(4))]
    made = torch.zeros(shape, dtype=getattr(torch, chance.choice(DTYPES)))
    kind = chance.randrange(9)
    if kind == 0 and made.dim() > 1:
        return made.t() if made.dim() == 2 else made.transpose(0, 1)
    if kind == 1 and made.is_floating_point() and made.element_size() > 1:
        return torch.nn.Parameter(made)
    if kind == 2:
        return torch.zeros(8)[2:5]
    if kind == 3:
        return torch.zeros(1).expand(4)
    if kind == 4:
        return torch.eye(2).to_sparse()
    if kind == 5:
        return torch.quantize_per_tensor(torch.zeros(2, 2), 0.1, 0, torch.qint8)
    if kind == 6:
        return torch.empty(2, 3, device="meta")
    return made


def _value(chance: random.Random, depth: int = 0) -> Any:
    if depth < 3 and chance.random() < 0.3:
        kind: Any = chance.choice((dict, OrderedDict))
        return kind((chance.choice(KEYS), _value(chance, depth + 1)) for _ in range(chance.randrange(4)))
    if depth < 3 and chance.random() < 0.1:
        return [_value(chance, depth + 1) for _ in range(chance.randrange(3))]
    return _tensor(chance) if chance.random() < 0.75 else chance.choice(VALUES)


def _members(raw: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(raw)) as read:
        return [(one.filename, read.read(one)) for one in read.infolist()]


def _changed(chance: random.Random, raw: bytes) -> bytes:
    """An archive with one member removed, added, changed or moved."""
    members = _members(raw)
    root = members[0][0].partition("/")[0]
    at = chance.randrange(len(members))
    name, content = members[at]
    kind = chance.randrange(7)
    if kind == 0:
        del members[at]
    elif kind == 1:
        members.append((chance.choice(("x", f"{root}/x", f"{root}/constants.pkl", "other/data.pkl")), content))
    elif kind == 2:
        members[at] = (name, content + b"\0" if chance.random() < 0.5 else content[:-1])
    elif kind == 3:
        name = f"{root}/" + chance.choice(("version", "byteorder", ".data/version", ".storage_alignment"))
        members = [one for one in members if one[0] != name] + [(name, chance.choice(NUMBERS))]
    elif kind == 4:
        members.insert(0, members.pop(at))
    elif kind == 5:
        members[at] = (name.replace(root, "other"), content)
    else:
        members.append((name.upper(), content))
    made = io.BytesIO()
    with zipfile.ZipFile(
        made, "w", chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    ) as to:
        for name, content in members:
            to.writestr(name, content)
    return made.getvalue()


def _records_changed(chance: random.Random, raw: bytes) -> bytes:
    """An archive with a byte of its records changed, or after another archive."""
    if chance.random() < 0.1:
        return raw + raw if chance.random() < 0.5 else _changed(chance, raw) + raw
    starts = [at for sign in (b"PK\1\2", b"PK\3\4", b"PK\5\6", b"PK\6\6", b"PK\6\7") for at in _places(raw, sign)]
    at = min(chance.choice(starts) + chance.randrange(64), len(raw) - 1)
    return (
        raw[:at]
        + bytes([chance.choice((0, 1, 2, 8, 16, 64, 255, raw[at] ^ 32, chance.randrange(256)))])
        + raw[at + 1 :]
    )


def _places(raw: bytes, sign: bytes) -> Iterator[int]:
    at = raw.find(sign)
    while at >= 0:
        yield at
        at = raw.find(sign, at + 1)


def mutant(chance: random.Random) -> bytes:
    """A PyTorch file, valid or changed in one place."""
    made = io.BytesIO()
    is_zip = chance.random() < 0.7
    value: Any = {f"w{at}": _value(chance, 2) for at in range(3)} if chance.random() < 0.6 else _value(chance)
    try:
        torch.save(value, made, _use_new_zipfile_serialization=is_zip, pickle_protocol=chance.choice((2, 2, 2, 3, 4)))
    except (RuntimeError, TypeError, AttributeError, NotImplementedError, pickle.PicklingError):
        return mutant(chance)
    raw = made.getvalue()
    if is_zip and chance.random() < 0.5:
        return _changed(chance, raw)
    if is_zip and chance.random() < 0.3:
        return _records_changed(chance, raw)
    if chance.random() < 0.3:
        at = chance.randrange(len(raw))
        return raw[:at] if chance.random() < 0.5 else raw[:at] + bytes([chance.randrange(256)]) + raw[at + 1 :]
    return raw


def _refusal(raw: bytes) -> str:
    """The reason why torch refuses a file; "" where it loads it."""
    try:
        torch.load(io.BytesIO(raw), weights_only=True, map_location="cpu")
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"
    return ""


def _found(raw: bytes) -> list[Finding]:
    """The errors and warnings."""
    with one_budget():
        header = read_torch(reading(raw), len(raw), "pytorch_model.bin").header
    return [one for one in header.findings if one.severity != "note"]


def compared(raw: bytes) -> str:
    """Compare both readers on a file: "refused", "stricter", "accepted" or "taken by inspector alone"."""
    refusal, found = _refusal(raw), _found(raw)
    errors = [one for one in found if one.severity == "error"]
    if refusal:
        return "refused" if found else f"taken by inspector alone ({refusal[:60]!r})"
    if errors:
        assert all(isinstance(one, STRICTER) for one in errors), ([one.message for one in errors], raw)
        return "stricter"
    return "accepted"
