"""PyTorch files built opcode by opcode are read to their tensors, ties and other objects."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from pickle import UnpicklingError

import pytest

from inspector import audit
from inspector.loader.formats.torch_file import TorchFile, read_torch
from tests.make_checkpoints import SMALL_LLAMA
from tests.readers.file_builders import Code, archive, legacy, reading, state


def read(data: bytes) -> TorchFile:
    return read_torch(reading(data), len(data), "pytorch_model.bin")


def rules(found: TorchFile) -> list[str]:
    return [one.name for one in found.header.findings]


def shapes(found: TorchFile) -> dict[str, tuple[int, ...]]:
    return {name: layout.shape for name, layout in found.header.tensors.items()}


PLAIN = state(("a.weight", (4, 3)), ("a.bias", (4,)))
STORED = {"0": bytes(48), "1": bytes(16)}


def test_an_archive() -> None:
    found = read(archive(PLAIN, STORED))
    assert (found.form, rules(found)) == ("zip", [])
    assert shapes(found) == {"a.weight": (4, 3), "a.bias": (4,)}
    assert found.header.declared_bytes == 64


def test_an_older_file() -> None:
    found = read(legacy(PLAIN, {"0": (12, bytes(48)), "1": (4, bytes(16))}))
    assert (found.form, rules(found)) == ("legacy", [])
    assert shapes(found) == {"a.weight": (4, 3), "a.bias": (4,)}


def test_a_bare_pickle() -> None:
    found = read(PLAIN)
    assert (found.form, rules(found)) == ("pickle", [])


def test_the_folder_of_an_archive_may_have_any_name() -> None:
    assert shapes(read(archive(PLAIN, STORED, folder="pytorch_model_00001"))) == shapes(read(archive(PLAIN, STORED)))


def test_a_script_module_is_known_by_its_code() -> None:
    code = Code().name("__torch__", "Net").add(b")\x81}(").text("weight").tensor((2, 2)).add(b"ub")
    found = read(archive(code.stop(), {"0": bytes(16)}, more={"code/__torch__.py": b"class Net"}))
    assert (found.form, rules(found), shapes(found)) == ("torchscript", ["torchscript-program"], {"weight": (2, 2)})


def test_tensors_without_data_are_named() -> None:
    code = Code().add(b"}(").text("dense").tensor((2,)).text("offloaded")
    code.name("torch._utils", "_rebuild_meta_tensor_no_storage").add(b"(").name("torch", "float32")
    code.numbers((4, 3)).numbers((3, 1)).add(b"\x89tR").add(b"u")
    found = read(archive(code.stop(), {"0": bytes(8)}))
    assert (shapes(found), rules(found)) == ({"dense": (2,), "offloaded": (4, 3)}, ["tensors-without-data"])
    assert found.header.findings[0].facts["tensors"] == ["offloaded"]


def test_a_torch_file_that_is_called_an_archive(tmp_path: Path) -> None:
    for name in ("model_best.pth.tar", "model_best.pth"):
        place = tmp_path / name.replace(".", "_")
        place.mkdir()
        (place / name).write_bytes(archive(PLAIN, STORED))
        assert set(audit(str(place)).stored or ()) == {"a.weight", "a.bias"}
        assert "R014" not in [one.code for one in audit(str(place)).findings]


def test_tensors_of_other_layouts_are_named_and_not_counted() -> None:
    code = Code().add(b"}(").text("dense").tensor((2,)).text("sparse")
    code.name("torch._utils", "_rebuild_sparse_tensor").add(b"()tR").add(b"u")
    found = read(archive(code.stop(), {"0": bytes(8)}))
    assert (shapes(found), rules(found), found.header.faulty) == ({"dense": (2,)}, ["tensors-not-dense"], ("sparse",))
    assert found.header.findings[0].facts["tensors"] == ["sparse (sparse)"]


def test_a_tie_is_reported() -> None:
    found = read(archive(state(("a", (4,)), ("b", (4,)), shared=True), {"0": bytes(16)}))
    assert found.ties == (("a", "b"),)
    assert rules(found) == ["storage-shared"]
    assert found.header.declared_bytes == 16


def test_slices_of_one_storage_are_not_ties() -> None:
    code = Code().add(b"}(")
    code.text("q").tensor((2, 4), "0", 16).text("k").tensor((2, 4), "0", 16, offset=8)
    found = read(archive(code.add(b"u").stop(), {"0": bytes(64)}))
    assert found.ties == ()
    assert found.views == (("q", "k"),)


@pytest.mark.parametrize("key", ["state_dict", "model", "module", "model_state_dict", "state"])
def test_weights_below_a_key(key: str) -> None:
    code = Code().add(b"}(").text("epoch").number(3).text(key).add(b"}(").text("w").tensor((2,)).add(b"u")
    code.text("optimizer").add(b"}(").text("m").tensor((2,), "1").add(b"uu")
    found = read(archive(code.stop(), {"0": bytes(8), "1": bytes(8)}))
    assert (found.inside, dict(found.other_keys)) == (key, {"optimizer": 1})
    assert shapes(found) == {"w": (2,)}
    assert rules(found) == ["weights-inside"]


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize(("key", "optimizer", "other", "expected"), [
    ("state_dict", True, "", "state-dict-empty"), ("model", False, "", "state-dict-empty"),
    ("model", True, "state_dict", "weights-inside"),  # the weights are below another key
    ("callbacks", True, "", ""), ("callbacks", False, "", "no-tensors"),
])  # fmt: skip
def test_an_empty_state_dict(key: str, optimizer: bool, other: str, expected: str, ordered: bool) -> None:
    """Lightning's FSDPStrategy up to 1.9, and DeepSpeed's ZeRO-3, saved them without a word."""
    code = Code().add(b"}(").text("epoch").number(3).text(key)
    code = code.name("collections", "OrderedDict").add(b")R") if ordered else code.add(b"}")
    if other:
        code.text(other).add(b"}(").text("w").tensor((2,), "1").add(b"u")
    code.text("optimizer_states").add(b"}(")
    if optimizer:
        code.text("m").tensor((2,))
    found = read(archive(code.add(b"uu").stop(), {"0": bytes(8), "1": bytes(8)}))
    assert rules(found) == [expected] * bool(expected)
    (empty,) = [one for one in found.header.findings if one.name == "state-dict-empty"] or (None,)
    assert empty is None or (empty.facts["key"], len(empty.facts["beside"])) == (key, int(optimizer))


@pytest.mark.parametrize("first", [True, False])
def test_a_counter_next_to_the_weights_is_not_a_weight(first: bool, tmp_path: Path) -> None:
    code = Code().add(b"}(")
    code = code.text("step").tensor((1,), "2") if first else code
    code = code.text("model").add(b"}(").text("w").tensor((2,)).text("b").tensor((2,), "1").add(b"u")
    code = code if first else code.text("step").tensor((1,), "2")
    data = archive(code.add(b"u").stop(), {"0": bytes(8), "1": bytes(8), "2": bytes(4)})
    found = read(data)
    assert (found.inside, dict(found.other_keys), shapes(found)) == ("model", {"step": 1}, {"w": (2,), "b": (2,)})
    (tmp_path / "pytorch_model.bin").write_bytes(data)
    for dtype, outcome in ((None, "random" if first else "refuses"), ("float32", "random")):
        config = {**SMALL_LLAMA, "model_type": "llama", "torch_dtype": None, "dtype": dtype}
        (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
        audited = audit(str(tmp_path))
        loads = {one.version: (one.outcome, one.unexpected) for one in audited.loads if one.loader == "transformers"}
        assert loads["4.57"] == ("random", 2)
        assert loads["5.23"] == (outcome, 2 if outcome == "random" else None)


def test_as_many_tensors_outside_a_key_are_the_weights() -> None:
    code = Code().add(b"}(").text("w").tensor((2,)).text("model").add(b"}(").text("w").tensor((2,), "1").add(b"uu")
    found = read(archive(code.stop(), {"0": bytes(8), "1": bytes(8)}))
    assert (found.inside, shapes(found)) == ("", {"w": (2,), "model.w": (2,)})


def test_nested_dicts_are_joined_by_dots() -> None:
    code = Code().add(b"}(").text("model").add(b"}(").text("encoder").add(b"}(").text("w").tensor((2,)).add(b"uuu")
    assert shapes(read(archive(code.stop(), {"0": bytes(8)}))) == {"encoder.w": (2,)}


def test_the_state_of_an_optimizer_is_not_weights() -> None:
    code = Code().add(b"}(").text("state").add(b"}(").number(0).add(b"}(").text("exp_avg").tensor((2,))
    code.add(b"uu").text("param_groups").add(b"]u")
    assert rules(read(archive(code.stop(), {"0": bytes(8)}))) == ["optimizer-not-weights"]


@pytest.mark.parametrize(
    ("storage", "dtype", "bits"),
    [
        ("HalfStorage", "F16", 16),
        ("BFloat16Storage", "BF16", 16),
        ("LongStorage", "I64", 64),
        ("BoolStorage", "BOOL", 8),
        ("DoubleStorage", "F64", 64),
        ("CharStorage", "I8", 8),
        ("ComplexFloatStorage", "C64", 64),
    ],
)
def test_storages(storage: str, dtype: str, bits: int) -> None:
    code = Code().add(b"}(").text("w").tensor((4, 2), storage=storage).add(b"u")
    found = read(archive(code.stop(), {"0": bytes(bits)}))
    layout = found.header.tensors["w"]
    assert (layout.dtype, layout.bytes, rules(found)) == (dtype, bits, [])


def test_a_parameter_is_its_tensor() -> None:
    code = Code().add(b"}(").text("w").name("torch._utils", "_rebuild_parameter").add(b"(").tensor((5,))
    found = read(archive(code.add(b"\x88").name("collections", "OrderedDict").add(b")RtRu").stop(), {"0": bytes(20)}))
    assert (shapes(found), rules(found)) == ({"w": (5,)}, [])


def test_an_ordered_dict_with_its_metadata() -> None:
    code = Code().name("collections", "OrderedDict").add(b")R(").text("w").tensor((5,)).add(b"u}")
    code.text("_metadata").name("collections", "OrderedDict").add(b")Rsb")
    found = read(archive(code.stop(), {"0": bytes(20)}))
    assert (shapes(found), rules(found)) == ({"w": (5,)}, [])


def test_objects_next_to_tensors_are_named() -> None:
    code = Code().add(b"}(").text("w").tensor((2,)).text("args").name("argparse", "Namespace").add(b")\x81}bu")
    found = read(archive(code.stop(), {"0": bytes(8)}))
    assert shapes(found) == {"w": (2,)}
    assert [dict(one.facts) for one in found.header.findings] == [{"names": ["argparse.Namespace"], "count": 1}]


def test_a_whole_module_gives_its_parameters() -> None:
    def module(name: str, parts: Code) -> None:
        parts.name("torch.nn.modules.module", name).add(b")\x81}(")

    code = Code()
    module("Net", code)
    code.text("_parameters").add(b"}").text("_modules").add(b"}(").text("fc")
    module("Linear", code)
    code.text("_parameters").add(b"}(").text("weight").tensor((2, 3)).add(b"u").text("in_features").number(3).add(b"ub")
    found = read(archive(code.add(b"uub").stop(), {"0": bytes(24)}))
    assert shapes(found) == {"fc.weight": (2, 3)}
    assert rules(found) == ["pickle-holds-objects"]


def test_a_storage_that_is_absent_or_short_cuts_its_tensors() -> None:
    assert read(archive(PLAIN, {"0": bytes(48)})).header.cut == ("a.bias",)
    found = read(archive(PLAIN, {"0": bytes(40), "1": bytes(16)}))
    assert (found.header.cut, rules(found)) == (("a.weight",), ["storage-missing"])


def test_an_older_file_that_is_cut() -> None:
    whole = legacy(PLAIN, {"0": (12, bytes(48)), "1": (4, bytes(16))})
    found = read(whole[:-1])
    assert (found.header.cut, rules(found)) == (("a.bias",), ["shard-cut"])
    assert rules(read(whole + b"x")) == ["data-behind-end"]


def test_a_tensor_saved_by_itself_is_a_checkpoint() -> None:
    found = read(archive(Code().tensor((3, 4)).stop(), {"0": bytes(48)}))
    assert (shapes(found), rules(found)) == ({"tensor": (3, 4)}, [])
    assert found.header.declared_bytes == 48
    parameter = Code().name("torch._utils", "_rebuild_parameter").add(b"(").tensor((5,))
    found = read(archive(parameter.add(b"\x88N").add(b"tR").stop(), {"0": bytes(20)}))
    assert (shapes(found), rules(found)) == ({"tensor": (5,)}, [])


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (Code().number(7), "7"),
        (Code().add(b"\x88"), "True"),
        (Code().add(b"N"), "None"),
        (Code().number(1 << 70), "<int>"),
        (Code().add(b"G\x3f\xf0\0\0\0\0\0\0"), "1.0"),
        (Code().text("a").text("b").add(b"\x86"), "<tuple>"),
        (Code().name("torch", "Tensor"), "<torch.Tensor>"),
    ],
)
def test_a_key_that_is_not_a_string_is_reported_and_kept(key: Code, name: str) -> None:
    code = Code().add(b"}(").text("w").tensor((4,)).add(key.raw[2:]).tensor((2,), "1").add(b"u")
    found = read(archive(code.stop(), {"0": bytes(16), "1": bytes(8)}))
    assert shapes(found) == {"w": (4,), name: (2,)}
    assert rules(found) == ["keys-not-strings"]
    assert found.header.findings[0].facts == {"keys": [name], "count": 1}


@pytest.mark.parametrize(("networks", "expected"), [(2, []), (1, ["keys-not-strings"])])
def test_the_widths_of_a_hypernetwork_are_its_keys(networks: int, expected: list[str]) -> None:
    """AUTOMATIC1111's web UI saves two networks, of keys and values, for each width of the attention."""
    code = Code().add(b"}(").text("name").text("x").number(320).add(b"](")
    for number in range(networks):
        code = code.add(b"}(").text("linear.0.weight").tensor((2,), str(number)).add(b"u")
    found = read(archive(code.add(b"eu").stop(), {str(number): bytes(8) for number in range(networks)}))
    assert shapes(found) == {f"320.{number}.linear.0.weight": (2,) for number in range(networks)}
    assert rules(found) == expected


