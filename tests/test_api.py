"""Uses of the public API in scripts: arguments, errors, results, pickling and lists of names."""

from __future__ import annotations

import doctest
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from huggingface_hub.utils import (  # type: ignore[attr-defined]
    SafetensorsFileMetadata,
    SafetensorsRepoMetadata,
    TensorInfo,
)

import inspector
import inspector.api
from inspector import Audit, Checkpoint, FindingsError, FormulaError, audit, compare, explain, formula, load
from inspector.cli.topics import TOPICS
from tests.checkpoints import genuine, write
from tests.cli.test_contract import reported
from tests.findings.cases import gguf_of
from tests.judged import FIXTURES
from tests.script_uses import USES
from tests.sparse_models import TINY

HERE = FIXTURES / "checkpoints"
LLAMA, BROKEN, TIED = HERE / "small-llama", HERE / "my-finetune", HERE / "tied-llama"
CONFIG: dict[str, Any] = json.loads((LLAMA / "config.json").read_text(encoding="utf-8"))


class TransformersConfig:
    """A config object as transformers has it."""

    def to_dict(self) -> dict[str, Any]:
        return dict(CONFIG)


def listing() -> dict[str, tuple[str, tuple[int, ...]]]:
    """Names with dtype and shape of the small Llama."""
    return {name: (one.dtype, one.shape) for name, one in load(LLAMA).tensors.items()}


def test_sources() -> None:
    same = audit(str(LLAMA)).to_dict()
    assert audit(LLAMA).to_dict() == same
    assert audit(load(LLAMA)).to_dict() == same
    tensors = listing()
    assert audit(tensors, config=CONFIG).counts == audit(LLAMA).counts
    torch = {
        name: (f"torch.{'bfloat16' if dtype == 'BF16' else dtype}", shape) for name, (dtype, shape) in tensors.items()
    }
    assert audit(torch, config=CONFIG).verdict == "clean"
    arrays = {name: np.zeros(shape, "float32") for name, (_, shape) in tensors.items()}
    assert audit(arrays, config=CONFIG).counts.stored_bytes == 4 * 213568
    stated: Any = tensors
    entries = {name: TensorInfo(dtype, list(shape), (0, 0)) for name, (dtype, shape) in stated.items()}
    file = SafetensorsFileMetadata({}, entries)
    metadata = SafetensorsRepoMetadata(None, False, dict.fromkeys(entries, "m"), {"m.safetensors": file})
    assert audit(metadata, config=CONFIG).verdict == "clean"


def test_configs_and_claims() -> None:
    wrong = {**CONFIG, "num_key_value_heads": 4}
    for config in (CONFIG, TransformersConfig(), LLAMA / "config.json", str(LLAMA / "config.json")):
        assert audit(LLAMA, config=config).verdict == "clean"
        assert audit(listing(), config=config).verdict == "clean"
    assert [one.code for one in audit(LLAMA, config=wrong)] == ["C310"]
    assert audit(LLAMA, claim=213568).claims[-1].agrees
    assert audit(LLAMA, claim="213.57K").claims[-1].agrees
    assert not audit(LLAMA, claim=213504).claims[-1].agrees


def test_an_audit_for_one_loader() -> None:
    quantized = {**CONFIG, "architectures": ["UnknownForCausalLM"]}
    assert [one.loader for one in audit(LLAMA, loader="vllm").loads] == ["vllm"]
    assert audit(LLAMA, loader="transformers@4").loads[0].version == "4.57"
    assert audit(LLAMA, loader="peft").verdict == "findings"
    assert audit(LLAMA, loader="vllm", config=quantized).verdict == "undecided"


