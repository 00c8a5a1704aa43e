"""Loads files with llama.cpp itself, by its C interface in the extension module of xllamacpp (2026.10.11549)."""

from __future__ import annotations

import ctypes
import json
import os
from pathlib import Path

ERROR = 4
"""llama.cpp's level of errors."""
QUIET = {"GGML_NO_BACKTRACE": "1"}
MESSAGE_START = "error loading model: "
ANSWER = "answer: "


class Parameters(ctypes.Structure):
    """`llama_model_params` of this build; `Library` checks the defaults, which confirm the layout."""

    _fields_ = (
        ("devices", ctypes.c_void_p), ("buffer_types", ctypes.c_void_p), ("gpu_layers", ctypes.c_int32),
        ("split_mode", ctypes.c_int32), ("main_gpu", ctypes.c_int32), ("load_mode", ctypes.c_int32),
        ("reserved", ctypes.c_int32), ("tensor_split", ctypes.c_void_p), ("progress", ctypes.c_void_p),
        ("progress_data", ctypes.c_void_p), ("overrides", ctypes.c_void_p), ("vocabulary_only", ctypes.c_bool),
        ("check_tensors", ctypes.c_bool), ("extra_buffers", ctypes.c_bool), ("no_host", ctypes.c_bool),
        ("no_alloc", ctypes.c_bool), ("more", ctypes.c_bool * 3),
    )  # fmt: skip


class ProjectorParameters(ctypes.Structure):
    """`clip_context_params` of this build."""

    _fields_ = (
        ("use_gpu", ctypes.c_bool), ("device", ctypes.c_void_p), ("flash_attention", ctypes.c_int),
        ("least_tokens", ctypes.c_int), ("most_tokens", ctypes.c_int), ("warmup", ctypes.c_bool),
        ("more", ctypes.c_char * 99),
    )  # fmt: skip


class Projectors(ctypes.Structure):
    """`clip_init_result`: the contexts for images and audio, and further fields."""

    _fields_ = (("images", ctypes.c_void_p), ("audio", ctypes.c_void_p), ("more", ctypes.c_void_p * 6))


LOGGER = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)


class Library:
    """Runs llama.cpp in a child process, because a failed assertion ends it; the next file gets a new process."""

    def __init__(self, path: str) -> None:
        os.environ.update(QUIET)
        self.library = ctypes.CDLL(path)
        self.messages: list[str] = []
        self.logger = LOGGER(self._log)
        self.library.llama_log_set(self.logger, None)
        self.library.llama_backend_init()
        self.library.llama_model_default_params.restype = Parameters
        self.library.llama_model_load_from_file.restype = ctypes.c_void_p
        self.library.llama_model_load_from_file.argtypes = [ctypes.c_char_p, Parameters]
        self.library.llama_model_free.argtypes = [ctypes.c_void_p]
        made = self.library.llama_model_default_params()
        assert (made.gpu_layers, made.load_mode, made.extra_buffers, made.no_alloc) == (-1, 1, True, False)
        self.child = 0

    def _log(self, level: int, text: bytes, _: object) -> None:
        if level >= ERROR:
            self.messages.append(text.decode(errors="replace"))

    def refusal(self, path: Path) -> str:
        """The error of llama.cpp for a file that it does not load; "" where it loads."""
        if not self.child:
            self._start()
        self.requests.write(f"{path}\n".encode())
        self.requests.flush()
        lines: list[str] = []
        while line := self.answers.readline().decode(errors="replace"):
            if line.startswith(ANSWER):
                return str(json.loads(line.removeprefix(ANSWER)))
            lines.append(line.strip())
        os.waitpid(self.child, 0)
        self.child = 0
        return f"aborted: {' '.join(lines)[:200]}"

    def _start(self) -> None:
        request_read, request_write = os.pipe()
        answers, answering = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            os.close(request_write)
            os.close(answers)
            os.dup2(answering, 2)
            with os.fdopen(request_read, "rb") as paths:
                while path := paths.readline().strip():
                    os.write(2, f"\n{ANSWER}{json.dumps(self._load(path))}\n".encode())
            os._exit(0)
        os.close(request_read)
        os.close(answering)
        self.requests, self.answers = os.fdopen(request_write, "wb"), os.fdopen(answers, "rb")

    def _load(self, path: bytes) -> str:
        """Load a file in the child process."""
        self.messages.clear()
        settings = self.library.llama_model_default_params()
        settings.gpu_layers = 0
        loaded = self.library.llama_model_load_from_file(path, settings)
        if loaded:
            self.library.llama_model_free(loaded)
            return ""
        return next(
            (one.partition(MESSAGE_START)[2].strip() for one in self.messages if MESSAGE_START in one), "refused"
        )


class ProjectorLibrary(Library):
    """llama.cpp as it loads mmproj files."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.library.mtmd_log_set(self.logger, None)

    def _load(self, path: bytes) -> str:
        self.messages.clear()
        load = self.library._Z9clip_initPKc19clip_context_params
        load.restype, load.argtypes = Projectors, [ctypes.c_char_p, ProjectorParameters]
        loaded = load(path, ProjectorParameters(False, None, 0, -1, -1, False))
        return "" if loaded.images or loaded.audio else " ".join(self.messages) or "refused"
