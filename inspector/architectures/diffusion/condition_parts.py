"""Small parts of pipelines that prepare a condition: of unCLIP, Stable unCLIP, Wuerstchen, Stable Audio 3."""

from inspector.notation.definition import Architecture, Dims, part, rows
from inspector.notation.kinds import affine, buffer, dense, linear, param

STABLEUNCLIPIMAGENORMALIZER = Architecture("StableUnCLIPImageNormalizer", dims=Dims(d="embedding_dim"), parts=rows(
    part("mean", "norm.input.mean",      param("1 d")),
    part("std",  "norm.input.deviation", param("1 d"))))
CLIPIMAGEPROJECTION = Architecture("CLIPImageProjection", dims=Dims(d="hidden_size"), parts=rows(
    part("project", "project", linear("d -> d"))))
UNCLIPTEXTPROJMODEL = Architecture("UnCLIPTextProjModel",
    dims=Dims(d="clip_embeddings_dim", t="time_embed_dim", e="cross_attention_dim", n="clip_extra_context_tokens"),
    parts=rows(
        part("learned_classifier_free_guidance_embeddings", "embed.null", param("d")),
        part("embedding_proj", "embed.text.pooled", dense("d -> t")),
        part("clip_image_embeddings_project_to_time_embeddings", "embed.image", dense("d -> t")),
        part("clip_extra_context_tokens_proj", "embed.image.tokens", dense("d -> n*e")),
        part("encoder_hidden_states_proj",     "embed.text", dense("d -> e")),
        part("text_encoder_hidden_states_norm", "norm.text", affine("e"))))
STABLEAUDIO3DURATIONEMBEDDER = Architecture("StableAudio3DurationEmbedder", dims=Dims(f="fourier_dim"), parts=rows(
    part("freqs",  "embed.time.frequency", buffer("f//2")),
    part("linear", "embed.duration",       dense("f -> output_dim"))))
