"""Names that no program reads, and adapters of joint matrices saved by early versions of PEFT: one finding each."""

from __future__ import annotations

import pytest

from inspector.adapters.misspelled import peft_name, read_name
from inspector.mending.patterns import renamed
from tests.adapters.records import Spec, alone, with_base
from tests.judged import codes
from tests.make_checkpoints import SMALL_LLAMA

MODULES = ("double_blocks_{}_img_attn_proj", "double_blocks_{}_txt_mlp_0")
RIGHT = ("lora_unet_{}.lora_down.weight", "lora_unet_{}.lora_up.weight", "lora_unet_{}.alpha")
WRONG = {
    "an underscore behind": ("lora_unet_{}_.lora_down.weight", "lora_unet_{}_.lora_up.weight", "lora_unet_{}_.alpha"),
    "two of them": ("lora_unet_{}__.lora_down.weight", "lora_unet_{}__.lora_up.weight", "lora_unet_{}__.alpha"),
    "small letters": ("transformer.{}.lora_a.weight", "transformer.{}.lora_B.weight"),
    "capital letters": ("lora_unet_{}.lora_Down.weight", "lora_unet_{}.lora_up.weight"),
    "a prefix of its own": tuple(f"Some_video_lora_{{}}{end}" for end in (".lora_down.weight", ".lora_up.weight")),
    "a prefix before Kohya's": tuple(f"network.{one}" for one in RIGHT),
    "PEFT's prefix before Kohya's": tuple(f"base_model.model.{one}" for one in RIGHT),
    "a prefix before ComfyUI's": ("pipe.diffusion_model.{}.lora_A.weight", "pipe.diffusion_model.{}.lora_B.weight"),
    "PEFT's prefix before ComfyUI's": tuple(
        f"base_model.model.diffusion_model.{{}}.lora_{end}.weight" for end in "AB"
    ),
    "no prefix": ("{}.lora_down.weight", "{}.lora_up.weight", "{}.alpha"),
    "PEFT's word for magnitudes": ("lora_unet_{}.lora_down.weight", "lora_unet_{}.lora_up.weight",
                                   "lora_unet_{}.lora_magnitude_vector"),
    "the author's names behind diffusers' prefix": tuple(
        f"unet.output_blocks.{{}}.1.transformer_blocks.0.attn1.to_q{end}"
        for end in (".lora_down.weight", ".lora_up.weight", ".alpha")
    ),
    "dots": ("lora_te1.text_model.{}.lora_down.weight", "lora_te1.text_model.{}.lora_up.weight"),
}  # fmt: skip


def lora(names: tuple[str, ...]) -> Spec:
    """An adapter of two modules in three blocks. names: of the matrices, and of the scale."""
    shapes = ((4, 32), (64, 4), ())
    paths = [module.format(block) for block in range(3) for module in MODULES]
    return {name.format(path): ("F32", shape) for path in paths for name, shape in zip(names, shapes, strict=False)}


@pytest.mark.parametrize("names", WRONG.values(), ids=WRONG)
def test_wrong_names_are_reported_and_can_be_renamed(names: tuple[str, ...]) -> None:
    spec = lora(names)
    audited = alone(spec, None)
    assert codes(audited) == {"A937"}
    finding = next(one for one in audited.findings if one.code == "A937")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    made = {renamed(name, steps): entry for name, entry in spec.items()}
    assert (alone(made, None).verdict, set(made)) == ("clean", {read_name(name) for name in spec})


