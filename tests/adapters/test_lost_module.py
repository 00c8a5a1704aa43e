"""The only module that an adapter of another tool lacks, in blocks of several kinds and next to text encoders."""

from __future__ import annotations

import re

import pytest

from tests.adapters.records import Spec, alone

ATTENTION = ("attn1_to_q", "attn1_to_k", "attn1_to_v", "attn1_to_out_0", "ff_net_0_proj", "ff_net_2")
BLOCKS_OF_SD = [*(f"input_blocks_{one}_1" for one in (1, 2, 4, 5, 7, 8)), "middle_block_1",
                *(f"output_blocks_{one}_1" for one in range(3, 12))]  # fmt: skip
UNET = [f"lora_unet_{block}_transformer_blocks_0_{name}" for block in BLOCKS_OF_SD for name in ATTENTION]
UNET_OF_SDXL = [f"lora_unet_{block}_1_transformer_blocks_{number}_{name}"
                for block, blocks in (("input_blocks_4", 2), ("input_blocks_5", 2), ("input_blocks_7", 10),
                                      ("input_blocks_8", 10), ("output_blocks_0", 10), ("output_blocks_5", 2))
                for number in range(blocks) for name in ATTENTION]  # fmt: skip
DOWN_AND_UP = [f"unet.{block}.transformer_blocks.0.{name.replace('to_out_0', 'to_out.0').replace('_to', '.to')}"
               for block in ("down_blocks.0.attentions.0", "down_blocks.0.attentions.1", "down_blocks.1.attentions.0",
                             "down_blocks.1.attentions.1") for name in ATTENTION[:4]]  # fmt: skip
ENCODER = [
    f"lora_te2_text_model_encoder_layers_{layer}_{name}"
    for layer in range(6)
    for name in ("mlp_fc1", "mlp_fc2", "self_attn_q_proj", "self_attn_k_proj")
]
LAST_CONTEXT = [f"lora_unet_joint_blocks_{block}_context_block_attn_{name}"
                for block in range(6) for name in ("qkv", "proj", "ln") if (block, name) != (5, "proj")]  # fmt: skip


def lora(modules: list[str]) -> Spec:
    """Low-rank matrices of these modules."""
    ends = ("lora_A", "lora_B") if "." in modules[0] else ("lora_down", "lora_up")
    shapes = dict(zip(ends, ((4, 32), (32, 4)), strict=True))
    return {f"{module}.{end}.weight": ("F16", shape) for module in modules for end, shape in shapes.items()}


LOST = {
    "SD": (UNET, "lora_unet_input_blocks_4_1_transformer_blocks_0_attn1_to_k"),
    "SD, output": (UNET, "lora_unet_output_blocks_7_1_transformer_blocks_0_ff_net_2"),
    "SDXL": (UNET_OF_SDXL, "lora_unet_input_blocks_7_1_transformer_blocks_3_attn1_to_out_0"),
    "diffusers": (DOWN_AND_UP, "unet.down_blocks.0.attentions.1.transformer_blocks.0.attn1.to_v"),
    "text encoder next to a UNet": ([*UNET_OF_SDXL, *ENCODER], "lora_te2_text_model_encoder_layers_3_mlp_fc1"),
}


@pytest.mark.parametrize("what", LOST)
def test_the_only_lost_module_is_named(what: str) -> None:
    modules, lost = LOST[what]
    assert lost in modules and not [one for one in alone(lora(modules), None).findings if one.severity != "note"]
    audited = alone(lora([one for one in modules if one != lost]), None)
    (finding,) = (one for one in audited.findings if one.severity != "note")
    assert finding.code == "A905" and lost.endswith(str(finding.place.tensor))
    assert "adapter_config" not in finding.remedy().words


@pytest.mark.parametrize(
    "modules",
    [
        [one for one in UNET if "input_blocks_1_1" not in one or "to_k" not in one],
        [one for one in UNET if "output_blocks_11_1" not in one or "to_k" not in one],
        [one for one in UNET if not re.search("blocks_[45]_1_transformer_blocks_0_ff_net_2", one)],
        [one for one in UNET if "_4_1_" not in one],
        LAST_CONTEXT,
    ],
    ids=["first block", "last block", "two blocks", "a whole block", "the last block of SD 3"],
)  # fmt: skip
def test_modules_that_may_not_have_been_trained(modules: list[str]) -> None:
    assert not [one for one in alone(lora(modules), None).findings if one.severity != "note"]
