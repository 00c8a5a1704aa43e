"""Compares every definition of a diffusers class with what diffusers builds, with full and with sparse configs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from inspector import audit
from inspector.architectures.catalog import modules
from inspector.architectures.defaults import class_defaults
from inspector.architectures.diffusers_values import EQUALLY_LONG, refused_by_class
from inspector.reconciler.ledger import UNCHECKED
from tests.checkpoints import genuine, write_file
from tests.judged import diffusers_classes, diffusers_records, judged, spec_of
from tests.loads.component_cases import WEIGHTS
from tests.loads.damage import healthy, write
from tests.sampling import sampled

pytestmark = pytest.mark.thinned

SAMPLED = 12
"""Every so many records and families of each class are in the complete suite; `-m slow` runs all."""
EACH = [SAMPLED, pytest.param(1, marks=pytest.mark.slow)]
UNREAD = "C312"
"""The note about unknown keys, which no key of a class may get."""


@pytest.mark.parametrize("every", EACH)
@pytest.mark.parametrize("which", ["config", pytest.param("given", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", diffusers_classes())
def test_every_record_is_exact_and_clean(name: str, which: str, every: int) -> None:
    assert name in modules()
    for record in diffusers_records(name)[(which == "given") * every // 2 :: every]:
        audited = judged(spec_of(record), record[which])
        reported = [finding for finding in audited.findings if finding.severity != "note" or finding.code == UNREAD]
        assert not reported, (record["variant"], [finding.message for finding in reported])
        assert audited.architecture is not None
        assert audited.architecture.name == name
        counts = audited.counts
        assert counts.unique_parameters == record["num_parameters"], record["variant"]
        assert counts.expected_parameters == record["num_parameters"], record["variant"]
        assert counts.unexplained == 0, record["variant"]


@pytest.mark.parametrize("name", diffusers_classes())
def test_a_key_that_is_left_out_has_the_default_of_its_class(name: str) -> None:
    defaults, _ = class_defaults(name)
    assert bool(defaults) is (name != "StableAudioProjectionModel")  # which requires all of its keys
    written = [record for record in diffusers_records(name) if record["variant"] == "defaults"]
    for record in written:
        for key, value in record["config"].items():
            if not key.startswith("_") and key in defaults:
                assert defaults[key] == value, key


@pytest.mark.parametrize("stated", ["NoSuchModel", UNSET])
@pytest.mark.parametrize("name", ["AutoencoderKL", "AutoencoderOobleck", "WuerstchenPrior"])
def test_a_class_loads_its_component_where_the_config_names_no_class(name: str, stated: Any, tmp_path: Path) -> None:
    record = diffusers_records(name)[0]
    config = {key: one for key, one in {**record["config"], "_class_name": stated}.items() if one is not UNSET}
    found = audit(str(write(healthy(spec_of(record), config, WEIGHTS), tmp_path)))
    (load,) = found.loads
    assert (load.loader, load.outcome, load.missing, load.unexpected) == ("diffusers", "complete", 0, 0), load
    assert found.verdict == "clean"


def test_a_null_next_to_a_rounded_quotient_is_not_refused(tmp_path: Path) -> None:
    records = diffusers_records("LuminaNextDiT2DModel")
    record = next(one for one in records if one["config"]["hidden_size"] == 49)
    spec = {name: entry for name, entry in spec_of(record).items() if not name.endswith("linear_2.weight")}
    assert record["config"]["ffn_dim_multiplier"] is None
    (load,) = audit(str(write(healthy(spec, record["config"], WEIGHTS), tmp_path))).loads
    assert load.outcome != "refuses", load


@pytest.mark.parametrize("name", diffusers_classes())
def test_no_class_refuses_what_it_was_built_with(name: str) -> None:
    for record in diffusers_records(name):
        assert not list(refused_by_class({**record["config"], "_class_name": name})), record["variant"]


@pytest.mark.parametrize("name", sampled(EQUALLY_LONG, 4))
def test_a_list_of_another_length_is_one_finding(name: str) -> None:
    record = diffusers_records(name)[0]
    config = {**record["config"], "_class_name": name}
    for key in [key for keys in EQUALLY_LONG[name] for key in keys if isinstance(config.get(key), list)]:
        for other in (config[key][:-1], [*config[key], config[key][-1]], UNSET):
            changed = {one: value for one, value in {**config, key: other}.items() if value is not UNSET}
            if other is not UNSET or len(class_defaults(name)[0][key]) != len(config[key]):
                assert any(one.beside for one in refused_by_class(changed)), (key, other)
                audited = judged(spec_of(record), changed)
                codes = {finding.code for finding in audited.findings if finding.severity == "error"}
                assert codes & {"C310", "C311"}, (key, other)
                assert name == "AutoencoderTiny" or len(codes) == 1, (key, other)


DILATIONS = "resblock_dilation_sizes"


@pytest.mark.parametrize(
    ("name", "changes", "refused"),
    [
        ("AutoencoderKL", {"norm_num_groups": 7}, {"norm_num_groups"}),
        ("AutoencoderKL", {"norm_num_groups": UNSET}, {"norm_num_groups"}),
        ("AutoencoderKL", {"norm_num_groups": 4}, set()),
        ("ControlNetUnionModel", {"norm_num_groups": 7}, {"norm_num_groups"}),
        ("ControlNetUnionModel", {"conditioning_embedding_out_channels": [9, 18, 27]}, set()),  # no groups there
        ("AutoencoderKL", {"in_channels": [3]}, {"in_channels"}),
        ("AutoencoderKL", {"act_fn": 1}, {"act_fn"}),
        ("AutoencoderKL", {"act_fn": "SiLU"}, set()),  # in letters of any case
        ("AutoencoderDC", {"decoder_norm_types": "RMS_NORM"}, {"decoder_norm_types"}),
        ("AutoencoderKL", {"block_out_channels": []}, {"block_out_channels"}),
        ("UNet2DConditionModel", {"down_block_types": ["UNetResDownBlock2D", "DownBlock2D"]}, set()),
        ("UNet2DConditionModel", {"down_block_types": ["UNetResUpBlock2D", "DownBlock2D"]}, {"down_block_types"}),
        ("CosmosTransformer3DModel", {"rope_scale": 2.0}, {"rope_scale"}),
        ("ZImageTransformer2DModel", {"axes_dims": [6, 6, 6]}, {"axes_dims"}),  # the width of a head is 16
        ("ZImageTransformer2DModel", {"axes_dims": [6, 4, 6]}, set()),
        ("ZImageTransformer2DModel", {"axes_lens": [32, 32]}, {"axes_lens"}),
        ("QwenImageTransformer2DModel", {"axes_dims_rope": [5, 7, 7]}, {"axes_dims_rope"}),
        ("QwenImageTransformer2DModel", {"axes_dims_rope": [4, 6]}, {"axes_dims_rope"}),
        ("BriaTransformer2DModel", {"guidance_embeds": True}, {"guidance_embeds"}),
        ("UNet2DConditionModel", {"num_attention_heads": 8}, {"num_attention_heads"}),
        ("UNet2DConditionModel", {"down_block_types": [None, "DownBlock2D"]}, {"down_block_types"}),
        ("AutoencoderKLHunyuanVideo", {"temporal_compression_ratio": 8}, {"temporal_compression_ratio"}),
        ("AutoencoderKLTemporalDecoder", {"block_out_channels": [34, 64]}, {"block_out_channels"}),
        ("AutoencoderKLWan", {"temperal_downsample": [True]}, {"temperal_downsample"}),
        ("WanVACETransformer3DModel", {"vace_layers": [1, 2]}, {"vace_layers"}),  # without the first layer
        ("WanVACETransformer3DModel", {"vace_layers": [0, 4]}, {"vace_layers"}),  # of four layers
        ("WanVACETransformer3DModel", {"vace_layers": [0, 1]}, set()),
        ("LTX2LatentUpsamplerModel", {"spatial_upsample": False}, {"spatial_upsample"}),  # nor any other upsampling
        ("LTXLatentUpsamplerModel", {"spatial_upsample": False}, {"spatial_upsample"}),
        ("LTXLatentUpsamplerModel", {"spatial_upsample": False, "temporal_upsample": True}, set()),
        ("ChronoEditTransformer3DModel", {"patch_size": [1.0, 2, 2]}, {"patch_size"}),
        ("ChronoEditTransformer3DModel", {"patch_size": [1, -2, 2]}, {"patch_size"}),
        ("AutoencoderKLLTXVideo", {"upsample_factor": [1, 1, 1, 0]}, {"upsample_factor"}),
        ("AutoencoderKLLTXVideo", {"layers_per_block": [1, "2", 1, 2, 1]}, {"layers_per_block"}),
        ("FluxTransformer2DModel", {"out_channels": -4}, {"out_channels"}),
        ("DiTTransformer2DModel", {"norm_type": ["ada_norm_zero"]}, {"norm_type"}),
        ("AutoencoderKLHunyuanImage", {"sample_size": UNSET}, {"sample_size"}),  # which has no default
        ("AllegroTransformer3DModel", {"dropout": -0.0001}, {"dropout"}),
        ("AllegroTransformer3DModel", {"dropout": 0.5}, set()),
        ("SD3ControlNetModel", {"use_pos_embed": False, "pos_embed_type": "none"}, set()),  # which it does not read
        ("HunyuanDiT2DModel", {"patch_size": UNSET}, {"patch_size"}),  # null by default, which it computes with
        ("LatteTransformer3DModel", {"in_channels": UNSET}, {"in_channels"}),
        ("LatteTransformer3DModel", {"out_channels": UNSET}, set()),
        ("ControlNetXSAdapter", {"max_norm_num_groups": None}, {"max_norm_num_groups"}),
        ("ControlNetXSAdapter", {"cross_attention_dim": None}, set()),
        ("PRXTransformer2DModel", {"axes_dim": None}, {"axes_dim"}),  # it takes [32, 32], a head is narrower
        ("AsymmetricAutoencoderKL", {"down_block_types": ["DownEncoderBlock2D", 1]}, {"down_block_types"}),
        ("HeliosTransformer3DModel", {"rope_dim": [4, 4]}, {"rope_dim"}),
        ("AnyFlowFARTransformer3DModel", {"patch_size": [1, 2, 2, 2]}, {"patch_size"}),
        ("WanTransformer3DModel", {"patch_size": [1, 2, 2, 2]}, {"patch_size"}),  # the kernel of a convolution
        ("SkyReelsV2Transformer3DModel", {"patch_size": [1, 2]}, {"patch_size"}),
        ("JoyImageEditTransformer3DModel", {"patch_size": [1, 2, 2, 2]}, {"patch_size"}),
        ("Kandinsky5Transformer3DModel", {"patch_size": [1, 2, 2, 1]}, set()),  # of which it takes the product
        ("PriorTransformer", {"time_embed_dim": True}, {"time_embed_dim"}),
        ("PriorTransformer", {"time_embed_dim": None}, set()),
        ("AceStepTransformer1DModel", {"layer_types": 1}, {"layer_types"}),
        ("Krea2Transformer2DModel", {"axes_dims_rope": [8, "big", 4]}, {"axes_dims_rope"}),
        ("Krea2Transformer2DModel", {"in_channels": []}, {"in_channels"}),
        ("AutoencoderKL", {"block_out_channels": [8, {}]}, {"block_out_channels"}),
        ("AutoencoderKL", {"down_block_types": True}, {"down_block_types"}),
        ("BriaTransformer2DModel", {"guidance_embeds": [1, 2]}, {"guidance_embeds"}),  # as true is read
        ("AllegroTransformer3DModel", {"dropout": -1}, {"dropout"}),
        ("AllegroTransformer3DModel", {"dropout": 1}, set()),
        ("AutoencoderKL", {"norm_num_groups": 1.5}, {"norm_num_groups"}),
        ("AutoencoderKL", {"norm_num_groups": 4.0}, set()),
        (
            "AutoencoderKLMiniMaxH3Audio",
            {"resblock_dilation_sizes": [[1, {"a": 1}], [1, 3]]},
            {"resblock_dilation_sizes"},
        ),
        (
            "AutoencoderKLMiniMaxH3Audio",
            {"resblock_dilation_sizes": [[1, 3, 5], [1, None]]},
            {"resblock_dilation_sizes"},
        ),
        ("StableCascadeUNet", {"block_types_per_layer": [["SDCascadeResBlock"], ["Block"]]}, {"block_types_per_layer"}),
        ("StableCascadeUNet", {"block_types_per_layer": [["SDCascadeResBlock", 1]] * 2}, {"block_types_per_layer"}),
        ("StableCascadeUNet", {"block_types_per_layer": [["SDCascadeResBlock"]] * 2}, set()),
    ],
)
def test_values_that_a_class_refuses(name: str, changes: dict[str, Any], refused: set[str]) -> None:
    """As diffusers 0.42 builds them; without the key the default is 32 groups."""
    config = {**diffusers_records(name)[0]["config"], "_class_name": name, **changes}
    config = {key: value for key, value in config.items() if value is not UNSET}
    assert {one.key for one in refused_by_class(config)} == refused


@pytest.mark.parametrize(
    ("name", "key", "length"),
    [
        ("WanTransformer3DModel", "patch_size", 2),
        ("CosmosTransformer3DModel", "max_size", 2),
        ("AnyFlowTransformer3DModel", "patch_size", 1),
        ("Kandinsky5Transformer3DModel", "axes_dims", 2),
    ],
)
def test_a_list_without_an_entry_that_is_read_is_an_error(name: str, key: str, length: int, tmp_path: Path) -> None:
    """diffusers 0.42 refuses each: it lacks a width of a tensor."""
    record = diffusers_records(name)[0]
    config = {**record["config"], key: record["config"][key][:length]}
    found = audit(str(write(healthy(spec_of(record), config, WEIGHTS), tmp_path / "0")))
    assert {one.code for one in found.findings if one.severity == "error"} == {"C311"}, found.findings
    assert [(one.outcome, key in one.because) for one in found.loads] == [("refuses", True)]


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("PaellaVQModel", {"num_vq_embeddings": True}),
        ("BriaTransformer2DModel", {"num_attention_heads": False}),
        ("PRXTransformer2DModel", {"context_in_dim": False}),
    ],
)
def test_a_switch_is_no_size(name: str, changes: dict[str, Any], tmp_path: Path) -> None:
    """diffusers 0.42 refuses each, or builds tensors of other shapes."""
    record = diffusers_records(name)[0]
    found = audit(str(write(healthy(spec_of(record), {**record["config"], **changes}, WEIGHTS), tmp_path / "0")))
    assert [one.outcome for one in found.loads] == ["refuses"]
    assert found.verdict == "findings"


@pytest.mark.parametrize(("name", "key", "value", "said"), [
    ("UNet2DConditionModel", "layers_per_block", True, ""), ("AutoencoderKL", "layers_per_block", True, ""),
    ("UNet2DConditionModel", "layers_per_block", "big", 'set "layers_per_block": 1 in config.json'),
    ("ControlNetModel", "layers_per_block", None, 'set "layers_per_block": 1 in config.json'),
    ("UNet2DModel", "layers_per_block", [2, 2], 'set "layers_per_block": 1 in config.json'),
    ("UNet2DModel", "block_out_channels", "abc", 'set "block_out_channels": [16, 32] in config.json'),
    ("UNetMotionModel", "block_out_channels", True, 'set "block_out_channels": [24, 40] in config.json'),
    ("StableCascadeUNet", "down_num_layers_per_block", "abc", 'set "down_num_layers_per_block": [1, 2] in config.json'),
    ("WanTransformer3DModel", "num_layers", True, 'set "num_layers": 2 in config.json'),
    ("WanTransformer3DModel", "patch_size", True, "correct this key in config.json"),
    ("AutoencoderKL", "use_quant_conv", None, 'set "use_quant_conv": true in config.json'),
    ("UNet2DModel", "add_attention", None, 'set "add_attention": true in config.json'),
])  # fmt: skip
def test_a_value_of_another_kind_is_one_finding(name: str, key: str, value: Any, said: str, tmp_path: Path) -> None:
    """True counts as 1 where diffusers 0.42 computes with it, and null as false."""
    record = next(one for one in diffusers_records(name) if one["config"].get("_class_name") == name)
    config = {**record["config"], key: value}
    found = audit(str(write(healthy(spec_of(record), config, WEIGHTS), tmp_path / "0")))
    assert [one.help.startswith(said) for one in found.findings if one.severity != "note"] == ([True] if said else [])
    assert not said or found.verdict == "findings"


@pytest.mark.parametrize("key", ["encoder_layers_per_block", "decoder_layers_per_block"])
def test_stages_without_a_number_of_layers_are_left_out(key: str, tmp_path: Path) -> None:
    """AutoencoderDC of diffusers 0.42 has as many stages as the shorter list has entries."""
    record = diffusers_records("AutoencoderDC")[0]
    config = {**record["config"], key: record["config"][key][:-1]}
    found = audit(str(write(healthy(spec_of(record), config, WEIGHTS), tmp_path / "0")))
    assert [(one.outcome, one.missing) for one in found.loads] == [("complete", 0)]
    assert found.loads[0].unexpected == (15 if key.startswith("encoder") else 30)
    assert found.verdict == "findings"


@pytest.mark.parametrize("name", ["AutoencoderKLWan", "AutoencoderKLQwenImage"])
def test_the_decoder_of_wan_reads_its_list_from_the_end(name: str) -> None:
    """diffusers 0.42 leaves both tensors of a third resampler in the decoder random."""
    record = next(one for one in diffusers_records(name) if not one["variant"])
    audited = judged(spec_of(record), {**record["config"], "temperal_downsample": [False, True, True]})
    assert {one.code for one in audited.findings if one.severity == "error"} == {"N403"}


@pytest.mark.parametrize("key", ["channel_multiples", "downsampling_ratios"])
def test_lists_that_a_class_reads_together_are_as_long(key: str) -> None:
    """In Oobleck's autoencoder the first list may not be shorter than the second."""
    record = next(one for one in diffusers_records("AutoencoderOobleck") if not one["variant"])
    config = {**record["config"], "_class_name": "AutoencoderOobleck"}
    for other in (config[key][:-1], [*config[key], config[key][-1]]):
        refused = (len(other) < len(config[key])) is (key == "channel_multiples")
        assert len(list(refused_by_class({**config, key: other}))) == refused


