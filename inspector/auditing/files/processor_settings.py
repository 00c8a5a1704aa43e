"""Compares preprocessor_config.json with the classes of transformers and the sizes of the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from inspector.auditing.json_beside import object_beside
from inspector.auditing.result import Audit
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.config_file import Config
from inspector.loading.processor_classes import (
    FIXED,
    IMAGES,
    OF_IMAGES,
    OF_SOUND,
    SOUND,
    class_of,
    is_known,
    made_size,
    stated_class,
)
from inspector.loading.processors import OF_PART

CODE: Final = "auto_map"
OF_WHISPER: Final = "whisper"


def processor_settings(audited: Audit) -> Iterator[Finding]:
    """The findings on the settings of images or sound in a folder with a model of transformers."""
    checkpoint, config = audited.checkpoint, audited.checkpoint.config
    if not checkpoint.folder or checkpoint.alone:
        return
    if checkpoint.adapter is not None:
        yield from _of_adapter(checkpoint, checkpoint.adapter)
        return
    if config is None:
        return
    settings, model_type = object_beside(checkpoint, OF_PART), config.values.get("model_type")
    if not settings or not isinstance(model_type, str) or CODE in settings or CODE in config.values:
        return
    wanted = class_of(model_type)
    key, stated = stated_class(settings, wanted)
    if wanted and stated and not is_known(stated, wanted):
        from inspector.findings.reading.processor_settings import ProcessorClassUnknown

        yield ProcessorClassUnknown(place=Place(file=OF_PART, key=key), stated=stated, wanted=wanted)
    elif any(one.severity == "error" for one in audited.findings):
        return  # the sizes of the model may be wrong themselves
    elif model_type == OF_WHISPER:
        yield from _of_sound(settings, config.values)
    elif model_type in FIXED:
        yield from _of_images(settings, config.values, stated or wanted)


def _of_adapter(checkpoint: Checkpoint, adapter: Config) -> Iterator[Finding]:
    """The finding on the class that the file beside an adapter names; the adapter does not state the base's type."""
    settings = object_beside(checkpoint, OF_PART)
    for key in () if CODE in settings else (IMAGES, SOUND):
        stated = settings.get(key)
        if isinstance(stated, str) and stated and not (is_known(stated, OF_IMAGES) or is_known(stated, OF_SOUND)):
            from inspector.findings.reading.processor_settings import ProcessorClassUnknown

            base = adapter.values.get("base_model_name_or_path")
            name = base if isinstance(base, str) else ""
            yield ProcessorClassUnknown(place=Place(file=OF_PART, key=key), stated=stated, wanted="", base=name)


def _of_sound(settings: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[Finding]:
    made, wanted = settings.get("feature_size"), config.get("num_mel_bins")
    if type(made) is int and type(wanted) is int and made != wanted:
        from inspector.findings.reading.processor_settings import MelBinsDiffer

        yield MelBinsDiffer(place=Place(file=OF_PART, key="feature_size"), made=made, wanted=wanted)


def _of_images(settings: Mapping[str, Any], config: Mapping[str, Any], name: str) -> Iterator[Finding]:
    vision = config.get("vision_config")
    wanted = (vision if isinstance(vision, dict) else config).get("image_size")
    made = made_size(settings, name)
    if made is None or type(wanted) is not int or made == (wanted, wanted):
        return
    from inspector.findings.reading.processor_settings import ImageSizeDiffers

    key = "crop_size" if settings.get("do_center_crop") is True else "size"
    nested = isinstance(settings.get(key), dict)
    yield ImageSizeDiffers(place=Place(file=OF_PART, key=key), made=made, wanted=wanted, nested=nested)
