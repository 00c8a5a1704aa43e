"""Findings on files with content that does not match their name."""

from __future__ import annotations

import re

from inspector.findings.finding import UNFINISHED, Finding, Remedy, Rows, Step
from inspector.findings.reading.formats import FORMATS, SEVERAL
from inspector.findings.reading.no_weights import of_prefix, prefix_of_tensorflow
from inspector.findings.reading.place import OVER_NETWORK, UNREAD_REMEDIES
from inspector.findings.refetch import Refetch
from inspector.findings.words import first, number, position_in_text

KEPT_LINKS = (
    "copy the folder again with its links followed (cp -rL); a clone by git on Windows needs core.symlinks=true"
)

_UNPACK = "unpack it and audit the content"

_RENAME = "rename it to the extension of its format, or convert it to safetensors"

_WRITE = "save or convert the model again where it was made: the header was not written"
_NOT_ITS_PAGE = "not its page: on the Hub, /resolve/ in place of /blob/ in the address"
_REFUSED = (
    "check the names of the file and of the revision, log in or accept the terms of the repository, then download the "
    "file again"
)
_REMEDIES = {
    "git-lfs-pointer": "run `git lfs install` and `git lfs pull` in the folder",
    "refusal": _REFUSED,
    "json-error": _REFUSED,
    "xml-error": "get a new address, as addresses of a store expire, and check the name of the file; then download the "
    "file again",
    "zip": _RENAME,
    "pickle": _RENAME,
    "safetensors": _RENAME,
    "gguf": _RENAME,
    "ggml": "load it with the program that it was made for (whisper.cpp, or an example of ggml), or convert the model "
    "that it was made from to GGUF: neither llama.cpp nor this tool reads this format",
    "ggla": "convert the PEFT adapter from which it was made with convert_lora_to_gguf.py of llama.cpp, and load that "
    "with --lora beside a GGUF file of the base model",
    "ggjt": "download a GGUF file of the model; a Llama can also be converted with convert_llama_ggml_to_gguf.py of "
    "llama.cpp, which needs --gqa 8 for 34B and 70B",
    "onnx": _RENAME,
    "hdf5": _RENAME,
    "numpy": _RENAME,
    "archive": _UNPACK,
    "gzip": _UNPACK,
    "zstandard": _UNPACK,
    "xz": _UNPACK,
    "bzip2": _UNPACK,
    "7z": _UNPACK,
    "rar": _UNPACK,
    "tar": _UNPACK,
    "ctranslate2": "audit the model that it was converted from: this format is not read",
    "imatrix": "pass it to llama-quantize with --imatrix; it has no weights, audit the model instead",
    "json": "pass the folder, or the .safetensors file itself",
}

_OTHER_FILES = ("text", "program", "script", "pdf", "picture")
"""Formats of files that were named by mistake, unless they have the name of weights or of their index."""
_OF_WEIGHTS = (".safetensors", ".gguf", ".bin", ".pt", ".pth", ".torch", ".th", ".ckpt", ".npz", ".json", *UNFINISHED)

_NAMES = {"safetensors": ("model", "safetensors"), "zip": ("pytorch_model", "bin"), "pickle": ("pytorch_model", "bin"),
          "gguf": ("", "gguf")}  # fmt: skip
"""Format -> the name of such a file in transformers, and its extension."""

_GGUF = ".gguf"

CONFIG_FORMATS = {
    "git-lfs-pointer": "a git-lfs pointer",
    "xet-pointer": "a Xet pointer",
    "link-text": "the text of a symbolic link",
    "html": "a web page",
    "refusal": "an HTTP error message",
    "json-error": "an HTTP error message",
    "xml-error": "an HTTP error message",
    "zeros": "filled with zeros",
}


_SHARD = re.compile(r"-\d{5}-of-\d{5}\.")
"""In the name of one shard of several, whose other shards have the format that the name states."""
_PART = re.compile(r"(.+\.part[-_]?)\d{1,5}(?:of\d{1,5})?", re.ASCII)
"""The name of a piece of a file."""


