"""The base of all findings: a frozen record with its place, facts, words and remedy.

The stages of the audit create the records. Only the records contain words, so that all report formats agree. The class
docstring of a finding is its page (`inspector explain CODE`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isfinite
from typing import Any, ClassVar, Final, Self

import msgspec

SEVERITIES = ("error", "warning", "note")
"""Severities, the worst first."""

UNREAD: Final = "cannot be read"
"""Part of the reason of a loader that refuses a file because of a finding on it."""
NO_QUANTIZER: Final = "it has no quantizer for"
"""Beginning of the reason of a loader that does not read another program's quantization."""
DEQUANTIZED: Final = "mlx_lm.convert --dequantize"
"""What makes plain weights of those that MLX packs."""
NO_PROMPTS: Final = "it reads adapters of LoRA, and no prompts"
NOT_READ: Final = "it does not read per_layer_config"
"""Beginning of the reason for which a program builds layers of other widths than transformers."""
NO_METHOD: Final = "quantization_config states no quant_method"
NOT_UNTIED: Final = "does not untie it"
ARGS_REQUIRE: Final = "its ModelArgs require"
"""Beginning of the reason why mlx-lm does not build its model: keys that the config does not state."""
NO_OWN_HEAD: Final = "lm_head.weight is not in its model, whose head is the embedding"
NOT_INITIALISED: Final = "weights are not initialised"
"""Beginning of the reason of a loader that accepts no missing tensor."""
NO_FILE: Final = "no file is named"
"""Beginning of the reason for which a loader finds no weights."""
NO_SETTINGS: Final = "it builds its image processor from"
"""Beginning of the reason for which a loader refuses a folder without this file."""
NO_ADAPTER: Final = "a Mamba model has no adapter of this kind for it"
"""Reason, after the module, of PEFT for a module that it refuses to change."""
NAMES_SHOWN: Final = 20
"""Most names in one finding; their total number is a separate field."""
UNFINISHED: Final = (
    ".incomplete", ".aria2", ".part", ".crdownload", ".partial", ".opdownload", ".xltd", ".downloading", ".fdmdownload",
    ".!qB", ".!ut", "_part", "-partial", "_.gstmp",
)  # fmt: skip
"""Endings of files that download programs are still writing: browsers and the like, sentence-transformers (`_part`),
ollama (`-partial`), gsutil.
"""
ZERO_SCRIPT: Final = "zero_to_fp32.py"
"""What DeepSpeed writes beside the folder of its partitions to merge them."""
OF_OPTIMIZER: Final = "optim"
"""Beginning of the names of folders with the state of an optimizer, not of the model."""
PACKED: Final = (".gz", ".bz2", ".xz", ".zst")
"""Endings of single files that are compressed."""
ARCHIVES: Final = (".zip", ".7z", ".rar", ".tar", ".tgz", ".txz", *(f".tar{ending}" for ending in PACKED))
"""Endings of files that contain other files."""

Rows = list[tuple[str, str]]
"""Label and text of each line below the headline."""
RowTexts = tuple[tuple[str, ...], ...]
"""Label and template of each line. A third element names a field: the line is left out if the field is empty."""


