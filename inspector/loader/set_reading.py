"""Reads the headers of the audited set one by one and compares them with the index."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.budget import Exceeded, allow_header, spend
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.header import parse_header, unopened
from inspector.loader.header_record import Header, Layouts, unreadable
from inspector.loader.index import Index
from inspector.loader.layout import Layout
from inspector.loader.listed_tensors import ListedTensors, joined, stored_of
from inspector.loader.reencoded import as_read_back
from inspector.loader.sources.source import Forewarned, Listing, Opening, Refusal, Source, is_plain_name
from inspector.loader.tensor_files import TensorFiles
from inspector.loader.weight_sets import OTHER_KINDS, WeightSet, shard_number

if TYPE_CHECKING:
    from inspector.loader.copies import Copy
    from inspector.loader.formats.other_formats import ExtraContent, OtherReader
    from inspector.loader.index_outline import Outline

STEPS_A_NAME: Final = 4
_KEPT_FREE: Final = 1 << 20
"""Bytes that are allocated and freed once before headers are read. The allocator of glibc then keeps twice as much, and
reuses the memory of one header for the next instead of returning it, which saves a third of all page faults.
"""
FILES_LIMIT: Final = 20_000
"""Most shards of one set that are opened."""


class WeightFile(Struct, frozen=True):
    """A file of the audited set with a readable header. Sizes in bytes; bytes is the size of the whole file.

    has_metadata: True if a safetensors header has metadata, even if empty.
    """

    name: str
    bytes: int
    header_bytes: int
    tensors: int
    data_bytes: int
    metadata: dict[str, str]
    has_metadata: bool = False


class SetReading:
    """Reads the headers of the audited set one by one and compares them with the index."""

    def __init__(
        self,
        source: Source,
        listing: Listing,
        weights: WeightSet,
        index: Index | Outline | None,
        quick: bool = False,
    ) -> None:
        self.source, self.listing, self.weights = source, listing, weights
        self.index = index if isinstance(index, Index) else None
        self._outline = None if index is None or isinstance(index, Index) else index
        self.by_rank: dict[str, Mapping[str, Layout] | None] = {}  # file of a rank -> its tensors, if it has any
        self.tensors: Mapping[str, Layout] = {}
        self._table: dict[str, Layout] = {}
        self._only: Header | None = None  # header of the only file so far, if there is no index
        self._listed: list[ListedTensors] = []
        self.file_of: Mapping[str, str] = {}
        self._placed: dict[str, str] = {}
        self.files: list[WeightFile] = []
        self.lost: dict[str, tuple[str, ...]] = {}
        self.cut: list[str] = []
        self.damaged: list[str] = []
        self.findings: list[Finding] = []
        self.names: dict[str, None] = {}
        self.bytes = 0
        self.beyond: ExtraContent | None = None
        self._other: OtherReader | None = None
        self._layouts = Layouts()
        self._ranked = weights.by_rank
        self._lists = self._outline is not None or (quick and index is None and len(weights.files) == 1)
        self._as_promised = index is not None
        self._disproved = False
        self._copies: dict[str, Copy] = {}
        self._counted: dict[str, int] = {}  # file -> its tensors
        self._unlabelled: set[str] = set()  # files with wrong metadata that are reported already
        self._gone: dict[str, str] = {}  # files without a readable header, with the reason

    def run(self) -> bool:
        """Reads all headers. False if they are not regular enough for a quick reading: then all results are invalid."""
        index = self.index or self._outline
        listed: dict[str, None] = {} if index is None else dict.fromkeys(index.files)
        unlisted = [name for name in self.weights.files if name not in listed]
        spend(STEPS_A_NAME * len(listed), "the files that the index names")
        there = self.listing.files.keys() | self.listing.others.keys()
        asked = sorted(name for name in listed if name in there and is_plain_name(name))
        if len(asked) + len(unlisted) > FILES_LIMIT:
            from inspector.findings.reading.place import TooManyFiles

            self.findings.append(TooManyFiles(files=len(asked) + len(unlisted), limit=FILES_LIMIT))
            self._gone.update(dict.fromkeys([*asked, *unlisted][FILES_LIMIT:], "not opened"))
            asked = asked[:FILES_LIMIT]
            unlisted = unlisted[: FILES_LIMIT - len(asked)]
        if self._outline is not None and (unlisted or len(asked) < len(listed)):
            return False
        if self.index is not None and isinstance(self.source, Forewarned):
            self.source.expect(self.index.weight_map)
        counts = {number[1] for name in asked if (number := shard_number(name)) is not None}
        bytes(_KEPT_FREE)
        if not self._read(asked, unlisted, counts):
            return False
        if len(counts) > 1:
            from inspector.loader.several_saves import totals_differ

            self.findings.extend(totals_differ(asked))
        if self._ranked:
            self.by_rank.update({**dict.fromkeys(self._gone, None), **self.by_rank})
        self.names = dict.fromkeys([*asked, *unlisted])
        self.bytes = sum(self.listing.files.get(name, 0) for name in self.names)
        if self._outline is not None:
            self.index = self._proven(self._outline)
            if self.index is None:
                return False
            self.file_of = self.index.weight_map
        elif self.index is not None and self._as_promised and self._kept(self.index, unlisted):
            self.file_of = self.index.weight_map
        elif self.index is not None:
            self._spell_out()
            from inspector.loader.agreement import compare

            copies = list(self._copies.values())
            found = compare(self.index, self._placed, copies, self._gone, there, set(unlisted), self.lost)
            self.findings.extend(found.findings)
            self.lost.update(found.lost)
        elif self._copies or self.weights.numbered:
            from inspector.loader.agreement import doubled, unindexed
            from inspector.loader.several_saves import mixed

            alone = self.weights.index is None and self.weights.kind != "gguf"
            saves = mixed(self.weights.files, list(self._copies.values())) if alone else []
            self.findings.extend(saves or [*doubled(self._copies.values()), *unindexed(self.weights)])
        self.file_of = self.file_of or self._files()
        self._formats()
        if self._other is not None:
            self.beyond = self._other.beyond()
            self.findings.extend(self.beyond.findings)
        return True

    def _read(self, listed: list[str], unlisted: list[str], counts: Collection[int]) -> bool:
        """Reads the headers of these files; False as in `run`. counts: numbers of shards that the
        listed names state.
        """
        for name, result in self._openings(listed):
            self._take(name, result)
            if self._disproved:
                return False
        for name, result in self._openings(unlisted):
            number = shard_number(name)
            stale = bool(counts) and number is not None and number[1] not in counts
            self._take(name, result, self.index is not None, stale)
        if self._listed:
            self.tensors = joined(self._listed)
        else:
            self.tensors = self._table if self._only is None else self._only.tensors
        return not isinstance(self.tensors, ListedTensors) or _are_valid(self.tensors)

    @property
    def overlaps(self) -> bool:
        """True if two files have a tensor of the same name."""
        return bool(self._copies)

    def holds(self, shape: tuple[int, ...]) -> bool:
        """True if any tensor has this shape."""
        return any(key[1:] == shape for key in self._layouts)

    def _openings(self, names: list[str]) -> Iterator[tuple[str, Opening | Header | Refusal]]:
        """The beginnings of files; for formats other than safetensors, their headers."""
        kind = "numpy" if self.weights.name.endswith(".npy") else self.weights.kind
        if kind not in OTHER_KINDS:
            yield from self.source.read_headers(names)
            return
        if self._other is None:
            from inspector.loader.formats.other_formats import OtherReader

            self._other = OtherReader(self.source, self.listing, kind, self._layouts)
        yield from self._other.read(names)

    def _take(self, name: str, result: Opening | Header | Refusal, unlisted: bool = False, stale: bool = False) -> None:
        if isinstance(result, Refusal):
            self._refused(name, result)
            return
        size = self.listing.files.get(name) if isinstance(result, Header) else result.size
        header = result if isinstance(result, Header) else as_read_back(self._parsed(name, result), size, self.source)
        self.findings.extend(header.findings)
        if header.findings:
            from inspector.findings.header.metadata import MetadataMalformed

            if isinstance(result, Opening):
                self.damaged.append(name)

            if any(isinstance(finding, MetadataMalformed) for finding in header.findings):
                self._unlabelled.add(name)
        if not header.readable:
            self._gone[name] = "unreadable"
            return
        if stale:
            self._leave_out(header)
        else:
            raw = (result.header if isinstance(result, Opening) else None) or b""
            self._add(header, size, unlisted, bool(header.metadata) or b'"__metadata__"' in raw)

    def _add(self, header: Header, size: int | None, unlisted: bool, has_metadata: bool) -> None:
        name = header.file
        there = 8 + header.header_bytes + header.declared_bytes if size is None else size
        data = there - 8 - header.header_bytes
        count = self._counted[name] = len(header.tensors)
        self.files.append(WeightFile(name, there, header.header_bytes, count, data, header.metadata, has_metadata))
        if header.faulty:
            self.lost[name] = header.faulty
        self.cut.extend(header.cut)
        if self._ranked:
            self.by_rank[name] = header.tensors
        self._place(header, unlisted)

    def _place(self, header: Header, unlisted: bool) -> None:
        name, count = header.file, len(header.tensors)
        if self._outline is not None:
            self._disproved = not isinstance(header.tensors, ListedTensors)
            if isinstance(header.tensors, ListedTensors):
                self._listed.append(header.tensors)
            return
        if self._promised(header):
            self._table.update(header.tensors)
            return
        if not self._table and self.index is None and (self._only is None or not self._only.tensors):
            self._only = header
            return
        self._spell_out()
        if not self._table.keys().isdisjoint(header.tensors):
            self._doubles(header, unlisted)
            return
        self._table.update(header.tensors)
        self._placed.update(dict.fromkeys(header.tensors, name))
        if unlisted:
            self._copy(name, (), (), count, unlisted)

    def _kept(self, index: Index, unlisted: Sequence[str]) -> bool:
        """True if the index matches the headers exactly."""
        return len(self.tensors) == len(index.weight_map) and not unlisted and not self._copies

    def _proven(self, outline: Outline) -> Index | None:
        """The index, if the entries of every file equal its tensors and no tensor is in two files; else None."""
        names = list(self.tensors)
        ends = list(accumulate(file.tensors for file in self.files))
        if not ends or len(names) != ends[-1]:
            return None
        starts = (0, *ends)
        return outline.kept(
            {file.name: names[start:end] for file, start, end in zip(self.files, starts, ends, strict=False)}
        )

    def _promised(self, header: Header) -> bool:
        """True if the index maps every tensor of this file and of all previous files to its file.

        Then no name can be duplicated, and the index itself gives the file of each tensor.
        """
        if not self._as_promised or self.index is None:
            return False
        names = self.index.promised.get(header.file, ())
        return len(names) == len(header.tensors) and all(map(header.tensors.__contains__, names))

    def _spell_out(self) -> None:
        """Stops relying on the index, or on having read only one file, and records the files of all tensors read so
        far.
        """
        if self._as_promised and self.index is not None:
            promise = self.index.weight_map
            self._placed.update({name: promise[name] for name in self._table})
        if self._only is not None:
            self._placed.update(dict.fromkeys(self._only.tensors, self._only.file))
            self._table = dict(self._only.tensors)
            self._only = None
        self._as_promised = False

    def _files(self) -> Mapping[str, str]:
        """Tensor -> file, in the absence of an index."""
        return self._placed if self._only is None else TensorFiles({self._only.file: self.tensors})

    def _leave_out(self, header: Header) -> None:
        """Excludes a shard with another total number of shards: its tensors belong to another save and are only
        compared.
        """
        stored = self._table if self._only is None else self._only.tensors
        repeated = header.tensors.keys() & stored.keys()
        other = tuple(sorted(name for name in repeated if stored[name] != header.tensors[name]))
        same = tuple(sorted(repeated.difference(other)))
        self._copy(header.file, same, other, len(header.tensors), True)

    def _doubles(self, header: Header, unlisted: bool) -> None:
        """Adds a file with tensors that are already known. The copy that the index names is kept; the other file is
        the one that repeats the tensor.
        """
        repeated: dict[str, tuple[list[str], list[str]]] = {header.file: ([], [])} if unlisted else {}
        promised = {} if self.index is None else self.index.weight_map
        for name, layout in header.tensors.items():
            present = self._table.get(name)
            if present is None:
                self._table[name] = layout
                self._placed[name] = header.file
                continue
            file = header.file
            if promised.get(name) == file:
                file = self._placed[name]
                self._table[name] = layout
                self._placed[name] = header.file
            repeated.setdefault(file, ([], []))[present != layout].append(name)
        for file, (same, other) in repeated.items():
            self._copy(file, tuple(same), tuple(other), self._counted[file], unlisted)

    def _copy(self, file: str, same: tuple[str, ...], other: tuple[str, ...], tensors: int, unlisted: bool) -> None:
        from inspector.loader.copies import Copy

        known = self._copies.get(file)
        same, other = (same, other) if known is None else ((*known.same, *same), (*known.other, *other))
        self._copies[file] = Copy(file, same, other, tensors, unlisted)

    def _parsed(self, name: str, opening: Opening) -> Header:
        """The header of a safetensors file."""
        if opening.header is None:
            from inspector.loader.formats.tensorflow import of_tensorflow

            other = of_tensorflow(self.source, name, self.listing.files, opening.size)
            return self._as_listed(name, opening.size, other or unopened(opening.first, opening.size, name))
        behind = None if opening.size is None else opening.size - 8 - len(opening.header)
        allow_header(len(opening.header))
        try:
            return parse_header(opening.header, behind, name, self._layouts, opening.first, self._lists)
        except Exceeded as exceeded:
            from inspector.loader.over_budget import exceeded_findings

            return unreadable(name, *exceeded_findings(exceeded, name))

    def _as_listed(self, name: str, size: int | None, header: Header) -> Header:
        """The findings on a file without a header, with its size in the list of files if the server sent another."""
        listed = self.listing.files.get(name)
        if size is None or listed in (None, size):
            return header
        from inspector.findings.reading.content import NotACheckpoint

        findings = (
            replace(one, listed_bytes=listed) if isinstance(one, NotACheckpoint) else one for one in header.findings
        )
        return replace(header, findings=tuple(findings))

    def _refused(self, name: str, refusal: Refusal) -> None:
        broken = self.listing.others.get(name) == "broken link"
        self._gone[name] = refusal.reason
        if refusal.reason == "absent" and self.index is not None:
            self._gone[name] = "broken link" if broken else "absent"
            return  # reported together with its tensors
        from inspector.findings.reading.place import NotARegularFile, NotFound, NotPermitted, ReadFailed, Unreadable

        if refusal.reason == "permission":
            place = Place(file=name)
            denied = NotPermitted(place=place, reason=refusal.reason, detail=refusal.detail, folder=refusal.folder)
            self.findings.append(denied)
            return
        kinds: dict[str, type[Unreadable]] = {
            "not-regular": NotARegularFile,
            "absent": NotFound,
            "loop": NotFound,
        }
        kind = kinds.get(refusal.reason, ReadFailed)
        reason = "broken link" if broken else refusal.reason
        self.findings.append(kind(place=Place(file=name), reason=reason, detail=refusal.detail))

    def _formats(self) -> None:
        without = [
            file.name
            for file in self.files
            if "format" not in file.metadata and file.tensors and file.name not in self._unlabelled
        ]
        if without:
            from inspector.findings.header.metadata import FormatAbsent

            self.findings.append(
                FormatAbsent(files=len(without), names=tuple(without[:NAMES_SHOWN]), of=len(self.files))
            )


def _are_valid(tensors: ListedTensors) -> bool:
    """True if the names in headers are distinct and none is the key of the metadata."""
    return tensors.distinct() and not stored_of(("__metadata__",), tensors)
