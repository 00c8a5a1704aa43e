"""Adapters under the names of a model's original authors, with their base: mapped onto its modules, damage reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import prod
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.adapters.author_names import AUTHOR_NAMES, in_authors_names, in_names_of_ldm
from inspector.adapters.tools import PREFIXES
from inspector.auditing.adapter.audit import audit_adapter
from inspector.auditing.adapter.base_read import BaseRead
from inspector.auditing.start import audit_loaded
from inspector.mending.patterns import renamed
from tests.adapters.records import Spec, checkpoint
from tests.adapters.test_tool_bases import records, stored
from tests.checkpoints import genuine
from tests.dialects import converters
from tests.dialects.test_writers import FLUX
from tests.judged import codes, diffusers_records, spec_of
from tests.sampling import sampled

UNETS = {"SDXL": "lycoris glora SDXL", "UNet2DConditionModel": "lycoris glora UNet2DConditionModel"}
NAMED = [name for name, blocks in AUTHOR_NAMES.items() if blocks]
Shapes = Mapping[str, tuple[int, ...]]


@cache
def model(kind: str) -> tuple[dict[str, Any], Shapes]:
    """The config of a model and the shapes of its matrices, under its original authors' names."""
    if kind in UNETS:
        config, spec = records()[UNETS[kind]]["base"], stored(UNETS[kind])
        up = {name.removesuffix(".b1.weight"): shape for name, (_, shape) in spec.items() if ".b1." in name}
        shapes = {name: (shape[0], *spec[f"{name}.b2.weight"][1][1:]) for name, shape in up.items()}
        own = {name.removeprefix("lora_unet_"): shape for name, shape in shapes.items()}
        return config, {name: own[ours] for ours, name in _ldm(config).items()}
    record = diffusers_records(kind)[0]
    shapes = {
        name.removesuffix(".weight"): tuple(shape)
        for name, (_, shape) in spec_of(record).items()
        if name.endswith(".weight") and len(shape) > 1
    }
    return record["config"], dict(in_authors_names(kind, shapes))


def _ldm(config: Mapping[str, Any]) -> dict[str, str]:
    """Name with underscores -> CompVis' name of each module of a UNet."""
    base = BaseRead("base", audit_loaded(checkpoint({}, config=config)))
    assert base.audited is not None and base.audited.case is None
    from inspector.adapters.base import base_tensors
    from inspector.algebra.boxes import tuples
    from inspector.algebra.names import name_of
    from inspector.matcher.claim import claim_of

    read = base_tensors("base", claim_of(base.audited.checkpoint.config), None, {}, {})
    assert read is not None
    names = [name_of(one.module, index) for one in read.tensors if one.ending == ".weight" and len(one.shape) > 1
             for index in tuples(one.axes)]  # fmt: skip
    theirs = {own: dict(in_names_of_ldm({**dict.fromkeys(names, ()), own: (1,)}, config["layers_per_block"]))
              for own in names}  # fmt: skip
    return {
        own.replace(".", "_"): next(name for name, shape in found.items() if shape) for own, found in theirs.items()
    }


WRITERS: dict[str, tuple[Callable[[str], str], str, str, bool]] = {
    "sd-scripts": (lambda name: "lora_unet_" + name.replace(".", "_"), "lora_down.weight", "lora_up.weight", True),
    "ComfyUI": (lambda name: f"diffusion_model.{name}", "lora_A.weight", "lora_B.weight", False),
    "a model's prefix": (lambda name: f"model.diffusion_model.{name}", "lora_down.weight", "lora_up.weight", True),
    "a pipeline's prefix": (lambda name: f"transformer.{name}", "lora_A.weight", "lora_B.weight", False),
    "bare": (str, "lora_A.default.weight", "lora_B.default.weight", False),
}  # fmt: skip
"""Writer -> format of module names, suffixes of both matrices, and whether it stores a scale."""


