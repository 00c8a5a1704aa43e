"""What a finding is: a frozen record with its place, its facts, its words and its remedy.

A stage of the audit creates the records; nothing else words them, so that all formats agree. The class
docstring of a finding is its page (`inspector explain CODE`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isfinite
from typing import Any, ClassVar, Final, Self

import msgspec

SEVERITIES = ("error", "warning", "note")
"""Worst first."""

UNREAD: Final = "cannot be read"
"""In the reason of a loader that refuses a file for a finding on it."""
NO_QUANTIZER: Final = "it has no quantizer for"
"""How the reason begins for which a loader does not read another program's quantization."""
NAMES_SHOWN: Final = 20
"""Most names in one finding; how many there are is a separate field."""
UNFINISHED: Final = (
    ".incomplete", ".aria2", ".part", ".crdownload", ".partial", ".opdownload", ".xltd", ".downloading"
)  # fmt: skip
"""Endings of files that download programs are still writing."""
PACKED: Final = (".gz", ".bz2", ".xz", ".zst")
"""Endings of single files that are compressed."""
ARCHIVES: Final = (".zip", ".7z", ".rar", ".tar", ".tgz", ".txz", *(f".tar{ending}" for ending in PACKED))
"""Endings of files that hold others."""

Rows = list[tuple[str, str]]
"""Label and text of the lines below the headline."""
RowTexts = tuple[tuple[str, ...], ...]
"""Label and template of each line, and where a third element names a field: left out without it."""


class Place(msgspec.Struct, frozen=True):
    """Where: any of a file of the checkpoint, a tensor, a family of tensors, a config key.

    indices: exact index set in words, "layers 0, 2, 4-28".
    """

    file: str | None = None
    tensor: str | None = None
    family: str | None = None
    indices: str | None = None
    key: str | None = None

    @property
    def name(self) -> str:
        """The tensor, or the family of tensors."""
        return self.tensor or str(self.family)

    @property
    def where(self) -> str:
        """The indices of a family; those of a single tensor are in its name."""
        return (self.indices or "") if not self.tensor else ""


