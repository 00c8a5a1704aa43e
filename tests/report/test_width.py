"""Reports fit 80 columns and state each fact once, for any numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from inspector import formula
from inspector.architectures.catalog import modules
from inspector.findings.adapters.wrapped import AdapterNamesWrapped
from inspector.findings.finding import Place
from inspector.findings.header.pickle import PickleHoldsObjects
from inspector.report.base_text import base_text
from inspector.report.clean import MOST_EXACT, figure
from inspector.report.listing import count_text
from inspector.report.screen import Screen
from inspector.report.text import audit_text, finding_text
from tests.checkpoints import genuine
from tests.judged import base_record, judged, oracle_types
from tests.sparse_models import DSV3, LLAMA8B, deepseek_v3

ABSURD: list[dict[str, Any]] = [
    {"num_hidden_layers": 10**30},
    {"num_hidden_layers": 10**18},
    {"intermediate_size": 10**15 + 1},
    {"hidden_size": 10**40, "intermediate_size": 10**40},
]


def wide(text: str) -> list[str]:
    """Lines of more than 80 columns, except those with a longer name: names are never broken."""
    return [line for line in text.splitlines() if len(line) > 80 and len(line.split(maxsplit=1)[0]) < 72]


def test_numbers_are_exact_beyond_any_checkpoint_size() -> None:
    assert figure(671_026_404_352) == "671,026,404,352"
    assert figure(MOST_EXACT - 1) == "999,999,999,999,999"
    assert figure(10**40) == "about 10^40"
    assert figure(-(10**40)) == "-about 10^40"


@pytest.mark.parametrize("keys", ABSURD, ids=str)
def test_an_absurd_config_fits_the_columns(keys: dict[str, Any], tmp_path: Path) -> None:
    audited = judged(genuine(LLAMA8B | {"num_hidden_layers": 2}), LLAMA8B | keys)
    assert wide(audit_text(audited)) == []
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA8B | keys), encoding="utf-8")
    assert wide(str(formula(str(path)))) == []
    assert "\n" in count_text(audited)


EACH = [12, pytest.param(4, marks=pytest.mark.complete), pytest.param(1, marks=pytest.mark.slow)]
"""Every so many definitions are tested in the fast tier, in the complete suite and with `-m slow`."""


@pytest.mark.parametrize("every", EACH)
def test_every_chart_fits_the_columns(every: int) -> None:
    assert [line for name in list(modules())[::every] for line in wide(str(formula(name)))] == []


@pytest.mark.parametrize("every", EACH)
def test_every_chart_with_a_config_fits_the_columns(every: int, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    found: list[str] = []
    for name in [one for one in oracle_types() if one in modules()][every - 1 :: every]:
        path.write_text(json.dumps(base_record(name)["config"]), encoding="utf-8")
        found.extend(wide(str(formula(str(path)))))
    assert found == []


def test_a_long_class_goes_below_the_title() -> None:
    config = LLAMA8B | {"architectures": ["AnArchitectureOfAVeryLongNameIndeedThatGoesOnForCausalLM" * 2]}
    assert wide(audit_text(judged(genuine(LLAMA8B), config))) == []


NAME = "text_encoder.encoder.layers.0.self_attn.q_proj.lora_linear_layer.down.weight"
WRAPPED = AdapterNamesWrapped(tensors=4, of=4, stored=NAME, wanted="q_proj")
CALLED = tuple(f"transformers.models.llama.modeling_llama.Class{number}" for number in range(10))


def test_a_name_that_does_not_fit_next_to_its_label_has_its_own_line() -> None:
    text = finding_text(WRAPPED)
    assert f"\n  stored\n    {NAME}\n  wanted  q_proj\n" in text
    assert max(map(len, text.splitlines())) == len(f"    {NAME}")


@pytest.mark.parametrize(("called", "words"), [(CALLED, "10 names"), (CALLED[:1], CALLED[0])], ids=("many", "one"))
def test_the_names_that_a_pickle_calls_are_listed_once(called: tuple[str, ...], words: str) -> None:
    found = PickleHoldsObjects(place=Place(file="model.bin"), names=called[:3], count=len(called), not_allowed=called)
    assert found.headline() == f"model.bin would call {words}, not on the list of what is allowed"
    assert wide(finding_text(found)) == []
    assert finding_text(found).count(called[0]) == (1 if len(called) > 1 else 2)


def test_the_path_of_a_base_is_not_cut() -> None:
    base = judged(genuine(LLAMA8B), LLAMA8B)
    path = f"/data/{'models/' * 12}base"
    base = replace(base, checkpoint=replace(base.checkpoint, address=path))
    assert path in base_text(replace(base, base=base), Screen())


def test_buffers_of_two_parts_of_one_family_are_named_once() -> None:
    audited = judged(dict(deepseek_v3(DSV3)), DSV3)
    families = next(found.facts["families"] for found in audited.findings if found.name == "buffers-stored")
    assert len(families) == len(set(families)) == 1


def test_another_dtype_of_the_same_width_costs_nothing() -> None:
    audited = judged(genuine(LLAMA8B, "F16"), LLAMA8B)
    assert [found.message for found in audited.findings] == ["stored F16, config bfloat16"]
