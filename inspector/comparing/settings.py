"""Compares the configs of both sides: settings that change what a model computes, and that no tensor shows.

A conversion that loses `rope_theta`, or writes another number of heads of the same total width, keeps every tensor and
breaks the model. A key that one config leaves out has the default of its class; where this is unknown, or where the
model types differ, nothing is reported. `setting_defaults.json` has defaults that `inspector.architectures.defaults`
leaves out, because no shape depends on them (made by `tests/oracle/make_setting_defaults.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from inspector.architectures.defaults import class_defaults
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding, Place

TABLE: Final = Path(__file__).with_name("setting_defaults.json")
ABSENT: Final = object()
WITHIN: Final = "_config"
"""Endings of the keys of sub-configs."""
COMPUTING: Final = frozenset({
    # attention heads: the shapes of projections give only the product of heads and their width
    "num_attention_heads", "num_key_value_heads", "num_heads", "n_head", "n_heads", "encoder_attention_heads",
    "decoder_attention_heads", "attention_head_dim", "qk_rope_head_dim", "linear_num_key_heads",
    "linear_num_value_heads",
    # norms and activations
    "rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "layernorm_epsilon", "norm_eps", "norm_epsilon",
    "batch_norm_eps", "norm_num_groups", "hidden_act", "hidden_activation", "activation_function", "act_fn",
    "projector_hidden_act", "feat_extract_activation", "swiglu_limit",
    # positions
    "rope_theta", "rotary_emb_base", "rotary_embedding_base", "rotary_dim",
    "rope_local_base_freq", "rope_interleave", "sliding_window", "layer_types", "attention_chunk_size",
    "no_rope_layer_interval", "alibi", "axes_dims_rope", "theta",
    # experts
    "num_experts_per_tok", "moe_topk", "top_k_experts", "norm_topk_prob", "routed_scaling_factor", "route_scale",
    "topk_group", "n_group", "topk_method", "scoring_func",
    # factors
    "scale_embedding", "embedding_multiplier", "residual_multiplier", "logits_scaling", "attention_multiplier",
    "attn_logit_softcapping", "final_logit_softcapping", "query_pre_attn_scalar", "logit_scale", "scale_attn_weights",
    "scale_attn_by_inverse_layer_idx", "clip_qkv", "scaling_factor", "shift_factor",
    # order and choice of modules
    "is_decoder", "do_layer_norm_before", "use_parallel_residual", "parallel_attn",
    "vision_feature_layer", "vision_feature_select_strategy", "flip_sin_to_cos", "freq_shift",
})  # fmt: skip
SAME: Final[tuple[frozenset[Any], ...]] = (
    frozenset({"silu", "swish"}),
    frozenset({"gelu_new", "gelu_pytorch_tanh", "gelu_fast", "gelu_python_tanh"}),
)
"""Names of one function (`ACT2FN` in activations.py of transformers)."""
OF_LENGTH: Final = frozenset({"layer_types", "num_key_value_heads", "sliding_window", "attention_head_dim"})
"""Keys with defaults that follow from other keys, so that only stated values are compared."""
READ_BY_NONE: Final = frozenset({("gemma", "hidden_act")})
"""Keys that the class of a type does not read (Gemma computes with `hidden_activation`)."""
FACTORS: Final = (
    "factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings", "beta_fast", "beta_slow",
    "attention_factor", "mscale", "mscale_all_dim", "short_factor", "long_factor", "mrope_section",
)  # fmt: skip
"""Keys of scaled rotary embeddings that are compared if both sides state them."""
UNSCALED: Final = "default"
OLDER: Final = {"mrope": UNSCALED, "axial": UNSCALED, "su": "longrope"}
"""Names of rotary types -> the name of what they scale."""
PARTS: Final = ("partial_rotary_factor", "rotary_pct")
"""Keys of the part of each head that is rotated; transformers 5 keeps it in `rope_parameters`, as the first one."""

Setting = tuple[str, Any, Any]
"""A key, dotted below parts of a config, and its value in the source and the target."""


def setting_findings(source: Audit, target: Audit) -> Iterator[Finding]:
    """The finding on settings that differ, one for each component; GGUF files are compared by `stated_keys`."""
    if source.checkpoint.metadata is not None or target.checkpoint.metadata is not None:
        return
    parts = source.components.keys() & target.components.keys()
    sides = [(source.components[name], target.components[name]) for name in source.components if name in parts]
    for one, other in sides or [(source, target)]:
        configs = one.checkpoint.config, other.checkpoint.config
        if configs[0] is None or configs[1] is None or configs[0].values == configs[1].values:
            continue
        named = {getattr(found, "key", None) for side in (one, other) for found in side.findings}
        differing = [row for row in differences(configs[0].values, configs[1].values) if row[0] not in named]
        if differing:
            from inspector.findings.conversion.keys import SettingsDiffer

            yield SettingsDiffer(
                place=Place(file=configs[1].file),
                keys=tuple(name for name, _, _ in differing),
                source=tuple(value for _, value, _ in differing),
                target=tuple(value for _, _, value in differing),
            )


def differences(source: Mapping[str, Any], target: Mapping[str, Any]) -> list[Setting]:
    """The settings of two configs that differ, those of their parts too."""
    return list(_differences(source, target, _defaults(source), _defaults(target), ""))


def _differences(
    source: Mapping[str, Any], target: Mapping[str, Any], left: Mapping[str, Any], right: Mapping[str, Any], path: str
) -> Iterator[Setting]:
    if _type(source) != _type(target):
        left, right = {}, {}
    if source.get("use_sliding_window") is False or target.get("use_sliding_window") is False:
        source, target = ({key: one[key] for key in one if key != "sliding_window"} for one in (source, target))
    yield from _rotary(source, target, left, right, path)
    compared: set[str] = set()
    for key in dict.fromkeys((*source, *target)):
        if key in compared:
            continue
        compared.update((key, *aliases_of(source).get(key, ())))
        if key in COMPUTING and key != "rope_theta" and (_type(source), key) not in READ_BY_NONE:
            one, other = _value(source, left, key), _value(target, right, key)
            if one is not ABSENT and other is not ABSENT and not _alike(one, other):
                yield f"{path}{key}", one, other
        elif key.endswith(WITHIN):
            inner, outer = source.get(key), target.get(key)
            if isinstance(inner, Mapping) and isinstance(outer, Mapping):
                pair = _part(inner, left, key), _part(outer, right, key)
                yield from _differences(inner, outer, *pair, f"{path}{key}.")


def _defaults(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values that a config implies for absent keys, by its model type."""
    name = _type(values)
    return _joined(class_defaults(name)[0], _table().get(name, {})) if name else {}


