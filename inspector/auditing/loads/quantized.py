"""Facts on the quantization of an audited checkpoint that decide what loaders do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.algebra.boxes import Box, minus
from inspector.architectures.value_rules import QUANTIZATION
from inspector.auditing.loads.built_plain import refused_plain
from inspector.auditing.loads.single_experts import APART, has_single_experts
from inspector.auditing.result import CLEAN, Audit
from inspector.findings.finding import Finding
from inspector.loader.dtype import NO_WEIGHTS
from inspector.loading.block_values import wrong_value
from inspector.loading.given import Recorded
from inspector.loading.outcome import ALTERED, RANDOM, REFUSES, UNKNOWN, Load
from inspector.loading.quantizers import PROGRAMS, of_text_model
from inspector.loading.tables import NEWEST, OLDER
from inspector.reconciler.ledger import Line


def has_unread_scales(audited: Audit) -> bool:
    """True if weights are stored as integers next to tensors that no loader reads."""
    if not any(line.layout.dtype in NO_WEIGHTS for line in audited.lines):
        return False
    from inspector.findings.types.dtypes import WeightsNotFloat

    return any(isinstance(one, WeightsNotFloat) and one.helpers for one in audited.findings)


def has_packed(audited: Audit) -> bool:
    """True if weights are quantized in a known way."""
    return audited.unpacked is not None and any(audited.unpacked.schemes.values())


def takes_packed(audited: Audit) -> bool:
    """True if weights are packed that a loader without quantization takes for values: not only a copy that it leaves
    out.
    """
    if not has_packed(audited):
        return False
    from inspector.findings.types.block import QuantizedCopyLeft

    return not any(isinstance(one, QuantizedCopyLeft) for one in audited.findings)


def stacked_scales(audited: Audit) -> int:
    """The number of scales that are stored for all experts together although the weights are stored for each expert."""
    if audited.unpacked is None or not audited.findings:
        return 0
    from inspector.findings.types.packing_helpers import ExpertScalesStacked

    return sum(one.modules for one in audited.findings if isinstance(one, ExpertScalesStacked))


def is_understood(audited: Audit, values: Mapping[str, Any]) -> bool | None:
    """True if the quantization in a config is understood and complete; None without quantization."""
    if "quantization_config" not in values and "quantization" not in values and not of_text_model(values):
        return None
    return audited.unpacked is not None and not any(one.severity == "error" for one in audited.findings)


def has_nothing_packed(audited: Audit) -> bool:
    """True if a note says that no weight is packed."""
    from inspector.findings.types.undecided import NothingPacked

    return any(isinstance(one, NothingPacked) for one in audited.findings)


MODELOPT: Final = "modelopt"
OF_MODELOPT: Final = frozenset({
    "fp8", "fp8_per_channel_per_token", "fp8_pb_wo", "nvfp4", "w4a16_nvfp4", "mxfp8", "mixed_precision",
})  # fmt: skip
"""The algorithms of ModelOpt that vLLM supports (`QUANT_ALGOS` in `layers/quantization/modelopt.py`).

vLLM reads the algorithm from config.json, and without a block there from hf_quant_config.json
(`transformers_utils/config.py`).
"""


def is_whole_for_vllm(audited: Audit) -> bool:
    """True if all weights are stored as ModelOpt writes them, or with the old key of compressed-tensors, which vLLM
    reads and transformers does not.
    """
    if audited.unpacked is None:
        return False
    if audited.verdict != CLEAN:
        return _is_renamed_alone(audited)
    stated = audited.unpacked.settings.base
    return stated.method == MODELOPT and stated.variant in OF_MODELOPT


def _is_renamed_alone(audited: Audit) -> bool:
    """True if the only fault is the old key of the quantization, which vLLM reads."""
    from inspector.findings.types.block import QuantizationBlockRenamed

    wrong = [one for one in audited.findings if one.severity != "note"]
    return bool(wrong) and all(isinstance(one, QuantizationBlockRenamed) for one in wrong)


JOINED: Final = (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"))
"""Linear layers that vLLM joins into one."""
JOINING: Final = frozenset({
    "LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM", "GemmaForCausalLM",
    "Gemma2ForCausalLM", "Gemma3ForCausalLM", "GraniteForCausalLM",
})  # fmt: skip
"""Classes in which vLLM joins all of these layers: `packed_modules_mapping` in vLLM's `models/llama.py` and others."""


