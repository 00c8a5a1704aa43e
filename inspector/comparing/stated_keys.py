"""Compares numbers that both a GGUF file and the config of its model state, and that no tensor shows.

Source: llama.cpp's convert_hf_to_gguf.py, which copies them from the config (`set_gguf_parameters` of each class).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from inspector.auditing.result import Audit
from inspector.dialects.gguf_config import own_key
from inspector.findings.finding import Finding, Place

NUMBERS: Final = ("attention.head_count", "attention.head_count_kv", "attention.key_length", "expert_used_count")
"""Keys of a file that change what is computed from the tensors, although tensors fit any value."""
OF_HEADS: Final = (".attention.head_count", ".attention.head_count_kv", ".attention.key_length")
"""Endings of keys that are reported by one finding: the tensors do not show which of them is wrong."""
COPIED: Final[Mapping[str, tuple[str, ...]]] = {
    "rope.freq_base": ("rope_theta",),
    "rope.scaling.factor": ("factor",),
    "rope.scaling.original_context_length": ("original_max_position_embeddings",),
    "attention.layer_norm_rms_epsilon": ("rms_norm_eps",),
    "attention.layer_norm_epsilon": ("layer_norm_eps", "layer_norm_epsilon"),
    "attention.sliding_window": ("sliding_window",),
    "attention.scale": ("attention_multiplier",),
    "embedding_scale": ("embedding_multiplier",),
    "residual_scale": ("residual_multiplier",),
    "logit_scale": ("logit_scale", "logits_scaling"),
    "attn_logit_softcapping": ("attn_logit_softcapping",),
    "final_logit_softcapping": ("final_logit_softcapping",),
    "expert_weights_scale": ("routed_scaling_factor", "route_scale"),
    "expert_weights_norm": ("norm_topk_prob",),
    "expert_group_count": ("n_group",),
    "expert_group_used_count": ("topk_group",),
}
"""Keys of a file -> keys of a config with the same value, fractions as float32."""
OTHERWISE: Final = frozenset({"chatglm.attention.layer_norm_rms_epsilon"})
"""Keys that the converter does not take from the config: it writes 1e-5 if the config has no `layernorm_epsilon`."""
INNER: Final = ("text_config", "rope_parameters", "rope_scaling")
"""Parts of a config that may contain its keys as well."""


def key_findings(source: Audit, target: Audit) -> Iterator[Finding]:
    """One finding for each number that a conversion changed, unless a finding of a side names it."""
    sides = [one.checkpoint.metadata is not None for one in (source, target)]
    if sides[0] == sides[1]:
        return
    file, model = (source, target) if sides[0] else (target, source)
    named = {
        getattr(one, name, None)
        for side in (source, target)
        for one in side.findings
        if one.severity == "error"
        for name in ("key", "file_key")
    }
    for key, config_key, stated, expected in (*_numbers(file, model), *_copied(file, model)):
        heads = ".attention." in key and key.endswith(OF_HEADS)
        solved = heads and any(isinstance(one, str) and one.endswith(OF_HEADS) for one in named)
        if key in OTHERWISE or key in named or config_key in named or solved:
            continue
        from inspector.findings.conversion.keys import KeyChanged

        yield KeyChanged(
            place=Place(file=file.checkpoint.set_name, key=key), key=key, stated=stated, config_key=config_key,
            expected=expected, from_file=file is source,
        )  # fmt: skip


Changed = tuple[str, str, float, float]
"""A key of a file, the key of a config, and both values."""


def _numbers(file: Audit, model: Audit) -> Iterator[Changed]:
    metadata, read, config = file.checkpoint.metadata, file.checkpoint.config, model.checkpoint.config
    if metadata is None or read is None or config is None:
        return
    name, kind = metadata.values.get("general.architecture"), read.values.get("model_type")
    if not isinstance(name, str) or not isinstance(kind, str):
        return
    for config_key, stated in read.values.items():
        key = own_key(kind, config_key, name)
        expected = _stated(config.values, (config_key,))
        if key is None or key.removeprefix(f"{name}.") not in NUMBERS or key not in metadata.values:
            continue
        if type(stated) is int and type(expected) is int and stated != expected:
            yield key, config_key, stated, expected


def _copied(file: Audit, model: Audit) -> Iterator[Changed]:
    metadata, config = file.checkpoint.metadata, model.checkpoint.config
    if metadata is None or config is None:
        return
    name = metadata.values.get("general.architecture")
    for word, keys in COPIED.items():
        stated, expected = metadata.values.get(f"{name}.{word}"), _stated(config.values, keys)
        if not (isinstance(stated, int | float) and isinstance(expected, int | float)):
            continue
        if stated != (_single(expected) if isinstance(stated, float) else expected):
            yield (
                f"{name}.{word}",
                next(key for key in keys if _stated(config.values, (key,)) == expected),
                stated,
                expected,
            )


def _single(value: float) -> float:
    """A number as float32 stores it; unchanged if that is infinite."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return value


def _stated(values: Mapping[str, object], keys: Iterable[str]) -> object:
    """The value that a config, or one of its parts, states."""
    inner = [one for name in INNER if isinstance(one := values.get(name), Mapping)]
    parts = [*inner, *(one for each in inner for name in INNER[1:] if isinstance(one := each.get(name), Mapping))]
    for key in keys:
        for part in (values, *parts):
            if part.get(key) is not None:
                return part[key]
    return None
