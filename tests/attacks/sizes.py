"""Small inputs that demand much work, memory or output, as builders by name.

A builder writes files into an empty folder and returns the arguments of the command.
"""

from __future__ import annotations

import io
import itertools
import json
import string
import struct
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.checkpoints import genuine, write, write_file
from tests.judged import base_record
from tests.readers.file_builders import Code, Gguf, archive, plain_array

Build = Callable[[Path], list[str]]
BUILDS: dict[str, Build] = {}
AUDIT = ["audit", ".", "-f", "json"]


def attack(name: str) -> Callable[[Build], Build]:
    """Registers a builder."""

    def register(build: Build) -> Build:
        BUILDS[name] = build
        return build

    return register


def words(count: int, length: int = 4) -> Iterator[str]:
    """Distinct words without digits, which never become indices of one family."""
    return map("".join, itertools.islice(itertools.product(string.ascii_lowercase, repeat=length), count))


def tensors(folder: Path, names: Iterable[str], config: Mapping[str, Any] | None = None, **more: Any) -> list[str]:
    """A folder with one file of small tensors."""
    shape = more.get("shape", (1,))
    write(folder, {name: (more.get("dtype", "F32"), shape) for name in names}, config)
    return AUDIT


def llama(**changes: Any) -> dict[str, Any]:
    """The config of a small Llama with some keys changed."""
    return {**base_record("llama")["config"], **changes}


def llama_with(folder: Path, config: Mapping[str, Any] | None = None, names: Iterable[str] = ()) -> list[str]:
    """Write a complete small Llama with another config or additional tensors."""
    whole = genuine(llama())
    write(folder, {**whole, **dict.fromkeys(names, ("F32", (1,)))}, llama() if config is None else config)
    return AUDIT


def raw_config(folder: Path, text: str | bytes) -> list[str]:
    """Write a small Llama with a config of exactly this text."""
    llama_with(folder)
    (folder / "config.json").write_bytes(text.encode() if isinstance(text, str) else text)
    return AUDIT


def header_lines(folder: Path, entries: Iterable[tuple[str, list[int]]], dtype: str = "U8") -> list[str]:
    """Write a file with many tensors, its header entry by entry and a hole in place of the data."""
    position, parts = 0, []
    for name, shape in entries:
        size = 1
        for dim in shape:
            size *= dim
        parts.append(
            f'"{name}":{{"dtype":"{dtype}","shape":{json.dumps(shape, separators=(",", ":"))},'
            f'"data_offsets":[{position},{position + size}]}}'
        )
        position += size
    raw = ("{" + ",".join(parts) + "}").encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(raw)) + raw)
        file.truncate(8 + len(raw) + position)
    return AUDIT


# Headers: distinct names, scattered indices, distinct layouts


@attack("names-50k")
def _(folder: Path) -> list[str]:
    return header_lines(folder, ((f"{word}.weight", [1]) for word in words(50_000)))


@attack("names-1m")
def _(folder: Path) -> list[str]:
    return header_lines(folder, ((f"{word}.weight", [1]) for word in words(1_000_000, 5)))


@attack("names-1m-text")
def _(folder: Path) -> list[str]:
    return [*header_lines(folder, ((f"{word}.weight", [1]) for word in words(1_000_000, 5)))[:2]]


@attack("names-50k-in-llama")
def _(folder: Path) -> list[str]:
    return llama_with(folder, names=(f"model.{word}.weight" for word in words(50_000)))


@attack("names-50k-in-layers")
def _(folder: Path) -> list[str]:
    return llama_with(folder, names=(f"model.layers.{at % 7}.{word}.weight" for at, word in enumerate(words(50_000))))


@attack("names-misspelled")
def _(folder: Path) -> list[str]:
    one = genuine(llama())
    every = {
        name.replace("model.layers", f"model.{word}.layers"): kind
        for word in words(2_000)
        for name, kind in one.items()
    }
    write(folder, every, llama())
    return AUDIT


@attack("tensors-count")
def _(folder: Path) -> list[str]:
    header_lines(folder, ((f"{word}.weight", [1]) for word in words(50_000)))
    return ["count", ".", "-f", "json"]


@attack("tensors-all-1m")
def _(folder: Path) -> list[str]:
    header_lines(folder, ((f"{word}.weight", [1]) for word in words(1_000_000, 5)))
    return ["tensors", ".", "--all", "-f", "json"]


@attack("tensors-1m")
def _(folder: Path) -> list[str]:
    header_lines(folder, ((f"{word}.weight", [1]) for word in words(1_000_000, 5)))
    return ["tensors", "."]


@attack("compare-50k")
def _(folder: Path) -> list[str]:
    for side, length in (("a", 4), ("b", 5)):
        (folder / side).mkdir()
        header_lines(folder / side, ((f"{word}.weight", [1]) for word in words(50_000, length)))
    return ["compare", "a", "b", "-f", "json"]


def scattered(count: int, axes: int = 2, size: int = 1_000_000) -> Iterator[tuple[int, ...]]:
    """Unordered index tuples, as a hash function gives them."""
    state = 1
    for _ in range(count):
        found = []
        for _ in range(axes):
            state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
            found.append((state >> 33) % size)
        yield tuple(found)


