"""What transformers 4.57 does with null in place of a value that only some classes of a model type read.

Measured with transformers 4.57.6 (`tests/oracle/make_setting_rules.py`).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.auditing.start import audit
from inspector.loading.outcome import COMPLETE, REFUSES
from inspector.loading.tables import OLDER
from tests.judged import base_record, spec_of
from tests.loads.damage import healthy, write
from tests.loads.test_loads import of_version


@pytest.mark.parametrize(("model_type", "suffix", "key", "outcome"), [
    ("hubert", "HubertModel", "vocab_size", COMPLETE),
    ("hubert", "HubertForCTC", "vocab_size", REFUSES),
    ("sew", "SEWForSequenceClassification", "final_dropout", COMPLETE),
    ("videomae", "VideoMAEModel", "decoder_num_hidden_layers", COMPLETE),
    ("videomae", "VideoMAEForPreTraining", "decoder_num_hidden_layers", REFUSES),
    ("vjepa2", "VJEPA2Model", "num_pooler_layers", COMPLETE),
])  # fmt: skip
def test_a_null_that_only_other_classes_read(
    model_type: str, suffix: str, key: str, outcome: str, tmp_path: Path
) -> None:
    record = base_record(model_type, suffix)
    found = audit(str(write(healthy(spec_of(record), {**record["config"], key: None}), tmp_path)))
    load = of_version(found, OLDER)
    assert load is not None
    assert load.outcome == outcome
