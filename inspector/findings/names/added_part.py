"""The finding on a module that was trained in addition to a model and saved separately."""

from __future__ import annotations

import json

from inspector.findings.finding import ContentFinding, Remedy, Rows, Step
from inspector.findings.words import count, number


class AddedPartAlone(ContentFinding, frozen=True, kw_only=True):
    """The weights are a module that was added to a model, and nothing of the model.

    What it means
        Every name is that of a module which a program trains next to a frozen model and saves alone: the prefix encoder
        of P-tuning v2, the heads of Medusa, the projector of LLaVA. If the config states its rows or its second matrix,
        they are compared.

    Why it matters
        It is of no use without the model. A loader that builds the whole model from a config next to it leaves all
        of it random.

    Example
        warning[N532] added-part-alone: the prefix encoder of P-tuning v2
          stored  1 tensor, 29,360,128 elements
          help    load the model that it was trained for, then this file with
                  model.transformer.prefix_encoder.load_state_dict, without
                  "transformer.prefix_encoder." in its names

    What to do
        Load the model first, then this part of it.
    """

    code = "N532"
    severity = "warning"

    part: str
    how: str
    tensors: int
    elements: int
    key: str = ""
    """The config key that states other rows than are stored; "" if none does."""
    stated: int | None = None
    rows_stored: int | None = None
    switch: str = ""
    """The config key that says that the module has a second matrix if none is stored, or the reverse."""
    switched_on: bool = False
    """True if the second matrix is stored."""

    headline_text = "{part}"

    def rows(self) -> Rows:
        rows: Rows = [("stored", f"{count(self.tensors, 'tensor')}, {number(self.elements)} elements")]
        if self.key:
            rows.append((self.key, f"{self.stated} in the config, {self.rows_stored} rows are stored"))
        if self.switch:
            of_config, stored = ("false", "two matrices are") if self.switched_on else ("true", "the table alone is")
            rows.append((self.switch, f"{of_config} in the config, {stored} stored"))
        return rows

    def remedy(self) -> Remedy:
        whole = f"load the model that it was trained for, {self.how}"
        steps = []
        if self.key:
            steps.append(Step(action="set", file="config.json", key=(self.key,), old=self.stated, new=self.rows_stored))
        if self.switch:
            old, new = not self.switched_on, self.switched_on
            steps.append(Step(action="set", file="config.json", key=(self.switch,), old=old, new=new))
        if not steps:
            return Remedy(whole)
        words = " and ".join(f'"{step.key[0]}": {json.dumps(step.new)}' for step in steps)
        return Remedy(f"set {words} in config.json; {whole}", tuple(steps))
