"""For each finding about values, a checkpoint that has it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from inspector.auditing.result import Audit
from inspector.auditing.samples import with_samples
from inspector.auditing.start import audit
from inspector.auditing.values import with_values
from inspector.comparing.checkpoints import compare, compare_audits
from inspector.comparing.result import Comparison
from inspector.comparing.values import compared_with_values
from tests.checkpoints import genuine
from tests.dialects.gguf_models import config_of
from tests.dialects.recorded_gguf import Written, records, source_of, target_of
from tests.dialects.test_gguf_roles import converted, file
from tests.judged import judged
from tests.sparse_models import TINY, llama
from tests.values.value_files import Arrays, bfloat16, halves_of_pairs, numbers, spec_of, write, write_gguf

KEY = "model.layers.1.self_attn.k_proj.weight"
DOWN = "model.layers.0.mlp.down_proj.weight"
Change = Callable[[Arrays], object]


def model() -> Arrays:
    """A small Llama with random values."""
    return numbers(spec_of(dict(llama(TINY))))


def write_llama_gguf(
    path: Path,
    arrays: Arrays,
    architecture: str = "llama",
    pairs: bool = True,
    matrices: str = "F32",
    change: Change = lambda arrays: None,
) -> None:
    """Write the model as llama.cpp stores it. pairs: whether rows of queries and keys are permuted into pairs."""
    names = {"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight",
             "lm_head.weight": "output.weight", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
             "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate",
             "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "post_attention_layernorm": "ffn_norm",
             "input_layernorm": "attn_norm", "model.layers.": "blk."}  # fmt: skip
    written: Arrays = {}
    heads = {"q_proj": TINY["num_attention_heads"], "k_proj": TINY["num_key_value_heads"]}
    for name, array in arrays.items():
        stored = array
        for part, number in heads.items():
            if f".{part}." in name and pairs:
                width = array.shape[0] // number
                stored = array.reshape(number, 2, width // 2, -1).swapaxes(1, 2).reshape(array.shape)
        other = name
        for one, two in names.items():
            other = other.replace(one, two)
        written[other] = stored

    own = {
        "block_count": TINY["num_hidden_layers"], "embedding_length": TINY["hidden_size"],
        "feed_forward_length": TINY["intermediate_size"], "attention.head_count": TINY["num_attention_heads"],
        "attention.head_count_kv": TINY["num_key_value_heads"], "vocab_size": TINY["vocab_size"],
        "attention.key_length": TINY["hidden_size"] // TINY["num_attention_heads"],
    }  # fmt: skip
    keys: dict[str, int | str] = {f"{architecture}.{key}": value for key, value in own.items()}
    keys["general.architecture"] = architecture
    change(written)
    write_gguf(path, keys, written, matrices)


def llama_to_gguf(change: Change, matrices: str, pairs: bool = True, backwards: bool = False) -> Comparison:
    """The comparison of the model with its GGUF file with quantized matrices. change: to the file's tensors."""
    with TemporaryDirectory() as folder:
        one, other = write(Path(folder) / "before", model(), TINY), Path(folder) / "model.gguf"
        write_llama_gguf(
            other, {name: array.copy() for name, array in model().items()}, "llama", pairs, matrices, change
        )
        first, second = (str(other), str(one)) if backwards else (str(one), str(other))
        return compared_with_values(compare(first, second))


def audited(change: Change, wanted: Sequence[str] = (), **config: object) -> Audit:
    """The audit of the model with values, after a change. wanted: names of tensors to read."""
    arrays = model()
    change(arrays)
    with TemporaryDirectory() as folder:
        return with_values(audit(str(write(Path(folder) / "model", arrays, {**TINY, **config}))), wanted)


def compared(change: Change) -> Comparison:
    """The comparison of the model with a changed copy, with values."""
    after = model()
    change(after)
    with TemporaryDirectory() as folder:
        one, other = write(Path(folder) / "before", model(), TINY), write(Path(folder) / "after", after, TINY)
        return compared_with_values(compare(str(one), str(other)))


