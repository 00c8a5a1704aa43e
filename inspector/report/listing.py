"""The output of the smaller commands: counts, families, pages of documentation, architectures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from json.encoder import encode_basestring_ascii as _json_text
from typing import TYPE_CHECKING

from inspector.algebra.names import key_of
from inspector.architectures.catalog import definition_file, definition_of, modules, proofs
from inspector.dialects.catalog import writers_of
from inspector.findings.registry import all_findings, finding_type, page
from inspector.findings.words import count as counted
from inspector.findings.words import shape
from inspector.notation.definition import Architecture
from inspector.notation.roles import label
from inspector.reconciler.ledger import PARAMETER, Line
from inspector.report.bounded import Room
from inspector.report.clean import clean, figure, short
from inspector.report.counts_text import quantized_remark, rounded, without_formula
from inspector.report.json_v1 import counts_json, dumped, line_json
from inspector.report.screen import PLAIN, Screen
from inspector.report.text import family_text

if TYPE_CHECKING:
    from inspector.auditing.result import Audit
    from inspector.loader.checkpoint import Checkpoint
    from inspector.report.documents import (
        ArchitecturesDocument,
        CountDocument,
        DefinitionDocument,
        RuleDocument,
        RulesDocument,
        TensorsDocument,
    )


def count_text(audited: Audit) -> str:
    """The four counts with their meaning, as in the audit."""
    rows = _count_rows(audited)
    width = max(len(number) for _, number, _ in rows)
    lines = [f"{name:<19}{number:>{width}}  {meaning}" for name, number, meaning in rows]
    return "\n".join(lines) + "\n"


def count_markdown(audited: Audit) -> str:
    """The four counts with their meaning as a table."""
    from inspector.report.markdown import code, escaped, table

    rows = [(escaped(name.strip()), number, escaped(meaning)) for name, number, meaning in _count_rows(audited)]
    shown = table(("count", "number", "meaning"), rows, texts=(0, 2))
    return "\n".join((f"# {code(audited.title)}", "", *shown)) + "\n"


def _count_rows(audited: Audit) -> list[tuple[str, str, str]]:
    """(name, number, meaning) of each count."""
    counts = audited.counts
    expected = counts.expected_parameters
    in_short = f"{rounded(counts.unique_parameters)}, " if audited.verdict != "unreadable" else ""
    rows = [
        ("parameters", f"{counts.unique_parameters:,}", f"{in_short}of the model, ties counted once"),
        ("formula", figure(expected) if expected is not None else "-", _formula_meaning(audited)),
        ("stored parameters", f"{counts.parameters:,}", "with copies and extra components"),
        _stored(audited),
    ]
    lost = audited.incomplete
    if lost.tensors:
        rows.append(
            ("  lost", f"{lost.elements:,}", f"in {counted(lost.tensors, 'tensor')} cut off by the end of the file")
        )
    if counts.packed_elements:
        rows.append(("  quantized", f"{counts.packed_elements:,}", quantized_remark(audited)))
    return rows


def _stored(audited: Audit) -> tuple[str, str, str]:
    name, where = ("declared elements", "headers") if audited.incomplete.tensors else ("stored elements", "files")
    return name, f"{audited.counts.stored_elements:,}", f"all numbers in the {where}"


def count_json(audited: Audit) -> CountDocument:
    """The object of schema `inspector.count/1`."""
    return {
        "schema": "inspector.count/1",
        "source": audited.source,
        "counts": counts_json(audited.counts),
        "verdict": audited.verdict,
    }


def _formula_meaning(audited: Audit) -> str:
    if audited.components and audited.counts.expected_parameters is not None:
        return "expected by the configs of the components"
    if audited.architecture is None:
        return without_formula(audited)
    if audited.counts.expected_parameters is None:
        return "not all dims are known"
    solved = audited.case is not None and audited.case.solved
    return "expected by the shapes, without a config" if solved else "expected by the config"


def tensors_text(audited: Audit, screen: Screen = PLAIN) -> str:
    """Families with role, shape, dtype and index sets; of a pipeline, below the folder of their component."""
    if audited.components:
        parts = audited.components.items()
        return "\n".join(f"{clean(folder)}/\n{tensors_text(part, screen)}" for folder, part in parts)
    kinds = ((line, "" if line.kind == PARAMETER else line.kind) for line in Room().lines(audited.lines, {}))
    return "".join(f"{text}\n" for line, kind in kinds for text in family_text(line, screen, kind))


def every_tensor_text(audited: Audit) -> Iterator[str]:
    """Single tensors in the order of the files, a line each; of a pipeline, after the folder of their component."""
    for folder, part in _parts(audited):
        roles, before = _roles(part), f"{clean(folder)}/" if folder else ""
        for name, layout in part.checkpoint.tensors.items():
            yield f"{before}{clean(name)}  {shape(layout.shape)} {layout.dtype}  {label(roles(name))}\n"


def _parts(audited: Audit) -> Iterable[tuple[str, Audit]]:
    """The audits with tensors of their own by their folders: the components of a pipeline, else the audit itself."""
    return audited.components.items() if audited.components else (("", audited),)


def _roles(audited: Audit) -> Callable[[str], str]:
    """A function from a tensor's name to its role."""
    prefix = audited.case.reading.prefix if audited.case is not None else ""
    by_key: dict[str, list[Line]] = {}
    for line in audited.lines:
        if line.role != "unknown":
            by_key.setdefault(line.family, []).append(line)
    if not by_key:
        return lambda name: "unknown"

    def role(name: str) -> str:
        bare = name.removeprefix(prefix) if not prefix.startswith("*") else name.replace(prefix[1:], "")
        key, index = key_of(bare)
        for line in by_key.get(key, ()):
            for box in line.boxes:
                if all(one in span for one, span in zip(index, box, strict=False)):
                    return line.role
        return "unknown"

    return role


