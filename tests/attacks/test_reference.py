"""The reference reader, safetensors: its answers, crashes of its process, and that clean audits do not start it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import safetensors
from msgspec.structs import replace

import inspector
from inspector.auditing.files import reference as asking
from inspector.auditing.files.reference import with_reference
from inspector.auditing.result import Audit
from inspector.auditing.start import audit
from inspector.comparing.checkpoints import compare
from inspector.comparing.values import compared_with_values
from inspector.findings.header.reference import STRICTER, ReferenceDisagrees
from inspector.loader import reference
from inspector.loader.checkpoint import load
from inspector.loader.dtype import BITS
from inspector.loader.reference import ReferenceReader
from tests.attacks.collection import INPUTS, HostileInput
from tests.attacks.dummies import entry, file_of, healthy, text
from tests.checkpoints import genuine, write
from tests.findings.schemas import assert_valid
from tests.judged import FIXTURES
from tests.make_checkpoints import SMALL_LLAMA
from tests.sparse_models import TINY
from tests.values.examples import model
from tests.values.value_files import write as write_values

HERE = FIXTURES / "checkpoints"
READER = f"safetensors {safetensors.__version__}"
OPENS, REFUSES = f"{READER} opens it", f"{READER} refuses it: "
DOUBLED = text('{META,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"I8","shape":[1],'
               '"data_offsets":[0,1]}}')  # fmt: skip


def disagreements(audited: Audit) -> list[ReferenceDisagrees]:
    return [one for one in audited.findings if isinstance(one, ReferenceDisagrees)]


def one_file(folder: Path, raw: bytes, name: str = "model.safetensors") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(raw)
    return folder


@pytest.fixture(scope="module")
def write_hostile(tmp_path_factory: pytest.TempPathFactory) -> Callable[[HostileInput], Path]:
    def build(hostile: HostileInput) -> Path:
        folder = tmp_path_factory.mktemp("hostile")
        built = hostile.build()
        for name, raw in ({"model.safetensors": built} if isinstance(built, bytes) else built).items():
            (folder / name).write_bytes(raw)
        return folder

    return build


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_both_readers_agree_on_the_collection(write_hostile: Callable[[HostileInput], Path], every: int) -> None:
    """One child process reads all of them and is the same process at the end."""
    seen = {True: 0, False: 0}
    processes = set()
    with ReferenceReader() as reader:
        for hostile in INPUTS[::every]:
            checkpoint = load(str(write_hostile(hostile)), weights=hostile.weights)
            for one in asking._checked("", checkpoint, reader, True):
                assert one.disagreement() is None, (hostile.name, one.words)
                assert not one.answer.failed
                seen[not one.answer.refusal] += 1
            processes.add(reader._process)
    assert len(processes - {None}) == 1
    assert seen[True] > 20 // every and seen[False] > 100 // every, seen


def test_the_answer_is_a_row_of_the_finding(tmp_path: Path) -> None:
    audited = inspector.audit(HERE / "my-finetune")
    (cut,) = [one for one in audited.findings if one.code == "S203"]
    label, words = cut.lines[-1]
    assert (label, words.startswith(REFUSES)) == ("reference", True)
    assert [one.reference for one in audited.findings if one is not cut] == ["", ""]
    document = json.loads(json.dumps(audited.to_dict()))
    assert [one.get("reference") for one in document["findings"]] == [words, None, None]
    assert document["reference"]["reader"] == READER
    opened = inspector.audit(one_file(tmp_path, DOUBLED))
    (doubled,) = [one for one in opened.findings if one.code == "H106"]
    assert doubled.reference == f"{OPENS}: {STRICTER[type(doubled)]}"
    assert "reference" not in doubled.facts


def test_a_clean_checkpoint_is_read_on_request_only() -> None:
    without = audit(str(HERE / "small-llama"))
    assert with_reference(without) == without
    with_answer = inspector.audit(HERE / "small-llama", reference=True)
    assert with_answer.verdict == "clean"
    assert with_answer.reference is not None
    assert [(file.opens, file.words) for file in with_answer.reference.files] == 2 * [(True, OPENS)]
    assert f"{READER} opens 2 of 2 files" in str(with_answer)


def test_files_read_with_values_are_read_by_the_reference(tmp_path: Path) -> None:
    folder = write_values(tmp_path, model(), TINY)
    for options in ({"values": True}, {"tensors": ("model.norm.weight",)}):
        audited = inspector.audit(folder, **options)
        assert audited.reference is not None and audited.reference.files[0].opens


NOT_READ: dict[str, Callable[[Path], inspector.Audit]] = {
    "in memory": lambda _: inspector.audit({"a": ("F32", (2,))}, reference=True),
    "another format": lambda folder: inspector.audit(one_file(folder, b"GGUF" + bytes(20), "m.gguf"), reference=True),
    "nothing": lambda folder: inspector.audit(folder, reference=True),
}


@pytest.mark.parametrize("case", NOT_READ)
def test_what_the_reference_cannot_read_is_listed_as_not_checked(case: str, tmp_path: Path) -> None:
    audited = NOT_READ[case](tmp_path)
    assert audited.reference is None
    assert [one.because for one in audited.skipped if one.check == "the reference reader"]
    assert not [one for one in inspector.audit({"a": ("F32", (2,))}).skipped if one.check == "the reference reader"]


def test_components_and_bases_are_read_by_the_reference(tmp_path: Path) -> None:
    parts = {"text_encoder": ["transformers", "LlamaModel"], "unet": ["diffusers", "UNet2DConditionModel"]}
    for name in parts:
        write(tmp_path / name, genuine(SMALL_LLAMA), SMALL_LLAMA)
    (tmp_path / "model_index.json").write_text(json.dumps({"_class_name": "SomePipeline", **parts}))
    one_file(tmp_path / "unet", DOUBLED)
    audited = inspector.audit(tmp_path)
    (doubled,) = [one for one in audited.findings if one.code == "H106"]
    (inner,) = [one for one in audited.components["unet"].findings if one.code == "H106"]
    assert doubled.reference == inner.reference != ""
    assert doubled.place.file == "unet/model.safetensors"
    with_answer = inspector.audit(tmp_path, reference=True)
    assert with_answer.reference is not None
    assert [file.name for file in with_answer.reference.files] == [
        "text_encoder/model.safetensors",
        "unet/model.safetensors",
    ]


PROTOCOL = "import sys, json, os\nprint(json.dumps('9.9'), flush=True)\nfor line in sys.stdin:\n    "
CHILDREN = {
    "refuses": "print(json.dumps({'refusal': 'bad \\x1b[31m words'}), flush=True)",
    "finds nothing": "print(json.dumps({'tensors': {}}), flush=True)",
    "other shape": "print(json.dumps({'tensors': {'a': ['U8', [2]]}}), flush=True)",
    "is killed": "os.kill(os.getpid(), 7)",
    "leaves": "sys.exit(3)",
    "is silent": "pass",
    "prints no answer": "print('nothing', flush=True)",
}


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Replace the program of the child process. silent: it never answers, so the time limit is short."""

    def put(program: str, *, silent: bool = False) -> None:
        (tmp_path / "child.py").write_text(program)
        monkeypatch.setattr(reference, "CHILD", str(tmp_path / "child.py"))
        if silent:
            monkeypatch.setattr(reference, "PATIENCE", 3.0)

    return put