ALIKE = {
    "AllegroTransformer3DModel", "AudioLDM2UNet2DConditionModel", "LTX2LatentUpsamplerModel",
    "AutoencoderKLHunyuanVideo15", "AutoencoderKLQwenImage", "BriaTransformer2DModel",
    "ChronoEditTransformer3DModel", "CogView3PlusTransformer2DModel",
    "ConsisIDTransformer3DModel", "JoyImageEditTransformer3DModel", "SkyReelsV2Transformer3DModel",
    "Transformer2DModel",
}  # fmt: skip
"""Classes with the names and shapes of another class: without a config they are not distinguished."""
UNSEEN = {
    "AutoencoderDC", "AutoencoderTiny", "AutoencoderKLHunyuanImage", "AutoencoderKLMochi", "T2IAdapter",
    "ZImageTransformer2DModel", "ZImageControlNetModel", "UNet1DModel", "PaellaVQModel", "WuerstchenDiffNeXt",
}  # fmt: skip
"""Classes with lists that names and shapes do not always determine: these lists are not reported."""


IRREGULAR = {"AutoencoderKLHunyuanImage": {"N413"}}
"""Findings by names alone for a class that numbers two kinds of modules consecutively."""


@pytest.mark.parametrize("every", EACH)
@pytest.mark.parametrize("name", sampled(diffusers_classes(), 10))
def test_a_component_without_a_config_is_exact_or_unchecked(name: str, every: int) -> None:
    exact = 0
    records = diffusers_records(name)[::every]
    for record in records:
        audited = judged(spec_of(record), None)
        reported = {finding.code for finding in audited.findings if finding.severity != "note"}
        assert reported <= IRREGULAR.get(name, set()), record["variant"]
        assert audited.counts.unique_parameters >= record["num_parameters"]
        if audited.counts.expected_parameters is None:
            continue
        assert audited.architecture is not None
        assert audited.architecture.confidence == "likely"
        assert audited.architecture.name == name or name in ALIKE
        assert audited.counts.expected_parameters == audited.counts.unique_parameters == record["num_parameters"]
        exact += 1
    assert exact == len(records) or name in UNSEEN


