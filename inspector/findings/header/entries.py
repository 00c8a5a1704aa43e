"""Findings on header entries that contradict the format, for all formats."""

from __future__ import annotations

from typing import Final

import msgspec

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import listed, number, shape

SHOWN = 4
"""Most cases in a message."""
FLOATS: Final = {"F64": 64, "F32": 32, "F16": 16, "BF16": 16}
"""Bits of the floats that weights have."""
WIDTHS: Final = {64: "F64", 32: "F32"}
"""Bits -> the only float of this size."""


class HeaderEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One tensor's entry in a header."""

    tensor: str


class ProblemEntry(HeaderEntry, frozen=True, kw_only=True):
    """An entry with its problem in words."""

    problem: str


class DtypeEntry(HeaderEntry, frozen=True, kw_only=True, omit_defaults=True):
    """An entry with an unknown dtype, and the known one it resembles. empty: it has neither a dtype nor any data."""

    dtype: str
    meant: str | None
    empty: bool = False


class KeysEntry(HeaderEntry, frozen=True, kw_only=True):
    """An entry with some of its keys."""

    keys: tuple[str, ...]


class ShapeEntry(HeaderEntry, frozen=True, kw_only=True):
    """An entry with its dtype and its shape; the message shows the first dims."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def layout(self) -> str:
        """Dtype and shape in words."""
        return f"{self.dtype} {shape(self.shape[:12])}"


class SizeEntry(ShapeEntry, frozen=True, kw_only=True):
    """expected: bytes that the shape needs. stored: bytes between the offsets."""

    expected: int
    stored: int


class Entries(Finding, frozen=True, kw_only=True):
    """Entries of one header with the same problem. tensors: their number. cases: the first of them."""

    tensors: int
    cases: tuple[HeaderEntry, ...]

    headline_text = "{place.file}: {tensors:count tensor}"

    def rows(self) -> Rows:
        rest = self.tensors - min(SHOWN, len(self.cases))
        rows = [("entry", text) for text in self.entries()[:SHOWN]]
        return [*rows, ("more", f"{number(rest)} further tensors")] if rest > 0 else rows

    def entries(self) -> list[str]:
        """The cases in words."""
        raise NotImplementedError


class EntryMalformed(Entries, frozen=True, kw_only=True):
    """Malformed entry in the header.

    What it means
        Each entry needs a `dtype` (string), a `shape` (list of integers from 0 to 2^64 - 1) and `data_offsets`
        ([begin, end] in order). A field is missing or has another type; 1.0, -0 and true are not integers.

    Why it matters
        The reference reader rejects the whole file. The named tensors are excluded from the audit.

    Example
        error[H104] entry-malformed: model.safetensors: 1 tensor
          entry  lm_head.weight: shape holds 4096.0
          help   save the file again with a current version of safetensors

    What to do
        Save the file again with a current version of safetensors.
    """

    code = "H104"
    unreadable = True

    cases: tuple[ProblemEntry, ...]

    remedy_text = "save the file again with a current version of safetensors"

    def entries(self) -> list[str]:
        return [f"{case.tensor}: {case.problem}" for case in self.cases]


FORKS: Final = ("ik_llama.cpp",)
"""Programs with their own types for GGUF files."""


class DtypeUnknown(Entries, frozen=True, kw_only=True):
    """A dtype is not one of the 22 that safetensors defines, or a type not one that llama.cpp has.

    What it means
        The header contains a dtype that the format does not define. A similar one is suggested if the intended
        dtype is obvious. A GGUF file may be quantized with the types of ik_llama.cpp, or of a newer llama.cpp.

    Why it matters
        The reference reader rejects the whole file. The named tensors are excluded from the audit, since their
        size is unknown.

    Example
        error[H105] dtype-unknown: model.safetensors: 2 tensors
          entry  model.layers.0.mlp.up_proj.weight: F8_E4M3FN; did you mean F8_E4M3?
          entry  model.layers.1.mlp.up_proj.weight: F8_E4M3FN; did you mean F8_E4M3?
          help   save the file again with a dtype that safetensors has

    What to do
        Save the file again with a dtype that safetensors has; 4-bit integers are stored packed in U8 or I32. An entry
        without a dtype and without data is left of a tensor that the writer listed and did not save, such as a head
        that is tied to the embedding: leave it out, in the index as well.
    """

    code = "H105"
    unreadable = True

    cases: tuple[DtypeEntry, ...]

    def remedy(self) -> Remedy:
        if all(case.empty for case in self.cases):
            names = listed([case.tensor for case in self.cases], SHOWN)
            return Remedy(f"save the file again without {names}: it holds no data; remove it from the index too")
        if self.place.file is not None and self.place.file.casefold().endswith(".gguf"):
            program = next((one for one in FORKS if any(f"of {one})" in case.dtype for case in self.cases)), "")
            if program:
                return Remedy(
                    f"load it with {program}; for llama.cpp quantize the model again, with a type that it has"
                )
            return Remedy("load it with the program that wrote it, or quantize the model again")
        return Remedy("save the file again with a dtype that safetensors has")

    def entries(self) -> list[str]:
        return [
            f"{case.tensor}: {'no dtype and no data' if case.empty else case.dtype}"
            + (f"; did you mean {case.meant}?" if case.meant else "")
            for case in self.cases
        ]


class KeyDoubled(Finding, frozen=True, kw_only=True):
    """Duplicate tensor name in the header.

    What it means
        The header contains the same key more than once, which the format forbids. The reference reader of safetensors
        silently uses the last entry, others use the first. llama.cpp and the gguf package refuse the file: some
        converters wrote a tied head, or a key, a second time.

    Why it matters
        Two readers see two different models in one file, and a scanner may check another tensor than the loader
        uses. The audit uses the last entry of safetensors, and the first tensor of GGUF.

    Example
        error[H106] key-doubled: model.safetensors has 1 duplicate key
          keys  lm_head.weight
          help  ask the author of the file which entry is correct

    What to do
        Do not use the file until its author has said which entry is correct; save it again. Convert a GGUF file again.
    """

    code = "H106"
    unreadable = True

    where: str
    keys: tuple[str, ...]
    tensors: int
    converted: bool = False
    """True in a GGUF file."""
    alike: bool = False
    """True if the entries of a tensor have one shape and type, or those of a key one value. Only for GGUF."""

    @property
    def closes_file(self) -> bool:
        """False: loaders of safetensors open the file and use the last entry."""
        return False

    headline_text = "{place.file} has {tensors:count duplicate key}"
    row_texts = (("keys", "{keys:listed}"),)

    def rows(self) -> Rows:
        if not self.converted:
            return super().rows()
        have = "the same" if self.alike else "a different"
        what = "value" if self.where == "key-values" else "shape and type"
        refuse = ("loaders", "llama.cpp and the gguf package refuse the file")
        return [*super().rows(), ("entries", f"each has {have} {what}"), refuse]

    def remedy(self) -> Remedy:
        if not self.converted:
            return Remedy("ask the author of the file which entry is correct")
        again = "convert the model again with a current converter of llama.cpp"
        if not self.alike:
            return Remedy(f"{again}; which entry is correct the file does not show")
        if self.where == "key-values":
            return Remedy(f"{again}, or write the file again with each key once")
        return Remedy(f"{again}, or write the file again without the second entry, if the bytes of both are equal")


class SizeDiffers(Entries, frozen=True, kw_only=True):
    """A tensor's byte size does not match its shape and dtype.

    What it means
        The product of the dims and the size of the dtype give the bytes of a tensor; its offsets span a
        different number.

    Why it matters
        One of them is wrong; readers that trust the shape read another tensor's bytes. The reference reader
        rejects the file.

    Example
        error[H110] size-differs: model.safetensors: 1 tensor
          entry  lm_head.weight: BF16 [256, 64] = 32,768 bytes, offsets span 32,704
          help   save the file again with a current version of safetensors

    What to do
        Save the file again with a current version of safetensors.
    """

    code = "H110"
    unreadable = True

    cases: tuple[SizeEntry, ...]

    def remedy(self) -> Remedy:
        again = "save the file again with a current version of safetensors"
        meant = {(case.dtype, case.stored * 8 // case.expected if case.expected else 0) for case in self.cases}
        whole = all(case.expected and case.stored * 8 % case.expected == 0 for case in self.cases)
        alike = len(meant) == 1 and whole and len(self.cases) > 1
        dtype, eighths = meant.pop() if alike else ("", 0)
        fits = WIDTHS.get(FLOATS.get(dtype, 0) * eighths // 8, "")
        if not fits or fits == dtype:
            return Remedy(again)
        return Remedy(f"write {fits} as the dtype where that needs exactly these bytes, or {again}")

    def entries(self) -> list[str]:
        return [
            f"{case.tensor}: {case.layout} = {number(case.expected)} bytes, offsets span {number(case.stored)}"
            for case in self.cases
        ]


class ShapeOverflows(Entries, frozen=True, kw_only=True):
    """The number of elements does not fit into 64 bits.

    What it means
        Elements, or elements times bits, reach 2^64. No such tensor can exist; products that overflow to a
        small number are a known attack.

    Why it matters
        Readers that do not check this allocate the wrong amount of memory. The reference reader rejects the
        file.

    Example
        error[H111] shape-overflows: model.safetensors: 1 tensor
          entry  w: F32 [4294967296, 4294967296]
          help   do not use the file

    What to do
        Do not use the file.
    """

    code = "H111"
    unreadable = True

    cases: tuple[ShapeEntry, ...]

    remedy_text = "do not use the file"

    def entries(self) -> list[str]:
        return [f"{case.tensor}: {case.layout}" for case in self.cases]


class PartOfByte(Entries, frozen=True, kw_only=True):
    """Sub-byte tensor does not end on a byte boundary.

    What it means
        F4, F6_E2M3 and F6_E3M2 use 4 and 6 bits per element; elements times bits must be whole bytes.

    Why it matters
        The reference reader rejects the file.

    Example
        error[H112] part-of-byte: model.safetensors: 1 tensor
          entry  w: F4 [3]
          help   pad the last dim so that the bits fill whole bytes

    What to do
        Pad the last dim to an even number, or to a multiple of four for the 6-bit types.
    """

    code = "H112"
    unreadable = True

    cases: tuple[ShapeEntry, ...]

    remedy_text = "pad the last dim so that the bits fill whole bytes"

    def entries(self) -> list[str]:
        return [f"{case.tensor}: {case.layout}" for case in self.cases]


class FieldUnknown(Entries, frozen=True, kw_only=True):
    """Unknown field in a tensor entry.

    What it means
        An entry has fields other than `dtype`, `shape` and `data_offsets`. Readers ignore them.

    Why it matters
        Nothing is lost, but no reader uses this information.

    Example
        warning[H114] field-unknown: model.safetensors: 1 tensor
          entry  lm_head.weight: scale
          help   move these fields to __metadata__; readers ignore them here

    What to do
        Move this information to `__metadata__`.
    """

    code = "H114"
    severity = "warning"

    cases: tuple[KeysEntry, ...]

    remedy_text = "move these fields to __metadata__; readers ignore them here"

    def entries(self) -> list[str]:
        return [f"{case.tensor}: {listed(case.keys)}" for case in self.cases]


class FieldDoubled(Entries, frozen=True, kw_only=True):
    """Duplicate field in a tensor entry.

    What it means
        An entry has `dtype`, `shape` or `data_offsets` more than once.

    Why it matters
        The reference reader rejects the file; others use the first or the last value and see two different
        tensors.

    Example
        error[H121] field-doubled: model.safetensors: 1 tensor
          entry  lm_head.weight: shape
          help   save the file again with a current version of safetensors

    What to do
        Save the file again with a current version of safetensors.
    """

    code = "H121"
    unreadable = True

    cases: tuple[KeysEntry, ...]

    remedy_text = "save the file again with a current version of safetensors"

    def entries(self) -> list[str]:
        return [f"{case.tensor}: {listed(case.keys)}" for case in self.cases]
