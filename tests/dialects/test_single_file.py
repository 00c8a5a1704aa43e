"""Stable Diffusion in one file: each component is exact, published counts, damage reported with its component."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.dialects.ldm import STAGE_ATTENTION
from inspector.mending.patterns import renamed
from tests.checkpoints import Spec, elements, genuine, write_file
from tests.dialects import converters, single_file
from tests.dialects.single_file import under
from tests.judged import codes, diffusers_records, spec_of

pytestmark = pytest.mark.thinned

Config = dict[str, Any]


def _unet(widths: list[int], crossed: list[bool], text: int, **more: Any) -> dict[str, Any]:
    kinds = ["CrossAttn" if one else "" for one in crossed]
    return {"_class_name": "UNet2DConditionModel", "in_channels": 4, "out_channels": 4, "block_out_channels": widths,
            "layers_per_block": 2, "cross_attention_dim": text, "transformer_layers_per_block": 1,
            "down_block_types": [f"{one}DownBlock2D" for one in kinds],
            "up_block_types": [f"{one}UpBlock2D" for one in reversed(kinds)],
            "use_linear_projection": False, **more}  # fmt: skip


def _vae(widths: list[int]) -> dict[str, Any]:
    return {"_class_name": "AutoencoderKL", "in_channels": 3, "out_channels": 3, "latent_channels": 4,
            "block_out_channels": widths, "layers_per_block": 2,
            "down_block_types": ["DownEncoderBlock2D"] * len(widths),
            "up_block_types": ["UpDecoderBlock2D"] * len(widths)}  # fmt: skip


def _text(width: int, layers: int, inner: int, vocabulary: int = 49408, projection: int | None = None) -> Config:
    kind = "CLIPTextModel" if projection is None else "CLIPTextModelWithProjection"
    return {"model_type": "clip_text_model", "architectures": [kind], "hidden_size": width, "intermediate_size": inner,
            "num_hidden_layers": layers, "num_attention_heads": width // 8, "max_position_embeddings": 77,
            "vocab_size": vocabulary, "projection_dim": projection or 512}  # fmt: skip


SDXL = {"use_linear_projection": True, "transformer_layers_per_block": [1, 2, 10], "addition_embed_type": "text_time",
        "projection_class_embeddings_input_dim": 2816, "addition_time_embed_dim": 256}  # fmt: skip
TINY_XL = SDXL | {"transformer_layers_per_block": [1, 2, 3], "projection_class_embeddings_input_dim": 28}
BETAS: Spec = {
    "betas": ("F32", (1000,)),
    "alphas_cumprod": ("F32", (1000,)),
    "sqrt_one_minus_alphas_cumprod": ("F32", (7,)),
    "posterior_mean_coef1": ("F32", (9,)),
    "model_ema.decay": ("F32", ()),
    "first_stage_model.model_ema.decay": ("F32", ()),
    "first_stage_model.model_ema.num_updates": ("I32", ()),
}
Parts = dict[str, tuple[str, Spec]]


def _sd1(unet: dict[str, Any], vae: dict[str, Any], text: dict[str, Any]) -> Parts:
    return {
        "unet": ("model.diffusion_model.", single_file.unet(unet)),
        "vae": ("first_stage_model.", single_file.vae(vae)),
        "text_encoder": ("cond_stage_model.transformer.", genuine(text, "F16")),
    }


def _sd2(unet: dict[str, Any], vae: dict[str, Any], text: dict[str, Any]) -> Parts:
    return _sd1(unet, vae, text) | {"text_encoder": ("cond_stage_model.model.", single_file.openclip(text))}


def _sdxl(unet: dict[str, Any], vae: dict[str, Any], text: dict[str, Any], second: dict[str, Any]) -> Parts:
    return _sd1(unet, vae, text) | {
        "text_encoder": ("conditioner.embedders.0.transformer.", genuine(text, "F16")),
        "text_encoder_2": ("conditioner.embedders.1.model.", single_file.openclip(second)),
    }


def _sd3(transformer: Config, vae: Config, text: Config, second: Config) -> Parts:
    return {
        "transformer": ("model.diffusion_model.", converters.sd3(genuine(transformer, "F16"))),
        "vae": ("first_stage_model.", single_file.vae(vae | {"use_quant_conv": False, "use_post_quant_conv": False})),
        "text_encoder": ("text_encoders.clip_l.transformer.", genuine(text, "F16")),
        "text_encoder_2": ("text_encoders.clip_g.transformer.", genuine(second, "F16")),
    }


MEDIUM = {"_class_name": "SD3Transformer2DModel", "num_layers": 24, "num_attention_heads": 24, "attention_head_dim": 64,
          "joint_attention_dim": 4096, "caption_projection_dim": 1536, "pooled_projection_dim": 2048, "in_channels": 16,
          "out_channels": 16, "patch_size": 2, "pos_embed_max_size": 192, "dual_attention_layers": []}  # fmt: skip
FOUR = [320, 640, 1280, 1280]
VAE = [128, 256, 512, 512]
MODELS: dict[str, Callable[[], tuple[Parts, dict[str, int] | None]]] = {
    "tiny": lambda: (_sd1(_unet([32, 64, 96], [True, True, False], 40), _vae([32, 64, 64]),
                          _text(40, 3, 72, 103)), None),
    "tiny-2": lambda: (_sd2(_unet([32, 64], [True, False], 40, use_linear_projection=True), _vae([32, 64]),
                    _text(40, 3, 72, 103, 24)), None),
    "tiny-xl": lambda: (_sdxl(_unet([32, 64, 96], [False, True, True], 64, **TINY_XL), _vae([32, 64, 64]),
                      _text(40, 3, 72, 103), _text(24, 2, 56, 103, 16)), None),
    "sd15": lambda: (_sd1(_unet(FOUR, [True, True, True, False], 768), _vae(VAE), _text(768, 12, 3072)),
             {"unet": 859_520_964, "vae": 83_653_863, "text_encoder": 123_060_480}),
    "sd21": lambda: (_sd2(_unet(FOUR, [True, True, True, False], 1024, use_linear_projection=True), _vae(VAE),
                  _text(1024, 24, 4096, projection=1024)), {"unet": 865_910_724, "vae": 83_653_863}),
    "sdxl": lambda: (_sdxl(_unet([320, 640, 1280], [False, True, True], 2048, **SDXL), _vae(VAE), _text(768, 12, 3072),
                   _text(1280, 32, 5120, projection=1280)),
             {"unet": 2_567_463_684, "vae": 83_653_863, "text_encoder": 123_060_480, "text_encoder_2": 694_659_840}),
    "sd3": lambda: (_sd3(MEDIUM, _vae(VAE) | {"latent_channels": 16}, _text(768, 12, 3072, projection=768),
                 _text(1280, 32, 5120, projection=1280)),
            {"transformer": 2_028_328_000, "vae": 83_819_683, "text_encoder": 123_650_304,
             "text_encoder_2": 694_659_840}),
}  # fmt: skip
"""Model -> its components in the file, and the published count of each."""


@cache
def model(name: str) -> tuple[Parts, dict[str, int] | None]:
    """The components of a model and their counts; do not modify the result."""
    return MODELS[name]()


def whole(parts: Parts) -> Spec:
    """All components in one listing."""
    return {name: entry for prefix, spec in parts.values() for name, entry in under(prefix, spec).items()}


def audited(where: Path, spec: Spec) -> Audit:
    """The audit of a lone file."""
    write_file(where / "model.safetensors", spec)
    return audit(str(where / "model.safetensors"))


def without_scale(spec: Spec) -> int:
    """Elements without the logit scale, which is not part of a text model, and without the table of position ids."""
    return elements({name: entry for name, entry in spec.items() if name not in ("logit_scale", "pos_embed")})


@pytest.mark.parametrize("name", MODELS)
def test_every_component_is_exact(name: str, tmp_path: Path) -> None:
    parts, published = model(name)
    ema: Spec = {"model_ema.diffusion_modelout2weight": ("F32", (4, 32, 3, 3))}
    found = audited(tmp_path, whole(parts) | BETAS | ema)
    assert found.verdict == "clean", [(one.code, one.title) for one in found.findings]
    assert list(found.components) == list(parts)
    for component, (_, spec) in parts.items():
        counts = found.components[component].counts
        assert counts.unique_parameters == counts.expected_parameters == without_scale(spec), component
        if published is not None and component in published:
            assert counts.unique_parameters == published[component]
    counts = found.counts
    assert (
        counts.unique_parameters == counts.expected_parameters == sum(without_scale(spec) for _, spec in parts.values())
    )
    tables = [entry for _, spec in parts.values() for name, entry in spec.items() if name == "pos_embed"]
    assert counts.buffers == elements(BETAS) + elements({str(number): entry for number, entry in enumerate(tables)})
    assert counts.extra_components == elements(ema) + sum("logit_scale" in spec for _, spec in parts.values())
    assert counts.stored_elements == counts.parameters + counts.buffers


LEFT = {"q": "to_q", "k": "to_k", "v": "to_v", "proj_out": "to_out.0"}
"""A matrix of the autoencoder's attention -> its name in diffusers, which old converters did not convert."""