class NotACheckpoint(Refetch, frozen=True, kw_only=True, omit_defaults=True):
    """The file has a checkpoint's name but contains something else.

    What it means
        The first bytes belong to another format: a git-lfs pointer, a web page or an error message that was
        saved instead of the weights.

    Why it matters
        Most readers report such a file as a header that is too large, which hides the cause.

    Example
        error[R005] not-a-checkpoint: model.safetensors is a git-lfs pointer, not the
          weights
          stored  134 bytes
          help    run `git lfs install` and `git lfs pull` in the folder

    What to do
        Follow the help line; it depends on what the file contains.
    """

    code = "R005"
    incomplete = True

    what: str
    bytes: int | None
    files: int | None = None
    names: tuple[str, ...] = ()
    layers: str | None = None
    listed_bytes: int | None = None
    """The size in the repository's list of files, where the server sent this content instead."""

    @property
    def content_unknown(self) -> bool:
        """True if the server sent something else than the file."""
        return self.listed_bytes is not None

    def at_its_source(self) -> Finding:
        """The same finding for a file that was read from its original location."""
        return self if self.content_unknown else super().at_its_source()

    def headline(self) -> str:
        if self.files:
            what = SEVERAL.get(self.what, "of an unknown format")
            if any(name.endswith(".json") for name in self.names):
                what = what.replace("not the weights", "not the files themselves")
            return f"{number(self.files)} files are {what}"
        return f"{self.place.file} is {FORMATS.get(self.what, 'of an unknown format')}"

    def rows(self) -> Rows:
        rows: Rows = [("files", first(self.names, self.files))] if self.files else []
        if self.layers:
            rows.append(("layers", self.layers))
        if self.bytes or (self.bytes is not None and not self.files):
            rows.append(("stored", f"{number(self.bytes)} bytes{' together' if self.files else ''}"))
        if self.listed_bytes is not None:
            rows.append(("listed", f"{number(self.listed_bytes)} bytes: the server sent this instead of the file"))
        return rows

    def lost_files(self) -> tuple[int, tuple[str, ...]]:
        """(number of files with the same content, the first of them)."""
        return self.files or 0, self.names

    def refusal_of_llama_cpp(self, first: str) -> str:
        parts = self.names or (str(self.place.file),)
        part = next((one for one in parts if _SHARD.search(one) and _SHARD.sub(".", one) == _SHARD.sub(".", first)), "")
        return part and f"failed to load GGUF split from {part}"

    def remedy(self) -> Remedy:
        if self.content_unknown:
            return Remedy("try again; if it fails again, check HTTPS_PROXY and HF_ENDPOINT")
        own = self._own_name()
        if own is not None and str(self.place.file).endswith(UNFINISHED):
            return Remedy(f"finish the download; the program that began it renames the file to {own}")
        if own is not None and (part := _PART.fullmatch(str(self.place.file))):
            return Remedy(f"join it with the other parts in their order: cat {part[1]}* > {own}")
        if own is not None and str(self.place.file).casefold().endswith(_GGUF) and self.what != "gguf":
            wanted = "download a GGUF file of the model, or convert the model itself"
            return Remedy(
                f"for llama.cpp {wanted}, whose config and tokenizer it needs; for PyTorch rename it to {own}"
            )
        if own is not None and own != self.place.file and _SHARD.search(str(self.place.file)):
            again = self.fetch_again()
            return Remedy(f"convert it to the format of the other shards, or {again.words}", again.steps)
        if own is not None:
            return Remedy(f"rename it to {own}", (Step(action="move", file=self.place.file, new=own),))
        words = self._usual_words()
        if self.files and words == _RENAME and _SHARD.search(self.names[0] if self.names else ""):
            again = self.fetch_again()
            return Remedy(f"convert them to the format that their names state, or {again.words}", again.steps)
        if self.what in _OTHER_FILES and not str(self.place.file).endswith(_OF_WEIGHTS) and not self.files:
            return Remedy("pass a folder with weights, or a file of them")
        if self.what == "archive" and str(self.place.file).casefold().endswith(".zip"):
            return Remedy(f"audit zip://{self.place.file}, or unpack it")
        if self.what == "link-text":
            again = self.fetch_again()
            return Remedy(f"{again.words}, or {KEPT_LINKS}", again.steps)
        if self.what == "html" and not self.files:
            again = self.fetch_again()
            return Remedy(f"{again.words}, {_NOT_ITS_PAGE}", again.steps)
        if self.what == "zeros" and not self.remote:
            again = self.fetch_again()
            return Remedy(f"{again.words}, or {_WRITE}", again.steps)
        if self.what == "reencoded":
            again = self.fetch_again()
            return Remedy(f"{again.words}; if it is the same there, take it from another source", again.steps)
        if self.what == "json" and str(self.place.file).endswith("config.json"):
            words = "pass the folder; `inspector formula` counts from a config alone"
        return Remedy(words) if words else self.fetch_again()

    def _usual_words(self) -> str | None:
        """What to do with a file of this format, whatever its name."""
        if self.what == "tensorflow":
            return of_prefix(prefix_of_tensorflow(str(self.place.file)))
        return _REMEDIES.get(self.what)

    def _own_name(self) -> str | None:
        """The name under which loaders look for a single file of this format."""
        stem, ending = _NAMES.get(self.what, ("", ""))
        old, dot, _ = str(self.place.file or "").rpartition(".")
        if not ending or not dot or self.files:
            return None
        folder, slash, name = old.rpartition("/")
        name = name.removesuffix(f".{ending}")
        renamed = re.sub(r"^(pytorch_model|model)(?=$|-)", stem, name) if stem else name
        return f"{folder}{slash}{renamed}.{ending}"


