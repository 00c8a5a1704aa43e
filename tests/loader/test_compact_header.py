"""Headers parsed in bulk: results equal those of the JSON decoder, to which all other headers are left."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from inspector.auditing.start import audit
from inspector.loader import header as reader
from inspector.loader.compact_header import read_compact
from inspector.loader.dtype import BITS
from inspector.loader.header import parse_header
from inspector.loader.header_record import Header
from inspector.loader.layout import Layout, lay_out

GOOD = (
    b'{"__metadata__":{"format":"pt"},"a.0.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},'
    b'"b":{"dtype":"BF16","shape":[],"data_offsets":[24,26]},"c":{"dtype":"U8","shape":[0],"data_offsets":[26,26]}}'
)


def in_bulk(raw: bytes) -> dict[str, Layout] | None:
    """The tensors if the header is parsed in bulk, else None."""

    def layout_of(dtype: str, shape: list[int]) -> Layout | None:
        made = lay_out(dtype, tuple(shape)) if dtype in BITS else None
        return made if isinstance(made, Layout) else None

    read = read_compact(raw, layout_of, {})
    if read is None or len(set(read.names)) < len(read.names) or "__metadata__" in read.names:
        return None
    return dict(zip(read.names, read.layouts, strict=True))


def by_decoder(raw: bytes, monkeypatch: pytest.MonkeyPatch) -> Header:
    """The same header, parsed by the JSON decoder."""
    with monkeypatch.context() as patch:
        patch.setattr(reader, "read_compact", lambda *_: None)
        return parse_header(raw, None, "model.safetensors")


@pytest.mark.parametrize(
    "raw",
    [
        GOOD,
        GOOD + b"     ",
        GOOD.replace(b'"__metadata__":{"format":"pt"},', b""),
        GOOD.replace(b'"pt"', b'"},x"'),
        GOOD.replace(b'{"format":"pt"}', rb'{"format":"pt","note":"a \"quoted\" word"}'),
        GOOD.replace(b'"b"', '"größe"'.encode()),
        GOOD.replace(b"[0,24]", b"[2,26]").replace(b"[24,26]", b"[0,2]"),
    ],
)
def test_the_reference_form_is_read_as_the_decoder_reads_it(raw: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    header = parse_header(raw, None, "model.safetensors")
    assert header == by_decoder(raw, monkeypatch)
    assert not header.findings


def test_the_reference_form_is_parsed_in_bulk() -> None:
    assert in_bulk(GOOD) is not None
    assert list(in_bulk(GOOD) or ()) == ["a.0.weight", "b", "c"]


ODD = {
    "a field more": GOOD.replace(b"[24,26]}", b'[24,26],"x":1}'),
    "another order of fields": b'{"a":{"data_offsets":[0,4],"dtype":"F32","shape":[1]}}',
    "blanks": GOOD.replace(b":", b": "),
    "an escape": GOOD.replace(b'"b"', rb'"b\u0041"'),
    "a leading zero": GOOD.replace(b"[24,26]", b"[024,26]"),
    "a leading zero in a shape": GOOD.replace(b"[2,3]", b"[02,3]"),
    "a sign": GOOD.replace(b"[0,24]", b"[-0,24]"),
    "three offsets": GOOD.replace(b"[24,26]", b"[24,26,26]"),
    "one offset": GOOD.replace(b"[24,26]", b"[26]"),
    "a fraction": GOOD.replace(b"[24,26]", b"[24,26.0]"),
    "a name twice": GOOD.replace(b'"c"', b'"b"'),
    "a hole": GOOD.replace(b"[24,26]", b"[25,27]"),
    "a wrong length": GOOD.replace(b"[24,26]", b"[24,27]"),
    "an unknown dtype": GOOD.replace(b"BF16", b"BF17"),
    "metadata twice": GOOD.replace(b'"b"', b'"__metadata__"'),
    "metadata that is no text": GOOD.replace(b'"pt"', b"1"),
    "metadata with a key twice": GOOD.replace(b'"format":"pt"', b'"format":"pt","format":"np"'),
    "no tensors": b'{"__metadata__":{"format":"pt"}}',
    "nothing": b"{}",
    "a control character in a name": GOOD.replace(b'"b"', b'"b\n"'),
    "marks in the place of fields": GOOD.replace(b'"b":{"dtype":"', b'"b""""\n\x01'),
    "fields changed about": GOOD.replace(b'b":{"dtype":"BF16","shape":[],"data_offsets":[24',
                                         b'b],"data_offsets":[BF16","shape":[":{"dtype":"24'),
    "a number moved to the next span": b'{"a":{"dtype":"U8","shape":[1],"data_offsets":[0]},'
                                       b'"b":{"dtype":"U8","shape":[1],1,"data_offsets":[1,2]}}',
    "a digit within a field's name": GOOD.replace(b'data_offsets":[24', b'data_of2fsets":[4'),
    "a digit before a bracket": GOOD.replace(b":[24", b":2[4"),
    "braces and brackets changed about": GOOD.replace(b'"b":{', b'"b":]').replace(b"[2,3]", b"[2,3{"),
    "no UTF-8": GOOD.replace(b'"b"', b'"\xff"'),
    "cut": GOOD[:-1],
    "text after its end": GOOD + b"}",
}  # fmt: skip


@pytest.mark.parametrize("raw", ODD.values(), ids=ODD)
def test_anything_else_is_left_to_the_decoder(raw: bytes) -> None:
    assert in_bulk(raw) is None


def test_after_any_change_of_a_byte_bulk_parsing_agrees_with_the_decoder(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(7)
    letters = b'{}{}[][]",:0123456789\\ \n\x01\x02\x03aF\xc3'
    mutants: set[bytes] = set()
    for _ in range(8000):
        mutant = bytearray(GOOD)
        for _ in range(chance.choice((1, 1, 2, 3))):
            place = chance.randrange(len(mutant))
            new = bytes(chance.choices(letters, k=chance.choice((0, 1, 2))))
            mutant[place : place + chance.choice((0, 1, 1, 2))] = new
        mutants.add(bytes(mutant))
    both = 0
    for raw in mutants:
        if in_bulk(raw) is not None:
            both += 1
            header = parse_header(raw, None, "model.safetensors")
            assert header == by_decoder(raw, monkeypatch), raw
            json.loads(raw)
    assert both > 20


def test_names_with_too_many_keys_are_counted(tmp_path: Path) -> None:
    letters = "abcdefghij"
    names = ["".join(letters[int(digit)] for digit in f"{number:05d}") for number in range(24_000)]
    header = {name: {"dtype": "U8", "shape": [1], "data_offsets": [n, n + 1]} for n, name in enumerate(names)}
    raw = json.dumps(header, separators=(",", ":")).encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + bytes(len(names)))
    assert audit(str(path)).counts.tensors == len(names)
