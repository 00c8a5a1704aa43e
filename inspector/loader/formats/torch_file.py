"""PyTorch's files: zip archives (since 1.6) and the older rows of pickles. Tensors by name, nothing run.

The state dict's pickle is read as code (`pickle_code`); of what it would import, only what a state dict
needs is understood, the rest is named. Storages are looked up in the archive, or added up behind the
pickles of an old file, so that a cut file is seen. Source: torch/serialization.py, torch/_utils.py,
torch/_weights_only_unpickler.py of torch 2.13.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from inspector.findings.finding import Finding, Place
from inspector.loader.dtype import BITS, TORCH_NAMES
from inspector.loader.entry_problems import EntryProblems
from inspector.loader.formats import zip_directory
from inspector.loader.formats.incremental import Ended, Read
from inspector.loader.formats.pickle_code import read_pickle
from inspector.loader.formats.pickle_values import Fault, Made, Name, Persistent, Pickle
from inspector.loader.formats.zip_directory import Member
from inspector.loader.header_record import NAMES_SHOWN, Header, Layouts
from inspector.loader.layer_words import layers_of
from inspector.loader.layout import WORD, Layout, lay_out
from inspector.loader.signature import SNIFF_BYTES, recognise


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PICKLE_LIMIT: Final = 32_000_000
"""Bytes of pickled structure; a hundred thousand tensors take about twenty million."""
TENSOR_LIMIT: Final = 200_000
STEP_LIMIT: Final = 1_000_000
"""Values that are visited to find the tensors, so that a dict within itself ends."""
DEPTH_LIMIT: Final = 64
NAME_LIMIT: Final = 4_096
NAMES_LIMIT: Final = 32_000_000
DIMS_LIMIT: Final = 64

STORAGES: Final[dict[str, str]] = {
    "DoubleStorage": "F64",
    "FloatStorage": "F32",
    "HalfStorage": "F16",
    "BFloat16Storage": "BF16",
    "LongStorage": "I64",
    "IntStorage": "I32",
    "ShortStorage": "I16",
    "CharStorage": "I8",
    "ByteStorage": "U8",
    "BoolStorage": "BOOL",
    "ComplexFloatStorage": "C64",
    "QInt8Storage": "I8",
    "QUInt8Storage": "U8",
    "QInt32Storage": "I32",
    "UntypedStorage": "U8",
}
"""Class of a storage -> dtype of its elements."""
_OTHER_TORCH: Final = frozenset(
    {"Size", "device", "Tensor", "strided", "sparse_coo", "preserve_format", "contiguous_format", "complex128",
     "per_tensor_affine", "per_channel_affine", "quint4x2", "quint2x4", "ComplexDoubleStorage", "layout", "dtype",
     "QUInt4x2Storage", "QUInt2x4Storage"}
)  # fmt: skip
_NEEDED: Final = frozenset(
    {
        ("torch._utils", "_rebuild_tensor"), ("torch._utils", "_rebuild_tensor_v2"),
        ("torch._utils", "_rebuild_tensor_v3"), ("torch._utils", "_rebuild_parameter"),
        ("torch._utils", "_rebuild_parameter_with_state"), ("torch._utils", "_rebuild_sparse_tensor"),
        ("torch._utils", "_rebuild_qtensor"), ("torch._utils", "_rebuild_meta_tensor_no_storage"),
        ("torch._utils", "_rebuild_nested_tensor"), ("torch._utils", "_rebuild_wrapper_subclass"),
        ("torch._utils", "_rebuild_device_tensor_from_numpy"), ("torch._tensor", "_rebuild_from_type_v2"),
        ("torch._tensor", "Tensor"), ("torch.nn.parameter", "Parameter"), ("torch.nn.parameter", "Buffer"),
        ("torch.storage", "UntypedStorage"), ("torch.storage", "TypedStorage"), ("torch.storage", "_LoadedStorage"),
        ("torch.serialization", "_get_layout"), ("torch.jit._pickle", "build_intlist"),
        ("torch.jit._pickle", "build_boollist"), ("torch.jit._pickle", "build_tensorlist"),
        ("torch.jit._pickle", "build_doublelist"), ("torch.jit._pickle", "restore_type_tag"),
        ("collections", "OrderedDict"), ("collections", "defaultdict"), ("collections", "Counter"),
        ("_codecs", "encode"), ("numpy", "dtype"), ("numpy", "ndarray"), ("numpy", "float64"), ("numpy", "float32"),
        ("numpy.core.multiarray", "scalar"), ("numpy.core.multiarray", "_reconstruct"),
        ("numpy._core.multiarray", "scalar"), ("numpy._core.multiarray", "_reconstruct"),
    }
)  # fmt: skip
_PLAIN_BUILTINS: Final = _words(
    "set frozenset list dict tuple int float bool str bytes bytearray complex slice range unicode long object"
)
_RUNS: Final = _words(
    "os posix nt subprocess sys builtins __builtin__ socket shutil runpy importlib pty webbrowser ctypes pickle "
    "_pickle cPickle dill cloudpickle joblib marshal code codeop timeit pip pdb bdb cProfile profile trace operator "
    "_operator io _io asyncio multiprocessing threading _thread http urllib urllib2 urllib3 requests httpx aiohttp "
    "ssl ftplib smtplib telnetlib tempfile glob platform commands popen2 zipimport pkgutil imp ensurepip venv idlelib "
    "doctest unittest distutils setuptools sqlite3 signal gc inspect linecache atexit site shlex nturl2path posixpath "
    "ntpath fileinput _winapi winreg msvcrt fcntl mmap resource syslog sched select selectors"
)
"""Modules that a state dict never needs and whose functions start, open, load or evaluate something."""
_RUNS_NAMES: Final = frozenset(
    {("torch", "load"), ("torch", "compile"), ("torch.hub", "load"), ("torch.serialization", "load"),
     ("torch.hub", "load_state_dict_from_url"), ("torch.hub", "download_url_to_file"),
     ("torch.utils.cpp_extension", "load"), ("torch.utils.cpp_extension", "load_inline"), ("numpy", "load"),
     ("torch.jit", "load"), ("torch.package", "PackageImporter"), ("types", "FunctionType"),
     ("types", "CodeType"), ("types", "MethodType"), ("functools", "reduce"),
     ("numpy.testing._private.utils", "runstring")}
)  # fmt: skip
_INSIDE: Final = ("state_dict", "model_state_dict", "model_state", "model", "module", "params_ema", "params", "net",
                  "network", "weights", "generator", "teacher", "student")  # fmt: skip
"""Keys below which programs put the weights when they save more than them; the first one there is taken."""
_MAGIC: Final = 0x1950A86A20F9469CFC6C


class TorchFile(Struct, frozen=True):
    """What a PyTorch file holds.

    header: tensors by name. form: "zip", "torchscript", "legacy", "pickle", or "" where it could not be read.
    ties: names that are one and the same view of one storage. views: names that share a storage otherwise.
    inside: key below which the weights were found, "" at the top. beside: other keys there -> tensors below.
    lies: tensor -> (member of the archive, first element in it, strides in elements), of an archive.
    """

    header: Header
    form: str = ""
    ties: tuple[tuple[str, ...], ...] = ()
    views: tuple[tuple[str, ...], ...] = ()
    inside: str = ""
    beside: Mapping[str, int] = {}
    lies: Mapping[str, tuple[str, int, tuple[int, ...]]] = {}


def begins(read: Read, size: int, file: str) -> Mapping[str, tuple[int, int, tuple[int, ...]]]:
    """Tensor -> (byte at which its storage begins, first element in it, strides), where the archive keeps it plain."""
    members = zip_directory.read_directory(read, size)
    if isinstance(members, zip_directory.Fault):
        return {}
    starts: dict[str, int] = {}
    found: dict[str, tuple[int, int, tuple[int, ...]]] = {}
    for name, (key, first, strides) in read_torch(read, size, file).lies.items():
        member = members.get(key)
        if member is None or not member.plain:
            continue
        if key not in starts:
            start = zip_directory.data_offset(read, member)
            starts[key] = -1 if isinstance(start, zip_directory.Fault) else start
        if starts[key] >= 0:
            found[name] = (starts[key], first, strides)
    return found


class _Storage(Struct, frozen=True):
    dtype: str
    key: str
    elements: int
    bytes: int


class _Tensor(Struct, frozen=True):
    """A tensor as the pickle describes it; storage None where it says that there is none (meta)."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    storage: _Storage | None


