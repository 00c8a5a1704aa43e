"""What an audit knows of the quantization of a checkpoint that decides what loaders do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.algebra.boxes import Box, minus
from inspector.architectures.value_rules import QUANTIZATION
from inspector.auditing.result import CLEAN, Audit
from inspector.findings.finding import Finding
from inspector.loader.dtype import NO_WEIGHTS
from inspector.loading.given import Recorded
from inspector.loading.outcome import ALTERED, RANDOM, REFUSES
from inspector.loading.quantizers import of_text_model
from inspector.loading.tables import NEWEST, OLDER
from inspector.reconciler.ledger import Line


def has_unread_scales(audited: Audit) -> bool:
    """Whether weights are integers beside tensors that nothing reads."""
    if not any(line.layout.dtype in NO_WEIGHTS for line in audited.lines):
        return False
    from inspector.findings.types.dtypes import WeightsNotFloat

    return any(isinstance(one, WeightsNotFloat) and one.helpers for one in audited.findings)


def has_packed(audited: Audit) -> bool:
    """Whether weights are quantized in a way that is understood."""
    return audited.unpacked is not None and any(audited.unpacked.schemes.values())


def stacked_scales(audited: Audit) -> int:
    """The scales that are stored for all experts together while their weights are stored one by one."""
    if audited.unpacked is None or not audited.findings:
        return 0
    from inspector.findings.types.packing_helpers import ExpertScalesStacked

    return sum(one.modules for one in audited.findings if isinstance(one, ExpertScalesStacked))


def is_understood(audited: Audit, values: Mapping[str, Any]) -> bool | None:
    """Whether the quantization of a config is understood and complete; None without one."""
    if "quantization_config" not in values and "quantization" not in values and not of_text_model(values):
        return None
    return audited.unpacked is not None and not any(one.severity == "error" for one in audited.findings)


def _has_nothing_packed(audited: Audit) -> bool:
    """Whether a note says that no weight is packed."""
    from inspector.findings.types.undecided import NothingPacked

    return any(isinstance(one, NothingPacked) for one in audited.findings)


MODELOPT: Final = "modelopt"
OF_MODELOPT: Final = frozenset({
    "fp8", "fp8_per_channel_per_token", "fp8_pb_wo", "nvfp4", "w4a16_nvfp4", "mxfp8", "mixed_precision",
})  # fmt: skip
"""The algorithms of ModelOpt that vLLM has (`QUANT_ALGOS` in `layers/quantization/modelopt.py`).

It takes them from config.json, and without a block there from hf_quant_config.json (`transformers_utils/config.py`).
"""


def is_whole_for_vllm(audited: Audit) -> bool:
    """Whether all weights are as ModelOpt stores them, which vLLM reads and transformers does not."""
    if audited.unpacked is None or audited.verdict != CLEAN:
        return False
    stated = audited.unpacked.settings.base
    return stated.method == MODELOPT and stated.variant in OF_MODELOPT


JOINED: Final = (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"))
"""Linear layers of which vLLM makes one."""
JOINING: Final = frozenset({
    "LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM", "GemmaForCausalLM",
    "Gemma2ForCausalLM", "Gemma3ForCausalLM", "GraniteForCausalLM",
})  # fmt: skip
"""Classes that do so with all of them: `packed_modules_mapping` in vLLM's `models/llama.py` and so on."""


def unlike_joined(audited: Audit) -> tuple[str, str]:
    """Two linear layers that vLLM joins and that are quantized in different ways; two "" where there are none.

    It builds the joined layer by one setting: `load_merged_column_weight` asserts equal shapes, and its methods refuse
    a layer of which only parts are in a list of unquantized ones ("some but not all shards").
    """
    if audited.class_name not in JOINING or audited.unpacked is None or len(_ways(audited)) < 2:
        return "", ""
    ways: dict[tuple[str, str], list[tuple[tuple[Box, ...], object]]] = {}
    for line in audited.lines:
        stem, _, last = line.family.removesuffix(".weight").rpartition(".")
        if any(last in names for names in JOINED):
            ways.setdefault((stem, last), []).append((line.boxes, _way(line)))
    for (stem, last), parts in ways.items():
        names = next(names for names in JOINED if last in names)
        first = ways.get((stem, names[0]), [])
        for boxes, way in parts:
            if any(way != other and minus(boxes, minus(boxes, there)) for there, other in first):
                return f"{stem}.{names[0]}".rpartition(".")[2], last
    return "", ""


