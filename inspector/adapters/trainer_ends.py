"""sd-scripts' endings after the names of diffusers, as OneTrainer writes them, in the LoRA of a class other than FLUX.

Measured with diffusers 0.42 (`read_ways.json`): after `transformer.`, `lora_down`, `lora_up` and `alpha` are read for
FLUX, Chroma and Bria FIBO alone. Every other class refuses them (ValueError: a name without `lora`), or finds none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from inspector.adapters.names import OF_SD_SCRIPTS, renames_of, with_ending_of_peft
from inspector.adapters.tools import ToolTensor
from inspector.findings.finding import Finding
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

TRANSFORMER: Final = "transformer."
SCALE: Final = ".alpha"
DROPPED: Final = ".dora_scale"
"""Ending of the magnitudes of a DoRA that diffusers leaves out of every file before it reads the pairs."""
_OF_OTHERS: Final = re.compile(
    r"transformer\.(?:(?:double|single)_stream_blocks|joint_transformer_blocks|(?:transformer_)?blocks\.#\.attn[12])\."
)
"""Modules that FLUX and its relatives do not have: those of HiDream, AuraFlow, Wan, CogVideoX, LTX-Video, Sana ..."""


def unread_ends(families: Families, found: Mapping[str, ToolTensor]) -> Iterator[Finding]:
    """The note on a LoRA whose modules show that diffusers does not read its endings."""
    pairs = [key for key in found if key.endswith(tuple(OF_SD_SCRIPTS))]
    scales = [key for key in found if key.endswith(SCALE)]
    if not pairs or not all(key.startswith(TRANSFORMER) for key in found) or not any(map(_OF_OTHERS.match, pairs)):
        return
    from inspector.findings.adapters.unread import AdapterMethodUnread, AdapterNamesUnread

    stored = names_in(pairs[0], families[pairs[0]].stored[0].boxes, 1)[0]
    if any(key.endswith(DROPPED) for key in found):  # renaming would lose them
        yield AdapterMethodUnread(what="DoRA", such_as=stored, refused=True)
        return
    yield AdapterNamesUnread(
        tensors=sum(families[key].tensors for key in (*pairs, *scales)),
        stored=stored,
        wanted=with_ending_of_peft(stored),
        renames=() if scales else renames_of(pairs, with_ending_of_peft, families),
        scaled=bool(scales),
        refused=True,
    )
