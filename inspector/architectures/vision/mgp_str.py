"""MGP-STR, which reads text in pictures of scenes.

modeling_mgp_str.py: one vision transformer without a final norm, and three heads (characters, BPE, WordPiece) that each
learn where the tokens are; their convolutions have eight groups.
"""

from inspector.architectures.vision.vision_blocks import VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, conv, dense, linear, param

A3 = rows(
    part("token_norm",     "norm.tokens", affine("d")),
    part("tokenLearner.0", "pool.learn",       conv("d -> d, 1 1", groups="8", bias=False)),
    part("tokenLearner.1", "pool.learn",       conv("d -> max_token_length, 1 1", bias=False)),
    part("feat",           "pool.feature",     conv("d -> d, 1 1", groups="8", bias=False)),
    part("norm",           "norm.feature", affine("d")))
MGP_STR = Architecture("mgp-str",
    dims=VISION | Dims(ff="floor(d*mlp_ratio)", b="qkv_bias", n="g + 2 when distilled | g + 1"),
    parts=rows(
        part("embeddings.cls_token", "embed.class",    param("1 1 d")),
        part("embeddings.pos_embed", "embed.position", param("1 n d")),
        part("embeddings.proj",      "embed.patch",    conv("c -> d, p pw")),
        under("encoder.blocks.{L}",
            part("norm1",     "norm.attention",   affine("d")),
            part("attn.qkv",  "attention.qkv",    linear("d -> d + d + d", bias="b", packs="q k v")),
            part("attn.proj", "attention.output", dense("d -> d")),
            part("norm2",     "norm.mlp",         affine("d")),
            part("mlp.fc1",   "mlp.up",           dense("d -> ff")),
            part("mlp.fc2",   "mlp.down",         dense("ff -> d")))),
    heads=(
        head("Model", ""),
        head("ForSceneTextRecognition", "mgp_str.",
            under("char_a3_module", A3, tower="characters"),
            under("bpe_a3_module",  A3, tower="bpe"),
            under("wp_a3_module",   A3, tower="wordpiece"),
            part("char_head", "head.characters", dense("d -> num_character_labels")),
            part("bpe_head",  "head.bpe",        dense("d -> num_bpe_labels")),
            part("wp_head",   "head.wordpiece",  dense("d -> num_wordpiece_labels")), default=True)))