_ODD: Final = _Tensor("", (), (), 0, None)
"""What a call makes that would be a tensor if its arguments were such as tensors have."""


def read_torch(read: Read, size: int, file: str, layouts: Layouts | None = None) -> TorchFile:
    """Reads what a PyTorch file of `size` bytes declares. Any bytes give a reading or evidence of what is wrong."""
    reading = _Reading(read, size, file, Layouts() if layouts is None else layouts)
    first = read(0, min(size, SNIFF_BYTES))
    what = recognise(first, size)
    if what == "zip":
        return reading.archive()
    if what == "pickle" or (what in ("unknown", "text") and first[:1] in (b"(", b"}", b"c", b"]", b"\x80")):
        return reading.row()
    place = Place(file=file)
    from inspector.findings.reading.content import NotACheckpoint

    return reading.unreadable(NotACheckpoint(place=place, what=what, bytes=size))


class _Reading:
    def __init__(self, read: Read, size: int, file: str, known: Layouts) -> None:
        self.read, self.size, self.file, self.known = read, size, file, known
        self.findings: list[Finding] = []
        self.problems = EntryProblems()
        self.place = Place(file=file)
        self.steps = 0
        self.name_bytes = 0
        self.complete = True
        self.odd: list[str] = []

    def unreadable(self, *found: Finding) -> TorchFile:
        return TorchFile(Header(self.file, {}, {}, (*self.findings, *found), readable=False))

    def _wrong_pickle(self, fault: Fault) -> Finding:
        from inspector.findings.header.torch import PickleMalformed

        return PickleMalformed(place=self.place, problem=fault.problem, position=fault.position)

    def _wrong_archive(self, fault: zip_directory.Fault) -> Finding:
        from inspector.findings.header.torch import ArchiveMalformed

        return ArchiveMalformed(place=self.place, problem=fault.problem, cut=fault.cut, stored=self.size)

    # the two forms

    def archive(self) -> TorchFile:
        """A zip archive: one folder with data.pkl and data/0, data/1, ..."""
        members = zip_directory.read_directory(self.read, self.size)
        if isinstance(members, zip_directory.Fault):
            return self.unreadable(self._wrong_archive(members))
        names = [name for name in members if name == "data.pkl" or name.endswith("/data.pkl")]
        if not names:
            return self.unreadable(self._wrong_archive(zip_directory.Fault("the archive holds no data.pkl")))
        main = members[min(names, key=len)]
        if main.size > PICKLE_LIMIT:
            problem = f"has {main.size:,} bytes, the limit is {PICKLE_LIMIT:,}"
            return self.unreadable(self._wrong_pickle(Fault(problem, 0)))
        data = zip_directory.beginning(self.read, main, PICKLE_LIMIT)
        if isinstance(data, zip_directory.Fault):
            return self.unreadable(self._wrong_archive(data))
        try:
            found = read_pickle(data)
        except Ended:
            found = Fault("stops before its end", len(data))
        if isinstance(found, Fault):
            return self.unreadable(self._wrong_pickle(found))
        prefix = main.name.removesuffix("data.pkl")
        form = "torchscript" if any(name.startswith(f"{prefix}code/") for name in members) else "zip"
        return self._concluded(found.value, [found], form, _Archived(prefix, members))

    def row(self) -> TorchFile:
        """An older file: magic number, protocol, system, state dict and keys as pickles in a row; then the storages."""
        size = 1 << 16
        while True:
            data = self.read(0, min(size, self.size, PICKLE_LIMIT))
            try:
                return self._row(data)
            except Ended:
                if size >= self.size:
                    return self.unreadable(self._wrong_pickle(Fault("stops before its end", len(data))))
                if size >= PICKLE_LIMIT:
                    problem = f"has more than {PICKLE_LIMIT:,} bytes"
                    return self.unreadable(self._wrong_pickle(Fault(problem, len(data))))
            size <<= 3

    def _row(self, data: bytes) -> TorchFile:
        found = read_pickle(data)
        if isinstance(found, Fault):
            return self.unreadable(self._wrong_pickle(found))
        if found.value != _MAGIC or type(found.value) is not int:
            return self._concluded(found.value, [found], "pickle", None)
        pickles = [found]
        for _ in range(4):  # protocol version, system, the object, the keys of its storages
            found = read_pickle(data, pickles[-1].end)
            if isinstance(found, Fault):
                return self.unreadable(self._wrong_pickle(found))
            pickles.append(found)
        keys = found.value if isinstance(found.value, list) else []
        return self._concluded(pickles[3].value, pickles, "legacy", _Behind(found.end, keys))

    # from the pickled value to tensors

    def _concluded(
        self, value: object, pickles: list[Pickle], form: str, place: _Archived | _Behind | None
    ) -> TorchFile:
        self._imports(pickles, form)
        inside, weights, beside = self._weights(value)
        tensors: dict[str, Layout] = {}
        lies: dict[str, tuple[str, int, tuple[int, ...]]] = {}
        faulty: list[str] = []
        views: dict[str, dict[tuple[Any, ...], list[str]]] = {}
        of_storage: dict[str, list[str]] = {}
        storages: dict[str, _Storage] = {}
        for name, made in self._named(weights, ""):
            layout = self._layout(name, made)
            if layout is None:
                faulty.append(name)
                continue
            tensors[name] = layout
            storage = made.storage
            if storage is not None:
                storages[storage.key] = storage
                if isinstance(place, _Archived):
                    lies[name] = (f"{place.prefix}data/{storage.key}", made.offset, made.strides)
                of_storage.setdefault(storage.key, []).append(name)
                if layout.elements:
                    view = (made.offset, made.shape, made.strides, made.dtype)
                    views.setdefault(storage.key, {}).setdefault(view, []).append(name)
        self._judge_tensors()
        if not tensors and not faulty and not (isinstance(value, dict) and not value):
            from inspector.findings.header.torch import NoTensors

            self.findings.append(NoTensors(place=self.place, what=_what(value)))
            return self.unreadable()
        if isinstance(value, dict) and value.keys() >= {"state", "param_groups"}:
            from inspector.findings.reading.training import OptimizerNotWeights

            self.findings.append(OptimizerNotWeights(place=self.place, tensors=len(tensors)))
        if inside or beside:
            from inspector.findings.header.torch import OtherKey, WeightsInside

            self.findings.append(
                WeightsInside(
                    place=self.place,
                    inside=inside,
                    beside=tuple(OtherKey(key, count) for key, count in list(beside.items())[:NAMES_SHOWN]),
                    count=len(beside),
                )
            )
        ties, slices = self._shared(views)
        declared = sum(storage.bytes for storage in storages.values())
        cut = () if place is None else self._cut(place, storages, of_storage)
        header = Header(
            self.file, tensors, {"format": "pt"}, tuple(self.findings), max(0, self.size - 8 - declared), declared,
            tuple(faulty), cut,
        )  # fmt: skip
        return TorchFile(header, form, ties, slices, inside, beside, lies)

    def _judge_tensors(self) -> None:
        """What is wrong with the tensors that the pickle describes."""
        self.findings.extend(self.problems.findings(self.file))
        if self.odd:
            problem = f"describes tensors that cannot be: {len(self.odd):,}, the first is {self.odd[0][:200]}"
            from inspector.findings.header.torch import PickleMalformed

            self.findings.append(PickleMalformed(place=self.place, problem=problem, position=0))
        if not self.complete:
            from inspector.findings.header.torch import PickleMalformed

            self.findings.append(
                PickleMalformed(place=self.place, problem="holds more than can be a state dict", position=0)
            )

    def _imports(self, pickles: list[Pickle], form: str) -> None:
        runs: list[str] = []
        objects: list[str] = []
        for pickle in pickles:
            for name in pickle.names:
                kind = _kind(name)
                if kind == "object" and form == "torchscript" and name.module.startswith("__torch__"):
                    continue
                if kind:
                    (runs if kind == "runs" else objects).append(str(name)[:200])
        from inspector.findings.header.torch import PickleHoldsObjects, PickleRunsCode

        for finding, names in ((PickleRunsCode, runs), (PickleHoldsObjects, objects)):
            distinct = tuple(dict.fromkeys(names))
            if distinct:
                self.findings.append(finding(place=self.place, names=distinct[:NAMES_SHOWN], count=len(distinct)))

    def _weights(self, value: object) -> tuple[str, object, dict[str, int]]:
        """(key below which the weights are, what holds them, tensors below the other keys)."""
        way: list[str] = []
        beside: dict[str, int] = {}
        for _ in range(4):
            holder = _mapping(value)
            if holder is None or _is_module(value):
                break
            below = {
                key: self._count(item)
                for key, item in holder.items()
                if type(key) is str and (isinstance(item, dict | list | tuple) or _mapping(item) is not None)
                if _tensor_of(item) is None
            }
            key = next((key for key in _INSIDE if below.get(key)), None)
            if key is None or any(_tensor_of(item) is not None for item in holder.values()):
                break
            beside.update({other[:200]: count for other, count in below.items() if other != key and count})
            way.append(key)
            value = holder[key]
        return ".".join(way), value, beside

    def _count(self, value: object) -> int:
        """How many tensors are below a value, as far as a bounded look tells."""
        found, steps, stack = 0, 0, [value]
        while stack and steps < 20_000:
            item = stack.pop()
            steps += 1
            if _tensor_of(item) is not None:
                found += 1
                continue
            holder = _mapping(item)
            inner = list(holder.values()) if holder is not None else item if isinstance(item, list | tuple) else ()
            stack.extend(inner[: 20_000 - len(stack)] if len(stack) < 20_000 else ())
        return found

    def _named(self, value: object, prefix: str, depth: int = 0) -> Iterator[tuple[str, _Tensor]]:
        """Every tensor below a value by its path, in the order of the file."""
        if depth > DEPTH_LIMIT:
            self.complete = False
            return
        holder = _mapping(value)
        if holder is not None:
            pairs: Iterator[tuple[object, object]] = iter(holder.items())
        elif isinstance(value, list | tuple):
            pairs = iter(enumerate(value))
        else:
            return
        for key, item in pairs:
            self.steps += 1
            if self.steps > STEP_LIMIT:
                self.complete = False
                return
            found = _tensor_of(item)
            if found is None and _mapping(item) is None and not isinstance(item, list | tuple):
                continue
            if _is_module(value) and key in ("_parameters", "_buffers", "_modules"):
                yield from self._named(item, prefix, depth + 1)
                continue
            name = f"{prefix}{key}"
            self.name_bytes += len(name)
            if len(name) > NAME_LIMIT or self.name_bytes > NAMES_LIMIT:
                self.complete = False
                continue
            if found is not None:
                yield name, found
            elif not _is_module(value):
                yield from self._named(item, f"{name}.", depth + 1)

    def _layout(self, name: str, made: _Tensor) -> Layout | None:
        if made is _ODD:
            self.odd.append(name)
            return None
        if made.dtype not in BITS:
            from inspector.findings.header.entries import DtypeEntry, DtypeUnknown

            self.problems.add(DtypeUnknown, DtypeEntry(tensor=name, dtype=made.dtype[:40], meant=None))
            return None
        key = (made.dtype, *made.shape)
        layout = self.known.get(key)
        if layout is None:
            found = lay_out(made.dtype, made.shape)
            if isinstance(found, str):
                from inspector.findings.header.entries import PartOfByte, ShapeEntry, ShapeOverflows

                kind = ShapeOverflows if found == "overflow" else PartOfByte
                self.problems.add(kind, ShapeEntry(tensor=name, dtype=made.dtype, shape=made.shape[:NAMES_SHOWN]))
                return None
            layout = found
            if max(made.shape, default=0) < 1 << 60:
                layout = self.known.setdefault(key, found)
        if made.storage is not None and layout.elements:
            pairs = zip(made.shape, made.strides, strict=True)
            reach = made.offset + 1 + sum((dim - 1) * stride for dim, stride in pairs)
            has = made.storage.bytes * 8 // BITS[made.dtype]
            if reach > has:
                from inspector.findings.header.torch import TensorBeyondStorage, ViewEntry

                self.problems.add(
                    TensorBeyondStorage,
                    ViewEntry(
                        tensor=name,
                        dtype=made.dtype,
                        shape=made.shape[:NAMES_SHOWN],
                        reach=min(reach, WORD),
                        elements=has,
                    ),
                )
        return layout

    def _shared(
        self, views: Mapping[str, Mapping[tuple[Any, ...], list[str]]]
    ) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
        """(names of the same view of a storage, names of different views of one)."""
        ties: list[tuple[str, ...]] = []
        slices: list[tuple[str, ...]] = []
        for by_view in views.values():
            ties.extend(tuple(names) for names in by_view.values() if len(names) > 1)
            if len(by_view) > 1:
                slices.append(tuple(names[0] for names in by_view.values()))
        if ties or slices:
            from inspector.findings.header.torch import StorageShared

            self.findings.append(
                StorageShared(
                    place=self.place,
                    ties=tuple(names[:4] for names in ties[:NAMES_SHOWN]),
                    tied=len(ties),
                    storages=len(slices),
                    views=sum(map(len, slices)),
                    names=tuple(name for names in slices[:4] for name in names[:4]),
                )
            )
        return tuple(ties), tuple(slices)

    def _cut(
        self, place: _Archived | _Behind, storages: Mapping[str, _Storage], of_storage: Mapping[str, list[str]]
    ) -> tuple[str, ...]:
        """Names of tensors whose storage is not there, or not all of it."""
        gone = place.gone(storages) if isinstance(place, _Archived) else self._behind(place, storages)
        names = [name for key in gone for name in of_storage.get(key, ())]
        if names and isinstance(place, _Archived):
            from inspector.findings.header.torch import StorageMissing

            self.findings.append(
                StorageMissing(
                    place=self.place,
                    storages=len(gone),
                    members=tuple(list(gone.values())[:NAMES_SHOWN]),
                    tensors=len(names),
                    names=tuple(names[:NAMES_SHOWN]),
                    layers=layers_of(names),
                )
            )
        return tuple(names)

    def _behind(self, place: _Behind, storages: Mapping[str, _Storage]) -> dict[str, str]:
        """Storages of an old file that reach beyond its end: each is its length in 8 bytes, then its elements."""
        at = place.start
        gone: dict[str, str] = {}
        for key in dict.fromkeys(str(key) for key in place.keys if isinstance(key, str | int)):
            storage = storages.get(key)
            if storage is None:
                return gone  # storages of what is no tensor of the weights: the sum cannot go on
            at += 8 + storage.bytes
            if at > self.size:
                gone[key] = key
        at_least = place.start + sum(8 + storage.bytes for storage in storages.values())
        if gone or at_least > self.size:
            if not gone:
                gone = dict.fromkeys(storages, "")
            lost = max(at, at_least) - self.size
            from inspector.findings.shards.files import ShardCut

            self.findings.append(
                ShardCut(
                    place=self.place,
                    declared=min(self.size + lost, WORD),
                    stored=self.size,
                    lost_bytes=min(lost, WORD),
                    tensors=len(gone),
                    names=(),
                    layers="",
                )
            )
        elif len(storages) == len(place.keys) and at < self.size:
            from inspector.findings.header.offsets import DataBehindEnd

            self.findings.append(DataBehindEnd(place=self.place, declared=at, stored=self.size, bytes=self.size - at))
        return gone