def unlike_joined(audited: Audit) -> tuple[str, str]:
    """Two linear layers that vLLM joins and that are quantized in different ways; ("", "") without such layers.

    vLLM builds the joined layer with one setting: `load_merged_column_weight` asserts equal shapes, and its methods
    refuse a layer of which only parts are in a list of unquantized ones ("some but not all shards").
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
    """The ways in which linear layers that vLLM joins are stored."""
    names = tuple(f".{name}.weight" for joined in JOINED for name in joined)
    return {_way(line) for line in audited.lines if line.family.endswith(names)}


def _way(line: Line) -> object:
    packed = line.packed
    return None if packed is None else (packed.scheme, packed.bits, packed.group_size)


def refused_if_read(audited: Audit) -> str:
    """The reason for which vLLM refuses weights in a quantization that it reads; "" if it accepts them."""
    one, other = unlike_joined(audited)
    if one:
        return f"it joins {one} and {other}, which are quantized in different ways"
    return refused_plain(audited)


PACKED_BY_NAME: Final = "mxfp4"
"""The method for which vLLM's experts are always packed, even if plain ones are stored."""


def has_block_too_many(audited: Audit, values: Mapping[str, Any]) -> bool:
    """True if vLLM reads the weights only without the quantization block: plain experts under a block of mxfp4."""
    block = values.get(QUANTIZATION)
    return isinstance(block, Mapping) and block.get("quant_method") == PACKED_BY_NAME and has_nothing_packed(audited)


def refused_by_vllm(audited: Audit, values: Mapping[str, Any]) -> str:
    """The reason for which vLLM refuses a quantization that transformers reads; "" if it accepts it.

    vLLM's experts under a block of mxfp4 hold only packed numbers (`models/gpt_oss.py`); transformers packs plain ones.
    """
    if has_block_too_many(audited, values):
        return "the block says mxfp4, and the experts are stored plain"
    if audited.findings:
        from inspector.findings.types.own_program import QuantizationStatedInside
        from inspector.findings.types.parallel_groups import JoinedApart

        if any(isinstance(one, QuantizationStatedInside) for one in audited.findings):
            return "it looks for quantization_config at the top of config.json and in text_config"
        apart = next((one for one in audited.findings if isinstance(one, JoinedApart)), None)
        if apart is not None:
            return f"it joins {apart.names()}, which are quantized in different ways"
    return ""


WORDS: Final = "pack-quantized"
WITHOUT_WEIGHT: Final = frozenset({WORDS, "nvfp4", "mxfp4"})
"""Schemes of compressed-tensors with layers that have `weight_packed` instead of a weight."""
OF_TENSOR: Final = frozenset({"fp8", "fp8-block", "int8"})
"""Schemes of compressed-tensors with layers that have a weight and separate scales."""
FOUR_BIT: Final = frozenset({"nf4", "fp4"})
CODES_ALONE: Final = "it takes packed values for weights where nothing beside them says that they are quantized"
STATE: Final = "quant_state."
ABSMAX: Final = "weight.absmax"
ZEROS: Final = ".weight_zero_point"
SCALE: Final = ".weight_scale"
DEQUANTIZE: Final = "dequantize"
"""The key of a block that lets version 5 build plain layers and compute their weights while loading."""
REPLACES: Final = frozenset({"awq", "compressed-tensors"})
"""Methods with quantized layers that do not read a plain weight, or have a scale that is then not initialised.

Measured with transformers 5.23 and a stand-in for GPTQModel's layer, and with compressed-tensors 0.19.
"""
BY_NAME: Final = "compressed-tensors"
"""The method with a library that compares whole names of modules, in both versions."""
OTHER_NAMES: Final = "it may have other names for modules of the list of unquantized modules, too"
"""Measured with 4.57.6 and compressed-tensors 0.13 for Qwen2.5-VL: it refuses packed weights, and has random scales."""
PLAIN_EXPERTS: Final = "it may build the plain experts quantized, as linear layers of their own"
"""`replace_with_awq_linear` of 4.57 and the quantizers of optimum replace every linear layer of a block."""
UNMEASURED: Final = "it was not measured with packed layers of this type"
EXPERTS: Final = ".experts."
PACKED_ZEROS: Final = {
    NEWEST: Recorded(
        REFUSES, "it expects zero points that are not packed, and those of the file are", (DEQUANTIZE, True)
    ),
    OLDER: Recorded(ALTERED, "it leaves the packed zero points unread"),
}
"""Version -> its behaviour on packed zero points. Version 5.17 loads them, 5.23 with compressed-tensors 0.19 and 0.20
does not, 4.57 was measured with 0.13.
"""


