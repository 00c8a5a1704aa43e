"""GLM-Image's writer of image tokens: GLM-4 between an encoder of pictures and the codes that it quantizes to.

modeling_glm_image.py: the head writes codes of pictures only, `vision_vocab_size` of them, and is never tied.
"""

from inspector.architectures.text.glm import GLM4
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, table

GLM_IMAGE_VISION = Architecture("glm_image_vision", ignores="num_heads spatial_merge_size",
    dims=Dims(d="hidden_size", L="depth", ff="intermediate_size", p="patch_size", c="in_channels", b="attention_bias"),
    parts=rows(
        part("patch_embed.proj",              "embed.patch",    conv("c -> d, p p")),
        part("embeddings.position_embedding", "embed.position", table("(image_size//p)**2 d")),
        under("blocks.{L}",
            part("norm1",     "norm.attention",   affine("d")),
            part("attn.qkv",  "attention.qkv",    linear("d -> d + d + d", bias="b", packs="q k v")),
            part("attn.proj", "attention.output", linear("d -> d", bias="b")),
            part("norm2",     "norm.mlp",         affine("d")),
            part("mlp.fc1",   "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",   "mlp.down",         dense("ff -> d")))),
    heads=(head("Model", ""),))
GLM_IMAGE_VQMODEL = Architecture("glm_image_vqmodel", ignores="in_channels",
    dims=Dims(d="embed_dim", z="latent_channels"),
    parts=rows(
        part("quantize.embedding", "quantizer.codes", table("num_embeddings d")),
        part("quant_conv",         "quantizer.in",  conv("z -> d, 1 1")),
        part("post_quant_conv",    "quantizer.out", conv("d -> z, 1 1"))),
    heads=(head("VQVAE", "", default=True),))
BODY = rows(
    submodel("text", "language_model.", GLM4, head="Model"),
    submodel("vision", "visual.", GLM_IMAGE_VISION),
    submodel("vq", "vqmodel.", GLM_IMAGE_VQMODEL))
GLM_IMAGE = Architecture("glm_image", ties="false", dims=Dims(d="text.d"),
    heads=(
        head("ForConditionalGeneration", "", under("model", BODY),
             part("lm_head", "head.token", linear("d -> text_config.vision_vocab_size"))),
        head("Model", "", BODY)))
