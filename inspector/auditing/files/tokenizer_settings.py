"""The settings of the tokenizer in a local folder that `AutoTokenizer` refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from inspector.auditing.files.unread_tokenizer import VOCABULARIES
from inspector.auditing.json_beside import object_beside
from inspector.findings.finding import Finding, Place
from inspector.loading.tokenizer_files import MAP, SETTINGS, WHOLE, WORDS

if TYPE_CHECKING:
    from inspector.loader.checkpoint import Checkpoint

LARGEST: Final = 4_000_000
"""Bytes beyond which the settings are not read: with thousands of added tokens they are some hundred kilobytes."""
TOKENIZER: Final = "tokenizer"
ANY: Final = "AutoTokenizer"


def refused_tokenizer_settings(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The findings on settings that transformers refuses, or only its version 4.57."""
    if not checkpoint.folder or checkpoint.alone:
        return
    if SETTINGS not in checkpoint.siblings:
        yield from _unnamed(checkpoint)
        return
    values = object_beside(checkpoint, SETTINGS, LARGEST)
    if not values:
        return
    from inspector.loading.tokenizer_settings import CLASS, misspelled_class, refused_by_older
    from inspector.loading.tokenizers import PIECES, refused_by_tokenizer, unknown_token_empty

    stated = values.get("tokenizer_class")
    class_name = stated if isinstance(stated, str) else ANY
    whole = WHOLE in checkpoint.siblings
    own_code = _is_of_own_code(checkpoint)
    meant = misspelled_class(values) if PIECES in checkpoint.siblings and not (whole or own_code) else None
    if meant is not None:
        from inspector.findings.names.settings import TokenizerClassMisspelled

        yield TokenizerClassMisspelled(
            place=Place(file=SETTINGS, key="tokenizer_class"), stated=class_name, meant=meant
        )
    refused = list(refused_by_tokenizer(class_name, values, checkpoint.siblings))
    tokens = object_beside(checkpoint, MAP, LARGEST) if MAP in checkpoint.siblings else {}
    empty = unknown_token_empty(meant or class_name, {**values, **(tokens or {})}, checkpoint.siblings)
    refused += [] if empty is None else [empty]
    if refused:
        from inspector.findings.names.settings import SettingRefused

        for one in refused:
            yield SettingRefused(
                place=Place(file=SETTINGS, key=one.key), component=TOKENIZER, class_name=class_name, key=one.key,
                stated=one.value, because=one.because, built=one.built, meant=one.meant,
            )  # fmt: skip
        return
    older = list(refused_by_older(values, whole=whole)) if meant is None else []
    older = [one for one in older if not (own_code and one.key == CLASS)]
    if older:
        from inspector.findings.reading.tokenizer_absent import TokenizerReadByNewer

        yield TokenizerReadByNewer(
            place=Place(file=SETTINGS, key=older[0].key),
            keys=tuple(one.key for one in older),
            because=tuple(one.because for one in older),
            to_set={key: value for one in older for key, value in one.to_set.items()},
            unsolved=tuple(one.key for one in older if not one.to_set),
        )


def _unnamed(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The finding on a vocabulary for which neither the model type nor the config or its code names a class."""
    config, siblings = checkpoint.config, checkpoint.siblings
    files = tuple(name for name in (WORDS, *VOCABULARIES) if name in siblings)
    if config is None or not files or WHOLE in siblings or not _is_of_own_code(checkpoint):
        return
    code = config.values.get("auto_map")
    if not isinstance(code, dict) or ANY in code or config.values.get("tokenizer_class") is not None:
        return
    from inspector.findings.reading.tokenizer_absent import TokenizerUnnamed

    yield TokenizerUnnamed(place=Place(file=SETTINGS), files=files, model_type=str(config.values["model_type"]))


def _is_of_own_code(checkpoint: Checkpoint) -> bool:
    """True if the model type is one of its authors' code, which registers its tokenizer too."""
    from inspector.loading.tables import is_supported

    config = checkpoint.config
    stated = config.values.get("model_type") if config is not None and config.kind == "config" else None
    return isinstance(stated, str) and not is_supported(stated)
