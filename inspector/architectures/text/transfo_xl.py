"""Transformer-XL: an embedding in clusters, relative positions, and an adaptive softmax.

modeling_transfo_xl.py of transformers 4: `cutoffs` divide the vocabulary; cluster n has the width `d_embed //
div_val**n` and a projection to the model's width. With a `div_val` of 1 there is one table, and a projection
only where both widths differ. The head has the layers of the embedding with a bias; `tie_projs` names the clusters
that share their projection, all but the first by default. `untie_r` gives each layer the two biases of the positions.
"""

from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, buffer, dense, linear, param, table

CLUSTERS = "div_val != 1"
ONE = "div_val == 1"
NARROW = "div_val == 1 and e != d"
BIASES = rows(
    part("r_w_bias", "attention.content.bias",  param("h dh")),
    part("r_r_bias", "attention.position.bias", param("h dh")))
TRANSFO_XL = Architecture("transfo-xl", ties="tie_word_embeddings | true",
    ignores="tie_weight adaptive proj_share_all_but_first attn_type mem_len tgt_len ext_len clamp_len same_length "
            "sample_softmax",
    dims=Dims(V="vocab_size", d="d_model", e="d_embed", L="n_layer", h="n_head", dh="d_head", ff="d_inner",
              N="len(cutoffs)+1", K="len(cutoffs)", r="(cutoffs[{N}] | V) - (cutoffs[{N}-1] | 0)",
              T="N[tie_projs] when tie_projs != null | N[1:] when (proj_share_all_but_first | true) | N[:0]",
              U="N - T", C="labels"),
    parts=rows(
        under("word_emb",
            part("emb_layers.{N}", "embed.token",   table("r e//div_val**{N}"), when=CLUSTERS),
            part("emb_projs.{N}",  "embed.project", param("d e//div_val**{N}"),     when=CLUSTERS),
            part("emb_layers.0",   "embed.token",   table("V e"), when=ONE),
            part("emb_projs.0",    "embed.project", param("d e"), when=NARROW)),
        rows(BIASES, when="not untie_r"),
        under("layers.{L}",
            under("dec_attn",
                rows(BIASES, when="untie_r"),
                part("qkv_net",    "attention.qkv",      linear("d -> h*dh + h*dh + h*dh", packs="q k v")),
                part("o_net",      "attention.output",   linear("h*dh -> d")),
                part("r_net",      "attention.position", linear("d -> h*dh")),
                part("layer_norm", "norm.attention",     affine("d"))),
            part("pos_ff.CoreNet.0",  "mlp.up",   dense("d -> ff")),
            part("pos_ff.CoreNet.3",  "mlp.down", dense("ff -> d")),
            part("pos_ff.layer_norm", "norm.mlp", affine("d"))),
        part("pos_emb.inv_freq", "rotary.frequency", buffer("(d+1)//2"))),
    heads=(
        head("Model", ""),
        head("LMHeadModel", "transformer.",
            under("crit",
                part("cluster_weight", "head.cluster",      param("K e"), when="K > 0"),
                part("cluster_bias",   "head.cluster.bias", param("K"),   when="K > 0"),
                part("out_layers.{N}", "head.token", dense("e//div_val**{N} -> r"), tied="word_emb.emb_layers.{N}",
                     when=CLUSTERS),
                part("out_projs.{U}",  "head.project", param("d e//div_val**{U}"), when=CLUSTERS),
                part("out_projs.{T}",  "head.project", param("d e//div_val**{T}"), tied="word_emb.emb_projs.{N}",
                     ties=True, when=CLUSTERS),
                part("out_layers.0",   "head.token", dense("e -> V"), tied="word_emb.emb_layers.0", when=ONE),
                part("out_projs.{U}",  "head.project", param("d e"), when=NARROW),
                part("out_projs.{T}",  "head.project", param("d e"), tied="word_emb.emb_projs.0", ties=True,
                     when=NARROW)), default=True),
        head("ForSequenceClassification", "transformer.", part("score", "head.class", linear("e -> C")))))
