"""Compares roles with an external reference: llama.cpp's table of the tensors of each architecture.

`gguf.get_tensor_name_map` maps each name of an original checkpoint to a meaning (`MODEL_TENSOR`). `ROLES` maps these
meanings to our roles, for all architectures; `EXCEPTIONS` lists the places where llama.cpp itself uses a tensor's name
for something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import gguf
import pytest

from inspector.architectures.catalog import definition_of
from inspector.dialects.gguf_architectures import ARCHITECTURES
from inspector.notation.definition import Architecture
from tests.notation.test_role_names import all_parts

ROLES = {
    "TOKEN_EMBD": "embed.token embed.shared",
    "TOKEN_EMBD_NORM": "norm.embed",
    "TOKEN_TYPES": "embed.type embed.type.none",
    "POS_EMBD": "embed.position",
    "PER_LAYER_TOKEN_EMBD": "embed.layer",
    "PER_LAYER_MODEL_PROJ": "embed.layer.project",
    "PER_LAYER_PROJ_NORM": "norm.embed.layer",
    "PER_LAYER_INP_GATE": "embed.layer.gate",
    "PER_LAYER_PROJ": "embed.layer.up",
    "PER_LAYER_POST_NORM": "norm.embed.layer.post",
    "OUTPUT": "head.token head.token.copy",
    "OUTPUT_NORM": "norm.final",
    "CLS": "head.class head.dense",
    "CLS_OUT": "head.class",
    "CLS_NORM": "norm.head",
    "ROPE_FREQS": "rotary.frequency",
    "ATTN_ROT_EMBD": "rotary.frequency",
    "ATTN_NORM": "norm.attention norm.block",
    "ATTN_NORM_2": "norm.attention",
    "ATTN_OUT_NORM": "norm.attention",
    "ATTN_POST_NORM": "norm.attention.post",
    "ATTN_Q": "attention.query ssm.query",
    "ATTN_K": "attention.key ssm.key",
    "ATTN_V": "attention.value ssm.value",
    "ATTN_QKV": "attention.qkv ssm.qkv",
    "ATTN_OUT": "attention.output ssm.out",
    "ATTN_GATE": "attention.gate ssm.gate",
    "ATTN_SINKS": "attention.sink",
    "ATTN_Q_NORM": "norm.query",
    "ATTN_K_NORM": "norm.key",
    "ATTN_Q_A": "attention.query.down",
    "ATTN_Q_A_NORM": "norm.query",
    "ATTN_Q_B": "attention.query.up",
    "ATTN_KV_A_MQA": "attention.kv.down",
    "ATTN_KV_A_NORM": "norm.kv",
    "ATTN_KV_B": "attention.kv.up",
    "INDEXER_ATTN_K": "attention.indexer.key",
    "INDEXER_ATTN_Q_B": "attention.indexer.query",
    "INDEXER_K_NORM": "norm.indexer",
    "INDEXER_PROJ": "attention.indexer.weight",
    "FFN_NORM": "norm.mlp",
    "FFN_PRE_NORM": "norm.mlp",
    "FFN_PRE_NORM_2": "norm.mlp.experts",
    "FFN_POST_NORM": "norm.mlp.post",
    "FFN_POST_NORM_1": "norm.mlp.dense",
    "FFN_POST_NORM_2": "norm.mlp.experts.post",
    "LAYER_OUT_NORM": "norm.mlp",
    "LAYER_OUT_SCALE": "layer.scale",
    "FFN_GATE": "mlp.gate",
    "FFN_UP": "mlp.up mlp.gate_up",  # both in one matrix where there is no FFN_GATE
    "FFN_DOWN": "mlp.down",
    "FFN_GATE_EXP": "mlp.gate",
    "FFN_UP_EXP": "mlp.up",
    "FFN_GATE_UP_EXP": "mlp.gate_up mlp.experts.gate_up",
    "FFN_DOWN_EXP": "mlp.down mlp.experts.down",
    "FFN_GATE_SHEXP": "mlp.shared.gate",
    "FFN_UP_SHEXP": "mlp.shared.up",
    "FFN_DOWN_SHEXP": "mlp.shared.down",
    "FFN_GATE_INP": "router",
    "FFN_GATE_INP_SHEXP": "router.shared",
    "FFN_EXP_PROBS_B": "router.correction",
    "MOE_LATENT_DOWN": "expert.down",
    "MOE_LATENT_UP": "expert.up",
    "SSM_IN": "ssm.in ssm.qkvz",
    "SSM_CONV1D": "ssm.conv",
    "SSM_CONV1D_Q": "ssm.conv.query",
    "SSM_CONV1D_K": "ssm.conv.key",
    "SSM_CONV1D_V": "ssm.conv.value",
    "SSM_X": "ssm.select",
    "SSM_DT": "ssm.step",
    "SSM_DT_NORM": "norm.ssm.dt",
    "SSM_A": "ssm.decay",
    "SSM_B_NORM": "norm.ssm.b",
    "SSM_C_NORM": "norm.ssm.c",
    "SSM_D": "ssm.skip",
    "SSM_NORM": "norm.ssm",
    "SSM_OUT": "ssm.out",
    "SSM_ALPHA": "ssm.alpha",
    "SSM_BETA": "ssm.beta",
    "SSM_BETA_ALPHA": "ssm.beta_alpha",
    "SSM_F_A": "ssm.decay.down",
    "SSM_F_B": "ssm.decay.up",
    "SSM_G_A": "ssm.gate.down",
    "SSM_G_B": "ssm.gate.up",
    "SHORTCONV_CONV": "ssm.conv",
    "SHORTCONV_INPROJ": "ssm.in",
    "SHORTCONV_OUTPROJ": "ssm.out",
    "ALTUP_CORRECT_COEF": "altup.correct",
    "ALTUP_CORRECT_SCALE": "altup.scale",
    "ALTUP_PREDICT_COEF": "altup.predict",
    "ALTUP_ROUTER": "altup.router",
    "ALTUP_ROUTER_NORM": "norm.altup",
    "LAUREL_L": "laurel.down",
    "LAUREL_R": "laurel.up",
    "LAUREL_POST_NORM": "norm.laurel",
    "NEXTN_EH_PROJ": "mtp.join",
    "NEXTN_EMBED_TOKENS": "embed.token",
    "NEXTN_ENORM": "norm.mtp.embed",
    "NEXTN_HNORM": "norm.mtp.hidden",
    "NEXTN_SHARED_HEAD_HEAD": "head.token",
    "NEXTN_SHARED_HEAD_NORM": "norm.final",
    "ENC_ATTN_NORM": "norm.attention",
    "ENC_ATTN_Q": "attention.query",
    "ENC_ATTN_K": "attention.key",
    "ENC_ATTN_V": "attention.value",
    "ENC_ATTN_OUT": "attention.output",
    "ENC_ATTN_REL_B": "attention.bias",
    "ENC_FFN_NORM": "norm.mlp",
    "ENC_FFN_GATE": "mlp.gate",
    "ENC_FFN_UP": "mlp.up",
    "ENC_FFN_DOWN": "mlp.down",
    "ENC_OUTPUT_NORM": "norm.final",
    "DEC_ATTN_NORM": "norm.attention",
    "DEC_ATTN_Q": "attention.query",
    "DEC_ATTN_K": "attention.key",
    "DEC_ATTN_V": "attention.value",
    "DEC_ATTN_OUT": "attention.output",
    "DEC_ATTN_REL_B": "attention.bias",
    "DEC_CROSS_ATTN_NORM": "norm.cross",
    "DEC_CROSS_ATTN_Q": "cross.query",
    "DEC_CROSS_ATTN_K": "cross.key",
    "DEC_CROSS_ATTN_V": "cross.value",
    "DEC_CROSS_ATTN_OUT": "cross.output",
    "DEC_CROSS_ATTN_REL_B": "cross.bias",
    "DEC_FFN_NORM": "norm.mlp",
    "DEC_FFN_GATE": "mlp.gate",
    "DEC_FFN_UP": "mlp.up",
    "DEC_FFN_DOWN": "mlp.down",
    "DEC_OUTPUT_NORM": "norm.final",
}
"""A meaning of gguf -> the roles that it may have here."""

EXCEPTIONS = {
    ("falcon", "ATTN_NORM", "norm.mlp"): "`ln_mlp` is what llama.cpp calls the first norm of the parallel layer",
    ("dbrx", "ATTN_OUT_NORM", "norm.mlp"): "`norm_2` follows attention, before the MLP",
    ("glm4moe", "ATTN_POST_NORM", "norm.mlp"): "`post_attention_layernorm` follows attention, before the MLP",
    ("gpt-oss", "ATTN_POST_NORM", "norm.mlp"): "`post_attention_layernorm` follows attention, before the MLP",
    ("qwen3next", "ATTN_POST_NORM", "norm.mlp"): "`post_attention_layernorm` follows attention, before the MLP",
    ("qwen35", "ATTN_POST_NORM", "norm.mlp"): "`post_attention_layernorm` follows attention, before the MLP",
    ("qwen35moe", "ATTN_POST_NORM", "norm.mlp"): "`post_attention_layernorm` follows attention, before the MLP",
    ("seed_oss", "ATTN_POST_NORM", "norm.mlp"): "`post_attention_layernorm` follows attention, before the MLP",
    ("bailingmoe2", "LAYER_OUT_NORM", "norm.final"): "`final_layernorm` ends a layer that predicts further tokens",
    ("grok", "ATTN_OUT_NORM", "norm.attention.post"): "`rms_norm_1` follows attention",
    ("grok", "LAYER_OUT_NORM", "norm.mlp.post"): "`rms_norm_3` follows the mixture",
    ("lfm2", "TOKEN_EMBD_NORM", "norm.final"): "`embedding_norm` is the final norm, whatever its name says",
    ("lfm2moe", "TOKEN_EMBD_NORM", "norm.final"): "`embedding_norm` is the final norm, whatever its name says",
    **{
        (name, "ENC_FFN_NORM", "norm.cross"): "an encoder that is a decoder by its config has cross-attention here"
        for name in ("t5", "t5encoder", "umt5")
    },
}
"""(architecture, meaning, role) -> why they differ."""

MORE = {
    "bitnet": "bitnet", "chameleon": "chameleon", "dbrx": "dbrx",
    "gemma-embedding": "gemma3_text",
    "gemma4": "gemma4_text", "glm-dsa": "glm_moe_dsa", "granitehybrid": "granitemoehybrid",
    "hunyuan_vl": "hunyuan_vl_text", "jina-bert-v3": "jina_embeddings_v3",
    "kimi-linear": "kimi_linear", "mimo2": "mimo_v2_flash", "mistral4": "mistral4",
    "nemotron_h": "nemotron_h", "nemotron_h_moe": "nemotron_h", "nomic-bert-moe": "nomic_bert", "openelm": "openelm",
    "paddleocr": "paddleocr_vl_text", "qwen35": "qwen3_5_text", "qwen35moe": "qwen3_5_moe_text",
    "qwen3next": "qwen3_next",
}  # fmt: skip
"""Architectures of gguf without a definition for their files -> the model type with the same layers."""

SPLIT = {
    "deepseek3": "deepseek2",
    "distilbert": "bert",
    "umt5": "t5",
    "granitemoeshared": "granitemoe",
    "bert-cls": "bert",
    "distilbert-cls": "bert",
    "modern-bert-cls": "modern-bert",
    "roberta-cls": "bert",
    "mixtral": "llama",
}
"""Architectures that gguf does not distinguish."""

LAYERS = 2
NUMBERS = {name: architecture for architecture, name in gguf.MODEL_ARCH_NAMES.items()}
ALTERING = frozenset({"arctic"})
"""Architectures whose tensor names gguf afterwards applies to all others in the same process."""
KNOWN = {
    name: model_type
    for name, (model_type, _) in ARCHITECTURES.items()
    if SPLIT.get(name, name) in NUMBERS and name not in ALTERING
}
CASES = {**KNOWN, **MORE}
"""Without the architectures that the installed gguf lacks."""


def definition_known_as(name: str) -> Architecture:
    """The definition of an architecture of gguf."""
    definition = definition_of(CASES[name])
    assert definition is not None, name
    return definition


def spellings(path: str, roots: frozenset[str]) -> Iterator[str]:
    """The forms in which gguf may list a path: in layer 1, experts numbered or stacked, under one of the roots."""
    first = re.sub(r"\{\w+\}", "1", path, count=1)
    for inner in (re.sub(r"\{\w+\}", "1", first), re.sub(r"\.\{\w+\}", "", first)):
        for root in sorted(roots):
            yield root + inner


def meanings(name: str) -> Iterator[tuple[str, str, str]]:
    """(path, meaning, role) of all tensors in both tables."""
    table = gguf.get_tensor_name_map(NUMBERS[SPLIT.get(name, name)], LAYERS).mapping
    definition = definition_known_as(name)
    roots = frozenset(head.root for head in definition.heads) | {"", "model.", "transformer.", "decoder.", "encoder."}
    for path, part in all_parts(definition):
        found = next((table[spelling] for spelling in spellings(path, roots) if spelling in table), None)
        if found is not None:
            yield path, found[0].name, part.role


@pytest.mark.parametrize("name", sorted(CASES))
def test_each_role_agrees_with_llama_cpp(name: str) -> None:
    wrong = [
        (path, meaning, role)
        for path, meaning, role in meanings(name)
        if role not in ROLES[meaning].split() and (name, meaning, role) not in EXCEPTIONS
    ]
    assert wrong == []


def test_the_comparison_covers_every_architecture() -> None:
    compared = {name: {meaning for _, meaning, _ in meanings(name)} for name in CASES}
    assert min(len(found) for found in compared.values()) >= 6, compared
    assert {meaning for found in compared.values() for meaning in found} == set(ROLES)
    used = {(name, meaning, role) for name in CASES for _, meaning, role in meanings(name)}
    assert set(EXCEPTIONS) - used == set()
