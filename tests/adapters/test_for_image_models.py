"""Adapters of image models: which programs read their names, the image encoder beside them, the number of a token, and
a pipeline or a network beside a pipeline as the base.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.start import audit
from tests.adapters.records import alone
from tests.checkpoints import Spec, genuine, write, write_file
from tests.findings.cases import image_prompt_of
from tests.judged import codes, judged
from tests.test_pipelines import PARTS, UNET, VAE, pipeline

MODULES = {
    "Z-Image": "layers_0_attention_to_q", "Lumina 2": "noise_refiner_1_attn_to_k",
    "joined matrices": "transformer_blocks_0_attn_to_qkv",
    "AuraFlow": "joint_transformer_blocks_0_attn_to_q", "Wan": "blocks_0_attn1_to_q",
    "FLUX": "single_transformer_blocks_0_attn_to_q", "a text model": "model_layers_0_self_attn_q_proj",
}  # fmt: skip
"""Model -> one of its modules, as LyCORIS names it after its prefix."""


def lycoris(module: str, method: str) -> Spec:
    """LyCORIS of one module."""
    stem = f"lycoris_{module}"
    alpha: Spec = {f"{stem}.alpha": ("F32", ())}
    if method == "lokr":
        return {**alpha, f"{stem}.lokr_w1": ("F32", (4, 4)), f"{stem}.lokr_w2": ("F32", (16, 16))}
    return alpha | {
        f"{stem}.hada_w{one}_{half}": ("F32", shape)
        for one in (1, 2)
        for half, shape in (("a", (64, 4)), ("b", (4, 64)))
    }


@pytest.mark.parametrize("method", ["loha", "lokr"])
@pytest.mark.parametrize("model", MODULES)
def test_lycoris_that_only_its_writer_reads_is_an_error(model: str, method: str) -> None:
    """ComfyUI reads that of FLUX; for a text model no other program is known to be meant."""
    found = judged(lycoris(MODULES[model], method), None)
    assert codes(found) == (set() if model in ("FLUX", "a text model") else {"N429"})
    assert ("A971" in {one.code for one in found.findings}) is (model != "a text model")


def low_rank(modules: tuple[str, ...], prefix: str = "", named: str = ".default") -> Spec:
    """LoRA of these modules, by default as DiffSynth saves it."""
    return {f"{prefix}{one}.lora_{half}{named}.weight": ("F32", shape)
            for one in modules for half, shape in (("A", (4, 64)), ("B", (64, 4)))}  # fmt: skip


@pytest.mark.parametrize(("modules", "prefix", "named", "wanted"), [
    (("transformer_blocks.0.attn.to_q", "single_transformer_blocks.0.attn.to_out"), "", ".default",
     "transformer.transformer_blocks.0.attn.to_q.lora_A.weight"),
    (("down_blocks.0.attentions.0.proj_in",), "", ".default", "unet.down_blocks.0.attentions.0.proj_in.lora_A.weight"),
    (("transformer_blocks.0.attn.to_q",), "", ".default", None),
    (("transformer_blocks.0.attn.to_q", "single_transformer_blocks.0.attn.to_out"), "transformer.", "", None),
])  # fmt: skip
def test_names_of_diffsynth_are_read_for_qwen_image_alone(
    modules: tuple[str, ...], prefix: str, named: str, wanted: str | None
) -> None:
    found = [one for one in judged(low_rank(modules, prefix, named), None).findings if one.code == "A970"]
    assert [one.facts["wanted"] for one in found] == ([] if wanted is None else [wanted])


WAN: tuple[str, ...] = ("blocks.0.self_attn.q", "blocks.0.ffn.0")


@pytest.mark.parametrize(("prefix", "named", "found"), [
    ("", ".default", {"N429"}), ("transformer.", "", {"N429"}),  # neither diffusers nor ComfyUI finds them
    ("diffusion_model.", ".default", set()), ("diffusion_model.", "", set()),
])  # fmt: skip
def test_names_of_wan_that_only_their_writer_reads_are_an_error(prefix: str, named: str, found: set[str]) -> None:
    assert codes(judged(low_rank(WAN, prefix, named), None)) == found


@pytest.mark.parametrize(("own", "other", "noted"), [
    ("single_transformer_blocks.0.attn.to_out", "guidance_in.in_layer", True),  # FLUX.2
    ("blocks.0.attn1.to_q", WAN[0], True),
    ("transformer_blocks.0.attn.to_q", "guidance_in.in_layer", False),  # read for FLUX.2
    ("transformer_blocks.0.attn.to_q", None, False), (None, WAN[0], False),
])  # fmt: skip
def test_diffusers_reads_names_with_one_prefix(own: str | None, other: str | None, noted: bool) -> None:
    given = [("transformer.", own), ("diffusion_model.", other)]
    spec = {key: one for prefix, module in given if module for key, one in low_rank((module,), prefix, "").items()}
    found = judged(spec, None)
    assert (codes(found), "A971" in {one.code for one in found.findings}) == (set(), noted)
    assert codes(judged_for(found, "diffusers")) == ({"N429"} if noted else set())


@pytest.mark.parametrize(("module", "prefix", "refused"), [
    ("down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q", "base_model.model.", True),
    ("mid_block.attentions.0.proj_in", "base_model.model.", True),
    ("down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q", "unet.", False),
    ("model.layers.0.self_attn.q_proj", "base_model.model.", False),
])  # fmt: skip
def test_diffusers_applies_no_adapter_of_a_unet_under_names_of_peft(module: str, prefix: str, refused: bool) -> None:
    settings = {"peft_type": "LORA", "r": 4, "target_modules": [module.rpartition(".")[2]]}
    found = alone(low_rank((module,), prefix, ""), None if prefix == "unet." else settings)
    assert codes(found) == set()
    assert codes(judged_for(found, "diffusers")) == ({"N429"} if refused else set())


@pytest.mark.parametrize(("spec", "found"), [
    (low_rank(("down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q",), named=""), {"N429"}),
    (low_rank(("down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q",), "unet.", ""), set()),
])  # fmt: skip
def test_with_a_pipeline_as_its_base_an_adapter_is_for_diffusers(spec: Spec, found: set[str], tmp_path: Path) -> None:
    base = pipeline(tmp_path / "base", PARTS)
    fitting = {name: (dtype, (4, 32) if "lora_A" in name else (32, 4)) for name, (dtype, _) in spec.items()}
    write_file(tmp_path / "style.safetensors", fitting)
    alone = audit(str(tmp_path / "style.safetensors"))
    assert codes(alone) == set()
    assert codes(audit(str(tmp_path / "style.safetensors"), base=str(base))) == found


UNET_MODULE = "lora_unet_down_blocks_{}_attentions_0_transformer_blocks_0_attn2_to_k"


@pytest.mark.parametrize(("module", "width", "model"), [
    (UNET_MODULE, 768, "Stable Diffusion 1"), (UNET_MODULE, 2048, "SDXL or Kolors"), (UNET_MODULE, 40, ""),
    ("diffusion_model.blocks.{}.self_attn.q", 5120, "Wan of 14B"), ("diffusion_model.blocks.{}.self_attn.q", 96, ""),
    ("diffusion_model.transformer_blocks.{}.attn1.to_q", 5120, ""),  # of LTX-Video and others
])  # fmt: skip
def test_the_widths_of_an_adapter_show_the_model_that_it_was_trained_on(
    module: str, width: int, model: str, tmp_path: Path
) -> None:
    base = pipeline(tmp_path / "base", PARTS)
    write_file(tmp_path / "style.safetensors", {
        f"{module.format(block)}.{end}": ("F32", shape)
        for block in range(8)
        for end, shape in (("lora_down.weight", (4, width)), ("lora_up.weight", (32, 4)))
    })  # fmt: skip
    findings = audit(str(tmp_path / "style.safetensors"), base=str(base)).findings
    (found,) = (one for one in findings if one.code in ("A907", "A928"))
    assert found.facts.get("model", "") == model
    assert found.remedy().words == f"use the base that the adapter was trained on{f', {model}' if model else ''}"


@pytest.mark.parametrize(("part", "found"), [("image_proj.", "A981"), ("ip_adapter.", "A982")])
def test_one_part_of_an_ip_adapter_with_its_base(part: str, found: str, tmp_path: Path) -> None:
    base = pipeline(tmp_path / "base", PARTS)
    spec = image_prompt_of(("1", "3"))
    write_file(tmp_path / "ip.safetensors", {name: one for name, one in spec.items() if name.startswith(part)})
    for given in (None, str(base)):
        assert found in codes(audit(str(tmp_path / "ip.safetensors"), base=given))


@pytest.mark.parametrize(("prefix", "remedy"), [
    ("base_model.model.unet.", 'remove "base_model.model." from the beginning of the names'),
    ("base_model.model.vae.", "use the base that the adapter was trained on"), ("unet.", ""),
])  # fmt: skip
def test_the_prefix_of_peft_before_a_component(prefix: str, remedy: str, tmp_path: Path) -> None:
    """diffusers 0.42 finds none of the tensors below PEFT's prefix, and only warns."""
    base = pipeline(tmp_path / "base", PARTS)
    module = f"{prefix}down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q"
    write_file(tmp_path / "style.safetensors", {
        f"{module}.lora_A.weight": ("F32", (4, 32)), f"{module}.lora_B.weight": ("F32", (32, 4)),
    })  # fmt: skip
    audited = audit(str(tmp_path / "style.safetensors"), base=str(base))
    found = [one.remedy().words for one in audited.findings if one.severity == "error"]
    assert len(found) == bool(remedy)
    assert all(one.startswith(remedy) for one in found)