def recorded(audited: Audit) -> Mapping[str, Recorded]:
    """Major version of transformers -> its measured behaviour on quantized weights; empty where it is not known."""
    errors = [one for one in audited.findings if one.severity == "error"]
    if len(errors) == 1:
        from inspector.findings.types.torchao import REFUSAL, TensorEntriesMissing

        if isinstance(errors[0], TensorEntriesMissing):
            return {NEWEST: Recorded(REFUSES, REFUSAL)}
    if not errors and audited.unpacked is not None and has_single_experts(audited):
        return dict.fromkeys((NEWEST, OLDER), Recorded(RANDOM, APART))
    return _measured(audited)


def _measured(audited: Audit) -> Mapping[str, Recorded]:
    """Major version of transformers -> its measured behaviour on quantized weights.

    Measured with transformers 5.23, compressed-tensors 0.20 and bitsandbytes 0.50, and files that llm-compressor 0.14
    and bitsandbytes wrote; empty for all others.
    """
    if audited.unpacked is None:
        return {}
    errors = [one for one in audited.findings if one.severity == "error"]
    if not errors:
        if _packs_zeros(audited):
            return _of_packed_zeros(audited)
        if by_block := _by_block(audited):
            return by_block
        from inspector.auditing.quantized.merged_experts import unread_experts
        from inspector.auditing.quantized.unread_methods import unread_method

        if unread := unread_method(audited):
            return unread
        from inspector.auditing.quantized.awq_settings import refused_settings

        if refused := refused_settings(audited):
            return refused
        if (experts := unread_experts(audited)) is not None:
            return {NEWEST: experts}
        from inspector.auditing.quantized.single_experts import unread_stacks

        if (stacks := unread_stacks(audited)) is not None:
            return {NEWEST: stacks, OLDER: Recorded(UNKNOWN, UNMEASURED)}
        from inspector.auditing.quantized.own_linear import in_own_linear
        from inspector.auditing.quantized.torchao_names import undivided

        if (left_plain := in_own_linear(audited)) is not None:
            return {NEWEST: left_plain}

        if (unread_names := undivided(audited)) is not None:
            return {NEWEST: unread_names, OLDER: unread_names}
        from inspector.auditing.quantized.initialised_weights import unset_weight

        if (unset := unset_weight(audited)) is not None:
            return {NEWEST: unset, OLDER: Recorded(UNKNOWN, UNMEASURED)}
        from inspector.auditing.loads.plain_experts import has_plain_experts_apart

        older = {OLDER: Recorded(UNKNOWN, PLAIN_EXPERTS)} if has_plain_experts_apart(audited) else {}
        if audited.unpacked.settings.base.method not in REPLACES:
            return older
        from inspector.auditing.quantized.unfound_entries import found_by_newest_only, plain_for_newest
        from inspector.auditing.quantized.unscaled_activations import unscaled_activations

        if (unscaled := unscaled_activations(audited)) is not None:
            return {NEWEST: unscaled}
        unfound = plain_for_newest(audited)
        if unfound is None:
            return {OLDER: Recorded(UNKNOWN, OTHER_NAMES)} if found_by_newest_only(audited) else older
        by_name = audited.unpacked.settings.base.method == BY_NAME
        return {NEWEST: unfound, OLDER: Recorded(UNKNOWN, OTHER_NAMES)} if by_name else {NEWEST: unfound}
    found = _with_error(audited, errors[0]) if len(errors) == 1 else None
    return {} if found is None else {NEWEST: found}


