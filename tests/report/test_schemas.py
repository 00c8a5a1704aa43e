"""The JSON documents agree with their schemas, without additional or missing keys."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator, ValidationError  # type: ignore[import-untyped]

import inspector
from inspector.cli import verbs
from inspector.cli.table import VERBS
from inspector.findings.registry import all_findings
from inspector.report.documents import DOCUMENTS
from inspector.report.json_v1 import audit_json, compare_json, dumped
from tests.attacks.collection import INPUTS
from tests.checkpoints import genuine, write
from tests.cli.test_contract import run
from tests.findings.cases import COMPARED, FIRES
from tests.findings.schemas import facts_validators
from tests.judged import FIXTURES
from tests.make_checkpoints import SMALL_LLAMA
from tests.make_schemas import document_schema
from tests.quantization.examples import EXAMPLES
from tests.values.examples import KEY
from tests.values.examples import compared as compared_with
from tests.values.value_files import Arrays

pytestmark = pytest.mark.thinned

HERE = FIXTURES / "checkpoints"
FOLDERS = sorted(folder.name for folder in HERE.iterdir())


@cache
def validator(name: str, *, facts: bool = True) -> Any:
    """A validator for the schema with closed objects: an additional key is an error.

    facts: with those of findings by code.
    """
    schema = document_schema(name)
    if not facts:
        schema["$defs"].get("FindingDocument", {}).pop("allOf", None)
    for part in schema["$defs"].values():
        if "properties" in part and "allOf" not in part:
            part["additionalProperties"] = False
        elif "properties" in part:
            part["unevaluatedProperties"] = False
    return Draft202012Validator(schema)


def assert_document(name: str, text: str) -> None:
    """Check that the text is strict JSON and the document of this name.

    The facts of its findings are validated by code, which is ten times as fast as one condition per code.
    """
    document = json.loads(text, parse_constant=_refuse)
    validator(name, facts=False).validate(document)
    for code, facts in _findings(document):
        facts_validators()[code].validate(facts)


def _findings(document: Any) -> list[tuple[str, Any]]:
    """Code and facts of each finding in a document, those of components and of compared checkpoints included."""
    parts = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    own = [(document["code"], document["facts"])] if isinstance(document, dict) and "facts" in document else []
    return own + [one for part in parts for one in _findings(part)]


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_schemas_are_valid_and_printed(name: str) -> None:
    """The file in the package equals the output of `python -m tests.make_schemas`."""
    schema = document_schema(name)
    Draft202012Validator.check_schema(schema)
    assert run("schema", name).stdout == dumped(schema)
    assert run("schema").stdout.split() == sorted(DOCUMENTS)


def test_every_command_that_prints_json_has_a_schema() -> None:
    printing = {verb.name for verb in VERBS for option in verb.options if "json" in option.choices}
    assert printing == set(DOCUMENTS)


CALLS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "audit": tuple((str(HERE / name),) for name in (*FOLDERS, "absent")),
    "count": (("small-llama",), ("absent",)),
    "tensors": (("my-finetune",), ("small-llama",)),
    "formula": (("llama",), ("deepseek_v3",), ("t5",), (str(HERE / "small-llama"),)),
    "compare": (("small-llama", "half-converted"), ("small-llama", "wide-llama"), ("small-llama", "absent")),
    "explain": (("all",), ("N403",), ("glossary",), ("notation",), ("options",), ("hub",)),
    "architectures": ((), ("llama",)),
}


@pytest.mark.parametrize(("verb", "words"), [(verb, words) for verb, calls in CALLS.items() for words in calls])
def test_output_of_commands(verb: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)
    assert_document(verb, getattr(verbs, verb)(*words, format="json").text)


MENDED: dict[str, Callable[[bytes], bytes]] = {
    "a byte order mark": lambda config: b"\xef\xbb\xbf" + config,
    "UTF-16": lambda config: config.decode().encode("utf-16"),
    "no model type": lambda config: config.replace(b'"model_type"', b'"type_of_model"'),
    "a null": lambda config: config.replace(b'"hidden_size": 64', b'"hidden_size": null'),
    "nothing to mend": lambda config: config,
}


@pytest.mark.parametrize("case", MENDED)
def test_documents_of_mend(case: str, tmp_path: Path) -> None:
    """A step without `from` is valid: there was nothing before it."""
    folder = write(tmp_path / "model", genuine(SMALL_LLAMA), SMALL_LLAMA)
    path = folder / "config.json"
    path.write_bytes(MENDED[case](path.read_bytes()))
    text = verbs.mend(str(folder), format="json").text
    assert_document("mend", text)
    assert bool(json.loads(text)["steps"]) == (case != "nothing to mend")


OPTIONS: dict[str, Callable[[], tuple[str, str]]] = {
    "values": lambda: ("audit", verbs.audit(str(HERE / "llama-numbers"), values=True, format="json").text),
    "reference": lambda: ("audit", verbs.audit(str(HERE / "small-llama"), reference=True, format="json").text),
    "claim": lambda: ("audit", verbs.audit(str(HERE / "small-llama"), claim="7B", format="json").text),
    "base": lambda: (
        "audit", verbs.audit(str(HERE / "my-adapter"), base=str(HERE / "small-llama"), format="json").text),
    "all tensors": lambda: (
        "tensors", "".join(verbs.tensors(str(HERE / "my-finetune"), every=True, format="json").pieces)),
    "compared values": lambda: (
        "compare",
        verbs.compare(str(HERE / "meta-numbers"), str(HERE / "llama-numbers"), values=True, format="json").text),
    "a formula without numbers": lambda: ("formula", dumped(inspector.formula({"model_type": "llama"}).to_dict())),
}  # fmt: skip


@pytest.mark.parametrize("case", OPTIONS)
def test_output_with_options(case: str) -> None:
    assert_document(*OPTIONS[case]())


@pytest.mark.parametrize("name", [*FIRES, *EXAMPLES])
def test_audits_with_each_finding(name: str) -> None:
    assert_document("audit", dumped(audit_json({**FIRES, **EXAMPLES}[name]())))


@pytest.mark.parametrize("name", COMPARED)
def test_comparisons_with_each_finding(name: str) -> None:
    assert_document("compare", dumped(compare_json(COMPARED[name]())))


def test_audits_of_the_hostile_collection() -> None:
    for hostile in INPUTS[::30]:
        built = hostile.build()
        with TemporaryDirectory() as folder:
            for name, raw in ({"model.safetensors": built} if isinstance(built, bytes) else built).items():
                (Path(folder) / name).write_bytes(raw)
            assert_document("audit", dumped(inspector.audit(folder, weights=hostile.weights).to_dict()))


def test_numbers_that_json_lacks_are_null(tmp_path: Path) -> None:
    def change(after: Arrays) -> None:
        after[KEY][0, :2] = np.inf, 1.0

    compared = compared_with(change)
    (finding,) = [one for one in compared.findings if one.name == "values-differ"]
    assert finding.facts["largest"] is None
    assert_document("compare", dumped(compare_json(compared)))
    spec = genuine(SMALL_LLAMA)
    folder = write(tmp_path, spec, SMALL_LLAMA, shards=2)
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    text = json.dumps({**index, "metadata": {"total_size": 0.5}}).replace("0.5", "1e999")
    (folder / "model.safetensors.index.json").write_text(text)
    assert_document("audit", dumped(inspector.audit(folder).to_dict()))


def test_a_schema_refuses_other_documents() -> None:
    document = inspector.audit(HERE / "my-finetune").to_dict()
    validator("audit").validate(json.loads(dumped(document)))
    changes: tuple[dict[str, Any], ...] = (
        {"verdict": "fine"}, {"title": None}, {"more": 1}, {"counts": {}}, {"schema": "inspector.audit/2"},
        {"findings": [{**document["findings"][0], "facts": {}}]},
        {"findings": [{**document["findings"][0], "severity": "bad"}]},
    )  # fmt: skip
    for change in changes:
        with pytest.raises(ValidationError):
            validator("audit").validate(json.loads(dumped({**document, **change})))
    assert len(all_findings()) == len(document_schema("audit")["$defs"]["FindingDocument"]["allOf"])
