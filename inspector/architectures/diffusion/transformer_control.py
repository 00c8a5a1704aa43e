"""Control networks of Sana, Cosmos and Z-Image.

controlnet_sana.py: Sana's blocks without norms of queries and keys. controlnet_cosmos.py: the first block has a linear
before it, each one after it; the width of the embedders is a separate key. controlnet_z_image.py: the first block, the
one for layer 0, has a linear before it; the refiner is of blocks of either kind, or shared with the layers.
"""

from inspector.architectures.diffusion.diffusion_transformer import SANA_BLOCK, SANA_DIMS, SANA_IN
from inspector.architectures.diffusion.image_transformers import Z_BLOCK, Z_MODULATION
from inspector.architectures.diffusion.video_transformers import COSMOS_BLOCK, COSMOS_DIMS, COSMOS_IN
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import conv, dense, linear

SANACONTROLNETMODEL = Architecture("SanaControlNetModel", dims=SANA_DIMS | Dims(guided="false", normed="false"),
    parts=rows(
        part("patch_embed.proj", "embed.patch", conv("c -> d, p p")),
        SANA_IN,
        under("transformer_blocks.{L}", SANA_BLOCK),
        part("input_block",           "embed.condition", dense("d -> d")),
        part("controlnet_blocks.{L}", "head.double",     dense("d -> d"))))
# y: width of the embedders; first: the block with a linear before it
COSMOSCONTROLNETMODEL = Architecture("CosmosControlNetModel",
    dims=COSMOS_DIMS | Dims(y="model_channels", L="n_controlnet_blocks", first="L[:1]"),
    parts=rows(
        part("patch_embed.proj",      "embed.condition", linear("c*P*p*q -> y")),
        part("patch_embed_base.proj", "embed.patch",     linear("latent_channels*P*p*q -> y")),
        rows(COSMOS_IN, d="y"),
        under("control_blocks.{L}", COSMOS_BLOCK),
        part("control_blocks.{first}.before_proj", "embed.control.in", dense("d -> d")),
        part("control_blocks.{L}.after_proj",      "head.control",     dense("d -> d"))))
BEFORE = part("before_proj", "embed.control.in", dense("d -> d"))
AFTER = part("after_proj", "head.control", dense("d -> d"))
# C: blocks, B: those for layer 0; M: blocks of the refiner, of control blocks where `controls`
ZIMAGECONTROLNETMODEL = Architecture("ZImageControlNetModel",
    dims=Dims(d="dim", h="n_heads", dh="d//h", t="min(d, 256)", ff="8*d//3", c="control_in_dim",
              places="control_layers_places", C="len(places)", B="C[places == 0]", M="n_refiner_layers",
              first="M[:1]", refiner="add_control_noise_refiner", controls="refiner == 'control_noise_refiner'",
              P="all_patch_size", F="all_f_patch_size", patch="c*{F}*{P}*{P}"),
    parts=rows(
        under("control_layers.{C}", Z_BLOCK, Z_MODULATION, AFTER),
        under("control_layers.{B}", BEFORE),
        part("control_all_x_embedder.{P}-{F}", "embed.condition", dense("patch -> d")),
        under("control_noise_refiner.{M}", Z_BLOCK, Z_MODULATION, tower="noise",
              when="refiner == null or refiner != 'control_layers'"),
        under("control_noise_refiner.{M}", AFTER, tower="noise", when="controls"),
        under("control_noise_refiner.{first}", BEFORE, tower="noise", when="controls")))
