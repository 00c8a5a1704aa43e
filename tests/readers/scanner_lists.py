"""Callables that public pickle scanners list as dangerous: picklescan 1.0.5, modelscan 0.8.8 and fickling 0.1.12."""

from __future__ import annotations

WHOLE_MODULES = """
    __builtin__ __builtins__ builtins aiohttp aiohttp.client asyncio bdb commands ctypes httplib numpy.f2py
    numpy.distutils nt posix os requests requests.api runpy shutil socket ssl subprocess sys cProfile distutils
    distutils.file_util pdb pickle _pickle pip pty profile pydoc test timeit urllib urllib.request uuid venv
    webbrowser _osx_support _aix_support _pyrepl multiprocessing _posixsubprocess code codeop marshal types
    compile exec eval doctest importlib _frozen_importlib _frozen_importlib_external _imp pkgutil zipimport gc
    site unittest inspect _operator operator functools trace http urllib2 smtplib imaplib ftplib poplib
    telnetlib nntplib _ctypes dill cloudpickle joblib tempfile filecmp pexpect ensurepip idlelib lib2to3
    socketserver xmlrpc signal _signal threading _thread atexit sqlite3 _sqlite3 fileinput glob platform
    linecache difflib compileall py_compile mmap select selectors logging syslog tarfile zipfile shelve
    torch.hub torch._dynamo torch._inductor torch.jit torch.compile numpy.testing._private.utils
    test.support.script_helper
"""
"""Modules of which they allow no callable."""
NAMES = """
    builtins.eval builtins.compile builtins.getattr builtins.apply builtins.exec builtins.open
    builtins.breakpoint builtins.__import__ __builtin__.eval __builtin__.__import__
    cloudpickle.cloudpickle._builtin_type cloudpickle.cloudpickle._make_function
    cloudpickle.cloudpickle._function_setstate cloudpickle.cloudpickle._make_cell
    cloudpickle.cloudpickle._make_empty_cell cloudpickle.cloudpickle.subimport types.CodeType functools.partial
    logging.FileHandler _io.FileIO _io.open io.FileIO io.open numpy.testing._private.utils.runstring
    operator.attrgetter operator.itemgetter operator.methodcaller _operator.attrgetter doctest.debug_script
    ensurepip._run_pip idlelib.calltip.get_entity imaplib.IMAP4_stream pkgutil.resolve_name
    torch._inductor.codecache.compile_file torch.jit.unsupported_tensor_ops.execWrapper torch.serialization.load
    torch.utils._config_module.ConfigModule torch.utils.bottleneck.__main__.run_cprofile
    torch.utils.bottleneck.__main__.run_autograd_prof torch.utils.collect_env.run
    torch.utils.data.datapipes.utils.decoder.basichandlers torch.load torch.compile
    torch.storage._load_from_bytes torch.distributed.elastic.rendezvous.api.basichandlers
"""
"""Single names."""
DOTTED = (
    ("code", "InteractiveInterpreter.runcode"),
    ("idlelib.autocomplete", "AutoComplete.get_entity"),
    ("idlelib.autocomplete", "AutoComplete.fetch_completions"),
    ("idlelib.calltip", "Calltip.fetch_tip"),
    ("idlelib.debugobj", "ObjectTreeItem.SetText"),
    ("idlelib.pyshell", "ModifiedInterpreter.runcode"),
    ("idlelib.pyshell", "ModifiedInterpreter.runcommand"),
    ("idlelib.run", "Executive.runcode"),
    ("lib2to3.pgen2.grammar", "Grammar.loads"),
    ("lib2to3.pgen2.pgen", "ParserGenerator.make_label"),
    ("torch._dynamo.guards", "GuardBuilder.get"),
    ("torch.fx.experimental.symbolic_shapes", "ShapeEnv.evaluate_guards_expression"),
    ("torch.utils._config_module", "ConfigModule.load_config"),
    ("trace", "Trace.run"),
    ("trace", "Trace.runctx"),
    ("collections", "abc.sys.modules"),
    ("collections", "OrderedDict.__init__.__globals__"),
    ("argparse", "_os.system"),
    ("pathlib", "os.system"),
    ("datetime", "sys.modules"),
    ("numpy", "core.multiarray.os.system"),
    ("torch", "Tensor.__class__"),
    ("torch._utils", "sys.modules"),
    ("somebody.module", "os.system"),
    ("somebody.module", "Thing.__init__"),
)
"""Names that are resolved attribute by attribute."""
CALLABLES = (
    *((module, name) for module in WHOLE_MODULES.split() for name in ("anything", "Thing")),
    *((whole.rpartition(".")[0], whole.rpartition(".")[2]) for whole in NAMES.split()),
    *DOTTED,
)
