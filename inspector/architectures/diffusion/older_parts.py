"""Parts of older pipelines: Wuerstchen's decoder, and the learned text embeddings of VQ Diffusion.

modeling_wuerstchen_diffnext.py: a stage's blocks are numbered through, behind the convolution that halves the size on
the way down and before the one that doubles it on the way up; stages of `inject_effnet` read the condition in their
residual blocks.
"""

from inspector.architectures.diffusion.cascade import ATTENTION, RESIDUAL
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import conv, conv_t, dense, param

# S, U: down and up stages; w, v, u, q: channels of a stage and of its neighbour; n, nu: blocks of a layer; o: the
# blocks before the first layer; N, M: numbered blocks, of which A, E are residual, B, F read the time step, C, G are
# attention; D, W: stages that resize, X their last block; Q, P: stages with a condition; a, b: width of all heads
WUERSTCHENDIFFNEXT = Architecture("WuerstchenDiffNeXt",
    dims=Dims(S="len(c_hidden)", U="len(c_hidden)", d="c_hidden[0]", p="patch_size", r="c_r", x="c_cond",
              w="c_hidden[{S}]", v="c_hidden[{S}-1] | d", D="S[1:]",
              u="c_hidden[S-1-{U}]", q="c_hidden[S-2-{U}] | d", W="U[:U-1]",
              n="len(level_config[{S}])", o="1 when {S} > 0 | 0", N="o + blocks[{S}]*n",
              A="N[{N} >= o and 'C' in level_config[{S}][({N} - o) % n]]",
              B="N[{N} >= o and 'T' in level_config[{S}][({N} - o) % n]]",
              C="N[{N} >= o and 'A' in level_config[{S}][({N} - o) % n]]",
              nu="len(level_config[S-1-{U}])", m="blocks[S-1-{U}]*nu", M="m",
              E="M['C' in level_config[S-1-{U}][{M} % nu]]", F="M['T' in level_config[S-1-{U}][{M} % nu]]",
              G="M['A' in level_config[S-1-{U}][{M} % nu]]", X="m : m + 1",
              given="x when inject_effnet[{S}] | 0",
              skip="(u when {U} > 0 and {E} == 0 | 0) + (x when inject_effnet[S-1-{U}] | 0)",
              a="nhead[{S}]*(w//nhead[{S}])", b="nhead[S-1-{U}]*(u//nhead[S-1-{U}])",
              Q="S[inject_effnet]", T="2*S", P="T[{T} >= S and (2*S - 1 - {T}) in Q]"),
    parts=rows(
        part("clip_mapper",        "embed.text",  dense("clip_embd -> x")),
        rows(part("effnet_mappers.{Q}", "embed.map", conv("effnet_embd -> x, 1 1")), tower="down"),
        rows(part("effnet_mappers.{P}", "embed.map", conv("effnet_embd -> x, 1 1")), tower="up"),
        part("embedding.1",        "embed.image", conv("c_in*p*p -> d, 1 1")),
        under("down_blocks",
            under("{S}.{A}", RESIDUAL, c="w", s="given"),
            part("{S}.{B}.mapper", "embed.time", dense("r -> 2*w")),
            under("{S}.{C}", ATTENTION, c="w"),
            part("{D}.0.1", "resnet.down", conv("v -> w, 2 2")), tower="down"),
        under("up_blocks",
            under("{U}.{E}", RESIDUAL, c="u", s="skip"),
            part("{U}.{F}.mapper", "embed.time", dense("r -> 2*u")),
            under("{U}.{G}", ATTENTION, c="u", a="b"),
            part("{W}.{X}.1", "resnet.up", conv_t("u -> q, 2 2")), tower="up"),
        part("clf.1", "head.image", conv("d -> 2*c_out*p*p, 1 1"))))

LEARNEDCLASSIFIERFREESAMPLINGEMBEDDINGS = Architecture("LearnedClassifierFreeSamplingEmbeddings",
    dims=Dims(), heads=(head("", ""),),
    parts=part("embeddings", "embed.null", param("length hidden_size"), when="learnable"))
