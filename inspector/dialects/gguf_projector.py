"""llama.cpp: names of the tensors in mmproj files, which contain the towers and the projector of a model.

Sources: gguf-py 0.19.0 `tensor_mapping.py` (V_, A_ and MM_ tensors); llama.cpp's convert_hf_to_gguf.py (the MmprojModel
classes), as its conversions of small models show. A name of transformers has one or more names here. Towers that are
not in the table are unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

ARCHITECTURE: Final = "clip"
"""The value of `general.architecture` in these files."""
_PREFIX: Final = re.compile(r"^(?:model\.|thinker\.)*")
_TOWERS: Final = {
    "v": r"(?:visual|vit|vision_encoder|vision_model(?:\.model)?|vision_tower(?:\.vision_model)?)",
    "a": r"audio_tower",
}
_LAYER: Final = r"(?:(?:encoder|transformer)\.)?(?:layers?|blocks)\.(\d+)\."
_OUTSIDE: Final = re.compile(
    rf"(?:{_TOWERS['v']}|{_TOWERS['a']}|multi_modal_projector|patch_merger|aligner|connector|embed_vision|embed_audio"
    r"|mm_projector|mlp1|mlp_AR|projector)\."
)
"""Beginnings of the names of tensors that belong in an mmproj file."""

LAYER: Final[Mapping[str, str]] = {
    "attn.qkv": "attn_qkv | attn_q + attn_k + attn_v",
    "attn.proj self_attn.out_proj self_attn.o_proj self_attn.projection_layer attention.o_proj "
    "attention.projection_layer": "attn_out",
    "self_attn.q_proj attention.q_proj": "attn_q",
    "self_attn.k_proj attention.k_proj": "attn_k",
    "self_attn.v_proj attention.v_proj": "attn_v",
    "attn.q_norm self_attn.q_norm attention.q_norm": "attn_q_norm",
    "attn.k_norm self_attn.k_norm attention.k_norm": "attn_k_norm",
    "norm1 layer_norm1 input_layernorm attention_norm layernorm_before self_attn_layer_norm": "ln1",
    "norm2 layer_norm2 ffn_norm layernorm_after final_layer_norm": "ln2",
    "post_attention_layernorm": "ln2 | attn_post_norm",
    "mlp.fc1 mlp.linear_fc1 mlp.up_proj feed_forward.up_proj mlp.dense_h_to_4h fc1": "ffn_up",
    "mlp.fc2 mlp.linear_fc2 mlp.down_proj feed_forward.down_proj mlp.dense_4h_to_h fc2": "ffn_down",
    "mlp.gate_proj feed_forward.gate_proj": "ffn_gate",
    "lambda_1": "ls1",
    "lambda_2": "ls2",
}
"""Paths within a layer of a tower -> names within a block; `|` separates alternatives, `+` parts of one tensor."""
VISION: Final[Mapping[str, str]] = {
    "patch_embed.proj embeddings.patch_embedding patch_embedding.linear patch_conv "
    "embeddings.patch_embeddings.projection": "v.patch_embd.* + v.patch_embd.*.1 | v.patch_embd",
    "embeddings.class_embedding class_embedding embeddings.cls_token": "v.class_embd",
    "embeddings.position_embedding embeddings.position_embeddings pos_embed positional_embedding_vlm":
        "v.position_embd",
    "pre_layrnorm layernorm_pre ln_pre": "v.pre_ln",
    "post_layernorm layernorm_post merger.ln_q merger.norm": "v.post_ln",
    "post_conv_layernorm": "v.norm_embd",
    "merger.mlp.#": "mm.{0}",
    "merger.linear_fc1": "mm.0",
    "merger.linear_fc2": "mm.2",
    "merger.proj perceive.mlp": "mm.model.fc",
    "merger.gate_proj": "mm.gate",
    "merger.up_proj": "mm.up",
    "merger.down_proj": "mm.down",
    "merger.post_projection_norm perceive.after_rms": "mm.post_norm",
    "perceive.before_rms": "mm.pre_norm",
    "perceive.image_begin": "mm.image_begin",
    "perceive.image_end": "mm.image_end",
    "perceive.image_newline": "v.image_newline",
    "perceive.image_sep": "v.view_seperator",
    "perceive.proj.#": "mm.{0}",
    "downsample": "mm.patch_merger",
    "deepstack_merger_list.#.linear_fc1": "v.deepstack.{deep}.fc1",
    "deepstack_merger_list.#.linear_fc2": "v.deepstack.{deep}.fc2",
    "deepstack_merger_list.#.norm": "v.deepstack.{deep}.norm",
    "vision_adapter.mlp.fc1": "mm.model.mlp.1",
    "vision_adapter.mlp.fc2": "mm.model.mlp.2",
}  # fmt: skip
"""Paths below a vision tower. `{deep}`: the layer that the config gives for a number."""
AUDIO: Final[Mapping[str, str]] = {
    "conv1": "a.conv1d.1",
    "conv2": "a.conv1d.2",
    "embed_positions": "a.position_embd",
    "layer_norm": "a.post_ln",
}
OTHERS: Final[Mapping[str, str]] = {
    "aligner.fc1": "mm.0",
    "aligner.hidden_layers.#": "mm.{next}",
    "connector.modality_projection.proj": "mm.model.fc",
    "multi_modal_projector.linear": "mm.a.fc | mm.fc",
    "multi_modal_projector.linear_1": "mm.a.mlp.1 | mm.model.fc | mm.1 | mm.0",
    "multi_modal_projector.linear_2": "mm.a.mlp.2 | mm.2",
    "multi_modal_projector.norm": "mm.input_norm",
    "multi_modal_projector.patch_merger.merging_layer": "mm.patch_merger",
    "multi_modal_projector.mm_input_projection_weight": "mm.input_projection",
    "multi_modal_projector.mm_soft_emb_norm": "mm.soft_emb_norm",
}
"""Paths of projectors next to the towers. `{next}`: the number plus one."""
WITHOUT_FIRST: Final = frozenset({"vit.embeddings.position_embedding.weight"})
"""Names of transformers whose first row is left out: that of an unused class token."""


def projector_names(name: str, config: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The names in an mmproj file of a tensor of transformers: alternatives, each of one or more parts.

    Empty if no name is known.
    """
    path, suffix = _split(_PREFIX.sub("", name))
    for pattern, names in _rules():
        found = pattern.fullmatch(path)
        if found is not None:
            number = int(found[found.lastindex]) if found.lastindex else 0
            numbers = {"next": number + 1, "deep": _deep(config, number)}
            return [
                tuple(_whole(part.format(*found.groups(), **numbers), suffix) for part in one.split(" + "))
                for one in names.split(" | ")
            ]
    return []


