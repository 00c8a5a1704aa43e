"""The cases that the documentation pages of the readers' rules show."""

from __future__ import annotations

from typing import Any

EXAMPLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "h130_gguf_malformed": ({"file": "model.gguf"}, {"problem": "a value of type 77", "position": 1204}),
    "h131_gguf_version_unknown": ({"file": "model.gguf"}, {"version": 1}),
    "h132_gguf_part_of_block": (
        {"file": "model.gguf"},
        {
            "tensors": 1,
            "cases": [{"tensor": "blk.0.ffn_up.weight", "dtype": "Q4_K", "shape": [768, 200], "block": 256}],
        },
    ),
    "h133_gguf_offsets_odd": (
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
    "h134_gguf_split_disagrees": (
        {"file": "model-00002-of-00003.gguf"},
        {"problem": "the name says part 2 of 3", "stated": ["split.no = 0", "split.count = 3"]},
    ),
    "h140_pickle_runs_code": ({"file": "pytorch_model.bin"}, {"names": ["posix.system"], "count": 1}),
    "h141_pickle_holds_objects": (
        {"file": "last.ckpt"},
        {"names": ["argparse.Namespace", "pathlib.PosixPath"], "count": 2},
    ),
    "h142_pickle_malformed": ({"file": "pytorch_model.bin"}, {"problem": "stops before its end", "position": 65536}),
    "h143_archive_malformed": (
        {"file": "pytorch_model.bin"},
        {"problem": "the archive has no end record: it is cut, or no zip at all", "cut": True, "stored": 4000000000},
    ),
    "h144_tensor_beyond_storage": (
        {"file": "pytorch_model.bin"},
        {
            "tensors": 1,
            "cases": [{"tensor": "fc.weight", "dtype": "F32", "shape": [10, 10], "reach": 100, "elements": 64}],
        },
    ),
    "h145_storage_missing": (
        {"file": "pytorch_model.bin"},
        {
            "storages": 1,
            "members": ["archive/data/3 is not there"],
            "tensors": 1,
            "names": ["model.layers.3.mlp.up_proj.weight"],
            "layers": "3",
        },
    ),
    "h146_no_tensors": (
        {"file": "training_args.bin"},
        {"what": "an object of transformers.training_args.TrainingArguments"},
    ),
    "h147_storage_shared": (
        {"file": "pytorch_model.bin"},
        {"ties": [["model.embed_tokens.weight", "lm_head.weight"]], "tied": 1, "storages": 0, "views": 0, "names": []},
    ),
    "h148_weights_inside": (
        {"file": "last.ckpt"},
        {"inside": "state_dict", "beside": [{"key": "optimizer_states", "tensors": 290}], "count": 1},
    ),
    "h150_numpy_malformed": (
        {"file": "weights.npz"},
        {"problem": "it holds Python objects, which are a pickle", "arrays": 1, "names": ["vocab"]},
    ),
    "r040_training_state": (
        {},
        {
            "kinds": ["optimizer", "scheduler"],
            "names": ["optimizer.pt", "scheduler.pt"],
            "files": 2,
            "bytes": 16060522496,
        },
    ),
    "r041_partitioned_save": (
        {},
        {"what": "zero", "names": ["global_step1000", "zero_to_fp32.py"], "entries": 2, "bytes": 0, "script": True},
    ),
    "r042_weights_emptied": (
        {},
        {"tensors": 290, "of": 291, "names": ["model.embed_tokens.weight", "model.layers.0.self_attn.q_proj.weight"]},
    ),
    "r043_optimizer_not_weights": ({"file": "optimizer.pt"}, {"tensors": 582}),
}
