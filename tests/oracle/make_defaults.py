"""Make `inspector/architectures/defaults.jsonl` and `inert_keys.txt` from transformers' config classes.

Needs transformers in two environments (5.x and 4.57.x; torch makes dtypes readable but is not required):

    python -m venv five && five/bin/pip install torch==2.13.0 transformers==5.23.0
    python -m venv four && four/bin/pip install torch==2.13.0 transformers==4.57.6
    five/bin/python tests/oracle/make_defaults.py collect five.json
    four/bin/python tests/oracle/make_defaults.py collect four.json
    python tests/oracle/make_defaults.py merge five.json four.json

`collect` (a few minutes) writes the defaults of one version of transformers; `merge` (seconds, standard library)
writes both checked-in files. `prove OUT.txt`, in either environment with torch, builds every model on the
meta device twice, once with all inert keys changed, and lists the keys that affect a name or a shape.

What a default is
    A config file omits keys with their default value. The default of a key is the value *declared* by the class,
    not the one of an instance: `LlamaConfig().num_key_value_heads` is 32, but only because
    `num_attention_heads` is. Such keys are found by changing every other parameter in turn; they are listed
    under `derived` with the keys they follow, and their value is the declared one (mostly null) or absent.
"""

from __future__ import annotations

import contextlib
import fnmatch
import inspect
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parents[2] / "inspector" / "architectures"
EARLIER = {"bloom": {"n_embed": "hidden_size"}, "falcon": {"n_embed": "hidden_size"}}
"""Names that config classes read in place of a key without listing them in `attribute_map`."""
DIFFUSERS = "d"
"""The writer of the lines that `make_diffusers_defaults.py` makes."""

