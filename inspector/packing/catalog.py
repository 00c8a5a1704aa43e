"""The schemes by the suffix of their values, and the suffixes that mark a packed module."""

from __future__ import annotations

from typing import Final

from inspector.packing.aqlm import AQLM
from inspector.packing.awq import AWQ, AWQ_GEMV, AWQ_GEMV_FAST
from inspector.packing.bitnet import BITNET, BITNET_ONLINE
from inspector.packing.bitsandbytes import EIGHT, FOUR
from inspector.packing.compressed_tensors import BITMASK
from inspector.packing.compressed_tensors import HALVES as CT_HALVES
from inspector.packing.compressed_tensors import WORDS as CT_WORDS
from inspector.packing.eetq import EETQ
from inspector.packing.exl2 import EXL2
from inspector.packing.exl3 import EXL3
from inspector.packing.fp8 import SCALED, SCALED_BLOCK
from inspector.packing.gptq import GPTQ
from inspector.packing.higgs import HIGGS
from inspector.packing.hqq import HQQ
from inspector.packing.mlx import MLX
from inspector.packing.modelopt import HALVES, OUTPUTS
from inspector.packing.module import FLOAT8, Scheme, Tensors
from inspector.packing.mxfp4 import MXFP4
from inspector.packing.quanto import QUANTO, QUANTO_PACKED
from inspector.packing.quark import QUARK
from inspector.packing.said import Said
from inspector.packing.spqr import SPQR
from inspector.packing.torchao import TORCHAO
from inspector.packing.vptq import VPTQ

SCHEMES: Final[tuple[Scheme, ...]] = (
    AWQ_GEMV_FAST, GPTQ, AWQ, AWQ_GEMV, CT_WORDS, CT_HALVES, BITMASK, FOUR, EIGHT, EETQ, MLX, HIGGS, QUARK, OUTPUTS,
    HALVES, BITNET, SCALED_BLOCK, SCALED, BITNET_ONLINE, MXFP4, TORCHAO, HQQ, QUANTO_PACKED, QUANTO, AQLM, VPTQ, SPQR,
    EXL2, EXL3)  # fmt: skip
"""In the order in which they are tried for one module."""

PLAIN: Final = "weight"
"""The suffix that values share with weights that are not packed."""


def _by_values() -> dict[str, tuple[Scheme, ...]]:
    found: dict[str, tuple[Scheme, ...]] = {}
    for scheme in SCHEMES:
        found[scheme.values] = (*found.get(scheme.values, ()), scheme)
    return found


BY_VALUES: Final = _by_values()
"""Suffix of the values -> the schemes that use it."""
KV_CACHE: Final = frozenset({"k_scale", "v_scale", "kv_scale", "q_scale", "prob_output_scale", "k_zero_point",
                             "v_zero_point"})  # fmt: skip
"""Scales of the cache of keys and values, beside the attention's projections."""
HELPERS: Final = frozenset(suffix for scheme in SCHEMES for suffix in (*scheme.needs, *scheme.may)) | KV_CACHE
"""Suffixes that hold no values in some scheme."""
STRANGE: Final = frozenset({"qweight", "weight_packed", "q_weight", "W_q", "B", "dqweight", "Qidxs", "SU", "SV",
                            "trellis", "tweight", "oweight", "weight_sf"})  # fmt: skip
"""Suffixes that name packed values, also of packings that have no scheme here."""
FOREIGN: Final = frozenset({"s", "s_channel", "s_group", "act_global_scale", "weight_global_scale", "meta", "SU", "SV",
                            "forward_hadamard_matrix", "backward_hadamard_matrix", "workspace", "theta", "pairs",
                            "scale_packed", "Wscale", "codebook_id", "rescale_WH", "fuse_scales"})  # fmt: skip
"""Helpers of packings without a scheme, believed only beside such values."""
PACKED_DTYPES: Final = FLOAT8 | {"U32", "I32", "U8", "I8", "I16", "U16", "F4"}
"""Dtypes that hold packed weights."""


def scheme_of(tensors: Tensors, said: Said) -> Scheme | None:
    """The scheme that recognises the tensors of a module; None where they are not packed, or strangely."""
    for values, schemes in BY_VALUES.items():
        if values in tensors:
            for scheme in schemes:
                if scheme.recognises(tensors, said):
                    return scheme
    return None
