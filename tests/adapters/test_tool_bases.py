"""Adapters of tools other than PEFT with their base: complete ones are clean, and each damage is an error."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.adapters.tools import tool_tensors
from inspector.auditing.adapter.audit import audit_adapter
from inspector.auditing.adapter.base_read import BaseRead
from inspector.auditing.result import Audit
from inspector.auditing.start import audit_loaded
from inspector.loader.config_file import Config
from inspector.mending.patterns import renamed
from tests.adapters.records import Spec, checkpoint, two_text_encoders
from tests.checkpoints import genuine
from tests.dialects.single_file import openclip, under
from tests.judged import FIXTURES, codes
from tests.sampling import sampled


@cache
def records() -> Mapping[str, dict[str, Any]]:
    """Name -> base and tensors."""
    listed = json.loads(gzip.decompress((FIXTURES / "adapters" / "tool_bases.json.gz").read_bytes()))
    return {record["name"]: record for record in listed}


def stored(name: str) -> Spec:
    """The tensors of a record."""
    return {key: (dtype, tuple(shape)) for key, (dtype, shape) in records()[name]["tensors"].items()}


@cache
def base_of(name: str) -> BaseRead:
    """The base of a record, by its config."""
    return BaseRead("base", audit_loaded(checkpoint({}, config=records()[name]["base"])))


def with_base(spec: Spec, base: BaseRead) -> Audit:
    """The audit of an adapter with a base."""
    return audit_adapter(checkpoint(spec), base=base)


def writer(name: str) -> str:
    """The first word of a record, for LyCORIS with the algorithm."""
    return " ".join(name.split()[:-1])


CASES = sampled(records(), 12, writer)


@pytest.mark.thinned
@pytest.mark.parametrize("name", CASES)
def test_an_adapter_fits_its_base(name: str) -> None:
    audited = with_base(stored(name), base_of(name))
    assert (audited.verdict, {one.code for one in audited.findings} - {"A965", "A970", "A971"}) == ("clean", {"A901"})


SMALL_UNET = {
    "_class_name": "UNet2DConditionModel", "block_out_channels": [32, 64], "layers_per_block": 1, "norm_num_groups": 8,
    "cross_attention_dim": 24, "attention_head_dim": 8, "down_block_types": ["CrossAttnDownBlock2D", "DownBlock2D"],
    "up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D"],
}  # fmt: skip


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("dims", [2, 4])
def test_a_pair_for_a_layer_of_the_other_kind_is_refused_by_diffusers(linear: bool, dims: int) -> None:
    """Measured: size mismatch with 2 dims for a convolution and 4 for a linear layer."""
    config = {**SMALL_UNET, "use_linear_projection": linear}
    spec = {
        f"lora_unet_down_blocks_0_attentions_0_proj_{side}.lora_{part}.weight": ("F16", (*shape, 1, 1)[:dims])
        for side in ("in", "out")
        for part, shape in (("down", (4, 32)), ("up", (32, 4)))
    }
    audited = with_base(spec, BaseRead("base", audit_loaded(checkpoint({}, config=config))))
    assert ("A972" in {one.code for one in audited.findings}) is (linear is (dims == 4))
    assert audited.verdict == "clean"


OLDER = {".a1.": ".a2.", ".a2.": ".a1.", ".b1.": ".b2.", ".b2.": ".b1."}
"""Part of GLoRA -> the one that has its shape in files of LyCORIS before version 2."""
GLORA = [name for name in records() if name.startswith("lycoris glora")]


@pytest.mark.parametrize("name", GLORA)
def test_glora_of_older_lycoris_fits_its_base(name: str) -> None:
    older = {key.replace(part, OLDER[part]): one for key, one in stored(name).items() for part in OLDER if part in key}
    assert len(older) > len(stored(name)) // 2
    assert with_base(older, base_of(name)).verdict == "clean"
    first = next(key for key in older if ".a1." in key)
    assert "A916" in codes(with_base({key: one for key, one in older.items() if key != first}, base_of(name)))
    dtype, shape = older[first]
    wider = {**older, first: (dtype, (shape[0] + 1, *shape[1:]))}
    assert "A917" in codes(with_base(wider, base_of(name)))


def damaged(name: str, some: int) -> Iterator[tuple[str, Spec]]:
    """A record with each of some tensors lost, stored as integers, of another rank or width; with a module renamed."""
    spec = stored(name)
    trained = [key for key in spec if not key.endswith((".alpha", ".scalar"))]
    for key in trained[:: max(1, len(trained) // some)]:
        dtype, shape = spec[key]
        if not key.endswith(
            (".diff", ".diff_b", "_norm", ".rescale")
        ):  # a module without them is valid: it is not adapted
            yield f"{key} lost", {other: entry for other, entry in spec.items() if other != key}
        yield f"{key} as integers", {**spec, key: ("I8", shape)}
        yield f"{key} wider", {**spec, key: (dtype, tuple(dim + 4 if dim == max(shape) else dim for dim in shape))}
        if 4 in shape and max(shape) > 4:
            yield f"{key} of another rank", {**spec, key: (dtype, tuple(8 if dim == 4 else dim for dim in shape))}
    modules = tool_tensors(spec)
    module = next(iter(modules.values())).module
    yield (
        "a foreign module",
        {
            key.replace(module, f"{module}x") if key in modules and modules[key].module == module else key: entry
            for key, entry in spec.items()
        },
    )


@pytest.mark.thinned
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("some", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_each_damage_is_an_error(name: str, some: int) -> None:
    for what, spec in damaged(name, some):
        audited = with_base(spec, base_of(name))
        assert any(one.severity == "error" for one in audited.findings), what
        assert len([one for one in audited.findings if one.severity != "note"]) <= 2, what


OTHER_BASES = [
    ("kohya UNet2DConditionModel", "diffusers FluxTransformer2DModel", "A928"),
    ("mlx LlamaForCausalLM", "lycoris lora GPT2LMHeadModel", "A928"),
    ("kohya CLIPTextModel", "kohya T5EncoderModel", "A928"),
]


@pytest.mark.parametrize(("name", "other", "code"), OTHER_BASES)
def test_the_adapter_of_another_base(name: str, other: str, code: str) -> None:
    assert codes(with_base(stored(name), base_of(other))) == {code}


def test_another_size_of_the_base() -> None:
    config = {**records()["mlx LlamaForCausalLM"]["base"], "hidden_size": 48, "intermediate_size": 60}
    wider = BaseRead("base", audit_loaded(checkpoint({}, config=config)))
    assert codes(with_base(stored("mlx LlamaForCausalLM"), wider)) == {"A907"}


def test_the_ranks_of_all_experts_one_after_the_other() -> None:
    """As in the first LoRASwitchLinear of mlx-lm; the other matrix has the number of experts."""
    name = "mlx-lm mixtral"
    joined = {key: (dtype, (shape[0] * shape[1], shape[2]) if key.endswith(".lora_a") and len(shape) == 3 else shape)
              for key, (dtype, shape) in stored(name).items()}  # fmt: skip
    assert with_base(joined, base_of(name)).verdict == "clean"
    key = next(key for key, (_, shape) in joined.items() if shape == (24, 32))
    assert codes(with_base({**joined, key: ("F32", (23, 32))}, base_of(name))) == {"A917"}
    assert codes(with_base({**joined, key: ("F32", (24, 31))}, base_of(name))) == {"A904"}


@pytest.mark.parametrize("parts", [(".attn2.to_k",), (".attn2.to_k", ".attn2.to_v")])
@pytest.mark.parametrize("name", ["diffusers UNet2DConditionModel", "kohya UNet2DConditionModel"])
def test_another_width_of_one_kind_is_one_finding(name: str, parts: tuple[str, ...]) -> None:
    """An adapter whose cross attention has another input width, such as one of SD1.5 on SDXL."""
    ends = tuple(f"{part.replace('.', mark)}.{half}" for part in parts
                 for mark, half in ((".", "lora_A.weight"), ("_", "lora_down.weight")))  # fmt: skip
    spec = stored(name)
    spec |= {key: (dtype, (shape[0], 24)) for key, (dtype, shape) in spec.items() if key.endswith(ends)}
    (finding,) = (one for one in with_base(spec, base_of(name)).findings if one.severity == "error")
    assert (finding.code, len(finding.facts["widths"])) == ("A907", 1)


TO_TEXT = ("attn2_to_k.lora_down.weight", "attn2_to_v.lora_down.weight")


@pytest.mark.parametrize(("factor", "width", "model"), [(2, 56, ""), (3, 768, "Stable Diffusion 1")])
def test_the_widths_of_two_components_of_another_base_are_one_finding(factor: int, width: int, model: str) -> None:
    """As one of Stable Diffusion 1 with its text encoder on Stable Diffusion 2: 768 and 3072, not 1024 and 4096."""
    unet, text = "kohya UNet2DConditionModel", "kohya CLIPTextModel"
    base = pipeline_of(unet=unet, text_encoder=text)
    spec = {key: (dtype, (shape[0], width) if key.endswith(TO_TEXT) else shape)
            for key, (dtype, shape) in stored(unet).items()}  # fmt: skip
    spec |= {key: (dtype, tuple(dim if dim == 4 else dim * factor for dim in shape))
             for key, (dtype, shape) in stored(text).items()}  # fmt: skip
    (finding,) = (one for one in with_base(spec, BaseRead("base", base)).findings if one.severity == "error")
    assert (finding.code, finding.facts.get("model", "")) == ("A907", model)


LDM = {
    "down_blocks_0_attentions_0": "input_blocks_1_1", "up_blocks_1_attentions_0": "output_blocks_2_1",
    "up_blocks_1_attentions_1": "output_blocks_3_1", "mid_block_attentions_0": "middle_block_1",
}  # fmt: skip
"""Blocks of the record's UNet -> names of sd-scripts for SDXL."""