@pytest.mark.parametrize("shape", [(64,), (64, 1)])
def test_magnitudes_with_dots_in_the_name_of_their_module(shape: tuple[int, ...]) -> None:
    """As a conversion leaves them that replaces all dots of a name but the last two (`to_out.0`)."""
    parts = {".lora_down.weight": (4, 32), ".lora_up.weight": (64, 4), ".alpha": ()}
    paths = [f"lora_unet_down_blocks_{block}_attn1.{end}" for block in range(2) for end in ("to_q", "to_out.0")]
    modules = {path: path.replace(".", "_") for path in paths}
    spec = {f"{module}{end}": ("F32", size) for module in modules.values() for end, size in parts.items()}
    wrong = spec | {f"{module}.lora_magnitude_vector": ("F32", shape) for module in modules}
    (finding,) = (one for one in alone(wrong, None).findings if one.severity != "note")
    remedy = finding.remedy()
    made = {renamed(name, [(step.old, step.new) for step in remedy.steps]): entry for name, entry in wrong.items()}
    assert set(made) == {*spec, *(f"{module}.dora_scale" for module in modules.values())}
    assert ("[rows, 1]" in remedy.words) == (len(shape) == 1)
    assert alone(made, None).verdict == "clean"


@pytest.mark.parametrize(("beside", "wanted"), [
    ("transformer.blocks.0.attn.to_q", "text_encoder.text_model.0.q_proj"),
    ("unet.mid_block.attn.to_q", "text_encoder.text_model.0.q_proj"),
    ("lora_unet_mid_block_attn_to_q", "lora_te1_text_model_0_q_proj"),
])  # fmt: skip
def test_dots_behind_the_prefix_of_a_text_encoder(beside: str, wanted: str) -> None:
    """diffusers 0.42 ignores the prefix `lora_te1_` next to its own ones; ComfyUI reads both."""
    spec = {f"{path}.lora_{part}.weight": ("F32", shape) for path in (beside, "lora_te1.text_model.0.q_proj")
            for part, shape in (("A", (4, 32)), ("B", (32, 4)))}  # fmt: skip
    finding = next(one for one in alone(spec, None).findings if one.code == "A937")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    made = {renamed(name, steps): entry for name, entry in spec.items()}
    assert set(made) == {f"{path}.lora_{part}.weight" for path in (beside, wanted) for part in "AB"}
    assert alone(made, None).verdict == "clean"


def test_dots_in_the_modules_of_wan_are_underscores() -> None:
    """diffusers 0.42 refuses them after the prefix `lora_unet_` (KeyError)."""
    modules = ("self_attn.q", "cross_attn.k", "ffn.0")
    ends = ((".lora_down.weight", (4, 32)), (".lora_up.weight", (32, 4)), (".alpha", ()))
    spec = {f"lora_unet_blocks_{block}.{module}{end}": ("F32", shape) for block in range(2) for module in modules
            for end, shape in ends}  # fmt: skip
    (finding,) = (one for one in alone(spec, None).findings if one.severity != "note")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    right = {f"lora_unet_blocks_{block}_{module.replace('.', '_')}{end}" for block in range(2) for module in modules
             for end, _ in ends}  # fmt: skip
    assert (finding.code, {renamed(name, steps) for name in spec}) == ("A937", right)


def test_modules_of_flux_get_the_prefix_that_programs_read() -> None:
    paths = ("transformer_single_transformer_blocks_0_attn_to_q", "transformer_transformer_blocks_0_attn_to_q")
    spec = {f"{path}.lora_{part}.weight": ("F32", shape) for path in paths
            for part, shape in (("down", (4, 32)), ("up", (32, 4)))}  # fmt: skip
    finding = next(one for one in alone(spec, None).findings if one.code == "A937")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    assert {renamed(name, steps) for name in spec} == {f"lora_{name}" for name in spec}


@pytest.mark.parametrize(("module", "wanted"), [
    ("single_transformer_blocks_0_proj_mlp", "transformer.single_transformer_blocks.0.proj_mlp"),
    ("transformer_blocks_0_ff_context_net_0_proj", "transformer.transformer_blocks.0.ff_context.net.0.proj"),
    ("transformer_blocks_0_attn_to_out_0", "transformer.transformer_blocks.0.attn.to_out.0"),
    ("time_text_embed_guidance_embedder_linear_1", "transformer.time_text_embed.guidance_embedder.linear_1"),
    ("another_module", "lora_unet_another_module"),
])  # fmt: skip
def test_modules_of_flux_with_an_underscore_behind_get_names_that_diffusers_reads(module: str, wanted: str) -> None:
    """After `lora_unet_`, diffusers 0.42 refuses them without the underscore too."""
    paths = ("lora_unet_single_transformer_blocks_0_attn_to_q_", f"lora_unet_{module}_")
    ends = ((".lora_down.weight", (4, 32)), (".lora_up.weight", (32, 4)), (".alpha", ()))
    spec = {f"{path}{end}": ("F32", shape) for path in paths for end, shape in ends}
    finding = next(one for one in alone(spec, None).findings if one.code == "A937")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    right = ("transformer.single_transformer_blocks.0.attn.to_q", wanted)
    assert {renamed(name, steps) for name in spec} == {f"{path}{end}" for path in right for end, _ in ends}