class _Archived(Struct, frozen=True):
    """Storages as members of an archive."""

    prefix: str
    members: Mapping[str, Member]

    def gone(self, storages: Mapping[str, _Storage]) -> dict[str, str]:
        """Storages that are absent or too short -> what is wrong with them."""
        gone: dict[str, str] = {}
        for key, storage in storages.items():
            name = f"{self.prefix}data/{key}"
            member = self.members.get(name)
            if member is None:
                gone[key] = f"{name} is not there"
            elif member.size < storage.bytes or (member.plain and member.stored < storage.bytes):
                has = min(member.size, member.stored) if member.plain else member.size
                gone[key] = f"{name} has {has:,} of {storage.bytes:,} bytes"
        return gone


class _Behind(Struct, frozen=True):
    """Storages in a row behind the pickles, in the order of `keys`."""

    start: int
    keys: list[object]


def _kind(name: Name) -> str:
    """ "" for what a state dict needs, "runs" for what would start something, "object" for any other class."""
    module, last = name.module, name.name
    if (module, last) in _NEEDED:
        return ""
    if module in ("builtins", "__builtin__"):
        return "" if last in _PLAIN_BUILTINS else "runs"
    if module in ("torch", "torch.storage", "torch.cuda") and (
        last in STORAGES or last in _OTHER_TORCH or last in TORCH_NAMES or last == "UntypedStorage"
    ):
        return ""
    if module.split(".", 1)[0] in _RUNS or (module, last) in _RUNS_NAMES:
        return "runs"
    return "object"


