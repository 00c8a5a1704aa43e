"""Predicts what diffusers does with a model of transformers' kind that its pipelines define, in a folder of its own.

Source: diffusers 0.42, `pipelines/stable_diffusion/safety_checker.py`: such a class is a `PreTrainedModel`, which
transformers' AutoModel does not know.
"""

from __future__ import annotations

from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.loading.given import Given, is_known_class
from inspector.loading.outcome import Load
from inspector.loading.tables import NEWEST


def of_pipeline_class(audited: Audit, given: Given, problem: str) -> Load | None:
    """What diffusers does with the class of a config; None if it is no class of a pipeline.

    problem: why a file cannot be opened, or "".
    """
    case = audited.case
    if case is None or is_known_class(given.class_name, NEWEST) or given.class_name not in case.head.names:
        return None
    from inspector.loading.diffusers import of_class_in_pipelines
    from inspector.loading.pipelines import is_class_of_pipelines

    if not is_class_of_pipelines(given.class_name):
        return None
    return replace(of_class_in_pipelines(audited.checkpoint, problem, case), intended=True)
