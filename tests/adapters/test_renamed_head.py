"""An adapter that changes the head of its base under another name, as Tinker writes it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.adapters.records import with_base
from tests.checkpoints import Spec
from tests.judged import base_record, codes, spec_of

CLASSES = {"llama": "lm_head", "qwen3": "lm_head", "gemma2": "lm_head", "gpt_neox": "lm_head", "gpt_oss": "lm_head"}
"""Types with a class for text -> the name of its head; gemma2 ties it, and gpt_neox stores it as embed_out."""
RANK = 4


def adapter(model_type: str, head: str, extra: int = 0) -> tuple[Spec, dict[str, Any]]:
    """(LoRA on the first square matrix of a layer and on a head of this name, the config of the base)."""
    record = base_record(model_type, "ForCausalLM")
    spec = spec_of(record)
    table = next(shape for name, (_, shape) in spec.items() if "embed" in name and len(shape) == 2)
    inner = next(name for name in spec if name.endswith(("q_proj.weight", "query_key_value.weight")))
    changed = {inner.removesuffix(".weight"): spec[inner][1], head: (table[0] + extra, table[1])}
    pairs: Spec = {}
    for module, (rows, width) in changed.items():
        path = f"base_model.model.{module}.lora_"
        pairs |= {f"{path}A.weight": ("F32", (RANK, width)), f"{path}B.weight": ("F32", (rows, RANK))}
    return pairs, {**record["config"], "architectures": [record["class"]]}


def helped(model_type: str, head: str, targets: Any, extra: int = 0) -> str:
    """The help on modules that the base does not have; "" without this finding."""
    spec, base = adapter(model_type, head, extra)
    config = {"peft_type": "LORA", "r": RANK, "lora_alpha": 8, "target_modules": targets}
    return next((str(one.help) for one in with_base(spec, config, base).findings if one.code == "A928"), "")


@pytest.mark.parametrize("model_type", CLASSES)
def test_tinkers_name_of_the_head(model_type: str) -> None:
    text = helped(model_type, "model.unembed_tokens", "all-linear")
    assert "build_lora_adapter" in text and f"Tinker's name of {CLASSES[model_type]}" in text


@pytest.mark.parametrize("model_type", CLASSES)
@pytest.mark.parametrize("name", ["output", "model.output_layer"])
def test_another_name_of_the_head(name: str, model_type: str) -> None:
    """Measured with PEFT 0.21.2: it reads the pair under the base's name, if target_modules lists the head."""
    text = helped(model_type, name, [name])
    assert text.startswith(f"rename {name} to {CLASSES[model_type]}") and "target_modules" in text


@pytest.mark.parametrize("model_type", CLASSES)
@pytest.mark.parametrize(("name", "extra"), [("model.unembed_tokens", 8), ("output", 8), ("model.layers.0.extra", 0)])
def test_modules_that_are_not_the_head(name: str, extra: int, model_type: str) -> None:
    assert helped(model_type, name, [name], extra) == "use the base that the adapter was trained on"


def test_the_head_under_its_own_name() -> None:
    spec, base = adapter("llama", "lm_head")
    config = {"peft_type": "LORA", "r": RANK, "lora_alpha": 8, "target_modules": ["lm_head", "q_proj"]}
    assert "A928" not in codes(with_base(spec, config, base))
