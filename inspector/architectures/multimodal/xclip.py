"""X-CLIP and ALIGN.

modeling_x_clip.py: CLIP's towers, the layers of the picture's with a message between frames; a small transformer
integrates frames, and prompts for the text are made from the picture. modeling_align.py: an EfficientNet without its
last convolution next to a BERT, whose output is projected, with bias, to the picture's width.
"""

from inspector.architectures.multimodal.clip import CLIP_TEXT
from inspector.architectures.text.bert import BERT
from inspector.architectures.vision.mobilenet import EFFICIENT_DIMS, EFFICIENT_PARTS
from inspector.architectures.vision.vision_blocks import CLIP_LAYER, VISION
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, conv, dense, linear, param, table

MESSAGE = rows(
    part("message_fc",            "attention.message.up",     dense("d -> d")),
    part("message_ln",            "norm.message",   affine("d")),
    part("message_attn.q_proj",   "attention.message.query",  dense("d -> d")),
    part("message_attn.k_proj",   "attention.message.key",    dense("d -> d")),
    part("message_attn.v_proj",   "attention.message.value",  dense("d -> d")),
    part("message_attn.out_proj", "attention.message.output", dense("d -> d")))
XCLIP_VISION = Architecture("xclip_vision_model", dims=VISION | Dims(n="g + 1"),
    heads=(head("tower", ""), head("VisionModel", "vision_model.")),
    dialects=({}, {"": "vision_model."}, {"vision_model.": ""}),
    parts=rows(
        part("embeddings.class_embedding",    "embed.class",    param("d")),
        part("embeddings.patch_embedding",    "embed.patch",    conv("c -> d, p pw", bias=False)),
        part("embeddings.position_embedding", "embed.position", table("n d")),
        maybe("embeddings.position_ids",      "embed.position.index", buffer("1 n")),
        part("pre_layernorm",                 "norm.embed",     affine("d")),
        under("encoder.layers.{L}", CLIP_LAYER, MESSAGE),
        part("post_layernorm",                "norm.final",     affine("d"))))
XCLIP = Architecture("xclip",
    dims=Dims(q="projection_dim", m="vision_config.mit_hidden_size", Lm="vision_config.mit_num_hidden_layers",
              fm="vision_config.mit_intermediate_size", F="vision_config.num_frames", P="prompt_layers", v="vision.d"),
    parts=rows(
        submodel("text", "text_model.", CLIP_TEXT),
        submodel("vision", "vision_model.", XCLIP_VISION),
        part("logit_scale",               "head.scale",          param("")),
        part("text_projection",           "head.project.text",   linear("text.d -> q")),
        part("visual_projection",         "head.project.image", linear("v -> q")),
        part("prompts_visual_layernorm",  "norm.prompt",         affine("v")),
        part("prompts_visual_projection", "embed.prompt.project",      param("v q")),
        part("mit.position_embedding",    "embed.frame",         param("1 F m")),
        under("mit.encoder.layers.{Lm}", CLIP_LAYER, d="m", ff="fm", tower="frames"),
        under("prompts_generator",
            part("alpha",     "embed.prompt.scale",      param("q")),
            part("layernorm", "norm.prompt.embed", affine("q")),
            under("decoder.{P}",
                part("cross_attn.q_proj", "cross.query",  linear("q -> q")),
                part("cross_attn.k_proj", "cross.key",    linear("q -> q")),
                part("cross_attn.v_proj", "cross.value",  linear("q -> q")),
                part("cross_attn.proj",   "cross.output", dense("q -> q")),
                part("norm1",             "norm.cross",   affine("q")),
                part("mlp.0",             "mlp.up",       dense("q -> 4*q")),
                part("mlp.3",             "mlp.down",     dense("4*q -> q")),
                part("norm3",             "norm.mlp",     affine("q"))), tower="prompt")),
    heads=(head("Model", ""),))
ALIGN_TEXT = Architecture("align_text_model", dims=BERT.dims, parts=BERT.parts,
    heads=(head("TextModel", "", part("pooler.dense", "pooler", dense("d -> d"))),))
ALIGN_VISION = Architecture("align_vision_model", ignores="num_hidden_layers", dims=EFFICIENT_DIMS,
                            parts=EFFICIENT_PARTS,
    heads=(head("VisionModel", ""),))
ALIGN = Architecture("align", dims=Dims(q="projection_dim"),
    parts=rows(
        submodel("text", "text_model.", ALIGN_TEXT),
        submodel("vision", "vision_model.", ALIGN_VISION),
        part("text_projection", "head.project.text", dense("text.d -> q")),
        part("temperature",     "head.scale",        param(""))),
    heads=(head("Model", ""),))
