"""Phi-3-vision and Phi-3.5-vision: code of its own in each repository.

modeling_phi3_v.py, image_embedding_phi3_v.py there: Phi-3's text model, the tower of CLIP ViT-L/14 at 336 pixels, whose
sizes are in the code alone, and a projector of four joined patches. The text's embedding is there a second time
(`vision_embed_tokens.wte`), as the same parameter, and is stored once.
"""

from inspector.architectures.blocks import CAUSAL, DECODER
from inspector.architectures.multimodal.clip import CLIP_VISION
from inspector.architectures.text.phi import PHI3
from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import dense, param

PHI3_V = Architecture("phi3_v", heads=CAUSAL[:2],
    ignores="img_processor embd_layer attention_bias original_max_position_embeddings",
    dims=DECODER | Dims(v="img_processor.image_dim_out | 1024", Lv="24"),
    parts=rows(
        PHI3.parts,
        under("vision_embed_tokens",
            part("glb_GN",           "embed.separator.global", param("1 1 4*v"),
                 when="embd_layer.with_learnable_separator"),
            part("sub_GN",           "embed.separator.part",   param("1 1 1 4*v"),
                 when="embd_layer.with_learnable_separator"),
            part("img_projection.0", "bridge.in",              dense("4*v -> d")),
            part("img_projection.2", "bridge.out",             dense("d -> d"))),
        under("vision_embed_tokens.img_processor.vision_model", CLIP_VISION.parts,
            d="v", L="Lv", ff="4*v", c="3", p="14", pw="14", n="577", tower="vision")))
