"""The finding on modules that the base does not have, and whether these join the base's matrices for q, k and v.

diffusers' `fuse_qkv_projections` puts `to_qkv` (`to_added_qkv` for the text, `to_kv` where only k and v are alike) in
the place of separate matrices, and SimpleTuner's `fused_qkv_projections` trains an adapter of it. Programs with the
separate matrices, such as ComfyUI, leave these modules out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from inspector.adapters.below_wrapper import prefix_around
from inspector.adapters.changed_modules import ChangedModule
from inspector.findings.adapters.tools import AdapterModulesUnmatched
from inspector.findings.finding import NAMES_SHOWN

Sizes = Mapping[str, Mapping[str, tuple[int, ...]]]
JOINED: Final[Mapping[str, tuple[str, ...]]] = {
    "to_qkv": ("to_q", "to_k", "to_v"),
    "to_kv": ("to_k", "to_v"),
    "to_added_qkv": ("add_q_proj", "add_k_proj", "add_v_proj"),
}
"""Name of a joined matrix in diffusers -> the names of those that it joins."""
OF_PAIR: Final = frozenset({"down", "up", "alpha"})
_NAME: Final = re.compile(rf"(.*[._])({'|'.join(JOINED)})")


OF_IMAGE: Final = re.compile(r"(?:cross_attn[._][kv]_img|attn2[._](?:add_[kv]_proj|to_[kv]_img)|img_emb[._].*)$")
"""Ends of the names of modules that the image-to-video models of Wan 2.1 have, and no other model of Wan."""


def modules_unmatched(
    names: Sequence[str],
    of: int,
    base: str,
    modules: Sizes,
    plain: Callable[[str], str],
    *,
    pairs: bool,
    model: str = "",
) -> AdapterModulesUnmatched:
    """The finding on modules under names that a base does not have.

    of: the number of all modules of the adapter. pairs: all modules are pairs of matrices of low rank. model: what it
    was trained on, "" if unknown.
    """
    parts = [_parts(name, modules, plain) for name in names]
    joins = parts[0] if all(parts) else ()
    return AdapterModulesUnmatched(
        base=base,
        names=tuple(names[:NAMES_SHOWN]),
        modules=len(names),
        of=of,
        prefix="" if joins else prefix_around(names, modules, plain),
        joins=joins,
        splits=bool(joins) and pairs,
        model=model,
        of_image=len(names) < of and all(map(OF_IMAGE.search, names)),
    )


def is_pair(module: ChangedModule) -> bool:
    """True for a pair of matrices and its scale, without magnitudes of what these change together."""
    return module.method == "lora" and module.parts.keys() <= OF_PAIR


def _parts(name: str, modules: Sizes, plain: Callable[[str], str]) -> tuple[str, ...]:
    """The modules of the base that an absent one joins; none if it is no joined one or the base lacks one of them."""
    found = _NAME.fullmatch(name)
    if found is None:
        return ()
    parts = tuple(f"{found[1]}{one}" for one in JOINED[found[2]])
    there = any(all(plain(part) in own for part in parts) for own in modules.values())
    return parts if there else ()
