"""Damages by class, each on several architectures: verdict, findings and words of the first remedy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.judged import base_record, spec_of
from tests.judged import judged as judged_spec
from tests.loads.damage import CONFIG, INDEX, MODEL, damaged, healthy, write
from tests.readers.file_builders import Gguf

LATENT = ("q_lora_rank", "kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim", "qk_head_dim")
LORA = {"peft_type": "LORA", "r": 4, "base_model_name_or_path": "org/base"}
ADAPTER, ADAPTER_FILE = "adapter_config.json", "adapter_model.safetensors"
Row = tuple[str, str, str, list[Any], str, list[str], str]


def without(*keys: str, path: tuple[str, ...] = ()) -> list[Any]:
    """Damages that remove keys of the config."""
    return [["unset", [*path, key]] for key in keys]


CASES: list[Row] = [
    # class of the damage, model type, class, damages, verdict, findings, words of the first remedy
    ("stale single", "llama", "CausalLM", [["shards", 2], ["beside", MODEL, 1, "model.norm.weight"]], "findings",
     ["S223"], "move model.safetensors aside"),
    ("stale single", "bert", "MaskedLM", [["shards", 2], ["beside", MODEL, 1,
     "bert.embeddings.word_embeddings.weight"]], "findings", ["S223"], "move model.safetensors aside"),
    ("stale single", "t5", "Generation", [["shards", 2], ["beside", MODEL, 1]], "undecided", [], ""),
    ("stale index", "qwen2", "CausalLM", [["text", INDEX, {"metadata": {}, "weight_map": {"a": "gone.safetensors"}}]],
     "findings", ["S211"], "move model.safetensors.index.json aside, or"),
    ("older weights first", "opt", "CausalLM", [["beside", "pytorch_model.safetensors", 1]], "clean", [], ""),
    ("file name", "gpt2", "LMHeadModel", [["file", MODEL, "gpt2-finetuned.safetensors"]], "findings", ["S221"],
     "rename gpt2-finetuned.safetensors to"),
    ("file name", "mixtral", "CausalLM", [["file", MODEL, "tmp-model.safetensors"]], "findings", ["S221"],
     "rename tmp-model.safetensors to"),
    ("file name", "vit", "Classification", [["file", MODEL, "model.fp16.safetensors"]], "findings", ["S221"],
     "rename model.fp16.safetensors to"),
    ("file name", "whisper", "Generation", [["file", MODEL, "diffusion_pytorch_model.safetensors"]], "findings",
     ["S221"], "rename diffusion_pytorch_model.safetensors"),
    ("names of the authors", "mamba", "CausalLM",
     [["replace", "backbone.embeddings", "backbone.embedding"]], "findings", ["N429"],
     "rename the tensors as the class has them, such as backbone.embedding.weight to backbone.embeddings.weight"),
    ("names of the authors", "mamba2", "CausalLM",
     [["replace", "backbone.embeddings", "backbone.embedding"]], "findings", ["N429"],
     "rename the tensors as the class has them, such as backbone.embedding.weight to backbone.embeddings.weight"),
    ("names of the authors", "falcon_mamba", "CausalLM",
     [["replace", "backbone.embeddings", "backbone.embedding"]], "findings", ["N429"],
     "rename the tensors as the class has them, such as backbone.embedding.weight to backbone.embeddings.weight"),
    ("file of a part", "llava", "Generation", [["file", MODEL, "projector.safetensors"], ["keep", "projector"]],
     "findings", ["S240"], "download the weights of the model, or"),
    ("file of a part", "llama", "CausalLM", [["file", MODEL, "v_head.safetensors"], ["keep", "norm.weight"], ["rename",
     "model.norm.weight", "v_head.summary.weight"], ["keep", "v_head"]], "findings", ["S240"],
     "download the weights of the model, or"),
    ("file of a part", "llava", "Generation", [["file", MODEL, "llava.safetensors"], ["lose", "projector"]], "findings",
     ["N404", "S221"], "download or convert the checkpoint again:"),
    ("no index", "phi3", "CausalLM", [["shards", 3, MODEL, False]], "findings", ["S222"],
     "download model.safetensors.index.json, or"),
    ("no index", "clip", "Model", [["shards", 2, MODEL, False]], "findings", ["S222"],
     "download model.safetensors.index.json, or"),
    ("config of a part", "llava", "Generation", [["config", ["text_config"], None]], "findings", ["C315"],
     "use the config.json that belongs to these"),
    ("config of a part", "voxtral", "Generation", [["config", ["text_config"], {}]], "findings", ["C315"],
     "use the config.json that belongs to these"),
    ("config of a part", "mask2former", "Segmentation", [["config", ["backbone_config"], {}]], "findings", ["C315"],
     "use the config.json that belongs to these"),
    ("config of a part", "glm4v_moe", "Generation", [["unset", ["text_config"]]], "findings", ["C315"],
     "use the config.json that belongs to these"),
    ("config of a part", "glm4v_moe", "Generation", [["config", ["text_config"], "x"]], "findings", ["C311"],
     "correct this key in config.json"),
    ("config of a part", "llava", "Generation", [["config", ["text_config"], "x"]], "findings", ["C311"],
     "correct this key in config.json"),
    ("config of a part", "t5gemma2", "Generation", [["config", ["decoder"], None]], "findings", ["C316"],
     'add "decoder.head_dim"'),
    ("label names", "vit", "Classification", [["config", ["id2label"], "x"]], "findings", ["C311"],
     "correct this key in config.json"),
    ("label names", "detr", "Detection", [["config", ["id2label"], []], ["unset", ["dilation"]]], "findings", ["C311"],
     ""),
    ("no config", "gemma2", "CausalLM", [["file", CONFIG, None]], "findings", ["C313"],
     "download config.json, which belongs to the"),
    ("no config", "dinov2", "Model", [["file", CONFIG, "Config.json"]], "findings", ["C313"],
     "rename Config.json to config.json"),
    ("no config", "bart", "Generation", [["unset", ["model_type"]]], "findings", ["C314"],
     'set "model_type": "bart" in config.json'),
    ("no config", "bert", "BertModel", [["unset", ["model_type"]], ["unset", ["architectures"]], ["prefix", "bert."]],
     "findings", ["C314"], 'set "model_type": "bert" in config.json'),
    ("no config", "distilbert", "DistilBertModel", [["unset", ["model_type"]], ["unset", ["architectures"]],
     ["prefix", "distilbert."]], "findings", ["C314"], 'set "model_type": "distilbert" in config.json'),
    ("no config", "roberta", "RobertaModel", [["unset", ["model_type"]], ["unset", ["architectures"]],
     ["prefix", "roberta."]], "findings", ["C314"], 'set "model_type": "roberta" in config.json, if it is one:'),
    ("no config", "llama", "CausalLM", [["unset", ["model_type"]], ["unset", ["architectures"]]], "findings", ["C314"],
     'set "model_type": "llama" in config.json, if it is one:'),
    ("no config", "llama", "CausalLM", [["file", CONFIG, None], ["text", CONFIG, {"tokenizer_class": "LlamaTokenizer",
     "bos_token": "<s>"}]], "findings", ["C314"], "download config.json, which belongs to the"),
    ("integers", "llama", "CausalLM", [["retype", "BOOL", "up_proj"]], "findings", ["T603"],
     "save these weights as floats again; if they"),
    ("integers", "gpt_neox", "CausalLM", [["retype", "I8", "dense_h_to_4h.weight"]], "findings", ["T603"],
     "save these weights as floats again; if they"),
    ("integers", "vit", "Classification", [["dtype", "I32"]], "findings", ["T603"],
     "save these weights as floats again; if they"),
    ("integers", "t5", "Generation", [["retype", "C64", "wi_0"]], "findings", ["T603"],
     "save these weights as floats again; if they"),
    ("integers", "swin", "Classification", [["retype", "I64", "query.weight"]], "findings", ["T603"],
     "save these weights as floats again; if they"),
    ("integers", "gemma2", "CausalLM", [["retype", "U32", "gate_proj"]], "findings", ["T603"],
     "save these weights as floats again; if they"),
    ("integers", "bert", "MaskedLM", [["retype", "U32", "query.weight"]], "findings", ["T603"],
     "save these weights as floats again; if they"),
    ("integers", "t5", "Generation", [["dtype", "U32"]], "findings", ["T603"],
     "save these weights as floats again; if they"),
    ("tie", "llama", "CausalLM", [["config", ["tie_word_embeddings"], True]], "clean", [], ""),
    ("tie", "qwen2", "CausalLM", [["config", ["tie_word_embeddings"], True]], "clean", [], ""),
    ("tie", "mistral", "CausalLM", [["lose", "lm_head"]], "findings", ["P701"],
     "save the model again with its head, or set"),
    ("token ids", "llava", "Generation", [["config", ["image_token_index"], 5000]], "findings", ["C320"],
     "set image_token_index in config.json to the"),
    ("token ids", "qwen2_vl", "Generation", [["config", ["image_token_id"], 5000]], "findings", ["C320"],
     "set image_token_id in config.json to the"),
    ("token ids", "llama", "CausalLM", [["config", ["eos_token_id"], 5000]], "findings", ["C320"],
     "set eos_token_id in config.json to the ids"),
    ("own code", "llama", "CausalLM", [["config", ["auto_map"], {"AutoModel": "modeling_mine.Mine"}]], "clean", [], ""),
    ("odd number", "llama", "CausalLM", [["config", ["num_hidden_layers"], 3.0]], "findings", ["C311"],
     'set "num_hidden_layers": 3 in config.json'),
    ("odd number", "bert", "MaskedLM", [["config", ["num_attention_heads"], 5]], "findings", ["C311"],
     "correct these keys in config.json"),
    ("odd number", "qwen3", "CausalLM", [["config", ["num_key_value_heads"], 4]], "findings", ["C310"],
     'set "num_key_value_heads": 2 in config.json'),
    ("odd number", "gpt2", "LMHeadModel", [["config", ["n_head"], 7]], "findings", ["C311"],
     "correct these keys in config.json"),
    ("lone embedding", "llama", "CausalLM", [["keep", "embed_tokens"]], "findings", ["N426"],
     "download or convert the checkpoint again"),
    ("lone embedding", "gpt2", "LMHeadModel", [["keep", "wte"]], "findings", ["N426"],
     "download or convert the checkpoint again"),
    ("a copy lost", "rt_detr", "ObjectDetection", [["lose", "decoder.class_embed.1."]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("a copy lost", "d_fine", "ObjectDetection", [["lose", "decoder.bbox_embed.1."]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("a copy lost", "deformable_detr", "ObjectDetection", [["lose", "class_embed.0."]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("unknown class", "bert", "BertModel", [["config", ["architectures"], ["MyRanker"]], ["lose", "pooler"]],
     "undecided", [], ""),
    ("unknown class", "roberta", "MaskedLM", [["config", ["architectures"], ["MyRewardModel"]]], "undecided", [], ""),
    ("unknown class", "xlm-roberta", "Model", [["config", ["architectures"], ["Encoder"]], ["lose", "pooler"]],
     "undecided", [], ""),
    ("unknown class", "bert", "BertModel", [["config", ["architectures"], ["MyRanker"]]], "clean", [], ""),
    ("head of ColBERT", "bert", "BertModel", [["config", ["architectures"], ["HF_ColBERT"]]], "undecided", [],
     ""),
    ("another class", "llama", "CausalLM", [["config", ["architectures"], ["Qwen2ForCausalLM"]]], "findings", ["C317"],
     'set "architectures": ["LlamaForCausalLM"]'),
    ("another class", "vit", "Classification", [["config", ["architectures"], ["BertModel"]]], "findings", ["C317"],
     'set "architectures":'),
    ("another class", "t5", "Generation", [["config", ["architectures"], ["BartForConditionalGeneration"]]], "findings",
     ["C317"], 'set "architectures":'),
    ("adapter's config left", "llama", "CausalLM", [["text", ADAPTER, LORA]], "findings", ["A940"],
     "move adapter_config.json out of this folder"),
    ("adapter's config left", "bert", "MaskedLM", [["text", ADAPTER, {"fine_tune_type": "lora"}]], "findings", ["A940"],
     "move adapter_config.json out of this folder"),
    ("adapter's config left", "t5", "Generation", [["text", ADAPTER, {**LORA, "peft_type": "PREFIX_TUNING",
     "num_virtual_tokens": 4}], ["beside", ADAPTER_FILE, 1]], "findings", ["A940"],
     "move adapter_config.json out of this folder, and adapter_model.safetensors"),
    ("adapter and model", "llama", "CausalLM", [["text", ADAPTER, LORA], ["beside", ADAPTER_FILE, 1]], "findings",
     ["A941"], "if these weights are merged, move adapter_config.json"),
    ("adapter and model", "vit", "Classification", [["text", ADAPTER, LORA], ["beside", ADAPTER_FILE, 1]], "findings",
     ["A941"], "if these weights are merged, move adapter_config.json"),
    ("adapter and model", "granite_speech", "Generation", [["text", ADAPTER, LORA], ["beside", ADAPTER_FILE, 1],
     ["config", ["has_lora_adapter"], True]], "clean", [], ""),
    ("mask", "wav2vec2", "ForCTC", [["lose", "masked_spec_embed"]], "clean", [], ""),
    ("mask", "hubert", "Classification", [["lose", "masked_spec_embed"]], "clean", [], ""),
    ("mask", "dinov2", "Model", [["lose", "mask_token"]], "clean", [], ""),
    ("mask", "wav2vec2", "ForCTC", [["lose", "masked_spec_embed", "feature_projection.layer_norm.bias"]], "findings",
     ["N403"], "download or convert the checkpoint again;"),
    ("mask", "vit", "MaskedImageModeling", [["lose", "mask_token"]], "findings", ["N403"],
     "download or convert the checkpoint again;"),
    ("draft head", "llama", "CausalLM", [["lose", "lm_head", "model.norm", "layers.0.input_layernorm"], ["add",
     "fc.weight", "F32", [48, 96]]], "undecided", [], ""),
    ("draft head", "qwen2", "CausalLM", [["lose", "lm_head", "model.norm", "layers.0.input_layernorm"], ["add",
     "fc.weight", "F32", [48, 96]], ["add", "fc.bias", "F32", [48]]], "undecided", [], ""),
    ("draft head", "llama", "CausalLM", [["lose", "lm_head", "model.norm", "layers.1.input_layernorm"], ["add",
     "fc.weight", "F32", [48, 96]]], "findings", ["N426", "N405"], "download or convert the checkpoint again"),
    ("shard of another save", "llama", "CausalLM", [["shards", 3], ["cast", "model-00002-of-00003.safetensors",
     "BF16"]], "findings", ["T640"], "download this file again, or convert all of them"),
    ("shard of another save", "bert", "MaskedLM", [["shards", 4], ["cast", "model-00003-of-00004.safetensors", "F16"]],
     "findings", ["T640"], "download this file again, or convert all of them"),
    ("shard of another save", "llama", "CausalLM", [["shards", 3], ["retype", "BF16", "norm.weight"]], "clean", [], ""),
    ("shard of another save", "llama", "CausalLM", [["shards", 3], ["retype", "BF16", "self_attn"]], "clean", [], ""),
    ("parameters alone", "resnet", "Classification", [["lose", "running_mean", "running_var", "num_batches"]],
     "findings", ["N461"], "save the whole model.state_dict() again"),
    ("parameters alone", "mobilenet_v2", "Classification", [["lose", "running_mean", "running_var"]], "findings",
     ["N461"], "save the whole model.state_dict() again"),
    ("parameters alone", "resnet", "Classification", [["lose", "running_mean"]], "findings", ["N426"],
     "download or convert the checkpoint again:"),
    ("refused config", "mamba2", "CausalLM", [["config", ["head_dim"], 7]], "findings", ["N429"],
     "correct expand, num_heads, head_dim"),
    ("refused config", "qwen3", "CausalLM", [["config", ["mlp_layer_types"], ["x", "x", "x"]]], "findings", ["N429"],
     "correct mlp_layer_types"),
    ("null part", "blip", "BlipModel", [["config", ["text_config"], None]], "findings", ["C316"], ""),
    ("refused by its writer", "bert", "MaskedLM", [["config", ["label2id"], [1]], ["config", ["transformers_version"],
     "4.57.6"]], "findings", ["N560"], "correct label2id in config.json"),
    ("refused by its writer", "bert", "MaskedLM", [["config", ["label2id"], [1]], ["config", ["transformers_version"],
     "5.23.0"]], "clean", [], ""),
    ("refused config", "bamba", "CausalLM", [["config", ["mamba_n_heads"], 5]], "findings", ["C310"],
     'set "mamba_n_heads": 8 in config.json'),
    ("text model alone", "gemma3", "Generation", [["nested", "text_config", "gemma3_text", "Gemma3ForCausalLM"]],
     "findings", ["N448"], "use the config.json of the gemma3 model"),
    ("text model alone", "llava", "Generation", [["nested", "text_config", "llama", "LlamaForCausalLM"]], "findings",
     ["N448"], "use the config.json of the llava model that"),
    ("text model alone", "mistral3", "Generation", [["nested", "text_config", "mistral", "MistralForCausalLM"]],
     "findings", ["N448"], "use the config.json of the mistral3 model"),
    ("text model alone", "qwen3_vl", "Generation", [["nested", "text_config", "qwen3", "Qwen3ForCausalLM"]], "findings",
     ["N448"], "use the config.json of the qwen3_vl model"),
    ("text model alone", "qwen2_5_vl", "Generation", [["nested", "text_config", "qwen2", "Qwen2ForCausalLM"]],
     "findings", ["N449"], "use the config.json of the qwen2_5_vl model"),
    ("text model alone", "qwen2_audio", "Generation", [["nested", "text_config", "qwen2", "Qwen2ForCausalLM"]],
     "findings", ["N448"], "use the config.json of the qwen2_audio"),
    ("part of a model", "clip", "Model", [["nested", "text_config", "clip_text_model", "CLIPTextModel"]], "clean", [],
     ""),
    ("part of a model", "siglip", "Model", [["nested", "vision_config", "siglip_vision_model", "SiglipVisionModel"]],
     "clean", [], ""),
    ("part of a model", "blip", "ConditionalGeneration", [["nested", "vision_config", "blip_vision_model",
     "BlipVisionModel"]], "findings", ["N401"], "use the config.json that belongs to these"),
    ("keys absent", "deepseek_v3", "CausalLM", without(*LATENT), "findings", ["C316"],
     'add "q_lora_rank": 18, "kv_lora_rank": 14,'),
    ("keys absent", "kimi_k25", "Generation", without(*LATENT, path=("text_config",)), "findings", ["C316"],
     'add "text_config.q_lora_rank": 18,'),
    ("keys absent", "deepseek_v2", "CausalLM", without(*LATENT), "findings", ["C316"],
     'add "q_lora_rank": 18, "kv_lora_rank": 14,'),
    ("joined", "whisper", "Generation", [["join", "qkv_proj", "q_proj", "k_proj", "v_proj"]], "findings", ["N441"],
     "split each into its parts with the program"),
    ("joined", "llama", "CausalLM", [["join", "gate_up_proj", "gate_proj", "up_proj"]], "findings", ["N441"],
     "split each into its parts with the program"),
    ("joined", "bert", "MaskedLM", [["join", "qkv", "query", "key", "value"]], "findings", ["N441"],
     "split each into its parts with the program"),
    ("numbered from 1", "mobilenet_v2", "Classification", [["number", "layer.", 1]], "findings", ["N425"],
     "subtract 1 from each number in the names"),
    ("numbered from 1", "swin", "Classification", [["number", "blocks.", 1]], "findings", ["N425"],
     "subtract 1 from each number after blocks in"),
    ("numbered from 1", "encodec", "Model", [["number", "decoder.layers.", 1]], "findings", ["N425"],
     "subtract 1 from each number in the names"),
    ("numbered from 1", "resnet", "Classification", [["number", "stages.", 1]], "findings", ["N425"],
     "subtract 1 from each number in the names"),
    ("numbered from 1", "jamba", "CausalLM", [["number", "layers.", 1]], "findings", ["N425"],
     "subtract 1 from each number in the names"),
    ("head missing", "llava", "Generation", [["lose", "vision_tower"]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("head missing", "clip", "Model", [["lose", "vision_model"]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("head missing", "qwen2_vl", "Generation", [["lose", "visual"]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("only the head", "llama", "CausalLM", [["keep", "lm_head"]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("only the head", "gemma2", "CausalLM", [["keep", "norm.weight"]], "findings", ["N426"],
     "download or convert the checkpoint again:"),
    ("text part alone", "llava", "Generation", [["lose", "vision_tower", "multi_modal_projector"]], "findings",
     ["N426"], "download or convert the checkpoint again:"),
    ("projector lost", "llava", "Generation", [["lose", "multi_modal_projector"]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("projector lost", "llava", "Generation", [["lose", "multi_modal_projector.linear_1"]], "findings", ["N403"],
     "download or convert the checkpoint again;"),
    ("decoder lost", "bart", "Generation", [["lose", "decoder."]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("decoder lost", "t5", "Generation", [["lose", "decoder.block.1."]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("encoder alone", "t5", "Generation", [["lose", "decoder.", "lm_head"]], "findings", ["N427"],
     'set "architectures": ["T5EncoderModel"] in'),
    ("encoder alone", "umt5", "Generation", [["lose", "decoder.", "lm_head"]], "findings", ["N427"],
     'set "architectures": ["UMT5EncoderModel"] in'),
    ("encoder alone", "t5", "Generation", [["lose", "decoder.", "lm_head", "encoder.block.1."]], "findings", ["N426"],
     "download or convert the checkpoint again:"),
    ("renamed part", "qwen2_vl", "Generation", [["replace", "visual.", "vision_model."]], "findings", ["N407"],
     'rename them: "visual" in place of "vision_model"'),
    ("shards lost", "llama", "CausalLM", [["shards", 4], ["file", "model-00003-of-00004.safetensors", None], ["file",
     "model-00004-of-00004.safetensors", None]], "findings", ["S201"], "download these files again"),
    ("shards lost", "t5", "Generation", [["shards", 4], ["file", "model-00001-of-00004.safetensors", None]], "findings",
     ["S201"], "download this file again"),
    ("pruned layers", "llama", "CausalLM", [["lose", "layers.1."]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("one rank", "llama", "CausalLM", [["halve", 0, "q_proj", "k_proj", "v_proj", "gate_proj", "up_proj"], ["halve", 1,
     "o_proj", "down_proj"]], "findings", ["D503"], "merge it with the other rank, with the tool"),
    ("one rank", "mistral", "CausalLM", [["halve", 0, "q_proj", "k_proj", "v_proj", "gate_proj", "up_proj"], ["halve",
     1, "o_proj", "down_proj"]], "findings", ["D503"], "merge it with the other rank, with the tool"),
    ("another size", "llama", "CausalLM", [["config", ["hidden_size"], 96], ["config", ["intermediate_size"], 184],
     ["config", ["num_hidden_layers"], 5]], "findings", ["C315"], "use the config.json that belongs to these"),
    ("another size", "bert", "MaskedLM", [["config", ["hidden_size"], 96], ["config", ["intermediate_size"], 184],
     ["config", ["num_hidden_layers"], 5]], "findings", ["C315"], "use the config.json that belongs to these"),
    ("renamed under an old index", "mixtral", "CausalLM", [["shards", 3], ["number", "experts.", 1]], "findings",
     ["N425"], "subtract 1 from each number after experts"),
    ("renamed under an old index", "llama", "CausalLM", [["shards", 3], ["replace", "self_attn", "attn"]], "findings",
     ["N407"], 'rename them: "self_attn" in place of "attn"'),
    ("renamed under an old index", "llama", "CausalLM", [["shards", 3], ["prefix", "module."]], "findings", ["N402"],
     "save the inner model, or rename:"),
    ("raw names", "dpr", "QuestionEncoder", [["strip", "question_encoder."]], "undecided", [], ""),
    ("another sharding", "llama", "CausalLM", [["shards", 2], ["text", INDEX, {"metadata": {},
     "weight_map": {"model.norm.weight": "model-00001-of-00003.safetensors"}}]], "findings", ["S226"],
     "regenerate the index from the headers"),
    ("tie of a part alone", "florence2", "ConditionalGeneration", [["config", ["tie_word_embeddings"], False],
     ["config", ["text_config", "tie_word_embeddings"], True], ["add", "lm_head.weight", "F32", [109, 48]]], "clean",
     [], ""),
    ("tie of a part alone", "blip-2", "ConditionalGeneration", [["config", ["tie_word_embeddings"], False],
     ["config", ["text_config", "tie_word_embeddings"], True]], "clean", [], ""),
    ("tie of a part alone", "kosmos-2", "ConditionalGeneration", [["config", ["tie_word_embeddings"], False],
     ["config", ["text_config", "tie_word_embeddings"], True]], "clean", [], ""),
    ("type is no text", "t5", "Generation", [["config", ["model_type"], None]], "findings", ["C314"],
     'set "model_type": "t5"'),
    ("type is no text", "bert", "MaskedLM", [["config", ["model_type"], False]], "findings", ["C314"],
     'set "model_type": "bert"'),
    ("type is no text", "vit", "Classification", [["config", ["model_type"], ["vit"]]], "findings", ["C314"],
     'set "model_type": "vit"'),
    ("index of another format", "qwen2", "CausalLM", [["shards", 2], ["text", INDEX, {"metadata": {},
     "weight_map": {"model.norm.weight": "pytorch_model-00001-of-00002.bin"}}]], "findings", ["S226"],
     "regenerate the index from the headers"),
    ("index of another format", "bert", "MaskedLM", [["shards", 2], ["text", INDEX, {"metadata": {},
     "weight_map": {"bert.embeddings.LayerNorm.weight": "pytorch_model-00001-of-00002.bin"}}]], "findings", ["S226"],
     "regenerate the index from the headers"),
    ("index of another format", "whisper", "Generation", [["shards", 2], ["text", INDEX, {"metadata": {},
     "weight_map": {"model.encoder.layer_norm.weight": "pytorch_model-00001-of-00002.bin"}}]], "findings", ["S226"],
     "regenerate the index from the headers"),
    ("reward model", "llama", "CausalLM", [["lose", "lm_head"], ["add", "score.weight", "F32", [1, 48]]], "findings",
     ["N427"], 'set "architectures":'),
    ("reward model", "mistral", "CausalLM", [["config", ["architectures"], ["MistralForSequenceClassification"]]],
     "findings", ["N427"], 'set "architectures": ["MistralForCausalLM"]'),
    ("reward model", "qwen2", "CausalLM", [["config", ["architectures"], ["Qwen2ForSequenceClassification"]]],
     "findings", ["N427"], 'set "architectures": ["Qwen2ForCausalLM"]'),
    ("not gathered", "bert", "MaskedLM", [["empty", 0]], "findings", ["R042"], "save with"),
    ("not gathered", "llama", "CausalLM", [["empty", 0]], "findings", ["R042"], "save with"),
    ("not gathered", "deepseek_ocr2", "Generation", [["empty", 0]], "findings", ["R042"], "save with"),
    ("not gathered", "molmo2_text", "Model", [["empty", 0]], "findings", ["R042"], "save with"),
    ("not gathered", "llama", "CausalLM", [["empty", 0], ["lose", "k_proj"]], "findings", ["R042", "N403"],
     "save with"),
    ("no type", "gemma3_text", "CausalLM", [["unset", ["model_type"]]], "findings", ["C314"],
     'set "model_type": "gemma3_text" in config.json'),
    ("no type", "xclip_text_model", "Model", [["unset", ["model_type"]]], "findings", ["C314"],
     'set "model_type": "xclip_text_model" in config.json'),
    ("no type", "llava_onevision", "Generation", [["unset", ["model_type"]], ["config", ["image_token_id"], 151646]],
     "findings", ["C314"], 'set "model_type": "llava_onevision" in config.json'),
    ("another type", "qwen3_vl_moe_text", "Model", [["config", ["model_type"], "bert"]], "findings", ["N444"],
     'set "model_type": "qwen3_vl_moe_text" in config.json'),
    ("another type", "idefics", "Text2Text", [["config", ["model_type"], "bert"]], "findings", ["N444"],
     'set "model_type": "idefics" in config.json'),
    ("another type", "glpn", "Estimation", [["config", ["model_type"], "bert"]], "findings", ["N444"],
     'set "model_type": "glpn" in config.json'),
    ("no class", "blip", "ConditionalGeneration", [["unset", ["architectures"]]], "findings", ["N429"],
     'set "architectures": ["BlipForConditionalGeneration"]'),
    ("no class", "plbart", "CausalLM", [["config", ["architectures"], []]], "findings", ["N429"],
     'set "architectures": ["PLBartForCausalLM"]'),
    ("no class", "metaclip_2", "Classification", [["unset", ["architectures"]]], "findings", ["N429"],
     'set "architectures": ["MetaClip2ForImageClassification"]'),
    ("no class", "clipseg_text_model", "Model", [["unset", ["architectures"]]], "findings", ["N429"],
     'set "architectures": ["CLIPSegTextModel"]'),
    ("no class", "llama", "CausalLM", [["unset", ["architectures"]]], "clean", [], ""),
    ("class of another type", "clipseg_text_model", "Model", [["config", ["architectures"], ["Qwen2ForCausalLM"]]],
     "findings", ["C317"], 'set "architectures": ["CLIPSegTextModel"]'),
    ("class of another type", "patchtst", "Classification", [["config", ["architectures"], ["Qwen2ForCausalLM"]]],
     "findings", ["C317"], 'set "architectures": ["PatchTSTForClassification"]'),
    ("class of another type", "gpt_neox", "NeoXModel", [["config", ["architectures"], ["Qwen2ForCausalLM"]]],
     "findings", ["C317"], 'set "architectures": ["GPTNeoXModel"]'),
    ("class of another type", "roberta", "TokenClassification", [["config", ["architectures"], ["Qwen2ForCausalLM"]]],
     "findings", ["C317"], 'set "architectures": ["RobertaForTokenClassification"]'),
    ("class of another type", "qwen2_moe", "CausalLM", [["config", ["architectures"], ["Qwen2ForCausalLM"]]],
     "findings", ["C317"], 'set "architectures": ["Qwen2MoeForCausalLM"]'),
    ("not gathered", "t5", "Generation", [["empty", 1]], "findings", ["R042"], "save with"),
    ("another type", "llama", "CausalLM", [["config", ["model_type"], "qwen2"], ["config", ["architectures"],
     ["Qwen2ForCausalLM"]]], "findings", ["N401"], "use the config.json that belongs to these"),
    ("another type", "bert", "MaskedLM", [["config", ["model_type"], "roberta"], ["config", ["architectures"],
     ["RobertaForMaskedLM"]]], "findings", ["N401"], 'set "model_type": "bert"'),
    ("another type", "mistral", "CausalLM", [["config", ["model_type"], "gpt2"], ["config", ["architectures"],
     ["GPT2LMHeadModel"]]], "findings", ["N401"], "use the config.json that belongs to these"),
    ("another type", "dinov2", "Model", [["add", "embeddings.register_tokens", "F32", [1, 4, 48]]], "findings",
     ["N401"], 'set "model_type": "dinov2_with_registers"'),
    ("another type", "dinov2", "Model", [["add", "embeddings.register_tokens", "F32", [1, 5, 48]]], "findings",
     ["N405"], "not counted as a parameter; remove it if"),
    ("another type", "llama", "CausalLM", [["config", ["model_type"], "Yi"], ["config", ["architectures"],
     ["YiForCausalLM"]]], "findings", ["N401"], "use the config.json that belongs to these weights"),
    ("another type", "llama", "CausalLM", [["config", ["model_type"], "Yi"], ["config", ["architectures"],
     ["YiForCausalLM"]], ["config", ["auto_map"], {"AutoModelForCausalLM": "org/code--modeling.Yi"}]], "undecided", [],
     ""),
    ("another projector", "llava", "Generation", [["lose", "linear_2"], ["rename",
     "multi_modal_projector.linear_1.weight", "multi_modal_projector.weight"], ["rename",
     "multi_modal_projector.linear_1.bias", "multi_modal_projector.bias"]], "findings", ["N428"],
     "use the config and the class that this part"),
    ("extra layers", "llama", "CausalLM", [["config", ["num_hidden_layers"], 2]], "findings", ["C310"],
     'set "num_hidden_layers": 3 in config.json'),
    ("base under a head", "mpnet", "MaskedLM", [["lose", "lm_head"]], "findings", ["N431"],
     'set "architectures": ["MPNetModel"] in'),
    ("base under a head", "bert", "MaskedLM", [["lose", "cls."]], "findings", ["N431"],
     'set "architectures": ["BertModel"] in'),
    ("base under a head", "llama", "CausalLM", [["lose", "lm_head"], ["strip", "model."]], "findings", ["P701"],
     "save the model again with its head, or set"),
    ("wrapped", "llama", "CausalLM", [["prefix", "module."]], "findings", ["N402"], "save the inner model, or rename:"),
    ("wrapped", "vit", "Classification", [["prefix", "_orig_mod."]], "findings", ["N402"],
     "save the inner model, or rename:"),
    ("wrapped", "t5", "Generation", [["prefix", "base_model.model."]], "findings", ["N402"],
     "save the inner model, or rename:"),
    ("raw names", "vit", "Classification", [["prefix", "model."]], "findings", ["N402"],
     "save the inner model, or rename:"),
    ("raw names", "bert", "MaskedLM", [["strip", "bert."]], "clean", [], ""),
    ("raw names", "llama", "CausalLM", [["strip", "model."]], "clean", [], ""),
    ("raw names", "gpt2", "LMHeadModel", [["strip", "transformer."]], "clean", [], ""),
    ("one more", "gpt_neox", "CausalLM", [["add", "gpt_neox.layers.0.attention.rotary_emb.inv_freq", "F32", [3]]],
     "clean", [], ""),
    ("one more", "bert", "MaskedLM", [["add", "bert.embeddings.position_ids", "I64", [1, 66]]], "clean", [], ""),
    ("one more", "llama", "CausalLM", [["add", "extra.weight", "F32", [3, 5]]], "findings", ["N405"],
     "not counted as a parameter; remove it if"),
    ("head lost", "vit", "Classification", [["lose", "classifier"]], "findings", ["N431"],
     'set "architectures": ["ViTModel"] in'),
    ("head lost", "wav2vec2", "ForCTC", [["lose", "lm_head"]], "findings", ["N431"],
     'set "architectures": ["Wav2Vec2Model"] in'),
    ("head lost", "bert", "MaskedLM", [["lose", "cls.predictions.transform"]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("labels", "vit", "Classification", [["config", ["id2label"], {"0": "a", "1": "b"}], ["unset", ["label2id"]]],
     "findings", ["C310"], 'set "num_labels": 7 in config.json'),
    ("resized", "llama", "CausalLM", [["config", ["vocab_size"], 110]], "findings", ["C310"],
     'set "vocab_size": 107 in config.json'),
    ("resized", "gpt2", "LMHeadModel", [["config", ["vocab_size"], 110]], "findings", ["C310"],
     'set "vocab_size": 107 in config.json'),
    ("transposed", "llama", "CausalLM", [["shape", "model.layers.0.mlp.up_proj.weight", [48, 92]]], "findings",
     ["D502"], "transpose it: tensor.t().contiguous()"),
    ("transposed", "vit", "Classification", [["shape", "vit.encoder.layer.0.intermediate.dense.weight", [48, 92]]],
     "findings", ["D502"], "transpose it: tensor.t().contiguous()"),
    ("exchanged", "llama", "CausalLM", [["rename", "model.layers.1.mlp.up_proj.weight", "x"], ["rename",
     "model.layers.1.mlp.down_proj.weight", "model.layers.1.mlp.up_proj.weight"], ["rename", "x",
     "model.layers.1.mlp.down_proj.weight"]], "findings", ["D502"], "download or convert both again"),
    ("exchanged", "opt", "CausalLM", [["rename", "model.decoder.layers.1.fc1.weight", "x"], ["rename",
     "model.decoder.layers.1.fc2.weight", "model.decoder.layers.1.fc1.weight"], ["rename", "x",
     "model.decoder.layers.1.fc2.weight"]], "findings", ["D502"], "download or convert both again"),
    ("exchanged", "t5", "Generation", [["rename", "encoder.block.0.layer.1.DenseReluDense.wi.weight", "x"], ["rename",
     "encoder.block.0.layer.1.DenseReluDense.wo.weight", "encoder.block.0.layer.1.DenseReluDense.wi.weight"],
     ["rename", "x", "encoder.block.0.layer.1.DenseReluDense.wo.weight"]], "findings", ["D502"],
     "download or convert both again"),
    ("one tensor lost", "mixtral", "CausalLM", [["lose", "layers.1.block_sparse_moe.experts.3.w2"]], "findings",
     ["N403"], "download or convert the checkpoint again;"),
    ("one tensor lost", "whisper", "Generation", [["lose", "decoder.layers.1.fc1.weight"]], "findings", ["N403"],
     "download or convert the checkpoint again;"),
    ("one tensor lost", "mamba", "CausalLM", [["lose", "layers.0.mixer.A_log"]], "findings", ["N403"],
     "download or convert the checkpoint again;"),
    ("stages lost", "cvt", "Classification", [["lose", "stages.2", "layernorm.weight"], ["keep", "cvt"]], "findings",
     ["N426"], "download or convert"),
    ("stages lost", "resnet", "Backbone", [["lose", "stages.2", "stages.3", "1.layers.2", "1.layers.1.layer.2."]],
     "findings", ["N426"], "download or convert"),
    ("stages lost", "swin", "Classification", [["lose", "layers.1", "swin.layernorm", "layers.0.blocks.1.output"]],
     "findings", ["N426"], "download or convert"),
    ("stages lost", "resnet", "Backbone", [["lose", "stages.3"]], "findings", ["N404"], "download or convert"),
    ("layers lost", "t5", "Generation", [["lose", "encoder.block.1."]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("layers lost", "clip", "Model", [["lose", "vision_model.encoder.layers.0."]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("experts lost", "mixtral", "CausalLM", [["lose", "experts.3."]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("experts lost", "qwen3_moe", "CausalLM", [["lose", "experts.2."]], "findings", ["N404"],
     "download or convert the checkpoint again:"),
    ("experts lost", "deepseek_v3", "CausalLM", [["lose", "mlp.gate.weight"]], "findings", ["N403"],
     "download or convert the checkpoint again;"),
]  # fmt: skip


def judged(row: Row, place: Path) -> Audit:
    """The audit of a row."""
    _, model_type, suffix, damages, *_ = row
    one = base_record(model_type, suffix)
    config = {"model_type": model_type, "architectures": [one["class"]], **one["config"]}
    return audit(str(write(damaged(healthy(spec_of(one), config), damages), place / "0")))


@pytest.mark.thinned
@pytest.mark.parametrize("row", CASES, ids=[f"{number}-{row[0]}-{row[1]}" for number, row in enumerate(CASES)])
def test_a_damage_has_one_cause(row: Row, tmp_path: Path) -> None:
    *_, verdict, codes, words = row
    audited = judged(row, tmp_path)
    found = [one for one in audited.findings if one.severity != "note"]
    assert (audited.verdict, [one.code for one in found]) == (verdict, codes)
    assert len(found) <= 2
    assert not found or words in found[0].help


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize(("model_type", "suffix"), [("llama", "CausalLM"), ("bert", "MaskedLM"), ("t5", "Generation")])
def test_the_index_of_another_revision(model_type: str, suffix: str, complete: bool, tmp_path: Path) -> None:
    """It lists more tensors, in shards that do not exist; unless the stored shards are complete, they are lost."""
    record = base_record(model_type, suffix)
    config = {"model_type": model_type, **record["config"]}
    folder = damaged(healthy(spec_of(record), config), [["shards", 4]])
    listed = [*spec_of(record), "of.another.revision.weight"]
    other = {name: f"model-{at % 5 + 1:05}-of-00005.safetensors" for at, name in enumerate(listed)}
    folder.texts[INDEX] = {"metadata": {"total_size": 9_999_999}, "weight_map": other}
    if not complete:
        del folder.weights["model-00002-of-00004.safetensors"]
    found = [one for one in audit(str(write(folder, tmp_path / "0"))).findings if one.severity == "error"]
    assert [one.code for one in found] == ["S226" if complete else "S201"]
    assert not complete or found[0].facts["nowhere"] == 1


@pytest.mark.parametrize(("model_type", "suffix", "old", "new"), [
    ("qwen2_vl", "Generation", "visual.", "vision_model."), ("mamba", "CausalLM", ".mixer.", ".ssm."),
    ("resnet", "Classification", "resnet.embedder", "resnet.stem"), ("llava", "Generation", "_projector", "_bridge"),
])  # fmt: skip
def test_every_renamed_tensor_has_its_own_old_name(model_type: str, suffix: str, old: str, new: str) -> None:
    """Also in modules with numbers, such as `merger.mlp.0` and `merger.mlp.2`, which are one family."""
    record = base_record(model_type, suffix)
    stored = {name.replace(old, new): entry for name, entry in spec_of(record).items()}
    found = [one for one in judged_spec(stored, record["config"]).findings if one.code == "N407"]
    renames = {step.old: step.new for one in found for step in one.remedy().steps}
    assert found and [renames.get(name, name) for name in stored] == list(spec_of(record))


@pytest.mark.parametrize("model_type", ["llama", "bert", "t5"])
@pytest.mark.parametrize(("damage", "code"), [
    (lambda raw: raw[:40], "H101"), (lambda raw: raw[:8] + bytes(12) + raw[20:], "H103"),
    (lambda raw: b"\xff" * 8 + raw[8:], "H102"), (lambda raw: raw[:-5], "S203"), (lambda raw: b"", "R005"),
])  # fmt: skip
def test_many_damaged_files_of_one_kind_are_one_finding(
    model_type: str, damage: Callable[[bytes], bytes], code: str, tmp_path: Path
) -> None:
    one = base_record(model_type)
    config = {"model_type": model_type, "architectures": [one["class"]], **one["config"]}
    folder = write(damaged(healthy(spec_of(one), config), [["shards", 12]]), tmp_path / "0")
    broken = sorted(folder.glob("*.safetensors"))[:9]
    for path in broken:
        path.write_bytes(damage(path.read_bytes()))
    (finding,) = (one for one in audit(str(folder)).findings if one.severity == "error")
    assert finding.code == code
    assert code == "H103" or {step.file for step in finding.steps} == {path.name for path in broken}


@pytest.mark.parametrize(("damage", "code"), [
    (lambda raw: raw[:40], "H101"), (lambda raw: raw[:4] + b"\x63" + raw[5:], "H131"), (lambda raw: b"", "R005"),
])  # fmt: skip
def test_damaged_parts_of_gguf_are_one_finding(damage: Callable[[bytes], bytes], code: str, tmp_path: Path) -> None:
    sizes = {"block_count": 8, "embedding_length": 64, "feed_forward_length": 96, "attention.head_count": 4}
    stated: list[tuple[str, str, Any]] = [(f"llama.{key}", "u32", value) for key, value in sizes.items()]
    for number in range(8):
        pairs = [("split.no", "u16", number), ("split.count", "u16", 8), ("split.tensors.count", "i32", 8)]
        first = [("general.architecture", "text", "llama"), *stated] if number == 0 else []
        raw = Gguf().file([(f"blk.{number}.ffn_norm.weight", (64,), 0, 256)], [*first, *pairs])
        (tmp_path / f"m-{number + 1:05}-of-00008.gguf").write_bytes(damage(raw) if 0 < number < 7 else raw)
    (finding,) = (one for one in audit(str(tmp_path)).findings if one.severity == "error")
    assert finding.code == code