def _ways(audited: Audit) -> set[object]:
    """The ways in which linear layers that are joined are stored."""
    names = tuple(f".{name}.weight" for joined in JOINED for name in joined)
    return {_way(line) for line in audited.lines if line.family.endswith(names)}


def _way(line: Line) -> object:
    packed = line.packed
    return None if packed is None else (packed.scheme, packed.bits, packed.group_size)


def refused_if_read(audited: Audit) -> str:
    """Why vLLM refuses weights in a quantization that it reads; "" where it does not."""
    one, other = unlike_joined(audited)
    return f"it joins {one} and {other}, which are quantized in different ways" if one else ""


PACKED_BY_NAME: Final = "mxfp4"
"""The method of which vLLM's experts are packed, whatever is stored."""
STORAGE: Final = "bnb_4bit_quant_storage"
"""The dtype in which four-bit numbers are stored: vLLM's loader of bitsandbytes raises for any but bytes."""


def has_block_too_many(audited: Audit, values: Mapping[str, Any]) -> bool:
    """Whether vLLM reads the weights without the quantization block alone: plain experts under one of mxfp4."""
    block = values.get(QUANTIZATION)
    return isinstance(block, Mapping) and block.get("quant_method") == PACKED_BY_NAME and _has_nothing_packed(audited)


def refused_by_vllm(audited: Audit, values: Mapping[str, Any]) -> str:
    """Why vLLM refuses a quantization that transformers reads; "" where it does not.

    Its experts of a block for mxfp4 have packed numbers only (`models/gpt_oss.py`), transformers packs plain ones.
    """
    block = values.get(QUANTIZATION)
    if has_block_too_many(audited, values):
        return "the block says mxfp4, and the experts are stored plain"
    storage = block.get(STORAGE) if isinstance(block, Mapping) and block.get("load_in_4bit") else None
    return "" if storage in (None, "uint8") else f"it reads four-bit numbers from uint8 only, not {STORAGE} {storage}"


WORDS: Final = "pack-quantized"
WITHOUT_WEIGHT: Final = frozenset({WORDS, "nvfp4", "mxfp4"})
"""Schemes of compressed-tensors whose layers have `weight_packed` in place of a weight."""
OF_TENSOR: Final = frozenset({"fp8", "fp8-block", "int8"})
"""Its schemes whose layers have a weight, and scales beside it."""
FOUR_BIT: Final = frozenset({"nf4", "fp4"})
CODES_ALONE: Final = "it takes packed values for weights where nothing beside them says that they are quantized"
STATE: Final = "quant_state."
ABSMAX: Final = "weight.absmax"
ZEROS: Final = ".weight_zero_point"
SCALE: Final = ".weight_scale"
DEQUANTIZE: Final = "dequantize"
"""The key of a block with which version 5 builds plain layers, and computes their weights while it loads."""
REPLACES: Final = frozenset({"awq"})
"""Methods whose quantized layers have no weight, so that a plain one is not read.

Measured with transformers 5.23 and a stand-in for GPTQModel's layer.
"""
EXPERTS: Final = ".experts."
PACKED_ZEROS: Final = {
    NEWEST: Recorded(
        REFUSES, "it expects zero points that are not packed, and those of the file are", (DEQUANTIZE, True)
    ),
    OLDER: Recorded(ALTERED, "it leaves the packed zero points unread"),
}
"""Version 5.17 loads them, 5.23 with compressed-tensors 0.19 and 0.20 does not, 4.57 was measured with 0.13."""


