"""Finds a folder of PEFT whose only weights are a file of another program, without a tensor of an adapter.

LLaVA's training, and the programs made from it, save the modules that were trained as a whole in
`non_lora_trainables.bin` next to the adapter: without the adapter's own file this is the only one with names below
`base_model.`. Under the name that PEFT looks for it would load, and add nothing to the base.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspector.adapters.names import adapter_kind, saved_name
from inspector.findings.finding import Finding
from inspector.findings.shards.names import FileNameUnknown, ModelWeightsAbsent
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.loaders import PEFT
from inspector.matcher.families import Families


def without_foreign_file(
    checkpoint: Checkpoint, findings: Sequence[Finding], families: Families, values: Mapping[str, Any]
) -> list[Finding]:
    """Replaces the finding on the name of such a file, and that on its tensors, by the one on the absent adapter.

    families: under the names in the file. values: the adapter's config; an adapter may consist of modules trained as a
    whole if it names them, and chooses no module for its method.
    """
    named = next((one for one in findings if isinstance(one, FileNameUnknown) and one.loader == PEFT.name), None)
    chosen = any(values.get(key) for key in ("target_modules", "target_parameters"))
    if named is None or not chosen or adapter_kind(map(saved_name, families)) is not None:
        return list(findings)
    from inspector.findings.adapters.ignored import AdapterTensorsIgnored

    absent = ModelWeightsAbsent(
        place=named.place, loader=PEFT.name, wanted=PEFT.files[0], model_type="an adapter",
        tensors=len(checkpoint.tensors), example=next(iter(checkpoint.tensors)),
    )  # fmt: skip
    kept = (one for one in findings if not isinstance(one, AdapterTensorsIgnored))
    return [absent if one is named else one for one in kept]
