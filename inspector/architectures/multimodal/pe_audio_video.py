"""Perception Encoders for sound and for video, next to a text encoder.

modeling_pe_audio.py, modeling_pe_video.py: Qwen 3's layers over frames, which DAC's encoder or a network of the library
timm makes, then a projection and two convolutions with a group norm before each; scale and bias of the scores are
parameters.
"""

from inspector.architectures.audio.dac import DAC, DAC_ENCODER
from inspector.architectures.blocks import DECODER, GQA, PRE_NORMS, QK_NORM, SWIGLU
from inspector.architectures.vision.perception import perception
from inspector.notation.definition import Architecture, Dims, Row, head, part, rows, submodel, under
from inspector.notation.kinds import affine, conv, dense, linear, param, scale

LAYERS = rows(
    part("patch_embedder.class_embedding",                        "embed.class",   param("1 1 d")),
    part("patch_embedder.resnet_block.block1.groupnorm", "norm.resnet.1", affine("d")),
    part("patch_embedder.resnet_block.block1.project",   "resnet.conv.1", conv("d -> d, 3")),
    part("patch_embedder.resnet_block.block2.groupnorm", "norm.resnet.2", affine("d")),
    part("patch_embedder.resnet_block.block2.project",   "resnet.conv.2", conv("d -> d, 3")),
    under("layers.{L}", PRE_NORMS,
        under("self_attn", rows(GQA, b="attention_bias", bo="attention_bias"), QK_NORM),
        under("mlp", SWIGLU)),
    part("norm",   "norm.final",  scale("d")),
    part("output", "bridge.out", linear("d -> d")))
LATENT: Architecture = Architecture("dac", dims=DAC.dims, parts=DAC_ENCODER, heads=(head("Model", ""),))
PE_AUDIO_ENCODER = Architecture("pe_audio_encoder", heads=(head("Encoder", ""),),
    dims=DECODER | Dims(D="dac.d", e="dac.e"),
    parts=rows(
        submodel("dac", "embedder.dac_encoder.", LATENT),
        part("embedder.bottleneck", "embed.frame", conv("D -> e, 1")),
        part("embedder.data_proj",  "embed.project",    dense("e -> d")),
        LAYERS))
PE_VIDEO_ENCODER = Architecture("pe_video_encoder", heads=(head("Encoder", ""),),
    dims=DECODER | Dims(v="vision.C"),
    parts=rows(
        perception("embedder.vision_model.", "vision_config", "ForImageClassification"),
        part("embedder.proj",      "embed.frame", linear("v -> d")),
        part("embedder.data_proj", "embed.project",    dense("d -> d")),
        LAYERS))


def scored(kind: str) -> Row:
    """The heads that compare text with sound or video: t the text's width, w the other's."""
    return rows(
        part(f"text_{kind}_head.layer_norm", "norm.text",    affine("t")),
        part(f"text_{kind}_head.proj",       "head.project.text", linear("t -> t")),
        part(f"{kind}_head.layer_norm",      "norm.head",         affine("w")),
        part(f"{kind}_head.proj",            "head.project",      linear("w -> t")),
        part(f"text_{kind}_logit_scale",     "head.scale",        param("1")),
        part(f"text_{kind}_logit_bias",      "head.bias",         param("1")))


PE_AUDIO = Architecture("pe_audio", dims=Dims(t="text.d", w="audio.d"),
    heads=(head("Model", ""),),
    parts=rows(
        submodel("text", "text_model.", head="Model"),
        submodel("audio", "audio_encoder.", PE_AUDIO_ENCODER),
        scored("audio")))
PE_VIDEO = Architecture("pe_video", dims=Dims(t="text.d", w="video.d"),
    heads=(head("Model", ""),),
    parts=rows(
        submodel("text", "text_model.", head="Model"),
        submodel("video", "video_encoder.", PE_VIDEO_ENCODER),
        scored("video")))
