"""Tiny hyperparameters for any configuration class, found by the names of its keys.

The numbers of a base are as distinct as the constructors allow, so that no wrong formula agrees by chance: a
key that is similar to another (a second vocabulary, the feed-forward of the decoder) gets the next number of its
row. Nested configurations have their own rows, by position.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

# Patterns of keys and their numbers: the first pattern that matches the whole key counts. The numbers of a row are
# for the outer configuration, the first one inside it, the second one inside it, ...
ROWS: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...] = (
    (r"(mamba_)?(n|num)_heads_of_mamba|mamba_n_heads|mamba_num_heads|n_mamba_heads", ((8,),)),
    (r"mamba_d_head|mamba_head_dim", ((12,),)),
    (r"mamba_d_ssm", ((96,),)),
    (r"mamba_d_state|state_size|ssm_state_size", ((14,),)),
    (r"mamba_n_groups|mamba_ngroups", ((2,),)),
    (r"type_vocab_size", ((5,),)),
    (r".*vocab_size(_per_layer_input)?", ((107, 113, 127, 131), (109, 137), (103, 139))),
    (r"hidden_size_per_layer_input", ((14,),)),
    (r"out_hidden_size|llm_hidden_size|image_text_hidden_size", ((48,),)),
    (r"hidden_size|d_model|n_embd|emb_dim|embed_dim|dim|width", ((48,), (48,), (72,), (96,), (24,))),
    (r"hidden_dim", ((92,),)),
    (r"embedding_size", ((30,),)),
    (r"(decoder|encoder|fusion|head|reassemble|entity)_(hidden|emb)_size", ((24, 32, 40),)),
    (r"decoder_(num_)?(attention_)?(heads|layers)|decoder_num_(attention_heads|hidden_layers)", ((4,),)),
    (r"encoder_attention_heads", ((6,),)),
    (r"(num_)?(hidden_|encoder_)?layers|n_layers?|depth|num_encoder_layers|encoder_num_hidden_layers",
     ((3,), (3,), (2,), (4,))),
    (r"num_decoder_layers", ((4,),)),
    (r"(num_|n_)?(attention_)?heads|n_head|num_(encoder|decoder)_attention_heads|index_n_heads",
     ((6,), (6,), (4,), (8,), (3,))),
    (r"num_key_value_heads|num_kv_heads|.*_kv_heads|num_global_key_value_heads", ((2,), (2,), (2,), (4,), (3,))),
    (r"(moe|expert)_(intermediate|ffn_hidden|ffn)_size|expert_hidden_size", ((28,),)),
    (r".*shared.*intermediate_size", ((36,),)),
    (r".*(intermediate_size|ffn_dim|ffn_hidden_size|d_ff|dff|dim_ff|mlp_dim|d_inner|intermediate_dim|mlp_hidden_size)(_mlp)?",
     ((92, 84, 76, 68), (92, 84, 76), (60, 52), (64, 56))),
    (r"num_(local_)?experts|moe_num_experts", ((11,),)),
    (r"n_routed_experts", ((10,),)),
    (r"(n|num|moe_num)_shared_experts", ((2,),)),
    (r"n_group", ((2,),)),
    (r"topk_group", ((1,),)),
    (r"num_experts_per_tok|moe_topk|moe_k|num_experts_per_token", ((4,),)),
    (r"first_k_dense_replace|num_dense_layers|moe_layer_start_index", ((1,),)),
    (r"kv_lora_rank", ((14,),)),
    (r"q_lora_rank", ((18,),)),
    (r"qk_rope_head_dim", ((10,),)),
    (r"qk_nope_head_dim", ((12,),)),
    (r"v_head_dim", ((26,),)),
    (r".*rank", ((9, 11, 13),)),
    (r"linear_num_key_heads", ((2,),)),
    (r"linear_num_value_heads|linear_num_heads", ((4,),)),
    (r"linear_key_head_dim|linear_head_dim", ((10,),)),
    (r"linear_value_head_dim", ((14,),)),
    (r"head_dim|d_kv|dim_head|kv_channels|.*_head_dim|d_head", ((20, 28), (20, 28), (18,))),
    (r"rotary_dim", ((8,),)),
    (r"max_(2d|decoder|encoder|text|speech)_?position(s|_embeddings)", ((71, 73),)),
    (r"max_source_positions", ((34,),)),
    (r"max_position_embeddings|n_positions|n_ctx|max_seq_len|context_length|max_target_positions|max_length",
     ((70,), (70,), (50,))),
    (r"num_position_embeddings|.*mel_bins|input_feat_per_channel", ((25,), (25,))),
    (r"image_size|input_size", ((40,),)),
    (r"patch_size", ((8,),)),
    (r"projection_dim", ((32,),)),
    (r"num_query_tokens|num_queries|num_detection_tokens|num_latents|num_patches", ((13,),)),
    (r"relative_attention_num_buckets", ((9,),)),
    (r"codebook_size|base_channels", ((32,),)),
    (r"num_filters", ((4,),)),
    (r"num_conv_pos_embeddings", ((16,),)),
    (r"num_conv_pos_embedding_groups", ((4,),)),
    (r"sliding_window|attention_window_size", ((33,),)),
    (r"num_codevectors_per_group", ((9,),)),
    (r"codevector_dim", ((14,),)),
    (r"proj_codevector_dim", ((18,),)),
    (r"classifier_proj_size", ((22,),)),
    (r"xvector_output_dim", ((38,),)),
    (r"pad_token_id|pad_index", ((0,),)),
    (r"bos_token_id|bos_index", ((3,),)),
    (r"(forced_)?eos_token_id|eos_index", ((4,),)),
    (r"decoder_start_token_id", ((5,),)),
)  # fmt: skip
# The same for lists, as long as the default is.
LISTS: tuple[tuple[str, tuple[int, ...]], ...] = (
    (r"depths|layers|num_blocks|stage_repeats", (2, 3, 1, 2, 1)),
    (r"hidden_sizes|neck_hidden_sizes|embed_dims?", (24, 48, 72, 96, 120)),
    (r"num_(attention_)?heads", (2, 4, 6, 8, 10)),
    (r"conv_dim", (20, 28, 24, 20, 28, 24, 20)),
    (r"tdnn_dim", (26, 34, 30, 26, 34)),
)
# With lists of depths these numbers are of the first stage.
STAGED = {"embed_dim": 24, "embedding_size": 16, "image_size": 64, "patch_size": 4, "window_size": 4}
COMPUTED = {"qk_head_dim", "sliding_window_pattern"}
LEFT_ALONE = re.compile(r".*(token_id|token_index|_coefficient|_cost|seq_length|_factor|_rate|_kernel.*|_stride)")
TOO_BIG = 100
LEFTOVERS = (27, 31, 29, 37, 33, 41, 39, 43, 47, 51, 53, 55, 57, 59, 61)

_PATTERNS = [(re.compile(pattern), rows) for pattern, rows in ROWS]
_LISTS = [(re.compile(pattern), row) for pattern, row in LISTS]


def declared(config_class: Any) -> dict[str, Any]:
    """Parameters of a configuration class and their defaults."""
    parameters = inspect.signature(config_class.__init__).parameters.values()
    named = [p for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL) and p.name != "self"]
    return {p.name: None if p.default is p.empty else p.default for p in named}


def usual_names(config_class: Any) -> dict[str, str]:
    """Key to the name other types have for it."""
    return {key: name for name, key in config_class.attribute_map.items()}


def merged(arguments: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with changes; a dotted key and a mapping reach into a configuration inside."""
    found = dict(arguments)
    for key, value in changes.items():
        outer, _, inner = key.partition(".")
        if inner:
            value = {inner: value}
        inside = found.get(outer)
        found[outer] = merged(inside, value) if isinstance(inside, dict) and isinstance(value, Mapping) else value
    return found


