"""Calls in a pickle are named in any form of opcodes and classified as dangerous, unknown or harmless."""

from __future__ import annotations

import argparse
import collections
import datetime
import decimal
import fractions
import io
import pathlib
import pickle
import pickletools
from collections.abc import Callable
from typing import Any

import pytest

from inspector import audit
from inspector.findings.finding import Finding
from inspector.findings.header.pickle import PickleHoldsObjects, PickleRunsCode
from inspector.loader.formats.pickle_values import GlobalName
from inspector.loader.formats.torch_file import read_torch
from inspector.loader.formats.torch_imports import ALLOWED, HARMLESS, purpose
from tests.readers.file_builders import MAGIC, Code, archive, legacy, reading, state
from tests.readers.scanner_lists import CALLABLES

Form = Callable[[str, str], bytes]


def findings(data: bytes) -> tuple[Finding, ...]:
    return read_torch(reading(data), len(data), "pytorch_model.bin").header.findings


def dangerous(data: bytes) -> list[str]:
    """The callables that loading would call, as named in the error."""
    return [name for one in findings(data) if isinstance(one, PickleRunsCode) for name in one.names]


def by_global(module: str, name: str) -> bytes:
    return Code().name(module, name).add(b"(").text("id").add(b"tR").stop()


def by_stack(module: str, name: str) -> bytes:
    return Code(4).text(module).text(name).add(b"\x93(").text("id").add(b"tR").stop()


def by_memo(module: str, name: str) -> bytes:
    """The strings come from the memo, which is overwritten in between."""
    code = Code(4).text(module).add(b"q\x050").text(name).add(b"\x940").text("other").add(b"q\x060")
    return code.add(b"h\x05h\x01\x93(").text("id").add(b"tR").stop()


def by_instance(module: str, name: str) -> bytes:
    return Code().add(b"(").text("id").add(f"i{module}\n{name}\n".encode()).stop()


def by_object(module: str, name: str) -> bytes:
    return Code().add(b"(").name(module, name).text("id").add(b"o").stop()


def by_new(module: str, name: str) -> bytes:
    return Code().name(module, name).add(b")\x81").stop()


def by_new_with_keywords(module: str, name: str) -> bytes:
    return Code(4).name(module, name).add(b")}\x92").stop()


def by_build(module: str, name: str) -> bytes:
    """As the state of a harmless object, which calls it later."""
    return Code().name("argparse", "Namespace").add(b")\x81}(").text("x").name(module, name).add(b"ub").stop()


def by_persistent_id(module: str, name: str) -> bytes:
    return Code().add(b"(").text("storage").name(module, name).text("0").text("cpu").number(1).add(b"tQ").stop()


def as_factory(module: str, name: str) -> bytes:
    return Code().name("collections", "defaultdict").name(module, name).add(b"\x85R").stop()


def as_tensor_subclass(module: str, name: str) -> bytes:
    code = Code().name("torch._tensor", "_rebuild_from_type_v2").add(b"(").name(module, name)
    return code.name("torch", "Tensor").add(b")}tR").stop()


def popped(module: str, name: str) -> bytes:
    return Code().name(module, name).add(b")R0}").stop()


def then_invalid(module: str, name: str) -> bytes:
    return Code().name(module, name).add(b")R\xff").raw


def then_truncated(module: str, name: str) -> bytes:
    return Code().name(module, name).add(b")R").raw


def then_pops_nothing(module: str, name: str) -> bytes:
    return Code().name(module, name).add(b")R000").stop()


def in_a_later_pickle(module: str, name: str) -> bytes:
    return state(("w", (4,))) + by_global(module, name)


def oldest(module: str, name: str) -> bytes:
    return f"c{module}\n{name}\n(S'id'\ntR.".encode()


FORMS: tuple[Form, ...] = (
    by_global, by_stack, by_memo, by_instance, by_object, by_new, by_new_with_keywords, by_build, by_persistent_id,
    as_factory, as_tensor_subclass, popped, then_invalid, then_truncated, then_pops_nothing, in_a_later_pickle, oldest,
)  # fmt: skip


def test_the_lists_of_the_scanners_are_dangerous() -> None:
    assert len(CALLABLES) > 250
    assert [name for name in CALLABLES if purpose(GlobalName(*name)) != "dangerous"] == []


@pytest.mark.parametrize("form", FORMS)
def test_every_form_names_what_it_calls(form: Form) -> None:
    for module, name in CALLABLES:
        assert f"{module}.{name}" in dangerous(form(module, name)), (module, name)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_in_every_kind_of_file(form: Form) -> None:
    payload = form("posix", "system")
    whole = state(("w", (4,)))
    files = [
        archive(payload),
        archive(whole, {"0": bytes(16)}, more={"extra.pkl": payload}),
        archive(whole, {"0": bytes(16)}, more={"../other/data.pkl": payload}),
        payload + MAGIC,
    ]
    if form not in (in_a_later_pickle,):
        files.append(legacy(payload, {}))
    for data in files:
        assert "posix.system" in dangerous(data)


@pytest.mark.parametrize("form", FORMS)
def test_an_unlisted_callable_is_an_error_and_not_dangerous(form: Form) -> None:
    found = [one for one in findings(form("somebody.module", "Thing")) if isinstance(one, PickleHoldsObjects)]
    assert [one.not_allowed for one in found] == [("somebody.module.Thing",)]
    assert found[0].severity == "error"
    assert "somebody.module.Thing" in found[0].title
    assert not dangerous(form("somebody.module", "Thing"))


def test_a_name_that_the_program_computes_is_dangerous() -> None:
    code = Code(4).name("builtins", "str").text("posix").add(b"\x85R").text("system").add(b"\x93)R")
    assert dangerous(code.stop()) == ["computed name.?.system"]


