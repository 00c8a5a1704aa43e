"""Submodels: the source of their defaults, values that the whole model sets in them, and opaque parts."""

from __future__ import annotations

from typing import Any

from inspector.architectures.defaults import class_defaults, defaults_by
from inspector.notation.binding import Plan, bind
from inspector.notation.definition import Architecture, Dims, either, head, opaque, part, rows, submodel
from inspector.notation.kinds import linear, table
from inspector.notation.scope import Scope
from inspector.notation.settings import Settings
from inspector.notation.spelling import Spelling

TOWER = Architecture("tower", dims=Dims(d="hidden_size"), parts=part("up", "mlp.up", linear("d -> d")))
READER = Architecture(
    "reader",
    dims=Dims(d="hidden_size", e="encoder_hidden_size"),
    parts=part("key", "cross.key", linear("e -> d")),
)
JOINED = Architecture(
    "joined",
    dims=Dims(v="vision.d"),
    parts=rows(
        submodel("text", "text.", READER, encoder_hidden_size="v"),
        submodel("vision", "vision.", TOWER),
        opaque("timm.", "a network of another library", when="backbone"),
    ),
)
ENDS = Architecture(
    "ends",
    dims=Dims(V="vocab_size", W="other_vocab_size", d="hidden_size"),
    ties="true",
    parts=either(part("embed", "embed.token", table("W d")), part("embed", "embed.token", table("V d"))),
    heads=(head("", "", part("out", "head.token", linear("d -> V"), tied="embed.token")),),
)


def bound(definition: Architecture, values: dict[str, Any], stored: dict[str, tuple[int, ...]] | None = None) -> Plan:
    known = stored or {}
    scope = Scope(definition, Settings(values), lambda name: None)
    return bind(scope, definition.heads[0], Spelling(""), lambda key: [known[key]] if key in known else [])


def shapes(plan: Plan) -> dict[str, tuple[int | None, ...]]:
    return {block.key: block.shape for block in plan.blocks}


WHOLE = {"text_config": {"hidden_size": 3, "encoder_hidden_size": 99}, "vision_config": {"hidden_size": 5}}


def test_values_that_the_whole_sets_are_not_read_in_the_part() -> None:
    assert shapes(bound(JOINED, WHOLE))["text.key.weight"] == (3, 5)


def test_other_values_are_read_in_the_part() -> None:
    assert shapes(bound(JOINED, {**WHOLE, "vision_config": {}}))["text.key.weight"] == (3, 99)


def test_an_opaque_part_is_there_where_its_predicate_holds() -> None:
    assert bound(JOINED, WHOLE).opaque == ()
    assert [prefix for prefix, _ in bound(JOINED, {**WHOLE, "backbone": "x"}).opaque] == ["timm."]


def test_a_copy_finds_the_side_that_is_stored() -> None:
    values = {"vocab_size": 7, "other_vocab_size": 8, "hidden_size": 2}
    for shape in ((7, 2), (8, 2)):
        plan = bound(ENDS, values, {"embed.weight": shape})
        copy = next(block for block in plan.blocks if block.key == "out.weight")
        assert copy.tie is not None
        assert shapes(plan)["embed.weight"] == shape


def settings(major: str, values: dict[str, Any]) -> Settings:
    of = defaults_by(major)
    return Settings(values, *of("got_ocr2"), of_type=of)


def test_a_part_that_is_there_has_the_defaults_of_its_class() -> None:
    whole = class_defaults("got_ocr2")[0]["text_config"]["hidden_size"]
    alone = class_defaults("qwen2")[0]["hidden_size"]
    assert whole != alone
    assert settings("5", {}).read(("text_config", "hidden_size"))[0] == whole
    stated = {"text_config": {"vocab_size": 5}}
    assert settings("5", stated).read(("text_config", "hidden_size"))[0] == alone
    assert settings("5", stated).below("text_config").read(("model_type",))[0] == "qwen2"


def test_a_part_of_the_type_of_the_whole_keeps_its_own_defaults() -> None:
    stated = {"model_type": "got_ocr2", "vision_config": {"model_type": "got_ocr2"}}
    assert settings("5", stated).read(("vision_config", "mlp_dim"))[0] == 3072