ENCODERS = {
    "Stable Diffusion 1": {"lora_unet_clip_l_transformer_": "lora_te_"},
    "Stable Diffusion 2": {"lora_unet_clip_h_transformer_": "lora_te_"},
    "SDXL": {"lora_unet_clip_l_transformer_": "lora_te1_", "lora_unet_clip_g_transformer_": "lora_te2_"},
    "FLUX": {"lora_transformer_clip_l_transformer_": "lora_te1_", "lora_transformer_t5xxl_transformer_": "lora_te3_"},
}


@pytest.mark.parametrize("prefixes", ENCODERS.values(), ids=ENCODERS)
def test_modules_of_text_encoders_after_the_prefix_of_the_network(prefixes: dict[str, str]) -> None:
    ends = ((".lora_down.weight", (4, 32)), (".lora_up.weight", (32, 4)), (".alpha", ()))
    parts = {one: "encoder_block_{}_layer_0_SelfAttention_q" if "t5" in one else
             "text_model_encoder_layers_{}_self_attn_q_proj" for one in prefixes}  # fmt: skip
    paths = {f"{one}{parts[one].format(layer)}": f"{own}{parts[one].format(layer)}"
             for one, own in prefixes.items() for layer in range(2)}  # fmt: skip
    network = lora(RIGHT)
    wrong = network | {f"{path}{end}": ("F32", shape) for path in paths for end, shape in ends}
    (finding,) = (one for one in alone(wrong, None).findings if one.severity != "note")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    made = {renamed(name, steps): entry for name, entry in wrong.items()}
    assert (finding.code, set(made)) == (
        "A937",
        {*network, *(f"{path}{end}" for path in paths.values() for end, _ in ends)},
    )
    assert alone(made, None).verdict == "clean"


@pytest.mark.parametrize("names", [RIGHT, ("transformer.{}.lora_A.weight", "transformer.{}.lora_B.weight")])
def test_names_that_are_read_get_no_finding(names: tuple[str, ...]) -> None:
    assert codes(alone(lora(names), None)) == set()


def test_a_bias_difference_needs_no_matrices_of_its_module() -> None:
    spec = lora(("diffusion_model.{}.lora_down.weight", "diffusion_model.{}.lora_up.weight"))
    spec |= {f"diffusion_model.double_blocks.{block}.img_mlp.2.diff_b": ("F32", (64,)) for block in range(3)}
    assert codes(alone(spec, None)) == set()


@pytest.mark.parametrize(("down", "up", "expected"), [
    ((1, 4, 32), (8, 64, 4), {"A986"}),  # all experts share the first matrix
    ((8, 4, 64), (1, 32, 4), {"A986"}),
    ((8, 4, 32), (8, 64, 4), {"A986"}),
    ((4, 32), (64, 4), set()),
], ids=["shared in", "shared out", "all", "one matrix"])  # fmt: skip
def test_matrices_of_all_experts_in_one_tensor_are_one_finding(
    down: tuple[int, ...], up: tuple[int, ...], expected: set[str]
) -> None:
    spec: Spec = {
        f"base_model.model.model.layers.{layer}.mlp.experts.w{number}.lora_{side}.weight": ("F32", shape)
        for layer in range(2)
        for number in (1, 2, 3)
        for side, shape in (("A", down), ("B", up))
    }
    values = {"peft_type": "LORA", "r": 4, "target_modules": ["w1", "w2", "w3"]}
    assert codes(alone(spec, values)) == expected


