"""Findings on training files next to the weights or instead of them."""

from __future__ import annotations

from shlex import quote

from inspector.findings.finding import OF_OPTIMIZER, ZERO_SCRIPT, Finding, Remedy, Rows
from inspector.findings.words import count, listed, number, shape

_TOOLS = {
    "zero": "DeepSpeed's ZeRO",
    "fsdp": "FSDP",
    "verl": "verl's FSDP",
    "dcp": "torch.distributed.checkpoint",
    "megatron": "Megatron",
    "orbax": "Orbax (JAX)",
    "slices": "tensor parallelism (SwissArmyTransformer or Megatron-DeepSpeed)",
}

_REMEDIES = {
    "zero": "run `python zero_to_fp32.py . merged` in the folder; DeepSpeed's save_checkpoint writes the script",
    "verl": "run `python -m verl.model_merger merge --backend fsdp --local_dir . --target_dir merged` in the folder",
    "megatron": "convert it with the tools of Megatron-LM, Megatron-Bridge or NeMo, whichever wrote it",
    "orbax": "restore it with Orbax in the program that trained it, and save it for the loader; or take the weights in "
    "another format",
    "slices": "load them with the program that wrote them, in as many processes as there are files: each file has a "
    "slice of every matrix; its converter joins them",
}


def _fsdp(names: tuple[str, ...]) -> str:
    """What to do with entries that accelerate wrote: a folder of torch's distributed checkpoint, or a file per rank."""
    model = [name for name in names if name.rpartition("/")[2].startswith("pytorch_model")]
    if not model:
        return (
            "run `accelerate merge-weights` on the folder of the model, pytorch_model_fsdp_0: here is the optimizer's"
        )
    if model[0].endswith(".bin"):
        return (
            "load them with the program that wrote them, in as many processes as wrote them, and save again with "
            "FULL_STATE_DICT: `accelerate merge-weights` does not read such files"
        )
    return (
        f"run `accelerate merge-weights {quote(model[0])} merged`, and copy config.json and the tokenizer of the model "
        "that was trained into merged"
    )


def _dcp(names: tuple[str, ...]) -> str:
    """What to do with the files of torch's distributed checkpoint."""
    folder = names[0].rpartition("/")[0] or "."
    tool = "python -m torch.distributed.checkpoint.format_utils dcp_to_torch"
    if folder.rpartition("/")[2].startswith(OF_OPTIMIZER):
        return f"run `{tool} FOLDER merged.pt` on the folder of the model: {folder} has the optimizer's state"
    return f"run `{tool} {quote(folder)} merged.pt`, and audit merged.pt"


def _collect(absent: tuple[str, ...]) -> str:
    """What to do before merging where files are absent: with several nodes, each writes those of its own ranks."""
    if absent == (".metadata",):
        return (
            "copy .metadata, which the node of rank 0 wrote, and the .distcp files of all nodes into one folder: "
            "without them nothing can merge these; then "
        )
    return f"copy {listed(absent, 4)} from the nodes that wrote them; then "


_COMMANDS = {"fsdp": _fsdp, "dcp": _dcp}


class TrainingState(Finding, frozen=True, kw_only=True):
    """Training files are stored next to the weights.

    What it means
        Optimizer, scheduler, random state and trainer log are needed to resume training, but not to use the
        model. They are not audited. The Trainer of transformers does not resume without `trainer_state.json`.

    Why it matters
        The optimizer state is twice as large as the weights, and `training_args.bin` is a pickle.

    Example
        note[R040] training-state: 2 files of a training run, 16,060,522,496 bytes
          files  optimizer.pt, scheduler.pt
          help   do not publish these files

    What to do
        Do not publish these files.
    """

    code = "R040"
    severity = "note"

    kinds: tuple[str, ...]
    names: tuple[str, ...]
    files: int
    bytes: int
    lacks: str = ""
    """The file without which the Trainer of transformers does not resume from the others; "" if nothing lacks."""

    headline_text = "{files:count file} of a training run, {bytes} bytes"
    row_texts = (
        ("files", "{names:first files 5}"),
        ("absent", "{lacks}, without which the Trainer does not resume", "lacks"),
    )
    remedy_text = "do not publish these files"

    def remedy(self) -> Remedy:
        if not self.lacks:
            return Remedy(self.remedy_text)
        return Remedy(
            f"resume from another checkpoint, or copy {self.lacks} from where this one was saved: the Trainer refuses "
            "it without this file; the weights do not depend on it"
        )


