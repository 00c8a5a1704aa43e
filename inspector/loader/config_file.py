"""Reads config.json, params.json, adapter_config.json and model_index.json without interpreting them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from inspector.budget import Exceeded
from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader import strict_json
from inspector.loader.signature import SNIFF_BYTES, recognise
from inspector.loader.sources.source import NOT_REFUSED, Refusal, Source
from inspector.loader.strict_json import DuplicateKeys, JsonFault

CONFIG_LIMIT: Final = 64_000_000
"""Largest config, in bytes; the largest real ones (tables of labels) have a few million."""
KEY_SHOWN: Final = 200
"""Most characters of a key that are shown in a path."""

QUANTO_FILE: Final = "quanto_qmap.json"
"""The file in which optimum-quanto stores how each module is quantized; its loader reads no other file."""
QUANTO_MAP: Final = "quantization_map.json"
"""The same in a file that a program writes itself, as the README of optimum-quanto shows, for its `requantize`."""
SIDE_FILES: Final = ("hf_quant_config.json", "quantize_config.json", "quant_config.json", "quantization_config.json",
                     QUANTO_FILE, QUANTO_MAP)  # fmt: skip
"""Files with quantization settings, in order of preference; read only if config.json has none."""
QUANTIZATION_KEYS: Final = ("quantization_config", "compression_config", "quantization")
"""Keys of the settings in config.json, in order of preference."""

MODULAR_INDEX: Final = "modular_model_index.json"
"""Name of the index of a modular pipeline of diffusers."""
CONFIG_FILES: Final = ("config.json", "params.json", "adapter_config.json", "model_index.json", MODULAR_INDEX)
"""Configs in the order in which they are read."""
LITGPT_FILES: Final = ("model_config.yaml", "lit_config.json")
"""The config of litgpt, the newer name first. It is read only if there is neither config.json nor params.json."""

GGUF_WRITER: Final = "llama.cpp"
"""The writer of GGUF files."""

Kind = Literal["config", "params", "adapter", "pipeline", "litgpt", "gguf"]


class Config(Struct, frozen=True):
    """A config as stored in its file.

    kind: the naming scheme of the keys; "params" is Meta's params.json (dim, n_layers, ...), "litgpt" litgpt's
    config, "gguf" the key-value pairs of a GGUF file. writer: the framework that named the tensors, if the file
    states it. types: key -> the type of its value, of a GGUF file.
    """

    file: str
    values: dict[str, object]
    kind: Kind
    writer: str = ""
    types: Mapping[str, str] = {}

    @property
    def of_gguf(self) -> bool:
        """True for the key-values of a GGUF file, and for the config that they state."""
        return self.kind == "gguf" or self.writer == GGUF_WRITER


def named_class(values: Mapping[str, object]) -> str | None:
    """The class that a transformers config names: the first entry of `architectures`."""
    classes = values.get("architectures")
    return classes[0] if isinstance(classes, list) and classes and isinstance(classes[0], str) else None


def read_config(source: Source, name: str, kind: Kind) -> tuple[Config | None, tuple[Finding, ...]]:
    """(the config or None, the findings on the file). NaN and Infinity are accepted."""
    raw = source.read_whole(name, CONFIG_LIMIT)
    if isinstance(raw, Refusal):
        return None, (refused_config(name, raw),)
    size = len(raw)
    try:
        values = strict_json.decode_config(raw)
    except Exceeded as exceeded:
        from inspector.loader.over_budget import exceeded_findings

        return None, exceeded_findings(exceeded, name)
    if isinstance(values, JsonFault):
        what = recognise(raw[:SNIFF_BYTES], size)
        what = "" if what in ("json", "unknown", "text") else what
        return None, (unreadable_config(name, values, what),)
    if not isinstance(values, dict):
        return None, (unreadable_config(name, JsonFault("is not a JSON object", 0)),)
    keys = _keys_twice(values)
    if not keys:
        return Config(name, values, kind), ()
    from inspector.findings.reading.content import ConfigKeyDoubled

    return Config(name, values, kind), (
        ConfigKeyDoubled(place=Place(file=name), keys=tuple(keys[:NAMES_SHOWN]), count=len(keys)),
    )


def refused_config(name: str, refusal: Refusal) -> Finding:
    """The finding on a config, or another small JSON file, that cannot be read."""
    problem = {"absent": "does not exist", "too-large": "is too large"}.get(refusal.reason, "cannot be read")
    return unreadable_config(name, JsonFault(problem), refusal=refusal)


def unreadable_config(name: str, fault: JsonFault, what: str = "", refusal: Refusal = NOT_REFUSED) -> Finding:
    """The finding on a config or other small JSON file with invalid text. what: another format that it has instead."""
    from inspector.findings.reading.content import ConfigUnreadable

    return ConfigUnreadable(
        place=Place(file=name), problem=fault.reason, detail=refusal.detail, position=fault.position, what=what,
        encoding=fault.encoding, line=fault.line, reason=refusal.reason,
    )  # fmt: skip


def _keys_twice(values: object) -> list[str]:
    """Duplicate keys of all objects, with their path from the top: "text_config.hidden_size"."""
    keys: list[str] = []
    stack: list[tuple[str, object]] = [("", values)]
    while stack:
        way, item = stack.pop()
        if isinstance(item, DuplicateKeys):
            keys.extend(f"{way}{key[:KEY_SHOWN]}" for key in item.keys_twice)
        if isinstance(item, dict):
            stack.extend(
                (f"{way}{key[:KEY_SHOWN]}.", value) for key, value in item.items() if isinstance(value, dict | list)
            )
        elif isinstance(item, list):
            stack.extend((way, value) for value in item if isinstance(value, dict | list))
    return keys
