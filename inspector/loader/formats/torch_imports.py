"""Classifies the names that a pickle imports: needed by a state dict, harmless, dangerous, or unknown.

Permitted names are listed with reasons; all others are reported. Sources: torch/_weights_only_unpickler.py of torch
2.13, whose default list is `ALLOWED`; the modules of the standard library of Python 3.8 to 3.14 and those of Python 2
(`sys.stdlib_module_names`, `_compat_pickle`); the lists of picklescan 1.0.5, modelscan 0.8.8 and fickling 0.1.12.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal

from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.dtype import TORCH_NAMES
from inspector.loader.formats.pickle_values import COMPUTED, EXTENSIONS, GlobalName, Pickle
from inspector.loader.formats.torch_tensors import STORAGES

Purpose = Literal["allowed", "harmless", "script", "unlisted", "dangerous"]
"""allowed: `torch.load(weights_only=True)` accepts it. harmless: `torch.load` refuses it, but creating it only stores
values. script: a value of TorchScript. dangerous: it can start, open, load, import or evaluate something. unlisted: on
none of the lists, so that its effect is unknown.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NUMBERS: Final = "Double Float Half Long Int Short Char Byte Bool BFloat16"
_DTYPES: Final = (
    "complex128 complex32 qint8 qint32 quint8 quint4x2 quint2x4 bits16 bits8 bits1x8 bits2x4 bits4x2 float4_e2m1fn_x2 "
    "uint1 uint2 uint3 uint4 uint5 uint6 uint7 int1 int2 int3 int4 int5 int6 int7"
)
_OTHER_NAMES: Final = ("double", "float", "half")
"""Names of dtypes that no pickle contains: torch writes float64, float32 and float16."""
_ALLOWED: Final = (
    ("the dict of a state dict", "collections", "OrderedDict Counter"),
    ("bytes, as Python 3 pickles them for Python 2", "_codecs", "encode"),
    ("plain values without an opcode of their own", "builtins", "bytearray set complex"),
    ("a tensor as a view of a storage", "torch._utils", "_rebuild_tensor _rebuild_tensor_v2 _rebuild_tensor_v3"),
    ("a tensor that is a parameter", "torch._utils", "_rebuild_parameter _rebuild_parameter_with_state"),
    ("a tensor of another kind", "torch._utils", "_rebuild_sparse_tensor _rebuild_qtensor _rebuild_nested_tensor"),
    ("a tensor without values", "torch._utils", "_rebuild_meta_tensor_no_storage"),
    ("a tensor of a subclass", "torch._utils", "_rebuild_wrapper_subclass"),
    ("a tensor of another device", "torch._utils",
     "_rebuild_device_tensor_from_numpy _rebuild_device_tensor_from_cpu_tensor"),
    ("a tensor with attributes", "torch._tensor", "_rebuild_from_type_v2"),
    ("a tensor that is a parameter", "torch.nn.parameter", "Parameter"),
    ("the bytes of tensors", "torch.storage", "UntypedStorage TypedStorage"),
    ("the bytes of tensors", "torch", " ".join(name for name in STORAGES if name != "UntypedStorage")),
    ("the bytes of tensors", "torch", "ComplexDoubleStorage QUInt4x2Storage QUInt2x4Storage"),
    ("the bytes of tensors", "torch.cuda", " ".join(f"{name}Storage" for name in _NUMBERS.split())),
    ("the bytes of tensors", "torch.cuda", "ComplexFloatStorage ComplexDoubleStorage"),
    *(("a tensor of the oldest files", f"torch{device}{kind}", " ".join(f"{name}Tensor" for name in names.split()))
      for device in ("", ".cuda")
      for kind, names in (("", _NUMBERS), (".sparse", _NUMBERS.replace("Bool ", "")))),
    ("a tensor, its shape and its device", "torch", "Tensor Size device"),
    ("a dtype", "torch", " ".join(name for name in TORCH_NAMES if name not in _OTHER_NAMES)),
    ("a dtype", "torch", _DTYPES),
    ("how a tensor is quantized", "torch",
     "per_tensor_affine per_tensor_symmetric per_channel_affine per_channel_symmetric "
     "per_channel_affine_float_qparams"),
    ("how a tensor is stored", "torch.serialization", "_get_layout"),
)  # fmt: skip
_SCRIPT: Final = (
    ("a list of TorchScript", "torch.jit._pickle",
     "build_intlist build_boollist build_tensorlist build_doublelist restore_type_tag"),
)  # fmt: skip
_SCALARS: Final = (
    "bool_ bool8 int8 int16 int32 int64 uint8 uint16 uint32 uint64 intc uintc longlong ulonglong float16 float32 "
    "float64 float128 longdouble complex64 complex128 str_ bytes_ void datetime64 timedelta64"
)
_HARMLESS: Final = (
    ("a NumPy array or scalar", "numpy", f"dtype ndarray {_SCALARS}"),
    *(("a NumPy array or scalar", f"numpy.{core}", names)
      for core in ("core", "_core")
      for core, names in ((f"{core}.multiarray", "scalar _reconstruct"), (f"{core}.numeric", "_frombuffer"))),
    ("the dtype of a NumPy array", "numpy.dtypes",
     "BoolDType Int8DType Int16DType Int32DType Int64DType UInt8DType UInt16DType UInt32DType UInt64DType "
     "Float16DType Float32DType Float64DType Complex64DType Complex128DType"),
    ("a container", "collections", "defaultdict deque"),
    ("plain values", "builtins",
     "frozenset list dict tuple int float bool str bytes slice range xrange unicode long object"),
    ("settings of a command line", "argparse", "Namespace"),
    *(("a path, which is not opened", module, "Path PurePath PosixPath WindowsPath PurePosixPath PureWindowsPath")
      for module in ("pathlib", "pathlib._local")),
    ("a date or a time", "datetime", "datetime date time timedelta timezone tzinfo"),
    ("an exact number", "decimal", "Decimal"),
    ("an exact number", "fractions", "Fraction"),
    ("how older protocols build an object of a class that is named too", "copyreg", "_reconstructor __newobj__"),
    ("bytes in memory", "io", "BytesIO"),
    ("bytes in memory", "_io", "BytesIO"),
    ("a tensor that is a buffer", "torch.nn.parameter", "Buffer"),
    ("a tensor", "torch._tensor", "Tensor"),
    ("the bytes of tensors", "torch.storage", "_LoadedStorage"),
    ("how a tensor is stored", "torch",
     "strided sparse_coo preserve_format contiguous_format layout dtype UntypedStorage"),
    ("the version of torch", "torch.torch_version", "TorchVersion"),
)  # fmt: skip