def test_changing_an_imported_object_is_dangerous() -> None:
    code = Code().name("torch", "Tensor").add(b"N}(").text("__add__").name("torch", "Size").add(b"u\x86b")
    assert dangerous(code.stop()) == ["torch.Tensor.__setstate__"]


def test_numbers_of_the_extension_registry_are_named() -> None:
    for opcode in (b"\x82\7", b"\x83\7\0", b"\x84\7\0\0\0"):
        (found,) = (one for one in findings(Code().add(opcode).stop()) if isinstance(one, PickleHoldsObjects))
        assert found.not_allowed == ("extension registry.7",)


HARMLESS_OBJECTS: list[Any] = [
    argparse.Namespace(lr=0.1, path=pathlib.PurePosixPath("a/b")),
    pathlib.PurePosixPath("/etc"),
    pathlib.PureWindowsPath("C:\\x"),
    datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC),
    datetime.timedelta(days=1),
    datetime.date(2026, 1, 2),
    datetime.time(1, 2),
    collections.OrderedDict(a=1),
    collections.Counter("ab"),
    collections.defaultdict(list, a=[1]),
    collections.deque([1]),
    decimal.Decimal("1.5"),
    fractions.Fraction(1, 3),
    {1, 2},
    frozenset({1}),
    bytearray(b"x"),
    b"bytes",
    1 + 2j,
    slice(1, 2),
    range(3),
    {"plain": [1, 2.5, None, True, ("x",)]},
]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("value", HARMLESS_OBJECTS, ids=lambda value: type(value).__name__)
def test_containers_of_values_are_never_dangerous(value: object, protocol: int) -> None:
    data = pickle.dumps({"weights": [], "value": value}, protocol)
    assert any(True for _ in pickletools.genops(data))
    found = [one for one in findings(data) if isinstance(one, PickleRunsCode | PickleHoldsObjects)]
    allowed = {f"{module}.{name}" for module, name in HARMLESS}
    for one in found:
        assert isinstance(one, PickleHoldsObjects)
        assert one.severity == "warning"
        assert {name.replace("__builtin__", "builtins").replace("copy_reg", "copyreg") for name in one.names} <= allowed


def test_arrays_and_scalars_of_numpy_are_accepted() -> None:
    np = pytest.importorskip("numpy")
    values = [np.zeros((2, 3)), np.float32(1), np.int64(3), np.bool_(True), np.zeros(3, ">i2"), np.array(["a", "b"])]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        found = findings(pickle.dumps({"values": values}, protocol))
        assert [one.name for one in found if one.severity == "error"] == ["no-tensors"]


def test_the_list_of_allowed_callables_is_that_of_torch() -> None:
    unpickler = pytest.importorskip("torch._weights_only_unpickler")
    assert {f"{module}.{name}" for module, name in ALLOWED} == set(unpickler._get_allowed_globals())


def test_every_entry_has_a_reason_and_is_on_one_list() -> None:
    assert all(reason for table in (ALLOWED, HARMLESS) for reason in table.values())
    assert not ALLOWED.keys() & HARMLESS.keys()
    assert all(purpose(GlobalName(*name)) == "allowed" for name in ALLOWED)
    assert all(purpose(GlobalName(*name)) == "harmless" for name in HARMLESS)


@pytest.mark.parametrize("name", ["Namespace.__init__", "namespace", "Namespace.mro", "_sys"])
def test_a_name_similar_to_a_harmless_one_is_dangerous(name: str) -> None:
    assert purpose(GlobalName("argparse", name)) == "dangerous"


def test_the_number_of_further_pickles_is_limited_and_reported() -> None:
    many = b"N." * 5_000
    for data in (state(("w", (4,))) + many, archive(state(("w", (4,))) + many, {"0": bytes(16)})):
        assert [one.name for one in findings(data)] == ["pickle-malformed"]
    few = b"N." * 500
    assert not findings(archive(state(("w", (4,))) + few, {"0": bytes(16)}))


@pytest.mark.parametrize("ending", ["bin", "pt", "pth", "ckpt", "pkl", "pickle", "joblib", "dill", "dat", "data", "th"])
def test_a_file_of_any_ending_that_is_named(ending: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / f"model.{ending}"
    path.write_bytes(by_stack("posix", "system"))
    audited = audit(path)
    assert audited.verdict == "unreadable"
    assert "posix.system" in str(audited)
    path.write_bytes(pickle.dumps({"a": [1, 2]}))
    assert "pickle-runs-code" not in str(audit(path))


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_opcodes_that_the_restricted_loader_refuses(protocol: int) -> None:
    torch = pytest.importorskip("torch")
    for form in (True, False):
        made = io.BytesIO()
        state_dict = {"w": torch.zeros(3)}
        torch.save(state_dict, made, pickle_protocol=protocol, _use_new_zipfile_serialization=form)
        try:
            torch.load(io.BytesIO(made.getvalue()), weights_only=True)
            expected = []
        except pickle.UnpicklingError:
            expected = ["pickle-protocol-refused"]
        assert [one.name for one in findings(made.getvalue())] == expected
        assert bool(expected) == (protocol > 3)


def test_a_later_protocol_is_a_warning() -> None:
    code = Code(4).add(b"}(\x8c\1w").tensor((4,)).add(b"u").stop()
    (found,) = findings(archive(code, {"0": bytes(16)}))
    assert (found.name, found.severity) == ("pickle-protocol-refused", "warning")
    assert found.facts == {"protocol": 4, "opcodes": ["SHORT_BINUNICODE"]}
    assert not findings(archive(b"\x80\x04" + state(("w", (4,)))[2:], {"0": bytes(16)}))