@pytest.mark.parametrize(("beside", "found"), [(True, set()), (False, {"N429"})])
def test_lycoris_under_the_name_of_the_lora_of_diffusers(beside: bool, found: set[str], tmp_path: Path) -> None:
    write_file(tmp_path / "pytorch_lora_weights.safetensors", lycoris(MODULES["FLUX"], "lokr"))
    if beside:
        (tmp_path / "lycoris_config.json").write_text('{"algo": "lokr"}', encoding="utf-8")
    assert codes(audit(str(tmp_path))) == found


@pytest.mark.parametrize(("width", "base", "found"), [
    (48, True, set()), (80, True, {"A907"}), (80, False, set()),
])  # fmt: skip
def test_the_number_of_a_token_belongs_to_its_vectors(width: int, base: bool, found: set[str], tmp_path: Path) -> None:
    """As the first trainer of textual inversions saves them: `string_to_token` is a tensor."""
    spec: Spec = {"string_to_token.*": ("I64", ()), "string_to_param.*": ("F32", (2, width))}
    write_file(tmp_path / "cat.safetensors", spec)
    named = str(pipeline(tmp_path / "base", PARTS)) if base else None
    audited = audit(str(tmp_path / "cat.safetensors"), base=named)
    assert codes(audited) == found
    assert (audited.counts.unique_parameters, audited.architecture and audited.architecture.name) == (
        2 * width, "textual inversion",
    )  # fmt: skip


