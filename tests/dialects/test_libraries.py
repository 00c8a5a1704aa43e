"""Libraries that are recognised by names of weights."""

from __future__ import annotations

import pytest

from inspector.dialects.libraries import LIBRARIES, WRAPPERS, library_of
from tests.checkpoints import Spec
from tests.judged import judged

AUDIOCRAFT: Spec = {
    **{f"emb.{n}.weight": ("F32", (33, 32)) for n in range(4)},
    **{f"linears.{n}.weight": ("F32", (32, 32)) for n in range(4)},
    **{f"transformer.layers.{n}.self_attn.in_proj_weight": ("F32", (96, 32)) for n in range(2)},
    **{f"transformer.layers.{n}.linear1.weight": ("F32", (64, 32)) for n in range(2)},
    "out_norm.weight": ("F32", (32,)),
}


@pytest.mark.parametrize(("library", "signs"), LIBRARIES)
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_all_signs_together_name_the_library(library: str, signs: tuple[str, ...], wrapper: str) -> None:
    assert library_of([wrapper + sign for sign in (*signs, "other.weight")]) == library
    assert len(signs) < 2 or library_of([wrapper + sign for sign in signs[1:]]) != library


@pytest.mark.parametrize("prefix", ["", "module."])
def test_a_library_is_named_without_a_config(prefix: str) -> None:
    audited = judged({prefix + name: entry for name, entry in AUDIOCRAFT.items()}, None)
    assert audited.verdict == "undecided"
    assert [one.facts["library"] for one in audited.findings if one.code == "N542"] == ["audiocraft"]
