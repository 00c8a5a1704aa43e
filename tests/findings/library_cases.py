"""Folders of libraries with their own loaders, each with a file that does not belong to its weights."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inspector.auditing.loads.one_loader import judged_for
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from tests.checkpoints import Spec, genuine, write_file
from tests.dialects.test_mlx_vlm import of_torch
from tests.dialects.test_mlx_whisper import SIZES, config_of, written
from tests.judged import base_record, judged, spec_of

XTTS: Spec = {
    "hifigan_decoder.waveform_decoder.conv_pre.weight_v": ("F32", (512, 1024, 7)),
    "gpt.text_embedding.weight": ("F32", (66, 32)), "gpt.mel_embedding.weight": ("F32", (1026, 32)),
}  # fmt: skip
CLIP: dict[str, Any] = {
    "embed_dim": 24,
    "vision_cfg": {"image_size": 32, "layers": 2, "width": 40, "patch_size": 8},
    "text_cfg": {"context_length": 9, "vocab_size": 107, "width": 32, "heads": 2, "layers": 3},
}
TIMM_CLIP: dict[str, Any] = {
    "embed_dim": 24,
    "text_cfg": CLIP["text_cfg"],
    "vision_cfg": {
        "timm_model_name": "vit_base_patch16_224",
        "timm_pool": "",
        "timm_proj": "linear",
        "image_size": 224,
    },
}
INTERN_VIT: Spec = {
    "embeddings.class_embedding": ("BF16", (1, 1, 32)), "embeddings.patch_embedding.weight": ("BF16", (32, 3, 14, 14)),
    "embeddings.position_embedding": ("BF16", (1, 17, 32)),
    **{f"encoder.layers.{layer}.attn.{part}.weight": ("BF16", (rows, 32))
       for layer in range(2) for part, rows in (("qkv", 96), ("proj", 32))},
}  # fmt: skip
TIMM_VIT: Spec = {
    "cls_token": ("F32", (1, 1, 32)), "pos_embed": ("F32", (1, 198, 32)),
    "patch_embed.proj.weight": ("F32", (32, 3, 16, 16)),
    **{f"blocks.{block}.attn.{part}.weight": ("F32", (rows, 32))
       for block in range(2) for part, rows in (("qkv", 96), ("proj", 32))},
}  # fmt: skip
OF_TIMM = {"architecture": "vit_intern300m_patch14_448", "num_classes": 0, "pretrained_cfg": {"tag": "ogvl_dist"}}


def tower(prefix: str, width: int, layers: int) -> Spec:
    """The blocks of a transformer of OpenCLIP."""
    parts = {"ln_1.weight": (width,), "attn.in_proj_weight": (3 * width, width), "mlp.c_fc.weight": (4 * width, width)}
    return {f"{prefix}{layer}.{part}": ("F32", shape) for layer in range(layers) for part, shape in parts.items()}


def clip(width: int = 40, layers: int = 2, text: str = "") -> Spec:
    """A model of OpenCLIP. width, layers: of the vision tower. text: the prefix of the text tower."""
    return {
        "visual.conv1.weight": ("F32", (width, 3, 8, 8)), "visual.proj": ("F32", (width, 24)),
        f"{text}token_embedding.weight": ("F32", (107, 32)), "logit_scale": ("F32", ()),
        **tower("visual.transformer.resblocks.", width, layers), **tower(f"{text}transformer.resblocks.", 32, 3),
    }  # fmt: skip


def timm_clip(width: int, blocks: int, patch: int) -> Spec:
    """A model of OpenCLIP with a vision tower of timm."""
    trunk: Spec = {f"visual.trunk.blocks.{block}.norm1.weight": ("F32", (width,)) for block in range(blocks)}
    return {
        "visual.trunk.patch_embed.proj.weight": ("F32", (width, 3, patch, patch)), **trunk,
        "visual.head.proj.weight": ("F32", (24, width)), "text.token_embedding.weight": ("F32", (107, 32)),
        **tower("text.transformer.resblocks.", 32, 3),
    }  # fmt: skip


def in_folder(spec: Spec, file: str, texts: Mapping[str, Any]) -> Audit:
    """The audit of a folder with one file of weights. texts: its JSON files."""
    with TemporaryDirectory() as place:
        write_file(Path(place) / file, spec)
        for name, content in texts.items():
            (Path(place) / name).write_text(json.dumps(content), encoding="utf-8")
        return audit(place)


def of_open_clip(spec: Spec, config: Mapping[str, Any] = CLIP, file: str = "open_clip_model.safetensors") -> Audit:
    """The audit of weights beside a config of OpenCLIP."""
    return in_folder(spec, file, {"open_clip_config.json": {"model_cfg": config, "preprocess_cfg": {}}})


def clip_of_transformers() -> Spec:
    """CLIP in the names of transformers."""
    return spec_of(base_record("clip", "Model"))


def xtts_vocabulary(words: int, added: int = 0) -> Audit:
    """XTTS with a vocabulary. words, added: how many tokens it has, and how many of them are in the list beside it."""
    vocabulary = {f"w{number}": number for number in range(words - added)}
    extra = [{"id": number, "content": f"w{number}"} for number in range(words - added, words)]
    tokenizer = {"added_tokens": extra, "model": {"type": "BPE", "vocab": vocabulary, "merges": []}}
    return in_folder(XTTS, "model.safetensors", {"config.json": {"model": "xtts"}, "vocab.json": tokenizer})


def f5_tts(lines: str, rows: int, prefix: str = "ema_model.") -> Audit:
    """F5-TTS with a vocabulary."""
    own = {"text_embed.text_embed.weight": (rows, 16), "input_embed.proj.weight": (32, 216),
           "input_embed.proj.bias": (32,), "proj_out.weight": (100, 32)}  # fmt: skip
    with TemporaryDirectory() as place:
        write_file(
            Path(place) / "model.safetensors", {f"{prefix}transformer.{key}": ("F32", of) for key, of in own.items()}
        )
        (Path(place) / "vocab.txt").write_bytes(lines.encode("utf-8"))
        return audit(place)


def mlx_whisper(file: str, *names: str) -> Audit:
    """A small model of mlx-whisper. names: of further files."""
    return in_folder(written(SIZES[0]), file, {"config.json": config_of(SIZES[0]), **{name: {} for name in names}})


def speech(*names: str, model_type: str = "whisper", suffix: str = "Generation") -> Audit:
    """A model in a folder with further files."""
    record = base_record(model_type, suffix)
    config = {**record["config"], "architectures": [record["class"]]}
    return in_folder(spec_of(record), "model.safetensors", {"config.json": config, **{key: {} for key in names}})


def of_llava(*names: str, tower: bool = False, **config: Any) -> Audit:
    """An adapter of LLaVA's own code. names: of further files. tower: it has pairs in the vision tower. config: further
    keys of its config.
    """
    before = "base_model.model.model"
    inside = [f"vision_tower.vision_tower.vision_model.encoder.layers.{layer}" for layer in range(2 if tower else 0)]
    spec: Spec = {}
    for module in (f"{before}.{one}.self_attn.q_proj" for one in ("layers.0", *inside)):
        spec |= {f"{module}.lora_A.weight": ("F16", (4, 64)), f"{module}.lora_B.weight": ("F16", (64, 4))}
    own = {"architectures": ["LlavaLlamaForCausalLM"], "model_type": "llava_llama", "mm_vision_tower": "openai/clip",
           "mm_projector_type": "mlp2x_gelu", **config}  # fmt: skip
    adapter = {"peft_type": "LORA", "r": 4, "lora_alpha": 8, "target_modules": ["q_proj"], "task_type": "CAUSAL_LM"}
    texts = {"config.json": own, "adapter_config.json": adapter, **{name: {} for name in names}}
    return in_folder(spec, "adapter_model.safetensors", texts)


def speech_with_later_tokens() -> Audit:
    """A CTC model with a tokenizer that adds `<s>` and `</s>` behind its vocabulary."""
    record = base_record("wav2vec2", "CTC")
    config = {**record["config"], "model_type": "wav2vec2", "architectures": [record["class"]]}
    words = {f"w{number}": number for number in range(config["vocab_size"])}
    files = {"config.json": config, "vocab.json": words, "tokenizer_config.json": {}, "added_tokens.json": {}}
    return with_files(spec_of(record), files)


def tokenizer_of_transformers_5() -> Audit:
    """A model with a tokenizer as transformers 5 writes it."""
    record = base_record("llama", "CausalLM")
    settings = {"tokenizer_class": "TokenizersBackend", "extra_special_tokens": ["<a>"]}
    config = {**record["config"], "architectures": [record["class"]]}
    return with_files(spec_of(record), {"config.json": config, "tokenizer.json": {}, "tokenizer_config.json": settings})


def tokenizer_of_early_llama() -> Audit:
    """A model with the name of a class that the first conversions of LLaMA wrote."""
    record = base_record("llama", "CausalLM")
    config = {**record["config"], "architectures": [record["class"]]}
    files = {"tokenizer_config.json": {"tokenizer_class": "LLaMATokenizer"}, "tokenizer.model": "pieces"}
    return with_files(spec_of(record), {"config.json": config, **files})


def whisper_of_settings(settings: dict[str, Any] | None, rows: int = 51_865, **files: object) -> Audit:
    """A small Whisper with a number of rows that decides its languages. settings: of generation."""
    record = base_record("whisper", "Generation")
    config = {**record["config"], "model_type": "whisper", "architectures": [record["class"]], "vocab_size": rows}
    more = {} if settings is None else {"generation_config.json": settings}
    return with_files(genuine(config), {"config.json": config, **more, **files})


def added_tokens_with_a_gap() -> Audit:
    """A BERT with a row for each token, and a file of added tokens that leaves out an id."""
    record = base_record("bert", "MaskedLM")
    config = {**record["config"], "model_type": "bert", "architectures": [record["class"]], "vocab_size": 100}
    with TemporaryDirectory() as place:
        (Path(place) / "vocab.txt").write_text("".join(f"w{at}\n" for at in range(97)), encoding="utf-8")
        (Path(place) / "config.json").write_text(json.dumps(config), encoding="utf-8")
        added = {"<a>": 97, "<b>": 99, "<c>": 100}
        (Path(place) / "added_tokens.json").write_text(json.dumps(added), encoding="utf-8")
        write_file(Path(place) / "model.safetensors", genuine(config))
        return audit(place)


def type_of_own_code() -> Audit:
    """A model of its authors' program, whose config does not name the code."""
    record = base_record("GOT")
    config = {**record["config"], "model_type": "GOT", "architectures": [record["class"]]}
    config.pop("auto_map", None)
    return with_files(spec_of(record), {"config.json": config})