@pytest.mark.parametrize(("config", "found"), [
    (None, set()), ({"projection_dim": 64, "hidden_size": 48}, set()),
    ({"projection_dim": 48, "hidden_size": 64}, {"A989"}), ({"hidden_size": 48}, set()),
])  # fmt: skip
def test_the_image_encoder_in_the_folder_of_an_ip_adapter(
    config: dict[str, Any] | None, found: set[str], tmp_path: Path
) -> None:
    write_file(tmp_path / "ip-adapter.safetensors", image_prompt_of(("1", "3")))
    if config is not None:
        (tmp_path / "image_encoder").mkdir()
        (tmp_path / "image_encoder" / "config.json").write_text(json.dumps(config), encoding="utf-8")
    audited = audit(str(tmp_path))
    assert codes(audited) == found
    assert all("64" in one.help for one in audited.findings if one.code == "A989")
    assert codes(audit(str(tmp_path / "ip-adapter.safetensors"))) == set()  # which folder is meant is not known


@pytest.mark.parametrize(("config", "of"), [
    ({"_from_model_config": True, "bos_token_id": 1, "eos_token_id": 2}, "text generation"), ({}, ""),
    ({"feature_size": 80}, ""), ({"r": 4, "lora_alpha": 16, "target_modules": ["q_proj"]}, None),
    ({"temperature": 0.6, "r": 4}, None),
])  # fmt: skip
def test_a_config_of_something_else_is_not_completed(config: dict[str, Any], of: str | None, tmp_path: Path) -> None:
    """With the missing type alone, PEFT would take its defaults for rank and scale."""
    module = "base_model.model.model.layers.{}.self_attn.q_proj.lora_{}.weight"
    write_file(tmp_path / "adapter_model.safetensors", {
        module.format(layer, half): ("F32", shape)
        for layer in range(2) for half, shape in (("A", (4, 64)), ("B", (64, 4)))
    })  # fmt: skip
    (tmp_path / "adapter_config.json").write_text(json.dumps(config), encoding="utf-8")
    found = [one for one in audit(str(tmp_path)).findings if one.severity == "error"]
    assert [one.code for one in found] == ["A920" if of is None else "A985"]
    assert of is None or (found[0].facts["of"] == of and not found[0].remedy().steps)


