"""For each finding about names, dims, dtypes and totals, a checkpoint that has it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from msgspec.structs import replace

from inspector.auditing.adapter.audit import audit_adapter
from inspector.auditing.adapter.base_read import BaseRead
from inspector.auditing.adapter.several_bases import best_of
from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit, audit_loaded
from inspector.comparing.checkpoints import compare_audits
from inspector.comparing.result import Comparison
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loader.index import Index
from inspector.loader.set_reading import WeightFile
from tests.adapters.records import alone, checkpoint, two_text_encoders, with_base
from tests.checkpoints import Spec, genuine, write, write_file
from tests.comparing.designs import DESIGNS
from tests.dialects import autoencoders, converters, recorded_gguf, single_file
from tests.findings.download_cases import DOWNLOADS
from tests.findings.library_cases import FOLDERS
from tests.findings.single_file_cases import FOLDERS as OF_SINGLE_FILES
from tests.judged import base_record, diffusers_records, judged, records, spec_of
from tests.loads.damage import damaged, healthy
from tests.loads.damage import write as write_folder
from tests.quantization.examples import wrapper_left
from tests.sparse_models import DSV3, LLAMA8B, TINY, deepseek_v3
from tests.test_whisper_sizes import saved as saved_whisper
from tests.values import examples as values

BERT_BASE = {"model_type": "bert", "architectures": ["BertModel"]}
LAYER_17 = "model.layers.17.self_attn.k_proj.weight"
TIED = {
    **LLAMA8B, "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "head_dim": 64,
    "tie_word_embeddings": True,
}  # fmt: skip
GPT2 = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 768, "n_layer": 12, "n_head": 12,
        "n_positions": 1024, "vocab_size": 50257}  # fmt: skip


def llama(change: Callable[[Spec], None] = lambda spec: None, **config: Any) -> Audit:
    """Llama-3-8B with a change of its tensors or its config."""
    spec = genuine(LLAMA8B)
    change(spec)
    return judged(spec, {**LLAMA8B, **config})


def undeclared_head() -> Audit:
    """DeBERTa as its authors published it: a masked head under the newer names, and a config without a class."""
    of_head = [one for one in records("deberta") if one["variant"] == "legacy-false" and " 5" in one["writer"]]
    record = next(one for one in of_head if one["class"] == "DebertaForMaskedLM")
    left_out = ("architectures", "legacy")
    return judged(spec_of(record), {key: value for key, value in record["config"].items() if key not in left_out})


def tower_alone() -> Audit:
    """CLIP with a config of the vision tower that states another width of the projection."""
    record = next(one for one in records("clip") if one["class"] == "CLIPModel")
    width = record["config"]["projection_dim"]
    towers = {
        key: {**record["config"][key], "projection_dim": width + more}
        for key, more in (("vision_config", 1), ("text_config", 0))
    }
    return judged(spec_of(record), {**record["config"], **towers})


def thinker_alone() -> Audit:
    """The thinker of Qwen2.5-Omni, as a trainer of it alone saves it."""
    record = next(one for one in records("qwen2_5_omni_thinker") if "ForConditionalGeneration" in one["class"])
    return judged(spec_of(record), record["config"])


def put(name: str, dtype: str, *shape: int) -> Callable[[Spec], None]:
    """Stores a tensor."""
    return lambda spec: spec.update({name: (dtype, shape)})


def join_projections(spec: Spec) -> None:
    """Stores query, key and value of each layer in one matrix, as vLLM holds them."""
    for name in [name for name in spec if "q_proj" in name]:
        parts = [spec.pop(name.replace("q_proj", f"{part}_proj")) for part in "qkv"]
        spec[name.replace("q_proj", "qkv_proj")] = ("BF16", (sum(shape[0] for _, shape in parts), 4096))


def under_weight_norm() -> Audit:
    """VITS as its trainer saves it, with weight norm on the modules of the decoder."""
    record = base_record("vits", "Model")
    spec = spec_of(record)
    for name in [name for name in spec if name.startswith("decoder.ups") and name.endswith(".weight")]:
        dtype, shape = spec.pop(name)
        parts = name.replace("weight", "parametrizations.weight.original")
        spec |= {f"{parts}0": (dtype, (shape[0], 1, 1)), f"{parts}1": (dtype, shape)}
    return judged(spec, record["config"])


def drop(*parts: str) -> Callable[[Spec], None]:
    """Removes every tensor whose name contains one of these."""

    def change(spec: Spec) -> None:
        for name in [name for name in spec if any(part in name for part in parts)]:
            del spec[name]

    return change


def rename(old: str, new: str) -> Callable[[Spec], None]:
    """Replaces a part of all names."""

    def change(spec: Spec) -> None:
        renamed = {name.replace(old, new): entry for name, entry in spec.items()}
        spec.clear()
        spec.update(renamed)

    return change


def turn(part: str) -> Callable[[Spec], None]:
    """Exchanges the dims of the matrices with this part in their names."""

    def change(spec: Spec) -> None:
        for name, (dtype, shape) in spec.items():
            if part in name:
                spec[name] = (dtype, shape[::-1])

    return change


def of_nanogpt() -> Audit:
    """GPT-2 of linear layers without biases."""
    matrices = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
    spec = {name: (dtype, shape[::-1] if name.endswith(matrices) else shape)
            for name, (dtype, shape) in genuine(GPT2).items() if not name.endswith(".bias")}  # fmt: skip
    return judged(spec, GPT2)


def flatten(part: str) -> Callable[[Spec], None]:
    """Joins all dims of the tensors with this part in their names."""

    def change(spec: Spec) -> None:
        for name, (dtype, shape) in spec.items():
            if part in name:
                spec[name] = (dtype, (prod(shape),))

    return change


def retype(dtype: str, part: str) -> Callable[[Spec], None]:
    """Stores the tensors with this part in their names in another dtype."""
    return lambda spec: spec.update({n: (dtype, shape) for n, (_, shape) in spec.items() if part in n})


def in_one_column(spec: Spec) -> None:
    """Stores the projections as bitsandbytes packs them, without the scales."""
    for name, (_, shape) in list(spec.items()):
        if "_proj.weight" in name:
            spec[name] = ("U8", (shape[0] * shape[1] // 2, 1))


def unknown(change: Callable[[Spec], None] = lambda spec: None) -> Audit:
    """A network that no definition reads."""
    spec: Spec = {f"h.{layer}.mix.weight": ("F32", (64, 64)) for layer in range(32)}
    spec |= {f"h.{layer}.stay.weight": ("F32", (64, 48)) for layer in range(32)}
    change(spec)
    return judged(spec, {"model_type": "my_own_net"})


def own_code() -> Spec:
    """BERT with gated layers of custom code, as in jina-embeddings-v2."""
    spec = spec_of(base_record("bert", "Model"))
    layers = {name.split(".intermediate.")[0] for name in spec if ".intermediate." in name}
    spec = {name: entry for name, entry in spec.items() if ".intermediate." not in name}
    return spec | {f"{layer}.mlp.gated_layers.weight": ("F32", (88, 48)) for layer in layers}


def frequencies(spec: Spec) -> None:
    """Adds the rotary frequencies that older files store."""
    spec.update({f"model.layers.{n}.self_attn.rotary_emb.inv_freq": ("F32", (64,)) for n in range(32)})


def vision(spec: Spec) -> None:
    """Adds a tower that the text-only config does not describe."""
    spec.update({f"vpm.encoder.layers.{n}.mlp.fc{k}.weight": ("BF16", (1152, 4304)) for n in range(27) for k in (1, 2)})
    spec["vpm.embeddings.patch_embedding.weight"] = ("BF16", (1152, 3, 14, 14))


def refused() -> Audit:
    """A folder whose config has a value that transformers 5 refuses."""
    with TemporaryDirectory() as place:
        write(Path(place), genuine(TINY), config={**TINY, "use_cache": None, "transformers_version": "4.57.6"})
        return audit(place)


def indexed(**totals: int) -> Audit:
    """An undamaged checkpoint whose index states these totals."""
    spec = genuine(LLAMA8B)
    healthy = judged(spec, LLAMA8B).checkpoint
    index = Index("model.safetensors.index.json", dict.fromkeys(spec, "model.safetensors"), {}, dict(totals), ())
    config = Config("config.json", dict(LLAMA8B), "config")
    return audit_loaded(Checkpoint("test", "test", config, tensors=healthy.tensors, index=index, readable=True))


def folder(config: dict[str, Any] | None, *others: str) -> Audit:
    """Llama-3-8B in a folder, with another config."""
    healthy = checkpoint(genuine(LLAMA8B), None, config)
    siblings = dict.fromkeys(others, 600)
    return audit_loaded(replace(healthy, set_name="model.safetensors", siblings=siblings))


def first_falcon() -> Audit:
    """Falcon-7B with its first config, without its code."""
    config = {"model_type": "RefinedWebModel", "architectures": ["RWForCausalLM"], "hidden_size": 4544, "n_layer": 32,
              "n_head": 71, "vocab_size": 65024, "multi_query": True, "parallel_attn": True, "bias": False}  # fmt: skip
    healthy = checkpoint(genuine(config), None, config)
    return audit_loaded(replace(healthy, set_name="model.safetensors", siblings={}))


def saved(
    model_type: str, class_suffix: str, lost: str = "", more: str = "", without: str = "", **config: Any
) -> Audit:
    """What a library saved of a class, in a folder with a change of its config.

    lost: a tensor to leave out. more: one that the class does not have. without: a prefix removed from all names.
    """
    record = base_record(model_type, class_suffix)
    spec = {name.removeprefix(without): entry for name, entry in spec_of(record).items() if name != lost}
    spec |= {more: ("F32", (8, 8))} if more else {}
    read = checkpoint(spec, None, {**record["config"], **config})
    file = WeightFile("model.safetensors", 0, 0, len(read.tensors), 0, {"format": "pt"}, True)
    return audit_loaded(replace(read, set_name=file.name, files=(file,)))


def part_alone(model_type: str, class_suffix: str, part: str) -> Audit:
    """One part of a saved model in a folder, with the config of the whole."""
    record = base_record(model_type, class_suffix)
    spec = {name: entry for name, entry in spec_of(record).items() if name.startswith(part)}
    read = checkpoint(spec, None, {"architectures": [record["class"]], **record["config"]})
    file = WeightFile("model.safetensors", 0, 0, len(read.tensors), 0, {"format": "pt"}, True)
    return audit_loaded(replace(read, set_name=file.name, files=(file,)))


def bare_part(model_type: str, class_suffix: str, below: str) -> Audit:
    """One part of a saved model under the names inside it, with the config of the whole."""
    record = base_record(model_type, class_suffix)
    spec = {name.removeprefix(below): entry for name, entry in spec_of(record).items() if name.startswith(below)}
    return judged(spec, {"architectures": [record["class"]], **record["config"]})


def with_norm_biases() -> tuple[Spec, dict[str, Any]]:
    """T5 with norms that have biases."""
    record = base_record("t5", "Generation")
    spec = spec_of(record)
    biases = {f"{name.removesuffix('weight')}bias": entry for name, entry in spec.items() if "layer_norm" in name}
    return {**spec, **biases}, record["config"]


def quantized_by_torch() -> Spec:
    """DistilBERT after torch.quantization.quantize_dynamic: each linear layer as torch saves it."""
    spec: Spec = {}
    for name, (dtype, shape) in spec_of(base_record("distilbert", "SequenceClassification")).items():
        module, _, kind = name.rpartition(".")
        if "norm" in name or "embeddings" in name:
            spec[name] = (dtype, shape)
        elif kind == "weight":
            spec |= {f"{module}.scale": ("F32", ()), f"{module}.zero_point": ("I64", ())}
            spec[f"{module}._packed_params._packed_params.0"] = ("I8", shape)
            spec[f"{module}._packed_params._packed_params.1"] = ("F32", shape[:1])
    return spec


def with_own_experts() -> Spec:
    """JetMoe with a matrix for each expert of the MLP."""
    spec = spec_of(base_record("jetmoe", "CausalLM"))
    for name in [name for name in spec if "mlp." in name and "_linear.weight" in name]:
        dtype, (experts, rows, columns) = spec.pop(name)
        joint = name.endswith("input_linear.weight")
        for expert in range(experts):
            for part in ("gate_proj", "up_proj") if joint else ("down_proj",):
                own = f"{name.rpartition('.')[0].rpartition('.')[0]}.experts.{expert}.{part}.weight"
                spec[own] = (dtype, (rows // 2 if joint else rows, columns))
    return spec


def text_alone(model_type: str, class_name: str) -> Audit:
    """The weights of a multimodal model in a folder, with the config of its text model."""
    record = base_record(model_type, "Generation")
    config = {**record["config"]["text_config"], "architectures": [class_name]}
    read = checkpoint(spec_of(record), None, config)
    file = WeightFile("model.safetensors", 0, 0, len(read.tensors), 0, {"format": "pt"}, True)
    return audit_loaded(replace(read, set_name=file.name, files=(file,)))


def with_base_prefix(model_type: str = "gemma2", *only: str) -> Audit:
    """A model with one more `model.` before each name, or only some, in a folder."""
    record = base_record(model_type, "CausalLM")
    names = {name: f"model.{name}" if name in only or not only else name for name in record["tensors"]}
    read = checkpoint({names[name]: entry for name, entry in spec_of(record).items()}, None, record["config"])
    file = WeightFile("model.safetensors", 0, 0, len(read.tensors), 0, {"format": "pt"}, True)
    return audit_loaded(replace(read, set_name=file.name, files=(file,)))


def of_torchtune() -> Audit:
    """A folder with the config of transformers and the names of torchtune."""
    small = {**LLAMA8B, "num_hidden_layers": 4, "vocab_size": 1000}
    with TemporaryDirectory() as place:
        return audit(str(write(Path(place) / "0", converters.torchtune(genuine(small)), small)))


def gguf_with_a_lora() -> Audit:
    """A conversion of Llama that contains one matrix of an adapter."""
    record = recorded_gguf.records()["llama"]
    written = recorded_gguf.target_of(record, recorded_gguf.source_of(record))
    written.arrays["blk.0.attn_q.lora_a"] = written.arrays["output_norm.weight"][None]
    with TemporaryDirectory() as place:
        return audit(str(written.save(Path(place) / "model.gguf")))


def gguf_without_ones() -> Audit:
    """Z-Image as stable-diffusion.cpp writes it: without the first dim of its padding."""
    record = next(one for one in diffusers_records("ZImageTransformer2DModel") if not one["variant"])
    shapes = {name: shape[-1:] if "pad_token" in name else shape for name, (_, shape) in spec_of(record).items()}
    arrays = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    written = recorded_gguf.Written([("general.architecture", "text", "lumina2")], arrays, {})
    with TemporaryDirectory() as place:
        return audit(str(written.save(Path(place) / "model.gguf")))


def gguf_without_its_context() -> Audit:
    """Llama's conversion without its context length."""
    record = recorded_gguf.records()["llama"]
    written = recorded_gguf.target_of(record, recorded_gguf.source_of(record))
    written.keys = [pair for pair in written.keys if pair[0] != "llama.context_length"]
    with TemporaryDirectory() as place:
        return audit(str(written.save(Path(place) / "model.gguf")))