def tensors_json(audited: Audit) -> TensorsDocument:
    """The object of schema `inspector.tensors/1`."""
    omitted: dict[str, int] = {}
    lines = Room().lines(audited.lines, omitted)
    return {
        "schema": "inspector.tensors/1",
        "source": short(audited.source),
        "families": [line_json(line) for line in lines],
        "omitted": omitted,
    }


def every_tensor_json(audited: Audit) -> Iterator[str]:
    """The text of the same object with all tensors, piece by piece."""
    yield dumped({**tensors_json(audited)}).removesuffix("\n}\n")
    yield ',\n "tensors": ['
    before = "\n"
    for folder, part in _parts(audited):
        for line in _tensor_lines(_roles(part), part.checkpoint, folder):
            yield before
            yield line
            before = ",\n"
    yield "\n ]\n}\n"


def _tensor_lines(role: Callable[[str], str], checkpoint: Checkpoint, folder: str) -> Iterator[str]:
    """The object of each tensor, in one line. folder: that of the component of a pipeline, else empty."""
    tails: dict[tuple[int, str, str], str] = {}  # layouts by identity, which is stable here: the checkpoint keeps them
    file_of, title = checkpoint.file_of, checkpoint.title
    for name, layout in checkpoint.tensors.items():
        own = (id(layout), file_of.get(name, title), role(name))
        tail = tails.get(own)
        if tail is None:
            _, file, meaning = own
            below = f"{folder}/{file}" if folder else file
            stored = {"elements": layout.elements, "bytes": layout.bytes, "file": below}
            rest = {"role": meaning, "dtype": layout.dtype, "shape": list(layout.shape), **stored}
            tail = tails[own] = ", " + json.dumps(rest)[1:]
        yield f'  {{"name": {_json_text(name)}{tail}'


def explain_text(code: str, screen: Screen = PLAIN) -> str:
    """The page of a finding; 'all': a line for each."""
    if code == "all":
        lines = []
        for name, finding in all_findings().items():
            first = page(finding).split("\n", 1)[0]
            text = f"{finding.code}  {finding.severity:<8} {name}: {first}"
            lines.extend(screen.wrapped(text, rest=" " * 15))
        return "\n".join(lines) + "\n"
    found = finding_type(code)
    assert found is not None
    return f"{found.code} {found.name} ({found.severity})\n\n{_page(page(found), screen)}\n"


