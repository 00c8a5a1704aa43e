"""The model type that a user's word means: a type or class in any spelling; and similar types if the
word is unknown.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from inspector.architectures.catalog import letters, modules
from inspector.matcher.claim import type_of_class

PIPELINES: Final = {
    "stablediffusion": ("UNet2DConditionModel", "AutoencoderKL", "SD3Transformer2DModel"),
    "sdxl": ("UNet2DConditionModel", "AutoencoderKL"),
    "controlnet": ("ControlNetModel",),
    "vae": ("AutoencoderKL",),
}
"""Popular names of a model -> its classes, for names that none of the classes contains."""
MOST: Final = 4


def type_named(word: str) -> str | None:
    """The model type or diffusers class that a word means; Llama and LlamaForCausalLM mean llama. None for unknown
    words.
    """
    if word in modules():
        return word
    own = {letters(name): name for name in modules()}
    return own.get(letters(word)) or type_of_class(word)


def similar_types(word: str) -> list[str]:
    """Model types that begin with a word, contain it or are spelled similarly; the shortest names come first."""
    wanted = letters(word)
    if not wanted:
        return []
    named = [name for words, names in PIPELINES.items() if wanted.startswith(words) for name in names]
    spelled = sorted((letters(name), name) for name in modules())
    begins = sorted((name for plain, name in spelled if plain.startswith(wanted)), key=len)
    contains = sorted((name for plain, name in spelled if wanted in plain), key=len) if len(wanted) > 2 else []
    by_letters = dict(spelled)
    near = [by_letters[plain] for plain in get_close_matches(wanted, by_letters, 3, 0.6)]
    return list(dict.fromkeys((*named, *begins, *contains, *near)))[:MOST]