class PartitionedSave(Finding, frozen=True, kw_only=True):
    """The weights are saved as partitions of a training run.

    What it means
        DeepSpeed ZeRO, FSDP, torch's distributed checkpoints, Megatron and Orbax save what each process holds: flat
        pieces that ignore tensor boundaries. Only their own tools can merge them.

    Why it matters
        Model loaders cannot read them, and their sizes do not give the model's size: they are padded and
        contain optimizer state.

    Example
        warning[R041] partitioned-save: partitions of DeepSpeed's ZeRO, not loadable
          weights
          entries  global_step1000, zero_to_fp32.py
          help     run `python zero_to_fp32.py . merged` in the folder

    What to do
        Merge the partitions with the named tool, then audit the result.
    """

    code = "R041"
    severity = "warning"

    what: str
    names: tuple[str, ...]
    entries: int
    bytes: int
    script: bool
    absent: tuple[str, ...] = ()
    """Files without which torch.distributed.checkpoint cannot read the others."""

    emptied: bool = False
    """True if the only file of DeepSpeed has the placeholders of ZeRO-3."""

    row_texts = (("entries", "{names:first entries 4}"), ("stored", "{bytes} bytes", "bytes"))

    alone: str = ""
    """The one file of DeepSpeed that has the model, if the optimizer's, which zero_to_fp32.py reads, are not here."""
    script_alone: bool = False
    """True if the script that merges partitions is here, without any of them, and without a folder that may have them.
    """
    by_layers: bool = False
    """True if a pipeline of DeepSpeed saved one file a layer, without the files that zero_to_fp32.py reads."""

    def headline(self) -> str:
        if self.script_alone:
            return f"{ZERO_SCRIPT} of DeepSpeed's ZeRO, without the partitions that it merges"
        if self.alone:
            which = "without its weights, which ZeRO-3 kept elsewhere" if self.emptied else "which loaders do not read"
            return f"DeepSpeed's file of the model, {which}"
        return f"partitions of {_TOOLS[self.what]}, not loadable weights"

    def remedy(self) -> Remedy:
        if self.script_alone:
            return Remedy(
                "copy the folder that `latest` names (global_step*), with the files of all nodes, next to the script, "
                f"and run `python {ZERO_SCRIPT} . merged`: the weights are in that folder alone"
            )
        if self.alone and self.emptied:
            return Remedy(
                "copy the zero_pp_rank_* files of the same checkpoint, of all nodes, into the folder and run "
                "zero_to_fp32.py, which DeepSpeed's save_checkpoint writes"
            )
        if self.alone:
            return Remedy(
                f"save `module` of {self.alone} as pytorch_model.bin: it has the whole weights, unless ZeRO-3 or "
                "several ranks wrote it; audit the file by its path to see which. zero_to_fp32.py needs the "
                "*_optim_states.pt files, which are not here"
            )
        if self.by_layers:
            return Remedy(
                "convert the layer_* files, each with the weights of one layer of a pipeline, with the converter of "
                "the program that wrote them: zero_to_fp32.py needs *_optim_states.pt files, which are not here"
            )
        if self.what == "zero" and self.script:
            return Remedy("run `python zero_to_fp32.py . merged` in the folder")
        if self.what in _COMMANDS:
            command = _COMMANDS[self.what](self.names)
            return Remedy(_collect(self.absent) + command if self.absent else command)
        return Remedy(_REMEDIES[self.what])

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        """A note if the loader finds every weight in the files next to them."""
        return self.beside_weights() if outcome == "complete" else self

    def beside_weights(self) -> Finding:
        """The note that the same partitions are next to complete weights."""
        return PartitionsBesideWeights(**self.stated_fields())


