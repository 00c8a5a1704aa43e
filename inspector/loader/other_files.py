"""Other files next to the audited weights: other sets, unfinished downloads, pointers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from inspector.findings.finding import NAMES_SHOWN, UNFINISHED, Finding, Place
from inspector.loader.sources.source import Listing
from inspector.loader.weight_sets import WeightSet

if TYPE_CHECKING:
    from inspector.findings.stored_set import StoredSet


TRAINED_BESIDE: Final = "non_lora_trainables.bin"
"""The file in which LLaVA saves other trained weights next to a LoRA. Source: LLaVA, `llava/train/train.py`."""


VALUE_HEADS: Final = frozenset({"value_head.safetensors", "value_head.bin"})
"""The head that LLaMA-Factory saves apart. Source: its `fix_valuehead_checkpoint` in `train/callbacks.py`."""
CONSOLIDATED: Final = "consolidated*.safetensors"
"""Files in Mistral's format.

vLLM reads only these if there are any (`_prepare_weights` in `default_loader.py`, `load_format="auto"`).
"""

FOR_TRANSFORMERS: Final = "model."
M3_HEADS: Final = ("colbert_linear.pt", "sparse_linear.pt")
"""The heads for vectors of each token and for weights of words that FlagEmbedding saves beside a BGE-M3 model.

Source: FlagEmbedding, `finetune/embedder/encoder_only/m3/modeling.py`.
"""


class OtherSet(Struct, frozen=True):
    """Weights other than the audited ones. kind: "safetensors", "pytorch", "gguf", "flax", ..."""

    name: str
    files: tuple[str, ...]
    bytes: int
    kind: str


def others_of(
    sets: tuple[WeightSet, ...], audited: WeightSet, names: Mapping[str, None], sizes: Mapping[str, int]
) -> tuple[OtherSet, ...]:
    others = []
    for one in sets:
        files = tuple(name for name in one.files if name not in names)
        if one.name != audited.name and files:
            others.append(OtherSet(one.name, files, sum(sizes[name] for name in files), one.kind))
    return tuple(others)


def other_weights(audited: WeightSet, others: tuple[OtherSet, ...], audited_bytes: int) -> Iterator[Finding]:
    """The findings on sets of weights next to the audited set."""
    heads = tuple(sorted(one.name for one in others if one.name in VALUE_HEADS))
    if heads:
        from inspector.findings.reading.other_library import ValueHeadBeside

        yield ValueHeadBeside(place=Place(file=heads[0]), file=heads[0], audited=audited.name)
    rest = tuple(one for one in others if one.name not in heads)
    if not rest:
        return
    from inspector.findings.shards.sets import OtherWeights, TrainedBesideAdapter

    beside = audited.name.startswith("adapter_model.") and any(one.name == TRAINED_BESIDE for one in rest)
    yield (TrainedBesideAdapter if beside else OtherWeights)(
        place=Place(file=audited.name),
        audited=audited.name,
        audited_bytes=audited_bytes,
        sets=stored(rest),
        count=len(rest),
        bytes=sum(one.bytes for one in rest),
        heads=tuple(one.name for one in rest if one.name in M3_HEADS),
        consolidated=next(_consolidated(rest), "") if audited.name.startswith(FOR_TRANSFORMERS) else "",
    )


def is_consolidated(name: str) -> bool:
    """True for a file in Mistral's format."""
    return fnmatchcase(name, CONSOLIDATED)


def _consolidated(others: Sequence[OtherSet]) -> Iterator[str]:
    return (name for one in others for name in one.files if is_consolidated(name))


def stored(sets: Sequence[OtherSet | WeightSet]) -> tuple[StoredSet, ...]:
    from inspector.findings.stored_set import StoredSet

    return tuple(StoredSet(one.name, len(one.files), one.bytes, one.kind) for one in sets[:NAMES_SHOWN])


def unfinished(listing: Listing, names: Mapping[str, None]) -> list[Finding]:
    """The findings on partial files of unfinished downloads of the audited set."""
    found: list[Finding] = []
    for name in listing.files:
        for ending in UNFINISHED:
            whole = name.removesuffix(ending)
            if whole != name and (whole in names):
                from inspector.findings.reading.place import DownloadUnfinished

                found.append(DownloadUnfinished(place=Place(file=whole), trace=name))
    return found


def unlisted(listing: Listing) -> Iterator[Finding]:
    """The finding on a truncated list of files."""
    if not listing.complete:
        from inspector.findings.reading.place import ListingIncomplete

        yield ListingIncomplete(files=len(listing.files))
