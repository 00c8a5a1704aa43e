"""The original code of LLaVA, and of its successors LLaVA-NeXT and LLaVA-OneVision.

Source: `llava/model/llava_arch.py` (`mm_projector`, `vision_tower`, `image_newline` are of the text model) and
`multimodal_encoder/clip_encoder.py` (the tower is inside an object of the same name; one that is not trained is loaded
from the repository that `mm_vision_tower` names and not saved).
"""

from __future__ import annotations

from typing import Final

import msgspec

from inspector.dialects.language import Dialect

_OWN: Final = ("llava_llama", "llava_mistral", "llava_mixtral", "llava_mpt", "llava_gemma", "llava_qwen")
_SIGN: Final = ("model.mm_projector.#.weight", "model.layers.#.input_layernorm.weight")
LLAVA: Final = Dialect(
    writer="LLaVA's own code",
    names_alone=True,
    exporter="the converter of its version in the repository of transformers: convert_llava_weights_to_hf.py for 1.5, "
    "convert_llava_next_weights_to_hf.py for 1.6, convert_llava_onevision_weights_to_hf.py for OneVision",
    names={},
    replaces={
        "model.language_model.": "model.",
        "model.vision_tower.": "model.vision_tower.vision_tower.",
        "model.multi_modal_projector.linear_1.": "model.mm_projector.0.",
        "model.multi_modal_projector.linear_2.": "model.mm_projector.2.",
    },
    signs=(_SIGN,),
    only=("llava",),
    own_types=_OWN,
    elsewhere={"model.vision_tower.": "mm_vision_tower"},
)
LLAVA_NEXT: Final = msgspec.structs.replace(
    LLAVA,
    writer="LLaVA-NeXT's own code",
    exporter="convert_llava_next_weights_to_hf.py in the repository of transformers",
    signs=((*_SIGN, "model.image_newline"), _SIGN),
    only=("llava_next",),
    own_types=_OWN[:-1],
)
LLAVA_ONEVISION: Final = msgspec.structs.replace(
    LLAVA,
    writer="LLaVA-OneVision's own code",
    exporter="convert_llava_onevision_weights_to_hf.py in the repository of transformers",
    signs=((*_SIGN, "model.image_newline"), _SIGN),
    only=("llava_onevision",),
    own_types=_OWN[-1:],
)
