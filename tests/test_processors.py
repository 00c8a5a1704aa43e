"""Folders with a tokenizer and without the settings of images or sound, and speech models without a tokenizer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.checkpoints import Spec
from tests.findings.library_cases import with_files
from tests.judged import base_record, spec_of

NESTED = {"image_processor": {"image_processor_type": "CLIPImageProcessor"}}
FILE = "preprocessor_config.json"
CASES: dict[str, tuple[str, str, Mapping[str, Any], list[str]]] = {
    # type, class, further files, the findings
    "images": ("qwen2_5_vl", "Generation", {"tokenizer.json": {}}, [f"R062 no {FILE}, the image processor"]),
    "sound": ("whisper", "Generation", {"vocab.json": {}}, [f"R062 no {FILE}, the feature extractor"]),
    "images and text, side by side": ("clip", "Model", {"vocab.json": {}}, [f"R062 no {FILE}, the image processor"]),
    "words in lines": ("vilt", "QuestionAnswering", {"vocab.txt": {}}, [f"R062 no {FILE}, the image processor"]),
    "words that its tokenizer does not read": ("clip", "Model", {"vocab.txt": {}}, []),
    "settings of videos alone": (
        "qwen2_5_vl", "Generation", {"tokenizer.json": {}, "video_preprocessor_config.json": {}},
        [f"R062 no {FILE}, the image processor"]),
    "settings of the processor alone": (
        "llava", "Generation", {"tokenizer.json": {}, "processor_config.json": {"patch_size": 14}},
        ["R062 processor_config.json without the image processor"]),
    "settings as 5 saves them": ("llava", "Generation", {"tokenizer.json": {}, "processor_config.json": NESTED}, []),
    "settings as 4 saves them": ("whisper", "Generation", {"tokenizer.json": {}, FILE: {}}, []),
    "weights and settings of generation": (
        "whisper", "Generation", {"generation_config.json": {}},
        ["R065 no feature extractor and no tokenizer in this folder"]),
    "weights of text and a training": (
        "bert", "ForMaskedLM", {"trainer_state.json": {}}, ["R065 no tokenizer in this folder"]),
    "weights of images and a training": (
        "vit", "ForImageClassification", {"trainer_state.json": {}}, ["R065 no image processor in this folder"]),
    "weights of sound and a training": (
        "wav2vec2", "ForPreTraining", {"trainer_state.json": {}}, ["R065 no feature extractor in this folder"]),
    "weights of written speech and a training": (
        "wav2vec2", "ForCTC", {"trainer_state.json": {}},
        ["R065 no feature extractor and no tokenizer in this folder"]),
    "weights of images in several formats": (
        "vit", "ForImageClassification", {"tf_model.h5": {}}, ["R065 no image processor in this folder"]),
    "weights and settings of sound": (
        "whisper", "Generation", {FILE: {}, "generation_config.json": {}}, ["R065 no tokenizer in this folder"]),
    "weights and settings of images": (
        "gemma3", "Generation", {FILE: {}, "processor_config.json": {}}, ["R065 no tokenizer in this folder"]),
    "weights alone": ("llama", "CausalLM", {}, []),
    "text with settings of generation": (
        "llama", "CausalLM", {"generation_config.json": {}, "tokenizer.json": {}}, []),
    "settings of a tokenizer without its words": ("clip", "Model", {"tokenizer_config.json": {}}, []),
    "the decoder alone": ("whisper", "ForCausalLM", {"tokenizer.json": {}}, []),
    "the tokenizer of mistral-common": ("mistral3", "Generation", {"tokenizer.json": {}, "tekken.json": {}}, []),
    "text alone": ("llama", "CausalLM", {"tokenizer.json": {}}, []),
    "a classifier of sound": (
        "wav2vec2", "ForSequenceClassification", {FILE: {}}, [f"R063 no tokenizer beside {FILE}"]),
    "an encoder of sound": ("hubert", "Model", {FILE: {}}, [f"R063 no tokenizer beside {FILE}"]),
    "a classifier of sound with a tokenizer": ("wavlm", "ForSequenceClassification", {FILE: {}, "vocab.json": {}}, []),
    "an encoder of sound alone": ("wav2vec2", "Model", {}, []),
    "a merged model of text": ("llama", "CausalLM", {"README.md": {}}, ["R060 no tokenizer in this folder"]),
    "another merged model of text": (
        "gpt2", "LMHeadModel", {"training_args.bin": {}}, ["R060 no tokenizer in this folder"]),
    "a third merged model of text": ("qwen2", "CausalLM", {"LICENSE": {}}, ["R060 no tokenizer in this folder"]),
    "a training that can be resumed": (
        "llama", "CausalLM", {"README.md": {}, "optimizer.pt": {}}, ["R065 no tokenizer in this folder"]),
    "an encoder of text": ("t5", "EncoderModel", {"README.md": {}}, ["R065 no tokenizer in this folder"]),
    "a merged model with its tokenizer": ("llama", "CausalLM", {"README.md": {}, "tokenizer.json": {}}, []),
}  # fmt: skip
IMAGES = "class XImageProcessor(BaseImageProcessor):\n    pass\n"
SOUND = "class XFeatures(SequenceFeatureExtractor):\n    pass\n"
MODEL = {"AutoModel": "modeling_x.X", "AutoConfig": "configuration_x.X"}
OF_CODE: dict[str, tuple[Mapping[str, Any], Mapping[str, Any], str]] = {
    # auto_map, further files, what AutoProcessor does
    "code of images": (MODEL, {"image_processing_x.py": IMAGES}, "AutoProcessor of transformers returns"),
    "code of sound": (MODEL, {"processing_x.py": SOUND}, "AutoProcessor of transformers returns"),
    "named in the config": (
        {**MODEL, "AutoProcessor": "processing_x.P", "AutoImageProcessor": "image_processing_x.P"}, {},
        "AutoProcessor of transformers refuses"),
    "no code of images": (MODEL, {"processing_x.py": "def prepare(): pass"}, ""),
    "with its settings": (MODEL, {"image_processing_x.py": IMAGES, FILE: {}}, ""),
    "without a tokenizer": (MODEL, {"image_processing_x.py": IMAGES, "tokenizer.json": None}, ""),
    "chosen files": (MODEL, {"image_processing_x.py": IMAGES, "README.md": None}, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_CODE)
def test_the_processor_of_code_in_the_folder(name: str) -> None:
    auto_map, files, wanted = OF_CODE[name]
    config = {"model_type": "x_vl", "architectures": ["XForCausalLM"], "auto_map": auto_map}
    beside = {"config.json": config, "README.md": {}, "tokenizer.json": {}, **files}
    spec: Spec = {"llm.embed.weight": ("F32", (8, 4)), "vpm.patch.weight": ("F32", (4, 3))}
    audited = with_files(spec, {file: one for file, one in beside.items() if one is not None})
    found = [one for one in audited.findings if one.code == "R062"]
    assert bool(found) is bool(wanted)
    assert all(wanted in dict(one.rows())["loader"] for one in found)


@pytest.mark.parametrize(("model_type", "files", "lacks"), [
    ("qwen3_asr", {}, True), ("glmasr", {}, True), ("audioflamingo3", {}, True),
    ("qwen3_asr", {"chat_template.json": {"chat_template": "x"}}, False),
    ("glmasr", {"chat_template.jinja": {}}, False),
    ("qwen3_asr", {"tokenizer_config.json": {"chat_template": "x"}}, False),
    ("qwen2_audio", {}, False), ("whisper", {}, False),
])  # fmt: skip
@pytest.mark.parametrize("words", [True, False])
def test_the_chat_template_of_a_processor(model_type: str, files: Mapping[str, Any], lacks: bool, words: bool) -> None:
    """One more line where the processor is absent; qwen2_audio has a template of its own."""
    record = base_record(model_type, "Generation")
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    beside = {"config.json": config, "generation_config.json": {}, **({"tokenizer.json": {}} if words else {}), **files}
    found = [one for one in with_files(spec_of(record), beside).findings if one.code in {"R062", "R065"}]
    said = [("also" in dict(one.rows())) for one in found]
    if words or not files:
        assert said == [lacks]
        assert all(not words or ("and chat_template.json" in (one.help or "")) == lacks for one in found)


@pytest.mark.parametrize("name", CASES)
def test_parts_of_a_processor(name: str) -> None:
    model_type, suffix, files, wanted = CASES[name]
    record = base_record(model_type, suffix)
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    audited = with_files(spec_of(record), {"config.json": config, **files})
    found = [one for one in audited.findings if one.code in {"R060", "R062", "R063", "R065"}]
    assert [f"{one.code} {one.headline()}" for one in found] == wanted
    assert [one.severity for one in found] == ["warning" if one.code in {"R060", "R062"} else "note" for one in found]


@pytest.mark.parametrize(("table", "files", "said"), [
    ("transformer.wte.weight", {"trainer_state.json": {}}, True),
    ("model.embed_tokens.weight", {"README.md": {}}, True), ("transformer.wte.weight", {}, False),
    ("transformer.wte.weight", {"README.md": {}, "tokenizer.json": {}}, False),
    ("transformer.wte.weight", {"README.md": {}, "tokenization_x.py": ""}, False),
    ("visual.patch_embed.weight", {"README.md": {}}, False),
])  # fmt: skip
def test_the_tokenizer_of_a_model_of_code(table: str, files: Mapping[str, Any], said: bool) -> None:
    config = {"model_type": "x", "architectures": ["XForCausalLM"], "auto_map": MODEL, "vocab_size": 8}
    spec: Spec = {table: ("F32", (8, 4)), "transformer.h.0.mix.weight": ("F32", (4, 4))}
    found = [one for one in with_files(spec, {"config.json": config, **files}).findings if one.code == "R065"]
    assert [one.headline() for one in found] == ["no tokenizer in this folder"] * said


def test_an_absent_template_is_said_once() -> None:
    """A folder whose text ends with the end of a turn."""
    record = base_record("qwen3_asr", "Generation")
    config = {"model_type": "qwen3_asr", **record["config"], "architectures": [record["class"]]}
    added = {str(at): {"content": text} for at, text in enumerate(("<|im_start|>", "<|im_end|>"))}
    tokenizer = {"eos_token": "<|im_end|>", "added_tokens_decoder": added}
    beside = {"config.json": config, "tokenizer.json": {}, "tokenizer_config.json": tokenizer}
    found = [one for one in with_files(spec_of(record), beside).findings if "chat template" in str(one.rows())]
    assert [one.code for one in found] == ["R062"]