@pytest.mark.parametrize("every", EACH)
@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(one, marks=pytest.mark.complete) for one in ("UNet2DConditionModel", "ControlNetModel")),
        "AutoencoderKL",
    ],
)
def test_a_config_without_a_class_name_is_read(name: str, every: int) -> None:
    for record in diffusers_records(name)[::every]:
        config = {key: value for key, value in record["config"].items() if not key.startswith("_")}
        audited = judged(spec_of(record), config)
        assert audited.architecture is not None, record["variant"]
        assert audited.architecture.name == name
        assert audited.counts.expected_parameters == record["num_parameters"]
        assert not [finding for finding in audited.findings if finding.severity != "note"], record["variant"]


@pytest.mark.parametrize("config", [{}, {"sample_size": 32}])
def test_a_component_whose_config_states_no_sizes_is_refused(tmp_path: Path, config: dict[str, Any]) -> None:
    record = next(iter(diffusers_records("AutoencoderKL")))
    write_file(tmp_path / "diffusion_pytorch_model.safetensors", spec_of(record))
    (tmp_path / "config.json").write_text(json.dumps(config))
    audited = audit(tmp_path)
    errors = [one for one in audited.findings if one.severity == "error"]
    assert [(one.code, one.place.key) for one in errors] == [("C314", "_class_name")]
    assert [(one.loader, one.outcome) for one in audited.loads] == [("diffusers", "refuses")]


