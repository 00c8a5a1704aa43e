"""Weights in dtypes that only quantized weights have, on models of transformers."""

from __future__ import annotations

import pytest

from inspector.auditing.result import Audit
from inspector.loader.dtype import NO_WEIGHTS
from tests.judged import base_record, codes, judged, spec_of
from tests.quantization import recorded

UNPACKED = sorted(NO_WEIGHTS - {"U32", "F6_E2M3", "F6_E3M2"})
"""Without U32, which is read as MLX's packing, and without those whose rows need not end on a byte boundary."""
TYPES = ("llama", "bert", "resnet", "mamba", "t5", "clip")


def stored_as(model_type: str, dtype: str, *, every: bool) -> Audit:
    """The audit of a model in which all matrices, or one, have another dtype."""
    record = base_record(model_type)
    spec = spec_of(record)
    matrices = [name for name, (_, shape) in spec.items() if len(shape) > 1]
    changed = matrices if every else matrices[-1:]
    return judged({**spec, **{name: (dtype, spec[name][1]) for name in changed}}, record["config"])


@pytest.mark.thinned
@pytest.mark.parametrize("dtype", UNPACKED)
@pytest.mark.parametrize("model_type", TYPES)
def test_integers_are_not_weights(model_type: str, dtype: str) -> None:
    for every in (True, False):
        audited = stored_as(model_type, dtype, every=every)
        assert codes(audited) == {"T603"}
        assert audited.findings[0].facts["dtype"] == dtype


@pytest.mark.parametrize(("model_type", "ending", "found"), [
    ("xcodec", "codebook.embed", {"T603"}), ("resnet", "running_var", {"T603"}),
    ("deepseek_v3", "e_score_correction_bias", {"T603"}), ("bert", "position_ids", set()),
    ("resnet", "num_batches_tracked", set()), ("swin", "relative_position_index", set()),
])  # fmt: skip
def test_integers_are_no_buffers_of_floats(model_type: str, ending: str, found: set[str]) -> None:
    record = base_record(model_type)
    spec = spec_of(record)
    spec.update({name: ("I32", shape) for name, (_, shape) in spec.items() if name.endswith(ending)})
    assert codes(judged(spec, record["config"])) == found


@pytest.mark.parametrize("dtype", ["F16", "BF16", "F64", "F8_E4M3", "F8_E5M2"])
@pytest.mark.parametrize("model_type", TYPES)
def test_floats_are_weights(model_type: str, dtype: str) -> None:
    assert codes(stored_as(model_type, dtype, every=True)) == set()


@pytest.mark.parametrize("name", recorded.RECORDED)
def test_quantized_weights_may_be_integers(name: str) -> None:
    found = recorded.record(name)
    spec = {one: (dtype, tuple(shape)) for one, (dtype, shape) in found["tensors"].items()}
    assert "T603" not in codes(judged(spec, found["config"], side=found["side"]))


@pytest.mark.parametrize("model_type", TYPES)
def test_packed_words_without_scales_are_not_weights_either(model_type: str) -> None:
    assert stored_as(model_type, "U32", every=True).verdict == "findings"


@pytest.mark.parametrize(("model_type", "endings"), [
    ("llama", ("smooth_shift", "input_scale", "input_offset")), ("gpt_neox", ("weight_offset",)),
    ("vit", ("smooth", "smooth_shift")),
])  # fmt: skip
def test_scales_that_nothing_reads_belong_to_their_integers(model_type: str, endings: tuple[str, ...]) -> None:
    """No finding may suggest to remove them; a bias that the class does not have is not a scale."""
    record = base_record(model_type)
    spec = spec_of(record)
    integers = [name for name, (_, shape) in spec.items() if len(shape) == 2 and ".0." in name]
    spec.update({name: ("I8", spec[name][1]) for name in integers})
    scales = [f"{name.rpartition('.')[0]}.{ending}" for name in integers for ending in endings]
    spec.update(dict.fromkeys(scales, ("F32", (1,))))
    audited = judged(spec, record["config"])
    assert codes(audited) == {"T603"}
    assert audited.findings[0].facts["helpers"] == len(scales)
    other = judged({**spec, "stray.shift": ("F32", (1,))}, record["config"])
    assert codes(other) == {"T603", "N405"}


@pytest.mark.parametrize(("dtype", "values", "found"), [
    ("U8", 2, {"T645"}), ("I8", 2, {"T645"}), ("U8", 1, {"D501", "T603"}), ("F32", 2, {"D501"}),
])  # fmt: skip
@pytest.mark.parametrize("model_type", ["llama", "gpt_neox", "vit"])
def test_four_bit_values_alone(model_type: str, dtype: str, values: int, found: set[str]) -> None:
    """One column with two values in a byte; another length or a float is a wrong shape."""
    record = base_record(model_type)
    spec = spec_of(record)
    for name, (_, shape) in list(spec.items()):
        if len(shape) == 2 and ".0." in name and name.endswith("weight"):
            spec[name] = (dtype, (shape[0] * shape[1] // values, 1))
    assert codes(judged(spec, record["config"])) == found
