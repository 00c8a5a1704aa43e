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
def test_the_wrapper_is_named_and_removed(component: str, modules: tuple[str, ...], wrapper: str) -> None:
    spec = lora(component + wrapper, modules)
    audited = judged(spec, None)
    assert codes(audited) == {"N521"}
    finding = next(one for one in audited.findings if one.code == "N521")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    mended = judged({renamed(name, steps): entry for name, entry in spec.items()}, None)
    assert (mended.verdict, set(mended.checkpoint.tensors)) == ("clean", set(lora(component, modules)))


@pytest.mark.parametrize("before", ["transformer.", "unet._orig_mod.", "lora_unet_", "diffusion_model."])
def test_nothing_is_said_of_names_that_are_read(before: str) -> None:
    modules = tuple(one.replace(".", "_") for one in UNET) if before.endswith("_") else UNET
    assert codes(judged(lora(before, modules), None)) == set()


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