def test_keys_that_are_equal_as_strings_are_reported() -> None:
    code = Code().add(b"}(").text("a.b").tensor((4,)).text("a").add(b"}(").text("b").tensor((2,), "1").add(b"uu")
    found = read(archive(code.stop(), {"0": bytes(16), "1": bytes(8)}))
    assert rules(found) == ["key-doubled"]


@pytest.mark.parametrize(
    ("shape", "strides", "elements", "repeats"),
    [
        ((1000, 1000), (0, 1), 1000, 1000),
        ((1 << 58,), (0,), 1, 1),
        ((3, 3), (1, 1), 5, 5),
        ((2, 2), (2, 2), 5, 3),
        ((2, 3), (3, 1), 6, 0),
        ((3, 2), (1, 3), 6, 0),
        ((1, 1), (0, 0), 1, 0),
        ((5, 1), (1, 0), 5, 0),
        ((4,), (2,), 7, 0),
        ((0, 9), (0, 0), 1, 0),
        ((), (), 1, 0),
    ],
)
def test_strides_that_repeat_memory(
    shape: tuple[int, ...], strides: tuple[int, ...], elements: int, repeats: int
) -> None:
    code = Code().add(b"}(").text("w").tensor(shape, elements=elements, strides=strides).add(b"u")
    found = read(archive(code.stop(), {"0": bytes(4 * elements)}))
    assert rules(found) == (["memory-repeated"] if repeats else [])
    assert shapes(found) == {"w": shape}
    if repeats:
        assert found.header.findings[0].facts["cases"][0]["elements"] == repeats


