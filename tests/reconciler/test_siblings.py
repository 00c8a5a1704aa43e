"""Blocks that a sequence without a definition skips: equal blocks are numbered without gaps, modules of several classes
are not.
"""

from __future__ import annotations

import pytest

from tests.judged import codes, judged

MODULES = ("norm1", "norm2", "attn.qkv", "attn.proj", "mlp.fc1", "mlp.fc2")
Spec = dict[str, tuple[str, tuple[int, ...]]]


def blocks(numbers: list[int], modules: tuple[str, ...] = MODULES, before: str = "trunk.blocks") -> Spec:
    """Blocks with these numbers, of modules with a weight and a bias."""
    spec: Spec = {"trunk.stem.weight": ("F32", (16, 3, 4, 4))}
    for number in numbers:
        for name in modules:
            spec[f"{before}.{number}.{name}.weight"] = ("F32", (16, 16))
            spec[f"{before}.{number}.{name}.bias"] = ("F32", (16,))
    return spec


@pytest.mark.parametrize("lost", [[5], [1], [3, 4]])
def test_equal_blocks_without_one_of_them(lost: list[int]) -> None:
    numbers = list(range(12))
    assert not codes(judged(blocks(numbers), None))
    audited = judged(blocks([one for one in numbers if one not in lost]), None)
    (finding,) = (one for one in audited.findings if one.severity != "note")
    assert finding.code == "N413" and str(finding.place.indices).endswith(str(lost[-1]))


@pytest.mark.parametrize(
    "spec",
    [
        blocks([0, 1, 2, 3, 5, 6, 7, 8], ("conv",), "trunk.features"),
        blocks([0, 2, 4, 6, 8, 10]),
        blocks([0, 1, 3]),
        {**blocks([0, 1, 2, 4, 5, 6]), "trunk.blocks.1.extra.weight": ("F32", (16,))},
    ],
    ids=["convolutions and a pool", "every other block", "few blocks", "blocks that differ"],
)
def test_sequences_that_may_skip_a_number(spec: Spec) -> None:
    assert not codes(judged(spec, None))
