"""Loads of adapter folders by programs other than PEFT: mlx-lm, which has its own config keys, and vLLM."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.start import audit
from tests.checkpoints import Spec, genuine, write, write_file
from tests.cli.test_contract import run
from tests.judged import base_record, codes, judged, spec_of

MLX: dict[str, Any] = {
    "fine_tune_type": "lora",
    "num_layers": 2,
    "lora_parameters": {"rank": 4, "scale": 20.0, "dropout": 0.0},
}


def of_mlx(place: Path, config: dict[str, Any] | None) -> None:
    """An adapter as mlx-lm saves it."""
    pairs = {"a": (32, 4), "b": (4, 64)}
    name = "model.layers.{}.self_attn.q_proj.lora_{}"
    write_file(
        place / "adapters.safetensors",
        {name.format(layer, side): ("F32", shape) for layer in range(2) for side, shape in pairs.items()},
    )
    if config is not None:
        (place / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")


def test_mlx_lm_needs_a_config(tmp_path: Path) -> None:
    of_mlx(tmp_path, None)
    audited = audit(str(tmp_path))
    assert (codes(audited), audited.loads) == ({"C313"}, ())
    (finding,) = (one for one in audited.findings if one.code == "C313")
    assert "mlx-lm" in finding.message
    assert '"keys": ["self_attn.q_proj"]} and the scale' in finding.remedy().words
    of_mlx(tmp_path, MLX)
    assert codes(audit(str(tmp_path))) == set()


PARAMETERS: dict[str, Any] = MLX["lora_parameters"]


@pytest.mark.parametrize(
    ("changed", "wanted"),
    [
        ({}, []),
        ({"num_layers": 16}, []),
        ({"num_layers": -1}, []),
        ({"lora_parameters": {**PARAMETERS, "keys": ["self_attn.q_proj"]}}, []),
        ({"lora_parameters": {**PARAMETERS, "keys": [f"model.layers.{one}.self_attn.q_proj" for one in (0, 1)]},
          "num_layers": 1}, []),
        ({"num_layers": 1}, [(["num_layers"], -1)]),
        ({"fine_tune_type": "dora"}, [(["fine_tune_type"], "lora")]),
        ({"lora_parameters": {**PARAMETERS, "rank": 8}}, [(["lora_parameters", "rank"], 4)]),
        ({"lora_parameters": {**PARAMETERS, "keys": ["mlp.up_proj"]}},
         [(["lora_parameters", "keys"], ["mlp.up_proj", "self_attn.q_proj"])]),
        ({"num_layers": None, "lora_layers": 16}, [(["num_layers"], 16)]),
        ({"num_layers": None, "lora_parameters": {"scale": 1.0, "dropout": 0.0}},
         [(["num_layers"], -1), (["lora_parameters", "rank"], 4)]),
        ({"lora_parameters": {"rank": 4, "alpha": 8}}, []),
    ],
)  # fmt: skip
def test_the_settings_of_mlx_lm(changed: dict[str, Any], wanted: list[tuple[list[str], Any]], tmp_path: Path) -> None:
    of_mlx(tmp_path, {key: value for key, value in {**MLX, **changed}.items() if value is not None})
    findings = [one for one in audit(str(tmp_path)).findings if one.severity != "note"]
    assert [(list(step.key), step.new) for one in findings for step in one.remedy().steps] == wanted
    lost = "scale" not in changed.get("lora_parameters", PARAMETERS)
    assert len(findings) == bool(wanted or lost)
    assert not lost or "not stored" in str(findings[0].help)


DECODER = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 128, "hidden_size": 64,
    "intermediate_size": 96, "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
}  # fmt: skip
LAST = re.compile(r"model\.layers\.[23]\.")
DOWN = "model.layers.2.mlp.down_proj.weight"


def whole_layers(place: Path, *, mlx: bool = True) -> tuple[Path, Path, Spec]:
    """The last layers of a model as mlx-lm saves them after full fine-tuning, and the base."""
    adapter, base = place / "adapter", place / "base"
    everything = genuine(DECODER)
    write(base, everything, DECODER)
    (base / "model.safetensors").unlink()
    write_file(base / "model.safetensors", everything, {"format": "mlx" if mlx else "pt"})
    adapter.mkdir()
    config = {"fine_tune_type": "full", "num_layers": 2, "lora_parameters": None}
    (adapter / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    return adapter, base, {name: entry for name, entry in everything.items() if LAST.match(name)}


@pytest.mark.parametrize(("what", "wanted"), [
    ("", set()), ("lost", {"A916"}), ("wider", {"A904"}), ("renamed", {"A928"}), ("integers", {"T603"}),
    ("no config", {"C313"}),
])  # fmt: skip
def test_layers_that_mlx_lm_fully_fine_tuned(what: str, wanted: set[str], tmp_path: Path) -> None:
    adapter, base, stored = whole_layers(tmp_path)
    dtype, shape = stored[DOWN]
    others = {name: entry for name, entry in stored.items() if name != DOWN}
    changed = {
        "lost": others, "wider": {**others, DOWN: (dtype, (shape[0] + 8, shape[1]))},
        "renamed": {**others, DOWN.replace("down", "dwon"): (dtype, shape)},
        "integers": {**others, DOWN: ("I8", shape)},
    }  # fmt: skip
    write_file(adapter / "adapters.safetensors", changed.get(what, stored))
    if what == "no config":
        (adapter / "adapter_config.json").unlink()
    assert codes(audit(str(adapter), base=str(base))) == wanted
    assert codes(audit(str(adapter))) == (wanted if what in ("integers", "no config") else set())


@pytest.mark.parametrize(("scales", "wanted"), [("scales", set()), ("scale", {"T603"})])
def test_fully_fine_tuned_layers_of_a_quantized_model_of_mlx_lm(scales: str, wanted: set[str], tmp_path: Path) -> None:
    adapter, _, stored = whole_layers(tmp_path)
    outputs, inputs = stored[DOWN][1]
    module = DOWN.removesuffix(".weight")
    packed = {DOWN: ("U32", (outputs, inputs // 8)), f"{module}.{scales}": ("BF16", (outputs, inputs // 16)),
              f"{module}.biases": ("BF16", (outputs, inputs // 16))}  # fmt: skip
    write_file(adapter / "adapters.safetensors", {**stored, **packed})
    assert codes(audit(str(adapter))) == wanted


@pytest.mark.parametrize("what", ["", "renamed"])
def test_a_base_that_mlx_lm_did_not_save_shows_no_wrong_names(what: str, tmp_path: Path) -> None:
    adapter, base, stored = whole_layers(tmp_path, mlx=False)
    write_file(adapter / "adapters.safetensors", {name + what: entry for name, entry in stored.items()})
    audited = audit(str(adapter), base=str(base))
    assert (codes(audited), audited.verdict) == (set(), "undecided" if what else "clean")


HEAD: Spec = {"base_model.model.lm_head.weight": ("F32", (128, 64))}
SCORE: Spec = {"base_model.model.score.weight": ("F32", (2, 64))}
NORM: Spec = {"base_model.model.model.norm.weight": ("F32", (64,))}
OF_HEAD: Spec = {
    "base_model.model.lm_head.base_layer.weight": ("F32", (128, 64)),
    "base_model.model.lm_head.lora_A.weight": ("F32", (4, 64)),
    "base_model.model.lm_head.lora_B.weight": ("F32", (128, 4)),
}
IN_MEMORY: Spec = {
    "base_model.model.model.layers.2.self_attn.q_proj.lora_A.default.weight": ("F32", (4, 32)),
    "base_model.model.model.layers.2.self_attn.q_proj.lora_B.default.weight": ("F32", (64, 4)),
}


@pytest.mark.parametrize(("values", "more", "refused"), [
    ({}, {}, set()), ({"modules_to_save": ["lm_head"]}, HEAD, {"vllm", "llama.cpp"}),
    ({"modules_to_save": ["classifier", "score"]}, SCORE, {"llama.cpp"}),
    ({"use_dora": True}, {}, {"vllm"}), ({"use_qalora": True}, {}, {"vllm"}),
    ({"init_lora_weights": "pissa"}, {}, {"vllm"}), ({"init_lora_weights": "gaussian"}, {}, set()),
    ({"layer_replication": [[0, 2], [1, 2]]}, {}, {"vllm"}),
    ({"use_rslora": True}, {}, set()), ({}, NORM, {"vllm"}),
    ({"target_modules": ["q_proj", "lm_head"]}, OF_HEAD, set()), ({}, IN_MEMORY, {"vllm", "llama.cpp"}),
])  # fmt: skip
def test_other_programs_refuse_all_but_plain_lora(
    values: dict[str, Any], more: Spec, refused: set[str], tmp_path: Path
) -> None:
    name = "base_model.model.model.layers.{}.self_attn.q_proj.lora_{}.weight"
    pairs = {"A": (4, 32), "B": (64, 4)}
    stored: Spec = {name.format(layer, side): ("F32", shape) for layer in range(2) for side, shape in pairs.items()}
    write_file(tmp_path / "adapter_model.safetensors", stored | more)
    config = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj"], **values}
    (tmp_path / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    audited = audit(str(tmp_path))
    assert {one.loader for one in audited.loads if one.outcome == "refuses"} == refused
    for one in refused if more else ():
        (finding,) = (found for found in judged_for(audited, one).findings if found.code == "N429")
        assert "merge" in finding.remedy().words


@pytest.mark.parametrize(("flat", "wanted"), [("", set()), ("AB", {"A904"}), ("B", {"A904"})])
def test_matrices_saved_as_vectors_are_errors_without_the_base(flat: str, wanted: set[str], tmp_path: Path) -> None:
    """As a sharded training run leaves them: PEFT raises (RuntimeError: size mismatch)."""
    name = "base_model.model.model.layers.{}.self_attn.q_proj.lora_{}.weight"
    pairs = {side: (256,) if side in flat else shape for side, shape in {"A": (4, 64), "B": (64, 4)}.items()}
    write_file(
        tmp_path / "adapter_model.safetensors",
        {name.format(layer, side): ("F32", shape) for layer in range(2) for side, shape in pairs.items()},
    )
    config = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj"]}
    (tmp_path / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    assert codes(audit(str(tmp_path))) == wanted


@pytest.mark.parametrize(("width", "wanted"), [(64, set()), (72, {"A904"})])
def test_the_base_may_be_quantized_and_packed(width: int, wanted: set[str], tmp_path: Path) -> None:
    packed: Spec = {}
    for name, (dtype, shape) in genuine(DECODER).items():
        module = name.removesuffix(".weight")
        if "_proj" not in name:
            packed[name] = (dtype, shape)
            continue
        packed[name] = ("U32", (shape[0], shape[1] // 8))
        packed |= {f"{module}.{one}": (dtype, (shape[0], shape[1] // 32)) for one in ("scales", "biases")}
    bits = {"group_size": 32, "bits": 4, "mode": "affine"}
    base = write(tmp_path / "base", packed, {**DECODER, "quantization": bits, "quantization_config": bits})
    of_mlx(base.parent, MLX | {"num_layers": 4})
    write_file(tmp_path / "adapters.safetensors", {
        f"model.layers.{layer}.self_attn.q_proj.lora_{side}": ("F32", shape)
        for layer in range(4) for side, shape in {"a": (width if layer == 1 else 64, 4), "b": (4, 64)}.items()
    })  # fmt: skip
    assert codes(audit(str(tmp_path), base=str(base))) == wanted


def test_an_image_prompt_adapter_is_named_where_its_training_class_was_saved() -> None:
    from tests.findings.cases import image_prompt

    assert "A976" in codes(judged(image_prompt("image_proj_model", "adapter_modules"), None))
    assert "A976" not in codes(judged(image_prompt("image_proj", "ip_adapter"), None))


@pytest.mark.parametrize(("projection", "found"), [("image_proj_model", {"A976"}), ("other", set())])
def test_the_layers_in_training_may_have_their_names_in_the_unet_alone(projection: str, found: set[str]) -> None:
    from tests.findings.cases import UNET_LAYERS, image_prompt_of

    spec: Spec = {"unet.conv_in.weight": ("F32", (32, 4, 3, 3))}
    for name, entry in image_prompt_of(UNET_LAYERS, "unet.").items():
        spec[name.removeprefix("ip_adapter.").replace("image_proj.", f"{projection}.")] = entry
    audited = judged(spec, None)
    assert codes(audited) == found
    for one in audited.findings:
        if one.code == "A976":
            assert (one.facts["wanted"], one.facts["beside"]) == ("ip_adapter.1.to_k_ip.weight", 1)


@pytest.mark.parametrize(("projection", "refused"), [("image_proj_model", False), ("other", True)])
def test_a_base_beside_the_state_of_a_training(projection: str, refused: bool, tmp_path: Path) -> None:
    from tests.findings.cases import UNET_LAYERS, image_prompt_of

    spec: Spec = {"unet.conv_in.weight": ("F32", (32, 4, 3, 3))}
    for name, entry in image_prompt_of(UNET_LAYERS, "unet.").items():
        spec[name.removeprefix("ip_adapter.").replace("image_proj.", f"{projection}.")] = entry
    write_file(tmp_path / "ip.safetensors", spec)
    base = write(tmp_path / "base", genuine(DECODER, "F16"), DECODER)
    done = run("audit", str(tmp_path / "ip.safetensors"), "--base", str(base))
    assert (done.returncode == 2) is refused and ("A976" in done.stdout) is not refused


def test_a_base_beside_a_file_that_holds_its_adapter(tmp_path: Path) -> None:
    """As a Trainer saves a PEFT model that it takes for a model of transformers."""
    spec: Spec = {f"base_model.model.{name}": entry for name, entry in genuine(DECODER, "F16").items()}
    pair = {f"base_model.model.model.layers.0.self_attn.q_proj.lora_{side}.default.weight": ("F16", shape)
            for side, shape in (("A", (4, 64)), ("B", (64, 4)))}  # fmt: skip
    write_file(tmp_path / "model.safetensors", {**spec, **pair})
    base = write(tmp_path / "base", genuine(DECODER, "F16"), DECODER)
    done = run("audit", str(tmp_path / "model.safetensors"), "--base", str(base))
    assert done.returncode == 1 and "A910" in done.stdout


@pytest.mark.parametrize("before", ["unet.{}.attn{}.processor.", "adapter_modules.{}{}."])
def test_the_lora_of_an_adapter_for_faces_belongs_to_it(before: str) -> None:
    """Stored among the UNet's tensors, it is no adapter that was not merged."""
    from tests.findings.cases import UNET_LAYERS, image_prompt, image_prompt_of

    inside = before.startswith("unet.")
    made = image_prompt_of(UNET_LAYERS, "unet.") if inside else image_prompt("image_proj_model", "adapter_modules")
    spec: Spec = {f"unet.conv{at}.weight": ("F32", (32, 4, 3, 3)) for at in range(60)}
    for name, entry in made.items():
        spec[name.removeprefix("ip_adapter.").replace("image_proj.", "image_proj_model.")] = entry
    for at in (1, 2):
        start = before.format("down_blocks.0.attentions.0.transformer_blocks.0", at)
        spec |= {f"{start}to_{one}_lora.{end}.weight": ("F32", shape) for one in ("q", "k", "v", "out")
                 for end, shape in (("down", (8, 32)), ("up", (32, 8)))}  # fmt: skip
    (found,) = (one for one in judged(spec, None).findings if one.severity != "note")
    assert (found.code, found.facts["loras"], found.facts["beside"]) == (
        "A976",
        16 if inside else 0,
        60 if inside else 62,
    )
    assert ("to_out_lora" in found.help) == inside


