"""Predicts what sentence-transformers does, which builds the class of a task and loads the modules after the model."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from inspector.auditing.loads.given_facts import base_class, given_of
from inspector.auditing.result import CLEAN, Audit
from inspector.auditing.sentence_listing import class_of_task, has_table_at_top
from inspector.loader.config_file import named_class
from inspector.loading.given import Given
from inspector.loading.outcome import COMPLETE, RANDOM, REFUSES, UNKNOWN, Load
from inspector.loading.sentence_modules import CLASS_ENDINGS
from inspector.loading.tables import NEWEST, class_ending_with
from inspector.loading.transformers import loads

SENTENCES: Final = "sentence-transformers"
OF_CROSS_ENCODER: Final = CLASS_ENDINGS["sequence-classification"]
"""End of the name of the class that CrossEncoder builds."""


def of_encoder(audited: Audit, given: Given, newest: Load, *, alone: bool) -> Load:
    """What sentence-transformers does: it builds the class of the task, or the base class. alone: there is no adapter
    beside the weights.
    """
    checkpoint = audited.checkpoint
    base, of_task = base_class(audited), class_of_task(checkpoint)
    class_name = base if of_task is None else of_task
    case = given.case if of_task is None or of_task == given.class_name else None
    used = newest
    if class_name is not None and alone:
        used = loads(replace(given, class_name=class_name, case=case), NEWEST)
    if has_table_at_top(checkpoint):
        outcome = COMPLETE if audited.verdict == CLEAN else UNKNOWN
        used = Load(loader="", version=None, outcome=outcome, source="documented")
    return with_failing_module(audited, replace(used, loader=SENTENCES, version=None, intended=True))


def classifier_at_random(audited: Audit) -> tuple[str, int]:
    """(class, number of its tensors) that CrossEncoder draws at random for a model without a classifier; ("", 0) if it
    has one or this is open.
    """
    values = {} if audited.checkpoint.config is None else audited.checkpoint.config.values
    built = "" if "auto_map" in values else class_ending_with(str(values.get("model_type")), (OF_CROSS_ENCODER,)) or ""
    if not built or str(named_class(values)).endswith(OF_CROSS_ENCODER):
        return "", 0
    load = loads(replace(given_of(audited, values), class_name=built, case=None), NEWEST)
    return (built, load.missing) if load.outcome == RANDOM and load.missing else ("", 0)


def with_failing_module(audited: Audit, load: Load) -> Load:
    """Predicts what sentence-transformers does, which also loads the modules after the model."""
    if not audited.findings:
        return load
    from inspector.findings.sentence_modules import ModuleMissing

    wrong = next((one for one in audited.findings if isinstance(one, ModuleMissing)), None)
    if wrong is None or load.outcome != COMPLETE:
        return load
    because = f"{wrong.folder}: {wrong.problem}; it fails {wrong.when}"
    return replace(load, outcome=REFUSES if wrong.given is None else UNKNOWN, because=because, source="documented",
                   missing=None, unexpected=None, mismatched=None)  # fmt: skip
