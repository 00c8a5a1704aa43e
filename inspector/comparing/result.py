"""The result of comparing two checkpoints: by role, and by file if one side is a repository."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from inspector.auditing.result import Audit, Skipped
from inspector.comparing.names import FileNames
from inspector.comparing.tally import Carried, LogicalTensor, OneSidedTensors
from inspector.comparing.uncounted import Uncounted
from inspector.findings.finding import Finding

if TYPE_CHECKING:
    from inspector.values.result import Values


class Files(Struct, frozen=True):
    """Differences of files. The reference is a commit of a repository; the other side is a folder or another commit.

    same: number of files of equal size, `proven` of them with equal content; the content of
    `unproven` large files was not read. local: the other side is a folder. hashed: large files were read and hashed.
    differing, missing, extra: paths.
    """

    reference: str
    commit: str
    other: str
    of: int
    same: int
    proven: int
    unproven: int
    unproven_bytes: int
    differing: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    local: bool
    hashed: bool


class RoleDifference(Struct, frozen=True):
    """Parameters of one role on both sides, and the conversion between them.

    source = carried + dropped, target = carried + added (`invented`); the three are None for different models. how:
    "same", "transposed", "concatenated", "split", "stacked", "padded", "retyped", "packed", "tied", … because: the
    symbols that differ; if nothing is lost, the dtypes. types: every change of dtype or packing.
    """

    role: str
    source: int
    target: int
    because: str
    carried: int | None = None
    dropped: int | None = None
    invented: int | None = None
    how: tuple[str, ...] = ()
    types: tuple[str, ...] = ()

    @property
    def difference(self) -> int:
        """Target minus source."""
        return self.target - self.source


class TargetCounts(Struct, frozen=True):
    """One of several targets. path: as given. The other fields are as in the comparison, for this target only."""

    path: str
    source: int
    target: int
    carried: int
    dropped: int
    invented: int


class TensorMapping(Struct, frozen=True):
    """One logical tensor on both sides. indices: {"layer": 3, "expert": 7}. steps: as in `how` of its role."""

    role: str
    indices: Mapping[str, int]
    source: LogicalTensor
    target: LogicalTensor
    steps: tuple[str, ...]


class Comparison(Struct, frozen=True, kw_only=True):
    """A comparison of two audits. relation: "conversion" or "different"; carried and dropped as in the JSON.

    parameters: unique logical parameters of both sides. carriage: corresponding tensors, by family; `tensors` lists
    them one by one. only_source, only_target: tensors without a counterpart. targets, projector: for a comparison with
    llama.cpp's two files. skipped: checks that headers do not allow. values: results of reading values, if they were
    read. uncounted: tensors that are not parameters.
    """

    source: Audit
    target: Audit
    relation: str
    roles: tuple[RoleDifference, ...]
    carried: int | None = None
    dropped: int | None = None
    invented: int | None = None
    findings: tuple[Finding, ...]
    verdict: str
    parameters: tuple[int, int] = (0, 0)
    carriage: tuple[Carried, ...] = ()
    only_source: tuple[OneSidedTensors, ...] = ()
    only_target: tuple[OneSidedTensors, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    files: Files | None = None
    values: Values | None = None
    targets: tuple[TargetCounts, ...] = ()
    projector: Audit | None = None
    uncounted: Uncounted = Uncounted()

    def tensors(self) -> Iterator[TensorMapping]:
        """Every logical tensor of both sides with its names in the files; computed lazily."""
        before, after = FileNames(self.source), FileNames(self.target)
        for one in self.carriage:
            for index, source, target in one.each():
                yield TensorMapping(
                    one.identity.role,
                    dict(zip(one.source.nouns, index, strict=False)),
                    replace(source, name=before.spelled(source.name)),
                    replace(target, name=after.spelled(target.name)),
                    one.steps,
                )
