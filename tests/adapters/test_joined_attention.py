"""Adapters of joined matrices for q, k and v on a base with separate ones, and DoRA under names that are not read."""

from __future__ import annotations

import pytest

from inspector.findings.adapters.tools import AdapterModulesUnmatched
from tests.adapters.records import Spec
from tests.adapters.test_tool_bases import base_of, renamed_for, stored, with_base

OF_OTHERS = ("_to_k.", "_to_v.")


def joined(spec: Spec) -> Spec:
    """The same adapter of a model with `to_qkv`, as `fuse_qkv_projections` of diffusers makes it."""
    found: Spec = {}
    for key, (dtype, shape) in spec.items():
        if "_to_q." in key:
            rows = key.endswith((".lora_up.weight", ".lokr_w2"))
            new = (shape[0] * 3, *shape[1:]) if rows else shape
            found[key.replace("_to_q.", "_to_qkv.")] = (dtype, new)
        elif not any(one in key for one in OF_OTHERS):
            found[key] = (dtype, shape)
    return found


@pytest.mark.parametrize(("name", "splits"), [
    ("lycoris lora FluxTransformer2DModel", True), ("kohya SD3Transformer2DModel", True),
    ("lycoris lokr QwenImageTransformer2DModel", False), ("lycoris lora PixArtTransformer2DModel", True),
])  # fmt: skip
def test_joined_matrices_are_named_with_what_they_join(name: str, splits: bool) -> None:
    found = with_base(joined(stored(name)), base_of(name))
    (one,) = (one for one in found.findings if isinstance(one, AdapterModulesUnmatched))
    assert [part.rpartition("_to_")[2] for part in one.joins] == ["q", "k", "v"]
    assert ("split" in one.remedy().words) is splits is ("train" not in one.remedy().words)
    assert ("alpha" in one.remedy().words) is splits
    other = with_base(joined(stored(name)), base_of("kohya CLIPTextModel"))
    assert not any(isinstance(one, AdapterModulesUnmatched) and one.joins for one in other.findings)


def test_pairs_with_magnitudes_cannot_be_split() -> None:
    name = "lycoris lora FluxTransformer2DModel"
    spec = joined(stored(name))
    spec |= {
        f"{key.removesuffix('.lora_up.weight')}.dora_scale": ("F32", (shape[0], 1))
        for key, (_, shape) in spec.items() if key.endswith("_to_qkv.lora_up.weight")
    }  # fmt: skip
    (one,) = (one for one in with_base(spec, base_of(name)).findings if isinstance(one, AdapterModulesUnmatched))
    assert one.joins and not one.splits


@pytest.mark.parametrize(("kind", "ends", "noted"), [
    ("HiDreamImageTransformer2DModel", "sd-scripts' ends", {"A971"}),
    ("AuraFlowTransformer2DModel", "sd-scripts' ends", {"A971"}),
    ("FluxTransformer2DModel", "sd-scripts' ends", set()), ("HiDreamImageTransformer2DModel", "", set()),
])  # fmt: skip
def test_dora_under_names_that_the_class_does_not_read(kind: str, ends: str, noted: set[str]) -> None:
    """Measured with diffusers 0.42: it leaves `dora_scale` out, and then reads the pairs as those of any LoRA."""
    name = f"diffusers {kind}"
    spec = renamed_for(stored(name), ends) if ends else stored(name)
    for key, (_, shape) in list(spec.items()):
        if key.endswith((".lora_up.weight", ".lora_B.weight")):
            spec[f"{key.rpartition('.lora_')[0]}.dora_scale"] = ("F32", (shape[0], 1))
    found = with_base(spec, base_of(name))
    assert (found.verdict, {one.code for one in found.findings} - {"A901"}) == ("clean", noted)
