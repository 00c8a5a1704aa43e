"""What sentence-transformers does with the model of an encoder: the class that it builds for the task of the model."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from inspector.auditing.loads.encoders import SENTENCES, with_failing_module
from inspector.auditing.loads.given_facts import given_of
from inspector.auditing.result import Audit
from inspector.auditing.sentence_listing import OF_TRANSFORMER, class_of_task, head_in_use, task_of
from inspector.findings.finding import Finding, Place
from inspector.loader.config_file import named_class
from inspector.loader.loaders import TRANSFORMERS
from inspector.loading.outcome import RANDOM, REFUSES
from inspector.loading.tables import NEWEST, names_of
from inspector.loading.transformers import loads


def with_model_below(audited: Audit, place: str) -> Audit:
    """Adds the predictions for the folder around the model of a sentence encoder to the model's audit.

    sentence-transformers opens the folder of the module, with the class of its task, which is the base class unless
    stated; transformers finds no config.json. place: the folder of the module.
    """
    config = audited.checkpoint.config
    own = next((one for one in audited.loads if one.loader == TRANSFORMERS.name and one.intended), None)
    if own is None or config is None:
        return audited
    base = names_of(NEWEST).bases.get(str(config.values.get("model_type")))
    built = class_of_task(audited.checkpoint) or (None if head_in_use(audited.checkpoint) else base)
    used = own
    if built not in (None, named_class(config.values)):
        used = loads(replace(given_of(audited, config.values), class_name=built, case=None), NEWEST)
    refused = [
        replace(one, outcome=REFUSES, intended=False, because=f"{TRANSFORMERS.config} and the weights are in {place}",
                missing=None, unexpected=None, mismatched=None, files=(), excuse="", keys=(), source="documented")
        for one in audited.loads if one.loader == TRANSFORMERS.name
    ]  # fmt: skip
    used = replace(used, loader=SENTENCES, version=None, intended=True)
    return replace(audited, loads=(*refused, used))


def with_modules_loaded(audited: Audit) -> Audit:
    """The audit with what becomes of the whole encoder, whose other modules were audited after its model."""
    found = (with_failing_module(audited, one) if one.loader == SENTENCES else one for one in audited.loads)
    return replace(audited, loads=tuple(found))


def head_of_task(audited: Audit) -> Iterator[Finding]:
    """The finding on a model without the head that its task needs, where its config names another class.

    The weights are those that the class of the config needs; the class of the task draws its head at random.
    """
    config, built = audited.checkpoint.config, class_of_task(audited.checkpoint)
    if config is None or built is None or built == named_class(config.values):
        return
    load = loads(replace(given_of(audited, config.values), class_name=built, case=None), NEWEST)
    if load.outcome != RANDOM or not load.missing or any(one.severity == "error" for one in audited.findings):
        return
    from inspector.findings.classifier_head import TaskHeadMissing

    yield TaskHeadMissing(
        place=Place(file=OF_TRANSFORMER), task=task_of(audited.checkpoint), built=built, tensors=load.missing,
        stored_class=named_class(config.values) or "",
    )  # fmt: skip