def _mapping(value: object) -> Mapping[Any, object] | None:
    """The dict that a value is or holds: an object's own dict, or the entries of a class of dicts."""
    if isinstance(value, dict):
        return value
    if isinstance(value, Made):
        if value.entries is not None:
            return value.entries
        if isinstance(value.state, dict):
            return value.state
        if isinstance(value.state, tuple) and len(value.state) == 2 and isinstance(value.state[0], dict):
            return value.state[0]
    return None


def _is_module(value: object) -> bool:
    """Whether a value is a pickled torch.nn.Module."""
    return isinstance(value, Made) and isinstance(value.state, dict) and "_parameters" in value.state


def _what(value: object) -> str:
    """The top of a pickle in words."""
    if isinstance(value, Made):
        return f"an object of {str(value.of)[:100]}" if isinstance(value.of, Name) else "an object"
    if isinstance(value, dict):
        return f"a dict of {len(value)}"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return "a number" if isinstance(value, int | float) else "a text" if isinstance(value, str) else "nothing"


def _tensor_of(value: object) -> _Tensor | None:
    """The tensor that a call in the pickle would make; None where it makes something else."""
    for _ in range(8):
        if not isinstance(value, Made) or not isinstance(value.of, Name) or not isinstance(value.arguments, tuple):
            return None
        name, arguments = value.of.name, value.arguments
        if not arguments or not value.of.module.startswith("torch"):
            return None
        if name in ("_rebuild_parameter", "_rebuild_parameter_with_state", "Parameter", "Buffer"):
            value = arguments[0]
        elif name == "_rebuild_from_type_v2" and len(arguments) >= 3:
            value = Made(arguments[0], arguments[2])
        elif name in ("_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_qtensor"):
            return _viewed(name, arguments)
        elif name == "_rebuild_meta_tensor_no_storage" and len(arguments) >= 3:
            return _described(arguments[0], arguments[1], arguments[2])
        elif name == "_rebuild_wrapper_subclass" and len(arguments) >= 4:
            return _described(arguments[1], arguments[2], arguments[3])
        else:
            return None
    return None


