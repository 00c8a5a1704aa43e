"""For each rule on values a checkpoint on which it fires."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.auditing.values import with_values
from inspector.comparing.checkpoints import compare
from inspector.comparing.result import Comparison
from inspector.comparing.values import compared_with_values
from tests.sparse_models import TINY, llama
from tests.values.written import Arrays, bfloat16, halves_of_pairs, numbers, spec_of, write, write_gguf

KEY = "model.layers.1.self_attn.k_proj.weight"
DOWN = "model.layers.0.mlp.down_proj.weight"
Change = Callable[[Arrays], object]


def model() -> Arrays:
    """A small Llama with random numbers."""
    return numbers(spec_of(dict(llama(TINY))))


def write_llama_gguf(path: Path, arrays: Arrays) -> None:
    """The model as llama.cpp stores it."""
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
            if f".{part}." in name:  # llama.cpp has the rows in pairs
                width = array.shape[0] // number
                stored = array.reshape(number, 2, width // 2, -1).swapaxes(1, 2).reshape(array.shape)
        other = name
        for one, two in names.items():
            other = other.replace(one, two)
        written[other] = stored

    keys: dict[str, int | str] = {
        "general.architecture": "llama", "llama.block_count": TINY["num_hidden_layers"],
        "llama.embedding_length": TINY["hidden_size"], "llama.feed_forward_length": TINY["intermediate_size"],
        "llama.attention.head_count": TINY["num_attention_heads"],
        "llama.attention.head_count_kv": TINY["num_key_value_heads"], "llama.vocab_size": TINY["vocab_size"],
    }  # fmt: skip
    write_gguf(path, keys, written)


def audited(change: Change, **config: object) -> Audit:
    """The model's audit with its numbers, after a change."""
    arrays = model()
    change(arrays)
    with TemporaryDirectory() as folder:
        return with_values(audit(str(write(Path(folder) / "model", arrays, {**TINY, **config}))))


def compared(change: Change) -> Comparison:
    """The model beside itself with a change, numbers and all."""
    after = model()
    change(after)
    with TemporaryDirectory() as folder:
        one, other = write(Path(folder) / "before", model(), TINY), write(Path(folder) / "after", after, TINY)
        return compared_with_values(compare(str(one), str(other)))


def _step(arrays: Arrays) -> None:
    arrays[KEY][3, 5] += np.float32(0.25)


def _narrow(arrays: Arrays) -> None:
    arrays.update({name: bfloat16(array) for name, array in arrays.items()})


def in_halves(arrays: Arrays) -> None:
    """Puts the rows of q and k into halves."""
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


AUDITED: dict[str, Callable[[], Audit]] = {
    "copies-differ": lambda: audited(_other_head, tie_word_embeddings=True),
    "values-not-finite": lambda: audited(_no_number),
    "values-constant": lambda: audited(_zeros),
}
COMPARED: dict[str, Callable[[], Comparison]] = {
    "values-differ": lambda: compared(_step),
    "values-rounded": lambda: compared(_narrow),
    "rows-reordered": lambda: compared(in_halves),
    "values-unchanged": lambda: compared(_all_but_one),
}