CONTROLNET: dict[str, Any] = {
    **{key: value for key, value in UNET.items() if key not in ("out_channels", "up_block_types")},
    "_class_name": "ControlNetModel", "conditioning_channels": 3, "conditioning_embedding_out_channels": [16, 32],
}  # fmt: skip


@pytest.mark.thinned
@pytest.mark.parametrize(("config", "found"), [
    (CONTROLNET, set()), ({**CONTROLNET, "cross_attention_dim": 40}, {"N453"}), (VAE, set()),
    ({**VAE, "latent_channels": 16}, {"N453"}), (UNET, set()), ({**UNET, "cross_attention_dim": 40}, {"N453"}),
])  # fmt: skip
def test_a_network_is_compared_with_the_pipeline_in_which_it_is_used(
    config: dict[str, Any], found: set[str], tmp_path: Path
) -> None:
    base = pipeline(tmp_path / "base", PARTS)
    write(tmp_path / "network", genuine(config, "F16"), config)
    weights = tmp_path / "network" / "diffusion_pytorch_model.safetensors"
    (tmp_path / "network" / "model.safetensors").rename(weights)
    for source in (tmp_path / "network", weights):  # the file alone is recognized by its names
        audited = audit(str(source), base=str(base))
        assert codes(audited) == found, audited.findings
        assert all("made for this one" in one.help for one in audited.findings if one.code == "N453")
        assert codes(audit(str(source))) == set()


KOHYA = ("lora_down.weight", "lora_up.weight")
BLOCKS: dict[str, tuple[str, bool]] = {
    "HiDream": ("transformer.double_stream_blocks.0.block.attn1.to_q", True),
    "AuraFlow": ("transformer.joint_transformer_blocks.0.attn.to_q", True),
    "Wan": ("transformer.blocks.0.attn1.to_q", True), "Sana": ("transformer.transformer_blocks.0.attn1.to_q", True),
    "Lumina 2": ("transformer.noise_refiner.0.attn.to_q", True),
    "HunyuanVideo": ("transformer.context_embedder.token_refiner.refiner_blocks.0.attn.to_q", True),
    "FLUX.2": ("transformer.single_transformer_blocks.0.attn.to_qkv_mlp_proj", True),
    "SD 3": ("transformer.transformer_blocks.{}.attn.add_q_proj", True),
    "Qwen-Image": ("transformer.transformer_blocks.0.img_mlp.net.0.proj", True),
    "Qwen-Image, attention": ("transformer.transformer_blocks.{}.attn.to_q", True),
    "Z-Image": ("transformer.layers.0.attention.to_q", True),
    "FLUX": ("transformer.single_transformer_blocks.0.attn.to_q", False),
    "FLUX, attention": ("transformer.transformer_blocks.{}.attn.to_q", False),
    "a UNet": ("unet.down_blocks.0.attentions.0.transformer_blocks.0.attn1.to_q", False),
}  # fmt: skip
"""Model -> one of its modules in diffusers, and whether its names show that it is not FLUX."""
SIZES = {"SD 3": (24, 1536), "Qwen-Image, attention": (60, 3072), "FLUX, attention": (19, 3072)}
"""Model whose names alone do not show it -> the number of its blocks, and its width."""
READ_WITH_SCALE = ("Qwen-Image", "Qwen-Image, attention", "Z-Image")
"""Models for which diffusers reads scales after `diffusion_model.`."""