class Component(msgspec.Struct, frozen=True):
    """The component of a pipeline in which something was found, and the place as its own audit states it."""

    name: str
    place: Place


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One change that a program can make, with the fields of schema `inspector.mend/1`.

    action: set, remove, rename, write, move, truncate or fetch. key: segments, since names contain dots.
    old, new: values before and after (`from` and `to` in JSON).
    """

    action: str
    file: str | None = None
    key: tuple[str, ...] = ()
    old: Any = msgspec.field(default=msgspec.UNSET, name="from")
    new: Any = msgspec.field(default=msgspec.UNSET, name="to")

    def below(self, folder: str) -> Self:
        """The same step for a file in a folder."""
        file = None if self.file is None else f"{folder}/{self.file}"
        new = f"{folder}/{self.new}" if self.action == "move" and isinstance(self.new, str) else self.new
        return msgspec.structs.replace(self, file=file, new=new)


class Remedy(msgspec.Struct, frozen=True):
    """What to do: one sentence for people, and the same as steps for programs where steps can do it.

    Both are empty where nothing needs doing. choice: several remedies fit the weights equally well, so that a person
    has to choose; there are no steps then.
    """

    words: str = ""
    steps: tuple[Step, ...] = ()
    choice: bool = False


NOTHING_TO_DO = Remedy()


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all findings. A subclass adds its facts as fields.

    code, severity: of the class. name: that of the class in kebab case. confidence: "certain" or "likely".
    from_component: in the audit of a pipeline, where `place` is the place in the pipeline.
    reference: what the reference reader says of the file, where it was asked. same_fault_in: other files of the set
    with the same fault.

    unreadable: whether it is about what closes a file to loaders. incomplete: whether files or tensors are lost that an
    index of the others would leave out, so that loaders took these for the whole model. mended: whether mend carries
    out its remedy although it is a note. of_another_type: whether it says that the model type of the config is not that
    of the weights. of_loader: whether it says what a loader does.

    A field without a default is always in `facts`. With `omit_defaults=True` in a class, fields that have their
    default are left out.

    headline_text, row_texts, remedy_text: what the methods return, with the names of fields as in
    `inspector.findings.templates`; a third element of a row is a field without which the row is left out. A class has
    a method of its own where its words depend on more.
    """

    code: ClassVar[str] = ""
    name: ClassVar[str] = ""
    severity: ClassVar[str] = "error"
    unreadable: ClassVar[bool] = False
    incomplete: ClassVar[bool] = False
    mended: ClassVar[bool] = False
    of_another_type: ClassVar[bool] = False
    of_loader: ClassVar[bool] = False
    headline_text: ClassVar[str] = "{place.file}"
    row_texts: ClassVar[RowTexts] = ()
    remedy_text: ClassVar[str] = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.name = re.sub(r"\B(?=[A-Z])", "-", cls.__name__).lower()

    place: Place = Place()
    confidence: str = "certain"
    from_component: Component | None = None
    reference: str = ""
    same_fault_in: tuple[str, ...] = ()

    def headline(self) -> str:
        """The text behind "error[D501] shape-differs: "."""
        from inspector.findings.templates import filled

        return filled(self.headline_text, self)

    def rows(self) -> Rows:
        """Label and text of the lines below the headline."""
        if not self.row_texts:
            return []
        from inspector.findings.templates import filled_rows

        return filled_rows(self.row_texts, self)

    def remedy(self) -> Remedy:
        """What to do about it."""
        if not self.remedy_text:
            return NOTHING_TO_DO
        from inspector.findings.templates import filled

        return Remedy(filled(self.remedy_text, self))

    @property
    def unread(self) -> str:
        """Why a loader does not open the file that it is about."""
        return f"{self.place.file or 'a shard'} {UNREAD}: {self.name}"

    @property
    def closes_file(self) -> bool:
        """True if no loader opens the file that it is about."""
        return self.unreadable

    @classmethod
    def milder(cls) -> type[Finding] | None:
        """The class of the finding that it becomes, or already is, where the intended loader loads completely."""
        return None

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """What it is once it is known what the loader does that the checkpoint is made for; None where it is nothing.

        loader: with its version. outcome, because: of `inspector.loading.outcome.Load`.
        """
        milder = self.milder() if outcome == "complete" else None
        return self if milder is None or isinstance(self, milder) else milder(**self.stated_fields())

    def stated_fields(self) -> dict[str, Any]:
        """All fields with their values, for a finding of a related class."""
        return {name: getattr(self, name) for name in self.__struct_fields__}

    def within(self, component: str, place: Place) -> Self:
        """The same finding in the audit of a pipeline that has the checkpoint as a component."""
        return msgspec.structs.replace(self, place=place, from_component=Component(component, self.place))

    def __str__(self) -> str:
        """The finding as reports print it, without line breaks inside a row."""
        rows = [*self.lines, *([("help", self.help)] if self.help else [])]
        width = max((len(label) for label, _ in rows), default=0)
        likely = " (likely)" if self.confidence == "likely" else ""
        lines = [f"{self.severity}[{self.code}] {self.name}: {self.title}{likely}"]
        return "\n".join((*lines, *(f"  {label:<{width}}  {text}" for label, text in rows)))

    @property
    def title(self) -> str:
        """The headline, after the name of the component it is about."""
        headline = self.of_component().headline()
        return f"{self.from_component.name}: {headline}" if self.from_component else headline

    @property
    def lines(self) -> Rows:
        """The rows, worded for the component it is about, and the answer of the reference reader."""
        rows = self.of_component().rows()
        if self.same_fault_in:
            from inspector.findings.words import first

            rows = [*rows, ("also", f"{first(self.same_fault_in, len(self.same_fault_in))}, in the same way")]
        return [*rows, ("reference", self.reference)] if self.reference else rows

    @property
    def help(self) -> str:
        """The remedy in words, worded for the component it is about."""
        words = self.of_component().remedy().words
        if not self.same_fault_in:
            return words
        several = words.replace("this file", "these files").replace("the file", "the files")
        return several.replace("download it again", "download them again")

    @property
    def steps(self) -> tuple[Step, ...]:
        """The remedy as steps; files of a component are below its folder."""
        whole = self.of_component()
        steps, component = whole.remedy().steps, self.from_component
        if self.same_fault_in and not any(one.file == self.same_fault_in[0] for one in steps):
            own = [one for one in steps if one.file == whole.place.file]
            steps = (*steps, *(msgspec.structs.replace(one, file=name) for name in self.same_fault_in for one in own))
        return steps if component is None else tuple(step.below(component.name) for step in steps)

    @property
    def message(self) -> str:
        """The title and its rows in one line."""
        return "; ".join([self.title, *(f"{label} {text}" for label, text in self.lines)])

    @property
    def facts(self) -> dict[str, Any]:
        """The fields of the subclass as plain JSON values under their JSON names."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        return {name: as_json(value) for name, value in values.items() if name not in COMMON}

    def of_component(self) -> Self:
        """The same finding with the place as the component's own audit states it."""
        component = self.from_component
        return self if component is None else msgspec.structs.replace(self, place=component.place)


class ContentFinding(Finding, frozen=True, kw_only=True):
    """Base of findings on what the weights hold, by their config and definition: other weights may not have it."""


def as_json(value: Any) -> Any:
    """A plain value as JSON has it: lists for tuples, None for NaN and infinity."""
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return {name: as_json(item) for name, item in value.items()} if isinstance(value, dict) else value


COMMON = frozenset(Finding.__struct_fields__)
"""Fields that are not facts."""


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """The worst first, otherwise in the order given."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Each once, the worst first: findings with the same code, message and file are one."""
    once: dict[tuple[str, str, str | None], Finding] = {}
    for finding in findings:
        once.setdefault((finding.code, finding.message, finding.place.file), finding)
    return ordered(once.values())