@pytest.mark.parametrize("whole_file", [True, False])
def test_names_of_diffusers_that_a_converter_left(whole_file: bool, tmp_path: Path) -> None:
    """diffusers raises; after renaming it loads the file."""
    parts = model("tiny")[0]
    spec = whole(parts) if whole_file else parts["vae"][1]
    left = {re.sub(r"(attn_1)\.(q|k|v|proj_out)\.", lambda one: f"{one[1]}.{LEFT[one[2]]}.", name): entry
            for name, entry in spec.items()}  # fmt: skip
    (finding,) = (one for one in audited(tmp_path, left).findings if one.severity != "note")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    assert (finding.code, {renamed(name, steps) for name in left}) == ("N407", set(spec))


OF_XL = {"label_emb.0.0.": "add_embedding.linear_1.", "label_emb.0.2.": "add_embedding.linear_2."}


def test_modules_of_sdxl_that_the_script_for_stable_diffusion_1_left(tmp_path: Path) -> None:
    """It writes the first text encoder under the prefix of Stable Diffusion 1, and no second one."""
    spec = whole({
        name: ("cond_stage_model.transformer." if name == "text_encoder" else prefix, tensors)
        for name, (prefix, tensors) in model("tiny-xl")[0].items()
        if name != "text_encoder_2"
    })  # fmt: skip
    left = {name.replace(own, OF_XL.get(own, "")): entry for name, entry in spec.items()
            for own in [next((one for one in OF_XL if one in name), "-")]}  # fmt: skip
    found = {one.code: one for one in audited(tmp_path, left).findings if one.severity != "note"}
    assert set(found) == {"N407", "N742"} and found["N742"].facts["widths"] == [40]
    steps = [(step.old, step.new) for step in found["N407"].remedy().steps]
    assert {renamed(name, steps) for name in left} == set(spec)


