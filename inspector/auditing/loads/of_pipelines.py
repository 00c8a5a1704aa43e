"""Predicts what diffusers does with a pipeline, in its folder or in a single file, and with a model of transformers'
kind that its pipelines define, in a folder of its own.

Source: diffusers 0.42, `pipelines/stable_diffusion/safety_checker.py`: such a class is a `PreTrainedModel`, which
transformers' AutoModel does not know. `from_single_file` was measured with files of Stable Diffusion 1 and SDXL.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from inspector.auditing.result import CLEAN, Audit
from inspector.loader.loaders import DIFFUSERS
from inspector.loading.given import Given, is_known_class
from inspector.loading.outcome import COMPLETE, Load
from inspector.loading.tables import NEWEST

ENCODER, AUTOENCODER = 123_060_480, 83_653_863
MEASURED: Final[tuple[Mapping[str, int], ...]] = (
    {"text_encoder": ENCODER, "unet": 859_520_964, "vae": AUTOENCODER},
    {"text_encoder": ENCODER, "text_encoder_2": 694_659_840, "unet": 2_567_463_684, "vae": AUTOENCODER},
)
"""Components of a single file that `from_single_file` was measured to load completely -> their parameters: those of
Stable Diffusion 1 and of SDXL.
"""


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


def of_whole_pipeline(audited: Audit) -> Load | None:
    """What diffusers does with a pipeline without errors of which each component was recorded; None for any other."""
    if audited.verdict != CLEAN or not audited.components:
        return None
    if audited.checkpoint.pipeline is None:
        sizes = {name: part.counts.parameters for name, part in audited.components.items()}
        complete = sizes in MEASURED
    else:
        own = [[one for one in part.loads if one.intended] for part in audited.components.values()]
        complete = all(loads and all(one.outcome == COMPLETE for one in loads) for loads in own)
    if not complete:
        return None
    from inspector.loading.diffusers import VERSION

    return Load(loader=DIFFUSERS.name, version=VERSION, outcome=COMPLETE, intended=True)
