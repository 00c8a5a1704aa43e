"""Ovis 2.5 as its authors publish it: a SigLIP 2 tower that ends in a visual vocabulary, and Qwen 3.

modeling_ovis.py, modeling_siglip2_navit.py of the authors' repository: patches are a convolution, or with `num_patches`
a linear on flat patches; the position table is optional. The tower's head reads `hidden_stride` squared patches at once
and is narrower than the visual vocabulary by four indicators; the table of visual embeddings has the whole vocabulary.
"""

from inspector.architectures.text.qwen import QWEN3
from inspector.architectures.vision.vision_blocks import CLIP_LAYER, VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, table

SIGLIP2_NAVIT = Architecture("siglip2_navit", heads=(head("tower Model", ""),),
    ignores="window_size fullatt_block_indexes temporal_patch_size use_rope",
    dims=VISION | Dims(flat="num_patches > 0", n="num_patches when flat | g", c="num_channels | 3"),
    parts=rows(
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p p"), when="not flat"),
        part("embeddings.patch_embedding",    "embed.patch",    dense("c*p*p -> d"), when="flat"),
        part("embeddings.position_embedding", "embed.position", table("n d"), when="preserve_original_pe | true"),
        under("encoder.layers.{L}", CLIP_LAYER),
        part("post_layernorm",                "norm.final",     affine("d"))))
OVIS2_5 = Architecture("ovis2_5 ovis",
    ties="llm_config.tie_word_embeddings | false",
    heads=(head("Ovis Ovis2_5", "", default=True),),
    ignores="conversation_formatter_class",
    dims=Dims(d="hidden_size | text.d", V="text.V", v="vision.d", W="visual_vocab_size | 65536",
              s="vit_config.hidden_stride | 2"),
    parts=rows(
        submodel("text",   "llm.", QWEN3, config="llm_config", head="ForCausalLM", by_type=True),
        submodel("vision", "visual_tokenizer.vit.vision_model.", SIGLIP2_NAVIT, config="vit_config"),
        part("visual_tokenizer.head.0", "head.token",  linear("v*s*s -> W - 4")),
        part("visual_tokenizer.head.1", "norm.head",   affine("W - 4")),
        part("vte",                     "embed.image", table("W d"))))