@pytest.mark.parametrize(("kind", "width", "wrong"), [
    ("tiny", 48, True), ("tiny", 40, False), ("tiny-2", 56, True), ("tiny-xl", 24, False),
])  # fmt: skip
def test_a_text_encoder_of_another_width_than_the_network_reads(
    kind: str, width: int, wrong: bool, tmp_path: Path
) -> None:
    parts = dict(model(kind)[0])
    last = "text_encoder_2" if kind == "tiny-xl" else "text_encoder"
    prefix, text = parts[last][0], _text(width, 2, 56, 103, 16)
    parts[last] = (prefix, genuine(text, "F16") if kind == "tiny" else single_file.openclip(text))
    assert codes(audited(tmp_path, whole(parts))) == ({"N742"} if wrong else set())


def test_stages_of_an_autoencoder_that_attend(tmp_path: Path) -> None:
    """With `attn_resolutions`, each resnet of a stage is followed by an attention."""
    config = {**_vae([32, 64]), "down_block_types": ["DownEncoderBlock2D", "AttnDownEncoderBlock2D"],
              "up_block_types": ["AttnUpDecoderBlock2D", "UpDecoderBlock2D"], "norm_num_groups": 8}  # fmt: skip
    spec = single_file.vae(config)
    write_file(tmp_path / "model.safetensors", spec)
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    found = audit(str(tmp_path / "model.safetensors"))
    assert any(".attn.1." in name for name in spec)
    assert (found.verdict, found.counts.unique_parameters) == ("clean", elements(spec))