def flat(arguments: Mapping[str, Any], config_class: Any) -> Iterator[tuple[str, str, Any]]:
    """Every key of a configuration and of those inside it: dotted key, usual name, value."""
    usual = usual_names(config_class)
    inside = inner_classes(config_class)
    for key, value in {**declared(config_class), **arguments}.items():
        if key in inside and isinstance(value, Mapping):
            yield from ((f"{key}.{name}", other, held) for name, other, held in flat(value, inside[key]))
        else:
            yield key, usual.get(key, key), value


def inner_classes(config_class: Any) -> dict[str, Any]:
    """The configurations inside a configuration: key to class, as its defaults have them."""
    names = getattr(config_class, "sub_configs", None)
    if not isinstance(names, dict) or not names:
        return {}
    try:
        whole = config_class()
    except Exception:
        return {}
    held = {key: getattr(whole, key, None) for key in names}
    return {key: type(value) for key, value in held.items() if hasattr(value, "to_dict")}


def tiny(config_class: Any, seat: int = 0) -> dict[str, Any]:
    """Arguments of a configuration class for a tiny model."""
    usual = usual_names(config_class)
    inside = inner_classes(config_class)
    used: dict[int, int] = {}
    leftovers = iter(LEFTOVERS)
    found: dict[str, Any] = {}
    keys = declared(config_class)
    staged = any(isinstance(keys.get(key), (list, tuple)) for key in ("depths", "hidden_sizes"))
    for key, default in keys.items():
        if key in inside or key in COMPUTED:
            continue
        if isinstance(default, (list, tuple)):
            row = next((row for pattern, row in _LISTS if pattern.fullmatch(key)), None)
            if row is not None and len(default) <= len(row):
                found[key] = list(row[: len(default)])
            continue
        if isinstance(default, (bool, str, float)):
            continue
        if staged and key in STAGED and default is not None:
            found[key] = STAGED[key]
            continue
        place = _place(key, usual)
        if place is not None:
            row = _PATTERNS[place][1][min(seat, len(_PATTERNS[place][1]) - 1)]
            turn = used.get(place, 0)
            used[place] = turn + 1
            found[key] = row[min(turn, len(row) - 1)]
        elif isinstance(default, int) and default > TOO_BIG and not LEFT_ALONE.fullmatch(key):
            found[key] = next(leftovers)
    for place, (key, inner) in enumerate(sorted(inside.items(), key=lambda item: "text" not in item[0])):
        found[key] = {**tiny(inner, place + 1), "model_type": inner.model_type}
    return found


def _place(key: str, usual: Mapping[str, str]) -> int | None:
    for name in (usual.get(key, key), key):
        for place, (pattern, _) in enumerate(_PATTERNS):
            if pattern.fullmatch(name):
                return place
    return None
