"""Weights were saved in the partitions of a training run.

What it means
    DeepSpeed's ZeRO, FSDP, torch's distributed checkpoints and Megatron save what each process holds: flat
    pieces, cut without regard to tensors. Only their own tools put them together.

Why it matters
    No loader of models reads them, and their sizes say nothing of the model's: they are padded, and hold the
    optimizer's state too.

Example
    warning[R041] partitioned-save: partitions of DeepSpeed's ZeRO, no weights to load
      entries  global_step1000, zero_to_fp32.py
      help     run `python zero_to_fp32.py . merged` in the folder

What to do
    Put the partitions together with the tool that the finding names, then audit the result.
"""

from __future__ import annotations

from inspector.evidence import Place
from inspector.rules.rule import Facts, Rows, Rule, listed, number

WORDS = {
    "zero": "DeepSpeed's ZeRO",
    "fsdp": "FSDP",
    "dcp": "torch.distributed.checkpoint",
    "megatron": "Megatron",
}
REMEDIES = {
    "zero": "run `python zero_to_fp32.py . merged` in the folder; DeepSpeed's save_checkpoint puts the script there",
    "fsdp": "run `accelerate merge-weights` on the folder",
    "dcp": "run `python -m torch.distributed.checkpoint.format_utils dcp_to_torch` on the folder",
    "megatron": "convert it with the tools of Megatron-LM or Megatron-Bridge",
}


def _headline(place: Place, facts: Facts) -> str:
    return f"partitions of {WORDS[facts['what']]}, no weights to load"


def _rows(place: Place, facts: Facts) -> Rows:
    size = [("stored", f"{number(facts['bytes'])} bytes")] if facts["bytes"] else []
    return [("entries", listed(facts["names"], 4)), *size]


def _help(place: Place, facts: Facts) -> str:
    if facts["what"] == "zero" and facts["script"]:
        return "run `python zero_to_fp32.py . merged` in the folder"
    return REMEDIES[facts["what"]]


RULE = Rule(severity="warning", headline=_headline, rows=_rows, help=_help)