# Keys that affect no shape, by reason. A pattern is widened to the keys that really occur in some configuration
# class; a plain name is used as it is, even if only repositories use it. Checked by hand: a key that affects
# the shape or the presence of one tensor in one model type may not be listed. Deliberately omitted, although
# they look harmless:
#   hidden_act and its like (prelu and xielu have parameters, gated ones double a width), mask_time_prob and
#   mask_feature_prob (a mask embedding exists or not), layer_scale_init_value and its like (a scale exists
#   or not), pruned_heads, torchscript (ties become copies), partial_rotary_factor and rotary_pct (width of a
#   stored inv_freq), position_embedding_type, id2label, tie_*, is_decoder, add_cross_attention, pooling keys;
#   architectures (the class), is_training (oneformer's text mapper), sampling_rate (encodec's quantisers).
# fmt: off
INERT: dict[str, tuple[str, ...]] = {
    "probabilities of dropping something in training": (
        "*dropout*", "*_pdrop", "*layerdrop", "*drop_rate", "*drop_path*", "*droppath", "dropatt",
        "drop_connect_rate", "drop_conv_encoder_rate", "drop_mlp_rate", "classifier_drop",
    ),
    "numerical safety of norms": (
        "*_eps", "*_epsilon", "eps", "moe_norm_min", "layernorm_epsilon",
    ),
    "how weights are drawn before training": (
        "*initializer_range", "*initializer_factor", "*initializer_std", "initializer_cutoff_factor",
        "initializer_bias_prior_prob", "*init_std", "init_range", "init_scale", "init_xavier_std",
        "init_method", "init_method_std", "init_device", "w_init_variance_scale",
        "final_w_init_variance_scale", "alpha_initializer", "alphas_initializer_range", "layer_norm_init",
        "init_cell_selection_weights_to_zero", "learnable_sink_init", "rescale_prenorm_residual",
        "time_step_min", "time_step_max", "time_step_floor", "time_step_init_scheme", "time_step_scale",
        "time_step_limit", "emb_init_std", "use_default_init", "initializer_config",
    ),
    "positions of special tokens in the vocabulary": (
        "*_token_id", "*_token_ids", "*_token_index", "bos_index", "eos_index", "pad_index", "unk_index",
        "mask_index", "lang_id", "im_start_id", "im_end_id", "im_newline_id", "image_start_id",
        "image_end_id", "newline_id", "slice_start_id", "slice_end_id", "image_patch_id", "codec_bos_id",
        "codec_pad_id", "codec_think_bos_id", "codec_think_eos_id", "codec_nothink_id",
        "audio_stream_bos_id", "audio_stream_eos_id", "eos_token", "bos_token", "pad_token", "unk_token",
    ),
    "generation and decoding": (
        "max_length", "min_length", "max_new_tokens", "min_new_tokens", "do_sample", "early_stopping",
        "num_beams", "num_beam_groups", "diversity_penalty", "temperature", "top_k", "top_p", "min_p",
        "typical_p", "epsilon_cutoff", "eta_cutoff", "repetition_penalty", "length_penalty",
        "no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "encoder_repetition_penalty",
        "bad_words_ids", "force_words_ids", "num_return_sequences", "output_scores", "output_logits",
        "return_dict_in_generate", "remove_invalid_values", "exponential_decay_length_penalty",
        "suppress_tokens", "begin_suppress_tokens", "forced_decoder_ids", "generation_config", "use_cache",
        "t2u_max_new_tokens", "chat_format", "user_token_id",
    ),
    "what a forward pass returns and how it is computed": (
        "output_attentions", "output_hidden_states", "output_past", "output_router_logits", "return_dict",
        "chunk_size_feed_forward", "use_flash_attn", "use_flash_attention", "use_flash_attention_2",
        "_flash_attn_2_enabled", "flash_attention", "attn_implementation", "_attn_implementation",
        "_attn_implementation_internal", "_attn_implementation_autoset", "_experts_implementation",
        "_output_attentions", "use_sdpa", "use_xformers", "use_mambapy", "use_falcon_mambapy",
        "use_mamba_kernels", "use_associative_scan", "use_mem_eff_path", "use_memory_efficient_attention",
        "gradient_checkpointing", "use_gradient_checkpointing", "reorder_and_upcast_attn",
        "attention_softmax_in_fp32", "scale_attention_softmax_in_fp32", "softmax_in_fp32",
        "residual_in_fp32", "fp32_residual_connection", "masked_softmax_fusion", "bias_dropout_fusion",
        "apply_query_key_layer_scaling", "reference_compile", "repad_logits_with_grad",
        "deterministic_flash_attn", "slow_but_exact", "num_logits_to_keep", "pretraining_tp",
        "tensor_parallel_degree", "onnx_export", "use_tpu_fourier_optimizations",
        "norm_reduction_force_float32", "enable_moe_fp32_combine", "mamba_ssm_dtype",
        "mamba_ssm_cache_dtype", "inference_state_dtype", "router_dtype", "use_cache_quantization",
        "use_cache_kernel", "use_dynamic_ntk", "use_logn_attn", "onnx_safe", "use_bfloat16", "bf16", "fp16",
        "fp32", "use_fused_rms_norm", "use_fused_rope", "use_triton", "use_cuda_kernels",
    ),
    "rotary frequencies": (
        "rope_theta", "rope_scaling", "rope_parameters", "rope_local_base_freq", "rope_interleave",
        "rope_ratio", "rope_type", "original_rope", "rotary_emb_base", "rotary_embedding_base",
        "global_rope_theta", "local_rope_theta", "layer_rope_theta", "compress_rope_theta",
        "memory_attention_rope_theta", "rope_theta_base", "rotary_base",
    ),
    "factors on activations": (
        "scale_embedding", "embedding_multiplier", "attention_multiplier", "residual_multiplier",
        "logits_scaling", "lm_head_multiplier", "key_multiplier", "attention_in_multiplier",
        "attention_out_multiplier", "ssm_in_multiplier", "ssm_out_multiplier", "ssm_multipliers",
        "mlp_multipliers", "logit_scale", "embedding_scale", "attn_logit_softcapping",
        "final_logit_softcapping", "query_pre_attn_scalar", "scale_attn_weights",
        "scale_attn_by_inverse_layer_idx", "scale_decoder_outputs", "scale_emb", "scale_depth",
        "dim_model_base", "clip_qkv", "logits_soft_cap", "gate_soft_cap", "output_logit_soft_cap",
        "swiglu_limit", "swiglu_alpha", "routed_scaling_factor", "router_jitter_noise",
        "input_jitter_noise", "moe_jitter_eps", "norm_topk_prob", "attention_logit_cap",
        "attention_invalid_logits_value", "softmax_scale",
    ),
    "losses": (
        "*_loss_coef*", "*_loss_weight", "*_loss_coefficient", "router_z_loss_coef", "z_loss_coefficient",
        "aux_loss_alpha", "seq_aux", "*_loss_reduction", "ctc_zero_infinity", "*_loss_ignore_index",
        "label_smoothing", "loss_type", "eos_coefficient", "focal_loss_alpha", "focal_loss_gamma",
        "focal_alpha", "giou_cost", "bbox_cost", "class_cost", "no_object_weight", "class_weight",
        "mask_weight", "dice_weight", "weight_loss_*", "matcher_alpha", "matcher_gamma",
        "matcher_bbox_cost", "matcher_class_cost", "matcher_giou_cost", "contrastive_logits_temperature",
        "tf_legacy_loss", "problem_type", "train_num_points", "oversample_ratio", "importance_sample_ratio",
        "router_aux_loss_coef",
    ),
    "left over from a first implementation or its training code, read by no model": (
        "directionality", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
        "pooler_size_per_head", "pooler_type", "ep_size",
    ),
    "training": (
        "seed", "learning_rate", "weight_decay", "freeze", "freeze_lm_head", "freeze_text_layers",
        "freeze_text_module_exceptions", "freeze_vision_layers", "freeze_vision_module_exceptions",
        "gradient_clipping", "apply_spec_augment", "mask_time_length", "mask_time_min_masks",
        "mask_feature_length", "mask_feature_min_masks", "batch_norm_momentum", "unsloth_version",
        "unsloth_fixed", "train_micro_batch_size", "use_mem_efficient_loss",
    ),
    "where the file comes from and how it is loaded": (
        "_name_or_path", "name_or_path", "_commit_hash", "transformers_version", "auto_map", "torch_dtype",
        "dtype", "model_name", "model_version", "license", "author", "library_name", "diffusers_version",
        "_class_name", "_diffusers_version", "transformers.js_config", "task_specific_params",
        "finetuning_task", "finetuned_from", "prefix", "trust_remote_code", "custom_pipelines",
        "base_model", "language", "tags", "mlx_version", "onnx", "sentence_transformers", "transformers_weights",
    ),
    "names of the labels (their number is in id2label)": (
        "label2id",
    ),
    "names of the stages (their number is in the list of depths)": (
        "stage_names",
    ),
    "tokenizer and processor": (
        "tokenizer_class", "processor_class", "feature_extractor_type", "image_processor_type",
        "do_lower_case", "image_mean", "image_std", "model_max_length", "padding_side",
        "image_grid_pinpoints", "image_aspect_ratio", "vision_feature_select_strategy",
        "vision_aspect_ratio",
    ),
}
# fmt: on