@pytest.mark.thinned
@pytest.mark.parametrize("kind", CHILDREN)
def test_a_disagreement_is_a_finding(kind: str, child: Callable[..., None], tmp_path: Path) -> None:
    child(PROTOCOL + CHILDREN[kind], silent=kind == "is silent")
    folder = one_file(tmp_path / "model", healthy("a"))
    audited = with_reference(audit(str(folder)), every=True)
    (finding,) = disagreements(audited)
    assert_valid(finding)
    assert (finding.place.file, finding.ours, audited.verdict) == ("model.safetensors", "accepts it", "findings")
    assert finding.reader == "safetensors 9.9"
    expected = {
        "refuses": "refuses it",
        "finds nothing": "opens it",
        "other shape": "opens it",
        "is killed": "crashed (signal 7)",
        "leaves": "ended without an answer (exit code 3)",
        "is silent": "gave no answer in 3 seconds",
        "prints no answer": "ended without an answer (exit code 0)",
    }
    assert finding.theirs.startswith(expected[kind])
    assert finding.tensors == (1 if kind in ("finds nothing", "other shape") else 0)
    assert "\x1b" not in str(inspector.results.Audit(**{n: getattr(audited, n) for n in audited.__struct_fields__}))


def test_a_file_that_only_inspector_refuses_is_a_disagreement(child: Callable[..., None], tmp_path: Path) -> None:
    child(PROTOCOL + CHILDREN["finds nothing"])
    folder = one_file(tmp_path / "model", file_of({"a": entry(start=1, stop=2)}, bytes(2)))
    (finding,) = disagreements(with_reference(audit(str(folder))))
    assert finding.ours == "reports offsets-hole"
    assert not disagreements(with_reference(audit(str(one_file(tmp_path / "doubled", DOUBLED)))))


