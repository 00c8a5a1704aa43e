"""Adapters that, as a whole, were made in another way than their names or config state."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, shape


class AdapterFactorsExchanged(Finding, frozen=True, kw_only=True):
    """The two factors of an adapter are stored under each other's names.

    What it means
        Every matrix that does not fit has the shape of the other factor of its module.

    Why it matters
        PEFT compares the shapes and refuses the adapter.

    Example
        error[A944] adapter-factors-exchanged: 128 of 128 tensors
          such as   base_model.model.model.layers.{layer}.self_attn.q_proj.lora_B.weight
          stored    [16, 4096], which is the shape of lora_B
          expected  [4096, 16]
          help      rename lora_A to lora_B and lora_B to lora_A

    What to do
        Exchange the two names in every module.
    """

    code = "A944"

    tensors: int
    of: int
    stored: tuple[int, ...]
    expected: tuple[int | None, ...]
    names: tuple[str, str]

    headline_text = "{tensors} of {of:count tensor}"

    def rows(self) -> Rows:
        return [
            ("such as", str(self.place.tensor or self.place.family)),
            ("stored", f"{shape(self.stored)}, which is the shape of {self.names[1]}"),
            ("expected", shape(["any" if dim is None else dim for dim in self.expected])),
        ]

    def remedy(self) -> Remedy:
        one, other = self.names
        return Remedy(f"rename {one} to {other} and {other} to {one}")


class AdapterSliced(Finding, frozen=True, kw_only=True):
    """The file contains one process's part of an adapter from a sharded training run.

    What it means
        Each first factor has only some of the rows of its rank, and each second factor has all columns: this
        is what one process holds when FSDP2 splits parameters by rows.

    Why it matters
        PEFT refuses the shapes, and the other parts of the matrices are not in this file.

    Example
        error[A977] adapter-sliced: one part of each of 128 tensors, of 2
          such as   base_model.model.model.layers.{layer}.self_attn.q_proj.lora_A.weight
          stored    [8, 4096]
          expected  [16, 4096]
          help      save the adapter again with the parts of all processes gathered

    What to do
        Gather the state of all processes (FSDP's full state dict) before saving the adapter, or resume from a
        checkpoint that contains the parts of all ranks.
    """

    code = "A977"

    processes: int | None
    """Number of processes; None if the shapes leave it open."""
    tensors: int
    stored: tuple[int, ...]
    expected: tuple[int | None, ...]

    remedy_text = "save the adapter again with the parts of all processes gathered"

    def headline(self) -> str:
        parts = f", of {self.processes}" if self.processes else ""
        return f"one part of each of {count(self.tensors, 'tensor')}{parts}"

    def rows(self) -> Rows:
        return [
            ("such as", str(self.place.tensor or self.place.family)),
            ("stored", shape(self.stored)),
            ("expected", shape(["any" if dim is None else dim for dim in self.expected])),
        ]
