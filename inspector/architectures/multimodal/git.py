"""GIT: CLIP's tower before a BERT that reads pictures and words.

modeling_git.py: the projection is a linear and a norm; with `num_image_with_embedding` a token for each picture's time.
The head is called `output` and has a bias; it is not tied by default.
"""

from inspector.architectures.multimodal.clip import CLIP_VISION
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, dense, param, table

GIT_VISION = Architecture("git_vision_model", dims=CLIP_VISION.dims, heads=CLIP_VISION.heads,
                          dialects=CLIP_VISION.dialects,
    parts=CLIP_VISION.parts)
GIT = Architecture("git",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", ff="intermediate_size",
              T="max_position_embeddings",
              N="num_image_with_embedding", h="num_attention_heads"),
    parts=rows(
        part("embeddings.word_embeddings",     "embed.token",    table("V d")),
        part("embeddings.position_embeddings", "embed.position", table("T d")),
        maybe("embeddings.position_ids",       "embed.position.index", buffer("1 T")),
        part("embeddings.LayerNorm",           "norm.embed",     affine("d")),
        under("encoder.layer.{L}",
            part("attention.self.query",       "attention.query",  dense("d -> d")),
            part("attention.self.key",         "attention.key",    dense("d -> d")),
            part("attention.self.value",       "attention.value",  dense("d -> d")),
            maybe("attention.self.distance_embedding", "attention.position", table("2*T-1 d/h"),
                  when="position_embedding_type in 'relative_key relative_key_query'"),
            part("attention.output.dense",     "attention.output", dense("d -> d")),
            part("attention.output.LayerNorm", "norm.attention",   affine("d")),
            part("intermediate.dense",         "mlp.up",           dense("d -> ff")),
            part("output.dense",               "mlp.down",         dense("ff -> d")),
            part("output.LayerNorm",           "norm.mlp",         affine("d"))),
        submodel("vision", "image_encoder.", GIT_VISION, head="tower"),
        part("visual_projection.visual_projection.0", "bridge.out",  dense("vision.d -> d")),
        part("visual_projection.visual_projection.1", "norm.bridge", affine("d")),
        part("img_temporal_embedding.{N}", "embed.time", param("1 1 vision.d"), when="N != null")),
    heads=(
        head("Model",       ""),
        head("ForCausalLM", "git.", part("output", "head.token", dense("d -> V"), tied="embed.token"), default=True)))