def test_a_crash_on_one_file_does_not_affect_others(child: Callable[..., None], tmp_path: Path) -> None:
    child(PROTOCOL + "os.kill(os.getpid(), 7) if 'bad' in line else print(json.dumps({'tensors': {}}), flush=True)")
    for name in ("a", "bad", "c"):
        one_file(tmp_path / "model", file_of({}), f"{name}.safetensors")
    with ReferenceReader() as reader:
        answers = [reader.ask(str(tmp_path / "model" / f"{name}.safetensors")) for name in ("a", "bad", "c")]
    assert [one.failed for one in answers if one] == [False, True, False]


@pytest.mark.parametrize("program", ["raise ImportError", "print('no version')", "import time; time.sleep(60)"])
def test_a_reader_that_does_not_start_is_not_checked(program: str, child: Callable[..., None], tmp_path: Path) -> None:
    child(program, silent="sleep" in program)
    audited = inspector.audit(one_file(tmp_path / "model", healthy("a")), reference=True)
    assert audited.reference is None
    assert ("the reference reader", "safetensors cannot be started") in [
        (one.check, one.because) for one in audited.skipped
    ]


HOSTILE = (
    "a b\n{}.safetensors", "\udcff.safetensors", "-c import os.safetensors", "$(x);`y`'\".safetensors", "é.safetensors",
)  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_file_names_are_not_interpreted(name: str, tmp_path: Path) -> None:
    with suppress(OSError):  # not every system has such names
        one_file(tmp_path, healthy("a"), name)
    if name not in os.listdir(tmp_path):
        pytest.skip("this system has no such name")
    with ReferenceReader() as reader:
        answer = reader.ask(str(tmp_path / name))
        assert answer is not None and answer.tensors == {"a": ("U8", (1,))}


def test_tensor_names_come_back_unchanged(tmp_path: Path) -> None:
    names = ["\u202e", "\n", "é\U0001f600", '"', "\\", "\x00", ""]
    folder = one_file(tmp_path, healthy(*names))
    audited = with_reference(audit(str(folder)), every=True)
    assert not disagreements(audited)
    assert audited.reference is not None and audited.reference.files[0].opens


def test_modules_next_to_the_checkpoint_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("safetensors", "numpy", "json"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w')")
    one_file(tmp_path, healthy("a"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with_answer = with_reference(audit("."), every=True).reference
    assert with_answer is not None and with_answer.files[0].opens
    assert not (tmp_path / "ran").exists()


def test_a_comparison_of_values_reports_disagreements(child: Callable[..., None], tmp_path: Path) -> None:
    child(PROTOCOL + CHILDREN["refuses"])
    one, other = (write_values(tmp_path / name, model(), TINY) for name in ("a", "b"))
    compared = compared_with_values(compare(str(one), str(other)))
    assert [finding.code for finding in compared.findings] == ["H122"]
    assert compared.verdict == "findings"


def test_every_dtype_is_known_to_both(tmp_path: Path) -> None:
    header, end = {}, 0
    for dtype, bits in BITS.items():
        header[dtype] = entry(dtype, (8,), end, end + bits)
        end += bits
    assert not disagreements(with_reference(audit(str(one_file(tmp_path, file_of(header, bytes(end))))), every=True))


def test_an_audit_without_files_is_unchanged() -> None:
    empty = audit(str(HERE / "small-llama"))
    nowhere = replace(empty, checkpoint=replace(empty.checkpoint, reach=None))
    assert with_reference(nowhere, every=True) == nowhere