@pytest.mark.parametrize(
    ("name", "changes", "keys"),
    [
        ("UNet2DConditionModel", {"up_block_types": UNSET}, ["up_block_types"]),  # which has four by default
        ("AutoencoderKL", {"norm_num_groups": 7}, ["norm_num_groups"]),
        ("AutoencoderKL", {"act_fn": "no_such_function"}, ["act_fn"]),
        ("UNet2DConditionModel", {"sample_size": UNSET}, []),
        ("AutoencoderKL", {"norm_num_groups": 4}, []),
    ],
)
def test_values_that_are_refused_under_any_class_name(
    tmp_path: Path, name: str, changes: dict[str, Any], keys: list[str]
) -> None:
    record = next(one for one in diffusers_records(name) if not one["variant"])
    stated = {key: value for key, value in {**record["config"], **changes}.items() if value is not UNSET}
    del stated["_class_name"]
    write_file(tmp_path / "diffusion_pytorch_model.safetensors", spec_of(record))
    (tmp_path / "config.json").write_text(json.dumps(stated))
    assert [one.place.key for one in audit(tmp_path).findings if one.severity == "error"] == keys


@pytest.mark.parametrize("stated", [None, 3, {}])
def test_a_component_with_an_invalid_class_name_is_refused(tmp_path: Path, stated: Any) -> None:
    record = next(iter(diffusers_records("AutoencoderKL")))
    write_file(tmp_path / "diffusion_pytorch_model.safetensors", spec_of(record))
    (tmp_path / "config.json").write_text(json.dumps({**record["config"], "_class_name": stated}))
    audited = audit(tmp_path)
    errors = [one for one in audited.findings if one.severity == "error"]
    assert [(one.code, [step.new for step in one.steps]) for one in errors] == [("C314", ["AutoencoderKL"])]
    assert [(one.loader, one.outcome) for one in audited.loads] == [("diffusers", "refuses")]