def test_an_older_file_with_storages_without_a_dtype() -> None:
    code = Code().add(b"}(").text("w").name("torch._utils", "_rebuild_tensor_v3").add(b"((").text("storage")
    code.name("torch.storage", "UntypedStorage").text("0").text("cpu").number(8).add(b"tQ").number(0).numbers((1,))
    code.numbers((1,)).add(b"\x89").name("collections", "OrderedDict").add(b")R").name("torch", "uint64").add(b"tRu")
    found = read(legacy(code.stop(), {"0": (8, bytes(8))}))
    assert (rules(found), shapes(found)) == (["archive-refused"], {"w": (1,)})


def zipped(*members: tuple[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as target:
        for name, raw in members:
            target.writestr(name, raw)
    return made.getvalue()


def another_size(data: bytes) -> bytes:
    """The archive with another uncompressed size, and the time 0, of its last member in the directory."""
    at = data.rindex(b"PK\1\2")
    return data[: at + 12] + bytes(2) + data[at + 14 : at + 24] + bytes([data[at + 24] + 1]) + data[at + 25 :]


ONE = state(("w", (4,)))
WHOLE = (("archive/data.pkl", ONE), ("archive/data/0", bytes(16)), ("archive/version", b"3\n"))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (zipped(*WHOLE), []),
        (zipped(*WHOLE, ("archive/extra/notes.txt", b"x")), []),
        (zipped(*WHOLE[:2], ("archive/.data/version", b"3\n")), []),
        (zipped(*WHOLE, ("second/data.pkl", state(("other", (2,))))), ["archive-roots"]),
        (zipped(*WHOLE, ("notes.txt", b"x")), ["archive-roots"]),
        (zipped(("first/notes.txt", b"x"), *WHOLE), ["archive-roots"]),
        (zipped(*((name.removeprefix("archive/"), raw) for name, raw in WHOLE)), ["archive-roots"]),
        (zipped(*WHOLE[:2]), ["archive-refused"]),
        *[(zipped(*WHOLE[:2], ("archive/version", text)), []) for text in (b"1", b"10\n", b" 3 4", b"3\0")],
        *[
            (zipped(*WHOLE[:2], ("archive/version", text)), ["archive-refused"])
            for text in (b"", b"0", b"11", b"-1", b"x", b"0x3", b"9" * 40)
        ],
        (zipped(*WHOLE, ("archive/.data/version", b"x")), ["archive-refused"]),
        *[(zipped(*WHOLE, ("archive/byteorder", text)), []) for text in (b"little", b"big")],
        *[
            (zipped(*WHOLE, ("archive/byteorder", text)), ["archive-refused"])
            for text in (b"", b"BIG", b"big\n", b"middle", b"\xff\xfe", b"little" * 1000)
        ],
        (zipped(*WHOLE, ("archive/constants.pkl", b"\x80\x02).")), ["archive-refused"]),
        (zipped(*WHOLE, ("archive/.storage_alignment", b"-64")), []),
        (zipped(*WHOLE, ("archive/.storage_alignment", b"x")), ["archive-refused"]),
        (zipped(WHOLE[0], ("archive/data/0", bytes(17)), WHOLE[2]), ["archive-refused"]),
        *[
            (zipped(*((name.replace("archive", length * "a"), raw) for name, raw in WHOLE)), expected)
            for length, expected in ((510, []), (511, ["archive-refused"]))
        ],
        (another_size(zipped(*WHOLE)), ["archive-refused"]),
        (zipped(*WHOLE, ("archive/odd", b"x")).replace(b"archive/odd", b"archive/o\xffd"), ["archive-refused"]),
        (archive(ONE.replace(b"tQ", b"NtQ"), {"0": bytes(16)}), ["archive-refused"]),
        (archive(ONE.replace(b"}(", b"N0}("), {"0": bytes(16)}), ["pickle-protocol-refused"]),
    ],
)
def test_archives_as_torch_reads_them(data: bytes, expected: list[str]) -> None:
    found = read(data)
    assert (rules(found), shapes(found)) == (expected, {"w": (4,)})
    torch = pytest.importorskip("torch")
    if expected:
        with pytest.raises((RuntimeError, ValueError, IndexError, UnpicklingError)):
            torch.load(io.BytesIO(data), weights_only=True)
    else:
        torch.load(io.BytesIO(data), weights_only=True)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("member", ["archive/data.pkl", "archive/data/0", "archive/version"])