def to_gguf(architecture: str, pairs: bool, added: float = 0) -> Comparison:
    """The comparison of the model with its GGUF file. added: to the norms."""
    config = {**TINY, "model_type": architecture, "head_dim": 16, "tie_word_embeddings": architecture == "gemma",
              "architectures": [f"{architecture.capitalize()}ForCausalLM"]}  # fmt: skip
    arrays = numbers(spec_of(genuine(config)))
    norms = {name: array + np.float32(added) for name, array in arrays.items() if "norm" in name}
    with TemporaryDirectory() as folder:
        one = write(Path(folder) / "before", arrays, config)
        write_llama_gguf(Path(folder) / "model.gguf", {**arrays, **norms}, architecture, pairs)
        return compared_with_values(compare(str(one), str(Path(folder) / "model.gguf")))


def without_pooler(*lost: str) -> Comparison:
    """The comparison of an encoder with its GGUF file without pooler. lost: parts of names of further lost tensors."""
    tensors = {name: shape for name, shape in converted("bert").items() if not any(one in name for one in
               ("pooler", *lost))}  # fmt: skip
    config = config_of("bert")
    with TemporaryDirectory() as folder:
        return compare_audits(judged(genuine(config), config), audit(str(file(Path(folder), "bert", tensors))))


def _step(arrays: Arrays) -> None:
    arrays[KEY][3, 5] += np.float32(0.25)


def _narrow(arrays: Arrays) -> None:
    arrays.update({name: bfloat16(array) for name, array in arrays.items()})


def beyond_half(source: Change = lambda arrays: None, added: float = 1e5) -> Comparison:
    """A model with a norm beyond the range of F16, compared with its F16 copy. source: another change of both."""
    arrays = model()
    arrays[NORM] = np.abs(arrays[NORM]) + np.float32(added)
    source(arrays)
    with np.errstate(over="ignore"):
        halves = {name: array.astype(np.float16) for name, array in arrays.items()}
    with TemporaryDirectory() as folder:
        one, other = write(Path(folder) / "before", arrays, TINY), write(Path(folder) / "after", halves, TINY)
        return compared_with_values(compare(str(one), str(other)))


def in_halves(arrays: Arrays) -> None:
    """Permute the rows of q and k from pairs into halves."""
    heads = {"q_proj": TINY["num_attention_heads"], "k_proj": TINY["num_key_value_heads"]}
    for name in arrays:
        for part, number in heads.items():
            if f".{part}." in name:
                arrays[name] = halves_of_pairs(arrays[name], number)


def _all_but_one(arrays: Arrays) -> None:
    for name in arrays:
        if name != KEY:
            arrays[name] = arrays[name] + np.float32(0.5)


def _other_head(arrays: Arrays) -> None:
    arrays["lm_head.weight"] = arrays["model.embed_tokens.weight"].copy()
    arrays["lm_head.weight"][2, 0] += 1


def _no_number(arrays: Arrays) -> None:
    arrays[KEY][1, 1] = np.nan


def _zeros(arrays: Arrays) -> None:
    arrays[DOWN][:] = 0


def sampled(change: Change) -> Audit:
    """The audit of a model with a stored copy of the embedding as its head, after a change, with its samples."""
    arrays = model()
    arrays["lm_head.weight"] = arrays["model.embed_tokens.weight"].copy()
    change(arrays)
    with TemporaryDirectory() as folder:
        return with_samples(audit(str(write(Path(folder) / "model", arrays, {**TINY, "tie_word_embeddings": True}))))


