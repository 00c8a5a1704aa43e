"""Values of adapter_config.json that stored names and shapes suggest, by the method of the adapter.

Sources: the tensors of the methods in `method_table.py`. A value is a suggestion: the caller keeps those that explain
every error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import gcd
from typing import Any, Final

from inspector.adapters.matched import module_of
from inspector.adapters.names import PROMPT, tuner_name
from inspector.adapters.peft_configs import defaults_of
from inspector.adapters.targets import texts
from inspector.matcher.families import Families

Values = Mapping[str, Any]
Suggested = Iterator[Mapping[str, Any]]
LARGEST_RANK: Final = 256
"""Largest rank that is tried where a shape does not show the rank."""


OWN_FINDINGS: Final = ("LORA", "ADALORA", "PREFIX_TUNING", "PROMPT_TUNING", "P_TUNING", "CPT", "CARTRIDGE", "VBLORA")
"""Methods with a finding of its own for each setting, and of which a lost part is as likely as another setting."""
WITHOUT_SHAPE: Final = frozenset({
    "inference_mode", "lora_alpha", "alpha", "projection_prng_key", "random_loc_seed", "layers_to_transform", "seed",
    "layerwise_scalings", "adapter_layers",
})  # fmt: skip
"""Keys that change no shape, and those that suggestions would only make unclear."""
MOST_DIMS: Final = 8


def suggested(values: Values, families: Families) -> Suggested:
    """Changes of the config for its method, the simplest first."""
    method = str(values.get("peft_type"))
    if method in BY_METHOD:
        yield from BY_METHOD[method](values, families)
    if method not in OWN_FINDINGS:
        yield from _of_any_key(values, families)
    yield from _as_prompt(values, families)


def _of_any_key(values: Values, families: Families) -> Suggested:
    """The other value of a switch, and the dims of stored tensors for a number."""
    known = defaults_of(values)
    dims = {dim for family in families.values() for part in family.stored for dim in part.layout.shape}
    tried = sorted(dims)[:MOST_DIMS]
    for key, value in values.items():
        if key not in known or key in WITHOUT_SHAPE:
            continue
        if isinstance(value, bool):
            yield {key: not value}
        elif isinstance(value, int) and value > 0:
            yield from ({key: dim} for dim in tried if dim != value)


def _of_ia3(values: Values, families: Families) -> Suggested:
    """Vectors of a row scale the inputs of a module, those of a column its outputs."""
    rows = {
        f".{module_of(key)}"
        for key, family in families.items()
        if key.endswith(".ia3_l") and all(part.layout.shape[:1] == (1,) for part in family.stored)
    }
    listed = values.get("target_modules")
    names = texts(listed) if isinstance(listed, list) else {one.rpartition(".")[2] for one in rows}
    yield {"feedforward_modules": sorted(one for one in names if any(row.endswith(f".{one}") for row in rows))}


def _dims(families: Families, ending: str) -> list[tuple[int, ...]]:
    """The shapes of the tensors with an ending."""
    return sorted({tuple(part.layout.shape) for key, family in families.items() if key.endswith(ending)
                   for part in family.stored})  # fmt: skip


def _of_one_dim(key: str, ending: str, axis: int) -> Callable[[Values, Families], Suggested]:
    """Suggests a dim that all tensors with an ending have."""

    def suggest(values: Values, families: Families) -> Suggested:
        found = {shape[axis] for shape in _dims(families, ending) if shape}
        if len(found) == 1:
            yield {key: found.pop()}

    return suggest


def _of_vblora(values: Values, families: Families) -> Suggested:
    banks = _dims(families, "vblora_vector_bank")
    topk = any(key.endswith("_topk_weights") for key in families)
    kept = {"save_only_topk_weights": topk} if topk is not bool(values.get("save_only_topk_weights")) else {}
    yield kept
    for vectors, length in banks:
        yield {**kept, "vector_length": length}
        yield {**kept, "num_vectors": vectors}
        yield {**kept, "vector_length": length, "num_vectors": vectors}


def _of_lokr(values: Values, families: Families) -> Suggested:
    both = any(key.endswith(".lokr_w1_a") for key in families)
    factors = {shape[0] for shape in _dims(families, ".lokr_w1")}
    yield {"decompose_both": both}
    yield from ({"decompose_both": both, "decompose_factor": factor} for factor in (-1, *sorted(factors)))


def _of_shira(values: Values, families: Families) -> Suggested:
    """The number of trained weights of a module is the rank times the sum of its two widths."""
    common = gcd(*(shape[0] for shape in _dims(families, ".shira_weight") if shape))
    yield from ({"r": rank} for rank in range(1, min(common, LARGEST_RANK) + 1) if common % rank == 0)


def _of_projections(values: Values, families: Families) -> Suggested:
    """Projections that are not stored, which PEFT then makes again from the seed in the config, and another rank."""
    yield {"save_projection": False}
    ranks = {shape[0] for shape in (*_dims(families, "vera_lambda_d"), *_dims(families, ".vera_lambda_d"))}
    for rank, kept in product(sorted(ranks), (True, False)):
        yield {"r": rank} if kept else {"r": rank, "save_projection": False}


def _as_prompt(values: Values, families: Families) -> Suggested:
    """A prompt alone, under the config of another method."""
    if set(families) != {PROMPT} or any(tuner_name(key) for key in families):
        return
    rows = {shape[0] for shape in _dims(families, PROMPT) if shape}
    if len(rows) == 1:
        yield {"peft_type": "PROMPT_TUNING", "num_virtual_tokens": rows.pop()}


def _of_adaption_prompt(values: Values, families: Families) -> Suggested:
    """One prompt and one gate for each of the last layers."""
    gates = sum(family.tensors for key, family in families.items() if key.endswith(".adaption_gate"))
    lengths = {shape[1] for shape in _dims(families, ".adaption_prompt") if len(shape) > 1}
    yield {"adapter_layers": gates}
    yield from ({"adapter_len": length} for length in lengths)


BY_METHOD: Final[Mapping[str, Callable[[Values, Families], Suggested]]] = {
    "ADAPTION_PROMPT": _of_adaption_prompt,
    "IA3": _of_ia3,
    "FOURIERFT": _of_one_dim("n_frequency", ".fourierft_spectrum", 0),
    "C3A": _of_one_dim("block_size", ".c3a_kernel", -1),
    "VBLORA": _of_vblora,
    "LOKR": _of_lokr,
    "SHIRA": _of_shira,
    "VERA": _of_projections,
    "PVERA": _of_projections,
}
"""peft_type -> the changes that its tensors suggest."""
