"""Models under the names of other frameworks: clean with the exact count, with a config or without."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.architectures.catalog import definition_of
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.dialects.catalog import SIGN_PARTS, all_dialects
from inspector.mending.patterns import renamed
from tests.checkpoints import Spec, elements, genuine, write
from tests.dialects import converters
from tests.judged import codes, judged

SIZES = {"hidden_size": 48, "intermediate_size": 80, "num_attention_heads": 6, "num_key_value_heads": 2,
         "num_hidden_layers": 3, "vocab_size": 70}  # fmt: skip
CLASSES = {"qwen3_moe": "Qwen3Moe", "qwen2_moe": "Qwen2Moe", "gemma3_text": "Gemma3", "gpt_neox": "GPTNeoX",
           "deepseek_v3": "DeepseekV3"}  # fmt: skip
OWN: dict[str, dict[str, Any]] = {
    "llama": {"head_dim": 10},
    "qwen2": {},
    "qwen3": {"head_dim": 10},
    "mixtral": {"num_local_experts": 5},
    "qwen3_moe": {"head_dim": 10, "num_experts": 5, "moe_intermediate_size": 24},
    "qwen2_moe": {"num_experts": 5, "moe_intermediate_size": 24, "shared_expert_intermediate_size": 56},
    "gemma": {"head_dim": 10},
    "gemma2": {"head_dim": 10},
    "gemma3_text": {"head_dim": 10},
    "phi": {},
    "olmo2": {},
    "phi3": {},
    "gpt_neox": {},
    "falcon": {"num_kv_heads": 2, "new_decoder_architecture": True},
    "mistral4": {
        "q_lora_rank": 14, "kv_lora_rank": 18, "qk_nope_head_dim": 10, "qk_rope_head_dim": 4, "v_head_dim": 12,
        "n_routed_experts": 5, "n_shared_experts": 1, "moe_intermediate_size": 24, "first_k_dense_replace": 2,
    },
    "deepseek_v3": {
        "q_lora_rank": 14, "kv_lora_rank": 18, "qk_nope_head_dim": 10, "qk_rope_head_dim": 4, "v_head_dim": 12,
        "n_routed_experts": 5, "n_shared_experts": 1, "moe_intermediate_size": 24, "first_k_dense_replace": 2,
        "num_nextn_predict_layers": 0,
    },
}  # fmt: skip
FLUX = {"_class_name": "FluxTransformer2DModel", "num_layers": 3, "num_single_layers": 4, "num_attention_heads": 3,
        "attention_head_dim": 16, "joint_attention_dim": 40, "pooled_projection_dim": 28, "in_channels": 64,
        "guidance_embeds": True, "patch_size": 1}  # fmt: skip

SD3 = {"_class_name": "SD3Transformer2DModel", "num_layers": 3, "num_attention_heads": 3, "attention_head_dim": 16,
       "joint_attention_dim": 40, "caption_projection_dim": 48, "pooled_projection_dim": 28, "in_channels": 16,
       "out_channels": 16, "patch_size": 2, "pos_embed_max_size": 12, "qk_norm": "rms_norm",
       "dual_attention_layers": [0, 1]}  # fmt: skip

WAN: dict[str, Any] = {
    "_class_name": "WanTransformer3DModel", "num_layers": 3, "num_attention_heads": 3, "attention_head_dim": 16,
    "ffn_dim": 80, "freq_dim": 20, "in_channels": 6, "out_channels": 5, "text_dim": 40, "cross_attn_norm": True,
    "patch_size": [1, 2, 2],
}  # fmt: skip
WAN_IMAGE = WAN | {"image_dim": 28, "added_kv_proj_dim": 48, "pos_embed_seq_len": 34}
WAN_VACE = WAN | {"_class_name": "WanVACETransformer3DModel", "vace_layers": [0, 2], "vace_in_channels": 10}
WHISPER = {"model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"], "d_model": 48,
           "encoder_layers": 2, "decoder_layers": 3, "encoder_ffn_dim": 80, "decoder_ffn_dim": 96, "vocab_size": 70,
           "encoder_attention_heads": 3, "decoder_attention_heads": 3, "max_source_positions": 30,
           "max_target_positions": 20, "num_mel_bins": 10}  # fmt: skip


OF_KIND = {"flux": FLUX, "sd3": SD3, "whisper": WHISPER, "wan": WAN, "wan-image": WAN_IMAGE, "wan-vace": WAN_VACE}


def config_of(kind: str) -> dict[str, Any]:
    """A tiny config of a model type."""
    return {
        "model_type": kind,
        "architectures": [f"{CLASSES.get(kind, kind.capitalize())}ForCausalLM"],
        **SIZES,
        **OWN[kind],
    }


def _flux(spec: Spec) -> Spec:
    return converters.flux(spec, "model.diffusion_model.")


Convert = Callable[[Spec], Spec]
WAYS: dict[str, tuple[Convert, tuple[str, ...]]] = {
    "litgpt": (converters.litgpt, ("llama", "qwen2", "qwen3", "mixtral", "qwen3_moe", "gemma", "gemma2", "gemma3_text",
                                   "phi", "phi3", "gpt_neox", "falcon")),
    "litgpt-old": (lambda spec: converters.litgpt(spec, old=True), ("llama", "gpt_neox")),
    "megatron": (converters.megatron, ("llama", "qwen2", "qwen3", "mixtral", "qwen3_moe", "qwen2_moe", "gemma",
                                       "deepseek_v3")),
    "megatron-local": (lambda spec: converters.megatron(spec, local=True, prefix="module."),
                       ("llama", "qwen2", "mixtral", "qwen3_moe")),
    "nemo": (converters.megatron_old, ("llama", "qwen2")),
    "torchtune": (converters.torchtune, ("llama", "qwen2", "qwen3", "gemma2", "phi3")),
    "tencentpretrain": (converters.tencentpretrain, ("llama",)),
    "early-llama": (converters.early_llama, ("llama",)),
    "mistral": (converters.mistral, ("mixtral", "mistral4")),
    "mistral-stacked": (lambda spec: converters.mistral(spec, stacked=True), ("mixtral",)),
    "flux": (converters.flux, ("flux",)),
    "comfy": (_flux, ("flux",)),
    "sd3": (converters.sd3, ("sd3",)),
    "whisper": (converters.whisper, ("whisper",)),
    "wan": (converters.wan, ("wan", "wan-image", "wan-vace")),
    "wan-comfy": (lambda spec: converters.wan(spec, "model.diffusion_model."), ("wan",)),
    "sd3-comfy": (lambda spec: converters.sd3(spec, "model.diffusion_model."), ("sd3",)),
    "olmo-core": (converters.olmo_core, ("olmo2", "llama", "qwen3")),
    "verl": (converters.verl, ("qwen3_moe", "qwen2_moe")),
}  # fmt: skip
CASES = [(way, kind) for way, (_, kinds) in WAYS.items() for kind in kinds]


def made(way: str, kind: str) -> tuple[Spec, dict[str, Any]]:
    """The converted listing and the config of the original model."""
    config = OF_KIND.get(kind) or config_of(kind)
    return WAYS[way][0](genuine(config)), config


def parameters(spec: Spec) -> int:
    """Elements of the parameters."""
    buffers = ("_extra_state", "expert_bias", "pos_embed")
    return elements({name: entry for name, entry in spec.items() if not name.endswith(buffers)})


def sums(audited: Audit) -> None:
    """Check that every stored element is counted once."""
    counts = audited.counts
    assert counts.unexplained == 0
    assert counts.stored_elements == counts.parameters + counts.buffers
    assert counts.parameters == counts.unique_parameters + counts.tied_copies


SOME = [pytest.param(*case, marks=[pytest.mark.slow] if number % 5 else []) for number, case in enumerate(CASES)]
"""Every fifth case; `-m slow` runs the others."""


@pytest.mark.thinned
@pytest.mark.parametrize(("way", "kind"), CASES)
def test_with_its_config(way: str, kind: str) -> None:
    spec, config = made(way, kind)
    audited = judged(spec, config)
    assert codes(audited) == set(), [str(one.title) for one in audited.findings]
    assert audited.architecture is not None and audited.architecture.confidence == "certain"
    counts = audited.counts
    assert counts.unique_parameters + counts.tied_copies == parameters(spec)
    assert counts.expected_parameters == counts.unique_parameters
    assert any(one.code == "N409" for one in audited.findings)
    sums(audited)


@pytest.mark.thinned
@pytest.mark.parametrize(("way", "kind"), CASES)
def test_by_names_alone(way: str, kind: str) -> None:
    spec, _ = made(way, kind)
    audited = judged(spec, None)
    assert codes(audited) == set(), [str(one.title) for one in audited.findings]
    assert audited.architecture is not None and audited.architecture.confidence == "likely"
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == parameters(spec)
    sums(audited)


TIED = ("gemma", "gemma2", "gemma3_text", "falcon")
"""Types whose head is the embedding."""


EITHER = ("img_emb.emb_pos",)
"""Tensors that are lost, or that a key of the config announces wrongly: one finding says both."""


def required(spec: Spec) -> list[str]:
    """One name of each required family."""
    heads = ("lm_head", "output_layer", "output.weight", "_extra_state", "expert_bias")
    found: dict[str, str] = {}
    for name in spec:
        if not any(head in name for head in heads):
            found["".join("#" if sign.isdigit() else sign for sign in name)] = name
    return list(found.values())


@pytest.mark.thinned
@pytest.mark.parametrize(("way", "kind"), SOME)
def test_a_dropped_tensor_is_named(way: str, kind: str) -> None:
    spec, config = made(way, kind)
    whole = judged(spec, config).counts.expected_parameters
    for name in required(spec):
        if name.endswith(("wte.weight", "embeddings.weight")) and kind in TIED:
            continue  # either of two tied matrices suffices
        audited = judged({other: entry for other, entry in spec.items() if other != name}, config)
        if name in EITHER:
            (finding,) = (one for one in audited.findings if one.severity == "error")
            assert (finding.code, name in dict(finding.rows())["or"]) == ("C310", True)
            continue
        assert codes(audited) == {"N403"}, (name, codes(audited))
        reported = next(one for one in audited.findings if one.code == "N403")
        assert reported.place.tensor == name or _renumbered(name) == reported.place.tensor, name
        assert audited.counts.expected_parameters == whole


def _renumbered(name: str) -> str:
    """Transformer Engine's `linear_fc1.weight3` is reported as `linear_fc1.3.weight`."""
    stem, _, last = name.rpartition(".")
    digits = last.removeprefix("weight").removeprefix("bias")
    return f"{stem}.{digits}.{last.removesuffix(digits)}" if digits else name