def is_outside_text(name: str) -> bool:
    """True if a tensor of transformers belongs to a tower or a projector."""
    return _OUTSIDE.match(_PREFIX.sub("", name)) is not None


def without_first_row(name: str) -> bool:
    """True if the first row of a tensor is left out."""
    return _PREFIX.sub("", name) in WITHOUT_FIRST


def _split(name: str) -> tuple[str, str]:
    path, _, last = name.rpartition(".")
    return (path, last) if last in ("weight", "bias") else (name, "")


def _whole(name: str, suffix: str) -> str:
    return name.replace("*", suffix) if "*" in name else f"{name}.{suffix}" if suffix else name


def _deep(config: Mapping[str, Any], number: int) -> int:
    """The layer after which a further merger follows."""
    vision = config.get("vision_config")
    layers: Sequence[Any] = vision.get("deepstack_visual_indexes", ()) if isinstance(vision, dict) else ()
    known = isinstance(layers, list) and number < len(layers) and type(layers[number]) is int
    return int(layers[number]) if known else number


@cache
def _rules() -> list[tuple[re.Pattern[str], str]]:
    rules: list[tuple[re.Pattern[str], str]] = []

    def add(prefix: str, table: Mapping[str, str], block: str = "") -> None:
        for paths, names in table.items():
            for path in paths.split():
                pattern = re.escape(path).replace(r"\#", r"(\d+)").replace("#", r"(\d+)")
                whole = re.sub(r"[^ |+]+", lambda found: block + found[0], names) if block else names
                rules.append((re.compile(prefix + pattern), whole))

    for letter, tower in _TOWERS.items():
        add(rf"{tower}\.{_LAYER}", LAYER, f"{letter}.blk.{{0}}.")
    add(rf"{_TOWERS['v']}\.", VISION)
    add(rf"{_TOWERS['a']}\.", AUDIO)
    add("", OTHERS)
    return rules
