"""Make `fixtures/diffusers_single_files.json.gz`: components of diffusers in their authors' layouts.

Needs torch and diffusers; nothing is allocated:

    five/bin/python -m tests.oracle.make_single_files

Names and shapes come from the tables of `inspector.dialects`; a listing is kept only where diffusers' own converter of
single files makes exactly the tensors of the class from it. Sizes are tiny where the converter accepts any, otherwise
those for which it is written.
"""

from __future__ import annotations

import gzip
import itertools
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from inspector.algebra.names import key_of, name_of
from inspector.architectures.catalog import definition_of
from inspector.architectures.defaults import class_defaults
from inspector.dialects.catalog import all_dialects
from inspector.dialects.language import Dialect
from inspector.matcher.dialect_reading import in_dialect
from inspector.notation.binding import bind
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings
from inspector.notation.spelling import Spelling
from tests.oracle.diffusers_bases import BASES
from tests.oracle.make_diffusers_records import built, plain

FIXTURE = Path(__file__).parents[2] / "fixtures" / "diffusers_single_files.json.gz"
Tensors = dict[str, Any]
Convert = Callable[[Tensors, Mapping[str, Any]], Tensors]

HUNYUAN = {"num_layers": 2, "num_single_layers": 2, "num_attention_heads": 24, "attention_head_dim": 128,
           "text_embed_dim": 64, "pooled_projection_dim": 32}  # fmt: skip
WRITTEN_FOR: dict[str, dict[str, Any]] = {
    "HunyuanVideoTransformer3DModel": HUNYUAN,
    "MochiTransformer3DModel": {**BASES["MochiTransformer3DModel"], "num_layers": 48},
    "Lumina2Transformer2DModel": {"num_layers": 2, "cap_feat_dim": 36},
    "ChromaTransformer2DModel": {**BASES["ChromaTransformer2DModel"], "num_attention_heads": 24,
                                 "attention_head_dim": 128, "axes_dims_rope": (16, 56, 56)},
    "ZImageTransformer2DModel": {**BASES["ZImageTransformer2DModel"], "all_patch_size": (2,), "all_f_patch_size": (1,)},
    "SanaTransformer2DModel": {**BASES["SanaTransformer2DModel"], "guidance_embeds": False, "qk_norm": None},
    "StableCascadeUNet": {**BASES["StableCascadeUNet"], "clip_text_in_channels": 28},
}  # fmt: skip
"""Sizes or switches that a converter hard-codes."""
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "WanTransformer3DModel": ({"image_dim": 30, "added_kv_proj_dim": 36},),
    "WanVACETransformer3DModel": ({"image_dim": 30, "added_kv_proj_dim": 36},),
    "StableCascadeUNet": ({"clip_text_in_channels": None},),
    "CosmosTransformer3DModel": ({"extra_pos_embed_type": None},),
}
"""Variants of a class: changes of its arguments."""


