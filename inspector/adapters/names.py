"""Parses an adapter's tensor names into module, ending of the method, and depth of wrappers.

Sources: the `adapter_layer_names` and `other_param_names` of PEFT's tuners, and its `save_pretrained`, which puts
`base_model.model.` before every module and removes the adapter's name from every key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import takewhile
from typing import Final

from msgspec import Struct

from inspector.algebra.boxes import Box, overlapping
from inspector.matcher.families import Families

PREFIX: Final = "base_model.model."
"""Prefix of every module of the base in files that PEFT saves."""
OWN_PREFIX: Final = "base_model."
OF_SD_SCRIPTS: Final = {".lora_down.weight": ".lora_A.weight", ".lora_up.weight": ".lora_B.weight"}
"""Endings of sd-scripts' names of a pair -> those of PEFT and diffusers."""
PROMPT: Final = "prompt_embeddings"
PROMPT_TENSORS: Final = frozenset({PROMPT, "prefix_task_cols", "prefix_task_rows"})
"""Tensors that prompt methods save: the prompt, and the factors of multitask prompt tuning."""
BASE_LAYER: Final = ".base_layer"
_SEGMENT: Final = re.compile(
    r"lora_(?:A|B|E|embedding_A|embedding_B|magnitude_vector|ga_\w+|diag|velora_embed)|ranknum|ia3_l"
    r"|lora_monteclora_sampler|hada_(?:w[12]_[ab]|t[12])"
    r"|lokr_(?:w[12](?:_[ab])?|t2)|oft_[Rrs]|boft_[Rs]|vera_(?:A|B|lambda_[bd])|vblora_\w+|fourierft_\w+|hra_u"
    r"|c3a_kernel|randlora_\w+|shira_weight|bone_block|miss_block|delora_\w+|road_(?:theta|alpha)|waveft_spectrum"
    r"|gralora_[AB](?:_general)?|ln_tuning_layers|trainable_tokens_delta|adaption_(?:prompt|gate)|beft_bias|deft_[PR]"
    r"|hira_(?:embedding_)?[AB]|lily_(?:A|B|router)|peanut_(?:A|B|encoders|decoders)|poly_(?:lora_[AB]|router)"
    r"|pvera_(?:A|B|lambda_[bd])|glora_[A-E]|osf_svd_params|psoft_R|supertuning_\w+|tinylora_[ABPv]|unilora_\w+"
    r"|frod_\w+|adamss_\w+|shadow_(?:down|up|update_gate|update_transform|backbone|projection|head)"
    r"|internal_xlora_classifier|oft_embedding_R"
)
"""Segments that only PEFT's tuners give to parameters."""
_NESTED: Final = re.compile(
    r"ln_tuning_layers|glora_[A-E]|osf_svd_params|psoft_R|poly_router|peanut_(?:en|de)coders|tinylora_v|frod_\w+"
    r"|lora_monteclora_sampler|adamss_\w+|shadow_\w+|internal_xlora_classifier"
)
"""Segments of tuners that contain several parameters with their own names."""
_NAMED_WITHIN: Final = (
    ".osf_svd_params.default.", ".psoft_R.default.", ".poly_router.default.", ".peanut_encoders.default.",
    ".peanut_decoders.default.", ".lora_monteclora_sampler.default.", *(f".glora_{part}.default." for part in "ABCDE"),
    ".ln_tuning_layers.default.weight", ".ln_tuning_layers.default.bias",
)  # fmt: skip
"""Beginnings of several parameters of a tuner that have the adapter's name before their own; saving removes it."""
_KINDS: Final = {
    "lora": "lora", "ranknum": "adalora", "ia3": "ia3", "hada": "loha", "lokr": "lokr", "oft": "oft", "boft": "boft",
    "vera": "vera", "ln": "ln_tuning", "trainable": "trainable_tokens", "adaption": "adaption_prompt",
}  # fmt: skip
_MAGNITUDES: Final = ".lora_magnitude_vector.weight"
"""Ending of DoRA's magnitudes in memory, and in files of some versions; PEFT reads it in files too."""
_SAVED: Final = ".modules_to_save."
_ENDS: Final = ("", ".weight", ".bias")
"""Possible endings after a tuner's segment once saving has removed the adapter's name."""


class TunerName(Struct, frozen=True):
    """A tensor that a tuner adds. module: the base's own name of the module; depth: the number of wrappers between.

    ending: the ending after the module, ".lora_A.weight". named: the adapter's name is in the key, as in the state dict
    of a wrapped model and in no saved adapter.
    """

    module: str
    ending: str
    depth: int
    named: bool


