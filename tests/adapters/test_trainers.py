"""Adapters in the layouts that trainers document: complete ones are clean, each damage is one error."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from inspector.auditing.adapter.audit import audit_adapter
from inspector.auditing.adapter.base_read import BaseRead
from inspector.auditing.start import audit_loaded
from tests.adapters.records import Spec, alone, checkpoint
from tests.adapters.test_author_names import model
from tests.adapters.test_tools import facts, resampler
from tests.judged import codes

LAYERS = range(4)
PEFT, KOHYA = ("lora_A.weight", "lora_B.weight"), ("lora_down.weight", "lora_up.weight", "alpha")


def pairs(ends: tuple[str, ...], *names: str) -> Spec:
    """Pairs of rank 4 in four layers."""
    shapes = dict(zip(ends, ((4, 64), (64, 4), ()), strict=False))
    return {
        f"{name.format(n)}.{end}": ("BF16", shape) for name in names for n in LAYERS for end, shape in shapes.items()
    }


def each(name: str, **parts: tuple[int, ...]) -> Spec:
    """The same tensors in four layers; `__` stands for a dot in a name."""
    return {
        f"{name.format(n)}.{part.replace('__', '.')}": ("F16", shape) for n in LAYERS for part, shape in parts.items()
    }


def affine(*names: str) -> Spec:
    """Weights with biases."""
    return {
        f"{name}.{end}": ("F16", (64,) if end == "bias" or "norm" in name else (64, 64))
        for name in names
        for end in ("weight", "bias")
    }


XLABS = "double_blocks.{}.processor.ip_adapter_double_stream_"
LLLITE = "lllite_unet_input_blocks_{}_1_transformer_blocks_0_attn1_to_q"
CONTROL: Spec = {
    "lora_controlnet": ("F32", (0,)),
    **pairs(("down", "up", "bias"), "input_blocks.{}.0.in_layers.2", "input_blocks.{}.1.transformer_blocks.0.ff.net.2"),
    **pairs(("down", "up"), "input_blocks.{}.1.transformer_blocks.0.attn1.to_q"),
    **affine(*(f"input_blocks.{n}.0.in_layers.0.norm".removesuffix(".norm") for n in LAYERS)),
    **affine(*(f"zero_convs.{n}.0" for n in LAYERS), "input_hint_block.0", "input_hint_block.2"),
}
TRAINERS: dict[str, tuple[Spec, str]] = {
    "ai-toolkit, FLUX": (pairs(PEFT, "transformer.transformer_blocks.{}.attn.to_q"), "lora"),
    "ai-toolkit, Wan": (
        pairs(PEFT, "diffusion_model.blocks.{}.self_attn.q", "diffusion_model.blocks.{}.ffn.0"), "lora",
    ),
    "ai-toolkit, Chroma": (pairs(PEFT, "diffusion_model.double_blocks.{}.img_attn.qkv"), "lora"),
    "diffusion-pipe, HunyuanVideo": (pairs(PEFT, "diffusion_model.single_blocks.{}.linear1"), "lora"),
    "diffusion-pipe, Z-Image": (pairs(PEFT, "diffusion_model.layers.{}.attention.qkv"), "lora"),
    "diffusion-pipe, HiDream": (
        pairs(PEFT, "diffusion_model.double_stream_blocks.{}.block.attn1.to_q"), "lora",
    ),
    "musubi-tuner, HunyuanVideo": (pairs(KOHYA, "lora_unet_double_blocks_{}_img_attn_qkv"), "lora"),
    "musubi-tuner, Wan": (pairs(KOHYA, "lora_unet_blocks_{}_cross_attn_k", "lora_unet_blocks_{}_ffn_0"), "lora"),
    "musubi-tuner, Qwen-Image": (pairs(KOHYA, "lora_unet_transformer_blocks_{}_img_mlp_net_0_proj"), "lora"),
    "musubi-tuner, Z-Image": (pairs(KOHYA, "lora_unet_layers_{}_feed_forward_w1"), "lora"),
    "OneTrainer, SDXL": (
        pairs(KOHYA, "lora_unet_down_blocks_{}_attentions_0_transformer_blocks_0_attn1_to_q",
              "lora_te1_text_model_encoder_layers_{}_self_attn_q_proj",
              "lora_te2_text_model_encoder_layers_{}_mlp_fc1"), "lora",
    ),
    "OneTrainer, FLUX": (
        pairs(KOHYA, "lora_transformer_transformer_blocks_{}_attn_to_q",
              "lora_te2_encoder_block_{}_layer_0_SelfAttention_q"), "lora",
    ),
    "OneTrainer, DoRA": (
        {**pairs(KOHYA, "lora_unet_blocks_{}_attn_to_q"),
         **each("lora_unet_blocks_{}_attn_to_q", dora_scale=(64, 1))}, "lora",
    ),
    "SimpleTuner": (pairs(PEFT, "transformer.single_transformer_blocks.{}.proj_mlp"), "lora"),
    "SimpleTuner with LyCORIS": (
        each("lycoris_transformer_blocks_{}_attn_to_q", lokr_w1=(4, 4), lokr_w2_a=(16, 4), lokr_w2_b=(4, 16), alpha=()),
        "lokr",
    ),
    "sd-scripts, SD 1": (
        pairs(KOHYA, "lora_te_text_model_encoder_layers_{}_mlp_fc1", "lora_unet_up_blocks_{}_resnets_0_conv1"), "lora",
    ),
    "sd-scripts, SD 3": (
        pairs(KOHYA, "lora_unet_joint_blocks_{}_x_block_attn_qkv", "lora_te3_encoder_block_{}_layer_0_SelfAttention_q"),
        "lora",
    ),
    "sd-scripts, Lumina": (
        pairs(KOHYA, "lora_unet_layers_{}_attention_qkv", "lora_te_layers_{}_self_attn_q_proj"), "lora",
    ),
    "sd-scripts, HunyuanImage": (pairs(KOHYA, "lora_unet_double_blocks_{}_img_attn_q"), "lora"),
    "sd-scripts, OFT": (each("oft_unet_blocks_{}_self_attn_q", oft_blocks=(8, 8, 8), alpha=()), "oft"),
    "sd-scripts, OFT for FLUX": (
        {**each("oft_unet_double_blocks_{}_img_attn_qkv", alpha=(),
                **{f"oft_blocks__{piece}": (4, 16, 16) for piece in range(3)}),
         **each("oft_unet_double_blocks_{}_img_attn_proj", oft_blocks__0=(4, 16, 16), alpha=())}, "oft",
    ),
    "sd-scripts, ControlNet-LLLite": (
        {**each(LLLITE, down__0__weight=(16, 64), down__0__bias=(16,), mid__0__weight=(16, 48), mid__0__bias=(16,),
                up__0__weight=(64, 16), up__0__bias=(64,)),
         **each(f"{LLLITE}.conditioning1.0", weight=(16, 3, 4, 4), bias=(16,)),
         **each(f"{LLLITE}.conditioning1.2", weight=(32, 16, 2, 2), bias=(32,))}, "controlnet-lllite",
    ),
    "AuraFlow": (pairs(PEFT, "transformer.joint_transformer_blocks.{}.attn.to_q"), "lora"),
    "LTX": (pairs(PEFT, "diffusion_model.transformer_blocks.{}.attn1.to_q"), "lora"),
    "FLUX.2": (pairs(PEFT, "diffusion_model.single_blocks.{}.linear1"), "lora"),
    "lightx2v, Wan": (
        {**pairs(KOHYA[:2], "diffusion_model.blocks.{}.self_attn.q"),
         **each("diffusion_model.blocks.{}.self_attn.q", diff_b=(64,)),
         **each("diffusion_model.blocks.{}", diff_m=(1, 6, 64))}, "lora",
    ),
    "DiffSynth, Wan": (
        pairs(("lora_A.default.weight", "lora_B.default.weight"), "pipe.dit.blocks.{}.self_attn.q"), "lora",
    ),
    "DiffSynth, Qwen-Image, saved again": (
        pairs(("lora_A.default_0.default.weight", "lora_B.default_0.default.weight"),
              "transformer.transformer_blocks.{}.attn.to_q"), "lora",
    ),
    "the state dict of diffusers' model": (
        pairs(("lora_A.my_style.weight", "lora_B.my_style.weight"), "transformer_blocks.{}.attn.to_q"), "lora",
    ),
    "Mochi": (pairs(PEFT, "blocks.{}.attn.qkv_x"), "lora"),
    "BOFT of LyCORIS": (
        each("lycoris_blocks_{}_attn_q", oft_blocks=(2, 8, 8, 8), alpha=(), rescale=(64, 1)), "oft",
    ),
    "T-LoRA of LyCORIS 4": (
        each("lycoris_blocks_{}_attn_q", q_layer__weight=(4, 64), p_layer__weight=(64, 4), lambda_layer=(1, 4),
             alpha=()),
        "t-lora",
    ),
    "cloneofsimo, SD 1": (
        {f"{part}:{n}:{end}": ("F32", shape) for part in ("unet", "text_encoder") for n in LAYERS
         for end, shape in (("up", (64, 4)), ("down", (4, 64)))}, "lora",
    ),
    "stabilityai, Control-LoRA": (CONTROL, "control-lora"),
    "XLabs, FLUX IP-Adapter": (
        {**each(f"{XLABS}k_proj", weight=(64, 64), bias=(64,)), **each(f"{XLABS}v_proj", weight=(64, 64), bias=(64,)),
         **affine("ip_adapter_proj_model.proj", "ip_adapter_proj_model.norm")}, "ip-adapter",
    ),
    "InstantX, FLUX IP-Adapter": (
        {**each("ip_adapter.{}", to_k_ip__weight=(64, 64), to_v_ip__weight=(64, 64)),
         **affine("image_proj.proj.0", "image_proj.proj.2", "image_proj.norm")}, "ip-adapter",
    ),
    "InstantX, SD 3 IP-Adapter": (
        {**each("ip_adapter.{}", to_k_ip__weight=(64, 64), to_v_ip__weight=(64, 64), norm_ip__linear__weight=(64, 64),
                norm_ip__linear__bias=(64,)),
         "image_proj.latents": ("F16", (1, 4, 8)),
         **{name: ("F16", shape) for name, shape in resampler("").items()}}, "ip-adapter",
    ),
}  # fmt: skip
"""Trainer or author -> tensors and method; names and parts as in their sources and documentation."""


@pytest.mark.parametrize("name", TRAINERS)
def test_a_complete_adapter_is_clean(name: str) -> None:
    spec, method = TRAINERS[name]
    audited = alone(spec, None)
    assert (audited.verdict, codes(audited), audited.counts.unexplained) == ("clean", set(), 0), audited.findings
    assert facts(audited).type == method


@pytest.mark.parametrize(("name", "prefix"), [
    ("default_0.default", "transformer."), ("default_0", ""), ("my_style", "diffusion_model."), ("default", ""),
])  # fmt: skip
def test_the_name_of_an_adapter_behind_its_matrices(name: str, prefix: str) -> None:
    """Loaded with diffusers 0.42 for Qwen-Image: it removes `default` from names without a prefix, and no other."""
    ends = tuple(f"lora_{matrix}.{name}.weight" for matrix in "AB")
    audited = alone(pairs(ends, prefix + "transformer_blocks.{}.attn.to_q"), None)
    found = [(one.facts["stored"], one.facts["wanted"]) for one in audited.findings if one.code == "A970"]
    stored, wanted = (f"transformer_blocks.0.attn.to_q.lora_A.{end}" for end in (f"{name}.weight", "weight"))
    start = prefix or "transformer."
    assert found == ([] if name == "default" else [(prefix + stored, start + wanted)])


def damaged(spec: Spec) -> Iterator[tuple[str, Spec]]:
    """The adapter with one tensor of each kind, in a middle layer, lost, renamed or stored as integers."""
    kinds: dict[str, list[str]] = {}
    for key in spec:
        kinds.setdefault(re.sub(r"\d+", "#", key), []).append(key)
    for keys in kinds.values():
        key = keys[len(keys) // 2]
        dtype, shape = spec[key]
        rest = {other: entry for other, entry in spec.items() if other != key}
        yield f"{key} lost", rest
        yield f"{key} renamed", {**rest, f"{key}_old": (dtype, shape)}
        if not key.endswith("alpha") and 0 not in shape:
            yield f"{key} of integers", {**spec, key: ("I64", shape)}


@pytest.mark.thinned
@pytest.mark.parametrize("name", TRAINERS)
def test_a_damage_is_one_error(name: str) -> None:
    for what, spec in damaged(TRAINERS[name][0]):
        found = [one.code for one in alone(spec, None).findings if one.severity == "error"]
        assert len(found) == 1 and found[0] in ("A905", "A916", "A918", "T603"), (what, found)


@pytest.mark.parametrize("damage", ["", "width", "other module"])
def test_a_control_lora_with_its_unet(damage: str) -> None:
    """The low-rank weights have the UNet's CompVis names; the others belong to the ControlNet."""
    config, shapes = model("SDXL")
    own = {name: shape for name, shape in shapes.items() if name.startswith(("input_blocks", "middle_block"))}
    spec: Spec = {"lora_controlnet": ("F32", (0,)), **affine("zero_convs.0.0", "input_hint_block.0")}
    for name, shape in own.items():
        spec |= {f"{name}.down": ("F16", (4, *shape[1:])), f"{name}.up": ("F16", (shape[0], 4, *(1,) * len(shape[2:])))}
        spec |= {} if name.endswith((".to_q", ".to_k", ".to_v")) else {f"{name}.bias": ("F16", shape[:1])}
    key = next(name for name in spec if name.endswith(".up") and "attn1" in name)
    if damage == "width":
        spec[key] = ("F16", (spec[key][1][0] + 8, 4))
    if damage == "other module":
        spec = {name.replace("attn1.to_q", "attn9.to_q"): entry for name, entry in spec.items()}
    audited = audit_adapter(checkpoint(spec), base=BaseRead("base", audit_loaded(checkpoint({}, config=config))))
    assert codes(audited) == {"": set(), "width": {"A904"}, "other module": {"A928"}}[damage], audited.findings
