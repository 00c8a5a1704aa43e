"""Compares the files of a library with its own loader with the weights beside them: OpenCLIP, Coqui's XTTS, F5-TTS
and mlx-whisper.

Sources: `open_clip/factory.py` (`_find_checkpoint_in_dir`, `load_checkpoint`: strict; embeddings of positions are
resized) and timm's `vision_transformer.py` for the sizes behind its names; measured with OpenCLIP 3.3. Coqui's
`tts/models/xtts.py`: the vocabulary in the folder gives the rows of the text embedding, whatever the config says.
F5-TTS's `model/utils.py` (`get_tokenizer`) and `backbones/dit.py`: one row more than the different lines of vocab.txt.
`mlx_whisper/load_models.py` of 0.4.3 looks for two names of the file of weights.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from inspector.auditing.json_beside import object_beside, text_beside
from inspector.auditing.result import Audit
from inspector.dialects.whisper import MLX_WHISPER
from inspector.findings.finding import Finding, Place
from inspector.loader.checkpoint import Checkpoint
from inspector.loader.loaders import TRANSFORMERS
from inspector.loading.tokenizer_files import PLAIN
from inspector.matcher.families import Families

CONFIG: Final = "open_clip_config.json"
OWN_FILES: Final = "open_clip_"
"""Beginning of the names of OpenCLIP's own weights, which it takes before others."""
VOCABULARY: Final = "vocab.json"
TEXT_ROWS: Final = "gpt.text_embedding.weight"
XTTS_SIGN: Final = "hifigan_decoder.waveform_decoder."
F5_TTS: Final = "transformer.text_embed.text_embed.weight"
"""End of the name of F5-TTS's text embedding, whose first row is that of padding."""
F5_SIGN: Final = "transformer.input_embed.proj.weight"
OF_MLX_WHISPER: Final = ("weights.safetensors", "weights.npz")
"""Names under which mlx-whisper finds weights."""
LARGEST: Final = 1 << 22
"""Bytes of a file that is read."""
OF_TRANSFORMERS: Final = ("text_model.", "vision_model.")
"""Beginnings of names of transformers in the place of `transformer.` or `text.` and `visual.`."""
SIZES: Final[Mapping[str, tuple[int, int]]] = {
    "tiny": (192, 12), "small": (384, 12), "base": (768, 12), "large": (1024, 24), "huge": (1280, 32),
    "so400m": (1152, 27),
}  # fmt: skip
"""Size in the name of a vision transformer of timm -> width, blocks."""
_NAMED: Final = re.compile(
    r"vit_(?P<size>[a-z0-9]+)_patch(?P<patch>[0-9]+)(?!(?:_[a-z0-9]+)*_(?:plus|[0-9]+x[0-9]+)(?:_|$))(?:_|$)"
)
"""A vision transformer of timm; `plus` and `36x1` have other sizes (all others compared with timm 1.0.31)."""


class StatedNumber(Struct, frozen=True):
    """A number that the config states, and a family, with the axis that has the number; axis None: its tensors."""

    key: str
    number: int
    families: tuple[str, ...]
    axis: int | None


def of_library_files(audited: Audit) -> Iterator[Finding]:
    """The findings on files of OpenCLIP, XTTS or F5-TTS in a local folder that do not belong to the weights, and on a
    file of weights under a name that its library does not read.
    """
    checkpoint = audited.checkpoint
    if not checkpoint.folder or checkpoint.alone or checkpoint.adapter is not None or audited.stored is None:
        return
    if CONFIG in checkpoint.siblings and _is_taken(checkpoint):
        yield from _of_open_clip(checkpoint, audited.stored)
    elif VOCABULARY in checkpoint.siblings and TEXT_ROWS in audited.stored:
        yield from _of_xtts(checkpoint, audited.stored)
    elif PLAIN in checkpoint.siblings:
        yield from _of_f5_tts(checkpoint, audited.stored)
    elif checkpoint.config is not None and checkpoint.config.writer == MLX_WHISPER:
        yield from _of_mlx_whisper(checkpoint)


