"""The findings on weights with names that no definition has."""

from __future__ import annotations

from inspector.findings.finding import Finding, Place
from inspector.matcher.claim import Claim
from inspector.matcher.families import Families


def unknown_architecture(config: Claim, families: Families, nearest: tuple[str, float] | None) -> list[Finding]:
    """The finding on a type that has no definition, or a definition with none of the names. nearest: (name, share of
    the names).
    """
    if config.definition is not None and config.model_type is not None:
        from inspector.dialects.libraries import library_of

        if (library := library_of(families)) is not None:
            return [_of_library(config, config.model_type, library)]
        from inspector.auditing.identity.written_names import written_otherwise

        if (written := written_otherwise(config, families)) is not None:
            return [written]
        from inspector.findings.names.architecture import NamesOfAnotherArchitecture

        return [
            NamesOfAnotherArchitecture(
                place=Place(key="model_type"),
                claimed=config.model_type,
                class_name=config.class_name,
                names=None,
                coverage=0.0,
            )
        ]
    if not config.class_name and not config.model_type:
        return _by_names(families)
    from inspector.dialects.catalog import dialect_of_type, may_know
    from inspector.findings.names.architecture import ArchitectureUnknown
    from inspector.loading.tables import is_supported

    mapped = bool(config.settings.values.get("auto_map"))
    name, coverage = nearest or (None, 0.0)
    known = dialect_of_type(config.model_type or "", families) if may_know(families) else None
    return [
        ArchitectureUnknown(
            place=Place(key="model_type"),
            model_type=config.model_type or config.class_name,
            nearest=name if coverage >= 0.2 else None,
            coverage=round(coverage, 3),
            code_in_repository=mapped,
            writer="" if known is None else known.writer,
            exporter="" if known is None else known.exporter,
            unsupported=config.model_type is not None and not mapped and not is_supported(config.model_type),
        )
    ]


def _of_library(config: Claim, model_type: str, library: str) -> Finding:
    from inspector.findings.names.of_library import NamesOfLibrary

    return NamesOfLibrary(
        place=Place(key="model_type"), claimed=model_type, class_name=config.class_name, library=library
    )


def _by_names(families: Families) -> list[Finding]:
    """The note on the library that writes these names, for weights without a config."""
    from inspector.dialects.libraries import library_of

    library = library_of(families)
    if library is None:
        return []
    from inspector.findings.names.of_library import LibraryByNames

    return [LibraryByNames(library=library, tensors=sum(family.tensors for family in families.values()))]