def lora(shapes: Shapes, writer: str, rank: int = 4) -> Spec:
    """An adapter for these modules."""
    spelled, down, up, scaled = WRITERS[writer]
    found: Spec = {}
    for name, (outputs, inputs, *kernel) in shapes.items():
        found[f"{spelled(name)}.{down}"] = ("BF16", (rank, inputs, *kernel))
        found[f"{spelled(name)}.{up}"] = ("BF16", (outputs, rank, *(1 for _ in kernel)))
        if scaled:
            found[f"{spelled(name)}.alpha"] = ("BF16", ())
    return found


def audited(spec: Spec, config: Mapping[str, Any]) -> Any:
    """The audit of an adapter with the config of its base."""
    return audit_adapter(checkpoint(spec), base=BaseRead("base", audit_loaded(checkpoint({}, config=config))))


@pytest.mark.thinned
@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("kind", [*NAMED, *UNETS])
def test_an_adapter_fits_its_base(kind: str, writer: str) -> None:
    config, shapes = model(kind)
    found = audited(lora(shapes, writer), config)
    unread = ["A971"] if kind.startswith(("HunyuanVideo", "HunyuanImage")) and writer == "sd-scripts" else []
    seen = {one.code for one in found.findings}
    assert (found.verdict, seen - {"A970", "A971"}) == ("clean", {"A901"})
    assert seen.issuperset(unread)


LORA_A = (("lora_down", "lora_A"), ("lora_up", "lora_B"))
READ_DIFFERENTLY = [
    ("ZImageTransformer2DModel", "ComfyUI", ["A970"], "lora.down"),
    ("ZImageTransformer2DModel", "sd-scripts", [], ""),
    ("FluxTransformer2DModel", "ComfyUI", ["A970"], "lora_down"),
    ("FluxTransformer2DModel", "a model's prefix", ["A970"], "diffusion_model."),
    ("Flux2Transformer2DModel", "ComfyUI", [], ""),
    ("Flux2Transformer2DModel", "a pipeline's prefix", ["A970"], "diffusion_model."),
    ("WanTransformer3DModel", "ComfyUI", [], ""),
    ("SD3Transformer2DModel", "ComfyUI", ["A971"], ""),
    ("AuraFlowTransformer2DModel", "sd-scripts", ["A971"], ""),
    ("Lumina2Transformer2DModel", "ComfyUI", [], ""),  # of the published width alone
]


@pytest.mark.parametrize(("kind", "writer", "unread", "wanted"), READ_DIFFERENTLY)
def test_names_that_diffusers_reads_differently(kind: str, writer: str, unread: list[str], wanted: str) -> None:
    """As `load_lora_weights` of diffusers 0.42 reads modules under the authors' names."""
    config, shapes = model(kind)
    attended = {name: shape for name, shape in shapes.items() if "att" in name}
    found = audited(lora(attended, writer), config)
    assert [one.code for one in found.findings if one.code not in ("A901", "A965")] == unread
    for one in found.findings:
        assert one.code != "A970" or (wanted in one.wanted and one.steps), one


