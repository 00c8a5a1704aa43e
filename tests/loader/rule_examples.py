"""The case that the documentation page of each rule of the reading stages shows."""

from __future__ import annotations

from typing import Any

from tests.readers.rule_examples import EXAMPLES as READERS

EXAMPLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "r001_not_found": ({}, {"reason": "absent", "detail": "No such file or directory"}),
    "r002_not_permitted": (
        {"file": "model.safetensors"},
        {"reason": "permission", "detail": "Permission denied"},
    ),
    "r003_no_weights": (
        {},
        {
            "sets": [{"name": "tf_model.h5", "files": 1, "bytes": 548118077, "kind": "tensorflow"}],
            "count": 1,
            "files": 4,
            "complete": True,
            "unfinished": [],
        },
    ),
    "r004_not_a_regular_file": (
        {"file": "model.safetensors"},
        {"reason": "not-regular", "detail": "directory"},
    ),
    "r005_not_a_checkpoint": ({"file": "model.safetensors"}, {"what": "git-lfs-pointer", "bytes": 134}),
    "r006_config_unreadable": (
        {"file": "config.json"},
        {"problem": "has text after its end", "detail": "", "position": 1168, "what": ""},
    ),
    "r007_config_key_doubled": ({"file": "config.json"}, {"keys": ["hidden_size"], "count": 1}),
    "r008_weights_not_found": (
        {},
        {"wanted": "fp8", "there": ["model.safetensors", "model.fp16.safetensors"], "sets": 2},
    ),
    "r009_read_failed": (
        {"file": "model.safetensors"},
        {"reason": "input-output", "detail": "Input/output error"},
    ),
    "r010_download_unfinished": ({"file": "model.safetensors"}, {"trace": "model.safetensors.aria2"}),
    "r011_too_many_files": ({}, {"files": 100000, "limit": 20000}),
    "r020_address_not_understood": (
        {},
        {
            "given": "huggingface.local",
            "problem": "is the endpoint by HF_ENDPOINT, and no web address such as https://huggingface.co",
        },
    ),
    "r021_repository_not_found": (
        {},
        {
            "repository": "org/nmae",
            "bare": True,
            "endpoint": "https://huggingface.co",
            "token": True,
            "detail": "huggingface.co answers 404: Repository not found",
        },
    ),
    "r022_repository_private": (
        {},
        {
            "repository": "org/secret",
            "endpoint": "https://huggingface.co",
            "token": False,
            "detail": "huggingface.co answers 401: Repository not found",
        },
    ),
    "r023_repository_gated": (
        {},
        {
            "repository": "org/gated",
            "endpoint": "https://huggingface.co",
            "token": False,
            "detail": "huggingface.co answers 401: Access to model org/gated is restricted.",
        },
    ),
    "r024_repository_disabled": (
        {},
        {
            "repository": "org/closed",
            "endpoint": "https://huggingface.co",
            "token": False,
            "detail": "huggingface.co answers 403: Access to this resource is disabled.",
        },
    ),
    "r025_repository_renamed": ({}, {"repository": "old/name", "new": "org/name"}),
    "r026_revision_not_found": (
        {},
        {
            "repository": "org/name",
            "endpoint": "https://huggingface.co",
            "revision": "v2",
            "token": False,
            "detail": "huggingface.co answers 404: Invalid rev id: v2",
        },
    ),
    "r027_token_refused": (
        {},
        {
            "repository": "org/name",
            "endpoint": "https://huggingface.co",
            "token": True,
            "detail": "huggingface.co answers 401: Invalid credentials in Authorization header",
        },
    ),
    "r028_hub_unreachable": (
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
    "r029_hub_answer_odd": (
        {},
        {"wanted": "the description of the repository", "what": "html", "endpoint": "https://huggingface.co"},
    ),
    "r030_not_cached": (
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
    "r031_read_from_cache": (
        {},
        {
            "repository": "org/name",
            "revision": "main",
            "commit": "0e9e39f249a16976918f6564b8830bc894c89659",
            "offline": False,
            "unfinished": 0,
        },
    ),
    "r032_inside_not_found": (
        {},
        {"repository": "org/name", "inside": "unet", "commit": "0e9e39f249a16976918f6564b8830bc894c89659"},
    ),
    "r033_scheme_unsupported": (
        {},
        {
            "source": "s3://bucket/model",
            "scheme": "s3",
            "extra": "s3",
            "missing": True,
            "detail": "Install s3fs to access S3",
        },
    ),
    "r034_place_unreadable": ({}, {"source": "s3://bucket/model", "reason": "permission", "detail": "Access Denied"}),
    "h101_header_truncated": ({"file": "model.safetensors"}, {"declared": 9560, "stored": 4096}),
    "h102_header_length": (
        {"file": "model.safetensors"},
        {"announced": 9223372036854775807, "stored": 4096, "limit": 100000000},
    ),
    "h103_header_not_json": (
        {"file": "model.safetensors"},
        {"problem": "is padded with NUL", "position": 2104, "bytes": 2112},
    ),
    "h104_entry_malformed": (
        {"file": "model.safetensors"},
        {"tensors": 1, "cases": [{"tensor": "lm_head.weight", "problem": "shape holds 4096.0"}]},
    ),
    "h105_dtype_unknown": (
        {"file": "model.safetensors"},
        {
            "tensors": 2,
            "cases": [
                {"tensor": "model.layers.0.mlp.up_proj.weight", "dtype": "F8_E4M3FN", "meant": "F8_E4M3"},
                {"tensor": "model.layers.1.mlp.up_proj.weight", "dtype": "F8_E4M3FN", "meant": "F8_E4M3"},
            ],
        },
    ),
    "h106_key_doubled": (
        {"file": "model.safetensors"},
        {"where": "header", "keys": ["lm_head.weight"], "tensors": 1},
    ),
    "h107_offsets_hole": (
        {"file": "model.safetensors"},
        {"holes": 1, "bytes": 64, "names": ["lm_head.weight"]},
    ),
    "h108_offsets_overlap": ({"file": "model.safetensors"}, {"tensors": 1, "names": ["lm_head.weight"]}),
    "h109_data_behind_end": (
        {"file": "model.safetensors"},
        {"declared": 213632, "stored": 213732, "bytes": 100},
    ),
    "h110_size_differs": (
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
    "h111_shape_overflows": (
        {"file": "model.safetensors"},
        {"tensors": 1, "cases": [{"tensor": "w", "dtype": "F32", "shape": [4294967296, 4294967296]}]},
    ),
    "h112_part_of_byte": (
        {"file": "model.safetensors"},
        {"tensors": 1, "cases": [{"tensor": "w", "dtype": "F4", "shape": [3]}]},
    ),
    "h113_header_starts_blank": ({"file": "model.safetensors"}, {"bytes": 8}),
    "h114_field_unknown": (
        {"file": "model.safetensors"},
        {"tensors": 1, "cases": [{"tensor": "lm_head.weight", "keys": ["scale"]}]},
    ),
    "h115_metadata_key_doubled": ({"file": "model.safetensors"}, {"keys": ["format"], "count": 1}),
    "h116_metadata_malformed": (
        {"file": "model.safetensors"},
        {"problem": "holds a number, not a text", "keys": ["epoch"], "count": 1},
    ),
    "h117_header_large": ({"file": "model.safetensors"}, {"bytes": 30000000, "limit": 25000000}),
    "h118_offsets_absolute": ({"file": "model.safetensors"}, {"begin": 2120, "tensors": 21}),
    "h119_format_absent": ({}, {"files": 1, "names": ["model.safetensors"], "of": 1}),
    "h120_too_many_tensors": ({"file": "model.safetensors"}, {"tensors": 2500000, "limit": 2000000}),
    "h121_field_doubled": (
        {"file": "model.safetensors"},
        {"tensors": 1, "cases": [{"tensor": "lm_head.weight", "keys": ["shape"]}]},
    ),
    "s201_shard_missing": (
        {"file": "model-00003-of-00004.safetensors"},
        {
            "tensors": 87,
            "names": ["model.layers.16.input_layernorm.weight", "model.layers.16.mlp.gate.weight"],
            "index": "model.safetensors.index.json",
            "layers": "16-24",
        },
    ),
    "s202_index_unreadable": (
        {"file": "model.safetensors.index.json"},
        {
            "problem": "holds the remnant of an unfinished git merge",
            "position": 60303,
            "what": "",
            "bytes": 120661,
        },
    ),
    "s203_shard_cut": (
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
    "s204_shard_unlisted": (
        {"file": "model-00005-of-00005.safetensors"},
        {
            "index": "model.safetensors.index.json",
            "tensors": 21,
            "repeated": 21,
            "contradicted": 0,
            "names": ["lm_head.weight"],
        },
    ),
    "s205_tensor_unlisted": (
        {"file": "model-00003-of-00004.safetensors"},
        {"tensors": 1, "names": ["lm_head.weight"], "index": "model.safetensors.index.json"},
    ),
    "s206_tensor_absent": (
        {"file": "model-00003-of-00004.safetensors"},
        {"tensors": 1, "names": ["model.norm.weight"], "index": "model.safetensors.index.json"},
    ),
    "s207_tensor_in_another_shard": (
        {"file": "model-00003-of-00004.safetensors"},
        {
            "tensors": 2,
            "names": ["model.norm.weight", "lm_head.weight"],
            "index": "model.safetensors.index.json",
            "in": ["model-00004-of-00004.safetensors"],
        },
    ),
    "s208_tensor_doubled": (
        {"file": "model-00003-of-00004.safetensors"},
        {"tensors": 1, "names": ["lm_head.weight"], "index": None},
    ),
    "s209_shard_name_unsafe": (
        {"file": "model-00003-of-00004.safetensors"},
        {"tensors": 1, "names": ["lm_head.weight"], "index": "model.safetensors.index.json"},
    ),
    "s210_tensor_contradicted": (
        {"file": "model-00003-of-00004.safetensors"},
        {"tensors": 1, "names": ["lm_head.weight"], "index": None},
    ),
    "s211_index_stale": (
        {"file": "model.safetensors.index.json"},
        {"files": 4, "tensors": 291, "audited": "model.safetensors"},
    ),
    "s212_index_missing": (
        {},
        {"files": 2, "names": ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]},
    ),
    "s213_index_key_doubled": (
        {"file": "model.safetensors.index.json"},
        {"keys": ["lm_head.weight"], "count": 1},
    ),
    "s214_index_entry_malformed": (
        {"file": "model.safetensors.index.json"},
        {"tensors": 1, "names": ["lm_head.weight"]},
    ),
    "s215_index_total_type": (
        {"file": "model.safetensors.index.json", "key": "total_size"},
        {"key": "total_size", "value": "13731385408.0", "type": "a float", "wanted": "an integer"},
    ),
    "s217_slice_differs": (
        {"file": "consolidated.01.pth", "tensor": "layers.0.attention.wq.weight"},
        {
            "tensors": 24,
            "names": ["layers.0.attention.wq.weight", "layers.0.attention.wk.weight"],
            "stored": ["BF16", [1024, 4096]],
            "others": ["BF16", [2048, 4096]],
            "as_in": ["consolidated.00.pth"],
        },
    ),
    "s218_slices_joined": (
        {},
        {"files": 2, "tensors": 282, "copies": 82, "elements": 414784, "bytes": 829568},
    ),
    "s216_other_weights": (
        {"file": "model.safetensors.index.json"},
        {
            "audited": "model.safetensors.index.json",
            "audited_bytes": 14496447870,
            "sets": [{"name": "consolidated.safetensors", "files": 1, "bytes": 14496078512, "kind": "safetensors"}],
            "count": 1,
            "bytes": 14496078512,
        },
    ),
}
"""Module name -> place and facts."""
EXAMPLES |= READERS
