"""Damages the target of each conversion pair and checks the exact finding and the exact counts."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import product
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from inspector.auditing.result import Audit
from inspector.comparing.checkpoints import compare_audits
from inspector.comparing.result import Comparison
from inspector.findings.conversion.parameters import NamesChanged
from tests.comparing.listings import saved, without_config
from tests.comparing.pair_audits import NAMES, Side, compared, opened, pair
from tests.dialects.test_writers import FLUX
from tests.make_checkpoints import SMALL_LLAMA
from tests.sampling import sampled

Damage = Callable[[Side], tuple[str, int, int] | None]
"""Changes the target and returns (code, parameters dropped, invented); None where it does not apply."""
VOCABULARY = 224
SINGLE = re.compile(r"single_transformer_blocks\.1\.")
LAYER = re.compile(r"(?:^|\.)(?:layers|blk|h)\.(\d+)\.")


def layer_of(name: str) -> int | None:
    """The layer of a tensor."""
    found = LAYER.search(name)
    return int(found[1]) if found else None


def size(side: Side, names: list[str]) -> int:
    """Elements of some tensors."""
    return sum(prod(side["tensors"][name][1]) for name in names)


def removed(side: Side, names: list[str], code: str) -> tuple[str, int, int]:
    """Remove tensors."""
    elements = size(side, names)
    for name in names:
        del side["tensors"][name]
    return code, elements, 0


def in_layer(side: Side, layer: int) -> list[str]:
    """The names of a layer."""
    return [name for name in side["tensors"] if layer_of(name) == layer]


def tensor_dropped(side: Side) -> tuple[str, int, int] | None:
    """Remove the first matrix of layer 1."""
    return removed(side, [next(name for name in in_layer(side, 1) if len(side["tensors"][name][1]) > 1)], "V803")


def norm_dropped(side: Side) -> tuple[str, int, int] | None:
    """Remove a vector of layer 2."""
    return removed(side, [next(name for name in in_layer(side, 2) if "norm" in name or "ln_" in name)], "V803")


def layer_dropped(side: Side) -> tuple[str, int, int] | None:
    """Remove layer 1."""
    return removed(side, in_layer(side, 1), "V805")


def last_layer_dropped(side: Side) -> tuple[str, int, int] | None:
    """Remove layer 2, the last."""
    return removed(side, in_layer(side, 2), "V805")


def layer_renumbered(side: Side) -> tuple[str, int, int] | None:
    """Renumber layer 1 as 7. It does not count as expected where a config states the number of layers."""
    elements = size(side, in_layer(side, 1))
    known = side["config"] is not None or side["kind"] == "gguf"
    side["tensors"] = {
        LAYER.sub(lambda m: m[0].replace(m[1], "7") if m[1] == "1" else m[0], name): entry
        for name, entry in side["tensors"].items()
    }
    return "V810", elements, 0 if known else elements


def rows_changed(side: Side, by: int) -> int:
    """Add rows to the vocabulary, or remove them; return the number of elements changed."""
    changed = 0
    for entry in side["tensors"].values():
        if len(entry[1]) == 2 and entry[1][0] == VOCABULARY:
            entry[1] = [VOCABULARY + by, entry[1][1]]
            changed += abs(by) * entry[1][1]
    return changed


def vocabulary_shortened(side: Side) -> tuple[str, int, int] | None:
    """Remove 32 rows of embedding and head."""
    return "V807", rows_changed(side, -32), 0


def vocabulary_padded(side: Side) -> tuple[str, int, int] | None:
    """Add 32 rows to embedding and head, which contradict a config that states the size."""
    return "V808" if side["config"] is None or side["kind"] == "gguf" else "V859", 0, rows_changed(side, 32)


def expert_dropped(side: Side) -> tuple[str, int, int] | None:
    """Remove one expert of five in every layer."""
    names = [name for name, (_, shape) in side["tensors"].items() if len(shape) == 3]
    if not names:
        return None
    lost = 0
    for name in names:
        shape = side["tensors"][name][1]
        side["tensors"][name][1] = [shape[0] - 1, *shape[1:]]
        lost += prod(shape[1:])
    return "V805", lost, 0


def fused_rows_removed(side: Side) -> tuple[str, int, int] | None:
    """Remove 32 rows of a fused matrix of layer 1."""
    name = next((name for name in in_layer(side, 1) if "gate_up" in name or "qkv" in name), None)
    if name is None:
        return None
    entry = side["tensors"][name]
    lost = prod(entry[1]) // entry[1][-2] * 32
    entry[1] = [*entry[1][:-2], entry[1][-2] - 32, entry[1][-1]]
    return "V809", lost, 0


def rows_halved(side: Side) -> tuple[str, int, int] | None:
    """Remove half of the rows of a fused matrix of layer 1, so that fewer remain than some of its parts have."""
    name = next((name for name in in_layer(side, 1) if "gate_up" in name or "qkv" in name), None)
    if name is None:
        return None
    entry = side["tensors"][name]
    entry[1] = [*entry[1][:-2], entry[1][-2] // 2, entry[1][-1]]
    return "V809", prod(entry[1]), 0


def sizes_exchanged(side: Side) -> tuple[str, int, int] | None:
    """Exchange the shapes of query and key of layer 1."""
    query, key = (
        next((n for n in in_layer(side, 1) if re.search(rf"(attn_{x}|self_attn\.{x}_proj|\.w{x})\.weight", n)), None)
        for x in "qk"
    )
    if query is None or key is None:
        return None
    one, other = side["tensors"][query], side["tensors"][key]
    moved = (one[1][0] - other[1][0]) * one[1][1]
    one[1], other[1] = other[1], one[1]
    return "V809", moved, moved


def head_dropped(side: Side) -> tuple[str, int, int] | None:
    """Remove the head of an untied model; without a config this would not be an error."""
    name = next((name for name in ("lm_head.weight", "output.weight") if name in side["tensors"]), None)
    if name is None or side["config"] is None:
        return None
    return removed(side, [name], "V803")


DAMAGES: dict[str, Damage] = {
    damage.__name__: damage
    for damage in (
        tensor_dropped, norm_dropped, layer_dropped, last_layer_dropped, layer_renumbered, vocabulary_shortened,
        vocabulary_padded, expert_dropped, fused_rows_removed, rows_halved, sizes_exchanged, head_dropped,
    )
}  # fmt: skip


def check_damage(found: Comparison, expected: tuple[str, int, int]) -> None:
    """Check for exactly one error or warning, the exact counts, and sums that add up."""
    code, dropped, invented = expected
    worse = [f"{one.code} {one.message}" for one in found.findings if one.severity != "note"]
    assert [line.split()[0] for line in worse] == [code], worse
    assert (found.relation, found.verdict) == ("conversion", "findings")
    assert (found.dropped, found.invented) == (dropped, invented)
    assert found.carried is not None
    assert found.parameters == (found.carried + dropped, found.carried + invented)
    for role in found.roles:
        assert role.carried is not None and role.dropped is not None and role.invented is not None
        assert (role.source, role.target) == (role.carried + role.dropped, role.carried + role.invented)


@cache
def source_of(name: str, *, configs: bool) -> Audit:
    """The audit of the undamaged source, which all damaged targets are compared with."""
    source = pair(name)[0]
    with TemporaryDirectory() as folder:
        return opened(source if configs else without_config(source), Path(folder) / "before")


@pytest.mark.thinned
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", NAMES)
def test_one_damage_is_one_finding(name: str, damage: str, tmp_path: Path) -> None:
    target = pair(name)[1]
    expected = DAMAGES[damage](target)
    if expected is None:
        pytest.skip("the target has no such tensor")
    check_damage(compare_audits(source_of(name, configs=True), opened(target, tmp_path / "after")), expected)


@pytest.mark.parametrize("name", sampled([name for name in NAMES if "memory" not in name], 4))
def test_a_renumbered_layer_of_the_source_is_named_too(name: str, tmp_path: Path) -> None:
    source, target = pair(name)
    expected = layer_renumbered(source)
    assert expected is not None
    code, elements, counted = expected
    check_damage(compared(source, target, tmp_path), (code, counted, elements))


EACH = [
    pytest.param(name, damage, marks=[pytest.mark.slow] if (number + at) % 11 else [])
    for (number, name), (at, damage) in product(enumerate(NAMES), enumerate(DAMAGES))
]
"""Each pair with every eleventh damage, each damage with every eleventh pair; `-m slow` runs the others."""


@pytest.mark.thinned
@pytest.mark.parametrize(("name", "damage"), EACH)
def test_one_damage_without_configs_is_one_finding(name: str, damage: str, tmp_path: Path) -> None:
    target = without_config(pair(name)[1])
    expected = DAMAGES[damage](target)
    if expected is None:
        pytest.skip("the target has no such tensor")
    check_damage(compare_audits(source_of(name, configs=False), opened(target, tmp_path / "after")), expected)


@pytest.mark.parametrize("word", ["attn", "attention"])
def test_modules_of_one_shape_keep_their_parts_under_another_name(word: str, tmp_path: Path) -> None:
    source = saved(SMALL_LLAMA)
    tensors = {name.replace("self_attn", word): entry for name, entry in source["tensors"].items()}
    found = compared(source, {**source, "tensors": tensors}, tmp_path)
    (finding,) = [one for one in found.findings if one.severity != "note"]
    assert isinstance(finding, NamesChanged)
    assert (finding.old, finding.new, finding.tensors) == ("self_attn", word, 4 * SMALL_LLAMA["num_hidden_layers"])
    assert sum(finding.roles.values()) == found.dropped == finding.parameters


def test_a_block_of_a_tower_is_named_once(tmp_path: Path) -> None:
    source = saved(FLUX)
    target = {**source, "tensors": {name: e for name, e in source["tensors"].items() if not SINGLE.match(name)}}
    (finding,) = [one for one in compared(source, target, tmp_path).findings if one.severity != "note"]
    assert (finding.code, finding.title) == ("V805", "single_transformer_block 1")