@pytest.mark.thinned
@pytest.mark.parametrize(("way", "kind"), SOME)
def test_a_misshapen_tensor_is_named(way: str, kind: str) -> None:
    spec, config = made(way, kind)
    names = [name for name in required(spec) if len(spec[name][1]) == 2 and any(sign.isdigit() for sign in name)]
    assert names
    for name in names:
        dtype, (rows, columns) = spec[name]
        audited = judged(spec | {name: (dtype, (rows, columns + 3))}, config)
        assert codes(audited) == {"D501"}, (name, codes(audited))
        reported = next(one for one in audited.findings if one.code == "D501")
        assert reported.place.tensor in (name, _renumbered(name))


@pytest.mark.parametrize("rows", [64, 69, 71, 75])
def test_a_vocabulary_is_padded_to_a_multiple_only(rows: int) -> None:
    spec = converters.megatron(genuine(config_of("llama")), 1)
    for name in ("embedding.word_embeddings.weight", "output_layer.weight"):
        spec[name] = ("BF16", (rows, 48))
    assert codes(judged(spec, config_of("llama"))) == {"C310"}


def test_padding_is_reported_with_what_it_costs() -> None:
    audited = judged(converters.megatron(genuine(config_of("llama"))), config_of("llama"))
    reported = next(one for one in audited.findings if one.code == "N418")
    assert reported.facts["rows"] == 128 and reported.facts["parameters"] == 2 * 58 * 48


