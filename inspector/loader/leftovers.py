"""Recognises training state in a folder by file names. Pure.

Sources: transformers' Trainer (names in trainer.py), accelerate's `utils/constants.py`, DeepSpeed's engine.py and
`checkpoint/constants.py`, torch.distributed.checkpoint's `filesystem.py`, Megatron-LM's `checkpointing.py`, verl's
`fsdp_checkpoint_manager.py`, Orbax's `PyTreeCheckpointHandler`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from inspector.findings.finding import NAMES_SHOWN, ZERO_SCRIPT, Finding
from inspector.loader.layout import Layout
from inspector.loader.sources.source import Listing

if TYPE_CHECKING:
    from inspector.findings.reading.training import PartitionedSave

RANK: Final = re.compile(r"mp_rank_\d+_model_states\.pt", re.ASCII)
"""A slice of tensor parallelism; next to files of ZeRO's optimizer, or alone, the file of DeepSpeed's model."""
SLICES: Final = "slices"
NAME_LOOKED_AT: Final = 255
FEWEST_EMPTY: Final = 3
"""Fewest empty weights that indicate a save under ZeRO-3."""
EMPTIED: Final = ((0,), (1,))
"""Shapes that ZeRO-3 leaves of a parameter: [1] in the first versions of DeepSpeed, which save with torch.

