"""The examples on the documentation pages of the readers' findings."""

from __future__ import annotations

from typing import Any

EXAMPLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "gguf-malformed": ({"file": "model.gguf"}, {"problem": "a value of type 77", "position": 1204}),
    "gguf-version-unknown": ({"file": "model.gguf"}, {"version": 1}),
    "gguf-part-of-block": (
        {"file": "model.gguf"},
        {
            "tensors": 1,
            "cases": [{"tensor": "blk.0.ffn_up.weight", "dtype": "Q4_K", "shape": [768, 200], "block": 256}],
        },
    ),
    "gguf-offsets-odd": (
        {"file": "model.gguf"},
        {
            "alignment": 32,
            "unaligned": 0,
            "overlapping": 2,
            "holes": 0,
            "hole_bytes": 0,
            "disordered": False,
            "names": ["blk.0.attn_k.weight", "blk.0.attn_v.weight"],
        },
    ),
    "gguf-big-endian": ({"file": "model.gguf"}, {}),
    "gguf-bytes-ignored": ({"file": "model.gguf"}, {"declared": 213_632, "stored": 213_664, "bytes": 32}),
    "gguf-split-disagrees": (
        {"file": "model-00002-of-00003.gguf"},
        {"problem": "the name says part 2 of 3", "stated": ["split.no = 0", "split.count = 3"]},
    ),
    "pickle-runs-code": ({"file": "pytorch_model.bin"}, {"names": ["posix.system"], "count": 1}),
    "pickle-holds-objects": (
        {"file": "last.ckpt"},
        {"names": ["argparse.Namespace", "pathlib.PosixPath"], "count": 2},
    ),
    "pickle-needs-torchao": ({"file": "pytorch_model.bin"}, {"names": ["torchao.quantization.Int8Tensor"]}),
    "archive-roots": ({"file": "pytorch_model.bin"}, {"root": "archive/", "others": ["other/data.pkl"], "count": 1}),
    "archive-refused": ({"file": "pytorch_model.bin"}, {"problems": ["archive/version is missing"], "count": 1}),
    "memory-repeated": (
        {"file": "pytorch_model.bin"},
        {"tensors": 1, "cases": [{"tensor": "fc.weight", "dtype": "F32", "shape": [1000, 1000], "elements": 1000}]},
    ),
    "keys-not-strings": ({"file": "pytorch_model.bin"}, {"keys": ["0", "1"], "count": 2}),
    "pickle-protocol-refused": (
        {"file": "pytorch_model.bin"},
        {"protocol": 4, "opcodes": ["FRAME", "MEMOIZE", "SHORT_BINUNICODE", "STACK_GLOBAL"]},
    ),
    "torchscript-program": ({"file": "pytorch_model.bin"}, {}),
    "tensors-not-dense": (
        {"file": "pytorch_model.bin"},
        {"tensors": ["lm_head.weight (sparse)"], "count": 1},
    ),
    "tensors-without-data": (
        {"file": "pytorch_model.bin"},
        {"tensors": ["model.layers.2.mlp.up_proj.weight", "lm_head.weight"], "count": 3},
    ),
    "pickle-malformed": ({"file": "pytorch_model.bin"}, {"problem": "stops before its end", "position": 65536}),
    "archive-malformed": (
        {"file": "pytorch_model.bin"},
        {
            "problem": "the archive has no end record: it is truncated or not a zip file",
            "cut": True,
            "stored": 4000000000,
        },
    ),
    "tensor-beyond-storage": (
        {"file": "pytorch_model.bin"},
        {
            "tensors": 1,
            "cases": [{"tensor": "fc.weight", "dtype": "F32", "shape": [10, 10], "reach": 100, "elements": 64}],
        },
    ),
    "storage-missing": (
        {"file": "pytorch_model.bin"},
        {
            "storages": 1,
            "members": ["archive/data/3 is missing"],
            "tensors": 1,
            "names": ["model.layers.3.mlp.up_proj.weight"],
            "layers": "3",
        },
    ),
    "no-tensors": (
        {"file": "training_args.bin"},
        {"what": "an object of transformers.training_args.TrainingArguments"},
    ),
    "state-dict-empty": ({"file": "last.ckpt"}, {"key": "state_dict", "beside": ["optimizer_states"]}),
    "storage-shared": (
        {"file": "pytorch_model.bin"},
        {"ties": [["model.embed_tokens.weight", "lm_head.weight"]], "tied": 1, "storages": 0, "views": 0, "names": []},
    ),
    "model-weights-absent": (
        {"file": "mm_projector.bin"},
        {
            "loader": "transformers",
            "wanted": "pytorch_model.bin",
            "model_type": "llava",
            "tensors": 2,
            "example": "model.mm_projector.0.weight",
            "missing": None,
        },
    ),
    "weights-below-key": (
        {"file": "pytorch_model.bin"},
        {
            "inside": "model_state_dict",
            "beside": [{"key": "optimizer_state_dict", "tensors": 290}],
            "loader": "transformers",
            "wanted": "pytorch_model.bin",
        },
    ),
    "weights-inside": (
        {"file": "last.ckpt"},
        {"inside": "state_dict", "beside": [{"key": "optimizer_states", "tensors": 290}], "count": 1},
    ),
    "numpy-malformed": (
        {"file": "weights.npz"},
        {"problem": "it contains pickled Python objects", "arrays": 1, "names": ["vocab"]},
    ),
    "training-state": (
        {},
        {
            "kinds": ["optimizer", "scheduler"],
            "names": ["optimizer.pt", "scheduler.pt"],
            "files": 2,
            "bytes": 16060522496,
        },
    ),
    "partitioned-save": (
        {},
        {"what": "zero", "names": ["global_step1000", "zero_to_fp32.py"], "entries": 2, "bytes": 0, "script": True},
    ),
    "partitions-beside-weights": (
        {},
        {"what": "zero", "names": ["global_step1000", "zero_to_fp32.py"], "entries": 2, "bytes": 0, "script": True},
    ),
    "weights-emptied": (
        {},
        {"tensors": 290, "of": 291, "names": ["model.embed_tokens.weight", "model.layers.0.self_attn.q_proj.weight"]},
    ),
    "optimizer-not-weights": ({"file": "optimizer.pt"}, {"tensors": 582}),
}
