"""The one file with the model in a save of DeepSpeed that has no files of ZeRO's optimizer.

Source: DeepSpeed, `utils/zero_to_fp32.py`: it merges the files `*_optim_states.pt` of ZeRO 1 to 3 and refuses a save
without them. `runtime/engine.py`: without ZeRO, `mp_rank_00_model_states.pt` has the whole model under `module`.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from inspector.findings.finding import NAMES_SHOWN
from inspector.findings.reading.training import PartitionedSave
from inspector.loader.leftovers import EMPTIED, RANK, emptied
from inspector.loader.sources.source import Forewarned, Listing, Refusal, Source

_STATES = "_states.pt"
_OPTIMIZER = "_optim_states."
_LAYER = re.compile(r"layer_\d+-model_\d+-model_states\.pt", re.ASCII)
"""The weights of one layer of a pipeline (`ckpt_layer_path` in `runtime/pipe/module.py`)."""


def with_model_alone(save: PartitionedSave, source: Source, listing: Listing) -> PartitionedSave:
    """The finding on a save of DeepSpeed with its one file of the model, and whether ZeRO-3 left placeholders in it.

    Or with the statement that a pipeline saved it layer by layer. Unchanged if other files may hold weights: those of
    ZeRO's optimizer, or of other ranks.
    """
    if save.what != "zero" or isinstance(source, Forewarned):
        return save
    folders = sorted(name for name, kind in listing.others.items() if kind == "directory")
    places: list[tuple[str, Source | Refusal]] = [("", source)]
    places += [(f"{name}/", source.inside(name)) for name in _below(save, folders)]
    found = [(path, place, _states(place)) for path, place in places if not isinstance(place, Refusal)]
    stored = [(path, place, name) for path, place, names in found for name in names]
    if any(_LAYER.fullmatch(name) for _, _, name in stored) and not any(_OPTIMIZER in name for _, _, name in stored):
        return replace(save, by_layers=True)
    if len(stored) != 1 or not RANK.fullmatch(stored[0][2]):
        return save
    path, place, name = stored[0]
    return replace(save, alone=path + name, emptied=_is_emptied(place, name))


def _below(save: PartitionedSave, folders: list[str]) -> list[str]:
    """The folders below a place that may belong to the save: all, unless a folder is the place of the save itself."""
    entered = {name.rpartition("/")[0] for name in save.names} - {""}
    return sorted(entered) if entered else folders[:NAMES_SHOWN]


def _states(place: Source) -> list[str]:
    """The files of DeepSpeed with states of a model or of an optimizer."""
    return [name for name in place.listing().files if name.endswith(_STATES)]


def _is_emptied(source: Source, name: str) -> bool:
    from inspector.loader.formats.other_formats import OtherReader
    from inspector.loader.header_record import Layouts

    ((_, header),) = OtherReader(source, source.listing(), "pytorch", Layouts()).read([name])
    return not isinstance(header, Refusal) and any(emptied(header.tensors, one) is not None for one in EMPTIED)
