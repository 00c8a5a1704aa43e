"""Adapters of tools other than PEFT: exact trained counts, complete ones are clean, damage is reported."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from inspector.auditing.result import Audit
from inspector.auditing.start import audit_loaded
from inspector.findings.adapters.whole import Adapter
from tests.adapters.records import Spec, alone, checkpoint
from tests.judged import FIXTURES, codes

WRITERS = {"diffusers": "diffusers", "kohya": "Kohya", "lycoris": "LyCORIS"}
"""First word of a record -> the reported writer. Some files of LyCORIS cannot be distinguished from Kohya's."""


@cache
def records() -> Mapping[str, dict[str, Any]]:
    """Name -> record of what a tool saved."""
    listed = json.loads(gzip.decompress((FIXTURES / "adapters" / "tools.json.gz").read_bytes()))
    return {record["name"]: record for record in listed}


def stored(name: str) -> Spec:
    """The tensors of a record."""
    return {key: (dtype, tuple(shape)) for key, (dtype, shape) in records()[name]["tensors"].items()}


def facts(audited: Audit) -> Adapter:
    """The note that describes the adapter."""
    (note,) = (one for one in audited.findings if isinstance(one, Adapter))
    return note


@pytest.mark.parametrize("name", records())
def test_the_count_is_what_was_trained(name: str) -> None:
    record, audited = records()[name], alone(stored(name), None)
    assert (audited.verdict, {one.code for one in audited.findings} - {"A965", "A971"}) == ("clean", {"A901"})
    counts = audited.counts
    assert (counts.unique_parameters, counts.buffers, counts.unexplained) == (record["trained"], record["constants"], 0)
    writer = facts(audited).writer
    assert writer == WRITERS[name.partition(" ")[0]] or (writer == "Kohya" and "lycoris" in name)
    assert sum(one.modules for one in facts(audited).targets) > 0


@pytest.mark.parametrize(("module", "noted"), [("img_mlp_fc1", {"A971"}), ("img_mlp_0", set())])
def test_names_of_hunyuan_video_in_kohyas_spelling_are_not_read(module: str, noted: set[str]) -> None:
    name = f"lora_unet_double_blocks_0_{module}"
    spec: Spec = {f"{name}.lora_down.weight": ("F32", (4, 32)), f"{name}.lora_up.weight": ("F32", (128, 4))}
    assert {one.code for one in alone(spec, None).findings} == {"A901"} | noted


