"""Every card of a class of diffusers against what diffusers builds: exact and clean, by full and by sparse configs."""

from __future__ import annotations

import pytest

from inspector.architectures.catalog import modules
from inspector.architectures.defaults import class_defaults
from tests.judged import diffusers_classes, diffusers_records, judged, spec_of

UNREAD = "C312"
"""The note about keys that are not understood: no key of a class may be."""


@pytest.mark.parametrize("which", ["config", "given"])
@pytest.mark.parametrize("name", diffusers_classes())
def test_every_record_is_exact_and_clean(name: str, which: str) -> None:
    assert name in modules()
    for record in diffusers_records(name):
        audited = judged(spec_of(record), record[which])
        told = [finding for finding in audited.findings if finding.severity != "note" or finding.code == UNREAD]
        assert not told, (record["variant"], [finding.message for finding in told])
        assert audited.architecture is not None
        assert audited.architecture.name == name
        counts = audited.counts
        assert counts.unique_parameters == record["num_parameters"], record["variant"]
        assert counts.expected_parameters == record["num_parameters"], record["variant"]
        assert counts.unexplained == 0, record["variant"]


@pytest.mark.parametrize("name", diffusers_classes())
def test_a_key_that_is_left_out_has_the_default_of_its_class(name: str) -> None:
    defaults, _ = class_defaults(name)
    assert defaults
    written = [record for record in diffusers_records(name) if record["variant"] == "defaults"]
    for record in written:
        for key, value in record["config"].items():
            if not key.startswith("_") and key in defaults:
                assert defaults[key] == value, key