def recorded(audited: Audit) -> Mapping[str, Recorded]:
    """What major versions of transformers do with quantized weights, where it was measured.

    Measured with transformers 5.23, compressed-tensors 0.20 and bitsandbytes 0.50, and files that llm-compressor 0.14
    and bitsandbytes wrote; empty for all others.
    """
    if audited.unpacked is None:
        return {}
    errors = [one for one in audited.findings if one.severity == "error"]
    if not errors:
        if _packs_zeros(audited):
            return _of_packed_zeros(audited)
        from inspector.auditing.merged_experts import unread_experts

        if (experts := unread_experts(audited)) is not None:
            return {NEWEST: experts}
        if audited.unpacked.settings.base.method not in REPLACES:
            return {}
        from inspector.auditing.unfound_entries import plain_for_newest

        unread = plain_for_newest(audited)
        return {} if unread is None else {NEWEST: unread}
    found = _with_error(audited, errors[0]) if len(errors) == 1 else None
    return {} if found is None else {NEWEST: found}


def _with_error(audited: Audit, error: Finding) -> Recorded | None:
    """What version 5 does with quantized weights of which one thing is wrong."""
    from inspector.findings.types.packed import PackingHelperMissing
    from inspector.findings.types.unpacked import TiedHeadNotExcluded

    if isinstance(error, TiedHeadNotExcluded) and error.scheme in WITHOUT_WEIGHT:
        return Recorded(REFUSES, f"{error.head} is tied, and its quantized layer has no weight")
    if isinstance(error, TiedHeadNotExcluded) and error.scheme in OF_TENSOR:
        return Recorded(RANDOM, f"{error.head}.weight_scale is not in the file")
    if isinstance(error, PackingHelperMissing) and error.scheme in FOUR_BIT:
        return _without_state(audited, error.helper)
    return None


def _of_packed_zeros(audited: Audit) -> Mapping[str, Recorded]:
    """What both versions do with packed zero points. Of experts, version 5 does not compute the weights either."""
    config = audited.checkpoint.config
    block = None if config is None else config.values.get(QUANTIZATION)
    if any(EXPERTS in line.family for line in audited.lines):
        return {major: one._replace(setting=None) for major, one in PACKED_ZEROS.items()}
    plain = isinstance(block, Mapping) and block.get(DEQUANTIZE) is True
    return {major: one for major, one in PACKED_ZEROS.items() if not (plain and one.setting)}


def _packs_zeros(audited: Audit) -> bool:
    """Whether zero points of compressed-tensors are packed along the outputs, of which they then have fewer rows."""
    if audited.unpacked is None or not audited.unpacked.schemes.get(WORDS):
        return False
    rows = {one.key: one.layout.shape[-2] for one in audited.unpacked.helpers
            if one.scheme == WORDS and one.key.endswith((ZEROS, SCALE)) and len(one.layout.shape) > 1}  # fmt: skip
    scaled = ((count, rows.get(key.removesuffix(ZEROS) + SCALE)) for key, count in rows.items() if key.endswith(ZEROS))
    return any(outputs is not None and count < outputs for count, outputs in scaled)


def _without_state(audited: Audit, helper: str) -> Recorded | None:
    """What becomes of weights of four bits where tensors beside them are missing. helper: the first that is."""
    if helper.startswith(f"weight.{STATE}"):
        return Recorded(REFUSES, "an error in the conversion of weights without quant_state")
    names = audited.checkpoint.tensors
    described = {name.partition(".weight.")[0] for name in names if ".weight." in name}
    bare = [name for name, layout in names.items() if layout.dtype == "U8" and name.endswith(".weight")]
    alone = any(name.removesuffix(".weight") not in described for name in bare)
    partly = any(f"{stem}.{ABSMAX}" not in names for stem in described)
    return Recorded(ALTERED, CODES_ALONE) if helper == ABSMAX and alone and not partly else None


def why_unread(audited: Audit) -> str:
    """Why it is open what a loader does with quantized weights that are not understood or have errors."""
    if audited.unpacked is None:
        return "the quantization was not understood"
    return "what it does with quantized weights that have errors was not recorded"