@pytest.mark.parametrize(("loader", "audited"), [
    (None, "model.safetensors"), ("vllm", "model.safetensors"), ("llama.cpp", "small-Q8_0.gguf"),
    ("ollama", "small-Q8_0.gguf"),
])  # fmt: skip
def test_the_weights_that_a_loader_takes(loader: str | None, audited: str, tmp_path: Path) -> None:
    write(tmp_path, genuine(TINY), TINY)
    for name in ("mmproj-small.gguf", "small-Q8_0.gguf"):
        gguf_of("llama").save(tmp_path / name)
    assert audit(tmp_path, loader=loader).checkpoint.set_name == audited


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: audit(LLAMA, claim="many"), ValueError),
        (lambda: audit(LLAMA, claim=True), ValueError),
        (lambda: audit(LLAMA, loader="tensorrt"), ValueError),
        (lambda: audit(7), TypeError),  # type: ignore[arg-type]
        (lambda: audit(LLAMA, config=7), TypeError),  # type: ignore[arg-type]
        (lambda: audit({"x": ("F7", (2,))}), ValueError),
        (lambda: audit({"x": 1}), TypeError),  # type: ignore[dict-item]
        (lambda: audit({"x": ("F32", 1, 2)}), TypeError),  # type: ignore[dict-item]
        (lambda: formula("lama"), FormulaError),
        (lambda: explain("Z999"), KeyError),
        (lambda: audit(LLAMA).raise_for_findings("bad"), ValueError),
        (lambda: inspector.nothing, AttributeError),
    ],
)
def test_mistakes_are_raised(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def test_a_result_is_a_value() -> None:
    result = audit(BROKEN)
    assert repr(result) == "<Audit 'my-finetune': findings, llama, 213,568 parameters, 3 findings>"
    assert (len(result), bool(result), bool(audit(LLAMA))) == (3, True, True)
    assert [one.code for one in result] == ["S203", "C310", "N405"]
    place = {"source": str(BROKEN), "address": str(BROKEN)}
    assert result.to_dict() == {**reported("audit", "my-finetune"), **place}
    assert (result.missing, result.unexpected, result.mismatched) == ([], ["trainer.step"], [])
    assert "<pre>" in result._repr_html_()
    rows = result.records()
    assert sum(row["elements"] for row in rows) == result.counts.stored_elements
    with pytest.raises(AttributeError):
        result.verdict = "clean"  # type: ignore[misc]


def test_a_config_given_by_path_keeps_what_the_files_showed() -> None:
    opened = load(BROKEN)
    assert opened.findings
    assert set(opened.findings) <= set(load(opened, config=LLAMA / "config.json").findings)


def test_lists_of_names() -> None:
    spec = listing()
    del spec["model.layers.1.mlp.up_proj.weight"]
    spec["model.norm.weight"] = ("BF16", (65,))
    result = audit(spec, config=CONFIG)
    assert result.missing == ["model.layers.1.mlp.up_proj.weight"]
    assert result.mismatched == ["model.norm.weight"]


@pytest.mark.parametrize("folder", ["small-llama", "my-finetune", "tied-llama", "my-adapter"])
def test_results_are_pickled(folder: str) -> None:
    result = audit(HERE / folder)
    again: Audit = pickle.loads(pickle.dumps(result))
    assert (str(again), again.to_dict(), again.records()) == (str(result), result.to_dict(), result.records())
    assert (again.missing, again.unexpected, again.mismatched) == (result.missing, result.unexpected, result.mismatched)
    assert again.findings == result.findings
    compared = compare(result, LLAMA)
    assert pickle.loads(pickle.dumps(compared)).to_dict() == compared.to_dict()
    shown = formula("llama")
    assert str(pickle.loads(pickle.dumps(shown))) == str(shown)


def test_findings_may_be_raised() -> None:
    assert audit(LLAMA).raise_for_findings("note").verdict == "clean"
    assert audit(TIED).raise_for_findings().verdict == "clean"
    with pytest.raises(FindingsError, match="C310") as raised:
        audit(BROKEN).raise_for_findings()
    assert [one.severity for one in pickle.loads(pickle.dumps(raised.value)).findings] == ["error", "error"]


def test_comparisons_formulas_and_pages() -> None:
    compared = compare(LLAMA, HERE / "llama-q8")
    assert (compared.relation, compared.verdict) == ("conversion", "clean")
    assert compared.raise_for_findings("warning") is compared
    assert sum(row["source"] for row in compared.records()) == 213568
    assert compare(LLAMA, HERE / "wide-llama", expect="conversion").verdict == "findings"
    assert compare(LLAMA, listing()).relation == "conversion"
    assert formula(CONFIG).total == formula(LLAMA / "config.json").total == 213568
    assert formula("llama").to_dict()["formula"].startswith("2*V*d")
    assert formula("llama").records()[0]["role"] == "embed.token"
    assert explain("N403").startswith("A required tensor is missing.")
    assert all(explain(topic).strip() for topic in TOPICS)
    assert isinstance(load(LLAMA), Checkpoint)


@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
def test_uses_in_scripts(use: Callable[[Path], object]) -> None:
    use(HERE)


def test_the_package_lists_its_names() -> None:
    assert set(dir(inspector)) == {*inspector.__all__, "__version__"}
    assert all(getattr(inspector, name) is not None for name in inspector.__all__)
    assert (Path(inspector.__file__).parent / "py.typed").exists()


def test_examples_are_true() -> None:
    assert doctest.testmod(inspector.api).failed == 0
