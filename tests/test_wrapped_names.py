"""Names with prefixes of wrappers around a model, its layers, or other wrappers: one finding and the exact count."""

from __future__ import annotations

import re
from typing import Any

import pytest

from inspector.dialects.timm import config_of
from inspector.findings.names.of_library import LibraryReadsOthers
from inspector.findings.names.prefixes import PrefixOnNames
from inspector.findings.names.renamed import TensorRenamed
from inspector.mending.patterns import renamed
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


@pytest.mark.thinned
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


TIMM = {"architecture": "vit_tiny_patch16_224", "pretrained_cfg": {"num_classes": 5}}
OF_LIBRARIES = {
    "timm": ["patch_embed.proj.weight", "blocks.0.attn.qkv.weight", "blocks.0.mlp.fc1.weight"],
    "OpenCLIP": ["visual.conv1.weight", "transformer.resblocks.0.attn.in_proj_weight"],
    "nothing known": ["encoder.stem.kernel", "encoder.stem.offset"],
}


@pytest.mark.parametrize(("library", "config", "around", "wrong"), [
    ("timm", TIMM, "", False), ("timm", TIMM, COMPILED, True), ("timm", TIMM, "module.", True),
    ("timm", None, f"module.{COMPILED}", True), ("OpenCLIP", None, COMPILED, True),
    ("OpenCLIP", None, "module.", False),
    ("nothing known", None, COMPILED, True), ("nothing known", {"model_type": "mine"}, FSDP, True),
    ("nothing known", {"model_type": "mine"}, "module.", False), ("timm", TIMM, "model.", True),
    ("OpenCLIP", None, "model.", True), ("timm", None, "model.", True),
    ("timm", {"model_type": "mine"}, "model.", False),
])  # fmt: skip
def test_wrappers_around_unknown_models(library: str, config: dict[str, Any] | None, around: str, wrong: bool) -> None:
    """Measured: timm 1.0 loads none of them from the Hub, nor does transformers; OpenCLIP 3.3 removes `module.`."""
    if config is TIMM:
        config = config_of(TIMM)
    found = judged({around + name: ("F32", (4, 4)) for name in OF_LIBRARIES[library]}, config)
    inside = config is None and around == "model."
    assert codes(found) == ({"N682" if inside else "N402"} if wrong else set())
    assert all(one.prefix == around for one in found.findings if isinstance(one, PrefixOnNames))
    by_names = [one.below for one in found.findings if isinstance(one, LibraryReadsOthers)]
    assert by_names == [around] * inside


@pytest.mark.parametrize(("around", "noted"), [("module.", True), ("", False), ("modules.", False)])
def test_names_of_own_code_below_a_data_parallel_wrapper(around: str, noted: bool) -> None:
    """Nobody but the code knows whether its class has a module of this name."""
    config = {"model_type": "mine", "auto_map": {"AutoModel": "modeling_mine.Mine"}}
    found = judged({f"{around}{layer}.mix.weight": ("F32", (4, 4)) for layer in "abc"}, config)
    (note,) = (one for one in found.findings if one.code == "N412")
    assert found.verdict == "undecided"
    assert ('strip "module." from every name' in note.help) is noted


@pytest.mark.parametrize("around", ["model.", "module."])
@pytest.mark.parametrize(("model_type", "suffix", "declared"), [
    ("bert", "ForMaskedLM", "BertForSequenceClassification"),
    ("distilbert", "ForMaskedLM", "DistilBertForTokenClassification"),
    ("vit", "ForImageClassification", "ViTForMaskedImageModeling"),
])  # fmt: skip
def test_the_class_below_a_wrapper_is_named(model_type: str, suffix: str, declared: str, around: str) -> None:
    """Two causes: the wrapper, and the class of the weights, which are not lost."""
    record = base_record(model_type, suffix)
    config = {**record["config"], "model_type": model_type, "architectures": [declared]}
    found = judged({around + name: entry for name, entry in spec_of(record).items()}, config)
    assert [one.code for one in found.findings if one.severity == "error"] == ["N402", "N427"]
    (differs,) = (one for one in found.findings if one.code == "N427")
    assert differs.facts["stored_class"] == record["class"]


NESTED = ["qwen3_5", "qwen3_5_moe", "qwen3_vl"]
"""Model types whose text model is `model.language_model` and whose vision tower is `model.visual`."""


@pytest.mark.parametrize("model_type", NESTED)
@pytest.mark.parametrize("tower", ["model.language_model.visual.", "model.visual."])
def test_each_part_below_a_prefix_of_its_own(model_type: str, tower: str) -> None:
    """transformers 5.5.0 saves Qwen3.5 with two more `language_model.` before the text and one before the tower."""
    record = base_record(model_type, "ForConditionalGeneration")
    config = {**record["config"], "model_type": model_type, "architectures": [record["class"]]}
    spec, text = spec_of(record), "language_model."
    stored = {name.replace(text, 3 * text).replace("model.visual.", tower): entry for name, entry in spec.items()}
    audited = judged(stored, config)
    (found,) = audited.findings
    assert isinstance(found, PrefixOnNames | TensorRenamed)
    assert found.tensors == len(stored.keys() - spec.keys())
    changes = [(step.old, step.new) for step in found.remedy().steps]
    assert {renamed(name, changes): entry for name, entry in stored.items()} == spec
