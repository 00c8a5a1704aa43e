"""Names of a LoRA that diffusers reads and ComfyUI does not: a note with the names that both read."""

from __future__ import annotations

import pytest

from inspector.mending.patterns import renamed
from tests.adapters.records import Spec, alone

UNET = "down_blocks.{}.attentions.0.transformer_blocks.0"
Z_IMAGE = ("attention_to_q", "attention_to_k", "attention_to_out_0", "feed_forward_w1", "adaLN_modulation_0")


def pairs(modules: list[str], ends: dict[str, str]) -> Spec:
    """Pairs of matrices, and scales if the ends have one."""
    shapes = {"down": (4, 32), "up": (32, 4), "alpha": ()}
    return {f"{module}.{end}": ("F32", shapes[part]) for module in modules for part, end in ends.items()}


OF_DIFFUSERS = {"down": "lora.down.weight", "up": "lora.up.weight"}
OF_PEFT = {"down": "lora_A.weight", "up": "lora_B.weight"}
OF_SD_SCRIPTS = {"down": "lora_down.weight", "up": "lora_up.weight", "alpha": "alpha"}
UNET_MODULES = [f"unet.{UNET.format(block)}.{name}" for block in (0, 1) for name in ("attn1.to_q", "attn2.to_out.0")]
CASES = {
    "UNet in early names": pairs(UNET_MODULES, OF_DIFFUSERS),
    "UNet and text encoder": pairs(
        [*UNET_MODULES, "text_encoder_2.text_model.encoder.layers.0.self_attn.q_proj"], OF_PEFT
    ),
    "Z-Image": pairs([f"lora_unet_layers_{block}_{name}" for block in (0, 11) for name in Z_IMAGE], OF_SD_SCRIPTS),
    "Z-Image's refiner": pairs([f"lora_unet_noise_refiner_1_{name}" for name in Z_IMAGE], OF_SD_SCRIPTS),
}
READ = {
    "Kohya's names": pairs([f"lora_{one.replace('.', '_')}" for one in UNET_MODULES], OF_SD_SCRIPTS),
    "with processor": pairs(["unet.mid_block.attentions.0.transformer_blocks.0.attn1.processor.to_q_lora"],
                            {"down": "down.weight", "up": "up.weight"}),
    "Z-Image with dots": pairs(["diffusion_model.layers.0.attention.to_q"], OF_SD_SCRIPTS),
    "Z-Image, joined": pairs(["lora_unet_layers_0_attention_qkv"], OF_SD_SCRIPTS),
    "FLUX": pairs(["transformer.transformer_blocks.0.attn.to_q"], OF_PEFT),
}  # fmt: skip


@pytest.mark.parametrize("spec", CASES.values(), ids=CASES)
def test_names_that_only_diffusers_reads_are_noted_and_can_be_renamed(spec: Spec) -> None:
    audited = alone(spec, None)
    (note,) = (one for one in audited.findings if one.code == "A965")
    assert audited.verdict == "clean"
    steps = [(step.old, step.new) for step in note.remedy().steps]
    made = {renamed(name, steps): entry for name, entry in spec.items()}
    assert len(made) == len(spec) and note.facts["wanted"] in made
    again = alone(made, None)
    assert (again.verdict, {one.code for one in again.findings}) == ("clean", {"A901"})


@pytest.mark.parametrize("spec", READ.values(), ids=READ)
def test_names_that_comfyui_reads_have_no_note(spec: Spec) -> None:
    assert "A965" not in {one.code for one in alone(spec, None).findings}


def test_a_part_that_kohyas_names_lack_is_not_renamed() -> None:
    spec = pairs(UNET_MODULES, OF_PEFT) | {f"{one}.lora_magnitude_vector": ("F32", (32,)) for one in UNET_MODULES}
    (note,) = (one for one in alone(spec, None).findings if one.code == "A965")
    assert not note.remedy().steps