def damaged(name: str) -> Iterator[tuple[str, Spec]]:
    """A record with each of some tensors lost, with a smaller rank, or under another name."""
    spec = stored(name)
    changed = [key for key in spec if not key.endswith(("_norm", ".diff", ".diff_b", ".on_input"))]
    for key in changed[:: max(1, len(changed) // 12)]:
        rest = {other: entry for other, entry in spec.items() if other != key}
        yield f"{key} lost", rest
        yield f"{key} renamed", {**rest, f"{key}_old": spec[key]}


@pytest.mark.thinned
@pytest.mark.parametrize("name", records())
def test_a_lost_or_renamed_tensor_is_named(name: str) -> None:
    for what, spec in damaged(name):
        found = codes(alone(spec, None)) - {"A971"}
        assert found & {"A915", "A916", "A918"}, what
        assert len(found) <= 2, what


PAIRS: dict[str, Callable[[int], dict[str, tuple[int, ...]]]] = {
    "Kohya": lambda n: {f"lora_te_text_model_encoder_layers_{n}_mlp_fc1.lora_down.weight": (4, 32),
                        f"lora_te_text_model_encoder_layers_{n}_mlp_fc1.lora_up.weight": (64, 4),
                        f"lora_te_text_model_encoder_layers_{n}_mlp_fc1.alpha": ()},
    "ComfyUI": lambda n: {f"diffusion_model.double_blocks.{n}.img_attn.qkv.lora_A.weight": (4, 32),
                          f"diffusion_model.double_blocks.{n}.img_attn.qkv.lora_B.weight": (96, 4)},
    "MLX": lambda n: {f"model.layers.{n}.self_attn.q_proj.lora_a": (32, 4),
                      f"model.layers.{n}.self_attn.q_proj.lora_b": (4, 48),
                      f"model.layers.{n}.self_attn.q_proj.m": (48,)},
    "llama.cpp": lambda n: {f"blk.{n}.attn_q.weight.lora_a": (4, 32), f"blk.{n}.attn_q.weight.lora_b": (48, 4)},
    "diffusers": lambda n: {f"unet.up_blocks.{n}.attn1.processor.to_q_lora.down.weight": (4, 32),
                            f"unet.up_blocks.{n}.attn1.processor.to_q_lora.up.weight": (32, 4)},
    "XLabs": lambda n: {f"double_blocks.{n}.processor.qkv_lora1.down.weight": (4, 32),
                        f"double_blocks.{n}.processor.qkv_lora1.up.weight": (96, 4)},
}  # fmt: skip
"""Writer -> a layer's tensors, from the sources of the tools."""


def of_writer(writer: str, layers: int = 4) -> Spec:
    """An adapter of four layers."""
    return {name: ("F16", shape) for layer in range(layers) for name, shape in PAIRS[writer](layer).items()}


@pytest.mark.parametrize("writer", PAIRS)
def test_each_writer_is_recognized_and_each_tensor_needed(writer: str) -> None:
    spec = of_writer(writer)
    note = facts(alone(spec, None))
    assert (note.type, note.rank, note.writer, len(note.targets)) == ("lora", 4, writer, 1)
    assert alone(spec, None).verdict == "clean"
    for name in spec:
        assert codes(alone({key: entry for key, entry in spec.items() if key != name}, None)) == {"A916"}, name


@pytest.mark.parametrize("writer", PAIRS)
def test_ranks_of_a_pair_agree(writer: str) -> None:
    spec = of_writer(writer)
    name = next(name for name, (_, shape) in spec.items() if len(shape) == 2)
    spec[name] = ("F16", tuple(8 if size == 4 else size for size in spec[name][1]))
    assert codes(alone(spec, None)) == {"A917"}


def test_a_scale_is_one_number() -> None:
    spec = of_writer(next(writer for writer in PAIRS if any(name.endswith("alpha") for name in of_writer(writer))))
    scales = [name for name in spec if name.endswith("alpha")]
    for shape, found in (((1,), set()), ((1, 1), set()), ((3,), {"A945"}), ((0,), {"A945"})):
        assert codes(alone({**spec, scales[0]: ("F32", shape)}, None)) == found, shape
    (finding,) = (
        one for one in alone({**spec, **dict.fromkeys(scales, ("F32", (3,)))}, None).findings if one.code != "A901"
    )
    assert finding.facts["count"] == len(scales)


def test_names_of_peft_in_a_file_of_another_tool() -> None:
    spec: Spec = {}
    for module in ("blocks.0.attn1.to_q", "blocks.1.attn1.to_q"):
        spec[f"base_model.model.{module}.lora_A.weight"] = ("F16", (4, 64))
        spec[f"base_model.model.{module}.lora_B.weight"] = ("F16", (64, 4))
    first = next(iter(spec))
    for change, found in (({}, set()), ({first: ("F16", (8, 64))}, {"A917"}), ({first: ("I8", (4, 64))}, {"T603"})):
        assert codes(audit_loaded(replace(checkpoint({**spec, **change}), set_name="style.safetensors"))) == found
    named = replace(checkpoint(spec), set_name="adapter_model.safetensors")
    assert codes(audit_loaded(named)) == {"C313"}
    language = {name.replace("model.blocks", "model.model.layers"): one for name, one in spec.items()}
    assert codes(audit_loaded(replace(checkpoint(language), set_name="style.safetensors"))) != set()


OTHER_KINDS: dict[str, dict[str, tuple[int, ...]]] = {
    "textual inversion": {"clip_l": (4, 768), "clip_g": (4, 1280)},
    "ip-adapter": {
        "image_proj.proj.weight": (32, 8), "image_proj.proj.bias": (32,),
        "image_proj.norm.weight": (8,), "image_proj.norm.bias": (8,),
        **{f"ip_adapter.{n}.to_{part}_ip.weight": (16, 8) for n in (1, 3, 5) for part in "kv"},
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_other_kinds_are_recognized(kind: str) -> None:
    audited = alone({name: ("F16", shape) for name, shape in OTHER_KINDS[kind].items()}, None)
    assert (audited.verdict, facts(audited).type, audited.counts.unexplained) == ("clean", kind, 0)


def resampler(before: str, layers: int = 3) -> dict[str, tuple[int, ...]]:
    """The attention over latents of an IP-Adapter."""
    layer = ("0.norm1.weight", "0.norm1.bias", "0.norm2.weight", "0.norm2.bias", "0.to_q.weight", "0.to_kv.weight",
             "0.to_out.weight", "1.0.weight", "1.0.bias", "1.1.weight", "1.3.weight")  # fmt: skip
    ends = [f"{one}.{part}" for one in ("proj_in", "proj_out", "norm_out") for part in ("weight", "bias")]
    names = (*ends, *(f"layers.{number}.{name}" for number in range(layers) for name in layer))
    return {f"image_proj.{before}{name}": (8,) if "norm" in name or "bias" in name else (8, 8) for name in names}


_FACE: dict[str, tuple[int, ...]] = {
    f"image_proj.{one}.{part}": (8,) for one in ("proj.0", "proj.2", "norm") for part in ("weight", "bias")
}
IMAGE_PROMPTS: dict[str, dict[str, tuple[int, ...]]] = {
    "plain": {name: shape for name, shape in OTHER_KINDS["ip-adapter"].items() if name.startswith("image_proj")},
    "plus": {"image_proj.latents": (1, 4, 8), **resampler("")},
    "full face": {f"image_proj.proj.{one}.{part}": (8,) for one in (0, 2, 3) for part in ("weight", "bias")},
    "FaceID": _FACE,
    "FaceID plus": {**_FACE, **resampler("perceiver_resampler.")},
}
"""Form -> the network for the embedding of an image."""


@pytest.mark.parametrize("form", IMAGE_PROMPTS)
def test_image_prompt_adapters_are_complete(form: str) -> None:
    layers = {name: shape for name, shape in OTHER_KINDS["ip-adapter"].items() if name.startswith("ip_adapter")}
    if "Face" in form:
        layers |= {f"ip_adapter.{number}.{one}_lora.{part}.weight": (4, 16) if part == "down" else (16, 4)
                   for number in range(6) for one in ("to_q", "to_k", "to_v") for part in ("down", "up")}  # fmt: skip
    spec: Spec = {name: ("F16", shape) for name, shape in {**layers, **IMAGE_PROMPTS[form]}.items()}
    audited = alone(spec, None)
    assert (audited.verdict, facts(audited).type, audited.counts.unexplained) == ("clean", "ip-adapter", 0)
    for lost in spec:
        found = [one for one in alone({name: entry for name, entry in spec.items() if name != lost}, None).findings
                 if one.severity == "error"]  # fmt: skip
        assert [one.code for one in found] == ["A916"], (lost, found)
        assert found[0].facts["present"] != lost


def lora(names: list[str], down: str = "lora_A.weight", up: str = "lora_B.weight") -> Spec:
    """Pairs of rank 4."""
    return {f"{name}.{end}": ("BF16", shape) for name in names for end, shape in ((down, (4, 64)), (up, (64, 4)))}


NORMS = [f"blocks.{number}.self_attn.norm_{one}" for number in range(4) for one in "qk"]
BLOCKS = [f"blocks.{number}.self_attn.{one}" for number in range(4) for one in "qkvo"]
WITHIN = [f"diffusion_model.{name}" for name in BLOCKS]
CONTROL = [f"single_blocks.{number}.linear{one}" for number in range(4) for one in "12"]
LAYOUTS: dict[str, tuple[Spec, str]] = {
    "DiffSynth": (lora(BLOCKS, "lora_A.default.weight", "lora_B.default.weight"), "q.lora_A.default.weight"),
    "biases": ({f"lycoris_{name.replace('.', '_')}.diff_b": ("BF16", (64,)) for name in BLOCKS}, "q.diff_b"),
    "biases with pairs": (
        {**lora(WITHIN), **{f"{name}.diff_b": ("BF16", (64,)) for name in WITHIN}}, "q.diff_b",
    ),
    "norms with pairs": (
        {**lora(WITHIN), **{f"diffusion_model.{name}.diff": ("BF16", (64,)) for name in NORMS}},
        "norm_q.diff",
    ),
    "FLUX.1's edges and depth": (
        {**lora(CONTROL), **{f"{name}.lora_B.bias": ("BF16", (64,)) for name in CONTROL},
         **{f"single_blocks.{number}.norm.key_norm.scale": ("BF16", (128,)) for number in range(4)}},
        "linear1.lora_B.bias",
    ),
    "OneTrainer's embeddings": (
        {**lora(WITHIN), "bundle_emb.token.string_to_param.*": ("F32", (4, 768))}, "v.lora_B.weight",
    ),
}  # fmt: skip
"""Layout -> its tensors, and the one of the second block that is lost."""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_other_trainers(layout: str) -> None:
    spec, lost = LAYOUTS[layout]
    noted = {"DiffSynth": ["N429", "A901"], "OneTrainer's embeddings": ["A901", "A971"]}.get(layout, ["A901"])
    assert [one.code for one in alone(spec, None).findings] == noted
    gone = next(key for key in spec if key.endswith(lost) and re.search(r"[._]2[._]", key))
    audited = alone({key: entry for key, entry in spec.items() if key != gone}, None)
    errors = [one.code for one in audited.findings if one.severity == "error" and one.code not in noted]
    assert errors in (["A905"], ["A916"])


@pytest.mark.parametrize("lost", range(4))
def test_a_lost_bias_is_one_error_where_all_other_modules_have_one(lost: int) -> None:
    """PEFT creates a bias for each module (`lora_bias`); diffusers leaves a lost one at zero."""
    spec: Spec = {}
    for name in ("img_in", "blocks.0.attn.to_q", "blocks.0.attn.to_k", "blocks.1.attn.to_q"):
        spec[f"transformer.{name}.lora_A.weight"] = ("F32", (4, 48))
        spec[f"transformer.{name}.lora_B.weight"] = ("F32", (48, 4))
        spec[f"transformer.{name}.lora_B.bias"] = ("F32", (48,))
    assert alone(spec, None).verdict == "clean"
    spec.pop([name for name in spec if name.endswith(".bias")][lost])
    assert [one.code for one in alone(spec, None).findings if one.severity == "error"] == ["A916"]


@pytest.mark.parametrize(
    ("module", "vectors", "noted"),
    [
        ("unet.mid_block.attentions.0.transformer_blocks.0.attn1.to_q", "string_to_param.*", True),
        ("lora_unet_mid_block_attentions_0_transformer_blocks_0_attn1_to_q", "clip_l", True),
        ("lora_unet_double_blocks_0_img_attn_proj", "clip_l", False),
        ("transformer.transformer_blocks.0.attn.to_q", "clip_l", False),
    ],
)
def test_embeddings_beside_lora_are_refused_but_for_flux(module: str, vectors: str, noted: bool) -> None:
    """Measured with diffusers 0.42: FLUX's pipeline loads the file, and leaves the vectors out."""
    ends = ("lora_down", "lora_up") if module.startswith("lora_") else ("lora_A", "lora_B")
    spec: Spec = {f"{module}.{ends[0]}.weight": ("F32", (4, 32)), f"{module}.{ends[1]}.weight": ("F32", (32, 4))}
    assert {one.code for one in alone(spec, None).findings} - {"A965"} == {"A901"}
    found = alone({**spec, f"bundle_emb.token.{vectors}": ("F32", (2, 768))}, None)
    assert ("A971" in {one.code for one in found.findings}) is noted and found.verdict == "clean"
