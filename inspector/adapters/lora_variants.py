"""The variants of LoRA that other layers than plain LoRA's compute: their tensors, and the modules that they refuse.

Source: PEFT 0.21, `resolve_lora_variant` of `tuners/lora/layer.py`, and `variants.py` and `monteclora.py` next to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

MICA: Final = "mica"
"""A start of LoRA's matrices that is a variant of its layers too."""
START: Final = "init_lora_weights"
BLOCKED: Final = "use_bdlora"
VARIANTS: Final = (
    "use_dora", BLOCKED, "alora_invocation_tokens", "arrow_config", "velora_config", "monteclora_config", "kasa_config",
)  # fmt: skip
"""Keys that choose other layers: no layer is of two of them."""
OF_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "table": ("use_dora", START), "conv": ("use_dora",),
    "linear_io": ("use_dora", BLOCKED, "alora_invocation_tokens", "velora_config", "monteclora_config", START),
}  # fmt: skip
"""Kind of modules -> the variants with layers for it; matrices [out, in] have all."""
GROUPS: Final = 64
SAMPLES: Final = 8
"""Defaults of VeLoRA's `num_groups` and MonteCLoRA's `num_samples`."""
Shape = tuple[int | None, ...]


def variants(values: Mapping[str, Any]) -> list[str]:
    """The keys of a config that choose other layers. An empty object states the defaults of such a layer."""
    found = [key for key in VARIANTS if values.get(key) or values.get(key) == {}]
    return [*found, START] if values.get(START) == MICA else found


def refused_variants(values: Mapping[str, Any]) -> str:
    """The reason for which PEFT has no layer for a config, whatever the module; "" if it has one."""
    chosen = variants(values)
    if len(chosen) > 1:
        return f"LORA refuses {chosen[0]} with {chosen[1]}"
    return "LORA does not load with arrow_config, a router for several adapters" if "arrow_config" in chosen else ""


def refused_kind(kind: str, module: str, values: Mapping[str, Any]) -> str:
    """The reason for which no layer of this variant is made for a module of a kind; "" if one is."""
    odd = next((one for one in variants(values) if one not in OF_KINDS.get(kind, (one,))), None)
    if odd is not None:
        return f"LoRA has no layer of this kind with {odd}"
    settings = values.get(BLOCKED)
    if not isinstance(settings, dict) or not settings:
        return ""
    sides = sides_in_blocks(module, values)
    if sides == "AB":
        return f"{BLOCKED} names it for both matrices"
    return f"{BLOCKED} names it for neither matrix" if not sides and settings.get("match_strict", True) else ""


def sides_in_blocks(module: str, values: Mapping[str, Any]) -> str:
    """The matrices of a module that BD-LoRA stores as diagonal blocks: "A", "B", both, or "".

    A text names every module with it anywhere in its path; the numbers in the path are unknown here.
    """
    settings = values.get(BLOCKED)
    if not isinstance(settings, dict):
        return ""
    listed = {side: settings.get(f"target_modules_bd_{side.casefold()}") or () for side in "AB"}
    return "".join(side for side, texts in listed.items() if any(str(one) in module for one in texts))


def blocks_in(values: Mapping[str, Any]) -> int | None:
    """The number of blocks of BD-LoRA; None for a config without it."""
    settings = values.get(BLOCKED)
    number = settings.get("nblocks", 1) if isinstance(settings, dict) else None
    return number if type(number) is int and number > 0 else None


def variant_tensors(
    rank: int | None, inputs: int | None, values: Mapping[str, Any]
) -> Iterator[tuple[str, Shape, bool]]:
    """(ending, shape, whether it is saved and not trained) of the tensors that a variant adds to a matrix."""
    if (settings := values.get("velora_config")) is not None:
        groups = _number(settings, "num_groups", GROUPS)
        size = None if inputs is None or groups is None else (inputs + groups - 1) // groups
        yield ".lora_velora_embed", (size,), True
    if (settings := values.get("monteclora_config")) is not None:
        samples = _number(settings, "num_samples", SAMPLES)
        for name, shape, frozen in (
            ("expert_weights", (samples,), True),
            ("expert_weights_prior", (samples,), False),
            ("gaussian_var_prior", (rank, rank), True),
            ("std_prior", (rank,), False),
        ):
            yield f".lora_monteclora_sampler.{name}", shape, frozen
    if values.get("kasa_config") is not None:
        yield ".lora_diag", (rank,), False


def _number(settings: object, key: str, default: int) -> int | None:
    value = settings.get(key, default) if isinstance(settings, dict) else None
    return value if type(value) is int and value > 0 else None
