"""The findings on a LoRA of a language model under the names of torchtune, mistral-finetune or litgpt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from inspector.adapters.text_programs import text_program
from inspector.findings.adapters.tools import AdapterPairDiffers, AdapterTensorUnknown
from inspector.findings.adapters.whole import Adapter
from inspector.findings.finding import Finding
from inspector.matcher.families import Families
from inspector.reconciler.wording import names_in

if TYPE_CHECKING:
    from inspector.auditing.adapter.base_read import BaseRead


def with_program(findings: Sequence[Finding], families: Families, base: BaseRead | None) -> list[Finding] | None:
    """The findings with that on the program, without those that take its names for wrong ones; None for any other
    adapter.
    """
    program = text_program(families)
    if program is None:
        return None
    from inspector.findings.adapters.misspelled import AdapterNamesMisspelled
    from inspector.findings.adapters.of_program import AdapterOfProgram, AdapterOfProgramUnread

    named = [key for key in families if program.modules.fullmatch(key)]
    such_as = names_in(named[0], families[named[0]].boxes, 1)[0]
    trained = sum(family.tensors for key, family in families.items() if key not in named)
    kinds = AdapterNamesMisspelled | AdapterPairDiffers | AdapterTensorUnknown
    kept = [replace(one, writer=program.name) if isinstance(one, Adapter) else one for one in findings]
    of_base = None if base is None else base.values.get("model_type")
    own = AdapterOfProgram(
        program=program.name, itself=program.itself, convert=program.convert, such_as=such_as, trained=trained
    )
    if isinstance(of_base, str):
        own = AdapterOfProgramUnread(**own.stated_fields(), base=of_base)
    return [*(one for one in kept if not isinstance(one, kinds)), own]
