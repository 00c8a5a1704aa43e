"""Findings on headers of GGUF files."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.header.entries import Entries, ShapeEntry
from inspector.findings.header.offsets import DataBehindEnd
from inspector.findings.refetch import fetch_file
from inspector.findings.words import count, listed, number


class BlockEntry(ShapeEntry, frozen=True, kw_only=True):
    """block: elements that are quantized together."""

    block: int


class GgufMalformed(Finding, frozen=True, kw_only=True):
    """The header of a GGUF file is invalid.

    What it means
        The file starts like a GGUF file but then contains an impossible value: an unknown type, a length beyond
        every limit, an alignment that is not a power of two.

    Why it matters
        llama.cpp rejects such a file; another reader could run out of memory.

    Example
        error[H130] gguf-malformed: model.gguf: a value of type 77
          position  byte 1,204
          help      download this file again, or convert the model again if the error
                    remains

    What to do
        Download the file again; if the error remains, convert the model again. A header that counts more tensors than
        it lists, in a file that is otherwise whole, was written so by its converter.
    """

    code = "H130"
    unreadable = True

    problem: str
    position: int
    of_writer: bool = False
    """The file is as its converter wrote it."""

    headline_text = "{place.file}: {problem}"
    row_texts = (("position", "byte {position}"),)

    def remedy(self) -> Remedy:
        if self.of_writer:
            return Remedy("convert the model again with a current llama.cpp")
        return fetch_file(self.place, "download this file again, or convert the model again if the error remains")


class GgufVersionUnknown(Finding, frozen=True, kw_only=True):
    """Unsupported GGUF version.

    What it means
        Versions 2 and 3 are supported, in either byte order. Version 1 was written for a few weeks in 2023.

    Why it matters
        Other versions have another layout, so nothing in the file was checked.

    Example
        error[H131] gguf-version-unknown: model.gguf is GGUF version 1
          supported  versions 2 and 3
          help       convert the model again with a current llama.cpp

    What to do
        Convert the model again with a current llama.cpp.
    """

    code = "H131"
    unreadable = True

    version: int

    headline_text = "{place.file} is GGUF version {version}"
    row_texts = (("supported", "versions 2 and 3"),)
    remedy_text = "convert the model again with a current llama.cpp"


class GgufPartOfBlock(Entries, frozen=True, kw_only=True):
    """Rows of a quantized tensor do not fill whole blocks.

    What it means
        The block types of llama.cpp hold 32 or 256 values along the first dim of the file, which is the last
        one in torch. This dim is not a multiple of that.

    Why it matters
        The byte size of the tensor is undefined, and llama.cpp rejects the file.

    Example
        error[H132] gguf-part-of-block: model.gguf: 1 tensor
          entry  blk.0.ffn_up.weight: Q4_K [768, 200], blocks of 256
          help   convert the model again with a current llama.cpp

    What to do
        Convert the model again; the converter stores such tensors in an unquantized type.
    """

    code = "H132"
    unreadable = True

    cases: tuple[BlockEntry, ...]

    remedy_text = "convert the model again with a current llama.cpp"

    def entries(self) -> list[str]:
        return [f"{case.tensor}: {case.layout}, blocks of {case.block}" for case in self.cases]


class GgufOffsetsOdd(Finding, frozen=True, kw_only=True):
    """The tensor offsets of a GGUF file are invalid.

    What it means
        Tensors must follow each other in the order of their listing, each at the next multiple of the
        alignment. Here some overlap, leave gaps, are not aligned or are listed in another order.

    Why it matters
        llama.cpp rejects the file. Bytes in a gap belong to no tensor; overlapping bytes belong to two.

    Example
        error[H133] gguf-offsets-odd: model.gguf: 2 tensors overlapping
          alignment  32 bytes
          tensors    blk.0.attn_k.weight, blk.0.attn_v.weight
          help       convert the model again with a current llama.cpp

    What to do
        Convert the model again with a current llama.cpp.
    """

    code = "H133"
    unreadable = True

    alignment: int
    unaligned: int
    overlapping: int
    holes: int
    hole_bytes: int
    disordered: bool
    names: tuple[str, ...]

    row_texts = (("alignment", "{alignment} bytes"), ("tensors", "{names:listed}", "names"))
    remedy_text = "convert the model again with a current llama.cpp"

    def headline(self) -> str:
        return f"{self.place.file}: " + ", ".join(text for text in self._problems() if text)

    def _problems(self) -> tuple[str, ...]:
        return (
            f"{count(self.overlapping, 'tensor')} overlapping" if self.overlapping else "",
            f"{count(self.unaligned, 'tensor')} not aligned" if self.unaligned else "",
            f"{number(self.hole_bytes)} bytes in {count(self.holes, 'gap')}" if self.holes else "",
            "tensors out of order" if self.disordered else "",
        )


def not_the_first(part: int) -> str:
    """The message of llama.cpp on a part, counted from 1, that is opened as a model."""
    return f"illegal split file idx: {part - 1}, model must be loaded with the first split"


class GgufSplitDisagrees(Finding, frozen=True, kw_only=True):
    """The parts of a split GGUF model do not match.

    What it means
        Each part states its number and how many there are; the first part also states how many tensors they
        contain in total. The file names or the other parts contradict this.

    Why it matters
        llama.cpp rejects the model, or loads parts of different models.

    Example
        error[H134] gguf-split-disagrees: model-00002-of-00003.gguf: the name says part
          2 of 3
          stated  split.no = 0, split.count = 3
          help    download this file again

    What to do
        Download all parts again from one place and one revision.
    """

    code = "H134"
    unreadable = True

    problem: str
    stated: tuple[str, ...]

    headline_text = "{place.file}: {problem}"
    row_texts = (("stated", "{stated:listed}"),)

    def remedy(self) -> Remedy:
        return fetch_file(self.place)

    def refusal_of_llama_cpp(self, first: str) -> str:
        return f"corrupted model or invalid split file name: {self.problem}" if self.place.file == first else ""


class GgufPartRenamed(Finding, frozen=True, kw_only=True):
    """A part of a split GGUF model does not have the name of a part.

    What it means
        The file states that it is one of several parts, and its name does not end as those of parts do
        (`-00001-of-00003.gguf`).

    Why it matters
        llama.cpp finds the other parts by the name of the first one, and rejects a part under another name.

    Example
        error[N482] gguf-part-renamed: model-Q4.gguf is part 1 of 3
          others  m-00002-of-00003.gguf, m-00003-of-00003.gguf
          help    rename model-Q4.gguf to m-00001-of-00003.gguf

    What to do
        Rename the file; all parts have the same name but for their number.
    """

    code = "N482"

    part: int
    of: int
    wanted: str
    beside: tuple[str, ...]
    renames: tuple[tuple[str, str], ...] = ()
    """If no file has the name of a part: (name, new name) of each."""

    row_texts = (("others", "{beside:listed 4}", "beside"),)

    def headline(self) -> str:
        return f"{self.place.file} is part {self.part} of {self.of}"

    def remedy(self) -> Remedy:
        if self.renames:
            steps = tuple(Step(action="move", file=old, new=new) for old, new in self.renames)
            words = f"rename {listed([f'{old} to {new}' for old, new in self.renames], 4)}"
            more = len(self.renames) < self.of
            return Remedy(f"{words}, next to the other parts" if more else words, steps)
        step = Step(action="move", file=self.place.file, new=self.wanted)
        words = f"rename {self.place.file} to {self.wanted}"
        if len(self.beside) < self.of - 1:
            return Remedy(f"{words}, next to the other parts", (step,))
        return Remedy(words, (step,))

    def refusal_of_llama_cpp(self, first: str) -> str:
        if self.part == 1:
            return f"invalid split file name: {self.place.file}"
        return not_the_first(self.part)


class GgufLaterPart(Finding, frozen=True, kw_only=True):
    """A later part of a split GGUF model was given by itself.

    What it means
        Only the first part of a split model has its metadata. A later part states no sizes, so that its tensors cannot
        be compared with any.

    Why it matters
        llama.cpp refuses a later part as a model; it finds the others by the name of the first one.

    Example
        note[N668] gguf-later-part: model-00002-of-00003.gguf is part 2 of 3
          reference  llama.cpp refuses it: illegal split file idx: 1, model must be
                     loaded with the first split
          help       pass model-00001-of-00003.gguf to llama.cpp, and audit the folder

    What to do
        Give llama.cpp the first part, with the others next to it; audit the folder of all parts.
    """

    code = "N668"
    severity = "note"

    part: int
    of: int
    first: str

    headline_text = "{place.file} is part {part} of {of}"

    def rows(self) -> Rows:
        return [("reference", f"llama.cpp refuses it: {not_the_first(self.part)}")]

    def remedy(self) -> Remedy:
        return Remedy(f"pass {self.first} to llama.cpp, and audit the folder")


class GgufPartsJoined(Finding, frozen=True, kw_only=True):
    """The parts of a split GGUF model were joined as plain files.

    What it means
        The file begins with the first of several parts, and the bytes of another part follow: each part is a whole GGUF
        file with a header of its own, which `cat` leaves in the middle.

    Why it matters
        llama.cpp reads the first header alone, and refuses a first part under another name than those of parts.

    Example
        error[N550] gguf-parts-joined: model.gguf begins with part 1 of 2
          then  1,024 bytes of other parts
          help  download the parts again and load the first one, which finds the others;
                llama-gguf-split --merge makes one file of them

    What to do
        Keep the parts as they are published and load the first, or join them with `llama-gguf-split --merge`.
    """

    code = "N550"

    of: int
    behind: int

    row_texts = (("then", "{behind} bytes of other parts"),)
    remedy_text = (
        "download the parts again and load the first one, which finds the others; llama-gguf-split --merge makes one "
        "file of them"
    )

    def headline(self) -> str:
        return f"{self.place.file} begins with part 1 of {self.of}"

    def refusal_of_llama_cpp(self, first: str) -> str:
        return f"invalid split file name: {self.place.file}"


class GgufBytesIgnored(DataBehindEnd, frozen=True, kw_only=True, omit_defaults=True):
    """A GGUF file has bytes after its last tensor, which llama.cpp ignores.

    What it means
        The file is longer than its tensors. llama.cpp and the reader of the gguf package open it and read every
        tensor: they do not compare the length.

    Why it matters
        The model is whole, but the bytes belong to no tensor: they may be another file, or what is left of an
        earlier download.

    Example
        warning[S262] gguf-bytes-ignored: model.gguf: 32 bytes too many
          declared  213,632 bytes of data
          stored    213,664 bytes of data
          help      download this file again, or cut it after the last tensor

    What to do
        Download the file again, or cut it after the last tensor.
    """

    code = "S262"
    severity = "warning"
    unreadable = False


class GgufBigEndian(Finding, frozen=True, kw_only=True):
    """A GGUF file stores its numbers with the most significant byte first.

    What it means
        The file was converted for machines of this byte order, such as IBM Z (`convert_hf_to_gguf.py --bigendian`). The
        numbers of all other GGUF files have their least significant byte first.

    Why it matters
        llama.cpp refuses it on x86 and ARM: "this GGUF file version is extremely large, is there a mismatch between
        the host and model endianness?" The machines that it is made for read it.

    Example
        warning[H161] gguf-big-endian: model.gguf
          byte order  big-endian
          reference   llama.cpp refuses it on x86 and ARM: is there a mismatch between
                      the host and model endianness?
          help        convert it with gguf_convert_endian.py model.gguf little, or
                      download the little-endian file; on IBM Z nothing needs to be done

    What to do
        Convert the file with gguf-py's `gguf_convert_endian.py FILE little`, or convert the model again without
        --bigendian. Nothing, if it is for a machine of this byte order.
    """

    code = "H161"
    severity = "warning"

    headline_text = "{place.file}"
    row_texts = (
        ("byte order", "big-endian"),
        (
            "reference",
            "llama.cpp refuses it on x86 and ARM: is there a mismatch between the host and model endianness?",
        ),
    )
    remedy_text = (
        "convert it with gguf_convert_endian.py {place.file} little, or download the little-endian file; on IBM Z "
        "nothing needs to be done"
    )
