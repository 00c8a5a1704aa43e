"""Table of the tensors that PEFT's smaller methods store for one matrix of the base: endings and shapes.

Sources: the constructors of the tuners' layers in PEFT 0.21, checked against the files that it saves
(fixtures/adapters). A dim is an expression over `inputs` and `outputs` of the matrix (of a convolution: its inputs with
the kernel), `rank` and keys of the adapter's config; it is unknown if one of these is. `biased`: 1 if the module has a
bias. `?` is a dim that headers do not determine, `kernel` the dims of a convolution's kernel and `ones` as many dims of
size 1. `widest_inputs` and `widest_outputs` are the largest of all targets, `share` is a part of a budget for all of
them. `a or b` are two sizes that PEFT uses and the config does not distinguish.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Any, Final

from msgspec import Struct

from inspector.algebra.evaluation import evaluator
from inspector.algebra.expression import Node, parse
from inspector.algebra.values import Value, truth, whole

FACTORS: Final = "1 or boft_n_butterfly_factor"
"""Number of BOFT's successive rotations: without its CUDA extension PEFT creates one, for any stated number."""
BLOCKS: Final = "boft_block_num when boft_block_num > 0 | inputs / boft_block_size"
WIDE: Final = "min(inputs, outputs)"
BASES: Final = f"({WIDE} + rank - 1) // rank"
TINY: Final = f"min(rank, {WIDE})"
LOW: Final = f"{WIDE} - preserved"
SAVED: Final = "if save_projection"

ENTRIES: Final = "max(1, min(floor(inputs*inputs*sparse_rate), inputs*inputs - inputs))"
SPARSE: Final = f"{ENTRIES} when sparse_rate > 0 | 0 when sparse_rate == 0"
NARROWER: Final = "min(widest_inputs, widest_outputs)"
SHARED_BASES: Final = f"({NARROWER} + rank - 1) // rank"
RANDOM: Final = (
    ("=randlora_A", "rank", "1", NARROWER, SAVED),
    ("=randlora_B", "max(widest_inputs, widest_outputs)", SHARED_BASES, "rank", SAVED),
)  # fmt: skip
"""RandLora's frozen matrices: one pair for all modules, saved with each module and once separately."""
HIDDEN: Final = "update_hidden_size | rank"
KEPT: Final = "max(1, floor(inputs * outputs * (1 - sparsity)))"