@pytest.mark.parametrize("start", ["", "unet."])
def test_the_layers_of_an_image_prompt_adapter_are_numbered_as_the_unet_has_them(start: str) -> None:
    from tests.findings.cases import UNET_LAYERS, image_prompt_of

    (found,) = (one for one in judged(image_prompt_of(UNET_LAYERS, start), None).findings if one.severity == "error")
    steps = {step.old: step.new for step in found.remedy().steps}
    layer = f"ip_adapter.{start}{{}}.attentions.{{}}.transformer_blocks.0.attn2.processor.to_k_ip.weight"
    wanted = {("down_blocks.0", 0): 1, ("down_blocks.2", 1): 11, ("up_blocks.1", 0): 13, ("up_blocks.3", 2): 29,
              ("mid_block", 0): 31}  # fmt: skip
    assert found.code == "A980"
    assert len(steps) == 32
    for (block, at), number in wanted.items():
        assert steps[layer.format(block, at)] == f"ip_adapter.{number}.to_k_ip.weight"


def test_without_all_layers_of_a_unet_no_number_is_known() -> None:
    from tests.findings.cases import UNET_LAYERS, image_prompt_of

    (found,) = (one for one in judged(image_prompt_of(UNET_LAYERS[1:]), None).findings if one.severity == "error")
    assert (found.code, found.remedy().steps) == ("A980", ())