def gguf_with_few_kinds() -> Audit:
    """A conversion of Qwen2 with the kinds of all tokens but one."""
    written = gguf_of("qwen2", "qwen2")
    rows = len(written.arrays["token_embd.weight"])
    written.keys = [pair for pair in written.keys if pair != recorded_gguf.NO_VOCABULARY]
    written.keys += [
        ("tokenizer.ggml.model", "text", "gpt2"), ("tokenizer.ggml.merges", "texts", ["a b"]),
        ("tokenizer.ggml.pre", "text", "llama-bpe"),
        ("tokenizer.ggml.tokens", "texts", [str(number) for number in range(rows)]),
        ("tokenizer.ggml.token_type", "[i32]", [1] * (rows - 1)),
    ]  # fmt: skip
    return gguf_with(written)


def gguf_with_key(key: str, kind: str, stated: Any, name: str = "qwen2") -> Audit:
    """A conversion with a vocabulary and one key of another type or value."""
    written = gguf_of(name, name)
    rows = len(written.arrays["token_embd.weight"])
    kept = [pair for pair in written.keys if pair != recorded_gguf.NO_VOCABULARY]
    kept += [
        ("tokenizer.ggml.model", "text", "gpt2"), ("tokenizer.ggml.merges", "texts", ["a b"]),
        ("tokenizer.ggml.pre", "text", "llama-bpe"),
        ("tokenizer.ggml.tokens", "texts", [str(number) for number in range(rows)]),
    ]  # fmt: skip
    written.keys = [*(pair for pair in kept if pair[0] != key), (key, kind, stated)]
    return gguf_with(written)


def gguf_without_its_start() -> Audit:
    """A conversion of XLM-RoBERTa that does not say that a token is before each text."""
    written = gguf_of("xlm-roberta", "bert")
    rows = len(written.arrays["token_embd.weight"])
    written.keys = [pair for pair in written.keys if pair != recorded_gguf.NO_VOCABULARY and "pooling" not in pair[0]]
    written.keys += [
        ("tokenizer.ggml.model", "text", "t5"), ("tokenizer.ggml.pre", "text", "default"),
        ("tokenizer.ggml.tokens", "texts", [str(number) for number in range(rows)]),
        ("tokenizer.ggml.scores", "[f32]", [0.0] * rows), ("tokenizer.ggml.bos_token_id", "u32", 0),
        ("bert.pooling_type", "u32", 2),
    ]  # fmt: skip
    return gguf_with(written)


def gguf_with_many_factors() -> Audit:
    """A conversion of Llama with two rotary factors for each pair."""
    written = gguf_of("llama")
    written.arrays["rope_freqs.weight"] = np.ones(20, np.float32)
    return gguf_with(written)


def gguf_with_a_short_list() -> Audit:
    """LFM2's conversion without the number of key-value heads of its last layer."""
    record = recorded_gguf.records()["lfm2"]
    written = recorded_gguf.target_of(record, recorded_gguf.source_of(record))
    key = "lfm2.attention.head_count_kv"
    written.keys = [(one, kind, value[:-1] if one == key else value) for one, kind, value in written.keys]
    with TemporaryDirectory() as place:
        return audit(str(written.save(Path(place) / "model.gguf")))


def gguf_without_rotary_factors() -> Audit:
    """Gemma 4's conversion without what the converter computes."""
    record = recorded_gguf.records()["gemma4_text"]
    written = recorded_gguf.target_of(record, recorded_gguf.source_of(record))
    del written.arrays["rope_freqs.weight"]
    with TemporaryDirectory() as place:
        return audit(str(written.save(Path(place) / "model.gguf")))


def gguf_matrix(lost: str) -> Audit:
    """An importance matrix. lost: a tensor that it lacks."""
    names = [f"blk.{layer}.attn_{part}.weight" for layer in range(3) for part in "qkv"]
    arrays = {f"{name}.{half}": np.ones((1, 1), np.float32) for name in names for half in ("in_sum2", "counts")}
    arrays.pop(lost, None)
    keys: recorded_gguf.Keys = [("general.type", "text", "imatrix"), ("imatrix.chunk_count", "u32", 10)]
    with TemporaryDirectory() as place:
        return audit(str(recorded_gguf.Written(keys, arrays, {}).save(Path(place) / "imatrix.gguf")))


def gguf_directions(*names: str) -> Audit:
    """A control vector. names: of its tensors."""
    keys: recorded_gguf.Keys = [("general.architecture", "text", "controlvector")]
    arrays = {name: np.ones(32, np.float32) for name in names}
    with TemporaryDirectory() as place:
        return audit(str(recorded_gguf.Written(keys, arrays, {}).save(Path(place) / "vector.gguf")))


PROJECTOR: recorded_gguf.Keys = [
    ("general.architecture", "text", "clip"), ("clip.has_llava_projector", "bool", True),
    ("clip.projector_type", "text", "mlp"), ("clip.vision.block_count", "u32", 1),
]  # fmt: skip


def projector_as(name: str, kind: str) -> recorded_gguf.Written:
    """The mmproj file of a recorded conversion under another kind."""
    record = recorded_gguf.records()[name]
    made = recorded_gguf.target_of(record, recorded_gguf.source_of(record), "projector")
    made.keys = [(key, of, kind if key == "clip.projector_type" else value) for key, of, value in made.keys]
    return made


def gguf_projector(*keys: str) -> recorded_gguf.Written:
    """LLaVA's projector after a tower without blocks. keys: those that it lacks."""
    arrays = {f"mm.{number}.weight": np.ones((32, 32), np.float32) for number in (0, 2)}
    kept = [one for one in PROJECTOR if one[0] not in keys]
    return recorded_gguf.Written(kept, {**arrays, "v.class_embd": np.ones(32, np.float32)}, {})


def gguf_with(*files: recorded_gguf.Written, names: Sequence[str] = ()) -> Audit:
    """Files with a projector and models in the same folder. names: unusual names."""
    usual = ["mmproj.gguf" if "mm.0.weight" in written.arrays else "model.gguf" for written in files]
    with TemporaryDirectory() as place:
        for written, name in zip(files, names or usual, strict=True):
            written.save(Path(place) / name)
        return audit(place)


def gguf_with_deepstack(layers: int) -> Audit:
    """Qwen 3 VL's conversions. layers: those for which the text model states that it takes vectors of an image."""
    record = recorded_gguf.records()["qwen3_vl"]
    source = recorded_gguf.source_of(record)
    model, projector = (recorded_gguf.target_of(record, source, part) for part in ("target", "projector"))
    key = "qwen3vl.n_deepstack_layers"
    model.keys = [(one, kind, layers if one == key else value) for one, kind, value in model.keys]
    return gguf_with(model, projector, names=("model.gguf", "mmproj.gguf"))


def gguf_with_experts_one_by_one() -> Audit:
    """A Mixtral with a tensor for each expert, as converters of 2023 wrote it."""
    written = gguf_of("mixtral")
    for name in [name for name in written.arrays if "_exps." in name]:
        for number, expert in enumerate(written.arrays.pop(name)):
            written.arrays[name.replace("_exps.", f".{number}.")] = expert
    return gguf_with(written)


def gguf_of(model_type: str, architecture: str = "llama") -> recorded_gguf.Written:
    """A conversion of a model type. architecture: as named in the file and its keys."""
    record = recorded_gguf.records()[model_type]
    written = recorded_gguf.target_of(record, recorded_gguf.source_of(record))
    own = next(value for key, _, value in written.keys if key == "general.architecture")
    written.keys = [
        (f"{architecture}.{key.removeprefix(f'{own}.')}" if key.startswith(f"{own}.") else key, kind,
         architecture if key == "general.architecture" else value)
        for key, kind, value in written.keys
    ]  # fmt: skip
    return written


