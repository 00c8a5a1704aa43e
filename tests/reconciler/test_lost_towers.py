"""The help on a part that a program may leave out each time it saves: copy it from the base model."""

from __future__ import annotations

import pytest

from tests.judged import base_record, judged, spec_of

COPIED = "copy these {} tensors from the base model"
CASES = {
    # type, the part -> whether many trainings leave it as it was
    ("llava", "vision_tower"): True,
    ("llava", "multi_modal_projector"): True,
    ("qwen2_audio", "audio_tower"): True,
    ("blip-2", "qformer"): True,
    ("bart", "encoder"): False,
    ("t5", "encoder"): False,
}


@pytest.mark.parametrize(("model_type", "part"), CASES)
def test_a_lost_part_is_copied_from_the_base(model_type: str, part: str) -> None:
    record = base_record(model_type, "Generation")
    spec = spec_of(record)
    kept = {name: entry for name, entry in spec.items() if f"{part}." not in name}
    (lost,) = (one for one in judged(kept, record["config"]).findings if one.code == "N404")
    copied = COPIED.format(lost.facts["tensors"])
    assert (copied in str(lost.help)) is CASES[model_type, part]
    assert judged(spec, record["config"]).verdict == "clean"