class PartitionsBesideWeights(PartitionedSave, frozen=True, kw_only=True):
    """Partitions of a training run are stored next to complete weights.

    What it means
        The training program saved the complete weights and, for resuming, what each process holds: partitions
        of DeepSpeed ZeRO, FSDP or Megatron. The loader reads only the complete files.

    Why it matters
        The partitions only take up space: no other program reads them.

    Example
        note[R044] partitions-beside-weights: partitions of DeepSpeed's ZeRO
          entries  global_step1000, zero_to_fp32.py
          help     keep them to continue the training; do not publish them

    What to do
        Keep them as long as the training may be resumed.
    """

    code = "R044"
    severity = "note"

    remedy_text = "keep them to continue the training; do not publish them"

    def headline(self) -> str:
        if self.script_alone:
            return f"{ZERO_SCRIPT} of DeepSpeed's ZeRO"
        return f"partitions of {_TOOLS[self.what]}"

    def remedy(self) -> Remedy:
        return Remedy("do not publish it" if self.script_alone else self.remedy_text)

    def after_loading(self, loader: str, outcome: str, because: str) -> Finding | None:
        return self


class WeightsEmptied(Finding, frozen=True, kw_only=True):
    """The weights were saved empty, as by ZeRO-3.

    What it means
        Under ZeRO-3 a process holds a parameter only while it is needed; otherwise its shape is [0] or [1]. A plain
        `save_pretrained` or `state_dict()` then writes these placeholders. Small tensors such as biases may be whole.
        Under FSDP a process holds a part of all parameters, with flat pieces of the tensors at its ends.

    Why it matters
        Names and files look right, but the values of these weights were not saved.

    Example
        error[R042] weights-emptied: 290 of 291 tensors have the shape [0]
          tensors  model.embed_tokens.weight, model.layers.0.self_attn.q_proj.weight
          help     save with stage3_gather_16bit_weights_on_model_save, or run
                   zero_to_fp32.py on the checkpoint

    What to do
        Save with `stage3_gather_16bit_weights_on_model_save`, or run `zero_to_fp32.py` on the training checkpoint.
        Under FSDP save the full state dict, or run `accelerate merge-weights` on a sharded training checkpoint.
    """

    code = "R042"

    tensors: int
    of: int
    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...] = ((0,),)
    pieces: int = 0

    def rows(self) -> Rows:
        rows = [("tensors", listed(self.names, 3))]
        if self.pieces and self.tensors:
            rows.append(("pieces", f"{count(self.pieces, 'tensor')} in part and flat"))
        return rows

    def remedy(self) -> Remedy:
        if self.pieces:
            return Remedy(
                "save the full state dict of FSDP, or run `accelerate merge-weights` on its sharded checkpoint"
            )
        return Remedy("save with stage3_gather_16bit_weights_on_model_save, or run zero_to_fp32.py on the checkpoint")

    def headline(self) -> str:
        if not self.tensors:
            return f"{number(self.pieces)} of {count(self.of, 'tensor')} are flat pieces of matrices"
        shapes = " or ".join(shape(one) for one in self.shapes)
        return f"{number(self.tensors)} of {count(self.of, 'tensor')} have the shape {shapes}"


class OptimizerNotWeights(Finding, frozen=True, kw_only=True):
    """A file contains optimizer state, not weights.

    What it means
        The dict in the file has the keys `state` and `param_groups`, as `optimizer.state_dict()` returns. Its
        tensors are moments and counters, numbered instead of named.

    Why it matters
        They have the shapes of the weights but are not the weights.

    Example
        error[R043] optimizer-not-weights: optimizer.pt contains optimizer state
          tensors  582
          help     pass the file that contains the weights

    What to do
        Pass the file that contains the weights.
    """

    code = "R043"

    tensors: int

    headline_text = "{place.file} contains optimizer state"
    row_texts = (("tensors", "{tensors}"),)
    remedy_text = "pass the file that contains the weights"
