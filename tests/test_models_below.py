"""Models in the folders below weights that no loader looks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from tests.checkpoints import write
from tests.comparing.pair_audits import torch_file
from tests.judged import base_record, spec_of

MODELS = (("wav2vec2", "ForCTC"), ("gpt2", "LMHeadModel"), ("vit", "ForImageClassification"))


@pytest.mark.parametrize(("model_type", "suffix"), MODELS)
@pytest.mark.parametrize(("name", "below", "named"), [
    ("best.pt", ("checkpoint-500",), "a model is in checkpoint-500"),
    ("best.pt", ("checkpoint-500", "checkpoint-900"), "models are in checkpoint-500, checkpoint-900"),
    ("best.pt", (), None),
    ("pytorch_model.bin", ("checkpoint-500",), None),
])  # fmt: skip
def test_models_below_lone_weights(
    name: str, below: tuple[str, ...], named: str | None, model_type: str, suffix: str, tmp_path: Path
) -> None:
    record = base_record(model_type, suffix)
    config: dict[str, Any] = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    (tmp_path / name).write_bytes(torch_file(spec_of(record), []))
    for folder in below:
        (tmp_path / folder).mkdir()
        write(tmp_path / folder, spec_of(record), config)
    (tmp_path / "logs").mkdir()
    found = [one.headline() for one in audit(str(tmp_path)).findings if one.code == "R092"]
    assert found == ([] if named is None else [named])