# Inert except for one type, whose definition reads the key: fsmt's position table begins after the padding, and that of
# the spectrogram transformer has a row for each patch.
EXCEPT = {"audio-spectrogram-transformer": ("max_length",), "fsmt": ("pad_token_id",)}

# Keys of the base class of 4.x that affect the structure; 5.x declares them only in classes that use them.
BASE_KEYS = (
    "tie_word_embeddings",
    "tie_encoder_decoder",
    "is_encoder_decoder",
    "is_decoder",
    "add_cross_attention",
    "cross_attention_hidden_size",
    "pruned_heads",
    "torchscript",
)


def inert(key: str) -> bool:
    """Whether a key is on the hand-checked list."""
    return any(fnmatch.fnmatchcase(key, pattern) for patterns in INERT.values() for pattern in patterns)


# -- collect: the defaults of one version of transformers ----------------------------------------------------------


def plain(value: Any) -> Any:
    """A config value as in JSON: tuples as lists, dtypes as text."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def declared(config_class: Any) -> dict[str, Any]:
    """Parameters of a configuration class with the defaults its declaration states."""
    found: dict[str, Any] = {}
    for name, parameter in inspect.signature(config_class.__init__).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) or name == "self":
            continue
        default = parameter.default
        if "FACTORY" in repr(type(default)).upper() or "FACTORY" in repr(default).upper():
            field = config_class.__dataclass_fields__[name]
            default = field.default_factory()
        found[name] = None if default is inspect.Parameter.empty else default
    return found


def doubled(value: Any) -> Any:
    """The value with every integer of a list, and of the lists in it, times two."""
    if isinstance(value, (list, tuple)):
        return [doubled(item) for item in value]
    return value * 2 if isinstance(value, int) and not isinstance(value, bool) else value


def other_values(name: str, value: Any) -> Iterator[Any]:
    """Values to try for a parameter, to find the parameters that follow it."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value * 2, value * 3, value + 1)
    elif isinstance(value, float):
        yield from (value * 2, value / 2)
    elif isinstance(value, (list, tuple)) and value and not isinstance(value[0], dict):
        yield from (
            [*value, value[-1]],
            list(value)[:-1],
            doubled(value),
        )
        if isinstance(value[0], (list, tuple)):
            yield [[*item, item[-1]] for item in value]
    elif isinstance(value, str) and "feed_forward" in name:
        yield from ("gated-gelu", "relu")
    elif value is None:
        yield from (6, [1, 2])


