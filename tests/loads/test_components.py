"""What diffusers 0.42 does with components whose tensors share values, and with configs that name no class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.start import audit
from inspector.loading.outcome import COMPLETE, RANDOM, REFUSES, Load
from tests.judged import diffusers_records, spec_of
from tests.loads.component_cases import WEIGHTS
from tests.loads.damage import healthy, write

FOURIER = {"time_embedding_type": "fourier"}
SINGLE = {"norm_type": "ada_norm_single", "norm_elementwise_affine": False}
HEAD, FREQUENCIES, COPY = "transformer.lm_head.weight", "time_proj.weight", "time_proj.W"


def loaded(name: str, of: dict[str, Any], place: Path, *, lost: str = "", added: str = "", **config: Any) -> Load:
    """The predicted load of the first record of a class that has some values, after a change.

    config: values of the config, ... for a key to remove.
    """
    record = next(one for one in diffusers_records(name) if of.items() <= one["config"].items())
    spec = {key: one for key, one in spec_of(record).items() if key != lost}
    if added:
        spec[added] = spec_of(record)[FREQUENCIES]
    changed = {key: one for key, one in {**record["config"], **config}.items() if one is not ...}
    folder = write(healthy(spec, changed, WEIGHTS), place)
    return next(one for one in audit(str(folder)).loads if one.loader == "diffusers")


@pytest.mark.thinned
@pytest.mark.parametrize(
    ("name", "of", "change", "expected"),
    [
        ("UniDiffuserTextDecoder", {}, {}, (COMPLETE, 0, 0)),
        ("UniDiffuserTextDecoder", {}, {"lost": HEAD}, (RANDOM, 1, 0)),  # it has the values of the embedding in memory
        ("UNet2DModel", FOURIER, {"added": COPY}, (COMPLETE, 0, 1)),
        ("UNet2DModel", FOURIER, {"added": COPY, "lost": FREQUENCIES}, (RANDOM, 1, 1)),
        ("WanTransformer3DModel", {"image_dim": 28}, {"pos_embed_seq_len": [1]}, (REFUSES, None, None)),
        ("WanTransformer3DModel", {"image_dim": None}, {"pos_embed_seq_len": [1]}, (COMPLETE, 0, 0)),  # not read
        ("ConsisIDTransformer3DModel", {"is_train_face": False}, {"LFE_vit_dim": {}}, (COMPLETE, 0, 0)),
        ("ConsisIDTransformer3DModel", {"is_train_face": True}, {"LFE_vit_dim": {}}, (REFUSES, None, None)),
        ("SparseControlNetModel", {}, {"layers_per_block": 0}, (COMPLETE, 0, 92)),
        ("AutoencoderKL", {}, {"layers_per_block": 0}, (COMPLETE, 0, 34)),
        ("ControlNetModel", {}, {"layers_per_block": 0}, (COMPLETE, 0, 52)),
        ("AutoencoderKLLTX2Audio", {}, {"num_res_blocks": 0}, (REFUSES, None, None)),
        ("Transformer2DModel", {}, {"norm_elementwise_affine": ...}, (COMPLETE, 0, 0)),  # DiT's and PixArt's default
        ("SD3ControlNetModel", {}, {"pos_embed_max_size": []}, (COMPLETE, 0, 1)),
        ("SD3ControlNetModel", {}, {"pos_embed_max_size": 0}, (COMPLETE, 0, 1)),
        ("SD3ControlNetModel", {}, {"pos_embed_max_size": None}, (COMPLETE, 0, 1)),
        ("ErnieImageTransformer2DModel", {}, {"rope_axes_dim": ""}, (COMPLETE, 0, 0)),  # which it takes for a list
        ("ErnieImageTransformer2DModel", {}, {"rope_axes_dim": 4}, (REFUSES, None, None)),
        (
            "HiDreamImageTransformer2DModel",
            {},
            {"caption_channels": [28, True]},
            (REFUSES, None, None),
        ),  # it counts as 1
        ("HiDreamImageTransformer2DModel", {}, {"caption_channels": [True, 36]}, (REFUSES, None, None)),
        ("HunyuanVideoTransformer3DModel", {"patch_size_t": 1}, {"patch_size_t": True}, (COMPLETE, 0, 0)),
        ("Transformer2DModel", {"norm_type": "ada_norm_single"}, {"num_embeds_ada_norm": ...}, (COMPLETE, 0, 0)),
        ("Transformer2DModel", SINGLE, {"norm_elementwise_affine": ...}, (COMPLETE, 0, 0)),  # as of PixArt's class
        ("Transformer2DModel", {"norm_type": "ada_norm_zero"}, {"num_embeds_ada_norm": None}, (REFUSES, None, None)),
        ("UTransformer2DModel", {"norm_type": "ada_norm"}, {"num_embeds_ada_norm": None}, (REFUSES, None, None)),
        ("AudioLDM2UNet2DConditionModel", {}, {"_class_name": "NoSuchModel"}, (COMPLETE, 0, 0)),
        ("UNet2DConditionModel", {}, {"_class_name": "NoSuchModel"}, (COMPLETE, 0, 0)),
        ("WanTransformer3DModel", {}, {"_class_name": "NoSuchModel"}, (COMPLETE, 0, 0)),
    ],
)
def test_what_diffusers_does(
    name: str, of: dict[str, Any], change: dict[str, Any], expected: tuple[Any, ...], tmp_path: Path
) -> None:
    load = loaded(name, of, tmp_path, **change)
    assert (load.outcome, load.missing, load.unexpected) == expected, load