def ranks_of_vllm(*ranks: int, file: str = "model-rank-{}-part-0.safetensors") -> Audit:
    """Slices of a small model as two ranks of vLLM hold them. ranks: those with a file in the folder."""
    spec = genuine(TINY)
    for name in ("model.embed_tokens.weight", "lm_head.weight"):
        dtype, shape = spec[name]
        spec[name] = (dtype, (shape[0] // 2, *shape[1:]))
    with TemporaryDirectory() as place:
        for rank in ranks:
            write_file(Path(place) / file.format(rank), spec)
        (Path(place) / "config.json").write_text(json.dumps(TINY))
        return audit(place)


def gguf_adapter_of_another_kind() -> Audit:
    """A LoRA in GGUF that states another kind of adapter."""
    pair = {f"blk.0.attn_q.weight.lora_{half}": np.ones((4, 4), np.float32) for half in "ab"}
    keys: recorded_gguf.Keys = [("general.type", "text", "adapter"), ("general.architecture", "text", "llama"),
                                ("adapter.type", "text", "loha")]  # fmt: skip
    with TemporaryDirectory() as place:
        return audit(str(recorded_gguf.Written(keys, pair, {}).save(Path(place) / "adapter.gguf")))


def gguf_of_another_architecture() -> Audit:
    """A conversion of Llama that states another architecture."""
    record = recorded_gguf.records()["llama"]
    written = recorded_gguf.target_of(record, recorded_gguf.source_of(record))
    written.keys[:] = [(key, kind, "qwen2" if key == "general.architecture" else of) for key, kind, of in written.keys]
    with TemporaryDirectory() as place:
        return audit(str(written.save(Path(place) / "model.gguf")))


def gguf_of_gemma_as_llama(
    record: str = "gemma", tokens: tuple[str, int, int] = ("llama", 2, 1), heads: int | None = None
) -> Audit:
    """A conversion under the keys of Llama. tokens: its vocabulary. heads: the stated number of key heads, as many as
    heads by default.
    """
    source = recorded_gguf.records()[record]
    written = recorded_gguf.target_of(source, recorded_gguf.source_of(source))
    names = ("tokenizer.ggml.model", "tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id")
    values = dict(zip(names, tokens, strict=True))
    own = {key.replace(f"{record}.", "llama."): (kind, of) for key, kind, of in written.keys if key not in names}
    own["general.architecture"] = ("text", "llama")
    own["llama.attention.head_count_kv"] = ("u32", heads or own["llama.attention.head_count"][1])
    vocabulary = [(key, "text" if key == names[0] else "u32", value) for key, value in values.items()]
    written.keys[:] = [*((key, kind, of) for key, (kind, of) in own.items()), *vocabulary]
    with TemporaryDirectory() as place:
        return audit(str(written.save(Path(place) / "model.gguf")))


def encoder(*siblings: str) -> Audit:
    """DistilBERT's base model under the class of the masked language model."""
    record = base_record("distilbert", "ForMaskedLM")
    spec = {
        name.removeprefix("distilbert."): entry
        for name, entry in spec_of(record).items()
        if name.startswith("distilbert.")
    }
    read = checkpoint(spec, None, record["config"])
    return audit_loaded(replace(read, siblings=dict.fromkeys(siblings, 600)))


def vocabulary() -> Audit:
    """A file for llama.cpp without tensors."""
    file = "ggml-vocab-llama.gguf"
    config = Config(file, dict(LLAMA8B), "config")
    return audit_loaded(Checkpoint("test", "test", config, set_name=file, kind="gguf", readable=True))


CODE = {"auto_map": {"AutoModelForCausalLM": "modeling_mine.MineForCausalLM"}}


def without_dense() -> Audit:
    """A sentence encoder whose dense layer was not copied."""
    with TemporaryDirectory() as place:
        write(Path(place), genuine(BERT_BASE), BERT_BASE)
        modules = [{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]
        (Path(place) / "tokenizer.json").write_text("{}", encoding="utf-8")
        (Path(place) / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
        return audit(place)


def without_modules() -> Audit:
    """A sentence encoder whose list of modules was not copied."""
    with TemporaryDirectory() as place:
        write(Path(place), genuine(BERT_BASE), BERT_BASE)
        (Path(place) / "config_sentence_transformers.json").write_text("{}", encoding="utf-8")
        return audit(place)


def with_card_alone() -> Audit:
    """A model whose card names sentence-transformers, without a file of a sentence encoder."""
    with TemporaryDirectory() as place:
        write(Path(place), genuine(BERT_BASE), BERT_BASE)
        (Path(place) / "README.md").write_text("---\nlibrary_name: sentence-transformers\n---\n", encoding="utf-8")
        return audit(place)


def encoder_as_module() -> Audit:
    """A sentence encoder that lists another one as its first module."""
    with TemporaryDirectory() as place:
        write(Path(place) / "0_SentenceTransformer", genuine(BERT_BASE), BERT_BASE)
        entry = {"idx": 0, "name": "0", "path": "0_SentenceTransformer",
                 "type": "sentence_transformers.SentenceTransformer"}  # fmt: skip
        (Path(place) / "tokenizer.json").write_text("{}", encoding="utf-8")
        (Path(place) / "modules.json").write_text(json.dumps([entry]), encoding="utf-8")
        return audit(place)


def without_classifier() -> Audit:
    """A classifier of SetFit whose head was not copied."""
    with TemporaryDirectory() as place:
        write(Path(place), genuine(BERT_BASE), BERT_BASE)
        (Path(place) / "config_setfit.json").write_text('{"labels": ["no", "yes"]}', encoding="utf-8")
        return audit(place)


def without_masked_head() -> Audit:
    """A SPLADE model whose weights were saved from the base class."""
    with TemporaryDirectory() as place:
        config = {**BERT_BASE, "architectures": ["BertModel"]}
        write(Path(place), genuine(config), config)
        (Path(place) / "sentence_bert_config.json").write_text('{"transformer_task": "fill-mask"}', encoding="utf-8")
        modules = [{"path": "", "type": "sentence_transformers.models.Transformer"}]
        (Path(place) / "tokenizer.json").write_text("{}", encoding="utf-8")
        (Path(place) / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
        return audit(place)


def bare_whisper() -> Audit:
    """The state dict of OpenAI's Whisper, saved after a training."""
    with TemporaryDirectory() as place:
        saved_whisper(Path(place) / "tiny-tuned.pt", 2, 80, "")
        return audit(place)


def head_of_another_encoder() -> Audit:
    """A SetFit classifier whose head was trained behind a smaller encoder."""
    with TemporaryDirectory() as place:
        write(Path(place), genuine(BERT_BASE), BERT_BASE)
        (Path(place) / "tokenizer.json").write_text("{}", encoding="utf-8")
        modules = [{"path": "", "type": "sentence_transformers.models.Transformer"}]
        (Path(place) / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
        (Path(place) / "config.json").write_text(json.dumps({**BERT_BASE, "hidden_size": 768}), encoding="utf-8")
        (Path(place) / "model_head.pkl").write_bytes(b"\x80\x04\x8c\x0en_features_in_\x94M\x80\x01.")
        return audit(place)


def whisper_of_other_mels() -> Audit:
    """A file of OpenAI's Whisper with the sizes of another model."""
    with TemporaryDirectory() as place:
        return audit(saved_whisper(Path(place) / "tuned.pt", 2, 128, "model_state_dict", {"n_mels": 80}))


def dense_of_another_activation() -> Audit:
    """A sentence encoder with an activation function that is no class of torch."""
    with TemporaryDirectory() as place:
        write(Path(place), genuine(BERT_BASE), BERT_BASE)
        modules = [{"path": path, "type": f"sentence_transformers.models.{kind}"}
                   for path, kind in (("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Dense", "Dense"))]  # fmt: skip
        (Path(place) / "tokenizer.json").write_text("{}", encoding="utf-8")
        (Path(place) / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
        layer = {"in_features": 768, "out_features": 8, "bias": False,
                 "activation_function": "transformers.activations.GELUActivation"}  # fmt: skip
        (Path(place) / "1_Pooling").mkdir()
        (Path(place) / "1_Pooling" / "config.json").write_text('{"word_embedding_dimension": 768}', encoding="utf-8")
        write(Path(place) / "2_Dense", {"linear.weight": ("F32", (8, 768))}, layer)
        return audit(place)


def wide_pooling() -> Audit:
    """A sentence encoder whose pooling states the width of another model."""
    with TemporaryDirectory() as place:
        config = {**BERT_BASE, "hidden_size": 768}
        write(Path(place), genuine(config), config)
        modules = [{"path": path, "type": f"sentence_transformers.models.{kind}"}
                   for path, kind in (("", "Transformer"), ("1_Pooling", "Pooling"))]  # fmt: skip
        (Path(place) / "tokenizer.json").write_text("{}", encoding="utf-8")
        (Path(place) / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
        (Path(place) / "1_Pooling").mkdir()
        (Path(place) / "1_Pooling" / "config.json").write_text('{"word_embedding_dimension": 384}', encoding="utf-8")
        return audit(place)


def without_unet() -> Audit:
    """A pipeline in which a required component is null."""
    with TemporaryDirectory() as place:
        write(Path(place) / "text_encoder", genuine(BERT_BASE), BERT_BASE)
        index = {"_class_name": "StableDiffusionPipeline", "unet": [None, None],
                 "text_encoder": ["transformers", "BertModel"]}  # fmt: skip
        (Path(place) / "model_index.json").write_text(json.dumps(index), encoding="utf-8")
        return audit(place)


def pipeline_with_entries(**entries: object) -> Audit:
    """A pipeline of a text encoder and these entries of its model_index.json."""
    with TemporaryDirectory() as place:
        write(Path(place) / "text_encoder", genuine(BERT_BASE), BERT_BASE)
        index = {"_class_name": "StableDiffusionPipeline", "text_encoder": ["transformers", "BertModel"], **entries}
        (Path(place) / "model_index.json").write_text(json.dumps(index), encoding="utf-8")
        return audit(place)


def pipeline_with_scheduler(**settings: object) -> Audit:
    """A pipeline of a text encoder and a scheduler with these settings."""
    with TemporaryDirectory() as place:
        write(Path(place) / "text_encoder", genuine(BERT_BASE), BERT_BASE)
        index = {"_class_name": "StableDiffusionPipeline", "text_encoder": ["transformers", "BertModel"],
                 "scheduler": ["diffusers", "PNDMScheduler"]}  # fmt: skip
        (Path(place) / "model_index.json").write_text(json.dumps(index), encoding="utf-8")
        (Path(place) / "scheduler").mkdir()
        (Path(place) / "scheduler" / "scheduler_config.json").write_text(json.dumps(settings), encoding="utf-8")
        return audit(place)


def pipeline_with_tokenizer(class_name: str, files: dict[str, object]) -> Audit:
    """A pipeline of a text encoder and a tokenizer of these files."""
    with TemporaryDirectory() as place:
        write(Path(place) / "text_encoder", genuine(BERT_BASE), BERT_BASE)
        index = {"_class_name": "StableDiffusionPipeline", "text_encoder": ["transformers", "BertModel"],
                 "tokenizer": ["transformers", class_name]}  # fmt: skip
        (Path(place) / "model_index.json").write_text(json.dumps(index), encoding="utf-8")
        (Path(place) / "tokenizer").mkdir()
        for name, values in files.items():
            (Path(place) / "tokenizer" / name).write_text(json.dumps(values), encoding="utf-8")
        return audit(place)


def bloom_with_two_kv_heads() -> Audit:
    """A conversion by llama.cpp's converter with another number of key heads."""
    record = recorded_gguf.records()["bloom"]
    written = recorded_gguf.target_of(record, recorded_gguf.source_of(record))
    heads = next(value for key, _, value in written.keys if key == "bloom.attention.head_count")
    assert heads != 2
    keys = [one for one in written.keys if one[0] != "bloom.attention.head_count_kv"]
    written.keys = [*keys, ("bloom.attention.head_count_kv", "u32", 2)]
    with TemporaryDirectory() as folder:
        return audit(str(written.save(Path(folder) / "model.gguf")))


def gguf_with_doubled(name: str, key: str) -> Audit:
    """A conversion in which one key has twice its value."""
    record = recorded_gguf.records()[name]
    written = recorded_gguf.target_of(record, recorded_gguf.source_of(record))
    written.keys = [(one, kind, 2 * value if one == key else value) for one, kind, value in written.keys]
    with TemporaryDirectory() as folder:
        return audit(str(written.save(Path(folder) / "model.gguf")))


def gguf_with_reversed(name: str, key: str) -> Audit:
    """A conversion in which one list is reversed."""
    record = recorded_gguf.records()[name]
    written = recorded_gguf.target_of(record, recorded_gguf.source_of(record))
    written.keys = [(one, kind, value[::-1] if one == key else value) for one, kind, value in written.keys]
    with TemporaryDirectory() as folder:
        return audit(str(written.save(Path(folder) / "model.gguf")))


def gguf_with_a_pre_tokenizer(name: str) -> Audit:
    """A conversion of Llama with a byte-pair vocabulary. name: of the pre-tokenizer, "" without one."""
    record = recorded_gguf.records()["llama"]
    written = recorded_gguf.target_of(record, recorded_gguf.source_of(record))
    keys = [one for one in written.keys if not one[0].startswith("tokenizer.")]
    tokens = [f"token {row}" for row in range(written.arrays["token_embd.weight"].shape[0])]
    kind: recorded_gguf.Keys = [("tokenizer.ggml.model", "text", "gpt2"), ("tokenizer.ggml.pre", "text", name)]
    kind = kind if name else kind[:1]
    lists: recorded_gguf.Keys = [
        ("tokenizer.ggml.tokens", "texts", tokens),
        ("tokenizer.ggml.merges", "texts", ["t o"]),
    ]
    written.keys = [*keys, *kind, *lists]
    with TemporaryDirectory() as folder:
        return audit(str(written.save(Path(folder) / "model.gguf")))


def in_file(read: Checkpoint) -> Audit:
    """A checkpoint in a folder, in one file."""
    file = WeightFile("model.safetensors", 0, 0, len(read.tensors), 0, {"format": "pt"}, True)
    return audit_loaded(replace(read, set_name=file.name, files=(file,)))


def text_model_of(model_type: str) -> Audit:
    """The weights of the text model in a multimodal one, with the config of the whole model."""
    config = base_record(model_type, "Generation")["config"]
    return in_file(checkpoint(genuine({**config["text_config"]}), None, config))


def lone_part() -> Audit:
    """The first part of a split GGUF model under another name."""
    record = recorded_gguf.records()["llama"]
    written = recorded_gguf.target_of(record, recorded_gguf.source_of(record))
    split = [("split.count", "u16", 3), ("split.no", "u16", 0)]
    written.keys = [*written.keys, *split]
    written.arrays = dict(list(written.arrays.items())[:9])
    with TemporaryDirectory() as place:
        for number in (2, 3):
            (Path(place) / f"m-0000{number}-of-00003.gguf").write_bytes(b"")
        return audit(str(written.save(Path(place) / "model-Q4.gguf")))


def later_part() -> Audit:
    """The second part of a split GGUF model, by itself."""
    record = recorded_gguf.records()["llama"]
    written = recorded_gguf.target_of(record, recorded_gguf.source_of(record))
    keys = [("split.count", "u16", 3), ("split.no", "u16", 1)]
    half = dict(list(written.arrays.items())[:9])
    with TemporaryDirectory() as place:
        return audit(str(recorded_gguf.Written(keys, half, {}).save(Path(place) / "model-00002-of-00003.gguf")))


def joined_parts() -> Audit:
    """The first part of a split GGUF model followed by the beginning of another part."""
    record = recorded_gguf.records()["llama"]
    written = recorded_gguf.target_of(record, recorded_gguf.source_of(record))
    written.keys = [*written.keys, ("split.count", "u16", 2), ("split.no", "u16", 0)]
    written.arrays = dict(list(written.arrays.items())[:9])
    with TemporaryDirectory() as place:
        file = written.save(Path(place) / "model.gguf")
        file.write_bytes(file.read_bytes() + b"GGUF" + bytes(1020))
        return audit(str(file))


def of_two_saves() -> Audit:
    """Shards of which one is of another save with other boundaries."""
    record = base_record("llama", "CausalLM")
    folder = damaged(healthy(spec_of(record), record["config"]), [["shards", 3]])
    one, two, _ = (folder.weights[name].spec for name in sorted(folder.weights))
    two.pop(next(reversed(two)))
    two.update(dict(list(one.items())[-2:]))
    with TemporaryDirectory() as place:
        return audit(str(write_folder(folder, Path(place) / "model")))


def two_saves() -> Audit:
    """The shards of two saves in one folder, without an index."""
    record = base_record("llama", "CausalLM")
    saves = [damaged(healthy(spec_of(record), record["config"]), [["shards", count]]) for count in (2, 4)]
    saves[0].weights.update(saves[1].weights)
    saves[0].texts.pop("model.safetensors.index.json")
    with TemporaryDirectory() as place:
        return audit(str(write_folder(saves[0], Path(place) / "model")))


def eagle(spec: Spec, width: int = 4096) -> Spec:
    """The layers of a model that EAGLE stores, and the matrix that joins embedding and hidden state."""
    own = {name: entry for name, entry in spec.items() if name not in ("lm_head.weight", "model.norm.weight")}
    own.pop("model.layers.0.input_layernorm.weight")
    return {**own, "fc.weight": ("BF16", (width, 2 * width))}


def without_cross_attention() -> Audit:
    """An encoder-decoder model whose decoder was a separate model, without cross-attention."""
    record = base_record("encoder-decoder")
    return judged(
        {name: entry for name, entry in spec_of(record).items() if "crossattention" not in name}, record["config"]
    )


def resnet(*lost: str) -> Audit:
    """A ResNet without some of its tensors."""
    record = base_record("resnet", "Classification")
    spec = {name: entry for name, entry in spec_of(record).items() if not name.endswith(lost)}
    return judged(spec, {"model_type": "resnet", "architectures": [record["class"]], **record["config"]})


def with_adapter_config(*names: str) -> Audit:
    """A model with an adapter_config.json and further files in its folder."""
    record = base_record("llama", "CausalLM")
    config = {"peft_type": "LORA", "base_model_name_or_path": "meta-llama/Meta-Llama-3-8B"}
    damages: list[list[Any]] = [["text", "adapter_config.json", config], *(["beside", name, 1] for name in names)]
    with TemporaryDirectory() as place:
        folder = damaged(healthy(spec_of(record), record["config"]), damages)
        return audit(str(write_folder(folder, Path(place) / "model")))


def misnamed_config() -> Audit:
    """A model whose config.json was renamed to adapter_config.json."""
    record = base_record("llama", "CausalLM")
    with TemporaryDirectory() as place:
        folder = write_folder(healthy(spec_of(record), record["config"]), Path(place) / "model")
        (folder / "config.json").rename(folder / "adapter_config.json")
        return audit(str(folder))


def of_own_head() -> Audit:
    """A speech classifier with the head of a custom class."""
    record = base_record("wav2vec2", "SequenceClassification")
    width = record["config"]["hidden_size"]
    spec = {name: entry for name, entry in spec_of(record).items() if not name.startswith(("projector", "classifier"))}
    for name, rows in (("dense", width), ("output", 4)):
        spec[f"classifier.{name}.weight"], spec[f"classifier.{name}.bias"] = ("F32", (rows, width)), ("F32", (rows,))
    return judged(spec, {"model_type": "wav2vec2", "architectures": [record["class"]], **record["config"]})


def wrapped_modules() -> Audit:
    """A LoRA for FLUX that was saved from PEFT's model."""
    at = "transformer.base_model.model.single_transformer_blocks.{}.attn.to_k.lora_{}.weight"
    shapes = {"A": (4, 32), "B": (32, 4)}
    return judged({at.format(n, part): ("F32", shape) for n in range(2) for part, shape in shapes.items()}, None)


def text_model_of_mlx() -> Audit:
    """The text model of a multimodal model as mlx-lm writes it: under the config of the whole model."""
    record = base_record("mistral3", "Generation")
    text = {name: entry for name, entry in spec_of(record).items() if name.startswith("language_model.")}
    config = {**record["config"], "model_type": "mistral3", "architectures": [record["class"]],
              "quantization": {"bits": 4, "group_size": 64}}  # fmt: skip
    return judged(text, config)


FIRES: dict[str, Callable[[], Audit]] = {
    "left-out-by-mlx": text_model_of_mlx,
    "prefix-of-mlx-vlm": lambda: judged(
        {f"language_model.{name}": entry for name, entry in spec_of(base_record("qwen3", "CausalLM")).items()},
        {**base_record("qwen3", "CausalLM")["config"], "quantization": {"bits": 4, "group_size": 64}}),
    "saves-mixed": two_saves,
    "config-of-larger-model": lambda: text_model_of("gemma3"),
    "weights-without-tensors": lambda: in_file(replace(checkpoint({}, None, LLAMA8B), readable=True)),
    "gguf-part-renamed": lone_part,
    "gguf-parts-joined": joined_parts,
    "gguf-later-part": later_part,
    "shard-of-another-save": of_two_saves,
    "vocabulary-only": vocabulary,
    "config-disagrees": lambda: llama(num_key_value_heads=32),
    "head-disagrees": undeclared_head,
    "tower-projection": tower_alone,
    "class-alone": thinker_alone,
    "config-impossible": lambda: llama(num_attention_heads=33, num_key_value_heads=33, head_dim=None),
    "config-refused": refused,
    "key-stated-twice": lambda: saved("m2m_100", "Generation", encoder_layers=5, num_hidden_layers=3),
    "key-not-understood": lambda: llama(my_router_depth=3),
    "names-of-another-architecture": lambda: judged(genuine(LLAMA8B), GPT2),
    "prefix-on-names": lambda: judged(
        {f"_orig_mod.{name}": entry for name, entry in genuine(LLAMA8B).items()}, LLAMA8B),
    "tensor-missing": lambda: llama(drop(LAYER_17)),
    "layers-missing": lambda: llama(drop(".17.")),
    "tensor-unexpected": lambda: llama(put("model.layers.3.self_attn.k_norm.weight", "BF16", 128)),
    "part-unexpected": lambda: llama(vision),
    "table-under-copy": lambda: under_copy("decoder.embed_tokens.weight"),
    "base-alone": lambda: judged(
        {n.removeprefix("model."): e for n, e in genuine(LLAMA8B).items() if n != "lm_head.weight"},
        {**LLAMA8B, "architectures": ["LlamaModel"]}),
    "own-modules": lambda: llama(
        lambda spec: spec.update(
            {"talk_head.0.weight": ("BF16", (4096, 8192)), "start_embedding": ("BF16", (2, 4096)),
             "end_embedding": ("BF16", (2, 4096))}
        ),
        max_thoughts=10,
        merged_talk_heads=True,
    ),
    "part-of-larger-model": lambda: judged(
        {**{f"language_model.{name}": entry for name, entry in genuine(LLAMA8B).items()},
         "vision_tower.proj.weight": ("BF16", (1024, 588))}, LLAMA8B),
    "names-written-otherwise": lambda: llama(
        lambda spec: spec.update({name.removesuffix(".weight"): spec.pop(name) for name in list(spec)})
    ),
    "tensor-renamed": lambda: llama(rename("self_attn.q_proj", "self_attn.query")),
    "names-of-base-model": lambda: judged(
        {n.removeprefix("model."): e for n, e in genuine(TIED).items()}, TIED),
    "names-in-dialect": lambda: judged(
        {n.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): e
         for n, e in genuine(BERT_BASE).items()},
        BERT_BASE),
    "vocabulary-padded": lambda: judged(
        converters.megatron(genuine(LLAMA8B | {"vocab_size": 32000}), 384), LLAMA8B | {"vocab_size": 32000}),
    "component-extra": lambda: judged(dict(deepseek_v3(DSV3)), DSV3),
    "component-absent": lambda: judged(genuine(DSV3), DSV3),
    "usual-part-absent": lambda: judged(
        {n: e for n, e in genuine(BERT_BASE).items() if not n.startswith("pooler.")}, BERT_BASE),
    "code-of-repository": lambda: judged(
        own_code(),
        {**base_record("bert", "Model")["config"], "model_type": "bert", "architectures": ["JinaBertForMaskedLM"],
         "auto_map": {"AutoModel": "jinaai/jina-bert--modeling_bert.JinaBertModel"}},
    ),
    "class-decides": lambda: judged(genuine(LLAMA8B), {**LLAMA8B, "model_type": "mixtral"}),
    "class-of-other-code": lambda: judged(
        genuine(LLAMA8B), {**LLAMA8B, "model_type": "mixtral", "architectures": ["LLaMAForCausalLM"]}),
    "gguf-heads-disagree": bloom_with_two_kv_heads,
    "gguf-size-disagrees": lambda: gguf_with_doubled("nomic_bert", "nomic-bert.attention.value_length"),
    "gguf-layer-kinds-disagree": lambda: gguf_with_reversed("nemotron_h_dense", "nemotron_h.feed_forward_length"),
    "gguf-rotary-width": lambda: gguf_with_doubled("mistral", "llama.rope.dimension_count"),
    "gguf-keys-contradict": lambda: gguf_with_doubled("dots1", "dots1.expert_group_count"),
    "gguf-pre-tokenizer-absent": lambda: gguf_with_a_pre_tokenizer(""),
    "gguf-pre-tokenizer-unknown": lambda: gguf_with_a_pre_tokenizer("deepseek-v3.1"),
    "architecture-unknown": unknown,
    "layers-misnumbered": lambda: llama(rename("layers.17.", "layers.40.")),
    "sibling-odd": lambda: unknown(drop("h.17.mix")),
    "architecture-from-names": lambda: judged(genuine(LLAMA8B), None),
    "names-below-prefix": lambda: judged(
        {"encoder.attention.in_proj_weight": ("F32", (1536, 512)),
         "encoder.attention.out_proj.weight": ("F32", (512, 512))}, None),
    "shape-differs": lambda: llama(put(LAYER_17, "BF16", 4096, 4096)),
    "stored-transposed": lambda: llama(turn("up_proj")),
    "ones-left-out": gguf_without_ones,
    "stored-reshaped": lambda: llama(flatten("up_proj")),
    "dtypes-mixed": lambda: llama(retype("F32", "norm")),
    "dtype-differs": lambda: llama(retype("F32", "")),
    "names-of-another-program": of_torchtune,
    "layers-of-another-program": of_nanogpt,
    "head-of-another-program": lambda: llama(critic),
    "head-of-own-code": of_own_head,
    "adapter-modules-wrapped": wrapped_modules,
    "tensors-of-no-architecture": gguf_with_a_lora,
    "gguf-architecture-disagrees": gguf_of_another_architecture,
    "gguf-of-another-model": gguf_of_gemma_as_llama,
    "gguf-keys-missing": gguf_without_its_context,
    "gguf-token-list-short": gguf_with_few_kinds,
    "gguf-factors-differ": gguf_with_many_factors,
    "gguf-types-differ": lambda: gguf_with_key("llama.block_count", "i32", 3, "llama"),
    "gguf-tokenizer-unknown": lambda: gguf_with_key("tokenizer.ggml.model", "text", "GPT2"),
    "gguf-token-beyond": lambda: gguf_with_key("tokenizer.ggml.eos_token_id", "u32", 107),
    "gguf-start-not-added": gguf_without_its_start,
    "gguf-lists-disagree": gguf_with_a_short_list,
    "tensors-needed": gguf_without_rotary_factors,
    "head-alone-of-tie": lambda: judged(
        {name: entry for name, entry in genuine({**TIED, "tie_word_embeddings": False}).items() if "embed" not in name},
        TIED),
    "projector-of-more-layers": lambda: gguf_with_deepstack(0),
    "projector-of-other-width": lambda: gguf_with(gguf_of("llama"), gguf_projector()),
    "no-projector": lambda: gguf_with(gguf_of("qwen2"), gguf_of("llama"), names=("m.gguf", "mmproj-model-f16.gguf")),
    "experts-one-by-one": gguf_with_experts_one_by_one,
    "projector-kind-missing": lambda: gguf_with(gguf_projector("clip.projector_type")),
    "projector-alone": lambda: gguf_with(gguf_projector()),
    "projector-of-other-kind": lambda: gguf_with(projector_as("qwen2_5_vl", "qwen2vl_merger")),
    "gguf-architecture-absent": lambda: gguf_with(
        recorded_gguf.Written([], recorded_gguf.source_of(recorded_gguf.records()["llama"]), {})),
    "gguf-architecture-unknown": lambda: gguf_with(gguf_of("llama", architecture="mllama")),
    "importance-matrix": lambda: gguf_matrix(""),
    "control-vector": lambda: gguf_directions("direction.1", "direction.2", "direction.3"),
    "control-vector-refused": lambda: gguf_directions("direction.0", "direction.1"),
    "importance-matrix-incomplete": lambda: gguf_matrix("blk.1.attn_k.weight.counts"),
    "gguf-adapter-refused": gguf_adapter_of_another_kind,
    "loader-fails": lambda: saved(
        "bart", "ForSequenceClassification", tie_word_embeddings=False, transformers_version="5.23.0"),
    "format-not-read": lambda: judged_for(saved("bart", "ForSequenceClassification"), "llama.cpp"),
    "buffer-missing": lambda: saved("marian", "MTModel", "final_logits_bias"),
    "writer-refuses": lambda: saved("bert", "ForMaskedLM", label2id=[1], transformers_version="4.57.6"),
    "newest-loader-fails": lambda: saved("vilt", "ForMaskedLM"),
    "older-rotary-differs": lambda: saved(
        "llama", "ForCausalLM", rope_parameters={"rope_theta": 500000.0, "rope_type": "default"}
    ),
    "rotary-type-missing": lambda: saved("llama", "ForCausalLM", rope_parameters=None, rope_scaling={"factor": 2.0}),
    "older-loader-fails": lambda: saved("bert", "ForMaskedLM", without="bert."),
    "head-untrained": lambda: encoder(),
    "base-model-used": lambda: encoder("modules.json"),
    "config-missing": lambda: folder(None, "Config.json"),
    "model-type-earlier": first_falcon,
    "model-type-misspelled": lambda: folder({**LLAMA8B, "model_type": "LLaMA"}),
    "model-type-missing": lambda: folder({name: value for name, value in LLAMA8B.items() if name != "model_type"}),
    "class-of-another-type": lambda: folder({**LLAMA8B, "architectures": ["Qwen2ForCausalLM"]}),
    "class-unknown": lambda: folder({**LLAMA8B, "architectures": ["LlamaForCausaLM"]}),
    "code-file-missing": lambda: folder({**LLAMA8B, "model_type": "mine", **CODE}, "tokenizer.json"),
    "code-elsewhere": lambda: folder({
        **LLAMA8B, "model_type": "mine", "auto_map": {"AutoModel": "someone/mine--modeling_mine.Mine"}}),
    "code-file-absent": lambda: folder({**LLAMA8B, **CODE}),
    "tokens-beyond-rows": lambda: folder({**LLAMA8B, "eos_token_id": 128256}),
    "module-missing": without_dense,
    "activation-replaced": dense_of_another_activation,
    "whisper-sizes-differ": whisper_of_other_mels,
    "classifier-head-width": head_of_another_encoder,
    "modules-unlisted": without_modules,
    "pooling-by-default": with_card_alone,
    "for-cross-encoder": lambda: judged_for(saved("bert", "ForSequenceClassification"), "sentence-transformers"),
    "encoder-as-module": encoder_as_module,
    "classifier-head-missing": without_classifier,
    "task-head-missing": without_masked_head,
    "whisper-sizes-missing": bare_whisper,
    "pooling-width-differs": wide_pooling,
    "pipeline-incomplete": without_unet,
    "entry-unknown": lambda: pipeline_with_entries(unet=["diffusers", "UNet2DConditionModell"]),
    "entry-unreadable": lambda: pipeline_with_entries(image_encoder=3),
    "setting-refused": lambda: pipeline_with_scheduler(beta_schedule="linearr"),
    "tokenizer-unread": lambda: pipeline_with_tokenizer(
        "T5Tokenizer",
        {
            "tokenizer.json": {"model": {"vocab": {"a": 0}}},
            "tokenizer_config.json": {"tokenizer_class": "CLIPTokenizer"},
        },
    ),
    "extractor-missing": lambda: pipeline_with_entries(
        safety_checker=["stable_diffusion", "StableDiffusionSafetyChecker"], feature_extractor=[None, None]
    ),
    "motion-missing": lambda: pipeline_with_entries(
        _class_name="AnimateDiffPipeline", unet=["diffusers", "UNet2DConditionModel"]
    ),
    "encoders-null": lambda: pipeline_with_entries(
        _class_name="FluxPipeline", text_encoder_2=[None, None], tokenizer_2=["transformers", "T5TokenizerFast"]
    ),
    "entries-unused": lambda: pipeline_with_entries(image_encoder_2=["transformers", "CLIPVisionModel"]),
    "weights-not-float": lambda: llama(retype("I8", "up_proj")),
    "four-bit-values-alone": lambda: llama(in_one_column),
    "head-missing": lambda: llama(drop("lm_head")),
    "copy-stored": lambda: judged(genuine(TIED, copies=True), TIED),
    "head-tied": lambda: judged(genuine(TIED), TIED),
    "head-tied-by-class": lambda: saved("t5", "ForConditionalGeneration", tie_word_embeddings=False),
    "buffers-stored": lambda: llama(frequencies),
    "total-disagrees": lambda: indexed(total_size=16_060_522_240),
}  # fmt: skip


def one_rank(spec: Spec) -> None:
    """The first of two ranks."""
    for name, (dtype, shape) in list(spec.items()):
        if any(part in name for part in ("q_proj", "k_proj", "v_proj", "gate_proj", "up_proj", "embed", "lm_head")):
            spec[name] = (dtype, (shape[0] // 2, *shape[1:]))
        elif "o_proj" in name or "down_proj" in name:
            spec[name] = (dtype, (shape[0], shape[1] // 2))


def padded_rows(spec: Spec) -> None:
    """The rows of 24 ranks, joined with their padding."""
    for name, (dtype, shape) in list(spec.items()):
        spec[name] = (dtype, (-(-shape[0] // 24) * 24, *shape[1:]))


def without_heads(spec: Spec) -> None:
    """Fewer heads in two layers."""
    for layer, heads in ((3, 24), (7, 28)):
        spec[f"model.layers.{layer}.self_attn.q_proj.weight"] = ("BF16", (heads * 128, 4096))
        spec[f"model.layers.{layer}.self_attn.o_proj.weight"] = ("BF16", (4096, heads * 128))


def narrow_mlps(spec: Spec) -> None:
    """MLPs of other widths in two layers."""
    for layer, width in ((3, 9216), (7, 7168)):
        for name, shape in (("gate", (width, 4096)), ("up", (width, 4096)), ("down", (4096, width))):
            spec[f"model.layers.{layer}.mlp.{name}_proj.weight"] = ("BF16", shape)


def pruned_layers(spec: Spec) -> None:
    """Fewer heads and narrower MLPs in two layers."""
    without_heads(spec)
    narrow_mlps(spec)


def reward(spec: Spec) -> None:
    """The head of a reward model instead of the token head."""
    del spec["lm_head.weight"]
    spec["score.weight"] = ("BF16", (1, 4096))


def critic(spec: Spec) -> None:
    """The head of OpenRLHF's critics instead of the token head."""
    del spec["lm_head.weight"]
    spec["value_head.weight"] = ("BF16", (1, 4096))


def turned(spec: Spec) -> None:
    """All matrices transposed."""
    spec.update({name: (dtype, shape[::-1]) for name, (dtype, shape) in spec.items()})


def factored_by(factor: int) -> Spec:
    """LoKr on the queries of Llama-3-8B with this factor."""
    spec: Spec = {}
    for layer in range(32):
        path = f"base_model.model.model.layers.{layer}.self_attn.q_proj"
        spec[f"{path}.lokr_w1"] = ("BF16", (factor, factor))
        spec[f"{path}.lokr_w2_a"] = ("BF16", (4096 // factor, 4))
        spec[f"{path}.lokr_w2_b"] = ("BF16", (4, 4096 // factor))
    return spec


def exchanged(spec: Spec) -> None:
    """The adapter with the names of the two factors of each module exchanged."""
    swap = {"lora_A": "lora_B", "lora_B": "lora_A"}
    for name, entry in [(name, spec.pop(name)) for name in list(spec)]:
        module, _, factor = name.removesuffix(".weight").rpartition(".")
        spec[f"{module}.{swap[factor]}.weight"] = entry


def first_shard(spec: Spec) -> None:
    """The tensors of the first of several shards."""
    for name in list(spec)[100:]:
        del spec[name]


def llava(**projector: tuple[int, ...]) -> Audit:
    """LLaVA with another projector."""
    record = base_record("llava")
    prefix = "multi_modal_projector."
    spec = {name: entry for name, entry in spec_of(record).items() if not name.startswith(prefix)}
    spec.update({f"{prefix}{name}": ("F32", shape) for name, shape in projector.items()})
    return judged(spec, {"architectures": [record["class"]], **record["config"]})


LLAMA70B = {**LLAMA8B, "hidden_size": 8192, "intermediate_size": 28672, "num_attention_heads": 64,
            "num_hidden_layers": 80}  # fmt: skip
RANKS = {"kv_lora_rank": 256, "q_lora_rank": 768}
FIRES |= {
    "config-of-another-size": lambda: judged(genuine(LLAMA70B), LLAMA8B),
    "config-keys-absent": lambda: judged(
        genuine({**DSV3, **RANKS}), {key: value for key, value in DSV3.items() if key not in RANKS}),
    "one-rank-of-several": lambda: llama(one_rank),
    "rows-of-ranks": lambda: llama(padded_rows),
    "heads-pruned": lambda: llama(without_heads),
    "mlps-pruned": lambda: llama(narrow_mlps),
    "layers-pruned": lambda: llama(pruned_layers),
    "weights-incomplete": lambda: llama(first_shard),
    "class-differs": lambda: llama(reward),
    "biases-unexpected": lambda: judged(*with_norm_biases()),
    "torch-quantized": lambda: judged(
        quantized_by_torch(), base_record("distilbert", "SequenceClassification")["config"]),
    "added-part-alone": lambda: judged(
        {"transformer.prefix_encoder.embedding.weight": ("F16", (128, 28 * 2 * 4096))},
        {"model_type": "chatglm", "auto_map": {"AutoModel": "modeling_chatglm.ChatGLMForConditionalGeneration"}}),
    "experts-apart": lambda: judged(with_own_experts(), base_record("jetmoe", "CausalLM")["config"]),
    "part-ignored": lambda: saved(
        "deepseek_v4", "ForCausalLM", more="mtp.0.eh_proj.weight", architectures=["DeepseekV4ForCausalLM"]),
    "class-of-part": lambda: part_alone("clip", "CLIPModel", "vis"),
    "part-of-model": lambda: bare_part("whisper", "Generation", "model.encoder."),
    "part-of-another-kind": lambda: llava(weight=(48, 72), bias=(48,)),
    "prefix-read-past": with_base_prefix,
    "tensor-renamed-by-loader": lambda: with_base_prefix("llama", "lm_head.weight"),
    "buffer-shape-differs": lambda: judged(
        {**genuine(BERT_BASE), "embeddings.position_ids": ("I64", (1, 514))}, BERT_BASE),
    "text-model-alone": lambda: text_alone("llava", "LlamaForCausalLM"),
    "text-model-of-more": lambda: text_alone("mllama", "MllamaForCausalLM"),
    "class-leaves-out-head": lambda: saved("bart", "ForConditionalGeneration", architectures=["BartModel"]),
    "projections-joined": lambda: llama(join_projections),
    "weights-reparametrized": under_weight_norm,
    "vocabulary-resized-in-part": lambda: llama(put("model.embed_tokens.weight", "BF16", 128_264, 4096)),
}  # fmt: skip


def compared(target: dict[str, Any], expect: str | None = None) -> Comparison:
    """The comparison of Llama-3-8B with a changed one."""
    return compare_audits(llama(), judged(genuine(target), target), expect=expect)


UNTIED = {**TIED, "tie_word_embeddings": False}
LAYERS_31, LAYERS_33 = ({**LLAMA8B, "num_hidden_layers": layers} for layers in (31, 33))
SHORTER = {name: entry for name, entry in deepseek_v3(DSV3) if ".layers.61." not in name}


def headless(spec: Spec) -> Spec:
    """Without the head."""
    return {name: entry for name, entry in spec.items() if "lm_head" not in name}


def adapter(
    change: Callable[[Spec], None] = lambda spec: None, *, base: bool = True, own: bool = False, **config: Any
) -> Audit:
    """LoRA on queries and values of Llama-3-8B, with its base (or one with its own code) or alone, with a change."""
    spec: Spec = {}
    for layer in range(32):
        for module, out in (("q_proj", 4096), ("v_proj", 1024)):
            path = f"base_model.model.model.layers.{layer}.self_attn.{module}"
            spec[f"{path}.lora_A.weight"] = ("BF16", (16, 4096))
            spec[f"{path}.lora_B.weight"] = ("BF16", (out, 16))
    change(spec)
    values = {"peft_type": "LORA", "r": 16, "target_modules": ["q_proj", "v_proj"], **LLAMA3, **config}
    code = {"auto_map": {"AutoModelForCausalLM": "modeling.Own"}} if own else {}
    return with_base(spec, values, {**LLAMA8B, **code}) if base else alone(spec, values)


def colqwen() -> Audit:
    """LoRA of ColQwen2 that was saved before transformers 4.52."""
    spec: Spec = {}
    for layer in range(28):
        path = f"base_model.model.model.layers.{layer}.self_attn.q_proj"
        spec |= {f"{path}.lora_A.weight": ("F32", (32, 1536)), f"{path}.lora_B.weight": ("F32", (1536, 32))}
    config = {"architectures": ["ColQwen2"], "model_type": "qwen2_vl", "hidden_size": 1536, "intermediate_size": 8960,
              "num_attention_heads": 12, "num_key_value_heads": 2, "num_hidden_layers": 28, "vocab_size": 151936,
              "vision_config": {"hidden_size": 1536}}  # fmt: skip
    values = {"peft_type": "LORA", "r": 32, "target_modules": ["q_proj"], "task_type": "FEATURE_EXTRACTION"}
    return with_base(spec, values, config)


def merged_linear(spec: Spec) -> None:
    """The adapter of a joint matrix in two parts, as the first versions of PEFT saved it."""
    spec.clear()
    for layer in range(2):
        path = f"base_model.model.transformer.h.{layer}.attn.c_attn"
        spec[f"{path}.lora_A.weight"] = ("F32", (32, 768))
        spec[f"{path}.lora_B.weight"] = ("F32", (1536, 16, 1))


SMALL_FLUX = {
    "_class_name": "FluxTransformer2DModel", "_diffusers_version": "0.42.0", "in_channels": 64, "num_layers": 1,
    "num_single_layers": 1, "attention_head_dim": 24, "num_attention_heads": 2, "joint_attention_dim": 96,
    "pooled_projection_dim": 32, "guidance_embeds": True,
}  # fmt: skip
SMALL_UNET = {
    "_class_name": "UNet2DConditionModel", "block_out_channels": [32, 64], "layers_per_block": 1, "norm_num_groups": 8,
    "cross_attention_dim": 24, "attention_head_dim": 8, "down_block_types": ["CrossAttnDownBlock2D", "DownBlock2D"],
    "up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D"], "mid_block_type": None,
}  # fmt: skip
"""The config of a UNet without a middle block."""


def unscaled(spec: Spec) -> None:
    """Stores the matrices in 8 bits with a scale each, and one without."""
    for name in [name for name in spec if name.endswith("proj.weight")]:
        spec[name] = ("F8_E4M3", spec[name][1])
        spec[f"{name.removesuffix('weight')}scale_weight"] = ("F32", ())
    spec["lm_head.weight"] = ("F8_E4M3", spec["lm_head.weight"][1])


CLIP_TEXT = {"model_type": "clip_text_model", "architectures": ["CLIPTextModel"], "hidden_size": 96, "vocab_size": 320,
             "intermediate_size": 192, "num_hidden_layers": 12, "num_attention_heads": 4,
             "max_position_embeddings": 77}  # fmt: skip


def hadamard(spec: Spec) -> None:
    """LoHa in the place of LoRA."""
    modules = [name.removesuffix(".alpha") for name in spec if name.endswith(".alpha")]
    spec.clear()
    for module in modules:
        for part in ("w1", "w2"):
            spec |= {f"{module}.hada_{part}_a": ("F16", (64, 4)), f"{module}.hada_{part}_b": ("F16", (4, 64))}


def image_prompt(projection: str, adapter: str) -> Spec:
    """An IP-Adapter with its UNet, under these names."""
    spec: Spec = {f"{projection}.{name}": ("F32", shape) for name, shape in {
        "proj.weight": (384, 64), "proj.bias": (384,), "norm.weight": (96,), "norm.bias": (96,)}.items()}  # fmt: skip
    spec |= {f"{adapter}.{at}.to_{part}_ip.weight": ("F32", (32, 96)) for at in (1, 3, 5) for part in "kv"}
    return spec | {f"unet.conv_{at}.weight": ("F32", (4, 4)) for at in ("in", "out")}


def image_prompt_of(layers: Sequence[str], start: str = "") -> Spec:
    """An IP-Adapter with these attention layers. start: before their names."""
    spec = {name: entry for name, entry in image_prompt("image_proj", "").items() if name.startswith("image_proj.")}
    return spec | {f"ip_adapter.{start}{one}.to_{part}_ip.weight": ("F32", (32, 96)) for one in layers for part in "kv"}


def with_image_encoder() -> Audit:
    """An IP-Adapter of the form plus, beside an image encoder that is wider than the one that it reads."""
    from inspector.adapters.image_projection import images_beside
    from inspector.matcher.families import families_of

    audited = judged({"image_proj.proj_in.weight": ("F32", (1280, 1280)), **image_prompt_of(("1", "3"))}, None)
    found = images_beside(families_of(audited.checkpoint.tensors), {"hidden_size": 1664}, "image_encoder")
    return audited.with_findings([*audited.findings, *found])


UNET_LAYERS = [
    f"{block}.attentions.{at}.transformer_blocks.0.attn2.processor"
    for block, count in (
        *((f"up_blocks.{number}", 3) for number in (3, 2, 1)),
        *((f"down_blocks.{number}", 2) for number in (0, 1, 2)),
        ("mid_block", 1),
    )
    for at in range(count)
]
"""The attention layers to the text in the UNet of Stable Diffusion 1, in another order than that of its class."""


def kohya(change: Callable[[Spec], None]) -> Audit:
    """LoRA on three modules of a UNet, with a change."""
    spec: Spec = {}
    for name in ("down_blocks_0", "mid_block", "up_blocks_1"):
        path = f"lora_unet_{name}_attentions_0_attn1_to_q"
        spec[f"{path}.lora_down.weight"] = ("F16", (4, 64))
        spec[f"{path}.lora_up.weight"] = ("F16", (64, 4))
        spec[f"{path}.alpha"] = ("F16", ())
    change(spec)
    return alone(spec, None)


EARLY = {"rank": 16, "scale": 20.0, "dropout": 0.0}


def of_mlx(values: dict[str, Any] | None, file: str = "adapters.safetensors") -> Audit:
    """Low ranks on sixteen layers as the first versions of mlx-lm saved them."""
    pairs = {"a": (4096, 16), "b": (16, 4096)}
    name = "model.layers.{}.self_attn.q_proj.lora_{}"
    spec = {name.format(layer, side): ("BF16", shape) for layer in range(16, 32) for side, shape in pairs.items()}
    return audit_loaded(replace(checkpoint(spec, values), set_name=file))


LLAMA3 = {"base_model_name_or_path": "meta-llama/Meta-Llama-3-8B"}
LAYER_7 = "layers.7.self_attn.v_proj."
VALUE = f"base_model.model.model.{LAYER_7}"


def wrapped(spec: Spec) -> None:
    """Names the queries as PEFT's layers hold them."""
    for layer in range(32):
        path = f"model.layers.{layer}.self_attn.q_proj"
        spec[f"{path}.base_layer.weight"] = spec.pop(f"{path}.weight")
        spec[f"{path}.lora_A.default.weight"] = ("BF16", (16, 4096))
        spec[f"{path}.lora_B.default.weight"] = ("BF16", (4096, 16))


def prefix(heads: int, width: int, layers: int, base: dict[str, Any]) -> Audit:
    """A prefix-tuning adapter of twenty tokens for so many heads, with a base."""
    values = {"peft_type": "PREFIX_TUNING", "task_type": "CAUSAL_LM", "num_virtual_tokens": 20, "token_dim": width,
              "num_layers": layers, "num_attention_heads": heads, "num_transformer_submodules": 1}  # fmt: skip
    return with_base({"prompt_embeddings": ("F32", (20, 2 * layers * width))}, values, base)


INTERN_VL: Spec = {
    "mlp1.0.weight": ("F32", (128,)), "mlp1.1.weight": ("F32", (32, 128)), "mlp1.3.weight": ("F32", (32, 32)),
    **{f"vision_model.encoder.layers.{n}.{part}": ("F32", shape) for n in range(2) for part, shape in (
        ("ls1", (32,)), ("ls2", (32,)), ("attn.qkv.weight", (96, 32)), ("attn.proj.weight", (32, 32)))},
    **{f"language_model.model.layers.{n}.self_attn.o_proj.weight": ("F32", (32, 32)) for n in range(2)},
}  # fmt: skip


def config_of(model_type: str) -> dict[str, Any]:
    """The config of a recorded model of this type for generation."""
    record = base_record(model_type, "Generation")
    return {"model_type": model_type, **record["config"], "architectures": [record["class"]]}


FLAMINGO: Spec = {
    "module.perceiver.latents": ("F32", (64, 1024)),
    **{f"module.lang_encoder.gated_cross_attn_layers.{n}.attn.to_q.weight": ("F32", (512, 2048)) for n in range(2)},
}  # fmt: skip


def adapter_folder(beside: dict[str, Any] | None = None, **values: Any) -> Audit:
    """A folder with a LoRA adapter of one module. beside: the values of its config.json."""
    spec: Spec = {
        f"base_model.model.model.layers.0.self_attn.q_proj.lora_{side}.weight": ("BF16", shape)
        for side, shape in (("A", (64, 128)), ("B", (128, 64)))
    }
    stated = {"peft_type": "LORA", "lora_alpha": 16, "target_modules": ["q_proj"], **values}
    with TemporaryDirectory() as place:
        write_file(Path(place) / "adapter_model.safetensors", spec)
        (Path(place) / "adapter_config.json").write_text(json.dumps(stated), encoding="utf-8")
        if beside is not None:
            (Path(place) / "config.json").write_text(json.dumps(beside), encoding="utf-8")
        return audit(place)


def qlora_of_llava(*, based: bool, kind: str = "llama", **block: Any) -> Audit:
    """A LoRA of LLaVA with the quantization of its training. based: the base, which is not quantized, is given."""
    record = base_record(kind, "CausalLM")
    query = next(name for name in record["tensors"] if name.endswith(".0.self_attn.q_proj.weight"))
    rows, width = spec_of(record)[query][1]
    path = f"base_model.model.{query.removesuffix('weight')}lora_"
    pair: Spec = {f"{path}A.weight": ("F16", (8, width)), f"{path}B.weight": ("F16", (rows, 8))}
    stated = {"peft_type": "LORA", "r": 8, "lora_alpha": 16, "target_modules": ["q_proj"], "layers_to_transform": [0]}
    quantized = {"quant_method": "bitsandbytes", "load_in_4bit": True, **block}
    config = {**record["config"], "architectures": ["LlavaLlamaForCausalLM"], "model_type": "llava_llama",
              "mm_vision_tower": "openai/clip-vit-large-patch14-336", "quantization_config": quantized}  # fmt: skip
    with TemporaryDirectory() as place, TemporaryDirectory() as base:
        write_file(Path(place) / "adapter_model.safetensors", pair)
        (Path(place) / "adapter_config.json").write_text(json.dumps(stated), encoding="utf-8")
        (Path(place) / "config.json").write_text(json.dumps(config), encoding="utf-8")
        (Path(place) / "non_lora_trainables.bin").write_bytes(b"x")
        write_file(
            Path(base) / "model.safetensors", {name: ("F16", shape) for name, (_, shape) in spec_of(record).items()}
        )
        own = {**record["config"], "architectures": [record["class"]]}
        (Path(base) / "config.json").write_text(json.dumps(own), encoding="utf-8")
        return audit(place, base=base if based else None)


def of_base_model() -> Audit:
    """An adapter of the model without its head, next to the config of one with a head."""
    spec: Spec = {}
    for layer in range(32):
        for side, shape in (("A", (16, 4096)), ("B", (4096, 16))):
            spec[f"base_model.model.layers.{layer}.self_attn.q_proj.lora_{side}.weight"] = ("BF16", shape)
    values = {"peft_type": "LORA", "r": 16, "target_modules": ["q_proj"]}
    with TemporaryDirectory() as place:
        folder, base = write(Path(place) / "adapter", {}), write(Path(place) / "base", {}, LLAMA8B)
        for file in (folder, base):
            (file / "model.safetensors").unlink()
        write_file(folder / "adapter_model.safetensors", spec)
        (folder / "adapter_config.json").write_text(json.dumps(values), encoding="utf-8")
        return audit(str(folder), base=str(base / "config.json"))


def without_biases(*stored: int) -> Audit:
    """An adapter of a base with biases that its config lists as trained. stored: the layers whose biases are stored."""
    spec: Spec = {
        f"base_model.model.model.layers.{layer}.self_attn.q_proj.lora_{side}.weight": ("BF16", shape)
        for layer in range(32)
        for side, shape in (("A", (16, 4096)), ("B", (4096, 16)))
    }
    for layer in stored:
        path = f"base_model.model.model.layers.{layer}.self_attn"
        spec |= {
            f"{path}.{name}_proj.bias": ("BF16", (size,)) for name, size in (("k", 1024), ("v", 1024), ("o", 4096))
        }
    values = {"peft_type": "LORA", "r": 16, "target_modules": ["q_proj"]}
    return with_base(spec, values | {"bias": "all"}, {**LLAMA8B, "attention_bias": True})


def without_gate() -> Audit:
    """An adapter with prompts in the last thirty layers and gates in all but one of these."""
    spec: Spec = {}
    for layer in range(2, 32):
        path = f"base_model.model.model.layers.{layer}.self_attn"
        spec |= {f"{path}.adaption_prompt": ("F32", (1, 10, 4096)), f"{path}.adaption_gate": ("F32", (1,))}
    del spec["base_model.model.model.layers.6.self_attn.adaption_gate"]
    values = {"peft_type": "ADAPTION_PROMPT", "adapter_len": 10, "adapter_layers": 30, "target_modules": "self_attn"}
    return with_base(spec, values | {"task_type": "CAUSAL_LM"}, LLAMA8B)


def value_head(spec: Spec) -> None:
    """The head that TRL adds for the value of a state."""
    spec |= {"v_head.summary.weight": ("BF16", (1, 4096)), "v_head.summary.bias": ("BF16", (1,))}


def unread_base() -> Audit:
    """An adapter whose base is absent."""
    read = adapter().checkpoint
    return audit_adapter(read, base=BaseRead("org/base", None, "repository-not-found: there is no org/base"))


def sliced(spec: Spec) -> None:
    """The rows of each tensor that the first of two processes holds."""
    spec.update({name: (dtype, (-(-shape[0] // 2), *shape[1:])) for name, (dtype, shape) in spec.items()})


def of_program(name: str, first: str, second: str, *, based: bool = False) -> Audit:
    """LoRA on queries and values under the names of another program than PEFT, alone or with a base."""
    spec: Spec = {}
    for layer in range(2):
        for module in "qv":
            spec[name.format(layer, module, first)] = ("BF16", (16, 4096))
            spec[name.format(layer, module, second)] = ("BF16", (4096, 16))
    read = BaseRead("base", audit_loaded(checkpoint({}, config=LLAMA8B))) if based else None
    return audit_adapter(checkpoint(spec), base=read)


def classifying(labels: int, task: str | None = "SEQ_CLS") -> Audit:
    """An adapter that classifies into so many labels, of a base that generates text."""
    spec = {name: ("BF16", layout.shape) for name, layout in adapter().checkpoint.tensors.items()}
    spec["base_model.model.score.weight"] = ("BF16", (labels, 4096))
    values = {"peft_type": "LORA", "r": 16, "target_modules": ["q_proj", "v_proj"], "task_type": task,
              "modules_to_save": ["classifier", "score"]}  # fmt: skip
    return with_base(spec, values, LLAMA8B)


FIRES |= {
    "adapter": adapter,
    "adapter-labels": lambda: classifying(5),
    "adapter-head-ignored": lambda: classifying(2, "CAUSAL_LM"),
    "adapter-of-program": lambda: of_program("layers.{}.attention.w{}.lora_{}.weight", "A", "B"),
    "adapter-of-program-unread": lambda: of_program("layers.{}.attn.{}_proj.lora_{}.weight", "a", "b", based=True),
    "adapter-head-absent": lambda: adapter(task_type="SEQ_CLS"),
    "adapter-base-elsewhere": lambda: adapter(
        base=False, task_type="CAUSAL_LM", base_model_name_or_path="/home/user/models/llama"
    ),
    "adapter-base-unnamed": lambda: adapter(base=False, task_type="CAUSAL_LM", base_model_name_or_path=None),
    "adapter-tensors-ignored": lambda: adapter(value_head),
    "adapter-half-missing": lambda: adapter(drop(f"{LAYER_7}lora_B")),
    "adapter-gate-missing": without_gate,
    "adapter-rank-differs": lambda: adapter(r=64),
    "adapter-transposed": lambda: adapter(turned),
    "adapter-settings-absent": lambda: of_mlx({"lora_layers": 16, "lora_parameters": EARLY}),
    "adapter-in-archive": lambda: of_mlx(None, "adapters.npz"),
    "adapter-setting-differs": lambda: adapter(peft_type="IA3"),
    "adapter-factors-exchanged": lambda: adapter(exchanged),
    "adapter-sliced": lambda: adapter(sliced),
    "adapter-shape-differs": lambda: adapter(put(f"{VALUE}lora_B.weight", "BF16", 4096, 16)),
    "adapter-target-missing": lambda: adapter(drop("layers.7.self_attn.v_proj")),
    "adapter-module-unexpected": lambda: adapter(target_modules=["q_proj"]),
    "adapter-biases-missing": without_biases,
    "adapter-biases-lost": lambda: without_biases(*range(31)),
    "adapter-of-another-class": of_base_model,
    "adapter-served-with-base": lambda: judged_for(adapter_folder(r=64, base_model_name_or_path="org/base"), "vllm"),
    "adapter-config-as-models": lambda: adapter_folder(
        beside={"peft_type": "LORA", "lora_alpha": 16, "target_modules": ["q_proj"]}
    ),
    "quantization-of-training": lambda: qlora_of_llava(based=True),
    "quantization-beside-lora": lambda: qlora_of_llava(based=False),
    "model-config-beside-adapter": lambda: adapter_folder(
        beside={"model_type": "llama", "hidden_size": 128, "num_attention_heads": 4}
    ),
    "adapter-heads-differ": lambda: prefix(
        12,
        1024,
        24,
        {"model_type": "gpt2", "n_embd": 1024, "n_layer": 24, "n_head": 16, "architectures": ["GPT2LMHeadModel"]},
    ),
    "adapter-heads-divided": lambda: prefix(2, 1024, 32, LLAMA8B),
    "adapter-holds-base": lambda: adapter(put("base_model.model.model.norm.weight", "BF16", 4096)),
    "adapter-base-differs": lambda: with_base(
        {name: ("BF16", layout.shape) for name, layout in adapter().checkpoint.tensors.items()},
        {"peft_type": "LORA", "r": 16, "target_modules": ["q_proj", "v_proj"]},
        {**LLAMA8B, "hidden_size": 8192, "num_attention_heads": 64},
    ),
    "adapter-bases-compared": lambda: best_of(
        [("llama-3-8b", adapter()), ("llama-3-70b", FIRES["adapter-base-differs"]())]
    ),
    "adapter-names-unknown": lambda: adapter(rename("self_attn.q_proj", "attention.query"), own=True),
    "adapter-target-unnamed": lambda: adapter(base=False, target_modules=["q_proj", "v_proj", "down_proj"]),
    "adapter-layer-odd": lambda: adapter(drop("layers.7.self_attn.v_proj", "layers.9.self_attn.v_proj"), base=False),
    "adapter-not-merged": lambda: llama(wrapped),
    "adapter-wrapper-left": wrapper_left,
    "adapter-as-weights": lambda: in_file(
        checkpoint(
            {name: (layout.dtype, layout.shape) for name, layout in adapter().checkpoint.tensors.items()}, None, LLAMA8B
        )
    ),
    "adapter-beside-weights": lambda: audit_loaded(checkpoint(genuine(LLAMA8B), LLAMA3, LLAMA8B)),
    "draft-head": lambda: judged(eagle(genuine(LLAMA8B)), LLAMA8B),
    "cross-attention-missing": without_cross_attention,
    "buffers-missing": lambda: resnet("running_mean", "running_var"),
    "adapter-config-left": with_adapter_config,
    "adapter-added": lambda: with_adapter_config("adapter_model.safetensors"),
    "adapter-base-unread": unread_base,
    "adapter-vocabulary-differs": lambda: adapter(put("base_model.model.lm_head.weight", "BF16", 128264, 4096)),
    "adapter-empty": lambda: audit_loaded(
        replace(checkpoint({}, {"peft_type": "LORA"}), readable=True, set_name="adapter_model.safetensors")
    ),
    "adapter-holds-model": lambda: alone(
        {f"base_model.model.{name}": entry for name, entry in genuine(LLAMA8B).items()}, LLAMA3
    ),
    "vectors-exchanged": lambda: alone({"clip_l": ("F32", (4, 1280)), "clip_g": ("F32", (4, 768))}, None),
    "adapter-names-misspelled": lambda: kohya(rename("to_q.", "to_q_.")),
    "adapter-names-unread": lambda: alone(
        {
            f"transformer.transformer_blocks.{layer}.attn.to_q.lora_{part}.default.weight": ("BF16", shape)
            for layer in range(24)
            for part, shape in (("A", (4, 64)), ("B", (64, 4)))
        },
        None,
    ),
    "text-encoder-misplaced": lambda: judged(
        {f"text_encoders.t5xxl.transformer.{name}": entry for name, entry in genuine(CLIP_TEXT).items()}, None
    ),
    "component-prefix-incomplete": lambda: old_text_encoder(),
    "component-prefix-unread": lambda: lone_network("model.model.diffusion_model."),
    "component-prefix-repeated": lambda: lone_network("model.diffusion_model.model.diffusion_model."),
    "adapter-named-by-unet": lambda: judged(image_prompt_of(UNET_LAYERS[9:11]), None),
    "adapter-images-differ": lambda: with_image_encoder(),
    "adapter-without-attention": lambda: judged(image_prompt_of(()), None),
    "adapter-without-projection": lambda: judged(
        {
            name: entry
            for name, entry in image_prompt_of([str(2 * at + 1) for at in range(16)]).items()
            if name.startswith("ip_adapter.")
        },
        None,
    ),
    "adapter-in-training": lambda: judged(image_prompt("image_proj_model", "adapter_modules"), None),
    "adapter-of-xlabs": lambda: alone(
        {
            f"double_blocks.{block}.processor.{pair}_lora{stream}.{part}.weight": ("BF16", shape)
            for block in range(19)
            for stream in (1, 2)
            for pair, outputs in (("proj", 64), ("qkv", 192))
            for part, shape in (("down", (4, 64)), ("up", (outputs, 4)))
        },
        None,
    ),
    "adapter-method-unread": lambda: kohya(hadamard),
    "adapter-blocks-partial": lambda: alone(
        {
            f"lora_unet_blocks_{block}_self_attn_{module}.lora_{part}.weight": ("BF16", shape)
            for block in range(2)
            for module in "qkvo"
            for part, shape in (("down", (4, 64)), ("up", (64, 4)))
        },
        None,
    ),
    "float8-unscaled": lambda: llama(unscaled),
    "adapter-experts-stacked": lambda: alone(
        {
            f"base_model.model.model.layers.{layer}.mlp.experts.{name}.lora_{part}.weight": ("BF16", shape)
            for layer in range(48)
            for name, shared, each in (
                ("w1", (1, 32, 2048), (128, 768, 32)),
                ("w2", (128, 32, 768), (1, 2048, 32)),
                ("w3", (1, 32, 2048), (128, 768, 32)),
            )
            for part, shape in (("A", shared), ("B", each))
        },
        {"peft_type": "LORA", "r": 32, "lora_alpha": 32, "target_modules": "all-linear"},
    ),
    "adapter-merged-linear": lambda: adapter(merged_linear, base=False, enable_lora=[True, False, True]),
    "adapter-part-missing": lambda: kohya(drop("mid_block_attentions_0_attn1_to_q.lora_up")),
    "adapter-pair-differs": lambda: kohya(
        put("lora_unet_mid_block_attentions_0_attn1_to_q.lora_up.weight", "F16", 64, 8)
    ),
    "adapter-scale-misshapen": lambda: kohya(put("lora_unet_mid_block_attentions_0_attn1_to_q.alpha", "F16", 3)),
    "adapter-names-older": colqwen,
    "adapter-names-wrapped": lambda: adapter(rename("base_model.model", "_orig_mod.base_model.model"), base=False),
    "adapter-type-unknown": lambda: adapter(base=False, peft_type="lora"),
    "model-config-misnamed": misnamed_config,
    "embedding-of-one-encoder": lambda: audit_adapter(
        checkpoint({"<cat>": ("F32", (1, 96))}), base=BaseRead("base", two_text_encoders())
    ),
    "adapter-config-of-model": lambda: adapter(
        base=False, peft_type=None, model_type="llama", architectures=["LlamaForCausalLM"]
    ),
    "adapter-modules-unmatched": lambda: audit_adapter(
        kohya(lambda spec: None).checkpoint,
        base=BaseRead("base", audit_loaded(checkpoint({}, None, SMALL_UNET))),
    ),
    "adapter-dims-unread": lambda: audit_adapter(
        checkpoint(
            {
                f"lora_unet_down_blocks_0_attentions_0_proj_{side}.lora_{part}.weight": ("F16", shape)
                for side in ("in", "out")
                for part, shape in (("down", (4, 32)), ("up", (32, 4)))
            },
            None,
        ),
        base=BaseRead("base", audit_loaded(checkpoint({}, None, SMALL_UNET))),
    ),
    "adapter-widens-base": lambda: audit_adapter(
        checkpoint(
            {
                "transformer.x_embedder.lora_A.weight": ("F16", (4, 128)),
                "transformer.x_embedder.lora_B.weight": ("F16", (48, 4)),
                "transformer.context_embedder.lora_A.weight": ("F16", (4, 96)),
                "transformer.context_embedder.lora_B.weight": ("F16", (48, 4)),
            },
            None,
        ),
        base=BaseRead("base", audit_loaded(checkpoint({}, None, SMALL_FLUX))),
    ),
    "adapter-of-wider-base": lambda: audit_adapter(
        checkpoint(
            {
                "transformer.x_embedder.lora_A.weight": ("F16", (4, 384)),
                "transformer.x_embedder.lora_B.weight": ("F16", (48, 4)),
                "transformer.context_embedder.lora_A.weight": ("F16", (4, 96)),
                "transformer.context_embedder.lora_B.weight": ("F16", (48, 4)),
            },
            None,
        ),
        base=BaseRead("base", audit_loaded(checkpoint({}, None, SMALL_FLUX))),
    ),
    "adapter-unread-by-comfyui": lambda: audit_adapter(
        checkpoint(
            {
                f"unet.mid_block.attentions.0.transformer_blocks.0.attn1.{module}.lora.{end}.weight": ("F16", shape)
                for module in ("to_q", "to_k")
                for end, shape in (("down", (4, 32)), ("up", (32, 4)))
            },
            None,
        )
    ),
    "adapter-tensor-unknown": lambda: kohya(put("lora_unet_mid_block_attentions_0_attn1_to_q.lora_side", "F16", 4, 64)),
}


def two_adapters() -> Audit:
    """An adapter with another one in a folder below."""
    with TemporaryDirectory() as place:
        for folder in (Path(place), Path(place) / "other"):
            folder.mkdir(exist_ok=True)
            spec = {f"{VALUE}lora_{part}.weight": ("F32", (4, 4)) for part in "AB"}
            write_file(folder / "adapter_model.safetensors", spec)
            values = {"peft_type": "LORA", "r": 4, "target_modules": ["v_proj"]}
            (folder / "adapter_config.json").write_text(json.dumps(values), encoding="utf-8")
        return audit(place)


def lone_network(prefix: str = "model.diffusion_model.") -> Audit:
    """A UNet in a single file, under its prefix in such files or another one."""
    with TemporaryDirectory() as place:
        spec = single_file.under(prefix, single_file.unet(SMALL_UNET))
        write_file(Path(place) / "sd.safetensors", spec)
        return audit(f"{place}/sd.safetensors")


def old_text_encoder() -> Audit:
    """A UNet and a text encoder in a single file, under the prefixes of old files."""
    text = {name.removeprefix("text_model."): entry for name, entry in genuine(CLIP_TEXT).items()}
    spec = single_file.under("model.diffusion_model.", single_file.unet(SMALL_UNET))
    with TemporaryDirectory() as place:
        write_file(Path(place) / "sd.safetensors", {**spec, **single_file.under("cond_stage_model.transformer.", text)})
        return audit(f"{place}/sd.safetensors")


def lost_block() -> Audit:
    """A UNet in a single file without its second downsampling."""
    spec = single_file.under("model.diffusion_model.", single_file.unet(SMALL_UNET))
    lost = max(name for name in spec if ".0.op." in name).partition(".0.op.")[0]
    with TemporaryDirectory() as place:
        write_file(Path(place) / "sd.safetensors", {name: one for name, one in spec.items() if lost not in name})
        return audit(f"{place}/sd.safetensors")


def enlarging_decoder() -> Audit:
    """Wan's autoencoder with a decoder that gives four times the channels."""
    record = diffusers_records("AutoencoderKLWan")[0]
    spec = autoencoders.wan(spec_of(record), record["config"])
    spec |= {f"decoder.head.2.{end}": (dtype, (12, *shape[1:])) for end in ("weight", "bias")
             for dtype, shape in [spec[f"decoder.head.2.{end}"]]}  # fmt: skip
    with TemporaryDirectory() as place:
        write_file(Path(place) / "vae.safetensors", spec)
        return audit(f"{place}/vae.safetensors")


def without_network() -> Audit:
    """An autoencoder and a text encoder in one file."""
    vae = {"in_channels": 3, "out_channels": 3, "latent_channels": 4, "block_out_channels": [32, 64],
           "layers_per_block": 2, "down_block_types": ["DownEncoderBlock2D"] * 2,
           "up_block_types": ["UpDecoderBlock2D"] * 2}  # fmt: skip
    spec = {**single_file.under("first_stage_model.", single_file.vae({"_class_name": "AutoencoderKL", **vae})),
            **single_file.under("cond_stage_model.transformer.", genuine(CLIP_TEXT))}  # fmt: skip
    with TemporaryDirectory() as place:
        write_file(Path(place) / "sd.safetensors", spec)
        return audit(f"{place}/sd.safetensors")


def marked_noise() -> Audit:
    """An autoencoder beside the markers of a model that predicts v."""
    vae = {"in_channels": 3, "out_channels": 3, "latent_channels": 4, "block_out_channels": [32, 64],
           "layers_per_block": 2, "down_block_types": ["DownEncoderBlock2D"] * 2,
           "up_block_types": ["UpDecoderBlock2D"] * 2}  # fmt: skip
    spec = single_file.under("first_stage_model.", single_file.vae({"_class_name": "AutoencoderKL", **vae}))
    with TemporaryDirectory() as place:
        write_file(Path(place) / "sd.safetensors", spec | dict.fromkeys(("v_pred", "ztsnr"), ("F32", ())))
        return audit(f"{place}/sd.safetensors")


def long_encoder() -> Audit:
    """A UNet with a text encoder that reads more positions than CLIP."""
    table = "cond_stage_model.transformer.text_model.embeddings.position_embedding.weight"
    spec = single_file.under("model.diffusion_model.", single_file.unet(SMALL_UNET))
    with TemporaryDirectory() as place:
        write_file(Path(place) / "sd.safetensors", {**spec, table: ("F16", (248, 768))})
        return audit(f"{place}/sd.safetensors")


def under_copy(name: str) -> Audit:
    """mT5 with its shared embedding under the name of a copy."""
    record = base_record("mt5", "ForConditionalGeneration")
    spec = dict(spec_of(record))
    spec[name] = spec.pop("shared.weight")
    return judged(spec, {**record["config"], "model_type": "mt5", "architectures": [record["class"]]})


def first_encoder_of_two() -> Audit:
    """A UNet that reads the text of two encoders, with one of them."""
    table = "cond_stage_model.transformer.text_model.embeddings.token_embedding.weight"
    unet = single_file.unet({**SMALL_UNET, "cross_attention_dim": 2048})
    with TemporaryDirectory() as place:
        spec = {**single_file.under("model.diffusion_model.", unet), table: ("F16", (49408, 768))}
        write_file(Path(place) / "xl.safetensors", spec)
        return audit(f"{place}/xl.safetensors")


def control_differences() -> Audit:
    """A ControlNet of differences from its UNet."""
    with TemporaryDirectory() as place:
        config = {**SMALL_UNET, "_class_name": "ControlNetModel", "conditioning_embedding_out_channels": [16, 32]}
        spec = single_file.under("control_model.", single_file.unet(config)) | {"difference": ("F32", ())}
        write_file(Path(place) / "diff_control.safetensors", spec)
        return audit(f"{place}/diff_control.safetensors")


def control_with_yaml(width: int = 768, name: str = "control_v11p_sd21_depth") -> Audit:
    """A ControlNet of Stable Diffusion 2 with a YAML beside it, by default that of version 1."""
    with TemporaryDirectory() as place:
        config = {**SMALL_UNET, "_class_name": "ControlNetModel", "conditioning_embedding_out_channels": [16, 32],
                  "cross_attention_dim": 1024}  # fmt: skip
        write_file(Path(place) / "control_v11p_sd21_depth.safetensors", single_file.unet(config))
        stated = f"model:\n  target: cldm.cldm.ControlLDM\n  params:\n    context_dim: {width} # of the text\n"
        (Path(place) / f"{name}.yaml").write_text(stated)
        return audit(f"{place}/control_v11p_sd21_depth.safetensors")


def encoder_alone(change: Callable[[Spec], None] = lambda spec: None) -> Audit:
    """Whisper's encoder under its own class."""
    one, below = base_record("whisper", "ForConditionalGeneration"), "model.encoder."
    spec = {name.removeprefix(below): entry for name, entry in spec_of(one).items() if name.startswith(below)}
    change(spec)
    return judged(spec, {"model_type": "whisper", **one["config"], "architectures": ["WhisperEncoder"]})


def long_roberta() -> Audit:
    """Longformer's weights under the names and the config of RoBERTa."""
    one = base_record("longformer", "ForMaskedLM")
    spec = {name.replace("longformer.", "roberta."): entry for name, entry in spec_of(one).items()}
    stated = {"model_type": "roberta", "architectures": ["RobertaForMaskedLM"], "attention_window": [4, 4, 4]}
    return judged(spec, {**one["config"], **stated})


def of_timm() -> Audit:
    """A vision transformer under timm's names, with the config of transformers."""
    spec: Spec = {f"blocks.{n}.{part}": ("F32", shape) for n in range(2) for part, shape in (
        ("attn.qkv.weight", (144, 48)), ("attn.proj.weight", (48, 48)), ("mlp.fc1.weight", (96, 48)),
        ("mlp.fc2.weight", (48, 96)), ("norm1.weight", (48,)), ("norm2.weight", (48,)))}  # fmt: skip
    spec |= {"patch_embed.proj.weight": ("F32", (48, 3, 8, 8)), "pos_embed": ("F32", (1, 17, 48))}
    return judged(spec, {"model_type": "vit", "architectures": ["ViTForImageClassification"]})


def of_llava(kind: str, *parts: str) -> Audit:
    """A model of LLaVA's code base with this type of projector in its config. parts: the stored ones."""
    spec: Spec = {
        **genuine(LLAMA8B),
        **{
            f"model.mm_projector.{n}.{part}": ("BF16", (4096, width) if part == "weight" else (4096,))
            for n, width in ((0, 1024), (2, 4096))
            for part in ("weight", "bias")
        },
    }
    kept = {name: entry for name, entry in spec.items() if not parts or any(part in name for part in parts)}
    own = {"model_type": "llava_llama", "architectures": ["LlavaLlamaForCausalLM"]}
    return judged(kept, {**LLAMA8B, **own, "mm_hidden_size": 1024, "mm_projector_type": kind})


TOWER = "model.vision_tower.vision_tower.vision_model"


def of_llava_tower(named: str, *, stored: bool = False, **more: Any) -> Audit:
    """A projector behind SigLIP's tower. named: the tower in the config. stored: tensors of the tower are stored."""
    spec: Spec = {
        **genuine(LLAMA8B), "model.mm_projector.0.weight": ("BF16", (4096, 1152)),
        "model.mm_projector.0.bias": ("BF16", (4096,)), "model.mm_projector.2.weight": ("BF16", (4096, 4096)),
        "model.mm_projector.2.bias": ("BF16", (4096,)),
    }  # fmt: skip
    if stored:
        spec[f"{TOWER}.embeddings.class_embedding"] = ("BF16", (1024,))
        spec[f"{TOWER}.post_layernorm.weight"] = ("BF16", (1024,))
    own = {"model_type": "llava_llama", "architectures": ["LlavaLlamaForCausalLM"], "mm_vision_tower": named}
    return judged(spec, {**LLAMA8B, **own, "mm_hidden_size": 1152, "mm_projector_type": "mlp2x_gelu", **more})


def of_vits(symbols: int) -> Audit:
    """Weights of VITS' own code. symbols: how many its config lists."""
    spec: Spec = {"enc_p.emb.weight": ("F32", (52, 192)), "dec.conv_pre.weight": ("F32", (512, 192, 7)),
                  "flow.flows.0.pre.weight": ("F32", (192, 96, 1))}  # fmt: skip
    return judged(spec, {"model": {"hidden_channels": 192}, "symbols": [str(one) for one in range(symbols)]})


def of_xtts(**stated: int) -> Audit:
    """Weights of XTTS 2. stated: sizes in its config."""
    spec: Spec = {"hifigan_decoder.waveform_decoder.conv_pre.weight_v": ("F32", (512, 1024, 7)),
                  "gpt.mel_embedding.weight": ("F32", (1026, 1024))}  # fmt: skip
    return judged(spec, {"model": "xtts", "model_args": stated})


def of_gpt_fast() -> Audit:
    """Weights that gpt-fast packed into 4 bits."""
    spec: Spec = {f"layers.{n}.{part}": entry for n in range(2) for part, entry in (
        ("attention.wqkv.weight", ("I32", (48, 2, 32, 4))), ("attention.wqkv.scales_and_zeros", ("BF16", (8, 384, 2))),
        ("feed_forward.w1.weight", ("I32", (64, 2, 32, 4))), ("ffn_norm.weight", ("BF16", (256,))))}  # fmt: skip
    return judged({**spec, "tok_embeddings.weight": ("BF16", (200, 256))}, None)


def under_another_key() -> Audit:
    """LLaVA with the config of its text model under a key of another program."""
    one = base_record("llava", "Generation")
    config = {**one["config"], "architectures": [one["class"]]}
    config["language_config"] = config.pop("text_config")
    return judged(spec_of(one), config)


FIRES |= {
    "part-key-unread": under_another_key,
    "adapters-below": two_adapters,
    "names-of-library": of_timm,
    "library-by-names": of_gpt_fast,
    "layout-of-authors": lambda: judged(INTERN_VL, config_of("internvl")),
    "prefix-of-parallel": lambda: judged(FLAMINGO, None),
    "names-cut": lambda: judged(
        {name[10:]: entry for name, entry in spec_of(base_record("llama", "ForCausalLM")).items()}, None
    ),
    "library-reads-others": lambda: judged(
        {f"model.image_encoder.{name}.weight": ("F32", (96, 32)) for name in ("blocks.0.attn.qkv", "patch_embed.proj")},
        None,
    ),
    "parts-by-names": lambda: judged(
        {**{f"text_encoder.{key}": entry for key, entry in genuine(BERT_BASE).items()}, "temp": ("F32", ()),
         "vision_proj.weight": ("F32", (256, 768))}, None),
    "llava-projector-differs": lambda: of_llava("linear"),
    "library-config-differs": lambda: of_vits(50),
    "llava-tower-differs": lambda: of_llava_tower("openai/clip-vit-large-patch14-336"),
    "llava-tower-unread": lambda: of_llava_tower("google/siglip-so400m-patch14-384", stored=True),
    "llava-tower-unstored": lambda: of_llava_tower(
        "google/siglip-so400m-patch14-384", mm_tunable_parts="mm_vision_tower,mm_mlp_adapter,mm_language_model"
    ),
    "llava-projector-alone": lambda: of_llava("mlp2x_gelu", "mm_projector"),
    "part-alone": encoder_alone,
    "part-differs": lambda: encoder_alone(drop("layers.0.fc1.weight")),
    "single-file-parts": lone_network,
    "single-file-without-vae": old_text_encoder,
    "network-blocks-missing": lost_block,
    "control-net-differences": control_differences,
    "single-file-settings-differ": control_with_yaml,
    "decoder-channels-differ": enlarging_decoder,
    "single-file-encoder-rows": long_encoder,
    "single-file-text-width": first_encoder_of_two,
    "single-file-without-network": without_network,
    "noise-marked": marked_noise,
    "attention-of-longformer": long_roberta,
    "average-stored": lambda: llama(lambda spec: spec.update({f"ema.{n}": e for n, e in list(spec.items())})),
    "extra-state-stored": lambda: llama(
        lambda spec: spec.update(
            {f"model.layers.{n}.self_attn.q_proj._extra_state": ("U8", (376,)) for n in range(32)})),
    "flat-parameters": lambda: judged({"_fsdp_wrapped_module._flat_param": ("BF16", (8_030_261_248,))}, LLAMA8B),
    "optimizer-state-stored": lambda: llama(
        lambda spec: spec.update({f"{n}.exp_avg": e for n, e in list(spec.items()) if "q_proj" in n})),
}  # fmt: skip


def converted_with_doubled(name: str, key: str) -> Comparison:
    """The comparison of a model with its conversion, in which one key has twice its value."""
    record = recorded_gguf.records()[name]
    tensors = {tensor: (dtype, tuple(shape)) for tensor, (dtype, shape) in record["source"].items()}
    return compare_audits(judged(tensors, record["config"]), gguf_with_doubled(name, key))


SMALL_GPT2 = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": 48, "n_head": 4, "n_layer": 3,
              "n_positions": 40, "vocab_size": 224}  # fmt: skip
COMPARED: dict[str, Callable[[], Comparison]] = {
    "models-differ": lambda: compared({**LLAMA8B, "intermediate_size": 11008, "num_key_value_heads": 32}),
    "not-a-conversion": lambda: compared(
        {**LLAMA8B, "intermediate_size": 11008, "num_key_value_heads": 32}, "conversion"),
    "parameters-dropped": lambda: compare_audits(llama(), llama(drop(LAYER_17))),
    "parameters-invented": lambda: compare_audits(judged(genuine(TIED), TIED), judged(genuine(UNTIED), UNTIED)),
    "layers-dropped": lambda: compared(LAYERS_31),
    "layers-invented": lambda: compared(LAYERS_33),
    "side-in-part": lambda: compare_audits(
        llama(drop("embed", "head", "model.norm", *(f"layers.{layer}." for layer in range(1, 32)))), llama()),
    "rows-cut": lambda: compared({**LLAMA8B, "vocab_size": 128000}),
    "padding-differs": lambda: compare_audits(
        judged(genuine(LLAMA8B | {"vocab_size": 32000}), LLAMA8B | {"vocab_size": 32000}),
        judged(converters.megatron(genuine(LLAMA8B | {"vocab_size": 32000}), 384), LLAMA8B | {"vocab_size": 32000})),
    "rows-padded": lambda: compared({**LLAMA8B, "vocab_size": 128512}),
    "padding-unstated": lambda: compare_audits(llama(), judged(genuine({**LLAMA8B, "vocab_size": 128512}), LLAMA8B)),
    "shape-not-carried": lambda: compare_audits(llama(), llama(put(LAYER_17, "BF16", 4096, 4096))),
    "unexplained-differs": lambda: compare_audits(
        llama(put("model.adapter.proj.weight", "BF16", 64, 4096)),
        llama(put("model.adapter.proj.weight", "BF16", 128, 4096))),
    "layers-renumbered": lambda: compare_audits(llama(), llama(rename("layers.17.", "layers.40."))),
    "names-changed": lambda: compare_audits(unknown(), unknown(rename("17.mix", "17.mixer"))),
    "precision-reduced": lambda: compare_audits(llama(retype("F32", ""), torch_dtype="float32"), llama()),
    "buffers-differ": lambda: compare_audits(llama(frequencies), llama()),
    "key-changed": lambda: converted_with_doubled("bert", "bert.attention.head_count"),
    "settings-differ": lambda: compare_audits(llama(), llama(rope_theta=10000.0)),
    "taken-as-tied": lambda: compare_audits(
        judged({**genuine(SMALL_GPT2), "lm_head.weight": ("BF16", (224, 48))}, None),
        judged(genuine(SMALL_GPT2), None)),
    "tie-unknown": lambda: compare_audits(
        judged(genuine(LLAMA8B), None), judged(headless(genuine(LLAMA8B)), None)),
    "component-differs": lambda: compare_audits(
        judged(dict(deepseek_v3(DSV3)), DSV3), judged(SHORTER, {**DSV3, "num_nextn_predict_layers": 0})),
}  # fmt: skip
COMPARED |= DOWNLOADS | DESIGNS
FIRES |= FOLDERS | OF_SINGLE_FILES

FIRES.update(values.AUDITED)
COMPARED.update(values.COMPARED)
