"""Recognises the attention of Longformer in a model whose config names the model that it was built from.

Source: AllenAI's longformer package, `scripts/convert_model_to_long.ipynb` (RoBERTa, with `query_global` and so on
beside each projection) and `longformer/longformer_encoder_decoder.py` (BART, with `longformer_self_attn` and `output`
in the encoder); transformers' `models/longformer` and `models/led`, which have the same layers. The package builds its
attention into models with the layers of mBART, too, under the type of BART: norms ahead of the attention, one after the
last layer, scaled embeddings. LED has none of these.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from inspector.findings.finding import Finding, Place
from inspector.findings.words import value
from inspector.reconciler.place import Placed, Placement, Unexpected
from inspector.reconciler.reconcile import Reconciled
from inspector.reconciler.wording import family_name, place_name

GLOBAL: Final = re.compile(r"\.attention\.self\.(query|key|value)_global\.(weight|bias)$")
IN_ENCODER: Final = re.compile(
    r"encoder\.layers\.[^.]+\.self_attn\.(longformer_self_attn\.(query|key|value)(_global)?|output)\.(weight|bias)$"
)
OF_BART: Final = re.compile(r"encoder\.layers\.[^.]+\.self_attn\.(q_proj|k_proj|v_proj|out_proj)\.(weight|bias)$")
POSITIONS: Final = ("encoder.embed_positions.weight", "decoder.embed_positions.weight")
KEYS: Final = ("max_encoder_position_embeddings", "max_decoder_position_embeddings")
WINDOW: Final = "attention_window"
AHEAD: Final = 2
"""Rows that BART's tables of positions have ahead of the first position; LED's have none."""
FAMILIES_SHOWN: Final = 8


class _Kind(NamedTuple):
    """The model type with the same layers, the start of its class names, the prefixes of names before and after, and
    the values of keys of the named type for which its layers are built.
    """

    like: str
    classes: str
    renamed: tuple[str, str]
    only: dict[str, object]


OF_ROBERTA: Final = _Kind(
    "longformer", "Longformer", ("roberta.", "longformer."),
    {"position_embedding_type": "absolute", "is_decoder": False, "add_cross_attention": False},
)  # fmt: skip
OF_TYPES: Final = {
    "roberta": OF_ROBERTA, "xlm-roberta": OF_ROBERTA, "camembert": OF_ROBERTA,
    "bart": _Kind("led", "LED", ("model.", "led."), {
        "scale_embedding": False, "normalize_before": False, "add_final_layer_norm": False, "normalize_embedding": True,
    }),
}  # fmt: skip
IN_LAYERS: Final = re.compile(r"(^|\.)(encoder|decoder)\.")
HEADS: Final = {
    "longformer": ("ForMaskedLM", "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering",
                   "ForMultipleChoice"),
    "led": ("ForConditionalGeneration", "ForQuestionAnswering"),
}  # fmt: skip


def attention_of_longformer(case: Reconciled) -> tuple[Finding, Placement] | None:
    """The finding, and the differences that it does not explain."""
    from inspector.findings.names.longformer import AttentionOfLongformer

    left = case.as_configured
    within = any(IN_ENCODER.search(one.key) for one in left.unexpected)
    extra = tuple(one for one in left.unexpected if (IN_ENCODER if within else GLOBAL).search(one.key))
    if not any("_global." in one.key for one in extra):
        return None
    gaps = tuple(gap for gap in left.missing if within and OF_BART.search(gap.block.key))
    tables = _tables(case) if within else ()
    model_type = case.claim.model_type or case.reading.name
    kind = OF_TYPES.get(model_type)
    settings = case.claim.settings.values
    others = _others(left, extra) if kind else ()
    named = _class_of(case.claim.class_name, kind)
    finding = AttentionOfLongformer(
        place=Place(key="model_type"),
        model_type=model_type,
        tensors=sum(one.tensors for one in extra),
        missing=sum(gap.tensors for gap in gaps),
        families=tuple(dict.fromkeys(family_name(one.key) for one in extra))[:FAMILIES_SHOWN],
        like=kind.like if kind else None,
        class_name=named,
        without_class=case.claim.class_name if kind and named is None else None,
        renamed=kind.renamed if kind else None,
        positions=tuple(place_name(one.block.key, one.boxes) for one in tables),
        ahead=AHEAD if tables else 0,
        window=WINDOW in settings,
        others=tuple(sorted({family_name(one.key) for one in others})[:FAMILIES_SHOWN]),
        unlike=tuple(f'"{key}": {value(stated)}' for key, stated in _unread(settings, kind)),
    )
    rest = Placement(
        tuple(one for one in left.placed if one not in tables or one.fits),
        tuple(gap for gap in left.missing if gap not in gaps),
        tuple(one for one in left.unexpected if one not in extra and one not in others),
    )
    return finding, rest


def _others(left: Placement, extra: tuple[Unexpected, ...]) -> tuple[Unexpected, ...]:
    """The other unexpected tensors of the encoder and the decoder: of no family that the named model has."""
    known = {one.block.key for one in left.placed} | {one.block.key for one in left.missing}
    return tuple(
        one for one in left.unexpected if one not in extra and one.key not in known and IN_LAYERS.search(one.key)
    )


def _unread(settings: Mapping[str, Any], kind: _Kind | None) -> list[tuple[str, object]]:
    """The keys, and their values, with which the model has other layers than the type with this attention."""
    only = kind.only if kind else {}
    return [(key, settings[key]) for key, built in only.items() if settings.get(key, built) not in (built, None)]


def _tables(case: Reconciled) -> tuple[Placed, ...]:
    """The tables of positions with the stated number of positions, and BART's rows ahead of them."""
    stated = {name: case.claim.settings.values.get(key) for name, key in zip(POSITIONS, KEYS, strict=True)}
    found = []
    for one in case.as_configured.placed:
        name = next((name for name in POSITIONS if one.block.key.endswith(name)), None)
        rows = stated.get(name or "")
        if type(rows) is int and one.layout.shape[:1] == (rows + AHEAD,):
            found.append(one)
    return tuple(found)


def _class_of(class_name: str | None, kind: _Kind | None) -> str | None:
    if class_name is None or kind is None:
        return None
    if class_name.endswith("Model"):
        return f"{kind.classes}Model"
    head = next((head for head in HEADS[kind.like] if class_name.endswith(head)), None)
    return None if head is None else f"{kind.classes}{head}"
