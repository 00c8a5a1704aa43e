"""The example on the documentation page of each finding of the reading stages."""

from __future__ import annotations

from typing import Any

from tests.readers.rule_examples import EXAMPLES as READERS

EXAMPLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "not-found": ({}, {"reason": "absent", "detail": "No such file or directory"}),
    "text-encoder-names-unread": (
        {"tensor": "cond_stage_model.transformer.text_model.embeddings.token_embedding.weight"},
        {"tensors": 388, "wanted": "cond_stage_model.model.", "model": "Stable Diffusion 2", "by_diffusers": True},
    ),
    "not-permitted": (
        {"file": "model.safetensors"},
        {"reason": "permission", "detail": "Permission denied"},
    ),
    "no-weights": (
        {},
        {
            "sets": [{"name": "tf_model.h5", "files": 1, "bytes": 548118077, "kind": "tensorflow"}],
            "count": 1,
            "files": 4,
            "complete": True,
            "unfinished": [],
            "folders": [],
        },
    ),
    "not-a-regular-file": (
        {"file": "model.safetensors"},
        {"reason": "not-regular", "detail": "directory"},
    ),
    "speech-features-absent": (
        {"file": "model.bin"},
        {"bins": 128, "wanted": "preprocessor_config.json"},
    ),
    "tokenizer-absent": ({"file": "preprocessor_config.json"}, {}),
    "processor-absent": ({"file": "preprocessor_config.json"}, {"parts": ["image_processor"]}),
    "tokenizer-unnamed": (
        {"file": "tokenizer_config.json"},
        {"files": ["vocab.json"], "model_type": "aquila"},
    ),
    "vocabulary-unread": (
        {"file": "config.json", "key": "tokenizer_class"},
        {"model_type": "bert", "read": "vocab.txt", "present": ["sentencepiece.bpe.model"]},
    ),
    "tokenizer-refused": (
        {"file": "tokenizer.json"},
        {"first": 3, "text": "ab c", "lacking": "abc", "merges": 1, "of": 9},
    ),
    "generation-not-ended": (
        {"file": "generation_config.json", "key": "eos_token_id"},
        {"stated": [2], "names": ["</s>"], "token": "<|im_end|>", "wanted": 321},
    ),
    "generation-ends-at-word": (
        {"file": "config.json", "key": "eos_token_id"},
        {"stated": [2], "token": "<|endoftext|>", "wanted": 319},
    ),
    "turns-end-elsewhere": (
        {"file": "generation_config.json", "key": "eos_token_id"},
        {"stated": [301], "names": ["<|end_of_text|>"], "wanted": [[309, "<|eot_id|>"]]},
    ),
    "vocabulary-absent": ({"file": "vocab.txt"}, {"read": ["vocab.txt"], "beside": "tokenizer_config.json"}),
    "preprocessing-absent": ({}, {"parts": ["tokenizer"]}),
    "processor-class-unknown": (
        {"file": "preprocessor_config.json", "key": "image_processor_type"},
        {"stated": "ViTImageProcesor", "wanted": "ViTImageProcessor"},
    ),
    "image-size-differs": (
        {"file": "preprocessor_config.json", "key": "size"},
        {"made": [224, 224], "wanted": 384, "nested": True},
    ),
    "mel-bins-differ": ({"file": "preprocessor_config.json", "key": "feature_size"}, {"made": 80, "wanted": 128}),
    "generation-refused": (
        {"file": "generation_config.json"},
        {"keys": ["eos_token_id"], "because": ["eos_token_id is no number"]},
    ),
    "generation-not-saved": ({"file": "generation_config.json"}, {"sampling": ["temperature", "top_p"], "beams": []}),
    "processor-damaged": ({"file": "preprocessor_config.json"}, {"what": "git-lfs-pointer", "problem": ""}),
    "generation-unread": ({"file": "generation_config.json"}, {"what": "git-lfs-pointer", "problem": ""}),
    "processor-without-tokenizer": ({"file": "preprocessor_config.json"}, {"model_type": "wav2vec2"}),
    "tokenizer-damaged": (
        {"file": "tokenizer.json"},
        {"what": "git-lfs-pointer", "problem": "", "files": ["tokenizer.json"]},
    ),
    "not-a-checkpoint": ({"file": "model.safetensors"}, {"what": "git-lfs-pointer", "bytes": 134}),
    "config-unreadable": (
        {"file": "config.json"},
        {"problem": "has text after its end", "detail": "", "position": 1168, "what": "", "line": 41},
    ),
    "config-key-doubled": ({"file": "config.json"}, {"keys": ["hidden_size"], "count": 1}),
    "weights-not-found": (
        {},
        {"wanted": "fp8", "there": ["model.safetensors", "model.fp16.safetensors"], "sets": 2},
    ),
    "read-failed": (
        {"file": "model.safetensors"},
        {"reason": "input-output", "detail": "Input/output error"},
    ),
    "adapter-of-library": ({"file": "adapter_config.json"}, {"base": "bert-base-uncased"}),
    "download-unfinished": ({"file": "model.safetensors"}, {"trace": "model.safetensors.aria2"}),
    "budget-exceeded": ({}, {"what": "the sets of indices in the names", "resource": "work"}),
    "too-many-files": ({}, {"files": 100000, "limit": 20000}),
    "address-not-understood": (
        {},
        {
            "given": "huggingface.local",
            "problem": "in HF_ENDPOINT is not a web address such as https://huggingface.co",
        },
    ),
    "repository-not-found": (
        {},
        {
            "repository": "org/nmae",
            "bare": True,
            "endpoint": "https://huggingface.co",
            "token": True,
            "detail": "huggingface.co answers 404: Repository not found",
        },
    ),
    "repository-private": (
        {},
        {
            "repository": "org/secret",
            "endpoint": "https://huggingface.co",
            "token": False,
            "bare": False,
            "detail": "huggingface.co answers 401: Repository not found",
        },
    ),
    "repository-gated": (
        {},
        {
            "repository": "org/gated",
            "endpoint": "https://huggingface.co",
            "token": False,
            "bare": False,
            "detail": "huggingface.co answers 401: Access to model org/gated is restricted.",
        },
    ),
    "repository-disabled": (
        {},
        {
            "repository": "org/closed",
            "endpoint": "https://huggingface.co",
            "token": False,
            "bare": False,
            "detail": "huggingface.co answers 403: Access to this resource is disabled.",
        },
    ),
    "repository-renamed": ({}, {"repository": "old/name", "new": "org/name"}),
    "revision-not-found": (
        {},
        {
            "repository": "org/name",
            "endpoint": "https://huggingface.co",
            "revision": "v2",
            "token": False,
            "bare": False,
            "detail": "huggingface.co answers 404: Invalid rev id: v2",
        },
    ),
    "token-refused": (
        {},
        {
            "repository": "org/name",
            "endpoint": "https://huggingface.co",
            "token": True,
            "bare": False,
            "detail": "huggingface.co answers 401: Invalid credentials in Authorization header",
        },
    ),
    "hub-unreachable": (
        {},
        {
            "repository": "org/name",
            "bare": True,
            "kind": "status",
            "status": 503,
            "host": "huggingface.co",
            "endpoint": "https://huggingface.co",
            "tries": 3,
            "detail": "huggingface.co answers 503: Service Unavailable (3 tries)",
        },
    ),
    "hub-answer-odd": (
        {},
        {"wanted": "the description of the repository", "what": "html", "endpoint": "https://huggingface.co"},
    ),
    "not-cached": (
        {},
        {
            "repository": "org/name",
            "revision": None,
            "cache": "~/.cache/huggingface/hub",
            "there": [],
            "offline": True,
            "known": False,
            "promised": None,
        },
    ),
    "read-from-cache": (
        {},
        {
            "repository": "org/name",
            "revision": "main",
            "commit": "0e9e39f249a16976918f6564b8830bc894c89659",
            "offline": False,
            "unfinished": 0,
        },
    ),
    "inside-not-found": (
        {},
        {"repository": "org/name", "inside": "unet", "commit": "0e9e39f249a16976918f6564b8830bc894c89659"},
    ),
    "scheme-unsupported": (
        {},
        {
            "source": "s3://bucket/model",
            "scheme": "s3",
            "extra": "s3",
            "missing": True,
            "detail": "Install s3fs to access S3",
        },
    ),
    "place-unreadable": ({}, {"source": "s3://bucket/model", "reason": "permission", "detail": "Access Denied"}),
    "header-truncated": ({"file": "model.safetensors"}, {"declared": 9560, "stored": 4096}),
    "header-length": (
        {"file": "model.safetensors"},
        {"announced": 9223372036854775807, "stored": 4096, "limit": 100000000},
    ),
    "header-not-json": (
        {"file": "model.safetensors"},
        {"problem": "is padded with NUL", "position": 2104, "bytes": 2112},
    ),
    "entry-malformed": (
        {"file": "model.safetensors"},
        {"tensors": 1, "cases": [{"tensor": "lm_head.weight", "problem": "shape holds 4096.0"}]},
    ),
    "dtype-unknown": (
        {"file": "model.safetensors"},
        {
            "tensors": 2,
            "cases": [
                {"tensor": "model.layers.0.mlp.up_proj.weight", "dtype": "F8_E4M3FN", "meant": "F8_E4M3"},
                {"tensor": "model.layers.1.mlp.up_proj.weight", "dtype": "F8_E4M3FN", "meant": "F8_E4M3"},
            ],
        },
    ),
    "key-doubled": (
        {"file": "model.safetensors"},
        {"where": "header", "keys": ["lm_head.weight"], "tensors": 1},
    ),
    "offsets-hole": (
        {"file": "model.safetensors"},
        {"holes": 1, "bytes": 64, "names": ["lm_head.weight"]},
    ),
    "offsets-overlap": ({"file": "model.safetensors"}, {"tensors": 1, "names": ["lm_head.weight"]}),
    "data-behind-end": (
        {"file": "model.safetensors"},
        {"declared": 213632, "stored": 213732, "bytes": 100},
    ),
    "size-differs": (
        {"file": "model.safetensors"},
        {
            "tensors": 1,
            "cases": [
                {
                    "tensor": "lm_head.weight",
                    "dtype": "BF16",
                    "shape": [256, 64],
                    "expected": 32768,
                    "stored": 32704,
                }
            ],
        },
    ),
    "shape-overflows": (
        {"file": "model.safetensors"},
        {"tensors": 1, "cases": [{"tensor": "w", "dtype": "F32", "shape": [4294967296, 4294967296]}]},
    ),
    "part-of-byte": (
        {"file": "model.safetensors"},
        {"tensors": 1, "cases": [{"tensor": "w", "dtype": "F4", "shape": [3]}]},
    ),
    "header-starts-blank": ({"file": "model.safetensors"}, {"bytes": 8}),
    "field-unknown": (
        {"file": "model.safetensors"},
        {"tensors": 1, "cases": [{"tensor": "lm_head.weight", "keys": ["scale"]}]},
    ),
    "metadata-key-doubled": ({"file": "model.safetensors"}, {"keys": ["format"], "count": 1}),
    "metadata-malformed": (
        {"file": "model.safetensors"},
        {"problem": "holds a number, not a string", "keys": ["epoch"], "count": 1},
    ),
    "header-large": ({"file": "model.safetensors"}, {"bytes": 30000000, "limit": 25000000}),
    "offsets-absolute": ({"file": "model.safetensors"}, {"begin": 2120, "tensors": 21}),
    "format-absent": ({}, {"files": 1, "names": ["model.safetensors"], "of": 1}),
    "too-many-tensors": ({"file": "model.safetensors"}, {"tensors": 2500000, "limit": 2000000}),
    "reference-disagrees": (
        {"file": "model.safetensors"},
        {
            "reader": "safetensors 0.4.3",
            "theirs": "refuses it: unknown variant `F4`",
            "ours": "accepts it",
            "tensors": 0,
            "names": [],
        },
    ),
    "field-doubled": (
        {"file": "model.safetensors"},
        {"tensors": 1, "cases": [{"tensor": "lm_head.weight", "keys": ["shape"]}]},
    ),
    "shard-missing": (
        {"file": "model-00003-of-00004.safetensors"},
        {
            "tensors": 87,
            "names": ["model.layers.16.input_layernorm.weight", "model.layers.16.mlp.gate.weight"],
            "index": "model.safetensors.index.json",
            "layers": "16-24",
        },
    ),
    "index-unreadable": (
        {"file": "model.safetensors.index.json"},
        {
            "problem": "contains unresolved git merge conflicts",
            "position": 60303,
            "line": 702,
            "what": "",
            "bytes": 120661,
        },
    ),
    "shard-cut": (
        {"file": "model-00003-of-00004.safetensors"},
        {
            "declared": 4915916176,
            "stored": 3221225472,
            "lost_bytes": 1694690704,
            "tensors": 47,
            "names": ["model.layers.24.mlp.down_proj.weight"],
            "layers": "24-31",
        },
    ),
    "pickled-shards-unread": (
        {"file": "diffusion_pytorch_model.bin.index.json"},
        {"files": 2, "loader": "diffusers", "wanted": "diffusion_pytorch_model.safetensors.index.json"},
    ),
    "index-of-another-save": (
        {"file": "model.safetensors.index.json"},
        {
            "files": 4,
            "listed_files": [f"model-0000{number}-of-00004.safetensors" for number in (1, 2, 3, 4)],
            "tensors": 57,
            "stored_files": [f"model-0000{number}-of-00003.safetensors" for number in (1, 2, 3)],
            "stored_in": 3,
        },
    ),
    "shard-unlisted": (
        {"file": "model-00005-of-00005.safetensors"},
        {
            "index": "model.safetensors.index.json",
            "tensors": 21,
            "repeated": 21,
            "contradicted": 0,
            "names": ["lm_head.weight"],
        },
    ),
    "shard-forgotten": (
        {"file": "model-00002-of-00003.safetensors"},
        {"index": "model.safetensors.index.json", "tensors": 11, "repeated": 0, "contradicted": 0, "names": []},
    ),
    "tensor-unlisted": (
        {"file": "model-00003-of-00004.safetensors"},
        {"tensors": 1, "names": ["lm_head.weight"], "index": "model.safetensors.index.json"},
    ),
    "tensor-read-unlisted": (
        {"file": "model-00003-of-00004.safetensors"},
        {"tensors": 1, "names": ["lm_head.weight"], "index": "model.safetensors.index.json"},
    ),
    "tensor-absent": (
        {"file": "model-00003-of-00004.safetensors"},
        {"tensors": 1, "names": ["model.norm.weight"], "index": "model.safetensors.index.json"},
    ),
    "tensor-listed-elsewhere": (
        {"file": "model-00003-of-00004.safetensors"},
        {
            "tensors": 2,
            "names": ["model.norm.weight", "lm_head.weight"],
            "index": "model.safetensors.index.json",
            "in": ["model-00004-of-00004.safetensors"],
        },
    ),
    "tensor-listed-in-vain": (
        {"file": "model-00003-of-00004.safetensors"},
        {"tensors": 1, "names": ["extra.weight"], "index": "model.safetensors.index.json"},
    ),
    "tensor-in-another-shard": (
        {"file": "model-00003-of-00004.safetensors"},
        {
            "tensors": 2,
            "names": ["model.norm.weight", "lm_head.weight"],
            "index": "model.safetensors.index.json",
            "in": ["model-00004-of-00004.safetensors"],
        },
    ),
    "tensor-doubled": (
        {"file": "model-00003-of-00004.safetensors"},
        {"tensors": 1, "names": ["lm_head.weight"], "index": None},
    ),
    "shard-name-unsafe": (
        {"file": "model-00003-of-00004.safetensors"},
        {"tensors": 1, "names": ["lm_head.weight"], "index": "model.safetensors.index.json"},
    ),
    "tensor-contradicted": (
        {"file": "model-00003-of-00004.safetensors"},
        {"tensors": 1, "names": ["lm_head.weight"], "index": None},
    ),
    "index-names-nothing": ({"file": "model.safetensors.index.json"}, {"promised": 0, "stored": 291}),
    "shard-totals-differ": (
        {},
        {"totals": [4, 5], "names": ["model-00001-of-00004.safetensors", "model-00001-of-00005.safetensors"]},
    ),
    "index-stale": (
        {"file": "model.safetensors.index.json"},
        {"files": 4, "tensors": 291, "audited": "model.safetensors"},
    ),
    "index-without-metadata": (
        {"file": "model.safetensors.index.json"},
        {"loader": "transformers", "bytes": 16060522496},
    ),
    "index-stale-taken": (
        {"file": "diffusion_pytorch_model.safetensors.index.json"},
        {"files": 4, "tensors": 291, "audited": "diffusion_pytorch_model.safetensors"},
    ),
    "sets-differ": (
        {"file": "model.safetensors"},
        {
            "loader": "transformers",
            "loaded": {"name": "model.safetensors", "files": 1, "bytes": 1051080360, "kind": "safetensors"},
            "instead": {
                "name": "model.safetensors.index.json",
                "files": 24,
                "bytes": 12570755976,
                "kind": "safetensors",
            },
            "only_loaded": 0,
            "only_instead": 169,
            "layouts": 0,
            "fits": "model.safetensors.index.json",
            "aside": ["model.safetensors"],
            "problems": ["N403", "N402"],
        },
    ),
    "listing-incomplete": ({}, {"files": 100000}),
    "set-unreadable": (
        {"file": "model.safetensors.index.json"},
        {"audited": "model.safetensors", "problems": ["R005"]},
    ),
    "index-missing": (
        {},
        {"files": 2, "names": ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]},
    ),
    "index-required": (
        {},
        {
            "files": 2,
            "names": ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"],
            "loader": "transformers",
            "wanted": "model.safetensors.index.json",
        },
    ),
    "shard-renamed": (
        {"file": "model-00003-of-00004.safetensors"},
        {
            "listed": ["model-00003-of-00004.safetensors"],
            "stored": ["model-00003-of-00004 (1).safetensors"],
            "tensors": 87,
        },
    ),
    "sharded-state": (
        {"file": "model-rank-0-part-0.safetensors"},
        {"ranks": [0, 1], "of": 2},
    ),
    "ranks-missing": (
        {"file": "model-rank-0-part-0.safetensors"},
        {"ranks": [0], "of": 2},
    ),
    "file-name-unknown": (
        {"file": "model-finetuned.safetensors"},
        {"loader": "transformers", "wanted": "model.safetensors", "single": True, "variant": ""},
    ),
    "named-weights-refused": (
        {"file": "config.json", "key": "transformers_weights"},
        {
            "named": "model-bf16.safetensors",
            "usual": True,
            "audited": "model.safetensors",
            "problem": "transformers_weights names model-bf16.safetensors, which is absent",
        },
    ),
    "weights-without-folder": ({"file": "llama.safetensors"}, {"wanted": "model.safetensors"}),
    "index-key-doubled": (
        {"file": "model.safetensors.index.json"},
        {"keys": ["lm_head.weight"], "count": 1},
    ),
    "index-entry-malformed": (
        {"file": "model.safetensors.index.json"},
        {"tensors": 1, "names": ["lm_head.weight"]},
    ),
    "index-total-type": (
        {"file": "model.safetensors.index.json", "key": "total_size"},
        {"key": "total_size", "value": "13731385408.0", "type": "a float", "wanted": "an integer"},
    ),
    "slice-differs": (
        {"file": "consolidated.01.pth", "tensor": "layers.0.attention.wq.weight"},
        {
            "tensors": 24,
            "names": ["layers.0.attention.wq.weight", "layers.0.attention.wk.weight"],
            "stored": ["BF16", [1024, 4096]],
            "others": ["BF16", [2048, 4096]],
            "as_in": ["consolidated.00.pth"],
        },
    ),
    "slices-joined": (
        {},
        {"files": 2, "tensors": 282, "copies": 82, "elements": 414784, "bytes": 829568},
    ),
    "chat-template-absent": ({"file": "tokenizer_config.json", "key": "eos_token"}, {"end": "<|im_end|>"}),
    "models-below": ({}, {"file": "asr.pt", "folders": ["checkpoint-500"], "count": 1}),
    "shards-of-unfinished-conversion": (
        {},
        {
            "names": ["model-00003-of-00009.safetensors", "model-00007-of-00009.safetensors"],
            "files": 2,
            "of": 9,
            "audited": "pytorch_model.bin.index.json",
            "loader": "transformers",
        },
    ),
    "shard-holds-another": (
        {"file": "model-00002-of-00003.safetensors"},
        {
            "holds": "model-00001-of-00003.safetensors",
            "tensors": 87,
            "names": ["model.layers.9.input_layernorm.weight", "model.layers.9.mlp.down_proj.weight"],
            "layers": "9-18",
        },
    ),
    "variant-only": (
        {},
        {
            "variant": "fp16",
            "components": ["unet", "vae", "text_encoder"],
            "files": [
                "unet/diffusion_pytorch_model.fp16.safetensors",
                "vae/diffusion_pytorch_model.fp16.safetensors",
                "text_encoder/model.fp16.safetensors",
            ],
            "all": True,
        },
    ),
    "weights-misnamed": (
        {},
        {
            "stored": ["diffusion_pytorch_model.safetensor"],
            "wanted": ["diffusion_pytorch_model.safetensors"],
            "what": "safetensors",
            "files": 1,
        },
    ),
    "tuned-by-litgpt": (
        {},
        {
            "file": "lit_model.pth.lora",
            "method": "a LoRA",
            "command": "litgpt merge_lora FOLDER",
            "merges": True,
        },
    ),
    "links-broken": (
        {},
        {
            "files": 5,
            "names": [
                "config.json",
                "model-00001-of-00002.safetensors",
                "model-00002-of-00002.safetensors",
                "model.safetensors.index.json",
                "tokenizer.json",
            ],
        },
    ),
    "value-head-beside": (
        {"file": "value_head.safetensors"},
        {"file": "value_head.safetensors", "audited": "model.safetensors.index.json"},
    ),
    "trained-beside-adapter": (
        {"file": "adapter_model.safetensors"},
        {
            "audited": "adapter_model.safetensors",
            "audited_bytes": 639692768,
            "sets": [{"name": "non_lora_trainables.bin", "files": 1, "bytes": 41978453, "kind": "pytorch"}],
            "count": 1,
            "bytes": 41978453,
        },
    ),
    "other-weights": (
        {"file": "model.safetensors.index.json"},
        {
            "audited": "model.safetensors.index.json",
            "audited_bytes": 14496447870,
            "sets": [{"name": "consolidated.safetensors", "files": 1, "bytes": 14496078512, "kind": "safetensors"}],
            "count": 1,
            "bytes": 14496078512,
            "consolidated": "consolidated.safetensors",
        },
    ),
}
"""Module name -> place and facts."""
EXAMPLES |= READERS
