"""Moondream 2 as its authors publish it since 2025: code of their repository, whose sizes are constants.

vision.py, text.py, region.py: the configuration class drops what config.json states, so that every checkpoint has the
sizes of the code. Each layer of the text model has one norm for both halves; the embedding is a bare tensor, and the
head is another one with a bias. Coordinates and sizes of regions pass Fourier features.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, dense, param

MLP = rows(                                    # i in, m between, o out
    part("fc1", "mlp.up",   dense("i -> m")),
    part("fc2", "mlp.down", dense("m -> o")))
MOONDREAM = Architecture("HfMoondream", heads=(head("HfMoondream", ""),), ignores="config",
    dims=Dims(V="51200", d="2048", L="24", ff="8192", v="1152", Lv="27", fv="4304", p="14", g="378//p", m="8192",
              c="256", s="512"),
    parts=under("model",
        under("vision",
            part("patch_emb", "embed.patch",    dense("3*p*p -> v")),
            part("pos_emb",   "embed.position", param("1 g*g v")),
            under("blocks.{Lv}",
                part("ln1",       "norm.attention",   affine("v")),
                part("attn.qkv",  "attention.qkv",    dense("v -> v + v + v", packs="q k v")),
                part("attn.proj", "attention.output", dense("v -> v")),
                part("ln2",       "norm.mlp",         affine("v")),
                under("mlp", MLP, i="v", m="fv", o="v")),
            part("post_ln", "norm.final", affine("v")),
            part("proj_mlp.fc1", "bridge.in",  dense("2*v -> m")),
            part("proj_mlp.fc2", "bridge.out", dense("m -> d")), tower="vision"),
        under("text",
            part("wte", "embed.token", param("V d")),
            under("blocks.{L}",
                part("ln",        "norm.attention",   affine("d")),
                part("attn.qkv",  "attention.qkv",    dense("d -> d + d + d", packs="q k v")),
                part("attn.proj", "attention.output", dense("d -> d")),
                under("mlp", MLP, i="d", m="ff", o="d")),
            part("post_ln", "norm.final", affine("d")),
            part("lm_head", "head.token", dense("d -> V"))),
        under("region",
            part("coord_features", "embed.frequency",      param("1 c//2")),
            part("size_features",  "embed.frequency.size", param("2 s//2")),
            part("coord_encoder",  "embed.region",         dense("c -> d")),
            part("size_encoder",   "embed.region.size",    dense("s -> d")),
            under("coord_decoder", MLP, i="d", m="m", o="4*c", tower="region.coordinate"),
            under("size_decoder",  MLP, i="d", m="m", o="4*s", tower="region.size"))))