def test_a_doubled_member_is_an_error(member: str) -> None:
    data = zipped(*WHOLE, (member, dict(WHOLE)[member]))
    found = read(data)
    assert (rules(found), shapes(found)) == (["archive-malformed"], {})
    assert "listed twice" in found.header.findings[0].title


def changed(data: bytes, sign: bytes, offset: int, value: int) -> bytes:
    """The file with one byte after the last `sign` changed."""
    at = data.rindex(sign) + offset
    return data[:at] + bytes([value]) + data[at + 1 :]


WITH_STATE = Code().add(b"}(").text("model").add(b"}(").text("w").tensor((4,)).add(b"u").text("optimizer").add(b"}(")
WITH_STATE.text("m").tensor((2,), "7").add(b"uu")
OLDER = legacy(ONE, {"0": (4, bytes(16))})
REFUSED = {
    "on another disk": (changed(zipped(*WHOLE), b"PK\1\2", 34, 2), "archive-malformed"),
    "the end on another disk": (changed(zipped(*WHOLE), b"PK\5\6", 4, 1), "archive-malformed"),
    "fewer members on this disk": (changed(zipped(*WHOLE), b"PK\5\6", 8, 2), "archive-malformed"),
    "a storage without a record": (changed(zipped(WHOLE[2], *WHOLE[:2]), b"PK\3\4", 0, 0), "archive-refused"),
    "an unknown compression": (changed(zipped(WHOLE[2], *WHOLE[:2]), b"PK\1\2", 10, 99), "archive-refused"),
    "an encrypted storage": (changed(zipped(WHOLE[2], *WHOLE[:2]), b"PK\1\2", 8, 1), "archive-refused"),
    "an id that is not UTF-8": (zipped(*WHOLE, ("archive/.data/serialization_id", b"\xff")), "archive-refused"),
    "a storage of the optimizer is absent": (archive(WITH_STATE.stop(), {"0": bytes(16)}), "archive-refused"),
    "another protocol": (OLDER.replace(b"M\xe9\x03", b"M\xe8\x03", 1), "archive-refused"),
    "a storage that nothing describes": (changed(OLDER, b"X\1\0\0\0", 5, ord("8")), "archive-refused"),
    "another length": (changed(OLDER, b"e.", 2, 5), "archive-refused"),
    "too many arguments": (
        archive(ONE.replace(b")RtR", b")RNNtR"), {"0": bytes(16)}), "pickle-malformed"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_files_that_torch_refuses(case: str) -> None:
    data, expected = REFUSED[case]
    assert expected in rules(read(data))
    torch = pytest.importorskip("torch")
    with pytest.raises((RuntimeError, ValueError, AssertionError, UnpicklingError, TypeError)):
        torch.load(io.BytesIO(data), weights_only=True)


@pytest.mark.parametrize(
    "data",
    [zipped(*WHOLE, ("archive/DATA.pkl", state(("other", (2,))))), zipped(*WHOLE) + zipped(*WHOLE)],
    ids=["in capitals", "after another archive"],
)
def test_archives_that_readers_interpret_differently_are_an_error(data: bytes) -> None:
    assert (rules(read(data)), shapes(read(data))) == (["archive-malformed"], {})


def test_storages_that_are_never_read_are_an_error() -> None:
    data = legacy(PLAIN, {"0": (12, bytes(48))}) + bytes(24)
    assert rules(read(data)) == ["pickle-malformed"]
