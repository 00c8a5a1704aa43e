"""The finding on adapters that change nothing, by their values."""

from __future__ import annotations

from inspector.findings.finding import Finding, Remedy, Rows
from inspector.findings.words import count, number


class WithoutEffect(Finding, frozen=True, kw_only=True):
    """Modules that an adapter does not change. of: modules of the adapter; names: the first modules."""

    modules: int
    of: int
    names: tuple[str, ...]

    row_texts = (("modules", "{names:first modules}"),)

    def headline(self) -> str:
        if self.modules == self.of:
            return f"none of {count(self.of, 'module')} is changed"
        return f"{number(self.modules)} of {count(self.of, 'module')}"


class AdapterWithoutEffect(WithoutEffect, frozen=True, kw_only=True):
    """The adapter changes nothing: what it adds is zero in every module.

    What it means
        In every module one factor is zero: B matrices of zeros, as every LoRA has before its first training step, an
        alpha of 0, or factors of ones where they multiply.

    Why it matters
        The base with this adapter is the base alone.

    Example
        error[A923] adapter-without-effect: none of 4 modules is changed
          modules  base_model.model.model.layers.0.self_attn.q_proj,
                   base_model.model.model.layers.0.self_attn.v_proj and 2 more
          help     save the adapter again after training; under ZeRO-3 gather the
                   weights first

    What to do
        Save the adapter from the end of the training run, and check that its parameters were trained.
    """

    code = "A923"

    key: str | None = None

    def rows(self) -> Rows:
        stated = [("config", f"{self.key} 0, which multiplies what every module adds by 0")] if self.key else []
        return [*stated, *super().rows()]

    def remedy(self) -> Remedy:
        if self.key is not None:
            return Remedy(f'set "{self.key}" in adapter_config.json to the value of the training run')
        return Remedy("save the adapter again after training; under ZeRO-3 gather the weights first")


class ModulesWithoutEffect(WithoutEffect, frozen=True, kw_only=True):
    """The adapter leaves some of its modules unchanged.

    What it means
        In these modules one factor of what the adapter adds is zero, in the others none is.

    Why it matters
        These modules were not trained, or a part of the adapter was lost when it was saved.

    Example
        warning[A924] modules-without-effect: 1 of 4 modules
          modules  base_model.model.model.layers.1.self_attn.v_proj
          help     compare with an earlier checkpoint of the adapter

    What to do
        Compare with an earlier checkpoint of the adapter; check which modules were trained.
    """

    code = "A924"
    severity = "warning"
    remedy_text = "compare with an earlier checkpoint of the adapter"
