"""Modules of a component under the names of a wrapper: one finding, and a renaming after which diffusers finds them."""

from __future__ import annotations

import pytest

from inspector.mending.patterns import renamed
from tests.judged import codes, judged

FLUX = ("single_transformer_blocks.0.attn.to_k", "single_transformer_blocks.1.attn.to_k", "x_embedder")
UNET = ("down_blocks.1.attentions.0.transformer_blocks.0.attn1.to_q", "mid_block.attentions.0.proj_in")


def lora(before: str, modules: tuple[str, ...]) -> dict[str, tuple[str, tuple[int, ...]]]:
    """The pairs of these modules."""
    return {
        f"{before}{module}.lora_{part}.weight": ("F32", shape)
        for module in modules
        for part, shape in (("A", (4, 32)), ("B", (32, 4)))
    }


@pytest.mark.parametrize("wrapper", ["base_model.model.", "module.", "_fsdp_wrapped_module."])
@pytest.mark.parametrize(
    ("component", "modules"), [("transformer.", FLUX), ("unet.", UNET), ("diffusion_model.", UNET)]
)
def test_the_wrapper_is_reported_and_removed(component: str, modules: tuple[str, ...], wrapper: str) -> None:
    spec = lora(component + wrapper, modules)
    audited = judged(spec, None)
    assert codes(audited) == {"N521"}
    finding = next(one for one in audited.findings if one.code == "N521")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    repaired = judged({renamed(name, steps): entry for name, entry in spec.items()}, None)
    assert (repaired.verdict, set(repaired.checkpoint.tensors)) == ("clean", set(lora(component, modules)))


@pytest.mark.parametrize("before", ["transformer.", "unet._orig_mod.", "lora_unet_", "diffusion_model."])
def test_names_that_are_read_get_no_finding(before: str) -> None:
    modules = tuple(one.replace(".", "_") for one in UNET) if before.endswith("_") else UNET
    assert codes(judged(lora(before, modules), None)) == set()


@pytest.mark.parametrize(("module", "wanted"), [
    ("blocks.{}.self_attn.q", "diffusion_model."), ("layers.{}.attention.to_q", "diffusion_model."),
    ("transformer_blocks.{}.attn.to_q", "transformer."), ("down_blocks.{}.attentions.0.proj_in", "unet."),
    ("double_blocks.{}.img_attn.proj", None), ("model.layers.{}.self_attn.q_proj", None),
])  # fmt: skip
def test_peft_s_prefix_is_not_read_by_diffusers(module: str, wanted: str | None) -> None:
    """diffusers removes the prefix for FLUX.2; language models are loaded by PEFT."""
    modules = tuple(module.format(block) for block in range(2))
    spec = lora("base_model.model.", modules)
    steps = [(step.old, step.new) for one in judged(spec, None).findings if one.code == "A970"
             for step in one.remedy().steps]  # fmt: skip
    assert {renamed(name, steps) for name in spec} == set(lora(wanted or "base_model.model.", modules))


WAN = (*(f"{kind}_attn_{part}" for kind in ("self", "cross") for part in "qkvo"), "ffn_0", "ffn_2")


def wan(*lost: str) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Two blocks of Wan in Kohya's names without some modules."""
    paths = [path for block in range(2) for module in WAN if (path := f"lora_unet_blocks_{block}_{module}") not in lost]
    parts = (("lora_down.weight", (4, 32)), ("lora_up.weight", (32, 4)), ("alpha", ()))
    return {f"{path}.{part}": ("F32", shape) for path in paths for part, shape in parts}


@pytest.mark.parametrize(("lost", "more", "named", "renames"), [
    ((), {}, False, False),
    (("lora_unet_blocks_0_ffn_2", "lora_unet_blocks_1_ffn_2"), {}, True, True),
    (("lora_unet_blocks_0_ffn_2", "lora_unet_blocks_1_ffn_2"),
     {"lora_unet_head_head.diff": ("F32", (32, 32))}, True, False),
    (tuple(f"lora_unet_blocks_0_{module}" for module in WAN), {}, True, True),
])  # fmt: skip
def test_diffusers_reads_only_whole_blocks_of_wan_in_kohya_s_names(
    lost: tuple[str, ...], more: dict[str, tuple[str, tuple[int, ...]]], named: bool, renames: bool
) -> None:
    """Blocks 0 to the last must be complete (KeyError); under the authors' names each module is read separately."""
    audited = judged(wan(*lost) | more, None)
    found = [one for one in audited.findings if one.code == "A975"]
    assert (audited.verdict, len(found)) == ("clean", int(named))
    assert [bool(one.remedy().steps) for one in found] == ([renames] if named else [])


@pytest.mark.parametrize("before", ["", "transformer."])
def test_names_that_only_diffusers_does_not_find_are_a_note(before: str) -> None:
    named = {f"{before}{module}" for module in FLUX[:2]}
    ending = ".default.weight" if before else ".weight"
    spec = {f"{name}.lora_{part}{ending}": ("F32", (4, 32) if part == "A" else (32, 4))
            for name in named for part in "AB"}  # fmt: skip
    audited = judged(spec, None)
    finding = next(one for one in audited.findings if one.code == "A970")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    assert {renamed(name, steps) for name in spec} == set(lora("transformer.", FLUX[:2]))
    assert audited.verdict == "clean"


def test_attention_processors_without_their_component_are_not_found() -> None:
    """As early training scripts of diffusers saved them; with the prefix `unet.` they are read."""
    names = [f"down_blocks.0.attentions.{block}.transformer_blocks.0.attn1.processor.to_{one}_lora"
             for block in range(2) for one in ("q", "k", "v", "out")]  # fmt: skip
    spec = {f"{name}.{part}.weight": ("F32", (4, 32) if part == "down" else (32, 4))
            for name in names for part in ("down", "up")}  # fmt: skip
    (finding,) = (one for one in judged(spec, None).findings if one.code == "A970")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    assert {renamed(name, steps) for name in spec} == {f"unet.{name}" for name in spec}
    assert "A970" not in {
        one.code for one in judged({f"unet.{name}": entry for name, entry in spec.items()}, None).findings
    }