@pytest.mark.parametrize("up", [(128, 4, 1), (64, 4)], ids=["in groups", "one matrix"])
def test_a_joint_matrix_of_two_parts_is_one_finding(up: tuple[int, ...]) -> None:
    grouped = len(up) == 3
    spec: Spec = {
        f"base_model.model.h.{layer}.c_attn.lora_{side}.weight": ("F32", shape)
        for layer in range(2)
        for side, shape in (("A", (8 if grouped else 4, 32)), ("B", up))
    }
    values = {"peft_type": "LORA", "r": 4, "target_modules": ["c_attn"]}
    assert codes(alone(spec, values)) == ({"A938"} if grouped else set())


WITHOUT_ADAPTER_NAME = {
    "lora": ("q_proj_A.weight", "q_proj_B.weight", "q_proj_magnitude_vector"),
    "weight": ("q_proj.lora_A", "q_proj.lora_B"),
    "of words": ("embed_tokens_embedding_A", "embed_tokens_embedding_B"),
    "of sd-scripts": ("q_proj.lora_down.weight", "q_proj.lora_up.weight"),
}  # fmt: skip
"""Names that PEFT 0.13 saves for adapters named "lora" and "weight", and with the endings of another program."""
PEFT = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj", "embed_tokens"]}


def of_peft(names: tuple[str, ...]) -> Spec:
    shapes = ((4, 64), (64, 4), (64,))
    paths = [f"base_model.model.model.layers.{layer}.self_attn." for layer in range(2)]
    return {path + name: ("F32", shape) for path in paths for name, shape in zip(names, shapes, strict=False)}


@pytest.mark.parametrize("names", WITHOUT_ADAPTER_NAME.values(), ids=WITHOUT_ADAPTER_NAME)
def test_peft_names_without_the_name_of_the_adapter(names: tuple[str, ...]) -> None:
    spec = of_peft(names)
    audited = alone(spec, PEFT)
    assert codes(audited) == {"A937"}
    finding = next(one for one in audited.findings if one.code == "A937")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    assert {renamed(name, steps) for name in spec} == {peft_name(name) for name in spec}
    assert all(".lora_" in renamed(name, steps) for name in spec)


@pytest.mark.parametrize("based", [False, True])
def test_half_of_the_names_with_the_endings_of_another_program(based: bool) -> None:
    """PEFT finds only the others; each tensor is to be renamed, and none removed."""
    names = ("q_proj.lora_down.weight", "q_proj.lora_up.weight"), ("q_proj.lora_A.weight", "q_proj.lora_B.weight")
    spec = {f"base_model.model.model.layers.{layer}.self_attn.{name}": ("F32", shape)
            for layer in range(2) for name, shape in zip(names[layer], ((4, 64), (64, 4)), strict=True)}  # fmt: skip
    config = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj"]}
    audited = with_base(spec, config, {**SMALL_LLAMA, "num_hidden_layers": 2}) if based else alone(spec, config)
    assert codes(audited) == {"A937"}
    finding = next(one for one in audited.findings if one.code == "A937")
    steps = [(step.old, step.new) for step in finding.remedy().steps]
    assert len({renamed(name, steps) for name in spec} - spec.keys()) == 2


def test_modules_of_the_base_that_end_with_a_letter() -> None:
    kept = of_peft(("q_proj.lora_A.weight", "q_proj.lora_B.weight")) | of_peft(("mix_A.weight", "mix_B.weight"))
    assert codes(alone(kept, PEFT | {"modules_to_save": ["mix_A", "mix_B"]})) == set()


@pytest.mark.parametrize(("first", "second", "expected"), [
    (768, 1280, set[str]()), (1280, 768, {"A987"}), (1280, 1280, set[str]()),
])  # fmt: skip
def test_vectors_of_both_encoders_under_each_others_names(first: int, second: int, expected: set[str]) -> None:
    assert codes(alone({"clip_l": ("F32", (4, first)), "clip_g": ("F32", (4, second))}, None)) == expected