def _by_block(audited: Audit) -> Mapping[str, Recorded]:
    """Version -> its behaviour, for blocks that it refuses whatever is stored under them, or with plain experts."""
    twice, config = _in_both_widths(audited), audited.checkpoint.config
    if twice is None and config is not None and (wrong := wrong_value(config.values)) is not None:
        twice = Recorded(REFUSES, *wrong)
    if twice is not None:
        return {NEWEST: twice, OLDER: twice}
    if config is not None and has_block_too_many(audited, config.values):
        return {OLDER: Recorded(REFUSES, "it looks for packed experts, and they are stored plain")}
    return {}


def _in_both_widths(audited: Audit) -> Recorded | None:
    """The behaviour of both versions on a block of bitsandbytes with both switches on, which `BitsAndBytesConfig`
    refuses; None for any other block.
    """
    config, unpacked = audited.checkpoint.config, audited.unpacked
    block = None if config is None else config.values.get(QUANTIZATION)
    if unpacked is None or unpacked.settings.base.method != "bitsandbytes" or not isinstance(block, Mapping):
        return None
    from inspector.findings.types.packing_config import SWITCHES

    if not all(block.get(key) for key in SWITCHES.values()):
        return None
    unused = SWITCHES[4 if unpacked.schemes.get("llm-int8") else 8]
    return Recorded(REFUSES, f"{' and '.join(SWITCHES.values())} are both true", (unused, False))


def _with_error(audited: Audit, error: Finding) -> Recorded | None:
    """The behaviour of version 5 on quantized weights with a single error."""
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
    """The behaviour of both versions on packed zero points. With experts, version 5 does not compute the weights even
    with `dequantize`.
    """
    config = audited.checkpoint.config
    block = None if config is None else config.values.get(QUANTIZATION)
    if any(EXPERTS in line.family for line in audited.lines):
        return {major: one._replace(setting=None) for major, one in PACKED_ZEROS.items()}
    plain = isinstance(block, Mapping) and block.get(DEQUANTIZE) is True
    return {major: one for major, one in PACKED_ZEROS.items() if not (plain and one.setting)}


def _packs_zeros(audited: Audit) -> bool:
    """True if zero points of compressed-tensors are packed along the outputs, so that they have fewer rows than there
    are outputs.
    """
    if audited.unpacked is None or not audited.unpacked.schemes.get(WORDS):
        return False
    rows = {one.key: one.layout.shape[-2] for one in audited.unpacked.helpers
            if one.scheme == WORDS and one.key.endswith((ZEROS, SCALE)) and len(one.layout.shape) > 1}  # fmt: skip
    scaled = ((count, rows.get(key.removesuffix(ZEROS) + SCALE)) for key, count in rows.items() if key.endswith(ZEROS))
    return any(outputs is not None and count < outputs for count, outputs in scaled)


def _without_state(audited: Audit, helper: str) -> Recorded | None:
    """The behaviour on four-bit weights with missing helper tensors. helper: the first missing one."""
    if helper.startswith(f"weight.{STATE}"):
        return Recorded(REFUSES, "an error in the conversion of weights without quant_state")
    names = audited.checkpoint.tensors
    described = {name.partition(".weight.")[0] for name in names if ".weight." in name}
    bare = [name for name, layout in names.items() if layout.dtype == "U8" and name.endswith(".weight")]
    alone = any(name.removesuffix(".weight") not in described for name in bare)
    partly = any(f"{stem}.{ABSMAX}" not in names for stem in described)
    return Recorded(ALTERED, CODES_ALONE) if helper == ABSMAX and alone and not partly else None


def why_unread(audited: Audit) -> str:
    """The reason for which it is open what a loader does with quantized weights that are not understood
    or have errors.
    """
    if audited.unpacked is None:
        return "the quantization was not understood"
    return "what it does with quantized weights that have errors was not recorded"


def is_by_quantization(audited: Audit, load: Load) -> bool:
    """True if a loader refuses the kind of quantization, which other loaders may read."""
    return load.loader in PROGRAMS or any(load.because == one.because for one in recorded(audited).values())
