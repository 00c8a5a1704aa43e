"""Fuzz targets: each takes arbitrary bytes and fails where an invariant does not hold.

A reader returns a header or findings, an audit a report and a verdict; neither raises or exceeds the work limit of one
audit.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from inspector.algebra.patterns import pattern_of
from inspector.auditing.result import VERDICTS, Audit
from inspector.auditing.start import audit
from inspector.budget import STEPS, Budget, Exceeded, one_budget
from inspector.loader.formats.gguf import read_gguf
from inspector.loader.formats.numpy_file import read_numpy
from inspector.loader.formats.torch_file import read_torch
from inspector.loader.header import parse_header
from inspector.loader.index import parse_index
from inspector.loader.strict_json import decode_config
from inspector.report.json_v1 import audit_json, dumped
from inspector.report.text import audit_text
from tests.judged import Spec, base_record, judged, spec_of
from tests.readers.file_builders import Gguf, archive, legacy, plain_array, reading, state

Target = Callable[[bytes], None]
LARGEST = 1 << 12
"""Maximum size of an input in bytes: faults are found faster with small ones."""
_HEADER = b'{"__metadata__":{"format":"pt"},"model.layers.0.w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}'
_CONFIG = b'{"model_type":"llama","hidden_size":16,"num_hidden_layers":2,"vocab_size":32,"rope_scaling":null}'
_GGUF = Gguf().file(
    [("token_embd.weight", (4, 8), 0, 128), ("blk.0.attn_q.weight", (4, 4), 0, 64)],
    [("general.architecture", "text", "llama"), ("llama.block_count", "u32", 1), ("llama.embedding_length", "u32", 4),
     ("tokenizer.ggml.tokens", "texts", ["a", "b"])],
)  # fmt: skip
_INDEX = b'{"metadata":{"total_size":16},"weight_map":{"a":"model-00001-of-00002.safetensors"}}'


def _header(data: bytes) -> None:
    header = parse_header(data, None, "model.safetensors")
    assert header.readable or header.findings


def _gguf(data: bytes) -> None:
    header = read_gguf(reading(data), len(data), "model.gguf").header
    assert header.readable or header.findings


def _torch(data: bytes) -> None:
    header = read_torch(reading(data), len(data), "pytorch_model.bin").header
    assert header.readable or header.findings


def _numpy(data: bytes) -> None:
    header = read_numpy(reading(data), len(data), "weights.npz")
    assert header.readable or header.findings


def _index(data: bytes) -> None:
    parse_index(data, "model.safetensors.index.json")


def _pattern(data: bytes) -> None:
    pattern = pattern_of(data.decode(errors="replace"))
    if pattern is not None:
        pattern.fullmatch("model.layers.17.self_attn.q_proj")


TYPES = ("llama", "gemma2", "mixtral", "swin", "nemotron_h", "bert", "t5", "whisper")
MOST_CHANGED = 6
"""Maximum number of keys that an input of the target `settings` changes."""
VALUES: tuple[Any, ...] = (
    *range(66), 2**31, 10**30, -1, 1.5, float("nan"), True, False, None, "", "7", "gelu", "M*-E", "\x1b[31m", [], [2],
    [2, 2], [None, {}], ["full_attention", "sliding_attention"], [10**9] * 40, {}, {"a": 1}, "auto", "llama",
    {"quant_method": "gptq", "bits": 4}, {"quant_method": "fp8", "weight_block_size": [8, 0]}, "LlamaForCausalLM",
)  # fmt: skip


def _reported(reported: Audit) -> None:
    """Check the verdict and write both reports."""
    assert reported.verdict in VERDICTS
    assert "\x1b" not in audit_text(reported)
    json.loads(dumped(audit_json(reported)))


def _config(data: bytes) -> None:
    """Audit complete weights with this config and write both reports."""
    values = decode_config(data)
    if isinstance(values, dict):
        _reported(judged(_complete_model(len(data))[0], values))


def _settings(data: bytes) -> None:
    """Audit complete weights with some keys of their config changed and write both reports."""
    spec, stored = _complete_model(data[0] if data else 0)
    config = dict(stored)
    keys = [*stored, "quantization_config", "text_config", "architectures", "rope_scaling"]
    for key, value in list(zip(data[1::2], data[2::2], strict=False))[:MOST_CHANGED]:
        config[keys[key % len(keys)]] = VALUES[value % len(VALUES)]
    _reported(judged(spec, config))


@cache
def _complete_model_of(model_type: str) -> tuple[Spec, Mapping[str, Any]]:
    record = base_record(model_type)
    return spec_of(record), record["config"]


def _complete_model(number: int) -> tuple[Spec, Mapping[str, Any]]:
    """Tensors and config of one of the types."""
    return _complete_model_of(TYPES[number % len(TYPES)])


def _audit(data: bytes) -> None:
    """Audit a folder with this file, in the format that its first byte selects."""
    names = ("model.safetensors", "model.gguf", "pytorch_model.bin", "weights.npz", "config.json", "model_index.json")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        name = names[data[0] % len(names)] if data else names[0]
        content = data[1:]
        if name == "model.safetensors" and not content.startswith(b"\0"):
            content = len(content).to_bytes(8, "little") + content
        Path(folder, name).write_bytes(content)
        if name != "config.json":
            Path(folder, "config.json").write_bytes(_CONFIG)
        else:
            Path(folder, "model.safetensors").write_bytes(len(_HEADER).to_bytes(8, "little") + _HEADER + bytes(16))
        _reported(audit(folder))


TARGETS: Mapping[str, tuple[Target, tuple[bytes, ...]]] = {
    "header": (_header, (_HEADER, b"{}", b'{"a":{"dtype":"BOOL","shape":[],"data_offsets":[0,1]}}')),
    "gguf": (_gguf, (_GGUF,)),
    "torch": (
        _torch,
        (archive(state(("w", (4,))), {"0": bytes(16)}), legacy(state(("w", (4,))), {"0": (4, bytes(16))})),
    ),
    "numpy": (_numpy, (plain_array("<f4", "(3,)", bytes(12)),)),
    "index": (_index, (_INDEX,)),
    "pattern": (_pattern, (rb".*\.(q|k|v)_proj$", rb"model\.layers\.[0-9]+\.mlp.*", b"(?=a)(b|c){2,3}")),
    "config": (_config, (_CONFIG, b'{"layer_types":["full_attention"],"quantization_config":{"quant_method":"gptq"}}')),
    "settings": (_settings, tuple(bytes([number, *range(9)]) for number in range(len(TYPES)))),
    "audit": (_audit, (b"\0" + _HEADER, b"\1" + _GGUF, b"\4" + _CONFIG, b"\5" + b'{"unet":["a","b"]}')),
}
"""Name -> the target and its seeds."""


STEPS_OF_A_RUN = STEPS // 30
"""Limit of calls: many short runs find more than a few long ones, and instrumented code is several times slower."""


def run(name: str, data: bytes) -> None:
    """Run a target once, limited to a small amount of work."""
    target, _ = TARGETS[name]
    with one_budget(Budget(STEPS_OF_A_RUN)):
        try:
            target(data[:LARGEST])
        except Exceeded:
            return