class Collector:
    """Defaults of configuration classes, each class examined once."""

    def __init__(self, base: type) -> None:
        self.base = base
        self.seen: dict[type, tuple[dict[str, Any], dict[str, list[str]]]] = {}

    def of_class(self, config_class: Any) -> tuple[dict[str, Any], dict[str, list[str]]]:
        """(values, derived) of a class: values as declared, derived keys with the keys they follow."""
        if config_class not in self.seen:
            self.seen[config_class] = ({}, {})  # a class that contains itself
            instance = config_class()
            self.seen[config_class] = self.split(config_class, instance)
        return self.seen[config_class]

    def split(self, config_class: Any, instance: Any) -> tuple[dict[str, Any], dict[str, list[str]]]:
        said, shown = declared(config_class), self.attributes(instance)
        doubtful = {
            k
            for k, v in shown.items()
            if not isinstance(v, self.base) and (k not in said or plain(said[k]) != plain(v))
        }
        derived = self.followed(config_class, said, shown, doubtful)
        values = {}
        for key, value in shown.items():
            if isinstance(value, self.base):
                values[key] = self.of_instance(value)
            elif key not in derived:
                values[key] = plain(value)
            elif key in said:
                values[key] = plain(said[key])
        for name, key in config_class.attribute_map.items():  # declared under the other name alone
            if name in said and derived.get(key) == [name]:
                values.setdefault(key, plain(said[name]))
        return values, derived

    def attributes(self, instance: Any) -> dict[str, Any]:
        """Public attributes of a configuration that its file would contain, without inert ones."""
        kept = {
            k: v
            for k, v in vars(instance).items()
            if not inert(k) and (not k.startswith("_") or k in instance.to_dict())
        }
        for own in ("_post_init_done", "architectures"):
            kept.pop(own, None)
        for own in EXCEPT.get(getattr(instance, "model_type", ""), ()):
            kept[own] = getattr(instance, own)
        labels = kept.pop("id2label", None)
        if labels and len(labels) != 2:
            kept["id2label"] = dict(labels)
        return kept

    def of_instance(self, instance: Any) -> dict[str, Any]:
        """A sub-configuration as an object; keys that follow others have their declared value."""
        config_class = type(instance)
        values, derived = self.of_class(config_class)
        shown = {
            k: self.of_instance(v) if isinstance(v, self.base) else plain(v)
            for k, v in self.attributes(instance).items()
        }
        result = {k: v for k, v in shown.items() if k not in derived}
        with contextlib.suppress(Exception):
            rebuilt = self.attributes(
                config_class(
                    **{k: v for k, v in vars(instance).items() if k in declared(config_class) and k not in derived}
                )
            )
            for key in derived:
                if key in shown and plain(rebuilt.get(key)) != shown[key]:
                    result[key] = shown[key]
                elif key in values:
                    result[key] = values[key]
        if getattr(instance, "model_type", ""):
            result["model_type"] = instance.model_type
        return result

    def followed(
        self, config_class: Any, said: dict[str, Any], shown: dict[str, Any], doubtful: set[str]
    ) -> dict[str, list[str]]:
        """The keys among `doubtful` that change with another parameter."""
        if not doubtful:
            return {}
        sources: dict[str, list[str]] = {}
        effective = {name: shown.get(name, value) for name, value in said.items()}
        for name, value in effective.items():
            if isinstance(value, self.base) or isinstance(said[name], (dict, self.base)) or inert(name):
                continue
            moved: set[str] = set()
            for other in other_values(name, value):
                try:
                    after = self.attributes(config_class(**{name: other}))
                except Exception:
                    continue
                moved |= {k for k in doubtful if k != name and plain(after.get(k)) != plain(shown[k])}
            for key in moved:
                sources.setdefault(key, []).append(name)
        return {key: sorted(names) for key, names in sorted(sources.items())}


