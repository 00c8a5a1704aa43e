"""Layers that predict further tokens, under the names of releases, added to records of models without them.

A layer is the copy of a recorded one of the same structure, plus the tensors that join it to the model, by name with
their shape (d: width, v: vocabulary, m: streams, h, kv: width of all heads, dh: of one).
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import pytest

from inspector.auditing.result import Audit
from inspector.comparing.checkpoints import compare_audits
from inspector.report.compare_text import ledger, verdict_line
from tests.checkpoints import Spec
from tests.judged import base_record, judged, spec_of


class Layer(NamedTuple):
    """copies: parts of recorded layers that it has; prefix: of its names; joins: its own tensors, optional ones
    first; config: keys that it needs; block: place of the copies under the prefix."""

    copies: tuple[str, ...]
    prefix: str
    joins: dict[str, tuple[Any, ...]]
    config: dict[str, Any]
    block: str = ""


NORMS: dict[str, tuple[Any, ...]] = {"enorm.weight": ("d",), "hnorm.weight": ("d",)}
V4 = {
    **NORMS, "norm.weight": ("d",), "e_proj.weight": ("d", "d"), "h_proj.weight": ("d", "d"),
    "hc_head_fn": ("m", "m*d"), "hc_head_base": ("m",), "hc_head_scale": (1,),
}  # fmt: skip
STEP = {
    **NORMS, "eh_proj.weight": ("d", "2*d"), "transformer.shared_head.norm.weight": ("d",),
    "transformer.shared_head.output.weight": ("v", "d"),
}  # fmt: skip
GLM = {**NORMS, "eh_proj.weight": ("d", "2*d"), "shared_head.norm.weight": ("d",)}
STEP_ATTENTION = ("self_attn", "input_layernorm", "post_attention_layernorm")
CLASSES = {
    "deepseek_v4": "ForCausalLM",
    "step3p7": "Generation",
    "glm5_next": "Generation",
    "inkling_mm_model": "Generation",
    "qwen3_5": "Generation",
    "qwen3_5_moe": "Generation",
}
INKLING = {"embed_norm.weight": ("d",), "hidden_norm.weight": ("d",), "input_proj.weight": ("d", "2*d")}
QWEN = {
    "fc.weight": ("d", "2*d"), "norm.weight": ("d",), "pre_fc_norm_embedding.weight": ("d",),
    "pre_fc_norm_hidden.weight": ("d",), "layers.0.self_attn.q_proj.weight": ("2*h", "d"),
    "layers.0.self_attn.k_proj.weight": ("kv", "d"), "layers.0.self_attn.v_proj.weight": ("kv", "d"),
    "layers.0.self_attn.o_proj.weight": ("d", "h"), "layers.0.self_attn.q_norm.weight": ("dh",),
    "layers.0.self_attn.k_norm.weight": ("dh",),
}  # fmt: skip
QWEN_COPIES = tuple(
    f"model.language_model.layers.1.{name}" for name in ("mlp", "input_layernorm", "post_attention_layernorm")
)
LAYERS = [
    ("qwen3_5", Layer(QWEN_COPIES, "mtp.", QWEN, {"text_config": {"mtp_num_hidden_layers": 1}}, "layers.0.")),
    ("qwen3_5_moe", Layer(QWEN_COPIES, "mtp.", QWEN, {"text_config": {"mtp_num_hidden_layers": 1}}, "layers.0.")),
    ("inkling_mm_model", Layer(
        ("model.llm.layers.0.",), "model.mtp.layers.0.", INKLING,
        {"mtp_config": {"num_nextn_predict_layers": 1, "local_layer_ids": [0]}}, "transformer_block.")),
    ("deepseek_v4", Layer(("model.layers.1.",), "mtp.0.", V4, {"num_nextn_predict_layers": 1})),
    ("step3p7", Layer(
        (*(f"model.layers.1.{name}" for name in STEP_ATTENTION), "model.layers.0.mlp"), "model.layers.3.", STEP,
        {"text_config": {"num_nextn_predict_layers": 1, "mtp_layer_types": ["sliding_attention"]}})),
    ("step3p7", Layer(
        (*(f"model.layers.0.{name}" for name in STEP_ATTENTION), "model.layers.0.mlp"), "model.layers.3.", STEP,
        {"text_config": {"num_nextn_predict_layers": 1, "mtp_layer_types": ["full_attention"]}})),
    ("glm5_next", Layer(
        ("model.language_model.layers.1.self_attn", "model.language_model.layers.1.mlp",
         "model.language_model.layers.1.input_layernorm", "model.language_model.layers.1.post_attention_layernorm"),
        "model.language_model.layers.4.", GLM, {"text_config": {"num_nextn_predict_layers": 1}})),
]  # fmt: skip


def with_layer(model_type: str, layer: Layer) -> tuple[Spec, Spec, dict[str, Any]]:
    """The recorded tensors, those of the layer, and the config."""
    record = base_record(model_type, CLASSES[model_type])
    config = copy.deepcopy(record["config"])
    for key, value in layer.config.items():
        config[key] = {**config.get(key, {}), **value} if isinstance(value, dict) else value
    text = config.get("text_config", config)
    stored = spec_of(record)
    own: Spec = {}
    for prefix in layer.copies:
        whole = prefix[: prefix.index("layers.") + len("layers.1.")]
        own |= {
            layer.prefix + layer.block + name[len(whole) :]: stored[name] for name in stored if name.startswith(prefix)
        }
    numbers = {"d": text["hidden_size"], "v": text["vocab_size"], "m": text.get("hc_mult", 1)}
    numbers |= {"2*d": 2 * numbers["d"], "m*d": numbers["m"] * numbers["d"], "dh": text.get("head_dim", 0)}
    heads, key_heads = (text.get(f"num_{kind}_heads", 0) * numbers["dh"] for kind in ("attention", "key_value"))
    numbers |= {"h": heads, "2*h": 2 * heads, "kv": key_heads}
    for name, shape in layer.joins.items():
        own[layer.prefix + name] = ("F32", tuple(numbers.get(dim, dim) for dim in shape))
    return stored, own, config


def wrong(audited: Audit) -> list[tuple[str, str]]:
    return [(finding.name, finding.headline()) for finding in audited.findings if finding.severity != "note"]


@pytest.mark.parametrize(("model_type", "layer"), LAYERS)
def test_every_tensor_is_explained(model_type: str, layer: Layer) -> None:
    stored, own, config = with_layer(model_type, layer)
    audited = judged({**stored, **own}, config)
    assert (audited.verdict, audited.counts.unexplained) == ("clean", 0)
    assert "component-extra" in {finding.name for finding in audited.findings}


@pytest.mark.parametrize(("model_type", "layer"), LAYERS)
def test_a_conversion_that_loses_the_layer_says_how_many_parameters(model_type: str, layer: Layer) -> None:
    stored, own, config = with_layer(model_type, layer)
    whole, less = judged({**stored, **own}, config), judged(stored, config)
    for one, other, word in ((whole, less, "dropped"), (less, whole, "added")):
        found = compare_audits(one, other)
        (finding,) = (finding for finding in found.findings if finding.severity != "note")
        assert finding.code == "V814"
        size = abs(finding.facts["source"] - finding.facts["target"])
        change = f"{size:,} parameters of mtp {word}"
        assert verdict_line(found) == f"findings: a conversion; {change}; 1 warning"
        assert ledger(found)[-1] == f"beyond these sums: {change}"
    assert verdict_line(compare_audits(whole, whole)) == "clean: the same tensors with the same shapes"


@pytest.mark.parametrize(("model_type", "layer"), LAYERS)
def test_a_missing_and_a_misshapen_tensor_are_named(model_type: str, layer: Layer) -> None:
    stored, own, config = with_layer(model_type, layer)
    first, second = (layer.prefix + name for name in list(layer.joins)[:2])
    for name in (next(iter(own)), second):
        assert wrong(judged({**stored, **own, name: ("F32", (5, 7))}, config)) == [("shape-differs", name)]
    del own[first]
    assert wrong(judged({**stored, **own}, config)) == [("tensor-missing", first)]


@pytest.mark.parametrize(("kind", "class_name", "named"), [
    ("LlamaForCausalLMEagle3", "Qwen3ForCausalLM", True), ("LlamaForCausalLMEagle3", "LlamaForCausalLM", True),
    ("LlamaForCausalLMEagle3", "LlamaForCausalLMEagle3", False), ("LlamaForCausalLMEagle3", "Eagle3Draft", False),
    ("EagleLlamaForCausalLM", "LlamaForCausalLM", False),
])  # fmt: skip
def test_a_draft_head_under_the_class_of_a_model(kind: str, class_name: str, named: bool) -> None:
    """SGLang takes the class from `architectures` as it is."""
    found = base_record(kind)
    config = {**found["config"], "model_type": "llama", "architectures": [class_name]}
    (draft,) = (one for one in judged(spec_of(found), config).findings if one.code == "N460")
    assert draft.facts["class_of_sglang"] == (kind if named else "")
    assert (f'"architectures": ["{kind}"]' in draft.help) is named
