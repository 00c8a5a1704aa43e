"""NV-Embed, as its authors publish it: Mistral that sees both ways, and a pool of latent vectors in place of a pooler.

modeling_nvembed.py: one cross attention to `latents` and one gated MLP of four times their width, each behind a norm.
configuration_nvembed.py has the defaults.
"""

from inspector.architectures.text.mistral import MISTRAL
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import affine, dense, linear, param

LATENT_ATTENTION = Architecture("latent_attention", ties="false", ignores="output_normalize",
    dims=Dims(d="latent_dim | 4096", e="hidden_dim | 4096", n="num_latents_value | 512",
              w="(num_cross_heads | 8)*(cross_dim_head | 4096)"),
    heads=(head("Model", ""),),
    parts=rows(
        part("latents", "embed.latent", param("n d")),
        under("cross_attend_blocks.0",
            part("norm",         "norm.cross",     affine("d")),
            part("norm_context", "norm.cross.key", affine("e")),
            part("fn.to_q",      "cross.query",    linear("d -> w")),
            part("fn.to_kv",     "cross.kv",       linear("e -> w + w", packs="key value")),
            part("fn.to_out",    "cross.output",   linear("w -> d"))),
        under("cross_attend_blocks.1",
            part("norm",     "norm.mlp",    affine("d")),
            part("fn.net.0", "mlp.gate_up", dense("d -> 4*d + 4*d", packs="up gate")),
            part("fn.net.2", "mlp.down",    dense("4*d -> d")))))
NVEMBED = Architecture("nvembed", ties="false", dims=Dims(),
    ignores="add_eos add_pad_token is_mask_instruction mask_type padding_side",
    heads=(head("Model", "", default=True),),
    parts=rows(
        submodel("latent", "latent_attention_model.", LATENT_ATTENTION, config="latent_attention_config"),
        submodel("text", "embedding_model.", MISTRAL, head="Model")))
