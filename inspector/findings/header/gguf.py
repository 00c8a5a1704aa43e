"""Headers of GGUF files."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.header.entries import Entries, ShapeEntry
from inspector.findings.refetch import fetch_file
from inspector.findings.words import count, listed, number


class BlockEntry(ShapeEntry, frozen=True, kw_only=True):
    """block: elements that are quantized together."""

    block: int


class GgufMalformed(Finding, frozen=True, kw_only=True):
    """The header of a GGUF file cannot be read.

    What it means
        The file begins like a GGUF file, and then states something that cannot be true: a type that there is
        not, a length beyond every limit, an alignment that is no power of two.

    Why it matters
        llama.cpp refuses such a file; another reader could be made to use memory without end by it.

    Example
        error[H130] gguf-malformed: model.gguf: a value of type 77
          position  byte 1,204
          help      fetch this file again

    What to do
        Fetch the file again; if it is the same there, convert the model again.
    """

    code = "H130"
    name = "gguf-malformed"

    problem: str
    position: int

    def headline(self) -> str:
        return f"{self.place.file}: {self.problem}"

    def rows(self) -> Rows:
        return [("position", f"byte {number(self.position)}")]

    def remedy(self) -> Remedy:
        return fetch_file(self.place)


class GgufVersionUnknown(Finding, frozen=True, kw_only=True):
    """The version of a GGUF file is none that is read here.

    What it means
        Versions 2 and 3 are read, of either byte order. Version 1 was written for a few weeks of 2023.

    Why it matters
        The fields of other versions lie elsewhere: nothing in the file can be reported.

    Example
        error[H131] gguf-version-unknown: model.gguf is GGUF version 1
          read  versions 2 and 3
          help  convert the model again with a current llama.cpp

    What to do
        Convert the model again with a current llama.cpp.
    """

    code = "H131"
    name = "gguf-version-unknown"

    version: int

    def headline(self) -> str:
        return f"{self.place.file} is GGUF version {number(self.version)}"

    def rows(self) -> Rows:
        return [("read", "versions 2 and 3")]

    def remedy(self) -> Remedy:
        return Remedy("convert the model again with a current llama.cpp")


class GgufPartOfBlock(Entries, frozen=True, kw_only=True):
    """Rows of a quantised tensor do not fill whole blocks.

    What it means
        A block type of llama.cpp holds 32 or 256 values in a block along the first dim of the file, which is
        the last in torch. The dim is no multiple of that.

    Why it matters
        How many bytes the tensor has is then not defined, and llama.cpp refuses the file.

    Example
        error[H132] gguf-part-of-block: model.gguf: 1 tensor
          entry  blk.0.ffn_up.weight: Q4_K [768, 200], blocks of 256
          help   convert the model again with a current llama.cpp

    What to do
        Convert the model again; the converter leaves such tensors in a plain type.
    """

    code = "H132"
    name = "gguf-part-of-block"

    cases: tuple[BlockEntry, ...]

    def entries(self) -> list[str]:
        return [f"{case.tensor}: {case.layout}, blocks of {case.block}" for case in self.cases]

    def remedy(self) -> Remedy:
        return Remedy("convert the model again with a current llama.cpp")


class GgufOffsetsOdd(Finding, frozen=True, kw_only=True):
    """The tensors of a GGUF file do not lie as llama.cpp needs them.

    What it means
        Tensors are in the order of their listing, each at the next multiple of the alignment. Here some
        overlap, leave holes, begin between the multiples or are listed in another order.

    Why it matters
        llama.cpp refuses the file. What is in a hole is nobody's, and what overlaps is read twice.

    Example
        error[H133] gguf-offsets-odd: model.gguf: 2 tensors overlapping
          alignment  32 bytes
          tensors    blk.0.attn_k.weight, blk.0.attn_v.weight
          help       convert the model again with a current llama.cpp

    What to do
        Convert the model again with a current llama.cpp.
    """

    code = "H133"
    name = "gguf-offsets-odd"

    alignment: int
    unaligned: int
    overlapping: int
    holes: int
    hole_bytes: int
    disordered: bool
    names: tuple[str, ...]

    def headline(self) -> str:
        return f"{self.place.file}: " + ", ".join(text for text in self._problems() if text)

    def _problems(self) -> tuple[str, ...]:
        return (
            f"{count(self.overlapping, 'tensor')} overlapping" if self.overlapping else "",
            f"{count(self.unaligned, 'tensor')} off the alignment" if self.unaligned else "",
            f"{number(self.hole_bytes)} bytes in {count(self.holes, 'hole')}" if self.holes else "",
            "tensors out of order" if self.disordered else "",
        )

    def rows(self) -> Rows:
        names = [("tensors", listed(self.names))] if self.names else []
        return [("alignment", f"{number(self.alignment)} bytes"), *names]

    def remedy(self) -> Remedy:
        return Remedy("convert the model again with a current llama.cpp")


class GgufSplitDisagrees(Finding, frozen=True, kw_only=True):
    """The parts of a split GGUF model do not agree with one another.

    What it means
        Each part says which it is and how many there are, the first also how many tensors all of them hold.
        That is not what the names of the files or the parts themselves show.

    Why it matters
        llama.cpp refuses to load the model, or loads one of which parts belong to another.

    Example
        error[H134] gguf-split-disagrees: model-00002-of-00003.gguf: the name says part 2 of 3
          stated  split.no = 0, split.count = 3
          help    fetch this file again

    What to do
        Fetch all parts again from one place and one revision.
    """

    code = "H134"
    name = "gguf-split-disagrees"

    problem: str
    stated: tuple[str, ...]

    def headline(self) -> str:
        return f"{self.place.file}: {self.problem}"

    def rows(self) -> Rows:
        return [("stated", listed(self.stated))]

    def remedy(self) -> Remedy:
        return fetch_file(self.place)
