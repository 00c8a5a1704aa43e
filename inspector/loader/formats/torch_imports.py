"""What a PyTorch file's pickle would import: what a state dict needs, what would start something, and the rest.

Source: torch/_weights_only_unpickler.py of torch 2.13.
"""

from __future__ import annotations

from typing import Final

from inspector.loader.dtype import TORCH_NAMES
from inspector.loader.formats.pickle_values import GlobalName
from inspector.loader.formats.torch_tensors import STORAGES


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


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
"""Modules that a state dict never needs, with functions that start, open, load or evaluate something."""
_RUNS_NAMES: Final = frozenset(
    {("torch", "load"), ("torch", "compile"), ("torch.hub", "load"), ("torch.serialization", "load"),
     ("torch.hub", "load_state_dict_from_url"), ("torch.hub", "download_url_to_file"),
     ("torch.utils.cpp_extension", "load"), ("torch.utils.cpp_extension", "load_inline"), ("numpy", "load"),
     ("torch.jit", "load"), ("torch.package", "PackageImporter"), ("types", "FunctionType"),
     ("types", "CodeType"), ("types", "MethodType"), ("functools", "reduce"),
     ("numpy.testing._private.utils", "runstring")}
)  # fmt: skip


def purpose(name: GlobalName) -> str:
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
