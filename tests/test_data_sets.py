"""Files with as many single names as a data set has examples: no model, and no attack."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from inspector import audit

ENTRIES = 129_000


def of_names(place: Path, pattern: str, config: dict[str, str] | None) -> Path:
    """A file with one small tensor for each name, whose data is a hole."""
    names = (pattern.format(number=number, id=number * 7919 % 1_000_003) for number in range(ENTRIES))
    header = {
        name: {"dtype": "F32", "shape": [8, 8], "data_offsets": [256 * number, 256 * (number + 1)]}
        for number, name in enumerate(names)
    }
    raw = json.dumps(header).encode()
    with (place / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(raw)) + raw)
        file.truncate(8 + len(raw) + 256 * ENTRIES)
    if config is not None:
        (place / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return place


@pytest.mark.complete
@pytest.mark.parametrize(("pattern", "config", "verdict"), [
    ("image_{number:06d}_{id}", None, "undecided"), ("data.{number}.image_{id}", None, "undecided"),
    ("image_{number:06d}_{id}", {"model_type": "llama"}, "findings"),
])  # fmt: skip
def test_the_entries_of_a_data_set(pattern: str, config: dict[str, str] | None, verdict: str, tmp_path: Path) -> None:
    audited = audit(str(of_names(tmp_path, pattern, config)))
    assert audited.verdict == verdict
    assert any(one.code == "R012" for one in audited.findings) is (config is not None)
    assert audited.counts.stored_elements == 64 * ENTRIES