@pytest.mark.complete
@pytest.mark.parametrize(
    ("name", "weights", "config"),
    [
        ("UNet2DConditionModel", "stable-diffusion-v1-5", "stable-diffusion-xl-base-1.0"),
        pytest.param(
            "UNet2DConditionModel", "stable-diffusion-xl-base-1.0", "stable-diffusion-v1-5", marks=pytest.mark.slow
        ),
        pytest.param("UNet2DConditionModel", "stable-diffusion-v1-5", "stable-diffusion-2-1", marks=pytest.mark.slow),
        pytest.param("ControlNetModel", "controlnet-canny-sdxl-1.0", "sd-controlnet-canny", marks=pytest.mark.slow),
        ("AutoencoderKL", "sd-vae-ft-mse", "FLUX.1-dev"),
    ],
)
def test_another_models_config_is_reported_key_by_key(name: str, weights: str, config: str) -> None:
    stored, other = (
        next(one for one in diffusers_records(name) if one["variant"] == title) for title in (weights, config)
    )
    audited = judged(spec_of(stored), other["config"])
    reported = [finding for finding in audited.findings if finding.severity != "note"]
    assert {finding.code for finding in reported} in ({"C310"}, {"C315"})
    assert len(reported) == 1 or reported[0].code == "C310"  # several sizes together are one finding
    named = {finding.place.key: finding.facts["weights"] for finding in reported if finding.code == "C310"}
    named |= {one.key: one.solved for finding in reported for one in getattr(finding, "keys", ())}
    for key, found in named.items():
        right = stored["config"][key]
        one_for_all = not isinstance(found, list) or not isinstance(right, list)
        alike = {*_listed(found)} == {*_listed(right)} if one_for_all else found == right
        assert alike, key
    assert named


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@pytest.mark.complete
@pytest.mark.parametrize(("weights", "config"), [
    ("stable-diffusion-v1-5", "stable-diffusion-xl-base-1.0"),
    pytest.param("stable-diffusion-xl-base-1.0", "stable-diffusion-v1-5", marks=pytest.mark.slow),
])  # fmt: skip
def test_files_under_the_config_of_another_unet_are_within_the_budget(
    weights: str, config: str, tmp_path: Path
) -> None:
    """With the numbers of layers and heads for each block that newer versions of diffusers write."""
    stored, other = (
        next(one for one in diffusers_records("UNet2DConditionModel") if one["variant"] == title)
        for title in (weights, config)
    )
    values = {"reverse_transformer_layers_per_block": None, "dropout": 0.0, "attention_type": "default"}
    write_file(tmp_path / WEIGHTS, spec_of(stored))
    (tmp_path / "config.json").write_text(json.dumps({**values, **other["config"]}), encoding="utf-8")
    assert {one.code for one in audit(tmp_path).findings if one.severity != "note"} == {"C315"}