def _by_name(table: tuple[tuple[str, str, str], ...]) -> Mapping[tuple[str, str], str]:
    return {(module, name): reason for reason, module, names in table for name in names.split()}


ALLOWED: Final = _by_name(_ALLOWED)
"""(module, name) that `torch.load(weights_only=True)` accepts -> what a state dict needs it for."""
HARMLESS: Final = _by_name(_HARMLESS)
"""(module, name) that it refuses although the object only stores values -> its description."""
SCRIPT: Final = _by_name(_SCRIPT)
_PLAIN_CLASSES: Final = ("torch.nn.modules.", "torch.optim.")
"""Packages with classes of objects that are created without a call and then given their attributes."""

_STANDARD: Final = _words(
    """
    __future__ _abc _aix_support _android_support _apple_support _ast _asyncio _bisect _blake2 _bootsubprocess
    _bz2 _codecs _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _collections
    _collections_abc _colorize _compat_pickle _compression _contextvars _crypt _csv _ctypes _curses
    _curses_panel _datetime _dbm _decimal _elementtree _frozen_importlib _frozen_importlib_external _functools
    _gdbm _hashlib _heapq _imp _interpchannels _interpqueues _interpreters _io _ios_support _json _locale
    _lsprof _lzma _markupbase _md5 _msi _multibytecodec _multiprocessing _opcode _opcode_metadata _operator
    _osx_support _overlapped _pickle _posixshmem _posixsubprocess _py_abc _py_warnings _pydatetime _pydecimal
    _pyio _pylong _pyrepl _queue _random _remote_debugging _scproxy _sha1 _sha2 _sha256 _sha3 _sha512 _signal
    _sitebuiltins _socket _sqlite3 _sre _ssl _stat _statistics _string _strptime _struct _suggestions _symtable
    _sysconfig _thread _threading_local _tkinter _tokenize _tracemalloc _types _typing _uuid _warnings _weakref
    _weakrefset _winapi _wmi _zoneinfo _zstd abc aifc annotationlib antigravity argparse array ast asynchat
    asyncio asyncore atexit audioop base64 bdb binascii binhex bisect builtins bz2 cProfile calendar cgi cgitb
    chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser
    contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis
    distutils doctest dummy_threading email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput
    fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib
    heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword
    lib2to3 linecache locale logging lzma macpath mailbox mailcap marshal math mimetypes mmap modulefinder
    msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os
    ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint
    profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib
    resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib
    sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string
    stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios
    test textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty
    turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser
    winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo BaseHTTPServer
    CGIHTTPServer ConfigParser Cookie Dialog DocXMLRPCServer FileDialog HTMLParser Queue ScrolledText
    SimpleDialog SimpleHTTPServer SimpleXMLRPCServer SocketServer StringIO Tix Tkconstants Tkdnd Tkinter
    UserDict UserList UserString __builtin__ __builtins__ _abcoll _winreg anydbm bsddb cPickle cStringIO
    commands cookielib copy_reg dbhash dircache dumbdbm dummy_thread exceptions fpformat gdbm hotshot
    htmlentitydefs httplib ihooks imputil markupbase mhlib mimetools multifile mutex popen2 posixfile rexec
    rfc822 robotparser sgmllib statvfs tkColorChooser tkCommonDialog tkFileDialog tkFont tkMessageBox
    tkSimpleDialog ttk urllib2 urlparse whichdb xmlrpclib compile exec eval
    """
)
"""Packages of the standard library. Only the names listed above belong in a checkpoint. Many of their functions run
programs, open files or import whatever they are given, even where this is not expected.
"""
_PACKAGES: Final = _words(
    "aiohttp boto3 botocore cffi click cloudpickle dask dill execnet fabric fsspec gdown httpx invoke jinja2 joblib "
    "jsonpickle keyring loky mako numba numexpr paramiko pathos pexpect pip pkg_resources plumbum psutil ptyprocess "
    "pyarrow ray requests s3fs setuptools sh smart_open torchscript tornado twisted urllib3 wget websocket websockets "
    "werkzeug xmlrunner yaml"
)
"""Packages that start programs, load pickles, connect to servers or evaluate text."""
_LIBRARIES: Final = _words("torch numpy tensorflow keras jax pandas scipy sklearn transformers huggingface_hub")
"""Packages that contain both harmless classes and functions that load, open or evaluate something."""
_DANGEROUS_PARTS: Final = (
    "torch._C.", "torch._dynamo.", "torch._inductor.", "torch._export.", "torch._library.", "torch._ops.",
    "torch.compile.", "torch.compiler.", "torch.export.", "torch.fx.", "torch.hub.", "torch.jit.",
    "torch.multiprocessing.", "torch.onnx.", "torch.package.", "torch.serialization.", "torch.testing.",
    "torch.utils._config_module.", "torch.utils.cpp_extension.", "numpy.ctypeslib.", "numpy.distutils.",
    "numpy.f2py.", "numpy.lib.", "numpy.testing.", "keras.layers.core.", "keras.src.layers.core.",
    "transformers.dynamic_module_utils.",
)  # fmt: skip
"""Parts of these packages in which classes are dangerous as well."""
_NEW_NAMES: Final = {"__builtin__": "builtins", "__builtins__": "builtins", "copy_reg": "copyreg"}