LINEAR: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "adaption_prompt": (("adaption_prompt", "1", "adapter_len", "inputs"), ("adaption_gate", "1")),
    "beft": (("beft_bias", "1", "outputs"),),
    "boft": (
        ("boft_R", FACTORS, BLOCKS, f"inputs / ({BLOCKS})", f"inputs / ({BLOCKS})"),
        ("boft_s", "outputs", "1"),
    ),
    "bone": (
        ("bone_block", "rank", "outputs", "if init_weights != 'bat'"),
        ("bone_block", "outputs / rank", "rank", "rank", "if init_weights == 'bat'"),
    ),
    "c3a": (("c3a_kernel", "outputs / rank", "inputs / rank", "rank"),),
    "deft": (("deft_P", "outputs", "rank"), ("deft_R", "rank", "inputs", "if not para")),
    "delora": (
        ("delora_A", "rank", "inputs"), ("delora_B", "outputs", "rank"), ("delora_lambda", "1"),
        ("=delora_w_norm", "inputs"),
    ),
    "fourierft": (("fourierft_spectrum", "rank"),),
    "frod": (("frod_lambda_l", "inputs"), ("frod_lambda_s_values", SPARSE)),
    "glora": (
        *(row for side in "AB" for row in (
            (f"glora_{side}.Xd", "outputs", "rank", "if config_A_B == 'lora'"),
            (f"glora_{side}.Xu", "rank", "inputs", "if config_A_B == 'lora'"),
            (f"glora_{side}.X", "outputs", "1", "if config_A_B == 'vector'"),
            (f"glora_{side}.X", "1", "if config_A_B == 'constant'"),
            (f"=glora_{side}.zeros", "outputs", "inputs", "if config_A_B == 'none'"),
        )),
        ("glora_C.Xd", "inputs", "rank", "if biased and config_C == 'lora'"),
        ("glora_C.Xu", "rank", "1", "if biased and config_C == 'lora'"),
        ("glora_C.X", "inputs", "1", "if biased and config_C == 'vector'"),
        ("=glora_C.zeros", "inputs", "1", "if not biased or config_C == 'none'"),
        *(row for side in "DE" for row in (
            (f"glora_{side}.X", "outputs", "if biased and config_D_E == 'vector'"),
            (f"glora_{side}.X", "1", "if biased and config_D_E == 'constant'"),
            (f"=glora_{side}.zeros", "outputs", "if not biased or config_D_E == 'none'"),
        )),
    ),
    "gralora": (
        ("gralora_A", "gralora_k", "inputs / gralora_k", "rank"),
        ("gralora_B", "gralora_k", "rank", "outputs / gralora_k"),
        ("gralora_A_general.weight", "hybrid_r", "inputs", "if hybrid_r > 0"),
        ("gralora_B_general.weight", "outputs", "hybrid_r", "if hybrid_r > 0"),
    ),
    "hira": (("hira_A", "rank", "inputs"), ("hira_B", "outputs", "rank")),
    "hra": (("hra_u", "inputs", "rank"),),
    "miss": (
        ("miss_block", "rank", "outputs", "if init_weights != 'bat' and init_weights != 'mini'"),
        ("miss_block", "outputs / rank", "rank", "rank", "if init_weights == 'bat'"),
        ("miss_block", "rank", "mini_r", "if init_weights == 'mini'"),
    ),
    "osf": (
        ("osf_svd_params.S_low", LOW), ("osf_svd_params.U_low", "outputs", LOW),
        ("osf_svd_params.V_low", LOW, "inputs"),
    ),
    "lily": (
        ("lily_A.weight", "rank", "inputs"), ("lily_B.weight", "num_B * rank", "outputs"),
        ("lily_router.weight", "num_B", "rank"),
    ),
    "peanut": (("peanut_A.weight", "rank", "outputs"), ("peanut_B.weight", "outputs", "rank")),
    "poly": (
        ("poly_lora_A", "n_splits", "n_skills", "inputs / n_splits", "rank"),
        ("poly_lora_B", "n_splits", "n_skills", "rank", "outputs / n_splits"),
        ("poly_router.module_logits", "n_tasks", "n_splits * n_skills"),
    ),
    "psoft": (
        ("psoft_R.weight", "rank * (rank - 1) / 2", "if psoft_orth"),
        ("psoft_R.weight", "rank", "rank", "if not psoft_orth"),
        ("psoft_R.vector_a", "rank", "if psoft_mag_a"), ("psoft_R.vector_b", "rank", "if psoft_mag_b"),
    ),
    "pvera": (("pvera_lambda_b", "outputs"), ("pvera_lambda_d", "2 * rank")),
    "randlora": (
        ("randlora_lambda", "rank", BASES), ("randlora_gamma", BASES, WIDE), *RANDOM,
    ),
    "road": tuple(
        (name, size, f"if variant == '{variant}'")
        for variant, size in (("road_1", "outputs / 2"), ("road_2", "outputs"), ("road_4", "2 * outputs"))
        for name in ("road_theta", "road_alpha")
    ),
    "shadow": (
        ("shadow_down.default.weight", "rank", "inputs"), ("shadow_up.default.weight", "inputs", "rank"),
        *(row for network in ("transform", "gate") for row in (
            (f"shadow_update_{network}.default.0.weight", HIDDEN, "inputs"),
            (f"shadow_update_{network}.default.0.bias", HIDDEN),
            (f"shadow_update_{network}.default.2.weight", "inputs", HIDDEN),
            (f"shadow_update_{network}.default.2.bias", "inputs"),
        )),
    ),
    "shira": (("shira_weight", "rank * (inputs + outputs)"), ("=shira_indices", "2", "rank * (inputs + outputs)")),
    "supertuning": (
        ("supertuning_lora_A.weight", "rank", "inputs", "if rank"),
        ("supertuning_lora_B.weight", "outputs", "rank", "if rank"), ("supertuning_values", KEPT),
        ("=supertuning_indices", KEPT, "if save_precomputed_indices"),
    ),
    "tinylora": (
        ("=tinylora_A", TINY, "inputs"), ("=tinylora_B", "outputs", TINY),
        ("=tinylora_P", "u", TINY, TINY, SAVED),
    ),
    "unilora": tuple(
        (f"=unilora_{what}_{side}", *dims, "if save_indices")
        for side, dims in (("A", ("rank", "inputs")), ("B", ("outputs", "rank")))
        for what in ("indices", "scales")
    ),
    "vblora": tuple(
        (f"vblora_logits_{side}{part}", *dims, last, f"if {kept}save_only_topk_weights")
        for side, dims in (("A", ("rank", "inputs / vector_length")), ("B", ("outputs / vector_length", "rank")))
        for part, last, kept in (
            ("", "num_vectors", "not "), ("_topk_indices", "topk", ""), ("_topk_weights", "topk - 1", ""),
        )
    ),
    "waveft": (("waveft_spectrum", "rank", "if not proportional_parameters"),
               ("waveft_spectrum", "share", "if proportional_parameters")),
}  # fmt: skip
"""Method -> (ending, dims ..., condition). An ending after "=" is saved and not trained; the condition is optional."""