def test_the_renames_lead_back_to_each_name() -> None:
    """OpenAI's names have no `model.` either."""
    named = next(one for one in judged(made("whisper", "whisper")[0], WHISPER).findings if one.code == "N409")
    own = genuine(WHISPER)
    changes = [tuple(pair) for pair in named.facts["renames"]]
    assert [renamed(name, changes) for name in converters.whisper(own)] == [*own]


def test_a_wrapper_before_the_names_is_still_reported() -> None:
    spec = {f"_orig_mod.{name}": entry for name, entry in made("litgpt", "llama")[0].items()}
    assert codes(judged(spec, config_of("llama"))) == {"N402"}


@pytest.mark.parametrize("way", ["litgpt", "megatron", "torchtune"])
def test_an_architecture_with_similar_names_gets_no_errors(way: str) -> None:
    spec = {name: entry for name, entry in made(way, "llama")[0].items() if "attn.proj" not in name}
    spec = {name: entry for name, entry in spec.items() if "linear_proj" not in name and "output_proj" not in name}
    audited = judged(spec, None)
    assert codes(audited) == set()
    assert audited.counts.unique_parameters == elements(spec)


WRAPPED = "_checkpoint_wrapped_module."


def test_a_wrapper_of_layers_is_named() -> None:
    spec, _ = made("wan", "wan")
    inside = {re.sub(r"^(blocks\.\d+)\.", rf"\1.{WRAPPED}", name): entry for name, entry in spec.items()}
    audited = judged(inside, None)
    assert codes(audited) == {"N402"}
    finding = next(one for one in audited.findings if one.code == "N402")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    assert {renamed(name, steps) for name in inside} == set(spec)


