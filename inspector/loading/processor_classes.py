"""The classes of image processors and feature extractors, and the sizes of images that a model accepts.

Source: transformers 5.23 (`tests/oracle/make_processor_classes.py`). An unknown class in preprocessor_config.json is
refused, whatever the type; an image processor may also be stated as the feature extractor of early versions.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

TABLE: Final = os.path.join(os.path.dirname(__file__), "processor_classes.json")
IMAGES: Final = "image_processor_type"
SOUND: Final = "feature_extractor_type"
OF_IMAGES: Final = "ImageProcessor"
OF_SOUND: Final = "FeatureExtractor"
BACKENDS: Final = ("Fast", "Pil")
"""Endings of the names of a class for one library of images."""
FIXED: Final = frozenset({
    "aimv2", "altclip", "aya_vision", "blip", "blip-2", "bridgetower", "chinese_clip", "clip", "clip_vision_model",
    "cohere2_vision", "deepseek_vl", "deit", "gemma3", "git", "groupvit", "ijepa", "janus", "kosmos-2", "llava",
    "metaclip_2", "ovis2", "paligemma", "siglip", "siglip_vision_model", "video_llava", "vipllava",
    "vision-text-dual-encoder", "vit", "vit_mae", "vit_msn",
})  # fmt: skip
"""Types whose forward raises an error for images of another size than `image_size` (measured with 5.23)."""
SQUARE: Final = frozenset({"ViT", "Siglip", "Blip", "Gemma3"})
"""Beginnings of the names of image processors of which a single number as the size means a square."""
PLAIN: Final = SQUARE | {"CLIP", "DeiT", "ChineseCLIP"}
"""The same of those that resize and crop an image as their settings state, and do no more."""


@cache
def _table() -> dict[str, str]:
    with open(TABLE, "rb") as file:
        table: dict[str, str] = json.loads(file.read())
    return table


def class_of(model_type: str) -> str:
    """The class that is taken for a type if none is stated; "" if the type has none."""
    return _table().get(model_type, "") if model_type else ""


def stated_class(settings: Mapping[str, Any], wanted: str) -> tuple[str, str]:
    """(key, name) of the class that preprocessor_config.json states; ("", "") without one. wanted: as in `class_of`."""
    for key in (SOUND,) if wanted.endswith(OF_SOUND) else (IMAGES, SOUND):
        stated = settings.get(key)
        if isinstance(stated, str) and stated:
            return key, stated
    return "", ""


def is_known(name: str, wanted: str) -> bool:
    """True if transformers has a class of this name, as it reads it for a type. wanted: as in `class_of`."""
    read = name if wanted.endswith(OF_SOUND) else name.replace(OF_SOUND, OF_IMAGES)
    return bare(read) in _table()[""].split()


def bare(name: str) -> str:
    """The name of a class without the ending of a backend."""
    for ending in BACKENDS:
        name = name.removesuffix(ending)
    return name


def made_size(settings: Mapping[str, Any], name: str) -> tuple[int, int] | None:
    """(height, width) of the images that a processor makes; None if the settings leave it open. name: its class."""
    kind = bare(name).replace(OF_SOUND, OF_IMAGES).removesuffix(OF_IMAGES)
    if kind not in PLAIN or settings.get("do_resize") is False or settings.get("do_pad"):
        return None
    cropped, size = settings.get("do_center_crop"), settings.get("size")
    if cropped is True:
        return _square(settings.get("crop_size"))
    if cropped is None and kind not in SQUARE:  # cropped by default
        return None
    return _square(size) if isinstance(size, dict) or kind in SQUARE else None


def _square(size: Any) -> tuple[int, int] | None:
    if type(size) is int:
        return size, size
    sides = (size.get("height"), size.get("width")) if isinstance(size, dict) else (None, None)
    return (sides[0], sides[1]) if type(sides[0]) is int and type(sides[1]) is int else None
