"""Files of a training run instead of, or next to, weights."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, listed, number

_TOOLS = {
    "zero": "DeepSpeed's ZeRO",
    "fsdp": "FSDP",
    "dcp": "torch.distributed.checkpoint",
    "megatron": "Megatron",
}

_REMEDIES = {
    "zero": "run `python zero_to_fp32.py . merged` in the folder; DeepSpeed's save_checkpoint puts the script there",
    "fsdp": "run `accelerate merge-weights` on the folder",
    "dcp": "run `python -m torch.distributed.checkpoint.format_utils dcp_to_torch` on the folder",
    "megatron": "convert it with the tools of Megatron-LM or Megatron-Bridge",
}


class TrainingState(Finding, frozen=True, kw_only=True):
    """State of a training run is beside the weights.

    What it means
        Optimizer, scheduler, random state, the trainer's own log: what is needed to go on training, and by nobody
        who uses the model. It is not audited.

    Why it matters
        An optimizer's state has twice the size of the weights, and `training_args.bin` is a pickle.

    Example
        note[R040] training-state: 2 files of a training run, 16,060,522,496 bytes
          files  optimizer.pt, scheduler.pt
          help   leave these files out when the model is published

    What to do
        Leave these files out when the model is published.
    """

    code = "R040"
    name = "training-state"
    severity = "note"

    kinds: tuple[str, ...]
    names: tuple[str, ...]
    files: int
    bytes: int

    def headline(self) -> str:
        return f"{count(self.files, 'file')} of a training run, {number(self.bytes)} bytes"

    def rows(self) -> Rows:
        return [("files", listed(self.names, 5))]

    def remedy(self) -> Remedy:
        return Remedy("leave these files out when the model is published")


class PartitionedSave(Finding, frozen=True, kw_only=True):
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

    code = "R041"
    name = "partitioned-save"
    severity = "warning"

    what: str
    names: tuple[str, ...]
    entries: int
    bytes: int
    script: bool

    def headline(self) -> str:
        return f"partitions of {_TOOLS[self.what]}, no weights to load"

    def rows(self) -> Rows:
        size = [("stored", f"{number(self.bytes)} bytes")] if self.bytes else []
        return [("entries", listed(self.names, 4)), *size]

    def remedy(self) -> Remedy:
        if self.what == "zero" and self.script:
            return Remedy("run `python zero_to_fp32.py . merged` in the folder")
        return Remedy(_REMEDIES[self.what])


class WeightsEmptied(Finding, frozen=True, kw_only=True):
    """Weights were saved empty, as ZeRO-3 leaves them on every process.

    What it means
        Under ZeRO-3 a parameter is on one process only while it is needed; elsewhere it has the shape [0]. A
        plain `save_pretrained` or `state_dict()` then writes these empty tensors.

    Why it matters
        Names and files look right, and not one number of these weights is there.

    Example
        error[R042] weights-emptied: 290 of 291 tensors have the shape [0]
          tensors  model.embed_tokens.weight, model.layers.0.self_attn.q_proj.weight
          help     save with stage3_gather_16bit_weights_on_model_save, or run zero_to_fp32.py on the checkpoint

    What to do
        Save with `stage3_gather_16bit_weights_on_model_save`, or run `zero_to_fp32.py` on the training checkpoint.
    """

    code = "R042"
    name = "weights-emptied"

    tensors: int
    of: int
    names: tuple[str, ...]

    def headline(self) -> str:
        return f"{number(self.tensors)} of {count(self.of, 'tensor')} have the shape [0]"

    def rows(self) -> Rows:
        return [("tensors", listed(self.names, 3))]

    def remedy(self) -> Remedy:
        return Remedy("save with stage3_gather_16bit_weights_on_model_save, or run zero_to_fp32.py on the checkpoint")


class OptimizerNotWeights(Finding, frozen=True, kw_only=True):
    """A file holds an optimizer's state, not weights.

    What it means
        The dict in the file has the keys `state` and `param_groups`: it is what `optimizer.state_dict()` gives.
        Its tensors are moments and counters, numbered and not named.

    Why it matters
        They have the shapes of the weights and are not the weights.

    Example
        error[R043] optimizer-not-weights: optimizer.pt holds the state of an optimizer
          tensors  582
          help     point at the file that holds the weights

    What to do
        Point at the file that holds the weights.
    """

    code = "R043"
    name = "optimizer-not-weights"

    tensors: int

    def headline(self) -> str:
        return f"{self.place.file} holds the state of an optimizer"

    def rows(self) -> Rows:
        return [("tensors", number(self.tensors))]

    def remedy(self) -> Remedy:
        return Remedy("point at the file that holds the weights")
