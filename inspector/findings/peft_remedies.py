"""Remedies for what PEFT refuses in the config of an adapter, by the reason."""

from __future__ import annotations

import re
from typing import Final

from inspector.findings.finding import NO_ADAPTER, Remedy, Step

FILE: Final = "adapter_config.json"
OTHER_KIND: Final = "modules of this kind are not changed"
BEYOND: Final = re.compile(r".*: token (\d+) of (\d+) is beyond the table")
REMOVED: Final = "PEFT no longer has the peft_type BONE"
OLD_OFT: Final = "OFT does not load without oft_block_size, which PEFT writes since 0.14"
FOR_PARAMETERS: Final = re.compile(r".*: (\w+) is refused for single parameters")
OFF: Final = {"lora_dropout": 0.0, "fan_in_fan_out": False}
"""Setting that changes nothing in a trained adapter -> the value with which PEFT accepts single parameters."""


def peft_remedy(because: str) -> Remedy | None:
    """What to do about one of these reasons; None for any other."""
    module = because.partition(":")[0].rpartition(".")[2]
    if because.endswith(NO_ADAPTER):
        return Remedy(
            f"remove {module} from target_modules in {FILE} and its tensors from the file of the "
            "adapter: PEFT then loads the others; for a complete adapter train again without it"
        )
    if because.endswith(OTHER_KIND):
        return Remedy(
            f"remove {module} from target_modules in {FILE}, or change the expression so that it does not match it; "
            "tensors of the adapter for it are then not used"
        )
    if (beyond := BEYOND.fullmatch(because)) is not None:
        fewest = int(beyond[1]) + 1
        return Remedy(
            f"resize the base as in training before loading the adapter, to at least {fewest:,} rows: "
            f"resize_token_embeddings({fewest})"
        )
    if because.startswith("adapter_layers is "):
        return Remedy(
            f'set "adapter_layers" in {FILE} to the number of layers in which the adapter has prompts, or use the base '
            "that it was trained on"
        )
    if because == REMOVED:
        return Remedy("convert it with scripts/convert-bone-to-miss.py of PEFT, or load it with PEFT 0.18 or older")
    if because == OLD_OFT:
        return Remedy("load it with PEFT 0.13, or train it again: newer versions have other tensors for OFT")
    refused = FOR_PARAMETERS.fullmatch(because)
    if refused is not None and refused[1] in OFF:
        step = Step(action="set", file=FILE, key=(refused[1],), new=OFF[refused[1]])
        value = str(step.new).lower()
        return Remedy(f'set "{refused[1]}": {value} in {FILE}: it has no effect on a trained adapter', (step,))
    return None
