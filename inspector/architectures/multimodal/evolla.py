"""Evolla: Llama with gated cross attention to a protein, read by an encoder like ESM and a resampler.

modeling_evolla.py: every `num_hidden_layers // aligner_num_add_layers`-th layer has an adapter, whose keys and values
have the text's width; the resampler ends with a projection from the protein's width.
"""

from inspector.architectures.blocks import DECODER, ENDS, GQA, LM_HEAD, PRE_NORMS, SWIGLU
from inspector.architectures.text.roberta import ENCODER, SELF, SELF_CROSS, UP_DOWN
from inspector.notation.definition import Architecture, Dims, head, maybe, part, rows, submodel, under
from inspector.notation.kinds import affine, buffer, dense, linear, param, scale, table

SAPROT = submodel("protein", "protein_encoder.model.", config="protein_encoder_config",
    definition=Architecture("saprot", dims=ENCODER, heads=(head("Model", ""),),
    parts=rows(
        part("embeddings.word_embeddings",     "embed.token",    table("V d")),
        part("embeddings.position_embeddings", "embed.position", table("T d"),
             when="position_embedding_type == 'absolute'"),
        part("embeddings.layer_norm",          "norm.embed",     affine("d"), when="emb_layer_norm_before"),
        maybe("rotary_embeddings.inv_freq",    "rotary.frequency.once", buffer("d//h//2")),
        under("encoder.layer.{L}", UP_DOWN,
            under("attention", SELF, part("LayerNorm", "norm.attention", affine("d"))),
            under("crossattention", SELF_CROSS, part("LayerNorm", "norm.cross", affine("d")),
                  when="add_cross_attention"),
            part("LayerNorm", "norm.mlp", affine("d"))),
        part("encoder.emb_layer_norm_after", "norm.final", affine("d")))))
RESAMPLER = under("protein_encoder.sequence_compressor_resampler",
    part("latents", "embed.latent", param("n p")),
    under("layers.{R}",
        part("0.norm_media",   "norm.context",  affine("p")),
        part("0.norm_latents", "norm.latent",   affine("p")),
        part("0.to_q",         "cross.query",   linear("p -> a")),
        part("0.to_kv",        "cross.kv",      linear("p -> a + a", packs="k v")),
        part("0.to_out",       "cross.output",  linear("a -> p")),
        part("1.norm",         "norm.mlp",      affine("p")),
        part("1.fc1",          "mlp.up",        linear("p -> p*resampler_ff_mult")),
        part("1.fc2",          "mlp.down",      linear("p*resampler_ff_mult -> p"))),
    part("norm",               "norm.bridge",   affine("d")),
    part("protein_projector",  "bridge.out",    dense("p -> d")), tower="resampler")
ADAPTER = under("layers.{X}.adapter",
    part("gate_attention", "cross.gate",     param("1")),
    part("gate_ffw",       "mlp.gating",     param("1")),
    part("query",          "cross.query",    dense("d -> h*(d//h)")),
    part("key_protein",    "cross.key",      dense("d -> h*(d//h)")),
    part("value_protein",  "cross.value",    dense("d -> h*(d//h)")),
    part("attention_norm", "norm.cross",     scale("d")),
    part("out_proj",       "cross.output",   linear("d -> d", bias="aligner_enable_bias | true")),
    part("ff.norm",        "norm.mlp",       affine("d")),
    part("ff.fc1",         "mlp.up",         linear("d -> d*aligner_ffn_mult")),
    part("ff.fc2",         "mlp.down",       linear("d*aligner_ffn_mult -> d")), tower="adapter")
EVOLLA = Architecture("evolla EvollaModel",   # the type that 4 writes and only 5 reads
    dims=DECODER | Dims(p="protein.d", n="resampler_num_latents", R="resampler_depth",
                        a="resampler_dim_head*resampler_heads", e="max(L//aligner_num_add_layers, 1)",
                        X="L[({L}+1) % e == 0]"),
    parts=rows(
        ENDS,
        SAPROT,
        RESAMPLER,
        under("layers.{L}", PRE_NORMS,
            under("self_attn", GQA, b="attention_bias", bo="attention_bias"), under("mlp", SWIGLU, b="mlp_bias")),
        ADAPTER),
    heads=(head("Model", ""), head("ForProteinText2Text", "model.", LM_HEAD, default=True)))
