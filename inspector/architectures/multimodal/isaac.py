"""Isaac as its authors publish it: Qwen3, and SigLIP 2's tower with shuffled pixels.

vLLM's `isaac.py`: the tower is the first of a sequence of modules, whose second and fourth are the projector without
bias. The keys of the text model are in `text_config` or at the top, its tensors below `text_model` or not.
"""

from inspector.architectures.blocks import LM_HEAD
from inspector.architectures.text.qwen import QWEN3
from inspector.architectures.vision.vision_blocks import CLIP_LAYER, VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, dense, linear, table

PIXEL_SHUFFLE_SIGLIP2 = Architecture("pixel_shuffle_siglip2", heads=(head("tower", ""),),
    ignores="pixel_shuffle_scale_factor", dims=VISION | Dims(n="num_patches | 256", c="num_channels | 3"),
    parts=rows(
        part("embeddings.patch_embedding",    "embed.patch",    dense("c*p*p -> d")),
        part("embeddings.position_embedding", "embed.position", table("n d")),
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",                "norm.final",     affine("d"))))


def either_place(key: str) -> str:
    """A key of the text model."""
    return f"text_config.{key} when stated.text_config | {key}"


ISAAC = Architecture("isaac",
    ties="tie_word_embeddings | text_config.tie_word_embeddings | false",
    ignores="max_sequence_length vision_attn_implementation vision_min_num_patches vision_patch_size vision_token"
            " video_patch_size vision_max_num_patches vision_rescale_factor",
    dims=Dims(V=either_place("vocab_size"), d=either_place("hidden_size"), L=either_place("num_hidden_layers"),
              h=either_place("num_attention_heads"), kv=either_place("num_key_value_heads"),
              dh=f"({either_place('head_dim')}) | d/h", ff=either_place("intermediate_size"),
              i="vision.d*(pixel_shuffle_scale | vision_config.pixel_shuffle_scale_factor | 1)**2"),
    heads=(head("ForConditionalGeneration", "model.", LM_HEAD, default=True),),
    dialects=({}, {f"model.{name}": f"model.text_model.{name}" for name in ("layers.", "embed_tokens.", "norm.")}),
    parts=rows(
        QWEN3.parts,
        submodel("vision", "vision_embedding.0.", PIXEL_SHUFFLE_SIGLIP2),
        part("vision_embedding.1", "bridge.in",  linear("i -> 4*i")),
        part("vision_embedding.3", "bridge.out", linear("4*i -> d"))))