@pytest.mark.parametrize(("part", "unread"), [("to_q", ["A971"]), ("to_v", ["A971"]), ("out", [])])
def test_a_joined_matrix_next_to_its_parts_is_left_out(part: str, unread: list[str]) -> None:
    """For Z-Image, by diffusers 0.42 (`_convert_non_diffusers_z_image_lora_to_diffusers`)."""
    config, shapes = model("ZImageTransformer2DModel")
    joined = {name: shape for name, shape in shapes.items() if name.endswith("attention.qkv")}
    others = {name.replace("qkv", part): (shape[0] // 3, *shape[1:]) for name, shape in joined.items()}
    found = audited(lora({**joined, **others}, "sd-scripts"), config)
    assert [one.code for one in found.findings if one.code not in ("A901", "A965")] == unread


def damaged(spec: Spec) -> Iterator[tuple[str, Spec]]:
    """The adapter with one matrix lost, stored as integers, wider or transposed, for about five matrices."""
    trained = [key for key in spec if not key.endswith(".alpha")]
    for key in trained[:: max(1, len(trained) // 5)]:
        dtype, shape = spec[key]
        yield f"{key} lost", {other: entry for other, entry in spec.items() if other != key}
        yield f"{key} as integers", {**spec, key: ("I8", shape)}
        yield f"{key} wider", {**spec, key: (dtype, tuple(dim + 3 if dim == max(shape) else dim for dim in shape))}
        if shape[0] != shape[1]:
            yield f"{key} transposed", {**spec, key: (dtype, (shape[1], shape[0], *shape[2:]))}


@pytest.mark.thinned
@pytest.mark.parametrize("kind", sampled([*NAMED, *UNETS], 2))
def test_each_damage_is_an_error(kind: str) -> None:
    config, shapes = model(kind)
    for what, spec in damaged(lora(shapes, "sd-scripts")):
        found = audited(spec, config)
        assert any(one.severity == "error" for one in found.findings), what
        assert len([one for one in found.findings if one.severity != "note"]) <= 2, what


@pytest.mark.parametrize("kind", [*NAMED, *UNETS])
def test_the_adapter_of_another_size(kind: str) -> None:
    config, shapes = model(kind)
    wider = {name: (outputs + 8, inputs + 8, *kernel) for name, (outputs, inputs, *kernel) in shapes.items()}
    assert codes(audited(lora(wider, "ComfyUI"), config)) == {"A907"}


def test_another_model_with_other_names() -> None:
    _, flux = model("FluxTransformer2DModel")
    for kind in ("UNet2DConditionModel", "WanTransformer3DModel"):
        assert codes(audited(lora(flux, "sd-scripts"), model(kind)[0])) == {"A928"}


@pytest.mark.parametrize(("kept", "found"), [(0.5, {"A928"}), (0.9, {"A907"})])
def test_a_base_that_shares_some_names_and_not_the_widths(kept: float, found: set[str]) -> None:
    """As LoRA of SD 1.5 for SDXL: half of the modules are absent there, and others read text of another width."""
    config, shapes = model("UNet2DConditionModel")
    names = [name for name in shapes if "attn2.to_k" not in name]
    beyond = {name.replace("blocks", "stages"): shapes[name] for name in names[int(kept * len(names)) :]}
    wider = {name: (shape[0], shape[1] + 8) for name, shape in shapes.items() if "attn2.to_k" in name}
    own = {name: shapes[name] for name in names[: int(kept * len(names))]}
    assert codes(audited(lora({**own, **beyond, **wider}, "sd-scripts"), config)) == found


TEXT = {"text_encoder": "CLIPTextModel", "text_encoder_3": "T5EncoderModel"}


@pytest.mark.parametrize("component", TEXT)
def test_text_encoders_alone(component: str) -> None:
    name = f"lycoris lora {TEXT[component]}"
    parts = {key.partition("lycoris_")[2]: entry for key, entry in stored(name).items()}
    prefix = next(one for one, meant, writer in PREFIXES if meant == component and writer == "Kohya")
    spec: Spec = {f"{prefix}{key}": entry for key, entry in parts.items()}
    assert audited(spec, records()[name]["base"]).verdict == "clean"


LLAMA_CPP = {
    "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}  # fmt: skip


@pytest.mark.parametrize("kind", ["LlamaForCausalLM", "Qwen2ForCausalLM", "Gemma3ForCausalLM"])
def test_an_adapter_in_llama_cpps_names(kind: str) -> None:
    name = f"mlx {kind}"
    spec: Spec = {}
    for key, (_, shape) in stored(name).items():
        _, _, layer, module = key.rpartition(".lora_")[0].split(".", 3)
        end = key.rpartition(".")[2]
        spec[f"blk.{layer}.{LLAMA_CPP[module]}.weight.{end}"] = ("F16", (shape[1], shape[0]))
    config = records()[name]["base"]
    spec["token_embd.weight.lora_a"], spec["token_embd.weight.lora_b"] = ("F16", (101, 4)), ("F16", (32, 4))
    assert audited(spec, config).verdict == "clean"
    for what, broken in damaged(spec):
        assert any(one.severity == "error" for one in audited(broken, config).findings), what
    experts: Spec = {"blk.0.ffn_up_exps.weight.lora_a": ("F16", (6, 4, 32)),
                     "blk.0.ffn_up_exps.weight.lora_b": ("F16", (6, 44, 4))}  # fmt: skip
    found = audited({**spec, **experts}, config)
    assert (found.verdict, codes(found)) == ("undecided", set())
    config = records()["mlx-lm mixtral"]["base"]
    assert audited(experts, config).verdict == "clean"
    for what, broken in damaged(experts):
        assert any(one.severity == "error" for one in audited(broken, config).findings), what


def test_rotations_of_inputs() -> None:
    name = "lycoris lora UNet2DConditionModel"
    down = {key: shape for key, (_, shape) in stored(name).items() if key.endswith(".lora_down.weight")}
    spec: Spec = {}
    for key, (_, *inputs) in down.items():
        spec[key.replace("lora_down", "oft_R")] = ("F32", (prod(inputs) // 2, 1))
        spec[key.replace("lora_down.weight", "oft_R.scaled_oft")] = ("BOOL", ())
    config = records()[name]["base"]
    assert audited(spec, config).verdict == "clean"
    first = next(iter(spec))
    assert audited({**spec, first: ("F32", (1, 1))}, config).verdict == "clean"
    for shape in ((3, 1), (spec[first][1][0], 2)):
        assert codes(audited({**spec, first: ("F32", shape)}, config)) == {"A904"}
    assert codes(audited({key: entry for key, entry in spec.items() if key != first}, config)) == {"A916"}


def test_norms_without_weights_are_not_checked() -> None:
    config, _ = model("FluxTransformer2DModel")
    spec = lora({"double_blocks.0.img_attn.proj": (48, 48)}, "sd-scripts")
    norms: Spec = {f"lora_unet_transformer_blocks_{n}_norm2.w_norm": ("BF16", (48,)) for n in range(2)}
    found = audited({**spec, **norms}, config)
    assert (found.verdict, codes(found)) == ("undecided", set())


def rotated(names: Shapes) -> Spec:
    """sd-scripts' OFT for FLUX: four blocks for each of the matrices that are joined."""
    width = names["double_blocks.0.img_attn.proj"][0]
    spec: Spec = {}
    for name, (outputs, *_) in names.items():
        if name.startswith(("double_blocks", "single_blocks")):
            rest = {"qkv": [width] * 3, "ar1": [*[width] * 3, outputs - 3 * width]}.get(name[-3:], [outputs])
            stem = f"oft_unet_{name.replace('.', '_')}"
            spec |= {f"{stem}.oft_blocks.{n}": ("F32", (4, size // 4, size // 4)) for n, size in enumerate(rest)}
            spec[f"{stem}.alpha"] = ("F32", ())
    return spec


@pytest.mark.parametrize("piece", ["double_blocks_0_img_attn_qkv.oft_blocks.1", "single_blocks_1_linear1.oft_blocks.3",
                                   "double_blocks_1_txt_attn_proj.oft_blocks.0"])  # fmt: skip
def test_rotations_of_joined_matrices(piece: str) -> None:
    config, names = model("FluxTransformer2DModel")
    base, spec, key = BaseRead("base", audit_loaded(checkpoint({}, config=config))), rotated(names), f"oft_unet_{piece}"
    blocks, size, _ = spec[key][1]
    assert audit_adapter(checkpoint(spec), base=base).verdict == "clean"
    lost = {name: entry for name, entry in spec.items() if name != key}
    assert codes(audit_adapter(checkpoint(lost), base=base)) == {"A916"}
    for shape in ((blocks, size + 4, size + 4), (blocks, size, size + 4)):
        (wrong,) = (one for one in audit_adapter(checkpoint({**spec, key: ("F32", shape)}), base=base).findings
                    if one.severity != "note")  # fmt: skip
        assert (wrong.code, wrong.place.tensor) == ("A904", key)
        assert getattr(wrong, "expected", None) in ((blocks, size, size), (blocks, None, None))


@pytest.mark.parametrize(("transformer", "component", "kind", "prefix"), [
    ("CosmosTransformer3DModel", "text_conditioner", "AnimaTextConditioner", "diffusion_model.llm_adapter."),
    ("LTX2VideoTransformer3DModel", "connectors", "LTX2TextConnectors", "text_embedding_projection."),
])  # fmt: skip
def test_the_text_encoder_of_a_pipeline(transformer: str, component: str, kind: str, prefix: str) -> None:
    config, shapes = model(transformer)
    record = diffusers_records(kind)[0]
    own = {name.removesuffix(".weight"): tuple(shape) for name, (_, shape) in spec_of(record).items()
           if name.endswith("proj.weight") or name == "text_proj_in.weight"}  # fmt: skip
    theirs = dict(in_authors_names(kind, own)) or own
    both = {
        **lora(shapes, "ComfyUI"),
        **{name.replace("diffusion_model.", prefix): entry for name, entry in lora(theirs, "ComfyUI").items()},
    }
    parts = {"transformer": config, component: record["config"]}
    read = {name: audit_loaded(checkpoint({}, config=values)) for name, values in parts.items()}
    pipeline = BaseRead("base", replace(read["transformer"], components=read))
    assert audit_adapter(checkpoint(both), base=pipeline).verdict == "clean"
    assert audited(both, config).verdict == "undecided"
    name = next(one for one in both if one.startswith(prefix) and one.endswith("lora_B.weight"))
    wider = {**both, name: ("BF16", (both[name][1][0] + 2, 4))}
    assert codes(audit_adapter(checkpoint(wider), base=pipeline)) == {"A904"}


WAN_NORMS = {
    "self_attn.norm_q": "attn1.norm_q", "self_attn.norm_k": "attn1.norm_k", "cross_attn.norm_q": "attn2.norm_q",
    "cross_attn.norm_k": "attn2.norm_k", "norm3": "norm2",
}  # fmt: skip


def with_norms(kind: str, extra: int = 0) -> tuple[Spec, dict[str, Any]]:
    """An adapter in Kijai's extracted form: pairs, and whole differences of the norms. extra: by which one is wider."""
    config, shapes = model(kind)
    spec = lora(shapes, "ComfyUI")
    stored = spec_of(diffusers_records(kind)[0])
    if kind.startswith("Wan"):
        for theirs, own in WAN_NORMS.items():
            width = stored[f"blocks.0.{own}.weight"][1][0]
            spec[f"diffusion_model.blocks.0.{theirs}.diff"] = ("BF16", (width + extra * (theirs == "norm3"),))
    else:  # under the name of a parameter that is no weight
        width = next(shape[0] for name, (_, shape) in stored.items() if name.endswith("norm_q.weight"))
        spec["diffusion_model.double_blocks.0.img_attn.norm.query_norm.diff"] = ("BF16", (width,))
    return spec, config


@pytest.mark.parametrize("kind", ["WanTransformer3DModel", "FluxTransformer2DModel", "Flux2Transformer2DModel"])
def test_differences_of_norms_are_no_modules_that_the_base_lacks(kind: str) -> None:
    found = audited(*with_norms(kind))
    assert not codes(found), [one.message for one in found.findings]


def test_differences_of_norms_have_the_width_of_the_base() -> None:
    assert codes(audited(*with_norms("WanTransformer3DModel", 1))) == {"A904"}


PROCESSORS = {"img_attn.qkv": "qkv_lora1", "img_attn.proj": "proj_lora1", "txt_attn.qkv": "qkv_lora2",
              "txt_attn.proj": "proj_lora2", "linear1_qkv": "qkv_lora", "linear2": "proj_lora"}  # fmt: skip
"""The authors' module of FLUX -> the pair of x-flux's processors."""


def of_xlabs(shapes: Shapes, begin: str) -> Spec:
    """An adapter of x-flux for the attention of one kind of block."""
    found: Spec = {}
    for name, (outputs, inputs) in shapes.items():
        block, _, module = name.partition(".")[2].partition(".")
        if name.startswith(begin) and module in PROCESSORS:
            stem = f"{name.partition('.')[0]}.{block}.processor.{PROCESSORS[module]}"
            found |= {f"{stem}.down.weight": ("BF16", (4, inputs)), f"{stem}.up.weight": ("BF16", (outputs, 4))}
    return found


@pytest.mark.parametrize("begin", ["double_blocks.", "single_blocks.", ""])
def test_an_adapter_of_xlabs_fits_its_base(begin: str) -> None:
    config, shapes = model("FluxTransformer2DModel")
    spec = of_xlabs(shapes, begin)
    found = audited(spec, config)
    (note,) = (one for one in found.findings if one.code == "A997")
    assert (found.verdict, codes(found)) == ("clean", set()) and note.tensors == len(spec)
    changes = [(step.old, step.new) for step in note.remedy().steps]
    again = audited({renamed(name, changes): entry for name, entry in spec.items()}, config)
    assert again.verdict == "clean" and "A997" not in {one.code for one in again.findings}
    first = next(name for name in spec if "qkv" in name and ".up." in name)
    wider = audited({**spec, first: ("BF16", (spec[first][1][0] + 2, 4))}, config)
    assert len(codes(wider)) == 1


def test_comfyui_reads_the_names_of_xlabs_with_all_blocks() -> None:
    parts = (("double_blocks.{}.processor.qkv_lora2", 19), ("single_blocks.{}.processor.qkv_lora", 38))
    for lost, noted in ((0, set()), (1, {"A997"})):
        spec: Spec = {
            f"{stem.format(block)}.{part}.weight": ("BF16", (4, 64) if part == "down" else (192, 4))
            for stem, blocks in parts
            for block in range(blocks - lost)
            for part in ("down", "up")
        }
        found = audit_adapter(checkpoint(spec))
        assert {one.code for one in found.findings} - {"A901"} == noted


def test_an_adapter_in_the_names_of_diffusers_fits_a_file_of_the_authors() -> None:
    spec = genuine(FLUX, "F16")
    shapes = {
        name.removesuffix(".weight"): tuple(shape)
        for name, (_, shape) in spec.items()
        if len(shape) == 2 and name.endswith(".weight")
    }
    base = BaseRead("base", audit_loaded(checkpoint(converters.flux(spec), config=None)))
    found = audit_adapter(checkpoint(lora(shapes, "a pipeline's prefix")), base=base)
    assert (found.verdict, codes(found)) == ("clean", set()) and "proj_out" in shapes


@pytest.mark.parametrize(("module", "shape", "expected"), [
    ("blocks.0", (1, 6, 36), set()), ("blocks.0", (1, 5, 36), {"A904"}), ("blocks.90", (1, 6, 36), {"A928"}),
])  # fmt: skip
def test_the_difference_of_a_modulation_belongs_to_its_block(
    module: str, shape: tuple[int, ...], expected: set[str]
) -> None:
    """Wan's blocks have vectors of their own; adapters of ComfyUI name their difference `diff_m`."""
    config, shapes = model("WanTransformer3DModel")
    spec = {**lora(shapes, "ComfyUI"), f"diffusion_model.{module}.diff_m": ("BF16", shape)}
    assert codes(audited(spec, config)) == expected


@pytest.mark.parametrize(("added", "of_image"), [("cross_attn.k_img", True), ("cross_attn.k_other", False)])
def test_the_attention_to_an_image_of_another_wan_is_left_out(added: str, of_image: bool) -> None:
    """Measured with diffusers 0.42: the other modules take effect, and these are named in a warning."""
    config, shapes = model("WanTransformer3DModel")
    spec = {**lora(shapes, "ComfyUI"), f"diffusion_model.blocks.0.{added}.lora_A.weight": ("BF16", (4, 36)),
            f"diffusion_model.blocks.0.{added}.lora_B.weight": ("BF16", (36, 4))}  # fmt: skip
    (found,) = (one for one in audited(spec, config).findings if one.severity == "error")
    assert (found.code, "skip these" in found.remedy().words) == ("A928", of_image)
