"""TrOCR's decoder. modeling_trocr.py: BART's layers; keys and values of the cross attention read the encoder's width,
`cross_attention_hidden_size`; the head is `output_projection`; sinusoids are not stored.
"""

from inspector.architectures.text.bart import BART_DIMS, EMBED_NORM, MLP, NORMS, OWN_TABLE, SELF
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, under
from inspector.notation.kinds import affine, buffer, dense, linear, table

TROCR_DECODER = under("model.decoder", OWN_TABLE,
    part("embed_positions", "embed.position", table("T+2 d"), when="use_learned_position_embeddings"),
    maybe("embed_positions._float_tensor", "embed.position.like", buffer("1"),
          when="not use_learned_position_embeddings"),
    rows(EMBED_NORM, when="layernorm_embedding"),
    under("layers.{Ld}", SELF, MLP, NORMS, ff="fd"),
    under("layers.{Ld}",
        part("encoder_attn.q_proj",     "cross.query",  dense("d -> d")),
        part("encoder_attn.k_proj",     "cross.key",    dense("x -> d")),
        part("encoder_attn.v_proj",     "cross.value",  dense("x -> d")),
        part("encoder_attn.out_proj",   "cross.output", dense("d -> d")),
        part("encoder_attn_layer_norm", "norm.cross",   affine("d"))))
TROCR = Architecture("trocr", ties="tie_word_embeddings | true",
    dims=BART_DIMS | Dims(x="cross_attention_hidden_size | d"),
    heads=(
        head("ForCausalLM", "", TROCR_DECODER,
            part("output_projection", "head.token", linear("d -> V"), tied="embed.token")),))
