"""Components of diffusers in their authors' layouts, as diffusers' converters of single files read them."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from inspector.algebra.names import key_of
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.checkpoints import Spec, write_file
from tests.judged import FIXTURES, codes, judged

pytestmark = pytest.mark.thinned

FIXTURE: Path = FIXTURES / "diffusers_single_files.json.gz"


@cache
def listings() -> tuple[dict[str, Any], ...]:
    """The recorded listings."""
    found: list[dict[str, Any]] = json.loads(gzip.decompress(FIXTURE.read_bytes()))
    return tuple(found)


def spec_of(listing: dict[str, Any], prefix: str = "") -> Spec:
    """The tensors of a listing."""
    return {prefix + name: ("BF16", tuple(shape)) for name, shape in listing["tensors"].items()}


NUMBERS = range(len(listings()))


def title(number: int) -> str:
    """The id of a case."""
    return f"{listings()[number]['class']}-{number}"


def check_exact(audited: Audit, listing: dict[str, Any]) -> None:
    """Check for a clean verdict and the exact count."""
    assert codes(audited) == set(), [one.message for one in audited.findings]
    assert audited.architecture is not None and audited.architecture.name == listing["class"]
    counts = audited.counts
    assert counts.unique_parameters == counts.expected_parameters == listing["num_parameters"]
    assert counts.unexplained == 0 and audited.verdict == "clean"


@pytest.mark.parametrize("number", NUMBERS, ids=title)
@pytest.mark.parametrize("prefix", ["", "model.diffusion_model."])
def test_files_without_a_config_are_exact(number: int, prefix: str) -> None:
    listing = listings()[number]
    check_exact(judged(spec_of(listing, prefix), None), listing)


@pytest.mark.parametrize("name", ["LTXVideoTransformer3DModel", "WanTransformer3DModel", "MochiTransformer3DModel"])
def test_a_prefix_that_no_program_has_is_named_with_the_model_below_it(name: str) -> None:
    """Also where the names without it are nearly those of another class of diffusers."""
    listing = next(one for one in listings() if one["class"] == name)
    audited = judged(spec_of(listing, "trainer.net."), None)
    (found,) = (one.facts for one in audited.findings)
    assert (audited.verdict, found["prefixes"], found["models"]) == ("undecided", ["trainer.net."], [name])


@pytest.mark.parametrize("number", NUMBERS, ids=title)
def test_files_with_the_config_of_their_class_are_exact(number: int) -> None:
    listing = listings()[number]
    audited = judged(spec_of(listing), listing["config"])
    assert {finding.code for finding in audited.findings} >= {"N409"}
    check_exact(audited, listing)


ADDITIONAL = ("norm_final.weight", "pos_embed", "y_embedder.y_embedding")
"""Tensors that the authors store in addition to those of the class."""
SAMPLED = 16
"""In each listing every so many families are damaged in the complete suite; `-m slow` runs all."""


@pytest.mark.parametrize("every", [SAMPLED, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("number", NUMBERS, ids=title)
def test_one_damaged_tensor_is_one_finding(number: int, every: int) -> None:
    listing = listings()[number]
    spec = spec_of(listing)
    families: dict[str, list[str]] = {}
    for name in spec:
        families.setdefault(key_of(name)[0], []).append(name)
    for names in list(families.values())[::every]:
        name = names[len(names) // 2]
        if name in ADDITIONAL:
            continue
        lost = {one: entry for one, entry in spec.items() if one != name}
        assert len(codes(judged(lost, None))) == len(codes(judged(lost, listing["config"]))) == 1, name
        dtype, shape = spec[name]
        if shape:
            changed = {**spec, name: (dtype, (shape[0] + 2, *shape[1:]))}
            assert len(codes(judged(changed, listing["config"]))) == 1, name


def as_in_flux(name: str) -> str:
    """ComfyUI's name for a tensor of HunyuanVideo in Tencent's (`comfy/supported_models.py`, `HunyuanVideo`)."""
    for old, new in {
        "txt_in.t_embedder.mlp.0.": "txt_in.t_embedder.in_layer.", "txt_in.t_embedder.mlp.2.":
        "txt_in.t_embedder.out_layer.", "txt_in.c_embedder.linear_1.": "txt_in.c_embedder.in_layer.",
        "txt_in.c_embedder.linear_2.": "txt_in.c_embedder.out_layer.", "_mod.linear.": "_mod.lin.",
        "_attn_qkv.": "_attn.qkv.", "mlp.fc1.": "mlp.0.", "mlp.fc2.": "mlp.2.",
        "_attn_q_norm.weight": "_attn.norm.query_norm.scale", "_attn_k_norm.weight": "_attn.norm.key_norm.scale",
        ".q_norm.weight": ".norm.query_norm.scale", ".k_norm.weight": ".norm.key_norm.scale",
        "_attn_proj.": "_attn.proj.", ".modulation.linear.": ".modulation.lin.", "_in.mlp.2.": "_in.out_layer.",
        "_in.mlp.0.": "_in.in_layer.",
    }.items():  # fmt: skip
        name = name.replace(old, new)
    return name


@pytest.mark.parametrize("prefix", ["", "model.diffusion_model."])
def test_hunyuan_video_as_comfyui_saves_it(prefix: str) -> None:
    listing = next(one for one in listings() if one["class"] == "HunyuanVideoTransformer3DModel")
    spec = {as_in_flux(name): entry for name, entry in spec_of(listing, prefix).items()}
    check_exact(judged(spec, None), listing)
    for lost in [*spec][:: len(spec) // 5]:
        found = judged({name: entry for name, entry in spec.items() if name != lost}, None)
        assert [one.severity for one in found.findings if one.severity != "note"] == ["error"], lost


@pytest.mark.parametrize("name", ["ChromaTransformer2DModel", "ZImageTransformer2DModel", "WanTransformer3DModel"])
@pytest.mark.parametrize(("prefix", "expected"), [("diffusion_model.", ["N552"]), ("model.diffusion_model.", [])])
def test_a_prefix_that_diffusers_does_not_remove(name: str, prefix: str, expected: list[str], tmp_path: Path) -> None:
    """diffusers 0.42 and ComfyUI then know no type for the file."""
    listing = next(one for one in listings() if one["class"] == name)
    write_file(tmp_path / "model.safetensors", spec_of(listing, prefix))
    audited = audit(str(tmp_path / "model.safetensors"))
    assert [one.code for one in audited.findings if one.severity != "note"] == expected


def renamed_one(listing: dict[str, Any]) -> tuple[Spec, str, str] | None:
    """(a listing with one matrix of an inner layer under another name, its right name, the other)."""
    spec, families = spec_of(listing), dict[str, list[str]]()
    for name, (_, shape) in spec.items():
        if len(shape) == 2 and name.endswith(".weight"):
            families.setdefault(key_of(name)[0], []).append(name)
    names = next((one for key, one in families.items() if key.count("#") == 1 and len(one) > 2), None)
    if names is None:
        return None
    other = names[1].removesuffix(".weight") + ".inner.weight"
    return {other if name == names[1] else name: entry for name, entry in spec.items()}, names[1], other


def test_one_renamed_matrix_does_not_hide_what_the_file_is() -> None:
    made = [one for one in map(renamed_one, listings()) if one is not None]
    assert made
    for spec, name, other in made:
        (finding,) = (one for one in judged(spec, None).findings if one.severity != "note")
        assert (finding.code, finding.facts["stored"], finding.facts["expected"]) == ("N407", other, name)


def test_a_relative_of_hunyuan_video_is_not_one_with_a_lost_part() -> None:
    """HunyuanImage's refiner has HunyuanVideo's names without the layers for CLIP's pooled text."""
    listing = next(one for one in listings() if one["class"] == "HunyuanVideoTransformer3DModel")
    spec = {as_in_flux(name): entry for name, entry in spec_of(listing).items()}
    without = {name: entry for name, entry in spec.items() if not name.startswith("vector_in.")}
    audited = judged(without, None)
    assert audited.verdict == "undecided"
    assert [one.facts["library"] for one in audited.findings if one.code == "N542"] == [
        "Tencent's HunyuanImage or HunyuanVideo, in ComfyUI's names"
    ]