def tuner_name(key: str) -> TunerName | None:
    """The parts of a key that a tuner created; None for any other key."""
    segments = key.split(".")
    position = next((at for at, segment in enumerate(segments) if _SEGMENT.fullmatch(segment)), None)
    if position is None:
        return None
    module = ".".join(segments[:position]).removesuffix(".token_adapter")
    module = f"{module}.".removeprefix(PREFIX).removeprefix(OWN_PREFIX).removesuffix(".")
    depth = 0
    while module.endswith(BASE_LAYER):
        module = module.removesuffix(BASE_LAYER)
        depth += 1
    module = module.replace(f"{BASE_LAYER}.", ".")  # inside of a module of which a parameter is changed
    behind = "".join(f".{segment}" for segment in segments[position + 1 :])
    named = behind not in _ENDS and not _NESTED.fullmatch(segments[position])
    return TunerName(module, f".{segments[position]}{behind}", depth, named)


WRAPPERS: Final = frozenset({"_checkpoint_wrapped_module", "_orig_mod", "_fsdp_wrapped_module"})
"""Segments that torch's wrappers (activation checkpointing, compile, FSDP) put into names."""


HELD_AS_MODEL: Final = ("model.model.", "model.transformer.h.", "model.gpt_neox.layers.")
"""Beginnings of names in a wrapper that holds the model as `model`: no class of transformers has these modules."""


def saved_name(key: str) -> str:
    """The name under which PEFT saves a tuner's tensor: without wrappers and the adapter's name, with PEFT's prefix."""
    if not any(_SEGMENT.fullmatch(segment) for segment in key.split(".")):
        return key
    inner = ".".join(segment for segment in key.split(".") if segment not in WRAPPERS).removeprefix("module.")
    while inner.startswith((PREFIX, "model.base_model.model.")):
        inner = inner[inner.index(PREFIX) + len(PREFIX) :]
    inner = inner.replace(f".{PREFIX}", ".", 1)  # a part of the model was wrapped alone
    if inner.startswith(OWN_PREFIX):
        whole = tuner_name(inner)
        return inner.rpartition(".")[0] if whole is not None and whole.named and not whole.module else inner
    found = tuner_name(PREFIX + inner)
    if found is not None and found.ending.startswith(_NAMED_WITHIN):
        return PREFIX + inner.removesuffix(found.ending) + found.ending.replace(".default", "", 1)
    if found is not None and found.named:
        name, _, end = found.ending.rpartition(".")
        inner = inner.removesuffix(found.ending) + (f"{name.rpartition('.')[0]}.{end}" if "." in name[1:] else name)
    inner = inner.replace(_MAGNITUDES, _MAGNITUDES.removesuffix(".weight"))
    return PREFIX + (inner.removeprefix("model.") if inner.startswith(HELD_AS_MODEL) else inner)


def saved_namer(keys: Collection[str]) -> Callable[[str], str]:
    """`saved_name` for the names of one file: if no tuner's tensor has PEFT's prefix, modules saved as a whole lack it
    too, and they have the wrappers with which all names of the tuner begin. A copy that a module trained as a whole has
    only under its name in memory is that module.
    """
    tuned = [key for key in keys if tuner_name(key) is not None]
    outer = _outer(tuned)
    if not tuned or any(OWN_PREFIX in key for key in keys):
        return lambda key: (
            plain.removeprefix(outer)
            if _SAVED in key and (plain := uncopied(key)) not in keys
            else saved_name(key).removeprefix(outer)
        )
    return lambda key: (
        saved_name(key) if key in PROMPT_TENSORS or tuner_name(key) is not None else PREFIX + key.removeprefix(outer)
    )


def _outer(tuned: Sequence[str]) -> str:
    """The names of wrappers with which all of these keys begin, "module." for DataParallel; "" without any."""
    segments = tuned[0].split(".") if tuned else ()
    outer = "".join(f"{one}." for one in takewhile(lambda one: one == "module" or one in WRAPPERS, segments))
    return outer if all(key.startswith(outer) for key in tuned) else ""


def loaded_name(key: str, renaming: bool = False) -> str:
    """The name under which PEFT loads a tensor of a file: it accepts the adapter's name `default`.

    renaming: PEFT renames the tensors of a LoRA for this base; it then adds its prefix to names without it.
    """
    found = tuner_name(key)
    if renaming and found is not None and ".lora_" in found.ending and not key.startswith(OWN_PREFIX):
        key = PREFIX + key
    if found is None or ".default" not in found.ending or not (found.named or found.ending.startswith(_NAMED_WITHIN)):
        return key.replace(_MAGNITUDES, _MAGNITUDES.removesuffix(".weight"))
    inner = key.removesuffix(found.ending) + found.ending.replace(".default", "")
    return inner.replace(_MAGNITUDES, _MAGNITUDES.removesuffix(".weight"))