def collect(target: Path) -> None:
    """Write the defaults of every model type of the installed transformers."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import transformers  # type: ignore[import-not-found]
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES  # type: ignore[import-not-found]

    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    collector = Collector(transformers.PretrainedConfig)
    types: dict[str, Any] = {}
    failed: dict[str, str] = {}
    keys: set[str] = set()
    for model_type in CONFIG_MAPPING_NAMES:
        try:
            config_class = transformers.CONFIG_MAPPING[model_type]
            values, derived = collector.of_class(config_class)
            keys |= all_keys(config_class().to_dict())
        except Exception as error:
            failed[model_type] = f"{type(error).__name__}: {error}"[:200]
            continue
        own = {k: v for k, v in config_class.attribute_map.items() if k != v} | EARLIER.get(model_type, {})
        types[model_type] = {"values": values, "derived": derived, "aliases": own}
    base = {key: plain(value) for key, value in vars(transformers.PretrainedConfig()).items() if key in BASE_KEYS}
    found = {
        "version": transformers.__version__,
        "base": base,
        "types": types,
        "failed": failed,
        "keys": sorted(keys),
    }
    target.write_text(json.dumps(found), encoding="utf-8")
    print(f"{len(types)} types, {len(failed)} cannot stand alone: {', '.join(failed)}")


def all_keys(config: dict[str, Any]) -> set[str]:
    """Keys of a configuration and of the configurations inside it."""
    inside = [v for k, v in config.items() if isinstance(v, dict) and (k.endswith("config") or "model_type" in v)]
    return set(config).union(*(all_keys(v) for v in inside))


# -- merge: both versions into the checked-in files ----------------------------------------------------------


def merge(five: dict[str, Any], four: dict[str, Any]) -> list[dict[str, Any]]:
    """One line per type: values, and under `differs` the values on which the versions disagree."""
    bases = {"4": four["base"], "5": five["base"]}
    lines = []
    for model_type in sorted(five["types"].keys() | four["types"].keys()):
        found = {"4": four["types"].get(model_type), "5": five["types"].get(model_type)}
        sides = {version: side for version, side in found.items() if side is not None}
        differs: dict[str, Any] = {}
        line: dict[str, Any] = {"type": model_type, "writers": "".join(sides)}
        line["values"] = merged({v: side["values"] for v, side in sides.items()}, bases, "", differs)
        for name in ("aliases", "derived"):
            content: dict[str, Any] = {}
            for side in sides.values():
                content |= side[name]
            if content:
                line[name] = dict(sorted(content.items()))
        if differs:
            line["differs"] = differs
        lines.append(line)
    return lines


def merged(sides: dict[str, Any], bases: dict[str, Any], place: str, differs: dict[str, Any]) -> dict[str, Any]:
    """Values of both versions, the newer one's where they differ; values of the base class are omitted."""
    values: dict[str, Any] = {}
    for key in sorted(set().union(*sides.values())):
        said = {v: {**bases[v], **side}[key] for v, side in sides.items() if key in side or key in bases[v]}
        if all(key in bases[v] and bases[v][key] == value for v, value in said.items()):
            continue
        newest = said[max(said)]
        if all(isinstance(value, dict) and "is_encoder_decoder" in value for value in said.values()):
            values[key] = merged(said, bases, f"{place}{key}.", differs)
            continue
        values[key] = newest
        if len(said) < len(sides) or any(value != newest for value in said.values()):
            differs[place + key] = said
    return values


def write_lines(lines: list[dict[str, Any]], made_from: dict[str, str], base: dict[str, Any]) -> None:
    """Write one JSON object per line, found by the text at its beginning; the first line is about the whole file."""
    table = PACKAGE / "defaults.jsonl"
    old_head, *old_lines = [json.loads(line) for line in table.read_text(encoding="utf-8").splitlines()]
    kept = [line for line in old_lines if line["writers"] == DIFFUSERS]
    if kept:
        made_from = {**made_from, DIFFUSERS: old_head["made_from"][DIFFUSERS]}
        base = {**base, DIFFUSERS: {}}
    ordered = sorted([*lines, *kept], key=lambda line: str(line["type"]))
    head = {"made_from": made_from, "base": base}
    text = "\n".join(json.dumps(line, separators=(",", ":"), allow_nan=False) for line in [head, *ordered])
    table.write_text(text + "\n", encoding="utf-8")


