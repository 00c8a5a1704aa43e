"""DiffusionGemma: Gemma 4's mixture twice, as an encoder that reads the prompt and a decoder that fills blocks.

modeling_diffusion_gemma.py: encoder and decoder share all weights of the text while `tie_word_embeddings` holds, but
neither the buffer `layer_scalar` nor biases; only the decoder conditions on its own last prediction. Layers of full
attention have a width of head of their own and take the keys as values. The tower is Gemma 4's.
"""

from inspector.architectures.blocks import SANDWICH, SWIGLU
from inspector.architectures.multimodal.gemma4_towers import GEMMA4_VISION
from inspector.notation.definition import Architecture, Dims, head, part, rows, submodel, under
from inspector.notation.kinds import buffer, linear, param, scale, table

LAYER = rows(                                  # F: the layers of full attention, which have no value
    part("self_attn.q_norm", "norm.query",       scale("dh")),
    part("self_attn.k_norm", "norm.key",         scale("dh")),
    part("self_attn.q_proj", "attention.query",  linear("d -> h*dh")),
    part("self_attn.k_proj", "attention.key",    linear("d -> kv*dh")),
    part("self_attn.o_proj", "attention.output", linear("h*dh -> d")),
    SANDWICH,
    under("mlp", SWIGLU),
    part("router.proj",                  "router",                linear("d -> E")),
    part("router.scale",                 "router.scale",          param("d")),
    part("router.per_expert_scale",      "router.expert",         param("E")),
    part("post_feedforward_layernorm_1", "norm.mlp.dense",        scale("d")),
    part("post_feedforward_layernorm_2", "norm.mlp.experts.post", scale("d")),
    part("pre_feedforward_layernorm_2",  "norm.mlp.experts",      scale("d")),
    under("experts",
        part("gate_up_proj", "mlp.experts.gate_up", linear("d -> fe + fe", each="E", bare=True, packs="gate up")),
        part("down_proj",    "mlp.experts.down",    linear("fe -> d", each="E", bare=True))))
VALUE = part("self_attn.v_proj", "attention.value", linear("d -> kv*dh"))
BIASES = rows(
    part("self_attn.q_proj.bias", "attention.query.bias",  param("h*dh")),
    part("self_attn.k_proj.bias", "attention.key.bias",    param("kv*dh")),
    part("self_attn.o_proj.bias", "attention.output.bias", param("d")), when="biased")
VALUE_BIAS = part("self_attn.v_proj.bias", "attention.value.bias", param("kv*dh"), when="biased")
SCALAR = part("layer_scalar", "layer.scale", buffer("1"))
OWN = rows(                                    # what each side has of its own
    under("layers.{L}", part("layer_scalar", "layer.scale", buffer("1")), BIASES),
    under("layers.{S}", VALUE_BIAS))
STACK = rows(
    part("embed_tokens", "embed.token", table("V d")),
    part("norm",         "norm.final",  scale("d")),
    under("layers.{L}", LAYER),
    under("layers.{S}", VALUE))
DECODER = rows(
    OWN,
    STACK,
    under("self_conditioning",
        part("pre_norm",  "norm.embed", scale("d")),
        part("gate_proj", "embed.condition.gate", linear("d -> ff")),
        part("up_proj",   "embed.condition.up",  linear("d -> ff")),
        part("down_proj", "embed.condition.down", linear("ff -> d"))))
VISION = rows(
    submodel("vision", "vision_tower.", GEMMA4_VISION),
    part("embed_vision.embedding_projection", "bridge.vision", linear("vision.d -> d")))
BOTH = rows(
    under("decoder", DECODER, tower="decoder"),
    under("encoder", VISION),
    under("encoder.language_model", OWN, tower="encoder"),
    under("encoder.language_model", STACK, tied="decoder", tower="encoder.copy"))
DIFFUSION_GEMMA = Architecture("diffusion_gemma", ties="tie_word_embeddings | true",
    dims=Dims(
        V="text_config.vocab_size", d="text_config.hidden_size", L="text_config.num_hidden_layers",
        h="text_config.num_attention_heads", ff="text_config.intermediate_size", E="text_config.num_experts",
        fe="text_config.moe_intermediate_size", biased="text_config.attention_bias",
        F="L[text_config.layer_types == 'full_attention' or {L} == L - 1] when text_config.layer_types != null"
          " | L[({L}+1) % 6 == 0 or {L} == L - 1]", S="L - F",
        derived="text_config.per_layer_config == null",
        dh="text_config.per_layer_config[{L}].head_dim"
           " | (text_config.global_head_dim | 512) when derived and {L} in F | text_config.head_dim",
        kv="text_config.per_layer_config[{L}].num_key_value_heads"
           " | text_config.num_global_key_value_heads when derived and {L} in F | text_config.num_key_value_heads"),
    heads=(
        head("Model",             "", BOTH),
        head("ForBlockDiffusion", "", under("model", BOTH),
             part("lm_head", "head.token", linear("d -> V"), tied="embed.token"), default=True),
        head("DecoderModel",      "", DECODER),
        head("EncoderModel",      "", VISION, under("language_model", OWN, STACK))),
    parts=rows())
