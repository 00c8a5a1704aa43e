"""Coordinates of windows that the first releases of Swin v2 stored."""

from __future__ import annotations

import pytest

from tests.checkpoints import Spec
from tests.judged import base_record, codes, judged, spec_of

LAST = "continuous_position_bias_mlp.2.weight"
WINDOWS = (4, 4, 4, 2)
"""Sizes of the windows of the record's four stages: the map of the last has two rows."""


@pytest.mark.parametrize("suffix", ["Swinv2Model", "ForImageClassification", "ForMaskedImageModeling"])
def test_tables_of_coordinates_are_buffers(suffix: str) -> None:
    record = base_record("swinv2", suffix)
    spec = spec_of(record)
    stored: Spec = {}
    for key in spec:
        if key.endswith(LAST):
            window = WINDOWS[int(key.split(".layers.")[1].split(".")[0])]
            start = key.removesuffix(LAST)
            stored[f"{start}relative_coords_table"] = ("F32", (1, 2 * window - 1, 2 * window - 1, 2))
            stored[f"{start}relative_position_index"] = ("I64", (window**2, window**2))
    audited = judged({**spec, **stored}, record["config"])
    assert (audited.verdict, codes(audited)) == ("clean", set())
    assert audited.counts.unique_parameters == record["num_parameters"]
    other = judged({**spec, **dict.fromkeys((f"{key}_" for key in stored), ("F32", (3, 3)))}, record["config"])
    assert codes(other) & {"N405", "N406"}
