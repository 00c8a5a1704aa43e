"""What other loaders lack in a folder that mlx-lm wrote: whether `--dequantize` is enough, and which names it leaves.

mlx-lm stores a model as its own class has it (`sanitize` of each model): experts in stacks, convolutions with the
channels last, some modules under other names or divided, and some norms with one added; `mlx_lm.convert --dequantize`
keeps all of this. Measured with mlx-lm 0.32 on 45 types and transformers 5.23, which then leaves the same tensors at
random as for the folder that is not packed. Stacks of experts that are divided into one matrix for each expert load in
5.23 and 4.57 with the same values (Mixtral, OLMoE, Qwen2 and Qwen3 MoE, GLM 4 MoE).
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.architectures.value_rules import QUANTIZATION
from inspector.auditing.layouts_of_mlx import as_stored
from inspector.auditing.loads.given_facts import given_of
from inspector.auditing.loads.quantized import has_packed
from inspector.auditing.result import Audit
from inspector.loader.loaders import MLX_ADAPTERS
from inspector.loading.given import OF_MLX, Given
from inspector.loading.outcome import COMPLETE, FAILURES, RANDOM, REFUSES, UNKNOWN, Load
from inspector.loading.tables import NEWEST
from inspector.loading.transformers import loads
from inspector.matcher.families import Family, families_of
from inspector.quantization.module import FLOATS
from inspector.reconciler.mlx_stacks import experts_apart, of_mlx

OF_MODULE: Final = 3
"""Stacks of one module of experts in mlx-lm, of which transformers 5 holds two: gate and up are one there."""
IN_MEMORY: Final = 2


class WrittenByMlx(Struct, frozen=True):
    """Why another loader fails on a folder of mlx-lm.

    because: in words. packed: only the packing is in its way. read: mlx-lm may read it. apart: the stacks of experts
    and the names of the experts that they are divided into, if nothing else is in its way.
    """

    because: str
    packed: bool
    read: bool
    apart: tuple[tuple[str, str], ...] = ()


def written_by_mlx(audited: Audit, load: Load) -> WrittenByMlx | None:
    """Why a loader fails on a folder that mlx-lm wrote; None for any other folder or cause."""
    own = [one for one in audited.loads if one.loader == MLX_ADAPTERS.name and one.intended]
    config, case = audited.checkpoint.config, audited.case
    if config is None or case is None or not own:
        return None
    packed = has_packed(audited)
    read = given_of(audited, config.values)
    plain = loads(_dequantized(audited, read) if packed else read, NEWEST)
    if packed and plain.outcome not in FAILURES:
        whole = any(one.outcome == COMPLETE for one in own)
        return WrittenByMlx(f"MLX packed the weights: {load.because}", True, True) if whole else None
    if plain.outcome not in (RANDOM, REFUSES) or plain.keys:
        return None
    stacks, turned = _stacks(audited), as_stored(audited.checkpoint) is not None
    experts = plain.missing is not None and plain.missing * OF_MODULE == stacks * IN_MEMORY
    ways = ["packed the weights"] if packed else []
    ways += ["stacked the experts"] if stacks else []
    ways += ["turned convolutions"] if turned else []
    ways += ["renamed tensors"] if plain.outcome == RANDOM and not experts else []
    because = f"MLX {' and '.join([', '.join(ways[:-1]), ways[-1]] if len(ways) > 1 else ways)}"
    pairs = experts_apart(case.plan) if experts and plain.outcome == RANDOM and not packed else ()
    apart = pairs if len(pairs) == OF_MODULE else ()
    found = f"dequantized, {plain.because}" if packed else load.because
    reads = own[0].outcome in (COMPLETE, UNKNOWN)
    return WrittenByMlx(f"{because}: {found}", False, reads, apart)


def _stacks(audited: Audit) -> int:
    """The number of stacks of experts."""
    families = audited.stored if audited.unpacked is None else audited.unpacked.families
    families = families_of(audited.checkpoint.tensors) if families is None else families
    return sum(family.tensors for key, family in families.items() if of_mlx((key,)))


def _dequantized(audited: Audit, given: Given) -> Given:
    """The facts of the folder that `--dequantize` makes of a packed one: the same names, with floats."""
    raw = families_of(audited.checkpoint.tensors)
    logical = {} if audited.unpacked is None else audited.unpacked.families
    stored = {
        key: raw[key] if key in raw and _is_plain(raw[key]) else _as_floats(family) for key, family in logical.items()
    }
    values = {key: value for key, value in (given.values or {}).items() if key not in (QUANTIZATION, OF_MLX)}
    return replace(
        given,
        values=values,
        quantized=None,
        unread="",
        case=None,
        stored=stored,
        unscaled=False,
        stacked=0,
        recorded={},
    )


def _is_plain(family: Family) -> bool:
    return all(one.layout.dtype in FLOATS for one in family.stored)


def _as_floats(family: Family) -> Family:
    stored = tuple(replace(one, layout=replace(one.layout, dtype="BF16")) for one in family.stored)
    return Family(family.key, stored)