@pytest.mark.parametrize("ends", [KOHYA, ("lora_A.weight", "lora_B.weight")])
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("model", BLOCKS)
def test_the_endings_of_sd_scripts_after_the_names_of_diffusers(
    model: str, scaled: bool, ends: tuple[str, str]
) -> None:
    """Measured with diffusers 0.42: read for FLUX and its relatives alone, and so is a scale beside PEFT's endings."""
    module, unread = BLOCKS[model]
    blocks, width = SIZES.get(model, (1, 64))
    shapes = ((4, width), (width, 4), ())
    given = (*ends, "alpha") if scaled else ends
    spec: Spec = {f"{module.format(block)}.{end}": ("F32", shape)
                  for block in range(blocks) for end, shape in zip(given, shapes, strict=False)}  # fmt: skip
    audited = judged(spec, None)
    found = [one for one in audited.findings if one.code == "A970"]
    unread = unread and (scaled or ends == KOHYA)
    assert (audited.verdict, len(found)) == ("clean", unread)
    kept = scaled and model in READ_WITH_SCALE
    first = module.format(0)
    for one in found:
        other = f"diffusion_model.{first.removeprefix('transformer.')}.{ends[0]}"
        assert one.facts["wanted"] == (other if kept else f"{first}.lora_A.weight")
        assert (one.facts["wanted"] == one.facts["stored"]) is (len(one.rows()) == 1)
        assert ("alpha / rank" in one.remedy().words) is (scaled and not kept) is (not one.remedy().steps)
    if unread:
        (failed,) = (one for one in judged_for(audited, "diffusers").findings if one.severity == "error")
        assert failed.code == "N429" and ("alpha / rank" in failed.remedy().words) is (scaled and not kept)
    own = {f"{module.format(block)}.lora_{half}.weight": ("F32", shape)
           for block in range(blocks) for half, shape in zip("AB", shapes, strict=False)}  # fmt: skip
    assert "A970" not in {one.code for one in judged(own, None).findings}


@pytest.mark.parametrize(("stem", "noted", "writer"), [
    ("base_model.model.down_blocks.0.attentions.0.proj_in", ["A971"], "PEFT"),
    ("base_model.model.mid_block.attentions.0.proj_in", ["A971"], "PEFT"),
    ("base_model.model.vision.layers.0.proj", [], "PEFT"),
    ("diffusion_model.layers.0.attention.to_q", [], "LyCORIS"),
])  # fmt: skip
@pytest.mark.parametrize("method", ["loha", "lokr"])
def test_lycoris_as_peft_saves_it_for_a_unet(stem: str, noted: list[str], writer: str, method: str) -> None:
    """diffusers 0.42 refuses it (ValueError), and ComfyUI has no such names."""
    own = lycoris("x", method)
    audited = judged({key.replace("lycoris_x", stem): one for key, one in own.items() if "alpha" not in key}, None)
    assert [one.code for one in audited.findings if one.code != "A901"] == noted
    assert [one.facts["writer"] for one in audited.findings if one.code == "A901"] == [writer]


@pytest.mark.parametrize(("names", "reads", "unread_by"), [
    (("oft_unet_single_blocks_0_linear2.oft_blocks.0",), "sd-scripts", "ComfyUI"),
    (("oft_unet_down_blocks_1_attentions_0_proj_in.oft_blocks.0",), "AUTOMATIC1111's web UI", "ComfyUI"),
    (("lora_unet_mid_block_attentions_0_attn1_to_k.weight", "lora_unet_mid_block_attentions_0_attn1_to_k.on_input"),
     "AUTOMATIC1111's web UI", "ComfyUI"),
    (("lycoris_transformer_blocks_0_ff_linear_in.lokr_w1", "lycoris_transformer_blocks_0_ff_linear_in.lokr_w2"), "",
     "ComfyUI"),
    (("lora_unet_down_blocks_1_attentions_0_proj_in.lokr_w1", "lora_unet_down_blocks_1_attentions_0_proj_in.lokr_w2"),
     "ComfyUI", ""),
])  # fmt: skip
def test_what_else_does_not_read_a_method(names: tuple[str, ...], reads: str, unread_by: str) -> None:
    spec = {name: ("BF16", (4, 8, 8) if "oft" in name else (8, 8)) for name in names}
    (found,) = (one for one in judged(spec, None).findings if one.code == "A971")
    assert (found.facts["reads"], found.facts["unread_by"]) == (reads, unread_by)
    assert (("also", "ComfyUI does not read them either") in found.rows()) == bool(unread_by)
