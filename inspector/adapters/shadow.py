"""The small model that SHADOW trains next to the base: the base's own classes with fewer or narrower layers.

Source: `_init_shadow_backbone` of PEFT's `tuners/shadow/model.py`. It copies the module with the layers of the base
(`model` of `LlamaForCausalLM`), without the token table if it reads the base's table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from inspector.adapters.base import Base, BaseTensor, parameters_of
from inspector.adapters.blocks import WIDTHS, width_of
from inspector.adapters.expected import Expected
from inspector.adapters.names import OWN_PREFIX
from inspector.adapters.targets import Unclear
from inspector.notation.settings import Settings
from inspector.reconciler import ledger

RESIZED: Final[Mapping[str, tuple[str, ...]]] = {
    "shadow_hidden_size": tuple(path[0] for path in WIDTHS),
    "shadow_intermediate_size": ("intermediate_size", "ffn_dim", "n_inner"),
    "shadow_num_attention_heads": ("num_attention_heads", "n_head", "num_heads"),
}
"""Key of the adapter's config -> keys of the base's config; it replaces the one that exists."""
DEPTHS: Final = ("num_hidden_layers", "n_layer", "num_layers")
HOLDERS: Final = ("model.decoder.", "model.", "transformer.", "gpt_neox.", "")
"""Prefixes of the layers, in the order in which PEFT looks for them."""
TABLE: Final = "embed_tokens"
CLASSIFIERS: Final = ("score", "classifier")
UNKNOWN: Final = "what the small model of SHADOW consists of"


def shadow_model(base: Base, values: Mapping[str, Any]) -> Iterator[Expected]:
    """The tensors of the small model, of the projection after it and of its own classifier; Unclear may be raised."""
    width = width_of(base)
    if values.get("shadow_model") != "mirror" or base.claim is None or base.composite or width is None:
        raise Unclear(UNKNOWN)
    own = values.get("shadow_hidden_size")
    narrow = own if type(own) is int else width
    small = parameters_of(replace(base.claim, settings=_resized(base.claim.settings, values)))
    if base.renamed or any(one.stacked or one.doubtful for one in (*small, *base.tensors)):
        raise Unclear(UNKNOWN)
    shares = values.get("share_embeddings") is not False and narrow == width
    for tensor in _inside(small):
        if not (shares and tensor.module == TABLE):
            yield _expected(f"shadow_backbone.default.{tensor.key}", tensor)
    if narrow != width:
        key = f"{OWN_PREFIX}shadow_projection.default.weight"
        yield Expected(key, ((),), (width, narrow), ledger.PARAMETER, "", role="adapter")
    if values.get("task_type") == "SEQ_CLS":
        yield from _classifier(base.tensors)


def _resized(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """The base's config with the sizes of the small model."""
    changed: dict[str, Any] = {}
    wanted = {**{key: values.get(key) for key in RESIZED}, "": values.get("shadow_num_hidden_layers") or 1}
    for key, size in wanted.items():
        names = RESIZED.get(key, DEPTHS)
        found = [one for one in names if one in settings.values or one in settings.defaults]
        if size is not None and not found:
            raise Unclear(UNKNOWN)
        changed.update(dict.fromkeys(found, size) if size is not None else {})
    return replace(settings, values={**settings.values, **changed})


def _inside(tensors: Iterable[BaseTensor]) -> Iterator[BaseTensor]:
    """The tensors inside the module with the layers, under their names in that module."""
    built = [one for one in tensors if one.required]
    layered = {one.module.partition("#")[0] for one in built if "#" in one.module}
    holder = next((one for one in HOLDERS if {f"{one}layers.", f"{one}h."} & layered), None)
    if holder is None:
        raise Unclear(UNKNOWN)
    for tensor in built:
        if tensor.key.startswith(holder) and (holder or not tensor.role.startswith("head")):
            yield replace(tensor, module=tensor.module.removeprefix(holder))


def _classifier(tensors: Iterable[BaseTensor]) -> Iterator[Expected]:
    """A copy of the model's first classifier."""
    listed = list(tensors)
    for name in CLASSIFIERS:
        found = [one for one in listed if f"{one.module}.".startswith(f"{name}.")]
        if found:
            for one in found:
                yield _expected(f"shadow_head.default{one.key.removeprefix(name)}", one)
            return


def _expected(key: str, tensor: BaseTensor) -> Expected:
    return Expected(OWN_PREFIX + key, (tensor.axes,), tensor.shape, ledger.PARAMETER, "", role="adapter")