def converters() -> dict[str, Convert]:
    """Class -> its converter in diffusers."""
    from diffusers.loaders import single_file_utils as utils  # type: ignore[import-not-found]

    plain_ones = {
        "ChromaTransformer2DModel": utils.convert_chroma_transformer_checkpoint_to_diffusers,
        "Flux2Transformer2DModel": utils.convert_flux2_transformer_checkpoint_to_diffusers,
        "Flux3Transformer2DModel": utils.convert_flux3_transformer_checkpoint_to_diffusers,
        "AuraFlowTransformer2DModel": utils.convert_auraflow_transformer_checkpoint_to_diffusers,
        "Lumina2Transformer2DModel": utils.convert_lumina2_to_diffusers,
        "ZImageTransformer2DModel": utils.convert_z_image_transformer_checkpoint_to_diffusers,
        "SanaTransformer2DModel": utils.convert_sana_transformer_to_diffusers,
        "Krea2Transformer2DModel": utils.convert_krea2_transformer_checkpoint_to_diffusers,
        "QwenImage21Transformer2DModel": utils.convert_qwen_image21_transformer_checkpoint_to_diffusers,
        "StableCascadeUNet": utils.convert_stable_cascade_unet_single_file_to_diffusers,
        "WanTransformer3DModel": utils.convert_wan_transformer_to_diffusers,
        "WanVACETransformer3DModel": utils.convert_wan_transformer_to_diffusers,
        "LTXVideoTransformer3DModel": utils.convert_ltx_transformer_checkpoint_to_diffusers,
        "LTX2VideoTransformer3DModel": utils.convert_ltx2_transformer_to_diffusers,
        "MochiTransformer3DModel": utils.convert_mochi_transformer_checkpoint_to_diffusers,
        "HunyuanVideoTransformer3DModel": utils.convert_hunyuan_video_transformer_to_diffusers,
        "CosmosTransformer3DModel": utils.convert_cosmos_transformer_checkpoint_to_diffusers,
        "MiniMaxH3Transformer3DModel": utils.convert_minimax_h3_transformer_checkpoint_to_diffusers,
    }

    def as_one(convert: Callable[..., Tensors]) -> Convert:
        return lambda tensors, config: convert(checkpoint=tensors, config=config)

    return {name: as_one(convert) for name, convert in plain_ones.items()}


def authors_listing(dialect: Dialect, name: str, config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The tensors of a class in the layout of a dialect."""
    definition = definition_of(name)
    assert definition is not None
    settings = Settings(config, *class_defaults(name), of_type=class_defaults)
    plan = bind(Scope(in_dialect(definition, dialect, "", True), settings, definition_of), definition.default_head,
                Spelling(""))  # fmt: skip
    found: dict[str, tuple[int, ...]] = {}
    for block in plan.blocks:
        assert None not in block.shape, (block.key, block.shape)
        for indices in itertools.product(*block.axes):
            if block.slot.built or block.slot.extra:
                found[name_of(block.key, indices)] = tuple(dim for dim in block.shape if dim is not None)
    return found


def cases() -> Iterator[tuple[Dialect, str, dict[str, Any]]]:
    """Every dialect with a class that has a converter, and arguments of the class."""
    known = converters()
    for dialect in all_dialects():
        for name in dialect.types:
            if name in known:
                base = WRITTEN_FOR.get(name, BASES[name])
                yield dialect, name, base
                yield from ((dialect, name, {**base, **changes}) for changes in VARIANTS.get(name, ()))


def main(names: list[str]) -> None:
    """Write the listings that diffusers' converters confirm."""
    import torch  # type: ignore[import-not-found]

    known, kept = converters(), []
    for dialect, name, arguments in cases():
        if names and name not in names:
            continue
        model = built(name, arguments)
        config = json.loads(model.to_json_string())
        listing = authors_listing(dialect, name, config)
        if not any({*sign} <= {key_of(key)[0] for key in listing} for sign in dialect.signs):
            continue
        wanted = {key: tuple(tensor.shape) for key, tensor in model.state_dict().items()}
        tensors = {key: torch.empty(shape, device="meta") for key, shape in listing.items()}
        try:
            made = known[name](tensors, config)
        except Exception as error:
            print(name, dialect.writer, "refused:", type(error).__name__, str(error)[:200])
            continue
        shapes = {key: tuple(tensor.shape) for key, tensor in made.items() if tensor is not None}
        wrong = sorted({*shapes.items()} ^ {*wanted.items()})
        if wrong:
            print(name, dialect.writer, len(wrong), "differ", wrong[:8])
            continue
        parameters = sum(parameter.numel() for parameter in model.parameters())
        kept.append({"class": name, "given": plain(arguments), "config": config, "num_parameters": parameters,
                     "writer": dialect.writer, "tensors": listing})  # fmt: skip
        print(name, dialect.writer, len(listing), "confirmed", flush=True)
    if not names:
        text = json.dumps(kept, separators=(",", ":"))
        FIXTURE.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1:])