@pytest.mark.complete
@pytest.mark.parametrize("tensors", [5, pytest.param(25, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name", [pytest.param("tiny", marks=pytest.mark.slow), pytest.param("tiny-2", marks=pytest.mark.slow), "tiny-xl"]
)
def test_a_dropped_tensor_is_named(name: str, tensors: int, tmp_path: Path) -> None:
    parts = model(name)[0]
    everything = whole(parts)
    listed = [one for one in everything if "logit_scale" not in one and "embedding" not in one]
    for number, dropped in enumerate(listed[:: max(1, len(listed) // tensors)]):
        if dropped.endswith(("input_blocks.0.0.weight", "encoder.conv_in.weight")):
            continue
        where = tmp_path / str(number)
        where.mkdir()
        found = audited(where, {one: entry for one, entry in everything.items() if one != dropped})
        reported = [one for one in found.findings if one.severity == "error"]
        assert reported, dropped
        assert any(one.place.tensor == dropped for one in reported), (dropped, [one.place for one in reported])


@pytest.mark.parametrize("every", [2, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["tiny", pytest.param("tiny-xl", marks=pytest.mark.slow)])
def test_a_misshapen_tensor_is_named(name: str, every: int, tmp_path: Path) -> None:
    parts = model(name)[0]
    everything = whole(parts)
    wanted = ("input_blocks.1.0.in_layers.2.weight", "decoder.up.1.block.0.conv1.weight", "layers.1.mlp.fc1.weight",
              "output_blocks.3.0.out_layers.3.weight")  # fmt: skip
    for number, name_of in enumerate([one for one in everything if one.endswith(wanted)][::every]):
        dtype, shape = everything[name_of]
        where = tmp_path / str(number)
        where.mkdir()
        found = audited(where, everything | {name_of: (dtype, (shape[0], shape[1] + 5, *shape[2:]))})
        reported = [one for one in found.findings if one.severity == "error"]
        assert [(one.code, one.place.tensor) for one in reported] == [("D501", name_of)]


def test_the_second_text_encoder_of_sdxl_has_a_projection(tmp_path: Path) -> None:
    everything = whole(model("tiny-xl")[0])
    name = "conditioner.embedders.1.model.text_projection"
    found = audited(tmp_path, {one: entry for one, entry in everything.items() if one != name})
    assert [(one.code, one.place.tensor) for one in found.findings if one.severity == "error"] == [("N403", name)]
    expected = found.counts.expected_parameters
    assert expected is not None and expected > found.counts.unique_parameters


def test_a_unet_alone(tmp_path: Path) -> None:
    prefix, spec = model("tiny")[0]["unet"]
    found = audited(tmp_path, under(prefix, spec))
    assert found.verdict == "clean"
    assert found.counts.unique_parameters == found.counts.expected_parameters == elements(spec)


@pytest.mark.parametrize(("stored", "absent"), [
    ("unet", ["vae", "text encoder"]), ("unet vae", ["text encoder"]), ("unet text_encoder", ["vae"]),
    ("unet vae text_encoder", None), ("vae", None), ("text_encoder", None),
])  # fmt: skip
def test_components_that_the_file_lacks_are_reported(stored: str, absent: list[str] | None, tmp_path: Path) -> None:
    parts = model("tiny")[0]
    found = audited(tmp_path, whole({name: parts[name] for name in stored.split()}))
    lacking = [(one.facts["absent"], one.severity) for one in found.findings if one.code in ("N495", "N675")]
    severity = "warning" if absent == ["vae"] else "note"  # programs have nothing to decode with
    assert lacking == ([] if absent is None else [(absent, severity)])


@pytest.mark.parametrize(("stored", "averages", "found"), [
    ("vae text_encoder", 0, {"N704"}), ("vae text_encoder", 3, {"N704"}), ("vae text_encoder unet", 3, set()),
    ("vae", 3, set()),
])  # fmt: skip
@pytest.mark.parametrize("kind", ["tiny", "tiny-2", "tiny-xl"])
def test_a_file_without_a_network(kind: str, stored: str, averages: int, found: set[str], tmp_path: Path) -> None:
    parts = model(kind)[0]
    spec = whole({name: one for name, one in parts.items() if name.startswith(tuple(stored.split()))})
    spec |= {f"model_ema.diffusion_modelinput_blocks{n}0weight": ("F16", (4, 4)) for n in range(averages)}
    findings = [one for one in audited(tmp_path, spec).findings if one.code == "N704"]
    assert {one.code for one in findings} == found
    assert all(("averages" in one.remedy().words) is bool(averages) for one in findings)


@pytest.mark.parametrize(("changes", "found"), [
    ({}, set()), ({"max_position_embeddings": 248}, {"N703"}), ({"vocab_size": 49410}, {"N703"}),
])  # fmt: skip
@pytest.mark.parametrize(("kind", "beside"), [("sd15", True), ("sd21", True), ("sd15", False)])
def test_a_text_encoder_with_tables_of_its_own(
    kind: str, beside: bool, changes: Config, found: set[str], tmp_path: Path
) -> None:
    """diffusers 0.42 builds the encoder with the published config; a file of the encoder alone has its own readers."""
    text = _text(768, 2, 3072) | changes
    prefix, own = "cond_stage_model.transformer.", genuine(text, "F16")
    if kind == "sd21":
        prefix, own = "cond_stage_model.model.", single_file.openclip(text | {"projection_dim": 768})
    parts = {"text_encoder": (prefix, own)} | ({"unet": model("tiny")[0]["unet"]} if beside else {})
    codes_of = {one.code for one in audited(tmp_path, whole(parts)).findings}
    assert codes_of & {"N703"} == (found if beside else set())


@pytest.mark.parametrize("component", ["unet", "vae"])
def test_a_component_without_prefix(component: str, tmp_path: Path) -> None:
    spec = model("tiny")[0][component][1]
    found = audited(tmp_path, spec)
    assert found.verdict == "clean" and list(found.components) == [component]
    assert found.counts.unique_parameters == found.counts.expected_parameters == elements(spec)


@pytest.mark.parametrize(("component", "prefix", "code"), [
    ("unet", "model.diffusion_model.model.diffusion_model.", "N553"), ("unet", "model.model.diffusion_model.", "N552"),
    ("unet", "unet.", "N552"), ("vae", "first_stage_model.first_stage_model.", "N553"), ("vae", "model.vae.", "N552"),
    ("vae", "vae.", None), ("text_encoder", "cond_stage_model.transformer.", "N660"),
])  # fmt: skip
def test_a_prefix_that_programs_do_not_read(component: str, prefix: str, code: str | None, tmp_path: Path) -> None:
    spec = {name.removeprefix("text_model."): entry for name, entry in model("tiny")[0][component][1].items()}
    found = audited(tmp_path, under(prefix, spec))
    assert [one.code for one in found.findings if one.severity != "note"] == ([] if code is None else [code])
    assert list(found.components) == [component]
    assert found.counts.unique_parameters == found.counts.expected_parameters == elements(spec)
    if code is not None:
        (step,) = found.findings[0].remedy().steps
        right = str(step.new).removesuffix("*")
        assert step.old == f"{prefix}*"
        mended = under(right, spec)
        (tmp_path / "mended").mkdir()
        assert audited(tmp_path / "mended", mended).verdict == "clean"


CONTROL = _unet([32, 64, 64], [True, True, False], 48, _class_name="ControlNetModel",
                conditioning_embedding_out_channels=[16, 32, 96, 256])  # fmt: skip


@pytest.mark.parametrize("prefix", ["control_model.", ""])
def test_a_controlnet_of_its_authors(prefix: str, tmp_path: Path) -> None:
    spec = under(prefix, single_file.unet(CONTROL))
    found = audited(tmp_path, spec)
    assert found.verdict == "clean" and list(found.components) == ["controlnet"]
    assert found.counts.unique_parameters == found.counts.expected_parameters == elements(spec)
    for part in ("zero_convs.2.0.weight", "input_hint_block.6.bias", "middle_block_out.0.weight"):
        damaged = audited(tmp_path, {name: entry for name, entry in spec.items() if name != prefix + part})
        reported = [(one.severity, one.place.tensor) for one in damaged.findings if one.severity != "note"]
        assert reported == [("error", prefix + part)]


BLOCKS = {"unet": ("input_blocks", "output_blocks", "middle_block"), "controlnet": ("input_blocks", "zero_convs")}


@pytest.mark.parametrize(("component", "sequence"), [(one, name) for one, names in BLOCKS.items() for name in names])
@pytest.mark.parametrize("prefix", ["", None])
@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_a_lost_block_of_a_network_is_named(
    component: str, sequence: str, prefix: str | None, every: int, tmp_path: Path
) -> None:
    """The numbers of the blocks have no gaps, and both halves of a UNet have as many."""
    own, spec = model("tiny")[0]["unet"] if component == "unet" else ("control_model.", single_file.unet(CONTROL))
    spec = under(own if prefix is None else prefix, spec)
    start = f"{own if prefix is None else prefix}{sequence}."
    blocks = sorted({name.removeprefix(start).partition(".")[0] for name in spec if name.startswith(start)})
    for block in blocks[int(sequence == "input_blocks") :: every]:  # without input block 0 it is no UNet
        lost = {name: entry for name, entry in spec.items() if not name.startswith(f"{start}{block}.")}
        (tmp_path / block).mkdir()
        found = audited(tmp_path / block, lost)
        errors = [one for one in found.findings if one.severity == "error"]
        assert errors and all(one.code in ("N403", "N404", "N649") for one in errors), (block, errors)
        assert [one.facts["blocks"] for one in errors if one.code == "N649"] in ([], [[f"{start}{block}"]])
        assert not any(one.code == "N545" for one in found.findings)


def test_a_renamed_tensor_of_a_network_is_named_as_in_the_file(tmp_path: Path) -> None:
    spec = whole({"unet": model("tiny")[0]["unet"]})
    name = "model.diffusion_model.output_blocks.4.1.transformer_blocks.0.attn1.to_k.weight"
    other = name.replace("to_k", "key")
    found = audited(tmp_path, {other if one == name else one: entry for one, entry in spec.items()})
    (finding,) = (one for one in found.findings if one.severity != "note")
    assert (finding.code, finding.facts["stored"], finding.facts["expected"]) == ("N407", other, name)
    assert [(step.old, step.new) for step in finding.remedy().steps] == [(other, name)]


def test_the_controlnet_of_stable_diffusion_has_the_published_count(tmp_path: Path) -> None:
    widths, crossed = FOUR, [True, True, True, False]
    config = _unet(widths, crossed, 768, _class_name="ControlNetModel",
                   conditioning_embedding_out_channels=[16, 32, 96, 256])  # fmt: skip
    found = audited(tmp_path, under("control_model.", single_file.unet(config)))
    assert (found.verdict, found.counts.unique_parameters) == ("clean", 361_279_120)


def test_unexplained_tensors_are_listed_as_not_checked(tmp_path: Path) -> None:
    found = audited(tmp_path, whole(model("tiny")[0]) | {"control.gate.weight": ("F32", (3, 5))})
    assert codes(found) == set()
    assert found.counts.expected_parameters is None
    assert found.components["other"].counts.unique_parameters == 15


@pytest.mark.parametrize(("marks", "found"), [
    (["v_pred"], ["N706"]), (["v_pred", "ztsnr"], ["N706"]), (["edm_vpred.sigma_max", "edm_vpred.sigma_min"], []),
    (["edm_mean", "edm_std"], []),
])  # fmt: skip
def test_markers_of_the_noise_are_explained(marks: list[str], found: list[str], tmp_path: Path) -> None:
    """Read in ComfyUI: it takes the kind of the model from these names."""
    audit = audited(tmp_path, whole(model("tiny-xl")[0]) | dict.fromkeys(marks, ("F32", ())))
    assert (audit.verdict, set(codes(audit))) == ("clean", set())
    marked = [one for one in audit.findings if one.code == "N706"]
    assert [one.code for one in marked] == found
    assert all(("zero_snr" in one.remedy().words) is ("ztsnr" in marks) for one in marked)


COMPONENTS = {"unet": _unet([32, 64, 64], [True, True, False], 48), "vae": _vae([32, 64, 64]), "controlnet": CONTROL}
DIFFUSERS_FILE = "diffusion_pytorch_model.safetensors"
IN_FOLDER = [
    # component, prefix, remedy
    ("unet", "model.diffusion_model.", "from_single_file(FILE, config=FOLDER) of its class in diffusers, or fetch"),
    ("unet", "", 'once "model.diffusion_model." is before every name'),
    ("vae", "first_stage_model.", "from_single_file(FILE, config=FOLDER) of its class in diffusers, or fetch"),
    ("vae", "", "from_single_file(FILE, config=FOLDER) of its class in diffusers, or fetch"),
    ("controlnet", "control_model.", "from_single_file(FILE, config=FOLDER) of its class in diffusers, or fetch"),
    ("controlnet", "", "from_single_file(FILE, config=FOLDER) of its class in diffusers, or fetch"),
]


def in_folder(where: Path, config: Config, spec: Spec) -> Audit:
    """The audit of a folder of diffusers."""
    where.mkdir(exist_ok=True)
    (where / "config.json").write_text(json.dumps(config), encoding="utf-8")
    write_file(where / DIFFUSERS_FILE, spec)
    return audit(str(where))


def own_names(component: str) -> Spec:
    """A component under the names of latent-diffusion."""
    return getattr(single_file, component.replace("controlnet", "unet"))(COMPONENTS[component])  # type: ignore[no-any-return]


@pytest.mark.parametrize(("component", "prefix", "remedy"), IN_FOLDER)
def test_a_component_under_the_config_of_diffusers(component: str, prefix: str, remedy: str, tmp_path: Path) -> None:
    spec = own_names(component)
    found = in_folder(tmp_path, COMPONENTS[component], under(prefix, spec))
    assert [one.code for one in found.findings if one.severity != "note"] == ["N470"]
    assert remedy in found.findings[0].help
    assert set(found.checkpoint.names_in_file.values()) == found.checkpoint.tensors.keys()
    assert found.counts.unexplained == 0
    assert found.counts.unique_parameters == found.counts.expected_parameters == elements(spec)


def test_attention_in_the_stages_is_not_converted_by_diffusers(tmp_path: Path) -> None:
    """diffusers 0.42 converts only the attention of the middle block: from_single_file fails."""
    config = {**_vae([32, 64]), "_class_name": "AutoencoderKL", "norm_num_groups": 8,
              "down_block_types": ["DownEncoderBlock2D", "AttnDownEncoderBlock2D"],
              "up_block_types": ["AttnUpDecoderBlock2D", "UpDecoderBlock2D"]}  # fmt: skip
    spec = single_file.vae(config)
    assert any(STAGE_ATTENTION.fullmatch(name) for name in spec)
    (finding,) = (one for one in in_folder(tmp_path, config, spec).findings if one.severity != "note")
    assert finding.code == "N470"
    assert "attention in the stages" in finding.help


ATTENTION = r"mid_block\.attentions\.0\."
OF_VIDEOS = (
    (r"down_blocks\.(\d+)\.resnets\.", r"down.\1.block."),
    (r"down_blocks\.(\d+)\.downsamplers\.0", r"down.\1.downsample"),
    (r"mid_block\.resnets\.0", "mid.block_1"),
    (r"mid_block\.resnets\.1", "mid.block_2"),
    (f"{ATTENTION}group_norm", "mid.attn_1.norm"),
    (f"{ATTENTION}to_([qkv])", r"mid.attn_1.\1"),
    (rf"{ATTENTION}to_out\.0", "mid.attn_1.proj_out"),
    ("conv_shortcut", "nin_shortcut"),
    ("conv_norm_out", "norm_out"),
)


def of_videos() -> tuple[Spec, Config]:
    """HunyuanVideo's autoencoder as ComfyUI names it: its attention has convolutions of one point."""
    record = next(one for one in diffusers_records("AutoencoderKLHunyuanVideo") if not one["variant"])
    last, made = len(record["config"]["block_out_channels"]) - 1, Spec()
    for name, (dtype, shape) in spec_of(record).items():
        for old, new in OF_VIDEOS:
            name = re.sub(old, new, name)
        name = re.sub(r"up_blocks\.(\d+)\.", lambda one: f"up.{last - int(one[1])}.", name)
        name = name.replace(".resnets.", ".block.").replace("upsamplers.0", "upsample")
        matrix = ".attn_1." in name and len(shape) == 2
        made[name] = (dtype, (*shape, 1, 1, 1) if matrix else shape)
    return made, record["config"]


def test_comfyuis_autoencoder_of_hunyuan_video(tmp_path: Path) -> None:
    spec, config = of_videos()
    alone = audited(tmp_path, spec)
    assert (alone.verdict, alone.counts.unique_parameters) == ("clean", elements(spec))
    found = in_folder(tmp_path / "folder", config, spec)
    assert [one.code for one in found.findings if one.severity != "note"] == ["N470"]
    lost = dict(spec)
    del lost["decoder.mid.attn_1.q.weight"]
    assert codes(audited(tmp_path, lost)) == {"N403"}


@pytest.mark.parametrize("component", ["unet", "vae", "controlnet"])
def test_a_component_of_another_class_is_not_read(component: str, tmp_path: Path) -> None:
    other = next(config for name, config in COMPONENTS.items() if name != component)
    assert codes(in_folder(tmp_path / "other", other, own_names(component))) == {"N401"}
    healthy = genuine(COMPONENTS[component], "F16")
    assert codes(in_folder(tmp_path / "healthy", COMPONENTS[component], healthy)) == set()


def test_a_lost_tensor_of_a_component_is_named_as_in_the_file(tmp_path: Path) -> None:
    spec = own_names("vae")
    del spec["decoder.up.2.block.0.conv1.bias"]
    found = in_folder(tmp_path, COMPONENTS["vae"], spec)
    assert codes(found) == {"N403", "N470"}
    lost = next(one for one in found.findings if one.code == "N403")
    assert lost.place.tensor == "decoder.up.2.block.0.conv1.bias"


def test_a_controlnet_of_differences_is_no_controlnet_for_diffusers(tmp_path: Path) -> None:
    """sd-webui-controlnet and ComfyUI add the UNet's weights by the mark; diffusers does not."""
    spec = under("control_model.", single_file.unet(CONTROL))
    plain, marked = audited(tmp_path, spec), audited(tmp_path, spec | {"difference": ("F32", ())})
    assert (plain.verdict, marked.verdict) == ("clean", "clean")
    assert marked.counts.unique_parameters == plain.counts.unique_parameters == elements(spec)
    assert (codes(judged_for(plain, "diffusers")), codes(judged_for(marked, "diffusers"))) == (set(), {"N429"})


@pytest.mark.parametrize("model", ["MotionAdapter", "SparseControlNetModel"])
def test_motion_modules_under_the_names_of_animatediff(model: str, tmp_path: Path) -> None:
    """Each attention has its own table of positions there, of which diffusers has one."""
    for record in diffusers_records(model)[:2]:
        own = {_of_animatediff(name): entry for name, entry in spec_of(record).items()}
        tables = {name.replace(".0.pos_encoder", ".1.pos_encoder"): one for name, one in own.items() if ".pe" in name}
        found = audited(tmp_path, own | tables)
        assert (found.verdict, codes(found)) == ("clean", set()), (record["variant"], found.findings)
        assert found.counts.unique_parameters == found.counts.expected_parameters
        lost = next(name for name in own if name.endswith("temporal_transformer.proj_out.weight"))
        damaged = audited(tmp_path, {name: entry for name, entry in own.items() if name != lost} | tables)
        assert [one.place.tensor for one in damaged.findings if one.severity == "error"] == [lost]


def _of_animatediff(name: str) -> str:
    """The name of a tensor of a motion module in AnimateDiff's files."""
    parts = {".pos_embed.": ".attn1.pos_encoder.", ".attn1.": ".attention_blocks.0.", ".attn2.": ".attention_blocks.1.",
             ".norm1.": ".norms.0.", ".norm2.": ".norms.1.", ".norm3.": ".ff_norm."}  # fmt: skip
    if ".motion_modules." not in name:
        return name
    for new, old in parts.items():
        name = name.replace(new, old)
    return re.sub(r"(motion_modules\.\d+)\.", r"\1.temporal_transformer.", name)


@pytest.mark.parametrize(("half", "lost", "found"), [
    ("decoder", "", "N752"), ("encoder", "", "N752"), ("decoder", "decoder.conv_out.weight", ""),
    ("decoder", "decoder.up.0.block.0.conv1.weight", ""),
])  # fmt: skip
@pytest.mark.parametrize("name", ["tiny", "sd15"])
def test_one_half_of_an_autoencoder(name: str, half: str, lost: str, found: str, tmp_path: Path) -> None:
    """Measured with diffusers 0.42: from_single_file raises NotImplementedError for each half."""
    vae = model(name)[0]["vae"][1]
    own = {key: one for key, one in vae.items() if key.startswith(f"{half}.") and key != lost}
    write_file(tmp_path / "half.safetensors", own)
    audited = audit(str(tmp_path / "half.safetensors"))
    assert {one.code for one in audited.findings if one.code == "N752"} == ({found} if found else set())
    if lost:
        assert audited.verdict != "clean"
        return
    assert (audited.verdict, audited.counts.expected_parameters) == ("clean", elements(own))
    assert codes(judged_for(audited, "diffusers")) == {"N429"}
    write_file(tmp_path / "whole.safetensors", vae)
    write_file(tmp_path / "other.safetensors", model("sd3")[0]["vae"][1])
    for base, wrong in (("whole", set()), ("other", {"N752"})):
        compared = audit(str(tmp_path / "half.safetensors"), base=str(tmp_path / f"{base}.safetensors"))
        assert codes(compared) == wrong, compared.findings


@pytest.mark.parametrize(("name", "shape", "verdict"), [
    ("text_projection.weight", (16, 24), "clean"), ("transformer.text_projection.weight", (16, 24), "clean"),
    ("text_projection.weight", (24, 24), "undecided"),
])  # fmt: skip
def test_a_projection_stored_twice(name: str, shape: tuple[int, ...], verdict: str, tmp_path: Path) -> None:
    """Loaded completely by from_single_file of diffusers 0.42, with either name."""
    spec = whole(model("tiny-xl")[0])
    write_file(tmp_path / "xl.safetensors", {**spec, f"conditioner.embedders.1.model.{name}": ("F16", shape)})
    audited = audit(str(tmp_path / "xl.safetensors"))
    noted = [one for one in audited.findings if one.code == "N753"]
    assert (audited.verdict, len(noted)) == (verdict, verdict == "clean")


@pytest.mark.parametrize(("name", "outcome"), [("sd15", "complete"), ("sdxl", "complete"), ("sd21", None)])
def test_the_file_and_its_folder_for_diffusers(name: str, outcome: str | None, tmp_path: Path) -> None:
    """Measured with diffusers 0.42 for Stable Diffusion 1 and SDXL: from_pretrained refuses the folder (OSError)."""
    write_file(tmp_path / "model.safetensors", whole(model(name)[0]))
    alone = judged_for(audit(str(tmp_path / "model.safetensors")), "diffusers")
    assert [one.outcome for one in alone.loads] == ([] if outcome is None else [outcome])
    folder = audit(str(tmp_path))
    assert (codes(folder), [one.code for one in folder.findings if one.code == "N754"]) == (set(), ["N754"])
    refused = judged_for(folder, "diffusers")
    assert codes(refused) == {"N429"} and "N754" not in {one.code for one in refused.findings}