def purpose(imported: GlobalName) -> Purpose:
    """The purpose of a name that a pickle imports."""
    module, name = imported.module, imported.name
    key = _NEW_NAMES.get(module, module), name
    if key in ALLOWED:
        return "allowed"
    if key in HARMLESS or _is_plain_class(module, name):
        return "harmless"
    if key in SCRIPT or module == "__torch__" or module.startswith("__torch__."):
        return "script"
    if module == EXTENSIONS:
        return "unlisted"
    return "dangerous" if module == COMPUTED or _is_dangerous(module, name) else "unlisted"


def _is_plain_class(module: str, name: str) -> bool:
    return f"{module}.".startswith(_PLAIN_CLASSES) and name[:1].isupper() and name.isidentifier()


def _is_dangerous(module: str, name: str) -> bool:
    root = module.partition(".")[0]
    if root in _STANDARD or root in _PACKAGES:
        return True
    # A name with dots walks from attribute to attribute, and through a module's imports to any other module.
    parts = name.split(".")
    if len(parts) > 1 and (root in _LIBRARIES or any(part.startswith("_") or part in _STANDARD for part in parts)):
        return True
    if root not in _LIBRARIES:
        return False
    return not parts[-1][:1].isupper() or f"{module}.".startswith(_DANGEROUS_PARTS)


