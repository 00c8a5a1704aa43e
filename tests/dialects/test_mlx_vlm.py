"""Names and layouts of mlx-vlm, and the names of OLMo's training code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.auditing.start import audit, audit_loaded
from inspector.comparing.checkpoints import compare_audits
from inspector.findings.finding import NOT_INITIALISED
from inspector.loader.set_reading import WeightFile
from tests.adapters.records import Spec, checkpoint
from tests.checkpoints import plan_of, write_file
from tests.judged import base_record, codes, judged, spec_of

TYPES = ["qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_5", "mistral3", "llava", "gemma3", "paligemma", "internvl",
         "idefics2", "idefics3", "smolvlm", "minicpmv4_6", "glm_ocr", "lfm2_vl", "gemma4"]  # fmt: skip
PREFIXES = {
    "model.vision_tower.vit_merger.": "vit_merger.", "model.merger.": "merger.",
    "model.visual.": "vision_tower.", "visual.": "vision_tower.", "model.vision_tower.": "vision_tower.",
    "language_model.model.": "language_model.model.", "language_model.lm_head.": "language_model.lm_head.",
    "model.language_model.": "language_model.model.", "model.multi_modal_projector.": "multi_modal_projector.",
    "model.audio_tower.": "audio_tower.", "model.embed_vision.": "embed_vision.", "model.embed_audio.": "embed_audio.",
    "model.text_model.": "language_model.", "model.vision_model.": "vision_model.", "model.connector.": "connector.",
    "model.": "language_model.model.", "lm_head.": "language_model.lm_head.",
}  # fmt: skip
"""Prefix of names in transformers -> in mlx-vlm; the first that matches counts."""


def written(model_type: str) -> tuple[Spec, dict[str, Any]]:
    """A recorded model as mlx-vlm stores it: other prefixes, and the channels of convolutions at the end."""
    record = base_record(model_type, "ForConditionalGeneration")
    found: Spec = {}
    for name, (dtype, shape) in spec_of(record).items():
        prefix = next((one for one in PREFIXES if name.startswith(one)), "")
        stored = (shape[0], *shape[2:], shape[1]) if len(shape) > 3 else shape
        found[PREFIXES.get(prefix, "") + name.removeprefix(prefix)] = (dtype, stored)
    return found, {**record["config"], "model_type": model_type, "architectures": [record["class"]]}


def stored(spec: Spec, config: dict[str, Any], writer: str) -> Audit:
    """The audit of a file whose metadata state the writer."""
    file = WeightFile("model.safetensors", 0, 0, len(spec), 0, {"format": writer}, True)
    return audit_loaded(replace(checkpoint(spec, None, config), files=(file,)))


def of_torch(model_type: str, writer: str = "mlx") -> Audit:
    """A model of mlx-vlm with its convolutions as torch has them. writer: as the metadata state."""
    spec, config = written(model_type)
    turned = {name: (dtype, (shape[0], shape[-1], *shape[1:-1]) if len(shape) > 3 else shape)
              for name, (dtype, shape) in spec.items()}  # fmt: skip
    return stored(turned, config, writer)


@pytest.mark.parametrize("model_type", ["qwen2_vl", "qwen3_vl", "qwen3_5", "mistral3", "llava", "gemma3", "paligemma"])
def test_kernels_that_were_not_turned(model_type: str) -> None:
    """mlx-vlm 0.6.3 calls no `sanitize` for a file with the metadata of MLX, which the other twin lacks."""
    (finding,) = (one for one in of_torch(model_type).findings if one.severity != "note")
    assert (finding.code, finding.severity) == ("N746", "warning") and "mlx-vlm 0.6.4" in finding.help
    assert "N746" not in codes(of_torch(model_type, "pt"))


@pytest.mark.thinned
@pytest.mark.parametrize("model_type", TYPES)
def test_mlx_vlm(model_type: str) -> None:
    spec, config = written(model_type)
    audited = stored(spec, config, "mlx")
    assert (audited.verdict, codes(audited)) == ("clean", set())
    assert audited.counts.unique_parameters == audited.counts.expected_parameters
    lost = next(name for name in spec if ".layers.1." in name)
    assert codes(stored({name: entry for name, entry in spec.items() if name != lost}, config, "mlx")) == {"N403"}
    turned = any(len(shape) > 3 for _, shape in spec.values())
    assert codes(stored(spec, config, "pt")) == ({"D501"} if turned else set())  # torch has the channels first


@pytest.mark.parametrize("model_type", ["qwen3_5", "qwen3_5_moe"])
def test_layers_for_further_tokens_below_the_text_model(model_type: str) -> None:
    """As oMLX and mlx-vlm keep them. mlx-lm leaves them out."""
    spec, config = written(model_type)
    extra = {
        f"language_model.{block.key}": ("BF16", tuple(dim or 0 for dim in block.shape))
        for block in plan_of(config).blocks
        if block.slot.extra == "mtp" and not block.slot.holes
    }
    audited = stored({**spec, **extra}, config, "mlx")
    assert len(extra) > 3 and "N406" not in codes(audited)
    assert "N410" in {one.code for one in audited.findings}


@pytest.mark.parametrize("model_type", ["llama", "qwen3", "gemma2", "olmoe"])
def test_text_models_of_mlx_vlm(model_type: str) -> None:
    record = base_record(model_type, "CausalLM")
    spec = {f"language_model.{name}": entry for name, entry in spec_of(record).items()}
    config = {**record["config"], "model_type": model_type, "architectures": [record["class"]]}
    audited = stored(spec, config, "mlx")
    assert audited.verdict == "clean" and "N631" in {one.code for one in audited.findings}
    in_folder = audit_loaded(replace(audited.checkpoint, set_name="model.safetensors"))
    assert [one.outcome for one in in_folder.loads if one.intended] == ["complete"]
    lost = {name: entry for name, entry in spec.items() if ".layers.1.mlp" not in name}
    assert stored(lost, config, "mlx").verdict == "findings"
    assert codes(stored(spec, config, "pt")) == {"N402"}


@pytest.mark.thinned
@pytest.mark.parametrize("model_type", ["mistral3", "gemma3", "llava", "qwen2_vl", "qwen3_vl", "qwen3_5"])
def test_text_model_of_mlx_lm(model_type: str) -> None:
    spec, config = written(model_type)
    text = {name: entry for name, entry in spec.items() if name.startswith("language_model.")}
    audited = stored(text, config, "mlx")
    assert audited.verdict == "clean" and "N630" in {one.code for one in audited.findings}
    assert audited.counts.unique_parameters == audited.counts.expected_parameters
    found = compare_audits(stored(spec, config, "mlx"), audited)
    assert found.relation == "conversion" and [one.name for one in found.findings] == ["left-out"]
    lost = next(name for name in text if ".layers.1." in name)
    damaged = stored({name: entry for name, entry in text.items() if name != lost}, config, "mlx")
    assert codes(damaged) >= {"N403"}
    compared = compare_audits(stored(spec, config, "mlx"), damaged)
    assert {one.severity for one in compared.findings} >= {"error"}
    tower = next(name for name in spec if name not in text)
    assert stored({**text, tower: spec[tower]}, config, "mlx").verdict == "findings"  # a tower that is incomplete
    assert stored(text, config, "pt").verdict == "findings"


WIDTH, LAYERS, MLP, WORDS = 48, 3, 88, 104


def olmo() -> Spec:
    """The tensors of a small OLMo as its training code saves them."""
    shapes = {"att_proj": (3 * WIDTH, WIDTH), "attn_out": (WIDTH, WIDTH), "ff_proj": (2 * MLP, WIDTH),
              "ff_out": (WIDTH, MLP)}  # fmt: skip
    found: Spec = {"model.transformer.wte.weight": ("F32", (WORDS, WIDTH))}
    for layer in range(LAYERS):
        for module, shape in shapes.items():
            found[f"model.transformer.blocks.{layer}.{module}.weight"] = ("F32", shape)
    return found


CONFIG = {
    "model_type": "olmo", "architectures": ["OlmoForCausalLM"], "hidden_size": WIDTH, "num_hidden_layers": LAYERS,
    "num_attention_heads": 4, "intermediate_size": MLP, "vocab_size": WORDS, "tie_word_embeddings": True,
}  # fmt: skip


@pytest.mark.parametrize("tied", [True, False])
def test_olmo(tied: bool) -> None:
    spec, config = olmo(), {**CONFIG, "tie_word_embeddings": tied}
    if not tied:
        spec["model.transformer.ff_out.weight"] = ("F32", (WORDS, WIDTH))
    for stated in (config, None):
        audited = judged(spec, stated)
        assert (audited.verdict, codes(audited)) == ("clean", set())
    lost = "model.transformer.blocks.1.att_proj.weight"
    assert codes(judged({name: entry for name, entry in spec.items() if name != lost}, config)) == {"N403"}


OF_LAST: dict[str, str] = {"afmoe": "experts", "dots1": "experts"}
"""Type -> mlx-lm's module of stacked experts, where it is not `switch_mlp`."""
RENAMED = {
    "laguna": {".mlp.gate.weight": ".mlp.gate.proj.weight", "experts.e_score": "gate.e_score"},
    "ernie4_5_moe": {"moe_statics": ""},
    "lfm2_moe": {".w1.": ".gate_proj.", ".w2.": ".down_proj.", ".w3.": ".up_proj."},
    "nemotron_h": {"switch_mlp.up_proj": "switch_mlp.fc1", "switch_mlp.down_proj": "switch_mlp.fc2"},
}
"""Type -> part of a name -> mlx-lm's; "" omits the tensor."""
BY_MLX_LM = ["qwen3_next", "nemotron_h", "granitemoe", "granitemoehybrid", "dots1", "laguna", "deepseek_v2",
             "ernie4_5_moe", "lfm2_moe", "apertus", "glm4_moe", "mamba2", "afmoe"]  # fmt: skip