class Place(msgspec.Struct, frozen=True):
    """The place of a finding: a file of the checkpoint, a tensor, a family of tensors or a config key, or several of
    these.

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
        """The indices of a family; "" for a single tensor, which has them in its name."""
        return (self.indices or "") if not self.tensor else ""


class Component(msgspec.Struct, frozen=True):
    """The component of a pipeline that a finding is on, and the place within the component."""

    name: str
    place: Place


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One change that a program can make, with the fields of schema `inspector.mend/1`.

    action: set, remove, rename, write, move, truncate or fetch. key: a list of segments, since names contain dots. old,
    new: values before and after (`from` and `to` in JSON).
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
    """What to do: one sentence for users, and the same as steps for programs if possible.

    Both are empty if nothing needs to be done. choice: several remedies fit the weights equally well, so that the user
    must choose; steps is then empty.
    """

    words: str = ""
    steps: tuple[Step, ...] = ()
    choice: bool = False


NOTHING_TO_DO = Remedy()


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all findings. A subclass adds its facts as fields.

    code, severity: of the class. name: the class name in kebab case. confidence: "certain" or "likely". from_component:
    in the audit of a pipeline, the component; `place` is then the place in the pipeline. reference: the answer of the
    reference reader on the file, if it was used. same_fault_in: other files of the set with the same fault.
    of_side: in a comparison, whose audit the finding is of: "source", "target" or "both".

    unreadable: the fault prevents loaders from opening a file. incomplete: files or tensors are lost, so that an index
    of only the others would pass for a complete model. mended: mend carries out the remedy although the finding is a
    note. of_another_type: the model type of the config is not that of the weights. of_loader: the finding is on the
    behaviour of a loader. advises: a note on what a program refuses, so that a short report shows its remedy, too.

    A field without a default is always in `facts`. With `omit_defaults=True` in a class, fields that have their
    default are left out.

    headline_text, row_texts, remedy_text: templates for the results of the methods, as described in
    `inspector.findings.templates`. A class overrides a method if a template is not enough.
    """

    code: ClassVar[str] = ""
    name: ClassVar[str] = ""
    severity: ClassVar[str] = "error"
    unreadable: ClassVar[bool] = False
    incomplete: ClassVar[bool] = False
    mended: ClassVar[bool] = False
    of_another_type: ClassVar[bool] = False
    of_loader: ClassVar[bool] = False
    advises: ClassVar[bool] = False
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
    of_side: str = ""

    def headline(self) -> str:
        """The text that follows "error[D501] shape-differs: "."""
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
        """Why a loader does not open the file of the finding."""
        return f"{self.place.file or 'a shard'} {UNREAD}: {self.name}"

    @property
    def content_unknown(self) -> bool:
        """True if a file exists, but the network did not deliver it: nothing follows for the checkpoint itself."""
        return False

    @property
    def closes_file(self) -> bool:
        """True if no loader opens the file of the finding."""
        return self.unreadable

    def refusal_of_llama_cpp(self, first: str) -> str:
        """The message with which llama.cpp refuses a model that has this finding; "" if the finding is no reason.

        first: the first file of the audited set.
        """
        return ""

    @classmethod
    def milder(cls) -> type[Finding] | None:
        """The class that this finding changes to, or already has, if the intended loader loads completely."""
        return None

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """The finding to report, given what the intended loader does; None if there is nothing to report.

        loader: its name with the version. outcome, because: as in `inspector.loading.outcome.Load`.
        """
        milder = self.milder() if outcome == "complete" else None
        return self if milder is None or isinstance(self, milder) else milder(**self.stated_fields())

    def stated_fields(self) -> dict[str, Any]:
        """All fields with their values, for creating a finding of a related class."""
        return {name: getattr(self, name) for name in self.__struct_fields__}

    def within(self, component: str, place: Place) -> Self:
        """The same finding in the audit of a pipeline that contains the checkpoint as a component."""
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
        """The headline, preceded by the name of the component, if any."""
        headline = self.of_component().headline()
        return f"{self.from_component.name}: {headline}" if self.from_component else headline

    @property
    def lines(self) -> Rows:
        """The rows with the name of the component, if any, the answer of the reference reader, and the side."""
        rows = self.of_component().rows()
        if self.same_fault_in:
            from inspector.findings.words import first

            rows = [*rows, ("also", f"{first(self.same_fault_in, len(self.same_fault_in))}, in the same way")]
        if self.reference:
            rows = [*rows, ("reference", self.reference)]
        return [*rows, ("side", self.of_side)] if self.of_side else rows

    @property
    def help(self) -> str:
        """The remedy in words, with the name of the component, if any."""
        words = self.of_component().remedy().words
        if self.from_component is not None:
            folder, file = self.from_component.name, self.from_component.place.file or "config.json"
            words = words.replace(f" in {file}", f" in {folder}/{file}")
        if not self.same_fault_in:
            return words
        several = words.replace("this file", "these files").replace("the file", "the files")
        return several.replace("download it again", "download them again")

    @property
    def steps(self) -> tuple[Step, ...]:
        """The remedy as steps. Files of a component are below its folder."""
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
        """The same finding with the place within the component."""
        component = self.from_component
        return self if component is None else msgspec.structs.replace(self, place=component.place)


class ContentFinding(Finding, frozen=True, kw_only=True):
    """Base of findings on the content of the weights by their config and definition; other weights may
    not have them.
    """


def as_json(value: Any) -> Any:
    """A plain value for JSON: lists for tuples, None for NaN and infinity."""
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return {name: as_json(item) for name, item in value.items()} if isinstance(value, dict) else value


COMMON = frozenset(Finding.__struct_fields__)
"""Fields that are not facts."""


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, the worst first, otherwise in the given order."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """The distinct findings, the worst first. Findings with the same code, message and file are the same."""
    once: dict[tuple[str, str, str | None], Finding] = {}
    for finding in findings:
        once.setdefault((finding.code, finding.message, finding.place.file), finding)
    return ordered(once.values())
