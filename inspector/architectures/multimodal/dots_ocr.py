"""dots.ocr as its authors publish it: Qwen2 and a vision transformer of their own, which is code of the repository.

configuration_dots.py has the defaults; modeling_dots_vision.py: `fc1` goes through the activation, `fc2` is the way
down; the merger joins squares of patches, with a layer norm between RMS norms.
"""

from inspector.architectures.blocks import DECODER, LM_HEAD
from inspector.architectures.text.qwen import QWEN2
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, scale

DOTS_VISION = Architecture("dots_vit", ties="false", ignores="num_attention_heads temporal_patch_size",
    dims=Dims(d="embed_dim | 1536", L="num_hidden_layers | 42", ff="intermediate_size | 4224", c="num_channels | 3",
              p="patch_size | 14", o="hidden_size | 1536", m="spatial_merge_size | 2", b="use_bias | false"),
    heads=(head("tower VisionTransformer", ""),),
    parts=rows(
        part("patch_embed.patchifier.proj", "embed.patch", conv("c -> d, p p")),
        part("patch_embed.patchifier.norm", "norm.embed",  scale("d")),
        under("blocks.{L}",
            part("norm1",     "norm.attention",   scale("d")),
            part("attn.qkv",  "attention.qkv",    linear("d -> d + d + d", bias="b", packs="q k v")),
            part("attn.proj", "attention.output", linear("d -> d", bias="b")),
            part("norm2",     "norm.mlp",         scale("d")),
            part("mlp.fc1",   "mlp.gate",         linear("d -> ff", bias="b")),
            part("mlp.fc3",   "mlp.up",           linear("d -> ff", bias="b")),
            part("mlp.fc2",   "mlp.down",         linear("ff -> d", bias="b"))),
        part("post_trunk_norm", "norm.final", scale("d"), when="post_norm | true"),
        part("merger.ln_q",     "norm.merger", affine("d")),
        part("merger.mlp.0",    "merger.up",   dense("d*m**2 -> d*m**2")),
        part("merger.mlp.2",    "merger.down", dense("d*m**2 -> o"))))
DOTS_OCR = Architecture("dots_ocr", dims=DECODER, parts=QWEN2.parts,
    heads=(head("ForCausalLM", "model.", LM_HEAD, submodel("vision", "vision_tower.", DOTS_VISION), default=True),))
