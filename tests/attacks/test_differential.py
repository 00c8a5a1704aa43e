"""Compares the verdicts on mutated headers with those of the reference reader; only known differences are allowed.

The seed is fixed, so that a disagreement can be reproduced.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest
from safetensors import SafetensorError, deserialize

from inspector.findings.header.reference import CLEARER, STRICTER
from inspector.loader.dtype import BITS
from inspector.loader.header import parse_header, stated_length, unopened
from inspector.loader.header_record import Header
from inspector.loader.signature import recognise
from tests.attacks.dummies import framed

MUTANTS = 4_000
ROUNDS = 8


def _ours(raw: bytes) -> Header:
    length = stated_length(raw[:8], len(raw))
    if length is None:
        return unopened(raw[:512], len(raw), "f")
    return parse_header(raw[8 : 8 + length], len(raw) - 8 - length, "f")


def _theirs(raw: bytes) -> dict[str, Any] | None:
    try:
        return dict(deserialize(raw))  # type: ignore[no-untyped-call]
    except SafetensorError:
        return None


def _healthy(chance: random.Random) -> tuple[dict[str, Any], int]:
    header: dict[str, Any] = {}
    if chance.random() < 0.7:
        header["__metadata__"] = {"format": "pt"}
    end = 0
    for number in range(chance.randrange(1, 6)):
        dtype = chance.choice(sorted(BITS))
        shape = [chance.choice((0, 1, 2, 4, 8)) for _ in range(chance.randrange(4))]
        bits = BITS[dtype]
        for dim in shape:
            bits *= dim
        if bits % 8:
            shape.append(8)
            bits *= 8
        header[f"layers.{number}.w"] = {
            "dtype": dtype,
            "shape": shape,
            "data_offsets": [end, end + bits // 8],
        }
        end += bits // 8
    if chance.random() < 0.3:
        items = list(header.items())
        chance.shuffle(items)
        header = dict(items)
    return header, end


ODD: tuple[Any, ...] = (
    True, False, None, -1, 0, 1, 1.0, 1e300, 2**31, 2**63, 2**64 - 1, 2**64, 10**30, "", "1", "U8", "F4",
    [], [1], [0, 1], {}, {"U8": None}, "F8_E4M3FN",
)  # fmt: skip


def _mutated_object(chance: random.Random, header: dict[str, Any]) -> None:
    name = chance.choice([*header])
    entry = header[name]
    kind = chance.randrange(9)
    whole = isinstance(entry, dict) and isinstance(entry.get("data_offsets"), list)
    if name == "__metadata__":
        odd = chance.choice(ODD)
        header[name] = {**entry, "k": odd} if kind > 3 and isinstance(entry, dict) else odd
    elif kind == 0:
        header[name] = chance.choice(ODD)
    elif kind == 1:
        header[chance.choice(("a", "\u00e9", "\x1b[0m", "__metadata__", ""))] = header.pop(name)
    elif kind == 2 and whole and entry:
        entry.pop(chance.choice([*entry]), None)
    elif kind == 3 and whole:
        entry[chance.choice(("dtype", "shape", "data_offsets", "extra"))] = chance.choice(ODD)
    elif kind in (4, 5) and whole and len(entry["data_offsets"]) == 2:
        entry["data_offsets"][chance.randrange(2)] = chance.choice((*ODD[:13], 2, 3, 4, 8, 16))
    elif kind == 6 and whole and isinstance(entry.get("shape"), list) and entry["shape"]:
        entry["shape"][chance.randrange(len(entry["shape"]))] = chance.choice((*ODD[:13], 2, 4))
    elif kind == 7 and whole:
        entry["dtype"] = chance.choice(sorted(BITS))
    else:
        header[f"{name}.copy"] = entry


def _mutated_text(chance: random.Random, raw: bytes) -> bytes:
    kind = chance.randrange(10)
    at = chance.randrange(len(raw))
    if kind == 0:
        return raw[:at] + bytes([chance.randrange(256)]) + raw[at + 1 :]
    if kind == 1:
        return raw[:at] + raw[at + 1 :]
    if kind == 2:
        return raw[:at] + chance.choice((b"\0", b"\t", b" ", b'"', b"\\", b"\xff", b",", b"-0", b"{", b"[")) + raw[at:]
    if kind == 3:
        return raw + chance.choice((b" ", b"\n", b"\0", b"\r\t", b"{}", b"x", b"\xc2\xa0", b"\x0b"))
    if kind == 4:
        return chance.choice((b" ", b"\n", b"\t", b"\xef\xbb\xbf", b"\0", b"\x0c")) + raw
    if kind == 5:  # duplicates a whole entry
        low = raw.find(b'"layers')
        return raw[:low] + raw[low : raw.find(b"}", low) + 1] + b", " + raw[low:]
    if kind == 6:
        return raw.replace(b"0", chance.choice((b"-0", b"0.0", b"0e0", b"00", b"1")), 1)
    if kind == 7:
        return raw.replace(b'"shape"', chance.choice((b'"sh\\u0061pe"', b'"shape" ', b'"Shape"', b'"dtype"')), 1)
    if kind == 8:
        return raw.replace(b'w"', chance.choice((b'\\ud800"', b'\\ud83d\\ude00"', b'\\/"', b'\\x"', b'\\""')), 1)
    return raw[:at]


def mutant(chance: random.Random) -> bytes:
    header, size = _healthy(chance)
    if chance.random() < 0.65:
        for _ in range(chance.randrange(1, 3)):
            _mutated_object(chance, header)
    raw = json.dumps(header, ensure_ascii=chance.random() < 0.5).encode()
    if chance.random() < 0.5:
        raw = _mutated_text(chance, raw)
    size += chance.choice((0, 0, 0, 0, 0, 1, -1, -8))
    made = framed(raw, bytes(max(0, size)))
    if chance.random() < 0.05:
        made = made[: chance.randrange(len(made))]
    if chance.random() < 0.05:
        made = max(0, len(raw) + chance.choice((-1, 1, 2**32))).to_bytes(8, "little", signed=False) + made[8:]
    return made


def compared(raw: bytes) -> str:
    """Compare both readers on a file: "refused", "stricter" or "accepted"; fail where they disagree."""
    header, reference = _ours(raw), _theirs(raw)
    refusing = {type(finding) for finding in header.findings}.difference(CLEARER)
    if reference is None:
        assert refusing, raw
        return "refused"
    if refusing:
        assert refusing <= STRICTER.keys(), (refusing, raw)
        return "stricter"
    assert header.tensors.keys() == reference.keys(), raw
    for name, layout in header.tensors.items():
        assert list(layout.shape) == reference[name]["shape"]
        assert layout.bytes == len(reference[name]["data"])
    return "accepted"


@pytest.mark.thinned
@pytest.mark.parametrize("turn", range(ROUNDS))
def test_verdicts_agree(turn: int) -> None:
    chance = random.Random(1_000 + turn)
    seen = Counter(compared(mutant(chance)) for _ in range(MUTANTS // ROUNDS))
    assert seen["refused"] > 100 and seen["accepted"] > 50, seen


NUMBERS = ("1e400", "-1e400", "1.7976931348623157e308", "1.7976931348623159e308", "9" * 308, "9" * 309, "-" + "9" * 400,
           "9" * 5000, "[1e400]", '{"a": 1e999}', "0e999999999", "1e-999999999", "-0", "-0.0")  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:24])
def test_numbers_in_unknown_fields(number: str) -> None:
    compared(framed(b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":%s}}' % number.encode(), bytes(1)))


def test_any_bytes_give_a_value() -> None:
    chance = random.Random(7)
    for _ in range(500):
        raw = chance.randbytes(chance.randrange(600))
        header = _ours(raw)
        assert header.findings or header.readable
        assert recognise(raw[:512], len(raw))
