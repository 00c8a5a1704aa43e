"""Tiny configs of the types that llama.cpp converts."""

from __future__ import annotations

from typing import Any

BASE = {"hidden_size": 48, "intermediate_size": 80, "num_attention_heads": 6, "num_key_value_heads": 2,
        "num_hidden_layers": 3, "vocab_size": 70}  # fmt: skip
ROUTED = {"n_routed_experts": 5, "moe_intermediate_size": 24, "n_shared_experts": 2, "first_k_dense_replace": 1}
LATENT = {"q_lora_rank": 14, "kv_lora_rank": 18, "qk_nope_head_dim": 10, "qk_rope_head_dim": 4, "v_head_dim": 12}
MAMBA = {"hidden_size": 48, "num_hidden_layers": 3, "vocab_size": 70, "state_size": 7, "conv_kernel": 3}
PLAIN = {key: value for key, value in BASE.items() if key != "num_key_value_heads"}
GPT2 = {"n_embd": 48, "n_inner": 80, "n_head": 6, "n_layer": 3, "vocab_size": 70, "n_positions": 33}

MODELS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "nemotron": ("nemotron", "NemotronForCausalLM", BASE),
    "chatglm": ("chatglm", "ChatGLMForConditionalGeneration", {
        "hidden_size": 48, "num_layers": 3, "num_attention_heads": 6, "ffn_hidden_size": 80, "padded_vocab_size": 70,
        "kv_channels": 8, "multi_query_attention": True, "multi_query_group_num": 2, "add_qkv_bias": True,
        "add_bias_linear": False, "rmsnorm": True, "post_layer_norm": True}),
    "glm4": ("glm4", "Glm4ForCausalLM", BASE | {"head_dim": 10, "attention_bias": True}),
    "glm4moe": ("glm4_moe", "Glm4MoeForCausalLM", BASE | ROUTED | {"head_dim": 10, "use_qk_norm": True}),
    "dots1": ("dots1", "Dots1ForCausalLM", BASE | ROUTED | {"head_dim": 10}),
    "granitemoe": ("granitemoe", "GraniteMoeForCausalLM", BASE | {"num_local_experts": 5}),
    "mamba": ("mamba", "MambaForCausalLM", MAMBA | {"intermediate_size": 96, "time_step_rank": 5}),
    "mamba2": ("mamba2", "Mamba2ForCausalLM", MAMBA | {"expand": 2, "num_heads": 8, "n_groups": 2}),
    "jamba": ("jamba", "JambaForCausalLM", BASE | {
        "num_hidden_layers": 4, "num_experts": 5, "attn_layer_offset": 1, "attn_layer_period": 2,
        "expert_layer_offset": 1, "expert_layer_period": 2, "mamba_expand": 2, "mamba_d_state": 7, "mamba_d_conv": 3,
        "mamba_dt_rank": 5}),
    "falcon-h1": ("falcon_h1", "FalconH1ForCausalLM", BASE | {
        "mamba_d_ssm": 64, "mamba_n_groups": 2, "mamba_d_state": 7, "mamba_n_heads": 8, "mamba_d_conv": 3,
        "mamba_rms_norm": True, "head_dim": 10}),
    "gpt-oss": ("gpt_oss", "GptOssForCausalLM", BASE | {
        "head_dim": 10, "num_local_experts": 5, "attention_bias": True}),
    "hunyuan-dense": ("hunyuan_v1_dense", "HunYuanDenseV1ForCausalLM", BASE | {"head_dim": 10}),
    "hunyuan-moe": ("hunyuan_v1_moe", "HunYuanMoEV1ForCausalLM", BASE | {"head_dim": 10, "num_experts": 5}),
    "ernie4_5": ("ernie4_5", "Ernie4_5ForCausalLM", BASE | {"head_dim": 10}),
    "ernie4_5-moe": ("ernie4_5_moe", "Ernie4_5_MoeForCausalLM", BASE | {
        "moe_num_experts": 5, "moe_intermediate_size": 24, "moe_num_shared_experts": 2, "moe_layer_start_index": 1,
        "moe_layer_end_index": -1, "moe_layer_interval": 1, "num_nextn_predict_layers": 0}),
    "exaone": ("exaone", "ExaoneForCausalLM", BASE | {"num_layers": 3}),
    "exaone4": ("exaone4", "Exaone4ForCausalLM", BASE | {"head_dim": 10}),
    "minicpm": ("minicpm", "MiniCPMForCausalLM", BASE),
    "minicpm3": ("minicpm3", "MiniCPM3ForCausalLM", BASE | LATENT),
    "internlm2": ("internlm2", "InternLM2ForCausalLM", BASE | {"bias": False}),
    "lfm2": ("lfm2", "Lfm2ForCausalLM", BASE | {
        "layer_types": ["conv", "full_attention", "conv"], "conv_L_cache": 3, "block_auto_adjust_ff_dim": False}),
    "lfm2moe": ("lfm2_moe", "Lfm2MoeForCausalLM", BASE | {
        "layer_types": ["conv", "full_attention", "conv"], "conv_L_cache": 3, "num_experts": 5,
        "moe_intermediate_size": 24, "num_dense_layers": 1}),
    "baichuan": ("baichuan", "BaichuanForCausalLM", BASE | {"num_key_value_heads": 6}),
    "arcee": ("arcee", "ArceeForCausalLM", BASE | {"head_dim": 10}),
    "qwen3vl": ("qwen3_vl_text", "Qwen3ForCausalLM", BASE | {"head_dim": 10}),
    "qwen3vlmoe": ("qwen3_moe", "Qwen3MoeForCausalLM", BASE | {
        "head_dim": 10, "num_experts": 5, "moe_intermediate_size": 24}),
    "gptj": ("gptj", "GPTJForCausalLM", {"n_embd": 48, "n_inner": 80, "n_head": 6, "n_layer": 3, "vocab_size": 70}),
    "qwen": ("qwen", "QWenLMHeadModel", {
        "hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 6, "vocab_size": 70,
        "intermediate_size": 160}),
    "falcon": ("falcon", "FalconForCausalLM", {
        "hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 6, "num_kv_heads": 2, "vocab_size": 70,
        "new_decoder_architecture": True, "bias": False, "ffn_hidden_size": 80}),
    "falcon-7b": ("falcon", "FalconForCausalLM", {
        "hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 6, "num_kv_heads": 1, "vocab_size": 70,
        "new_decoder_architecture": False, "multi_query": True, "parallel_attn": True, "bias": False}),
    "llama4": ("llama4_text", "Llama4ForCausalLM", BASE | {
        "head_dim": 10, "num_local_experts": 5, "intermediate_size": 24, "intermediate_size_mlp": 80,
        "num_hidden_layers": 4, "interleave_moe_layer_step": 2}),
    "minimax-m2": ("minimax_m2", "MiniMaxM2ForCausalLM", BASE | {"head_dim": 10, "num_local_experts": 5}),
    "nomic-bert": ("nomic_bert", "NomicBertModel", {
        "hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 6, "intermediate_size": 80, "vocab_size": 70,
        "type_vocab_size": 2, "qkv_proj_bias": False, "mlp_fc1_bias": False, "mlp_fc2_bias": False}),
    "t5": ("t5", "T5ForConditionalGeneration", {
        "d_model": 48, "d_ff": 80, "d_kv": 10, "num_heads": 6, "num_layers": 3, "num_decoder_layers": 2,
        "vocab_size": 70, "relative_attention_num_buckets": 9, "feed_forward_proj": "gated-gelu"}),
    "deepseek": ("deepseek", "DeepseekForCausalLM", BASE | ROUTED | {"moe_layer_freq": 1}),
    "deepseek2": ("deepseek_v2", "DeepseekV2ForCausalLM", BASE | LATENT | ROUTED),
    "deepseek3": ("deepseek_v3", "DeepseekV3ForCausalLM", BASE | LATENT | ROUTED | {"num_nextn_predict_layers": 0}),
    "llama": ("llama", "LlamaForCausalLM", BASE | {"head_dim": 10}),
    "mixtral": ("mixtral", "MixtralForCausalLM", BASE | {"num_local_experts": 4}),
    "mistral3": ("mistral", "MistralForCausalLM", BASE),
    "smollm3": ("smollm3", "SmolLM3ForCausalLM", BASE),
    "qwen2": ("qwen2", "Qwen2ForCausalLM", BASE),
    "qwen2vl": ("qwen2_vl_text", "Qwen2VLTextForCausalLM", BASE),
    "qwen3": ("qwen3", "Qwen3ForCausalLM", BASE | {"head_dim": 10}),
    "qwen2moe": ("qwen2_moe", "Qwen2MoeForCausalLM", BASE | {
        "num_experts": 4, "moe_intermediate_size": 24, "shared_expert_intermediate_size": 56}),
    "qwen3moe": ("qwen3_moe", "Qwen3MoeForCausalLM", BASE | {
        "head_dim": 10, "num_experts": 4, "moe_intermediate_size": 24}),
    "gemma": ("gemma", "GemmaForCausalLM", BASE | {"head_dim": 10}),
    "gemma2": ("gemma2", "Gemma2ForCausalLM", BASE | {"head_dim": 10}),
    "gemma3": ("gemma3_text", "Gemma3ForCausalLM", BASE | {"head_dim": 10}),
    "phi2": ("phi", "PhiForCausalLM", BASE),
    "phi3": ("phi3", "Phi3ForCausalLM", BASE),
    "phimoe": ("phimoe", "PhiMoEForCausalLM", BASE | {"attention_bias": True, "lm_head_bias": True,
                                                      "num_local_experts": 4}),
    "bloom": ("bloom", "BloomForCausalLM", {"hidden_size": 48, "n_head": 6, "n_layer": 3, "vocab_size": 70}),
    "mpt": ("mpt", "MptForCausalLM", {"d_model": 48, "n_heads": 6, "n_layers": 3, "vocab_size": 70}),
    "gpt2": ("gpt2", "GPT2LMHeadModel", GPT2),
    "starcoder": ("gpt_bigcode", "GPTBigCodeForCausalLM", GPT2 | {"multi_query": False}),
    "gptneox": ("gpt_neox", "GPTNeoXForCausalLM", PLAIN),
    "starcoder2": ("starcoder2", "Starcoder2ForCausalLM", BASE | {"use_bias": True}),
    "stablelm": ("stablelm", "StableLmForCausalLM", BASE),
    "olmo": ("olmo", "OlmoForCausalLM", BASE),
    "olmo2": ("olmo2", "Olmo2ForCausalLM", BASE),
    "olmoe": ("olmoe", "OlmoeForCausalLM", BASE | {"num_experts": 4}),
    "command-r": ("cohere", "CohereForCausalLM", BASE),
    "cohere2": ("cohere2", "Cohere2ForCausalLM", BASE),
    "granite": ("granite", "GraniteForCausalLM", BASE),
    "seed_oss": ("seed_oss", "SeedOssForCausalLM", BASE | {"head_dim": 10}),
    "xverse": ("xverse", "XverseForCausalLM", BASE),
    "orion": ("orion", "OrionForCausalLM", BASE),
    "bert": ("bert", "BertModel", PLAIN | {"type_vocab_size": 2}),
}  # fmt: skip
"""llama.cpp's architecture -> model type, class, config of transformers."""
ARCHITECTURES = {"deepseek3": "deepseek2", "falcon-7b": "falcon", "mixtral": "llama"}
"""Models that llama.cpp loads under the name of another architecture."""


def config_of(name: str) -> dict[str, Any]:
    """The config.json of a tiny model."""
    kind, class_name, values = MODELS[name]
    return {"model_type": kind, "architectures": [class_name], **values}