def _type(values: Mapping[str, Any]) -> str:
    """The model type that a config states, "" for none."""
    name = values.get("model_type")
    return name if isinstance(name, str) else ""


def _joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Both tables of defaults, those of parts too."""
    joined = {**one, **other}
    for key, value in other.items():
        known = one.get(key)
        if isinstance(value, Mapping) and isinstance(known, Mapping):
            joined[key] = _joined(known, value)
    return joined


def _part(values: Mapping[str, Any], whole: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """The defaults of a sub-config: those of its own type, or those that the outer class has for it."""
    inner = whole.get(key)
    return _defaults(values) or (inner if isinstance(inner, Mapping) else {})


def _value(values: Mapping[str, Any], defaults: Mapping[str, Any], key: str) -> Any:
    """The stated value or the default; ABSENT if it is unknown, or follows from other keys."""
    spelled = next((name for name in (key, *aliases_of(values).get(key, ())) if name in values), None)
    if spelled is not None:
        follows = values[spelled] is None and key in OF_LENGTH and key != "sliding_window"
        return ABSENT if follows else values[spelled]
    return defaults.get(key, ABSENT) if key not in OF_LENGTH else ABSENT


def aliases_of(values: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """A key of a model type -> the other spellings that its class accepts."""
    return _spellings(_type(values))


@cache
def _spellings(model_type: str) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for alias, key in class_defaults(model_type)[1].items():
        found[key] = (*found.get(key, ()), alias)
        found[alias] = (*found.get(alias, ()), key)
    return found


def _alike(one: Any, other: Any) -> bool:
    """True if two values mean the same: numbers are compared by value, functions by the result that they compute."""
    if isinstance(one, str) and isinstance(other, str):
        return one == other or any({one, other} <= names for names in SAME)
    if isinstance(one, list) and isinstance(other, list) and _words(one) != _words(other):
        return True  # the names of layer types changed between versions
    return bool(one == other)


def _words(values: list[Any]) -> set[str]:
    return {value for value in values if isinstance(value, str)}


def _rotary(
    source: Mapping[str, Any], target: Mapping[str, Any], left: Mapping[str, Any], right: Mapping[str, Any], path: str
) -> Iterator[Setting]:
    """The base and the scaling of rotary embeddings, which transformers 5 keeps in `rope_parameters`."""
    one, other = _settings_of_rotary(source, left), _settings_of_rotary(target, right)
    if one is None or other is None:
        return
    for key in ("rope_theta", "rope_type", PARTS[0], *FACTORS):
        if key in one and key in other and one[key] != other[key]:
            yield f"{path}{key}", one[key], other[key]


def _settings_of_rotary(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any] | None:
    """`rope_theta`, `rope_type` and factors; None if they differ by layer type."""
    nested = [values.get(name) for name in ("rope_parameters", "rope_scaling")]
    scaling = next((one for one in nested if isinstance(one, Mapping)), {})
    if any(isinstance(one, Mapping) for one in scaling.values()):
        return None
    stated = values.get("rope_theta", scaling.get("rope_theta", defaults.get("rope_theta")))
    kind = scaling.get("rope_type", scaling.get("type"))
    found = {key: scaling[key] for key in FACTORS if scaling.get(key) is not None}
    if isinstance(stated, int | float):
        found["rope_theta"] = stated
    rotated = [
        one[key] for one in (values, scaling, defaults) for key in PARTS if isinstance(one.get(key), int | float)
    ]
    if rotated:
        found[PARTS[0]] = rotated[0]
    if isinstance(kind, str) or "rope_theta" in defaults:
        found["rope_type"] = OLDER.get(kind, kind) if isinstance(kind, str) else UNSCALED
    return found


@cache
def _table() -> dict[str, dict[str, Any]]:
    table: dict[str, dict[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return table
