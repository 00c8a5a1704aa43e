"""Joins files that each contain a slice of every matrix, as Meta saves a model for several GPUs, by their headers.
Pure.

`consolidated.00.pth`, `consolidated.01.pth`, …: matrices that produce outputs (wq, wk, wv, w1, w3, output) are cut
along dim 0, matrices that consume them (wo, w2) along dim 1; norms and rotary frequencies are in every file. The token
table is cut along dim 0 since Llama 3 and along dim 1 before; its width shows which. Sources: llama's model.py
(ColumnParallelLinear, RowParallelLinear, ParallelEmbedding, VocabParallelEmbedding), transformers'
convert_llama_weights_to_hf.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from inspector.findings.finding import NAMES_SHOWN, Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.layout import Layout, lay_out
from inspector.loader.lost_files import with_origin

_FILE: Final = re.compile(r"(consolidated\.)(\d{2})(\.(?:pth|safetensors))", re.ASCII)
_OUT: Final = frozenset({"wq", "wk", "wv", "w1", "w3", "output"})
_IN: Final = frozenset({"wo", "w2"})
_WHOLE: Final = -1
_TABLE: Final = "tok_embeddings"
SHARED: Final = 0.5
"""Least share of names that must be in every file for the files to be slices and not shards."""


class Joint(Struct, frozen=True):
    """The model that slices form together.

    tensors: whole tensors. copies: name -> number of further copies. lost: file -> tensors that cannot be joined
    because of this file.
    """

    tensors: dict[str, Layout]
    copies: dict[str, int] = {}
    lost: dict[str, tuple[str, ...]] = {}
    findings: tuple[Finding, ...] = ()


Files = Mapping[str, Mapping[str, Layout]]


def joined(checkpoint: Checkpoint) -> Checkpoint:
    """The checkpoint with its files joined if they are slices. Idempotent."""
    if not checkpoint.by_rank:
        return checkpoint
    config = checkpoint.config
    files = {name: tensors for name, tensors in checkpoint.by_rank.items() if tensors is not None}
    gone = [name for name, tensors in checkpoint.by_rank.items() if tensors is None]
    joint = join(files, gone, {} if config is None else config.values)
    if joint is None:
        return replace(checkpoint, by_rank={})
    from inspector.findings.shards.agreement import TensorContradicted, TensorDoubled

    own = [one for one in checkpoint.findings if not isinstance(one, TensorDoubled | TensorContradicted)]
    lost = {
        file: tuple(dict.fromkeys((*checkpoint.lost.get(file, ()), *joint.lost.get(file, ()))))
        for file in (*checkpoint.lost, *joint.lost)
    }
    return replace(
        checkpoint,
        tensors=joint.tensors,
        file_of=dict.fromkeys(joint.tensors, next(iter(files))),
        copies=joint.copies,
        lost=lost,
        findings=(*own, *with_origin(list(joint.findings), checkpoint.origin, checkpoint.traffic is not None)),
        by_rank={},
    )


def join(files: Files, gone: Sequence[str], config: Mapping[str, object]) -> Joint | None:
    """The model that files are slices of; None if they are not slices but contain different tensors.

    files: name -> tensors, for files with a readable header. gone: files without one, which have a finding. config:
    values of params.json or config.json; empty if there is none.
    """
    present = sorted(files)
    names = dict.fromkeys(name for file in present for name in files[file])
    if not names or any(_axis(name) is None for name in names):
        return None
    shared = sum(all(name in files[file] for file in present) for name in names)
    wanted = _wanted([*present, *gone], _parts(files, config))
    if len(wanted) < 2 or shared < SHARED * len(names):
        return None
    absent = [file for file in wanted if file not in files]
    usual = {name: _usual(name, files) for name in names}
    odd = {file: _odd(files[file], usual) for file in present}
    made: dict[str, Layout] = {}
    lost: dict[str, list[str]] = {}
    for name, layout in usual.items():
        wrong = [file for file in present if name in odd[file]]
        axis = _cut(name, layout, files, len(wanted))
        if axis != _WHOLE and (absent or wrong):
            for file in absent or wrong:
                lost.setdefault(file, []).append(name)
            continue
        made[name] = _together(layout, axis, len(wanted))
    copies = {name: times for name in made if _axis(name) == _WHOLE and (times := _times(name, files, usual[name]) - 1)}
    findings = [*_missing([file for file in absent if file not in gone], wanted, len(usual))]
    findings.extend(_differing(file, odd[file], files, usual) for file in present if odd[file])
    if len(present) > 1:
        findings.append(_reported(present, made, copies))
    return Joint(made, copies, {file: tuple(found) for file, found in lost.items()}, tuple(findings))


def _axis(name: str) -> int | None:
    """The dim that a tensor is cut along; -1 if it is whole in every file; None for a name of other models."""
    segments = name.split(".")
    module = segments[-2] if len(segments) > 1 else ""
    if module in _OUT or module == _TABLE:
        return 0
    if module in _IN:
        return 1
    return _WHOLE if module.endswith("norm") or name == "rope.freqs" else None


def _cut(name: str, layout: Layout, files: Files, parts: int) -> int:
    """The dim that a tensor is cut along. For the token table it follows from its width compared with
    the final norm's.
    """
    axis = _axis(name)
    assert axis is not None
    if name.split(".")[-2:-1] == [_TABLE] and len(layout.shape) == 2:
        width = _width(files)
        return 1 if width is not None and layout.shape[1] * parts == width else 0
    return axis


def _width(files: Files) -> int | None:
    """The model's width: the length of the final norm, which is whole in every file."""
    votes = Counter(found.shape[0] for one in files.values() if (found := one.get("norm.weight")) and found.shape)
    return votes.most_common(1)[0][0] if votes else None