@pytest.mark.parametrize(("layers", "wanted"), [((), {"A981"}), (("1", "3"), set())])
def test_an_image_prompt_adapter_has_attention_layers(layers: tuple[str, ...], wanted: set[str]) -> None:
    from tests.findings.cases import image_prompt_of

    assert codes(judged(image_prompt_of(layers), None)) == wanted
    alone = {name: entry for name, entry in image_prompt_of(layers).items() if name.startswith("ip_adapter.")}
    assert not layers or codes(judged(alone, None)) == {"A982"}


@pytest.mark.parametrize(("kind", "refused"), [("phi3", True), ("qwen2", True), ("llama", False), ("gemma2", False)])
def test_ollama_converts_adapters_of_two_architectures(kind: str, refused: bool, tmp_path: Path) -> None:
    """By `ConvertAdapter` in its `convert/convert.go`: "unsupported architecture" for any other."""
    record = base_record(kind, "ForCausalLM")
    spec = spec_of(record)
    base = write(tmp_path / "base", spec, record["config"])
    module = next(name for name in spec if name.endswith("o_proj.weight"))
    outputs, inputs = spec[module][1]
    name = f"base_model.model.{module.removesuffix('.weight')}.lora_{{}}.weight"
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    pair: Spec = {name.format("A"): ("F32", (4, inputs)), name.format("B"): ("F32", (outputs, 4))}
    write_file(adapter / "adapter_model.safetensors", pair)
    config = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": [module.removesuffix(".weight")]}
    (adapter / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    audited = audit(str(adapter), base=str(base.parent if base.is_file() else base))
    assert codes(audited) == set()
    assert ("ollama" in {one.loader for one in audited.loads if one.outcome == "refuses"}) == refused
    assert ("N429" in codes(judged_for(audited, "ollama"))) == refused


@pytest.mark.parametrize(("config", "tensors", "words"), [
    ({"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj"]},
     {f"base_model.model.model.layers.0.self_attn.q_proj.lora_{side}.weight": ("F32", shape)
      for side, shape in {"A": (4, 32), "B": (64, 4)}.items()}, "merge the adapter"),
    ({"peft_type": "PREFIX_TUNING", "task_type": "CAUSAL_LM", "num_virtual_tokens": 10, "num_layers": 2,
      "token_dim": 32, "num_attention_heads": 2, "num_transformer_submodules": 1},
     {"prompt_embeddings": ("F32", (10, 128))}, "run it with PEFT"),
    ({"peft_type": "IA3", "target_modules": ["k_proj"], "feedforward_modules": []},
     {"base_model.model.model.layers.0.self_attn.k_proj.ia3_l": ("F32", (64, 1))}, "merge the adapter"),
])  # fmt: skip
def test_adapters_that_only_peft_reads(config: dict[str, Any], tensors: Spec, words: str, tmp_path: Path) -> None:
    """mlx-lm asks for keys of its own; vLLM and llama.cpp read no other method than LoRA."""
    write_file(tmp_path / "adapter_model.safetensors", tensors)
    (tmp_path / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    audited = audit(str(tmp_path))
    of_lora = config["peft_type"] == "LORA"
    for loader in ("mlx",) if of_lora else ("mlx", "vllm", "llama.cpp"):
        (finding,) = (one for one in judged_for(audited, loader).findings if one.code == "N429")
        assert words in finding.help
    assert {one.loader for one in audited.loads if one.outcome == "refuses"} == (
        set() if of_lora else {"vllm", "llama.cpp"}
    )


def test_an_adapter_of_mlx_is_not_refused_by_mlx(tmp_path: Path) -> None:
    of_mlx(tmp_path, MLX)
    assert "N429" not in codes(judged_for(audit(str(tmp_path)), "mlx"))


@pytest.mark.parametrize("kind", ["llama", "qwen2"])
@pytest.mark.parametrize(("with_config", "refusing"), [(True, {"vllm", "transformers"}), (False, set())])
def test_a_config_of_the_base_makes_an_adapter_a_model(
    kind: str, with_config: bool, refusing: set[str], tmp_path: Path
) -> None:
    """Measured with transformers 5.23, which finds no weights; vLLM's loader reads all *.safetensors as the model's."""
    record = base_record(kind, "ForCausalLM")
    module = next(name for name in spec_of(record) if name.endswith("o_proj.weight"))
    outputs, inputs = spec_of(record)[module][1]
    name = f"base_model.model.{module.removesuffix('.weight')}.lora_{{}}.weight"
    pair: Spec = {name.format("A"): ("F32", (4, inputs)), name.format("B"): ("F32", (outputs, 4))}
    write_file(tmp_path / "adapter_model.safetensors", pair)
    config = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": [module.removesuffix(".weight")],
              "base_model_name_or_path": "org/base", "task_type": "CAUSAL_LM"}  # fmt: skip
    (tmp_path / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    if with_config:
        (tmp_path / "config.json").write_text(json.dumps(record["config"]), encoding="utf-8")
    audited = audit(str(tmp_path))
    assert codes(audited) == set()
    found = {one: judged_for(audited, one) for one in ("vllm", "transformers", "transformers@4", "peft")}
    assert {one for one, judgement in found.items() if "N429" in codes(judgement)} == refusing
    if with_config:
        (finding,) = (one for one in found["vllm"].findings if one.code == "N429")
        assert finding.help == f"use vllm serve org/base --enable-lora --lora-modules NAME={tmp_path}"
