"""Modules that are stored quantized although vLLM builds them without quantization."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from inspector.auditing.result import Audit
from inspector.loading.vllm_plain import STEP, is_plain, sizes_in_the_way
from inspector.reconciler.wording import family_name

ROUTER: Final = "router"
"""Beginning of the roles of routers: the classes of vLLM build them with `quant_config=None`."""
WEIGHT: Final = ".weight"


def built_plain(audited: Audit) -> str:
    """The families of modules that are stored quantized and that vLLM builds plain; "" if it builds none so."""
    from inspector.findings.words import listed

    return listed([family_name(one) for one in _families(audited)], 4)


def refused_plain(audited: Audit) -> str:
    """Why vLLM refuses modules that it builds plain; "" if there are none."""
    families = _families(audited)
    if not families or audited.unpacked is None:
        return ""
    method, named = audited.unpacked.settings.base.method, built_plain(audited)
    sizes = sizes_in_the_way(audited.class_name, _values(audited), method, families[-1])
    because = f", as {' and '.join(map(str, sizes))} is no multiple of {STEP}" if sizes else ""
    return f"it builds {named} without quantization{because}, and the file has it quantized"


def _families(audited: Audit) -> list[str]:
    """The first family of routers, or all families of other modules."""
    packed = [line for line in audited.lines if line.packed is not None]
    routers = [line.family.removesuffix(WEIGHT) for line in packed if line.role.startswith(ROUTER)]
    if routers:
        return routers[:1]
    if audited.unpacked is None:
        return []
    values, method = _values(audited), audited.unpacked.settings.base.method
    modules = dict.fromkeys(line.family.removesuffix(WEIGHT) for line in packed)
    return [one for one in modules if is_plain(audited.class_name, values, method, one)]


def _values(audited: Audit) -> Mapping[str, Any]:
    config = audited.checkpoint.config
    return {} if config is None else config.values
