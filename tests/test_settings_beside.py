"""Settings of images, sound and generation beside a model: damaged files, unknown classes, sizes and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.findings.library_cases import with_files
from tests.judged import base_record, spec_of

IMAGES = "preprocessor_config.json"
GENERATION = "generation_config.json"
WORDS: dict[str, Any] = {"tokenizer.json": {}, "vocab.json": {}}
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 10\n"
SQUARE = {"height": 224, "width": 224}
FITTING = {"height": 40, "width": 40}
VIT = ("vit", "ForImageClassification")
CLIP = ("clip", "Model")
SOUND = ("wav2vec2", "ForSequenceClassification")
WHISPER = ("whisper", "Generation")
TEXT = ("llama", "CausalLM")
CASES: dict[str, tuple[tuple[str, str], str, Any, list[str]]] = {
    # (type, class), file, its content, the findings
    "a class": (VIT, IMAGES, {"image_processor_type": "ViTImageProcessor"}, []),
    "a class for a library": (VIT, IMAGES, {"image_processor_type": "ViTImageProcessorFast"}, []),
    "a class of early versions": (VIT, IMAGES, {"feature_extractor_type": "ViTFeatureExtractor"}, []),
    "another type's class": (VIT, IMAGES, {"image_processor_type": "CLIPImageProcessor"}, []),
    "no class": (VIT, IMAGES, {"do_resize": True}, []),
    "a misspelled class": (
        VIT, IMAGES, {"image_processor_type": "ViTImageProcesor"}, ["R070 image_processor_type ViTImageProcessor"]),
    "a misspelled class of sound": (
        SOUND, IMAGES, {"feature_extractor_type": "Wav2VecExtractor"},
        ["R070 feature_extractor_type Wav2Vec2FeatureExtractor"]),
    "a class with its code": (
        VIT, IMAGES, {"image_processor_type": "My", "auto_map": {"AutoImageProcessor": "my.My"}}, []),
    "another size": (
        VIT, IMAGES, {"image_processor_type": "ViTImageProcessor", "size": SQUARE}, ["R071 size 40"]),
    "another size, as a number": (
        VIT, IMAGES, {"feature_extractor_type": "ViTFeatureExtractor", "size": 224}, ["R071 size 40"]),
    "another crop": (
        CLIP, IMAGES, {"do_center_crop": True, "crop_size": 224, "size": 224,
                       "image_processor_type": "CLIPImageProcessor"}, ["R071 crop_size 40"]),
    "the model's size": (VIT, IMAGES, {"image_processor_type": "ViTImageProcessor", "size": FITTING}, []),
    "no resizing": (VIT, IMAGES, {"image_processor_type": "ViTImageProcessor", "size": SQUARE, "do_resize": False}, []),
    "the shortest edge": (CLIP, IMAGES, {"image_processor_type": "CLIPImageProcessor", "size": 224}, []),
    "any size": (("dinov2", "ForImageClassification"), IMAGES, {"image_processor_type": "ViTImageProcessor",
                                                                 "size": SQUARE}, []),
    "other bins": (WHISPER, IMAGES, {"feature_size": 128}, ["R072 feature_size"]),
    "the model's bins": (WHISPER, IMAGES, {"feature_size": 13}, []),
    "a pointer": (VIT, IMAGES, POINTER, ["R075"]),
    "a pointer of the whole processor": (CLIP, "processor_config.json", POINTER, ["R075"]),
    "a cut file": (VIT, IMAGES, "{", ["R075"]),
    "cut settings of generation": (TEXT, GENERATION, '{"eos', ["R076"]),
    "empty settings of generation": (TEXT, GENERATION, {}, []),
    "the words of a token": (TEXT, GENERATION, {"eos_token_id": "</s>"}, ["R073 eos_token_id"]),
    "several tokens": (TEXT, GENERATION, {"eos_token_id": [1, 2]}, []),
    "sampling at zero": (TEXT, GENERATION, {"do_sample": True, "temperature": 0}, ["R073 temperature"]),
    "no penalty": (TEXT, GENERATION, {"repetition_penalty": 0.0}, ["R073 repetition_penalty"]),
    "a temperature without sampling": (TEXT, GENERATION, {"temperature": 0.6, "top_k": 50}, ["R074 temperature"]),
    "a temperature with sampling": (TEXT, GENERATION, {"temperature": 0.6, "do_sample": True}, []),
    "beams": (TEXT, GENERATION, {"num_beams": 4, "length_penalty": 2.0}, []),
    "a penalty for one beam": (TEXT, GENERATION, {"length_penalty": 2.0}, ["R074 length_penalty"]),
    "usual values": (TEXT, GENERATION, {"temperature": 1.0, "top_p": None, "early_stopping": False}, []),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_settings_beside_a_model(name: str) -> None:
    (model_type, suffix), file, content, wanted = CASES[name]
    record = base_record(model_type, suffix)
    config = {"model_type": model_type, **record["config"], "architectures": [record["class"]]}
    audited = with_files(spec_of(record), {"config.json": config, **WORDS, file: content})
    found = [one for one in audited.findings if "R070" <= one.code <= "R076"]
    assert [f"{one.code} {_of(one.code, one.facts, one.place.key or '')}".strip() for one in found] == wanted


def _of(code: str, facts: Mapping[str, Any], key: str) -> str:
    """What a finding says, in short."""
    if code in ("R073", "R074"):
        return " ".join([*facts.get("keys", ()), *facts.get("sampling", ()), *facts.get("beams", ())])
    return f"{key} {facts.get('wanted', '')}".strip() if code in ("R070", "R071") else key