for _count in (10_000, 100_000):

    @attack(f"scattered-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        return header_lines(folder, {f"l.{a}.{b}.w": [1] for a, b in scattered(count)}.items())

    @attack(f"scattered-llama-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        found = {f"model.layers.{a}.mlp.{b}.up_proj.weight": None for a, b in scattered(count)}
        return llama_with(folder, names=found)

    @attack(f"scattered-layers-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        return llama_with(folder, names={f"model.layers.{a}.mlp.up_proj.weight": None for (a,) in scattered(count, 1)})

    @attack(f"scattered-3-axes-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        return header_lines(folder, {f"l.{a}.{b}.{c}.w": [1] for a, b, c in scattered(count, 3, 300)}.items())

    @attack(f"scattered-shapes-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        return header_lines(folder, {f"l.{a}.{b}.w": [1 + a % 50, 1 + b % 50] for a, b in scattered(count)}.items())

    @attack(f"scattered-dense-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        side = int((2 * count) ** 0.5)
        return header_lines(folder, {f"l.{a}.e.{b}.w": [1] for a, b in scattered(count, 2, side)}.items())

    @attack(f"distinct-shapes-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        return header_lines(folder, ((f"l.{at}.w", [at + 1]) for at in range(count)))

    @attack(f"distinct-shapes-llama-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        write(folder, {f"model.layers.{at}.mlp.up_proj.weight": ("F32", (1, at + 1)) for at in range(count)}, llama())
        return AUDIT

    @attack(f"experts-scattered-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        record = base_record("mixtral")
        names = {
            f"model.layers.{a}.block_sparse_moe.experts.{b}.w1.weight": ("F32", (1,))
            for a, b in scattered(count, 2, 1000)
        }
        write(folder, names, record["config"])
        return AUDIT

    @attack(f"lora-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        names = (f"base_model.model.{word}.lora_{side}.weight" for word in words(count // 2) for side in "AB")
        return tensors(folder, names, shape=(2, 2))

    @attack(f"lora-config-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        names = [f"base_model.model.{word}.lora_{side}.weight" for word in words(count // 2) for side in "AB"]
        write_file(folder / "adapter_model.safetensors", dict.fromkeys(names, ("F32", (2, 2))))
        config = {"peft_type": "LORA", "r": 2, "target_modules": list(words(count // 2))}
        (folder / "adapter_config.json").write_text(json.dumps(config))
        return AUDIT

    @attack(f"gptq-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        parts = {"qweight": ("I32", (1, 8)), "qzeros": ("I32", (1, 1)), "scales": ("F16", (1, 8))}
        every = {f"{word}.{part}": kind for word in words(count // 3) for part, kind in parts.items()}
        write(folder, every, {"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 8}})
        return AUDIT

    @attack(f"gptq-odd-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        every: dict[str, Any] = {}
        for at in range(count // 3):
            every[f"l.{at}.qweight"] = ("I32", (1 + at % 7, 8 + at % 5))
            every[f"l.{at}.qzeros"] = ("I32", (1, 1 + at % 3))
            every[f"l.{at}.scales"] = ("F16", (1 + at % 2, 8))
        write(folder, every, {"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 8}})
        return AUDIT

    @attack(f"gptq-ignored-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        listed = [f"model.layers.{at}.{word}" for at, word in enumerate(words(count))]
        return llama_with(folder, llama(quantization_config={"quant_method": "fp8", "modules_to_not_convert": listed}))

    @attack(f"awq-patterns-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        parts = {"qweight": ("I32", (1, 8)), "qzeros": ("I32", (1, 1)), "scales": ("F16", (1, 8))}
        every = {f"m.{word}.{part}": kind for word in words(count // 30) for part, kind in parts.items()}
        patterns: dict[str, Any] = {f"-:.*{word}.*[a-z]+x$": {} for word in words(count // 30, 3)}
        write(folder, every, {"quantization_config": {"quant_method": "gptq", "bits": 4, "dynamic": patterns}})
        return AUDIT

    @attack(f"compressed-groups-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        groups = {
            f"group_{at}": {"targets": [f"re:.*{word}.*[0-9]$"], "weights": {"num_bits": 4, "group_size": 8}}
            for at, word in enumerate(words(count // 10))
        }
        parts = {"weight_packed": ("I32", (8, 1)), "weight_scale": ("F16", (8, 1)), "weight_shape": ("I64", (2,))}
        every = {f"m.{word}.{part}": kind for word in words(count // 30) for part, kind in parts.items()}
        config = {"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": groups}
        write(folder, every, {"quantization_config": config})
        return AUDIT

    @attack(f"training-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        names = (f"{kind}.{word}.weight" for word in words(count // 2) for kind in ("model", "model_ema"))
        return tensors(folder, names)

    @attack(f"single-file-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        names = (f"model.diffusion_model.{word}.weight" for word in words(count))
        return tensors(folder, itertools.chain(names, (f"first_stage_model.{word}.bias" for word in words(count))))

    @attack(f"one-dtype-each-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        kinds = ("F32", "F16", "BF16", "I8", "U8", "F64", "I64")
        write(folder, {f"{word}.weight": (kinds[at % 7], (1,)) for at, word in enumerate(words(count))}, llama())
        return AUDIT

    @attack(f"swin-names-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        record = base_record("swin")
        names = {
            f"swin.encoder.layers.{a}.blocks.{b}.layernorm_before.weight": ("F32", (1,))
            for a, b in scattered(count, 2, 1000)
        }
        write(folder, names, record["config"])
        return AUDIT

    @attack(f"copies-index-{_count}")
    def _(folder: Path, count: int = _count) -> list[str]:
        llama_with(folder)
        promise = {
            f"{word}.weight": f"model-{at % 400 + 1:05d}-of-00400.safetensors" for at, word in enumerate(words(count))
        }
        index = {"metadata": {"total_size": 1}, "weight_map": promise}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        return AUDIT


@attack("deep-names")
def _(folder: Path) -> list[str]:
    return tensors(folder, (f"{word}" + f".{word}" * 900 for word in words(900)), llama())


@attack("names-of-indices")
def _(folder: Path) -> list[str]:
    return tensors(folder, ("a" + ".0" * 20_000 + f".{word}" for word in words(200)))


@attack("names-of-indices-and-letters")
def _(folder: Path) -> list[str]:
    return tensors(folder, (f"w{at}" + ".1" * 20_000 for at in range(200)))


@attack("shapes-all-other-300k")
def _(folder: Path) -> list[str]:
    return header_lines(folder, ((word, [0, at]) for at, word in enumerate(words(300_000))))


@attack("blanks-in-header-90mb")
def _(folder: Path) -> list[str]:
    raw = b'{"a":' + b" \n" * 45_000_000 + b'{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(raw)) + raw + b"x")
    return AUDIT


@attack("digits-and-letters")
def _(folder: Path) -> list[str]:
    return tensors(folder, (f"w{at}x{at * 7919 % 9973}.weight" for at in range(50_000)))


@attack("numbers-not-canonical")
def _(folder: Path) -> list[str]:
    return tensors(folder, (f"l.{at:09d}.{at * 7:07d}.w" for at in range(50_000)), llama())


@attack("latin-names")
def _(folder: Path) -> list[str]:
    return tensors(folder, ("\xff" * 4_000 + word for word in words(2_000)))


@attack("escaped-names")
def _(folder: Path) -> list[str]:
    return tensors(folder, ("\x01" * 4_000 + word for word in words(500)))


@attack("emoji-metadata")
def _(folder: Path) -> list[str]:
    write_file(folder / "model.safetensors", {"a": ("F32", (1,))}, {"x": "a" * 20_000_000, "y": "\U0001f600"})
    return AUDIT


@attack("metadata-2m-keys")
def _(folder: Path) -> list[str]:
    raw = (
        "{"
        + '"__metadata__":{'
        + ",".join(f'"{word}":""' for word in words(1_000_000, 5))
        + '},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}'
    ).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(raw)) + raw + b"x")
    return AUDIT


@attack("faulty-entries")
def _(folder: Path) -> list[str]:
    raw = (
        "{" + ",".join(f'"{word}":{{"dtype":"Q9","shape":[1],"data_offsets":[5,1]}}' for word in words(200_000)) + "}"
    ).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(raw)) + raw + b"x")
    return AUDIT


@attack("overlapping-entries")
def _(folder: Path) -> list[str]:
    raw = (
        "{"
        + ",".join(
            f'"{word}":{{"dtype":"U8","shape":[9],"data_offsets":[{at},{at + 9}]}}'
            for at, word in enumerate(words(200_000))
        )
        + "}"
    ).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(raw)) + raw)
        file.truncate(8 + len(raw) + 200_008)
    return AUDIT


@attack("long-dims")
def _(folder: Path) -> list[str]:
    return header_lines(folder, ((f"{word}.weight", [1] * 5_000) for word in words(900)))


@attack("many-shards")
def _(folder: Path) -> list[str]:
    for at in range(1, 5_001):
        write_file(folder / f"model-{at:05d}-of-05000.safetensors", {f"l.{at}.w": ("F32", (1,))})
    return AUDIT


@attack("many-damaged-shards")
def _(folder: Path) -> list[str]:
    for at in range(1, 3_001):
        (folder / f"model-{at:05d}-of-03000.safetensors").write_bytes(bytes([at % 256] * (at % 50)))
    return AUDIT


@attack("many-sets")
def _(folder: Path) -> list[str]:
    for word in words(5_000):
        (folder / f"{word}.safetensors").write_bytes(b"")
    return AUDIT


@attack("many-sets-of-shards")
def _(folder: Path) -> list[str]:
    for word in words(2_500):
        (folder / f"{word}-00001-of-00002.safetensors").write_bytes(b"")
        (folder / f"{word}.safetensors.index.json").write_bytes(b"{}")
    return AUDIT


@attack("many-ranks")
def _(folder: Path) -> list[str]:
    one = genuine(llama())
    for at in range(1_000):
        write_file(folder / f"rank{at}.safetensors", one)
    (folder / "config.json").write_text(json.dumps(llama()))
    return AUDIT


# Configs


KEYS = (
    "num_hidden_layers", "hidden_size", "num_attention_heads", "num_key_value_heads", "intermediate_size", "vocab_size",
    "head_dim", "tie_word_embeddings", "layer_types", "architectures", "model_type", "torch_dtype", "rope_scaling",
)  # fmt: skip


@attack("config-lists-for-numbers")
def _(folder: Path) -> list[str]:
    return llama_with(
        folder, llama(**{key: [1, 2] * 50_000 for key in KEYS if key not in ("model_type", "architectures")})
    )


for _key in ("num_hidden_layers", "hidden_size", "num_key_value_heads", "vocab_size", "intermediate_size", "head_dim"):

    @attack(f"config-list-{_key}")
    def _(folder: Path, key: str = _key) -> list[str]:
        return llama_with(folder, llama(**{key: list(range(300_000))}))

    @attack(f"config-huge-{_key}")
    def _(folder: Path, key: str = _key) -> list[str]:
        return llama_with(folder, llama(**{key: 10**18 + 9}))


@attack("config-text-numbers")
def _(folder: Path) -> list[str]:
    return llama_with(folder, llama(**{key: "9" * 1_000_000 for key in KEYS if key != "model_type"}))


@attack("config-emoji-60mb")
def _(folder: Path) -> list[str]:
    return raw_config(folder, json.dumps(llama(note="a" * 60_000_000 + "\U0001f600"), ensure_ascii=False))


@attack("config-latin-60mb")
def _(folder: Path) -> list[str]:
    return raw_config(folder, json.dumps(llama(note="\xff" * 30_000_000), ensure_ascii=False))


@attack("config-value-60mb")
def _(folder: Path) -> list[str]:
    return raw_config(folder, json.dumps(llama(hidden_size="\x01" * 10_000_000)))


@attack("config-key-60mb")
def _(folder: Path) -> list[str]:
    return raw_config(folder, json.dumps({**llama(), "k" * 60_000_000: 1}))


@attack("config-model-type-60mb")
def _(folder: Path) -> list[str]:
    return raw_config(folder, json.dumps({**llama(), "model_type": "\xff" * 20_000_000}, ensure_ascii=False))


@attack("config-classes-1m")
def _(folder: Path) -> list[str]:
    return raw_config(folder, json.dumps(llama(architectures=["\xff" * 30] * 500_000), ensure_ascii=False))


@attack("config-class-10mb")
def _(folder: Path) -> list[str]:
    return raw_config(folder, json.dumps(llama(architectures=["Llama" * 2_000_000])))


@attack("config-labels-1m")
def _(folder: Path) -> list[str]:
    return raw_config(folder, json.dumps(llama(id2label={str(at): f"LABEL_{at}" for at in range(1_000_000)})))


@attack("config-keys-1m")
def _(folder: Path) -> list[str]:
    return raw_config(folder, json.dumps({**llama(), **dict.fromkeys(words(1_000_000, 5), 1)}))


@attack("config-keys-doubled-1m")
def _(folder: Path) -> list[str]:
    return raw_config(folder, "{" + ",".join(f'"{word}":1' for word in words(500_000, 5)) * 2 + "}")


@attack("config-nested-doubled")
def _(folder: Path) -> list[str]:
    deep = '{"a":1,"a":1}'
    for _ in range(110):
        deep = '{"' + "k" * 50_000 + '":' + deep + ',"a":1,"a":1}'
    return raw_config(folder, deep)


@attack("config-list-60mb")
def _(folder: Path) -> list[str]:
    return raw_config(folder, json.dumps(llama(num_hidden_layers=[0] * 20_000_000), separators=(",", ":")))


@attack("config-objects-20mb")
def _(folder: Path) -> list[str]:
    return raw_config(folder, json.dumps(llama(extra=[{}] * 600_000)))


def other_config(name: str, model_type: str, **changes: Any) -> None:
    """Register an input with a config of a model type and weights of that type."""

    @attack(name)
    def _(folder: Path) -> list[str]:
        spec, config = _of_type(model_type)
        write(folder, spec, {**config, **changes})
        return AUDIT

    @attack(f"{name}-formula")
    def _(folder: Path) -> list[str]:
        (folder / "config.json").write_text(json.dumps({**_of_type(model_type)[1], **changes}))
        return ["formula", "config.json", "-f", "json"]


def _of_type(model_type: str) -> tuple[dict[str, tuple[str, tuple[int, ...]]], dict[str, Any]]:
    """Tensors and config of a type; without a record, Llama's tensors and a config with nothing but the type."""
    from tests.judged import spec_of

    try:
        record = base_record(model_type)
    except FileNotFoundError:
        key = "_class_name" if model_type[:1].isupper() else "model_type"
        return dict(genuine(llama())), {key: model_type}
    return dict(spec_of(record)), record["config"]


MIXED = [("full_attention", "sliding_attention", "linear_attention")[at * 7919 % 3] for at in range(100_000)]
other_config("layers-1e9", "llama", num_hidden_layers=10**9)
other_config("layer-types-100k", "gemma2", layer_types=MIXED, num_hidden_layers=100_000)
other_config("layer-types-next", "qwen3_next", layer_types=MIXED, num_hidden_layers=100_000)
other_config("pattern-m", "nemotron_h", hybrid_override_pattern="M*-EM-*" * 40_000, num_hidden_layers=280_000)
other_config("jamba-periods", "jamba", num_hidden_layers=10**9, attn_layer_period=2, expert_layer_period=3)
other_config("zamba-blocks", "zamba2", layers_block_type=["mamba", "hybrid"] * 50_000, num_hidden_layers=100_000)
other_config("zamba-ids", "zamba2", hybrid_layer_ids=list(range(0, 300_000, 3)), num_hidden_layers=300_000)
other_config("experts-1e9", "mixtral", num_local_experts=10**9, num_hidden_layers=10**9)
other_config("swin-stages", "swin", depths=[2] * 100_000, num_heads=[2] * 100_000)
other_config("swin-depths", "swin", depths=[10**9] * 1_000, num_heads=[2] * 1_000)
other_config("resnet-stages", "resnet", depths=[3] * 20_000, hidden_sizes=list(range(8, 20_008)))
other_config("convnext-stages", "convnext", depths=[3] * 50_000, hidden_sizes=list(range(8, 50_008)))
other_config(
    "deepseek-first", "deepseek_v3", num_hidden_layers=10**9, n_routed_experts=10**9, num_nextn_predict_layers=10**9
)
other_config("bamba-indices", "bamba", attn_layer_indices=list(range(0, 200_000, 2)), num_hidden_layers=200_000)
other_config("recurrent-blocks", "recurrent_gemma", block_types=["recurrent", "attention"] * 100_000)
other_config("moe-list", "qwen2_moe", mlp_only_layers=list(range(1, 300_000, 3)), num_hidden_layers=300_000)
other_config(
    "gemma3n-lists",
    "gemma3n_text",
    intermediate_size=[1 + at % 997 for at in range(100_000)],
    num_hidden_layers=100_000,
)
other_config("openelm", "openelm", num_query_heads=[4] * 100_000, ffn_multipliers=[1.5] * 100_000)
other_config("deci", "nemotron-nas", block_configs=[{"attention": {"no_op": True}, "ffn": {"no_op": False}}] * 20_000)
other_config("lfm2", "lfm2", layer_types=["conv", "full_attention"] * 100_000)
other_config("falcon-h1", "falcon_h1", num_hidden_layers=10**12)
other_config("wav2vec", "wav2vec2", conv_dim=[512] * 100_000, conv_kernel=[3] * 100_000, conv_stride=[2] * 100_000)
other_config(
    "unet-blocks", "UNet2DConditionModel", block_out_channels=[32] * 3_000, down_block_types=["DownBlock2D"] * 3_000
)
other_config("vae-blocks", "AutoencoderKL", block_out_channels=[32] * 30_000)
other_config("text-for-list", "qwen2_moe", mlp_only_layers=" ".join(map(str, range(10**6))), num_hidden_layers=1_000)
other_config("equal-lists", "llama", num_attention_heads=[4] * 300_000, num_key_value_heads=[4] * 300_000)
other_config("long-key-for-layer", "qwen3_next", layer_types={"9" * 5_000_000: "x"}, num_hidden_layers=1_000)
other_config("config-a-million-numbers", "bert", pruned_heads={str(at): list(range(50)) for at in range(20_000)})
other_config("nested-text", "llama", text_config={"text_config": {"text_config": {}}})
other_config("dac", "dac", downsampling_ratios=list(range(2, 20_000)))
other_config("hifigan", "speecht5_hifigan", upsample_rates=[2] * 10_000, resblock_kernel_sizes=[3] * 10_000)


# Regular expressions and adapters


def adapter(folder: Path, **settings: Any) -> list[str]:
    """An adapter with settings, next to a base of the small Llama."""
    (folder / "base").mkdir()
    llama_with(folder / "base")
    (folder / "adapter").mkdir()
    names = [f"base_model.model.model.layers.0.self_attn.q_proj.lora_{side}.weight" for side in "AB"]
    write_file(folder / "adapter" / "adapter_model.safetensors", dict.fromkeys(names, ("F32", (16, 16))))
    config = {"peft_type": "LORA", "r": 16, "target_modules": ["q_proj"], **settings}
    (folder / "adapter" / "adapter_config.json").write_text(json.dumps(config))
    return ["audit", "adapter", "--base", "base", "-f", "json"]


EXPRESSIONS = {
    "class": ".*[" + "".join(map(chr, range(0x4E00, 0x4E00 + 3_900))) + "]*",
    "class-1m": ".*[" + "".join(map(chr, range(0x4E00, 0x4E00 + 20_000))) * 15 + "]*",
    "ranges": ".*[" + "".join(f"{chr(at)}-{chr(at + 1)}" for at in range(0x4E00, 0x9000, 2)) + "]*",
    "nested": "((((.*)*)*)*)*x",
    "choices": ".*(" + "|".join(words(20_000)) + ")",
    "choices-repeated": "(" + "|".join(words(3_000)) + "|.)*x",
    "counted": "((a{0,1000}){0,1000}){0,1000}" + ".*",
    "counted-dots": "(.{0,500}){0,500}x",
    "optional": "(.?){3000}",
    "lookahead": "".join("(?=.*" + letter + ")" for letter in string.ascii_letters * 80) + ".*",
    "lookahead-nested": "(?=" * 90 + ".*" + ")" * 90 + ".*",
    "alternatives-of-stars": "|".join(".*" + word + ".*" for word in words(2_000)),
}
for _name, _text in EXPRESSIONS.items():

    @attack(f"regex-{_name}")
    def _(folder: Path, text: str = _text) -> list[str]:
        return adapter(folder, target_modules=text)

    @attack(f"regex-ignore-{_name}")
    def _(folder: Path, text: str = _text) -> list[str]:
        groups = {"g": {"targets": ["re:" + text], "weights": {"num_bits": 8, "type": "float"}}}
        block = {"quant_method": "compressed-tensors", "ignore": ["re:" + text], "format": "float-quantized",
                 "config_groups": groups}  # fmt: skip
        whole = {
            name: ("F8_E4M3" if "proj" in name else kind, shape) for name, (kind, shape) in genuine(llama()).items()
        }
        scales = {name + "_scale": ("F32", (1,)) for name, (kind, _) in whole.items() if kind == "F8_E4M3"}
        write(folder, {**whole, **scales}, llama(quantization_config=block))
        return AUDIT


@attack("adapter-deep-names")
def _(folder: Path) -> list[str]:
    arguments = adapter(folder)
    names = (f"base_model.model.{'x.' * depth}q.lora_A.weight" for depth in range(1_500))
    write_file(folder / "adapter" / "adapter_model.safetensors", dict.fromkeys(names, ("F32", (16, 16))))
    return arguments


@attack("rank-pattern-20k")
def _(folder: Path) -> list[str]:
    return adapter(folder, rank_pattern={f".*{word}.*": 3 for word in words(20_000)})


@attack("rank-pattern-1900")
def _(folder: Path) -> list[str]:
    return adapter(folder, rank_pattern={f"(.*{word})+.*x*": 3 for word in words(1_900)})


@attack("targets-1m")
def _(folder: Path) -> list[str]:
    return adapter(folder, target_modules=list(words(1_000_000, 5)))


@attack("targets-scattered")
def _(folder: Path) -> list[str]:
    return adapter(folder, target_modules=[f"{a}.{b}.q_proj" for a, b in scattered(100_000)])


@attack("layers-to-transform")
def _(folder: Path) -> list[str]:
    return adapter(folder, layers_to_transform=[a for (a,) in scattered(1_000_000, 1)], layers_pattern="layers")


@attack("modules-to-save")
def _(folder: Path) -> list[str]:
    return adapter(folder, modules_to_save=list(words(200_000)), exclude_modules=list(words(200_000)))


@attack("modules-to-save-scattered")
def _(folder: Path) -> list[str]:
    return adapter(folder, modules_to_save=[f"layers.{a}" for (a,) in scattered(200_000, 1)])


# Pickles


def pickle_file(folder: Path, pickle: bytes, storages: dict[str, bytes] | None = None) -> list[str]:
    """Write a file as torch.save does."""
    (folder / "pytorch_model.bin").write_bytes(archive(pickle, storages or {"0": bytes(16)}))
    return AUDIT


def shared_dicts(levels: int, width: int) -> bytes:
    """Nested dicts that each contain the next one several times: width^levels names."""
    code = Code().add(b"}(").text("w").tensor((1,)).add(b"uq\0")
    for level in range(levels):
        code.add(b"}(")
        for at in range(width):
            code.text(f"k{at}").add(b"h" + bytes([level]))
        code.add(b"uq" + bytes([level + 1]))
    return code.stop()


@attack("pickle-shared-wide")
def _(folder: Path) -> list[str]:
    return pickle_file(folder, shared_dicts(40, 20))


@attack("pickle-shared-deep")
def _(folder: Path) -> list[str]:
    return pickle_file(folder, shared_dicts(250, 2))


@attack("pickle-shared-tuples")
def _(folder: Path) -> list[str]:
    code = Code().add(b"}(").text("w").tensor((1,)).text("x").add(b")q\0")
    for level in range(250):
        code.add(b"0(" + (b"h" + bytes([level])) * 20 + b"tq" + bytes([level + 1]))
    return pickle_file(folder, code.add(b"u").stop())


@attack("pickle-shared-arguments")
def _(folder: Path) -> list[str]:
    code = Code().add(b"(" + b"J\1\0\0\0" * 1_000 + b"tq\0").add(b"0}(")
    for at in range(400):
        code.text(f"w{at}").name("torch._utils", "_rebuild_tensor_v2").add(b"((").text("storage")
        code.name("torch", "FloatStorage").text("0").text("cpu").number(1).add(b"tQJ\0\0\0\0h\0h\0\x89N")
        code.add(b"tR")
    return pickle_file(folder, code.add(b"u").stop())


@attack("pickle-shared-key")
def _(folder: Path) -> list[str]:
    code = Code().text("k" * 4_000).add(b"q\0").add(b"0}q\1(").text("w").tensor((1,)).add(b"uq\1")
    for level in range(1, 60):
        code.add(b"}(" + b"h\0h" + bytes([level]))
        code.text("j").add(b"h" + bytes([level]) + b"uq" + bytes([level + 1]))
    return pickle_file(folder, code.stop())


@attack("pickle-shared-as-keys")
def _(folder: Path) -> list[str]:
    code = Code().add(b")q\0")
    for level in range(250):
        code.add(b"0(" + (b"h" + bytes([level])) * 8 + b"tq" + bytes([level + 1]))
    return pickle_file(folder, Code().add(code.raw[2:]).add(b"0}(h\xfa").tensor((1,)).add(b"u").stop())


@attack("pickle-shared-lists")
def _(folder: Path) -> list[str]:
    code = Code().add(b"}(").text("w").tensor((1,)).add(b"uq\0")
    for level in range(250):
        code.add(b"](" + (b"h" + bytes([level])) * 9 + b"eq" + bytes([level + 1]))
    return pickle_file(folder, code.stop())


@attack("pickle-holds-itself")
def _(folder: Path) -> list[str]:
    within = b"".join(Code().text(word).raw[2:] + b"h\0" for word in words(3_000))
    return pickle_file(folder, b"\x80\x02}q\0(" + within + b"u.")


@attack("pickle-reduce-shared")
def _(folder: Path) -> list[str]:
    code = Code().add(b")q\0")
    for level in range(250):
        code.add(b"0").name("collections", "OrderedDict").add(
            b"((" + (b"h" + bytes([level])) * 4 + b"ttRq" + bytes([level + 1])
        )
    return pickle_file(folder, code.stop())


@attack("pickle-build-shared")
def _(folder: Path) -> list[str]:
    code = Code().add(b"}q\0")
    for level in range(250):
        code.name("argparse", "Namespace").add(b")\x81}(")
        for key in "abcd":
            code.text(key).add(b"h" + bytes([level]))
        code.add(b"ubq" + bytes([level + 1]))
    return pickle_file(folder, code.stop())


@attack("pickle-many-tensors")
def _(folder: Path) -> list[str]:
    code = Code().add(b"}(").raw + b"".join(Code().text(f"w{at}").tensor((1,)).raw[2:] for at in range(60_000))
    return pickle_file(folder, code + b"u.")


@attack("pickle-one-tensor-many-names")
def _(folder: Path) -> list[str]:
    head = Code().tensor((1,)).add(b"q\x010}(").raw
    return pickle_file(folder, head + b"".join(Code().text(word).raw[2:] + b"h\x01" for word in words(400_000)) + b"u.")


@attack("pickle-integers")
def _(folder: Path) -> list[str]:
    body = b"\x8b" + struct.pack("<i", 500) + b"\x7f" * 500 + b"0"
    return pickle_file(folder, b"\x80\x02" + body * 50_000 + b"}.")


@attack("pickle-decimals")
def _(folder: Path) -> list[str]:
    return pickle_file(folder, b"\x80\x02" + (b"I" + b"9" * 500 + b"\n0") * 50_000 + b"}.")


@attack("pickle-text-escapes")
def _(folder: Path) -> list[str]:
    return pickle_file(folder, b"\x80\x02" + b"V" + b"\\uffff" * 4_000_000 + b"\n0}.")


@attack("pickle-text-latin")
def _(folder: Path) -> list[str]:
    return pickle_file(folder, Code().text("\xff" * 12_000_000).add(b"0}").stop())


@attack("pickle-text-emoji")
def _(folder: Path) -> list[str]:
    return pickle_file(folder, Code().text("a" * 30_000_000 + "\U0001f600").add(b"0}").stop())


@attack("pickle-globals-many")
def _(folder: Path) -> list[str]:
    return pickle_file(
        folder, b"\x80\x02" + b"".join(f"c{word}\nsystem\n0".encode() for word in words(400_000)) + b"}."
    )


@attack("pickle-globals-long")
def _(folder: Path) -> list[str]:
    return pickle_file(
        folder, b"\x80\x02" + b"".join(f"c{word}{'m' * 900}\nsystem\n0".encode() for word in words(30_000)) + b"}."
    )


@attack("pickle-memo-copies")
def _(folder: Path) -> list[str]:
    return pickle_file(folder, b"\x80\x02}q\0" + b"h\0" * 1_000_000 + b"0" * 1_000_000 + b".")


@attack("pickle-set-items")
def _(folder: Path) -> list[str]:
    return pickle_file(
        folder, b"\x80\x02}" + b"".join(Code().text(word).raw[2:] + b"Ns" for word in words(450_000)) + b"."
    )


@attack("pickle-dicts-of-one-list")
def _(folder: Path) -> list[str]:
    code = Code().add(b"](").add(b"(X\x01\0\0\0aK\x01t" * 20_000).add(b"eq\0")
    return pickle_file(folder, code.add(b"0ccollections\nOrderedDict\nh\0\x85R" * 20_000).stop())


@attack("pickle-members")
def _(folder: Path) -> list[str]:
    pickled = Code().add(b"}(").text("w").tensor((1,)).add(b"u").stop()
    return pickle_file(folder, pickled, {str(at): b"" for at in range(100_000)})


@attack("pickle-rows")
def _(folder: Path) -> list[str]:
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x02}." * 1_000_000)
    return AUDIT


@attack("pickle-bomb")
def _(folder: Path) -> list[str]:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("archive/data.pkl", b"\x80\x02" + b"}0" * 15_000_000 + b"}.")
        target.writestr("archive/version", b"3\n")
    (folder / "pytorch_model.bin").write_bytes(made.getvalue())
    return AUDIT


@attack("pickle-many-files")
def _(folder: Path) -> list[str]:
    pickled = shared_dicts(18, 2)
    for at in range(1, 41):
        (folder / f"pytorch_model-{at:05d}-of-00040.bin").write_bytes(archive(pickled, {"0": bytes(16)}))
    return AUDIT


# numpy


@attack("npz-20k")
def _(folder: Path) -> list[str]:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as target:
        for word in words(20_000):
            target.writestr(f"{word}.npy", plain_array("<f4", "(1,)", bytes(4)))
    (folder / "weights.npz").write_bytes(made.getvalue())
    return AUDIT


@attack("npz-packed-20k")
def _(folder: Path) -> list[str]:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for word in words(20_000):
            target.writestr(f"{word}.npy", plain_array("<f4", "(" + "1," * 60 + ")", bytes(4)))
    (folder / "weights.npz").write_bytes(made.getvalue())
    return AUDIT


@attack("npz-wide-headers")
def _(folder: Path) -> list[str]:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for word in words(3_000):
            target.writestr(f"{word}.npy", plain_array("<f4", "(1,)" + " " * 60_000, bytes(4)))
    (folder / "weights.npz").write_bytes(made.getvalue())
    return AUDIT


@attack("npz-objects")
def _(folder: Path) -> list[str]:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for word in words(3_000):
            target.writestr(f"{word}.npy", plain_array("|O", "(1,)", b"\x80\x04" + b"}0" * 100_000 + b"}."))
    (folder / "weights.npz").write_bytes(made.getvalue())
    return AUDIT


@attack("npy-files-20k")
def _(folder: Path) -> list[str]:
    for word in words(5_000):
        (folder / f"{word}.npy").write_bytes(plain_array("<f4", "(1,)", bytes(4)))
    return AUDIT


# GGUF

G = Gguf()


def gguf(folder: Path, pairs: Iterable[bytes], tensors: int = 0, entries: bytes = b"", data: int = 0) -> list[str]:
    """A file of these key-values and entries."""
    listed = list(pairs)
    raw = G.head(tensors, len(listed)) + b"".join(listed) + entries
    with (folder / "model.gguf").open("wb") as file:
        file.write(raw)
        file.truncate(len(raw) + -len(raw) % 32 + data)
    return AUDIT


@attack("gguf-tokens-4m")
def _(folder: Path) -> list[str]:
    body = G.text("tokenizer.ggml.tokens") + G.number("I", 9) + G.number("I", 8) + G.number("Q", 4_000_000)
    return gguf(folder, [body + G.text("ab") * 4_000_000])


@attack("gguf-arrays-many")
def _(folder: Path) -> list[str]:
    one = G.number("I", 9) + G.number("I", 8) + G.number("Q", 60) + G.text("ab") * 60
    return gguf(folder, [G.text(f"k.{word}") + one for word in words(60_000)])


@attack("gguf-numbers-many")
def _(folder: Path) -> list[str]:
    one = G.number("I", 9) + G.number("I", 4) + G.number("Q", 250) + G.number("I", 7) * 250
    return gguf(folder, [G.text(f"llama.{word}") + one for word in words(60_000)])


@attack("gguf-nested-arrays")
def _(folder: Path) -> list[str]:
    inner = G.number("I", 4) + G.number("Q", 0)
    return gguf(
        folder, [G.text("k") + G.number("I", 9) + G.number("I", 9) + G.number("Q", 3_900_000) + inner * 3_900_000]
    )


@attack("gguf-keys-65k")
def _(folder: Path) -> list[str]:
    return gguf(folder, [G.pair(f"llama.{word}{'k' * 1000}", "u32", 1) for word in words(65_000)])


@attack("gguf-text-emoji")
def _(folder: Path) -> list[str]:
    return gguf(folder, [G.pair("general.name", "text", "a" * 60_000_000 + "\U0001f600")])


@attack("gguf-text-latin")
def _(folder: Path) -> list[str]:
    return gguf(folder, [G.pair("general.architecture", "text", "\xff" * 7_000_000)])


@attack("gguf-tensors-260k")
def _(folder: Path) -> list[str]:
    entries = b"".join(G.entry(f"{word}.weight", (8,), 0, at * 32) for at, word in enumerate(words(260_000)))
    return gguf(folder, [], 260_000, entries, 260_000 * 32)


@attack("gguf-tensors-long-names")
def _(folder: Path) -> list[str]:
    entries = b"".join(G.entry(f"{'n' * 1000}{word}", (8,), 0, at * 32) for at, word in enumerate(words(16_000)))
    return gguf(folder, [], 16_000, entries, 16_000 * 32)


@attack("gguf-llama-lists")
def _(folder: Path) -> list[str]:
    numbers = [1 + at * 7919 % 97 for at in range(100_000)]
    pairs = [
        G.pair("general.architecture", "text", "llama"), G.pair("llama.block_count", "u32", 100_000),
        G.pair("llama.embedding_length", "u32", 64), G.pair("llama.attention.head_count", "[u32]", numbers),
        G.pair("llama.attention.head_count_kv", "[u32]", numbers),
        G.pair("llama.feed_forward_length", "[u32]", numbers),
    ]  # fmt: skip
    entries = b"".join(G.entry(f"blk.{at}.attn_q.weight", (8,), 0, at * 32) for at in range(1_000))
    return gguf(folder, pairs, 1_000, entries, 32_000)


# Pipelines


def pipeline(folder: Path, count: int, build: Callable[[Path], object] | None) -> list[str]:
    """A pipeline of many components."""
    names = [f"part{at}" for at in range(count)]
    index = {
        "_class_name": "StableDiffusionPipeline",
        **{name: ["diffusers", "UNet2DConditionModel"] for name in names},
    }
    (folder / "model_index.json").write_text(json.dumps(index))
    for name in names if build is not None else ():
        (folder / name).mkdir()
        assert build is not None
        build(folder / name)
    return AUDIT


@attack("components-3000-absent")
def _(folder: Path) -> list[str]:
    return pipeline(folder, 3_000, None)


@attack("components-100k-absent")
def _(folder: Path) -> list[str]:
    return pipeline(folder, 100_000, None)


@attack("components-900")
def _(folder: Path) -> list[str]:
    return pipeline(folder, 900, llama_with)


@attack("components-names-20")
def _(folder: Path) -> list[str]:
    return pipeline(folder, 20, lambda part: header_lines(part, ((f"{word}.weight", [1]) for word in words(20_000))))


@attack("components-configs-60")
def _(folder: Path) -> list[str]:
    return pipeline(folder, 60, lambda part: raw_config(part, json.dumps(llama(layer_types=MIXED))))


# Indexes


@attack("index-one-file-each")
def _(folder: Path) -> list[str]:
    llama_with(folder)
    promise = {f"{word}.weight": f"{word}.safetensors" for word in words(300_000)}
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": 1}, "weight_map": promise})
    )
    (folder / "model.safetensors").unlink()
    return AUDIT


@attack("index-emoji-60mb")
def _(folder: Path) -> list[str]:
    llama_with(folder)
    index = {"metadata": {"note": "a" * 60_000_000 + "\U0001f600"}, "weight_map": {}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, ensure_ascii=False))
    return AUDIT


@attack("index-wrong-values")
def _(folder: Path) -> list[str]:
    llama_with(folder)
    promise = {f"{word}.weight": [1, 2, {"a": word}] for word in words(200_000)}
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": [1] * 100_000}, "weight_map": promise})
    )
    return AUDIT


@attack("one-layer-each-20k")
def _(folder: Path) -> list[str]:
    return tensors(folder, (f"l.{at}.{word}" for at, word in enumerate(words(20_000))))


@attack("compare-scattered")
def _(folder: Path) -> list[str]:
    for side, factor in (("a", 1), ("b", 7)):
        (folder / side).mkdir()
        names = (f"l.{one * factor % 9_973}.{other}.w" for one, other in scattered(20_000))
        header_lines(folder / side, ((name, [1]) for name in dict.fromkeys(names)))
    return ["compare", "a", "b", "-f", "json"]


@attack("values-of-repeated-memory")
def _(folder: Path) -> list[str]:
    code = Code().add(b"}(").text("w").tensor((1 << 40,), elements=1, strides=(0,)).add(b"u")
    return [*pickle_file(folder, code.stop(), {"0": bytes(4)}), "--values"]
