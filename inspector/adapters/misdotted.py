"""Names of an adapter's modules that have a dot where the base's names have an underscore, or the other way round.

Only names in Kohya's scheme have underscores for dots. Programs compare dotted names as a whole: diffusers 0.42 raises
ValueError for `blocks.0.cross_attn.k.img` of Wan, whose module is `cross_attn.k_img` (measured), and ComfyUI
(`comfy/lora.py`) leaves it out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from inspector.adapters.changed_modules import ChangedModule
from inspector.adapters.misspelled import is_of_diffusers, is_of_flux, read_name
from inspector.adapters.names import renames_of
from inspector.adapters.tool_base import PREFIXES, BaseModules, component_name, plain
from inspector.algebra.boxes import tuples
from inspector.algebra.names import key_of, name_of
from inspector.findings.finding import Finding
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

DOTTED_PREFIXES: Final = tuple(one.replace("base_model_model_", "base_model.model.") for one in PREFIXES)


def misdotted(modules: Sequence[ChangedModule], base: BaseModules, families: Families) -> Iterator[Finding]:
    """The finding on modules with a dot in the wrong place; not for names that no program reads in any case."""
    keys = [key for one in modules for key, _ in one.parts.values()]
    flux, diffusers = is_of_flux(keys), is_of_diffusers(keys)
    known: dict[str, dict[str, list[str]]] = {}
    named: dict[str, str] = {}
    for one in modules:
        if "." not in one.name:
            continue
        component = component_name(one.component, base) or ""
        if component not in known:
            known[component] = _by_plain(base.spelled.get(component, ()))
        wanted = _wanted(one, known[component])
        if wanted is None:
            continue
        for key, _ in one.parts.values():
            before, found, after = key.rpartition(one.name)
            if found and read_name(key, of_flux=flux, of_diffusers=diffusers) == key:
                named[key] = f"{before}{wanted}{after}"
    if not named:
        return
    from inspector.findings.adapters.misspelled import AdapterNamesMisspelled

    first = next(iter(named))
    boxes = families[first].stored[0].boxes
    yield AdapterNamesMisspelled(
        tensors=sum(families[key].tensors for key in named),
        of=sum(families[key].tensors for key in keys),
        stored=names_in(first, boxes, 1)[0],
        wanted=names_in(named[first], boxes, 1)[0],
        renames=renames_of(named, named.__getitem__, families),
    )


def _by_plain(names: Collection[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(plain(name), []).append(_short(name))
    return found


def _short(name: str) -> str:
    """A name without the prefixes that `plain` removes."""
    for prefix in DOTTED_PREFIXES:
        name = name.removeprefix(f"{prefix.rstrip('_.')}.")
    return name


def _wanted(module: ChangedModule, known: dict[str, list[str]]) -> str | None:
    """The name of the module in the base, with # for its indices; None if it has the name, or if it is not known."""
    index = next((index for box in module.everywhere for index in tuples(box)), ())
    name = _short(name_of(module.name, index) if "#" in module.name else module.name)
    names = known.get(plain(name), [])
    if not names or name in names or any("." not in one for one in names):
        return None
    own, _ = key_of(names[0])
    before = module.name[: len(module.name) - len(_short(module.name))]
    return before + own if own.count("#") == module.name.count("#") else None