ACCEPTED_OPCODES: Final = _words(
    "APPEND APPENDS BINFLOAT BINGET BININT BININT1 BININT2 BINPERSID BINPUT BINUNICODE BUILD EMPTY_DICT EMPTY_LIST "
    "EMPTY_SET EMPTY_TUPLE GLOBAL LONG1 LONG_BINGET LONG_BINPUT MARK NEWFALSE NEWOBJ NEWTRUE NONE PROTO REDUCE "
    "SETITEM SETITEMS SHORT_BINSTRING STOP TUPLE TUPLE1 TUPLE2 TUPLE3"
)
"""The opcodes that torch's restricted loader executes; it refuses a pickle with any other opcode."""


def refused_opcodes(pickled: Pickle, place: Place) -> Iterator[Finding]:
    """The finding on opcodes that the restricted loader refuses."""
    refused = pickled.opcodes - ACCEPTED_OPCODES
    if refused and not any(purpose(name) == "dangerous" for name in pickled.names):
        from inspector.findings.header.pickle import PickleProtocolRefused

        yield PickleProtocolRefused(place=place, protocol=pickled.protocol, opcodes=tuple(sorted(refused)))


def imported(
    names: Iterable[GlobalName], place: Place, aside: Iterable[GlobalName] = (), *, script: bool = False
) -> Iterator[Finding]:
    """The findings on names that would run code if imported and called, and on names that weights_only refuses.

    aside: names in other pickles of the file, which a loader of the state dict does not read. script: True for a
    TorchScript file, which another loader reads.
    """
    kinds = {name: purpose(name) for name in names}
    others = {name: purpose(name) for name in aside}
    dangerous = tuple(str(name)[:200] for name, kind in {**kinds, **others}.items() if kind == "dangerous")
    if dangerous:
        from inspector.findings.header.pickle import PickleRunsCode

        shown, elsewhere = dangerous[:NAMES_SHOWN], "dangerous" not in kinds.values()
        yield PickleRunsCode(place=place, names=shown, count=len(dangerous), aside=elsewhere)
    accepted = ("allowed", "dangerous", "script") if script else ("allowed", "dangerous")
    read = {str(name)[:200]: kind for name, kind in kinds.items() if kind not in accepted}
    refused = {**read, **{str(name)[:200]: kind for name, kind in others.items() if kind not in accepted}}
    unlisted = tuple(name for name, kind in refused.items() if kind != "harmless")
    if refused:
        from inspector.findings.header.pickle import PickleHoldsObjects

        shown = tuple(dict.fromkeys((*unlisted, *refused)))[:NAMES_SHOWN]
        not_allowed = unlisted[:NAMES_SHOWN]
        yield PickleHoldsObjects(place=place, names=shown, count=len(refused), not_allowed=not_allowed, aside=not read)
