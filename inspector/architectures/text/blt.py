"""BLT (Byte Latent Transformer): a local encoder and decoder of bytes around a transformer of patches, and the little
model that cuts the patches.

modeling_blt.py: encoder and decoder attend across in one layer, or in all with `cross_attn_all_layers`; patches are as
wide as `cross_attn_k` bytes. A projection stands before the global layers where that is not their width
(configuration_blt.py, which computes `head_dim` of every part from its width and ignores a stated one). One table holds
the hashes of all sizes of byte groups. The patcher exists with `patch_in_forward`.
"""

from inspector.architectures.blocks import GQA, PRE_NORMS, SWIGLU
from inspector.notation.definition import Architecture, Dims, head, part, rows, under
from inspector.notation.kinds import linear, scale, table

LAYER = rows(PRE_NORMS, under("self_attn", GQA), under("mlp", SWIGLU))
CROSS = rows(                                  # from the width d to itself
    part("q_proj", "cross.query",      linear("d -> h*dh")),
    part("k_proj", "cross.key",        linear("d -> kv*dh")),
    part("v_proj", "cross.value",      linear("d -> kv*dh")),
    part("o_proj", "cross.output",     linear("h*dh -> d")),
    part("q_norm", "norm.cross.query", scale("d")),
    part("k_norm", "norm.cross.key",   scale("d")))
BLT = Architecture("blt", ignores="encoder_hash_byte_group_nb_functions",
    dims=Dims(
        V="vocab_size", k="cross_attn_k",
        de="encoder_config.hidden_size", he="encoder_config.num_attention_heads", Le="encoder_config.num_hidden_layers",
        ke="encoder_config.num_key_value_heads | he", dhe="de//he",
        fe="encoder_config.intermediate_size", Ve="encoder_config.vocab_size", me="encoder_config.cross_attn_k",
        Xe="Le when encoder_config.cross_attn_all_layers | 1",
        dg="global_config.hidden_size", hg="global_config.num_attention_heads", Lg="global_config.num_hidden_layers",
        kg="global_config.num_key_value_heads | hg", dhg="dg//hg",
        fg="global_config.intermediate_size",
        dd="decoder_config.hidden_size", hd="decoder_config.num_attention_heads", Ld="decoder_config.num_hidden_layers",
        kd="decoder_config.num_key_value_heads | hd", dhd="dd//hd",
        fd="decoder_config.intermediate_size", gd="decoder_config.hidden_size_global", md="decoder_config.cross_attn_k",
        Xd="Ld when decoder_config.cross_attn_all_layers | 1",
        dp="patcher_config.hidden_size", hp="patcher_config.num_attention_heads", Lp="patcher_config.num_hidden_layers",
        kp="patcher_config.num_key_value_heads | hp", dhp="dp//hp",
        fp="patcher_config.intermediate_size", Vp="patcher_config.vocab_size",
        hashes="encoder_hash_byte_group_vocab*encoder_hash_byte_group_nb_functions*len(encoder_hash_byte_group_size)"
               " | encoder_hash_byte_group_vocab*encoder_hash_byte_group_nb_functions*6"),
    parts=rows(
        under("local_encoder",
            part("embed_tokens", "embed.token", table("Ve de"), tied="head.token"),
            part("patch_embedding_projection", "embed.patch", linear("de -> de*me")),
            under("layers.{Le}", LAYER, d="de", h="he", kv="ke", dh="dhe", ff="fe"),
            under("cross_attn_layers.{Xe}", CROSS, d="de", h="he", kv="ke", dh="dhe"), tower="encoder"),
        under("global_transformer",
            part("token_embedding_projection", "embed.project", linear("de*k -> dg"), when="de*k != dg"),
            under("layers.{Lg}", LAYER, d="dg", h="hg", kv="kg", dh="dhg", ff="fg"), tower="global"),
        under("local_decoder",
            part("patch_embedding_projection", "embed.patch", linear("gd -> dd*md")),
            part("norm", "norm.final", scale("dd")),
            under("layers.{Ld}", LAYER, d="dd", h="hd", kv="kd", dh="dhd", ff="fd"),
            under("cross_attn_layers.{Xd}", CROSS, d="dd", h="hd", kv="kd", dh="dhd"), tower="decoder"),
        part("encoder_hash_tok_embedding", "embed.hash", table("hashes de")),
        under("patcher",
            part("embed_tokens", "embed.token", table("Vp dp")),
            part("norm",         "norm.final",  scale("dp")),
            part("lm_head",      "head.token",  linear("dp -> Vp")),
            under("layers.{Lp}", LAYER, d="dp", h="hp", kv="kp", dh="dhp", ff="fp"),
            tower="patcher", when="patch_in_forward | true")),
    heads=(
        head("Model",       ""),
        head("ForCausalLM", "model.", part("lm_head", "head.token", linear("dd -> V")))))
