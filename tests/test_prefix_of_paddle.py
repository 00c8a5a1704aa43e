"""ERNIE 4.5 in the repositories for PaddlePaddle: its prefix names the framework."""

from __future__ import annotations

import pytest

from tests.checkpoints import Spec
from tests.judged import base_record, judged, spec_of


def of_paddle(model_type: str, prefix: str) -> tuple[Spec, dict[str, object]]:
    """Names without the model's own prefix and with another one, and the matrices of Linears transposed."""
    record = base_record(model_type, "ForCausalLM")
    spec = {
        f"{prefix}{name.removeprefix('model.')}": (dtype, tuple(reversed(shape)) if "_proj" in name else shape)
        for name, (dtype, shape) in spec_of(record).items()
        if not name.startswith("lm_head.")
    }
    return spec, {**record["config"], "architectures": [record["class"]], "tie_word_embeddings": True}


@pytest.mark.parametrize("model_type", ["ernie4_5", "ernie4_5_moe"])
def test_the_prefix_of_paddle_is_named(model_type: str) -> None:
    (found,) = (one for one in judged(*of_paddle(model_type, "ernie.")).findings if one.code == "N402")
    assert "PaddlePaddle" in found.message
    assert "-PT" in str(found.help)


@pytest.mark.parametrize("model_type, prefix", [("ernie4_5", "core."), ("llama", "ernie.")])
def test_other_prefixes_and_models_are_of_no_framework(model_type: str, prefix: str) -> None:
    assert all("PaddlePaddle" not in one.message for one in judged(*of_paddle(model_type, prefix)).findings)
