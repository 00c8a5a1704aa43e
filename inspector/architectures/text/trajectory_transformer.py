"""Trajectory Transformer: GPT over states, actions and rewards.

modeling_trajectory_transformer.py of transformers 4: a vocabulary for each of the `transition_dim` places and one token
to stop; the head has one matrix for each place. The causal mask is not stored.
"""

from inspector.notation.definition import Architecture, Dims, part, rows, under
from inspector.notation.kinds import affine, dense, linear, param, table

TRAJECTORY_TRANSFORMER = Architecture("trajectory_transformer",
    ignores="action_dim observation_dim action_weight reward_weight value_weight kaiming_initializer_range n_head "
            "max_position_embeddings",
    dims=Dims(V="vocab_size", d="n_embd", L="n_layer", T="block_size", N="transition_dim"),
    parts=rows(
        part("tok_emb", "embed.token",    table("V*N+1 d")),
        part("pos_emb", "embed.position", param("1 T d")),
        under("blocks.{L}",
            part("ln1",        "norm.attention",   affine("d")),
            part("ln2",        "norm.mlp",         affine("d")),
            part("attn.query", "attention.query",  dense("d -> d")),
            part("attn.key",   "attention.key",    dense("d -> d")),
            part("attn.value", "attention.value",  dense("d -> d")),
            part("attn.proj",  "attention.output", dense("d -> d")),
            part("l1",         "mlp.up",           dense("d -> 4*d")),
            part("l2",         "mlp.down",         dense("4*d -> d"))),
        part("ln_f", "norm.final", affine("d")),
        part("head", "head.token", linear("d -> V+1", each="N"))))