@pytest.mark.complete
@pytest.mark.parametrize("every", [290, pytest.param(97, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name", ["stable-diffusion-v1-5", pytest.param("stable-diffusion-xl-base-1.0", marks=pytest.mark.slow)]
)
def test_a_lost_tensor_without_a_config_is_one_finding(name: str, every: int) -> None:
    record = next(one for one in diffusers_records("UNet2DConditionModel") if one["variant"] == name)
    for dropped in list(spec_of(record))[3::every]:
        spec = spec_of(record)
        del spec[dropped]
        reported = [finding for finding in judged(spec, None).findings if finding.severity != "note"]
        assert [(finding.code, finding.place.tensor) for finding in reported] == [("N403", dropped)]


def test_a_lost_encoder_or_decoder_is_one_finding() -> None:
    record = next(one for one in diffusers_records("AutoencoderKL") if one["variant"] == "sd-vae-ft-mse")
    for part in ("encoder", "decoder"):
        spec = {key: value for key, value in spec_of(record).items() if not key.startswith(f"{part}.")}
        reported = [finding for finding in judged(spec, record["config"]).findings if finding.severity != "note"]
        assert [(finding.code, finding.title) for finding in reported] == [("N404", f"all of {part}")]


def test_another_module_in_the_place_of_a_lost_one() -> None:
    """A ControlNet of its authors' own class reads latents with one convolution in place of the embedding of images."""
    record = next(iter(diffusers_records("ControlNetModel")))
    embedding, own = "controlnet_cond_embedding", "condition_conv_in"
    spec = {key: value for key, value in spec_of(record).items() if not key.startswith(f"{embedding}.")}
    spec |= {f"{own}.weight": ("F32", (32, 4, 3, 3)), f"{own}.bias": ("F32", (32,))}
    found = next(one for one in judged(spec, record["config"]).findings if one.code == "N404")
    assert found.facts["instead"] == own and f"the code that builds {own} in place of {embedding}" in str(found.help)
    spec |= {f"other_part.{end}": ("F32", (32,)) for end in ("weight", "bias")}  # which of the two is in its place?
    found = next(one for one in judged(spec, record["config"]).findings if one.code == "N404")
    assert not found.facts["instead"] and "no file contains th" in str(found.help)


def test_a_width_that_one_matrix_of_a_part_shows() -> None:
    """A ControlNet of FLUX has convolutions over the image with channels that the config does not state."""
    record = diffusers_records("FluxControlNetModel")[0]
    config = {**record["config"], "conditioning_embedding_channels": 24}
    spec = genuine(config)
    assert any(name.startswith("input_hint_block.") for name in spec)
    del config["conditioning_embedding_channels"]
    (finding,) = (one for one in judged(spec, config).findings if one.severity == "error")
    assert [(step.key, step.new) for step in finding.remedy().steps] == [(("conditioning_embedding_channels",), 24)]


def test_null_is_named_where_a_matrix_has_the_dims_of_another_row() -> None:
    """Weights of CogVideoX 1.0 under a config of 1.5: a convolution for each frame instead of a matrix over two."""
    record, other = (
        next(one for one in diffusers_records("CogVideoXTransformer3DModel") if one["variant"] == variant)
        for variant in ("", "patch_size_t-2,patch_bias-false")
    )
    reported = [one for one in judged(spec_of(record), other["config"]).findings if one.severity != "note"]
    assert [(one.code, one.place.key, one.facts["weights"]) for one in reported] == [
        ("C310", "patch_size_t", None),
        ("C310", "patch_bias", True),
    ]
    assert all(one.remedy().steps for one in reported)


@pytest.mark.parametrize("which", [0, 1])
def test_a_config_of_another_release_is_one_finding(which: int) -> None:
    """LTX-Video's autoencoder under the lists of widths, factors and layers of another release, both ways."""
    others = diffusers_records("AutoencoderKLLTXVideo")
    pair = [others[0], next(one for one in others if one["variant"].startswith("down_block_types"))]
    stored, config = pair[which], pair[1 - which]
    reported = [one for one in judged(spec_of(stored), config["config"]).findings if one.severity != "note"]
    assert [one.code for one in reported] == ["C315"]


@pytest.mark.parametrize(("name", "word"), [("SD3Transformer2DModel", "rms_norm"),
                                            ("HunyuanVideoTransformer3DModel", "rms_norm"),
                                            ("SanaTransformer2DModel", "rms_norm_across_heads")])  # fmt: skip
def test_the_kind_of_norms_is_stated_by_its_word(name: str, word: str) -> None:
    """Classes of diffusers refuse true."""
    record = next(one for one in diffusers_records(name) if one["config"]["qk_norm"] == word)
    (finding,) = (one for one in judged(spec_of(record), {**record["config"], "qk_norm": None}).findings
                  if one.severity != "note")  # fmt: skip
    assert [(step.key, step.new) for step in finding.remedy().steps] == [(("qk_norm",), word)]


DAMAGED = [
    "UNet2DConditionModel", "UNet2DModel", "ControlNetModel", "AutoencoderKL", "AutoencoderKLWan",
    "AutoencoderKLLTXVideo", "AutoencoderDC", "FluxTransformer2DModel", "SD3Transformer2DModel",
    "WanTransformer3DModel", "QwenImageTransformer2DModel", "HunyuanVideoTransformer3DModel",
    "HunyuanImageTransformer2DModel", "Krea2Transformer2DModel", "AutoencoderKLHunyuanVideo15",
]  # fmt: skip
Damage = Callable[[dict[str, tuple[str, tuple[int, ...]]], str], None]


def drop(spec: dict[str, tuple[str, tuple[int, ...]]], name: str) -> None:
    del spec[name]


def grow(spec: dict[str, tuple[str, tuple[int, ...]]], name: str) -> None:
    dtype, shape = spec[name]
    spec[name] = (dtype, (shape[0] + 1, *shape[1:]))


@pytest.mark.parametrize("every", [32, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("damage", "code"), [(drop, "N403"), (grow, "D501")])
@pytest.mark.parametrize("name", sampled(DAMAGED, 5))
def test_one_damaged_tensor_is_one_finding(name: str, damage: Damage, code: str, every: int) -> None:
    record = diffusers_records(name)[0]
    families: dict[str, list[str]] = {}
    for key in spec_of(record):
        families.setdefault(re.sub(r"\.\d+(?=\.)", ".#", key), []).append(key)
    for keys in list(families.values())[::every]:
        chosen = keys[len(keys) // 2]
        spec = spec_of(record)
        damage(spec, chosen)
        reported = [finding for finding in judged(spec, record["config"]).findings if finding.severity != "note"]
        assert [(finding.code, finding.place.tensor) for finding in reported] == [(code, chosen)]


ALTERNATIVE_KEYS = {("SD3Transformer2DModel", "attention_head_dim-20"): "num_attention_heads"}
"""Wrong keys and the other key that explains the shapes as well: heads of twice the width, or twice as many heads."""


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", DAMAGED)
def test_one_wrong_key_is_one_finding(name: str, every: int) -> None:
    base, *others = diffusers_records(name)
    named = 0
    for other in others[::every]:
        given = other["given"]
        wrong = {key for key in given | base["given"] if given.get(key) != base["given"].get(key)}
        if other["variant"] == "defaults" or len(wrong) != 1 or other["tensors"] == base["tensors"]:
            continue
        audited = judged(spec_of(base), other["config"])
        reported = [(finding.code, finding.place.key) for finding in audited.findings if finding.severity != "note"]
        named_key = ALTERNATIVE_KEYS.get((name, other["variant"]), *wrong)
        assert reported == [("C310", named_key)], other["variant"]
        named += 1
    assert named >= 7 // every


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", diffusers_classes())
def test_parts_that_a_null_key_switches_off_are_not_clean(name: str, every: int) -> None:
    """diffusers builds the class without them and ignores what is stored."""
    base, *others = diffusers_records(name)
    pairs = [pair for other in others for pair in ((other, base), (base, other)) if _is_switched_off(*pair)]
    for stored, config in pairs[::every]:
        assert judged(spec_of(stored), config["config"]).verdict == "findings", config["variant"]


def _is_switched_off(stored: dict[str, Any], config: dict[str, Any]) -> bool:
    """Whether the configs differ in one key, null in the second, and the models in their parameter counts."""
    first, second = stored["config"], config["config"]
    differing = [key for key in {*first, *second} if first.get(key) != second.get(key)]
    if len(differing) != 1 or stored["num_parameters"] == config["num_parameters"]:
        return False
    return second.get(differing[0]) is None


@pytest.mark.parametrize(
    ("name", "key", "value", "added"),
    [
        ("AutoencoderKLWan", "attn_scales", [1.0], "encoder.down_blocks.1.to_qkv.weight"),
        ("PixArtTransformer2DModel", "attention_type", "gated", "transformer_blocks.0.fuser.linear.weight"),
        ("Transformer2DModel", "norm_type", "layer_norm", "norm.weight"),
    ],
)
def test_unexplained_tensors_are_unchecked_only_under_config_values_that_no_definition_covers(
    name: str, key: str, value: object, added: str
) -> None:
    record = diffusers_records(name)[0]
    spec = {**spec_of(record), added: ("F32", (3, 5))}
    odd = judged(spec, {**record["config"], key: value})
    assert odd.counts.expected_parameters is None
    assert UNCHECKED in {line.kind for line in odd.lines if (line.layout.dtype, line.layout.shape) == spec[added]}
    assert not {finding.code for finding in odd.findings} & {"N405", "N406", "N407"}
    plain = judged(spec, record["config"])
    assert plain.counts.expected_parameters == record["num_parameters"]
    assert plain.counts.unexplained == 15


def test_a_width_from_which_an_absent_key_follows_is_set_with_that_key() -> None:
    """Weights of Flux Fill under the config of Flux: out_channels is in_channels where it is not stated."""
    record = diffusers_records("FluxTransformer2DModel")[0]
    assert record["config"]["out_channels"] is None
    spec, channels = spec_of(record), record["config"]["in_channels"]
    rows, _ = spec["x_embedder.weight"][1]
    spec["x_embedder.weight"] = (spec["x_embedder.weight"][0], (rows, 6 * channels))
    found = [one for one in judged(spec, record["config"]).findings if one.severity != "note"]
    assert [(one.code, one.facts["key"]) for one in found] == [("C310", "in_channels")]
    assert {step.key: step.new for step in found[0].remedy().steps} == {
        ("in_channels",): 6 * channels,
        ("out_channels",): channels,
    }


def test_unexpected_parts_of_one_name_are_one_finding() -> None:
    record = next(one for one in diffusers_records("UNet2DConditionModel") if not one["variant"])
    spec = dict(spec_of(record))
    for at in ("mid_block.motion_modules.0", "down_blocks.0.motion_modules.0", "down_blocks.0.motion_modules.1"):
        spec |= {f"{at}.norm.{end}": ("F32", (8,)) for end in ("weight", "bias")}
    audited = judged(spec, {**record["config"], "_class_name": "UNet2DConditionModel"})
    (finding,) = (one for one in audited.findings if one.severity != "note")
    assert (finding.code, finding.facts["tensors"]) == ("N406", 6)
    assert "UNetMotionModel" in finding.help
    other = {**spec, "extra.norm.weight": ("F32", (8,)), "extra.norm.bias": ("F32", (8,))}
    audited = judged(other, {**record["config"], "_class_name": "UNet2DConditionModel"})
    assert [one.code for one in audited.findings if one.severity != "note"] == ["N406", "N406"]


@pytest.mark.parametrize(
    ("name", "claimed"),
    [("ControlNetModel", "UNet2DConditionModel"), ("SD3ControlNetModel", "FluxControlNetModel")],
)
def test_the_class_under_which_the_config_fits_is_named(name: str, claimed: str) -> None:
    record = next(one for one in diffusers_records(name) if not one["variant"])
    audited = judged(spec_of(record), {**record["config"], "_class_name": claimed})
    (finding,) = (one for one in audited.findings if one.severity != "note")
    (step,) = finding.remedy().steps
    assert (finding.code, step.action, step.key, step.new) == ("N401", "set", ("_class_name",), name)
    other = judged(spec_of(record), {**record["config"], "_class_name": claimed, "block_out_channels": [7, 9]})
    assert not any(one.remedy().steps for one in other.findings if one.code == "N401") or name == "SD3ControlNetModel"


def test_a_class_without_a_definition_is_not_compared_with_a_similar_one() -> None:
    record = next(one for one in diffusers_records("WanTransformer3DModel") if not one["variant"])
    config = {**record["config"], "_class_name": "MotifVideoTransformer3DModel"}
    own = "condition_embedder.other_embedder.linear_1"
    more = {**spec_of(record), f"{own}.weight": ("F32", (8, 4)), f"{own}.bias": ("F32", (8,))}
    name = "patch_embedding.weight"
    flat = {**spec_of(record), name: ("F32", spec_of(record)[name][1][:4])}
    for spec in (more, flat):
        audited = judged(spec, config)
        assert (audited.verdict, [one.code for one in audited.findings]) == ("undecided", ["N412"])
        assert judged(spec, {**config, "_class_name": "SomeTransformer3DModel"}).verdict == "findings"


BY_KINDS = ("AutoencoderKL", "VQModel", "AutoencoderKLFlux2", "AutoencoderKLCogVideoX", "AutoencoderKLHunyuanVideo")


@pytest.mark.parametrize(("name", "key"), [
    *((name, f"{side}_block_types") for name in BY_KINDS for side in ("down", "up")),
    ("AutoencoderKLTemporalDecoder", "down_block_types"),
])  # fmt: skip
def test_a_class_builds_as_many_stages_as_kinds_of_blocks(name: str, key: str) -> None:
    """With a kind fewer than widths diffusers leaves out the stage, and ignores its tensors (enumerate(..._types))."""
    record = next(one for one in diffusers_records(name) if len(one["config"].get(key) or ()) > 1)
    changed = {**record["config"], key: record["config"][key][:-1]}
    assert judged(spec_of(record), record["config"]).verdict == "clean"
    assert judged(spec_of(record), changed).verdict == "findings"


@pytest.mark.parametrize(
    ("name", "module", "kind"),
    [
        ("ControlNetModel", "controlnet_cond_embedding.", True),
        ("FluxTransformer2DModel", "time_text_embed.", True),
        ("ControlNetModel", "controlnet_cond_embedding.conv_in.", False),
        ("UNet2DConditionModel", "mid_block.resnets.0.", False),
        ("AutoencoderKL", "encoder.", False),
        ("VQModel", "decoder.", False),
    ],
)
def test_a_component_without_one_whole_module_is_of_another_kind(name: str, module: str, kind: bool) -> None:
    record = diffusers_records(name)[0]
    spec = {key: one for key, one in spec_of(record).items() if not key.startswith(module)}
    assert len(spec) < len(spec_of(record))
    found = [one for one in judged(spec, record["config"]).findings if one.severity == "error"]
    assert len(found) == 1
    assert ("if the model of its authors has no such module" in found[0].help) == kind
