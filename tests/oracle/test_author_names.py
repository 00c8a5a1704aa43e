"""Compares the names of original authors with diffusers' converters of adapters: each maps to modules that fit.

pip install torch diffusers && python -m pytest -m slow tests/oracle/test_author_names.py
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from inspector.adapters.author_names import in_authors_names

CONVERTERS: dict[tuple[str, str], tuple[dict[str, Any], str, str]] = {
    ("FluxTransformer2DModel", "_convert_kohya_flux_lora_to_diffusers"):
        ({"num_layers": 2, "num_single_layers": 2, "guidance_embeds": True}, "lora_unet_", ""),
    ("Flux2Transformer2DModel", "_convert_non_diffusers_flux2_lora_to_diffusers"):
        ({"num_layers": 2, "num_single_layers": 2}, "diffusion_model.", ""),
    ("HunyuanVideoTransformer3DModel", "_convert_hunyuan_video_lora_to_diffusers"):
        ({"num_layers": 2, "num_single_layers": 2}, "diffusion_model.", "x_embedder.proj"),
    ("Lumina2Transformer2DModel", "_convert_non_diffusers_lumina2_lora_to_diffusers"):
        ({"num_layers": 2, "num_refiner_layers": 2}, "diffusion_model.", r"norm_out.*|time_caption_embed.*|x_embedder"),
    ("WanTransformer3DModel", "_convert_non_diffusers_wan_lora_to_diffusers"):
        ({"num_layers": 2, "image_dim": 1280, "added_kv_proj_dim": 5120}, "diffusion_model.", "patch_embedding"),
}  # fmt: skip
"""Class and converter -> config of full width, prefix of the names, and modules that the converter does not know."""
RANK = 3


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "converter"), CONVERTERS)
def test_diffusers_gives_every_module_its_pair(kind: str, converter: str) -> None:
    torch, diffusers = pytest.importorskip("torch"), pytest.importorskip("diffusers")
    convert = getattr(pytest.importorskip("diffusers.loaders.lora_conversion_utils"), converter)
    values, prefix, unknown = CONVERTERS[kind, converter]

    def left(name: str) -> bool:
        return re.fullmatch(unknown, name) is not None

    with torch.device("meta"):
        model = getattr(diffusers, kind)(**values)
    modules = {name: one.weight for name, one in model.named_modules() if getattr(one, "weight", None) is not None}
    shapes = {name: tuple(one.shape) for name, one in modules.items() if one.ndim > 1}
    state: dict[str, Any] = {}
    kohya = prefix.endswith("_")
    down, up = ("lora_down", "lora_up") if kohya else ("lora_A", "lora_B")
    for name, shape in in_authors_names(kind, {name: one for name, one in shapes.items() if not left(name)}):
        stem = prefix + (name.replace(".", "_") if kohya else name)
        state[f"{stem}.{down}.weight"] = torch.zeros(RANK, shape[1])
        state[f"{stem}.{up}.weight"] = torch.zeros(shape[0], RANK)
        if kohya:
            state[f"{stem}.alpha"] = torch.tensor(1.0)
    converted = {key.removeprefix("transformer."): one for key, one in convert(state).items()}
    for key, one in converted.items():
        module, _, part = key.rpartition(".lora_")
        assert one.shape[1 if part[0] == "A" else 0] == shapes[module][1 if part[0] == "A" else 0], key
    named = {key.rpartition(".lora_")[0] for key in converted}
    assert [name for name in shapes if name not in named] == [name for name in shapes if left(name)]
