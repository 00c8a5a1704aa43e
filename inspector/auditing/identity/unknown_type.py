"""The findings on weights with names that no definition has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inspector.dialects.timm import TYPE as OF_TIMM
from inspector.findings.finding import Finding, Place
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families, rekeyed

if TYPE_CHECKING:
    from inspector.findings.names.prefixes import PrefixOnNames

WRAPPING: Final = "model."
"""The prefix of an object that contains the model, such as the module of Lightning."""
PARALLEL: Final = "module."
"""The prefix of DataParallel, which some programs remove; the other prefixes of wrappers begin with an underscore."""
AROUND: Final = frozenset({WRAPPING, "backbone.", "module.backbone."})
"""Prefixes of a library's model inside a model of other code, if there are other names beside them."""
ONLY_BELOW: Final = {"Meta's sam3": "detector."}
"""The prefix below which a library's own model is in its files: its loader selects these names and ignores all others.

Source: `_load_checkpoint` in sam3's `model_builder.py`.
"""


def unknown_architecture(config: Claim, families: Families, nearest: tuple[str, float] | None) -> list[Finding]:
    """The finding on a type that has no definition, or a definition with none of the names. nearest: (name, share of
    the names).
    """
    if wrapped := _wrapper(config, families):
        inner = rekeyed(families, lambda key: key.removeprefix(wrapped.prefix))
        return [wrapped, *unknown_architecture(config, inner, nearest)]
    if config.definition is not None and config.model_type is not None:
        return [_of_known_type(config, config.model_type, families)]
    if not config.class_name and not config.model_type:
        return [*by_names(families), *_sizes(config, families)]
    from inspector.dialects.catalog import dialect_of_type, may_know
    from inspector.findings.names.architecture import ArchitectureUnknown
    from inspector.loading.tables import is_supported

    mapped = bool(config.settings.values.get("auto_map"))
    name, coverage = nearest or (None, 0.0)
    of_timm = config.model_type == OF_TIMM
    known = dialect_of_type(config.model_type or "", families) if may_know(families) else None
    from inspector.dialects.libraries import library_of

    library = "timm" if of_timm else _mlx(config) or (None if mapped else library_of(families))
    from inspector.auditing.identity.timm_classes import names_of_transformers, other_classes, other_positions

    if of_timm and (differing := list(names_of_transformers(config.settings.values, families))):
        return list(differing)
    return [
        *(other_classes(config.settings.values, families) if of_timm else ()),
        *(other_positions(config.settings.values, families) if of_timm else ()),
        ArchitectureUnknown(
            place=Place(key="model_type"),
            model_type=config.model_type or config.class_name,
            nearest=name if coverage >= 0.2 else None,
            coverage=round(coverage, 3),
            code_in_repository=mapped,
            writer="" if known is None else known.writer,
            exporter="" if known is None else known.exporter,
            library=library or "",
            unsupported=config.model_type is not None and not mapped and not is_supported(config.model_type),
            prefix=PARALLEL if families and all(key.startswith(PARALLEL) for key in families) else "",
        ),
    ]


def _of_known_type(config: Claim, model_type: str, families: Families) -> Finding:
    """The finding on weights with none of the names of the definition that the config claims."""
    from inspector.auditing.identity.authors_layout import layout_of_authors
    from inspector.dialects.libraries import library_of

    if (own := layout_of_authors(config, families)) is not None:
        return own
    if (library := library_of(families)) is not None:
        return _of_library(config, model_type, library)
    from inspector.auditing.identity.written_names import written_otherwise

    if (written := written_otherwise(config, families)) is not None:
        return written
    from inspector.auditing.identity.cut_names import cut_names

    if (cut := cut_names(families, config)) is not None:
        return cut
    from inspector.findings.names.architecture import NamesOfAnotherArchitecture

    return NamesOfAnotherArchitecture(
        place=Place(key="model_type"), claimed=model_type, class_name=config.class_name, names=None, coverage=0.0
    )


def _mlx(config: Claim) -> str | None:
    """MLX, if the config has its quantization block: no code for torch reads these weights."""
    from inspector.loading.given import OF_MLX

    return "MLX" if isinstance(config.settings.values.get(OF_MLX), dict) else None


def _sizes(config: Claim, families: Families) -> list[Finding]:
    """The findings on the library's own config beside its weights."""
    if not config.settings.values:
        return []
    from inspector.auditing.identity.library_config import library_config
    from inspector.dialects.libraries import library_of

    library = library_of(families)
    return [] if library is None else list(library_config(library, config.settings.values, families))


def _wrapper(config: Claim, families: Families) -> PrefixOnNames | None:
    """The finding on a prefix of wrappers that all names have and no loader removes.

    OpenCLIP removes `module.`, as other programs may: alone, it is one only where transformers and timm read the names.
    """
    from inspector.matcher.spelling import WRAPPERS

    outer = [one for one in WRAPPERS if one.startswith("_") or one == PARALLEL]
    prefix = ""
    names: list[str] = []
    if config.model_type == OF_TIMM:
        outer.append(WRAPPING)
    while families:
        found = next((one for one in outer if all(key.startswith(prefix + one) for key in families)), None)
        if found is None:
            break
        prefix, names = prefix + found, [*names, WRAPPERS[found]]
    if not prefix or (prefix == PARALLEL and config.model_type != OF_TIMM):
        return None
    from inspector.findings.names.prefixes import PrefixOnNames

    tensors = sum(family.tensors for family in families.values())
    return PrefixOnNames(
        prefix=prefix, inside=False, wrapper=" and ".join(dict.fromkeys(names)), tensors=tensors, without=0
    )


def _of_library(config: Claim, model_type: str, library: str) -> Finding:
    from inspector.findings.names.of_library import NamesOfLibrary

    return NamesOfLibrary(
        place=Place(key="model_type"), claimed=model_type, class_name=config.class_name, library=library
    )


def by_names(families: Families) -> list[Finding]:
    """The findings on the library that writes these names, or on known parts, for weights without a config, and on the
    prefix of a wrapper.
    """
    found = _library_or_parts(families)
    from inspector.findings.names.of_library import LibraryReadsOthers

    if any(isinstance(one, LibraryReadsOthers) and one.below for one in found):
        return found
    from inspector.auditing.identity.parallel_prefix import parallel_prefix

    return [*found, *parallel_prefix(families)]


def _library_or_parts(families: Families) -> list[Finding]:
    from inspector.dialects.libraries import library_of, wrapper_of

    library = library_of(families)
    wrapper = wrapper_of(families)
    beside = wrapper in AROUND and not all(key.startswith(wrapper) for key in families)
    if library is None:
        from inspector.auditing.identity.cut_names import cut_names

        cut = cut_names(families)
        if cut is not None:
            return [cut]
    if library is None or beside:
        from inspector.auditing.identity.known_parts import parts_by_names

        parts = parts_by_names(families)
        if library is None or parts is not None:
            return [] if parts is None else [parts]
    from inspector.findings.names.of_library import LibraryByNames, LibraryReadsOthers

    tensors = sum(family.tensors for family in families.values())
    only = ONLY_BELOW.get(library, "")
    outer = (wrapper,) if only and wrapper else (WRAPPING,) if wrapper else ()
    below = next((one for one in outer if all(key.startswith(one) for key in families)), "")
    lacking = "" if any(key.startswith(below + only) for key in families) else only
    if below or lacking:
        return [LibraryReadsOthers(library=library, tensors=tensors, below=below, lacking=lacking)]
    return [LibraryByNames(library=library, tensors=tensors)]
