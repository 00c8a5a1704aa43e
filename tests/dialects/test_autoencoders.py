"""Autoencoders of video models in their authors' names, alone and in one file with their transformer."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.algebra.names import key_of
from inspector.auditing.result import Audit
from tests.checkpoints import Spec
from tests.dialects import autoencoders
from tests.dialects.test_authors_files import listings
from tests.dialects.test_authors_files import spec_of as listed
from tests.dialects.test_single_file import audited
from tests.judged import codes, diffusers_records, spec_of

pytestmark = pytest.mark.thinned

Record = dict[str, Any]
MAKE: dict[str, Callable[[Record], Spec]] = {
    "AutoencoderKLWan": lambda record: autoencoders.wan(spec_of(record), record["config"]),
    "AutoencoderKLLTXVideo": lambda record: autoencoders.ltx(spec_of(record)),
    "AutoencoderKLLTX2Video": lambda record: autoencoders.ltx(spec_of(record)),
    "AutoencoderKLFlux2": lambda record: autoencoders.flux2(record["config"]),
}
STATISTICS: Spec = {
    "per_channel_statistics.channel": ("F32", (10,)),
    "per_channel_statistics.mean-of-stds": ("F32", (10,)),
    "per_channel_statistics.mean-of-stds_over_std-of-means": ("F32", (10,)),
}
EACH = [5, pytest.param(1, marks=pytest.mark.slow)]


def under(prefix: str, spec: Spec) -> Spec:
    """Names below a prefix."""
    return {f"{prefix}{name}": entry for name, entry in spec.items()}


def check_exact(found: Audit, parameters: int) -> None:
    """Check for a clean verdict and the exact count."""
    assert found.verdict == "clean", [one.message for one in found.findings]
    assert found.counts.unique_parameters == found.counts.expected_parameters == parameters


@pytest.mark.parametrize("every", EACH)
@pytest.mark.parametrize("name", MAKE)
def test_every_record_is_exact(name: str, every: int, tmp_path: Path) -> None:
    for record in diffusers_records(name)[::every]:
        check_exact(audited(tmp_path, MAKE[name](record)), record["num_parameters"])


@pytest.mark.parametrize("every", [11, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", MAKE)
def test_a_lost_tensor_is_one_finding_under_its_own_name(name: str, every: int, tmp_path: Path) -> None:
    spec = MAKE[name](diffusers_records(name)[0])
    families: dict[str, str] = {}
    for one in spec:
        families.setdefault(key_of(one)[0], one)
    for lost in list(families.values())[::every]:
        if not lost.startswith("per_channel"):
            found = audited(tmp_path, {one: entry for one, entry in spec.items() if one != lost})
            assert len(codes(found)) == 1, (lost, [one.message for one in found.findings])


@pytest.mark.parametrize(
    ("transformer", "vae"),
    [
        ("WanTransformer3DModel", "AutoencoderKLWan"),
        ("LTXVideoTransformer3DModel", "AutoencoderKLLTXVideo"),
        ("Lumina2Transformer2DModel", "AutoencoderKLWan"),
        ("ZImageTransformer2DModel", "AutoencoderKLWan"),
        ("Flux2Transformer2DModel", "AutoencoderKLWan"),
        ("Flux2Transformer2DModel", "AutoencoderKLFlux2"),
    ],
)
def test_a_file_with_both_is_exact(transformer: str, vae: str, tmp_path: Path) -> None:
    listing = next(one for one in listings() if one["class"] == transformer)
    record = diffusers_records(vae)[0]
    spec = under("model.diffusion_model.", listed(listing)) | under("vae.", MAKE[vae](record))
    if vae.startswith("AutoencoderKLLTX"):
        spec |= under("vae.", STATISTICS)
    found = audited(tmp_path, spec)
    assert {name: part.architecture and part.architecture.name for name, part in found.components.items()} == {
        "transformer": transformer,
        "vae": vae,
    }
    check_exact(found, listing["num_parameters"] + record["num_parameters"])
    lost = next(name for name in spec if re.search(r"\.(k|qkv|to_k|to_q)\.weight", name))
    damaged = audited(tmp_path, {name: entry for name, entry in spec.items() if name != lost})
    assert len(codes(damaged)) == 1, [one.message for one in damaged.findings]


def widened(spec: Spec, channels: int) -> Spec:
    """Wan's autoencoder with this number of channels at the end of the decoder."""
    shapes = {end: (channels, *spec[f"decoder.head.2.{end}"][1][1:]) for end in ("weight", "bias")}
    return spec | {f"decoder.head.2.{end}": ("BF16", shape) for end, shape in shapes.items()}


@pytest.mark.parametrize(("times", "noted"), [(1, False), (2, False), (4, True)])
def test_a_decoder_with_other_channels_than_the_encoder_is_noted(times: int, noted: bool, tmp_path: Path) -> None:
    """Measured: from_single_file of diffusers refuses the last convolution of the decoder."""
    spec = MAKE["AutoencoderKLWan"](diffusers_records("AutoencoderKLWan")[0])
    channels = spec["encoder.conv1.weight"][1][1]
    found = audited(tmp_path, widened(spec, times * channels))
    notes = [one for one in found.findings if one.code == "N644"]
    assert [(one.facts["read"], one.facts["given"]) for one in notes] == [(channels, times * channels)] * noted
    assert not codes(found)


@pytest.mark.parametrize("name", ["text_encoders.spiece_model", "text_encoders.mistral3_24b.tekken_model"])
def test_the_bytes_of_a_tokenizer_are_no_component(name: str, tmp_path: Path) -> None:
    record = diffusers_records("AutoencoderKLWan")[0]
    spec = under("vae.", MAKE["AutoencoderKLWan"](record))
    found = audited(tmp_path, spec | {name: ("U8", (4_241,))})
    check_exact(found, record["num_parameters"])
    other = audited(tmp_path, spec | {name.replace("_model", "_table"): ("U8", (4_241,))})
    assert other.verdict == "undecided"