class ConfigUnreadable(Finding, frozen=True, kw_only=True):
    """A config file is unreadable or not a JSON object.

    What it means
        The file is not a JSON object: it is truncated, followed by other text, nested too deeply, a list, or a
        file of another kind such as a git-lfs pointer. NaN and Infinity are accepted, since Python writes them.

    Why it matters
        Without the config the expected tensors are unknown; the audit continues without it.

    Example
        error[R006] config-unreadable: config.json has text after its end
          at    line 41, character 1,168
          help  repair the file, or download it again

    What to do
        Repair the file at the given position, or download it again.
    """

    code = "R006"

    problem: str
    detail: str
    position: int | None
    what: str
    encoding: str = ""
    named: bool = False
    line: int | None = None
    reason: str = ""
    """Why no byte was read; "" if the content is at fault."""

    @property
    def content_unknown(self) -> bool:
        """True if the network failed."""
        return self.reason in OVER_NETWORK

    def headline(self) -> str:
        return f"{self.place.file} {f'is {CONFIG_FORMATS.get(self.what, self.what)}' if self.what else self.problem}"

    def rows(self) -> Rows:
        rows: Rows = []
        if self.position and not self.what:
            rows.append(("at", position_in_text(self.position, self.line)))
        if self.detail:
            rows.append(("because", self.detail))
        return rows

    def remedy(self) -> Remedy:
        if self.named:
            return Remedy("check the spelling of the path")
        if self.what == "git-lfs-pointer":
            return Remedy("run `git lfs pull`")
        if self.what == "link-text":
            return Remedy(f"download it again, or {KEPT_LINKS}")
        if self.encoding == "utf-16":
            return Remedy("save the file as UTF-8", self._written_anew())
        if self.encoding:
            return Remedy("save the file as UTF-8 without a byte order mark", self._written_anew())
        if self.reason in UNREAD_REMEDIES:
            return Remedy(UNREAD_REMEDIES[self.reason])
        return Remedy("repair the file, or download it again")

    def _written_anew(self) -> tuple[Step, ...]:
        """The step that rewrites the file in UTF-8 without a byte order mark, which JSON does not allow."""
        file = str(self.place.file)
        return (Step(action="write", file=file),) if file.endswith(("config.json", "model_index.json")) else ()


class KeysDoubled(Finding, frozen=True, kw_only=True):
    """Base of findings on duplicate JSON keys."""

    severity = "warning"

    keys: tuple[str, ...]
    count: int

    headline_text = "{place.file} has {count:count duplicate key}"
    row_texts = (("keys", "{keys:listed}"),)


class ConfigKeyDoubled(KeysDoubled, frozen=True, kw_only=True):
    """Duplicate key in a config.

    What it means
        An object in the config contains a key more than once. Python uses the last value; other readers use the
        first or reject the file.

    Why it matters
        Two readers may build two different models from the same file. The audit uses the last value.

    Example
        warning[R007] config-key-doubled: config.json has 1 duplicate key
          keys  hidden_size
          help  remove the duplicate; the last value was used

    What to do
        Remove the duplicate.
    """

    code = "R007"
    remedy_text = "remove the duplicate; the last value was used"


class WeightsWithoutTensors(Refetch, frozen=True, kw_only=True):
    """The file of weights holds no tensors.

    What it means
        The header is complete and lists no tensor: an empty state dict was saved, or the file is a
        placeholder. A GGUF file without tensors and with a tokenizer is a vocabulary (N440) instead.

    Why it matters
        Loaders open it without an error and initialize the whole model randomly; llama.cpp refuses it.

    Example
        error[N485] weights-without-tensors: model.safetensors holds no tensors
          help  save the model again with its state dict; download this file again only
                if its repository has one with tensors

    What to do
        Save or convert the model again. The header is complete, so that another download gives the same file unless the
        repository has a better one.
    """

    code = "N485"

    converted: bool = False
    """True if a converter such as that of MLX wrote the file."""

    headline_text = "{place.file:or the checkpoint} holds no tensors"

    def remedy(self) -> Remedy:
        again = self.fetch_again()
        of_gguf = str(self.place.file or "").casefold().endswith(".gguf")
        made = "convert the model again" if of_gguf or self.converted else "save the model again with its state dict"
        if self.remote:
            return Remedy(f"{again.words}; its owner has to {made}", again.steps)
        return Remedy(f"{made}; {again.words} only if its repository has one with tensors", again.steps)