def _viewed(name: str, arguments: tuple[Any, ...]) -> _Tensor:
    if len(arguments) < 4:
        return _ODD
    storage = _storage_of(arguments[0])
    shape, strides = _dims(arguments[2]), _dims(arguments[3])
    offset = arguments[1]
    if storage is None or shape is None or strides is None or len(shape) != len(strides):
        return _ODD
    if type(offset) is not int or not 0 <= offset < WORD:
        return _ODD
    dtype = storage.dtype
    if name == "_rebuild_tensor_v3":
        if len(arguments) < 7 or not isinstance(arguments[6], Name):
            return _ODD
        dtype = TORCH_NAMES.get(arguments[6].name, arguments[6].name)
    return _Tensor(dtype, shape, strides, offset, storage)


def _described(dtype: object, shape: object, strides: object) -> _Tensor:
    dims = _dims(shape)
    if dims is None or not isinstance(dtype, Name):
        return _ODD
    return _Tensor(TORCH_NAMES.get(dtype.name, dtype.name), dims, _dims(strides) or (0,) * len(dims), 0, None)


def _dims(value: object) -> tuple[int, ...] | None:
    """Dims or strides: a tuple, a list, or torch.Size of one."""
    if isinstance(value, Made) and isinstance(value.arguments, tuple) and len(value.arguments) == 1:
        value = value.arguments[0]
    if not isinstance(value, list | tuple) or len(value) > DIMS_LIMIT:
        return None
    return tuple(value) if all(type(dim) is int and 0 <= dim < WORD for dim in value) else None


def _storage_of(value: object) -> _Storage | None:
    """The storage that a persistent id names: ("storage", class, key, device, elements, ...)."""
    if not isinstance(value, Persistent) or not isinstance(value.key, tuple) or len(value.key) < 5:
        return None
    _, of, key, _, elements = value.key[:5]
    if not isinstance(of, Name) or not isinstance(key, str | int) or type(elements) is not int:
        return None
    if elements < 0:
        return None
    elements = min(elements, WORD)
    dtype = STORAGES.get(of.name, of.name)
    return _Storage(dtype, str(key), elements, elements * BITS.get(dtype, 128) // 8)