def half_written() -> Audit:
    """The audit of the model in a file of which the second half was never written."""
    with TemporaryDirectory() as folder:
        path = write(Path(folder) / "model", model(), TINY) / "model.safetensors"
        raw = path.read_bytes()
        path.write_bytes(raw[: len(raw) // 2] + bytes(len(raw) - len(raw) // 2))
        return with_values(audit(str(path.parent)))


def adapted(*zero: str) -> Audit:
    """A LoRA of queries and values, with zeros for the tensors with these parts in their names."""
    chance = np.random.default_rng(3)
    arrays: Arrays = {}
    for layer in range(2):
        for part, outputs in (("q_proj", 48), ("v_proj", 24)):
            stem = f"base_model.model.model.layers.{layer}.self_attn.{part}"
            arrays[f"{stem}.lora_A.weight"] = chance.standard_normal((4, 48)).astype(np.float32)
            arrays[f"{stem}.lora_B.weight"] = chance.standard_normal((outputs, 4)).astype(np.float32)
    for name in arrays:
        if any(part in name for part in zero):
            arrays[name][:] = 0
    config = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj", "v_proj"]}
    with TemporaryDirectory() as folder:
        place = write(Path(folder) / "adapter", arrays)
        (place / "model.safetensors").rename(place / "adapter_model.safetensors")
        (place / "adapter_config.json").write_text(json.dumps(config))
        return with_values(audit(str(place)))


def decays() -> Comparison:
    """A conversion of Mamba by llama.cpp in which some exponentials are rounded differently."""
    record = records()["mamba"]
    source = source_of(record)
    target = target_of(record, source)
    decays = target.arrays["blk.0.ssm_a"]
    decays[:3] = np.nextafter(decays[:3], np.float32(0))
    with TemporaryDirectory() as folder:
        before = write(Path(folder) / "before", source, record["config"])
        after = target.save(Path(folder) / "after.gguf")
        return compared_with_values(compare(str(before), str(after)))


def projector(change: Callable[[Written], object]) -> Comparison:
    """A conversion of Qwen2-VL by llama.cpp with a change of its mmproj file."""
    record = records()["qwen2_vl"]
    source = source_of(record)
    towers = target_of(record, source, "projector")
    change(towers)
    with TemporaryDirectory() as folder:
        before = write(Path(folder) / "before", source, record["config"])
        text = target_of(record, source).save(Path(folder) / "text.gguf")
        return compare(str(before), str(text), str(towers.save(Path(folder) / "mmproj.gguf")))


def _without_matrix(file: Written) -> None:
    for part in ("weight", "bias"):
        del file.arrays[f"v.blk.3.ffn_up.{part}"]


def _wider_matrix(file: Written) -> None:
    matrix = file.arrays["v.blk.3.ffn_up.weight"]
    file.arrays["v.blk.3.ffn_up.weight"] = np.concatenate([matrix, matrix[:, :1]], axis=1)


def _as_text(file: Written) -> None:
    file.keys = [("general.architecture", "text", "llama")]


def _some_rows(name: str, first: int, last: int) -> Change:
    def change(arrays: Arrays) -> None:
        arrays[name][first:last] = 0

    return change


def _some_columns(name: str, *columns: int) -> Change:
    def change(arrays: Arrays) -> None:
        arrays[name][:, list(columns)] = 0

    return change


NORM = "model.layers.0.input_layernorm.weight"
EMBEDDING = "model.embed_tokens.weight"
AUDITED: dict[str, Callable[[], Audit]] = {
    "copies-differ": lambda: audited(_other_head, tie_word_embeddings=True),
    "values-not-finite": lambda: audited(_no_number),
    "values-constant": lambda: audited(_zeros),
    "tensor-not-found": lambda: audited(lambda arrays: None, ("*.k_pro.weight",)),
    "data-unwritten": half_written,
    "rows-zero": lambda: audited(_some_rows(DOWN, 0, 30)),
    "rows-unused": lambda: audited(_some_rows(EMBEDDING, TINY["vocab_size"] - 3, TINY["vocab_size"])),
    "columns-zero": lambda: audited(_some_columns(DOWN, *range(8, 32))),
    "columns-unused": lambda: audited(_some_columns(DOWN, 3, 17)),
    "norm-zero": lambda: audited(_some_rows(NORM, 0, TINY["hidden_size"])),
    "copy-equal-in-samples": lambda: sampled(lambda arrays: None),
    "copy-differs-in-samples": lambda: sampled(_other_head),
    "adapter-without-effect": lambda: adapted("lora_B"),
    "modules-without-effect": lambda: adapted("layers.1.self_attn.v_proj.lora_B"),
}
COMPARED: dict[str, Callable[[], Comparison]] = {
    "values-computed": decays,
    "projector-incomplete": lambda: projector(_without_matrix),
    "projector-mismatched": lambda: projector(_wider_matrix),
    "not-a-projector": lambda: projector(_as_text),
    "left-out": without_pooler,
    "not-converted": lambda: to_gguf("llama", pairs=False),
    "values-differ": lambda: compared(_step),
    "values-rounded": lambda: compared(_narrow),
    "values-quantized": lambda: llama_to_gguf(lambda arrays: None, "Q8_0"),
    "rows-reordered": lambda: to_gguf("llama", pairs=True),
    "rows-misordered": lambda: compared(in_halves),
    "values-overflowed": beyond_half,
    "values-unchanged": lambda: compared(_all_but_one),
}