def _is_taken(checkpoint: Checkpoint) -> bool:
    """True if OpenCLIP loads the audited file: a file of its own, or the only one beside its config."""
    return checkpoint.set_name.startswith(OWN_FILES) or TRANSFORMERS.config not in checkpoint.siblings


def _of_open_clip(checkpoint: Checkpoint, stored: Families) -> Iterator[Finding]:
    config = object_beside(checkpoint, CONFIG, LARGEST)
    model = config.get("model_cfg")
    foreign = [key for key in stored if key.startswith(OF_TRANSFORMERS)]
    own = any(key.startswith(("visual.", "text.", "transformer.resblocks.")) for key in stored)
    if foreign and not own:
        from inspector.findings.names.open_clip import NamesUnreadByOpenClip

        example = sorted(name for name in checkpoint.tensors if name.startswith(OF_TRANSFORMERS))[0]
        yield NamesUnreadByOpenClip(place=Place(tensor=example), example=example, file=checkpoint.set_name)
        return
    if not own or not isinstance(model, Mapping):
        return
    pairs = [(one, found) for one in _stated(model) if (found := _stored(one, stored)) is not None]
    wrong = [(one, found) for one, found in pairs if found != one.number]
    if wrong:
        from inspector.findings.names.open_clip import OpenClipConfigDiffers

        yield OpenClipConfigDiffers(
            place=Place(file=CONFIG, key=wrong[0][0].key),
            keys=tuple(one.key for one, _ in wrong),
            stated=tuple(one.number for one, _ in wrong),
            stored=tuple(found for _, found in wrong),
            named=_timm_name(model),
            means=_meant(pairs) if _timm_name(model) else "",
        )


def _stated(model: Mapping[str, Any]) -> Iterator[StatedNumber]:
    """The numbers of a config with which OpenCLIP builds the model."""
    vision, text = (one if isinstance(one := model.get(key), Mapping) else {} for key in ("vision_cfg", "text_cfg"))
    listed = [
        ("embed_dim", model.get("embed_dim"), ("visual.proj",), 1),
        ("embed_dim", model.get("embed_dim"), ("visual.head.proj.weight",), 0),
        ("vision_cfg.width", vision.get("width"), ("visual.conv1.weight",), 0),
        ("vision_cfg.layers", vision.get("layers"), ("visual.transformer.resblocks.#.ln_1.weight",), None),
        ("vision_cfg.patch_size", vision.get("patch_size"), ("visual.conv1.weight",), 2),
        ("text_cfg.width", text.get("width"), ("token_embedding.weight", "text.token_embedding.weight"), 1),
        ("text_cfg.vocab_size", text.get("vocab_size"), ("token_embedding.weight", "text.token_embedding.weight"), 0),
        ("text_cfg.layers", text.get("layers"),
         ("transformer.resblocks.#.ln_1.weight", "text.transformer.resblocks.#.ln_1.weight"), None),
    ]  # fmt: skip
    for key, number, families, axis in listed:
        if type(number) is int:
            yield StatedNumber(key, number, families, axis)
    found = _NAMED.match(_timm_name(model))
    if found is not None and found["size"] in SIZES:
        (width, blocks), patch = SIZES[found["size"]], int(found["patch"])
        of_patches = ("visual.trunk.patch_embed.proj.weight",)
        yield StatedNumber("width of vision_cfg.timm_model_name", width, of_patches, 0)
        yield StatedNumber(
            "blocks of vision_cfg.timm_model_name", blocks, ("visual.trunk.blocks.#.norm1.weight",), None
        )
        yield StatedNumber("patch size of vision_cfg.timm_model_name", patch, of_patches, 2)