def _page(text: str, screen: Screen) -> str:
    """A page wrapped for the screen; its example is not wrapped."""
    parts: list[str] = []
    title = ""
    for block in text.split("\n\n"):
        first, _, rest = block.partition("\n")
        if rest and not first.startswith(" "):
            title = first
        if title == "Example":  # as it is printed, from the left edge
            parts.append(block.replace("\n    ", "\n"))
            continue
        if "\n" not in block:
            parts.append("\n".join(screen.wrapped(block)))
            continue
        body = "\n".join(screen.wrapped(" ".join(rest.split()), first="    ", rest="    "))
        parts.append(f"{first}\n{body}")
    return "\n\n".join(parts)


def rules_json(code: str) -> RulesDocument:
    """One rule's page, or all of them."""
    wanted = list(all_findings().values()) if code == "all" else [finding_type(code)]
    pages: list[RuleDocument] = [
        {"code": one.code, "name": one.name, "severity": one.severity, "page": page(one)}
        for one in wanted
        if one is not None
    ]
    return {"schema": "inspector.rules/1", "rules": pages}


def _proven() -> Iterator[str]:
    """All model types in three columns: name, number of saved models, number of published sizes it is
    checked against.
    """
    found = proofs()
    yield f"{len(found)} model types are supported. Each is checked against"
    yield "  saved      models built and saved by the library itself, every shape"
    yield "  published  published totals, to the last parameter"
    yield "or, where it has no such data, 'as NAME' through a type with the same definition;"
    yield "'layout only' is read from the library's code, without a model to check it."
    yield ""
    wide = max(map(len, found))
    yield f"{'model type':<{wide}}  saved  published"
    for name in sorted(found, key=str.casefold):
        saved, published = found[name]["records"], found[name]["published"]
        reported = "" if saved or published else f"  {_like(name)}"
        yield f"{name:<{wide}}  {saved or '-':>5}  {published or '-':>9}{reported}"


def _like(name: str) -> str:
    """For a type that is not checked itself: a type with the same definition that is."""
    place = modules()[name]
    alike = [other for other, where in modules().items() if where == place and any(proofs()[other].values())]
    return f"as {alike[0]}" if alike else "layout only"


def architecture_text(name: str | None, screen: Screen = PLAIN) -> str:
    """All model types with a definition; or the config keys, classes and names of one definition."""
    if name is None:
        return "\n".join(_proven()) + "\n"
    definition = definition_of(name)
    assert definition is not None
    heads = ", ".join(one for entry in definition.heads for one in entry.names if one)
    lines = [name, ""]
    for entry, text in (
        ("file", definition_file(name)),
        ("model types", ", ".join(definition.names)),
        ("classes", heads),
        ("ties", definition.ties.replace(" | ", ", else ") if heads else ""),
        ("symbols", " · ".join(f"{symbol} = {text}" for symbol, text in definition.dims.items())),
        ("checked on", _proof(name)),
        ("naming", _spellings(definition, "diffusers" if not heads else "transformers")),
    ):
        lines.extend(screen.wrapped(f"{entry:<12}{text}", rest=" " * 12) if text else ())
    return "\n".join(lines) + "\n"


def _spellings(definition: Architecture, library: str) -> str:
    """Number of supported naming schemes, and their programs. library: the library of the described classes."""
    others = writers_of(definition.names)
    named = ", ".join(filter(None, (*(definition.writers or (library,)), *others)))
    return f"{len(definition.dialects) + len(others)} ({named})"


def _proof(name: str) -> str:
    saved, published = proofs()[name]["records"], proofs()[name]["published"]
    if not saved and not published:
        return _like(name)
    return f"{saved:,} saved model{'s' * (saved != 1)}, {published:,} published size{'s' * (published != 1)}"


def architectures_json(name: str | None) -> ArchitecturesDocument:
    """The object of schema `inspector.architectures/1`."""
    wanted = sorted(modules()) if name is None else [name]
    found: list[DefinitionDocument] = []
    for one in wanted:
        definition = definition_of(one)
        if definition is not None:
            heads = [suffix for entry in definition.heads for suffix in entry.names if suffix]
            checked = proofs()[one]
            found.append(
                {
                    "name": one,
                    "file": definition_file(one),
                    "classes": heads,
                    "ties": definition.ties,
                    "symbols": dict(definition.dims),
                    "checked": {"records": checked["records"], "published": checked["published"]},
                }
            )
    return {"schema": "inspector.architectures/1", "architectures": found}