def write_inert(seen: set[str]) -> None:
    """Write the keys that affect no shape, one per line, grouped by reason and without repetition."""
    out = [
        "# Config keys that affect no shape and no presence of a tensor, in any model type.",
        "# Made by tests/oracle/make_defaults.py from its hand-checked list.",
        "# One exception, which its definition has to read: pad_token_id lengthens the position table of fsmt.",
    ]
    done: set[str] = set()
    for reason, patterns in INERT.items():
        plain_names = {p for p in patterns if "*" not in p}
        matched = {k for k in seen for p in patterns if "*" in p and fnmatch.fnmatchcase(k, p)}
        group = sorted((plain_names | matched) - done)
        done |= set(group)
        out += ["", f"# {reason}", *group]
    (PACKAGE / "inert_keys.txt").write_text("\n".join(out) + "\n", encoding="utf-8")


# -- prove: the list of inert keys against every model -------------------------------------------------------


def prove(target: Path) -> None:
    """Build each model on the meta device, then with inert keys changed; write the keys that changed it."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import transformers
    from transformers.models.auto import modeling_auto  # type: ignore[import-not-found]

    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    tables = [
        getattr(modeling_auto, name)
        for name in (
            "MODEL_MAPPING_NAMES",
            "MODEL_FOR_PRETRAINING_MAPPING_NAMES",
            "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
        )
    ]
    proved, moved = 0, []
    for model_type in transformers.CONFIG_MAPPING:
        names: dict[str, None] = {}
        for table in tables:
            entry = table.get(model_type, ())
            names |= dict.fromkeys([entry] if isinstance(entry, str) else entry)
        for name in names:
            with contextlib.suppress(Exception):  # models that cannot be built from defaults are skipped
                guilty = moving_keys(transformers.CONFIG_MAPPING[model_type], getattr(transformers, name))
                proved += 1
                moved += [f"{model_type} {name} {key}" for key in guilty]
    target.write_text("\n".join(moved) + "\n", encoding="utf-8")
    print(f"{proved} models of transformers {transformers.__version__}: {len(moved)} keys moved something")


def moving_keys(config_class: Any, model_class: Any) -> list[str]:
    """The inert keys of a configuration that do affect a name, a shape or a count of the model."""
    small = {"num_hidden_layers": 2} if "num_hidden_layers" in declared(config_class) else {}
    before = built(config_class, model_class, small)
    if before is None and small:
        small = {}
        before = built(config_class, model_class, small)
    if before is None:
        raise ValueError("not buildable from defaults")
    changes = changed(config_class())
    if built(config_class, model_class, {**small, **changes}) == before:
        return []
    alone = {key: built(config_class, model_class, {**small, key: value}) for key, value in changes.items()}
    return [key for key, after in alone.items() if after is not None and after != before]


def built(config_class: Any, model_class: Any, arguments: dict[str, Any]) -> Any:
    """Names, shapes and the number of parameters of a model never allocated; None where it refuses."""
    import torch  # type: ignore[import-not-found]

    with contextlib.suppress(Exception), torch.device("meta"):
        model = model_class(config_class(**arguments))
        shapes = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
        return shapes, sum(parameter.numel() for parameter in model.parameters())
    return None


def changed(config: Any) -> dict[str, Any]:
    """Other values for the inert keys of a configuration, and for those of the configurations inside it."""
    others: dict[str, Any] = {}
    for key, value in vars(config).items():
        if hasattr(value, "to_dict") and (inside := changed(value)):
            others[key] = {**value.to_dict(), **inside}
        elif not inert(key) or key.startswith("_") or key in ("dtype", "torch_dtype"):
            continue
        elif isinstance(value, bool):
            others[key] = not value
        elif isinstance(value, int):
            others[key] = value + 1
        elif isinstance(value, float):
            others[key] = value * 0.9 or 0.1
        elif value is None and key.endswith("token_id"):
            others[key] = 1
    return others


def main(arguments: list[str]) -> None:
    if arguments[0] == "collect":
        collect(Path(arguments[1]))
    elif arguments[0] == "merge":
        five, four = (json.loads(Path(name).read_text(encoding="utf-8")) for name in arguments[1:3])
        made_from = {side["version"][0]: f"transformers {side['version']}" for side in (five, four)}
        write_lines(merge(five, four), made_from, {"4": four["base"], "5": five["base"]})
        write_inert(set(five["keys"]) | set(four["keys"]))
    elif arguments[0] == "prove":
        prove(Path(arguments[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
