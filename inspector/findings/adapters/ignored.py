"""Tensors of an adapter that PEFT ignores: its base has no parameter of these names."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows, Step
from inspector.findings.words import count, either, first


class AdapterTensorsIgnored(Finding, frozen=True, kw_only=True):
    """PEFT ignores tensors of the adapter, because the base has no parameters of these names.

    What it means
        Next to the tensors of the method there are others, which are neither the adapter's nor the base's: of a head
        that another library adds, of a class other than the one that is loaded, or leftovers.

    Why it matters
        PEFT 0.21 drops them without a warning. If they were trained, this part of the training is lost.

    Example
        warning[A978] adapter-tensors-ignored: v_head.summary.weight
          stored   2 tensors, 4,097 elements
          of       v_head.summary.weight, v_head.summary.bias
          because  llama has no parameter of these names, and PEFT ignores them
          help     remove them from the file if nothing else reads them

    What to do
        Remove the tensors if nothing else reads them; otherwise load the adapter into the class that it was trained
        with, such as the value head's model of TRL.
    """

    code = "A978"
    severity = "warning"

    base: str
    names: tuple[str, ...]
    families: int
    tensors: int
    elements: int

    remedy_text = "remove them from the file if nothing else reads them"

    def headline(self) -> str:
        return self.names[0]

    def rows(self) -> Rows:
        rows = [("stored", f"{count(self.tensors, 'tensor')}, {count(self.elements, 'element')}")]
        names, them = ("these names", "them") if self.families > 1 else ("this name", "it")
        if self.families > 1:
            rows.append(("of", first(self.names, self.families)))
        return [*rows, ("because", f"{self.base} has no parameter of {names}, and PEFT ignores {them}")]


class AdapterHeadIgnored(AdapterTensorsIgnored, frozen=True, kw_only=True):
    """PEFT ignores the head that the adapter stores, because its config states another task.

    What it means
        The adapter was trained with a classifier and stores it, but `task_type` in adapter_config.json makes PEFT build
        a class that has none.

    Why it matters
        PEFT 0.21 drops the trained head without a warning. Built for the right task, the model has it.

    Example
        error[A979] adapter-head-ignored: base_model.model.score.weight
          stored   1 tensor, 8,192 elements
          because  task_type "CAUSAL_LM" asks for a class of llama without this head
          help     set "task_type": "SEQ_CLS" in adapter_config.json

    What to do
        Set the task that the adapter was trained for, or remove the head if it is a leftover.
    """

    code = "A979"
    severity = "error"

    task: str
    tasks: tuple[str, ...]

    def rows(self) -> Rows:
        why = f'task_type "{self.task}" asks for a class of {self.base} without this head'
        return [*super().rows()[:-1], ("because", why)]

    def remedy(self) -> Remedy:
        words = either([f'"task_type": "{task}"' for task in self.tasks])
        if len(self.tasks) > 1:
            return Remedy(f"set {words} in adapter_config.json, the task that it was trained for")
        step = Step(action="set", file="adapter_config.json", key=("task_type",), old=self.task, new=self.tasks[0])
        return Remedy(f"set {words} in adapter_config.json", (step,))
