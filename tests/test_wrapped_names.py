"""Names with prefixes of wrappers around a model, its layers, or other wrappers: one finding and the exact count."""

from __future__ import annotations

import re

import pytest

from inspector.findings.names.prefixes import PrefixOnNames
from tests.judged import base_record, codes, judged, spec_of

MODELS = [
    ("llama", "ForCausalLM"),
    ("bert", "ForMaskedLM"),
    ("gpt2", "LMHeadModel"),
    ("t5", "ForConditionalGeneration"),
]
LAYER = re.compile(r"(\.(?:layers|layer|h|block)\.\d+\.)")
FSDP, CHECKPOINT, COMPILED = "_fsdp_wrapped_module.", "_checkpoint_wrapped_module.", "_orig_mod."
AROUND = ["module.", COMPILED, FSDP, "module.module.", f"{COMPILED}module.", f"model.{COMPILED}", "_forward_module."]


def inside(name: str, wrapper: str) -> str:
    """The name with the prefix of a wrapper around its layer."""
    return LAYER.sub(lambda found: found[1] + wrapper, name, count=1)


@pytest.mark.parametrize(("model_type", "suffix"), MODELS)
def test_one_finding_names_the_wrappers(model_type: str, suffix: str) -> None:
    record = base_record(model_type, suffix)
    config = {**record["config"], "model_type": model_type, "architectures": [record["class"]]}
    spec = spec_of(record)
    renamed = [{around + name: entry for name, entry in spec.items()} for around in AROUND]
    renamed += [{inside(name, one): entry for name, entry in spec.items()} for one in (FSDP, CHECKPOINT, COMPILED)]
    renamed.append({FSDP + inside(name, FSDP + CHECKPOINT): entry for name, entry in spec.items()})
    renamed.append({LAYER.sub(r"._orig_mod\1", name, count=1): entry for name, entry in spec.items()})
    for stored in renamed:
        audited = judged(stored, config)
        assert codes(audited) == {"N402"}, next(iter(stored))
        found = next(one for one in audited.findings if isinstance(one, PrefixOnNames))
        assert found.wrapper and found.tensors == len(stored.keys() - spec.keys())
        assert found.without == len(stored.keys() & spec.keys())
        assert audited.counts.unique_parameters == judged(spec, config).counts.unique_parameters