def _timm_name(model: Mapping[str, Any]) -> str:
    """The model of timm in a config, or ""."""
    vision = model.get("vision_cfg")
    name = vision.get("timm_model_name") if isinstance(vision, Mapping) else None
    return name.removeprefix("timm/") if isinstance(name, str) else ""


def _meant(pairs: list[tuple[StatedNumber, int]]) -> str:
    """The beginning of the names of timm's models with the stored sizes, or ""."""
    width, blocks, patch = (
        next((found for one, found in pairs if one.key.startswith(f"{word} of ")), None)
        for word in ("width", "blocks", "patch size")
    )
    size = next((name for name, sizes in SIZES.items() if sizes == (width, blocks)), None)
    return "" if size is None or patch is None else f"vit_{size}_patch{patch}"


def _stored(stated: StatedNumber, stored: Families) -> int | None:
    """The number that the weights have; None if they do not show it."""
    family = next((stored[key] for key in stated.families if key in stored), None)
    if family is None or len(family.shapes) != 1:
        return None
    if stated.axis is None:
        return family.tensors
    (shape,) = family.shapes
    return shape[stated.axis] if len(shape) > stated.axis else None


def _of_xtts(checkpoint: Checkpoint, stored: Families) -> Iterator[Finding]:
    """The finding on a vocabulary that has not as many tokens as the text embedding has rows."""
    if not any(key.startswith(XTTS_SIGN) for key in stored):
        return
    tokenizer = object_beside(checkpoint, VOCABULARY, LARGEST)
    model = tokenizer.get("model")
    words = model.get("vocab") if isinstance(model, Mapping) else None
    added = tokenizer.get("added_tokens")
    shapes = stored[TEXT_ROWS].shapes
    if not isinstance(words, Mapping) or len(shapes) != 1:
        return
    extra = [one.get("content") for one in added if isinstance(one, Mapping)] if isinstance(added, list) else []
    tokens, rows = len({*words, *(one for one in extra if isinstance(one, str))}), next(iter(shapes))[0]
    if tokens != rows:
        from inspector.findings.names.of_library import LibraryVocabularyDiffers

        yield LibraryVocabularyDiffers(
            place=Place(file=VOCABULARY), library="Coqui TTS", tokens=tokens, stored_rows=rows, family=TEXT_ROWS
        )


def _of_f5_tts(checkpoint: Checkpoint, stored: Families) -> Iterator[Finding]:
    """The finding on a vocabulary that has not as many different lines as the text embedding has rows after the first.

    Lines are told apart without their last character, as the library takes it for the end of the line.
    """
    key = next((one for one in stored if one.endswith(F5_TTS)), None)
    text = text_beside(checkpoint, PLAIN, LARGEST)
    if key is None or not any(one.endswith(F5_SIGN) for one in stored) or not text or len(stored[key].shapes) != 1:
        return
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    tokens = len({*lines[:-1], *([lines[-1][:-1]] if lines[-1] else [])})
    rows = next(iter(stored[key].shapes))[0]
    if tokens + 1 != rows:
        from inspector.findings.names.of_library import LibraryVocabularyDiffers

        yield LibraryVocabularyDiffers(
            place=Place(file=PLAIN), library="F5-TTS, which adds a row for padding", tokens=tokens, stored_rows=rows,
            family=key, head=False,
        )  # fmt: skip


def _of_mlx_whisper(checkpoint: Checkpoint) -> Iterator[Finding]:
    """The note on a file of weights that mlx-whisper does not look for."""
    names = {file.name for file in checkpoint.files}
    if (
        len(names) != 1
        or not names.isdisjoint(OF_MLX_WHISPER)
        or not checkpoint.siblings.keys().isdisjoint(OF_MLX_WHISPER)
    ):
        return
    (name,) = names
    if name.endswith(".safetensors"):
        from inspector.findings.names.of_library import FileUnreadByMlxWhisper

        yield FileUnreadByMlxWhisper(place=Place(file=name), wanted=OF_MLX_WHISPER[0])