Source: `partition_parameters.py` in DeepSpeed 0.3 (`param.data = torch.ones(1)`).
"""
MOSTLY: Final = 0.9
"""Least share of tensors of the shape [1] that shows this beside a matrix: few modules have weights of one number."""

_Patterns = tuple[tuple[str, tuple[str, ...], str], ...]

_STATE: Final[_Patterns] = (
    ("optimizer", ("optim",), r"(?:optimizer(?:_\d+)?|optim)\.(?:pt|bin|pth|safetensors)"),
    ("scheduler", ("scheduler", "lr_scheduler"), r"(?:lr_)?scheduler(?:_\d+)?\.(?:pt|bin|pth)"),
    ("random state", ("rng_state", "random_states"), r"(?:rng_state(?:_\d+)?\.pth|random_states_\d+\.pkl)"),
    ("scaler", ("scaler",), r"scaler\.pt"),
    ("trainer state", ("trainer_state",), r"trainer_state\.json"),
    ("training arguments", ("training_args",), r"training_args\.(?:bin|json)"),
)
"""Kind of training state, beginnings of its file names, and their pattern."""
_PARTS: Final[_Patterns] = (
    ("zero", ("zero_pp", "bf16_zero", "fp16_zero"),
     r"(?:bf16_|fp16_)?zero_pp_rank_\d+_mp_rank_\d+(?:_\d+)?_(?:optim|model)_states\.pt"),
    ("zero", ("mp_rank", "layer_", "expert_"),
     r"(?:mp_rank_\d+|layer_\d+-model_\d+|expert_\d+_mp_rank_\d+)(?:_\d+)?_(?:model|optim)_states\.pt"),
    ("zero", ("zero_to_fp32",), r"zero_to_fp32\.py"),
    ("zero-folder", ("global_step",), r"global_step\d+"),
    ("fsdp-folder", ("pytorch_model_fsdp", "optimizer_fsdp"), r"(?:pytorch_model|optimizer)_fsdp(?:_\d+)?"),
    ("fsdp", ("pytorch_model_fsdp", "optimizer_fsdp"), r"(?:pytorch_model|optimizer)_fsdp(?:_\d+)?_rank\d+\.bin"),
    ("verl", ("model_world", "optim_world", "extra_state"), r"(?:model|optim|extra_state)_world_size_\d+_rank_\d+\.pt"),
    ("dcp", ("__",), r"__\d+_\d+\.distcp"),
    ("megatron-folder", ("iter_", "mp_rank"), r"(?:iter_\d{7}|mp_rank_\d{2}(?:_\d{3})?(?:_\d{3})?)"),
    ("megatron", ("latest_", "model_optim", "distrib_optim"),
     r"latest_checkpointed_iteration\.txt|model_optim_rng\.pt|distrib_optim\.pt"),
    ("orbax", ("_METADATA", "_CHECKPOINT_METADATA", "manifest.ocdbt"),
     r"_METADATA|_CHECKPOINT_METADATA|manifest\.ocdbt"),
    ("orbax-folder", ("ocdbt.process_",), r"ocdbt\.process_\d+"),
)  # fmt: skip
"""The same of weights saved in parts."""
_STARTS: Final = tuple({start for _, starts, _ in (*_STATE, *_PARTS) for start in starts})


_RESUMED: Final = "trainer_state.json"


class Leftover(Struct, frozen=True):
    """Files or folders of one kind. partition: they are parts of the weights, which cannot be loaded separately."""

    kind: str
    names: tuple[str, ...]
    bytes: int
    partition: bool


def leftovers(listing: Listing) -> tuple[Leftover, ...]:
    """The training files of a place, by kind and in the order of their names."""
    state: dict[str, list[str]] = {}
    parts: dict[str, list[str]] = {}
    folders = {name for name, what in listing.others.items() if what == "directory"}
    for name in [*listing.files, *folders]:
        if len(name) > NAME_LOOKED_AT or not name.startswith(_STARTS):
            continue
        for kind, starts, pattern in _STATE:
            if name.startswith(starts) and re.fullmatch(pattern, name, re.ASCII) and name in listing.files:
                state.setdefault(kind, []).append(name)
        for kind, starts, pattern in _PARTS:
            of_kind = (name in folders) == kind.endswith("-folder") and name.startswith(starts)
            if of_kind and re.fullmatch(pattern, name, re.ASCII):
                parts.setdefault(kind.removesuffix("-folder"), []).append(name)
    if "dcp" in parts and "common.pt" in listing.files:
        parts["megatron"] = [*parts.get("megatron", ()), *parts.pop("dcp"), "common.pt"]
    found = [_leftover(kind, names, listing, False) for kind, names in state.items()]
    return (*found, *(_leftover(kind, names, listing, True) for kind, names in parts.items()))


def _leftover(kind: str, names: Iterable[str], listing: Listing, partition: bool) -> Leftover:
    ordered = tuple(sorted(names))
    return Leftover(kind, ordered, sum(listing.files.get(name, 0) for name in ordered), partition)


def leftover_findings(listing: Listing, audited: Iterable[str] = ()) -> tuple[Finding, ...]:
    """The findings on leftovers: one for the training state, one for each kind of partition.

    audited: files that are audited, and therefore no leftovers.
    """
    own = frozenset(audited)
    found = [one for one in leftovers(listing) if not own.intersection(one.names)]
    findings: list[Finding] = []
    state = [one for one in found if not one.partition]
    if state:
        names = [name for one in state for name in one.names]
        from inspector.findings.reading.training import TrainingState

        findings.append(
            TrainingState(
                kinds=tuple(one.kind for one in state),
                names=tuple(names[:NAMES_SHOWN]),
                files=len(names),
                bytes=sum(one.bytes for one in state),
                lacks=_lacks(names, listing),
            )
        )
    findings.extend(_saved_in_parts(one, listing) for one in found if one.partition)
    return tuple(findings)


def _lacks(names: Iterable[str], listing: Listing) -> str:
    """The file without which the Trainer of transformers does not resume from its other files; "" if it is not absent.

    Source: `Trainer.train` in trainer.py, which opens trainer_state.json without a test. Other programs have
    other names for one of these files.
    """
    kinds = [("optimizer.pt", "optimizer.bin"), ("scheduler.pt",), ("rng_state.pth", "rng_state_0.pth")]
    stored = set(names)
    absent = listing.complete and _RESUMED not in listing.files and _RESUMED not in listing.others
    return _RESUMED if absent and all(not stored.isdisjoint(one) for one in kinds) else ""


def partitions(listing: Listing) -> tuple[Leftover, ...]:
    """The partitions of weights, by kind; none can be loaded separately."""
    return tuple(one for one in leftovers(listing) if one.partition)


def partition_findings(listing: Listing) -> tuple[PartitionedSave, ...]:
    """The findings on weights that are saved in partitions, one for each kind."""
    return tuple(_saved_in_parts(one, listing) for one in partitions(listing))


def _saved_in_parts(one: Leftover, listing: Listing) -> PartitionedSave:
    from inspector.findings.reading.training import PartitionedSave

    in_folder = any(kind == "directory" and not name.startswith(".") for name, kind in listing.others.items())
    ranks_alone = len(one.names) > 1 and all(map(RANK.fullmatch, one.names))
    return PartitionedSave(
        what=SLICES if ranks_alone else one.kind,
        names=tuple(one.names[:NAMES_SHOWN]),
        entries=len(one.names),
        bytes=one.bytes,
        script=ZERO_SCRIPT in listing.files,
        script_alone=one.names == (ZERO_SCRIPT,) and listing.complete and not in_folder,
    )


def emptied(tensors: Mapping[str, Layout], shape: tuple[int, ...] = EMPTIED[0]) -> Finding | None:
    """The finding on weights saved under ZeRO-3 without gathering them: most have the shape of a placeholder.

    A few empty tensors are normal (a group without experts). If half of all tensors are empty, or if only small tensors
    are left and no matrix, the save is incomplete.
    """
    empty = [name for name, layout in tensors.items() if layout.shape == shape]
    weights = sum(1 for name in empty if name.endswith(".weight"))
    if weights < FEWEST_EMPTY:
        return None
    least = 0.5 if shape == EMPTIED[0] else MOSTLY
    if len(empty) < least * len(tensors) and not all(map(_is_vector, tensors, tensors.values())):
        return None
    from inspector.findings.reading.training import WeightsEmptied

    return WeightsEmptied(tensors=len(empty), of=len(tensors), names=tuple(empty[:NAMES_SHOWN]), shapes=(shape,))


def _is_vector(name: str, layout: Layout) -> bool:
    """True if a tensor is a bias, the weight of a norm, or empty."""
    return len(layout.shape) < 2 and name.endswith((".weight", ".bias"))
