"""Bark. modeling_bark.py: three GPTs and EnCodec. The two causal ones store their masks, and `bias` reaches their norms
too; the fine one has a table for each codebook and a head for each that is not given, each tied to the table of its
codebook.
"""

from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, linear, table

DIMS = Dims(V="input_vocab_size", O="output_vocab_size", d="hidden_size", L="num_layers", h="num_heads", T="block_size",
            b="bias")
LAYER = rows(                                  # bn: bias of the norms
    part("layernorm_1",   "norm.attention",   affine("d", bias="bn")),
    part("layernorm_2",   "norm.mlp",         affine("d", bias="bn")),
    part("attn.att_proj", "attention.qkv",    linear("d -> d + d + d", packs="q k v", bias="b")),
    part("attn.out_proj", "attention.output", linear("d -> d", bias="b")),
    part("mlp.in_proj",   "mlp.up",           linear("d -> 4*d", bias="b")),
    part("mlp.out_proj",  "mlp.down",         linear("4*d -> d", bias="b")))
BARK_CAUSAL = Architecture("semantic coarse_acoustics", dims=DIMS, heads=(head("Model", ""),),
    parts=rows(
        part("input_embeds_layer",    "embed.token",    table("V d")),
        part("position_embeds_layer", "embed.position", table("T d")),
        part("layernorm_final",       "norm.final",     affine("d", bias="b")),
        part("lm_head",               "head.token",     linear("d -> O")),
        under("layers.{L}", LAYER, maybe("attn.bias", "attention.mask", buffer("1 1 T T")), bn="b")))
BARK_FINE = Architecture("fine_acoustics", dims=DIMS | Dims(N="n_codes_total", H="N - n_codes_given"),
                         heads=(head("Model", ""),),
    ties="tie_word_embeddings | true",
    parts=rows(
        part("input_embeds_layers.{N}", "embed.token",    table("V d")),
        part("position_embeds_layer",   "embed.position", table("T d")),
        part("layernorm_final",         "norm.final",     affine("d")),
        part("lm_heads.{H}",            "head.token",     linear("d -> O"), tied="embed.token"),
        under("layers.{L}", LAYER, bn="true")))
BARK = Architecture("bark", dims=Dims(), heads=(head("Model", ""),),
    parts=rows(
        submodel("semantic",         "semantic.", BARK_CAUSAL),
        submodel("coarse_acoustics", "coarse_acoustics.", BARK_CAUSAL),
        submodel("fine_acoustics",   "fine_acoustics.", BARK_FINE),
        submodel("codec",            "codec_model.")))