@pytest.mark.parametrize("kind", ["llama", "qwen3", "gpt_neox"])
def test_wrappers_around_the_model_and_around_each_layer_are_named(kind: str) -> None:
    """As litgpt's FSDP with activation checkpointing saves its own module."""
    config = config_of(kind)
    spec = converters.litgpt(genuine(config))
    layer = re.compile(r"(transformer\.h\.\d+\.)")
    around, inside = "_fsdp_wrapped_module.", r"\1_fsdp_wrapped_module._checkpoint_wrapped_module."
    wrapped = judged({around + layer.sub(inside, name): entry for name, entry in spec.items()}, config)
    assert codes(wrapped) == {"N402"}
    assert wrapped.counts.unique_parameters == judged(spec, config).counts.unique_parameters
    (found,) = (one for one in wrapped.findings if one.code == "N402")
    assert found.facts["prefix"] == "_fsdp_wrapped_module. and _checkpoint_wrapped_module."


def test_the_config_of_the_original_writer_is_undecided() -> None:
    spec, _ = made("wan", "wan")
    audited = judged(spec, {"_class_name": "WanModel", "model_type": "t2v", "dim": 48, "num_layers": 4})
    assert (audited.verdict, codes(audited)) == ("undecided", set())
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == elements(spec)


@pytest.mark.parametrize(("lost", "verdict"), [
    (r"img_emb\.", "findings"),
    (r"[kv]_img\.", "undecided"),  # norm_k_img, too
    (r"img_emb\.|[kv]_img\.", "clean"),
])  # fmt: skip
@pytest.mark.parametrize("prefix", ["", "model.diffusion_model."])
def test_wan_has_the_embedded_image_together_with_its_keys(lost: str, verdict: str, prefix: str) -> None:
    spec = converters.wan(genuine(WAN_IMAGE), prefix)
    kept = {name: entry for name, entry in spec.items() if not re.search(lost, name)}
    assert len(kept) < len(spec)
    assert judged(kept, None).verdict == verdict


def test_full_size_wan() -> None:
    config = WAN | {"num_layers": 30, "num_attention_heads": 12, "attention_head_dim": 128, "ffn_dim": 8960,
                    "freq_dim": 256, "in_channels": 16, "out_channels": 16, "text_dim": 4096}  # fmt: skip
    audited = judged(converters.wan(genuine(config)), None)
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == 1_418_996_800
    assert audited.verdict == "clean"


def test_full_size_flux() -> None:
    config = {**FLUX, "num_layers": 19, "num_single_layers": 38, "num_attention_heads": 24, "attention_head_dim": 128,
              "joint_attention_dim": 4096, "pooled_projection_dim": 768}  # fmt: skip
    for guided, total in ((True, 11_901_408_320), (False, 11_891_178_560)):
        spec = _flux(genuine(config | {"guidance_embeds": guided}))
        audited = judged(spec, None)
        assert audited.counts.unique_parameters == audited.counts.expected_parameters == total
        assert audited.verdict == "clean"


def test_full_size_stable_diffusion_3() -> None:
    plain: dict[str, Any] = {
        "qk_norm": None, "dual_attention_layers": [], "num_layers": 24, "num_attention_heads": 24,
        "attention_head_dim": 64, "joint_attention_dim": 4096, "caption_projection_dim": 1536,
        "pooled_projection_dim": 2048,
        "pos_embed_max_size": 192,
    }  # fmt: skip
    newer = plain | {"qk_norm": "rms_norm", "dual_attention_layers": [*range(13)], "pos_embed_max_size": 384}
    for config, total in ((SD3 | plain, 2_028_328_000), (SD3 | newer, 2_243_171_520)):
        spec = converters.sd3(genuine(config), "model.diffusion_model.")
        audited = judged(spec, None)
        assert audited.counts.unique_parameters == audited.counts.expected_parameters == total
        assert audited.verdict == "clean"


PARAMS = {"dim": 48, "n_layers": 3, "head_dim": 8, "hidden_dim": 80, "n_heads": 6, "n_kv_heads": 2, "vocab_size": 70,
          "norm_eps": 1e-5}  # fmt: skip
LATENT = {"q_lora_rank": 14, "kv_lora_rank": 18, "qk_nope_head_dim": 10, "qk_rope_head_dim": 4, "v_head_dim": 12,
          "moe": {"num_experts": 5, "expert_hidden_dim": 24, "num_shared_experts": 1, "first_k_dense_replace": 2,
                  "num_experts_per_tok": 2}}  # fmt: skip