def test_the_names_of_the_original_authors() -> None:
    name = "kohya UNet2DConditionModel"
    spec = stored(name)
    for own, theirs in LDM.items():
        spec = {key.replace(f"lora_unet_{own}_", f"lora_unet_{theirs}_"): entry for key, entry in spec.items()}
    assert not any("_blocks_0_attentions" in key for key in spec)
    assert with_base(spec, base_of(name)).verdict == "clean"
    spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in _of_flux(qkv=144).items()}
    assert with_base(spec, base_of("diffusers FluxTransformer2DModel")).verdict == "clean"
    spec = {key: (dtype, tuple(shape)) for key, (dtype, shape) in _of_flux(qkv=140).items()}
    assert "A904" in codes(with_base(spec, base_of("diffusers FluxTransformer2DModel")))


def _of_flux(qkv: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    """ComfyUI's names for FLUX with 48 channels."""
    widths = {"double_blocks.1.img_attn.qkv": (48, qkv), "double_blocks.0.txt_mlp.2": (192, 48),
              "single_blocks.2.linear1": (48, 336), "single_blocks.0.modulation.lin": (48, 144)}  # fmt: skip
    found: dict[str, tuple[str, tuple[int, ...]]] = {}
    for module, (inputs, outputs) in widths.items():
        found[f"diffusion_model.{module}.lora_A.weight"] = ("BF16", (4, inputs))
        found[f"diffusion_model.{module}.lora_B.weight"] = ("BF16", (outputs, 4))
    return found


def pipeline_of(**parts: str) -> Audit:
    """The audit of a pipeline. parts: component -> the record that has it as its base."""
    audits = {component: base_of(name).audited for component, name in parts.items()}
    first = next(iter(audits.values()))
    assert first is not None
    return replace(first, components={name: one for name, one in audits.items() if one is not None})


def test_a_component_that_the_base_does_not_show_is_not_checked() -> None:
    unet, text = "kohya UNet2DConditionModel", "kohya CLIPTextModel"
    both = {**stored(unet), **stored(text)}
    alone, pipeline = base_of(unet), base_of(unet).audited
    assert pipeline is not None
    whole = pipeline_of(unet=unet, text_encoder=text)
    assert with_base(both, BaseRead("base", whole)).verdict == "clean"
    assert with_base(both, alone).verdict == "undecided"
    assert codes(with_base(both, BaseRead("base", replace(whole, components={"unet": pipeline})))) == {"A928"}


@pytest.mark.parametrize(("name", "start", "width", "wanted"), [
    ("kohya CLIPTextModel", "lora_te_", 24, set()), ("kohya CLIPTextModel", "lora_te2_", 24, set()),
    ("lycoris loha CLIPTextModel", "lora_te_", 24, set()), ("kohya CLIPTextModel", "lora_te_", 28, {"A907"}),
])  # fmt: skip
def test_a_text_encoder_in_openclips_names_has_the_modules_of_its_class(
    name: str, start: str, width: int, wanted: set[str]
) -> None:
    config = {**records()[name]["base"], "architectures": ["CLIPTextModelWithProjection"], "hidden_size": width}
    encoder = audit_loaded(checkpoint(under("", openclip(config)), config=None))
    unet = base_of("kohya UNet2DConditionModel").audited
    assert encoder.case is not None and unet is not None
    part = "text_encoder_2" if start == "lora_te2_" else "text_encoder"
    whole = replace(unet, components={"unet": unet, part: encoder})
    spec = {
        key.replace("lycoris_", "lora_te_").replace("lora_te_", start): entry for key, entry in stored(name).items()
    }
    assert codes(with_base(spec, BaseRead("base", whole))) == wanted


EARLY = {"to_q": "to_q", "to_k": "to_k", "to_v": "to_v", "to_out.0": "to_out",
         "q_proj": "to_q", "k_proj": "to_k", "v_proj": "to_v", "out_proj": "to_out"}  # fmt: skip
"""Module of an attention -> its name in LoRAs of early diffusers, which 0.42 loads completely."""


def early(config: Mapping[str, Any], start: str) -> Spec:
    """A LoRA for all attention modules of a model, in the names of early diffusers."""
    found: Spec = {}
    for name, (_, shape) in genuine(config).items():
        stem, end = next(((name.removesuffix(f".{one}.weight"), own) for one, own in EARLY.items()
                          if name.endswith(f".{one}.weight")), ("", ""))  # fmt: skip
        if stem:
            module = f"{start}{stem}.{'processor.' if start == 'unet.' else ''}{end}_lora"
            found[f"{module}.down.weight"], found[f"{module}.up.weight"] = (
                ("F32", (4, shape[1])),
                ("F32", (shape[0], 4)),
            )
    return found


@pytest.mark.parametrize("part", ["unet", "text_encoder"])
def test_the_names_of_early_diffusers(part: str) -> None:
    names = {"unet": "kohya UNet2DConditionModel", "text_encoder": "kohya CLIPTextModel"}
    spec = early(records()[names[part]]["base"], f"{part}.")
    base = BaseRead("base", pipeline_of(**names))
    assert spec and with_base(spec, base).verdict == "clean"
    lost = next(name for name in spec if "to_out_lora.up" in name)
    assert codes(with_base({name: entry for name, entry in spec.items() if name != lost}, base))
    wide = {**spec, lost: ("F32", (spec[lost][1][0] + 8, 4))}
    assert "A904" in codes(with_base(wide, base))


FULL = "lycoris full SD3Transformer2DModel"


@pytest.mark.parametrize("lost", [
    "lora_unet_transformer_blocks_1_attn_to_q.diff", "lora_unet_transformer_blocks_1_attn_to_q.diff_b",
    "lora_unet_pos_embed_proj.diff",
])  # fmt: skip
def test_a_lost_part_of_a_full_difference_is_missing(lost: str) -> None:
    spec = stored(FULL)
    audited = with_base({name: entry for name, entry in spec.items() if name != lost}, base_of(FULL))
    (missing,) = [one for one in audited.findings if one.severity == "error"]
    assert (missing.code, missing.facts["modules"]) == ("A916", 1)
    assert missing.facts["names"] == [lost.rpartition(".")[0]]


def test_scales_of_the_channels_of_a_convolution() -> None:
    """As in LyCORIS's IA3: scales of the outputs or of the inputs."""
    base = base_of("kohya UNet2DConditionModel")
    for channels, found in ((24, set()), (4, set()), (25, {"A904"})):
        spec: Spec = {"lora_unet_mid_block_attentions_0_proj_in.weight": ("F32", (1, 40, 1, 1)),
                      "lora_unet_mid_block_attentions_0_proj_in.on_input": ("I64", ()),
                      "lora_unet_conv_out.weight": ("F32", (1, 4, 1, 1)), "lora_unet_conv_out.on_input": ("I64", ()),
                      "lora_unet_conv_in.weight": ("F32", (1, channels, 1, 1)),
                      "lora_unet_conv_in.on_input": ("I64", ())}  # fmt: skip
        assert codes(with_base(spec, base)) == found, channels


def test_a_matrix_that_fits_neither_its_pair_nor_the_base_is_one_finding() -> None:
    name = "lycoris lora UNet2DConditionModel"
    spec = {**stored(name), "lora_unet_conv_in.lora_down.weight": ("F32", (8, 8, 3, 3))}
    assert [one.code for one in with_base(spec, base_of(name)).findings if one.severity != "note"] == ["A917"]


@pytest.mark.parametrize("name", ["emb_params", "clip_l", "t5", "<cat>", "bundle_emb.cat.clip_l_out"])
def test_textual_inversion_vectors_are_as_wide_as_their_encoder(name: str) -> None:
    unet = "kohya UNet2DConditionModel"
    pipeline = BaseRead("base", pipeline_of(unet=unet, text_encoder="kohya CLIPTextModel"))
    of_unet = stored(unet) if name.startswith("bundle") else {}
    assert with_base({**of_unet, name: ("F32", (2, 24))}, pipeline).verdict == "clean"
    found = codes(with_base({**of_unet, name: ("F32", (2, 28))}, pipeline))
    assert found == (set() if name == "t5" else {"A904"} if of_unet else {"A907"})


def with_index(pipeline: Audit, **more: str) -> BaseRead:
    """A pipeline with an index that lists its components, and others."""
    listed: dict[str, object] = {name: ["diffusers", "Class"] for name in pipeline.components}
    listed |= {name: ["transformers", kind] for name, kind in more.items()}
    index = Config("model_index.json", listed, "config")
    return BaseRead("base", replace(pipeline, checkpoint=replace(pipeline.checkpoint, pipeline=index)))


@pytest.mark.parametrize(("names", "more", "found"), [
    (("clip_l", "clip_g"), {}, {"A928"}), (("clip_l", "clip_g"), {"text_encoder_2": "CLIPTextModel"}, set()),
    (("clip_l",), {}, set()), (("<clip_g-like>",), {}, set()), (("emb_params",), {}, set()),
])  # fmt: skip
def test_vectors_for_an_encoder_that_the_pipeline_lacks(
    names: tuple[str, ...], more: dict[str, str], found: set[str]
) -> None:
    """SDXL's vectors with Stable Diffusion 1: diffusers refuses both, and one of them fits no encoder."""
    pipeline = pipeline_of(unet="kohya UNet2DConditionModel", text_encoder="kohya CLIPTextModel")
    spec: Spec = dict.fromkeys(names, ("F32", (2, 24)))
    assert codes(with_base(spec, with_index(pipeline, **more))) == found


@pytest.mark.parametrize(("spec", "files", "found"), [
    ({"<cat>": 96}, (), {"A996"}), ({"emb_params": 128}, (), {"A996"}), ({"clip_l": 96}, (), {"A996"}),
    ({"clip_l": 96, "clip_g": 128}, (), set()), ({"<cat>": 96}, ("learned_embeds_2.safetensors",), set()),
    ({"<cat>": 64}, (), {"A907"}),
])  # fmt: skip
def test_vectors_for_one_of_two_encoders(spec: dict[str, int], files: tuple[str, ...], found: set[str]) -> None:
    """ComfyUI ignores the token in the encoder of another width."""
    listing: Spec = {name: ("F32", (2, width)) for name, width in spec.items()}
    read = replace(checkpoint(listing), siblings=dict.fromkeys(files, 100))
    assert codes(audit_adapter(read, base=BaseRead("base", two_text_encoders()))) == found
    one = replace(two_text_encoders(), components={"text_encoder": two_text_encoders().components["text_encoder"]})
    assert "A996" not in codes(audit_adapter(read, base=BaseRead("base", one)))


@pytest.mark.parametrize(("first", "key"), [("proj_in", "hidden_size"), ("proj", "projection_dim")])
@pytest.mark.parametrize("width", [40, 52])
def test_an_ip_adapter_has_the_width_of_the_image_encoder(first: str, key: str, width: int) -> None:
    pipeline = pipeline_of(unet="kohya UNet2DConditionModel")
    encoder = audit_loaded(checkpoint({}, config={"model_type": "clip_vision_model", "hidden_size": 44,
                                                  "projection_dim": 48, key: width}))  # fmt: skip
    of_unet = BaseRead("base", replace(pipeline, components={**pipeline.components, "image_encoder": encoder}))
    spec: Spec = {f"image_proj.{first}.weight": ("F32", (32, 40)), "ip_adapter.1.to_k_ip.weight": ("F32", (24, 28)),
                  "ip_adapter.1.to_v_ip.weight": ("F32", (24, 28))}  # fmt: skip
    widths = [one.facts["widths"] for one in with_base(spec, of_unet).findings
              if one.code == "A907" and "image_encoder" in one.facts["base"]]  # fmt: skip
    assert widths == ([] if width == 40 else [[[40, 52]]])


def test_peft_does_not_load_convolutions_of_size_one_as_matrices() -> None:
    """A LoRA of Stable Diffusion 1 under diffusers' names, on a UNet with `use_linear_projection`."""
    name = "diffusers UNet2DConditionModel"
    config = {**records()[name]["base"], "use_linear_projection": True}
    spec = {key: (dtype, (*shape, 1, 1) if ".proj_" in key and len(shape) == 2 else shape)
            for key, (dtype, shape) in stored(name).items()}  # fmt: skip
    spec |= {f"unet.down_blocks.0.attentions.0.proj_{way}.lora_{half}.weight": ("F32", (*shape, 1, 1))
             for way in ("in", "out") for half, shape in (("A", (4, 24)), ("B", (24, 4)))}  # fmt: skip
    linear = BaseRead("base", audit_loaded(checkpoint({}, config=config)))
    assert codes(with_base(spec, linear)) == {"A907"}
    kohya = {key.replace("unet.", "lora_unet_").replace(".", "_").replace("_lora_A_weight", ".lora_down.weight")
             .replace("_lora_B_weight", ".lora_up.weight"): entry for key, entry in spec.items()}  # fmt: skip
    assert "A907" not in codes(with_base(kohya, linear))


def test_the_text_encoder_of_another_base_is_not_a_second_finding() -> None:
    both = {**stored("kohya UNet2DConditionModel"), **stored("kohya CLIPTextModel")}
    other = pipeline_of(transformer="kohya SD3Transformer2DModel", text_encoder="kohya CLIPTextModel")
    wide = {name: (dtype, tuple(dim + 4 if dim > 20 else dim for dim in shape)) if name.startswith("lora_te") else
            (dtype, shape) for name, (dtype, shape) in both.items()}  # fmt: skip
    assert [one.code for one in with_base(wide, BaseRead("base", other)).findings if one.severity != "note"] == ["A928"]


def test_the_tables_of_a_transformer_are_not_a_text_encoder() -> None:
    name = "kohya OmniGenTransformer2DModel"
    spec = {**stored(name), "bundle_emb.cat.clip_l_out": ("F32", (2, 20))}
    assert with_base(spec, base_of(name)).verdict == "clean"


@pytest.mark.parametrize("how", ["alone", "with base"])
@pytest.mark.parametrize("lost", [
    "lora tucker UNet2DConditionModel lora_unet_up_blocks_1_resnets_0_conv1.lora_mid.weight",
    "lokr tucker UNet2DConditionModel lora_unet_up_blocks_0_resnets_1_conv1.lokr_t2",
    "loha tucker UNet2DConditionModel lora_unet_up_blocks_1_resnets_0_conv1.hada_t1",
])  # fmt: skip
def test_a_lost_core_of_a_convolution_is_one_error(lost: str, how: str) -> None:
    name, key = lost.rsplit(" ", 1)
    spec = {other: entry for other, entry in stored(f"lycoris {name}").items() if other != key}
    audited = audit_loaded(checkpoint(spec)) if how == "alone" else with_base(spec, base_of(f"lycoris {name}"))
    assert [one.code for one in audited.findings if one.severity != "note"] == ["A916"]


SMALL_UNET = {
    "_class_name": "UNet2DConditionModel", "_diffusers_version": "0.42.0", "block_out_channels": [32, 64],
    "layers_per_block": 1, "cross_attention_dim": 96, "attention_head_dim": 8, "norm_num_groups": 8,
    "down_block_types": ["CrossAttnDownBlock2D", "DownBlock2D"], "up_block_types": ["UpBlock2D", "CrossAttnUpBlock2D"],
}  # fmt: skip
ATTENTION = (32, 32, 32, 64)
"""Outputs of the attention to the text of this UNet: down, twice up, in the middle."""


@pytest.mark.parametrize(
    ("outputs", "inputs", "expected"),
    [
        (ATTENTION, 96, set()),
        (ATTENTION, 128, {"A907"}),
        ((*ATTENTION, 64), 96, {"A928"}),
        (ATTENTION[:3], 96, {"A916"}),
        ((64, 32, 32, 64), 96, {"A904"}),
    ],
)
def test_the_matrices_for_images_are_as_wide_as_the_attention(
    outputs: tuple[int, ...], inputs: int, expected: set[str]
) -> None:
    spec: Spec = {
        f"ip_adapter.{2 * number + 1}.to_{part}_ip.weight": ("F16", (rows, inputs))
        for number, rows in enumerate(outputs)
        for part in "kv"
    }
    spec |= {
        f"image_proj.{name}": ("F16", shape)
        for name, shape in {
            "proj.weight": (384, 64),
            "proj.bias": (384,),
            "norm.weight": (96,),
            "norm.bias": (96,),
        }.items()
    }
    audited = with_base(spec, BaseRead("base", audit_loaded(checkpoint({}, config=SMALL_UNET))))
    assert (codes(audited), audited.verdict) == (expected, "findings" if expected else "clean")


NAMING_SCHEMES = [
    ("FluxTransformer2DModel", "OneTrainer", set()), ("FluxTransformer2DModel", "sd-scripts' ends", set()),
    ("Flux2Transformer2DModel", "OneTrainer", {"A970"}), ("Flux2Transformer2DModel", "sd-scripts' ends", {"A970"}),
    ("Flux2Transformer2DModel", "ComfyUI", set()), ("HunyuanVideoTransformer3DModel", "OneTrainer", {"A970"}),
    ("SD3Transformer2DModel", "LyCORIS", {"A970"}), ("SanaTransformer2DModel", "ComfyUI", {"A970"}),
    ("QwenImageTransformer2DModel", "sd-scripts", set()), ("AuraFlowTransformer2DModel", "sd-scripts", {"A970"}),
    ("WanTransformer3DModel", "OneTrainer", {"A970"}), ("PixArtTransformer2DModel", "OneTrainer", {"A971"}),
    ("UNet2DConditionModel", "sd-scripts", set()), ("StableCascadeUNet", "OneTrainer", {"A971"}),
]  # fmt: skip
"""Class, naming scheme and expected notes, by whether diffusers 0.42 loads them (measured)."""


def renamed_for(spec: Spec, way: str) -> Spec:
    """Pairs under diffusers' names, renamed in the way of another tool."""
    prefix = {"OneTrainer": "lora_transformer_", "sd-scripts": "lora_unet_", "LyCORIS": "lycoris_"}.get(way, "")
    found: Spec = {}
    for key, entry in spec.items():
        component, _, rest = key.partition(".")
        module, _, end = rest.partition(".lora_")
        kohya = {"A.weight": "down.weight", "B.weight": "up.weight"}[end]
        if prefix:
            found[f"{prefix}{module.replace('.', '_')}.lora_{kohya}"] = entry
        else:
            found[f"diffusion_model.{rest}" if way == "ComfyUI" else f"{component}.{module}.lora_{kohya}"] = entry
    return found


@pytest.mark.parametrize(("kind", "way", "noted"), NAMING_SCHEMES)
def test_names_that_diffusers_reads_for_other_classes(kind: str, way: str, noted: set[str]) -> None:
    name = f"diffusers {kind}"
    spec = renamed_for(stored(name), way)
    audited = with_base(spec, base_of(name))
    assert (audited.verdict, {one.code for one in audited.findings} - {"A901"}) == ("clean", noted)
    for finding in audited.findings:
        if finding.code == "A970":
            steps = [(step.old, step.new) for step in finding.remedy().steps]
            assert {renamed(key, steps) for key in spec} == set(stored(name))


def test_a_scale_with_the_names_of_diffusers_is_multiplied_in() -> None:
    """With `alpha` diffusers refuses its own names, so that renaming is not enough."""
    name = "diffusers HunyuanVideoTransformer3DModel"
    spec = renamed_for(stored(name), "OneTrainer")
    spec |= {f"{key.rpartition('.lora_down')[0]}.alpha": ("F32", ()) for key in spec if ".lora_down" in key}
    (remedy,) = (one.remedy() for one in with_base(spec, base_of(name)).findings if one.code == "A970")
    assert not remedy.steps and "alpha / rank" in remedy.words


@pytest.mark.parametrize(
    ("times", "verdict", "noted"), [(1, "clean", set()), (2, "clean", {"A973"}), (6, "findings", {"A964"})]
)
def test_an_adapter_that_widens_the_first_module_of_flux(times: int, verdict: str, noted: set[str]) -> None:
    """Measured with diffusers 0.42: the weight of `x_embedder` gets columns of zeros, and the inputs must have them.

    FluxPipeline then raises RuntimeError; FluxControlPipeline works with twice the inputs.
    """
    name = "diffusers FluxTransformer2DModel"
    rows, columns = genuine(records()[name]["base"])["x_embedder.weight"][1]
    spec = stored(name) | {
        "transformer.x_embedder.lora_A.weight": ("F32", (4, columns * times)),
        "transformer.x_embedder.lora_B.weight": ("F32", (rows, 4)),
    }
    found = with_base(spec, base_of(name))
    assert (found.verdict, {one.code for one in found.findings} - {"A901"}) == (verdict, noted)


@pytest.mark.parametrize(
    ("module", "noted"),
    [
        ("transformer_blocks.0.ff.net.2", {"A970"}),
        ("single_transformer_blocks.0.proj_mlp", {"A970"}),
        ("single_transformer_blocks.1.norm.linear", {"A970"}),
        ("x_embedder", set()),
    ],
)
def test_flat_names_of_flux_are_read_of_the_attention_alone(module: str, noted: set[str]) -> None:
    """diffusers 0.42: KeyError for a module of an MLP or a norm, though the modules of the attention are read."""
    name = "diffusers FluxTransformer2DModel"
    base = base_of(name)
    rows, columns = genuine(records()[name]["base"])[f"{module}.weight"][1]
    spec = stored(name) | {
        f"transformer.{module}.lora_A.weight": ("F32", (4, columns)),
        f"transformer.{module}.lora_B.weight": ("F32", (rows, 4)),
    }
    flat = renamed_for(spec, "OneTrainer")
    flat |= {f"{key.rpartition('.lora_down')[0]}.alpha": ("F32", ()) for key in flat if ".lora_down" in key}
    found = with_base(flat, base)
    assert (found.verdict, {one.code for one in found.findings} - {"A901"}) == ("clean", noted)
    for one in found.findings:
        if one.code == "A970":
            steps = [(step.old, step.new) for step in one.remedy().steps]
            assert {old for old, _ in steps} == set(flat)
            assert all(new.startswith("transformer.") and new.endswith((".alpha", ".weight")) for _, new in steps)
            assert with_base({new: flat[old] for old, new in steps}, base).verdict == "clean"


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("FluxTransformer2DModel", ".attn.to_q.", ".attn_to_q."),
        ("SD3Transformer2DModel", ".to_add_out.", ".to_add.out."),
        ("WanTransformer3DModel", ".attn1.to_q.", ".attn1_to_q."),
        ("UNet2DConditionModel", ".transformer_blocks.", ".transformer.blocks."),
    ],
)
def test_a_dot_in_the_wrong_place_is_an_error(kind: str, right: str, wrong: str) -> None:
    """diffusers 0.42 and ComfyUI compare dotted names as a whole; only names in Kohya's scheme lose their dots."""
    name = f"diffusers {kind}"
    spec = stored(name)
    misdotted = {key.replace(right, wrong): entry for key, entry in spec.items()}
    assert misdotted.keys() != spec.keys()
    (finding,) = (one for one in with_base(misdotted, base_of(name)).findings if one.severity == "error")
    assert finding.code == "A937"
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    assert {renamed(key, steps) for key in misdotted} == spec.keys()


@pytest.mark.parametrize(("module", "found"), [("cross_attn.k.img", {"A937"}), ("cross_attn.k_img", set())])
def test_the_attention_of_wan_to_an_image_has_no_dot_in_its_names(module: str, found: set[str]) -> None:
    """Measured with diffusers 0.42: ValueError for `k.img`, and all is loaded under `k_img`."""
    shapes = {"A": (4, 32), "B": (64, 4)}
    spec = {
        f"diffusion_model.blocks.{block}.{name}.lora_{end}.weight": ("F32", shape)
        for block in range(3)
        for name in ("cross_attn.q", module)
        for end, shape in shapes.items()
    }
    assert codes(audit_adapter(checkpoint(spec))) == found
