"""Nemotron-H and Nemotron 3: one norm and one mixer a layer, of four kinds.

modeling_nemotron_h.py: `mixer.*` is Mamba 2, attention, an MLP or a mixture by layer, as `layers_block_type` (words of
two vocabularies) or, if the config has no such list, the older `hybrid_override_pattern` (letters M*-E) states; their
length is the number of layers. No gate (relu²). `mlp_bias` reaches dense and shared MLPs and the latent projections,
never routed experts; the attention has no bias in transformers, ignoring `attention_bias`. `moe_latent_size` replaces
the width the experts read. `mamba_…` spellings of the Mamba keys take precedence. `mtp.` tensors on the Hub are ignored
on load and not listed. The head is never tied, whatever the config states.
"""

from inspector.architectures.blocks import CAUSAL, DECODER, GQA, MAMBA2, MLX_EXPERTS, ROUTER, UP_DOWN
from inspector.notation.definition import Architecture, Dims, either, part, rooted, rows, under
from inspector.notation.kinds import buffer, linear, scale, table

STACKED_UP_DOWN = rows(                        # as transformers 5 holds them in memory
    part("up_proj",   "mlp.up",   linear("d -> ff", each="E", bare=True)),
    part("down_proj", "mlp.down", linear("ff -> d", each="E", bare=True)))
NEMOTRON_H = Architecture("nemotron_h", heads=rooted(CAUSAL, "backbone."), ties="false",
    dialects=({}, {"backbone.": "model."}),
    dims=DECODER | Dims(L="len(hybrid_override_pattern) when by_letter | len(layers_block_type)",
              by_letter="hybrid_override_pattern != null and not stated.layers_block_type",
              m="mamba_num_heads", i="m*mamba_head_dim", g="mamba_n_groups | n_groups",
              s="mamba_d_state | ssm_state_size",
              x="i + 2*g*s", w="mamba_d_conv | conv_kernel", bc="mamba_conv_bias | use_conv_bias | true",
              E="n_routed_experts", fe="moe_intermediate_size", fs="moe_shared_expert_intermediate_size",
              u="moe_latent_size | d",
              B="L[hybrid_override_pattern == 'M'] when by_letter"
                " | L[layers_block_type in 'linear_attention mamba']",
              A="L[hybrid_override_pattern == '*'] when by_letter"
                " | L[layers_block_type in 'full_attention attention']",
              F="L[hybrid_override_pattern == '-'] when by_letter "
                "| L[layers_block_type == 'mlp']",
              M="L[hybrid_override_pattern == 'E'] when by_letter "
                "| L[layers_block_type == 'moe']"),
    parts=rows(
        part("embeddings", "embed.token", table("V d")),
        part("norm_f",     "norm.final",  scale("d")),
        part("layers.{L}.norm", "norm.block", scale("d")),
        under("layers.{B}.mixer", MAMBA2, part("norm", "norm.ssm", scale("i")), b="use_bias", bo="use_bias"),
        under("layers.{A}.mixer", GQA),
        under("layers.{F}.mixer", UP_DOWN, b="mlp_bias"),
        under("layers.{M}.mixer",
            ROUTER,
            part("gate.e_score_correction_bias", "router.correction", buffer("E")),
            either(
                under("experts.{E}", UP_DOWN, d="u", ff="fe"),
                either(
                    under("experts", STACKED_UP_DOWN, d="u", ff="fe"),
                    under(MLX_EXPERTS,
                        part("fc1", "mlp.up",   linear("u -> fe", each="E")),
                        part("fc2", "mlp.down", linear("fe -> u", each="E"))))),
            part("shared_experts.up_proj",   "mlp.shared.up",   linear("d -> fs", bias="mlp_bias")),
            part("shared_experts.down_proj", "mlp.shared.down", linear("fs -> d", bias="mlp_bias")),
            part("fc1_latent_proj", "expert.down", linear("d -> u", bias="mlp_bias"), when="moe_latent_size != null"),
            part("fc2_latent_proj", "expert.up",   linear("u -> d", bias="mlp_bias"), when="moe_latent_size != null"))))