@pytest.mark.parametrize(("kind", "own", "stacked"), [
    ("mixtral", {"moe": {"num_experts": 5, "num_experts_per_tok": 2}}, False),
    ("mixtral", {"moe": {"num_experts": 5, "num_experts_per_tok": 2}}, True),
    ("mistral4", LATENT, False),
])  # fmt: skip
def test_mistrals_params(kind: str, own: dict[str, Any], stacked: bool) -> None:
    spec = converters.mistral(genuine(config_of(kind)), stacked=stacked)
    audited = judged(spec, PARAMS | own, params=True)
    assert codes(audited) == set()
    assert audited.architecture is not None
    assert (audited.architecture.name, audited.architecture.confidence) == (kind, "certain")
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == elements(spec)


LIT: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("LLaMAMLP", {"norm_class_name": "RMSNorm", "bias": False}),
    "qwen2": ("LLaMAMLP", {"norm_class_name": "RMSNorm", "bias": False, "attn_bias": True}),
    "qwen3": ("LLaMAMLP", {"norm_class_name": "RMSNorm", "bias": False, "norm_qk": True}),
    "mixtral": ("LLaMAMoE", {"norm_class_name": "RMSNorm", "bias": False, "n_expert": 5}),
    "gemma2": ("GemmaMLP", {"norm_class_name": "RMSNorm", "bias": False, "post_mlp_norm": True}),
    "phi": ("GptNeoxMLP", {"lm_head_bias": True, "shared_attention_norm": True}),
    "gpt_neox": ("GptNeoxMLP", {}),
}
"""Model type -> litgpt's class of MLP and the switches of the type in litgpt's config.py."""


def lit_config(kind: str) -> dict[str, Any]:
    """litgpt's own config of a small model."""
    mlp, switches = LIT[kind]
    groups = 6 if kind == "gpt_neox" else 2
    return {"name": "tiny", "n_embd": 48, "n_layer": 3, "n_head": 6, "n_query_groups": groups, "vocab_size": 70,
            "padded_vocab_size": 128, "intermediate_size": 80, "block_size": 33,
            "head_size": OWN[kind].get("head_dim", 8), "mlp_class_name": mlp, **switches}  # fmt: skip


@pytest.mark.parametrize("key", ["n_embd", "head_size", "padded_vocab_size", "n_query_groups", "intermediate_size"])
@pytest.mark.parametrize("kind", ["llama", "qwen3", "gemma2"])
def test_a_wrong_key_of_litgpts_config_is_named_as_the_file_has_it(kind: str, key: str, tmp_path: Path) -> None:
    values = lit_config(kind)
    write(tmp_path, converters.litgpt(genuine(config_of(kind))))
    (tmp_path / "lit_config.json").write_text(json.dumps({**values, key: values[key] + 2}), encoding="utf-8")
    (finding,) = (one for one in audit(str(tmp_path)).findings if one.severity == "error")
    assert (finding.code, finding.headline()) == ("C310", key)
    assert [(one.file, one.key, one.new) for one in finding.remedy().steps] == [
        ("lit_config.json", (key,), values[key])
    ]


@pytest.mark.parametrize("kind", LIT)
@pytest.mark.parametrize("name", ["model_config.yaml", "lit_config.json"])
def test_litgpts_own_config(kind: str, name: str, tmp_path: Path) -> None:
    values = lit_config(kind)
    spec = converters.litgpt(genuine(config_of(kind)))
    write(tmp_path, spec)
    lines = [f"{key}: {str(value).lower() if isinstance(value, bool) else value}" for key, value in values.items()]
    text = "\n".join(["hf_config:", "  name: tiny", "  org: nobody", *lines, "rope_indices:", "- 1", ""])
    (tmp_path / name).write_text(text if name.endswith("yaml") else json.dumps(values), encoding="utf-8")
    audited = audit(str(tmp_path))
    assert codes(audited) == set()
    assert audited.architecture is not None
    assert (audited.architecture.name, audited.architecture.confidence) == (kind, "certain")
    assert audited.counts.unique_parameters == audited.counts.expected_parameters == elements(spec)


def test_every_type_of_a_dialect_exists_and_no_name_pattern_is_shared() -> None:
    for dialect in all_dialects():
        assert all(definition_of(name) is not None for name in dialect.types)
    signs = [sign for dialect in all_dialects() for sign in dialect.signs if not dialect.only]
    assert all(any(part in key for key in sign for part in SIGN_PARTS) for sign in signs)
    assert len(signs) == len(set(signs))