def with_files(spec: Spec, files: Mapping[str, object]) -> Audit:
    """A folder with weights, JSON files and code."""
    with TemporaryDirectory() as place:
        for name, content in files.items():
            text = str(content) if name.endswith(".py") else json.dumps(content)
            (Path(place) / name).write_text(text, encoding="utf-8")
        write_file(Path(place) / "model.safetensors", spec)
        return audit(place)


TOKENIZER: dict[str, Any] = {"tokenizer.json": {}}
FOLDERS: dict[str, Callable[[], Audit]] = {
    "kernels-of-torch": lambda: of_torch("qwen3_vl"),
    "open-clip-config-differs": lambda: of_open_clip(timm_clip(1024, 24, 14), TIMM_CLIP),
    "names-unread-by-open-clip": lambda: of_open_clip(
        clip_of_transformers(), file="open_clip_pytorch_model.safetensors"
    ),
    "file-unread-by-mlx-whisper": lambda: mlx_whisper("model.safetensors"),
    "library-vocabulary-differs": lambda: xtts_vocabulary(77),
    "trained-module-absent": of_llava,
    "tower-unloaded": lambda: of_llava("non_lora_trainables.bin", tower=True),
    "labels-unlike-head": speech_with_later_tokens,
    "tokenizer-read-by-newer": tokenizer_of_transformers_5,
    "tokenizer-refused-by-older": lambda: judged_for(tokenizer_of_transformers_5(), "transformers@4"),
    "tokenizer-class-misspelled": tokenizer_of_early_llama,
    "type-without-code": type_of_own_code,
    "added-tokens-renumbered": added_tokens_with_a_gap,
    "generation-keys-absent": lambda: whisper_of_settings(
        {"_from_model_config": True, "max_length": 448}, 51_865, **TOKENIZER
    ),
    "timm-names-differ": lambda: judged(INTERN_VIT, OF_TIMM),
    "timm-positions-differ": lambda: judged(TIMM_VIT, {**OF_TIMM, "architecture": "vit_tiny_patch16_224"}),
}
"""Name of a finding -> a folder that has it."""