SHARED: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "pvera": (("=pvera_A", "2 * rank", "widest_inputs", SAVED), ("=pvera_B", "widest_outputs", "rank", SAVED)),
    "randlora": RANDOM,
    "tinylora": (("tinylora_v.#", "u"),),
    "unilora": (("unilora_theta_d", "theta_d_length"),),
    "vblora": (("vblora_vector_bank", "num_vectors", "vector_length"),),
    "vera": (("=vera_A", "rank", "widest_inputs", SAVED), ("=vera_B", "widest_outputs", "rank", SAVED)),
}
"""Method -> the tensors that it saves once for all modules, below `base_model.`."""

CATEGORIES: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "frod": (
        ("=frod_V", "inputs", "inputs", SAVED),
        ("=frod_s_indices", "2", SPARSE, SAVED),
        ("=frod_s_size", "2", SAVED),
    ),
}
"""Method -> the tensors that it saves once for the modules of one name in all layers, below `base_model.` and before
that name.
"""

RANKS: Final[Mapping[str, tuple[str, str]]] = {
    "c3a": ("block_size", "block_size_pattern"),
    "fourierft": ("n_frequency", "n_frequency_pattern"),
    "waveft": ("n_frequency", "n_frequency_pattern"),
}
"""Method -> the keys that it uses instead of `r` and `rank_pattern`."""

CONVOLUTIONS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "boft": (*LINEAR["boft"][:1], ("boft_s", "1", "outputs")),
    "hira": (("hira_A", "rank", "channels", "kernel"), ("hira_B", "outputs", "rank", "ones")),
    "hra": LINEAR["hra"],
}
"""Methods of the table that change convolutions, with the kernel counted in the inputs; `channels` are the inputs
without it.
"""
TABLES: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "hira": (("hira_embedding_A", "rank", "inputs"), ("hira_embedding_B", "outputs", "rank")),
    "tinylora": (
        ("=tinylora_A", TINY, "outputs"), ("=tinylora_B", "inputs", TINY), ("=tinylora_P", "u", TINY, TINY, SAVED),
    ),
}  # fmt: skip
"""Methods of the table that change embeddings; `inputs` is the number of rows of an embedding."""


class MethodTensor(Struct, frozen=True):
    """A tensor of the table with its shape in numbers. others: equally valid shapes. frozen: saved, and not trained."""

    ending: str
    shape: tuple[int | None, ...]
    frozen: bool
    rank_axis: int | None
    others: tuple[tuple[int | None, ...], ...] = ()


class _Words:
    """Values of the words in an expression, from the matrix and the adapter's config."""

    def __init__(self, values: Mapping[str, Any], own: Mapping[str, int | None]) -> None:
        self._values, self._own = values, own

    def word(self, path: tuple[str, ...]) -> Value:
        """The value of a name, None if it is unknown."""
        name = ".".join(path)
        found = self._own[name] if name in self._own else self._values.get(name)
        return found if isinstance(found, bool | int | float | str) else None

    def index(self, hole: str) -> int | None:
        """The table has no indices."""
        return None

    def enter(self, hole: str, index: int | None) -> int | None:
        """The table has no indices."""
        return None

    def fault(self, kind: str, node: Node, detail: str, rounded: int | None = None) -> int | None:
        """Makes a dim unknown if it is not a whole number."""
        return None


@cache
def _parsed(text: str) -> Node:
    return parse(text)


def rows_of(
    rows: tuple[tuple[str, ...], ...],
    values: Mapping[str, Any],
    own: Mapping[str, int | None],
    kernel: tuple[int | None, ...] = (),
) -> Iterator[MethodTensor]:
    """The rows with a true condition. own: the numbers of the matrix, None if unknown."""
    words = _Words(values, own)
    for ending, *dims in rows:
        condition = dims.pop().removeprefix("if ") if dims[-1].startswith("if ") else "true"
        if not truth(evaluator(_parsed(condition))(words)):
            continue
        shapes = tuple(
            tuple(size for dim in chosen for size in _sizes(dim, words, kernel))
            for chosen in product(*(dim.split(" or ") for dim in dims))
        )
        axis = dims.index("rank") if "rank" in dims else None
        others = tuple(dict.fromkeys(one for one in shapes[1:] if one != shapes[0]))
        yield MethodTensor(ending.lstrip("="), shapes[0], ending.startswith("="), axis, others)


def _sizes(dim: str, words: _Words, kernel: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """The sizes for a dim of the table."""
    if dim in ("kernel", "ones"):
        return kernel if dim == "kernel" else (1,) * len(kernel)
    return (None if dim == "?" else whole(evaluator(_parsed(dim))(words)),)


def with_rank(method: str, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The config with the method's own number, such as the size of its blocks, under the key of the rank."""
    if method not in RANKS:
        return values
    number, pattern = RANKS[method]
    return {**values, "r": values.get(number), "rank_pattern": values.get(pattern)}