def by_mlx_lm(model_type: str) -> tuple[Spec, dict[str, Any]]:
    """A recorded model as mlx-lm stores it: experts stacked by matrix, the channels of convolutions at the end."""
    record = base_record(model_type, "ForCausalLM")
    module, found, stacks = OF_LAST.get(model_type, "switch_mlp"), Spec(), dict[str, list[tuple[int, ...]]]()
    for name, (_, shape) in spec_of(record).items():
        expert = re.fullmatch(r"(.*)\.experts\.\d+\.(\w+_proj|w[123])\.weight", name)
        if expert:
            stacks.setdefault(f"{expert[1]}.{module}.{expert[2]}.weight", []).append(shape)
        elif name.endswith(("input_linear.weight", "output_linear.weight")) and len(shape) == 3:
            at = name.rpartition(".")[0].rpartition(".")[0]
            halves = ("gate_proj", "up_proj") if "input" in name else ("down_proj",)
            for half in halves:
                found[f"{at}.{module}.{half}.weight"] = ("BF16", (shape[0], shape[1] // len(halves), shape[2]))
        else:
            turned = (shape[0], shape[2], shape[1]) if "conv" in name and len(shape) == 3 else shape
            found[name] = ("BF16", () if ".act_fn.alpha" in name else turned)
    found |= {name: ("BF16", (len(shapes), *shapes[0])) for name, shapes in stacks.items()}
    for part, other in RENAMED.get(model_type, {}).items():
        found = {name.replace(part, other): entry for name, entry in found.items() if other or part not in name}
    return found, record["config"]


@pytest.mark.thinned
@pytest.mark.parametrize("model_type", BY_MLX_LM)
def test_mlx_lm(model_type: str) -> None:
    spec, config = by_mlx_lm(model_type)
    audited = stored(spec, config, "mlx")
    assert (audited.verdict, codes(audited), audited.counts.unexplained) == ("clean", set(), 0)
    assert audited.counts.unique_parameters == audited.counts.expected_parameters
    lost = next(name for name in spec if ".layers.1." in name and name.endswith(".weight"))
    assert codes(stored({name: entry for name, entry in spec.items() if name != lost}, config, "mlx")) == {"N403"}


@pytest.mark.parametrize("model_type", ["glm4_moe", "deepseek_v2", "ernie4_5_moe"])
def test_stacks_of_experts_are_read_by_mlx_alone(model_type: str, tmp_path: Path) -> None:
    """Measured with transformers 5.23 (Mixtral, GPT-OSS): it has no names for them, and leaves its own random."""
    spec, config = by_mlx_lm(model_type)
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    write_file(tmp_path / "model.safetensors", spec, {"format": "mlx"})
    loads = {one.loader: one for one in audit(str(tmp_path)).loads if one.version != "4.57"}
    assert loads["transformers"].outcome == "random"
    assert [NOT_INITIALISED in loads[one].because for one in ("vllm", "mlx")] == [True, False]


def test_pixtral_in_a_separate_module() -> None:
    spec, config = written("mistral3")
    spec = {name.replace("vision_tower.", "vision_tower.vision_model."): entry for name, entry in spec.items()}
    audited = stored(spec, config, "mlx")
    assert (audited.verdict, codes(audited), audited.counts.unexplained) == ("clean", set(), 0)


def by_matrix(spec: Spec, module: str) -> Spec:
    """Stacks of experts [in, out], as mlx-lm and mlx-vlm store them: one for each matrix, [out, in]."""
    found: Spec = {}
    for name, (dtype, shape) in spec.items():
        at, _, last = name.rpartition(".experts.")
        parts = {"gate_up_proj": ("gate_proj", "up_proj"), "down_proj": ("down_proj",)}.get(last, ())
        for part in parts:
            found[f"{at}.{module}.{part}.weight"] = (dtype, (shape[0], shape[2] // len(parts), shape[1]))
        if not parts:
            found[name] = (dtype, shape)
    return found


@pytest.mark.parametrize(("model_type", "module"), [("llama4_text", "experts"), ("qwen3_vl_moe", "switch_mlp")])
def test_experts_that_are_stacked_by_matrix(model_type: str, module: str) -> None:
    spec, config = written(model_type) if "vl" in model_type else by_mlx_lm(model_type)
    spec = by_matrix(spec, module)
    audited = stored(spec, config, "mlx")
    assert (audited.verdict, codes(audited), audited.counts.unexplained) == ("clean", set(), 0)
    assert audited.counts.unique_parameters == audited.counts.expected_parameters
    lost = next(name for name in spec if name.endswith(f"{module}.up_proj.weight"))
    assert codes(stored({name: entry for name, entry in spec.items() if name != lost}, config, "mlx")) == {"N403"}
