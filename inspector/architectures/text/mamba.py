"""Mamba, Falcon-Mamba, Mamba 2 and RWKV: no attention at all.

modeling_mamba.py: the inner width is int(expand * hidden_size) unless the config names `intermediate_size`;
`time_step_rank` 'auto' is hidden_size/16 rounded up. modeling_falcon_mamba.py: the norms of dt, B and C have no
weights.
modeling_mamba2.py: `time_step_rank` moves nothing. The authors' own files say `embedding` for `embeddings`.
modeling_rwkv.py: only the first block has `pre_ln`; the time mixes are [1, 1, d].
"""

from inspector.architectures.blocks import LM_HEAD, MAMBA1, MAMBA2
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import affine, linear, param, scale, table

BACKBONE = (head("Model", ""), head("ForCausalLM", "backbone.", LM_HEAD))
ENDS = rows(
    part("embeddings", "embed.token", table("V d")),
    part("norm_f",     "norm.final",  scale("d")))
FIRST_NAMES = {"backbone.embeddings": "backbone.embedding"}
MAMBA = Architecture("mamba falcon_mamba", heads=BACKBONE, ties="tie_word_embeddings | true",
                     dialects=({}, FIRST_NAMES),
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", i="intermediate_size | floor(expand*d)",
              s="state_size",
              w="conv_kernel", t="number(time_step_rank) | ceil(d, 16)/16"),
    parts=rows(
        ENDS,
        part("layers.{L}.norm", "norm.block", scale("d")),
        under("layers.{L}.mixer", MAMBA1, b="use_bias", bc="use_conv_bias | true")))
MAMBA_2 = Architecture("mamba2", heads=BACKBONE, dialects=({}, FIRST_NAMES),
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", i="floor(expand*d)", s="state_size",
              w="conv_kernel",
              g="n_groups", m="num_heads", x="i + 2*g*s"),
    parts=rows(
        ENDS,
        part("layers.{L}.norm", "norm.block", scale("d")),
        under("layers.{L}.mixer", MAMBA2, part("norm", "norm.ssm", scale("i")),
              b="use_bias", bo="use_bias", bc="use_conv_bias | true")))
RWKV = Architecture("rwkv",
    dims=Dims(V="vocab_size", d="hidden_size", L="num_hidden_layers", a="attention_hidden_size | d",
              ff="intermediate_size | 4*d"),
    heads=(
        head("Model",       ""),
        head("ForCausalLM", "rwkv.", part("head", "head.token", linear("d -> V"), tied="embed.token"))),
    parts=rows(
        part("embeddings",      "embed.token", table("V d")),
        part("ln_out",          "norm.final",  affine("d")),
        part("blocks.0.pre_ln", "norm.embed",  affine("d")),
        under("blocks.{L}",
            part("ln1",                           "norm.attention",    affine("d")),
            part("attention.time_decay",          "ssm.decay",        param("a")),
            part("attention.time_first",          "ssm.first",        param("a")),
            part("attention.time_mix_key",        "ssm.mix.key",      param("1 1 d")),
            part("attention.time_mix_value",      "ssm.mix.value",    param("1 1 d")),
            part("attention.time_mix_receptance", "ssm.mix.receptance", param("1 1 d")),
            part("attention.key",                 "ssm.key",          linear("d -> a")),
            part("attention.value",               "ssm.value",        linear("d -> a")),
            part("attention.receptance",          "ssm.receptance",   linear("d -> a")),
            part("attention.output",              "ssm.out",       linear("a -> d")),
            part("ln2",                           "norm.mlp",          affine("d")),
            part("feed_forward.time_mix_key",        "mlp.mix.key",        param("1 1 d")),
            part("feed_forward.time_mix_receptance", "mlp.mix.receptance", param("1 1 d")),
            part("feed_forward.key",              "mlp.up",       linear("d -> ff")),
            part("feed_forward.receptance",       "mlp.receptance", linear("d -> d")),
            part("feed_forward.value",            "mlp.down",     linear("ff -> d")))))