def _parts(files: Files, config: Mapping[str, object]) -> int | None:
    """Number of slices that form the attention's width, by the widths and, if stated, the config."""
    heads, each = config.get("n_heads", config.get("num_attention_heads")), config.get("head_dim")
    whole = heads * each if type(heads) is int and type(each) is int else _width(files)
    votes = Counter(
        layout.shape[1]
        for tensors in files.values()
        for name, layout in tensors.items()
        if name.endswith(".wo.weight") and len(layout.shape) == 2
    )
    if whole is None or not votes:
        return None
    slice_width = votes.most_common(1)[0][0]
    return None if not slice_width or whole % slice_width else whole // slice_width


def _wanted(there: Sequence[str], parts: int | None) -> list[str]:
    """The names of all files of the set, by their required number."""
    found = [match for name in there if (match := _FILE.fullmatch(name))]
    if not found:
        return []
    count = max(parts or 0, 1 + max(int(match[2]) for match in found))
    return [f"{found[0][1]}{number:02d}{found[0][3]}" for number in range(count)] if count <= 100 else list(there)


def _usual(name: str, files: Files) -> Layout:
    """The layout that most files have for a tensor; if several are equally frequent, the first file's."""
    return Counter(tensors[name] for tensors in files.values() if name in tensors).most_common(1)[0][0]


def _odd(tensors: Mapping[str, Layout], usual: Mapping[str, Layout]) -> dict[str, Layout | None]:
    """The tensors of a file that differ from most files; None for an absent tensor."""
    return {name: tensors.get(name) for name, layout in usual.items() if tensors.get(name) != layout}


def _times(name: str, files: Files, layout: Layout) -> int:
    return sum(tensors.get(name) == layout for tensors in files.values())


def _together(layout: Layout, axis: int, parts: int) -> Layout:
    if axis == _WHOLE or axis >= len(layout.shape):
        return layout
    shape = tuple(dim * parts if place == axis else dim for place, dim in enumerate(layout.shape))
    made = lay_out(layout.dtype, shape)
    return made if isinstance(made, Layout) else layout


def _missing(absent: Sequence[str], wanted: Sequence[str], tensors: int) -> list[Finding]:
    if not absent:
        return []
    from inspector.findings.shards.files import ShardMissing

    return [
        ShardMissing(
            place=Place(file=absent[0] if len(absent) == 1 else None),
            files=len(absent),
            of=len(wanted),
            names=tuple(absent[:NAMES_SHOWN]),
            tensors=tensors,
        )
    ]


def _differing(file: str, odd: Mapping[str, Layout | None], files: Files, usual: Mapping[str, Layout]) -> Finding:
    name, layout = next(iter(odd.items()))
    others = [other for other in sorted(files) if files[other].get(name) == usual[name]]
    from inspector.findings.shards.sets import SliceDiffers

    return SliceDiffers(
        place=Place(file=file, tensor=name),
        tensors=len(odd),
        names=tuple(odd)[:NAMES_SHOWN],
        stored=None if layout is None else (layout.dtype, layout.shape),
        others=(usual[name].dtype, usual[name].shape),
        as_in=tuple(others[:NAMES_SHOWN]),
    )


def _reported(present: Sequence[str], made: Mapping[str, Layout], copies: Mapping[str, int]) -> Finding:
    from inspector.findings.shards.sets import SlicesJoined

    return SlicesJoined(
        files=len(present),
        tensors=sum(1 for name in made if _axis(name) != _WHOLE),
        copies=len(copies),
        elements=sum(made[name].elements * times for name, times in copies.items()),
        bytes=sum(made[name].bytes * times for name, times in copies.items()),
    )