def renames_of(keys: Collection[str], named: Callable[[str], str], stored: Families) -> tuple[tuple[str, str], ...]:
    """(pattern of stored names, pattern of new names) pairs; () if two names would become equal.

    keys: families that are renamed. named: the new family of each. stored: all families.
    """
    pairs = {key: named(key) for key in keys}
    others = [key for key in stored if key not in pairs]
    taken: dict[str, list[Box]] = {}
    for key, family in stored.items():
        boxes = taken.setdefault(pairs.get(key, key), [])
        if boxes and overlapping(boxes, family.boxes):
            return ()
        boxes.extend(family.boxes)
    if any(old.count("#") != new.count("#") for old, new in pairs.items()):
        return ()
    heads = {_heads(old, new) for old, new in pairs.items()}
    old, new = next(iter(heads), ("", ""))
    if len(heads) == 1 and old and "#" not in old + new and not any(key.startswith(old) for key in others):
        return ((f"{old}*", f"{new}*"),)
    return tuple(dict.fromkeys((old.replace("#", "*"), new.replace("#", "*")) for old, new in pairs.items()))


def _heads(one: str, other: str) -> tuple[str, str]:
    """The beginnings of two names, before the segments at their common end."""
    ones, others = one.split("."), other.split(".")
    while ones and others and ones[-1] == others[-1]:
        ones.pop()
        others.pop()
    return "".join(f"{part}." for part in ones), "".join(f"{part}." for part in others)


_REMADE: Final = re.compile(
    r".*\.(randlora_[AB]|supertuning_indices|tinylora_[ABP]|unilora_(indices|scales)_[AB]|glora_[A-E]\.zeros)"
    r"|base_model\.frod_V\..+"
)


def is_remade(name: str) -> bool:
    """True for tensors that are saved and not trained, and that PEFT makes again where the file lacks them.

    Measured with 0.21: from the base and the seed in the config, with the values that were saved.
    """
    return _REMADE.fullmatch(name) is not None


def adapter_kind(keys: Iterable[str]) -> str | None:
    """The method shown by the names: 'lora', 'ia3'; None if no tensor belongs to a tuner."""
    for key in keys:
        if key in PROMPT_TENSORS:
            return "prompt_tuning"
        found = tuner_name(key)
        if found is not None:
            return _KINDS.get(found.ending[1:].partition("_")[0], found.ending[1:].partition("_")[0])
    return None


def is_adapter(keys: Iterable[str]) -> bool:
    """True if all names are as PEFT saves an adapter.

    Every key then belongs to a tuner, begins with `base_model.`, or is the prompt, and none contains an adapter's name.
    """
    listed = [(key, tuner_name(key)) for key in keys]
    if any(one is not None and one.named for _, one in listed):
        return False
    return bool(listed) and all(
        one is not None or key in PROMPT_TENSORS or key.startswith(OWN_PREFIX) for key, one in listed
    )


def is_unmerged(keys: Iterable[str]) -> bool:
    """True if the names are those of a whole model with an unmerged adapter: `q_proj.base_layer.weight`.

    Or those of a module that was trained as a whole and stored together with its original:
    `lm_head.original_module.weight`. All names may begin like those of an adapter, but an adapter contains no wrapped
    matrices of its base: weights of other modules, which may be trained as a whole, show nothing.
    """
    listed = list(keys)
    if any(".original_module." in key for key in listed):
        return not is_adapter(listed) or any(BASE_LAYER in key for key in listed)
    found = {key: tuner_name(key) for key in listed}
    changed = {one.module for one in found.values() if one is not None}
    alone = is_adapter(listed) and not any(BASE_LAYER in key for key in listed)
    return not alone and any(_within(changed, base_name(key)) for key, one in found.items() if one is None)


def _within(modules: Collection[str], key: str) -> bool:
    """True if a matrix is that of one of the modules, or of a module inside of one; biases may be trained alone."""
    ends = (at for at, letter in enumerate(key) if letter == ".")
    return not key.endswith(".bias") and any(key[:end] in modules for end in ends)


def base_name(key: str) -> str:
    """The name in the model of a tensor of a wrapped model; prompt methods add one word less before it."""
    key = key.removeprefix(PREFIX).removeprefix(OWN_PREFIX)
    segments = [segment for segment in key.split(".") if segment != "base_layer"]
    if "original_module" in segments:
        segments.remove("original_module")
    return ".".join(segments)


def wrapped_copies(keys: Iterable[str], key: str) -> list[str]:
    """The keys of a tensor in a module that is trained as a whole: of the original and of the copy, as `bias="all"`
    stores them together with `key`.
    """
    found = (one for one in keys if "_module." in one or ".modules_to_save." in one)
    return [one for one in found if uncopied(one) == key]


def uncopied(key: str) -> str:
    """The key without the wrappers of a module that is trained as a whole."""
    return _COPIED.sub("", key)


_COPIED = re.compile(r"\.(original_module|modules_to_save(\.default)?)(?=\.)")


def with_ending_of_peft(name: str) -> str:
    """A name with the ending of PEFT in place of that of sd-scripts; any other name as it is."""
    end = next((one for one in OF_SD_SCRIPTS if name.endswith(one)), "")
    return name.removesuffix(end) + OF_SD_SCRIPTS[end] if end else name
